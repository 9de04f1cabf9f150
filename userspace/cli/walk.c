// SPDX-License-Identifier: GPL-2.0
/*
 * Each visit uses a new site with its links up and empty.  The site's effects show its decision.
 */
#include <stdlib.h>
#include <string.h>
#include "core/csr/csr.h"
#include "faults.h"
#include "core/mode.h"
#include "core/faults/routes.h"
#include "tables.h"
#include "util.h"
#include "walk.h"

/* Flits of a queue: the front and the terminator. */
#define WINDOW		2

/* Times in ticks of a clock that advances only when no other event is possible. */
static const struct fc_timing timing = {
	.seek = 1,
	/* No timeout: a packet blocked by a busy net-output is reported, not aborted. */
	.timeout = 1 << 20,
	.retry = 1 << 20,
	.ack_delay = 1 << 20,
	.poll = 1 << 20,
	/* Default of the kernel's sites, Documentation/design.rst, "Settings". */
	.seek_max = 5,
	/* The operator consumes every word at once. */
	.fifo_room = 0,
};

/**
 * struct stage - a site and its environment
 * @site: first member, so that a callback of the site finds the others
 * @node: the site's own parameters
 * @visit: result
 * @head: head of the packet
 * @branch_mask: targets of each branch of the visit
 * @routes: routes around dead links, or NULL
 */
struct stage {
	struct fc_site site;
	struct fc_node node;
	struct visit *visit;
	const u8 *head;
	u64 branch_mask[FC_PORTS_MAX];
	u32 *routes;
	struct fc_pref pref;
	struct fc_in in[FC_PORTS_MAX];
	struct fc_out out[FC_PORTS_MAX];
	struct fc_rx rx[FC_PORTS_MAX];
	struct fc_tx tx[FC_PORTS_MAX];
	struct fc_flit queue[FC_PORTS_MAX][WINDOW];
	u64 stat[FC_STAT_COUNT];
	u64 link_stat[FC_PORTS_MAX][FC_LSTAT_COUNT];
};

/**
 * struct walker - a walk in progress
 * @net: network
 * @targets: targets of the message
 * @totals: sums so far
 * @above: the visit before the next one
 */
struct walker {
	const struct network *net;
	struct target_state *targets;
	struct totals *totals;
	const struct visit *above;
};

static bool among(const struct place *places, size_t n, u32 site, u8 port)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (places[i].site == site && places[i].port == port)
			return true;
	return false;
}

static bool is_forced(const struct network *net, u32 site)
{
	size_t i;

	for (i = 0; i < net->nforce; i++)
		if (net->force[i] == site)
			return true;
	return false;
}

static void fired(const struct fc_site *site, unsigned int machine, unsigned int state,
		  unsigned int cond)
{
	struct visit *visit = ((const struct stage *)site)->visit;
	struct fired_row row = { machine, state, cond };

	/* Record repeated seeks once. */
	if (visit->nrows && !memcmp(&visit->row[visit->nrows - 1], &row, sizeof(row)))
		return;
	if (!(visit->nrows & (visit->nrows + 1)))
		visit->row = xrealloc(visit->row, 2 * (visit->nrows + 1) * sizeof(row));
	visit->row[visit->nrows++] = row;
}

static struct branch *find_branch(struct visit *visit, u8 port)
{
	unsigned int i;

	for (i = 0; i < visit->nbranches; i++)
		if (visit->branch[i].port == port)
			return &visit->branch[i];
	return NULL;
}

static void note_send(struct stage *stage, const struct fc_effect *fx)
{
	struct visit *visit = stage->visit;
	struct branch *branch;

	if (fx->flit.parts & FC_PART_HEAD) {
		stage->branch_mask[visit->nbranches] = fx->mask;
		visit->branch[visit->nbranches++].port = fx->port;
	}
	branch = find_branch(visit, fx->port);
	if (branch && fx->flit.parts & FC_PART_TERM)
		branch->parts = fx->flit.parts;
}

void walk_note(struct visit *visit, const struct fc_node *node, const u8 *head,
	       const struct fc_effect *fx)
{
	switch ((enum fc_effect_type)fx->type) {
	case FC_FX_STORE:
		visit->stored = true;
		break;
	case FC_FX_SERVE:
	case FC_FX_SERVE_LOCAL:
		visit->delivered = fx->mask & fc_node_local_mask(node, head);
		if (fx->type == FC_FX_SERVE)
			visit->kept = fx->mask & ~visit->delivered;
		visit->served = fx->type;
		break;
	case FC_FX_DISCARD:
		visit->served = fx->type;
		break;
	case FC_FX_UNREACHABLE:
		visit->unreachable |= fx->mask;
		break;
	case FC_FX_SEND:
	case FC_FX_STATUS:
	case FC_FX_DROP:
	case FC_FX_RESET:
	case FC_FX_RESEND:
	case FC_FX_RELEASE:
	case FC_FX_RESCUE:
	case FC_FX_SUSPECT:
	case FC_FX_COPY:
	case FC_FX_ROUTE:
	case FC_FX_RESERVE:
	case FC_FX_ADMITTED:
		break;
	}
}

static void note(struct stage *stage, const struct fc_effect *fx)
{
	if (fx->type == FC_FX_SEND)
		note_send(stage, fx);
	else
		walk_note(stage->visit, &stage->node, stage->head, fx);
}

static void event(struct stage *stage, struct fc_event ev)
{
	static struct fc_effects effects;
	bool more;
	u32 i;

	do {
		more = fc_site_event(&stage->site, &ev, &effects);
		for (i = 0; i < effects.n; i++)
			note(stage, &effects.fx[i]);
		ev.type = FC_EV_MORE;
	} while (more);
}

const struct fc_prefer_table *walk_prefers(const struct network *net, u32 site)
{
	if (net->tables && net->tables->pref[site])
		return net->tables->prefers[site];
	return site == net->own ? net->own_prefers : NULL;
}

static struct stage *stage_new(const struct network *net, struct visit *visit, const u8 *head)
{
	struct stage *stage = xalloc(1, sizeof(*stage));
	struct fc_event up = { .type = FC_EV_LINK_UP, .count = WINDOW };
	struct fc_site *site = &stage->site;
	u8 p;

	stage->visit = visit;
	stage->head = head;
	if (net->tables && net->tables->pref[visit->site])
		stage->pref = *net->tables->pref[visit->site];
	else if (visit->site == net->own)
		stage->pref = net->own_pref;
	else
		fc_pref_default(&stage->pref, net->topo);
	stage->routes = faults_routes(net->topo, visit->site, net->down, net->suspect);
	stage->node = (struct fc_node){
		.topo = net->topo, .timing = &timing, .routes = stage->routes,
		.pref = &stage->pref, .stat = stage->stat,
		.prefers = walk_prefers(net, visit->site), .id = visit->site,
		.nports = net->topo->ndirs + 1,
	};
	site->node = &stage->node;
	site->in = stage->in;
	site->out = stage->out;
	site->data.rx = stage->rx;
	site->data.tx = stage->tx;
	site->data.window = WINDOW;
	site->fired = fired;
	for (p = 0; p < stage->node.nports; p++) {
		stage->rx[p].queue = stage->queue[p];
		stage->rx[p].stat = stage->link_stat[p];
	}
	fc_site_init(site, visit->site + 1);
	for (p = 1; p < stage->node.nports; p++) {
		up.port = p;
		if (fc_routes_link_works(net->topo, net->down, visit->site, p - 1))
			event(stage, up);
	}
	for (p = 0; p < stage->node.nports; p++)
		if (among(net->busy, net->nbusy, visit->site, p))
			stage->out[p].state = FC_NO_OPEN;
	return stage;
}

/* Pass a flit of the visit's packet to the site; the core never dereferences its handle. */
static void give(struct stage *stage, u32 seq, u8 parts)
{
	struct fc_event ev = { .type = FC_EV_FLIT, .port = stage->visit->in_port, .seq = seq };

	ev.flit.h = stage;
	ev.flit.parts = parts;
	if (parts & FC_PART_HEAD)
		ev.flit.head = stage->head;
	else
		ev.flit.data = fc_wire_data_len(stage->head);
	event(stage, ev);
}

/*
 * Pass a packet of two flits, so that the connection is visible between front
 * and terminator.
 */
static void run(const struct network *net, struct stage *stage)
{
	struct visit *visit = stage->visit;
	const struct fc_in *in = &stage->in[visit->in_port];
	bool force = !visit->resent && is_forced(net, visit->site);
	u32 taken = 0;
	u8 p;

	for (p = 1; force && p < stage->node.nports; p++) {
		if (stage->out[p].state == FC_NO_FREE)
			taken |= fc_bit(p);
		stage->out[p].state = FC_NO_OPEN;
	}
	give(stage, 0, FC_PART_HEAD);
	/* The attempt after the last seek is forced. */
	while (in->state == FC_NI_FIRST && in->seeks <= timing.seek_max + 1)
		event(stage, (struct fc_event){ .type = FC_EV_TIME, .now = stage->site.now + 1 });
	visit->seeks = in->seeks;
	visit->type = in->type;
	visit->forced = stage->stat[FC_STAT_PKT_FORCED];
	for (; taken; taken &= taken - 1)
		stage->out[fc_low(taken)].state = FC_NO_FREE;
	if (in->state == FC_NI_FIRST)
		return;
	give(stage, 1, FC_PART_TERM);
	/* Only busy net-outputs can block a packet here. */
	if (in->state != FC_NI_FREE)
		fail("trace: site %u: net-input is left in %s", visit->site,
		     fc_fsms[0].states[in->state]);
}

static void set_outcome(struct walker *w, const struct visit *visit, u64 mask, enum outcome outcome)
{
	for (; mask; mask &= mask - 1) {
		struct target_state *t = &w->targets[visit->target[fc_low64(mask)]];

		t->outcome = outcome;
		t->at = visit->site;
		t->hops = visit->hops;
		if (outcome == OUTCOME_DELIVERED)
			t->times++;
		if (outcome == OUTCOME_DELIVERED && visit->hops > w->totals->hops)
			w->totals->hops = visit->hops;
	}
}

/* Visit a site in mode care. */
static void walk_care(const struct network *net, struct visit *visit, const u8 *head,
		      u64 branch_mask[WALK_BRANCHES])
{
	struct stage *stage = stage_new(net, visit, head);

	run(net, stage);
	memcpy(branch_mask, stage->branch_mask, sizeof(stage->branch_mask));
	free(stage->routes);
	free(stage);
}

/*
 * Was the packet at the site in the same state before?  A site of the walk is new at each visit, so
 * it decides as it did then.
 */
static bool comes_back(const struct visit *visit)
{
	const struct visit *v;

	for (v = visit->above; v; v = v->above)
		if (v->site == visit->site && v->in_port == visit->in_port &&
		    v->class == visit->class && v->run == visit->run &&
		    v->resent == visit->resent && v->ntargets == visit->ntargets &&
		    !memcmp(v->target, visit->target, v->ntargets * sizeof(*v->target)))
			return true;
	return false;
}

/* Visit a site, and the sites after it; takes ownership of the head. */
static struct visit *visit_site(struct walker *w, u32 site, u8 in_port, u8 class, u8 run,
				bool resent, u8 *head)
{
	struct visit *visit = xalloc(1, sizeof(*visit));
	const struct network *net = w->net;
	u64 branch_mask[WALK_BRANCHES];
	unsigned int i;

	visit->above = w->above;
	visit->site = site;
	visit->in_port = in_port;
	visit->class = class;
	visit->run = run;
	visit->hops = fc_wire_hops(head);
	visit->resent = resent;
	visit->ntargets = fc_wire_ntargets(head);
	for (i = 0; i < visit->ntargets; i++) {
		struct fc_target t;

		fc_wire_target_decode(&t, head, i);
		visit->target[i] = t.seq;
	}
	visit->circle = comes_back(visit);
	if (visit->circle) {
		set_outcome(w, visit, fc_mask_all(visit->ntargets), OUTCOME_CIRCLE);
		free(head);
		return visit;
	}
	if (!fc_mode_ops(net->mode)->classes)
		walk_care(net, visit, head, branch_mask);
	else
		walk_vnet(net, visit, head, branch_mask);
	w->totals->dead += visit->dead;
	if (visit->type == FC_CONN_NONE)
		set_outcome(w, visit, fc_mask_all(visit->ntargets), OUTCOME_WAITS);
	set_outcome(w, visit, visit->unreachable, OUTCOME_UNREACHABLE);
	set_outcome(w, visit, visit->delivered, OUTCOME_DELIVERED);
	if (visit->type == FC_CONN_ALL_REMOTE || visit->type == FC_CONN_SOME_LOCAL)
		w->totals->splits++;
	for (i = 0; i < visit->nbranches; i++) {
		struct branch *branch = &visit->branch[i];
		u8 dir = branch->port - 1, back = net->topo->ops->arrival(net->topo, site, dir);
		u8 *copy = xalloc(1, fc_head_size(FC_TARGETS_MAX));

		w->totals->links++;
		fc_wire_head_subset(copy, head, branch_mask[i], 1);
		w->above = visit;
		branch->next = visit_site(w, fc_topo_neighbour(net->topo, site, dir),
					  back + 1, branch->class, branch->run, false, copy);
	}
	if (visit->kept)
		w->totals->stores++;
	if (visit->kept && visit->forced && !fc_mode_ops(net->mode)->classes &&
	    (resent || !is_forced(net, site))) {
		/* The operator's next attempt would have the same outcome. */
		set_outcome(w, visit, visit->kept, OUTCOME_STORED);
	} else if (visit->kept) {
		u8 *copy = xalloc(1, fc_head_size(FC_TARGETS_MAX));

		fc_wire_head_subset(copy, head, visit->kept, 0);
		w->above = visit;
		visit->again = visit_site(w, site, FC_PORT_LOCAL, 0, 0, true, copy);
	}
	free(head);
	return visit;
}

struct visit *walk(const struct network *net, u32 from, struct target_state *targets,
		   u32 first, u32 n, struct totals *totals)
{
	struct walker w = { .net = net, .targets = targets, .totals = totals };
	/* A byte of data, for the terminator to carry. */
	struct fc_packet pk = { .src = from, .ntargets = n, .msg_len = 1 };
	u8 *head = xalloc(1, fc_head_size(FC_TARGETS_MAX));
	u32 i;

	if (n > 1)
		pk.flags = FC_PACKET_LIST;
	fc_wire_packet_encode(head, &pk);
	for (i = 0; i < n; i++) {
		/* Routers ignore the message number: use it for the index of the target. */
		struct fc_target t = {
			.site = targets[first + i].site, .port = targets[first + i].port,
			.flags = i == n - 1 ? FC_TARGET_LAST : 0, .seq = first + i,
		};

		fc_wire_target_encode(head, i, &t);
	}
	if (!fc_wire_head_check(head, FC_PART_HEAD, fc_head_size(n), net->topo->nsites))
		fail("trace: the packet is malformed");
	return visit_site(&w, from, FC_PORT_LOCAL, 0, 0, false, head);
}

bool walk_reserves(const struct visit *visit)
{
	u32 used = 0;
	unsigned int i;

	/*
	 * A packet to one target reserves link by link; an unreachable target needs no reservation.
	 */
	if (visit->ntargets == 1)
		return true;
	if (visit->unreachable || (visit->kept && !visit->in_port) ||
	    visit->nbranches > FC_CSR_LEGS)
		return false;
	for (i = 0; i < visit->nbranches; i++) {
		if (used & fc_bit(visit->branch[i].port) || !walk_reserves(visit->branch[i].next))
			return false;
		used |= fc_bit(visit->branch[i].port);
	}
	return true;
}

void walk_free(struct visit *visit)
{
	unsigned int i;

	if (!visit)
		return;
	for (i = 0; i < visit->nbranches; i++)
		walk_free(visit->branch[i].next);
	walk_free(visit->again);
	free(visit->row);
	free(visit->routes);
	free(visit);
}
