// SPDX-License-Identifier: GPL-2.0
#include "core/care/machine.h"

/* Places of the fifo-buffer; an unbounded one has always one that is free. */
static u32 places(const struct fc_site *site)
{
	u16 room = site->node->timing->fifo_room;

	return room ? room : 1;
}

void fc_site_init(struct fc_site *site, u64 seed)
{
	u8 p;

	site->now = 0;
	site->next_at = FC_NEVER;
	site->rng = seed | 1;
	site->work = 0;
	site->seekers = 0;
	site->rotate = 0;
	site->check.at = FC_NEVER;
	site->oper = FC_OP_OLD;
	site->fifo.state = FC_FF_FREE;
	site->fifo.room = places(site);
	site->fifo.timeout_at = FC_NEVER;
	site->fifo.backoff = 0;
	site->fifo.calm = 0;
	site->fifo.aborted = false;
	site->data.timing = site->node->timing;
	site->data.nports = site->node->nports;
	site->data.vc = fc_set_vc(site->set);
	fc_channel_init(&site->data);
	for (p = 0; p < site->node->nports; p++) {
		struct fc_in *in = &site->in[p];
		struct fc_out *out = &site->out[p];

		memset(in, 0, sizeof(*in));
		in->state = FC_NI_FREE;
		in->seek_at = FC_NEVER;
		memset(out, 0, sizeof(*out));
		out->state = FC_NO_FREE;
		out->in = FC_PORT_NONE;
		out->claim = FC_PORT_NONE;
	}
}

u32 fc_site_room(const struct fc_site *site)
{
	return site->data.window - site->data.rx[FC_PORT_LOCAL].queued;
}

u32 fc_site_seq(const struct fc_site *site)
{
	return site->data.rx[FC_PORT_LOCAL].consumed + site->data.rx[FC_PORT_LOCAL].queued;
}

bool fc_site_idle(const struct fc_site *site)
{
	u8 p;

	for (p = 0; p < site->node->nports; p++)
		if (site->in[p].state != FC_NI_FREE || site->data.rx[p].queued ||
		    site->out[p].state != FC_NO_FREE)
			return false;
	return site->fifo.state == FC_FF_FREE && site->oper == FC_OP_OLD;
}

void fc_site_purge(struct fc_site *site, void (*drop)(void *arg, void *h), void *arg)
{
	u8 p;

	fc_channel_purge(&site->data, drop, arg);
	for (p = 0; p < site->node->nports; p++) {
		struct fc_in *in = &site->in[p];

		if (in->held.h)
			drop(arg, in->held.h);
		memset(&in->held, 0, sizeof(in->held));
	}
}

/* Both ends of the link begin anew: cuts the packets in transit on it. */
static void link_reset(struct fc_site *site, u8 port, u32 window, struct fc_effects *fx)
{
	struct fc_in *in = &site->in[port];
	struct fc_out *out = &site->out[port];
	struct fc_flit *first = fc_rx_first(&site->data.rx[port]);

	/* A packet that is here to its end ends as it is. */
	if (in->tail && fc_netin_whole(in, first)) {
		in->held = *first;
		in->held.parts &= ~FC_FLIT_VALID;
		first->h = NULL;
	}
	in->tail = false;
	fc_llr_reset(&site->data, port, window, fx);
	in->cut = true;
	out->dead = out->state != FC_NO_FREE;
	out->claim = FC_PORT_NONE;
	site->work |= fc_bit(port) | site->seekers;
	fc_netout_update(site, port, fx);
}

/*
 * Is a packet of the port incomplete?  A packet that is stalled is cut.
 * @fair: intervals count: this host was not stalled.
 */
static bool check(struct fc_site *site, u8 port, bool fair)
{
	struct fc_in *in = &site->in[port];
	bool here = fc_rx_first(&site->data.rx[port])->parts & FC_FLIT_VALID;

	if (in->state == FC_NI_FREE || !in->multi || in->cut || in->tail)
		return false;
	/* A packet that seeks, or whose next flit is here, waits for this site. */
	if (in->state == FC_NI_FIRST || here || !fair ||
	    (fc_progress_check(&in->progress, in->come, true) != FC_PACE_STALLED &&
	     !fc_stall_wasted(&in->stall, &in->progress)))
		return true;
	fc_stall_note(&in->stall, site->now, fc_stall_interval(site->node->timing->poll),
		      FC_STALL_HOLD_CARE);
	site->data.rx[port].stat[FC_LSTAT_RX_UNFINISHED]++;
	in->cut = true;
	site->work |= fc_bit(port);
	return false;
}

static void check_inputs(struct fc_site *site)
{
	bool fair, more = false;
	u8 p;

	if (!fc_stall_due(&site->check, site->now, fc_stall_interval(site->node->timing->poll),
			  &fair))
		return;
	for (p = 1; p < site->node->nports; p++)
		more |= check(site, p, fair);
	if (more)
		fc_site_watch(site);
}

static void delay_in(const struct fc_site *site, u8 port, u64 now, struct fc_delay *d)
{
	const struct fc_in *in = &site->in[port];
	bool here = fc_rx_first(&site->data.rx[port])->parts & FC_FLIT_VALID;

	/* As in check(): a packet that seeks, or whose next flit is here, waits for this site. */
	if (in->state == FC_NI_FREE || in->state == FC_NI_FIRST || !in->multi || in->cut ||
	    in->tail || here)
		return;
	/* The front has left the queue, and does not count in @come. */
	fc_delay_in(d, &in->progress, now, fc_stall_interval(site->node->timing->poll),
		    in->come + 1, site->payload ? in->come + 1 +
		    (in->left + site->payload - 1) / site->payload : 0);
}

void fc_site_delay(const struct fc_site *site, u8 port, u64 now, struct fc_delay *d)
{
	const struct fc_out *out = &site->out[port];
	u8 first = out->state != FC_NO_FREE ? out->in : out->claim;

	fc_delay_stores(d, &site->in[port].stall, now);
	delay_in(site, port, now, d);
	/* The net-output does not keep the head, from which the target would be known. */
	if (fc_delay_wait(d, &site->data, port) && first != FC_PORT_NONE)
		fc_delay_out(d, &site->data.tx[port], site->in[first].progress.src, FC_SITE_NONE,
			     0);
}

/* Does a packet wait for credit of a port? */
static bool waits(const struct fc_site *site, u8 port)
{
	const struct fc_out *out = &site->out[port];

	if (out->claim != FC_PORT_NONE)
		return true;
	return !fc_tx_credit(&site->data.tx[port]) && (out->state != FC_NO_FREE || site->seekers);
}

static void update_wait(struct fc_site *site, u8 port)
{
	if (waits(site, port))
		fc_llr_wait(&site->data, port);
	else
		site->data.tx[port].waits = false;
}

/* Polls are due: those of links for which packets wait age the wait. */
static void update_waits(struct fc_site *site)
{
	u8 p;

	for (p = 1; p < site->node->nports; p++)
		update_wait(site, p);
}

/*
 * The peer of a port takes nothing: the rest of the packet that it had begun to take is dropped
 * here; the peer cuts it when the next one begins.  Packets that seek the port are abandoned.
 */
static void stuck(struct fc_site *site, struct fc_effects *fx)
{
	u32 ports;

	site->work |= site->seekers;
	for (ports = site->data.stuck; ports; ports &= ports - 1) {
		u8 p = (u8)fc_low(ports);
		struct fc_out *out = &site->out[p];
		bool brief = out->in != FC_PORT_NONE && site->in[out->in].datagram;

		if (out->state == FC_NO_FREE || out->dead ||
		    !fc_llr_stuck(&site->data, p, brief))
			continue;
		site->data.rx[p].stat[FC_LSTAT_TX_ABANDONED]++;
		out->dead = true;
		fc_netout_update(site, p, fx);
	}
}

static void timers(struct fc_site *site)
{
	struct fc_fifo *fifo = &site->fifo;
	u8 p;

	if (site->now < site->next_at)
		return;
	site->next_at = FC_NEVER;
	check_inputs(site);
	fc_site_due(site, site->check.at);
	for (p = 0; p < site->node->nports; p++) {
		struct fc_in *in = &site->in[p];

		if (in->seek_at <= site->now) {
			if (in->seeks < 0xffff)
				in->seeks++;
			in->seek_at = site->now + site->node->timing->seek;
			site->work |= fc_bit(p);
		}
		fc_site_due(site, in->seek_at);
		/* A packet that the net-input stores may begin. */
		if (in->stall.until > site->now)
			fc_site_due(site, in->stall.until);
		else if (in->state == FC_NI_FREE)
			site->work |= fc_bit(p);
	}
	if (fifo->timeout_at <= site->now) {
		site->node->stat[FC_STAT_TIMEOUT]++;
		fc_fifo_timeout(site);
		fc_netout_abort_request(site, FC_PORT_LOCAL);
	}
	fc_site_due(site, fifo->timeout_at);
}

/* Every net-input that may go on does; bounded by what the queues hold. */
static bool run(struct fc_site *site, struct fc_effects *fx)
{
	while (site->work) {
		u32 high = site->work & ~(fc_bit(site->rotate) - 1);
		u8 p = fc_low(high ? high : site->work);

		if (fx->n > FC_EFFECTS - 2 * FC_STEP_EFFECTS)
			return true;
		if (fc_netin_step(site, p, fx))
			continue;
		site->work &= ~fc_bit(p);
		site->rotate = p + 1 < site->node->nports ? p + 1 : 0;
	}
	fc_llr_send_status(&site->data, fx);
	return false;
}

/* The peer took flits that were sent to it. */
static void acked(struct fc_site *site, const struct fc_event *ev, struct fc_effects *fx)
{
	fc_netout_update(site, ev->port, fx);
	site->work |= site->seekers;
}

bool fc_site_event(struct fc_site *site, const struct fc_event *ev, struct fc_effects *fx)
{
	u32 was = site->data.stuck, was_long = site->data.stuck_long;

	fx->n = 0;
	if (ev->now > site->now)
		site->now = ev->now;
	site->data.now = site->now;
	switch ((enum fc_event_type)ev->type) {
	case FC_EV_FLIT:
		if (ev->port != FC_PORT_LOCAL &&
		    fc_llr_acked(&site->data, ev->port, ev->ack, fx))
			acked(site, ev, fx);
		if (fc_llr_flit(&site->data, ev, fx))
			site->work |= fc_bit(ev->port);
		break;
	case FC_EV_STATUS:
		if (fc_llr_acked(&site->data, ev->port, ev->ack, fx))
			acked(site, ev, fx);
		update_wait(site, ev->port);
		fc_llr_status(&site->data, ev, fx);
		break;
	case FC_EV_LINK_UP:
		link_reset(site, ev->port,
			   ev->count < site->data.window ? ev->count : site->data.window, fx);
		site->data.up |= fc_bit(ev->port);
		break;
	case FC_EV_LINK_DOWN:
		site->data.up &= ~fc_bit(ev->port);
		link_reset(site, ev->port, site->data.window, fx);
		break;
	case FC_EV_ROOM:
		site->fifo.room += ev->count;
		if (site->fifo.room > places(site))
			site->fifo.room = places(site);
		fc_fifo_update(site);
		fc_netout_update(site, FC_PORT_LOCAL, fx);
		site->work |= site->seekers;
		break;
	case FC_EV_SUSPECT:
		/* A packet that waits for the link, or is on it, holds its path and stays. */
		if (!fc_tx_empty(&site->data.tx[ev->port]))
			fc_effect_add(fx, FC_FX_COPY, ev->port, NULL)->vc = site->data.vc;
		break;
	case FC_EV_TRUST:
		fc_llr_hasten(&site->data, ev->port);
		break;
	case FC_EV_TIME:
	case FC_EV_MORE:
	case FC_EV_ROUTE:
		break;
	}
	timers(site);
	if (site->now >= site->data.next_at)
		update_waits(site);
	fc_llr_time(&site->data);
	if ((site->data.stuck & ~was) | (site->data.stuck_long & ~was_long))
		stuck(site, fx);
	return run(site, fx);
}
