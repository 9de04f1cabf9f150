// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet: the routes of each class, and their cache.
 */
#include "core/vnet/vnet_machine.h"

void fc_vroute_cache_clear(struct fc_vnet *v)
{
	struct fc_vroute_cache *cache = v->cache;
	u32 i;
	u8 c;

	memset(cache, 0, fc_vroute_cache_size(v->nclasses));
	for (i = 0; i < FC_VROUTES; i++)
		cache->route[i].dst = FC_SITE_NONE;
	for (c = 0; c < v->nclasses; c++)
		fc_vclass_allowed(v->classes, v->node->id, c, cache->next[c]);
}

const u8 *fc_vroute_find(const struct fc_vnet *v, u8 class, u8 port, u32 dst, u32 *dirs,
			 u8 next[FC_DIRS_MAX])
{
	u8 from = fc_vroute_from(class, port);

	if (port == FC_PORT_LOCAL)
		class = fc_vclass_first(v->classes, v->node->id, dst);
	*dirs = fc_vclass_next_hops(v->classes, v->node->id, dst, class, next);
	if (v->cache)
		*fc_vroute_at(v->cache, from, dst) = (struct fc_vroute){
			.dst = dst, .dirs = *dirs, .from = from, .class = class,
		};
	return next;
}

const u8 *fc_vroute_classes(const struct fc_vnet *v, u8 class, u8 next[FC_DIRS_MAX])
{
	if (v->cache)
		return v->cache->next[class];
	fc_vclass_allowed(v->classes, v->node->id, class, next);
	return next;
}

/* The class in which a packet to one site begins. */
static u8 first_of(const struct fc_vnet *v, u32 dst)
{
	const struct fc_vroute *route = fc_vroute_cached(v, 0, FC_PORT_LOCAL, dst);
	u8 next[FC_DIRS_MAX];
	u32 dirs;

	if (!route && v->cache) {
		fc_vroute_find(v, 0, FC_PORT_LOCAL, dst, &dirs, next);
		route = fc_vroute_cached(v, 0, FC_PORT_LOCAL, dst);
	}
	return route ? route->class : fc_vclass_first(v->classes, v->node->id, dst);
}

u8 fc_vnet_begin(const struct fc_vnet *v, const u32 *dst, u32 n)
{
	u8 class = FC_VCLASSES_MAX;
	u32 i;

	/* Routes around dead links may begin in any direction. */
	if (n > 1 && v->node->routes)
		return 0;
	for (i = 0; i < n && class; i++) {
		u8 first;

		if (dst[i] == v->node->id)
			continue;
		first = first_of(v, dst[i]);
		if (first < class)
			class = first;
	}
	return class < v->nclasses ? class : 0;
}
