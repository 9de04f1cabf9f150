/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A simulated network: the core's sites, joined by links that carry one flit a
 * cycle.  These files replace the kernel half of a site:
 *
 *	frame.c		frames on links, and lists of flits
 *	net.c		runs the sites' events, performs their effects
 *	operator.c	the operator: sends and receives packets, control, end to end
 *	dgram.c		datagrams
 *	fail.c		links that fail
 *	withhold.c	frames that a site withholds
 *	traffic.c	traffic, and the oracle of deliveries
 *	script.c	traffic from a file
 *	routes.c	preference tables from a file
 *	reserve.c	reservations of mode csr
 *
 * In the fidelity edge, edge.c and edge_site.c replace the whole site.
 */
#ifndef FLITCAST_SIM_SIM_H
#define FLITCAST_SIM_SIM_H

#include <stdio.h>

#include "base/arena.h"
#include "core/ends/ends.h"
#include "core/mode.h"
#include "base/queue.h"
#include "base/random.h"
#include "core/care/care.h"
#include "core/vnet/vnet.h"
#include "frame.h"

struct edge_node;
struct fidelity;
struct flow;
struct message;
struct routes;
struct script;

/**
 * struct config - settings of a run, constant during it
 * @fidelity: representation of packets
 * @representation: @fidelity as a choice
 * @mode: switching mode
 * @script: messages to send, or NULL for random traffic
 * @script_path: file of @script
 * @routes: preference tables, or NULL: the default ones
 * @routes_path: file of @routes
 * @list_path: file for the list of deliveries, or NULL
 * @links_path: file for the list of links, or NULL
 * @spec: canonical specification of the topology
 * @topo: topology
 * @load: flits that the operators send, per site and million cycles
 * @seed: seed of all random numbers
 * @cycles: cycles in which traffic is generated
 * @warmup: cycles that are not counted, or FC_NEVER for the rules below
 * @counted: messages born from this cycle on count in latencies
 * @steady: messages completed from this cycle on count as carried; half of @cycles without @warmup
 * @messages: maximum number of messages, 0 for no limit but @cycles
 * @every: cycles between messages, 0 for random times by @load
 * @backlog: messages that wait in a source, 0 for no limit
 * @memory: MiB that a run may use in addition to its network, 0 for no limit
 * @fault: defect of one delivery, enum fault
 * @fault_at: number of that delivery
 * @targets: fewest and most targets of a message
 * @unicast: additional messages to one target, of a million
 * @datagrams: messages that are sent as datagrams, of a million
 * @pattern: choice of targets, enum pattern
 * @bytes: fewest and most bytes of a message
 * @flit: bytes of a flit with its link header
 * @window: flits in flight per link
 * @routing: cycles of a routing decision
 * @latency: cycles from one end of a link to the other
 * @active: messages a site sends at a time
 * @transit: packets a site stores for others
 * @fifo: places of the fifo-buffer
 * @seek: cycles between two seeks
 * @seek_max: seeks before a packet is forced to the local net-output
 * @timeout: cycles before abort-request
 * @retry: cycles before a net-input sends a delayed ack, or requests missing flits
 * @poll: cycles before the receiver is polled about an unacknowledged flit
 * @repeat: cycles without progress of a message after which the source repeats it
 * @patience: cycles without progress of any message after which the network counts as hung
 * @loss: frames that links lose, of a million
 * @timing: these times as the sites use them
 * @json: print JSON
 * @speed: report how fast the simulation was
 */
struct config {
	const struct fidelity *fidelity;
	u32 representation;
	enum fc_mode mode;
	struct script *script;
	const char *script_path;
	struct routes *routes;
	const char *routes_path;
	const char *list_path;
	const char *links_path;
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
	u64 datagrams;
	u32 pattern;
	u32 bytes[2];
	u64 flit;
	u64 window;
	u64 routing;
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
 * struct stored - a packet stored for others
 * @next: packet stored after it
 * @at: earliest cycle to send it
 * @flits: flits of the packet, the front first
 */
struct stored {
	struct stored *next;
	u64 at;
	struct flits flits;
};

/**
 * struct port - the link of a port
 * @free: cycle in which the link takes the next frame
 * @peer: site at the other end
 * @peer_port: port at the other end
 * @epoch: number of its life
 * @dark: it carries nothing
 * @withholds: its site withholds frames (withhold.h)
 */
struct port {
	u64 free;
	u32 peer;
	u8 peer_port;
	u8 epoch;
	bool dark;
	bool withholds;
};

/**
 * struct node - a site and its surroundings; members that each event reads come first
 * @vnet: its switch in the modes that have classes; else NULL
 * @port: its links, by port
 * @time_at: time of the next EVENT_TIME, or FC_NEVER
 * @transit: the other packets stored for others, oldest first
 * @sending: flits of the packet being put into the local net-input
 * @eager: sockets may have something to send
 * @sending_stored: @sending is a packet stored for others
 * @amid: some flits of @sending are sent, others not
 * @injq: injection queue of @sending
 * @feed_free: cycle in which the local net-input's link takes the next flit
 * @feed_at: time of the next EVENT_FEED, or FC_NEVER
 * @buffer: the network-buffer
 * @replay: by channel and port, sent flits that the peer has not acked; NULL: no retransmission
 * @replay_seq: by channel and port, sequence number of the first of them
 * @transit_end: tail of @transit
 * @transit_packets: packets stored, including the one being sent
 * @active: messages being sent
 * @nactive: length of @active
 * @turn: index of the active message that sends next
 * @backlog: messages to be sent after these
 * @backlog_end: tail of @backlog
 * @nbacklog: length of @backlog
 * @shared: site state that all its switches share
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
 * struct leases - switch inputs that have memory for incoming flits
 * @input: (number of the site) * inputs + (class and port), oldest first
 * @first: index of the first one
 * @n: number of inputs
 * @room: capacity of @input
 * @unused: free list of released memory
 */
struct leases {
	u64 *input;
	size_t first;
	size_t n;
	size_t room;
	void *unused;
};

/**
 * struct layout - offsets in bytes of the parts of a site from its struct node: the same for all
 *	sites, so that a prefetch needs no lookup
 * @stride: distance of two sites; an odd number of cache lines spreads sites over the cache
 * @port: links, by port
 * @vnet: switch in the modes that have classes, and in these, by class and port:
 * @channel: channels, by class alone
 * @rx: link receivers
 * @tx: link senders
 * @in: net-inputs
 * @out: net-outputs
 * @straight: eager routes, in mode postman
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

/* Capacity of the lookahead: more events than net.c looks up ahead. */
#define SIM_COMING	16

/**
 * struct coming - an event ahead
 * @in: net-input of the flit, if the event is a flit of a class; else NULL
 * @rx: link receiver of the flit
 * @site: base of the site for the offsets of struct layout
 * @node: number of the site, for a flit
 * @class: class of the flit
 * @port: port of the flit
 * @feeds: the operator sends a flit
 * @ends: the flit is the first or the last one of its packet
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
 * @now: current cycle
 * @pref: preference table of all sites
 * @arena: memory of the sites
 * @leases: switch inputs that have memory, in the modes that have classes
 * @replays: links may have to retransmit
 * @nclasses: classes in the modes that have them, else 0
 * @coming: ring of events looked up ahead; some may have been processed since
 * @coming_at: index of the last one
 * @layout: layout of a site
 * @site: sites, each with all its parts
 * @edge: sites of the fidelity edge
 * @stat: counters, by enum fc_stat: sums over all sites, as reported
 * @link_stat: counters of all links, by enum fc_link_stat
 * @flits: by site and direction, flits sent there; NULL: they are not counted
 * @net_rng: random numbers for losses
 * @traffic_rng: random numbers for messages; separate, so that a seed determines the traffic
 * @frames: frames that exist, or packets of the fidelity edge
 * @unused: free list of small frames
 * @news_at: time of the last progress of a message
 * @events: events so far
 * @wrong: findings of the oracle
 * @classes: classes of the topology, in mode vnet
 * @next_hops: route table of @classes, or NULL
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
	u64 *flits;
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

/* Part of a site at offset @at from its struct node. */
static inline void *node_part(const struct node *node, size_t at)
{
	return (char *)node + at;
}

/* An error found by the oracle: counted, and the first few are printed on standard error. */
void __printf(2, 3) sim_wrong(struct sim *sim, const char *fmt, ...);

/**
 * struct fidelity - how packets are represented
 * @init: set up the network, at rest
 * @free: free the network and the events left
 * @event: process an event that is not one of traffic.c
 * @send: accept a message from a socket of the source
 * @backlog: number of messages that wait in a source
 * @idle: every machine is at rest and every queue empty
 * @print_stuck: print machines and queues that are not, on standard error
 */
struct fidelity {
	void (*init)(struct sim *sim);
	void (*free)(struct sim *sim);
	void (*event)(struct sim *sim, const struct event *event);
	void (*send)(struct sim *sim, struct message *message);
	u32 (*backlog)(const struct sim *sim, u32 node);
	bool (*idle)(const struct sim *sim);
	void (*print_stuck)(const struct sim *sim);
};

/* Every word of a packet, by the core. */
extern const struct fidelity fidelity_word;
/* Fronts and terminators only (CARE, section 5). */
extern const struct fidelity fidelity_edge;

/* net.c */

/* Append @n parts of @each bytes to a layout of @size bytes.  Return: offset of a cache line. */
size_t layout_add(size_t *size, size_t n, size_t each);
/* Pass an event on a virtual channel to a site, which consumes it; perform the effects. */
void net_event(struct sim *sim, u32 node, u8 vc, struct fc_event *ev);
/* May the operator inject a flit, and with which sequence number? */
bool net_room(struct sim *sim, u32 node);
u32 net_local_seq(const struct sim *sim, u32 node);
/* Flits on a channel and port that the peer has not acked. */
struct flits *net_replay(const struct sim *sim, u32 node, u8 vc, u8 port);
/* The virtual channel of the injection. */
u8 net_local_vc(const struct sim *sim, u32 node);
/* Print how many flits each end of a link has sent. */
void net_list_links(const struct sim *sim, FILE *file);
/* Send a frame; takes ownership of it.  @status: payload of a status, or NULL. */
void net_send(struct sim *sim, u32 node, u8 port, const struct fc_link_hdr *header,
	      struct frame *frame, const struct fc_status *status);

/* vnet.c: the switch of mode vnet */

/* Append the switch to a layout of @size bytes.  Return: the new size. */
size_t vnet_layout(struct sim *sim, size_t size);
void vnet_init(struct sim *sim, u32 node);
/* Allocate memory for the input of a class and port. */
void vnet_lease_new(struct sim *sim, u32 node, u8 class, u8 port);

/* Ensure that the input of a flit that is about to arrive has memory. */
static inline void vnet_lease(struct sim *sim, u32 node, u8 class, u8 port)
{
	if (!sim_node(sim, node)->vnet->ch[class].rx[port].queue)
		vnet_lease_new(sim, node, class, port);
}

/* Release the frames of a switch, and memory outside the arena. */
void vnet_purge(struct sim *sim, u32 node);
void vnet_free(struct sim *sim);
void vnet_print_stuck(const struct sim *sim, u32 node);

#endif /* FLITCAST_SIM_SIM_H */
