// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "harts_net.h"
#include "base/queue.h"
#include "base/random.h"
#include "core/topo/hexmesh.h"
#include "base/util.h"

const u32 harts_length[HARTS_LENGTHS] = { 64, 128, 512 };
const u32 harts_length_part[HARTS_LENGTHS] = { 3, 5, 2 };

/* Broadcasts before the first measured one: by then each link has carried hundreds of packets. */
#define WARM_UP		20

/* A multiple of every distance of a hexmesh up to HARTS_SIZE_MAX. */
#define DISTANCES	360360

/* Births are timed in parts of a cycle, so that the rate is exact. */
#define PARTS		65536

/* Instead of a direction: any direction of a shortest path. */
#define ANY		FC_PORT_NONE

/* A broadcast, freed with its last packet. */
struct broadcast {
	u64 born;
	u64 last;		/* time of the last delivery */
	u64 delivery;		/* sum over deliveries */
	u32 source;
	u32 bytes;
	u32 packets;		/* en route */
	u32 deliveries;
	u32 stored;		/* stores of the packet delivered last */
	u32 passed;
	bool measured;
	u8 copies[];		/* by site relative to the source */
};

struct harts_packet {
	struct harts_packet *next;
	struct broadcast *broadcast;	/* NULL: a regular packet */
	struct fc_bcast_packet at;	/* packet of a broadcast */
	u64 born;
	u32 to;				/* target of a regular packet */
	u32 bytes;
	u32 stored;
	u32 passed;
};

struct link {
	struct harts_packet *first;
	struct harts_packet **end;
	u64 free_at;
	u32 waiting;
};

struct net {
	const struct harts_run *run;
	struct harts_result *result;
	struct fc_topo topo;
	struct harts_broadcast_rules rules;
	struct queue queue;
	struct rng rng;
	struct link *link;		/* by site and direction */
	struct harts_packet *unused;
	u64 now;
	u32 *weight;			/* by relative site, cumulative */
	u8 (*hop)[2];			/* by relative site; FC_PORT_NONE: none */
	u64 interval;			/* between births, in PARTS; 0: no traffic */
	u64 next_birth;			/* in PARTS */
	u64 measured_since;
	u32 born;			/* broadcasts begun */
	u32 over;			/* measured broadcasts that completed */
};

/*
 * Packets.
 */

static struct harts_packet *packet_new(struct net *net)
{
	struct harts_packet *p = net->unused;

	if (p)
		net->unused = p->next;
	else
		p = xcalloc(1, sizeof(*p));
	memset(p, 0, sizeof(*p));
	return p;
}

static void packet_free(struct net *net, struct harts_packet *p)
{
	p->next = net->unused;
	net->unused = p;
}

static void later(struct net *net, u64 time, enum event_kind kind, u32 site, u8 dir,
		  struct harts_packet *p)
{
	queue_add(&net->queue, &(struct event){
		.time = time, .kind = (u8)kind, .node = site, .port = dir, .harts = p,
	});
}

/*
 * Links.
 */

static struct link *link_of(const struct net *net, u32 site, u8 dir)
{
	return &net->link[site * FC_HEXMESH_DIRS + dir];
}

static bool idle(const struct net *net, const struct link *link)
{
	return !link->first && link->free_at <= net->now;
}

/* Send the packet now; the link is idle, or free for the first packet that waits. */
static void transmit(struct net *net, u32 site, u8 dir, struct harts_packet *p)
{
	struct link *link = link_of(net, site, dir);
	u64 busy = p->bytes + net->run->times.gap;

	link->free_at = net->now + busy;
	net->result->busy += busy;
	later(net, net->now + net->run->times.delta, EVENT_HEADER,
	      fc_topo_neighbour(&net->topo, site, dir), dir, p);
}

static void wait_for(struct net *net, u32 site, u8 dir, struct harts_packet *p)
{
	struct link *link = link_of(net, site, dir);

	if (!link->first) {
		link->end = &link->first;
		later(net, link->free_at, EVENT_FREE, site, dir, NULL);
	}
	p->next = NULL;
	*link->end = p;
	link->end = &p->next;
	link->waiting++;
}

static void link_free(struct net *net, u32 site, u8 dir)
{
	struct link *link = link_of(net, site, dir);
	struct harts_packet *p = link->first;

	link->first = p->next;
	link->waiting--;
	transmit(net, site, dir, p);
	if (link->first)
		later(net, link->free_at, EVENT_FREE, site, dir, NULL);
}

/*
 * Regular packets.
 */

static const u8 *hops_of(const struct net *net, u32 site, u32 to)
{
	return net->hop[net->rules.table.rules->relative(&net->topo, site, to)];
}

/* First direction towards the target whose link is idle, or ANY. */
static u8 idle_hop(const struct net *net, const u8 hop[2], u32 site)
{
	for (u32 i = 0; i < 2; i++)
		if (hop[i] != FC_PORT_NONE && idle(net, link_of(net, site, hop[i])))
			return hop[i];
	return ANY;
}

/* Direction towards the target with the shorter queue. */
static u8 shorter_queue(const struct net *net, const u8 hop[2], u32 site)
{
	return hop[1] != FC_PORT_NONE && link_of(net, site, hop[1])->waiting <
	       link_of(net, site, hop[0])->waiting ? hop[1] : hop[0];
}

static void regular_header(struct net *net, u32 site, struct harts_packet *p)
{
	u64 received = net->now - net->run->times.delta + p->bytes;
	u8 dir;

	if (site == p->to) {
		if (p->born >= net->measured_since && net->measured_since) {
			net->result->regular++;
			net->result->regular_latency += received - p->born;
		}
		packet_free(net, p);
		return;
	}
	dir = idle_hop(net, hops_of(net, site, p->to), site);
	if (dir == ANY) {
		p->stored++;
		later(net, received + net->run->times.setup, EVENT_READY, site, ANY, p);
	} else {
		p->passed++;
		transmit(net, site, dir, p);
	}
}

static void ready(struct net *net, u32 site, u8 dir, struct harts_packet *p)
{
	if (dir == ANY) {
		const u8 *hop = hops_of(net, site, p->to);

		dir = idle_hop(net, hop, site);
		if (dir == ANY)
			dir = shorter_queue(net, hop, site);
	}
	if (idle(net, link_of(net, site, dir)))
		transmit(net, site, dir, p);
	else
		wait_for(net, site, dir, p);
}

/*
 * Broadcasts.
 */

static void broadcast_over(struct net *net, struct broadcast *b)
{
	struct harts_result *result = net->result;

	for (u32 site = 1; site < net->topo.nsites; site++)
		result->unserved += b->copies[site] != net->rules.table.copies;
	if (b->measured) {
		net->over++;
		result->broadcasts++;
		result->latency += b->last - b->born;
		result->delivery += b->delivery;
		result->deliveries += b->deliveries;
		result->stored += b->stored;
		result->passed += b->passed;
	}
	free(b);
}

/* Send the packets of a site's processor; @p: the packet it responds to, or NULL. */
static void send_all(struct net *net, u32 site, struct broadcast *b,
		     const struct fc_bcast_sends *sends, const struct harts_packet *p, u64 when)
{
	for (u32 i = 0; i < sends->n; i++) {
		struct harts_packet *new;

		if (!sends->run[i].left)
			continue;
		new = packet_new(net);
		new->broadcast = b;
		new->at = sends->run[i];
		new->born = b->born;
		new->bytes = b->bytes;
		new->stored = p ? p->stored + 1 : 1;
		new->passed = p ? p->passed : 0;
		b->packets++;
		later(net, when, EVENT_READY, site, new->at.dir, new);
	}
}

static void broadcast_new(struct net *net, u32 source, u32 bytes)
{
	struct broadcast *b = xcalloc(1, sizeof(*b) + net->topo.nsites);
	struct fc_bcast_sends sends = { 0 };

	*b = (struct broadcast){ .born = net->now, .source = source, .bytes = bytes };
	if (!net->interval) {
		b->measured = true;
	} else if (net->born++ >= WARM_UP) {
		b->measured = net->born - WARM_UP <= net->run->broadcasts;
		if (!net->measured_since) {
			net->measured_since = net->now;
			net->result->busy = 0;
		}
	}
	net->rules.table.rules->start(&net->rules.table, &sends);
	send_all(net, source, b, &sends, NULL, net->now + net->run->times.setup);
}

static void delivered(struct net *net, struct broadcast *b, const struct harts_packet *p, u64 when)
{
	b->copies[p->at.site]++;
	b->deliveries++;
	b->delivery += when - b->born;
	if (when > b->last) {
		b->last = when;
		b->stored = p->stored;
		b->passed = p->passed;
	}
}

static void broadcast_header(struct net *net, u32 site, struct harts_packet *p)
{
	u64 received = net->now - net->run->times.delta + p->bytes;
	u64 when = received + net->run->times.setup;
	struct broadcast *b = p->broadcast;
	struct fc_bcast_sends sends;

	p->at.site = net->rules.table.rules->relative(&net->topo, b->source, site);
	p->at.left--;
	if (!harts_rules_forward(&net->rules, &p->at, &sends))
		net->result->astray++;
	delivered(net, b, p, received);
	send_all(net, site, b, &sends, p, when);
	if (!p->at.left) {
		packet_free(net, p);
		if (!--b->packets)
			broadcast_over(net, b);
	} else if (net->rules.store || !idle(net, link_of(net, site, p->at.dir))) {
		p->stored++;
		later(net, when, EVENT_READY, site, p->at.dir, p);
	} else {
		p->passed++;
		transmit(net, site, p->at.dir, p);
	}
}

/*
 * Traffic.
 */

static u32 random_length(struct net *net)
{
	u32 part = rng_below(&net->rng, HARTS_LENGTH_PARTS);
	u32 i = 0;

	while (part >= harts_length_part[i])
		part -= harts_length_part[i++];
	return harts_length[i];
}

/* Draw a target, relative to the source. */
static u32 random_target(struct net *net)
{
	u32 at = rng_below(&net->rng, net->weight[net->topo.nsites - 1]);
	u32 low = 1, high = net->topo.nsites - 1;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (net->weight[middle] > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void next_birth(struct net *net)
{
	net->next_birth += (rng_exponential(&net->rng) >> 16) * net->interval >> 16;
	later(net, net->next_birth / PARTS, EVENT_BORN, 0, 0, NULL);
}

/* Draw every number for each packet, so that a seed gives the same traffic in all sizes. */
static void birth(struct net *net)
{
	u32 source = rng_below(&net->rng, net->topo.nsites);
	u32 bytes = random_length(net);
	u32 target = random_target(net);
	bool broadcast = !rng_below(&net->rng, HARTS_BROADCAST_ONE_IN);
	struct harts_packet *p;

	if (broadcast) {
		broadcast_new(net, source, bytes);
	} else {
		p = packet_new(net);
		p->born = net->now;
		p->to = (source + target) % net->topo.nsites;
		p->bytes = bytes;
		p->stored = 1;
		later(net, net->now + net->run->times.setup, EVENT_READY, source, ANY, p);
	}
	next_birth(net);
}

/*
 * Runs.
 */

static void topo_init(struct fc_topo *topo, u32 size)
{
	char spec[FC_SPEC_MAX];
	const char *wrong;

	snprintf(spec, sizeof(spec), "hexmesh:%u", size);
	wrong = fc_topo_parse(topo, spec);
	if (wrong)
		die("%s: %s", spec, wrong);
}

/* Sum of the weights 1 / distance, in parts of DISTANCES; @weight may be NULL. */
static u64 weights(const struct fc_topo *topo, u32 *weight)
{
	u32 sum = 0;

	for (u32 site = 1; site < topo->nsites; site++) {
		sum += DISTANCES / topo->ops->distance(topo, 0, site);
		if (weight)
			weight[site] = sum;
	}
	return sum;
}

u64 harts_net_path(u32 size)
{
	struct fc_topo topo;

	topo_init(&topo, size);
	return (u64)(topo.nsites - 1) * DISTANCES * HARTS_LOAD_UNIT / weights(&topo, NULL);
}

/* Mean of all lengths, in tenths. */
static u64 mean_length(void)
{
	u64 sum = 0;

	for (u32 i = 0; i < HARTS_LENGTHS; i++)
		sum += (u64)harts_length[i] * harts_length_part[i];
	return sum;
}

u64 harts_net_load(const struct harts_run *run, u64 busy)
{
	const struct harts_algorithm *algorithm = &harts_algorithms[run->algorithm];
	double one_in = HARTS_BROADCAST_ONE_IN;
	double path = (double)harts_net_path(run->size) / HARTS_LOAD_UNIT;
	double length = (double)mean_length() / HARTS_LENGTH_PARTS;
	double links, sites;

	sites = 3.0 * run->size * (run->size - 1);
	links = path * (one_in - 1) / one_in + algorithm->copies * sites / one_in;
	return (u64)((double)busy * length * path / ((length + (double)run->times.gap) * links));
}

static void net_open(struct net *net, const struct harts_run *run, struct harts_result *result)
{
	memset(net, 0, sizeof(*net));
	memset(result, 0, sizeof(*result));
	net->run = run;
	net->result = result;
	topo_init(&net->topo, run->size);
	harts_rules_open(&net->rules, &net->topo, run->algorithm, run->fault);
	result->links = net->topo.nsites * FC_HEXMESH_DIRS;
	net->link = xcalloc(result->links, sizeof(*net->link));
	net->weight = xcalloc(net->topo.nsites, sizeof(*net->weight));
	net->hop = xcalloc(net->topo.nsites, sizeof(*net->hop));
	weights(&net->topo, net->weight);
	for (u32 site = 1; site < net->topo.nsites; site++) {
		s32 tag[FC_HEXMESH_AXES];
		u8 *hop = net->hop[site];
		u32 n = 0;

		hop[0] = FC_PORT_NONE;
		hop[1] = FC_PORT_NONE;
		fc_hexmesh_tag(&net->topo, 0, site, tag);
		for (u8 axis = 0; axis < FC_HEXMESH_AXES; axis++)
			if (tag[axis])
				hop[n++] = tag[axis] > 0 ? axis : axis + FC_HEXMESH_AXES;
	}
}

static void event(struct net *net, const struct event *e)
{
	switch (e->kind) {
	case EVENT_BORN:
		birth(net);
		break;
	case EVENT_READY:
		ready(net, e->node, e->port, e->harts);
		break;
	case EVENT_FREE:
		link_free(net, e->node, e->port);
		break;
	case EVENT_HEADER:
		if (e->harts->broadcast)
			broadcast_header(net, e->node, e->harts);
		else
			regular_header(net, e->node, e->harts);
		break;
	}
}

/* Run until enough of the measured broadcasts have completed. */
static void simulate(struct net *net, u32 broadcasts)
{
	const struct event *e;

	while (net->over < broadcasts && (e = queue_take(&net->queue))) {
		net->now = e->time;
		event(net, e);
	}
}

static void drop(struct net *net, struct harts_packet *p)
{
	if (p->broadcast && !--p->broadcast->packets)
		free(p->broadcast);
	free(p);
}

/* Drop the packets still en route: they are not measured. */
static void net_close(struct net *net)
{
	struct harts_packet *p;
	const struct event *e;

	net->result->link_cycles = (net->now - net->measured_since) * net->result->links;
	while ((e = queue_take(&net->queue)))
		if (e->harts)
			drop(net, e->harts);
	for (u32 i = 0; i < net->result->links; i++) {
		net->result->backlog += net->link[i].waiting;
		while ((p = net->link[i].first)) {
			net->link[i].first = p->next;
			drop(net, p);
		}
	}
	while ((p = net->unused)) {
		net->unused = p->next;
		free(p);
	}
	queue_free(&net->queue);
	harts_rules_close(&net->rules);
	free(net->link);
	free(net->weight);
	free(net->hop);
}

void harts_net_run(const struct harts_run *run, struct harts_result *result)
{
	struct net net;
	double rate;

	net_open(&net, run, result);
	/* Packets per cycle from all sites. */
	rate = (double)run->load / HARTS_LOAD_UNIT * (double)result->links /
	       ((double)mean_length() / HARTS_LENGTH_PARTS *
		(double)harts_net_path(run->size) / HARTS_LOAD_UNIT);
	net.interval = (u64)(PARTS / rate + 0.5);
	net.rng.state = run->seed;
	next_birth(&net);
	simulate(&net, run->broadcasts);
	net_close(&net);
}

void harts_net_idle(const struct harts_run *run, u32 bytes, struct harts_result *result)
{
	struct net net;

	net_open(&net, run, result);
	broadcast_new(&net, 0, bytes);
	simulate(&net, 1);
	net_close(&net);
}
