// SPDX-License-Identifier: GPL-2.0
/*
 * Traffic beside a site of a lab that may lie.
 *
 *	beside [-n] [-t MS] [-l SITE] [-b FROM,...] LAB A-B...
 *
 * For each pair A-B, site A sends to site B, for MS milliseconds, an ICMP echo request each 200 ms,
 * a long message each 200 ms and a short one each 50 ms; a message waits until the one before it is
 * delivered, so one that is stuck stops its kind.  With -l, each of the sites FROM sends echo
 * requests by broadcast and messages to SITE besides, without waiting for answers.
 *
 * The lab has network devices with addresses ("lab up ... ip"); -n: it has none, send no echo
 * requests.  Prints, for each pair:
 *
 *	A-B pings N lost N slowest MS long N short N
 *
 * where long and short are messages that were delivered in time.  A ping is lost if its answer has
 * not come within LOST_MS.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <unistd.h>
#include "lab.h"
#include "msg.h"

#define SITES_MAX	64
#define PAIRS_MAX	256
#define PINGS_MAX	4096
#define LOST_MS		2000
#define PING_MS		200
#define BCAST_MS	10
#define PORT		7030
#define LAB_IP		0x0afe0000
#define BROADCAST	0x0afeffff
#define LONG_BYTES	65536
#define SHORT_BYTES	64
#define HEAD		12
/*
 * Sockets of a site whose messages fill a link: a peer that acks none holds up each of them.  They
 * are those of another user: messages of one user share what it may have in flight.
 */
#define FILLERS		8
#define FILLER_UID	1000

enum size { LONG, SHORT, SIZES };

static const unsigned int bytes_of[SIZES] = { LONG_BYTES, SHORT_BYTES };
static const unsigned int pause_of[SIZES] = { 200, 50 };

/**
 * struct pair - traffic from one site to another
 * @from: sending site
 * @to: receiving site
 * @pings: echo requests sent
 * @answered: by number of the request
 * @sent_at: time at which it was sent, by number
 * @answers: requests that were answered in time
 * @slowest: longest time to an answer
 * @ping_at: time of the next request
 * @tx: sockets, by size
 * @sent: messages sent
 * @got: messages delivered
 * @in_time: messages delivered until the end of the time
 * @msg_at: time of the next message
 */
struct pair {
	unsigned int from;
	unsigned int to;
	unsigned int pings;
	bool answered[PINGS_MAX];
	uint64_t sent_at[PINGS_MAX];
	unsigned int answers;
	uint64_t slowest;
	uint64_t ping_at;
	int tx[SIZES];
	uint32_t sent[SIZES];
	uint32_t got[SIZES];
	uint32_t in_time[SIZES];
	uint64_t msg_at[SIZES];
};

/**
 * struct site - sockets of a site
 * @used: it is an end of a pair, or sends to the site that may lie
 * @icmp: raw socket
 * @rx: sockets that receive messages, by size
 * @fills: it sends to the site that may lie
 * @fill: sockets for that
 */
struct site {
	bool used;
	int icmp;
	int rx[SIZES];
	bool fills;
	int fill[FILLERS];
};

static struct pair pairs[PAIRS_MAX];
static unsigned int npairs;
static struct site sites[SITES_MAX];
static const char *lab;
static unsigned int liar = SITES_MAX;
static bool no_pings;
static unsigned char buf[LONG_BYTES];

static void usage(void)
{
	fprintf(stderr, "usage: beside [-n] [-t MS] [-l SITE] [-b FROM,...] LAB A-B...\n");
	exit(EXIT_USAGE);
}

static int message_socket(int netns, unsigned int site, unsigned int port)
{
	int fd = msg_socket(netns, site, port, SOCK_NONBLOCK);

	if (fd < 0)
		die("socket of site %u: %s", site, strerror(errno));
	return fd;
}

static void open_site(unsigned int number)
{
	struct icmp_filter { uint32_t mask; } only = { ~(1U << ICMP_ECHOREPLY) };
	struct site *site = &sites[number];
	int netns = lab_open(lab, number), on = 1, i;

	if (netns < 0 || lab_enter(netns))
		die("site %u: %s", number, strerror(errno));
	site->icmp = socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_ICMP);
	if (site->icmp < 0 || setsockopt(site->icmp, SOL_RAW, 1, &only, sizeof(only)) ||
	    setsockopt(site->icmp, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on)))
		die("ICMP at site %u: %s", number, strerror(errno));
	site->rx[LONG] = message_socket(netns, number, PORT + LONG);
	site->rx[SHORT] = message_socket(netns, number, PORT + SHORT);
	/* The sockets belong to the user; entering the namespace takes more. */
	setfsuid(FILLER_UID);
	for (i = 0; i < FILLERS && site->fills; i++)
		site->fill[i] = message_socket(netns, number, FLITCAST_PORT_ANY);
	setfsuid(0);
	close(netns);
}

static void open_pair(struct pair *pair)
{
	int netns = lab_open(lab, pair->from);

	pair->tx[LONG] = message_socket(netns, pair->from, FLITCAST_PORT_ANY);
	pair->tx[SHORT] = message_socket(netns, pair->from, FLITCAST_PORT_ANY);
	close(netns);
}

static uint16_t checksum(const void *data, size_t len)
{
	const uint16_t *p = data;
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < len / 2; i++)
		sum += p[i];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* Send an echo request with two numbers; errors are those of a lost one. */
static void ping(unsigned int from, uint32_t address, uint32_t pair, uint32_t number)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(address) };
	struct {
		struct icmphdr icmp;
		uint32_t pair;
		uint32_t number;
	} packet = { .icmp = { .type = ICMP_ECHO }, .pair = pair, .number = number };

	packet.icmp.un.echo.id = htons((uint16_t)getpid());
	packet.icmp.checksum = checksum(&packet, sizeof(packet));
	sendto(sites[from].icmp, &packet, sizeof(packet), 0, (struct sockaddr *)&to, sizeof(to));
}

static void receive_answers(struct site *site, uint64_t now)
{
	struct {
		struct iphdr ip;
		struct icmphdr icmp;
		uint32_t pair;
		uint32_t number;
	} packet;
	uint64_t took;

	while (recv(site->icmp, &packet, sizeof(packet), 0) == sizeof(packet)) {
		struct pair *pair;

		if (packet.icmp.type != ICMP_ECHOREPLY || packet.pair >= npairs ||
		    packet.icmp.un.echo.id != htons((uint16_t)getpid()))
			continue;
		pair = &pairs[packet.pair];
		if (packet.number >= pair->pings || pair->answered[packet.number])
			continue;
		took = now - pair->sent_at[packet.number];
		pair->answered[packet.number] = true;
		if (took <= LOST_MS)
			pair->answers++;
		if (took > pair->slowest)
			pair->slowest = took;
	}
}

static void receive_messages(struct site *site, enum size size)
{
	uint32_t head[3];
	ssize_t n;

	while ((n = msg_recv(site->rx[size], buf, sizeof(buf), NULL, MSG_DONTWAIT)) >= 0) {
		memcpy(head, buf, HEAD);
		/* Another run of this program has sent it. */
		if (head[2] != (uint32_t)getpid())
			continue;
		if (n != bytes_of[size] || head[0] >= npairs || head[1] != pairs[head[0]].got[size])
			die("a message that no site sent, or not now");
		pairs[head[0]].got[size]++;
	}
}

static void send_message(struct pair *pair, enum size size, uint64_t now)
{
	uint32_t head[3] = { pair - pairs, pair->sent[size], getpid() };

	if (now < pair->msg_at[size] || pair->sent[size] != pair->got[size])
		return;
	memcpy(buf, head, HEAD);
	if (msg_send(pair->tx[size], buf, bytes_of[size], pair->to, PORT + size,
		     MSG_DONTWAIT) != bytes_of[size])
		return;
	pair->sent[size]++;
	pair->msg_at[size] = now + pause_of[size];
}

static void send_all(uint64_t now)
{
	unsigned int i;

	for (i = 0; i < npairs; i++) {
		struct pair *pair = &pairs[i];

		send_message(pair, LONG, now);
		send_message(pair, SHORT, now);
		if (no_pings || now < pair->ping_at || pair->pings == PINGS_MAX)
			continue;
		pair->ping_at += PING_MS;
		pair->sent_at[pair->pings] = now;
		ping(pair->from, LAB_IP + pair->to, i, pair->pings++);
	}
}

static void receive_all(uint64_t now)
{
	unsigned int i;

	for (i = 0; i < SITES_MAX; i++) {
		if (!sites[i].used)
			continue;
		receive_answers(&sites[i], now);
		receive_messages(&sites[i], LONG);
		receive_messages(&sites[i], SHORT);
	}
}

/* The site that may lie need not have a socket on the port: then it refuses the messages. */
static void fill(void)
{
	unsigned int i, k;

	for (i = 0; i < SITES_MAX; i++) {
		if (!sites[i].fills)
			continue;
		if (!no_pings)
			ping(i, BROADCAST, PAIRS_MAX, 0);
		for (k = 0; k < FILLERS; k++) {
			msg_send(sites[i].fill[k], buf, SHORT_BYTES, liar, PORT + SIZES,
				 MSG_DONTWAIT);
			msg_send(sites[i].fill[k], buf, 8192, liar, PORT + SIZES, MSG_DONTWAIT);
		}
	}
}

static bool all_answered(void)
{
	unsigned int i;

	for (i = 0; i < npairs; i++)
		if (pairs[i].answers != pairs[i].pings)
			return false;
	return true;
}

/* Sleep until a socket has something to receive, or for 5 ms. */
static void wait_some(void)
{
	struct pollfd fds[SITES_MAX * 3];
	unsigned int i, n = 0;

	for (i = 0; i < SITES_MAX; i++) {
		if (!sites[i].used)
			continue;
		fds[n++] = (struct pollfd){ .fd = sites[i].icmp, .events = POLLIN };
		fds[n++] = (struct pollfd){ .fd = sites[i].rx[LONG], .events = POLLIN };
		fds[n++] = (struct pollfd){ .fd = sites[i].rx[SHORT], .events = POLLIN };
	}
	poll(fds, n, 5);
}

static void traffic(unsigned int ms)
{
	uint64_t start = now_ms(), now, fill_at = start;
	unsigned int i;

	for (i = 0; i < npairs; i++)
		pairs[i].ping_at = start + i % PING_MS;
	while ((now = now_ms()) < start + ms) {
		send_all(now);
		if (liar < SITES_MAX && now >= fill_at) {
			fill();
			fill_at += BCAST_MS;
		}
		wait_some();
		receive_all(now_ms());
	}
}

static void parse_list(char *text)
{
	char *word, *save;

	for (word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		unsigned int site = strtoul(word, NULL, 10);

		if (site >= SITES_MAX)
			usage();
		sites[site].used = true;
		sites[site].fills = true;
	}
}

static void parse_pairs(int argc, char **argv)
{
	int i;

	for (i = 0; i < argc && npairs < PAIRS_MAX; i++, npairs++) {
		struct pair *pair = &pairs[npairs];

		if (sscanf(argv[i], "%u-%u", &pair->from, &pair->to) != 2 ||
		    pair->from >= SITES_MAX || pair->to >= SITES_MAX)
			usage();
		sites[pair->from].used = true;
		sites[pair->to].used = true;
	}
}

static void report(void)
{
	unsigned int i;

	for (i = 0; i < npairs; i++)
		printf("%u-%u pings %u lost %u slowest %llu long %u short %u\n", pairs[i].from,
		       pairs[i].to, pairs[i].pings, pairs[i].pings - pairs[i].answers,
		       (unsigned long long)pairs[i].slowest, pairs[i].in_time[LONG],
		       pairs[i].in_time[SHORT]);
}

int main(int argc, char **argv)
{
	unsigned int ms = 1000, i;
	uint64_t end;
	int c;

	while ((c = getopt(argc, argv, "nt:l:b:")) != -1) {
		if (c == 'n')
			no_pings = true;
		else if (c == 't')
			ms = strtoul(optarg, NULL, 10);
		else if (c == 'l')
			liar = strtoul(optarg, NULL, 10);
		else if (c == 'b')
			parse_list(optarg);
		else
			usage();
	}
	if (optind >= argc)
		usage();
	lab = argv[optind++];
	skip_without_family(false);
	allow_descriptors(4096);
	parse_pairs(argc - optind, argv + optind);
	for (i = 0; i < SITES_MAX; i++)
		if (sites[i].used)
			open_site(i);
	for (i = 0; i < npairs; i++)
		open_pair(&pairs[i]);
	traffic(ms);
	for (i = 0; i < npairs; i++)
		memcpy(pairs[i].in_time, pairs[i].got, sizeof(pairs[i].got));
	for (end = now_ms() + LOST_MS; !all_answered() && now_ms() < end;) {
		wait_some();
		receive_all(now_ms());
	}
	report();
	return 0;
}
