/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sites of a network namespace: creation, lookup, tuning, removal; their links, routes and
 * counters.
 */
#ifndef FLITCAST_SITE_SITE_H
#define FLITCAST_SITE_SITE_H

#include "core/link/delay.h"
#include "fabric/fabric.h"
#include "link/device.h"

struct net_device;

/**
 * struct flitcast_site_info - snapshot of a site
 * @cfg: its configuration
 * @incarnation: random number, new each time the site is created
 * @links: links configured
 * @links_up: links in state up
 * @sockets: sockets bound
 * @pending: messages of this site that are not completed
 * @memory: KiB that the maker of the site is charged for its buffers
 * @share: KiB of all sites and sockets of that user
 * @drain: the site accepts no new messages from its sockets
 * @keyed: the network has a key
 */
struct flitcast_site_info {
	struct flitcast_site_config cfg;
	u32 incarnation;
	u32 links;
	u32 links_up;
	u32 sockets;
	u32 pending;
	u32 memory;
	u32 share;
	bool drain;
	bool keyed;
};

/**
 * struct flitcast_link_info - snapshot of a link
 * @device: device
 * @port: port
 * @state: enum flitcast_link_state
 * @reason: why the link is not up, or is suspected; "" if it is up and trusted
 * @suspect: it is up, and routes avoid it
 * @peer_site: peer, or FC_SITE_NONE before its HELLO
 * @peer_port: port of the peer
 * @expected_site: neighbour that the topology has at this port
 * @expected_port: port of that neighbour
 * @window: maximum number of unacked flits
 * @crc: frames are to carry a checksum
 * @hello: interval of HELLO in ms
 * @dead: number of intervals of the peer without a frame after which the link is dead
 * @delay: what the peer delays; ages in ns
 * @damaged_source: source of the last packet that came damaged by the link, or FC_SITE_NONE
 */
struct flitcast_link_info {
	struct flitcast_link_device device;
	u32 port;
	u32 state;
	char reason[80];
	bool suspect;
	u32 peer_site;
	u32 peer_port;
	u32 expected_site;
	u32 expected_port;
	u32 window;
	bool crc;
	u32 hello;
	u32 dead;
	struct fc_delay delay;
	u32 damaged_source;
};

/* Callers hold genl's lock or RTNL, except for flitcast_site_get() and flitcast_site_put(). */

/**
 * flitcast_site_add() - make a site and publish it in its namespace
 * @net: namespace
 * @cfg: configuration; checked here
 * @extack: gets the reason of a refusal
 *
 * Return: 0, -EEXIST, -EINVAL, -ENOMEM, -ENOSPC, or the error of the crypto layer for the key.
 */
int flitcast_site_add(struct net *net, const struct flitcast_site_config *cfg,
		      struct netlink_ext_ack *extack);

/**
 * flitcast_site_tune() - change the tuning of a site
 * @site: site
 * @tuning: new tuning; the caller has checked its limits
 */
void flitcast_site_tune(struct flitcast_site *site, const struct flitcast_site_tuning *tuning);

/**
 * flitcast_site_drain() - refuse new messages from sockets, or accept them again
 * @site: site
 * @drain: true: refuse
 *
 * Pending messages are completed; an event reports when none is left.  Meanwhile sendmsg() and
 * connect() fail with ENETDOWN.
 */
void flitcast_site_drain(struct flitcast_site *site, bool drain);

/**
 * flitcast_site_del() - remove a site and its links; its sockets get ENETDOWN
 * @net: namespace
 * @id: site
 * @extack: gets the reason of a refusal
 *
 * Return: 0, -ENOENT.
 */
int flitcast_site_del(struct net *net, u32 id, struct netlink_ext_ack *extack);

/**
 * flitcast_site_get() - find a site and take a reference
 * @net: namespace
 * @id: site, or FLITCAST_SITE_ANY for the only one
 *
 * Return: the site, or NULL if there is none, or with FLITCAST_SITE_ANY more than one.
 */
struct flitcast_site *flitcast_site_get(struct net *net, u32 id);
void flitcast_site_put(struct flitcast_site *site);

/**
 * flitcast_site_next() - walk the sites of a namespace
 * @net: namespace
 * @from: smallest identity wanted
 *
 * Return: the site with the smallest identity >= @from, with a reference, or
 * NULL.
 */
struct flitcast_site *flitcast_site_next(struct net *net, u32 from);

u32 flitcast_site_id(const struct flitcast_site *site);
/* Return: the number of sites in the network. */
u32 flitcast_site_count(const struct flitcast_site *site);
/* Return: true if the site accepts no new messages from sockets. */
bool flitcast_site_draining(const struct flitcast_site *site);
void flitcast_site_info(struct flitcast_site *site, struct flitcast_site_info *info);

/* Links.  Port p carries direction p - 1 unless the preference table has another. */

/**
 * flitcast_link_add() - make a device a link of a site
 * @site: site
 * @spec: device that can carry flits; the two ends of the link are filled in
 * @port: 1 .. number of directions of the topology
 * @settings: settings; 0, and -1 of @crc, stand for the default
 * @extack: reason of a refusal
 *
 * Context: RTNL held.  Return: 0, -EEXIST, -EBUSY (device in use by another
 * site), -EINVAL, -ENOMEM.
 */
int flitcast_link_add(struct flitcast_site *site, struct flitcast_link_spec *spec, u32 port,
		      const struct flitcast_link_settings *settings,
		      struct netlink_ext_ack *extack);

/**
 * flitcast_link_set() - change a link
 * @site: site
 * @port: its port
 * @settings: settings; 0, and -1 of @crc, stand for no change
 * @extack: reason of a refusal
 *
 * With another window or checksum the link repeats its handshake: packets that are interrupted by
 * it are retransmitted.
 *
 * Context: RTNL held.  Return: 0, -ENOENT, -EINVAL.
 */
int flitcast_link_set(struct flitcast_site *site, u32 port,
		      const struct flitcast_link_settings *settings,
		      struct netlink_ext_ack *extack);

/* Context: RTNL held.  Return: 0, -ENOENT. */
int flitcast_link_del(struct flitcast_site *site, u32 port, struct netlink_ext_ack *extack);

/*
 * Walk the ports: 1 .. number of directions of the topology, whose names are in core/topo/topo.h.
 * Return: 0, or -ENOENT if the port has no link.
 */
int flitcast_link_info(struct flitcast_site *site, u32 port, struct flitcast_link_info *info);

/* Preference table (CARE, Table G). */

/* Counters: names in core/wire/names.c (fc_stat_name()), per site and per link. */

/**
 * flitcast_site_stats() - read the counters of a site
 * @site: site
 * @values: FC_STAT_COUNT values, by enum fc_stat
 */
void flitcast_site_stats(struct flitcast_site *site, u64 *values);
/* Counters of a link, by enum fc_link_stat.  Return: 0, -ENOENT. */
int flitcast_link_stats(struct flitcast_site *site, u32 port, u64 *values);
void flitcast_site_stats_reset(struct flitcast_site *site);

int flitcast_site_init(void);
void flitcast_site_exit(void);

/* Watch for network devices that links wait for.  Context: module init and exit. */
int flitcast_replug_init(void);
void flitcast_replug_exit(void);

/* Inform the neighbours of all sites of a namespace that the host shuts down; or wait for that. */
void flitcast_shutdown(struct net *net);
int flitcast_shutdown_init(void);
void flitcast_shutdown_exit(void);

#endif /* FLITCAST_SITE_SITE_H */
