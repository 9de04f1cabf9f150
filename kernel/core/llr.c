// SPDX-License-Identifier: GPL-2.0
/*
 * Link-level retry: flits cross a link that loses, doubles and reorders frames as if
 * it did not.
 *
 * The papers' wires never lose a word.  A flit has a number; its sender keeps a copy
 * until the peer has taken it, which the window bounds.  The peer puts flits in
 * order in the slots of its queue (selective repeat), says what it has taken
 * (cumulative, also the credit) and what has come beyond that, and asks for what is
 * missing once a flit that was overtaken has had time to come by itself (delayed
 * negative acknowledgment).  A sender that hears nothing asks (probe), which heals
 * whatever was lost: the last flits of a burst, acknowledgments, requests.  All
 * that is said is absolute, so nothing said twice or too late does harm.
 *
 * A flit that was sent again is not sent once more before the peer has heard a probe
 * that went after it, however often it is asked for: where flits take longer than
 * anybody expects, no more of them are added.
 */
#include "machine.h"

/*
 * The ends of a link count differently, which no lost frame explains: nothing
 * would ever move again.
 */
static void contradiction(struct fc_site *site, u8 port, struct fc_effects *fx)
{
	site->in[port].stat[FC_LSTAT_RX_PROTOCOL]++;
	fc_effect_add(fx, FC_FX_RESET, port, NULL);
}

void fc_llr_acked(struct fc_site *site, u8 port, u32 ack, struct fc_effects *fx)
{
	struct fc_out *out = &site->out[port];
	u32 news = ack - out->acked;

	if (fc_before(out->sent, ack)) {
		contradiction(site, port, fx);
		return;
	}
	if (!news || fc_before(ack, out->acked))
		return;
	out->acked = ack;
	out->got = news < 64 ? out->got >> news : 0;
	out->resent = news < 64 ? out->resent >> news : 0;
	fc_effect_add(fx, FC_FX_RELEASE, port, NULL)->seq = ack;
	if (out->acked == out->sent) {
		out->probe_at = FC_NEVER;
	} else {
		out->probe_wait = site->timing->probe;
		out->probe_at = site->now + out->probe_wait;
		fc_site_due(site, out->probe_at);
	}
	fc_netout_settle(site, port, fx);
	site->work |= site->seekers;
}

/* Is a flit missing that the peer is known to have sent? */
static bool gap(const struct fc_in *in)
{
	return in->end - in->taken != in->queued;
}

/* Wait for what is missing, or no more. */
static void settle_nack(struct fc_site *site, struct fc_in *in)
{
	if (!gap(in)) {
		in->nack_at = FC_NEVER;
	} else if (in->nack_at == FC_NEVER) {
		in->nack_wait = site->timing->retry;
		in->nack_at = site->now + in->nack_wait;
		fc_site_due(site, in->nack_at);
	}
}

/* The peer is to hear within a while what was taken. */
static void tell_soon(struct fc_site *site, struct fc_in *in)
{
	if (in->tell_at != FC_NEVER)
		return;
	in->tell_at = site->now + site->timing->retry;
	fc_site_due(site, in->tell_at);
}

void fc_llr_flit(struct fc_site *site, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_in *in = &site->in[ev->port];
	struct fc_flit *s = fc_in_slot(site, in, ev->seq);
	bool taken = fc_before(ev->seq, in->taken);
	bool beyond = !taken && ev->seq - in->taken >= site->window;

	if (taken || beyond || s->parts & FC_FLIT_VALID) {
		in->stat[beyond ? FC_LSTAT_RX_OUT_OF_WINDOW : FC_LSTAT_RX_REPEATED]++;
		/* The peer may not know that it was taken. */
		if (taken && ev->port != FC_PORT_LOCAL)
			tell_soon(site, in);
		if (ev->flit.h)
			fc_effect_add(fx, FC_FX_DROP, ev->port, &ev->flit);
		return;
	}
	*s = ev->flit;
	s->parts |= FC_FLIT_VALID;
	in->queued++;
	if (!fc_before(ev->seq, in->end))
		in->end = ev->seq + 1;
	settle_nack(site, in);
	site->work |= fc_bit(ev->port);
}

/* Send again what the peer says is missing, if it is not known by now to have come. */
static void resend(struct fc_site *site, u8 port, const struct fc_status *s,
		   struct fc_effects *fx)
{
	struct fc_out *out = &site->out[port];
	/* What was sent again came before the probe it has heard, or is lost. */
	u64 leave = out->got | (fc_before16(out->mark, s->echo) ? 0 : out->resent);
	u32 seq;

	for (seq = out->acked; fc_before(seq, s->upto); seq++) {
		u64 bit = fc_bit64(seq - out->acked);
		struct fc_effect *e;

		if (leave & bit)
			continue;
		out->resent |= bit;
		out->mark = out->probes;
		out->probe_wait = site->timing->probe;
		out->probe_at = site->now + out->probe_wait;
		fc_site_due(site, out->probe_at);
		site->in[port].stat[FC_LSTAT_TX_RESENT]++;
		e = fc_effect_add(fx, FC_FX_RESEND, port, NULL);
		e->seq = seq;
		e->ack = site->in[port].taken;
	}
}

/* The peer's count of what it sent. */
static void probed(struct fc_site *site, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_in *in = &site->in[ev->port];

	site->status |= fc_bit(ev->port);
	/* Overtaken by what was sent after it: the answer says all the same. */
	if (fc_before(ev->seq, in->taken))
		return;
	if (ev->seq - in->taken > site->window) {
		contradiction(site, ev->port, fx);
		return;
	}
	if (fc_before(in->end, ev->seq))
		in->end = ev->seq;
	/* It comes long after what was sent before it. */
	if (gap(in))
		site->nack |= fc_bit(ev->port);
	settle_nack(site, in);
}

void fc_llr_status(struct fc_site *site, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_out *out = &site->out[ev->port];
	struct fc_in *in = &site->in[ev->port];
	u32 late = out->acked - ev->ack;
	u64 have = ev->status.have;

	/* It cannot have what was not sent. */
	if (fc_before(out->sent, ev->ack))
		return;
	have = late < 64 ? have >> late : 0;
	if ((out->sent - out->acked < 64 && have >> (out->sent - out->acked)) ||
	    (ev->flags & FC_STATUS_NACK && fc_before(out->sent, ev->status.upto))) {
		contradiction(site, ev->port, fx);
		return;
	}
	out->got |= have;
	if (fc_before16(in->heard, ev->status.probe))
		in->heard = ev->status.probe;
	if (ev->flags & FC_STATUS_NACK)
		resend(site, ev->port, &ev->status, fx);
	if (ev->flags & FC_STATUS_WANT) {
		in->want = true;
		if (!in->queued)
			site->status |= fc_bit(ev->port);
	}
	if (ev->flags & FC_STATUS_PROBE)
		probed(site, ev, fx);
}

void fc_llr_taken(struct fc_site *site, u8 port)
{
	struct fc_in *in = &site->in[port];

	in->taken++;
	if (port == FC_PORT_LOCAL) {
		in->told = in->taken;
		return;
	}
	/* Told in halves of the window, and when a peer waits for the last of it. */
	if (in->taken - in->told >= (site->window + 1) / 2 || (in->want && !in->queued))
		site->status |= fc_bit(port);
	else
		tell_soon(site, in);
	if (!in->queued)
		in->want = false;
}

/* What is said now need not be said later. */
static void told(struct fc_site *site, u8 port)
{
	struct fc_in *in = &site->in[port];

	in->told = in->taken;
	in->tell_at = FC_NEVER;
}

void fc_llr_sent(struct fc_site *site, u8 port, struct fc_effect *e)
{
	struct fc_out *out = &site->out[port];

	e->seq = out->sent++;
	e->ack = site->in[port].taken;
	told(site, port);
	site->status &= ~(fc_bit(port) & ~(site->probe | site->want | site->nack));
	if (out->probe_at != FC_NEVER)
		return;
	out->probe_wait = site->timing->probe;
	out->probe_at = site->now + out->probe_wait;
	fc_site_due(site, out->probe_at);
}

void fc_llr_timers(struct fc_site *site, u8 port)
{
	const struct fc_timing *timing = site->timing;
	struct fc_out *out = &site->out[port];
	struct fc_in *in = &site->in[port];

	if (in->tell_at <= site->now)
		site->status |= fc_bit(port);
	if (in->nack_at <= site->now) {
		in->nack_wait = in->nack_wait * 2 < timing->probe ? in->nack_wait * 2 :
								    timing->probe;
		in->nack_at = site->now + in->nack_wait;
		site->status |= fc_bit(port);
		site->nack |= fc_bit(port);
	}
	if (out->probe_at <= site->now) {
		if (out->probe_wait < 16 * timing->probe)
			out->probe_wait *= 2;
		out->probe_at = site->now + out->probe_wait;
		site->status |= fc_bit(port);
		site->probe |= fc_bit(port);
		out->probes++;
		in->stat[FC_LSTAT_TX_PROBES]++;
	}
	fc_site_due(site, in->tell_at);
	fc_site_due(site, in->nack_at);
	fc_site_due(site, out->probe_at);
}

/* The flits that have come and wait to be taken. */
static u64 waiting(const struct fc_site *site, const struct fc_in *in)
{
	u64 have = 0;
	u32 i;

	for (i = 0; in->queued && i < site->window; i++)
		if (fc_in_slot(site, in, in->taken + i)->parts & FC_FLIT_VALID)
			have |= fc_bit64(i);
	return have;
}

void fc_llr_tell(struct fc_site *site, struct fc_effects *fx)
{
	u32 rest;

	site->status &= site->up & ~fc_bit(FC_PORT_LOCAL);
	for (rest = site->status; rest; rest &= rest - 1) {
		u8 p = fc_low(rest);
		struct fc_effect *e = fc_effect_add(fx, FC_FX_STATUS, p, NULL);

		e->flags = (site->probe & fc_bit(p) ? FC_STATUS_PROBE : 0) |
			   (site->want & fc_bit(p) ? FC_STATUS_WANT : 0) |
			   (site->nack & fc_bit(p) ? FC_STATUS_NACK : 0);
		e->seq = site->out[p].sent;
		e->ack = site->in[p].taken;
		e->status.have = waiting(site, &site->in[p]);
		e->status.probe = site->out[p].probes;
		e->status.echo = site->in[p].heard;
		if (e->flags & FC_STATUS_NACK) {
			e->status.upto = site->in[p].end;
			site->in[p].stat[FC_LSTAT_TX_NACKS]++;
		}
		told(site, p);
	}
	site->status = 0;
	site->probe = 0;
	site->want = 0;
	site->nack = 0;
}

void fc_llr_reset(struct fc_site *site, u8 port, u32 window, struct fc_effects *fx)
{
	struct fc_in *in = &site->in[port];
	struct fc_out *out = &site->out[port];
	u32 i;

	for (i = 0; i < site->window; i++) {
		if (in->queue[i].h)
			fc_effect_add(fx, FC_FX_DROP, port, &in->queue[i]);
		memset(&in->queue[i], 0, sizeof(in->queue[i]));
	}
	if (out->sent != out->acked)
		fc_effect_add(fx, FC_FX_RESCUE, port, NULL)->seq = out->acked;
	in->queued = 0;
	in->taken = 0;
	in->told = 0;
	in->end = 0;
	in->first = 0;
	in->want = false;
	in->tell_at = FC_NEVER;
	in->nack_at = FC_NEVER;
	out->sent = 0;
	out->acked = 0;
	out->got = 0;
	out->resent = 0;
	out->probes = 0;
	out->mark = 0;
	in->heard = 0;
	out->window = window;
	out->probe_at = FC_NEVER;
	site->status &= ~fc_bit(port);
	site->probe &= ~fc_bit(port);
	site->want &= ~fc_bit(port);
	site->nack &= ~fc_bit(port);
}
