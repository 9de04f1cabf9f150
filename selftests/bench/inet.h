/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UDP and TCP sockets at the sites of a lab.
 *
 * Site k has the address NET.0.(k + 1), where NET is 10.1 on the lab's own devices; other networks
 * over the same sites have other addresses: see bench/guest-lib.sh.
 */
#ifndef SELFTESTS_BENCH_INET_H
#define SELFTESTS_BENCH_INET_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

/* Networks, in host byte order. */
#define INET_LAB	0x0a010000	/* 10.1: shortest paths, forwarded by IPv4 */
#define INET_DEVICE	0x0a070000	/* 10.7: network devices of the sites */
#define INET_BATMAN	0x0a080000	/* 10.8: one Ethernet, of batman-adv */
#define INET_REDIRECT	0x0a090000	/* 10.9: sites in between redirect frames */

struct sockaddr_in inet_address(uint32_t net, unsigned int site, unsigned int port);

/**
 * inet_udp() - open a bound UDP socket with large buffers
 * @lab: name of the lab
 * @net: network
 * @site: site; the thread stays in its namespace
 * @port: port
 *
 * The socket has a time-out of ten seconds, so that a loss ends the program.
 *
 * Return: a descriptor; exits on failure.
 */
int inet_udp(const char *lab, uint32_t net, unsigned int site, unsigned int port);

/**
 * inet_tcp() - open a TCP connection, without Nagle's algorithm
 * @lab: name of the lab
 * @net: network
 * @from: site that connects
 * @to: site that accepts
 * @port: port there
 * @peer: returns the accepting end
 *
 * Return: the connecting end; exits on failure.
 */
int inet_tcp(const char *lab, uint32_t net, unsigned int from, unsigned int to, unsigned int port,
	     int *peer);

/**
 * inet_transfer() - send through a connection and receive at the other end, by one thread
 * @from: sending end
 * @to: receiving end
 * @data: data to send, overwritten with the same bytes
 * @size: length in bytes
 *
 * Alternates between sending and receiving until all bytes are received.
 */
void inet_transfer(int from, int to, unsigned char *data, size_t size);

#endif /* SELFTESTS_BENCH_INET_H */
