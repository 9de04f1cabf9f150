/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside a site: the part that moves frames, and knows no messages.  The part that knows messages
 * is struct flitcast_ends (ends/state.h).
 */
#ifndef FLITCAST_FABRIC_SITE_H
#define FLITCAST_FABRIC_SITE_H

#include <linux/hrtimer.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include "core/link/event.h"
#include "core/link/node.h"
#include "fabric/ctrl.h"
#include "fabric/end.h"
#include "fabric/fabric.h"
#include "fabric/mode.h"
#include "fabric/oper.h"
#include "fabric/output.h"
#include "fabric/up.h"

struct crypto_shash;
struct fc_vnet;
struct flitcast_ends;

/**
 * struct flitcast_news - changes to report to the listener
 * @changed: links whose state changed since @work ran; bit 0: the site itself
 * @work: reports them
 */
struct flitcast_news {
	u32 changed;
	struct work_struct work;
};

/**
 * struct flitcast_clock - timers of a site
 * @timer: the only timer of the site
 * @timer_at: when @timer expires; FC_NEVER: not set
 * @machines_at: lower bound of when a machine of the core has something to do; computed again when
 *	the timer expires. Mode csr computes it each time
 * @ends_at: when something end to end is due
 * @bcasts_at: when the copies of a broadcast that are missing are no longer awaited
 * @hello_news: a handshake may be due earlier
 * @faults_news: fault frames may be due earlier
 */
struct flitcast_clock {
	struct hrtimer timer;
	u64 timer_at;
	u64 machines_at;
	u64 ends_at;
	u64 bcasts_at;
	bool hello_news;
	bool faults_news;
};

/**
 * struct flitcast_buffers - memory of the flits and packets of a site, which its maker pays for
 * @reserved: account of the windows of links and of the network-buffers; under RTNL
 * @held: account of the transit pool and of held broadcasts; the site's lock
 * @no_queue: shared queue, always empty, of channels by which no flits arrive
 *
 * A flit with credit is never refused, so windows are charged before flits come.  What @held is for
 * may be refused: the source sends the packet again.
 */
struct flitcast_buffers {
	struct flitcast_account *reserved;
	struct flitcast_account *held;
	struct fc_flit *no_queue;
};

/**
 * struct flitcast_todo - work deferred to the end of the current event
 * @effects: effects of the current event; events do not nest
 * @resets: bit mask of links to reset
 * @suspects: by enum fc_suspicion: bit mask of links to suspect
 * @suspected: a link is in @suspects
 * @more: bit mask of sets (enum fc_set) whose switch has more to do for a received frame
 * @unrouted: fronts were forwarded eagerly, before their routing decision
 * @copies: by set, bit mask of suspected links on which packets wait to be copied
 * @up: work for the layers above
 */
struct flitcast_todo {
	struct fc_effects *effects;
	u32 resets;
	u32 more;
	u32 copies[FC_SET_COUNT];
	bool unrouted;
	bool suspected;
	u32 suspects[FC_SUSPICION_COUNT];
	struct flitcast_up up;
};

/**
 * struct flitcast_site - a site of a network namespace
 * @refs: references: the namespace's list, each attached port, each user of flitcast_site_get()
 * @entry: entry in the namespace's list, under RTNL and RCU
 * @net: namespace; valid while the site is in the list
 * @cfg: configuration; never changes
 * @mode: functions of the switching mode; never changes
 * @incarnation: random number of this site instance; never changes
 * @auth: hash with the network's key; NULL: no key. Never changes
 * @lock: protects all below
 * @dead: removed from the namespace: nothing new begins
 * @drain: sockets may send no new messages
 * @now: time, cached since the site was entered; 0: not read yet
 * @node: state shared by all switches of the site
 * @care: state machines of mode care; NULL in other modes
 * @nclasses: number of classes of channels in each set; 1 in mode care
 * @pref: preference table
 * @generation: generation of @pref
 * @vnet: the switch of modes vnet, postman and csr; NULL in mode care
 * @hops: switches of @vnet by set, for fc_vnet_hop(); NULL if the mode does not allow it
 * @csr: reservations of mode csr; NULL in other modes
 * @relay: forwarding of broadcasts
 * @faults: known dead links, and the routes around them
 * @oper: the operator
 * @ctrl: control entries
 * @clock: timers
 * @out: output of frames
 * @todo: work deferred to the end of the current event
 * @news: changes to report to the listener
 * @rng: state of random numbers
 * @stat: counters, by enum fc_stat
 * @local_stat: link counters of the local net-input, never read
 * @buffers: memory of flits and packets
 * @ends: messages from and to this site (ends/state.h)
 * @end: ports; end[0] is unused
 *
 * Lock order: RTNL > lock_sock > @lock > a socket's receive queue.  Frames are
 * queued under @lock, in the order decided, and transmitted after it.
 *
 * A site is destroyed by flitcast_site_del(), by the end of its namespace, or by unloading the
 * module; all call site_destroy() in site/site.c, which defines the order of teardown.
 */
struct flitcast_site {
	refcount_t refs;
	struct list_head entry;
	struct net *net;
	struct flitcast_site_config cfg;
	const struct flitcast_mode *mode;
	u32 incarnation;
	struct crypto_shash *auth;
	struct rcu_head rcu;

	spinlock_t lock; /* see above */
	bool dead;
	bool drain;
	u64 now;
	struct fc_node node;
	struct flitcast_care *care;
	u8 nclasses;
	struct fc_timing timing;
	struct fc_pref pref;
	u32 generation;
	struct flitcast_vnet *vnet;
	struct fc_vnet *hops[FC_SET_COUNT];
	struct flitcast_csr *csr;
	struct flitcast_relay *relay;
	struct flitcast_faults *faults;
	struct flitcast_oper oper;
	struct flitcast_ctrl ctrl;
	struct flitcast_clock clock;
	struct flitcast_out out;
	struct flitcast_todo todo;
	struct flitcast_news news;
	u64 rng;
	u64 stat[FC_STAT_COUNT];
	u64 local_stat[FC_LSTAT_COUNT];
	struct flitcast_buffers buffers;
	struct flitcast_ends *ends;
	struct flitcast_end end[];
};

/* Return: true if packets wait to be copied. */
static inline bool flitcast_copies_wait(const struct flitcast_site *site)
{
	u32 ports = 0;
	u8 set;

	for (set = 0; set < FC_SET_COUNT; set++)
		ports |= site->todo.copies[set];
	return ports;
}

/* Packets on links of these ports wait no more to be copied. */
static inline void flitcast_copies_end(struct flitcast_site *site, u32 ports)
{
	u8 set;

	for (set = 0; set < FC_SET_COUNT; set++)
		site->todo.copies[set] &= ~ports;
}

/* Return: true if there may be packets to feed. */
static inline bool flitcast_oper_waits(const struct flitcast_site *site)
{
	return site->oper.nfed || site->oper.dgrams.n ||
	       site->oper.doors & ~fc_bit(FLITCAST_TX_BY_RELAY);
}

/* Return: true if a set has no packets to feed. */
static inline bool flitcast_oper_clear(const struct flitcast_site *site, u8 set)
{
	const struct flitcast_feed *feed = &site->oper.feed[set];

	return !feed->ntransit && !feed->own && !(site->oper.doors & fc_bit(set)) &&
	       (set != FC_SET_BULK || (!feed->dgram && !site->oper.dgrams.n));
}

/* Schedule a report about a link, or about the site itself (port 0).  Context: the site's lock. */
void flitcast_site_link_event(struct flitcast_site *site, u8 port);

#endif /* FLITCAST_FABRIC_SITE_H */
