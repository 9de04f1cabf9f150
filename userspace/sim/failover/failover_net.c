// SPDX-License-Identifier: GPL-2.0
/*
 * A network of hosts, two of which send each other probes, while directions of links fall silent
 * one after the other.  The hosts run the core as kernel/fabric and kernel/ends do:
 *
 *	HELLO, polls	core/link/hello.h, core/link/llr.h
 *	news, routes	core/faults/faults.h, core/faults/routes.h, core/link/node.h
 *	copies		packets that wait on a suspected link, as in kernel/fabric/effects.c
 *	questions	core/ends/ask.h
 *
 * A packet is one flit.  The switch is not modelled: a flit that came is taken at once, and waits,
 * numbered by no link, until a route and credit exist.  So a host that dies keeps what it has
 * acked.
 */
#include <stdlib.h>
#include <string.h>

#include "failover_impl.h"
#include "core/faults/routes.h"
#include "base/random.h"
#include "base/util.h"

/* As kernel/fabric/faults.c and kernel/fabric/faults.h. */
#define REST		(20 * MS)
#define SPACING		(50 * MS)
#define DIGEST		(8 * FAILOVER_S)
/* Settings of a site by default. */
#define POLL		(20 * MS)
#define RETRY		(2 * MS)
/* Before the first failure; after the last one, at least and at most. */
#define BEFORE		(300 * MS)
#define AFTER		(1500 * MS)
#define WAIT		(12 * FAILOVER_S)

struct net net;
static struct net ready;

static u8 peer_port(const struct host *h, u8 port)
{
	return net.topo.ops->arrival(&net.topo, h->node.id, port - 1) + 1;
}

static struct host *peer_of(const struct host *h, u8 port)
{
	return &net.host[fc_topo_neighbour(&net.topo, h->node.id, port - 1)];
}

static void put(struct host *from, u8 port, struct frame *frame)
{
	struct end *to = &peer_of(from, port)->end[peer_port(from, port)];

	if (to->deaf)
		return;
	if (to->tail - to->head == FRAMES)
		die("failover: too many frames");
	frame->at = net.now + DELAY;
	frame->epoch = from->end[port].hello.own.epoch;
	to->frame[to->tail++ % FRAMES] = *frame;
}

/*
 * Packets.
 */

u32 failover_packet(struct packet packet)
{
	if (net.npackets == PACKETS)
		die("failover: too many packets");
	net.packet[net.npackets] = packet;
	return net.npackets++;
}

void failover_wait(struct host *h, u32 packet)
{
	if (h->nwaiting == WAITING)
		die("failover: too many packets wait");
	h->waiting[h->nwaiting++] = packet;
}

static void begin(struct host *h)
{
	net.fx.n = 0;
	h->ch.now = net.now;
}

static void finish(struct host *h);

void failover_ctrl(struct host *h, struct packet packet)
{
	struct frame frame = { .kind = FRAME_CTRL };
	u8 port;

	if (packet.to == h->node.id) {
		failover_deliver(h, &packet);
		return;
	}
	port = fc_node_next_port(&h->node, packet.to);
	if (port == FC_PORT_NONE || packet.hops++ == 64)
		return;
	frame.packet = packet;
	put(h, port, &frame);
	if (net.anew)
		fc_llr_test(&h->ch, port, net.now);
}

/* Send a packet if it has a route and credit. */
static bool send_packet(struct host *h, u32 number)
{
	struct packet *packet = &net.packet[number];
	u32 ports = fc_node_ports(&h->node, packet->to, h->node.up);
	struct frame frame = { .kind = FRAME_FLIT };
	struct fc_effect *e;
	u8 port;

	if (!ports)
		return false;
	/* By another way than control frames where there are several. */
	port = net.apart ? 31 - (u8)__builtin_clz(ports) : (u8)fc_low(ports);
	if (!fc_tx_credit(&h->tx[port]))
		return false;
	begin(h);
	e = fc_effect_add(&net.fx, FC_FX_SEND, port, NULL);
	fc_llr_sent(&h->ch, port, e);
	h->end[port].sent[e->seq % WINDOW] = number;
	h->end[port].copied[e->seq % WINDOW] = false;
	packet->hops++;
	frame.seq = e->seq;
	frame.ack = e->ack;
	frame.packet = *packet;
	put(h, port, &frame);
	net.fx.n = 0;
	finish(h);
	return true;
}

static void send_waiting(struct host *h)
{
	u32 waiting[WAITING], n = h->nwaiting;

	memcpy(waiting, h->waiting, n * sizeof(waiting[0]));
	h->nwaiting = 0;
	for (u32 i = 0; i < n; i++)
		if (!send_packet(h, waiting[i]))
			failover_wait(h, waiting[i]);
}

static u32 directions(const struct host *h, u32 to)
{
	return h->node.routes ? h->node.routes[to] : fc_topo_minimal(&net.topo, h->node.id, to);
}

/* Packets on a suspected link leave by another one, as copies. */
static void copy(struct host *h, u8 port)
{
	struct end *end = &h->end[port];

	for (u32 seq = h->tx[port].acked; seq != h->tx[port].sent; seq++) {
		struct packet packet = net.packet[end->sent[seq % WINDOW]];

		if (end->copied[seq % WINDOW] || packet.copied >= FC_COPIED_MAX ||
		    !(directions(h, packet.to) & ~fc_bit(port - 1)))
			continue;
		end->copied[seq % WINDOW] = true;
		packet.copied++;
		failover_wait(h, failover_packet(packet));
	}
}

static void rescue(struct host *h, u8 port)
{
	struct end *end = &h->end[port];

	for (u32 seq = h->tx[port].acked; seq != h->tx[port].sent; seq++)
		if (!end->copied[seq % WINDOW])
			failover_wait(h, end->sent[seq % WINDOW]);
}

/*
 * Routes, as kernel/fabric/faults.c.
 */

static void update_avoid(struct host *h)
{
	h->node.avoid = fc_faults_suspects(&h->faults) & ~h->avoided;
	h->node.doubtful = h->faults.doubtful | h->doubtful;
}

static void reroute(struct host *h)
{
	if (h->asked == h->faults.generation)
		return;
	h->asked = h->faults.generation;
	if (!fc_faults_any(&h->faults)) {
		h->avoided = 0;
		h->faults.doubtful = 0;
		h->doubtful = 0;
		update_avoid(h);
		h->node.routes = NULL;
		h->node.rerouting = false;
		h->compute_at = FC_NEVER;
		failover_rerouted(h);
		return;
	}
	update_avoid(h);
	/* Packets will take links that may be idle, and silent, too. */
	for (u8 p = 1; net.anew && p < h->node.nports; p++)
		fc_llr_test(&h->ch, p, net.now);
	h->node.rerouting = true;
	if (h->compute_at == FC_NEVER && h->computed_at == FC_NEVER)
		h->compute_at = most(net.now, h->rest_until);
}

static void compute(struct host *h)
{
	h->compute_at = FC_NEVER;
	h->computed = h->faults.generation;
	h->suspects = fc_faults_suspects(&h->faults);
	h->doubtful = h->faults.doubtful;
	h->faults.doubtful = 0;
	fc_faults_down(&h->faults, h->down, h->suspect);
	h->computed_at = net.now + COMPUTE;
}

static void install(struct host *h)
{
	u32 ports = h->suspects & ~h->avoided;

	h->computed_at = FC_NEVER;
	h->rest_until = net.now + REST;
	if (!fc_faults_any(&h->faults))
		return;
	fc_routes_compute(&net.topo, h->node.id, h->down, h->suspect, h->routes, h->work);
	h->node.rerouting = h->computed != h->faults.generation;
	if (h->node.rerouting)
		h->compute_at = h->rest_until;
	h->node.routes = h->routes;
	h->avoided = h->suspects;
	h->doubtful = 0;
	update_avoid(h);
	for (; ports; ports &= ports - 1)
		copy(h, (u8)fc_low(ports));
	failover_rerouted(h);
}

/*
 * Links.
 */

static void link_event(struct host *h, u8 port, bool up)
{
	fc_faults_link(&h->faults, port, up, net.now);
	reroute(h);
	if (!up)
		rescue(h, port);
	net.fx.n = 0;
	fc_llr_reset(&h->ch, port, up ? h->end[port].hello.peer.window : WINDOW, &net.fx);
	net.fx.n = 0;
	if (up) {
		h->ch.up |= fc_bit(port);
		h->node.up |= fc_bit(port);
	} else {
		h->ch.up &= ~fc_bit(port);
		h->node.up &= ~fc_bit(port);
	}
}

static void perform(struct host *h, u8 port, u8 todo)
{
	struct fc_hello *hello = &h->end[port].hello;
	struct frame frame = { .kind = FRAME_HELLO };

	if (todo & FC_HELLO_GO_DOWN)
		link_event(h, port, false);
	if (todo & FC_HELLO_CHECK) {
		frame.full = true;
		frame.hello = fc_hello_next(hello, true);
		put(h, port, &frame);
	}
	if (todo & FC_HELLO_SEND) {
		frame.full = fc_hello_full(hello);
		frame.hello = fc_hello_next(hello, todo & FC_HELLO_CHECK);
		put(h, port, &frame);
	}
	if (todo & FC_HELLO_GO_UP)
		link_event(h, port, true);
	if (todo & (FC_HELLO_SUSPECT | FC_HELLO_TRUST)) {
		fc_faults_suspect(&h->faults, port, todo & FC_HELLO_SUSPECT, net.now);
		reroute(h);
	}
	if (todo & FC_HELLO_TRUST) {
		begin(h);
		fc_llr_hasten(&h->ch, port);
		fc_llr_time(&h->ch);
		finish(h);
	}
}

static void status(struct host *h, const struct fc_effect *e)
{
	struct frame frame = {
		.kind = FRAME_STATUS, .flags = e->flags, .seq = e->seq, .ack = e->ack,
		.status = e->status,
	};

	put(h, e->port, &frame);
}

static void again(struct host *h, const struct fc_effect *e)
{
	struct frame frame = {
		.kind = FRAME_FLIT, .seq = e->seq, .ack = e->ack,
		.packet = net.packet[h->end[e->port].sent[e->seq % WINDOW]],
	};

	put(h, e->port, &frame);
}

/* Perform the effects of an event of the channel. */
static void finish(struct host *h)
{
	u8 why[PORTS] = { 0 };
	u32 resets = 0;

	fc_llr_send_status(&h->ch, &net.fx);
	for (u32 i = 0; i < net.fx.n; i++) {
		const struct fc_effect *e = &net.fx.fx[i];

		if (e->type == FC_FX_STATUS)
			status(h, e);
		else if (e->type == FC_FX_RESEND)
			again(h, e);
		else if (e->type == FC_FX_RELEASE)
			fc_hello_alive(&h->end[e->port].hello, net.now);
		else if (e->type == FC_FX_RESET)
			resets |= fc_bit(e->port);
		for (u8 p = 1; e->type == FC_FX_SUSPECT && p < h->node.nports; p++)
			if (e->mask & fc_bit(p) && (!why[p] || e->flags < why[p]))
				why[p] = e->flags;
	}
	net.fx.n = 0;
	for (u8 p = 1; p < h->node.nports; p++) {
		if (why[p])
			perform(h, p, fc_hello_suspect(&h->end[p].hello, why[p], net.now));
		if (resets & fc_bit(p))
			perform(h, p, fc_hello_reset(&h->end[p].hello, net.now));
	}
}

static void read_flit(struct host *h, u8 port, const struct frame *frame)
{
	struct fc_event ev = {
		.type = FC_EV_FLIT, .port = port, .now = net.now, .seq = frame->seq,
		.ack = frame->ack, .flit = { .parts = FC_PART_HEAD | FC_PART_TERM },
	};
	struct fc_rx *rx = &h->rx[port];
	u32 came[WINDOW], n = 0;

	/* A handle is the number of a packet, plus one. */
	ev.flit.h = (void *)(uintptr_t)(failover_packet(frame->packet) + 1);
	fc_llr_acked(&h->ch, port, ev.ack, &net.fx);
	h->stat[port][FC_LSTAT_RX_BYTES] += 200;
	fc_llr_flit(&h->ch, &ev, &net.fx);
	while (rx->queued && fc_rx_first(rx)->parts & FC_FLIT_VALID)
		came[n++] = (u32)(uintptr_t)fc_rx_consume(&h->ch, port).h - 1;
	for (u32 i = 0; i < n; i++)
		failover_wait(h, came[i]);
}

static void take_arrived(struct host *h)
{
	u32 n = 0;

	for (u32 i = 0; i < h->nwaiting; i++) {
		struct packet packet = net.packet[h->waiting[i]];

		if (packet.to == h->node.id)
			failover_deliver(h, &packet);
		else
			h->waiting[n++] = h->waiting[i];
	}
	h->nwaiting = n;
}

static void read_frame(struct host *h, u8 port)
{
	struct end *end = &h->end[port];
	struct frame frame = end->frame[end->head++ % FRAMES];
	struct fc_event ev = {
		.type = FC_EV_STATUS, .port = port, .now = net.now, .flags = frame.flags,
		.seq = frame.seq, .ack = frame.ack, .status = frame.status,
	};

	if (frame.kind == FRAME_HELLO) {
		perform(h, port, fc_hello_received(&end->hello, &frame.hello, frame.full, net.now));
		return;
	}
	/* A frame of an earlier life of the link. */
	if (end->hello.state != FC_LINK_UP || frame.epoch != end->hello.peer.epoch)
		return;
	fc_hello_alive(&end->hello, net.now);
	if (frame.kind == FRAME_FAULTS) {
		fc_faults_received(&h->faults, port, &frame.faults, net.now);
		reroute(h);
		return;
	}
	if (frame.kind == FRAME_CTRL) {
		failover_ctrl(h, frame.packet);
		return;
	}
	begin(h);
	if (frame.kind == FRAME_FLIT) {
		read_flit(h, port, &frame);
	} else {
		fc_llr_acked(&h->ch, port, ev.ack, &net.fx);
		fc_llr_status(&h->ch, &ev, &net.fx);
	}
	fc_llr_time(&h->ch);
	finish(h);
	take_arrived(h);
}

static void send_faults(struct host *h)
{
	struct frame frame = { .kind = FRAME_FAULTS };

	fc_faults_time(&h->faults, net.now);
	for (u8 p = 1; p < h->node.nports; p++)
		while (h->faults.up & fc_bit(p) &&
		       fc_faults_frame(&h->faults, p, &frame.faults, net.now))
			put(h, p, &frame);
}

static u64 next_of(const struct host *h)
{
	u64 at = least(least(h->ch.next_at, h->compute_at), h->computed_at);

	at = least(at, least(fc_faults_next(&h->faults), failover_flow_at(&h->flow)));
	for (u8 p = 1; p < h->node.nports; p++) {
		const struct end *end = &h->end[p];

		at = least(at, least(end->hello.send_at, end->hello.dead_at));
		if (end->head != end->tail)
			at = least(at, end->frame[end->head % FRAMES].at);
	}
	return at;
}

static void act(struct host *h)
{
	for (u8 p = 1; p < h->node.nports; p++)
		if (least(h->end[p].hello.send_at, h->end[p].hello.dead_at) <= net.now)
			perform(h, p, fc_hello_time(&h->end[p].hello, net.now, false));
	if (h->ch.next_at <= net.now) {
		begin(h);
		fc_llr_time(&h->ch);
		finish(h);
	}
	for (u8 p = 1; p < h->node.nports; p++)
		while (h->end[p].head != h->end[p].tail &&
		       h->end[p].frame[h->end[p].head % FRAMES].at <= net.now)
			read_frame(h, p);
	if (h->compute_at <= net.now)
		compute(h);
	if (h->computed_at <= net.now)
		install(h);
	failover_flow_time(h);
	if (h->nwaiting)
		send_waiting(h);
	if (fc_faults_next(&h->faults) <= net.now)
		send_faults(h);
}

static void run_until(u64 end)
{
	while (net.now < end) {
		u64 next[SITES], at = end;

		for (u32 i = 0; i < net.topo.nsites; i++) {
			next[i] = next_of(&net.host[i]);
			at = least(at, next[i]);
		}
		net.now = most(net.now, at);
		for (u32 i = 0; i < net.topo.nsites; i++)
			if (next[i] <= net.now)
				act(&net.host[i]);
	}
}

static void make_end(struct host *h, u8 port)
{
	u32 peer = fc_topo_neighbour(&net.topo, h->node.id, port - 1);

	h->end[port].hello.send_at = FC_NEVER;
	h->end[port].hello.dead_at = FC_NEVER;
	if (peer == FC_SITE_NONE)
		return;
	h->end[port].hello = (struct fc_hello){
		.own = {
			.ver_min = 1, .ver_max = 1, .mode = 1, .site = h->node.id, .port = port,
			.window = WINDOW, .flit = 4096, .epoch = 1 + h->node.id * PORTS + port,
			.nsites = (u16)net.topo.nsites, .reason = FC_REASON_CARRIER,
			.interval = FC_HELLO_MS,
		},
		.want_site = peer, .want_port = peer_port(h, port), .ms = MS,
		.interval = FC_HELLO_MS * MS, .dead = FC_HELLO_DEAD,
		.send_at = FC_NEVER, .dead_at = FC_NEVER, .state = FC_LINK_DOWN,
	};
}

static void make_host(u32 number)
{
	struct host *h = &net.host[number];

	fc_pref_default(&h->pref, &net.topo);
	h->node = (struct fc_node){
		.topo = &net.topo, .timing = &net.timing, .pref = &h->pref, .stat = h->site_stat,
		.id = number, .nports = net.topo.ndirs + 1, .up = fc_bit(FC_PORT_LOCAL),
	};
	h->ch.timing = &net.timing;
	h->ch.rx = h->rx;
	h->ch.tx = h->tx;
	h->ch.window = WINDOW;
	h->ch.nports = h->node.nports;
	for (u8 p = 0; p < h->node.nports; p++) {
		h->rx[p].queue = p ? h->queue[p] : NULL;
		h->rx[p].stat = h->stat[p];
	}
	fc_channel_init(&h->ch);
	h->faults.topo = &net.topo;
	h->faults.id = number;
	h->faults.incarnation = 1 + number;
	h->faults.interval = DIGEST;
	h->faults.spacing = SPACING;
	h->faults.known = h->known;
	fc_faults_init(&h->faults);
	h->asked = h->faults.generation;
	h->compute_at = FC_NEVER;
	h->computed_at = FC_NEVER;
	h->flow.to = SITES;
	h->flow.again = FC_NEVER;
}

void failover_net_make(const struct fc_topo *topo)
{
	memset(&net, 0, sizeof(net));
	net.topo = *topo;
	if (topo->nsites > SITES || topo->ndirs >= PORTS)
		die("failover: the network is too large");
	net.timing = (struct fc_timing){ .retry = RETRY, .ack_delay = POLL / 2, .poll = POLL };
	for (u32 i = 0; i < net.topo.nsites; i++)
		make_host(i);
	for (u32 i = 0; i < net.topo.nsites; i++)
		for (u8 p = 1; p < net.host[i].node.nports; p++)
			make_end(&net.host[i], p);
	for (u32 i = 0; i < net.topo.nsites; i++)
		for (u8 p = 1; p < net.host[i].node.nports; p++)
			if (fc_topo_neighbour(&net.topo, i, p - 1) != FC_SITE_NONE)
				perform(&net.host[i], p,
					fc_hello_carrier(&net.host[i].end[p].hello, true,
							 net.now));
	run_until(2 * FAILOVER_S);
	for (u32 i = 0; i < net.topo.nsites; i++)
		if (fc_faults_any(&net.host[i].faults))
			die("failover: the links do not come up");
	ready = net;
}

u32 failover_net_sites(void)
{
	return ready.topo.nsites;
}

u32 failover_net_neighbour(u32 site, u8 port)
{
	return port && port <= ready.topo.ndirs ?
		fc_topo_neighbour(&ready.topo, site, port - 1) : FC_SITE_NONE;
}

u8 failover_net_arrival(u32 site, u8 port)
{
	return ready.topo.ops->arrival(&ready.topo, site, port - 1) + 1;
}

/* The longest part of a time in which nothing failed. */
static u64 longest(u64 from, u64 to)
{
	u64 part = 0;

	for (u32 i = 0; i < net.nfailed; i++) {
		if (net.failed[i] <= from || net.failed[i] >= to)
			continue;
		part = most(part, net.failed[i] - from);
		from = net.failed[i];
	}
	return most(part, to - from);
}

static void judge(const struct flow *f, struct failover_outage *outage)
{
	for (u32 id = 0; id < f->n; id++) {
		const struct probe *p = &f->probe[id];
		bool came = id < f->came;
		u64 part = longest(p->due_at, came ? p->came_at : net.now);

		outage->longest = most(outage->longest, part);
		if (came && p->came_at > net.failed[net.nfailed - 1])
			outage->last = most(outage->last, p->came_at -
					    most(p->due_at, net.failed[net.nfailed - 1]));
		else if (!came)
			outage->last = most(outage->last, net.now -
					    most(p->due_at, net.failed[net.nfailed - 1]));
		/* Probes that were just sent may still come. */
		outage->lost += !came && p->due_at + AFTER / 2 < net.now;
	}
	outage->doubled += f->doubled;
}

struct failover_outage failover_net_fail(const struct failover_pieces *pieces, u64 seed)
{
	struct failover_outage outage = { 0 };
	struct rng rng = { .state = seed };
	struct flow *f[2];
	u64 begun, end;

	net = ready;
	net.anew = !pieces->old;
	net.apart = pieces->apart;
	for (u32 i = 0; i < 2; i++) {
		f[i] = &net.host[pieces->between[i]].flow;
		f[i]->to = (u8)pieces->between[!i];
		f[i]->next_at = net.now + rng_u64(&rng) % INTERVAL;
		f[i]->srtt = MS / 2;
	}
	begun = net.now + BEFORE + rng_u64(&rng) % INTERVAL;
	for (u32 i = 0; i < pieces->n; i++) {
		begun += pieces->piece[i].gap;
		run_until(begun);
		net.failed[net.nfailed++] = net.now;
		net.host[pieces->piece[i].site].end[pieces->piece[i].port].deaf = true;
	}
	end = net.now + AFTER;
	run_until(end);
	end = net.now + WAIT;
	while (net.now < end && (f[0]->came + 3 < f[0]->n || f[1]->came + 3 < f[1]->n))
		run_until(net.now + AFTER);
	judge(f[0], &outage);
	judge(f[1], &outage);
	return outage;
}
