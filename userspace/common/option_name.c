// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "option_impl.h"

char option_current[NAME_SIZE];

int option_vusage(const char *format, va_list args)
{
	fprintf(stderr, "%s: %s%s", option_program.name, option_current, *option_current ? ": " : "");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\nTry: %s %s%s--help\n", option_program.name, option_current,
		*option_current ? " " : "");
	return 2;
}

int option_usage(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	option_vusage(format, args);
	va_end(args);
	return 2;
}

int option_refuse(const char *option, const char *value, const char *why)
{
	fprintf(stderr, "%s: --%s %s: %s\n", option_program.name, option, value, why);
	return 2;
}

/* Name of an option with its dashes. */
const char *shown(const struct option_entry *entry)
{
	static char name[NAME_SIZE];

	if (!option_program.dashes || is_plain(entry) || *entry->name == '-')
		return entry->name;
	snprintf(name, sizeof(name), "--%s", entry->name);
	return name;
}

const struct option_choice *choice(const struct option_entry *entry, u32 i)
{
	return (const struct option_choice *)((const char *)entry->choices + i * entry->stride);
}

/* Name of the value, for the synopsis. */
const char *value_name(const struct option_entry *entry)
{
	static char text[256];
	size_t n = 0;

	if (entry->value)
		return entry->value;
	if (entry->type == OPTION_SWITCH)
		return "{ on | off }";
	for (u32 i = 0; i < entry->nchoices && n < sizeof(text); i++)
		if (choice(entry, i)->name)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %s", n ? " |" : "{",
					      choice(entry, i)->name);
	snprintf(text + n, n < sizeof(text) ? sizeof(text) - n : 0, " }");
	return text;
}
