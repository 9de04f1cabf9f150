// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of the stress test.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lab.h"
#include "msg.h"
#include "stress.h"

struct options opt = {
	.senders = 16, .messages = 1000, .targets = { 1, 8 }, .bytes = { 0, 1 << 20 },
	.ports = 1, .parts = 20, .slow_ms = 50, .deadline_s = 300, .lose = NO_SITE,
};

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
	      "  --pattern P       uniform; transpose: the first target is the site's own in the\n"
	      "                    transposed square, where that is another one; hot: of one\n"
	      "                    message in four the same site\n"
	      "  --seconds S       offer messages for so long, however many\n"
	      "  --unbroken        no site may abort, store or drop a packet (mode vnet)\n"
	      "  --seed N          (from the clock)\n"
	      "  --deadline S      fail after so long, with what is missing (300)\n"
	      "  --figure4         two who send to sites 1 and 2 at once, in either order:\n"
	      "                    --senders 2 --from 0,3 --to 1,2 --targets 2-2 --parts 0\n"
	      "                    --bytes 262144-1048576\n"
	      "  --endless         until a signal, or the deadline, which is no failure\n"
	      "  --lossy           sites and links may go and come back: messages may be\n"
	      "                    lost then; what arrives is still whole, in order, once\n"
	      "  --lose SITE       its namespace is deleted after half of the messages; it only\n"
	      "                    receives.  All others get everything; those who send to it\n"
	      "                    are told, and leave it out then\n"
	      "  --timeout MS      FLITCAST_TIMEOUT of the senders\n"
	      "  --sndbuf BYTES    SO_SNDBUF of the senders\n"
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

static unsigned int all_sites(uint32_t *sites, uint32_t but)
{
	unsigned int sum = lab_sites(opt.lab), i, n = 0;

	for (i = 0; i < sum && i < SITES_MAX; i++)
		if (i != but)
			sites[n++] = i;
	return n;
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
	uint32_t *sites;	/* number of entries in @value */
	bool *flag;
	int (*parse)(const char *word);	/* into @value */
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
	{ .name = "sndbuf", .value = &opt.sndbuf, .most = 1 << 30 },
	{ .name = "lose", .value = &opt.lose, .most = SITES_MAX - 1 },
	{ .name = "overload", .value = &opt.overload, .most = 1000 },
	{ .name = "pattern", .value = &opt.pattern, .parse = stress_pattern },
	{ .name = "seconds", .value = &opt.seconds, .most = 1000000 },
	{ .name = "unbroken", .flag = &opt.unbroken },
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
	} else if (settings[i].parse) {
		int value = settings[i].parse(text);

		if (value < 0) {
			fprintf(stderr, "stress: --%s: what is \"%s\"?\n", settings[i].name, text);
			exit(EXIT_USAGE);
		}
		*settings[i].value = (unsigned int)value;
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

void stress_parse(int argc, char **argv)
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

void stress_default(void)
{
	unsigned int i;

	if (!lab_sites(opt.lab))
		die("there is no lab %s", opt.lab);
	if (!opt.nfrom)
		opt.nfrom = all_sites(opt.from, opt.lose);
	if (!opt.nto)
		opt.nto = all_sites(opt.to, NO_SITE);
	for (i = 0; i < opt.nfrom; i++)
		if (opt.from[i] == opt.lose)
			die("site %u cannot go: it sends", opt.lose);
	nreceivers = opt.nto * opt.ports;
	if (opt.targets.high > nreceivers)
		opt.targets.high = nreceivers;
	if (opt.targets.low > nreceivers)
		die("%u targets, but %u receivers", opt.targets.low, nreceivers);
	stress_check_pattern();
	if (opt.slow_readers > nreceivers)
		opt.slow_readers = nreceivers;
}
