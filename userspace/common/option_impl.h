/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of userspace/common share.
 */
#ifndef FLITCAST_OPTION_IMPL_H
#define FLITCAST_OPTION_IMPL_H

#include "option.h"

/* Size of the words of a command, or of the name of an option with its dashes. */
#define NAME_SIZE	64

#define HELP_OF_HELP		"Print this, or the help of a command"
#define HELP_OF_COMPLETION	"Print the completion script for bash or zsh"

/*
 * Names: option_name.c
 */

/* Words of the current command, such as "link add"; "" before it is known. */
extern char option_current[NAME_SIZE];

static inline bool is_option(const struct option_entry *entry)
{
	return entry->type != OPTION_HEADING;
}

/* Is the option positional, so that only its value is given? */
static inline bool is_plain(const struct option_entry *entry)
{
	return entry->how & OPTION_PLAIN;
}

static inline bool has_value(const struct option_entry *entry)
{
	return !is_plain(entry) && (entry->value || entry->type == OPTION_SWITCH ||
				    entry->type == OPTION_CHOICE);
}

/* Are two options alternatives of each other? */
static inline bool same_group(const struct option_entry *a, const struct option_entry *b)
{
	return a == b || (a->group && a->group == b->group);
}

/* Name of an option with its dashes, and name of its value; valid until the next call. */
const char *shown(const struct option_entry *entry);
const char *value_name(const struct option_entry *entry);
const struct option_choice *choice(const struct option_entry *entry, u32 i);

/*
 * Help: option_help.c
 */

char *piece(const struct option_command *command, u32 i, bool roff);
void help_command(FILE *file, const struct option_command *command);
void help_object(FILE *file, const struct option_command *object);
void help_program(FILE *file);
int print_synopsis(void);

/* Values: option_value.c */
int read_value(struct option_value *value, void *settings);

/*
 * Arguments: option.c
 */

/**
 * struct parser - arguments being parsed
 * @given: result
 * @argc: number of arguments left
 * @argv: arguments left
 * @ended: "--" was given: no other argument names an option
 */
struct parser {
	struct option_given *given;
	int argc;
	char **argv;
	bool ended;
};

bool group_given(const struct option_given *given, const struct option_entry *entry);
const struct option_entry *next_operand(const struct option_given *given);
int take_next(struct parser *parser, const struct option_entry **lacking, bool quiet);
bool asks_for_help(const struct parser *parser);
int read_values(struct option_given *given, void *settings);
int parse(const struct option_command *command, struct option_given *given, void *settings,
	  int argc, char **argv);
const struct option_command *find_command(const char *word);
void add_current(const char *word);
const struct option_command *descend(const struct option_command *command, int *argc,
				     char ***argv);

/*
 * Completion: option_shell.c
 */

int print_completion(const char *shell);
int complete(int argc, char **argv);

#endif /* FLITCAST_OPTION_IMPL_H */
