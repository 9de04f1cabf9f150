// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim care --reproduce: the statements of CARE on performance, beside measurements.
 */
#include <stdio.h>

#include "base/finding.h"
#include "care_point.h"

static const struct care_report_settings defaults = {
	.common = { .seed = 1, .reproduce = true }, .seeds = 3, .cycles = 5000,
};

static const struct option_choice faults[CARE_FAULTS] = {
	[CARE_FAULT_STORE] = { "store", "packets of CARE are stored in each site" },
	[CARE_FAULT_STATIC] = { "static", "dynamic routing has the tables of static routing" },
};

#define AT(member)	offsetof(struct care_report_settings, member)

static const struct option_entry entries[] = {
	REPRODUCE_SEED,
	OPTION("seeds", "N", "runs of each measurement, each with its own traffic", NUMBER,
	       AT(seeds), OPTION_RANGE(2, CARE_SEEDS_MAX)),
	OPTION("cycles", "N", "cycles of a run in which packets are sent", NUMBER, AT(cycles),
	       OPTION_RANGE(100, 1000000)),
	OPTION("fault", "KIND", "break it, to see that it is noticed:", CHOICE, AT(fault),
	       OPTION_CHOICES(faults)),
};

static void begin(const void *settings)
{
	const struct care_report_settings *s = settings;

	printf("The paper has two laws, M x N and M + N, and statements; it has no table or figure of\n"
	       "performance.  CARE-edge: its own simulation, with a word for each net-input; CARE-word:\n"
	       "the protocol of the module, with a window of 8 flits a link, and with acks of the\n"
	       "targets, which the others lack.  Of the others only the principle is modelled\n"
	       "(userspace/sim/care/care_schemes.h).  A link carries a flit a cycle, and takes a cycle.\n"
	       "%llu runs of %llu cycles each, first seed %llu; +-: 95 %% confidence by run.\n\n",
	       (unsigned long long)s->seeds, (unsigned long long)s->cycles,
	       (unsigned long long)s->common.seed);
}

static const struct report_part *const parts[] = {
	&care_idle_part, &care_load_part, &care_static_part, NULL
};

static const report_findings_fn findings[] = {
	care_idle_findings, care_load_findings, care_static_findings, NULL
};

static bool end(void)
{
	u64 wrong = 0;

	for (u32 i = 0; parts[i]; i++)
		wrong += *parts[i]->wrong;
	printf("packets or latencies wrong: %llu; statements not reproduced: %u; statements that differ: %u\n",
	       (unsigned long long)wrong, findings_failed(), findings_differing());
	return false;
}

static int report_main(int argc, char **argv)
{
	return reproduce_main(&care_reproduction, argc, argv);
}

const struct reproduction care_reproduction = {
	.options = {
		.name = "--reproduce",
		.help = "Compare CARE with other switching and routing, as its section 1 does",
		.main = report_main,
		.tail =
			"\n"
			"Exit status: 0 if every packet arrived once, the latencies of packets alone are M x N\n"
			"and M + N, and the statements that are known to hold do so; 1 if not; 2 if the\n"
			"arguments make no sense.\n",
		.entries = entries, .nentries = FC_ARRAY_SIZE(entries), .defaults = &defaults,
	},
	.size = sizeof(struct care_report_settings), .begin = begin, .parts = parts,
	.findings = findings, .title = "Statements of the paper", .end = end,
};
