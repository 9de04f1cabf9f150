// SPDX-License-Identifier: GPL-2.0
/* Performs the effects that the switches of a site decide (core/care/care.h, core/vnet/vnet.h). */
#include "drop.h"
#include "fabric/effects.h"
#include "fabric/site.h"

/* A link went down: send packets that it may not have carried by another path. */
static void rescue(struct flitcast_site *site, u8 set, struct flitcast_replay *replay)
{
	struct sk_buff_head flits;

	__skb_queue_head_init(&flits);
	while (flitcast_replay_rescue(replay, &site->out.free, &flits))
		flitcast_oper_rescue(site, set, &flits);
}

/*
 * Routes avoid a link: send packets that the peer has not acked by another path, too.  The link
 * may have carried them: their targets drop what comes twice.  Copies that the transit pool has no
 * room for follow when it has, see flitcast_effects_copies().
 */
static void copy(struct flitcast_site *site, u8 set, u8 port, struct flitcast_replay *replay)
{
	struct sk_buff_head flits;
	u16 at = 0, n;

	__skb_queue_head_init(&flits);
	while (flitcast_oper_copies(site, set)) {
		n = flitcast_replay_again(replay, &site->node, port, &at, &flits);
		if (!n)
			return;
		if (flitcast_oper_copy(site, set, &flits))
			flitcast_replay_copied(replay, at, n);
	}
	if (site->oper.feed[set].ntransit)
		site->todo.copies[set] |= fc_bit(port);
}

bool flitcast_effects_copies(struct flitcast_site *site)
{
	unsigned int before = site->oper.nfed;
	u8 set, port, class;
	u32 rest;

	for (set = 0; set < FC_SET_COUNT; set++) {
		rest = site->todo.copies[set];
		if (!rest || !flitcast_oper_copies(site, set))
			continue;
		site->todo.copies[set] = 0;
		for (; rest; rest &= rest - 1) {
			port = fc_low(rest);
			for (class = 0; class < site->nclasses; class++)
				copy(site, set, port, &site->end[port].class[set][class]);
		}
	}
	return site->oper.nfed != before;
}

/* A flit was sent: it may end a packet that had begun when the others were copied. */
static void copy_rest(struct flitcast_site *site, u8 set, const struct fc_effect *e)
{
	struct flitcast_end *end = &site->end[e->port];
	struct flitcast_replay *replay = flitcast_replay_of(end, e->vc);

	if (likely(!replay->open) || !(e->flit.parts & FC_PART_TERM))
		return;
	replay->open = false;
	/* Copies nothing if the routes no longer avoid the link. */
	copy(site, set, e->port, replay);
}

/*
 * The router found no route to some targets: report this to their source, unless it keeps no
 * message of the packet.
 */
static void report_unreachable(struct flitcast_site *site, const struct fc_effect *e)
{
	u32 FC_UNSET dst[FC_TARGETS_MAX];
	struct fc_packet pk;
	u64 rest;

	if (fc_wire_datagram(e->flit.head))
		return;
	fc_wire_packet_decode(&pk, e->flit.head);
	fc_wire_target_sites(dst, e->flit.head);
	for (rest = e->mask; rest; rest &= rest - 1) {
		struct fc_ctrl ctrl = {
			.kind = FC_CTRL_UNREACHABLE, .dst = pk.src,
			.incarnation = pk.incarnation, .sock = pk.sock,
		};
		struct fc_target t;

		/* With a bitmap, all targets share the entry of the first one. */
		fc_wire_target_decode(&t, e->flit.head,
				      pk.bitmap ? 0 : fc_low64(rest));
		ctrl.site = dst[fc_low64(rest)];
		ctrl.port = t.port;
		if (fc_wire_hops(e->flit.head) >= FC_HOPS_MAX)
			ctrl.base = FC_UNREACHABLE_HOPS;
		ctrl.seq = t.seq;
		/*
		 * This site knows nothing of the flow: the lowest possible cumulative ack acks
		 * nothing.
		 */
		ctrl.next = t.seq - t.outstanding;
		site->stat[FC_STAT_CTRL_SENT]++;
		flitcast_ctrl_send(site, &ctrl);
	}
}

/* Send a frame of mode csr.  A lost one costs time, and reservations that expire. */
static void send_reserve(struct flitcast_site *site, const struct fc_effect *e)
{
	struct fc_link_hdr hdr = { .type = FC_FRAME_CSR, .vc = FC_VC_CTRL };
	struct flitcast_end *end = &site->end[e->port];
	struct sk_buff *skb;

	if (!end->link || end->hello.state != FC_LINK_UP)
		return;
	skb = flitcast_link_alloc(end->link, e->flit.data);
	if (!skb) {
		site->stat[FC_STAT_NO_MEMORY]++;
		return;
	}
	skb_put_data(skb, e->flit.head, e->flit.data);
	end->link->stat[FC_LSTAT_TX_CTRL]++;
	flitcast_output_frame(site, e->port, skb, &hdr);
}

void flitcast_effects_drop(const struct fc_effect *e)
{
	static const u8 why[] = {
		[FC_DROP_USED] = FLITCAST_USED,
		[FC_DROP_PROTOCOL] = FLITCAST_DROP_PROTOCOL,
		[FC_DROP_CUT] = FLITCAST_DROP_CUT,
		[FC_DROP_UNROUTABLE] = FLITCAST_DROP_UNROUTABLE,
		[FC_DROP_DOWN] = FLITCAST_DROP_DOWN,
		[FC_DROP_FULL] = FLITCAST_DROP_FULL,
		[FC_DROP_STUCK] = FLITCAST_DROP_STUCK,
	};

	flitcast_drop(e->flit.h, why[e->flags]);
}

void flitcast_effects_suspect(struct flitcast_site *site, const struct fc_effect *e)
{
	/* Suspicion changes routes and ends in an event: do it after the current one. */
	site->todo.suspects[e->flags] |= (u32)e->mask;
	site->todo.suspected = true;
}

void flitcast_effects_perform(struct flitcast_site *site, u8 set, const struct fc_effect *e)
{
	struct sk_buff *skb = e->flit.h;

	switch ((enum fc_effect_type)e->type) {
	case FC_FX_SEND:
		flitcast_output_send(site, e);
		copy_rest(site, set, e);
		break;
	case FC_FX_STATUS:
		flitcast_output_status(site, e->vc, e);
		break;
	case FC_FX_STORE:
		if (e->keep)
			skb = skb_clone(skb, GFP_ATOMIC);
		if (!skb)
			site->stat[FC_STAT_NO_MEMORY]++;
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
		report_unreachable(site, e);
		break;
	case FC_FX_DROP:
		flitcast_effects_drop(e);
		break;
	case FC_FX_RESET:
		/* A reset is an event itself: do it after the current one. */
		site->todo.resets |= fc_bit(e->port);
		break;
	case FC_FX_SUSPECT:
		flitcast_effects_suspect(site, e);
		break;
	case FC_FX_RESEND:
		flitcast_output_again(site, e);
		break;
	case FC_FX_RELEASE:
		flitcast_replay_release(flitcast_replay_of(&site->end[e->port], e->vc),
					&site->out.free, e->seq);
		break;
	case FC_FX_RESCUE:
		rescue(site, set, flitcast_replay_of(&site->end[e->port], e->vc));
		break;
	case FC_FX_COPY:
		copy(site, set, e->port, flitcast_replay_of(&site->end[e->port], e->vc));
		break;
	case FC_FX_ROUTE:
		site->todo.unrouted = true;
		break;
	case FC_FX_RESERVE:
		send_reserve(site, e);
		break;
	case FC_FX_ADMITTED:
		if (!flitcast_up_admitted(site, e->flit.head, e->mask))
			site->stat[FC_STAT_NO_MEMORY]++;
		break;
	}
}
