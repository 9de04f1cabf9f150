// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "option.h"
#include "output.h"
#include "util.h"

/* Options of a command, with --help and the empty one at their end. */
#define OPTIONS_MAX	64

/* Columns of the usage text left of what an option means. */
#define USAGE_INDENT	20

/**
 * struct option_given - what was given of the options of a command
 * @command: the command
 * @given: by index of the option
 */
struct option_given {
	const struct option_command *command;
	bool given[OPTIONS_MAX];
};

int option_refuse(const char *option, const char *value, const char *why)
{
	fprintf(stderr, "flitcast-sim: --%s %s: %s\n", option, value, why);
	return 2;
}

static bool is_option(const struct option_entry *entry)
{
	return entry->type != OPTION_HEADING && entry->type != OPTION_OPERAND;
}

static const struct option_choice *choice(const struct option_entry *entry, u32 i)
{
	return (const struct option_choice *)((const char *)entry->choices + i * entry->stride);
}

/*
 * The usage text.
 */

static void usage_text(FILE *file, const char *text)
{
	for (; *text; text++) {
		fputc(*text, file);
		if (*text == '\n')
			fprintf(file, "%*s", USAGE_INDENT, "");
	}
}

static void usage_entry(FILE *file, const struct option_entry *entry, const char *defaults)
{
	const void *value = defaults + entry->at;
	int column;

	if (entry->type == OPTION_HEADING) {
		fprintf(file, "%s\n", entry->help);
		return;
	}
	column = fprintf(file, entry->type == OPTION_NUMBER ? "  --%-10s %s" : "  --%s %s",
			 entry->name, entry->value ? entry->value : "");
	fprintf(file, "%*s", column < USAGE_INDENT ? USAGE_INDENT - column : 1, "");
	if (entry->help)
		usage_text(file, entry->help);
	else
		fprintf(file, "(%s)", choice(entry, *(const u32 *)value)->name);
	if (entry->type == OPTION_NUMBER && *(const u64 *)value <= entry->most)
		fprintf(file, " (%llu)", *(const unsigned long long *)value);
	fprintf(file, "\n");
	for (u32 i = 0; i < entry->nchoices; i++)
		if (choice(entry, i)->help)
			fprintf(file, "%*s%s: %s\n", USAGE_INDENT + 2, "", choice(entry, i)->name,
				choice(entry, i)->help);
	if (entry->more)
		entry->more(file);
}

static void usage(FILE *file, const struct option_command *command)
{
	fputs(command->head, file);
	for (u32 i = 0; i < command->nentries; i++)
		if (command->entries[i].type != OPTION_OPERAND)
			usage_entry(file, &command->entries[i], command->defaults);
	fputs(command->tail, file);
}

/*
 * Values.
 */

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

static int take_number(const struct option_entry *entry, u64 *number, const char *value)
{
	const char *end;
	char why[64];
	u64 n;

	if (option_number(value, entry->most, &n, &end) && !*end && n >= entry->least) {
		*number = n;
		return 0;
	}
	snprintf(why, sizeof(why), "must be a whole number from %llu to %llu",
		 (unsigned long long)entry->least, (unsigned long long)entry->most);
	return option_refuse(entry->name, value, why);
}

/* A decimal fraction and nothing behind it, in millionths. */
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
			part += unit * (u64)(*text - '0');
		}
	}
	*value = whole * OPTION_UNIT + part;
	return !*text && *value <= most;
}

static int take_fraction(const struct option_entry *entry, u64 *number, const char *value)
{
	char why[64];

	if (fraction(value, entry->most, number) && *number >= entry->least)
		return 0;
	snprintf(why, sizeof(why),
		 entry->least ? "must be a number above 0 and at most %g" :
				"must be a number from 0 to %g, such as 0.25",
		 (double)entry->most / OPTION_UNIT);
	return option_refuse(entry->name, value, why);
}

/* Refuses a value with the names that there are: "one, another or a third". */
static int refuse_choice(const struct option_entry *entry, const char *value)
{
	u32 last = entry->nchoices - 1;
	char why[256] = "must be ";
	size_t start = strlen(why), n = start;

	for (u32 i = 0; i <= last; i++)
		if (choice(entry, i)->name)
			n += (size_t)snprintf(why + n, sizeof(why) - n, "%s%s",
					      n == start ? "" : i < last ? ", " : " or ",
					      choice(entry, i)->name);
	return option_refuse(entry->name, value, why);
}

static int take_choice(const struct option_entry *entry, u32 *index, const char *value)
{
	for (u32 i = 0; i < entry->nchoices; i++) {
		if (choice(entry, i)->name && !strcasecmp(value, choice(entry, i)->name)) {
			*index = i;
			return 0;
		}
	}
	return refuse_choice(entry, value);
}

static int take(const struct option_entry *entry, void *settings, const char *value)
{
	void *at = (char *)settings + entry->at;

	switch (entry->type) {
	case OPTION_FLAG:
		*(bool *)at = true;
		return 0;
	case OPTION_NUMBER:
		return take_number(entry, at, value);
	case OPTION_FRACTION:
		return take_fraction(entry, at, value);
	case OPTION_CHOICE:
		return take_choice(entry, at, value);
	case OPTION_DIRECTORY:
		if (access(value, W_OK | X_OK))
			return option_refuse(entry->name, value, strerror(errno));
		*(const char **)at = value;
		return 0;
	case OPTION_TEXT:
	case OPTION_OPERAND:
		*(const char **)at = value;
		return 0;
	case OPTION_OTHER:
		return entry->take(settings, entry, value);
	case OPTION_HEADING:
		break;
	}
	return 0;
}

/*
 * What was given.
 */

bool option_was_given(const struct option_given *given, const char *name)
{
	const struct option_command *command = given->command;

	for (u32 i = 0; i < command->nentries; i++)
		if (given->given[i] && !strcmp(command->entries[i].name, name))
			return true;
	return false;
}

int option_meaningless(const struct option_given *given, const char *const *names,
		       const char *where)
{
	for (; *names; names++) {
		if (!option_was_given(given, *names))
			continue;
		fprintf(stderr, "flitcast-sim: --%s means nothing %s; leave it out\n", *names,
			where);
		return 2;
	}
	return 0;
}

/* Refuses what has a meaning only for a report where one run is asked for, and the reverse. */
static int check_forms(const struct option_given *given)
{
	bool report = option_was_given(given, "reproduce");
	enum option_form other = report ? OPTION_RUN : OPTION_REPORT;

	for (u32 i = 0; i < given->command->nentries; i++) {
		const struct option_entry *entry = &given->command->entries[i];

		if (!given->given[i] || entry->form != other || !strcmp(entry->name, "reproduce"))
			continue;
		fprintf(stderr, "flitcast-sim: --%s means nothing %s --reproduce; leave it out\n",
			entry->name, report ? "with" : "without");
		return 2;
	}
	return 0;
}

int option_usage(const char *command, const char *what, const char *subject)
{
	fprintf(stderr, "flitcast-sim: %s: %s%s%s; flitcast-sim %s --help lists the options\n",
		command, what, subject ? " " : "", subject ? subject : "", command);
	return 2;
}

int option_wrong(int argc, char **argv, int how)
{
	char letter[] = { '-', (char)optopt, '\0' };
	const char *given = optind > 0 && optind <= argc ? argv[optind - 1] : letter;

	/* A letter, perhaps among others: getopt_long() has not gone on to the next argument. */
	if (strncmp(given, "--", 2))
		given = letter;
	return option_usage(argv[0], how == ':' ? "a value is missing after" :
			    "unknown or ambiguous option", given);
}

static int take_operand(const struct option_command *command, void *settings, int argc,
			char **argv)
{
	for (u32 i = 0; i < command->nentries; i++) {
		if (command->entries[i].type != OPTION_OPERAND)
			continue;
		if (optind == argc)
			return option_usage(argv[0], "an argument is missing:",
					    command->entries[i].name);
		take(&command->entries[i], settings, argv[optind++]);
	}
	if (optind == argc)
		return 0;
	return option_usage(argv[0], "unexpected argument", argv[optind]);
}

/* As getopt_long() wants them: the value of each is its index and one. */
static void collect(struct option *options, const struct option_command *command)
{
	if (command->nentries + 2 > OPTIONS_MAX)
		die("a command with more than %u options", OPTIONS_MAX - 2);
	for (u32 i = 0; i < command->nentries; i++) {
		const struct option_entry *entry = &command->entries[i];

		if (is_option(entry))
			*options++ = (struct option){
				entry->name, entry->value ? required_argument : no_argument, NULL,
				(int)i + 1
			};
	}
	*options++ = (struct option){ "help", no_argument, NULL, 'h' };
	*options = (struct option){ 0 };
}

int option_parse(const struct option_command *command, void *settings, int argc, char **argv)
{
	struct option_given given = { .command = command };
	struct option options[OPTIONS_MAX];
	int option, status = 0;

	collect(options, command);
	opterr = 0;
	while (!status && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout, command);
			return 0;
		}
		if (option == '?' || option == ':')
			return option_wrong(argc, argv, option);
		given.given[option - 1] = true;
		status = take(&command->entries[option - 1], settings, optarg);
	}
	if (!status)
		status = take_operand(command, settings, argc, argv);
	if (!status)
		status = check_forms(&given);
	if (!status && command->check)
		status = command->check(settings, &given);
	return status ? status : -1;
}

void option_output(const struct option_command *command, const void *settings)
{
	for (u32 i = 0; i < command->nentries; i++) {
		const struct option_entry *entry = &command->entries[i];

		if (entry->type == OPTION_NUMBER && entry->form != OPTION_REPORT)
			output_number(entry->name,
				      *(const u64 *)((const char *)settings + entry->at));
	}
}
