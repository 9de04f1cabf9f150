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
/* Bytes of a GID, the address of an RDMA port. */
#define FLITCAST_GID_SIZE	16

/**
 * struct flitcast_link_spec - the device that a new link is to use, and its two ends
 * @kind: backend
 * @dev: network device; NULL if the backend has others
 * @net: network namespace of the site
 * @name: device, where @dev is NULL
 * @peer: address of the device at the other end, where @dev is NULL
 * @own: this end: site << 8 | port; filled in by flitcast_link_add()
 * @far: the other end, likewise
 */
struct flitcast_link_spec {
	const struct flitcast_link_kind *kind;
	struct net_device *dev;
	struct net *net;
	const char *name;
	u8 peer[FLITCAST_GID_SIZE];
	u64 own;
	u64 far;
};

/**
 * struct flitcast_link_device - description of a link's device by its backend
 * @ifindex: index of the network device; 0: not a network device
 * @name: name of the device
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
	char name[FLITCAST_DEVICE_NAME];
	char reason[64];
	char connection[16];
	u8 peer[FLITCAST_GID_SIZE];
	u8 gid[FLITCAST_GID_SIZE];
	u32 qp;
};

#endif /* FLITCAST_LINK_DEVICE_H */
