// SPDX-License-Identifier: GPL-2.0
/*
 * The short way of a plain frame: it comes in on one link and goes out on another, or is for here,
 * and meets nothing.
 *
 * Of one that passes nothing is fed and nobody is woken: what the switch lets pass here
 * (fc_vnet_hop()) changes nothing that these depend on.  The time is read, and the timer set, only
 * where the switch asks for it: on links that were silent.  Where an acknowledgment is due the
 * frame is queued and the rest is done as after any.  Whatever is otherwise goes the way of any
 * frame (input.c), from its beginning.
 */
#include "core/vnet.h"
#include "core/wire_plain.h"
#include "fabric/effects.h"
#include "fabric/enter.h"
#include "fabric/fast.h"
#include "fabric/input.h"
#include "fabric/vnet.h"

/* May it come in on this link now? */
static inline bool usable(const struct flitcast_site *site, const struct flitcast_link *link,
			  const struct flitcast_end *end, u8 class, u16 epoch)
{
	return !site->dead && end->link == link && end->hello.state == FC_LINK_UP &&
	       epoch == (u16)end->hello.peer.epoch && end->classes & fc_bit64(class);
}

static inline void heard(struct flitcast_link *link, struct flitcast_end *end,
			 const struct sk_buff *skb)
{
	end->heard = jiffies;
	link->stat[FC_LSTAT_RX_FLITS]++;
	link->stat[FC_LSTAT_RX_BYTES] += skb->len;
}

/* Timers are to be set: the time is read now.  Return: FC_HOP_GONE or FC_HOP_MORE. */
static noinline enum fc_hop timed(struct flitcast_site *site, struct fc_vnet *v,
				  struct fc_vhop *hop)
{
	enum fc_hop said;

	site->now = 0;
	hop->now = flitcast_site_now(site);
	said = fc_vnet_hop_timed(v, hop);
	flitcast_machine_due(site, v->next_at);
	if (hop->out_port != FC_PORT_LOCAL && said == FC_HOP_GONE)
		static_call(flitcast_set_timer_up)(site);
	return said;
}

/* What the switch has to do behind it. */
static noinline void rest(struct flitcast_site *site, const struct fc_vnet *v)
{
	struct fc_event ev = { .type = FC_EV_MORE };

	flitcast_vnet_event(site, fc_set_vc(v->set), &ev);
}

/* It is not the next to be transmitted, needs a checksum, or is not all: it goes by the queue. */
static noinline void by_queue(struct flitcast_site *site, const struct fc_vnet *v,
			      const struct fc_vhop *hop, bool more, struct sk_buff *skb)
	__releases(&site->lock)
{
	struct fc_link_hdr hdr = {
		.type = FC_FRAME_FLIT, .vc = fc_set_vc(v->set) + hop->out_class,
		.flags = FC_PART_HEAD | FC_PART_TERM, .seq = hop->seq, .ack = hop->ack,
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

/* Our mistake: nobody could send it again, and the link begins anew. */
static noinline void lost(struct flitcast_site *site, u8 port, struct sk_buff *skb)
	__releases(&site->lock)
{
	site->todo.resets |= fc_bit(port);
	spin_unlock(&site->lock);
	kfree_skb(skb);
	flitcast_enter(site);
	flitcast_leave(site);
}

/* It is for here: the switch has little to do but to take it. */
static bool arrive(struct flitcast_link *link, struct fc_vnet *v, struct sk_buff *skb,
		   struct fc_vhop *hop)
{
	struct flitcast_site *site = link->owner;
	struct flitcast_end *end = &site->end[link->port];
	enum fc_hop said = FC_HOP_NOT;

	spin_lock(&site->lock);
	if (usable(site, link, end, hop->class, fc_get16(skb->data + FC_LINK_EPOCH)))
		said = fc_vnet_here(v, hop);
	if (said == FC_HOP_NOT) {
		spin_unlock(&site->lock);
		return false;
	}
	site->now = 0;
	if (said == FC_HOP_WHEN)
		said = timed(site, v, hop);
	heard(link, end, skb);
	flitcast_link_scrub(skb);
	skb_pull(skb, FC_LINK_SIZE);
	if (fc_wire_list_awaited(skb->data))
		flitcast_ctrl_back(site, fc_wire_src(skb->data), link->port);
	flitcast_oper_here(site, skb);
	if (said == FC_HOP_MORE)
		rest(site, v);
	flitcast_received(site);
	return true;
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
	struct flitcast_end *end = &site->end[link->port];
	enum fc_hop said = FC_HOP_NOT;
	struct flitcast_link *to;

	if (!flitcast_fast() || !v || skb->len > site->cfg.flit ||
	    !fc_head_plain(hop.head, skb->len - FC_LINK_SIZE, site->cfg.topo.nsites))
		return false;
	if (fc_wire_target_site(hop.head, 0) == site->cfg.id)
		return arrive(link, v, skb, &hop);
	/* Where an awaited list comes from is noted. */
	if (fc_wire_list_awaited(hop.head) || !flitcast_replay_small(skb) ||
	    skb_headroom(skb) + FC_LINK_SIZE < READ_ONCE(site->out.headroom))
		return false;
	spin_lock(&site->lock);
	if (usable(site, link, end, hop.class, fc_get16(p + FC_LINK_EPOCH)) && site->out.kept.free)
		said = fc_vnet_hop(v, &hop);
	if (said == FC_HOP_NOT) {
		spin_unlock(&site->lock);
		return false;
	}
	if (said == FC_HOP_WHEN)
		said = timed(site, v, &hop);
	heard(link, end, skb);
	end = &site->end[hop.out_port];
	if (!flitcast_replay_put(&end->class[v->set][hop.out_class], &site->out.kept, hop.seq, skb,
				 FC_PART_HEAD | FC_PART_TERM)) {
		lost(site, hop.out_port, skb);
		return true;
	}
	/* Not in what is kept: until it has gone the link is not crossed. */
	fc_wire_head_hop(p + FC_LINK_SIZE);
	to = end->link;
	to->stat[FC_LSTAT_TX_PACKETS]++;
	to->stat[FC_LSTAT_TX_FLITS]++;
	to->stat[FC_LSTAT_TX_BYTES] += skb->len;
	if (unlikely(said == FC_HOP_MORE || to->sum || !flitcast_link_idle(to))) {
		by_queue(site, v, &hop, said == FC_HOP_MORE, skb);
		return true;
	}
	/* Queues grow under the site's lock, and shrink under this one. */
	fc_link_readdress(p, fc_set_vc(v->set) + hop.out_class, (u16)end->hello.own.epoch, hop.seq,
			  hop.ack);
	spin_unlock(&site->lock);
	flitcast_link_pass(to, skb);
	return true;
}
