/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of a command: one table of them says what they take, where it goes, and what the
 * usage text says.
 */
#ifndef FLITCAST_SIM_OPTION_H
#define FLITCAST_SIM_OPTION_H

#include <stdio.h>

#include "base.h"

/* A fraction is told in millionths. */
#define OPTION_UNIT	1000000

/* What an option takes, and what that is among the settings. */
enum option_type {
	OPTION_HEADING,		/* it is no option, but a line of the usage text */
	OPTION_FLAG,		/* nothing: a bool becomes true */
	OPTION_NUMBER,		/* a whole number: u64 */
	OPTION_FRACTION,	/* a decimal fraction: u64, in millionths */
	OPTION_CHOICE,		/* one of several names, in any case: its index, an enum */
	OPTION_TEXT,		/* anything: const char * */
	OPTION_DIRECTORY,	/* the same, a directory in which files can be made */
	OPTION_OTHER,		/* what @take says */
	OPTION_OPERAND,		/* it is no option, but the argument beside them: const char * */
};

/* Whether an option has a meaning for a report, with --reproduce, and for one run. */
enum option_form {
	OPTION_BOTH,
	OPTION_RUN,
	OPTION_REPORT,
};

/**
 * struct option_choice - one value of an option
 * @name: the value; NULL: this index is no choice
 * @help: for the usage text, or NULL
 */
struct option_choice {
	const char *name;
	const char *help;
};

/* An entry: its type without OPTION_, then other members that it has, by designators. */
#define OPTION(name_, value_, help_, type_, at_, ...) \
	{ .name = name_, .value = value_, .help = help_, .type = OPTION_ ## type_, .at = at_, \
	  ##__VA_ARGS__ }
#define OPTION_RANGE(least_, most_)	.least = least_, .most = most_
/* Choices are an array whose elements begin with a struct option_choice. */
#define OPTION_CHOICES(array) \
	.choices = (const struct option_choice *)(array), .nchoices = FC_ARRAY_SIZE(array), \
	.stride = sizeof(*(array))

/**
 * struct option_entry - an option of a command
 * @name: without dashes
 * @value: name of its value in the usage text, or NULL
 * @help: usage text; after a line break it goes on below.  NULL: the default, of OPTION_CHOICE
 * @type: what it takes
 * @at: place among the settings
 * @least: smallest number; not 0: the fraction is more than 0
 * @most: largest number or fraction
 * @form: of a command that has --reproduce
 * @choices: OPTION_CHOICES() of OPTION_CHOICE
 * @nchoices: how many
 * @stride: bytes from one to the next
 * @more: prints further lines of the usage text, or NULL
 * @take: OPTION_OTHER: takes the value.  Return: 0, or 2, the exit status, with a line on
 *	standard error.
 */
struct option_entry {
	const char *name;
	const char *value;
	const char *help;
	enum option_type type;
	size_t at;
	u64 least;
	u64 most;
	enum option_form form;
	const struct option_choice *choices;
	u32 nchoices;
	size_t stride;
	void (*more)(FILE *file);
	int (*take)(void *settings, const struct option_entry *entry, const char *value);
};

struct option_given;

/**
 * struct option_command - the options of a command; --help and -h are added
 * @head: usage text above them
 * @tail: and below
 * @entries: the options, in the order of the usage text
 * @nentries: how many
 * @defaults: settings to begin with
 * @check: of all together, with what was given, or NULL; 0, or 2, the exit status, with a line
 *	on standard error
 */
struct option_command {
	const char *head;
	const char *tail;
	const struct option_entry *entries;
	u32 nentries;
	const void *defaults;
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

/* Was an option given? */
bool option_was_given(const struct option_given *given, const char *name);

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

/*
 * Says on standard error what is wrong with the arguments of a command, perhaps with which, and
 * how to see the options; option_wrong(): what getopt_long() answers '?' or ':' to, with opterr 0
 * and options that begin with ':'.  Return: 2, the exit status.
 */
int option_usage(const char *command, const char *what, const char *subject);
int option_wrong(int argc, char **argv, int how);

/* Says on standard error why a value is refused.  Return: 2, the exit status. */
int option_refuse(const char *option, const char *value, const char *why);

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

/* The numbers for one run among the settings, by output_number(). */
void option_output(const struct option_command *command, const void *settings);

#endif /* FLITCAST_SIM_OPTION_H */
