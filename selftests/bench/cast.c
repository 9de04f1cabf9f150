// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the time of a message of site 0 to every other site, or to some.
 *
 *	cast [-n COUNT] [-b BYTES,...] [-k SITE,...] LAB TOPOLOGY MTU PLAN WAY...
 *
 * LAB is a lab that is up, with addresses and routes of IPv4, too: see bench/guest-lib.sh, and
 * peers.h for them and for PLAN.  TOPOLOGY and MTU are only printed.  One thread holds a socket at
 * each site, so that a message is timed by one clock.  The network is idle when the message is
 * sent.  WAY is one of
 *
 * flitcast	broadcasts in one copy, two and so on, received with the first copy; and
 *		with more than half of them if there are three or more; a message to a
 *		list of targets; a message to each
 * list		only the message to a list of targets
 * list-later	the same without reports, so that receivers may delay acks
 * unicasts	only the messages to each
 * udp		a datagram to each, over IPv4 forwarding
 * device	the same over the network devices of the sites
 * tcp		the same as udp by a connection to each
 * ipmr		a datagram to a group, by the kernel's multicast routing
 * hsr		a datagram to a group, on an HSR ring of all sites
 * device-group	a datagram to a group, over the network devices of the sites
 *
 * With -k the message goes to these sites only, by list, list-later, unicasts, udp, device or tcp.
 *
 * Prints a line of JSON for each method and length.  Times are in nanoseconds or, if the guest
 * counts instructions, in instructions without waiting times:
 *
 * last		from before the sendmsg() until the last site has received it
 * told		until the sender has its reports
 * work		all the time in which the processor was not idle, from before the sendmsg()
 *		until QUIET_MS after that; method "nothing": the same if no message is sent
 *
 * frames	on all links together, by the counters of their devices, and frame_bytes,
 *		with Ethernet headers: of one message, from before the sendmsg() until
 *		QUIET_MS after its completion, possibly with HELLOs
 * tx_...	counters of Flitcast's links, for COUNT messages and other frames meanwhile;
 *		only for the methods of Flitcast
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "../sock/lab.h"
#include "../sock/msg.h"
#include "frames.h"
#include "idle.h"
#include "inet.h"
#include "numbers.h"
#include "peers.h"
#include "stats.h"

#define COUNT_MAX	1000
#define LENGTHS_MAX	16
#define BYTES_MAX	65000	/* maximum of a UDP datagram */
#define COPIES_MAX	6
#define PORT		7010
/* Number of warm-up messages, which are not measured. */
#define WARM_UP		2
/* Time-out of a measurement; far more than needed. */
#define LIMIT_S		20
/* Longer than the delays of acks, questions and polls in an idle network (20 ms). */
#define QUIET_MS	30
/* Time for nodes to join groups, and for HSR nodes to detect each other. */
#define JOIN_MS		15000

/* Methods to send a message to every other site. */
enum method {
	METHOD_NOTHING,
	METHOD_BROADCAST,
	METHOD_LIST,
	METHOD_LIST_LATER,
	METHOD_UNICASTS,
	METHOD_UDP,
	METHOD_DEVICE,
	METHOD_TCP,
	METHOD_IPMR,
	METHOD_HSR,
	METHOD_DEVICE_GROUP,
};

static const char *const method_names[] = {
	[METHOD_NOTHING] = "nothing",
	[METHOD_BROADCAST] = "broadcast",
	[METHOD_LIST] = "list",
	[METHOD_LIST_LATER] = "list-later",
	[METHOD_UNICASTS] = "unicasts",
	[METHOD_UDP] = "udp",
	[METHOD_DEVICE] = "device",
	[METHOD_TCP] = "tcp",
	[METHOD_IPMR] = "ipmr",
	[METHOD_HSR] = "hsr",
	[METHOD_DEVICE_GROUP] = "device-group",
};

/**
 * struct sample - one message
 * @last: nanoseconds until the last site had it
 * @reported: nanoseconds until the sender had its reports; 0: no reports
 * @work: nanoseconds in which the processor was not idle
 * @frames: number of frames on all links
 * @frame_bytes: sum of their lengths
 */
struct sample {
	uint64_t last;
	uint64_t reported;
	uint64_t work;
	uint64_t frames;
	uint64_t frame_bytes;
};

/* X(counter): counters of a link, printed as the sum over all links. */
#define COUNTERS(X)	X(tx_flits) X(tx_status) X(tx_control) X(tx_faults) X(tx_resent)	\
			X(tx_dropped)
#define COUNTER_NAME(name)	#name,

static const char *const counters[] = { COUNTERS(COUNTER_NAME) };

#define NCOUNTERS	(sizeof(counters) / sizeof(counters[0]))

static const char *lab, *topology, *mtu;
static unsigned int nsites, messages, count = 7;
/* Target sites, in ascending order. */
static unsigned int to[PEERS_MAX], nto;
static int fds[PEERS_MAX];
static struct peers peers;
static unsigned char sent[BYTES_MAX], got[PEERS_MAX][BYTES_MAX];
static struct flitcast_target targets[PEERS_MAX];

static void usage(void)
{
	fprintf(stderr, "usage: cast [-n COUNT] [-b BYTES,...] [-k SITE,...] LAB TOPOLOGY MTU PLAN WAY...\n");
	exit(EXIT_USAGE);
}

static void option(int fd, int name, const void *value, socklen_t len)
{
	if (setsockopt(fd, SOL_FLITCAST, name, value, len))
		die("option %d: %s", name, strerror(errno));
}

/* Set whether the sender requests reports. */
static void set_confirm(int confirm)
{
	option(fds[0], FLITCAST_CONFIRM, &confirm, sizeof(confirm));
}

static void open_sites(void)
{
	struct timeval limit = { .tv_sec = LIMIT_S };
	unsigned int site, i;

	for (site = 0; site < nsites; site++) {
		int netns = lab_open(lab, site);

		fds[site] = msg_socket(netns, site, PORT, 0);
		if (fds[site] < 0)
			die("socket of site %u: %s", site, strerror(errno));
		close(netns);
		if (setsockopt(fds[site], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
			die("time-out: %s", strerror(errno));
	}
	for (i = 0; i < nto; i++)
		targets[i] = (struct flitcast_target){ .site = to[i], .port = PORT };
	set_confirm(1);
}

static void set_copies(int copies, unsigned int quorum)
{
	struct flitcast_reception reception = {
		.policy = quorum ? FLITCAST_RECEPTION_QUORUM : FLITCAST_RECEPTION_FIRST,
		.quorum = quorum, .ms = 1000,
	};
	unsigned int site;

	for (site = 0; site < nsites; site++) {
		option(fds[site], FLITCAST_COPIES, &copies, sizeof(copies));
		option(fds[site], FLITCAST_RECEPTION, &reception, sizeof(reception));
	}
}

static ssize_t broadcast(size_t bytes)
{
	struct sockaddr_flitcast all = msg_addr(0, PORT);

	all.sfc_addrtype = FLITCAST_ADDR_BROADCAST;
	return sendto(fds[0], sent, bytes, 0, (struct sockaddr *)&all, sizeof(all));
}

static void send_message(enum method method, size_t bytes)
{
	ssize_t n = bytes;
	unsigned int i;

	switch (method) {
	case METHOD_NOTHING:
		return;
	case METHOD_BROADCAST:
		n = broadcast(bytes);
		break;
	case METHOD_LIST:
	case METHOD_LIST_LATER:
		n = msg_send_list(fds[0], sent, bytes, targets, nto, 0);
		break;
	case METHOD_UNICASTS:
		for (i = 0; i < nto && n == (ssize_t)bytes; i++)
			n = msg_send(fds[0], sent, bytes, to[i], PORT, 0);
		break;
	case METHOD_UDP:
	case METHOD_DEVICE:
	case METHOD_TCP:
	case METHOD_IPMR:
	case METHOD_HSR:
	case METHOD_DEVICE_GROUP:
		peers_send(&peers, to, nto, sent, bytes);
		break;
	}
	if (n != (ssize_t)bytes)
		die("%s, %zu bytes: %s", method_names[method], bytes, strerror(errno));
}

static void receive_message(enum method method, size_t bytes)
{
	const int *from = method >= METHOD_UDP ? peers.nodes : fds;
	unsigned int i;

	for (i = 0; i < nto; i++) {
		ssize_t n = recv(from[to[i]], got[to[i]], method == METHOD_TCP ? bytes : BYTES_MAX,
				 method == METHOD_TCP ? MSG_WAITALL : 0);

		if (n != (ssize_t)bytes)
			die("%s, %zu bytes: site %u: %s", method_names[method], bytes, to[i],
			    n < 0 ? strerror(errno) : "another length");
	}
}

/* Wait until the sender has reports of all targets. */
static void await_reports(enum method method)
{
	static struct flitcast_result results[PEERS_MAX];
	struct flitcast_report report;
	unsigned int reported = 0;

	while (reported < nto) {
		if (!msg_wait(fds[0], POLLERR, LIMIT_S * 1000))
			die("%s: only %u of %u confirmations", method_names[method], reported, nto);
		if (msg_report(fds[0], &report, results, PEERS_MAX, NULL) < 0)
			die("%s: report: %s", method_names[method], strerror(errno));
		if (report.failed || report.left_out)
			die("%s: not all have it", method_names[method]);
		reported += report.delivered;
	}
}

/* Marks for bench/profile, which records from one mark to the next one, alternately. */
static void mark(bool marked)
{
	if (marked)
		asm volatile("xchg %%bx, %%bx" ::: "memory");
}

/* @marked: set marks, until all have the message or, with reports, the sender has these. */
static struct sample measure_one(enum method method, size_t bytes, bool marked)
{
	uint64_t start, idle, key = msg_key(1, 0, messages++);
	struct frames before = frames_now(), after;
	struct sample sample = { 0 };
	unsigned int i;

	msg_fill(sent, bytes, key, 0);
	idle = idle_ns();
	start = stats_now();
	mark(marked);
	send_message(method, bytes);
	if (method != METHOD_NOTHING)
		receive_message(method, bytes);
	sample.last = stats_now() - start;
	if (method != METHOD_NOTHING && method != METHOD_LIST_LATER && method < METHOD_UDP) {
		await_reports(method);
		sample.reported = stats_now() - start;
	}
	mark(marked);
	sleep_ms(QUIET_MS);
	sample.work = stats_now() - start;
	sample.work -= idle_ns() - idle;
	after = frames_now();
	sample.frames = after.count - before.count;
	sample.frame_bytes = after.bytes - before.bytes;
	for (i = 0; i < nto && method != METHOD_NOTHING; i++)
		if (msg_check(got[to[i]], bytes, key, 0) != bytes)
			die("%s, %zu bytes: site %u received something else", method_names[method],
			    bytes, to[i]);
	return sample;
}

static void count_links(enum method method, uint64_t *sums)
{
	unsigned int site, i;

	memset(sums, 0, NCOUNTERS * sizeof(*sums));
	/* Run the command at each site, if the method has counters. */
	if (method == METHOD_NOTHING || method >= METHOD_UDP)
		return;
	for (site = 0; site < nsites; site++) {
		if (cli("-n %s-%u -j -s link show", lab, site))
			die("link show: %s", cli_output());
		for (i = 0; i < NCOUNTERS; i++)
			sums[i] += json_sum(cli_output(), counters[i]);
	}
}

/* Print statistics of the member @offset bytes into each sample. */
static void print_samples(const char *name, const struct sample *samples, size_t offset)
{
	static uint64_t values[COUNT_MAX];
	unsigned int i;

	for (i = 0; i < count; i++)
		memcpy(&values[i], (const char *)&samples[i] + offset, sizeof(values[i]));
	printf(", \"%s\": {", name);
	stats_print(values, count);
	printf("}");
}

static void measure(enum method method, size_t bytes, unsigned int copies, unsigned int quorum)
{
	static struct sample samples[COUNT_MAX];
	uint64_t before[NCOUNTERS], after[NCOUNTERS];
	unsigned int i;

	if (method == METHOD_LIST_LATER)
		set_confirm(0);
	for (i = 0; i < WARM_UP; i++)
		measure_one(method, bytes, false);
	count_links(method, before);
	for (i = 0; i < count; i++)
		samples[i] = measure_one(method, bytes, method != METHOD_NOTHING);
	count_links(method, after);
	if (method == METHOD_LIST_LATER)
		set_confirm(1);

	printf("{\"way\": \"%s\", \"what\": \"cast\", \"topology\": \"%s\", \"mtu\": %s, "
	       "\"sites\": %u, \"bytes\": %zu, \"copies\": %u, \"quorum\": %u, \"count\": %u, "
	       "\"targets\": [",
	       method_names[method], topology, mtu, nsites, bytes, copies, quorum, count);
	for (i = 0; i < nto; i++)
		printf("%s%u", i ? ", " : "", to[i]);
	printf("]");
	print_samples("last", samples, offsetof(struct sample, last));
	print_samples("told", samples, offsetof(struct sample, reported));
	print_samples("work", samples, offsetof(struct sample, work));
	print_samples("frames", samples, offsetof(struct sample, frames));
	print_samples("frame_bytes", samples, offsetof(struct sample, frame_bytes));
	for (i = 0; i < NCOUNTERS; i++)
		printf(", \"%s\": %llu", counters[i], (unsigned long long)(after[i] - before[i]));
	printf("}\n");
	fflush(stdout);
}

/* Does the topology have this number of disjoint paths?  Only a broadcast shows that. */
static bool has_copies(unsigned int copies)
{
	set_copies(copies, 0);
	if (broadcast(1) != 1) {
		if (errno == EOPNOTSUPP)
			return false;
		die("broadcast in %u copies: %s", copies, strerror(errno));
	}
	receive_message(METHOD_BROADCAST, 1);
	await_reports(METHOD_BROADCAST);
	return true;
}

static void measure_flitcast(size_t bytes)
{
	unsigned int copies;

	for (copies = 1; copies <= COPIES_MAX && has_copies(copies); copies++) {
		measure(METHOD_BROADCAST, bytes, copies, 0);
		if (copies < 3)
			continue;
		set_copies(copies, copies / 2 + 1);
		measure(METHOD_BROADCAST, bytes, copies, copies / 2 + 1);
	}
	measure(METHOD_LIST, bytes, 0, 0);
	measure(METHOD_LIST_LATER, bytes, 0, 0);
	measure(METHOD_UNICASTS, bytes, 0, 0);
}

static void open_peers(enum method method, const char *plan)
{
	if (method == METHOD_UDP)
		peers_open_udp(&peers, lab, nsites, INET_LAB);
	else if (method == METHOD_DEVICE)
		peers_open_udp(&peers, lab, nsites, INET_DEVICE);
	else if (method == METHOD_TCP)
		peers_open_tcp(&peers, lab, nsites);
	else if (method == METHOD_IPMR)
		peers_open_ipmr(&peers, lab, nsites, plan);
	else if (method == METHOD_HSR)
		peers_open_group(&peers, lab, nsites, INET_LAB, "hsr0");
	else
		peers_open_group(&peers, lab, nsites, INET_DEVICE, "fc0");
	if (method > METHOD_TCP)
		sleep_ms(JOIN_MS);
}

/* Return: the method, or METHOD_NOTHING for all methods of Flitcast. */
static enum method find_method(const char *name)
{
	enum method method;

	if (!strcmp(name, "flitcast"))
		return METHOD_NOTHING;
	for (method = METHOD_LIST; method <= METHOD_DEVICE_GROUP; method++)
		if (!strcmp(name, method_names[method]))
			return method;
	usage();
	return METHOD_NOTHING;
}

int main(int argc, char **argv)
{
	unsigned int lengths[LENGTHS_MAX] = { 64, 1024, 32768 };
	unsigned int nlengths = 3, i;
	bool some;
	const char *plan;
	enum method method;
	int arg;

	while ((arg = getopt(argc, argv, "n:b:k:")) != -1) {
		if (arg == 'n') {
			count = atoi(optarg);
		} else if (arg == 'b') {
			nlengths = numbers_parse(optarg, lengths, LENGTHS_MAX, BYTES_MAX);
		} else if (arg == 'k') {
			nto = numbers_parse(optarg, to, PEERS_MAX, PEERS_MAX);
			if (!nto)
				usage();
		} else {
			usage();
		}
	}
	if (!nlengths || count < 1 || count > COUNT_MAX || argc - optind < 5)
		usage();
	lab = argv[optind++];
	topology = argv[optind++];
	mtu = argv[optind++];
	plan = argv[optind++];
	nsites = lab_sites(lab);
	if (nsites < 2 || nsites > PEERS_MAX)
		die("lab %s has %u sites", lab, nsites);
	for (i = 0; i < nto; i++)
		if (to[i] >= nsites)
			die("lab %s has no site %u", lab, to[i]);
	some = nto;
	for (i = 1; i < nsites && !some; i++)
		to[nto++] = i;
	skip_without_family(false);
	if (allow_descriptors(8 * nsites + 64))
		die("descriptors: %s", strerror(errno));
	open_sites();
	frames_open(lab, nsites);
	measure(METHOD_NOTHING, 0, 0, 0);
	for (; optind < argc; optind++) {
		method = find_method(argv[optind]);
		if (some && (method == METHOD_NOTHING || method > METHOD_TCP))
			usage();
		if (method >= METHOD_UDP)
			open_peers(method, plan);
		for (i = 0; i < nlengths; i++) {
			if (method == METHOD_NOTHING)
				measure_flitcast(lengths[i]);
			else
				measure(method, lengths[i], 0, 0);
		}
		if (method >= METHOD_UDP)
			peers_close(&peers, nsites);
	}
	return 0;
}
