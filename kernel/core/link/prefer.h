/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Preferences of a site among the next hops to a target, in every mode.
 *
 * Table G of CARE (struct fc_pref) maps a direction to ports.  The entries here choose among the
 * directions in which a packet may leave anyway: those of shortest paths in the packet's class
 * (core/topo/vclass.h), or of mode care.  They only leave some out, so they add no dependency
 * between channels, and the proof of deadlock freedom stays valid with any table.
 */
#ifndef FC_CORE_LINK_PREFER_H
#define FC_CORE_LINK_PREFER_H

#include "core/topo/vclass.h"
#include "core/wire/wire.h"

/* Limits of a table: entries, one of which is for all other targets; ranges of an entry. */
#define FC_PREFER_MAX		64
#define FC_PREFER_RANGES_MAX	32

/* Maximum of a weight. */
#define FC_WEIGHT_MAX		100

/**
 * struct fc_range - consecutive sites
 * @first: first site
 * @last: last site
 */
struct fc_range {
	u32 first;
	u32 last;
};

/**
 * struct fc_prefer - an entry: preference among the next hops to some targets
 * @strict: directions that are never used
 * @never: directions that are used only where no other one is left; includes @strict
 * @weighted: directions with a weight
 * @count: number of directions in @order
 * @order: directions in decreasing order of preference; others come after them
 * @weight: by direction of @weighted, share of the packets, 1 .. FC_WEIGHT_MAX
 * @nranges: number of ranges; 0: the entry is for all targets without another one
 * @range: the targets, in increasing order
 *
 * An entry has an order or weights, not both.
 */
struct fc_prefer {
	u32 strict;
	u32 never;
	u32 weighted;
	u8 count;
	u8 order[FC_DIRS_MAX];
	u8 weight[FC_DIRS_MAX];
	u8 nranges;
	struct fc_range range[FC_PREFER_RANGES_MAX];
};

/**
 * struct fc_prefer_table - the entries of a site; constant once made
 * @of: by site, number of its entry; NULL: entry 0 for all
 * @count: number of entries
 * @entry: entries; entry 0 is for all targets without another one, and may be empty
 */
struct fc_prefer_table {
	u8 *of;
	u32 count;
	struct fc_prefer entry[];
};

static inline const struct fc_prefer *fc_prefer_of(const struct fc_prefer_table *table, u32 dst)
{
	return &table->entry[table->of ? table->of[dst] : 0];
}

static inline bool fc_prefer_same_targets(const struct fc_prefer *a, const struct fc_prefer *b)
{
	return a->nranges == b->nranges &&
	       !memcmp(a->range, b->range, a->nranges * sizeof(*a->range));
}

/* Does the entry prefer anything?  Entry 0 of a table may be empty. */
static inline bool fc_prefer_is_set(const struct fc_prefer *p)
{
	return p->never || p->count || p->weighted;
}

/**
 * fc_prefer_key() - number of a packet for weights
 * @head: head of the packet
 *
 * Return: the same number for all packets of a datagram's flow, and another one for each packet of
 * a message.
 */
static inline u32 fc_prefer_key(const u8 *head)
{
	u32 key = fc_get32(head + FC_AT_SOCK);

	return fc_wire_datagram(head) ? key : key ^ fc_get32(head + FC_AT_ID) * 0x9e3779b1U ^
					      fc_get32(head + FC_AT_OFFSET) * 0x85ebca6bU;
}

/* The direction of @dirs, all of which have weights, that the packet's share is. */
u32 fc_prefer_share(const struct fc_prefer *p, u32 dirs, u32 key, u32 site);

/* The first of @order that is in @dirs, or @dirs. */
static inline u32 fc_prefer_first(const struct fc_prefer *p, u32 dirs)
{
	u8 i;

	for (i = 0; i < p->count; i++)
		if (dirs & fc_bit(p->order[i]))
			return fc_bit(p->order[i]);
	return dirs;
}

/**
 * fc_prefer_narrow() - leave out what an entry prefers less
 * @p: entry
 * @dirs: directions in which a packet may leave
 *
 * Return: directions of @dirs of which any may be used; 0 if @dirs is 0.
 */
static inline u32 fc_prefer_narrow(const struct fc_prefer *p, u32 dirs)
{
	if (dirs & ~p->never)
		dirs &= ~p->never;
	dirs = fc_prefer_first(p, dirs);
	return dirs & p->weighted ? dirs & p->weighted : dirs;
}

/**
 * fc_prefer_choose() - as fc_prefer_narrow(), for a certain packet
 * @p: entry
 * @dirs: directions in which it may leave
 * @key: fc_prefer_key() of the packet
 * @site: this site
 *
 * Return: as fc_prefer_narrow(); of directions with weights, one.
 */
static inline u32 fc_prefer_choose(const struct fc_prefer *p, u32 dirs, u32 key, u32 site)
{
	dirs = fc_prefer_narrow(p, dirs);
	if (!(dirs & p->weighted) || !(dirs & (dirs - 1)))
		return dirs;
	return fc_prefer_share(p, dirs, key, site);
}

/**
 * fc_prefer_index() - fill @of of a table
 * @table: table with its entries, and with @of for @nsites sites
 * @nsites: number of sites
 *
 * Return: FC_SITE_NONE, or a site that two entries name.
 */
u32 fc_prefer_index(struct fc_prefer_table *table, u32 nsites);

/**
 * fc_prefer_classes() - the classes in which packets can be at a site
 * @v: classes of the network
 * @site: the site
 *
 * Takes time in proportion to the number of sites.
 *
 * Return: mask of the classes in which packets begin or arrive there.
 */
u64 fc_prefer_classes(const struct fc_vclass *v, u32 site);

/**
 * fc_prefer_blocks() - would a site have no next hop to a target any more?
 * @v: classes of the network
 * @site: the site
 * @classes: fc_prefer_classes()
 * @dst: the target
 * @never: directions that are not used
 *
 * Return: true if with all links working there is a class of @classes in which all next hops are in
 * @never; also if by the rules of the topology no packet to @dst comes to the site in that class.
 */
bool fc_prefer_blocks(const struct fc_vclass *v, u32 site, u64 classes, u32 dst, u32 never);

#endif /* FC_CORE_LINK_PREFER_H */
