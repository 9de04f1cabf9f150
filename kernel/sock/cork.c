// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: assembly of a message from pieces (MSG_MORE), as sendfile() and splice() send more
 * than a page.
 *
 * Pieces are copied into one buffer until a call comes without the flag; then the message is sent
 * like any other, to the destination of that call, because only then its length is known, which
 * bounds the parts of targets.  Pieces take no send buffer space and never wait.  A socket holds at
 * most one message of net.flitcast.message_max, charged to the memory cgroup and to the share of
 * the user: if the share is used up, the call fails with ENOBUFS.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/uio.h>
#include "sock/cork.h"
#include "sock/impl.h"
#include "sock/mem.h"
#include "sock/send.h"
#include "sock/sysctl.h"

void flitcast_cork_init(struct flitcast_sock *fs)
{
	mutex_init(&fs->cork.lock);
}

static void empty(struct flitcast_sock *fs)
{
	struct flitcast_cork *cork = &fs->cork;
	u8 *data = cork->data;

	flitcast_mem_sent(fs, cork->size);
	WRITE_ONCE(cork->data, NULL);
	cork->len = 0;
	cork->size = 0;
	kvfree(data);
}

void flitcast_cork_exit(struct flitcast_sock *fs)
{
	empty(fs);
	mutex_destroy(&fs->cork.lock);
}

/* Grow the buffer to at least @need bytes; sizes double, so that every byte is copied few times. */
static int grow(struct flitcast_sock *fs, u32 need)
{
	struct flitcast_cork *cork = &fs->cork;
	u32 size = roundup_pow_of_two(max_t(u32, need, PAGE_SIZE));
	u8 *data, *old = cork->data;

	if (old && need <= cork->size)
		return 0;
	if (!flitcast_mem_send(fs, size - cork->size))
		return refuse(fs, -ENOBUFS, "the user's share of message memory is used up");
	data = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!data) {
		flitcast_mem_sent(fs, size - cork->size);
		return -ENOMEM;
	}
	if (cork->len)
		memcpy(data, old, cork->len);
	WRITE_ONCE(cork->data, data);
	cork->size = size;
	kvfree(old);
	return 0;
}

static int append(struct flitcast_sock *fs, struct msghdr *msg, size_t len)
{
	u32 most = flitcast_sysctl_message_max(sock_net(&fs->sk));
	struct flitcast_cork *cork = &fs->cork;
	int err;

	if (cork->len > most || len > most - cork->len)
		return refuse(fs, -EMSGSIZE, "message longer than net.flitcast.message_max");
	err = grow(fs, cork->len + len);
	if (err)
		return err;
	if (!copy_from_iter_full(cork->data + cork->len, len, &msg->msg_iter))
		return -EFAULT;
	cork->len += len;
	return 0;
}

/* Send the assembled message. */
static int send_all(struct flitcast_sock *fs, const struct msghdr *msg)
{
	struct kvec vec = { .iov_base = fs->cork.data, .iov_len = fs->cork.len };
	struct msghdr whole = *msg;

	iov_iter_kvec(&whole.msg_iter, ITER_SOURCE, &vec, 1, vec.iov_len);
	return flitcast_send_whole(fs, &whole, vec.iov_len);
}

/* Is the error transient, so that the caller may retry? */
static bool passing(int err)
{
	return err == -EAGAIN || err == -ENOBUFS || err == -ENOMEM ||
	       err == sock_intr_errno(0) || err == sock_intr_errno(MAX_SCHEDULE_TIMEOUT);
}

int flitcast_cork_send(struct flitcast_sock *fs, struct msghdr *msg, size_t len)
{
	struct flitcast_cork *cork = &fs->cork;
	bool begun;
	u32 before;
	int err;

	if (msg->msg_flags & MSG_ZEROCOPY)
		return refuse(fs, -EOPNOTSUPP, "MSG_ZEROCOPY and MSG_MORE do not go together");
	/* The holder of the lock may be waiting for send buffer space. */
	if (msg->msg_flags & MSG_DONTWAIT) {
		if (!mutex_trylock(&cork->lock))
			return -EAGAIN;
	} else if (mutex_lock_interruptible(&cork->lock)) {
		return sock_intr_errno(MAX_SCHEDULE_TIMEOUT);
	}
	begun = cork->data;
	before = cork->len;
	err = append(fs, msg, len);
	if (!err && !(msg->msg_flags & FLITCAST_MSG_MORE))
		err = send_all(fs, msg);
	else if (!err)
		goto out;
	if (err < 0 && begun && passing(err))
		cork->len = before;
	else
		empty(fs);
out:
	mutex_unlock(&cork->lock);
	return err < 0 ? err : len;
}

void flitcast_cork_eof(struct socket *sock)
{
	struct flitcast_sock *fs = to_fs(sock->sk);
	struct msghdr msg = { };

	if (!flitcast_cork_begun(&fs->cork))
		return;
	if (sock->file->f_flags & O_NONBLOCK)
		msg.msg_flags = MSG_DONTWAIT;
	iov_iter_kvec(&msg.msg_iter, ITER_SOURCE, NULL, 0, 0);
	/*
	 * splice() ignores the result.  After a transient error the next call on the socket
	 * retries.
	 */
	flitcast_cork_send(fs, &msg, 0);
}
