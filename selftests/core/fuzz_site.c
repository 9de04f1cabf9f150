// SPDX-License-Identifier: GPL-2.0
/*
 * One site, driven by events from the fuzzer's input: its peers send packets and contradictory
 * flits, ack any flits, go down and come up; its operator sends packets and accepts words.
 *
 * The output is checked as a peer would check it: packets are whole and framed, sequence numbers
 * have no gap, and no flit is beyond the window.  Every target of every packet is forwarded once,
 * and a packet that no fault affects is not lost.  Every handle is released exactly once.  In the
 * end the peers behave correctly: the site comes to rest, still forwards, and holds nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger.h"
#include "core/care/machine.h"

#define WINDOW_MAX	8
/* Rounds of the final phase; a hundred times the number that it needs. */
#define ROUNDS		20000

/**
 * struct peer - the other end of a link
 * @out: flits that the site sends it
 * @sent: number of these flits
 * @acked: flits of @sent that it has acked
 * @window: its window
 * @in: packet that it is sending
 * @in_left: remaining bytes of @in
 * @next: sequence number of its next flit
 * @site_acked: flits that the site has acked
 * @flags: FC_STATUS_* requests that it has not answered
 * @dirty: it has sent invalid flits
 */
struct peer {
	struct train out;
	u32 sent;
	u32 acked;
	u32 window;
	struct packet *in;
	u32 in_left;
	u32 next;
	u32 site_acked;
	u8 flags;
	bool dirty;
};

struct bench {
	struct fc_topo topo;
	struct fc_pref pref;
	struct fc_timing timing;
	struct fc_node node;
	struct fc_site site;
	struct fc_in in[FC_PORTS_MAX];
	struct fc_out out[FC_PORTS_MAX];
	struct fc_rx rx[FC_PORTS_MAX];
	struct fc_tx tx[FC_PORTS_MAX];
	struct fc_flit *queue;
	u64 stat[FC_STAT_COUNT];
	u64 link_stat[FC_PORTS_MAX][FC_LSTAT_COUNT];
	struct peer peer[FC_PORTS_MAX];		/* 0: the operator's sending half */
	struct train buffer;			/* the network-buffer */
	struct fc_effects *fx;
	struct ledger ledger;
	u32 resets;
	u64 now;
	u32 words;				/* words in the fifo-buffer */
	bool bounded;				/* the fifo-buffer is bounded */
	u64 lost;				/* packets cut or abandoned, as last seen */
};

static void event(struct bench *b, struct fc_event *ev);

/*
 * Packets.
 */

/* The site may lose all packets in flight. */
static void excuse_all(struct bench *b)
{
	for (u32 i = 0; i < b->ledger.packets; i++)
		if (!packet_over(&b->ledger.packet[i]))
			b->ledger.packet[i].excused = true;
}

static void excuse_port(struct bench *b, u8 port)
{
	for (u32 i = 0; i < b->ledger.packets; i++)
		if (b->ledger.packet[i].port == port && !packet_over(&b->ledger.packet[i]))
			b->ledger.packet[i].excused = true;
}

/*
 * Effects.
 */

/* Is @port the first hop of a route to one of the targets? */
static bool leads(const struct bench *b, u8 port, const u8 *head, u64 mask)
{
	for (; mask; mask &= mask - 1) {
		u32 dst = fc_wire_target_site(head, fc_low64(mask));
		u32 dirs = dst == b->node.id ? 0 : fc_topo_minimal(&b->topo, b->node.id, dst);

		for (; dirs; dirs &= dirs - 1) {
			u8 d = (u8)fc_low(dirs);

			for (u8 i = 0; i < b->pref.count[d]; i++)
				if (b->pref.port[d][i] == port)
					return true;
		}
	}
	return false;
}

static void send(struct bench *b, const struct fc_effect *e)
{
	struct peer *peer = &b->peer[e->port];
	const struct fc_flit *flit = &e->flit;
	u8 branch[FC_PACKET_SIZE + FC_TARGETS_MAX * FC_TARGET_SIZE];

	CHECK(e->port && b->node.up & fc_bit(e->port),
	      "a flit for port %u, which is down", e->port);
	CHECK(e->seq == peer->sent, "port %u: flit %u, not %u", e->port, e->seq, peer->sent);
	peer->sent++;
	CHECK(peer->sent - peer->acked <= peer->window, "port %u: beyond the window", e->port);
	CHECK(!(flit->parts & ~(FC_PART_HEAD | FC_PART_TERM | FC_PART_ABORT)), "parts %x",
	      flit->parts);
	CHECK(flit->h || flit->parts == (FC_PART_TERM | FC_PART_ABORT),
	      "port %u: parts %x without a frame", e->port, flit->parts);
	if (flit->parts & FC_PART_HEAD) {
		u32 size;

		CHECK(flit->head, "port %u: a front without a head", e->port);
		/* Otherwise two packets could wait for each other's terminator. */
		CHECK(flit->parts & FC_PART_TERM || peer->sent - 1 == peer->acked,
		      "port %u: a packet of several flits behind others", e->port);
		CHECK(leads(b, e->port, flit->head, e->mask), "port %u leads nowhere", e->port);
		size = fc_wire_head_subset(branch, flit->head, e->mask, 1);
		CHECK(fc_wire_head_check(branch, flit->parts, size + flit->data, b->topo.nsites),
		      "port %u: the peer refuses the head", e->port);
	}
	train_flit(&b->ledger, &peer->out, e, e->mask);
	if (flit->parts & FC_PART_HEAD) {
		CHECK(!(peer->out.packet->going & e->mask), "targets %llx by two ports",
		      (unsigned long long)e->mask);
		peer->out.packet->going |= e->mask;
	}
	if (!(flit->parts & FC_PART_TERM))
		return;
	peer->out.packet->going &= ~peer->out.mask;
	if (!(flit->parts & FC_PART_ABORT)) {
		CHECK(!peer->out.left, "port %u: ends with %u bytes missing", e->port,
		      peer->out.left);
		packet_done(peer->out.packet, peer->out.mask, "by a link");
	}
	peer->out.packet = NULL;
}

static void note_acked(struct bench *b, u8 port, u32 ack)
{
	struct peer *peer = &b->peer[port];

	CHECK(!fc_before(ack, peer->site_acked), "port %u: took %u, then %u", port,
	      peer->site_acked, ack);
	CHECK(ack - peer->site_acked <= 2 * b->site.data.window || peer->dirty,
	      "port %u: took %u after %u",
	      port, ack, peer->site_acked);
	CHECK(peer->dirty || !fc_before(peer->next, ack), "port %u: took %u of %u", port, ack,
	      peer->next);
	peer->site_acked = ack;
}

static void serve(struct bench *b, u64 mask, bool rest)
{
	struct packet *pk = b->buffer.packet;

	CHECK(pk, "nothing to serve");
	CHECK(!b->buffer.left, "served with %u bytes missing", b->buffer.left);
	CHECK(!(mask & ~b->buffer.mask), "serves %llx of %llx", (unsigned long long)mask,
	      (unsigned long long)b->buffer.mask);
	packet_done(pk, rest ? mask : mask & pk->local, "by the operator");
	b->buffer.packet = NULL;
}

static void unreachable(struct bench *b, const struct fc_effect *e)
{
	const u8 *head = e->flit.head;
	struct packet *pk;
	u8 p;

	CHECK(head && e->mask, "nothing is unreachable");
	pk = packet_of(&b->ledger, head);
	CHECK(!(e->mask & (pk->unreachable | pk->local | ~pk->all)), "unreachable: %llx of %llx",
	      (unsigned long long)e->mask, (unsigned long long)pk->all);
	pk->unreachable |= e->mask;
	if (fc_wire_hops(head) >= FC_HOPS_MAX)
		return;
	for (p = 1; p < b->node.nports; p++)
		CHECK(!(b->node.up & fc_bit(p)) || !leads(b, p, head, e->mask), "port %u leads there",
		      p);
}

/* A status must ack the flits in the queue, and report all others as missing. */
static void check_status(const struct bench *b, const struct fc_effect *e)
{
	const struct fc_rx *rx = &b->rx[e->port];
	u32 i;

	for (i = 0; i < 64; i++) {
		bool here = i < b->site.data.window &&
			    fc_rx_slot(&b->site.data, rx, rx->consumed + i)->parts & FC_FLIT_VALID;

		CHECK((e->status.have >> i & 1) == here, "port %u: flit %u: %d", e->port, i, here);
	}
	if (e->flags & FC_STATUS_NACK)
		CHECK(e->status.upto - e->ack <= b->site.data.window &&
		      e->status.upto - e->ack > rx->queued, "port %u: nothing is missing",
		      e->port);
}

static void perform(struct bench *b)
{
	struct fc_effects *fx = b->fx;

	for (u32 i = 0; i < fx->n; i++) {
		const struct fc_effect *e = &fx->fx[i];
		struct handle *h = e->flit.h;

		CHECK(!h || !h->ours, "effect %u of type %u uses a handle given back", i, e->type);
		CHECK(e->port < b->node.nports, "port %u", e->port);
		switch ((enum fc_effect_type)e->type) {
		case FC_FX_SEND:
			send(b, e);
			note_acked(b, e->port, e->ack);
			break;
		case FC_FX_STATUS:
			CHECK(e->port && b->node.up & fc_bit(e->port), "status for port %u",
			      e->port);
			CHECK(e->seq == b->peer[e->port].sent, "port %u: %u sent, not %u", e->port,
			      e->seq, b->peer[e->port].sent);
			CHECK(!(e->flags & ~(FC_STATUS_POLL | FC_STATUS_ACK_REQUEST |
					     FC_STATUS_NACK)),
			      "flags %x", e->flags);
			check_status(b, e);
			b->peer[e->port].flags |= e->flags;
			note_acked(b, e->port, e->ack);
			break;
		case FC_FX_STORE:
			CHECK(h, "nothing to store");
			CHECK(!b->buffer.packet == !!(e->flit.parts & FC_PART_HEAD),
			      "parts %x into the network-buffer", e->flit.parts);
			train_flit(&b->ledger, &b->buffer, e, e->flit.head ?
				   packet_of(&b->ledger, e->flit.head)->all : 0);
			b->words++;
			CHECK(!b->bounded || b->words <= b->timing.fifo_room,
			      "%u words in the fifo-buffer", b->words);
			break;
		case FC_FX_SERVE:
			serve(b, e->mask, true);
			break;
		case FC_FX_SERVE_LOCAL:
			serve(b, e->mask, false);
			break;
		case FC_FX_DISCARD:
			CHECK(b->buffer.packet, "nothing to discard");
			b->buffer.packet = NULL;
			break;
		case FC_FX_UNREACHABLE:
			/* The operator reads only the head. */
			unreachable(b, e);
			continue;
		case FC_FX_DROP:
			CHECK(h && !e->keep, "nothing to drop");
			break;
		case FC_FX_RESET:
			CHECK(e->port && !h && b->node.up & fc_bit(e->port), "reset of port %u",
			      e->port);
			b->resets |= fc_bit(e->port);
			break;
		case FC_FX_RESEND:
			CHECK(e->seq - b->peer[e->port].acked <
			      b->peer[e->port].sent - b->peer[e->port].acked,
			      "port %u: flit %u again, of %u .. %u", e->port, e->seq,
			      b->peer[e->port].acked, b->peer[e->port].sent);
			note_acked(b, e->port, e->ack);
			break;
		case FC_FX_RELEASE:
			CHECK(e->seq == b->peer[e->port].acked, "port %u: %u released of %u",
			      e->port, e->seq, b->peer[e->port].acked);
			break;
		case FC_FX_SUSPECT:
			CHECK(!(e->mask & ~(u64)(b->node.up & ~fc_bit(FC_PORT_LOCAL))) && e->mask,
			      "suspects %llx", (unsigned long long)e->mask);
			break;
		case FC_FX_COPY:
			CHECK(b->peer[e->port].sent != b->peer[e->port].acked, "nothing to copy");
			break;
		case FC_FX_RESCUE:
			break;
		case FC_FX_ROUTE:
		case FC_FX_RESERVE:
		case FC_FX_ADMITTED:
			CHECK(false, "an effect of another mode");
			break;
		}
		if (h && !e->keep)
			handle_release(&b->ledger, h);
	}
	handles_free(fx);
}

/*
 * Between events.
 */

/* Check table G, and the other tables against each other. */
static void check_tables(const struct bench *b)
{
	for (u8 p = 0; p < b->node.nports; p++) {
		const struct fc_rx *rx = &b->rx[p];
		const struct fc_out *out = &b->out[p];
		u32 queued = 0;

		for (u32 i = 0; i < b->site.data.window; i++) {
			queued += !!(rx->queue[i].parts & FC_FLIT_VALID);
			CHECK(rx->queue[i].parts & FC_FLIT_VALID || !rx->queue[i].h,
			      "a handle in an empty slot");
		}
		CHECK(rx->queued == queued, "port %u: %u queued, not %u", p, rx->queued, queued);
		CHECK(out->in == FC_PORT_NONE || b->in[out->in].conn & fc_bit(p),
		      "net-output %u connected one way", p);
		for (u32 rest = b->in[p].conn; rest; rest &= rest - 1)
			CHECK(b->out[fc_low(rest)].in == p, "net-input %u connected one way", p);
		CHECK(out->claim == FC_PORT_NONE ||
		      (b->in[out->claim].state == FC_NI_FIRST && b->in[out->claim].multi),
		      "net-output %u kept for net-input %u, which is %s", p, out->claim,
		      fc_fsms[0].states[b->in[out->claim].state]);
	}
}

/* A step that is possible but not taken is a lost wakeup. */
static void check_quiet(struct bench *b)
{
	struct fc_event ev = { .type = FC_EV_MORE, .now = b->now };

	for (u8 p = 0; p < b->node.nports; p++)
		if (b->in[p].state != FC_NI_FIRST)
			b->site.work |= fc_bit(p);
	CHECK(!fc_site_event(&b->site, &ev, b->fx), "much was left to do");
	CHECK(!b->fx->n, "effect %u was left to do, for port %u", b->fx->fx[0].type,
	      b->fx->fx[0].port);
}

static void link_down(struct bench *b, u8 port)
{
	struct fc_event ev = { .type = FC_EV_LINK_DOWN, .port = port };

	b->node.up &= ~fc_bit(port);
	if (b->peer[port].out.packet)
		b->peer[port].out.packet->going &= ~b->peer[port].out.mask;
	memset(&b->peer[port], 0, sizeof(b->peer[port]));
	excuse_all(b);
	event(b, &ev);
}

static void link_up(struct bench *b, u8 port, u32 window)
{
	struct fc_event ev = { .type = FC_EV_LINK_UP, .port = port, .count = window };

	b->node.up |= fc_bit(port);
	if (b->peer[port].out.packet)
		b->peer[port].out.packet->going &= ~b->peer[port].out.mask;
	memset(&b->peer[port], 0, sizeof(b->peer[port]));
	b->peer[port].window = window < b->site.data.window ? window : b->site.data.window;
	excuse_all(b);
	event(b, &ev);
}

/* The site has cut packets that a peer did not end, or abandoned some for a stuck peer. */
static void note_lost(struct bench *b)
{
	u64 lost = 0;

	for (u8 p = 1; p < b->node.nports; p++)
		lost += b->link_stat[p][FC_LSTAT_RX_UNFINISHED] +
			b->link_stat[p][FC_LSTAT_TX_ABANDONED];
	if (lost != b->lost)
		excuse_all(b);
	b->lost = lost;
}

static void event(struct bench *b, struct fc_event *ev)
{
	unsigned int calls = 0;
	bool more;
	u32 rest;

	ev->now = b->now;
	do {
		more = fc_site_event(&b->site, ev, b->fx);
		CHECK(b->fx->n <= FC_EFFECTS, "%u effects", b->fx->n);
		CHECK(!more || b->fx->n, "more to do, and nothing done");
		note_lost(b);
		perform(b);
		ev->type = FC_EV_MORE;
		/* Bound: a window of flits on each port, each copied to each port. */
		CHECK(++calls < 1000, "never done");
	} while (more);
	check_tables(b);
	check_quiet(b);
	rest = b->resets;
	b->resets = 0;
	/* A new epoch: the link goes down at once, and comes up when the peer knows the epoch. */
	for (; rest; rest &= rest - 1)
		if (b->node.up & fc_bit(fc_low(rest)))
			link_down(b, (u8)fc_low(rest));
}

/*
 * Actions of the peers and of the operator.
 */

/* Send the next valid flit of a peer or of the operator (port 0). */
static void good_flit(struct bench *b, struct fuzz *f, u8 port)
{
	struct peer *peer = &b->peer[port];
	struct fc_event ev = { .type = FC_EV_FLIT, .port = port, .ack = peer->acked };
	u8 how = fuzz_u8(f);
	bool term = !(how & 3) || !fuzz_left(f);

	if (port ? peer->dirty || peer->next - peer->site_acked >= b->site.data.window :
		   !fc_site_room(&b->site))
		return;
	if (!peer->in) {
		u32 bytes = (how >> 2) * 10;
		u32 data = term ? bytes : bytes * fuzz_below(f, 5) / 4;

		ev.flit = front_new(&b->ledger, f, &b->topo, b->node.id, port,
				    FC_PART_HEAD | (term ? FC_PART_TERM : 0), data, bytes,
				    &peer->in);
		if (!ev.flit.h)
			return;
		peer->in_left = bytes - data;
	} else if (port && how == 7) {
		/* The site aborted the branch before the link went down. */
		peer->in->excused = true;
		term = true;
		ev.flit = flit_new(&b->ledger, FC_PART_TERM | FC_PART_ABORT, 0, NULL, 0);
	} else {
		u32 data = term ? peer->in_left : peer->in_left * (how >> 2) / 64;

		ev.flit = flit_new(&b->ledger, term ? FC_PART_TERM : 0, data, NULL, 0);
		peer->in_left -= data;
	}
	if (term) {
		peer->in->ended = true;
		peer->in = NULL;
	}
	ev.seq = port ? peer->next : fc_site_seq(&b->site);
	peer->next = ev.seq + 1;
	event(b, &ev);
}

static void note_ack(struct peer *peer, u32 ack)
{
	if (!fc_before(ack, peer->acked) && !fc_before(peer->sent, ack))
		peer->acked = ack;
}

static u64 refusals(const struct bench *b, u8 port)
{
	return b->link_stat[port][FC_LSTAT_RX_OUT_OF_WINDOW] +
	       b->link_stat[port][FC_LSTAT_RX_REPEATED];
}

/* Send any flit that decodes. */
static void odd_flit(struct bench *b, struct fuzz *f, u8 port)
{
	static const u8 odd_parts[] = {
		0, FC_PART_TERM, FC_PART_TERM | FC_PART_ABORT, FC_PART_HEAD,
		FC_PART_HEAD | FC_PART_TERM,
	};
	struct peer *peer = &b->peer[port];
	struct fc_event ev = { .type = FC_EV_FLIT, .port = port };
	u8 parts = odd_parts[fuzz_below(f, FC_ARRAY_SIZE(odd_parts))];
	u8 where = fuzz_u8(f);
	u32 data = fuzz_below(f, 64) * 10;
	struct packet *pk = NULL;
	u64 refused;
	bool fits;

	if (parts & FC_PART_HEAD) {
		u32 bytes = parts & FC_PART_TERM ? data : fuzz_below(f, 64) * 10;

		ev.flit = front_new(&b->ledger, f, &b->topo, b->node.id, port, parts, data, bytes,
				    &pk);
		if (!ev.flit.h)
			return;
		pk->excused = true;
	} else {
		ev.flit = flit_new(&b->ledger, parts, parts & FC_PART_ABORT ? 0 : data, NULL, 0);
	}
	peer->dirty = true;
	excuse_port(b, port);
	ev.seq = where == 255 ? fuzz_u32(f) : peer->site_acked + where % 20 - 4;
	if (where >> 6 == 1)
		ev.seq = b->rx[port].consumed + b->rx[port].queued;
	ev.ack = where & 32 ? peer->acked + fuzz_below(f, 12) - 2 : peer->acked;
	note_ack(peer, ev.ack);
	refused = refusals(b, port);
	fits = ev.seq - b->rx[port].consumed < b->site.data.window &&
	       !(fc_rx_slot(&b->site.data, &b->rx[port], ev.seq)->parts & FC_FLIT_VALID);
	event(b, &ev);
	CHECK(refusals(b, port) == refused + !fits, "port %u: flit %u fits: %d", port, ev.seq,
	      fits);
}

static void status(struct bench *b, u8 port, u8 flags, u32 seq, u32 ack, u64 have, u32 upto)
{
	struct fc_event ev = {
		.type = FC_EV_STATUS, .port = port, .flags = flags, .seq = seq, .ack = ack,
		.status = { .have = have, .upto = upto },
	};

	note_ack(&b->peer[port], ack);
	event(b, &ev);
	if (b->node.up & fc_bit(port))
		CHECK(b->tx[port].acked == b->peer[port].acked, "port %u: acknowledged %u, not %u",
		      port, b->tx[port].acked, b->peer[port].acked);
}

static void good_status(struct bench *b, struct fuzz *f, u8 port)
{
	struct peer *peer = &b->peer[port];
	u8 how = fuzz_u8(f);
	u32 ack = peer->acked + (how >> 2) % (peer->sent - peer->acked + 1);

	/* The test does not know what a dirty peer has sent. */
	status(b, port, how & (peer->dirty ? FC_STATUS_ACK_REQUEST : 7), peer->next, ack,
	       fuzz_u8(f) & fc_mask_all(peer->sent - ack), peer->sent);
}

static void odd_status(struct bench *b, struct fuzz *f, u8 port)
{
	struct peer *peer = &b->peer[port];
	u8 how = fuzz_u8(f);
	u32 seq = how & 64 ? fuzz_u32(f) : peer->site_acked + fuzz_below(f, 16) - 2;
	u32 ack = how & 128 ? fuzz_u32(f) : peer->acked + fuzz_below(f, 12) - 2;

	peer->dirty = true;
	excuse_port(b, port);
	status(b, port, how & 7, seq, ack, how & 32 ? fuzz_u32(f) : fuzz_u8(f) & fuzz_u8(f),
	       ack + fuzz_below(f, 16));
}

static void operator_takes(struct bench *b, u32 most)
{
	struct fc_event ev = { .type = FC_EV_ROOM };

	ev.count = most < b->words ? most : b->words;
	if (!ev.count)
		return;
	b->words -= ev.count;
	event(b, &ev);
}

static void time_passes(struct bench *b, u32 by)
{
	struct fc_event ev = { .type = FC_EV_TIME };

	b->now += by;
	event(b, &ev);
	CHECK(fc_site_next_at(&b->site) > b->now, "still due");
}

/* Final phase. */

/* A peer answers, acks and ends its packet; a dirty peer first sends the missing flits. */
static void behave(struct bench *b, struct fuzz *f, u8 port)
{
	struct peer *peer = &b->peer[port];
	struct fc_rx *rx = &b->rx[port];

	if (peer->dirty) {
		struct fc_event ev = { .type = FC_EV_FLIT, .port = port };

		/* Send each missing flit as a terminator, whether or not a packet is in flight. */
		while (rx->end - rx->consumed != rx->queued) {
			u32 seq = rx->consumed;

			while (fc_rx_slot(&b->site.data, rx, seq)->parts & FC_FLIT_VALID)
				seq++;
			ev.type = FC_EV_FLIT;
			ev.flit = flit_new(&b->ledger, FC_PART_TERM | FC_PART_ABORT, 0, NULL, 0);
			ev.ack = peer->acked;
			ev.seq = seq;
			event(b, &ev);
			if (!(b->node.up & fc_bit(port)))
				return;
		}
		peer->next = rx->end;
		status(b, port, FC_STATUS_POLL | FC_STATUS_ACK_REQUEST, peer->next, peer->sent, 0,
		       0);
		if (rx->queued == b->site.data.window || !(b->node.up & fc_bit(port)))
			return;
		/* Terminate the packet of the peer, whether or not one is in flight. */
		ev.type = FC_EV_FLIT;
		ev.flit = flit_new(&b->ledger, FC_PART_TERM | FC_PART_ABORT, 0, NULL, 0);
		ev.ack = peer->acked;
		ev.seq = peer->next++;
		peer->in = NULL;
		event(b, &ev);
		peer->dirty = false;
	}
	if (peer->in)
		good_flit(b, f, port);
	if (peer->acked != peer->sent || peer->flags || peer->site_acked != peer->next)
		status(b, port, FC_STATUS_POLL, peer->next, peer->sent, 0, 0);
	peer->flags = 0;
}

static bool at_rest(const struct bench *b)
{
	for (u8 p = 0; p < b->node.nports; p++)
		if (b->peer[p].in || b->peer[p].dirty || b->peer[p].acked != b->peer[p].sent)
			return false;
	return fc_site_idle(&b->site) && !b->words;
}

static void come_to_rest(struct bench *b, struct fuzz *f)
{
	for (unsigned int i = 0; !at_rest(b); i++) {
		for (u8 p = 1; p < b->node.nports; p++)
			if (b->node.up & fc_bit(p))
				behave(b, f, p);
		if (b->peer[FC_PORT_LOCAL].in)
			good_flit(b, f, FC_PORT_LOCAL);
		if (b->bounded)
			operator_takes(b, 1 + i % 3);
		else
			b->words = 0;
		time_passes(b, 1 + i % 7);
		if (i < ROUNDS)
			continue;
		for (u8 p = 0; p < b->node.nports; p++)
			fprintf(stderr,
				"port %u: net-input %s, connected to %x, %u queued; net-output %s, %u of %u taken\n",
				p, fc_fsms[0].states[b->in[p].state], b->in[p].conn,
				b->rx[p].queued, fc_fsms[1].states[b->out[p].state],
				b->tx[p].acked, b->tx[p].sent);
		CHECK(false, "never comes to rest");
	}
	CHECK(!b->buffer.packet, "a packet forgotten in the network-buffer");
}

/* At rest, the site forwards a packet of two flits directly to its target. */
static void check_forwards(struct bench *b, struct fuzz *f, u8 from, u32 to)
{
	u8 head[FC_PACKET_SIZE + FC_TARGET_SIZE];
	struct peer *peer = &b->peer[from];
	struct packet *pk = &b->ledger.packet[b->ledger.packets];
	struct fc_packet header = {
		.ntargets = 1, .id = b->ledger.packets, .msg_len = 20,
	};
	struct fc_target t = { .site = to, .port = 1, .flags = FC_TARGET_LAST };
	struct fc_event ev = { .type = FC_EV_FLIT, .port = from, .ack = peer->acked };
	u64 forced = b->stat[FC_STAT_PKT_FORCED];

	if (b->ledger.packets == PACKETS_MAX)
		return;
	b->ledger.packets++;
	*pk = (struct packet){ .all = 1, .local = to == b->node.id, .port = from };
	fc_wire_packet_encode(head, &header);
	fc_wire_target_encode(head, 0, &t);
	ev.flit = flit_new(&b->ledger, FC_PART_HEAD, 10, head, sizeof(head));
	ev.seq = from ? peer->next : fc_site_seq(&b->site);
	peer->next = ev.seq + 1;
	peer->in = pk;
	peer->in_left = 10;
	event(b, &ev);
	come_to_rest(b, f);
	CHECK(pk->ended && pk->done == 1 && !pk->excused, "from port %u to site %u: lost", from,
	      to);
	CHECK(b->stat[FC_STAT_PKT_FORCED] == forced, "from port %u to site %u: was stored", from,
	      to);
}

static void count_drop(void *arg, void *h)
{
	handle_release(&((struct bench *)arg)->ledger, h);
	free(h);
}

static void bench_init(struct bench *b, struct fuzz *f)
{
	static const char *const specs[] = {
		"torus:4x4", "mesh:3x3", "line:5", "hypercube:4", "ring:5", "torus:3x3x3",
	};
	struct fc_site *site = &b->site;
	u8 how;

	memset(b, 0, sizeof(*b));
	if (fc_topo_parse(&b->topo, specs[fuzz_below(f, FC_ARRAY_SIZE(specs))]))
		abort();
	fc_pref_default(&b->pref, &b->topo);
	b->node.id = fuzz_below(f, b->topo.nsites);
	site->data.window = 1 + fuzz_below(f, WINDOW_MAX);
	how = fuzz_u8(f);
	b->timing = (struct fc_timing){
		.seek = 1 + (how & 7), .timeout = 8 << (how >> 3 & 3),
		.retry = 2 << (how >> 5 & 3), .ack_delay = 2 << (how >> 5 & 3),
		.poll = 16 << (how >> 5 & 3),
	};
	how = fuzz_u8(f);
	b->timing.seek_max = how & 7;
	b->timing.fifo_room = how >> 3 & 7;
	b->bounded = b->timing.fifo_room;
	b->node.nports = b->topo.ndirs + 1;
	/* Each direction may use the port of the next direction as well. */
	if (how & 64)
		for (u8 d = 0; d < b->topo.ndirs; d++) {
			b->pref.count[d] = 2;
			b->pref.port[d][1] = (d + 1) % b->topo.ndirs + 1;
		}
	site->node = &b->node;
	b->node.topo = &b->topo;
	b->node.pref = &b->pref;
	b->node.timing = &b->timing;
	site->in = b->in;
	site->out = b->out;
	site->data.rx = b->rx;
	site->data.tx = b->tx;
	b->node.stat = b->stat;
	b->queue = calloc((size_t)b->node.nports * site->data.window, sizeof(*b->queue));
	b->fx = malloc(sizeof(*b->fx));
	if (!b->queue || !b->fx)
		abort();
	for (u8 p = 0; p < b->node.nports; p++) {
		b->rx[p].queue = b->queue + (size_t)p * site->data.window;
		b->rx[p].stat = b->link_stat[p];
	}
	fc_site_init(site, fuzz_u8(f));
	/* In most runs all links are up at the beginning. */
	if (how & 128)
		return;
	for (u8 p = 1; p < b->node.nports; p++)
		if (fc_topo_neighbour(&b->topo, b->node.id, p - 1) != FC_SITE_NONE)
			link_up(b, p, 1 + fuzz_below(f, WINDOW_MAX));
}

/* Check the next hop of a control frame. */
static void check_next_port(struct bench *b, u32 dst)
{
	u32 dirs = dst == b->node.id ? 0 : fc_topo_minimal(&b->topo, b->node.id, dst);
	u8 port = fc_node_next_port(&b->node, dst);
	u32 usable = 0;

	for (; dirs; dirs &= dirs - 1) {
		u8 d = (u8)fc_low(dirs);

		for (u8 i = 0; i < b->pref.count[d]; i++)
			usable |= fc_bit(b->pref.port[d][i]);
	}
	usable &= b->node.up;
	CHECK(usable ? port < FC_PORTS_MAX && usable & fc_bit(port) : port == FC_PORT_NONE,
	      "to site %u by port %u of %x", dst, port, usable);
}

static void one_event(struct bench *b, struct fuzz *f)
{
	u8 what = fuzz_u8(f), port = (u8)(1 + (what >> 4) % (b->node.nports - 1));
	bool cabled = fc_topo_neighbour(&b->topo, b->node.id, port - 1) != FC_SITE_NONE;
	bool up = b->node.up & fc_bit(port);

	switch (what & 15) {
	case 0:
		if (up)
			link_down(b, port);
		break;
	case 1:
		/* Up again without having been down: the HELLOs of the ends crossed. */
		if (cabled)
			link_up(b, port, 1 + fuzz_below(f, WINDOW_MAX));
		break;
	case 2:
	case 3:
	case 4:
		good_flit(b, f, FC_PORT_LOCAL);
		break;
	case 5:
	case 6:
		if (up)
			good_status(b, f, port);
		break;
	case 7:
		time_passes(b, what >> 4);
		check_next_port(b, (what >> 4) % b->topo.nsites);
		break;
	case 8:
		time_passes(b, fuzz_u8(f));
		break;
	case 9:
		if (b->bounded)
			operator_takes(b, 1 + (what >> 4));
		break;
	case 10:
	case 11:
	case 12:
	case 13:
		if (up)
			good_flit(b, f, port);
		break;
	case 14:
		if (up)
			odd_flit(b, f, port);
		break;
	case 15:
		if (up)
			odd_status(b, f, port);
		break;
	}
	if (!b->bounded)
		b->words = 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct bench b;
	struct fuzz f = { data, data + size };
	u8 end;

	if (size < 8)
		return 0;
	end = fuzz_u8(&f);
	bench_init(&b, &f);
	while (fuzz_left(&f))
		one_event(&b, &f);
	if (end & 1) {
		come_to_rest(&b, &f);
		packets_check(&b.ledger);
		for (u8 p = 1; p < b.node.nports; p++) {
			if (!(b.node.up & fc_bit(p)))
				continue;
			check_forwards(&b, &f, FC_PORT_LOCAL,
				       fc_topo_neighbour(&b.topo, b.node.id, p - 1));
			check_forwards(&b, &f, p, b.node.id);
		}
	}
	if (end & 2) {
		for (u8 p = 1; p < b.node.nports; p++)
			if (b.node.up & fc_bit(p))
				link_down(&b, p);
		come_to_rest(&b, &f);
		packets_check(&b.ledger);
		CHECK(!b.ledger.held, "%u handles kept", b.ledger.held);
	}
	fc_site_purge(&b.site, count_drop, &b);
	CHECK(!b.ledger.held, "%u handles kept", b.ledger.held);
	free(b.queue);
	free(b.fx);
	return 0;
}
