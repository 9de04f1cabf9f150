// SPDX-License-Identifier: GPL-2.0
/*
 * Broadcasts on a hypercube of d dimensions: k rotated binomial trees (in the manner
 * of Johnsson and Ho, and of Ramanathan and Shin).  Tree i begins in dimension
 * i.  A site that gets it through dimension j sends it on
 *
 *	j = i, first hop	in all other dimensions
 *	j != i			in dimensions j+1 ... i-1, cyclically, and then i
 *	j = i, later		nowhere
 *
 * In tree i a site whose bit i is set is reached by setting its bits in cyclic
 * order from i; one whose bit i is not set, by its neighbour across i.
 */
#include "bcast_rules.h"

static unsigned int most(const struct fc_topo *topo)
{
	return topo->ndims;
}

static u32 relative(const struct fc_topo *topo, u32 source, u32 site)
{
	return source ^ site;
}

static void start(const struct fc_bcast *b, struct fc_bcast_sends *sends)
{
	u8 tree;

	for (tree = 0; tree < b->copies; tree++)
		fc_bcast_send(sends, tree, 1, 1, tree);
}

static void forward(const struct fc_bcast *b, const struct fc_bcast_packet *p,
		    struct fc_bcast_sends *sends)
{
	u8 dims = b->topo->ndims, tree = p->tags, d;

	if (p->dir == tree && p->step != 1)
		return;
	for (d = (p->dir + 1) % dims; d != tree; d = (d + 1) % dims)
		fc_bcast_send(sends, d, 1, 2, tree);
	if (p->dir != tree)
		fc_bcast_send(sends, tree, 1, 2, tree);
}

const struct fc_bcast_rules fc_bcast_hypercube = {
	.topo = &fc_topo_hypercube,
	.most = most,
	.relative = relative,
	.start = start,
	.forward = forward,
};
