/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of options, common to the commands.
 */
#ifndef FLITCAST_SIM_OPTION_H
#define FLITCAST_SIM_OPTION_H

#include <getopt.h>
#include <stdio.h>

#include "base.h"

/**
 * struct option_entry - an option that is one number, a u64 among the settings of a command
 * @name: of the option
 * @help: for the usage text
 * @least: smallest
 * @most: largest
 * @at: its place in the settings
 */
struct option_entry {
	const char *name;
	const char *help;
	u64 least;
	u64 most;
	size_t at;
};

/* The number itself. */
u64 *option_place(const struct option_entry *entry, void *settings);

/* Takes a value, or says on standard error why not.  Return: 0, or 2, the exit status. */
int option_set(const struct option_entry *entry, void *settings, const char *value);

/* A line of the usage text, with the default. */
void option_help(FILE *file, const struct option_entry *entry, void *defaults);

struct option_given;

/**
 * struct option_command - the options of a command; --help and -h are added
 * @words: those that are not just a number, their @val from 1 in this order
 * @nwords: how many
 * @numbers: the others
 * @nnumbers: how many
 * @usage: prints the usage text
 * @set: takes the value of a word, named by its @val; 0, or 2, the exit status, with a line on
 *	standard error
 * @check: of all together, with what was given; the same
 */
struct option_command {
	const struct option *words;
	u32 nwords;
	const struct option_entry *numbers;
	u32 nnumbers;
	void (*usage)(FILE *file);
	int (*set)(void *settings, int option, const char *value);
	int (*check)(void *settings, const struct option_given *given);
};

/**
 * option_parse() - the arguments of a command
 * @command: its options
 * @settings: the defaults; result
 * @argc: as main() has it, from the command's name
 * @argv: the same
 *
 * Return: the exit status, or -1 to go on.
 */
int option_parse(const struct option_command *command, void *settings, int argc, char **argv);

/**
 * option_meaningless() - refuses options where another leaves them without a meaning
 * @given: what was given
 * @names: of the options, ended by NULL
 * @where: "with --other"
 *
 * Return: 0, or 2, the exit status, with a line on standard error.
 */
int option_meaningless(const struct option_given *given, const char *const *names,
		       const char *where);

/**
 * option_forms() - the same for a command that makes a report with --reproduce, or one run
 * @given: what was given
 * @reproduce: the report is made
 * @both: names of what has a meaning for both, ended by NULL
 * @report: and of what has one for the report only; all others are for one run
 *
 * Return: 0, or 2, the exit status, with a line on standard error.
 */
int option_forms(const struct option_given *given, bool reproduce, const char *const *both,
		 const char *const *report);

/* Of a fraction: it is told in millionths. */
#define OPTION_UNIT	1000000

/* Says on standard error why a value is refused.  Return: 2, the exit status. */
int option_refuse(const char *option, const char *value, const char *why);

/* A directory in which files can be made.  Return: 0, or 2, the exit status. */
int option_directory(const char *option, const char *value, const char **dir);

/**
 * option_number() - a number, of digits only
 * @text: begins with it
 * @most: largest
 * @value: result
 * @end: result: behind it
 *
 * Return: false if there is none, or a larger one.
 */
bool option_number(const char *text, u64 most, u64 *value, const char **end);

/**
 * option_fraction() - a decimal fraction, and nothing behind it
 * @text: the fraction
 * @most: largest, in millionths
 * @value: result, in millionths
 *
 * Return: false if it is none, or a larger one.
 */
bool option_fraction(const char *text, u64 most, u64 *value);

#endif /* FLITCAST_SIM_OPTION_H */
