// SPDX-License-Identifier: GPL-2.0
/*
 * Forwards and delivers broadcast packets; relay.h explains the terms.
 */
#include "core/bcast/relay.h"
#include "core/link/llr.h"

u16 fc_relay_holds(u32 nsites, u8 nports)
{
	/* With so many sites the product is above FC_HOLDS_MAX, and might overflow. */
	u32 want = nsites < FC_HOLDS_MAX ? 2 * nsites * nports : FC_HOLDS_MAX;

	if (want < FC_HOLDS_MIN)
		return FC_HOLDS_MIN;
	return (u16)(want < FC_HOLDS_MAX ? want : FC_HOLDS_MAX);
}

u32 fc_relay_bytes(u32 nsites, u8 nports)
{
	u32 bytes = FC_HOLDS_BYTES / fc_relay_holds(nsites, nports);

	return bytes < FC_PACKET_MAX ? bytes : FC_PACKET_MAX;
}

void fc_relay_init(struct fc_relay *relay)
{
	u8 shares = relay->nlabels > 1 ? FC_RELAY_SHARE * relay->ch.nports : relay->ch.nports;
	/* An even share of the holds, from 1 to 8 (below).  The comparison prevents an overflow. */
	u32 each = relay->nsites < relay->nholds ? relay->nholds / (relay->nsites * shares) : 0;
	u32 nseen;
	u16 i;
	u8 p;

	if (!relay->nlabels)
		relay->nlabels = 1;
	nseen = relay->nsites * relay->ch.nports * relay->nlabels;
	relay->bytes = fc_relay_bytes(relay->nsites, shares);
	relay->ch.vc = FC_VC_BCAST;
	fc_channel_init(&relay->ch);
	for (p = 0; p < relay->ch.nports; p++) {
		relay->in[p] = (struct fc_relay_in){ .hold = FC_HOLD_NONE };
		relay->out[p].first = 0;
		relay->out[p].n = 0;
		relay->out[p].flit = 0;
	}
	memset(relay->seen, 0, sizeof(*relay->seen) * nseen);
	memset(relay->hold, 0, sizeof(*relay->hold) * relay->nholds);
	for (i = 0; i < relay->nholds; i++)
		relay->hold[i].next = i + 1 < relay->nholds ? i + 1 : FC_HOLD_NONE;
	relay->free = 0;
	relay->nfree = relay->nholds;
	relay->each = each < 1 ? 1 : each < 8 ? (u8)each : 8;
	relay->come = 0;
	relay->go = 0;
	relay->flush = 0;
	relay->check.at = FC_NEVER;
}

void fc_relay_purge(struct fc_relay *relay, void (*drop)(void *arg, void *h), void *arg)
{
	fc_channel_purge(&relay->ch, drop, arg);
	fc_relay_init(relay);
}

static struct fc_relay_seen *seen_of(const struct fc_relay *relay, u32 src, u8 in, u8 label)
{
	return &relay->seen[((size_t)src * relay->ch.nports + in) * relay->nlabels + label];
}

bool fc_relay_room(const struct fc_relay *relay)
{
	return relay->nfree && !relay->in[FC_PORT_LOCAL].busy &&
	       seen_of(relay, relay->id, FC_PORT_LOCAL, 0)->holds < relay->each;
}

bool fc_relay_idle(const struct fc_relay *relay)
{
	u8 p;

	for (p = 0; p < relay->ch.nports; p++)
		if (relay->in[p].busy)
			return false;
	return relay->nfree == relay->nholds;
}

static struct fc_effect *effect(struct fc_effects *fx, u8 type, u8 port, u16 hold)
{
	struct fc_effect *e = fc_effect_add(fx, type, port, NULL);

	e->hold = hold;
	return e;
}

/* Frees the hold of a packet that has ended, if each of its outputs has sent it or dropped it. */
static void release(struct fc_relay *relay, u16 n, struct fc_effects *fx)
{
	struct fc_hold *hold = &relay->hold[n];

	if (hold->waiting || !(hold->whole || hold->cut))
		return;
	seen_of(relay, hold->src, hold->in, hold->label)->holds--;
	hold->next = relay->free;
	relay->free = n;
	relay->nfree++;
	effect(fx, FC_FX_FREE, hold->in, n);
}

/*
 * Records a number, among the 32 up to @high (modulo 2^32).  Return: false for a duplicate.
 *
 * A faulty site on the path may forge packets in the name of the source.  Their numbers must not
 * make the relay drop true packets for long.  So the record restarts with this number if
 * - the number of copies differs, because the paths of that number may avoid the faulty site;
 * - the number is 32 or more from @high in both directions.  Then a relay may also accept an old
 *   number again.
 * A new incarnation of the source restarts the record, too.
 */
static bool is_new(struct fc_relay_seen *seen, const struct fc_packet *pk,
		   const struct fc_bcast_hdr *bcast)
{
	u32 ahead = bcast->number - seen->high, back = seen->high - bcast->number;

	if (!seen->begun || seen->incarnation != pk->incarnation ||
	    seen->copies != bcast->copies || (ahead >= 32 && back >= 32)) {
		seen->begun = true;
		seen->incarnation = pk->incarnation;
		seen->copies = bcast->copies;
		seen->high = bcast->number;
		seen->seen = 1;
		return true;
	}
	/* Here the number is 1 to 31 above @high. */
	if (back >= 32) {
		seen->seen = seen->seen << ahead | 1;
		seen->high = bcast->number;
		return true;
	}
	if (seen->seen & fc_bit(back))
		return false;
	seen->seen |= fc_bit(back);
	return true;
}

/* Appends a hold to the ring of each of its outputs. */
static void join_outputs(struct fc_relay *relay, u16 n)
{
	struct fc_hold *hold = &relay->hold[n];
	u32 rest;

	hold->waiting &= relay->ch.up;
	for (rest = hold->waiting; rest; rest &= rest - 1) {
		struct fc_relay_out *out = &relay->out[fc_low(rest)];

		/* Another packet is still to be sent on this link. */
		if (out->n)
			relay->stat[FC_STAT_BCAST_HELD]++;
		out->fifo[(out->first + out->n++) % relay->nholds] = n;
	}
}

/* Return: true if there is room to hold a packet. */
static bool admitted(struct fc_relay *relay, u8 port, const struct fc_relay_seen *seen,
		     const struct fc_packet *pk)
{
	if (pk->msg_len > relay->bytes || !relay->nfree || seen->holds >= relay->each)
		return false;
	return port == FC_PORT_LOCAL || !relay->admit ||
	       relay->admit(relay, relay->free, pk->msg_len);
}

/* Accepts or drops the packet of a head flit.  Return: its hold; FC_HOLD_NONE: it is dropped. */
static u16 begin(struct fc_relay *relay, u8 port, const struct fc_flit *flit)
{
	struct fc_relay_seen *seen;
	struct fc_packet pk;
	struct fc_bcast_hdr bcast;
	struct fc_hold *hold;
	u32 next_hops;
	bool own;
	u16 n;

	fc_wire_packet_decode(&pk, flit->head);
	fc_wire_bcast_decode(&bcast, flit->head);
	own = pk.src == relay->id;
	/* Packets of this site, and no others, arrive by FC_PORT_LOCAL, which is 0. */
	if (pk.src >= relay->nsites || own == !!port || bcast.label >= relay->nlabels)
		next_hops = FC_RELAY_NEVER;
	else
		next_hops = relay->next_hop(relay, pk.src, bcast.copies, bcast.label, port);
	if (next_hops == FC_RELAY_NEVER) {
		relay->stat[FC_STAT_BCAST_FORGED]++;
		relay->in[port].why = FC_DROP_UNROUTABLE;
		return FC_HOLD_NONE;
	}
	seen = seen_of(relay, pk.src, port, bcast.label);
	if (!is_new(seen, &pk, &bcast)) {
		relay->stat[FC_STAT_BCAST_DUPLICATE]++;
		relay->in[port].why = FC_DROP_USED;
		return FC_HOLD_NONE;
	}
	/* The number stays recorded: the source repeats the broadcast with a new one. */
	if (!admitted(relay, port, seen, &pk)) {
		relay->stat[FC_STAT_BCAST_FULL]++;
		relay->in[port].why = FC_DROP_FULL;
		return FC_HOLD_NONE;
	}
	n = relay->free;
	hold = &relay->hold[n];
	relay->free = hold->next;
	relay->nfree--;
	seen->holds++;
	memset(hold, 0, sizeof(*hold));
	hold->src = pk.src;
	hold->in = port;
	hold->label = bcast.label;
	hold->here = next_hops & fc_bit(FC_PORT_LOCAL);
	hold->waiting = next_hops & ~fc_bit(FC_PORT_LOCAL);
	hold->stored = fc_stall_stores(&relay->in[port].stall, relay->ch.now);
	if (port != FC_PORT_LOCAL)
		relay->stat[FC_STAT_BCAST_RELAYED]++;
	if (!hold->stored)
		join_outputs(relay, n);
	return n;
}

/* Cuts the current packet of an input, if there is one; step_out() then ends it on each output. */
static void cut(struct fc_relay *relay, u8 port, struct fc_effects *fx)
{
	struct fc_relay_in *in = &relay->in[port];

	if (in->busy && in->hold != FC_HOLD_NONE) {
		struct fc_hold *hold = &relay->hold[in->hold];

		relay->stat[FC_STAT_BCAST_CUT]++;
		hold->cut = true;
		if (hold->stored)
			hold->waiting = 0;
		relay->go |= hold->waiting;
		release(relay, in->hold, fx);
	}
	in->busy = false;
	in->hold = FC_HOLD_NONE;
}

/* Does a flit have the length that its packet needs?  Only the first and the last may be short. */
static bool fits(const struct fc_relay *relay, const struct fc_relay_in *in,
		 const struct fc_flit *flit)
{
	if (flit->parts & FC_PART_TERM)
		return flit->data == in->left;
	return flit->data <= in->left && (flit->parts & FC_PART_HEAD || !relay->payload ||
					  flit->data == relay->payload);
}

/* Consumes the next flit of an input. */
static void flit_in(struct fc_relay *relay, u8 port, const struct fc_flit *flit,
		    struct fc_effects *fx)
{
	struct fc_relay_in *in = &relay->in[port];
	bool last = flit->parts & FC_PART_TERM;
	u8 why = flit->parts & FC_PART_ABORT ? FC_DROP_CUT : FC_DROP_PROTOCOL;
	struct fc_hold *hold;

	if (flit->parts & FC_PART_HEAD) {
		if (in->busy) {
			/* The peer began a packet before the terminator of the current one. */
			relay->ch.rx[port].stat[FC_LSTAT_RX_PROTOCOL]++;
			cut(relay, port, fx);
		}
		in->busy = true;
		in->rest = false;
		in->come = 0;
		fc_progress_begin(&in->progress, flit->head, relay->ch.now);
		if (!last && port != FC_PORT_LOCAL)
			fc_stall_watch(&relay->check, relay->ch.now,
				       fc_stall_interval(relay->ch.timing->poll));
		in->left = fc_wire_data_len(flit->head);
		in->hold = begin(relay, port, flit);
	} else if (!in->busy) {
		/* An abort may end a packet that was cut below, for its length: no second error. */
		if (in->rest)
			why = FC_DROP_CUT;
		else if (!(flit->parts & FC_PART_ABORT))
			relay->ch.rx[port].stat[FC_LSTAT_RX_PROTOCOL]++;
		goto drop;
	}
	/* Cut the packet: an abort is legal, a wrong length is a protocol error. */
	if (flit->parts & FC_PART_ABORT || !fits(relay, in, flit)) {
		if (!(flit->parts & FC_PART_ABORT))
			relay->ch.rx[port].stat[FC_LSTAT_RX_PROTOCOL]++;
		cut(relay, port, fx);
		goto drop;
	}
	in->left -= flit->data;
	in->come++;
	if (in->hold == FC_HOLD_NONE) {
		in->busy = !last;
		why = in->why;
		goto drop;
	}
	hold = &relay->hold[in->hold];
	fc_effect_add(fx, FC_FX_HOLD, port, flit)->hold = in->hold;
	hold->flits++;
	hold->whole = last;
	if (last && hold->stored)
		join_outputs(relay, in->hold);
	relay->go |= hold->waiting;
	if (!last)
		return;
	if (hold->here)
		effect(fx, FC_FX_DELIVER, port, in->hold);
	release(relay, in->hold, fx);
	in->busy = false;
	in->hold = FC_HOLD_NONE;
	return;
drop:
	fc_effect_drop(fx, port, flit, why);
}

/* Return: false if the next flit in order has not arrived. */
static bool step_in(struct fc_relay *relay, u8 port, struct fc_effects *fx)
{
	struct fc_flit flit;

	if (!(fc_rx_first(&relay->ch.rx[port])->parts & FC_FLIT_VALID))
		return false;
	flit = fc_rx_consume(&relay->ch, port);
	flit_in(relay, port, &flit, fx);
	return true;
}

/* Removes the first hold from the ring of an output, which has sent or drops it. */
static void leave(struct fc_relay *relay, u8 port, struct fc_effects *fx)
{
	struct fc_relay_out *out = &relay->out[port];
	u16 n = out->fifo[out->first];

	out->first = out->first + 1u < relay->nholds ? out->first + 1 : 0;
	out->n--;
	out->flit = 0;
	if (!out->n)
		fc_llr_wait_ends(&relay->ch, port);
	relay->hold[n].waiting &= ~fc_bit(port);
	release(relay, n, fx);
}

/* Sends a flit of the first packet, or removes the packet.  Return: false: neither is possible. */
static bool step_out(struct fc_relay *relay, u8 port, struct fc_effects *fx)
{
	struct fc_relay_out *out = &relay->out[port];
	const struct fc_hold *hold;
	struct fc_effect *e;
	u16 n;

	if (!out->n) {
		relay->flush &= ~fc_bit(port);
		return false;
	}
	if (relay->flush & fc_bit(port)) {
		leave(relay, port, fx);
		return true;
	}
	n = out->fifo[out->first];
	hold = &relay->hold[n];
	/* All flits that have arrived were sent.  If a cut packet has none, drop it. */
	if (out->flit == hold->flits) {
		if (!hold->cut)
			return false;
		if (!out->flit) {
			leave(relay, port, fx);
			return true;
		}
	}
	if (!fc_tx_credit(&relay->ch.tx[port])) {
		fc_llr_wait(&relay->ch, port);
		if (!fc_llr_stuck(&relay->ch, port, true))
			return false;
		/* The peer cuts what it has of the packet when the next one begins. */
		relay->ch.rx[port].stat[FC_LSTAT_TX_ABANDONED]++;
		leave(relay, port, fx);
		return true;
	}
	if (out->flit == hold->flits) {
		e = effect(fx, FC_FX_CUT, port, n);
		e->flit.parts = FC_PART_TERM | FC_PART_ABORT;
		fc_llr_sent(&relay->ch, port, e);
		leave(relay, port, fx);
		return true;
	}
	e = effect(fx, FC_FX_RELAY, port, n);
	e->index = out->flit++;
	e->flit.parts = (e->index ? 0 : FC_PART_HEAD) |
			(hold->whole && out->flit == hold->flits ? FC_PART_TERM : 0);
	fc_llr_sent(&relay->ch, port, e);
	if (e->flit.parts & FC_PART_TERM)
		leave(relay, port, fx);
	return true;
}

/*
 * Runs inputs before outputs, because outputs send the flits that inputs have consumed.  Returns
 * true, with work left, after FC_STEP_EFFECTS effects: a flit that fills a gap in a queue may make
 * many others ready, for all links, and the caller may have other events to process.
 */
static bool run(struct fc_relay *relay, struct fc_effects *fx)
{
	while (relay->come | relay->go) {
		if (fx->n >= FC_STEP_EFFECTS)
			return true;
		if (relay->come) {
			u8 p = fc_low(relay->come);

			if (!step_in(relay, p, fx))
				relay->come &= ~fc_bit(p);
		} else {
			u8 p = fc_low(relay->go);

			if (!step_out(relay, p, fx))
				relay->go &= ~fc_bit(p);
		}
	}
	fc_llr_send_status(&relay->ch, fx);
	return false;
}

/* Does another packet wait for an output of the one that arrives? */
static bool holds_others(const struct fc_relay *relay, const struct fc_relay_in *in)
{
	u32 rest = in->hold == FC_HOLD_NONE ? 0 : relay->hold[in->hold].waiting & relay->ch.up;

	for (; rest; rest &= rest - 1)
		if (relay->out[fc_low(rest)].n > 1)
			return true;
	return false;
}

/* Return: true if the packet that arrives by the port remains to be checked. */
static bool check(struct fc_relay *relay, u8 port, u64 interval, struct fc_effects *fx)
{
	struct fc_relay_in *in = &relay->in[port];
	enum fc_pace pace;

	if (!holds_others(relay, in)) {
		fc_progress_skip(&in->progress, in->come);
		return true;
	}
	pace = fc_progress_check(&in->progress, in->come, true);
	if (pace != FC_PACE_GOOD)
		fc_stall_note(&in->stall, relay->ch.now, interval, FC_STALL_HOLD);
	/* A packet that is stored is in no output. */
	if (pace != FC_PACE_STALLED ||
	    (in->hold != FC_HOLD_NONE && relay->hold[in->hold].stored))
		return true;
	relay->ch.rx[port].stat[FC_LSTAT_RX_UNFINISHED]++;
	in->rest = true;
	cut(relay, port, fx);
	return false;
}

static void check_inputs(struct fc_relay *relay, struct fc_effects *fx)
{
	struct fc_channel *ch = &relay->ch;
	u64 interval = fc_stall_interval(ch->timing->poll);
	bool fair, more = false;
	u8 p;

	if (!fc_stall_due(&relay->check, ch->now, interval, &fair))
		return;
	for (p = 1; p < ch->nports; p++)
		if (relay->in[p].busy)
			more |= !fair || check(relay, p, interval, fx);
	if (more)
		fc_stall_watch(&relay->check, ch->now, interval);
}

void fc_relay_delay(const struct fc_relay *relay, u8 port, u64 now, struct fc_delay *d)
{
	const struct fc_relay_out *out = &relay->out[port];
	const struct fc_relay_in *in = &relay->in[port];
	const struct fc_channel *ch = &relay->ch;

	fc_delay_stores(d, &in->stall, now);
	if (in->busy)
		fc_delay_in(d, &in->progress, now, fc_stall_interval(ch->timing->poll), in->come,
			    relay->payload ? in->come +
			    (in->left + relay->payload - 1) / relay->payload : 0);
	/* A broadcast names no target. */
	if (fc_delay_wait(d, ch, port) && out->n)
		fc_delay_out(d, &ch->tx[port], relay->hold[out->fifo[out->first]].src,
			     FC_SITE_NONE, 0);
}

/* Resets a link, up or down: run() drops the packets of the output, and the peer cuts its input. */
static void link_reset(struct fc_relay *relay, u8 port, u32 window, struct fc_effects *fx)
{
	cut(relay, port, fx);
	fc_llr_reset(&relay->ch, port, window, fx);
	relay->come &= ~fc_bit(port);
	relay->go |= fc_bit(port);
	relay->flush |= fc_bit(port);
}

bool fc_relay_event(struct fc_relay *relay, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_channel *ch = &relay->ch;
	bool more;

	fx->n = 0;
	if (ev->now > ch->now)
		ch->now = ev->now;
	switch ((enum fc_event_type)ev->type) {
	case FC_EV_FLIT:
		if (ev->port == FC_PORT_LOCAL) {
			flit_in(relay, ev->port, &ev->flit, fx);
			break;
		}
		if (fc_llr_acked(ch, ev->port, ev->ack, fx))
			relay->go |= fc_bit(ev->port);
		if (fc_llr_flit(ch, ev, fx))
			relay->come |= fc_bit(ev->port);
		break;
	case FC_EV_STATUS:
		if (fc_llr_acked(ch, ev->port, ev->ack, fx))
			relay->go |= fc_bit(ev->port);
		fc_llr_status(ch, ev, fx);
		break;
	case FC_EV_LINK_UP:
		link_reset(relay, ev->port, ev->count < ch->window ? ev->count : ch->window, fx);
		ch->up |= fc_bit(ev->port);
		break;
	case FC_EV_LINK_DOWN:
		ch->up &= ~fc_bit(ev->port);
		link_reset(relay, ev->port, ch->window, fx);
		break;
	case FC_EV_TRUST:
		fc_llr_hasten(ch, ev->port);
		break;
	case FC_EV_ROOM:
	case FC_EV_TIME:
	case FC_EV_MORE:
	case FC_EV_ROUTE:
	case FC_EV_SUSPECT:	/* a broadcast keeps to its paths */
		break;
	}
	fc_llr_time(ch);
	relay->go |= ch->stuck;
	check_inputs(relay, fx);
	more = run(relay, fx);
	if (relay->check.at < ch->next_at)
		ch->next_at = relay->check.at;
	return more;
}
