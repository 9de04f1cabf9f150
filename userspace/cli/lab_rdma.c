// SPDX-License-Identifier: GPL-2.0
/*
 * The RDMA port of a lab whose links are RDMA links.
 *
 * Unless another one is named it is a soft-RoCE device on a dummy, which the first lab makes
 * in the namespace where "lab up" runs, and the last one deletes.
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

#define RXE		"flitcast_rxe"
#define DUMMY		"flitcast-rdma"
/* A RoCE packet then has up to 4096 bytes. */
#define DUMMY_MTU	4500
#define SYSCTL		"/proc/sys/net/ipv6/conf/" DUMMY "/"
/* Addresses are detected in milliseconds. */
#define PATIENCE_NS	5000000000ULL

/* Sockets of the namespace where the command runs; a lab enters others later. */
static int rtnl = -1;
static int nldev = -1;

static char *open_sockets(void)
{
	if (rtnl < 0)
		rtnl = nl_open(NETLINK_ROUTE);
	if (rtnl < 0)
		return xprintf("cannot open route netlink: %s", strerror(-rtnl));
	if (nldev < 0)
		nldev = nl_open(NETLINK_RDMA);
	if (nldev < 0)
		return xprintf("cannot open RDMA netlink: %s", strerror(-nldev));
	return NULL;
}

static void begin_nldev(struct nl_request *req, unsigned int cmd, uint16_t flags)
{
	nl_begin(req, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), flags);
}

/* The address from which the port has its GID is made of the MAC address. */
static void allow_ipv6(void)
{
	static const char *const files[] = { SYSCTL "disable_ipv6", SYSCTL "addr_gen_mode" };
	unsigned int i;
	int fd;

	for (i = 0; i < 2; i++) {
		fd = open(files[i], O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write(fd, "0", 1) != 1)
			complain("%s: %s", files[i], strerror(errno));
		if (fd >= 0)
			close(fd);
	}
}

static char *make_device(void)
{
	struct nl_request req = { 0 };
	struct nl_error error;
	int err;

	rtnl_put_dummy(&req, DUMMY, DUMMY_MTU);
	err = nl_talk(rtnl, &req, NULL, NULL, &error);
	/* One that was left half made will do. */
	if (err && err != -EEXIST)
		return xprintf("network device " DUMMY ": %s", error.text);
	allow_ipv6();
	rtnl_put_up(&req, DUMMY);
	if (nl_talk(rtnl, &req, NULL, NULL, &error))
		return xprintf("network device " DUMMY ": %s", error.text);
	begin_nldev(&req, RDMA_NLDEV_CMD_NEWLINK, 0);
	nl_put_string(&req, RDMA_NLDEV_ATTR_DEV_NAME, RXE);
	nl_put_string(&req, RDMA_NLDEV_ATTR_LINK_TYPE, "rxe");
	nl_put_string(&req, RDMA_NLDEV_ATTR_NDEV_NAME, DUMMY);
	nl_end(&req);
	if (nl_talk(nldev, &req, NULL, NULL, &error))
		return xprintf("soft-RoCE device " RXE ": %s (it needs the module rdma_rxe)",
			       error.text);
	nl_free(&req);
	return NULL;
}

/* The first line of a file of the port, without its end; false if it cannot be read. */
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

/* The first GID that is a link-local address of RoCE v2. */
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
	char *wrong = NULL;
	int lock;

	if (!strcmp(lab->rdma, LAB_RDMA)) {
		wrong = open_sockets();
		lock = lab_lock();
		if (!wrong && !rdma_exists(lab->rdma))
			wrong = make_device();
		close(lock);
	}
	return wrong ? wrong : lab_rdma_find(lab);
}

static void read_index(const void *data, size_t length, void *arg)
{
	const struct nlattr *a[RDMA_NLDEV_ATTR_DEV_NAME + 1];
	const struct nlattr *name, *index;
	int64_t *found = arg;

	nl_parse(data, length, a, RDMA_NLDEV_ATTR_DEV_NAME);
	name = a[RDMA_NLDEV_ATTR_DEV_NAME];
	index = a[RDMA_NLDEV_ATTR_DEV_INDEX];
	if (index && !strcmp(nl_string(name), RXE))
		*found = nl_u32(index);
}

/* What is left of both. */
static char *delete_device(void)
{
	struct nl_request req = { 0 };
	char *wrong = open_sockets();
	struct nl_error error;
	int64_t index = -1;
	int err;

	if (wrong)
		return wrong;
	begin_nldev(&req, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	nl_end(&req);
	if (nl_talk(nldev, &req, read_index, &index, &error))
		return xprintf("RDMA devices: %s", error.text);
	if (index >= 0) {
		begin_nldev(&req, RDMA_NLDEV_CMD_DELLINK, 0);
		nl_put_u32(&req, RDMA_NLDEV_ATTR_DEV_INDEX, index);
		nl_end(&req);
		if (nl_talk(nldev, &req, NULL, NULL, &error))
			return xprintf("soft-RoCE device " RXE ": %s", error.text);
	}
	rtnl_put_del(&req, DUMMY);
	err = nl_talk(rtnl, &req, NULL, NULL, &error);
	if (err && err != -ENODEV)
		return xprintf("network device " DUMMY ": %s", error.text);
	nl_free(&req);
	return NULL;
}

char *lab_rdma_down(const struct lab *lab)
{
	char *wrong = NULL;
	int lock;

	if (strcmp(lab->rdma, LAB_RDMA))
		return NULL;
	lock = lab_lock();
	if (!lab_any_has_rdma(LAB_RDMA))
		wrong = delete_device();
	close(lock);
	return wrong;
}
