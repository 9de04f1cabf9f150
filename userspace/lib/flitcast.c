// SPDX-License-Identifier: GPL-2.0 OR MIT
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "flitcast.h"

#define FAMILY_FILE	"/sys/module/flitcast/parameters/family"

int flitcast_family(void)
{
	FILE *file = fopen(FAMILY_FILE, "re");
	int family;

	if (!file)
		return FLITCAST_FAMILY_DEFAULT;
	if (fscanf(file, "%d", &family) != 1)
		family = FLITCAST_FAMILY_DEFAULT;
	fclose(file);
	return family;
}

void flitcast_address(struct sockaddr_flitcast *addr, uint32_t site, uint16_t port)
{
	memset(addr, 0, sizeof(*addr));
	addr->sfc_family = flitcast_family();
	addr->sfc_addrtype = FLITCAST_ADDR_SITE;
	addr->sfc_site = site;
	addr->sfc_port = port;
}

/*
 * Read decimal digits at *text, and advance it past them.  Return: -1 if there are none, or the
 * number exceeds @limit.
 */
static int read_number(const char **text, uint32_t limit, uint32_t *number)
{
	const char *p = *text;
	uint64_t value = 0;

	if (*p < '0' || *p > '9') {
		errno = EINVAL;
		return -1;
	}
	for (; *p >= '0' && *p <= '9'; p++) {
		value = value * 10 + (*p - '0');
		if (value > limit) {
			errno = EINVAL;
			return -1;
		}
	}
	*text = p;
	*number = value;
	return 0;
}

static int read_whole(const char *text, uint32_t limit, uint32_t *number)
{
	uint32_t value;

	if (read_number(&text, limit, &value))
		return -1;
	if (*text) {
		errno = EINVAL;
		return -1;
	}
	*number = value;
	return 0;
}

int flitcast_parse_site(const char *text, uint32_t *site)
{
	return read_whole(text, FLITCAST_SITE_ANY - 1, site);
}

int flitcast_parse_port(const char *text, uint16_t *port)
{
	uint32_t number;

	if (read_whole(text, UINT16_MAX, &number))
		return -1;
	if (number == FLITCAST_PORT_ANY) {
		errno = EINVAL;
		return -1;
	}
	*port = number;
	return 0;
}

/* Read "SITE[-LAST][:PORT]" at *text, and advance it.  Return: NULL, or an error message. */
static const char *read_targets(const char **text, struct flitcast_target *first, uint32_t *last)
{
	uint32_t number;

	if (read_number(text, FLITCAST_SITE_ANY - 1, &first->site))
		return "a target begins with the number of a site";
	*last = first->site;
	if (**text == '-') {
		++*text;
		if (read_number(text, FLITCAST_SITE_ANY - 1, last) || *last < first->site)
			return "a range of sites is FIRST-LAST, the smaller number first";
	}
	if (**text != ':')
		return NULL;
	++*text;
	if (read_number(text, UINT16_MAX, &number) || number == FLITCAST_PORT_ANY)
		return "a port is a number from 1 to 65535";
	first->port = number;
	return NULL;
}

static bool listed(const struct flitcast_target *targets, size_t count,
		   const struct flitcast_target *target)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (targets[i].site == target->site && targets[i].port == target->port)
			return true;
	return false;
}

int flitcast_parse_targets(const char *text, uint16_t port, struct flitcast_target **targets,
			   size_t *count, const char **error)
{
	struct flitcast_target *list = calloc(FLITCAST_TARGETS_MAX, sizeof(*list));
	const char *wrong = "out of memory";
	int err = ENOMEM;
	size_t n = 0;

	while (list) {
		struct flitcast_target target = { .port = port };
		uint32_t last;

		err = EINVAL;
		wrong = read_targets(&text, &target, &last);
		if (!wrong && *text && *text != ',')
			wrong = "targets are SITE[-LAST][:PORT], separated by commas";
		for (; !wrong && target.site <= last; target.site++) {
			if (listed(list, n, &target)) {
				wrong = "a target is named twice";
			} else if (n == FLITCAST_TARGETS_MAX) {
				wrong = "too many targets for one message";
				err = E2BIG;
			} else {
				list[n++] = target;
			}
		}
		if (wrong)
			break;
		if (!*text++) {
			*targets = list;
			*count = n;
			return 0;
		}
	}
	free(list);
	if (error)
		*error = wrong;
	errno = err;
	return -1;
}

int flitcast_socket(uint32_t site, uint16_t port)
{
	struct sockaddr_flitcast addr;
	int fd, err;

	flitcast_address(&addr, site, port);
	fd = socket(addr.sfc_family, SOCK_RDM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		err = errno;
		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

ssize_t flitcast_send(int fd, const void *data, size_t length,
		      const struct flitcast_target *targets, size_t count, int flags)
{
	struct iovec iov = { .iov_base = (void *)data, .iov_len = length };
	struct sockaddr_flitcast addr;
	struct msghdr msg = {
		.msg_name = &addr,
		.msg_namelen = sizeof(addr),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	struct cmsghdr *cmsg;
	void *control = NULL;
	ssize_t sent;
	int err;

	if (!count || count > FLITCAST_TARGETS_MAX) {
		errno = EINVAL;
		return -1;
	}
	flitcast_address(&addr, targets[0].site, targets[0].port);
	if (count > 1 || targets[0].offset || targets[0].length) {
		addr.sfc_addrtype = FLITCAST_ADDR_LIST;
		addr.sfc_site = 0;
		addr.sfc_port = 0;
		msg.msg_controllen = CMSG_SPACE(count * sizeof(*targets));
		control = calloc(1, msg.msg_controllen);
		if (!control)
			return -1;
		msg.msg_control = control;
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_FLITCAST;
		cmsg->cmsg_type = FLITCAST_TARGETS;
		cmsg->cmsg_len = CMSG_LEN(count * sizeof(*targets));
		memcpy(CMSG_DATA(cmsg), targets, count * sizeof(*targets));
	}
	sent = sendmsg(fd, &msg, flags);
	err = errno;
	free(control);
	errno = err;
	return sent;
}

ssize_t flitcast_broadcast(int fd, const void *data, size_t length, uint16_t port,
			   uint8_t copies, int flags)
{
	struct sockaddr_flitcast addr;

	flitcast_address(&addr, 0, port);
	addr.sfc_addrtype = FLITCAST_ADDR_BROADCAST;
	addr.sfc_copies = copies;
	return sendto(fd, data, length, flags, (struct sockaddr *)&addr, sizeof(addr));
}

ssize_t flitcast_recv(int fd, void *data, size_t size, struct flitcast_from *from, int flags)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(struct flitcast_info)) + 256];
	} control;
	struct iovec iov = { .iov_base = data, .iov_len = size };
	struct sockaddr_flitcast addr = { 0 };
	struct msghdr msg = {
		.msg_name = &addr,
		.msg_namelen = sizeof(addr),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	ssize_t length;

	length = recvmsg(fd, &msg, flags);
	if (length < 0 || !from)
		return length;
	memset(from, 0, sizeof(*from));
	from->site = addr.sfc_site;
	from->port = addr.sfc_port;
	from->truncated = !!(msg.msg_flags & MSG_TRUNC);
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_FLITCAST || cmsg->cmsg_type != FLITCAST_INFO ||
		    cmsg->cmsg_len < CMSG_LEN(sizeof(from->info)))
			continue;
		memcpy(&from->info, CMSG_DATA(cmsg), sizeof(from->info));
		from->has_info = 1;
	}
	return length;
}

ssize_t flitcast_recv_report(int fd, struct flitcast_report *report,
			     struct flitcast_result *results, size_t max)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(struct flitcast_report)) + 256];
	} control;
	struct iovec iov = { .iov_base = results, .iov_len = max * sizeof(*results) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	ssize_t length;

	length = recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT);
	if (length < 0)
		return length;
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_FLITCAST || cmsg->cmsg_type != FLITCAST_REPORT ||
		    cmsg->cmsg_len < CMSG_LEN(sizeof(*report)))
			continue;
		memcpy(report, CMSG_DATA(cmsg), sizeof(*report));
		return length / sizeof(*results);
	}
	errno = EPROTO;
	return -1;
}

const char *flitcast_refusal(int fd, char *buf, size_t size)
{
	socklen_t length = size - 1;
	int err = errno;

	if (getsockopt(fd, SOL_FLITCAST, FLITCAST_ERRMSG, buf, &length))
		length = 0;
	buf[length] = '\0';
	errno = err;
	return buf;
}
