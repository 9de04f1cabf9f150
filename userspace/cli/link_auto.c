// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast link add DEV port auto: the port at which the topology has the peer that sends HELLOs.
 *
 * The other end of the cable must have its link already: a HELLO names the sender's site and port,
 * and the topology has one port that leads there.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/if_packet.h>
#include "cli.h"
#include "core/link/hello.h"
#include "link_auto.h"
#include "network.h"
#include "core/wire/wire_link.h"

#define ETHERTYPE_PATH	"/sys/module/flitcast/parameters/ethertype"
/* An end that is not up sends eight HELLOs a second. */
#define PATIENCE_MS	5000

/* The ethertype that the module uses. */
static uint16_t ethertype(void)
{
	unsigned int value = FC_ETHERTYPE;
	FILE *file = fopen(ETHERTYPE_PATH, "r");

	if (file) {
		if (fscanf(file, "%u", &value) != 1)
			value = FC_ETHERTYPE;
		fclose(file);
	}
	return value;
}

/* Open a socket that receives the frames of Flitcast from a device. */
static int open_device(const char *dev)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ethertype()),
		.sll_ifindex = if_nametoindex(dev),
	};
	int fd;

	if (!addr.sll_ifindex) {
		complain("link add %s: no such device here", dev);
		return -1;
	}
	fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		complain("link add %s: port auto: %s", dev, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

/* Receive one frame.  Return: 1: a HELLO of the peer, in @msg; 0: none; -errno. */
static int receive(int fd, struct fc_hello_msg *msg)
{
	struct sockaddr_ll from;
	socklen_t size = sizeof(from);
	uint8_t frame[FC_LINK_SIZE + FC_HELLO_SIZE];
	struct fc_link_hdr hdr;
	ssize_t len;

	len = recvfrom(fd, frame, sizeof(frame), MSG_TRUNC, (struct sockaddr *)&from, &size);
	if (len < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (len < (ssize_t)sizeof(frame) || from.sll_pkttype == PACKET_OUTGOING ||
	    !fc_link_decode(&hdr, frame, sizeof(frame), len) || hdr.type != FC_FRAME_HELLO)
		return 0;
	return fc_wire_hello_decode(msg, frame + FC_LINK_SIZE);
}

/* Wait for a HELLO.  Return: false after an error message. */
static bool wait_hello(int fd, const char *dev, struct fc_hello_msg *msg)
{
	uint64_t until = now_ns() + PATIENCE_MS * 1000000ULL, now;
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int got = 0;

	while (!got && (now = now_ns()) < until) {
		if (poll(&poll_fd, 1, (until - now) / 1000000 + 1) < 0 && errno != EINTR)
			got = -errno;
		else
			got = receive(fd, msg);
	}
	if (got > 0)
		return true;
	if (got)
		complain("link add %s: port auto: %s", dev, strerror(-got));
	else
		complain("link add %s: port auto: no HELLO came in %u s: the other end needs its link first, and both devices must be up",
			 dev, PATIENCE_MS / 1000);
	return false;
}

static uint32_t find_port(const struct network_own *own, const struct fc_hello_msg *msg)
{
	const struct fc_topo *topo = &own->topo;
	uint32_t dir;

	for (dir = 0; dir < topo->ndirs; dir++)
		if (fc_topo_neighbour(topo, own->site, dir) == msg->site &&
		    topo->ops->arrival(topo, own->site, dir) + 1U == msg->port)
			return dir + 1;
	return 0;
}

uint32_t link_auto_port(const char *dev, uint32_t site)
{
	struct network_own own;
	struct fc_hello_msg msg;
	uint32_t port;
	bool came;
	int fd;

	if (!network_own(&own, site, xprintf("link add %s", dev)))
		return 0;
	fd = open_device(dev);
	if (fd < 0)
		return 0;
	came = wait_hello(fd, dev, &msg);
	close(fd);
	if (!came)
		return 0;
	if (msg.topology != fc_topo_hash(&own.topo) || msg.nsites != own.topo.nsites) {
		complain("link add %s: port auto: %s", dev, fc_reason_text(FC_REASON_TOPOLOGY));
		return 0;
	}
	port = find_port(&own, &msg);
	if (!port)
		complain("link add %s: port auto: the peer is site %u port %u, where the topology has no link to site %u",
			 dev, msg.site, msg.port, own.site);
	return port;
}
