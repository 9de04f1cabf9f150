// SPDX-License-Identifier: GPL-2.0
/*
 * Set times of all sites and links of a lab at once: the flitcast tool needs a process for each,
 * which takes minutes on a kernel that looks for faults.
 *
 *   tune LAB POLL_MS [HELLO_MS DEAD]
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/flitcast_netlink.h>
#include "cli/request.h"
#include "lab.h"

#define PORTS_MAX	64

static uint32_t ports[PORTS_MAX];
static unsigned int count;

static void keep_port(struct nlmsghdr *message, void *arg)
{
	struct nlattr *attrs[FLITCAST_A_LINK_MAX + 1] = { NULL };

	(void)arg;
	get_attrs(message, attrs, FLITCAST_A_LINK_MAX);
	if (count < PORTS_MAX)
		ports[count++] = get_u32(attrs[FLITCAST_A_LINK_PORT]);
}

static void send_all(struct nl_sock *netlink, struct request *req, request_answer answer)
{
	struct request_error error;
	int err = request_send(netlink, req, answer, NULL, &error);

	if (err)
		die("%s: %s", error.text, strerror(-err));
}

/* In the namespace of the site. */
static void tune(unsigned int site, uint32_t poll_ms, uint32_t hello_ms, uint32_t dead)
{
	struct nl_sock *netlink = request_open(NETLINK_GENERIC);
	struct request req = { 0 };
	unsigned int i;

	if (!netlink)
		die("netlink: %s", strerror(errno));
	request_flitcast(&req, FLITCAST_CMD_SITE_SET, 0);
	put_u32(&req, FLITCAST_A_SITE_ID, site);
	put_u32(&req, FLITCAST_A_SITE_POLL, poll_ms * 1000);
	send_all(netlink, &req, NULL);
	if (hello_ms) {
		count = 0;
		request_flitcast(&req, FLITCAST_CMD_LINK_GET, NLM_F_DUMP);
		send_all(netlink, &req, keep_port);
		for (i = 0; i < count; i++) {
			request_flitcast(&req, FLITCAST_CMD_LINK_SET, 0);
			put_u32(&req, FLITCAST_A_LINK_SITE, site);
			put_u32(&req, FLITCAST_A_LINK_PORT, ports[i]);
			put_u32(&req, FLITCAST_A_LINK_HELLO, hello_ms);
			put_u32(&req, FLITCAST_A_LINK_DEAD, dead);
		}
		send_all(netlink, &req, NULL);
	}
	nl_socket_free(netlink);
}

int main(int argc, char **argv)
{
	unsigned int site, sites;

	if (argc != 3 && argc != 5)
		return EXIT_USAGE;
	sites = lab_sites(argv[1]);
	for (site = 0; site < sites; site++) {
		int netns = lab_open(argv[1], site);

		if (netns < 0 || lab_enter(netns))
			die("site %u: %s", site, strerror(errno));
		tune(site, atoi(argv[2]), argc > 3 ? atoi(argv[3]) : 0,
		     argc > 3 ? atoi(argv[4]) : 0);
	}
	return sites ? 0 : 1;
}
