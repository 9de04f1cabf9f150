// SPDX-License-Identifier: GPL-2.0
/*
 * The engine of a site: frames and timers in, events into the core, effects out.
 *
 * Every way in is the same: enter, one or more events, leave.  What is decided
 * is applied or queued under the site's lock, in order; frames leave and ports
 * wake after it.
 */
#include <linux/etherdevice.h>
#include <linux/random.h>
#include "compat.h"
#include "site/auth.h"
#include "site/check.h"
#include "site/lots.h"

/* Effects of one event: used with BH off, under a site's lock, never nested. */
static struct fc_effects __percpu *effects;

int flitcast_engine_init(void)
{
	/* Too large for what a module may have of static per-CPU memory. */
	effects = alloc_percpu(struct fc_effects);
	if (!effects)
		return -ENOMEM;
	if (flitcast_replay_module_init())
		goto effects;
	if (flitcast_lots_init())
		goto replay;
	return 0;

replay:
	flitcast_replay_module_exit();
effects:
	free_percpu(effects);
	return -ENOMEM;
}

void flitcast_engine_exit(void)
{
	flitcast_lots_exit();
	flitcast_replay_module_exit();
	free_percpu(effects);
}

struct fc_effects *flitcast_engine_effects(void)
{
	return this_cpu_ptr(effects);
}

static void count(struct flitcast_site *site, enum fc_stat stat)
{
	site->stat[stat]++;
}

void flitcast_engine_enter(struct flitcast_site *site)
	__acquires(RCU) __acquires(&site->lock)
{
	rcu_read_lock();
	spin_lock_bh(&site->lock);
	site->now = 0;
}

void flitcast_engine_wake(struct flitcast_site *site, struct flitcast_port *port, u8 mask)
{
	lockdep_assert_held(&site->lock);
	if (!list_empty(&port->woken)) {
		port->wake_mask |= mask;
		return;
	}
	if (!port->ops->hold(port))
		return;
	port->wake_mask = mask;
	list_add_tail(&port->woken, &site->woken);
}

/*
 * Frames forwarded by flitcast_pass() also prove that the peer is alive; not with a key, because
 * anybody may write a flit.
 */
static void hear(struct flitcast_site *site, struct flitcast_end *end)
{
	u64 now = flitcast_site_now(site), ago = jiffies_to_nsecs(jiffies - end->heard);

	if (!site->auth && ago < now)
		fc_hello_alive(&end->hello, now - ago);
	end->heard = 0;
}

/* When something of the handshakes is due. */
static u64 hello_due(struct flitcast_site *site)
{
	u64 at = FC_NEVER;
	u8 p;

	site->hello_news = false;
	for (p = 1; p < site->core.nports; p++) {
		if (!site->end[p].link)
			continue;
		if (site->end[p].heard)
			hear(site, &site->end[p]);
		at = min(at, site->end[p].hello.send_at);
		at = min(at, site->end[p].hello.dead_at);
	}
	return at;
}

/* When a machine of the core has something to do: exactly, where others may be too early. */
static u64 machines_due(const struct flitcast_site *site)
{
	u64 at = min(flitcast_care_next_at(site), flitcast_faults_next_at(site));

	return min3(at, flitcast_relay_next_at(site), flitcast_vnet_next_at(site));
}

static noinline void set_timer_at(struct flitcast_site *site, u64 at)
{
	if (site->faults_news) {
		flitcast_faults_send(site);
		at = min(at, site->machines_at);
	}
	if (site->csr)
		at = min(at, flitcast_csr_next_at(site));
	/* What a peer lets hear puts off its end: the timer need not know. */
	if (site->hello_news)
		at = min(at, hello_due(site));
	if (site->dead || at >= site->timer_at)
		return;
	site->timer_at = at;
	hrtimer_start(&site->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* One timer for all: set it to what is due first, after what is due now. */
static inline void set_timer(struct flitcast_site *site)
{
	u64 at = min3(site->machines_at, site->ends_at, site->cast_at);

	/* Mostly it is set already. */
	if (at < site->timer_at || site->hello_news || site->faults_news || site->csr)
		set_timer_at(site, at);
}

void flitcast_engine_set_timer(struct flitcast_site *site)
{
	set_timer(site);
}

/* Links whose ends contradict each other. */
static void reset_links(struct flitcast_site *site)
{
	u32 rest;

	for (rest = site->resets; rest; rest &= rest - 1)
		if (site->end[fc_low(rest)].link)
			flitcast_engine_hello(site, fc_low(rest),
					      fc_hello_reset(&site->end[fc_low(rest)].hello,
							     flitcast_site_now(site)));
	site->resets = 0;
}

/* May this site have something to send, or to tell itself? */
static inline bool feeds(const struct flitcast_site *site)
{
	return site->nloop || flitcast_oper_waits(site) || flitcast_txcast_waits(site);
}

/* What this site has to send, as far as there is room. */
static noinline void feed(struct flitcast_site *site)
{
	do {
		if (site->nloop && flitcast_ctrl_loop(site))
			return;
		if (flitcast_oper_waits(site))
			flitcast_oper_feed(site);
		if (flitcast_txcast_waits(site))
			flitcast_txcast_feed(site);
	} while (site->nloop && site->ends_at);
}

/* Frames of several links leave. */
static noinline void transmit_all(struct flitcast_site *site)
	__releases(&site->lock)
{
	struct flitcast_link *links[FC_PORTS_MAX];
	unsigned int i, nlinks = 0;
	u32 rest;

	for (rest = site->dirty; rest; rest &= rest - 1)
		if (site->end[fc_low(rest)].link)
			links[nlinks++] = site->end[fc_low(rest)].link;
	site->dirty = 0;
	spin_unlock(&site->lock);
	for (i = 0; i < nlinks; i++)
		flitcast_link_drain(links[i]);
}

/* Frames that are ready leave.  BH stay off: one link after the other, and no softirq between. */
static void transmit(struct flitcast_site *site)
	__releases(&site->lock)
{
	struct flitcast_link *link = NULL;

	if (site->dirty & (site->dirty - 1)) {
		transmit_all(site);
		return;
	}
	if (site->dirty)
		link = site->end[fc_low(site->dirty)].link;
	site->dirty = 0;
	spin_unlock(&site->lock);
	if (link)
		flitcast_link_drain(link);
}

/* In mode postman: what has been sent on is on its way, and now it is looked at. */
static noinline void look(struct flitcast_site *site)
	__must_hold(&site->lock)
{
	struct fc_event ev = { .type = FC_EV_LOOK };

	while (site->unseen) {
		site->unseen = false;
		transmit(site);
		spin_lock(&site->lock);
		site->now = 0;
		if (!site->dead)
			flitcast_vnet_all(site, &ev);
	}
}

/* What frames brought is done a part at a time; in between others have the lock. */
static noinline void go_on(struct flitcast_site *site)
	__must_hold(&site->lock)
{
	while (site->more) {
		transmit(site);
		spin_lock(&site->lock);
		site->now = 0;
		if (site->dead)
			site->more = 0;
		else if (site->more)
			flitcast_vnet_more(site);
	}
}

/* Ports that are woken between two times that the lock is taken. */
#define WOKEN_MAX	16

/**
 * struct woken - ports to wake after unlock
 * @n: how many
 * @port: ports, held
 * @mask: FLITCAST_WAKE_*
 */
struct woken {
	unsigned int n;
	struct flitcast_port *port[WOKEN_MAX];
	u8 mask[WOKEN_MAX];
};

/* Take the first ports out of the list.  Return: true if more are left in it. */
static bool take_woken(struct flitcast_site *site, struct woken *woken)
{
	struct flitcast_port *port, *next;

	woken->n = 0;
	list_for_each_entry_safe(port, next, &site->woken, woken) {
		if (woken->n == WOKEN_MAX)
			return true;
		woken->port[woken->n] = port;
		woken->mask[woken->n++] = port->wake_mask;
		list_del_init(&port->woken);
	}
	return false;
}

static void wake(const struct woken *woken)
{
	unsigned int i;

	for (i = 0; i < woken->n; i++)
		woken->port[i]->ops->wake(woken->port[i], woken->mask[i]);
}

/* The site was left with more ports to wake than one batch has. */
static noinline void wake_more(struct flitcast_site *site)
{
	struct woken FC_UNSET woken;
	bool more;

	do {
		spin_lock_bh(&site->lock);
		more = take_woken(site, &woken);
		spin_unlock_bh(&site->lock);
		wake(&woken);
	} while (more);
}

/* Ports are woken when nothing is locked any more; RCU keeps the site meanwhile. */
static noinline void leave_and_wake(struct flitcast_site *site)
	__releases(&site->lock) __releases(RCU)
{
	struct woken FC_UNSET woken;
	bool more = take_woken(site, &woken);

	transmit(site);
	local_bh_enable();
	wake(&woken);
	if (unlikely(more))
		wake_more(site);
	rcu_read_unlock();
}

/* The same in a softirq, which goes on. */
static noinline void received_and_wake(struct flitcast_site *site)
	__releases(&site->lock)
{
	struct woken FC_UNSET woken;
	bool more = take_woken(site, &woken);

	transmit(site);
	wake(&woken);
	if (unlikely(more))
		wake_more(site);
}

/* What is left to do before the lock is released. */
static __always_inline void before_leave(struct flitcast_site *site)
	__must_hold(&site->lock)
{
	do {
		if (site->more)
			go_on(site);
		if (site->resets)
			reset_links(site);
		if (site->unseen)
			look(site);
		if (feeds(site) && !site->dead)
			feed(site);
	} while (site->unseen);
	if (site->ctrls)
		flitcast_ctrl_leave(site);
	flitcast_check(site);
	set_timer(site);
}

void flitcast_engine_received(struct flitcast_site *site)
	__releases(&site->lock)
{
	before_leave(site);
	if (!list_empty(&site->woken))
		received_and_wake(site);
	else
		transmit(site);
}

void flitcast_engine_leave(struct flitcast_site *site)
	__releases(&site->lock) __releases(RCU)
{
	before_leave(site);
	if (!list_empty(&site->woken)) {
		leave_and_wake(site);
		return;
	}
	transmit(site);
	local_bh_enable();
	rcu_read_unlock();
}

/* With the code that the network's key asks for. */
static noinline bool sign(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			  struct fc_link_hdr *hdr)
{
	if (flitcast_auth_sign(site, port, skb, hdr))
		return true;
	/* As one that was lost. */
	count(site, FC_STAT_NO_MEMORY);
	kfree_skb(skb);
	return false;
}

static inline void frame(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			 struct fc_link_hdr *hdr)
{
	struct flitcast_end *end = &site->end[port];

	hdr->epoch = (u16)end->hello.own.epoch;
	if (unlikely(site->auth) && hdr->type != FC_FRAME_FLIT && !sign(site, port, skb, hdr))
		return;
	flitcast_link_queue(end->link, skb, hdr);
	site->frames++;
	site->dirty |= fc_bit(port);
}

void flitcast_engine_frame(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			   struct fc_link_hdr *hdr)
{
	frame(site, port, skb, hdr);
}

static struct flitcast_replay *replay_of(struct flitcast_end *end, u8 vc)
{
	return vc == FC_VC_CAST ? &end->cast : &end->class[fc_vc_set(vc)][fc_vc_class(vc)];
}

unsigned int flitcast_engine_headroom(const struct flitcast_link *link)
{
	return READ_ONCE(link->headroom);
}

/* A flit goes out, for the first time or again. */
static void transmit_flit(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			  struct fc_link_hdr *hdr)
{
	struct flitcast_link *link = site->end[port].link;

	if (!skb) {
		/* As a flit lost on the link: the peer asks for it. */
		count(site, FC_STAT_NO_MEMORY);
		return;
	}
	/* Not in what is kept: until it has gone the link is not crossed. */
	if (hdr->flags & FC_PART_HEAD && hdr->vc != FC_VC_CAST)
		fc_wire_head_hop(skb->data);
	link->stat[FC_LSTAT_TX_FLITS]++;
	link->stat[FC_LSTAT_TX_BYTES] += skb->len + FC_LINK_SIZE;
	frame(site, port, skb, hdr);
}

void flitcast_engine_flit(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			  struct fc_link_hdr *hdr)
{
	struct flitcast_end *end = &site->end[port];

	if (hdr->flags & FC_PART_HEAD)
		end->link->stat[FC_LSTAT_TX_PACKETS]++;
	if (flitcast_replay_add(replay_of(end, hdr->vc), &site->kept, hdr->seq, &skb, hdr->flags)) {
		transmit_flit(site, port, skb, hdr);
		return;
	}
	/* Nobody could send it again: the link begins anew. */
	count(site, FC_STAT_NO_MEMORY);
	site->resets |= fc_bit(port);
}

void flitcast_engine_again(struct flitcast_site *site, const struct fc_effect *e)
{
	struct fc_link_hdr hdr = {
		.type = FC_FRAME_FLIT, .vc = e->vc, .seq = e->seq, .ack = e->ack,
	};
	struct flitcast_end *end = &site->end[e->port];
	struct sk_buff *skb;

	skb = flitcast_replay_copy(replay_of(end, e->vc), e->seq,
				   flitcast_engine_headroom(end->link), &hdr.flags);
	transmit_flit(site, e->port, skb, &hdr);
}

/* A flit that came in on another link, or from here, goes out. */
static void send_flit(struct flitcast_site *site, const struct fc_effect *e)
{
	struct flitcast_link *link = site->end[e->port].link;
	unsigned int headroom = flitcast_engine_headroom(link);
	struct fc_link_hdr hdr = {
		.type = FC_FRAME_FLIT, .vc = e->vc, .seq = e->seq, .ack = e->ack,
		.flags = e->flit.parts & (FC_PART_HEAD | FC_PART_TERM | FC_PART_ABORT |
					  FC_PART_RUN),
	};
	struct sk_buff *skb = e->flit.h;

	if (site->resets & fc_bit(e->port)) {
		/* Its numbers are over. */
		if (!e->keep)
			kfree_skb(skb);
		return;
	}
	/*
	 * With a head of its own: headers are written into it, here and, over a veth, by the peer;
	 * and whoever else refers to this memory must not see the list of this branch.
	 */
	if (!skb) {
		skb = flitcast_link_alloc(link, 0);
	} else if (e->keep) {
		skb = flitcast_branch_copy(skb, headroom, hdr.flags & FC_PART_HEAD ? e->mask : 0);
	} else if (skb_cow_head(skb, headroom)) {
		kfree_skb(skb);
		skb = NULL;
	}
	if (!skb) {
		/* Nobody could send it again: the link begins anew. */
		count(site, FC_STAT_NO_MEMORY);
		site->resets |= fc_bit(e->port);
		return;
	}
	if (hdr.flags & FC_PART_HEAD) {
		unsigned int kept = hweight64(e->mask);

		if (kept < fc_wire_ntargets(skb->data))
			flitcast_branch_cut(skb, e->mask, kept);
	}
	flitcast_engine_flit(site, e->port, skb, &hdr);
}

/* Packets that a link has not carried for sure are sent on from here, another way. */
static void rescue(struct flitcast_site *site, u8 set, struct flitcast_replay *replay)
{
	struct sk_buff_head flits;

	__skb_queue_head_init(&flits);
	while (flitcast_replay_rescue(replay, &site->kept, &flits))
		flitcast_oper_rescue(site, set, &flits);
}

void flitcast_engine_status(struct flitcast_site *site, u8 vc, const struct fc_effect *e)
{
	struct flitcast_link *link = site->end[e->port].link;
	struct fc_link_hdr hdr = {
		.type = FC_FRAME_STATUS, .vc = vc, .flags = e->flags,
		.seq = e->seq, .ack = e->ack,
	};
	struct sk_buff *skb = flitcast_link_alloc(link, FC_STATUS_SIZE);

	/* Absolute values: the next one says the same and more. */
	if (!skb) {
		count(site, FC_STAT_NO_MEMORY);
		return;
	}
	fc_wire_status_encode(skb_put(skb, FC_STATUS_SIZE), &e->status);
	link->stat[FC_LSTAT_TX_STATUS]++;
	flitcast_engine_frame(site, e->port, skb, &hdr);
}

/* The router found no way to some targets: their source is told. */
static void tell_unreachable(struct flitcast_site *site, const struct fc_effect *e)
{
	u32 FC_UNSET dst[FC_TARGETS_MAX];
	struct fc_packet pk;
	u64 rest;

	fc_wire_packet_decode(&pk, e->flit.head);
	fc_wire_target_sites(dst, e->flit.head);
	for (rest = e->mask; rest; rest &= rest - 1) {
		struct fc_ctrl ctrl = {
			.kind = FC_CTRL_UNREACHABLE, .dst = pk.src,
			.incarnation = pk.incarnation, .sock = pk.sock,
		};
		struct fc_target t;

		/* Of a bitmap all targets have the first one's entry. */
		fc_wire_target_decode(&t, e->flit.head,
				      pk.bitmap ? 0 : fc_low64(rest));
		ctrl.site = dst[fc_low64(rest)];
		ctrl.port = t.port;
		ctrl.seq = t.seq;
		/* It knows nothing of the flow: a level that confirms nothing. */
		ctrl.next = t.seq - t.lag;
		count(site, FC_STAT_CTRL_SENT);
		flitcast_ctrl_send(site, &ctrl);
	}
}

void flitcast_engine_faults(struct flitcast_site *site, u8 port, const struct fc_faults_msg *msg)
{
	struct fc_link_hdr hdr = { .type = FC_FRAME_FAULTS, .vc = FC_VC_CTRL };
	struct flitcast_link *link = site->end[port].link;
	u32 size = fc_faults_size(msg->n);
	struct sk_buff *skb = flitcast_link_alloc(link, size);

	/* As one that is lost: the next digest shows it. */
	if (!skb) {
		count(site, FC_STAT_NO_MEMORY);
		return;
	}
	fc_wire_faults_encode(skb_put(skb, size), msg);
	link->stat[FC_LSTAT_TX_FAULTS]++;
	flitcast_engine_frame(site, port, skb, &hdr);
}

void flitcast_engine_acked(struct flitcast_site *site, u8 port)
{
	if (site->auth)
		fc_hello_alive(&site->end[port].hello, flitcast_site_now(site));
}

void flitcast_engine_perform(struct flitcast_site *site, u8 set, const struct fc_effect *e)
{
	struct sk_buff *skb = e->flit.h;

	switch ((enum fc_effect_type)e->type) {
	case FC_FX_SEND:
		send_flit(site, e);
		break;
	case FC_FX_STATUS:
		flitcast_engine_status(site, e->vc, e);
		break;
	case FC_FX_STORE:
		if (e->keep)
			skb = skb_clone(skb, GFP_ATOMIC);
		if (!skb)
			count(site, FC_STAT_NO_MEMORY);
		flitcast_oper_store(site, set, skb, e->flit.parts & FC_PART_HEAD);
		break;
	case FC_FX_SERVE:
		flitcast_oper_serve(site, set, e->mask, e->mask, e->flags & FC_SERVE_ABORTED);
		break;
	case FC_FX_SERVE_LOCAL:
		flitcast_oper_serve(site, set, e->mask, 0, false);
		break;
	case FC_FX_DISCARD:
		flitcast_oper_discard(site, set);
		break;
	case FC_FX_UNREACHABLE:
		tell_unreachable(site, e);
		break;
	case FC_FX_DROP:
		kfree_skb(skb);
		break;
	case FC_FX_RESET:
		/* Is an event itself: when this one is done. */
		site->resets |= fc_bit(e->port);
		break;
	case FC_FX_RESEND:
		flitcast_engine_again(site, e);
		break;
	case FC_FX_RELEASE:
		flitcast_replay_release(replay_of(&site->end[e->port], e->vc), &site->kept,
					e->seq);
		flitcast_engine_acked(site, e->port);
		break;
	case FC_FX_RESCUE:
		rescue(site, set, replay_of(&site->end[e->port], e->vc));
		break;
	case FC_FX_LOOK:
		site->unseen = true;
		break;
	}
}

/* A link comes up, or went down: so do all its channels. */
static void link_event(struct flitcast_site *site, struct fc_event ev)
{
	flitcast_care_all(site, &ev);
	flitcast_relay_event(site, &ev);
	if (ev.type == FC_EV_LINK_DOWN)
		flitcast_csr_link_down(site, ev.port);
	flitcast_vnet_all(site, &ev);
}

/* Is it the number of a channel of packets? */
static bool has_channel(const struct flitcast_site *site, u8 vc)
{
	return vc >= FC_VC_CLASS && fc_vc_class(vc) < site->nclasses;
}

/* To the machine that has the channel.  Return: false if there is no such channel. */
static bool channel_event(struct flitcast_site *site, u8 vc, struct fc_event *ev)
{
	if (vc == FC_VC_CAST)
		flitcast_relay_event(site, ev);
	else if (!has_channel(site, vc))
		return false;
	else if (site->vnet)
		flitcast_vnet_receive(site, vc, ev);
	else
		flitcast_care_event(site, fc_vc_set(vc), ev);
	return true;
}

/* @full: it is as long as a flit; @pair: it is of a pair (core/hello.h). */
static void send_hello(struct flitcast_site *site, u8 port, bool full, bool pair)
{
	struct flitcast_end *end = &site->end[port];
	struct fc_link_hdr hdr = { .type = FC_FRAME_HELLO, .vc = FC_VC_CTRL };
	u32 size = FC_HELLO_SIZE + (site->auth ? FC_AUTH_SIZE : 0);
	struct sk_buff *skb = flitcast_link_alloc(end->link, size);
	struct fc_hello_msg msg = fc_hello_say(&end->hello, pair);

	/* The next one is never far. */
	if (!skb) {
		count(site, FC_STAT_NO_MEMORY);
		return;
	}
	hdr.seq = msg.number;
	fc_wire_hello_encode(skb_put(skb, size), &msg);
	if (full)
		flitcast_link_stretch(end->link, skb);
	flitcast_engine_frame(site, port, skb, &hdr);
}

void flitcast_engine_hello(struct flitcast_site *site, u8 port, u8 todo)
{
	struct flitcast_end *end = &site->end[port];
	struct fc_event ev = { .port = port };

	site->hello_news = true;
	if (todo & FC_HELLO_GO_DOWN) {
		end->link->stat[FC_LSTAT_RESETS]++;
		/* First: whose last way it was waits for another one. */
		flitcast_faults_link(site, port, false);
		ev.type = FC_EV_LINK_DOWN;
		link_event(site, ev);
	}
	/* The HELLO that tells the peer we are up goes before the first flit. */
	if (todo & FC_HELLO_CHECK)
		send_hello(site, port, true, true);
	if (todo & FC_HELLO_SEND)
		send_hello(site, port, fc_hello_full(&end->hello), todo & FC_HELLO_CHECK);
	if (todo & FC_HELLO_GO_UP) {
		end->link->sum = (end->hello.own.flags | end->hello.peer.flags) & FC_HELLO_SUM;
		ev.type = FC_EV_LINK_UP;
		ev.count = end->hello.peer.window;
		link_event(site, ev);
		flitcast_faults_link(site, port, true);
	}
	/* Ends that disagree are told of as well: their state stays, the reason does not. */
	if (todo & (FC_HELLO_GO_DOWN | FC_HELLO_GO_UP) ||
	    end->hello.state != end->told_state || end->hello.own.reason != end->told_reason) {
		end->told_state = end->hello.state;
		end->told_reason = end->hello.own.reason;
		flitcast_site_link_event(site, port);
	}
}

static void hello_in(struct flitcast_site *site, struct flitcast_link *link,
		     struct sk_buff *skb, const struct fc_link_hdr *hdr)
{
	struct flitcast_end *end = &site->end[link->port];
	struct fc_hello_msg msg;

	link->stat[FC_LSTAT_RX_HELLO]++;
	if (!pskb_may_pull(skb, FC_HELLO_SIZE) || !fc_wire_hello_decode(&msg, skb->data)) {
		link->stat[FC_LSTAT_RX_PROTOCOL]++;
		return;
	}
	if (!flitcast_auth_check(site, link->port, skb, hdr)) {
		link->stat[FC_LSTAT_RX_UNPROVEN]++;
		fc_hello_unproven(&end->hello);
		flitcast_engine_hello(site, link->port, 0);
		return;
	}
	msg.number = hdr->seq;
	if (!flitcast_link_peer(link, skb, end->hello.state == FC_LINK_UP)) {
		link->stat[FC_LSTAT_RX_STRANGER]++;
		return;
	}
	flitcast_engine_hello(site, link->port,
			      fc_hello_received(&end->hello, &msg,
						skb->len + FC_LINK_SIZE >= site->cfg.flit,
						flitcast_site_now(site)));
}

static void status_in(struct flitcast_site *site, struct flitcast_link *link,
		      struct sk_buff *skb, const struct fc_link_hdr *hdr)
{
	struct fc_event ev = {
		.type = FC_EV_STATUS, .port = link->port, .flags = hdr->flags,
		.seq = hdr->seq, .ack = hdr->ack,
	};
	struct flitcast_end *end = &site->end[link->port];

	link->stat[FC_LSTAT_RX_STATUS]++;
	if (!pskb_may_pull(skb, FC_STATUS_SIZE)) {
		link->stat[FC_LSTAT_RX_MALFORMED]++;
		return;
	}
	fc_wire_status_decode(&ev.status, skb->data);
	if (!channel_event(site, hdr->vc, &ev))
		link->stat[FC_LSTAT_RX_MALFORMED]++;
	/* What the peer does not get by any of several tries is sent again after a status only. */
	if (link->stat[FC_LSTAT_TX_FUTILE] != end->futile) {
		end->futile = link->stat[FC_LSTAT_TX_FUTILE];
		flitcast_engine_hello(site, link->port,
				      fc_hello_suspect(&end->hello, flitcast_site_now(site)));
	}
}

/* The head of a flit, readable and valid.  Return: its size, or 0. */
static u32 head_in(struct flitcast_site *site, struct sk_buff *skb, const struct fc_link_hdr *hdr)
{
	u32 size, nsites = site->cfg.topo.nsites;

	if (!pskb_may_pull(skb, FC_PACKET_SIZE))
		return 0;
	size = fc_wire_head_size(skb->data, skb_headlen(skb));
	if (!size || !pskb_may_pull(skb, size))
		return 0;
	if (hdr->vc == FC_VC_CAST)
		return fc_wire_cast_check(skb->data, hdr->flags, skb->len, nsites) ? size : 0;
	return fc_wire_head_check(skb->data, hdr->flags, skb->len, nsites) ? size : 0;
}

/* A flit's frame, its link header pulled. */
static bool flit_in(struct flitcast_site *site, struct flitcast_link *link,
		    struct sk_buff *skb, const struct fc_link_hdr *hdr)
{
	struct fc_event ev = {
		.type = FC_EV_FLIT, .port = link->port, .seq = hdr->seq, .ack = hdr->ack,
		.flit = { .h = skb, .parts = hdr->flags, .data = skb->len },
	};

	link->stat[FC_LSTAT_RX_FLITS]++;
	link->stat[FC_LSTAT_RX_BYTES] += skb->len + FC_LINK_SIZE;
	/* It could not go on: a device may take longer frames than the flits agreed on. */
	if (skb->len + FC_LINK_SIZE > site->cfg.flit)
		return false;
	if (hdr->flags & FC_PART_RUN && site->cfg.mode != FC_MODE_POSTMAN)
		return false;
	if (hdr->vc >= FC_VC_CLASS &&
	    !(site->end[link->port].classes & fc_bit64(fc_vc_class(hdr->vc))))
		return false;
	if (hdr->flags & FC_PART_HEAD) {
		u32 size = head_in(site, skb, hdr);

		if (!size)
			return false;
		ev.flit.head = skb->data;
		ev.flit.data = skb->len - size;
		if (fc_wire_list_awaited(skb->data))
			flitcast_ctrl_back(site, fc_wire_src(skb->data), link->port);
	}
	return channel_event(site, hdr->vc, &ev);
}

static void link_receive(struct flitcast_link *link, struct sk_buff *skb,
			 const struct fc_link_hdr *hdr)
{
	struct flitcast_site *site = link->owner;
	struct flitcast_end *end = &site->end[link->port];

	skb_pull(skb, FC_LINK_SIZE);
	/* BH are off and RCU is read, as the stack has it when frames are received. */
	spin_lock(&site->lock);
	site->now = 0;
	if (site->dead || end->link != link) {
		kfree_skb(skb);
		goto out;
	}
	if (hdr->type == FC_FRAME_HELLO) {
		hello_in(site, link, skb, hdr);
		kfree_skb(skb);
		goto out;
	}
	if (end->hello.state != FC_LINK_UP || hdr->epoch != (u16)end->hello.peer.epoch) {
		link->stat[FC_LSTAT_RX_STRANGER]++;
		kfree_skb(skb);
		goto out;
	}
	if (hdr->type != FC_FRAME_FLIT && !flitcast_auth_check(site, link->port, skb, hdr)) {
		link->stat[FC_LSTAT_RX_UNPROVEN]++;
		kfree_skb(skb);
		goto out;
	}
	/* With a key a recorded frame proves nothing: see flitcast_engine_acked(). */
	if (!site->auth)
		fc_hello_alive(&end->hello, flitcast_site_now(site));
	switch ((enum fc_frame)hdr->type) {
	case FC_FRAME_FLIT:
		if (!flit_in(site, link, skb, hdr)) {
			/* As if it had not come: it is asked for. */
			link->stat[FC_LSTAT_RX_MALFORMED]++;
			kfree_skb(skb);
		}
		break;
	case FC_FRAME_STATUS:
		status_in(site, link, skb, hdr);
		napi_consume_skb(skb, 1);
		break;
	case FC_FRAME_CTRL:
		flitcast_ctrl_in(site, link, skb);
		break;
	case FC_FRAME_FAULTS:
		link->stat[FC_LSTAT_RX_FAULTS]++;
		if (!flitcast_faults_in(site, link->port, skb))
			link->stat[FC_LSTAT_RX_MALFORMED]++;
		kfree_skb(skb);
		break;
	case FC_FRAME_CSR:
		if (!flitcast_csr_in(site, link->port, skb))
			link->stat[FC_LSTAT_RX_MALFORMED]++;
		kfree_skb(skb);
		break;
	case FC_FRAME_HELLO:
		break;
	}
out:
	flitcast_engine_received(site);
}

static void link_carrier(struct flitcast_link *link, bool up)
{
	struct flitcast_site *site = link->owner;
	struct flitcast_end *end = &site->end[link->port];
	u8 todo, flags;

	flitcast_engine_enter(site);
	if (!site->dead && end->link == link) {
		/* The MTU may be another one. */
		flags = end->hello.own.flags & ~FC_HELLO_LONG;
		flags |= flitcast_link_long(link) ? FC_HELLO_LONG : 0;
		todo = fc_hello_set(&end->hello, end->hello.own.window, flags,
				    flitcast_site_now(site));
		flitcast_engine_hello(site, link->port, todo);
		todo = fc_hello_carrier(&end->hello, up, flitcast_site_now(site));
		if (!up && flitcast_link_small(link))
			end->hello.own.reason = FC_REASON_MTU;
		flitcast_engine_hello(site, link->port, todo);
	}
	flitcast_engine_leave(site);
}

static void link_gone(struct flitcast_link *link)
{
	flitcast_site_link_gone(link->owner, link->port);
}

const struct flitcast_link_ops flitcast_engine_link_ops = {
	.pass = flitcast_pass,
	.receive = link_receive,
	.carrier = link_carrier,
	.gone = link_gone,
};

enum hrtimer_restart flitcast_engine_timer(struct hrtimer *timer)
{
	struct flitcast_site *site = container_of(timer, struct flitcast_site, timer);
	struct fc_event ev = { .type = FC_EV_TIME };
	bool early;
	u64 now;
	u8 p;

	flitcast_engine_enter(site);
	site->timer_at = FC_NEVER;
	if (!site->dead) {
		now = flitcast_site_now(site);
		early = hello_due(site) <= now || flitcast_faults_due(site, now);
		for (p = 1; p < site->core.nports; p++)
			if (site->end[p].link)
				flitcast_engine_hello(site, p,
						      fc_hello_time(&site->end[p].hello, now,
								    early));
		flitcast_care_time(site, now);
		flitcast_relay_event(site, &ev);
		flitcast_csr_time(site, now);
		flitcast_vnet_all(site, &ev);
		flitcast_faults_time(site, now, early);
		if (site->ends_at <= now) {
			flitcast_tx_time(site);
			flitcast_rx_time(site, now);
			flitcast_ctrl_time(site, now);
		}
		flitcast_cast_time(site, now);
		site->machines_at = machines_due(site);
		site->hello_news = true;
	}
	/* Sets itself again, while its lock is held, as every way in does. */
	flitcast_engine_leave(site);
	return HRTIMER_NORESTART;
}
