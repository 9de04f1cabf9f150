/* SPDX-License-Identifier: GPL-2.0 */
/*
 * No packets can wait for each other in a circle: what has to hold in a network for that.
 *
 * A channel is a link, in one direction, with a class; it has buffers of its own at the end
 * that receives.  A packet in one waits for one of those by which it may go on.
 * vclass_net_channels() sends a packet from every site to every other in every way that
 * the functions of the core leave open, and so finds all that a channel ever waits for: the
 * channel dependency graph.  It must have no cycle.  A detour around a dead link ends in
 * a site, and begins anew there, so it adds nothing to that: packets begin at every site in
 * any case.
 *
 * A packet with several destinations waits for nothing that none of them would: at each site it
 * needs the channels of its destinations, and the class on a link is the same for all of them.
 *
 * Each check returns NULL, or what is wrong.
 */
#ifndef SELFTESTS_CORE_VCLASS_NET_H
#define SELFTESTS_CORE_VCLASS_NET_H

#include "topo/graph.h"
#include "vclass.h"

/*
 * @named: by site, the classes in which its packets begin
 * @next: by site, class and direction, the class on the link; 255: none
 * @out: by channel, the directions in which its packets go on
 * @rank: by channel, its place in an order without cycles
 * @mark: by channel, the last destination for which it was reached
 * @queue: of channels
 * @far: graphs: by class, site and destination, the links of the shortest legal way
 */
struct vclass_net {
	struct fc_topo topo;
	struct fc_vclass v;
	struct fc_graph graph;
	void *graph_room;
	void *next_hop_mem;
	u32 nchannels;
	u64 *named;
	u8 *next;
	u32 *out;
	u32 *rank;
	u32 *mark;
	u32 *queue;
	u16 *far;
	u8 top;		/* highest class in use */
	bool no_lists;	/* a packet begins in the class of its destination only */
};

/* Memory for a network of which @topo and @v are set; and all memory, of the graph, too. */
void vclass_net_open(struct vclass_net *t);
void vclass_net_close(struct vclass_net *t);

/*
 * The channel dependency graph: packets from all sites to all others, over all routes; every packet
 * arrives over a shortest route, and no channels wait in a cycle.
 */
const char *vclass_net_channels(struct vclass_net *t);

/*
 * Like vclass_net_channels() without destinations, for large networks and for forged packets: the
 * dependencies of a site's buffers for a class, whatever link fills them.
 */
const char *vclass_net_buffers(const struct fc_vclass *v);

/* For each class that a packet may claim: its routes are shortest and keep the order, or none. */
const char *vclass_net_lies(const struct vclass_net *t);

/* A detour goes from neighbour to neighbour, and links carry the classes that they should. */
const char *vclass_net_links(const struct vclass_net *t);

/* Packets with many destinations; call after vclass_net_channels(). */
const char *vclass_net_multicast(struct vclass_net *t);

/* In large networks except graphs: packets between random sites, each over a random route. */
const char *vclass_net_walk(const struct fc_vclass *v, unsigned int packets);

#endif /* SELFTESTS_CORE_VCLASS_NET_H */
