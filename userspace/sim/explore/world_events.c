// SPDX-License-Identifier: GPL-2.0
/*
 * Events that are possible in a world, and their execution.
 */
#include "base/util.h"
#include "core/vnet/vnet_pass.h"
#include "world_impl.h"

struct list {
	u16 *event;
	unsigned int n;
};

static void may(struct list *list, enum world_kind kind, unsigned int where)
{
	if (list->n == WORLD_EVENTS)
		die("more than %u events are possible", WORLD_EVENTS);
	list->event[list->n++] = world_event(kind, where);
}

/* List the events of a channel of a link: frames and the timers of its ends. */
static void channel_events(struct list *list, unsigned int at, u8 port, u8 channel)
{
	const struct lines *line = &world.node[at].line[channel];
	const struct lines *peer = &world.node[peer_of(at, port)].line[channel];
	unsigned int where = place_of(at, port, channel);

	if (world.node[at].vnet.unrouted[channel] & fc_bit(port))
		may(list, WORLD_ROUTE, where);
	if (line->wire[port].n) {
		may(list, WORLD_ARRIVE, where);
		if (world.loss)
			may(list, WORLD_LOSE, where);
		if (world.doubles)
			may(list, WORLD_DOUBLE, where);
		if (world.overtakes && line->wire[port].n > 1)
			may(list, WORLD_OVERTAKE, where);
	}
	/* Timers fire only after all frames in flight on the link have arrived. */
	if (line->wire[port].n || peer->wire[peer_port(port)].n)
		return;
	if (line->tx[port].poll_at != FC_NEVER)
		may(list, WORLD_POLL, where);
	if (line->rx[port].ack_at != FC_NEVER)
		may(list, WORLD_REPORT, where);
	if (line->rx[port].nack_at != FC_NEVER)
		may(list, WORLD_NACK, where);
}

static void link_events(struct list *list, unsigned int at, u8 port)
{
	unsigned int where = place_of(at, port, 0);

	if (!world_link_is_up(at, port)) {
		if (first_end(at, port))
			may(list, WORLD_UP, where);
		return;
	}
	for (u8 c = 0; c < world_nchannels; c++)
		if ((world_carried[at][port] | world_carried[peer_of(at, port)][peer_port(port)]) &
		    fc_bit(c))
			channel_events(list, at, port, c);
	if (world.flaps && first_end(at, port))
		may(list, WORLD_DOWN, where);
	if (world.suspects && !(world.node[at].suspect & fc_bit(port)))
		may(list, WORLD_SUSPECT, where);
	if (!world_cfg->no_trust && world.node[at].suspect & fc_bit(port))
		may(list, WORLD_TRUST, where);
}

/* A site that sends and receives no messages may restart. */
static bool may_restart(unsigned int at)
{
	for (unsigned int m = 0; m < world_cfg->nmessages; m++) {
		const struct world_message *msg = &world_cfg->message[m];

		if (msg->from == at)
			return false;
		for (unsigned int t = 0; t < msg->ntargets; t++)
			if (msg->to[t] == at)
				return false;
	}
	return world.restarts;
}

/* May a message of this site enter?  A datagram does not wait behind others (fabric/dgram.c). */
static bool may_enter(unsigned int at, unsigned int m)
{
	const struct world_message *msg = &world_cfg->message[m];
	const struct fc_vnet *v = &world.node[at].vnet;
	u8 head[sizeof(world_contents[0].head)], port;
	struct fc_aim aim = { .head = head, .n = msg->ntargets, .flits = msg->flits };
	u32 dst[WORLD_TARGETS];

	if (!world_cfg->datagrams || !fc_mode_ops(world_cfg->mode)->classes)
		return true;
	memcpy(head, content_of(world_front(m, (u8)fc_bit(0)))->head, sizeof(head));
	if (msg->ntargets == 1)
		return fc_vnet_aim(v, head, msg->flits, &port);
	head[FC_AT_NTARGETS] = msg->ntargets;
	for (unsigned int t = 0; t < msg->ntargets; t++)
		dst[t] = msg->to[t];
	aim.dst = dst;
	fc_vnet_aim_list(v, &aim);
	return aim.takes;
}

static void operator_events(struct list *list, unsigned int at)
{
	const struct node *node = &world.node[at];
	bool room = world_sw->room(at) >= 0;

	if (node->words && (world_cfg->drop || node->nstored <= world_cfg->pool))
		may(list, WORLD_TAKE, at);
	if (node->unread)
		may(list, WORLD_READ, at);
	if (world_has_news(at))
		may(list, WORLD_NEWS, at);
	if (world.full && !node->full)
		may(list, WORLD_FULL, at);
	if (may_restart(at))
		may(list, WORLD_RESTART, at);
	if (node->sending) {
		if (room)
			may(list, WORLD_FEED, at);
		return;
	}
	if (room && node->nstored)
		may(list, WORLD_RESEND, at);
	for (unsigned int m = 0; room && m < world_cfg->nmessages; m++) {
		if (world_cfg->message[m].from != at || !world_unconfirmed(m) || !may_enter(at, m))
			continue;
		if (!world_in_flight(m))
			may(list, WORLD_SEND, m);
		else if (world.early)
			may(list, WORLD_EARLY, m);
	}
}

/* List the joint routing decision of several fronts; channel_events() lists single ones. */
static void route_events(struct list *list, unsigned int at)
{
	unsigned int unrouted = 0;

	for (u8 c = 0; c < world_nchannels; c++)
		for (u32 rest = world.node[at].vnet.unrouted[c]; rest; rest &= rest - 1)
			unrouted++;
	if (unrouted > 1)
		may(list, WORLD_ROUTE_ALL, at);
}

/* List the events that CARE's state machines wait for. */
static void care_events(struct list *list, unsigned int at)
{
	const struct node *node = &world.node[at];

	for (u8 p = 0; p < node->shared.nports; p++) {
		/* Beyond the threshold more seeks change nothing. */
		if (node->in[p].seek_at != FC_NEVER &&
		    node->in[p].seeks <= world_cfg->timing.seek_max)
			may(list, WORLD_SEEK, at * WORLD_PORTS + p);
	}
	if (world_cfg->timeout && node->site.fifo.timeout_at != FC_NEVER)
		may(list, WORLD_TIMEOUT, at);
}

unsigned int world_events(u16 events[WORLD_EVENTS])
{
	struct list list = { .event = events };

	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++) {
		operator_events(&list, at);
		for (u8 p = 1; p < world.node[at].shared.nports; p++)
			if (has_link(at, p))
				link_events(&list, at, p);
		if (!fc_mode_ops(world_cfg->mode)->classes)
			care_events(&list, at);
		else
			route_events(&list, at);
	}
	return list.n;
}

/*
 * Execution.
 */

static void fire(unsigned int at, u8 channel, u64 *timer)
{
	struct fc_event ev = { .type = FC_EV_TIME };
	struct node *node = &world.node[at];

	*timer = NOW;
	node->site.next_at = NOW;
	node->vnet.next_at = NOW;
	channel_of(node, channel)->next_at = NOW;
	world_site_event(at, channel, &ev);
}

/* Inject the next flit of the packet that the operator sends. */
static void feed(unsigned int at)
{
	struct node *node = &world.node[at];
	u8 m = content_of(node->sending)->message;
	u8 id = node->index ? world_data(m, node->index) : node->sending;
	struct fc_event ev = {
		.type = FC_EV_FLIT, .port = FC_PORT_LOCAL, .seq = world_sw->seq(at),
		.flit = make_flit(id, world_parts(id)),
	};

	if (++node->index == world_cfg->message[m].flits) {
		node->sending = 0;
		node->index = 0;
	}
	world_site_event(at, node->injq, &ev);
}

static void begin(unsigned int at, u8 id)
{
	world.node[at].injq = (u8)world_sw->room(at);
	world.node[at].sending = id;
	world.node[at].index = 0;
	feed(at);
}

static void resend(unsigned int at)
{
	struct node *node = &world.node[at];
	u8 id = node->stored[0];

	memmove(node->stored, node->stored + 1, --node->nstored);
	begin(at, id);
}

static void send(unsigned int m, u8 mask)
{
	world_sent(m, mask);
	begin(world_cfg->message[m].from, world_front(m, mask));
}

static void arrive(unsigned int at, u8 port, u8 channel)
{
	struct wire_frame frame = world_wire_take(at, port, channel);
	struct fc_event ev = {
		.type = frame.status ? FC_EV_STATUS : FC_EV_FLIT, .port = peer_port(port),
		.seq = frame.seq, .ack = frame.ack,
	};

	if (frame.status) {
		ev.flags = frame.parts;
		ev.status = frame.info;
	} else {
		ev.flit = make_flit(frame.id, frame.parts);
	}
	world_site_event(peer_of(at, port), channel, &ev);
}

/* Recompute the routes of a site; seeking packets may now find one. */
static void reroute(unsigned int at)
{
	world_make_routes(at);
	if (world_sw->rerouted)
		world_sw->rerouted(at);
}

/* Take a link down or up at both ends. */
static void link_changes(unsigned int at, u8 port, enum fc_event_type type)
{
	unsigned int peer = peer_of(at, port);

	world_link_both(at, port, type);
	reroute(at);
	reroute(peer);
}

static void news(unsigned int at)
{
	if (fc_mode_ops(world_cfg->mode)->classes)
		world.node[at].known = world_links_down();
	world.node[at].feared = world_links_feared(at);
	reroute(at);
}

/* An end suspects its link: routes avoid it, then packets leave it (kernel/fabric/faults.c). */
static void suspect(unsigned int at, u8 port)
{
	struct fc_event ev = { .type = FC_EV_SUSPECT, .port = port };

	world.suspects--;
	world.doubled = true;
	world.node[at].suspect |= fc_bit(port);
	reroute(at);
	world_site_event(at, 0, &ev);
}

static void trust(unsigned int at, u8 port)
{
	struct fc_event ev = { .type = FC_EV_TRUST, .port = port };

	world.node[at].suspect &= ~fc_bit(port);
	reroute(at);
	world_site_event(at, 0, &ev);
}

/* Restart a site: it loses its state, and its links go down. */
static void restart(unsigned int at)
{
	struct node *node = &world.node[at];

	world.restarts--;
	world.repeated = true;
	for (u8 p = 1; p < node->shared.nports; p++) {
		if (!has_link(at, p) || !world_link_is_up(at, p))
			continue;
		world_link_event(peer_of(at, p), peer_port(p), FC_EV_LINK_DOWN);
		reroute(peer_of(at, p));
	}
	world_sw->purge(at);
	if (world_count_held(node))
		world_breaks("site %u: handles are left", at);
	world_init_node(at);
	reroute(at);
}

static void act_on_link(enum world_kind kind, unsigned int at, u8 port, u8 channel)
{
	struct wire_frame *frames = world.node[at].line[channel].wire[port].frame, frame;

	switch (kind) {
	case WORLD_ARRIVE:
		arrive(at, port, channel);
		break;
	case WORLD_LOSE:
		world_wire_take(at, port, channel);
		world.loss--;
		break;
	case WORLD_DOUBLE:
		world.doubles--;
		frame = frames[0];
		arrive(at, port, channel);
		world_wire_first(at, port, channel, &frame);
		break;
	case WORLD_OVERTAKE:
		world.overtakes--;
		frame = frames[0];
		frames[0] = frames[1];
		frames[1] = frame;
		break;
	case WORLD_DOWN:
		world.flaps--;
		world.repeated = true;
		link_changes(at, port, FC_EV_LINK_DOWN);
		break;
	case WORLD_UP:
		link_changes(at, port, FC_EV_LINK_UP);
		break;
	case WORLD_SUSPECT:
		suspect(at, port);
		break;
	case WORLD_TRUST:
		trust(at, port);
		break;
	default:
		break;
	}
}

void world_act(u16 event)
{
	unsigned int where = world_place_of(event), at;
	struct fc_event room = { .type = FC_EV_ROOM, .count = 1 };
	struct fc_event route = { .type = FC_EV_ROUTE };
	struct lines *line;
	u8 port, channel;

	place_split(where, &at, &port, &channel);
	line = &world.node[at].line[channel];
	switch (world_kind_of(event)) {
	case WORLD_ARRIVE:
	case WORLD_LOSE:
	case WORLD_DOUBLE:
	case WORLD_OVERTAKE:
	case WORLD_DOWN:
	case WORLD_UP:
	case WORLD_SUSPECT:
	case WORLD_TRUST:
		act_on_link(world_kind_of(event), at, port, channel);
		break;
	case WORLD_SEND:
		send(where, world_unconfirmed(where));
		break;
	case WORLD_EARLY:
		world.early--;
		world.repeated = true;
		send(where, (u8)fc_mask_all(world_cfg->message[where].ntargets));
		break;
	case WORLD_RESEND:
		resend(where);
		break;
	case WORLD_FEED:
		feed(where);
		break;
	case WORLD_TAKE:
		world.node[where].words--;
		world_site_event(where, 0, &room);
		break;
	case WORLD_SEEK:
		at = where / WORLD_PORTS;
		fire(at, 0, &world.node[at].in[where % WORLD_PORTS].seek_at);
		break;
	case WORLD_TIMEOUT:
		fire(where, 0, &world.node[where].site.fifo.timeout_at);
		break;
	case WORLD_POLL:
		fire(at, channel, &line->tx[port].poll_at);
		break;
	case WORLD_REPORT:
		fire(at, channel, &line->rx[port].ack_at);
		break;
	case WORLD_NACK:
		fire(at, channel, &line->rx[port].nack_at);
		break;
	case WORLD_ROUTE:
		route.port = port;
		world_site_event(at, channel, &route);
		break;
	case WORLD_ROUTE_ALL:
		world_site_event(where, 0, &route);
		break;
	case WORLD_READ:
		world_read(where);
		break;
	case WORLD_NEWS:
		news(where);
		break;
	case WORLD_RESTART:
		restart(where);
		break;
	case WORLD_FULL:
		world.full--;
		world.node[where].full = true;
		break;
	}
	for (at = 0; at < world_cfg->topo.nsites; at++)
		world_update(at);
}

