/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Send a message.
 */
#ifndef FLITCAST_SOCK_SEND_H
#define FLITCAST_SOCK_SEND_H

#include <linux/socket.h>
#include "core/wire.h"

struct flitcast_sock;

/**
 * flitcast_send_kind() - send what is about a connection, and carries no data
 * @fs: bound socket
 * @kind: what it is
 * @re: id of the request that it answers
 * @site: to there
 * @port: to this port
 * @id: gets the message id, before anything is sent
 *
 * It goes whatever the send room.  Context: process.
 *
 * Return: 0, -ENOMEM, -ENETDOWN, -EHOSTUNREACH.
 */
int flitcast_send_kind(struct flitcast_sock *fs, enum fc_kind kind, u32 re, u32 site, u16 port,
		       u32 *id);

/* sendmsg() of a whole message, whatever MSG_MORE says. */
int flitcast_send_whole(struct flitcast_sock *fs, struct msghdr *msg, size_t len);

#endif /* FLITCAST_SOCK_SEND_H */
