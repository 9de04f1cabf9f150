// SPDX-License-Identifier: GPL-2.0
/*
 * Broadcasts on a C-wrapped hexagonal mesh with n sites on an edge (HARTS, section
 * 4).  The source sends a run of n-1 sites in each of the six directions; at its
 * sites, and at those of the runs that begin there, the packet turns as the table says.
 * D is the number of sites that are left of the run; "left" and "right" are a turn by
 * 60 degrees.
 *
 *	step 1, last of its run (D = 0)
 *		k=6	left n-1 tagged A, right n-1 tagged B, straight on n-1
 *		k=5	left n-1, right n-1 tagged B
 *		k=4	left n-1
 *		k=3	left n-1, right n-1
 *		k=2	right n-1
 *	step 1, first of its run (D = n-2), k >= 4
 *		twice left 1, twice right 1
 *	step 1, not the last
 *		left	D (k <= 2), n-1 (k >= 3); tagged C where first and k >= 4
 *		right	D (k = 2, 3), n-1 (k >= 4); tagged D where first and k >= 4
 *	step 2, not the last
 *		A: right D; B: left D; C: left 1; D: right 1
 *
 * The scan of the paper has lost lines of its procedures.  What is above is the only
 * completion that gives k disjoint paths for all n (of the family that the text
 * allows), with the sends of "first" made at n = 2, too, where the first is the last.
 * Only this orientation works: in the mirror image of the mesh, paths of k = 2 to 5 cross.
 */
#include "bcast_rules.h"
#include "topo_hexmesh.h"

static u8 turn(u8 dir, int by)
{
	return (u8)((dir + FC_HEXMESH_DIRS + by) % FC_HEXMESH_DIRS);
}

static unsigned int most(const struct fc_topo *topo)
{
	return FC_HEXMESH_DIRS;
}

static u32 relative(const struct fc_topo *topo, u32 source, u32 site)
{
	return site >= source ? site - source : site + topo->nsites - source;
}

static void start(const struct fc_bcast *b, struct fc_bcast_sends *sends)
{
	u8 d;

	for (d = 0; d < FC_HEXMESH_DIRS; d++)
		fc_bcast_send(sends, d, b->topo->size[0] - 1, 1, 0);
}

static void at_last(unsigned int k, const struct fc_bcast_packet *p, u32 edge,
		    struct fc_bcast_sends *sends)
{
	if (k >= 3)
		fc_bcast_send(sends, turn(p->dir, 1), edge, 2, k == 6 ? FC_BCAST_TAG_A : 0);
	if (k == 2 || k == 3)
		fc_bcast_send(sends, turn(p->dir, -1), edge, 2, 0);
	if (k >= 5)
		fc_bcast_send(sends, turn(p->dir, -1), edge, 2, FC_BCAST_TAG_B);
	if (k == 6)
		fc_bcast_send(sends, p->dir, edge, 2, 0);
}

static void at_others(unsigned int k, const struct fc_bcast_packet *p, u32 edge, bool tagged,
		      struct fc_bcast_sends *sends)
{
	fc_bcast_send(sends, turn(p->dir, 1), k >= 3 ? edge : p->left, 2,
		      tagged ? FC_BCAST_TAG_C : 0);
	if (k >= 2)
		fc_bcast_send(sends, turn(p->dir, -1), k >= 4 ? edge : p->left, 2,
			      tagged ? FC_BCAST_TAG_D : 0);
}

static void forward(const struct fc_bcast *b, const struct fc_bcast_packet *p,
		    struct fc_bcast_sends *sends)
{
	u32 edge = b->topo->size[0] - 1;
	unsigned int k = b->copies;
	bool last = p->left == 0;

	if (p->step == 1) {
		bool first = p->left + 1 == edge && k >= 4;

		if (last)
			at_last(k, p, edge, sends);
		else
			at_others(k, p, edge, first, sends);
		if (first) {
			fc_bcast_send(sends, turn(p->dir, 2), 1, 2, 0);
			fc_bcast_send(sends, turn(p->dir, -2), 1, 2, 0);
		}
		return;
	}
	if (p->step != 2 || last)
		return;
	if (p->tags & FC_BCAST_TAG_A)
		fc_bcast_send(sends, turn(p->dir, -1), p->left, 3, 0);
	if (p->tags & FC_BCAST_TAG_B)
		fc_bcast_send(sends, turn(p->dir, 1), p->left, 3, 0);
	if (p->tags & FC_BCAST_TAG_C)
		fc_bcast_send(sends, turn(p->dir, 1), 1, 3, 0);
	if (p->tags & FC_BCAST_TAG_D)
		fc_bcast_send(sends, turn(p->dir, -1), 1, 3, 0);
}

const struct fc_bcast_rules fc_bcast_hexmesh = {
	.topo = &fc_topo_hexmesh,
	.most = most,
	.relative = relative,
	.start = start,
	.forward = forward,
};

static unsigned int two(const struct fc_topo *topo)
{
	return 2;
}

static void start_hamilton(const struct fc_bcast *b, struct fc_bcast_sends *sends)
{
	fc_bcast_send(sends, 0, b->topo->nsites - 1, 1, 0);
	if (b->copies == 2)
		fc_bcast_send(sends, FC_HEXMESH_AXES, b->topo->nsites - 1, 1, 0);
}

static void straight_on(const struct fc_bcast *b, const struct fc_bcast_packet *p,
			struct fc_bcast_sends *sends)
{
}

const struct fc_bcast_rules fc_bcast_hamilton = {
	.topo = &fc_topo_hexmesh,
	.most = two,
	.relative = relative,
	.start = start_hamilton,
	.forward = straight_on,
};
