// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/flitcast_netlink.h>
#include <netlink/genl/ctrl.h>
#include "request.h"
#include "util.h"

/* Initial size of a message in bytes, and additional space when it grows. */
#define MESSAGE_ROOM	4096
/* Size of the receive buffer, for events or answers. */
#define RECEIVE_ROOM	(4 << 20)

static int flitcast_id;

static struct nl_msg *current(const struct request *req)
{
	return req->msg[req->count - 1];
}

void request_begin(struct request *req, int type, int flags)
{
	req->msg = xrealloc(req->msg, (req->count + 1) * sizeof(*req->msg));
	req->msg[req->count] = nlmsg_alloc_size(MESSAGE_ROOM);
	if (!req->msg[req->count] ||
	    !nlmsg_put(req->msg[req->count], NL_AUTO_PORT, NL_AUTO_SEQ, type, 0,
		       NLM_F_REQUEST | NLM_F_ACK | flags))
		fail("out of memory");
	req->count++;
}

/* Erase a message, which may contain a key, and free it. */
static void discard(struct nl_msg *msg)
{
	struct nlmsghdr *message = nlmsg_hdr(msg);

	explicit_bzero(nlmsg_data(message), nlmsg_datalen(message));
	nlmsg_free(msg);
}

/* Enlarge the last message, whose nests are closed. */
static void grow(struct request *req, size_t length)
{
	struct nlmsghdr *old = nlmsg_hdr(current(req));
	struct nl_msg *msg = nlmsg_alloc_size(old->nlmsg_len + length + MESSAGE_ROOM);

	if (!msg)
		fail("out of memory");
	memcpy(nlmsg_hdr(msg), old, old->nlmsg_len);
	discard(current(req));
	req->msg[req->count - 1] = msg;
}

void put_raw(struct request *req, const void *data, size_t length)
{
	if (nlmsg_append(current(req), (void *)data, length, NLMSG_ALIGNTO))
		fail("a request is too long");
}

void put_bytes(struct request *req, int attr, const void *data, size_t length)
{
	if (length > MESSAGE_ROOM / 2)
		grow(req, length);
	/* The length of an attribute has 16 bits. */
	if (length > UINT16_MAX - NLA_HDRLEN || nla_put(current(req), attr, length, data))
		fail("a request is too long");
}

void put_u32(struct request *req, int attr, uint32_t value)
{
	put_bytes(req, attr, &value, sizeof(value));
}

void put_string(struct request *req, int attr, const char *value)
{
	put_bytes(req, attr, value, strlen(value) + 1);
}

struct nlattr *put_long_nest(struct request *req, int attr, size_t length)
{
	grow(req, length);
	return put_nest(req, attr);
}

struct nlattr *put_nest(struct request *req, int attr)
{
	struct nlattr *nest = nla_nest_start(current(req), attr | NLA_F_NESTED);

	if (!nest)
		fail("a request is too long");
	return nest;
}

void put_nest_end(struct request *req, struct nlattr *nest)
{
	nla_nest_end(current(req), nest);
}

void request_free(struct request *req)
{
	unsigned int i;

	for (i = 0; i < req->count; i++)
		discard(req->msg[i]);
	free(req->msg);
	*req = (struct request){ 0 };
}

struct nl_sock *request_open(int protocol)
{
	struct nl_sock *sk = nl_socket_alloc();
	int one = 1;

	if (!sk)
		fail("out of memory");
	if (nl_connect(sk, protocol)) {
		int err = errno;

		nl_socket_free(sk);
		errno = err;
		return NULL;
	}
	/* Optional: texts of refusals, short refusals, and a larger buffer. */
	setsockopt(nl_socket_get_fd(sk), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(nl_socket_get_fd(sk), SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	return sk;
}

/* Command-line names of settings whose range the kernel checks, by attribute. */
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
	[FLITCAST_A_SITE_POLL]		= { "poll", "us" },
	[FLITCAST_A_SITE_TRANSIT]	= { "transit", "" },
	[FLITCAST_A_SITE_GRACE]		= { "grace", "us" },
};

static const struct setting link_settings[FLITCAST_A_LINK_MAX + 1] = {
	[FLITCAST_A_LINK_PORT]		= { "port", "" },
	[FLITCAST_A_LINK_WINDOW]	= { "window", "" },
	[FLITCAST_A_LINK_HELLO]		= { "hello", "ms" },
	[FLITCAST_A_LINK_DEAD]		= { "dead", "" },
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
 * For the error "integer out of range" the kernel reports the attribute and the range of its
 * policy: print both.  Return: false for any other error.
 */
static bool read_range(const struct nlmsghdr *message, uint32_t offset, struct nlattr *policy,
		       struct request_error *error)
{
	struct nlattr *limits[NL_POLICY_TYPE_ATTR_MAX + 1];
	const struct setting *setting;
	const struct nlattr *attr;
	uint64_t low, high;

	if (offset < NLMSG_HDRLEN + GENL_HDRLEN || offset > message->nlmsg_len - NLA_HDRLEN)
		return false;
	attr = (const void *)((const char *)message + offset);
	setting = find_setting(message, attr);
	if (attr->nla_len != NLA_HDRLEN + sizeof(uint32_t) ||
	    offset + attr->nla_len > message->nlmsg_len || !setting || !setting->name ||
	    nla_parse_nested(limits, NL_POLICY_TYPE_ATTR_MAX, policy, NULL) ||
	    !limits[NL_POLICY_TYPE_ATTR_MAX_VALUE_U])
		return false;
	low = get_u64(limits[NL_POLICY_TYPE_ATTR_MIN_VALUE_U]);
	high = get_u64(limits[NL_POLICY_TYPE_ATTR_MAX_VALUE_U]);
	if (get_u32(attr) >= low && get_u32(attr) <= high)
		return false;
	snprintf(error->text, sizeof(error->text), "%s %u%s is out of range: %llu%s to %llu%s",
		 setting->name, get_u32(attr), setting->unit, (unsigned long long)low,
		 setting->unit, (unsigned long long)high, setting->unit);
	return true;
}

/**
 * struct exchange - a message that was sent, and its replies
 * @sent: the message
 * @answer: called for each reply
 * @arg: argument of @answer
 * @error: the first refusal, or NULL
 * @index: index of the message
 * @err: result of the message: 0 or -errno
 * @completed: the last reply was received
 */
struct exchange {
	const struct nlmsghdr *sent;
	request_answer answer;
	void *arg;
	struct request_error *error;
	unsigned int index;
	int err;
	bool completed;
};

/* Text of the kernel without "flitcast: ", which complain() prints. */
static const char *kernel_text(struct nlattr *attr)
{
	const char *text = get_string(attr);

	return strncmp(text, "flitcast: ", 10) ? text : text + 10;
}

/* Record a refusal with the attributes of an extended acknowledgment, if it has any. */
static void take_refusal(struct exchange *x, int err, struct nlattr *attrs, int length)
{
	struct nlattr *a[NLMSGERR_ATTR_POLICY + 1] = { NULL };
	struct request_error *error = x->error;
	const char *text;

	x->err = err;
	x->completed = true;
	if (!error || error->err)
		return;
	error->err = -err;
	error->index = x->index;
	if (length > 0)
		nla_parse(a, NLMSGERR_ATTR_POLICY, attrs, length, NULL);
	if (err == -ERANGE && a[NLMSGERR_ATTR_OFFS] && a[NLMSGERR_ATTR_POLICY] &&
	    read_range(x->sent, get_u32(a[NLMSGERR_ATTR_OFFS]), a[NLMSGERR_ATTR_POLICY], error))
		return;
	text = kernel_text(a[NLMSGERR_ATTR_MSG]);
	if (err == -EPERM && !*text)
		text = "Operation not permitted: it needs CAP_NET_ADMIN";
	/* exchange() has -EAGAIN for a dump with NLM_F_DUMP_INTR. */
	if (err == -EAGAIN && !*text)
		text = "it changed meanwhile: try again";
	snprintf(error->text, sizeof(error->text), "%s", *text ? text : strerror(-err));
}

/* Attributes follow the part of the request that the kernel returns. */
static void take_extended(struct exchange *x, const struct nlmsghdr *header, size_t skip, int err)
{
	struct nlattr *attrs = (void *)((char *)NLMSG_DATA(header) + NLMSG_ALIGN(skip));
	int length = (int)header->nlmsg_len - NLMSG_HDRLEN - (int)NLMSG_ALIGN(skip);

	take_refusal(x, err, attrs, header->nlmsg_flags & NLM_F_ACK_TLVS ? length : 0);
}

/* Accept only answers to this message: the socket may have others, to one that failed. */
static int on_sequence(struct nl_msg *msg, void *arg)
{
	const struct exchange *x = arg;

	return nlmsg_hdr(msg)->nlmsg_seq == x->sent->nlmsg_seq ? NL_OK : NL_SKIP;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct exchange *x = arg;

	if (x->answer)
		x->answer(nlmsg_hdr(msg), x->arg);
	return NL_OK;
}

/* Success may come with a text: a warning.  The request is not in the acknowledgment. */
static int on_ack(struct nl_msg *msg, void *arg)
{
	const struct nlmsghdr *header = nlmsg_hdr(msg);
	struct nlattr *a[NLMSGERR_ATTR_POLICY + 1] = { NULL };
	struct exchange *x = arg;

	x->completed = true;
	if (!x->error || x->error->err || !(header->nlmsg_flags & NLM_F_ACK_TLVS))
		return NL_STOP;
	nlmsg_parse((struct nlmsghdr *)header, sizeof(struct nlmsgerr), a, NLMSGERR_ATTR_POLICY,
		    NULL);
	if (a[NLMSGERR_ATTR_MSG])
		snprintf(x->error->text, sizeof(x->error->text), "%s",
			 kernel_text(a[NLMSGERR_ATTR_MSG]));
	return NL_STOP;
}

/* Process the end of a dump, with its result. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	const struct nlmsghdr *header = nlmsg_hdr(msg);
	struct exchange *x = arg;
	int err = 0;

	if (nlmsg_datalen(header) >= (int)sizeof(err))
		memcpy(&err, nlmsg_data(header), sizeof(err));
	if (err < 0)
		take_extended(x, header, sizeof(err), err);
	x->completed = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *refusal, void *arg)
{
	const struct nlmsghdr *header = (void *)((char *)refusal - NLMSG_HDRLEN);
	size_t skip = sizeof(*refusal);

	if (!(header->nlmsg_flags & NLM_F_CAPPED))
		skip += refusal->msg.nlmsg_len - NLMSG_HDRLEN;
	take_extended(arg, header, skip, refusal->error);
	return NL_STOP;
}

/* Send one message, and read the replies. */
static void exchange(struct nl_sock *sk, struct nl_cb *cb, struct nl_msg *msg,
		     struct exchange *x)
{
	int err;

	errno = 0;
	err = nl_send_auto(sk, msg);
	x->sent = nlmsg_hdr(msg);
	while (err >= 0 && !x->completed)
		err = nl_recvmsgs(sk, cb);
	/* Without a recorded refusal the socket failed, or libnl, which sets no errno. */
	if (!x->completed)
		take_refusal(x, errno ? -errno : -EIO, NULL, 0);
	else if (!x->err && err == -NLE_DUMP_INTR)
		take_refusal(x, -EAGAIN, NULL, 0);
}

int request_send(struct nl_sock *sk, struct request *req, request_answer answer, void *arg,
		 struct request_error *error)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	unsigned int i;
	int result = 0;

	if (!cb)
		fail("out of memory");
	if (error)
		memset(error, 0, sizeof(*error));
	for (i = 0; i < req->count; i++) {
		struct exchange x = { .answer = answer, .arg = arg, .error = error, .index = i };

		nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_sequence, &x);
		nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, &x);
		nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, &x);
		nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, &x);
		nl_cb_err(cb, NL_CB_CUSTOM, on_error, &x);
		exchange(sk, cb, req->msg[i], &x);
		if (!result)
			result = x.err;
	}
	nl_cb_put(cb);
	request_free(req);
	return result;
}

/* Socket for single requests. */
static struct nl_sock *open_or_fail(int protocol)
{
	struct nl_sock *sk = request_open(protocol);

	if (!sk)
		fail("cannot open netlink: %s", strerror(errno));
	return sk;
}

void request_find_family(void)
{
	struct nl_sock *sk;

	if (flitcast_id)
		return;
	sk = open_or_fail(NETLINK_GENERIC);
	flitcast_id = genl_ctrl_resolve(sk, FLITCAST_FAMILY_NAME);
	if (flitcast_id == -NLE_OBJ_NOTFOUND)
		fail("%s", module_missing());
	if (flitcast_id < 0)
		fail("cannot find the netlink family: %s", nl_geterror(flitcast_id));
	nl_socket_free(sk);
}

void request_flitcast(struct request *req, uint8_t cmd, int flags)
{
	struct genlmsghdr header = { .cmd = cmd, .version = FLITCAST_FAMILY_VERSION };

	request_find_family();
	request_begin(req, flitcast_id, flags);
	put_raw(req, &header, sizeof(header));
}

static int ask(int protocol, struct request *req, request_answer answer, void *arg,
	       const char *about)
{
	struct nl_sock *sk = open_or_fail(protocol);
	struct request_error error;
	int err = request_send(sk, req, answer, arg, &error);

	if (err)
		complain("%s: %s", about, error.text);
	else if (*error.text)
		complain("%s: warning: %s", about, error.text);
	nl_socket_free(sk);
	return err;
}

int request_ask(struct request *req, request_answer answer, void *arg, const char *about)
{
	return ask(NETLINK_GENERIC, req, answer, arg, about);
}

int request_ask_rtnl(struct request *req, request_answer answer, void *arg, const char *about)
{
	return ask(NETLINK_ROUTE, req, answer, arg, about);
}

struct nl_sock *request_events(uint32_t room)
{
	static const char *const groups[] = { FLITCAST_MCGRP_SITE, FLITCAST_MCGRP_LINK };
	struct nl_sock *sk = open_or_fail(NETLINK_GENERIC);
	int group[sizeof(groups) / sizeof(groups[0])];
	int size = room ? room : RECEIVE_ROOM, err;
	unsigned int i;

	request_find_family();
	if (setsockopt(nl_socket_get_fd(sk), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(nl_socket_get_fd(sk), SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	/*
	 * Use a separate socket for events: one between a request and its reply would be mistaken
	 * for the reply.
	 */
	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		group[i] = genl_ctrl_resolve_grp(sk, FLITCAST_FAMILY_NAME, groups[i]);
		if (group[i] < 0)
			fail("cannot listen to events: %s", nl_geterror(group[i]));
	}
	nl_socket_disable_seq_check(sk);
	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		err = nl_socket_add_membership(sk, group[i]);
		if (err)
			fail("cannot listen to events: %s", nl_geterror(err));
	}
	nl_socket_set_nonblocking(sk);
	return sk;
}

struct listener {
	request_event event;
	void *arg;
};

static int on_event(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *message = nlmsg_hdr(msg);
	struct listener *listener = arg;

	if (message->nlmsg_type == flitcast_id && genlmsg_valid_hdr(message, 0))
		listener->event(genlmsg_hdr(message)->cmd, message, listener->arg);
	return NL_OK;
}

int request_read_events(struct nl_sock *sk, request_event event, void *arg)
{
	struct listener listener = { .event = event, .arg = arg };
	int err;

	nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, on_event, &listener);
	err = nl_recvmsgs_default(sk);
	if (err == -NLE_AGAIN)
		return -EAGAIN;
	/* libnl has no error of its own for events that were lost. */
	if (err == -NLE_NOMEM)
		return -ENOBUFS;
	return err < 0 ? -EIO : 0;
}
