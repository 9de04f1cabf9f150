// SPDX-License-Identifier: GPL-2.0
/* Configured paths of broadcasts (core/bcast/path.h), by source and number of copies. */
#include <linux/mm.h>
#include <linux/slab.h>
#include "core/bcast/relay.h"
#include "fabric/path.h"

#define KINDS	(FC_PATH_COPIES_MAX - FC_PATH_COPIES_MIN + 1)

/**
 * struct flitcast_path_set - next hops for the broadcasts of one source, with one number of copies
 * @n: number of @entry
 * @entry: next hops; validated
 */
struct flitcast_path_set {
	u32 n;
	struct fc_path_entry entry[];
};

/**
 * struct flitcast_paths - all configured paths at a site
 * @nsites: number of sources
 * @set: KINDS entries per source, by number of copies; NULL: not configured
 */
struct flitcast_paths {
	u32 nsites;
	struct flitcast_path_set *set[];
};

struct flitcast_paths *flitcast_path_alloc(u32 nsites)
{
	struct flitcast_paths *paths;

	paths = kvzalloc(struct_size(paths, set, (size_t)nsites * KINDS), GFP_KERNEL_ACCOUNT);
	if (paths)
		paths->nsites = nsites;
	return paths;
}

void flitcast_path_free(struct flitcast_paths *paths)
{
	u32 i;

	for (i = 0; paths && i < paths->nsites * KINDS; i++)
		kfree(paths->set[i]);
	kvfree(paths);
}

struct flitcast_path_set *flitcast_path_make(const struct fc_path_entry *entry, u32 n)
{
	struct flitcast_path_set *set = kmalloc(struct_size(set, entry, n), GFP_KERNEL_ACCOUNT);

	if (!set)
		return NULL;
	set->n = n;
	memcpy(set->entry, entry, n * sizeof(*entry));
	return set;
}

static u32 place_of(u32 source, u32 copies)
{
	return source * KINDS + copies - FC_PATH_COPIES_MIN;
}

static const struct flitcast_path_set *find(const struct flitcast_paths *paths, u32 source,
					    u8 copies)
{
	if (source >= paths->nsites || copies < FC_PATH_COPIES_MIN || copies > FC_PATH_COPIES_MAX)
		return NULL;
	return READ_ONCE(paths->set[place_of(source, copies)]);
}

struct flitcast_path_set *flitcast_path_exchange(struct flitcast_paths *paths, u32 source,
						 u32 copies, struct flitcast_path_set *set)
{
	struct flitcast_path_set **place = &paths->set[place_of(source, copies)], *old = *place;

	WRITE_ONCE(*place, set);
	return old;
}

u32 flitcast_path_next(const struct flitcast_paths *paths, u32 source, u8 copies, u8 in, u8 label)
{
	const struct flitcast_path_set *set = find(paths, source, copies);
	u32 next = set ? fc_path_next(set->entry, set->n, in, label) : 0;

	return next ? next : FC_RELAY_NEVER;
}

u8 flitcast_path_label(const struct flitcast_paths *paths, u32 source, u8 copies, u8 in, u8 label,
		       u8 out)
{
	const struct flitcast_path_set *set = find(paths, source, copies);

	return set ? fc_path_label(set->entry, set->n, in, label, out) : 0;
}

bool flitcast_path_begin(const struct flitcast_paths *paths, u32 source, u8 copies)
{
	return find(paths, source, copies);
}

u32 flitcast_path_walk(const struct flitcast_paths *paths, u32 *source, u32 *copies,
		       struct fc_path_entry *entry)
{
	u32 place = *copies ? place_of(*source, *copies) : *source * KINDS;

	for (; place < paths->nsites * KINDS; place++) {
		const struct flitcast_path_set *set = paths->set[place];

		if (!set)
			continue;
		*source = place / KINDS;
		*copies = place % KINDS + FC_PATH_COPIES_MIN;
		memcpy(entry, set->entry, set->n * sizeof(*entry));
		return set->n;
	}
	return 0;
}
