/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netlink by libnl: a request is a batch of messages, sent and answered together; also parses the
 * extended acknowledgments that libnl does not read.
 */
#ifndef FLITCAST_CLI_REQUEST_H
#define FLITCAST_CLI_REQUEST_H

#include <stddef.h>
#include <stdint.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>

/**
 * struct request - messages to be sent
 * @msg: messages; the last one is being built
 * @count: number of messages
 */
struct request {
	struct nl_msg **msg;
	unsigned int count;
};

/* Begin a message of a type.  The kernel acknowledges each message. */
void request_begin(struct request *req, int type, int flags);
/*
 * Resolve the family "flitcast", for which the kernel loads the module if it is installed; exit if
 * there is none.
 */
void request_find_family(void);
/* Begin a message of the family "flitcast"; the first call looks the family up. */
void request_flitcast(struct request *req, uint8_t cmd, int flags);
void put_bytes(struct request *req, int attr, const void *data, size_t length);
void put_u32(struct request *req, int attr, uint32_t value);
void put_string(struct request *req, int attr, const char *value);
/* Put bytes that belong to no attribute: a header. */
void put_raw(struct request *req, const void *data, size_t length);
struct nlattr *put_nest(struct request *req, int attr);
/* As put_nest(), outside of other nests, for so many bytes of attributes. */
struct nlattr *put_long_nest(struct request *req, int attr, size_t length);
void put_nest_end(struct request *req, struct nlattr *nest);
/* Free the messages, and erase their memory, since they may contain a key. */
void request_free(struct request *req);

/**
 * request_open() - open a netlink socket in this thread's network namespace
 * @protocol: NETLINK_GENERIC, NETLINK_ROUTE or NETLINK_RDMA
 *
 * Return: a socket, to be freed by nl_socket_free(), or NULL with errno.
 */
struct nl_sock *request_open(int protocol);

/* Called for each answer with data. */
typedef void (*request_answer)(struct nlmsghdr *message, void *arg);

/**
 * struct request_error - the first refusal
 * @err: positive errno; 0: no refusal
 * @index: index of the message in the request, from 0
 * @text: reason: the kernel's text, or that of @err; without a refusal: the last warning, or ""
 */
struct request_error {
	int err;
	unsigned int index;
	char text[256];
};

/**
 * request_send() - send a request, read all answers, empty the request
 * @sk: socket
 * @req: request
 * @answer: called for each answer, or NULL
 * @arg: argument of @answer
 * @error: refusal, or warning; may be NULL
 *
 * Messages after a refused one are sent, too.
 *
 * Return: 0, or -errno of the first refusal.
 */
int request_send(struct nl_sock *sk, struct request *req, request_answer answer, void *arg,
		 struct request_error *error);

/**
 * request_ask() - request_send() over generic netlink, in this namespace, once
 * @req: request
 * @answer: called for each answer, or NULL
 * @arg: argument of @answer
 * @about: object, for the error message on stderr
 *
 * Return: 0, or -errno after an error message.
 */
int request_ask(struct request *req, request_answer answer, void *arg, const char *about);
/* request_ask() over rtnetlink. */
int request_ask_rtnl(struct request *req, request_answer answer, void *arg, const char *about);

/**
 * request_events() - open a socket that receives every multicast group of the family
 * @room: buffer for unread events, bytes; 0: the default
 *
 * Return: a socket; exits on failure.
 */
struct nl_sock *request_events(uint32_t room);

/* Called for each event, an enum flitcast_cmd. */
typedef void (*request_event)(uint8_t cmd, struct nlmsghdr *message, void *arg);

/**
 * request_read_events() - read pending events, without waiting
 * @sk: socket of request_events()
 * @event: called for each event
 * @arg: argument of @event
 *
 * Return: 0, or -errno: -EAGAIN: no event; -ENOBUFS: events were lost.
 */
int request_read_events(struct nl_sock *sk, request_event event, void *arg);

/* Parse the attributes behind the generic netlink header, by type; NULL: missing. */
static inline void get_attrs(struct nlmsghdr *message, struct nlattr **attrs, int max)
{
	if (genlmsg_parse(message, 0, attrs, max, NULL))
		memset(attrs, 0, (max + 1) * sizeof(*attrs));
}

/* Values of attributes; 0 and "" if the attribute is missing or too short. */
static inline uint32_t get_u32(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= (int)sizeof(uint32_t) ? nla_get_u32(attr) : 0;
}

static inline uint64_t get_u64(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= (int)sizeof(uint64_t) ? nla_get_u64(attr) : 0;
}

static inline const char *get_string(const struct nlattr *attr)
{
	return attr && memchr(nla_data(attr), 0, nla_len(attr)) ? nla_get_string(attr) : "";
}

#endif /* FLITCAST_CLI_REQUEST_H */
