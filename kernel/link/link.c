// SPDX-License-Identifier: GPL-2.0
/*
 * Links, independent of the backend: check received frames, and transmit frames in the order of
 * core/link/turn.h.
 */
#include <linux/in.h>
#include <linux/kmod.h>
#include <linux/local_lock.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/sock.h>
#include "compat.h"
#include "drop.h"
#include "core/wire/wire_link.h"
#include "link/link.h"
#include "link/memory.h"

/* Bytes of a frame that frame_sum() copies: a HELLO with its authentication code. */
#define SUM_COPY	(FC_LINK_SIZE + FC_HELLO_SIZE + FC_AUTH_SIZE)

/* The backend that another module registered, under RTNL. */
static const struct flitcast_link_kind *other_kind;

int flitcast_link_kind_register(const struct flitcast_link_kind *kind)
{
	int err = 0;

	rtnl_lock();
	if (other_kind)
		err = -EEXIST;
	else
		WRITE_ONCE(other_kind, kind);
	rtnl_unlock();
	return err;
}
EXPORT_SYMBOL_GPL(flitcast_link_kind_register);

void flitcast_link_kind_unregister(const struct flitcast_link_kind *kind)
{
	rtnl_lock();
	if (other_kind == kind)
		WRITE_ONCE(other_kind, NULL);
	rtnl_unlock();
}
EXPORT_SYMBOL_GPL(flitcast_link_kind_unregister);

void flitcast_link_kind_load(const char *name)
{
	if (!READ_ONCE(other_kind))
		request_module("flitcast-link-%s", name);
}

const struct flitcast_link_kind *flitcast_link_kind_find(const char *name)
{
	ASSERT_RTNL();
	return other_kind && !strcmp(other_kind->name, name) ? other_kind : NULL;
}

/*
 * CRC32C of a frame from its link header on, with the checksum field as zero.  The copy, whose
 * checksum field is cleared, holds the whole frame of a HELLO or a status.
 */
static u32 frame_sum(struct sk_buff *skb)
{
	u32 sum, n, done = 0, copied;
	struct skb_seq_state state;
	u8 copy[SUM_COPY];
	const u8 *data;

	copied = min_t(u32, skb_headlen(skb), sizeof(copy));
	memcpy(copy, skb->data, copied);
	fc_wire_link_set_sum(copy, 0);
	sum = crc32c(~0, copy, copied);
	if (copied == skb->len)
		return ~sum;
	skb_prepare_seq_read(skb, copied, skb->len, &state);
	while ((n = skb_seq_read(done, &data, &state))) {
		sum = crc32c(sum, data, n);
		done += n;
	}
	return ~sum;
}

/*
 * Make a frame with a fragment list linear: tunnels reassemble frames into such lists, which may
 * nest.  No code behind the link layer has to handle them.  Return: false: no memory.
 */
static noinline bool drop_list(struct sk_buff *skb)
{
	if (skb_linearize(skb) || skb_unclone(skb, GFP_ATOMIC))
		return false;
	/* Members without data are left. */
	flitcast_drop_list(skb_shinfo(skb)->frag_list, FLITCAST_USED);
	skb_shinfo(skb)->frag_list = NULL;
	return true;
}

/* Drop a damaged frame.  @peer: the peer has sent it, as far as the link can tell. */
static void damaged(struct flitcast_link *link, struct sk_buff *skb, bool peer)
{
	if (peer)
		atomic_inc(&link->sum.damaged);
	flitcast_link_drop(link, skb, CHECKSUM);
}

/* The link header is invalid: it is damaged, or the peer has made it so. */
static noinline void refuse(struct flitcast_link *link, struct sk_buff *skb, bool known)
{
	const u8 *p = skb->data;

	if (skb_headlen(skb) >= FC_LINK_SIZE && p[FC_LINK_VERSION] == FC_VERSION &&
	    p[FC_LINK_TYPE] == FC_FRAME_FLIT && !fc_wire_link_summed(p) &&
	    fc_get32(p + FC_LINK_SUM) != fc_link_check(p))
		damaged(link, skb, known);
	else
		flitcast_link_drop(link, skb, MALFORMED);
}

/* Does a check cover the payload? */
static bool checked(const struct fc_link_hdr *hdr)
{
	return !hdr->summed && hdr->type != FC_FRAME_FLIT;
}

/* Decoding has tested the check of a flit without a checksum. */
static bool intact(struct sk_buff *skb, const struct fc_link_hdr *hdr)
{
	if (hdr->summed)
		return hdr->sum == frame_sum(skb);
	return !checked(hdr) || hdr->sum == fc_wire_check(skb->data, hdr->len);
}

/* Return: the flit, in no more memory than is reserved for one; NULL: no memory, it is dropped. */
static struct sk_buff *slim(struct flitcast_link *link, struct sk_buff *skb)
{
	struct sk_buff *copy;

	if (likely(skb->truesize <= flitcast_flit_memory(link->flit)))
		return skb;
	copy = flitcast_flit_copy(skb);
	if (!copy)
		flitcast_link_drop(link, skb, NO_MEMORY);
	return copy;
}

void flitcast_link_input(struct flitcast_link *link, struct sk_buff *skb, bool known)
{
	struct fc_link_hdr hdr;

	if (!pskb_may_pull(skb, FC_LINK_SIZE) ||
	    !fc_link_decode(&hdr, skb->data, skb_headlen(skb), skb->len) ||
	    pskb_trim(skb, FC_LINK_SIZE + hdr.len)) {
		refuse(link, skb, known);
		return;
	}
	/* The peer retransmits a flit that is dropped here. */
	if ((unlikely(skb_has_frag_list(skb)) && !drop_list(skb)) ||
	    (checked(&hdr) && !pskb_may_pull(skb, skb->len))) {
		flitcast_link_drop(link, skb, NO_MEMORY);
		return;
	}
	if (!intact(skb, &hdr)) {
		/* With a key, frames of others have not come so far, except HELLOs. */
		damaged(link, skb, known && !(link->code.used && hdr.type == FC_FRAME_HELLO));
		return;
	}
	if (hdr.type != FC_FRAME_HELLO && !known) {
		flitcast_link_drop(link, skb, STRANGER);
		return;
	}
	skb_orphan(skb);
	if (hdr.type == FC_FRAME_FLIT) {
		skb = slim(link, skb);
		if (!skb)
			return;
	}
	flitcast_link_scrub(skb);
	link->ops->receive(link, skb, &hdr);
}
EXPORT_SYMBOL_GPL(flitcast_link_input);

/*
 * While flitcast_link_arrive() orphans a frame, @task is its task; drained() then stores the
 * frame's link in @link.  On PREEMPT_RT another task may run on this CPU meanwhile: drained()
 * ignores the task that is not its own, and @lock keeps others out of flitcast_link_arrive().
 */
struct arriving {
	local_lock_t lock;
	struct task_struct *task;
	struct flitcast_link *link;
};

static DEFINE_PER_CPU(struct arriving, arriving) = {
	.lock = INIT_LOCAL_LOCK(lock),
};

/* Bytes of memory of the flits that the device holds. */
static u32 held(const struct flitcast_link *link)
{
	return sk_wmem_alloc_get(link->owner_sock->sk);
}

/* Wait queue function: the device released a flit, so waiting frames may be transmitted. */
static int drained(wait_queue_entry_t *entry, unsigned int mode, int flags, void *key)
{
	struct flitcast_link *link = container_of(entry, struct flitcast_link, drained);

	if (!context_unsafe(READ_ONCE(link->full)))
		return 0;
	if (this_cpu_read(arriving.task) == current)
		this_cpu_write(arriving.link, link);
	else
		tasklet_schedule(&link->drain);
	return 0;
}

static void drain_soon(struct tasklet_struct *t)
{
	rcu_read_lock();
	flitcast_link_drain(container_of(t, struct flitcast_link, drain));
	rcu_read_unlock();
}

noinline void flitcast_link_arrive(struct sk_buff *skb)
{
	struct flitcast_link *link;

	local_lock_nested_bh(&arriving.lock);
	this_cpu_write(arriving.task, current);
	skb_orphan(skb);
	link = this_cpu_read(arriving.link);
	this_cpu_write(arriving.task, NULL);
	this_cpu_write(arriving.link, NULL);
	local_unlock_nested_bh(&arriving.lock);
	if (link)
		flitcast_link_drain(link);
}
EXPORT_SYMBOL_GPL(flitcast_link_arrive);

/*
 * Flits that a device holds are charged to the send memory of a socket: freeing a frame uncharges
 * it and wakes the link.  A device may hold a frame longer than the link and this module exist; the
 * frame keeps the socket.  So the socket is of a family that is built into the kernel.
 */
static int account_begin(struct flitcast_link *link)
{
	int err = sock_create_kern(&init_net, PF_INET, SOCK_DGRAM, IPPROTO_UDP, &link->owner_sock);
	struct sock *sk;

	/* sock_create_kern() reports a lack of memory for the inode as too many files. */
	if (err)
		return err == -ENFILE ? -ENOMEM : err;
	sk = link->owner_sock->sk;
	/* The socket is unlimited: @depth limits what the device holds. */
	sk->sk_userlocks |= SOCK_SNDBUF_LOCK;
	sk->sk_sndbuf = INT_MAX;
	tasklet_setup(&link->drain, drain_soon);
	init_waitqueue_func_entry(&link->drained, drained);
	add_wait_queue(sk_sleep(sk), &link->drained);
	return 0;
}

struct flitcast_link *flitcast_link_create(const struct flitcast_link_spec *spec, u32 flit,
					   bool coded, const struct flitcast_link_ops *ops,
					   void *owner, u8 port, struct netlink_ext_ack *extack)
	__context_unsafe(/* no other code has the link yet */)
{
	u32 code = coded ? FC_CODE_SIZE : 0;
	struct flitcast_link *link;
	int err, i;

	ASSERT_RTNL();
	link = spec->kind->create(spec, flit + code, extack);
	if (IS_ERR(link))
		return link;
	link->kind = spec->kind;
	link->ops = ops;
	link->owner = owner;
	link->port = port;
	link->flit = flit + code;
	link->headroom += code;
	flitcast_code_init(&link->code, coded);
	skb_queue_head_init(&link->txq);
	for (i = 0; i < FC_BAND_COUNT; i++)
		__skb_queue_head_init(&link->wait[i]);
	spin_lock_init(&link->tx_lock);
	err = account_begin(link);
	if (!err)
		return link;
	NL_SET_ERR_MSG_MOD(extack, "no memory for the socket that flits are charged to");
	link->kind->free(link);
	return ERR_PTR(err);
}

void flitcast_link_start(struct flitcast_link *link)
{
	ASSERT_RTNL();
	link->kind->start(link);
	if (link->kind->ready)
		link->ops->carrier(link, link->kind->ready(link));
}

void flitcast_link_destroy(struct flitcast_link *link)
	__context_unsafe(/* after @stop no other code has the link */)
{
	int i;

	ASSERT_RTNL();
	remove_wait_queue(sk_sleep(link->owner_sock->sk), &link->drained);
	/* The owner no longer uses the link; after @stop the device does not call it either. */
	link->kind->stop(link);
	tasklet_kill(&link->drain);
	sock_release(link->owner_sock);
	flitcast_drop_queue(&link->txq, FLITCAST_DROP_DOWN);
	for (i = 0; i < FC_BAND_COUNT; i++)
		flitcast_drop_queue(&link->wait[i], FLITCAST_DROP_DOWN);
	link->kind->free(link);
}

bool flitcast_link_small(const struct flitcast_link *link)
{
	return link->kind->small && link->kind->small(link);
}

bool flitcast_link_long(const struct flitcast_link *link)
{
	return link->kind->long_frames && link->kind->long_frames(link);
}

bool flitcast_link_peer(struct flitcast_link *link, const struct sk_buff *skb, bool up)
{
	return !link->kind->peer || link->kind->peer(link, skb, up);
}

void flitcast_link_describe(struct flitcast_link *link, struct flitcast_link_device *device)
{
	memset(device, 0, sizeof(*device));
	link->kind->describe(link, device);
}

/* Most heads of frames fit, with their struct skb_shared_info. */
#define SMALL_HEAD	512

static bool is_small(unsigned int room)
{
	return room <= SKB_WITH_OVERHEAD(SMALL_HEAD);
}

struct sk_buff *flitcast_skb_alloc(unsigned int headroom, unsigned int size)
{
	struct sk_buff *skb = NULL;
	void *head;

	if (is_small(headroom + size)) {
		/* One kmalloc() of constant size is cheaper than __alloc_skb(). */
		head = kmalloc(SMALL_HEAD, GFP_ATOMIC | __GFP_NOMEMALLOC | __GFP_NOWARN);
		if (head)
			skb = napi_build_skb(head, SMALL_HEAD);
		if (skb)
			skb->head_frag = 0;
		else
			kfree(head);
	} else {
		skb = __alloc_skb(headroom + size, GFP_ATOMIC, SKB_ALLOC_NAPI, NUMA_NO_NODE);
	}
	if (skb)
		skb_reserve(skb, headroom);
	return skb;
}

struct sk_buff *flitcast_link_alloc(const struct flitcast_link *link, unsigned int size)
{
	unsigned int headroom = READ_ONCE(link->headroom), room = SMALL_HEAD;
	struct sk_buff *skb;
	void *head;

	if (!is_small(headroom + size))
		room = SKB_DATA_ALIGN(headroom + size) +
		       SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	/* The frame is freed soon, so it may share a page with others. */
	head = napi_alloc_frag(room);
	if (!head)
		return NULL;
	skb = napi_build_skb(head, room);
	if (!skb) {
		skb_free_frag(head);
		return NULL;
	}
	skb_reserve(skb, headroom);
	return skb;
}

void flitcast_link_stretch(const struct flitcast_link *link, struct sk_buff *skb)
{
	u32 left = link->flit - FC_LINK_SIZE - skb->len, n;

	for (; left; left -= n) {
		n = min_t(u32, left, PAGE_SIZE);
		get_page(ZERO_PAGE(0));
		skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, ZERO_PAGE(0), 0, n, 0);
	}
}

void flitcast_link_queue(struct flitcast_link *link, struct sk_buff *skb,
			 struct fc_link_hdr *hdr)
{
	hdr->len = skb->len;
	hdr->summed = flitcast_link_summed(&link->sum) || hdr->type == FC_FRAME_HELLO;
	fc_wire_frame_encode(skb_push(skb, FC_LINK_SIZE), hdr);
	spin_lock(&link->txq.lock);
	__skb_queue_tail(&link->txq, skb);
	spin_unlock(&link->txq.lock);
}

/* May the device get one more flit, if it holds @has bytes of flits? */
static bool room(const struct flitcast_link *link, u32 has)
	__must_hold(&link->tx_lock)
{
	return fc_depth_room(&link->depth, has) && (!link->kind->room || link->kind->room(link));
}

/* Update @had and @full for the flits that the device has released. */
static void update(struct flitcast_link *link)
	__must_hold(&link->tx_lock)
{
	u32 has = held(link);

	if (has == link->had)
		return;
	link->had = has;
	if (link->waiting & ~fc_bit(FC_BAND_CTRL))
		fc_depth_seen(&link->depth, has);
	WRITE_ONCE(link->full, !room(link, has));
}

void flitcast_link_charge(struct flitcast_link *link, struct sk_buff *skb)
	__must_hold(&link->tx_lock)
{
	update(link);
	skb_set_owner_w(skb, link->owner_sock->sk);
	fc_depth_put(&link->depth, skb->truesize);
	link->had += skb->truesize;
	WRITE_ONCE(link->full, !room(link, link->had));
}
EXPORT_SYMBOL_GPL(flitcast_link_charge);

/* Give a code to a frame.  Return: false: it is dropped, because the link went down. */
static noinline bool code(struct flitcast_link *link, struct sk_buff *skb)
{
	if (flitcast_code_put(link, skb))
		return true;
	link->stat[FC_LSTAT_TX_DROPPED]++;
	flitcast_drop(skb, FLITCAST_DROP_DOWN);
	return false;
}

/*
 * Give a checksum to a frame.  A program may change its data meanwhile (MSG_ZEROCOPY): that is no
 * damage on the link, so the frame gets a copy.  Return: false: it is dropped, as if lost.
 */
static noinline bool summed(struct flitcast_link *link, struct sk_buff *skb)
{
	if (skb_orphan_frags_rx(skb, GFP_ATOMIC)) {
		link->stat[FC_LSTAT_TX_DROPPED]++;
		flitcast_drop(skb, FLITCAST_DROP_NO_MEMORY);
		return false;
	}
	fc_wire_link_set_sum(skb->data, frame_sum(skb));
	return true;
}

static void transmit(struct flitcast_link *link, struct sk_buff *skb)
	__must_hold(&link->tx_lock)
{
	if (unlikely(skb->data[FC_LINK_FLAGS] & FC_LINK_SUMMED) && !summed(link, skb))
		return;
	if (unlikely(link->code.used) && !code(link, skb))
		return;
	if (!link->kind->transmit(link, skb))
		link->stat[FC_LSTAT_TX_DROPPED]++;
}

static void flush(struct flitcast_link *link)
{
	if (link->kind->flush)
		link->kind->flush(link);
}

void flitcast_link_pass(struct flitcast_link *link, struct sk_buff *skb)
	__releases(&link->tx_lock)
{
	transmit(link, skb);
	flush(link);
	spin_unlock(&link->tx_lock);
	smp_mb(); /* as in flitcast_link_drain() */
	if (unlikely(!skb_queue_empty_lockless(&link->txq)))
		flitcast_link_drain(link);
}

/* Sort frames into the queues of their bands. */
static noinline void sort(struct flitcast_link *link, struct sk_buff_head *frames)
	__must_hold(&link->tx_lock)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(frames))) {
		enum fc_band band = fc_band(skb->data[FC_LINK_TYPE], skb->data[FC_LINK_VC],
					    skb->data[FC_LINK_FLAGS]);

		__skb_queue_tail(&link->wait[band], skb);
		link->waiting |= fc_bit(band);
	}
}

/* Dequeue the next frame that may be transmitted, or return NULL. */
static struct sk_buff *next(struct flitcast_link *link)
	__must_hold(&link->tx_lock)
{
	/* Control frames are few: @full does not hold them back. */
	u32 may = link->full ? link->waiting & fc_bit(FC_BAND_CTRL) : link->waiting;
	enum fc_band band;
	struct sk_buff *skb;

	if (!may)
		return NULL;
	band = fc_turn_next(&link->turn, may);
	skb = __skb_dequeue(&link->wait[band]);
	if (skb_queue_empty(&link->wait[band]))
		link->waiting &= ~fc_bit(band);
	return skb;
}

/* Transmit frames in turn while the device has room. */
static noinline void in_turn(struct flitcast_link *link, struct sk_buff_head *frames)
	__must_hold(&link->tx_lock)
{
	struct sk_buff *skb;

	update(link);
	sort(link, frames);
	while ((skb = next(link)))
		transmit(link, skb);
}

/*
 * Take @tx_lock, or leave the queued frames to its holder, which checks the queue again after the
 * release.  That check finds the frames: either the second attempt gets the lock, or the release,
 * and with it the check, comes after the frames are visible.
 */
static inline bool may_transmit(struct flitcast_link *link)
	FLITCAST_IF_TRUE_ACQUIRES(&link->tx_lock)
{
	if (spin_trylock(&link->tx_lock))
		return true;
	smp_mb(); /* pairs with those of flitcast_link_drain() and flitcast_link_pass() */
	return spin_trylock(&link->tx_lock);
}

void flitcast_link_drain(struct flitcast_link *link)
{
	struct sk_buff_head frames;
	struct sk_buff *skb;
	bool full;
	u32 had;

	__skb_queue_head_init(&frames);

	/* The windows bound the frames that are queued. */
	do {
		if (!may_transmit(link))
			return;
		spin_lock(&link->txq.lock);
		skb_queue_splice_tail_init(&link->txq, &frames);
		spin_unlock(&link->txq.lock);
		while (!link->full && (skb = __skb_dequeue(&frames)))
			transmit(link, skb);
		if (unlikely(link->full))
			in_turn(link, &frames);
		flush(link);
		full = link->full;
		had = link->had;
		spin_unlock(&link->tx_lock);
		smp_mb(); /* order the unlock before the queue is checked again */
	} while (!skb_queue_empty_lockless(&link->txq) || (full && held(link) != had));
}
EXPORT_SYMBOL_GPL(flitcast_link_drain);
