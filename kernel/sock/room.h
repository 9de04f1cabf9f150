/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Send room of a socket (SO_SNDBUF).
 */
#ifndef FLITCAST_SOCK_ROOM_H
#define FLITCAST_SOCK_ROOM_H

#include <linux/mm.h>
#include "ends/port.h"

struct flitcast_sock;

/* The send room that a message takes, in bytes. */
static inline u32 flitcast_room_charge(u32 len, u32 ntargets)
{
	return PAGE_ALIGN(len) + FLITCAST_MSG_SIZE + ntargets * FLITCAST_MSG_TARGET;
}

/**
 * flitcast_room_reserve() - take send room, and memory of the user's share
 * @fs: bound socket
 * @charge: so much of it: flitcast_room_charge()
 *
 * Never waits.  Context: process.
 *
 * Return: false where there is no room.
 */
bool flitcast_room_reserve(struct flitcast_sock *fs, u32 charge);

/* Give back @charge that no message has taken over; the caller wakes those who wait for room. */
void flitcast_room_unreserve(struct flitcast_sock *fs, u32 charge);

/**
 * flitcast_room_wait() - wait for room where flitcast_room_reserve() found none
 * @fs: bound socket
 * @charge: so much of it
 * @timeo: wait so long, in jiffies; gets the time that is left
 *
 * Return: 0 or the error of sendmsg(): there is no room in time, or the wait is in vain.
 */
int flitcast_room_wait(struct flitcast_sock *fs, u32 charge, long *timeo);

/* Is there room for any message the sysctl allows?  Then poll() says so. */
bool flitcast_room_writable(struct flitcast_sock *fs);
/* Is there room?  If the share of the user has none, the socket is woken when it has. */
bool flitcast_room_await(struct flitcast_sock *fs);
/* May poll() report EPOLLOUT?  If not, the socket is woken as soon as it may. */
bool flitcast_room_poll(struct flitcast_sock *fs);

/* Send room in use, by messages under way and by unread reports. */
u32 flitcast_room_used(const struct flitcast_sock *fs);

#endif /* FLITCAST_SOCK_ROOM_H */
