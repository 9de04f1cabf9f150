// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink requests of a program's calls: they add, change and delete two sites and the link between
 * them.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/flitcast_netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include "kernelfuzz.h"
#include "lab.h"

#define PLAY_TOPOLOGY	"line:5"

static uint16_t family;
static char devices[PLAYED][IFNAMSIZ];

static uint32_t draw(void *arg, uint32_t bound)
{
	return fuzz_below(arg, bound);
}

static void put_u32(struct nlgarbage *g, uint16_t type, uint32_t value)
{
	nlgarbage_put(g, type, &value, sizeof(value));
}

static void put_string(struct nlgarbage *g, uint16_t type, const char *value)
{
	nlgarbage_put(g, type, value, strlen(value) + 1);
}

/* Return: a random number near a bound, or a small one. */
static uint32_t setting(struct nlgarbage *g)
{
	static const uint32_t some[] = { 0, 1, 100, 256, 1000, 1500, 4096, 100000, 1000000 };

	return nlgarbage_pick(g, 2) ? nlgarbage_pick(g, 64) :
				      some[nlgarbage_pick(g, sizeof(some) / sizeof(*some))];
}

static void put_site(struct nlgarbage *g, uint16_t type, unsigned int played)
{
	if (nlgarbage_pick(g, 8))
		put_u32(g, type, nlgarbage_pick(g, 8) ? PLAY_SITE + played : nlgarbage_pick(g, 6));
}

static void put_site_settings(struct nlgarbage *g, uint8_t cmd)
{
	static const char *const topologies[] = {
		PLAY_TOPOLOGY, PLAY_TOPOLOGY, "ring:5", "torus:3x3", "hypercube:3", "hexmesh:2",
	};
	static const char *const modes[] = { "vnet", "care", "csr", "postman" };
	unsigned int i;

	if (cmd == FLITCAST_CMD_SITE_NEW) {
		put_string(g, FLITCAST_A_SITE_TOPOLOGY, topologies[nlgarbage_pick(g, 6)]);
		if (nlgarbage_pick(g, 2))
			put_string(g, FLITCAST_A_SITE_MODE, modes[nlgarbage_pick(g, 4)]);
	} else if (nlgarbage_pick(g, 2)) {
		put_u32(g, FLITCAST_A_SITE_DRAIN, nlgarbage_pick(g, 2));
	}
	for (i = nlgarbage_pick(g, 3); i; i--) {
		static const uint16_t types[] = {
			FLITCAST_A_SITE_FLIT, FLITCAST_A_SITE_WINDOW, FLITCAST_A_SITE_SEEK,
			FLITCAST_A_SITE_SEEK_MAX, FLITCAST_A_SITE_TIMEOUT, FLITCAST_A_SITE_RETRY,
			FLITCAST_A_SITE_POLL, FLITCAST_A_SITE_TRANSIT, FLITCAST_A_SITE_GRACE,
		};

		put_u32(g, types[nlgarbage_pick(g, 9)], setting(g));
	}
}

/* No device has this address. */
static const uint8_t absent_address[6] = { 2, 0, 0, 0, 0, 9 };

static void put_link(struct nlgarbage *g, uint8_t cmd, unsigned int played)
{
	if (nlgarbage_pick(g, 4))
		put_u32(g, FLITCAST_A_LINK_PORT,
			nlgarbage_pick(g, 6) ? 1 + played : nlgarbage_pick(g, 8));
	if (nlgarbage_pick(g, 4))
		put_string(g, FLITCAST_A_LINK_IFNAME,
			   nlgarbage_pick(g, 8) ? devices[played] :
			   nlgarbage_pick(g, 2) ? "lo" : "absent");
	if (!nlgarbage_pick(g, 6))
		nlgarbage_put(g, FLITCAST_A_LINK_ADDRESS, absent_address, sizeof(absent_address));
	if (cmd != FLITCAST_CMD_LINK_NEW && cmd != FLITCAST_CMD_LINK_SET)
		return;
	if (!nlgarbage_pick(g, 3))
		put_u32(g, FLITCAST_A_LINK_WINDOW, setting(g));
	if (!nlgarbage_pick(g, 3))
		put_u32(g, FLITCAST_A_LINK_CRC, nlgarbage_pick(g, 2));
	if (cmd == FLITCAST_CMD_LINK_NEW && !nlgarbage_pick(g, 3))
		put_u32(g, FLITCAST_A_LINK_WAIT, nlgarbage_pick(g, 2));
}

static void put_list(struct nlgarbage *g, bool ports)
{
	static const char *const directions[] = { "+x", "-x", "+y", "-y", "d0" };
	uint8_t list[8];
	unsigned int i, n = nlgarbage_pick(g, 4);

	put_string(g, FLITCAST_A_ROUTE_DIRECTION, directions[nlgarbage_pick(g, 5)]);
	for (i = 0; i < n; i++)
		list[i] = nlgarbage_pick(g, 5);
	if (ports)
		nlgarbage_put(g, FLITCAST_A_ROUTE_PORTS, list, n);
}

/* Targets, and if @whole what is preferred for them. */
static void put_entry(struct nlgarbage *g, bool whole)
{
	uint32_t range[4];
	uint8_t list[4];
	unsigned int i, n = 2 * nlgarbage_pick(g, 3);

	for (i = 0; i < n; i++)
		range[i] = nlgarbage_pick(g, 8) ? 2 * i + nlgarbage_pick(g, 2) : setting(g);
	for (i = 0; i < sizeof(list); i++)
		list[i] = nlgarbage_pick(g, 5);
	nlgarbage_put(g, FLITCAST_A_ROUTE_TARGETS, range, n * sizeof(*range));
	if (!whole)
		return;
	if (nlgarbage_pick(g, 2))
		nlgarbage_put(g, FLITCAST_A_ROUTE_NEVER, list, 1 + nlgarbage_pick(g, 2));
	if (!nlgarbage_pick(g, 4))
		put_u32(g, FLITCAST_A_ROUTE_STRICT, nlgarbage_pick(g, 2));
	if (nlgarbage_pick(g, 3))
		nlgarbage_put(g, nlgarbage_pick(g, 2) ? FLITCAST_A_ROUTE_WEIGHTS :
			      FLITCAST_A_ROUTE_PORTS, list + 1, 1 + nlgarbage_pick(g, 3));
}

static void put_route_part(struct nlgarbage *g, bool whole)
{
	if (nlgarbage_pick(g, 2))
		put_entry(g, whole);
	else
		put_list(g, whole);
}

static void put_route(struct nlgarbage *g, uint8_t cmd)
{
	unsigned int i;

	if (cmd != FLITCAST_CMD_ROUTE_REPLACE) {
		put_route_part(g, cmd == FLITCAST_CMD_ROUTE_SET);
		return;
	}
	if (nlgarbage_pick(g, 2))
		put_u32(g, FLITCAST_A_ROUTE_GENERATION, nlgarbage_pick(g, 4));
	for (i = nlgarbage_pick(g, 3); i; i--) {
		size_t start = g->used;
		struct nlattr *nest = nlgarbage_put(g, FLITCAST_A_ROUTE_ENTRY | NLA_F_NESTED,
						    "", 0);

		put_route_part(g, true);
		if (nest)
			nest->nla_len = g->used - start;
	}
}

static void put_path(struct nlgarbage *g, uint8_t cmd)
{
	uint8_t entries[4 * 4];
	unsigned int i, n = 4 * (1 + nlgarbage_pick(g, 4));

	put_u32(g, FLITCAST_A_PATH_SOURCE, nlgarbage_pick(g, 6));
	put_u32(g, FLITCAST_A_PATH_COPIES, 1 + nlgarbage_pick(g, 4));
	for (i = 0; i < n; i++)
		entries[i] = nlgarbage_pick(g, 4);
	if (cmd == FLITCAST_CMD_PATH_SET)
		nlgarbage_put(g, FLITCAST_A_PATH_ENTRIES, entries, n);
}

/* Put the attributes that a command takes, mostly with valid values. */
static void put_attributes(struct nlgarbage *g, uint8_t cmd, unsigned int played)
{
	switch (cmd) {
	case FLITCAST_CMD_SITE_NEW:
	case FLITCAST_CMD_SITE_SET:
		put_site(g, FLITCAST_A_SITE_ID, played);
		put_site_settings(g, cmd);
		break;
	case FLITCAST_CMD_LINK_GET:
	case FLITCAST_CMD_LINK_NEW:
	case FLITCAST_CMD_LINK_SET:
	case FLITCAST_CMD_LINK_DEL:
		put_site(g, FLITCAST_A_LINK_SITE, played);
		put_link(g, cmd, played);
		break;
	case FLITCAST_CMD_ROUTE_GET:
	case FLITCAST_CMD_ROUTE_SET:
	case FLITCAST_CMD_ROUTE_DEL:
	case FLITCAST_CMD_ROUTE_REPLACE:
		put_site(g, FLITCAST_A_ROUTE_SITE, played);
		put_route(g, cmd);
		break;
	case FLITCAST_CMD_PATH_SET:
	case FLITCAST_CMD_PATH_DEL:
		put_site(g, FLITCAST_A_PATH_SITE, played);
		put_path(g, cmd);
		break;
	case FLITCAST_CMD_SOCKET_GET:
		put_site(g, FLITCAST_A_SOCKET_SITE, played);
		put_u32(g, FLITCAST_A_SOCKET_PORT, FUZZ_PORT + nlgarbage_pick(g, fuzz_sockets));
		break;
	default:
		/* The first attribute of every set is the site. */
		put_site(g, 1, played);
	}
}

/* Read all pending messages, a dump to its end. */
static void drain(int fd)
{
	char unread[8192];

	while (recv(fd, unread, sizeof(unread), MSG_DONTWAIT | MSG_TRUNC) > 0)
		;
}

static long request(struct nlgarbage *g, int fd)
{
	long sent;

	((struct nlmsghdr *)g->data)->nlmsg_len = g->used;
	sent = send(fd, g->data, g->used, MSG_DONTWAIT);
	drain(fd);
	return sent;
}

long kernelfuzz_netlink(struct worker *w)
{
	struct thread *t = (struct thread *)w;
	struct nlgarbage *g = &t->request;
	unsigned int played = fuzz_below(w, PLAYED);
	uint8_t cmd = fuzz_below(w, FLITCAST_CMD_MAX + 2);

	nlgarbage_begin(g, family, fuzz_below(w, 4) ? 0 : NLM_F_DUMP, cmd, 1);
	put_attributes(g, cmd, played);
	if (!fuzz_below(w, 6))
		nlgarbage_put_random(g, 3);
	return request(g, t->netlink[played]);
}

/* Delete all sites that programs can have added: no topology of theirs has more than 9. */
void kernelfuzz_remove_played(struct thread *t)
{
	struct nlgarbage *g = &t->request;
	unsigned int i, id;

	for (i = 0; i < PLAYED; i++) {
		for (id = 0; id < 9; id++) {
			nlgarbage_begin(g, family, 0, FLITCAST_CMD_SITE_DEL, 1);
			put_u32(g, FLITCAST_A_SITE_ID, id);
			request(g, t->netlink[i]);
		}
	}
}

/* Restore the state of the two sites and their link in which each netlink program begins. */
void kernelfuzz_restore_played(struct thread *t, uint64_t seed)
{
	static const char *const modes[] = { "vnet", "care", "csr", "postman" };
	struct nlgarbage *g = &t->request;
	unsigned int i;

	for (i = 0; i < PLAYED; i++) {
		nlgarbage_begin(g, family, 0, FLITCAST_CMD_SITE_DEL, 1);
		put_u32(g, FLITCAST_A_SITE_ID, PLAY_SITE + i);
		request(g, t->netlink[i]);
		nlgarbage_begin(g, family, 0, FLITCAST_CMD_SITE_NEW, 1);
		put_u32(g, FLITCAST_A_SITE_ID, PLAY_SITE + i);
		put_string(g, FLITCAST_A_SITE_TOPOLOGY, PLAY_TOPOLOGY);
		put_string(g, FLITCAST_A_SITE_MODE, modes[seed % 4]);
		request(g, t->netlink[i]);
		nlgarbage_begin(g, family, 0, FLITCAST_CMD_LINK_NEW, 1);
		put_u32(g, FLITCAST_A_LINK_SITE, PLAY_SITE + i);
		put_u32(g, FLITCAST_A_LINK_PORT, 1 + i);
		put_string(g, FLITCAST_A_LINK_IFNAME, devices[i]);
		request(g, t->netlink[i]);
	}
}

void kernelfuzz_find_family(void)
{
	struct nl_sock *sk = nl_socket_alloc();
	unsigned int i;
	int id;

	for (i = 0; i < PLAYED; i++)
		snprintf(devices[i], IFNAMSIZ, "play%u", i);
	id = genl_connect(sk);
	if (!id)
		id = genl_ctrl_resolve(sk, FLITCAST_FAMILY_NAME);
	if (id < 0)
		die("netlink: %s", nl_geterror(id));
	family = id;
	nl_socket_free(sk);
}

void kernelfuzz_open_netlink(struct thread *t)
{
	unsigned int i;

	t->request.pick = draw;
	t->request.arg = &t->w;
	for (i = 0; i < PLAYED; i++) {
		if (lab_enter(fuzz_netns[PLAY_SITE + i]))
			die("setns: %s", strerror(errno));
		t->netlink[i] = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
		if (t->netlink[i] < 0)
			die("netlink: %s", strerror(errno));
	}
}
