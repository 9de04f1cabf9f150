// SPDX-License-Identifier: GPL-2.0
/*
 * The states of a world as bytes.  One function encodes and decodes, so that both agree: each step
 * writes or reads the value.
 */
#include "base/util.h"
#include "world_impl.h"

/* First value of the counters of a link: far from any wrap. */
#define BASE	(12 * 1024)
#define PROBES	1024
/* Bits of the distance between a counter and the one it is coded from. */
#define NEAR_BITS	6
/* Bits of FC_PART_* and FC_STATUS_*, and of the flags that a queue adds. */
#define PARTS_BITS	8

void codec_overflow(u32 value, unsigned int bits)
{
	die("a value of %u in %u bits of a state", value, bits);
}

/* Write or read a counter as its distance from another one. */
#define CODE_FROM(c, field, from)	\
	((field) = (__typeof__(field))(codec_step(c, (u32)((field) - (from) + 32) & 0xffff, \
						  NEAR_BITS) + (from) - 32))

void codec_timer(struct codec *c, u64 *timer)
{
	*timer = codec_step(c, *timer != FC_NEVER, 1) ? LATER : FC_NEVER;
}

void codec_flit(struct codec *c, struct fc_flit *flit)
{
	u8 parts = (u8)codec_step(c, flit->parts, PARTS_BITS);
	/* A bare terminator and an empty flit have no content. */
	u8 id = parts ? (u8)codec_step(c, id_of(flit), ID_BITS) : 0;

	if (c->load)
		*flit = make_flit(id, parts);
}

static void code_queue(struct codec *c, struct fc_rx *rx)
{
	unsigned int window = world_cfg->window;

	if (c->load) {
		memset(rx->queue, 0, window * sizeof(*rx->queue));
		rx->first = 0;
	}
	CODE(c, rx->queued, 3);
	for (unsigned int i = 0; i < window && rx->queued; i++) {
		struct fc_flit *flit = &rx->queue[(rx->first + i) % window];

		if (codec_step(c, flit->parts != 0, 1))
			codec_flit(c, flit);
	}
}

/* Write or read an injection queue. */
static void code_injq(struct codec *c, struct fc_rx *rx)
{
	if (c->load)
		*rx = (struct fc_rx){
			.queue = rx->queue, .stat = rx->stat, .consumed = BASE, .acked = BASE,
			.ack_at = FC_NEVER, .nack_at = FC_NEVER, .reverse_active = true,
		};
	code_queue(c, rx);
	rx->acked = rx->consumed;
	rx->end = rx->consumed + rx->queued;
}

/*
 * A channel: the sending end, the frames on the link, and the receiving end; the other counters
 * are relative to those of the receiving end.
 */

static void rest_rx(struct fc_rx *rx)
{
	*rx = (struct fc_rx){
		.queue = rx->queue, .stat = rx->stat,
		.consumed = BASE, .acked = BASE, .end = BASE, .poll_seen = PROBES,
		.ack_at = FC_NEVER, .nack_at = FC_NEVER, .reverse_active = true,
	};
	memset(rx->queue, 0, world_cfg->window * sizeof(*rx->queue));
}

static void rest_tx(struct fc_tx *tx)
{
	*tx = (struct fc_tx){
		.window = world_cfg->window, .sent = BASE, .acked = BASE,
		.poll_at = FC_NEVER, .poll_wait = 1, .polls = PROBES, .resend_poll = PROBES,
		.reverse_active = true,
	};
}

static bool rx_rests(const struct fc_rx *rx)
{
	return !rx->queued && !rx->ack_wanted && rx->acked == rx->consumed &&
	       rx->end == rx->consumed && rx->ack_at == FC_NEVER && rx->nack_at == FC_NEVER;
}

static bool tx_rests(const struct fc_tx *tx, u32 taken)
{
	return tx->sent == taken && tx->acked == taken && tx->poll_at == FC_NEVER;
}

static void code_rx(struct codec *c, struct fc_rx *rx)
{
	code_queue(c, rx);
	CODE_FROM(c, rx->acked, rx->consumed);
	CODE_FROM(c, rx->end, rx->consumed);
	codec_timer(c, &rx->ack_at);
	codec_timer(c, &rx->nack_at);
	rx->nack_wait = 1;
	CODE(c, rx->ack_wanted, 1);
}

static void code_tx(struct codec *c, struct lines *line, u8 p, u32 taken)
{
	struct fc_tx *tx = &line->tx[p];

	CODE_FROM(c, tx->sent, taken);
	CODE_FROM(c, tx->acked, taken);
	CODE(c, tx->got, WORLD_WINDOW);
	/* Flits that the peer has received are not resent. */
	tx->resent &= ~tx->got;
	CODE(c, tx->resent, WORLD_WINDOW);
	if (!tx->resent)
		tx->resend_poll = tx->polls;
	CODE_FROM(c, tx->resend_poll, tx->polls);
	codec_timer(c, &tx->poll_at);
	line->nreplay[p] = (u8)(tx->sent - tx->acked);
	line->replay_seq[p] = tx->acked;
	for (unsigned int i = 0; i < line->nreplay[p]; i++) {
		CODE(c, line->replay[p][i].id, ID_BITS);
		CODE(c, line->replay[p][i].parts, PARTS_BITS);
	}
	if (world_cfg->suspects)
		CODE(c, line->copied[p], 3);
}

static void code_wire(struct codec *c, struct wire *wire, u32 to_acked, u32 from_acked,
		      u16 to_polls, u16 from_polls)
{
	CODE(c, wire->n, 5);
	for (unsigned int i = 0; i < wire->n; i++) {
		struct wire_frame *f = &wire->frame[i];

		CODE(c, f->status, 1);
		CODE(c, f->id, ID_BITS);
		CODE(c, f->parts, PARTS_BITS);
		CODE_FROM(c, f->seq, to_acked);
		CODE_FROM(c, f->ack, from_acked);
		if (!f->status)
			continue;
		CODE(c, f->info.have, WORLD_WINDOW);
		CODE_FROM(c, f->info.poll, from_polls);
		CODE_FROM(c, f->info.echo, to_polls);
		if (f->parts & FC_STATUS_NACK)
			CODE_FROM(c, f->info.upto, from_acked);
		else
			f->info.upto = 0;
	}
}

/* Code both directions of a channel of a link, as each carries acks of the other. */
static void code_pair(struct codec *c, unsigned int at, u8 p, u8 channel)
{
	struct lines *line[2] = {
		&world.node[at].line[channel], &world.node[peer_of(at, p)].line[channel],
	};
	u8 port[2] = { p, peer_port(p) };
	bool rest = true;

	if (c->load) {
		for (unsigned int i = 0; i < 2; i++) {
			rest_rx(&line[i]->rx[port[i]]);
			rest_tx(&line[i]->tx[port[i]]);
			line[i]->wire[port[i]].n = 0;
			line[i]->nreplay[port[i]] = 0;
			line[i]->copied[port[i]] = 0;
		}
	}
	/* A packet may have begun of which all flits so far are acknowledged. */
	for (unsigned int i = 0; i < 2 && world_cfg->suspects; i++)
		CODE(c, line[i]->open[port[i]], 1);
	for (unsigned int i = 0; i < 2 && !c->load; i++)
		rest &= rx_rests(&line[i]->rx[port[i]]) && !line[i]->wire[port[i]].n &&
			tx_rests(&line[i]->tx[port[i]], line[!i]->rx[port[!i]].consumed);
	if (codec_step(c, rest, 1))
		return;
	for (unsigned int i = 0; i < 2; i++) {
		code_rx(c, &line[i]->rx[port[i]]);
		code_tx(c, line[i], port[i], line[!i]->rx[port[!i]].consumed);
	}
	for (unsigned int i = 0; i < 2; i++) {
		struct fc_rx *to = &line[!i]->rx[port[!i]];

		CODE_FROM(c, to->poll_seen, line[i]->tx[port[i]].polls);
		code_wire(c, &line[i]->wire[port[i]], to->consumed, line[i]->rx[port[i]].consumed,
			  line[!i]->tx[port[!i]].polls, line[i]->tx[port[i]].polls);
	}
}

static void code_operator(struct codec *c, struct node *node)
{
	CODE(c, node->nbuffer, 3);
	for (unsigned int i = 0; i < node->nbuffer; i++)
		CODE(c, node->buffer[i], ID_BITS);
	if (world_cfg->full)
		CODE(c, node->full, 1);
	CODE(c, node->nstored, 3);
	for (unsigned int i = 0; i < node->nstored; i++)
		CODE(c, node->stored[i], ID_BITS);
	CODE(c, node->sending, ID_BITS);
	node->index = node->sending ? (u8)codec_step(c, node->index, 3) : 0;
	if (fc_mode_ops(world_cfg->mode)->classes && node->sending)
		CODE(c, node->injq, 3);
	if (world_cfg->slow)
		CODE(c, node->unread, 3);
	if (!world_cfg->suspects)
		return;
	CODE(c, node->suspect, WORLD_PORTS);
	CODE(c, node->feared, 20);
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

			CODE(c, end->delivered, 1);
			CODE(c, end->tx.state, 3);
			CODE(c, end->tx.base, 2);
			CODE(c, end->tx.sent, 2);
			CODE(c, end->tx.have, 2);
			waits = codec_step(c, slot->state == FC_RX_COMPLETE, 1);
			if (c->load) {
				memset(slot, 0, sizeof(*slot));
				if (waits) {
					slot->h = (void *)(uintptr_t)(m + 1);
					slot->seq = msg->seq[t];
					slot->len = world_part(msg).len;
					slot->base = 1;
					slot->count = 1;
					slot->state = FC_RX_COMPLETE;
				}
			}
			seqs[msg->flow[t]]++;
		}
	}
	for (unsigned int f = 0; f < world_nflows; f++) {
		CODE(c, world.rx[f].begun, 1);
		CODE(c, world.rx[f].next, 4);
		CODE(c, world.tx[f].oldest, 4);
		world.tx[f].next = seqs[f];
	}
}

static void codec(struct codec *c)
{
	CODE(c, world.loss, 4);
	CODE(c, world.doubles, 4);
	CODE(c, world.overtakes, 4);
	CODE(c, world.flaps, 4);
	CODE(c, world.early, 4);
	CODE(c, world.restarts, 4);
	CODE(c, world.full, 4);
	CODE(c, world.suspects, 4);
	CODE(c, world.repeated, 1);
	CODE(c, world.doubled, 1);
	/* Only the order of datagrams depends on it. */
	world.stored &= world_cfg->datagrams;
	CODE(c, world.stored, 1);
	code_ends(c);
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++) {
		struct node *node = &world.node[at];

		code_operator(c, node);
		for (u8 channel = 0; channel < world_nchannels; channel++)
			code_injq(c, &node->line[channel].rx[FC_PORT_LOCAL]);
		world_sw->code(c, at);
		for (u8 p = 1; p < node->shared.nports; p++)
			for (u8 channel = 0; has_link(at, p) && first_end(at, p) &&
			     channel < world_nchannels; channel++)
				if ((world_carried[at][p] |
				     world_carried[peer_of(at, p)][peer_port(p)]) & fc_bit(channel))
					code_pair(c, at, p, channel);
	}
	for (unsigned int at = 0; c->load && at < world_cfg->topo.nsites; at++) {
		struct node *node = &world.node[at];

		node->held = (u8)world_count_held(node);
		for (u8 channel = 0; channel < world_nchannels; channel++) {
			channel_of(node, channel)->now = NOW;
			channel_of(node, channel)->next_at = FC_NEVER;
			channel_of(node, channel)->timed = fc_bit(node->shared.nports) - 1;
		}
		world_make_routes(at);
	}
}

unsigned int world_save(u8 bytes[WORLD_CODE])
{
	struct codec c = { .p = bytes };

	codec(&c);
	for (unsigned int n = 0; n < c.n; n += 8)
		*c.p++ = (u8)(c.bits >> n);
	if (c.p > bytes + WORLD_CODE - 8)
		die("a state of %zu bytes", (size_t)(c.p - bytes));
	return (unsigned int)(c.p - bytes);
}

void world_load(const u8 *bytes)
{
	struct codec c = { .p = (u8 *)bytes, .load = true };

	codec(&c);
}
