// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "deflect.h"
#include "util.h"

/* All nodes; place i of a node is behind its link i. */
struct deflect {
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

/* Packets at their targets leave; free places are filled. */
static void exchange(struct deflect *net, u32 arrive)
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
			if (packet->links || !csr_chance(&net->rng, arrive))
				continue;
			/* One for its own node takes no place. */
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

/* Takes a random one of the links. */
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

/* The packets of a node in random order. */
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

static void step(struct deflect *net, deflect_order_fn order)
{
	struct deflect_packet *now = net->now;

	memset(net->next, 0, (size_t)net->nodes * net->dimension * sizeof(*now));
	for (u32 node = 0; node < net->nodes; node++) {
		struct deflect_packet packet[CSR_DIMENSION_MAX];
		u32 free_links = net->nodes - 1, ndeflected = 0;
		u32 n = shuffled(net, node, packet);

		order(packet, n, node);
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

void deflect_run(struct csr_result *result, const struct csr_run *run, deflect_order_fn order)
{
	struct csr_count warm = { 0 };
	struct deflect net = {
		.dimension = run->dimension, .nodes = 1u << run->dimension, .rng = { run->seed },
	};
	size_t places = (size_t)net.nodes * net.dimension;

	net.now = xcalloc(places, sizeof(*net.now));
	net.next = xcalloc(places, sizeof(*net.next));
	for (u64 slot = 0; slot < run->warm + run->slots; slot++) {
		if (slot == run->warm)
			warm = net.count;
		exchange(&net, run->arrive);
		step(&net, order);
	}
	*result = (struct csr_result){
		.run = *run, .count = csr_count_since(&net.count, &warm), .clashes = net.clashes,
		.lost = net.count.entered - net.count.delivered - inside(&net),
	};
	free(net.now);
	free(net.next);
}
