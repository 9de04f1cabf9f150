// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of a program.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option_impl.h"

int option_run(const struct option_command *command, int argc, char **argv)
{
	struct option_given given;
	int status;

	if (command->main)
		return command->main(argc, argv);
	status = parse(command, &given, NULL, argc - 1, argv + 1);
	if (status == -1)
		status = command->run(&given);
	free(given.values);
	return status;
}

/* Run a command; @argv: arguments from the command's name on. */
static int run(const struct option_command *command, int argc, char **argv)
{
	char word[NAME_SIZE];

	add_current(command->name);
	argc--;
	argv++;
	command = descend(command, &argc, &argv);
	if (command->commands && argc) {
		if (strcmp(argv[0], "help") && strcmp(argv[0], "--help") && strcmp(argv[0], "-h"))
			return option_usage("no command \"%s\"", argv[0]);
		help_object(stdout, command);
		return 0;
	}
	if (command->commands) {
		command = command->commands;
		add_current(command->name);
	}
	/* Replace an abbreviated name by the full one. */
	snprintf(word, sizeof(word), "%s", command->name);
	argv[-1] = word;
	return (option_program.run ? option_program.run : option_run)(command, argc + 1, argv - 1);
}

static int help(int argc, char **argv)
{
	const struct option_command *command;

	if (!argc) {
		help_program(stdout);
		return 0;
	}
	if (!strcmp(argv[0], "--man"))
		return print_synopsis();
	command = find_command(argv[0]);
	if (!command)
		return option_usage("unknown command \"%s\"", argv[0]);
	add_current(command->name);
	argc--;
	argv++;
	command = descend(command, &argc, &argv);
	if (argc)
		return option_usage("unexpected argument \"%s\"", argv[0]);
	if (command->commands)
		help_object(stdout, command);
	else
		help_command(stdout, command);
	return 0;
}

static int run_all(int argc, char **argv)
{
	struct option_given given = { .command = &option_program.globals };
	struct parser parser = { .given = &given, .argc = argc - 1, .argv = argv + 1 };
	const struct option_command *command;
	const struct option_entry *lacking;
	int status = 0;

	if (argc > 1 && !strcmp(argv[1], "complete"))
		return complete(argc - 2, argv + 2);
	given.values = calloc((size_t)argc, sizeof(*given.values));
	if (!given.values)
		return 1;
	while (!status && parser.argc && parser.argv[0][0] == '-') {
		if (asks_for_help(&parser)) {
			help_program(stdout);
			free(given.values);
			return 0;
		}
		status = take_next(&parser, &lacking, false);
	}
	if (!status)
		status = read_values(&given, NULL);
	free(given.values);
	if (status)
		return status;
	if (option_program.set)
		option_program.set(NULL);
	if (!parser.argc) {
		help_program(stderr);
		return 2;
	}
	command = find_command(parser.argv[0]);
	if (command)
		return run(command, parser.argc, parser.argv);
	if (!strcmp(parser.argv[0], "help"))
		return help(parser.argc - 1, parser.argv + 1);
	if (!strcmp(parser.argv[0], "completion"))
		return print_completion(parser.argc == 2 ? parser.argv[1] : NULL);
	return option_usage("unknown command \"%s\"", parser.argv[0]);
}

int option_main(int argc, char **argv)
{
	int status = run_all(argc, argv);

	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "%s: cannot write: %s\n", option_program.name, strerror(errno));
	return status ? status : 1;
}
