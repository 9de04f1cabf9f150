// SPDX-License-Identifier: GPL-2.0
/*
 * Reservation lists (csr_list.h): a pool of reservations, a hash table by packet, and for each link
 * a list of windows in order of time.  fc_csr_list_fit() finds the first gap of the requested
 * length in that list, and tests that the link has buffer space until then.
 */
#include "core/csr/csr_list.h"

void fc_csr_pool_init(struct fc_csr_pool *p)
{
	u16 i;

	p->free = FC_CSR_NONE;
	p->used = 0;
	for (i = p->size; i--;) {
		memset(&p->res[i], 0, sizeof(p->res[i]));
		p->res[i].bucket = FC_CSR_NONE;
		p->res[i].same = FC_CSR_NONE;
		p->res[i].next = p->free;
		p->free = i;
	}
}

/* Multiplicative (Knuth): numbers of a site follow each other. */
static u16 hash(const struct fc_csr_pool *p, u32 site, u32 number)
{
	u32 h = (site * 0x9e3779b1U + number) * 0x85ebca6bU;

	return (u16)(((h >> 16) * (u32)p->size) >> 16);
}

static bool is(const struct fc_csr_res *r, u32 site, u32 number)
{
	return r->id.site == site && r->id.number == number;
}

static u16 find(const struct fc_csr_pool *p, u16 i, u32 site, u32 number)
{
	while (i != FC_CSR_NONE && !is(&p->res[i], site, number))
		i = p->res[i].same;
	return i;
}

u16 fc_csr_pool_first(const struct fc_csr_pool *p, u32 site, u32 number)
{
	return find(p, p->res[hash(p, site, number)].bucket, site, number);
}

u16 fc_csr_pool_next(const struct fc_csr_pool *p, u16 i)
{
	const struct fc_csr_res *r = &p->res[i];

	return find(p, r->same, r->id.site, r->id.number);
}

/* How many packets wait for the link at this time? */
static u32 waiting(const struct fc_csr_pool *p, const struct fc_csr_link *l, u64 t)
{
	u32 n = 0;
	u16 i;

	for (i = l->first; i != FC_CSR_NONE; i = p->res[i].next)
		n += p->res[i].from <= t && t < p->res[i].at;
	return n;
}

/* Is there room for one more from a time to another?  It is used up where a wait begins. */
static bool may_wait(const struct fc_csr_pool *p, const struct fc_csr_link *l, u64 from, u64 at)
{
	u16 i;

	if (from == at)
		return true;
	if (waiting(p, l, from) >= l->k)
		return false;
	for (i = l->first; i != FC_CSR_NONE; i = p->res[i].next) {
		const struct fc_csr_res *r = &p->res[i];

		if (r->from > from && r->from < at && r->from < r->at &&
		    waiting(p, l, r->from) >= l->k)
			return false;
	}
	return true;
}

bool fc_csr_list_fit(const struct fc_csr_pool *p, const struct fc_csr_link *l, u64 from,
		     u64 min, u64 len, u64 *at)
{
	u64 t = min > from ? min : from;
	u16 i;

	for (i = l->first; i != FC_CSR_NONE; i = p->res[i].next) {
		const struct fc_csr_res *r = &p->res[i];

		if (r->end <= t)
			continue;
		if (r->at >= t && r->at - t >= len)
			break;
		t = r->end;
	}
	/* A later window would wait longer: there is none if this one has no room to wait. */
	if (!may_wait(p, l, from, t))
		return false;
	*at = t;
	return true;
}

u16 fc_csr_list_add(struct fc_csr_pool *p, struct fc_csr_link *l, const struct fc_csr_res *r)
{
	u16 i = p->free, *at = &l->first, *bucket;

	if (i == FC_CSR_NONE)
		return i;
	p->free = p->res[i].next;
	p->used++;
	while (*at != FC_CSR_NONE && p->res[*at].at < r->at)
		at = &p->res[*at].next;
	bucket = &p->res[hash(p, r->id.site, r->id.number)].bucket;
	/* The head of a bucket is not of the reservation in whose struct it is. */
	p->res[i] = (struct fc_csr_res){
		.came = r->came, .from = r->from, .at = r->at, .latest = r->latest,
		.end = r->end, .lapse = r->lapse, .span = r->span, .tag = r->tag, .id = r->id,
		.next = *at, .same = *bucket, .bucket = p->res[i].bucket,
		.state = r->state, .in = r->in, .out = r->out, .leg = r->leg,
		.legs = r->legs,
	};
	*bucket = i;
	*at = i;
	return i;
}

void fc_csr_list_del(struct fc_csr_pool *p, struct fc_csr_link *l, u16 i)
{
	struct fc_csr_res *r = &p->res[i];
	u16 *at = &l->first;

	while (*at != i)
		at = &p->res[*at].next;
	*at = r->next;
	at = &p->res[hash(p, r->id.site, r->id.number)].bucket;
	while (*at != i)
		at = &p->res[*at].same;
	*at = r->same;
	r->state = FC_CSR_FREE;
	r->next = p->free;
	p->free = i;
	p->used--;
}
