// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "world_impl.h"

#define SOCK	1
#define PORT	1024

const struct world_config *world_cfg;
struct world world;
unsigned int world_nflows;
struct content world_contents[WORLD_CONTENTS];
const struct world_switch *world_sw;

static unsigned int ncontents;
/* Content of a message's front by mask of targets; content of its other flits by index. */
static u8 front_id[WORLD_MESSAGES][1 << WORLD_TARGETS];
static u8 data_id[WORLD_MESSAGES][WORLD_FLITS];

static struct fc_effects effects;
static const char *broken;
static char broken_text[256];
static sigjmp_buf trap;

void (*world_fired)(unsigned int machine, unsigned int state, unsigned int cond);

void world_breaks(const char *fmt, ...)
{
	va_list args;

	if (broken)
		return;
	va_start(args, fmt);
	vsnprintf(broken_text, sizeof(broken_text), fmt, args);
	va_end(args);
	broken = broken_text;
}

static void make_contents(void)
{
	ncontents = 1;
	world_nflows = 0;
	for (unsigned int m = 0; m < world_cfg->nmessages; m++) {
		const struct world_message *msg = &world_cfg->message[m];
		u8 whole[sizeof(world_contents[0].head)];
		u32 bytes = msg->flits * BYTES;
		struct fc_packet pk = {
			.src = msg->from, .sock = SOCK, .src_port = PORT, .id = m,
			.ntargets = msg->ntargets, .msg_len = bytes,
		};

		if (world_cfg->datagrams) {
			pk.kind = FC_KIND_DATAGRAM;
			pk.sock = (pk.src + 1) * 0x61c88647U & ~FC_SOCK_BCAST;
		}
		fc_wire_packet_encode(whole, &pk);
		for (unsigned int t = 0; t < msg->ntargets; t++) {
			struct fc_target target = {
				.site = msg->to[t], .port = PORT, .seq = msg->seq[t],
				.outstanding = msg->seq[t],
			};

			fc_wire_target_encode(whole, t, &target);
			if (msg->flow[t] >= world_nflows)
				world_nflows = msg->flow[t] + 1u;
		}
		/* Links crossed are not counted: otherwise equal states would differ by them. */
		for (u8 mask = 1; mask < 1 << msg->ntargets; mask++) {
			struct content *c = &world_contents[ncontents];

			*c = (struct content){ .message = (u8)m, .mask = mask };
			fc_wire_head_subset(c->head, whole, mask, 0);
			front_id[m][mask] = (u8)ncontents++;
		}
		for (u8 i = 1; i < msg->flits; i++) {
			struct content *c = &world_contents[ncontents];

			*c = (struct content){ .message = (u8)m, .index = i };
			data_id[m][i] = (u8)ncontents++;
		}
	}
}

u8 world_front(unsigned int message, u8 mask)
{
	return front_id[message][mask];
}

u8 world_data(unsigned int message, u8 index)
{
	return data_id[message][index];
}

u8 world_parts(u8 id)
{
	const struct content *c = content_of(id);
	u8 flits = world_cfg->message[c->message].flits;

	return (c->index ? 0 : FC_PART_HEAD) | (c->index == flits - 1 ? FC_PART_TERM : 0);
}

u8 world_targets_of(u8 id, u64 mask)
{
	u8 list = content_of(id)->mask, targets = 0;

	for (; list; list &= (u8)(list - 1), mask >>= 1)
		if (mask & 1)
			targets |= (u8)fc_bit(fc_low(list));
	return targets;
}

/*
 * Sites.
 */

static void serve(unsigned int at, u64 mask, bool others)
{
	struct node *node = &world.node[at];
	const struct content *c = content_of(node->buffer[0]);
	u8 m = c->message, targets, rest = 0;
	const struct world_message *msg = &world_cfg->message[m];

	if (node->nbuffer != msg->flits || !c->mask) {
		world_breaks("site %u: %u flits of message %u's %u are served", at, node->nbuffer,
			     m, msg->flits);
		return;
	}
	for (u8 i = 1; i < msg->flits; i++) {
		if (node->buffer[i] != data_id[m][i]) {
			world_breaks("site %u: flit %u of message %u is not its own", at, i, m);
			return;
		}
	}
	targets = world_targets_of(node->buffer[0], mask);
	node->nbuffer = 0;
	for (unsigned int t = 0; t < msg->ntargets; t++) {
		if (!(targets >> t & 1))
			continue;
		if (msg->to[t] == at)
			world_deliver(at, m, t);
		else
			rest |= (u8)fc_bit(t);
	}
	if (others && rest)
		world_store(at, front_id[m][rest]);
}

static void perform(unsigned int at, const struct fc_effect *e)
{
	struct node *node = &world.node[at];
	struct wire_frame status = { .status = true };
	u8 channel = e->vc >= FC_VC_CLASS ? e->vc - FC_VC_CLASS : 0;

	if (e->flit.h && !e->keep && e->type != FC_FX_UNREACHABLE) {
		if (!node->held)
			world_breaks("site %u gives back more handles than it was given", at);
		node->held--;
	}
	switch ((enum fc_effect_type)e->type) {
	case FC_FX_SEND:
		world_send_flit(at, channel, e);
		break;
	case FC_FX_STATUS:
		status.parts = e->flags;
		status.seq = e->seq;
		status.ack = e->ack;
		status.info = e->status;
		world_wire_add(at, e->port, channel, &status);
		break;
	case FC_FX_STORE:
		if (node->nbuffer == WORLD_FLITS) {
			world_breaks("site %u: a packet larger than the network-buffer", at);
			return;
		}
		if (!e->flit.h)
			world_breaks("site %u: a flit without a frame is stored", at);
		node->buffer[node->nbuffer++] = id_of(&e->flit);
		if (world_cfg->timing.fifo_room && ++node->words > world_cfg->timing.fifo_room)
			world_breaks("site %u: %u words in the fifo-buffer", at, node->words);
		break;
	case FC_FX_SERVE:
	case FC_FX_SERVE_LOCAL:
		serve(at, e->mask, e->type == FC_FX_SERVE);
		break;
	case FC_FX_DISCARD:
		node->nbuffer = 0;
		break;
	case FC_FX_UNREACHABLE:
		if (!world_cfg->flaps && !world_cfg->restarts)
			world_breaks("site %u: no way, though no link is down", at);
		break;
	case FC_FX_DROP:
		break;
	case FC_FX_RESET:
		world_breaks("site %u port %u: the ends of a link contradict each other", at,
			     e->port);
		break;
	case FC_FX_RESEND:
		world_resend_flit(at, channel, e);
		break;
	case FC_FX_RELEASE:
		world_release(at, channel, e);
		break;
	case FC_FX_RESCUE:
		world_rescue(at, channel, e->port);
		break;
	case FC_FX_SUSPECT:
		/* WORLD_SUSPECT may happen at any time, whatever the core suspects. */
		break;
	case FC_FX_COPY:
		if (!node->suspect)
			world_breaks("site %u: a copy, though no link is suspected", at);
		world_copy(at, channel, e->port);
		break;
	case FC_FX_RESERVE:
	case FC_FX_ADMITTED:
		world_breaks("site %u: an effect of mode csr", at);
		break;
	case FC_FX_ROUTE:
		/* FC_EV_ROUTE may follow at any time: the site knows which fronts are unrouted. */
		if (!fc_mode_ops(world_cfg->mode)->eager)
			world_breaks("site %u: a look in this mode", at);
		break;
	}
}

unsigned int world_count_held(const struct node *node)
{
	unsigned int n = 0;

	for (unsigned int p = 0; p < node->shared.nports; p++) {
		n += !!node->in[p].held.h;
		for (u8 c = 0; c < world_nchannels; c++)
			for (unsigned int i = 0; i < world_cfg->window; i++)
				n += !!node->line[c].queue[p][i].h;
	}
	return n;
}

/* Check the invariants of each channel, in any mode. */
static void check_lines(unsigned int at)
{
	const struct node *node = &world.node[at];

	for (u8 c = 0; c < world_nchannels; c++) {
		const struct lines *line = &node->line[c];

		for (u8 p = 1; p < node->shared.nports; p++)
			if (line->nreplay[p] != line->tx[p].sent - line->tx[p].acked)
				world_breaks("site %u port %u keeps %u flits, of which %u were not taken",
					     at, p, line->nreplay[p],
					     line->tx[p].sent - line->tx[p].acked);
	}
}

void world_site_event(unsigned int at, u8 channel, const struct fc_event *first)
{
	struct node *node = &world.node[at];
	struct fc_event ev = *first;
	bool more;

	ev.now = NOW;
	if (ev.flit.h)
		node->held++;
	do {
		more = world_sw->event(at, channel, &ev, &effects);
		for (u32 i = 0; i < effects.n; i++)
			perform(at, &effects.fx[i]);
		ev.type = FC_EV_MORE;
	} while (more && !broken);
	if (world_count_held(node) != node->held)
		world_breaks("site %u holds %u handles and was given %u", at,
			     world_count_held(node), node->held);
	check_lines(at);
	if (!broken)
		world_sw->check(at);
}

/* Set a timer, if armed, to LATER, regardless of its time. */
static void later(u64 *at)
{
	if (*at != FC_NEVER)
		*at = LATER;
}

void world_update(unsigned int at)
{
	struct node *node = &world.node[at];

	for (u8 c = 0; c < world_nchannels; c++) {
		for (unsigned int p = 0; p < node->shared.nports; p++) {
			later(&node->line[c].rx[p].ack_at);
			later(&node->line[c].rx[p].nack_at);
			later(&node->line[c].tx[p].poll_at);
		}
		channel_of(node, c)->next_at = FC_NEVER;
	}
	world_sw->update(at);
}

void world_init_node(unsigned int at)
{
	struct node *node = &world.node[at];
	struct fc_node *shared = &node->shared;

	memset(node, 0, sizeof(*node));
	shared->topo = &world_cfg->topo;
	shared->pref = &world_cfg->pref;
	shared->timing = &world_cfg->timing;
	shared->stat = node->stat;
	shared->id = at;
	shared->nports = world_cfg->topo.ndirs + 1;
	for (u8 c = 0; c < world_nchannels; c++) {
		struct lines *line = &node->line[c];

		for (unsigned int p = 0; p < shared->nports; p++) {
			line->rx[p].queue = line->queue[p];
			line->rx[p].stat = node->link_stat[p];
		}
	}
	world_sw->init(at);
}

void world_init(const struct world_config *config)
{
	world_cfg = config;
	world_sw = fc_mode_ops(config->mode)->classes ? &world_vnet : &world_care;
	make_contents();
	world_make_links();
	memset(&world, 0, sizeof(world));
	broken = NULL;
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++)
		world_init_node(at);
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++)
		for (u8 p = 1; p < world.node[at].shared.nports; p++)
			if (has_link(at, p))
				world_link_event(at, p, FC_EV_LINK_UP);
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++)
		world_make_routes(at);
	for (unsigned int m = 0; m < world_cfg->nmessages; m++) {
		const struct world_message *msg = &world_cfg->message[m];

		for (unsigned int t = 0; t < msg->ntargets; t++) {
			struct fc_txtarget *tx = &world.end[m][t].tx;

			tx->part = world_part(msg);
			tx->seq = msg->seq[t];
			tx->state = FC_TX_ASKING;
			world.tx[msg->flow[t]].next = tx->seq + 1;
		}
	}
	world.loss = world_cfg->loss;
	world.doubles = world_cfg->doubles;
	world.overtakes = world_cfg->overtakes;
	world.flaps = world_cfg->flaps;
	world.early = world_cfg->early;
	world.restarts = world_cfg->restarts;
	world.full = world_cfg->full;
	world.suspects = world_cfg->suspects;
}

/* Handler of FC_BUG_ON_US: the core found a state it regards as impossible. */
static void on_trap(int sig)
{
	siglongjmp(trap, 1);
}

const char *world_apply(u16 event)
{
	static bool ready;

	if (!ready) {
		struct sigaction action = { .sa_handler = on_trap, .sa_flags = SA_NODEFER };

		sigaction(SIGILL, &action, NULL);
		sigaction(SIGTRAP, &action, NULL);
		ready = true;
	}
	broken = NULL;
	if (sigsetjmp(trap, 0))
		world_breaks("the core is in a state that no table has");
	else
		world_act(event);
	return broken;
}

static bool idle(unsigned int at)
{
	const struct node *node = &world.node[at];

	if (!world_sw->idle(at) || node->nbuffer || node->nstored || node->sending ||
	    node->words || node->unread)
		return false;
	for (u8 c = 0; c < world_nchannels; c++)
		for (unsigned int p = 1; p < node->shared.nports; p++)
			if (node->line[c].wire[p].n)
				return false;
	return true;
}

/* Links that fail, and full pools, lose datagrams, which no source repeats. */
static bool may_lose(void)
{
	return world_cfg->datagrams && (world_cfg->faults || world.repeated);
}

bool world_done(void)
{
	for (unsigned int m = 0; m < world_cfg->nmessages; m++)
		for (unsigned int t = 0; t < world_cfg->message[m].ntargets; t++)
			if (!(world.end[m][t].delivered || may_lose()) || !world_end_over(m, t))
				return false;
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++)
		if (!idle(at))
			return false;
	return true;
}
