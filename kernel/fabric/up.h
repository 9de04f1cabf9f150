/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The way out of a site: work that the fabric, which moves frames and knows no messages, leaves for
 * the layers above, and the two calls by which they do it before the site's lock is released.
 *
 * All other calls go down, in the order of Kbuild.  These two are static calls, as cheap as direct
 * calls; flitcast_engine_init() sets their targets before the first site.
 */
#ifndef FLITCAST_FABRIC_UP_H
#define FLITCAST_FABRIC_UP_H

#include <linux/list.h>
#include <linux/skbuff.h>
#include <linux/static_call.h>
#include "core/bounds.h"
#include "core/wire/wire.h"

struct flitcast_site;

/* Kinds of work: bits of @pending of struct flitcast_up. */
#define FLITCAST_UP_ARRIVED	0x01	/* packets for this site */
#define FLITCAST_UP_ADMITTED	0x02	/* packets of this site have reserved their path */
#define FLITCAST_UP_ENTERED	0x04	/* frames of the network device have entered */
#define FLITCAST_UP_REROUTED	0x08	/* routes have changed */
#define FLITCAST_UP_LINKS	0x10	/* a link came up or went down */

/**
 * struct flitcast_arrived - a packet for this site, in the cb of its first flit
 * @flits: number of its flits
 * @targets: bit mask of its targets here, at least one
 * @beyond: number of targets beyond this site whose acks will pass by here
 * @bcast: it is a copy of a broadcast
 * @port: port by which the packet came in; FC_PORT_LOCAL: from this site.  The input sets it,
 *	before the packet is known to be for this site
 */
struct flitcast_arrived {
	u32 flits;
	u64 targets;
	u8 beyond;
	bool bcast;
	u8 port;
};

#define FLITCAST_ARRIVED(skb)	((struct flitcast_arrived *)(skb)->cb)

/**
 * struct flitcast_admitted - a packet that has reserved its path, or needs no reservation
 * @node: entry in the list
 * @sock: its source's number
 * @to: its first target
 * @at: reserved arrival time; 0: it needs no reservation (core/vnet/csr_plan.h)
 */
struct flitcast_admitted {
	struct list_head node;
	u32 sock;
	struct fc_target to;
	u64 at;
};

/**
 * struct flitcast_up - work for the layers above
 * @pending: kinds of work, FLITCAST_UP_*
 * @flit: packet of one flit for this site alone, which arrived before those of @arrived; NULL: none
 * @arrived: flits of packets for this site, packet by packet (struct flitcast_arrived)
 * @admitted: packets that have reserved their path (struct flitcast_admitted)
 * @queues: bit mask of queues of the network device with frames that have entered
 * @entered: their number and their memory in bytes, by queue
 *
 * The site's lock protects it.
 */
struct flitcast_up {
	u8 pending;
	struct sk_buff *flit;
	struct sk_buff_head arrived;
	struct list_head admitted;
	u32 queues;
	struct {
		u32 frames;
		u32 bytes;
	} entered[FC_PORTS_MAX];
};

void flitcast_up_init(struct flitcast_up *up);
/* Drop the packets of a site that is removed. */
void flitcast_up_purge(struct flitcast_up *up);
/* A packet is for this site, as @arrival has it but for the number of flits; takes the flits. */
void flitcast_up_packet(struct flitcast_up *up, struct sk_buff_head *flits,
			struct flitcast_arrived arrival);
/* A frame that came by a queue of the network device, which was charged @bytes, has entered. */
void flitcast_up_entered(struct flitcast_up *up, u8 queue, u32 bytes);
/* A packet is admitted: tell its source, if that is this site.  Return: false: no memory. */
bool flitcast_up_admitted(struct flitcast_site *site, const u8 *head, u64 at);

/* flitcast_leave() and flitcast_received() of fabric/enter.h; with the site's lock held. */
void flitcast_engine_leave(struct flitcast_site *site)
	__releases(&site->lock) __releases(RCU);
void flitcast_engine_received(struct flitcast_site *site)
	__releases(&site->lock);

DECLARE_STATIC_CALL(flitcast_leave_up, flitcast_engine_leave);
DECLARE_STATIC_CALL(flitcast_received_up, flitcast_engine_received);

#endif /* FLITCAST_FABRIC_UP_H */
