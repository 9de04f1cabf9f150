// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "traffic.h"
#include "util.h"

/* Load is in flits per site and so many cycles. */
#define LOAD_UNIT	1000000

typedef unsigned __int128 u128;

struct traffic traffic;

static struct flow **flows;
static size_t nchains;
static size_t nflows;
/* When the next message is born, in units of 2^-32 cycles. */
static u64 born_fraction;
static u64 born_cycle;
/* Mean time between messages of the whole network, in units of 2^-32 cycles. */
static u64 mean_whole;
static u64 mean_fraction;

static u64 hash(u32 from, u32 to)
{
	u64 z = ((u64)from << 32 | to) * 0x9e3779b97f4a7c15ULL;

	return z ^ z >> 29;
}

static void flows_grow(void)
{
	size_t n = nchains ? 2 * nchains : 1024;
	struct flow **chains = xcalloc(n, sizeof(*chains));

	for (size_t i = 0; i < nchains; i++) {
		while (flows[i]) {
			struct flow *flow = flows[i];
			struct flow **chain = &chains[hash(flow->from, flow->to) & (n - 1)];

			flows[i] = flow->next;
			flow->next = *chain;
			*chain = flow;
		}
	}
	free(flows);
	flows = chains;
	nchains = n;
}

struct flow *traffic_flow(u32 from, u32 to)
{
	struct flow **chain = nchains ? &flows[hash(from, to) & (nchains - 1)] : NULL;
	struct flow *flow;

	for (flow = chain ? *chain : NULL; flow; flow = flow->next)
		if (flow->from == from && flow->to == to)
			return flow;
	if (nflows >= nchains)
		flows_grow();
	chain = &flows[hash(from, to) & (nchains - 1)];
	flow = xcalloc(1, sizeof(*flow));
	flow->from = from;
	flow->to = to;
	/* Near the end of the numbers, so that they wrap in every run. */
	flow->tx.next = 0xfffffffe;
	flow->tx.oldest = flow->tx.next;
	flow->deliver = flow->tx.next;
	flow->next = *chain;
	*chain = flow;
	nflows++;
	return flow;
}

struct message *traffic_message(u32 id)
{
	return id < traffic.n ? traffic.message[id] : NULL;
}

u32 traffic_flits(const struct config *config, u32 bytes, u32 ntargets)
{
	u32 room = config->flit - FC_LINK_SIZE;
	u32 flits = 0;

	do {
		u32 data = bytes < FC_PACKET_MAX ? bytes : FC_PACKET_MAX;
		u32 with_head = data + fc_head_size(ntargets);

		flits += (with_head + room - 1) / room;
		bytes -= data;
	} while (bytes);
	return flits;
}

/* Flits of a message on the average, in thousandths, by asking the traffic itself. */
static u64 mean_flits(const struct config *config)
{
	struct rng rng = { .state = 1 };
	u64 sum = 0;

	for (unsigned int i = 0; i < 10000; i++) {
		u32 bytes = rng_between(&rng, config->bytes[0], config->bytes[1]);
		u32 ntargets = rng_between(&rng, config->targets[0], config->targets[1]);

		sum += traffic_flits(config, bytes, ntargets);
	}
	return sum / 10;
}

/* The time to the next message: exponential, so that arrivals are a Poisson process. */
static void next_born(struct sim *sim)
{
	struct event event = { .kind = EVENT_BORN };
	u64 e = rng_exponential(&sim->traffic_rng);
	u128 wait;

	wait = (u128)mean_whole * e + ((u128)mean_fraction * e >> 32) + born_fraction;
	born_cycle += (u64)(wait >> 32);
	born_fraction = (u64)wait & 0xffffffff;
	event.time = born_cycle;
	if (born_cycle >= sim->config.cycles ||
	    (sim->config.messages && traffic.n == sim->config.messages)) {
		traffic.all_born = true;
		return;
	}
	queue_add(&sim->queue, &event);
}

void traffic_init(struct sim *sim)
{
	const struct config *config = &sim->config;
	u128 mean = (u128)mean_flits(config) * LOAD_UNIT << 32;

	mean /= (u128)1000 * config->load * config->topo.nsites;
	mean_whole = (u64)(mean >> 32);
	mean_fraction = (u64)mean & 0xffffffff;
	next_born(sim);
}

void traffic_free(void)
{
	for (u32 i = 0; i < traffic.n; i++)
		free(traffic.message[i]);
	free(traffic.message);
	for (size_t i = 0; i < nchains; i++) {
		while (flows[i]) {
			struct flow *flow = flows[i];

			flows[i] = flow->next;
			free(flow);
		}
	}
	free(flows);
}

/* A site that is neither the source nor a target yet. */
static u32 another_site(struct sim *sim, const struct message *m, u32 ntargets)
{
	for (;;) {
		u32 site = rng_below(&sim->traffic_rng, sim->config.topo.nsites);
		u32 i = 0;

		while (i < ntargets && m->target[i].flow->to != site)
			i++;
		if (i == ntargets && site != m->from)
			return site;
	}
}

void traffic_born(struct sim *sim)
{
	const struct config *config = &sim->config;
	u32 from = rng_below(&sim->traffic_rng, config->topo.nsites);
	u32 n = rng_between(&sim->traffic_rng, config->targets[0], config->targets[1]);
	struct message *m = xcalloc(1, sizeof(*m) + n * sizeof(m->target[0]));

	if (traffic.n == traffic.room) {
		traffic.room = traffic.room ? 2 * traffic.room : 1024;
		traffic.message = xrealloc(traffic.message,
					   traffic.room * sizeof(struct message *));
	}
	m->born = sim->now;
	m->id = traffic.n;
	m->from = from;
	m->bytes = rng_between(&sim->traffic_rng, config->bytes[0], config->bytes[1]);
	while (m->ntargets < n) {
		u32 to = another_site(sim, m, m->ntargets);

		m->target[m->ntargets++].flow = traffic_flow(from, to);
	}
	traffic.message[traffic.n++] = m;
	traffic.deliveries += n;
	sim->news_at = sim->now;
	operator_send(sim, m);
	next_born(sim);
}

void traffic_delivered(struct sim *sim, struct flow *flow, struct message *m)
{
	u32 i = 0;

	while (i < m->ntargets && m->target[i].flow != flow)
		i++;
	if (i == m->ntargets) {
		sim_wrong(sim, "site %u got message %u, which is not for it", flow->to, m->id);
		return;
	}
	if (m->target[i].tx.seq != flow->deliver)
		sim_wrong(sim, "site %u got message %u from %u out of order", flow->to, m->id,
			  flow->from);
	flow->deliver++;
	if (m->target[i].times++)
		sim_wrong(sim, "site %u got message %u again", flow->to, m->id);
	if (m->target[i].got != m->bytes)
		sim_wrong(sim, "site %u got %llu of %u bytes of message %u", flow->to,
			  (unsigned long long)m->target[i].got, m->bytes, m->id);
	m->target[i].delivered_at = sim->now;
	traffic.delivered++;
	traffic.delivered_bytes += m->bytes;
	sim->news_at = sim->now;
}

void traffic_over(struct sim *sim, struct message *m)
{
	traffic.confirmed++;
	for (u32 i = 0; i < m->ntargets; i++)
		if (!m->target[i].times)
			sim_wrong(sim, "message %u is confirmed, but site %u never got it", m->id,
				  m->target[i].flow->to);
}

void traffic_check(struct sim *sim)
{
	for (u32 i = 0; i < traffic.n; i++) {
		const struct message *m = traffic.message[i];

		for (u32 j = 0; j < m->ntargets; j++) {
			const struct target *t = &m->target[j];

			if (t->times != 1)
				sim_wrong(sim, "message %u from site %u came to site %u %u times",
					  m->id, m->from, t->flow->to, t->times);
			else if (!fc_txtarget_over(&t->tx))
				sim_wrong(sim, "message %u from site %u: site %u never confirmed",
					  m->id, m->from, t->flow->to);
		}
	}
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

u64 *traffic_latencies(u64 *n)
{
	u64 *latency = xcalloc(traffic.delivered, sizeof(*latency));

	*n = 0;
	for (u32 i = 0; i < traffic.n; i++) {
		const struct message *m = traffic.message[i];

		for (u32 j = 0; j < m->ntargets; j++)
			if (m->target[j].times && *n < traffic.delivered)
				latency[(*n)++] = m->target[j].delivered_at - m->born;
	}
	qsort(latency, *n, sizeof(*latency), compare);
	return latency;
}
