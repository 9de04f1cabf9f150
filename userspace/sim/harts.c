// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim harts: the paper's simulation of its broadcasts, with the kernel's rules.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "harts.h"
#include "harts_figure.h"
#include "harts_finding.h"
#include "harts_sweep.h"
#include "harts_table.h"
#include "option.h"
#include "output.h"

/* How much more than the links can carry may be offered: what waits then grows for ever. */
#define OVERLOAD	(HARTS_LOAD_UNIT + HARTS_LOAD_UNIT / 2)

struct command {
	struct harts_settings settings;
	struct harts_run run;
	u64 size;
	const char *svg;
	bool reproduce;
	bool json;
};

/*
 * The paper names neither S nor d; "the routing hardware imposes a forced idle time
 * corresponding to 8 bytes", and a header is about as long.
 */
static const struct command defaults = {
	.settings = {
		.times = { .setup = 8, .delta = 8, .gap = 8 },
		.seed = 1, .seeds = 5, .broadcasts = 200,
	},
	.run = { .algorithm = HARTS_SBCAST, .load = 300000 },
	.size = 7,
};

static const char *const faults[HARTS_FAULTS] = {
	[HARTS_MIRROR] = "mirror", [HARTS_STORE] = "store",
};

/* Options that are one number. */
static const struct option_entry numbers[] = {
#define NUMBER(name, member, least, most, help) \
	{ name, help, least, most, offsetof(struct command, member) }
	NUMBER("size", size, 2, HARTS_SIZE_MAX, "n: sites on an edge of the mesh"),
	NUMBER("seed", settings.seed, 0, 0xffffffff, "same seed, same output"),
	NUMBER("seeds", settings.seeds, 2, HARTS_SEEDS_MAX,
	       "runs of each measurement, each with its own traffic"),
	NUMBER("broadcasts", settings.broadcasts, 1, 100000, "measured in each run"),
	NUMBER("setup", settings.times.setup, 0, 10000, "S: cycles before a packet is sent"),
	NUMBER("delta", settings.times.delta, 0, 64, "d: cycles until a header is known"),
	NUMBER("gap", settings.times.gap, 0, 512, "cycles a link is idle after a packet"),
#undef NUMBER
};

static void usage(FILE *file)
{
	struct command command = defaults;

	fprintf(file,
		"usage: flitcast-sim harts --reproduce [OPTION]...\n"
		"       flitcast-sim harts [OPTION]...\n"
		"Simulate broadcasts on a hexagonal mesh with virtual cut-through, as HARTS,\n"
		"section 5, does, with the rules and tables of the kernel.\n"
		"\n"
		"  --reproduce       Tables I and II, Figures 10 to 14, and the paper's findings,\n"
		"                    each with whether it holds here; some minutes\n"
		"  --svg DIR         draw the figures into it, as harts-figure-10.svg to 14\n"
		"\n"
		"Without --reproduce, one algorithm at one load:\n"
		"  --algorithm A     (%s)\n", harts_algorithms[command.run.algorithm].name);
	for (unsigned int i = 0; i < HARTS_ALGORITHMS; i++)
		fprintf(file, "                      %s: %s\n", harts_algorithms[i].name,
			harts_algorithms[i].help);
	fprintf(file,
		"  --load L          link load: bytes generated, times the links of the mean shortest\n"
		"                    path, over what all links can carry; 0: nothing but one\n"
		"                    broadcast of each length (0.3)\n"
		"  --json            output as JSON\n"
		"\n");
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(numbers); i++)
		option_help(file, &numbers[i], &command);
	fprintf(file,
		"  --fault KIND      break it, to see that it is noticed:\n"
		"                      mirror: sites take left for right\n"
		"                      store: no packet cuts through\n"
		"\n"
		"A cycle is the time of a byte on a link (1.5 us in HARTS).\n"
		"Exit status: 0 if every site got its copies over the paths of the kernel's table, in\n"
		"the time of Table I; 1 if not, or a file cannot be written; 2 if the arguments make\n"
		"no sense.  Findings of the paper that do not hold here are told, and no failure.\n");
}

enum {
	OPT_REPRODUCE = 1, OPT_SVG, OPT_ALGORITHM, OPT_LOAD, OPT_FAULT, OPT_JSON
};

static int parse_algorithm(struct command *command, const char *value)
{
	for (unsigned int i = 0; i < HARTS_ALGORITHMS; i++) {
		if (!strcasecmp(value, harts_algorithms[i].name)) {
			command->run.algorithm = (enum harts_algorithm_id)i;
			return 0;
		}
	}
	return option_refuse("algorithm", value, "no such algorithm; --help lists them");
}

static int parse_fault(struct command *command, const char *value)
{
	for (unsigned int i = HARTS_SOUND + 1; i < HARTS_FAULTS; i++) {
		if (!strcmp(value, faults[i])) {
			command->settings.fault = i;
			return 0;
		}
	}
	return option_refuse("fault", value, "mirror or store");
}

static int parse_value(void *settings, int option, const char *value)
{
	struct command *command = settings;

	switch (option) {
	case OPT_REPRODUCE:
		command->reproduce = true;
		return 0;
	case OPT_JSON:
		command->json = true;
		return 0;
	case OPT_SVG:
		return option_directory("svg", value, &command->svg);
	case OPT_ALGORITHM:
		return parse_algorithm(command, value);
	case OPT_LOAD:
		if (!option_fraction(value, HARTS_LOAD_UNIT, &command->run.load))
			return option_refuse("load", value, "a number from 0 to 1");
		return 0;
	case OPT_FAULT:
		return parse_fault(command, value);
	}
	return 0;
}

/* Of the largest load of a command: do the links carry it, or nearly so. */
static int check_load(const struct command *command)
{
	struct harts_run run = command->run;

	run.times = command->settings.times;
	run.size = (u32)command->size;
	if (command->reproduce) {
		run.algorithm = HARTS_6BCAST;
		run.size = harts_size[HARTS_SIZE_COPIES];
		run.load = harts_loads[HARTS_LOADS - 1];
	}
	if (run.load <= harts_net_load(&run, OVERLOAD))
		return 0;
	fprintf(stderr, "flitcast-sim: load %.3f is far more than the links carry with these gaps\n",
		(double)run.load / HARTS_LOAD_UNIT);
	return 2;
}

static int check_given(void *settings, const struct option_given *given)
{
	static const char *const both[] = {
		"seed", "seeds", "broadcasts", "setup", "delta", "gap", "fault", NULL
	};
	static const char *const report[] = { "svg", NULL };
	const struct command *command = settings;
	int status = option_forms(given, command->reproduce, both, report);

	return status ? status : check_load(command);
}

static const struct option words[] = {
	{ "reproduce", no_argument, NULL, OPT_REPRODUCE },
	{ "svg", required_argument, NULL, OPT_SVG },
	{ "algorithm", required_argument, NULL, OPT_ALGORITHM },
	{ "load", required_argument, NULL, OPT_LOAD },
	{ "fault", required_argument, NULL, OPT_FAULT },
	{ "json", no_argument, NULL, OPT_JSON },
};

static const struct option_command options = {
	.words = words, .nwords = FC_ARRAY_SIZE(words),
	.numbers = numbers, .nnumbers = FC_ARRAY_SIZE(numbers),
	.usage = usage, .set = parse_value, .check = check_given,
};

/*
 * One measurement.
 */

static void output_estimate(const char *key, const double *value, u32 seeds)
{
	struct harts_estimate e = { .mean = value[0] };

	if (seeds > 1)
		e = harts_estimate(value, seeds);
	output_group(key);
	output_fixed("mean", (u64)(e.mean * 1000 + 0.5), 1000);
	output_fixed("half_interval", (u64)(e.half * 1000 + 0.5), 1000);
	output_group_end();
}

static int single(struct command *command)
{
	const struct harts_settings *settings = &command->settings;
	struct harts_run *run = &command->run;
	struct harts_point point;

	run->size = (u32)command->size;
	if (run->load)
		harts_point_run(&point, settings, run);
	else
		harts_point_idle(&point, settings, run);
	output_begin(command->json);
	output_text("algorithm", harts_algorithms[run->algorithm].name);
	output_fixed("load", run->load, HARTS_LOAD_UNIT);
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(numbers); i++)
		output_number(numbers[i].name, *option_place(&numbers[i], command));
	output_estimate("latency", point.latency, point.seeds);
	output_estimate("mean_delivery", point.delivery, point.seeds);
	output_estimate("stored", point.stored, point.seeds);
	output_estimate("cut_through", point.passed, point.seeds);
	output_estimate("regular_latency", point.regular, point.seeds);
	output_estimate("busy", point.busy, point.seeds);
	output_estimate("backlog_per_link", point.backlog, point.seeds);
	output_number("astray", point.astray);
	output_number("unserved", point.unserved);
	output_end();
	return point.astray || point.unserved;
}

/*
 * The report.
 */

static void tell_settings(const struct harts_settings *s)
{
	printf("C-wrapped hexagonal meshes, virtual cut-through, Poisson arrivals: 0.999 regular,\n"
	       "0.001 broadcast; 64, 128, 512 bytes with 0.3, 0.5, 0.2; targets weighted by inverse\n"
	       "distance.  A link carries a byte a cycle.  S = %llu, d = %llu, idle gap %llu cycles;\n"
	       "%llu runs of %llu broadcasts each, first seed %llu; +-: 95 %% confidence by run.\n"
	       "Latency: to the last delivery of all copies, mean over broadcasts.\n\n",
	       (unsigned long long)s->times.setup, (unsigned long long)s->times.delta,
	       (unsigned long long)s->times.gap, (unsigned long long)s->seeds,
	       (unsigned long long)s->broadcasts, (unsigned long long)s->seed);
}

static u64 strays(const struct harts_sweep *sweep)
{
	const struct harts_point *p = &sweep->point[0][0][0];
	u64 n = 0;

	for (size_t i = 0; i < sizeof(sweep->point) / sizeof(*p); i++)
		n += p[i].astray + p[i].unserved;
	return n;
}

static int reproduce(const struct command *command)
{
	static struct harts_sweep sweep;
	static struct harts_table_a table;
	static struct harts_figure figure[HARTS_FIGURES];
	u32 wrong, differ;
	u64 stray;
	bool bad = false;

	tell_settings(&command->settings);
	wrong = harts_table_1(&command->settings);
	harts_table_2(&command->settings, &table);
	harts_sweep_run(&sweep, &command->settings);
	harts_figures_make(figure, &sweep);
	for (u32 i = 0; i < HARTS_FIGURES; i++) {
		harts_figure_print(&figure[i]);
		bad |= command->svg && !harts_figure_draw(&figure[i], command->svg);
	}
	differ = harts_findings(figure, &sweep, &table);
	stray = strays(&sweep);
	printf("\nTable I: %u wrong; under load: %llu packets or sites wrong; findings: %u differ\n",
	       wrong, (unsigned long long)stray, differ);
	return wrong || stray || bad;
}

int harts_main(int argc, char **argv)
{
	struct command command = defaults;
	int status = option_parse(&options, &command, argc, argv);

	if (status >= 0)
		return status;
	return command.reproduce ? reproduce(&command) : single(&command);
}
