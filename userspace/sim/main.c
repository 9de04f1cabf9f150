// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim: the kernel module's protocol core on simulated links.
 */
#include <stdio.h>
#include <string.h>

#include "base.h"
#include "broadcast.h"
#include "care.h"
#include "fsm_main.h"
#include "replay.h"
#include "reproduce.h"
#include "sweep.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const struct reproduction *reproduction;	/* instead of @run */
	const char *help;
} commands[] = {
	{ "care", care_main, NULL, "the CARE protocol under random multicast traffic" },
	{ "broadcast", broadcast_main, NULL,
	  "k copies over disjoint paths, while sites fail or lie" },
	{ "harts", NULL, &harts_reproduction, "the broadcasts of HARTS on hexagonal meshes" },
	{ "vnet", vnet_main, NULL, "virtual networks under the same traffic" },
	{ "postman", NULL, &postman_reproduction, "the mad postman, bit by bit" },
	{ "csr", NULL, &csr_reproduction,
	  "conflict sense routing on hypercubes, and what it is compared with" },
	{ "replay", replay_main, NULL, "a chosen order of events in a small network" },
	{ "fsm", fsm_main, NULL, "the state machines of a site, as diagrams" },
};

static void usage(FILE *file)
{
	fprintf(file, "usage: flitcast-sim COMMAND [OPTION]...\n\n");
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(commands); i++)
		fprintf(file, "  %-10s %s\n", commands[i].name, commands[i].help);
	fprintf(file, "\nflitcast-sim COMMAND --help, or help COMMAND, lists the options of a command.\n");
}

/* Runs a command with its arguments.  Return: the exit status. */
static int run(int argc, char **argv)
{
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(commands); i++) {
		const struct command *command = &commands[i];

		if (strcmp(argv[0], command->name))
			continue;
		if (command->reproduction)
			return reproduce_main(command->reproduction, argc, argv);
		return command->run(argc, argv);
	}
	fprintf(stderr, "flitcast-sim: no command \"%s\"; flitcast-sim --help lists them\n",
		argv[0]);
	return 2;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "help") && argc > 2)
		return run(2, (char *[]){ argv[2], "--help", NULL });
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return 0;
	}
	return sweep_main(run, argc - 1, argv + 1);
}
