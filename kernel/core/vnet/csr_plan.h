/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mode csr at a site: the switch of core/vnet/vnet.h sends each packet on the links and in the
 * windows that it has reserved (core/csr/csr.h).
 *
 * The injection queues of a site are its entry buffers.  A packet waits there until it is accepted;
 * then each branch leaves in its window, and its next window begins when it is due at the next
 * site: a transit site buffers packets for the guard time only.  A late packet stays in its input
 * channel, without loss as in mode vnet, and reserves anew from there, link by link.  A packet that
 * waits in vain is sent without a reservation, as if it were late: others need the queue.
 *
 * A packet is identified by its source and a number made of its socket, message and offset in the
 * message; a transit site that reserves for it uses a later attempt.
 */
#ifndef FC_CORE_VNET_CSR_PLAN_H
#define FC_CORE_VNET_CSR_PLAN_H

#include "core/csr/csr_due.h"
#include "core/csr/wire_csr.h"

/* Maximum number of injection queues of a site. */
#define FC_CSR_INJQS	4
/* Maximum number of frames of an event: one for each effect of a run, and those of an attempt. */
#define FC_CSR_FRAMES	(32 + FC_PORTS_MAX + FC_CSR_LEGS)
#define FC_CSR_FRAME	(FC_CSR_SIZE + 4 * FC_TARGETS_MAX)

struct fc_effects;
struct fc_vbranch;
struct fc_vnet;
struct fc_vin;

/**
 * struct fc_csr_path - experience with packets of this site to another one
 * @floor: time at which the last one arrives there; 0: there was none
 * @vain_at: time at which a packet last began to wait although those before it had waited in vain
 * @setup: time within which nearly every ACK arrives, ns: the earliest departure of a packet;
 *	0: SETUP_FIRST
 * @futile: number of packets that were sent without a reservation, minus that of ACKs since
 */
struct fc_csr_path {
	u64 floor;
	u64 vain_at;
	u32 setup;
	u8 futile;
};

/**
 * struct fc_csr_stay - a packet that waits in an injection queue to be accepted
 * @entry: entry buffer
 * @since: time from which on its wait counts
 * @asked_at: time of the last attempt
 * @retry_at: time of the next attempt
 * @tries: number of attempts so far
 * @unanswered: number of attempts to which no answer came
 * @order: order of arrival among the packets of all injection queues; wraps
 */
struct fc_csr_stay {
	struct fc_csr_entry entry;
	u64 since;
	u64 asked_at;
	u64 retry_at;
	u32 tries;
	u32 order;
	u8 unanswered;
};

/**
 * struct fc_csr_plan - state of mode csr at a site
 * @c: reservations
 * @link: @link of @c
 * @vnet: the switch
 * @frame: ring of the last FC_CSR_FRAMES payloads, to which effects point
 * @next: index in @frame of the next payload
 * @stay: by injection queue
 * @path: by target site
 * @dues: due times of packets to this site
 * @confirmed: packets whose reservation was confirmed here
 * @answered_at: time at which the last ACK arrived
 * @rng: state of random numbers
 * @tries: number of attempts of this site
 * @order: number of packets of this site
 * @counted: counters of @c that are already added to those of the site
 * @admitted_at: time at which the last packet of this site was accepted
 * @wake_at: time at which a packet in the switch may be sent
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
	struct fc_csr_path *path;
	struct fc_csr_dues dues;
	struct fc_csr_dues confirmed;
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
 * fc_csr_plan_init() - initialise, without reservations
 * @p: zeroed but for link, path (zeroed), vnet (initialised), frame (FC_CSR_FRAMES of any
 *	content), rng, and of @c the memory (pool.res and pool.size)
 */
void fc_csr_plan_init(struct fc_csr_plan *p);

/* Process a frame that arrived on a port.  @fx: result: effects FC_FX_RESERVE. */
void fc_csr_plan_in(struct fc_csr_plan *p, u8 port, const struct fc_csr_frame *frame, u64 now,
		    struct fc_effects *fx);

/* Mark the packets that may leave by now; the caller passes an event to the switch next. */
void fc_csr_plan_time(struct fc_csr_plan *p, u64 now);

/* Return: time of the next call of fc_csr_plan_time(). */
u64 fc_csr_plan_next_at(const struct fc_csr_plan *p);

void fc_csr_plan_link_down(struct fc_csr_plan *p, u8 port);

/*
 * Return: latest time at which a packet that has arrived was due, by its reservation; 0: it is not
 * known.
 */
u64 fc_csr_plan_due(const struct fc_csr_plan *p, const u8 *head);

/*
 * Functions that the switch calls.
 */

/**
 * enum fc_csr_admission - verdict on a packet in an injection queue
 * @FC_CSR_STAYS: not accepted yet; the switch processes the queue again when it may be
 * @FC_CSR_ADMITTED: accepted, without a path to reserve, or to be sent without a reservation
 * @FC_CSR_APART: divide the list: send a packet to each target
 */
enum fc_csr_admission {
	FC_CSR_STAYS,
	FC_CSR_ADMITTED,
	FC_CSR_APART,
};

/* @fx: gets effects FC_FX_RESERVE and FC_FX_ADMITTED. */
enum fc_csr_admission fc_csr_plan_admit(struct fc_csr_plan *p, u8 injq, const struct fc_vin *in,
					const u8 *head, struct fc_effects *fx);

/* Return: directions that the packet has reserved for one of its targets; 0: none. */
u32 fc_csr_plan_dirs(const struct fc_csr_plan *p, const u8 *head, unsigned int target);

/* May the branch @b be sent on its link now? */
bool fc_csr_plan_go(struct fc_csr_plan *p, const struct fc_vin *in, const u8 *head,
		    const struct fc_vbranch *b);

/* The packet is sent on the link, after fc_csr_plan_go() returned true. */
void fc_csr_plan_gone(struct fc_csr_plan *p, u8 port, const u8 *head);

#endif /* FC_CORE_VNET_CSR_PLAN_H */
