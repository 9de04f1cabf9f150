// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "option.h"
#include "util.h"

/* Options of a command, with the empty one at their end. */
#define OPTIONS_MAX	64

/* All options of a command, and by their @val whether they were given. */
struct option_given {
	struct option option[OPTIONS_MAX];
	bool by_val[OPTIONS_MAX];
};

int option_refuse(const char *option, const char *value, const char *why)
{
	fprintf(stderr, "flitcast-sim: --%s %s: %s\n", option, value, why);
	return 2;
}

int option_directory(const char *option, const char *value, const char **dir)
{
	*dir = value;
	return access(value, W_OK | X_OK) ? option_refuse(option, value, strerror(errno)) : 0;
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

static void collect(struct option_given *given, const struct option_command *command)
{
	u32 n = command->nwords;

	if (n + command->nnumbers + 2 > OPTIONS_MAX)
		die("a command with more than %u options", OPTIONS_MAX - 2);
	*given = (struct option_given){ 0 };
	memcpy(given->option, command->words, n * sizeof(*command->words));
	for (u32 i = 0; i < command->nnumbers; i++, n++)
		given->option[n] = (struct option){
			command->numbers[i].name, required_argument, NULL, (int)n + 1
		};
	given->option[n] = (struct option){ "help", no_argument, NULL, 'h' };
}

int option_parse(const struct option_command *command, void *settings, int argc, char **argv)
{
	struct option_given given;
	int option, status;

	collect(&given, command);
	while ((option = getopt_long(argc, argv, "h", given.option, NULL)) != -1) {
		u32 number = (u32)option - command->nwords - 1;

		if (option == 'h') {
			command->usage(stdout);
			return 0;
		}
		if (option == '?')
			return 2;
		given.by_val[option] = true;
		if ((u32)option > command->nwords)
			status = option_set(&command->numbers[number], settings, optarg);
		else
			status = command->set(settings, option, optarg);
		if (status)
			return status;
	}
	if (optind < argc) {
		fprintf(stderr, "flitcast-sim: unexpected argument \"%s\"\n", argv[optind]);
		return 2;
	}
	status = command->check(settings, &given);
	return status ? status : -1;
}

static bool among(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names;
}

static bool was_given(const struct option_given *given, const struct option *option)
{
	return option->val < OPTIONS_MAX && given->by_val[option->val];
}

int option_meaningless(const struct option_given *given, const char *const *names,
		       const char *where)
{
	for (const struct option *o = given->option; o->name; o++) {
		if (!was_given(given, o) || !among(o->name, names))
			continue;
		fprintf(stderr, "flitcast-sim: --%s means nothing %s\n", o->name, where);
		return 2;
	}
	return 0;
}

int option_forms(const struct option_given *given, bool reproduce, const char *const *both,
		 const char *const *report)
{
	for (const struct option *o = given->option; o->name; o++) {
		if (!was_given(given, o) || !strcmp(o->name, "reproduce") ||
		    among(o->name, both) || among(o->name, report) == reproduce)
			continue;
		fprintf(stderr, "flitcast-sim: --%s means nothing %s --reproduce\n", o->name,
			reproduce ? "with" : "without");
		return 2;
	}
	return 0;
}
