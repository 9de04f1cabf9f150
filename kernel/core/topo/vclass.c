// SPDX-License-Identifier: GPL-2.0
#include "core/topo/vclass.h"
#include "core/topo/rules.h"

const char *fc_vclass_init(struct fc_vclass *v, const struct fc_topo *topo)
{
	struct fc_vclass made = {
		.topo = topo, .rules = topo->ops->vclass, .levels = 1, .only = FC_SITE_NONE,
	};
	const char *wrong = made.rules->init(&made);

	if (!wrong)
		*v = made;
	return wrong;
}

size_t fc_vclass_room(const struct fc_vclass *v, u32 site)
{
	return v->rules->room ? v->rules->room(v, site) : 0;
}

void fc_vclass_fill(struct fc_vclass *v, u32 site, void *room)
{
	if (v->rules->fill)
		v->rules->fill(v, site, room);
}

u8 fc_vclass_first(const struct fc_vclass *v, u32 src, u32 dst)
{
	if (src >= v->topo->nsites || dst >= v->topo->nsites || src == dst)
		return 0;
	return v->rules->first(v, src, dst);
}

u32 fc_vclass_next_hops(const struct fc_vclass *v, u32 site, u32 dst, u8 class,
			u8 next[FC_DIRS_MAX])
{
	if (site >= v->topo->nsites || dst >= v->topo->nsites || site == dst || class >= v->count)
		return 0;
	return v->rules->allowed(v, site, class, v->rules->productive(v, site, dst, class), next);
}

u32 fc_vclass_allowed(const struct fc_vclass *v, u32 site, u8 class, u8 next[FC_DIRS_MAX])
{
	u32 mask = 0;
	u8 d;

	if (class >= v->count)
		return 0;
	for (d = 0; d < v->topo->ndirs; d++)
		if (fc_topo_neighbour(v->topo, site, d) != FC_SITE_NONE)
			mask |= fc_bit(d);
	return v->rules->allowed(v, site, class, mask, next);
}

u64 fc_vclass_carried(const struct fc_vclass *v, u32 site, u8 dir)
{
	u8 next[FC_DIRS_MAX], class;
	u64 classes = 0;

	if (fc_topo_neighbour(v->topo, site, dir) == FC_SITE_NONE)
		return 0;
	for (class = 0; class < v->count; class++)
		if (v->rules->allowed(v, site, class, fc_bit(dir), next))
			classes |= fc_bit64(next[dir]);
	return classes;
}
