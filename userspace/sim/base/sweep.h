/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sweeps: a command runs once for each value of an option and each seed, in a process of its
 * own; a table, CSV or a plot reports the means.
 */
#ifndef FLITCAST_SIM_SWEEP_H
#define FLITCAST_SIM_SWEEP_H

#include "option.h"

/* sweep.c parses these options; the table of a command lists them for its help. */
#define SWEEP_OPTIONS \
	{ .help = "\nFROM:TO:STEP as the value of a number makes a run for each, a sweep:" }, \
	OPTION("csv", NULL, "a line of CSV for each value", OTHER, 0, .take = sweep_take), \
	OPTION("plot", "FILE", "draw the sweep into it, as SVG", OTHER, 0, .take = sweep_take)
#define SWEEP_SEEDS \
	OPTION("seeds", "N", "runs of each value, with seeds from --seed on: means, and the\n" \
	       "halves of their 95 % confidence intervals (Student's t)", OTHER, 0, \
	       .take = sweep_take)

/* Mark the options above, which are not passed to a run.  Return: 0. */
int sweep_take(void *settings, const struct option_entry *entry, const char *value);

/* Is this run one of a sweep? */
bool sweep_running(void);

/**
 * sweep_main() - run a command that may be a sweep
 * @command: the command
 * @argc: arguments of main(), from the command's name on
 * @argv: arguments of main(), from the command's name on
 *
 * Return: the exit status.
 */
int sweep_main(const struct option_command *command, int argc, char **argv);

#endif /* FLITCAST_SIM_SWEEP_H */
