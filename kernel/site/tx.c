// SPDX-License-Identifier: GPL-2.0
/*
 * Sending ends: messages kept until every target has confirmed, cut into packets
 * and flits as the local net-input takes them, and sent again where no answer
 * comes.
 */
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "site/impl.h"

/* Wait for an answer: several round trips, at least so long; doubles up to the last. */
#define RTO_FIRST_NS	(400 * NSEC_PER_MSEC)
#define RTO_LAST_NS	(4 * NSEC_PER_SEC)
/*
 * What a site may have under way, so that its packets wait at the source rather
 * than in the transit pools of others: messages, and packets of each.
 */
#define ACTIVE_MAX	8
#define AHEAD_MAX	4
/* How long those that granted room wait for the others, to share the way. */
#define HOLD_NS		(20 * NSEC_PER_MSEC)
/* A route that is missing now may be back soon. */
#define UNREACHABLE_NS	(100 * NSEC_PER_MSEC)

/**
 * struct tx_flow - sending end of a flow
 * @node: in the source's table
 * @site: target site
 * @port: target port
 * @pending: targets of messages that are not over, in order
 * @core: numbers
 */
struct tx_flow {
	struct hlist_node node;
	u32 site;
	u16 port;
	struct list_head pending;
	struct fc_txflow core;
};

/**
 * struct tx_target - one target of a message
 * @flow: its flow
 * @pending: in the flow's list until over
 * @msg: the message
 * @asked: since when it owes an answer; 0: it does not
 * @off: first byte, as the sender named it
 * @len: bytes, as the sender named them
 * @most: packets sent at least once
 * @sent_at: when its last packet was sent
 * @silent: it did not answer in time: nothing of it counts as under way before it does
 * @unreachable: the last answer said that there is no way
 * @core: progress
 */
struct tx_target {
	struct tx_flow *flow;
	struct list_head pending;
	struct flitcast_msg *msg;
	u64 asked;
	u32 off;
	u32 len;
	u64 sent_at;
	u16 most;
	bool silent;
	bool unreachable;
	struct fc_txtarget core;
};

/**
 * struct flitcast_source - the sending side of a port; outlives it until its
 * messages are over
 * @node: in the site's table
 * @number: of the socket, unique in the site's life
 * @port: NULL once closed
 * @src_port: its port number
 * @flows: by target
 * @nflows: how many
 * @next: number a new flow begins with: above all that an evicted one used
 * @next_id: id of the next message
 * @msgs: messages that are not over
 * @timeout: how long a target may stay silent, ns
 */
struct flitcast_source {
	struct hlist_node node;
	u32 number;
	struct flitcast_port *port;
	u16 src_port;
	DECLARE_HASHTABLE(flows, 5);
	unsigned int nflows;
	u32 next;
	u32 next_id;
	struct list_head msgs;
	u64 timeout;
};

/**
 * struct flitcast_msg - a message being sent
 * @refs: the site's list, and the packet being sent
 * @site_node: in the site's list of messages
 * @ready: in the site's list of those that may have something to send
 * @source_node: in the source's list
 * @source: its source
 * @id: message id
 * @len: bytes
 * @charge: send room it holds
 * @repeat_at: when to send again what is unconfirmed
 * @hold_until: until then the granted wait for the others; 0: never sent
 * @holding: they do
 * @begun: some of it was sent: it does not wait for its turn again
 * @active: it counts as under way, see msg_under_way()
 * @wait: current wait for an answer
 * @err: first failure
 * @list: the sender named a target list
 * @ntargets: targets
 * @left: of these, not over
 * @target: targets
 * @npages: pages of data
 * @page: data
 */
struct flitcast_msg {
	refcount_t refs;
	struct list_head site_node;
	struct list_head ready;
	struct list_head source_node;
	struct flitcast_source *source;
	u32 id;
	u32 len;
	u32 charge;
	u64 repeat_at;
	u64 hold_until;
	u64 wait;
	int err;
	bool holding;
	bool begun;
	bool active;
	bool list;
	u32 ntargets;
	u32 left;
	struct tx_target *target;
	unsigned int npages;
	struct page **page;
};

/*
 * Messages.
 */

struct flitcast_msg *flitcast_msg_alloc(u32 len, u32 ndests, gfp_t gfp)
{
	struct flitcast_msg *msg = kzalloc(sizeof(*msg), gfp);
	unsigned int i;

	if (!msg)
		return NULL;
	refcount_set(&msg->refs, 1);
	INIT_LIST_HEAD(&msg->site_node);
	INIT_LIST_HEAD(&msg->ready);
	INIT_LIST_HEAD(&msg->source_node);
	msg->len = len;
	msg->ntargets = ndests;
	msg->target = kvcalloc(ndests, sizeof(*msg->target), gfp);
	msg->npages = DIV_ROUND_UP(len, PAGE_SIZE);
	if (msg->npages)
		msg->page = kvcalloc(msg->npages, sizeof(*msg->page), gfp);
	if (!msg->target || (msg->npages && !msg->page))
		goto fail;
	for (i = 0; i < msg->npages; i++) {
		msg->page[i] = alloc_page(gfp);
		if (!msg->page[i])
			goto fail;
	}
	return msg;
fail:
	flitcast_msg_free(msg);
	return NULL;
}

void flitcast_msg_free(struct flitcast_msg *msg)
{
	unsigned int i;

	for (i = 0; msg->page && i < msg->npages && msg->page[i]; i++)
		put_page(msg->page[i]);
	kvfree(msg->page);
	kvfree(msg->target);
	kfree(msg);
}

struct page *flitcast_msg_page(struct flitcast_msg *msg, unsigned int i)
{
	return msg->page[i];
}

static void msg_put(struct flitcast_msg *msg)
{
	if (refcount_dec_and_test(&msg->refs))
		flitcast_msg_free(msg);
}

/* The message may have something to send. */
static void msg_ready(struct flitcast_site *site, struct flitcast_msg *msg)
{
	if (list_empty(&msg->ready))
		list_add_tail(&msg->ready, msg->begun ? &site->ready : &site->fresh);
}

/*
 * Has the message packets under way, or room at a target, which it should soon
 * use?  What a silent target is sent again does not count: a site that is gone
 * must not hold back what goes to others.
 */
static bool msg_under_way(const struct flitcast_msg *msg)
{
	u32 i;

	for (i = 0; i < msg->ntargets; i++) {
		const struct tx_target *t = &msg->target[i];

		if (!fc_txtarget_over(&t->core) && t->core.state != FC_TX_NO_ROOM &&
		    !t->silent && t->most)
			return true;
	}
	return false;
}

/* Its state changed: it may become active, or make place for another. */
static void msg_settle(struct flitcast_site *site, struct flitcast_msg *msg, bool over)
{
	bool active = !over && msg_under_way(msg);

	if (active == msg->active)
		return;
	msg->active = active;
	if (active)
		site->nactive++;
	else
		site->nactive--;
}

static u64 first_wait(const struct flitcast_site *site)
{
	return clamp_t(u64, 4 * site->srtt, RTO_FIRST_NS, RTO_LAST_NS);
}

static void msg_due(struct flitcast_site *site, u64 at)
{
	site->ends_at = min(site->ends_at, at);
}

/*
 * Flows.
 */

static struct tx_flow *flow_find(struct flitcast_source *src, u32 site, u16 port)
{
	struct tx_flow *flow;

	hash_for_each_possible(src->flows, flow, node, jhash_2words(site, port, 0))
		if (flow->site == site && flow->port == port)
			return flow;
	return NULL;
}

static void flow_free(struct flitcast_source *src, struct tx_flow *flow)
{
	hash_del(&flow->node);
	src->nflows--;
	kfree(flow);
}

/*
 * Flows without messages give way.  One that comes back begins above every number
 * it had, with nothing before it: its target takes that for messages given up.
 */
static void flows_evict(struct flitcast_source *src)
{
	struct hlist_node *next;
	struct tx_flow *flow;
	int bucket;

	hash_for_each_safe(src->flows, bucket, next, flow, node) {
		if (!list_empty(&flow->pending))
			continue;
		if (fc_before(src->next, flow->core.next))
			src->next = flow->core.next;
		flow_free(src, flow);
	}
}

static struct tx_flow *flow_get(struct flitcast_source *src, u32 site, u16 port)
{
	struct tx_flow *flow = flow_find(src, site, port);

	if (flow)
		return flow;
	flow = kzalloc(sizeof(*flow), GFP_ATOMIC | __GFP_ACCOUNT);
	if (!flow)
		return NULL;
	flow->site = site;
	flow->port = port;
	INIT_LIST_HEAD(&flow->pending);
	flow->core.next = src->next;
	flow->core.oldest = src->next;
	hash_add(src->flows, &flow->node, jhash_2words(site, port, 0));
	src->nflows++;
	return flow;
}

/* The oldest message of a flow that is not over; those behind it may be sent now. */
static void flow_advance(struct flitcast_site *site, struct tx_flow *flow)
{
	struct tx_target *t;
	u32 oldest = flow->core.next;

	t = list_first_entry_or_null(&flow->pending, struct tx_target, pending);
	if (t)
		oldest = t->core.seq;
	if (oldest == flow->core.oldest)
		return;
	flow->core.oldest = oldest;
	list_for_each_entry(t, &flow->pending, pending)
		msg_ready(site, t->msg);
}

/*
 * Progress.
 */

static void source_free(struct flitcast_source *src)
{
	struct hlist_node *next;
	struct tx_flow *flow;
	int bucket;

	hash_for_each_safe(src->flows, bucket, next, flow, node)
		flow_free(src, flow);
	kfree(src);
}

/* A closed source goes with its last message; its user has no more to do with it. */
static void source_reap(struct flitcast_source *src)
{
	if (src->port || !list_empty(&src->msgs))
		return;
	hash_del(&src->node);
	source_free(src);
}

/* Every target is over. */
static void msg_over(struct flitcast_site *site, struct flitcast_msg *msg)
{
	struct flitcast_source *src = msg->source;

	msg_settle(site, msg, true);
	list_del_init(&msg->ready);
	list_del_init(&msg->site_node);
	list_del_init(&msg->source_node);
	site->stat[msg->err ? FC_STAT_MSG_FAILED : FC_STAT_MSG_CONFIRMED]++;
	if (src->port) {
		src->port->ops->sent(src->port, msg->charge, msg->err);
		flitcast_engine_wake(site, src->port, FLITCAST_WAKE_OUT |
				     (msg->err ? FLITCAST_WAKE_ERR : 0));
	} else {
		site->orphans -= msg->charge;
	}
	msg->source = NULL;
	msg_put(msg);
}

/* This target is over; its message may be.  The message may be gone afterwards. */
static void target_over(struct flitcast_site *site, struct tx_target *t, int err)
{
	struct flitcast_msg *msg = t->msg;

	list_del_init(&t->pending);
	if (err && !msg->err)
		msg->err = err;
	if (!--msg->left)
		msg_over(site, msg);
}

void flitcast_tx_answer(struct flitcast_site *site, const struct fc_ctrl *ctrl)
{
	struct flitcast_source *src;
	struct tx_target *t, *next;
	struct tx_flow *flow = NULL;
	u64 now = flitcast_now();

	if (ctrl->incarnation != site->incarnation)
		return;
	hash_for_each_possible(site->sources, src, node, ctrl->sock) {
		if (src->number == ctrl->sock) {
			flow = flow_find(src, ctrl->site, ctrl->port);
			break;
		}
	}
	/* A level beyond what was sent is nobody's. */
	if (!flow || fc_before(flow->core.next, ctrl->next))
		return;
	list_for_each_entry_safe(t, next, &flow->pending, pending) {
		if (ctrl->kind == FC_CTRL_UNREACHABLE) {
			if (t->core.seq == ctrl->seq)
				t->unreachable = true;
			continue;
		}
		/* Numbers go up: nothing behind it is spoken of. */
		if (!fc_before(t->core.seq, ctrl->next) && t->core.seq != ctrl->seq)
			continue;
		t->asked = 0;
		t->silent = false;
		t->unreachable = false;
		if (!fc_txtarget_answer(&t->core, ctrl))
			continue;
		if (t->most && ctrl->kind == FC_CTRL_CONFIRM)
			site->srtt += (s64)(now - t->sent_at - site->srtt) / 8;
		t->msg->wait = first_wait(site);
		t->msg->repeat_at = now + t->msg->wait;
		if (fc_txtarget_over(&t->core)) {
			struct flitcast_msg *msg = t->msg;
			bool last = msg->left == 1;

			target_over(site, t,
				    t->core.state == FC_TX_REFUSED ? -ECONNREFUSED : 0);
			if (!last)
				msg_settle(site, msg, false);
		} else {
			msg_settle(site, t->msg, false);
			msg_ready(site, t->msg);
		}
	}
	flow_advance(site, flow);
	source_reap(src);
}

/* Give a target up; false if that was the end of the message. */
static bool give_up(struct flitcast_site *site, struct tx_target *t, int err)
{
	struct tx_flow *flow = t->flow;
	bool more = t->msg->left > 1;

	t->core.state = FC_TX_FAILED;
	target_over(site, t, err);
	flow_advance(site, flow);
	return more;
}

/* Has the target, which put the message off, room by now? */
static void ask(struct flitcast_site *site, const struct flitcast_msg *msg,
		struct tx_target *t)
{
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_ASK, .dst = t->flow->site, .incarnation = site->incarnation,
		.sock = msg->source->number, .site = site->cfg.id, .port = t->flow->port,
		.seq = t->core.seq, .next = t->flow->core.oldest,
	};

	if (!t->asked)
		t->asked = flitcast_now();
	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_engine_ctrl(site, &ctrl);
}

/* No answer in time; false if the message is over, and gone. */
static bool msg_repeat(struct flitcast_site *site, struct flitcast_msg *msg, u64 now)
{
	struct flitcast_source *src = msg->source;
	u32 i;

	for (i = 0; i < msg->ntargets; i++) {
		struct tx_target *t = &msg->target[i];
		bool unsent = fc_txtarget_unsent(&t->core);

		if (fc_txtarget_over(&t->core))
			continue;
		if (fc_txtarget_repeat(&t->core))
			ask(site, msg, t);
		t->silent = true;
		/* It cannot answer what has not gone from here. */
		if (unsent || !t->asked || now < t->asked + src->timeout)
			continue;
		if (!give_up(site, t, t->unreachable ? -EHOSTUNREACH : -ETIMEDOUT)) {
			source_reap(src);
			return false;
		}
	}
	msg->wait = min_t(u64, 2 * msg->wait, RTO_LAST_NS);
	/* Retransmission after a random wait (CARE, section 3.4). */
	msg->repeat_at = now + msg->wait + fc_random(&site->rng) % (u32)(msg->wait / 4);
	msg_settle(site, msg, false);
	msg_ready(site, msg);
	return true;
}

/* Something is due: what went unanswered is sent again, or given up. */
void flitcast_tx_time(struct flitcast_site *site)
{
	struct flitcast_msg *msg, *next;
	u64 now = flitcast_now();

	site->ends_at = FC_NEVER;
	list_for_each_entry_safe(msg, next, &site->msgs, site_node) {
		if (msg->holding && msg->hold_until <= now) {
			msg->holding = false;
			msg_ready(site, msg);
		}
		if (msg->repeat_at <= now && !msg_repeat(site, msg, now))
			continue;
		msg_due(site, msg->repeat_at);
		if (msg->holding)
			msg_due(site, msg->hold_until);
	}
}

/*
 * Packets.
 */

/*
 * The packet this message should send next, and to whom; -1: none now.  A packet
 * goes to all that need it; those that granted wait a little for the others, so
 * that one transmission serves them together.
 */
static int msg_pick(struct flitcast_site *site, struct flitcast_msg *msg, u64 now)
{
	/* The list of a packet fits its first flit. */
	u32 most = min_t(u32, FC_TARGETS_MAX, (site->cfg.flit - FC_LINK_SIZE - FC_PACKET_SIZE) /
			 FC_TARGET_SIZE);
	bool asking = false;
	int best = -1;
	u32 i;

	site->cur_n = 0;
	for (i = 0; i < msg->ntargets; i++) {
		struct tx_target *t = &msg->target[i];
		int packet;

		if (fc_txtarget_over(&t->core))
			continue;
		packet = fc_txtarget_next(&t->core, &t->flow->core);
		if (packet < 0) {
			asking |= t->core.state == FC_TX_ASKING && t->core.part.count > 1;
			continue;
		}
		if (packet - t->core.part.first >= t->core.base + AHEAD_MAX)
			continue;
		if (best >= 0 && packet > best)
			continue;
		if (packet != best)
			site->cur_n = 0;
		best = packet;
		if (site->cur_n < most)
			site->cur_target[site->cur_n++] = i;
	}
	if (best > 0 && asking && now < msg->hold_until) {
		msg->holding = true;
		msg_due(site, msg->hold_until);
		return -1;
	}
	return best;
}

bool flitcast_tx_pick(struct flitcast_site *site)
{
	u64 now = flitcast_now();

	for (;;) {
		struct flitcast_msg *msg;
		int packet;

		msg = list_first_entry_or_null(&site->ready, struct flitcast_msg, ready);
		if (!msg && site->nactive < ACTIVE_MAX)
			msg = list_first_entry_or_null(&site->fresh, struct flitcast_msg, ready);
		if (!msg)
			return false;
		packet = msg_pick(site, msg, now);
		if (packet < 0) {
			list_del_init(&msg->ready);
			continue;
		}
		/* In turn with the others, packet by packet. */
		msg->begun = true;
		list_move_tail(&msg->ready, &site->ready);
		refcount_inc(&msg->refs);
		site->cur = msg;
		site->cur_packet = packet;
		site->cur_sent = 0;
		site->cur_front = false;
		return true;
	}
}

/* Data [from, from + len) of the message as fragments. */
static u32 add_data(struct sk_buff *skb, struct flitcast_msg *msg, u32 from, u32 len)
{
	u32 done = 0;
	int i;

	for (i = 0; i < MAX_SKB_FRAGS && done < len; i++) {
		struct page *page = msg->page[(from + done) / PAGE_SIZE];
		u32 off = offset_in_page(from + done);
		u32 n = min_t(u32, len - done, PAGE_SIZE - off);

		get_page(page);
		skb_add_rx_frag(skb, i, page, off, n, PAGE_SIZE);
		done += n;
	}
	return done;
}

/* Packet header and target list. */
static void put_head(struct flitcast_site *site, struct flitcast_msg *msg, u8 *head,
		     u32 offset, u32 data_len)
{
	struct fc_packet pk = {
		.src = site->cfg.id, .incarnation = site->incarnation,
		.sock = msg->source->number, .src_port = msg->source->src_port,
		.ntargets = site->cur_n, .id = msg->id, .msg_len = msg->len,
		.offset = offset, .data_len = data_len,
		.flags = msg->list ? FC_PACKET_LIST : 0,
	};
	bool again = false;
	unsigned int i;

	fc_wire_packet_encode(head, &pk);
	for (i = 0; i < site->cur_n; i++) {
		struct tx_target *t = &msg->target[site->cur_target[i]];
		struct fc_target e = {
			.site = t->flow->site, .port = t->flow->port,
			.flags = i == site->cur_n - 1 ? FC_TARGET_LAST : 0,
			.lag = t->core.seq - t->flow->core.oldest,
			.off = t->off, .len = t->len, .seq = t->core.seq,
		};

		fc_wire_target_encode(head, i, &e);
		fc_txtarget_sent(&t->core, site->cur_packet);
		if (t->core.sent <= t->most)
			again = true;
		t->sent_at = flitcast_now();
		if (!t->asked)
			t->asked = t->sent_at;
		t->most = max(t->most, t->core.sent);
	}
	site->stat[again ? FC_STAT_PKT_REPEATED : FC_STAT_PKT_SENT]++;
	msg_settle(site, msg, false);
}

/* The packet in cur is in the local net-input, or is not sent after all. */
static void cur_done(struct flitcast_site *site)
{
	struct flitcast_msg *msg = site->cur;

	site->cur = NULL;
	if (msg->source) {
		u64 now = flitcast_now();

		msg->repeat_at = now + msg->wait;
		msg_due(site, msg->repeat_at);
		if (!msg->hold_until)
			msg->hold_until = now + HOLD_NS;
	}
	msg_put(msg);
}

struct sk_buff *flitcast_tx_flit(struct flitcast_site *site, struct fc_flit *flit)
{
	struct flitcast_msg *msg = site->cur;
	u32 offset = site->cur_packet * FC_PACKET_MAX;
	u32 total = min(msg->len - offset, FC_PACKET_MAX);
	u32 room = site->cfg.flit - FC_LINK_SIZE;
	u32 head = site->cur_front ? 0 : fc_head_size(site->cur_n);
	u32 want = min(total - site->cur_sent, room - head), got;
	struct sk_buff *skb;

	skb = alloc_skb(FLITCAST_LINK_HEADROOM + head, GFP_ATOMIC);
	if (!skb) {
		/* Not begun: who needs it may be another by the time there is memory. */
		if (!site->cur_front) {
			site->cur = NULL;
			msg_put(msg);
		}
		return NULL;
	}
	skb_reserve(skb, FLITCAST_LINK_HEADROOM);
	memset(flit, 0, sizeof(*flit));
	if (head) {
		put_head(site, msg, skb_put(skb, head), offset, total);
		flit->head = skb->data;
		flit->parts = FC_PART_HEAD;
		site->cur_front = true;
	}
	got = add_data(skb, msg, offset + site->cur_sent, want);
	flit->h = skb;
	flit->data = got;
	site->cur_sent += got;
	if (site->cur_sent == total) {
		flit->parts |= FC_PART_TERM;
		cur_done(site);
	}
	return skb;
}

/*
 * Ports.
 */

int flitcast_tx_attach(struct flitcast_site *site, struct flitcast_port *port)
{
	struct flitcast_source *src = kzalloc(sizeof(*src), GFP_ATOMIC | __GFP_ACCOUNT);

	if (!src)
		return -ENOMEM;
	src->number = site->next_sock++;
	src->port = port;
	src->src_port = port->number;
	src->timeout = port->timeout;
	hash_init(src->flows);
	INIT_LIST_HEAD(&src->msgs);
	hash_add(site->sources, &src->node, src->number);
	port->source = src;
	return 0;
}

void flitcast_tx_detach(struct flitcast_site *site, struct flitcast_port *port)
{
	struct flitcast_source *src = port->source;
	struct flitcast_msg *msg, *next;

	port->source = NULL;
	src->port = NULL;
	src->timeout = port->timeout;
	list_for_each_entry(msg, &src->msgs, source_node)
		site->orphans += msg->charge;
	if (list_empty(&src->msgs)) {
		hash_del(&src->node);
		source_free(src);
		return;
	}
	/* The oldest go first where closed sockets have left too much behind. */
	list_for_each_entry_safe(msg, next, &site->msgs, site_node) {
		u32 i;

		if (site->orphans <= FLITCAST_ORPHANS_MAX)
			break;
		src = msg->source;
		if (src->port)
			continue;
		for (i = 0; i < msg->ntargets; i++) {
			if (!fc_txtarget_over(&msg->target[i].core) &&
			    !give_up(site, &msg->target[i], -ETIMEDOUT))
				break;
		}
		source_reap(src);
	}
}

int flitcast_msg_send(struct flitcast_port *port, struct flitcast_msg *msg,
		      const struct flitcast_msg_dest *dests, u32 charge, bool list, u32 *id)
{
	struct flitcast_site *site = port->site;
	struct flitcast_source *src;
	int err = -ENETDOWN;
	u32 i;

	if (!site)
		return -ENETDOWN;
	flitcast_engine_enter(site);
	src = port->source;
	if (site->dead || !src)
		goto out;
	if (src->nflows + msg->ntargets > FLITCAST_TXFLOWS_MAX)
		flows_evict(src);
	/* Everything that can fail comes before anything is changed. */
	for (i = 0; i < msg->ntargets; i++) {
		struct tx_target *t = &msg->target[i];

		err = -EHOSTUNREACH;
		if (dests[i].site >= site->cfg.topo.nsites)
			goto out;
		err = -ENOMEM;
		t->flow = flow_get(src, dests[i].site, dests[i].port);
		if (!t->flow)
			goto out;
	}
	for (i = 0; i < msg->ntargets; i++) {
		struct tx_target *t = &msg->target[i];

		t->msg = msg;
		t->off = dests[i].off;
		t->len = dests[i].len;
		t->core.part = fc_part_make(msg->len, t->off, t->len);
		t->core.seq = t->flow->core.next++;
		list_add_tail(&t->pending, &t->flow->pending);
	}
	src->timeout = port->timeout;
	msg->source = src;
	msg->id = src->next_id++;
	msg->charge = charge;
	msg->list = list;
	msg->left = msg->ntargets;
	msg->wait = first_wait(site);
	msg->repeat_at = FC_NEVER;
	list_add_tail(&msg->site_node, &site->msgs);
	list_add_tail(&msg->source_node, &src->msgs);
	msg_ready(site, msg);
	site->stat[FC_STAT_MSG_SENT]++;
	*id = msg->id;
	err = 0;
out:
	flitcast_engine_leave(site);
	return err;
}

void flitcast_tx_purge(struct flitcast_site *site)
{
	struct flitcast_msg *msg, *next;
	struct flitcast_source *src;
	struct hlist_node *tmp;
	int bucket;

	if (site->cur)
		msg_put(site->cur);
	site->cur = NULL;
	list_for_each_entry_safe(msg, next, &site->msgs, site_node) {
		list_del_init(&msg->ready);
		list_del_init(&msg->site_node);
		msg->source = NULL;
		msg_put(msg);
	}
	hash_for_each_safe(site->sources, bucket, tmp, src, node) {
		hash_del(&src->node);
		if (src->port)
			src->port->source = NULL;
		source_free(src);
	}
}
