// SPDX-License-Identifier: GPL-2.0
/*
 * Sites of a world in modes vnet and postman.
 */
#include <stdio.h>

#include "world_impl.h"

static void init(unsigned int at)
{
	struct node *node = &world.node[at];
	struct fc_vnet *v = &node->vnet;

	v->classes = &world_cfg->classes;
	v->node = &node->shared;
	v->ch = node->channel;
	v->in = node->vin;
	v->out = node->vout;
	v->payload = BYTES;
	v->nports = node->shared.nports;
	v->nclasses = world_nchannels;
	for (unsigned int i = 0; i < (unsigned int)v->nclasses * v->nports; i++)
		node->vin[i].branch = node->branch[i];
	for (u8 c = 0; c < v->nclasses; c++) {
		node->channel[c].rx = node->line[c].rx;
		node->channel[c].tx = node->line[c].tx;
		node->channel[c].window = world_cfg->window;
	}
	if (fc_mode_ops(world_cfg->mode)->eager) {
		fc_postman_fill(v->classes, at, v->nports, node->straight);
		v->straight = node->straight;
	}
	fc_vnet_init(v);
}

static bool event(unsigned int at, u8 channel, const struct fc_event *ev, struct fc_effects *fx)
{
	return fc_vnet_event(&world.node[at].vnet, channel, ev, fx);
}

static void drop(void *arg, void *h)
{
}

static void purge(unsigned int at)
{
	fc_vnet_purge(&world.node[at].vnet, drop, NULL);
}

static int room(unsigned int at)
{
	const struct node *node = &world.node[at];

	/* An injection queue has buffer space for the whole packet: check only at its beginning. */
	return node->sending ? node->injq : fc_vnet_injq(&node->vnet);
}

static u32 seq(unsigned int at)
{
	return fc_vnet_seq(&world.node[at].vnet, world.node[at].injq);
}

static u32 up(unsigned int at)
{
	return world.node[at].vnet.up;
}

/* Is the site idle, and all credit returned? */
static bool idle(unsigned int at)
{
	const struct node *node = &world.node[at];

	for (u8 c = 0; c < world_nchannels; c++)
		for (u8 p = 1; p < node->shared.nports; p++)
			if (node->line[c].tx[p].sent != node->line[c].tx[p].acked)
				return false;
	return fc_vnet_idle(&node->vnet);
}

static void rerouted(unsigned int at)
{
	struct fc_event ev = { .type = FC_EV_MORE };

	fc_vnet_rerouted(&world.node[at].vnet);
	world_site_event(at, 0, &ev);
}

static void update(unsigned int at)
{
	world.node[at].vnet.next_at = FC_NEVER;
}

/*
 * Invariants.
 */

static struct fc_vbranch *branch_of(struct node *node, u32 number)
{
	u8 slots = fc_vnet_branches(node->shared.nports - 1);

	return &node->branch[number / slots][number % slots];
}

static struct fc_vin *input_of(struct node *node, u32 number)
{
	return &node->vin[number / fc_vnet_branches(node->shared.nports - 1)];
}

/*
 * Check the first branch that waits for a channel: it may wait only for buffer space for the whole
 * packet, or for flits that have not arrived; once it has begun, never for space.
 */
static void check_out(unsigned int at, u8 class, u8 port)
{
	struct node *node = &world.node[at];
	const struct fc_vout *out = &node->vout[class * node->shared.nports + port];
	const struct fc_tx *tx = &node->line[class].tx[port];
	u32 room = tx->window - (tx->sent - tx->acked);
	const struct fc_vbranch *b;
	const struct fc_vin *in;

	if (out->first == FC_VBRANCH_NONE)
		return;
	b = branch_of(node, out->first);
	in = input_of(node, out->first);
	if (in->cut)
		world_breaks("site %u port %u class %u: a branch of what is cut goes on", at, port,
			     class);
	if (b->dead)
		world_breaks("site %u port %u class %u: what is dead does not end", at, port,
			     class);
	if (b->begun && room < (u32)in->n - b->flit)
		world_breaks("site %u port %u class %u: a packet has begun, and there is no room for its end",
			     at, port, class);
	/* An eager packet waits for its routing decision. */
	if (in->routed == FC_ROUTED_NOT)
		return;
	if ((b->begun || room >= in->n) && b->flit < in->come)
		world_breaks("site %u port %u class %u: a branch could go on, and waits", at, port,
			     class);
}

/*
 * Check that the branches of a packet leave in the classes that the rules allow for its incoming
 * class.
 */
static void check_in(unsigned int at, u8 class, u8 port)
{
	const struct node *node = &world.node[at];
	const struct fc_vin *in = &node->vin[class * node->shared.nports + port];
	u8 next[FC_DIRS_MAX];
	u32 dirs = fc_vclass_allowed(&world_cfg->classes, at, class, next);

	for (u8 i = 0; port && in->busy && i < in->nbranches; i++) {
		const struct fc_vbranch *b = &in->branch[i];

		if (!b->completed && (!(dirs & fc_bit(b->port - 1)) ||
				      next[b->port - 1] != b->class))
			world_breaks("site %u port %u: from class %u to %u by port %u", at, port,
				     class, b->class, b->port);
	}
}

/* Flits that one end has sent are at the other end or on the link. */
static void check_link(unsigned int at, u8 class, u8 port)
{
	const struct lines *line = &world.node[at].line[class];
	const struct fc_tx *tx = &line->tx[port];
	const struct fc_rx *rx = &world.node[peer_of(at, port)].line[class].rx[peer_port(port)];
	const struct wire *wire = &line->wire[port];
	u32 flits = 0;

	if (!world_link_is_up(at, port) || !world_link_is_up(peer_of(at, port), peer_port(port)))
		return;
	if (tx->sent - tx->acked > tx->window)
		world_breaks("site %u port %u class %u: %u flits in a window of %u", at, port,
			     class, tx->sent - tx->acked, tx->window);
	if (rx->queued > world_cfg->window)
		world_breaks("site %u port %u class %u: %u flits for %u places", at, port, class,
			     rx->queued, world_cfg->window);
	if (fc_before(tx->sent, rx->consumed) || fc_before(rx->consumed, tx->acked))
		world_breaks("site %u port %u class %u: %d flits are taken, and %d acknowledged, that were not sent",
			     at, port, class, (int)(rx->consumed - tx->sent),
			     (int)(tx->acked - tx->sent));
	if (world_cfg->loss || world_cfg->doubles || world_cfg->overtakes || world_cfg->flaps ||
	    world_cfg->restarts)
		return;
	for (u8 i = 0; i < wire->n; i++)
		flits += !wire->frame[i].status;
	if (tx->sent - rx->consumed != rx->queued + flits)
		world_breaks("site %u port %u class %u: of %u flits %u are queued, and %u on the link",
			     at, port, class, tx->sent - rx->consumed, rx->queued, flits);
}

static void check_stats(unsigned int at)
{
	const struct node *node = &world.node[at];

	for (u8 p = 0; p < node->shared.nports; p++) {
		if (node->link_stat[p][FC_LSTAT_RX_OUT_OF_WINDOW])
			world_breaks("site %u port %u: a flit beyond the window", at, p);
		if (node->link_stat[p][FC_LSTAT_RX_PROTOCOL])
			world_breaks("site %u port %u: flits that are no packet", at, p);
	}
	if (world_cfg->flaps || world_cfg->restarts || world_cfg->faults)
		return;
	if (!world_cfg->suspects && (node->stat[FC_STAT_PKT_FORCED] || node->nstored))
		world_breaks("site %u: a packet is put aside", at);
	for (u8 c = 0; c < world_nchannels; c++)
		for (u8 p = 1; p < node->shared.nports; p++)
			for (u8 i = 0; i < node->line[c].nreplay[p]; i++)
				if (!fc_mode_ops(world_cfg->mode)->eager &&
				    node->line[c].replay[p][i].parts & FC_PART_ABORT)
					world_breaks("site %u port %u: a packet is aborted", at, p);
}

static void check(unsigned int at)
{
	struct node *node = &world.node[at];

	if (node->vnet.work)
		world_breaks("site %u is left with work", at);
	if (node->vnet.touched)
		world_breaks("site %u has not looked at what is to be told", at);
	for (u8 c = 0; c < world_nchannels; c++) {
		if (node->channel[c].status)
			world_breaks("site %u is left with something to say", at);
		check_in(at, c, FC_PORT_LOCAL);
		for (u8 p = 1; p < node->shared.nports; p++) {
			if (!has_link(at, p))
				continue;
			check_in(at, c, p);
			check_out(at, c, p);
			if (world_carried[at][p] & fc_bit(c))
				check_link(at, c, p);
		}
	}
	check_stats(at);
}

/*
 * State of a site.
 */

static void code_branch(struct codec *c, struct fc_vbranch *b)
{
	if (c->load)
		*b = (struct fc_vbranch){ .next = FC_VBRANCH_NONE };
	CODE(c, b->completed, 1);
	if (b->completed)
		return;
	CODE(c, b->mask, WORLD_TARGETS);
	CODE(c, b->flit, 3);
	CODE(c, b->port, PORT_BITS);
	CODE(c, b->class, 3);
	CODE(c, b->begun, 1);
	CODE(c, b->asked, 1);
	CODE(c, b->dead, 1);
}

static void code_in(struct codec *c, struct fc_vin *in)
{
	if (c->load) {
		struct fc_vbranch *branch = in->branch;

		*in = (struct fc_vin){ .branch = branch, .datagram = world_cfg->datagrams };
	}
	CODE(c, in->busy, 1);
	CODE(c, in->seek, 1);
	if (!in->busy)
		return;
	CODE(c, in->oper, WORLD_TARGETS);
	in->left = codec_step(c, in->left / BYTES, 3) * BYTES;
	CODE(c, in->n, 3);
	CODE(c, in->come, 3);
	CODE(c, in->freed, 3);
	CODE(c, in->nbranches, 4);
	CODE(c, in->whole, 1);
	CODE(c, in->cut, 1);
	CODE(c, in->moved, 1);
	CODE(c, in->ran, 1);
	CODE(c, in->routed, 2);
	if (c->load)
		in->active = 0;
	for (u8 i = 0; i < in->nbranches; i++) {
		code_branch(c, &in->branch[i]);
		if (c->load)
			in->active += !in->branch[i].completed;
	}
	/*
	 * The routing decision needs the branch of an eager packet, even after the packet's end.
	 */
	if (in->ran && in->routed != FC_ROUTED_DONE)
		CODE(c, in->branch[0].port, PORT_BITS);
}

/* Write or read the numbers of the waiting branches, in order. */
static void code_out(struct codec *c, struct node *node, struct fc_vout *out)
{
	u32 number = out->first;

	if (c->load)
		*out = (struct fc_vout){ .first = FC_VBRANCH_NONE, .last = FC_VBRANCH_NONE };
	while (codec_step(c, number != FC_VBRANCH_NONE, 1)) {
		number = codec_step(c, number, 10);
		if (!c->load) {
			number = branch_of(node, number)->next;
			continue;
		}
		if (out->first == FC_VBRANCH_NONE)
			out->first = number;
		else
			branch_of(node, out->last)->next = number;
		out->last = number;
		out->load += input_of(node, number)->n;
	}
}

/* Does a port carry traffic of a class? */
static bool used(unsigned int at, u8 class, u8 port)
{
	return port ? has_link(at, port) &&
		      world_carried[peer_of(at, port)][peer_port(port)] & fc_bit(class) :
		      class < world.node[at].vnet.injqs;
}

static void code_node(struct codec *c, unsigned int at)
{
	struct node *node = &world.node[at];
	struct fc_vnet *v = &node->vnet;

	CODE(c, v->up, WORLD_PORTS);
	CODE(c, v->rotate, 3);
	for (u8 class = 0; class < v->nclasses; class++)
		for (u8 p = 0; p < v->nports; p++)
			if (used(at, class, p))
				code_in(c, &node->vin[class * v->nports + p]);
	for (u8 class = 0; class < v->nclasses && v->straight; class++)
		CODE(c, v->unrouted[class], WORLD_PORTS);
	for (u8 class = 0; class < v->nclasses; class++)
		for (u8 p = 1; p < v->nports; p++)
			if (world_carried[at][p] & fc_bit(class))
				code_out(c, node, &node->vout[class * v->nports + p]);
	if (world_cfg->flaps || world_cfg->restarts)
		CODE(c, node->known, 20);
	if (!c->load)
		return;
	memset(node->stat, 0, sizeof(node->stat));
	memset(node->link_stat, 0, sizeof(node->link_stat));
	v->now = NOW;
	v->next_at = FC_NEVER;
	v->work = 0;
	v->touched = 0;
	memset(v->come, 0, sizeof(v->come));
	memset(v->go, 0, sizeof(v->go));
	v->resets = 0;
	memset(v->reset, 0, sizeof(v->reset));
	for (u8 class = 0; class < v->nclasses; class++)
		node->channel[class].up = v->up;
	for (u8 p = 1; p < v->nports; p++)
		v->window[p] = v->up & fc_bit(p) ? world_cfg->window : FC_VCLASSES_MAX;
}

static void print_in(unsigned int at, u8 class, u8 port, void (*line)(const char *text))
{
	const struct node *node = &world.node[at];
	const struct fc_vin *in = &node->vin[class * node->shared.nports + port];
	const struct fc_rx *rx = &node->line[class].rx[port];
	char text[256], what[64] = "";
	int n;

	if (!in->busy && !rx->queued)
		return;
	if (id_of(fc_rx_first(rx)))
		world_print_content(id_of(fc_rx_first(rx)), what, sizeof(what));
	n = snprintf(text, sizeof(text), "  from port %u class %u: %s, %u of %u flits come, %u queued",
		     port, class, *what ? what : "-", in->come, in->n, rx->queued);
	for (u8 i = 0; in->busy && i < in->nbranches; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "; to port %u class %u %s",
			      in->branch[i].port, in->branch[i].class,
			      in->branch[i].completed ? "left" : in->branch[i].begun ? "begun" : "waits");
	line(text);
}

static void print(unsigned int at, void (*line)(const char *text))
{
	const struct node *node = &world.node[at];
	char text[128];

	snprintf(text, sizeof(text), "site %u: stored %u%s%s", at, node->nstored,
		 node->sending ? ", sending" : "", node->unread ? ", unread messages" : "");
	line(text);
	for (u8 c = 0; c < world_nchannels; c++) {
		for (u8 p = 0; p < node->shared.nports; p++) {
			const struct fc_tx *tx = &node->line[c].tx[p];

			if (p && !has_link(at, p))
				continue;
			print_in(at, c, p, line);
			if (!p || (tx->sent == tx->acked && !node->line[c].wire[p].n))
				continue;
			snprintf(text, sizeof(text), "  to port %u class %u: unacknowledged %u, frames %u",
				 p, c, tx->sent - tx->acked, node->line[c].wire[p].n);
			line(text);
		}
	}
}

const struct world_switch world_vnet = {
	.init = init, .event = event, .purge = purge, .room = room, .seq = seq, .up = up,
	.idle = idle, .rerouted = rerouted, .update = update, .code = code_node, .check = check,
	.print = print,
};
