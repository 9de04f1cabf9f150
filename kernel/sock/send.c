// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: send a message: data of sendmsg(), or a control message of a connection.
 */
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uio.h>
#include <net/sock.h>
#include <uapi/linux/flitcast.h>
#include "ends/message.h"
#include "sock/addr.h"
#include "sock/conn.h"
#include "sock/cork.h"
#include "sock/impl.h"
#include "sock/mem.h"
#include "sock/report.h"
#include "sock/room.h"
#include "sock/send.h"
#include "sock/sysctl.h"

/* Shorter messages are cheaper to copy than to pin. */
#define ZEROCOPY_LEAST	8192

static int compare_targets(const void *a, const void *b)
{
	const struct flitcast_msg_dest *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return (int)x->port - (int)y->port;
}

static_assert((int)FLITCAST_TX_WAIT == FLITCAST_SLOW_WAIT);
static_assert((int)FLITCAST_TX_SKIP == FLITCAST_SLOW_SKIP);
static_assert((int)FLITCAST_TX_DETACH == FLITCAST_SLOW_DETACH);

/* Most programs pass sorted lists: sort only if need be. */
static void sort_dests(struct flitcast_msg_dest *dests, u32 n)
{
	u32 i;

	for (i = 1; i < n; i++) {
		if (compare_targets(&dests[i - 1], &dests[i]) > 0) {
			sort(dests, n, sizeof(*dests), compare_targets, NULL);
			return;
		}
	}
}

/* Check a target list; fill in @dests sorted by site and port. */
static int dests_from(struct flitcast_sock *fs, const struct flitcast_target *targets, u32 n,
		      u32 len, struct flitcast_msg_dest *dests)
{
	u32 i;

	for (i = 0; i < n; i++) {
		const struct flitcast_target *t = &targets[i];

		if (t->flags || !t->port)
			return refuse(fs, -EINVAL, "a target has flags, or port 0");
		if (t->offset > len || t->length > len - t->offset)
			return refuse(fs, -EINVAL, "part of a target is not within the message");
		dests[i] = (struct flitcast_msg_dest) {
			.site = t->site, .port = t->port, .index = i,
			.off = t->offset, .len = t->length,
		};
	}
	sort_dests(dests, n);
	for (i = 1; i < n; i++)
		if (!compare_targets(&dests[i - 1], &dests[i]))
			return refuse(fs, -EINVAL, "target named twice");
	return 0;
}

#define COPIES(n)	[n] = "disjoint paths are known for " #n " copies at most"
/* By the maximum number of copies. */
static const char *const copies_known[FC_COPIES_MAX + 1] = {
	[1] = "disjoint paths are known for 1 copy at most",
	COPIES(2), COPIES(3), COPIES(4), COPIES(5), COPIES(6), COPIES(7), COPIES(8), COPIES(9),
	COPIES(10), COPIES(11), COPIES(12), COPIES(13), COPIES(14), COPIES(15), COPIES(16),
};

/* Gather the destinations of a broadcast: every other site. */
static int gather_all(struct flitcast_sock *fs, const struct sockaddr_flitcast *addr, u32 len,
		      struct flitcast_msg_dest **out, u32 *count, struct flitcast_send *how)
{
	const struct flitcast_site *site = fs->port.site;
	u32 n = flitcast_site_count(site), self = flitcast_site_id(site), i, at = 0;
	u8 copies = addr->sfc_copies ? addr->sfc_copies : READ_ONCE(fs->copies);
	struct flitcast_msg_dest *dests;

	if (addr->sfc_site || !addr->sfc_port)
		return refuse(fs, -EINVAL, "malformed address");
	if (flitcast_site_reserves(site))
		return refuse(fs, -EOPNOTSUPP, "mode csr has no broadcasts");
	if (!flitcast_site_copies(site, copies))
		return refuse(fs, -EOPNOTSUPP, copies_known[flitcast_site_copies_max(site)]);
	if (len > flitcast_site_bcast_max(site))
		return refuse(fs, -EMSGSIZE, "message longer than a broadcast may be");
	if (n < 2)
		return refuse(fs, -EHOSTUNREACH, "there is no other site");
	dests = kvcalloc(n - 1, sizeof(*dests), GFP_KERNEL_ACCOUNT);
	if (!dests)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		if (i == self)
			continue;
		dests[at] = (struct flitcast_msg_dest) {
			.site = i, .port = addr->sfc_port, .index = at,
		};
		at++;
	}
	how->copies = copies;
	*out = dests;
	*count = at;
	return 0;
}

/**
 * struct controls - control messages of a call of sendmsg(), or the options in their place
 * @slow: FLITCAST_SLOW_TARGET
 * @targets: FLITCAST_TARGETS
 * @ntargets: number of @targets
 * @given: @targets came in a control message
 */
struct controls {
	struct flitcast_slow_target slow;
	const struct flitcast_target *targets;
	u32 ntargets;
	bool given;
};

static int read_controls(struct flitcast_sock *fs, struct msghdr *msg, struct controls *controls)
{
	struct cmsghdr *cmsg;
	bool timed = false;
	int err;
	u32 n;

	*controls = (struct controls) {
		.slow = fs->slow, .targets = fs->targets, .ntargets = fs->ntargets,
	};
	for_each_cmsghdr(cmsg, msg) {
		if (!CMSG_OK(msg, cmsg))
			return refuse(fs, -EINVAL, "malformed control message");
		if (cmsg->cmsg_level != SOL_FLITCAST)
			continue;
		if (cmsg->cmsg_type == FLITCAST_SLOW_TARGET && !timed) {
			if (cmsg->cmsg_len != CMSG_LEN(sizeof(controls->slow)))
				return refuse(fs, -EINVAL, "control message of a wrong size");
			memcpy(&controls->slow, CMSG_DATA(cmsg), sizeof(controls->slow));
			err = flitcast_report_slow(fs, &controls->slow);
			if (err)
				return err;
			timed = true;
			continue;
		}
		if (cmsg->cmsg_type != FLITCAST_TARGETS || controls->given)
			return refuse(fs, -EINVAL, "unknown or repeated control message");
		n = cmsg->cmsg_len - CMSG_LEN(0);
		if (n % sizeof(*controls->targets))
			return refuse(fs, -EINVAL, "target list is not a list of targets");
		controls->ntargets = n / sizeof(*controls->targets);
		controls->targets = CMSG_DATA(cmsg);
		controls->given = true;
	}
	return 0;
}

/* Gather the destinations of a target list. */
static int gather_list(struct flitcast_sock *fs, const struct sockaddr_flitcast *addr,
		       const struct controls *controls, u32 len, struct flitcast_msg_dest **out,
		       u32 *count)
{
	struct flitcast_msg_dest *dests;
	u32 n = controls->ntargets;
	int err;

	if (addr->sfc_copies || addr->sfc_port || addr->sfc_site)
		return refuse(fs, -EINVAL, "malformed address");
	if (!n)
		return refuse(fs, -EDESTADDRREQ, "no targets");
	if (n > FLITCAST_TARGETS_MAX)
		return refuse(fs, -EINVAL, "more than 1024 targets");
	dests = kvmalloc_array(n, sizeof(*dests), GFP_KERNEL_ACCOUNT);
	if (!dests)
		return -ENOMEM;
	err = dests_from(fs, controls->targets, n, len, dests);
	if (err) {
		kvfree(dests);
		return err;
	}
	*out = dests;
	*count = n;
	return 0;
}

/*
 * Gather the destinations of a message, by its address or by the connection.  On entry *@out has
 * space for one destination, and *@count is 1; for more, *@out is allocated.
 */
static int gather(struct flitcast_sock *fs, struct msghdr *msg, u32 len,
		  struct flitcast_msg_dest **out, u32 *count, struct flitcast_send *how)
{
	const struct sockaddr_flitcast *addr = msg->msg_name;
	bool named = addr && msg->msg_namelen;
	struct flitcast_msg_dest peer;
	struct controls controls;
	int err;

	if (fs->sk.sk_type == SOCK_SEQPACKET) {
		err = flitcast_conn_may_send(fs);
		if (err)
			return err;
		if (named)
			return refuse(fs, -EISCONN, "a connected socket takes no destination");
	}
	if (!named && !flitcast_conn_peer(fs, &peer))
		return refuse(fs, -EDESTADDRREQ, "no destination");
	if (named && !flitcast_addr_valid(addr, msg->msg_namelen))
		return refuse(fs, -EINVAL, "malformed address");
	err = read_controls(fs, msg, &controls);
	if (err)
		return err;
	how->slow = controls.slow.policy;
	how->slow_ns = (u64)controls.slow.ms * NSEC_PER_MSEC;
	how->report = READ_ONCE(fs->confirm);
	how->list = named && addr->sfc_addrtype == FLITCAST_ADDR_LIST;
	switch (named ? addr->sfc_addrtype : FLITCAST_ADDR_SITE) {
	case FLITCAST_ADDR_SITE:
		if (controls.given)
			return refuse(fs, -EINVAL,
				      "a message has a destination or a target list, not both");
		if (named && (addr->sfc_copies || !addr->sfc_port))
			return refuse(fs, -EINVAL, "malformed address");
		(*out)->site = named ? addr->sfc_site : peer.site;
		(*out)->port = named ? addr->sfc_port : peer.port;
		return 0;
	case FLITCAST_ADDR_LIST:
		return gather_list(fs, addr, &controls, len, out, count);
	case FLITCAST_ADDR_BROADCAST:
		if (controls.given)
			return refuse(fs, -EINVAL,
				      "a message has a broadcast or a target list, not both");
		return gather_all(fs, addr, len, out, count, how);
	default:
		return refuse(fs, -EINVAL, "unknown address type");
	}
}

/*
 * Fill in @dest and @how of a message to one site without lock_sock, if the message uses no state
 * that setsockopt() or bind() may be changing.  Return: false if it does, or if the address is
 * invalid: gather() then decides.
 */
static bool gather_one(struct flitcast_sock *fs, const struct msghdr *msg,
		       struct flitcast_msg_dest *dest, struct flitcast_send *how)
{
	const struct sockaddr_flitcast *addr = msg->msg_name;

	/* A bound socket is attached: smp_load_acquire() shows what bind() wrote before. */
	if (fs->sk.sk_type != SOCK_RDM || !smp_load_acquire(&fs->bound) || !addr ||
	    msg->msg_controllen || !flitcast_addr_valid(addr, msg->msg_namelen) ||
	    addr->sfc_addrtype != FLITCAST_ADDR_SITE || addr->sfc_copies || !addr->sfc_port ||
	    READ_ONCE(fs->slow.policy) != FLITCAST_SLOW_WAIT)
		return false;
	dest->site = addr->sfc_site;
	dest->port = addr->sfc_port;
	how->slow = FLITCAST_TX_WAIT;
	how->report = READ_ONCE(fs->confirm);
	return true;
}

/* Gather the destinations of a message; bind the socket first if it is unbound. */
static int bind_and_gather(struct flitcast_sock *fs, struct msghdr *msg, u32 len,
			   struct flitcast_msg_dest **dests, u32 *ndests,
			   struct flitcast_send *how)
{
	struct sock *sk = &fs->sk;
	int err;

	*ndests = 1;
	if (gather_one(fs, msg, *dests, how))
		return 0;
	lock_sock(sk);
	err = fs->bound || sk->sk_type == SOCK_SEQPACKET ? 0 : flitcast_addr_bind_locked(fs, 0, 0);
	if (!err)
		err = gather(fs, msg, len, dests, ndests, how);
	release_sock(sk);
	return err;
}

/* Set the class by the current SO_PRIORITY; the site demotes long messages. */
static void tx_class(const struct flitcast_sock *fs, struct flitcast_send *how)
{
	how->class = READ_ONCE(fs->sk.sk_priority) >= FLITCAST_PRIORITY_HIGH ? FLITCAST_TX_HIGH :
									       FLITCAST_TX_LOW;
	how->long_high = fs->long_high;
}

/*
 * Mode csr: wait until the message has reserved its path.  The site sends it in any case, also
 * after the wait times out or is interrupted.
 */
static void admission_wait(struct flitcast_sock *fs, long timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct sock *sk = &fs->sk;

	flitcast_wait_begin(sk, &wait);
	while (READ_ONCE(fs->port.waits) && timeo && !signal_pending(current)) {
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
	}
	flitcast_wait_end(sk, &wait);
}

int flitcast_send_kind(struct flitcast_sock *fs, enum fc_kind kind, u32 re, u32 site, u16 port,
		       u32 *id)
{
	const struct flitcast_msg_dest dest = { .site = site, .port = port };
	struct flitcast_msg *m = flitcast_msg_alloc(0, 1, GFP_KERNEL_ACCOUNT);
	struct flitcast_send how = { .charge = flitcast_room_charge(0, 1) };
	int err;

	if (!m)
		return -ENOMEM;
	tx_class(fs, &how);
	flitcast_msg_set_kind(m, kind, re);
	/* Answers must be sent; a request for a connection may fail. */
	if (kind != FC_KIND_CONNECT) {
		flitcast_mem_send_always(fs, how.charge);
	} else if (!flitcast_mem_send(fs, how.charge)) {
		flitcast_msg_free(m);
		return refuse(fs, -ENOBUFS, "the user's share of message memory is used up");
	}
	atomic_add(how.charge, &fs->tx_used);
	err = flitcast_msg_send(&fs->port, m, &dest, &how, id);
	if (err) {
		flitcast_room_unreserve(fs, how.charge);
		flitcast_msg_free(m);
	}
	return err;
}

/**
 * struct body - data of a message of sendmsg()
 * @msg: message that holds the data; NULL: @small holds it
 * @len: bytes
 * @copied: the data was copied
 * @small: data of a short message to one target, for flitcast_port_send()
 */
struct body {
	struct flitcast_msg *msg;
	u32 len;
	bool copied;
	u8 small[FLITCAST_MSG_SMALL];
};

/* Hand a message to the site; lock_sock keeps data of a connection from following FC_KIND_SHUT. */
static int submit(struct flitcast_sock *fs, const struct body *body,
		  const struct flitcast_msg_dest *dests, const struct flitcast_send *how)
{
	int err;
	u32 id;

	if (!body->msg)
		return flitcast_port_send(&fs->port, body->small, body->len, dests, how);
	if (fs->sk.sk_type != SOCK_SEQPACKET)
		return flitcast_msg_send(&fs->port, body->msg, dests, how, &id);
	flitcast_msg_set_kind(body->msg, FC_KIND_DATA, 0);
	lock_sock(&fs->sk);
	err = flitcast_conn_may_send(fs);
	if (!err)
		err = flitcast_msg_send(&fs->port, body->msg, dests, how, &id);
	release_sock(&fs->sk);
	return err;
}

/* On a connection EPIPE raises SIGPIPE, and a pending error takes precedence. */
static int send_error(struct sock *sk, int err, int flags)
{
	return sk->sk_type == SOCK_SEQPACKET && err == -EPIPE ?
	       sk_stream_error(sk, flags, err) : err;
}

/*
 * Return: the zero-copy notification of a message, for io_uring or the error queue; NULL: none,
 * copy the data; or ERR_PTR.  The caller releases it with held_put() or net_zcopy_put_abort().
 */
static struct ubuf_info *held_get(struct sock *sk, const struct msghdr *msg, size_t len)
{
	struct ubuf_info *held;

	if (!(msg->msg_flags & MSG_ZEROCOPY) || !len)
		return NULL;
	if (msg->msg_ubuf) {
		net_zcopy_get(msg->msg_ubuf);
		return msg->msg_ubuf;
	}
	/* Without the option the flag has no effect, as with other families. */
	if (!sock_flag(sk, SOCK_ZEROCOPY))
		return NULL;
	held = flitcast_zerocopy_alloc(sk, len);
	return held ? held : ERR_PTR(-ENOBUFS);
}

/* Release the notification of a message that was sent; @copied: as a copy, which is reported. */
static void held_put(const struct msghdr *msg, struct ubuf_info *held, bool copied)
{
	if (held && copied && !msg->msg_ubuf)
		uarg_to_msgzc(held)->zerocopy = 0;
	net_zcopy_put(held);
}

/* Read the data of a message: pin its pages if that is worthwhile, else copy it. */
static int body_read(struct body *body, struct sock *sk, struct msghdr *msg, u32 len, u32 ndests,
		     struct ubuf_info *held)
{
	bool sum = flitcast_site_verifies(to_fs(sk)->port.site);

	body->len = len;
	body->copied = true;
	body->msg = NULL;
	if (len <= sizeof(body->small) && ndests == 1 && sk->sk_type == SOCK_RDM)
		return copy_from_iter_full(body->small, len, &msg->msg_iter) ? 0 : -EFAULT;
	if (held && len >= ZEROCOPY_LEAST)
		body->msg = flitcast_msg_pin(len, ndests, &msg->msg_iter, held, sum,
					     GFP_KERNEL_ACCOUNT);
	if (body->msg) {
		body->copied = false;
		return 0;
	}
	body->msg = flitcast_msg_alloc(len, ndests, GFP_KERNEL_ACCOUNT);
	if (!body->msg)
		return -ENOMEM;
	if (flitcast_msg_from_iter(body->msg, &msg->msg_iter, sum))
		return 0;
	flitcast_msg_free(body->msg);
	return -EFAULT;
}

int flitcast_send_whole(struct flitcast_sock *fs, struct msghdr *msg, size_t len)
{
	struct sock *sk = &fs->sk;
	u32 most = flitcast_sysctl_message_max(sock_net(sk));
	long timeo = sock_sndtimeo(sk, msg->msg_flags & MSG_DONTWAIT);
	struct flitcast_msg_dest one = { }, *dests = &one;
	struct flitcast_send how = { };
	struct body FC_UNSET body;
	struct ubuf_info *held;
	u32 ndests;
	int err;

	err = sock_error(sk);
	if (err)
		return err;
	if (len > most)
		return refuse(fs, -EMSGSIZE, "message longer than net.flitcast.message_max");

	err = bind_and_gather(fs, msg, len, &dests, &ndests, &how);
	if (err)
		return send_error(sk, err, msg->msg_flags);
	err = -ENETDOWN;
	if (flitcast_site_dead(fs->port.site))
		goto out;
	if (flitcast_site_draining(fs->port.site)) {
		refuse(fs, err, "the site is being drained: it takes no new messages");
		goto out;
	}

	how.charge = flitcast_room_charge(len, ndests);
	how.admission = flitcast_site_reserves(fs->port.site);
	tx_class(fs, &how);
	if (how.copies)
		how.class = FLITCAST_TX_BCAST;
	err = flitcast_room_reserve(fs, how.charge) ? 0 :
	      flitcast_room_wait(fs, how.charge, &timeo);
	if (err)
		goto out;
	held = held_get(sk, msg, len);
	if (IS_ERR(held)) {
		err = PTR_ERR(held);
		goto uncharge;
	}
	err = body_read(&body, sk, msg, len, ndests, held);
	if (err)
		goto abort;
	/* While the socket is writable, no task waits for its messages to complete. */
	how.delay_ack = !how.report && !held && how.slow == FLITCAST_TX_WAIT &&
		      flitcast_room_writable(fs);
	err = submit(fs, &body, dests, &how);
	if (err) {
		if (err == -EHOSTUNREACH)
			refuse(fs, err, "the topology has no such site");
		if (err == -ECONNREFUSED)
			refuse(fs, err, "every target was too slow and is detached");
		goto free;
	}
	held_put(msg, held, body.copied);
	atomic64_inc(&fs->tx_messages);
	if (timeo && READ_ONCE(fs->port.waits))
		admission_wait(fs, timeo);
	if (dests != &one)
		kvfree(dests);
	return len;
free:
	if (body.msg)
		flitcast_msg_free(body.msg);
abort:
	net_zcopy_put_abort(held, true);
uncharge:
	flitcast_room_unreserve(fs, how.charge);
	sk->sk_write_space(sk);
out:
	if (dests != &one)
		kvfree(dests);
	return send_error(sk, err, msg->msg_flags);
}
