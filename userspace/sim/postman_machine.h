/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A machine of a mad postman: what a node has for one dimension, with the channel it
 * sends to and the transit buffer it stores in.
 *
 * Bit k of a train that began in cycle s is on the channel in cycle s + k, and the
 * next node may use it in cycle s + k + 1.  Nothing that has begun is held up; the only
 * thing that may become of it is that its sender ends it behind the first flit, which
 * then is dead.
 */
#ifndef FLITCAST_SIM_POSTMAN_MACHINE_H
#define FLITCAST_SIM_POSTMAN_MACHINE_H

#include "postman_model.h"

#define POSTMAN_NONE		0xffffffffU

/**
 * struct postman_packet - a packet in one plane
 * @from: column and row of the source, as the plane counts them
 * @to: of the target
 * @flits: of data
 * @begun: cycle of the first bit, or 0
 * @done: cycle in which the last bit has been written at the target, or 0
 * @delivered: how often
 * @at: column and row where
 * @next: behind it in the buffer or queue, or POSTMAN_NONE
 * @addresses: address flits left, while it is stored or waits
 * @dimension: of its next output, while it is stored or waits
 * @ready: stored: first cycle in which it may leave
 * @both: stored: first cycle in which it may leave with its addresses swapped
 * @ghost: POSTMAN_KEEP: stored, and but a dead flit
 */
struct postman_packet {
	u32 from[POSTMAN_DIMENSIONS];
	u32 to[POSTMAN_DIMENSIONS];
	u32 flits;
	u64 begun;
	u64 done;
	u32 delivered;
	u32 at[POSTMAN_DIMENSIONS];
	u32 next;
	u8 addresses;
	u8 dimension;
	u64 ready;
	u64 both;
	bool ghost;
};

/**
 * struct postman_channel - the train that is, or was last, on a channel
 * @packet: index
 * @addresses: address flits; the first is for the dimension of the channel
 * @first: cycle of the first bit
 * @last: cycle of the last bit
 */
struct postman_channel {
	u32 packet;
	u8 addresses;
	u64 first;
	u64 last;
};

/* What becomes of the train that comes in. */
enum postman_input {
	POSTMAN_IDLE,		/* nothing does, or it is settled */
	POSTMAN_HEAD,		/* until the first flit is there */
	POSTMAN_JUNCTION,	/* it turns, if the other channel is free */
	POSTMAN_ADAPT		/* so it does, with swapped addresses */
};

/**
 * struct postman_machine - one machine
 * @out: its output channel, also used by the other machine of the node
 * @first: first cycle of the train that came in last
 * @packet: its packet
 * @addresses: its address flits
 * @head: first stored packet that has not begun to leave, or POSTMAN_NONE
 * @tail: last stored packet
 * @stored: how many there are
 * @leaving: cycle of the last bit of the packet that leaves the buffer
 * @waiting: first packet of the node that waits to be written into this buffer
 * @last_waiting: the last of these
 * @claims: cycles for which such a packet has kept others off
 * @own: the packet that was stored last is the node's own
 * @busy: busybacks of the last cycles, bit 0 the last one's
 * @input: enum postman_input
 * @eager: the train that comes in goes on in the dimension
 */
struct postman_machine {
	struct postman_channel out;
	u64 first;
	u32 packet;
	u32 head;
	u32 tail;
	u32 stored;
	u64 leaving;
	u32 waiting;
	u32 last_waiting;
	u32 claims;
	u32 busy;
	u8 addresses;
	u8 input;
	bool own;
	bool eager;
};

#endif /* FLITCAST_SIM_POSTMAN_MACHINE_H */
