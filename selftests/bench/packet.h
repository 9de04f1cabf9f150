/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packet sockets at both ends of a link of a lab: the minimum cost of a message from one program to
 * another.  Nothing is routed, retransmitted, or kept in order.
 */
#ifndef SELFTESTS_BENCH_PACKET_H
#define SELFTESTS_BENCH_PACKET_H

#include <linux/if_packet.h>

/**
 * packet_socket() - open a packet socket with large buffers
 * @lab: name of the lab
 * @site: site; the thread stays in its namespace
 * @device: name of its device there
 * @to: returns the device's hardware address, and its index there
 *
 * The socket has a time-out of ten seconds, so that a loss ends the program.
 *
 * Return: a descriptor; exits on failure.
 */
int packet_socket(const char *lab, unsigned int site, const char *device, struct sockaddr_ll *to);

#endif /* SELFTESTS_BENCH_PACKET_H */
