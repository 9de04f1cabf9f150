// SPDX-License-Identifier: GPL-2.0
/*
 * Completion: the scripts of the shells, and the words that they offer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option_impl.h"

static const char script_bash[] =
	"# bash completion of %1$s\n"
	"_%2$s()\n"
	"{\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} words cur word\n"
	"\n"
	"\tread -ra words <<<\"$line\"\n"
	"\t[[ $line != *[[:blank:]] ]] || words+=('')\n"
	"\tcur=${words[-1]}\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS=$'\\t' read -r word _; do\n"
	"\t\t[[ $word == \"$cur\"* ]] || continue\n"
	"\t\t# bash itself parts words at : and =, and replaces the last part\n"
	"\t\tword=${word#\"${cur%%%%\"${cur##*[:=]}\"}\"}\n"
	"\t\tprintf -v word %%q \"$word\"\n"
	"\t\tCOMPREPLY+=(\"$word\")\n"
	"\tdone < <(%1$s complete \"${words[@]:1}\" 2>/dev/null)\n"
	"}\n"
	"complete -o bashdefault -o default -o nospace -F _%2$s %1$s\n";

static const char script_zsh[] =
	"#compdef %1$s\n"
	"# zsh completion of %1$s\n"
	"_%2$s()\n"
	"{\n"
	"\tlocal -a lines names\n"
	"\n"
	"\tlines=(${(f)\"$(%1$s complete \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
	"\tnames=(${lines%%%%$'\\t'*})\n"
	"\tif (( ${#names} )); then\n"
	"\t\tlines=(${lines//$'\\t'/  -- })\n"
	"\t\tcompadd -l -d lines -a names\n"
	"\telse\n"
	"\t\t_files\n"
	"\tfi\n"
	"}\n"
	"if [[ ${funcstack[1]} == _%2$s ]]; then\n"
	"\t_%2$s \"$@\"\n"
	"else\n"
	"\tcompdef _%2$s %1$s\n"
	"fi\n";

int print_completion(const char *shell)
{
	char name[NAME_SIZE];

	if (!shell || (strcmp(shell, "bash") && strcmp(shell, "zsh"))) {
		snprintf(option_current, sizeof(option_current), "completion");
		return option_usage("the shell is bash or zsh");
	}
	snprintf(name, sizeof(name), "%s", option_program.name);
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	printf(strcmp(shell, "zsh") ? script_bash : script_zsh, option_program.name, name);
	return 0;
}

/* Print "WORD\tMEANING" with the first line of the meaning. */
static void offer(const char *word, const char *meaning)
{
	printf("%s\t%.*s\n", word, meaning ? (int)strcspn(meaning, "\n") : 0,
	       meaning ? meaning : "");
}

static void offer_values(const struct option_entry *entry)
{
	if (entry->complete)
		entry->complete();
	for (u32 i = 0; i < entry->nchoices; i++)
		if (choice(entry, i)->name)
			offer(choice(entry, i)->name, choice(entry, i)->help);
	if (entry->type == OPTION_SWITCH) {
		offer("on", NULL);
		offer("off", NULL);
	}
}

static void offer_options(const struct option_given *given, bool dashed)
{
	const struct option_command *command = given->command;

	for (u32 i = 0; i < command->nentries; i++) {
		const struct option_entry *entry = &command->entries[i];

		if (!is_option(entry) || entry->how & OPTION_HIDDEN ||
		    (!(entry->how & OPTION_REPEAT) && group_given(given, entry)))
			continue;
		if (!is_plain(entry) && (*shown(entry) == '-') == dashed)
			offer(shown(entry), entry->help);
		if (entry->longer && dashed)
			offer(entry->longer, entry->help);
	}
}

/*
 * Print the completions of the last argument: nothing if it may be any text, such as the name of a
 * file.
 */
int complete(int argc, char **argv)
{
	struct option_given given = { .command = &option_program.globals };
	const struct option_command *command = NULL, *c;
	const struct option_entry *lacking = NULL, *operand;
	struct parser parser = { .given = &given };
	const char *last;

	if (!argc)
		return 2;
	last = argv[--argc];
	given.values = calloc((size_t)argc + 1, sizeof(*given.values));
	if (!given.values)
		return 1;
	parser.argc = argc;
	parser.argv = argv;
	while (parser.argc && !lacking && parser.argv[0][0] == '-')
		if (take_next(&parser, &lacking, true))
			return 2;
	if (parser.argc) {
		command = find_command(parser.argv[0]);
		if (!command)
			return 2;
		parser.argc--;
		parser.argv++;
		command = descend(command, &parser.argc, &parser.argv);
		given = (struct option_given){ .command = command, .values = given.values };
		while (parser.argc && !lacking)
			if (take_next(&parser, &lacking, true))
				return 2;
	}
	operand = next_operand(&given);
	if (lacking) {
		offer_values(lacking);
	} else if (!command && *last != '-') {
		for (u32 i = 0; option_program.commands[i]; i++)
			offer(option_program.commands[i]->name, option_program.commands[i]->help);
		offer("help", HELP_OF_HELP);
		offer("completion", HELP_OF_COMPLETION);
	} else if (command && command->commands) {
		for (c = command->commands; c->name; c++)
			offer(c->name, c->help);
	} else {
		if (!operand || operand->type != OPTION_REST || *last == '-')
			offer_options(&given, *last == '-' || option_program.dashes);
		if (command && command->variant && !given.count && *last == '-')
			offer(command->variant->name, command->variant->help);
		/* Offer values last: this may fail without the module. */
		if (operand && *last != '-')
			offer_values(operand);
	}
	free(given.values);
	return 0;
}
