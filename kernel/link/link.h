/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A link: a device that carries Flitcast frames to one peer, beside other traffic.  This layer
 * knows link headers, the order of transmission and how much of flits a device is to have.  The
 * owner of a link (struct flitcast_link_ops) knows what frames mean.  A backend (struct
 * flitcast_link_kind) knows the device; netdev.c is the backend of network devices.
 */
#ifndef FLITCAST_LINK_H
#define FLITCAST_LINK_H

#include <linux/interrupt.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/wait.h>
#include <net/dst.h>
#include "core/names.h"
#include "core/turn.h"
#include "core/wire.h"
#include "link/device.h"

struct module;
struct socket;

struct flitcast_link;

/**
 * struct flitcast_link_ops - the owner of a link
 * @pass: a plain frame (core/wire_plain.h) of the peer, which nobody else refers to, at its link
 *	header; takes ownership of the skb if it returns true, and else has changed nothing:
 *	@receive gets the frame then.  It has on it what others have hung on it, which is to be
 *	taken off (flitcast_link_scrub()) if it is not transmitted at once.  Softirq, RCU read lock.
 * @receive: a frame with a valid link header, trimmed to its length, at its
 *	link header; takes ownership of the skb.  Softirq, RCU read lock.
 * @carrier: the device can, or can no longer, carry frames.  RTNL held, or, while @stop of the
 *	backend waits for its callers, the RCU read lock.
 * @gone: the device goes away; call flitcast_link_destroy().  RTNL held.
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
 * @start: let frames and changes of the carrier come.  RTNL held.
 * @stop: no callback comes and nobody is in @transmit after it returns.  RTNL held, may sleep.
 * @free: free the link, after @stop or instead of @start.  RTNL held, may sleep.
 * @ready: the device can carry frames.  RTNL held.  NULL: it cannot until the backend says so.
 * @small: the device carries no frames as long as a flit; NULL: it always does
 * @long_frames: flits are longer than the MTU of the device, which carries such frames all the
 *	same; NULL: they never are
 * @peer: was a HELLO sent by the peer?  While the link is not up, the sender of a HELLO becomes the
 *	peer.  NULL: nobody else can send.  The owner's lock.
 * @describe: tell about the device; the result is zeroed.  The owner's lock.
 * @transmit: take a frame at its link header, and its ownership.  Return: false if the frame was
 *	dropped.  @tx_lock, BH disabled, RCU read lock.
 * @flush: hand to the device the frames that @transmit has collected; NULL: it collects none.
 *	Context as @transmit.
 * @room: does the device have room for one more flit?  NULL: always.  Context as @transmit.  A
 *	backend with this function charges every frame (flitcast_link_charge()), and makes room
 *	before it frees a frame.
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
 * struct flitcast_link - one device in use
 * @kind: backend
 * @ops: owner's functions
 * @owner: owner's pointer
 * @port: owner's number for it
 * @flit: bytes of the longest frame of the owner
 * @headroom: bytes that a frame needs before its payload
 * @sum: frames carry a checksum, as a HELLO always does
 * @txq: frames to transmit, in order
 * @tx_lock: held by the one who transmits; protects all from @wait to @had
 * @wait: frames out of @txq that the device has no room for yet, by enum fc_band
 * @waiting: bit of each of these that has frames
 * @full: the device has as much of flits as it is to have; so it is where frames are in @wait
 * @turn: from which of @wait the next frame is taken
 * @depth: how much of flits the device is to have, in bytes of memory
 * @had: how much it had when that was last looked at, and has got since
 * @owner_sock: what the device has of flits is charged to it (sk_wmem_alloc); never bound
 * @drained: in its wait queue: the device let go of a flit
 * @drain: transmits what waits then
 * @stat: counters, by enum fc_link_stat; the owner's lock protects them, but for
 *	TX_DROPPED, RX_MALFORMED and RX_CHECKSUM, which are this layer's alone
 *
 * Never change after publication: @kind, @ops, @owner, @port, @flit.  A link is freed after an RCU
 * grace period: a transmitter holds the RCU read lock, not a reference.  @sum changes under the
 * owner's lock while the handshake is not done.
 */
struct flitcast_link {
	const struct flitcast_link_kind *kind;
	const struct flitcast_link_ops *ops;
	void *owner;
	u8 port;
	u32 flit;
	unsigned int headroom;
	bool sum;
	struct sk_buff_head txq;
	spinlock_t tx_lock; /* one transmitter at a time */
	struct sk_buff_head wait[FC_BAND_COUNT];
	u32 waiting;
	bool full;
	struct fc_turn turn;
	struct fc_depth depth;
	u32 had;
	struct socket *owner_sock;
	wait_queue_entry_t drained;
	struct tasklet_struct drain;
	u64 stat[FC_LSTAT_COUNT];
};

/*
 * Backends.
 */

/* The backend of network devices. */
extern const struct flitcast_link_kind flitcast_netdev_kind;

/**
 * flitcast_link_kind_register() - let links use a backend of another module
 * @kind: backend; kept until flitcast_link_kind_unregister()
 *
 * Context: process; takes RTNL.  Return: 0, or -EEXIST: there is such a backend already.
 */
int flitcast_link_kind_register(const struct flitcast_link_kind *kind);

/* No link is made of @kind any more; its backend ends those there are.  Context: takes RTNL. */
void flitcast_link_kind_unregister(const struct flitcast_link_kind *kind);

/* The backend of another module, which is loaded first if need be.  Context: process, no locks. */
void flitcast_link_kind_load(const char *name);

/* The backend of this name, or NULL.  Context: RTNL held, which keeps the backend. */
const struct flitcast_link_kind *flitcast_link_kind_find(const char *name);

/**
 * flitcast_link_input() - check a frame that the device received, and hand it to the owner
 * @link: link
 * @skb: frame at its link header, to which nobody else refers; ownership is taken
 * @known: the peer sent it; of other senders only a HELLO is of interest
 *
 * Context: softirq, RCU read lock.
 */
void flitcast_link_input(struct flitcast_link *link, struct sk_buff *skb, bool known);

/*
 * The device let go of a frame: its link transmits what waits at once.  A tasklet would let the
 * device become idle.  Context: softirq, RCU read lock.
 */
void flitcast_link_arrive(struct sk_buff *skb);

/*
 * The device keeps a frame in a queue until it is freed.  No more of flits is to wait there than
 * the device needs, because in the link's own queues another frame may still go first.  Context: as
 * @transmit.
 */
void flitcast_link_charge(struct flitcast_link *link, struct sk_buff *skb);

/*
 * Owners of links.
 */

/**
 * flitcast_link_create() - bind a device
 * @spec: device, and the ends of the link
 * @flit: flit size
 * @ops: owner's functions
 * @owner: owner's pointer
 * @port: owner's number
 * @extack: gets the reason of a refusal
 *
 * Nothing is received before flitcast_link_start().
 *
 * Context: RTNL held.  Return: the link or an ERR_PTR: -EBUSY, -EINVAL, -ENODEV, -ENOMEM.
 */
struct flitcast_link *flitcast_link_create(const struct flitcast_link_spec *spec, u32 flit,
					   const struct flitcast_link_ops *ops, void *owner,
					   u8 port, struct netlink_ext_ack *extack);

/* Let frames and carrier events come.  Context: RTNL held. */
void flitcast_link_start(struct flitcast_link *link);

/**
 * flitcast_link_destroy() - unbind; no callback comes after it returns
 * @link: link that its owner shows to nobody any more; freed
 *
 * Context: RTNL held, may sleep.
 */
void flitcast_link_destroy(struct flitcast_link *link);

/* Does the device carry no frames as long as a flit? */
bool flitcast_link_small(const struct flitcast_link *link);

/* Calls @peer of struct flitcast_link_kind. */
bool flitcast_link_peer(struct flitcast_link *link, const struct sk_buff *skb, bool up);

/* Calls @describe of struct flitcast_link_kind. */
void flitcast_link_describe(struct flitcast_link *link, struct flitcast_link_device *device);

/**
 * flitcast_skb_alloc() - skb that no link is known for yet
 * @headroom: bytes before its data
 * @size: bytes of its linear part
 *
 * Context: BH disabled: it comes from those that napi_consume_skb() has put by.
 *
 * Return: an empty skb, or NULL.
 */
struct sk_buff *flitcast_skb_alloc(unsigned int headroom, unsigned int size);

/**
 * flitcast_link_alloc() - skb for a frame that the peer does not keep: of no message
 * @link: link it will go to
 * @size: bytes after the link header in the linear part
 *
 * Context: BH disabled.
 *
 * Return: an empty skb with headroom for link and device headers, or NULL.
 */
struct sk_buff *flitcast_link_alloc(const struct flitcast_link *link, unsigned int size);

/* Are flits longer than the MTU of the device, which carries such frames all the same? */
bool flitcast_link_long(const struct flitcast_link *link);

/**
 * flitcast_link_stretch() - a frame as long as a flit, to see whether it is carried
 * @link: link it will go to
 * @skb: of that link; gets zeros behind what it has
 */
void flitcast_link_stretch(const struct flitcast_link *link, struct sk_buff *skb);

/* Bytes to keep free in front of the link header for any device. */
#define FLITCAST_LINK_HEADROOM	(LL_MAX_HEADER + FC_LINK_SIZE)

/**
 * flitcast_link_queue() - queue a frame in order
 * @link: link
 * @skb: payload; ownership is taken; its linear head is private
 * @hdr: link header to put in front; len is taken from the skb
 *
 * Context: the owner's lock.  flitcast_link_drain() follows after unlock.
 */
void flitcast_link_queue(struct flitcast_link *link, struct sk_buff *skb,
			 struct fc_link_hdr *hdr);

/**
 * flitcast_link_scrub() - take off what others have hung on a frame
 * @skb: frame of a link
 *
 * Where it came from (a device that may go before the frame is read), a route, a connection that is
 * tracked, extensions: none of this is kept with a frame, nor sent on.
 */
static inline void flitcast_link_scrub(struct sk_buff *skb)
{
	skb->dev = NULL;
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb_ext_reset(skb);
}

/*
 * May a frame be transmitted past the queue, which is empty, to a device that has room?  @tx_lock
 * is held then.  Context: the owner's lock: so the frame is the next one.
 */
static inline bool flitcast_link_idle(struct flitcast_link *link)
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

/* Transmit what is queued.  Context: BH disabled, RCU read lock, no spinlock. */
void flitcast_link_drain(struct flitcast_link *link);

/* Events of network devices.  Context: module init and exit. */
int flitcast_netdev_init(void);
void flitcast_netdev_exit(void);

#endif /* FLITCAST_LINK_H */
