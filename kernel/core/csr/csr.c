// SPDX-License-Identifier: GPL-2.0
/*
 * Conflict sense routing (Varvarigos and Bertsekas, 1992): the protocol of csr.h at one site.
 *
 *	probe    fc_csr_probe()     reserves a window on each leg (TENT), and goes on along the
 *	                            legs.  The destination returns an ACK; no window: a NACK
 *	ACK      fc_csr_answered()  confirms a leg (CONF); goes upstream when all are confirmed
 *	NACK     fc_csr_answered()  releases all legs; goes upstream, with a RELEASE to other legs
 *	RELEASE  fc_csr_answered()  releases all legs, and goes on along them
 *	packet   fc_csr_turn(), fc_csr_sent()  leaves in its window, or is late: fc_csr_late()
 *	time     fc_csr_time()      TENT lapses; CONF whose packet did not arrive is an orphan
 *
 * A source is a site whose probes arrive by the local port (struct fc_csr_entry).
 */
#include "core/csr/csr.h"

void fc_csr_init(struct fc_csr *c)
{
	u8 p;

	fc_csr_pool_init(&c->pool);
	for (p = 0; p < c->nports; p++)
		c->link[p].first = FC_CSR_NONE;
	memset(c->held, 0, sizeof(c->held));
	memset(c->stat, 0, sizeof(c->stat));
	c->next_at = FC_CSR_NEVER;
}

/* Is it reserved, and not in use? */
static bool stands(const struct fc_csr_res *r)
{
	return r->state == FC_CSR_TENT || r->state == FC_CSR_CONF;
}

static bool same(const struct fc_csr_id *a, const struct fc_csr_id *b)
{
	return a->site == b->site && a->number == b->number && a->attempt == b->attempt;
}

static void remove(struct fc_csr *c, u16 i, enum fc_csr_stat why)
{
	struct fc_csr_res *r = &c->pool.res[i];

	/* A used one was counted when it was used. */
	if (stands(r))
		c->stat[why]++;
	c->held[r->in]--;
	fc_csr_list_del(&c->pool, &c->link[r->out], i);
}

/*
 * Probes.
 */

/*
 * Releases the reservations of older attempts of the packet.  Return: false if the probe itself is
 * of an older attempt, or arrives by another link than before.
 */
static bool supersede(struct fc_csr *c, u8 in, const struct fc_csr_id *id, bool *again,
		      struct fc_csr_answer *answer)
{
	u16 i, next;

	*again = false;
	for (i = fc_csr_pool_first(&c->pool, id->site, id->number); i != FC_CSR_NONE; i = next) {
		struct fc_csr_res *r = &c->pool.res[i];

		next = fc_csr_pool_next(&c->pool, i);
		if (r->id.attempt == id->attempt) {
			if (r->in != in || !stands(r))
				return false;
			*again = true;
		} else if (fc_before(id->attempt, r->id.attempt) || !stands(r)) {
			return false;
		}
	}
	for (i = fc_csr_pool_first(&c->pool, id->site, id->number); i != FC_CSR_NONE; i = next) {
		struct fc_csr_res *r = &c->pool.res[i];

		next = fc_csr_pool_next(&c->pool, i);
		if (r->id.attempt == id->attempt)
			continue;
		answer->msg.id = r->id;
		answer->release |= fc_bit(r->out);
		remove(c, i, FC_CSR_RELEASED);
	}
	return true;
}

/* The message of a leg that has this reservation. */
static void allowed(struct fc_csr_leg *leg, const struct fc_csr_msg *msg,
		    const struct fc_csr_res *r, u64 now)
{
	leg->port = r->out;
	leg->msg = *msg;
	leg->msg.lead = r->end > now ? r->end - now : 0;
	leg->msg.span = msg->span + (r->end - r->came);
}

/* The probe is a repetition: it takes the same links again. */
static bool repeat(struct fc_csr *c, const struct fc_csr_msg *msg, struct fc_csr_leg *legs,
		   u8 nlegs, u64 now)
{
	u32 found = 0;
	u16 i;

	for (i = fc_csr_pool_first(&c->pool, msg->id.site, msg->id.number); i != FC_CSR_NONE;
	     i = fc_csr_pool_next(&c->pool, i)) {
		struct fc_csr_res *r = &c->pool.res[i];

		/* The routes have changed since the first probe. */
		if (r->leg >= nlegs || !(legs[r->leg].ports & fc_bit(r->out)))
			return false;
		allowed(&legs[r->leg], msg, r, now);
		found |= fc_bit(r->leg);
	}
	return found == fc_bit(nlegs) - 1;
}

/* The window of a packet on a link, from when it comes to that.  Return: false: none. */
static bool window(const struct fc_csr *c, const struct fc_csr_link *l, u64 now,
		   const struct fc_csr_msg *msg, const struct fc_csr_leg *leg, struct fc_csr_res *r)
{
	u64 len = msg->units * l->unit + l->guard, min, at;
	struct fc_csr_link any = *l;

	if (!len || len > c->horizon)
		return false;
	r->came = now + msg->lead;
	min = r->came;
	/*
	 * The paper states that packets keep their order without further means.  They do not: the
	 * first packet may wait long for a reservation that is released later, and the second
	 * packet finds that window free.  So the last link preserves the order.
	 */
	if (leg->last && msg->floor && msg->span + len <= msg->floor)
		min += msg->floor - msg->span - len + 1;
	if (leg->wait)
		any.k = FC_CSR_K_ANY;
	if (!fc_csr_list_fit(&c->pool, &any, r->came, min, len, &at) ||
	    at + len - now > c->horizon)
		return false;
	r->from = leg->wait ? at : r->came;
	r->at = at;
	/* The guard of others may be another. */
	r->latest = at + l->guard;
	r->end = at + len;
	return true;
}

static bool reserve(struct fc_csr *c, u8 in, const struct fc_csr_msg *msg,
		    struct fc_csr_leg *legs, u8 number, u8 nlegs, bool here, u64 now)
{
	struct fc_csr_res best = { .end = FC_CSR_NEVER };
	struct fc_csr_leg *leg = &legs[number];
	u32 rest, taken = 0;
	u8 n;
	u16 i;

	for (n = 0; n < number; n++)
		taken |= fc_bit(legs[n].port);
	for (rest = leg->ports & ~taken; rest; rest &= rest - 1) {
		struct fc_csr_res r = { .out = (u8)fc_low(rest) };

		if (r.out && r.out < c->nports && r.out != in &&
		    window(c, &c->link[r.out], now, msg, leg, &r) && r.end < best.end)
			best = r;
	}
	if (best.end == FC_CSR_NEVER || c->held[in] >= c->quota)
		return false;
	best.id = msg->id;
	best.state = FC_CSR_TENT;
	best.in = in;
	best.leg = number;
	best.legs = nlegs;
	best.tag = leg->tag;
	/* The span to the known targets; the ACK carries the span to the others. */
	best.span = here ? msg->span : 0;
	best.lapse = now + c->lease < best.end ? now + c->lease : best.end;
	i = fc_csr_list_add(&c->pool, &c->link[best.out], &best);
	if (i == FC_CSR_NONE)
		return false;
	c->held[in]++;
	c->stat[FC_CSR_RESERVED]++;
	if (best.lapse < c->next_at)
		c->next_at = best.lapse;
	allowed(leg, msg, &c->pool.res[i], now);
	return true;
}

/* Releases all reservations of an attempt.  Return: the links that they were on. */
static u32 release_all(struct fc_csr *c, const struct fc_csr_id *id)
{
	u32 links = 0;
	u16 i, next;

	for (i = fc_csr_pool_first(&c->pool, id->site, id->number); i != FC_CSR_NONE; i = next) {
		struct fc_csr_res *r = &c->pool.res[i];

		next = fc_csr_pool_next(&c->pool, i);
		if (!stands(r) || !same(&r->id, id))
			continue;
		links |= fc_bit(r->out);
		remove(c, i, FC_CSR_RELEASED);
	}
	return links;
}

/* Makes an answer that goes back from this site. */
static void back(struct fc_csr_answer *answer, u8 type, u8 port, const struct fc_csr_msg *msg,
		 u64 span)
{
	answer->port = port;
	answer->msg = (struct fc_csr_msg){
		.type = type, .id = msg->id, .epoch = msg->epoch, .span = span,
	};
}

static bool believable(const struct fc_csr *c, u8 in, const struct fc_csr_msg *msg, u8 nlegs)
{
	return msg->epoch == c->epoch && in < c->nports && nlegs <= FC_CSR_LEGS && msg->units &&
	       msg->span <= FC_CSR_TIME_MAX && msg->floor <= FC_CSR_TIME_MAX;
}

enum fc_csr_verdict fc_csr_probe(struct fc_csr *c, u8 in, const struct fc_csr_msg *msg,
				 struct fc_csr_leg *legs, u8 nlegs, bool here, u64 now,
				 struct fc_csr_answer *answer)
{
	bool again;
	u8 i;

	*answer = (struct fc_csr_answer){ .port = in };
	if (!believable(c, in, msg, nlegs))
		return FC_CSR_DROP;
	fc_csr_time(c, now);
	if (!supersede(c, in, &msg->id, &again, answer))
		return FC_CSR_DROP;
	if (again)
		return repeat(c, msg, legs, nlegs, now) ? FC_CSR_PASS : FC_CSR_DROP;
	for (i = 0; i < nlegs && msg->lead <= c->horizon; i++)
		if (!reserve(c, in, msg, legs, i, nlegs, here, now))
			break;
	if (i == nlegs && nlegs)
		return FC_CSR_PASS;
	if (!nlegs && here) {
		back(answer, FC_CSR_ACK, in, msg, msg->span);
		return FC_CSR_HERE;
	}
	release_all(c, &msg->id);
	c->stat[FC_CSR_BLOCKED]++;
	back(answer, FC_CSR_NACK, in, msg, 0);
	return FC_CSR_BLOCK;
}

/*
 * Answers that come back.
 */

/*
 * All branches: are they confirmed, and when has the last target the packet?  One that has
 * lapsed is missing.
 */
static bool confirmed(const struct fc_csr *c, const struct fc_csr_id *id, u8 legs, u64 *span)
{
	u8 n = 0;
	u16 i;

	*span = 0;
	for (i = fc_csr_pool_first(&c->pool, id->site, id->number); i != FC_CSR_NONE;
	     i = fc_csr_pool_next(&c->pool, i)) {
		const struct fc_csr_res *r = &c->pool.res[i];

		n += r->state == FC_CSR_CONF;
		if (r->span > *span)
			*span = r->span;
	}
	return n == legs;
}

static struct fc_csr_res *on_link(const struct fc_csr *c, u8 port, u32 site, u32 number)
{
	u16 i;

	for (i = fc_csr_pool_first(&c->pool, site, number); i != FC_CSR_NONE;
	     i = fc_csr_pool_next(&c->pool, i))
		if (c->pool.res[i].out == port)
			return &c->pool.res[i];
	return NULL;
}

static enum fc_csr_verdict up(struct fc_csr_answer *answer, u8 type, u8 in,
			      const struct fc_csr_msg *msg, u64 span)
{
	back(answer, type, in, msg, span);
	return in == FC_PORT_LOCAL ? FC_CSR_HERE : FC_CSR_PASS;
}

static enum fc_csr_verdict ack(struct fc_csr *c, struct fc_csr_res *r,
			       const struct fc_csr_msg *msg, struct fc_csr_answer *answer)
{
	u64 span;

	if (msg->span > r->span)
		r->span = msg->span;
	if (r->state == FC_CSR_TENT) {
		r->state = FC_CSR_CONF;
		r->lapse = r->end;
	}
	if (!confirmed(c, &r->id, r->legs, &span))
		return FC_CSR_DROP;
	return up(answer, FC_CSR_ACK, r->in, msg, span);
}

static enum fc_csr_verdict nack(struct fc_csr *c, struct fc_csr_res *r,
				const struct fc_csr_msg *msg, struct fc_csr_answer *answer)
{
	u8 in = r->in, out = r->out;

	/* A NACK for a reservation that was confirmed by an ACK is stale. */
	if (r->state != FC_CSR_TENT)
		return FC_CSR_DROP;
	answer->release = release_all(c, &msg->id) & ~fc_bit(out);
	return up(answer, FC_CSR_NACK, in, msg, 0);
}

static void release(struct fc_csr *c, u8 port, const struct fc_csr_msg *msg,
		    struct fc_csr_answer *answer)
{
	u16 i = fc_csr_pool_first(&c->pool, msg->id.site, msg->id.number);

	if (i != FC_CSR_NONE && c->pool.res[i].in == port)
		answer->release = release_all(c, &msg->id);
}

enum fc_csr_verdict fc_csr_answered(struct fc_csr *c, u8 port, const struct fc_csr_msg *msg,
				    u64 now, struct fc_csr_answer *answer)
{
	struct fc_csr_res *r;

	*answer = (struct fc_csr_answer){ .msg = *msg };
	if (msg->epoch != c->epoch || msg->span > FC_CSR_TIME_MAX)
		return FC_CSR_DROP;
	fc_csr_time(c, now);
	if (msg->type == FC_CSR_RELEASE) {
		release(c, port, msg, answer);
		return FC_CSR_DROP;
	}
	r = on_link(c, port, msg->id.site, msg->id.number);
	/* The reservation was used or released, or has lapsed. */
	if (!r || !stands(r) || !same(&r->id, &msg->id))
		return FC_CSR_DROP;
	if (msg->type == FC_CSR_ACK)
		return ack(c, r, msg, answer);
	return msg->type == FC_CSR_NACK ? nack(c, r, msg, answer) : FC_CSR_DROP;
}

/*
 * Packets.
 */

u32 fc_csr_next_hops(const struct fc_csr *c, u32 site, u32 number)
{
	u32 next_hops = 0;
	u16 i;

	for (i = fc_csr_pool_first(&c->pool, site, number); i != FC_CSR_NONE;
	     i = fc_csr_pool_next(&c->pool, i))
		if (c->pool.res[i].state == FC_CSR_CONF)
			next_hops |= fc_bit(c->pool.res[i].out);
	return next_hops;
}

u64 fc_csr_tag(const struct fc_csr *c, u32 site, u32 number, u8 port)
{
	const struct fc_csr_res *r = on_link(c, port, site, number);

	return r && r->state == FC_CSR_CONF ? r->tag : 0;
}

enum fc_csr_turn fc_csr_turn(const struct fc_csr *c, u32 site, u32 number, u8 port, u64 now,
			     u64 *at)
{
	const struct fc_csr_res *r = on_link(c, port, site, number);

	if (!r || r->state != FC_CSR_CONF)
		return FC_CSR_TOO_LATE;
	*at = r->at;
	if (now < r->at)
		return FC_CSR_WAIT;
	return now <= r->latest ? FC_CSR_GO : FC_CSR_TOO_LATE;
}

void fc_csr_sent(struct fc_csr *c, u32 site, u32 number, u8 port, u64 now)
{
	struct fc_csr_res *r = on_link(c, port, site, number);
	u16 i;

	if (!r || r->state != FC_CSR_CONF)
		return;
	r->state = FC_CSR_USED;
	c->stat[FC_CSR_SENT]++;
	for (i = c->link[port].first; i != FC_CSR_NONE; i = c->pool.res[i].next) {
		const struct fc_csr_res *o = &c->pool.res[i];

		if (o != r && o->at <= now && now < o->end)
			c->stat[FC_CSR_DOUBLE]++;
	}
}

void fc_csr_late(struct fc_csr *c)
{
	c->stat[FC_CSR_LATE]++;
}

/*
 * Time.
 */

void fc_csr_time(struct fc_csr *c, u64 now)
{
	u16 i;

	if (now < c->next_at)
		return;
	c->next_at = FC_CSR_NEVER;
	for (i = 0; i < c->pool.size; i++) {
		struct fc_csr_res *r = &c->pool.res[i];

		if (r->state == FC_CSR_FREE)
			continue;
		if (r->lapse <= now)
			remove(c, i, r->state == FC_CSR_TENT ? FC_CSR_LAPSED : FC_CSR_ORPHANED);
		else if (r->lapse < c->next_at)
			c->next_at = r->lapse;
	}
}

void fc_csr_control_end(struct fc_csr *c)
{
	u16 i;

	for (i = 0; i < c->pool.size; i++)
		if (c->pool.res[i].state == FC_CSR_TENT)
			remove(c, i, FC_CSR_LAPSED);
}

void fc_csr_link_down(struct fc_csr *c, u8 port)
{
	u16 i;

	for (i = 0; i < c->pool.size; i++) {
		const struct fc_csr_res *r = &c->pool.res[i];

		if (r->state != FC_CSR_FREE && (r->in == port || r->out == port))
			remove(c, i, FC_CSR_RELEASED);
	}
}

void fc_csr_epoch(struct fc_csr *c, u32 epoch)
{
	u16 i;

	c->epoch = epoch;
	for (i = 0; i < c->pool.size; i++)
		if (stands(&c->pool.res[i]))
			remove(c, i, FC_CSR_RELEASED);
}

u32 fc_csr_count(const struct fc_csr *c, enum fc_csr_state state)
{
	u32 n = 0;
	u16 i;

	for (i = 0; i < c->pool.size; i++)
		n += c->pool.res[i].state == state;
	return n;
}

/*
 * Entry buffers.
 */

void fc_csr_entry_fill(struct fc_csr_entry *e, u32 site, u32 number, u64 floor)
{
	*e = (struct fc_csr_entry){
		.state = FC_CSR_PENDING, .id = { .site = site, .number = number },
		.floor = floor,
	};
}

enum fc_csr_verdict fc_csr_entry_try(struct fc_csr_entry *e, struct fc_csr *c, u32 units,
				     u64 from, struct fc_csr_leg *legs, u8 nlegs, bool here,
				     u64 now, struct fc_csr_answer *answer)
{
	struct fc_csr_msg msg = {
		.type = FC_CSR_PROBE, .epoch = c->epoch, .units = units, .lead = from - now,
		.floor = e->floor > from ? e->floor - from : 0,
	};
	enum fc_csr_verdict verdict;

	e->id.attempt++;
	msg.id = e->id;
	e->from = from;
	verdict = fc_csr_probe(c, FC_PORT_LOCAL, &msg, legs, nlegs, here, now, answer);
	e->asked = verdict == FC_CSR_PASS;
	if (!e->asked)
		e->failed++;
	return verdict;
}

bool fc_csr_entry_receive(struct fc_csr_entry *e, const struct fc_csr_msg *msg)
{
	if (e->state != FC_CSR_PENDING || !e->asked || !same(&e->id, &msg->id))
		return false;
	e->asked = false;
	if (msg->type == FC_CSR_ACK) {
		e->state = FC_CSR_ACCEPTED;
		e->arrival = e->from + msg->span;
		e->failed = 0;
	} else {
		e->failed++;
	}
	return true;
}
