/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Methods to send a message to every other node of a network by the protocols of the Internet: UDP
 * or TCP to each node, the kernel's multicast routing, and a group on a device of each node, which
 * is that of an HSR ring, or the network device of a site.
 *
 * Nodes have the addresses of inet.h, and forward; node 0 is the sender.
 */
#ifndef SELFTESTS_BENCH_PEERS_H
#define SELFTESTS_BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PEERS_MAX	250

/**
 * struct peers - the sockets of one method
 * @nodes: sockets of all nodes; that of node 0 is also in @senders
 * @senders: sockets of node 0, which sends each datagram on each of them
 * @nsenders: number of @senders; with TCP that of nodes, with a socket for each node
 * @to_all: group address in network byte order; 0 for UDP and TCP, which send to each
 *	node
 * @net: network of the nodes' addresses
 * @stream: the sockets are TCP sockets
 */
struct peers {
	int nodes[PEERS_MAX];
	int senders[PEERS_MAX];
	unsigned int nsenders;
	unsigned int to_all;
	uint32_t net;
	bool stream;
};

/* Open a connection from node 0 to every other node. */
void peers_open_tcp(struct peers *peers, const char *lab, unsigned int nodes);

/* Open a socket of a network at each node; node 0 sends to every other node. */
void peers_open_udp(struct peers *peers, const char *lab, unsigned int nodes, uint32_t net);

/**
 * peers_open_ipmr() - set up routes for a multicast group, and open its sockets
 * @peers: sockets to open
 * @lab: name of the lab
 * @nodes: number of sites
 * @plan: file of bench/cast-plan, whose lines "tree NODE IN OUT,OUT..." list the device
 *	on which each node gets a datagram, and those to which it forwards it; "-": none
 *
 * Node 0 has no route: it sends the datagram on each of its devices.  The routes
 * exist until the program ends.
 */
void peers_open_ipmr(struct peers *peers, const char *lab, unsigned int nodes,
		     const char *plan);

/* Open sockets of a group on the device @dev of each node, whose network is @net. */
void peers_open_group(struct peers *peers, const char *lab, unsigned int nodes, uint32_t net,
		      const char *dev);

void peers_close(struct peers *peers, unsigned int nodes);

/**
 * peers_send() - send a message to some nodes, or to all
 * @peers: sockets
 * @to: the nodes; ignored with a group, which contains all nodes
 * @count: number of nodes
 * @data: message
 * @len: its length
 */
void peers_send(const struct peers *peers, const unsigned int *to, unsigned int count,
		const void *data, size_t len);

#endif /* SELFTESTS_BENCH_PEERS_H */
