/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * Generic netlink family "flitcast".  The source of this file is
 * Documentation/netlink/flitcast.yaml; a test keeps the two equal.
 */
#ifndef _UAPI_LINUX_FLITCAST_NETLINK_H
#define _UAPI_LINUX_FLITCAST_NETLINK_H

#define FLITCAST_FAMILY_NAME		"flitcast"
#define FLITCAST_FAMILY_VERSION		1

#define FLITCAST_MCGRP_SITE		"site"
#define FLITCAST_MCGRP_LINK		"link"

/* Bytes of FLITCAST_A_SITE_KEY. */
#define FLITCAST_KEY_SIZE		32

enum flitcast_link_state {
	FLITCAST_LINK_STATE_DOWN = 1,
	FLITCAST_LINK_STATE_INIT,
	FLITCAST_LINK_STATE_UP,
};

/* As SOCK_RDM and SOCK_SEQPACKET. */
enum flitcast_socket_type {
	FLITCAST_SOCKET_TYPE_RDM = 4,
	FLITCAST_SOCKET_TYPE_SEQPACKET,
};

enum flitcast_socket_peer {
	FLITCAST_SOCKET_PEER_LISTEN = 1,
	FLITCAST_SOCKET_PEER_REQUESTED,
	FLITCAST_SOCKET_PEER_CONNECTED,
	FLITCAST_SOCKET_PEER_CLOSED,
};

enum flitcast_socket_wait {
	FLITCAST_SOCKET_WAIT_TURN = 1,
	FLITCAST_SOCKET_WAIT_ANSWER,
	FLITCAST_SOCKET_WAIT_BUFFER,
	FLITCAST_SOCKET_WAIT_ROUTE,
};

enum flitcast_site_attr {
	FLITCAST_A_SITE_UNSPEC,
	FLITCAST_A_SITE_ID,		/* u32 */
	FLITCAST_A_SITE_TOPOLOGY,	/* string: SPEC, for instance torus:4x4 */
	FLITCAST_A_SITE_MODE,		/* string: care */
	FLITCAST_A_SITE_FLIT,		/* u32: flit size in bytes, with headers */
	FLITCAST_A_SITE_WINDOW,		/* u32: flits in flight per link and channel */
	FLITCAST_A_SITE_INCARNATION,	/* u32 */
	FLITCAST_A_SITE_PORTS,		/* u32: ports of the topology, without the local one */
	FLITCAST_A_SITE_LINKS,		/* u32: links configured */
	FLITCAST_A_SITE_LINKS_UP,	/* u32: of these, up */
	FLITCAST_A_SITE_SOCKETS,	/* u32: sockets bound */
	FLITCAST_A_SITE_SEEK,		/* u32: microseconds between two seeks */
	FLITCAST_A_SITE_SEEK_MAX,	/* u32: seeks before a packet is stored en route */
	FLITCAST_A_SITE_TIMEOUT,	/* u32: microseconds before a split is aborted */
	FLITCAST_A_SITE_RETRY,		/* u32: microseconds before a missing flit is requested */
	FLITCAST_A_SITE_POLL,		/* u32: microseconds before the peer is polled */
	FLITCAST_A_SITE_TRANSIT,	/* u32: packets stored for others */
	FLITCAST_A_SITE_DRAIN,		/* u32: 1: no new messages from sockets */
	FLITCAST_A_SITE_PENDING,	/* u32: messages of this site in progress */
	FLITCAST_A_SITE_GRACE,		/* u32: microseconds without a route before EHOSTUNREACH */
	FLITCAST_A_SITE_GRAPH,		/* binary: links of a graph, each two u32 */
	FLITCAST_A_SITE_KEY,		/* binary: FLITCAST_KEY_SIZE bytes; write-only */
	FLITCAST_A_SITE_KEYED,		/* u32: 1: the network has a key */
	FLITCAST_A_SITE_INTEGRITY,	/* string: end or off */
	FLITCAST_A_SITE_MEMORY,		/* u32: KiB that its maker is charged for its buffers */
	FLITCAST_A_SITE_SHARE,		/* u32: KiB of all sites and sockets of that user */
	__FLITCAST_A_SITE_MAX,
};

#define FLITCAST_A_SITE_MAX (__FLITCAST_A_SITE_MAX - 1)

enum flitcast_link_attr {
	FLITCAST_A_LINK_UNSPEC,
	FLITCAST_A_LINK_SITE,		/* u32 */
	FLITCAST_A_LINK_IFINDEX,	/* u32 */
	FLITCAST_A_LINK_IFNAME,		/* string */
	FLITCAST_A_LINK_PORT,		/* u32: from 1 */
	FLITCAST_A_LINK_DIRECTION,	/* string: for instance +x */
	FLITCAST_A_LINK_STATE,		/* u32: enum flitcast_link_state */
	FLITCAST_A_LINK_REASON,		/* string: why the link is not up, or is suspected */
	FLITCAST_A_LINK_PEER_SITE,	/* u32: from HELLO */
	FLITCAST_A_LINK_PEER_PORT,	/* u32: from HELLO */
	FLITCAST_A_LINK_WINDOW,		/* u32 */
	FLITCAST_A_LINK_CRC,		/* u32: 1: frames carry a checksum */
	FLITCAST_A_LINK_STATS,		/* nest: enum flitcast_stats_attr, without the site */
	FLITCAST_A_LINK_RDMA,		/* string: RDMA device and port, for instance mlx5_0/1 */
	FLITCAST_A_LINK_PEER_GID,	/* binary: 16 bytes, of the port at the other end */
	FLITCAST_A_LINK_GID,		/* binary: 16 bytes, of the port at this end */
	FLITCAST_A_LINK_QP,		/* u32: number of the queue pair */
	FLITCAST_A_LINK_CONNECTION,	/* string: state of the RDMA connection */
	FLITCAST_A_LINK_ADDRESS,	/* binary: 6 bytes, permanent address of the device */
	FLITCAST_A_LINK_WAIT,		/* u32: 1: the device may appear later */
	FLITCAST_A_LINK_EXPECTED_SITE,	/* u32: neighbour by the topology */
	FLITCAST_A_LINK_EXPECTED_PORT,	/* u32: port of that neighbour */
	FLITCAST_A_LINK_HELLO,		/* u32: interval of HELLO, milliseconds */
	FLITCAST_A_LINK_DEAD,		/* u32: silent intervals after which the link is dead */
	FLITCAST_A_LINK_SUSPECT,	/* u32: 1: the link is up, and routes avoid it */
	FLITCAST_A_LINK_IN_STORES,	/* u32: ms for which packets are stored whole still, or 0 */
	FLITCAST_A_LINK_IN_AGE,		/* u32: ms since the oldest incomplete packet began, or 0 */
	FLITCAST_A_LINK_IN_SOURCE,	/* u32: its source */
	FLITCAST_A_LINK_IN_FLITS,	/* u32: number of its flits that have arrived */
	FLITCAST_A_LINK_IN_TOTAL,	/* u32: number of its flits */
	FLITCAST_A_LINK_OUT_AGE,	/* u32: ms: age of the oldest wait for credit, or 0 */
	FLITCAST_A_LINK_OUT_SOURCE,	/* u32: source of the first packet without credit */
	FLITCAST_A_LINK_OUT_TARGET,	/* u32: a target of it */
	FLITCAST_A_LINK_OUT_FLITS,	/* u32: flits of all packets that wait in its channel */
	FLITCAST_A_LINK_DAMAGED_SOURCE,	/* u32: source of the last damaged packet */
	__FLITCAST_A_LINK_MAX,
};

#define FLITCAST_A_LINK_MAX (__FLITCAST_A_LINK_MAX - 1)

enum flitcast_route_attr {
	FLITCAST_A_ROUTE_UNSPEC,
	FLITCAST_A_ROUTE_SITE,		/* u32 */
	FLITCAST_A_ROUTE_DIRECTION,	/* string: for instance +x */
	FLITCAST_A_ROUTE_PORTS,		/* binary: array of u8, most preferred first */
	FLITCAST_A_ROUTE_GENERATION,	/* u32: changes with every change of the table */
	FLITCAST_A_ROUTE_ENTRY,		/* multi-attr nest: a list or an entry of a new table */
	FLITCAST_A_ROUTE_TARGETS,	/* binary: u32 pairs, first and last site; empty: others */
	FLITCAST_A_ROUTE_NEVER,		/* binary: array of u8, ports not to be used */
	FLITCAST_A_ROUTE_STRICT,	/* u32: 1: not even where no other is left */
	FLITCAST_A_ROUTE_WEIGHTS,	/* binary: u8 pairs, port and weight */
	__FLITCAST_A_ROUTE_MAX,
};

#define FLITCAST_A_ROUTE_MAX (__FLITCAST_A_ROUTE_MAX - 1)

/* Dead and suspected links that a site knows of: links of an origin, as it reported them. */
enum flitcast_fault_attr {
	FLITCAST_A_FAULT_UNSPEC,
	FLITCAST_A_FAULT_SITE,		/* u32: the site that knows of them */
	FLITCAST_A_FAULT_ORIGIN,	/* u32: the site that reported them; may be the same */
	FLITCAST_A_FAULT_INCARNATION,	/* u32: of the origin */
	FLITCAST_A_FAULT_VERSION,	/* u32: number of the origin's report; 0: none yet */
	FLITCAST_A_FAULT_PORTS,		/* u32: mask of ports, bit 1 for port 1: dead links */
	FLITCAST_A_FAULT_SUSPECT,	/* u32: likewise: links that are up, and suspected */
	__FLITCAST_A_FAULT_MAX,
};

#define FLITCAST_A_FAULT_MAX (__FLITCAST_A_FAULT_MAX - 1)

/* The links of a network that is a graph, in parts of a dump. */
enum flitcast_graph_attr {
	FLITCAST_A_GRAPH_UNSPEC,
	FLITCAST_A_GRAPH_SITE,		/* u32: the site whose network it is */
	FLITCAST_A_GRAPH_LINKS,		/* binary: as FLITCAST_A_SITE_GRAPH */
	__FLITCAST_A_GRAPH_MAX,
};

#define FLITCAST_A_GRAPH_MAX (__FLITCAST_A_GRAPH_MAX - 1)

/*
 * Paths of broadcasts in several copies through a site of a graph.  Each entry is four bytes: the
 * port and the label of the incoming packet (0 and 0 at its source), and those of the outgoing
 * packet (0 and 0: a copy for this site).
 */
enum flitcast_path_attr {
	FLITCAST_A_PATH_UNSPEC,
	FLITCAST_A_PATH_SITE,		/* u32 */
	FLITCAST_A_PATH_SOURCE,		/* u32: source of the broadcasts */
	FLITCAST_A_PATH_COPIES,		/* u32: number of copies, 2 to 6 */
	FLITCAST_A_PATH_ENTRIES,		/* binary: 1 to 256 entries, in ascending order */
	__FLITCAST_A_PATH_MAX,
};

#define FLITCAST_A_PATH_MAX (__FLITCAST_A_PATH_MAX - 1)

/* A counter.  Names are stable; their order and number are not. */
enum flitcast_stat_attr {
	FLITCAST_A_STAT_UNSPEC,
	FLITCAST_A_STAT_NAME,		/* string */
	FLITCAST_A_STAT_VALUE,		/* u64 */
	FLITCAST_A_STAT_PAD,
	__FLITCAST_A_STAT_MAX,
};

#define FLITCAST_A_STAT_MAX (__FLITCAST_A_STAT_MAX - 1)

enum flitcast_stats_attr {
	FLITCAST_A_STATS_UNSPEC,
	FLITCAST_A_STATS_SITE,		/* u32 */
	FLITCAST_A_STATS_COUNTER,	/* multi-attr nest: enum flitcast_stat_attr */
	__FLITCAST_A_STATS_MAX,
};

#define FLITCAST_A_STATS_MAX (__FLITCAST_A_STATS_MAX - 1)

enum flitcast_socket_attr {
	FLITCAST_A_SOCKET_UNSPEC,
	FLITCAST_A_SOCKET_SITE,		/* u32 */
	FLITCAST_A_SOCKET_PORT,		/* u32 */
	FLITCAST_A_SOCKET_TYPE,		/* u32: enum flitcast_socket_type */
	FLITCAST_A_SOCKET_INODE,	/* u32 */
	FLITCAST_A_SOCKET_PEER,		/* u32: enum flitcast_socket_peer */
	FLITCAST_A_SOCKET_PEER_SITE,	/* u32: the other end */
	FLITCAST_A_SOCKET_PEER_PORT,	/* u32 */
	FLITCAST_A_SOCKET_SENDERS,	/* u32: calls of sendmsg() that wait for buffer space */
	FLITCAST_A_SOCKET_PENDING,	/* u32: messages in progress */
	FLITCAST_A_SOCKET_TX_USED,	/* u32: bytes of the send buffer in use */
	FLITCAST_A_SOCKET_TX_SIZE,	/* u32: its size in bytes */
	FLITCAST_A_SOCKET_RX_USED,	/* u32: bytes of the receive buffer in use */
	FLITCAST_A_SOCKET_RX_SIZE,	/* u32: its size in bytes */
	FLITCAST_A_SOCKET_WAIT,		/* u32: enum flitcast_socket_wait */
	FLITCAST_A_SOCKET_WAIT_SITE,	/* u32: target that the socket waits for */
	FLITCAST_A_SOCKET_WAIT_PORT,	/* u32 */
	FLITCAST_A_SOCKET_WAIT_LINK,	/* u32: port of the link to the target */
	FLITCAST_A_SOCKET_WAIT_IFNAME,	/* string: device of the link */
	FLITCAST_A_SOCKET_WAIT_TIME,	/* u64: microseconds */
	FLITCAST_A_SOCKET_WAIT_MESSAGE,	/* u32: id of the message */
	FLITCAST_A_SOCKET_STATS,	/* nest: enum flitcast_stats_attr, without the site */
	FLITCAST_A_SOCKET_PAD,
	__FLITCAST_A_SOCKET_MAX,
};

#define FLITCAST_A_SOCKET_MAX (__FLITCAST_A_SOCKET_MAX - 1)

/*
 * IFLA_INFO_DATA of a network device of a site: ip link add NAME type flitcast.  Without a site
 * the request is for the only one of the namespace.
 */
enum flitcast_ifla {
	IFLA_FLITCAST_UNSPEC,
	IFLA_FLITCAST_SITE,		/* u32 */
	__IFLA_FLITCAST_MAX,
};

#define IFLA_FLITCAST_MAX (__IFLA_FLITCAST_MAX - 1)

enum flitcast_cmd {
	FLITCAST_CMD_UNSPEC,
	FLITCAST_CMD_SITE_GET,
	FLITCAST_CMD_SITE_NEW,
	FLITCAST_CMD_SITE_SET,
	FLITCAST_CMD_SITE_DEL,
	FLITCAST_CMD_LINK_GET,
	FLITCAST_CMD_LINK_NEW,
	FLITCAST_CMD_LINK_SET,
	FLITCAST_CMD_LINK_DEL,
	FLITCAST_CMD_ROUTE_GET,
	FLITCAST_CMD_ROUTE_SET,
	FLITCAST_CMD_ROUTE_DEL,
	FLITCAST_CMD_STATS_GET,
	FLITCAST_CMD_STATS_RESET,
	/* Notifications: sent to the multicast groups only. */
	FLITCAST_CMD_SITE_ADD_NTF,
	FLITCAST_CMD_SITE_DEL_NTF,
	FLITCAST_CMD_LINK_CHANGE_NTF,	/* added; or its state or reason changed */
	FLITCAST_CMD_LINK_DEL_NTF,
	FLITCAST_CMD_ROUTE_REPLACE,
	FLITCAST_CMD_SOCKET_GET,
	FLITCAST_CMD_SITE_CHANGE_NTF,
	FLITCAST_CMD_FAULT_GET,
	FLITCAST_CMD_GRAPH_GET,
	FLITCAST_CMD_PATH_GET,
	FLITCAST_CMD_PATH_SET,
	FLITCAST_CMD_PATH_DEL,
	__FLITCAST_CMD_MAX,
};

#define FLITCAST_CMD_MAX (__FLITCAST_CMD_MAX - 1)

#endif /* _UAPI_LINUX_FLITCAST_NETLINK_H */
