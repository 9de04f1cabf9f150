// SPDX-License-Identifier: GPL-2.0
/*
 * Fills the resources that Documentation/limits.rst bounds, one row of the table in charged_rows.c
 * at a time, as an unprivileged user in namespaces of its own and in a memory cgroup, and compares
 * the memory that is gone with the charge of the cgroup.
 *
 *   charged [-q] [-s N] [ROW...]	run these rows; -q: those of every check; -s: number the
 *					results from N + 1 on
 *   charged -l				print the rows, then each bound with its row, or with "-"
 *					and a reason
 *
 * Taken is the decrease of free_kib().  Charged is memory.current without pages of files, and slabs
 * that can be reclaimed, neither of which is taken.  A row passes if
 *
 *	taken <= charged + SITE_KIB * sites + NOISE_KIB
 *
 * and at least as much is taken as the row says, else it did not fill anything.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "charged.h"
#include "lab.h"

#define GROUP		"/sys/fs/cgroup/charged"
/* More than any row takes: a limit that ends a row would hide the rest. */
#define GROUP_MIB	700
/* Not charged: names of a site's devices in sysfs, percpu counters, allocations in softirqs. */
#define SITE_KIB	64
/*
 * Not charged for any row: namespaces, the veth pairs of the emulated links with a packet socket
 * each, whose queues hold up to 208 KiB, and free objects of slabs.
 */
#define NOISE_KIB	(2 * 1024)
/* Readings are stable when two differ by less, so many milliseconds apart. */
#define STABLE_KIB	256
#define APART_MS	100
#define STABLE_MS	10000
#define FILL_MS		60000
/* Interval of struct charged_row.keep. */
#define KEEP_MS		5

static unsigned int ntests, nfailed;

void charged_fail(struct charged_result *r, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(r->failed, sizeof(r->failed), fmt, args);
	va_end(args);
}

/* Have slabs free objects that they keep for reuse: new allocations would hide among them. */
static void shrink_slabs(void)
{
	glob_t found;
	size_t i;

	if (glob("/sys/kernel/slab/*/shrink", 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++)
		write_to(found.gl_pathv[i], "1");
	globfree(&found);
}

/* The value of a line of memory.stat, in bytes. */
static int64_t stat_of(const char *name)
{
	size_t len = strlen(name);
	long long value = 0;
	char line[128];
	FILE *file;

	file = fopen(GROUP "/memory.stat", "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, len) && line[len] == ' ')
			value = atoll(line + len);
	if (file)
		fclose(file);
	return value;
}

/* KiB that the cgroup is charged. */
static int64_t charged_kib(void)
{
	long long bytes = 0;
	FILE *file;

	file = fopen(GROUP "/memory.current", "re");
	if (file) {
		if (fscanf(file, "%lld", &bytes) != 1)
			bytes = 0;
		fclose(file);
	}
	return (bytes - stat_of("file") - stat_of("slab_reclaimable")) / 1024;
}

/* free_kib() when it is stable: the kernel frees network namespaces late. */
static int64_t stable_kib(void)
{
	uint64_t until = now_ms() + STABLE_MS;
	int64_t last, now;

	shrink_slabs();
	now = free_kib();
	do {
		last = now;
		sleep_ms(APART_MS);
		now = free_kib();
	} while (llabs(now - last) >= STABLE_KIB && now_ms() < until);
	return now;
}

/* The user: fill the resource, report, and keep it full until the other end of @go is closed. */
static void user(const struct charged_row *row, int ready, int go)
{
	struct pollfd pfd = { .fd = go, .events = POLLIN };
	struct charged_result result = { 0 };

	if (!write_to(GROUP "/cgroup.procs", "0") || !lab_become_user())
		charged_fail(&result, "no user namespace: %s", strerror(errno));
	else
		row->fill(&result);
	if (write(ready, &result, sizeof(result)) != sizeof(result))
		_exit(1);
	while (!poll(&pfd, 1, row->keep ? KEEP_MS : -1))
		row->keep();
	_exit(0);
}

static void report(bool ok, const char *name, const char *text)
{
	ntests++;
	nfailed += !ok;
	printf("%s %u - %s: %s\n", ok ? "ok" : "not ok", ntests, name, text);
}

static void compare(const struct charged_row *row, const struct charged_result *result,
		    int64_t before)
{
	int64_t taken, charged, excused = SITE_KIB * result->sites + NOISE_KIB;
	char text[1024];

	if (*result->failed) {
		report(false, row->name, result->failed);
		return;
	}
	taken = before - stable_kib();
	charged = charged_kib();
	printf("# %s: %s; sock %lld, slab %lld, percpu %lld, anon %lld, kernel %lld KiB\n",
	       row->name, result->did, (long long)stat_of("sock") / 1024,
	       (long long)stat_of("slab_unreclaimable") / 1024,
	       (long long)stat_of("percpu") / 1024, (long long)stat_of("anon") / 1024,
	       (long long)stat_of("kernel") / 1024);
	snprintf(text, sizeof(text), "%.1f MiB taken, %.1f charged, %.1f allowed for %u sites%s",
		 taken / 1024.0, charged / 1024.0, excused / 1024.0, result->sites,
		 taken < row->least_mib * 1024 ? ": not filled" : "");
	report(taken <= charged + excused && taken >= row->least_mib * 1024, row->name, text);
}

static void run(const struct charged_row *row)
{
	struct charged_result result = { 0 };
	uint64_t begun = now_ms();
	int ready[2], go[2];
	struct pollfd pfd;
	int64_t before;
	pid_t child;

	rmdir(GROUP);
	if (!lab_memory_group(GROUP, GROUP_MIB)) {
		printf("1..0 # SKIP no memory controller here\n");
		exit(EXIT_SKIP);
	}
	before = stable_kib();
	if (pipe2(ready, O_CLOEXEC) || pipe2(go, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	fflush(stdout);
	child = fork();
	if (!child) {
		close(ready[0]);
		close(go[1]);
		user(row, ready[1], go[0]);
	}
	close(ready[1]);
	close(go[0]);
	pfd = (struct pollfd){ .fd = ready[0], .events = POLLIN };
	if (poll(&pfd, 1, FILL_MS) != 1)
		charged_fail(&result, "not full within %u s", FILL_MS / 1000);
	else if (read(ready[0], &result, sizeof(result)) != sizeof(result))
		charged_fail(&result, "the user's process ended");
	compare(row, &result, before);
	close(ready[0]);
	close(go[1]);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	rmdir(GROUP);
	printf("# %s: %llu ms\n", row->name, (unsigned long long)(now_ms() - begun));
}

static void list(void)
{
	const struct charged_bound *bound;
	const struct charged_row *row;

	for (row = charged_rows; row->name; row++)
		printf("%s row\n", row->name);
	for (bound = charged_bounds; bound->name; bound++)
		printf("%s %s %s\n", bound->name, bound->row ? bound->row : "-",
		       bound->row ? "" : bound->why);
}

static bool wanted(const struct charged_row *row, bool quick, char **names)
{
	if (!*names)
		return row->quick || !quick;
	for (; *names; names++)
		if (!strcmp(*names, row->name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	const struct charged_row *row;
	bool quick = false;
	int option;

	while ((option = getopt(argc, argv, "lqs:")) != -1) {
		if (option == 'l') {
			list();
			return 0;
		}
		if (option == 'q')
			quick = true;
		else if (option == 's')
			ntests = atoi(optarg);
		else
			return EXIT_USAGE;
	}
	skip_without_family(true);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!ntests)
		printf("TAP version 13\n");
	for (row = charged_rows; row->name; row++)
		if (wanted(row, quick, argv + optind))
			run(row);
	printf("1..%u\n", ntests);
	return nfailed || !ntests;
}
