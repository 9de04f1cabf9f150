// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a site: allocated, and freed with its last reference.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include "compat.h"
#include "ends/state.h"
#include "fabric/auth.h"
#include "fabric/faults.h"
#include "fabric/shared_graph.h"
#include "fabric/relay.h"
#include "site/impl.h"

static void site_free(struct flitcast_site *site)
{
	site->mode->free(site);
	flitcast_relay_free(site);
	flitcast_faults_free(site);
	flitcast_ends_free(site);
	flitcast_auth_free(site->auth);
	kfree(site->buffers.no_queue);
	flitcast_charge_close(site);
	kfree(site->todo.effects);
	kvfree(site->node.prefers);
	if (site->cfg.topo.graph)
		flitcast_graph_put(site->cfg.topo.graph);
	kfree(site);
}

void flitcast_site_put(struct flitcast_site *site)
{
	if (refcount_dec_and_test(&site->refs))
		site_free(site);
}

void flitcast_site_set_timing(struct flitcast_site *site)
{
	const struct flitcast_site_tuning *tuning = &site->cfg.tuning;

	site->timing.seek = (u64)tuning->seek * NSEC_PER_USEC;
	site->timing.seek_max = tuning->seek_max;
	site->timing.timeout = (u64)tuning->timeout * NSEC_PER_USEC;
	site->timing.retry = (u64)tuning->retry * NSEC_PER_USEC;
	/* Ack before the peer polls; a peer that needs the buffer space polls earlier. */
	site->timing.ack_delay = (u64)tuning->poll * NSEC_PER_USEC / 2;
	site->timing.poll = (u64)tuning->poll * NSEC_PER_USEC;
}

struct flitcast_site *flitcast_site_alloc(struct net *net, const struct flitcast_site_config *cfg)
{
	struct flitcast_site *site;

	site = kzalloc(struct_size(site, end, cfg->topo.ndirs + 1), GFP_KERNEL_ACCOUNT);
	if (!site)
		return NULL;
	refcount_set(&site->refs, 1);
	site->net = net;
	site->cfg = *cfg;
	site->cfg.key = NULL;
	site->cfg.flit = flitcast_site_frame(cfg);
	site->mode = flitcast_mode(cfg->mode);
	if (cfg->topo.graph)
		flitcast_graph_hold(cfg->topo.graph);
	site->incarnation = get_random_u32();
	spin_lock_init(&site->lock);
	flitcast_oper_init(site);
	flitcast_up_init(&site->todo.up);
	flitcast_dgram_init(site);
	site->clock.ends_at = FC_NEVER;
	site->clock.bcasts_at = FC_NEVER;
	site->clock.timer_at = FC_NEVER;
	site->clock.machines_at = FC_NEVER;
	site->rng = get_random_u64() | 1;
	INIT_WORK(&site->news.work, flitcast_event_work);
	flitcast_ctrl_init(site);
	hrtimer_setup(&site->clock.timer, flitcast_engine_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);

	flitcast_site_set_timing(site);
	/* The operator consumes every flit at once. */
	site->timing.fifo_room = 0;
	fc_pref_default(&site->pref, &site->cfg.topo);

	site->node = (struct fc_node) {
		.topo = &site->cfg.topo, .timing = &site->timing, .pref = &site->pref,
		.stat = site->stat, .id = cfg->id, .nports = cfg->topo.ndirs + 1,
	};
	site->buffers.no_queue = kcalloc(cfg->window, sizeof(*site->buffers.no_queue),
					 GFP_KERNEL_ACCOUNT);
	site->todo.effects = kzalloc(sizeof(*site->todo.effects), GFP_KERNEL_ACCOUNT);
	if (!site->buffers.no_queue || !site->todo.effects || !flitcast_charge_open(site))
		goto fail;
	if (flitcast_ends_alloc(site) || site->mode->alloc(site) || flitcast_relay_alloc(site) ||
	    flitcast_faults_alloc(site))
		goto fail;
	return site;
fail:
	site_free(site);
	return NULL;
}
