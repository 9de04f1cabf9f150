// SPDX-License-Identifier: GPL-2.0
#include "txlist.h"

/* The packet after the last one of a target's part. */
static int part_end(const struct fc_txtarget *t)
{
	return t->part.first + t->part.count;
}

/* The packet that a target waits for, or -1: none.  @now: it may be sent at once. */
static int wanted(const struct fc_txmember *m, bool *now)
{
	const struct fc_txtarget *t = m->t;
	int packet;

	*now = false;
	if (fc_txtarget_sent_all(t))
		return -1;
	packet = fc_txtarget_next(t, m->flow);
	if (packet >= 0) {
		*now = !m->mute && packet < t->part.first + t->base + FC_TX_AHEAD_MAX;
		return packet;
	}
	/* The first packet, which asks for room, waits only for targets that have put it off. */
	if (t->state == FC_TX_ASKING)
		return t->part.first + 1;
	return t->state == FC_TX_NO_ROOM && t->part.count > 1 ? t->part.first : -1;
}

/**
 * struct look - result of a look at all targets
 * @best: the lowest packet that may be sent
 * @live: targets that want a packet
 * @end: packet after the last one that a target wants
 */
struct look {
	int best;
	u32 live;
	int end;
};

/* Find the lowest packet from @from on that may be sent, and all targets that want it now. */
static struct look look(struct fc_txlist *list, int from)
{
	struct look found = { .best = -1 };
	struct fc_txmember m;
	u32 i;

	list->n = 0;
	for (i = 0; i < list->ntargets; i++) {
		int packet;
		bool now;

		list->looks++;
		if (!list->member(list->arg, i, &m))
			continue;
		packet = wanted(&m, &now);
		if (packet < 0)
			continue;
		found.live++;
		if (found.end < part_end(m.t))
			found.end = part_end(m.t);
		if (!now || packet < from || (found.best >= 0 && packet > found.best))
			continue;
		if (packet != found.best)
			list->n = 0;
		found.best = packet;
		if (list->n < list->most)
			list->chosen[list->n++] = (u16)i;
		/* No packet comes before it, and no target fits in. */
		if (!packet && list->n == list->most) {
			found.live = list->n;
			break;
		}
	}
	return found;
}

/*
 * Compare the targets that packet @best does not go to with those that it goes to.  Sets @ahead of
 * the list if one in step is past the packet, by more than the turn of a list that does not fit one
 * packet.
 *
 * Return: the end of the parts of those that are waited for, or 0: the packet goes, and the ones
 * that miss it are behind.
 */
static int compare(struct fc_txlist *list, int best)
{
	struct fc_txmember m;
	int until = 0;
	u32 i;

	for (i = 0; i < list->ntargets; i++) {
		struct fc_txtarget *t;
		int packet;
		bool now;

		list->looks++;
		if (!list->member(list->arg, i, &m))
			continue;
		t = m.t;
		packet = wanted(&m, &now);
		if (packet < 0 || best < t->part.first || best >= part_end(t))
			continue;
		if (packet > best)
			list->ahead |= packet > best + 1 && !t->behind && !m.slow;
		else if (now)
			continue;
		else if (m.slow)
			t->behind = true;
		else if (!t->behind && until < part_end(t))
			until = part_end(t);
	}
	return until;
}

int fc_txlist_pick(struct fc_txlist *list)
{
	struct fc_txmember m;
	struct look found;
	int from = 0;
	u32 i;

	list->held = false;
	list->ahead = false;
	list->looks = 0;
	found = look(list, 0);
	if (found.best >= 0 && found.live > list->n)
		from = compare(list, found.best);
	if (from) {
		/* Targets whose parts share nothing with those that wait go on. */
		list->held = true;
		if (from >= found.end)
			return -1;
		list->ahead = false;
		found = look(list, from);
		if (found.best < 0 || compare(list, found.best))
			return -1;
	}
	for (i = 0; i < list->n; i++)
		if (list->member(list->arg, list->chosen[i], &m))
			m.t->behind = list->ahead;
	return found.best;
}
