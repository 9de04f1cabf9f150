/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Report of the packets that a peer delays: those whose rest it does not send (core/link/stall.h),
 * and those that wait for credit (core/link/stuck.h).  Each switch adds the state of its channels.
 */
#ifndef FC_CORE_LINK_DELAY_H
#define FC_CORE_LINK_DELAY_H

#include "core/base.h"
#include "core/channel.h"
#include "core/link/stall.h"

/**
 * struct fc_delay - what a peer delays, by all channels of the link
 * @in_stores: for how long packets of the link are stored whole still; 0: they are not
 * @in_age: for how long the oldest incomplete packet has been arriving; 0: none has, for an
 *	interval of checks
 * @out_age: age of the oldest wait for credit, or 0
 * @out_stuck: age of the wait of the packet that the other members describe
 * @in_source: source of the packet of @in_age, or FC_SITE_NONE
 * @in_flits: number of its flits that have arrived
 * @in_total: number of its flits; 0: unknown
 * @out_source: source of the first packet of the channel whose peer has taken nothing for the
 *	longest time; FC_SITE_NONE: no peer takes nothing, or no packet waits for it
 * @out_target: a target of that packet, or FC_SITE_NONE: unknown
 * @out_flits: number of flits of the packets that wait there; 0: unknown
 */
struct fc_delay {
	u64 in_stores;
	u64 in_age;
	u64 out_age;
	u64 out_stuck;
	u32 in_source;
	u32 in_flits;
	u32 in_total;
	u32 out_source;
	u32 out_target;
	u32 out_flits;
};

static inline void fc_delay_init(struct fc_delay *d)
{
	*d = (struct fc_delay){
		.in_source = FC_SITE_NONE, .out_source = FC_SITE_NONE, .out_target = FC_SITE_NONE,
	};
}

static inline void fc_delay_stores(struct fc_delay *d, const struct fc_stall *s, u64 now)
{
	if (fc_stall_stores(s, now) && s->until - now > d->in_stores)
		d->in_stores = s->until - now;
}

/* Adds an incomplete packet, of which @come flits have arrived. */
static inline void fc_delay_in(struct fc_delay *d, const struct fc_progress *p, u64 now,
			       u64 interval, u32 come, u32 total)
{
	u64 age = now - p->since;

	/* The caller's clock may be older than the packet. */
	if (now < p->since || age < interval || age <= d->in_age)
		return;
	d->in_age = age;
	d->in_source = p->src;
	d->in_flits = come;
	d->in_total = total;
}

/*
 * Adds the wait for credit of a channel.
 *
 * Return: true if the peer takes nothing for longer than on the channels before: the caller passes
 * the first packet that waits to fc_delay_out().
 */
static inline bool fc_delay_wait(struct fc_delay *d, const struct fc_channel *ch, u8 port)
{
	const struct fc_tx *tx = &ch->tx[port];

	if (tx->held > d->out_age)
		d->out_age = tx->held;
	return tx->waits && ch->stuck & fc_bit(port) && tx->held > d->out_stuck;
}

static inline void fc_delay_out(struct fc_delay *d, const struct fc_tx *tx, u32 src, u32 dst,
				u32 flits)
{
	d->out_stuck = tx->held;
	d->out_source = src;
	d->out_target = dst;
	d->out_flits = flits;
}

#endif /* FC_CORE_LINK_DELAY_H */
