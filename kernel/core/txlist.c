// SPDX-License-Identifier: GPL-2.0
#include "txlist.h"

/* Bring it up to the time. */
static u64 left_of(struct fc_patience *p, u64 now)
{
	p->left += (now - p->at) / FC_PATIENCE_SHARE;
	if (p->left > FC_PATIENCE_MOST)
		p->left = FC_PATIENCE_MOST;
	p->at = now;
	return p->left;
}

/* Others have waited from a time on; several messages at a time wait once. */
static void spend(struct fc_patience *p, u64 from, u64 now)
{
	u64 took;

	if (from < p->spent)
		from = p->spent;
	took = now > from ? now - from : 0;
	left_of(p, now);
	p->left -= took < p->left ? took : p->left;
	p->spent = now;
}

void fc_patience_earn(struct fc_patience *p, u32 packets, u64 now)
{
	left_of(p, now);
	p->left += packets * FC_PATIENCE_PACKET;
	left_of(p, now);
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
	/* It has not answered the first packet, or has put it off: then it will want it again. */
	if (t->part.count > 1 && t->state == FC_TX_ASKING)
		return t->part.first + 1;
	return t->part.count > 1 && t->state == FC_TX_NO_ROOM ? t->part.first : -1;
}

/**
 * struct choice - what is found while the targets are looked at
 * @first: first packet of the parts; -1: no target wants a packet
 * @count: packets of the parts
 * @best: the lowest packet that may be sent; -1: none
 * @blocked: the lowest packet that is not sent to a target that is waited for
 * @furthest: the highest packet that a target in step wants
 * @wait: how long the first one is waited for, yet
 * @parts: they are different parts
 * @fresh: the packet asks some of its targets for room for the first time
 */
struct choice {
	int first;
	int count;
	int best;
	int blocked;
	int furthest;
	u64 wait;
	bool parts;
	bool fresh;
};

/* Wait for a target, as long as the others have patience with it. */
static void block(struct fc_txlist *list, struct choice *c, struct fc_txmember *m, int packet)
{
	u64 left = m->slow ? 0 : left_of(m->patience, list->now);

	if (!left) {
		m->t->behind = true;
		return;
	}
	m->t->blocks = true;
	if (packet < c->blocked)
		c->blocked = packet;
	if (left < c->wait)
		c->wait = left;
}

static void look(struct fc_txlist *list, struct choice *c, u32 i, struct fc_txmember *m)
{
	struct fc_txtarget *t = m->t;
	int packet;
	bool now;

	/* It was waited for, unless it was ahead of the others. */
	if (t->blocks && t->part.first + t->sent <= list->held)
		spend(m->patience, list->held_at, list->now);
	t->blocks = false;
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
			block(list, c, m, packet);
	}
	if (!now || (c->best >= 0 && packet > c->best))
		return;
	if (packet != c->best) {
		list->n = 0;
		c->fresh = false;
	}
	c->best = packet;
	c->fresh |= packet == t->part.first && !t->put_off;
	if (list->n < list->most)
		list->chosen[list->n++] = (u16)i;
}

int fc_txlist_pick(struct fc_txlist *list)
{
	struct choice c = {
		.first = -1, .best = -1, .blocked = 0x7fffffff, .furthest = -1, .wait = ~(u64)0,
	};
	struct fc_txmember m;
	bool ahead;
	u32 i;

	list->n = 0;
	for (i = 0; i < list->ntargets; i++) {
		if (list->member(list->arg, i, &m))
			look(list, &c, i, &m);
		/* No packet comes before it, and no target fits in. */
		if (!c.best && list->n == list->most)
			break;
	}
	list->held = 0;
	/* Whoever was not asked for room yet does not wait. */
	if (!c.parts && c.best >= 0 && c.blocked <= c.best && !c.fresh) {
		list->held = (u16)(c.best + 1);
		list->held_at = list->now;
		list->again = list->now + c.wait;
		list->n = 0;
		return -1;
	}
	ahead = !c.parts && c.furthest > c.best + 1;
	for (i = 0; i < list->n && c.count > 1; i++)
		if (list->member(list->arg, list->chosen[i], &m))
			m.t->behind = ahead;
	return c.best;
}
