// SPDX-License-Identifier: GPL-2.0
/*
 * Measures for how long messages between two sites of a lab do not pass when a link fails.
 *
 *	outage echo TRANSPORT LAB SITE
 *	outage probe [-b BYTES,...] [-i MS] [-s SEED] TRANSPORT LAB FROM TO
 *
 * TRANSPORT is flitcast, or an IPv4 network such as 10.1.0.0, where the address of site K is K + 1
 * above that: for UDP, or with tcp: in front of it for a TCP connection.  The echo returns every
 * probe.  The prober sends a probe each 50 ms, or as -i says, whether or not earlier ones were
 * answered, as long as its send buffer has room; their sizes take turns.  It obeys the lines of its
 * standard input, one after the other, and answers each with one line:
 *
 * break [+MS] SITE:DEV=STATE...	wait for a random time of up to a second, set these states;
 *				those behind +MS so much later than those before it
 * mend SITE:DEV=STATE...	set these states
 * await SECONDS		wait until 10 probes in sequence, sent after the break, are answered
 * hops THERE BACK SECONDS	wait until 10 probes in sequence, sent from now on, crossed so many
 *				links there and back; 0: any number, as must be with TCP
 * judge			print the outage of the last break, the longest delay since it was
 *				mended, both in microseconds, the probes without an answer that were
 *				sent since the break and before one with an answer, and by how many
 *				microseconds the prober itself was late at most, because the machine
 *				was busy
 * end SECONDS			stop; wait so long for answers; print all probes sent, lost, doubled
 *
 * STATE is up or down, of the device; or of its ingress: pass, drop, or grey: drop long frames.
 * These need a filter at the device, see filters() in net/outage.sh, whose first action is a gact
 * with the number in the device's name as its index.  All sockets and messages of a break exist
 * before it, so that its devices change within a fraction of a millisecond.
 *
 * Outage: the longest delay of a probe sent from 100 ms before the break until it was mended, less
 * the median delay of the last 20 answered before those.  The delay of a probe is the time from its
 * sending to its answer.  A probe without an answer counts until the first answer to a later one.
 * Where states are set at several times, that part of a delay counts in which none was set: the
 * longest one.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/if_link.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_gact.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/flitcast.h>

#define PORT		7101
#define INTERVAL_MS	50
#define BEFORE_NS	(100 * MS_NS)
#define SECOND_NS	1000000000LL
#define MS_NS		1000000LL
#define RUN		10
#define NORMAL		20
#define BYTES_MAX	16384
#define SITES_MAX	16
#define CHANGES_MAX	16
/* More than a day of probes. */
#define PROBES_MAX	2000000
#define TTL		64

/**
 * struct payload - beginning of a probe and of its answer
 * @number: number of the probe, from 0
 * @hops: of the answer: links that the probe crossed, 0 if unknown
 */
struct payload {
	uint32_t number;
	uint32_t hops;
};

/**
 * struct probe - a probe sent
 * @sent: when
 * @answered: when its first answer came; 0: not yet
 * @there: links it crossed
 * @back: links its answer crossed
 */
struct probe {
	int64_t sent;
	int64_t answered;
	uint8_t there;
	uint8_t back;
};

/**
 * struct change - a message that changes the state of a device
 * @socket: netlink socket in the namespace of the site
 * @gap: milliseconds after the change before it
 * @length: bytes of @message
 * @message: the request
 */
struct change {
	int socket;
	unsigned int gap;
	size_t length;
	union {
		struct nlmsghdr header;
		char bytes[512];
	} message;
};

static bool flitcast, tcp;
static uint32_t network;
static int64_t interval = INTERVAL_MS * MS_NS;
static const char *lab;
static unsigned int sizes[8], nsizes;
static int netlinks[SITES_MAX];
static struct probe *probes;
static unsigned int sent, doubled;
/*
 * The break: the times of its changes, the first probe sent after the first one and after the last
 * one, when it was mended, and the longest time by which the prober has been late since.
 */
static int64_t broken[CHANGES_MAX], mended, late;
static unsigned int nbroken, first_breaking, first_broken;

__attribute__((noreturn, format(printf, 1, 2)))
static void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("outage: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

__attribute__((noreturn))
static void usage(void)
{
	fprintf(stderr, "usage: outage echo TRANSPORT LAB SITE\n"
		"       outage probe [-b BYTES,...] [-i MS] [-s SEED] TRANSPORT LAB FROM TO\n");
	exit(2);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static unsigned int number(const char *text, unsigned int max)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (end == text || *end || *text == '-' || n > max)
		die("%s: not a number up to %u", text, max);
	return n;
}

static void enter(unsigned int site)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s-%u", lab, site);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		die("%s: %s", path, strerror(errno));
	close(fd);
}

static int family(void)
{
	static const char path[] = "/sys/module/flitcast/parameters/family";
	int n = FLITCAST_FAMILY_DEFAULT;
	FILE *file = fopen(path, "re");

	if (file && fscanf(file, "%d", &n) != 1)
		die("%s: no number", path);
	if (file)
		fclose(file);
	return n;
}

/* The address of the port of a site.  Return: its length. */
static socklen_t address(struct sockaddr_storage *room, unsigned int site, unsigned int port)
{
	struct sockaddr_flitcast fc = {
		.sfc_family = flitcast ? family() : 0, .sfc_addrtype = FLITCAST_ADDR_SITE,
		.sfc_site = site, .sfc_port = port,
	};
	struct sockaddr_in in = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(network + site + 1),
	};

	if (flitcast)
		memcpy(room, &fc, sizeof(fc));
	else
		memcpy(room, &in, sizeof(in));
	return flitcast ? sizeof(fc) : sizeof(in);
}

static int open_socket(unsigned int site, unsigned int port)
{
	int level = flitcast ? SOL_FLITCAST : IPPROTO_IP, one = 1, ttl = TTL, fd;
	struct sockaddr_storage own;
	socklen_t length = address(&own, site, port);

	enter(site);
	fd = socket(own.ss_family, (flitcast ? SOCK_RDM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&own, length) ||
	    setsockopt(fd, level, flitcast ? FLITCAST_INFO : IP_RECVTTL, &one, sizeof(one)) ||
	    (!flitcast && setsockopt(fd, level, IP_TTL, &ttl, sizeof(ttl))))
		die("socket of site %u: %s", site, strerror(errno));
	return fd;
}

/* Of the control messages: links crossed. */
static uint32_t hops_of(struct msghdr *msg)
{
	struct flitcast_info info;
	struct cmsghdr *c;
	int ttl;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (flitcast && c->cmsg_level == SOL_FLITCAST && c->cmsg_type == FLITCAST_INFO) {
			memcpy(&info, CMSG_DATA(c), sizeof(info));
			return info.hops;
		}
		if (!flitcast && c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL) {
			memcpy(&ttl, CMSG_DATA(c), sizeof(ttl));
			return TTL - ttl + 1;
		}
	}
	die("no control message");
}

/* Return: its length, or -1 with errno EAGAIN. */
static ssize_t receive(int fd, void *data, struct sockaddr_storage *from, socklen_t *length,
		       uint32_t *hops, int flags)
{
	union {
		char bytes[256];
		struct cmsghdr align;
	} control;
	struct iovec iov = { data, BYTES_MAX };
	struct msghdr msg = {
		.msg_name = from, .msg_namelen = sizeof(*from), .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.bytes, .msg_controllen = sizeof(control.bytes),
	};
	ssize_t n = recvmsg(fd, &msg, flags);

	if (n < 0)
		return n;
	if (n < (ssize_t)sizeof(struct payload))
		die("a message of %zd bytes", n);
	*length = msg.msg_namelen;
	*hops = hops_of(&msg);
	return n;
}

/* A TCP socket of a site, bound to a port if that is not 0. */
static int open_tcp(unsigned int site, unsigned int port)
{
	struct sockaddr_storage own;
	socklen_t length = address(&own, site, port);
	int fd, one = 1;

	enter(site);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ||
	    (port && bind(fd, (struct sockaddr *)&own, length)))
		die("TCP at site %u: %s", site, strerror(errno));
	return fd;
}

/* Echo of a TCP connection: all bytes, until the prober ends. */
static void echo_tcp(unsigned int site)
{
	static char data[BYTES_MAX];
	int listener = open_tcp(site, PORT), fd;
	ssize_t n;

	if (listen(listener, 1))
		die("listen: %s", strerror(errno));
	puts("ready");
	fflush(stdout);
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		die("accept: %s", strerror(errno));
	while ((n = recv(fd, data, sizeof(data), 0)) > 0)
		if (send(fd, data, n, 0) != n)
			die("answer: %s", strerror(errno));
	if (n < 0)
		die("receive: %s", strerror(errno));
}

static int connect_tcp(unsigned int from, unsigned int to)
{
	struct sockaddr_storage peer;
	socklen_t length = address(&peer, to, PORT);
	int fd = open_tcp(from, 0);

	if (connect(fd, (struct sockaddr *)&peer, length))
		die("connect: %s", strerror(errno));
	return fd;
}

static void echo(unsigned int site)
{
	static char data[BYTES_MAX];
	struct payload *payload = (struct payload *)data;
	int fd = open_socket(site, PORT);
	struct sockaddr_storage from;
	socklen_t length;
	uint32_t hops;
	ssize_t n;

	puts("ready");
	fflush(stdout);
	for (;;) {
		n = receive(fd, data, &from, &length, &hops, 0);
		/* UDP: an ICMP error of an earlier answer, while there is no route. */
		if (n < 0 && !flitcast && (errno == EHOSTUNREACH || errno == ENETUNREACH))
			continue;
		if (n < 0)
			die("receive: %s", strerror(errno));
		payload->hops = hops;
		/* UDP without a route: the prober counts the probe as lost. */
		if (sendto(fd, data, n, 0, (struct sockaddr *)&from, length) != n && flitcast)
			die("answer: %s", strerror(errno));
	}
}

/* Room for a message at the site of SITE:DEV=STATE; sets *@device and *@state to these words. */
static struct change prepare(char *text, const char **device, const char **state)
{
	char *colon = strchr(text, ':'), *equals = strchr(text, '=');
	struct change change = { 0 };
	unsigned int site;

	if (!colon || !equals || equals < colon)
		die("%s: not SITE:DEV=STATE", text);
	*colon = *equals = '\0';
	*device = colon + 1;
	*state = equals + 1;
	site = number(text, SITES_MAX - 1);
	enter(site);
	if (!netlinks[site]) {
		netlinks[site] = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
		if (netlinks[site] < 0)
			die("netlink: %s", strerror(errno));
	}
	change.socket = netlinks[site];
	return change;
}

/* Append an attribute.  Return: it, so that a nest can be given its length. */
static struct rtattr *append(struct change *change, int type, const void *data, size_t length)
{
	struct nlmsghdr *header = &change->message.header;
	struct rtattr *attr = (void *)(change->message.bytes + NLMSG_ALIGN(header->nlmsg_len));

	attr->rta_type = type;
	attr->rta_len = RTA_LENGTH(length);
	if (length)
		memcpy(RTA_DATA(attr), data, length);
	header->nlmsg_len = NLMSG_ALIGN(header->nlmsg_len) + RTA_ALIGN(attr->rta_len);
	return attr;
}

static void close_nest(struct change *change, struct rtattr *attr)
{
	attr->rta_len = change->message.bytes + change->message.header.nlmsg_len - (char *)attr;
}

/* A message that sets the flag IFF_UP of a device. */
static void set_link(struct change *change, const char *device, bool up)
{
	struct nlmsghdr *header = &change->message.header;
	struct ifinfomsg *info = NLMSG_DATA(header);

	header->nlmsg_len = NLMSG_LENGTH(sizeof(*info));
	header->nlmsg_type = RTM_NEWLINK;
	header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	info->ifi_index = if_nametoindex(device);
	if (!info->ifi_index)
		die("no device %s", device);
	info->ifi_flags = up ? IFF_UP : 0;
	info->ifi_change = IFF_UP;
}

/* A message that replaces the gact whose index is the number in the name of the device. */
static void set_action(struct change *change, const char *device, int action)
{
	struct nlmsghdr *header = &change->message.header;
	struct tc_gact gact = { .action = action };
	struct rtattr *table, *entry, *options;

	gact.index = number(device + strcspn(device, "0123456789"), 255);
	header->nlmsg_len = NLMSG_LENGTH(sizeof(struct tcamsg));
	header->nlmsg_type = RTM_NEWACTION;
	header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
	table = append(change, TCA_ACT_TAB | NLA_F_NESTED, NULL, 0);
	entry = append(change, 1 | NLA_F_NESTED, NULL, 0);
	append(change, TCA_ACT_KIND, "gact", sizeof("gact"));
	options = append(change, TCA_ACT_OPTIONS | NLA_F_NESTED, NULL, 0);
	append(change, TCA_GACT_PARMS, &gact, sizeof(gact));
	close_nest(change, options);
	close_nest(change, entry);
	close_nest(change, table);
}

static struct change parse_change(char *text)
{
	static const struct {
		const char *name;
		int action;
	} actions[] = {
		{ "pass", TC_ACT_OK }, { "drop", TC_ACT_SHOT },
		/* on to the second action, a police, which drops long frames */
		{ "grey", TC_ACT_PIPE },
	};
	const char *device, *state;
	struct change change = prepare(text, &device, &state);
	unsigned int i;

	if (!strcmp(state, "up") || !strcmp(state, "down")) {
		set_link(&change, device, state[0] == 'u');
		return change;
	}
	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(state, actions[i].name))
			continue;
		set_action(&change, device, actions[i].action);
		return change;
	}
	die("%s: no state", state);
}

static unsigned int parse_changes(char *words, struct change *changes)
{
	unsigned int n = 0, gap = 0;
	char *word, *save;

	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (word[0] == '+') {
			gap = number(word + 1, 60000);
			continue;
		}
		if (n == CHANGES_MAX)
			die("too many changes");
		changes[n] = parse_change(word);
		changes[n++].gap = gap;
		gap = 0;
	}
	if (!n)
		die("no changes");
	return n;
}

static void apply(struct change *changes, unsigned int n)
{
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
		char rest[512];
	} answer;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct change *c = &changes[i];

		if (send(c->socket, c->message.bytes, c->message.header.nlmsg_len, 0) < 0 ||
		    recv(c->socket, &answer, sizeof(answer), 0) < (ssize_t)sizeof(answer.error))
			die("netlink: %s", strerror(errno));
		if (answer.header.nlmsg_type != NLMSG_ERROR || answer.error.error)
			die("change %u: %s", i, strerror(-answer.error.error));
	}
}

static void send_probe(int fd, unsigned int to)
{
	static char data[BYTES_MAX];
	struct payload *payload = (struct payload *)data;
	size_t bytes = sizes[sent % nsizes];
	struct sockaddr_storage target;
	socklen_t length = address(&target, to, PORT);

	if (sent == PROBES_MAX)
		die("too many probes");
	payload->number = sent;
	probes[sent].sent = now_ns();
	if (sendto(fd, data, bytes, MSG_DONTWAIT, (struct sockaddr *)&target, length) !=
	    (ssize_t)bytes && (flitcast || tcp)) {
		/* The send buffer is full: the next interval tries the same probe. */
		if (errno == EAGAIN)
			return;
		die("probe %u: %s", sent, strerror(errno));
	}
	/* A probe that UDP refuses for lack of a route is a lost probe. */
	sent++;
}

static void take_answer(const struct payload *payload, uint32_t back)
{
	struct probe *probe = &probes[payload->number];

	if (payload->number >= sent)
		die("an answer to no probe: %u", payload->number);
	if (probe->answered) {
		doubled++;
		return;
	}
	probe->answered = now_ns();
	probe->there = payload->hops;
	probe->back = back;
}

/* Answers by TCP are a stream of the probes. */
static void take_stream(int fd)
{
	static char data[2 * BYTES_MAX];
	static unsigned int answers;
	static size_t has;
	size_t bytes, at = 0;
	ssize_t n;

	while ((n = recv(fd, data + has, sizeof(data) - has, MSG_DONTWAIT)) > 0) {
		has += n;
		for (at = 0; has - at >= (bytes = sizes[answers % nsizes]); at += bytes) {
			take_answer((const struct payload *)(data + at), 0);
			answers++;
		}
		has -= at;
		memmove(data, data + at, has);
	}
	if (!n || errno != EAGAIN)
		die("receive: %s", n ? strerror(errno) : "the connection has ended");
}

static void take_answers(int fd)
{
	static char data[BYTES_MAX];
	struct sockaddr_storage from;
	socklen_t length;
	uint32_t back;

	while (receive(fd, data, &from, &length, &back, MSG_DONTWAIT) >= 0)
		take_answer((const struct payload *)data, back);
	if (errno != EAGAIN && (flitcast || (errno != EHOSTUNREACH && errno != ENETUNREACH)))
		die("receive: %s", strerror(errno));
}

static unsigned int unanswered(unsigned int from)
{
	unsigned int i, n = 0;

	for (i = from; i < sent; i++)
		n += !probes[i].answered;
	return n;
}

/* Is there a run of answered probes, numbered @from at least, on paths of these lengths? */
static bool has_run(unsigned int from, unsigned int there, unsigned int back)
{
	unsigned int i, run = 0;

	for (i = from; i < sent && run < RUN; i++) {
		const struct probe *p = &probes[i];
		bool good = p->answered && (!there || p->there == there) &&
			    (!back || p->back == back);

		run = good ? run + 1 : 0;
	}
	return run == RUN;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Median delay of the last probes answered whose numbers are below @before. */
static int64_t normal_delay(unsigned int before)
{
	int64_t delays[NORMAL];
	unsigned int n = 0;

	while (before-- && n < NORMAL)
		if (probes[before].answered)
			delays[n++] = probes[before].answered - probes[before].sent;
	if (!n)
		die("no probe was answered before the break");
	qsort(delays, n, sizeof(delays[0]), compare);
	return delays[n / 2];
}

/* The longest part of a time in which no state was set; all of it if they were set at once. */
static int64_t longest(int64_t from, int64_t to)
{
	int64_t most = 0;
	unsigned int i;

	for (i = 0; i < nbroken && nbroken > 1; i++) {
		if (broken[i] <= from || broken[i] >= to)
			continue;
		most = broken[i] - from > most ? broken[i] - from : most;
		from = broken[i];
	}
	return to - from > most ? to - from : most;
}

static void judge(void)
{
	int64_t worst = 0, after = 0, later = now_ns(), delay, normal;
	unsigned int i, lost = 0, first = first_breaking;
	bool passed = false;

	while (first && probes[first - 1].sent >= broken[0] - BEFORE_NS)
		first--;
	normal = normal_delay(first);
	for (i = sent; i-- > first;) {
		if (probes[i].answered) {
			passed = true;
			later = probes[i].answered;
		} else if (passed) {
			lost++;
		}
		delay = longest(probes[i].sent, later);
		if (probes[i].sent > mended)
			after = delay > after ? delay : after;
		else
			worst = delay > worst ? delay : worst;
	}
	printf("outage %lld back %lld lost %u late %lld\n", (long long)(worst - normal) / 1000,
	       (long long)(after - normal) / 1000, lost, (long long)late / 1000);
}

/**
 * struct command - a command that waits
 * @name: 'b'reak, 'a'wait, 'h'ops, 'e'nd; 0: none
 * @due: when it is carried out, or fails
 * @from: probes from this one on count
 * @there: links to cross, 0: any number
 * @back: likewise, of the answer
 * @count: number of @changes
 * @done: number of those that were made
 * @changes: of a break
 */
struct command {
	char name;
	int64_t due;
	unsigned int from, there, back, count, done;
	struct change changes[CHANGES_MAX];
};

static void reply(struct command *command, const char *text)
{
	puts(text);
	command->name = 0;
}

static void begin(struct command *command, char *line)
{
	unsigned int seconds = 0;
	char *words = strchr(line, ' ');

	words = words ? words + 1 : line + strlen(line);
	command->from = sent;
	command->there = 0;
	command->back = 0;
	if (!strncmp(line, "break ", 6)) {
		command->count = parse_changes(words, command->changes);
		command->done = 0;
		command->due = now_ns() + random() % SECOND_NS;
	} else if (!strncmp(line, "mend ", 5)) {
		command->count = parse_changes(words, command->changes);
		apply(command->changes, command->count);
		mended = now_ns();
		reply(command, "mended");
		return;
	} else if (!strcmp(line, "judge")) {
		judge();
		return;
	} else if (sscanf(line, "await %u", &seconds) == 1) {
		command->from = first_broken;
	} else if (sscanf(line, "hops %u %u %u", &command->there, &command->back, &seconds) != 3 &&
		   sscanf(line, "end %u", &seconds) != 1) {
		die("unknown command: %s", line);
	}
	command->name = line[0];
	if (command->name != 'b')
		command->due = now_ns() + seconds * SECOND_NS;
}

/* Make the changes of a break that are due. */
static void go_on_breaking(struct command *command)
{
	unsigned int n = 1, at = command->done;

	if (!at) {
		mended = INT64_MAX;
		late = 0;
		nbroken = 0;
		first_breaking = sent;
	}
	while (at + n < command->count && !command->changes[at + n].gap)
		n++;
	broken[nbroken++] = now_ns();
	first_broken = sent;
	apply(command->changes + at, n);
	command->done += n;
	if (command->done == command->count)
		reply(command, "broken");
	else
		command->due += command->changes[command->done].gap * MS_NS;
}

/* Return: false at the end. */
static bool go_on(struct command *command)
{
	bool due = now_ns() >= command->due;

	if (command->name == 'b' && due) {
		go_on_breaking(command);
	} else if (command->name == 'a' || command->name == 'h') {
		if (has_run(command->from, command->there, command->back))
			reply(command, "passing");
		else if (due)
			reply(command, "stuck");
	} else if (command->name == 'e' && (due || !unanswered(0))) {
		printf("sent %u lost %u doubled %u\n", sent, unanswered(0), doubled);
		return false;
	}
	return true;
}

/* Return: false at the end of the input. */
static bool read_command(struct command *command)
{
	char line[512];

	if (!fgets(line, sizeof(line), stdin))
		return false;
	line[strcspn(line, "\n")] = '\0';
	begin(command, line);
	return true;
}

static void probe(unsigned int from, unsigned int to)
{
	static struct command command;
	int fd = tcp ? connect_tcp(from, to) : open_socket(from, PORT + 1);
	struct pollfd polled[] = { { .fd = fd, .events = POLLIN }, { .fd = 0, .events = POLLIN } };
	int64_t next = now_ns(), wait;

	probes = calloc(PROBES_MAX, sizeof(*probes));
	if (!probes)
		die("no memory");
	for (;;) {
		if (command.name != 'e' && now_ns() >= next) {
			if (now_ns() - next > late)
				late = now_ns() - next;
			send_probe(fd, to);
			next += interval;
		}
		if (tcp)
			take_stream(fd);
		else
			take_answers(fd);
		if (command.name && !go_on(&command))
			return;
		wait = next;
		if (command.name == 'b' && command.due < next)
			wait = command.due;
		if (command.name == 'e')
			wait = now_ns() + interval;
		wait = (wait - now_ns() + 999999) / 1000000;
		poll(polled, command.name ? 1 : 2, wait > 0 ? wait : 0);
		if (!command.name && polled[1].revents && !read_command(&command))
			return;
		polled[1].revents = 0;
	}
}

static void parse_transport(const char *text)
{
	struct in_addr address;

	flitcast = !strcmp(text, "flitcast");
	if (flitcast)
		return;
	tcp = !strncmp(text, "tcp:", strlen("tcp:"));
	if (tcp)
		text += strlen("tcp:");
	if (!inet_pton(AF_INET, text, &address))
		die("%s: neither flitcast nor an IPv4 network", text);
	network = ntohl(address.s_addr);
}

static void parse_sizes(char *text)
{
	char *word, *save;

	nsizes = 0;
	for (word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (nsizes == sizeof(sizes) / sizeof(sizes[0]))
			die("too many sizes");
		sizes[nsizes] = number(word, BYTES_MAX);
		if (sizes[nsizes++] < sizeof(struct payload))
			die("%s: too short a probe", word);
	}
	if (!nsizes)
		usage();
}

int main(int argc, char **argv)
{
	struct sched_param first = { .sched_priority = 1 };
	bool prober = argc > 1 && !strcmp(argv[1], "probe");
	int option;

	if (!prober && (argc < 2 || strcmp(argv[1], "echo")))
		usage();
	sizes[0] = 64;
	nsizes = 1;
	optind = 2;
	while ((option = getopt(argc, argv, "b:i:s:")) != -1) {
		if (option == 'b' && prober)
			parse_sizes(optarg);
		else if (option == 'i' && prober)
			interval = number(optarg, 1000) * MS_NS;
		else if (option == 's' && prober)
			srandom(number(optarg, INT_MAX));
		else
			usage();
	}
	if (argc - optind != 3 + prober)
		usage();
	/* A busy guest must not delay the measurement itself. */
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		die("SCHED_FIFO: %s", strerror(errno));
	setvbuf(stdout, NULL, _IOLBF, 0);
	setvbuf(stdin, NULL, _IONBF, 0);
	parse_transport(argv[optind]);
	lab = argv[optind + 1];
	if (prober)
		probe(number(argv[optind + 2], SITES_MAX - 1),
		      number(argv[optind + 3], SITES_MAX - 1));
	else if (tcp)
		echo_tcp(number(argv[optind + 2], SITES_MAX - 1));
	else
		echo(number(argv[optind + 2], SITES_MAX - 1));
	return 0;
}
