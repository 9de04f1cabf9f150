// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "care_schemes.h"

/* No packet. */
#define NONE	((u32)-1)

/* Links of the longest path. */
#define PATH_MAX	64

/* Cycles in which no packet advances, after which the rest counts as lost. */
#define PATIENCE	100000

/**
 * struct flight - a packet in the network, or waiting in its source
 * @packet: the packet
 * @next: number of the next packet of the source, or NONE
 * @ready: store-and-forward, virtual cut-through: the site may send it from this cycle on
 * @moved: links taken; of wormhole: cycles in which its flits advanced
 * @hops: number of links of its path
 * @link: links of its path
 */
struct flight {
	struct care_packet *packet;
	u64 ready;
	u32 next;
	u32 moved;
	u32 hops;
	u32 link[PATH_MAX];
};

/**
 * struct net - a network
 * @packets: its packets
 * @flits: flits of a packet
 * @link: by link, the cycle from which on it is free; FC_NEVER: a packet has it
 * @source: by site, the same of its sending side
 * @target: by site, the same of its receiving side
 * @flight: by packet, its state
 * @last: by site, its last packet that is born
 * @flying: packets that have not arrived, in the order in which they have become the first of their
 *	source; where a source sends packets together, all that are born
 * @count: number of @flying
 * @queued: a source sends a packet at a time
 */
struct net {
	const struct care_packets *packets;
	u32 flits;
	u64 *link;
	u64 *source;
	u64 *target;
	struct flight *flight;
	u32 *last;
	u32 *flying;
	u32 count;
	bool queued;
};

/* Fill in the path: in each site the first of the minimal directions. */
static void find_path(const struct fc_topo *topo, struct flight *flight)
{
	u32 at = flight->packet->from;

	while (at != flight->packet->to) {
		u8 dir = (u8)fc_low(fc_topo_minimal(topo, at, flight->packet->to));

		if (flight->hops == PATH_MAX)
			die("a path has more than %u links", PATH_MAX);
		flight->link[flight->hops++] = at * topo->ndirs + dir;
		at = fc_topo_neighbour(topo, at, dir);
	}
}

static bool take(u64 *resource, u64 now)
{
	if (*resource > now)
		return false;
	*resource = FC_NEVER;
	return true;
}

/* Send a packet that is stored, or @cuts through.  Return: true if a packet advances. */
static bool step_stored(struct net *net, struct flight *flight, u64 now, bool cuts)
{
	u64 *link = &net->link[flight->link[flight->moved]];

	if (flight->ready > now || *link > now)
		return false;
	*link = now + net->flits;
	flight->ready = now + (cuts ? 1 : net->flits);
	if (++flight->moved == flight->hops)
		flight->packet->done = now + net->flits;
	return true;
}

/* Take what the head needs to advance once more. */
static bool take_next(struct net *net, struct flight *flight, u64 now)
{
	u64 *source = &net->source[flight->packet->from];
	u32 at = flight->moved;

	if (at > flight->hops)
		return true;
	if (at == flight->hops)
		return take(&net->target[flight->packet->to], now);
	if (!at && *source > now)
		return false;
	if (!take(&net->link[flight->link[at]], now))
		return false;
	if (!at) {
		*source = FC_NEVER;
		if (flight->next != NONE)
			net->flying[net->count++] = flight->next;
		else
			net->last[flight->packet->from] = NONE;
	}
	return true;
}

/*
 * All flits advance by a link, or none.  The buffer of a link is free in the cycle in which the
 * last flit leaves it: a packet whose turn comes later takes the link in that cycle, others in the next.
 */
static bool step_wormhole(struct net *net, struct flight *flight, u64 now)
{
	if (!take_next(net, flight, now))
		return false;
	flight->moved++;
	if (flight->moved == net->flits)
		net->source[flight->packet->from] = now + 1;
	if (flight->moved > net->flits && flight->moved - net->flits <= flight->hops)
		net->link[flight->link[flight->moved - net->flits - 1]] = now;
	if (flight->moved == flight->hops + net->flits) {
		net->target[flight->packet->to] = now + 1;
		flight->packet->done = now;
	}
	return true;
}

/* The probe takes a link; at the target the times of the answer and of the packet are known. */
static bool step_circuit(struct net *net, struct flight *flight, u64 now)
{
	u64 sent;

	if (!take_next(net, flight, now))
		return false;
	if (flight->moved++ < flight->hops)
		return true;
	sent = now + flight->hops + net->flits;
	net->source[flight->packet->from] = sent;
	for (u32 i = 0; i < flight->hops; i++)
		net->link[flight->link[i]] = sent + i;
	flight->packet->done = sent + flight->hops - 1;
	net->target[flight->packet->to] = flight->packet->done + 1;
	return true;
}

static bool step(struct net *net, struct flight *flight, u64 now, enum care_scheme scheme)
{
	if (scheme == CARE_WORMHOLE)
		return step_wormhole(net, flight, now);
	if (scheme == CARE_CIRCUIT)
		return step_circuit(net, flight, now);
	return step_stored(net, flight, now, scheme == CARE_VIRTUAL);
}

/* A cycle.  Return: true if a packet advances. */
static bool cycle(struct net *net, u64 now, enum care_scheme scheme)
{
	bool moved = false;
	u32 left = 0;

	for (u32 i = 0; i < net->count; i++) {
		struct flight *flight = &net->flight[net->flying[i]];

		moved |= step(net, flight, now, scheme);
		if (flight->packet->done == FC_NEVER)
			net->flying[left++] = net->flying[i];
	}
	net->count = left;
	return moved;
}

static void born(struct net *net, u32 number)
{
	struct flight *flight = &net->flight[number];
	u32 *last;

	flight->packet = &net->packets->packet[number];
	flight->next = NONE;
	flight->ready = flight->packet->born;
	last = &net->last[flight->packet->from];
	if (net->queued && *last != NONE)
		net->flight[*last].next = number;
	else
		net->flying[net->count++] = number;
	*last = number;
	find_path(net->packets->topo, flight);
}

static u64 check(const struct care_packets *packets, enum care_scheme scheme)
{
	const struct fc_topo *topo = packets->topo;
	u64 wrong = 0;

	for (u32 i = 0; i < packets->count; i++) {
		const struct care_packet *p = &packets->packet[i];
		u32 hops = topo->ops->distance(topo, p->from, p->to);

		wrong += p->done == FC_NEVER ||
			 p->done - p->born < care_schemes_idle(scheme, hops, packets->flits);
	}
	return wrong;
}

u64 care_schemes_run(const struct care_packets *packets, enum care_scheme scheme)
{
	u32 sites = packets->topo->nsites;
	struct net net = {
		.packets = packets, .flits = packets->flits,
		.link = xcalloc((size_t)sites * packets->topo->ndirs, sizeof(*net.link)),
		.source = xcalloc(sites, sizeof(*net.source)),
		.target = xcalloc(sites, sizeof(*net.target)),
		.flight = xcalloc(packets->count, sizeof(*net.flight)),
		.last = xcalloc(sites, sizeof(*net.last)),
		.flying = xcalloc(packets->count, sizeof(*net.flying)),
		.queued = scheme == CARE_WORMHOLE || scheme == CARE_CIRCUIT,
	};
	u64 now = 0, news = 0;
	u32 next = 0;

	memset(net.last, 0xff, sites * sizeof(*net.last));
	while ((net.count || next < packets->count) && now - news < PATIENCE) {
		if (!net.count && packets->packet[next].born > now) {
			now = packets->packet[next].born;
			news = now;
		}
		for (; next < packets->count && packets->packet[next].born <= now; next++)
			born(&net, next);
		if (cycle(&net, now, scheme))
			news = now;
		now++;
	}
	free(net.link);
	free(net.source);
	free(net.target);
	free(net.flight);
	free(net.last);
	free(net.flying);
	return check(packets, scheme);
}

u64 care_schemes_idle(enum care_scheme scheme, u32 hops, u32 flits)
{
	if (scheme == CARE_STORE)
		return (u64)hops * flits;
	return hops + flits - 1 + (scheme == CARE_CIRCUIT ? 2 * hops : 0);
}
