/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_FABRIC_PATH_H
#define FLITCAST_FABRIC_PATH_H

#include "core/bcast/path.h"

struct flitcast_paths;
struct flitcast_path_set;

/*
 * Configured paths of broadcasts in several copies (path.c).  The caller holds the site's lock,
 * unless stated otherwise.
 */

/* Return: an empty set of paths; NULL: no memory.  Context: may sleep, without the lock. */
struct flitcast_paths *flitcast_path_alloc(u32 nsites);
/* @paths may be NULL.  Context: without the lock. */
void flitcast_path_free(struct flitcast_paths *paths);

/*
 * Allocate the next hops of a source, to be installed or passed to kfree().  Context: may sleep,
 * without the lock.
 */
struct flitcast_path_set *flitcast_path_make(const struct fc_path_entry *entry, u32 n);
/* Install @set, or NULL.  Return: the previous one, which the caller frees, or NULL. */
struct flitcast_path_set *flitcast_path_exchange(struct flitcast_paths *paths, u32 source,
						 u32 copies, struct flitcast_path_set *set);

/* Return: the next hops of a packet that came in by port @in (struct fc_relay, @entry). */
u32 flitcast_path_next(const struct flitcast_paths *paths, u32 source, u8 copies, u8 in, u8 label);
/* Return: the label of the packet on its next hop. */
u8 flitcast_path_label(const struct flitcast_paths *paths, u32 source, u8 copies, u8 in, u8 label,
		       u8 out);
/* Return: true if paths with so many copies are configured for a source.  Context: any. */
bool flitcast_path_begin(const struct flitcast_paths *paths, u32 source, u8 copies);
/* See flitcast_site_path_next(). */
u32 flitcast_path_walk(const struct flitcast_paths *paths, u32 *source, u32 *copies,
		       struct fc_path_entry *entry);

#endif /* FLITCAST_FABRIC_PATH_H */
