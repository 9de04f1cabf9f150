/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mode csr at a site: the switch of core/vnet/vnet.h, which sends packets when and where they have
 * reserved (core/csr/csr.h).
 *
 * The injection queues of a site are its entry buffers.  A packet stays there until it is accepted;
 * then each branch leaves in its window, and its next window begins when it is due at the next
 * site: no site keeps packets, but for the guard.  A late packet stays in its input channel,
 * without loss as in mode vnet, and reserves anew from there, link by link.
 *
 * A packet is identified by its source and a number made of its socket, message and place in that;
 * a site on the path that reserves for it uses a later attempt.
 */
#ifndef FC_CORE_VNET_CSR_PLAN_H
#define FC_CORE_VNET_CSR_PLAN_H

#include "core/csr/csr_due.h"
#include "core/csr/wire_csr.h"

/* Maximum number of injection queues of a site. */
#define FC_CSR_INJQS	4
/* Frames of one event, at most: as many as the effects of a run, and those of one attempt. */
#define FC_CSR_FRAMES	(32 + FC_PORTS_MAX + FC_CSR_LEGS)
#define FC_CSR_FRAME	(FC_CSR_SIZE + 4 * FC_TARGETS_MAX)

struct fc_effects;
struct fc_vnet;
struct fc_vin;

/**
 * struct fc_csr_stay - a packet that waits in an injection queue to be accepted
 * @entry: its attempts
 * @retry_at: when it asks again
 * @tries: attempts so far
 * @order: order of arrival among the packets of all injection queues; wraps
 */
struct fc_csr_stay {
	struct fc_csr_entry entry;
	u64 retry_at;
	u32 tries;
	u32 order;
};

/**
 * struct fc_csr_plan - what packets of a site have reserved
 * @c: reservations
 * @link: of @c
 * @vnet: the switch
 * @frame: ring of the last FC_CSR_FRAMES payloads, to which effects point
 * @next: the place of the next one
 * @stay: by injection queue
 * @floor: by site: when the last packet of this site comes there
 * @dues: packets that come to this site
 * @guard: by how much packets may leave after their windows began, ns
 * @setup: time that nearly every ACK takes, ns: a packet does not leave before
 * @answered_at: when the last ACK came, or the wait for it timed out
 * @rng: state of random numbers
 * @tries: attempts of this site
 * @order: packets of this site
 * @counted: what of the counters of @c the site's have
 * @admitted_at: when the last packet of this site was accepted
 * @wake_at: when a packet in the switch is to be looked at
 * @now: time of the last event
 *
 * The caller's lock protects all members.  The caller performs the effects of an event before the
 * next event, because they point into @frame.
 */
struct fc_csr_plan {
	struct fc_csr c;
	struct fc_csr_link *link;
	struct fc_vnet *vnet;
	u8 (*frame)[FC_CSR_FRAME];
	u32 next;
	struct fc_csr_stay stay[FC_CSR_INJQS];
	u64 *floor;
	struct fc_csr_dues dues;
	u64 guard;
	u64 setup;
	u64 answered_at;
	u64 rng;
	u32 tries;
	u32 order;
	u64 counted[FC_CSR_STATS];
	u64 admitted_at;
	u64 wake_at;
	u64 now;
};

/**
 * fc_csr_plan_init() - nothing is reserved
 * @p: zeroed but for link, floor (zeroed), vnet (initialised), frame (FC_CSR_FRAMES of any
 *	content), rng, and of @c the memory (pool.res and pool.size)
 */
void fc_csr_plan_init(struct fc_csr_plan *p);

/* A frame came by a port.  @fx: emptied, then filled with FC_FX_RESERVE. */
void fc_csr_plan_in(struct fc_csr_plan *p, u8 port, const struct fc_csr_frame *frame, u64 now,
		    struct fc_effects *fx);

/* Time passes; marks the packets that may leave by now, and the switch wants an event next. */
void fc_csr_plan_time(struct fc_csr_plan *p, u64 now);

/* Return: when fc_csr_plan_time() is due. */
u64 fc_csr_plan_next_at(const struct fc_csr_plan *p);

void fc_csr_plan_link_down(struct fc_csr_plan *p, u8 port);

/*
 * Return: when a packet that is here was to have come at the latest, by what it reserved; 0: that
 * is not known.
 */
u64 fc_csr_plan_due(const struct fc_csr_plan *p, const u8 *head);

/*
 * For the switch.
 */

/**
 * enum fc_csr_admission - verdict on a packet in an injection queue
 * @FC_CSR_STAYS: it is not accepted yet; the switch looks at the queue when it may be
 * @FC_CSR_ADMITTED: it is accepted, or it has no path to reserve
 * @FC_CSR_APART: it has to go to its targets one by one
 */
enum fc_csr_admission {
	FC_CSR_STAYS,
	FC_CSR_ADMITTED,
	FC_CSR_APART,
};

/* @fx: FC_FX_RESERVE and FC_FX_ADMITTED are added. */
enum fc_csr_admission fc_csr_plan_admit(struct fc_csr_plan *p, u8 injq, const struct fc_vin *in,
					const u8 *head, struct fc_effects *fx);

/* Return: directions that the packet has reserved for one of its targets; 0: none. */
u32 fc_csr_plan_dirs(const struct fc_csr_plan *p, const u8 *head, unsigned int target);

/* May the targets of a mask leave by a link now? */
bool fc_csr_plan_go(struct fc_csr_plan *p, u8 port, const struct fc_vin *in, const u8 *head,
		    u64 mask);

/* The packet leaves by the link: fc_csr_plan_go() has just returned true. */
void fc_csr_plan_gone(struct fc_csr_plan *p, u8 port, const u8 *head);

#endif /* FC_CORE_VNET_CSR_PLAN_H */
