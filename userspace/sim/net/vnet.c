// SPDX-License-Identifier: GPL-2.0
/*
 * The switches of modes vnet and postman.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fail.h"
#include "sim.h"
#include "base/util.h"

static void drop(void *arg, void *h)
{
	frame_put(arg, h);
}

size_t vnet_layout(struct sim *sim, size_t size)
{
	size_t inputs = (size_t)sim->nclasses * (sim->config.topo.ndirs + 1u);
	struct layout *layout = &sim->layout;

	layout->vnet = layout_add(&size, 1, sizeof(struct fc_vnet));
	layout->channel = layout_add(&size, sim->nclasses, sizeof(struct fc_channel));
	layout->rx = layout_add(&size, inputs, sizeof(struct fc_rx));
	layout->tx = layout_add(&size, inputs, sizeof(struct fc_tx));
	layout->in = layout_add(&size, inputs, sizeof(struct fc_vin));
	layout->out = layout_add(&size, inputs, sizeof(struct fc_vout));
	if (fc_mode_ops(sim->config.mode)->eager)
		layout->straight = layout_add(&size, inputs, sizeof(struct fc_straight));
	return size;
}

void vnet_init(struct sim *sim, u32 at)
{
	const struct config *config = &sim->config;
	const struct layout *layout = &sim->layout;
	struct node *node = sim_node(sim, at);
	struct fc_vnet *v = node_part(node, layout->vnet);
	struct fc_rx *rx = node_part(node, layout->rx);
	struct fc_tx *tx = node_part(node, layout->tx);

	v->ch = node_part(node, layout->channel);
	v->in = node_part(node, layout->in);
	v->out = node_part(node, layout->out);
	v->classes = &sim->classes;
	v->node = &node->shared;
	v->payload = (u32)config->flit - FC_LINK_SIZE;
	v->nports = config->topo.ndirs + 1;
	v->nclasses = sim->nclasses;
	v->slow = config->routing;
	if (fc_mode_ops(config->mode)->eager) {
		struct fc_straight *straight = node_part(node, layout->straight);

		fc_postman_fill(&sim->classes, at, v->nports, straight);
		v->straight = straight;
	}
	for (u8 c = 0; c < v->nclasses; c++) {
		struct fc_channel *ch = &v->ch[c];

		ch->window = (u32)config->window;
		ch->rx = rx + (size_t)c * v->nports;
		ch->tx = tx + (size_t)c * v->nports;
		for (u8 p = 0; p < v->nports; p++)
			ch->rx[p].stat = fail_stat(sim, at, p);
	}
	fc_vnet_init(v);
	node->vnet = v;
}

/*
 * Memory for incoming flits and the branches of their packet.  Few channels of a site are in use at
 * a time, so an input leases memory while it has flits or a packet; a new lease checks the two
 * oldest ones, and reclaims those of idle inputs.
 */

static void *lease_memory(struct sim *sim)
{
	size_t flits = sim->config.window * sizeof(struct fc_flit);
	size_t branches = fc_vnet_branches(sim->config.topo.ndirs) * sizeof(struct fc_vbranch);
	struct leases *leases = &sim->leases;
	void **memory = leases->unused;

	if (!memory)
		return arena_take(&sim->arena, 1, flits + branches);
	leases->unused = *memory;
	__builtin_prefetch(leases->unused);
	*memory = NULL;
	return memory;
}

static void lease_add(struct leases *leases, u64 input)
{
	if (leases->n == leases->room) {
		size_t room = leases->room ? 2 * leases->room : 1024;
		u64 *inputs = xcalloc(room, sizeof(*inputs));

		for (size_t i = 0; i < leases->n; i++)
			inputs[i] = leases->input[(leases->first + i) % leases->room];
		free(leases->input);
		leases->input = inputs;
		leases->first = 0;
		leases->room = room;
	}
	leases->input[(leases->first + leases->n++) % leases->room] = input;
}

/* Prefetch an input for the next lease_check().  (The compiler would drop a call.) */
static inline __attribute__((always_inline)) void
lease_fetch(const struct sim *sim, size_t i)
{
	const struct leases *leases = &sim->leases;
	u32 inputs = (u32)sim->nclasses * (sim->config.topo.ndirs + 1u);
	const char *site;
	u64 input;

	if (i >= leases->n)
		return;
	input = leases->input[(leases->first + i) % leases->room];
	site = (const char *)sim_node(sim, input / inputs);
	__builtin_prefetch((const struct fc_vin *)(site + sim->layout.in) + input % inputs);
	__builtin_prefetch((const struct fc_rx *)(site + sim->layout.rx) + input % inputs);
}

/* Reclaim the oldest lease if its input is idle, or renew it. */
static void lease_check(struct sim *sim)
{
	struct leases *leases = &sim->leases;
	u32 inputs = (u32)sim->nclasses * (sim->config.topo.ndirs + 1u);
	u64 input = leases->input[leases->first];
	const struct fc_vnet *v = sim_node(sim, input / inputs)->vnet;
	struct fc_vin *in = &v->in[input % inputs];
	struct fc_rx *rx = &v->ch[0].rx[input % inputs];

	leases->first = (leases->first + 1) % leases->room;
	leases->n--;
	if (in->busy || rx->queued) {
		lease_add(leases, input);
		return;
	}
	*(void **)rx->queue = leases->unused;
	leases->unused = rx->queue;
	rx->queue = NULL;
	in->branch = NULL;
}

void vnet_lease_new(struct sim *sim, u32 at, u8 class, u8 port)
{
	const struct fc_vnet *v = sim_node(sim, at)->vnet;
	u32 input = (u32)class * v->nports + port;
	struct fc_rx *rx = &v->ch[class].rx[port];

	for (unsigned int i = 0; i < 2 && sim->leases.n; i++)
		lease_check(sim);
	rx->queue = lease_memory(sim);
	v->in[input].branch = (void *)(rx->queue + sim->config.window);
	lease_add(&sim->leases, (u64)at * v->nclasses * v->nports + input);
	lease_fetch(sim, 0);
	lease_fetch(sim, 1);
}

void vnet_purge(struct sim *sim, u32 at)
{
	fc_vnet_purge(sim_node(sim, at)->vnet, drop, sim);
}

void vnet_free(struct sim *sim)
{
	free(sim->leases.input);
}

void vnet_print_stuck(const struct sim *sim, u32 at)
{
	const struct fc_vnet *v = sim_node(sim, at)->vnet;

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
