/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_FABRIC_WAYS_H
#define FLITCAST_FABRIC_WAYS_H

#include "core/ways.h"

struct flitcast_ways;
struct flitcast_ways_set;

/*
 * Configured paths of broadcasts in several copies (ways.c).  The caller holds the site's lock,
 * unless stated otherwise.
 */

/* Return: an empty set of paths; NULL: no memory.  Context: may sleep, without the lock. */
struct flitcast_ways *flitcast_ways_alloc(u32 nsites);
/* @ways may be NULL.  Context: without the lock. */
void flitcast_ways_free(struct flitcast_ways *ways);

/*
 * Allocate the next hops of a source, to be installed or passed to kfree().  Context: may sleep,
 * without the lock.
 */
struct flitcast_ways_set *flitcast_ways_make(const struct fc_way *way, u32 n);
/* Install @set, or NULL.  Return: the previous one, which the caller frees, or NULL. */
struct flitcast_ways_set *flitcast_ways_exchange(struct flitcast_ways *ways, u32 source,
						 u32 copies, struct flitcast_ways_set *set);

/* Return: the next hops of a packet that came in by port @in (struct fc_relay, @way). */
u32 flitcast_ways_next(const struct flitcast_ways *ways, u32 source, u8 copies, u8 in, u8 label);
/* Return: the label of the packet on its next hop. */
u8 flitcast_ways_label(const struct flitcast_ways *ways, u32 source, u8 copies, u8 in, u8 label,
		       u8 out);
/* Return: true if paths with so many copies are configured for a source.  Context: any. */
bool flitcast_ways_begin(const struct flitcast_ways *ways, u32 source, u8 copies);
/* See flitcast_site_ways_next(). */
u32 flitcast_ways_walk(const struct flitcast_ways *ways, u32 *source, u32 *copies,
		       struct fc_way *way);

#endif /* FLITCAST_FABRIC_WAYS_H */
