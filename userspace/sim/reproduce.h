/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reproduction of a published simulation: with --reproduce a report of the paper's tables, figures
 * and findings beside the results of simulation; else one run.
 */
#ifndef FLITCAST_SIM_REPRODUCE_H
#define FLITCAST_SIM_REPRODUCE_H

#include "option.h"

/**
 * struct reproduce_settings - settings of each reproduction, at the beginning of its own
 * @seed: first seed of what is random
 * @svg: directory for drawings, or NULL
 * @reproduce: the report is asked for
 * @json: of one run
 */
struct reproduce_settings {
	u64 seed;
	const char *svg;
	bool reproduce;
	bool json;
};

/* Common options, with the help of the first two. */
#define REPRODUCE_AT(member)	offsetof(struct reproduce_settings, member)
#define REPRODUCE_OPTIONS(report, drawings) \
	OPTION("reproduce", NULL, report, FLAG, REPRODUCE_AT(reproduce), .form = OPTION_REPORT), \
	OPTION("svg", "DIR", drawings, DIRECTORY, REPRODUCE_AT(svg), .form = OPTION_REPORT)
#define REPRODUCE_JSON \
	OPTION("json", NULL, "output as JSON", FLAG, REPRODUCE_AT(json), .form = OPTION_RUN)
#define REPRODUCE_SEED \
	OPTION("seed", "N", "same seed, same output", NUMBER, REPRODUCE_AT(seed), \
	       OPTION_RANGE(0, 0xffffffff))

/**
 * struct report_part - a table or some figures of a report, with what is measured for them
 * @name: for the progress line
 * @points: how many points are measured, each after a reproduce_point()
 * @measure: simulates, and keeps the results
 * @print: prints it
 * @draw: draws it into a directory, or NULL.  Return: false, with a line on standard error, if
 *	that cannot be written.
 * @wrong: findings of the oracle: what should never be, or NULL
 */
struct report_part {
	const char *name;
	u32 points;
	void (*measure)(const void *settings);
	void (*print)(void);
	bool (*draw)(const char *dir);
	const u64 *wrong;
};

/* Measurement of the next point of a part begins: update the progress line. */
void reproduce_point(void);

/* Prints statements of the paper by finding(). */
typedef void (*report_findings_fn)(void);

/**
 * struct reproduction - one paper
 * @options: of the command; the settings begin with a struct reproduce_settings
 * @size: bytes of the settings
 * @run: makes one run and puts out what came of it.  Return: the exit status.
 * @begin: begins the report: prints what all of it has in common
 * @parts: of the report, ended by NULL
 * @findings: the paper's statements, ended by NULL
 * @title: above these
 * @end: prints the sums below.  Return: something was wrong that neither reproduced() nor
 *	@wrong of a part tells.
 */
struct reproduction {
	struct option_command options;
	size_t size;
	int (*run)(const void *settings);
	void (*begin)(const void *settings);
	const struct report_part *const *parts;
	const report_findings_fn *findings;
	const char *title;
	bool (*end)(void);
};

extern const struct reproduction harts_reproduction;
extern const struct reproduction postman_reproduction;
extern const struct reproduction csr_reproduction;

/* The command of a reproduction.  Return: the exit status. */
int reproduce_main(const struct reproduction *reproduction, int argc, char **argv);

#endif /* FLITCAST_SIM_REPRODUCE_H */
