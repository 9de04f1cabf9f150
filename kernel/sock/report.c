// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: results of messages, in the error queue; and close() with pending messages.
 *
 * A report is its message without the data: its memory was allocated when the message was accepted,
 * so that a requested report is never lost.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/uio.h>
#include "sock/impl.h"
#include "sock/mem.h"
#include "sock/report.h"

/*
 * Limits of unrequested reports: their number, and their targets (but one report is always kept).
 */
#define UNASKED_MAX		64
#define UNASKED_TARGETS		2048

/* Memory that a report uses; a requested report also uses it of the send buffer. */
static u32 sent_charge(const struct flitcast_sent *out)
{
	return FLITCAST_MSG_SIZE + out->ntargets * FLITCAST_MSG_TARGET;
}

/* Move the oldest unrequested reports beyond the limits to @drop. */
static void bound_unasked(struct flitcast_sock *fs, struct list_head *drop)
{
	struct flitcast_sent *out, *next;

	list_for_each_entry_safe(out, next, &fs->reports, node) {
		if (fs->nunasked <= 1 || (fs->nunasked <= UNASKED_MAX &&
					  fs->unasked_targets <= UNASKED_TARGETS))
			return;
		if (out->report)
			continue;
		list_move(&out->node, drop);
		fs->nunasked--;
		fs->unasked_targets -= out->ntargets;
		fs->reports_lost++;
		fs->stats.reports_lost++;
	}
}

bool flitcast_report_sent(struct flitcast_sock *fs, struct flitcast_sent *out)
{
	LIST_HEAD(drop);
	bool own, keep;

	/* Add before subtracting: the space in use never looks smaller than it is. */
	if (out->report)
		atomic_add(sent_charge(out), &fs->tx_held);
	smp_mb__before_atomic(); /* pairs with the barrier of tx_fits() */
	atomic_sub(out->charge, &fs->tx_used);
	/* FC_KIND_CONNECT, ACCEPT, REFUSE and SHUT are not messages of the program: no report. */
	own = out->kind == FC_KIND_MESSAGE || out->kind == FC_KIND_DATA;
	keep = own && (out->report || out->err);
	flitcast_mem_sent(fs, out->charge - (keep ? sent_charge(out) : 0));
	if (!own)
		return false;
	if (out->err)
		fs->stats.tx_failed++;
	else
		fs->stats.tx_confirmed++;
	if (!keep)
		return false;
	spin_lock_bh(&fs->report_lock);
	list_add_tail(&out->node, &fs->reports);
	if (out->report) {
		fs->nasked++;
	} else {
		fs->nunasked++;
		fs->unasked_targets += out->ntargets;
		bound_unasked(fs, &drop);
	}
	spin_unlock_bh(&fs->report_lock);
	flitcast_report_purge(fs, &drop);
	return true;
}

void flitcast_report_purge(struct flitcast_sock *fs, struct list_head *list)
{
	struct flitcast_sent *out, *next;

	list_for_each_entry_safe(out, next, list, node) {
		list_del(&out->node);
		flitcast_mem_sent(fs, sent_charge(out));
		flitcast_sent_put(out);
	}
}

bool flitcast_report_any(struct flitcast_sock *fs)
{
	return READ_ONCE(fs->nasked);
}

static struct flitcast_sent *take(struct flitcast_sock *fs, u32 *lost)
{
	struct flitcast_sent *out;

	spin_lock_bh(&fs->report_lock);
	out = list_first_entry_or_null(&fs->reports, struct flitcast_sent, node);
	if (out) {
		list_del_init(&out->node);
		if (out->report) {
			fs->nasked--;
		} else {
			fs->nunasked--;
			fs->unasked_targets -= out->ntargets;
		}
		*lost = fs->reports_lost;
		fs->reports_lost = 0;
		/* The program reads the last failure here: clear the pending error. */
		if (!out->report && !fs->nunasked)
			cmpxchg(&fs->sk.sk_err, -out->err, 0);
	}
	spin_unlock_bh(&fs->report_lock);
	return out;
}

/* Copying the report to the program failed: put it back at the head. */
static void put_back(struct flitcast_sock *fs, struct flitcast_sent *out, u32 lost)
{
	spin_lock_bh(&fs->report_lock);
	list_add(&out->node, &fs->reports);
	if (out->report) {
		fs->nasked++;
	} else {
		fs->nunasked++;
		fs->unasked_targets += out->ntargets;
	}
	fs->reports_lost += lost;
	spin_unlock_bh(&fs->report_lock);
}

/* Compact @n results to those with a failure.  Return: how many remain. */
static u32 keep_failures(struct flitcast_result *result, u32 n)
{
	u32 i, left = 0;

	for (i = 0; i < n; i++)
		if (result[i].error && result[i].error != ECANCELED)
			result[left++] = result[i];
	return left;
}

int flitcast_report_recv(struct flitcast_sock *fs, struct msghdr *msg, size_t size)
{
	struct flitcast_report report = { };
	struct flitcast_result *result;
	struct flitcast_sent *out;
	u32 n, lost = 0;
	int err;

	if (!skb_queue_empty_lockless(&fs->sk.sk_error_queue))
		return sock_recv_errqueue(&fs->sk, msg, size, SOL_FLITCAST, FLITCAST_ZEROCOPY);
	out = take(fs, &lost);
	if (!out)
		return -EAGAIN;
	err = -ENOMEM;
	result = kvmalloc_array(out->ntargets, sizeof(*result), GFP_KERNEL_ACCOUNT);
	if (!result)
		goto fail;
	report.unknown = flitcast_sent_fill(out, result);
	n = out->report ? out->ntargets : keep_failures(result, out->ntargets);
	err = min_t(size_t, size, n * sizeof(*result));
	if (copy_to_iter(result, err, &msg->msg_iter) != err) {
		err = -EFAULT;
		goto fail;
	}
	if (err < n * sizeof(*result))
		msg->msg_flags |= MSG_TRUNC;
	report.id = out->id;
	report.flags = out->report ? FLITCAST_REPORT_ALL : 0;
	report.targets = out->ntargets;
	report.delivered = out->delivered;
	report.failed = out->failed;
	report.left_out = out->ntargets - out->delivered - out->failed;
	report.lost = lost;
	report.reserved = out->reserved;
	report.completed = out->completed_at;
	put_cmsg(msg, SOL_FLITCAST, FLITCAST_REPORT, sizeof(report), &report);
	msg->msg_flags |= MSG_ERRQUEUE;
	msg->msg_namelen = 0;
	kvfree(result);
	flitcast_mem_sent(fs, sent_charge(out));
	if (out->report)
		atomic_sub(sent_charge(out), &fs->tx_held);
	fs->sk.sk_write_space(&fs->sk);
	flitcast_sent_put(out);
	return err;
fail:
	kvfree(result);
	put_back(fs, out, lost);
	return err;
}

int flitcast_report_slow(struct flitcast_sock *fs, const struct flitcast_slow_target *slow)
{
	switch (slow->policy) {
	case FLITCAST_SLOW_WAIT:
		if (slow->ms)
			return refuse(fs, -EINVAL, "the policy to wait takes no time: ms must be 0");
		return 0;
	case FLITCAST_SLOW_SKIP:
	case FLITCAST_SLOW_DETACH:
		if (!slow->ms || slow->ms > FLITCAST_SLOW_MAX_MS)
			return refuse(fs, -EINVAL, "time of a slow target is 1 ms to one day");
		return 0;
	}
	return refuse(fs, -EINVAL, "unknown policy for slow targets");
}

void flitcast_report_linger(struct flitcast_sock *fs)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct sock *sk = &fs->sk;
	long timeo = sk->sk_lingertime;

	if (!sock_flag(sk, SOCK_LINGER))
		return;
	if (!timeo) {
		flitcast_port_drop(&fs->port);
		return;
	}
	/* After the wait the site goes on sending in the background, as without the option. */
	flitcast_wait_begin(sk, &wait);
	while (timeo && !signal_pending(current) && !(current->flags & PF_EXITING) &&
	       flitcast_port_busy(&fs->port))
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
	flitcast_wait_end(sk, &wait);
}
