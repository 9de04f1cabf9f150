/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The network device of a site ("fc0"): an Ethernet whose hosts are the sites of the network, each
 * one hop away.  A frame is one datagram (fabric/dgram.h): to the site of its destination address,
 * or to the site behind which that address was seen (learn.h), or else to the sites that want it
 * (members.h).
 */
#ifndef FLITCAST_ETHER_ETHER_H
#define FLITCAST_ETHER_ETHER_H

#include <linux/netdevice.h>
#include <linux/siphash.h>
#include <linux/skbuff.h>
#include "core/faults/seen.h"
#include "ether/learn.h"
#include "ether/members.h"
#include "ether/members_report.h"
#include "ether/stats.h"

struct flitcast_dgram;
struct flitcast_site;
struct netlink_ext_ack;

/**
 * struct flitcast_seen - record of received datagrams
 * @record: of the last FLITCAST_SEEN_MAX ones, of all sources
 * @key: of their digests
 */
struct flitcast_seen {
	struct fc_seen record;
	siphash_key_t key;
};

/**
 * struct flitcast_ether - network device of a site, in netdev_priv()
 * @dev: device
 * @site: site, which exists as long as the device is registered: site_destroy() unregisters it
 * @incarnation: by site, of the last datagram that came from it; the site's lock
 * @seen: datagrams that have come, to drop doubles; the site's lock
 * @learn: addresses behind the devices of other sites
 * @members: multicast addresses that these listen to
 * @report: reports of those that this device listens to
 * @napi: delivers @rxq
 * @rxq: received frames, behind their offload header; the site's lock
 * @rx_bytes: bytes of memory of frames in @rxq; the site's lock
 * @rx_reports: of reports
 * @open: the device is up; the site's lock
 * @gone: the device is unregistered, and @site ends after an RCU grace period
 * @stat: counters
 */
struct flitcast_ether {
	struct net_device *dev;
	struct flitcast_site *site;
	u32 *incarnation;
	struct flitcast_seen seen;
	struct flitcast_learn learn;
	struct flitcast_members members;
	struct flitcast_reports report;
	struct napi_struct napi;
	struct sk_buff_head rxq;
	unsigned int rx_bytes;
	unsigned int rx_reports;
	bool open;
	bool gone;
	atomic_long_t stat[FLITCAST_ETHER_STAT_COUNT];
};

/* Bytes of the shortest segments of a GSO frame: shorter ones make many packets of one. */
#define FLITCAST_GSO_MIN	256

/* May the segments of a GSO frame have this length, where packets have @mtu bytes at most? */
static inline bool flitcast_ether_gso_fits(u32 size, u32 mtu)
{
	return size >= FLITCAST_GSO_MIN && size <= mtu;
}

/* rx.c */

/*
 * Datagrams that are remembered: a link is suspected after 140 ms without an answer, and then its
 * ends copy the packets that it may have carried to others.  In this time 1 Gbit/s of frames of
 * 1,500 bytes are 12,000.  The size does not depend on the number of sites: 128 KiB.
 */
#define FLITCAST_SEEN_MAX	16384

int flitcast_seen_init(struct flitcast_seen *seen);
void flitcast_seen_free(struct flitcast_seen *seen);
int flitcast_ether_poll(struct napi_struct *napi, int budget);

/* tx.c */

/* Bytes in front of a frame for the targets that it may have. */
#define FLITCAST_LIST_SIZE(nsites)	(2U * (nsites) + 1)

/*
 * Return: the list of targets of a frame, for @nsites sites at most, in FLITCAST_LIST_SIZE() bytes
 * of writable headroom.
 */
u16 *flitcast_ether_list(const struct sk_buff *skb, u32 nsites, struct flitcast_dgram *dgram);

/**
 * flitcast_ether_queue() - queue a frame
 * @ether: device
 * @skb: frame; takes ownership
 * @dgram: its targets, any number
 *
 * The frame is queued once for each datagram that its targets need, if there is room for the first
 * one.  Only one of several is charged to the sender's socket, until it has entered.
 *
 * Context: the site's lock.  Return: false: it is dropped and counted, for some of the targets at
 * least.
 */
bool flitcast_ether_queue(struct flitcast_ether *ether, struct sk_buff *skb,
			  struct flitcast_dgram *dgram);

netdev_tx_t flitcast_ether_xmit(struct sk_buff *skb, struct net_device *dev);
u16 flitcast_ether_select_queue(struct net_device *dev, struct sk_buff *skb, struct net_device *sb);

/* ether.c */

/* The setup function, and the number of queues, of struct rtnl_link_ops. */
void flitcast_ether_setup(struct net_device *dev);
unsigned int flitcast_ether_queues(void);

/**
 * flitcast_ether_add() - register the network device of a site
 * @site: site
 * @dev: device set up by flitcast_ether_setup()
 * @extack: reason of a refusal
 *
 * Context: RTNL held.  Return: 0, -EBUSY (the site has a device), -EOPNOTSUPP (its mode reserves
 * bandwidth), or an error of register_netdevice().
 */
int flitcast_ether_add(struct flitcast_site *site, struct net_device *dev,
		       struct netlink_ext_ack *extack);

/*
 * Work that the fabric has left for the device (fabric/up.h).  Context: the site's lock; but for
 * the first one, the site has a device.
 */

/* Frames that came by a queue, which was charged @bytes for them, have entered. */
void flitcast_ether_entered(struct flitcast_site *site, u8 queue, u32 frames, u32 bytes);
/* Receive a datagram; takes the flits. */
void flitcast_ether_receive(struct flitcast_site *site, struct sk_buff_head *flits);
/* A link came up or went down: update the carrier. */
void flitcast_ether_links(struct flitcast_site *site);
/* Routes have changed: the device may have to report again. */
void flitcast_ether_rerouted(struct flitcast_site *site);

/* The site is being removed: unregister its device.  Context: RTNL held. */
void flitcast_ether_site_gone(struct flitcast_site *site);

/* Return: number of the site of a device. */
u32 flitcast_ether_site(const struct net_device *dev);

#endif /* FLITCAST_ETHER_ETHER_H */
