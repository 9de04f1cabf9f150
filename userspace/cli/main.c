// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast: set up and use a Flitcast network.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "netns.h"
#include "out.h"

bool show_stats;

static const struct command objects[] = {
	{ "site", do_site,
	  "{ add | show | set | drain | del | save | restore } ..." },
	{ "link", do_link,
	  "{ add | show | set | del } ..." },
	{ "route", do_route,
	  "{ show | set | del | save | restore } ..." },
	{ "topology", do_topology,
	  "{ show | faults | paths } ..." },
	{ "stats", do_stats,
	  "{ show | reset } ..." },
	{ "socket", do_socket,
	  "show [site ID] [port P]" },
	{ "monitor", do_monitor,
	  "[-t] [--state] [--buffer BYTES]" },
	{ "send", do_send,
	  "{ --to SITE[:PORT][,...] | --broadcast } { --file FILE | TEXT } ..." },
	{ "recv", do_recv,
	  "[--port P] [--count N] [--output FILE] [--timeout S]" },
	{ "ping", do_ping,
	  "SITE [-c N] [-i S] [-s BYTES] [-W S]" },
	{ "trace", do_trace,
	  "{ SITE[:PORT][,...] | --broadcast [--copies K] SITE } [topology SPEC] ..." },
	{ "lab", do_lab,
	  "{ up | exec | graph | show | kill | revive | corrupt | down } ..." },
	{ "version", do_version,
	  "" },
	{ 0 }
};

static int usage(FILE *to)
{
	const struct command *object;

	fputs("Usage: flitcast [-j] [-p] [-s] [-n NETNS] [-V] OBJECT COMMAND ARGS\n"
	      "\n"
	      "  -j  print JSON          -n  in this network namespace\n"
	      "  -p  the same, pretty    -V  print the version\n"
	      "  -s  with counters\n"
	      "\n", to);
	for (object = objects; object->name; object++)
		fprintf(to, "  flitcast %s%s%s\n", object->name, *object->usage ? " " : "",
			object->usage);
	fputs("\nMore: flitcast OBJECT help, flitcast(8)\n", to);
	return to == stdout ? 0 : EXIT_USAGE;
}

static const struct command *take_object(struct args *args)
{
	const struct command *object;

	for (object = objects; object->name; object++)
		if (take_word(args, object->name))
			return object;
	return NULL;
}

static int run_object(const struct command *object, struct args *args)
{
	usage_object = object->name;
	return object->run(args);
}

/* "help" alone, or "help OBJECT" as "OBJECT help". */
static int do_help(struct args *args)
{
	const struct command *object;
	char help[] = "help", *argv[] = { help };

	if (!args->argc)
		return usage(stdout);
	object = take_object(args);
	if (!object) {
		complain("unknown object \"%s\"", args->argv[0]);
		return usage(stderr);
	}
	return run_object(object, &(struct args){ .argc = 1, .argv = argv });
}

int do_version(struct args *args)
{
	if (take_help(args)) {
		puts("Usage: flitcast version [-j]");
		return 0;
	}
	while (take_output_option(args))
		continue;
	take_end(args);
	out_open_object(NULL);
	out_string("version", "flitcast %s\n", VERSION);
	out_close_object();
	out_end();
	return 0;
}

bool take_output_option(struct args *args)
{
	if (take_option(args, "-j") || take_option(args, "--json")) {
		out_json = true;
		return true;
	}
	if (take_option(args, "-p") || take_option(args, "--pretty")) {
		out_json = true;
		out_pretty = true;
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	struct args args = { .argc = argc - 1, .argv = argv + 1 };
	int (*run)(struct args *args) = NULL;
	const struct command *object;

	while (!run && args.argc && args.argv[0][0] == '-') {
		if (take_output_option(&args))
			continue;
		if (take_option(&args, "-s") || take_option(&args, "--stats"))
			show_stats = true;
		else if (take_option(&args, "-n") || take_option(&args, "--netns"))
			netns_enter(take_any(&args, "name of a network namespace"));
		else if (take_option(&args, "-V") || take_option(&args, "--version"))
			run = do_version;
		else if (take_option(&args, "-h") || take_option(&args, "--help"))
			run = do_help;
		else
			bad_usage("unknown option %s", args.argv[0]);
	}
	if (run)
		return run(&args);
	if (!args.argc)
		return usage(stderr);
	object = take_object(&args);
	if (object)
		return run_object(object, &args);
	if (take_word(&args, "help"))
		return do_help(&args);
	complain("unknown object \"%s\"", args.argv[0]);
	return usage(stderr);
}
