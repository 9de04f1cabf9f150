// SPDX-License-Identifier: GPL-2.0
/*
 * CARE, section 1: cut-through beside circuit switching and store-and-forward under load, where
 * paths are short or long, messages small or large, and the network used little or much.
 */
#include <stdio.h>

#include "base/finding.h"
#include "care_point.h"
#include "net/traffic.h"

/* Schemes of the table. */
#define COLUMNS	CARE_STATIC

/* Rows, the paper's conditions first. */
#define ROWS	8

static const struct {
	const char *paths;
	const char *messages;
	const char *use;
	struct care_load load;
	double share;		/* of the links that cut the mesh in two */
} rows[ROWS] = {
	{ "short", "small", "high", { "mesh:4x4", 4, 400000, PATTERN_UNIFORM }, 0.4 },
	{ "short", "small", "low", { "mesh:4x4", 4, 100000, PATTERN_UNIFORM }, 0.1 },
	{ "short", "large", "high", { "mesh:4x4", 64, 400000, PATTERN_UNIFORM }, 0.4 },
	{ "short", "large", "low", { "mesh:4x4", 64, 100000, PATTERN_UNIFORM }, 0.1 },
	{ "long", "small", "high", { "mesh:16x16", 4, 100000, PATTERN_UNIFORM }, 0.4 },
	{ "long", "small", "low", { "mesh:16x16", 4, 25000, PATTERN_UNIFORM }, 0.1 },
	{ "long", "large", "high", { "mesh:16x16", 64, 100000, PATTERN_UNIFORM }, 0.4 },
	{ "long", "large", "low", { "mesh:16x16", 64, 25000, PATTERN_UNIFORM }, 0.1 },
};

static struct {
	struct care_point point[ROWS][COLUMNS];
	u64 wrong;
} loaded;

static void measure(const void *settings)
{
	for (u32 i = 0; i < ROWS; i++) {
		for (u32 scheme = 0; scheme < COLUMNS; scheme++) {
			struct care_point *point = &loaded.point[i][scheme];

			care_point_run(point, settings, &rows[i].load, (enum care_scheme)scheme);
			loaded.wrong += point->wrong;
		}
	}
}

static void print(void)
{
	printf("Under load, mean latency in cycles: random targets; use: share of what the links\n"
	       "across the middle of the mesh carry; saturated: less than 90 %% of the load arrives\n"
	       "(the paper has no numbers for this)\n\n"
	       "paths  messages  use    network     flits   use");
	for (u32 scheme = 0; scheme < COLUMNS; scheme++)
		printf("  %13s", care_scheme_names[scheme]);
	printf("\n");
	for (u32 i = 0; i < ROWS; i++) {
		printf("%-5s  %-8s  %-4s   %-10s  %5u  %.2f", rows[i].paths, rows[i].messages,
		       rows[i].use, rows[i].load.spec, rows[i].load.flits, rows[i].share);
		for (u32 scheme = 0; scheme < COLUMNS; scheme++)
			care_put_latency(&loaded.point[i][scheme]);
		printf("\n");
	}
	printf("\n");
}

/* Is one scheme faster than another in a row?  A scheme that is saturated is slower. */
static bool faster(u32 row, enum care_scheme a, enum care_scheme b)
{
	const struct care_point *first = &loaded.point[row][a], *second = &loaded.point[row][b];

	if (care_saturated(first) || care_saturated(second))
		return !care_saturated(first);
	return care_mean(first, first->latency) < care_mean(second, second->latency);
}

static u32 rows_faster(enum care_scheme a, enum care_scheme b)
{
	u32 n = 0;

	for (u32 i = 0; i < ROWS; i++)
		n += faster(i, a, b);
	return n;
}

/* Print the paper's statement for a scheme. */
static void put_statement(enum care_scheme scheme, bool known, const char *text)
{
	finding_print(known, faster(0, scheme, CARE_STORE) && faster(0, scheme, CARE_CIRCUIT), text,
		      "%s is faster than store-and-forward in %u rows of %u, than circuit switching in %u",
		      care_scheme_names[scheme], rows_faster(scheme, CARE_STORE), ROWS,
		      rows_faster(scheme, CARE_CIRCUIT));
}

void care_load_findings(void)
{
	put_statement(CARE_VIRTUAL, true,
		      "section 1: cut-through outperforms both where paths are short, messages small, use high");
	put_statement(CARE_EDGE, false, "section 1: so does CARE with a word for each net-input");
	put_statement(CARE_WORD, false, "section 1: so does CARE with the windows of the module");
}

const struct report_part care_load_part = {
	.name = "under load", .points = ROWS * COLUMNS, .measure = measure, .print = print,
	.wrong = &loaded.wrong,
};
