/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of sockets.  Callers of the functions on receive queues hold the site's lock, but for
 * those on accounts and flitcast_mem_end().
 */
#ifndef FLITCAST_SOCK_MEM_H
#define FLITCAST_SOCK_MEM_H

#include <linux/types.h>

struct flitcast_sock;
struct mem_cgroup;
struct net;
struct sock;

/**
 * flitcast_mem_account() - a new account for the receive queue of one socket
 * @net: namespace of the socket, which outlives the account
 *
 * The memory cgroup of the calling task pays.  Context: process.
 *
 * Return: the account, or NULL: no memory.
 */
struct sock *flitcast_mem_account(struct net *net);
/* Nothing is charged to it any more. */
void flitcast_mem_account_free(struct sock *account);

/* The memory cgroup of the one who made the socket, or NULL. */
struct mem_cgroup *flitcast_mem_cgroup(const struct flitcast_sock *fs);

int flitcast_mem_module_init(void);
void flitcast_mem_module_exit(void);
/* All that the socket has is given back.  The port is detached, and nobody calls any more. */
void flitcast_mem_end(struct flitcast_sock *fs);

/* Return: false where the family, the user's share or the socket's memory cgroup has no room. */
bool flitcast_mem_charge(struct flitcast_sock *fs, u32 size);
/* What is here already is charged whatever the room. */
void flitcast_mem_grow(struct flitcast_sock *fs, u32 size);
void flitcast_mem_uncharge(struct flitcast_sock *fs, u32 size);

/**
 * flitcast_mem_send() - count @bytes more of what the socket sends
 * @fs: socket
 * @bytes: they are given back with flitcast_mem_sent(); what is left when the port is detached is
 *	the site's
 *
 * Takes no lock of the site.  Context: process; flitcast_mem_sent() may be called anywhere.
 *
 * Return: false where the user's share has no room: the socket is woken when it has.
 */
bool flitcast_mem_send(struct flitcast_sock *fs, u32 bytes);
/* Count @bytes even if the share has no room for them. */
void flitcast_mem_send_always(struct flitcast_sock *fs, u32 bytes);
void flitcast_mem_sent(struct flitcast_sock *fs, u32 bytes);
/* Does flitcast_mem_send() find room now?  Also true for what can never be sent. */
bool flitcast_mem_sendable(const struct flitcast_sock *fs, u32 bytes);
/* Wake the socket when it does.  The caller looks once more after this. */
void flitcast_mem_wait(struct flitcast_sock *fs, u32 bytes);
/* Is this more than the share of any user can hold? */
bool flitcast_mem_never(u32 bytes);

#endif /* FLITCAST_SOCK_MEM_H */
