// SPDX-License-Identifier: GPL-2.0
/*
 * Builds the packets of a site's own messages, flit by flit, for the local net-input.
 *
 *	flitcast_tx_pick()     choose a message (txqueue.c), its next packet, and the targets
 *	                       that get it (core/ends/txlist.h)
 *	flitcast_tx_flit()     build the next flit: head with target list, then data, by
 *	                       reference to its pages
 *	cur_done()             last flit: start the time-outs
 *
 *	flitcast_tx_at_once()  fast path: a message of one flit to one target goes past all queues
 */
#include <linux/mm.h>
#include "ends/source.h"
#include "ends/tx.h"
#include "ends/txpacket.h"
#include "ends/txqueue.h"
#include "ends/txsched.h"
#include "fabric/enter.h"
#include "fabric/fast.h"
#include "fabric/sum.h"
#include "fabric/vnet.h"

/* Argument of msg_member(): a message, and whether its targets no longer wait for each other. */
struct pick {
	struct flitcast_msg *msg;
	bool hurry;
};

static bool msg_member(void *arg, u32 i, struct fc_txmember *m)
{
	const struct pick *pick = arg;
	struct tx_target *t = &pick->msg->target[i];

	if (fc_txtarget_completed(&t->core))
		return false;
	m->t = &t->core;
	m->flow = &t->flow->core;
	m->patience = &t->flow->patience;
	m->slow = t->unresponsive || t->flow->unresponsive || pick->hurry;
	/* An unresponsive target gets only its oldest message. */
	m->mute = t->flow->unresponsive && t->core.seq != t->flow->core.oldest;
	return true;
}

/*
 * Choose the next packet of a message, and the targets that get it, in @cur.  Return: its number;
 * -1: none can be sent now.  If slow targets are to be aborted at some time, the other targets stop
 * waiting for them after half of it.
 */
static int msg_pick(struct flitcast_site *site, struct flitcast_cur *cur,
		    struct flitcast_msg *msg, u64 now)
{
	u64 hurry_at = msg->at.slow == FC_NEVER ? FC_NEVER :
		       msg->at.accepted + (msg->at.slow - msg->at.accepted) / 2;
	struct fc_txlist list = {
		.ntargets = msg->ntargets, .most = flitcast_tx_targets_most(site),
		.member = msg_member, .chosen = cur->target, .now = now,
		.held = msg->state.was_held, .least = msg->least,
		.members = msg->state.members,
	};
	struct pick pick = { .msg = msg };
	u64 left = 0;
	int packet;

	flitcast_tx_hold(msg, false, now);
	if (msg->ntargets > 1)
		left = fc_patience_left(&msg->source->patience, FC_PATIENCE_SOURCE, now);
	pick.hurry = !left || now >= hurry_at;
	list.arg = &pick;
	packet = fc_txlist_pick(&list);
	cur->n = list.n;
	msg->least = list.least;
	msg->state.members = list.members;
	if (list.regained)
		fc_patience_regain(&msg->source->patience, list.regained);
	msg->state.was_held = list.held;
	msg->state.holding = list.held;
	if (list.held) {
		static_assert(FC_PATIENCE_MOST >> HOLD_SHIFT < U16_MAX);
		flitcast_tx_hold(msg, true, now);
		msg->state.held_at = now;
		msg->state.hold_for = 1 + ((min3(list.again, now + left, hurry_at) - now) >>
					   HOLD_SHIFT);
		flitcast_tx_schedule(site, msg);
	}
	return packet;
}

bool flitcast_tx_changed(struct flitcast_site *site, struct flitcast_msg *msg, u32 packet)
{
	struct flitcast_source *src = msg->source;

	if (!msg->npages || !msg->held || !flitcast_site_verifies(site))
		return false;
	site->oper.budget -= FC_PACKET_MAX / PAGE_SIZE;
	if (!flitcast_msg_changed(msg, packet))
		return false;
	site->stat[FC_STAT_MSG_CHANGED]++;
	list_del_init(&msg->ready);
	flitcast_tx_abort_all(site, msg, -EBADMSG, &site->oper.budget);
	flitcast_source_reap(site, src);
	return true;
}

/* Was a packet sent before to the first of the chosen targets? */
static bool sent_before(const struct flitcast_cur *cur, const struct flitcast_msg *msg, u32 packet)
{
	const struct tx_target *t = &msg->target[cur->target[0]];

	return packet - t->core.part.first < t->most;
}

unsigned int flitcast_tx_pick(struct flitcast_site *site, u8 set)
{
	struct flitcast_cur *cur = &site->ends->cur[set];
	struct flitcast_msg *msg;
	unsigned int i;

	if (!(site->oper.doors & fc_bit(set)))
		return 0;
	while ((msg = flitcast_txqueue_next(site, set))) {
		int packet;

		/*
		 * Over budget: the timer handles the rest, so that the lock is not held for long.
		 */
		if (site->oper.budget <= 0) {
			site->clock.ends_at = 0;
			return 0;
		}
		site->oper.budget -= msg->ntargets;
		packet = msg_pick(site, cur, msg, flitcast_site_now(site));
		if (packet < 0) {
			list_del_init(&msg->ready);
			continue;
		}
		if (sent_before(cur, msg, packet) && flitcast_tx_changed(site, msg, packet))
			continue;
		/* Messages of a source take turns, packet by packet. */
		msg->state.begun = true;
		list_move_tail(&msg->ready,
			       &flitcast_txqueue_of(msg->source, msg->how.class)->ready);
		flitcast_txqueue_sent(site, msg, fc_data_len(msg->len, packet * FC_PACKET_MAX));
		refcount_inc(&msg->refs);
		cur->msg = msg;
		cur->packet = packet;
		cur->sent = 0;
		cur->front = false;
		for (i = 0; i < cur->n; i++)
			flitcast_tx_offer(&msg->target[cur->target[i]], packet);
		return cur->n;
	}
	return 0;
}

u32 flitcast_tx_add_data(struct sk_buff *skb, struct flitcast_msg *msg, u32 from, u32 len)
{
	u32 done = 0;
	int i;

	if (!msg->npages) {
		skb_put_data(skb, msg->small + from, len);
		return len;
	}
	for (i = 0; i < MAX_SKB_FRAGS && done < len; i++) {
		struct page *block;
		u32 off, n = flitcast_msg_run(msg, from + done, len - done, &block, &off);

		get_page(block);
		/* Account @n bytes of truesize: other messages use the rest of the page block. */
		skb_add_rx_frag(skb, i, block, off, n, n);
		done += n;
	}
	skb_zcopy_set(skb, msg->held, NULL);
	return done;
}

void flitcast_tx_offer(struct tx_target *t, u32 packet)
{
	if (packet == t->core.part.first + t->core.part.count - 1 && t->offers < 3)
		t->offers++;
}

bool flitcast_tx_mark(struct tx_target *t, u32 packet, u64 now)
{
	bool again;

	fc_txtarget_sent(&t->core, packet);
	t->sent_at = now;
	if (!t->asked)
		t->asked = now;
	again = t->core.sent <= t->most;
	if (!again)
		t->first_at = 0;
	t->most = max(t->most, t->core.sent);
	return again;
}

void flitcast_tx_went(struct flitcast_site *site, struct flitcast_msg *msg, u64 now)
{
	msg->at.repeat = now + msg->at.wait;
	flitcast_tx_ask_arm(site, msg, now);
	flitcast_tx_schedule(site, msg);
}

/*
 * Return: true if the ack of a message may be delayed: its source uses less than half of its share,
 * so that an ack would not let it send more.
 */
static bool msg_may_delay(const struct flitcast_site *site, const struct flitcast_msg *msg)
{
	return msg->how.delay_ack && msg->len <= FC_PACKET_MAX && msg->source->port &&
	       flitcast_txqueue_share(site, msg->source, msg->how.class, 2);
}

/*
 * Return: true if the ack of the packet in @cur may be delayed: it is sent for the first time, and
 * no target is close to the end of its window.
 */
static bool cur_may_delay(const struct flitcast_site *site, const struct flitcast_cur *cur,
			  const struct flitcast_msg *msg)
{
	unsigned int i;

	if (!msg_may_delay(site, msg))
		return false;
	for (i = 0; i < cur->n; i++) {
		const struct tx_target *t = &msg->target[cur->target[i]];

		if (t->most || !fc_txtarget_may_delay(&t->core, &t->flow->core))
			return false;
	}
	return true;
}

static void put_packet(struct flitcast_site *site, const struct flitcast_msg *msg, u8 *head,
		       u16 n, u32 offset, bool delay_ack)
{
	struct fc_packet pk = {
		.src = site->cfg.id, .incarnation = site->incarnation,
		.sock = msg->source->number, .src_port = msg->source->src_port,
		.ntargets = n, .id = msg->out.id, .msg_len = msg->len,
		.offset = offset,
		.flags = (msg->how.list ? FC_PACKET_LIST : 0) |
			 (delay_ack ? FC_PACKET_DELAY_ACK : 0),
		.kind = msg->out.kind,
	};

	if (msg->out.kind == FC_KIND_ACCEPT || msg->out.kind == FC_KIND_REFUSE)
		pk.id = msg->how.re;
	fc_wire_packet_encode(head, &pk);
}

static struct fc_target entry_of(const struct tx_target *t, bool last)
{
	return (struct fc_target) {
		.site = t->site, .port = t->port, .flags = last ? FC_TARGET_LAST : 0,
		.outstanding = t->core.seq - t->flow->core.oldest,
		.off = t->off, .len = t->len, .seq = t->core.seq,
	};
}

static void put_target(u8 *head, unsigned int i, const struct tx_target *t, bool last)
{
	const struct fc_target e = entry_of(t, last);

	fc_wire_target_encode(head, i, &e);
}

/**
 * struct sites - target sites of the packet in cur
 * @n: number of sites; 0: use a target list, because the targets differ in more than their sites,
 *	or a bitmap saves nothing
 * @size: size of the packet head, in bytes
 * @site: sites
 */
struct sites {
	unsigned int n;
	u32 size;
	u32 site[FC_TARGETS_MAX];
};

static bool alike(const struct tx_target *a, const struct tx_target *b)
{
	return a->port == b->port && a->off == b->off && a->len == b->len &&
	       a->core.seq == b->core.seq && a->flow->core.oldest == b->flow->core.oldest;
}

/*
 * Fill in @s: use a bitmap of sites if that saves flits of the packet, which has @data bytes of
 * data. All sites are different, because the socket refuses two targets with the same site and
 * port.
 */
static void cur_sites(struct sites *s, const struct flitcast_cur *cur,
		      const struct flitcast_msg *msg, u32 data, u32 room)
{
	const struct tx_target *first = &msg->target[cur->target[0]];
	unsigned int i;
	u32 size;

	s->n = 0;
	s->size = fc_head_size(cur->n);
	if (cur->n == 1 || s->size + data <= room)
		return;
	for (i = 0; i < cur->n; i++) {
		const struct tx_target *t = &msg->target[cur->target[i]];

		if (!alike(t, first))
			return;
		s->site[i] = t->site;
	}
	size = fc_wire_sites_size(s->site, cur->n);
	if (DIV_ROUND_UP(size + data, room) == DIV_ROUND_UP(s->size + data, room))
		return;
	s->n = cur->n;
	s->size = size;
}

/* Write packet header and target list, and mark the packet as sent to its targets. */
static void put_head(struct flitcast_site *site, const struct flitcast_cur *cur,
		     struct flitcast_msg *msg, const struct sites *s, u8 *head, u32 offset)
{
	bool delay_ack = cur_may_delay(site, cur, msg), again = false;
	unsigned int i;

	put_packet(site, msg, head, cur->n, offset, delay_ack);
	if (s->n) {
		const struct fc_target e = entry_of(&msg->target[cur->target[0]], false);

		fc_wire_sites_encode(head, &e, s->site, s->n);
	}
	for (i = 0; i < cur->n; i++) {
		struct tx_target *t = &msg->target[cur->target[i]];

		if (!s->n)
			put_target(head, i, t, i == cur->n - 1);
		t->delay_ack = delay_ack;
		again |= flitcast_tx_mark(t, cur->packet, flitcast_site_now(site));
		flitcast_tx_update(site, t);
	}
	flitcast_sum_packet(site, head, *flitcast_msg_crc(msg, cur->packet));
	site->stat[again ? FC_STAT_PKT_REPEATED : FC_STAT_PKT_SENT]++;
}

/*
 * Return: true if the message is a single flit to one target, and no other message of its source
 * waits.
 */
static bool goes_at_once(struct flitcast_site *site, const struct flitcast_msg *msg)
{
	const struct tx_target *t = msg->target;
	struct flitcast_source *src = msg->source;
	const struct flitcast_queue *queue = flitcast_txqueue_of(src, msg->how.class);

	return msg->ntargets == 1 && !msg->how.copies && site->mode->at_once &&
	       msg->len <= site->cfg.flit - FC_LINK_SIZE - fc_head_size(1) &&
	       msg->len <= FC_PACKET_MAX && msg->npages <= MAX_SKB_FRAGS &&
	       !t->flow->unresponsive && t->core.seq - t->flow->core.oldest < FC_FLOW_WINDOW &&
	       msg->at.deadline > msg->at.accepted && list_empty(&queue->ready) &&
	       list_empty(&queue->fresh) && flitcast_txqueue_room(site, src, msg->how.class);
}

/* Feed a flit that is a whole packet to the switch. */
static void feed_whole(struct flitcast_site *site, u8 set, struct sk_buff *skb, u32 len)
{
	struct fc_event ev = {
		.type = FC_EV_FLIT, .port = FC_PORT_LOCAL,
		.flit = {
			.h = skb, .head = skb->data, .parts = FC_PART_HEAD | FC_PART_TERM,
			.data = len,
		},
	};

	flitcast_vnet_feed(site, set, &ev);
}

/* The only packet of the message was sent, or is about to be: start the time-outs. */
static void went_at_once(struct flitcast_site *site, struct flitcast_msg *msg, struct tx_target *t)
{
	u64 now = msg->at.accepted;

	flitcast_tx_offer(t, t->core.part.first);
	fc_txtarget_sent(&t->core, t->core.part.first);
	t->most = t->core.sent;
	t->asked = now;
	t->sent_at = now;
	t->first_at = now;
	msg->state.begun = true;
	flitcast_tx_update(site, t);
	site->stat[FC_STAT_PKT_SENT]++;
	msg->at.repeat = now + msg->at.wait;
	flitcast_tx_ask_arm(site, msg, now);
	flitcast_tx_schedule_sent(site, msg);
}

bool flitcast_tx_at_once(struct flitcast_site *site, struct flitcast_msg *msg)
{
	u8 set = flitcast_site_set(msg->how.class);
	struct tx_target *t = msg->target;
	struct sk_buff *skb;
	bool injq;

	if (!flitcast_fast() || !goes_at_once(site, msg))
		return false;
	/*
	 * If the injection queues are busy, the switch may still send the flit at once to an idle
	 * link.
	 */
	injq = flitcast_oper_clear(site, set) && flitcast_vnet_room(site, set);
	if (!injq && !site->mode->past_injqs)
		return false;
	skb = flitcast_skb_alloc(site->out.headroom, fc_head_size(1) + flitcast_tx_linear(msg));
	if (!skb)
		return false;
	skb_put(skb, fc_head_size(1));
	t->delay_ack = msg_may_delay(site, msg) && fc_txtarget_may_delay(&t->core, &t->flow->core);
	put_packet(site, msg, skb->data, 1, 0, t->delay_ack);
	put_target(skb->data, 0, t, true);
	flitcast_sum_packet(site, skb->data, msg->crc);
	flitcast_tx_add_data(skb, msg, 0, msg->len);
	if (flitcast_vnet_start(site, set, skb)) {
		went_at_once(site, msg, t);
		return true;
	}
	if (!injq) {
		consume_skb(skb);
		return false;
	}
	went_at_once(site, msg, t);
	/*
	 * The message cannot be freed before its timers are set, even if feeding it delivers it
	 * here: the ack is only queued.
	 */
	msg->entered = flitcast_oper_entered(site, set);
	feed_whole(site, set, skb, msg->len);
	return true;
}

/* The current packet was fed completely, or is not sent after all. */
static void cur_done(struct flitcast_site *site, u8 set)
{
	struct flitcast_cur *cur = &site->ends->cur[set];
	struct flitcast_msg *msg = cur->msg;

	cur->msg = NULL;
	msg->entered = flitcast_oper_entered(site, set);
	if (msg->source) {
		u64 now = flitcast_site_now(site);
		unsigned int i;

		for (i = 0; i < cur->n; i++) {
			struct tx_target *t = &msg->target[cur->target[i]];

			t->sent_at = now;
			if (!t->first_at)
				t->first_at = now;
		}
		/*
		 * Leave the queue if no packet is left to send: certain only for one target, or if
		 * the only packet went to all targets.
		 */
		if (cur->n == msg->ntargets &&
		    (msg->ntargets == 1 ? !fc_txtarget_unsent(&msg->target->core) :
					  msg->len <= FC_PACKET_MAX))
			list_del_init(&msg->ready);
		flitcast_tx_went(site, msg, now);
	} else {
		flitcast_msg_spent(site, msg);
	}
	flitcast_msg_put(msg);
}

struct sk_buff *flitcast_tx_flit(struct flitcast_site *site, u8 set, struct fc_flit *flit)
{
	struct flitcast_cur *cur = &site->ends->cur[set];
	struct flitcast_msg *msg = cur->msg;
	u32 offset = cur->packet * FC_PACKET_MAX;
	u32 total = fc_data_len(msg->len, offset);
	u32 room = site->cfg.flit - FC_LINK_SIZE;
	u32 head = 0, want, got;
	struct sk_buff *skb;
	struct sites s;

	if (!cur->front) {
		cur_sites(&s, cur, msg, total, room);
		head = s.size;
	}
	want = min(total - cur->sent, room - head);
	skb = flitcast_skb_alloc(site->out.headroom, head + flitcast_tx_linear(msg));
	if (!skb) {
		/*
		 * The packet has not begun: choose again when there is memory, as its targets may
		 * change.
		 */
		if (!cur->front) {
			cur->msg = NULL;
			flitcast_msg_put(msg);
		}
		return NULL;
	}
	memset(flit, 0, sizeof(*flit));
	if (head) {
		put_head(site, cur, msg, &s, skb_put(skb, head), offset);
		flit->head = skb->data;
		flit->parts = FC_PART_HEAD;
		cur->front = true;
	}
	got = flitcast_tx_add_data(skb, msg, offset + cur->sent, want);
	flit->h = skb;
	flit->data = got;
	cur->sent += got;
	if (cur->sent == total) {
		flit->parts |= FC_PART_TERM;
		cur_done(site, set);
	}
	return skb;
}
