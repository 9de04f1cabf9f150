/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The network of HARTS, section 5: a hexmesh with virtual cut-through.
 *
 * A packet of M bytes that is sent at t has been received at t + M: a link carries a
 * byte a cycle.  At t + delta the next site knows its header.  If the outgoing
 * link is idle then, and nothing waits for it, the site forwards the packet at once, while it
 * still receives it: the packet cuts through.  Else the site stores it: setup cycles after its
 * end the packet queues for the link, first in first out.  After a packet a link
 * is idle for gap cycles.
 *
 * A site that receives a packet of a broadcast delivers it and forwards it straight ahead at the
 * same time (RELAY).  Its processor sends the other packets of the algorithm, and those that could
 * not cut through, setup cycles after it has the packet.
 *
 * Regular packets go to a site chosen with a weight inverse to its distance, along a
 * shortest path: the one or two directions of the routing tag are tried in turn.
 */
#ifndef FLITCAST_SIM_HARTS_NET_H
#define FLITCAST_SIM_HARTS_NET_H

#include "harts_algorithm.h"

/* Loads are in millionths. */
#define HARTS_LOAD_UNIT		1000000

/* Lengths of packets, and their shares in units of 1/HARTS_LENGTH_PARTS. */
#define HARTS_LENGTHS		3
#define HARTS_LENGTH_PARTS	10
extern const u32 harts_length[HARTS_LENGTHS];
extern const u32 harts_length_part[HARTS_LENGTHS];

/* One of this many packets is a broadcast. */
#define HARTS_BROADCAST_ONE_IN	1000

/* Largest size: the largest that the paper's authors enumerated. */
#define HARTS_SIZE_MAX		15

/**
 * struct harts_times - delays of the network
 * @setup: S: cycles before a packet may be put on a link
 * @delta: d: cycles from the first byte of a packet until its header is known
 * @gap: cycles without a byte after each packet of a link
 */
struct harts_times {
	u64 setup;
	u64 delta;
	u64 gap;
};

/**
 * struct harts_run - one run
 * @algorithm: algorithm of all broadcasts
 * @fault: defect
 * @size: n, sites on an edge, 2 to HARTS_SIZE_MAX
 * @times: S, d and the idle gap
 * @load: link load in millionths: bytes that all sites generate a cycle, times the
 *	links of the mean shortest path, over the bytes that all links can carry; what
 *	broadcasts need beyond a regular packet's path is not in it
 * @seed: seed of the traffic, which is the same for all algorithms
 * @broadcasts: number of broadcasts measured
 */
struct harts_run {
	enum harts_algorithm_id algorithm;
	enum harts_fault fault;
	u32 size;
	struct harts_times times;
	u64 load;
	u64 seed;
	u32 broadcasts;
};

/**
 * struct harts_result - sums over the measurements
 * @broadcasts: completed broadcasts
 * @latency: cycles to the last delivery of the last packet, for each broadcast
 * @delivery: cycles to a delivery, for each delivery of each broadcast
 * @deliveries: number of deliveries
 * @stored: for each broadcast, how often the packet delivered last was put on a link
 *	after it had been stored, its source included
 * @passed: for each broadcast, how often that packet cut through
 * @regular: regular packets delivered
 * @regular_latency: cycles from the generation, for each regular packet
 * @busy: cycles in which a link could not take a packet, for each link
 * @link_cycles: cycles measured, for each link
 * @backlog: packets that wait for links at the end
 * @links: links of the network
 * @astray: packets of broadcasts on a link that the kernel's table does not use
 * @unserved: sites that received the wrong number of copies of a broadcast
 */
struct harts_result {
	u64 broadcasts;
	u64 latency;
	u64 delivery;
	u64 deliveries;
	u64 stored;
	u64 passed;
	u64 regular;
	u64 regular_latency;
	u64 busy;
	u64 link_cycles;
	u64 backlog;
	u64 links;
	u64 astray;
	u64 unserved;
};

/**
 * harts_net_run() - simulate broadcasts among other traffic
 * @run: settings of the run
 * @result: result
 */
void harts_net_run(const struct harts_run *run, struct harts_result *result);

/**
 * harts_net_idle() - simulate one broadcast with nothing else in the network
 * @run: settings of the run; @load, @seed and @broadcasts are not used
 * @bytes: length of the broadcast
 * @result: result
 */
void harts_net_idle(const struct harts_run *run, u32 bytes, struct harts_result *result);

/* Links of the mean path of regular packets, in millionths. */
u64 harts_net_path(u32 size);

/**
 * harts_net_load() - the link load at which links are busy for a given share of the time
 * @run: settings of the run; @load is not used
 * @busy: share, in millionths, including the gaps and all packets of broadcasts
 *
 * Return: link load in millionths.
 */
u64 harts_net_load(const struct harts_run *run, u64 busy);

#endif /* FLITCAST_SIM_HARTS_NET_H */
