// SPDX-License-Identifier: GPL-2.0
#include "core/link/prefer.h"

u32 fc_prefer_share(const struct fc_prefer *p, u32 dirs, u32 key, u32 site)
{
	u32 h = key ^ (site + 1U) * 0x7feb352dU, total = 0, rest;
	u32 point;

	for (rest = dirs; rest; rest &= rest - 1)
		total += p->weight[fc_low(rest)];
	h = (h ^ h >> 16) * 0x7feb352dU;
	h = (h ^ h >> 15) * 0x846ca68bU;
	h ^= h >> 16;
	point = (u32)((u64)h * total >> 32);
	for (rest = dirs; rest & (rest - 1); rest &= rest - 1) {
		u8 weight = p->weight[fc_low(rest)];

		if (point < weight)
			break;
		point -= weight;
	}
	return rest & -rest;
}

u32 fc_prefer_index(struct fc_prefer_table *table, u32 nsites)
{
	u32 e, r, site;

	memset(table->of, 0, nsites);
	for (e = 1; e < table->count; e++) {
		const struct fc_prefer *p = &table->entry[e];

		for (r = 0; r < p->nranges; r++) {
			for (site = p->range[r].first; site <= p->range[r].last; site++) {
				if (table->of[site])
					return site;
				table->of[site] = (u8)e;
			}
		}
	}
	return FC_SITE_NONE;
}

u64 fc_prefer_classes(const struct fc_vclass *v, u32 site)
{
	const struct fc_topo *topo = v->topo;
	u64 classes = 0;
	u32 dst, peer;
	u8 d;

	for (dst = 0; dst < topo->nsites; dst++)
		if (dst != site)
			classes |= fc_bit64(fc_vclass_first(v, site, dst));
	for (d = 0; d < topo->ndirs; d++) {
		peer = fc_topo_neighbour(topo, site, d);
		if (peer != FC_SITE_NONE)
			classes |= fc_vclass_carried(v, peer, topo->ops->arrival(topo, site, d));
	}
	return classes;
}

bool fc_prefer_blocks(const struct fc_vclass *v, u32 site, u64 classes, u32 dst, u32 never)
{
	u8 next[FC_DIRS_MAX];

	for (; classes; classes &= classes - 1) {
		u32 dirs = fc_vclass_next_hops(v, site, dst, (u8)fc_low64(classes), next);

		if (dirs && !(dirs & ~never))
			return true;
	}
	return false;
}
