// SPDX-License-Identifier: GPL-2.0
#include "core/topo/bcast.h"
#include "core/topo/rules.h"

/* No slot, no site. */
#define NOWHERE		FC_SITE_NONE
/* Parent of the slots that the source reaches. */
#define THE_SOURCE	(FC_SITE_NONE - 1)

const char *fc_bcast_init(struct fc_bcast *b, const struct fc_topo *topo, unsigned int copies)
{
	const struct fc_bcast_rules *rules = topo->ops->bcast;

	while (rules && rules->fits && !rules->fits(topo))
		rules = rules->otherwise;
	if (!rules)
		return "this kind of topology has no rules for broadcasts";
	static_assert(FC_BCAST_SITES_MAX == 16384, "named in the text");
	if (topo->nsites > FC_BCAST_SITES_MAX)
		return "too many sites for a broadcast: at most 16384";
	if (!copies)
		return "a broadcast has at least one copy";
	if (copies > rules->most(topo))
		return "more copies than there are node-disjoint paths";
	*b = (struct fc_bcast){ .topo = topo, .rules = rules, .copies = (u8)copies };
	return NULL;
}

/* Where a packet comes that leaves a site in a direction. */
static u32 slot_after(const struct fc_topo *topo, u32 site, u8 dir)
{
	return fc_topo_neighbour(topo, site, dir) * topo->ndirs +
	       topo->ops->arrival(topo, site, dir);
}

/* Packet @p goes on from where it is; it is put into the queue for where it comes. */
static const char *travel(struct fc_bcast *b, struct fc_bcast_work *work, u32 *tail, u32 *out,
			  struct fc_bcast_packet p)
{
	u32 slot = slot_after(b->topo, p.site, p.dir);

	if (*out & fc_bit(p.dir) || b->entry[slot])
		return "the rules send two packets over a link";
	*out |= fc_bit(p.dir);
	b->entry[slot] = FC_BCAST_DELIVER;
	p.site = slot / b->topo->ndirs;
	p.left--;
	work[(*tail)++].packet = p;
	return NULL;
}

static const char *begin(struct fc_bcast *b, struct fc_bcast_work *work, u32 *tail, u32 *out,
			 u32 site, const struct fc_bcast_sends *sends)
{
	const char *wrong = NULL;
	u32 i;

	for (i = 0; i < sends->n && !wrong; i++) {
		struct fc_bcast_packet p = sends->run[i];

		p.site = site;
		if (p.left)
			wrong = travel(b, work, tail, out, p);
	}
	return wrong;
}

/* The entry of a packet, by the rules of networks without runs. */
static u32 compute(const struct fc_bcast *b, u32 source, u32 site, u8 from)
{
	u32 next;

	if (b->copies > 1)
		return b->rules->next(b, source, site, from);
	if (!fc_tree_next(b->topo, source, site, from, &next))
		return 0;
	return site == source ? next : next | FC_BCAST_DELIVER;
}

static const char *fill_by_runs(struct fc_bcast *b, struct fc_bcast_work *work)
{
	struct fc_bcast_sends sends = { 0 };
	u32 head = 0, tail = 0;
	const char *wrong;

	memset(b->entry, 0, fc_bcast_slots(b->topo) * sizeof(*b->entry));
	b->start = 0;
	b->rules->start(b, &sends);
	wrong = begin(b, work, &tail, &b->start, 0, &sends);
	/* Each slot is entered once, so the queue has room. */
	for (; head < tail && !wrong; head++) {
		struct fc_bcast_packet p = work[head].packet;
		u32 *entry = &b->entry[p.site * b->topo->ndirs +
				       b->topo->ops->arrival(b->topo, p.site, p.dir)];

		sends.n = 0;
		b->rules->forward(b, &p, &sends);
		if (p.left)
			wrong = travel(b, work, &tail, entry, p);
		if (!wrong)
			wrong = begin(b, work, &tail, entry, p.site, &sends);
	}
	return wrong;
}

const char *fc_bcast_fill(struct fc_bcast *b, struct fc_bcast_work *work)
{
	u32 slot, ndirs = b->topo->ndirs;

	if (!b->rules->next)
		return fill_by_runs(b, work);
	b->start = compute(b, b->source, b->source, FC_BCAST_SOURCE);
	for (slot = 0; slot < fc_bcast_slots(b->topo); slot++)
		b->entry[slot] = slot / ndirs == b->source ? 0 :
				 compute(b, b->source, slot / ndirs, (u8)(slot % ndirs));
	return NULL;
}

/* Follow the links of a mask.  @from: slot of the packet. */
static const char *follow(const struct fc_bcast *b, struct fc_bcast_work *work, u32 *tail,
			  u32 from, u32 site, u32 out)
{
	const struct fc_topo *topo = b->topo;
	u32 slot;

	if (out >> topo->ndirs)
		return "an entry has a direction that does not exist";
	for (; out; out &= out - 1) {
		if (fc_topo_neighbour(topo, site, (u8)fc_low(out)) == FC_SITE_NONE)
			return "an entry has a direction without a link";
		slot = slot_after(topo, site, (u8)fc_low(out));
		if (work[slot].parent != NOWHERE)
			return "a link carries two packets";
		if (!(b->entry[slot] & FC_BCAST_DELIVER))
			return "a packet comes where none is expected";
		work[slot].parent = from;
		work[(*tail)++].slot = slot;
	}
	return NULL;
}

/* The paths of the copies of one site, back to the source. */
static const char *check_paths(const struct fc_bcast *b, struct fc_bcast_work *work, u32 site)
{
	u32 ndirs = b->topo->ndirs, slot, d;
	unsigned int copies = 0;

	for (d = 0; d < ndirs; d++) {
		slot = site * ndirs + d;
		if (work[slot].parent == NOWHERE) {
			if (b->entry[slot])
				return "an entry is never used";
			continue;
		}
		copies++;
		while (work[slot].parent != THE_SOURCE) {
			slot = work[slot].parent;
			if (slot / ndirs == site || work[slot / ndirs].mark == site)
				return "a site is on two paths";
			work[slot / ndirs].mark = site;
		}
	}
	return copies == b->copies ? NULL : "a site gets another number of copies";
}

const char *fc_bcast_check(const struct fc_bcast *b, struct fc_bcast_work *work)
{
	u32 head = 0, tail = 0, i, ndirs = b->topo->ndirs;
	const char *wrong;

	for (i = 0; i < fc_bcast_slots(b->topo); i++) {
		work[i].parent = NOWHERE;
		work[i].mark = NOWHERE;
	}
	/* So what comes back to the source is not expected there. */
	for (i = 0; i < ndirs; i++)
		if (b->entry[b->source * ndirs + i])
			return "the source has an entry";
	wrong = follow(b, work, &tail, THE_SOURCE, b->source, b->start);
	for (; head < tail && !wrong; head++) {
		u32 slot = work[head].slot;

		wrong = follow(b, work, &tail, slot, slot / ndirs,
			       b->entry[slot] & ~FC_BCAST_DELIVER);
	}
	for (i = 0; i < b->topo->nsites && !wrong; i++)
		if (i != b->source)
			wrong = check_paths(b, work, i);
	return wrong;
}

u32 fc_bcast_next(const struct fc_bcast *b, u32 source, u32 site, u8 from)
{
	const struct fc_topo *topo = b->topo;

	if (source >= topo->nsites || site >= topo->nsites ||
	    (site == source ? from != FC_BCAST_SOURCE : from >= topo->ndirs))
		return 0;
	if (!b->rules->relative)
		return compute(b, source, site, from);
	if (from == FC_BCAST_SOURCE)
		return b->start;
	return b->entry[b->rules->relative(topo, source, site) * topo->ndirs + from];
}
