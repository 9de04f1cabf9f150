// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim: the kernel module's protocol core on simulated links.
 */
#include <string.h>

#include "broadcast.h"
#include "care.h"
#include "fsm_main.h"
#include "replay_main.h"
#include "reproduce.h"
#include "sweep.h"

static const struct option_command *const commands[] = {
	&care_command, &broadcast_command, &harts_reproduction.options, &vnet_command,
	&postman_reproduction.options, &csr_reproduction.options, &replay_command, &fsm_command,
	NULL
};

/* Runs a command once.  Return: the exit status. */
static int run_once(int argc, char **argv)
{
	const struct option_command *const *command = commands;

	while (strcmp((*command)->name, argv[0]))
		command++;
	return option_run(*command, argc, argv);
}

static int run(const struct option_command *command, int argc, char **argv)
{
	return sweep_main(run_once, argc, argv);
}

const struct option_program option_program = {
	.name = "flitcast-sim",
	.dashes = true,
	.help = "Run the protocol core of the kernel module on simulated links",
	.commands = commands,
	.run = run,
};

int main(int argc, char **argv)
{
	return option_main(argc, argv);
}
