/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device of a link: how a request names it, and how a backend describes it.
 */
#ifndef FLITCAST_LINK_DEVICE_H
#define FLITCAST_LINK_DEVICE_H

#include <linux/types.h>

struct net;
struct net_device;
struct flitcast_link_kind;

/* Bytes of the name of a device: RDMA's are the longest, 63 bytes, a slash and a port. */
#define FLITCAST_DEVICE_NAME	68
/* Bytes of the name of a network device, and of its hardware address. */
#define FLITCAST_IFNAME_SIZE	16
#define FLITCAST_ADDRESS_SIZE	6
/* Bytes of a GID, the address of an RDMA port. */
#define FLITCAST_GID_SIZE	16

/**
 * struct flitcast_link_spec - the device that a new link is to use, and its two ends
 * @kind: backend
 * @dev: network device; NULL if the backend has others, or if @wait is true and it is absent
 * @net: network namespace of the site
 * @name: name of the device, where @dev is NULL; NULL if the request has its @address only
 * @address: permanent address that the request names the network device by; zeros: none
 * @wait: the network device may be absent, or its MTU too small: the link waits for it
 * @peer: address of the device at the other end, where the backend has connections
 * @own: this end: site << 8 | port; filled in by flitcast_link_add()
 * @far: the other end, likewise
 */
struct flitcast_link_spec {
	const struct flitcast_link_kind *kind;
	struct net_device *dev;
	struct net *net;
	const char *name;
	u8 address[FLITCAST_ADDRESS_SIZE];
	bool wait;
	u8 peer[FLITCAST_GID_SIZE];
	u64 own;
	u64 far;
};

/**
 * struct flitcast_link_device - description of a link's device by its backend
 * @ifindex: index of the network device; 0: it is absent, or not a network device
 * @absent: the link is configured with a network device that does not exist now
 * @name: name of the device; the last one if it is absent, or "" if that is unknown
 * @address: permanent address that the link is configured with; zeros: it has the name only
 * @reason: why the device does not carry frames; "" if it does, or if the reason is unknown
 * @connection: state of the connection; "" if the backend has none
 * @peer: address of the other end, if the backend has connections
 * @gid: address of this end; zeros while it is not known
 * @qp: number of the queue pair; 0: there is none
 *
 * The texts are copies: the module of the backend may be removed before they are read.
 */
struct flitcast_link_device {
	int ifindex;
	bool absent;
	char name[FLITCAST_DEVICE_NAME];
	u8 address[FLITCAST_ADDRESS_SIZE];
	char reason[64];
	char connection[16];
	u8 peer[FLITCAST_GID_SIZE];
	u8 gid[FLITCAST_GID_SIZE];
	u32 qp;
};

/*
 * Is @address the permanent address of a network device, or, if it has none (for instance a veth),
 * the one that its administrator chose?  Context: RTNL held.
 */
bool flitcast_netdev_has_address(const struct net_device *dev, const u8 *address);

#endif /* FLITCAST_LINK_DEVICE_H */
