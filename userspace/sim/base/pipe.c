// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

/* Copy the contents of one file into another. */
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

/* Write a file: only a complete picture, made in a draft beside it, replaces a regular file. */
static bool put_file(FILE *from, const char *path)
{
	char draft[PATH_MAX];
	struct stat old;
	FILE *to = NULL;
	bool drafted;

	snprintf(draft, sizeof(draft), "%s.%d", path, (int)getpid());
	if (lstat(path, &old) || (S_ISREG(old.st_mode) && !access(path, W_OK)))
		to = fopen(draft, "wx");
	drafted = to;
	if (!to)
		to = fopen(path, "w");
	if (!to)
		return refuse(path, strerror(errno));
	if (copy(from, to, path) && (!drafted || !rename(draft, path) ||
				     refuse(path, strerror(errno))))
		return true;
	if (drafted)
		unlink(draft);
	return false;
}

bool pipe_writable(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
	struct stat old;

	if (fd >= 0) {
		close(fd);
		unlink(path);
		return true;
	}
	if (errno != EEXIST || access(path, W_OK) || stat(path, &old))
		return refuse(path, strerror(errno));
	return !S_ISDIR(old.st_mode) || refuse(path, strerror(EISDIR));
}

bool pipe_run(const char *const *argv, const char *package,
	      void (*put)(const void *subject, FILE *file), const void *subject, const char *path)
{
	/* Use unnamed files instead of pipes, which break if the program ends early. */
	FILE *in = tmpfile(), *out = tmpfile();
	bool good;

	if (!in || !out)
		die("no temporary file can be made: %s", strerror(errno));
	if (put)
		put(subject, in);
	if (fflush(in) || ferror(in))
		die("a temporary file cannot be written: %s", strerror(errno));
	rewind(in);
	good = ran(argv, package, fileno(in), fileno(out));
	if (good)
		good = path ? put_file(out, path) : copy(out, stdout, "standard output");
	fclose(in);
	fclose(out);
	return good;
}
