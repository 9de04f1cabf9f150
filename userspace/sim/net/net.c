// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "dgram.h"
#include "fail.h"
#include "fetch.h"
#include "operator.h"
#include "reserve.h"
#include "routes.h"
#include "sim.h"
#include "withhold.h"
#include "base/util.h"
#include "core/vnet/csr_plan.h"
#include "core/wire/wire_link.h"
#include "core/wire/wire_sum.h"

/* First epoch of both ends of a link. */
#define EPOCH	1

/* Maximum number of errors printed as text. */
#define WRONG_PRINTED	20

void sim_wrong(struct sim *sim, const char *fmt, ...)
{
	va_list args;

	if (sim->wrong++ >= WRONG_PRINTED)
		return;
	fprintf(stderr, "flitcast-sim: cycle %llu: ", (unsigned long long)sim->now);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\n");
}

/* Virtual channels for packets. */
static u32 channels(const struct sim *sim)
{
	return sim->nclasses ? sim->nclasses : 1;
}

/* Index of the replay buffer of a channel and port. */
static u32 place(const struct sim *sim, u8 vc, u8 port)
{
	u32 channel = sim->nclasses ? vc - FC_VC_CLASS : 0;

	return channel * (sim->config.topo.ndirs + 1u) + port;
}

struct flits *net_replay(const struct sim *sim, u32 at, u8 vc, u8 port)
{
	return &sim_node(sim, at)->replay[place(sim, vc, port)];
}

bool net_room(struct sim *sim, u32 at)
{
	struct node *node = sim_node(sim, at);
	int injq;

	if (!node->vnet)
		return fc_site_room(node->care);
	/* All flits of a packet enter one injection queue. */
	if (node->amid)
		return true;
	injq = fc_vnet_injq(node->vnet);
	if (injq >= 0)
		node->injq = (u8)injq;
	return injq >= 0;
}

u32 net_local_seq(const struct sim *sim, u32 at)
{
	const struct node *node = sim_node(sim, at);

	return node->vnet ? fc_vnet_seq(node->vnet, node->injq) : fc_site_seq(node->care);
}

u8 net_local_vc(const struct sim *sim, u32 at)
{
	const struct node *node = sim_node(sim, at);

	return FC_VC_CLASS + (node->vnet ? node->injq : 0);
}

/* Set up the machines of mode care. */
static void care_init(struct sim *sim, struct node *node, u64 seed)
{
	const struct config *config = &sim->config;
	u8 nports = config->topo.ndirs + 1;
	struct fc_site *care = arena_take(&sim->arena, 1, sizeof(*care));
	struct fc_flit *queue = arena_take(&sim->arena, (size_t)nports * config->window,
					   sizeof(*queue));

	care->node = &node->shared;
	care->in = arena_take(&sim->arena, nports, sizeof(*care->in));
	care->out = arena_take(&sim->arena, nports, sizeof(*care->out));
	care->data.rx = arena_take(&sim->arena, nports, sizeof(*care->data.rx));
	care->data.tx = arena_take(&sim->arena, nports, sizeof(*care->data.tx));
	care->data.window = config->window;
	for (u8 p = 0; p < nports; p++) {
		care->data.rx[p].queue = queue + (size_t)p * config->window;
		care->data.rx[p].stat = fail_stat(sim, node->shared.id, p);
	}
	fc_site_init(care, seed);
	node->care = care;
}

/*
 * May a link have to retransmit?  Yes if it loses frames or fails, or if a poll may arrive before
 * all flits sent: up to a window of each channel, and control frames, queue for the link.
 */
static bool replays(const struct sim *sim)
{
	const struct config *config = &sim->config;

	return config->loss || fail_any() ||
	       config->poll < 2 * (config->latency + config->window * channels(sim));
}

#define LINE	64

size_t layout_add(size_t *size, size_t n, size_t each)
{
	size_t at = (*size + LINE - 1) / LINE * LINE;

	*size = at + n * each;
	return at;
}

static void layout_make(struct sim *sim)
{
	struct layout *layout = &sim->layout;
	size_t size = sizeof(struct node);

	layout->port = layout_add(&size, sim->config.topo.ndirs + 1u, sizeof(struct port));
	if (sim->nclasses)
		size = vnet_layout(sim, size);
	layout->stride = ((size + LINE - 1) / LINE | 1) * LINE;
}

static void node_init(struct sim *sim, u32 at)
{
	const struct config *config = &sim->config;
	const struct fc_topo *topo = &config->topo;
	struct node *node = sim_node(sim, at);
	/* Draw this in every mode, so that later random numbers are the same. */
	u64 seed = rng_u64(&sim->net_rng);
	u8 nports = topo->ndirs + 1;

	node->port = node_part(node, sim->layout.port);
	if (sim->replays) {
		size_t n = (size_t)nports * channels(sim);

		node->replay = arena_take(&sim->arena, n, sizeof(*node->replay));
		node->replay_seq = arena_take(&sim->arena, n, sizeof(*node->replay_seq));
	}
	for (u8 p = 1; p < nports; p++) {
		node->port[p].peer = fc_topo_neighbour(topo, at, p - 1);
		node->port[p].epoch = EPOCH;
		node->port[p].peer_port = topo->ops->arrival(topo, at, p - 1) + 1;
	}
	node->time_at = FC_NEVER;
	operator_init(sim, at);
	node->shared = (struct fc_node){
		.topo = topo, .timing = &config->timing, .pref = &sim->pref,
		.stat = sim->stat, .id = at, .nports = nports,
	};
	routes_apply(config->routes, &node->shared);
	if (sim->nclasses)
		vnet_init(sim, at);
	else
		care_init(sim, node, seed);
	if (fc_mode_ops(config->mode)->reserves)
		reserve_init(sim, at, seed);
}

static void net_init(struct sim *sim)
{
	const struct config *config = &sim->config;
	const struct fc_topo *topo = &config->topo;
	struct fc_event up = { .count = config->window };

	if (fc_mode_ops(config->mode)->classes)
		sim->nclasses = sim->classes.count;
	sim->replays = replays(sim);
	fc_pref_default(&sim->pref, topo);
	dgram_init(config);
	fail_init(sim);
	layout_make(sim);
	sim->site = arena_take(&sim->arena, topo->nsites, sim->layout.stride);
	if (config->links_path)
		sim->flits = xcalloc((size_t)topo->nsites * topo->ndirs, sizeof(*sim->flits));
	for (u32 i = 0; i < topo->nsites; i++)
		node_init(sim, i);
	for (u32 i = 0; i < topo->nsites; i++) {
		for (u8 p = 1; p <= topo->ndirs; p++) {
			if (sim_node(sim, i)->port[p].peer == FC_SITE_NONE)
				continue;
			up.type = FC_EV_LINK_UP;
			up.port = p;
			net_event(sim, i, FC_VC_CLASS, &up);
			sim_node(sim, i)->shared.up |= fc_bit(p);
		}
	}
	withhold_init(sim);
}

static void drop(void *arg, void *h)
{
	frame_put(arg, h);
}

static void net_free(struct sim *sim)
{
	const struct event *event;

	while ((event = queue_take(&sim->queue)))
		if (event->kind == EVENT_FRAME)
			frame_put(sim, event->frame);
	queue_free(&sim->queue);
	for (u32 i = 0; i < sim->config.topo.nsites; i++) {
		struct node *node = sim_node(sim, i);

		flits_free(sim, &node->buffer);
		flits_free(sim, &node->sending);
		for (u32 k = 0; sim->replays && k < (u32)node->shared.nports * channels(sim); k++)
			flits_free(sim, &node->replay[k]);
		if (node->vnet)
			vnet_purge(sim, i);
		else
			fc_site_purge(node->care, drop, sim);
		operator_free(sim, i);
	}
	dgram_free();
	fail_free(sim->config.topo.nsites);
	vnet_free(sim);
	free(sim->flits);
	arena_free(&sim->arena);
}

static inline void link_send(struct sim *sim, struct port *link, const struct fc_link_hdr *header,
			     struct frame *frame, const struct fc_status *status)
{
	struct event far, *arrival;
	struct fc_link_hdr changed;
	u64 start = sim->now;

	if (link->withholds) {
		changed = *header;
		header = &changed;
		if (!withhold_passes(sim, link, &changed, frame)) {
			frame_put(sim, frame);
			return;
		}
	}
	/*
	 * The papers' flow-control signals have wires of their own, so status frames
	 * use no cycles of the link; flits and control frames do.
	 */
	if (header->type != FC_FRAME_STATUS) {
		if (link->free > start)
			start = link->free;
		link->free = start + 1;
	}
	arrival = queue_near(&sim->queue, start + sim->config.latency);
	if (!arrival)
		arrival = &far;
	arrival->time = start + sim->config.latency;
	arrival->node = link->peer;
	arrival->kind = EVENT_FRAME;
	arrival->port = link->peer_port;
	arrival->vc = header->vc;
	arrival->bytes = FC_LINK_SIZE + header->len;
	arrival->frame = frame;
	fc_link_encode(arrival->header, header);
	if (status)
		fc_wire_status_encode(arrival->header + FC_LINK_SIZE, status);
	if (arrival == &far)
		queue_add(&sim->queue, &far);
}

void net_send(struct sim *sim, u32 from, u8 port, const struct fc_link_hdr *header,
	      struct frame *frame, const struct fc_status *status)
{
	link_send(sim, &sim_node(sim, from)->port[port], header, frame, status);
}

/* Send a flit; takes ownership of its frame. */
static inline void transmit(struct sim *sim, struct node *node, const struct fc_effect *fx,
			    const struct fc_flit *flit)
{
	struct fc_link_hdr header = {
		.type = FC_FRAME_FLIT, .vc = fx->vc, .flags = flit->parts,
		.epoch = node->port[fx->port].epoch, .seq = fx->seq, .ack = fx->ack,
		.len = (u16)flit->data,
	};
	struct frame *frame = flit->h;

	if (frame && flit->parts & FC_PART_HEAD)
		header.len += (u16)frame->size;
	sim->link_stat[FC_LSTAT_TX_FLITS]++;
	sim->link_stat[FC_LSTAT_TX_BYTES] += FC_LINK_SIZE + header.len;
	if (sim->flits)
		sim->flits[node->shared.id * sim->config.topo.ndirs + fx->port - 1]++;
	link_send(sim, &node->port[fx->port], &header, frame, NULL);
}

/* Resend a flit from the replay buffer. */
static void resend(struct sim *sim, u32 from, const struct fc_effect *fx)
{
	struct node *node = sim_node(sim, from);
	u32 at = place(sim, fx->vc, fx->port);
	const struct fc_flit *flit;
	struct fc_flit again;
	struct flits *replay;
	u32 i;

	/* The link is lossless, so the flit is still in flight, queued behind others. */
	if (!sim->replays)
		return;
	replay = &node->replay[at];
	i = fx->seq - node->replay_seq[at];
	if (i >= replay->n)
		die("site %u: flit %u is not in the replay buffer", from, fx->seq);
	flit = &replay->flit[(replay->first + i) % replay->room];
	if (flit->h)
		frame_get(flit->h);
	again = *flit;
	again.parts &= ~FAIL_COPIED;
	transmit(sim, node, fx, &again);
}

static void release(struct sim *sim, u32 at, const struct fc_effect *fx)
{
	struct node *node = sim_node(sim, at);
	u32 i;

	if (!sim->replays)
		return;
	i = place(sim, fx->vc, fx->port);
	while (node->replay[i].n && fc_before(node->replay_seq[i], fx->seq)) {
		frame_put(sim, flits_take(&node->replay[i]).h);
		node->replay_seq[i]++;
	}
}

/*
 * Make the front of a branch, with the targets of the branch; takes ownership of the frame unless
 * @keep.
 */
static struct frame *branch_front(struct sim *sim, u32 from, const struct fc_effect *fx)
{
	struct frame *frame = fx->flit.h, *branch;
	u64 all = fc_mask_all(fc_wire_ntargets(frame->payload)), mask = fx->mask & all;
	u32 left = 0;

	if (!mask)
		die("site %u: a front without targets for port %u", from, fx->port);
	/* The only reference: forward the frame unchanged. */
	if (!fx->keep && frame->refs == 1 && mask == all) {
		fc_node_head_hop(frame->payload);
		return frame;
	}
	for (u64 rest = mask; rest; rest &= rest - 1)
		left++;
	branch = frame_new(sim, fc_wire_subset_size(frame->payload, mask, left), frame);
	fc_wire_summed_subset(branch->payload, frame->payload, mask, 1);
	if (!fx->keep)
		frame_put(sim, frame);
	return branch;
}

/* The frame behind the link header of an outgoing flit, or NULL. */
static struct frame *branch_frame(struct sim *sim, u32 from, const struct fc_effect *fx)
{
	struct frame *frame = fx->flit.h;

	if (frame && fx->flit.parts & FC_PART_ABORT) {
		sim_wrong(sim, "site %u: :abort-packet with a frame", from);
		frame = NULL;
	} else if (frame && fx->flit.parts & FC_PART_HEAD) {
		frame = branch_front(sim, from, fx);
		sim->link_stat[FC_LSTAT_TX_PACKETS]++;
	} else if (frame && fx->keep) {
		frame_get(frame);
	}
	return frame;
}

static void replay_add(struct sim *sim, struct node *node, const struct fc_effect *fx,
		       const struct fc_flit *flit)
{
	u32 at = place(sim, fx->vc, fx->port);

	if (!node->replay[at].n)
		node->replay_seq[at] = fx->seq;
	flits_add(&node->replay[at], flit);
	if (flit->h)
		frame_get(flit->h);
	if (fail_any() && flit->parts & FC_PART_TERM)
		fail_ended(sim, node->shared.id, fx->vc, fx->port);
}

static inline void send_flit(struct sim *sim, u32 from, struct node *node,
			     const struct fc_effect *fx)
{
	struct fc_flit flit = {
		.h = fx->flit.h, .data = fx->flit.data,
		.parts = fx->flit.parts &
			 (FC_PART_HEAD | FC_PART_TERM | FC_PART_ABORT | FC_PART_EAGER),
	};

	if (fx->keep || flit.parts & (FC_PART_HEAD | FC_PART_ABORT))
		flit.h = branch_frame(sim, from, fx);
	if (sim->replays)
		replay_add(sim, node, fx, &flit);
	transmit(sim, node, fx, &flit);
}

/* The operator consumes one word per cycle from the fifo-buffer. */
static void room_soon(struct sim *sim, u32 at)
{
	struct event room = { .kind = EVENT_ROOM, .node = at, .time = sim->now + 1 };

	queue_add(&sim->queue, &room);
}

static void route_later(struct sim *sim, u32 at, const struct fc_effect *fx)
{
	struct event route = {
		.kind = EVENT_ROUTE, .node = at, .time = sim->now + sim->config.routing,
		.port = fx->port, .vc = fx->vc,
	};

	queue_add(&sim->queue, &route);
}

static void send_status(struct sim *sim, u32 at, const struct fc_effect *fx)
{
	struct fc_link_hdr header = {
		.type = FC_FRAME_STATUS, .vc = fx->vc, .flags = fx->flags,
		.epoch = sim_node(sim, at)->port[fx->port].epoch, .seq = fx->seq, .ack = fx->ack,
		.len = FC_STATUS_SIZE,
	};

	sim->link_stat[FC_LSTAT_TX_STATUS]++;
	net_send(sim, at, fx->port, &header, NULL, &fx->status);
}

static void perform(struct sim *sim, u32 at, const struct fc_effect *fx)
{
	struct node *node = sim_node(sim, at);

	switch ((enum fc_effect_type)fx->type) {
	case FC_FX_SEND:
		send_flit(sim, at, node, fx);
		break;
	case FC_FX_STATUS:
		send_status(sim, at, fx);
		break;
	case FC_FX_STORE:
		if (fx->keep)
			frame_get(fx->flit.h);
		flits_add(&node->buffer, &fx->flit);
		if (!node->vnet)
			room_soon(sim, at);
		break;
	case FC_FX_SERVE:
		operator_serve(sim, at, fx->mask, fx->mask, fx->flags & FC_SERVE_ABORTED);
		break;
	case FC_FX_SERVE_LOCAL:
		operator_serve(sim, at, fx->mask, 0, false);
		break;
	case FC_FX_DISCARD:
		operator_discard(sim, at);
		break;
	case FC_FX_UNREACHABLE:
		operator_unreachable(sim, at, fx->flit.head, fx->mask);
		break;
	case FC_FX_DROP:
		frame_put(sim, fx->flit.h);
		break;
	case FC_FX_RESET:
		if (fail_reset(sim, at, fx->port))
			break;
		/* Both ends run this core, and frames are lost but never forged. */
		fprintf(stderr, "flitcast-sim: the ends of a link contradict each other\n");
		abort();
	case FC_FX_RESEND:
		resend(sim, at, fx);
		break;
	case FC_FX_RELEASE:
		release(sim, at, fx);
		break;
	case FC_FX_SUSPECT:
		fail_suspect(sim, at, fx->mask, fx->flags);
		break;
	case FC_FX_COPY:
		fail_copy(sim, at, fx->vc, fx->port);
		break;
	case FC_FX_RESCUE:
		fail_rescue(sim, at, fx->vc, fx->port);
		break;
	case FC_FX_ROUTE:
		route_later(sim, at, fx);
		break;
	case FC_FX_RESERVE:
		reserve_send(sim, at, fx);
		break;
	case FC_FX_ADMITTED:
		break;
	}
}

/* Schedule an EVENT_TIME of a site at @next. */
static void net_due(struct sim *sim, u32 at, struct node *node, u64 next)
{
	struct event time = { .kind = EVENT_TIME, .node = at };

	time.time = next > sim->now ? next : sim->now + 1;
	node->time_at = time.time;
	queue_add(&sim->queue, &time);
}

/* Effects never run a site's event, so one list serves all. */
static struct fc_effects effects;

static void care_event(struct sim *sim, u32 at, struct node *node, struct fc_event *ev)
{
	u64 next;
	bool more;

	do {
		more = fc_site_event(node->care, ev, &effects);
		for (u32 i = 0; i < effects.n; i++)
			perform(sim, at, &effects.fx[i]);
		ev->type = FC_EV_MORE;
	} while (more);
	next = fc_site_next_at(node->care);
	if (next < node->time_at)
		net_due(sim, at, node, next);
}

static inline void switch_event(struct sim *sim, u32 at, struct node *node, u8 class,
				struct fc_event *ev)
{
	struct fc_vnet *v = node->vnet;
	u64 next;
	bool more;

	if (v->plan && ev->type == FC_EV_LINK_DOWN)
		fc_csr_plan_link_down(v->plan, ev->port);
	do {
		more = fc_vnet_event(v, class, ev, &effects);
		for (u32 i = 0; i < effects.n; i++) {
			/* Fast path: most flits are only forwarded. */
			if (effects.fx[i].type == FC_FX_SEND)
				send_flit(sim, at, node, &effects.fx[i]);
			else
				perform(sim, at, &effects.fx[i]);
		}
		ev->type = FC_EV_MORE;
	} while (more);
	next = v->next_at;
	if (v->plan && fc_csr_plan_next_at(v->plan) < next)
		next = fc_csr_plan_next_at(v->plan);
	if (next < node->time_at)
		net_due(sim, at, node, next);
}

void net_event(struct sim *sim, u32 at, u8 vc, struct fc_event *ev)
{
	struct node *node = sim_node(sim, at);

	ev->now = sim->now;
	if (node->vnet)
		switch_event(sim, at, node, vc < FC_VC_CLASS ? 0 : vc - FC_VC_CLASS, ev);
	else
		care_event(sim, at, node, ev);
	if (sim->config.datagrams)
		dgram_ready(sim, at);
	operator_kick(sim, at);
}

static void net_time(struct sim *sim, u32 at)
{
	struct node *node = sim_node(sim, at);
	struct fc_event ev = { .type = FC_EV_TIME };

	/* An earlier EVENT_TIME superseded this one. */
	if (node->time_at != sim->now)
		return;
	node->time_at = FC_NEVER;
	if (node->vnet && node->vnet->plan)
		fc_csr_plan_time(node->vnet->plan, sim->now);
	net_event(sim, at, FC_VC_CLASS, &ev);
}

/* A frame of mode csr arrives.  Return: false if it is malformed. */
static bool csr_arrive(struct sim *sim, u32 at, u8 port, struct frame *frame)
{
	struct fc_event more = { .type = FC_EV_MORE };

	if (!sim->nclasses || !reserve_in(sim, at, port, frame, &effects))
		return false;
	for (u32 i = 0; i < effects.n; i++)
		perform(sim, at, &effects.fx[i]);
	frame_put(sim, frame);
	net_event(sim, at, FC_VC_CLASS, &more);
	return true;
}

static inline bool flit_of_frame(struct sim *sim, const struct fc_link_hdr *header,
				 struct frame *frame, struct fc_flit *flit)
{
	u32 head = 0;

	flit->parts = header->flags;
	flit->h = frame;
	if (header->flags & FC_PART_HEAD) {
		head = frame ? fc_wire_head_size(frame->payload, frame->size) : 0;
		if (!head || head > frame->size ||
		    !fc_wire_head_check(frame->payload, header->flags, header->len,
					sim->config.topo.nsites))
			return false;
		flit->head = frame->payload;
	}
	flit->data = header->len - head;
	return true;
}

static void net_arrive(struct sim *sim, const struct event *event)
{
	u64 *stat = fail_stat(sim, event->node, event->port);
	struct frame *frame = event->frame;
	struct fc_event ev = { .port = event->port };
	const struct port *link;
	struct fc_link_hdr header;
	struct fc_ctrl ctrl;

	if (sim->config.loss && rng_below(&sim->net_rng, 1000000) < sim->config.loss) {
		frame_put(sim, frame);
		return;
	}
	if (!fc_link_decode(&header, event->header, FC_LINK_SIZE, event->bytes))
		goto malformed;
	/* A link that failed drops what it carried. */
	link = &sim_node(sim, event->node)->port[event->port];
	if (link->dark || (header.type != FC_FRAME_CTRL && header.epoch != link->epoch)) {
		frame_put(sim, frame);
		return;
	}
	ev.seq = header.seq;
	ev.ack = header.ack;
	switch ((enum fc_frame)header.type) {
	case FC_FRAME_FLIT:
		ev.type = FC_EV_FLIT;
		if (!flit_of_frame(sim, &header, frame, &ev.flit))
			goto malformed;
		stat[FC_LSTAT_RX_FLITS]++;
		stat[FC_LSTAT_RX_BYTES] += FC_LINK_SIZE + header.len;
		if (sim_node(sim, event->node)->vnet)
			vnet_lease(sim, event->node, header.vc - FC_VC_CLASS, event->port);
		net_event(sim, event->node, header.vc, &ev);
		return;
	case FC_FRAME_STATUS:
		ev.type = FC_EV_STATUS;
		ev.flags = header.flags;
		fc_wire_status_decode(&ev.status, event->header + FC_LINK_SIZE);
		stat[FC_LSTAT_RX_STATUS]++;
		net_event(sim, event->node, header.vc, &ev);
		return;
	case FC_FRAME_CTRL:
		if (!fc_wire_ctrl_decode(&ctrl, frame->payload))
			goto malformed;
		stat[FC_LSTAT_RX_CTRL]++;
		operator_control(sim, event->node, &ctrl);
		frame_put(sim, frame);
		return;
	case FC_FRAME_CSR:
		stat[FC_LSTAT_RX_CTRL]++;
		if (csr_arrive(sim, event->node, event->port, frame))
			return;
		break;
	case FC_FRAME_FAULTS:
	case FC_FRAME_HELLO:
		break;
	}
malformed:
	/* Simulated links alter no frame, so the sender's core made a malformed one. */
	stat[FC_LSTAT_RX_MALFORMED]++;
	sim_wrong(sim, "site %u port %u: malformed frame", event->node, event->port);
	frame_put(sim, frame);
}

void net_list_links(const struct sim *sim, FILE *file)
{
	const struct fc_topo *topo = &sim->config.topo;
	u32 site, peer;
	u8 d;

	fprintf(file, "# site port peer flits\n");
	for (site = 0; site < topo->nsites; site++) {
		for (d = 0; d < topo->ndirs; d++) {
			peer = fc_topo_neighbour(topo, site, d);
			if (peer != FC_SITE_NONE)
				fprintf(file, "%u %u %u %llu\n", site, d + 1, peer,
					(unsigned long long)sim->flits[site * topo->ndirs + d]);
		}
	}
}

static bool net_idle(const struct sim *sim)
{
	for (u32 i = 0; i < sim->config.topo.nsites; i++) {
		const struct node *node = sim_node(sim, i);

		if (!(node->vnet ? fc_vnet_idle(node->vnet) : fc_site_idle(node->care)) ||
		    node->buffer.n || node->sending.n || node->transit || node->nbacklog)
			return false;
	}
	return true;
}

/* Maximum number of state machines listed in a report. */
#define STUCK_PRINTED	60

static void net_print_stuck(const struct sim *sim)
{
	unsigned int printed = 0;

	for (u32 i = 0; i < sim->config.topo.nsites; i++) {
		const struct node *node = sim_node(sim, i);
		const struct fc_site *site = node->care;

		if (node->vnet) {
			vnet_print_stuck(sim, i);
			continue;
		}
		for (u8 p = 0; p < node->shared.nports; p++) {
			const struct fc_in *in = &site->in[p];
			const struct fc_out *out = &site->out[p];
			const struct fc_rx *rx = &site->data.rx[p];
			const struct fc_tx *tx = &site->data.tx[p];

			if (in->state == FC_NI_FREE && !rx->queued && out->state == FC_NO_FREE &&
			    out->claim == FC_PORT_NONE)
				continue;
			if (printed++ == STUCK_PRINTED) {
				fprintf(stderr, "  ...\n");
				return;
			}
			fprintf(stderr,
				"  site %u port %u: net-input %s, connected to %#x, type %u, %u queued, %u seeks; net-output %s, from %d, claimed by %d, %u unacknowledged\n",
				i, p, fc_fsms[0].states[in->state], in->conn, in->type,
				rx->queued, in->seeks, fc_fsms[1].states[out->state],
				out->in == FC_PORT_NONE ? -1 : out->in,
				out->claim == FC_PORT_NONE ? -1 : out->claim,
				tx->sent - tx->acked);
		}
		if (site->fifo.state != FC_FF_FREE || site->oper != FC_OP_OLD)
			fprintf(stderr, "  site %u: fifo-buffer %s, room %u, operator %s\n", i,
				fc_fsms[2].states[site->fifo.state], site->fifo.room,
				fc_fsms[3].states[site->oper]);
	}
}

static void word_event(struct sim *sim, const struct event *event)
{
	struct fc_event ev = { .type = FC_EV_ROOM, .count = 1 };
	struct fc_event route = { .type = FC_EV_ROUTE, .port = event->port };

	if (sim->nclasses)
		fetch(sim);
	switch ((enum event_kind)event->kind) {
	case EVENT_FRAME:
		net_arrive(sim, event);
		break;
	case EVENT_TIME:
		net_time(sim, event->node);
		break;
	case EVENT_ROOM:
		net_event(sim, event->node, FC_VC_CLASS, &ev);
		break;
	case EVENT_ROUTE:
		net_event(sim, event->node, event->vc, &route);
		break;
	case EVENT_FEED:
		operator_feed(sim, event->node);
		break;
	case EVENT_LINK:
		fail_event(sim, event);
		break;
	case EVENT_NEWS:
		fail_news(sim, event->node);
		break;
	case EVENT_REPEAT:
		operator_repeat(sim, event->message);
		break;
	default:
		die("the fidelity word has no event %u", event->kind);
	}
}

static u32 word_backlog(const struct sim *sim, u32 at)
{
	return sim_node(sim, at)->nbacklog;
}

const struct fidelity fidelity_word = {
	.init = net_init,
	.free = net_free,
	.event = word_event,
	.send = operator_send,
	.backlog = word_backlog,
	.idle = net_idle,
	.print_stuck = net_print_stuck,
};
