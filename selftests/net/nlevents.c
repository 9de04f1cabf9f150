// SPDX-License-Identifier: GPL-2.0
/* Prints "ready", and then a line for each event of the netlink family, until it is killed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/flitcast_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#define ATTRS	16

static char buf[65536];
static unsigned int groups[2], ngroups;

static void parse(const void *data, int left, const struct nlattr **attrs)
{
	const char *p = data;

	memset(attrs, 0, ATTRS * sizeof(*attrs));
	while (left >= NLA_HDRLEN) {
		const struct nlattr *attr = (const void *)p;
		unsigned int type = attr->nla_type & NLA_TYPE_MASK;

		if (attr->nla_len < NLA_HDRLEN)
			return;
		if (type < ATTRS)
			attrs[type] = attr;
		p += NLA_ALIGN(attr->nla_len);
		left -= NLA_ALIGN(attr->nla_len);
	}
}

static unsigned int number(const struct nlattr *attr)
{
	unsigned int value = 0;

	if (attr)
		memcpy(&value, attr + 1, sizeof(value));
	return value;
}

/* Read the ids of the family's groups from its description. */
static void read_groups(const struct nlattr *list)
{
	const char *p = (const char *)(list + 1);
	int left = list->nla_len - NLA_HDRLEN;

	while (left >= NLA_HDRLEN && ngroups < 2) {
		const struct nlattr *group = (const void *)p, *attrs[ATTRS];

		parse(group + 1, group->nla_len - NLA_HDRLEN, attrs);
		groups[ngroups++] = number(attrs[CTRL_ATTR_MCAST_GRP_ID]);
		p += NLA_ALIGN(group->nla_len);
		left -= NLA_ALIGN(group->nla_len);
	}
}

static int find_groups(int fd)
{
	struct {
		struct nlmsghdr header;
		struct genlmsghdr genl;
		struct nlattr attr;
		char name[12];
	} request = {
		.header = {
			.nlmsg_len = sizeof(request), .nlmsg_type = GENL_ID_CTRL,
			.nlmsg_flags = NLM_F_REQUEST, .nlmsg_seq = 1,
		},
		.genl = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 },
		.attr = {
			.nla_len = NLA_HDRLEN + sizeof(FLITCAST_FAMILY_NAME),
			.nla_type = CTRL_ATTR_FAMILY_NAME,
		},
		.name = FLITCAST_FAMILY_NAME,
	};
	const struct nlattr *attrs[ATTRS];
	const struct nlmsghdr *header = (void *)buf;

	if (send(fd, &request, sizeof(request), 0) < 0 || recv(fd, buf, sizeof(buf), 0) < 0)
		return -1;
	if (header->nlmsg_type == NLMSG_ERROR)
		return -1;
	parse(buf + NLMSG_HDRLEN + GENL_HDRLEN, header->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN,
	      attrs);
	if (attrs[CTRL_ATTR_MCAST_GROUPS])
		read_groups(attrs[CTRL_ATTR_MCAST_GROUPS]);
	return ngroups == 2 ? 0 : -1;
}

static void print_event(const struct nlmsghdr *header)
{
	const struct genlmsghdr *genl = NLMSG_DATA(header);
	const struct nlattr *a[ATTRS];

	parse((const char *)genl + GENL_HDRLEN, header->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN, a);
	switch (genl->cmd) {
	case FLITCAST_CMD_SITE_ADD_NTF:
		printf("site-add %u\n", number(a[FLITCAST_A_SITE_ID]));
		break;
	case FLITCAST_CMD_SITE_DEL_NTF:
		printf("site-del %u\n", number(a[FLITCAST_A_SITE_ID]));
		break;
	case FLITCAST_CMD_LINK_CHANGE_NTF:
		printf("link-change %u %u state %u\n", number(a[FLITCAST_A_LINK_SITE]),
		       number(a[FLITCAST_A_LINK_PORT]), number(a[FLITCAST_A_LINK_STATE]));
		break;
	case FLITCAST_CMD_LINK_DEL_NTF:
		printf("link-del %u %u\n", number(a[FLITCAST_A_LINK_SITE]),
		       number(a[FLITCAST_A_LINK_PORT]));
		break;
	default:
		printf("unknown %u\n", genl->cmd);
	}
	fflush(stdout);
}

int main(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	unsigned int i;
	int fd;

	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    connect(fd, (struct sockaddr *)&addr, sizeof(addr)) || find_groups(fd)) {
		fprintf(stderr, "nlevents: no family with two groups\n");
		return 1;
	}
	for (i = 0; i < ngroups; i++) {
		if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[i],
			       sizeof(groups[i]))) {
			perror("nlevents: membership");
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	for (;;) {
		int got = recv(fd, buf, sizeof(buf), 0);
		const struct nlmsghdr *header = (void *)buf;

		if (got < 0) {
			perror("nlevents: receive");
			return 1;
		}
		for (; NLMSG_OK(header, got); header = NLMSG_NEXT(header, got))
			print_event(header);
	}
}
