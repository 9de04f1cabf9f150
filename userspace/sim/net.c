// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim.h"
#include "util.h"

/* Both ends' epoch: links of a run begin once. */
#define EPOCH	1

/* Complaints that are told in words. */
#define WRONG_TOLD	20

void sim_wrong(struct sim *sim, const char *fmt, ...)
{
	va_list args;

	if (sim->wrong++ >= WRONG_TOLD)
		return;
	fprintf(stderr, "flitcast-sim: cycle %llu: ", (unsigned long long)sim->now);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\n");
}

void sim_stats_init(struct sim *sim)
{
	const struct fc_topo *topo = &sim->config.topo;
	size_t nlinks = (size_t)topo->nsites * (topo->ndirs + 1u);

	sim->stat = xcalloc(topo->nsites, FC_STAT_COUNT * sizeof(u64));
	sim->link_stat = xcalloc(nlinks, FC_LSTAT_COUNT * sizeof(u64));
}

struct frame *frame_new(struct sim *sim, u32 size)
{
	struct frame *frame = xcalloc(1, sizeof(*frame) + size);

	frame->refs = 1;
	frame->size = size;
	sim->frames++;
	return frame;
}

void frame_get(struct frame *frame)
{
	frame->refs++;
}

void frame_put(struct sim *sim, struct frame *frame)
{
	if (frame && !--frame->refs) {
		sim->frames--;
		free(frame);
	}
}

void flits_add(struct flits *list, const struct fc_flit *flit)
{
	if (list->n == list->room) {
		u32 room = list->room ? 2 * list->room : 8;
		struct fc_flit *flits = xcalloc(room, sizeof(*flits));

		for (u32 i = 0; i < list->n; i++)
			flits[i] = list->flit[(list->first + i) % list->room];
		free(list->flit);
		list->flit = flits;
		list->first = 0;
		list->room = room;
	}
	list->flit[(list->first + list->n++) % list->room] = *flit;
}

struct fc_flit flits_take(struct flits *list)
{
	struct fc_flit flit = list->flit[list->first];

	list->first = (list->first + 1) % list->room;
	list->n--;
	return flit;
}

void flits_free(struct sim *sim, struct flits *list)
{
	while (list->n)
		frame_put(sim, flits_take(list).h);
	free(list->flit);
}

/* Virtual channels for packets. */
static u32 channels(const struct sim *sim)
{
	return fc_mode_classes(sim->config.mode) ? sim->classes.count : 1;
}

/* Place of a port's replay buffer. */
static u32 place(const struct sim *sim, u8 vc, u8 port)
{
	u32 channel = fc_mode_classes(sim->config.mode) ? vc - FC_VC_CLASS : 0;

	return channel * (sim->config.topo.ndirs + 1u) + port;
}

/* A packet goes to one lane, whole. */
static bool amid_packet(const struct node *node)
{
	const struct flits *sending = &node->sending;

	return sending->n && !(sending->flit[sending->first].parts & FC_PART_HEAD);
}

bool net_room(struct sim *sim, u32 at)
{
	struct node *node = &sim->node[at];
	int lane;

	if (!node->vnet)
		return fc_site_room(&node->site);
	if (amid_packet(node))
		return true;
	lane = fc_vnet_lane(node->vnet);
	if (lane >= 0)
		node->lane = (u8)lane;
	return lane >= 0;
}

u32 net_local_seq(const struct sim *sim, u32 at)
{
	const struct node *node = &sim->node[at];

	return node->vnet ? fc_vnet_seq(node->vnet, node->lane) : fc_site_seq(&node->site);
}

u8 net_local_vc(const struct sim *sim, u32 at)
{
	const struct node *node = &sim->node[at];

	return node->vnet ? FC_VC_CLASS + node->lane : FC_VC_DATA;
}

static void net_init(struct sim *sim)
{
	const struct config *config = &sim->config;
	const struct fc_topo *topo = &config->topo;
	u8 nports = topo->ndirs + 1;
	struct fc_event up = { .type = FC_EV_LINK_UP, .count = config->window };

	sim->node = xcalloc(topo->nsites, sizeof(*sim->node));
	for (u32 i = 0; i < topo->nsites; i++) {
		struct node *node = &sim->node[i];
		struct fc_site *site = &node->site;
		struct fc_flit *queue = xcalloc((size_t)nports * config->window, sizeof(*queue));

		fc_pref_default(&node->pref, topo);
		site->topo = topo;
		site->pref = &node->pref;
		site->timing = &config->timing;
		site->in = xcalloc(nports, sizeof(*site->in));
		site->out = xcalloc(nports, sizeof(*site->out));
		site->data.rx = xcalloc(nports, sizeof(*site->data.rx));
		site->data.tx = xcalloc(nports, sizeof(*site->data.tx));
		site->stat = sim_stat(sim, i);
		site->id = i;
		site->data.window = config->window;
		site->nports = nports;
		for (u8 p = 0; p < nports; p++) {
			site->data.rx[p].queue = queue + (size_t)p * config->window;
			site->data.rx[p].stat = sim_link_stat(sim, i, p);
		}
		node->link_free = xcalloc(nports, sizeof(*node->link_free));
		node->replay = xcalloc((size_t)nports * channels(sim), sizeof(*node->replay));
		node->replay_seq = xcalloc((size_t)nports * channels(sim),
					   sizeof(*node->replay_seq));
		node->peer = xcalloc(nports, sizeof(*node->peer));
		node->peer_port = xcalloc(nports, sizeof(*node->peer_port));
		node->time_at = FC_NEVER;
		operator_init(sim, i);
		if (fc_mode_classes(config->mode))
			vnet_init(sim, i);
		fc_site_init(site, rng_u64(&sim->net_rng));
	}
	for (u32 i = 0; i < topo->nsites; i++) {
		for (u8 p = 1; p < nports; p++) {
			u32 peer = fc_topo_neighbour(topo, i, p - 1);

			sim->node[i].peer[p] = peer;
			sim->node[i].peer_port[p] = topo->ops->arrival(topo, i, p - 1) + 1;
			if (peer == FC_SITE_NONE)
				continue;
			up.port = p;
			net_event(sim, i, FC_VC_DATA, &up);
			/* Control frames go by it in every mode. */
			sim->node[i].site.data.up |= fc_bit(p);
		}
	}
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
		struct node *node = &sim->node[i];

		fc_site_purge(&node->site, drop, sim);
		flits_free(sim, &node->buffer);
		flits_free(sim, &node->sending);
		for (u32 k = 0; k < (u32)node->site.nports * channels(sim); k++)
			flits_free(sim, &node->replay[k]);
		if (node->vnet)
			vnet_free(sim, i);
		free(node->replay);
		free(node->replay_seq);
		operator_free(sim, i);
		free(node->site.data.rx[0].queue);
		free(node->site.in);
		free(node->site.out);
		free(node->site.data.rx);
		free(node->site.data.tx);
		free(node->link_free);
		free(node->peer);
		free(node->peer_port);
	}
	free(sim->node);
}

void net_send(struct sim *sim, u32 from, u8 port, const struct fc_link_hdr *header,
	      struct frame *frame, const struct fc_status *status)
{
	struct node *node = &sim->node[from];
	struct event arrival = {
		.kind = EVENT_FRAME, .node = node->peer[port], .port = node->peer_port[port],
	};
	u64 start = sim->now;

	/*
	 * The papers' flow-control signals have wires of their own, so status frames
	 * take none of the link's cycles; flits and control frames do.
	 */
	if (header->type != FC_FRAME_STATUS) {
		if (node->link_free[port] > start)
			start = node->link_free[port];
		node->link_free[port] = start + 1;
	}
	arrival.time = start + sim->config.latency;
	arrival.frame = frame;
	fc_wire_link_encode(arrival.header, header);
	if (status)
		fc_wire_status_encode(arrival.header + FC_LINK_SIZE, status);
	queue_add(&sim->queue, &arrival);
}

/* A flit of the replay buffer goes out. */
static void transmit_flit(struct sim *sim, u32 from, const struct fc_effect *fx)
{
	struct node *node = &sim->node[from];
	u32 at = place(sim, fx->vc, fx->port);
	struct flits *replay = &node->replay[at];
	u64 *stat = sim_link_stat(sim, from, fx->port);
	u32 i = fx->seq - node->replay_seq[at];
	const struct fc_flit *flit;
	struct frame *frame;
	struct fc_link_hdr header = {
		.type = FC_FRAME_FLIT, .vc = fx->vc, .epoch = EPOCH, .seq = fx->seq,
		.ack = fx->ack,
	};

	if (i >= replay->n)
		die("site %u: flit %u is not in the replay buffer", from, fx->seq);
	flit = &replay->flit[(replay->first + i) % replay->room];
	frame = flit->h;
	if (frame)
		frame_get(frame);
	header.flags = flit->parts;
	header.len = frame ? (u16)(frame->size + frame->data) : 0;
	stat[FC_LSTAT_TX_FLITS]++;
	stat[FC_LSTAT_TX_BYTES] += FC_LINK_SIZE + header.len;
	net_send(sim, from, fx->port, &header, frame, NULL);
}

static void release(struct sim *sim, u32 at, const struct fc_effect *fx)
{
	struct node *node = &sim->node[at];
	u32 i = place(sim, fx->vc, fx->port);

	while (node->replay[i].n && fc_before(node->replay_seq[i], fx->seq)) {
		frame_put(sim, flits_take(&node->replay[i]).h);
		node->replay_seq[i]++;
	}
}

static void send_flit(struct sim *sim, u32 from, const struct fc_effect *fx)
{
	u64 *stat = sim_link_stat(sim, from, fx->port);
	u32 at = place(sim, fx->vc, fx->port);
	struct frame *frame = fx->flit.h;
	struct fc_flit kept = {
		.parts = fx->flit.parts &
			 (FC_PART_HEAD | FC_PART_TERM | FC_PART_ABORT | FC_PART_RUN),
	};

	if (frame && kept.parts & FC_PART_ABORT) {
		sim_wrong(sim, "site %u: :abort-packet with a frame", from);
		frame = NULL;
	} else if (frame && kept.parts & FC_PART_HEAD) {
		unsigned int n = fc_wire_ntargets(frame->payload);
		u64 mask = fx->mask & fc_mask_all(n);
		u32 left = 0;
		struct frame *branch;

		if (!mask)
			die("site %u: a front without targets for port %u", from, fx->port);
		for (u64 rest = mask; rest; rest &= rest - 1)
			left++;
		branch = frame_new(sim, fc_head_size(left));
		fc_wire_head_subset(branch->payload, frame->payload, mask, 1);
		branch->message = frame->message;
		branch->offset = frame->offset;
		branch->data = frame->data;
		if (!fx->keep)
			frame_put(sim, frame);
		frame = branch;
		stat[FC_LSTAT_TX_PACKETS]++;
	} else if (frame && fx->keep) {
		frame_get(frame);
	}
	kept.h = frame;
	if (!sim->node[from].replay[at].n)
		sim->node[from].replay_seq[at] = fx->seq;
	flits_add(&sim->node[from].replay[at], &kept);
	transmit_flit(sim, from, fx);
}

static void perform(struct sim *sim, u32 at, const struct fc_effect *fx)
{
	struct node *node = &sim->node[at];
	struct event room = { .kind = EVENT_ROOM, .node = at, .time = sim->now + 1 };
	struct event look = { .kind = EVENT_LOOK, .node = at, .time = sim->now + sim->config.look };
	struct fc_link_hdr header;

	switch ((enum fc_effect_type)fx->type) {
	case FC_FX_SEND:
		send_flit(sim, at, fx);
		break;
	case FC_FX_STATUS:
		header = (struct fc_link_hdr){
			.type = FC_FRAME_STATUS, .vc = fx->vc, .flags = fx->flags,
			.epoch = EPOCH, .seq = fx->seq, .ack = fx->ack,
			.len = FC_STATUS_SIZE,
		};
		sim_link_stat(sim, at, fx->port)[FC_LSTAT_TX_STATUS]++;
		net_send(sim, at, fx->port, &header, NULL, &fx->status);
		break;
	case FC_FX_STORE:
		if (fx->keep)
			frame_get(fx->flit.h);
		flits_add(&node->buffer, &fx->flit);
		/* The operator takes a word a cycle. */
		queue_add(&sim->queue, &room);
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
		/* Both ends run this core, and frames are lost but never forged. */
		fprintf(stderr, "flitcast-sim: the ends of a link contradict each other\n");
		abort();
	case FC_FX_RESEND:
		transmit_flit(sim, at, fx);
		break;
	case FC_FX_RELEASE:
		release(sim, at, fx);
		break;
	case FC_FX_RESCUE:
		/* Simulated links stay up. */
		break;
	case FC_FX_LOOK:
		look.port = fx->port;
		look.vc = fx->vc;
		queue_add(&sim->queue, &look);
		break;
	}
}

void net_event(struct sim *sim, u32 at, u8 vc, const struct fc_event *first)
{
	/* Effects never run a site's event, so one list serves all. */
	static struct fc_effects effects;
	struct node *node = &sim->node[at];
	struct fc_event ev = *first;
	u64 next;
	bool more;

	ev.now = sim->now;
	do {
		more = node->vnet ? fc_vnet_event(node->vnet, vc < FC_VC_CLASS ? 0 :
						  vc - FC_VC_CLASS, &ev, &effects) :
				    fc_site_event(&node->site, &ev, &effects);
		for (u32 i = 0; i < effects.n; i++)
			perform(sim, at, &effects.fx[i]);
		ev.type = FC_EV_MORE;
	} while (more);
	next = node->vnet ? node->vnet->next_at : fc_site_next_at(&node->site);
	if (next < node->time_at) {
		struct event time = { .kind = EVENT_TIME, .node = at };

		time.time = next > sim->now ? next : sim->now + 1;
		node->time_at = time.time;
		queue_add(&sim->queue, &time);
	}
	operator_kick(sim, at);
}

static void net_time(struct sim *sim, u32 at)
{
	struct node *node = &sim->node[at];
	struct fc_event ev = { .type = FC_EV_TIME };

	/* An earlier one was added since. */
	if (node->time_at != sim->now)
		return;
	node->time_at = FC_NEVER;
	net_event(sim, at, FC_VC_DATA, &ev);
}

static bool flit_of_frame(struct sim *sim, const struct fc_link_hdr *header, struct frame *frame,
			  struct fc_flit *flit)
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
	u64 *stat = sim_link_stat(sim, event->node, event->port);
	struct frame *frame = event->frame;
	u32 total = FC_LINK_SIZE + (frame ? frame->size + frame->data : FC_STATUS_SIZE);
	struct fc_event ev = { .port = event->port };
	struct fc_link_hdr header;
	struct fc_ctrl ctrl;

	if (sim->config.loss && rng_below(&sim->net_rng, 1000000) < sim->config.loss) {
		frame_put(sim, frame);
		return;
	}
	if (!fc_wire_link_decode(&header, event->header, FC_LINK_SIZE, total))
		goto malformed;
	ev.seq = header.seq;
	ev.ack = header.ack;
	switch ((enum fc_frame)header.type) {
	case FC_FRAME_FLIT:
		ev.type = FC_EV_FLIT;
		if (!flit_of_frame(sim, &header, frame, &ev.flit))
			goto malformed;
		stat[FC_LSTAT_RX_FLITS]++;
		stat[FC_LSTAT_RX_BYTES] += FC_LINK_SIZE + header.len;
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
	case FC_FRAME_FAULTS:
	case FC_FRAME_CSR:
	case FC_FRAME_HELLO:
		break;
	}
malformed:
	/* Simulated links change nothing: the core made it so. */
	stat[FC_LSTAT_RX_MALFORMED]++;
	sim_wrong(sim, "site %u port %u: malformed frame", event->node, event->port);
	frame_put(sim, frame);
}

static bool net_idle(const struct sim *sim)
{
	for (u32 i = 0; i < sim->config.topo.nsites; i++) {
		const struct node *node = &sim->node[i];

		if (!fc_site_idle(&node->site) || (node->vnet && !fc_vnet_idle(node->vnet)) ||
		    node->buffer.n || node->sending.n || node->transit)
			return false;
	}
	return true;
}

/* Machines that are told of. */
#define STUCK_TOLD	60

static void net_tell_stuck(const struct sim *sim)
{
	unsigned int told = 0;

	for (u32 i = 0; i < sim->config.topo.nsites; i++) {
		const struct node *node = &sim->node[i];
		const struct fc_site *site = &node->site;

		if (node->vnet) {
			vnet_tell_stuck(sim, i);
			continue;
		}
		for (u8 p = 0; p < site->nports; p++) {
			const struct fc_in *in = &site->in[p];
			const struct fc_out *out = &site->out[p];
			const struct fc_rx *rx = &site->data.rx[p];
			const struct fc_tx *tx = &site->data.tx[p];

			if (in->state == FC_NI_FREE && !rx->queued && out->state == FC_NO_FREE &&
			    out->claim == FC_PORT_NONE)
				continue;
			if (told++ == STUCK_TOLD) {
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
	struct fc_event look = { .type = FC_EV_LOOK, .port = event->port };

	switch ((enum event_kind)event->kind) {
	case EVENT_FRAME:
		net_arrive(sim, event);
		break;
	case EVENT_TIME:
		net_time(sim, event->node);
		break;
	case EVENT_ROOM:
		net_event(sim, event->node, FC_VC_DATA, &ev);
		break;
	case EVENT_LOOK:
		net_event(sim, event->node, event->vc, &look);
		break;
	case EVENT_FEED:
		operator_feed(sim, event->node);
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
	return sim->node[at].nbacklog;
}

const struct fidelity fidelity_word = {
	.name = "word",
	.help = "every word of a packet, by the core",
	.init = net_init,
	.free = net_free,
	.event = word_event,
	.send = operator_send,
	.backlog = word_backlog,
	.idle = net_idle,
	.tell_stuck = net_tell_stuck,
};
