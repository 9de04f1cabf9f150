/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcast in k copies over k node-disjoint paths (HARTS, section 4): tables.
 *
 * Sites forward a packet of a broadcast by tables alone: its source and its input link determine
 * whether a site accepts it, and its output links.  A site trusts no other field of the packet.  So
 * a faulty site can corrupt only copies whose paths lead through it, at most one of those for any
 * other site.
 *
 * In a symmetric network one table, that of source 0, serves all sources.  The rules of the
 * topology (core/topo/rules.h) fill the table, and fc_bcast_check() checks it without them before
 * it is used.  In other networks sites compute the entries, and tables of some sources are filled
 * to be checked.
 */
#ifndef FC_CORE_TOPO_BCAST_H
#define FC_CORE_TOPO_BCAST_H

#include "core/base.h"
#include "core/topo/topo.h"
#include "core/topo/tree.h"

struct fc_bcast_rules;

/* Maximum number of sites: the table takes two megabytes at most. */
#define FC_BCAST_SITES_MAX	16384

/* Flag of an entry: the packet is one of the k copies for this site. */
#define FC_BCAST_DELIVER	((u32)1 << 31)

/* @from of fc_bcast_next(): the site is the source. */
#define FC_BCAST_SOURCE		FC_TREE_SOURCE

/**
 * struct fc_bcast - a table; constant once filled
 * @topo: topology of the network
 * @rules: rules that fill the table
 * @entry: fc_bcast_slots() entries, by site relative to the source, and direction of the input link
 *	from this site; a mask of the directions in which to forward the packet, with
 *	FC_BCAST_DELIVER; 0: no path uses the input link.  The caller's memory.
 * @start: directions in which the source sends
 * @source: source of the table; 0 in symmetric networks, which have no other one
 * @copies: number k of copies
 *
 * Site s relative to source q is the site that is to site 0 what s is to q.
 */
struct fc_bcast {
	const struct fc_topo *topo;
	const struct fc_bcast_rules *rules;
	u32 *entry;
	u32 start;
	u32 source;
	u8 copies;
};

/**
 * struct fc_bcast_packet - a packet of a broadcast, as the rules see it
 * @site: current site, relative to the source
 * @left: number of sites still to visit straight ahead
 * @dir: direction of travel
 * @step: number of turns so far, plus one
 * @tags: FC_BCAST_TAG_* or the number of the tree
 */
struct fc_bcast_packet {
	u32 site;
	u32 left;
	u8 dir;
	u8 step;
	u8 tags;
};

/**
 * struct fc_bcast_work - scratch memory of fc_bcast_fill() and fc_bcast_check(), for each slot
 * @packet: queue of packets in flight
 * @slot: queue of slots reached
 * @parent: by slot, the slot from which it was reached
 * @mark: by site
 */
struct fc_bcast_work {
	struct fc_bcast_packet packet;
	u32 slot;
	u32 parent;
	u32 mark;
};

/**
 * fc_bcast_init() - find the rules for a broadcast
 * @b: result, except @entry, with source 0; unchanged unless NULL is returned
 * @topo: topology of the network
 * @copies: number k of copies
 *
 * Return: NULL, or a constant text with the reason why there is no such broadcast.
 */
const char *fc_bcast_init(struct fc_bcast *b, const struct fc_topo *topo, unsigned int copies);

/* Return: number of entries of a table, and of elements of its scratch memory. */
static inline u32 fc_bcast_slots(const struct fc_topo *topo)
{
	return topo->nsites * topo->ndirs;
}

/**
 * fc_bcast_fill() - fill the table by the rules
 * @b: from fc_bcast_init(), with memory at @entry; in networks that are not symmetric the caller
 *	may set another source
 * @work: fc_bcast_slots() elements, any content
 *
 * Return: NULL, or a constant text: the rules contradict themselves.
 */
const char *fc_bcast_fill(struct fc_bcast *b, struct fc_bcast_work *work);

/**
 * fc_bcast_check() - does a table give k disjoint paths to each site?
 * @b: table, filled
 * @work: fc_bcast_slots() elements, any content
 *
 * Uses only the table and the neighbours of the topology.  Checks that each site gets
 * exactly k copies, that no other site is on two of their paths, that no link carries two packets,
 * that no packet returns to the source, and that each entry is used.  A site runs this before it
 * uses a table; the time is proportional to the total length of all paths.
 *
 * Return: NULL, or a constant text with the error.
 */
const char *fc_bcast_check(const struct fc_bcast *b, struct fc_bcast_work *work);

/**
 * fc_bcast_next() - next hops of a packet
 * @b: table, filled and checked; in networks that are not symmetric without @entry, too
 * @source: source in the packet header
 * @site: current site
 * @from: direction from @site of the input link, or FC_BCAST_SOURCE: @site is the source
 *
 * Return: an entry; 0 also for a source or a direction that does not exist.
 */
u32 fc_bcast_next(const struct fc_bcast *b, u32 source, u32 site, u8 from);

#endif /* FC_CORE_TOPO_BCAST_H */
