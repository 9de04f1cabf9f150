/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Send buffer space of a socket (SO_SNDBUF).
 */
#ifndef FLITCAST_SOCK_ROOM_H
#define FLITCAST_SOCK_ROOM_H

#include <linux/mm.h>
#include "ends/port.h"

struct flitcast_sock;

/* Send buffer space that a message takes, in bytes. */
static inline u32 flitcast_room_charge(u32 len, u32 ntargets)
{
	return PAGE_ALIGN(len) + FLITCAST_MSG_SIZE + ntargets * FLITCAST_MSG_TARGET;
}

/**
 * flitcast_room_reserve() - reserve send buffer space, and memory of the user's share
 * @fs: bound socket
 * @charge: bytes, by flitcast_room_charge()
 *
 * Never waits.  Context: process.
 *
 * Return: false if there is not enough space.
 */
bool flitcast_room_reserve(struct flitcast_sock *fs, u32 charge);

/* Release @charge that no message took over; the caller wakes tasks that wait for space. */
void flitcast_room_unreserve(struct flitcast_sock *fs, u32 charge);

/**
 * flitcast_room_wait() - reserve send buffer space, waiting for it
 * @fs: bound socket
 * @charge: bytes, by flitcast_room_charge()
 * @timeo: time to wait, in jiffies; updated to the time left
 *
 * Return: 0, or the error of sendmsg(): the time expired, or no space can become free.
 */
int flitcast_room_wait(struct flitcast_sock *fs, u32 charge, long *timeo);

/* Is there space for any message that net.flitcast.message_max allows (with up to 64 targets)? */
bool flitcast_room_writable(struct flitcast_sock *fs);
/* As flitcast_room_writable(); if the user's share is used up, arms a wake-up of the socket. */
bool flitcast_room_await(struct flitcast_sock *fs);
/* May poll() report EPOLLOUT?  If not, the socket is woken as soon as it may. */
bool flitcast_room_poll(struct flitcast_sock *fs);

/* Send buffer space used by pending messages and by unread reports. */
u32 flitcast_room_used(const struct flitcast_sock *fs);

#endif /* FLITCAST_SOCK_ROOM_H */
