// SPDX-License-Identifier: GPL-2.0
/*
 * Sites of a world in mode care.
 */
#include <stdio.h>

#include "world_impl.h"

static void fired(const struct fc_site *site, unsigned int machine, unsigned int state,
		  unsigned int cond)
{
	if (world_fired)
		world_fired(machine, state, cond);
}

static void init(unsigned int at)
{
	struct node *node = &world.node[at];
	struct fc_site *site = &node->site;

	site->node = &node->shared;
	site->in = node->in;
	site->out = node->out;
	site->data.rx = node->line[0].rx;
	site->data.tx = node->line[0].tx;
	site->data.window = world_cfg->window;
	site->fired = fired;
	fc_site_init(site, 1);
}

static bool event(unsigned int at, u8 channel, const struct fc_event *ev, struct fc_effects *fx)
{
	return fc_site_event(&world.node[at].site, ev, fx);
}

static void drop(void *arg, void *h)
{
}

static void purge(unsigned int at)
{
	fc_site_purge(&world.node[at].site, drop, NULL);
}

static int room(unsigned int at)
{
	return fc_site_room(&world.node[at].site) ? 0 : -1;
}

static u32 seq(unsigned int at)
{
	return fc_site_seq(&world.node[at].site);
}

static u32 up(unsigned int at)
{
	return world.node[at].site.data.up;
}

static bool idle(unsigned int at)
{
	return fc_site_idle(&world.node[at].site);
}

static void update(unsigned int at)
{
	struct node *node = &world.node[at];

	for (unsigned int p = 0; p < node->shared.nports; p++)
		if (node->in[p].seek_at != FC_NEVER)
			node->in[p].seek_at = LATER;
	if (node->site.fifo.timeout_at != FC_NEVER)
		node->site.fifo.timeout_at = LATER;
	node->site.next_at = FC_NEVER;
}

static void check(unsigned int at)
{
	const struct fc_site *site = &world.node[at].site;

	if (site->work || site->data.status)
		world_breaks("site %u is left with work", at);
}

/*
 * State of a site.
 */

static void code_in(struct codec *c, struct fc_in *in)
{
	if (c->load)
		*in = (struct fc_in){ .seek_at = FC_NEVER };
	CODE(c, in->state, 4);
	if (in->state == FC_NI_FREE)
		return;
	codec_flit(c, &in->held);
	CODE(c, in->conn, WORLD_PORTS);
	in->left = codec_step(c, in->left / BYTES, 4) * BYTES;
	CODE(c, in->type, 3);
	CODE(c, in->arm, 1);
	CODE(c, in->tail, 1);
	CODE(c, in->cut, 1);
	CODE(c, in->multi, 1);
	if (in->state != FC_NI_FIRST)
		return;
	/* All counts above the threshold are equivalent. */
	if (in->seeks > world_cfg->timing.seek_max)
		in->seeks = world_cfg->timing.seek_max + 1;
	CODE(c, in->seeks, 3);
	CODE(c, in->reported_unreachable, 1);
	codec_timer(c, &in->seek_at);
}

/* Write or read a port, or FC_PORT_NONE. */
static void code_port(struct codec *c, u8 *port)
{
	u8 p = (u8)codec_step(c, *port == FC_PORT_NONE ? WORLD_PORTS : *port, PORT_BITS);

	*port = p == WORLD_PORTS ? FC_PORT_NONE : p;
}

static void code_out(struct codec *c, struct fc_out *out)
{
	if (c->load)
		*out = (struct fc_out){ .in = FC_PORT_NONE };
	CODE(c, out->state, 4);
	code_port(c, &out->claim);
	if (out->state == FC_NO_FREE)
		return;
	CODE(c, out->mask, WORLD_TARGETS);
	code_port(c, &out->in);
	CODE(c, out->term, 8);
	CODE(c, out->dead, 1);
}

static void code_node(struct codec *c, unsigned int at)
{
	struct node *node = &world.node[at];
	struct fc_site *site = &node->site;
	struct fc_fifo *fifo = &site->fifo;

	CODE(c, site->data.up, WORLD_PORTS);
	CODE(c, site->rotate, PORT_BITS);
	CODE(c, site->oper, 4);
	CODE(c, fifo->state, 4);
	CODE(c, fifo->room, 8);
	codec_timer(c, &fifo->timeout_at);
	/* The length of a time-out is irrelevant: time does not exist. */
	fifo->backoff = 0;
	fifo->calm = 0;
	CODE(c, fifo->aborted, 1);
	site->rng = 1;
	if (c->load)
		site->seekers = 0;
	for (u8 p = 0; p < node->shared.nports; p++) {
		if (p && !has_link(at, p))
			continue;
		code_in(c, &node->in[p]);
		code_out(c, &node->out[p]);
		if (c->load && node->in[p].state == FC_NI_FIRST)
			site->seekers |= fc_bit(p);
	}
	CODE(c, node->words, 8);
	site->now = NOW;
	site->next_at = FC_NEVER;
	site->work = 0;
}

static void print_port(unsigned int at, u8 p, void (*line)(const char *text))
{
	const struct node *node = &world.node[at];
	const struct lines *own = &node->line[0];
	const struct fc_in *in = &node->in[p];
	const struct fc_out *out = &node->out[p];
	char text[256], what[64] = "";

	if (in->held.h)
		world_print_content(id_of(&in->held), what, sizeof(what));
	snprintf(text, sizeof(text),
		 "  port %u: net-input %s%s%s conn %x queued %u; net-output %s from %d unacknowledged %u, frames %u",
		 p, fc_fsms[0].states[in->state], *what ? " " : "", what, in->conn,
		 own->rx[p].queued, fc_fsms[1].states[out->state],
		 out->in == FC_PORT_NONE ? -1 : out->in, own->tx[p].sent - own->tx[p].acked,
		 own->wire[p].n);
	line(text);
}

static void print(unsigned int at, void (*line)(const char *text))
{
	const struct node *node = &world.node[at];
	char text[256];

	snprintf(text, sizeof(text), "site %u: fifo-buffer %s, operator %s, stored %u%s", at,
		 fc_fsms[2].states[node->site.fifo.state], fc_fsms[3].states[node->site.oper],
		 node->nstored, node->sending ? ", sending" : "");
	line(text);
	for (u8 p = 0; p < node->shared.nports; p++)
		if (!p || has_link(at, p))
			print_port(at, p, line);
}

const struct world_switch world_care = {
	.init = init, .event = event, .purge = purge, .room = room, .seq = seq, .up = up,
	.idle = idle, .update = update, .code = code_node, .check = check, .print = print,
};
