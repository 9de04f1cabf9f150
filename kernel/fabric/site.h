/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside a site: the part that moves frames, which knows no message.
 *
 * Struct flitcast_ends (ends/ends.h) is the part that knows messages.
 */
#ifndef FLITCAST_FABRIC_SITE_H
#define FLITCAST_FABRIC_SITE_H

#include <linux/hrtimer.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <net/net_namespace.h>
#include "core/event.h"
#include "core/node.h"
#include "fabric/ctrl.h"
#include "fabric/end.h"
#include "fabric/event.h"
#include "fabric/fabric.h"
#include "fabric/mode.h"
#include "fabric/oper.h"
#include "fabric/output.h"

struct crypto_shash;
struct fc_vnet;
struct flitcast_ends;

/**
 * struct flitcast_clock - what is due at a site
 * @timer: the one timer
 * @timer_at: when it is set to fire; FC_NEVER: it is not
 * @machines_at: not before then has a machine of the core something to do; when the timer fires, it
 *	is found out anew.  Those of mode csr are asked each time
 * @ends_at: when something end to end is due
 * @hello_news: a handshake may be due before that
 * @faults_news: there may be something to tell neighbours of faults before that
 */
struct flitcast_clock {
	struct hrtimer timer;
	u64 timer_at;
	u64 machines_at;
	u64 ends_at;
	bool hello_news;
	bool faults_news;
};

/**
 * struct flitcast_todo - work that waits until what is being done is done
 * @resets: links to begin anew
 * @more: sets (enum fc_set) whose switch has more to do of what a frame brought
 * @unrouted: fronts that were forwarded speculatively wait for their routing decision
 */
struct flitcast_todo {
	u32 resets;
	u32 more;
	bool unrouted;
};

/**
 * struct flitcast_site - a site of a network namespace
 * @refs: references: the namespace's list, each attached port, each user of
 *	flitcast_site_get()
 * @entry: in the namespace's list, under RTNL and RCU
 * @net: namespace; outlives the site's time in the list
 * @cfg: configuration; never changes
 * @mode: table of its switching mode; never changes
 * @incarnation: of this life; never changes
 * @auth: the network's key; NULL: it has none.  Never changes
 * @lock: protects all below
 * @dead: taken out of the namespace: nothing begins any more
 * @drain: sockets send nothing new
 * @now: time of who has entered; 0: not asked for yet
 * @node: the site, as all its switches know it
 * @care: the machines of mode care; NULL in others
 * @nclasses: classes of channels in each; one in mode care
 * @pref: preference table
 * @generation: of @pref
 * @vnet: the switch of modes vnet, postman and csr; NULL in mode care
 * @hops: of @vnet by set, what fc_vnet_hop() takes; NULL where it may not be asked
 * @csr: reservations of mode csr; NULL in others
 * @relay: broadcasts that pass through
 * @faults: what is known of dead links, and the routes around them
 * @oper: the operator
 * @ctrl: control entries
 * @clock: what is due
 * @out: frames on their way out
 * @todo: what waits until an event is done
 * @news: what the listener is to be told
 * @rng: state of random numbers
 * @stat: counters, by enum fc_stat
 * @local_stat: link counters of the local net-input, which nobody reads
 * @no_queue: of channels in which nothing comes: always empty
 * @ends: messages of this site, and those for it (ends/ends.h)
 * @end: ports; end[0] is unused
 *
 * Lock order: RTNL > lock_sock > @lock > a socket's receive queue.  Frames are
 * queued under @lock, in the order decided, and transmitted after it.
 *
 * A site dies in three ways: flitcast_site_del(), the end of its namespace, and
 * the module's unload; all go through site_destroy() in site/site.c, which says what
 * ends in which order.
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
	struct fc_flit *no_queue;
	struct flitcast_ends *ends;
	struct flitcast_end end[];
};

/* May there be something to be sent? */
static inline bool flitcast_oper_waits(const struct flitcast_site *site)
{
	return site->oper.nfed || site->oper.doors & ~fc_bit(FLITCAST_TX_BY_RELAY);
}

/* Has a set nothing to feed its local net-input with? */
static inline bool flitcast_oper_clear(const struct flitcast_site *site, u8 set)
{
	const struct flitcast_feed *feed = &site->oper.feed[set];

	return !feed->ntransit && !feed->own && !(site->oper.doors & fc_bit(set));
}

#endif /* FLITCAST_FABRIC_SITE_H */
