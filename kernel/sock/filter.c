// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: filters.  A message that the program of SO_ATTACH_FILTER or SO_ATTACH_BPF rejects,
 * or that a security module forbids, is dropped before it is read; the sender gets it confirmed as
 * delivered, as with datagrams of other families.
 *
 * The program runs in poll(), recvmsg() and SIOCINQ, without a lock, in the time of the calling
 * task.  It does not run at delivery, which is under the site's lock: users choose how long
 * programs run and how many messages become ready at once, and other users of the site would wait
 * meanwhile.  A message that was not filtered yet keeps its buffer space.
 *
 * Messages to be dropped may arrive as fast as they are filtered.  So a call filters at most
 * FLITCAST_FILTER_BUDGET messages, unless it blocks, and then a signal ends it.  If unfiltered
 * messages are left, poll() reports the socket readable, and a nonblocking call returns EAGAIN and
 * wakes polling tasks: the next call continues.
 */
#include <linux/filter.h>
#include <linux/security.h>
#include <net/sock.h>
#include "drop.h"
#include "sock/filter.h"
#include "sock/impl.h"

/*
 * Bytes of a message that a program sees.  A message of many flits is a list of as many skbs, and
 * each load at a high offset would walk it: 4,096 instructions times 16 MiB.
 */
#define FILTER_SEEN	2048

/* SO_MEMINFO reports sk_drops. */
static void count_drop(struct flitcast_sock *fs)
{
	atomic_inc(&fs->sk.sk_drops);
}

bool flitcast_filter_deliver(struct flitcast_sock *fs, struct sk_buff *skb)
{
	struct flitcast_delivery *d = FLITCAST_DELIVERY(skb);

	d->unfiltered = false;
	if (d->kind == FC_KIND_CONNECT)
		return true;
	/* ask() calls the security module before the program. */
	if (rcu_access_pointer(fs->sk.sk_filter)) {
		d->unfiltered = true;
		return true;
	}
	/* Not sk_filter(): it drops skbs from reserved memory, but this message was confirmed. */
	if (!security_sock_rcv_skb(&fs->sk, skb))
		return true;
	count_drop(fs);
	return false;
}

/*
 * Run the program on @view.  Return: bytes that it accepts, at most @len; -EPERM: drop the message.
 *
 * Not sk_filter(), which would trim @view by pskb_trim(): that may reorganise an skb, and @view has
 * no data for all of its length.
 */
static int run_program(struct flitcast_sock *fs, struct sk_buff *view, u32 len)
{
	const struct sk_filter *filter;
	u32 pass = U32_MAX;

	rcu_read_lock();
	filter = rcu_dereference(fs->sk.sk_filter);
	if (filter) {
		/* Helpers of eBPF programs read the cookie and the owner of the socket. */
		view->sk = &fs->sk;
		pass = bpf_prog_run_clear_cb(filter->prog, view);
		view->sk = NULL;
	}
	rcu_read_unlock();
	return pass ? min(pass, len) : -EPERM;
}

/*
 * Call the security module and the program.  Return: bytes of the message to receive; -EPERM: drop
 * the message; -ENOMEM.
 */
static int ask(struct flitcast_sock *fs, const struct sk_buff *skb)
{
	const struct flitcast_delivery *d = FLITCAST_DELIVERY(skb);
	u32 seen = min_t(u32, d->len, FILTER_SEEN);
	struct sk_buff *view = alloc_skb(seen, GFP_KERNEL_ACCOUNT);
	int len = -EPERM;

	if (!view)
		return -ENOMEM;
	if (skb_copy_bits(skb, d->skip, skb_put(view, seen), seen))
		goto free;
	/*
	 * The program sees the length of the message; loads beyond FILTER_SEEN fail as beyond its
	 * end.
	 */
	view->len = d->len;
	view->data_len = d->len - seen;
	/* Keep link-layer loads (SKF_LL_OFF, SKF_NET_OFF) within the data of the message. */
	skb_reset_mac_header(view);
	skb_reset_network_header(view);
	skb_reset_transport_header(view);
	skb_copy_secmark(view, skb);
	if (security_sock_rcv_skb(&fs->sk, view))
		goto free;
	len = run_program(fs, view, d->len);
free:
	consume_skb(view);
	return len;
}

/* The program accepted @len bytes.  Context: the queue's lock, or the caller owns the skb. */
static void accept_part(struct sk_buff *skb, u32 len)
{
	struct flitcast_delivery *d = FLITCAST_DELIVERY(skb);

	d->len = len;
	d->unfiltered = false;
}

static void drop(struct flitcast_sock *fs, struct sk_buff *skb)
{
	u32 charge = FLITCAST_DELIVERY(skb)->charge;

	count_drop(fs);
	flitcast_drop(skb, FLITCAST_DROP_FILTERED);
	flitcast_port_release(&fs->port, charge);
}

/*
 * Filter the head of the receive queue.  Return: 1 if it was accepted before, 0 if the queue is
 * empty; -EAGAIN: a message was filtered, call again; -ENOMEM.
 */
static int decide_one(struct flitcast_sock *fs)
{
	struct sk_buff_head *queue = &fs->sk.sk_receive_queue;
	struct sk_buff *skb;
	bool ours;
	int len;

	spin_lock_bh(&queue->lock);
	skb = skb_peek(queue);
	if (!skb || !FLITCAST_DELIVERY(skb)->unfiltered) {
		spin_unlock_bh(&queue->lock);
		return !!skb;
	}
	skb_get(skb);
	spin_unlock_bh(&queue->lock);
	len = ask(fs, skb);
	/* Another task may have dequeued or filtered the message meanwhile. */
	spin_lock_bh(&queue->lock);
	ours = len != -ENOMEM && skb->next && FLITCAST_DELIVERY(skb)->unfiltered;
	if (ours && len >= 0)
		accept_part(skb, len);
	else if (ours)
		__skb_unlink(skb, queue);
	spin_unlock_bh(&queue->lock);
	/* First the reference of skb_get(): the last one gives the reason. */
	consume_skb(skb);
	if (ours && len < 0)
		drop(fs, skb);
	return len == -ENOMEM ? len : -EAGAIN;
}

int flitcast_filter_readable(struct flitcast_sock *fs)
{
	int budget = FLITCAST_FILTER_BUDGET, err = -EAGAIN;

	if (skb_queue_empty_lockless(&fs->sk.sk_receive_queue))
		return 0;
	if (!rcu_access_pointer(fs->sk.sk_filter))
		return 1;
	while (err == -EAGAIN && budget--) {
		err = decide_one(fs);
		cond_resched();
	}
	return err;
}

int flitcast_filter_decide(struct flitcast_sock *fs, struct sk_buff *skb, int flags)
{
	int len;

	if (flags & MSG_PEEK) {
		/*
		 * MSG_PEEK leaves the message in the queue, where other tasks may filter it, too.
		 */
		consume_skb(skb);
		return decide_one(fs) == -ENOMEM ? -ENOMEM : 0;
	}
	len = ask(fs, skb);
	if (len == -ENOMEM) {
		skb_queue_head(&fs->sk.sk_receive_queue, skb);
		return len;
	}
	if (len < 0) {
		drop(fs, skb);
		return 0;
	}
	accept_part(skb, len);
	return 1;
}
