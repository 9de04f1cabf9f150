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

/* Exit status: refused or failed; wrong usage; only some of the targets were reached. */
#define EXIT_FAILED	1
#define EXIT_USAGE	2
#define EXIT_PARTLY	3

/* Error message if the kernel does not know the family. */
#define MODULE_MISSING	"the module flitcast is not loaded: modprobe flitcast loads it"
/* Return: that message, or one with the reason why modprobe fails, where it is known. */
const char *module_missing(void);

/* Print "flitcast: TEXT" on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Print an error message as complain() does, and exit. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Exit with the status of wrong usage, and refer to the help of the current command. */
void bad_usage(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Parse a number from @min to @max; @what names it in the error message (wrong usage). */
uint32_t parse_number(const char *text, uint32_t min, uint32_t max, const char *what);
void *xalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Set by the first signal after catch_signals(). */
extern volatile sig_atomic_t interrupted;
/*
 * The first SIGINT, SIGTERM or SIGHUP sets @interrupted, the next one ends the program; ignored
 * signals stay ignored.
 */
void catch_signals(void);

/* Monotonic clock. */
uint64_t now_ns(void);

/**
 * progress() - show the progress of long work on a terminal
 * @what: kind of work
 * @done: done so far
 * @total: total, or 0 if unknown
 * @unit: bytes are shown as such, with their rate, other units as plain numbers
 *
 * Does nothing if stderr is no terminal.
 */
void progress(const char *what, uint64_t done, uint64_t total, const char *unit);
/* progress() with a remark, the result of @remark when the line is due; NULL: none. */
void progress_remark(const char *what, uint64_t done, uint64_t total, const char *unit,
		     const char *(*remark)(const void *arg), const void *arg);
/* Wipe the line. */
void progress_end(void);

#endif /* FLITCAST_CLI_UTIL_H */
