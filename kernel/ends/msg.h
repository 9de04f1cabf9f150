/* SPDX-License-Identifier: GPL-2.0 */
/* A message being sent, and its memory (msg.c).  Protected by the site's lock once it is sent. */
#ifndef FLITCAST_ENDS_MSG_H
#define FLITCAST_ENDS_MSG_H

#include <linux/rbtree.h>
#include <linux/refcount.h>
#include "core/ends/txlist.h"
#include "ends/message.h"

/**
 * struct tx_target - one target of a message
 * @flow: flow; invalid once the target is completed
 * @pending: entry in the list of the flow, until completed
 * @msg: the message
 * @asked: since when an answer is outstanding; 0: none is
 * @since: when the message was last accepted, refused, or found its target unreachable
 * @sent_at: when the last packet was sent
 * @first_at: when that packet was sent for the first time
 * @acked_at: when the last new ack arrived
 * @site: target site
 * @port: target port
 * @index: index in the sender's list
 * @off: first byte for this target, as given by the sender
 * @len: length of its part, as given by the sender
 * @err: result, once completed: 0 or a negative errno
 * @most: number of packets sent at least once
 * @offers: number of times its last packet was begun, up to 3; without that packet the target
 *	cannot have the message
 * @asks: number of FC_CTRL_ASK since the last news
 * @resyncs: number of FC_CTRL_RESYNC_REQ received since the last ack
 * @unresponsive: the target is unresponsive: it does not count as active until it answers
 * @lost: the target is unreachable by the routes of this site
 * @delay_ack: its last packet allowed a delayed ack
 * @in_flight: the target counts as active, see flitcast_tx_update()
 * @questioned: the target was sent FC_CTRL_ASK
 * @refused: the message was aborted while the target refused it for lack of space
 * @core: state and progress
 */
struct tx_target {
	struct tx_flow *flow;
	struct list_head pending;
	struct flitcast_msg *msg;
	u64 asked;
	u64 since;
	u64 sent_at;
	u64 first_at;
	u64 acked_at;
	u32 site;
	u16 port;
	u16 index;
	u32 off;
	u32 len;
	s16 err;
	u16 most;
	u8 asks;
	u8 resyncs;
	bool unresponsive:1;
	bool lost:1;
	bool delay_ack:1;
	bool in_flight:1;
	bool questioned:1;
	bool refused:1;
	u8 offers:2;
	struct fc_txtarget core;
};

/**
 * struct tx_times - timers of a message
 * @due: earliest timer; FC_NEVER: not in the tree
 * @accepted: when the message was accepted from its sender
 * @repeat: when to retransmit unacked packets
 * @ask: when to send FC_CTRL_ASK to targets without an ack
 * @deadline: when to check for targets to abort
 * @slow: when the message is aborted for targets that have not acked it
 * @wait: current retransmission time-out
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
 * struct tx_state - state of a message
 * @held_at: while some targets wait for others: when the targets were last examined
 * @hold_for: interval until they are examined again, in units of 2^HOLD_SHIFT ns
 * @left: number of targets that are not completed
 * @nin_flight: number of these that are active
 * @holding: some targets wait for others, and the timer is set
 * @waits_for: the wait is charged to @patience of the source
 * @was_held: some targets waited when last examined
 * @begun: a packet was sent; the message does not queue as a new one again
 * @active: the message counts as active: some of its targets do
 * @late: the message is in flitcast_sender.late, not in the tree
 * @members: of struct fc_txlist
 */
struct tx_state {
	u64 held_at;
	u16 hold_for;
	u16 left;
	u16 nin_flight;
	bool holding:1;
	bool waits_for:1;
	bool was_held:1;
	bool begun:1;
	bool active:1;
	bool late:1;
	u8 members;
};

/* Reasons to visit all targets of a message, in parts, so that the lock is not held for long. */
enum tx_walk {
	TX_WALK_NONE,
	TX_WALK_ABORT,	/* abort all */
	TX_WALK_SLOW,		/* abort those that exceed the sender's limit */
	TX_WALK_DEADLINE,	/* abort unresponsive and unreachable ones */
	TX_WALK_ASK,		/* send FC_CTRL_ASK */
	TX_WALK_REPEAT,		/* retransmit unacked packets */
};

/**
 * struct tx_walk_state - a walk over the targets of a message
 * @due: earliest time to continue
 * @at: index of the next target
 * @err: error for aborted targets
 * @what: enum tx_walk
 * @acts: number of FC_CTRL_ASK sent in this part
 * @anew: TX_WALK_DEADLINE: routes have changed, ask about overdue packets anew
 */
struct tx_walk_state {
	u64 due;
	u32 at;
	s16 err;
	u8 what;
	u8 acts:7;
	u8 anew:1;
};

/**
 * struct tx_how - how a message is sent
 * @re: id of the message that this one answers, if its kind is an answer
 * @slow: enum flitcast_slow
 * @class: enum flitcast_tx_class
 * @copies: number of copies of a broadcast; else 0
 * @list: the sender used a target list
 * @waits: the message is counted in @waits of its port
 * @delay_ack: its acks may be delayed
 */
struct tx_how {
	u32 re;
	u8 slow;
	u8 class;
	u8 copies;
	bool list:1;
	bool waits:1;
	bool delay_ack:1;
};

/**
 * struct flitcast_msg - a message being sent
 * @out: outcome
 * @refs: references: the site's list, the packet being sent, a port that keeps the outcome
 * @crc: of a message in one packet: see flitcast_msg_crc()
 * @site_node: entry in flitcast_sender.msgs, or in the list @spent of the site
 * @ready: entry in its queue, or in flitcast_txcast.again
 * @source_node: entry in flitcast_source.msgs
 * @next_free: next entry of the site's free list
 * @due_node: entry in flitcast_sender.due
 * @late: entry in flitcast_sender.late instead; @at.due is FC_NEVER
 * @source: source; NULL once completed
 * @len: bytes
 * @entered: its last packet fed to the local net-input (flitcast_oper_entered()); 0: none
 * @at: timers
 * @walk: current walk over its targets
 * @state: state
 * @how: parameters
 * @ntargets: number of targets
 * @target: targets
 * @npages: number of pages of data; 0: the data is in @small
 * @least: of struct fc_txlist
 * @page: pages of data; NULL once completed; consecutive pages of a page block share a reference
 * @one: @target of a message to one target
 * @held: for user pages in @page, with references: notified when they are not needed; else NULL
 * @start: offset of the data in the first page
 * @few: @page of a message with few pages
 * @small: data of a short message
 */
struct flitcast_msg {
	struct flitcast_sent out;
	refcount_t refs;
	u32 crc;
	struct list_head site_node;
	struct list_head ready;
	struct list_head source_node;
	union {
		struct rb_node due_node;
		struct list_head late;
		struct flitcast_msg *next_free;
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
	u32 least;
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

/* Drop a reference; the last one frees the message. */
void flitcast_msg_put(struct flitcast_msg *msg);
/* Return: a message of the free list, for one target and FLITCAST_MSG_SMALL bytes, or NULL. */
struct flitcast_msg *flitcast_msg_reuse(struct flitcast_site *site, u32 len);
/* As flitcast_msg_put(), but the message may go to the free list. */
void flitcast_msg_completed(struct flitcast_site *site, struct flitcast_msg *msg);
/* Return: where the CRC-32C of the data of a packet is; 0 if the network has no sums. */
u32 *flitcast_msg_crc(struct flitcast_msg *msg, u32 packet);
/* Return: true if the user pages of a packet are not as when its CRC-32C was made. */
bool flitcast_msg_changed(struct flitcast_msg *msg, u32 packet);
/* Return: length of contiguous data from byte @from on, up to @len; page block and offset. */
u32 flitcast_msg_run(const struct flitcast_msg *msg, u32 from, u32 len, struct page **block,
		     u32 *off);
/* Free the data of a completed message. */
void flitcast_msg_drop_data(struct flitcast_msg *msg);
/* As above; the message is in no list.  A work item (flitcast_sources.free) may do it. */
void flitcast_msg_spent(struct flitcast_site *site, struct flitcast_msg *msg);
/* Free the free list; no task sends any more. */
void flitcast_msg_pool_free(struct flitcast_site *site);
/* For the work item: free the data of one message.  Return: false if there is none. */
bool flitcast_msg_free_spent(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_MSG_H */
