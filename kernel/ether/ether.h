/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The network device of a site ("fc0"): an Ethernet whose hosts are the sites of the network, each
 * one hop away.  A frame is one datagram (fabric/dgram.h): to the site of its destination address,
 * or to the site behind which that address was seen (learn.h), or else to all other sites.
 */
#ifndef FLITCAST_ETHER_ETHER_H
#define FLITCAST_ETHER_ETHER_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include "core/seen.h"
#include "ether/learn.h"

struct flitcast_site;
struct netlink_ext_ack;

/**
 * struct flitcast_ether_source - a site whose datagrams come
 * @incarnation: of the site, of the last datagram
 * @seen: numbers of those of this incarnation
 */
struct flitcast_ether_source {
	u32 incarnation;
	struct fc_seen seen;
};

/**
 * struct flitcast_ether - network device of a site, in netdev_priv()
 * @dev: device
 * @site: site, which exists as long as the device is registered: site_destroy() unregisters it
 * @source: by site, the datagrams that came from it; the site's lock
 * @learn: addresses behind the devices of other sites
 * @napi: delivers @rxq
 * @rxq: received frames, behind their offload header; the site's lock
 * @rx_bytes: bytes of memory of @rxq; the site's lock
 * @open: the device is up; the site's lock
 */
struct flitcast_ether {
	struct net_device *dev;
	struct flitcast_site *site;
	struct flitcast_ether_source *source;
	struct flitcast_learn learn;
	struct napi_struct napi;
	struct sk_buff_head rxq;
	unsigned int rx_bytes;
	bool open;
};

/* rx.c */

int flitcast_ether_poll(struct napi_struct *napi, int budget);

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

/* The site is being removed: unregister its device.  Context: RTNL held. */
void flitcast_ether_site_gone(struct flitcast_site *site);

/* Return: number of the site of a device. */
u32 flitcast_ether_site(const struct net_device *dev);

#endif /* FLITCAST_ETHER_ETHER_H */
