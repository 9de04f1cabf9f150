// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets that send or receive as much as they can, and sites with all that they may have.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "charged.h"
#include "lab.h"
#include "msg.h"

#define MIB		(1U << 20)
#define PORT		3000
#define SOCKETS		16
/* Room of each socket. */
#define ROOM		(8 * MIB)
#define QUIET_MS	700
/* Messages of closed sockets wait so long for a target that does not answer. */
#define TIMEOUT_MS	600000
#define REPORTERS	64
#define REPORT_TARGETS	1024
#define SITES		256

static char data[MIB];

/* Sites 0 and 1 in the caller's namespace, with a link between them if @linked. */
static bool pair(struct charged_result *r, bool linked)
{
	r->sites = 2;
	if (cli("site add 0 topology line:2") || cli("site add 1 topology line:2") ||
	    (linked && (system("ip link add h0 type veth peer name h1 && ip link set h0 up && "
			       "ip link set h1 up") ||
			cli("link add h0 site 0 port 1") || cli("link add h1 site 1 port 2")))) {
		charged_fail(r, "%.400s", cli_output());
		return false;
	}
	return true;
}

static bool set_int(int fd, int option, int value)
{
	return !setsockopt(fd, SOL_FLITCAST, option, &value, sizeof(value));
}

void charged_unread(struct charged_result *r)
{
	unsigned int i, n = 0;
	int from[SOCKETS], to;
	uint64_t last;

	if (!pair(r, true))
		return;
	for (i = 0; i < SOCKETS; i++) {
		to = msg_socket(-1, 1, PORT + i, 0);
		from[i] = msg_socket(-1, 0, 0, 0);
		if (to < 0 || from[i] < 0 || !set_int(to, FLITCAST_RCVBUF, ROOM)) {
			charged_fail(r, "socket: %s", strerror(errno));
			return;
		}
	}
	for (last = now_ms(); now_ms() - last < QUIET_MS; sleep_ms(1)) {
		for (i = 0; i < SOCKETS; i++) {
			if (msg_send(from[i], data, 65536, 1, PORT + i, MSG_DONTWAIT) != 65536)
				continue;
			n++;
			last = now_ms();
		}
	}
	snprintf(r->did, sizeof(r->did), "%u messages of 64 KiB", n);
}

/* Messages of 1 MiB to a site without a link. */
static void sends(struct charged_result *r, int flags, bool closes)
{
	unsigned int i, n = 0;
	int fd;

	if (!pair(r, false))
		return;
	for (i = 0; i < SOCKETS; i++) {
		fd = msg_socket(-1, 0, 0, 0);
		if (fd < 0 || !set_int(fd, FLITCAST_SNDBUF, ROOM) ||
		    !set_int(fd, FLITCAST_TIMEOUT, TIMEOUT_MS)) {
			charged_fail(r, "socket: %s", strerror(errno));
			return;
		}
		while (msg_send(fd, data, flags ? MIB / 2 : MIB, 1, PORT,
				MSG_DONTWAIT | flags) > 0) {
			n++;
			/* One piece a socket: the next one would be of the same message. */
			if (flags)
				break;
		}
		if (closes)
			close(fd);
	}
	snprintf(r->did, sizeof(r->did), "%u messages", n);
}

void charged_unsent(struct charged_result *r)
{
	sends(r, 0, false);
}

void charged_pieces(struct charged_result *r)
{
	sends(r, MSG_MORE, false);
}

void charged_orphans(struct charged_result *r)
{
	sends(r, 0, true);
}

/* Sockets whose messages to all targets fail: each keeps one report of 1,024 targets, unread. */
void charged_reports(struct charged_result *r)
{
	static struct flitcast_target targets[REPORT_TARGETS];
	unsigned int i, n;

	r->sites = 1;
	if (cli("site add 0 topology line:2")) {
		charged_fail(r, "%.400s", cli_output());
		return;
	}
	for (i = 0; i < REPORT_TARGETS; i++)
		targets[i] = (struct flitcast_target){ .site = 0, .port = PORT + i };
	for (i = 0; i < REPORTERS; i++) {
		int fd = msg_socket(-1, 0, 0, 0);

		for (n = 0; n < 2; n++) {
			if (msg_send_list(fd, data, 1, targets, REPORT_TARGETS, 0) != 1 ||
			    !(msg_wait(fd, POLLERR, 5000) & POLLERR)) {
				charged_fail(r, "socket %u: %s", i, strerror(errno));
				return;
			}
			msg_error(fd);
		}
	}
	snprintf(r->did, sizeof(r->did), "%u reports of %u targets", 2 * REPORTERS, REPORT_TARGETS);
}

void charged_sites(struct charged_result *r)
{
	unsigned int i;

	for (i = 0; i < SITES; i++)
		if (cli("site add %u topology torus:16x16", i))
			break;
	r->sites = i;
	if (i < SITES)
		charged_fail(r, "site %u: %.400s", i, cli_output());
	snprintf(r->did, sizeof(r->did), "%u sites", i);
}

/* A site of the largest network, in each mode. */
void charged_large(struct charged_result *r)
{
	static const char *const modes[] = { "care", "vnet", "postman", "csr" };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		if (cli("site add %u topology hypercube:10 mode %s window 64", i, modes[i])) {
			charged_fail(r, "%.400s", cli_output());
			return;
		}
		r->sites++;
	}
	snprintf(r->did, sizeof(r->did), "%u sites of 1,024", r->sites);
}

/* Sites of a graph with 8,000 links, each of which has a graph of its own. */
void charged_graphs(struct charged_result *r)
{
	unsigned int i, k, n = 0;
	char path[32] = "/tmp/charged-XXXXXX";
	FILE *file;
	int fd;

	fd = mkstemp(path);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file) {
		charged_fail(r, "%s: %s", path, strerror(errno));
		return;
	}
	for (k = 1; k <= 7; k++)
		for (i = 0; i < 1024; i++, n++)
			fprintf(file, "%u %u\n", i, (i + k) % 1024);
	fclose(file);
	for (i = 0; i < 2; i++) {
		if (cli("site add %u topology graph:%s", i, path)) {
			charged_fail(r, "%.400s", cli_output());
			break;
		}
		r->sites++;
	}
	unlink(path);
	snprintf(r->did, sizeof(r->did), "%u sites, %u links", r->sites, n);
}

/* Network devices of sites: tables of addresses, groups and datagrams. */
void charged_devices(struct charged_result *r)
{
	for (r->sites = 0; r->sites < 8; r->sites++) {
		if (cli("site add %u topology torus:32x32", r->sites) ||
		    cli("netdev add fc%u site %u", r->sites, r->sites)) {
			charged_fail(r, "%.400s", cli_output());
			return;
		}
	}
	snprintf(r->did, sizeof(r->did), "%u devices", r->sites);
}
