/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Datagrams of a site's network device (dgram.c): frames that wait to enter the network, each as
 * one packet of kind FC_KIND_DATAGRAM.
 */
#ifndef FLITCAST_FABRIC_DGRAM_H
#define FLITCAST_FABRIC_DGRAM_H

#include <linux/skbuff.h>
#include "core/wire/wire.h"

struct fc_flit;
struct flitcast_ether;
struct flitcast_site;

/* Bytes of struct virtio_net_hdr, which precedes a frame in its packet. */
#define FLITCAST_OFFLOAD_SIZE	10
/* Takes the place of a queue of the device where reports, which come by none, are charged. */
#define FLITCAST_DGRAM_REPORTS	FC_PORTS_MAX
/* The longest frame of a device. */
#define FLITCAST_FRAME_MAX	(FC_PACKET_MAX - FLITCAST_OFFLOAD_SIZE)

/**
 * enum flitcast_dgram_port - target ports of datagrams
 * @FLITCAST_DGRAM_FRAME: a frame
 * @FLITCAST_DGRAM_REPORT: a report of the addresses that a device listens to
 *	(ether/members_report.c)
 */
enum flitcast_dgram_port {
	FLITCAST_DGRAM_FRAME = 1,
	FLITCAST_DGRAM_REPORT,
};

/**
 * struct flitcast_dgram - a frame that waits to enter, in the cb of its skb
 * @hash: hash of the flow: the packets of a flow take one path
 * @number: of the datagram among those of its site, from when it begins to enter
 * @charge: bytes of memory that count for its queue
 * @to: target site, if @list is 0
 * @ntargets: number of targets, 1 to flitcast_dgram_targets()
 * @list: the target sites are so many bytes in front of the data, as u16, aligned; 0: there is one,
 *	@to
 * @port: enum flitcast_dgram_port
 * @queue: queue of the network device that it came by, and that is charged for it; of a report:
 *	FLITCAST_DGRAM_REPORTS
 * @link: link that it takes first, in whose queue it waits; FC_PORT_LOCAL: none is known
 * @crc: CRC-32C of @offload and the frame, if the network has sums
 * @offload: checksum and segmentation that are left to the receiver, as virtio describes them
 */
struct flitcast_dgram {
	u32 hash;
	u32 number;
	u32 charge;
	u32 crc;
	u16 to;
	u16 ntargets;
	u16 list;
	u8 port;
	u8 queue;
	u8 link;
	u8 offload[FLITCAST_OFFLOAD_SIZE];
};

#define FLITCAST_DGRAM(skb)	((struct flitcast_dgram *)(skb)->cb)

/**
 * struct flitcast_dgrams - a site's network device, and its frames that wait to enter
 * @ether: network device (ether/ether.h); NULL: none
 * @queue: frames, by the link that they take first: those for a link without credit do not delay
 *	those for the others
 * @bytes: bytes of memory by queue of the network device, and of reports, including the frame that
 *	is entering
 * @n: number of frames in all queues
 * @number: of the next datagram
 * @next: queue whose turn it is
 * @cur: frame that is entering; NULL: none
 * @sent: bytes of it that have entered
 *
 * The site's lock protects it.  The network device bounds the queues.
 */
struct flitcast_dgrams {
	struct flitcast_ether *ether;
	struct sk_buff_head queue[FC_PORTS_MAX];
	u32 bytes[FLITCAST_DGRAM_REPORTS + 1];
	unsigned int n;
	u32 number;
	u8 next;
	struct sk_buff *cur;
	u32 sent;
};

/* Return: the maximum number of targets of one datagram: its head is in one flit. */
unsigned int flitcast_dgram_targets(const struct flitcast_site *site);

/*
 * Return: the link that a frame of a flow to one site takes first; FC_PORT_LOCAL: none is known, or
 * all enter by one queue.  Context: the site's lock.
 */
u8 flitcast_dgram_link(struct flitcast_site *site, u32 to, u32 hash);

/**
 * flitcast_dgram_part() - part the targets of a frame by the links that it takes first
 * @site: site
 * @to: target sites
 * @n: how many, at most flitcast_dgram_targets()
 * @hash: of the flow
 * @mask: result, by port: the targets to which it takes this link; FC_PORT_LOCAL: as for
 *	flitcast_dgram_link()
 *
 * Context: the site's lock.
 */
void flitcast_dgram_part(struct flitcast_site *site, const u16 *to, unsigned int n, u32 hash,
			 u64 mask[FC_PORTS_MAX]);

/* Make the sum of a frame with @dgram->offload, if the network has sums. */
void flitcast_dgram_sum(const struct flitcast_site *site, struct sk_buff *skb,
			struct flitcast_dgram *dgram);

/*
 * Queue a frame, whose cb is filled in: its targets have one link; takes ownership.
 * Context: the site's lock.  Return: bytes of memory that its queue of the device is charged for.
 */
u32 flitcast_dgram_queue(struct flitcast_site *site, struct sk_buff *skb);

/*
 * Return: true if a queue of the device is charged for more than @bytes of memory.
 * Context: the site's lock.
 */
bool flitcast_dgram_full(const struct flitcast_site *site, u8 queue, u32 bytes);

/* Choose the next frame to enter.  Return: number of its targets; 0: none can enter now. */
unsigned int flitcast_dgram_pick(struct flitcast_site *site);

/* Return: the next flit of the chosen frame; NULL: no memory, retry later. */
struct sk_buff *flitcast_dgram_flit(struct flitcast_site *site, struct fc_flit *flit);

/*
 * Move the frames that have not begun to enter to @list.  The one that is entering is no longer
 * charged: the site may have another device when it has entered.  Context: the site's lock.
 */
void flitcast_dgram_take(struct flitcast_site *site, struct sk_buff_head *list);

void flitcast_dgram_init(struct flitcast_site *site);
/* The site is removed: drop all. */
void flitcast_dgram_purge(struct flitcast_site *site);

#endif /* FLITCAST_FABRIC_DGRAM_H */
