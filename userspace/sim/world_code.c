// SPDX-License-Identifier: GPL-2.0
/*
 * The states of a world as bytes.  One function for both ways, so that they
 * cannot differ: each step writes the value, or reads it.
 */
#include "util.h"
#include "world_impl.h"

/* Where the counters of a link begin: far from any wrap. */
#define BASE	(12 * 1024)
#define PROBES	1024

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
#define CODE_FROM(c, field, from)	\
	((field) = (__typeof__(field))(code(c, (u32)((field) - (from) + 64)) + (from) - 64))

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
static bool in_rests(const struct fc_in *in, const struct fc_rx *rx, unsigned int p)
{
	return in->state == FC_NI_FREE && !rx->queued && !rx->want &&
	       (!p || (rx->told == rx->taken && rx->end == rx->taken && rx->tell_at == FC_NEVER));
}

static void code_in(struct codec *c, struct node *node, unsigned int p)
{
	struct fc_in *in = &node->in[p];
	struct fc_rx *rx = &node->rx[p];
	unsigned int window = world_cfg->window;

	if (c->load) {
		struct fc_in rest = { .state = FC_NI_FREE, .seek_at = FC_NEVER };
		struct fc_rx empty = {
			.queue = rx->queue, .stat = rx->stat,
			.taken = BASE, .told = BASE, .end = BASE,
			.tell_at = FC_NEVER, .nack_at = FC_NEVER,
		};

		*in = rest;
		*rx = empty;
		memset(rx->queue, 0, window * sizeof(*rx->queue));
	}
	if (code(c, in_rests(in, rx, p)))
		return;
	CODE(c, rx->queued);
	for (unsigned int i = 0; i < window && rx->queued; i++)
		code_flit(c, &rx->queue[(rx->first + i) % window]);
	if (p) {
		CODE_FROM(c, rx->told, rx->taken);
		CODE_FROM(c, rx->end, rx->taken);
		code_timer(c, &rx->tell_at);
		code_timer(c, &rx->nack_at);
		rx->nack_wait = 1;
	} else {
		rx->told = rx->taken;
		rx->end = rx->taken + rx->queued;
	}
	rx->want = code(c, rx->want);
	CODE(c, in->state);
	if (in->state == FC_NI_FREE)
		return;
	code_flit(c, &in->held);
	CODE(c, in->conn);
	in->left = code(c, in->left / BYTES) * BYTES;
	CODE(c, in->type);
	in->arm = code(c, in->arm);
	in->tail = code(c, in->tail);
	in->cut = code(c, in->cut);
	in->multi = code(c, in->multi);
	if (in->state != FC_NI_FIRST)
		return;
	/* More than the threshold is as good as more. */
	if (in->seeks > world_cfg->timing.seek_max)
		in->seeks = world_cfg->timing.seek_max + 1;
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

static void code_replay(struct codec *c, struct node *node, unsigned int p)
{
	const struct fc_tx *tx = &node->tx[p];

	node->nreplay[p] = (u8)(tx->sent - tx->acked);
	node->replay_seq[p] = tx->acked;
	for (unsigned int i = 0; i < node->nreplay[p]; i++) {
		CODE(c, node->replay[p][i].id);
		CODE(c, node->replay[p][i].parts);
	}
}

/* The counters of both ends of a link begin at what the peer took. */
static void code_out(struct codec *c, struct node *node, unsigned int p, u32 taken)
{
	struct fc_out *out = &node->out[p];
	struct fc_tx *tx = &node->tx[p];

	if (c->load) {
		u32 window = tx->window;

		memset(tx, 0, sizeof(*tx));
		tx->window = window;
		memset(out, 0, sizeof(*out));
		out->state = FC_NO_FREE;
		out->in = FC_PORT_NONE;
		out->claim = FC_PORT_NONE;
		tx->sent = taken;
		tx->acked = taken;
		tx->probe_at = FC_NEVER;
		tx->probe_wait = 1;
		tx->probes = PROBES;
		tx->mark = PROBES;
		node->nreplay[p] = 0;
	}
	if (code(c, out->state == FC_NO_FREE && out->claim == FC_PORT_NONE &&
		 (!p || (tx->sent == taken && tx->acked == taken && tx->probe_at == FC_NEVER))))
		return;
	CODE(c, out->state);
	code_port(c, &out->claim);
	if (p) {
		CODE_FROM(c, tx->sent, taken);
		CODE_FROM(c, tx->acked, taken);
		tx->got = code(c, (u32)tx->got);
		/* What has come is not sent again. */
		tx->resent = code(c, (u32)(tx->resent & ~tx->got));
		if (!tx->resent)
			tx->mark = tx->probes;
		CODE_FROM(c, tx->mark, tx->probes);
		code_timer(c, &tx->probe_at);
		code_replay(c, node, p);
	}
	if (out->state == FC_NO_FREE)
		return;
	out->mask = code(c, (u32)out->mask);
	code_port(c, &out->in);
	CODE(c, out->term);
	out->dead = code(c, out->dead);
}

static void code_wire(struct codec *c, struct wire *wire, u32 to_taken, u32 from_taken,
		      u16 to_probes, u16 from_probes)
{
	CODE(c, wire->n);
	for (unsigned int i = 0; i < wire->n; i++) {
		struct wire_frame *f = &wire->frame[i];

		f->status = code(c, f->status);
		CODE(c, f->id);
		CODE(c, f->parts);
		CODE_FROM(c, f->seq, to_taken);
		CODE_FROM(c, f->ack, from_taken);
		if (!f->status)
			continue;
		f->said.have = code(c, (u32)f->said.have);
		CODE_FROM(c, f->said.probe, from_probes);
		CODE_FROM(c, f->said.echo, to_probes);
		if (f->parts & FC_STATUS_NACK)
			CODE_FROM(c, f->said.upto, from_taken);
		else
			f->said.upto = 0;
	}
}

static void code_node(struct codec *c, struct node *node)
{
	struct fc_site *site = &node->site;
	struct fc_fifo *fifo = &site->fifo;

	CODE(c, site->data.up);
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

	for (unsigned int m = 0; m < world_cfg->nmessages; m++) {
		const struct world_message *msg = &world_cfg->message[m];

		for (unsigned int t = 0; t < msg->ntargets; t++) {
			struct end *end = &world.end[m][t];
			struct fc_rxmsg *slot = &world.rx[msg->flow[t]].msg[msg->seq[t]];
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
	for (unsigned int f = 0; f < world_nflows; f++) {
		world.rx[f].begun = code(c, world.rx[f].begun);
		CODE(c, world.rx[f].next);
		CODE(c, world.tx[f].oldest);
		world.tx[f].next = seqs[f];
	}
}

static void codec(struct codec *c)
{
	CODE(c, world.loss);
	CODE(c, world.doubles);
	CODE(c, world.overtakes);
	CODE(c, world.flaps);
	CODE(c, world.early);
	world.repeated = code(c, world.repeated);
	code_ends(c);
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++)
		code_node(c, &world.node[at]);
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++) {
		struct node *node = &world.node[at];

		code_out(c, node, 0, 0);
		for (u8 p = 1; p < node->site.nports; p++) {
			const struct fc_rx *to;

			if (!has_link(at, p))
				continue;
			to = &world.node[peer_of(at, p)].rx[peer_port(p)];
			code_out(c, node, p, to->taken);
		}
	}
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++) {
		struct node *node = &world.node[at];

		for (u8 p = 1; p < node->site.nports; p++) {
			struct fc_tx *back;
			struct fc_rx *to;

			if (!has_link(at, p))
				continue;
			to = &world.node[peer_of(at, p)].rx[peer_port(p)];
			back = &world.node[peer_of(at, p)].tx[peer_port(p)];
			CODE_FROM(c, to->heard, node->tx[p].probes);
			code_wire(c, &node->wire[p], to->taken, node->rx[p].taken, back->probes,
				  node->tx[p].probes);
		}
		if (c->load) {
			node->held = (u8)world_count_held(node);
			node->site.now = NOW;
			node->site.next_at = FC_NEVER;
			node->site.data.now = NOW;
			node->site.data.next_at = FC_NEVER;
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

	codec(&c);
}
