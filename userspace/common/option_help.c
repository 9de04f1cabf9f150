// SPDX-License-Identifier: GPL-2.0
/*
 * The synopsis of a command, and its help.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option_impl.h"

/* Columns of the help: indentation of an option's meaning, and total width. */
#define HELP_INDENT	20
#define HELP_WIDTH	80

/* Print text, in the manual page with its font: names are bold, names of values italic. */
static void put(FILE *file, const char *font, const char *text, bool roff)
{
	if (!roff) {
		fputs(text, file);
		return;
	}
	fprintf(file, "\\f%s", font);
	for (; *text; text++)
		fprintf(file, *text == '-' ? "\\%c" : "%c", *text);
	fputs("\\fR", file);
}

static void put_entry(FILE *file, const struct option_entry *entry, bool roff)
{
	bool words = has_value(entry) && *value_name(entry) == '{';

	if (is_plain(entry)) {
		put(file, "I", entry->name, roff);
		if (entry->value)
			put(file, "R", entry->value, roff);
	} else {
		if (entry->how & OPTION_BARE)
			fputc('[', file);
		put(file, "B", shown(entry), roff);
		if (entry->how & OPTION_BARE)
			fputc(']', file);
	}
	if (has_value(entry)) {
		fputs(entry->how & OPTION_MAYBE ? "[=" : " ", file);
		put(file, words ? "B" : "I", value_name(entry), roff);
		fputs(entry->how & OPTION_MAYBE ? "]" : "", file);
	}
}

/*
 * Return: the piece of the synopsis with entry @i and its alternatives, to be freed; NULL if
 * an earlier piece contains the entry.
 */
char *piece(const struct option_command *command, u32 i, bool roff)
{
	const struct option_entry *entry = &command->entries[i], *other;
	bool several = false;
	u32 how = 0;
	char *text;
	size_t size;
	FILE *file;

	if (!is_option(entry) || entry->how & OPTION_HIDDEN ||
	    (option_program.dashes && !(entry->how & (OPTION_NEED | OPTION_PLAIN))))
		return NULL;
	for (u32 k = 0; k < command->nentries; k++) {
		other = &command->entries[k];
		if (!same_group(entry, other) || other->how & OPTION_HIDDEN)
			continue;
		if (k < i)
			return NULL;
		how |= other->how & (OPTION_NEED | OPTION_REPEAT);
		several |= k != i;
	}
	file = open_memstream(&text, &size);
	if (!file)
		return NULL;
	if (!(how & OPTION_NEED) || several)
		fputs(how & OPTION_NEED ? "{ " : "[", file);
	for (u32 k = i; k < command->nentries; k++) {
		other = &command->entries[k];
		if (!same_group(entry, other) || other->how & OPTION_HIDDEN)
			continue;
		if (k != i)
			fputs(" | ", file);
		put_entry(file, other, roff);
	}
	if (!(how & OPTION_NEED) || several)
		fputs(how & OPTION_NEED ? " }" : "]", file);
	if (how & OPTION_REPEAT)
		fputs("...", file);
	fclose(file);
	return text;
}

/* Print "flitcast link add DEV port P ...", for a terminal in lines of its width. */
static void synopsis(FILE *file, const char *lead, const char *words,
		     const struct option_command *command, bool roff)
{
	char name[2 * NAME_SIZE];
	int column = (int)strlen(lead), indent;
	u32 pieces = 0;
	char *text;

	snprintf(name, sizeof(name), "%s%s%s", option_program.name, *words ? " " : "", words);
	fputs(lead, file);
	put(file, "B", name, roff);
	column += (int)strlen(name);
	indent = column + 1;
	for (u32 i = 0; i < command->nentries; i++) {
		text = piece(command, i, roff);
		if (!text)
			continue;
		pieces++;
		if (!roff && column >= indent && column + 1 + (int)strlen(text) > HELP_WIDTH) {
			fprintf(file, "\n%*s", indent - 1, "");
			column = indent - 1;
		}
		column += fprintf(file, " %s", text);
		free(text);
	}
	if (command == &option_program.globals)
		fputs(" COMMAND [ARGUMENT]...", file);
	else if (option_program.dashes && command->nentries > pieces + 1)
		fputs(" [OPTION]...", file);
	fputc('\n', file);
}

static void help_text(FILE *file, const char *text)
{
	for (; *text; text++) {
		fputc(*text, file);
		if (*text == '\n')
			fprintf(file, "%*s", HELP_INDENT, "");
	}
}

static void help_entry(FILE *file, const struct option_entry *entry, const char *defaults)
{
	const void *value = defaults ? defaults + entry->at : NULL;
	int column;

	if (!is_option(entry)) {
		fprintf(file, "%s\n", entry->help);
		return;
	}
	if (entry->how & OPTION_HIDDEN || (!entry->help && is_plain(entry)))
		return;
	column = fprintf(file, "  %s", shown(entry));
	if (entry->longer)
		column += fprintf(file, ", %s", entry->longer);
	if (has_value(entry))
		column += fprintf(file, entry->how & OPTION_MAYBE ? "[=%s]" : " %s",
				  value_name(entry));
	if (column >= HELP_INDENT)
		column = fprintf(file, "\n") - 1;
	fprintf(file, "%*s", HELP_INDENT - column, "");
	if (entry->help)
		help_text(file, entry->help);
	else
		fprintf(file, "(%s)", choice(entry, *(const u32 *)value)->name);
	if (defaults && entry->type == OPTION_NUMBER && *(const u64 *)value <= entry->most)
		fprintf(file, " (%llu)", *(const unsigned long long *)value);
	else if (!defaults && entry->type == OPTION_NUMBER && entry->most < UINT32_MAX - 1)
		fprintf(file, ", %llu to %llu", (unsigned long long)entry->least,
			(unsigned long long)entry->most);
	fprintf(file, "\n");
	for (u32 i = 0; i < entry->nchoices; i++)
		if (choice(entry, i)->help)
			fprintf(file, "%*s%s: %s\n", HELP_INDENT + 2, "", choice(entry, i)->name,
				choice(entry, i)->help);
	if (entry->more)
		entry->more(file);
}

void help_command(FILE *file, const struct option_command *command)
{
	synopsis(file, "Usage: ", option_current, command, false);
	fprintf(file, command->nentries ? "\n%s.\n\n" : "\n%s.\n", command->help);
	for (u32 i = 0; i < command->nentries; i++)
		help_entry(file, &command->entries[i], command->defaults);
	if (command->tail)
		fputs(command->tail, file);
	if (command->variant) {
		fputc('\n', file);
		fprintf(file, "%s %s %s --help tells about that form.\n", option_program.name,
			option_current, command->variant->name);
	}
}

/* Call a function for a command, for its variant, and for the commands of an object. */
static void each_command(const char *words, const struct option_command *command,
			 void (*call)(const char *words, const struct option_command *command))
{
	char longer[NAME_SIZE];

	if (command->commands) {
		for (const struct option_command *c = command->commands; c->name; c++) {
			snprintf(longer, sizeof(longer), "%s %s", words, c->name);
			each_command(longer, c, call);
		}
		return;
	}
	call(words, command);
	if (command->variant) {
		snprintf(longer, sizeof(longer), "%s %s", words, command->variant->name);
		call(longer, command->variant);
	}
}

static FILE *list_file;
static const char *list_lead;

static void list_command(const char *words, const struct option_command *command)
{
	synopsis(list_file, list_lead, words, command, false);
	list_lead = "       ";
}

/* Print the synopsis of each command of an object. */
void help_object(FILE *file, const struct option_command *object)
{
	list_file = file;
	list_lead = "Usage: ";
	each_command(object->name, object, list_command);
	fprintf(file, "\n%s.  Help of a command: %s %s COMMAND --help\n", object->help,
		option_program.name, object->name);
}

void help_program(FILE *file)
{
	fprintf(file, "Usage: %s %sCOMMAND [ARGUMENT]...\n\n%s.\n\n",
		option_program.name, option_program.globals.nentries ? "[OPTION]... " : "",
		option_program.help);
	for (u32 i = 0; option_program.commands[i]; i++)
		fprintf(file, "  %-16s  %s\n", option_program.commands[i]->name,
			option_program.commands[i]->help);
	fprintf(file, "  %-16s  %s\n  %-16s  %s\n\n", "help [COMMAND]", HELP_OF_HELP,
		"completion SHELL", HELP_OF_COMPLETION);
	for (u32 i = 0; i < option_program.globals.nentries; i++)
		help_entry(file, &option_program.globals.entries[i], NULL);
	fprintf(file, "%s%s COMMAND --help prints the help of a command.\n",
		option_program.globals.nentries ? "\n" : "", option_program.name);
}

/* Print a synopsis for the manual, which selftests/sock/check-man compares and updates. */
static void man_command(const char *words, const struct option_command *command)
{
	puts(".HP");
	synopsis(stdout, "", words, command, true);
}

int print_synopsis(void)
{
	man_command("", &option_program.globals);
	for (u32 i = 0; option_program.commands[i]; i++)
		each_command(option_program.commands[i]->name, option_program.commands[i],
			     man_command);
	return 0;
}
