/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets whose rest does not arrive.
 *
 * A packet that is forwarded while it arrives holds its outputs, so that a neighbour that sends the
 * first flit and not the others would stop the packets behind it.  Each switch checks, at an
 * interval, the inputs whose packet is incomplete, and for which another packet waits (in mode care
 * packets that are blocked do not wait, but are stored: there it checks all):
 *
 *	slow	fewer than FC_STALL_SLOW flits came in the interval: for a time, the switch stores
 *		packets of that link until they are whole, and only then forwards them.  Nothing is
 *		lost, and a link that is slower than the others costs these no time any more
 *	stalled	fewer than FC_STALL_FEW flits came, in several intervals: the switch also cuts the
 *		packet.  Its outputs end it with an abort
 *
 * A link that is slow, lossy, or stalled for a moment is not blamed for that: it is neither
 * suspected nor reset.  A site further on waits longer, by the number of links that the packet has
 * crossed, so that the abort arrives before it cuts the packet itself.
 */
#ifndef FC_CORE_LINK_STALL_H
#define FC_CORE_LINK_STALL_H

#include "core/base.h"
#include "core/channel.h"
#include "core/wire/wire.h"

/* Interval of checks: timing->poll, doubled so often. */
#define FC_STALL_SHIFT		1
/* A check that is late by the interval, halved so often, shows that this host was stalled. */
#define FC_STALL_LATE_SHIFT	1
#define FC_STALL_SLOW		40
#define FC_STALL_FEW		4
/*
 * Intervals until a packet is stalled, besides one for each link that it has crossed.  Where a
 * packet begins without credit for all of its flits (mode care, broadcasts), its rest may wait for
 * other packets elsewhere: then only intervals without any flit count.
 */
#define FC_STALL_CUT		5
#define FC_STALL_CUT_HELD	25
/* Maximum number of links that count. */
#define FC_STALL_HOPS		32

/*
 * Time for which packets of a link are stored whole: intervals of checks, doubled with each slow
 * packet, up to so many doublings of the shorter one.  It starts anew after a time without one that
 * is longer by FC_STALL_CALM_SHIFT doublings.  The shorter one is for mode care, in which a window
 * does not hold each packet, and longer packets wait.
 */
#define FC_STALL_HOLD		200
#define FC_STALL_HOLD_CARE	50
#define FC_STALL_HOLD_SHIFT	5
#define FC_STALL_CALM_SHIFT	3

/**
 * struct fc_stall - packets of a link that were slow
 * @until: packets of several flits are stored whole until then
 * @hold: for how long, the last time; 0: never yet
 * @wasted: intervals in which packets were stalled that their peer aborted (fc_stall_ended()),
 *	minus the packets since that it did not
 */
struct fc_stall {
	u64 until;
	u64 hold;
	u8 wasted;
};

/**
 * struct fc_progress - progress of a packet that arrives
 * @since: when it began
 * @src: its source
 * @come: number of its flits that had arrived at the last check
 * @slow: number of intervals in which it was slow
 * @stalled: number of intervals in which it was stalled, minus those in which it was not
 * @hops: number of links that it has crossed, up to FC_STALL_HOPS
 * @checked: a check has seen the packet
 */
struct fc_progress {
	u64 since;
	u32 src;
	u32 come;
	u8 slow;
	u8 stalled;
	u8 hops;
	bool checked;
};

/* Verdicts of a check. */
enum fc_pace {
	FC_PACE_GOOD,
	FC_PACE_SLOW,
	FC_PACE_STALLED,
};

/* Return: the interval of checks. */
static inline u64 fc_stall_interval(u64 poll)
{
	return poll << FC_STALL_SHIFT;
}

/* A packet begins; @head: packet header. */
static inline void fc_progress_begin(struct fc_progress *p, const u8 *head, u64 now)
{
	u32 hops = fc_wire_hops(head);

	p->since = now;
	p->src = fc_wire_src(head);
	p->come = 0;
	p->slow = 0;
	p->stalled = 0;
	p->hops = (u8)(hops < FC_STALL_HOPS ? hops : FC_STALL_HOPS);
	p->checked = false;
}

/* No packet waits for an incomplete one, of which @come flits have arrived: its pace is free. */
static inline void fc_progress_skip(struct fc_progress *p, u32 come)
{
	p->come = come;
	p->checked = true;
}

/*
 * Checks an incomplete packet, of which @come flits have arrived.  @held: it may have begun without
 * credit for all of its flits.
 */
static inline enum fc_pace fc_progress_check(struct fc_progress *p, u32 come, bool held)
{
	u32 news = come - p->come;

	p->come = come;
	if (!p->checked) {
		p->checked = true;
		return FC_PACE_GOOD;
	}
	if (news < (held ? 1 : FC_STALL_FEW))
		p->stalled++;
	else if (p->stalled)
		p->stalled--;
	if (p->stalled >= (held ? FC_STALL_CUT_HELD : FC_STALL_CUT) + p->hops)
		return FC_PACE_STALLED;
	if (news >= FC_STALL_SLOW)
		return FC_PACE_GOOD;
	/* The sites before this one store such packets: allow time for that. */
	if (p->slow < FC_STALL_HOPS + 1)
		p->slow++;
	return p->slow > p->hops ? FC_PACE_SLOW : FC_PACE_GOOD;
}

/*
 * A packet that may have begun without credit has ended.  A peer that aborts each one before it is
 * cut holds an output for as long as one that does not: time without progress adds up.
 */
static inline void fc_stall_ended(struct fc_stall *s, const struct fc_progress *p, bool aborted)
{
	if (aborted && p->stalled >= FC_STALL_CUT)
		s->wasted = (u8)(s->wasted + p->stalled < 0xff ? s->wasted + p->stalled : 0xff);
	else if (!aborted && s->wasted)
		s->wasted--;
}

/* Has a packet, together with those before it, wasted as much time as one that is cut? */
static inline bool fc_stall_wasted(const struct fc_stall *s, const struct fc_progress *p)
{
	return p->stalled >= FC_STALL_CUT && s->wasted + p->stalled >= FC_STALL_CUT_HELD + p->hops;
}

/* Is a packet that begins now to be stored until it is whole? */
static inline bool fc_stall_stores(const struct fc_stall *s, u64 now)
{
	return now < s->until;
}

/* A packet of the link was slow.  @interval: fc_stall_interval(); @hold: FC_STALL_HOLD* */
static inline void fc_stall_note(struct fc_stall *s, u64 now, u64 interval, u32 hold)
{
	u64 least = hold * interval;

	/* The next one is cut sooner, until the peer has sent as many packets to their end. */
	s->wasted = FC_STALL_CUT_HELD - FC_STALL_CUT;
	if (fc_stall_stores(s, now))
		return;
	if (!s->hold || now - s->until > s->hold << FC_STALL_CALM_SHIFT)
		s->hold = least;
	else if (s->hold < FC_STALL_HOLD_CARE * interval << FC_STALL_HOLD_SHIFT)
		s->hold *= 2;
	s->until = now + s->hold;
}

/**
 * struct fc_stall_clock - when to check
 * @at: time of the next check; FC_NEVER: no packet is incomplete
 */
struct fc_stall_clock {
	u64 at;
};

/* A packet is incomplete: it is checked.  @interval: fc_stall_interval() */
static inline void fc_stall_watch(struct fc_stall_clock *clock, u64 now, u64 interval)
{
	if (clock->at == FC_NEVER)
		clock->at = now + interval;
}

/*
 * Is a check due?  Then the caller checks, and calls fc_stall_watch() if a packet is incomplete.
 * @fair: result: false if this host was stalled: what arrived in time may wait to be read.
 */
static inline bool fc_stall_due(struct fc_stall_clock *clock, u64 now, u64 interval, bool *fair)
{
	if (now < clock->at)
		return false;
	*fair = now - clock->at <= interval >> FC_STALL_LATE_SHIFT;
	clock->at = FC_NEVER;
	return true;
}

#endif /* FC_CORE_LINK_STALL_H */
