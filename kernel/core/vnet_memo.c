// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet: the ways of each class, and the memo of them.
 */
#include "vnet_machine.h"

void fc_vnet_forget(struct fc_vnet *v)
{
	struct fc_vmemo *memo = v->memo;
	u32 i;
	u8 c;

	memset(memo, 0, fc_vmemo_room(v->nclasses));
	for (i = 0; i < FC_VMEMO_WAYS; i++)
		memo->way[i].dst = FC_SITE_NONE;
	for (c = 0; c < v->nclasses; c++)
		fc_vclass_onward(v->classes, v->node->id, c, memo->next[c]);
}

const u8 *fc_vnet_find(const struct fc_vnet *v, u8 class, u8 port, u32 dst, u32 *dirs,
		       u8 next[FC_DIRS_MAX])
{
	u8 from = fc_vmemo_from(class, port);

	if (port == FC_PORT_LOCAL)
		class = fc_vclass_first(v->classes, v->node->id, dst);
	*dirs = fc_vclass_ways(v->classes, v->node->id, dst, class, next);
	if (v->memo)
		*fc_vmemo_at(v->memo, from, dst) = (struct fc_vmemo_way){
			.dst = dst, .dirs = *dirs, .from = from, .class = class,
		};
	return next;
}

const u8 *fc_vnet_row(const struct fc_vnet *v, u8 class, u8 next[FC_DIRS_MAX])
{
	if (v->memo)
		return v->memo->next[class];
	fc_vclass_onward(v->classes, v->node->id, class, next);
	return next;
}

/* The class in which a packet to one site begins. */
static u8 first_of(const struct fc_vnet *v, u32 dst)
{
	const struct fc_vmemo_way *way = fc_vknown(v, 0, FC_PORT_LOCAL, dst);
	u8 next[FC_DIRS_MAX];
	u32 dirs;

	if (!way && v->memo) {
		fc_vnet_find(v, 0, FC_PORT_LOCAL, dst, &dirs, next);
		way = fc_vknown(v, 0, FC_PORT_LOCAL, dst);
	}
	return way ? way->class : fc_vclass_first(v->classes, v->node->id, dst);
}

u8 fc_vnet_begin(const struct fc_vnet *v, const u32 *dst, u32 n)
{
	u8 class = FC_VCLASSES_MAX;
	u32 i;

	/* Ways around what is dead may begin in any direction. */
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
