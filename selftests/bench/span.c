// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how long a command takes.
 *
 *	span WAY WHAT TOPOLOGY SITES COMMAND [ARG...]
 *
 * Prints a line of JSON with the first four, "ms", the time it took, and "work", the nanoseconds in
 * which the processor was not idle (instructions, if the guest counts them).  The output of the
 * command is discarded.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../sock/lab.h"
#include "idle.h"
#include "stats.h"

int main(int argc, char **argv)
{
	uint64_t idle, start, took;
	int status;
	pid_t child;

	if (argc < 6) {
		fprintf(stderr, "usage: span WAY WHAT TOPOLOGY SITES COMMAND [ARG...]\n");
		return EXIT_USAGE;
	}
	stats_mark();
	idle = idle_ns();
	start = stats_now();
	child = fork();
	if (!child) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		execvp(argv[5], argv + 5);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		die("%s failed", argv[5]);
	took = stats_now() - start;
	idle = idle_ns() - idle;
	stats_mark();
	printf("{\"way\": \"%s\", \"what\": \"%s\", \"topology\": \"%s\", \"sites\": %s, \"ms\": %.3f, "
	       "\"work\": %llu}\n", argv[1], argv[2], argv[3], argv[4], took / 1e6,
	       (unsigned long long)(took - idle));
	return 0;
}
