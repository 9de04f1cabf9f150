// SPDX-License-Identifier: GPL-2.0
/*
 * The arguments of a command.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option_impl.h"

/*
 * The options that were given.
 */

static const struct option_value *find_value(const struct option_given *given, const char *name)
{
	for (u32 i = given->count; i--;)
		if (!strcmp(given->values[i].entry->name, name))
			return &given->values[i];
	return NULL;
}

bool option_was_given(const struct option_given *given, const char *name)
{
	return find_value(given, name);
}

u64 option_get(const struct option_given *given, const char *name, u64 otherwise)
{
	const struct option_value *value = find_value(given, name);

	return value ? value->number : otherwise;
}

const char *option_text(const struct option_given *given, const char *name)
{
	const struct option_value *value = find_value(given, name);

	return value ? value->text : NULL;
}

const struct option_value *option_nth(const struct option_given *given, const char *name, u32 n)
{
	for (u32 i = 0; i < given->count; i++)
		if (!strcmp(given->values[i].entry->name, name) && !n--)
			return &given->values[i];
	return NULL;
}

int option_meaningless(const struct option_given *given, const char *const *names,
		       const char *where)
{
	for (; *names; names++) {
		if (!option_was_given(given, *names))
			continue;
		return option_usage("--%s means nothing %s; leave it out", *names, where);
	}
	return 0;
}

/* Refuse options that only apply to a report in a single run, and the reverse. */
static int check_forms(const struct option_given *given)
{
	bool report = option_was_given(given, "reproduce");
	enum option_form other = report ? OPTION_RUN : OPTION_REPORT;

	for (u32 i = 0; i < given->count; i++) {
		const struct option_entry *entry = given->values[i].entry;

		if (entry->form == other && strcmp(entry->name, "reproduce"))
			return option_usage("--%s means nothing %s --reproduce; leave it out",
					    entry->name, report ? "with" : "without");
	}
	return 0;
}

/*
 * The parser.
 */

bool group_given(const struct option_given *given, const struct option_entry *entry)
{
	for (u32 i = 0; i < given->count; i++)
		if (same_group(given->values[i].entry, entry))
			return true;
	return false;
}

/* Next option whose value may be given without its name, or NULL. */
const struct option_entry *next_operand(const struct option_given *given)
{
	const struct option_command *command = given->command;

	for (u32 i = 0; i < command->nentries; i++) {
		const struct option_entry *entry = &command->entries[i];

		if (entry->how & (OPTION_PLAIN | OPTION_BARE) &&
		    (entry->how & OPTION_REPEAT || !group_given(given, entry)))
			return entry;
	}
	return NULL;
}

static const char *without_dashes(const char *name)
{
	return name + strspn(name, "-");
}

/* Does an argument that begins with a dash name the option?  @length: up to "=". */
static bool same_name(const struct option_entry *entry, const char *arg, size_t length, bool exact)
{
	const char *const names[] = { entry->name, entry->longer };

	if (!is_option(entry) || is_plain(entry))
		return false;
	for (u32 i = 0; i < FC_ARRAY_SIZE(names) && names[i]; i++) {
		const char *name = names[i];
		size_t dashes = strspn(arg, "-");

		/* A short option: a letter with one dash. */
		if (*name == '-' && name[1] != '-') {
			if (strlen(name) == length && !strncmp(name, arg, length))
				return true;
			continue;
		}
		name = without_dashes(name);
		if (dashes < 3 && length > dashes &&
		    !strncmp(name, arg + dashes, length - dashes) &&
		    (!exact || strlen(name) == length - dashes))
			return true;
	}
	return false;
}

/*
 * Find the option of the command or the program that an argument with a dash names, in full, or by
 * more than one letter of it.  @found: number of options that match.
 */
static const struct option_entry *find_dashed(const struct option_command *command,
					      const char *arg, u32 *found)
{
	const struct option_command *tables[] = { command, &option_program.globals };
	size_t length = strcspn(arg, "=");
	const struct option_entry *entry = NULL;

	*found = 0;
	for (u32 pass = 0; pass < 4 && !*found; pass++) {
		const struct option_command *table = tables[pass % 2];

		if (pass >= 2 && length - strspn(arg, "-") < 2)
			break;
		/* A variant's name cannot be abbreviated: count a match, but select no option. */
		if (pass == 2 && command->variant &&
		    !strncmp(without_dashes(command->variant->name), without_dashes(arg),
			     length - strspn(arg, "-")))
			++*found;
		for (u32 i = 0; i < table->nentries; i++) {
			if (!same_name(&table->entries[i], arg, length, pass < 2))
				continue;
			entry = &table->entries[i];
			++*found;
		}
	}
	return entry;
}

const struct option_entry *option_find(const struct option_command *command, const char *arg)
{
	const struct option_entry *entry;
	u32 found;

	entry = find_dashed(command, arg, &found);
	return found == 1 ? entry : NULL;
}

/* Find the option that a word names; a prefix is enough. */
static const struct option_entry *find_word(const struct option_given *given, const char *word)
{
	const struct option_command *command = given->command;
	const struct option_entry *operand = next_operand(given);
	bool only_group = operand && operand->how & OPTION_NEED && !(operand->how & OPTION_LATE) &&
			  !group_given(given, operand);

	if (option_program.dashes || !*word || (operand && operand->type == OPTION_REST))
		return NULL;
	for (u32 i = 0; i < command->nentries; i++) {
		const struct option_entry *entry = &command->entries[i];

		if (is_option(entry) && !is_plain(entry) && *entry->name != '-' &&
		    !strncmp(word, entry->name, strlen(word)) &&
		    (!only_group || same_group(entry, operand)))
			return entry;
	}
	return NULL;
}

static void add_value(struct option_given *given, const struct option_entry *entry, char *text)
{
	given->values[given->count++] = (struct option_value){ .entry = entry, .text = text };
}

/*
 * Read the next option with its value.  @lacking: result: the option whose value is missing.
 * Return: 0, or 2 if the arguments are wrong and @quiet is false.
 */
int take_next(struct parser *parser, const struct option_entry **lacking, bool quiet)
{
	struct option_given *given = parser->given;
	const struct option_entry *entry = NULL, *operand = next_operand(given);
	/* Another program's command line begins here: its options are not those of @command. */
	bool rest = operand && operand->type == OPTION_REST && operand->how & OPTION_LATE;
	char *arg = parser->argv[0], *text = NULL;
	bool dashed = arg[0] == '-' && arg[1] && !parser->ended, named = true;
	u32 found = 0;

	*lacking = NULL;
	if (dashed && !strcmp(arg, "--")) {
		parser->ended = true;
		parser->argc--;
		parser->argv++;
		return 0;
	}
	if (dashed && !rest)
		entry = find_dashed(given->command, arg, &found);
	else if (!dashed && !parser->ended)
		entry = find_word(given, arg);
	/* An argument with one dash that names no option may be a value. */
	if (!entry && (!dashed || rest ||
		       (arg[1] != '-' && operand && operand->how & OPTION_DASH))) {
		entry = operand;
		named = false;
		found = 1;
	}
	if (dashed && given->command->variant && !strcmp(arg, given->command->variant->name))
		return quiet ? 2 : option_usage("%s must be the first argument", arg);
	if (dashed && (found != 1 || !entry))
		return quiet ? 2 : option_usage("%s option %s", found ? "ambiguous" : "unknown",
						arg);
	if (!entry)
		return quiet ? 2 : option_usage("unexpected argument \"%s\"", arg);
	if (entry->type == OPTION_REST) {
		given->argc = parser->argc;
		given->argv = parser->argv;
		add_value(given, entry, arg);
		parser->argc = 0;
		return 0;
	}
	if (!named || is_plain(entry)) {
		text = arg;
	} else if (dashed && strchr(arg, '=')) {
		text = strchr(arg, '=') + 1;
		if (!has_value(entry))
			return quiet ? 2 : option_usage("%s takes no value", shown(entry));
	} else if (has_value(entry) && !(entry->how & OPTION_MAYBE)) {
		parser->argc--;
		parser->argv++;
		if (!parser->argc) {
			*lacking = entry;
			return quiet ? 0 : option_usage("%s: its value %s is missing",
							shown(entry), value_name(entry));
		}
		text = parser->argv[0];
	}
	parser->argc--;
	parser->argv++;
	add_value(given, entry, text);
	return 0;
}

/* Check for options that exclude each other, and for required options. */
static int check_groups(const struct option_given *given)
{
	const struct option_command *command = given->command;
	char *text;
	int status;

	for (u32 i = 0; i < given->count; i++) {
		const struct option_entry *a = given->values[i].entry;

		for (u32 k = 0; k < i; k++) {
			const struct option_entry *b = given->values[k].entry;

			/* A request contains each attribute at most once. */
			if (a == b && !(a->how & OPTION_REPEAT) &&
			    (a->attr || a->how & OPTION_BARE))
				return option_usage("%s is given twice", shown(a));
			if (a == b || !same_group(a, b))
				continue;
			fprintf(stderr, "%s: %s: %s ", option_program.name, option_current,
				shown(b));
			fprintf(stderr, "and %s exclude each other\nTry: %s %s --help\n", shown(a),
				option_program.name, option_current);
			return 2;
		}
	}
	for (u32 i = 0; i < command->nentries; i++) {
		const struct option_entry *entry = &command->entries[i];

		if (!(entry->how & OPTION_NEED) || group_given(given, entry))
			continue;
		text = piece(command, i, false);
		status = option_usage("%s is missing", text ? text : entry->name);
		free(text);
		return status;
	}
	return 0;
}

bool asks_for_help(const struct parser *parser)
{
	return !parser->ended && (!strcmp(parser->argv[0], "--help") ||
				  !strcmp(parser->argv[0], "-h"));
}

/* Apply the settings of the program, then those of the command, in the order given. */
int read_values(struct option_given *given, void *settings)
{
	const struct option_command *globals = &option_program.globals;
	u32 kept = 0;
	int status = 0;

	for (u32 i = 0; i < given->count && !status; i++) {
		struct option_value *value = &given->values[i];
		bool global = globals->nentries && value->entry >= globals->entries &&
			      value->entry < globals->entries + globals->nentries;

		status = read_value(value, global ? NULL : settings);
		if (global && !status)
			option_program.set(value);
		else
			given->values[kept++] = *value;
	}
	given->count = kept;
	return status;
}

/*
 * Read the arguments of a command.  Return: the exit status, or -1 to continue with @given, whose
 * values the caller frees.
 */
int parse(const struct option_command *command, struct option_given *given, void *settings,
	  int argc, char **argv)
{
	struct parser parser = { .given = given, .argc = argc, .argv = argv };
	const struct option_entry *lacking;
	int status = 0;

	*given = (struct option_given){ .command = command };
	given->values = calloc((size_t)argc + 1, sizeof(*given->values));
	if (!given->values) {
		fprintf(stderr, "%s: out of memory\n", option_program.name);
		return 1;
	}
	if (argc == 1 && !strcmp(argv[0], "help")) {
		help_command(stdout, command);
		return 0;
	}
	while (!status && parser.argc) {
		if (asks_for_help(&parser)) {
			help_command(stdout, command);
			return 0;
		}
		status = take_next(&parser, &lacking, false);
	}
	if (!status)
		status = read_values(given, settings);
	if (!status)
		status = check_groups(given);
	if (!status)
		status = check_forms(given);
	if (!status && command->check)
		status = command->check(settings, given);
	return status ? status : -1;
}

int option_parse(const struct option_command *command, void *settings, int argc, char **argv)
{
	struct option_given given;
	int status;

	status = parse(command, &given, settings, argc - 1, argv + 1);
	free(given.values);
	return status;
}

/*
 * Commands.
 */

static bool is_prefix(const char *word, const char *name)
{
	return *word && !strncmp(word, name, strlen(word));
}

const struct option_command *find_command(const char *word)
{
	for (u32 i = 0; option_program.commands[i]; i++)
		if (is_prefix(word, option_program.commands[i]->name))
			return option_program.commands[i];
	return NULL;
}

void add_current(const char *word)
{
	size_t n = strlen(option_current);

	snprintf(option_current + n, sizeof(option_current) - n, "%s%s", n ? " " : "", word);
}

/*
 * Return: the command of an object, or the variant of a command, that the next argument names; the
 * command itself if the argument names none.
 */
const struct option_command *descend(const struct option_command *command, int *argc,
				     char ***argv)
{
	const struct option_command *next = command->commands;

	if (!*argc)
		return command;
	while (next && next->name && !is_prefix((*argv)[0], next->name))
		next++;
	if (command->variant && !strcmp((*argv)[0], command->variant->name))
		next = command->variant;
	if (!next || !next->name)
		return command;
	add_current(next->name);
	--*argc;
	++*argv;
	return next->variant ? descend(next, argc, argv) : next;
}
