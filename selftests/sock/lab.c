// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <poll.h>
#include "lab.h"
#include "msg.h"

#define WORDS_MAX	64

static char output[4 << 20];

void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

/* $FLITCAST, else the one beside this program (kselftest), or build/bin/flitcast. */
static const char *program(void)
{
	static char path[PATH_MAX + 32];
	const char *given = getenv("FLITCAST");
	char self[PATH_MAX] = "";
	unsigned int i;

	if (given)
		return given;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return "flitcast";
	/* This program is build/selftests/sock/PROGRAM. */
	for (i = 0; i < 3; i++) {
		char *slash = strrchr(self, '/');

		if (slash)
			*slash = '\0';
		snprintf(path, sizeof(path), "%s/%s", self, i ? "bin/flitcast" : "flitcast");
		if (!i && !access(path, X_OK))
			break;
	}
	return path;
}

static void keep_output(int fd)
{
	size_t have = 0;
	char rest[4096];
	ssize_t n;

	while (have < sizeof(output) - 1) {
		n = read(fd, output + have, sizeof(output) - 1 - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		have += n;
	}
	output[have] = '\0';
	while (have == sizeof(output) - 1 && read(fd, rest, sizeof(rest)) > 0)
		continue;
}

int cli(const char *fmt, ...)
{
	char line[4096], *words[WORDS_MAX + 2], *save = NULL;
	int ends[2], status, n = 0;
	va_list args;
	pid_t pid;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	words[n++] = (char *)program();
	for (words[n] = strtok_r(line, " ", &save); words[n] && n < WORDS_MAX;
	     words[n] = strtok_r(NULL, " ", &save))
		n++;
	words[n] = NULL;
	output[0] = '\0';
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		execvp(words[0], words);
		dprintf(STDERR_FILENO, "%s: %s\n", words[0], strerror(errno));
		_exit(127);
	}
	close(ends[1]);
	if (pid > 0)
		keep_output(ends[0]);
	close(ends[0]);
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? WEXITSTATUS(status) : -1;
}

const char *cli_output(void)
{
	return output;
}

uint64_t json_sum(const char *json, const char *key)
{
	size_t length = strlen(key);
	uint64_t sum = 0;
	const char *p;

	for (p = json; (p = strstr(p, key)); p += length) {
		const char *v = p + length;

		if (p == json || p[-1] != '"' || *v++ != '"')
			continue;
		v += strspn(v, " :");
		sum += strtoull(v, NULL, 10);
	}
	return sum;
}

int lab_open(const char *lab, unsigned int site)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/run/netns/%s-%u", lab, site);
	return open(path, O_RDONLY | O_CLOEXEC);
}

unsigned int lab_sites(const char *lab)
{
	unsigned int n;

	for (n = 0; ; n++) {
		int fd = lab_open(lab, n);

		if (fd < 0)
			return n;
		close(fd);
	}
}

int lab_enter(int netns)
{
	return setns(netns, CLONE_NEWNET);
}

int lab_sysctl(const char *lab, unsigned int site, const char *name, unsigned int value)
{
	int netns = lab_open(lab, site), bad;
	char path[128];
	FILE *file;

	if (netns < 0)
		return -1;
	bad = lab_enter(netns);
	close(netns);
	if (bad)
		return -1;
	snprintf(path, sizeof(path), "/proc/sys/net/flitcast/%s", name);
	file = fopen(path, "we");
	if (!file)
		return -1;
	bad = fprintf(file, "%u\n", value) < 0;
	return fclose(file) || bad ? -1 : 0;
}

long protocol_pages(void)
{
	FILE *file = fopen("/proc/net/protocols", "re");
	char line[512];
	long pages = -1;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "FLITCAST ", 9))
			sscanf(line, "%*s %*d %*d %ld", &pages);
	if (file)
		fclose(file);
	return pages;
}

bool write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return done;
}

bool lab_memory_group(const char *path, unsigned int mib)
{
	char file[64], text[32];

	if (access("/sys/fs/cgroup/cgroup.controllers", F_OK) &&
	    mount("none", "/sys/fs/cgroup", "cgroup2", 0, NULL))
		return false;
	write_to("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	mkdir(path, 0755);
	snprintf(file, sizeof(file), "%s/memory.max", path);
	snprintf(text, sizeof(text), "%uM", mib);
	return write_to(file, text);
}

bool lab_become_user(void)
{
	return !setgroups(0, NULL) && !setresgid(LAB_USER, LAB_USER, LAB_USER) &&
	       !setresuid(LAB_USER, LAB_USER, LAB_USER) && !prctl(PR_SET_DUMPABLE, 1) &&
	       !unshare(CLONE_NEWUSER | CLONE_NEWNET) &&
	       write_to("/proc/self/setgroups", "deny") &&
	       write_to("/proc/self/uid_map", "0 1000 1") &&
	       write_to("/proc/self/gid_map", "0 1000 1");
}

int lab_up(const char *lab, const char *spec)
{
	/* Options for all labs of a test, for instance --rdma. */
	const char *options = getenv("FLITCAST_LAB");

	if (cli("lab down name %s", lab))
		return -1;
	return cli("lab up %s %s name %s", spec, options ? options : "", lab) ? -1 : 0;
}

static char trouble[256];

#define wrong(fmt, ...)								\
	(snprintf(trouble, sizeof(trouble), fmt, ##__VA_ARGS__), trouble)

/* Reads answers until @left is 0 or time is up. */
static const char *await_echoes(int fd, unsigned int site, uint64_t *left, uint64_t until)
{
	char want[32], got[64];
	struct sockaddr_flitcast from;

	while (*left) {
		uint64_t now = now_ms();
		ssize_t n;

		if (now >= until || !msg_wait(fd, POLLIN | POLLERR, (int)(until - now)))
			return wrong("site %u: no answer from site %d", site,
				     __builtin_ctzll(*left));
		n = msg_recv(fd, got, sizeof(got), &from, MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN)
			continue;
		if (n < 0)
			return wrong("site %u: asking all: %s", site, strerror(errno));
		snprintf(want, sizeof(want), "%u asks %u", site, from.sfc_site);
		if (n != (ssize_t)strlen(want) || memcmp(got, want, n))
			return wrong("site %u: wrong answer from site %u", site, from.sfc_site);
		*left &= ~(1ULL << (from.sfc_site & 63));
	}
	return NULL;
}

const char *lab_healthy(const char *lab, unsigned int timeout_ms)
{
	unsigned int sites = lab_sites(lab), site, to;
	uint64_t until = now_ms() + timeout_ms;
	const char *bad = NULL;

	if (!sites || sites > 64)
		return wrong("lab %s has %u sites", lab, sites);
	for (site = 0; site < sites && !bad; site++) {
		int netns = lab_open(lab, site);
		int fd = msg_socket(netns, site, FLITCAST_PORT_ANY, 0);
		uint64_t left = 0;

		if (netns >= 0)
			close(netns);
		if (fd < 0)
			return wrong("site %u: socket: %s", site, strerror(errno));
		for (to = 0; to < sites && !bad; to++) {
			char text[32];
			int n = snprintf(text, sizeof(text), "%u asks %u", site, to);

			/* In mode csr the previous message has to get its reservation first. */
			while (msg_send(fd, text, n, to, FLITCAST_PORT_ECHO, MSG_DONTWAIT) != n &&
			       !bad)
				if (errno != EAGAIN || now_ms() > until ||
				    !msg_wait(fd, POLLOUT, (int)(until - now_ms())))
					bad = wrong("site %u: sending to site %u: %s", site, to,
						    strerror(errno));
			left |= 1ULL << to;
		}
		if (!bad)
			bad = await_echoes(fd, site, &left, until);
		close(fd);
	}
	return bad;
}

uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

void sleep_ms(unsigned int ms)
{
	struct timespec nap = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	while (nanosleep(&nap, &nap) && errno == EINTR)
		continue;
}

uint64_t meminfo(const char *name)
{
	unsigned long long value = 0;
	char line[128];
	FILE *file;

	file = fopen("/proc/meminfo", "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':') {
			value = strtoull(line + strlen(name) + 1, NULL, 10);
			break;
		}
	}
	fclose(file);
	return value;
}

/* Pages on the free lists of processors. */
static uint64_t pages_of_processors(void)
{
	unsigned long long n, sum = 0;
	char line[128];
	FILE *file;

	file = fopen("/proc/zoneinfo", "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %llu", &n) == 1)
			sum += n;
	fclose(file);
	return sum;
}

uint64_t free_kib(void)
{
	return meminfo("MemFree") + meminfo("Buffers") + meminfo("Cached") +
	       meminfo("SReclaimable") + pages_of_processors() * sysconf(_SC_PAGESIZE) / 1024;
}

int allow_descriptors(unsigned int count)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return -1;
	if (limit.rlim_cur >= count)
		return 0;
	limit.rlim_cur = count;
	if (limit.rlim_max < count)
		limit.rlim_max = count;
	return setrlimit(RLIMIT_NOFILE, &limit);
}

void skip_without_family(bool tap)
{
	int fd = socket(msg_family(), SOCK_RDM | SOCK_CLOEXEC, 0);

	if (fd >= 0) {
		close(fd);
		return;
	}
	/* A family that the user named must exist. */
	if (errno != EAFNOSUPPORT || getenv("FLITCAST_FAMILY"))
		return;
	printf("%sSKIP no address family %d: flitcast.ko is not loaded\n", tap ? "1..0 # " : "",
	       msg_family());
	exit(EXIT_SKIP);
}
