/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_FABRIC_WAYS_H
#define FLITCAST_FABRIC_WAYS_H

#include "core/ways.h"

struct flitcast_ways;
struct flitcast_ways_set;

/*
 * What a site was told of broadcasts in several copies.  The site's lock protects it; where
 * nothing else is said below, the caller holds it.
 */

/* Context: may sleep, without the lock.  NULL: no memory. */
struct flitcast_ways *flitcast_ways_alloc(u32 nsites);
/* Of NULL, too.  Context: without the lock. */
void flitcast_ways_free(struct flitcast_ways *ways);

/* A set of ways, to be put there or given to kfree().  Context: may sleep, without the lock. */
struct flitcast_ways_set *flitcast_ways_make(const struct fc_way *way, u32 n);
/* Put a set, or NULL, in the place of another.  Return: that one, or NULL. */
struct flitcast_ways_set *flitcast_ways_exchange(struct flitcast_ways *ways, u32 source,
						 u32 copies, struct flitcast_ways_set *set);

/* Where a packet goes on that came in by a port (struct fc_relay, @way). */
u32 flitcast_ways_next(const struct flitcast_ways *ways, u32 source, u8 copies, u8 in, u8 label);
/* With which label it goes on. */
u8 flitcast_ways_label(const struct flitcast_ways *ways, u32 source, u8 copies, u8 in, u8 label,
		       u8 out);
/* Has a source ways for so many copies?  Context: any. */
bool flitcast_ways_begin(const struct flitcast_ways *ways, u32 source, u8 copies);
/* See flitcast_site_ways_next(). */
u32 flitcast_ways_walk(const struct flitcast_ways *ways, u32 *source, u32 *copies,
		       struct fc_way *way);

#endif /* FLITCAST_FABRIC_WAYS_H */
