/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside a world: for world*.c alone.
 */
#ifndef FLITCAST_SIM_WORLD_IMPL_H
#define FLITCAST_SIM_WORLD_IMPL_H

#include "mode.h"
#include "vnet.h"
#include "world.h"

/* Bytes of data in every flit. */
#define BYTES	10
/* All that is armed is due later than now. */
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
	u8 parts;		/* of a flit; FC_STATUS_* of a status */
	u32 seq;
	u32 ack;
	struct fc_status said;
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
};

/* Branches of a packet; targets are few. */
#define WORLD_BRANCHES	WORLD_PORTS
#define WORLD_INPUTS	(WORLD_CHANNELS * WORLD_PORTS)

struct node {
	struct fc_node shared;
	struct lines line[WORLD_CHANNELS];
	u64 link_stat[WORLD_PORTS][FC_LSTAT_COUNT];
	u64 stat[FC_STAT_COUNT];
	struct fc_site site;	/* and the next two: mode care */
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

	u32 known;		/* links that the site knows to be down; in mode vnet */
	u8 held;		/* handles the site has */
	u8 words;		/* in the fifo-buffer */
	u8 nbuffer;
	u8 buffer[WORLD_FLITS + 1];	/* network-buffer */
	u8 nstored;
	u8 stored[WORLD_POOL + 1];	/* fronts of the packets stored for others */
	bool full;		/* others have its places: the next packet finds none */
	u8 sending;		/* front of the packet being sent, or 0 */
	u8 index;		/* its next flit */
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
	bool repeated;		/* a link was reset, or a message repeated too early */
	struct node node[WORLD_SITES];
	struct fc_rxflow rx[WORLD_MESSAGES * WORLD_TARGETS];
	struct fc_txflow tx[WORLD_MESSAGES * WORLD_TARGETS];
	struct end end[WORLD_MESSAGES][WORLD_TARGETS];
};

/* The scenario, the state it is in, and what follows from the scenario alone. */
extern const struct world_config *world_cfg;
extern struct world world;
extern unsigned int world_nflows;
extern struct content world_contents[WORLD_CONTENTS];
/* For each site and port, the site and the port at the other end. */
extern u8 world_peers[WORLD_SITES][WORLD_PORTS];
extern u8 world_peer_ports[WORLD_PORTS];

/* Virtual channels of a link, and for each site and port those that it carries. */
extern u8 world_nchannels;
extern u32 world_carried[WORLD_SITES][WORLD_PORTS];

/*
 * Writes a state as bits, or reads it: each step does either, so that they cannot differ.
 */
struct codec {
	u8 *p;
	u64 bits;
	unsigned int n;		/* number of @bits not yet written, or not used */
	bool load;
};

void __attribute__((__noreturn__)) codec_overflow(u32 value, unsigned int bits);

/* Code at most 32 bits.  Reading may access up to three bytes beyond the state. */
static inline u32 codec_step(struct codec *c, u32 value, unsigned int bits)
{
	u32 word;

	if (c->load) {
		if (c->n < bits) {
			memcpy(&word, c->p, sizeof(word));
			c->p += sizeof(word);
			c->bits |= (u64)word << c->n;
			c->n += 32;
		}
		value = (u32)(c->bits & (fc_bit64(bits) - 1));
		c->bits >>= bits;
		c->n -= bits;
		return value;
	}
	if (value >> bits)
		codec_overflow(value, bits);
	c->bits |= (u64)value << c->n;
	c->n += bits;
	if (c->n >= 32) {
		word = (u32)c->bits;
		memcpy(c->p, &word, sizeof(word));
		c->p += sizeof(word);
		c->bits >>= 32;
		c->n -= 32;
	}
	return value;
}

/* A member of a struct. */
#define CODE(c, field, bits)	\
	((field) = (__typeof__(field))codec_step(c, (u32)(field), bits))
/* Not a handle: messages and flits are few. */
#define ID_BITS	7
#define PORT_BITS	3

void codec_timer(struct codec *c, u64 *timer);
void codec_flit(struct codec *c, struct fc_flit *flit);

/**
 * struct world_switch - operations of a mode on a site, by the number of the site
 * @init: at rest, its links down; the node is zeroed
 * @event: of the core; the channel is that of a flit or a status, or the lane of a flit of port 0
 * @purge: release every handle
 * @room: the channel to which the operator may give the next flit, or -1
 * @seq: number of the next flit that the operator gives
 * @up: ports whose link is up
 * @idle: is nothing under way
 * @rerouted: its routes have changed; NULL where they never do
 * @settle: timers that are armed are due later
 * @code: all but channels and operator
 * @check: promises that are the mode's own, after an event of the site
 * @tell: say what it is doing
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
	void (*settle)(unsigned int at);
	void (*code)(struct codec *c, unsigned int at);
	void (*check)(unsigned int at);
	void (*tell)(unsigned int at, void (*line)(const char *text));
};

extern const struct world_switch world_care, world_vnet;
/* Of the scenario's mode. */
extern const struct world_switch *world_sw;

static inline struct fc_channel *channel_of(struct node *node, u8 channel)
{
	return fc_mode_ops(world_cfg->mode)->classes ? &node->channel[channel] : &node->site.data;
}

/* A promise is broken: the first one counts. */
void __printf(1, 2) world_breaks(const char *fmt, ...);

/* Handles in a site, by looking. */
unsigned int world_count_held(const struct node *node);

/* Convert a mask over the target list of a front to a mask of targets of the message. */
u8 world_targets_of(u8 id, u64 mask);
/* Front of a message for a mask of its targets; its other flits by their index. */
u8 world_front(unsigned int message, u8 mask);
u8 world_data(unsigned int message, u8 index);
/* Parts of a packet's flit as its sender makes it. */
u8 world_parts(u8 id);

/* A site at rest, its links down. */
void world_init_node(unsigned int at);

/* All timers that are armed are due later. */
void world_settle(unsigned int at);

/* A flit or a branch in words. */
void world_tell_content(u8 id, char *text, size_t size);

/* world_events.c: let an event happen. */
void world_act(u16 event);

/* Run a site. */
void world_site_event(unsigned int at, u8 channel, const struct fc_event *first);

/* world_links.c */
void world_make_links(void);
/* Compute the routes of a site around links that it knows to be dead. */
void world_make_routes(unsigned int at);
/* Links that are down, each a bit, as they are. */
u32 world_links_down(void);
/* Is it time for a site to hear of them? */
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

/* world_ends.c */
void world_deliver(unsigned int at, u8 message, unsigned int target);
/* The slow reader of a site consumes a message. */
void world_read(unsigned int at);
/* A packet for others; dropped where there is no room. */
void world_store(unsigned int at, u8 id);
/* Is something of the message anywhere but at its ends? */
bool world_under_way(unsigned int message);
/* Targets of a message that its source would send it to now. */
u8 world_unconfirmed(unsigned int message);
/* Its source is about to send it to these. */
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

/* A port that has a link, and a channel of it. */
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

/* Each link has two ends; its own place is that of the first. */
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
