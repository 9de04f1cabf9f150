// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that the tool never sends: malformed graphs and paths, dumps of one link.  Each is
 * refused with the reason, and has no effect.  The answer to a refused request repeats the request,
 * but without its key.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/flitcast_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#define SKIP	4
/* More links than the largest graph has. */
#define LINKS	8100

static int fd;
static uint16_t family;
static uint32_t sequence;
static char request[1 << 17];
static size_t used;
static char answer[65536];
static ssize_t answered;
static char text[256];
static unsigned int tests, failures;

static void begin(uint16_t type, uint8_t cmd)
{
	struct nlmsghdr *header = (void *)request;
	struct genlmsghdr *genl = (void *)(header + 1);

	memset(request, 0, NLMSG_HDRLEN + GENL_HDRLEN);
	header->nlmsg_type = type;
	header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	header->nlmsg_seq = ++sequence;
	genl->cmd = cmd;
	genl->version = 1;
	used = NLMSG_HDRLEN + GENL_HDRLEN;
}

static void put(uint16_t type, const void *data, size_t length)
{
	struct nlattr *attr = (void *)(request + used);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + length;
	memset(attr + 1, 0, NLA_ALIGN(length));
	if (length)
		memcpy(attr + 1, data, length);
	used += NLA_HDRLEN + NLA_ALIGN(length);
}

static void put_u32(uint16_t type, uint32_t value)
{
	put(type, &value, sizeof(value));
}

static void find(const char *p, int left, int wanted, void *value, size_t size)
{
	while (left >= NLA_HDRLEN) {
		const struct nlattr *attr = (const void *)p;
		size_t length = attr->nla_len - NLA_HDRLEN;

		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > left)
			return;
		if (attr->nla_type == wanted)
			memcpy(value, attr + 1, length < size ? length : size);
		p += NLA_ALIGN(attr->nla_len);
		left -= NLA_ALIGN(attr->nla_len);
	}
}

/* Send the request.  Return: the error; its text is in @text. */
static int talk(void)
{
	struct nlmsghdr *header = (void *)request;

	header->nlmsg_len = used;
	if (send(fd, request, used, 0) < 0)
		return errno;
	memset(text, 0, sizeof(text));
	for (;;) {
		ssize_t got = recv(fd, answer, sizeof(answer), 0);

		answered = got;
		if (got < 0)
			return errno;
		for (header = (void *)answer; NLMSG_OK(header, got);
		     header = NLMSG_NEXT(header, got)) {
			const char *data = NLMSG_DATA(header);
			int left = header->nlmsg_len - NLMSG_HDRLEN;

			if (header->nlmsg_type == NLMSG_DONE) {
				find(data + sizeof(int), left - sizeof(int), NLMSGERR_ATTR_MSG,
				     text, sizeof(text) - 1);
				return -*(const int *)data;
			}
			if (header->nlmsg_type != NLMSG_ERROR) {
				find(data + GENL_HDRLEN, left - GENL_HDRLEN, CTRL_ATTR_FAMILY_ID,
				     &family, sizeof(family));
				continue;
			}
			find(data + sizeof(struct nlmsgerr), left - sizeof(struct nlmsgerr),
			     NLMSGERR_ATTR_MSG, text, sizeof(text) - 1);
			return -*(const int *)data;
		}
	}
}

static void result(bool good, const char *name, int err)
{
	tests++;
	failures += !good;
	if (!good)
		printf("# error %d: %s\n", err, text);
	printf("%s %u - %s\n", good ? "ok" : "not ok", tests, name);
}

static void refuses(const char *name, int want, const char *claims)
{
	int err = talk();

	result(err == want && strstr(text, claims), name, err);
}

static void accepts(const char *name)
{
	int err = talk();

	result(!err, name, err);
}

/*
 * Graphs.
 */

static uint64_t add(uint64_t digest, uint32_t value)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		digest = (digest ^ (value >> shift & 255)) * 0x100000001b3ULL;
	return digest;
}

/* Request a site of the graph of these links, with the matching graph name. */
static void new_site(uint32_t id, const uint32_t (*link)[2], size_t n)
{
	uint64_t digest = 0xcbf29ce484222325ULL;
	uint32_t sites = 0;
	char spec[64];

	for (size_t i = 0; i < n; i++) {
		digest = add(add(digest, link[i][0]), link[i][1]);
		sites = link[i][1] >= sites ? link[i][1] + 1 : sites;
	}
	snprintf(spec, sizeof(spec), "graph:%u:%016llx", sites, (unsigned long long)digest);
	begin(family, FLITCAST_CMD_SITE_NEW);
	put_u32(FLITCAST_A_SITE_ID, id);
	put(FLITCAST_A_SITE_TOPOLOGY, spec, strlen(spec) + 1);
	put(FLITCAST_A_SITE_GRAPH, link, n * sizeof(*link));
}

/* A square with a diagonal from 0 to 2. */
static const uint32_t square[][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 2, 3 } };

static void graphs(void)
{
	static const uint32_t again[][2] = { { 0, 1 }, { 0, 1 } };
	static const uint32_t turned[][2] = { { 1, 0 } };
	static const uint32_t disorder[][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 } };
	static const uint32_t parts[][2] = { { 0, 1 }, { 2, 3 } };
	static const uint32_t beyond[][2] = { { 0, 1024 } };
	static const uint32_t huge[][2] = { { 0, 0xffffffff } };
	static uint32_t many[LINKS][2];
	size_t n = 0;

	new_site(0, again, 2);
	refuses("a link twice", EINVAL, "ascending order");
	new_site(0, turned, 1);
	refuses("the larger end first", EINVAL, "smaller end first");
	new_site(0, disorder, 3);
	refuses("links in disorder", EINVAL, "ascending order");
	new_site(0, parts, 2);
	refuses("two parts", EINVAL, "not connected");
	new_site(0, beyond, 1);
	refuses("site 1024", EINVAL, "at most 1024");
	new_site(0, huge, 1);
	refuses("the largest number", EINVAL, "at most 1024");
	for (uint32_t i = 0; i < 31; i++) {
		many[i][0] = 0;
		many[i][1] = i + 1;
	}
	new_site(0, many, 31);
	refuses("31 links of a site", EINVAL, "more than 30");
	for (uint32_t a = 0; n < LINKS; a++) {
		for (uint32_t b = a + 1; b < a + 9 && b < 1024 && n < LINKS; b++, n++) {
			many[n][0] = a;
			many[n][1] = b;
		}
	}
	new_site(0, many, 8001);
	refuses("8001 links", ERANGE, "");
	begin(family, FLITCAST_CMD_SITE_NEW);
	put_u32(FLITCAST_A_SITE_ID, 0);
	put(FLITCAST_A_SITE_TOPOLOGY, "graph:4:0123456789abcdef", 25);
	put(FLITCAST_A_SITE_GRAPH, square, sizeof(square));
	refuses("another digest", EINVAL, "links of another topology");
	begin(family, FLITCAST_CMD_SITE_NEW);
	put_u32(FLITCAST_A_SITE_ID, 0);
	put(FLITCAST_A_SITE_TOPOLOGY, "torus:3x3", 10);
	put(FLITCAST_A_SITE_GRAPH, square, sizeof(square));
	refuses("links of a torus", EINVAL, "links of another topology");
	new_site(0, square, 5);
	put(FLITCAST_A_SITE_GRAPH, square, sizeof(square) - 4);
	refuses("half a link", EINVAL, "two numbers of 32 bits");
	new_site(0, square, 0);
	refuses("no links", EINVAL, "1 to 8000 links");
	new_site(4, square, 5);
	refuses("a site that it has not", EINVAL, "no site of that number");
	new_site(7, many, 8000);
	accepts("8000 links");
	new_site(7, many, 8000);
	refuses("the same again", EEXIST, "site exists");
	begin(family, FLITCAST_CMD_SITE_DEL);
	put_u32(FLITCAST_A_SITE_ID, 7);
	accepts("deleted");
}

/*
 * Paths.
 */

struct entry {
	uint8_t in, in_label, out, out_label;
};

static void set_entries(uint32_t source, uint32_t copies, const struct entry *entry, size_t n)
{
	begin(family, FLITCAST_CMD_PATH_SET);
	put_u32(FLITCAST_A_PATH_SITE, 1);
	put_u32(FLITCAST_A_PATH_SOURCE, source);
	put_u32(FLITCAST_A_PATH_COPIES, copies);
	put(FLITCAST_A_PATH_ENTRIES, entry, n * sizeof(*entry));
}

#define ENTRIES(...)	((struct entry[]){ __VA_ARGS__ }),				\
			sizeof((struct entry[]){ __VA_ARGS__ }) / sizeof(struct entry)

/* Paths of site 1, whose ports 1 and 2 lead to sites 0 and 2; the source is site 3. */
static void paths(void)
{
	static const struct entry good[] = { { 1, 0, 0, 0 }, { 2, 0, 0, 0 } };

	set_entries(3, 2, good, 2);
	refuses("paths of no site", ENOENT, "no such site");
	new_site(1, square, 5);
	accepts("a site");
	set_entries(3, 2, good, 2);
	accepts("its paths");
	set_entries(3, 2, good, 2);
	accepts("the same instead of them");
	set_entries(4, 2, good, 2);
	refuses("a source that there is not", EINVAL, "no such source");
	set_entries(3, 1, good, 2);
	refuses("one copy", ERANGE, "");
	set_entries(3, 7, good, 2);
	refuses("seven copies", ERANGE, "");
	set_entries(3, 3, good, 2);
	refuses("fewer than it is said", EINVAL, "another number of copies");
	set_entries(3, 2, good, 0);
	refuses("none", EINVAL, "1 to 256 path entries");
	set_entries(3, 2, ENTRIES({ 1, 0, 0, 0 }, { 1, 1, 0, 0 }));
	refuses("both by one port", EINVAL, "two copies would come by one port");
	set_entries(3, 2, ENTRIES({ 2, 0, 0, 0 }, { 1, 0, 0, 0 }));
	refuses("disorder", EINVAL, "ascending order");
	set_entries(3, 2, ENTRIES({ 1, 0, 0, 0 }, { 1, 0, 0, 0 }, { 2, 0, 0, 0 }));
	refuses("a way twice", EINVAL, "ascending order");
	set_entries(3, 2, ENTRIES({ 1, 8, 0, 0 }, { 2, 0, 0, 0 }));
	refuses("a label too large", EINVAL, "labels are 0 to 7");
	set_entries(3, 2, ENTRIES({ 1, 0, 0, 1 }, { 2, 0, 0, 0 }));
	refuses("a label of what goes nowhere", EINVAL, "goes on nowhere");
	set_entries(3, 2, ENTRIES({ 0, 0, 1, 0 }, { 1, 0, 0, 0 }, { 2, 0, 0, 0 }));
	refuses("it begins where it is not the source", EINVAL, "is to come");
	set_entries(3, 2, ENTRIES({ 1, 0, 0, 0 }, { 3, 0, 0, 0 }));
	refuses("a port without neighbour", EINVAL, "is to come");
	set_entries(3, 2, ENTRIES({ 1, 0, 0, 0 }, { 255, 0, 0, 0 }));
	refuses("port 255", EINVAL, "is to come");
	set_entries(3, 2, ENTRIES({ 1, 0, 0, 0 }, { 1, 0, 32, 0 }, { 2, 0, 0, 0 }));
	refuses("to port 32", EINVAL, "is to go on");
	set_entries(3, 2, ENTRIES({ 1, 0, 0, 0 }, { 1, 0, 1, 0 }, { 2, 0, 0, 0 }));
	refuses("back", EINVAL, "go back");
	set_entries(2, 2, ENTRIES({ 1, 0, 0, 0 }, { 1, 0, 2, 0 }, { 2, 0, 0, 0 }));
	refuses("to the source", EINVAL, "to its source");
	set_entries(3, 2, ENTRIES({ 1, 0, 0, 0 }, { 1, 0, 2, 3 }, { 1, 1, 2, 3 }, { 2, 0, 0, 0 }));
	refuses("one label for two", EINVAL, "one port with one label");
	set_entries(1, 2, ENTRIES({ 0, 0, 1, 0 }));
	refuses("it begins on one port", EINVAL, "fewer ports");
	set_entries(1, 2, ENTRIES({ 0, 0, 1, 0 }, { 1, 0, 0, 0 }));
	refuses("its own comes back", EINVAL, "does not come in");
	set_entries(1, 2, ENTRIES({ 0, 0, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 2, 0 }));
	refuses("a copy for itself", EINVAL, "is no copy");
	set_entries(3, 2, good, 2);
	put(FLITCAST_A_PATH_ENTRIES, good, 7);
	refuses("half a way", EINVAL, "four bytes each");
	begin(family, FLITCAST_CMD_PATH_SET);
	put_u32(FLITCAST_A_PATH_SITE, 1);
	put_u32(FLITCAST_A_PATH_SOURCE, 3);
	refuses("no copies", EINVAL, "a source and a number of copies");
	begin(family, FLITCAST_CMD_PATH_DEL);
	put_u32(FLITCAST_A_PATH_SITE, 1);
	put_u32(FLITCAST_A_PATH_SOURCE, 3);
	put_u32(FLITCAST_A_PATH_COPIES, 2);
	accepts("forgotten");
	refuses("and again", ENOENT, "no paths of that source");
	begin(family, FLITCAST_CMD_PATH_DEL);
	put_u32(FLITCAST_A_PATH_SITE, 1);
	put_u32(FLITCAST_A_PATH_SOURCE, 0xffffffff);
	put_u32(FLITCAST_A_PATH_COPIES, 2);
	refuses("of no source", ENOENT, "no paths of that source");
	begin(family, FLITCAST_CMD_SITE_NEW);
	put_u32(FLITCAST_A_SITE_ID, 2);
	put(FLITCAST_A_SITE_TOPOLOGY, "ring:4", 7);
	accepts("a site of a ring");
	set_entries(3, 2, good, 2);
	put_u32(FLITCAST_A_PATH_SITE, 2);
	refuses("paths of a ring", EOPNOTSUPP, "no graph");
}

/*
 * Keys.
 */

/* The answer repeats the request, with other bytes instead of the key. */
static void forgets(const char *name, int want, const char *key)
{
	int err = talk();

	result(err == want && answered > (ssize_t)used &&
	       !memmem(answer, answered, key, FLITCAST_KEY_SIZE), name, err);
}

static void keyed_sites(void)
{
	char key[FLITCAST_KEY_SIZE], other[FLITCAST_KEY_SIZE];
	int zero = 0, one = 1;

	memset(key, 'k', sizeof(key));
	memset(other, 'o', sizeof(other));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &zero, sizeof(zero));
	begin(family, FLITCAST_CMD_SITE_NEW);
	put_u32(FLITCAST_A_SITE_ID, 9);
	put(FLITCAST_A_SITE_TOPOLOGY, "ring:4", 7);
	put(FLITCAST_A_SITE_KEY, key, sizeof(key));
	forgets("the key of a site that the topology has not", EINVAL, key);
	put(FLITCAST_A_SITE_KEY, other, sizeof(other));
	forgets("the first of two keys", EINVAL, key);
	begin(family, FLITCAST_CMD_SITE_NEW);
	put(FLITCAST_A_SITE_KEY, key, sizeof(key));
	forgets("the key of a site without a number", EINVAL, key);
	begin(family, FLITCAST_CMD_SITE_SET);
	put_u32(FLITCAST_A_SITE_ID, 1);
	put(FLITCAST_A_SITE_KEY, key, sizeof(key));
	forgets("a key that cannot be changed", EOPNOTSUPP, key);
	begin(family, FLITCAST_CMD_SITE_SET);
	put_u32(FLITCAST_A_SITE_ID, 8);
	put(FLITCAST_A_SITE_KEY, key, sizeof(key));
	forgets("a key of no site", ENOENT, key);
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
}

static void begin_dump(uint8_t cmd)
{
	begin(family, cmd);
	((struct nlmsghdr *)request)->nlmsg_flags |= NLM_F_DUMP;
}

/* The tool asks for one object without NLM_F_DUMP. */
static void dumps(void)
{
	begin_dump(FLITCAST_CMD_LINK_GET);
	accepts("a dump of links");
	put_u32(FLITCAST_A_LINK_SITE, 1);
	accepts("a dump of links of a site");
	put_u32(FLITCAST_A_LINK_PORT, 1);
	refuses("a dump of links with a port", EINVAL, "chosen by site alone");
	begin_dump(FLITCAST_CMD_LINK_GET);
	put_u32(FLITCAST_A_LINK_IFINDEX, 1);
	refuses("a dump of links with a device", EINVAL, "chosen by site alone");
	begin_dump(FLITCAST_CMD_LINK_GET);
	put(FLITCAST_A_LINK_IFNAME, "lo", 3);
	refuses("a dump of links with a device's name", EINVAL, "chosen by site alone");
	begin_dump(FLITCAST_CMD_ROUTE_GET);
	put(FLITCAST_A_ROUTE_DIRECTION, "+x", 3);
	refuses("a dump of routes with a direction", EINVAL, "chosen by site alone");
}

int main(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	int one = 1;

	printf("TAP version 13\n");
	if (unshare(CLONE_NEWNET)) {
		printf("1..0 # SKIP cannot make a network namespace: %s\n", strerror(errno));
		return SKIP;
	}
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return 1;
	begin(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	put(CTRL_ATTR_FAMILY_NAME, FLITCAST_FAMILY_NAME, sizeof(FLITCAST_FAMILY_NAME));
	if (talk() || !family) {
		printf("1..0 # SKIP the module flitcast is not loaded\n");
		return SKIP;
	}
	graphs();
	paths();
	keyed_sites();
	dumps();
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
