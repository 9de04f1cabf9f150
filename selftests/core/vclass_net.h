/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conditions under which no packets wait for each other in a cycle.
 *
 * A channel is a class on a link in one direction, with its own buffers at the receiving end.  A
 * packet in a channel waits for one of the channels of its next hops.  vclass_net_channels() sends
 * a packet from every site to every other one over every route that the functions of the core
 * permit, and so finds all dependencies of each channel: the channel dependency graph, which must
 * have no cycle.  A detour around a dead link ends in a site, and the packet begins again there;
 * that adds no dependency, since packets begin at every site anyway.
 *
 * A packet with several destinations has no further dependencies: at each site it needs the
 * channels of its destinations, and the class on a link is the same for all of them.
 *
 * Each check returns NULL, or an error text.
 */
#ifndef SELFTESTS_CORE_VCLASS_NET_H
#define SELFTESTS_CORE_VCLASS_NET_H

#include "core/link/node.h"
#include "core/topo/graph.h"
#include "core/topo/vclass.h"

/*
 * @named: by site, the classes in which its packets begin
 * @next: by site, class and direction, the class on the link; 255: none
 * @out: by channel, the directions of the next hops of its packets
 * @rank: by channel, its number in an acyclic order
 * @mark: by channel, the last destination for which it was reached
 * @queue: queue of channels
 * @node: by site, a node with preferences among next hops; NULL: packets may take every next hop
 * @far: graphs: by class, site and destination, the links of the shortest legal path
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
	const struct fc_node *node;
	u16 *far;
	u8 top;		/* highest class in use */
	bool no_lists;	/* a packet begins in the class of its destination only */
};

/* Allocate memory for a network with @topo and @v set; free all memory, of the graph, too. */
void vclass_net_open(struct vclass_net *t);
void vclass_net_close(struct vclass_net *t);

/*
 * Build the channel dependency graph: packets from all sites to all others, over all routes.  Every
 * packet must arrive over a shortest path, and the graph must be acyclic.  Preferences must leave
 * some of the next hops, and none but these, unless all are excluded strictly.
 */
const char *vclass_net_channels(struct vclass_net *t);

/*
 * Like vclass_net_channels() without destinations, for large networks and for forged packets: the
 * dependencies of a site's buffers for a class, whatever link fills them.
 */
const char *vclass_net_buffers(const struct fc_vclass *v);

/* For each class that a packet may claim, its routes are shortest and keep the order, or none. */
const char *vclass_net_lies(const struct vclass_net *t);

/* A detour goes from neighbour to neighbour, and links carry the classes that they must. */
const char *vclass_net_links(const struct vclass_net *t);

/* Packets with many destinations; call after vclass_net_channels(). */
const char *vclass_net_multicast(struct vclass_net *t);

/* In large networks except graphs: packets between random sites, each over a random route. */
const char *vclass_net_walk(const struct fc_vclass *v, unsigned int packets);

#endif /* SELFTESTS_CORE_VCLASS_NET_H */
