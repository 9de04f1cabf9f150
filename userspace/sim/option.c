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

u64 *option_place(const struct option_entry *entry, void *settings)
{
	return (u64 *)((char *)settings + entry->at);
}

int option_set(const struct option_entry *entry, void *settings, const char *value)
{
	const char *end;
	u64 n;

	if (!option_number(value, entry->most, &n, &end) || *end || n < entry->least) {
		fprintf(stderr, "flitcast-sim: --%s %s: a number from %llu to %llu\n", entry->name,
			value, (unsigned long long)entry->least, (unsigned long long)entry->most);
		return 2;
	}
	*option_place(entry, settings) = n;
	return 0;
}

void option_help(FILE *file, const struct option_entry *entry, void *defaults)
{
	fprintf(file, "  --%-10s N    %s (%llu)\n", entry->name, entry->help,
		(unsigned long long)*option_place(entry, defaults));
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
