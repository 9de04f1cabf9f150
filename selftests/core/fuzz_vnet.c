// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of one site in mode vnet or postman, driven by events from the fuzzer's input: its
 * peers send packets in any class and contradictory flits, ack any flits, go down and come up; its
 * operator sends packets; routes change.
 *
 * The output is checked as a peer would check it: packets are whole and framed in each class, flits
 * are full, sequence numbers have no gap, and a packet begins only with credit for all its
 * flits.  Every target of every packet is forwarded once, in a permitted class, or goes to the
 * operator, or is reported unreachable.  Only packets that a peer or a link cut are lost, and dead
 * packets are not forwarded.  Every handle is released exactly once.  In the end the peers behave
 * correctly, or all but one, which never sends the rest of its packets and takes no flit: the
 * switch comes to rest, still forwards beside that one, and holds nothing.
 *
 * Each input runs twice, with the fast path of core/vnet/vnet_pass.c and without it (record.h).
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_vnet.h"
#include "core/care/machine.h"
#include "core/vnet/postman.h"
#include "record.h"
#include "core/faults/routes.h"

/* Rounds of the final phase; a hundred times the number that it needs. */
#define ROUNDS		20000

static void event(struct bench *b, u8 class, struct fc_event *ev);

static u32 packet_flits(u32 bytes, u32 front)
{
	return 1 + (bytes - front + PAYLOAD - 1) / PAYLOAD;
}

/*
 * Effects.
 */

/* Return: the lowest class in which single packets to these targets would begin. */
static u8 begins(const struct bench *b, const u8 *head)
{
	u8 class = FC_VCLASSES_MAX;

	for (u32 i = 0; i < fc_wire_ntargets(head); i++) {
		u32 dst = fc_wire_target_site(head, i);
		u8 first = fc_vclass_first(&b->classes, b->node.id, dst);

		if (dst != b->node.id && first < class)
			class = first;
	}
	return class < b->classes.count ? class : 0;
}

/* May a packet of class @from be forwarded to port @port for site @dst, in class @class? */
static bool leaves(const struct bench *b, u8 from, u8 port, u32 dst, u8 class)
{
	u8 next[FC_DIRS_MAX];

	return fc_vclass_next_hops(&b->classes, b->node.id, dst, from, next) & fc_bit(port - 1) &&
	       next[port - 1] == class;
}

/*
 * May a packet with target list @head be forwarded to @port in class @class?  A packet of this site
 * may detour, in the lowest class, around links that are dead, or were when it was routed.
 */
static bool may_leave(const struct bench *b, const struct packet *pk, const u8 *head, u8 port,
		      u32 dst, u8 class)
{
	u8 next[FC_DIRS_MAX];
	u32 dirs;

	if (pk->port != FC_PORT_LOCAL)
		return leaves(b, pk->class, port, dst, class);
	if (leaves(b, begins(b, head), port, dst, class))
		return true;
	dirs = fc_vclass_allowed(&b->classes, b->node.id, 0, next);
	return dirs & fc_bit(port - 1) && next[port - 1] == class;
}

/* Does a route to @dst of a packet of this site begin at this port, in some class? */
static bool leads(const struct bench *b, const u8 *head, u8 port, u32 dst)
{
	u32 dirs = b->node.routes ? b->node.routes[dst] : ~(u32)0;
	u8 next[FC_DIRS_MAX];

	dirs = fc_node_permitted(&b->node, dst, dirs);
	if (!(dirs & fc_bit(port - 1)))
		return false;
	return b->node.routes ||
	       fc_vclass_next_hops(&b->classes, b->node.id, dst, begins(b, head), next) &
	       fc_bit(port - 1);
}

/*
 * The switch forwards a front eagerly, before routing it: straight on, and only with one
 * target.  If the next hop is wrong, the copy is dead.
 */
static bool send_eager(struct bench *b, u8 class, const struct fc_effect *e,
		       const struct packet *pk)
{
	const struct fc_straight *s = &b->straight[pk->class * b->v.nports + pk->port];

	CHECK(pk->port && e->mask == 1 && pk->all == 1 && !b->node.routes && !b->node.prefers,
	      "port %u: a front with targets %llx goes on", e->port, (unsigned long long)pk->all);
	CHECK(s->port == e->port && s->class == class, "port %u, class %u: not straight on",
	      e->port, class);
	CHECK(fc_part_eager(e->flit.parts) == pk->run + 1, "port %u: run %u", e->port,
	      fc_part_eager(e->flit.parts));
	return !pk->dead && fc_postman_right(&b->topo, b->node.id,
					     fc_wire_target_site(e->flit.head, 0), e->port - 1);
}

static void send(struct bench *b, u8 class, const struct fc_effect *e)
{
	struct peer *peer = &b->peer[class][e->port];
	const struct fc_flit *flit = &e->flit;
	u8 branch[FC_PACKET_SIZE + FC_TARGETS_MAX * FC_TARGET_SIZE];

	CHECK(e->port && b->up & fc_bit(e->port), "a flit for port %u, which is down", e->port);
	CHECK(e->seq == peer->sent, "port %u: flit %u, not %u", e->port, e->seq, peer->sent);
	CHECK(!(flit->parts & ~(FC_PART_HEAD | FC_PART_TERM | FC_PART_ABORT | FC_PART_EAGER)) &&
	      (flit->parts & FC_PART_HEAD || !(flit->parts & FC_PART_EAGER)), "parts %x",
	      flit->parts);
	CHECK(flit->h || flit->parts == (FC_PART_TERM | FC_PART_ABORT),
	      "port %u: parts %x without a frame", e->port, flit->parts);
	if (flit->parts & FC_PART_HEAD) {
		u32 size, n = packet_flits(fc_wire_data_len(flit->head), flit->data);
		struct packet *pk = packet_of(&b->ledger, flit->head);

		CHECK(peer->sent - peer->acked + n <= b->window[e->port],
		      "port %u: %u flits where %u of %u are under way", e->port, n,
		      peer->sent - peer->acked, b->window[e->port]);
		size = fc_wire_head_subset(branch, flit->head, e->mask, 1);
		CHECK(fc_wire_head_check(branch, flit->parts, size + flit->data, b->topo.nsites),
		      "port %u: the peer refuses the head", e->port);
		peer->dead = flit->parts & FC_PART_EAGER && !send_eager(b, class, e, pk);
		CHECK(peer->dead || !pk->dead, "port %u: sends on what is dead", e->port);
		for (u64 rest = flit->parts & FC_PART_EAGER ? 0 : e->mask; rest; rest &= rest - 1)
			CHECK(may_leave(b, pk, flit->head, e->port,
					fc_wire_target_site(flit->head, fc_low64(rest)), class),
			      "port %u, class %u: not for target %u", e->port, class,
			      fc_low64(rest));
		CHECK(peer->dead || !((pk->going | pk->unreachable) & e->mask),
		      "targets %llx by two ways", (unsigned long long)e->mask);
		if (!peer->dead)
			pk->going |= e->mask;
	} else {
		CHECK(flit->parts & FC_PART_TERM || flit->data == PAYLOAD,
		      "port %u: %u bytes in the midst", e->port, flit->data);
		CHECK(flit->data <= PAYLOAD, "port %u: %u bytes at the end", e->port, flit->data);
	}
	peer->sent++;
	CHECK(peer->sent - peer->acked <= b->window[e->port], "port %u: beyond the window",
	      e->port);
	train_flit(&b->ledger, &peer->out, e, e->mask);
	if (!(flit->parts & FC_PART_TERM))
		return;
	if (peer->dead) {
		CHECK(flit->parts & (FC_PART_HEAD | FC_PART_ABORT), "port %u: all of what is dead",
		      e->port);
		peer->out.packet = NULL;
		return;
	}
	peer->out.packet->going &= ~peer->out.mask;
	if (flit->parts & FC_PART_ABORT) {
		CHECK(peer->out.packet->excused, "port %u: aborted", e->port);
	} else {
		CHECK(!peer->out.left, "port %u: ends with %u bytes missing", e->port,
		      peer->out.left);
		packet_done(peer->out.packet, peer->out.mask, "by a link");
	}
	peer->out.packet = NULL;
}

static void note_acked(struct bench *b, u8 class, u8 port, u32 ack)
{
	struct peer *peer = &b->peer[class][port];

	CHECK(!fc_before(ack, peer->site_acked), "%u: %u after %u", port, ack, peer->site_acked);
	CHECK(ack - peer->site_acked <= 2 * b->ch[class].window || peer->dirty,
	      "port %u: took %u after %u", port, ack, peer->site_acked);
	CHECK(peer->dirty || !fc_before(peer->next, ack), "port %u: took %u of %u", port, ack,
	      peer->next);
	peer->site_acked = ack;
}

/* The operator gets packets in one piece. */
static void store(struct bench *b, const struct fc_effect *e)
{
	CHECK(e->flit.h, "nothing to store");
	train_flit(&b->ledger, &b->buffer, e, e->flit.parts & FC_PART_HEAD ?
		   packet_of(&b->ledger, e->flit.head)->all : 0);
	if (e->flit.parts & FC_PART_TERM)
		CHECK(!b->buffer.left, "stored with %u bytes missing", b->buffer.left);
}

static void serve(struct bench *b, u64 mask)
{
	struct packet *pk = b->buffer.packet;

	CHECK(pk, "nothing to serve");
	CHECK(!b->buffer.left, "served with %u bytes missing", b->buffer.left);
	CHECK(!pk->dead, "serves what is dead");
	CHECK(mask && !(mask & ~pk->all), "serves %llx of %llx", (unsigned long long)mask,
	      (unsigned long long)pk->all);
	CHECK(!((pk->unreachable | pk->going) & mask), "targets %llx by two ways",
	      (unsigned long long)mask);
	packet_done(pk, mask, "by the operator");
	b->buffer.packet = NULL;
}

static void unreachable(struct bench *b, const struct fc_effect *e)
{
	const u8 *head = e->flit.head;
	struct packet *pk;

	CHECK(head && e->mask, "nothing is unreachable");
	pk = packet_of(&b->ledger, head);
	CHECK(!pk->dead, "tells of what is dead");
	CHECK(!(e->mask & (pk->unreachable | pk->going | pk->done | pk->local | ~pk->all)),
	      "unreachable: %llx of %llx", (unsigned long long)e->mask,
	      (unsigned long long)pk->all);
	pk->unreachable |= e->mask;
	if (fc_wire_hops(head) >= FC_HOPS_MAX)
		return;
	CHECK(pk->port == FC_PORT_LOCAL && !b->node.rerouting, "from port %u, rerouting: %d",
	      pk->port, b->node.rerouting);
	for (u64 rest = e->mask; rest; rest &= rest - 1) {
		u32 dst = fc_wire_target_site(head, fc_low64(rest));

		for (u8 p = 1; p < b->v.nports; p++)
			CHECK(!(b->up & fc_bit(p)) || !leads(b, head, p, dst) ||
			      b->window[p] < packet_flits(fc_wire_data_len(head), e->flit.data),
			      "port %u leads to site %u", p, dst);
	}
}

/* A status must ack the flits in the queue, and report all others as missing. */
static void check_status(const struct bench *b, u8 class, const struct fc_effect *e)
{
	const struct fc_channel *ch = &b->ch[class];
	const struct fc_rx *rx = &ch->rx[e->port];

	for (u32 i = 0; i < 64; i++) {
		bool here = i < ch->window &&
			    fc_rx_slot(ch, rx, rx->consumed + i)->parts & FC_FLIT_VALID;

		CHECK((e->status.have >> i & 1) == here, "port %u: flit %u: %d", e->port, i, here);
	}
	if (e->flags & FC_STATUS_NACK)
		CHECK(e->status.upto - e->ack <= ch->window && e->status.upto - e->ack > rx->queued,
		      "port %u: nothing is missing", e->port);
}

/* Perform an effect on the channel of a class. */
static void perform_channel(struct bench *b, const struct fc_effect *e)
{
	u8 class = e->vc - FC_VC_CLASS;
	struct peer *peer = &b->peer[class][e->port];

	CHECK(e->vc >= FC_VC_CLASS && class < b->v.nclasses, "channel %u", e->vc);
	CHECK(e->port, "for the operator");
	switch ((enum fc_effect_type)e->type) {
	case FC_FX_SEND:
		send(b, class, e);
		note_acked(b, class, e->port, e->ack);
		break;
	case FC_FX_STATUS:
		CHECK(b->up & fc_bit(e->port), "status for port %u", e->port);
		CHECK(e->seq == peer->sent, "port %u: %u sent, not %u", e->port, e->seq,
		      peer->sent);
		CHECK(!(e->flags & ~(FC_STATUS_POLL | FC_STATUS_ACK_REQUEST | FC_STATUS_NACK)),
		      "flags %x", e->flags);
		check_status(b, class, e);
		peer->flags |= e->flags;
		note_acked(b, class, e->port, e->ack);
		break;
	case FC_FX_RESEND:
		CHECK(e->seq - peer->acked < peer->sent - peer->acked,
		      "port %u: flit %u again, of %u .. %u", e->port, e->seq, peer->acked,
		      peer->sent);
		note_acked(b, class, e->port, e->ack);
		break;
	case FC_FX_RELEASE:
		CHECK(e->seq == peer->acked, "port %u: %u released of %u", e->port, e->seq,
		      peer->acked);
		break;
	case FC_FX_SUSPECT:
		CHECK(e->mask && !(e->mask & ~(u64)(b->up & ~fc_bit(FC_PORT_LOCAL))),
		      "suspects %llx", (unsigned long long)e->mask);
		break;
	case FC_FX_COPY:
		CHECK(peer->sent != peer->acked, "nothing to copy");
		break;
	case FC_FX_RESET:
		CHECK(b->up & fc_bit(e->port), "reset of port %u", e->port);
		b->resets |= fc_bit(e->port);
		break;
	default:
		break;
	}
}

static void perform(struct bench *b)
{
	struct fc_effects *fx = &b->fx;

	for (u32 i = 0; i < fx->n; i++) {
		const struct fc_effect *e = &fx->fx[i];
		struct handle *h = e->flit.h;

		CHECK(!h || !h->ours, "effect %u of type %u uses a handle given back", i, e->type);
		CHECK(e->port < b->v.nports, "port %u", e->port);
		CHECK(!b->buffer.packet || e->type == FC_FX_STORE || e->type == FC_FX_SERVE,
		      "effect of type %u amid those of a packet stored", e->type);
		switch ((enum fc_effect_type)e->type) {
		case FC_FX_STORE:
			store(b, e);
			break;
		case FC_FX_SERVE:
			serve(b, e->mask);
			break;
		case FC_FX_UNREACHABLE:
			/* The operator reads only the head. */
			unreachable(b, e);
			continue;
		case FC_FX_DROP:
			CHECK(h && !e->keep, "nothing to drop");
			break;
		case FC_FX_ROUTE:
			CHECK(b->straight && e->port && e->vc >= FC_VC_CLASS, "nothing to look at");
			break;
		case FC_FX_SERVE_LOCAL:
		case FC_FX_DISCARD:
			CHECK(false, "effect of type %u", e->type);
			break;
		default:
			perform_channel(b, e);
			break;
		}
		if (h && !e->keep)
			handle_release(&b->ledger, h);
	}
	CHECK(!b->buffer.packet, "a packet stored and not served");
	handles_free(fx);
}

/*
 * Between events.
 */

static void check_queue(const struct bench *b, u8 class, u8 port)
{
	const struct fc_rx *rx = &b->ch[class].rx[port];
	u32 queued = 0;

	for (u32 i = 0; i < b->ch[class].window; i++) {
		queued += !!(rx->queue[i].parts & FC_FLIT_VALID);
		CHECK(rx->queue[i].parts & FC_FLIT_VALID || !rx->queue[i].h,
		      "a handle in an empty slot");
	}
	CHECK(rx->queued == queued, "port %u: %u queued, not %u", port, rx->queued, queued);
}

/* Every active branch is in exactly one list, whose length field is right. */
static void check_branches(const struct bench *b)
{
	u8 slots = fc_vnet_branches(b->topo.ndirs);
	u32 i, inputs = (u32)b->v.nclasses * b->v.nports, active = 0, waiting = 0;

	for (i = 0; i < inputs; i++) {
		const struct fc_vin *in = &b->in[i];
		u32 own = 0;

		for (u8 k = 0; in->busy && k < in->nbranches; k++)
			own += !in->branch[k].completed;
		CHECK(own == (in->busy ? in->active : 0), "%u branches, not %u", in->active, own);
		active += own;
	}
	for (i = 0; i < inputs; i++) {
		const struct fc_vout *out = &b->out[i];
		u32 load = 0, last = FC_VBRANCH_NONE;

		for (u32 at = out->first; at != FC_VBRANCH_NONE; at = b->branch[at].next) {
			const struct fc_vbranch *br = &b->branch[at];

			CHECK(!br->completed && br->class * b->v.nports + br->port == (int)i &&
			      (at == out->first || !br->begun), "a line that is not in order");
			CHECK(++waiting <= active, "a branch in two lines");
			load += b->in[at / slots].n;
			last = at;
		}
		CHECK(load == out->load && last == out->last, "a line of %u, not %u", load,
		      out->load);
	}
	CHECK(waiting == active, "%u branches wait, of %u", waiting, active);
}

/* A step that is possible but not taken is a lost wakeup. */
static void check_quiet(struct bench *b)
{
	struct fc_event ev = { .type = FC_EV_MORE, .now = b->now };
	bool more;

	CHECK(!b->v.work, "work left");
	for (u8 c = 0; c < b->v.nclasses; c++)
		for (u8 p = 0; p < b->v.nports; p++) {
			u32 at = (u32)c * b->v.nports + p;

			if (b->in[at].busy || b->rx[at].queued)
				b->v.come[c] |= fc_bit(p);
			if (b->out[at].first != FC_VBRANCH_NONE)
				b->v.go[c] |= fc_bit(p);
			if (b->v.come[c] | b->v.go[c])
				b->v.work |= fc_bit64(c);
		}
	do {
		more = fc_vnet_event(&b->v, 0, &ev, &b->fx);
		CHECK(!more || b->v.nrouted, "much was left to do");
		CHECK(!b->fx.n, "effect %u was left to do, for port %u", b->fx.fx[0].type,
		      b->fx.fx[0].port);
	} while (more);
}

/* The link may have lost packets in flight; packets that only wait for it must not be lost. */
static void link_reset(struct bench *b, u8 port, u32 window)
{
	u32 most = b->ch[0].window;

	for (u8 c = 0; c < b->v.nclasses; c++) {
		struct train *out = &b->peer[c][port].out;

		if (out->packet && !b->peer[c][port].dead) {
			out->packet->going &= ~out->mask;
			out->packet->excused = true;
		}
		memset(&b->peer[c][port], 0, sizeof(b->peer[c][port]));
		packets_excuse(&b->ledger, c, port);
	}
	b->window[port] = window < most ? window : most;
}

static void link_down(struct bench *b, u8 port)
{
	struct fc_event ev = { .type = FC_EV_LINK_DOWN, .port = port };

	b->up &= ~fc_bit(port);
	link_reset(b, port, 0);
	event(b, 0, &ev);
}

static void link_up(struct bench *b, u8 port, u32 window)
{
	struct fc_event ev = { .type = FC_EV_LINK_UP, .port = port, .count = window };

	b->up |= fc_bit(port);
	link_reset(b, port, window);
	event(b, 0, &ev);
}

/* The switch has cut packets that a peer did not end, or abandoned some for a stuck peer. */
static void note_lost(struct bench *b)
{
	u64 abandoned = 0;

	for (u8 c = 0; c < b->v.nclasses; c++)
		for (u8 p = 1; p < b->v.nports; p++) {
			const u64 *stat = b->link_stat[c][p];

			if (stat[FC_LSTAT_RX_UNFINISHED] != b->unfinished[c][p])
				packets_excuse(&b->ledger, c, p);
			b->unfinished[c][p] = stat[FC_LSTAT_RX_UNFINISHED];
			abandoned += stat[FC_LSTAT_TX_ABANDONED];
		}
	for (u32 i = 0; abandoned != b->abandoned && i < b->ledger.packets; i++)
		b->ledger.packet[i].excused |= !packet_over(&b->ledger.packet[i]);
	b->abandoned = abandoned;
}

static void event(struct bench *b, u8 class, struct fc_event *ev)
{
	unsigned int calls = 0;
	u64 sum = 0;
	bool more;
	u32 rest;

	ev->now = b->now;
	do {
		more = fc_vnet_event(&b->v, class, ev, &b->fx);
		sum += record_sum(&b->fx);
		CHECK(b->fx.n <= FC_EFFECTS, "%u effects", b->fx.n);
		CHECK(!more || b->fx.n || b->v.nrouted, "more to do, and nothing done");
		/* The switch stops after FC_TARGETS_MAX targets, and those of one more packet. */
		CHECK(b->v.nrouted < 2 * FC_TARGETS_MAX && (b->v.nrouted < FC_TARGETS_MAX || more ||
							    !b->v.work), "%u looks", b->v.nrouted);
		if (ev->type == FC_EV_FLIT && ev->port)
			record_flit(&b->fx, ev->port, b->ch[class].vc);
		note_lost(b);
		perform(b);
		ev->type = FC_EV_MORE;
		/* Bound: a window of flits in each queue, each copied to each port. */
		CHECK(++calls < 1000, "never done");
	} while (more);
	record_event(sum);
	for (u8 c = 0; c < b->v.nclasses; c++)
		for (u8 p = 0; p < b->v.nports; p++)
			if (c == class || b->ch[c].rx[p].queued)
				check_queue(b, c, p);
	check_branches(b);
	check_quiet(b);
	rest = b->resets;
	b->resets = 0;
	/* A new epoch: the link goes down at once, and comes up when the peer knows the epoch. */
	for (; rest; rest &= rest - 1)
		if (b->up & fc_bit(fc_low(rest)))
			link_down(b, (u8)fc_low(rest));
}

/*
 * Actions of the peers and of the operator.
 */

/* Sites before the peer have forwarded the front eagerly. */
static void front_runs(struct bench *b, struct fuzz *f, struct fc_flit *front, struct packet *pk)
{
	pk->run = fuzz_below(f, FC_EAGER_MAX + 1);
	front->parts |= (u8)(pk->run << FC_PART_EAGER_SHIFT);
	pk->dead = fc_postman_dead(&b->topo, b->node.id, pk->port,
				   fc_wire_target_site(front->head, 0), pk->run);
	pk->excused |= pk->dead;
}

/* Send the next valid flit of a peer or of the operator (port 0). */
static void good_flit(struct bench *b, struct fuzz *f, u8 class, u8 port)
{
	struct peer *peer = &b->peer[class][port];
	struct fc_event ev = { .type = FC_EV_FLIT, .port = port, .ack = peer->acked };
	u32 window = b->ch[class].window;
	u8 how = fuzz_u8(f);
	bool term;

	if (port && (peer->dirty || peer->next - peer->site_acked >= window))
		return;
	if (!peer->in) {
		u32 bytes = (how >> 1) * (how & 1 ? 1 : 7), n;
		u8 front = fuzz_below(f, 4);
		u32 data = front < 3 ? bytes * front / 2 : fuzz_u8(f) % (bytes + 1);

		n = packet_flits(bytes, data);
		/* The peers would not accept such a packet, either. */
		if (n > window && (!port || how & 2))
			return;
		term = data == bytes;
		ev.flit = front_new(&b->ledger, f, &b->topo, b->node.id, port,
				    FC_PART_HEAD | (term ? FC_PART_TERM : 0), data, bytes,
				    &peer->in);
		if (!ev.flit.h)
			return;
		peer->in->class = class;
		peer->in->excused = n > window;
		if (b->straight && port)
			front_runs(b, f, &ev.flit, peer->in);
		peer->in_left = bytes - data;
	} else if (port && how == 7) {
		/* The switch aborted the branch before the link went down. */
		peer->in->excused = true;
		term = true;
		ev.flit = flit_new(&b->ledger, FC_PART_TERM | FC_PART_ABORT, 0, NULL, 0);
	} else {
		u32 data = peer->in_left < PAYLOAD ? peer->in_left : PAYLOAD;

		term = data == peer->in_left;
		ev.flit = flit_new(&b->ledger, term ? FC_PART_TERM : 0, data, NULL, 0);
		peer->in_left -= data;
	}
	if (term) {
		peer->in->ended = true;
		peer->in = NULL;
	}
	ev.seq = port ? peer->next : fc_vnet_seq(&b->v, class);
	peer->next = ev.seq + 1;
	event(b, class, &ev);
}

/* The operator feeds one packet at a time, to an injection queue that accepts it. */
static void feed(struct bench *b, struct fuzz *f)
{
	int injq;

	if (!b->peer[b->injq][FC_PORT_LOCAL].in) {
		injq = fc_vnet_injq(&b->v);
		if (injq < 0)
			return;
		b->injq = (u8)injq;
	}
	good_flit(b, f, b->injq, FC_PORT_LOCAL);
}

static void note_ack(struct peer *peer, u32 ack)
{
	if (!fc_before(ack, peer->acked) && !fc_before(peer->sent, ack))
		peer->acked = ack;
}

static u64 refusals(const struct bench *b, u8 class, u8 port)
{
	return b->link_stat[class][port][FC_LSTAT_RX_OUT_OF_WINDOW] +
	       b->link_stat[class][port][FC_LSTAT_RX_REPEATED];
}

/* Bytes of a flit that is probably invalid. */
static u32 odd_data(struct fuzz *f, u32 left)
{
	u8 how = fuzz_u8(f);

	switch (how & 3) {
	case 0:
		return PAYLOAD;
	case 1:
		return left;
	case 2:
		return left + (how & 4 ? 1 : -!!left);
	default:
		return how >> 2;
	}
}

/* Send any flit that decodes. */
static void odd_flit(struct bench *b, struct fuzz *f, u8 class, u8 port)
{
	static const u8 odd_parts[] = {
		0, FC_PART_TERM, FC_PART_TERM | FC_PART_ABORT, FC_PART_HEAD,
		FC_PART_HEAD | FC_PART_TERM,
	};
	struct fc_channel *ch = &b->ch[class];
	struct fc_rx *rx = &ch->rx[port];
	struct peer *peer = &b->peer[class][port];
	struct fc_event ev = { .type = FC_EV_FLIT, .port = port };
	u8 parts = odd_parts[fuzz_below(f, FC_ARRAY_SIZE(odd_parts))];
	u8 where = fuzz_u8(f);
	struct packet *pk = NULL;
	u64 refused;
	bool fits;

	if (parts & FC_PART_HEAD) {
		u32 data = fuzz_below(f, 64);
		u32 bytes = parts & FC_PART_TERM ? data : data + fuzz_below(f, 200);

		ev.flit = front_new(&b->ledger, f, &b->topo, b->node.id, port, parts, data, bytes,
				    &pk);
		if (!ev.flit.h)
			return;
		pk->class = class;
		pk->excused = true;
		if (b->straight)
			front_runs(b, f, &ev.flit, pk);
		peer->odd_left = bytes - data;
	} else {
		u32 data = parts & FC_PART_ABORT ? 0 :
			   odd_data(f, peer->dirty ? peer->odd_left : peer->in_left);

		ev.flit = flit_new(&b->ledger, parts, data, NULL, 0);
		peer->odd_left -= data < peer->odd_left ? data : peer->odd_left;
	}
	peer->dirty = true;
	packets_excuse(&b->ledger, class, port);
	ev.seq = where == 255 ? fuzz_u32(f) : peer->site_acked + where % 20 - 4;
	if (where & 64)
		ev.seq = rx->consumed + rx->queued;
	ev.ack = where & 32 ? peer->acked + fuzz_below(f, 12) - 2 : peer->acked;
	note_ack(peer, ev.ack);
	refused = refusals(b, class, port);
	fits = ev.seq - rx->consumed < ch->window &&
	       !(fc_rx_slot(ch, rx, ev.seq)->parts & FC_FLIT_VALID);
	event(b, class, &ev);
	CHECK(refusals(b, class, port) == refused + !fits, "port %u: flit %u fits: %d", port,
	      ev.seq, fits);
}

static void status(struct bench *b, u8 class, u8 port, u8 flags, u32 seq, u32 ack, u64 have,
		   u32 upto)
{
	struct peer *peer = &b->peer[class][port];
	struct fc_event ev = {
		.type = FC_EV_STATUS, .port = port, .flags = flags, .seq = seq, .ack = ack,
		.status = { .have = have, .upto = upto },
	};

	note_ack(peer, ack);
	event(b, class, &ev);
	if (b->up & fc_bit(port))
		CHECK(b->ch[class].tx[port].acked == peer->acked,
		      "port %u: acknowledged %u, not %u", port, b->ch[class].tx[port].acked,
		      peer->acked);
}

static void good_status(struct bench *b, struct fuzz *f, u8 class, u8 port)
{
	struct peer *peer = &b->peer[class][port];
	u8 how = fuzz_u8(f);
	u32 ack = peer->acked + (how >> 2) % (peer->sent - peer->acked + 1);

	/* The test does not know what a dirty peer has sent. */
	status(b, class, port, how & (peer->dirty ? FC_STATUS_ACK_REQUEST : 7), peer->next, ack,
	       fuzz_u8(f) & fc_mask_all(peer->sent - ack), peer->sent);
}

static void odd_status(struct bench *b, struct fuzz *f, u8 class, u8 port)
{
	struct peer *peer = &b->peer[class][port];
	u8 how = fuzz_u8(f);
	u32 seq = how & 64 ? fuzz_u32(f) : peer->site_acked + fuzz_below(f, 16) - 2;
	u32 ack = how & 128 ? fuzz_u32(f) : peer->acked + fuzz_below(f, 12) - 2;

	peer->dirty = true;
	packets_excuse(&b->ledger, class, port);
	status(b, class, port, how & 7, seq, ack, how & 32 ? fuzz_u32(f) : fuzz_u8(f) & fuzz_u8(f),
	       ack + fuzz_below(f, 16));
}

static void time_passes(struct bench *b, u32 by)
{
	struct fc_event ev = { .type = FC_EV_TIME };

	b->now += by;
	event(b, 0, &ev);
	CHECK(b->v.next_at > b->now, "still due");
}

/* Route one waiting front, or all of them. */
static void routing(struct bench *b, u8 class, u8 port)
{
	struct fc_event ev = { .type = FC_EV_ROUTE, .port = port };

	event(b, class, &ev);
}

/* Links of other sites go down and up, links of this one are suspected, and it gets new routes. */
static void reroute(struct bench *b, struct fuzz *f, bool rerouting)
{
	u32 down[SITES_MAX] = { 0 }, suspect[SITES_MAX] = { 0 }, work[3 * SITES_MAX], rest;
	struct fc_event ev = { .type = FC_EV_MORE };
	u8 n = fuzz_u8(f);

	b->node.rerouting = rerouting;
	b->node.routes = n & 128 ? NULL : b->routes;
	b->node.prefers = n & 64 ? prefers_fill(b->prefers, b->topo.nsites, b->topo.ndirs,
						n * 0x9e3779b1U + (u32)b->now) : NULL;
	for (u8 i = 0; i < (n & 7); i++)
		down[fuzz_below(f, b->topo.nsites)] |= fuzz_u8(f);
	if (n & 16)
		suspect[b->node.id] = fuzz_u8(f) & b->up & ~fc_bit(FC_PORT_LOCAL);
	down[b->node.id] |= ~b->up;
	fc_routes_compute(&b->topo, b->node.id, down, suspect, b->routes, work);
	fc_vnet_rerouted(&b->v);
	event(b, 0, &ev);
	for (rest = suspect[b->node.id]; rest; rest &= rest - 1) {
		ev.type = n & 32 ? FC_EV_TRUST : FC_EV_SUSPECT;
		ev.port = (u8)fc_low(rest);
		event(b, 0, &ev);
	}
}

/* Final phase. */

/* Send the missing flits, then end the packet of the peer, whether or not one is in flight. */
static void clean(struct bench *b, u8 class, u8 port)
{
	struct peer *peer = &b->peer[class][port];
	struct fc_rx *rx = &b->ch[class].rx[port];
	struct fc_event ev = { .port = port };

	while (rx->end - rx->consumed != rx->queued) {
		u32 seq = rx->consumed;

		while (fc_rx_slot(&b->ch[class], rx, seq)->parts & FC_FLIT_VALID)
			seq++;
		ev.type = FC_EV_FLIT;
		ev.flit = flit_new(&b->ledger, FC_PART_TERM | FC_PART_ABORT, 0, NULL, 0);
		ev.ack = peer->acked;
		ev.seq = seq;
		event(b, class, &ev);
		if (!(b->up & fc_bit(port)))
			return;
	}
	peer->next = rx->end;
	status(b, class, port, FC_STATUS_POLL | FC_STATUS_ACK_REQUEST, peer->next, peer->sent, 0,
	       0);
	if (rx->queued == b->ch[class].window || !(b->up & fc_bit(port)))
		return;
	ev.type = FC_EV_FLIT;
	ev.flit = flit_new(&b->ledger, FC_PART_TERM | FC_PART_ABORT, 0, NULL, 0);
	ev.ack = peer->acked;
	ev.seq = peer->next++;
	peer->in = NULL;
	event(b, class, &ev);
	peer->dirty = false;
}

/* A peer answers, acks and ends its packet; a dirty peer first sends the missing flits. */
static void behave(struct bench *b, struct fuzz *f, u8 class, u8 port)
{
	struct peer *peer = &b->peer[class][port];

	if (peer->dirty)
		clean(b, class, port);
	if (!(b->up & fc_bit(port)))
		return;
	if (peer->in)
		good_flit(b, f, class, port);
	if (peer->acked != peer->sent || peer->flags || peer->site_acked != peer->next)
		status(b, class, port, FC_STATUS_POLL, peer->next, peer->sent, 0, 0);
	peer->flags = 0;
}

/* The bad peer answers polls, or HELLOs alone; it sends no flit, and takes none. */
static void misbehave(struct bench *b, u8 class)
{
	struct peer *peer = &b->peer[class][b->bad];
	struct fc_event ev = {
		.type = FC_EV_STATUS, .port = b->bad, .seq = peer->next, .ack = peer->acked,
		.status = { .have = fc_mask_all(peer->sent - peer->acked),
			    .echo = b->tx[(u32)class * b->v.nports + b->bad].polls },
	};

	if (b->mute || !(peer->flags & FC_STATUS_POLL) || !(b->up & fc_bit(b->bad)))
		return;
	peer->flags = 0;
	event(b, class, &ev);
}

/* The link of the bad peer is suspected, and trusted again. */
static void trust(struct bench *b)
{
	struct fc_event ev = { .type = FC_EV_TRUST, .port = b->bad };

	event(b, 0, &ev);
}

static bool at_rest(const struct bench *b)
{
	for (u8 c = 0; c < b->v.nclasses; c++)
		for (u8 p = 0; p < b->v.nports; p++) {
			const struct peer *peer = &b->peer[c][p];
			u32 at = (u32)c * b->v.nports + p;

			/* Nothing waits for the bad peer, or for a packet that it has begun. */
			if (b->out[at].first != FC_VBRANCH_NONE &&
			    (!b->bad || !b->branch[b->out[at].first].begun ||
			     b->branch[b->out[at].first].next != FC_VBRANCH_NONE))
				return false;
			if (b->bad && p == b->bad)
				continue;
			if (peer->in || peer->dirty || peer->acked != peer->sent ||
			    b->in[at].busy || b->rx[at].queued)
				return false;
		}
	return b->bad || fc_vnet_idle(&b->v);
}

/* Time passes faster beside the bad peer; but no check of the switch is late. */
static u32 step(const struct bench *b, unsigned int round)
{
	return b->bad ? 1 + (u32)b->timing.poll / 4 : 1 + round % 7;
}

static void come_to_rest(struct bench *b, struct fuzz *f)
{
	for (unsigned int i = 0; !at_rest(b); i++) {
		for (u8 p = 1; p < b->v.nports; p++)
			for (u8 c = 0; c < b->v.nclasses && b->up & fc_bit(p); c++) {
				if (p == b->bad)
					misbehave(b, c);
				else
					behave(b, f, c, p);
			}
		if (b->mute && i % 200 == 199)
			trust(b);
		if (b->peer[b->injq][FC_PORT_LOCAL].in)
			good_flit(b, f, b->injq, FC_PORT_LOCAL);
		routing(b, 0, FC_PORT_LOCAL);
		time_passes(b, step(b, i));
		CHECK(i < ROUNDS, "never comes to rest");
	}
}

/* At rest, the switch forwards a packet of the maximum number of flits to its target. */
static void check_forwards(struct bench *b, struct fuzz *f, u8 class, u8 from, u32 to)
{
	u8 head[FC_PACKET_SIZE + FC_TARGET_SIZE];
	struct peer *peer = &b->peer[class][from];
	struct packet *pk = &b->ledger.packet[b->ledger.packets];
	u32 bytes = PAYLOAD * (b->ch[class].window - 1);
	struct fc_packet header = {
		.ntargets = 1, .id = b->ledger.packets, .msg_len = bytes,
	};
	struct fc_target t = { .site = to, .port = 1, .flags = FC_TARGET_LAST };
	struct fc_event ev = { .type = FC_EV_FLIT, .port = from, .ack = peer->acked };

	if (b->ledger.packets == PACKETS_MAX)
		return;
	b->ledger.packets++;
	*pk = (struct packet){ .all = 1, .local = to == b->node.id, .port = from, .class = class };
	fc_wire_packet_encode(head, &header);
	fc_wire_target_encode(head, 0, &t);
	ev.flit = flit_new(&b->ledger, FC_PART_HEAD | (bytes ? 0 : FC_PART_TERM), 0, head,
			   sizeof(head));
	ev.seq = from ? peer->next : fc_vnet_seq(&b->v, class);
	peer->next = ev.seq + 1;
	if (bytes)
		peer->in = pk;
	pk->ended = !bytes;
	peer->in_left = bytes;
	if (!from)
		b->injq = class;
	event(b, class, &ev);
	come_to_rest(b, f);
	CHECK(pk->ended && packet_over(pk) && (from ? !pk->unreachable : true) && !pk->excused,
	      "from port %u to site %u: lost", from, to);
}

static void count_drop(void *arg, void *h)
{
	handle_release(arg, h);
	free(h);
}

static void bench_alloc(struct bench *b, u32 window, bool postman)
{
	u8 nports = b->topo.ndirs + 1, nclasses = b->classes.count;
	u8 slots = fc_vnet_branches(b->topo.ndirs);
	u32 inputs = (u32)nclasses * nports;

	b->in = fuzz_room(inputs, sizeof(*b->in));
	b->out = fuzz_room(inputs, sizeof(*b->out));
	b->branch = fuzz_room((size_t)inputs * slots, sizeof(*b->branch));
	b->queue = fuzz_room((size_t)inputs * window, sizeof(*b->queue));
	b->v.cache = fuzz_room(1, fc_vroute_cache_size(nclasses));
	b->straight = postman ? fuzz_room(inputs, sizeof(*b->straight)) : NULL;
	b->prefers = fuzz_room(1, prefers_size(b->topo.nsites));
	b->rx = fuzz_room(inputs, sizeof(*b->rx));
	b->tx = fuzz_room(inputs, sizeof(*b->tx));
	for (u32 i = 0; i < inputs; i++) {
		b->in[i].branch = b->branch + (size_t)i * slots;
		b->rx[i].queue = b->queue + (size_t)i * window;
		b->rx[i].stat = b->link_stat[i / nports][i % nports];
	}
	for (u8 c = 0; c < nclasses; c++) {
		b->ch[c].rx = b->rx + (size_t)c * nports;
		b->ch[c].tx = b->tx + (size_t)c * nports;
		b->ch[c].window = window;
	}
}

static void bench_free(struct bench *b)
{
	free(b->in);
	free(b->out);
	free(b->branch);
	free(b->straight);
	free(b->v.cache);
	free(b->prefers);
	free(b->queue);
	free(b->rx);
	free(b->tx);
}

static void bench_init(struct bench *b, struct fuzz *f)
{
	static const char *const specs[] = {
		"line:4", "mesh:3x3", "torus:4x4", "hypercube:3", "hexmesh:3", "ring:5",
		"torus:3x3",
	};
	u8 how;

	memset(b, 0, offsetof(struct bench, ledger));
	b->ledger.packets = 0;
	b->ledger.held = 0;
	if (fc_topo_parse(&b->topo, specs[fuzz_below(f, FC_ARRAY_SIZE(specs))]) ||
	    fc_vclass_init(&b->classes, &b->topo) || b->topo.nsites > SITES_MAX ||
	    b->classes.count > CLASSES_MAX || b->topo.ndirs >= NPORTS_MAX)
		abort();
	how = fuzz_u8(f);
	b->timing = (struct fc_timing){
		.seek = 1, .timeout = 8, .retry = 2 << (how & 3), .ack_delay = 2 << (how & 3),
		.poll = 16 << (how & 3),
	};
	b->node.topo = &b->topo;
	b->node.timing = &b->timing;
	b->node.stat = b->stat;
	b->node.id = fuzz_below(f, b->topo.nsites);
	b->node.nports = b->topo.ndirs + 1;
	b->v.classes = &b->classes;
	b->v.node = &b->node;
	b->v.payload = PAYLOAD;
	b->v.nports = b->node.nports;
	b->v.nclasses = b->classes.count;
	b->v.ch = b->ch;
	bench_alloc(b, fuzz_window(f), how & 4);
	b->v.in = b->in;
	b->v.out = b->out;
	if (b->straight)
		fc_postman_fill(&b->classes, b->node.id, b->v.nports, b->straight);
	b->v.straight = b->straight;
	fc_vnet_init(&b->v);
	/* In most runs all links are up at the beginning. */
	if (how & 128)
		return;
	for (u8 p = 1; p < b->v.nports; p++)
		if (fc_topo_neighbour(&b->topo, b->node.id, p - 1) != FC_SITE_NONE)
			link_up(b, p, fuzz_window(f));
}

static void one_event(struct bench *b, struct fuzz *f)
{
	u8 what = fuzz_u8(f), port = (u8)(1 + (what >> 4) % (b->v.nports - 1));
	bool cabled = fc_topo_neighbour(&b->topo, b->node.id, port - 1) != FC_SITE_NONE;
	bool up = b->up & fc_bit(port);
	u8 class = 0;

	if ((what & 15) >= 7 && up)
		class = fuzz_below(f, b->v.nclasses);
	switch (what & 15) {
	case 0:
		if (up)
			link_down(b, port);
		break;
	case 1:
		/* Up again without having been down: the HELLOs of the ends crossed. */
		if (cabled)
			link_up(b, port, fuzz_window(f));
		break;
	case 2:
	case 3:
	case 4:
		feed(b, f);
		break;
	case 5:
		if (b->straight && what & 64)
			routing(b, fuzz_below(f, b->v.nclasses), port);
		else
			time_passes(b, what & 128 ? fuzz_u8(f) : what >> 4);
		break;
	case 6:
		reroute(b, f, what & 128);
		break;
	case 7:
	case 8:
	case 9:
		if (up)
			good_status(b, f, class, port);
		break;
	case 10:
	case 11:
	case 12:
	case 13:
		if (up)
			good_flit(b, f, class, port);
		break;
	case 14:
		if (up)
			odd_flit(b, f, class, port);
		break;
	case 15:
		if (up)
			odd_status(b, f, class, port);
		break;
	}
}

/* One link, of a peer that is up, is bad from now on. */
static void choose_bad(struct bench *b, u8 how)
{
	u8 port = (u8)(1 + (how >> 1) % (b->v.nports - 1));

	if (!(b->up & fc_bit(port)))
		return;
	b->bad = port;
	b->mute = how & 1;
}

/* May a packet to a site leave by the bad link? */
static bool passes_bad(const struct bench *b, u8 class, u8 port, u32 to)
{
	u8 next[FC_DIRS_MAX];
	u32 dirs;

	if (!b->bad || to == b->node.id)
		return false;
	if (!port)
		class = fc_vnet_begin(&b->v, &to, 1);
	dirs = fc_vnet_next_hops(&b->v, class, port, to, 1, next);
	return dirs & fc_bit(b->bad - 1) ||
	       (b->straight && b->straight[class * b->v.nports + port].port == b->bad);
}

/* Return: the sum of the counters. */
static u64 run(const u8 *data, size_t size, bool stepwise)
{
	static struct bench b;
	struct fc_event ev = { .type = FC_EV_MORE };
	struct fuzz f = { data + 1, data + size };
	u8 end = *data;

	bench_init(&b, &f);
	b.v.stepwise = stepwise;
	while (fuzz_left(&f))
		one_event(&b, &f);
	/* New routes have arrived, or the site no longer waits for them. */
	b.node.rerouting = false;
	fc_vnet_rerouted(&b.v);
	event(&b, 0, &ev);
	if (end & 1) {
		if (end & 4)
			choose_bad(&b, end >> 3);
		come_to_rest(&b, &f);
		if (!b.bad)
			packets_check(&b.ledger);
		for (u8 p = 0; p < b.v.nports; p++) {
			u8 c = (end >> 2) % (p ? b.v.nclasses : b.v.injqs);
			u32 to = (b.node.id + 1) % b.topo.nsites;

			if ((p && !(b.up & fc_bit(p))) || (b.bad && p == b.bad))
				continue;
			if (!passes_bad(&b, c, p, to))
				check_forwards(&b, &f, c, p, to);
			check_forwards(&b, &f, c, p, b.node.id);
		}
		b.bad = 0;
	}
	if (end & 2) {
		for (u8 p = 1; p < b.v.nports; p++)
			if (b.up & fc_bit(p))
				link_down(&b, p);
		come_to_rest(&b, &f);
		packets_check(&b.ledger);
		CHECK(!b.ledger.held, "%u handles kept", b.ledger.held);
	}
	fc_vnet_purge(&b.v, count_drop, &b.ledger);
	CHECK(!b.ledger.held, "%u handles kept", b.ledger.held);
	bench_free(&b);
	return record_hash(record_hash(0, b.stat, sizeof(b.stat)), b.link_stat,
			   sizeof(b.link_stat));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u64 counters;

	if (size < 8)
		return 0;
	record_first();
	counters = run(data, size, false);
	record_again();
	record_end(counters == run(data, size, true));
	return 0;
}
