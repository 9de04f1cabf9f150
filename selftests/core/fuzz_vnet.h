/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of the fuzzer of a switch (fuzz_vnet.c).
 */
#ifndef FUZZ_VNET_H
#define FUZZ_VNET_H

#include "ledger.h"
#include "prefers.h"
#include "core/vnet/vnet.h"

#define PAYLOAD		10
#define SITES_MAX	19
#define CLASSES_MAX	8
#define NPORTS_MAX	7

/**
 * struct peer - the other end of a link, in one class
 * @out: flits that the switch sends it
 * @sent: number of these flits
 * @acked: flits of @sent that it has acked
 * @in: packet that it is sending
 * @in_left: remaining bytes of @in
 * @next: sequence number of its next flit
 * @site_acked: flits that the switch has acked
 * @odd_left: bytes that would end the malformed packet that it is sending
 * @flags: FC_STATUS_* requests that it has not answered
 * @dirty: it has sent invalid flits
 * @dead: the packet that the switch sends it is dead
 */
struct peer {
	struct train out;
	u32 sent;
	u32 acked;
	struct packet *in;
	u32 in_left;
	u32 next;
	u32 site_acked;
	u32 odd_left;
	u8 flags;
	bool dirty;
	bool dead;
};

/* For the operator, @peer is its sending side: one packet at a time, to injection queue @class. */
struct bench {
	struct fc_topo topo;
	struct fc_vclass classes;
	struct fc_timing timing;
	struct fc_node node;
	struct fc_vnet v;
	struct fc_channel ch[CLASSES_MAX];
	struct fc_vin *in;
	struct fc_vout *out;
	struct fc_vbranch *branch;
	struct fc_straight *straight;		/* mode postman */
	struct fc_flit *queue;
	struct fc_rx *rx;
	struct fc_tx *tx;
	u64 stat[FC_STAT_COUNT];
	u64 link_stat[CLASSES_MAX][NPORTS_MAX][FC_LSTAT_COUNT];
	struct peer peer[CLASSES_MAX][NPORTS_MAX];
	struct train buffer;			/* packet that the operator is receiving */
	u32 routes[SITES_MAX];
	struct fc_prefer_table *prefers;	/* prefers_size() bytes */
	struct fc_effects fx;
	u32 window[NPORTS_MAX];		/* windows of the peers */
	u32 up;
	u32 resets;
	u64 now;
	u8 injq;
	u8 bad;				/* in the end: port of a peer that misbehaves, or 0 */
	bool mute;			/* the bad peer does not answer polls */
	u64 unfinished[CLASSES_MAX][NPORTS_MAX];	/* counters, as last seen */
	u64 abandoned;
	struct ledger ledger;			/* last member: not cleared as a whole */
};

#endif /* FUZZ_VNET_H */
