// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "option.h"

int option_refuse(const char *option, const char *value, const char *why)
{
	fprintf(stderr, "flitcast-sim: --%s %s: %s\n", option, value, why);
	return 2;
}

bool option_number(const char *text, u64 most, u64 *value, const char **end)
{
	u64 n = 0;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		n = 10 * n + (u64)(*text - '0');
		if (n > most)
			return false;
	}
	*value = n;
	*end = text;
	return true;
}

bool option_fraction(const char *text, u64 most, u64 *value)
{
	u64 whole, part = 0, unit = OPTION_UNIT;

	if (!option_number(text, most / OPTION_UNIT, &whole, &text))
		return false;
	if (*text == '.') {
		if (!text[1])
			return false;
		for (text++; *text >= '0' && *text <= '9'; text++) {
			unit /= 10;
			part += unit * (u64)(*text - '0');
		}
	}
	*value = whole * OPTION_UNIT + part;
	return !*text && *value <= most;
}
