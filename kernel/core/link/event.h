/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that come to the switches of a site (site.h, vnet.h, relay.h), and the effects that the
 * switches decide on.
 */
#ifndef FC_CORE_LINK_EVENT_H
#define FC_CORE_LINK_EVENT_H

#include "core/channel.h"
#include "core/wire/wire.h"

/* Events of a site. */
enum fc_event_type {
	FC_EV_FLIT = 1,		/* a flit came in on a port, or from the operator on port 0 */
	FC_EV_STATUS,		/* the peer sends acks, and FC_STATUS_* flags */
	FC_EV_LINK_UP,		/* empty at both ends */
	FC_EV_LINK_DOWN,
	FC_EV_ROOM,		/* the operator took words from the fifo-buffer */
	FC_EV_TIME,		/* timers may be due */
	FC_EV_MORE,		/* the last event left work: the effects had no room */
	FC_EV_ROUTE,		/* time to route fronts that wait (FC_FX_ROUTE) */
	FC_EV_SUSPECT,		/* routes avoid a link now: packets are to leave it */
	FC_EV_TRUST,		/* suspicion of a link has ended: routes may use it again soon */
};

/**
 * struct fc_event - one event
 * @type: enum fc_event_type
 * @port: port (flit, status, link, suspect, trust); by which the front came, or FC_PORT_LOCAL: all
 *	(route)
 * @flags: FC_STATUS_* (status)
 * @now: time; never goes back
 * @seq: number of the flit; number of the peer's next flit (status)
 * @ack: cumulative ack of the peer (flit, status)
 * @count: window of the peer (link up); words (room)
 * @status: payload of the frame (status)
 * @flit: the flit; the site owns the handle from here on
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

/* The packet's other branches were aborted: serve it after a random wait (section 4.1). */
#define FC_SERVE_ABORTED	0x01

/* Why a link is suspected: the texts are in core/link/hello.c. */
enum fc_suspicion {
	FC_SUSPICION_NONE,
	FC_SUSPICION_SILENT,	/* the peer does not answer polls */
	FC_SUSPICION_GREY,	/* the peer answers, but flits sent again do not arrive */
	FC_SUSPICION_COUNT
};

/* Effects of an event, which the caller performs. */
enum fc_effect_type {
	FC_FX_SEND = 1,		/* flit to a link, and a copy of it into the replay buffer */
	FC_FX_STATUS,		/* status frame to a link */
	FC_FX_STORE,		/* flit into the operator's network-buffer */
	FC_FX_SERVE,		/* operator: deliver @mask's local entries, send its others on */
	FC_FX_SERVE_LOCAL,	/* operator: deliver @mask's local entries */
	FC_FX_DISCARD,		/* operator: empty the network-buffer */
	FC_FX_UNREACHABLE,	/* report to the source: no route to these targets */
	FC_FX_DROP,		/* the handle is not needed any more */
	FC_FX_RESET,		/* the ends of a link contradict each other: begin it anew */
	FC_FX_SUSPECT,		/* links of @mask may be silent, or lose full frames */
	FC_FX_RESEND,		/* flit to a link, as it was sent before */
	FC_FX_RELEASE,		/* flits sent before @seq need not be kept any more */
	FC_FX_RESCUE,		/* flits that a dead link may have lost: another route */
	FC_FX_COPY,		/* flits that a suspected link may have lost: another route, too */
	FC_FX_ROUTE,		/* a front waits for FC_EV_ROUTE, after all other effects */
	FC_FX_RESERVE,		/* frame of mode csr to a link (core/vnet/csr_plan.h) */
	FC_FX_ADMITTED,		/* packet of this site leaves its injection queue (csr_plan.h) */
};

/**
 * struct fc_effect - one effect
 * @type: enum fc_effect_type
 * @port: link (send, status, reset, resend, release, rescue, copy, route, reserve)
 * @vc: virtual channel there (send, status, resend, release, rescue, copy, route)
 * @flags: FC_STATUS_* (status); FC_SERVE_* (serve); enum fc_suspicion (suspect)
 * @keep: another effect uses the handle after this one: act on a clone; else
 *	the handle's ownership goes to the runner
 * @hold: of a relay (enum fc_relay_effect_type)
 * @index: likewise
 * @seq: number of the flit, or of the next one (status); of the first one to be kept
 *	(release) or not known to have been taken (rescue)
 * @ack: cumulative ack of the reverse channel
 * @status: payload of the frame (status)
 * @mask: targets that go there (send of a front); that are to be served, all others of the list
 *	having no route (serve); without a route (unreachable); when the packet will have come to
 *	its last target, or 0: it has not reserved (admitted); ports (suspect)
 * @flit: the flit; its handle is NULL for a terminator without a frame; of a reserve @head and
 *	@data are the frame's payload, of an admitted @head is the packet's: neither has a handle
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

/* No step of a site has more effects than this. */
#define FC_STEP_EFFECTS	(2 * FC_PORTS_MAX)
/* A list this long takes several steps. */
#define FC_EFFECTS	(4 * FC_STEP_EFFECTS)

/**
 * struct fc_effects - list of effects
 * @n: how many
 * @fx: in the order to be performed
 */
struct fc_effects {
	u32 n;
	struct fc_effect fx[FC_EFFECTS];
};

#endif /* FC_CORE_LINK_EVENT_H */
