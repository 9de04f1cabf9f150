// SPDX-License-Identifier: GPL-2.0
/*
 * Output of a site: queues frames on links, and keeps a copy of each flit for retransmission.
 *
 *	flitcast_output_send()    a flit for one branch: own head, target list cut to the branch
 *	  flitcast_output_flit()  copy to the replay buffer (replay.c), queue on the link
 *	flitcast_output_again()   retransmit a flit from the replay buffer
 *	flitcast_output_status()  link-level acks and credits
 *
 * Frames are queued under the site's lock, which keeps their order, and transmitted by
 * flitcast_transmit() after it is released.  If a flit cannot be copied, it could not be
 * retransmitted: the link is reset.
 */
#include "compat.h"
#include "drop.h"
#include "core/wire/wire_faults.h"
#include "fabric/branch.h"
#include "fabric/enter.h"
#include "fabric/output.h"

static inline void frame(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			 struct fc_link_hdr *hdr)
{
	struct flitcast_end *end = &site->end[port];

	hdr->epoch = (u16)end->hello.own.epoch;
	flitcast_link_queue(end->link, skb, hdr);
	site->out.frames++;
	site->out.dirty |= fc_bit(port);
}

void flitcast_output_frame(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			   struct fc_link_hdr *hdr)
{
	frame(site, port, skb, hdr);
}

unsigned int flitcast_output_headroom(const struct flitcast_link *link)
{
	return READ_ONCE(link->headroom);
}

/* Transmit a flit, for the first time or again. */
static void transmit_flit(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			  struct fc_link_hdr *hdr)
{
	struct flitcast_link *link = site->end[port].link;

	if (!skb) {
		/* As if the flit had been lost on the link: the peer asks for it again. */
		site->stat[FC_STAT_NO_MEMORY]++;
		return;
	}
	/*
	 * The replay buffer keeps the old hop count: a flit that is rescued from it has not crossed
	 * the link.
	 */
	if (hdr->flags & FC_PART_HEAD) {
		if (hdr->vc != FC_VC_BCAST)
			fc_node_head_hop(skb->data);
		if (unlikely(skb->data[FC_AT_FLAGS] & FC_PACKET_LOCATE))
			flitcast_link_sum_locate(&link->sum);
	}
	link->stat[FC_LSTAT_TX_FLITS]++;
	link->stat[FC_LSTAT_TX_BYTES] += skb->len + FC_LINK_SIZE;
	frame(site, port, skb, hdr);
}

void flitcast_output_flit(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			  struct fc_link_hdr *hdr)
{
	struct flitcast_end *end = &site->end[port];

	if (hdr->flags & FC_PART_HEAD)
		end->link->stat[FC_LSTAT_TX_PACKETS]++;
	if (flitcast_replay_add(flitcast_replay_of(end, hdr->vc), &site->out.free, hdr->seq, &skb,
				hdr->flags)) {
		transmit_flit(site, port, skb, hdr);
		return;
	}
	/* The flit could not be retransmitted: reset the link. */
	site->stat[FC_STAT_NO_MEMORY]++;
	site->todo.resets |= fc_bit(port);
}

void flitcast_output_again(struct flitcast_site *site, const struct fc_effect *e)
{
	struct fc_link_hdr hdr = {
		.type = FC_FRAME_FLIT, .vc = e->vc, .seq = e->seq, .ack = e->ack,
	};
	struct flitcast_end *end = &site->end[e->port];
	struct sk_buff *skb;

	skb = flitcast_replay_copy(flitcast_replay_of(end, e->vc), e->seq,
				   flitcast_output_headroom(end->link), &hdr.flags);
	transmit_flit(site, e->port, skb, &hdr);
}

void flitcast_output_send(struct flitcast_site *site, const struct fc_effect *e)
{
	struct flitcast_link *link = site->end[e->port].link;
	unsigned int headroom = flitcast_output_headroom(link);
	struct fc_link_hdr hdr = {
		.type = FC_FRAME_FLIT, .vc = e->vc, .seq = e->seq, .ack = e->ack,
		.flags = e->flit.parts & (FC_PART_HEAD | FC_PART_TERM | FC_PART_ABORT |
					  FC_PART_EAGER),
	};
	struct sk_buff *skb = e->flit.h;

	if (site->todo.resets & fc_bit(e->port)) {
		/* The link is about to be reset: these sequence numbers are void. */
		if (!e->keep)
			flitcast_drop(skb, FLITCAST_DROP_DOWN);
		return;
	}
	/*
	 * The frame needs a linear part of its own: headers are written into it here and, over a
	 * veth, by the peer; and other branches of the flit must not see the target list of this
	 * one.
	 */
	if (!skb) {
		skb = flitcast_link_alloc(link, 0);
	} else if (e->keep) {
		skb = flitcast_branch_copy(skb, headroom, hdr.flags & FC_PART_HEAD ? e->mask : 0,
					   flitcast_site_verifies(site));
	} else if (skb_cow_head(skb, headroom)) {
		flitcast_drop(skb, FLITCAST_DROP_NO_MEMORY);
		skb = NULL;
	}
	if (!skb) {
		/* The flit could not be retransmitted: reset the link. */
		site->stat[FC_STAT_NO_MEMORY]++;
		site->todo.resets |= fc_bit(e->port);
		return;
	}
	if (hdr.flags & FC_PART_HEAD) {
		unsigned int n = hweight64(e->mask);

		if (n < fc_wire_ntargets(skb->data))
			flitcast_branch_cut(skb, e->mask, n, flitcast_site_verifies(site));
	}
	flitcast_output_flit(site, e->port, skb, &hdr);
}

void flitcast_output_status(struct flitcast_site *site, u8 vc, const struct fc_effect *e)
{
	struct flitcast_link *link = site->end[e->port].link;
	struct fc_link_hdr hdr = {
		.type = FC_FRAME_STATUS, .vc = vc, .flags = e->flags,
		.seq = e->seq, .ack = e->ack,
	};
	struct sk_buff *skb = flitcast_link_alloc(link, FC_STATUS_SIZE);

	/* Status values are absolute: the next status frame makes up for this one. */
	if (!skb) {
		site->stat[FC_STAT_NO_MEMORY]++;
		return;
	}
	fc_wire_status_encode(skb_put(skb, FC_STATUS_SIZE), &e->status);
	link->stat[FC_LSTAT_TX_STATUS]++;
	flitcast_output_frame(site, e->port, skb, &hdr);
}

void flitcast_output_faults(struct flitcast_site *site, u8 port, const struct fc_faults_msg *msg)
{
	struct fc_link_hdr hdr = { .type = FC_FRAME_FAULTS, .vc = FC_VC_CTRL };
	struct flitcast_link *link = site->end[port].link;
	u32 size = fc_faults_size(msg->n);
	struct sk_buff *skb = flitcast_link_alloc(link, size);

	/* As if the frame had been lost: the next digest reveals what the neighbour lacks. */
	if (!skb) {
		site->stat[FC_STAT_NO_MEMORY]++;
		return;
	}
	fc_wire_faults_encode(skb_put(skb, size), msg);
	link->stat[FC_LSTAT_TX_FAULTS]++;
	flitcast_output_frame(site, port, skb, &hdr);
}
