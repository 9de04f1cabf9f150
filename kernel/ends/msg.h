/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A message that is being sent, and its memory: under the site's lock once it is handed over.
 */
#ifndef FLITCAST_ENDS_MSG_H
#define FLITCAST_ENDS_MSG_H

#include <linux/rbtree.h>
#include <linux/refcount.h>
#include "core/txlist.h"
#include "ends/message.h"

struct tx_flow;
struct ubuf_info;

/* Units of the time that targets of a message wait for others, as a power of 2 ns. */
#define HOLD_SHIFT	12

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
 * @len: bytes, likewise
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
 * struct tx_times - when something is due of a message
 * @due: the first of all, FC_NEVER: it is not in the tree
 * @accepted: when it was handed over
 * @repeat: when to send again what is unconfirmed
 * @ask: when to see who is to be asked whether it has come
 * @deadline: when to look for targets that were silent for too long
 * @slow: when targets that have not confirmed are left out
 * @wait: current wait for an answer
 */
struct tx_times {
	u64 due;
	u64 accepted;
	u64 repeat;
	u64 ask;
	u64 deadline;
	u64 slow;
	u64 wait;
};

/**
 * struct tx_state - where a message stands
 * @held_at: where some of its targets wait for others: when they were looked at last
 * @hold_for: and so long later they are looked at again, in units of 2^HOLD_SHIFT ns
 * @left: targets that are not over
 * @nunder_way: of these, under way
 * @holding: some targets wait for others
 * @waits_for: they wait: see @patience of the source
 * @was_held: they did when they were looked at last
 * @begun: some of it was sent: it does not wait for its turn again
 * @active: it counts as under way: some of its targets are
 * @late: it is in the site's list of late ones, not in the tree
 */
struct tx_state {
	u64 held_at;
	u16 hold_for;
	u16 left;
	u16 nunder_way;
	bool holding:1;
	bool waits_for:1;
	bool was_held:1;
	bool begun:1;
	bool active:1;
	bool late:1;
};

/* Reasons to visit all targets of a message, some at a time: nobody holds the lock for long. */
enum tx_walk {
	TX_WALK_NONE,
	TX_WALK_GIVE_UP,	/* all are given up */
	TX_WALK_SLOW,		/* they took longer than the sender allows */
	TX_WALK_DEADLINE,	/* which were silent for too long? */
	TX_WALK_ASK,		/* which are asked whether it has come? */
	TX_WALK_REPEAT,		/* it is sent again */
};

/**
 * struct tx_walk_state - what all targets are looked at for, one after the other
 * @due: not before
 * @at: number of the next one
 * @err: what they are given up with
 * @what: enum tx_walk
 * @acts: of the targets looked at so far, those that were asked
 */
struct tx_walk_state {
	u64 due;
	u32 at;
	s16 err;
	u8 what;
	u8 acts;
};

/**
 * struct tx_how - how a message is sent
 * @re: id of the message that it answers, where its kind is an answer
 * @slow: enum flitcast_slow
 * @class: enum flitcast_tx_class
 * @copies: of a broadcast; else 0
 * @list: the sender named a target list
 * @waits: it counts in @waits of its port
 * @patient: its confirmations may come later
 */
struct tx_how {
	u32 re;
	u8 slow;
	u8 class;
	u8 copies;
	bool list:1;
	bool waits:1;
	bool patient:1;
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
 * @late: instead, in its list of those that are asked for if no answer comes; @at.due is FC_NEVER
 * @source: its source; NULL when over
 * @len: bytes
 * @entered: its last packet in the local net-input (flitcast_oper_entered()); 0: none
 * @at: when something is due of it
 * @walk: what its targets are looked at for
 * @state: where it stands
 * @how: how it is sent
 * @ntargets: targets
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
	struct tx_times at;
	u64 entered;
	struct tx_walk_state walk;
	struct tx_state state;
	struct tx_how how;
	u32 len;
	u32 ntargets;
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

/* Let go of a message; the last one frees it. */
void flitcast_msg_put(struct flitcast_msg *msg);
/* A message to one target that the site kept, for FLITCAST_MSG_SMALL bytes at most, or NULL. */
struct flitcast_msg *flitcast_msg_spare(struct flitcast_site *site, u32 len);
/* As flitcast_msg_put(); what is freed may be kept for the next one. */
void flitcast_msg_over(struct flitcast_site *site, struct flitcast_msg *msg);
/* Data in pages from byte @from on, up to @len of it, as far as it is in one lot of pages. */
u32 flitcast_msg_run(const struct flitcast_msg *msg, u32 from, u32 len, struct page **lot,
		     u32 *off);
/* Free the data of a message that is over. */
void flitcast_msg_drop_data(struct flitcast_msg *msg);
/*
 * Free the data of a message that is over, under the site's lock: where that takes long, or many
 * messages are over at a time, a work (@free of the site) does it.  The message is in no list.
 */
void flitcast_msg_spent(struct flitcast_site *site, struct flitcast_msg *msg);
/* Memory that is kept for messages; nobody sends any more. */
void flitcast_msg_pool_free(struct flitcast_site *site);
/* The work: free the data of the next such message.  Return: false if there is none. */
bool flitcast_msg_free_spent(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_MSG_H */
