// SPDX-License-Identifier: GPL-2.0
/*
 * Input of a site: frames and carrier events of its links, validated and dispatched by frame type.
 *
 *	link ---> flitcast_pass() (pass.c, fast path)
 *	            | not handled
 *	            v
 *	          flitcast_input_receive(): epoch
 *	            HELLO   authentication code (auth.c), handshake (hello.c)
 *	            FLIT    head checked; switch of the mode (vnet.c, care.c), or relay (relay.c)
 *	            STATUS  link-level acks and credits of a channel, likewise
 *	            CTRL    end-to-end control entries (ctrl.c)
 *	            FAULTS  dead links (faults.c)
 *	            CSR     reservations (csr.c)
 *
 * A malformed flit is dropped as if it had been lost: the receiver asks for it again.
 */
#include <linux/indirect_call_wrapper.h>
#include "drop.h"
#include "fabric/csr.h"
#include "fabric/enter.h"
#include "fabric/faults.h"
#include "fabric/hello.h"
#include "fabric/input.h"
#include "fabric/relay.h"
#include "fabric/vnet.h"

/* Return: true if @vc is the number of a channel of packets. */
static bool has_channel(const struct flitcast_site *site, u8 vc)
{
	return vc >= FC_VC_CLASS && fc_vc_class(vc) < site->nclasses;
}

/* Pass an event to the machine of the channel.  Return: false if there is no such channel. */
static bool channel_event(struct flitcast_site *site, u8 vc, struct fc_event *ev)
{
	if (vc == FC_VC_BCAST) {
		flitcast_relay_event(site, ev);
		return true;
	}
	if (!has_channel(site, vc))
		return false;
	INDIRECT_CALL_1(site->mode->receive, flitcast_vnet_receive, site, vc, ev);
	return true;
}

/* Return: false if it is malformed. */
static bool status_in(struct flitcast_site *site, struct flitcast_link *link,
		      struct sk_buff *skb, const struct fc_link_hdr *hdr)
{
	struct fc_event ev = {
		.type = FC_EV_STATUS, .port = link->port, .flags = hdr->flags,
		.seq = hdr->seq, .ack = hdr->ack,
	};

	link->stat[FC_LSTAT_RX_STATUS]++;
	if (!pskb_may_pull(skb, FC_STATUS_SIZE))
		return false;
	fc_wire_status_decode(&ev.status, skb->data);
	return channel_event(site, hdr->vc, &ev);
}

/* Validate the head of a flit, and make it linear.  Return: its size, or 0. */
static u32 head_in(struct flitcast_site *site, struct sk_buff *skb, const struct fc_link_hdr *hdr)
{
	u32 size, nsites = site->cfg.topo.nsites;

	if (!pskb_may_pull(skb, FC_PACKET_SIZE))
		return 0;
	size = fc_wire_head_size(skb->data, skb_headlen(skb));
	if (!size || !pskb_may_pull(skb, size))
		return 0;
	if (hdr->vc == FC_VC_BCAST)
		return fc_wire_bcast_check(skb->data, hdr->flags, skb->len, nsites) ? size : 0;
	return fc_wire_head_check(skb->data, hdr->flags, skb->len, nsites) ? size : 0;
}

/* Process a flit; the link header has been pulled.  Return: false if it is malformed. */
static bool flit_in(struct flitcast_site *site, struct flitcast_link *link,
		    struct sk_buff *skb, const struct fc_link_hdr *hdr)
{
	struct fc_event ev = {
		.type = FC_EV_FLIT, .port = link->port, .seq = hdr->seq, .ack = hdr->ack,
		.flit = { .h = skb, .parts = hdr->flags, .data = skb->len },
	};

	link->stat[FC_LSTAT_RX_FLITS]++;
	link->stat[FC_LSTAT_RX_BYTES] += skb->len + FC_LINK_SIZE;
	/*
	 * A device may receive longer frames than the flit size agreed on, which could not be
	 * forwarded.
	 */
	if (skb->len + FC_LINK_SIZE > site->cfg.flit)
		return false;
	if (hdr->flags & FC_PART_EAGER && !fc_mode_ops(site->cfg.mode)->eager)
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
		FLITCAST_ARRIVED(skb)->port = link->port;
		if (fc_wire_list_awaited(skb->data))
			flitcast_ctrl_back(site, fc_wire_src(skb->data), link->port);
	}
	return channel_event(site, hdr->vc, &ev);
}

void flitcast_input_receive(struct flitcast_link *link, struct sk_buff *skb,
			    const struct fc_link_hdr *hdr)
{
	struct flitcast_site *site = link->owner;
	struct flitcast_end *end = &site->end[link->port];

	skb_pull(skb, FC_LINK_SIZE);
	/* The stack calls with BH off and the RCU read lock held. */
	spin_lock(&site->lock);
	site->now = 0;
	if (site->dead || end->link != link) {
		flitcast_drop(skb, FLITCAST_DROP_DOWN);
		goto out;
	}
	if (hdr->type == FC_FRAME_HELLO) {
		flitcast_hello_in(site, link, skb, hdr);
		goto out;
	}
	if (end->hello.state != FC_LINK_UP || hdr->epoch != (u16)end->hello.peer.epoch) {
		flitcast_link_drop(link, skb, STRANGER);
		goto out;
	}
	fc_hello_alive(&end->hello, flitcast_site_now(site));
	switch ((enum fc_frame)hdr->type) {
	case FC_FRAME_FLIT:
		/* As if it had been lost: the receiver asks for it again. */
		if (!flit_in(site, link, skb, hdr))
			flitcast_link_drop(link, skb, MALFORMED);
		break;
	case FC_FRAME_STATUS:
		if (status_in(site, link, skb, hdr))
			napi_consume_skb(skb, 1);
		else
			flitcast_link_drop(link, skb, MALFORMED);
		break;
	case FC_FRAME_CTRL:
		flitcast_ctrl_in(site, link, skb);
		break;
	case FC_FRAME_FAULTS:
		link->stat[FC_LSTAT_RX_FAULTS]++;
		if (flitcast_faults_in(site, link->port, skb))
			napi_consume_skb(skb, 1);
		else
			flitcast_link_drop(link, skb, MALFORMED);
		break;
	case FC_FRAME_CSR:
		if (flitcast_csr_in(site, link->port, skb))
			napi_consume_skb(skb, 1);
		else
			flitcast_link_drop(link, skb, MALFORMED);
		break;
	case FC_FRAME_HELLO:
		break;
	}
out:
	flitcast_received(site);
}

void flitcast_input_carrier(struct flitcast_link *link, bool up)
{
	struct flitcast_site *site = link->owner;
	struct flitcast_end *end = &site->end[link->port];
	u8 todo, flags;

	flitcast_enter(site);
	if (!site->dead && end->link == link) {
		/* The MTU may have changed. */
		flags = end->hello.own.flags & ~FC_HELLO_LONG;
		flags |= flitcast_link_long(link) ? FC_HELLO_LONG : 0;
		todo = fc_hello_set(&end->hello, end->hello.own.window, flags,
				    flitcast_site_now(site));
		flitcast_hello_perform(site, link->port, todo);
		todo = fc_hello_carrier(&end->hello, up, flitcast_site_now(site));
		if (!up && flitcast_link_small(link))
			end->hello.own.reason = FC_REASON_MTU;
		flitcast_hello_perform(site, link->port, todo);
	}
	flitcast_leave(site);
}
