/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The handshake of a link.  Both ends send their identity and the settings of the network; a link
 * comes up when each has received the other's epoch and nothing contradicts.  A new epoch resets
 * it.  Ends that disagree stay down and report the reason.
 *
 * An end that is up may suspect its link: routes avoid it, and nothing is reset.  Pairs of HELLOs
 * then probe the link; suspicion ends when the peer has answered some and the link was avoided for
 * a time.  Suspicion takes traffic off a link fast, and death, which takes seconds of silence,
 * resets it: so a host that is stalled, or a link that loses frames, is not reset by mistake.  When
 * half of that silence has passed, an end asks the peer for an answer, often.
 */
#ifndef FC_CORE_LINK_HELLO_H
#define FC_CORE_LINK_HELLO_H

#include "core/base.h"
#include "core/link/event.h"
#include "core/wire/wire.h"

/* X(identifier, text): why a link is not up. */
#define FC_REASONS(X)									\
	X(NONE,		"")								\
	X(CARRIER,	"no carrier")							\
	X(SILENT,	"no HELLO from the peer: has the other end a link?")		\
	X(UNRECEIVED,	"the peer has not received our HELLO")				\
	X(VERSION,	"the peer speaks another protocol version")			\
	X(MODE,		"the peer uses another switching mode")				\
	X(FLIT,		"the peer uses another flit size")				\
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
/* Return: why a link that is up is suspected (enum fc_suspicion), "" if it is not. */
const char *fc_suspicion_text(u8 suspicion);

enum fc_link_state {
	FC_LINK_DOWN = 1,	/* no carrier */
	FC_LINK_INIT,		/* HELLO not agreed */
	FC_LINK_UP,
};

/**
 * struct fc_hello - one end of a link
 * @own: HELLO that we send; epoch, peer_epoch and reason change
 * @want_site: neighbour the topology has on this port
 * @want_port: port of the neighbour
 * @peer: last HELLO of the peer; epoch 0 before the first
 * @keyed: the network has a key: a HELLO that is received was made by a site that has it, but may
 *	be a recorded one
 * @ms: a millisecond, in the runner's unit of time
 * @interval: time between HELLOs while up (an eighth of it while not): own.interval milliseconds
 * @dead: intervals of the peer without a frame of it after which the link is dead
 * @send_at: when the next HELLO is due, FC_NEVER without carrier
 * @dead_at: when silence means death (while up), else FC_NEVER
 * @up_at: when the link came up last
 * @hold_until: not before does it come up again after full frames were lost
 * @state: enum fc_link_state
 * @suspicion: enum fc_suspicion: HELLOs go in pairs, the first one as long as a flit
 * @answered: pairs that came to the peer completely since then, up to FC_HELLO_ANSWERS
 * @missed: pairs in a row of which only the second HELLO came to the peer
 * @hold: how long routes avoid the link at least, by this suspicion or the last one; 0: there was
 *	none
 * @trust_at: end of the hold while it is suspected, else when it was trusted again
 * @grey: full frames were lost: the link comes up only when such arrive in both directions
 * @greys: the hold is doubled so often
 * @seen: a long HELLO of such a pair has come, and its short one has not
 * @answer: FC_HELLO_SEEN or FC_HELLO_MISSED in the HELLO that this step sends
 * @late: checks in a row that came late when the peer was silent for long enough to be dead
 * @left: this end was removed: it neither sends nor answers HELLOs
 * @asks: the HELLO that this step sends asks for an answer
 * @brief: the HELLO that this step sends is short: it reports to the peer that the link is grey, or
 *	that this end is removed
 * @leaves: this end is removed: the HELLO that this step sends is its last one
 * @answers_at: when it may send a full burst of answers to HELLOs of another epoch again
 * @asked_at: the same, of answers that the peer asks for
 *
 * All but @own, @want_site, @want_port, @ms, @interval, @dead, @send_at, @dead_at and @state are
 * zero to begin with.
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
 * Answers: so many in a burst.  To HELLOs that name another epoch one goes in each interval between
 * HELLOs while not up; to HELLOs that ask, two while a peer sends one.  Ends whose HELLOs wait in a
 * queue would answer each of them.
 */
#define FC_HELLO_BURST		4

/* Halvings of the interval while not up: a shift, because 32-bit kernels divide no u64. */
#define FC_HELLO_INIT_SHIFT	3

/* Default and range of the interval in ms, and of the intervals of silence that mean death. */
#define FC_HELLO_MS		500
#define FC_HELLO_MS_MIN		50
#define FC_HELLO_MS_MAX		10000
#define FC_HELLO_DEAD		6
#define FC_HELLO_DEAD_MIN	2
#define FC_HELLO_DEAD_MAX	100

/* Halvings of the interval for which the last of these intervals is longer. */
#define FC_HELLO_GRACE_SHIFT	2

/*
 * A check that is later than this, in ms, finds this host stalled: it is no proof of silence, but
 * for the last one of so many in a row.
 */
#define FC_HELLO_LATE_MS	40
#define FC_HELLO_LATE_CHECKS	3

/*
 * A suspected link: time in ms between two pairs of HELLOs, how many the peer must answer before it
 * is trusted again, and how many pairs in a row must come without their long HELLO to take it down.
 * When the peer has answered so many, single HELLOs follow, FC_HELLO_ALIVE_SHIFT halvings of the
 * interval apart, and the next pair at the end of the hold.
 * Where one in five long frames is lost that happens once in 400,000 suspicions, at three in five
 * once in 60.
 */
#define FC_HELLO_PROBE_MS	60
#define FC_HELLO_ANSWERS	3
#define FC_HELLO_CHECKS		8
#define FC_HELLO_ALIVE_SHIFT	2

/*
 * How long in ms routes avoid a suspected link at least: doubled each time up to the maximum, and
 * from the beginning again when the link was trusted for eight times the last hold.
 */
#define FC_HELLO_HOLD_MS	500
#define FC_HELLO_HOLD_MAX_MS	4000

/*
 * How long the link then stays down at least: two intervals, doubled each time up to so often, and
 * from the beginning again when it was up for eight times as long.
 */
#define FC_HELLO_GREYS_MAX	5
#define FC_HELLO_CALM_SHIFT	3

/* Requests of a step to its caller, to be performed in this order. */
#define FC_HELLO_GO_DOWN	0x01	/* reset the link (it may come up in the same step) */
#define FC_HELLO_GO_UP		0x02
#define FC_HELLO_SEND		0x04	/* send a HELLO (fc_hello_next(), fc_hello_full()) */
#define FC_HELLO_CHECK		0x08	/* before that, another one, as long as a flit */
#define FC_HELLO_SUSPECT	0x10	/* routes are to avoid the link */
#define FC_HELLO_TRUST		0x20	/* routes may use it again */

/* Each returns a mask of FC_HELLO_*. */
u8 fc_hello_carrier(struct fc_hello *h, bool up, u64 now);
/* @full: it came in a frame as long as a flit. */
u8 fc_hello_received(struct fc_hello *h, const struct fc_hello_msg *msg, bool full, u64 now);
/*
 * A HELLO came without proof that its sender has the network's key: an end that is not up has that
 * as its reason, and nothing else changes.
 */
void fc_hello_unproven(struct fc_hello *h);
/*
 * @early: its runner is awake for another link: what is due within half an interval goes now.
 * So all links of a site are served at once, after the first interval.
 */
u8 fc_hello_time(struct fc_hello *h, u64 now, bool early);
/* The ends contradict each other: begin anew. */
u8 fc_hello_reset(struct fc_hello *h, u64 now);
/* The window or the flags have changed: HELLOs that the peer received are stale, so begin anew. */
u8 fc_hello_set(struct fc_hello *h, u16 window, u8 flags, u64 now);
/*
 * The link may be silent, or lose full frames (FC_FX_SUSPECT).  @why: enum fc_suspicion.  Avoid and
 * probe it; where full frames are lost, take it down.
 */
u8 fc_hello_suspect(struct fc_hello *h, u8 why, u64 now);
/* This end is removed: inform the peer.  The HELLO of this step is the last one. */
u8 fc_hello_leave(struct fc_hello *h);
/* Set the interval (own.interval, in ms) and the number of them that means death. */
u8 fc_hello_pace(struct fc_hello *h, u16 interval, u8 dead, u64 now);
/* The HELLO of FC_HELLO_SEND, before the next step; @pair: both where it has FC_HELLO_CHECK. */
struct fc_hello_msg fc_hello_next(struct fc_hello *h, bool pair);
/* Is the HELLO of FC_HELLO_SEND to be as long as a flit, so that the peer sees that such come? */
bool fc_hello_full(const struct fc_hello *h);
/*
 * A frame shows that the peer lives, or lived at @now: without a key any valid one of its current
 * epoch; with a key only one that cannot be a replay of a recorded one, such as the first
 * acknowledgment of a flit (HELLOs are looked at by fc_hello_received()).
 */
void fc_hello_alive(struct fc_hello *h, u64 now);

#endif /* FC_CORE_LINK_HELLO_H */
