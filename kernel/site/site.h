/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What sockets and netlink may ask of a site.  Nothing here tells how a site
 * works inside: that is site/impl.h, for the files of kernel/site alone.
 */
#ifndef FLITCAST_SITE_H
#define FLITCAST_SITE_H

#include <linux/types.h>
#include <linux/netlink.h>
#include "core/bounds.h"
#include "core/mode.h"
#include "core/topo.h"
#include "core/ways.h"
#include "core/wire.h"
#include "link/device.h"

struct net;
struct net_device;
struct fc_pref;
struct flitcast_site;

/**
 * struct flitcast_site_tuning - what the paper leaves to the implementation; any
 *	site may differ from its neighbours, and change at any time
 * @seek: interval at which a net-input in first counts a seek, microseconds
 * @seek_max: seeks after which a packet is stored on its way
 * @timeout: how long a fifo-buffer waits for a word before abort-request, to begin
 *	with, microseconds
 * @retry: how long a peer waits to hear what was taken, and a flit that others have
 *	overtaken may still come by itself, microseconds
 * @probe: how long a flit may stay unacknowledged before the peer is asked,
 *	microseconds
 * @transit: packets stored for others; 0: none, what would have to be stored is
 *	sent again by its source
 * @grace: for how long there must be no way to a target, as far as the site knows,
 *	before its messages fail with EHOSTUNREACH, microseconds
 */
struct flitcast_site_tuning {
	u32 seek;
	u32 seek_max;
	u32 timeout;
	u32 retry;
	u32 probe;
	u32 transit;
	u32 grace;
};

/**
 * struct flitcast_site_config - what a site is made of
 * @id: identity; below topo.nsites
 * @topo: topology of the network; of a graph the site has a reference of its own
 * @mode: enum fc_mode
 * @flit: flit size in bytes: the largest frame without its Ethernet header
 * @window: flits under way per link and virtual channel
 * @tuning: what may be changed later
 * @key: FLITCAST_KEY_SIZE bytes, or NULL where the network has no key; read by
 *	flitcast_site_add(), and NULL in what a site keeps and tells
 */
struct flitcast_site_config {
	u32 id;
	struct fc_topo topo;
	u8 mode;
	u32 flit;
	u32 window;
	struct flitcast_site_tuning tuning;
	const u8 *key;
};

/**
 * struct flitcast_site_info - snapshot of a site
 * @cfg: its configuration
 * @incarnation: random number of this life of the site
 * @links: links configured
 * @links_up: links in state up
 * @sockets: sockets bound
 * @pending: messages of this site that are not over
 * @drain: it takes no new messages from its sockets
 * @keyed: its network has a key
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
 * @reason: why it is not up; "" where it is
 * @peer_site: peer, or FC_SITE_NONE before its HELLO
 * @peer_port: port of the peer
 * @window: flits under way
 * @crc: frames are to carry a checksum
 */
struct flitcast_link_info {
	struct flitcast_link_device device;
	u32 port;
	u32 state;
	char reason[80];
	u32 peer_site;
	u32 peer_port;
	u32 window;
	bool crc;
};

/* Sites.  All but flitcast_site_get() and _put() run under genl's lock or RTNL. */

/**
 * flitcast_site_add() - make a site and publish it in its namespace
 * @net: namespace
 * @cfg: configuration; checked here
 * @extack: gets the reason of a refusal
 *
 * Return: 0, -EEXIST, -EINVAL, -ENOMEM, or why the kernel cannot use a key.
 */
int flitcast_site_add(struct net *net, const struct flitcast_site_config *cfg,
		      struct netlink_ext_ack *extack);

/**
 * flitcast_site_tune() - change what may be changed
 * @site: site
 * @tuning: within the limits above
 */
void flitcast_site_tune(struct flitcast_site *site, const struct flitcast_site_tuning *tuning);

/**
 * flitcast_site_drain() - take no new messages from sockets, or take them again
 * @site: site
 * @drain: which
 *
 * What is under way goes on to its end; the listener is told when there is nothing of
 * it left.  Meanwhile sendmsg() and connect() get ENETDOWN.
 */
void flitcast_site_drain(struct flitcast_site *site, bool drain);

/**
 * flitcast_site_del() - take a site and its links out; its sockets get ENETDOWN
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
 * Return: the site, or NULL where it is not, or not the only one.
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

void flitcast_site_info(struct flitcast_site *site, struct flitcast_site_info *info);

/* Links.  Port p carries direction p - 1 unless the preference table says otherwise. */

/**
 * flitcast_link_add() - put a device to use as a link of a site
 * @site: site
 * @spec: device, which can carry flits; gets the two ends of the link
 * @port: 1 .. number of directions of the topology
 * @window: flits under way, 0 for the site's
 * @crc: frames carry a checksum, whatever the peer asks for
 * @extack: gets the reason of a refusal
 *
 * Context: RTNL held.  Return: 0, -EEXIST, -EBUSY (device in use by another
 * site), -EINVAL, -ENOMEM.
 */
int flitcast_link_add(struct flitcast_site *site, struct flitcast_link_spec *spec, u32 port,
		      u32 window, bool crc, struct netlink_ext_ack *extack);

/**
 * flitcast_link_set() - change a link; it shakes hands again
 * @site: site
 * @port: its port
 * @window: flits under way, 0: as it is
 * @crc: 1: frames carry a checksum, 0: if the peer asks for it, -1: as it is
 * @extack: gets the reason of a refusal
 *
 * Packets that are cut in half by that are sent again.
 *
 * Context: RTNL held.  Return: 0, -ENOENT, -EINVAL.
 */
int flitcast_link_set(struct flitcast_site *site, u32 port, u32 window, int crc,
		      struct netlink_ext_ack *extack);

/* Context: RTNL held.  Return: 0, -ENOENT. */
int flitcast_link_del(struct flitcast_site *site, u32 port, struct netlink_ext_ack *extack);

/*
 * Walk the ports: 1 .. number of directions of the topology, whose names are in
 * core/topo.h.  Return: 0, or -ENOENT where the port has no link.
 */
int flitcast_link_info(struct flitcast_site *site, u32 port, struct flitcast_link_info *info);

/* Preference table (CARE, Table G). */

/**
 * flitcast_route_set() - replace the preference list of a direction
 * @site: site
 * @dir: direction of the topology
 * @ports: ports in decreasing order of preference, no port twice
 * @nports: 1 .. number of directions; 0 restores the default (port @dir + 1)
 * @extack: gets the reason of a refusal
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP (the mode has no preference lists).
 */
int flitcast_route_set(struct flitcast_site *site, u8 dir, const u8 *ports, u8 nports,
		       struct netlink_ext_ack *extack);

/**
 * flitcast_route_replace() - replace the whole table at once
 * @site: site
 * @pref: a list for each direction of the topology, as in flitcast_route_set()
 * @generation: of the table to be replaced; NULL: whichever it is
 * @extack: gets the reason of a refusal
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP, -ESTALE (another generation).
 */
int flitcast_route_replace(struct flitcast_site *site, const struct fc_pref *pref,
			   const u32 *generation, struct netlink_ext_ack *extack);

/* Fills at most FC_PORTS_MAX ports.  Return: how many. */
u8 flitcast_route_get(struct flitcast_site *site, u8 dir, u8 *ports, u32 *generation);

/* Ways of broadcasts in several copies, where the topology is a graph (core/ways.h). */

/**
 * flitcast_site_ways_set() - tell a site the ways of a source
 * @site: site
 * @source: where the broadcasts begin
 * @copies: in so many copies
 * @way: ways at this site, instead of those it has; checked here
 * @n: how many
 * @extack: gets the reason of a refusal
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP (no graph), -ENOMEM.
 */
int flitcast_site_ways_set(struct flitcast_site *site, u32 source, u32 copies,
			   const struct fc_way *way, u32 n, struct netlink_ext_ack *extack);

/* Take them away.  Return: 0, -ENOENT. */
int flitcast_site_ways_del(struct flitcast_site *site, u32 source, u32 copies,
			   struct netlink_ext_ack *extack);

/**
 * flitcast_site_ways_next() - walk them
 * @site: site
 * @source: from this source on, in order; gets that of the next that has ways
 * @copies: likewise, of that source; 0 to begin with
 * @way: gets them
 *
 * Return: how many; 0: there are no more.
 */
u32 flitcast_site_ways_next(struct flitcast_site *site, u32 *source, u32 *copies,
			    struct fc_way way[FC_WAYS_MAX]);

/* Sockets. */

/**
 * enum flitcast_wait - what the oldest message of a socket waits for
 * @FLITCAST_WAIT_NOTHING: no message is under way
 * @FLITCAST_WAIT_TURN: it has not left this site: other messages of the site, or
 *	the link it leaves by, come first
 * @FLITCAST_WAIT_ANSWER: a target has not answered
 * @FLITCAST_WAIT_ROOM: a target has no room: its reader does not read
 * @FLITCAST_WAIT_WAY: there is no way to a target
 */
enum flitcast_wait {
	FLITCAST_WAIT_NOTHING,
	FLITCAST_WAIT_TURN,
	FLITCAST_WAIT_ANSWER,
	FLITCAST_WAIT_ROOM,
	FLITCAST_WAIT_WAY,
};

/**
 * enum flitcast_peer - has a socket another end?
 * @FLITCAST_PEER_NONE: it is not connected
 * @FLITCAST_PEER_LISTEN: it listens, and has none itself
 * @FLITCAST_PEER_ASKED: it has asked for a connection and waits for the answer
 * @FLITCAST_PEER_CONNECTED: it is connected; one of SOCK_RDM has a default destination
 * @FLITCAST_PEER_OVER: it was, and the connection is over
 */
enum flitcast_peer {
	FLITCAST_PEER_NONE,
	FLITCAST_PEER_LISTEN,
	FLITCAST_PEER_ASKED,
	FLITCAST_PEER_CONNECTED,
	FLITCAST_PEER_OVER,
};

/**
 * struct flitcast_socket_info - snapshot of a bound socket
 * @site: site it is bound to
 * @port: its port
 * @type: SOCK_RDM or SOCK_SEQPACKET
 * @peer: enum flitcast_peer
 * @peer_site: site of the other end, or of the one that was asked
 * @peer_port: its port
 * @inode: inode of its file, which tells whose it is; 0: none yet, or no more
 * @senders: calls of sendmsg() that wait for send room
 * @tx_used: bytes of send room in use
 * @tx_room: all of it
 * @rx_used: bytes of receive room in use
 * @rx_room: all of it
 * @tx_messages: messages accepted by sendmsg()
 * @tx_confirmed: of these, confirmed by every target
 * @tx_failed: of these, given up for at least one target
 * @rx_messages: messages queued for recvmsg()
 * @rx_no_room: times a message was put off because the receive room was full
 * @reports_lost: reports of failures dropped because nobody read them
 * @pending: messages that are not over
 * @wait: enum flitcast_wait: what the oldest of them waits for, and with it, once
 *	the send room is full, the sender
 * @wait_site: the target that has been waited for longest; all below is of it, and
 *	zero where @wait is FLITCAST_WAIT_NOTHING
 * @wait_port: its port
 * @wait_link: port of this site that its packets leave by, 0: none
 * @wait_ns: for so long, nanoseconds
 * @wait_id: id of the message
 */
struct flitcast_socket_info {
	u32 site;
	u16 port;
	u16 type;
	u32 peer;
	u32 inode;
	u32 peer_site;
	u16 peer_port;
	u32 senders;
	u32 tx_used;
	u32 tx_room;
	u32 rx_used;
	u32 rx_room;
	u64 tx_messages;
	u64 tx_confirmed;
	u64 tx_failed;
	u64 rx_messages;
	u64 rx_no_room;
	u64 reports_lost;
	u32 pending;
	u32 wait;
	u32 wait_site;
	u16 wait_port;
	u16 wait_link;
	u64 wait_ns;
	u32 wait_id;
};

/**
 * flitcast_socket_next() - walk the sockets of a site
 * @site: site
 * @from: smallest port wanted
 * @info: snapshot of the socket with the smallest port >= @from
 *
 * Return: 0, or -ENOENT where there is none.
 */
int flitcast_socket_next(struct flitcast_site *site, u32 from,
			 struct flitcast_socket_info *info);

/* Dead links. */

/**
 * flitcast_site_fault() - walk what a site believes of dead links
 * @site: site
 * @fault: from fault->site on; gets what the next one that has such links says of them.
 *	Version 0: nothing was said yet (of this site's own, in its first moments)
 *
 * Return: false where there is none.
 */
bool flitcast_site_fault(struct flitcast_site *site, struct fc_fault *fault);

/* Counters: names in core/names.c (fc_stat_name()), per site and per link. */

/**
 * flitcast_site_stats() - read the counters of a site
 * @site: site
 * @values: FC_STAT_COUNT values, by enum fc_stat
 */
void flitcast_site_stats(struct flitcast_site *site, u64 *values);
/* Counters of a link, by enum fc_link_stat.  Return: 0, -ENOENT. */
int flitcast_link_stats(struct flitcast_site *site, u32 port, u64 *values);
void flitcast_site_stats_reset(struct flitcast_site *site);

/* What has happened to a site. */
enum flitcast_site_event {
	FLITCAST_SITE_ADDED,
	FLITCAST_SITE_CHANGED,	/* it is being drained, or not any more, or is done with it */
	FLITCAST_SITE_REMOVED,
};

/**
 * struct flitcast_event_ops - who wants to hear of changes
 * @site: a site was added, or taken out, or has changed
 * @link: a link was added or taken out, or changed its state
 *
 * Called in process context, without locks; may sleep.
 */
struct flitcast_event_ops {
	void (*site)(struct net *net, const struct flitcast_site_info *info,
		     enum flitcast_site_event event);
	void (*link)(struct net *net, u32 site, const struct flitcast_link_info *info,
		     bool added);
};

/* One listener; registered before the first site and until after the last. */
void flitcast_event_register(const struct flitcast_event_ops *ops);
void flitcast_event_unregister(void);

int flitcast_site_init(void);
void flitcast_site_exit(void);

#endif /* FLITCAST_SITE_H */
