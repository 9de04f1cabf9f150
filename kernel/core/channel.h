/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A virtual channel of a site: for each link, both halves of what makes it as good as
 * a wire (llr.c).  A channel has its own numbers, windows and credit, so that one
 * whose way is blocked holds up no other.
 */
#ifndef FC_CORE_CHANNEL_H
#define FC_CORE_CHANNEL_H

#include "base.h"

/* Times are in the runner's unit: nanoseconds in the kernel, cycles in the simulator. */
#define FC_NEVER	(~(u64)0)

/**
 * struct fc_flit - a flit inside a site
 * @h: the runner's handle; NULL for a terminator without a frame
 * @head: packet header and target list of a front, readable while the site
 *	holds @h; else NULL
 * @data: bytes of data
 * @parts: FC_PART_*; FC_PART_LOCAL_END besides
 */
struct fc_flit {
	void *h;
	const u8 *head;
	u32 data;
	u8 parts;
};

/* :local-end-of-packet (Table A) never travels on a link. */
#define FC_PART_LOCAL_END	0x08
/* In a queue: taken. */
#define FC_FLIT_VALID		0x80

/**
 * struct fc_rx - what comes in on a link, in order: the queue in front of a net-input
 * @queue: a ring of window slots; of what goes through a switch of mode vnet the runner may
 *	take it away while it is empty, and nothing of a packet is here, and bring it, zeroed,
 *	before the next flit; NULL meanwhile
 * @stat: counters of the link, by enum fc_link_stat
 * @tell_at: when to tell upstream what was taken, if nothing does before, or FC_NEVER
 * @nack_at: when to ask for what is missing, or FC_NEVER
 * @nack_wait: current interval of that
 * @taken: flits taken from the queue; what is told upstream
 * @told: of these, told upstream
 * @end: number after the last flit that the peer is known to have sent
 * @heard: number of the peer's last probe
 * @first: slot of the next flit to take; flit n is in the n - @taken th from there
 * @queued: occupied slots
 * @want: the peer wants to hear when everything is taken
 * @both: flits were sent in the other direction, too, and those that come acknowledge them
 */
struct fc_rx {
	struct fc_flit *queue;
	u64 *stat;
	u64 tell_at;
	u64 nack_at;
	u64 nack_wait;
	u32 taken;
	u32 told;
	u32 end;
	u16 heard;
	u16 first;
	u16 queued;
	bool want;
	bool both;
};

/**
 * struct fc_tx - what goes out on a link
 * @got: bit i: flit @acked + i has come to the peer
 * @resent: bit i: flit @acked + i was sent again
 * @probe_at: when to ask after flits that were not acknowledged, or FC_NEVER
 * @probe_wait: current interval of that
 * @sent: flits sent
 * @acked: of these, taken by the peer
 * @window: flits that may be sent and not yet taken
 * @probes: number of the last probe
 * @mark: that when a flit was last sent again
 * @both: flits were taken from the other direction, too, and those that are sent acknowledge
 *	them; false where acknowledgements travel apart (struct fc_timing)
 * @say: FC_STATUS_* that the peer is to be told besides (struct fc_channel, @apart)
 * @tries: times in a row that flits were sent again and none of them came
 */
struct fc_tx {
	u64 got;
	u64 resent;
	u64 probe_at;
	u64 probe_wait;
	u32 sent;
	u32 acked;
	u32 window;
	u16 probes;
	u16 mark;
	bool both;
	u8 say;
	u8 tries;
};

/**
 * struct fc_channel - a virtual channel
 * @timing: settings; what it points to changes only between events
 * @rx: by port; of port 0 what comes from the operator
 * @tx: by port; of port 0 unused
 * @now: time of the last event
 * @next_at: nothing is due before this time
 * @window: slots of each queue
 * @up: ports whose link is up; the local port always is
 * @status: ports whose peer is to be told how much was taken
 * @apart: of these, those whose peer is told more than a flit does
 * @timed: ports at which something may be due: of the others nothing is
 * @nports: ports with the local one
 * @vc: enum fc_vc
 *
 * The arrays, @window, @nports and @vc never change after fc_channel_init().
 */
struct fc_channel {
	const struct fc_timing *timing;
	struct fc_rx *rx;
	struct fc_tx *tx;
	u64 now;
	u64 next_at;
	u32 up;
	u32 status;
	u32 apart;
	u32 timed;
	u16 window;
	u8 nports;
	u8 vc;
};

static inline struct fc_flit *fc_rx_first(const struct fc_rx *rx)
{
	return &rx->queue[rx->first];
}

/* May a flit be sent? */
static inline bool fc_tx_credit(const struct fc_tx *tx)
{
	return tx->sent - tx->acked < tx->window;
}

/* Has the peer taken everything? */
static inline bool fc_tx_empty(const struct fc_tx *tx)
{
	return tx->sent == tx->acked;
}

#endif /* FC_CORE_CHANNEL_H */
