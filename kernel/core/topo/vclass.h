/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Virtual networks (Jesshope, Miller, Yantchev 1988, section 3): classes.
 *
 * Each link carries several classes, each with buffers of its own at the receiving end.  Buffers
 * are numbered, and the rules permit a packet only such classes and directions that it always waits
 * for a buffer with a larger number than that of its own buffer.  So the full buffer with the
 * largest number waits for no full buffer, and the network cannot deadlock.
 *
 * The rules depend on the configured topology alone.  A packet header may be forged: in any class,
 * a site forwards a packet to a buffer with a larger number or not at all.
 */
#ifndef FC_CORE_TOPO_VCLASS_H
#define FC_CORE_TOPO_VCLASS_H

#include "core/base.h"
#include "core/topo/topo.h"

/* Maximum number of classes: sets of classes are u64. */
#define FC_VCLASSES_MAX	64

struct fc_vclass_rules;

/**
 * struct fc_vclass - the classes of a network; constant once made
 * @topo: topology of the network; outlives the classes
 * @rules: rules of that kind of topology
 * @count: classes are 0 .. count - 1
 * @bits: meshes and tori: the lowest bits of a class are the number of an orthant, one bit a
 *	dimension of more than one site: 1 if the orthant is towards coordinate 0
 * @levels: tori: the other bits count from 0 to levels - 1; else 1
 * @root: graphs: the site where upward paths end
 * @only: graphs: the only site whose routes are in the table; FC_SITE_NONE: all
 * @next_hop: graphs: by site, class and destination, a mask of directions; the caller's memory
 */
struct fc_vclass {
	const struct fc_topo *topo;
	const struct fc_vclass_rules *rules;
	u8  count;
	u8  bits;
	u8  levels;
	u32 root;
	u32 only;
	u32 *next_hop;
};

/**
 * fc_vclass_init() - initialise the classes of a network
 * @v: result; unchanged unless NULL is returned.  A graph needs fc_vclass_fill(), too.
 * @topo: topology of the network
 *
 * Return: NULL, or a constant text with the reason why there are no virtual networks on it.
 */
const char *fc_vclass_init(struct fc_vclass *v, const struct fc_topo *topo);

/**
 * fc_vclass_room() - memory for the table
 * @v: from fc_vclass_init()
 * @site: whose routes the table is to have, or FC_SITE_NONE: those of all sites
 *
 * Return: bytes, to be aligned as u32 is; 0: no table is needed.
 */
size_t fc_vclass_room(const struct fc_vclass *v, u32 site);

/**
 * fc_vclass_fill() - fill the table
 * @v: from fc_vclass_init()
 * @site: whose routes the table is to have, or FC_SITE_NONE: those of all sites
 * @room: fc_vclass_room() bytes of any content, which outlive @v
 *
 * Takes time in proportion to the links for each site.
 */
void fc_vclass_fill(struct fc_vclass *v, u32 site, void *room);

/**
 * fc_vclass_first() - the class in which a packet begins
 * @v: classes
 * @src: source site
 * @dst: another site
 *
 * The packet waits at its source in a queue outside of all classes, and is routed there as one of
 * this class.  @dst also has a route in each lower class that this function returns for another
 * destination of @src.  So a packet with several destinations begins in the lowest of their
 * classes.
 *
 * Return: the class; 0 if there are no such sites.
 */
u8 fc_vclass_first(const struct fc_vclass *v, u32 src, u32 dst);

/**
 * fc_vclass_next_hops() - next hops of a packet
 * @v: classes
 * @site: current site
 * @dst: one of the target sites
 * @class: at the source, the result of fc_vclass_first() for @dst, or a lower one for another
 *	target; elsewhere the class in which the packet arrived
 * @next: result: for each direction of the mask, the class on that link
 *
 * Every choice among the next hops at each site leads to @dst over the fewest links (in a graph, of
 * the paths that go up first, and then down), and each site on that path has a next hop.  @next
 * does not depend on @dst, so that destinations that share a link share a class on it.
 *
 * Return: mask of directions; 0 at @dst, for a site or a class that does not exist, and
 * for a class in which a packet to @dst cannot be at @site.
 */
u32 fc_vclass_next_hops(const struct fc_vclass *v, u32 site, u32 dst, u8 class,
			u8 next[FC_DIRS_MAX]);

/**
 * fc_vclass_allowed() - next hops of packets of a class, for all destinations
 * @v: classes
 * @site: current site
 * @class: class in which they began or arrived
 * @next: result: for each direction of the mask, the class on that link
 *
 * The result of fc_vclass_next_hops() is a subset of this for every destination.
 *
 * Return: mask of directions; 0 for a site or a class that does not exist.
 */
u32 fc_vclass_allowed(const struct fc_vclass *v, u32 site, u8 class, u8 next[FC_DIRS_MAX]);

/**
 * fc_vclass_carried() - the classes that packets on a link can have
 * @v: classes
 * @site: sending end of the link
 * @dir: direction of the link from @site
 *
 * Takes time in proportion to the number of classes; called when a link is configured.
 *
 * Return: mask of classes; others need no buffers, and only a faulty site sends in them.
 */
u64 fc_vclass_carried(const struct fc_vclass *v, u32 site, u8 dir);

#endif /* FC_CORE_TOPO_VCLASS_H */
