// SPDX-License-Identifier: GPL-2.0
/* A program in the place of a site of a lab: its start and its end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "place.h"

void place_start(const struct lab *lab, uint32_t site, void (*run)(void *arg, int ready), void *arg)
{
	char answer[256] = "";
	ssize_t n, have = 0;
	int ends[2], null;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		fail("%s", strerror(errno));
	/* Flush before fork(), so that both processes do not print the same buffer. */
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		fail("%s", strerror(errno));
	if (!pid) {
		null = open("/dev/null", O_RDWR);
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		/*
		 * Detach the child: a caller that waits for the output of this program must not
		 * wait for the child.
		 */
		if (dup2(ends[1], STDERR_FILENO + 1) < 0 || setsid() < 0 || chdir("/"))
			_exit(EXIT_FAILED);
		closefrom(STDERR_FILENO + 2);
		run(arg, STDERR_FILENO + 1);
	}
	close(ends[1]);
	while ((n = read(ends[0], answer + have, sizeof(answer) - 1 - have)) > 0)
		have += n;
	close(ends[0]);
	if (!strcmp(answer, "\n"))
		return;
	fail("lab %s: site %u: %s", lab->name, site, *answer ? strtok(answer, "\n") :
	     "the program that is to lie has ended");
}

void place_give_back(struct lab *lab, uint32_t site, struct nl_sock *genl)
{
	struct request req = { 0 };
	struct request_error error;
	struct nl_sock **all;

	lab_put_links(lab, site, &req);
	if (request_send(genl, &req, NULL, NULL, &error))
		fail("lab %s: site %u: link: %s", lab->name, site, error.text);
	lab_note(lab, site, LAB_LIVES);
	all = xalloc(lab->topo.nsites, sizeof(*all));
	all[site] = genl;
	lab_wait_all(lab, all);
	free(all);
}

bool place_is_lent(const char *name, uint32_t site)
{
	struct lab lab = { 0 };
	bool lent;

	lab_set_name(&lab, name);
	lent = lab_load(&lab) && lab.fate[site] == LAB_LENT;
	free(lab.fate);
	return lent;
}
