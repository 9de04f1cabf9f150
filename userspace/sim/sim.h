/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A simulated network: the core's sites, joined by links that carry one flit a
 * cycle.  What the kernel half does for a site is done here by
 *
 *	frame.c		what links carry, and lists of it
 *	net.c		runs the sites' events, performs their effects
 *	operator.c	the operator: packets out and in, control, end to end
 *	traffic.c	traffic, and the oracle of deliveries
 *	script.c	traffic from a file
 *
 * or, for the fidelity edge, all of a site by edge.c and edge_site.c.
 */
#ifndef FLITCAST_SIM_SIM_H
#define FLITCAST_SIM_SIM_H

#include "arena.h"
#include "ends.h"
#include "mode.h"
#include "queue.h"
#include "random.h"
#include "site.h"
#include "vnet.h"

struct edge_node;
struct fidelity;
struct flow;
struct message;
struct script;

/* Whom a message is for; its other targets are random ones. */
enum pattern {
	PATTERN_UNIFORM,	/* anybody */
	PATTERN_TRANSPOSE,	/* the site with the coordinates reversed */
	PATTERN_HOT,		/* one in four messages: the site in the middle */
};

/* To see that the oracle notices. */
enum fault {
	FAULT_NONE,
	FAULT_LOSE,		/* a message that arrived is not delivered */
	FAULT_TWICE,		/* a message is delivered twice */
	FAULT_STRAY,		/* a message is delivered to a site that is no target */
	FAULT_SHORT,		/* a byte of a message is missing */
	FAULT_COUNT
};

/**
 * struct config - what a run is made of; constant during it
 * @fidelity: how packets are represented
 * @representation: the same, as a choice
 * @mode: how sites switch them
 * @script: who sends what and when, or NULL for random traffic
 * @script_path: its file
 * @list_path: file for the list of deliveries, or NULL
 * @spec: canonical specification of the topology
 * @topo: topology
 * @load: flits that the operators send, per site and million cycles
 * @seed: of every random number
 * @cycles: how long traffic is generated
 * @warmup: cycles that are not counted, or FC_NEVER for the rules below
 * @counted: messages born from this cycle on count in latencies
 * @steady: what is over from this cycle on counts as carried; half of @cycles without @warmup
 * @messages: at most so many messages, 0 for no limit but @cycles
 * @every: cycles between messages, 0 for random times by @load
 * @backlog: messages that wait in a source, 0 for no limit
 * @memory: MiB that a run takes beside its network, 0 for no limit
 * @fault: what goes wrong at a delivery, enum fault
 * @fault_at: at which
 * @targets: fewest and most targets of a message
 * @unicast: messages to one target besides, of a million
 * @pattern: whom messages are for
 * @bytes: fewest and most bytes of a message
 * @flit: bytes of a flit with its link header
 * @window: flits in flight per link
 * @look: cycles that a site takes to look at where a packet goes
 * @latency: cycles from one end of a link to the other
 * @active: messages a site sends at a time
 * @transit: packets a site stores for others
 * @fifo: places of the fifo-buffer
 * @seek: cycles between two seeks
 * @seek_max: seeks before a packet is forced to the local net-output
 * @timeout: cycles before abort-request
 * @retry: cycles before a peer hears what was taken, or is asked for what is missing
 * @poll: cycles before the receiver is polled about an unacknowledged flit
 * @repeat: cycles without news after which a message is repeated
 * @patience: cycles without any news after which the network hangs
 * @loss: frames that links lose, of a million
 * @timing: the same for the sites
 * @json: output
 * @speed: report how fast the simulation was
 */
struct config {
	const struct fidelity *fidelity;
	u32 representation;
	enum fc_mode mode;
	struct script *script;
	const char *script_path;
	const char *list_path;
	char spec[FC_SPEC_MAX];
	struct fc_topo topo;
	u64 load;
	u64 seed;
	u64 cycles;
	u64 warmup;
	u64 counted;
	u64 steady;
	u64 messages;
	u64 every;
	u64 backlog;
	u64 memory;
	u64 fault_at;
	u32 targets[2];
	u64 unicast;
	enum pattern pattern;
	u32 bytes[2];
	u64 flit;
	u64 window;
	u64 look;
	u64 latency;
	u64 active;
	u64 transit;
	u64 fifo;
	u64 seek;
	u64 seek_max;
	u64 timeout;
	u64 retry;
	u64 poll;
	u64 repeat;
	u64 patience;
	u64 loss;
	struct fc_timing timing;
	u8 fault;
	bool json;
	bool speed;
};

/**
 * struct frame - what is behind a link header; never changes
 * @message: whose data (the data itself is not carried, but which bytes it is)
 * @next: of those that are not in use
 * @refs: who holds it
 * @size: bytes of @payload
 * @data: bytes of data
 * @offset: of the first one in the message
 * @payload: encoded head, or control frame
 */
struct frame {
	union {
		const struct message *message;
		struct frame *next;
	};
	u32 refs;
	u32 size;
	u32 data;
	u32 offset;
	u8 payload[];
};

/* A list of flits, first in first out. */
struct flits {
	struct fc_flit *flit;
	u32 first;
	u32 n;
	u32 room;
};

/**
 * struct stored - a packet stored for others
 * @next: the one stored after it
 * @at: not to be sent before
 * @flits: of the packet, the front first
 */
struct stored {
	struct stored *next;
	u64 at;
	struct flits flits;
};

/**
 * struct port - the link of a port
 * @free: when it takes the next frame
 * @peer: site at the other end
 * @peer_port: port at the other end
 */
struct port {
	u64 free;
	u32 peer;
	u8 peer_port;
};

/**
 * struct node - a site and what surrounds it; what each event looks at comes first
 * @vnet: its switch in the modes that have classes; else NULL
 * @port: its links, by port
 * @time_at: when the next EVENT_TIME is due, or FC_NEVER
 * @transit: the other packets stored for others, oldest first
 * @sending: flits of the packet being put into the local net-input
 * @eager: sockets may have something to send
 * @sending_stored: that packet was stored for others
 * @amid: of that packet some are sent, others not
 * @injq: that it goes to
 * @feed_free: when the local net-input's link takes the next flit
 * @feed_at: when the next EVENT_FEED is due, or FC_NEVER
 * @buffer: the network-buffer
 * @replay: by channel and port, flits that the peer has not taken; NULL: none is sent again
 * @replay_seq: likewise, the number of the first of them
 * @transit_end: where the next is put
 * @transit_packets: packets stored, with the one being sent
 * @active: messages being sent
 * @nactive: how many
 * @turn: which of them is to send next
 * @backlog: messages to be sent after these
 * @backlog_end: where the next is put
 * @nbacklog: how many
 * @shared: the site, as all its switches know it
 * @care: its machines in mode care; else NULL
 */
struct node {
	struct fc_vnet *vnet __attribute__((aligned(64)));
	struct port *port;
	u64 time_at;
	struct stored *transit;
	struct flits sending;
	bool eager;
	bool sending_stored;
	bool amid;
	u8 injq;
	u64 feed_free;
	u64 feed_at;
	struct flits buffer;
	struct flits *replay;
	u32 *replay_seq;
	struct stored **transit_end;
	u32 transit_packets;
	struct message **active;
	u32 nactive;
	u32 turn;
	struct message *backlog;
	struct message **backlog_end;
	u32 nbacklog;
	struct fc_node shared;
	struct fc_site *care;
};

/**
 * struct leases - inputs of switches that have memory for what comes in
 * @input: (number of the site) * inputs + (class and port), oldest first
 * @first: index of the first one
 * @n: how many
 * @room: places
 * @unused: memory that was given back
 */
struct leases {
	u64 *input;
	size_t first;
	size_t n;
	size_t room;
	void *unused;
};

/**
 * struct layout - where the parts of a site are, in bytes from its struct node on: the same for
 *	all, so that nothing has to be looked up to fetch them ahead
 * @stride: from one site to the next; an odd number of cache lines spreads sites over the cache
 * @port: links, by port
 * @vnet: switch in the modes that have classes, and in these, by class and port:
 * @channel: channels, by class alone
 * @rx: what comes in
 * @tx: what goes out
 * @in: packets that come in
 * @out: packets that go out
 * @straight: ways straight on, in mode postman
 */
struct layout {
	size_t stride;
	size_t port;
	size_t vnet;
	size_t channel;
	size_t rx;
	size_t tx;
	size_t in;
	size_t out;
	size_t straight;
};

/* More than are looked up ahead. */
#define SIM_COMING	16

/**
 * struct coming - an event ahead
 * @in: packet that it is of, if it is a flit of a class; else NULL
 * @rx: what came in before it
 * @site: the site, as struct layout has it
 * @node: its number, of a flit
 * @class: in which that comes
 * @port: by which it comes
 * @feeds: the operator sends a flit
 * @ends: it is the first or the last one of its packet
 */
struct coming {
	const struct fc_vin *in;
	const struct fc_rx *rx;
	const char *site;
	u32 node;
	u8 class;
	u8 port;
	bool feeds;
	bool ends;
};

/**
 * struct sim - a run
 * @config: settings
 * @queue: future events
 * @now: cycle
 * @pref: preference table of all sites
 * @arena: memory of the sites
 * @leases: of these, in the modes that have classes
 * @replays: links may be asked to send again
 * @nclasses: classes in the modes that have them, else 0
 * @coming: events ahead, looked up one by one; some may have been taken since
 * @coming_at: index of the last one
 * @layout: of a site
 * @site: sites, each with all that belongs to it
 * @edge: sites of the fidelity edge
 * @stat: counters, by enum fc_stat: of all sites together, as they are reported
 * @link_stat: counters of all links, by enum fc_link_stat
 * @net_rng: for losses
 * @traffic_rng: for messages; apart, so that the same seed means the same traffic
 * @frames: frames that exist, or packets of the fidelity edge
 * @unused: memory of small frames
 * @news_at: when a message last came nearer to its end
 * @events: events so far
 * @wrong: findings of the oracle
 * @classes: of the topology, in mode vnet
 * @next_hops: their table, or NULL
 */
struct sim {
	struct config config;
	struct queue queue;
	u64 now;
	struct fc_pref pref;
	struct arena arena;
	struct leases leases;
	bool replays;
	u8 nclasses;
	struct coming coming[SIM_COMING];
	u32 coming_at;
	struct layout layout;
	char *site;
	struct edge_node *edge;
	u64 stat[FC_STAT_COUNT];
	u64 link_stat[FC_LSTAT_COUNT];
	struct rng net_rng;
	struct rng traffic_rng;
	u64 frames;
	struct frame *unused;
	u64 news_at;
	u64 events;
	u64 wrong;
	struct fc_vclass classes;
	void *next_hops;
};

static inline struct node *sim_node(const struct sim *sim, u32 at)
{
	return (struct node *)(sim->site + at * sim->layout.stride);
}

/* Of a site: what is so many bytes from its struct node. */
static inline void *node_part(const struct node *node, size_t at)
{
	return (char *)node + at;
}

/* An error found by the oracle: counted, and the first few are printed on standard error. */
void __printf(2, 3) sim_wrong(struct sim *sim, const char *fmt, ...);

/**
 * struct fidelity - how packets are represented
 * @init: the network, at rest
 * @free: all of it, with what is left of the events
 * @event: what became due, but for traffic's own events
 * @send: a socket of the source sends a message
 * @backlog: messages that wait in a source
 * @idle: every machine is at rest and every queue empty
 * @tell_stuck: those that are not, on standard error
 */
struct fidelity {
	void (*init)(struct sim *sim);
	void (*free)(struct sim *sim);
	void (*event)(struct sim *sim, const struct event *event);
	void (*send)(struct sim *sim, struct message *message);
	u32 (*backlog)(const struct sim *sim, u32 node);
	bool (*idle)(const struct sim *sim);
	void (*tell_stuck)(const struct sim *sim);
};

/* Every word of a packet, by the core. */
extern const struct fidelity fidelity_word;
/* Fronts and terminators only (CARE, section 5). */
extern const struct fidelity fidelity_edge;

/* frame.c */
struct frame *frame_new(struct sim *sim, u32 size);
void frame_free(struct sim *sim, struct frame *frame);

static inline void frame_get(struct frame *frame)
{
	frame->refs++;
}

static inline void frame_put(struct sim *sim, struct frame *frame)
{
	if (frame && !--frame->refs)
		frame_free(sim, frame);
}

void flits_add(struct flits *list, const struct fc_flit *flit);
struct fc_flit flits_take(struct flits *list);
/* Releases the frames. */
void flits_free(struct sim *sim, struct flits *list);

/* net.c */

/* Append @n parts of @each bytes to a layout of @size bytes.  Return: offset, a cache line's. */
size_t layout_add(size_t *size, size_t n, size_t each);
/* Pass an event on a virtual channel to a site, which consumes it, and perform the effects. */
void net_event(struct sim *sim, u32 node, u8 vc, struct fc_event *ev);
/* May a flit be injected, and with which sequence number? */
bool net_room(struct sim *sim, u32 node);
u32 net_local_seq(const struct sim *sim, u32 node);
/* The virtual channel of the injection. */
u8 net_local_vc(const struct sim *sim, u32 node);
/* Send a frame, whose ownership it takes; @status: payload of a status, or NULL. */
void net_send(struct sim *sim, u32 node, u8 port, const struct fc_link_hdr *header,
	      struct frame *frame, const struct fc_status *status);

/* vnet.c: the switch of mode vnet */

/* Room in the layout, which has so many bytes, for the switch.  Return: bytes with it. */
size_t vnet_layout(struct sim *sim, size_t size);
void vnet_init(struct sim *sim, u32 node);
/* Allocate memory for the input of a class and port. */
void vnet_lease_new(struct sim *sim, u32 node, u8 class, u8 port);

/* A flit is about to arrive: make sure that its input has memory. */
static inline void vnet_lease(struct sim *sim, u32 node, u8 class, u8 port)
{
	if (!sim_node(sim, node)->vnet->ch[class].rx[port].queue)
		vnet_lease_new(sim, node, class, port);
}

/* Release the frames of a switch, and memory outside the arena. */
void vnet_purge(struct sim *sim, u32 node);
void vnet_free(struct sim *sim);
void vnet_tell_stuck(const struct sim *sim, u32 node);

/* operator.c */
void operator_init(struct sim *sim, u32 node);
void operator_free(struct sim *sim, u32 node);
/*
 * The packet in the network-buffer is whole: deliver of @here, store of @others;
 * @aborted: these go on after a random wait.
 */
void operator_serve(struct sim *sim, u32 node, u64 here, u64 others, bool aborted);
void operator_discard(struct sim *sim, u32 node);
/* There is something to send, and there may be room for it. */
void operator_push(struct sim *sim, u32 node);

/* There may be something to send, or room for it. */
static inline void operator_kick(struct sim *sim, u32 at)
{
	const struct node *node = sim_node(sim, at);

	if (node->sending.n || node->eager || node->transit)
		operator_push(sim, at);
}

void operator_feed(struct sim *sim, u32 node);
void operator_unreachable(struct sim *sim, u32 node, const u8 *head, u64 mask);
void operator_control(struct sim *sim, u32 node, const struct fc_ctrl *ctrl);
/* A socket of the site sends a message. */
void operator_send(struct sim *sim, struct message *message);
void operator_repeat(struct sim *sim, struct message *message);

#endif /* FLITCAST_SIM_SIM_H */
