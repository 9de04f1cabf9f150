/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface of sites to netlink and sockets: configuration, links, routes, counters.
 *
 * The inside of a site is in fabric/site.h; its messages are in ends/port.h.
 */
#ifndef FLITCAST_FABRIC_FABRIC_H
#define FLITCAST_FABRIC_FABRIC_H

#include <linux/types.h>
#include <linux/netlink.h>
#include "core/bounds.h"
#include "core/mode.h"
#include "core/topo/topo.h"
#include "core/bcast/path.h"
#include "core/wire/wire_faults.h"
#include "fabric/config.h"
#include "link/device.h"

struct net;
struct net_device;
struct fc_pref;
struct flitcast_site;

/**
 * struct flitcast_site_info - snapshot of a site
 * @cfg: its configuration
 * @incarnation: random number, new each time the site is created
 * @links: links configured
 * @links_up: links in state up
 * @sockets: sockets bound
 * @pending: messages of this site that are not completed
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
};

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

/**
 * flitcast_route_set() - replace the preference list of a direction
 * @site: site
 * @dir: direction of the topology
 * @ports: ports in decreasing order of preference, no port twice
 * @nports: 1 .. number of directions; 0 restores the default (port @dir + 1)
 * @extack: reason of a refusal
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP (the mode has no preference lists).
 */
int flitcast_route_set(struct flitcast_site *site, u8 dir, const u8 *ports, u8 nports,
		       struct netlink_ext_ack *extack);

/**
 * flitcast_route_replace() - replace the whole table at once
 * @site: site
 * @pref: a list for each direction of the topology, as in flitcast_route_set()
 * @generation: generation of the table to be replaced; NULL: any
 * @extack: reason of a refusal
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP, -ESTALE (another generation).
 */
int flitcast_route_replace(struct flitcast_site *site, const struct fc_pref *pref,
			   const u32 *generation, struct netlink_ext_ack *extack);

/* Read the preference list of a direction: at most FC_PORTS_MAX ports.  Return: their number. */
u8 flitcast_route_get(struct flitcast_site *site, u8 dir, u8 *ports, u32 *generation);

/* Paths of broadcasts in several copies, if the topology is a graph (core/bcast/path.h). */

/**
 * flitcast_site_path_set() - set the paths of a source's broadcasts at a site
 * @site: site
 * @source: site where the broadcasts begin
 * @copies: number of copies
 * @entry: next hops at this site, replacing any present ones; validated here
 * @n: number of entries
 * @extack: reason of a refusal
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP (no graph), -ENOMEM.
 */
int flitcast_site_path_set(struct flitcast_site *site, u32 source, u32 copies,
			   const struct fc_path_entry *entry, u32 n,
			   struct netlink_ext_ack *extack);

/* Remove the paths of a source.  Return: 0, -ENOENT. */
int flitcast_site_path_del(struct flitcast_site *site, u32 source, u32 copies,
			   struct netlink_ext_ack *extack);

/**
 * flitcast_site_path_next() - walk the paths of broadcasts
 * @site: site
 * @source: in: first source; out: next source that has paths
 * @copies: in: first number of copies, 0 to begin with; out: that of the paths
 * @entry: filled in with the next hops
 *
 * Return: number of next hops; 0: there are no more paths.
 */
u32 flitcast_site_path_next(struct flitcast_site *site, u32 *source, u32 *copies,
			    struct fc_path_entry entry[FC_PATH_ENTRIES_MAX]);

/* Dead links. */

/**
 * flitcast_site_fault() - walk the dead links that a site knows of
 * @site: site
 * @fault: in: first site; out: next site with dead links. Version 0: not announced yet (this site's
 *	own links, shortly after its creation)
 *
 * Return: false if there is none.
 */
bool flitcast_site_fault(struct flitcast_site *site, struct fc_fault *fault);

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

/* Changes of a site. */
enum flitcast_site_event {
	FLITCAST_SITE_ADDED,
	FLITCAST_SITE_CHANGED,	/* drain begun, ended or completed */
	FLITCAST_SITE_REMOVED,
};

/**
 * struct flitcast_event_ops - callbacks of the listener for changes
 * @site: a site was added or removed, or has changed
 * @link: a link was added or removed, or has changed its state
 *
 * Called in process context, without locks; may sleep.
 */
struct flitcast_event_ops {
	void (*site)(struct net *net, const struct flitcast_site_info *info,
		     enum flitcast_site_event event);
	void (*link)(struct net *net, u32 site, const struct flitcast_link_info *info,
		     bool added);
};

/* There is one listener, registered before the first site is created and until the last is gone. */
void flitcast_event_register(const struct flitcast_event_ops *ops);
void flitcast_event_unregister(void);

/* A site and its network. */

u32 flitcast_site_id(const struct flitcast_site *site);
/* Return: the number of sites in the network. */
u32 flitcast_site_count(const struct flitcast_site *site);
/* Return: true if a broadcast of the site may have so many copies. */
bool flitcast_site_copies(const struct flitcast_site *site, u8 copies);
/* Return: the maximum size of a broadcast in bytes. */
u32 flitcast_site_bcast_max(const struct flitcast_site *site);
/* Return: true if the site accepts no new messages from sockets. */
bool flitcast_site_draining(const struct flitcast_site *site);
/* Return: true if the site was removed from its namespace. */
bool flitcast_site_dead(const struct flitcast_site *site);

/* Return: true if packets of the site reserve their path before they enter (mode csr). */
bool flitcast_site_reserves(const struct flitcast_site *site);

#endif /* FLITCAST_FABRIC_FABRIC_H */
