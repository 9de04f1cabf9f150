// SPDX-License-Identifier: GPL-2.0
/*
 * The sites of a lab: creation, queries, and waiting for routes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <linux/flitcast_netlink.h>
#include "key.h"
#include "lab_impl.h"
#include "netns.h"
#include "network.h"
#include "rtnl.h"

#define DESCRIPTORS	(LAB_SITES_MAX * 3 + 64)
/* Links come up in milliseconds; an emulated machine is a hundred times slower. */
#define PATIENCE_NS	30000000000ULL
#define PATIENCE_SITE_NS 100000000ULL

void lab_allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= DESCRIPTORS)
		return;
	limit.rlim_cur = DESCRIPTORS;
	if (limit.rlim_max < DESCRIPTORS)
		limit.rlim_max = DESCRIPTORS;
	setrlimit(RLIMIT_NOFILE, &limit);
}

struct nl_sock *lab_open(const struct lab *lab, uint32_t site, int protocol)
{
	char *name = lab_netns(lab, site);
	struct nl_sock *sk;

	netns_enter(name);
	sk = request_open(protocol);
	if (!sk)
		fail("lab %s: namespace %s: netlink: %s", lab->name, name, strerror(errno));
	free(name);
	return sk;
}

void lab_put_site(const struct lab *lab, uint32_t site, struct request *req)
{
	request_flitcast(req, FLITCAST_CMD_SITE_NEW, 0);
	put_u32(req, FLITCAST_A_SITE_ID, site);
	network_put(req, &lab->topo);
	put_u32(req, FLITCAST_A_SITE_FLIT, lab->flit);
	if (*lab->mode)
		put_string(req, FLITCAST_A_SITE_MODE, lab->mode);
	if (*lab->integrity)
		put_string(req, FLITCAST_A_SITE_INTEGRITY, lab->integrity);
	if (lab->window)
		put_u32(req, FLITCAST_A_SITE_WINDOW, lab->window);
	if (lab->key && !key_put(req, lab->key, "lab"))
		exit(EXIT_FAILED);
}

void lab_put_links(const struct lab *lab, uint32_t site, struct request *req)
{
	const struct fc_topo *topo = &lab->topo;
	char dev[16];
	uint8_t dir;

	for (dir = 0; dir < topo->ndirs; dir++) {
		if (fc_topo_neighbour(topo, site, dir) == FC_SITE_NONE)
			continue;
		snprintf(dev, sizeof(dev), "p%u", dir + 1);
		request_flitcast(req, FLITCAST_CMD_LINK_NEW, 0);
		put_u32(req, FLITCAST_A_LINK_SITE, site);
		if (*lab->rdma) {
			put_string(req, FLITCAST_A_LINK_RDMA, lab->rdma);
			put_bytes(req, FLITCAST_A_LINK_PEER_GID, lab->gid, sizeof(lab->gid));
		} else {
			put_string(req, FLITCAST_A_LINK_IFNAME, dev);
		}
		put_u32(req, FLITCAST_A_LINK_PORT, dir + 1);
		put_u32(req, FLITCAST_A_LINK_CRC, lab->crc);
	}
}

bool lab_has_veth(const struct lab *lab, uint32_t site, uint8_t dir)
{
	return !*lab->rdma && fc_topo_neighbour(&lab->topo, site, dir) != FC_SITE_NONE;
}

void lab_put_devices(const struct lab *lab, uint32_t site, bool up, struct request *req)
{
	char dev[16];
	uint8_t dir;

	for (dir = 0; dir < lab->topo.ndirs; dir++) {
		if (!lab_has_veth(lab, site, dir))
			continue;
		snprintf(dev, sizeof(dev), "p%u", dir + 1);
		if (up)
			rtnl_put_up(req, dev);
		else
			rtnl_put_down(req, dev);
	}
}

void lab_put_ip(uint32_t site, struct request *req)
{
	/*
	 * No other device of the namespace has this index.  Open MPI keeps 16 bits of an index, and
	 * ignores a device where these are zero.
	 */
	const int index = 0xff00;

	rtnl_put_flitcast(req, LAB_IP_DEVICE, site, index);
	rtnl_put_address(req, index, LAB_IP + site, LAB_IP_PREFIX);
	rtnl_put_up(req, LAB_IP_DEVICE);
}

static void read_site_state(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_SITE_MAX + 1];
	struct site_state *state = arg;

	get_attrs(message, a, FLITCAST_A_SITE_MAX);
	state->links = get_u32(a[FLITCAST_A_SITE_LINKS]);
	state->up = get_u32(a[FLITCAST_A_SITE_LINKS_UP]);
	state->sockets = get_u32(a[FLITCAST_A_SITE_SOCKETS]);
}

int lab_ask(struct nl_sock *genl, struct site_state *state, struct request_error *error)
{
	struct request req = { 0 };
	int err;

	memset(state, 0, sizeof(*state));
	request_flitcast(&req, FLITCAST_CMD_SITE_GET, 0);
	err = request_send(genl, &req, read_site_state, state, error);
	return err;
}

/**
 * struct fault - a link that a site regards as dead, although both its ends are alive
 * @lab: the lab
 * @found: a fault was found
 * @origin: site that reported it
 * @port: its port
 */
struct fault {
	const struct lab *lab;
	bool found;
	uint32_t origin;
	uint32_t port;
};

/* Do both ends of the link at this port live? */
static bool both_live(const struct lab *lab, uint32_t site, uint32_t port)
{
	uint32_t peer = fc_topo_neighbour(&lab->topo, site, port - 1);

	return peer != FC_SITE_NONE && lab->fate[site] == LAB_LIVES &&
	       lab->fate[peer] == LAB_LIVES;
}

static void read_fault(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_FAULT_MAX + 1];
	struct fault *fault = arg;
	uint32_t origin, port, ports;

	get_attrs(message, a, FLITCAST_A_FAULT_MAX);
	origin = get_u32(a[FLITCAST_A_FAULT_ORIGIN]);
	ports = get_u32(a[FLITCAST_A_FAULT_PORTS]);
	if (fault->found || origin >= fault->lab->topo.nsites)
		return;
	for (port = 1; port <= fault->lab->topo.ndirs; port++) {
		if (!(ports & (1u << port)) || !both_live(fault->lab, origin, port))
			continue;
		fault->found = true;
		fault->origin = origin;
		fault->port = port;
		return;
	}
}

struct down_link {
	bool found;
	uint32_t port;
	char reason[128];
};

static void read_down_link(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_LINK_MAX + 1];
	struct down_link *down = arg;

	get_attrs(message, a, FLITCAST_A_LINK_MAX);
	if (get_u32(a[FLITCAST_A_LINK_STATE]) == FLITCAST_LINK_STATE_UP ||
	    get_u32(a[FLITCAST_A_LINK_PORT]) != down->port)
		return;
	down->found = true;
	snprintf(down->reason, sizeof(down->reason), "%s",
		 a[FLITCAST_A_LINK_REASON] ? get_string(a[FLITCAST_A_LINK_REASON]) :
		 link_state_name(get_u32(a[FLITCAST_A_LINK_STATE])));
}

/* Explain why a site still has a fault when the timeout expires.  Return: text, to be freed. */
static char *why_not(const struct lab *lab, struct nl_sock *genl, uint32_t site,
		     const struct fault *fault)
{
	struct request req = { 0 };
	struct down_link down = { .port = fault->port };

	if (fault->origin != site)
		return xprintf("site %u still takes the link at port %u of site %u for dead", site,
			       fault->port, fault->origin);
	request_flitcast(&req, FLITCAST_CMD_LINK_GET, NLM_F_DUMP);
	request_send(genl, &req, read_down_link, &down, NULL);
	return xprintf("site %u port %u does not come up: %s", site, fault->port,
		       down.found ? down.reason : "no longer so");
}

/*
 * Wait until no site knows of a dead link: routes depend on nothing else, and a site's own links
 * are among these.
 */
char *lab_wait(const struct lab *lab, struct nl_sock *const *genl, const char *about,
	       const volatile sig_atomic_t *stop)
{
	uint64_t until = now_ns() + PATIENCE_NS + PATIENCE_SITE_NS * lab->topo.nsites;
	struct timespec nap = { .tv_nsec = 10000000 };
	struct request req = { 0 };
	struct request_error error;
	char *wrong = NULL;
	uint32_t site = 0;

	while (site < lab->topo.nsites && !wrong && !(stop && *stop)) {
		struct fault fault = { .lab = lab };

		if (lab->fate[site] == LAB_LIVES) {
			request_flitcast(&req, FLITCAST_CMD_FAULT_GET, NLM_F_DUMP);
			if (request_send(genl[site], &req, read_fault, &fault, &error)) {
				wrong = xprintf("site %u: %s", site, error.text);
				break;
			}
		}
		if (!fault.found) {
			site++;
			progress(about, site, lab->topo.nsites, "sites");
		} else if (now_ns() > until) {
			wrong = why_not(lab, genl[site], site, &fault);
		} else {
			nanosleep(&nap, NULL);
		}
	}
	progress_end();
	return wrong;
}
