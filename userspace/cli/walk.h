/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The route of a packet through a network that is idle except for given faults and busy outputs:
 * runs the core's sites one after the other.
 */
#ifndef FLITCAST_CLI_WALK_H
#define FLITCAST_CLI_WALK_H

#include "site.h"
#include "vclass.h"

/* A net-output. */
struct place {
	u32 site;
	u8 port;
};

/**
 * struct network - state of the network that a packet meets
 * @topo: topology
 * @mode: switching mode (enum fc_mode)
 * @classes: of the topology, in the modes that have classes
 * @down: by site, ports whose link is dead, as one of its ends says
 * @busy: net-outputs that another packet occupies forever
 * @nbusy: how many
 * @force: sites whose net-outputs to links are busy for so long that a packet is
 *	stored there
 * @nforce: how many
 * @own: site of which @own_pref is known, or FC_SITE_NONE
 * @own_pref: its preference table
 */
struct network {
	const struct fc_topo *topo;
	int mode;
	struct fc_vclass classes;
	u32 *down;
	const struct place *busy;
	size_t nbusy;
	const u32 *force;
	size_t nforce;
	u32 own;
	struct fc_pref own_pref;
};

/* Outcome for a target. */
enum outcome {
	OUTCOME_NONE,		/* missing in the trace: a bug */
	OUTCOME_DELIVERED,
	OUTCOME_UNREACHABLE,
	OUTCOME_STORED,		/* stored en route, until a net-output is free */
	OUTCOME_WAITS,		/* neither forwarded nor stored */
};

/**
 * struct target_state - a target and its outcome
 * @site: target
 * @port: target
 * @outcome: enum outcome
 * @at: where
 * @hops: links crossed to there
 * @times: how often it is delivered
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

/* Branches of a packet at a site: where there are classes several may leave by one port. */
#define WALK_BRANCHES	FC_TARGETS_MAX

/**
 * struct branch - a net-output that a packet leaves by
 * @port: it
 * @class: on the link, in the modes that have classes
 * @run: in mode postman: sites in a row that have sent it on before they looked at it; 0: it
 *	was looked at
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
 * @class: for each of these, that on the link
 */
struct routes {
	u32 dirs;
	u8 class[FC_DIRS_MAX];
};

/**
 * struct visit - a packet at a site
 * @site: site
 * @in_port: net-input
 * @class: in which it came, in the modes that have classes, where @in_port is not 0
 * @run: in mode postman: of the branch that it came by
 * @dead: in mode postman: it has no business here, and is dropped
 * @hops: links crossed
 * @resent: sent on by the operator, from storage
 * @ntargets: targets of its list
 * @target: they, by index of the trace
 * @type: enum fc_conn; FC_CONN_NONE: it finds no way as long as net-outputs are busy
 * @forced: stored after too many seeks; where there are classes because there is no way in its
 *	class
 * @seeks: how many
 * @unreachable: targets (by place in the list) that the router has no way to
 * @stored: the local net-output got a copy
 * @served: enum fc_effect_type: what the operator does with it
 * @delivered: targets delivered
 * @kept: targets that the operator sends on
 * @nbranches: net-outputs to links
 * @branch: they
 * @again: the packet that the operator sends on, or NULL
 * @routes: where there are classes: by target in the list; else NULL
 * @nrows: rows of the machines' tables that fired, one after the other
 * @row: they
 */
struct visit {
	u32 site;
	u8 in_port;
	u8 class;
	u8 run;
	bool dead;
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
 * @stores: times it is stored to be sent on
 * @dead: of the links, those that nobody needed (mode postman)
 * @hops: most links to a target
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
 * @n: how many, at most FC_TARGETS_MAX
 * @totals: added to
 *
 * Return: its visit to the source; to be freed with walk_free().
 */
struct visit *walk(const struct network *net, u32 from, struct target_state *targets,
		   u32 first, u32 n, struct totals *totals);
void walk_free(struct visit *visit);

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

/* Also between them: record any effect on the packet but FC_FX_SEND. */
void walk_note(struct visit *visit, const struct fc_node *node, const u8 *head,
	       const struct fc_effect *fx);

#endif /* FLITCAST_CLI_WALK_H */
