// SPDX-License-Identifier: GPL-2.0
/*
 * Links of a world: frames on them, replay entries, and which links work.
 */
#include "core/faults/routes.h"
#include "world_impl.h"

u8 world_peers[WORLD_SITES][WORLD_PORTS];
u8 world_peer_ports[WORLD_PORTS];
u8 world_nchannels;
u32 world_carried[WORLD_SITES][WORLD_PORTS];

/* Number of a link, the same at both ends. */
static u8 link_number[WORLD_SITES][WORLD_PORTS];
static u32 routes[WORLD_SITES][WORLD_SITES];
/* Links known to be down, and to be suspected, when routes[] was computed. */
static u32 routes_known[WORLD_SITES];
static u32 routes_feared[WORLD_SITES];
static bool routes_made[WORLD_SITES];

static void number_links(void)
{
	u8 number = 0;

	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++)
		for (u8 p = 1; p <= world_cfg->topo.ndirs; p++) {
			if (!has_link(at, p) || !first_end(at, p))
				continue;
			link_number[at][p] = number;
			link_number[peer_of(at, p)][peer_port(p)] = number++;
		}
}

void world_make_links(void)
{
	const struct fc_topo *topo = &world_cfg->topo;
	bool vnet = fc_mode_ops(world_cfg->mode)->classes;

	world_nchannels = vnet ? world_cfg->classes.count : 1;
	for (u8 port = 1; port <= topo->ndirs; port++) {
		/* Topologies that have a specification are alike at all sites. */
		world_peer_ports[port] = topo->ops->arrival(topo, 0, port - 1) + 1;
		for (unsigned int at = 0; at < topo->nsites; at++) {
			u32 peer = fc_topo_neighbour(topo, at, port - 1);

			if (!fc_routes_link_works(topo, world_cfg->down, at, port - 1))
				peer = NO_PEER;
			world_peers[at][port] = (u8)peer;
			world_carried[at][port] = peer == NO_PEER ? 0 : !vnet ? 1 :
				(u32)fc_vclass_carried(&world_cfg->classes, at, port - 1);
		}
	}
	number_links();
	memset(routes_made, 0, sizeof(routes_made));
}

bool world_link_is_up(unsigned int at, u8 port)
{
	return world_sw->up(at) & fc_bit(port);
}

/* Links that are down, as the routing protocol reports them. */

u32 world_links_down(void)
{
	u32 down = 0;

	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++)
		for (u8 p = 1; p <= world_cfg->topo.ndirs; p++)
			if (has_link(at, p) && !world_link_is_up(at, p))
				down |= fc_bit(link_number[at][p]);
	return down;
}

/* Links that a site itself suspects. */
static u32 suspected(unsigned int at)
{
	u32 links = 0;

	for (u32 rest = world.node[at].suspect; rest; rest &= rest - 1)
		links |= fc_bit(link_number[at][fc_low(rest)]);
	return links;
}

u32 world_links_feared(unsigned int at)
{
	u32 links = 0;

	for (unsigned int other = 0; other < world_cfg->topo.nsites; other++)
		if (other != at)
			links |= suspected(other);
	return links;
}

bool world_has_news(unsigned int at)
{
	if (world_cfg->unaware)
		return false;
	if (world.node[at].feared != world_links_feared(at))
		return true;
	return fc_mode_ops(world_cfg->mode)->classes &&
	       world.node[at].known != world_links_down();
}

/* Does a site know of a change of its own links that its routes do not reflect yet? */
static bool rerouting(unsigned int at)
{
	for (u8 p = 1; p <= world_cfg->topo.ndirs; p++)
		if (has_link(at, p) && !world_link_is_up(at, p) !=
		    !!(world.node[at].known & fc_bit(link_number[at][p])))
			return fc_mode_ops(world_cfg->mode)->classes && !world_cfg->unaware;
	return false;
}

void world_make_routes(unsigned int at)
{
	u32 work[3 * WORLD_SITES], down[WORLD_SITES], suspect[WORLD_SITES] = { 0 };
	u32 known = world.node[at].known, feared = world.node[at].feared | suspected(at);
	struct fc_node *node = &world.node[at].shared;

	node->rerouting = rerouting(at);
	node->routes = world_cfg->faults || known || feared ? routes[at] : NULL;
	if (!node->routes ||
	    (routes_made[at] && routes_known[at] == known && routes_feared[at] == feared))
		return;
	routes_made[at] = true;
	routes_known[at] = known;
	routes_feared[at] = feared;
	memcpy(down, world_cfg->down, sizeof(down));
	for (u32 other = 0; other < world_cfg->topo.nsites; other++) {
		if (world_cfg->unaware && other != at)
			down[other] = 0;
		for (u8 p = 1; p <= world_cfg->topo.ndirs; p++) {
			if (!has_link(other, p))
				continue;
			if (known & fc_bit(link_number[other][p]))
				down[other] |= fc_bit(p);
			if (feared & fc_bit(link_number[other][p]))
				suspect[other] |= fc_bit(p);
		}
	}
	fc_routes_compute(&world_cfg->topo, at, down, suspect, routes[at], work);
}

/*
 * Frames.
 */

static void full(unsigned int at, u8 port)
{
	world_breaks("site %u port %u: more than %u frames on a link", at, port, WORLD_WIRE);
}

void world_wire_add(unsigned int at, u8 port, u8 channel, const struct wire_frame *frame)
{
	struct wire *wire = &world.node[at].line[channel].wire[port];

	/* A later status replaces an earlier one: it carries cumulative acks. */
	if (frame->status && wire->n && wire->frame[wire->n - 1].status) {
		struct wire_frame *last = &wire->frame[wire->n - 1], before = *last;

		*last = *frame;
		last->parts |= before.parts;
		if (!(frame->parts & FC_STATUS_NACK))
			last->info.upto = before.info.upto;
		return;
	}
	if (wire->n == WORLD_WIRE)
		full(at, port);
	else
		wire->frame[wire->n++] = *frame;
}

void world_wire_first(unsigned int at, u8 port, u8 channel, const struct wire_frame *frame)
{
	struct wire *wire = &world.node[at].line[channel].wire[port];

	if (wire->n == WORLD_WIRE) {
		full(at, port);
		return;
	}
	memmove(wire->frame + 1, wire->frame, wire->n++ * sizeof(*frame));
	wire->frame[0] = *frame;
}

struct wire_frame world_wire_take(unsigned int at, u8 port, u8 channel)
{
	struct wire *wire = &world.node[at].line[channel].wire[port];
	struct wire_frame frame = wire->frame[0];

	memmove(wire->frame, wire->frame + 1, --wire->n * sizeof(frame));
	return frame;
}

void world_send_flit(unsigned int at, u8 channel, const struct fc_effect *e)
{
	struct lines *line = &world.node[at].line[channel];
	struct wire_frame frame = {
		.id = id_of(&e->flit), .seq = e->seq, .ack = e->ack,
		.parts = e->flit.parts &
			 (FC_PART_HEAD | FC_PART_TERM | FC_PART_ABORT | FC_PART_EAGER),
	};

	if (!(world_carried[at][e->port] & fc_bit(channel))) {
		world_breaks("site %u port %u: channel %u does not go there", at, e->port, channel);
		return;
	}
	if (frame.parts & FC_PART_HEAD) {
		u8 targets = world_targets_of(frame.id, e->mask);

		if (!targets) {
			world_breaks("site %u: a front without targets", at);
			return;
		}
		frame.id = world_front(content_of(frame.id)->message, targets);
	}
	if (!frame.id && frame.parts != (FC_PART_TERM | FC_PART_ABORT))
		world_breaks("site %u: parts %x without a frame", at, frame.parts);
	if (line->nreplay[e->port] == world_cfg->window) {
		world_breaks("site %u port %u: a window of more than %u", at, e->port,
			     world_cfg->window);
		return;
	}
	if (!line->nreplay[e->port])
		line->replay_seq[e->port] = e->seq;
	line->replay[e->port][line->nreplay[e->port]++] =
		(struct kept){ .id = frame.id, .parts = frame.parts };
	world_wire_add(at, e->port, channel, &frame);
	/* The flit ends a packet that had begun when the others were copied. */
	if (line->open[e->port] && frame.parts & FC_PART_TERM)
		world_copy(at, channel, e->port);
}

void world_resend_flit(unsigned int at, u8 channel, const struct fc_effect *e)
{
	const struct lines *line = &world.node[at].line[channel];
	u32 i = e->seq - line->replay_seq[e->port];
	struct wire_frame frame = { .seq = e->seq, .ack = e->ack };

	if (i >= line->nreplay[e->port]) {
		world_breaks("site %u port %u: a flit that is not kept is sent again", at, e->port);
		return;
	}
	frame.id = line->replay[e->port][i].id;
	frame.parts = line->replay[e->port][i].parts;
	world_wire_add(at, e->port, channel, &frame);
}

void world_release(unsigned int at, u8 channel, const struct fc_effect *e)
{
	struct lines *line = &world.node[at].line[channel];
	struct kept *kept = line->replay[e->port];
	u32 n = e->seq - line->replay_seq[e->port];

	if (n > line->nreplay[e->port]) {
		world_breaks("site %u port %u: %u of %u kept flits are released", at, e->port, n,
			     line->nreplay[e->port]);
		return;
	}
	line->nreplay[e->port] -= (u8)n;
	line->copied[e->port] -= (u8)(n < line->copied[e->port] ? n : line->copied[e->port]);
	line->replay_seq[e->port] = e->seq;
	memmove(kept, kept + n, line->nreplay[e->port] * sizeof(*kept));
}

/*
 * Find the next whole packet among the kept flits, from @i on.  Return: its front, or 0; @i: behind
 * its end.
 */
static u8 whole_packet(unsigned int at, const struct lines *line, u8 port, unsigned int *i)
{
	u8 front = 0, n = 0;

	while (*i < line->nreplay[port]) {
		const struct kept *kept = &line->replay[port][(*i)++];

		if (kept->parts & (FC_PART_HEAD | FC_PART_ABORT)) {
			front = kept->parts & FC_PART_HEAD ? kept->id : 0;
			n = 0;
		}
		n++;
		if (!front || !(kept->parts & FC_PART_TERM))
			continue;
		if (n != world_cfg->message[content_of(front)->message].flits)
			world_breaks("site %u port %u: %u flits are a packet", at, port, n);
		return front;
	}
	return 0;
}

void world_rescue(unsigned int at, u8 channel, u8 port)
{
	struct lines *line = &world.node[at].line[channel];
	unsigned int i = line->copied[port];
	u8 front;

	while ((front = whole_packet(at, line, port, &i)))
		world_store(at, front);
	line->nreplay[port] = 0;
	line->copied[port] = 0;
	line->open[port] = false;
}

void world_copy(unsigned int at, u8 channel, u8 port)
{
	struct lines *line = &world.node[at].line[channel];
	unsigned int i = line->copied[port];
	u8 front;

	while ((front = whole_packet(at, line, port, &i))) {
		u64 targets = fc_mask_all(fc_wire_ntargets(content_of(front)->head));

		if (fc_node_avoids(&world.node[at].shared, content_of(front)->head, targets, port))
			world_store(at, front);
	}
	/* As flitcast_replay_again() marks what it has seen. */
	line->open[port] = false;
	for (i = line->copied[port]; i < line->nreplay[port]; i++) {
		line->open[port] = !(line->replay[port][i].parts & FC_PART_TERM);
		if (!line->open[port])
			line->copied[port] = (u8)(i + 1);
	}
}

/* Links going down and up. */

void world_link_event(unsigned int at, u8 port, enum fc_event_type type)
{
	struct fc_event ev = { .type = (u8)type, .port = port, .count = world_cfg->window };

	for (u8 c = 0; c < world_nchannels; c++)
		world.node[at].line[c].wire[port].n = 0;
	world.node[at].suspect &= ~fc_bit(port);
	world_site_event(at, 0, &ev);
}

void world_link_both(unsigned int at, u8 port, enum fc_event_type type)
{
	world_link_event(at, port, type);
	world_link_event(peer_of(at, port), peer_port(port), type);
}
