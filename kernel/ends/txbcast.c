// SPDX-License-Identifier: GPL-2.0
/*
 * Sends the broadcasts of this site: one packet through the relay, not the local net-input, reaches
 * all other sites, in k copies over disjoint paths (HARTS, sections 3 and 4).
 *
 *	source --- k copies over k disjoint paths ---> every other site votes (bcast.c), then acks
 *	       <----------- CONFIRM, NO_SPACE -------- each target on its own
 *	       --- retransmission: broadcast again --> targets that have it drop it
 *
 * End to end a broadcast is an ordinary message to many targets: each target acks, is asked,
 * refuses and is aborted on its own.  A retransmission is again a broadcast to all, because only
 * copies that arrive over the disjoint paths count as votes (core/bcast/recept.h).
 */
#include "drop.h"
#include "core/bcast/relay.h"
#include "ends/txbcast.h"
#include "ends/txflow.h"
#include "ends/txpacket.h"
#include "ends/txqueue.h"
#include "ends/txsched.h"
#include "fabric/enter.h"
#include "fabric/relay.h"
#include "fabric/sum.h"

/* Maximum number of active broadcasts: relays reserve space for two of each source. */
#define BCASTS_MAX	2

/*
 * Budget of one flitcast_txcast_feed() call: flits, weighted by the frames that each makes; a
 * message costs one more, and another one for each BCAST_TARGETS targets.
 */
#define BCAST_BUDGET	16
#define BCAST_TARGETS	64

/* Return: true if the target needs the message, and may be sent it now. */
static bool wants(const struct tx_target *t)
{
	return !fc_txtarget_completed(&t->core) && !fc_txtarget_sent_all(&t->core) &&
	       !fc_txtarget_next(&t->core, &t->flow->core) &&
	       (!t->flow->unresponsive || t->core.seq == t->flow->core.oldest);
}

/*
 * Return: true if the message may be broadcast now, and any target needs it.  @outstanding: the
 * largest number of older messages that one target may still wait for.  All targets get the same
 * packet: a target that needs nothing now, or that refused this message, must not conclude from the
 * packet that an older message is completed.
 */
static bool wanted(const struct flitcast_msg *msg, u32 *outstanding)
{
	bool any = false;
	u32 i, behind;

	*outstanding = 0;
	for (i = 0; i < msg->ntargets; i++) {
		const struct tx_target *t = &msg->target[i];

		/* The message is completed for this target, and so are all older ones. */
		if (fc_before(t->core.seq, t->flow->core.oldest))
			continue;
		behind = t->core.seq - t->flow->core.oldest;
		/* Beyond the window of a target: wait until it has caught up. */
		if (behind >= FC_FLOW_WINDOW && !fc_txtarget_completed(&t->core))
			return false;
		*outstanding = max(*outstanding, min(behind, FC_BCAST_OUTSTANDING_MAX));
		any = any || wants(t);
	}
	return any;
}

/* The sequence number is the same in the flows of all targets. */
static void put_head(struct flitcast_site *site, const struct flitcast_msg *msg, u8 *head,
		     u32 outstanding)
{
	const struct fc_packet pk = {
		.src = site->cfg.id, .incarnation = site->incarnation,
		.sock = msg->source->number, .src_port = msg->source->src_port,
		.ntargets = 1, .id = msg->out.id, .msg_len = msg->len,
		.kind = msg->out.kind,
	};
	const struct fc_bcast_hdr bcast = {
		.number = site->ends->txbcast.number++, .port = msg->target[0].port,
		.copies = msg->how.copies, .outstanding = outstanding,
		.seq = msg->target[0].core.seq,
	};

	fc_wire_packet_encode(head, &pk);
	fc_wire_bcast_encode(head, &bcast);
	flitcast_sum_packet(site, head, msg->crc);
}

/* Build the flits of the packet.  Return: false: no memory. */
static bool make(struct flitcast_site *site, struct flitcast_msg *msg, u32 outstanding)
{
	struct sk_buff_head *flits = &site->ends->txbcast.flits;
	u32 room = site->cfg.flit - FC_LINK_SIZE, done = 0;

	do {
		u32 head = done || !skb_queue_empty(flits) ? 0 : fc_head_size(1);
		struct sk_buff *skb;

		skb = flitcast_skb_alloc(site->out.headroom, head + flitcast_tx_linear(msg));
		if (!skb) {
			flitcast_drop_queue(flits, FLITCAST_DROP_NO_MEMORY);
			return false;
		}
		if (head)
			put_head(site, msg, skb_put(skb, head), outstanding);
		done += flitcast_tx_add_data(skb, msg, done, min(msg->len - done, room - head));
		__skb_queue_tail(flits, skb);
	} while (done < msg->len);
	return true;
}

/* Feed one flit to the relay; the first one begins with the packet's header. */
static void send_flit(struct flitcast_site *site, struct sk_buff *skb, bool first, int *budget)
{
	struct fc_event ev = {
		.type = FC_EV_FLIT, .port = FC_PORT_LOCAL,
		.flit = { .h = skb, .data = skb->len },
	};
	u32 frames = site->out.frames;

	if (first) {
		ev.flit.head = skb->data;
		ev.flit.parts = FC_PART_HEAD;
		ev.flit.data -= fc_head_size(1);
	}
	if (skb_queue_empty(&site->ends->txbcast.flits))
		ev.flit.parts |= FC_PART_TERM;
	flitcast_relay_event(site, &ev);
	*budget -= max_t(int, site->out.frames - frames, 1);
}

/* Mark the message as sent to all targets that need it. */
static void begin(struct flitcast_site *site, struct flitcast_msg *msg)
{
	u64 now = flitcast_site_now(site);
	bool again = false;
	u32 i;

	for (i = 0; i < msg->ntargets; i++) {
		struct tx_target *t = &msg->target[i];

		/* A broadcast also reaches targets for which the message was aborted. */
		flitcast_tx_offer(t, 0);
		if (!wants(t))
			continue;
		again |= flitcast_tx_mark(t, 0, now);
		if (!t->first_at)
			t->first_at = now;
		flitcast_tx_update(site, t);
	}
	site->stat[again ? FC_STAT_PKT_REPEATED : FC_STAT_PKT_SENT]++;
	flitcast_tx_went(site, msg, now);
}

/* Choose the next broadcast, and send its first flit.  Return: false: there is none now. */
static bool choose(struct flitcast_site *site, int *budget)
{
	struct flitcast_msg *msg;
	u32 outstanding;

	msg = list_first_entry_or_null(&site->ends->txbcast.again, struct flitcast_msg, ready);
	if (!msg && site->ends->queue.nactive[FLITCAST_TX_BCAST] < BCASTS_MAX)
		msg = flitcast_txqueue_next(site, FLITCAST_TX_BY_RELAY);
	if (!msg)
		return false;
	*budget -= 1 + msg->ntargets / BCAST_TARGETS;
	if (!wanted(msg, &outstanding)) {
		list_del_init(&msg->ready);
		return true;
	}
	if (msg->state.begun && flitcast_tx_changed(site, msg, 0))
		return true;
	if (!make(site, msg, outstanding)) {
		/* No memory: retry when the timer fires. */
		site->stat[FC_STAT_NO_MEMORY]++;
		site->clock.ends_at = min(site->clock.ends_at, flitcast_now() + NSEC_PER_MSEC);
		return false;
	}
	if (!msg->state.begun)
		flitcast_txqueue_sent(site, msg, msg->len);
	msg->state.begun = true;
	list_del_init(&msg->ready);
	begin(site, msg);
	send_flit(site, __skb_dequeue(&site->ends->txbcast.flits), true, budget);
	return true;
}

void flitcast_txcast_feed(struct flitcast_site *site)
{
	int budget = BCAST_BUDGET;

	site->oper.budget = FLITCAST_FEED_BUDGET;
	for (;;) {
		struct sk_buff *skb = skb_peek(&site->ends->txbcast.flits);

		if (!skb && !flitcast_relay_room(site))
			return;
		/*
		 * Over budget: the timer handles the rest, so that the lock is not held for long.
		 */
		if (budget <= 0) {
			site->clock.ends_at = 0;
			return;
		}
		if (skb)
			send_flit(site, __skb_dequeue(&site->ends->txbcast.flits), false, &budget);
		else if (!choose(site, &budget))
			return;
	}
}

void flitcast_txcast_purge(struct flitcast_site *site)
{
	flitcast_drop_queue(&site->ends->txbcast.flits, FLITCAST_DROP_DOWN);
}
