/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The network of HARTS, section 5: a hexmesh with virtual cut-through.
 *
 * A packet of M bytes that is sent at t has been received at t + M: a link carries a
 * byte a cycle.  At t + delta the next site knows its header.  If the outgoing
 * link is idle then, and nothing waits for it, the packet goes on at once, while it still
 * comes in: it cuts through.  Else it is stored: setup cycles after it has been received it
 * may be sent, and waits for the link with others, in their order.  After a packet a link
 * is idle for gap cycles.
 *
 * A site that gets a packet of a broadcast keeps it and lets it go on straight ahead at the same
 * time (RELAY).  What else the algorithm has it send is sent by its processor,
 * setup cycles after it has the packet; so is what could not cut through.
 *
 * Regular packets go to a site chosen with a weight inverse to its distance, along a
 * shortest path: the one or two directions of the routing tag are tried in turn.
 */
#ifndef FLITCAST_SIM_HARTS_NET_H
#define FLITCAST_SIM_HARTS_NET_H

#include "harts_algorithm.h"

/* Loads are in millionths. */
#define HARTS_LOAD_UNIT		1000000

/* Lengths of packets, and how many of HARTS_LENGTH_PARTS have them. */
#define HARTS_LENGTHS		3
#define HARTS_LENGTH_PARTS	10
extern const u32 harts_length[HARTS_LENGTHS];
extern const u32 harts_length_part[HARTS_LENGTHS];

/* Of so many packets one is a broadcast. */
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
 * @algorithm: of all broadcasts
 * @fault: defect
 * @size: n, sites on an edge, 2 to HARTS_SIZE_MAX
 * @times: S, d and the idle gap
 * @load: link load in millionths: bytes that all sites generate a cycle, times the
 *	links of the mean shortest path, over the bytes that all links can carry; what
 *	broadcasts need beyond a regular packet's path is not in it
 * @seed: of the traffic, which is the same for all algorithms
 * @broadcasts: how many are measured
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
 * @latency: of each broadcast, cycles to the last delivery of its last packet
 * @delivery: of each delivery of each broadcast, cycles to it
 * @deliveries: how many
 * @stored: of each broadcast, how often the packet delivered last was put on a link
 *	after it had been stored, its source included
 * @passed: and how often it cut through
 * @regular: regular packets delivered
 * @regular_latency: of each, cycles from its generation
 * @busy: of each link, cycles in which it could not take a packet
 * @link_cycles: of each link, all
 * @backlog: packets that wait for links at the end
 * @links: links of the network
 * @astray: packets of broadcasts that went where the kernel's table sends none
 * @unserved: sites of a broadcast that did not get as many copies as they should
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
 * harts_net_run() - broadcasts among other traffic
 * @run: what is simulated
 * @result: result
 */
void harts_net_run(const struct harts_run *run, struct harts_result *result);

/**
 * harts_net_idle() - one broadcast with nothing else in the network
 * @run: what is simulated; @load, @seed and @broadcasts are not used
 * @bytes: its length
 * @result: result
 */
void harts_net_idle(const struct harts_run *run, u32 bytes, struct harts_result *result);

/* Links of the mean path of regular packets, in millionths. */
u64 harts_net_path(u32 size);

/**
 * harts_net_load() - the link load at which links are busy for a given share of the time
 * @run: what is simulated; @load is not used
 * @busy: share, in millionths, with the gaps and all that broadcasts need
 *
 * Return: link load in millionths.
 */
u64 harts_net_load(const struct harts_run *run, u64 busy);

#endif /* FLITCAST_SIM_HARTS_NET_H */
