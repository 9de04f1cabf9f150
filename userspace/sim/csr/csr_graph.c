// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "core/csr/csr.h"
#include "csr_graph.h"
#include "base/util.h"

/**
 * struct entry - an entry buffer
 * @core: its state
 * @site: its site
 * @dir: its link
 * @to: target of its packet
 * @seq: number of the packet among those for its target
 * @born: slot of its first attempt
 */
struct entry {
	struct fc_csr_entry core;
	u32 site;
	u8 dir;
	u32 to;
	u32 seq;
	u64 born;
};

/**
 * struct order - order of the packets from an entry buffer to a target
 * @sent: packets sent
 * @got: number of the packet delivered last
 * @floor: slot in which the packet that entered last will be delivered
 */
struct order {
	u32 sent;
	u32 got;
	u64 floor;
};

/**
 * struct flight - a packet that has entered
 * @next: next packet at the same site
 * @entry: index of its entry buffer
 * @number: number in its identity
 * @to: target
 * @seq: number among those for its target
 * @port: link of its next hop
 * @entered: slot in which it entered
 * @arrival: slot in which it has to be delivered
 */
struct flight {
	struct flight *next;
	u32 entry;
	u32 number;
	u32 to;
	u32 seq;
	u8 port;
	u64 entered;
	u64 arrival;
};

/*
 * A probe, answer or release that arrives at a site; also the entry buffer of its packet, which
 * determines the path.
 */
struct frame {
	u32 site;
	u8 port;
	u32 entry;
	struct fc_csr_msg msg;
};

struct frames {
	struct frame *frame;
	size_t n;
	size_t room;
};

/**
 * struct site - a site of the network
 * @core: its reservations
 * @link: links of @core
 * @flight: packets at the site
 * @arriving: packets that arrive at it in this slot
 * @number: number of its last packet
 */
struct site {
	struct fc_csr core;
	struct fc_csr_link link[FC_PORTS_MAX];
	struct flight *flight;
	struct flight *arriving;
	u32 number;
};

struct graph {
	const struct csr_graph_run *run;
	const struct fc_topo *topo;
	struct site *site;
	struct entry *entry;
	struct order *order;	/* by entry buffer and target */
	u32 nentries;
	struct frames probes;	/* probes of this step, all at equal distance */
	struct frames next;	/* probes of the next step */
	struct frames answers;	/* sent back when all probes are done */
	u64 now;
	struct csr_graph_result count;
	struct rng rng;
};

/* Paths. */

static u32 mix(u32 a, u32 b)
{
	u32 h = (a ^ b * 0x9e3779b1U) * 0x85ebca6bU;

	return (h ^ h >> 15) * 0xc2b2ae35U;
}

/*
 * Use one shortest path, any, for each pair of sites: on several, packets would overtake each
 * other.
 */
static u8 port_to(const struct graph *graph, u32 from, u32 site, u32 to)
{
	u32 dirs = fc_topo_minimal(graph->topo, site, to);
	u32 n = (u32)__builtin_popcount(dirs);

	for (u32 skip = (mix(mix(from, to), site) >> 16) * n >> 16; skip; skip--)
		dirs &= dirs - 1;
	return (u8)(fc_low(dirs) + 1);
}

static u32 neighbour(const struct graph *graph, u32 site, u8 port)
{
	return fc_topo_neighbour(graph->topo, site, port - 1);
}

static struct order *order_of(const struct graph *graph, u32 entry, u32 to)
{
	return &graph->order[(size_t)entry * graph->topo->nsites + to];
}

/*
 * Frames.
 */

static void push(struct graph *graph, struct frames *frames, u32 site, u8 port,
		 const struct frame *like, const struct fc_csr_msg *msg)
{
	if (csr_chance(&graph->rng, graph->run->loss))
		return;
	if (frames->n == frames->room) {
		frames->room = 2 * frames->room + 64;
		frames->frame = xrealloc(frames->frame, frames->room * sizeof(*frames->frame));
	}
	frames->frame[frames->n++] = (struct frame){
		.site = neighbour(graph, site, port), .entry = like->entry, .msg = *msg,
		.port = graph->topo->ops->arrival(graph->topo, site, port - 1) + 1,
	};
}

static void release(struct graph *graph, const struct frame *frame,
		    const struct fc_csr_answer *answer)
{
	struct fc_csr_msg msg = answer->msg;

	msg.type = FC_CSR_RELEASE;
	for (u32 rest = answer->release; rest; rest &= rest - 1)
		push(graph, &graph->next, frame->site, (u8)fc_low(rest), frame, &msg);
}

/* Process a probe at a site, or start one there.  Its successors are processed in the next step. */
static void probe(struct graph *graph, const struct frame *frame, struct fc_csr_entry *begins)
{
	const struct entry *entry = &graph->entry[frame->entry];
	struct site *site = &graph->site[frame->site];
	bool here = frame->site == entry->to;
	struct fc_csr_leg leg = { 0 };
	struct fc_csr_answer answer;
	enum fc_csr_verdict verdict;
	u8 port;

	if (!here) {
		port = port_to(graph, entry->site, frame->site, entry->to);
		leg.ports = fc_bit(port);
		leg.last = neighbour(graph, frame->site, port) == entry->to;
	}
	if (begins)
		verdict = fc_csr_entry_try(begins, &site->core, 1, graph->now, &leg, 1, false,
					   graph->now, &answer);
	else
		verdict = fc_csr_probe(&site->core, frame->port, &frame->msg, &leg, !here, here,
				       graph->now, &answer);
	release(graph, frame, &answer);
	if (verdict == FC_CSR_PASS)
		push(graph, &graph->next, frame->site, leg.port, frame, &leg.msg);
	else if (verdict != FC_CSR_DROP && !begins)
		push(graph, &graph->answers, frame->site, answer.port, frame, &answer.msg);
}

static void enter(struct graph *graph, struct entry *entry)
{
	struct site *site = &graph->site[entry->site];
	struct flight *flight = xcalloc(1, sizeof(*flight));

	*flight = (struct flight){
		.next = site->flight, .entry = (u32)(entry - graph->entry),
		.number = entry->core.id.number, .to = entry->to, .seq = entry->seq,
		.port = port_to(graph, entry->site, entry->site, entry->to),
		.entered = graph->now, .arrival = entry->core.arrival,
	};
	site->flight = flight;
	order_of(graph, flight->entry, entry->to)->floor = entry->core.arrival;
	order_of(graph, flight->entry, entry->to)->sent = entry->seq;
	graph->count.count.entered++;
	graph->count.count.admission += graph->now - entry->born;
	entry->core.state = FC_CSR_EMPTY;
}

/* Process an answer or a release at a site. */
static void answered(struct graph *graph, const struct frame *frame)
{
	struct site *site = &graph->site[frame->site];
	struct entry *entry = &graph->entry[frame->entry];
	struct fc_csr_answer answer;
	enum fc_csr_verdict verdict;

	verdict = fc_csr_answered(&site->core, frame->port, &frame->msg, graph->now, &answer);
	release(graph, frame, &answer);
	if (verdict == FC_CSR_PASS)
		push(graph, &graph->answers, frame->site, answer.port, frame, &answer.msg);
	if (verdict == FC_CSR_HERE && fc_csr_entry_receive(&entry->core, &answer.msg) &&
	    entry->core.state == FC_CSR_ACCEPTED)
		enter(graph, entry);
}

/* Remove a random frame from the list. */
static struct frame take(struct graph *graph, struct frames *frames)
{
	u32 i = rng_below(&graph->rng, (u32)frames->n);
	struct frame frame = frames->frame[i];

	frames->frame[i] = frames->frame[--frames->n];
	return frame;
}

/*
 * The control interval.
 */

/* Generate a packet whose path begins with the link of the entry buffer. */
static void fill(struct graph *graph, struct entry *entry)
{
	u32 index = (u32)(entry - graph->entry);
	struct order *order;

	do {
		entry->to = rng_below(&graph->rng, graph->topo->nsites);
	} while (entry->to == entry->site ||
		 port_to(graph, entry->site, entry->site, entry->to) != entry->dir + 1);
	order = order_of(graph, index, entry->to);
	entry->seq = order->sent + 1;
	entry->born = graph->now;
	fc_csr_entry_fill(&entry->core, entry->site, ++graph->site[entry->site].number,
			  graph->run->run.fault == CSR_OVERTAKE ? 0 : order->floor);
}

static void begin(struct graph *graph)
{
	const struct csr_run *run = &graph->run->run;

	for (u32 i = 0; i < graph->nentries; i++) {
		struct entry *entry = &graph->entry[i];
		struct frame frame = { .site = entry->site, .entry = i };
		bool again = entry->core.state == FC_CSR_PENDING;

		graph->count.count.backlogged += again;
		if (!csr_chance(&graph->rng, again ? run->retry : run->arrive))
			continue;
		if (!again)
			fill(graph, entry);
		graph->count.count.attempts++;
		graph->probes.frame[graph->probes.n++] = frame;
	}
	/*
	 * Start the sites' own probes in random order; on their links they precede forwarded
	 * probes.
	 */
	while (graph->probes.n) {
		struct frame frame = take(graph, &graph->probes);

		probe(graph, &frame, &graph->entry[frame.entry].core);
	}
}

/* Forward the probes by one link in each step; then forward all answers. */
static void control(struct graph *graph)
{
	begin(graph);
	while (graph->next.n) {
		struct frames step = graph->probes;

		graph->probes = graph->next;
		graph->next = step;
		while (graph->probes.n) {
			struct frame frame = take(graph, &graph->probes);

			if (frame.msg.type == FC_CSR_PROBE)
				probe(graph, &frame, NULL);
			else
				answered(graph, &frame);
		}
	}
	while (graph->answers.n) {
		struct frame frame = take(graph, &graph->answers);

		answered(graph, &frame);
	}
	/* Releases by these answers are in flight; they take effect in the next interval. */
	for (u32 i = 0; i < graph->topo->nsites; i++) {
		fc_csr_control_end(&graph->site[i].core);
		graph->count.leaked += fc_csr_count(&graph->site[i].core, FC_CSR_TENT);
	}
}

/*
 * The transmission interval.
 */

static void deliver(struct graph *graph, struct flight *flight)
{
	const struct entry *entry = &graph->entry[flight->entry];
	struct order *order = order_of(graph, flight->entry, flight->to);

	graph->count.count.delivered++;
	graph->count.count.useful += graph->topo->ops->distance(graph->topo, entry->site,
								flight->to);
	graph->count.count.transit += graph->now + 1 - flight->entered;
	graph->count.late += flight->arrival != graph->now + 1;
	if (fc_before(flight->seq, order->got))
		graph->count.overtaken++;
	else
		order->got = flight->seq;
	free(flight);
}

static void arrive(struct graph *graph, struct flight *flight, u32 site)
{
	const struct entry *entry = &graph->entry[flight->entry];
	u32 next_hops;

	if (site == flight->to) {
		deliver(graph, flight);
		return;
	}
	next_hops = fc_csr_next_hops(&graph->site[site].core, entry->site, flight->number);
	flight->port = next_hops ? (u8)fc_low(next_hops) : 0;
	flight->next = graph->site[site].arriving;
	graph->site[site].arriving = flight;
}

static void transmit_site(struct graph *graph, u32 index)
{
	struct site *site = &graph->site[index];
	u32 stored[FC_PORTS_MAX] = { 0 }, busy = 0;
	struct flight *flight, *next, *stay = NULL;

	for (flight = site->flight; flight; flight = next) {
		u32 source = graph->entry[flight->entry].site;
		enum fc_csr_turn turn;
		u64 at;

		next = flight->next;
		turn = fc_csr_turn(&site->core, source, flight->number, flight->port, graph->now,
				   &at);
		graph->count.crowded += ++stored[flight->port] == graph->run->buffers + 2;
		if (turn == FC_CSR_WAIT) {
			flight->next = stay;
			stay = flight;
			continue;
		}
		if (turn == FC_CSR_TOO_LATE) {
			graph->count.late++;
			free(flight);
			continue;
		}
		graph->count.clashes += busy >> flight->port & 1;
		busy |= fc_bit(flight->port);
		fc_csr_sent(&site->core, source, flight->number, flight->port, graph->now);
		arrive(graph, flight, neighbour(graph, index, flight->port));
	}
	site->flight = stay;
}

static void transmit(struct graph *graph)
{
	u32 nsites = graph->topo->nsites;

	for (u32 i = 0; i < nsites; i++)
		transmit_site(graph, i);
	for (u32 i = 0; i < nsites; i++) {
		struct site *site = &graph->site[i];

		fc_csr_time(&site->core, graph->now + 1);
		while (site->arriving) {
			struct flight *flight = site->arriving;

			site->arriving = flight->next;
			flight->next = site->flight;
			site->flight = flight;
		}
	}
}

/*
 * A run.
 */

static u32 diameter(const struct fc_topo *topo)
{
	u32 most = 0;

	for (u32 a = 0; a < topo->nsites; a++) {
		for (u32 b = 0; b < topo->nsites; b++) {
			u32 distance = topo->ops->distance(topo, a, b);

			most = distance > most ? distance : most;
		}
	}
	return most;
}

static void site_init(struct graph *graph, u32 index, u32 horizon)
{
	struct site *site = &graph->site[index];
	struct fc_csr *core = &site->core;
	u32 size, degree = 0;

	for (u8 dir = 0; dir < graph->topo->ndirs; dir++) {
		if (fc_topo_neighbour(graph->topo, index, dir) == FC_SITE_NONE)
			continue;
		degree++;
		graph->entry[graph->nentries++] = (struct entry){ .site = index, .dir = dir };
	}
	size = degree * horizon;
	core->pool.size = (u16)(size < FC_CSR_MAX ? size : FC_CSR_MAX);
	core->pool.res = xcalloc(core->pool.size, sizeof(*core->pool.res));
	core->link = site->link;
	core->nports = graph->topo->ndirs + 1;
	core->quota = core->pool.size;
	core->lease = horizon;
	core->horizon = horizon;
	for (u8 port = 0; port < core->nports; port++)
		site->link[port] = (struct fc_csr_link){
			.k = (u16)graph->run->buffers, .unit = 1
		};
	fc_csr_init(core);
}

static void graph_init(struct graph *graph, const struct csr_graph_run *run)
{
	const struct fc_topo *topo = run->topo;
	u32 most = topo->nsites * topo->ndirs;
	u32 horizon = (run->buffers + 1) * diameter(topo) + 2;

	*graph = (struct graph){
		.run = run, .topo = topo, .now = 1, .rng = { run->run.seed },
		.site = xcalloc(topo->nsites, sizeof(*graph->site)),
		.entry = xcalloc(most, sizeof(*graph->entry)),
		.order = xcalloc((size_t)most * topo->nsites, sizeof(*graph->order)),
	};
	for (u32 i = 0; i < topo->nsites; i++)
		site_init(graph, i, horizon);
	graph->probes.room = most;
	graph->probes.frame = xcalloc(most, sizeof(*graph->probes.frame));
	graph->next.room = most;
	graph->next.frame = xcalloc(most, sizeof(*graph->next.frame));
}

static void graph_free_all(struct graph *graph)
{
	for (u32 i = 0; i < graph->topo->nsites; i++) {
		while (graph->site[i].flight) {
			struct flight *flight = graph->site[i].flight;

			graph->site[i].flight = flight->next;
			free(flight);
		}
		free(graph->site[i].core.pool.res);
	}
	free(graph->site);
	free(graph->entry);
	free(graph->order);
	free(graph->probes.frame);
	free(graph->next.frame);
	free(graph->answers.frame);
}

/* Invariant: each reservation was used, released, or still exists. */
static void audit(struct graph *graph)
{
	u64 inside = 0;

	for (u32 i = 0; i < graph->topo->nsites; i++) {
		const struct fc_csr *core = &graph->site[i].core;
		u64 gone = core->stat[FC_CSR_SENT] + core->stat[FC_CSR_RELEASED] +
			   core->stat[FC_CSR_LAPSED] + core->stat[FC_CSR_ORPHANED];
		u64 there = fc_csr_count(core, FC_CSR_TENT) + fc_csr_count(core, FC_CSR_CONF);

		graph->count.unbalanced += core->stat[FC_CSR_RESERVED] != gone + there;
		graph->count.orphans += core->stat[FC_CSR_ORPHANED];
		graph->count.clashes += core->stat[FC_CSR_DOUBLE];
		for (const struct flight *flight = graph->site[i].flight; flight;
		     flight = flight->next)
			inside++;
	}
	graph->count.lost = graph->count.count.entered - graph->count.count.delivered - inside;
}

static void slot(void *all)
{
	struct graph *graph = all;

	control(graph);
	transmit(graph);
	graph->now++;
}

void csr_graph_run(struct csr_graph_result *result, const struct csr_graph_run *run)
{
	struct graph graph;
	struct csr_count count;

	graph_init(&graph, run);
	count = csr_slots(&run->run, slot, &graph, &graph.count.count);
	audit(&graph);
	*result = graph.count;
	result->count = count;
	result->sites = run->topo->nsites;
	result->links = graph.nentries;
	result->slots = run->run.slots;
	graph_free_all(&graph);
}

double csr_graph_throughput(const struct csr_graph_result *result)
{
	return (double)result->count.delivered / result->sites / (double)result->slots;
}

double csr_graph_useful(const struct csr_graph_result *result)
{
	return (double)result->count.useful / result->links / (double)result->slots;
}

u64 csr_graph_wrong(const struct csr_graph_result *result)
{
	return result->overtaken + result->lost + result->late + result->clashes +
	       result->crowded + result->leaked + result->unbalanced;
}
