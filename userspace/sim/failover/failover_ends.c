// SPDX-License-Identifier: GPL-2.0
/* Sources and targets of the model of a network: acks, questions, time-outs, as ends/tx.c. */
#include <stdlib.h>

#include "failover_impl.h"
#include "core/ends/ask.h"
#include "base/util.h"

/* As kernel/ends/tx.h. */
#define ASK_FIRST	(20 * MS)
#define ASK_LOST	3
#define ASKS		5
#define RTO_FIRST	(400 * MS)
#define RTO_LAST	(4 * FAILOVER_S)
static u64 ask_wait(const struct flow *f)
{
	return least(most(f->srtt + 4 * f->rttvar, ASK_FIRST), RTO_LAST);
}

static u64 rto(const struct flow *f)
{
	return least(most(4 * ask_wait(f), RTO_FIRST), RTO_LAST);
}

static void send_probe(struct host *h, u32 id)
{
	struct flow *f = &h->flow;
	struct probe *p = &f->probe[id];

	p->sent_at = net.now;
	if (!p->first_at) {
		p->first_at = net.now;
		p->wait = rto(f);
		p->repeat = net.now + p->wait;
	}
	failover_wait(h, failover_packet((struct packet){
		.kind = PACKET_PROBE, .from = (u8)h->node.id, .to = f->to, .id = id,
	}));
}

static bool mute(const struct flow *f, u32 id)
{
	return f->unresponsive && id != f->oldest;
}

static void send_due(struct host *h)
{
	struct flow *f = &h->flow;

	if (f->to == SITES)
		return;
	if (f->next_at <= net.now) {
		if (f->n == PROBES)
			die("failover: too many probes");
		f->probe[f->n++] = (struct probe){ .due_at = net.now, .repeat = FC_NEVER };
		f->next_at += INTERVAL;
	}
	for (u32 id = f->oldest; id < f->n; id++)
		if (!f->probe[id].first_at && !mute(f, id))
			send_probe(h, id);
}

static void measure(struct flow *f, const struct probe *p)
{
	u64 took = net.now - p->first_at;
	s64 more;

	if (net.anew && p->sent_at <= f->anew)
		return;
	if (p->first_at != p->sent_at)
		took = least(took, 2 * ask_wait(f));
	if (!f->srtt) {
		f->srtt = took;
		f->rttvar = took / 2;
		return;
	}
	more = (s64)(took - f->srtt);
	f->rttvar += (u64)((llabs(more) - (s64)f->rttvar) / 4);
	f->srtt += (u64)(more / 8);
}

static void confirm(struct flow *f, u32 id)
{
	struct probe *p = &f->probe[id];

	if (p->acked || !p->first_at)
		return;
	measure(f, p);
	p->acked = true;
}

/* The source has got an answer. */
static void answered(struct host *h, const struct packet *packet)
{
	struct flow *f = &h->flow;
	struct probe *p = &f->probe[packet->id];

	f->responded_at = net.now;
	f->unresponsive = false;
	for (u32 id = f->oldest; id < packet->next; id++)
		confirm(f, id);
	if (packet->kind == PACKET_ACK)
		confirm(f, packet->id);
	while (f->oldest < f->n && f->probe[f->oldest].acked)
		f->oldest++;
	p->asked = 0;
	if (packet->kind == PACKET_MISSING && !p->acked &&
	    net.now >= p->sent_at + ASK_LOST * ask_wait(f))
		send_probe(h, packet->id);
}

void failover_deliver(struct host *h, const struct packet *packet)
{
	struct flow *f = &net.host[packet->from].flow;
	struct probe *p = &f->probe[packet->id];
	struct packet answer = {
		.kind = PACKET_ACK, .from = (u8)h->node.id, .to = packet->from, .id = packet->id,
	};

	if (packet->kind == PACKET_ACK || packet->kind == PACKET_MISSING) {
		answered(h, packet);
		return;
	}
	if (packet->kind == PACKET_PROBE) {
		f->doubled += !!p->came_at;
		if (!p->came_at)
			p->came_at = net.now;
	} else if (!p->came_at) {
		answer.kind = PACKET_MISSING;
	}
	/* Messages are delivered in order: those behind a missing one wait. */
	while (f->came < f->n && f->probe[f->came].came_at) {
		f->probe[f->came].came_at = net.now;
		f->came++;
	}
	answer.next = f->came;
	failover_ctrl(h, answer);
}

static u64 ask_at(const struct flow *f, u32 id)
{
	const struct probe *p = &f->probe[id];

	if (p->acked || !p->first_at || p->asks == ASKS)
		return FC_NEVER;
	if (net.anew ? mute(f, id) : f->unresponsive)
		return FC_NEVER;
	return fc_ask_at(p->sent_at, net.anew ? f->anew : 0, p->asks, ask_wait(f));
}

u64 failover_flow_at(const struct flow *f)
{
	u64 at = least(f->next_at, f->again);

	if (f->to == SITES)
		return FC_NEVER;
	for (u32 id = f->oldest; id < f->n; id++) {
		at = least(at, ask_at(f, id));
		if (!f->probe[id].acked)
			at = least(at, f->probe[id].repeat);
	}
	return at;
}

void failover_flow_time(struct host *h)
{
	struct flow *f = &h->flow;

	if (f->to == SITES)
		return;
	for (u32 id = f->oldest; id < f->n; id++) {
		struct probe *p = &f->probe[id];

		if (ask_at(f, id) <= net.now) {
			p->asks++;
			if (!p->asked)
				p->asked = net.now;
			p->repeat = most(p->repeat, net.now + ask_wait(f));
			failover_ctrl(h, (struct packet){
				.kind = PACKET_ASK, .from = (u8)h->node.id, .to = f->to, .id = id,
			});
		}
		if (p->acked || p->repeat > net.now)
			continue;
		p->wait = least(2 * p->wait, RTO_LAST);
		p->repeat = net.now + p->wait;
		if (p->asked && f->responded_at < p->asked)
			f->unresponsive = true;
		if (!mute(f, id))
			send_probe(h, id);
	}
	if (f->again <= net.now)
		failover_rerouted(h);
	send_due(h);
}

void failover_rerouted(struct host *h)
{
	struct flow *f = &h->flow;

	if (!net.anew || f->to == SITES)
		return;
	f->again = fc_ask_anew_at(f->anew, f->again, ask_wait(f), net.now);
	if (f->again > net.now)
		return;
	f->anew = net.now;
	f->again = FC_NEVER;
	for (u32 id = f->oldest; id < f->n; id++) {
		struct probe *p = &f->probe[id];

		if (p->acked || !p->first_at ||
		    !fc_ask_overdue(p->sent_at, ask_wait(f), net.now))
			continue;
		p->asks = 0;
		p->wait = rto(f);
		p->repeat = least(p->repeat, net.now + p->wait);
	}
}
