// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the inner sites of a line forward frames from each link to the other one by XDP.
 *
 *	xdp LAB LAST
 *
 * The programs run in native mode, on devices p1 and p2 of sites 1 to LAST - 1.  Sites 0 and LAST
 * pass received frames to the stack: a veth accepts frames of XDP only if the other end has a
 * program, too.  The programs stay attached when this one has ended.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../sock/lab.h"

/* Load a program that redirects to device @to; 0: it passes frames to the stack. */
static int load(unsigned int to)
{
	const struct bpf_insn redirect[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = (int)to },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_redirect },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_XDP,
		.insns = (uintptr_t)(to ? redirect : pass),
		.insn_cnt = to ? sizeof(redirect) / sizeof(redirect[0]) :
			    sizeof(pass) / sizeof(pass[0]),
		.license = (uintptr_t)"GPL",
	};
	int fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	if (fd < 0)
		die("loading a program: %s", strerror(errno));
	return fd;
}

static void attach(unsigned int device, int program)
{
	struct {
		struct nlmsghdr nlh;
		struct ifinfomsg info;
		struct rtattr xdp;
		struct rtattr fd_attr;
		int fd;
		struct rtattr flags_attr;
		unsigned int flags;
	} req = {
		.nlh = {
			.nlmsg_len = sizeof(req), .nlmsg_type = RTM_SETLINK,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		},
		.info = { .ifi_index = (int)device },
		.xdp = { sizeof(req) - offsetof(typeof(req), xdp), NLA_F_NESTED | IFLA_XDP },
		.fd_attr = { RTA_LENGTH(sizeof(int)), IFLA_XDP_FD },
		.fd = program,
		.flags_attr = { RTA_LENGTH(sizeof(int)), IFLA_XDP_FLAGS },
		.flags = XDP_FLAGS_DRV_MODE,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct {
		struct nlmsghdr nlh;
		struct nlmsgerr error;
		char rest[1024];
	} answer;

	if (fd < 0 || send(fd, &req, sizeof(req), 0) != sizeof(req) ||
	    recv(fd, &answer, sizeof(answer), 0) < (ssize_t)NLMSG_LENGTH(sizeof(answer.error)))
		die("attaching a program: %s", strerror(errno));
	if (answer.error.error)
		die("attaching a program: %s", strerror(-answer.error.error));
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned int site, last = argc == 3 ? atoi(argv[2]) : 0;

	if (!last) {
		fprintf(stderr, "usage: xdp LAB LAST\n");
		return EXIT_USAGE;
	}
	for (site = 0; site <= last; site++) {
		int netns = lab_open(argv[1], site);
		unsigned int right, left;

		if (netns < 0 || lab_enter(netns))
			die("lab %s has no site %u", argv[1], site);
		close(netns);
		right = if_nametoindex("p1");
		left = if_nametoindex("p2");
		if (site && site < last && (!right || !left))
			die("site %u has no two links", site);
		if (right && site < last)
			attach(right, load(site ? left : 0));
		if (left && site)
			attach(left, load(site < last ? right : 0));
	}
	return 0;
}
