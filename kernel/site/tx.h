/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sending ends of a site, for its files msg.c, source.c and tx*.c.
 * All under the site's lock, but for a message that was not handed over yet.
 */
#ifndef FLITCAST_SITE_TX_H
#define FLITCAST_SITE_TX_H

#include "core/txlist.h"
#include "site/impl.h"

/*
 * Wait for an answer, to questions as well: several round trips, at least so long;
 * doubles up to the last.
 */
#define RTO_FIRST_NS	(400 * NSEC_PER_MSEC)
#define RTO_LAST_NS	(4 * NSEC_PER_SEC)
/*
 * A target is asked sooner: what is lost more often than data, which the links repeat,
 * is the confirmation, and a question costs no more than that did.
 */
#define ASK_FIRST_NS	(20 * NSEC_PER_MSEC)
/* In mode csr a packet may wait for long before it enters, and is not lost. */
#define ASK_CSR_NS	(300 * NSEC_PER_MSEC)
/*
 * An answer that data has not come says that it was lost when that left so many waits
 * ago: it is the answer to the second question.
 */
#define ASK_LOST	3
/* Questions without an answer: the last one follows 31 waits after the data. */
#define ASKS		5

/* Flows found without a look into the table: those of a short list. */
#define TX_FLOWS_LAST	8

/* Units of the time that targets of a message wait for others, as a power of 2 ns. */
#define HOLD_SHIFT	12

/**
 * struct tx_flow - sending end of a flow
 * @src: source
 * @site: target site
 * @port: target port
 * @pending: targets of messages that are not over, in order
 * @heard: when the target last said anything
 * @news_at: when it last said anything new of any message
 * @level: all messages before this one are over at the target, as it says
 * @forward: in the site's tree while the target is to be told of what was given up
 * @forward_at: when it is told next
 * @forwards: how often it was told
 * @silent: the target did not answer in time: it is asked with its oldest message
 *	only, and nobody waits for it
 * @silent_since: it owes an answer since then
 * @unreachable: the last word was that there is no way to it
 * @users: messages that are about to begin and have it in their lists
 * @detached: left out of new messages, if it is the era of its source; 0: it never was
 * @spared: it was passed by when others gave way, because it is detached
 * @patience: that others have with its target
 * @core: numbers
 */
struct tx_flow {
	struct flitcast_source *src;
	u32 site;
	u16 port;
	struct list_head pending;
	u64 heard;
	u64 news_at;
	u64 silent_since;
	u32 level;
	struct rb_node forward;
	u64 forward_at;
	u32 users;
	u32 detached;
	u8 forwards;
	bool silent;
	bool unreachable;
	bool spared;
	struct fc_patience patience;
	struct fc_txflow core;
};

/**
 * struct tx_target - one target of a message
 * @flow: its flow; not to be used when the target is over
 * @pending: in the flow's list until over
 * @msg: the message
 * @asked: since when it owes an answer; 0: it does not
 * @since: when it was accepted, had no room, or had no way: what happened last
 * @sent_at: when its last packet had left
 * @first_at: when that packet had left for the first time
 * @heard_at: when it confirmed something new
 * @site: target site
 * @port: target port
 * @index: place in the sender's list
 * @off: first byte, as the sender named it
 * @len: bytes, as the sender named them
 * @err: result, when over: 0 or a negative errno
 * @most: packets sent at least once
 * @offers: how often its last packet was begun, to 3: without it the message is not complete
 * @asks: how often it was asked since it said something new
 * @levels: how often it asked for the level of its flow since it confirmed something
 * @silent: it did not answer in time: nothing of it counts as under way before it does
 * @lost: there is no way to it, as far as this site itself knows
 * @later: its last packet said that the confirmation can wait
 * @under_way: it is among those of the message that are, see flitcast_tx_settle()
 * @questioned: it was asked whether the message had come
 * @put_off: when it was given up, its last word was that it had no room
 * @core: progress
 */
struct tx_target {
	struct tx_flow *flow;
	struct list_head pending;
	struct flitcast_msg *msg;
	u64 asked;
	u64 since;
	u64 sent_at;
	u64 first_at;
	u64 heard_at;
	u32 site;
	u16 port;
	u16 index;
	u32 off;
	u32 len;
	s16 err;
	u16 most;
	u8 asks;
	u8 levels;
	bool silent:1;
	bool lost:1;
	bool later:1;
	bool under_way:1;
	bool questioned:1;
	bool put_off:1;
	u8 offers:2;
	struct fc_txtarget core;
};

/**
 * struct flitcast_queue - messages of a source and class that may have something to send
 * @turn: in the round of its user, or, @blocked, in the list of those that wait for a place
 * @ready: those that have begun
 * @fresh: those that have not begun, in order
 * @nactive: messages under way
 * @blocked: the user has no place for another message under way
 * @unblocked: it was, and has not used the place that became free
 */
struct flitcast_queue {
	struct flitcast_turn turn;
	struct list_head ready;
	struct list_head fresh;
	unsigned int nactive;
	bool blocked;
	bool unblocked;
};

/**
 * struct flitcast_owned - what a user has of a class
 * @round: queues of its sources
 * @blocked: those that wait for a place for their first message, in order
 * @nactive: messages under way
 * @nbusy: sources that have some
 */
struct flitcast_owned {
	struct flitcast_round round;
	struct list_head blocked;
	unsigned int nactive;
	unsigned int nbusy;
};

/**
 * struct flitcast_owner - a user of the site, as long as it has sources
 * @node: in the site's table
 * @uid: user that made the sockets
 * @nsources: sources
 * @turn: in the rounds of the site
 * @class: by class
 */
struct flitcast_owner {
	struct hlist_node node;
	kuid_t uid;
	unsigned int nsources;
	struct flitcast_turn turn[FLITCAST_TX_DOORS];
	struct flitcast_owned class[FLITCAST_TX_CLASSES];
};

/**
 * struct flitcast_source - the sending side of a port; outlives it until its
 * messages are over
 * @number: of the socket, unique in the site's life
 * @port: NULL once closed
 * @src_port: its port number
 * @flows: by target; see flow_index()
 * @flow_last: the ones that were found last, each by its target site modulo their number, or NULL
 * @first_port: port of the target of the first one
 * @hand: place of the one that is looked at next when some are to give way
 * @nflows: how many
 * @nforward: of these, in the site's tree of those to be told
 * @patience: to wait for targets, of all its messages
 * @era: of targets that are left out for their slowness: those of older ones are not any more
 * @next: number a new flow begins with: above all that an evicted one used
 * @next_id: id of the next message
 * @next_cast: of broadcasts, number of the next message in all its flows
 * @msgs: messages that are not over
 * @nmsgs: how many
 * @charge: bytes of send room that they take
 * @share: what they are counted in once the port is closed, with a reference; NULL: nothing
 * @pages: counted there
 * @owner: whose it is
 * @queue: of messages or broadcasts, of messages of the higher class, and of short ones that have
 *	channels of their own
 * @timeout: how long a target may stay silent, ns
 * @until: once closed, when all that is not over is given up
 * @closing: in the site's tree meanwhile
 * @gone: in the site's list once all is over
 */
struct flitcast_source {
	u32 number;
	struct flitcast_port *port;
	u16 src_port;
	struct xarray flows;
	struct tx_flow *flow_last[TX_FLOWS_LAST];
	unsigned long hand;
	u16 first_port;
	unsigned int nflows;
	unsigned int nforward;
	struct fc_patience patience;
	u32 era;
	u32 next;
	u32 next_id;
	u32 next_cast;
	struct list_head msgs;
	u32 nmsgs;
	u64 charge;
	struct flitcast_share *share;
	u32 pages;
	struct flitcast_owner *owner;
	struct flitcast_queue queue[3];
	u64 timeout;
	u64 until;
	struct rb_node closing;
	struct list_head gone;
};

/* What all targets of a message are looked at for, in pieces: nobody holds the lock for long. */
enum tx_walk {
	TX_WALK_NONE,
	TX_WALK_GIVE_UP,	/* all are given up */
	TX_WALK_SLOW,		/* they took longer than the sender allows */
	TX_WALK_DEADLINE,	/* which were silent for too long? */
	TX_WALK_ASK,		/* which are asked whether it has come? */
	TX_WALK_REPEAT,		/* it is sent again */
};

/**
 * struct flitcast_msg - a message being sent
 * @out: what becomes of it
 * @refs: the site's list, the packet being sent, the one who keeps the outcome
 * @site_node: in the site's list of messages
 * @ready: in its queue, or the site's list of broadcasts to be sent again
 * @source_node: in the source's list
 * @spare: the next one of those of the site that are not used
 * @due_node: in the site's tree of those of which something is due
 * @late: instead, in its list of those that are asked for if no answer comes; @due is FC_NEVER
 * @source: its source; NULL when over
 * @len: bytes
 * @due: when something is due, FC_NEVER: it is not in the tree
 * @accepted: when it was handed over
 * @repeat_at: when to send again what is unconfirmed
 * @ask_at: when to see who is to be asked whether it has come
 * @deadline_at: when to look for targets that were silent for too long
 * @slow_at: when targets that have not confirmed are left out
 * @held_at: where some of its targets wait for others: when they were looked at last
 * @hold_for: and so long later they are looked at again, in units of 2^HOLD_SHIFT ns
 * @waits_for: they wait: see @patience of its source
 * @was_held: they did when they were looked at last
 * @wait: current wait for an answer
 * @entered: its last packet in the local net-input (flitcast_oper_entered()); 0: none
 * @holding: they do
 * @walk: what all its targets are looked at for, one after the other, see enum tx_walk
 * @walk_at: number of the next one
 * @walk_err: what they are given up with
 * @walk_due: not before
 * @acts: of the targets looked at so far, those that were asked
 * @begun: some of it was sent: it does not wait for its turn again
 * @active: it counts as under way: some of its targets are
 * @is_late: it is in the list of @late
 * @list: the sender named a target list
 * @waits: it counts in @waits of its port
 * @patient: its confirmations may come later
 * @slow: enum flitcast_slow
 * @class: enum flitcast_tx_class
 * @copies: of a broadcast; else 0
 * @re: id of the message that it answers, where its kind is an answer
 * @ntargets: targets
 * @left: of these, not over
 * @nunder_way: of these, under way
 * @target: targets
 * @npages: pages of data; 0 where there is little of it
 * @page: data; NULL when over; those that follow each other in one lot have one reference to it
 * @one: @target, where there is one
 * @held: @page is the program's own, one by one, and who is told when it is not needed any
 *	more; else NULL
 * @start: where the data begins in the first page
 * @few: @page, where there are few
 * @small: data, where there is little of it
 */
struct flitcast_msg {
	struct flitcast_sent out;
	refcount_t refs;
	struct list_head site_node;
	struct list_head ready;
	struct list_head source_node;
	union {
		struct rb_node due_node;
		struct list_head late;
		struct flitcast_msg *spare;
	};
	struct flitcast_source *source;
	u32 len;
	u64 due;
	u64 accepted;
	u64 repeat_at;
	u64 ask_at;
	u64 deadline_at;
	u64 slow_at;
	u64 held_at;
	u64 wait;
	u64 entered;
	u64 walk_due;
	u32 walk_at;
	s16 walk_err;
	u8 walk;
	u8 acts;
	bool holding:1;
	bool waits_for:1;
	bool was_held:1;
	bool begun:1;
	bool active:1;
	bool is_late:1;
	bool list:1;
	bool waits:1;
	bool patient:1;
	u8 slow;
	u8 class;
	u32 re;
	u32 ntargets;
	u16 left;
	u16 nunder_way;
	u16 hold_for;
	u8 copies;
	u32 npages;
	struct page **page;
	struct tx_target *target;
	struct tx_target one;
	union {
		struct {
			struct ubuf_info *held;
			u32 start;
			struct page *few[10];
		};
		u8 small[FLITCAST_MSG_SMALL];
	};
};

/* txsched.c */

/* Until then some targets of a message wait for others. */
static inline u64 flitcast_tx_hold_until(const struct flitcast_msg *msg)
{
	return msg->held_at + ((u64)msg->hold_for << HOLD_SHIFT);
}

/*
 * The state of a target changed: its message may become active, or make place for another.  A
 * target is under way if it has packets that it has not confirmed, or room, which should soon be
 * used.  What a silent one is sent again does not count: a site that is gone must not hold back
 * what goes to others.
 */
void flitcast_tx_settle(struct flitcast_site *site, struct tx_target *t);
/* One of its times changed. */
void flitcast_tx_schedule(struct flitcast_site *site, struct flitcast_msg *msg);
/* The same of one that was just sent, to one target. */
void flitcast_tx_schedule_sent(struct flitcast_site *site, struct flitcast_msg *msg);
/* tx.c */

/* Give a target up; false if that was the end of the message. */
bool flitcast_tx_give_up(struct flitcast_site *site, struct tx_target *t, int err);
/*
 * Give up what is left of a message, as far as the budget goes; the timer goes on with the rest.
 * Return: true if it is over, and gone.
 */
bool flitcast_tx_give_up_all(struct flitcast_site *site, struct flitcast_msg *msg, int err,
			     int *budget);

/* What nearly every answer takes (RFC 6298), at least so long. */
static inline u64 flitcast_tx_ask_wait(const struct flitcast_site *site)
{
	return clamp_t(u64, site->srtt + 4 * site->rttvar,
		       site->csr ? ASK_CSR_NS : ASK_FIRST_NS, RTO_LAST_NS);
}

/* After the questions of ASK_LOST waits, and their answers. */
static inline u64 flitcast_tx_wait(const struct flitcast_site *site)
{
	return clamp_t(u64, 4 * flitcast_tx_ask_wait(site), RTO_FIRST_NS, RTO_LAST_NS);
}

/* Some targets of a message wait for others, or do not any more. */
static inline void flitcast_tx_hold(struct flitcast_msg *msg, bool wait, u64 now)
{
	if (msg->waits_for == wait)
		return;
	msg->waits_for = wait;
	if (wait)
		fc_patience_wait(&msg->source->patience, FC_PATIENCE_SOURCE, now);
	else
		fc_patience_over(&msg->source->patience, FC_PATIENCE_SOURCE, now);
}

/* Something was sent, or came: what is missing then is asked for in its time. */
static inline void flitcast_tx_ask_later(const struct flitcast_site *site,
					 struct flitcast_msg *msg, u64 now)
{
	u64 at = now + flitcast_tx_ask_wait(site) + (msg->patient ? FC_LATER_NS : 0);

	msg->ask_at = min(msg->ask_at, at);
}

/*
 * How long the lock is held: looks at targets, or what takes as long; what it takes to act on one,
 * to look at a message, and to free one.
 */
#define TX_BUDGET	768
#define TX_COST_ACT	16
#define TX_COST_MSG	8
#define TX_COST_FREE	48

/* Something end to end is due at that time. */
static inline void flitcast_tx_due(struct flitcast_site *site, u64 at)
{
	site->ends_at = min(site->ends_at, at);
}

/* txflow.c */

struct tx_flow *flitcast_txflow_find(struct flitcast_site *site, struct flitcast_source *src,
				     u32 target, u16 port);
/* Find it or make it, for which another may give way; NULL: no memory. */
struct tx_flow *flitcast_txflow_get(struct flitcast_site *site, struct flitcast_source *src,
				    u32 target, u16 port);
/* The source is over: its targets need keep nothing of it.  So many are told. */
void flitcast_txflow_tell_closed(struct flitcast_site *site, struct flitcast_source *src);
/* Free them all.  Context: may sleep; nobody else knows the source any more. */
void flitcast_txflow_free_all(struct flitcast_source *src);

/* Is the target left out of new messages? */
static inline bool flitcast_txflow_detached(const struct tx_flow *flow)
{
	return flow->detached == flow->src->era;
}

/* A message of the flow may be over: those behind it may be sent now. */
void flitcast_txflow_advance(struct flitcast_site *site, struct tx_flow *flow);
/* The target spoke: all before @level is over there. */
void flitcast_txflow_heard(struct flitcast_site *site, struct tx_flow *flow, u32 level);
/* The target did not answer in time, or did again. */
void flitcast_txflow_silent(struct flitcast_site *site, struct tx_flow *flow, bool silent);
/* A message was given up: the target is to be told, soon. */
void flitcast_txflow_forward(struct flitcast_site *site, struct tx_flow *flow);
/* The target waits from @level on for what is over here: it is to be told. */
void flitcast_txflow_behind(struct flitcast_site *site, struct tx_flow *flow, u32 level);
/*
 * Tell those it is time for, as far as the budget goes.  Return: a source one of whose targets is
 * not told any more, which may be over by that: to be called again; or NULL.
 */
struct flitcast_source *flitcast_txflow_time(struct flitcast_site *site, u64 now, int *budget);

/* txqueue.c */

/* The message may have something to send. */
void flitcast_tx_ready(struct flitcast_site *site, struct flitcast_msg *msg);

/* A user without sources; NULL: no memory.  Context: may sleep. */
struct flitcast_owner *flitcast_txqueue_owner(kuid_t uid);
/* The source has a place among those of the user.  Return: @owner, if there was one already. */
struct flitcast_owner *flitcast_txqueue_attach(struct flitcast_site *site,
					       struct flitcast_source *src,
					       struct flitcast_owner *owner);
/* It has no messages any more. */
void flitcast_txqueue_detach(struct flitcast_site *site, struct flitcast_source *src);

/**
 * flitcast_txqueue_next() - the message whose turn it is
 * @site: site
 * @door: where it enters the network
 *
 * Its caller sends a packet of it, and says so (flitcast_txqueue_sent()), or takes it out of its
 * queue, if there is none to be sent now, and asks again.
 *
 * Return: the message, or NULL: there is none.
 */
struct flitcast_msg *flitcast_txqueue_next(struct flitcast_site *site, enum flitcast_tx_door door);
/* A packet with @bytes of data, FC_PACKET_MAX at most, of the message that was next is sent. */
void flitcast_txqueue_sent(struct flitcast_site *site, struct flitcast_msg *msg, u32 bytes);
/* The message is under way from now on, or is not any more. */
void flitcast_txqueue_active(struct flitcast_site *site, struct flitcast_msg *msg);
void flitcast_txqueue_inactive(struct flitcast_site *site, struct flitcast_msg *msg);
/* Messages of a class that a source may have under way, if nobody else has any. */
unsigned int flitcast_txqueue_active_max(const struct flitcast_site *site);
/* Does one more fit a @part-th of what the source may have under way now? */
bool flitcast_txqueue_share(const struct flitcast_site *site, struct flitcast_source *src, u8 class,
			    unsigned int part);
/* May a message of the source begin, its first one or one more? */
bool flitcast_txqueue_room(const struct flitcast_site *site, struct flitcast_source *src, u8 class);

/* In which round do messages of a class take their turns? */
static inline enum flitcast_tx_door flitcast_txqueue_door(u8 class)
{
	switch ((enum flitcast_tx_class)class) {
	case FLITCAST_TX_CAST:
		return FLITCAST_TX_BY_RELAY;
	case FLITCAST_TX_SHORT:
		return FLITCAST_TX_BY_SHORT;
	case FLITCAST_TX_HIGH:
		return FLITCAST_TX_BY_HIGH;
	case FLITCAST_TX_LOW:
	case FLITCAST_TX_CLASSES:
		break;
	}
	return FLITCAST_TX_BY_INPUT;
}

static inline unsigned int flitcast_txqueue_index(u8 class)
{
	return class == FLITCAST_TX_SHORT ? 2 : class == FLITCAST_TX_HIGH;
}

static inline struct flitcast_queue *flitcast_txqueue_of(struct flitcast_source *src, u8 class)
{
	return &src->queue[flitcast_txqueue_index(class)];
}

/* The other way round. */
static inline struct flitcast_source *flitcast_txqueue_source(struct flitcast_queue *queue,
							      u8 class)
{
	queue -= flitcast_txqueue_index(class);
	return container_of(queue, struct flitcast_source, queue[0]);
}

/* txpacket.c */

/* Targets of a packet, at most: their list fits its first flit. */
static inline u32 flitcast_tx_targets_most(const struct flitcast_site *site)
{
	return min_t(u32, FC_TARGETS_MAX, (site->cfg.flit - FC_LINK_SIZE - FC_PACKET_SIZE) /
		     FC_TARGET_SIZE);
}

/* Bytes of the message's data that go into the linear part of a flit: all, or none. */
static inline u32 flitcast_tx_linear(const struct flitcast_msg *msg)
{
	return msg->npages ? 0 : msg->len;
}

/*
 * Data [from, from + len) of the message as fragments, or into the linear part, which has room.
 * Return: bytes, as many as fit.
 */
u32 flitcast_tx_add_data(struct sk_buff *skb, struct flitcast_msg *msg, u32 from, u32 len);
/*
 * A message that has just been accepted goes now, if it is one flit to one target, and its source
 * has no other that waits: nothing else does, or nothing does for its link.  Return: false if it is
 * to wait.
 */
bool flitcast_tx_at_once(struct flitcast_site *site, struct flitcast_msg *msg);
/*
 * A packet is about to be sent to a target, or to all, and may come there from now on, even if the
 * target is given up before the packet goes.
 */
void flitcast_tx_offer(struct tx_target *t, u32 packet);
/* A packet goes to a target.  Return: true if it did before. */
bool flitcast_tx_mark(struct tx_target *t, u32 packet, u64 now);
/* A packet of the message has gone: answers are waited for. */
void flitcast_tx_went(struct flitcast_site *site, struct flitcast_msg *msg, u64 now);

/* source.c */

/* Of a packet or an answer; NULL: it is over. */
struct flitcast_source *flitcast_source_find(struct flitcast_site *site, u32 sock);
/* A message of a closed socket is over; @src->charge does not have its @charge any more. */
void flitcast_source_orphan_over(struct flitcast_site *site, struct flitcast_source *src,
				 u32 charge);
/*
 * Broadcasts of a port have a source of their own, with flows of their own, from the first one on.
 * Enters the site.  Return: 0, or why it has none.
 */
int flitcast_source_casts(struct flitcast_site *site, struct flitcast_port *port);
/* A message has reserved a way, or is over: who sent it does not wait for that any more. */
void flitcast_source_admitted(struct flitcast_site *site, struct flitcast_msg *msg);

/* A closed source goes with its last message; its user has no more to do with it. */
void flitcast_source_reap(struct flitcast_site *site, struct flitcast_source *src);

#endif /* FLITCAST_SITE_TX_H */
