/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internals of a world, only for world*.c.
 */
#ifndef FLITCAST_SIM_WORLD_IMPL_H
#define FLITCAST_SIM_WORLD_IMPL_H

#include "core/mode.h"
#include "core/vnet/vnet.h"
#include "world.h"
#include "world_codec.h"

/* Bytes of data in every flit. */
#define BYTES	10
/* Armed timers are due at LATER. */
#define NOW	1000
#define LATER	2000
/* No link. */
#define NO_PEER	0xff
#define WORLD_CONTENTS	(1 + WORLD_MESSAGES * ((1 << WORLD_TARGETS) + WORLD_FLITS))

/* Content of a handle: a flit of its source, or the front of a branch. */
struct content {
	u8 message;
	u8 index;		/* flit of the packet */
	u8 mask;		/* front: targets of the message in its list */
	u8 head[FC_PACKET_SIZE + WORLD_TARGETS * FC_TARGET_SIZE];
};

/* A frame on a link: a flit or a status. */
struct wire_frame {
	bool status;
	u8 id;			/* content; 0: a terminator without a frame */
	u8 parts;		/* FC_PART_* of a flit; FC_STATUS_* of a status */
	u32 seq;
	u32 ack;
	struct fc_status info;
};

/* Replay entry of a flit. */
struct kept {
	u8 id;
	u8 parts;
};

struct wire {
	u8 n;
	struct wire_frame frame[WORLD_WIRE];
};

/* State of a virtual channel of a site on its links. */
struct lines {
	struct fc_rx rx[WORLD_PORTS];
	struct fc_tx tx[WORLD_PORTS];
	struct fc_flit queue[WORLD_PORTS][WORLD_WINDOW];
	struct wire wire[WORLD_PORTS];	/* frames that the port sent */
	struct kept replay[WORLD_PORTS][WORLD_WINDOW];	/* sent flits, not acked */
	u8 nreplay[WORLD_PORTS];
	u32 replay_seq[WORLD_PORTS];
	/* Replay entries that were copied off a suspected link; was the next packet incomplete? */
	u8 copied[WORLD_PORTS];
	bool open[WORLD_PORTS];
};

/* Branches of a packet; targets are few. */
#define WORLD_BRANCHES	WORLD_PORTS
#define WORLD_INPUTS	(WORLD_CHANNELS * WORLD_PORTS)

struct node {
	struct fc_node shared;
	struct lines line[WORLD_CHANNELS];
	u64 link_stat[WORLD_PORTS][FC_LSTAT_COUNT];
	u64 stat[FC_STAT_COUNT];
	struct fc_site site;	/* mode care, as the next two members */
	struct fc_in in[WORLD_PORTS];
	struct fc_out out[WORLD_PORTS];
	/* modes vnet and postman */
	struct fc_vnet vnet;
	struct fc_channel channel[WORLD_CHANNELS];
	struct fc_vin vin[WORLD_INPUTS];
	struct fc_vout vout[WORLD_INPUTS];
	struct fc_vbranch branch[WORLD_INPUTS][WORLD_BRANCHES];
	struct fc_straight straight[WORLD_INPUTS];
	u8 injq;		/* injection queue of the packet being sent */
	u32 suspect;		/* ports whose link this end suspects */
	u32 feared;		/* links that the site knows to be suspected by other sites */
	u32 known;		/* links that the site knows to be down; in mode vnet */
	u8 held;		/* handles the site owns */
	u8 words;		/* words in the fifo-buffer */
	u8 nbuffer;
	u8 buffer[WORLD_FLITS + 1];	/* network-buffer */
	u8 nstored;
	u8 stored[WORLD_POOL + 1];	/* fronts of the packets stored for others */
	bool full;		/* other sets fill the pool: the next packet is dropped */
	u8 sending;		/* front of the packet being sent, or 0 */
	u8 index;		/* next flit of @sending */
	u8 unread;		/* messages that its slow reader has not consumed */
};

/* One target of one message. */
struct end {
	struct fc_txtarget tx;
	bool delivered;
};

struct world {
	u8 loss;
	u8 doubles;
	u8 overtakes;
	u8 flaps;
	u8 early;
	u8 restarts;
	u8 full;
	u8 suspects;
	/* A link was reset, a message repeated too early, or a packet dropped without storage. */
	bool repeated;
	bool doubled;		/* a link was suspected: packets may come twice */
	bool stored;		/* an operator has stored a packet: others may overtake it */
	struct node node[WORLD_SITES];
	struct fc_rxflow rx[WORLD_MESSAGES * WORLD_TARGETS];
	struct fc_txflow tx[WORLD_MESSAGES * WORLD_TARGETS];
	struct end end[WORLD_MESSAGES][WORLD_TARGETS];
};

/* The scenario, its current state, and constants derived from the scenario. */
extern const struct world_config *world_cfg;
extern struct world world;
extern unsigned int world_nflows;
extern struct content world_contents[WORLD_CONTENTS];
/* For each site and port, the site and the port at the other end. */
extern u8 world_peers[WORLD_SITES][WORLD_PORTS];
extern u8 world_peer_ports[WORLD_PORTS];

/* Number of virtual channels of a link, and, by site and port, the channels it carries. */
extern u8 world_nchannels;
extern u32 world_carried[WORLD_SITES][WORLD_PORTS];

/**
 * struct world_switch - operations of a mode on a site, by the number of the site
 * @init: initialise the zeroed node, at rest, its links down
 * @event: run the core on @ev; @channel: of a flit or a status, or injection queue of a local flit
 * @purge: release every handle
 * @room: channel into which the operator may inject the next flit, or -1
 * @seq: sequence number of the next flit that the operator injects
 * @up: ports whose link is up
 * @idle: the site has nothing in progress
 * @rerouted: the routes of the site have changed; NULL where they never do
 * @update: set armed timers to LATER
 * @code: write or read the state, without channels and operator
 * @check: check the invariants of the mode, after an event of the site
 * @print: print the state
 */
struct world_switch {
	void (*init)(unsigned int at);
	bool (*event)(unsigned int at, u8 channel, const struct fc_event *ev,
		      struct fc_effects *fx);
	void (*purge)(unsigned int at);
	int (*room)(unsigned int at);
	u32 (*seq)(unsigned int at);
	u32 (*up)(unsigned int at);
	bool (*idle)(unsigned int at);
	void (*rerouted)(unsigned int at);
	void (*update)(unsigned int at);
	void (*code)(struct codec *c, unsigned int at);
	void (*check)(unsigned int at);
	void (*print)(unsigned int at, void (*line)(const char *text));
};

extern const struct world_switch world_care, world_vnet;
/* Operations of the scenario's mode. */
extern const struct world_switch *world_sw;

static inline struct fc_channel *channel_of(struct node *node, u8 channel)
{
	return fc_mode_ops(world_cfg->mode)->classes ? &node->channel[channel] : &node->site.data;
}

/* Record the violation of an invariant; only the first one counts. */
void __printf(1, 2) world_breaks(const char *fmt, ...);

/* Count the handles in a site's buffers. */
unsigned int world_count_held(const struct node *node);

/* Convert a mask over the target list of a front to a mask of targets of the message. */
u8 world_targets_of(u8 id, u64 mask);
/* Content of a message's front for a mask of its targets; content of its other flits by index. */
u8 world_front(unsigned int message, u8 mask);
u8 world_data(unsigned int message, u8 index);
/* FC_PART_* of a packet's flit as its sender makes it. */
u8 world_parts(u8 id);

/* Initialise a site, at rest, its links down. */
void world_init_node(unsigned int at);

/* Set all armed timers to LATER. */
void world_update(unsigned int at);

/* Describe a flit or a branch. */
void world_print_content(u8 id, char *text, size_t size);

/* world_events.c: execute an event. */
void world_act(u16 event);

/* Run a site on an event. */
void world_site_event(unsigned int at, u8 channel, const struct fc_event *first);

/* world_links.c */
void world_make_links(void);
/* Compute the routes of a site around links that it knows to be dead. */
void world_make_routes(unsigned int at);
/* Mask of the links that are down now. */
u32 world_links_down(void);
/* Mask of the links that other sites suspect now. */
u32 world_links_feared(unsigned int at);
/* May the routing protocol now inform a site of either? */
bool world_has_news(unsigned int at);
bool world_link_is_up(unsigned int at, u8 port);
void world_link_both(unsigned int at, u8 port, enum fc_event_type type);
void world_link_event(unsigned int at, u8 port, enum fc_event_type type);
struct wire_frame world_wire_take(unsigned int at, u8 port, u8 channel);
void world_wire_add(unsigned int at, u8 port, u8 channel, const struct wire_frame *frame);
void world_wire_first(unsigned int at, u8 port, u8 channel, const struct wire_frame *frame);
void world_send_flit(unsigned int at, u8 channel, const struct fc_effect *e);
void world_resend_flit(unsigned int at, u8 channel, const struct fc_effect *e);
void world_release(unsigned int at, u8 channel, const struct fc_effect *e);
void world_rescue(unsigned int at, u8 channel, u8 port);
/* Copy whole packets that a suspected link keeps to the operator. */
void world_copy(unsigned int at, u8 channel, u8 port);

/* world_ends.c */
void world_deliver(unsigned int at, u8 message, unsigned int target);
/* The slow reader of a site consumes a message. */
void world_read(unsigned int at);
/* Store a packet for other sites; drop it without buffer space. */
void world_store(unsigned int at, u8 id);
/* Is a flit or a packet of the message anywhere but at its ends? */
bool world_in_flight(unsigned int message);
/* Targets of a message to which its source would send it now: of a datagram, once, in order. */
u8 world_unconfirmed(unsigned int message);
/* The source of a message is about to send it to the targets of @mask. */
void world_sent(unsigned int message, u8 mask);
bool world_end_over(unsigned int message, unsigned int target);

static inline u8 id_of(const struct fc_flit *flit)
{
	return (u8)(uintptr_t)flit->h;
}

static inline const struct content *content_of(u8 id)
{
	return &world_contents[id];
}

/* The flit of a frame, whose other fields follow from its content. */
static inline struct fc_flit make_flit(u8 id, u8 parts)
{
	struct fc_flit flit = { .parts = parts };

	if (!id)
		return flit;
	flit.h = (void *)(uintptr_t)id;
	flit.data = BYTES;
	if (content_of(id)->mask)
		flit.head = content_of(id)->head;
	return flit;
}

static inline u8 peer_of(unsigned int at, u8 port)
{
	return world_peers[at][port];
}

static inline u8 peer_port(u8 port)
{
	return world_peer_ports[port];
}

static inline bool has_link(unsigned int at, u8 port)
{
	return world_peers[at][port] != NO_PEER;
}

/* Place of a port with a link, and of a channel of this link. */
static inline unsigned int place_of(unsigned int at, u8 port, u8 channel)
{
	return (channel * WORLD_SITES + at) * (WORLD_PORTS - 1) + port - 1;
}

static inline void place_split(unsigned int where, unsigned int *at, u8 *port, u8 *channel)
{
	*port = (u8)(where % (WORLD_PORTS - 1) + 1);
	*at = where / (WORLD_PORTS - 1) % WORLD_SITES;
	*channel = (u8)(where / (WORLD_PORTS - 1) / WORLD_SITES);
}

/* Is this the first of the two ends of a link?  The place of the link is that of its first end. */
static inline bool first_end(unsigned int at, u8 port)
{
	return place_of(at, port, 0) < place_of(peer_of(at, port), peer_port(port), 0);
}

/* Each target receives all of a message. */
static inline struct fc_part world_part(const struct world_message *msg)
{
	return fc_part_make(msg->flits * BYTES, 0, 0);
}

#endif /* FLITCAST_SIM_WORLD_IMPL_H */
