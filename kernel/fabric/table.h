/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_FABRIC_TABLE_H
#define FLITCAST_FABRIC_TABLE_H

#include "core/topo/bcast.h"
#include "core/bcast/relay.h"

struct flitcast_table;

/**
 * flitcast_table_get() - get the tables of a topology, creating and checking them if needed
 * @topo: topology
 *
 * Context: may sleep.  Return: tables, with a reference, or NULL: no memory.
 */
struct flitcast_table *flitcast_table_get(const struct fc_topo *topo);
/* Context: may sleep. */
void flitcast_table_put(struct flitcast_table *table);

/* Return: the maximum number of copies of a broadcast, at least 1. */
u8 flitcast_table_copies(const struct flitcast_table *table);

/* Return: the next hops of a packet that came in by port @in (struct fc_relay, @next_hop). */
u32 flitcast_table_next(const struct flitcast_table *table, u32 src, u32 site, u8 copies, u8 in);

#endif /* FLITCAST_FABRIC_TABLE_H */
