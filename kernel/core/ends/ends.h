/* SPDX-License-Identifier: GPL-2.0 */
/*
 * End to end: numbers, windows, confirmations, duplicates and order, per flow.
 * A flow is what one socket sends to one target port.
 *
 * The source keeps a message until every target has confirmed it, and sends what is missing again;
 * so a packet that is lost or dropped en route only delays its message.  A target takes each
 * message once and in order.  It admits a message only when it has room for all of it.  So it can
 * complete each admitted message, and receivers cannot block each other with halves of messages.
 * The first packet of a message asks for that room; the others follow its confirmation.
 */
#ifndef FC_CORE_ENDS_ENDS_H
#define FC_CORE_ENDS_ENDS_H

#include "core/base.h"
#include "core/wire/wire.h"

/**
 * struct fc_part - the part of a message that one target receives, in packets
 * @off: first byte
 * @len: bytes
 * @first: number of the packet that holds the first byte
 * @count: packets that hold some of it, at least 1
 */
struct fc_part {
	u32 off;
	u32 len;
	u16 first;
	u16 count;
};

/* The part that an entry (off, len; len 0: to the end) names of a message. */
struct fc_part fc_part_make(u32 msg_len, u32 off, u32 len);

/*
 * Receiving.
 */

enum fc_rx_state {
	FC_RX_EMPTY,
	FC_RX_ADMITTED,		/* room is reserved, packets are missing */
	FC_RX_COMPLETE,		/* waits for the messages before it */
};

/**
 * struct fc_rxmsg - a message being received
 * @h: the runner's
 * @have: packets received from @base on
 * @seq: number in the flow
 * @off: first byte of the part, from the first packet
 * @len: bytes of the part, likewise: packets with another value are not of this message
 * @base: packets received without a gap
 * @count: packets of the part
 * @state: enum fc_rx_state
 * @early: it was admitted before its turn (and charged as such)
 */
struct fc_rxmsg {
	void *h;
	u64 have;
	u32 seq;
	u32 off;
	u32 len;
	u16 base;
	u16 count;
	u8 state;
	bool early;
};

/**
 * struct fc_rxflow - receiving end of a flow
 * @next: number of the next message to deliver
 * @begun: false until the first packet
 * @msg: message n in slot n % FC_FLOW_WINDOW
 */
struct fc_rxflow {
	u32 next;
	bool begun;
	struct fc_rxmsg msg[FC_FLOW_WINDOW];
};

enum fc_rx_verdict {
	FC_RX_TAKE,		/* packet is new: store it, then fc_rxmsg_stored() */
	FC_RX_ADMIT,		/* first packet of a message: take it if there is room */
	FC_RX_DUPLICATE,	/* confirm again */
	FC_RX_BAD,		/* contradicts what came before, or beyond the window: ignore */
};

/**
 * fc_rxflow_packet() - what to do with a packet
 * @flow: flow
 * @t: its target entry
 * @part: part of the message that the entry names
 * @packet: number of the packet in the message
 * @slot: the message, where the verdict is not FC_RX_BAD; NULL if it was
 *	delivered before
 * @skip: called for every message aborted by the source (older than @t->seq - @t->outstanding) that
 *	holds something
 * @arg: for @skip
 *
 * With any verdict, messages that waited for the aborted ones may now be ready: the caller calls
 * fc_rxflow_ready() first.
 *
 * Return: verdict.
 */
enum fc_rx_verdict fc_rxflow_packet(struct fc_rxflow *flow, const struct fc_target *t,
				    const struct fc_part *part, u16 packet,
				    struct fc_rxmsg **slot,
				    void (*skip)(void *arg, struct fc_rxmsg *msg), void *arg);

/**
 * fc_rxflow_forward() - the source reports that all messages before @oldest are completed
 * @flow: flow
 * @oldest: the oldest message that it still keeps; where it keeps none, the number
 *	of its next one
 * @skip: called for every message before that which holds something
 * @arg: for @skip
 *
 * For a target that may receive no later packet with this report (struct fc_target, @outstanding).
 * The caller calls fc_rxflow_ready() afterwards.
 */
void fc_rxflow_forward(struct fc_rxflow *flow, u32 oldest,
		       void (*skip)(void *arg, struct fc_rxmsg *msg), void *arg);

/* Begin a flow without state here: its source has completed all messages before @oldest. */
static inline void fc_rxflow_begin(struct fc_rxflow *flow, u32 oldest)
{
	flow->begun = true;
	flow->next = oldest;
}

/* There was room for the message of FC_RX_ADMIT: its packets may come. */
void fc_rxflow_admit(struct fc_rxflow *flow, struct fc_rxmsg *msg, const struct fc_target *t,
		     const struct fc_part *part, void *h);

/* Packet @index of the part is stored.  Return: true if that completed the message. */
bool fc_rxmsg_stored(struct fc_rxmsg *msg, u16 index);

/* Return: the next message if it is complete; fc_rxflow_delivered() follows. */
static inline struct fc_rxmsg *fc_rxflow_ready(struct fc_rxflow *flow)
{
	struct fc_rxmsg *m = &flow->msg[flow->next % FC_FLOW_WINDOW];

	return m->state == FC_RX_COMPLETE ? m : NULL;
}

void fc_rxflow_delivered(struct fc_rxflow *flow, struct fc_rxmsg *msg);

/*
 * Delivers the next message, which is whole in a packet for which fc_rxflow_packet() has returned
 * FC_RX_ADMIT: replaces fc_rxflow_admit() and the calls after it.
 */
static inline void fc_rxflow_pass(struct fc_rxflow *flow)
{
	flow->next++;
}

/* Was message @seq admitted, and is not delivered? */
bool fc_rxflow_holds(const struct fc_rxflow *flow, u32 seq);

/* Fill in the fields of a confirmation of message @seq: next, base, have. */
void fc_rxflow_confirm(const struct fc_rxflow *flow, u32 seq, struct fc_ctrl *ctrl);

/*
 * A confirmation that can wait (FC_PACKET_DELAY_ACK) is sent so long after the message at the
 * latest: many round trips, and a part of the time after which a source asks for it.
 */
#define FC_ACK_DELAY_NS		4000000ULL

/*
 * Sending.
 */

enum fc_tx_state {
	FC_TX_ASKING,		/* the first packet asks for room */
	FC_TX_GRANTED,		/* the others go */
	FC_TX_NO_SPACE,		/* the target waits for its reader */
	FC_TX_DONE,		/* confirmed */
	FC_TX_REFUSED,		/* no socket there */
	FC_TX_FAILED,		/* aborted */
};

/**
 * struct fc_txtarget - one target of a message being sent
 * @have: packets confirmed from @base on
 * @part: what it receives
 * @seq: number of the message in the flow
 * @base: packets confirmed without a gap
 * @sent: packets sent, or confirmed; what is below is not sent again before
 *	fc_txtarget_repeat()
 * @state: enum fc_tx_state
 * @behind: other targets of the message do not wait for it (txlist.h)
 * @blocks: they do, or will when they come to its packet
 * @refused_once: the target has refused the message for lack of buffer space
 * @earned: packets with which it has earned patience (txlist.h)
 */
struct fc_txtarget {
	u64 have;
	struct fc_part part;
	u32 seq;
	u16 base;
	u16 sent;
	u8 state;
	bool behind:1;
	bool blocks:1;
	bool refused_once:1;
	u16 earned;
};

/**
 * struct fc_txflow - sending end of a flow
 * @next: number of the next message
 * @oldest: number of the oldest message that is not completed
 */
struct fc_txflow {
	u32 next;
	u32 oldest;
};

static inline bool fc_txtarget_completed(const struct fc_txtarget *t)
{
	return t->state >= FC_TX_DONE;
}

/**
 * fc_txtarget_next() - the packet this target needs next
 * @t: target
 * @flow: its flow
 *
 * Return: number of the packet in the message, or -1 where nothing may be sent
 * now.
 */
int fc_txtarget_next(const struct fc_txtarget *t, const struct fc_txflow *flow);

/* Has all of it been sent, and nothing that is to be sent again?  Then nothing is next. */
static inline bool fc_txtarget_sent_all(const struct fc_txtarget *t)
{
	return t->base < t->part.count && t->sent >= t->part.count;
}

/* Does what this target is to be asked for next still wait to be sent? */
static inline bool fc_txtarget_unsent(const struct fc_txtarget *t)
{
	if (t->state == FC_TX_NO_SPACE || fc_txtarget_completed(t))
		return false;
	return t->sent < t->base || (t->sent == t->base && t->base < t->part.count);
}

/**
 * fc_txtarget_may_delay() - can the confirmation of a message wait?
 * @t: target, to which the message goes for the first time
 * @flow: its flow
 *
 * The confirmation can wait in the first three quarters of the window: a source that fills the
 * window gets confirmations as fast as packets arrive.
 *
 * Return: true if a confirmation of a later message may replace this one's.
 */
static inline bool fc_txtarget_may_delay(const struct fc_txtarget *t, const struct fc_txflow *flow)
{
	return t->part.count == 1 && t->seq - flow->oldest < FC_FLOW_WINDOW / 4 * 3;
}

/* Packet @packet of the message is en route to this target. */
void fc_txtarget_sent(struct fc_txtarget *t, int packet);

/**
 * fc_txtarget_repeat() - no answer for too long
 * @t: target
 *
 * Return: true if the target is to be asked (FC_CTRL_ASK) whether it has room by
 * now; else everything unconfirmed is sent again.
 */
bool fc_txtarget_repeat(struct fc_txtarget *t);

/**
 * fc_txtarget_answer() - a control frame about this target
 * @t: target, not completed
 * @c: its entry, about the flow of @t
 *
 * Return: true if it has changed the state of the target.
 */
bool fc_txtarget_answer(struct fc_txtarget *t, const struct fc_ctrl *c);

#endif /* FC_CORE_ENDS_ENDS_H */
