// SPDX-License-Identifier: GPL-2.0
/*
 * Fast path: forwards, or receives, a plain frame (a whole packet in one flit, with one target)
 * without the general machinery; and forwards the flits between the first and the last one of a
 * packet with one branch.
 *
 *	flitcast_pass()
 *	  target is here   arrive(): fc_vnet_here(), then deliver
 *	  else             fc_vnet_hop(): route and channel free?  Of another flit,
 *	                   fc_vnet_later(): has the packet one branch, and left all before it?
 *	                     yes, link idle   rewrite the link header in place, transmit
 *	                     yes, otherwise   by_queue()
 *	  anything else    return false: the frame takes the slow path (input.c) from its start
 *
 * The fast path neither feeds the local net-input nor wakes a port: a flit that passes
 * fc_vnet_hop() does not change anything that these depend on.  The last flit of a longer packet
 * does, because it leaves the channel to others, and takes the slow path.  The clock is read, and
 * the timer set, only if the switch asks for it (FC_HOP_WHEN), on links that were idle.  If an ack
 * is due (FC_HOP_MORE), the frame is queued and the rest is done as on the slow path.
 */
#include "drop.h"
#include "core/vnet/vnet_pass.h"
#include "core/wire/wire_plain.h"
#include "fabric/clock.h"
#include "fabric/effects.h"
#include "fabric/enter.h"
#include "fabric/fast.h"
#include "fabric/input.h"
#include "fabric/vnet.h"
#include "link/memory.h"

/* Return: true if the link may carry a frame of this class and epoch now. */
static inline bool usable(const struct flitcast_site *site, const struct flitcast_link *link,
			  const struct flitcast_end *end, u8 class, u16 epoch)
{
	return !site->dead && end->link == link && end->hello.state == FC_LINK_UP &&
	       epoch == (u16)end->hello.peer.epoch && end->classes & fc_bit64(class);
}

static inline void note_rx(struct flitcast_link *link, struct flitcast_end *end,
			   const struct sk_buff *skb)
{
	end->last_rx = jiffies;
	link->stat[FC_LSTAT_RX_FLITS]++;
	link->stat[FC_LSTAT_RX_BYTES] += skb->len;
}

/* The switch needs the time, to set timers.  Return: FC_HOP_GONE or FC_HOP_MORE. */
static noinline enum fc_hop timed(struct flitcast_site *site, struct fc_vnet *v,
				  struct fc_vhop *hop)
{
	enum fc_hop verdict;

	site->now = 0;
	hop->now = flitcast_site_now(site);
	verdict = fc_vnet_hop_timed(v, hop);
	flitcast_machine_due(site, v->next_at);
	if (hop->out_port != FC_PORT_LOCAL && verdict == FC_HOP_GONE)
		flitcast_set_timer(site);
	return verdict;
}

/* Let the switch do the rest of its work after the frame. */
static noinline void rest(struct flitcast_site *site, const struct fc_vnet *v)
{
	struct fc_event ev = { .type = FC_EV_MORE };

	flitcast_vnet_event(site, fc_set_vc(v->set), &ev);
}

/*
 * The frame cannot be transmitted directly: others are queued before it, it needs a checksum, or
 * the switch has more to do.
 */
static noinline void by_queue(struct flitcast_site *site, const struct fc_vnet *v,
			      const struct fc_vhop *hop, u8 parts, bool more,
			      struct sk_buff *skb)
	__releases(&site->lock)
{
	struct fc_link_hdr hdr = {
		.type = FC_FRAME_FLIT, .vc = fc_set_vc(v->set) + hop->out_class,
		.flags = parts, .seq = hop->seq, .ack = hop->ack,
	};
	struct flitcast_link *link = site->end[hop->out_port].link;

	flitcast_link_scrub(skb);
	skb_pull(skb, FC_LINK_SIZE);
	flitcast_output_frame(site, hop->out_port, skb, &hdr);
	if (more) {
		rest(site, v);
		flitcast_received(site);
		return;
	}
	site->out.dirty &= ~fc_bit(hop->out_port);
	spin_unlock(&site->lock);
	flitcast_link_drain(link);
}

/*
 * The replay buffer refused the flit, which is a bug.  It could not be retransmitted: reset the
 * link.
 */
static noinline void lost(struct flitcast_site *site, u8 port, struct sk_buff *skb)
	__releases(&site->lock)
{
	site->todo.resets |= fc_bit(port);
	spin_unlock(&site->lock);
	flitcast_drop(skb, FLITCAST_DROP_FULL);
	flitcast_enter(site);
	flitcast_leave(site);
}

/* Receive a frame whose target is this site.  Return: false: take the slow path. */
static bool arrive(struct flitcast_link *link, struct fc_vnet *v, struct sk_buff *skb,
		   struct fc_vhop *hop)
{
	struct flitcast_site *site = link->owner;
	struct flitcast_end *end = &site->end[link->port];
	enum fc_hop verdict = FC_HOP_NOT;

	spin_lock(&site->lock);
	if (usable(site, link, end, hop->class, fc_get16(skb->data + FC_LINK_EPOCH)))
		verdict = fc_vnet_here(v, hop);
	if (verdict == FC_HOP_NOT) {
		spin_unlock(&site->lock);
		return false;
	}
	site->now = 0;
	if (verdict == FC_HOP_WHEN)
		verdict = timed(site, v, hop);
	note_rx(link, end, skb);
	flitcast_link_scrub(skb);
	skb_pull(skb, FC_LINK_SIZE);
	if (fc_wire_list_awaited(skb->data))
		flitcast_ctrl_back(site, fc_wire_src(skb->data), link->port);
	FLITCAST_ARRIVED(skb)->port = link->port;
	flitcast_oper_here(site, skb);
	if (verdict == FC_HOP_MORE)
		rest(site, v);
	flitcast_received(site);
	return true;
}

/*
 * Forward a flit, where fc_vnet_hop() permits, or for one behind the @first of a packet
 * fc_vnet_later().  Return: as arrive().
 */
static __always_inline bool forward(struct flitcast_link *link, struct fc_vnet *v,
				    struct sk_buff *skb, struct fc_vhop *hop, const bool first)
{
	struct flitcast_site *site = link->owner;
	struct flitcast_end *end = &site->end[link->port];
	u8 parts = first ? FC_PART_HEAD | FC_PART_TERM : 0;
	enum fc_hop verdict = FC_HOP_NOT;
	struct flitcast_link *to;
	u8 *p = skb->data;

	if (!flitcast_replay_small(skb) ||
	    skb_headroom(skb) + FC_LINK_SIZE < READ_ONCE(site->out.headroom))
		return false;
	spin_lock(&site->lock);
	/* The numbers of a link that is to be reset are void. */
	if (usable(site, link, end, hop->class, fc_get16(p + FC_LINK_EPOCH)) &&
	    site->out.free.first && !site->todo.resets)
		verdict = first ? fc_vnet_hop(v, hop) : fc_vnet_later(v, hop);
	if (verdict == FC_HOP_NOT) {
		spin_unlock(&site->lock);
		return false;
	}
	if (verdict == FC_HOP_WHEN)
		verdict = timed(site, v, hop);
	note_rx(link, end, skb);
	end = &site->end[hop->out_port];
	if (!flitcast_replay_put(&end->class[v->set][hop->out_class], &site->out.free, hop->seq,
				 skb, parts)) {
		lost(site, hop->out_port, skb);
		return true;
	}
	to = end->link;
	if (first) {
		/*
		 * The replay buffer keeps the old hop count: a flit that is rescued from it has not
		 * crossed the link.
		 */
		fc_node_head_hop(p + FC_LINK_SIZE);
		to->stat[FC_LSTAT_TX_PACKETS]++;
	}
	to->stat[FC_LSTAT_TX_FLITS]++;
	to->stat[FC_LSTAT_TX_BYTES] += skb->len;
	if (unlikely(verdict == FC_HOP_MORE || flitcast_link_summed(&to->sum) ||
		     !flitcast_link_idle(to))) {
		by_queue(site, v, hop, parts, verdict == FC_HOP_MORE, skb);
		return true;
	}
	/* The link stays idle: its queue grows only under the site's lock. */
	fc_link_readdress(p, fc_set_vc(v->set) + hop->out_class, (u16)end->hello.own.epoch,
			  hop->seq, hop->ack);
	spin_unlock(&site->lock);
	flitcast_link_pass(to, skb);
	return true;
}

/* May fc_vnet_later() take a flit by this channel?  A hint, without the site's lock. */
static bool may_follow(const struct fc_vnet *v, u8 class, u8 port)
{
	const struct fc_vin *in;

	/* Nothing has checked the class of the frame. */
	if (class >= v->nclasses)
		return false;
	in = &v->in[class * v->nports + port];
	/* fc_vnet_later() decides under the lock. */
	return data_race(in->nbranches == 1 && !in->oper && !in->cut);
}

/* Forward a flit between the first and the last one of a packet.  Return: as arrive(). */
static noinline bool pass_body(struct flitcast_link *link, struct fc_vnet *v, struct sk_buff *skb)
{
	const u8 *p = skb->data;
	struct fc_vhop hop = {
		.seq = fc_get32(p + FC_LINK_SEQ), .ack = fc_get32(p + FC_LINK_ACK),
		.data = skb->len - FC_LINK_SIZE, .class = fc_vc_class(p[FC_LINK_VC]),
		.port = link->port,
	};

	return may_follow(v, hop.class, hop.port) && forward(link, v, skb, &hop, false);
}

bool flitcast_pass(struct flitcast_link *link, struct sk_buff *skb)
{
	struct flitcast_site *site = link->owner;
	u8 *p = skb->data;
	struct fc_vhop hop = {
		.head = p + FC_LINK_SIZE, .seq = fc_get32(p + FC_LINK_SEQ),
		.ack = fc_get32(p + FC_LINK_ACK), .class = fc_vc_class(p[FC_LINK_VC]),
		.port = link->port,
	};
	struct fc_vnet *v = site->hops[fc_vc_set(p[FC_LINK_VC])];

	if (!flitcast_fast() || !v || skb->len > site->cfg.flit ||
	    skb->truesize > flitcast_flit_memory(site->cfg.flit))
		return false;
	if (!(p[FC_LINK_FLAGS] & FC_PART_HEAD))
		return pass_body(link, v, skb);
	if (!fc_head_plain(hop.head, skb->len - FC_LINK_SIZE, site->cfg.topo.nsites))
		return false;
	if (fc_wire_target_site(hop.head, 0) == site->cfg.id)
		return arrive(link, v, skb, &hop);
	/* Slow path for awaited lists: it records by which port they arrive. */
	return !fc_wire_list_awaited(hop.head) && forward(link, v, skb, &hop, true);
}
