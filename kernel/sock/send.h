/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sending of messages.
 */
#ifndef FLITCAST_SOCK_SEND_H
#define FLITCAST_SOCK_SEND_H

#include <linux/socket.h>
#include "core/wire/wire.h"

struct flitcast_sock;

/**
 * flitcast_send_kind() - send a control message of a connection, without data
 * @fs: bound socket
 * @kind: kind of the message
 * @re: id of the request that this message answers
 * @site: destination site
 * @port: destination port
 * @id: gets the message id, before anything is sent
 *
 * The send buffer does not limit control messages.  Context: process.
 *
 * Return: 0, -ENOMEM, -ENETDOWN, -EHOSTUNREACH.
 */
int flitcast_send_kind(struct flitcast_sock *fs, enum fc_kind kind, u32 re, u32 site, u16 port,
		       u32 *id);

/* sendmsg() of a whole message; ignores MSG_MORE. */
int flitcast_send_whole(struct flitcast_sock *fs, struct msghdr *msg, size_t len);

#endif /* FLITCAST_SOCK_SEND_H */
