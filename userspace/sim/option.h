/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of options, common to the commands.
 */
#ifndef FLITCAST_SIM_OPTION_H
#define FLITCAST_SIM_OPTION_H

#include "base.h"

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
