/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flitcast_rdma.ko: links over ports of RDMA devices.  A frame is a message of a reliable
 * connection.
 *
 * A link has at most one connection.  A connection is used once: its queue pair, completion queue,
 * buffers and rdma_cm_id are created and destroyed together.  The work of a link does everything
 * that may sleep; callbacks of the connection manager and completions only mark the connection and
 * queue that work.
 *
 * Verbs may take RTNL (ib_query_port() of RoCE devices does), so no task may wait for a caller of
 * verbs while it holds RTNL: destroying a link under RTNL unlists it at once, and a work destroys
 * its connection.
 *
 * Files, in the order of the calls: main.c, conn.c, data.c, link.c.
 */
#ifndef FLITCAST_RDMA_H
#define FLITCAST_RDMA_H

#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>
#include "link/link.h"

/* Bytes of a received frame in the linear part of its skb: all headers, and small flits. */
#define RDMA_LINEAR		192
/* Fragments of a receive buffer after the linear part: a page, then at most this order. */
#define RDMA_FRAGS		4
#define RDMA_FRAG_ORDER		3
/* Receive buffers of a connection: bytes of flits, and the limits of their number. */
#define RDMA_RECV_BYTES		(2 << 20)
#define RDMA_RECV_LEAST		16
#define RDMA_RECV_MAX		64
/* More buffers than flits in flight: iWARP ends a connection if a frame finds none. */
#define RDMA_RECV_IWARP_MAX	256
/* Send requests of a connection, and how many of them are reserved for control frames. */
#define RDMA_SEND_MAX	64
#define RDMA_SEND_SPARE		16
/* Every RDMA_SEND_SIGNAL-th send request, and the last of a batch, requests a completion. */
#define RDMA_SEND_SIGNAL	8
/* Scatter-gather entries of a sent frame: its linear part and its fragments. */
#define RDMA_SEND_SGE		(MAX_SKB_FRAGS + 1)

/**
 * struct rdma_dev - an RDMA device
 * @node: in the list of devices, under the lock of the list
 * @dev: device; stays until the client's remove callback returns
 * @name: its name, under the lock of the list
 * @events: handler of its asynchronous events
 * @mutex: protects @listeners and their counts
 * @listeners: list of listeners, one for each address that links of this device listen on
 * @links: links that are not destroyed yet; the remove callback waits for zero
 */
struct rdma_dev {
	struct list_head node;
	struct ib_device *dev;
	char name[IB_DEVICE_NAME_MAX];
	struct ib_event_handler events;
	struct mutex mutex; /* see above */
	struct list_head listeners;
	atomic_t links;
};

/**
 * struct rdma_listener - listens on one address
 * @node: in the list of its device
 * @on: device
 * @id: listening id; its context is the listener
 * @gid: address
 * @net: namespace of the address; @id holds a reference
 * @users: links that listen
 */
struct rdma_listener {
	struct list_head node;
	struct rdma_dev *on;
	struct rdma_cm_id *id;
	union ib_gid gid;
	const struct net *net;
	u32 users;
};

struct rdma_conn;

/**
 * struct rdma_link - link of an RDMA port
 * @link: link
 * @node: in the list of all links, under the lock of the list
 * @on: device
 * @port: port of the device
 * @net: namespace of the site; only compared, without a reference
 * @peer: address of the other end
 * @own: this end, as in struct flitcast_link_spec
 * @far: other end, likewise
 * @nfrags: fragments of a receive buffer
 * @order: order of each of them
 * @ref: references: one of the link itself, and those of connection requests that use it
 * @lock: protects @dead, @reason, @gid and that @conn is set only while the link is not @dead
 * @dead: the link is stopped: @work must not be queued
 * @conn: connection, under RCU
 * @listener: listener for connection requests of the peer; only @work and @end change it
 * @gid: address of this end; zeros while it is not known
 * @reason: why the link carries no frames
 * @carrier: state last reported to the owner; only @work changes it
 * @futile: consecutive failed attempts to connect; only @work changes it
 * @broke: @reason is why the last connection broke; only @work changes it
 * @calls: number of connection requests sent, for their source ports; only @work changes it
 * @port_up: the port is active; only @work changes it
 * @work: creates, ends and reports connections
 * @end: destroys the link
 */
struct rdma_link {
	struct flitcast_link link;
	struct list_head node;
	struct rdma_dev *on;
	u32 port;
	const struct net *net;
	union ib_gid peer;
	u64 own;
	u64 far;
	u32 nfrags;
	u8 order[RDMA_FRAGS];
	struct kref ref;
	spinlock_t lock; /* see above */
	bool dead;
	struct rdma_conn __rcu *conn;
	struct rdma_listener *listener;
	union ib_gid gid;
	const char *reason;
	bool carrier;
	bool port_up;
	u8 futile;
	bool broke;
	u16 calls;
	struct delayed_work work;
	struct work_struct end;
};

enum rdma_state { RDMA_CONNECTING, RDMA_CONNECTED, RDMA_BROKEN };

/**
 * struct rdma_send - send request
 * @cqe: completion
 * @skb: frame
 * @seq: number of the request
 * @wr: work request
 * @sge: its entries, which are mapped
 */
struct rdma_send {
	struct ib_cqe cqe;
	struct sk_buff *skb;
	u32 seq;
	struct ib_send_wr wr;
	struct ib_sge sge[RDMA_SEND_SGE];
};

/**
 * struct rdma_recv - receive buffer
 * @cqe: completion
 * @skb: skb with the linear part
 * @page: fragments
 * @sge: mapped linear part and fragments
 */
struct rdma_recv {
	struct ib_cqe cqe;
	struct sk_buff *skb;
	struct page *page[RDMA_FRAGS];
	struct ib_sge sge[1 + RDMA_FRAGS];
};

/**
 * struct rdma_conn - connection
 * @l: link, which outlives the connection
 * @dev: its device
 * @id: connection manager's id, the context of which is the connection
 * @pd: protection domain
 * @cq: completion queue, polled in softirq
 * @qp: queue pair; set and destroyed under the handler lock of @id
 * @state: enum rdma_state; changed only by xchg() and cmpxchg()
 * @until: jiffies by which the connection must be established
 * @dying: callbacks of @id return at once; under the handler lock of @id
 * @max_sge: entries that a send request may have
 * @nsend: send requests
 * @nrecv: receive buffers
 * @send: requests, each used in turn
 * @recv: buffers
 * @head: number of the next request; @tx_lock of the link
 * @posted: requests before this one are posted; @tx_lock of the link
 * @tail: requests before this one are complete; only completions change it
 */
struct rdma_conn {
	struct rdma_link *l;
	struct ib_device *dev;
	struct rdma_cm_id *id;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	int state;
	unsigned long until;
	bool dying;
	u32 max_sge;
	u32 nsend;
	u32 nrecv;
	struct rdma_send *send;
	struct rdma_recv *recv;
	u32 head;
	u32 posted;
	u32 tail;
};

/* link.c */

static inline struct rdma_link *rdma_link_of(const struct flitcast_link *link)
{
	return container_of(link, struct rdma_link, link);
}

/*
 * Queue the link's work, to run in @delay jiffies at the latest, unless the link is stopped.
 * Context: any.
 */
void rdma_link_kick(struct rdma_link *l, unsigned long delay);

/* Set the reason why the link carries no frames, a string constant.  Context: any. */
void rdma_link_reason(struct rdma_link *l, const char *reason);

/* Mark a connection as broken, and let the link's work end it.  Context: any. */
void rdma_link_broken(struct rdma_conn *c, const char *reason);

/* Make @c the connection of the link.  Return: false if the link has one, or is stopped. */
bool rdma_link_set_conn(struct rdma_link *l, struct rdma_conn *c);

/*
 * Detach the connection from the link if it is broken, or @always; no CPU transmits on it after
 * that.  Context: may sleep.  Return: the connection, or NULL.
 */
struct rdma_conn *rdma_link_take_conn(struct rdma_link *l, bool always);

/* Add a link to the list of all links, or remove it. */
void rdma_link_add(struct rdma_link *l);
void rdma_link_del(struct rdma_link *l);

/* Return: the first link that @match accepts, with a reference, or NULL.  @match must not sleep. */
struct rdma_link *rdma_link_find(bool (*match)(const struct rdma_link *l, const void *arg),
				 const void *arg);

/* Queue the works of all links of a port. */
void rdma_links_kick(const struct rdma_dev *d, u32 port);

/* Release a reference. */
void rdma_link_put(struct rdma_link *l);

/* Wait until no link of a device is left. */
void rdma_links_wait(struct rdma_dev *d);

/* Work queue of all links. */
extern struct workqueue_struct *rdma_wq;

/* data.c */

/* Fill and post all receive buffers.  Return: 0, -ENOMEM, or the error of a verb. */
int rdma_recv_begin(struct rdma_conn *c);

/* Free all buffers and the frames that were not sent; no queue pair uses them any more. */
void rdma_data_end(struct rdma_conn *c);

/* Initialise all requests and buffers: completion functions and constant fields. */
void rdma_data_init(struct rdma_conn *c);

/* Orders of the fragments of a receive buffer for frames of @flit bytes. */
void rdma_recv_layout(struct rdma_link *l, u32 flit);

/* Functions of struct flitcast_link_kind. */
bool rdma_transmit(struct flitcast_link *link, struct sk_buff *skb) __must_hold(&link->tx_lock);
void rdma_flush(struct flitcast_link *link);
bool rdma_room(const struct flitcast_link *link);

/* conn.c */

/* Does this end have an address by which it reaches a peer?  Context: the link's work. */
bool rdma_conn_able(struct rdma_link *l);

/* Request a connection, or listen.  Context: the link's work.  Return: 0 or an error. */
int rdma_conn_begin(struct rdma_link *l);

/* End a connection that rdma_link_take_conn() returned. */
void rdma_conn_end(struct rdma_conn *c);

/* Stop listening.  Context: the link's works. */
void rdma_conn_unlisten(struct rdma_link *l);

/* Time allowed for establishing a connection, in jiffies; grows with each failed attempt. */
unsigned long rdma_conn_patience(const struct rdma_link *l);

/* Does this end send the connection request?  The other end listens. */
bool rdma_conn_calls(const struct rdma_link *l);

#endif /* FLITCAST_RDMA_H */
