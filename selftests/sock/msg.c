// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lab.h"
#include "msg.h"

#define PARAMETER	"/sys/module/flitcast/parameters/family"

int msg_family(void)
{
	static int family;
	const char *given;
	FILE *file;

	/* Each message needs the family: look it up once. */
	if (family)
		return family;
	family = FLITCAST_FAMILY_DEFAULT;
	given = getenv("FLITCAST_FAMILY");
	if (given) {
		family = atoi(given);
		return family;
	}
	file = fopen(PARAMETER, "re");
	if (file) {
		if (fscanf(file, "%d", &family) != 1)
			die("cannot read %s", PARAMETER);
		fclose(file);
	}
	return family;
}

struct sockaddr_flitcast msg_addr(uint32_t site, uint16_t port)
{
	return (struct sockaddr_flitcast) {
		.sfc_family = msg_family(),
		.sfc_addrtype = FLITCAST_ADDR_SITE,
		.sfc_site = site,
		.sfc_port = port,
	};
}

struct sockaddr_flitcast msg_addr_list(void)
{
	return (struct sockaddr_flitcast) {
		.sfc_family = msg_family(),
		.sfc_addrtype = FLITCAST_ADDR_LIST,
	};
}

int msg_socket(int netns, uint32_t site, uint16_t port, int flags)
{
	return msg_socket_type(netns, SOCK_RDM, site, port, flags);
}

int msg_socket_type(int netns, int type, uint32_t site, uint16_t port, int flags)
{
	struct sockaddr_flitcast addr = msg_addr(site, port);
	int fd;

	if (netns >= 0 && lab_enter(netns))
		return -1;
	fd = socket(msg_family(), type | SOCK_CLOEXEC | flags, 0);
	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		int err = errno;

		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

struct sockaddr_flitcast msg_name(int fd)
{
	struct sockaddr_flitcast addr = { 0 };
	socklen_t len = sizeof(addr);

	if (getsockname(fd, (struct sockaddr *)&addr, &len) || len != sizeof(addr))
		memset(&addr, 0, sizeof(addr));
	return addr;
}

ssize_t msg_send(int fd, const void *data, size_t len, uint32_t site, uint16_t port, int flags)
{
	struct sockaddr_flitcast addr = msg_addr(site, port);

	return sendto(fd, data, len, flags, (struct sockaddr *)&addr, sizeof(addr));
}

ssize_t msg_send_list(int fd, const void *data, size_t len,
		      const struct flitcast_target *targets, size_t count, int flags)
{
	/* One more target than allowed: the kernel must refuse lists that are too long. */
	static __thread union {
		char buf[CMSG_SPACE((FLITCAST_TARGETS_MAX + 1) * sizeof(*targets))];
		struct cmsghdr align;
	} control;
	struct sockaddr_flitcast addr = msg_addr_list();
	struct iovec iov = { .iov_base = (void *)data, .iov_len = len };
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = sizeof(addr),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = CMSG_SPACE(count * sizeof(*targets)),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	if (msg.msg_controllen > sizeof(control.buf)) {
		errno = E2BIG;
		return -1;
	}
	cmsg->cmsg_level = SOL_FLITCAST;
	cmsg->cmsg_type = FLITCAST_TARGETS;
	cmsg->cmsg_len = CMSG_LEN(count * sizeof(*targets));
	memcpy(CMSG_DATA(cmsg), targets, count * sizeof(*targets));
	return sendmsg(fd, &msg, flags);
}

ssize_t msg_recv(int fd, void *data, size_t size, struct sockaddr_flitcast *from, int flags)
{
	struct sockaddr_flitcast none;
	socklen_t len = sizeof(none);

	return recvfrom(fd, data, size, flags, (struct sockaddr *)(from ? from : &none), &len);
}

ssize_t msg_recv_info(int fd, void *data, size_t size, struct sockaddr_flitcast *from,
		      struct flitcast_info *info)
{
	union {
		char buf[CMSG_SPACE(sizeof(*info))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = data, .iov_len = size };
	struct msghdr msg = {
		.msg_name = from, .msg_namelen = sizeof(*from), .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.buf, .msg_controllen = sizeof(control.buf),
	};
	ssize_t n = recvmsg(fd, &msg, 0);
	struct cmsghdr *cmsg;

	if (n < 0)
		return -1;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg || cmsg->cmsg_level != SOL_FLITCAST || cmsg->cmsg_type != FLITCAST_INFO ||
	    cmsg->cmsg_len != CMSG_LEN(sizeof(*info))) {
		errno = EBADMSG;
		return -1;
	}
	memcpy(info, CMSG_DATA(cmsg), sizeof(*info));
	return n;
}

int msg_wait(int fd, int events, int ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };
	uint64_t until = now_ms() + ms;
	int left = ms;

	for (;;) {
		int got = poll(&poll_fd, 1, left);

		if (got >= 0 || errno != EINTR)
			return got > 0 ? poll_fd.revents : 0;
		left = until > now_ms() ? (int)(until - now_ms()) : 0;
	}
}

int msg_error(int fd)
{
	socklen_t len = sizeof(int);
	int err = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
		return errno;
	return err;
}

int msg_report(int fd, struct flitcast_report *report, struct flitcast_result *results,
	       size_t room, int *flags)
{
	union {
		char buf[CMSG_SPACE(sizeof(*report))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = results, .iov_len = room * sizeof(*results) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	ssize_t n = recvmsg(fd, &msg, MSG_ERRQUEUE);
	struct cmsghdr *cmsg;

	memset(report, 0xff, sizeof(*report));
	if (n < 0)
		return -1;
	if (flags)
		*flags = msg.msg_flags;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg || cmsg->cmsg_level != SOL_FLITCAST || cmsg->cmsg_type != FLITCAST_REPORT ||
	    cmsg->cmsg_len != CMSG_LEN(sizeof(*report)) || n % sizeof(*results)) {
		errno = EBADMSG;
		return -1;
	}
	memcpy(report, CMSG_DATA(cmsg), sizeof(*report));
	return (int)(n / sizeof(*results));
}

struct flitcast_sock_stats msg_stats(int fd)
{
	struct flitcast_sock_stats stats = { 0 };
	socklen_t len = sizeof(stats);

	if (getsockopt(fd, SOL_FLITCAST, FLITCAST_STATS, &stats, &len))
		memset(&stats, 0, sizeof(stats));
	return stats;
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

uint64_t msg_key(uint64_t seed, uint32_t sender, uint32_t number)
{
	return mix(seed ^ mix((uint64_t)sender << 32 | number));
}

/* Word @i of the stream.  It is computed for each byte sent and checked, so it must be cheap. */
static uint64_t word(uint64_t key, uint64_t i)
{
	uint64_t x = key + i * 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ULL;
	return x ^ x >> 32;
}

void msg_fill(void *data, size_t len, uint64_t key, size_t offset)
{
	size_t i = offset / 8, skip = offset % 8;
	uint8_t *p = data;

	while (len) {
		size_t n = len < 8 - skip ? len : 8 - skip;
		uint64_t w = word(key, i++);

		memcpy(p, (uint8_t *)&w + skip, n);
		p += n;
		len -= n;
		skip = 0;
	}
}

size_t msg_check(const void *data, size_t len, uint64_t key, size_t offset)
{
	uint8_t want[4096];
	const uint8_t *p = data;
	size_t done, i;

	for (done = 0; done < len; done += sizeof(want)) {
		size_t n = len - done < sizeof(want) ? len - done : sizeof(want);

		msg_fill(want, n, key, offset + done);
		if (!memcmp(p + done, want, n))
			continue;
		for (i = 0; p[done + i] == want[i]; i++)
			continue;
		return done + i;
	}
	return len;
}

uint64_t prng_next(struct prng *prng)
{
	prng->state += 0x9e3779b97f4a7c15ULL;
	return mix(prng->state);
}

uint32_t prng_below(struct prng *prng, uint32_t bound)
{
	return (prng_next(prng) >> 32) * bound >> 32;
}

uint32_t prng_log(struct prng *prng, uint32_t low, uint32_t high)
{
	double unit = (double)(prng_next(prng) >> 11) / (double)(1ULL << 53);
	double span = log((double)high - low + 1);
	uint32_t value = low + (uint32_t)(exp(unit * span) - 1);

	return value > high ? high : value;
}
