/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traffic, and the oracle, which compares messages sent with deliveries at each target.
 */
#ifndef FLITCAST_SIM_TRAFFIC_H
#define FLITCAST_SIM_TRAFFIC_H

#include <stdio.h>

#include "dgram.h"
#include "sim.h"

/* First target of a message; the others are random. */
enum pattern {
	PATTERN_UNIFORM,	/* any site */
	PATTERN_TRANSPOSE,	/* the site with the coordinates reversed */
	PATTERN_HOT,		/* one in four messages: the site in the middle */
};

/* Injected defects, to test the oracle. */
enum fault {
	FAULT_NONE,
	FAULT_LOSE,		/* a message that arrived is not delivered */
	FAULT_TWICE,		/* a message is delivered twice */
	FAULT_STRAY,		/* a message is delivered to a site that is no target */
	FAULT_SHORT,		/* a byte of a message is missing */
	FAULT_COUNT
};

/**
 * struct flow - messages from one site to another: both ends
 * @next: next flow in its hash chain
 * @from: source
 * @to: target
 * @tx: sending end
 * @completed: bit i: message tx.oldest + i is complete
 * @rx: receiving end
 * @deliver: number of the message that has to be delivered next
 */
struct flow {
	struct flow *next;
	u32 from;
	u32 to;
	struct fc_txflow tx;
	u32 completed;
	struct fc_rxflow rx;
	u32 deliver;
};

/**
 * struct target - one target of a message
 * @flow: flow to the target
 * @tx: state of confirmation
 * @got: bytes received
 * @delivered_at: time of the delivery
 * @times: number of deliveries
 */
struct target {
	struct flow *flow;
	struct fc_txtarget tx;
	u64 got;
	u64 delivered_at;
	u32 times;
};

/**
 * struct message - one message
 * @next: next message in the source's backlog
 * @born: time at which the socket accepted it
 * @repeat_at: time of the next repetition
 * @interval: cycles to the repetition after that
 * @id: index in the list of all messages
 * @flow: flow of the datagram, or NULL: no datagram
 * @number: number of the datagram among those of its source, once it has entered
 * @from: source
 * @bytes: length
 * @ntargets: number of targets
 * @completed: number of completed targets; of a datagram, those that got it
 * @repeated: some packet was repeated
 * @target: targets
 */
struct message {
	struct message *next;
	u64 born;
	u64 repeat_at;
	u64 interval;
	struct dgram_flow *flow;
	u32 number;
	u32 id;
	u32 from;
	u32 bytes;
	u32 ntargets;
	u32 completed;
	bool repeated;
	struct target target[];
};

/**
 * struct traffic - all traffic of a run
 * @message: messages, by their number
 * @n: number of messages
 * @room: capacity of @message
 * @deliveries: (message, target) pairs sent
 * @delivered: pairs delivered
 * @delivered_bytes: bytes of the pairs delivered
 * @arrived: deliveries that the network made
 * @missing: pairs never delivered
 * @duplicated: deliveries of pairs that had been delivered before
 * @stray: deliveries to sites that were no target
 * @incomplete: deliveries of too many or too few bytes
 * @disordered: deliveries before an earlier message of the same source
 * @refused: messages for which the source had no buffer space
 * @offered_flits: flits of all messages, including the refused ones
 * @carried_flits: flits of the messages that completed in the steady part of the
 *	time in which traffic is generated
 * @late: messages generated in that part
 * @late_flits: flits of @late
 * @until: time at which traffic ended
 * @confirmed: completed messages, and datagrams that all targets got
 * @dgram: counts of the datagrams
 * @all_born: no more messages will be generated
 */
struct traffic {
	struct message **message;
	u32 n;
	size_t room;
	u64 deliveries;
	u64 delivered;
	u64 delivered_bytes;
	u64 arrived;
	u64 missing;
	u64 duplicated;
	u64 stray;
	u64 incomplete;
	u64 disordered;
	u64 refused;
	u64 offered_flits;
	u64 carried_flits;
	u64 late;
	u64 late_flits;
	u64 until;
	u32 confirmed;
	struct dgram_counts dgram;
	bool all_born;
};

extern struct traffic traffic;

/**
 * struct draw - a random message
 * @from: source
 * @bytes: length
 * @ntargets: number of targets
 * @to: targets
 */
struct draw {
	u32 from;
	u32 bytes;
	u32 ntargets;
	u32 to[FC_TARGETS_MAX];
};

/* Draw a random message but its targets; draw its targets. */
void traffic_draw(const struct config *config, struct rng *rng, struct draw *draw);
void traffic_draw_targets(const struct config *config, struct rng *rng, struct draw *draw);

void traffic_init(struct sim *sim);
void traffic_free(void);
/* EVENT_BORN: generate the next message. */
void traffic_born(struct sim *sim);
struct flow *traffic_flow(u32 from, u32 to);
/* Return: NULL if no such message was sent. */
struct message *traffic_message(u32 id);
/* The network delivers a message to a target's socket. */
void traffic_arrived(struct sim *sim, struct flow *flow, struct message *message);
/* A message is completed at its source. */
void traffic_over(struct sim *sim, struct message *message);
static inline bool traffic_all_over(void)
{
	return traffic.all_born && traffic.confirmed == traffic.n;
}

/* No message is incomplete; datagrams may be, if the network has lost them. */
static inline bool traffic_messages_over(void)
{
	return traffic.all_born &&
	       traffic.n - traffic.confirmed == traffic.dgram.sent - traffic.dgram.over;
}

/* After the run: count missing deliveries among the oracle's findings. */
void traffic_check(struct sim *sim);
/* Print a line for each delivery. */
void traffic_list(const struct sim *sim, FILE *file);
/* Latencies of the messages or datagrams that count, sorted; the caller frees them. */
u64 *traffic_latencies(const struct config *config, bool datagrams, u64 *n);
/* Mean flits of a message, over the configured ranges of bytes and targets. */
u32 traffic_flits(const struct config *config, u32 bytes, u32 ntargets);

#endif /* FLITCAST_SIM_TRAFFIC_H */
