// SPDX-License-Identifier: GPL-2.0
/*
 * Mode csr, links reserved in time: runs core/vnet/csr_plan.h beside the switch of vnet.c.
 *
 *	packet waits in an injection queue
 *	  request, hop by hop  ---> each site reserves a window of time on the next link
 *	                       <--- ACK; or refused: another attempt later
 *	  packet leaves in its window, and crosses each further link in the window reserved there
 *
 * Sites on the path do not store packets.  A packet that is late stays in its channel, as in mode
 * vnet, and reserves again from there.  Only the bulk set reserves.  The plan (struct fc_csr_plan)
 * decides when a packet may leave; the switch asks it.  Requests and answers are frames of type
 * FC_FRAME_CSR.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include "core/vnet/csr_plan.h"
#include "core/vnet/vnet.h"
#include "fabric/csr.h"
#include "fabric/effects.h"
#include "fabric/enter.h"
#include "fabric/vnet.h"

/* Maximum number of windows reserved at a site, per link. */
#define RES_PER_PORT	64

/**
 * struct flitcast_csr - the reservations of a site
 * @plan: the plan: decides when packets leave
 * @link: reservations by link
 * @res: memory of the reservations
 * @path: experience with packets of this site, by target site
 * @frame: payloads of the frames that effects send
 *
 * The site's lock protects it.
 */
struct flitcast_csr {
	struct fc_csr_plan plan;
	struct fc_csr_link link[FC_PORTS_MAX];
	struct fc_csr_res *res;
	struct fc_csr_path *path;
	u8 (*frame)[FC_CSR_FRAME];
};

static void csr_free(struct flitcast_site *site)
{
	struct flitcast_csr *csr = site->csr;

	if (csr) {
		kvfree(csr->res);
		kvfree(csr->path);
		kvfree(csr->frame);
		kfree(csr);
	}
	flitcast_vnet_free(site);
}

static int csr_alloc(struct flitcast_site *site)
{
	u16 size = min_t(u32, RES_PER_PORT * site->node.nports, FC_CSR_MAX);
	struct flitcast_csr *csr;
	struct fc_vnet *vnet;

	if (flitcast_vnet_alloc(site))
		return -ENOMEM;
	csr = kzalloc(sizeof(*csr), GFP_KERNEL_ACCOUNT);
	if (!csr)
		return -ENOMEM;
	site->csr = csr;
	vnet = flitcast_vnet_core(site, FC_SET_BULK);
	csr->res = kvcalloc(size, sizeof(*csr->res), GFP_KERNEL_ACCOUNT);
	csr->path = kvcalloc(site->cfg.topo.nsites, sizeof(*csr->path), GFP_KERNEL_ACCOUNT);
	csr->frame = kvcalloc(FC_CSR_FRAMES, sizeof(*csr->frame), GFP_KERNEL_ACCOUNT);
	if (!csr->res || !csr->path || !csr->frame)
		return -ENOMEM;
	csr->plan.c.pool.res = csr->res;
	csr->plan.c.pool.size = size;
	csr->plan.link = csr->link;
	csr->plan.path = csr->path;
	csr->plan.vnet = vnet;
	csr->plan.frame = csr->frame;
	csr->plan.rng = get_random_u64();
	fc_csr_plan_init(&csr->plan);
	vnet->plan = &csr->plan;
	vnet->apart = true;
	return 0;
}

u64 flitcast_csr_next_at(const struct flitcast_site *site)
{
	return site->csr ? fc_csr_plan_next_at(&site->csr->plan) : FC_NEVER;
}

bool flitcast_csr_in(struct flitcast_site *site, u8 port, struct sk_buff *skb)
{
	struct fc_effects *fx = site->todo.effects;
	struct fc_event ev = { .type = FC_EV_MORE };
	struct fc_csr_frame frame;
	u32 i;

	if (!site->csr || !pskb_may_pull(skb, skb->len) ||
	    !fc_wire_csr_decode(&frame, skb->data, skb->len))
		return false;
	site->end[port].link->stat[FC_LSTAT_RX_CTRL]++;
	fc_csr_plan_in(&site->csr->plan, port, &frame, flitcast_site_now(site), fx);
	for (i = 0; i < fx->n; i++)
		flitcast_effects_perform(site, FC_SET_BULK, &fx->fx[i]);
	flitcast_vnet_all(site, &ev);
	return true;
}

u64 flitcast_csr_due(const struct flitcast_site *site, const u8 *head)
{
	return site->csr ? fc_csr_plan_due(&site->csr->plan, head) : 0;
}

/* Update the reservations first: the switch depends on them. */
static void csr_link(struct flitcast_site *site, struct fc_event *ev)
{
	if (ev->type == FC_EV_LINK_DOWN)
		fc_csr_plan_link_down(&site->csr->plan, ev->port);
	flitcast_vnet_all(site, ev);
}

static void csr_time(struct flitcast_site *site, u64 now)
{
	fc_csr_plan_time(&site->csr->plan, now);
	flitcast_vnet_time(site, now);
}

const struct flitcast_mode flitcast_mode_csr = {
	.reserves = true,
	FLITCAST_VNET_MODE,
	.alloc = csr_alloc,
	.free = csr_free,
	.link = csr_link,
	.time = csr_time,
};
