// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipe.h"
#include "util.h"

extern char **environ;

static bool refuse(const char *subject, const char *why)
{
	fprintf(stderr, "flitcast-sim: %s: %s\n", subject, why);
	return false;
}

static bool ran(const char *const *argv, const char *package, int in, int out)
{
	posix_spawn_file_actions_t actions;
	char why[96];
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	status = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (status == ENOENT) {
		fprintf(stderr, "flitcast-sim: drawing needs %s: apt install %s\n", argv[0],
			package);
		return false;
	}
	if (status)
		return refuse(argv[0], strerror(status));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return refuse(argv[0], strerror(errno));
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	snprintf(why, sizeof(why), "it failed with %s %d", WIFEXITED(status) ? "status" : "signal",
		 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return refuse(argv[0], why);
}

/* Everything that one file holds, into another. */
static bool copy(FILE *from, FILE *to, const char *name)
{
	char part[4096];
	bool good;
	size_t n;

	rewind(from);
	while ((n = fread(part, 1, sizeof(part), from)) && fwrite(part, 1, n, to) == n)
		;
	good = !ferror(from) && !ferror(to);
	if (to == stdout)
		good &= !fflush(to);
	else
		good &= !fclose(to);
	return good || refuse(name, "the picture cannot be written");
}

bool pipe_run(const char *const *argv, const char *package,
	      void (*put)(const void *subject, FILE *file), const void *subject, const char *path)
{
	/* Files without names: no program that ends early breaks a pipe. */
	FILE *in = tmpfile(), *out = tmpfile(), *to;
	bool good;

	if (!in || !out)
		die("no temporary file can be made: %s", strerror(errno));
	put(subject, in);
	if (fflush(in) || ferror(in))
		die("a temporary file cannot be written: %s", strerror(errno));
	rewind(in);
	good = ran(argv, package, fileno(in), fileno(out));
	if (good) {
		to = path ? fopen(path, "w") : stdout;
		good = to ? copy(out, to, path ? path : "standard output") :
			    refuse(path, strerror(errno));
	}
	fclose(in);
	fclose(out);
	return good;
}
