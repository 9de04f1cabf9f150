// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "harts_algorithm.h"
#include "core/topo/hexmesh.h"
#include "base/util.h"

const struct harts_algorithm harts_algorithms[HARTS_ALGORITHMS] = {
	[HARTS_SBCAST] = { { "SBCAST", "one copy, at most one turn" }, 1, false },
	[HARTS_2BCAST] = { { "2-BCAST", "two copies" }, 2, false },
	[HARTS_3BCAST] = { { "3-BCAST", "three copies" }, 3, false },
	[HARTS_4BCAST] = { { "4-BCAST", "four copies" }, 4, false },
	[HARTS_5BCAST] = { { "5-BCAST", "five copies" }, 5, false },
	[HARTS_6BCAST] = { { "6-BCAST", "six copies" }, 6, false },
	[HARTS_SFBCAST] = { { "SFBCAST", "SBCAST's paths, stored at each site" }, 1, true },
	[HARTS_A] = { { "A", "one copy straight on through all sites" }, 1, false },
};

void harts_rules_open(struct harts_broadcast_rules *r, const struct fc_topo *topo,
		      enum harts_algorithm_id id, enum harts_fault fault)
{
	const struct harts_algorithm *algorithm = &harts_algorithms[id];
	u32 slots = fc_bcast_slots(topo);
	struct fc_bcast_work *work = xcalloc(slots, sizeof(*work));
	const char *wrong = fc_bcast_init(&r->table, topo, algorithm->copies);

	if (!wrong) {
		if (id == HARTS_A)
			r->table.rules = &fc_bcast_hamilton;
		r->table.entry = xcalloc(slots, sizeof(*r->table.entry));
		wrong = fc_bcast_fill(&r->table, work);
	}
	if (!wrong)
		wrong = fc_bcast_check(&r->table, work);
	if (wrong)
		die("%s: %s", algorithm->choice.name, wrong);
	free(work);
	r->broken = fault == HARTS_MIRROR;
	r->store = algorithm->store || fault == HARTS_STORE;
}

void harts_rules_close(struct harts_broadcast_rules *r)
{
	free(r->table.entry);
}

static void mirror(const struct fc_bcast_packet *p, struct fc_bcast_sends *sends)
{
	for (u32 i = 0; i < sends->n; i++) {
		int turn = sends->run[i].dir - p->dir;

		sends->run[i].dir = (u8)((p->dir - turn + FC_HEXMESH_DIRS) % FC_HEXMESH_DIRS);
	}
}

bool harts_rules_forward(const struct harts_broadcast_rules *r, const struct fc_bcast_packet *p,
			 struct fc_bcast_sends *sends)
{
	const struct fc_topo *topo = r->table.topo;
	u32 out = FC_BCAST_DELIVER;

	sends->n = 0;
	r->table.rules->forward(&r->table, p, sends);
	if (r->broken)
		mirror(p, sends);
	if (p->left)
		out |= fc_bit(p->dir);
	for (u32 i = 0; i < sends->n; i++)
		if (sends->run[i].left)
			out |= fc_bit(sends->run[i].dir);
	return out == fc_bcast_next(&r->table, 0, p->site,
				    topo->ops->arrival(topo, p->site, p->dir));
}
