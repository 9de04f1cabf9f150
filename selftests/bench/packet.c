// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "../sock/lab.h"
#include "packet.h"

/* The second experimental ethertype: the first one is Flitcast's. */
#define ETHERTYPE	0x88B6
#define LIMIT_S		10

int packet_socket(const char *lab, unsigned int site, const char *device, struct sockaddr_ll *to)
{
	struct sockaddr_ll own = { .sll_family = AF_PACKET, .sll_protocol = htons(ETHERTYPE) };
	struct timeval limit = { .tv_sec = LIMIT_S };
	int netns = lab_open(lab, site), fd;
	struct ifreq request = { };

	if (netns < 0 || lab_enter(netns))
		die("lab %s has no site %u", lab, site);
	close(netns);
	strncpy(request.ifr_name, device, IFNAMSIZ - 1);
	/* The socket has no protocol before bind(), so that it receives no other frames. */
	fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	own.sll_ifindex = if_nametoindex(device);
	if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof(own)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ||
	    ioctl(fd, SIOCGIFHWADDR, &request))
		die("packet socket of %s at site %u: %s", device, site, strerror(errno));
	*to = (struct sockaddr_ll) {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETHERTYPE),
		.sll_ifindex = own.sll_ifindex, .sll_halen = 6,
	};
	memcpy(to->sll_addr, request.ifr_hwaddr.sa_data, 6);
	return fd;
}
