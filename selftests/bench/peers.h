/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ways to send a message to every other node of a network without Flitcast: UDP and TCP
 * to each, the kernel's multicast routing, and an HSR ring.
 *
 * Node k has the address 10.1.0.(k + 1), and forwards; all is sent by node 0.
 */
#ifndef SELFTESTS_BENCH_PEERS_H
#define SELFTESTS_BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#define PEERS_MAX	250

/**
 * struct peers - the sockets of one way
 * @nodes: sockets of all nodes; that of node 0 is one of @senders
 * @senders: sockets of node 0, which sends each datagram by each of them
 * @nsenders: how many; with TCP as many as nodes, each for the node of its number
 * @to_all: what they send to, a group; for UDP and TCP to each node there is none (0),
 *	network byte order
 * @stream: they are TCP's
 */
struct peers {
	int nodes[PEERS_MAX];
	int senders[PEERS_MAX];
	unsigned int nsenders;
	unsigned int to_all;
	bool stream;
};

/* A connection from node 0 to every other. */
void peers_open_tcp(struct peers *peers, const char *lab, unsigned int nodes);

/* A socket of each node, node 0 sends to every other. */
void peers_open_udp(struct peers *peers, const char *lab, unsigned int nodes);

/**
 * peers_open_ipmr() - routes for a multicast group, and the sockets in it
 * @peers: these are opened
 * @lab: name of the lab
 * @nodes: sites of it
 * @plan: file of bench/cast-plan, whose lines "tree NODE IN OUT,OUT..." tell by which
 *	device each node gets a datagram, and by which it passes it on; "-" for none
 *
 * Node 0 has no route: it sends the datagram by each device of its own.  The routes
 * live until the program ends.
 */
void peers_open_ipmr(struct peers *peers, const char *lab, unsigned int nodes,
		     const char *plan);

/* A group on the device hsr0 that each node has. */
void peers_open_hsr(struct peers *peers, const char *lab, unsigned int nodes);

void peers_close(struct peers *peers, unsigned int nodes);

/**
 * peers_send() - send a message to some nodes, or to all
 * @peers: how
 * @to: the nodes, where there is no group; a group is all
 * @count: how many
 * @data: message
 * @len: its length
 */
void peers_send(const struct peers *peers, const unsigned int *to, unsigned int count,
		const void *data, size_t len);

#endif /* SELFTESTS_BENCH_PEERS_H */
