/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors, arguments, numbers, progress.
 */
#ifndef FLITCAST_CLI_UTIL_H
#define FLITCAST_CLI_UTIL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit status: refused or failed; wrong usage; some targets were reached, others not. */
#define EXIT_FAILED	1
#define EXIT_USAGE	2
#define EXIT_PARTLY	3

/* For every call that the kernel refuses because it does not know the family. */
#define MODULE_MISSING	"the module flitcast is not loaded: modprobe flitcast loads it"

/**
 * struct args - what is left of the command line
 * @argc: words left
 * @argv: they
 */
struct args {
	int argc;
	char **argv;
};

/**
 * struct command - one word of the grammar
 * @name: the word; a prefix will do, and the first that fits is taken
 * @run: does it; returns the exit status
 * @usage: what follows the word, one form a line
 */
struct command {
	const char *name;
	int (*run)(struct args *args);
	const char *usage;
};

/* Print "flitcast: TEXT" on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and exit. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void bad_usage(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* The object of this run, whose help bad_usage() names; NULL: none. */
extern const char *usage_object;

/* The word, if it is the next; moves on. */
bool take_word(struct args *args, const char *word);
/* The same for an option, with no abbreviation. */
bool take_option(struct args *args, const char *option);
/* Take help, -h or --help, if it is the next word. */
bool take_help(struct args *args);
/* The next word; @what says what is missing if there is none. */
const char *take_any(struct args *args, const char *what);
/* Wrong usage if words are left. */
void take_end(const struct args *args);

/* Is the word a prefix of the name? */
bool is_prefix(const char *word, const char *name);

/**
 * run_command() - find the command that the next word names, and run it
 * @object: for usage
 * @table: commands, ended by one without a name
 * @args: at the command; without one the command "show" is meant
 *
 * Return: exit status.
 */
int run_command(const char *object, const struct command *table, struct args *args);

/* A number from min to max; @what names it in the complaint (wrong usage). */
uint32_t parse_number(const char *text, uint32_t min, uint32_t max, const char *what);
/* On or off. */
bool parse_switch(const char *text, const char *what);
/* A time with its unit (500us, 20ms, 1.5s), in microseconds. */
uint32_t parse_time(const char *text, const char *what);
/* Seconds with a fraction, in milliseconds; from min to a day. */
uint32_t parse_seconds(const char *text, uint32_t min, const char *what);

void *xalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Set by the first signal after catch_signals(). */
extern volatile sig_atomic_t interrupted;
/*
 * The first SIGINT, SIGTERM or SIGHUP sets @interrupted, the next one ends the program; one that
 * is ignored stays ignored.
 */
void catch_signals(void);

/* Monotonic clock. */
uint64_t now_ns(void);

/**
 * progress() - show on a terminal how far long work is
 * @what: kind of work
 * @done: done so far
 * @total: of all, or 0 where nobody knows
 * @unit: bytes are shown as such, with their rate, other units as plain numbers
 *
 * Does nothing where stderr is no terminal.
 */
void progress(const char *what, uint64_t done, uint64_t total, const char *unit);
/* progress() with a remark, for which @remark is called when the line is due; NULL: none. */
void progress_remark(const char *what, uint64_t done, uint64_t total, const char *unit,
		     const char *(*remark)(const void *arg), const void *arg);
/* Wipe the line. */
void progress_end(void);

#endif /* FLITCAST_CLI_UTIL_H */
