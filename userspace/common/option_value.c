// SPDX-License-Identifier: GPL-2.0
/*
 * The values of options.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "option_impl.h"

/* Longest time: one day, in seconds. */
#define SECONDS_MAX	86400

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

static int read_number(const struct option_entry *entry, u64 *number, const char *value)
{
	const char *end;

	if (option_number(value, entry->most, number, &end) && !*end && *number >= entry->least)
		return 0;
	return option_usage("%s is a number from %llu to %llu, not \"%s\"", shown(entry),
			    (unsigned long long)entry->least, (unsigned long long)entry->most,
			    value);
}

/* Parse a text that is a decimal fraction, in millionths. */
static bool fraction(const char *text, u64 most, u64 *value)
{
	u64 whole, part = 0, unit = OPTION_UNIT;

	if (!option_number(text, most / OPTION_UNIT, &whole, &text))
		return false;
	if (*text == '.') {
		if (!text[1])
			return false;
		for (text++; *text >= '0' && *text <= '9'; text++) {
			unit /= 10;
			/* No value has a finer unit. */
			if (!unit && *text != '0')
				return false;
			part += unit * (u64)(*text - '0');
		}
	}
	*value = whole * OPTION_UNIT + part;
	return !*text && *value <= most;
}

static int read_fraction(const struct option_entry *entry, u64 *number, const char *value)
{
	if (fraction(value, entry->most, number) && *number >= entry->least)
		return 0;
	return option_usage(entry->least ? "%s is a number above 0 and at most %g, not \"%s\"" :
			    "%s is a number from 0 to %g, such as 0.25, not \"%s\"", shown(entry),
			    (double)entry->most / OPTION_UNIT, value);
}

static int read_time(const struct option_entry *entry, u64 *usecs, const char *value)
{
	static const struct {
		const char *unit;
		double usecs;
	} units[] = { { "us", 1 }, { "ms", 1e3 }, { "s", 1e6 } };
	double number;
	char *end;

	number = strtod(value, &end);
	for (u32 i = 0; i < FC_ARRAY_SIZE(units) && end != value; i++) {
		if (strcmp(end, units[i].unit))
			continue;
		number = number * units[i].usecs + 0.5;
		if (!(number >= 0.5 && number < UINT32_MAX))
			break;
		*usecs = (u64)number;
		return 0;
	}
	return option_usage("%s is a time such as 500us, 20ms or 1.5s, not \"%s\"", shown(entry),
			    value);
}

static int read_seconds(const struct option_entry *entry, u64 *msecs, const char *value)
{
	double least = (double)entry->least / 1e3, number;
	char *end;

	number = strtod(value, &end);
	if (!*value || *end || !isfinite(number) || number < least || number > SECONDS_MAX)
		return option_usage("%s is a number of seconds from %g to %d, not \"%s\"",
				    shown(entry), least, SECONDS_MAX, value);
	*msecs = (u64)(number * 1e3 + 0.5);
	return 0;
}

static int read_switch(const struct option_entry *entry, u64 *number, const char *value)
{
	*number = !strcmp(value, "on");
	if (*number || !strcmp(value, "off"))
		return 0;
	return option_usage("%s is on or off, not \"%s\"", shown(entry), value);
}

static int read_choice(const struct option_entry *entry, u64 *index, const char *value)
{
	char names[256] = "";
	size_t n = 0;

	for (u32 i = 0; i < entry->nchoices; i++) {
		const char *name = choice(entry, i)->name;

		*index = i;
		if (name && !strcasecmp(value, name))
			return 0;
		if (name && n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
					      name);
	}
	return option_usage("%s is one of %s, not \"%s\"", shown(entry), names, value);
}

/* Read a value, and store it in the settings of a command that has them. */
int read_value(struct option_value *value, void *settings)
{
	const struct option_entry *entry = value->entry;
	void *at = settings ? (char *)settings + entry->at : NULL;
	struct stat status_of;
	int status = 0;

	if (entry->how & OPTION_MAYBE && !value->text)
		return 0;
	switch (entry->type) {
	case OPTION_HEADING:
	case OPTION_REST:
		return 0;
	case OPTION_FLAG:
		if (at)
			*(bool *)at = true;
		return 0;
	case OPTION_NUMBER:
		status = read_number(entry, &value->number, value->text);
		break;
	case OPTION_FRACTION:
		status = read_fraction(entry, &value->number, value->text);
		break;
	case OPTION_TIME:
		status = read_time(entry, &value->number, value->text);
		break;
	case OPTION_SECONDS:
		status = read_seconds(entry, &value->number, value->text);
		break;
	case OPTION_SWITCH:
		status = read_switch(entry, &value->number, value->text);
		break;
	case OPTION_CHOICE:
		status = read_choice(entry, &value->number, value->text);
		if (!status && at)
			*(u32 *)at = (u32)value->number;
		return status;
	case OPTION_DIRECTORY:
		if (stat(value->text, &status_of) || access(value->text, W_OK | X_OK))
			return option_usage("%s %s: %s", shown(entry), value->text,
					    strerror(errno));
		if (!S_ISDIR(status_of.st_mode))
			return option_usage("%s %s: %s", shown(entry), value->text,
					    strerror(ENOTDIR));
		/* fall through */
	case OPTION_TEXT:
	case OPTION_FILE:
		if (at)
			*(const char **)at = value->text;
		return 0;
	case OPTION_OTHER:
		return entry->take(settings, entry, value->text);
	}
	if (!status && at)
		*(u64 *)at = value->number;
	return status;
}
