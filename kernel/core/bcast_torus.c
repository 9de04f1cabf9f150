// SPDX-License-Identifier: GPL-2.0
/*
 * Broadcasts on a torus of two dimensions, in the manner of those on a hexagonal mesh
 * (HARTS, section 7, says that it can be done).  The source sends a run in each of
 * the four directions, its arms: of R rows and C columns, C/2 sites in +x and the rest
 * of the row in -x, R/2 in +y and the rest in -y.  With arm(d) for the length
 * of that in direction d, and left and right of a packet's direction:
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
 * where left and right of step 2 are those of the run under way.  A and B bring a
 * packet back into the direction in which it began, and around the torus; C and D
 * lead one step back, to the axis of the source.  An arm may have one site, which is
 * first and last, and its packets then have two tags.
 */
#include "bcast_rules.h"
#include "topo_axes.h"

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

static const char *refuse(const struct fc_topo *topo)
{
	return topo->ndims == 2 ? NULL : "broadcasts are for tori of two dimensions";
}

static unsigned int most(const struct fc_topo *topo)
{
	return TURNS;
}

static u32 relative(const struct fc_topo *topo, u32 source, u32 site)
{
	u32 columns = topo->size[0], rows = topo->size[1];
	u32 x = (site % columns + columns - source % columns) % columns;
	u32 y = (site / columns + rows - source / columns) % rows;

	return y * columns + x;
}

static void start(const struct fc_bcast *b, struct fc_bcast_sends *sends)
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

static void forward(const struct fc_bcast *b, const struct fc_bcast_packet *p,
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

const struct fc_bcast_rules fc_bcast_torus = {
	.topo = &fc_topo_torus,
	.refuse = refuse,
	.most = most,
	.relative = relative,
	.start = start,
	.forward = forward,
};
