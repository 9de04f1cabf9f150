/* SPDX-License-Identifier: GPL-2.0 */
/* Metadata of a received message. */
#ifndef FLITCAST_ENDS_DELIVERY_H
#define FLITCAST_ENDS_DELIVERY_H

#include <linux/skbuff.h>
#include <linux/types.h>

/**
 * struct flitcast_delivery - a received message, in the cb of its skb
 * @charge: bytes charged to the port; released by flitcast_port_release()
 * @skip: bytes of the skb before the part for this target
 * @len: bytes of that part
 * @site: sender's site
 * @port: sender's port
 * @hops: links its last packet crossed
 * @id: message id
 * @offset: offset of the part in the message
 * @msg_len: length of the whole message
 * @incarnation: incarnation of the sender's site
 * @sock: number of the sender's socket, unique in that incarnation
 * @dissent: of a broadcast, bit mask of ports by which different copies arrived
 * @list: the sender used a target list
 * @bcast: the message is a broadcast
 * @unfiltered: for the socket: its filter has not run yet
 * @kind: enum fc_kind
 * @copies: copies received when it was accepted
 * @votes: of these, equal to the accepted one
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
	u8 bcast:1;
	u8 unfiltered:1;
	u8 kind;
	u8 copies;
	u8 votes;
};

#define FLITCAST_DELIVERY(skb)	((struct flitcast_delivery *)(skb)->cb)

/**
 * struct flitcast_arrival - arrival times of a received message, in the head of its skb
 * @reserved: in mode csr: by when its last packet was due; 0: unknown for some packet
 * @arrived: when its last packet arrived
 *
 * Times are ktime_get_ns() of this host.
 */
struct flitcast_arrival {
	u64 reserved;
	u64 arrived;
};

#define FLITCAST_ARRIVAL(skb)	((struct flitcast_arrival *)(skb)->head)

#endif /* FLITCAST_ENDS_DELIVERY_H */
