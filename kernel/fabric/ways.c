// SPDX-License-Identifier: GPL-2.0
/* Configured paths of broadcasts (core/ways.h), by source and number of copies. */
#include <linux/mm.h>
#include <linux/slab.h>
#include "core/relay.h"
#include "fabric/ways.h"

#define KINDS	(FC_WAYS_COPIES_MAX - FC_WAYS_COPIES_MIN + 1)

/**
 * struct flitcast_ways_set - next hops for the broadcasts of one source, with one number of copies
 * @n: number of @way
 * @way: next hops; validated
 */
struct flitcast_ways_set {
	u32 n;
	struct fc_way way[];
};

/**
 * struct flitcast_ways - all configured paths at a site
 * @nsites: number of sources
 * @set: KINDS entries per source, by number of copies; NULL: not configured
 */
struct flitcast_ways {
	u32 nsites;
	struct flitcast_ways_set *set[];
};

struct flitcast_ways *flitcast_ways_alloc(u32 nsites)
{
	struct flitcast_ways *ways;

	ways = kvzalloc(struct_size(ways, set, (size_t)nsites * KINDS), GFP_KERNEL_ACCOUNT);
	if (ways)
		ways->nsites = nsites;
	return ways;
}

void flitcast_ways_free(struct flitcast_ways *ways)
{
	u32 i;

	for (i = 0; ways && i < ways->nsites * KINDS; i++)
		kfree(ways->set[i]);
	kvfree(ways);
}

struct flitcast_ways_set *flitcast_ways_make(const struct fc_way *way, u32 n)
{
	struct flitcast_ways_set *set = kmalloc(struct_size(set, way, n), GFP_KERNEL_ACCOUNT);

	if (!set)
		return NULL;
	set->n = n;
	memcpy(set->way, way, n * sizeof(*way));
	return set;
}

static u32 place_of(u32 source, u32 copies)
{
	return source * KINDS + copies - FC_WAYS_COPIES_MIN;
}

static const struct flitcast_ways_set *find(const struct flitcast_ways *ways, u32 source,
					    u8 copies)
{
	if (source >= ways->nsites || copies < FC_WAYS_COPIES_MIN || copies > FC_WAYS_COPIES_MAX)
		return NULL;
	return READ_ONCE(ways->set[place_of(source, copies)]);
}

struct flitcast_ways_set *flitcast_ways_exchange(struct flitcast_ways *ways, u32 source,
						 u32 copies, struct flitcast_ways_set *set)
{
	struct flitcast_ways_set **place = &ways->set[place_of(source, copies)], *old = *place;

	WRITE_ONCE(*place, set);
	return old;
}

u32 flitcast_ways_next(const struct flitcast_ways *ways, u32 source, u8 copies, u8 in, u8 label)
{
	const struct flitcast_ways_set *set = find(ways, source, copies);
	u32 next = set ? fc_ways_next(set->way, set->n, in, label) : 0;

	return next ? next : FC_RELAY_NEVER;
}

u8 flitcast_ways_label(const struct flitcast_ways *ways, u32 source, u8 copies, u8 in, u8 label,
		       u8 out)
{
	const struct flitcast_ways_set *set = find(ways, source, copies);

	return set ? fc_ways_label(set->way, set->n, in, label, out) : 0;
}

bool flitcast_ways_begin(const struct flitcast_ways *ways, u32 source, u8 copies)
{
	return find(ways, source, copies);
}

u32 flitcast_ways_walk(const struct flitcast_ways *ways, u32 *source, u32 *copies,
		       struct fc_way *way)
{
	u32 place = *copies ? place_of(*source, *copies) : *source * KINDS;

	for (; place < ways->nsites * KINDS; place++) {
		const struct flitcast_ways_set *set = ways->set[place];

		if (!set)
			continue;
		*source = place / KINDS;
		*copies = place % KINDS + FC_WAYS_COPIES_MIN;
		memcpy(way, set->way, set->n * sizeof(*way));
		return set->n;
	}
	return 0;
}
