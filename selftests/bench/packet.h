/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packet sockets at both ends of a link of a lab: the floor of what a message costs that a
 * program sends and another receives.  Nothing is routed, repeated, or kept in order.
 */
#ifndef SELFTESTS_BENCH_PACKET_H
#define SELFTESTS_BENCH_PACKET_H

#include <linux/if_packet.h>

/**
 * packet_socket() - a packet socket with much room
 * @lab: name of the lab
 * @site: site; the thread stays in its namespace
 * @device: name of its device there
 * @to: filled in: the device's hardware address, and its number there
 *
 * It gives up after ten seconds, so what is lost ends the program.
 *
 * Return: a descriptor; dies where there is none.
 */
int packet_socket(const char *lab, unsigned int site, const char *device, struct sockaddr_ll *to);

#endif /* SELFTESTS_BENCH_PACKET_H */
