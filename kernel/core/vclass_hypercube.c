// SPDX-License-Identifier: GPL-2.0
/*
 * Hypercubes, two classes: packets go up, setting bits, while there is one to be set, and
 * then down, clearing them.  Of the k1 + k2 steps of a way, k1 up, that leaves k1! k2! of
 * (k1 + k2)! orders.
 *
 *	class 0		has gone up only, and may still
 *	class 1		goes down
 *
 * A link carries one of the two.  Rank: class, then bits set in class 0, and clear in class 1.
 */
#include "vclass_rules.h"

static const char *init(struct fc_vclass *v)
{
	v->count = 2;
	return NULL;
}

static u8 first(const struct fc_vclass *v, u32 src, u32 dst)
{
	return 0;
}

static u32 wanted(const struct fc_vclass *v, u32 site, u32 dst, u8 class)
{
	u32 minimal = fc_topo_minimal(v->topo, site, dst);
	u32 up = minimal & ~site;

	if (!up)
		return minimal;
	return class ? 0 : up;
}

static u32 onward(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
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

const struct fc_vclass_rules fc_vclass_hypercube = {
	.topo = &fc_topo_hypercube,
	.init = init,
	.first = first,
	.wanted = wanted,
	.onward = onward,
};
