// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of a program: socket filters, the options of SOL_SOCKET, and messages to sockets with
 * filters and options.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include "kernelfuzz.h"
#include "msg.h"

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

/* Return: mostly one of two sockets, so that threads use it concurrently. */
static int a_socket(struct worker *w)
{
	return fuzz_below(w, 3) ? atomic_load(&fuzz_socket[fuzz_below(w, 2)]) : fuzz_a_socket(w);
}

/* A filter sees 2,048 bytes of a message; its result is the number of bytes to receive. */
static uint32_t filter_result(struct worker *w)
{
	static const uint32_t some[] = {
		0, 1, 2, 1000, 2047, 2048, 2049, 3000, 4096, 4999, 5000, 5001, 20000, 65535,
		65536, 0x7fffffff, 0x80000000, 0xffffffff,
	};

	return fuzz_below(w, 8) ? some[fuzz_below(w, COUNT(some))] : (uint32_t)fuzz_awkward(w);
}

static uint32_t filter_offset(struct worker *w)
{
	switch (fuzz_below(w, 8)) {
	case 0:
		return (uint32_t)SKF_AD_OFF + fuzz_below(w, SKF_AD_MAX + 4);
	case 1:
		return (uint32_t)SKF_NET_OFF + fuzz_below(w, 64) - 16;
	case 2:
		return (uint32_t)SKF_LL_OFF + fuzz_below(w, 64) - 16;
	case 3:
		return filter_result(w) - fuzz_below(w, 5);
	case 4:
		return (uint32_t)fuzz_awkward(w);
	default:
		return fuzz_below(w, 5000);
	}
}

static struct sock_filter instruction(struct worker *w)
{
	static const uint16_t codes[] = {
		BPF_LD | BPF_W | BPF_ABS, BPF_LD | BPF_H | BPF_ABS, BPF_LD | BPF_B | BPF_ABS,
		BPF_LD | BPF_W | BPF_IND, BPF_LD | BPF_B | BPF_IND, BPF_LDX | BPF_B | BPF_MSH,
		BPF_LD | BPF_IMM, BPF_LDX | BPF_IMM, BPF_LD | BPF_W | BPF_LEN, BPF_MISC | BPF_TAX,
		BPF_ALU | BPF_ADD | BPF_K, BPF_ALU | BPF_SUB | BPF_K, BPF_ALU | BPF_RSH | BPF_K,
	};
	struct sock_filter one = { .code = codes[fuzz_below(w, COUNT(codes))] };

	if (BPF_CLASS(one.code) == BPF_ALU)
		one.k = fuzz_below(w, 32);
	else
		one.k = filter_offset(w);
	if (!fuzz_below(w, 64))
		one.code = (uint16_t)fuzz_awkward(w);
	return one;
}

static long attach_classic(struct worker *w, int fd)
{
	struct sock_filter code[10] = { 0 };
	struct sock_fprog program = { .filter = code };

	/* Half of the filters return the same length for every message. */
	if (fuzz_below(w, 2))
		for (uint32_t n = fuzz_below(w, 9); n; n--)
			code[program.len++] = instruction(w);
	if (program.len && fuzz_below(w, 2))
		code[program.len++].code = BPF_RET | BPF_A;
	else
		code[program.len++] = (struct sock_filter)
			BPF_STMT(BPF_RET | BPF_K, filter_result(w));
	if (!fuzz_below(w, 32))
		program.len = (unsigned short)fuzz_below(w, 11);
	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

/* Return: -1 with errno set; some users may not load programs. */
static long attach_ebpf(struct worker *w, int fd)
{
	struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0,
		  .imm = (int)filter_result(w) },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	long program, result;
	int number;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = COUNT(code);
	attr.license = (uintptr_t)"GPL";
	program = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (program < 0)
		return program;
	number = (int)program;
	result = setsockopt(fd, SOL_SOCKET, SO_ATTACH_BPF, &number, sizeof(number));
	close(number);
	return result;
}

long kernelfuzz_filter(struct worker *w)
{
	int fd = a_socket(w), value = (int)fuzz_below(w, 2);
	char code[256];
	socklen_t len;

	switch (fuzz_below(w, 12)) {
	case 0:
		return setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &value, sizeof(value));
	case 1:
		return setsockopt(fd, SOL_SOCKET, SO_LOCK_FILTER, &value, sizeof(value));
	case 2:
		len = fuzz_below(w, 32);
		return getsockopt(fd, SOL_SOCKET, SO_GET_FILTER, code, &len);
	case 3:
	case 4:
	case 5:
		return attach_ebpf(w, fd);
	default:
		return attach_classic(w, fd);
	}
}

/* Calls that make a socket filter the message at the head of its queue. */
static long inspect_at(struct worker *w, int fd)
{
	int flags = fuzz_below(w, 2) ? MSG_DONTWAIT : 0, bytes;
	uint32_t n = 1 + fuzz_below(w, 4);
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	long result = 0;

	do {
		uint32_t len = fuzz_below(w, 3) ? FUZZ_ARENA / 2 : fuzz_below(w, 6000);

		if (!fuzz_below(w, 3))
			flags ^= MSG_TRUNC;
		switch (fuzz_below(w, 4)) {
		case 0:
			result = poll(&poller, 1, (int)fuzz_below(w, FUZZ_WAIT_MS));
			break;
		case 1:
			result = ioctl(fd, SIOCINQ, &bytes);
			break;
		case 2:
			result = recv(fd, w->arena, len, flags | MSG_PEEK);
			break;
		default:
			result = recv(fd, w->arena, len, flags);
		}
	} while (--n);
	return result;
}

long kernelfuzz_inspect(struct worker *w)
{
	return inspect_at(w, a_socket(w));
}

/*
 * Send a valid message, mostly longer than filters see, from one socket to another; maybe read it.
 */
long kernelfuzz_talk(struct worker *w)
{
	static const uint32_t some[] = {
		1, 2047, 2048, 2049, 3000, 4096, 5000, 5001, 20000, 70000,
	};
	int receiver = a_socket(w);
	struct sockaddr_flitcast to = msg_name(receiver);
	uint32_t n = fuzz_below(w, 4) ? 1 : 1 + fuzz_below(w, 32);
	int flags = fuzz_below(w, 2) ? MSG_DONTWAIT : 0;
	long result;

	do {
		uint32_t len = fuzz_below(w, 4) ? some[fuzz_below(w, COUNT(some))] :
						  fuzz_below(w, 100000);

		result = sendto(fuzz_a_socket(w), w->arena, len, flags, (void *)&to, sizeof(to));
		/* A connected socket accepts no address. */
		if (result < 0 && errno == EISCONN)
			result = send(fuzz_a_socket(w), w->arena, len, flags);
	} while (--n);
	if (fuzz_below(w, 2))
		inspect_at(w, receiver);
	return result;
}

/* Option values.  Each function fills @value, of 64 bytes, and returns the length. */

/* Every call must return: avoid a time-out of 0, which means none; an invalid one has no effect. */
static socklen_t put_timeout(struct worker *w, void *value)
{
	struct timeval wait = { .tv_usec = 1 + fuzz_below(w, FUZZ_WAIT_MS * 1000) };

	if (!fuzz_below(w, 4))
		wait.tv_usec = fuzz_below(w, 2) ? 1000000 : -1;
	else if (!fuzz_below(w, 4))
		wait.tv_sec = -1;
	memcpy(value, &wait, sizeof(wait));
	return fuzz_below(w, 8) ? sizeof(wait) : fuzz_below(w, sizeof(wait));
}

static socklen_t put_linger(struct worker *w, void *value)
{
	struct linger linger = { .l_onoff = (int)fuzz_below(w, 2),
				 .l_linger = (int)fuzz_below(w, 2) };

	memcpy(value, &linger, sizeof(linger));
	return fuzz_below(w, 8) ? sizeof(linger) : fuzz_below(w, sizeof(linger));
}

static socklen_t put_device(struct worker *w, void *value)
{
	static const char *const names[] = { "", "lo", "play0", "play1", "no such one", "eth0" };

	strcpy(value, names[fuzz_below(w, COUNT(names))]);
	return fuzz_below(w, 8) ? strlen(value) + 1 : fuzz_below(w, 40);
}

static socklen_t put_txtime(struct worker *w, void *value)
{
	struct sock_txtime txtime = { .clockid = (int)fuzz_below(w, 13) - 1,
				      .flags = fuzz_below(w, 8) };

	memcpy(value, &txtime, sizeof(txtime));
	return fuzz_below(w, 8) ? sizeof(txtime) : fuzz_below(w, 64);
}

static socklen_t put_busy(struct worker *w, void *value)
{
	int us = (int)fuzz_below(w, 2000) - 1000;

	memcpy(value, &us, sizeof(us));
	return sizeof(us);
}

static socklen_t put_flag(struct worker *w, void *value)
{
	int flag = (int)(fuzz_below(w, 8) ? fuzz_below(w, 2) : fuzz_awkward(w));

	memcpy(value, &flag, sizeof(flag));
	return fuzz_below(w, 8) ? sizeof(flag) : fuzz_below(w, 64);
}

static socklen_t put_number(struct worker *w, void *value)
{
	uint64_t number = fuzz_below(w, 2) ? fuzz_below(w, 200000) : fuzz_awkward(w);

	memcpy(value, &number, sizeof(number));
	return fuzz_below(w, 8) ? (fuzz_below(w, 4) ? 4 : 8) : fuzz_below(w, 64);
}

static const struct {
	int option;
	socklen_t (*put)(struct worker *w, void *value);
} options[] = {
	{ SO_DEBUG, put_flag }, { SO_REUSEADDR, put_flag }, { SO_REUSEPORT, put_flag },
	{ SO_DONTROUTE, put_flag }, { SO_BROADCAST, put_flag }, { SO_KEEPALIVE, put_flag },
	{ SO_OOBINLINE, put_flag }, { SO_NO_CHECK, put_flag }, { SO_PASSCRED, put_flag },
	{ SO_PASSSEC, put_flag }, { SO_RXQ_OVFL, put_flag }, { SO_WIFI_STATUS, put_flag },
	{ SO_NOFCS, put_flag }, { SO_SELECT_ERR_QUEUE, put_flag }, { SO_ZEROCOPY, put_flag },
	{ SO_PREFER_BUSY_POLL, put_flag }, { SO_TIMESTAMP_OLD, put_flag },
	{ SO_TIMESTAMPNS_OLD, put_flag }, { SO_TIMESTAMP_NEW, put_flag },
	{ SO_TIMESTAMPNS_NEW, put_flag }, { SO_TIMESTAMPING_OLD, put_number },
	{ SO_TIMESTAMPING_NEW, put_number }, { SO_SNDBUF, put_number }, { SO_RCVBUF, put_number },
	{ SO_SNDBUFFORCE, put_number }, { SO_RCVBUFFORCE, put_number },
	{ SO_RCVLOWAT, put_number }, { SO_SNDLOWAT, put_number }, { SO_PRIORITY, put_number },
	{ SO_MARK, put_number }, { SO_PEEK_OFF, put_number }, { SO_MAX_PACING_RATE, put_number },
	{ SO_INCOMING_CPU, put_number }, { SO_BUSY_POLL_BUDGET, put_number },
	{ SO_BUF_LOCK, put_number }, { SO_CNX_ADVICE, put_number },
	{ SO_ATTACH_REUSEPORT_CBPF, put_number }, { SO_BUSY_POLL, put_busy },
	{ SO_RCVTIMEO_OLD, put_timeout }, { SO_SNDTIMEO_OLD, put_timeout },
	{ SO_RCVTIMEO_NEW, put_timeout }, { SO_SNDTIMEO_NEW, put_timeout },
	{ SO_LINGER, put_linger }, { SO_BINDTODEVICE, put_device },
	{ SO_BINDTOIFINDEX, put_number }, { SO_TXTIME, put_txtime },
	/* Read-only options. */
	{ SO_TYPE, put_number }, { SO_ERROR, put_number }, { SO_PEERCRED, put_number },
	{ SO_PEERNAME, put_number }, { SO_PEERSEC, put_number }, { SO_PEERGROUPS, put_number },
	{ SO_ACCEPTCONN, put_number }, { SO_PROTOCOL, put_number }, { SO_DOMAIN, put_number },
	{ SO_MEMINFO, put_number }, { SO_COOKIE, put_number },
	{ SO_INCOMING_NAPI_ID, put_number }, { SO_BPF_EXTENSIONS, put_number },
	{ SO_NETNS_COOKIE, put_number },
};

long kernelfuzz_sockopt(struct worker *w)
{
	int fd = a_socket(w);
	uint32_t at = fuzz_below(w, COUNT(options));
	char value[64] = { 0 };
	void *where = value;
	socklen_t len = options[at].put(w, value);

	if (!fuzz_below(w, 16))
		where = fuzz_pointer(w, sizeof(value));
	if (fuzz_below(w, 3)) {
		/* Random bytes of the arena could set an infinite time-out. */
		if (where != value &&
		    (options[at].put == put_timeout || options[at].put == put_linger))
			where = NULL;
		return setsockopt(fd, SOL_SOCKET, options[at].option, where, len);
	}
	return getsockopt(fd, SOL_SOCKET, options[at].option, where, &len);
}

/* Raise and lower the reserve, while other threads' messages are charged to the same account. */
long kernelfuzz_reserve(struct worker *w)
{
	uint32_t n = 1U << fuzz_below(w, 9);
	int fd = a_socket(w);
	long result;

	do {
		int value = (int)(fuzz_below(w, 4) ? fuzz_below(w, 1 << (1 + fuzz_below(w, 22))) :
						     fuzz_below(w, 2) ? 0 : fuzz_awkward(w));

		result = setsockopt(fd, SOL_SOCKET, SO_RESERVE_MEM, &value, sizeof(value));
	} while (--n);
	return result;
}
