/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The route of a packet through a network that is idle except for given faults and busy outputs:
 * walk() runs the core's sites one after the other.
 */
#ifndef FLITCAST_CLI_WALK_H
#define FLITCAST_CLI_WALK_H

#include "core/care/care.h"
#include "core/topo/vclass.h"

struct tables;

/* A net-output. */
struct place {
	u32 site;
	u8 port;
};

/**
 * struct network - state of the network that a packet meets
 * @topo: topology
 * @mode: switching mode (enum fc_mode)
 * @classes: classes of the topology, in the modes that have classes
 * @down: by site, ports whose link one of its ends reports dead
 * @suspect: by site, ports whose link is suspected, likewise
 * @busy: net-outputs that another packet occupies forever
 * @nbusy: number of @busy
 * @force: sites whose net-outputs to links are busy until the packet is
 *	stored there
 * @nforce: number of @force
 * @own: site of @own_pref, or FC_SITE_NONE
 * @own_pref: its lists of directions
 * @own_prefers: its entries for targets; NULL: it has none
 * @tables: the tables of sites, before @own_pref and @own_prefers; or NULL
 */
struct network {
	const struct fc_topo *topo;
	int mode;
	struct fc_vclass classes;
	u32 *down;
	u32 *suspect;
	const struct place *busy;
	size_t nbusy;
	const u32 *force;
	size_t nforce;
	u32 own;
	struct fc_pref own_pref;
	const struct fc_prefer_table *own_prefers;
	const struct tables *tables;
};

/* Outcome for a target. */
enum outcome {
	OUTCOME_NONE,		/* missing in the trace: a bug */
	OUTCOME_DELIVERED,
	OUTCOME_UNREACHABLE,
	OUTCOME_STORED,		/* stored en route, until a net-output is free */
	OUTCOME_WAITS,		/* neither forwarded nor stored */
	OUTCOME_CIRCLE,		/* back at a site, as it was there before */
};

/**
 * struct target_state - a target and its outcome
 * @site: target
 * @port: target
 * @outcome: enum outcome
 * @at: site of the outcome
 * @hops: links crossed to @at
 * @times: number of deliveries
 */
struct target_state {
	u32 site;
	u16 port;
	u8 outcome;
	u32 at;
	u32 hops;
	u32 times;
};

/* A row of a machine's table that fired. */
struct fired_row {
	u8 machine;
	u8 state;
	u8 cond;
};

/* Branches of a packet at a site: in modes with classes several may leave by one port. */
#define WALK_BRANCHES	FC_TARGETS_MAX

/**
 * struct branch - a net-output by which a packet leaves
 * @port: net-output
 * @class: class on the link, in the modes that have classes
 * @run: in mode postman: consecutive sites that forwarded it before their routing decision; 0: it
 *	was routed
 * @parts: FC_PART_* of its terminator
 * @next: the visit that follows
 */
struct branch {
	u8 port;
	u8 class;
	u8 run;
	u8 parts;
	struct visit *next;
};

/**
 * struct ways - links by which a packet may proceed to one of its targets
 * @dirs: mask of directions
 * @class: by direction, class on the link
 */
struct routes {
	u32 dirs;
	u8 class[FC_DIRS_MAX];
};

/**
 * struct visit - a packet at a site
 * @above: the visit before it, or NULL
 * @site: site
 * @in_port: net-input
 * @class: class in which it arrived, in the modes that have classes, if @in_port is not 0
 * @run: in mode postman: @run of the branch by which it arrived
 * @dead: in mode postman: the site is on no path of the packet, and drops it
 * @circle: the packet was at the site before, with the same targets, and goes on as it did then
 * @hops: links crossed
 * @resent: forwarded by the operator, from storage
 * @ntargets: number of targets in its list
 * @target: targets, by index of the trace
 * @type: enum fc_conn; FC_CONN_NONE: it finds no route as long as net-outputs are busy
 * @forced: stored after too many seeks; in modes with classes because there is no route in its
 *	class
 * @seeks: number of seeks
 * @unreachable: targets (by place in the list) to which the router has no route
 * @stored: the local net-output got a copy
 * @served: enum fc_effect_type: action of the operator
 * @delivered: targets delivered
 * @kept: targets to which the operator forwards it
 * @nbranches: number of net-outputs to links
 * @branch: net-outputs to links
 * @again: the packet that the operator forwards, or NULL
 * @routes: in modes with classes: by target in the list; else NULL
 * @nrows: number of rows of the machines' tables that fired
 * @row: rows that fired, in order
 */
struct visit {
	const struct visit *above;
	u32 site;
	u8 in_port;
	u8 class;
	u8 run;
	bool dead;
	bool circle;
	u16 hops;
	bool resent;
	unsigned int ntargets;
	u32 target[FC_TARGETS_MAX];
	u8 type;
	bool forced;
	u32 seeks;
	u64 unreachable;
	bool stored;
	u8 served;
	u64 delivered;
	u64 kept;
	unsigned int nbranches;
	struct branch branch[WALK_BRANCHES];
	struct visit *again;
	struct routes *routes;
	unsigned int nrows;
	struct fired_row *row;
};

/**
 * struct totals - sums over the walks of a message
 * @links: transmissions of the packet on links
 * @splits: multicast connections
 * @stores: times it is stored to be forwarded later
 * @dead: transmissions on links that lead to no target (mode postman)
 * @hops: largest number of links to a target
 */
struct totals {
	u64 links;
	u64 splits;
	u64 stores;
	u64 dead;
	u32 hops;
};

/**
 * walk() - simulate the route of one packet
 * @net: network
 * @from: source
 * @targets: all targets of the message; their outcomes are filled in
 * @first: first target of this packet
 * @n: number of targets, at most FC_TARGETS_MAX
 * @totals: sums, to which the walk is added
 *
 * Return: its visit to the source; to be freed with walk_free().
 */
struct visit *walk(const struct network *net, u32 from, struct target_state *targets,
		   u32 first, u32 n, struct totals *totals);
void walk_free(struct visit *visit);

/* Return: the entries for targets of a site, or NULL. */
const struct fc_prefer_table *walk_prefers(const struct network *net, u32 site);

/*
 * Mode csr: can the packet of a walk reserve its paths as a whole?  If not, the source sends a
 * packet of its own to each target.
 */
bool walk_reserves(const struct visit *visit);

/*
 * Between walk.c and walk_vnet.c: run the switch of a site with the packet, in modes with classes.
 * Fills in the result, and the targets of each branch.
 */
void walk_vnet(const struct network *net, struct visit *visit, const u8 *head,
	       u64 branch_mask[WALK_BRANCHES]);

/* Also between walk.c and walk_vnet.c: record any effect on the packet but FC_FX_SEND. */
void walk_note(struct visit *visit, const struct fc_node *node, const u8 *head,
	       const struct fc_effect *fx);

#endif /* FLITCAST_CLI_WALK_H */
