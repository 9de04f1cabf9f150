// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast: set up and use a Flitcast network.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "cli.h"
#include "netns.h"
#include "out.h"
#include "core/version.h"

bool show_stats;

static void print_version(void)
{
	out_open_object(NULL);
	out_string("version", "flitcast %s\n", FLITCAST_VERSION);
	out_close_object();
	out_end();
}

static int run_version(const struct option_given *given)
{
	print_version();
	return 0;
}

static const struct option_command version_command = {
	.name = "version",
	.help = "Print the version",
	.run = run_version,
};

static const struct option_command *const commands[] = {
	&site_command, &link_command, &netdev_command, &route_command, &topology_command,
	&stats_command, &socket_command, &monitor_command, &send_command, &recv_command,
	&ping_command, &trace_command, &lab_command, &version_command, NULL
};

enum color_choice {
	COLOR_ALWAYS,
	COLOR_AUTO,
	COLOR_NEVER,
};

static const struct option_choice color_choices[] = {
	[COLOR_ALWAYS] = { "always", NULL },
	[COLOR_AUTO] = { "auto", NULL },
	[COLOR_NEVER] = { "never", NULL },
};

static const struct option_entry globals[] = {
	OPTION("-j", NULL, "print JSON", FLAG, 0, .longer = "--json"),
	OPTION("-p", NULL, "the same, indented", FLAG, 0, .longer = "--pretty"),
	OPTION("-s", NULL, "with counters", FLAG, 0, .longer = "--stats"),
	OPTION("-d", NULL, "with details", FLAG, 0, .longer = "--details"),
	OPTION("-br", NULL, "a line of columns for each", FLAG, 0, .longer = "--brief"),
	OPTION("-o", NULL, "each on one line, its lines joined by backslashes", FLAG, 0,
	       .longer = "--oneline"),
	OPTION("-c", "WHEN", "with colours: always (the default), auto: on a terminal, never",
	       CHOICE, 0, .longer = "--color", .how = OPTION_MAYBE, OPTION_CHOICES(color_choices)),
	OPTION("-n", "NETNS", "work in this network namespace", TEXT, 0, .longer = "--netns"),
	OPTION("-V", NULL, "print the version", FLAG, 0, .longer = "--version"),
};

static void set_global(const struct option_value *value)
{
	static bool version;

	if (!value && version) {
		print_version();
		exit(0);
	}
	if (!value)
		return;
	switch (value->entry->name[1]) {
	case 'p':
		out_pretty = true;
		/* fall through */
	case 'j':
		out_json = true;
		break;
	case 's':
		show_stats = true;
		break;
	case 'd':
		out_details = true;
		break;
	case 'b':
		out_brief = true;
		break;
	case 'o':
		out_oneline = true;
		break;
	case 'c':
		out_colors = value->number == COLOR_ALWAYS ||
			     (value->number == COLOR_AUTO && isatty(STDOUT_FILENO) &&
			      !getenv("NO_COLOR"));
		break;
	case 'n':
		netns_enter(value->text);
		break;
	case 'V':
		version = true;
		break;
	}
}

const struct option_program option_program = {
	.name = "flitcast",
	.help = "Set up and use a Flitcast network",
	.commands = commands,
	.globals = { OPTION_TABLE(globals) },
	.set = set_global,
};

int main(int argc, char **argv)
{
	return option_main(argc, argv);
}
