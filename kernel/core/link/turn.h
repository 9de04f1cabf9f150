/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transmit scheduling of a link that is slower than its site: the order in which waiting frames
 * are passed to the device, and how many flits the device may queue.  Flits of other channels may
 * be sent between any two flits, also of one packet; the device's own queue is in order.
 */
#ifndef FC_CORE_LINK_TURN_H
#define FC_CORE_LINK_TURN_H

#include "core/wire/wire.h"

/* Maximum number of consecutive flits of the high class while others wait. */
#define FC_TURN_STREAK	4

/* Transmit queues of a link, each of them first in, first out. */
enum fc_band {
	FC_BAND_CTRL,	/* not flits: handshakes, statuses that answer, confirmations */
	FC_BAND_HIGH,
	FC_BAND_SHORT,
	FC_BAND_BULK,
	FC_BAND_COUNT
};

/**
 * struct fc_turn - state of the scheduler; initially zero
 * @streak: number of consecutive flits of the high class while others waited
 * @last: FC_BAND_SHORT or FC_BAND_BULK: the one served last
 */
struct fc_turn {
	u8 streak;
	u8 last;
};

/**
 * fc_band() - the queue of a frame
 * @type: enum fc_frame, with FC_FRAME_AUTH or without
 * @vc: virtual channel
 * @flags: flags of its link header
 *
 * A status that asks about flits is queued behind them: if it overtook them, the peer would report
 * them as lost, or ack nothing.
 */
static inline enum fc_band fc_band(u8 type, u8 vc, u8 flags)
{
	type &= 0xff ^ FC_FRAME_AUTH;
	if (type != FC_FRAME_FLIT &&
	    (type != FC_FRAME_STATUS || !(flags & (FC_STATUS_POLL | FC_STATUS_ACK_REQUEST))))
		return FC_BAND_CTRL;
	if (vc < FC_VC_CLASS)
		return FC_BAND_BULK;
	switch (fc_vc_set(vc)) {
	case FC_SET_HIGH:
		return FC_BAND_HIGH;
	case FC_SET_SHORT:
		return FC_BAND_SHORT;
	}
	return FC_BAND_BULK;
}

/**
 * fc_turn_next() - choose the queue of the next frame
 * @turn: scheduler
 * @waiting: mask of the queues that have frames; not 0
 *
 * Control frames have strict priority: they are short, and their acks free buffer space.  Flits of
 * the high class have priority over others, up to FC_TURN_STREAK in a row; the other two queues
 * alternate.
 *
 * Return: one of @waiting.
 */
static inline enum fc_band fc_turn_next(struct fc_turn *turn, u32 waiting)
{
	u32 others = waiting & (fc_bit(FC_BAND_SHORT) | fc_bit(FC_BAND_BULK));

	if (waiting & fc_bit(FC_BAND_CTRL))
		return FC_BAND_CTRL;
	if (waiting & fc_bit(FC_BAND_HIGH) && (!others || turn->streak < FC_TURN_STREAK)) {
		turn->streak = others ? turn->streak + 1 : 0;
		return FC_BAND_HIGH;
	}
	turn->streak = 0;
	turn->last = others == fc_bit(FC_BAND_BULK) ||
		     (others & fc_bit(FC_BAND_BULK) && turn->last == FC_BAND_SHORT) ?
		     FC_BAND_BULK : FC_BAND_SHORT;
	return turn->last;
}

/* Maximum depth, in flits of the largest size. */
#define FC_DEPTH_MAX	32
/* Number of flits after which the depth is reviewed. */
#define FC_DEPTH_PERIOD	256

/**
 * struct fc_depth - limit of the flits queued in a device: the least that keeps it busy; initially
 *	zero
 * @limit: the device gets more flits while it holds less than this, in any unit of size
 * @least: least amount that the device held at a release while more waited, since @seen was 0
 * @seen: number of these releases
 * @unit: size of the largest flit so far
 */
struct fc_depth {
	u32 limit;
	u32 least;
	u32 seen;
	u32 unit;
};

/* May a device that holds @held get one more flit?  It may always hold two. */
static inline bool fc_depth_room(const struct fc_depth *d, u32 held)
{
	return held <= d->unit || held < d->limit;
}

/* Notes the size of a queued flit. */
static inline void fc_depth_put(struct fc_depth *d, u32 size)
{
	if (size > d->unit)
		d->unit = size;
}

/**
 * fc_depth_seen() - adapt the limit when a device has released frames and more wait
 * @d: depth
 * @held: amount that the device still holds
 *
 * A device that holds nothing was idle: the limit grows by one flit.  If the device never held less
 * than the largest flit, the limit shrinks by the excess.
 */
static inline void fc_depth_seen(struct fc_depth *d, u32 held)
{
	u32 excess;

	if (!d->seen || held < d->least)
		d->least = held;
	d->seen++;
	if (!held) {
		if (d->limit < d->unit)
			d->limit = d->unit;
		if (d->limit < FC_DEPTH_MAX * d->unit)
			d->limit += d->unit;
		d->seen = 0;
	} else if (d->seen == FC_DEPTH_PERIOD) {
		excess = d->least > d->unit ? d->least - d->unit : 0;
		d->limit = d->limit > excess ? d->limit - excess : 0;
		d->seen = 0;
	}
}

#endif /* FC_CORE_LINK_TURN_H */
