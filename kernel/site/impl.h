/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside a site: for the files of kernel/site alone.
 */
#ifndef FLITCAST_SITE_IMPL_H
#define FLITCAST_SITE_IMPL_H

#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include "core/ends.h"
#include "core/hello.h"
#include "core/site.h"
#include "link/link.h"
#include "site/port.h"
#include "site/replay.h"
#include "site/round.h"
#include "site/site.h"

/* Settings of the kernel's sites; why: Documentation/design.rst, "Settings". */
#define FLITCAST_HELLO_NS	NSEC_PER_SEC
/* Between two things a site says of its own links. */
#define FLITCAST_FAULTS_NS	(50 * NSEC_PER_MSEC)

/* Control entries for a site itself in one go; one too many is said again later. */
#define FLITCAST_LOOP_MAX	64
/* Targets looked at to find out which packet is fed next, likewise; a queue is as many. */
#define FLITCAST_FEED_LOOKS	512
#define FLITCAST_FEED_QUEUE	4
/* Flows a site receives at a time (rxflow.c). */
#define FLITCAST_FLOWS_MAX	8192
/* Sending flows of a source; idle ones give way. */
#define FLITCAST_TXFLOWS_MAX	4096
/* Flows whose target is told again and again that messages were given up. */
#define FLITCAST_FORWARD_MAX	4096
/* Sites of a namespace. */
#define FLITCAST_NET_SITES_MAX	256
/* Bytes that messages of closed sockets may hold at a site. */
#define FLITCAST_ORPHANS_MAX	(64U << 20)

/* Where packets of this site enter the network, each with a round of users. */
enum flitcast_tx_door {
	FLITCAST_TX_BY_INPUT,	/* bulk: the local net-input */
	FLITCAST_TX_BY_SHORT,	/* packets of few flits */
	FLITCAST_TX_BY_HIGH,	/* the high class */
	FLITCAST_TX_BY_RELAY,	/* broadcasts */
	FLITCAST_TX_DOORS,
};

static_assert(FLITCAST_TX_BY_INPUT == (int)FC_SET_BULK);
static_assert(FLITCAST_TX_BY_SHORT == (int)FC_SET_SHORT);
static_assert(FLITCAST_TX_BY_HIGH == (int)FC_SET_HIGH);

/**
 * struct flitcast_train - a packet stored for others, as flits in order
 * @node: in the transit pool
 * @flits: the first is the front; its list names only the targets to go to
 * @at: not before
 * @begun: the front has gone into the local net-input
 */
struct flitcast_train {
	struct list_head node;
	u64 at;
	bool begun;
	struct sk_buff_head flits;
};

/**
 * struct flitcast_feed - the operator's side of a set of channels: what comes from it is put
 *	together, and what goes into it is taken apart, whatever the other sets do meanwhile
 * @netbuf: network-buffer: flits of the packet being received
 * @transit: transit pool: packets to be sent on
 * @ntransit: how many, with @train
 * @train: packet of the transit pool on its way into the local net-input
 * @turn: whose turn at the local net-input: transit pool or own messages
 * @cur: message whose packet is on its way into the local net-input, with a
 *	reference
 * @cur_packet: number of that packet
 * @cur_sent: data bytes of it that went
 * @cur_front: its front went
 * @cur_n: how many targets it goes to
 * @cur_target: those, by number in the message
 * @entered_at: when a packet last went into the local net-input
 */
struct flitcast_feed {
	struct sk_buff_head netbuf;
	struct list_head transit;
	unsigned int ntransit;
	struct flitcast_train *train;
	bool turn;
	struct flitcast_msg *cur;
	u32 cur_packet;
	u32 cur_sent;
	bool cur_front;
	u16 cur_n;
	u16 cur_target[FC_TARGETS_MAX];
	u64 entered_at;
};

struct fc_vnet;
struct flitcast_rx;
struct rx_flow;

/**
 * struct flitcast_end - one port of a site with its link
 * @link: NULL where there is none
 * @hello: handshake
 * @told_state: its state when the listener was last told
 * @told_reason: its reason then
 * @futile: FC_LSTAT_TX_FUTILE of @link when @hello was last told of it
 * @ctrl_at: when the peer may send a full burst of control entries again (core/bucket.h)
 * @ctrl: control frame that waits for more entries, or NULL
 * @cast: flits of broadcasts that the peer has not taken yet
 * @class: of each set and class, likewise
 * @heard: when a frame came the short way (pass.c), in jiffies; 0: none since @hello knows
 * @classes: what the peer may send in: others it has no way for a packet in, and they have no
 *	queue here; never changes
 */
struct flitcast_end {
	struct flitcast_link *link;
	struct fc_hello hello;
	u8 told_state;
	u8 told_reason;
	u64 futile;
	u64 ctrl_at;
	struct sk_buff *ctrl;
	struct flitcast_replay cast;
	struct flitcast_replay *class[FC_SET_COUNT];
	unsigned long heard;
	u64 classes;
};

/* Confirmations that wait for others. */
#define FLITCAST_HELD_MAX	4
/* Sites whose lists' ways are remembered. */
#define FLITCAST_BACKS		8

/**
 * struct flitcast_held - a confirmation that waits for those of targets further on
 * @ctrl: as it goes out
 * @until: not for longer than that
 * @port: by which all of them go
 * @left: of how many it waits
 */
struct flitcast_held {
	struct fc_ctrl ctrl;
	u64 until;
	u8 port;
	u8 left;
};

/**
 * struct flitcast_back - where the lists of a site come from
 * @src: site
 * @port: by which the last one came; 0: none has
 */
struct flitcast_back {
	u32 src;
	u8 port;
};

/**
 * struct flitcast_site - a site of a network namespace
 * @refs: references: the namespace's list, each attached port, each user of
 *	flitcast_site_get()
 * @node: in the namespace's list, under RTNL and RCU
 * @net: namespace; outlives the site's time in the list
 * @cfg: configuration; never changes
 * @incarnation: of this life; never changes
 * @lock: protects all below
 * @dead: taken out of the namespace: nothing begins any more
 * @now: time of who has entered; 0: not asked for yet
 * @core: the protocol; of mode care, the machines of the first set
 * @care: the machines of its other sets; NULL in other modes
 * @nclasses: classes of channels in each; one in mode care
 * @pref: preference table
 * @vnet: the switch of mode vnet; NULL in others.  In every mode @core knows which
 *	links are up and where control frames go.
 * @hops: of @vnet by set, what fc_vnet_hop() takes; NULL where it may not be asked
 * @auth: the network's key; NULL: it has none.  Never changes
 * @csr: reservations of mode csr; NULL in others
 * @relay: broadcasts that pass through
 * @faults: what is known of dead links, and the routes around them
 * @generation: of @pref
 * @feed: the operator's side of each set
 * @nfed: packets in transit pools, and messages on their way into the local net-input
 * @feed_turn: whose flit enters next
 * @ports: attached ports by number; a number that is about to be attached is reserved
 * @port_last: the one that something came for last, or NULL
 * @sources: sources by number, of messages and (1) of broadcasts, likewise
 * @source_last: the one that was found last, or NULL
 * @next_sock: number of the next source; an atomic of its own, not under @lock
 * @site_bits: as many as the number of a site takes
 * @rx: receiving flows
 * @flow_last: of these, the one that was found last, or NULL
 * @owed: of these, those whose source is owed a confirmation that can wait; the oldest first
 * @cast_number: of the next broadcast of this site
 * @owners: users that have sources, by uid
 * @round: of these, by enum flitcast_tx_door, those that have something to send
 * @doors: of these, by bit, all that have something to send, that of broadcasts for @recast and
 *	@casting, too; one that has nothing more stays until that is seen
 * @recast: broadcasts of this site that are sent again
 * @casting: flits of the one that is being sent
 * @nactive: messages under way, by class
 * @nbusy: users that have some
 * @unchecked: events that are not checked before the next one that is (check.c)
 * @casts: copies of broadcasts
 * @cast_ages: these, the oldest first
 * @ncasts: how many
 * @cast_at: when some of them are not waited for any more
 * @srtt: smoothed time from sending a packet to its confirmation, ns
 * @rttvar: smoothed deviation from it
 * @ends_at: when something end to end is due
 * @msgs: all messages that are not over
 * @nmsgs: how many
 * @reroute: of these, the first one that has not been looked at since routes changed, or NULL
 * @looks: targets that may yet be looked at for what is fed before the lock is released; a queue
 *	without anything to send counts as FLITCAST_FEED_QUEUE of them
 * @spare: messages that are not used any more, for the next ones
 * @nspare: how many
 * @due: of these, those of which something is due, by time
 * @late: and those that were sent as they came, and of which nothing is due but to ask for them,
 *	by that time
 * @forward: sending flows whose target is to be told that messages were given up, by time
 * @nforward: how many
 * @rng: state of random numbers
 * @orphans: bytes held by messages of closed sockets
 * @closing: closed sources with such messages, by when these are given up
 * @gone: sources that are over, whose flows are to be freed
 * @spent: messages that are over, whose data is to be freed
 * @spent_at: bucket of data that is freed at once
 * @free: frees both
 * @dropped: received messages that nobody will read (drop() in rx.c)
 * @drop: frees them
 * @echo: the site's own port
 * @sockets: ports attached, without the site's own
 * @drain: sockets send nothing new
 * @changed: links whose state changed since @event ran; bit 0: the site itself
 * @event: tells the listener
 * @loop: control entries for this site: from the links, and from itself
 * @nloop: how many
 * @ctrls: links with a control frame that waits
 * @ctrls_old: of these, with one that waits for @ctrl_soon
 * @held: confirmations of lists, which wait for those of targets further on
 * @nheld: how many
 * @held_alone: so many times more none is held
 * @back: where the lists of sites come from: confirmations go back that way
 * @beyond: while a packet of a list is delivered whose source waits for confirmations: how many
 *	targets are further on
 * @ctrl_soon: sends those of @ctrls
 * @ctrl_joined: to wait was of use since @ctrl_soon ran
 * @ctrl_alone: so many times more they go at once
 * @timer: the one timer
 * @timer_at: when it is set to fire; FC_NEVER: it is not
 * @machines_at: not before then has a machine of the core something to do; when the timer fires, it
 *	is found out anew.  Those of mode csr are asked each time
 * @hello_news: a handshake may be due before that
 * @faults_news: there may be something to tell neighbours of faults before that
 * @kept: memory for the replay buffers
 * @headroom: what a frame needs before its payload, on any of the links so far
 * @dirty: links with frames to transmit
 * @frames: how many were queued for links so far
 * @resets: links to begin anew
 * @more: sets (enum fc_set) whose switch has more to do of what a frame brought
 * @unseen: fronts that were sent on wait to be looked at
 * @woken: ports to wake after unlock, held
 * @stat: counters, by enum fc_stat
 * @local_stat: link counters of the local net-input, which nobody reads
 * @no_queue: of channels in which nothing comes: always empty
 * @end: ports; end[0] is unused
 *
 * Lock order: RTNL > lock_sock > @lock > a socket's receive queue.  Frames are
 * queued under @lock, in the order decided, and transmitted after it.
 *
 * A site dies in three ways: flitcast_site_del(), the end of its namespace, and
 * the module's unload; all go through site_destroy() in site.c, which says what
 * ends in which order.
 */
struct flitcast_site {
	refcount_t refs;
	struct list_head node;
	struct net *net;
	struct flitcast_site_config cfg;
	u32 incarnation;
	struct rcu_head rcu;

	spinlock_t lock; /* see above */
	bool dead;
	u64 now;
	struct fc_site core;
	struct flitcast_care *care;
	u8 nclasses;
	struct fc_timing timing;
	struct fc_pref pref;
	struct flitcast_vnet *vnet;
	struct fc_vnet *hops[FC_SET_COUNT];
	struct crypto_shash *auth;
	struct flitcast_csr *csr;
	struct flitcast_relay *relay;
	struct flitcast_faults *faults;
	u32 generation;

	struct flitcast_feed feed[FC_SET_COUNT];
	unsigned int nfed;
	struct fc_turn feed_turn;

	struct xarray ports;
	struct flitcast_port *port_last;
	struct xarray sources[2];
	struct flitcast_source *source_last;
	atomic_t next_sock;
	u8 site_bits;
	struct flitcast_rx *rx;
	struct rx_flow *flow_last;
	struct list_head owed;
	u32 cast_number;
	DECLARE_HASHTABLE(owners, 6);
	struct flitcast_round round[FLITCAST_TX_DOORS];
	u32 doors;
	struct list_head recast;
	struct sk_buff_head casting;
	unsigned int nactive[FLITCAST_TX_CLASSES];
	unsigned int nbusy[FLITCAST_TX_CLASSES];
#ifdef CONFIG_DEBUG_NET
	unsigned int unchecked;
#endif
	DECLARE_HASHTABLE(casts, 8);
	struct list_head cast_ages;
	unsigned int ncasts;
	u64 cast_at;
	u64 srtt;
	u64 rttvar;
	struct list_head msgs;
	u32 nmsgs;
	struct flitcast_msg *reroute;
	int looks;
	struct flitcast_msg *spare;
	unsigned int nspare;
	struct rb_root_cached due;
	struct list_head late;
	struct rb_root_cached forward;
	unsigned int nforward;
	u64 ends_at;
	u64 rng;
	u64 orphans;
	struct rb_root_cached closing;
	struct list_head gone;
	struct list_head spent;
	u64 spent_at;
	struct work_struct free;
	struct sk_buff_head dropped;
	struct work_struct drop;
	struct flitcast_echo *echo;
	u32 sockets;
	bool drain;
	u32 changed;
	struct work_struct event;

	struct fc_ctrl loop[FLITCAST_LOOP_MAX];
	unsigned int nloop;
	u32 ctrls;
	u32 ctrls_old;
	u8 beyond;
	u8 nheld;
	u8 held_alone;
	struct flitcast_held held[FLITCAST_HELD_MAX];
	struct flitcast_back back[FLITCAST_BACKS];
	struct tasklet_struct ctrl_soon;
	bool ctrl_joined;
	u8 ctrl_alone;

	struct hrtimer timer;
	u64 timer_at;
	u64 machines_at;
	bool hello_news;
	bool faults_news;
	struct flitcast_pool kept;
	unsigned int headroom;
	u32 dirty;
	u32 frames;
	u32 resets;
	u32 more;
	bool unseen;
	struct list_head woken;
	u64 stat[FC_STAT_COUNT];
	u64 local_stat[FC_LSTAT_COUNT];
	struct fc_flit *no_queue;
	struct flitcast_end end[];
};

/* engine.c */

int flitcast_engine_init(void);
void flitcast_engine_exit(void);
enum hrtimer_restart flitcast_engine_timer(struct hrtimer *timer);

/* enter.c */

/* Enter the site: BH off, RCU read lock, its lock. */
void flitcast_enter(struct flitcast_site *site)
	__acquires(RCU) __acquires(&site->lock);
/* Leave it: feed the local net-input, set the timer, unlock, transmit, wake. */
void flitcast_leave(struct flitcast_site *site)
	__releases(&site->lock) __releases(RCU);
/* The same where a frame was received: in a softirq, which goes on, under RCU. */
void flitcast_received(struct flitcast_site *site)
	__releases(&site->lock);
/* Wake a port after unlock. */
void flitcast_wake(struct flitcast_site *site, struct flitcast_port *port, u8 mask);
/* Frames that are ready leave.  BH stay off: one link after the other, and no softirq between. */
void flitcast_transmit(struct flitcast_site *site)
	__releases(&site->lock);
/* Others have their turn. */
void flitcast_pause(struct flitcast_site *site)
	__must_hold(&site->lock);

/* hello.c */

/* When something of the handshakes is due. */
u64 flitcast_hello_due(struct flitcast_site *site);
/* Links whose ends contradict each other begin anew. */
void flitcast_hello_resets(struct flitcast_site *site);
/* A HELLO came, its link header pulled. */
void flitcast_hello_in(struct flitcast_site *site, struct flitcast_link *link,
		       struct sk_buff *skb, const struct fc_link_hdr *hdr);
/* Do what a step of the handshake asks; @n: port. */
void flitcast_hello_perform(struct flitcast_site *site, u8 n, u8 todo);
/* input.c: as @receive and @carrier of struct flitcast_link_ops */

void flitcast_input_receive(struct flitcast_link *link, struct sk_buff *skb,
			    const struct fc_link_hdr *hdr);
void flitcast_input_carrier(struct flitcast_link *link, bool up);

/* output.c */

/* A frame to a link; takes ownership of the skb. */
void flitcast_output_frame(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			   struct fc_link_hdr *hdr);
/*
 * The peer acknowledged flits for the first time.  With a key that proves that it is alive: the
 * frame was not recorded before they were sent.
 */
void flitcast_output_acked(struct flitcast_site *site, u8 port);
/* A flit that came in on another link, or from here, goes out. */
void flitcast_output_send(struct flitcast_site *site, const struct fc_effect *e);
/* The replay buffer of a channel. */
static inline struct flitcast_replay *flitcast_replay_of(struct flitcast_end *end, u8 vc)
{
	return vc == FC_VC_CAST ? &end->cast : &end->class[fc_vc_set(vc)][fc_vc_class(vc)];
}

/* effects.c */

int flitcast_effects_init(void);
void flitcast_effects_exit(void);
/* One effect of the core on packets of a set. */
void flitcast_effects_perform(struct flitcast_site *site, u8 set, const struct fc_effect *e);
/* The list that effects are decided into: one at a time, as an event is. */
struct fc_effects *flitcast_effects(void);
/* A machine of the core has something to do at that time. */
static inline void flitcast_machine_due(struct flitcast_site *site, u64 at)
{
	if (at < site->machines_at)
		site->machines_at = at;
}

/* What a frame needs before its payload. */
unsigned int flitcast_output_headroom(const struct flitcast_link *link);
/*
 * A flit goes out, for the first time: all of its header but the length and the epoch is filled in.
 * Takes ownership of the skb, which has a head of its own, and headroom.
 */
void flitcast_output_flit(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			  struct fc_link_hdr *hdr);
/* What a link's replay buffer has of it goes out again. */
void flitcast_output_again(struct flitcast_site *site, const struct fc_effect *e);
void flitcast_output_status(struct flitcast_site *site, u8 vc, const struct fc_effect *e);

/* A frame that tells a neighbour of faults. */
void flitcast_output_faults(struct flitcast_site *site, u8 port, const struct fc_faults_msg *msg);

static inline u64 flitcast_now(void)
{
	return ktime_get_ns();
}

/*
 * The time for who has entered the site: it is asked for once.  Reservations of mode csr are kept
 * to what it is at each step.
 */
static inline u64 flitcast_site_now(struct flitcast_site *site)
{
	lockdep_assert_held(&site->lock);
	if (!site->now || site->csr)
		site->now = flitcast_now();
	return site->now;
}

/* The set that packets of a class of messages go in. */
static inline u8 flitcast_site_set(enum flitcast_tx_class class)
{
	switch (class) {
	case FLITCAST_TX_HIGH:
		return FC_SET_HIGH;
	case FLITCAST_TX_SHORT:
		return FC_SET_SHORT;
	case FLITCAST_TX_LOW:
	case FLITCAST_TX_CAST:
	case FLITCAST_TX_CLASSES:
		break;
	}
	return FC_SET_BULK;
}

/* pass.c: a plain frame goes on; as @pass of struct flitcast_link_ops */

bool flitcast_pass(struct flitcast_link *link, struct sk_buff *skb);

/* ctrl.c */

void flitcast_ctrl_init(struct flitcast_site *site);
/* Nothing more is sent by and by.  Context: may sleep; the site is dead. */
void flitcast_ctrl_stop(struct flitcast_site *site);
/*
 * An entry for the source or target that it names, which may be of this site.  It goes
 * with others that leave by the same port.
 */
void flitcast_ctrl_send(struct flitcast_site *site, struct fc_ctrl *ctrl);
/*
 * The same of a confirmation that others will follow soon, by the same way and from @left targets
 * further on: it goes with the first of these that has room for it, or with the last; or
 * when it has waited for a while.
 */
void flitcast_ctrl_hold(struct flitcast_site *site, struct fc_ctrl *ctrl, u8 left);
/* What has waited for long enough; what has to wait is left in ends_at. */
void flitcast_ctrl_time(struct flitcast_site *site, u64 until);
/* A list came from a site by a port. */
void flitcast_ctrl_back(struct flitcast_site *site, u32 src, u8 port);
/* A frame, its link header pulled; takes ownership. */
void flitcast_ctrl_in(struct flitcast_site *site, struct flitcast_link *link,
		      struct sk_buff *skb);
/* The site is left: what waits, if there is anything, goes now, or soon. */
void flitcast_ctrl_leave(struct flitcast_site *site);
/* The link goes away, and what waits for it. */
void flitcast_ctrl_drop(struct flitcast_site *site, u8 port);

/* store.c and feed.c: the operator */

void flitcast_oper_init(struct flitcast_site *site);
/* A flit, the front of its packet or not, into the network-buffer of a set; takes ownership. */
void flitcast_oper_store(struct flitcast_site *site, u8 set, struct sk_buff *skb, bool front);
/* A packet of one flit that has one target, which is here; takes ownership. */
void flitcast_oper_here(struct flitcast_site *site, struct sk_buff *skb);
/*
 * Serve the packet in the network-buffer: deliver what of @here is at this site,
 * store what of @rest is not; @aborted: to be sent after a random wait.
 */
void flitcast_oper_serve(struct flitcast_site *site, u8 set, u64 here, u64 rest, bool aborted);
void flitcast_oper_discard(struct flitcast_site *site, u8 set);
/* A whole packet that a dead link may not have carried goes another way; takes the flits. */
void flitcast_oper_rescue(struct flitcast_site *site, u8 set, struct sk_buff_head *flits);
/* May there be something to be sent? */
static inline bool flitcast_oper_waits(const struct flitcast_site *site)
{
	return site->nfed || site->doors & ~fc_bit(FLITCAST_TX_BY_RELAY);
}

/* Feed the local net-input with what is to be sent. */
void flitcast_oper_feed(struct flitcast_site *site);
/* Has a set nothing to feed its local net-input with? */
static inline bool flitcast_oper_clear(const struct flitcast_site *site, u8 set)
{
	const struct flitcast_feed *feed = &site->feed[set];

	return !feed->ntransit && !feed->cur && !(site->doors & fc_bit(set));
}

/*
 * Names the packet whose last flit enters the local net-input of a set next, for
 * flitcast_oper_stands().  Return: never 0.
 */
u64 flitcast_oper_entered(struct flitcast_site *site, u8 set);
/* Does the packet of that name still stand in the local net-input? */
bool flitcast_oper_stands(struct flitcast_site *site, u64 entered);
/*
 * Since when has no packet of a class of messages got into the local net-input that had to?
 * FC_NEVER: one can.
 */
u64 flitcast_oper_stuck(struct flitcast_site *site, enum flitcast_tx_class class);
void flitcast_oper_purge(struct flitcast_site *site);

/* Clones of the flits of a packet; false: no memory. */
bool flitcast_flits_clone(struct sk_buff_head *to, const struct sk_buff_head *from);

/* care.c: the machines of mode care, of which each set has its own; may be called in every mode */

/* What machines need, flits coming from these ports only; what an error leaves is freed, too. */
int flitcast_care_machines(struct flitcast_site *site, struct fc_site *core, u32 ports);
/* Of the other sets, in mode care. */
int flitcast_care_alloc(struct flitcast_site *site);
void flitcast_care_purge(struct flitcast_site *site);
void flitcast_care_free(struct flitcast_site *site);
/* Counters of a port. */
void flitcast_care_count(struct flitcast_site *site, u8 port, u64 *stat);
/* One event into the machines of a set and its effects performed; sets only the event's time. */
void flitcast_care_event(struct flitcast_site *site, u8 set, struct fc_event *ev);
/* What concerns all sets. */
void flitcast_care_all(struct flitcast_site *site, struct fc_event *ev);
/* What is due in any of them. */
void flitcast_care_time(struct flitcast_site *site, u64 now);
u64 flitcast_care_next_at(const struct flitcast_site *site);
/* Routes or preference lists have changed: said at the next event. */
void flitcast_care_rerouted(struct flitcast_site *site);
/* The machines of a set, in mode care. */
struct fc_site *flitcast_care_core(struct flitcast_site *site, u8 set);

/* vnet.c: the switch of mode vnet; but for the first, all may be called in every mode */

int flitcast_vnet_alloc(struct flitcast_site *site);
/* The switch of a set. */
struct fc_vnet *flitcast_vnet_core(struct flitcast_site *site, u8 set);
void flitcast_vnet_purge(struct flitcast_site *site);
void flitcast_vnet_free(struct flitcast_site *site);
/* Of a site that has a switch. */
const struct fc_vclass *flitcast_vnet_vclass(const struct flitcast_site *site);
u64 flitcast_vnet_next_at(const struct flitcast_site *site);
/* Counters of a port. */
void flitcast_vnet_count(struct flitcast_site *site, u8 port, u64 *stat);

/* In mode vnet: the same of the switch that has the channel. */
void flitcast_vnet_event(struct flitcast_site *site, u8 vc, struct fc_event *ev);
/*
 * The same of what a frame brings.  A status may let a window of flits go: what one event does not
 * do is noted, and done before the site is left, by flitcast_vnet_more(), a part at a time.
 */
void flitcast_vnet_receive(struct flitcast_site *site, u8 vc, struct fc_event *ev);
void flitcast_vnet_more(struct flitcast_site *site);
/* What concerns all channels. */
void flitcast_vnet_all(struct flitcast_site *site, struct fc_event *ev);
/* Routes changed. */
void flitcast_vnet_rerouted(struct flitcast_site *site);
/* May a packet of a set be fed?  Its flits go to the lane that has been found here. */
bool flitcast_vnet_room(struct flitcast_site *site, u8 set);
/* Is there no lane of a set that takes a packet? */
bool flitcast_vnet_stuck(const struct flitcast_site *site, u8 set);
/* As flitcast_oper_entered(): the channel above the number of the next flit in the lane fed. */
u64 flitcast_vnet_entered(const struct flitcast_site *site, u8 set);
/* Flits that have left a lane, by its channel. */
u32 flitcast_vnet_taken(const struct flitcast_site *site, u8 vc);
void flitcast_vnet_feed(struct flitcast_site *site, u8 set, struct fc_event *ev);
/*
 * What goes at once, past the lanes: a packet of this site in one flit, with one target.  Return:
 * false if it has to be fed; nothing has been done then.
 */
bool flitcast_vnet_start(struct flitcast_site *site, u8 set, struct sk_buff *skb);

/* csr.c: reservations of mode csr; but for the first, all may be called in every mode */

/* After flitcast_vnet_alloc(); frees with flitcast_csr_free() what an error leaves. */
int flitcast_csr_alloc(struct flitcast_site *site);
void flitcast_csr_free(struct flitcast_site *site);
u64 flitcast_csr_next_at(const struct flitcast_site *site);
/* A frame, its link header pulled; false if it is malformed. */
bool flitcast_csr_in(struct flitcast_site *site, u8 port, struct sk_buff *skb);
/* Before the event of the same kind into the switch. */
void flitcast_csr_time(struct flitcast_site *site, u64 now);
void flitcast_csr_link_down(struct flitcast_site *site, u8 port);
/* When a packet that is here was to have come at the latest (flitcast_now()); 0: not known. */
u64 flitcast_csr_due(const struct flitcast_site *site, const u8 *head);

/* relay.c: broadcasts that pass through */

int flitcast_relay_alloc(struct flitcast_site *site);
void flitcast_relay_purge(struct flitcast_site *site);
void flitcast_relay_free(struct flitcast_site *site);
/* The same of the relay. */
void flitcast_relay_event(struct flitcast_site *site, struct fc_event *ev);
/* May a broadcast of this site begin? */
bool flitcast_relay_room(const struct flitcast_site *site);
u64 flitcast_relay_next_at(const struct flitcast_site *site);
/* Counters of a port. */
void flitcast_relay_count(struct flitcast_site *site, u8 port, u64 *stat);

/* cast.c: broadcasts that are for here */

/* Copies that were waited for too long are forgotten. */
void flitcast_cast_time(struct flitcast_site *site, u64 now);
void flitcast_cast_detach(struct flitcast_site *site, struct flitcast_port *port);
void flitcast_cast_purge(struct flitcast_site *site);

/* faults.c: dead links, and routes around them */

int flitcast_faults_alloc(struct flitcast_site *site);
/* The site is there: routes are computed from here on. */
void flitcast_faults_begin(struct flitcast_site *site);
/* No routes are computed any more.  Context: may sleep; the site is dead. */
void flitcast_faults_stop(struct flitcast_site *site);
void flitcast_faults_free(struct flitcast_site *site);
/* A link came up, after its FC_EV_LINK_UP, or goes down, before its FC_EV_LINK_DOWN. */
void flitcast_faults_link(struct flitcast_site *site, u8 port, bool up);
/* A neighbour's frame, its link header pulled; false if it is malformed. */
bool flitcast_faults_in(struct flitcast_site *site, u8 port, struct sk_buff *skb);
/* Is there something to say now? */
bool flitcast_faults_due(const struct flitcast_site *site, u64 now);
/* @early: what is to be said soon is said now. */
void flitcast_faults_time(struct flitcast_site *site, u64 now, bool early);
/* Send what is to be sent now: there are faults_news. */
void flitcast_faults_send(struct flitcast_site *site);
u64 flitcast_faults_next_at(const struct flitcast_site *site);
/* Since when is there no way to a site: FC_NEVER if there is one. */
u64 flitcast_faults_lost(const struct flitcast_site *site, u32 dst, u64 now);
bool flitcast_faults_any_lost(const struct flitcast_site *site);

/* rx.c: receiving ends */

/**
 * struct flitcast_votes - how a broadcast came to be believed
 * @copies: copies received by then
 * @votes: of these, equal to it
 * @dissent: ports by which the others came
 */
struct flitcast_votes {
	u32 dissent;
	u8 copies;
	u8 votes;
};

/*
 * Confirmations that could wait until @until are sent, and the timer is set for the others.
 * Return: true if there are more of them than are sent in one go.
 */
bool flitcast_rx_time(struct flitcast_site *site, u64 until);
/* All before a level is over at its source. */
void flitcast_rx_forward(struct flitcast_site *site, const struct fc_ctrl *ctrl);
/* A source asks for a message that was put off. */
void flitcast_rx_ask(struct flitcast_site *site, const struct fc_ctrl *ask);
/* A source answers what is over (FC_CTRL_OVER), or needs a flow no more (FC_CTRL_CLOSED). */
void flitcast_rx_over(struct flitcast_site *site, const struct fc_ctrl *ctrl);
void flitcast_rx_init(struct flitcast_site *site);
/* Context: process; nothing comes in any more, and the ports are detached. */
void flitcast_rx_stop(struct flitcast_site *site);
int flitcast_rxflow_alloc(struct flitcast_site *site);
/* Context: process; the site is dead, and its ports are detached. */
void flitcast_rxflow_free(struct flitcast_site *site);
/* ports.c */

struct flitcast_port *flitcast_port_find(struct flitcast_site *site, u16 number);

/* tx.c: sending ends */

/* A control frame about a message of this site. */
void flitcast_tx_answer(struct flitcast_site *site, const struct fc_ctrl *ctrl);
/* Are there broadcasts to be sent? */
static inline bool flitcast_txcast_waits(const struct flitcast_site *site)
{
	return site->doors & fc_bit(FLITCAST_TX_BY_RELAY);
}

/* Broadcasts of this site begin, or go on. */
void flitcast_txcast_feed(struct flitcast_site *site);
/* What is left of one goes no more. */
void flitcast_txcast_purge(struct flitcast_site *site);
void flitcast_tx_time(struct flitcast_site *site);
void flitcast_tx_init(struct flitcast_site *site);
/* The sending side of a port that is not attached yet.  Context: may sleep; not under the lock. */
int flitcast_tx_prepare(struct flitcast_site *site, struct flitcast_port *port);
/* It is not attached after all.  Likewise. */
void flitcast_tx_cancel(struct flitcast_site *site, struct flitcast_port *port);
void flitcast_tx_attach(struct flitcast_site *site, struct flitcast_port *port);
void flitcast_tx_detach(struct flitcast_site *site, struct flitcast_port *port);
/*
 * The site is dead: its messages are over for every target, so many of them at a time.  Return:
 * true if there are more.
 */
bool flitcast_tx_purge(struct flitcast_site *site);
/* Its ports have gone after that: the sources that are left go.  Likewise. */
bool flitcast_tx_purge_sources(struct flitcast_site *site);
/* What is to be freed is.  Context: may sleep; there are no sources any more. */
void flitcast_tx_stop(struct flitcast_site *site);
/* Memory that is kept for messages; nobody sends any more. */
void flitcast_tx_free(struct flitcast_site *site);

/* event.c */

/* Tell the listener, who may sleep, of a site or of its end of a link (nothing if it has none). */
void flitcast_event_site(struct flitcast_site *site, enum flitcast_site_event event);
void flitcast_event_link(struct flitcast_site *site, u32 port, bool added);
/* Tell the listener soon of a link, or of the site itself (port 0). */
void flitcast_site_link_event(struct flitcast_site *site, u8 port);
/* Tell the listener of what flitcast_site_link_event() noted. */
void flitcast_event_work(struct work_struct *work);
/* Is a site that is being drained done with it?  Then the listener is told. */
void flitcast_site_drained(struct flitcast_site *site);

/* end.c */

/* Does a window hold what the mode wants it to?  0 or -EINVAL. */
int flitcast_window_check(const struct flitcast_site_config *cfg, u32 window,
			  struct netlink_ext_ack *extack);
/* Take a link out of the site and end it.  Context: RTNL held. */
void flitcast_site_link_gone(struct flitcast_site *site, u8 port);

/* channel.c */

/*
 * Memory of a channel; what an error leaves behind flitcast_channel_free() frees, too.  Flits come
 * only from these ports.
 */
int flitcast_channel_alloc(struct flitcast_site *site, struct fc_channel *ch, u32 ports);
void flitcast_channel_free(struct flitcast_site *site, struct fc_channel *ch);

/* alloc.c */

/* Return: a site that nobody knows yet, with one reference; NULL: no memory.  May sleep. */
struct flitcast_site *flitcast_site_alloc(struct net *net, const struct flitcast_site_config *cfg);
/* The times of its machines, from its tuning. */
void flitcast_site_set_timing(struct flitcast_site *site);

/* port.c */

/* The site is dead: its messages, and then its ports, go one after the other. */
void flitcast_ports_gone(struct flitcast_site *site)
	__must_hold(&site->lock);

#endif /* FLITCAST_SITE_IMPL_H */
