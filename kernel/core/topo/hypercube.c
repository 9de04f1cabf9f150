// SPDX-License-Identifier: GPL-2.0
/*
 * Hypercubes: two sites are neighbours where their identities differ in one
 * bit, and bit i is direction i.  So the minimal directions are the bits that
 * differ.
 */
#include "rules.h"
#include "text.h"

static const char *cube_parse(struct fc_topo *topo, const char *args)
{
	const char *wrong;
	unsigned int i;
	u32 dims;

	wrong = fc_topo_text_number(&args, &dims);
	if (wrong)
		return wrong;
	if (*args)
		return "unexpected text behind the number of dimensions";
	if (dims > FC_DIMS_MAX)
		return "too many dimensions: at most 20";
	static_assert(FC_DIMS_MAX == 20, "named in the text");
	static_assert(1U << FC_DIMS_MAX == FC_SITES_MAX);
	topo->ndims = (u8)dims;
	topo->ndirs = (u8)dims;
	topo->nsites = fc_bit(dims);
	for (i = 0; i < dims; i++)
		topo->size[i] = 2;
	return NULL;
}

static void cube_print(const struct fc_topo *topo, char *buf, size_t size)
{
	buf[0] = '\0';
	fc_topo_text_put(buf, size, topo->ndims);
}

static u32 cube_neighbour(const struct fc_topo *topo, u32 site, u8 dir)
{
	if (dir >= topo->ndirs || site >= topo->nsites)
		return FC_SITE_NONE;
	return site ^ fc_bit(dir);
}

static u8 cube_arrival(const struct fc_topo *topo, u32 site, u8 dir)
{
	return dir;
}

static u32 cube_minimal(const struct fc_topo *topo, u32 from, u32 to)
{
	return (from ^ to) & (topo->nsites - 1);
}

static u32 cube_distance(const struct fc_topo *topo, u32 from, u32 to)
{
	u32 mask = cube_minimal(topo, from, to);
	u32 links = 0;

	/* __builtin_popcount() would call into libgcc. */
	for (; mask; mask &= mask - 1)
		links++;
	return links;
}

static void cube_dir_name(const struct fc_topo *topo, u8 dir, char buf[8])
{
	buf[0] = 'd';
	buf[1] = '\0';
	fc_topo_text_put(buf, 8, dir);
}

/*
 * Virtual networks, two classes: packets go up, setting bits, while there is one to be set, and
 * then down, clearing them.  Of the k1 + k2 steps of a way, k1 up, that leaves k1! k2! of
 * (k1 + k2)! orders.
 *
 *	class 0		has gone up only, and may still
 *	class 1		goes down
 *
 * A link carries one of the two.  Rank: class, then bits set in class 0, and clear in class 1.
 */

static const char *cube_vclass_init(struct fc_vclass *v)
{
	v->count = 2;
	return NULL;
}

static u8 cube_vclass_first(const struct fc_vclass *v, u32 src, u32 dst)
{
	return 0;
}

static u32 cube_vclass_wanted(const struct fc_vclass *v, u32 site, u32 dst, u8 class)
{
	u32 minimal = fc_topo_minimal(v->topo, site, dst);
	u32 up = minimal & ~site;

	if (!up)
		return minimal;
	return class ? 0 : up;
}

static u32 cube_vclass_onward(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	u32 left;

	if (class)
		mask &= site;
	for (left = mask; left; left &= left - 1) {
		unsigned int d = fc_low(left);

		next[d] = site >> d & 1;
	}
	return mask;
}

static const struct fc_vclass_rules cube_vclass = {
	.init = cube_vclass_init,
	.first = cube_vclass_first,
	.wanted = cube_vclass_wanted,
	.onward = cube_vclass_onward,
};

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

static unsigned int cube_bcast_most(const struct fc_topo *topo)
{
	return topo->ndims;
}

static u32 cube_bcast_relative(const struct fc_topo *topo, u32 source, u32 site)
{
	return source ^ site;
}

static void cube_bcast_start(const struct fc_bcast *b, struct fc_bcast_sends *sends)
{
	u8 tree;

	for (tree = 0; tree < b->copies; tree++)
		fc_bcast_send(sends, tree, 1, 1, tree);
}

static void cube_bcast_forward(const struct fc_bcast *b, const struct fc_bcast_packet *p,
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

static const struct fc_bcast_rules cube_bcast = {
	.most = cube_bcast_most,
	.relative = cube_bcast_relative,
	.start = cube_bcast_start,
	.forward = cube_bcast_forward,
};

const struct fc_topo_ops fc_topo_hypercube = {
	.name = "hypercube",
	.usage = "hypercube:D",
	.parse = cube_parse,
	.print = cube_print,
	.neighbour = cube_neighbour,
	.arrival = cube_arrival,
	.minimal = cube_minimal,
	.distance = cube_distance,
	.dir_name = cube_dir_name,
	.vclass = &cube_vclass,
	.bcast = &cube_bcast,
};
