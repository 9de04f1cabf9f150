// SPDX-License-Identifier: GPL-2.0
/*
 * Hypercubes: two sites are neighbours where their identities differ in one
 * bit, and bit i is direction i.  So the minimal directions are the bits that
 * differ.
 */
#include "core/topo/rules.h"
#include "core/topo/text.h"

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

static void cube_steps(const struct fc_topo *topo, u32 from, u32 to, u8 step[2][FC_STEPS_AXES])
{
	u32 minimal = cube_minimal(topo, from, to);
	unsigned int d;

	/* Dimensions d and d + FC_STEPS_AXES share an axis: a step in both counts once. */
	for (d = 0; d < 2 * FC_STEPS_AXES; d++)
		step[d / FC_STEPS_AXES][d % FC_STEPS_AXES] = minimal >> d & 1;
}

static void cube_dir_name(const struct fc_topo *topo, u8 dir, char buf[8])
{
	buf[0] = 'd';
	buf[1] = '\0';
	fc_topo_text_put(buf, 8, dir);
}

/*
 * Virtual networks, four classes: packets go up, setting bits, in classes 0 and 2, and down,
 * clearing them, in 1 and 3.  A step up or down leads to the lowest class for it that is not below
 * the packet's own, so that a path may turn from up to down or back three times, and a packet that
 * begins in class 0 with a step down twice.
 *
 * A link carries two of the four.  Rank: class, then bits set where packets go up, and clear where
 * they go down.
 */
#define CUBE_CLASSES	4

static const char *cube_vclass_init(struct fc_vclass *v)
{
	/* A path of d steps turns d - 1 times at most, so it needs d + 1 classes at most. */
	v->count = v->topo->ndims + 1 < CUBE_CLASSES ? v->topo->ndims + 1 : CUBE_CLASSES;
	return NULL;
}

static u8 cube_vclass_first(const struct fc_vclass *v, u32 src, u32 dst)
{
	return 0;
}

/* The class after a step, from a site, in the direction. */
static u8 climb(u32 site, u8 class, u8 dir)
{
	return class + ((class ^ site >> dir) & 1);
}

static u32 cube_vclass_productive(const struct fc_vclass *v, u32 site, u32 dst, u8 class)
{
	u32 minimal = fc_topo_minimal(v->topo, site, dst);
	u32 up = minimal & ~site, down = minimal & site, productive = 0, left;

	for (left = minimal; left; left &= left - 1) {
		u8 d = (u8)fc_low(left), next = climb(site, class, d);
		/* After the steps like this one those that are left need one class more. */
		bool turns = up & fc_bit(d) ? down : up;

		if (next + turns < v->count)
			productive |= fc_bit(d);
	}
	return productive;
}

static u32 cube_vclass_allowed(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	u32 allowed = 0, left;

	for (left = mask; left; left &= left - 1) {
		u8 d = (u8)fc_low(left);

		next[d] = climb(site, class, d);
		if (next[d] < v->count)
			allowed |= fc_bit(d);
	}
	return allowed;
}

static const struct fc_vclass_rules cube_vclass = {
	.init = cube_vclass_init,
	.first = cube_vclass_first,
	.productive = cube_vclass_productive,
	.allowed = cube_vclass_allowed,
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
	.steps = cube_steps,
	.dir_name = cube_dir_name,
	.vclass = &cube_vclass,
	.bcast = &cube_bcast,
};
