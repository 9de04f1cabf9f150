// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "util.h"
#include "world.h"

/* Bytes of data in every flit. */
#define BYTES	10
#define SOCK	1
#define PORT	1024
/* All that is armed is due then; the present is before it. */
#define NOW	1000
#define LATER	2000
/* Where the counters of a link begin: divisible by every window. */
#define BASE	(12 * 1024)

/* What a handle stands for: a flit that its source made, or a branch's front. */
struct content {
	u8 message;
	u8 index;		/* flit of the packet */
	u8 mask;		/* front: targets of the message in its list */
	u8 head[FC_PACKET_SIZE + WORLD_TARGETS * FC_TARGET_SIZE];
};

/* A frame on a link: a flit or a status. */
struct wire_frame {
	bool status;
	u8 id;			/* content; 0: a terminator without a frame */
	u8 parts;		/* of a flit; FC_STATUS_* of a status */
	u32 seq;
	u32 ack;
};

struct wire {
	u8 n;
	struct wire_frame frame[WORLD_WIRE];
};

struct node {
	struct fc_site site;
	struct fc_in in[WORLD_PORTS];
	struct fc_out out[WORLD_PORTS];
	struct fc_flit queue[WORLD_PORTS][WORLD_WINDOW];
	u64 link_stat[WORLD_PORTS][FC_LSTAT_COUNT];
	u64 stat[FC_STAT_COUNT];
	struct wire wire[WORLD_PORTS];	/* what the port sent */
	u8 held;		/* handles the site has */
	u8 words;		/* in the fifo-buffer */
	u8 nbuffer;
	u8 buffer[WORLD_FLITS + 1];	/* network-buffer */
	u8 nstored;
	u8 stored[WORLD_POOL + 1];	/* fronts of the packets stored for others */
	u8 sending;		/* front of the packet being sent, or 0 */
	u8 index;		/* its next flit */
};

/* One target of one message. */
struct end {
	struct fc_txtarget tx;
	bool delivered;
};

static struct {
	u8 nmessages;
	u8 loss;
	u8 flaps;
	u8 early;
	bool repeated;		/* something was lost, reset or repeated too early */
	u32 down;		/* links, by the lower site's place */
	struct node node[WORLD_SITES];
	struct fc_rxflow rx[WORLD_MESSAGES * WORLD_TARGETS];
	struct fc_txflow tx[WORLD_MESSAGES * WORLD_TARGETS];
	struct end end[WORLD_MESSAGES][WORLD_TARGETS];
} w;

static const struct world_config *cfg;
static unsigned int nflows;
static unsigned int ncontents;
static struct content contents[1 + WORLD_MESSAGES * ((1 << WORLD_TARGETS) + WORLD_FLITS)];
/* Front of a message for a mask; other flits by their index. */
static u8 front_id[WORLD_MESSAGES][1 << WORLD_TARGETS];
static u8 data_id[WORLD_MESSAGES][WORLD_FLITS];
/* The other end of each link. */
#define NO_PEER		0xff
static u8 peers[WORLD_SITES][WORLD_PORTS];
static u8 peer_ports[WORLD_PORTS];

static struct fc_effects effects;
static const char *broken;
static char broken_text[256];
static sigjmp_buf trap;

void (*world_fired)(unsigned int machine, unsigned int state, unsigned int cond);

static void __printf(1, 2) breaks(const char *fmt, ...)
{
	va_list args;

	if (broken)
		return;
	va_start(args, fmt);
	vsnprintf(broken_text, sizeof(broken_text), fmt, args);
	va_end(args);
	broken = broken_text;
}

/*
 * Scenarios.
 */

static const char *bad(const char *fmt, ...)
{
	static char text[160];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return text;
}

static bool number(const char **p, unsigned int max, u8 *value)
{
	char *end;
	unsigned long n = strtoul(*p, &end, 10);

	if (end == *p || **p < '0' || **p > '9' || n > max)
		return false;
	*value = (u8)n;
	*p = end;
	return true;
}

/* The flow of a pair of sites, and the message's number in it. */
static void find_flow(const struct world_config *config, struct world_message *m, unsigned int t,
		      unsigned int *flows)
{
	m->flow[t] = (u8)*flows;
	m->seq[t] = 0;
	for (unsigned int i = 0; i < config->nmessages; i++) {
		const struct world_message *o = &config->message[i];

		for (unsigned int j = 0; j < o->ntargets; j++) {
			if (o->from != m->from || o->to[j] != m->to[t])
				continue;
			m->flow[t] = o->flow[j];
			m->seq[t] = o->seq[j] + 1;
		}
	}
	if (m->flow[t] == *flows)
		(*flows)++;
}

static const char *parse_message(struct world_config *config, const char *word,
				 unsigned int *flows)
{
	struct world_message m = { .flits = 1 };
	unsigned int last = config->topo.nsites - 1;
	const char *p = word;

	if (config->nmessages == WORLD_MESSAGES)
		return bad("more than %u messages", WORLD_MESSAGES);
	if (!number(&p, last, &m.from) || *p++ != '>')
		return bad("\"%s\" is no message: FROM>TO[,TO]...[*FLITS]", word);
	do {
		if (m.ntargets == WORLD_TARGETS)
			return bad("\"%s\": more than %u targets", word, WORLD_TARGETS);
		if (!number(&p, last, &m.to[m.ntargets]))
			return bad("\"%s\": targets are 0 .. %u", word, last);
		for (unsigned int i = 0; i < m.ntargets; i++)
			if (m.to[i] == m.to[m.ntargets])
				return bad("\"%s\" names a target twice", word);
		m.ntargets++;
	} while (*p == ',' && p++);
	if (*p == '*' && (p++, !number(&p, WORLD_FLITS, &m.flits) || !m.flits))
		return bad("\"%s\": a packet has 1 .. %u flits", word, WORLD_FLITS);
	if (*p)
		return bad("\"%s\": what is \"%s\"?", word, p);
	for (unsigned int t = 0; t < m.ntargets; t++)
		find_flow(config, &m, t, flows);
	config->message[config->nmessages++] = m;
	return NULL;
}

static const char *parse_word(struct world_config *config, const char *word, unsigned int *flows)
{
	u8 room = 0, seek = 0;
	const struct {
		const char *name;
		u8 *value;
		unsigned int min, max;
	} numbers[] = {
		{ "window=", &config->window, 1, WORLD_WINDOW },
		{ "room=", &room, 1, WORLD_FLITS },
		{ "pool=", &config->pool, 0, WORLD_POOL },
		{ "seek=", &seek, 0, 3 },
		{ "loss=", &config->loss, 0, 9 },
		{ "flaps=", &config->flaps, 0, 9 },
		{ "early=", &config->early, 0, 9 },
	};

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(numbers); i++) {
		size_t n = strlen(numbers[i].name);
		const char *p = word + n;

		if (strncmp(word, numbers[i].name, n))
			continue;
		if (!number(&p, numbers[i].max, numbers[i].value) || *p ||
		    *numbers[i].value < numbers[i].min)
			return bad("\"%s\": %s takes %u .. %u", word, numbers[i].name,
				   numbers[i].min, numbers[i].max);
		if (numbers[i].value == &room)
			config->timing.fifo_room = room;
		if (numbers[i].value == &seek)
			config->timing.seek_max = seek;
		return NULL;
	}
	if (!strcmp(word, "no-timeout"))
		config->timeout = false;
	else if (!strcmp(word, "paper"))
		config->drop = false;
	else
		return parse_message(config, word, flows);
	return NULL;
}

const char *world_parse(struct world_config *config, const char *text)
{
	char words[256], *word, *rest = words;
	const char *wrong;
	unsigned int flows = 0;

	memset(config, 0, sizeof(*config));
	config->timing = (struct fc_timing){ .seek = 1, .timeout = 1, .probe = 1 };
	config->window = 1;
	config->pool = 1;
	config->timeout = true;
	config->drop = true;
	if (strlen(text) >= sizeof(words))
		return "too long";
	strcpy(words, text);
	word = strtok_r(rest, " \t\n", &rest);
	if (!word)
		return "a scenario begins with a topology";
	wrong = fc_topo_parse(&config->topo, word);
	if (wrong)
		return wrong;
	if (config->topo.nsites > WORLD_SITES || config->topo.ndirs >= WORLD_PORTS)
		return bad("\"%s\": more than %u sites or %u directions", word, WORLD_SITES,
			   WORLD_PORTS - 1);
	while ((word = strtok_r(rest, " \t\n", &rest))) {
		wrong = parse_word(config, word, &flows);
		if (wrong)
			return wrong;
	}
	if (!config->nmessages)
		return "no message";
	fc_pref_default(&config->pref, &config->topo);
	/* Or a packet would be in the network-buffer before the operator takes it. */
	for (unsigned int m = 0; m < config->nmessages && !config->drop; m++)
		if (!config->timing.fifo_room ||
		    config->message[m].flits <= config->timing.fifo_room)
			return "paper takes room= and packets of more flits";
	return NULL;
}

static void make_contents(void)
{
	ncontents = 1;
	nflows = 0;
	for (unsigned int m = 0; m < cfg->nmessages; m++) {
		const struct world_message *msg = &cfg->message[m];
		u8 whole[sizeof(contents[0].head)];
		u32 bytes = msg->flits * BYTES;
		struct fc_packet pk = {
			.src = msg->from, .sock = SOCK, .src_port = PORT, .id = m,
			.ntargets = msg->ntargets, .msg_len = bytes, .data_len = bytes,
		};

		fc_wire_packet_encode(whole, &pk);
		for (unsigned int t = 0; t < msg->ntargets; t++) {
			struct fc_target target = {
				.site = msg->to[t], .port = PORT, .seq = msg->seq[t],
				.lag = msg->seq[t],
			};

			fc_wire_target_encode(whole, t, &target);
			if (msg->flow[t] >= nflows)
				nflows = msg->flow[t] + 1u;
		}
		/* The links crossed are not counted: states would differ by them alone. */
		for (u8 mask = 1; mask < 1 << msg->ntargets; mask++) {
			struct content *c = &contents[ncontents];

			*c = (struct content){ .message = (u8)m, .mask = mask };
			fc_wire_head_subset(c->head, whole, mask, 0);
			front_id[m][mask] = (u8)ncontents++;
		}
		for (u8 i = 1; i < msg->flits; i++) {
			contents[ncontents] = (struct content){ .message = (u8)m, .index = i };
			data_id[m][i] = (u8)ncontents++;
		}
	}
}

/*
 * Flits and their handles.
 */

static u8 id_of(const struct fc_flit *flit)
{
	return (u8)(uintptr_t)flit->h;
}

static const struct content *content_of(u8 id)
{
	return &contents[id];
}

/* The flit of a frame; what it carries besides its parts follows from its content. */
static struct fc_flit make_flit(u8 id, u8 parts)
{
	struct fc_flit flit = { .parts = parts };

	if (!id)
		return flit;
	flit.h = (void *)(uintptr_t)id;
	flit.data = BYTES;
	if (content_of(id)->mask)
		flit.head = content_of(id)->head;
	return flit;
}

/* Parts of a packet's flit as its sender makes it. */
static u8 parts_of(u8 id)
{
	const struct content *c = content_of(id);
	u8 flits = cfg->message[c->message].flits;

	return (c->index ? 0 : FC_PART_HEAD) | (c->index == flits - 1 ? FC_PART_TERM : 0);
}

/* Of the targets in the list of a front, those of the mask, as targets of the message. */
static u8 targets_of(u8 id, u64 mask)
{
	u8 list = content_of(id)->mask, targets = 0;

	for (; list; list &= (u8)(list - 1), mask >>= 1)
		if (mask & 1)
			targets |= (u8)fc_bit(fc_low(list));
	return targets;
}

/*
 * Links.
 */

static u8 peer_of(unsigned int at, u8 port)
{
	return peers[at][port];
}

static u8 peer_port(u8 port)
{
	return peer_ports[port];
}

static bool has_link(unsigned int at, u8 port)
{
	return peers[at][port] != NO_PEER;
}

static void make_links(void)
{
	const struct fc_topo *topo = &cfg->topo;

	for (u8 port = 1; port <= topo->ndirs; port++) {
		peer_ports[port] = topo->ops->arrival(topo, port - 1) + 1;
		for (unsigned int at = 0; at < topo->nsites; at++) {
			u32 peer = fc_topo_neighbour(topo, at, port - 1);

			peers[at][port] = peer == FC_SITE_NONE ? NO_PEER : (u8)peer;
		}
	}
}

static unsigned int place(unsigned int at, u8 port)
{
	return at * (WORLD_PORTS - 1) + port - 1;
}

static void place_split(unsigned int where, unsigned int *at, u8 *port)
{
	*at = where / (WORLD_PORTS - 1);
	*port = (u8)(where % (WORLD_PORTS - 1) + 1);
}

/* Each link has two ends; its own place is that of the first. */
static bool first_end(unsigned int at, u8 port)
{
	return place(at, port) < place(peer_of(at, port), peer_port(port));
}

static bool link_is_up(unsigned int at, u8 port)
{
	return w.node[at].site.up & fc_bit(port);
}

static void wire_add(unsigned int at, u8 port, const struct wire_frame *frame)
{
	struct wire *wire = &w.node[at].wire[port];

	/* A status behind a status says all of it: levels. */
	if (frame->status && wire->n && wire->frame[wire->n - 1].status) {
		u8 flags = wire->frame[wire->n - 1].parts;

		wire->frame[wire->n - 1] = *frame;
		wire->frame[wire->n - 1].parts |= flags;
		return;
	}
	if (wire->n == WORLD_WIRE) {
		breaks("site %u port %u: more than %u frames on a link", at, port, WORLD_WIRE);
		return;
	}
	wire->frame[wire->n++] = *frame;
}

static struct wire_frame wire_take(unsigned int at, u8 port)
{
	struct wire *wire = &w.node[at].wire[port];
	struct wire_frame frame = wire->frame[0];

	memmove(wire->frame, wire->frame + 1, --wire->n * sizeof(frame));
	return frame;
}

/*
 * Operators and ends.
 */

static void no_skip(void *arg, struct fc_rxmsg *msg)
{
	breaks("message %u of a flow was skipped", msg->seq);
}

static bool end_over(unsigned int m, unsigned int t)
{
	return fc_txtarget_over(&w.end[m][t].tx);
}

/* Confirmations come at once; what they would do later, repetitions do (early=). */
static void confirm(u8 flow, const struct fc_ctrl *ctrl)
{
	for (unsigned int m = 0; m < cfg->nmessages; m++) {
		const struct world_message *msg = &cfg->message[m];

		for (unsigned int t = 0; t < msg->ntargets; t++) {
			struct end *end = &w.end[m][t];

			if (msg->flow[t] != flow || end_over(m, t))
				continue;
			fc_txtarget_answer(&end->tx, ctrl);
			if (end_over(m, t))
				w.tx[flow].oldest = msg->seq[t] + 1u;
		}
	}
}

static void deliver(unsigned int at, u8 m, unsigned int t)
{
	const struct world_message *msg = &cfg->message[m];
	u8 flow = msg->flow[t];
	struct fc_rxflow *rx = &w.rx[flow];
	struct fc_part part = fc_part_make(msg->flits * BYTES, 0, 0);
	struct fc_ctrl ctrl = { .kind = FC_CTRL_CONFIRM };
	struct fc_target target;
	struct fc_rxmsg *slot;

	if (msg->to[t] != at) {
		breaks("site %u: message %u for site %u", at, m, msg->to[t]);
		return;
	}
	fc_wire_target_decode(&target, content_of(front_id[m][1 << t])->head, 0);
	switch (fc_rxflow_packet(rx, &target, &part, 0, &slot, no_skip, NULL)) {
	case FC_RX_ADMIT:
		fc_rxflow_admit(rx, slot, &target, &part, (void *)(uintptr_t)(m + 1));
		fc_rxmsg_stored(slot, 0);
		break;
	case FC_RX_DUPLICATE:
		/* What waits for the messages before it is repeated to ask for the level. */
		if (!w.repeated && w.tx[flow].next == 1)
			breaks("site %u: message %u twice, though nothing was repeated", at, m);
		break;
	case FC_RX_TAKE:
	case FC_RX_BAD:
		breaks("site %u: message %u contradicts itself", at, m);
		return;
	}
	while ((slot = fc_rxflow_ready(rx))) {
		u8 got = (u8)((uintptr_t)slot->h - 1);

		for (t = 0; cfg->message[got].to[t] != at; t++)
			;
		if (w.end[got][t].delivered)
			breaks("site %u: message %u delivered twice", at, got);
		if (cfg->message[got].seq[t] != rx->next)
			breaks("site %u: message %u out of order", at, got);
		w.end[got][t].delivered = true;
		fc_rxflow_delivered(rx, slot);
	}
	fc_rxflow_confirm(rx, target.seq, &ctrl);
	confirm(flow, &ctrl);
}

static void store(struct node *node, unsigned int at, u8 id)
{
	/* The network-buffer itself holds one more. */
	unsigned int room = cfg->pool + (cfg->drop ? 0u : 1u);

	if (node->nstored < room)
		node->stored[node->nstored++] = id;
	else if (!cfg->drop)
		breaks("site %u: a packet for a network-buffer that is in use", at);
}

static void serve(unsigned int at, u64 mask, bool others)
{
	struct node *node = &w.node[at];
	const struct content *c = content_of(node->buffer[0]);
	u8 m = c->message, targets, rest = 0;
	const struct world_message *msg = &cfg->message[m];

	if (node->nbuffer != msg->flits || !c->mask) {
		breaks("site %u: %u flits of message %u's %u are served", at, node->nbuffer, m,
		       msg->flits);
		return;
	}
	for (u8 i = 1; i < msg->flits; i++) {
		if (node->buffer[i] != data_id[m][i]) {
			breaks("site %u: flit %u of message %u is not its own", at, i, m);
			return;
		}
	}
	targets = targets_of(node->buffer[0], mask);
	node->nbuffer = 0;
	for (unsigned int t = 0; t < msg->ntargets; t++) {
		if (!(targets >> t & 1))
			continue;
		if (msg->to[t] == at)
			deliver(at, m, t);
		else
			rest |= (u8)fc_bit(t);
	}
	if (others && rest)
		store(node, at, front_id[m][rest]);
}

/*
 * Sites.
 */

static void fired(const struct fc_site *site, unsigned int machine, unsigned int state,
		  unsigned int cond)
{
	if (world_fired)
		world_fired(machine, state, cond);
}

static void send_flit(unsigned int at, const struct fc_effect *e)
{
	struct wire_frame frame = {
		.id = id_of(&e->flit), .seq = e->seq, .ack = e->ack,
		.parts = e->flit.parts & (FC_PART_HEAD | FC_PART_TERM | FC_PART_ABORT),
	};

	if (frame.parts & FC_PART_HEAD) {
		u8 targets = targets_of(frame.id, e->mask);

		if (!targets) {
			breaks("site %u: a front without targets", at);
			return;
		}
		frame.id = front_id[content_of(frame.id)->message][targets];
	}
	if (!frame.id && frame.parts != (FC_PART_TERM | FC_PART_ABORT))
		breaks("site %u: parts %x without a frame", at, frame.parts);
	wire_add(at, e->port, &frame);
}

static void perform(unsigned int at, const struct fc_effect *e)
{
	struct node *node = &w.node[at];
	struct wire_frame status = { .status = true };

	if (e->flit.h && !e->keep && e->type != FC_FX_UNREACHABLE) {
		if (!node->held)
			breaks("site %u gives back more handles than it was given", at);
		node->held--;
	}
	switch ((enum fc_effect_type)e->type) {
	case FC_FX_SEND:
		send_flit(at, e);
		break;
	case FC_FX_STATUS:
		status.parts = e->flags;
		status.seq = e->seq;
		status.ack = e->ack;
		wire_add(at, e->port, &status);
		break;
	case FC_FX_STORE:
		if (node->nbuffer == WORLD_FLITS) {
			breaks("site %u: a packet larger than the network-buffer", at);
			return;
		}
		node->buffer[node->nbuffer++] = id_of(&e->flit);
		if (cfg->timing.fifo_room && ++node->words > cfg->timing.fifo_room)
			breaks("site %u: %u words in the fifo-buffer", at, node->words);
		break;
	case FC_FX_SERVE:
	case FC_FX_SERVE_LOCAL:
		serve(at, e->mask, e->type == FC_FX_SERVE);
		break;
	case FC_FX_DISCARD:
		node->nbuffer = 0;
		break;
	case FC_FX_UNREACHABLE:
		if (!cfg->flaps)
			breaks("site %u: no way, though no link is down", at);
		break;
	case FC_FX_DROP:
		break;
	case FC_FX_RESET:
		breaks("site %u port %u: the ends of a link contradict each other", at, e->port);
		break;
	}
}

/* Handles in the site, by looking. */
static unsigned int count_held(const struct node *node)
{
	unsigned int n = 0;

	for (unsigned int p = 0; p < node->site.nports; p++) {
		n += !!node->in[p].held.h;
		for (unsigned int i = 0; i < cfg->window; i++)
			n += !!node->queue[p][i].h;
	}
	return n;
}

static void site_event(unsigned int at, const struct fc_event *first)
{
	struct node *node = &w.node[at];
	struct fc_event ev = *first;
	bool more;

	ev.now = NOW;
	if (ev.flit.h)
		node->held++;
	do {
		more = fc_site_event(&node->site, &ev, &effects);
		for (u32 i = 0; i < effects.n; i++)
			perform(at, &effects.fx[i]);
		ev.type = FC_EV_MORE;
	} while (more && !broken);
	if (count_held(node) != node->held)
		breaks("site %u holds %u handles and was given %u", at, count_held(node),
		       node->held);
	if (node->site.work || node->site.status)
		breaks("site %u is left with work", at);
}

/* Every timer that is armed is due later, whenever that is. */
static void later(u64 *at)
{
	if (*at != FC_NEVER)
		*at = LATER;
}

static void settle(struct node *node)
{
	for (unsigned int p = 0; p < node->site.nports; p++) {
		later(&node->in[p].seek_at);
		later(&node->out[p].probe_at);
	}
	later(&node->site.fifo.timeout_at);
	node->site.next_at = FC_NEVER;
}

static void fire(unsigned int at, u64 *timer)
{
	struct fc_event ev = { .type = FC_EV_TIME };

	*timer = NOW;
	w.node[at].site.next_at = NOW;
	site_event(at, &ev);
}

/* The next flit of the packet that the operator sends. */
static void feed(unsigned int at)
{
	struct node *node = &w.node[at];
	u8 m = content_of(node->sending)->message;
	u8 id = node->index ? data_id[m][node->index] : node->sending;
	struct fc_event ev = {
		.type = FC_EV_FLIT, .port = FC_PORT_LOCAL, .seq = fc_site_seq(&node->site),
		.flit = make_flit(id, parts_of(id)),
	};

	if (++node->index == cfg->message[m].flits) {
		node->sending = 0;
		node->index = 0;
	}
	site_event(at, &ev);
}

static void begin(unsigned int at, u8 id)
{
	w.node[at].sending = id;
	w.node[at].index = 0;
	feed(at);
}

static void resend(unsigned int at)
{
	struct node *node = &w.node[at];
	u8 id = node->stored[0];

	memmove(node->stored, node->stored + 1, --node->nstored);
	begin(at, id);
}

/* Is something of the message anywhere but at its ends? */
static bool under_way(unsigned int m)
{
	for (unsigned int at = 0; at < cfg->topo.nsites; at++) {
		const struct node *node = &w.node[at];

		if (node->sending && content_of(node->sending)->message == m)
			return true;
		for (unsigned int i = 0; i < node->nbuffer; i++)
			if (content_of(node->buffer[i])->message == m)
				return true;
		for (unsigned int i = 0; i < node->nstored; i++)
			if (content_of(node->stored[i])->message == m)
				return true;
		for (unsigned int p = 0; p < node->site.nports; p++) {
			const struct wire *wire = &node->wire[p];

			for (unsigned int i = 0; i < wire->n; i++)
				if (wire->frame[i].id &&
				    content_of(wire->frame[i].id)->message == m)
					return true;
			if (node->in[p].held.h &&
			    content_of(id_of(&node->in[p].held))->message == m)
				return true;
			for (unsigned int i = 0; i < cfg->window; i++)
				if (node->queue[p][i].h &&
				    content_of(id_of(&node->queue[p][i]))->message == m)
					return true;
		}
	}
	return false;
}

/* Targets of a message that its source would send it to now. */
static u8 unconfirmed(unsigned int m)
{
	const struct world_message *msg = &cfg->message[m];
	u8 mask = 0;

	for (unsigned int t = 0; t < msg->ntargets; t++) {
		struct fc_txtarget tx = w.end[m][t].tx;

		if (fc_txtarget_over(&tx))
			continue;
		fc_txtarget_repeat(&tx);
		if (!fc_txtarget_next(&tx, &w.tx[msg->flow[t]]))
			mask |= (u8)fc_bit(t);
	}
	return mask;
}

static void send(unsigned int m, u8 mask)
{
	const struct world_message *msg = &cfg->message[m];

	for (unsigned int t = 0; t < msg->ntargets; t++)
		if (mask >> t & 1 && !end_over(m, t))
			fc_txtarget_sent(&w.end[m][t].tx, 0);
	begin(msg->from, front_id[m][mask]);
}

static void link_event(unsigned int at, u8 port, enum fc_event_type type)
{
	struct fc_event ev = { .type = (u8)type, .port = port, .count = cfg->window };

	w.node[at].wire[port].n = 0;
	site_event(at, &ev);
}

static void link_both(unsigned int at, u8 port, enum fc_event_type type)
{
	link_event(at, port, type);
	link_event(peer_of(at, port), peer_port(port), type);
}

static void arrive(unsigned int at, u8 port)
{
	struct wire_frame frame = wire_take(at, port);
	struct fc_event ev = {
		.type = frame.status ? FC_EV_STATUS : FC_EV_FLIT, .port = peer_port(port),
		.seq = frame.seq, .ack = frame.ack,
	};

	if (frame.status)
		ev.flags = frame.parts;
	else
		ev.flit = make_flit(frame.id, frame.parts);
	site_event(peer_of(at, port), &ev);
}

void world_init(const struct world_config *config)
{
	cfg = config;
	make_contents();
	make_links();
	memset(&w, 0, sizeof(w));
	broken = NULL;
	for (unsigned int at = 0; at < cfg->topo.nsites; at++) {
		struct node *node = &w.node[at];
		struct fc_site *site = &node->site;

		site->topo = &cfg->topo;
		site->pref = &cfg->pref;
		site->timing = &cfg->timing;
		site->in = node->in;
		site->out = node->out;
		site->stat = node->stat;
		site->id = at;
		site->window = cfg->window;
		site->nports = cfg->topo.ndirs + 1;
		site->fired = fired;
		for (unsigned int p = 0; p < site->nports; p++) {
			node->in[p].queue = node->queue[p];
			node->in[p].stat = node->link_stat[p];
		}
		fc_site_init(site, 1);
	}
	for (unsigned int at = 0; at < cfg->topo.nsites; at++)
		for (u8 p = 1; p < w.node[at].site.nports; p++)
			if (has_link(at, p))
				link_event(at, p, FC_EV_LINK_UP);
	for (unsigned int m = 0; m < cfg->nmessages; m++) {
		const struct world_message *msg = &cfg->message[m];

		for (unsigned int t = 0; t < msg->ntargets; t++) {
			struct fc_txtarget *tx = &w.end[m][t].tx;

			tx->part = fc_part_make(msg->flits * BYTES, 0, 0);
			tx->seq = msg->seq[t];
			tx->state = FC_TX_ASKING;
			w.tx[msg->flow[t]].next = tx->seq + 1;
		}
	}
	w.loss = cfg->loss;
	w.flaps = cfg->flaps;
	w.early = cfg->early;
}

/*
 * What may happen.
 */

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

static void link_events(struct list *list, unsigned int at, u8 port)
{
	const struct node *node = &w.node[at];
	const struct node *peer = &w.node[peer_of(at, port)];
	unsigned int where = place(at, port);

	if (!link_is_up(at, port)) {
		if (first_end(at, port))
			may(list, WORLD_UP, where);
		return;
	}
	if (node->wire[port].n) {
		may(list, WORLD_ARRIVE, where);
		if (w.loss)
			may(list, WORLD_LOSE, where);
	}
	if (w.flaps && first_end(at, port))
		may(list, WORLD_DOWN, where);
	/* Much later than anything that is under way on the link. */
	if (node->out[port].probe_at != FC_NEVER && !node->wire[port].n &&
	    !peer->wire[peer_port(port)].n)
		may(list, WORLD_PROBE, where);
}

static void operator_events(struct list *list, unsigned int at)
{
	const struct node *node = &w.node[at];
	bool room = fc_site_room(&node->site);

	if (node->words && (cfg->drop || node->nstored <= cfg->pool))
		may(list, WORLD_TAKE, at);
	if (node->sending) {
		if (room)
			may(list, WORLD_FEED, at);
		return;
	}
	if (room && node->nstored)
		may(list, WORLD_RESEND, at);
	for (unsigned int m = 0; room && m < cfg->nmessages; m++) {
		if (cfg->message[m].from != at || !unconfirmed(m))
			continue;
		if (!under_way(m))
			may(list, WORLD_SEND, m);
		else if (w.early)
			may(list, WORLD_EARLY, m);
	}
}

unsigned int world_events(u16 events[WORLD_EVENTS])
{
	struct list list = { .event = events };

	for (unsigned int at = 0; at < cfg->topo.nsites; at++) {
		const struct node *node = &w.node[at];

		operator_events(&list, at);
		for (u8 p = 0; p < node->site.nports; p++) {
			if (p && has_link(at, p))
				link_events(&list, at, p);
			/* Beyond the threshold more seeks change nothing. */
			if (node->in[p].seek_at != FC_NEVER &&
			    node->in[p].seeks <= cfg->timing.seek_max)
				may(&list, WORLD_SEEK, at * WORLD_PORTS + p);
		}
		if (cfg->timeout && node->site.fifo.timeout_at != FC_NEVER)
			may(&list, WORLD_TIMEOUT, at);
	}
	return list.n;
}

static void apply(u16 event)
{
	unsigned int where = event & 0xff, at;
	struct fc_event room = { .type = FC_EV_ROOM, .count = 1 };
	u8 port;

	place_split(where, &at, &port);
	switch ((enum world_kind)(event >> 8)) {
	case WORLD_ARRIVE:
		arrive(at, port);
		break;
	case WORLD_LOSE:
		wire_take(at, port);
		w.loss--;
		w.repeated = true;
		break;
	case WORLD_DOWN:
		w.flaps--;
		w.repeated = true;
		link_both(at, port, FC_EV_LINK_DOWN);
		break;
	case WORLD_UP:
		link_both(at, port, FC_EV_LINK_UP);
		break;
	case WORLD_SEND:
		send(where, unconfirmed(where));
		break;
	case WORLD_EARLY:
		w.early--;
		w.repeated = true;
		send(where, (u8)fc_mask_all(cfg->message[where].ntargets));
		break;
	case WORLD_RESEND:
		resend(where);
		break;
	case WORLD_FEED:
		feed(where);
		break;
	case WORLD_TAKE:
		w.node[where].words--;
		site_event(where, &room);
		break;
	case WORLD_SEEK:
		at = where / WORLD_PORTS;
		fire(at, &w.node[at].in[where % WORLD_PORTS].seek_at);
		break;
	case WORLD_TIMEOUT:
		fire(where, &w.node[where].site.fifo.timeout_at);
		break;
	case WORLD_PROBE:
		fire(at, &w.node[at].out[port].probe_at);
		break;
	}
	for (at = 0; at < cfg->topo.nsites; at++)
		settle(&w.node[at]);
}

/* FC_BUG_ON_US: a state that the core believes impossible. */
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
		breaks("the core is in a state that no table has");
	else
		apply(event);
	return broken;
}

static bool idle(void)
{
	for (unsigned int at = 0; at < cfg->topo.nsites; at++) {
		const struct node *node = &w.node[at];

		if (!fc_site_idle(&node->site) || node->nbuffer || node->nstored ||
		    node->sending || node->words)
			return false;
		for (unsigned int p = 1; p < node->site.nports; p++)
			if (node->wire[p].n)
				return false;
	}
	return true;
}

bool world_done(void)
{
	for (unsigned int m = 0; m < cfg->nmessages; m++)
		for (unsigned int t = 0; t < cfg->message[m].ntargets; t++)
			if (!w.end[m][t].delivered || !end_over(m, t))
				return false;
	return idle();
}

/*
 * States as bytes.  One function for both ways, so that they cannot differ: each
 * step writes the value, or reads it.
 */

struct codec {
	u8 *p;
	bool load;
};

static u32 code(struct codec *c, u32 value)
{
	if (c->load)
		return *c->p++;
	if (value > 0xff)
		die("a value of %u in a state", value);
	*c->p++ = (u8)value;
	return value;
}

#define CODE(c, field)	((field) = (__typeof__(field))code(c, (u32)(field)))

/* A counter, as its distance from another one. */
#define CODE_FROM(c, field, from)	((field) = code(c, (field) - (from) + 64) + (from) - 64)

static void code_timer(struct codec *c, u64 *timer)
{
	*timer = code(c, *timer != FC_NEVER) ? LATER : FC_NEVER;
}

static void code_flit(struct codec *c, struct fc_flit *flit)
{
	u8 parts = (u8)code(c, flit->parts);
	/* A bare terminator and no flit at all need no more. */
	u8 id = parts ? (u8)code(c, id_of(flit)) : 0;

	if (c->load)
		*flit = make_flit(id, parts);
}

/* At rest, as most of them are: one byte. */
static bool in_rests(const struct fc_in *in, unsigned int p)
{
	return in->state == FC_NI_FREE && !in->queued && !in->want &&
	       (!p || in->told == in->taken);
}

static void code_in(struct codec *c, struct node *node, unsigned int p)
{
	struct fc_in *in = &node->in[p];
	unsigned int window = cfg->window;

	if (c->load) {
		struct fc_in rest = {
			.queue = in->queue, .stat = in->stat, .state = FC_NI_FREE,
			.taken = BASE, .told = BASE, .seek_at = FC_NEVER,
		};

		*in = rest;
		memset(in->queue, 0, window * sizeof(*in->queue));
	}
	if (code(c, in_rests(in, p)))
		return;
	CODE(c, in->queued);
	for (unsigned int i = 0; i < window && in->queued; i++)
		code_flit(c, &in->queue[(in->first + i) % window]);
	if (p)
		CODE_FROM(c, in->told, in->taken);
	in->want = code(c, in->want);
	CODE(c, in->state);
	if (in->state == FC_NI_FREE)
		return;
	code_flit(c, &in->held);
	CODE(c, in->conn);
	in->left = code(c, in->left / BYTES) * BYTES;
	CODE(c, in->type);
	in->arm = code(c, in->arm);
	in->cut = code(c, in->cut);
	in->multi = code(c, in->multi);
	if (in->state != FC_NI_FIRST)
		return;
	/* More than the threshold is as good as more. */
	if (in->seeks > cfg->timing.seek_max)
		in->seeks = cfg->timing.seek_max + 1;
	CODE(c, in->seeks);
	in->told_unreachable = code(c, in->told_unreachable);
	code_timer(c, &in->seek_at);
}

/* A port, or none. */
static void code_port(struct codec *c, u8 *port)
{
	u8 p = (u8)code(c, *port == FC_PORT_NONE ? WORLD_PORTS : *port);

	*port = p == WORLD_PORTS ? FC_PORT_NONE : p;
}

/* The counters of both ends of a link begin at what the peer took. */
static void code_out(struct codec *c, struct node *node, unsigned int p, u32 taken)
{
	struct fc_out *out = &node->out[p];

	if (c->load) {
		u32 window = out->window;

		memset(out, 0, sizeof(*out));
		out->window = window;
		out->state = FC_NO_FREE;
		out->in = FC_PORT_NONE;
		out->claim = FC_PORT_NONE;
		out->sent = taken;
		out->acked = taken;
		out->probe_at = FC_NEVER;
		out->probe_wait = 1;
	}
	if (code(c, out->state == FC_NO_FREE && out->claim == FC_PORT_NONE &&
		 (!p || (out->sent == taken && out->acked == taken && out->probe_at == FC_NEVER))))
		return;
	CODE(c, out->state);
	code_port(c, &out->claim);
	if (p) {
		CODE_FROM(c, out->sent, taken);
		CODE_FROM(c, out->acked, taken);
		code_timer(c, &out->probe_at);
	}
	if (out->state == FC_NO_FREE)
		return;
	out->mask = code(c, (u32)out->mask);
	code_port(c, &out->in);
	CODE(c, out->term);
	out->dead = code(c, out->dead);
}

static void code_wire(struct codec *c, struct wire *wire, u32 to_taken, u32 from_taken)
{
	CODE(c, wire->n);
	for (unsigned int i = 0; i < wire->n; i++) {
		struct wire_frame *f = &wire->frame[i];

		f->status = code(c, f->status);
		CODE(c, f->id);
		CODE(c, f->parts);
		CODE_FROM(c, f->seq, to_taken);
		CODE_FROM(c, f->ack, from_taken);
	}
}

static void code_node(struct codec *c, struct node *node)
{
	struct fc_site *site = &node->site;
	struct fc_fifo *fifo = &site->fifo;

	CODE(c, site->up);
	CODE(c, site->rotate);
	CODE(c, site->oper);
	CODE(c, fifo->state);
	CODE(c, fifo->room);
	code_timer(c, &fifo->timeout_at);
	/* How long a time-out is does not matter: time does not exist. */
	fifo->backoff = 0;
	fifo->calm = 0;
	fifo->aborted = code(c, fifo->aborted);
	site->rng = 1;
	for (u8 p = 0; p < site->nports; p++)
		if (!p || has_link(site->id, p))
			code_in(c, node, p);
	if (c->load) {
		site->seekers = 0;
		for (unsigned int p = 0; p < site->nports; p++)
			if (node->in[p].state == FC_NI_FIRST)
				site->seekers |= fc_bit(p);
	}
	CODE(c, node->words);
	CODE(c, node->nbuffer);
	for (unsigned int i = 0; i < node->nbuffer; i++)
		CODE(c, node->buffer[i]);
	CODE(c, node->nstored);
	for (unsigned int i = 0; i < node->nstored; i++)
		CODE(c, node->stored[i]);
	CODE(c, node->sending);
	node->index = node->sending ? (u8)code(c, node->index) : 0;
}

static void code_ends(struct codec *c)
{
	u32 seqs[WORLD_MESSAGES * WORLD_TARGETS] = { 0 };

	for (unsigned int m = 0; m < cfg->nmessages; m++) {
		const struct world_message *msg = &cfg->message[m];

		for (unsigned int t = 0; t < msg->ntargets; t++) {
			struct end *end = &w.end[m][t];
			struct fc_rxmsg *slot = &w.rx[msg->flow[t]].msg[msg->seq[t]];
			bool waits;

			end->delivered = code(c, end->delivered);
			CODE(c, end->tx.state);
			CODE(c, end->tx.base);
			CODE(c, end->tx.sent);
			CODE(c, end->tx.have);
			waits = code(c, slot->state == FC_RX_COMPLETE);
			if (c->load) {
				memset(slot, 0, sizeof(*slot));
				if (waits) {
					slot->h = (void *)(uintptr_t)(m + 1);
					slot->seq = msg->seq[t];
					slot->base = 1;
					slot->count = 1;
					slot->state = FC_RX_COMPLETE;
				}
			}
			seqs[msg->flow[t]]++;
		}
	}
	for (unsigned int f = 0; f < nflows; f++) {
		w.rx[f].begun = code(c, w.rx[f].begun);
		CODE(c, w.rx[f].next);
		CODE(c, w.tx[f].oldest);
		w.tx[f].next = seqs[f];
	}
}

static void codec(struct codec *c)
{
	CODE(c, w.loss);
	CODE(c, w.flaps);
	CODE(c, w.early);
	w.repeated = code(c, w.repeated);
	code_ends(c);
	for (unsigned int at = 0; at < cfg->topo.nsites; at++)
		code_node(c, &w.node[at]);
	for (unsigned int at = 0; at < cfg->topo.nsites; at++) {
		struct node *node = &w.node[at];

		code_out(c, node, 0, 0);
		for (u8 p = 1; p < node->site.nports; p++) {
			const struct fc_in *to;

			if (!has_link(at, p))
				continue;
			to = &w.node[peer_of(at, p)].in[peer_port(p)];
			code_out(c, node, p, to->taken);
			code_wire(c, &node->wire[p], to->taken, node->in[p].taken);
		}
		if (c->load) {
			node->held = (u8)count_held(node);
			node->site.now = NOW;
			node->site.next_at = FC_NEVER;
			node->site.work = 0;
		}
	}
}

unsigned int world_save(u8 bytes[WORLD_CODE])
{
	struct codec c = { .p = bytes };

	codec(&c);
	if (c.p > bytes + WORLD_CODE)
		die("a state of %zu bytes", (size_t)(c.p - bytes));
	return (unsigned int)(c.p - bytes);
}

void world_load(const u8 *bytes)
{
	struct codec c = { .p = (u8 *)bytes, .load = true };

	broken = NULL;
	codec(&c);
}

/*
 * In words.
 */

static void tell_content(u8 id, u8 parts, char *text, size_t size)
{
	const struct content *c = content_of(id);
	int n;

	if (!id) {
		snprintf(text, size, "%s", parts & FC_FLIT_LOST ? "lost" : ":abort-packet");
		return;
	}
	if (!c->mask) {
		snprintf(text, size, "m%u.%u", c->message, c->index);
		return;
	}
	n = snprintf(text, size, "m%u>", c->message);
	for (unsigned int t = 0; t < WORLD_TARGETS; t++)
		if (c->mask >> t & 1)
			n += snprintf(text + n, size - (size_t)n, "%s%u",
				      text[n - 1] == '>' ? "" : ",",
				      cfg->message[c->message].to[t]);
}

static void tell_frame(const struct wire_frame *f, char *text, size_t size)
{
	if (f->status)
		snprintf(text, size, "status%s%s", f->parts & FC_STATUS_PROBE ? " probe" : "",
			 f->parts & FC_STATUS_WANT ? " want" : "");
	else
		tell_content(f->id, f->parts, text, size);
}

void world_tell_event(u16 event, char *text, size_t size)
{
	unsigned int where = event & 0xff, at;
	char what[64] = "";
	u8 port;

	place_split(where, &at, &port);
	switch ((enum world_kind)(event >> 8)) {
	case WORLD_ARRIVE:
	case WORLD_LOSE:
		tell_frame(&w.node[at].wire[port].frame[0], what, sizeof(what));
		snprintf(text, size, "%s %s at %u from %u",
			 what, event >> 8 == WORLD_LOSE ? "is lost" : "arrives",
			 peer_of(at, port), at);
		break;
	case WORLD_DOWN:
	case WORLD_UP:
		snprintf(text, size, "link %u-%u goes %s", at, peer_of(at, port),
			 event >> 8 == WORLD_UP ? "up" : "down");
		break;
	case WORLD_SEND:
	case WORLD_EARLY:
		snprintf(text, size, "source %u sends message %u%s", cfg->message[where].from,
			 where, event >> 8 == WORLD_EARLY ? " again, too early" : "");
		break;
	case WORLD_RESEND:
		tell_content(w.node[where].stored[0], 0, what, sizeof(what));
		snprintf(text, size, "operator %u sends stored %s", where, what);
		break;
	case WORLD_FEED:
		snprintf(text, size, "operator %u gives the next flit", where);
		break;
	case WORLD_TAKE:
		snprintf(text, size, "operator %u takes a word", where);
		break;
	case WORLD_SEEK:
		snprintf(text, size, "site %u port %u counts a seek", where / WORLD_PORTS,
			 where % WORLD_PORTS);
		break;
	case WORLD_TIMEOUT:
		snprintf(text, size, "fifo-buffer %u times out", where);
		break;
	case WORLD_PROBE:
		snprintf(text, size, "site %u probes %u", at, peer_of(at, port));
		break;
	}
}

void world_tell(void (*line)(const char *text))
{
	char text[256], what[64];

	for (unsigned int at = 0; at < cfg->topo.nsites; at++) {
		const struct node *node = &w.node[at];

		snprintf(text, sizeof(text), "site %u: fifo-buffer %s, operator %s, stored %u%s",
			 at, fc_fsms[2].states[node->site.fifo.state],
			 fc_fsms[3].states[node->site.oper], node->nstored,
			 node->sending ? ", sending" : "");
		line(text);
		for (u8 p = 0; p < node->site.nports; p++) {
			const struct fc_in *in = &node->in[p];
			const struct fc_out *out = &node->out[p];

			if (p && !has_link(at, p))
				continue;
			what[0] = 0;
			if (in->held.h)
				tell_content(id_of(&in->held), 0, what, sizeof(what));
			snprintf(text, sizeof(text),
				 "  port %u: net-input %s%s%s conn %x queued %u; net-output %s from %d unacknowledged %u, frames %u",
				 p, fc_fsms[0].states[in->state], *what ? " " : "", what,
				 in->conn, in->queued, fc_fsms[1].states[out->state],
				 out->in == FC_PORT_NONE ? -1 : out->in, out->sent - out->acked,
				 node->wire[p].n);
			line(text);
		}
	}
}
