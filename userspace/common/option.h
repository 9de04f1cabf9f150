/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands and their options, of flitcast and of flitcast-sim.  One table describes the options of
 * a command: the parser, the help, the completion of shells and the SYNOPSIS of the manual use it.
 */
#ifndef FLITCAST_OPTION_H
#define FLITCAST_OPTION_H

#include <stdarg.h>
#include <stdio.h>

#include "base.h"

/* A fraction is given in millionths. */
#define OPTION_UNIT	1000000

/* Kind of the value of an option; after the colon: its type among the settings. */
enum option_type {
	OPTION_HEADING,		/* no option, but a line of the help */
	OPTION_FLAG,		/* no value: a bool becomes true */
	OPTION_NUMBER,		/* a whole number: u64 */
	OPTION_FRACTION,	/* a decimal fraction: u64, in millionths */
	OPTION_TIME,		/* a time with its unit, 20ms: u64, in microseconds */
	OPTION_SECONDS,		/* seconds, with a fraction: u64, in milliseconds */
	OPTION_SWITCH,		/* on or off: u64 */
	OPTION_CHOICE,		/* one of several names, in any case: its index, an enum */
	OPTION_TEXT,		/* any text: const char * */
	OPTION_FILE,		/* a file name, which shells complete: const char * */
	OPTION_DIRECTORY,	/* a writable directory: const char * */
	OPTION_OTHER,		/* @take reads the value */
	OPTION_REST,		/* all arguments that follow, see option_rest() */
};

/* How an option is given. */
enum option_how {
	OPTION_NEED = 1 << 0,	/* required: this option or another one of its group */
	OPTION_PLAIN = 1 << 1,	/* a positional argument; @name names its value */
	OPTION_BARE = 1 << 2,	/* the name may be left out */
	OPTION_REPEAT = 1 << 3,	/* any number of times */
	OPTION_LATE = 1 << 4,	/* a bare value is required, but may follow other options */
	OPTION_DASH = 1 << 5,	/* the value may begin with a dash */
	OPTION_HIDDEN = 1 << 6,	/* neither in the synopsis nor completed */
	OPTION_MAYBE = 1 << 7,	/* optional value, only after "=" */
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
 * @help: for the help, or NULL
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
/* The table of a command. */
#define OPTION_TABLE(array)		.entries = array, .nentries = FC_ARRAY_SIZE(array)

/**
 * struct option_entry - an option of a command
 * @name: as it is given: "port", "--svg", "-c"; without dashes where the program has them all
 *	with dashes
 * @longer: a second name, with dashes, or NULL
 * @value: name of its value in the help, or NULL
 * @help: its meaning; after a line break it goes on below.  NULL: the default, of OPTION_CHOICE
 * @type: kind of its value
 * @how: enum option_how
 * @group: not 0: options of this number, one after the other, exclude each other
 * @attr: attribute of a request that it becomes, or 0; the parser does not use it
 * @at: place among the settings, where the command has settings
 * @least: smallest number; of OPTION_SECONDS in milliseconds; not 0: the fraction is more than 0
 * @most: largest number or fraction
 * @form: of a command that has --reproduce
 * @choices: OPTION_CHOICES() of OPTION_CHOICE
 * @nchoices: how many
 * @stride: bytes from one to the next
 * @more: prints further lines of the help, or NULL
 * @take: OPTION_OTHER: reads the value.  Return: 0, or 2, the exit status, with a line on
 *	standard error.
 * @complete: prints the values that a shell offers, one a line, or NULL
 */
struct option_entry {
	const char *name;
	const char *longer;
	const char *value;
	const char *help;
	enum option_type type;
	u32 how;
	u32 group;
	u32 attr;
	size_t at;
	u64 least;
	u64 most;
	enum option_form form;
	const struct option_choice *choices;
	u32 nchoices;
	size_t stride;
	void (*more)(FILE *file);
	int (*take)(void *settings, const struct option_entry *entry, const char *value);
	void (*complete)(void);
};

/**
 * struct option_value - an option that was given
 * @entry: its entry
 * @text: its value as it was given; NULL: it has none
 * @number: the same as a number, of the types that are numbers
 */
struct option_value {
	const struct option_entry *entry;
	const char *text;
	u64 number;
};

/**
 * struct option_given - options and arguments given to a command
 * @command: the command
 * @values: in the order of the command line
 * @count: how many
 * @argc: number of arguments of OPTION_REST
 * @argv: these, ended by NULL
 */
struct option_given {
	const struct option_command *command;
	struct option_value *values;
	u32 count;
	int argc;
	char **argv;
};

/**
 * struct option_command - a command, or an object with commands of its own
 * @name: its word.  In a table of commands a prefix is enough, and the first that fits is taken;
 *	a table ends with a command without a name.
 * @help: its purpose, a sentence without a full stop
 * @commands: the commands of an object, whose first one is run where none is given, or NULL
 * @entries: the options, in the order of the help
 * @nentries: how many
 * @run: does it.  Return: the exit status.
 * @main: does it, and reads the arguments itself by option_parse(), or NULL: @run does it
 * @variant: the same command with another first argument, whose options are others, or NULL; its
 *	name is the argument
 * @tail: help below the options, or NULL
 * @defaults: settings to begin with, or NULL
 * @check: checks all options together, or NULL.  Return: 0, or 2, the exit status, with a line
 *	on standard error.
 */
struct option_command {
	const char *name;
	const char *help;
	const struct option_command *commands;
	const struct option_entry *entries;
	u32 nentries;
	int (*run)(const struct option_given *given);
	int (*main)(int argc, char **argv);
	const struct option_command *variant;
	const char *tail;
	const void *defaults;
	int (*check)(void *settings, const struct option_given *given);
};

/**
 * struct option_program - a program with commands; each program has one, option_program
 * @name: its name
 * @dashes: all names of options have two dashes, which the tables leave out
 * @help: its purpose
 * @commands: its commands, ended by NULL
 * @globals: options before every command, and in each that has none of the name
 * @set: takes one of @globals that was given; NULL: that were all
 * @run: runs a command with its arguments, as option_run() does; NULL: that does
 */
struct option_program {
	const char *name;
	bool dashes;
	const char *help;
	const struct option_command *const *commands;
	struct option_command globals;
	void (*set)(const struct option_value *value);
	int (*run)(const struct option_command *command, int argc, char **argv);
};

extern const struct option_program option_program;

/**
 * option_main() - run the command that a command line names
 * @argc: as main() has it
 * @argv: the same
 *
 * Beside the commands of the program there are help, completion, and for the scripts that the
 * latter prints, complete.
 *
 * Return: the exit status.
 */
int option_main(int argc, char **argv);

/**
 * option_run() - run a command
 * @command: the command
 * @argc: as main() has it, from the command's name
 * @argv: the same
 *
 * Return: the exit status.
 */
int option_run(const struct option_command *command, int argc, char **argv);

/**
 * option_find() - the option that an argument with a dash names
 * @command: the command
 * @arg: its name in full, or more than a letter of it, with a value behind "=" or without
 *
 * Return: NULL where there is none, or more than one.
 */
const struct option_entry *option_find(const struct option_command *command, const char *arg);

/**
 * option_parse() - the arguments of one command
 * @command: its options
 * @settings: the defaults; result; NULL: the command uses what was given
 * @argc: as main() has it, from the command's name
 * @argv: the same
 *
 * Return: the exit status, or -1 to go on.
 */
int option_parse(const struct option_command *command, void *settings, int argc, char **argv);

/*
 * The values of an option by its name in the table; the last value where it was given twice.
 */

bool option_was_given(const struct option_given *given, const char *name);
/* A number, or @otherwise where it was not given. */
u64 option_get(const struct option_given *given, const char *name, u64 otherwise);
/* A text, or NULL where it was not given. */
const char *option_text(const struct option_given *given, const char *name);
/* The values of an option that may be given several times, from 0; NULL after the last one. */
const struct option_value *option_nth(const struct option_given *given, const char *name, u32 n);

/**
 * option_meaningless() - refuse options that have no effect with another one
 * @given: what was given
 * @names: of the options, ended by NULL
 * @where: "with --other"
 *
 * Return: 0, or 2, the exit status, with a line on standard error.
 */
int option_meaningless(const struct option_given *given, const char *const *names,
		       const char *where);

/*
 * Print on standard error why the arguments of the current command are wrong, and how to see its
 * help.  Return: 2, the exit status.
 */
int __attribute__((format(printf, 1, 2))) option_usage(const char *format, ...);
int option_vusage(const char *format, va_list args);

/* Print on standard error why a value is wrong.  Return: 2, the exit status. */
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

#endif /* FLITCAST_OPTION_H */
