/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that the switches of a site process (core/care/care.h, core/vnet/vnet.h,
 * core/bcast/relay.h), and the effects by which they answer.
 */
#ifndef FC_CORE_LINK_EVENT_H
#define FC_CORE_LINK_EVENT_H

#include "core/channel.h"
#include "core/wire/wire.h"

/* Events of a site. */
enum fc_event_type {
	FC_EV_FLIT = 1,		/* a flit arrived on a port, or from the operator on port 0 */
	FC_EV_STATUS,		/* a status arrived: acks, and FC_STATUS_* flags */
	FC_EV_LINK_UP,		/* a link came up, its queues empty at both ends */
	FC_EV_LINK_DOWN,
	FC_EV_ROOM,		/* the operator took words from the fifo-buffer */
	FC_EV_TIME,		/* timers may be due */
	FC_EV_MORE,		/* continue the last event, whose effects filled the list */
	FC_EV_ROUTE,		/* route the fronts that wait (FC_FX_ROUTE) */
	FC_EV_SUSPECT,		/* routes avoid a link from now on: reroute its packets */
	FC_EV_TRUST,		/* a link is no longer suspected: routes will use it again */
};

/**
 * struct fc_event - one event
 * @type: enum fc_event_type
 * @port: port (flit, status, link, suspect, trust); input port of the front, or FC_PORT_LOCAL for
 *	all fronts (route)
 * @flags: FC_STATUS_* (status)
 * @now: time; never decreases
 * @seq: number of the flit; number of the peer's next flit (status)
 * @ack: cumulative ack of the peer (flit, status)
 * @count: window of the peer (link up); words (room)
 * @status: payload of the frame (status)
 * @flit: the flit, whose handle the site now owns
 */
struct fc_event {
	u8 type;
	u8 port;
	u8 flags;
	u64 now;
	u32 seq;
	u32 ack;
	u32 count;
	struct fc_status status;
	struct fc_flit flit;
};

/* The packet's other branches were aborted: serve it after a random delay (section 4.1). */
#define FC_SERVE_ABORTED	0x01

/* Reasons to suspect a link; core/link/hello.c has their texts. */
enum fc_suspicion {
	FC_SUSPICION_NONE,
	FC_SUSPICION_SILENT,	/* the peer does not answer polls */
	FC_SUSPICION_GREY,	/* the peer answers, but flits sent again do not arrive */
	FC_SUSPICION_STUCK,	/* the peer answers, and takes nothing for which packets wait */
	FC_SUSPICION_DAMAGED,	/* frames of the peer come damaged */
	FC_SUSPICION_COUNT
};

/* Reasons to free a flit (FC_FX_DROP). */
enum fc_drop {
	FC_DROP_USED,		/* nothing is lost: it came again, or all branches have it */
	FC_DROP_PROTOCOL,	/* contradicts what was received before */
	FC_DROP_CUT,		/* its packet was aborted, or is incomplete */
	FC_DROP_UNROUTABLE,	/* no route to the targets */
	FC_DROP_DOWN,		/* the link goes down, or was reset */
	FC_DROP_FULL,		/* no hold for the broadcast */
	FC_DROP_STUCK		/* the next site takes nothing */
};

/* Effects of an event, which the caller performs. */
enum fc_effect_type {
	FC_FX_SEND = 1,		/* flit to a link, and a copy of it into the replay buffer */
	FC_FX_STATUS,		/* status frame to a link */
	FC_FX_STORE,		/* flit into the operator's network-buffer */
	FC_FX_SERVE,		/* operator: deliver local targets of @mask, forward the others */
	FC_FX_SERVE_LOCAL,	/* operator: deliver local targets of @mask */
	FC_FX_DISCARD,		/* operator: empty the network-buffer */
	FC_FX_UNREACHABLE,	/* report to the source: no route to these targets */
	FC_FX_DROP,		/* free the handle, for a reason */
	FC_FX_RESET,		/* reset the link: its ends contradict each other */
	FC_FX_SUSPECT,		/* suspect the links of @mask: silent, or full frames are lost */
	FC_FX_RESEND,		/* resend a flit to a link from the replay buffer */
	FC_FX_RELEASE,		/* free flits before @seq in the replay buffer: they are acked */
	FC_FX_RESCUE,		/* reroute flits that a dead link may have lost */
	FC_FX_COPY,		/* send copies of flits that a suspected link may have lost */
	FC_FX_ROUTE,		/* a front waits for FC_EV_ROUTE, after all other effects */
	FC_FX_RESERVE,		/* frame of mode csr to a link (core/vnet/csr_plan.h) */
	FC_FX_ADMITTED,		/* packet of this site leaves its injection queue (csr_plan.h) */
};

/**
 * struct fc_effect - one effect
 * @type: enum fc_effect_type
 * @port: link (send, status, reset, resend, release, rescue, copy, route, reserve)
 * @vc: virtual channel there (send, status, resend, release, rescue, copy, route)
 * @flags: FC_STATUS_* (status); FC_SERVE_* (serve); enum fc_suspicion (suspect); enum fc_drop
 *	(drop)
 * @keep: a later effect uses the handle: act on a clone; else the handle's ownership passes to the
 *	caller
 * @hold: number of a hold (enum fc_relay_effect_type)
 * @index: index of a flit in the hold (enum fc_relay_effect_type)
 * @seq: number of the flit; of the next flit (status); of the first flit to keep (release); of the
 *	first flit that is not acked (rescue)
 * @ack: cumulative ack of the reverse channel
 * @status: payload of the frame (status)
 * @mask: targets of the branch (send of a front); targets to serve, as all others of the list have
 *	no route (serve); targets without a route (unreachable); time of arrival at the last target,
 *	or 0 without a reservation (admitted); ports (suspect)
 * @flit: the flit; the handle is NULL for a terminator without a frame. Reserve: @head and @data
 *	are the frame's payload; admitted: @head is the packet's; neither has a handle
 */
struct fc_effect {
	u8 type;
	u8 port;
	u8 vc;
	u8 flags;
	bool keep;
	u16 hold;
	u16 index;
	u32 seq;
	u32 ack;
	u64 mask;
	struct fc_status status;
	struct fc_flit flit;
};

/* Maximum number of effects of a step of a site. */
#define FC_STEP_EFFECTS	(2 * FC_PORTS_MAX)
/* Length of the list of effects: one call may take several steps. */
#define FC_EFFECTS	(4 * FC_STEP_EFFECTS)

/**
 * struct fc_effects - list of effects
 * @n: number of effects
 * @fx: effects, in the order in which to perform them
 */
struct fc_effects {
	u32 n;
	struct fc_effect fx[FC_EFFECTS];
};

#endif /* FC_CORE_LINK_EVENT_H */
