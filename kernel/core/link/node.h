/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State that the switches of a site share in every mode: identity, settings and routes.
 *
 * The machines of mode care (core/care/care.h) and the switch of the other modes
 * (core/vnet/vnet.h) point to it; it also determines the next hop of a control frame.
 */
#ifndef FC_CORE_LINK_NODE_H
#define FC_CORE_LINK_NODE_H

#include "core/base.h"
#include "core/link/prefer.h"
#include "core/wire/names.h"
#include "core/topo/topo.h"
#include "core/wire/wire.h"

/**
 * struct fc_pref - preference table (Table G)
 * @count: for each direction, length of its list
 * @port: for each direction, net-outputs in decreasing order of preference
 */
struct fc_pref {
	u8 count[FC_DIRS_MAX];
	u8 port[FC_DIRS_MAX][FC_DIRS_MAX];
};

/**
 * struct fc_timing - settings that the paper leaves to the implementation
 * @seek: interval at which a net-input in state first counts a seek
 * @timeout: initial time that the fifo-buffer waits for a word before it raises abort-request
 *	(struct fc_fifo, @backoff); up to half is added at random, so that two multicasts that
 *	block each other do not abort together for ever
 * @retry: time that a receiver waits for a flit that others have overtaken before it requests the
 *	flit (NACK); doubles up to @poll
 * @ack_delay: delay of an ack that no other frame carries: less than @poll
 * @poll: time that a flit may stay unacknowledged before its sender polls the peer; doubles up to
 *	16 times that
 * @seek_max: number of seeks after which a packet is forced to the local net-output
 * @fifo_room: words in the fifo-buffer; 0: unbounded (CARE, footnote 14), for a caller whose
 *	operator takes every word at once
 */
struct fc_timing {
	u64 seek;
	u64 timeout;
	u64 retry;
	u64 ack_delay;
	u64 poll;
	u16 seek_max;
	u16 fifo_room;
};

/**
 * struct fc_node - state of a site that its switches share
 * @topo: topology of the network
 * @timing: settings
 * @routes: by site, directions of the next hops over working links (core/faults/routes.h); NULL
 *	while this site knows of no dead or suspected link
 * @pref: preference lists of directions (Table G); only mode care and control frames use them
 * @prefers: preferences among the next hops to targets, in every mode; NULL: there are none
 * @stat: counters, by enum fc_stat
 * @id: identity
 * @up: ports whose link is up; only control frames use it
 * @avoid: ports whose link is suspected, while routes that avoid it are being computed
 * @doubtful: ports whose peer may be dead, while routes around it are being computed: used only
 *	where no other port leads nearer to a site
 * @nports: number of ports, including the local one
 * @rerouting: new routes are being computed: a packet without a route may get one
 *
 * The lock of the switches' caller protects all members.  Only @routes, @prefers, @up, @avoid,
 * @doubtful, @rerouting and the data behind the pointers ever change, and only between events.
 */
struct fc_node {
	const struct fc_topo *topo;
	const struct fc_timing *timing;
	const u32 *routes;
	const struct fc_pref *pref;
	const struct fc_prefer_table *prefers;
	u64 *stat;
	u32 id;
	u32 up;
	u32 avoid;
	u32 doubtful;
	u8 nports;
	bool rerouting;
};

/* The default preference table: each direction has the port of its own number. */
void fc_pref_default(struct fc_pref *pref, const struct fc_topo *topo);

/**
 * fc_pref_blocks() - would a site have no port to another one any more?
 * @pref: its preference lists
 * @topo: topology of the network
 * @site: the site
 * @dst: the other site
 * @never: directions whose ports are not used
 *
 * Return: true if with all links working all listed ports that lead nearer are in @never.
 */
bool fc_pref_blocks(const struct fc_pref *pref, const struct fc_topo *topo, u32 site, u32 dst,
		    u32 never);

/* Return: @dirs without those that an entry forbids for a target (@strict). */
static inline u32 fc_node_permitted(const struct fc_node *node, u32 dst, u32 dirs)
{
	return node->prefers ? dirs & ~fc_prefer_of(node->prefers, dst)->strict : dirs;
}

/**
 * fc_node_preferred() - directions in which a packet leaves to a target
 * @node: this site
 * @dst: the target, another site
 * @dirs: directions in which it may leave
 * @head: head of the packet
 *
 * Return: @dirs without those to doubtful ports, or if all ports are doubtful, @dirs; of these,
 * what the preferences leave.
 */
static inline u32 fc_node_preferred(const struct fc_node *node, u32 dst, u32 dirs, const u8 *head)
{
	u32 sure = dirs & ~(node->doubtful >> 1);

	if (sure)
		dirs = sure;
	if (!node->prefers)
		return dirs;
	return fc_prefer_choose(fc_prefer_of(node->prefers, dst), dirs, fc_prefer_key(head),
				node->id);
}

/**
 * fc_node_ports() - ports that lead nearer to a site over working links
 * @node: this site
 * @dst: the other site
 * @allowed: ports that may be used
 *
 * Return: the ports of @allowed with the best rank in the preference lists of the directions, one
 * for each direction at most; none of @avoid.
 */
u32 fc_node_ports(const struct fc_node *node, u32 dst, u32 allowed);

/**
 * fc_node_narrow_ports() - as fc_node_ports(), by the preferences of the target
 * @node: this site
 * @dst: the other site
 * @up: ports whose link is up
 * @allowed: ports of @up that may be used
 *
 * Return: the ports of @allowed by any of which packets may leave.  What is excluded, and what has
 * a weight, depends on @up alone: not on which of the ports are free now.
 */
u32 fc_node_narrow_ports(const struct fc_node *node, u32 dst, u32 up, u32 allowed);

/*
 * As fc_node_narrow_ports(), for the packet with a fc_prefer_key().  Return: of ports with weights
 * one, or none if it is not in @allowed.
 */
u32 fc_node_choose_ports(const struct fc_node *node, u32 dst, u32 up, u32 allowed, u32 key);

/**
 * fc_node_next_port() - the port by which a control frame leaves
 * @node: this site
 * @dst: the frame's destination, another site
 *
 * Return: a port whose link is up, or FC_PORT_NONE.
 */
u8 fc_node_next_port(const struct fc_node *node, u32 dst);

/* Maximum of @copied of struct fc_packet: a copy may be copied once more. */
#define FC_COPIED_MAX	2

/*
 * May a site send a copy of a packet, because it suspects the link that the packet waits on?  A
 * packet and its copies may wait on many suspected links, and if each were copied at each of them,
 * an overloaded network would carry little else.
 */
static inline bool fc_node_may_copy(const u8 *head)
{
	return fc_get16(head + FC_AT_HOPS) / FC_HOPS_COPY < FC_COPIED_MAX;
}

/* Counts one more link crossed. */
static inline void fc_node_head_hop(u8 *head)
{
	fc_put16(head + FC_AT_HOPS, (u16)(fc_get16(head + FC_AT_HOPS) + 1));
}

/* Marks the head as that of a copy: counts one more. */
static inline void fc_node_head_copy(u8 *head)
{
	fc_put16(head + FC_AT_HOPS, (u16)(fc_get16(head + FC_AT_HOPS) + FC_HOPS_COPY));
}

/**
 * fc_node_avoids() - does a route to any target of a packet avoid a link?
 * @node: this site
 * @head: head of the packet, all of whose targets are other sites
 * @mask: targets to consider
 * @port: port of the link
 *
 * Return: false if every known route begins with the link.
 */
bool fc_node_avoids(const struct fc_node *node, const u8 *head, u64 mask, u8 port);

/* Return: mask of the targets of a list that are at this site. */
u64 fc_node_local_mask(const struct fc_node *node, const u8 *head);

#endif /* FC_CORE_LINK_NODE_H */
