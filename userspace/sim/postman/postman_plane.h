/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A plane of mad postmen: one virtual network, in which packets move only to higher columns and
 * higher rows.
 */
#ifndef FLITCAST_SIM_POSTMAN_PLANE_H
#define FLITCAST_SIM_POSTMAN_PLANE_H

#include "postman_model.h"

#define POSTMAN_NONE		0xffffffffU

/**
 * struct postman_packet - a packet in one plane
 * @from: column and row of the source, as the plane counts them
 * @to: column and row of the target
 * @flits: data flits
 * @begun: cycle of the first bit, or 0
 * @done: cycle in which the last bit has been written at the target, or 0
 * @delivered: number of deliveries
 * @at: column and row of the delivery
 * @next: next packet in the buffer or queue, or POSTMAN_NONE
 * @addresses: address flits left, while it is stored or waits
 * @dimension: dimension of its next output, while it is stored or waits
 * @ready: stored: first cycle in which it may leave
 * @both: stored: first cycle in which it may leave with its addresses swapped
 * @ghost: POSTMAN_KEEP: a stored dead flit
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
 * struct postman_count - counters of a plane
 * @eager: heads forwarded before their routing decision
 * @turned: packets that turned as their addresses require
 * @adapted: packets that swapped their addresses en route
 * @resourced: packets that swapped their addresses when they left a buffer
 * @stored: packets stored en route
 * @refused: heads that a busyback blocked
 * @dead_made: dead flits
 * @dead_edge: dead flits dropped at the boundary of the plane
 * @dead_blocked: dead flits dropped where the channel was not free
 * @dead_stored: dead flits stored like a packet: with POSTMAN_KEEP only
 * @strayed: trains at nodes that are not on the path of their packet
 * @fullest: maximum number of stored packets in one buffer that had not begun to leave
 */
struct postman_count {
	u64 eager;
	u64 turned;
	u64 adapted;
	u64 resourced;
	u64 stored;
	u64 refused;
	u64 dead_made;
	u64 dead_edge;
	u64 dead_blocked;
	u64 dead_stored;
	u64 strayed;
	u64 fullest;
};

struct postman_plane;

/* The caller owns @model, and must not change it until the plane is freed. */
struct postman_plane *postman_plane_new(const struct postman_model *model, u32 columns, u32 rows);
void postman_plane_free(struct postman_plane *plane);

/* Reset the plane to its initial state. */
void postman_plane_clear(struct postman_plane *plane);

/**
 * postman_plane_add() - add a packet before the run; packets of a node in their order
 * @plane: the plane
 * @from: column and row of the source
 * @to: column and row of the target; neither below @from, one above
 * @flits: data flits
 * @dimension: machine in which it begins; a dimension in which it has to move
 */
void postman_plane_add(struct postman_plane *plane, const u32 *from, const u32 *to, u32 flits,
		       u32 dimension);

/**
 * postman_plane_run() - run until all packets are delivered, and all dead flits have vanished
 * @plane: the plane
 *
 * Return: false on a deadlock.
 */
bool postman_plane_run(struct postman_plane *plane);

const struct postman_count *postman_plane_count(const struct postman_plane *plane);

/* Return: the packets, in the order in which they were added; @n: their number. */
const struct postman_packet *postman_plane_packets(const struct postman_plane *plane, u32 *n);

#endif /* FLITCAST_SIM_POSTMAN_PLANE_H */
