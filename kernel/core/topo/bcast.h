/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcast in k copies over k node-disjoint paths (HARTS, section 4): tables.
 *
 * Sites forward a packet of a broadcast by tables alone: its source and the input link determine
 * whether a site accepts it, and its output links.  A site trusts nothing else in the packet.  So a
 * faulty site can only spoil the copies whose paths lead through it, at most one of those for any
 * other site.
 *
 * The networks look the same from each of their sites, so one table serves all
 * sources: that of a source at site 0.  It is made by the rules of the topology
 * (topo/rules.h), and checked on its own, without them, before it is used.
 */
#ifndef FC_CORE_TOPO_BCAST_H
#define FC_CORE_TOPO_BCAST_H

#include "core/base.h"
#include "core/topo/topo.h"

struct fc_bcast_rules;

/* A million sites would take gigabytes of tables; this many take a megabyte at most. */
#define FC_BCAST_SITES_MAX	16384

/* Of an entry: the packet is one of the k copies of this site. */
#define FC_BCAST_DELIVER	((u32)1 << 31)

/**
 * struct fc_bcast - a table; constant once filled
 * @topo: topology of the network
 * @rules: what fills it
 * @entry: fc_bcast_slots() of them, by site relative to the source, and direction of the link as
 *	this site sees it; a mask of the directions in which the packet is forwarded, with
 *	FC_BCAST_DELIVER; 0: no packet of a broadcast comes here.  The caller's memory.
 * @start: directions in which the source begins
 * @copies: k
 *
 * Site s relative to source q is the site that is to site 0 what s is to q.
 */
struct fc_bcast {
	const struct fc_topo *topo;
	const struct fc_bcast_rules *rules;
	u32 *entry;
	u32 start;
	u8 copies;
};

/**
 * struct fc_bcast_packet - a packet of a broadcast, as the rules see it
 * @site: where it is, relative to the source
 * @left: sites that it has still to visit straight ahead
 * @dir: direction of travel
 * @step: turns taken, and one
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
 * struct fc_bcast_work - memory for the making of a table, for each slot
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
 * fc_bcast_init() - which rules are for a broadcast
 * @b: result, but for @entry; untouched unless NULL is returned
 * @topo: topology of the network
 * @copies: k
 *
 * Return: NULL, or a constant text with the reason why there is no such broadcast.
 */
const char *fc_bcast_init(struct fc_bcast *b, const struct fc_topo *topo, unsigned int copies);

/* Entries of a table, and elements of the memory for its making. */
static inline u32 fc_bcast_slots(const struct fc_topo *topo)
{
	return topo->nsites * topo->ndirs;
}

/**
 * fc_bcast_fill() - make the table by the rules
 * @b: from fc_bcast_init(), with memory at @entry
 * @work: fc_bcast_slots() elements, any content
 *
 * Return: NULL, or a constant text: the rules contradict themselves.
 */
const char *fc_bcast_fill(struct fc_bcast *b, struct fc_bcast_work *work);

/**
 * fc_bcast_check() - does a table give k disjoint paths to each site
 * @b: filled
 * @work: fc_bcast_slots() elements, any content
 *
 * Uses nothing but the table and the neighbours of the topology.  Checks that each site gets
 * exactly k copies, that no other site is on two of their paths, that no link carries two packets,
 * that no packet returns to the source, and that each entry is used.  A site runs this before it
 * uses a table; the time is proportional to the total length of all paths.
 *
 * Return: NULL, or a constant text with the error.
 */
const char *fc_bcast_check(const struct fc_bcast *b, struct fc_bcast_work *work);

/**
 * fc_bcast_next() - next hops of a packet
 * @b: filled and checked
 * @source: source in the packet header
 * @site: where it is
 * @from: direction of the link on which it came, as @site sees it
 *
 * Return: an entry; 0 also for a source or a direction that does not exist, and at
 * the source itself.
 */
u32 fc_bcast_next(const struct fc_bcast *b, u32 source, u32 site, u8 from);

#endif /* FC_CORE_TOPO_BCAST_H */
