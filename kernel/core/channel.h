/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A virtual channel of a site: for each link, both halves of link-level retry (core/link/llr.c).  A
 * channel has its own numbers, windows and credit, so that a blocked channel delays no other.
 */
#ifndef FC_CORE_CHANNEL_H
#define FC_CORE_CHANNEL_H

#include "core/base.h"

/* Times are in the caller's unit: nanoseconds in the kernel, cycles in the simulator. */
#define FC_NEVER	(~(u64)0)

/**
 * struct fc_flit - a flit inside a site
 * @h: handle of the caller; NULL for a terminator without a frame
 * @head: packet header and target list of a front, readable while the site holds @h; else NULL
 * @data: bytes of data
 * @parts: FC_PART_* and FC_PART_LOCAL_END
 */
struct fc_flit {
	void *h;
	const u8 *head;
	u32 data;
	u8 parts;
};

/* :local-end-of-packet (Table A) never travels on a link. */
#define FC_PART_LOCAL_END	0x08
/* Flag in @parts of a slot of a queue: the slot has a flit. */
#define FC_FLIT_VALID		0x80

/**
 * struct fc_rx - receiving half of a link: the queue in front of an input
 * @queue: a ring of window slots.  For a switch of mode vnet the caller may free the ring while it
 *	is empty and the input has no packet (NULL meanwhile), and allocates it, zeroed, before
 *	the next flit.
 * @stat: counters of the link, by enum fc_link_stat
 * @ack_at: time to send a delayed ack, unless a frame carries it before; or FC_NEVER
 * @nack_at: time to request missing flits, or FC_NEVER
 * @nack_wait: current interval of these requests
 * @consumed: flits that have left the queue; the cumulative ack
 * @acked: value of @consumed in the last flit or status to the peer; resends do not count
 * @end: number after the last flit that, by a flit or a poll, the peer has sent
 * @poll_seen: highest poll number in the peer's statuses
 * @first: slot of the next flit to consume; flit n is n - @consumed slots behind it
 * @queued: number of occupied slots
 * @ack_wanted: the peer requested an ack when the queue is empty
 * @reverse_active: this end has sent flits on the channel, so the ack field of received flits is
 *	valid; a copy of the state of struct fc_tx, to save a load for each received flit
 */
struct fc_rx {
	struct fc_flit *queue;
	u64 *stat;
	u64 ack_at;
	u64 nack_at;
	u64 nack_wait;
	u32 consumed;
	u32 acked;
	u32 end;
	u16 poll_seen;
	u16 first;
	u16 queued;
	bool ack_wanted;
	bool reverse_active;
};

/**
 * struct fc_tx - sending half of a link
 * @got: bit i: the peer has flit @acked + i in its queue
 * @resent: bit i: flit @acked + i was resent in this try, or before the first (llr.c)
 * @poll_at: time to poll the peer about unacknowledged flits, or FC_NEVER
 * @poll_wait: time from the answer to a poll to the next poll
 * @test_at: earliest poll for frames that no ack covers (fc_llr_test())
 * @sent: number of flits sent
 * @acked: number of flits that the peer has acknowledged
 * @window: maximum number of unacknowledged flits; the switches check it
 * @polls: number of the last poll
 * @resend_poll: value of @polls at the last resend
 * @answered: number of the last poll that the peer has answered
 * @doubted: number of the last poll before the peer seemed silent, or @answered: an answer that
 *	names a poll between the two came late
 * @late_echo: number of the poll that the last late answer names
 * @late_polls: last poll that was sent before that answer; equal to @late_echo: none is awaited
 * @reverse_active: this end has consumed flits of the channel, so sent flits carry an ack; see
 *	@reverse_active of struct fc_rx
 * @flags: FC_STATUS_* of the next status (struct fc_channel, @flagged)
 * @tries: number of tries since the peer last reported a new flit; all but the last were futile
 * @stuck: number of tries since the peer last acknowledged a flit in which flit @acked was lost
 * @answers: low bits of FC_LSTAT_RX_ANSWERS of the link at the last poll
 * @bytes: low bits of FC_LSTAT_RX_BYTES of the link at the last poll
 * @late: low bits of FC_LSTAT_RX_LATE_ANSWERS of the link at the last poll
 * @abandoned: low bits of FC_LSTAT_TX_ABANDONED of the link at the first poll since the peer last
 *	acknowledged a flit
 * @unanswered: number of unanswered polls since the peer last acknowledged a flit or answered a
 *	poll, on any channel of the link, up to FC_LLR_UNANSWERED + FC_LLR_SILENT
 * @slow: number of doublings of all waits, because answers on any channel of the link were late; an
 *	ack or a poll after @slow_until clears it, and a reset of the link does not, because it does
 *	not make the peer's host faster
 * @slow_until: see @slow
 * @held: age of the wait for credit (core/link/stuck.h)
 * @idle: the part of it since the peer last acknowledged a flit
 * @held_at: time up to which @held counts
 * @wait_poll: number of the last poll when the wait began, or since an ack
 * @dry: number of polls since the peer last acknowledged a flit, up to FC_LLR_STUCK_DRY
 * @unechoed: number of polls since it last answered one on this channel, likewise
 * @waits: a packet waits for credit
 * @holds: the last status of the peer reported flits in its queue
 * @hastened: the link was trusted again, but the peer has answered no poll since it seemed silent
 */
struct fc_tx {
	u64 got;
	u64 resent;
	u64 poll_at;
	u64 poll_wait;
	u64 test_at;
	u64 slow_until;
	u64 held;
	u64 idle;
	u64 held_at;
	u32 sent;
	u32 acked;
	u32 window;
	u32 answers;
	u32 bytes;
	u32 late;
	u32 abandoned;
	u16 polls;
	u16 resend_poll;
	u16 answered;
	u16 doubted;
	u16 late_echo;
	u16 late_polls;
	u16 wait_poll;
	bool reverse_active;
	u8 flags;
	u8 tries;
	u8 stuck;
	u8 unanswered;
	u8 slow;
	u8 dry;
	u8 unechoed;
	bool waits;
	bool holds;
	bool hastened;
};

/**
 * struct fc_channel - a virtual channel
 * @timing: settings, which change only between events
 * @rx: by port; port 0 receives from the operator
 * @tx: by port; port 0 is unused
 * @now: time of the last event
 * @next_at: no timer expires before this time
 * @window: number of slots of each queue
 * @up: ports whose link is up; the local port always is
 * @status: ports on which a status is due
 * @flagged: ports of @status whose status has flags, so that no flit replaces it
 * @timed: ports with a timer that may run
 * @silent: ports whose peer has not answered FC_LLR_UNANSWERED polls; a status is due there, too
 * @stuck: ports whose peer takes nothing: datagrams that wait are abandoned (core/link/stuck.h)
 * @stuck_long: of these, ports whose peer has taken nothing for longer: messages, too
 * @nports: number of ports, including the local one
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
	u32 flagged;
	u32 timed;
	u32 silent;
	u32 stuck;
	u32 stuck_long;
	u16 window;
	u8 nports;
	u8 vc;
};

static inline struct fc_flit *fc_rx_first(const struct fc_rx *rx)
{
	return &rx->queue[rx->first];
}

/* Is there credit for a flit? */
static inline bool fc_tx_credit(const struct fc_tx *tx)
{
	return tx->sent - tx->acked < tx->window;
}

/* Has the peer acknowledged all flits? */
static inline bool fc_tx_empty(const struct fc_tx *tx)
{
	return tx->sent == tx->acked;
}

#endif /* FC_CORE_CHANNEL_H */
