/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Datagrams, as the network device of a site sends them (fabric/dgram.c): one packet, which no end
 * confirms or repeats.  A flow is all datagrams from one source to one list of targets.
 */
#ifndef FLITCAST_SIM_DGRAM_H
#define FLITCAST_SIM_DGRAM_H

#include "sim.h"

/**
 * struct dgram_flow - datagrams from one source to one list of targets
 * @next: next flow in its hash chain
 * @first: its first datagram, whose source and targets are those of all
 * @hash: hash of the flow in the packets
 * @last: by target, the highest id that it got, plus 1
 */
struct dgram_flow {
	struct dgram_flow *next;
	const struct message *first;
	u32 hash;
	u32 last[];
};

/**
 * struct dgram_counts - counts of datagrams; but for @sent and @over of (datagram, target) pairs
 * @sent: datagrams
 * @over: datagrams that all their targets got
 * @expected: pairs sent
 * @delivered: pairs delivered
 * @bytes: bytes of the pairs delivered
 * @carried_flits: flits of the datagrams that all targets got in the steady part of the time in
 *	which traffic is generated
 * @lost: pairs that the network has not delivered when it is at rest
 * @doubled: arrivals that the target dropped because the datagram had come before
 * @overtaken: deliveries behind a later datagram of the same flow
 */
struct dgram_counts {
	u64 sent;
	u64 over;
	u64 expected;
	u64 delivered;
	u64 bytes;
	u64 carried_flits;
	u64 lost;
	u64 doubled;
	u64 overtaken;
};

void dgram_init(const struct config *config);
void dgram_free(void);
/* A message that was just generated, with its targets, becomes a datagram. */
void dgram_begin(struct message *m);
/* The network device of the source queues a datagram for the link that it takes first. */
void dgram_send(struct sim *sim, struct message *m);
/* Is it the turn of the datagrams of a site, or of its other packets? */
bool dgram_turn(u32 at);
/* Prepare the next datagram of a site.  Return: false if none may enter now. */
bool dgram_next(struct sim *sim, u32 at);
/* The switch of a site has changed: datagrams that wait may enter. */
void dgram_ready(struct sim *sim, u32 at);
/* A datagram came to a target. */
void dgram_take(struct sim *sim, u32 at, const struct fc_packet *pk, const struct fc_target *t);
/* The datagram is delivered to its target @i: count what has overtaken it. */
void dgram_order(struct message *m, u32 i);
/* A pair was not delivered.  Return: true if the network may lose it, and it is counted. */
bool dgram_lost(const struct sim *sim);

#endif /* FLITCAST_SIM_DGRAM_H */
