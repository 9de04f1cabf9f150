/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A received message, as the port gets it.
 */
#ifndef FLITCAST_ENDS_DELIVERY_H
#define FLITCAST_ENDS_DELIVERY_H

#include <linux/skbuff.h>
#include <linux/types.h>

/**
 * struct flitcast_delivery - a received message, in the cb of its skb
 * @charge: bytes charged to the port; given back with flitcast_port_release()
 * @skip: bytes of the skb before the part this target receives
 * @len: bytes of that part
 * @site: sender's site
 * @port: sender's port
 * @hops: links its last packet crossed
 * @id: message id
 * @offset: where the part begins in the message
 * @msg_len: bytes of the message
 * @incarnation: of the sender's site
 * @sock: the sender's socket, unique in that life of its site
 * @dissent: of a broadcast, ports by which copies came that differ from it
 * @list: the sender named a target list
 * @cast: it is a broadcast
 * @unfiltered: the receiver's own: a filter has not decided yet
 * @kind: enum fc_kind
 * @copies: copies received when it was believed
 * @votes: of these, equal to it
 */
struct flitcast_delivery {
	u32 charge;
	u32 skip;
	u32 len;
	u32 site;
	u16 port;
	u16 hops;
	u32 id;
	u32 offset;
	u32 msg_len;
	u32 incarnation;
	u32 sock;
	u32 dissent;
	u8 list:1;
	u8 cast:1;
	u8 unfiltered:1;
	u8 kind;
	u8 copies;
	u8 votes;
};

#define FLITCAST_DELIVERY(skb)	((struct flitcast_delivery *)(skb)->cb)

/**
 * struct flitcast_arrival - when a received message came, in the head of its skb
 * @reserved: in mode csr: by when the last of its packets was to come; 0: not known of all of them
 * @arrived: when the last of its packets came
 *
 * Times are ktime_get_ns() of this host.
 */
struct flitcast_arrival {
	u64 reserved;
	u64 arrived;
};

#define FLITCAST_ARRIVAL(skb)	((struct flitcast_arrival *)(skb)->head)

#endif /* FLITCAST_ENDS_DELIVERY_H */
