/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A link: a device that carries Flitcast frames to one peer, beside other traffic.  This layer
 * handles link headers, the order of transmission and the amount of flits that a device holds.  The
 * owner of a link (struct flitcast_link_ops) interprets frames.  A backend (struct
 * flitcast_link_kind) drives the device; netdev.c is the backend of network devices.
 */
#ifndef FLITCAST_LINK_H
#define FLITCAST_LINK_H

#include <linux/interrupt.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/wait.h>
#include <net/dst.h>
#include "context.h"
#include "core/wire/names.h"
#include "core/link/turn.h"
#include "core/wire/wire.h"
#include "link/code.h"
#include "link/device.h"
#include "link/sum.h"

struct socket;
struct flitcast_link;

/**
 * struct flitcast_link_ops - functions of the owner of a link
 * @pass: receive a frame of the peer for which fc_link_fast() holds, unshared, without a fragment
 *	list and a code, at its header.  Return: true: took ownership of the skb; false: changed
 *	nothing, and the link calls @receive.  The skb still has its device, dst and extensions:
 *	call flitcast_link_scrub() unless it is transmitted at once.  Softirq, RCU read lock.
 * @receive: receive a frame with a valid link header, trimmed to its length, without a fragment
 *	list, at its link header; takes ownership.  Softirq, RCU read lock.
 * @carrier: the device can, or can no longer, carry frames.  Context: RTNL held; or, from callers
 *	that @stop of the backend waits for, the RCU read lock.
 * @gone: the device is being unregistered; call flitcast_link_destroy().  RTNL held.
 */
struct flitcast_link_ops {
	bool (*pass)(struct flitcast_link *link, struct sk_buff *skb);
	void (*receive)(struct flitcast_link *link, struct sk_buff *skb,
			const struct fc_link_hdr *hdr);
	void (*carrier)(struct flitcast_link *link, bool up);
	void (*gone)(struct flitcast_link *link);
};

/**
 * struct flitcast_link_kind - a backend: a kind of device that carries frames
 * @name: how requests name the backend
 * @create: check the request, and make a link with its @headroom.  Return: the link, or ERR_PTR.
 *	RTNL held.
 * @start: enable callbacks for frames and changes of the carrier.  RTNL held.
 * @stop: disable callbacks; after it returns none runs, nor does @transmit.  RTNL held, may sleep.
 * @free: free the link, after @stop or instead of @start.  RTNL held, may sleep.
 * @ready: the device can carry frames.  RTNL held.  NULL: the backend calls the owner's @carrier.
 * @small: the device carries no frames as long as a flit; NULL: never small
 * @long_frames: flits are longer than the MTU of the device, which carries such frames all the
 *	same; NULL: never longer
 * @peer: was a HELLO sent by the peer?  While the link is not up, the sender of a HELLO becomes the
 *	peer.  NULL: only the peer can send.  The owner's lock.
 * @describe: fill in the description of the device, which is zeroed.  The owner's lock.
 * @transmit: transmit a frame, at its link header; takes ownership.  Return: false if the frame was
 *	dropped.  @tx_lock, BH disabled, RCU read lock.
 * @flush: hand to the device the frames that @transmit has collected; NULL: there are none.
 *	Context as @transmit.
 * @room: does the device have room for one more flit?  NULL: always.  Context as @transmit.  A
 *	backend with this function charges every frame (flitcast_link_charge()), and updates its
 *	room before it frees a frame.
 */
struct flitcast_link_kind {
	const char *name;
	struct flitcast_link *(*create)(const struct flitcast_link_spec *spec, u32 flit,
					struct netlink_ext_ack *extack);
	void (*start)(struct flitcast_link *link);
	void (*stop)(struct flitcast_link *link);
	void (*free)(struct flitcast_link *link);
	bool (*ready)(const struct flitcast_link *link);
	bool (*small)(const struct flitcast_link *link);
	bool (*long_frames)(const struct flitcast_link *link);
	bool (*peer)(struct flitcast_link *link, const struct sk_buff *skb, bool up);
	void (*describe)(struct flitcast_link *link, struct flitcast_link_device *device);
	bool (*transmit)(struct flitcast_link *link, struct sk_buff *skb);
	void (*flush)(struct flitcast_link *link);
	bool (*room)(const struct flitcast_link *link);
};

/**
 * struct flitcast_link - a link, which uses one device
 * @kind: backend
 * @ops: owner's functions
 * @owner: owner's pointer
 * @port: owner's number of the link
 * @flit: bytes of the longest frame of the owner, with its code
 * @headroom: bytes that a frame needs before its payload
 * @sum: checksums of frames
 * @code: authentication codes
 * @txq: frames to transmit, in order
 * @tx_lock: held by the transmitting CPU; protects all from @wait to @had
 * @wait: frames from @txq that the device has no room for yet, by enum fc_band
 * @waiting: mask of the queues of @wait that have frames
 * @full: the device holds its limit of flits; always set while @wait has frames
 * @turn: scheduler state: which queue of @wait is next
 * @depth: limit of the flits that the device holds, in bytes of memory
 * @had: bytes that the device held at the last check, plus those charged since
 * @owner_sock: socket that flits held by the device are charged to (sk_wmem_alloc); never bound
 * @drained: entry in the wait queue of @owner_sock, called when the device releases a flit
 * @drain: transmits waiting frames after that
 * @stat: counters, by enum fc_link_stat; the owner's lock protects them, except for TX_DROPPED,
 *	RX_MALFORMED, RX_CHECKSUM and RX_NO_MEMORY, which only this layer changes, and
 *	RX_STRANGER and RX_UNPROVEN, which both change
 *
 * Never change after publication: @kind, @ops, @owner, @port, @flit.  A link is freed after an RCU
 * grace period: a transmitter holds the RCU read lock, not a reference.
 */
struct flitcast_link {
	const struct flitcast_link_kind *kind;
	const struct flitcast_link_ops *ops;
	void *owner;
	u8 port;
	u32 flit;
	unsigned int headroom;
	struct flitcast_link_sum sum;
	struct flitcast_code code;
	struct sk_buff_head txq;
	spinlock_t tx_lock; /* one transmitter at a time */
	struct sk_buff_head wait[FC_BAND_COUNT] __guarded_by(&tx_lock);
	struct fc_turn turn __guarded_by(&tx_lock);
	struct fc_depth depth __guarded_by(&tx_lock);
	u32 waiting __guarded_by(&tx_lock);
	bool full __guarded_by(&tx_lock);
	u32 had __guarded_by(&tx_lock);
	struct socket *owner_sock;
	wait_queue_entry_t drained;
	struct tasklet_struct drain;
	u64 stat[FC_LSTAT_COUNT];
};

/* Backends. */

/* The backend of network devices. */
extern const struct flitcast_link_kind flitcast_netdev_kind;

/**
 * flitcast_link_kind_register() - let links use a backend of another module
 * @kind: backend; kept until flitcast_link_kind_unregister()
 *
 * Context: process; takes RTNL.  Return: 0, or -EEXIST: there is such a backend already.
 */
int flitcast_link_kind_register(const struct flitcast_link_kind *kind);

/* Allow no new links of @kind; the backend ends existing ones.  Context: takes RTNL. */
void flitcast_link_kind_unregister(const struct flitcast_link_kind *kind);

/* Load the module of backend @name unless a backend is registered.  Context: process, no locks. */
void flitcast_link_kind_load(const char *name);

/* Return: the registered backend of this name, or NULL.  Context: RTNL held, which keeps it. */
const struct flitcast_link_kind *flitcast_link_kind_find(const char *name);

/**
 * flitcast_link_input() - check a frame that the device received, and hand it to the owner
 * @link: link
 * @skb: unshared frame at its link header, without code; takes ownership
 * @known: the peer sent the frame; from other senders only a HELLO is accepted
 *
 * Context: softirq, RCU read lock.
 */
void flitcast_link_input(struct flitcast_link *link, struct sk_buff *skb, bool known);

/*
 * The sender's device released a frame: orphan it, and transmit waiting frames of its link at once,
 * because a tasklet would let the device become idle.  Context: softirq, RCU read lock.
 */
void flitcast_link_arrive(struct sk_buff *skb);

/*
 * Charge a frame that the device keeps in a queue until it is freed.  The device queue must hold no
 * more flits than the device needs, because in the link's own queues another frame may still
 * overtake.  Context: as @transmit.
 */
void flitcast_link_charge(struct flitcast_link *link, struct sk_buff *skb)
	__must_hold(&link->tx_lock);

/**
 * flitcast_link_create() - bind a device
 * @spec: device, and the ends of the link
 * @flit: flit size
 * @coded: the network has a key: frames carry codes, and are longer by FC_CODE_SIZE than without
 * @ops: owner's functions
 * @owner: owner's pointer
 * @port: owner's number
 * @extack: gets the reason of a refusal
 *
 * The owner gets no callback before flitcast_link_start().
 *
 * Context: RTNL held.  Return: the link or an ERR_PTR: -EBUSY, -EINVAL, -ENODEV, -ENOMEM.
 */
struct flitcast_link *flitcast_link_create(const struct flitcast_link_spec *spec, u32 flit,
					   bool coded, const struct flitcast_link_ops *ops,
					   void *owner, u8 port, struct netlink_ext_ack *extack);

/* Enable callbacks for frames and carrier events.  Context: RTNL held. */
void flitcast_link_start(struct flitcast_link *link);

/**
 * flitcast_link_destroy() - unbind the device; no callback runs after it returns
 * @link: link that its owner has unpublished; freed
 *
 * Context: RTNL held, may sleep.
 */
void flitcast_link_destroy(struct flitcast_link *link);

/* Is the device unable to carry frames as long as a flit? */
bool flitcast_link_small(const struct flitcast_link *link);

/* Calls @peer of struct flitcast_link_kind. */
bool flitcast_link_peer(struct flitcast_link *link, const struct sk_buff *skb, bool up);

/* Calls @describe of struct flitcast_link_kind. */
void flitcast_link_describe(struct flitcast_link *link, struct flitcast_link_device *device);

/**
 * flitcast_skb_alloc() - allocate an skb before its link is known
 * @headroom: bytes before its data
 * @size: bytes of its linear part
 *
 * Context: BH disabled: uses the per-CPU cache that napi_consume_skb() fills.
 *
 * Return: an empty skb, or NULL.
 */
struct sk_buff *flitcast_skb_alloc(unsigned int headroom, unsigned int size);

/**
 * flitcast_link_alloc() - allocate an skb for a frame without message data
 * @link: link it will go to
 * @size: bytes after the link header in the linear part
 *
 * Context: BH disabled.
 *
 * Return: an empty skb with headroom for link and device headers, or NULL.
 */
struct sk_buff *flitcast_link_alloc(const struct flitcast_link *link, unsigned int size);

/* Are flits longer than the MTU of the device, although the device carries them? */
bool flitcast_link_long(const struct flitcast_link *link);

/**
 * flitcast_link_stretch() - pad a frame to the size of a flit, to probe whether the link carries it
 * @link: link it will go to
 * @skb: frame of that link; zeros are appended
 */
void flitcast_link_stretch(const struct flitcast_link *link, struct sk_buff *skb);

/* Bytes to keep free in front of the link header for any device. */
#define FLITCAST_LINK_HEADROOM	(LL_MAX_HEADER + FC_LINK_SIZE)

/**
 * flitcast_link_queue() - queue a frame in order
 * @link: link
 * @skb: payload, with a private head; linear if not of a flit or a HELLO; takes ownership
 * @hdr: link header to push; @len and @summed are set here
 *
 * Context: the owner's lock.  The caller must call flitcast_link_drain() after unlocking.
 */
void flitcast_link_queue(struct flitcast_link *link, struct sk_buff *skb,
			 struct fc_link_hdr *hdr);

/**
 * flitcast_link_scrub() - drop metadata of other layers from a frame
 * @skb: frame of a link
 *
 * Drops the receiving device (which may be unregistered before the frame is read), dst, conntrack
 * and extensions, so that a frame neither holds nor forwards them.
 */
static inline void flitcast_link_scrub(struct sk_buff *skb)
{
	skb->dev = NULL;
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb_ext_reset(skb);
}

/*
 * May a frame bypass the queue, because it is empty and the device has room?  Return: true: yes,
 * and @tx_lock is held.  Context: the owner's lock, so that no other frame comes first.
 */
static inline bool flitcast_link_idle(struct flitcast_link *link)
	FLITCAST_IF_TRUE_ACQUIRES(&link->tx_lock)
{
	if (!skb_queue_empty_lockless(&link->txq) || !spin_trylock(&link->tx_lock))
		return false;
	if (likely(!link->full))
		return true;
	spin_unlock(&link->tx_lock);
	return false;
}

/*
 * Transmit a frame at its link header; releases @tx_lock, which flitcast_link_idle() took under
 * the owner's lock.  Context: as flitcast_link_drain().
 */
void flitcast_link_pass(struct flitcast_link *link, struct sk_buff *skb)
	__releases(&link->tx_lock);

/* Transmit queued frames.  Context: BH disabled, RCU read lock, no spinlock. */
void flitcast_link_drain(struct flitcast_link *link);

/* Register for events of network devices.  Context: module init and exit. */
int flitcast_netdev_init(void);
void flitcast_netdev_exit(void);

#endif /* FLITCAST_LINK_H */
