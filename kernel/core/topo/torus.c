// SPDX-License-Identifier: GPL-2.0
/*
 * Tori of n dimensions (k-ary n-cubes), and rings, which are tori of one.
 *
 * With "ahead" the steps to the target going up along a dimension of k sites, going down takes
 * k - ahead.  The shorter direction is minimal, and both are if they are equally short.
 */
#include "core/topo/axes.h"
#include "core/topo/axes_bcast.h"
#include "core/topo/rules.h"

static const char *check_radix(const struct fc_topo *topo)
{
	unsigned int i;

	for (i = 0; i < topo->ndims; i++)
		if (topo->size[i] < 3)
			return "at least 3 sites per axis: with 2, both links go to one neighbour";
	return NULL;
}

static const char *torus_parse(struct fc_topo *topo, const char *args)
{
	const char *wrong = fc_topo_axes_parse(topo, args);

	if (wrong)
		return wrong;
	if (topo->ndims < 2)
		return "a torus has two dimensions or more; ring:N has one";
	return check_radix(topo);
}

static const char *ring_parse(struct fc_topo *topo, const char *args)
{
	const char *wrong = fc_topo_axes_parse(topo, args);

	if (wrong)
		return wrong;
	if (topo->ndims > 1)
		return "a ring has one dimension; torus:RxC has more";
	return check_radix(topo);
}

static u32 torus_neighbour(const struct fc_topo *topo, u32 site, u8 dir)
{
	unsigned int dim = fc_topo_axes_dim(dir);
	u32 stride = 1;
	unsigned int i;
	u32 around;
	u32 at;

	if (dir >= topo->ndirs || site >= topo->nsites)
		return FC_SITE_NONE;
	for (i = 0; i < dim; i++)
		stride *= topo->size[i];
	around = stride * (topo->size[dim] - 1);
	at = site / stride % topo->size[dim];
	if (fc_topo_axes_minus(dir))
		return at == 0 ? site + around : site - stride;
	return at == topo->size[dim] - 1 ? site - around : site + stride;
}

static u32 steps_ahead(u32 size, u32 from, u32 to)
{
	return (to % size + size - from % size) % size;
}

static u32 torus_minimal(const struct fc_topo *topo, u32 from, u32 to)
{
	unsigned int i;
	u32 mask = 0;

	for (i = 0; i < topo->ndims; i++) {
		u32 size = topo->size[i];
		u32 ahead = steps_ahead(size, from, to);

		if (ahead && ahead <= size - ahead)
			mask |= fc_topo_axes_plus_bit(i);
		if (ahead && ahead >= size - ahead)
			mask |= fc_topo_axes_minus_bit(i);
		from /= size;
		to /= size;
	}
	return mask;
}

static u32 torus_distance(const struct fc_topo *topo, u32 from, u32 to)
{
	u32 links = 0;
	unsigned int i;

	for (i = 0; i < topo->ndims; i++) {
		u32 size = topo->size[i];
		u32 ahead = steps_ahead(size, from, to);

		links += ahead < size - ahead ? ahead : size - ahead;
		from /= size;
		to /= size;
	}
	return links;
}

static void torus_steps(const struct fc_topo *topo, u32 from, u32 to, u8 step[2][FC_STEPS_AXES])
{
	unsigned int i;

	memset(step, 0, 2 * FC_STEPS_AXES);
	for (i = 0; i < topo->ndims && i < FC_STEPS_AXES; i++) {
		u32 size = topo->size[i];
		u32 ahead = steps_ahead(size, from, to);

		if (ahead <= size - ahead)
			step[0][i] = fc_topo_steps(ahead);
		if (ahead >= size - ahead)
			step[1][i] = fc_topo_steps(size - ahead);
		from /= size;
		to /= size;
	}
}

/*
 * Virtual networks: in each of the 2^n orthants packets count a level.  A packet that takes a
 * direction which its orthant does not have goes on in the next orthant that has it, from level 0.
 *
 * With N_i sites along axis i, P sites in all, and x_i the coordinates, each counted up in
 * the direction of the orthant,
 *
 *	phi = (sum of x_i P/N_i) mod P
 *
 * grows by P/N_i with every step along axis i, until it is P or more and wraps.  There the packet
 * goes to the next level.  All its steps together, at most floor(N_i/2) along axis i, add the sum
 * of floor(N_i/2) P/N_i to a phi below P, which bounds how often it can wrap: once on a ring or a
 * torus of two dimensions, twice in three or four.
 *
 * Rank: orthant, level, then phi.  Separate classes for packets that cross the seam of an axis and
 * those that do not, instead of levels counted en route, are not enough: they have cycles.
 */

static const char *torus_vclass_init(struct fc_vclass *v)
{
	const struct fc_topo *topo = v->topo;
	u32 orthants = fc_topo_axes_orthants(v);
	u32 most = topo->nsites - 1;
	unsigned int i;

	/* Below 2^20 * (1 + 15 / 2). */
	for (i = 0; i < topo->ndims; i++)
		most += topo->size[i] / 2 * (topo->nsites / topo->size[i]);
	v->levels = (u8)(1 + most / topo->nsites);
	static_assert(FC_VCLASSES_MAX == 64, "named in the text");
	if (!orthants || orthants * v->levels > FC_VCLASSES_MAX)
		return "a torus of more than 4 dimensions needs more than 64 classes";
	v->count = (u8)(orthants * v->levels);
	return NULL;
}

static u32 phi(const struct fc_vclass *v, u32 site, u32 orthant)
{
	const struct fc_topo *topo = v->topo;
	unsigned int i;
	u32 sum = 0;

	for (i = 0; i < topo->ndims; i++) {
		u32 size = topo->size[i];
		u32 x = site % size;

		if (orthant >> i & 1)
			x = size - 1 - x;
		sum += x * (topo->nsites / size);
		site /= size;
	}
	return sum % topo->nsites;
}

static u32 torus_vclass_allowed(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	u32 orthants = fc_bit(v->bits), orthant = class & (orthants - 1);
	u32 allowed = 0, left;

	for (left = mask; left; left &= left - 1) {
		u8 d = (u8)fc_low(left);
		u32 step = v->topo->nsites / v->topo->size[fc_topo_axes_dim(d)];
		u32 to = fc_topo_axes_climb(v, orthant, d);
		u32 level = to == orthant ? class >> v->bits : 0;

		if (to >= orthants)
			continue;
		if (step >= v->topo->nsites - phi(v, site, to))
			level++;
		if (level << v->bits >= v->count)
			continue;
		next[d] = (u8)(level << v->bits | to);
		allowed |= fc_bit(d);
	}
	return allowed;
}

static const struct fc_vclass_rules torus_vclass = {
	.init = torus_vclass_init,
	.first = fc_topo_axes_vclass_first,
	.productive = fc_topo_axes_vclass_productive,
	.allowed = torus_vclass_allowed,
};

/*
 * Broadcasts on a torus of two dimensions, in the manner of those on a hexagonal mesh (HARTS,
 * section 7, states that it can be done).  The source sends a run in each of the four directions,
 * its arms: of R rows and C columns, C/2 sites in +x and the rest of the row in -x, R/2 in +y and
 * the rest in -y.  With arm(d) for the length of that in direction d, and left and right of a
 * packet's direction:
 *
 *	step 1, everywhere
 *		left	arm(left); k >= 3: tagged C on the first site of the run;
 *			k = 4: tagged A on the last one
 *		right	arm(right), k >= 2; k >= 3: tagged D on the first site,
 *			B on the last one
 *	step 1, last of its run, k = 2 and k = 4
 *		straight on, arm(back)
 *	step 2, everywhere
 *		A: right arm(left); B: left arm(right); C: left 1; D: right 1
 *
 * where left and right of step 2 are those of the current run.  A and B bring a packet back into
 * the direction in which it began, and around the torus; C and D lead one step back, to the axis of
 * the source.  An arm may have one site, which is first and last, and its packets then have two
 * tags.
 */

/* Counterclockwise: +x +y -x -y. */
#define TURNS	4
static const u8 dir_of[TURNS] = { 0, 2, 1, 3 };
static const u8 turn_of[TURNS] = { 0, 2, 1, 3 };

static u8 turned(u8 dir, int by)
{
	return dir_of[(turn_of[dir] + TURNS + by) % TURNS];
}

static u32 arm(const struct fc_topo *topo, u8 dir)
{
	u32 size = topo->size[fc_topo_axes_dim(dir)];

	return fc_topo_axes_minus(dir) ? size - 1 - size / 2 : size / 2;
}

static bool torus_bcast_fits(const struct fc_topo *topo)
{
	return topo->ndims == 2;
}

static unsigned int torus_bcast_most(const struct fc_topo *topo)
{
	return TURNS;
}

static void torus_bcast_start(const struct fc_bcast *b, struct fc_bcast_sends *sends)
{
	u8 d;

	for (d = 0; d < TURNS; d++)
		fc_bcast_send(sends, d, arm(b->topo, d), 1, 0);
}

static void at_step_1(const struct fc_bcast *b, const struct fc_bcast_packet *p,
		      struct fc_bcast_sends *sends)
{
	u8 left = turned(p->dir, 1), right = turned(p->dir, -1);
	bool first = p->left + 1 == arm(b->topo, p->dir);
	bool last = p->left == 0;
	unsigned int k = b->copies;
	u8 tags = 0;

	if (k >= 3 && first)
		tags |= FC_BCAST_TAG_C;
	if (k == 4 && last)
		tags |= FC_BCAST_TAG_A;
	fc_bcast_send(sends, left, arm(b->topo, left), 2, tags);
	if (k == 1)
		return;
	tags = 0;
	if (k >= 3 && first)
		tags |= FC_BCAST_TAG_D;
	if (k >= 3 && last)
		tags |= FC_BCAST_TAG_B;
	fc_bcast_send(sends, right, arm(b->topo, right), 2, tags);
	if (last && k != 3)
		fc_bcast_send(sends, p->dir, arm(b->topo, turned(p->dir, 2)), 2, 0);
}

static void torus_bcast_forward(const struct fc_bcast *b, const struct fc_bcast_packet *p,
				struct fc_bcast_sends *sends)
{
	u8 left = turned(p->dir, 1), right = turned(p->dir, -1);

	if (p->step == 1)
		at_step_1(b, p, sends);
	if (p->step != 2)
		return;
	if (p->tags & FC_BCAST_TAG_A)
		fc_bcast_send(sends, right, arm(b->topo, left), 3, 0);
	if (p->tags & FC_BCAST_TAG_B)
		fc_bcast_send(sends, left, arm(b->topo, right), 3, 0);
	if (p->tags & FC_BCAST_TAG_C)
		fc_bcast_send(sends, left, 1, 3, 0);
	if (p->tags & FC_BCAST_TAG_D)
		fc_bcast_send(sends, right, 1, 3, 0);
}

static const struct fc_bcast_rules torus_bcast = {
	.fits = torus_bcast_fits,
	.otherwise = &fc_topo_ring_bcast,
	.most = torus_bcast_most,
	.relative = fc_topo_ring_relative,
	.start = torus_bcast_start,
	.forward = torus_bcast_forward,
};

const struct fc_topo_ops fc_topo_torus = {
	.name = "torus",
	.usage = "torus:RxC, torus:AxBxC... or torus:K^N",
	.parse = torus_parse,
	.print = fc_topo_axes_print,
	.neighbour = torus_neighbour,
	.arrival = fc_topo_axes_arrival,
	.minimal = torus_minimal,
	.distance = torus_distance,
	.steps = torus_steps,
	.dir_name = fc_topo_axes_dir_name,
	.vclass = &torus_vclass,
	.bcast = &torus_bcast,
};

const struct fc_topo_ops fc_topo_ring = {
	.name = "ring",
	.usage = "ring:N",
	.parse = ring_parse,
	.print = fc_topo_axes_print,
	.neighbour = torus_neighbour,
	.arrival = fc_topo_axes_arrival,
	.minimal = torus_minimal,
	.distance = torus_distance,
	.steps = torus_steps,
	.dir_name = fc_topo_axes_dir_name,
	.vclass = &torus_vclass,
	.bcast = &fc_topo_ring_bcast,
};
