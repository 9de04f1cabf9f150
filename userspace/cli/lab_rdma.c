// SPDX-License-Identifier: GPL-2.0
/*
 * The RDMA port of a lab whose links are RDMA links.
 *
 * By default it is a soft-RoCE device on a dummy device, both used by this lab only: "lab up"
 * creates them in the current namespace, and "lab down" deletes them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <rdma/rdma_netlink.h>
#include "lab_impl.h"
#include "rtnl.h"

/* Names of both devices, with a hash of the lab's name: a network device has 15 characters. */
#define RXE		"flitcast_%08x"
#define DUMMY		"fcr-%08x"
/* This MTU allows RoCE packets of 4096 bytes. */
#define DUMMY_MTU	4500
/* Addresses are detected in milliseconds. */
#define PATIENCE_NS	5000000000ULL

/* Sockets of the namespace in which the command was started; a lab enters others later. */
static struct nl_sock *rtnl;
static struct nl_sock *nldev;

/**
 * struct own - names of the devices of a lab
 * @rxe: soft-RoCE device
 * @dummy: network device
 */
struct own {
	char rxe[20];
	char dummy[16];
};

static struct own own_names(const struct lab *lab)
{
	uint32_t hash = 0x811c9dc5;
	struct own own;
	const char *p;

	/* 32-bit FNV-1a. */
	for (p = lab->name; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 0x01000193;
	snprintf(own.rxe, sizeof(own.rxe), RXE, hash);
	snprintf(own.dummy, sizeof(own.dummy), DUMMY, hash);
	return own;
}

static void own_port(const struct lab *lab, char port[RDMA_SIZE])
{
	snprintf(port, RDMA_SIZE, "%s/1", own_names(lab).rxe);
}

void lab_rdma_set_own(struct lab *lab)
{
	own_port(lab, lab->rdma);
}

static bool has_own(const struct lab *lab)
{
	char port[RDMA_SIZE];

	own_port(lab, port);
	return !strcmp(lab->rdma, port);
}

static char *open_sockets(void)
{
	if (!rtnl)
		rtnl = request_open(NETLINK_ROUTE);
	if (!rtnl)
		return xprintf("cannot open route netlink: %s", strerror(errno));
	if (!nldev)
		nldev = request_open(NETLINK_RDMA);
	if (!nldev)
		return xprintf("cannot open RDMA netlink: %s", strerror(errno));
	return NULL;
}

static void begin_nldev(struct request *req, unsigned int cmd, uint16_t flags)
{
	request_begin(req, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), flags);
}

/* Enable IPv6 and derive the address, from which the port takes its GID, from the MAC address. */
static void allow_ipv6(const char *dummy)
{
	static const char *const files[] = { "disable_ipv6", "addr_gen_mode" };
	unsigned int i;
	int fd;

	for (i = 0; i < 2; i++) {
		char *path = xprintf("/proc/sys/net/ipv6/conf/%s/%s", dummy, files[i]);

		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write(fd, "0", 1) != 1)
			complain("%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		free(path);
	}
}

static char *make_device(const struct own *own)
{
	struct request req = { 0 };
	struct request_error error;
	int err;

	rtnl_put_dummy(&req, own->dummy, DUMMY_MTU);
	err = request_send(rtnl, &req, NULL, NULL, &error);
	/* Use the device left by an earlier attempt. */
	if (err && err != -EEXIST)
		return xprintf("network device %s: %s", own->dummy, error.text);
	allow_ipv6(own->dummy);
	rtnl_put_up(&req, own->dummy);
	if (request_send(rtnl, &req, NULL, NULL, &error))
		return xprintf("network device %s: %s", own->dummy, error.text);
	begin_nldev(&req, RDMA_NLDEV_CMD_NEWLINK, 0);
	put_string(&req, RDMA_NLDEV_ATTR_DEV_NAME, own->rxe);
	put_string(&req, RDMA_NLDEV_ATTR_LINK_TYPE, "rxe");
	put_string(&req, RDMA_NLDEV_ATTR_NDEV_NAME, own->dummy);
	if (request_send(nldev, &req, NULL, NULL, &error))
		return xprintf("soft-RoCE device %s: %s (it needs the module rdma_rxe)", own->rxe,
			       error.text);
	return NULL;
}

/* Read the first line of a file of the port, without its end; false if it cannot be read. */
static bool read_line(const struct lab *lab, const char *what, unsigned int n, char *line,
		      int size)
{
	int length = strcspn(lab->rdma, "/");
	char *path = xprintf("/sys/class/infiniband/%.*s/ports%s/%s/%u", length, lab->rdma,
			     lab->rdma + length, what, n);
	FILE *file = fopen(path, "re");
	bool read = file && fgets(line, size, file);

	if (read)
		line[strcspn(line, "\n")] = '\0';
	if (file)
		fclose(file);
	free(path);
	return read;
}

/* Find the first GID that is a link-local address of RoCE v2. */
static bool find_gid(struct lab *lab)
{
	char gid[64], type[64];
	unsigned int n;

	for (n = 0; read_line(lab, "gids", n, gid, sizeof(gid)); n++)
		if (gid_parse(gid, lab->gid) && lab->gid[0] == 0xfe &&
		    (lab->gid[1] & 0xc0) == 0x80 &&
		    read_line(lab, "gid_attrs/types", n, type, sizeof(type)) &&
		    !strcmp(type, "RoCE v2"))
			return true;
	return false;
}

char *lab_rdma_find(struct lab *lab)
{
	uint64_t until = now_ns() + PATIENCE_NS;
	struct timespec nap = { .tv_nsec = 10000000 };

	while (!find_gid(lab)) {
		if (now_ns() > until)
			return xprintf("RDMA port %s has no link-local GID of RoCE v2",
				       lab->rdma);
		nanosleep(&nap, NULL);
	}
	return NULL;
}

char *lab_rdma_up(struct lab *lab)
{
	struct own own = own_names(lab);
	char *wrong = NULL;

	if (has_own(lab)) {
		/* lab_rdma_down() may need them later, from another namespace. */
		wrong = open_sockets();
		if (!wrong && !rdma_exists(lab->rdma))
			wrong = make_device(&own);
	}
	return wrong ? wrong : lab_rdma_find(lab);
}

/**
 * struct search - search for an RDMA device
 * @name: name of the device
 * @index: its index, or -1
 */
struct search {
	const char *name;
	int64_t index;
};

static void read_index(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[RDMA_NLDEV_ATTR_DEV_NAME + 1];
	struct nlattr *name, *index;
	struct search *search = arg;

	if (nlmsg_parse(message, 0, a, RDMA_NLDEV_ATTR_DEV_NAME, NULL))
		return;
	name = a[RDMA_NLDEV_ATTR_DEV_NAME];
	index = a[RDMA_NLDEV_ATTR_DEV_INDEX];
	if (index && !strcmp(get_string(name), search->name))
		search->index = get_u32(index);
}

char *lab_rdma_down(const struct lab *lab)
{
	struct own own = own_names(lab);
	struct search search = { .name = own.rxe, .index = -1 };
	struct request req = { 0 };
	struct request_error error;
	char *wrong;
	int err;

	if (!has_own(lab))
		return NULL;
	wrong = open_sockets();
	if (wrong)
		return wrong;
	/* Either device may have been deleted already. */
	begin_nldev(&req, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	if (request_send(nldev, &req, read_index, &search, &error))
		return xprintf("RDMA devices: %s", error.text);
	if (search.index >= 0) {
		begin_nldev(&req, RDMA_NLDEV_CMD_DELLINK, 0);
		put_u32(&req, RDMA_NLDEV_ATTR_DEV_INDEX, search.index);
		if (request_send(nldev, &req, NULL, NULL, &error))
			return xprintf("soft-RoCE device %s: %s", own.rxe, error.text);
	}
	rtnl_put_del(&req, own.dummy, 0);
	err = request_send(rtnl, &req, NULL, NULL, &error);
	if (err && err != -ENODEV)
		return xprintf("network device %s: %s", own.dummy, error.text);
	return NULL;
}
