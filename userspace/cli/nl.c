// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/flitcast_netlink.h>
#include <linux/genetlink.h>
#include "nl.h"
#include "util.h"

/* More than a dump puts into one datagram. */
#define ANSWER_MAX	65536
/* Acknowledgements of a large request all wait in the socket. */
#define RECEIVE_ROOM	(4 << 20)

/* Multicast groups of the family: there are two. */
#define GROUPS_MAX	8

static uint16_t flitcast_id;
static uint32_t groups[GROUPS_MAX];
static unsigned int ngroups;

/* Erase what was built: it may have a key. */
static void wipe(struct nl_request *req)
{
	if (req->length)
		explicit_bzero(req->data, req->length);
	req->length = 0;
}

/* realloc() would leave a copy of a key. */
static void grow(struct nl_request *req, size_t size)
{
	size_t length = req->length;
	char *data = xalloc(1, size);

	if (length)
		memcpy(data, req->data, length);
	wipe(req);
	free(req->data);
	req->data = data;
	req->length = length;
	req->size = size;
}

static void *reserve(struct nl_request *req, size_t length)
{
	size_t need = req->length + NLMSG_ALIGN(length);
	void *place;

	if (need > req->size)
		grow(req, need * 2);
	place = req->data + req->length;
	memset(place, 0, NLMSG_ALIGN(length));
	req->length = need;
	return place;
}

void nl_begin(struct nl_request *req, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *header;

	req->open = req->length;
	header = reserve(req, sizeof(*header));
	header->nlmsg_type = type;
	header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	/* From 1: answers to nobody have 0. */
	header->nlmsg_seq = ++req->count;
}

void nl_put_raw(struct nl_request *req, const void *data, size_t length)
{
	memcpy(reserve(req, length), data, length);
}

void nl_put(struct nl_request *req, uint16_t type, const void *data, size_t length)
{
	struct nlattr *attr = reserve(req, NLA_HDRLEN + length);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + length;
	if (length)
		memcpy((char *)attr + NLA_HDRLEN, data, length);
}

void nl_put_u32(struct nl_request *req, uint16_t type, uint32_t value)
{
	nl_put(req, type, &value, sizeof(value));
}

void nl_put_string(struct nl_request *req, uint16_t type, const char *value)
{
	nl_put(req, type, value, strlen(value) + 1);
}

size_t nl_nest(struct nl_request *req, uint16_t type)
{
	size_t nest = req->length;

	nl_put(req, type | NLA_F_NESTED, NULL, 0);
	return nest;
}

void nl_nest_end(struct nl_request *req, size_t nest)
{
	struct nlattr *attr = (void *)(req->data + nest);

	attr->nla_len = req->length - nest;
}

void nl_end(struct nl_request *req)
{
	struct nlmsghdr *header = (void *)(req->data + req->open);

	header->nlmsg_len = req->length - req->open;
}

void nl_free(struct nl_request *req)
{
	wipe(req);
	free(req->data);
	memset(req, 0, sizeof(*req));
}

int nl_open(int protocol)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	int fd, err, one = 1, room = RECEIVE_ROOM;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	if (fd < 0)
		return -errno;
	/* Comfort alone: texts of refusals, short refusals, room for many of them. */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		err = errno;
		close(fd);
		return -err;
	}
	return fd;
}

static bool attr_fits(const struct nlattr *attr, size_t left)
{
	return left >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN && attr->nla_len <= left;
}

void nl_parse(const void *data, size_t length, const struct nlattr **attrs, unsigned int max)
{
	const char *p = data;

	memset(attrs, 0, (max + 1) * sizeof(*attrs));
	while (length) {
		const struct nlattr *attr = (const void *)p;
		size_t step;

		if (!attr_fits(attr, length))
			return;
		if ((attr->nla_type & NLA_TYPE_MASK) <= max)
			attrs[attr->nla_type & NLA_TYPE_MASK] = attr;
		step = NLA_ALIGN(attr->nla_len);
		if (step > length)
			return;
		p += step;
		length -= step;
	}
}

void nl_parse_genl(const void *data, size_t length, const struct nlattr **attrs,
		   unsigned int max)
{
	if (length < GENL_HDRLEN)
		length = GENL_HDRLEN;
	nl_parse((const char *)data + GENL_HDRLEN, length - GENL_HDRLEN, attrs, max);
}

const struct nlattr *nl_next(const struct nlattr *nest, const struct nlattr *attr,
			     uint16_t type)
{
	const char *end = (const char *)nest + nest->nla_len;
	const char *p = attr ? (const char *)attr + NLA_ALIGN(attr->nla_len) : nl_data(nest);

	while (p < end && attr_fits((const void *)p, end - p)) {
		attr = (const void *)p;
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr;
		p += NLA_ALIGN(attr->nla_len);
	}
	return NULL;
}

uint32_t nl_u32(const struct nlattr *attr)
{
	uint32_t value = 0;

	if (attr && nl_length(attr) >= sizeof(value))
		memcpy(&value, nl_data(attr), sizeof(value));
	return value;
}

uint64_t nl_u64(const struct nlattr *attr)
{
	uint64_t value = 0;

	if (attr && nl_length(attr) >= sizeof(value))
		memcpy(&value, nl_data(attr), sizeof(value));
	return value;
}

const char *nl_string(const struct nlattr *attr)
{
	if (!attr || !memchr(nl_data(attr), 0, nl_length(attr)))
		return "";
	return nl_data(attr);
}

/* Settings that the kernel refuses by range, by attribute, as the command line has them. */
struct setting {
	const char *name;
	const char *unit;
};

static const struct setting site_settings[FLITCAST_A_SITE_MAX + 1] = {
	[FLITCAST_A_SITE_FLIT]		= { "flit", "" },
	[FLITCAST_A_SITE_WINDOW]	= { "window", "" },
	[FLITCAST_A_SITE_SEEK]		= { "seek", "us" },
	[FLITCAST_A_SITE_SEEK_MAX]	= { "seek-max", "" },
	[FLITCAST_A_SITE_TIMEOUT]	= { "timeout", "us" },
	[FLITCAST_A_SITE_RETRY]		= { "retry", "us" },
	[FLITCAST_A_SITE_PROBE]		= { "probe", "us" },
	[FLITCAST_A_SITE_TRANSIT]	= { "transit", "" },
	[FLITCAST_A_SITE_GRACE]		= { "grace", "us" },
};

static const struct setting link_settings[FLITCAST_A_LINK_MAX + 1] = {
	[FLITCAST_A_LINK_PORT]		= { "port", "" },
	[FLITCAST_A_LINK_WINDOW]	= { "window", "" },
};

static const struct setting *find_setting(const struct nlmsghdr *message,
					  const struct nlattr *attr)
{
	uint16_t type = attr->nla_type & NLA_TYPE_MASK;

	if (message->nlmsg_type != flitcast_id)
		return NULL;
	switch (((const struct genlmsghdr *)NLMSG_DATA(message))->cmd) {
	case FLITCAST_CMD_SITE_NEW:
	case FLITCAST_CMD_SITE_SET:
		return type <= FLITCAST_A_SITE_MAX ? &site_settings[type] : NULL;
	case FLITCAST_CMD_LINK_NEW:
	case FLITCAST_CMD_LINK_SET:
		return type <= FLITCAST_A_LINK_MAX ? &link_settings[type] : NULL;
	}
	return NULL;
}

/*
 * The kernel says "integer out of range", and tells which attribute of the request and the range
 * that its policy has.  False where that is not what it says.
 */
static bool read_range(const struct nl_request *req, unsigned int index, uint32_t offset,
		       const struct nlattr *policy, struct nl_error *error)
{
	const struct nlattr *limits[NL_POLICY_TYPE_ATTR_MAX + 1], *attr;
	const struct nlmsghdr *message = (const void *)req->data;
	const struct setting *setting;
	uint64_t low, high;

	while (index--)
		message = (const void *)((const char *)message + NLMSG_ALIGN(message->nlmsg_len));
	if (offset < NLMSG_HDRLEN + GENL_HDRLEN || offset > message->nlmsg_len - NLA_HDRLEN)
		return false;
	attr = (const void *)((const char *)message + offset);
	setting = find_setting(message, attr);
	nl_parse(nl_data(policy), nl_length(policy), limits, NL_POLICY_TYPE_ATTR_MAX);
	if (!setting || !setting->name || !limits[NL_POLICY_TYPE_ATTR_MAX_VALUE_U])
		return false;
	low = nl_u64(limits[NL_POLICY_TYPE_ATTR_MIN_VALUE_U]);
	high = nl_u64(limits[NL_POLICY_TYPE_ATTR_MAX_VALUE_U]);
	if (nl_u32(attr) >= low && nl_u32(attr) <= high)
		return false;
	snprintf(error->text, sizeof(error->text), "%s %u%s is out of range: %llu%s to %llu%s",
		 setting->name, nl_u32(attr), setting->unit, (unsigned long long)low,
		 setting->unit, (unsigned long long)high, setting->unit);
	return true;
}

/* What an acknowledgment of a request, or the end of a dump, says; 0: all is well. */
static int read_verdict(const struct nl_request *req,
			const struct nlmsghdr *header, struct nl_error *error)
{
	const struct nlattr *attrs[NLMSGERR_ATTR_POLICY + 1] = { NULL };
	const char *data = NLMSG_DATA(header);
	size_t length = header->nlmsg_len - NLMSG_HDRLEN;
	const char *text = "";
	size_t skip;
	int err = 0;

	if (length < sizeof(err))
		return 0;
	memcpy(&err, data, sizeof(err));
	if (err >= 0)
		return 0;
	if (!error || error->err)
		return err;

	skip = header->nlmsg_type == NLMSG_ERROR ? sizeof(struct nlmsgerr) : sizeof(int);
	if (header->nlmsg_type == NLMSG_ERROR && !(header->nlmsg_flags & NLM_F_CAPPED) &&
	    length >= skip)
		skip += ((const struct nlmsgerr *)data)->msg.nlmsg_len - NLMSG_HDRLEN;
	if ((header->nlmsg_flags & NLM_F_ACK_TLVS) && length > skip) {
		nl_parse(data + skip, length - skip, attrs, NLMSGERR_ATTR_POLICY);
		text = nl_string(attrs[NLMSGERR_ATTR_MSG]);
		/* "flitcast: " is said once, by complain(). */
		if (!strncmp(text, "flitcast: ", 10))
			text += 10;
	}
	error->err = -err;
	error->index = header->nlmsg_seq - 1;
	if (err == -ERANGE && attrs[NLMSGERR_ATTR_OFFS] && attrs[NLMSGERR_ATTR_POLICY] &&
	    error->index < req->count &&
	    read_range(req, error->index, nl_u32(attrs[NLMSGERR_ATTR_OFFS]),
		       attrs[NLMSGERR_ATTR_POLICY], error))
		return err;
	snprintf(error->text, sizeof(error->text), "%s", *text ? text : strerror(-err));
	return err;
}

static int local_error(struct nl_error *error, int err)
{
	if (error && !error->err) {
		error->err = err;
		snprintf(error->text, sizeof(error->text), "%s", strerror(err));
	}
	return -err;
}

static int talk(int fd, const struct nl_request *req, nl_answer answer, void *arg,
		struct nl_error *error)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	unsigned int left = req->count;
	static char *buf;
	int result = 0;

	if (!buf)
		buf = xalloc(1, ANSWER_MAX);
	if (sendto(fd, req->data, req->length, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return local_error(error, errno);

	while (left) {
		ssize_t got = recv(fd, buf, ANSWER_MAX, 0);
		struct nlmsghdr *header = (void *)buf;

		if (got < 0) {
			if (errno == EINTR)
				continue;
			return local_error(error, errno);
		}
		for (; NLMSG_OK(header, got); header = NLMSG_NEXT(header, got)) {
			int err;

			if (header->nlmsg_type != NLMSG_ERROR &&
			    header->nlmsg_type != NLMSG_DONE) {
				if (answer && header->nlmsg_type >= NLMSG_MIN_TYPE)
					answer(NLMSG_DATA(header),
					       header->nlmsg_len - NLMSG_HDRLEN, arg);
				continue;
			}
			if (left)
				left--;
			err = read_verdict(req, header, error);
			if (!result)
				result = err;
		}
	}
	return result;
}

int nl_talk(int fd, struct nl_request *req, nl_answer answer, void *arg, struct nl_error *error)
{
	int result;

	if (error)
		memset(error, 0, sizeof(*error));
	if (!req->count)
		return 0;
	result = talk(fd, req, answer, arg, error);
	wipe(req);
	req->count = 0;
	return result;
}

static void read_groups(const struct nlattr *list)
{
	const struct nlattr *attrs[CTRL_ATTR_MCAST_GRP_ID + 1];
	const struct nlattr *group;
	uint16_t i;

	/* The list is an array: its types are the places from 1. */
	for (i = 1; list && ngroups < GROUPS_MAX && (group = nl_next(list, NULL, i)); i++) {
		nl_parse(nl_data(group), nl_length(group), attrs, CTRL_ATTR_MCAST_GRP_ID);
		groups[ngroups++] = nl_u32(attrs[CTRL_ATTR_MCAST_GRP_ID]);
	}
}

static void read_family(const void *data, size_t length, void *arg)
{
	const struct nlattr *attrs[CTRL_ATTR_MCAST_GROUPS + 1];

	nl_parse_genl(data, length, attrs, CTRL_ATTR_MCAST_GROUPS);
	ngroups = 0;
	read_groups(attrs[CTRL_ATTR_MCAST_GROUPS]);
	if (attrs[CTRL_ATTR_FAMILY_ID] &&
	    nl_length(attrs[CTRL_ATTR_FAMILY_ID]) >= sizeof(flitcast_id))
		memcpy(&flitcast_id, nl_data(attrs[CTRL_ATTR_FAMILY_ID]), sizeof(flitcast_id));
}

/* The kernel loads the module for it, if it is installed. */
static void find_family(void)
{
	struct genlmsghdr header = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 };
	struct nl_request req = { 0 };
	struct nl_error error;
	int fd, err;

	fd = nl_open(NETLINK_GENERIC);
	if (fd < 0)
		fail("cannot open generic netlink: %s", strerror(-fd));
	nl_begin(&req, GENL_ID_CTRL, 0);
	nl_put_raw(&req, &header, sizeof(header));
	nl_put_string(&req, CTRL_ATTR_FAMILY_NAME, FLITCAST_FAMILY_NAME);
	nl_end(&req);
	err = nl_talk(fd, &req, read_family, NULL, &error);
	nl_free(&req);
	close(fd);
	if (err == -ENOENT)
		fail(MODULE_MISSING);
	if (err || !flitcast_id)
		fail("cannot find the netlink family: %s", err ? error.text : "no answer");
}

void nl_begin_flitcast(struct nl_request *req, uint8_t cmd, uint16_t flags)
{
	struct genlmsghdr header = { .cmd = cmd, .version = FLITCAST_FAMILY_VERSION };

	if (!flitcast_id)
		find_family();
	nl_begin(req, flitcast_id, flags);
	nl_put_raw(req, &header, sizeof(header));
}

int nl_events(uint32_t room)
{
	unsigned int i;
	int fd;

	if (!flitcast_id)
		find_family();
	fd = nl_open(NETLINK_GENERIC);
	if (fd < 0)
		fail("cannot open generic netlink: %s", strerror(-fd));
	if (room && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	for (i = 0; i < ngroups; i++)
		if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[i],
			       sizeof(groups[i])))
			fail("cannot listen to events: %s", strerror(errno));
	return fd;
}

int nl_read_events(int fd, nl_event event, void *arg)
{
	static char *buf;
	struct nlmsghdr *header;
	ssize_t got;

	if (!buf)
		buf = xalloc(1, ANSWER_MAX);
	got = recv(fd, buf, ANSWER_MAX, MSG_DONTWAIT);
	if (got < 0)
		return -errno;
	for (header = (void *)buf; NLMSG_OK(header, got); header = NLMSG_NEXT(header, got)) {
		const struct genlmsghdr *genl = NLMSG_DATA(header);

		if (header->nlmsg_type == flitcast_id &&
		    header->nlmsg_len >= NLMSG_LENGTH(GENL_HDRLEN))
			event(genl->cmd, genl, header->nlmsg_len - NLMSG_HDRLEN, arg);
	}
	return 0;
}

int nl_ask(struct nl_request *req, nl_answer answer, void *arg, const char *about)
{
	struct nl_error error;
	int fd, err;

	fd = nl_open(NETLINK_GENERIC);
	if (fd < 0)
		fail("cannot open generic netlink: %s", strerror(-fd));
	err = nl_talk(fd, req, answer, arg, &error);
	if (err)
		complain("%s: %s", about, error.text);
	nl_free(req);
	close(fd);
	return err;
}
