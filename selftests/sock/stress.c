// SPDX-License-Identifier: GPL-2.0
/*
 * Many senders at once, random target lists, and an oracle: every target gets
 * each message exactly once, whole, in order per sender, and nothing else.
 *
 * All ends are sockets of this one process, in the namespaces of a lab's sites.
 * No call waits: one loop sends what is taken and reads what is there, so the
 * test itself cannot deadlock, and what a receiver must get next is known
 * without a word of it in the message.  The content is a stream of
 * pseudo-random bytes by sender and number.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <linux/sockios.h>
#include "lab.h"
#include "msg.h"

#define PORT_BASE	5000
#define SITES_MAX	4096
/* So many of each kind are told. */
#define COMPLAINTS_MAX	20
/* After the last message: does anything come that nobody sent? */
#define QUIET_MS	300
/* A receiver's turn, so that senders have theirs. */
#define READ_BATCH	8
/* A site that comes back may ask again for what it had not confirmed: the flow's window. */
#define AGAIN_MAX	16
/* Of what a pair is done with, so much is remembered to name duplicates. */
#define HISTORY_MAX	4096
#define REOPEN_MS	100
/* Under --overload: a socket without room is offered a message again so soon. */
#define OFFER_MS	1
/* Its send buffer: a few messages. */
#define OVERLOAD_QUEUE	65536

struct range {
	uint32_t low;
	uint32_t high;
};

struct options {
	const char *lab;
	unsigned int senders;
	uint64_t messages;
	struct range targets;
	struct range bytes;
	uint64_t seed;
	unsigned int ports;
	unsigned int parts;		/* percent of the targets with a part of their own */
	unsigned int slow_readers;
	unsigned int slow_ms;
	unsigned int deadline_s;
	unsigned int timeout_ms;	/* FLITCAST_TIMEOUT, 0 for the default */
	bool in_order;			/* targets as --to names them, or the other way round */
	bool endless;
	unsigned int overload;		/* offer at least so many times what is taken */
	bool lossy;
	bool json;
	unsigned int nfrom, nto;
	uint32_t from[SITES_MAX], to[SITES_MAX];
};

static struct options opt = {
	.senders = 16, .messages = 1000, .targets = { 1, 8 }, .bytes = { 0, 1 << 20 },
	.ports = 1, .parts = 20, .slow_ms = 50, .deadline_s = 300,
};

/* What a receiver is to get: a part of a message. */
struct due {
	uint32_t number;	/* of the sender's messages */
	uint32_t offset;
	uint32_t len;
};

/* Between a sender and a receiver, in order; before @head: over. */
struct pair {
	struct due *due;
	size_t head;
	size_t count;
	size_t room;
};

struct sender {
	int fd;
	uint32_t site;
	uint16_t port;
	bool retired;		/* its site went away; another one has its place */
	bool waits;		/* for POLLOUT */
	uint64_t offer_at;	/* under --overload: not before */
	bool ready;		/* the message below was refused so far */
	uint32_t number;	/* of the next message */
	uint64_t left;		/* messages still to send */
	char *data;
	size_t len;
	unsigned int ntargets;
	struct flitcast_target *targets;
	unsigned int *to;	/* receivers, as the targets */
	struct pair *pairs;	/* by receiver */
};

struct receiver {
	int fd;
	uint32_t site;
	uint16_t port;
	bool slow;
	uint64_t read_at;
};

static struct sender *senders;
static unsigned int nsenders, senders_room;
static struct receiver *receivers;
static unsigned int nreceivers;
static int epoll_fd;
static char *inbox;
static struct prng prng;

/* What happened. */
static struct {
	uint64_t sent;
	uint64_t due;
	uint64_t delivered;
	uint64_t bytes;
	uint64_t lost;
	uint64_t refused;
	uint64_t turned_away;	/* offered to a socket without room */
	uint64_t wrong;
	uint64_t reopened;
	double began;
	double ended;
} seen;

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

static void __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...)
{
	va_list args;

	if (++seen.wrong > COMPLAINTS_MAX)
		return;
	va_start(args, fmt);
	/* Over the progress, if there is some. */
	fputs(isatty(STDERR_FILENO) ? "\r\033[Kstress: " : "stress: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
}

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

/* The first @n of the receivers in random order; or all, in the order they have. */
static void choose_receivers(unsigned int *to, unsigned int n, bool reversed)
{
	static unsigned int *deck;
	unsigned int i;

	if (opt.in_order) {
		for (i = 0; i < n; i++)
			to[i] = reversed ? n - 1 - i : i;
		return;
	}
	if (!deck) {
		deck = alloc(nreceivers, sizeof(*deck));
		for (i = 0; i < nreceivers; i++)
			deck[i] = i;
	}
	for (i = 0; i < n; i++) {
		unsigned int k = i + prng_below(&prng, nreceivers - i), other = deck[i];

		deck[i] = deck[k];
		deck[k] = other;
		to[i] = deck[i];
	}
}

/* What it is depends on the seed, the sender and the number alone, not on the time. */
static void compose(struct sender *s)
{
	unsigned int i;

	prng.state = msg_key(~opt.seed, s - senders, s->number);
	s->len = prng_log(&prng, opt.bytes.low, opt.bytes.high);
	s->ntargets = opt.targets.low +
		      prng_below(&prng, opt.targets.high - opt.targets.low + 1);
	choose_receivers(s->to, s->ntargets, (s - senders) & 1);
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
	unsigned int i;

	for (i = 0; i < s->ntargets; i++) {
		const struct flitcast_target *t = &s->targets[i];
		struct due due = {
			.number = s->number, .offset = t->offset,
			.len = t->length ? t->length : s->len - t->offset,
		};

		add_due(&s->pairs[s->to[i]], &due);
		seen.bytes += due.len;
	}
	seen.due += s->ntargets;
	seen.sent++;
	s->number++;
	s->left--;
	s->ready = false;
}

/*
 * Sockets.
 */

static void watch(int fd, uint64_t who, uint32_t events, int op)
{
	struct epoll_event event = { .events = events, .data.u64 = who };

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
	return fd;
}

#define WHO_SENDER	(1ULL << 32)

static int open_receiver(struct receiver *r)
{
	r->fd = open_socket(r->site, r->port);
	if (r->fd < 0)
		return -1;
	/* Who is slow is looked after by the clock. */
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
	if (opt.overload && setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &queue, sizeof(queue)))
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
	watch(fd, WHO_SENDER | (nsenders - 1), 0, EPOLL_CTL_ADD);
	return 0;
}

/* Its site is gone.  What it sent may still be on its way. */
static void retire(struct sender *s)
{
	close(s->fd);
	free(s->data);
	s->data = NULL;
	s->fd = -1;
	s->retired = true;
	s->ready = false;
}

static void set_message_max(uint32_t site)
{
	int netns = lab_open(opt.lab, site);
	FILE *file;

	if (netns < 0 || lab_enter(netns))
		die("lab %s: site %u: %s", opt.lab, site, strerror(errno));
	close(netns);
	file = fopen("/proc/sys/net/flitcast/message_max", "we");
	if (!file || fprintf(file, "%u\n", opt.bytes.high) < 0 || fclose(file))
		die("net.flitcast.message_max: %s", strerror(errno));
}

static void open_all(void)
{
	unsigned int i, k;

	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0)
		die("epoll: %s", strerror(errno));
	receivers = alloc(nreceivers, sizeof(*receivers));
	for (i = 0; i < nreceivers; i++) {
		struct receiver *r = &receivers[i];

		r->site = opt.to[i / opt.ports];
		r->port = PORT_BASE + i % opt.ports;
		/* Spread over the sites. */
		r->slow = (uint64_t)i * opt.slow_readers / nreceivers !=
			  (uint64_t)(i + 1) * opt.slow_readers / nreceivers;
		if (open_receiver(r))
			die("receiver at site %u port %u: %s", r->site, r->port, strerror(errno));
	}
	for (i = 0; i < opt.senders; i++) {
		uint64_t share = opt.messages / opt.senders + (i < opt.messages % opt.senders);

		k = opt.senders < opt.nfrom ? i * opt.nfrom / opt.senders : i % opt.nfrom;
		if (opt.bytes.high > 1 << 20)
			set_message_max(opt.from[k]);
		if (open_sender(opt.from[k], opt.endless ? UINT64_MAX : share))
			die("sender at site %u: %s", opt.from[k], strerror(errno));
	}
	inbox = alloc(opt.bytes.high + 1, 1);
}

/* After a site came back: sockets for those whose were lost. */
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
		/* What the old one had but not confirmed may come again. */
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

/* Says what the message is that was not expected. */
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

static void judge(const struct receiver *r, const struct sockaddr_flitcast *from, size_t len)
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
			/* What was passed over never comes. */
			seen.lost += k - pair->head;
			pair->head = k + 1;
			seen.delivered++;
			return;
		}
		if (!opt.lossy)
			break;
	}
	explain(r, s, len);
	if (opt.lossy)
		return;
	/* Go on from there, lest one error look like many. */
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
		watch(s->fd, WHO_SENDER | (s - senders), EPOLLOUT, EPOLL_CTL_MOD);
		return;
	}
	if (n < 0 && opt.lossy && errno == ENETDOWN) {
		retire(s);
		return;
	}
	if (n < 0 && opt.lossy && (errno == ETIMEDOUT || errno == EHOSTUNREACH ||
				   errno == ECONNREFUSED)) {
		/* Of an earlier message. */
		seen.refused++;
		return;
	}
	complain("sender %u (site %u): sendmsg of %zu bytes to %u targets: %s",
		 (unsigned int)(s - senders), s->site, s->len, s->ntargets,
		 n < 0 ? strerror(errno) : "not all of it");
	s->left--;
	s->ready = false;
}

/* Return: can more be sent at once? */
static bool send_some(void)
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

	if (event->data.u64 & WHO_SENDER) {
		struct sender *s = &senders[i];

		if (s->retired)
			return;
		s->waits = false;
		watch(s->fd, event->data.u64, 0, EPOLL_CTL_MOD);
		if (event->events & EPOLLERR) {
			int err = msg_error(s->fd);

			if (opt.lossy && err == ENETDOWN)
				retire(s);
			else if (opt.lossy && err)
				seen.refused++;
			else if (err)
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

/* Everything that is ready.  Return: was there anything? */
static bool turn(int wait_ms)
{
	struct epoll_event events[64];
	int n, i;

	n = epoll_wait(epoll_fd, events, 64, wait_ms);
	for (i = 0; i < n; i++)
		handle(&events[i]);
	read_slow_ones();
	if (opt.lossy)
		reopen();
	return n > 0;
}

/*
 * The run.
 */

static void progress(bool last)
{
	static uint64_t next;
	static int terminal = -1;

	if (terminal < 0)
		terminal = isatty(STDERR_FILENO);
	if (!terminal || (!last && now_ms() < next))
		return;
	next = now_ms() + 500;
	fprintf(stderr, "\r\033[Kstress: %" PRIu64 " of %" PRIu64 " messages sent, %" PRIu64 " of %"
		PRIu64 " delivered%s", seen.sent, opt.endless ? seen.sent : opt.messages,
		seen.delivered, seen.due, last ? "\n" : "");
}

/* Has every sender sent everything, and is all of it confirmed? */
static bool all_settled(void)
{
	unsigned int i;

	for (i = 0; i < nsenders; i++) {
		struct flitcast_sock_stats stats;
		int queued = 0;

		if (senders[i].retired)
			continue;
		stats = msg_stats(senders[i].fd);
		if (ioctl(senders[i].fd, SIOCOUTQ, &queued) || queued ||
		    stats.tx_confirmed + stats.tx_failed != stats.tx_messages)
			return false;
	}
	return true;
}

static bool all_sent(void)
{
	unsigned int i;

	for (i = 0; i < nsenders; i++)
		if (senders[i].left)
			return false;
	return true;
}

static void run(void)
{
	double until = now_s() + opt.deadline_s;
	bool busy = true;

	seen.began = now_s();
	while (!stopped && now_s() < until && seen.wrong < COMPLAINTS_MAX) {
		turn(busy ? 0 : opt.overload ? OFFER_MS : opt.slow_readers || opt.lossy ? 5 : 100);
		busy = send_some();
		progress(false);
		if (!opt.endless && (opt.lossy || seen.delivered == seen.due) && all_sent() &&
		    all_settled())
			break;
	}
	seen.ended = now_s();
	progress(true);
}

static void check_quiet(void)
{
	uint64_t until = now_ms() + QUIET_MS;

	while (now_ms() < until)
		turn(20);
}

static void check_missing(void)
{
	unsigned int i, k, told = 0;
	uint64_t missing = 0;
	size_t n;

	for (i = 0; i < nsenders; i++) {
		struct sender *s = &senders[i];
		int queued = 0;

		if (s->left)
			complain("sender %u (site %u): %" PRIu64 " messages not sent", i, s->site,
				 s->left);
		if (!ioctl(s->fd, SIOCOUTQ, &queued) && queued)
			complain("sender %u (site %u): %d bytes not confirmed", i, s->site, queued);
		for (k = 0; k < nreceivers; k++) {
			const struct pair *pair = &s->pairs[k];

			missing += pair->count - pair->head;
			for (n = pair->head; n < pair->count && told < COMPLAINTS_MAX; n++, told++)
				complain("site %u port %u misses message %u of sender %u (site %u): %u bytes from %u on",
					 receivers[k].site, receivers[k].port, pair->due[n].number,
					 i, s->site, pair->due[n].len, pair->due[n].offset);
		}
	}
	if (missing)
		complain("%" PRIu64 " of %" PRIu64 " deliveries are missing after %.1f s", missing,
			 seen.due, seen.ended - seen.began);
}

static struct flitcast_sock_stats check_stats(void)
{
	struct flitcast_sock_stats sum = { 0 };
	unsigned int i;

	for (i = 0; i < nsenders + nreceivers; i++) {
		int fd = i < nsenders ? senders[i].fd : receivers[i - nsenders].fd;
		struct flitcast_sock_stats stats;

		if (fd < 0)
			continue;
		stats = msg_stats(fd);
		sum.tx_messages += stats.tx_messages;
		sum.tx_confirmed += stats.tx_confirmed;
		sum.tx_failed += stats.tx_failed;
		sum.rx_messages += stats.rx_messages;
		sum.rx_no_room += stats.rx_no_room;
	}
	if (opt.lossy)
		return sum;
	if (sum.tx_messages != seen.sent || sum.tx_confirmed != seen.sent || sum.tx_failed)
		complain("%" PRIu64 " messages sent: the sockets say %llu, %llu confirmed, %llu failed",
			 seen.sent, (unsigned long long)sum.tx_messages,
			 (unsigned long long)sum.tx_confirmed, (unsigned long long)sum.tx_failed);
	if (sum.rx_messages != seen.due)
		complain("%" PRIu64 " deliveries due: the sockets say %llu", seen.due,
			 (unsigned long long)sum.rx_messages);
	return sum;
}

/* Counters of all sites that tell what the network went through. */
static const char *const counters[] = {
	"packets_unicast", "packets_passthru", "packets_all_remote", "packets_some_local",
	"packets_forced", "packets_resent", "packets_aborted", "packets_discarded",
	"packets_repeated", "packets_duplicate", "packets_bad", "transit_full", "seeks",
	"fifo_timeouts", "messages_no_room", "control_dropped", "no_memory",
};

#define NCOUNTERS	(sizeof(counters) / sizeof(*counters))

static void report(const struct flitcast_sock_stats *sum)
{
	uint64_t value[NCOUNTERS] = { 0 };
	double elapsed = seen.ended - seen.began;
	unsigned int site, sites = lab_sites(opt.lab), i;

	for (site = 0; site < sites; site++) {
		if (cli("-j -n %s-%u stats show", opt.lab, site))
			continue;
		for (i = 0; i < NCOUNTERS; i++)
			value[i] += json_sum(cli_output(), counters[i]);
	}
	if (opt.json) {
		printf("{\"seed\":%" PRIu64 ",\"messages\":%" PRIu64 ",\"deliveries\":%" PRIu64
		       ",\"due\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"elapsed\":%.3f,\"errors\":%"
		       PRIu64 ",\"lost\":%" PRIu64 ",\"reopened\":%" PRIu64
		       ",\"rx_no_room\":%llu,\"counters\":{", opt.seed, seen.sent,
		       seen.delivered, seen.due, seen.bytes, elapsed, seen.wrong, seen.lost,
		       seen.reopened, (unsigned long long)sum->rx_no_room);
		for (i = 0; i < NCOUNTERS; i++)
			printf("%s\"%s\":%" PRIu64, i ? "," : "", counters[i], value[i]);
		printf("}}\n");
		return;
	}
	printf("stress: seed %" PRIu64 ": %" PRIu64 " messages, %" PRIu64 " of %" PRIu64
	       " deliveries, %.1f MB in %.1f s\n", opt.seed, seen.sent, seen.delivered, seen.due,
	       seen.bytes / 1e6, elapsed);
	if (opt.overload)
		printf("stress: %.1f messages were offered for each one taken\n",
		       (double)(seen.sent + seen.turned_away) / seen.sent);
	if (opt.lossy)
		printf("stress: %" PRIu64 " lost, %" PRIu64 " errors told, %" PRIu64
		       " sockets opened again\n", seen.lost, seen.refused, seen.reopened);
	printf("stress:");
	for (i = 0; i < NCOUNTERS; i++)
		if (value[i])
			printf(" %s %" PRIu64, counters[i], value[i]);
	printf("\n");
	printf("stress: %s\n", seen.wrong ? "FAILED" : "passed");
}

/*
 * Arguments.
 */

static void usage(FILE *to)
{
	fputs("Usage: stress [OPTION]... LAB\n"
	      "\n"
	      "  --senders N       senders at once (16)\n"
	      "  --messages N      messages of all of them together (1000)\n"
	      "  --targets A-B     targets of a message (1-8)\n"
	      "  --bytes A-B       its size, as many of each magnitude (0-1048576)\n"
	      "  --parts P         so many percent of the targets get a part (20)\n"
	      "  --ports N         receivers at each site (1)\n"
	      "  --from S,S...     sites that send (all)\n"
	      "  --to S,S...       sites that receive (all)\n"
	      "  --slow-readers N  receivers that read a message only every --slow-ms\n"
	      "  --slow-ms MS      (50)\n"
	      "  --seed N          (from the clock)\n"
	      "  --deadline S      fail after so long, with what is missing (300)\n"
	      "  --figure4         two who send to sites 1 and 2 at once, in either order:\n"
	      "                    --senders 2 --from 0,3 --to 1,2 --targets 2-2 --parts 0\n"
	      "                    --bytes 262144-1048576\n"
	      "  --endless         until a signal, or the deadline, which is no failure\n"
	      "  --lossy           sites and links may go and come back: messages may be\n"
	      "                    lost then; what arrives is still whole, in order, once\n"
	      "  --timeout MS      FLITCAST_TIMEOUT of the senders\n"
	      "  --overload N      sockets with small buffers are offered messages without a\n"
	      "                    break, at least N for each taken, or it is no overload\n"
	      "  --json            report in JSON\n"
	      "\n"
	      "Exit status: 0 all is well, 1 not, 2 usage, 4 cannot run.\n", to);
}

static uint64_t number(const char *text, uint64_t most)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || value > most || *text == '-') {
		fprintf(stderr, "stress: %s is not a number up to %" PRIu64 "\n", text, most);
		exit(EXIT_USAGE);
	}
	return value;
}

static struct range range(char *text, uint32_t most)
{
	char *dash = strchr(text, '-');
	struct range r;

	if (dash)
		*dash = '\0';
	r.low = number(text, most);
	r.high = dash ? number(dash + 1, most) : r.low;
	if (r.low > r.high) {
		fprintf(stderr, "stress: %u-%u is no range\n", r.low, r.high);
		exit(EXIT_USAGE);
	}
	return r;
}

static unsigned int site_list(char *text, uint32_t *sites)
{
	unsigned int n = 0;
	char *word, *save;

	for (word = strtok_r(text, ",", &save); word && n < SITES_MAX;
	     word = strtok_r(NULL, ",", &save))
		sites[n++] = number(word, SITES_MAX - 1);
	return n;
}

static unsigned int all_sites(uint32_t *sites)
{
	unsigned int n = lab_sites(opt.lab), i;

	for (i = 0; i < n && i < SITES_MAX; i++)
		sites[i] = i;
	return i;
}

static void set_figure4(void)
{
	opt.senders = 2;
	opt.nfrom = 2;
	opt.from[0] = 0;
	opt.from[1] = 3;
	opt.nto = 2;
	opt.to[0] = 1;
	opt.to[1] = 2;
	opt.targets = (struct range) { 2, 2 };
	opt.bytes = (struct range) { 1 << 18, 1 << 20 };
	opt.parts = 0;
	opt.in_order = true;
}

/* An option is a number, a range, a list of sites or a word alone. */
static const struct {
	const char *name;
	unsigned int *value;
	uint64_t *wide;
	struct range *range;
	uint32_t *sites;	/* as many as @value */
	bool *flag;
	uint64_t most;
} settings[] = {
	{ .name = "senders", .value = &opt.senders, .most = 4096 },
	{ .name = "messages", .wide = &opt.messages, .most = UINT32_MAX },
	{ .name = "targets", .range = &opt.targets, .most = FLITCAST_TARGETS_MAX },
	{ .name = "bytes", .range = &opt.bytes, .most = FLITCAST_MESSAGE_MAX },
	{ .name = "parts", .value = &opt.parts, .most = 100 },
	{ .name = "ports", .value = &opt.ports, .most = 1024 },
	{ .name = "from", .value = &opt.nfrom, .sites = opt.from },
	{ .name = "to", .value = &opt.nto, .sites = opt.to },
	{ .name = "slow-readers", .value = &opt.slow_readers, .most = 65536 },
	{ .name = "slow-ms", .value = &opt.slow_ms, .most = 60000 },
	{ .name = "seed", .wide = &opt.seed, .most = UINT64_MAX },
	{ .name = "deadline", .value = &opt.deadline_s, .most = 1000000 },
	{ .name = "timeout", .value = &opt.timeout_ms, .most = 86400000 },
	{ .name = "overload", .value = &opt.overload, .most = 1000 },
	{ .name = "endless", .flag = &opt.endless },
	{ .name = "lossy", .flag = &opt.lossy },
	{ .name = "json", .flag = &opt.json },
	{ .name = "figure4" },
	{ .name = "help" },
};

#define NSETTINGS	(sizeof(settings) / sizeof(*settings))

static void set(unsigned int i, char *text)
{
	if (settings[i].wide) {
		*settings[i].wide = number(text, settings[i].most);
	} else if (settings[i].range) {
		*settings[i].range = range(text, settings[i].most);
	} else if (settings[i].sites) {
		*settings[i].value = site_list(text, settings[i].sites);
	} else if (settings[i].value) {
		*settings[i].value = number(text, settings[i].most);
	} else if (settings[i].flag) {
		*settings[i].flag = true;
	} else if (!strcmp(settings[i].name, "figure4")) {
		set_figure4();
	} else {
		usage(stdout);
		exit(0);
	}
}

static void parse(int argc, char **argv)
{
	struct option options[NSETTINGS + 1] = { 0 };
	unsigned int i;
	int c;

	for (i = 0; i < NSETTINGS; i++) {
		options[i].name = settings[i].name;
		options[i].has_arg = settings[i].value || settings[i].wide || settings[i].range;
		options[i].val = 256 + i;
	}
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c < 256) {
			usage(stderr);
			exit(EXIT_USAGE);
		}
		set(c - 256, optarg);
	}
	if (optind != argc - 1 || !opt.senders || !opt.ports || !opt.targets.low) {
		usage(stderr);
		exit(EXIT_USAGE);
	}
	opt.lab = argv[optind];
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct flitcast_sock_stats sum;

	opt.seed = now_ms() ^ (uint64_t)getpid() << 32;
	parse(argc, argv);
	skip_without_family(false);
	if (!lab_sites(opt.lab))
		die("there is no lab %s", opt.lab);
	if (!opt.nfrom)
		opt.nfrom = all_sites(opt.from);
	if (!opt.nto)
		opt.nto = all_sites(opt.to);
	nreceivers = opt.nto * opt.ports;
	if (opt.targets.high > nreceivers)
		opt.targets.high = nreceivers;
	if (opt.targets.low > nreceivers)
		die("%u targets, but %u receivers", opt.targets.low, nreceivers);
	if (opt.slow_readers > nreceivers)
		opt.slow_readers = nreceivers;
	if (allow_descriptors(nreceivers + 2 * opt.senders + 64))
		die("descriptors: %s", strerror(errno));
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	fprintf(stderr, "stress: seed %" PRIu64 ", %u senders, %u receivers\n", opt.seed,
		opt.senders, nreceivers);
	open_all();
	run();
	if (!opt.endless)
		check_quiet();
	if (!opt.endless && !opt.lossy)
		check_missing();
	if (seen.turned_away + seen.sent < opt.overload * seen.sent)
		complain("%" PRIu64 " messages were turned away and %" PRIu64 " taken: no overload of %u",
			 seen.turned_away, seen.sent, opt.overload);
	sum = check_stats();
	report(&sum);
	return seen.wrong ? 1 : 0;
}
