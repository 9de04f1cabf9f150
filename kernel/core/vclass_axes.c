// SPDX-License-Identifier: GPL-2.0
#include "topo_axes.h"
#include "vclass_axes.h"

u32 fc_vclass_axes_init(struct fc_vclass *v)
{
	unsigned int i;

	static_assert(1 << 6 == FC_VCLASSES_MAX, "the limit below");
	for (i = 0; i < v->topo->ndims; i++)
		if (v->topo->size[i] > 1)
			v->bits++;
	return v->bits <= 6 ? fc_bit(v->bits) : 0;
}

u32 fc_vclass_axes_orthant(const struct fc_vclass *v, u8 class)
{
	unsigned int i;
	u32 mask = 0;

	for (i = 0; i < v->topo->ndims; i++) {
		if (v->topo->size[i] == 1)
			continue;
		mask |= class & 1 ? fc_topo_axes_minus_bit(i) : fc_topo_axes_plus_bit(i);
		class >>= 1;
	}
	return mask;
}

u8 fc_vclass_axes_first(const struct fc_vclass *v, u32 src, u32 dst)
{
	u32 mask = fc_topo_minimal(v->topo, src, dst);
	unsigned int i;
	u8 class = 0;
	u8 bit = 1;

	for (i = 0; i < v->topo->ndims; i++) {
		if (v->topo->size[i] == 1)
			continue;
		if (mask & fc_topo_axes_minus_bit(i) && !(mask & fc_topo_axes_plus_bit(i)))
			class |= bit;
		bit <<= 1;
	}
	return class;
}

/* The axes of directions, each as its positive one. */
static u32 axes(u32 mask)
{
	return (mask | mask >> 1) & 0x55555555;
}

u32 fc_vclass_axes_wanted(const struct fc_vclass *v, u32 site, u32 dst, u8 class)
{
	u32 minimal = fc_topo_minimal(v->topo, site, dst);
	u32 wanted = minimal & fc_vclass_axes_orthant(v, class);

	return axes(wanted) == axes(minimal) ? wanted : 0;
}
