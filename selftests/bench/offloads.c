// SPDX-License-Identifier: GPL-2.0
/*
 * Sets the veths of a lab as `ip link add` creates them: without NAPI, with segmentation offload.
 *
 *	offloads LAB [off]
 *
 * `flitcast lab up` sets the opposite, which suits Flitcast with hundreds of links, and makes a hop
 * of UDP 50% more expensive.  off: without segmentation offload, as devices that have none.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../sock/lab.h"

static void set(int fd, const char *device, unsigned int command, unsigned int on)
{
	struct ethtool_value value = { .cmd = command, .data = on };
	struct ifreq req = { .ifr_data = (void *)&value };

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%.15s", device);
	if (ioctl(fd, SIOCETHTOOL, &req))
		die("%s: %s", device, strerror(errno));
}

static void set_site(unsigned int segments)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct if_nameindex *all = if_nameindex(), *device;

	if (fd < 0 || !all)
		die("devices: %s", strerror(errno));
	for (device = all; device->if_name; device++) {
		/* The name of the device of port 1 is p1. */
		if (device->if_name[0] != 'p' || !isdigit((unsigned char)device->if_name[1]))
			continue;
		set(fd, device->if_name, ETHTOOL_SGRO, 0);
		set(fd, device->if_name, ETHTOOL_STSO, segments);
		set(fd, device->if_name, ETHTOOL_SGSO, segments);
	}
	if_freenameindex(all);
	close(fd);
}

int main(int argc, char **argv)
{
	bool off = argc == 3 && !strcmp(argv[2], "off");
	unsigned int site, sites = argc == 2 || off ? lab_sites(argv[1]) : 0;

	if (!sites) {
		fprintf(stderr, "usage: offloads LAB [off]\n");
		return EXIT_USAGE;
	}
	for (site = 0; site < sites; site++) {
		int netns = lab_open(argv[1], site);

		if (netns < 0 || lab_enter(netns))
			die("lab %s has no site %u", argv[1], site);
		close(netns);
		set_site(!off);
	}
	return 0;
}
