// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim: the kernel module's protocol core on simulated links.
 */
#include "bcast/broadcast.h"
#include "net/care.h"
#include "failover/failover.h"
#include "fsm_main.h"
#include "explore/replay_main.h"
#include "base/reproduce.h"
#include "base/sweep.h"

static const struct option_command *const commands[] = {
	&care_command, &broadcast_command, &harts_reproduction.options, &vnet_command,
	&postman_reproduction.options, &csr_reproduction.options, &failover_command,
	&replay_command, &fsm_command, NULL
};

const struct option_program option_program = {
	.name = "flitcast-sim",
	.dashes = true,
	.help = "Run the protocol core of the kernel module on simulated links",
	.commands = commands,
	.run = sweep_main,
};

int main(int argc, char **argv)
{
	return option_main(argc, argv);
}
