/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of sockets.  Callers of the functions on receive queues hold the site's lock, except for
 * flitcast_mem_account*() and flitcast_mem_end().
 */
#ifndef FLITCAST_SOCK_MEM_H
#define FLITCAST_SOCK_MEM_H

#include <linux/types.h>

struct flitcast_sock;
struct mem_cgroup;
struct net;
struct sock;

/**
 * flitcast_mem_account() - create an account for the receive queue of one socket
 * @net: namespace of the socket, which outlives the account
 *
 * The account charges the memory cgroup of the calling task.  Context: process.
 *
 * Return: the account, or NULL: no memory.
 */
struct sock *flitcast_mem_account(struct net *net);
/* Free an account that has no charges left. */
void flitcast_mem_account_free(struct sock *account);

/* The memory cgroup of the task that created the socket, or NULL. */
struct mem_cgroup *flitcast_mem_cgroup(const struct flitcast_sock *fs);

int flitcast_mem_module_init(void);
void flitcast_mem_module_exit(void);
/* Return all memory of a socket.  The port is detached, and no other call follows. */
void flitcast_mem_end(struct flitcast_sock *fs);

/*
 * Charge received data.  Return: false if the family, the user's share or the socket's memory
 * cgroup is at its limit.
 */
bool flitcast_mem_charge(struct flitcast_sock *fs, u32 size);
/* Charge received data that is in memory already, even beyond the limits. */
void flitcast_mem_grow(struct flitcast_sock *fs, u32 size);
void flitcast_mem_uncharge(struct flitcast_sock *fs, u32 size);

/**
 * flitcast_mem_send() - charge @bytes to the send queue of a socket
 * @fs: socket
 * @bytes: bytes; flitcast_mem_sent() uncharges them; the site accounts for what is left when the
 *	port is detached
 *
 * Takes no lock of the site.  Context: process; flitcast_mem_sent() may be called anywhere.
 *
 * Return: false if the user's share is used up: the socket is woken when it has space.
 */
bool flitcast_mem_send(struct flitcast_sock *fs, u32 bytes);
/* Charge @bytes to the send queue even beyond the share. */
void flitcast_mem_send_always(struct flitcast_sock *fs, u32 bytes);
void flitcast_mem_sent(struct flitcast_sock *fs, u32 bytes);
/* Would flitcast_mem_send() succeed now?  Also true for a message that can never be sent. */
bool flitcast_mem_sendable(const struct flitcast_sock *fs, u32 bytes);
/* Wake the socket when flitcast_mem_send() may succeed.  The caller must check again after this. */
void flitcast_mem_wait(struct flitcast_sock *fs, u32 bytes);
/* Is this more than the share of any user can hold? */
bool flitcast_mem_never(u32 bytes);

#endif /* FLITCAST_SOCK_MEM_H */
