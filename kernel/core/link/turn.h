/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order in which frames leave a site by one link, where the link is slower than the site and
 * frames wait: between any two flits, of one packet too, flits of other channels may go; and how
 * many flits the device of the link has, among which nothing is chosen any more.
 */
#ifndef FC_CORE_LINK_TURN_H
#define FC_CORE_LINK_TURN_H

#include "core/wire/wire.h"

/* Flits of the high class in a row while others wait. */
#define FC_TURN_STREAK	4

/* Queues of a link; within each frames leave in the order in which they came. */
enum fc_band {
	FC_BAND_CTRL,	/* not flits: handshakes, statuses that answer, confirmations */
	FC_BAND_HIGH,
	FC_BAND_SHORT,
	FC_BAND_BULK,
	FC_BAND_COUNT
};

/**
 * struct fc_turn - whose turn it is
 * @streak: flits of the high class in a row
 * @last: FC_BAND_SHORT or FC_BAND_BULK: which of them went last
 *
 * Zeroed it is at its beginning.
 */
struct fc_turn {
	u8 streak;
	u8 last;
};

/**
 * fc_band() - the queue of a frame
 * @type: enum fc_frame, with FC_FRAME_AUTH or without
 * @vc: virtual channel
 * @flags: as in its link header
 *
 * A status that asks about flits follows them: one that came before them would be answered as if
 * they were lost, or before there is anything to report.
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
 * fc_turn_next() - the queue that the next frame is taken from
 * @turn: whose turn it is; changed
 * @waiting: bit of each queue that has frames; not 0
 *
 * Control frames go first: they are short, and their acks free buffer space.  Flits of the high
 * class go before others, up to FC_TURN_STREAK in a row; of the others each queue has every second.
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

/* Most of the largest flits in a device: where it is idle even so, something else is slow. */
#define FC_DEPTH_MAX	32
/* The depth is looked at again after so many flits. */
#define FC_DEPTH_PERIOD	256

/**
 * struct fc_depth - how much of flits a device is to have: as little as keeps it busy
 * @limit: it gets more while it has less than this, in any unit
 * @least: the least that it had when it had released something and more waited, since @seen was 0
 * @seen: how often that was
 * @unit: the largest flit so far
 *
 * Zeroed it is at its beginning.
 */
struct fc_depth {
	u32 limit;
	u32 least;
	u32 seen;
	u32 unit;
};

/* May a device that has @held get one more flit?  It gets one while another one leaves. */
static inline bool fc_depth_room(const struct fc_depth *d, u32 held)
{
	return held <= d->unit || held < d->limit;
}

/* A flit of @size is queued. */
static inline void fc_depth_put(struct fc_depth *d, u32 size)
{
	if (size > d->unit)
		d->unit = size;
}

/**
 * fc_depth_seen() - a device has released something, and more waits for it
 * @d: depth
 * @held: how much it has
 *
 * One that has nothing was idle, and is to have one flit more.  One that never had less than the
 * largest flit has too much.
 */
static inline void fc_depth_seen(struct fc_depth *d, u32 held)
{
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
		if (d->least > d->unit)
			d->limit -= d->least - d->unit;
		d->seen = 0;
	}
}

#endif /* FC_CORE_LINK_TURN_H */
