// SPDX-License-Identifier: GPL-2.0
/*
 * End-to-end control entries (acks, grants, questions: enum fc_ctrl_kind), batched into control
 * frames.
 *
 * A frame has entries for several ends.  Entries that leave by the same port share one:
 *
 *	flitcast_ctrl_send() ---> append to end->ctrl of the next hop
 *	                            | site is left: flitcast_ctrl_leave()
 *	                            |   idle site        send at once
 *	                            |   busy site        tasklet: after the frames received so far
 *	                            v
 *	                          flush(): transmit
 *
 * Whether a site is busy is tried out: if waiting for the tasklet joined no entries, the next ALONE
 * times nothing waits.
 *
 * Acks of a multicast packet return by the path of the packet.  A target on the path holds its ack
 * (flitcast_ctrl_hold()) until those of targets beyond it pass by, and sends it in the same frame.
 * If none arrives in time, the next ALONE acks are not held: the targets beyond are far, gone, or
 * reply by another path.
 *
 * Control frames are not retransmitted by the link.  A lost entry is sent again by its end.  If the
 * link is silent, a poll for the frame finds out (flitcast_relay_tests()).
 */
#include <linux/interrupt.h>
#include "drop.h"
#include "core/bucket.h"
#include "fabric/ctrl.h"
#include "fabric/enter.h"
#include "fabric/fast.h"
#include "fabric/sum.h"

/* Number of times that nothing waits after waiting was of no use. */
#define ALONE		15
/*
 * Rate limit of control entries per link: a million per second, which is more than a processor
 * causes by the packets that they ack, and a burst of CTRL_BURST.  Each entry of a frame may go to
 * a different site, and become a frame of its own.
 */
#define CTRL_NS		1000
#define CTRL_BURST	16384
/* Initial capacity of a frame, in entries. */
#define FEW		2

static void count(struct flitcast_site *site, enum fc_stat stat)
{
	site->stat[stat]++;
}

/* Queue the control frame of a port on its link. */
static void queue(struct flitcast_site *site, u8 port)
{
	struct fc_link_hdr hdr = { .type = FC_FRAME_CTRL, .vc = FC_VC_CTRL };
	struct flitcast_end *end = &site->end[port];
	struct sk_buff *skb = end->ctrl;

	end->ctrl = NULL;
	site->ctrl.ports &= ~fc_bit(port);
	site->ctrl.old &= ~fc_bit(port);
	end->link->stat[FC_LSTAT_TX_CTRL]++;
	flitcast_output_frame(site, port, skb, &hdr);
	site->ctrl.tests |= fc_bit(port);
}

/* Return: the maximum number of entries of a frame. */
static u32 most(const struct flitcast_site *site)
{
	return fc_ctrls_most(site->cfg.flit);
}

/* Make space for one more entry in the frame of a port.  Return: false: no memory. */
static bool make_room(const struct flitcast_site *site, struct flitcast_end *end)
{
	struct sk_buff *more, *skb = end->ctrl;
	u32 n = FEW;

	if (skb && skb_tailroom(skb) >= FC_CTRL_SIZE)
		return true;
	/* Most frames have one or two entries; one with more gets space for the maximum. */
	if (skb)
		n = most(site);
	more = flitcast_link_alloc(end->link, fc_ctrls_size(n));
	if (!more)
		return false;
	if (skb) {
		skb_put_data(more, skb->data, skb->len);
		consume_skb(skb);
	}
	end->ctrl = more;
	return true;
}

static bool full(const struct flitcast_site *site, const struct flitcast_end *end)
{
	return end->ctrl && end->ctrl->len >= fc_ctrls_size(most(site));
}

/* Return: the number of entries of a frame for site @dst. */
static u32 entries_to(const struct sk_buff *skb, u32 dst)
{
	u32 at, n = 0;

	for (at = 0; at < skb->len; at += FC_CTRL_SIZE)
		n += fc_wire_ctrl_dst(skb->data + at) == dst;
	return n;
}

/* Write an entry; @own: this site made it. */
static void put_entry(const struct flitcast_site *site, u8 *p, const struct fc_ctrl *ctrl, bool own)
{
	fc_wire_ctrl_encode(p, ctrl);
	if (own && flitcast_site_verifies(site))
		fc_wire_ctrl_set_sum(p);
}

static void held_drop(struct flitcast_site *site, unsigned int i)
{
	site->ctrl.held[i] = site->ctrl.held[--site->ctrl.nheld];
}

/*
 * Add held acks to a frame that goes to the same site; or, if that is full and brings the last ack
 * waited for, to the next frame.
 */
static void join(struct flitcast_site *site, u8 port)
{
	struct flitcast_end *end = &site->end[port];
	unsigned int i = 0;

	while (end->ctrl && i < site->ctrl.nheld) {
		struct flitcast_held *held = &site->ctrl.held[i];
		u32 n = held->port == port ? entries_to(end->ctrl, held->ctrl.dst) : 0;

		if (!n || (full(site, end) && held->left > n)) {
			held->left -= n;
			i++;
			continue;
		}
		if (full(site, end))
			queue(site, port);
		if (make_room(site, end))
			put_entry(site, skb_put(end->ctrl, FC_CTRL_SIZE), &held->ctrl, true);
		else
			count(site, FC_STAT_NO_MEMORY);
		held_drop(site, i);
	}
}

/* Transmit the frame of a port, with the held acks that it can carry. */
static void flush(struct flitcast_site *site, u8 port)
{
	if (site->ctrl.nheld)
		join(site, port);
	if (site->end[port].ctrl)
		queue(site, port);
}

static void flush_all(struct flitcast_site *site)
{
	u32 rest;

	for (rest = site->ctrl.ports; rest; rest &= rest - 1)
		flush(site, fc_low(rest));
}

static void ctrl_soon(struct tasklet_struct *tasklet)
{
	struct flitcast_site *site = container_of(tasklet, struct flitcast_site, ctrl.soon);

	flitcast_enter(site);
	flush_all(site);
	site->ctrl.alone = site->ctrl.joined ? 0 : ALONE;
	site->ctrl.joined = false;
	flitcast_leave(site);
}

void flitcast_ctrl_init(struct flitcast_site *site)
{
	tasklet_setup(&site->ctrl.soon, ctrl_soon);
}

void flitcast_ctrl_stop(struct flitcast_site *site)
{
	tasklet_kill(&site->ctrl.soon);
}

void flitcast_ctrl_leave(struct flitcast_site *site)
{
	if (!in_serving_softirq() || site->dead) {
		flush_all(site);
	} else if (site->ctrl.alone) {
		site->ctrl.alone--;
		flush_all(site);
	} else {
		site->ctrl.old = site->ctrl.ports;
		tasklet_schedule(&site->ctrl.soon);
	}
}

void flitcast_ctrl_drop(struct flitcast_site *site, u8 port)
{
	unsigned int i;

	flitcast_drop(site->end[port].ctrl, FLITCAST_DROP_DOWN);
	site->end[port].ctrl = NULL;
	site->ctrl.ports &= ~fc_bit(port);
	site->ctrl.old &= ~fc_bit(port);
	for (i = site->ctrl.nheld; i--;)
		if (site->ctrl.held[i].port == port)
			held_drop(site, i);
}

/* If a queued frame has an entry of the same end that @ctrl supersedes, replace that entry. */
static bool replace(const struct flitcast_site *site, struct sk_buff *skb,
		    const struct fc_ctrl *ctrl, bool own)
{
	u32 at;

	for (at = 0; at < skb->len; at += FC_CTRL_SIZE) {
		struct fc_ctrl old;

		if (!fc_wire_ctrl_decode(&old, skb->data + at) || !fc_ctrl_covers(ctrl, &old))
			continue;
		put_entry(site, skb->data + at, ctrl, own);
		return true;
	}
	return false;
}

/*
 * Return: the port towards a site: by which its last multicast packet arrived, or else by the
 * route.
 */
static u8 port_to(struct flitcast_site *site, u32 dst)
{
	const struct flitcast_back *back = &site->ctrl.back[dst % FLITCAST_BACKS];

	if (back->src == dst && back->port && !site->node.routes &&
	    site->node.up & ~site->node.avoid & fc_bit(back->port) &&
	    fc_node_permitted(&site->node, dst, fc_bit(back->port - 1)))
		return back->port;
	return fc_node_next_port(&site->node, dst);
}

void flitcast_ctrl_back(struct flitcast_site *site, u32 src, u8 port)
{
	struct flitcast_back *back = &site->ctrl.back[src % FLITCAST_BACKS];

	if (back->src == src && back->port == port)
		return;
	/* Only if the port leads nearer to @src: no entry can loop. */
	if (src == site->cfg.id ||
	    !(fc_topo_minimal(&site->cfg.topo, site->cfg.id, src) & fc_bit(port - 1)))
		return;
	back->src = src;
	back->port = port;
}

/* Send an entry on, or process it here; @own: this site made it. */
static void route(struct flitcast_site *site, struct fc_ctrl *ctrl, bool own)
{
	struct flitcast_end *end;
	u8 port;

	if (ctrl->dst == site->cfg.id) {
		/* Processed when the current event is done: see ctrl_loop() in site/engine.c. */
		if (site->ctrl.nloop < FLITCAST_LOOP_MAX)
			site->ctrl.loop[site->ctrl.nloop++] = *ctrl;
		else
			count(site, FC_STAT_CTRL_DROPPED);
		return;
	}
	port = port_to(site, ctrl->dst);
	/* Dropped without a route or memory: its end sends it again. */
	if (port == FC_PORT_NONE || ctrl->hops >= FC_HOPS_MAX) {
		count(site, FC_STAT_CTRL_DROPPED);
		return;
	}
	end = &site->end[port];
	ctrl->hops++;
	if (site->ctrl.old & fc_bit(port))
		site->ctrl.joined = true;
	if (end->ctrl && replace(site, end->ctrl, ctrl, own))
		return;
	if (full(site, end))
		flush(site, port);
	if (!make_room(site, end)) {
		count(site, FC_STAT_NO_MEMORY);
		return;
	}
	site->ctrl.ports |= fc_bit(port);
	put_entry(site, skb_put(end->ctrl, FC_CTRL_SIZE), ctrl, own);
}

void flitcast_ctrl_send(struct flitcast_site *site, struct fc_ctrl *ctrl)
{
	route(site, ctrl, true);
}

void flitcast_ctrl_damaged(struct flitcast_site *site, u32 src, u8 port)
{
	/* The other fields have no meaning, but the port of an entry is not 0. */
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_DAMAGED, .dst = src, .site = site->cfg.id, .port = 1,
	};
	/* A packet that was stored in transit may have lost its port. */
	struct flitcast_end *end = port < site->node.nports ? &site->end[port] : NULL;
	u64 now = get_jiffies_64();

	count(site, FC_STAT_PKT_DAMAGED);
	if (end && end->link) {
		end->link->stat[FC_LSTAT_RX_DAMAGED]++;
		end->damaged_source = src;
	}
	/* The source is as damaged as the rest: it may be none, or this site. */
	if (src >= site->cfg.topo.nsites || src == site->cfg.id || now < site->ctrl.locate.next_at)
		return;
	site->ctrl.locate.next_at = now + HZ;
	route(site, &ctrl, true);
}

/*
 * Return: where to hold an ack: in the place of one of the same end that it supersedes, or a free
 * place; NULL: it is not held.
 */
static struct flitcast_held *held_place(struct flitcast_site *site, const struct fc_ctrl *ctrl)
{
	struct flitcast_held *held;
	unsigned int i;

	for (i = 0; i < site->ctrl.nheld; i++)
		if (fc_ctrl_covers(ctrl, &site->ctrl.held[i].ctrl))
			return &site->ctrl.held[i];
	if (site->ctrl.nheld == FLITCAST_HELD_MAX)
		return NULL;
	if (site->ctrl.held_alone) {
		site->ctrl.held_alone--;
		return NULL;
	}
	held = &site->ctrl.held[site->ctrl.nheld++];
	held->until = flitcast_site_now(site) + site->timing.retry;
	site->clock.ends_at = min(site->clock.ends_at, held->until);
	return held;
}

void flitcast_ctrl_hold(struct flitcast_site *site, struct fc_ctrl *ctrl, u8 left)
{
	u8 port = ctrl->dst == site->cfg.id ? FC_PORT_NONE : port_to(site, ctrl->dst);
	struct flitcast_held *held = NULL;

	/* A frame that is queued for this port leaves soon: send the ack with it. */
	if (port != FC_PORT_NONE && !site->end[port].ctrl)
		held = held_place(site, ctrl);
	if (!held) {
		flitcast_ctrl_send(site, ctrl);
		return;
	}
	ctrl->hops++;
	held->ctrl = *ctrl;
	held->port = port;
	held->left = left;
}

void flitcast_ctrl_time(struct flitcast_site *site, u64 until)
{
	unsigned int i = 0;

	while (i < site->ctrl.nheld) {
		struct fc_ctrl ctrl = site->ctrl.held[i].ctrl;

		if (site->ctrl.held[i].until > until) {
			site->clock.ends_at = min(site->clock.ends_at, site->ctrl.held[i].until);
			i++;
			continue;
		}
		held_drop(site, i);
		site->ctrl.held_alone = ALONE;
		ctrl.hops--;
		route(site, &ctrl, true);
		/* The frame may have taken other held acks with it: start again. */
		i = 0;
	}
}

/*
 * Forward a frame unchanged, if all its entries go to one neighbour and no frame is queued there.
 * Return: true if done; false also if two entries may concern one site, as one may supersede the
 * other.
 */
static bool pass(struct flitcast_site *site, struct sk_buff *skb, u32 n)
{
	const u8 *entry = skb->data, *end = entry + fc_ctrls_size(n);
	u32 dst = site->cfg.id;
	u8 port = FC_PORT_NONE, to;
	u64 seen = 0, bit;

	for (; entry < end; entry += FC_CTRL_SIZE) {
		bit = fc_bit64(fc_wire_ctrl_site(entry) % 64);
		if (seen & bit || fc_wire_ctrl_dst(entry) == site->cfg.id ||
		    fc_wire_ctrl_hops(entry) >= FC_HOPS_MAX)
			return false;
		seen |= bit;
		/* Usually all entries go to the same site. */
		if (fc_wire_ctrl_dst(entry) == dst)
			continue;
		dst = fc_wire_ctrl_dst(entry);
		to = port_to(site, dst);
		if (to == FC_PORT_NONE || (port != FC_PORT_NONE && to != port))
			return false;
		port = to;
	}
	if (site->end[port].ctrl ||
	    skb_cow_head(skb, flitcast_output_headroom(site->end[port].link)))
		return false;
	for (; n; n--) {
		fc_wire_ctrl_hop(skb->data + fc_ctrls_size(n - 1));
		count(site, FC_STAT_CTRL_FORWARDED);
	}
	site->end[port].ctrl = skb;
	site->ctrl.ports |= fc_bit(port);
	return true;
}

void flitcast_ctrl_in(struct flitcast_site *site, struct flitcast_link *link,
		      struct sk_buff *skb)
{
	struct flitcast_end *end = &site->end[link->port];
	struct fc_ctrl ctrl;
	u32 i, n = 0;

	link->stat[FC_LSTAT_RX_CTRL]++;
	if (pskb_may_pull(skb, skb->len))
		n = fc_wire_ctrls_check(skb->data, skb->len, site->cfg.topo.nsites);
	if (!n) {
		flitcast_link_drop(link, skb, MALFORMED);
		return;
	}
	if (!fc_bucket_take(&end->ctrl_at, flitcast_site_now(site), CTRL_NS, CTRL_BURST, n)) {
		/* As if the entries had been lost: their ends send them again. */
		link->stat[FC_LSTAT_RX_LIMITED] += n;
		flitcast_drop(skb, FLITCAST_DROP_LIMITED);
		return;
	}
	if (flitcast_fast() && pass(site, skb, n))
		return;
	for (i = 0; i < n; i++) {
		const u8 *p = skb->data + fc_ctrls_size(i);

		fc_wire_ctrl_decode(&ctrl, p);
		if (ctrl.dst != site->cfg.id) {
			count(site, FC_STAT_CTRL_FORWARDED);
		} else if (flitcast_site_verifies(site) && !fc_wire_ctrl_intact(p)) {
			/* As if it had been lost: its end sends it again. */
			flitcast_ctrl_damaged(site, ctrl.site, link->port);
			continue;
		}
		route(site, &ctrl, false);
	}
	napi_consume_skb(skb, 1);
}
