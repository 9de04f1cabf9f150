// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim harts: the paper's simulation of its broadcasts, with the kernel's rules.
 */
#include <stdio.h>

#include "base/finding.h"
#include "harts_point.h"
#include "base/output.h"
#include "base/sweep.h"

/*
 * Largest offered load, relative to the capacity of the links: beyond capacity queues grow for
 * ever.
 */
#define OVERLOAD	(HARTS_LOAD_UNIT + HARTS_LOAD_UNIT / 2)

struct command {
	struct harts_settings settings;
	struct harts_run run;
	u64 size;
};

/*
 * The paper names neither S nor d; "the routing hardware imposes a forced idle time
 * corresponding to 8 bytes", and a header is about as long.
 */
static const struct command defaults = {
	.settings = {
		.common = { .seed = 1 },
		.times = { .setup = 8, .delta = 8, .gap = 8 }, .seeds = 5, .broadcasts = 200,
	},
	.run = { .algorithm = HARTS_SBCAST, .load = 300000 },
	.size = 7,
};

static const struct option_choice faults[HARTS_FAULTS] = {
	[HARTS_MIRROR] = { "mirror", "sites take left for right" },
	[HARTS_STORE] = { "store", "no packet cuts through" },
};

#define AT(member)	offsetof(struct command, member)

static const struct option_entry entries[] = {
	REPRODUCE_OPTIONS("Tables I and II, Figures 10 to 14, and the paper's findings,\n"
			  "each with whether it holds here; some minutes",
			  "draw the figures into it, as harts-figure-10.svg to 14"),
	{ .help = "\nWithout --reproduce, one algorithm at one load:" },
	OPTION("algorithm", "A", NULL, CHOICE, AT(run.algorithm), .form = OPTION_RUN,
	       OPTION_CHOICES(harts_algorithms)),
	OPTION("load", "L",
	       "link load: bytes generated, times the links of the mean shortest\n"
	       "path, over what all links can carry; 0: nothing but one\n"
	       "broadcast of each length (0.3)", FRACTION, AT(run.load), .most = HARTS_LOAD_UNIT,
	       .form = OPTION_RUN),
	REPRODUCE_JSON,
	SWEEP_OPTIONS,
	{ .help = "" },
	OPTION("size", "N", "n: sites on an edge of the mesh", NUMBER, AT(size),
	       OPTION_RANGE(2, HARTS_SIZE_MAX), .form = OPTION_RUN),
	REPRODUCE_SEED,
	OPTION("seeds", "N", "runs of each measurement, each with its own traffic", NUMBER,
	       AT(settings.seeds), OPTION_RANGE(2, HARTS_SEEDS_MAX)),
	OPTION("broadcasts", "N", "measured in each run", NUMBER, AT(settings.broadcasts),
	       OPTION_RANGE(1, 100000)),
	OPTION("setup", "N", "S: cycles before a packet is sent", NUMBER, AT(settings.times.setup),
	       OPTION_RANGE(0, 10000)),
	OPTION("delta", "N", "d: cycles until a header is known", NUMBER, AT(settings.times.delta),
	       OPTION_RANGE(0, 64)),
	OPTION("gap", "N", "cycles a link is idle after a packet", NUMBER, AT(settings.times.gap),
	       OPTION_RANGE(0, 512)),
	OPTION("fault", "KIND", "break it, to see that it is noticed:", CHOICE, AT(settings.fault),
	       OPTION_CHOICES(faults)),
};

/* Check that the links can carry, at least nearly, the largest load of a command. */
static int check(void *settings, const struct option_given *given)
{
	struct command *command = settings;
	struct harts_run *run = &command->run, most;

	run->times = command->settings.times;
	run->size = (u32)command->size;
	most = *run;
	if (command->settings.common.reproduce) {
		most.algorithm = HARTS_6BCAST;
		most.size = harts_size[HARTS_SIZE_COPIES];
		most.load = harts_loads[HARTS_LOADS - 1];
	}
	if (most.load <= harts_net_load(&most, OVERLOAD))
		return 0;
	fprintf(stderr,
		"flitcast-sim: --gap %llu: the links carry far less than load %g then; lower --gap or --load\n",
		(unsigned long long)most.times.gap, (double)most.load / HARTS_LOAD_UNIT);
	return 2;
}

/*
 * One measurement.
 */

static void output_estimate(const char *key, const double *value, u32 seeds)
{
	struct estimate e = estimate_of(value, seeds);

	output_group(key);
	output_fixed("mean", (u64)(e.mean * 1000 + 0.5), 1000);
	output_fixed("half_interval", (u64)(e.half * 1000 + 0.5), 1000);
	output_group_end();
}

static int run(const void *settings)
{
	const struct command *command = settings;
	const struct harts_run *run = &command->run;
	struct harts_point point;

	if (run->load)
		harts_point_run(&point, &command->settings, run);
	else
		harts_point_idle(&point, &command->settings, run);
	output_begin(command->settings.common.json);
	output_text("algorithm", harts_algorithms[run->algorithm].choice.name);
	output_fixed("load", run->load, HARTS_LOAD_UNIT);
	output_options(&harts_reproduction.options, command);
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

static void begin(const void *settings)
{
	const struct harts_settings *s = settings;

	printf("C-wrapped hexagonal meshes, virtual cut-through, Poisson arrivals: 0.999 regular,\n"
	       "0.001 broadcast; 64, 128, 512 bytes with 0.3, 0.5, 0.2; targets weighted by inverse\n"
	       "distance.  A link carries a byte a cycle.  S = %llu, d = %llu, idle gap %llu cycles;\n"
	       "%llu runs of %llu broadcasts each, first seed %llu; +-: 95 %% confidence by run.\n"
	       "Latency: to the last delivery of all copies, mean over broadcasts.\n\n",
	       (unsigned long long)s->times.setup, (unsigned long long)s->times.delta,
	       (unsigned long long)s->times.gap, (unsigned long long)s->seeds,
	       (unsigned long long)s->broadcasts, (unsigned long long)s->common.seed);
}

static const struct report_part *const parts[] = {
	&harts_table_1_part, &harts_table_2_part, &harts_figure_10_part, &harts_figure_11_part,
	&harts_figure_12_part, NULL
};

static const report_findings_fn findings[] = {
	harts_figure_findings, harts_table_2_findings, NULL
};

static bool end(void)
{
	printf("Table I: %llu wrong; under load: %llu packets or sites wrong; findings: %u differ\n",
	       (unsigned long long)*harts_table_1_part.wrong,
	       (unsigned long long)*harts_figure_10_part.wrong, findings_differing());
	return false;
}

static int harts_main(int argc, char **argv)
{
	return reproduce_main(&harts_reproduction, argc, argv);
}

const struct reproduction harts_reproduction = {
	.options = {
		.name = "harts",
		.help = "Simulate broadcasts on a hexagonal mesh, as HARTS, section 5, does",
		.main = harts_main,
		.tail =
			"\n"
			"A cycle is the time of a byte on a link (1.5 us in HARTS).\n"
			"Exit status: 0 if every site got its copies over the paths of the kernel's table, in\n"
			"the time of Table I; 1 if not, or a file cannot be written; 2 if the arguments make\n"
			"no sense.  Findings of the paper that do not hold here are printed, and are no failure.\n",
		.entries = entries, .nentries = FC_ARRAY_SIZE(entries), .defaults = &defaults,
		.check = check,
	},
	.size = sizeof(struct command), .run = run, .begin = begin, .parts = parts,
	.findings = findings, .title = "Findings of the paper", .end = end,
};
