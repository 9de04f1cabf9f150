// SPDX-License-Identifier: GPL-2.0
/*
 * cast [-b SITE[,SITE]...] [-w] LAB COPIES MESSAGES BYTES [QUORUM | majority]
 *
 * Every site of a lab broadcasts MESSAGES messages of up to BYTES bytes, all at once.  Every other
 * site receives each of them once, whole and in order, and the senders' reports confirm it.
 *
 * -b: these sites are dead, or lie.  They send nothing, the test does not wait for them, and a
 * message from one of them is an error.
 * -w: count errors until no more messages arrive; the exit status is 3 if there are any.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lab.h"
#include "msg.h"

#define EXIT_WRONG	3
/* Time for wrong messages to arrive after all the expected ones. */
#define LINGER_MS	300
/* With -w, the run ends when no message has arrived for this time. */
#define QUIET_MS	2000

/* Head of the data of a broadcast; bytes that identify it follow. */
struct head {
	uint32_t src;
	uint32_t number;
	uint32_t len;
};

struct site {
	int fd;
	uint32_t sent;
	uint32_t reported;
	bool bad;
	uint32_t *next;		/* by source: number of the next broadcast expected */
};

static struct site *sites;
static uint32_t nsites, copies, messages, bytes;
static uint64_t delivered, votes, wrong;
static uint32_t nbad;
/*
 * Each run has its own port: when the sockets of a run close, their sites retransmit the messages
 * that bad sites did not confirm.
 */
static uint16_t port;
static bool count_wrong;
static char buf[1 << 17];

static void fill(char *p, const struct head *h)
{
	memcpy(p, h, sizeof(*h));
	for (uint32_t i = sizeof(*h); i < h->len; i++)
		p[i] = (char)(h->src * 7 + h->number * 31 + i);
}

static bool send_one(uint32_t at)
{
	struct site *s = &sites[at];
	struct sockaddr_flitcast to = msg_addr(0, port);
	struct head h = { at, s->sent, sizeof(h) };

	if (bytes > sizeof(h))
		h.len += (uint32_t)random() % (bytes - sizeof(h) + 1);
	fill(buf, &h);
	to.sfc_addrtype = FLITCAST_ADDR_BROADCAST;
	to.sfc_copies = copies;
	if (sendto(s->fd, buf, h.len, MSG_DONTWAIT, (void *)&to, sizeof(to)) < 0) {
		if (errno == EAGAIN)
			return false;
		die("site %u: broadcast of %u bytes: %s", at, h.len, strerror(errno));
	}
	s->sent++;
	return true;
}

/* Count and report a message that should not have arrived. */
#define is_wrong(fmt, ...)							\
	do {									\
		if (!count_wrong)						\
			die(fmt, ##__VA_ARGS__);				\
		wrong++;							\
		return true;							\
	} while (0)

static bool receive_one(uint32_t at)
{
	struct site *s = &sites[at];
	struct sockaddr_flitcast from;
	char control[256];
	struct iovec iov = { buf, sizeof(buf) };
	struct msghdr msg = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t got = recvmsg(s->fd, &msg, MSG_DONTWAIT);
	static char want[sizeof(buf)];
	struct cmsghdr *cmsg;
	struct head h;

	if (got < 0) {
		if (errno == EAGAIN)
			return false;
		die("site %u: receives: %s", at, strerror(errno));
	}
	memcpy(&h, buf, sizeof(h));
	delivered++;
	if ((size_t)got < sizeof(h) || h.src >= nsites || h.src != from.sfc_site ||
	    sites[h.src].bad)
		is_wrong("site %u: %zd bytes of nonsense from site %u", at, got, from.sfc_site);
	if (h.number != s->next[h.src])
		is_wrong("site %u: broadcast %u of site %u, not %u", at, h.number, h.src,
			 s->next[h.src]);
	s->next[h.src]++;
	if ((uint32_t)got != h.len)
		is_wrong("site %u: broadcast %u of site %u is changed", at, h.number, h.src);
	fill(want, &h);
	if (memcmp(buf, want, h.len))
		is_wrong("site %u: broadcast %u of site %u is changed", at, h.number, h.src);
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		struct flitcast_info info;

		if (cmsg->cmsg_level != SOL_FLITCAST || cmsg->cmsg_type != FLITCAST_INFO)
			continue;
		memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
		if (info.addrtype != FLITCAST_ADDR_BROADCAST)
			die("site %u: it is no broadcast, says its info", at);
		/* Dissenting copies are expected if sites lie. */
		if (info.dissent && !nbad)
			die("site %u: ports %#x disagree", at, info.dissent);
		votes += info.votes;
	}
	return true;
}

static bool report_one(uint32_t at)
{
	struct flitcast_result result[1024];
	struct flitcast_report report;
	int n = msg_report(sites[at].fd, &report, result, 1024, NULL);

	if (n < 0) {
		if (errno == EAGAIN)
			return false;
		die("site %u: report: %s", at, strerror(errno));
	}
	for (int i = 0; i < n; i++)
		if (result[i].error && !sites[result[i].site].bad)
			die("site %u: broadcast %u: site %u: %s", at, report.id, result[i].site,
			    strerror(result[i].error));
	if (report.delivered + nbad < nsites - 1 || report.failed > nbad)
		die("site %u: broadcast %u: %u delivered, %u failed of %u", at, report.id,
		    report.delivered, report.failed, report.targets);
	sites[at].reported++;
	return true;
}

static void set_bad(const char *list)
{
	char *rest = strdup(list), *word;

	while ((word = strsep(&rest, ","))) {
		uint32_t site = atoi(word);

		if (site >= nsites || sites[site].bad)
			die("there is no site %s, or it is named twice", word);
		sites[site].bad = true;
		nbad++;
	}
}

static void open_site(const char *lab, uint32_t at, const struct flitcast_reception *reception)
{
	int ns = lab_open(lab, at), one = 1;
	struct site *s = &sites[at];

	s->next = calloc(nsites, sizeof(uint32_t));
	s->fd = msg_socket(ns, at, port, SOCK_NONBLOCK);
	if (s->fd < 0)
		die("site %u: socket: %s", at, strerror(errno));
	close(ns);
	if (setsockopt(s->fd, SOL_FLITCAST, FLITCAST_INFO, &one, sizeof(one)) ||
	    setsockopt(s->fd, SOL_FLITCAST, FLITCAST_CONFIRM, &one, sizeof(one)) ||
	    setsockopt(s->fd, SOL_FLITCAST, FLITCAST_COPIES, &copies, sizeof(copies)) ||
	    setsockopt(s->fd, SOL_FLITCAST, FLITCAST_RECEPTION, reception, sizeof(*reception)))
		die("site %u: option: %s", at, strerror(errno));
}

/* Do all pending work.  Return: true if there was any. */
static bool step(uint64_t *reports)
{
	bool moved = false;

	for (uint32_t i = 0; i < nsites; i++) {
		if (sites[i].bad)
			continue;
		if (sites[i].sent < messages)
			moved |= send_one(i);
		while (receive_one(i))
			moved = true;
		while (report_one(i)) {
			moved = true;
			++*reports;
		}
	}
	return moved;
}

int main(int argc, char **argv)
{
	uint64_t deadline, want, reports = 0, want_reports;
	struct flitcast_reception reception = { FLITCAST_RECEPTION_FIRST, 0, 10000 };
	uint32_t first = 0, patience = 60000;
	const char *bad = NULL;
	int option;

	while ((option = getopt(argc, argv, "b:w")) != -1) {
		if (option == 'b')
			bad = optarg;
		else if (option == 'w')
			count_wrong = true;
		else
			argc = 0;
	}
	argc -= optind;
	argv += optind;
	if (argc != 4 && argc != 5) {
		fprintf(stderr, "Usage: cast [-b SITE,...] [-w] LAB COPIES MESSAGES BYTES [QUORUM]\n");
		return EXIT_USAGE;
	}
	skip_without_family(false);
	port = 6000 + getpid() % 20000;
	nsites = lab_sites(argv[0]);
	copies = atoi(argv[1]);
	messages = atoi(argv[2]);
	bytes = atoi(argv[3]);
	if (argc == 5 && !strcmp(argv[4], "majority")) {
		reception.policy = FLITCAST_RECEPTION_MAJORITY;
	} else if (argc == 5) {
		reception.policy = FLITCAST_RECEPTION_QUORUM;
		reception.quorum = atoi(argv[4]);
	}
	if (!nsites || bytes > sizeof(buf))
		die("there is no lab %s", argv[0]);
	sites = calloc(nsites, sizeof(*sites));
	if (bad)
		set_bad(bad);
	for (uint32_t i = 0; i < nsites; i++)
		if (!sites[i].bad)
			open_site(argv[0], i, &reception);
	while (sites[first].bad)
		first++;
	want = (uint64_t)(nsites - nbad) * (nsites - nbad - 1) * messages;
	/* A report about bad sites is created only when the sender aborts: expect none. */
	want_reports = nbad ? 0 : (uint64_t)nsites * messages;
	if (count_wrong)
		patience = QUIET_MS;
	deadline = now_ms() + patience;
	while (delivered < want || reports < want_reports) {
		bool moved = step(&reports);

		if (moved)
			deadline = now_ms() + patience;
		if (now_ms() > deadline && count_wrong)
			break;
		if (now_ms() > deadline)
			die("nothing for a minute: %llu of %llu deliveries, %llu reports",
			    (unsigned long long)delivered, (unsigned long long)want,
			    (unsigned long long)reports);
		if (!moved)
			msg_wait(sites[first].fd, POLLIN, 5);
	}
	deadline = now_ms() + (nbad ? LINGER_MS : 0);
	while (now_ms() < deadline)
		if (!step(&reports))
			msg_wait(sites[first].fd, POLLIN, 5);
	if (delivered > want && !count_wrong)
		die("%llu deliveries, not %llu", (unsigned long long)delivered,
		    (unsigned long long)want);
	printf("%llu deliveries of %u broadcasts in %u copies, %llu votes\n",
	       (unsigned long long)delivered, (nsites - nbad) * messages, copies,
	       (unsigned long long)votes);
	if (count_wrong)
		printf("%llu wrong\n", (unsigned long long)wrong);
	return wrong ? EXIT_WRONG : 0;
}
