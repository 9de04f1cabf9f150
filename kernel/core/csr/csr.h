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

/* Maximum number of branches of a packet at a site. */
#define FC_CSR_LEGS	8
/* Upper bound of @horizon of struct fc_csr: sums of times fit u64. */
#define FC_CSR_TIME_MAX	((u64)1 << 40)
#define FC_CSR_NEVER	(~(u64)0)

enum fc_csr_stat {
	FC_CSR_RESERVED,	/* windows */
	FC_CSR_SENT,		/* reservations used by their packet */
	FC_CSR_RELEASED,	/* reservations, by a NACK, FREE or newer attempt */
	FC_CSR_LAPSED,		/* reservations never confirmed */
	FC_CSR_ORPHANED,	/* reservations confirmed, but no packet arrived */
	FC_CSR_BLOCKED,		/* probes that found no window, or no space to wait for it */
	FC_CSR_LATE,		/* packets whose window had ended, or that had none */
	FC_CSR_DOUBLE,		/* packets sent in the window of another packet; always 0 */
	FC_CSR_STATS
};

enum fc_csr_type {
	FC_CSR_PROBE = 1,	/* forward: reserve */
	FC_CSR_ACK,		/* back: the rest of the path, from the sender on, is confirmed */
	FC_CSR_NACK,		/* back: release the reservation */
	FC_CSR_RELEASE,		/* forward: release the reservation */
	FC_CSR_TYPES
};

/**
 * struct fc_csr_msg - message between neighbours
 * @type: enum fc_csr_type
 * @id: identity of the reservation
 * @epoch: epoch of the network's routes; a site ignores messages of another epoch
 * @units: probe: length of the packet
 * @lead: probe: time from now to the arrival of the packet
 * @span: time from the earliest departure of the packet from its source to its arrival: of a
 *	probe at the next site, of an ACK at the last target
 * @floor: probe: lower bound of @span at the target: the previous packet to the same target
 *	arrives then.  0: there is none
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
 * struct fc_csr_leg - a branch of a packet at this site
 * @ports: candidate links, of which the one with the earliest window is taken
 * @last: the site at the end of the link is a target
 * @wait: the packet waits outside of the links' buffers, for any time
 * @tag: data of the caller, stored in the reservation
 * @port: result: port of the link
 * @msg: result: message to send on the link
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
 * enum fc_csr_verdict - action that a message requires of the caller
 * @FC_CSR_DROP: none
 * @FC_CSR_PASS: probe: send the message of each leg; ACK or NACK: send @msg of the answer on its
 *	@port
 * @FC_CSR_BLOCK: probe: send @msg of the answer, a NACK, on its @port
 * @FC_CSR_HERE: ACK or NACK for a packet of this site
 */
enum fc_csr_verdict {
	FC_CSR_DROP,
	FC_CSR_PASS,
	FC_CSR_BLOCK,
	FC_CSR_HERE,
};

/**
 * struct fc_csr_answer - messages to send
 * @port: port on which to send @msg; FC_PORT_LOCAL: it is for this site
 * @msg: message
 * @release: ports on which to send a FC_CSR_RELEASE of the same identity
 */
struct fc_csr_answer {
	u8 port;
	struct fc_csr_msg msg;
	u32 release;
};

/**
 * struct fc_csr - reservations of a site
 * @pool: memory of the reservations
 * @link: by port
 * @nports: number of ports, including the local one
 * @quota: maximum number of reservations made by probes of one port
 * @held: by port: number of reservations made by its probes
 * @epoch: epoch of the network's routes
 * @lease: time after which a reservation that is not confirmed lapses
 * @horizon: maximum time from now to the end of a reservation
 * @next_at: no reservation lapses before this time
 * @stat: counters, by enum fc_csr_stat; RESERVED = SENT + RELEASED + LAPSED + ORPHANED +
 *	current reservations in states other than FC_CSR_USED
 *
 * The caller's lock protects all members.
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
 * fc_csr_init() - initialise, without reservations
 * @c: pool.res, pool.size, link (with k, unit and guard of each), nports, quota, epoch,
 *	lease and horizon are set; @horizon is up to FC_CSR_TIME_MAX
 */
void fc_csr_init(struct fc_csr *c);

/**
 * fc_csr_probe() - process a probe that arrived, or that this site sends
 * @c: reservations
 * @in: input port; FC_PORT_LOCAL: the packet is of this site, or reserves anew from here
 * @msg: probe
 * @legs: branches at this site; either all are reserved or none
 * @nlegs: number of branches, up to FC_CSR_LEGS; 0: this site is the only target
 * @here: this site is a target
 * @now: time
 * @answer: result: the ACK of a probe that ends here; the NACK of a probe that fails
 *
 * A repeated probe reserves nothing new and takes the same links again.  A probe of a newer attempt
 * releases the reservations of older ones; links of theirs that it does not use are in
 * @answer->release, with the identity of the older attempt.
 *
 * Return: FC_CSR_PASS: send @legs[].msg; FC_CSR_HERE: the probe ends here: send @answer->msg;
 * FC_CSR_BLOCK: there is no window: send @answer->msg; FC_CSR_DROP: the probe is obsolete.  In each
 * case the caller first sends a FC_CSR_RELEASE of @answer->msg.id on the ports @answer->release.
 */
enum fc_csr_verdict fc_csr_probe(struct fc_csr *c, u8 in, const struct fc_csr_msg *msg,
				 struct fc_csr_leg *legs, u8 nlegs, bool here, u64 now,
				 struct fc_csr_answer *answer);

/**
 * fc_csr_answered() - process an ACK, a NACK or a release
 * @c: reservations
 * @port: input port
 * @msg: message
 * @now: time
 * @answer: result
 *
 * An ACK is forwarded when all branches are confirmed; a NACK of one branch releases all.
 *
 * Return: FC_CSR_PASS: send @answer->msg on @answer->port; FC_CSR_HERE: @answer->msg is the answer
 * to a packet of this site; FC_CSR_DROP.  In each case the caller sends @answer->release.
 */
enum fc_csr_verdict fc_csr_answered(struct fc_csr *c, u8 port, const struct fc_csr_msg *msg,
				    u64 now, struct fc_csr_answer *answer);

/**
 * fc_csr_next_hops() - links that a packet has reserved
 * @c: reservations
 * @site: source site of the packet
 * @number: number of the packet at its source
 *
 * Return: mask of ports.
 */
u32 fc_csr_next_hops(const struct fc_csr *c, u32 site, u32 number);

/* Return: the tag of a packet's reservation on a link; 0 if there is none. */
u64 fc_csr_tag(const struct fc_csr *c, u32 site, u32 number, u8 port);

/**
 * enum fc_csr_turn - may a packet be sent?
 * @FC_CSR_WAIT: not yet
 * @FC_CSR_GO: yes
 * @FC_CSR_TOO_LATE: its window has ended, or it has none: the packet has to reserve anew
 */
enum fc_csr_turn {
	FC_CSR_WAIT,
	FC_CSR_GO,
	FC_CSR_TOO_LATE,
};

/**
 * fc_csr_turn() - may a packet be sent?
 * @c: reservations
 * @site: source site of the packet
 * @number: number of the packet at its source
 * @port: link
 * @now: time
 * @at: result: start of its window; unchanged if it has none
 */
enum fc_csr_turn fc_csr_turn(const struct fc_csr *c, u32 site, u32 number, u8 port, u64 now,
			     u64 *at);

/* The caller has begun to send the packet, after fc_csr_turn() returned FC_CSR_GO. */
void fc_csr_sent(struct fc_csr *c, u32 site, u32 number, u8 port, u64 now);

/* Counts a packet that missed its window. */
void fc_csr_late(struct fc_csr *c);

/**
 * fc_csr_time() - release the reservations that have lapsed
 * @c: reservations
 * @now: time; a window that ends at @now has ended
 *
 * The caller calls it at @c->next_at, and may call it at any time.
 */
void fc_csr_time(struct fc_csr *c, u64 now);

/* In slots: the control interval has ended; releases the reservations that are not confirmed. */
void fc_csr_control_end(struct fc_csr *c);

/* A link went down: releases the reservations of packets that would leave or arrive by it. */
void fc_csr_link_down(struct fc_csr *c, u8 port);

/* The network's routes have changed: releases all reservations. */
void fc_csr_epoch(struct fc_csr *c, u32 epoch);

/* Number of reservations in a state: tentative, confirmed, or in use. */
u32 fc_csr_count(const struct fc_csr *c, enum fc_csr_state state);

enum fc_csr_entry_state {
	FC_CSR_EMPTY,
	FC_CSR_PENDING,		/* the packet has not reserved its path yet */
	FC_CSR_ACCEPTED,	/* the packet has reserved its whole path */
};

/**
 * struct fc_csr_entry - an entry buffer: one packet that waits to enter the network
 * @state: enum fc_csr_entry_state
 * @asked: a probe is in flight, as far as this site knows
 * @id: identity of the last attempt
 * @from: earliest departure
 * @arrival: of an accepted packet: time of arrival at its last target
 * @failed: number of consecutive attempts that failed
 * @floor: time at which the previous packet to the same target arrives there, by this site's
 *	clock; 0: there is none
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

/* Put a packet into an empty entry buffer; @floor: see struct fc_csr_entry. */
void fc_csr_entry_fill(struct fc_csr_entry *e, u32 site, u32 number, u64 floor);

/**
 * fc_csr_entry_try() - make one more attempt
 * @e: entry, pending
 * @c: reservations of its site
 * @units: length of the packet
 * @from: earliest departure, not before @now
 * @legs: as for fc_csr_probe()
 * @nlegs: as for fc_csr_probe(), not 0
 * @here: as for fc_csr_probe()
 * @now: time
 * @answer: result: reservations of the last attempt to release
 *
 * Return: FC_CSR_PASS: send @legs[].msg; FC_CSR_BLOCK: the attempt failed at this site.
 */
enum fc_csr_verdict fc_csr_entry_try(struct fc_csr_entry *e, struct fc_csr *c, u32 units,
				     u64 from, struct fc_csr_leg *legs, u8 nlegs, bool here,
				     u64 now, struct fc_csr_answer *answer);

/**
 * fc_csr_entry_receive() - process the answer for which fc_csr_answered() returned FC_CSR_HERE
 * @e: entry
 * @msg: the answer's message
 *
 * Return: false: the message is of an earlier attempt; nothing has changed.
 */
bool fc_csr_entry_receive(struct fc_csr_entry *e, const struct fc_csr_msg *msg);

#endif /* FC_CORE_CSR_CSR_H */
