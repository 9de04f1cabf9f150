/* SPDX-License-Identifier: GPL-2.0 */
/* Netlink requests of random data that resembles attributes. */
#ifndef SELFTESTS_NET_NLGARBAGE_H
#define SELFTESTS_NET_NLGARBAGE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#define NLGARBAGE_MAX	4096

/**
 * struct nlgarbage - a request
 * @data: its bytes
 * @used: number of bytes
 * @pick: draws a number from 0 to @below - 1
 * @arg: argument of @pick
 */
struct nlgarbage {
	char data[NLGARBAGE_MAX];
	size_t used;
	uint32_t (*pick)(void *arg, uint32_t below);
	void *arg;
};

static inline uint32_t nlgarbage_pick(struct nlgarbage *g, uint32_t below)
{
	return g->pick(g->arg, below);
}

static inline void nlgarbage_begin(struct nlgarbage *g, uint16_t type, uint16_t flags, uint8_t cmd,
				   uint32_t sequence)
{
	struct nlmsghdr *header = (void *)g->data;
	struct genlmsghdr *genl = (void *)(header + 1);

	memset(g->data, 0, sizeof(g->data));
	header->nlmsg_type = type;
	header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	header->nlmsg_seq = sequence;
	genl->cmd = cmd;
	genl->version = 1;
	g->used = NLMSG_HDRLEN + GENL_HDRLEN;
}

static inline struct nlattr *nlgarbage_put(struct nlgarbage *g, uint16_t type, const void *data,
					   size_t length)
{
	struct nlattr *attr = (void *)(g->data + g->used);

	if (g->used + NLA_HDRLEN + NLA_ALIGN(length) > sizeof(g->data))
		return NULL;
	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + length;
	memcpy(attr + 1, data, length);
	g->used += NLA_HDRLEN + NLA_ALIGN(length);
	return attr;
}

/* Put an attribute with random contents, with nests up to @depth deep. */
static inline void nlgarbage_put_random(struct nlgarbage *g, unsigned int depth)
{
	static const char *const words[] = {
		"lo", "torus:3x3", "care", "+x", "-y", "d0", "ring:3", "torus:999999x999999",
		"", "hypercube:21", "hexmesh:592", "line:",
		"graph:2:a8c7f732281a3812", "a name that is longer than any device has",
	};
	static const uint32_t numbers[] = { 0, 1, 2, 8, 30, 31, 256, 65535, 65536, 0x7fffffff,
					    0x80000000, 0xfffffffe, 0xffffffff };
	uint16_t type = nlgarbage_pick(g, 24);
	struct nlattr *attr;
	char data[512];
	size_t length, i, start;

	if (!nlgarbage_pick(g, 8))
		type = nlgarbage_pick(g, 65536);
	switch (nlgarbage_pick(g, 5)) {
	case 0:
		nlgarbage_put(g, type, &numbers[nlgarbage_pick(g, 13)], 4);
		return;
	case 1:
		length = nlgarbage_pick(g, sizeof(words) / sizeof(*words));
		nlgarbage_put(g, type, words[length],
			      strlen(words[length]) + nlgarbage_pick(g, 2));
		return;
	case 2:
		if (!depth)
			return;
		start = g->used;
		attr = nlgarbage_put(g, type | (nlgarbage_pick(g, 2) ? NLA_F_NESTED : 0), "", 0);
		for (i = nlgarbage_pick(g, 5); attr && i; i--)
			nlgarbage_put_random(g, depth - 1);
		if (attr)
			attr->nla_len = g->used - start;
		/* Set a wrong length. */
		if (attr && !nlgarbage_pick(g, 6))
			attr->nla_len = nlgarbage_pick(g, 65536);
		return;
	default:
		length = nlgarbage_pick(g, 8) ? nlgarbage_pick(g, 40) :
						nlgarbage_pick(g, sizeof(data));
		for (i = 0; i < length; i++)
			data[i] = nlgarbage_pick(g, 256);
		nlgarbage_put(g, type, data, length);
	}
}

#endif /* SELFTESTS_NET_NLGARBAGE_H */
