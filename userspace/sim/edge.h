/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fidelity edge: CARE's own simulation (section 5, Figures 10 and 11).  A
 * packet is two things only, its front and its terminator, so that it costs the
 * same whatever its length.  Between edge.c (operator, fifo-buffers) and
 * edge_site.c (net-inputs, router, net-outputs).
 *
 * Signals go upstream at once, on the paper's vias.  Fronts and terminators take the link's
 * latency.  A net-output that has sent a front counts as open until a wait arrives: a hop must not
 * cost a round trip, as with the windows of real links.
 */
#ifndef FLITCAST_SIM_EDGE_H
#define FLITCAST_SIM_EDGE_H

#include "traffic.h"

/**
 * struct edge_packet - a packet, or the branch of one
 * @next: in its queue
 * @message: whose
 * @mask: targets, as indices into the message's
 * @data: bytes
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

/* Figure 11; final is done with final_at set. */
enum edge_in_state {
	EDGE_IN_FREE,
	EDGE_IN_FIRST,
	EDGE_IN_OPEN,
	EDGE_IN_WAIT,
	EDGE_IN_DONE,
	EDGE_IN_LAST,
	EDGE_IN_ABORT,
	EDGE_IN_FIN_ABORT,
};

/**
 * struct edge_in - a net-input
 * @packet: front that is not connected yet
 * @seek_at: when the next seek is counted, or FC_NEVER
 * @due: the terminator goes no earlier: what the words between take
 * @final_at: when the terminators are sent, or FC_NEVER
 * @conn: connected net-outputs
 * @size: words of the packet in hand
 * @seeks: counted
 * @state: enum edge_in_state
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
	u8 type;
	u8 term;
	bool coming;
};

/* Table H; its wait and last are the net-input's at the other end. */
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

/* Figure 10. */
enum edge_fifo_state {
	EDGE_FIFO_FREE,
	EDGE_FIFO_BUSY,		/* words are being sent */
	EDGE_FIFO_DONE,		/* would have ended, but downstream waits */
};

/**
 * struct edge_fifo - the downstream fifo-buffer, unbounded (footnote 14)
 * @stored: packets stored for others; they go first
 * @own: packets of the site's own messages
 * @done_at: when the terminator is due, or FC_NEVER
 * @last_wait: since when downstream waits, or FC_NEVER
 * @delay: cycles waited
 * @free_at: when the next packet may begin
 * @state: enum edge_fifo_state
 * @feeding: an EVENT_FEED is under way
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
 * @message: whole
 * @index: of the target in it
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
 * @buffer: the network-buffer: the packet whose front has come
 * @timeout_at: when its terminator is too late, or FC_NEVER
 * @backlog: messages to be sent after the active ones
 * @backlog_end: where the next is put
 * @nbacklog: how many
 * @nactive: messages being sent
 * @held: messages received out of order
 * @nheld: how many
 * @held_room: places for them
 * @seekers: net-inputs in first
 * @rotate: port looked at first
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
void edge_site_tell(const struct sim *sim, u32 at);

#endif /* FLITCAST_SIM_EDGE_H */
