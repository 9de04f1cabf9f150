/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The handshake of a link.  Both ends say who they are and how the network is
 * set; a link comes up when each has heard the other's epoch and nothing
 * contradicts.  A new epoch resets it.  Ends that disagree stay down and say why.
 */
#ifndef FC_CORE_HELLO_H
#define FC_CORE_HELLO_H

#include "base.h"
#include "wire.h"

/* X(identifier, text): why a link is not up. */
#define FC_REASONS(X)								\
	X(NONE,		"")							\
	X(CARRIER,	"no carrier")						\
	X(SILENT,	"no HELLO from the peer")				\
	X(UNHEARD,	"the peer has not heard our HELLO")			\
	X(VERSION,	"the peer speaks another protocol version")		\
	X(MODE,		"the peer uses another switching mode")			\
	X(FLIT,		"the peer uses another flit size")			\
	X(TOPOLOGY,	"the peer is set to another topology")			\
	X(CABLE_SITE,	"cabled to a site that is not the neighbour here")	\
	X(CABLE_PORT,	"cabled to the wrong port of the neighbour")		\
	X(PEER,		"the peer refuses: see its reason")			\
	X(DEAD,		"the peer fell silent")					\
	X(MTU,		"MTU of the device is below the flit size")		\
	X(LONG,		"no frame as long as a flit comes from the peer")	\
	X(KEY,		"the peer has another key, or only one of the two has one")

enum fc_reason {
#define X(id, text) FC_REASON_##id,
	FC_REASONS(X)
#undef X
	FC_REASON_COUNT
};

const char *fc_reason_text(u8 reason);

enum fc_link_state {
	FC_LINK_DOWN = 1,	/* no carrier */
	FC_LINK_INIT,		/* HELLO not agreed */
	FC_LINK_UP,
};

/**
 * struct fc_hello - one end of a link
 * @own: what we say; epoch, peer_epoch and reason change
 * @want_site: neighbour the topology has on this port
 * @want_port: port of the neighbour
 * @peer: what the peer said last; epoch 0 before the first
 * @keyed: the network has a key: a HELLO that is received was made by a site that has it, but may
 *	be a recorded one
 * @interval: time between HELLOs while up (an eighth of it while not)
 * @send_at: when the next HELLO is due, FC_NEVER without carrier
 * @dead_at: when silence means death (while up), else FC_NEVER
 * @state: enum fc_link_state
 */
struct fc_hello {
	struct fc_hello_msg own;
	u32 want_site;
	u16 want_port;
	struct fc_hello_msg peer;
	bool keyed;
	u64 interval;
	u64 send_at;
	u64 dead_at;
	u8 state;
};

/* Halvings of the interval while not up: a shift, because 32-bit kernels divide no u64. */
#define FC_HELLO_INIT_SHIFT	3

/* Intervals of silence after which an up link is dead. */
#define FC_HELLO_DEAD	5

/* What a step asks its caller to do, in this order. */
#define FC_HELLO_GO_DOWN	0x01	/* reset the link (it may come up in the same step) */
#define FC_HELLO_GO_UP		0x02
#define FC_HELLO_SEND		0x04	/* send a HELLO with what own says now */

/* Each returns a mask of FC_HELLO_*. */
u8 fc_hello_carrier(struct fc_hello *h, bool up, u64 now);
/* @full: it came in a frame as long as a flit. */
u8 fc_hello_received(struct fc_hello *h, const struct fc_hello_msg *msg, bool full, u64 now);
/*
 * A HELLO came without proof that its sender has the network's key: an end that is not up has that as
 * its reason, and nothing else changes.
 */
void fc_hello_unproven(struct fc_hello *h);
/*
 * @early: its runner is awake for another link: what is due within half an interval goes now.
 * So all links of a site are served at once, after the first interval.
 */
u8 fc_hello_time(struct fc_hello *h, u64 now, bool early);
/* The ends contradict each other: begin anew. */
u8 fc_hello_reset(struct fc_hello *h, u64 now);
/* Another window or flags than before: what the peer heard does not hold, so begin anew. */
u8 fc_hello_set(struct fc_hello *h, u16 window, u8 flags, u64 now);
/* Is the next HELLO to be as long as a flit, so that the peer sees that such come? */
bool fc_hello_full(const struct fc_hello *h);
/* Any valid frame of the peer's current epoch shows that it lives; @now: or lived then. */
void fc_hello_alive(struct fc_hello *h, u64 now);

#endif /* FC_CORE_HELLO_H */
