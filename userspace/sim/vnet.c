// SPDX-License-Identifier: GPL-2.0
/*
 * The switches of modes vnet and postman.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim.h"
#include "util.h"

static void drop(void *arg, void *h)
{
	frame_put(arg, h);
}

void vnet_init(struct sim *sim, u32 at)
{
	const struct config *config = &sim->config;
	u8 nports = config->topo.ndirs + 1, nclasses = sim->classes.count;
	u8 nbranches = fc_vnet_branches(config->topo.ndirs);
	struct fc_vnet *v = xcalloc(1, sizeof(*v));

	v->classes = &sim->classes;
	v->site = &sim->node[at].site;
	v->payload = (u32)config->flit - FC_LINK_SIZE;
	v->nports = nports;
	v->nclasses = nclasses;
	v->slow = config->look;
	if (config->mode == FC_MODE_POSTMAN) {
		struct fc_straight *straight;

		straight = xcalloc((size_t)nclasses * nports, sizeof(*straight));
		fc_postman_fill(&sim->classes, at, nports, straight);
		v->straight = straight;
	}
	v->ch = xcalloc(nclasses, sizeof(*v->ch));
	v->in = xcalloc((size_t)nclasses * nports, sizeof(*v->in));
	v->out = xcalloc((size_t)nclasses * nports, sizeof(*v->out));
	for (u32 i = 0; i < (u32)nclasses * nports; i++)
		v->in[i].branch = xcalloc(nbranches, sizeof(*v->in[i].branch));
	for (u8 c = 0; c < nclasses; c++) {
		struct fc_channel *ch = &v->ch[c];

		ch->window = (u32)config->window;
		ch->rx = xcalloc(nports, sizeof(*ch->rx));
		ch->tx = xcalloc(nports, sizeof(*ch->tx));
		for (u8 p = 0; p < nports; p++) {
			ch->rx[p].queue = xcalloc(config->window, sizeof(struct fc_flit));
			ch->rx[p].stat = sim_link_stat(sim, at, p);
		}
	}
	fc_vnet_init(v);
	sim->node[at].vnet = v;
}

void vnet_free(struct sim *sim, u32 at)
{
	struct fc_vnet *v = sim->node[at].vnet;

	fc_vnet_purge(v, drop, sim);
	for (u8 c = 0; c < v->nclasses; c++) {
		for (u8 p = 0; p < v->nports; p++) {
			free(v->ch[c].rx[p].queue);
			free(v->in[c * v->nports + p].branch);
		}
		free(v->ch[c].rx);
		free(v->ch[c].tx);
	}
	free((void *)v->straight);
	free(v->ch);
	free(v->in);
	free(v->out);
	free(v);
}

void vnet_tell_stuck(const struct sim *sim, u32 at)
{
	const struct fc_vnet *v = sim->node[at].vnet;

	for (u32 i = 0; i < (u32)v->nclasses * v->nports; i++) {
		const struct fc_vin *in = &v->in[i];
		const struct fc_rx *rx = &v->ch[i / v->nports].rx[i % v->nports];

		if (!in->busy && !rx->queued)
			continue;
		fprintf(stderr,
			"  site %u class %u port %u: %u of %u flits come, %u freed, %u queued, %u of %u branches go on\n",
			at, i / v->nports, i % v->nports, in->come, in->n, in->freed, rx->queued,
			in->active, in->nbranches);
	}
}
