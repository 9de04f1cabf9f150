/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conflict sense routing (Varvarigos and Bertsekas, 1992) at one site.
 *
 * A packet enters the network when it has reserved its path: a probe takes the path that the packet
 * will take, and reserves on each link a window of time, and buffer space to wait for it.  Where a
 * probe fails, a NACK returns to the source and releases everything, and the packet stays at its
 * source.  An ACK returns from the destination and confirms one link after the other, the source's
 * last: a packet that enters has reserved its whole path.
 *
 * Each site has a clock of its own.  A probe carries only the delay between its own arrival and the
 * packet's.  With one clock and windows of length one this is the paper's protocol in slots: @now
 * of a control interval is the number of the next slot, and fc_csr_control_end() its end.
 *
 * The owner of a struct fc_csr passes it probes, their answers, packets and the time, and sends the
 * messages that it returns.  Frames may be lost, duplicated or late: a reservation lapses unless it
 * is confirmed, and is identified by packet and attempt.  @quota bounds the reservations that a
 * peer can make a site hold.
 */
#ifndef FC_CORE_CSR_CSR_H
#define FC_CORE_CSR_CSR_H

#include "core/csr/csr_list.h"

/* Links that the branches of one packet leave by, at most. */
#define FC_CSR_LEGS	8
/* Nothing is ever reserved farther ahead (struct fc_csr, @horizon): sums of times fit u64. */
#define FC_CSR_TIME_MAX	((u64)1 << 40)
#define FC_CSR_NEVER	(~(u64)0)

enum fc_csr_stat {
	FC_CSR_RESERVED,	/* windows */
	FC_CSR_SENT,		/* reservations used by their packet */
	FC_CSR_RELEASED,	/* reservations, by a NACK, FREE or newer attempt */
	FC_CSR_LAPSED,		/* reservations never confirmed */
	FC_CSR_ORPHANED,	/* reservations confirmed, but no packet arrived */
	FC_CSR_BLOCKED,		/* probes: no window, or no room to wait for it */
	FC_CSR_LATE,		/* packets: their window had ended, or was never theirs */
	FC_CSR_DOUBLE,		/* packets: another one's window had not ended; never happens */
	FC_CSR_STATS
};

enum fc_csr_type {
	FC_CSR_PROBE = 1,	/* forward: reserve */
	FC_CSR_ACK,		/* back: everything from here on is confirmed */
	FC_CSR_NACK,		/* back: release the reservation */
	FC_CSR_RELEASE,		/* forward: release the reservation */
	FC_CSR_TYPES
};

/**
 * struct fc_csr_msg - message between neighbours
 * @type: enum fc_csr_type
 * @id: whose reservation
 * @epoch: of the network's routes; those of others count for nothing
 * @units: probe: length of the packet
 * @lead: probe: time from now until the packet will have come
 * @span: probe: time from when the packet may leave its source until it will have come;
 *	ACK: until it will have come to its last target
 * @floor: probe: the last packet for the same target comes to it so long after that time:
 *	this one has to come later.  0: there is none
 */
struct fc_csr_msg {
	u8  type;
	struct fc_csr_id id;
	u32 epoch;
	u32 units;
	u64 lead;
	u64 span;
	u64 floor;
};

/**
 * struct fc_csr_leg - a branch of a packet's path from here
 * @ports: links that it may leave by: the one with the earliest window is taken
 * @last: there is a target of it at the end of the link
 * @wait: the packet waits here outside of the links' buffers, as long as it has to
 * @tag: data of the caller, kept with the reservation
 * @port: result: link
 * @msg: result: to be sent there
 */
struct fc_csr_leg {
	u32 ports;
	bool last;
	bool wait;
	u64 tag;
	u8  port;
	struct fc_csr_msg msg;
};

/**
 * enum fc_csr_verdict - what became of a message
 * @FC_CSR_DROP: nothing is to be done
 * @FC_CSR_PASS: a probe: send the message of each leg; an ACK or NACK: send @msg of the answer
 *	on @port of it
 * @FC_CSR_BLOCK: a probe: send @msg of the answer, a NACK, on @port
 * @FC_CSR_HERE: an ACK or NACK for a packet of this site
 */
enum fc_csr_verdict {
	FC_CSR_DROP,
	FC_CSR_PASS,
	FC_CSR_BLOCK,
	FC_CSR_HERE,
};

/**
 * struct fc_csr_answer - what is to be sent
 * @port: where @msg goes, FC_PORT_LOCAL if it is for this site
 * @msg: message
 * @release: links on which a FC_CSR_RELEASE of the same identity is to be sent
 */
struct fc_csr_answer {
	u8 port;
	struct fc_csr_msg msg;
	u32 release;
};

/**
 * struct fc_csr - the reservations of a site
 * @pool: their memory
 * @link: by port
 * @nports: ports with the local one
 * @quota: reservations asked for by one port, at most
 * @held: by port: reservations asked for by it
 * @epoch: of the network's routes
 * @lease: a reservation that is not confirmed lapses after that
 * @horizon: nothing is reserved farther ahead
 * @next_at: nothing lapses before
 * @stat: counters, by enum fc_csr_stat; RESERVED = SENT + RELEASED + LAPSED + ORPHANED +
 *	what there is and is not FC_CSR_USED
 *
 * Its caller's lock protects all of it.
 */
struct fc_csr {
	struct fc_csr_pool pool;
	struct fc_csr_link *link;
	u8  nports;
	u16 quota;
	u16 held[FC_PORTS_MAX];
	u32 epoch;
	u64 lease;
	u64 horizon;
	u64 next_at;
	u64 stat[FC_CSR_STATS];
};

/**
 * fc_csr_init() - nothing is reserved
 * @c: pool.res, pool.size, link (with k, unit and guard of each), nports, quota, epoch,
 *	lease and horizon are set; @horizon is up to FC_CSR_TIME_MAX
 */
void fc_csr_init(struct fc_csr *c);

/**
 * fc_csr_probe() - a probe came in, or begins here
 * @c: reservations
 * @in: port that it came by; FC_PORT_LOCAL: of this site, or of a packet that reserves anew from
 *	here
 * @msg: probe
 * @legs: branches from here; all of them or none are reserved.  None: all targets are here
 * @nlegs: up to FC_CSR_LEGS
 * @here: one of the targets is here
 * @now: time
 * @answer: result: of a probe that ends here the ACK, if it fails the NACK
 *
 * A repeated probe reserves nothing new and takes the same links again.  A probe of a newer attempt
 * releases the reservations of older ones; links of theirs that it does not use are in
 * @answer->release, with the identity of the older attempt.
 *
 * Return: FC_CSR_PASS: send @legs[].msg; FC_CSR_HERE: it ends here: send @answer->msg;
 * FC_CSR_BLOCK: no window: the same; FC_CSR_DROP: it is of no use.  In each case a
 * FC_CSR_RELEASE of @answer->msg.id on the links of @answer->release goes first.
 */
enum fc_csr_verdict fc_csr_probe(struct fc_csr *c, u8 in, const struct fc_csr_msg *msg,
				 struct fc_csr_leg *legs, u8 nlegs, bool here, u64 now,
				 struct fc_csr_answer *answer);

/**
 * fc_csr_answered() - an ACK, a NACK or a release came in
 * @c: reservations
 * @port: by which it came
 * @msg: message
 * @now: time
 * @answer: result
 *
 * An ACK is forwarded when all branches are confirmed; a NACK of one branch releases all.
 *
 * Return: FC_CSR_PASS: send @answer->msg on @answer->port; FC_CSR_HERE: it is about a packet that
 * began here: @answer->msg is the result; FC_CSR_DROP.  In each case @answer->release is to be
 * sent.
 */
enum fc_csr_verdict fc_csr_answered(struct fc_csr *c, u8 port, const struct fc_csr_msg *msg,
				    u64 now, struct fc_csr_answer *answer);

/**
 * fc_csr_next_hops() - the links that a packet has reserved
 * @c: reservations
 * @site: of its identity
 * @number: of its identity
 *
 * Return: mask of ports.
 */
u32 fc_csr_next_hops(const struct fc_csr *c, u32 site, u32 number);

/* Return: the tag of what a packet has reserved on a link; 0: nothing. */
u64 fc_csr_tag(const struct fc_csr *c, u32 site, u32 number, u8 port);

/**
 * enum fc_csr_turn - may a packet go?
 * @FC_CSR_WAIT: later
 * @FC_CSR_GO: now
 * @FC_CSR_TOO_LATE: its window has ended, or it has none: it has to reserve anew
 */
enum fc_csr_turn {
	FC_CSR_WAIT,
	FC_CSR_GO,
	FC_CSR_TOO_LATE,
};

/**
 * fc_csr_turn() - may a packet go?
 * @c: reservations
 * @site: of its identity
 * @number: of its identity
 * @port: link
 * @now: time
 * @at: result: when its window begins or began; untouched if it has none
 */
enum fc_csr_turn fc_csr_turn(const struct fc_csr *c, u32 site, u32 number, u8 port, u64 now,
			     u64 *at);

/* The caller has begun to send the packet, after fc_csr_turn() returned FC_CSR_GO. */
void fc_csr_sent(struct fc_csr *c, u32 site, u32 number, u8 port, u64 now);

/* Counts a packet that missed its window. */
void fc_csr_late(struct fc_csr *c);

/**
 * fc_csr_time() - time passes
 * @c: reservations
 * @now: time: windows that end at @now count as ended
 *
 * To be called at @c->next_at, and as often as one likes.
 */
void fc_csr_time(struct fc_csr *c, u64 now);

/* In slots: the control interval has ended; releases the reservations that are not confirmed. */
void fc_csr_control_end(struct fc_csr *c);

/* A link died: releases the reservations of packets that were to leave or arrive by it. */
void fc_csr_link_down(struct fc_csr *c, u8 port);

/* Routes have changed everywhere: nothing that was reserved counts. */
void fc_csr_epoch(struct fc_csr *c, u32 epoch);

/* Number of reservations in a state: tentative, confirmed, or in use. */
u32 fc_csr_count(const struct fc_csr *c, enum fc_csr_state state);

enum fc_csr_entry_state {
	FC_CSR_EMPTY,
	FC_CSR_PENDING,		/* the packet stays where it is */
	FC_CSR_ACCEPTED,	/* the packet has reserved all of its route */
};

/**
 * struct fc_csr_entry - an entry buffer: one packet that is to enter the network
 * @state: enum fc_csr_entry_state
 * @asked: a probe of it is in flight, as far as is known
 * @id: of the last attempt
 * @from: when it may leave at the earliest
 * @arrival: when accepted: when it will have come to its last target
 * @failed: attempts in a row that failed
 * @floor: when the last packet before it to the same target comes there, by this
 *	site's clock; 0: none
 */
struct fc_csr_entry {
	u8 state;
	bool asked;
	struct fc_csr_id id;
	u64 from;
	u64 arrival;
	u32 failed;
	u64 floor;
};

/* A packet of this number is to enter; @floor: see struct fc_csr_entry. */
void fc_csr_entry_fill(struct fc_csr_entry *e, u32 site, u32 number, u64 floor);

/**
 * fc_csr_entry_try() - one more attempt
 * @e: pending
 * @c: reservations of its site
 * @units: length of the packet
 * @from: when it may leave at the earliest, not before @now
 * @legs: as of fc_csr_probe()
 * @nlegs: likewise, not 0
 * @here: likewise
 * @now: time
 * @answer: result: what to release of the last attempt
 *
 * Return: FC_CSR_PASS: send @legs[].msg; FC_CSR_BLOCK: it failed already.
 */
enum fc_csr_verdict fc_csr_entry_try(struct fc_csr_entry *e, struct fc_csr *c, u32 units,
				     u64 from, struct fc_csr_leg *legs, u8 nlegs, bool here,
				     u64 now, struct fc_csr_answer *answer);

/**
 * fc_csr_entry_receive() - fc_csr_answered() has returned FC_CSR_HERE for this packet
 * @e: entry
 * @msg: the answer's message
 *
 * Return: false: the message is of an earlier attempt; nothing has changed.
 */
bool fc_csr_entry_receive(struct fc_csr_entry *e, const struct fc_csr_msg *msg);

#endif /* FC_CORE_CSR_CSR_H */
