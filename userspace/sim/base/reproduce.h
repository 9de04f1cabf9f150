/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reproduction of a published simulation: with --reproduce a report of the paper's tables, figures
 * and findings beside the results of simulation; else one run.
 */
#ifndef FLITCAST_SIM_REPRODUCE_H
#define FLITCAST_SIM_REPRODUCE_H

#include "option.h"

/**
 * struct reproduce_settings - common settings, the first member of each reproduction's settings
 * @seed: first seed of the random numbers
 * @svg: directory for drawings, or NULL
 * @reproduce: print the report
 * @json: print the results of one run as JSON
 */
struct reproduce_settings {
	u64 seed;
	const char *svg;
	bool reproduce;
	bool json;
};

/* Common options; @report and @drawings: help of the first two. */
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
 * struct report_part - a table or some figures of a report, with their measurements
 * @name: name in the progress line
 * @points: number of points measured, each after a reproduce_point()
 * @measure: simulate, and store the results
 * @print: print the part
 * @draw: draw the part into a directory, or NULL.  Return: false, with a line on standard error, if
 *	a drawing cannot be written.
 * @wrong: number of findings of the oracle, which should be 0, or NULL
 */
struct report_part {
	const char *name;
	u32 points;
	void (*measure)(const void *settings);
	void (*print)(void);
	bool (*draw)(const char *dir);
	const u64 *wrong;
};

/* The measurement of the next point of a part begins: update the progress line. */
void reproduce_point(void);

/* Print statements of the paper by finding(). */
typedef void (*report_findings_fn)(void);

/**
 * struct reproduction - reproduction of one paper
 * @options: options of the command; the settings begin with a struct reproduce_settings
 * @size: bytes of the settings
 * @run: make one run and print its results.  Return: the exit status.
 * @begin: print the head of the report
 * @parts: parts of the report, ended by NULL
 * @findings: the paper's statements, ended by NULL
 * @title: title above the findings
 * @end: print the sums below.  Return: true on an error that neither reproduced() nor
 *	@wrong of a part reports.
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

extern const struct reproduction care_reproduction;
extern const struct reproduction harts_reproduction;
extern const struct reproduction postman_reproduction;
extern const struct reproduction csr_reproduction;

/* Run the command of a reproduction.  Return: the exit status. */
int reproduce_main(const struct reproduction *reproduction, int argc, char **argv);

#endif /* FLITCAST_SIM_REPRODUCE_H */
