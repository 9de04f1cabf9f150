// SPDX-License-Identifier: GPL-2.0
/*
 * The engine of a site: what is left to do before its lock is released, and what its timer does.
 *
 * It stands above the fabric and the ends of messages and calls both in turn.
 */
#include "compat.h"
#include "drop.h"
#include "ends/bcast.h"
#include "ends/check.h"
#include "ends/blocks.h"
#include "ends/ports.h"
#include "ends/rx.h"
#include "ends/tx.h"
#include "ends/txbcast.h"
#include "ether/ether.h"
#include "fabric/clock.h"
#include "fabric/effects.h"
#include "fabric/enter.h"
#include "fabric/faults.h"
#include "fabric/hello.h"
#include "fabric/relay.h"
#include "fabric/sum.h"
#include "fabric/vnet.h"
#include "site/impl.h"

/*
 * Messages that one hold of the lock may complete; one control entry may complete FC_FLOW_WINDOW.
 */
#define OVER_BUDGET	8

int flitcast_engine_init(void)
{
	if (flitcast_replay_module_init())
		return -ENOMEM;
	if (flitcast_blocks_init()) {
		flitcast_replay_module_exit();
		return -ENOMEM;
	}
	static_call_update(flitcast_leave_up, flitcast_engine_leave);
	static_call_update(flitcast_received_up, flitcast_engine_received);
	return 0;
}

void flitcast_engine_exit(void)
{
	flitcast_blocks_exit();
	flitcast_replay_module_exit();
}

/* When a state machine of the core is due: exact, whereas other deadlines may be early. */
static u64 machines_due(const struct flitcast_site *site)
{
	return min3(site->mode->next_at(site), flitcast_relay_next_at(site),
		    flitcast_faults_next_at(site));
}

/* May this site have data to inject, or control messages for itself? */
static inline bool feeds(const struct flitcast_site *site)
{
	return site->ctrl.nloop || flitcast_oper_waits(site) || flitcast_txcast_waits(site);
}

/*
 * Process the control messages that are addressed to this site itself.  The site had @left messages
 * when the caller began.  Return: true if many were completed since: the caller must release the
 * lock before it goes on.
 */
static bool ctrl_loop(struct flitcast_site *site, unsigned int left)
{
	unsigned int i;
	bool more = false;

	for (i = 0; i < site->ctrl.nloop && !more; i++) {
		struct fc_ctrl ctrl = site->ctrl.loop[i];

		if (ctrl.kind == FC_CTRL_ASK)
			flitcast_rx_ask(site, &ctrl);
		else if (ctrl.kind == FC_CTRL_FORWARD)
			flitcast_rx_forward(site, &ctrl);
		else if (ctrl.kind == FC_CTRL_RESYNC || ctrl.kind == FC_CTRL_CLOSED)
			flitcast_rx_resynced(site, &ctrl);
		else if (ctrl.kind == FC_CTRL_DAMAGED)
			flitcast_sum_locate(site);
		else
			flitcast_tx_answer(site, &ctrl);
		more = (int)(left - site->ends->tx.nmsgs) >= OVER_BUDGET;
	}
	site->ctrl.nloop -= i;
	memmove(site->ctrl.loop, site->ctrl.loop + i, site->ctrl.nloop * sizeof(*site->ctrl.loop));
	/* The timer processes the rest, to bound how long the lock is held. */
	if (more)
		site->clock.ends_at = 0;
	return more;
}

/* Hand a packet that has arrived to the network device or to a port; takes the flits. */
static __always_inline void deliver(struct flitcast_site *site, struct sk_buff_head *flits,
				    u8 target)
{
	const u8 *head = skb_peek(flits)->data;
	struct fc_packet pk;
	struct fc_target t;

	if (!fc_wire_datagram(head)) {
		fc_wire_packet_decode(&pk, head);
		fc_wire_target_decode(&t, head, target);
		flitcast_rx_packet(site, flits, &pk, &t, NULL);
	} else if (site->oper.dgrams.ether) {
		flitcast_ether_receive(site, flits);
	} else {
		site->stat[FC_STAT_DATAGRAM_DROPPED]++;
		flitcast_drop_queue(flits, FLITCAST_DROP_REFUSED);
	}
}

/* Is a packet as its source made it?  If not, it is dropped, as if it had been lost. */
static bool intact(struct flitcast_site *site, struct sk_buff_head *flits, u8 port)
{
	if (likely(flitcast_sum_test(site, flits, port)))
		return true;
	flitcast_ctrl_damaged(site, fc_wire_src(skb_peek(flits)->data), port);
	flitcast_drop_queue(flits, FLITCAST_DROP_DAMAGED);
	return false;
}

/* Deliver a packet to each of its targets here; takes the flits. */
static void deliver_targets(struct flitcast_site *site, struct sk_buff_head *flits,
			    const struct flitcast_arrived *arrived)
{
	u64 rest = arrived->targets;
	struct sk_buff_head copy;

	for (; rest & (rest - 1); rest &= rest - 1) {
		if (flitcast_flits_clone(&copy, flits))
			deliver(site, &copy, fc_low64(rest));
		else
			site->stat[FC_STAT_NO_MEMORY]++;
	}
	deliver(site, flits, fc_low64(rest));
}

static noinline void deliver_queued(struct flitcast_site *site)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&site->todo.up.arrived))) {
		struct flitcast_arrived arrived = *FLITCAST_ARRIVED(skb);
		struct sk_buff_head flits;

		__skb_queue_head_init(&flits);
		__skb_queue_tail(&flits, skb);
		while (--arrived.flits)
			__skb_queue_tail(&flits, __skb_dequeue(&site->todo.up.arrived));
		if (!intact(site, &flits, arrived.port))
			continue;
		site->ctrl.beyond = arrived.beyond;
		if (arrived.bcast)
			flitcast_bcast_copy(site, arrived.port, &flits);
		else
			deliver_targets(site, &flits, &arrived);
		site->ctrl.beyond = 0;
	}
}

static void arrived(struct flitcast_site *site)
{
	struct sk_buff *skb = site->todo.up.flit;
	struct sk_buff_head flits;

	if (likely(skb)) {
		site->todo.up.flit = NULL;
		__skb_queue_head_init(&flits);
		__skb_queue_tail(&flits, skb);
		if (intact(site, &flits, FLITCAST_ARRIVED(skb)->port))
			deliver(site, &flits, 0);
	}
	if (!skb_queue_empty(&site->todo.up.arrived))
		deliver_queued(site);
}

static void admitted(struct flitcast_site *site)
{
	struct flitcast_admitted *a, *next;

	list_for_each_entry_safe(a, next, &site->todo.up.admitted, node) {
		flitcast_tx_admitted(site, a);
		kfree(a);
	}
	INIT_LIST_HEAD(&site->todo.up.admitted);
}

static void entered(struct flitcast_site *site)
{
	struct flitcast_up *up = &site->todo.up;

	for (; up->queues; up->queues &= up->queues - 1) {
		u8 queue = fc_low(up->queues);

		flitcast_ether_entered(site, queue, up->entered[queue].frames,
				       up->entered[queue].bytes);
		memset(&up->entered[queue], 0, sizeof(up->entered[queue]));
	}
}

/* Do the work that the fabric has left. */
static noinline void act(struct flitcast_site *site)
{
	u8 pending = site->todo.up.pending;

	lockdep_assert_held(&site->lock);
	if (site->dead) {
		flitcast_up_purge(&site->todo.up);
		return;
	}
	site->todo.up.pending = 0;
	if (pending & FLITCAST_UP_ARRIVED)
		arrived(site);
	if (likely(!(pending & ~FLITCAST_UP_ARRIVED)))
		return;
	if (pending & FLITCAST_UP_ADMITTED)
		admitted(site);
	if (pending & FLITCAST_UP_ENTERED)
		entered(site);
	if (pending & FLITCAST_UP_REROUTED)
		flitcast_tx_rerouted(site);
	if (!site->oper.dgrams.ether)
		return;
	if (pending & FLITCAST_UP_REROUTED)
		flitcast_ether_rerouted(site);
	if (pending & FLITCAST_UP_LINKS)
		flitcast_ether_links(site);
}

/*
 * Feed the switches with the data of this site, as far as they have buffer space.  A packet to the
 * site itself is delivered and acked at once, so that the next one may enter: all rounds share one
 * budget.
 */
static noinline void feed(struct flitcast_site *site)
{
	unsigned int left = site->ends->tx.nmsgs, before;
	int budget = FLITCAST_FEED_FRAMES;

	do {
		before = site->ends->tx.nmsgs;
		if (site->ctrl.nloop && ctrl_loop(site, left))
			return;
		/* To complete a message costs no less than to feed a flit. */
		budget -= (int)(before - site->ends->tx.nmsgs);
		if (flitcast_oper_waits(site))
			flitcast_site_feed(site, &budget);
		if (flitcast_txcast_waits(site))
			flitcast_txcast_feed(site);
		/* The timer feeds them, to bound how long the lock is held. */
		if (unlikely(flitcast_copies_wait(site)) && flitcast_effects_copies(site))
			site->clock.ends_at = 0;
		if (site->todo.up.pending)
			act(site);
	} while (site->ctrl.nloop && site->clock.ends_at);
}

/* Mode postman: eager flits have been transmitted; now make the routing decisions for them. */
static noinline void route_unrouted(struct flitcast_site *site)
	__must_hold(&site->lock)
{
	struct fc_event ev = { .type = FC_EV_ROUTE };

	while (site->todo.unrouted) {
		site->todo.unrouted = false;
		if (site->todo.up.pending)
			act(site);
		flitcast_transmit(site);
		spin_lock(&site->lock);
		site->now = 0;
		if (!site->dead)
			flitcast_vnet_all(site, &ev);
	}
}

/*
 * Process the work that frames caused in parts; release the lock between them, when what a part has
 * left for the layers above is done, too.
 */
static noinline void go_on(struct flitcast_site *site)
	__must_hold(&site->lock)
{
	while (site->todo.more) {
		if (site->todo.up.pending)
			act(site);
		flitcast_transmit(site);
		spin_lock(&site->lock);
		site->now = 0;
		if (site->dead)
			site->todo.more = 0;
		else if (site->todo.more)
			flitcast_vnet_more(site);
	}
}

/* Complete the work of an entry before the lock is released. */
static __always_inline void before_leave(struct flitcast_site *site)
	__must_hold(&site->lock)
{
	do {
		if (site->todo.more)
			go_on(site);
		if (site->todo.resets)
			flitcast_hello_resets(site);
		if (site->todo.suspected)
			flitcast_hello_suspects(site);
		if (site->todo.unrouted)
			route_unrouted(site);
		if (site->todo.up.pending)
			act(site);
		if (feeds(site) && !site->dead)
			feed(site);
	} while (site->todo.unrouted);
	if (site->ctrl.ports)
		flitcast_ctrl_leave(site);
	if (site->ctrl.tests)
		flitcast_relay_tests(site);
	flitcast_check(site);
	flitcast_set_timer(site);
}

/* Wake ports after the lock is released; RCU keeps the site until then. */
static noinline void leave_and_wake(struct flitcast_site *site)
	__releases(&site->lock) __releases(RCU)
{
	struct flitcast_woken FC_UNSET woken;
	bool more = flitcast_woken_take(site, &woken);

	flitcast_transmit(site);
	local_bh_enable();
	flitcast_woken_wake(&woken);
	if (unlikely(more))
		flitcast_woken_more(site);
	rcu_read_unlock();
}

/* Wake ports after the lock is released, in a softirq that stays in its RCU read section. */
static noinline void received_and_wake(struct flitcast_site *site)
	__releases(&site->lock)
{
	struct flitcast_woken FC_UNSET woken;
	bool more = flitcast_woken_take(site, &woken);

	flitcast_transmit(site);
	flitcast_woken_wake(&woken);
	if (unlikely(more))
		flitcast_woken_more(site);
}

void flitcast_engine_received(struct flitcast_site *site)
	__releases(&site->lock)
{
	before_leave(site);
	if (!list_empty(&site->ends->ports.woken))
		received_and_wake(site);
	else
		flitcast_transmit(site);
}

void flitcast_engine_leave(struct flitcast_site *site)
	__releases(&site->lock) __releases(RCU)
{
	before_leave(site);
	if (!list_empty(&site->ends->ports.woken)) {
		leave_and_wake(site);
		return;
	}
	flitcast_transmit(site);
	local_bh_enable();
	rcu_read_unlock();
}

enum hrtimer_restart flitcast_engine_timer(struct hrtimer *timer)
{
	struct flitcast_site *site = container_of(timer, struct flitcast_site, clock.timer);
	struct fc_event ev = { .type = FC_EV_TIME };
	bool early, ends;
	u64 now;
	u8 p;

	flitcast_enter(site);
	site->clock.timer_at = FC_NEVER;
	if (!site->dead) {
		now = flitcast_site_now(site);
		early = flitcast_hello_due(site) <= now || flitcast_faults_due(site, now);
		for (p = 1; p < site->node.nports; p++)
			if (site->end[p].link)
				flitcast_hello_perform(site, p,
						       fc_hello_time(&site->end[p].hello, now,
								     early));
		flitcast_relay_event(site, &ev);
		site->mode->time(site, now);
		flitcast_faults_time(site, now, early);
		ends = site->clock.ends_at <= now;
		if (ends) {
			flitcast_tx_time(site);
			flitcast_rx_time(site, now);
			flitcast_ctrl_time(site, now);
		}
		flitcast_bcast_time(site, now);
		site->clock.machines_at = machines_due(site);
		site->clock.hello_news = true;
		/*
		 * Timed-out messages may have taken long: release the lock before the site is fed.
		 */
		if (ends) {
			if (site->todo.up.pending)
				act(site);
			flitcast_breathe(site);
		}
	}
	/* flitcast_leave() arms the timer again, under the lock, as for every entry. */
	flitcast_leave(site);
	return HRTIMER_NORESTART;
}
