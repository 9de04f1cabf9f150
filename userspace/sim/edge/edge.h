/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fidelity edge: CARE's own simulation (section 5, Figures 10 and 11).  A
 * packet consists only of its front and its terminator, so that its cost does not
 * depend on its length.  Interface between edge.c (operator, fifo-buffers) and
 * edge_site.c (net-inputs, router, net-outputs).
 *
 * Signals go upstream at once, on the paper's vias.  Fronts and terminators take the link's
 * latency.  A net-output that has sent a front counts as open until a wait arrives, so that a hop
 * does not cost a round trip, as with the windows of real links.
 */
#ifndef FLITCAST_SIM_EDGE_H
#define FLITCAST_SIM_EDGE_H

#include "edge_fsm.h"
#include "net/traffic.h"

/**
 * struct edge_packet - a packet, or the branch of one
 * @next: next packet in its queue
 * @message: message of the packet
 * @mask: targets, as indices into the message's targets
 * @data: bytes of data
 * @size: words, front and terminator included
 */
struct edge_packet {
	struct edge_packet *next;
	struct message *message;
	u64 mask;
	u32 data;
	u32 size;
};

struct edge_packets {
	struct edge_packet *first;
	struct edge_packet **end;
};

/* Packet terminators (Table A). */
enum edge_term {
	EDGE_TERM_NONE,
	EDGE_TERM_END,
	EDGE_TERM_LOCAL_END,
	EDGE_TERM_ABORT,
};

/**
 * struct edge_in - a net-input
 * @packet: front that is not connected yet
 * @seek_at: time of the next seek, or FC_NEVER
 * @due: earliest time of the terminator: end of the words before it
 * @final_at: time of the transition to final, or to send the terminator of fin-abort, or FC_NEVER
 * @conn: connected net-outputs
 * @size: words of the current packet
 * @seeks: number of seeks
 * @state: enum edge_in_state; final lasts only while edge_in_final() runs
 * @status: signal last sent upstream, enum fc_signal
 * @type: enum fc_conn
 * @term: terminator received, enum edge_term
 * @coming: the front is on the link
 */
struct edge_in {
	struct edge_packet *packet;
	u64 seek_at;
	u64 due;
	u64 final_at;
	u32 conn;
	u32 size;
	u32 seeks;
	u8 state;
	u8 status;
	u8 type;
	u8 term;
	bool coming;
};

/* States of Table H; its wait and last are states of the net-input at the other end. */
enum edge_out_state {
	EDGE_OUT_FREE,
	EDGE_OUT_OPEN,		/* a packet passes */
	EDGE_OUT_DONE,		/* the terminator of an aborted branch waits */
	EDGE_OUT_SENT,		/* the terminator is sent, downstream not free yet */
};

/**
 * struct edge_out - a net-output
 * @peer: site at the other end
 * @peer_port: its port
 * @in: net-input connected
 * @state: enum edge_out_state
 */
struct edge_out {
	u32 peer;
	u8 peer_port;
	u8 in;
	u8 state;
};

/**
 * struct edge_fifo - the downstream fifo-buffer, unbounded (footnote 14)
 * @stored: packets stored for others; they go first
 * @own: packets of the site's own messages
 * @done_at: time of the terminator, or FC_NEVER
 * @last_wait: start of the current wait of downstream, or FC_NEVER
 * @delay: cycles waited
 * @free_at: earliest time of the next packet
 * @state: enum edge_fifo_state
 * @feeding: an EVENT_FEED is scheduled
 */
struct edge_fifo {
	struct edge_packets stored;
	struct edge_packets own;
	u64 done_at;
	u64 last_wait;
	u64 delay;
	u64 free_at;
	u8 state;
	bool feeding;
};

/**
 * struct edge_held - a message received out of order
 * @message: complete message
 * @index: index of the target in it
 */
struct edge_held {
	struct message *message;
	u32 index;
};

/**
 * struct edge_node - a site
 * @in: net-inputs
 * @out: net-outputs
 * @fifo: the downstream fifo-buffer
 * @buffer: network-buffer: the packet whose front has arrived
 * @timeout_at: deadline of its terminator, or FC_NEVER
 * @backlog: messages to be sent after the active ones
 * @backlog_end: tail of @backlog
 * @nbacklog: length of @backlog
 * @nactive: messages being sent
 * @held: messages received out of order
 * @nheld: number of @held
 * @held_room: capacity of @held
 * @seekers: net-inputs in first
 * @rotate: port served first
 */
struct edge_node {
	struct edge_in *in;
	struct edge_out *out;
	struct edge_fifo fifo;
	struct edge_packet *buffer;
	u64 timeout_at;
	struct message *backlog;
	struct message **backlog_end;
	u32 nbacklog;
	u32 nactive;
	struct edge_held *held;
	u32 nheld;
	u32 held_room;
	u32 seekers;
	u8 rotate;
};

/* edge.c */
struct edge_packet *edge_packet_copy(struct sim *sim, const struct edge_packet *packet, u64 mask);
/* The local net-input signals free, ready or wait. */
void edge_fifo_free(struct sim *sim, u32 at);
void edge_fifo_open(struct sim *sim, u32 at);
void edge_fifo_wait(struct sim *sim, u32 at);
/* A packet from the local net-output, through the upstream fifo-buffer. */
void edge_operator_front(struct sim *sim, u32 at, struct edge_packet *packet);
void edge_operator_term(struct sim *sim, u32 at, u8 term);

/* edge_site.c */
void edge_site_init(struct sim *sim, u32 at);
void edge_site_free(struct sim *sim, u32 at);
/* Takes ownership of the packet. */
void edge_in_front(struct sim *sim, u32 at, u8 port, struct edge_packet *packet);
void edge_in_term(struct sim *sim, u32 at, u8 port, u8 term);
void edge_in_final(struct sim *sim, u32 at, u8 port);
void edge_in_seek(struct sim *sim, u32 at, u8 port);
/* The upstream fifo-buffer raises abort-request. */
void edge_abort_request(struct sim *sim, u32 at);
bool edge_site_idle(const struct sim *sim, u32 at);
void edge_site_print(const struct sim *sim, u32 at);

#endif /* FLITCAST_SIM_EDGE_H */
