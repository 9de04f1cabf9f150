// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim csr: conflict sense routing as its paper measures it.
 */
#include <stdio.h>
#include <string.h>

#include "csr_main.h"
#include "csr_finding.h"
#include "csr_graph.h"
#include "csr_theory.h"
#include "finding.h"
#include "graph.h"
#include "option.h"
#include "output.h"

/* Of the slots of a row of Table 1, for each run of Figures 4 and 5 and of topologies. */
#define STABLE_SHARE	100
#define FIGURE_SHARE	10
#define BUFFERS_SHARE	8

struct command {
	struct csr_run run;
	enum csr_scheme_id scheme;
	u64 dimension;
	u64 slots;
	u64 warm;
	u64 seed;
	u64 buffers;
	u32 loss;
	struct fc_topo topo;
	const char *spec;
	const char *svg;
	bool has_retry;
	bool reproduce;
	bool json;
};

static const struct command defaults = {
	.run = { .arrive = CSR_ONE }, .scheme = CSR_CSR, .dimension = CSR_TABLE_DIMENSION,
	.slots = 10000, .warm = 100, .seed = 1,
};

static const char *const faults[CSR_FAULTS] = {
	[CSR_GHOSTS] = "ghosts", [CSR_KEEP] = "keep", [CSR_FORGET] = "forget",
	[CSR_OVERTAKE] = "overtake",
};

/* Options that are one number. */
static const struct option_entry numbers[] = {
#define NUMBER(name, member, least, most, help) \
	{ name, help, least, most, offsetof(struct command, member) }
	NUMBER("seed", seed, 0, 0xffffffff, "same seed, same output"),
	NUMBER("slots", slots, STABLE_SHARE, 100000000,
	       "slots of a run; of a row of Table 1, others in proportion"),
	NUMBER("dimension", dimension, CSR_DIMENSION_MIN, CSR_DIMENSION_MAX, "of the hypercube"),
	NUMBER("warm", warm, 0, 100000000, "slots before these, which are not counted"),
	NUMBER("buffers", buffers, 0, CSR_BUFFERS_MAX,
	       "with --topology: packets that may wait for a link"),
#undef NUMBER
};

static void usage(FILE *file)
{
	struct command command = defaults;

	fprintf(file,
		"usage: flitcast-sim csr --reproduce [OPTION]...\n"
		"       flitcast-sim csr [OPTION]...\n"
		"       flitcast-sim csr --topology SPEC [OPTION]...\n"
		"Simulate conflict sense routing on a hypercube, slot by slot, as \"A Conflict Sense\n"
		"Routing Protocol and its Performance for Hypercubes\" does, and what it is compared\n"
		"with; or on any topology, with the kernel's reservations.\n"
		"\n"
		"  --reproduce       Table 1, Figures 4 and 5, the effect of beta and of link buffers,\n"
		"                    and the paper's findings, each with whether it is so here\n"
		"  --svg DIR         draw them into it, as csr-figure-4.svg, csr-figure-5.svg,\n"
		"                    csr-beta.svg, csr-buffers.svg and csr-crossbar.svg\n"
		"\n"
		"Without --reproduce, one run:\n"
		"  --scheme S        (%s)\n", csr_schemes[command.scheme].name);
	for (u32 i = 0; i < CSR_SCHEMES; i++)
		fprintf(file, "                      %s: %s\n", csr_schemes[i].name,
			csr_schemes[i].help);
	fprintf(file,
		"  --arrive P        probability that an entry buffer has a new packet in a slot (1)\n"
		"  --retry P         that a packet that was blocked tries again (that of --arrive)\n"
		"  --backlogged      all entry buffers have blocked packets when it begins\n"
		"  --topology SPEC   any network, such as torus:4x4 or graph:FILE, with crossbars\n"
		"  --loss P          with it: probability that a link loses a probe or an answer (0)\n"
		"  --json            output as JSON\n"
		"\n");
	for (u32 i = 0; i < FC_ARRAY_SIZE(numbers); i++)
		option_help(file, &numbers[i], &command);
	fprintf(file,
		"  --fault KIND      break CSR, to see that it is noticed:\n"
		"                      ghosts: what a blocked flit reserved is free at once\n"
		"                      keep: a blocked packet keeps its target\n"
		"                      forget: last links are not reserved\n"
		"                      overtake: with --topology, nothing keeps the order of packets\n"
		"\n"
		"Exit status: 0 if every packet that entered arrived and none met another, and, with\n"
		"--reproduce, the paper's numbers are what they are told to be in simulator.rst; 1 if\n"
		"not, or a file cannot be written; 2 if the arguments make no sense.\n");
}

enum {
	OPT_REPRODUCE = 1, OPT_SVG, OPT_SCHEME, OPT_ARRIVE, OPT_RETRY, OPT_BACKLOGGED,
	OPT_TOPOLOGY, OPT_LOSS, OPT_FAULT, OPT_JSON
};

static int parse_scheme(struct command *command, const char *value)
{
	for (u32 i = 0; i < CSR_SCHEMES; i++) {
		if (!strcmp(value, csr_schemes[i].name)) {
			command->scheme = (enum csr_scheme_id)i;
			return 0;
		}
	}
	return option_refuse("scheme", value, "no such scheme; --help lists them");
}

static int parse_fault(struct command *command, const char *value)
{
	for (u8 i = CSR_SOUND + 1; i < CSR_FAULTS; i++) {
		if (!strcmp(value, faults[i])) {
			command->run.fault = i;
			return 0;
		}
	}
	return option_refuse("fault", value, "ghosts, keep, forget or overtake");
}

static int parse_topology(struct command *command, const char *value)
{
	char error[GRAPH_ERROR_SIZE];
	struct fc_topo topo;

	if (!graph_topology(&topo, value, error))
		return option_refuse("topology", value, error);
	graph_free(&command->topo);
	command->topo = topo;
	command->spec = value;
	if (topo.nsites < 2 || topo.nsites > CSR_GRAPH_SITES_MAX)
		return option_refuse("topology", value, "a network of 2 to 1024 sites");
	return 0;
}

static int parse_probability(const char *option, const char *value, u32 *probability)
{
	u64 n;

	if (!option_fraction(value, CSR_ONE, &n))
		return option_refuse(option, value, "a number from 0 to 1");
	*probability = (u32)n;
	return 0;
}

static int parse_value(void *settings, int option, const char *value)
{
	struct command *command = settings;

	switch (option) {
	case OPT_REPRODUCE:
		command->reproduce = true;
		return 0;
	case OPT_SVG:
		return option_directory("svg", value, &command->svg);
	case OPT_SCHEME:
		return parse_scheme(command, value);
	case OPT_ARRIVE:
		return parse_probability("arrive", value, &command->run.arrive);
	case OPT_RETRY:
		command->has_retry = true;
		return parse_probability("retry", value, &command->run.retry);
	case OPT_BACKLOGGED:
		command->run.backlogged = true;
		return 0;
	case OPT_TOPOLOGY:
		return parse_topology(command, value);
	case OPT_LOSS:
		return parse_probability("loss", value, &command->loss);
	case OPT_FAULT:
		return parse_fault(command, value);
	case OPT_JSON:
		command->json = true;
		return 0;
	}
	return 0;
}

static int check_fault(const struct command *command)
{
	bool of_topology = command->run.fault == CSR_OVERTAKE;

	if (!command->run.fault || of_topology == !!command->spec)
		return 0;
	return option_refuse("fault", faults[command->run.fault],
			     of_topology ? "only with --topology" : "not with --topology");
}

static int check_given(void *settings, const struct option_given *given)
{
	static const char *const both[] = { "seed", "slots", "fault", NULL };
	static const char *const report[] = { "svg", NULL };
	static const char *const csr_only[] = { "retry", "backlogged", "fault", NULL };
	static const char *const cube_only[] = { "scheme", "dimension", "backlogged", NULL };
	static const char *const topology_only[] = { "buffers", "loss", NULL };
	struct command *command = settings;
	int status = option_forms(given, command->reproduce, both, report);

	if (!status && command->scheme != CSR_CSR)
		status = option_meaningless(given, csr_only, "but for CSR");
	if (!status && command->spec)
		status = option_meaningless(given, cube_only, "with --topology");
	if (!status && !command->spec)
		status = option_meaningless(given, topology_only, "without --topology");
	if (!status && !command->reproduce)
		status = check_fault(command);
	if (!command->has_retry)
		command->run.retry = command->run.arrive;
	command->run.dimension = (u32)command->dimension;
	command->run.slots = command->slots;
	command->run.warm = command->warm;
	command->run.seed = command->seed;
	return status;
}

static const struct option words[] = {
	{ "reproduce", no_argument, NULL, OPT_REPRODUCE },
	{ "svg", required_argument, NULL, OPT_SVG },
	{ "scheme", required_argument, NULL, OPT_SCHEME },
	{ "arrive", required_argument, NULL, OPT_ARRIVE },
	{ "retry", required_argument, NULL, OPT_RETRY },
	{ "backlogged", no_argument, NULL, OPT_BACKLOGGED },
	{ "topology", required_argument, NULL, OPT_TOPOLOGY },
	{ "loss", required_argument, NULL, OPT_LOSS },
	{ "fault", required_argument, NULL, OPT_FAULT },
	{ "json", no_argument, NULL, OPT_JSON },
};

static const struct option_command options = {
	.words = words, .nwords = FC_ARRAY_SIZE(words),
	.numbers = numbers, .nnumbers = FC_ARRAY_SIZE(numbers),
	.usage = usage, .set = parse_value, .check = check_given,
};

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

static int single(const struct command *command)
{
	double analysis = csr_theory_throughput((u32)command->dimension,
						(double)command->run.arrive / CSR_ONE);
	bool analysed = command->scheme == CSR_CSR && command->run.arrive == command->run.retry;
	struct csr_result result;

	csr_schemes[command->scheme].run(&result, &command->run);
	output_begin(command->json);
	output_text("scheme", csr_schemes[command->scheme].name);
	for (u32 i = 0; i < FC_ARRAY_SIZE(numbers); i++)
		if (numbers[i].at != offsetof(struct command, buffers))
			output_number(numbers[i].name,
				      *option_place(&numbers[i], (void *)command));
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
	output_fixed("to_enter", 1000 * result->admission / (entered ? entered : 1), 1000);
	output_fixed("to_arrive", 1000 * result->transit / (delivered ? delivered : 1), 1000);
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

static int topology(const struct command *command)
{
	const struct csr_graph_run run = {
		.topo = &command->topo, .buffers = (u32)command->buffers, .loss = command->loss,
		.run = command->run,
	};
	struct csr_graph_result result;

	csr_graph_run(&result, &run);
	output_begin(command->json);
	output_text("topology", command->spec);
	output_number("buffers", command->buffers);
	output_number("seed", command->seed);
	output_number("slots", command->slots);
	output_number("warm", command->warm);
	output_fixed("arrive", command->run.arrive, CSR_ONE);
	output_fixed("retry", command->run.retry, CSR_ONE);
	output_fixed("loss", command->loss, CSR_ONE);
	output_graph(&result);
	output_end();
	return csr_graph_wrong(&result) != 0;
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
	       (unsigned long long)command->slots, (unsigned long long)command->seed);
}

static int reproduce(const struct command *command)
{
	static struct csr_table table;
	static struct csr_stable stable;
	static struct csr_saturations saturations;
	static struct csr_buffers buffers;
	u8 fault = command->run.fault;
	bool drawn = true;
	u32 numbers_off, off;
	u64 wrong;

	tell_settings(command);
	csr_table_measure(&table, command->slots, command->seed, fault);
	numbers_off = csr_table_print(&table);
	csr_stable_measure(&stable, command->slots / STABLE_SHARE, command->seed, fault);
	csr_stable_print(&stable);
	csr_saturations_measure(&saturations, command->slots / FIGURE_SHARE, command->seed, fault);
	csr_saturations_print(&saturations);
	csr_buffers_measure(&buffers, command->slots / BUFFERS_SHARE, command->seed, fault);
	csr_buffers_print(&buffers);
	off = csr_findings(&table, &stable, &saturations, &buffers);
	if (command->svg)
		drawn = csr_stable_draw(&stable, command->svg) &&
			csr_saturations_draw(&saturations, command->svg) &&
			csr_buffers_draw(&buffers, &saturations, command->svg);
	wrong = table.wrong + stable.wrong + saturations.wrong + buffers.wrong;
	printf("\nnumbers of Table 1 not reproduced: %u; statements not reproduced: %u; statements that differ: %u; packets lost, late, astray, met or overtaken: %llu\n",
	       numbers_off, off, findings_differing(), (unsigned long long)wrong);
	return numbers_off || off || wrong || !drawn;
}

int csr_main(int argc, char **argv)
{
	struct command command = defaults;
	int status = option_parse(&options, &command, argc, argv);

	if (status < 0 && command.spec)
		status = topology(&command);
	else if (status < 0)
		status = command.reproduce ? reproduce(&command) : single(&command);
	graph_free(&command.topo);
	return status;
}
