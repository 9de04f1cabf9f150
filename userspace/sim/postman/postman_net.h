/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A square array of mad postmen: four planes, one for each pair of signs of the distances
 * (0 counts as +), each with hardware of its own.
 */
#ifndef FLITCAST_SIM_POSTMAN_NET_H
#define FLITCAST_SIM_POSTMAN_NET_H

#include "postman_plane.h"

#define POSTMAN_PLANES		4

/**
 * struct postman_result - results of a run
 * @time: cycle in which the last packet had been written at its target
 * @packets: packets of the run
 * @lost: packets that were not delivered
 * @wrong: packets that were delivered more than once, or elsewhere
 * @early: packets that were faster than a bit a cycle and a cycle a channel
 * @stuck: deadlocked planes
 * @unaccounted: dead flits not dropped at the boundary or where they were blocked
 * @overfull: planes in which a buffer exceeded its capacity
 * @hops: channels that the packets had to pass
 * @latency: sum of the packets' cycles, from the first bit sent
 * @latency_most: largest latency of a packet
 * @count: counters of all planes
 */
struct postman_result {
	u64 time;
	u64 packets;
	u64 lost;
	u64 wrong;
	u64 early;
	u64 stuck;
	u64 unaccounted;
	u64 overfull;
	u64 hops;
	u64 latency;
	u64 latency_most;
	struct postman_count count;
};

struct postman_net;

struct postman_net *postman_net_new(const struct postman_model *model, u32 size);
void postman_net_free(struct postman_net *net);

/* Reset the net for another run. */
void postman_net_clear(struct postman_net *net);

/* Add a packet, not to its own source.  @from and @to: column and row, from 0. */
void postman_net_add(struct postman_net *net, const u32 *from, const u32 *to, u32 flits);

void postman_net_run(struct postman_net *net, struct postman_result *result);

/* Every packet delivered once, at its target, not early; every dead flit dropped; no deadlock? */
bool postman_result_right(const struct postman_result *result);

/* Bits of a packet, addresses included. */
u64 postman_bits(const struct postman_model *model, const u32 *from, const u32 *to, u32 flits);

#endif /* FLITCAST_SIM_POSTMAN_NET_H */
