// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim broadcast: k copies over k disjoint paths, for every set of crashed or Byzantine
 * sites (HARTS, section 2).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "broadcast.h"
#include "bcastnet.h"
#include "option.h"
#include "base/output.h"
#include "base/sweep.h"

/* Broadcasts under test in a network, not counting forged ones. */
#define BCASTS	3
#define BCASTS_MAX	64

enum fault {
	FAULT_NONE,
	FAULT_CRASH,
	FAULT_LIE,
};

static const struct option_choice faults[] = {
	[FAULT_NONE] = { "none", "there are none (the default)" },
	[FAULT_CRASH] = { "crash", "they end, before or amid the broadcasts" },
	[FAULT_LIE] = { "lie", "they alter, drop, forge and replay, and agree" },
};

/**
 * struct config - settings of a run
 * @spec: topology
 * @copies: k; 0: each k of the topology
 * @fault: kind of fault of the faulty sites
 * @faulty: number of faulty sites; FC_NEVER: as many as k copies tolerate
 * @need: equal copies that a site needs; 0: the number required by the faults
 * @sets: number of random sets of faulty sites; 0: every set
 * @source: site that broadcasts
 * @loss: frames lost, per cent
 * @delay: longest transit time of a frame
 * @seed: seed of the random numbers
 * @json: print results as JSON
 */
struct config {
	const char *spec;
	u64 copies;
	enum fault fault;
	u64 faulty;
	u64 need;
	u64 sets;
	u64 source;
	u64 loss;
	u64 delay;
	u64 seed;
	bool json;
};

/**
 * struct result - results of all sets, for one k
 * @sets: number of sets
 * @broadcasts: number of broadcasts
 * @copies: copies that correct sites received
 * @unreached: correct sites that did not accept a broadcast
 * @fooled: correct sites that accepted a value that its source did not send
 * @faulty: first set with such a site
 */
struct result {
	u64 sets;
	u64 broadcasts;
	u64 copies;
	u64 unreached;
	u64 fooled;
	u32 faulty[BCASTNET_SITES];
	u32 nfaulty;
	char wrong[160];
};

static const struct config defaults = { .faulty = FC_NEVER, .delay = 4, .seed = 1 };

#define AT(member)	offsetof(struct config, member)

static const struct option_entry entries[] = {
	OPTION("TOPOLOGY", NULL, "such as hexmesh:3, or graph:FILE", TEXT, AT(spec),
	       .how = OPTION_PLAIN | OPTION_NEED),
	OPTION("fault", "F", "what is wrong with faulty sites:", CHOICE, AT(fault),
	       OPTION_CHOICES(faults)),
	OPTION("faulty", "N",
	       "how many (what k copies are for: k - 1 that crash,\n"
	       "  (k - 1) / 2 that lie)", NUMBER, AT(faulty), OPTION_RANGE(0, BCASTNET_SITES)),
	OPTION("copies", "N", "copies; 0: each number that the topology has", NUMBER, AT(copies),
	       OPTION_RANGE(0, 16)),
	OPTION("need", "N", "equal copies to believe; 0: one, or with liars one more than they are",
	       NUMBER, AT(need), OPTION_RANGE(0, 16)),
	OPTION("sets", "N", "so many sets of faulty sites, at random; 0: every set", NUMBER,
	       AT(sets), OPTION_RANGE(0, 1000000000)),
	OPTION("source", "N", "site that broadcasts", NUMBER, AT(source),
	       OPTION_RANGE(0, BCASTNET_SITES - 1)),
	OPTION("loss", "N", "of 100 frames on a link, so many are lost", NUMBER, AT(loss),
	       OPTION_RANGE(0, 50)),
	OPTION("delay", "N", "time of a frame on a link, 1 to this", NUMBER, AT(delay),
	       OPTION_RANGE(1, 1000)),
	OPTION("seed", "N", "same seed, same output", NUMBER, AT(seed),
	       OPTION_RANGE(0, 0xffffffff)),
	OPTION("json", NULL, "results as JSON", FLAG, AT(json)),
	SWEEP_OPTIONS,
	SWEEP_SEEDS,
};

/* Crash the faulty sites of a set, or make them Byzantine. */
static void break_sites(struct bcastnet *net, const struct config *config, const u32 *faulty,
			u32 n)
{
	u8 how;
	u32 i;

	for (i = 0; i < n; i++) {
		if (config->fault == FAULT_CRASH) {
			bcastnet_die(net, faulty[i]);
			continue;
		}
		how = 1 + rng_below(&net->rng, BCASTNET_ALL_LIES);
		bcastnet_lie(net, faulty[i], how);
		/* Begin a forged broadcast before the genuine one. */
		if (how & BCASTNET_FORGE)
			bcastnet_forge(net, faulty[i], (u32)config->source,
				       rng_below(&net->rng, BCASTS), 1 + rng_below(&net->rng, 3));
	}
}

static bool is_faulty(const struct bcastnet *net, u32 at)
{
	return bcastnet_dead(net, at) || bcastnet_lies(net, at);
}

static void count(const struct bcastnet *net, const u32 *faulty, u32 nfaulty, struct result *r)
{
	u64 unreached = 0, fooled = 0;

	for (u32 c = 0; c < net->ncasts; c++) {
		const struct bcastnet_broadcast *bcast = &net->bcast[c];

		r->broadcasts += !!bcast->flits;
		for (u32 at = 0; at < net->topo.nsites; at++) {
			if (at == bcast->src || is_faulty(net, at))
				continue;
			r->copies += bcast->flits ? bcastnet_got(bcast, at) : 0;
			unreached += bcast->flits && !(bcast->believed[at] & 1 << BCASTNET_TRUE);
			fooled += !!(bcast->believed[at] & 1 << BCASTNET_LIE);
		}
	}
	if ((unreached || fooled) && !r->unreached && !r->fooled) {
		memcpy(r->faulty, faulty, nfaulty * sizeof(*faulty));
		r->nfaulty = nfaulty;
	}
	r->unreached += unreached;
	r->fooled += fooled;
	r->sets++;
}

/* Simulate one set of faulty sites. */
static void try_set(const struct config *config, const struct fc_bcast *table, const u32 *faulty,
		    u32 nfaulty, struct rng *rng, struct result *r)
{
	u32 source = (u32)config->source;
	struct bcastnet net;
	u32 when, steps;
	u64 next;

	bcastnet_init(&net, table, BCASTS_MAX);
	net.rng.state = rng_u64(rng);
	net.loss = (u32)config->loss;
	net.delay = (u32)config->delay;
	net.strict = true;
	net.need = config->need ? (u8)config->need :
		   config->fault == FAULT_LIE ? (u8)(nfaulty + 1) : 1;
	/*
	 * Half of the crashing sites are dead from the beginning; Byzantine sites misbehave all the
	 * time.
	 */
	when = config->fault == FAULT_CRASH ? rng_below(&net.rng, 2 * BCASTS) : 0;
	for (u32 i = 0; i < BCASTS; i++) {
		if (when <= i && !is_faulty(&net, nfaulty ? faulty[0] : source))
			break_sites(&net, config, faulty, nfaulty);
		for (next = net.now; !bcastnet_may_send(&net, source) && next != FC_NEVER;) {
			net.now = next > net.now ? next : net.now + 1;
			next = bcastnet_arrive(&net);
		}
		bcastnet_send(&net, source, bcastnet_next_number(&net, source),
			      1 + rng_below(&net.rng, BCASTNET_FLITS));
		for (steps = rng_below(&net.rng, 4 * net.delay); steps; steps--) {
			net.now++;
			bcastnet_arrive(&net);
		}
	}
	if (!is_faulty(&net, nfaulty ? faulty[0] : source))
		break_sites(&net, config, faulty, nfaulty);
	bcastnet_run(&net, 0);
	count(&net, faulty, nfaulty, r);
	bcastnet_free(&net);
	if (net.wrong[0] && !r->wrong[0])
		memcpy(r->wrong, net.wrong, sizeof(r->wrong));
}

/* Advance to the next set in order.  Return: false after the last one. */
static bool next_set(u32 *set, u32 n, u32 of)
{
	u32 i = n;

	while (i && set[i - 1] == of - n + i - 1)
		i--;
	if (!i)
		return false;
	for (set[i - 1]++; i < n; i++)
		set[i] = set[i - 1] + 1;
	return true;
}

static void random_set(u32 *set, u32 n, u32 of, struct rng *rng)
{
	for (u32 i = 0; i < n; i++) {
		u32 j;

		do {
			set[i] = rng_below(rng, of);
			for (j = 0; set[j] != set[i];)
				j++;
		} while (j < i);
	}
}

static void try_sets(const struct config *config, const struct fc_bcast *table, u32 nfaulty,
		     struct result *r)
{
	u32 set[BCASTNET_SITES], faulty[BCASTNET_SITES], others = table->topo->nsites - 1;
	struct rng rng = { config->seed };

	for (u32 i = 0; i < nfaulty; i++)
		set[i] = i;
	do {
		if (config->sets)
			random_set(set, nfaulty, others, &rng);
		/* All sites but the source. */
		for (u32 i = 0; i < nfaulty; i++)
			faulty[i] = set[i] + (set[i] >= config->source);
		try_set(config, table, faulty, nfaulty, &rng, r);
	} while (config->sets ? r->sets < config->sets : next_set(set, nfaulty, others));
}

static u32 faulty_of(const struct config *config, unsigned int copies)
{
	if (config->fault == FAULT_NONE)
		return 0;
	if (config->faulty != FC_NEVER)
		return (u32)config->faulty;
	return config->fault == FAULT_CRASH ? copies - 1 : (copies - 1) / 2;
}

static void print_set(const struct result *r)
{
	char text[BCASTNET_SITES * 5];
	size_t n = 0;

	text[0] = '\0';
	for (u32 i = 0; i < r->nfaulty; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u", i ? " " : "",
				      r->faulty[i]);
	output_text("first_set", text);
}

static void print(unsigned int copies, u32 nfaulty, const struct result *r)
{
	char name[32];

	snprintf(name, sizeof(name), "copies_%u", copies);
	output_group(name);
	output_number("faulty", nfaulty);
	output_number("sets", r->sets);
	output_number("broadcasts", r->broadcasts);
	output_number("copies_received", r->copies);
	output_number("unreached", r->unreached);
	output_number("fooled", r->fooled);
	if (r->unreached || r->fooled)
		print_set(r);
	output_group_end();
}

static int refuse(const char *what, const char *why)
{
	fprintf(stderr, "flitcast-sim: broadcast %s: %s\n", what, why);
	return 2;
}

static int refuse_sites(const char *option, u64 value, const struct fc_topo *topo)
{
	char why[64], text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	snprintf(why, sizeof(why), "must be below %u, the sites of the topology", topo->nsites);
	return option_refuse(option, text, why);
}

/* Try all sets for one k.  Return: exit status. */
static int try_copies(const struct config *config, unsigned int copies)
{
	struct result r = { .sets = 0 };
	struct fc_bcast table;
	struct fc_topo topo;
	u32 nfaulty = faulty_of(config, copies);
	const char *error = bcastnet_table(&table, &topo, config->spec, copies);

	if (error)
		return refuse(config->spec, error);
	try_sets(config, &table, nfaulty, &r);
	bcastnet_table_free(&table);
	print(copies, nfaulty, &r);
	if (r.wrong[0]) {
		fprintf(stderr, "flitcast-sim: %s\n", r.wrong);
		return 1;
	}
	return r.unreached || r.fooled;
}

static int broadcast_main(int argc, char **argv)
{
	struct config config = defaults;
	struct fc_bcast table;
	struct fc_topo topo;
	const char *error;
	int status = option_parse(&broadcast_command, &config, argc, argv);

	if (status >= 0)
		return status;
	error = bcastnet_table(&table, &topo, config.spec, config.copies ? config.copies : 1);
	bcastnet_table_free(&table);
	if (error)
		return refuse(config.spec, error);
	if (config.source >= topo.nsites)
		return refuse_sites("source", config.source, &topo);
	if (faulty_of(&config, 1) >= topo.nsites)
		return refuse_sites("faulty", faulty_of(&config, 1), &topo);
	output_begin(config.json);
	output_text("topology", config.spec);
	output_text("fault", faults[config.fault].name);
	if (config.copies) {
		status = try_copies(&config, (unsigned int)config.copies);
	} else {
		status = 0;
		for (unsigned int k = 1; k <= topo.ndirs && status < 2; k++)
			if (!fc_bcast_init(&table, &topo, k))
				status |= try_copies(&config, k);
	}
	output_end();
	return status;
}

const struct option_command broadcast_command = {
	.name = "broadcast",
	.help = "Simulate broadcasts in k copies while sites fail or lie",
	.main = broadcast_main,
	.tail =
		"\n"
		"Exit status 1: a site that is not faulty was not reached, or was fooled.\n",
	.entries = entries, .nentries = FC_ARRAY_SIZE(entries), .defaults = &defaults,
};
