// SPDX-License-Identifier: GPL-2.0
/*
 * The bound computed before a run assumes optimal routing: each message uses at least the links of
 * a shortest tree, each message from one half of the sites to the other a link between the halves,
 * and each message for a site a link to it.
 */
#include <stdio.h>

#include "option.h"
#include "saturation.h"
#include "traffic.h"

/*
 * Messages sampled.  The rarest event whose share is estimated, with a quarter of the messages,
 * has a standard deviation of 2.7 %: a load MARGIN times the estimated bound exceeds the true one.
 */
#define SAMPLE		4096
#define SAMPLE_LEAST	(SAMPLE / 5)
#define MARGIN		1.1

/*
 * Minimum number of messages in the steady part of a run for a warning, and minimum share of them
 * that must be carried.
 */
#define BORN_LEAST	1000
#define CARRIED		0.75

/* Flits that a source injects per cycle, at most. */
#define SOURCE_MOST	1.0

/**
 * struct sample - demand of a sample of messages on a network, in flits
 * @flits: flits of the messages
 * @links: flits over links
 * @across: flits from the lower half of the sites to the upper one
 * @back: flits from the upper half to the lower one
 * @middle: flits for the site that PATTERN_HOT prefers
 * @nacross: messages counted in @across
 * @nback: messages counted in @back
 */
struct sample {
	double flits;
	double links;
	double across;
	double back;
	double middle;
	u32 nacross;
	u32 nback;
};

static u32 least(u32 a, u32 b)
{
	return a < b ? a : b;
}

/*
 * Lower bound of the links of the shortest tree from a source to its targets: the number of
 * targets, the distance of the farthest, or half the links of the tree that joins them pairwise.
 */
static u32 tree_least(const struct fc_topo *topo, const struct draw *m)
{
	u32 near[FC_TARGETS_MAX], most = m->ntargets, sum = 0;

	for (u32 i = 0; i < m->ntargets; i++) {
		near[i] = topo->ops->distance(topo, m->from, m->to[i]);
		most = near[i] > most ? near[i] : most;
	}
	for (u32 n = 0; n < m->ntargets; n++) {
		u32 next = 0;

		for (u32 i = 0; i < m->ntargets; i++)
			if (near[i] && (!near[next] || near[i] < near[next]))
				next = i;
		sum += near[next];
		near[next] = 0;
		for (u32 i = 0; i < m->ntargets; i++)
			near[i] = least(near[i],
					topo->ops->distance(topo, m->to[next], m->to[i]));
	}
	/* A tour around the shortest tree uses each link twice; it has ntargets + 1 sections. */
	sum = (sum * (m->ntargets + 1) + 2 * m->ntargets - 1) / (2 * m->ntargets);
	return sum > most ? sum : most;
}

static void route_at(struct sample *sample, const struct config *config, const struct draw *m)
{
	double flits = traffic_flits(config, m->bytes, m->ntargets);
	u32 half = config->topo.nsites / 2;
	bool crosses = false;

	sample->flits += flits;
	sample->links += flits * tree_least(&config->topo, m);
	for (u32 i = 0; i < m->ntargets; i++) {
		crosses = crosses || (m->from < half) != (m->to[i] < half);
		if (m->to[i] == half)
			sample->middle += flits;
	}
	if (crosses && m->from < half) {
		sample->across += flits;
		sample->nacross++;
	} else if (crosses) {
		sample->back += flits;
		sample->nback++;
	}
}

/* Load, in flits per cycle and site, at which @links links are always busy. */
static double bound(const struct config *config, const struct sample *sample, double flits,
		    u32 links)
{
	return links * sample->flits / (flits * config->topo.nsites);
}

static double lower(double a, double b)
{
	return a < b ? a : b;
}

/* Upper bound of the load that the links can carry. */
static double most(const struct config *config, const struct sample *sample)
{
	const struct fc_topo *topo = &config->topo;
	u32 all = 0, across = 0, back = 0, middle = 0, half = topo->nsites / 2;
	double load = SOURCE_MOST;

	for (u32 site = 0; site < topo->nsites; site++) {
		for (u8 d = 0; d < topo->ndirs; d++) {
			u32 peer = fc_topo_neighbour(topo, site, d);

			if (peer == FC_SITE_NONE)
				continue;
			all++;
			across += site < half && peer >= half;
			back += site >= half && peer < half;
			middle += peer == half;
		}
	}
	load = lower(load, bound(config, sample, sample->links, all));
	if (sample->nacross >= SAMPLE_LEAST)
		load = lower(load, bound(config, sample, sample->across, across));
	if (sample->nback >= SAMPLE_LEAST)
		load = lower(load, bound(config, sample, sample->back, back));
	if (config->pattern == PATTERN_HOT)
		load = lower(load, bound(config, sample, sample->middle, middle));
	return load;
}

/* Does only the run time limit the queues of the sources? */
static bool unlimited(const struct config *config)
{
	return !config->script && !config->messages && !config->backlog;
}

static const char *command_of(const struct config *config)
{
	return fc_mode_ops(config->mode)->classes ? "vnet" : "care";
}

bool saturation_expected(const struct config *config)
{
	struct rng rng = { .state = config->seed };
	struct sample sample = { 0 };
	double load, carried;
	struct draw m;

	if (!unlimited(config))
		return false;
	for (u32 i = 0; i < SAMPLE; i++) {
		traffic_draw(config, &rng, &m);
		traffic_draw_targets(config, &rng, &m);
		route_at(&sample, config, &m);
	}
	load = (double)config->load / OPTION_UNIT;
	if (config->every)
		load = sample.flits / SAMPLE / (double)config->every / config->topo.nsites;
	carried = most(config, &sample);
	if (load <= MARGIN * carried)
		return false;
	fprintf(stderr,
		"flitcast-sim: %s: the offered load %g is above saturation (at most %.2g flits a cycle and site for %s): queues grow without end; %s, or limit the queues with --backlog\n",
		command_of(config), load, carried, config->spec,
		config->every ? "raise --every" : "lower --load");
	return true;
}

void saturation_measured(const struct sim *sim)
{
	const struct config *config = &sim->config;
	double unit = (double)config->topo.nsites * (double)(config->cycles - config->steady);

	if (!unlimited(config) || traffic.late < BORN_LEAST ||
	    (double)traffic.carried_flits >= CARRIED * (double)traffic.late_flits)
		return;
	fprintf(stderr,
		"flitcast-sim: %s: %s carries %.2g of the %.2g flits a cycle and site that are offered: the load is above saturation, or --cycles %llu is too short; %u messages are not over\n",
		command_of(config), config->spec, (double)traffic.carried_flits / unit,
		(double)traffic.late_flits / unit, (unsigned long long)config->cycles,
		traffic.n - traffic.confirmed);
}
