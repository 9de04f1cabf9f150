// SPDX-License-Identifier: GPL-2.0
/*
 * C-wrapped hexagonal meshes with n sites on an edge, six classes.  A shortest path has
 * steps in two neighbouring directions at most, so it is in one of three half planes:
 *
 *	half plane g = 0, 1, 2		directions h(2g), h(2g+1), h(2g+2)
 *
 * Modulo the N = 3n(n-1)+1 sites r = 3n-1 is a sixth root of unity, and the directions
 * lead to s + r^0, s + r^1 ... s + r^5.  So with the label L = s r^(-2g) mod N the
 * three of a half plane add 1, 3n-1 and 3n-2 to L, and a path adds (n-1)(3n-1) = N-n at
 * most: it wraps once at most, and then is at level 1.
 *
 *	class	2g + level
 *
 * Rank: level, then L.  Half planes without the level have cycles.
 */
#include "topo_hexmesh.h"
#include "vclass_rules.h"

static const char *init(struct fc_vclass *v)
{
	v->levels = 2;
	v->count = FC_HEXMESH_AXES * v->levels;
	return NULL;
}

static u32 half_plane(u8 class)
{
	static const u8 directions[FC_HEXMESH_AXES] = { 0x07, 0x1c, 0x31 };

	return directions[class / 2];
}

/* Of one direction or of two neighbours, the one before which none is. */
static u8 first(const struct fc_vclass *v, u32 src, u32 dst)
{
	u32 minimal = fc_topo_minimal(v->topo, src, dst);
	u32 after = (minimal << 1 | minimal >> (FC_HEXMESH_DIRS - 1)) & 0x3f;

	return (u8)(fc_low(minimal & ~after) & ~1u);
}

static u32 wanted(const struct fc_vclass *v, u32 site, u32 dst, u8 class)
{
	u32 minimal = fc_topo_minimal(v->topo, site, dst);

	return minimal & ~half_plane(class) ? 0 : minimal;
}

/* r^-2 = r^4 = -(3n-1), and r^-4 = r^2 = 3n-2. */
static u32 label(const struct fc_topo *topo, u32 site, u8 class)
{
	u32 r = 3 * topo->size[0] - 1;

	/* Below 1773 * 1046071: fits. */
	switch (class / 2) {
	case 0:
		return site;
	case 1:
		return site ? topo->nsites - r * site % topo->nsites : 0;
	}
	return (r - 1) * site % topo->nsites;
}

static u32 onward(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	u32 r = 3 * v->topo->size[0] - 1;
	const u32 add[FC_HEXMESH_AXES] = { 1, r, r - 1 };
	u32 above = v->topo->nsites - label(v->topo, site, class);
	u32 allowed = mask & half_plane(class);
	u32 left;

	for (left = allowed; left; left &= left - 1) {
		unsigned int d = fc_low(left);
		/* From h(2g) on, counterclockwise. */
		unsigned int turn = (d + FC_HEXMESH_DIRS - class / 2 * 2) % FC_HEXMESH_DIRS;

		next[d] = class;
		if (add[turn] < above)
			continue;
		if (class & 1)
			allowed &= ~fc_bit(d);
		else
			next[d]++;
	}
	return allowed;
}

const struct fc_vclass_rules fc_vclass_hexmesh = {
	.topo = &fc_topo_hexmesh,
	.init = init,
	.first = first,
	.wanted = wanted,
	.onward = onward,
};
