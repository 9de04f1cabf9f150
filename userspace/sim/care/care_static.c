// SPDX-License-Identifier: GPL-2.0
/*
 * CARE, sections 1 and 4.6: dynamic routing beside static routing, which has one net-output in the
 * preference list of each target.
 */
#include <stdio.h>

#include "base/finding.h"
#include "care_point.h"
#include "net/traffic.h"

#define LOADS	4
#define PATTERNS	3

/* Flits of a packet. */
#define FLITS	16

/* Flits of a site in a million cycles; the last load is more than any network carries. */
static const u64 loads[LOADS] = { 50000, 100000, 200000, 400000 };

static const struct {
	const char *name;
	u32 pattern;
} patterns[PATTERNS] = {
	{ "uniform", PATTERN_UNIFORM }, { "transpose", PATTERN_TRANSPOSE }, { "hot", PATTERN_HOT },
};

/* The two schemes of the table. */
static const enum care_scheme schemes[2] = { CARE_WORD, CARE_STATIC };

static struct {
	struct care_point point[PATTERNS][LOADS][2];
	u64 wrong;
} routed;

static void measure(const void *settings)
{
	for (u32 i = 0; i < PATTERNS * LOADS * 2; i++) {
		u32 pattern = i / (LOADS * 2), load = i / 2 % LOADS;
		struct care_point *point = &routed.point[pattern][load][i % 2];
		const struct care_load given = {
			.spec = "mesh:8x8", .flits = FLITS, .load = loads[load],
			.pattern = patterns[pattern].pattern,
		};

		care_point_run(point, settings, &given, schemes[i % 2]);
		routed.wrong += point->wrong;
	}
}

static double carried(u32 pattern, u32 scheme)
{
	const struct care_point *point = &routed.point[pattern][LOADS - 1][scheme];

	return care_mean(point, point->carried);
}

static void print(void)
{
	printf("Routing of CARE, mesh:8x8, %u flits: mean latency in cycles by load (flits of a site\n"
	       "and cycle), and flits carried of a load of %.1f; dynamic: any net-output of a shortest\n"
	       "path; static: one for each target (the paper has no numbers for this)\n\n"
	       "pattern    routing", FLITS, (double)loads[LOADS - 1] / OPTION_UNIT);
	for (u32 i = 0; i < LOADS - 1; i++)
		printf("  %13.2f", (double)loads[i] / OPTION_UNIT);
	printf("  carried\n");
	for (u32 i = 0; i < PATTERNS * 2; i++) {
		printf("%-9s  %-7s", patterns[i / 2].name, i % 2 ? "static" : "dynamic");
		for (u32 load = 0; load < LOADS - 1; load++)
			care_put_latency(&routed.point[i / 2][load][i % 2]);
		printf("  %.4f\n", carried(i / 2, i % 2));
	}
	printf("\n");
}

/* Print whether dynamic routing carries more of a pattern, and the latencies at light load. */
static void put_statement(u32 pattern, bool known, const char *text)
{
	const struct care_point *dynamic = &routed.point[pattern][1][0];
	const struct care_point *fixed = &routed.point[pattern][1][1];

	double most = carried(pattern, 0), fixed_most = carried(pattern, 1);

	finding_print(known, most > fixed_most, text,
		      "%s: %+.1f %% flits carried; %+.1f %% latency at %.2f",
		      patterns[pattern].name, percent_more(most, fixed_most),
		      percent_more(care_mean(dynamic, dynamic->latency),
				   care_mean(fixed, fixed->latency)),
		      (double)loads[1] / OPTION_UNIT);
}

void care_static_findings(void)
{
	put_statement(0, false, "section 1: dynamic routing uses more of the resources: random targets");
	put_statement(1, true, "section 1: dynamic routing uses more of the resources: transposed sites");
	put_statement(2, false, "section 1: dynamic routing uses more of the resources: a hot site");
}

const struct report_part care_static_part = {
	.name = "routing", .points = PATTERNS * LOADS * 2, .measure = measure, .print = print,
	.wrong = &routed.wrong,
};
