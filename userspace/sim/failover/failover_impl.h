/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of the model of a network: hosts and links (failover_net.c), ends (failover_ends.c). */
#ifndef FLITCAST_SIM_FAILOVER_IMPL_H
#define FLITCAST_SIM_FAILOVER_IMPL_H

#include "failover_net.h"
#include "core/faults/faults.h"
#include "core/link/hello.h"
#include "core/link/llr.h"

#define SITES		16
#define PORTS		9
#define WINDOW		64
#define FRAMES		256
#define PACKETS		8192
#define WAITING		512
#define PROBES		512
#define MS		FAILOVER_MS
/* Time of a frame on the wire, and of the computation of routes. */
#define DELAY		100000
#define COMPUTE		MS
/* Time between two probes of a host. */
#define INTERVAL	(50 * MS)

enum packet_kind {
	PACKET_PROBE,
	PACKET_ACK,
	PACKET_ASK,
	PACKET_MISSING,
};

/**
 * struct packet - a probe, or a control frame, which no link repeats
 * @kind: enum packet_kind
 * @to: target
 * @from: source
 * @copied: times that it was copied
 * @hops: links crossed
 * @id: number of the probe
 * @next: of an ack: number of the oldest probe that has not come
 */
struct packet {
	u8 kind;
	u8 to;
	u8 from;
	u8 copied;
	u16 hops;
	u32 id;
	u32 next;
};

enum frame_kind {
	FRAME_FLIT,
	FRAME_STATUS,
	FRAME_HELLO,
	FRAME_FAULTS,
	FRAME_CTRL,
};

struct frame {
	u64 at;
	u32 epoch;
	u8 kind;
	bool full;
	u8 flags;
	u32 seq;
	u32 ack;
	struct fc_status status;
	union {
		struct fc_hello_msg hello;
		struct fc_faults_msg faults;
		struct packet packet;
	};
};

/* An end of a link: the frames to it, and the flits that its peer has not acked. */
struct end {
	struct fc_hello hello;
	struct frame frame[FRAMES];
	u32 head;
	u32 tail;
	u32 sent[WINDOW];
	bool copied[WINDOW];
	bool deaf;
};

/**
 * struct probe - a probe, at its source and target
 * @sent_at: when it was last sent
 * @first_at: when it was first sent; 0: not yet
 * @due_at: when it was to be sent
 * @came_at: when it came; 0: not yet
 * @repeat: when it is sent again
 * @wait: time-out of that
 * @asked: since when an answer is outstanding; 0: none is
 * @asks: questions since it was sent
 * @acked: its source knows that it came
 */
struct probe {
	u64 sent_at;
	u64 first_at;
	u64 due_at;
	u64 came_at;
	u64 repeat;
	u64 wait;
	u64 asked;
	u8 asks;
	bool acked;
};

/**
 * struct flow - the probes from one host to another one
 * @probe: the probes
 * @n: how many there are
 * @oldest: the first one that its source does not know to have come
 * @came: probes before this one have come
 * @next_at: when the next one is due
 * @responded_at: when the target last answered
 * @anew: see core/ends/ask.h
 * @again: when it asks anew because routes have changed too soon after that, or FC_NEVER
 * @srtt: smoothed time until acks
 * @rttvar: its deviation
 * @to: target; SITES: the host sends none
 * @unresponsive: only the oldest probe is sent
 * @doubled: probes that came again
 */
struct flow {
	struct probe probe[PROBES];
	u32 n;
	u32 oldest;
	u32 came;
	u64 next_at;
	u64 responded_at;
	u64 anew;
	u64 again;
	u64 srtt;
	u64 rttvar;
	u8 to;
	bool unresponsive;
	u32 doubled;
};

struct host {
	struct fc_node node;
	struct fc_pref pref;
	struct fc_channel ch;
	struct fc_rx rx[PORTS];
	struct fc_tx tx[PORTS];
	struct fc_flit queue[PORTS][WINDOW];
	u64 stat[PORTS][FC_LSTAT_COUNT];
	u64 site_stat[FC_STAT_COUNT];
	struct end end[PORTS];
	struct fc_faults faults;
	struct fc_known known[SITES];
	u32 down[SITES];
	u32 suspect[SITES];
	u32 work[3 * SITES];
	u32 routes[SITES];
	u32 asked;
	u32 avoided;
	u32 doubtful;
	u64 rest_until;
	u64 compute_at;
	u64 computed_at;
	u32 computed;
	u32 suspects;
	u32 waiting[WAITING];
	u32 nwaiting;
	struct flow flow;
};

struct net {
	struct fc_topo topo;
	struct fc_timing timing;
	struct fc_effects fx;
	struct host host[SITES];
	struct packet packet[PACKETS];
	u32 npackets;
	u64 now;
	bool anew;
	bool apart;
	u64 failed[FAILOVER_PIECES];
	u32 nfailed;
};

extern struct net net;

static inline u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 most(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* Packets and control frames of a host (failover_net.c). */
u32 failover_packet(struct packet packet);
void failover_wait(struct host *h, u32 packet);
void failover_ctrl(struct host *h, struct packet packet);

/* Ends (failover_ends.c). */
void failover_deliver(struct host *h, const struct packet *packet);
/* Routes have changed. */
void failover_rerouted(struct host *h);
/* When the timers of a source are due next, and what they do. */
u64 failover_flow_at(const struct flow *f);
void failover_flow_time(struct host *h);

#endif /* FLITCAST_SIM_FAILOVER_IMPL_H */
