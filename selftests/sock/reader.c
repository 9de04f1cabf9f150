// SPDX-License-Identifier: GPL-2.0
/*
 * A reader that is slow, stopped or dead: effects on its senders, on receivers of the same
 * messages, and on memory.  The senders to a stopped reader may wait, skip it, or detach it
 * (FLITCAST_SLOW_TARGET).
 *
 *	senders at five sites ---> the reader (a process of its own)
 *	        \                   site 5 port 6000
 *	         `--- some also --> its mate (this process)
 *	                            site 10 port 6001
 *
 * Meanwhile a command runs, such as a stress test, whose speed is compared with that beside a
 * normal reader.
 *
 * Length and contents of a message follow from its number, and a received message must be the next
 * one of its sender.  If a sender does not wait, the reader may miss the messages that the sender's
 * reports name.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <linux/sockios.h>
#include "lab.h"
#include "msg.h"

#define READER_SITE	5
#define READER_PORT	6000
#define MATE_SITE	10
#define MATE_PORT	6001
#define MOST		60000
#define SNDBUF		(256 << 10)
#define RCVBUF		(512 << 10)
/* Messages that the reader receives before it misbehaves. */
#define FIRST		10
/* A sender is blocked if its socket accepts nothing for this time. */
#define BLOCKED_MS	300
/* Time-out of any event; far more than needed. */
#define PATIENCE_MS	60000
/*
 * Bound on the memory in use, in KiB: all buffers, twice (received messages share their data with
 * replay entries, except for headers and lists), plus the system's.
 */
#define MEMORY_KIB	((2 * (NSENDERS * SNDBUF + 2 * RCVBUF) >> 10) + 4096)
/* How long senders that skip or detach wait for the reader, and pause between two messages. */
#define SLOW_MS		200
#define PAUSE_MS	40
/* Messages of a sender whose outcome is recorded; a run sends fewer. */
#define NUMBERS		8192

enum behaviour { NONE, SLOW, STOP, SKIP, DETACH, KILL };

static const char *const behaviours[] = { "none", "slow", "stop", "skip", "detach", "kill" };
static const uint32_t sites[] = { 1, 2, 7, 8, 13 };

#define NSENDERS	(sizeof(sites) / sizeof(*sites))

struct sender {
	int fd;
	struct sockaddr_flitcast name;
	bool mate;		/* the reader's mate is a target of its messages, too */
	uint32_t sent;
	bool blocked;
	int err;		/* its first error */
	uint64_t send_at;	/* earliest time of the next message */
	uint32_t reports;
	uint32_t late;		/* messages for which the reader was too slow */
	uint32_t left_out;	/* messages that omitted the reader from the start */
	bool refused;		/* a message had no target left */
	/* The outcome of the reader in each report: an errno, or 0. */
	uint8_t outcome[NUMBERS];
};

/* Shared with the process of the reader. */
struct shared {
	atomic_uint ready;
	atomic_uint read[NSENDERS];
	atomic_uint wrong;
	atomic_uint pause_ms;	/* between two messages */
	atomic_uchar got[NSENDERS][NUMBERS];
};

static struct sender senders[NSENDERS];
static struct shared *shared;
static uint32_t mate_read[NSENDERS];
static int mate = -1;
static pid_t reader = -1;
static enum behaviour behaviour;
static const char *lab;
static unsigned int wrong;
static char data[MOST];
/* Senders send until this is cleared. */
static bool sending = true;

#define complain(fmt, ...)						\
	(wrong++, fprintf(stderr, "reader: %s: " fmt "\n", behaviours[behaviour], ##__VA_ARGS__))

/* In this mode, senders do not wait for the reader. */
static bool goes_on(void)
{
	return behaviour == SKIP || behaviour == DETACH;
}

static uint64_t key_of(unsigned int sender, uint32_t number)
{
	return msg_key(behaviour, sender, number);
}

static size_t length_of(unsigned int sender, uint32_t number)
{
	struct prng prng = { .state = key_of(sender, number) };

	/* Messages may be missing, and a few bytes do not identify one: make them longer. */
	return prng_log(&prng, goes_on() ? 16 : 1, MOST);
}

static int open_socket(uint32_t site, uint16_t port, int flags, int what, int size)
{
	int netns = lab_open(lab, site), fd;

	if (netns < 0)
		die("lab %s: site %u: %s", lab, site, strerror(errno));
	fd = msg_socket(netns, site, port, flags);
	close(netns);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, what, &size, sizeof(size)))
		die("socket at site %u: %s", site, strerror(errno));
	return fd;
}

/*
 * Is the message the next one of its sender or, with @gaps, a later one?  Return: index of the
 * sender, or -1.  Updates @read to the number of the next message.
 */
static int judge(const struct sockaddr_flitcast *from, const char *got, size_t len,
		 uint32_t *read, bool gaps)
{
	unsigned int i;
	uint32_t k;

	for (i = 0; i < NSENDERS; i++) {
		const struct sender *s = &senders[i];

		if (s->name.sfc_site != from->sfc_site || s->name.sfc_port != from->sfc_port)
			continue;
		for (k = read[i]; k == read[i] || (gaps && k < NUMBERS); k++) {
			if (len != length_of(i, k) || msg_check(got, len, key_of(i, k), 0) != len)
				continue;
			read[i] = k + 1;
			return i;
		}
	}
	return -1;
}

/* The reader, a process with its own socket. */

static void __attribute__((noreturn)) read_on(void)
{
	int fd = open_socket(READER_SITE, READER_PORT, 0, SO_RCVBUF, RCVBUF);
	uint32_t read[NSENDERS] = { 0 };
	struct sockaddr_flitcast from;

	atomic_store(&shared->ready, 1);
	for (;;) {
		ssize_t n = msg_recv(fd, data, MOST, &from, MSG_TRUNC);
		int i = n < 0 ? -1 : judge(&from, data, n, read, goes_on());

		if (i < 0) {
			atomic_fetch_add(&shared->wrong, 1);
		} else {
			atomic_fetch_add(&shared->read[i], 1);
			if (read[i] <= NUMBERS)
				atomic_store(&shared->got[i][read[i] - 1], 1);
		}
		if (atomic_load(&shared->pause_ms))
			sleep_ms(atomic_load(&shared->pause_ms));
	}
}

static void start_reader(void)
{
	uint64_t until = now_ms() + PATIENCE_MS;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	/* The reader must be fast enough to finish within the test. */
	atomic_store(&shared->pause_ms, behaviour == SLOW ? 50 : 0);
	reader = fork();
	if (!reader)
		read_on();
	while (!atomic_load(&shared->ready)) {
		if (reader < 0 || now_ms() > until)
			die("the reader does not start");
		sleep_ms(1);
	}
}

static uint32_t all_read(void)
{
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < NSENDERS; i++)
		sum += atomic_load(&shared->read[i]);
	return sum;
}

/*
 * This process: the senders, and the reader's mate.
 */

static void set_slow(struct sender *s, uint32_t policy, uint32_t ms)
{
	struct flitcast_slow_target slow = { .policy = policy, .ms = ms };

	if (setsockopt(s->fd, SOL_FLITCAST, FLITCAST_SLOW_TARGET, &slow, sizeof(slow)))
		die("FLITCAST_SLOW_TARGET: %s", strerror(errno));
}

static void go_on_without(struct sender *s)
{
	int on = 1;

	set_slow(s, behaviour == SKIP ? FLITCAST_SLOW_SKIP : FLITCAST_SLOW_DETACH, SLOW_MS);
	if (setsockopt(s->fd, SOL_FLITCAST, FLITCAST_CONFIRM, &on, sizeof(on)))
		die("FLITCAST_CONFIRM: %s", strerror(errno));
}

static void open_senders(void)
{
	unsigned int i;

	mate = open_socket(MATE_SITE, MATE_PORT, SOCK_NONBLOCK, SO_RCVBUF, RCVBUF);
	for (i = 0; i < NSENDERS; i++) {
		struct sender *s = &senders[i];

		s->fd = open_socket(sites[i], FLITCAST_PORT_ANY, SOCK_NONBLOCK, SO_SNDBUF, SNDBUF);
		s->name = msg_name(s->fd);
		s->mate = i % 2;
		if (goes_on())
			go_on_without(s);
	}
}

/* Every message has a report: the mate must be delivered, the reader's result is recorded. */
static void read_reports(struct sender *s)
{
	struct flitcast_result results[2];
	struct flitcast_report report;
	unsigned int i = s - senders;
	int n;

	while ((n = msg_report(s->fd, &report, results, 2, NULL)) >= 0) {
		int of_reader = n ? results[0].error : -1;

		s->reports++;
		if (n != 1 + s->mate || report.id >= s->sent || report.id >= NUMBERS ||
		    results[0].site != READER_SITE || results[0].port != READER_PORT) {
			complain("sender %u: a report of message %u, of which %u are sent: %d results",
				 i, report.id, s->sent, n);
			return;
		}
		if (s->mate && (results[1].site != MATE_SITE || results[1].error))
			complain("sender %u: message %u to the mate: %s", i, report.id,
				 strerror(results[1].error));
		s->outcome[report.id] = (uint8_t)of_reader;
		if (of_reader == ETIME)
			s->late++;
		else if (of_reader == ECANCELED)
			s->left_out++;
		else if (of_reader)
			complain("sender %u: message %u to the reader: %s", i, report.id,
				 strerror(of_reader));
	}
	if (errno != EAGAIN)
		complain("sender %u: report: %s", i, strerror(errno));
	/* Clear the socket's error, which the same report may have set. */
	n = msg_error(s->fd);
	if (n && n != ETIME)
		s->err = n;
}

static void send_some(struct sender *s)
{
	static const struct flitcast_target targets[] = {
		{ .site = READER_SITE, .port = READER_PORT },
		{ .site = MATE_SITE, .port = MATE_PORT },
	};
	unsigned int i = s - senders;
	size_t len = length_of(i, s->sent);
	ssize_t n;

	msg_fill(data, len, key_of(i, s->sent), 0);
	n = msg_send_list(s->fd, data, len, targets, 1 + s->mate, 0);
	s->blocked = n < 0 && errno == EAGAIN;
	if (n == (ssize_t)len)
		s->sent++;
	else if (n >= 0)
		complain("sender %u: %zd of %zu bytes", i, n, len);
	else if (behaviour == DETACH && !s->mate && errno == ECONNREFUSED)
		s->refused = true;
	else if (!s->blocked && !(goes_on() && errno == ETIME))
		s->err = errno;
	if (goes_on())
		s->send_at = now_ms() + PAUSE_MS;
}

static void read_as_mate(void)
{
	struct sockaddr_flitcast from;
	ssize_t n = msg_recv(mate, data, MOST, &from, MSG_TRUNC);
	int i;

	if (n < 0)
		return;
	i = judge(&from, data, n, mate_read, false);
	if (i < 0)
		complain("the mate got %zd bytes from site %u that are not its next message", n,
			 from.sfc_site);
}

static bool may_send(const struct sender *s)
{
	return sending && now_ms() >= s->send_at && !(goes_on() && s->sent == NUMBERS - 1);
}

/* Do all pending work; if there is none, wait up to @ms for some. */
static void turn(int ms)
{
	struct pollfd fds[NSENDERS + 1];
	unsigned int i;

	fds[NSENDERS] = (struct pollfd) { .fd = mate, .events = POLLIN };
	for (i = 0; i < NSENDERS; i++) {
		struct sender *s = &senders[i];

		/* A sender that got an error has ended. */
		fds[i] = (struct pollfd) {
			.fd = s->err ? -1 : s->fd, .events = may_send(s) ? POLLOUT : 0,
		};
	}
	poll(fds, NSENDERS + 1, ms);
	for (i = 0; i < NSENDERS; i++) {
		struct sender *s = &senders[i];

		if (goes_on() && fds[i].revents & POLLERR)
			read_reports(s);
		else if (fds[i].revents & POLLERR)
			s->err = msg_error(s->fd);
		/* POLLOUT announces space for any message; this one may be smaller. */
		else if (may_send(s) && !s->err)
			send_some(s);
	}
	if (fds[NSENDERS].revents)
		read_as_mate();
}

/* Run turns until @done; complain with @what after a time-out. */
static void go_on(bool (*done)(void), const char *what)
{
	uint64_t until = now_ms() + PATIENCE_MS;

	while (!done()) {
		if (now_ms() > until) {
			complain("%s: not in %d s", what, PATIENCE_MS / 1000);
			return;
		}
		turn(20);
	}
}

static bool has_begun(void)
{
	return all_read() >= FIRST;
}

static bool all_refused(void)
{
	unsigned int i;

	for (i = 0; i < NSENDERS; i++)
		if (!senders[i].err)
			return false;
	return true;
}

/* Each sender has found the reader too slow, and has sent on without it. */
static bool all_gone_on(void)
{
	unsigned int i;

	for (i = 0; i < NSENDERS; i++)
		if (!senders[i].late || (behaviour == DETACH && !senders[i].left_out &&
					 !senders[i].refused))
			return false;
	return true;
}

static bool all_reported(void)
{
	unsigned int i;

	for (i = 0; i < NSENDERS; i++)
		if (senders[i].reports != senders[i].sent)
			return false;
	return true;
}

static uint32_t all_sent(void)
{
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < NSENDERS; i++)
		sum += senders[i].sent;
	return sum;
}

/* All sockets refuse messages, and keep refusing for a while. */
static bool all_blocked(void)
{
	static uint64_t since;
	static uint32_t sent;

	if (!since || all_sent() != sent) {
		since = now_ms();
		sent = all_sent();
	}
	return now_ms() > since + BLOCKED_MS;
}

/* The mate has every message that the sockets accepted. */
static bool mate_has_all(void)
{
	unsigned int i;

	for (i = 0; i < NSENDERS; i++)
		if (senders[i].mate && mate_read[i] != senders[i].sent)
			return false;
	return true;
}

/* The reader has every message, except those reported to the sender as failed. */
static bool reader_has_all(void)
{
	unsigned int i;
	uint32_t k;

	for (i = 0; i < NSENDERS; i++) {
		if (!goes_on() && atomic_load(&shared->read[i]) != senders[i].sent)
			return false;
		for (k = 0; goes_on() && k < senders[i].sent; k++)
			if (!senders[i].outcome[k] && !atomic_load(&shared->got[i][k]))
				return false;
	}
	return true;
}

static bool all_completed(void)
{
	unsigned int i;

	for (i = 0; i < NSENDERS; i++) {
		int queued = 0;

		if (ioctl(senders[i].fd, SIOCOUTQ, &queued) || queued)
			return false;
	}
	return true;
}

/* Run the command, while senders and mate continue.  Return: its exit status. */
static int run(char **argv)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		execvp(argv[0], argv);
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	while (pid > 0 && !waitpid(pid, &status, WNOHANG))
		turn(20);
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static uint64_t free_memory(void)
{
	return meminfo("MemAvailable");
}

static void check_memory(uint64_t before, const char *when)
{
	int64_t used = before - free_memory();

	if (used > (int64_t)MEMORY_KIB)
		complain("%s: %" PRId64 " KiB are in use", when, used);
	fprintf(stderr, "reader: %s: %s: %" PRId64 " KiB in use, at most %d are allowed\n",
		behaviours[behaviour], when, used, (int)MEMORY_KIB);
}

/* Make the reader misbehave, and wait until its senders notice. */
static void hinder(void)
{
	unsigned int i;

	go_on(has_begun, "the first messages");
	if (behaviour == STOP || goes_on())
		kill(reader, SIGSTOP);
	if (behaviour == KILL) {
		kill(reader, SIGKILL);
		waitpid(reader, NULL, 0);
		reader = -1;
		go_on(all_refused, "every sender is told that the reader is gone");
	} else if (behaviour == STOP) {
		go_on(all_blocked, "all senders are blocked");
	} else if (goes_on()) {
		go_on(all_gone_on, "every sender goes on without the reader");
	}
	go_on(mate_has_all, "the mate has what was sent");
	for (i = 0; i < NSENDERS; i++) {
		const struct sender *s = &senders[i];

		if (s->err != (behaviour == KILL ? ECONNREFUSED : 0))
			complain("sender %u was told: %s", i, strerror(s->err));
		if (behaviour == STOP && !s->blocked)
			complain("sender %u is not blocked", i);
	}
}

/* Senders that skipped or detached the reader set their policy again, and send to it. */
static void take_back(void)
{
	unsigned int i;

	for (i = 0; i < NSENDERS; i++) {
		struct sender *s = &senders[i];
		uint32_t k;

		for (k = 0; k < s->sent; k++)
			if (s->outcome[k] == ECANCELED && atomic_load(&shared->got[i][k]))
				complain("sender %u: message %u was not to reach the reader", i,
					 k);
		if (behaviour == SKIP && s->left_out)
			complain("sender %u: %u messages left the reader out", i, s->left_out);
		set_slow(s, FLITCAST_SLOW_WAIT, 0);
		k = s->sent;
		send_some(s);
		if (s->sent != k + 1)
			complain("sender %u: the last message is not taken", i);
	}
	go_on(all_reported, "the last messages are reported");
	for (i = 0; i < NSENDERS; i++)
		if (senders[i].sent && senders[i].outcome[senders[i].sent - 1])
			complain("sender %u: the last message: %s", i,
				 strerror(senders[i].outcome[senders[i].sent - 1]));
	go_on(reader_has_all, "the reader has the last messages");
}

/* The reader reads again, and gets all messages; its mate does, too. */
static void release(void)
{
	unsigned int i;

	sending = false;
	if (goes_on())
		go_on(all_reported, "every message is reported");
	if (reader >= 0) {
		atomic_store(&shared->pause_ms, 0);
		kill(reader, SIGCONT);
		go_on(reader_has_all, "the reader has what was sent");
		if (atomic_load(&shared->wrong))
			complain("the reader got %u wrong messages",
				 atomic_load(&shared->wrong));
	}
	if (goes_on())
		take_back();
	go_on(mate_has_all, "the mate has what was sent, in the end");
	go_on(all_completed, "everything is confirmed or given up");
	for (i = 0; i < NSENDERS; i++)
		if (behaviour != KILL && senders[i].err)
			complain("sender %u was told: %s", i, strerror(senders[i].err));
}

/*
 * Run the test with lower priority than the network.  If they share one processor, the scheduler
 * decides by chance, and for seconds, whether a message arrives before the next one is sent or
 * hundreds queue up: the speeds differ by half.
 */
static void yield_to_others(void)
{
	struct sched_param param = { .sched_priority = 0 };

	if (sched_setscheduler(0, SCHED_IDLE, &param))
		die("SCHED_IDLE: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	unsigned int read, meanwhile, i, late = 0, left_out = 0;
	uint64_t before;
	int status;

	while (behaviour <= KILL && (argc < 4 || strcmp(argv[1], behaviours[behaviour])))
		behaviour++;
	if (behaviour > KILL) {
		fputs("Usage: reader none|slow|stop|skip|detach|kill LAB COMMAND [ARG]...\n"
		      "\n"
		      "Runs the command beside a reader that is slow, is stopped (and waited for,\n"
		      "skipped or detached), dies, or is not there at all.\n"
		      "\n"
		      "Exit status: that of the command, or 1 where something else was wrong.\n",
		      stderr);
		return EXIT_USAGE;
	}
	lab = argv[2];
	yield_to_others();
	skip_without_family(false);
	if (lab_sites(lab) <= 13)
		die("lab %s has too few sites", lab);
	if (behaviour == NONE) {
		execvp(argv[3], argv + 3);
		die("%s: %s", argv[3], strerror(errno));
	}
	before = free_memory();
	open_senders();
	start_reader();
	hinder();
	check_memory(before, "before the command");
	read = all_read();
	status = run(argv + 3);
	meanwhile = all_read() - read;
	if (behaviour == SLOW && !meanwhile)
		complain("the slow reader got nothing meanwhile");
	if ((behaviour == STOP || goes_on()) && meanwhile)
		complain("the reader was not stopped");
	check_memory(before, "after the command");
	release();
	fprintf(stderr, "reader: %s: %u messages sent, %u read, %u of them during the command\n",
		behaviours[behaviour], all_sent(), all_read(), meanwhile);
	for (i = 0; i < NSENDERS; i++) {
		late += senders[i].late;
		left_out += senders[i].left_out;
	}
	if (goes_on())
		fprintf(stderr, "reader: %s: %u messages were late, %u left the reader out\n",
			behaviours[behaviour], late, left_out);
	if (reader >= 0)
		kill(reader, SIGKILL);
	return wrong ? 1 : status;
}
