// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <linux/mroute.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../sock/lab.h"
#include "inet.h"
#include "peers.h"

#define PORT		7011
#define PORT_GROUP	7012
#define GROUP_IPMR	0xef010101	/* 239.1.1.1 */
#define GROUP_DEVICE	0xef010102
#define ROOM		(4 << 20)
/* More than the links of any path. */
#define TTL		64

static int routers[PEERS_MAX];

static void enter(const char *lab, unsigned int node)
{
	int netns = lab_open(lab, node);

	if (netns < 0 || lab_enter(netns))
		die("lab %s has no site %u", lab, node);
	close(netns);
}

static struct sockaddr_in address(uint32_t host, unsigned int port)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(host),
	};

	return addr;
}

static void option(int fd, int level, int name, const void *value, socklen_t len,
		   const char *what)
{
	if (setsockopt(fd, level, name, value, len))
		die("%s: %s", what, strerror(errno));
}

static unsigned int device(const char *name, unsigned int node)
{
	unsigned int index = if_nametoindex(name);

	if (!index)
		die("node %u has no device %s", node, name);
	return index;
}

/* Open a UDP socket in the namespace of the thread. */
static int udp(const struct sockaddr_in *addr)
{
	struct timeval limit = { .tv_sec = 5 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), room = ROOM;

	if (fd < 0 || bind(fd, (const struct sockaddr *)addr, sizeof(*addr)))
		die("UDP socket: %s", strerror(errno));
	option(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit), "time-out");
	option(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room), "receive room");
	option(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room), "send room");
	return fd;
}

void peers_open_udp(struct peers *peers, const char *lab, unsigned int nodes, uint32_t net)
{
	unsigned int node;

	for (node = 0; node < nodes; node++) {
		struct sockaddr_in own = inet_address(net, node, PORT);

		enter(lab, node);
		peers->nodes[node] = udp(&own);
	}
	peers->senders[0] = peers->nodes[0];
	peers->nsenders = 1;
	peers->to_all = 0;
	peers->net = net;
	peers->stream = false;
}

void peers_open_tcp(struct peers *peers, const char *lab, unsigned int nodes)
{
	unsigned int node;

	for (node = 1; node < nodes; node++)
		peers->senders[node] = inet_tcp(lab, INET_LAB, 0, node, PORT, &peers->nodes[node]);
	peers->nsenders = nodes;
	peers->to_all = 0;
	peers->stream = true;
}

/* Open a receiver of a group at a node; the calling thread is in the node's namespace. */
static int member(uint32_t group, unsigned int node, const char *dev)
{
	struct sockaddr_in own = address(group, PORT_GROUP);
	struct ip_mreqn join = {
		.imr_multiaddr = own.sin_addr, .imr_ifindex = device(dev, node),
	};
	int fd = udp(&own);

	option(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof(join), "joining a group");
	return fd;
}

/* Let node 0 send on this device, too; the thread is in its namespace. */
static void add_sender(struct peers *peers, const char *dev)
{
	struct sockaddr_in own = inet_address(peers->net, 0, PORT_GROUP + 1 + peers->nsenders);
	struct ip_mreqn by = { .imr_ifindex = device(dev, 0) };
	int fd = udp(&own), ttl = TTL, zero = 0;

	option(fd, IPPROTO_IP, IP_MULTICAST_IF, &by, sizeof(by), "device of a group");
	option(fd, IPPROTO_IP, IP_MULTICAST_TTL, &ttl, sizeof(ttl), "TTL");
	option(fd, IPPROTO_IP, IP_MULTICAST_LOOP, &zero, sizeof(zero), "loop");
	peers->senders[peers->nsenders++] = fd;
	peers->nodes[0] = peers->senders[0];
}

/*
 * Set up a multicast route for node 0 at @node, from device @in to each of @outs; the calling
 * thread is in the namespace of @node.
 */
static int router(unsigned int node, const char *in, char *outs)
{
	struct vifctl vif = { .vifc_flags = VIFF_USE_IFINDEX, .vifc_threshold = 1 };
	struct mfcctl route = {
		.mfcc_origin = inet_address(INET_LAB, 0, 0).sin_addr,
		.mfcc_mcastgrp.s_addr = htonl(GROUP_IPMR),
	};
	int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_IGMP), one = 1;
	char *out, *save;

	if (fd < 0)
		die("socket for multicast routes: %s", strerror(errno));
	option(fd, IPPROTO_IP, MRT_INIT, &one, sizeof(one), "multicast routing");
	vif.vifc_lcl_ifindex = device(in, node);
	option(fd, IPPROTO_IP, MRT_ADD_VIF, &vif, sizeof(vif), "device in");
	for (out = strtok_r(outs, ",", &save); out; out = strtok_r(NULL, ",", &save)) {
		vif.vifc_vifi++;
		if (vif.vifc_vifi >= MAXVIFS)
			die("node %u: too many devices", node);
		vif.vifc_lcl_ifindex = device(out, node);
		option(fd, IPPROTO_IP, MRT_ADD_VIF, &vif, sizeof(vif), "device out");
		route.mfcc_ttls[vif.vifc_vifi] = 1;
	}
	option(fd, IPPROTO_IP, MRT_ADD_MFC, &route, sizeof(route), "multicast route");
	return fd;
}

void peers_open_ipmr(struct peers *peers, const char *lab, unsigned int nodes, const char *plan)
{
	char line[256], in[32], outs[128], *out, *save;
	unsigned int node, found = 0;
	FILE *file = fopen(plan, "re");

	if (!file)
		die("%s: %s", plan, strerror(errno));
	peers->nsenders = 0;
	peers->net = INET_LAB;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "tree %u %31s %127s", &node, in, outs) != 3 || node >= nodes)
			continue;
		enter(lab, node);
		found++;
		if (!node) {
			for (out = strtok_r(outs, ",", &save); out;
			     out = strtok_r(NULL, ",", &save))
				add_sender(peers, out);
			continue;
		}
		peers->nodes[node] = member(GROUP_IPMR, node, in);
		if (strcmp(outs, "-"))
			routers[node] = router(node, in, outs);
	}
	fclose(file);
	if (found != nodes)
		die("%s: a tree of %u nodes, not %u", plan, found, nodes);
	peers->to_all = htonl(GROUP_IPMR);
	peers->stream = false;
}

void peers_open_group(struct peers *peers, const char *lab, unsigned int nodes, uint32_t net,
		      const char *dev)
{
	unsigned int node;

	peers->nsenders = 0;
	peers->net = net;
	for (node = 0; node < nodes; node++) {
		enter(lab, node);
		if (node)
			peers->nodes[node] = member(GROUP_DEVICE, node, dev);
		else
			add_sender(peers, dev);
	}
	peers->to_all = htonl(GROUP_DEVICE);
	peers->stream = false;
}

void peers_close(struct peers *peers, unsigned int nodes)
{
	unsigned int i;

	for (i = 1; i < nodes; i++)
		close(peers->nodes[i]);
	for (i = peers->stream; i < peers->nsenders; i++)
		close(peers->senders[i]);
}

void peers_send(const struct peers *peers, const unsigned int *to, unsigned int count,
		const void *data, size_t len)
{
	struct sockaddr_in addr = address(ntohl(peers->to_all), PORT_GROUP);
	unsigned int i;
	ssize_t n;

	for (i = 0; i < (peers->to_all ? peers->nsenders : count); i++) {
		if (!peers->to_all)
			addr = inet_address(peers->net, to[i], PORT);
		if (peers->stream)
			n = send(peers->senders[to[i]], data, len, 0);
		else
			n = sendto(peers->senders[peers->to_all ? i : 0], data, len, 0,
				   (struct sockaddr *)&addr, sizeof(addr));
		if (n != (ssize_t)len)
			die("sending by UDP or TCP: %s", strerror(errno));
	}
}
