// SPDX-License-Identifier: GPL-2.0
#include "core/ends/txlist.h"

/* A hold charges the flows of so many of the targets that the others wait for. */
#define BLOCKERS	8

u64 fc_patience_left(struct fc_patience *p, u32 share, u64 now)
{
	const s64 most = FC_PATIENCE_MOST;
	u64 before = p->at, took = now - before;

	p->at = now;
	/* After this time the budget is at its upper or lower limit; the product fits 32 bits. */
	if (took > most * 2 * share)
		took = most * 2 * share;
	p->left += (u32)(took >> 6) / share << 6;
	if (p->left > most)
		p->left = most;
	if (p->waits) {
		p->left -= took;
		p->waited += now - before;
	}
	/* Overspent by more than this: the check ran late, because this host was busy. */
	if (p->left < -FC_PATIENCE_PACKET)
		p->left = -FC_PATIENCE_PACKET;
	return p->left > 0 ? p->left : 0;
}

void fc_patience_wait(struct fc_patience *p, u32 share, u64 now)
{
	fc_patience_left(p, share, now);
	p->waits++;
}

void fc_patience_end(struct fc_patience *p, u32 share, u64 now)
{
	fc_patience_left(p, share, now);
	p->waits--;
}

void fc_patience_earn(struct fc_patience *p, u32 packets)
{
	const s64 most = FC_PATIENCE_MOST;

	p->left += (s64)packets * FC_PATIENCE_PACKET;
	if (p->left > most)
		p->left = most;
}

void fc_patience_regain(struct fc_patience *p, u64 time)
{
	const u64 most = FC_PATIENCE_MOST;

	p->left += (s64)(time < 2 * most ? time : 2 * most);
	if (p->left > (s64)most)
		p->left = (s64)most;
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
	/*
	 * The target has not answered the first packet, and wants the second one next; or it has no
	 * room, and the first packet will ask it again.
	 */
	if (t->part.count > 1 && t->state == FC_TX_ASKING)
		return t->part.first + 1;
	return t->part.count > 1 && t->state == FC_TX_NO_SPACE ? t->part.first : -1;
}

/**
 * struct choice - what is found while the targets are looked at
 * @first: first packet of the parts; -1: no target wants a packet
 * @count: packets of the parts
 * @best: the lowest packet that may be sent; -1: none
 * @blocked: the lowest packet that is not sent to a target that is waited for
 * @furthest: the highest packet that a target in step wants
 * @members: number of targets
 * @least: least time that others waited for any of them
 * @wait: how long the first one is waited for, yet
 * @parts: they are different parts
 * @fresh: the packet asks some of its targets for room for the first time
 * @nblockers: how many of @blocker
 * @blocker: targets that are waited for if @best is not below the packet that they want; the first
 *	one wants the lowest
 */
struct choice {
	int first;
	int count;
	int best;
	int blocked;
	int furthest;
	u32 members;
	u64 least;
	u64 wait;
	bool parts;
	bool fresh;
	u8 nblockers;
	u16 blocker[BLOCKERS];
};

/* Wait for a target, as long as the others have patience with it. */
static void block(struct fc_txlist *list, struct choice *c, u32 i, struct fc_txmember *m,
		  int packet)
{
	u64 left = m->slow ? 0 : fc_patience_left(m->patience, FC_PATIENCE_FLOW, list->now);

	if (!left) {
		m->t->behind = true;
		return;
	}
	if (packet < c->blocked) {
		c->blocked = packet;
		if (c->nblockers && c->nblockers < BLOCKERS)
			c->blocker[c->nblockers++] = c->blocker[0];
		c->blocker[0] = (u16)i;
		c->nblockers += !c->nblockers;
	} else if (c->nblockers < BLOCKERS) {
		c->blocker[c->nblockers++] = (u16)i;
	}
	if (left < c->wait)
		c->wait = left;
}

static void consider(struct fc_txlist *list, struct choice *c, u32 i, struct fc_txmember *m)
{
	struct fc_txtarget *t = m->t;
	int packet;
	bool now;

	fc_txlist_unblock(t, m->patience, list->now);
	c->members++;
	if (m->patience->waited < c->least)
		c->least = m->patience->waited;
	packet = wanted(m, &now);
	if (packet < 0)
		return;
	if (c->first < 0) {
		c->first = t->part.first;
		c->count = t->part.count;
	}
	c->parts |= t->part.first != c->first || t->part.count != c->count;
	if (!t->behind && t->part.count > 1) {
		if (packet > c->furthest)
			c->furthest = packet;
		if (!now)
			block(list, c, i, m, packet);
	}
	if (!now || (c->best >= 0 && packet > c->best))
		return;
	if (packet != c->best) {
		list->n = 0;
		c->fresh = false;
	}
	c->best = packet;
	c->fresh |= packet == t->part.first && !t->refused_once;
	if (list->n < list->most)
		list->chosen[list->n++] = (u16)i;
}

/* Hold packet @best: targets that can take it wait for those that want it or an earlier one. */
static void hold(struct fc_txlist *list, const struct choice *c)
{
	struct fc_txmember m;
	u8 i;

	list->held = true;
	list->again = list->now + c->wait;
	list->n = 0;
	for (i = 0; i < c->nblockers; i++) {
		bool now;

		if (!list->member(list->arg, c->blocker[i], &m) || wanted(&m, &now) > c->best)
			continue;
		m.t->blocks = true;
		fc_patience_wait(m.patience, FC_PATIENCE_FLOW, list->now);
	}
}

/*
 * Others may have waited for each target since the last choice: let budgets regain the least of
 * these times.  Not if a target was completed since, as it may have been the most prompt one.
 */
static void regain(struct fc_txlist *list, const struct choice *c)
{
	u32 least = (u32)(c->least >> FC_PATIENCE_UNIT), i;
	s32 more = (u8)c->members == list->members ? (s32)(least - list->least) : 0;
	struct fc_txmember m;

	list->members = (u8)c->members;
	list->least = least;
	if (more <= 0)
		return;
	list->regained = (u64)more << FC_PATIENCE_UNIT;
	for (i = 0; i < list->ntargets; i++)
		if (list->member(list->arg, i, &m))
			fc_patience_regain(m.patience, list->regained);
}

int fc_txlist_pick(struct fc_txlist *list)
{
	struct choice c = {
		.first = -1, .best = -1, .blocked = 0x7fffffff, .furthest = -1, .wait = ~(u64)0,
		.least = ~(u64)0,
	};
	struct fc_txmember m;
	bool ahead;
	u32 i;

	list->n = 0;
	list->regained = 0;
	for (i = 0; i < list->ntargets; i++) {
		if (list->member(list->arg, i, &m))
			consider(list, &c, i, &m);
		/* No packet comes before it, no target fits in, and none is waited for. */
		if (!c.best && list->n == list->most && !list->held)
			break;
	}
	list->held = false;
	if (i == list->ntargets && i > 1 && !c.parts)
		regain(list, &c);
	/* Targets that were not asked for room yet do not wait for others. */
	if (!c.parts && c.best >= 0 && c.blocked <= c.best && !c.fresh) {
		hold(list, &c);
		return -1;
	}
	ahead = !c.parts && c.furthest > c.best + 1;
	for (i = 0; i < list->n && c.count > 1; i++)
		if (list->member(list->arg, list->chosen[i], &m))
			m.t->behind = ahead;
	return c.best;
}
