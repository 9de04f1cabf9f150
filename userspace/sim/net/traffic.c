// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "script.h"
#include "traffic.h"
#include "base/util.h"

/* Load is in flits per site and LOAD_UNIT cycles. */
#define LOAD_UNIT	1000000

typedef unsigned __int128 u128;

struct traffic traffic;

static struct flow **flows;
static size_t nchains;
static size_t nflows;
/* Time of the next message: cycle, and fraction in units of 2^-32 cycles. */
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
	/* Start near the maximum, so that the numbers wrap in every run. */
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

static u32 random_ntargets(const struct config *config, struct rng *rng)
{
	if (config->unicast && rng_below(rng, LOAD_UNIT) < config->unicast)
		return 1;
	return rng_between(rng, config->targets[0], config->targets[1]);
}

/* Mean number of flits of a message, in thousandths, from a sample of the traffic. */
static u64 mean_flits(const struct config *config)
{
	struct rng rng = { .state = 1 };
	u64 sum = 0;

	for (unsigned int i = 0; i < 10000; i++) {
		u32 bytes = rng_between(&rng, config->bytes[0], config->bytes[1]);
		u32 ntargets = random_ntargets(config, &rng);

		sum += traffic_flits(config, bytes, ntargets);
	}
	return sum / 10;
}

/* Draw the time to the next message: exponential, so that arrivals are a Poisson process. */
static void wait_at_random(struct sim *sim)
{
	u64 e = rng_exponential(&sim->traffic_rng);
	u128 wait;

	wait = (u128)mean_whole * e + ((u128)mean_fraction * e >> 32) + born_fraction;
	born_cycle += (u64)(wait >> 32);
	born_fraction = (u64)wait & 0xffffffff;
}

static void next_born(struct sim *sim)
{
	const struct config *config = &sim->config;
	const struct script *script = config->script;
	struct event event = { .kind = EVENT_BORN };

	if (script) {
		traffic.all_born = script->next == script->nlines;
		if (!traffic.all_born)
			born_cycle = script->line[script->next].at;
	} else {
		if (config->every)
			born_cycle += config->every;
		else
			wait_at_random(sim);
		traffic.all_born = born_cycle >= config->cycles ||
				   (config->messages && traffic.n == config->messages);
	}
	event.time = born_cycle;
	if (!traffic.all_born)
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
	/* A report has many runs. */
	traffic = (struct traffic){ 0 };
	flows = NULL;
	nchains = 0;
	nflows = 0;
	born_cycle = 0;
	born_fraction = 0;
}

/*
 * The site with the coordinates in reverse order: in a square mesh the transposed
 * site, in a hypercube the one with reversed bits.  Without coordinates, or if they do not
 * fit, the site with the number nsites - 1 - @site.
 */
static u32 transposed(const struct fc_topo *topo, u32 site)
{
	u32 left = site, to = 0;

	for (u8 i = 0; i < topo->ndims; i++)
		if (topo->ndims < 2 || topo->size[i] != topo->size[topo->ndims - 1 - i])
			return topo->nsites - 1 - site;
	for (u8 i = 0; i < topo->ndims; i++) {
		to = to * topo->size[i] + left % topo->size[i];
		left /= topo->size[i];
	}
	return to;
}

/* First target by the pattern. */
static u32 first_site(const struct config *config, struct rng *rng, u32 from)
{
	switch ((enum pattern)config->pattern) {
	case PATTERN_TRANSPOSE:
		return transposed(&config->topo, from);
	case PATTERN_HOT:
		/* One in four messages goes to the site in the middle. */
		if (!rng_below(rng, 4))
			return config->topo.nsites / 2;
		break;
	case PATTERN_UNIFORM:
		break;
	}
	return from;
}

/* A site that is neither the source nor a target yet. */
static u32 another_site(const struct config *config, struct rng *rng, const struct draw *draw,
			u32 ntargets)
{
	if (!ntargets) {
		u32 site = first_site(config, rng, draw->from);

		if (site != draw->from)
			return site;
	}
	for (;;) {
		u32 site = rng_below(rng, config->topo.nsites);
		u32 i = 0;

		while (i < ntargets && draw->to[i] != site)
			i++;
		if (i == ntargets && site != draw->from)
			return site;
	}
}

void traffic_draw(const struct config *config, struct rng *rng, struct draw *draw)
{
	draw->from = rng_below(rng, config->topo.nsites);
	draw->ntargets = random_ntargets(config, rng);
	draw->bytes = rng_between(rng, config->bytes[0], config->bytes[1]);
}

void traffic_draw_targets(const struct config *config, struct rng *rng, struct draw *draw)
{
	for (u32 i = 0; i < draw->ntargets; i++)
		draw->to[i] = another_site(config, rng, draw, i);
}

static struct message *message_new(struct sim *sim, u32 from, u32 bytes, u32 ntargets)
{
	struct message *m = xcalloc(1, sizeof(*m) + ntargets * sizeof(m->target[0]));

	if (traffic.n == traffic.room) {
		traffic.room = traffic.room ? 2 * traffic.room : 1024;
		traffic.message = xrealloc(traffic.message,
					   traffic.room * sizeof(struct message *));
	}
	m->born = sim->now;
	m->id = traffic.n;
	m->from = from;
	m->bytes = bytes;
	traffic.message[traffic.n++] = m;
	traffic.deliveries += ntargets;
	return m;
}

/* Read the next line of a script, except its targets. */
static const u32 *read_line(struct script *script, struct draw *draw)
{
	const struct script_line *line = &script->line[script->next++];

	draw->from = line->from;
	draw->ntargets = line->ntargets;
	draw->bytes = line->bytes;
	return &script->target[line->first];
}

void traffic_born(struct sim *sim)
{
	const struct config *config = &sim->config;
	const u32 *to = NULL;
	struct message *m;
	struct draw draw;
	u32 flits;

	if (config->script)
		to = read_line(config->script, &draw);
	else
		traffic_draw(config, &sim->traffic_rng, &draw);
	flits = traffic_flits(config, draw.bytes, draw.ntargets);
	traffic.offered_flits += flits;
	traffic.until = sim->now + 1;
	if (config->backlog && config->fidelity->backlog(sim, draw.from) >= config->backlog) {
		traffic.refused++;
		next_born(sim);
		return;
	}
	if (sim->now >= config->steady) {
		traffic.late++;
		traffic.late_flits += flits;
	}
	if (!to) {
		traffic_draw_targets(config, &sim->traffic_rng, &draw);
		to = draw.to;
	}
	m = message_new(sim, draw.from, draw.bytes, draw.ntargets);
	for (; m->ntargets < draw.ntargets; m->ntargets++)
		m->target[m->ntargets].flow = traffic_flow(draw.from, to[m->ntargets]);
	if (config->datagrams && m->bytes <= FC_PACKET_MAX &&
	    rng_below(&sim->traffic_rng, LOAD_UNIT) < config->datagrams)
		dgram_begin(m);
	sim->news_at = sim->now;
	config->fidelity->send(sim, m);
	next_born(sim);
}

/* The oracle: check that a target's socket received the message sent to it, in order. */
static void delivered(struct sim *sim, struct flow *flow, struct message *m)
{
	u32 i = 0;

	while (i < m->ntargets && m->target[i].flow != flow)
		i++;
	if (i == m->ntargets) {
		traffic.stray++;
		sim_wrong(sim, "site %u got message %u, which is not for it", flow->to, m->id);
		return;
	}
	if (m->target[i].times++) {
		traffic.duplicated++;
		sim_wrong(sim, "site %u got message %u again", flow->to, m->id);
		return;
	}
	if (m->flow) {
		dgram_order(m, i);
	} else if (m->target[i].tx.seq != flow->deliver++) {
		traffic.disordered++;
		sim_wrong(sim, "site %u got message %u from %u out of order", flow->to, m->id,
			  flow->from);
	}
	if (m->target[i].got != m->bytes) {
		traffic.incomplete++;
		sim_wrong(sim, "site %u got %llu of %u bytes of message %u", flow->to,
			  (unsigned long long)m->target[i].got, m->bytes, m->id);
	}
	m->target[i].delivered_at = sim->now;
	traffic.delivered++;
	traffic.delivered_bytes += m->bytes;
	sim->news_at = sim->now;
	if (m->flow && ++m->completed == m->ntargets)
		traffic_over(sim, m);
}

/* Deliver with an injected fault, to test that the oracle finds it. */
static void delivered_wrong(struct sim *sim, struct flow *flow, struct message *m)
{
	u32 i = 0;

	switch ((enum fault)sim->config.fault) {
	case FAULT_TWICE:
		delivered(sim, flow, m);
		delivered(sim, flow, m);
		return;
	case FAULT_STRAY:
		delivered(sim, traffic_flow(m->from, m->from), m);
		return;
	case FAULT_SHORT:
		while (i < m->ntargets && m->target[i].flow != flow)
			i++;
		if (i < m->ntargets)
			m->target[i].got--;
		delivered(sim, flow, m);
		return;
	case FAULT_LOSE:
	case FAULT_NONE:
	case FAULT_COUNT:
		return;
	}
}

void traffic_arrived(struct sim *sim, struct flow *flow, struct message *m)
{
	if (++traffic.arrived == sim->config.fault_at && sim->config.fault != FAULT_NONE)
		delivered_wrong(sim, flow, m);
	else
		delivered(sim, flow, m);
}

void traffic_over(struct sim *sim, struct message *m)
{
	traffic.confirmed++;
	traffic.dgram.over += !!m->flow;
	if (!traffic.all_born && sim->now >= sim->config.steady) {
		u32 flits = traffic_flits(&sim->config, m->bytes, m->ntargets);

		traffic.carried_flits += flits;
		traffic.dgram.carried_flits += m->flow ? flits : 0;
	}
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

			if (m->flow && !t->times && dgram_lost(sim))
				continue;
			if (!t->times)
				traffic.missing++;
			if (t->times != 1)
				sim_wrong(sim, "message %u from site %u came to site %u %u times",
					  m->id, m->from, t->flow->to, t->times);
			else if (!m->flow && !fc_txtarget_completed(&t->tx))
				sim_wrong(sim, "message %u from site %u: site %u never confirmed",
					  m->id, m->from, t->flow->to);
		}
	}
	if (sim->frames)
		sim_wrong(sim, "%llu %s are left over", (unsigned long long)sim->frames,
			  sim->config.fidelity == &fidelity_word ? "frames" : "packets");
}

void traffic_list(const struct sim *sim, FILE *file)
{
	const struct fc_topo *topo = &sim->config.topo;
	u32 flits, hops;

	fprintf(file, "# message source target hops flits born delivered latency\n");
	for (u32 i = 0; i < traffic.n; i++) {
		const struct message *m = traffic.message[i];

		flits = traffic_flits(&sim->config, m->bytes, m->ntargets);
		for (u32 j = 0; j < m->ntargets; j++) {
			const struct target *t = &m->target[j];

			hops = topo->ops->distance(topo, m->from, t->flow->to);
			if (t->times)
				fprintf(file, "%u %u %u %u %u %llu %llu %llu\n", m->id, m->from,
					t->flow->to, hops, flits, (unsigned long long)m->born,
					(unsigned long long)t->delivered_at,
					(unsigned long long)(t->delivered_at - m->born));
		}
	}
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

u64 *traffic_latencies(const struct config *config, bool datagrams, u64 *n)
{
	u64 *latency = xcalloc(traffic.delivered, sizeof(*latency));

	*n = 0;
	for (u32 i = 0; i < traffic.n; i++) {
		const struct message *m = traffic.message[i];

		for (u32 j = 0; j < m->ntargets; j++)
			if (m->target[j].times && m->born >= config->counted &&
			    !!m->flow == datagrams && *n < traffic.delivered)
				latency[(*n)++] = m->target[j].delivered_at - m->born;
	}
	qsort(latency, *n, sizeof(*latency), compare);
	return latency;
}
