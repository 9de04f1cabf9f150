// SPDX-License-Identifier: GPL-2.0
/*
 * Reservations of mode csr.
 */
#include <string.h>

#include "reserve.h"
#include "core/vnet/csr_plan.h"

/* Windows reserved at a site, per link, as in fabric/csr.c. */
#define RES_PER_PORT	64

/* Memory of a plan. */
struct reservations {
	struct fc_csr_plan plan;
	struct fc_csr_link link[FC_PORTS_MAX];
	u8 frame[FC_CSR_FRAMES][FC_CSR_FRAME];
};

void reserve_init(struct sim *sim, u32 at, u64 seed)
{
	struct reservations *r = arena_take(&sim->arena, 1, sizeof(*r));
	struct fc_vnet *v = sim_node(sim, at)->vnet;
	u32 size = RES_PER_PORT * v->nports;

	if (size > FC_CSR_MAX)
		size = FC_CSR_MAX;
	r->plan.c.pool.size = (u16)size;
	r->plan.c.pool.res = arena_take(&sim->arena, size, sizeof(struct fc_csr_res));
	r->plan.path = arena_take(&sim->arena, sim->config.topo.nsites,
				  sizeof(*r->plan.path));
	r->plan.link = r->link;
	r->plan.frame = r->frame;
	r->plan.vnet = v;
	r->plan.rng = seed;
	fc_csr_plan_init(&r->plan);
	v->plan = &r->plan;
	v->apart = true;
}

void reserve_send(struct sim *sim, u32 at, const struct fc_effect *fx)
{
	struct fc_link_hdr header = {
		.type = FC_FRAME_CSR, .vc = FC_VC_CTRL, .len = (u16)fx->flit.data,
		.epoch = sim_node(sim, at)->port[fx->port].epoch,
	};
	struct frame *frame = frame_new(sim, fx->flit.data, NULL);

	memcpy(frame->payload, fx->flit.head, fx->flit.data);
	sim->link_stat[FC_LSTAT_TX_CTRL]++;
	net_send(sim, at, fx->port, &header, frame, NULL);
}

bool reserve_in(struct sim *sim, u32 at, u8 port, const struct frame *frame,
		struct fc_effects *effects)
{
	struct fc_csr_plan *plan = sim_node(sim, at)->vnet->plan;
	struct fc_csr_frame csr;

	if (!plan || !fc_wire_csr_decode(&csr, frame->payload, frame->size))
		return false;
	fc_csr_plan_in(plan, port, &csr, sim->now, effects);
	return true;
}
