// SPDX-License-Identifier: GPL-2.0
/*
 * Deflection on a hypercube: a node has as many places as links, and in each slot all its
 * packets leave, over links that lead nearer to their targets or over any others.
 */
#include <stdlib.h>
#include <string.h>

#include "csr_run.h"
#include "base/util.h"

/**
 * struct deflect_packet - a packet in a place of a node
 * @to: target
 * @links: total number of links that it needs; 0: there is no packet
 */
struct deflect_packet {
	u16 to;
	u8 links;
};

/* Sort a node's packets, which are in random order, into the order in which they choose links. */
typedef void (*deflect_order_fn)(struct deflect_packet *packet, u32 n, u32 node);

/* All nodes; link i of a node leads into its place i. */
struct deflect {
	u32 arrive;
	deflect_order_fn order;
	u32 dimension;
	u32 nodes;
	struct deflect_packet *now;
	struct deflect_packet *next;
	struct csr_count count;
	u64 clashes;
	struct rng rng;
};

static struct deflect_packet *place(const struct deflect *net, struct deflect_packet *all, u32 node,
				    u32 link)
{
	return &all[node * net->dimension + link];
}

/* Remove packets at their targets; fill free places. */
static void exchange(struct deflect *net)
{
	for (u32 node = 0; node < net->nodes; node++) {
		for (u32 i = 0; i < net->dimension; i++) {
			struct deflect_packet *packet = place(net, net->now, node, i);
			u32 to;

			if (packet->links && packet->to == node) {
				net->count.delivered++;
				net->count.useful += packet->links;
				*packet = (struct deflect_packet){ 0 };
			}
			if (packet->links || !csr_chance(&net->rng, net->arrive))
				continue;
			/* A packet for its own node takes no place. */
			while (true) {
				to = rng_below(&net->rng, net->nodes);
				net->count.attempts++;
				net->count.entered++;
				if (to != node)
					break;
				net->count.delivered++;
			}
			*packet = (struct deflect_packet){
				.to = (u16)to, .links = (u8)__builtin_popcount(to ^ node),
			};
		}
	}
}

/* Pick a random link of a mask, and remove it from the mask. */
static u32 take(struct deflect *net, u32 links, u32 *free_links)
{
	for (u32 n = rng_below(&net->rng, (u32)__builtin_popcount(links)); n; n--)
		links &= links - 1;
	*free_links &= ~(links & -links);
	return (u32)__builtin_ctz(links);
}

static void leave(struct deflect *net, u32 node, const struct deflect_packet *packet, u32 link)
{
	struct deflect_packet *at = place(net, net->next, node ^ 1u << link, link);

	net->clashes += at->links != 0;
	*at = *packet;
}

/* Copy the packets of a node in random order.  Return: their number. */
static u32 shuffled(struct deflect *net, u32 node, struct deflect_packet *packet)
{
	u32 n = 0;

	for (u32 i = 0; i < net->dimension; i++) {
		const struct deflect_packet *at = place(net, net->now, node, i);
		u32 other;

		if (!at->links)
			continue;
		other = rng_below(&net->rng, n + 1);
		packet[n++] = packet[other];
		packet[other] = *at;
	}
	return n;
}

static void step(struct deflect *net)
{
	struct deflect_packet *now = net->now;

	memset(net->next, 0, (size_t)net->nodes * net->dimension * sizeof(*now));
	for (u32 node = 0; node < net->nodes; node++) {
		struct deflect_packet packet[CSR_DIMENSION_MAX];
		u32 free_links = net->nodes - 1, ndeflected = 0;
		u32 n = shuffled(net, node, packet);

		net->order(packet, n, node);
		for (u32 i = 0; i < n; i++) {
			u32 nearer = (packet[i].to ^ node) & free_links;

			if (nearer)
				leave(net, node, &packet[i], take(net, nearer, &free_links));
			else
				packet[ndeflected++] = packet[i];
		}
		for (u32 i = 0; i < ndeflected; i++)
			leave(net, node, &packet[i], take(net, free_links, &free_links));
	}
	net->now = net->next;
	net->next = now;
}

static u64 inside(const struct deflect *net)
{
	u64 n = 0;

	for (u32 i = 0; i < net->nodes * net->dimension; i++)
		n += net->now[i].links != 0;
	return n;
}

static void slot(void *net)
{
	exchange(net);
	step(net);
}

static void run_ordered(struct csr_result *result, const struct csr_run *run,
			deflect_order_fn order)
{
	struct deflect net = {
		.arrive = run->arrive, .order = order, .dimension = run->dimension,
		.nodes = 1u << run->dimension, .rng = { run->seed },
	};
	size_t places = (size_t)net.nodes * net.dimension;

	net.now = xcalloc(places, sizeof(*net.now));
	net.next = xcalloc(places, sizeof(*net.next));
	*result = (struct csr_result){ .run = *run };
	result->count = csr_slots(run, slot, &net, &net.count);
	result->clashes = net.clashes;
	result->lost = net.count.entered - net.count.delivered - inside(&net);
	free(net.now);
	free(net.next);
}

/* Sort packets by distance to their targets; equal ones stay in random order. */
static void nearest_first(struct deflect_packet *packet, u32 n, u32 node)
{
	for (u32 i = 1; i < n; i++) {
		struct deflect_packet one = packet[i];
		int distance = __builtin_popcount(one.to ^ node);
		u32 at = i;

		for (; at && __builtin_popcount(packet[at - 1].to ^ node) > distance; at--)
			packet[at] = packet[at - 1];
		packet[at] = one;
	}
}

static void random_order(struct deflect_packet *packet, u32 n, u32 node)
{
}

void csr_deflect_priority_run(struct csr_result *result, const struct csr_run *run)
{
	run_ordered(result, run, nearest_first);
}

void csr_deflect_simple_run(struct csr_result *result, const struct csr_run *run)
{
	run_ordered(result, run, random_order);
}
