// SPDX-License-Identifier: GPL-2.0
/*
 * The load of the stress test: senders, receivers, and the messages that each must get.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include "lab.h"
#include "msg.h"
#include "stress.h"

#define PORT_BASE	5000
/* Messages that a receiver reads in one turn, so that senders have turns. */
#define READ_BATCH	8
/* Messages that a restarted site, which had not confirmed them, may get again: the window. */
#define AGAIN_MAX	16
/* Completed messages remembered per pair, to detect duplicates. */
#define HISTORY_MAX	4096
#define REOPEN_MS	100
/* The send buffer under --overload: some messages. */
#define OVERLOAD_QUEUE	65536

struct sender *senders;
unsigned int nsenders;
static unsigned int senders_room;
struct receiver *receivers;
unsigned int nreceivers;
static int epoll_fd;
static char *inbox;
static struct prng prng;
/* Namespace of this program; only sockets may hold a site's namespace. */
static int home;
/* The site of --lose is deleted. */
static bool site_gone;

static void *alloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		die("no memory");
	return p;
}

/*
 * Messages.
 */

static uint64_t key_of(const struct sender *s, uint32_t number)
{
	return msg_key(opt.seed, s - senders, number);
}

static void add_due(struct pair *pair, const struct due *due)
{
	if (pair->head > HISTORY_MAX) {
		size_t drop = pair->head - HISTORY_MAX / 2;

		memmove(pair->due, pair->due + drop, (pair->count - drop) * sizeof(*due));
		pair->head -= drop;
		pair->count -= drop;
	}
	if (pair->count == pair->room) {
		pair->room = pair->room ? 2 * pair->room : 64;
		pair->due = realloc(pair->due, pair->room * sizeof(*due));
		if (!pair->due)
			die("no memory");
	}
	pair->due[pair->count++] = *due;
}

/* Remove receivers at the lost site from @to, possibly all.  Return: number of receivers left. */
static unsigned int leave_out_gone(unsigned int *to, unsigned int n)
{
	unsigned int i, left = 0;

	for (i = 0; i < n; i++)
		if (!receivers[to[i]].gone)
			to[left++] = to[i];
	return left;
}

/* A message depends on the seed, the sender and its number only, not on the time. */
static void compose(struct sender *s)
{
	unsigned int i;

	prng.state = msg_key(~opt.seed, s - senders, s->number);
	s->len = prng_log(&prng, opt.bytes.low, opt.bytes.high);
	s->ntargets = opt.targets.low +
		      prng_below(&prng, opt.targets.high - opt.targets.low + 1);
	stress_choose(&prng, s, s->to, s->ntargets);
	if (s->reported)
		s->ntargets = leave_out_gone(s->to, s->ntargets);
	while (!s->ntargets) {
		s->ntargets = opt.targets.low;
		stress_choose(&prng, s, s->to, s->ntargets);
		s->ntargets = leave_out_gone(s->to, s->ntargets);
	}
	for (i = 0; i < s->ntargets; i++) {
		const struct receiver *r = &receivers[s->to[i]];
		struct flitcast_target *t = &s->targets[i];

		*t = (struct flitcast_target) { .site = r->site, .port = r->port };
		if (!s->len || prng_below(&prng, 100) >= opt.parts)
			continue;
		t->offset = prng_below(&prng, s->len + 1);
		t->length = prng_below(&prng, s->len - t->offset + 1);
	}
	msg_fill(s->data, s->len, key_of(s, s->number), 0);
	s->ready = true;
}

static void note_sent(struct sender *s)
{
	bool hopeless = false, maybe = false;
	unsigned int i;

	for (i = 0; i < s->ntargets; i++) {
		const struct flitcast_target *t = &s->targets[i];
		struct due due = {
			.number = s->number, .offset = t->offset,
			.len = t->length ? t->length : s->len - t->offset,
		};

		hopeless |= receivers[s->to[i]].gone;
		maybe |= receivers[s->to[i]].site == opt.lose;
		if (receivers[s->to[i]].gone)
			continue;
		add_due(&s->pairs[s->to[i]], &due);
		seen.bytes += due.len;
		seen.due++;
	}
	if (hopeless && s->nhopeless < HOPELESS_MAX)
		s->hopeless[s->nhopeless++] = s->number;
	seen.hopeless += hopeless;
	seen.maybe += maybe && !hopeless;
	seen.sent++;
	s->number++;
	s->left--;
	s->ready = false;
}

/*
 * Sockets.
 */

static void watch(int fd, uint64_t sender, uint32_t events, int op)
{
	struct epoll_event event = { .events = events, .data.u64 = sender };

	if (epoll_ctl(epoll_fd, op, fd, &event))
		die("epoll: %s", strerror(errno));
}

static int open_socket(uint32_t site, uint16_t port)
{
	int netns = lab_open(opt.lab, site), fd;

	if (netns < 0)
		return -1;
	fd = msg_socket(netns, site, port, SOCK_NONBLOCK);
	close(netns);
	lab_enter(home);
	return fd;
}

#define OF_SENDER	(1ULL << 32)

static int open_receiver(struct receiver *r)
{
	r->fd = open_socket(r->site, r->port);
	if (r->fd < 0)
		return -1;
	/* A slow receiver reads at intervals, not on EPOLLIN. */
	watch(r->fd, r - receivers, r->slow ? 0 : EPOLLIN, EPOLL_CTL_ADD);
	return 0;
}

static int open_sender(uint32_t site, uint64_t messages)
{
	struct sender *s;
	int fd = open_socket(site, FLITCAST_PORT_ANY), queue = OVERLOAD_QUEUE;

	if (fd < 0)
		return -1;
	if (opt.timeout_ms && setsockopt(fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &opt.timeout_ms,
					 sizeof(opt.timeout_ms)))
		die("FLITCAST_TIMEOUT: %s", strerror(errno));
	if (opt.sndbuf)
		queue = (int)opt.sndbuf;
	if ((opt.overload || opt.sndbuf) &&
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &queue, sizeof(queue)))
		die("SO_SNDBUF: %s", strerror(errno));
	if (nsenders == senders_room) {
		senders_room = 2 * senders_room + 16;
		senders = realloc(senders, senders_room * sizeof(*senders));
		if (!senders)
			die("no memory");
	}
	s = &senders[nsenders++];
	*s = (struct sender) {
		.fd = fd, .site = site, .port = msg_name(fd).sfc_port, .left = messages,
		.data = alloc(opt.bytes.high + 1, 1),
		.targets = alloc(opt.targets.high, sizeof(*s->targets)),
		.to = alloc(opt.targets.high, sizeof(*s->to)),
		.pairs = alloc(nreceivers, sizeof(*s->pairs)),
	};
	watch(fd, OF_SENDER | (nsenders - 1), 0, EPOLL_CTL_ADD);
	return 0;
}

/* The sender's site is deleted; its messages may still be in flight. */
static void retire(struct sender *s)
{
	close(s->fd);
	free(s->data);
	s->data = NULL;
	s->fd = -1;
	s->retired = true;
	s->ready = false;
}

void stress_open(void)
{
	unsigned int i, k;

	home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (home < 0 || epoll_fd < 0)
		die("epoll: %s", strerror(errno));
	receivers = alloc(nreceivers, sizeof(*receivers));
	for (i = 0; i < nreceivers; i++) {
		struct receiver *r = &receivers[i];

		r->site = opt.to[i / opt.ports];
		r->port = PORT_BASE + i % opt.ports;
		/* Spread slow receivers over the sites. */
		r->slow = (uint64_t)i * opt.slow_readers / nreceivers !=
			  (uint64_t)(i + 1) * opt.slow_readers / nreceivers;
		if (open_receiver(r))
			die("receiver at site %u port %u: %s", r->site, r->port, strerror(errno));
	}
	for (i = 0; i < opt.senders; i++) {
		uint64_t share = opt.messages / opt.senders + (i < opt.messages % opt.senders);

		k = opt.senders < opt.nfrom ? i * opt.nfrom / opt.senders : i % opt.nfrom;
		if (opt.bytes.high > 1 << 20 &&
		    lab_sysctl(opt.lab, opt.from[k], "message_max", opt.bytes.high))
			die("net.flitcast.message_max: %s", strerror(errno));
		if (open_sender(opt.from[k], opt.endless ? UINT64_MAX : share))
			die("sender at site %u: %s", opt.from[k], strerror(errno));
	}
	inbox = alloc(opt.bytes.high + 1, 1);
}

/* Expect no messages in flight to the lost site: it may have confirmed them or not. */
void stress_lose(void)
{
	unsigned int i, k;
	char path[64];

	if (site_gone)
		return;
	site_gone = true;
	for (i = 0; i < nreceivers; i++) {
		struct receiver *r = &receivers[i];

		if (r->site != opt.lose)
			continue;
		close(r->fd);
		r->fd = -1;
		r->gone = true;
		for (k = 0; k < nsenders; k++) {
			struct pair *pair = &senders[k].pairs[i];

			seen.due -= pair->count - pair->head;
			pair->head = pair->count;
		}
	}
	/* Now only its name holds the namespace. */
	snprintf(path, sizeof(path), "/run/netns/%s-%u", opt.lab, opt.lose);
	if (umount2(path, MNT_DETACH) || unlink(path))
		die("%s: %s", path, strerror(errno));
}

/* After a site is added again, reopen its sockets. */
static void reopen(void)
{
	static uint64_t again_at;
	unsigned int i, k, n = nsenders;

	if (now_ms() < again_at)
		return;
	again_at = now_ms() + REOPEN_MS;
	for (i = 0; i < n; i++) {
		if (!senders[i].retired || !senders[i].left)
			continue;
		if (!open_sender(senders[i].site, senders[i].left)) {
			senders[i].left = 0;
			seen.reopened++;
		}
	}
	for (i = 0; i < nreceivers; i++) {
		if (receivers[i].fd >= 0 || open_receiver(&receivers[i]))
			continue;
		seen.reopened++;
		/*
		 * The sender retransmits messages that the old socket received but did not confirm.
		 */
		for (k = 0; k < nsenders; k++) {
			struct pair *pair = &senders[k].pairs[i];

			pair->head = pair->head > AGAIN_MAX ? pair->head - AGAIN_MAX : 0;
		}
	}
}

/*
 * Receiving.
 */

static struct sender *find_sender(const struct sockaddr_flitcast *addr)
{
	unsigned int i;

	for (i = 0; i < nsenders; i++)
		if (senders[i].site == addr->sfc_site && senders[i].port == addr->sfc_port)
			return &senders[i];
	return NULL;
}

static bool matches(const struct sender *s, const struct due *due, size_t len)
{
	return due->len == len && msg_check(inbox, len, key_of(s, due->number), due->offset) == len;
}

/* Describe the unexpected message. */
static void explain(const struct receiver *r, struct sender *s, size_t len)
{
	struct pair *pair = &s->pairs[r - receivers];
	const struct due *due = &pair->due[pair->head];
	unsigned int i;
	size_t k;

#define AT "site %u port %u from sender %u (site %u)"
#define WHERE r->site, r->port, (unsigned int)(s - senders), s->site
	for (k = 0; k < pair->count; k++) {
		if (!matches(s, &pair->due[k], len))
			continue;
		if (k < pair->head)
			complain(AT ": message %u once more (%zu bytes)", WHERE,
				 pair->due[k].number, len);
		else
			complain(AT ": message %u before message %u", WHERE, pair->due[k].number,
				 due->number);
		return;
	}
	for (i = 0; i < nreceivers; i++) {
		pair = &s->pairs[i];
		for (k = 0; k < pair->count; k++) {
			if (!matches(s, &pair->due[k], len))
				continue;
			complain(AT ": message %u, which is for site %u port %u", WHERE,
				 pair->due[k].number, receivers[i].site, receivers[i].port);
			return;
		}
	}
	pair = &s->pairs[r - receivers];
	if (pair->head == pair->count) {
		complain(AT ": %zu bytes that nobody sent", WHERE, len);
	} else if (due->len != len) {
		complain(AT ": %zu bytes instead of message %u of %u", WHERE, len, due->number,
			 due->len);
	} else {
		k = msg_check(inbox, len, key_of(s, due->number), due->offset);
		complain(AT ": message %u, byte %zu of %zu is wrong", WHERE, due->number, k, len);
	}
#undef AT
#undef WHERE
}

static void judge(struct receiver *r, const struct sockaddr_flitcast *from, size_t len)
{
	struct sender *s = find_sender(from);
	struct pair *pair;
	size_t k;

	if (!s) {
		complain("site %u port %u: %zu bytes from site %u port %u, which sends nothing",
			 r->site, r->port, len, from->sfc_site, from->sfc_port);
		return;
	}
	pair = &s->pairs[r - receivers];
	for (k = pair->head; k < pair->count; k++) {
		if (matches(s, &pair->due[k], len)) {
			/* Skipped messages never arrive: messages of a pair are in order. */
			seen.lost += k - pair->head;
			pair->head = k + 1;
			seen.delivered++;
			r->delivered++;
			return;
		}
		if (!opt.lossy)
			break;
	}
	explain(r, s, len);
	if (opt.lossy)
		return;
	/* Continue after that message, lest one error look like many. */
	while (k < pair->count && !matches(s, &pair->due[k], len))
		k++;
	if (k < pair->count) {
		seen.lost += k - pair->head;
		seen.delivered += k + 1 - pair->head;
		pair->head = k + 1;
	}
}

static void read_some(struct receiver *r, unsigned int most)
{
	struct sockaddr_flitcast from;

	while (most--) {
		ssize_t n = msg_recv(r->fd, inbox, opt.bytes.high + 1, &from, MSG_TRUNC);

		if (n >= 0) {
			judge(r, &from, n);
			continue;
		}
		if (errno == EAGAIN || errno == EINTR)
			return;
		if (opt.lossy && errno == ENETDOWN) {
			close(r->fd);
			r->fd = -1;
			return;
		}
		complain("site %u port %u: recvmsg: %s", r->site, r->port, strerror(errno));
		return;
	}
}

static void read_slow_ones(void)
{
	unsigned int i;

	for (i = 0; opt.slow_readers && i < nreceivers; i++) {
		struct receiver *r = &receivers[i];

		if (!r->slow || r->fd < 0 || now_ms() < r->read_at)
			continue;
		r->read_at = now_ms() + opt.slow_ms;
		read_some(r, 1);
	}
}

/*
 * Sending.
 */

/* May a sender get error @err for a target? */
static bool may_report(int err)
{
	if (err != ETIMEDOUT && err != EHOSTUNREACH && err != ELOOP && err != ECONNREFUSED)
		return false;
	return opt.lossy || site_gone;
}

static void note_reported(struct sender *s)
{
	/* The prepared message may be for the lost site: compose another one. */
	s->reported = site_gone;
	s->ready = false;
	seen.refused++;
}

/* The error of a call or of the socket may report an earlier message. */
static bool is_reported(struct sender *s, int err)
{
	if (!may_report(err))
		return false;
	note_reported(s);
	return true;
}

/* Check a report, which must name no site but that of --lose. */
static void judge_report(struct sender *s, const struct flitcast_report *report,
			 const struct flitcast_result *results, int n)
{
	unsigned int sender = s - senders, k;
	int i;

	if (report->lost)
		complain("sender %u (site %u): %u reports were dropped", sender, s->site,
			 report->lost);
	if (report->id >= s->number)
		complain("sender %u (site %u): a report of message %u of %u", sender, s->site,
			 report->id, s->number);
	for (i = 0; i < n; i++) {
		const struct flitcast_result *r = &results[i];

		if (r->site != opt.lose || r->port < PORT_BASE || r->port >= PORT_BASE + opt.ports)
			complain("sender %u (site %u): message %u to site %u port %u, which are there: %s",
				 sender, s->site, report->id, r->site, r->port, strerror(r->error));
		else if (!may_report(r->error))
			complain("sender %u (site %u): message %u to site %u: %s", sender, s->site,
				 report->id, r->site, strerror(r->error));
	}
	if (n != (int)report->failed || report->delivered + report->failed != report->targets)
		complain("sender %u (site %u): message %u: %d results, %u failed and %u delivered of %u",
			 sender, s->site, report->id, n, report->failed, report->delivered,
			 report->targets);
	for (k = 0; k < s->nhopeless; k++) {
		if (s->hopeless[k] != report->id)
			continue;
		s->hopeless[k] = s->hopeless[--s->nhopeless];
		break;
	}
	seen.reports++;
}

void stress_read_reports(struct sender *s)
{
	static struct flitcast_result *results;
	struct flitcast_report report;
	int n;

	if (opt.lose == NO_SITE)
		return;
	if (!results)
		results = alloc(opt.targets.high, sizeof(*results));
	while ((n = msg_report(s->fd, &report, results, opt.targets.high, NULL)) >= 0) {
		judge_report(s, &report, results, n);
		note_reported(s);
	}
	if (errno != EAGAIN)
		complain("sender %u (site %u): report: %s", (unsigned int)(s - senders), s->site,
			 strerror(errno));
}

static void send_one(struct sender *s)
{
	ssize_t n;

	if (!s->ready)
		compose(s);
	n = msg_send_list(s->fd, s->data, s->len, s->targets, s->ntargets, 0);
	s->offer_at = 0;
	if (n == (ssize_t)s->len) {
		note_sent(s);
		return;
	}
	if (n < 0 && errno == EAGAIN && opt.overload) {
		seen.turned_away++;
		s->offer_at = now_ms() + OFFER_MS;
		return;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		s->waits = true;
		watch(s->fd, OF_SENDER | (s - senders), EPOLLOUT, EPOLL_CTL_MOD);
		return;
	}
	if (n < 0 && opt.lossy && errno == ENETDOWN) {
		retire(s);
		return;
	}
	if (n < 0 && is_reported(s, errno)) {
		stress_read_reports(s);
		return;
	}
	complain("sender %u (site %u): sendmsg of %zu bytes to %u targets: %s",
		 (unsigned int)(s - senders), s->site, s->len, s->ntargets,
		 n < 0 ? strerror(errno) : "not all of it");
	s->left--;
	s->ready = false;
}

void stress_stop(void)
{
	unsigned int i;

	for (i = 0; i < nsenders; i++)
		senders[i].left = 0;
}

bool stress_send(void)
{
	bool more = false;
	unsigned int i;

	for (i = 0; i < nsenders; i++) {
		struct sender *s = &senders[i];

		if (s->retired || s->waits || !s->left || now_ms() < s->offer_at)
			continue;
		send_one(s);
		more |= !s->retired && !s->waits && s->left && !s->offer_at;
	}
	return more;
}

static void handle(const struct epoll_event *event)
{
	unsigned int i = (uint32_t)event->data.u64;

	if (event->data.u64 & OF_SENDER) {
		struct sender *s = &senders[i];

		if (s->retired)
			return;
		s->waits = false;
		watch(s->fd, event->data.u64, 0, EPOLL_CTL_MOD);
		if (event->events & EPOLLERR) {
			int err;

			stress_read_reports(s);
			err = msg_error(s->fd);
			if (opt.lossy && err == ENETDOWN)
				retire(s);
			else if (err && !is_reported(s, err))
				complain("sender %u (site %u): %s", i, s->site, strerror(err));
		}
		return;
	}
	if (receivers[i].fd < 0)
		return;
	if ((event->events & EPOLLERR) && !opt.lossy)
		complain("site %u port %u: %s", receivers[i].site, receivers[i].port,
			 strerror(msg_error(receivers[i].fd)));
	read_some(&receivers[i], READ_BATCH);
}

void stress_turn(int wait_ms)
{
	struct epoll_event events[64];
	int n, i;

	n = epoll_wait(epoll_fd, events, 64, wait_ms);
	for (i = 0; i < n; i++)
		handle(&events[i]);
	read_slow_ones();
	if (opt.lossy)
		reopen();
}
