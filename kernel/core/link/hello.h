/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The handshake of a link.  Both ends send their identity and the settings of the network; a link
 * comes up when each has received the other's epoch and nothing contradicts.  A new epoch resets
 * it.  Ends that disagree stay down and report the reason.
 *
 * An end that is up may suspect its link: routes avoid it, and nothing is reset.  Pairs of HELLOs
 * then probe the link; suspicion ends when the peer has answered some of them and routes have
 * avoided the link for a time.  Suspicion moves traffic to other links fast, while only seconds of
 * silence reset the link: so a stalled host, or a link that loses frames, causes no reset.  When
 * half of that silence has passed, an end asks the peer for an answer, in frequent HELLOs.
 */
#ifndef FC_CORE_LINK_HELLO_H
#define FC_CORE_LINK_HELLO_H

#include "core/base.h"
#include "core/link/event.h"
#include "core/wire/wire.h"

/* X(identifier, text): reasons why a link is not up. */
#define FC_REASONS(X)									\
	X(NONE,		"")								\
	X(CARRIER,	"no carrier")							\
	X(SILENT,	"no HELLO from the peer: has the other end a link?")		\
	X(UNRECEIVED,	"the peer has not received our HELLO")				\
	X(VERSION,	"the peer speaks another protocol version")			\
	X(MODE,		"the peer uses another switching mode")				\
	X(FLIT,		"the peer uses another flit size")				\
	X(INTEGRITY_OFF,	"the peer's network has integrity off, this one end")		\
	X(INTEGRITY_END,	"the peer's network has integrity end, this one off")		\
	X(TOPOLOGY,	"the peer has another topology")				\
	X(CABLE_SITE,	"cabled to a site that is not the neighbour here")		\
	X(CABLE_PORT,	"cabled to the wrong port of the neighbour")			\
	X(PEER,		"the peer refuses the link: see flitcast link show there")	\
	X(DEAD,		"the peer fell silent")						\
	X(MTU,		"MTU of the device is below the flit size: raise it")		\
	X(LONG,		"no full-size frame comes from the peer: check the MTU")		\
	X(KEY,		"the peer has another key, or only one of the two has one")	\
	X(GREY,		"full frames to the peer are lost: check the MTU")	\
	X(LEFT,		"the peer's link or site was removed, or its host shut down")

enum fc_reason {
#define X(id, text) FC_REASON_##id,
	FC_REASONS(X)
#undef X
	FC_REASON_COUNT
};

const char *fc_reason_text(u8 reason);
/* Return: the reason why a link that is up is suspected (enum fc_suspicion); "" if it is not. */
const char *fc_suspicion_text(u8 suspicion);

enum fc_link_state {
	FC_LINK_DOWN = 1,	/* no carrier */
	FC_LINK_INIT,		/* HELLO not agreed */
	FC_LINK_UP,
};

/**
 * struct fc_hello - one end of a link
 * @own: HELLO that this end sends; epoch, peer_epoch and reason change
 * @want_site: neighbour that the topology has on this port
 * @want_port: port of the neighbour
 * @peer: last HELLO of the peer; epoch 0 before the first
 * @keyed: the network has a key: a received HELLO is authentic, but may be a replay
 * @ms: a millisecond, in the caller's unit of time
 * @interval: time between HELLOs while the link is up (an eighth of it otherwise): own.interval
 *	milliseconds
 * @dead: number of intervals of the peer without a frame after which the link is dead
 * @send_at: time of the next HELLO; FC_NEVER without carrier
 * @dead_at: while up, time at which a silent peer is taken for dead; else FC_NEVER
 * @up_at: time at which the link last came up
 * @hold_until: after the loss of full frames, earliest time at which the link may come up
 * @state: enum fc_link_state
 * @suspicion: enum fc_suspicion; while set, HELLOs are sent in pairs, the first one as long as a
 *	flit
 * @answered: number of pairs that arrived whole since then, up to FC_HELLO_ANSWERS
 * @missed: number of consecutive pairs of which only the short HELLO arrived
 * @hold: minimum time that routes avoid the link, of this suspicion or the last one; 0: there was
 *	none
 * @trust_at: while suspected, end of the hold; else time at which the suspicion ended
 * @grey: full frames were lost: the link comes up only when they arrive in both directions
 * @greys: number of doublings of the time that the link stays down
 * @seen: the long HELLO of a pair has arrived, and the short one has not
 * @answer: FC_HELLO_SEEN or FC_HELLO_MISSED in the HELLO that this step sends
 * @late: number of consecutive late checks at which the peer had been silent for @dead intervals
 * @left: this end was removed: it neither sends nor answers HELLOs
 * @asks: the HELLO that this step sends asks for an answer
 * @brief: the HELLO that this step sends is short: it reports to the peer that the link is grey, or
 *	that this end is removed
 * @leaves: this end is removed: the HELLO that this step sends is its last one
 * @answers_at: token bucket (core/bucket.h) of answers to HELLOs that name another epoch
 * @asked_at: token bucket of answers that the peer asks for
 *
 * All but @own, @want_site, @want_port, @ms, @interval, @dead, @send_at, @dead_at and @state are
 * initially zero.
 */
struct fc_hello {
	struct fc_hello_msg own;
	u32 want_site;
	u16 want_port;
	struct fc_hello_msg peer;
	bool keyed;
	u32 ms;
	u8 dead;
	u64 interval;
	u64 send_at;
	u64 dead_at;
	u64 up_at;
	u64 hold_until;
	u8 state;
	u8 suspicion;
	u8 answered;
	u8 missed;
	u64 hold;
	u64 trust_at;
	bool grey;
	u8 greys;
	bool seen;
	u8 answer;
	u8 late;
	bool left;
	bool asks;
	bool brief;
	bool leaves;
	u64 answers_at;
	u64 asked_at;
};

/*
 * Rate limit of answers: size of a burst.  HELLOs that name another epoch get one answer for each
 * interval between HELLOs of an end that is not up; HELLOs that ask get two for each
 * FC_HELLO_PROBE_MS.  Without the limit, two ends whose HELLOs wait in queues would answer each
 * one of them.
 */
#define FC_HELLO_BURST		4

/* Halvings of the interval while not up; a shift, because 32-bit kernels divide no u64. */
#define FC_HELLO_INIT_SHIFT	3

/* Default and range of the interval in ms, and of the silent intervals until the link is dead. */
#define FC_HELLO_MS		500
#define FC_HELLO_MS_MIN		50
#define FC_HELLO_MS_MAX		10000
#define FC_HELLO_DEAD		6
#define FC_HELLO_DEAD_MIN	2
#define FC_HELLO_DEAD_MAX	100

/* The last silent interval is longer by the interval, halved so often. */
#define FC_HELLO_GRACE_SHIFT	2

/*
 * A check of the peer's silence that runs later than this, in ms, shows that this host was stalled:
 * the peer's frames may wait to be read.  So many consecutive late checks are ignored.
 */
#define FC_HELLO_LATE_MS	40
#define FC_HELLO_LATE_CHECKS	3

/*
 * Probes of a suspected link: time in ms between two pairs of HELLOs; number of pairs that the peer
 * must answer before the suspicion ends; number of consecutive pairs without their long HELLO that
 * take the link down.  After FC_HELLO_ANSWERS answers, single HELLOs follow at the interval halved
 * FC_HELLO_ALIVE_SHIFT times, and the next pair at the end of the hold.  A link that loses one in
 * five long frames is taken down in one of 400,000 suspicions; one that loses three in five, in one
 * of 60.
 */
#define FC_HELLO_PROBE_MS	60
#define FC_HELLO_ANSWERS	3
#define FC_HELLO_CHECKS		8
#define FC_HELLO_ALIVE_SHIFT	2

/*
 * Hold of a suspected link, in ms: minimum time that routes avoid it.  Each suspicion doubles the
 * hold up to the maximum; it starts anew after the link was trusted for eight times the last hold.
 */
#define FC_HELLO_HOLD_MS	500
#define FC_HELLO_HOLD_MAX_MS	4000

/*
 * Minimum time that a grey link stays down: two intervals, doubled each time, up to so many
 * doublings of the interval; it starts anew after the link was up for eight times as long.
 */
#define FC_HELLO_GREYS_MAX	5
#define FC_HELLO_CALM_SHIFT	3

/* Requests of a step to its caller, to be performed in this order. */
#define FC_HELLO_GO_DOWN	0x01	/* reset the link (it may come up in the same step) */
#define FC_HELLO_GO_UP		0x02
#define FC_HELLO_SEND		0x04	/* send a HELLO (fc_hello_next(), fc_hello_full()) */
#define FC_HELLO_CHECK		0x08	/* before that, send a HELLO as long as a flit */
#define FC_HELLO_SUSPECT	0x10	/* let routes avoid the link */
#define FC_HELLO_TRUST		0x20	/* let routes use the link again */

/* Each returns a mask of FC_HELLO_*. */
u8 fc_hello_carrier(struct fc_hello *h, bool up, u64 now);
/* @full: the HELLO arrived in a frame as long as a flit. */
u8 fc_hello_received(struct fc_hello *h, const struct fc_hello_msg *msg, bool full, u64 now);
/*
 * A HELLO arrived whose sender did not prove that it has the network's key: an end that is not up
 * reports FC_REASON_KEY, and nothing else changes.
 */
void fc_hello_unproven(struct fc_hello *h);
/*
 * Runs the timers that are due.  @early: the caller is awake for another link: a HELLO that is due
 * within half an interval is sent now, so that after the first interval one wake-up serves all
 * links of a site.
 */
u8 fc_hello_time(struct fc_hello *h, u64 now, bool early);
/* The ends of the link contradict each other: restart the handshake. */
u8 fc_hello_reset(struct fc_hello *h, u64 now);
/* Set window and flags: the peer knows the old ones, so restart the handshake. */
u8 fc_hello_set(struct fc_hello *h, u16 window, u8 flags, u64 now);
/*
 * The link may be silent, or lose or damage frames: avoid and probe it, and take it down if full
 * frames are lost.  @why: enum fc_suspicion.
 */
u8 fc_hello_suspect(struct fc_hello *h, u8 why, u64 now);
/* This end is removed: inform the peer.  The HELLO of this step is the last one. */
u8 fc_hello_leave(struct fc_hello *h);
/* Set the interval (own.interval, in ms), and the number of silent intervals until death. */
u8 fc_hello_pace(struct fc_hello *h, u16 interval, u8 dead, u64 now);
/*
 * Return: the HELLO of FC_HELLO_SEND, and with @pair that of FC_HELLO_CHECK as well; called before
 * the next step.
 */
struct fc_hello_msg fc_hello_next(struct fc_hello *h, bool pair);
/* Is the HELLO of FC_HELLO_SEND as long as a flit, to show the peer that full frames arrive? */
bool fc_hello_full(const struct fc_hello *h);
/*
 * A frame shows that the peer was alive at @now: without a key any valid frame of its current
 * epoch; with a key only one that cannot be a replay, such as the first ack of a flit.  HELLOs are
 * checked by fc_hello_received().
 */
void fc_hello_alive(struct fc_hello *h, u64 now);

#endif /* FC_CORE_LINK_HELLO_H */
