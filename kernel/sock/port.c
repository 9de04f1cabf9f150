// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: the port operations (struct flitcast_port_ops) of a socket.
 */
#include <net/sock.h>
#include "ends/socket.h"
#include "sock/conn.h"
#include "sock/filter.h"
#include "sock/impl.h"
#include "sock/mem.h"
#include "sock/report.h"
#include "sock/room.h"

/* If more than 1/TIGHT of the receive buffer is in use, received data is stored without waste. */
#define TIGHT	16

static void used(struct flitcast_sock *fs, s64 more, bool early)
{
	fs->rx_used += more;
	if (early)
		fs->rx_early += more;
	DEBUG_NET_WARN_ON_ONCE(fs->rx_early > fs->rx_used ||
			       atomic_read(&fs->account->sk_rmem_alloc) != fs->rx_used);
	fs->port.tight = fs->rx_used > (u32)READ_ONCE(fs->sk.sk_rcvbuf) / TIGHT;
}

static bool fs_charge(struct flitcast_port *port, u32 charge, bool early)
{
	struct flitcast_sock *fs = port_fs(port);
	u64 room = READ_ONCE(fs->sk.sk_rcvbuf);

	/* Requests for connections have equal charges: the backlog limits their number. */
	if (flitcast_conn_state(&fs->sk) == TCP_LISTEN)
		room = (u64)READ_ONCE(fs->sk.sk_max_ack_backlog) * charge;
	/*
	 * Messages received out of order may use half of the buffer: the other half is for the
	 * messages that they wait for.  One message in order is always accepted, or a small buffer
	 * would block the flow forever.
	 */
	if (early ? fs->rx_early + charge > room / 2 || fs->rx_used + charge > room :
		    fs->rx_used + charge > room && fs->rx_used != fs->rx_early) {
		fs->stats.rx_no_space++;
		return false;
	}
	if (!flitcast_mem_charge(fs, charge)) {
		fs->stats.rx_no_space++;
		return false;
	}
	used(fs, charge, early);
	return true;
}

static void fs_grow(struct flitcast_port *port, u32 more, bool early)
{
	struct flitcast_sock *fs = port_fs(port);

	flitcast_mem_grow(fs, more);
	used(fs, more, early);
}

static enum flitcast_admit fs_admit(struct flitcast_port *port, const struct fc_packet *pk,
				    bool early)
{
	struct flitcast_sock *fs = port_fs(port);

	/* A SOCK_RDM socket admits messages only, and all of them. */
	if (fs->sk.sk_type != SOCK_SEQPACKET)
		return pk->kind == FC_KIND_MESSAGE ? FLITCAST_ADMIT_YES : FLITCAST_ADMIT_NO;
	return flitcast_conn_admit(fs, pk, early);
}

static void fs_promote(struct flitcast_port *port, u32 charge)
{
	port_fs(port)->rx_early -= charge;
}

static void fs_uncharge(struct flitcast_port *port, u32 charge, bool early)
{
	struct flitcast_sock *fs = port_fs(port);

	flitcast_mem_uncharge(fs, charge);
	used(fs, -(s64)charge, early);
}

static bool fs_hold(struct flitcast_port *port)
{
	struct sock *sk = &port_fs(port)->sk;

	if (!sock_flag(sk, SOCK_FASYNC) && !skwq_has_sleeper(rcu_dereference(sk->sk_wq)))
		return false;
	sock_hold(sk);
	return true;
}

/* Queue a message.  Return: false: no task is to read it. */
static bool queue(struct flitcast_sock *fs, struct sk_buff *skb)
{
	const struct flitcast_delivery *d = FLITCAST_DELIVERY(skb);

	if ((fs->sk.sk_type == SOCK_SEQPACKET && !flitcast_conn_deliver(fs, d)) ||
	    !flitcast_filter_deliver(fs, skb)) {
		fs_uncharge(&fs->port, d->charge, false);
		return false;
	}
	/* SO_TIMESTAMP: the time when the message was complete and in order. */
	if (fs->sk.sk_flags & SK_FLAGS_TIMESTAMP)
		__net_timestamp(skb);
	else
		skb->tstamp = 0;
	if (d->kind != FC_KIND_CONNECT)
		fs->stats.rx_messages++;
	skb_queue_tail(&fs->sk.sk_receive_queue, skb);
	return true;
}

static unsigned int fs_deliver(struct flitcast_port *port, struct sk_buff *skb, bool hold)
{
	unsigned int done = queue(port_fs(port), skb) ? FLITCAST_DELIVERED : 0;

	/* Tasks that are not waiting yet look at the queue before they do. */
	return hold && fs_hold(port) ? done | FLITCAST_DELIVER_HELD : done;
}

static bool fs_sent(struct flitcast_port *port, struct flitcast_sent *sent)
{
	struct flitcast_sock *fs = port_fs(port);

	/*
	 * A program that requested reports reads the failure there; a connection ends in any case.
	 */
	if (sent->err && (!sent->report || fs->sk.sk_type == SOCK_SEQPACKET))
		flitcast_conn_failed(fs, sent);
	return flitcast_report_sent(fs, sent);
}

static void fs_detach(struct flitcast_port *port)
{
	flitcast_conn_detach(port_fs(port));
}

static void fs_wake(struct flitcast_port *port, unsigned int mask)
{
	struct sock *sk = &port_fs(port)->sk;

	if (flitcast_conn_news(port_fs(port)))
		sk->sk_state_change(sk);
	if (mask & FLITCAST_WAKE_IN)
		sk->sk_data_ready(sk);
	if (mask & FLITCAST_WAKE_OUT)
		sk->sk_write_space(sk);
	if (mask & FLITCAST_WAKE_ERR)
		sk_error_report(sk);
	sock_put(sk);
}

static struct mem_cgroup *fs_memcg(const struct flitcast_port *port)
{
	return flitcast_mem_cgroup(container_of_const(port, struct flitcast_sock, port));
}

static void fs_info(const struct flitcast_port *port, struct flitcast_socket_info *info)
{
	const struct flitcast_sock *fs = container_of_const(port, struct flitcast_sock, port);

	info->type = fs->sk.sk_type;
	flitcast_conn_info(fs, info);
	/* sock_i_ino() takes sk_callback_lock, under which no code takes the site's lock. */
	info->inode = sock_i_ino((struct sock *)&fs->sk);
	info->senders = atomic_read(&fs->tx_waiting);
	info->tx_used = flitcast_room_used(fs);
	info->tx_size = READ_ONCE(fs->sk.sk_sndbuf);
	info->rx_used = fs->rx_used;
	info->rx_size = READ_ONCE(fs->sk.sk_rcvbuf);
	info->tx_messages = atomic64_read(&fs->tx_messages);
	info->tx_confirmed = fs->stats.tx_confirmed;
	info->tx_failed = fs->stats.tx_failed;
	info->rx_messages = fs->stats.rx_messages;
	info->rx_no_space = fs->stats.rx_no_space;
	info->reports_lost = fs->stats.reports_lost;
}

const struct flitcast_port_ops flitcast_fs_port_ops = {
	.admit = fs_admit,
	.charge = fs_charge,
	.grow = fs_grow,
	.promote = fs_promote,
	.uncharge = fs_uncharge,
	.deliver = fs_deliver,
	.sent = fs_sent,
	.detach = fs_detach,
	.hold = fs_hold,
	.wake = fs_wake,
	.memcg = fs_memcg,
	.info = fs_info,
};
