// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim csr: conflict sense routing as its paper measures it.
 */
#include <stdio.h>

#include "csr_graph.h"
#include "csr_report.h"
#include "csr_theory.h"
#include "base/finding.h"
#include "graph.h"
#include "base/output.h"
#include "base/sweep.h"

struct command {
	struct csr_settings settings;
	enum csr_scheme_id scheme;
	u64 dimension;
	u64 buffers;
	u64 arrive;
	u64 retry;
	u64 loss;
	const char *spec;
};

static const struct command defaults = {
	.settings = { .common = { .seed = 1 }, .run = { .slots = 10000, .warm = 100 } },
	.scheme = CSR_CSR,
	.dimension = CSR_TABLE_DIMENSION, .arrive = CSR_ONE,
};

/* Topology of --topology, the only one of the program. */
static struct fc_topo topo;

static const struct option_choice faults[CSR_FAULTS] = {
	[CSR_GHOSTS] = { "ghosts", "what a blocked flit reserved is free at once" },
	[CSR_KEEP] = { "keep", "a blocked packet keeps its target" },
	[CSR_FORGET] = { "forget", "last links are not reserved" },
	[CSR_OVERTAKE] = { "overtake", "with --topology, nothing keeps the order of packets" },
};

static int take_topology(void *settings, const struct option_entry *entry, const char *value)
{
	struct command *command = settings;
	char error[GRAPH_ERROR_SIZE];

	graph_free(&topo);
	topo = (struct fc_topo){ 0 };
	command->spec = value;
	if (!graph_topology(&topo, value, error))
		return option_refuse(entry->name, value, error);
	if (topo.nsites < 2 || topo.nsites > CSR_GRAPH_SITES_MAX)
		return option_refuse(entry->name, value, "must be a network of 2 to 1024 sites");
	return 0;
}

/* Mode csr reserves slots for each packet, and its networks have no device that sends datagrams. */
static int take_datagrams(void *settings, const struct option_entry *entry, const char *value)
{
	return option_refuse(entry->name, value,
			     "mode csr has no datagrams here; give it to care or vnet");
}

#define AT(member)	offsetof(struct command, member)

static const struct option_entry entries[] = {
	REPRODUCE_OPTIONS("Table 1, Figures 4 and 5, the effect of beta and of link buffers,\n"
			  "and the paper's findings, each with whether it is so here",
			  "draw them into it, as csr-figure-4.svg, csr-figure-5.svg,\n"
			  "csr-beta.svg, csr-buffers.svg and csr-crossbar.svg"),
	{ .help = "\nWithout --reproduce, one run:" },
	OPTION("scheme", "S", NULL, CHOICE, AT(scheme), .form = OPTION_RUN,
	       OPTION_CHOICES(csr_schemes)),
	OPTION("arrive", "P", "probability that an entry buffer has a new packet in a slot (1)",
	       FRACTION, AT(arrive), OPTION_RANGE(0, CSR_ONE), .form = OPTION_RUN),
	OPTION("retry", "P", "that a packet that was blocked tries again (that of --arrive)",
	       FRACTION, AT(retry), OPTION_RANGE(0, CSR_ONE), .form = OPTION_RUN),
	OPTION("backlogged", NULL, "all entry buffers have blocked packets when it begins", FLAG,
	       AT(settings.run.backlogged), .form = OPTION_RUN),
	OPTION("topology", "SPEC", "any network, such as torus:4x4 or graph:FILE, with crossbars",
	       OTHER, 0, .form = OPTION_RUN, .take = take_topology),
	OPTION("loss", "P", "with it: probability that a link loses a probe or an answer (0)",
	       FRACTION, AT(loss), OPTION_RANGE(0, CSR_ONE), .form = OPTION_RUN),
	OPTION("datagrams", "P", NULL, OTHER, 0, .how = OPTION_HIDDEN, .take = take_datagrams),
	REPRODUCE_JSON,
	SWEEP_OPTIONS,
	SWEEP_SEEDS,
	{ .help = "" },
	REPRODUCE_SEED,
	OPTION("slots", "N", "slots of a run; of a row of Table 1, others in proportion", NUMBER,
	       AT(settings.run.slots), OPTION_RANGE(100, 100000000)),
	OPTION("dimension", "N", "of the hypercube", NUMBER, AT(dimension),
	       OPTION_RANGE(CSR_DIMENSION_MIN, CSR_DIMENSION_MAX), .form = OPTION_RUN),
	OPTION("warm", "N", "slots before these, which are not counted", NUMBER,
	       AT(settings.run.warm), OPTION_RANGE(0, 100000000), .form = OPTION_RUN),
	OPTION("buffers", "N", "with --topology: packets that may wait for a link", NUMBER,
	       AT(buffers), OPTION_RANGE(0, CSR_BUFFERS_MAX), .form = OPTION_RUN),
	OPTION("fault", "KIND", "break CSR, to see that it is noticed:", CHOICE,
	       AT(settings.run.fault), OPTION_CHOICES(faults)),
};

static int check_fault(const struct command *command)
{
	bool of_topology = command->settings.run.fault == CSR_OVERTAKE;

	if (!command->settings.run.fault || of_topology == !!command->spec)
		return 0;
	return option_refuse("fault", faults[command->settings.run.fault].name,
			     of_topology ? "works with --topology only" : "works without --topology only");
}

static int check(void *settings, const struct option_given *given)
{
	static const char *const csr_only[] = { "retry", "backlogged", "fault", NULL };
	static const char *const cube_only[] = { "scheme", "dimension", "backlogged", NULL };
	static const char *const topology_only[] = { "buffers", "loss", NULL };
	struct command *command = settings;
	struct csr_run *run = &command->settings.run;
	int status = 0;

	if (command->scheme != CSR_CSR)
		status = option_meaningless(given, csr_only, "but for CSR");
	if (!status && command->spec)
		status = option_meaningless(given, cube_only, "with --topology");
	if (!status && !command->spec)
		status = option_meaningless(given, topology_only, "without --topology");
	if (!status && !command->settings.common.reproduce)
		status = check_fault(command);
	if (!option_was_given(given, "retry"))
		command->retry = command->arrive;
	run->arrive = (u32)command->arrive;
	run->retry = (u32)command->retry;
	run->dimension = (u32)command->dimension;
	run->seed = command->settings.common.seed;
	return status;
}

/*
 * One run.
 */

static u64 millionths(double value)
{
	return (u64)(value * CSR_ONE + 0.5);
}

static void output_counts(const struct csr_result *result)
{
	output_group("packets");
	output_number("attempts", result->count.attempts);
	output_number("entered", result->count.entered);
	output_number("delivered", result->count.delivered);
	output_number("dropped", result->count.dropped);
	output_group_end();
	output_group("wrong");
	output_number("lost", result->lost);
	output_number("stray", result->stray);
	output_number("met", result->clashes);
	output_number("not_as_reserved", result->unreserved);
	output_group_end();
}

static int run_cube(const struct command *command)
{
	const struct csr_run *given = &command->settings.run;
	double analysis = csr_theory_throughput(given->dimension,
						(double)given->arrive / CSR_ONE);
	bool analysed = command->scheme == CSR_CSR && given->arrive == given->retry;
	struct csr_result result;

	csr_schemes[command->scheme].run(&result, given);
	output_begin(command->settings.common.json);
	output_text("scheme", csr_schemes[command->scheme].choice.name);
	output_number("seed", given->seed);
	output_number("slots", given->slots);
	output_number("dimension", command->dimension);
	output_number("warm", given->warm);
	output_fixed("arrive", given->arrive, CSR_ONE);
	if (command->scheme == CSR_CSR)
		output_fixed("retry", given->retry, CSR_ONE);
	output_fixed("throughput", millionths(csr_throughput(&result)), CSR_ONE);
	if (analysed)
		output_fixed("analysis", millionths(analysis), CSR_ONE);
	output_fixed("useful", millionths(csr_useful(&result)), CSR_ONE);
	if (command->scheme == CSR_CSR)
		output_fixed("backlogged", millionths(csr_backlogged(&result)), CSR_ONE);
	output_counts(&result);
	output_end();
	return csr_wrong(&result) != 0;
}

static void output_graph(const struct csr_graph_result *result)
{
	u64 entered = result->count.entered, delivered = result->count.delivered;

	output_fixed("throughput", millionths(csr_graph_throughput(result)), CSR_ONE);
	output_fixed("useful", millionths(csr_graph_useful(result)), CSR_ONE);
	output_group("slots_taken");
	output_fixed("to_enter", 1000 * result->count.admission / (entered ? entered : 1), 1000);
	output_fixed("to_arrive", 1000 * result->count.transit / (delivered ? delivered : 1), 1000);
	output_group_end();
	output_group("packets");
	output_number("attempts", result->count.attempts);
	output_number("entered", entered);
	output_number("delivered", delivered);
	output_group_end();
	output_number("reserved_and_unused", result->orphans);
	output_group("wrong");
	output_number("overtaken", result->overtaken);
	output_number("lost", result->lost);
	output_number("late", result->late);
	output_number("met", result->clashes);
	output_number("crowded", result->crowded);
	output_number("leaked", result->leaked);
	output_number("unbalanced", result->unbalanced);
	output_group_end();
}

static int run_topology(const struct command *command)
{
	const struct csr_graph_run run = {
		.topo = &topo, .buffers = (u32)command->buffers,
		.loss = (u32)command->loss, .run = command->settings.run,
	};
	struct csr_graph_result result;

	csr_graph_run(&result, &run);
	output_begin(command->settings.common.json);
	output_text("topology", command->spec);
	output_number("buffers", command->buffers);
	output_number("seed", command->settings.common.seed);
	output_number("slots", command->settings.run.slots);
	output_number("warm", command->settings.run.warm);
	output_fixed("arrive", command->settings.run.arrive, CSR_ONE);
	output_fixed("retry", command->settings.run.retry, CSR_ONE);
	output_fixed("loss", command->loss, CSR_ONE);
	output_graph(&result);
	output_end();
	return csr_graph_wrong(&result) != 0;
}

static int run(const void *settings)
{
	const struct command *command = settings;

	return command->spec ? run_topology(command) : run_cube(command);
}

/*
 * The report.
 */

static void begin(const void *settings)
{
	const struct csr_run *run = &((const struct csr_settings *)settings)->run;

	printf("CSR on hypercubes, link buffers for the packet being transmitted only; uniform targets.\n"
	       "A slot is a transmission of a packet; beta = 0 but where it is told.  %llu slots a row,\n"
	       "seed %llu.\n"
	       "\n"
	       "The paper leaves open, here: an entry buffer for each of the 2d buffers of a node, which\n"
	       "                      attempts with probability p0 in each slot, each time for another\n"
	       "                      random target that wants this buffer\n"
	       "                      what a blocked flit reserved is taken until the control interval ends\n"
	       "Figures 4 and 5 are lost in the scan: there are no numbers of the paper for them.\n\n",
	       (unsigned long long)run->slots, (unsigned long long)run->seed);
}

static const struct report_part *const parts[] = {
	&csr_table_part, &csr_stable_part, &csr_saturation_part, &csr_buffers_part, NULL
};

static const report_findings_fn findings[] = {
	csr_table_findings, csr_saturation_findings, csr_stable_findings, csr_saturation_compare,
	csr_buffers_findings, NULL
};

static bool end(void)
{
	u64 wrong = 0;

	for (u32 i = 0; parts[i]; i++)
		wrong += *parts[i]->wrong;
	printf("numbers of Table 1 not reproduced: %u; statements not reproduced: %u; statements that differ: %u; packets lost, late, astray, met or overtaken: %llu\n",
	       csr_table_off(), findings_failed(), findings_differing(),
	       (unsigned long long)wrong);
	return csr_table_off();
}

static int csr_main(int argc, char **argv)
{
	return reproduce_main(&csr_reproduction, argc, argv);
}

const struct reproduction csr_reproduction = {
	.options = {
		.name = "csr",
		.help = "Simulate conflict sense routing, and what it is compared with",
		.main = csr_main,
		.tail =
			"\n"
			"Exit status: 0 if every packet that entered arrived and none met another, and, with\n"
			"--reproduce, the paper's numbers are what they are told to be in simulator.rst; 1 if\n"
			"not, or a file cannot be written; 2 if the arguments make no sense.\n",
		.entries = entries, .nentries = FC_ARRAY_SIZE(entries), .defaults = &defaults,
		.check = check,
	},
	.size = sizeof(struct command), .run = run, .begin = begin, .parts = parts,
	.findings = findings, .title = "Findings of the paper", .end = end,
};
