/* SPDX-License-Identifier: GPL-2.0 */
/*
 * End-to-end protocol: numbers, windows, confirmations, duplicates and order, per flow.  A flow
 * consists of the messages of one socket to one target port.
 *
 * The source keeps a message until every target has confirmed it, and retransmits missing packets;
 * so a packet that is lost or dropped en route only delays its message.  A target accepts each
 * message once and in order.  It admits a message only when it has space for all of it.  So it can
 * complete each admitted message, and receivers cannot block each other with halves of messages.
 * The first packet of a message requests that space; the others follow its confirmation.
 */
#ifndef FC_CORE_ENDS_ENDS_H
#define FC_CORE_ENDS_ENDS_H

#include "core/base.h"
#include "core/wire/wire.h"

/**
 * struct fc_part - the part of a message that one target receives, in packets
 * @off: first byte
 * @len: number of bytes
 * @first: number of the packet that holds the first byte
 * @count: number of packets that hold some of it, at least 1
 */
struct fc_part {
	u32 off;
	u32 len;
	u16 first;
	u16 count;
};

/* Return: the part that a target entry names; @len 0: to the end of the message. */
struct fc_part fc_part_make(u32 msg_len, u32 off, u32 len);

/*
 * Receiving.
 */

enum fc_rx_state {
	FC_RX_EMPTY,
	FC_RX_ADMITTED,		/* space is reserved, packets are missing */
	FC_RX_COMPLETE,		/* waits for earlier messages */
};

/**
 * struct fc_rxmsg - a message being received
 * @h: handle of the caller
 * @have: bit i: packet @base + i is received
 * @seq: number in the flow
 * @off: first byte of the part, by the first packet; packets with another value are not of this
 *	message
 * @len: number of bytes of the part, as @off
 * @base: number of packets received without a gap
 * @count: number of packets of the part
 * @state: enum fc_rx_state
 * @early: the message was admitted before an earlier one (and charged as such)
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
	FC_RX_TAKE,		/* new packet: store it, then call fc_rxmsg_stored() */
	FC_RX_ADMIT,		/* first packet of a message: admit it if there is space */
	FC_RX_DUPLICATE,	/* duplicate: confirm again */
	FC_RX_BAD,		/* contradicts earlier packets, or outside the window: ignore */
};

/**
 * fc_rxflow_packet() - classify a packet
 * @flow: flow
 * @t: target entry of the packet
 * @part: part of the message that the entry names
 * @packet: number of the packet in the message
 * @slot: result, unless the verdict is FC_RX_BAD: the message; NULL if it was delivered before
 * @skip: called for every admitted message that the source has aborted (older than
 *	@t->seq - @t->outstanding)
 * @arg: argument of @skip
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
 * fc_rxflow_forward() - process a report that all messages before @oldest are completed
 * @flow: flow
 * @oldest: number of the oldest message that the source still keeps, or of its next one
 * @skip: called for every admitted message before that one
 * @arg: argument of @skip
 *
 * A target entry has the same report (struct fc_target, @outstanding); this one serves targets that
 * may receive no later packet.  The caller calls fc_rxflow_ready() afterwards.
 */
void fc_rxflow_forward(struct fc_rxflow *flow, u32 oldest,
		       void (*skip)(void *arg, struct fc_rxmsg *msg), void *arg);

/* Initialise the state of a flow whose source has completed all messages before @oldest. */
static inline void fc_rxflow_begin(struct fc_rxflow *flow, u32 oldest)
{
	flow->begun = true;
	flow->next = oldest;
}

/* Admit the message of FC_RX_ADMIT, for which the caller has reserved space. */
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

/* Is message @seq admitted and not delivered? */
bool fc_rxflow_holds(const struct fc_rxflow *flow, u32 seq);

/* Fill in the fields of a confirmation of message @seq: next, base, have. */
void fc_rxflow_confirm(const struct fc_rxflow *flow, u32 seq, struct fc_ctrl *ctrl);

/*
 * Maximum delay of a confirmation with FC_PACKET_DELAY_ACK: many round trips, and a fraction of the
 * time after which a source asks for it.
 */
#define FC_ACK_DELAY_NS		4000000ULL

/*
 * Sending.
 */

enum fc_tx_state {
	FC_TX_ASKING,		/* the first packet requests space */
	FC_TX_GRANTED,		/* the target has space for all packets */
	FC_TX_NO_SPACE,		/* the target has no space until its reader releases some */
	FC_TX_DONE,		/* confirmed */
	FC_TX_REFUSED,		/* no socket on the port */
	FC_TX_FAILED,		/* aborted */
};

/**
 * struct fc_txtarget - one target of a message being sent
 * @have: bit i: packet @base + i is confirmed
 * @part: part of the message that the target receives
 * @seq: number of the message in the flow
 * @base: number of packets confirmed without a gap
 * @sent: packets before this one were sent or confirmed, and are not sent again before
 *	fc_txtarget_repeat()
 * @state: enum fc_tx_state
 * @behind: other targets of the message do not wait for this one (core/ends/txlist.h)
 * @blocks: other targets wait for this one, or will at its next packet
 * @refused_once: the target has refused the message for lack of buffer space
 * @earned: number of packets already credited to the budget of the flow (core/ends/txlist.h)
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
 * fc_txtarget_next() - next packet to send to a target
 * @t: target
 * @flow: its flow
 *
 * Return: number of the packet in the message, or -1 if none may be sent now.
 */
int fc_txtarget_next(const struct fc_txtarget *t, const struct fc_txflow *flow);

/* Were all packets sent, so that only confirmations are missing? */
static inline bool fc_txtarget_sent_all(const struct fc_txtarget *t)
{
	return t->base < t->part.count && t->sent >= t->part.count;
}

/* Is the first unconfirmed packet still to be sent? */
static inline bool fc_txtarget_unsent(const struct fc_txtarget *t)
{
	if (t->state == FC_TX_NO_SPACE || fc_txtarget_completed(t))
		return false;
	return t->sent < t->base || (t->sent == t->base && t->base < t->part.count);
}

/**
 * fc_txtarget_may_delay() - may the target delay the confirmation of a message?
 * @t: target, to which the message is sent for the first time
 * @flow: its flow
 *
 * The target may delay it only in the first three quarters of the window: a source that fills the
 * window gets confirmations as fast as packets arrive.
 *
 * Return: true if a confirmation of a later message may replace that of this one.
 */
static inline bool fc_txtarget_may_delay(const struct fc_txtarget *t, const struct fc_txflow *flow)
{
	return t->part.count == 1 && t->seq - flow->oldest < FC_FLOW_WINDOW / 4 * 3;
}

/* Packet @packet of the message was sent to the target. */
void fc_txtarget_sent(struct fc_txtarget *t, int packet);

/**
 * fc_txtarget_repeat() - process the time-out of a target's answer
 * @t: target
 *
 * Return: true: ask the target (FC_CTRL_ASK) whether it has space now; false: all unconfirmed
 * packets are to be retransmitted.
 */
bool fc_txtarget_repeat(struct fc_txtarget *t);

/**
 * fc_txtarget_answer() - process a control entry of a target
 * @t: target, not completed
 * @c: entry, about the flow of @t
 *
 * Return: true if the entry changed the state of the target.
 */
bool fc_txtarget_answer(struct fc_txtarget *t, const struct fc_ctrl *c);

#endif /* FC_CORE_ENDS_ENDS_H */
