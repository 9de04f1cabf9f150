// SPDX-License-Identifier: GPL-2.0
/*
 * One site's part of a conversation between hosts.  It sends messages to random lists of the other
 * sites, and derives the targets, the length and the contents of their messages from seed, sender
 * and number.
 *
 *   peer [-b BYTES] [-s] DIR SEED SITE SITES MESSAGES [LOST]
 *
 * The hosts share DIR, in which a file "NAME.SITE" describes the state of that site:
 *   bound	its socket is bound
 *   heard	number of messages that it has received
 *   done	its messages are confirmed, and it has received all of the others'
 *
 * Sites wait for each other before the first message, and at the end, because the unconfirmed
 * messages of a host are lost when it shuts down.
 *
 * With LOST, the host of that site is killed when "killed" appears in DIR.  Its messages may be
 * incomplete; the senders must get an error, but not before, and then omit it from their lists.
 *
 * -b: messages have up to BYTES bytes (102,400).
 * -s: the second half of the messages is sent slowly until "stopped" is in DIR: a script that
 *     stops hosts in mid-traffic may be late.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lab.h"
#include "msg.h"

#define PORT		5000
#define SITES_MAX	32
#define NO_SITE		(~0U)
/* Messages in flight, enough to keep every link busy. */
#define AHEAD		16
/* Interval between messages that are sent slowly. */
#define SLOW_MS		20
/* Time-out of the test without any progress. */
#define PATIENCE_MS	60000
/* Time after the last message for duplicates to arrive. */
#define QUIET_MS	500
/* Time-out of a target that does not answer. */
#define TIMEOUT_MS	10000

/* Messages of one sender: sender and receivers derive the same script from the seed. */
struct script {
	struct prng prng;
	uint32_t site;
	uint32_t number;	/* number of the message below */
	uint32_t targets;	/* mask of sites */
	uint32_t len;
};

static const char *dir;
static unsigned int site = NO_SITE, nsites, messages, lost = NO_SITE;
static uint64_t seed;
static uint32_t bytes_max = 100 << 10;
static bool slow;
static struct script own, others[SITES_MAX];
static char *outbox, *inbox;
static unsigned int received;
static bool reported;
static uint64_t moved_at, longest_ms, killed_at, reported_ms;

/* Advance the script to its next message; after the last one, to a message without targets. */
static void script_next(struct script *script)
{
	uint32_t all = (uint32_t)((1ULL << nsites) - 1) & ~(1U << script->site);

	script->number++;
	script->targets = 0;
	if (script->number > messages)
		return;
	while (!script->targets)
		script->targets = prng_next(&script->prng) & all;
	script->len = prng_log(&script->prng, 0, bytes_max);
}

/* Advance to the next message for this site. */
static void script_next_for_us(struct script *script)
{
	do
		script_next(script);
	while (script->number <= messages && !(script->targets >> site & 1));
}

static struct script script_begin(uint32_t sender)
{
	return (struct script) {
		.prng = { .state = msg_key(seed, sender, 0) }, .site = sender,
	};
}

static const char *mark_path(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static bool marked(const char *name)
{
	return !access(mark_path(name), F_OK);
}

static void mark(const char *name, unsigned int value)
{
	char full[64], *fresh;
	FILE *file;

	/* Rename over the old file, so that a reader finds the old or the new value. */
	snprintf(full, sizeof(full), "new-%s.%u", name, site);
	fresh = strdup(mark_path(full));
	file = fresh ? fopen(fresh, "we") : NULL;
	if (!file || fprintf(file, "%u\n", value) < 0 || fclose(file) ||
	    rename(fresh, mark_path(full + strlen("new-"))))
		die("cannot write %s: %s", mark_path(full), strerror(errno));
	free(fresh);
}

/* Have all surviving sites set this mark? */
static bool all_marked(const char *name, bool with_lost)
{
	char full[64];
	unsigned int s;

	for (s = 0; s < nsites; s++) {
		snprintf(full, sizeof(full), "%s.%u", name, s);
		if ((with_lost || s != lost) && !marked(full))
			return false;
	}
	return true;
}

static void moved(void)
{
	uint64_t now = now_ms();

	if (moved_at && now - moved_at > longest_ms)
		longest_ms = now - moved_at;
	moved_at = now;
}

/* Record when the host of @lost was killed, by looking for the mark now and then. */
static void note_kill(void)
{
	static uint64_t again_at;

	if (lost == NO_SITE || killed_at || now_ms() < again_at)
		return;
	again_at = now_ms() + 20;
	if (marked("killed"))
		killed_at = now_ms();
}

/* Does -s allow the next message now? */
static bool in_time(void)
{
	static uint64_t next_at;

	if (!slow || own.number <= messages / 2)
		return true;
	if (now_ms() < next_at)
		return false;
	next_at = now_ms() + SLOW_MS;
	slow = !marked("stopped");
	return true;
}

static void failed(int err)
{
	if (err != EHOSTUNREACH && err != ELOOP && err != ETIMEDOUT)
		die("sending: %s", strerror(err));
	note_kill();
	if (!killed_at)
		die("told of a lost target, but none is lost: %s", strerror(err));
	if (!reported) {
		reported_ms = now_ms() - killed_at;
		printf("# site %u is told at message %u, %llu ms after the kill: %s\n", site,
		       own.number, (unsigned long long)reported_ms, strerror(err));
		/*
		 * The lost site may have answered just before the kill; senders ask it seconds
		 * later.
		 */
		if (reported_ms > 2 * TIMEOUT_MS)
			die("told after more than twice the time-out of %u ms", TIMEOUT_MS);
	}
	reported = true;
	moved();
}

/* Return: true if the socket accepted the message, or no target is left. */
static bool send_one(int fd)
{
	struct flitcast_target targets[SITES_MAX];
	uint32_t left = own.targets;
	unsigned int n = 0;

	if (reported)
		left &= ~(1U << lost);
	for (; left; left &= left - 1)
		targets[n++] = (struct flitcast_target) {
			.site = __builtin_ctz(left), .port = PORT,
		};
	if (!n)
		return true;
	msg_fill(outbox, own.len, msg_key(seed, site, own.number), 0);
	if (msg_send_list(fd, outbox, own.len, targets, n, MSG_DONTWAIT) >= 0)
		return true;
	if (errno != EAGAIN)
		failed(errno);
	return false;
}

static bool receive_one(int fd)
{
	struct sockaddr_flitcast from;
	struct script *script;
	uint64_t key;
	ssize_t len;

	len = msg_recv(fd, inbox, bytes_max + 1, &from, MSG_DONTWAIT);
	if (len < 0) {
		if (errno != EAGAIN)
			failed(errno);
		return errno != EAGAIN;
	}
	if (from.sfc_site >= nsites || from.sfc_site == site)
		die("a message from site %u", from.sfc_site);
	script = &others[from.sfc_site];
	if (script->number > messages)
		die("%zd bytes from site %u, which has sent everything", len, from.sfc_site);
	if ((size_t)len != script->len)
		die("message %u of site %u: %zd bytes of %u", script->number, from.sfc_site, len,
		    script->len);
	key = msg_key(seed, from.sfc_site, script->number);
	if (msg_check(inbox, len, key, 0) != (size_t)len)
		die("message %u of site %u is not what was sent", script->number, from.sfc_site);
	script_next_for_us(script);
	received++;
	return true;
}

static bool all_received(void)
{
	unsigned int s;

	for (s = 0; s < nsites; s++)
		if (s != site && s != lost && others[s].number <= messages)
			return false;
	return true;
}

static uint64_t in_flight(int fd)
{
	struct flitcast_sock_stats stats = msg_stats(fd);

	return stats.tx_messages - stats.tx_confirmed - stats.tx_failed;
}

static void die_of_impatience(int fd)
{
	struct flitcast_sock_stats stats = msg_stats(fd);
	unsigned int s;

	for (s = 0; s < nsites; s++)
		if (s != site)
			printf("# site %u waits for message %u of site %u\n", site,
			       others[s].number, s);
	die("site %u: nothing moves: at message %u, %llu taken, %llu confirmed, %llu failed%s",
	    site, own.number, (unsigned long long)stats.tx_messages,
	    (unsigned long long)stats.tx_confirmed, (unsigned long long)stats.tx_failed,
	    reported || lost == NO_SITE ? "" : ", not told of the lost one");
}

/* Send and receive, from the first message to the last confirmation. */
static void converse(int fd)
{
	unsigned int shown = 0;
	bool done = false;
	int err;

	moved_at = 0;
	for (moved(); !done;) {
		unsigned int before = received;

		note_kill();
		while (receive_one(fd))
			moved();
		if (received / 10 != shown / 10)
			mark("heard", received);
		shown = received;
		while (own.number <= messages && in_flight(fd) < AHEAD && in_time() &&
		       send_one(fd)) {
			script_next(&own);
			moved();
		}
		err = msg_error(fd);
		if (err)
			failed(err);
		done = all_received() && own.number > messages && !in_flight(fd) &&
		       (reported || lost == NO_SITE);
		if (received == before && !done)
			msg_wait(fd, POLLIN, 5);
		if (now_ms() - moved_at > PATIENCE_MS)
			die_of_impatience(fd);
	}
}

static void await(const char *name, bool with_lost, int fd)
{
	for (moved(); !all_marked(name, with_lost); sleep_ms(20)) {
		if (now_ms() - moved_at > 2 * PATIENCE_MS)
			die("site %u: not everybody is %s", site, name);
		/* Messages of the killed site may still be in flight. */
		while (receive_one(fd))
			continue;
	}
}

static void parse(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "b:s")) != -1) {
		if (option == 'b')
			bytes_max = strtoul(optarg, NULL, 0);
		else if (option == 's')
			slow = true;
		else
			argc = 0;
	}
	argc -= optind - 1;
	argv += optind - 1;
	if (argc >= 6) {
		dir = argv[1];
		seed = strtoull(argv[2], NULL, 0);
		site = strtoul(argv[3], NULL, 0);
		nsites = strtoul(argv[4], NULL, 0);
		messages = strtoul(argv[5], NULL, 0);
	}
	if (argc > 6)
		lost = strtoul(argv[6], NULL, 0);
	if (argc < 6 || nsites < 2 || nsites > SITES_MAX || site >= nsites || !messages) {
		fprintf(stderr, "usage: peer [-b BYTES] [-s] DIR SEED SITE SITES MESSAGES [LOST]\n");
		exit(EXIT_USAGE);
	}
}

int main(int argc, char **argv)
{
	uint32_t timeout = TIMEOUT_MS;
	uint64_t rest;
	unsigned int s;
	int fd;

	parse(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	outbox = malloc(bytes_max + 1);
	inbox = malloc(bytes_max + 1);
	if (!outbox || !inbox)
		die("no memory");
	own = script_begin(site);
	script_next(&own);
	for (s = 0; s < nsites; s++) {
		others[s] = script_begin(s);
		if (s != site)
			script_next_for_us(&others[s]);
	}
	fd = msg_socket(-1, site, PORT, 0);
	if (fd < 0)
		die("site %u: %s", site, strerror(errno));
	/* In a run without a lost site no target may fail, however slow the machine. */
	if (lost != NO_SITE &&
	    setsockopt(fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &timeout, sizeof(timeout)))
		die("FLITCAST_TIMEOUT: %s", strerror(errno));
	mark("bound", 1);
	await("bound", true, fd);
	converse(fd);
	rest = longest_ms;
	mark("done", received);
	await("done", false, fd);
	for (moved(); now_ms() - moved_at < QUIET_MS; sleep_ms(20))
		while (receive_one(fd))
			continue;
	printf("# site %u: sent %u, got %u, at rest for %llu ms at most\n", site, messages,
	       received, (unsigned long long)rest);
	return 0;
}
