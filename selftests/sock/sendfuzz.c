// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzes the socket calls: random calls with random arguments, from several threads at the same
 * sockets.
 *
 * Pointers may be invalid: unmapped, into an unreadable page, across the end of a readable one.
 */
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <linux/sockios.h>
#include "lab.h"
#include "msg.h"
#include "sendfuzz.h"

unsigned int fuzz_sites, fuzz_sockets = FUZZ_SOCKETS_MAX;
int fuzz_netns[FUZZ_SITES_MAX];
atomic_int fuzz_socket[FUZZ_SOCKETS_MAX];

static uint32_t below(struct worker *w, uint32_t bound)
{
	if (w->draws++ == w->fork)
		w->prng.state = w->fork_state;
	return prng_below(&w->prng, bound);
}

uint32_t fuzz_below(struct worker *w, uint32_t bound)
{
	return below(w, bound);
}

static bool chance(struct worker *w, uint32_t n)
{
	return !below(w, n);
}

uint64_t fuzz_awkward(struct worker *w)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 7, 8, 15, 16, 17, 20, 31, 32, 63, 64, 127, 128, 255, 256, 1023, 1024,
		1025, 4095, 4096, 4097, 16384, 20480, 65535, 65536, 1048575, 1048576, 1048577,
		16777215, 16777216, 16777217, 0x7ffffff0, 0x7fffffff, 0x80000000, 0xfffffff0,
		0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
		0xffffffffffffffff,
	};

	if (chance(w, 4))
		return prng_next(&w->prng) >> below(w, 64);
	return values[below(w, sizeof(values) / sizeof(*values))];
}

void *fuzz_pointer(struct worker *w, uint64_t len)
{
	switch (below(w, 24)) {
	case 0:
		return NULL;
	case 1:
		return (void *)16;
	case 2:
		return (void *)(uintptr_t)0xffff888000001000;
	case 3:
		/* The page behind the arena. */
		return w->arena + FUZZ_ARENA;
	case 4:
		/* The last bytes of the arena and the page behind. */
		return w->arena + FUZZ_ARENA - below(w, 64);
	case 5:
		return w->arena + FUZZ_ARENA - (len && len <= FUZZ_ARENA ? len : 1);
	default:
		return w->arena + below(w, FUZZ_ARENA / 2);
	}
}

/* Return: a writable buffer of @len bytes. */
static void *place(struct worker *w, size_t len)
{
	return w->arena + below(w, (FUZZ_ARENA - len) / 8) * 8;
}

static uint64_t length(struct worker *w)
{
	return chance(w, 8) ? fuzz_awkward(w) : prng_log(&w->prng, 0, 100000);
}

static uint16_t a_port(struct worker *w)
{
	return chance(w, 16) ? (uint16_t)fuzz_awkward(w) : FUZZ_PORT + below(w, fuzz_sockets + 4);
}

static uint32_t a_site(struct worker *w)
{
	return chance(w, 16) ? (uint32_t)fuzz_awkward(w) : below(w, fuzz_sites);
}

int fuzz_a_socket(struct worker *w)
{
	return atomic_load(&fuzz_socket[below(w, fuzz_sockets)]);
}

/* Set time-outs, so that no call takes long. */
static void bound_waits(int fd)
{
	struct timeval wait = { .tv_usec = FUZZ_WAIT_MS * 1000 };

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)))
		die("SO_RCVTIMEO: %s", strerror(errno));
}

/* Return: mostly a valid address. */
static struct sockaddr_flitcast *address(struct worker *w, socklen_t *len)
{
	struct sockaddr_flitcast *addr = place(w, 256);
	uint8_t *bytes = (uint8_t *)addr;

	*addr = msg_addr(a_site(w), a_port(w));
	*len = sizeof(*addr);
	if (chance(w, 2))
		*addr = msg_addr_list();
	if (chance(w, 12))
		addr->sfc_addrtype = (uint8_t)below(w, 6);
	if (chance(w, 12))
		bytes[below(w, sizeof(*addr))] ^= 1 << below(w, 8);
	if (chance(w, 12))
		*len = chance(w, 2) ? below(w, 140) : (socklen_t)fuzz_awkward(w);
	if (chance(w, 12))
		return fuzz_pointer(w, sizeof(*addr));
	return addr;
}

static uint32_t fill_targets(struct worker *w, struct flitcast_target *t, uint32_t n, uint32_t len)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		t[i] = (struct flitcast_target) { .site = a_site(w), .port = a_port(w) };
		if (chance(w, 4)) {
			t[i].offset = below(w, len + 1);
			t[i].length = below(w, len - t[i].offset + 1);
		}
		if (chance(w, 64))
			t[i].flags = 1 << below(w, 16);
		if (chance(w, 64))
			t[i].offset = (uint32_t)fuzz_awkward(w);
		if (chance(w, 64))
			t[i].length = (uint32_t)fuzz_awkward(w);
	}
	return n * sizeof(*t);
}

static uint32_t target_count(struct worker *w)
{
	return chance(w, 16) ? below(w, FLITCAST_TARGETS_MAX + 2) : 1 + below(w, 6);
}

/* Put control messages: mostly one target list, sometimes random ones. */
static size_t control(struct worker *w, char *buf, uint32_t len)
{
	unsigned int n = chance(w, 6) ? below(w, 4) : 1;
	size_t used = 0;

	while (n--) {
		struct cmsghdr *cmsg = (void *)(buf + used);
		size_t size = fill_targets(w, (void *)CMSG_DATA(cmsg), target_count(w), len);

		cmsg->cmsg_level = SOL_FLITCAST;
		cmsg->cmsg_type = FLITCAST_TARGETS;
		cmsg->cmsg_len = CMSG_LEN(size);
		if (chance(w, 16))
			cmsg->cmsg_level = (int)fuzz_awkward(w);
		if (chance(w, 16))
			cmsg->cmsg_type = chance(w, 2) ? (int)below(w, 8) : (int)fuzz_awkward(w);
		if (chance(w, 16))
			cmsg->cmsg_len = fuzz_awkward(w);
		used += CMSG_SPACE(size);
		if (chance(w, 32))
			used -= below(w, 16);
	}
	return used;
}

/* Split @len bytes into pieces, or make invalid ones. */
static size_t pieces(struct worker *w, struct iovec *iov, uint64_t len)
{
	size_t n = 1 + below(w, chance(w, 4) ? 20 : 2), i;

	for (i = 0; i < n; i++) {
		uint64_t part = i == n - 1 || !len ? len : prng_next(&w->prng) % len;

		iov[i].iov_len = part;
		iov[i].iov_base = fuzz_pointer(w, part);
		len -= part;
	}
	return chance(w, 64) ? (size_t)fuzz_awkward(w) : n;
}

static int flags(struct worker *w)
{
	int value = MSG_DONTWAIT;

	if (chance(w, 3))
		value = 0;
	if (chance(w, 12))
		value |= 1 << below(w, 32);
	if (chance(w, 64))
		value = (int)fuzz_awkward(w);
	return value;
}

/*
 * Calls.  Each returns the result of the system call.
 */

static long call_sendmsg(struct worker *w)
{
	char *buf = place(w, 128 * 1024);
	struct iovec *iov = place(w, 32 * sizeof(*iov));
	struct msghdr *msg = place(w, sizeof(*msg));
	uint64_t len = length(w);

	memset(msg, 0, sizeof(*msg));
	msg->msg_iov = iov;
	msg->msg_iovlen = pieces(w, iov, len);
	msg->msg_name = address(w, &msg->msg_namelen);
	if (!chance(w, 3)) {
		msg->msg_control = buf;
		msg->msg_controllen = control(w, buf, len > 1 << 20 ? 1 << 20 : (uint32_t)len);
		if (chance(w, 16))
			msg->msg_controllen = fuzz_awkward(w);
		if (chance(w, 32))
			msg->msg_control = fuzz_pointer(w, msg->msg_controllen);
	}
	if (chance(w, 64))
		msg = fuzz_pointer(w, sizeof(*msg));
	return syscall(SYS_sendmsg, fuzz_a_socket(w), msg, flags(w));
}

static long call_sendto(struct worker *w)
{
	uint64_t len = length(w);
	socklen_t addrlen;
	struct sockaddr_flitcast *addr = address(w, &addrlen);

	return syscall(SYS_sendto, fuzz_a_socket(w), fuzz_pointer(w, len), len, flags(w), addr,
		       addrlen);
}

static long call_sendmmsg(struct worker *w)
{
	struct mmsghdr *msgs = place(w, 8 * sizeof(*msgs));
	unsigned int i, n = 1 + below(w, 8);

	memset(msgs, 0, 8 * sizeof(*msgs));
	for (i = 0; i < n; i++) {
		msgs[i].msg_hdr.msg_iov = place(w, 32 * sizeof(struct iovec));
		msgs[i].msg_hdr.msg_iovlen = pieces(w, msgs[i].msg_hdr.msg_iov, length(w));
		msgs[i].msg_hdr.msg_name = address(w, &msgs[i].msg_hdr.msg_namelen);
	}
	return syscall(SYS_sendmmsg, fuzz_a_socket(w), msgs, chance(w, 16) ? fuzz_awkward(w) : n,
		       flags(w));
}

static long call_recvmsg(struct worker *w)
{
	struct iovec *iov = place(w, 32 * sizeof(*iov));
	struct msghdr *msg = place(w, sizeof(*msg));
	int value = flags(w);

	memset(msg, 0, sizeof(*msg));
	msg->msg_iov = iov;
	/* The received data must not overwrite the arguments of other calls. */
	msg->msg_iovlen = pieces(w, iov, length(w));
	msg->msg_name = fuzz_pointer(w, 16);
	msg->msg_namelen = chance(w, 4) ? (socklen_t)fuzz_awkward(w) : 16;
	msg->msg_control = fuzz_pointer(w, 64);
	msg->msg_controllen = chance(w, 4) ? fuzz_awkward(w) : 64;
	if (chance(w, 64))
		msg = fuzz_pointer(w, sizeof(*msg));
	if (chance(w, 8))
		value |= chance(w, 2) ? MSG_ERRQUEUE : MSG_PEEK;
	return syscall(SYS_recvmsg, fuzz_a_socket(w), msg, value);
}

static long call_recvfrom(struct worker *w)
{
	socklen_t *addrlen = place(w, sizeof(*addrlen));
	uint64_t len = length(w);

	*addrlen = chance(w, 4) ? (socklen_t)fuzz_awkward(w) : 16;
	return syscall(SYS_recvfrom, fuzz_a_socket(w), fuzz_pointer(w, len), len, flags(w),
		       fuzz_pointer(w, 16), chance(w, 16) ? fuzz_pointer(w, 4) : addrlen);
}

static long call_bind(struct worker *w)
{
	socklen_t len;
	struct sockaddr_flitcast *addr = address(w, &len);

	return syscall(SYS_bind, fuzz_a_socket(w), addr, len);
}

/* Connect, mostly to an address at which a socket may listen. */
static long call_connect(struct worker *w)
{
	struct sockaddr_flitcast *addr;
	socklen_t len;

	addr = address(w, &len);
	if (!chance(w, 4)) {
		addr = place(w, sizeof(*addr));
		len = sizeof(*addr);
		*addr = msg_name(fuzz_a_socket(w));
	}
	return syscall(SYS_connect, fuzz_a_socket(w), addr, len);
}

static long call_listen(struct worker *w)
{
	return syscall(SYS_listen, fuzz_a_socket(w), (int)fuzz_awkward(w));
}

/* Return: mostly a listening socket. */
static int a_listener(struct worker *w)
{
	unsigned int tries = chance(w, 4) ? 1 : 2 * fuzz_sockets;
	int fd, listens = 0;

	do {
		socklen_t len = sizeof(listens);

		fd = fuzz_a_socket(w);
		getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len);
	} while (!listens && --tries);
	return fd;
}

/* The accepted socket replaces a random one. */
static long call_accept(struct worker *w)
{
	socklen_t *len = place(w, sizeof(*len));
	int how = SOCK_CLOEXEC | (chance(w, 2) ? SOCK_NONBLOCK : 0);
	long fd;

	*len = chance(w, 4) ? (socklen_t)fuzz_awkward(w) : 16;
	if (chance(w, 8))
		how = (int)fuzz_awkward(w);
	fd = syscall(SYS_accept4, a_listener(w), fuzz_pointer(w, 16),
		     chance(w, 16) ? fuzz_pointer(w, 4) : len, how);
	if (fd < 0)
		return fd;
	bound_waits((int)fd);
	return close(atomic_exchange(&fuzz_socket[below(w, fuzz_sockets)], (int)fd));
}

static long call_shutdown(struct worker *w)
{
	return syscall(SYS_shutdown, fuzz_a_socket(w), (int)below(w, 5));
}

static long call_names(struct worker *w)
{
	socklen_t *len = place(w, sizeof(*len));

	*len = (socklen_t)fuzz_awkward(w);
	return syscall(chance(w, 2) ? SYS_getsockname : SYS_getpeername, fuzz_a_socket(w),
		       fuzz_pointer(w, 16), chance(w, 8) ? fuzz_pointer(w, 4) : len);
}

static int an_option(struct worker *w, int *level)
{
	static const int of_sockets[] = {
		SO_RCVBUF, SO_SNDBUF, SO_PRIORITY, SO_LINGER, SO_TIMESTAMP, SO_ERROR, SO_TYPE,
		SO_RCVLOWAT, SO_MARK, SO_REUSEADDR, SO_BROADCAST, SO_KEEPALIVE,
		SO_TIMESTAMPNS, SO_TIMESTAMPING, SO_ACCEPTCONN, SO_DOMAIN, SO_PEEK_OFF,
	};

	*level = chance(w, 32) ? (int)fuzz_awkward(w) : SOL_FLITCAST;
	if (chance(w, 4)) {
		*level = SOL_SOCKET;
		return of_sockets[below(w, sizeof(of_sockets) / sizeof(*of_sockets))];
	}
	/* Avoid random options of SOL_SOCKET: one could clear the bound on waits. */
	if (*level == SOL_SOCKET)
		*level = 0;
	return chance(w, 16) ? (int)fuzz_awkward(w) : (int)below(w, 12);
}

static long call_setsockopt(struct worker *w)
{
	char *value = place(w, 20000);
	socklen_t len = 4;
	int level, option = an_option(w, &level);

	*(uint32_t *)value = (uint32_t)fuzz_awkward(w);
	if (option == FLITCAST_TARGETS && level == SOL_FLITCAST)
		len = fill_targets(w, (void *)value, target_count(w), 1000);
	/* A long time-out would make the test take for ever. */
	if (option == FLITCAST_TIMEOUT && level == SOL_FLITCAST)
		*(uint32_t *)value = below(w, 2000);
	/* close() must not wait longer than a call may. */
	if (option == SO_LINGER && level == SOL_SOCKET) {
		*(struct linger *)value = (struct linger) { .l_onoff = below(w, 2),
							    .l_linger = below(w, 2) };
		len = sizeof(struct linger);
	}
	/* FLITCAST_SLOW_TARGET: a policy, and its time limit. */
	if (option == 7 && level == SOL_FLITCAST && !chance(w, 4)) {
		((uint32_t *)value)[0] = below(w, 4);
		((uint32_t *)value)[1] = below(w, 200);
		len = 2 * sizeof(uint32_t);
	}
	if (chance(w, 8) && (option != SO_LINGER || level != SOL_SOCKET))
		len = (socklen_t)fuzz_awkward(w);
	if (chance(w, 16))
		value = fuzz_pointer(w, len);
	return syscall(SYS_setsockopt, fuzz_a_socket(w), level, option, value, len);
}

static long call_getsockopt(struct worker *w)
{
	socklen_t *len = place(w, sizeof(*len));
	int level, option = an_option(w, &level);

	*len = chance(w, 4) ? (socklen_t)fuzz_awkward(w) : 64;
	return syscall(SYS_getsockopt, fuzz_a_socket(w), level, option, fuzz_pointer(w, 64),
		       chance(w, 16) ? fuzz_pointer(w, 4) : len);
}

static long call_ioctl(struct worker *w)
{
	static const unsigned int requests[] = {
		SIOCINQ, SIOCOUTQ, SIOCATMARK, SIOCGSTAMP, FIOASYNC,
	};

	return syscall(SYS_ioctl, fuzz_a_socket(w),
		       chance(w, 4) ? (unsigned int)fuzz_awkward(w) & 0xffff :
				      requests[below(w, sizeof(requests) / sizeof(*requests))],
		       fuzz_pointer(w, 16));
}

static long call_other(struct worker *w)
{
	long result;

	result = syscall(SYS_socket, msg_family(), (int)fuzz_awkward(w) & 0xf,
			 (int)fuzz_awkward(w));
	if (result >= 0)
		close((int)result);
	return result;
}

static long call_poll(struct worker *w)
{
	struct pollfd fds[4];
	unsigned int i;

	for (i = 0; i < 4; i++)
		fds[i] = (struct pollfd) { .fd = fuzz_a_socket(w),
					   .events = (short)fuzz_awkward(w) };
	return poll(fds, 4, below(w, 3));
}

int fuzz_open(struct worker *w)
{
	int type = chance(w, 3) ? SOCK_SEQPACKET : SOCK_RDM;
	uint32_t site = below(w, fuzz_sites);
	struct sockaddr_flitcast addr = msg_addr(site, FUZZ_PORT + below(w, fuzz_sockets));
	int fd;

	if (lab_enter(fuzz_netns[site]))
		die("setns: %s", strerror(errno));
	fd = socket(msg_family(), type | SOCK_CLOEXEC | (chance(w, 2) ? SOCK_NONBLOCK : 0), 0);
	/* A memory cgroup has less memory than the machine. */
	if (fd < 0 && (errno == ENOMEM || errno == ENOBUFS))
		return -1;
	if (fd < 0)
		die("socket: %s", strerror(errno));
	bound_waits(fd);
	/* Most sockets are bound to a port that messages are sent to. */
	if (!chance(w, 4))
		bind(fd, (struct sockaddr *)&addr, sizeof(addr));
	if (type == SOCK_SEQPACKET && chance(w, 2))
		listen(fd, below(w, 4));
	return fd;
}

/* Replace a socket by a new one, and close it, while other threads may use it. */
static long call_close(struct worker *w)
{
	return close(atomic_exchange(&fuzz_socket[below(w, fuzz_sockets)], fuzz_open(w)));
}

/* Errors that every call may return. */
static const int any[] = { EBADF, ENETDOWN, EINTR, EFAULT, EINVAL, 0 };

#define ERRORS(...)	((const int[]){ __VA_ARGS__, 0 })

#define TO_SEND									\
	ERRORS(EAGAIN, EADDRNOTAVAIL, EADDRINUSE, EDESTADDRREQ, EHOSTUNREACH,	\
	       ECONNREFUSED, ETIMEDOUT, ENOBUFS, ENOMEM, EMSGSIZE, EOPNOTSUPP, EPERM,	\
	       EACCES, ENOTCONN, EISCONN, EPIPE, ECONNRESET, ETIME)
#define TO_RECEIVE								\
	ERRORS(EAGAIN, EHOSTUNREACH, ECONNREFUSED, ETIMEDOUT, EOPNOTSUPP, EMSGSIZE, ENOBUFS,	\
	       ENOMEM, ENOTCONN, ECONNRESET, EPIPE, ETIME)
#define TO_CONNECT								\
	ERRORS(EOPNOTSUPP, EISCONN, EALREADY, EINPROGRESS, EAGAIN, ECONNREFUSED, EHOSTUNREACH,	\
	       ETIMEDOUT, EADDRNOTAVAIL, EADDRINUSE, EACCES, ENOMEM, ENOBUFS, ECONNRESET,	\
	       EAFNOSUPPORT, ECONNABORTED)
#define TO_ACCEPT	ERRORS(EOPNOTSUPP, EAGAIN, ENOMEM, EMFILE, ENFILE)
#define TO_OPTION								\
	ERRORS(ENOPROTOOPT, ENOMEM, EPERM, EDOM, EOPNOTSUPP, ENOTCONN, ERANGE, ENODEV, ENODATA)
/* Network devices return most of these errors; FIOSETOWN looks for a process. */
#define TO_IOCTL								\
	ERRORS(ENOTTY, ENOENT, EPERM, EADDRNOTAVAIL, ENODEV, EOPNOTSUPP, ENOPKG, ESRCH)
#define TO_OTHER								\
	ERRORS(EOPNOTSUPP, ESOCKTNOSUPPORT, EPROTONOSUPPORT, ENOMEM, ENFILE, EMFILE)

const struct fuzz_call fuzz_calls[] = {
	{ "sendmsg", call_sendmsg, TO_SEND, 30 },
	{ "sendto", call_sendto, TO_SEND, 10 },
	{ "sendmmsg", call_sendmmsg, TO_SEND, 3 },
	{ "recvmsg", call_recvmsg, TO_RECEIVE, 20 },
	{ "recvfrom", call_recvfrom, TO_RECEIVE, 20 },
	{ "bind", call_bind, ERRORS(EADDRNOTAVAIL, EADDRINUSE, EACCES, ENOMEM), 6 },
	{ "connect", call_connect, TO_CONNECT, 4 },
	{ "listen", call_listen, ERRORS(EOPNOTSUPP, EADDRINUSE, ENOMEM), 2 },
	{ "accept", call_accept, TO_ACCEPT, 4 },
	{ "shutdown", call_shutdown, ERRORS(EOPNOTSUPP, ENOTCONN), 1 },
	{ "getname", call_names, ERRORS(ENOTCONN), 2 },
	{ "setsockopt", call_setsockopt, TO_OPTION, 6 },
	{ "getsockopt", call_getsockopt, TO_OPTION, 4 },
	{ "ioctl", call_ioctl, TO_IOCTL, 4 },
	{ "other", call_other, TO_OTHER, 2 },
	{ "poll", call_poll, NULL, 2 },
	{ "close", call_close, NULL, 3 },
};

const unsigned int fuzz_ncalls = sizeof(fuzz_calls) / sizeof(*fuzz_calls);

bool fuzz_expected(unsigned int i, int err)
{
	const int *p;

	for (p = any; *p; p++)
		if (*p == err)
			return true;
	for (p = fuzz_calls[i].may; p && *p; p++)
		if (*p == err)
			return true;
	return false;
}

char *fuzz_arena(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *arena = mmap(NULL, FUZZ_ARENA + page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (arena == MAP_FAILED || mprotect(arena + FUZZ_ARENA, page, PROT_NONE))
		die("mmap: %s", strerror(errno));
	return arena;
}
