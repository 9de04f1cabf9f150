// SPDX-License-Identifier: GPL-2.0
#include "hello.h"

#define NEVER	(~(u64)0)

#define X(id, text)	text,
static const char *const reasons[] = { FC_REASONS(X) };
#undef X

const char *fc_reason_text(u8 reason)
{
	return reason < FC_REASON_COUNT ? reasons[reason] : "unknown";
}

static void new_epoch(struct fc_hello *h)
{
	if (!++h->own.epoch)
		h->own.epoch = 1;
}

static u64 next_send(const struct fc_hello *h, u64 now)
{
	return now + (h->state == FC_LINK_UP ? h->interval :
					       h->interval >> FC_HELLO_INIT_SHIFT);
}

/* Leave 'up: the peer learns it from the new epoch. */
static u8 leave_up(struct fc_hello *h, u8 state, u8 reason)
{
	u8 was = h->state;

	h->state = state;
	h->own.reason = reason;
	h->dead_at = NEVER;
	if (was != FC_LINK_UP)
		return 0;
	new_epoch(h);
	return FC_HELLO_GO_DOWN;
}

u8 fc_hello_carrier(struct fc_hello *h, bool up, u64 now)
{
	u8 todo;

	if (!up) {
		todo = leave_up(h, FC_LINK_DOWN, FC_REASON_CARRIER);
		h->own.peer_epoch = 0;
		h->peer.epoch = 0;
		h->send_at = NEVER;
		return todo;
	}
	if (h->state != FC_LINK_DOWN)
		return 0;
	h->state = FC_LINK_INIT;
	h->own.reason = FC_REASON_SILENT;
	h->send_at = next_send(h, now);
	return FC_HELLO_SEND;
}

static u8 disagreement(const struct fc_hello *h, const struct fc_hello_msg *m)
{
	if (m->ver_min > h->own.ver_max || m->ver_max < h->own.ver_min)
		return FC_REASON_VERSION;
	if (m->topology != h->own.topology || m->nsites != h->own.nsites)
		return FC_REASON_TOPOLOGY;
	if (m->mode != h->own.mode)
		return FC_REASON_MODE;
	if (m->flit != h->own.flit)
		return FC_REASON_FLIT;
	if (m->site != h->want_site)
		return FC_REASON_CABLE_SITE;
	if (m->port != h->want_port)
		return FC_REASON_CABLE_PORT;
	return FC_REASON_NONE;
}

u8 fc_hello_received(struct fc_hello *h, const struct fc_hello_msg *m, bool full, u64 now)
{
	u8 todo = 0, reason = disagreement(h, m), was = h->state;

	if (h->state == FC_LINK_DOWN)
		return 0;
	/*
	 * With a key: a stranger may repeat a HELLO that he recorded.  Only one that names our
	 * current epoch was made in this life of the link; a peer in a new life learns that epoch
	 * from the answer.
	 */
	if (h->keyed && h->state == FC_LINK_UP && m->peer_epoch != h->own.epoch)
		return FC_HELLO_SEND;
	/* Another life of the peer: what was under way is gone. */
	if (h->state == FC_LINK_UP && (m->epoch != h->peer.epoch || reason))
		todo |= leave_up(h, FC_LINK_INIT, FC_REASON_UNHEARD);
	/* Would flits come?  Nothing is made of it before that is seen. */
	if (h->state != FC_LINK_UP && !full && (h->own.flags | m->flags) & FC_HELLO_LONG) {
		h->own.reason = FC_REASON_LONG;
		if (h->state != was)
			h->send_at = next_send(h, now);
		return todo;
	}
	h->peer = *m;
	h->own.peer_epoch = m->epoch;
	if (reason) {
		h->own.reason = reason;
	} else if (m->peer_epoch != h->own.epoch) {
		if (h->state == FC_LINK_UP)
			todo |= leave_up(h, FC_LINK_INIT, FC_REASON_UNHEARD);
		h->own.reason = FC_REASON_UNHEARD;
		/* It has not heard this epoch of ours. */
		todo |= FC_HELLO_SEND;
	} else if (m->reason >= FC_REASON_VERSION && m->reason <= FC_REASON_CABLE_PORT) {
		if (h->state == FC_LINK_UP)
			todo |= leave_up(h, FC_LINK_INIT, FC_REASON_PEER);
		h->own.reason = FC_REASON_PEER;
	} else {
		if (h->state != FC_LINK_UP) {
			todo |= FC_HELLO_GO_UP;
			h->state = FC_LINK_UP;
			/* It may wait for this to come up itself. */
			if (m->reason)
				todo |= FC_HELLO_SEND;
		}
		h->own.reason = FC_REASON_NONE;
		h->dead_at = now + FC_HELLO_DEAD * h->interval;
	}
	if (todo & FC_HELLO_SEND || h->state != was)
		h->send_at = next_send(h, now);
	return todo;
}

u8 fc_hello_time(struct fc_hello *h, u64 now, bool early)
{
	u8 todo = 0;

	/*
	 * It is this end that was away, if its own HELLO is as late: what the peer said
	 * meanwhile waits to be read.
	 */
	if (h->dead_at <= now && h->send_at + h->interval <= now)
		h->dead_at = now + 2 * h->interval;
	if (h->dead_at <= now) {
		todo |= leave_up(h, FC_LINK_INIT, FC_REASON_DEAD);
		h->own.peer_epoch = 0;
		h->peer.epoch = 0;
	}
	if (h->send_at <= now + (early && h->state == FC_LINK_UP ? h->interval >> 1 : 0)) {
		todo |= FC_HELLO_SEND;
		h->send_at = next_send(h, now);
	}
	return todo;
}

u8 fc_hello_reset(struct fc_hello *h, u64 now)
{
	/* An end that is not up is at its beginning; without carrier it stays down. */
	if (h->state != FC_LINK_UP)
		return 0;
	/* At once: the peer resets its end by the new epoch. */
	h->send_at = now + (h->interval >> FC_HELLO_INIT_SHIFT);
	return leave_up(h, FC_LINK_INIT, FC_REASON_UNHEARD) | FC_HELLO_SEND;
}

u8 fc_hello_set(struct fc_hello *h, u16 window, u8 flags, u64 now)
{
	if (h->own.window == window && h->own.flags == flags)
		return 0;
	h->own.window = window;
	h->own.flags = flags;
	if (h->state == FC_LINK_UP)
		return fc_hello_reset(h, now);
	/* The peer may be up already, by the last HELLO of this epoch. */
	new_epoch(h);
	return h->state == FC_LINK_INIT ? FC_HELLO_SEND : 0;
}

void fc_hello_unproven(struct fc_hello *h)
{
	if (h->state == FC_LINK_INIT)
		h->own.reason = FC_REASON_KEY;
}

bool fc_hello_full(const struct fc_hello *h)
{
	/* Until the peer is up as well: its reason is none then. */
	return (h->own.flags | h->peer.flags) & FC_HELLO_LONG &&
	       (h->state != FC_LINK_UP || h->peer.reason);
}

void fc_hello_alive(struct fc_hello *h, u64 now)
{
	u64 dead_at = now + FC_HELLO_DEAD * h->interval;

	if (h->state == FC_LINK_UP && dead_at > h->dead_at)
		h->dead_at = dead_at;
}
