// SPDX-License-Identifier: GPL-2.0
/*
 * A packet at a site in modes with classes: each visit uses a new switch with links up and empty.
 * In an idle network a packet of mode csr reserves the path that the switch would choose.
 */
#include <stdlib.h>
#include <string.h>
#include "faults.h"
#include "core/mode.h"
#include "core/faults/routes.h"
#include "util.h"
#include "core/vnet/vnet.h"
#include "walk.h"

/* Buffer space of each channel: the packet has one flit. */
#define WINDOW	1

/* Times in ticks of a clock that never advances. */
static const struct fc_timing timing = {
	.seek = 1, .timeout = 1, .retry = 1, .ack_delay = 1, .poll = 1,
};

/**
 * struct stage - a switch and its environment
 * @v: the switch
 * @node: the site's own parameters
 * @visit: result
 * @head: head of the packet
 * @branch_mask: targets of each branch of the visit
 * @routes: routes around dead links, or NULL
 * @straight: eager routes in mode postman, or NULL
 * @unrouted: a front waits for its routing decision
 */
struct stage {
	struct fc_vnet v;
	struct fc_node node;
	struct visit *visit;
	const u8 *head;
	u64 *branch_mask;
	u32 *routes;
	struct fc_straight *straight;
	bool unrouted;
	struct fc_vbranch *branch;
	struct fc_rx *rx;
	struct fc_tx *tx;
	struct fc_flit *queue;
	u64 stat[FC_STAT_COUNT];
	u64 link_stat[FC_LSTAT_COUNT];
};

static void note(struct stage *stage, const struct fc_effect *fx)
{
	struct visit *visit = stage->visit;

	stage->unrouted |= fx->type == FC_FX_ROUTE;
	if (fx->type != FC_FX_SEND) {
		walk_note(visit, &stage->node, stage->head, fx);
		return;
	}
	stage->branch_mask[visit->nbranches] = fx->mask;
	visit->branch[visit->nbranches++] = (struct branch){
		.port = fx->port, .class = fx->vc - FC_VC_CLASS, .parts = fx->flit.parts,
		.run = fc_part_eager(fx->flit.parts),
	};
}

static void event(struct stage *stage, u8 class, struct fc_event ev)
{
	static struct fc_effects effects;
	bool more;
	u32 i;

	do {
		more = fc_vnet_event(&stage->v, class, &ev, &effects);
		for (i = 0; i < effects.n; i++)
			note(stage, &effects.fx[i]);
		ev.type = FC_EV_MORE;
	} while (more);
}

static void stage_init(struct stage *stage, const struct network *net)
{
	struct fc_event up = { .type = FC_EV_LINK_UP, .count = WINDOW };
	struct fc_vnet *v = &stage->v;
	struct fc_node *node = &stage->node;
	u8 p, nports = net->topo->ndirs + 1, branches = fc_vnet_branches(net->topo->ndirs);
	u32 i, n = (u32)nports * net->classes.count;

	node->topo = net->topo;
	node->timing = &timing;
	node->stat = stage->stat;
	node->id = stage->visit->site;
	node->nports = nports;
	stage->routes = faults_routes(net->topo, node->id, net->down, net->suspect);
	node->routes = stage->routes;
	node->prefers = walk_prefers(net, node->id);
	v->classes = &net->classes;
	v->node = node;
	v->payload = 1;
	v->apart = fc_mode_ops(net->mode)->reserves;
	v->nports = nports;
	v->nclasses = net->classes.count;
	v->ch = xalloc(v->nclasses, sizeof(*v->ch));
	v->in = xalloc(n, sizeof(*v->in));
	v->out = xalloc(n, sizeof(*v->out));
	stage->branch = xalloc(n * branches, sizeof(*stage->branch));
	stage->rx = xalloc(n, sizeof(*stage->rx));
	stage->tx = xalloc(n, sizeof(*stage->tx));
	stage->queue = xalloc(n, sizeof(*stage->queue));
	for (i = 0; i < n; i++) {
		v->in[i].branch = stage->branch + i * branches;
		stage->rx[i].queue = stage->queue + i * WINDOW;
		stage->rx[i].stat = stage->link_stat;
	}
	for (i = 0; i < v->nclasses; i++) {
		v->ch[i].rx = stage->rx + i * nports;
		v->ch[i].tx = stage->tx + i * nports;
		v->ch[i].window = WINDOW;
	}
	if (fc_mode_ops(net->mode)->eager) {
		stage->straight = xalloc(n, sizeof(*stage->straight));
		fc_postman_fill(v->classes, node->id, nports, stage->straight);
		v->straight = stage->straight;
	}
	fc_vnet_init(v);
	for (p = 1; p < nports; p++) {
		up.port = p;
		if (fc_routes_link_works(net->topo, net->down, node->id, p - 1))
			event(stage, 0, up);
	}
}

static void stage_free(struct stage *stage)
{
	free(stage->v.ch);
	free(stage->v.in);
	free(stage->v.out);
	free(stage->branch);
	free(stage->rx);
	free(stage->tx);
	free(stage->queue);
	free(stage->routes);
	free(stage->straight);
}

static void note_routes(struct stage *stage)
{
	struct visit *visit = stage->visit;
	u32 sites[FC_TARGETS_MAX];
	u8 class = visit->class;
	unsigned int i;

	fc_wire_target_sites(sites, stage->head);
	if (visit->in_port == FC_PORT_LOCAL)
		class = fc_vnet_begin(&stage->v, sites, visit->ntargets);
	visit->routes = xalloc(visit->ntargets, sizeof(*visit->routes));
	for (i = 0; i < visit->ntargets; i++) {
		struct routes *routes = &visit->routes[i];

		if (sites[i] != visit->site)
			routes->dirs = fc_vnet_next_hops(&stage->v, class, visit->in_port,
							 sites[i], 1, routes->class);
	}
}

/* Use the counters of the switch: a flit forwarded eagerly in error is no branch. */
static enum fc_conn type_of(const u64 *stat, unsigned int ntargets)
{
	if (ntargets == 1)
		return stat[FC_STAT_PKT_UNROUTABLE] || stat[FC_STAT_PKT_HOPS] ? FC_CONN_SINK :
										FC_CONN_UNICAST;
	if (stat[FC_STAT_PKT_SOME_LOCAL])
		return FC_CONN_SOME_LOCAL;
	if (stat[FC_STAT_PKT_ALL_REMOTE])
		return FC_CONN_ALL_REMOTE;
	if (stat[FC_STAT_PKT_PASSTHRU])
		return FC_CONN_PASSTHRU;
	return stat[FC_STAT_PKT_UNROUTABLE] || stat[FC_STAT_PKT_HOPS] ? FC_CONN_SINK :
									FC_CONN_UNICAST;
}

void walk_vnet(const struct network *net, struct visit *visit, const u8 *head,
	       u64 branch_mask[WALK_BRANCHES])
{
	struct stage stage = { .visit = visit, .head = head, .branch_mask = branch_mask };
	struct fc_event ev = { .type = FC_EV_FLIT, .port = visit->in_port };
	u8 class = visit->in_port == FC_PORT_LOCAL ? 0 : visit->class;

	stage_init(&stage, net);
	note_routes(&stage);
	/* The core never dereferences the handle. */
	ev.flit.h = &stage;
	ev.flit.head = head;
	ev.flit.data = fc_wire_data_len(head);
	ev.flit.parts = FC_PART_HEAD | FC_PART_TERM | visit->run << FC_PART_EAGER_SHIFT;
	event(&stage, class, ev);
	if (stage.unrouted)
		event(&stage, 0, (struct fc_event){ .type = FC_EV_ROUTE });
	visit->dead = stage.stat[FC_STAT_PKT_DEAD];
	visit->type = type_of(stage.stat, visit->ntargets);
	visit->forced = visit->kept;
	if (!fc_vnet_idle(&stage.v))
		fail("trace: site %u: the packet is stuck", visit->site);
	stage_free(&stage);
}
