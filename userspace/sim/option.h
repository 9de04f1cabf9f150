/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of options, common to the commands.
 */
#ifndef FLITCAST_SIM_OPTION_H
#define FLITCAST_SIM_OPTION_H

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

/* Of a fraction: it is told in millionths. */
#define OPTION_UNIT	1000000

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
