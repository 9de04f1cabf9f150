/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A message in pieces (MSG_MORE).
 */
#ifndef FLITCAST_SOCK_CORK_H
#define FLITCAST_SOCK_CORK_H

#include <linux/compiler.h>
#include <linux/mutex.h>
#include <linux/net.h>

struct flitcast_sock;

/**
 * struct flitcast_cork - the pieces of a message of which more will come (MSG_MORE)
 * @lock: held from one piece on until it is added, or the whole message is accepted
 * @data: the pieces so far; NULL: no message is being put together.  Under @lock; that there
 *	is none may be seen without it
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
/* Forget the pieces; the socket is not used any more. */
void flitcast_cork_exit(struct flitcast_sock *fs);

/* Is a message being put together? */
static inline bool flitcast_cork_begun(const struct flitcast_cork *cork)
{
	return READ_ONCE(cork->data);
}

/*
 * One more piece of a message, the last one without MSG_MORE.  Return: bytes of the piece, or an
 * error.  With -EAGAIN and -EINTR nothing has changed; with any other one the pieces are dropped.
 */
int flitcast_cork_send(struct flitcast_sock *fs, struct msghdr *msg, size_t len);
/* sendfile() has come to the end of its file (struct proto_ops). */
void flitcast_cork_eof(struct socket *sock);

#endif /* FLITCAST_SOCK_CORK_H */
