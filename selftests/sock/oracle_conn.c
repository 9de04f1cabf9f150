// SPDX-License-Identifier: GPL-2.0
/*
 * Connections of the oracle: each record arrives once, in its place and whole, until the connection
 * breaks; if both ends have read the end of file, all records arrived.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include "lab.h"
#include "oracle.h"

#define RECORDS_MAX	60
#define RECORD_BYTES	20000
/* Records per turn. */
#define BATCH		4
#define AGAIN_MS	200

enum { CLIENT, SERVER, ENDS };

struct end {
	int fd;			/* -1: none */
	uint32_t quota;		/* number of records that it sends */
	uint32_t sent;
	uint32_t got;
	bool shut;
	bool eof;
};

/* A connection; each site opens one at a time. */
struct conn {
	bool open;
	bool connected;
	uint32_t number;
	uint32_t to;
	uint32_t port;
	uint64_t moved_ms;
	struct end end[ENDS];
};

static struct conn *conns;	/* indexed by connecting site */
static int *listeners;		/* indexed by site */
static uint32_t connections;

/* Errors of a connection whose site, or whose peer's site, was deleted without notice. */
static bool may_break(int err)
{
	return err == ECONNRESET || err == ETIMEDOUT || err == EHOSTUNREACH || err == EPIPE ||
	       err == ECONNREFUSED || err == ENETDOWN || err == ENOTCONN || err == ELOOP;
}

static uint64_t key_of(const struct conn *c, int e, uint32_t record)
{
	return msg_key(~opt.seed, 2 * c->number + e, record);
}

/* A record has at least one byte: 0 would be the end of file. */
static uint32_t len_of(const struct conn *c, int e, uint32_t record)
{
	struct prng own = { key_of(c, e, record) };

	return prng_log(&own, 1, RECORD_BYTES);
}

static void completed(struct conn *c)
{
	int e;

	for (e = CLIENT; e < ENDS; e++) {
		if (c->end[e].fd >= 0)
			close(c->end[e].fd);
		c->end[e].fd = -1;
	}
	c->open = false;
	c->moved_ms = now_ms();
}

static void broken(struct conn *c, int e, const char *call, int err)
{
	if (!may_break(err))
		wrong("connection of site %lu to %u: %s of the %s: %s", c - conns, c->to, call,
		      e == CLIENT ? "client" : "server", strerror(err));
	seen.broken++;
	completed(c);
}

static int listen_at(uint32_t site)
{
	int fd = oracle_socket(SOCK_SEQPACKET, site, LISTEN_PORT);

	if (fd >= 0 && !listen(fd, nsites))
		return fd;
	if (errno != ENETDOWN)
		die("site %u: listen: %s", site, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

void oracle_conn_open(void)
{
	uint32_t site;

	conns = oracle_alloc(nsites, sizeof(*conns));
	listeners = oracle_alloc(nsites, sizeof(*listeners));
	for (site = 0; site < nsites; site++)
		listeners[site] = listen_at(site);
}

static void begin(struct conn *c)
{
	struct sockaddr_flitcast addr;
	uint32_t site = c - conns;
	int fd, e;

	c->moved_ms = now_ms();
	*c = (struct conn) {
		.number = connections++, .moved_ms = now_ms(), .port = oracle_port(),
		.to = (site + 1 + prng_below(&prng, nsites - 1)) % nsites,
		.end = { { .fd = -1 }, { .fd = -1 } },
	};
	fd = oracle_socket(SOCK_SEQPACKET, site, c->port);
	if (fd < 0) {
		if (errno != ENETDOWN)
			die("site %u: %s", site, strerror(errno));
		return;
	}
	if (setsockopt(fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &opt.timeout_ms,
		       sizeof(opt.timeout_ms)) && errno != ENETDOWN)
		die("FLITCAST_TIMEOUT: %s", strerror(errno));
	c->open = true;
	c->end[CLIENT].fd = fd;
	for (e = CLIENT; e < ENDS; e++)
		c->end[e].quota = prng_below(&prng, RECORDS_MAX);
	addr = msg_addr(c->to, LISTEN_PORT);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) && errno != EINPROGRESS)
		broken(c, CLIENT, "connect", errno);
}

static void take(uint32_t site)
{
	struct sockaddr_flitcast from;
	socklen_t len = sizeof(from);
	struct conn *c;
	int fd;

	if (listeners[site] < 0)
		listeners[site] = listen_at(site);
	if (listeners[site] < 0)
		return;
	fd = accept4(listeners[site], (struct sockaddr *)&from, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0) {
		if (errno == ENETDOWN) {
			close(listeners[site]);
			listeners[site] = -1;
		} else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
			wrong("site %u: accept: %s", site, strerror(errno));
		}
		return;
	}
	c = from.sfc_site < nsites ? &conns[from.sfc_site] : NULL;
	/* The connecting end has aborted this connection. */
	if (!c || !c->open || c->port != from.sfc_port) {
		close(fd);
		return;
	}
	/*
	 * The site died before it confirmed the request: the next listener gets the request, too.
	 */
	if (c->end[SERVER].fd >= 0 && c->to == site && oracle_gone(c->end[SERVER].fd)) {
		close(c->end[SERVER].fd);
		c->end[SERVER].fd = -1;
	}
	if (c->end[SERVER].fd >= 0 || c->to != site) {
		wrong("site %u: a second connection from site %u port %u", site, from.sfc_site,
		      from.sfc_port);
		close(fd);
		return;
	}
	setsockopt(fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &opt.timeout_ms, sizeof(opt.timeout_ms));
	c->end[SERVER].fd = fd;
}

/* Return: true if a record or the end of file was read. */
static bool read_one(struct conn *c, int e)
{
	struct end *end = &c->end[e], *peer = &c->end[!e];
	ssize_t n;
	uint32_t len;

	if (end->eof) {
		/*
		 * The site of an end may be deleted before all its data arrived; no other event
		 * shows that.
		 */
		if (end->shut && oracle_gone(end->fd))
			broken(c, e, "recv", ENETDOWN);
		return false;
	}
	n = recv(end->fd, inbox, BYTES_MAX + 1, 0);
	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			broken(c, e, "recv", errno);
		return false;
	}
	if (!n) {
		end->eof = true;
		if (end->got != peer->quota)
			wrong("connection of site %lu to %u: end of records after %u of %u",
			      c - conns, c->to, end->got, peer->quota);
		return true;
	}
	len = len_of(c, !e, end->got);
	if (end->got >= peer->sent || (size_t)n != len ||
	    msg_check(inbox, n, key_of(c, !e, end->got), 0) != (size_t)n)
		wrong("connection of site %lu to %u: %zd bytes are not record %u of %u", c - conns,
		      c->to, n, end->got, len);
	end->got++;
	seen.records++;
	return true;
}

static bool write_one(struct conn *c, int e)
{
	struct end *end = &c->end[e];
	uint32_t len = len_of(c, e, end->sent);

	if (end->shut)
		return false;
	if (end->sent == end->quota) {
		end->shut = true;
		if (!shutdown(end->fd, SHUT_WR))
			return true;
		broken(c, e, "shutdown", errno);
		return false;
	}
	msg_fill(outbox, len, key_of(c, e, end->sent), 0);
	if (send(end->fd, outbox, len, 0) == (ssize_t)len) {
		end->sent++;
		return true;
	}
	if (errno != EAGAIN && errno != EINTR)
		broken(c, e, "send", errno);
	return false;
}

static bool connected(struct conn *c)
{
	int err;

	if (c->connected || !c->open)
		return c->open;
	if (!msg_wait(c->end[CLIENT].fd, POLLOUT, 0))
		return false;
	err = msg_error(c->end[CLIENT].fd);
	if (err) {
		broken(c, CLIENT, "connect", err);
		return false;
	}
	c->connected = true;
	seen.connected++;
	return true;
}

static bool step(struct conn *c)
{
	bool moved = false;
	int e, n;

	if (!connected(c))
		return false;
	for (e = CLIENT; e < ENDS; e++) {
		for (n = 0; n < BATCH && c->open && c->end[e].fd >= 0 && read_one(c, e); n++)
			moved = true;
		for (n = 0; n < BATCH && c->open && c->end[e].fd >= 0 && write_one(c, e); n++)
			moved = true;
	}
	if (moved)
		c->moved_ms = now_ms();
	if (c->open && c->end[CLIENT].eof && c->end[SERVER].eof) {
		seen.completed++;
		completed(c);
	}
	return moved;
}

bool oracle_conn_step(bool more)
{
	bool moved = false;
	uint32_t site;

	for (site = 0; site < nsites; site++) {
		take(site);
		if (conns[site].open)
			moved |= step(&conns[site]);
		else if (more && now_ms() >= conns[site].moved_ms + AGAIN_MS)
			begin(&conns[site]);
	}
	return moved;
}

bool oracle_conn_over(void)
{
	uint32_t site;

	for (site = 0; site < nsites; site++)
		if (conns[site].open)
			return false;
	return true;
}

void oracle_conn_blame(void)
{
	uint32_t site;

	for (site = 0; site < nsites; site++) {
		const struct conn *c = &conns[site];

		if (c->open)
			wrong("connection of site %u to %u: %sconnected, %saccepted, %u of %u and %u of %u records, still for %llu ms",
			      site, c->to, c->connected ? "" : "not ",
			      c->end[SERVER].fd >= 0 ? "" : "not ", c->end[SERVER].got,
			      c->end[CLIENT].quota, c->end[CLIENT].got, c->end[SERVER].quota,
			      (unsigned long long)(now_ms() - c->moved_ms));
	}
}
