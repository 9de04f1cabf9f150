// SPDX-License-Identifier: GPL-2.0
/*
 * Replace a site of a lab (flitcast lab up) by an adversary, or end that.
 *
 *	adversary [name NAME] SITE LIE [OPTION]...
 *	adversary [name NAME] SITE off
 *
 * LIE is a behaviour of the links of the site: front, trickle, ones, withhold, slow, mute, nack,
 * honest, hello, control, faults or blame (adversary.h).  The program ends when the site gets its
 * links back, is killed, or is deleted with its lab.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "lab.h"
#include "adversary.h"
#include "place.h"
#include "core/mode.h"

/* Time-out for the links, which the peers reset first. */
#define READY_NS	30000000000ULL
#define MS		1000000ULL

static const char *const names[ADV_COUNT] = {
	"front", "trickle", "ones", "withhold", "slow", "mute", "nack", "honest", "hello",
	"control", "faults", "blame",
};

/* Default of the option rate. */
static const u32 rates[ADV_COUNT] = {
	[ADV_HELLO] = 1000, [ADV_CONTROL] = 8000, [ADV_FAULTS] = 10000,
};

bool show_stats;

/* Return: a socket that exists in the namespace as long as its owner. */
static int presence(bool own)
{
	static const char name[] = "flitcast-adversary";
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	socklen_t size = offsetof(struct sockaddr_un, sun_path) + sizeof(name);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	memcpy(addr.sun_path + 1, name, sizeof(name) - 1);
	if (fd < 0 || (own ? bind(fd, (void *)&addr, size) || listen(fd, 8) :
			     connect(fd, (void *)&addr, size))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Return: the first port whose link is not up; 0: none. */
static u8 waits_for(const struct adversary *a)
{
	u8 p;

	for (p = 1; p <= a->topo.ndirs; p++)
		if (a->port[p].fd >= 0 && a->port[p].hello.state != FC_LINK_UP)
			return p;
	return 0;
}

/* Wait for frames or until @next.  Return: true if a lab may have changed. */
static bool wait_until(const struct adversary *a, int labs, u64 next)
{
	struct pollfd fds[FC_PORTS_MAX] = { { .fd = labs, .events = POLLIN } };
	struct timespec left = { 0 };
	char changes[4096];
	u64 now = now_ns();
	u8 p;

	if (next > now) {
		left.tv_sec = (next - now) / 1000000000;
		left.tv_nsec = (next - now) % 1000000000;
	}
	for (p = 1; p <= a->topo.ndirs; p++)
		fds[p] = (struct pollfd){ .fd = a->port[p].fd, .events = POLLIN };
	ppoll(fds, p, &left, NULL);
	return fds[0].revents && read(labs, changes, sizeof(changes)) > 0;
}

/* Act as the site; @ready: descriptor for an empty line when all links are up, or the reason. */
static void act(const struct lab *lab, u32 site, const struct adv_orders *orders, int ready)
{
	struct adversary *a = xalloc(1, sizeof(*a));
	u64 until = now_ns() + READY_NS, next;
	int labs = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	const char *wrong = NULL;
	u8 p;

	a->orders = *orders;
	if (presence(true) < 0 ||
	    inotify_add_watch(labs, LAB_STATE_DIR, IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE) < 0)
		wrong = strerror(errno);
	if (!wrong)
		wrong = adv_open(a, lab, site);
	while (!wrong) {
		next = adv_time(a, now_ns());
		p = waits_for(a);
		if (ready >= 0 && p && now_ns() > until) {
			wrong = fc_reason_text(a->port[p].hello.own.reason);
		} else if (ready >= 0 && !p) {
			dprintf(ready, "\n");
			close(ready);
			ready = -1;
			a->begun = true;
		}
		if (wait_until(a, labs, next) && !place_is_lent(lab->name, site))
			exit(0);
		for (p = 1; p <= a->topo.ndirs; p++)
			if (a->port[p].fd >= 0)
				adv_receive(a, p);
	}
	dprintf(ready, "%s\n", wrong);
	exit(EXIT_FAILED);
}

/**
 * struct place - the site in whose place the adversary is
 * @lab: its lab
 * @site: number of the site
 * @orders: what the adversary is to do
 */
struct place {
	const struct lab *lab;
	u32 site;
	const struct adv_orders *orders;
};

static void place_run(void *arg, int ready)
{
	const struct place *place = arg;

	act(place->lab, place->site, place->orders, ready);
}

/* End the program, and return the links to the kernel's site. */
static void stop(struct lab *lab, u32 site, struct nl_sock *genl)
{
	int there = presence(false);
	char end;

	lab_note(lab, site, LAB_LIVES);
	/* The program's end closes the connection. */
	while (there >= 0 && recv(there, &end, 1, 0) > 0)
		continue;
	place_give_back(lab, site, genl);
}

static int run(const struct option_given *given)
{
	const char *what = option_text(given, "LIE");
	struct adv_orders orders = { 0 };
	struct lab lab = { 0 };
	struct nl_sock *genl;
	u32 site, *sites;
	size_t n;

	sites = lab_sites(&lab, given, &n);
	if (n > 1)
		bad_usage("one site lies at a time");
	site = sites[0];
	free(sites);
	if (!strcmp(what, "off")) {
		if (lab.fate[site] == LAB_LENT)
			stop(&lab, site, lab_open(&lab, site, NETLINK_GENERIC));
		return 0;
	}
	while (orders.lie < ADV_COUNT && strcmp(what, names[orders.lie]))
		orders.lie++;
	if (orders.lie == ADV_COUNT)
		bad_usage("\"%s\" is no lie", what);
	orders.every = option_get(given, "every", 90) * MS;
	orders.again = option_get(given, "again", 1000) * MS;
	orders.as = option_get(given, "as", site);
	orders.data = option_get(given, "data", 1);
	orders.rate = option_get(given, "rate", rates[orders.lie]);
	if (lab.fate[site] != LAB_LIVES)
		fail("lab %s: site %u is dead, or lent", lab.name, site);
	if (*lab.rdma || lab.flit > lab.mtu)
		fail("lab %s: adversaries send single frames over network devices", lab.name);
	if (orders.as >= lab.topo.nsites)
		bad_usage("there is no site %u", orders.as);
	genl = lab_open(&lab, site, NETLINK_GENERIC);
	/* Note the loan first: if this command is killed, a later one can return the links. */
	lab_note(&lab, site, LAB_LENT);
	lab_take_links(&lab, site, genl);
	place_start(&lab, site, place_run, &(struct place){ &lab, site, &orders });
	return 0;
}

static const struct option_entry options[] = {
	OPTION("name", "NAME", "name of the lab (" LAB_DEFAULT ")", TEXT, 0),
	OPTION("SITE", NULL, "the site that is to lie", TEXT, 0,
	       .how = OPTION_PLAIN | OPTION_NEED | OPTION_LATE),
	OPTION("LIE", NULL, "what the site does on its links (adversary.h), or off", TEXT, 0,
	       .how = OPTION_PLAIN | OPTION_NEED | OPTION_LATE),
	OPTION("every", "MS",
	       "trickle, slow: time between two flits; hello: between two changes (90)", NUMBER, 0,
	       OPTION_RANGE(1, UINT32_MAX)),
	OPTION("again", "MS",
	       "front, blame: time to the next front or report, or 0: there is none (1000)", NUMBER,
	       0, OPTION_RANGE(0, UINT32_MAX)),
	OPTION("rate", "N",
	       "hello, control, faults: number on a link in a second (1000, 8000, 10000)",
	       NUMBER, 0, OPTION_RANGE(1, 1000000)),
	OPTION("as", "SITE", "site in whose name it sends", NUMBER, 0, OPTION_RANGE(0, UINT32_MAX)),
	OPTION("data", "BYTES", "ones: data bytes of a flit (1)", NUMBER, 0,
	       OPTION_RANGE(1, 65536)),
};

static const struct option_command command = {
	.name = "adversary",
	.help = "Let a program that stops, trickles or withholds take the place of a site",
	OPTION_TABLE(options),
	.run = run,
};

const struct option_program option_program = {
	.name = "adversary",
	.commands = (const struct option_command *const[]) { &command, NULL },
};

int main(int argc, char **argv)
{
	return option_run(&command, argc, argv);
}
