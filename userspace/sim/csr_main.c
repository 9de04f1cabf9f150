// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim csr: conflict sense routing as its paper measures it.
 */
#include <stdio.h>

#include "csr_finding.h"
#include "csr_graph.h"
#include "csr_theory.h"
#include "finding.h"
#include "graph.h"
#include "output.h"
#include "reproduce.h"

/* Of the slots of a row of Table 1, for each run of Figures 4 and 5 and of topologies. */
#define STABLE_SHARE	100
#define FIGURE_SHARE	10
#define BUFFERS_SHARE	8

struct command {
	struct reproduce_settings common;
	struct csr_run run;
	enum csr_scheme_id scheme;
	u64 dimension;
	u64 buffers;
	u64 arrive;
	u64 retry;
	u64 loss;
	const char *spec;
};

static const struct command defaults = {
	.common = { .seed = 1 }, .run = { .slots = 10000, .warm = 100 }, .scheme = CSR_CSR,
	.dimension = CSR_TABLE_DIMENSION, .arrive = CSR_ONE,
};

/* Of --topology: the program has one. */
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
		return option_refuse(entry->name, value, "a network of 2 to 1024 sites");
	return 0;
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
	       AT(run.backlogged), .form = OPTION_RUN),
	OPTION("topology", "SPEC", "any network, such as torus:4x4 or graph:FILE, with crossbars",
	       OTHER, 0, .form = OPTION_RUN, .take = take_topology),
	OPTION("loss", "P", "with it: probability that a link loses a probe or an answer (0)",
	       FRACTION, AT(loss), OPTION_RANGE(0, CSR_ONE), .form = OPTION_RUN),
	REPRODUCE_JSON,
	{ .help = "" },
	REPRODUCE_SEED,
	OPTION("slots", "N", "slots of a run; of a row of Table 1, others in proportion", NUMBER,
	       AT(run.slots), OPTION_RANGE(STABLE_SHARE, 100000000)),
	OPTION("dimension", "N", "of the hypercube", NUMBER, AT(dimension),
	       OPTION_RANGE(CSR_DIMENSION_MIN, CSR_DIMENSION_MAX), .form = OPTION_RUN),
	OPTION("warm", "N", "slots before these, which are not counted", NUMBER, AT(run.warm),
	       OPTION_RANGE(0, 100000000), .form = OPTION_RUN),
	OPTION("buffers", "N", "with --topology: packets that may wait for a link", NUMBER,
	       AT(buffers), OPTION_RANGE(0, CSR_BUFFERS_MAX), .form = OPTION_RUN),
	OPTION("fault", "KIND", "break CSR, to see that it is noticed:", CHOICE, AT(run.fault),
	       OPTION_CHOICES(faults)),
};

static int check_fault(const struct command *command)
{
	bool of_topology = command->run.fault == CSR_OVERTAKE;

	if (!command->run.fault || of_topology == !!command->spec)
		return 0;
	return option_refuse("fault", faults[command->run.fault].name,
			     of_topology ? "only with --topology" : "not with --topology");
}

static int check(void *settings, const struct option_given *given)
{
	static const char *const csr_only[] = { "retry", "backlogged", "fault", NULL };
	static const char *const cube_only[] = { "scheme", "dimension", "backlogged", NULL };
	static const char *const topology_only[] = { "buffers", "loss", NULL };
	struct command *command = settings;
	int status = 0;

	if (command->scheme != CSR_CSR)
		status = option_meaningless(given, csr_only, "but for CSR");
	if (!status && command->spec)
		status = option_meaningless(given, cube_only, "with --topology");
	if (!status && !command->spec)
		status = option_meaningless(given, topology_only, "without --topology");
	if (!status && !command->common.reproduce)
		status = check_fault(command);
	if (!option_was_given(given, "retry"))
		command->retry = command->arrive;
	command->run.arrive = (u32)command->arrive;
	command->run.retry = (u32)command->retry;
	command->run.dimension = (u32)command->dimension;
	command->run.seed = command->common.seed;
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
	double analysis = csr_theory_throughput((u32)command->dimension,
						(double)command->run.arrive / CSR_ONE);
	bool analysed = command->scheme == CSR_CSR && command->run.arrive == command->run.retry;
	struct csr_result result;

	csr_schemes[command->scheme].run(&result, &command->run);
	output_begin(command->common.json);
	output_text("scheme", csr_schemes[command->scheme].choice.name);
	output_number("seed", command->common.seed);
	output_number("slots", command->run.slots);
	output_number("dimension", command->dimension);
	output_number("warm", command->run.warm);
	output_fixed("arrive", command->run.arrive, CSR_ONE);
	if (command->scheme == CSR_CSR)
		output_fixed("retry", command->run.retry, CSR_ONE);
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
		.loss = (u32)command->loss, .run = command->run,
	};
	struct csr_graph_result result;

	csr_graph_run(&result, &run);
	output_begin(command->common.json);
	output_text("topology", command->spec);
	output_number("buffers", command->buffers);
	output_number("seed", command->common.seed);
	output_number("slots", command->run.slots);
	output_number("warm", command->run.warm);
	output_fixed("arrive", command->run.arrive, CSR_ONE);
	output_fixed("retry", command->run.retry, CSR_ONE);
	output_fixed("loss", command->loss, CSR_ONE);
	output_graph(&result);
	output_end();
	return csr_graph_wrong(&result) != 0;
}

static int run(void *settings)
{
	const struct command *command = settings;

	return command->spec ? run_topology(command) : run_cube(command);
}

/*
 * The report.
 */

static void tell_settings(const struct command *command)
{
	printf("CSR on hypercubes, link buffers for the packet being transmitted only; uniform targets.\n"
	       "A slot is a transmission of a packet; beta = 0 but where it is told.  %llu slots a row,\n"
	       "seed %llu.\n"
	       "\n"
	       "The paper leaves open, here: an entry buffer for each of the 2d buffers of a node, which\n"
	       "                      attempts with probability p0 in each slot, each time for another\n"
	       "                      random target that wants this buffer\n"
	       "                      what a blocked flit reserved is taken until the control interval ends\n"
	       "Figures 4 and 5 are lost in the scan: there are no numbers of the paper for them.\n\n",
	       (unsigned long long)command->run.slots, (unsigned long long)command->common.seed);
}

static int report(const void *settings)
{
	const struct command *command = settings;
	static struct csr_table table;
	static struct csr_stable stable;
	static struct csr_saturations saturations;
	static struct csr_buffers buffers;
	u64 slots = command->run.slots, seed = command->common.seed;
	u8 fault = command->run.fault;
	bool drawn = true;
	u32 numbers_off;
	u64 wrong;

	tell_settings(command);
	csr_table_measure(&table, slots, seed, fault);
	numbers_off = csr_table_print(&table);
	csr_stable_measure(&stable, slots / STABLE_SHARE, seed, fault);
	csr_stable_print(&stable);
	csr_saturations_measure(&saturations, slots / FIGURE_SHARE, seed, fault);
	csr_saturations_print(&saturations);
	csr_buffers_measure(&buffers, slots / BUFFERS_SHARE, seed, fault);
	csr_buffers_print(&buffers);
	csr_findings(&table, &stable, &saturations, &buffers);
	if (command->common.svg)
		drawn = csr_stable_draw(&stable, command->common.svg) &&
			csr_saturations_draw(&saturations, command->common.svg) &&
			csr_buffers_draw(&buffers, &saturations, command->common.svg);
	wrong = table.wrong + stable.wrong + saturations.wrong + buffers.wrong;
	printf("\nnumbers of Table 1 not reproduced: %u; statements not reproduced: %u; statements that differ: %u; packets lost, late, astray, met or overtaken: %llu\n",
	       numbers_off, findings_failed(), findings_differing(), (unsigned long long)wrong);
	return numbers_off || findings_failed() || wrong || !drawn;
}

const struct reproduction csr_reproduction = {
	.options = {
		.head =
			"usage: flitcast-sim csr --reproduce [OPTION]...\n"
			"       flitcast-sim csr [OPTION]...\n"
			"       flitcast-sim csr --topology SPEC [OPTION]...\n"
			"Simulate conflict sense routing on a hypercube, slot by slot, as "
			"\"A Conflict Sense\n"
			"Routing Protocol and its Performance for Hypercubes\" does, and "
			"what it is compared\n"
			"with; or on any topology, with the kernel's reservations.\n"
			"\n",
		.tail =
			"\n"
			"Exit status: 0 if every packet that entered arrived and none met another, and, with\n"
			"--reproduce, the paper's numbers are what they are told to be in simulator.rst; 1 if\n"
			"not, or a file cannot be written; 2 if the arguments make no sense.\n",
		.entries = entries, .nentries = FC_ARRAY_SIZE(entries), .defaults = &defaults,
		.check = check,
	},
	.size = sizeof(struct command), .run = run, .report = report,
};
