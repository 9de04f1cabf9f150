// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../sock/lab.h"
#include "frames.h"

static unsigned int nsites;
static int *fds;

void frames_open(const char *lab, unsigned int sites)
{
	unsigned int site;

	fds = calloc(sites, sizeof(*fds));
	if (!fds)
		die("no memory");
	nsites = sites;
	for (site = 0; site < sites; site++) {
		int netns = lab_open(lab, site);

		if (netns < 0 || lab_enter(netns))
			die("lab %s has no site %u", lab, site);
		close(netns);
		fds[site] = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
		if (fds[site] < 0)
			die("rtnetlink of site %u: %s", site, strerror(errno));
	}
}

static void add_device(const struct nlmsghdr *nlh, struct frames *sum)
{
	const struct rtattr *attr = IFLA_RTA(NLMSG_DATA(nlh));
	int left = IFLA_PAYLOAD(nlh);
	struct rtnl_link_stats64 stats = { 0 };
	const char *name = "";

	for (; RTA_OK(attr, left); attr = RTA_NEXT(attr, left)) {
		if (attr->rta_type == IFLA_IFNAME)
			name = RTA_DATA(attr);
		else if (attr->rta_type == IFLA_STATS64)
			memcpy(&stats, RTA_DATA(attr), RTA_PAYLOAD(attr) < sizeof(stats) ?
			       RTA_PAYLOAD(attr) : sizeof(stats));
	}
	/* The name of the device of port 1 is p1.  Other devices are no links. */
	if (name[0] != 'p' || !isdigit((unsigned char)name[1]))
		return;
	sum->count += stats.tx_packets;
	sum->bytes += stats.tx_bytes;
}

static void add_site(int fd, struct frames *sum)
{
	struct {
		struct nlmsghdr nlh;
		struct ifinfomsg info;
	} req = {
		.nlh = {
			.nlmsg_len = sizeof(req), .nlmsg_type = RTM_GETLINK,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
	};
	static char answer[65536];
	bool done = false;

	if (send(fd, &req, sizeof(req), 0) != sizeof(req))
		die("asking for devices: %s", strerror(errno));
	while (!done) {
		ssize_t n = recv(fd, answer, sizeof(answer), 0);
		const struct nlmsghdr *nlh = (const struct nlmsghdr *)answer;

		if (n < 0)
			die("asking for devices: %s", strerror(errno));
		for (; NLMSG_OK(nlh, n); nlh = NLMSG_NEXT(nlh, n)) {
			if (nlh->nlmsg_type == NLMSG_ERROR)
				die("asking for devices: refused");
			done |= nlh->nlmsg_type == NLMSG_DONE;
			if (nlh->nlmsg_type == RTM_NEWLINK)
				add_device(nlh, sum);
		}
	}
}

struct frames frames_now(void)
{
	struct frames sum = { 0 };
	unsigned int site;

	for (site = 0; site < nsites; site++)
		add_site(fds[site], &sum);
	return sum;
}
