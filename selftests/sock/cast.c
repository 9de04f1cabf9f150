// SPDX-License-Identifier: GPL-2.0
/*
 * cast LAB COPIES MESSAGES BYTES
 *
 * Every site of a lab broadcasts so many messages of up to so many bytes, all at once; every
 * other one receives each of them once, whole and in order, and the senders' reports say so.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lab.h"
#include "msg.h"

#define PORT	6000

/* What a broadcast begins with; bytes that tell which it is follow. */
struct head {
	uint32_t src;
	uint32_t number;
	uint32_t len;
};

struct site {
	int fd;
	uint32_t sent;
	uint32_t reported;
	uint32_t *next;		/* by source: number of its next broadcast */
};

static struct site *sites;
static uint32_t nsites, copies, messages, bytes;
static uint64_t delivered, votes;
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
	struct sockaddr_flitcast to = msg_addr(0, PORT);
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
	if ((size_t)got < sizeof(h) || h.src >= nsites || h.src != from.sfc_site)
		die("site %u: %zd bytes of nonsense from site %u", at, got, from.sfc_site);
	if (h.number != s->next[h.src])
		die("site %u: broadcast %u of site %u, not %u", at, h.number, h.src,
		    s->next[h.src]);
	s->next[h.src]++;
	fill(want, &h);
	if ((uint32_t)got != h.len || memcmp(buf, want, h.len))
		die("site %u: broadcast %u of site %u is changed", at, h.number, h.src);
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		struct flitcast_info info;

		if (cmsg->cmsg_level != SOL_FLITCAST || cmsg->cmsg_type != FLITCAST_INFO)
			continue;
		memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
		if (info.addrtype != FLITCAST_ADDR_BROADCAST)
			die("site %u: it is no broadcast, says its info", at);
		if (info.dissent)
			die("site %u: ports %#x disagree", at, info.dissent);
		votes += info.votes;
	}
	delivered++;
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
	if (report.delivered != nsites - 1 || report.failed)
		die("site %u: broadcast %u: %u delivered, %u failed of %u", at, report.id,
		    report.delivered, report.failed, report.targets);
	sites[at].reported++;
	return true;
}

int main(int argc, char **argv)
{
	uint64_t deadline, want, reports = 0;
	struct flitcast_reception reception = { FLITCAST_RECEPTION_FIRST, 0, 10000 };
	int one = 1;

	if (argc != 5 && argc != 6) {
		fprintf(stderr, "Usage: cast LAB COPIES MESSAGES BYTES [QUORUM]\n");
		return EXIT_USAGE;
	}
	skip_without_family(false);
	nsites = lab_sites(argv[1]);
	copies = atoi(argv[2]);
	messages = atoi(argv[3]);
	bytes = atoi(argv[4]);
	if (argc == 6) {
		reception.policy = FLITCAST_RECEPTION_QUORUM;
		reception.quorum = atoi(argv[5]);
	}
	if (!nsites || bytes > sizeof(buf))
		die("there is no lab %s", argv[1]);
	sites = calloc(nsites, sizeof(*sites));
	for (uint32_t i = 0; i < nsites; i++) {
		int ns = lab_open(argv[1], i);

		sites[i].next = calloc(nsites, sizeof(uint32_t));
		sites[i].fd = msg_socket(ns, i, PORT, SOCK_NONBLOCK);
		if (sites[i].fd < 0)
			die("site %u: socket: %s", i, strerror(errno));
		close(ns);
		if (setsockopt(sites[i].fd, SOL_FLITCAST, FLITCAST_INFO, &one, sizeof(one)) ||
		    setsockopt(sites[i].fd, SOL_FLITCAST, FLITCAST_CONFIRM, &one, sizeof(one)) ||
		    setsockopt(sites[i].fd, SOL_FLITCAST, FLITCAST_COPIES, &copies,
			       sizeof(copies)) ||
		    setsockopt(sites[i].fd, SOL_FLITCAST, FLITCAST_RECEPTION, &reception,
			       sizeof(reception)))
			die("site %u: option: %s", i, strerror(errno));
	}
	want = (uint64_t)nsites * (nsites - 1) * messages;
	deadline = now_ms() + 60000;
	while (delivered < want || reports < (uint64_t)nsites * messages) {
		bool moved = false;

		for (uint32_t i = 0; i < nsites; i++) {
			if (sites[i].sent < messages)
				moved |= send_one(i);
			while (receive_one(i))
				moved = true;
			while (report_one(i)) {
				moved = true;
				reports++;
			}
		}
		if (moved)
			deadline = now_ms() + 60000;
		if (now_ms() > deadline)
			die("nothing for a minute: %llu of %llu deliveries, %llu reports",
			    (unsigned long long)delivered, (unsigned long long)want,
			    (unsigned long long)reports);
		if (!moved)
			msg_wait(sites[0].fd, POLLIN, 5);
	}
	printf("%llu deliveries of %u broadcasts in %u copies, %llu votes\n",
	       (unsigned long long)delivered, nsites * messages, copies,
	       (unsigned long long)votes);
	return 0;
}
