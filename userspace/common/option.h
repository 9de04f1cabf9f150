/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands and their options, of flitcast and of flitcast-sim.  One table describes the options of
 * a command: the parser, the help, the completion of shells and the SYNOPSIS of the manual use it.
 */
#ifndef FLITCAST_OPTION_H
#define FLITCAST_OPTION_H

#include <stdarg.h>
#include <stdio.h>

#include "core/base.h"

/* Unit of fractions: millionths. */
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
	OPTION_REST,		/* all arguments that follow: @argv of struct option_given */
};

/* Form of an option on the command line. */
enum option_how {
	OPTION_NEED = 1 << 0,	/* required: this option or another one of its group */
	OPTION_PLAIN = 1 << 1,	/* a positional argument; @name names its value */
	OPTION_BARE = 1 << 2,	/* the name may be omitted */
	OPTION_REPEAT = 1 << 3,	/* any number of times */
	OPTION_LATE = 1 << 4,	/* a bare value is required, but may follow other options */
	OPTION_DASH = 1 << 5,	/* the value may begin with a dash */
	OPTION_HIDDEN = 1 << 6,	/* neither in the synopsis nor completed */
	OPTION_MAYBE = 1 << 7,	/* optional value, only after "=" */
};

/* Does an option apply to a report, with --reproduce, or to one run? */
enum option_form {
	OPTION_BOTH,
	OPTION_RUN,
	OPTION_REPORT,
};

/**
 * struct option_choice - one value of an option
 * @name: the value; NULL: this index is no choice
 * @help: text of the help, or NULL
 */
struct option_choice {
	const char *name;
	const char *help;
};

/* An entry; @type_: without OPTION_; other members follow as designated initialisers. */
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
 * @name: "port", "--svg", "-c"; without dashes if all options of the program have
 *	two dashes
 * @longer: a second name, with dashes, or NULL
 * @value: name of its value in the help, or NULL
 * @help: its meaning, of one or more lines.  NULL: the default, for OPTION_CHOICE
 * @type: kind of its value
 * @how: enum option_how
 * @group: not 0: adjacent options with this number exclude each other
 * @attr: attribute of a request for its value, or 0; the parser does not use it
 * @at: offset in the settings, if the command has settings
 * @least: smallest number; of OPTION_SECONDS in milliseconds; not 0: the fraction is more than 0
 * @most: largest number or fraction
 * @form: enum option_form, for a command that has --reproduce
 * @choices: OPTION_CHOICES() of OPTION_CHOICE
 * @nchoices: number of choices
 * @stride: distance of two choices, bytes
 * @more: prints further lines of the help, or NULL
 * @take: OPTION_OTHER: reads the value.  Return: 0, or 2, the exit status, with a line on
 *	standard error.
 * @complete: prints the values that a shell offers, one per line, or NULL
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
 * struct option_value - an option on the command line
 * @entry: its entry
 * @text: text of its value, or NULL
 * @number: its value as a number, for numeric types
 */
struct option_value {
	const struct option_entry *entry;
	const char *text;
	u64 number;
};

/**
 * struct option_given - options and arguments given to a command
 * @command: the command
 * @values: options in the order of the command line
 * @count: number of @values
 * @argc: number of arguments of OPTION_REST
 * @argv: arguments of OPTION_REST, ended by NULL
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
 * @name: its word.  In a table of commands the first one with a matching prefix is chosen;
 *	a table ends with a command without a name.
 * @help: its purpose, a sentence without a full stop
 * @commands: commands of an object, or NULL; the first one is the default
 * @entries: options, in the order of the help
 * @nentries: number of options
 * @run: executes the command.  Return: the exit status.
 * @main: executes the command, and parses the arguments by option_parse(), or NULL: use @run
 * @variant: variant of the command with other options, selected by a first argument, its
 *	name; or NULL
 * @tail: help below the options, or NULL
 * @defaults: initial settings, or NULL
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
 * @globals: options before every command, and in each command without one of the same name
 * @set: applies one of @globals; called with NULL after the last one
 * @run: runs a command with its arguments, as option_run() does; NULL: option_run()
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
 * @argc: argument of main()
 * @argv: argument of main()
 *
 * Besides the commands of the program it runs help, completion, and, for the scripts that
 * completion prints, complete.
 *
 * Return: the exit status.
 */
int option_main(int argc, char **argv);

/**
 * option_run() - run a command
 * @command: the command
 * @argc: arguments of main(), from the command's name on
 * @argv: arguments of main(), from the command's name on
 *
 * Return: the exit status.
 */
int option_run(const struct option_command *command, int argc, char **argv);

/**
 * option_find() - find the option that an argument with a dash names
 * @command: the command
 * @arg: its name in full, or more than one letter of it, with or without "=" and a value
 *
 * Return: the option, or NULL if there is none, or more than one.
 */
const struct option_entry *option_find(const struct option_command *command, const char *arg);

/**
 * option_parse() - parse the arguments of one command
 * @command: its options
 * @settings: the defaults; result; NULL: the command uses struct option_given
 * @argc: arguments of main(), from the command's name on
 * @argv: arguments of main(), from the command's name on
 *
 * Return: the exit status, or -1 to continue.
 */
int option_parse(const struct option_command *command, void *settings, int argc, char **argv);

/*
 * Values of an option by its name in the table; the last value if it was given twice.
 */

bool option_was_given(const struct option_given *given, const char *name);
/* Return: a number, or @otherwise if the option was not given. */
u64 option_get(const struct option_given *given, const char *name, u64 otherwise);
/* Return: a text, or NULL if the option was not given. */
const char *option_text(const struct option_given *given, const char *name);
/* Return: the @n-th value, from 0, of a repeatable option; NULL after the last one. */
const struct option_value *option_nth(const struct option_given *given, const char *name, u32 n);

/**
 * option_meaningless() - refuse options that have no effect with another one
 * @given: options given
 * @names: names of the options to refuse, ended by NULL
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
 * option_number() - parse a number, of digits only
 * @text: text that begins with the number
 * @most: largest number
 * @value: result
 * @end: result: first character after the number
 *
 * Return: false if there is no number, or a larger one.
 */
bool option_number(const char *text, u64 most, u64 *value, const char **end);

#endif /* FLITCAST_OPTION_H */
