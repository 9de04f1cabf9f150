/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Assembly of a message from several calls (MSG_MORE).
 */
#ifndef FLITCAST_SOCK_CORK_H
#define FLITCAST_SOCK_CORK_H

#include <linux/compiler.h>
#include <linux/mutex.h>
#include <linux/net.h>

struct flitcast_sock;

/**
 * struct flitcast_cork - the pieces of a message of which more will come (MSG_MORE)
 * @lock: held while a piece is added, or the whole message is sent
 * @data: the pieces so far; NULL: no message is being assembled.  Under @lock; may be compared with
 *	NULL without it
 * @len: bytes of them
 * @size: bytes that @data has room for
 */
struct flitcast_cork {
	struct mutex lock; /* see above */
	u8 *data;
	u32 len;
	u32 size;
};

void flitcast_cork_init(struct flitcast_sock *fs);
/* Free the pieces; the socket is being closed. */
void flitcast_cork_exit(struct flitcast_sock *fs);

/* Is a message being assembled? */
static inline bool flitcast_cork_begun(const struct flitcast_cork *cork)
{
	return READ_ONCE(cork->data);
}

/*
 * Add a piece to a message, and send the message if the call has no MSG_MORE.  Return: bytes of the
 * piece, or an error.  After an error that passing() accepts, the earlier pieces are kept; after
 * any other error they are dropped.
 */
int flitcast_cork_send(struct flitcast_sock *fs, struct msghdr *msg, size_t len);
/* sendfile() or splice() has reached the end of its file (struct proto_ops). */
void flitcast_cork_eof(struct socket *sock);

#endif /* FLITCAST_SOCK_CORK_H */
