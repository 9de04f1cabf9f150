// SPDX-License-Identifier: GPL-2.0
/*
 * Meshes of n dimensions, and lines: 2^n orthants, each a virtual network of its own, in
 * which packets go in one direction along each axis, and in all of them as they like.
 *
 * Rank: the sum of the coordinates, each counted up in the direction of the orthant.
 */
#include "vclass_axes.h"
#include "vclass_rules.h"

static const char *init(struct fc_vclass *v)
{
	static_assert(FC_VCLASSES_MAX == 64, "named in the text");
	v->count = (u8)fc_vclass_axes_init(v);
	return v->count ? NULL : "a mesh of more than 6 dimensions needs more than 64 classes";
}

static u32 onward(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	u32 left;

	mask &= fc_vclass_axes_orthant(v, class);
	for (left = mask; left; left &= left - 1)
		next[fc_low(left)] = class;
	return mask;
}

const struct fc_vclass_rules fc_vclass_mesh = {
	.topo = &fc_topo_mesh,
	.init = init,
	.first = fc_vclass_axes_first,
	.wanted = fc_vclass_axes_wanted,
	.onward = onward,
};

const struct fc_vclass_rules fc_vclass_line = {
	.topo = &fc_topo_line,
	.init = init,
	.first = fc_vclass_axes_first,
	.wanted = fc_vclass_axes_wanted,
	.onward = onward,
};
