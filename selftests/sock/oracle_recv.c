// SPDX-License-Identifier: GPL-2.0
/*
 * Receivers of the oracle: they identify each message by sender and number, and check every byte.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include "lab.h"
#include "oracle.h"

/* Messages that a receiver reads in one turn, so that senders have turns. */
#define READ_BATCH	8
#define SLOW_MS		400
#define REOPEN_MS	50
/* A receiver closes its socket in one of this number of turns, and reopens it later. */
#define CLOSE_ONE_IN	20000

struct receiver *receivers;
uint32_t nreceivers;

static const struct flitcast_reception receptions[KINDS] = {
	[KIND_FIRST] = { FLITCAST_RECEPTION_FIRST, 0, 1000 },
	[KIND_QUORUM] = { FLITCAST_RECEPTION_QUORUM, 2, 5000 },
};

static const int copies_of[KINDS] = { [KIND_FIRST] = 1, [KIND_QUORUM] = 3 };

static bool set(int fd, int level, int name, const void *value, socklen_t len)
{
	return !setsockopt(fd, level, name, value, len);
}

/* Return: 0, or -1 while the site does not exist. */
static int open_one(struct receiver *r)
{
	const struct flitcast_reception *reception = &receptions[r->kind];
	int one = 1, copies = copies_of[r->kind];
	int fd = oracle_socket(SOCK_RDM, r->site, RECEIVER_BASE + r->kind);
	bool ok;

	if (fd < 0 && errno == ENETDOWN)
		return -1;
	if (fd < 0)
		die("receiver at site %u: %s", r->site, strerror(errno));
	ok = set(fd, SOL_FLITCAST, FLITCAST_INFO, &one, sizeof(one));
	if (r->kind == KIND_SLOW && opt.room)
		ok = ok && set(fd, SOL_FLITCAST, FLITCAST_RCVBUF, &opt.room, sizeof(opt.room));
	if (copies)
		ok = ok && set(fd, SOL_FLITCAST, FLITCAST_COPIES, &copies, sizeof(copies)) &&
		     set(fd, SOL_FLITCAST, FLITCAST_RECEPTION, reception, sizeof(*reception));
	if (!ok) {
		int err = errno;

		close(fd);
		if (err == ENETDOWN)
			return -1;
		die("receiver at site %u: options: %s", r->site, strerror(err));
	}
	r->fd = fd;
	return 0;
}

void oracle_recv_open(void)
{
	uint32_t site;
	int kind;

	receivers = oracle_alloc(nsites * KINDS, sizeof(*receivers));
	for (site = 0; site < nsites; site++) {
		for (kind = 0; kind < KINDS; kind++) {
			struct receiver *r = &receivers[nreceivers++];

			*r = (struct receiver) { .fd = -1, .site = site, .kind = kind };
			if (!opt.bcasts && copies_of[kind])
				continue;
			if (open_one(r))
				die("receiver at site %u: %s", site, strerror(errno));
		}
	}
}

/* Close the socket; the next one at its address may receive messages of any number again. */
static void close_one(struct receiver *r)
{
	close(r->fd);
	r->fd = -1;
	r->life++;
	r->open_ms = now_ms() + REOPEN_MS;
	memset(r->next, 0, r->known * sizeof(*r->next));
}

static uint32_t *next_of(struct receiver *r, uint32_t sender)
{
	if (sender >= r->known) {
		uint32_t known = nsenders + 64;

		r->next = realloc(r->next, known * sizeof(*r->next));
		if (!r->next)
			die("no memory");
		memset(r->next + r->known, 0, (known - r->known) * sizeof(*r->next));
		r->known = known;
	}
	return &r->next[sender];
}

static bool info_is(const struct flitcast_info *info, const struct message *m,
		    const struct target *t, bool bcast)
{
	/* Senders use target lists, also for a single target. */
	bool type = bcast ? info->addrtype == FLITCAST_ADDR_BROADCAST :
			   info->addrtype == FLITCAST_ADDR_LIST;

	return type && info->offset == t->off && info->length == m->len;
}

static void judge(struct receiver *r, const struct sockaddr_flitcast *from,
		  const struct flitcast_info *info, size_t len)
{
	uint32_t sender, i, *next;
	struct message *m = oracle_send_find(from->sfc_site, from->sfc_port, info->id, &sender);
	size_t same;

#define AT "site %u port %u: message %u of site %u port %u"
#define WHERE r->site, RECEIVER_BASE + r->kind, info->id, from->sfc_site, from->sfc_port
	if (!m) {
		wrong(AT ": %zu bytes that nobody sent", WHERE, len);
		return;
	}
	for (i = 0; i < m->ntargets; i++)
		if (m->target[i].receiver == (uint32_t)(r - receivers))
			break;
	if (i == m->ntargets) {
		wrong(AT ": is not for this one", WHERE);
		return;
	}
	next = next_of(r, sender);
	if (info->id < *next) {
		wrong(AT ": once more, or after message %u", WHERE, *next - 1);
		return;
	}
	*next = info->id + 1;
	if (!info_is(info, m, &m->target[i], senders[sender].bcast))
		wrong(AT ": FLITCAST_INFO says type %u, %u of %u bytes", WHERE, info->addrtype,
		      info->offset, info->length);
	if (len != m->target[i].len) {
		wrong(AT ": %zu bytes of %u", WHERE, len, m->target[i].len);
		return;
	}
	same = msg_check(inbox, len, oracle_key(sender, info->id), m->target[i].off);
	if (same != len)
		wrong(AT ": byte %zu of %zu is wrong", WHERE, same, len);
	if (m->target[i].came++)
		seen.again++;
	seen.came++;
	seen.bytes += len;
	seen.bcasts += senders[sender].bcast;
#undef AT
#undef WHERE
}

/* Return: true if a message was read. */
static bool read_one(struct receiver *r)
{
	struct sockaddr_flitcast from;
	struct flitcast_info info;
	ssize_t n = msg_recv_info(r->fd, inbox, BYTES_MAX + 1, &from, &info);

	if (n >= 0) {
		judge(r, &from, &info, n);
		return true;
	}
	if (errno == ENETDOWN) {
		seen.deaths += r->kind == KIND_LARGE;
		close_one(r);
	} else if (errno != EAGAIN && errno != EINTR) {
		wrong("site %u port %u: recvmsg: %s", r->site, RECEIVER_BASE + r->kind,
		      strerror(errno));
	}
	return false;
}

/* Return: true if there is a socket to read from. */
static bool is_open(struct receiver *r, uint64_t now)
{
	if (!opt.bcasts && copies_of[r->kind])
		return false;
	if (r->fd >= 0)
		return true;
	if (now < r->open_ms)
		return false;
	r->open_ms = now + REOPEN_MS;
	return !open_one(r);
}

bool oracle_recv_all_open(void)
{
	uint32_t i;

	for (i = 0; i < nreceivers; i++)
		if (receivers[i].fd < 0 && (opt.bcasts || !copies_of[receivers[i].kind]))
			return false;
	return true;
}

bool oracle_recv_step(bool hurry)
{
	bool moved = false;
	uint64_t now = now_ms();
	uint32_t i, n;

	for (i = 0; i < nreceivers; i++) {
		struct receiver *r = &receivers[i];

		if (!is_open(r, now) || (now < r->read_ms && !hurry))
			continue;
		for (n = 0; n < READ_BATCH && r->fd >= 0 && read_one(r); n++)
			moved = true;
		if (r->kind == KIND_SLOW)
			r->read_ms = now + prng_below(&prng, SLOW_MS);
		/* The messages in the old socket are lost, or the next socket gets them. */
		if (r->kind == KIND_FAST && !hurry && r->fd >= 0 &&
		    !prng_below(&prng, CLOSE_ONE_IN))
			close_one(r);
	}
	return moved;
}
