// SPDX-License-Identifier: GPL-2.0
/*
 * Tori of n dimensions, and rings: in each of the 2^n orthants packets count a level.
 *
 * With N_i sites along axis i, P sites in all, and x_i the coordinates, each counted up in
 * the direction of the orthant,
 *
 *	phi = (sum of x_i P/N_i) mod P
 *
 * grows by P/N_i with every step along axis i, until it is P or more and wraps.  There the
 * packet goes to the next level.  All its steps together, half way round each axis at
 * most, add the sum of floor(N_i/2) P/N_i to a phi below P, which tells how often it
 * can wrap: once on a ring or a torus of two dimensions, twice in three or four.
 *
 * Rank: level, then phi.  Classes for packets that cross the seam of an axis and for those
 * that do not, instead of levels on the way, do not do: they have cycles.
 */
#include "topo_axes.h"
#include "vclass_axes.h"
#include "vclass_rules.h"

static const char *init(struct fc_vclass *v)
{
	const struct fc_topo *topo = v->topo;
	u32 orthants = fc_vclass_axes_init(v);
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

static u32 phi(const struct fc_vclass *v, u32 site, u8 class)
{
	const struct fc_topo *topo = v->topo;
	unsigned int i;
	u32 sum = 0;

	for (i = 0; i < topo->ndims; i++) {
		u32 size = topo->size[i];
		u32 x = site % size;

		if (class >> i & 1)
			x = size - 1 - x;
		sum += x * (topo->nsites / size);
		site /= size;
	}
	return sum % topo->nsites;
}

static u32 onward(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	u32 above = v->topo->nsites - phi(v, site, class);
	u32 allowed = mask & fc_vclass_axes_orthant(v, class);
	u32 left;

	for (left = allowed; left; left &= left - 1) {
		u8 d = (u8)fc_low(left);
		u32 step = v->topo->nsites / v->topo->size[fc_topo_axes_dim(d)];

		next[d] = class;
		if (step >= above)
			next[d] += (u8)fc_bit(v->bits);
		if (next[d] >= v->count)
			allowed &= ~fc_bit(d);
	}
	return allowed;
}

const struct fc_vclass_rules fc_vclass_torus = {
	.topo = &fc_topo_torus,
	.init = init,
	.first = fc_vclass_axes_first,
	.wanted = fc_vclass_axes_wanted,
	.onward = onward,
};

const struct fc_vclass_rules fc_vclass_ring = {
	.topo = &fc_topo_ring,
	.init = init,
	.first = fc_vclass_axes_first,
	.wanted = fc_vclass_axes_wanted,
	.onward = onward,
};
