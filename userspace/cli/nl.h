/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netlink: messages built one after another into a buffer, sent in one go,
 * answered in one go.
 */
#ifndef FLITCAST_CLI_NL_H
#define FLITCAST_CLI_NL_H

#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

/**
 * struct nl_request - messages to be sent
 * @data: they
 * @length: bytes used
 * @size: bytes allocated
 * @count: messages
 * @open: where the message being built begins
 */
struct nl_request {
	char *data;
	size_t length;
	size_t size;
	unsigned int count;
	size_t open;
};

/* A message of a type; ended by nl_end().  Each is acknowledged. */
void nl_begin(struct nl_request *req, uint16_t type, uint16_t flags);
/* A message of the family "flitcast"; looks the family up when first called. */
void nl_begin_flitcast(struct nl_request *req, uint8_t cmd, uint16_t flags);
void nl_put(struct nl_request *req, uint16_t attr, const void *data, size_t length);
void nl_put_u32(struct nl_request *req, uint16_t attr, uint32_t value);
void nl_put_string(struct nl_request *req, uint16_t attr, const char *value);
/* Bytes that belong to no attribute: a header. */
void nl_put_raw(struct nl_request *req, const void *data, size_t length);
size_t nl_nest(struct nl_request *req, uint16_t attr);
void nl_nest_end(struct nl_request *req, size_t nest);
void nl_end(struct nl_request *req);
void nl_free(struct nl_request *req);

/**
 * nl_open() - a netlink socket of this thread's network namespace
 * @protocol: NETLINK_GENERIC or NETLINK_ROUTE
 *
 * Return: descriptor, or -errno.
 */
int nl_open(int protocol);

/**
 * typedef nl_answer - called for each answer with data
 * @data: what follows the netlink header
 * @length: its length
 * @arg: caller's
 */
typedef void (*nl_answer)(const void *data, size_t length, void *arg);

/**
 * struct nl_error - the first refusal
 * @err: positive errno
 * @index: of the message in the request, from 0
 * @text: reason: the kernel's own words, or the text of @err
 */
struct nl_error {
	int err;
	unsigned int index;
	char text[256];
};

/**
 * nl_talk() - send a request, read all answers, empty the request
 * @fd: socket
 * @req: request
 * @answer: may be NULL
 * @arg: for @answer
 * @error: set unless 0 is returned
 *
 * Return: 0, or -errno of the first refusal.
 */
int nl_talk(int fd, struct nl_request *req, nl_answer answer, void *arg, struct nl_error *error);

/**
 * nl_ask() - nl_talk() over generic netlink, in this namespace, once
 * @req: request
 * @answer: may be NULL
 * @arg: for @answer
 * @about: object, for the complaint on stderr
 *
 * Return: 0, or -errno: there was a complaint.
 */
int nl_ask(struct nl_request *req, nl_answer answer, void *arg, const char *about);

/**
 * nl_events() - a socket that hears every multicast group of the family
 * @room: bytes of events that may wait to be read; 0: plenty
 *
 * Return: descriptor; does not return where that is impossible.
 */
int nl_events(uint32_t room);

/**
 * typedef nl_event - called for each event
 * @cmd: enum flitcast_cmd
 * @data: what follows the netlink header
 * @length: its length
 * @arg: caller's
 */
typedef void (*nl_event)(uint8_t cmd, const void *data, size_t length, void *arg);

/**
 * nl_read_events() - what has come, without waiting
 * @fd: of nl_events()
 * @event: called for each
 * @arg: for @event
 *
 * Return: 0, or -errno: -EAGAIN: nothing; -ENOBUFS: events were lost.
 */
int nl_read_events(int fd, nl_event event, void *arg);

/**
 * nl_parse() - attributes by type
 * @data: attributes
 * @length: bytes
 * @attrs: max + 1 pointers, NULL where there is none
 * @max: highest type of interest
 */
void nl_parse(const void *data, size_t length, const struct nlattr **attrs, unsigned int max);
/* The same behind the generic netlink header. */
void nl_parse_genl(const void *data, size_t length, const struct nlattr **attrs,
		   unsigned int max);

static inline const void *nl_data(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

static inline size_t nl_length(const struct nlattr *attr)
{
	return attr->nla_len - NLA_HDRLEN;
}

/* Values; 0 and "" where the attribute is missing or too short. */
uint32_t nl_u32(const struct nlattr *attr);
uint64_t nl_u64(const struct nlattr *attr);
const char *nl_string(const struct nlattr *attr);

/* Walk the attributes of one type in a nest: NULL to begin with. */
const struct nlattr *nl_next(const struct nlattr *nest, const struct nlattr *attr,
			     uint16_t type);

#endif /* FLITCAST_CLI_NL_H */
