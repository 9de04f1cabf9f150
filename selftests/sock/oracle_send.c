// SPDX-License-Identifier: GPL-2.0
/* Senders of the oracle: they send random messages, and check the reports. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include "lab.h"
#include "oracle.h"

/* Messages in flight of each sender. */
#define AHEAD		16
/* Percent of the targets that get a part, and of the messages that skip slow targets. */
#define PARTS		20
#define SKIPS		20
#define DETACH_MS	3000
#define SLOW_MS_MAX	2000
/* Delay before a sender retries to open its socket, or to send after a refusal. */
#define AGAIN_MS	100
/* Uncompleted messages printed at most. */
#define BLAME_MAX	10
#define BCAST_BYTES_MAX	60000
/* Longer messages have receivers of their own: they may fill a receive buffer. */
#define LARGE		(1 << 20)
/* Time-out for the socket to accept a last message. */
#define FINAL_MS	30000

struct sender *senders;
uint32_t nsenders;
static uint32_t room;
/* No more faults happen. */
static bool final;

uint64_t oracle_key(uint32_t sender, uint32_t id)
{
	return msg_key(opt.seed, sender, id);
}

struct message *oracle_send_find(uint32_t site, uint32_t port, uint32_t id, uint32_t *sender)
{
	uint32_t i;

	for (i = 0; i < nsenders; i++) {
		if (senders[i].port != port)
			continue;
		*sender = i;
		return senders[i].site == site && id < senders[i].count ? &senders[i].msg[id] :
									  NULL;
	}
	return NULL;
}

static bool set_slow(int fd, uint32_t policy, uint32_t ms)
{
	struct flitcast_slow_target slow = { policy, ms };

	return !setsockopt(fd, SOL_FLITCAST, FLITCAST_SLOW_TARGET, &slow, sizeof(slow));
}

/* Return: 0, or -1 while the site does not exist. */
static int open_one(struct sender *s)
{
	int one = 1, prio = 6, fd;
	bool ok;

	s->port = oracle_port();
	fd = oracle_socket(SOCK_RDM, s->site, s->port);
	if (fd < 0 && errno == ENETDOWN)
		return -1;
	if (fd < 0)
		die("sender at site %u: %s", s->site, strerror(errno));
	ok = !setsockopt(fd, SOL_FLITCAST, FLITCAST_CONFIRM, &one, sizeof(one)) &&
	     !setsockopt(fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &opt.timeout_ms,
			 sizeof(opt.timeout_ms));
	if (s->high)
		ok = ok && !setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &prio, sizeof(prio));
	if (s->detaches)
		ok = ok && set_slow(fd, FLITCAST_SLOW_DETACH, DETACH_MS);
	if (!ok) {
		int err = errno;

		close(fd);
		if (err == ENETDOWN)
			return -1;
		die("sender at site %u: options: %s", s->site, strerror(err));
	}
	s->fd = fd;
	return 0;
}

static void add(uint32_t site, bool bcast, bool high, bool detaches)
{
	if (nsenders == room) {
		room = 2 * room + 64;
		senders = realloc(senders, room * sizeof(*senders));
		if (!senders)
			die("no memory");
	}
	senders[nsenders++] = (struct sender) {
		.fd = -1, .site = site, .bcast = bcast, .high = high, .detaches = detaches,
	};
}

void oracle_send_open(void)
{
	uint32_t site;

	for (site = 0; site < nsites; site++) {
		add(site, false, false, site % 3 == 1);
		add(site, false, true, false);
		if (opt.bcasts)
			add(site, true, site & 1, false);
	}
}

/*
 * Composing.
 */

static void aim(struct target *t, uint32_t receiver)
{
	*t = (struct target) {
		.receiver = receiver, .life = receivers[receiver].life,
		.open = receivers[receiver].fd >= 0,
	};
}

/* Most messages are short; the first one has the maximum length. */
static uint32_t choose_len(const struct sender *s)
{
	static bool largest;
	uint32_t dice = prng_below(&prng, 1000);

	if (s->bcast)
		return prng_log(&prng, 0, dice < 900 ? 2000 : BCAST_BYTES_MAX);
	if (!largest) {
		largest = true;
		return BYTES_MAX;
	}
	if (dice < 900)
		return prng_log(&prng, 0, 2000);
	return prng_log(&prng, 0, dice < 995 ? 65536 * 2 : LARGE);
}

static void choose_list(struct message *m)
{
	uint32_t n, i, k, r, most = 2 * nsites;

	n = final ? nsites : m->len >= LARGE ? 2 : prng_log(&prng, 1, most);
	m->target = oracle_alloc(n, sizeof(*m->target));
	while (m->ntargets < n) {
		if (final)
			r = m->ntargets * KINDS + KIND_FAST;
		else
			r = prng_below(&prng, nsites) * KINDS +
			    (m->len >= LARGE ? KIND_LARGE :
			     prng_below(&prng, 4) ? KIND_FAST : KIND_SLOW);
		for (k = 0; k < m->ntargets && m->target[k].receiver != r; k++)
			;
		if (k < m->ntargets)
			continue;
		aim(&m->target[m->ntargets++], r);
	}
	for (i = 0; i < n; i++) {
		struct target *t = &m->target[i];

		t->len = m->len;
		if (!m->len || final || prng_below(&prng, 100) >= PARTS)
			continue;
		t->off = prng_below(&prng, m->len);
		t->len = 1 + prng_below(&prng, m->len - t->off);
	}
}

static void choose_bcast(struct message *m, const struct sender *s, enum kind kind)
{
	uint32_t site;

	m->target = oracle_alloc(nsites, sizeof(*m->target));
	for (site = 0; site < nsites; site++) {
		if (site == s->site)
			continue;
		aim(&m->target[m->ntargets], site * KINDS + kind);
		m->target[m->ntargets++].len = m->len;
	}
}

static ssize_t send_list(const struct sender *s, const struct message *m)
{
	char control[CMSG_SPACE(2 * 64 * sizeof(struct flitcast_target)) +
		     CMSG_SPACE(sizeof(struct flitcast_slow_target))] = { 0 };
	struct flitcast_slow_target slow = { FLITCAST_SLOW_SKIP, 0 };
	struct flitcast_target *to;
	struct sockaddr_flitcast addr = msg_addr_list();
	struct iovec iov = { .iov_base = outbox, .iov_len = m->len };
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = sizeof(addr), .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	size_t used = CMSG_SPACE(m->ntargets * sizeof(*to));
	uint32_t i;

	cmsg->cmsg_level = SOL_FLITCAST;
	cmsg->cmsg_type = FLITCAST_TARGETS;
	cmsg->cmsg_len = CMSG_LEN(m->ntargets * sizeof(*to));
	to = (struct flitcast_target *)CMSG_DATA(cmsg);
	for (i = 0; i < m->ntargets; i++) {
		const struct target *t = &m->target[i];
		const struct receiver *r = &receivers[t->receiver];

		to[i] = (struct flitcast_target) {
			.site = r->site, .port = RECEIVER_BASE + r->kind, .offset = t->off,
			.length = t->off || t->len != m->len ? t->len : 0,
		};
	}
	if (!final && !s->detaches && prng_below(&prng, 100) < SKIPS) {
		slow.ms = 1 + prng_below(&prng, SLOW_MS_MAX);
		cmsg = CMSG_NXTHDR(&msg, cmsg);
		cmsg->cmsg_level = SOL_FLITCAST;
		cmsg->cmsg_type = FLITCAST_SLOW_TARGET;
		cmsg->cmsg_len = CMSG_LEN(sizeof(slow));
		memcpy(CMSG_DATA(cmsg), &slow, sizeof(slow));
		used += CMSG_SPACE(sizeof(slow));
	}
	msg.msg_controllen = used;
	return sendmsg(s->fd, &msg, MSG_DONTWAIT);
}

static ssize_t send_bcast(const struct sender *s, const struct message *m, enum kind kind)
{
	struct sockaddr_flitcast addr = msg_addr(0, RECEIVER_BASE + kind);

	addr.sfc_addrtype = FLITCAST_ADDR_BROADCAST;
	addr.sfc_copies = kind == KIND_QUORUM ? 3 : 1;
	return sendto(s->fd, outbox, m->len, MSG_DONTWAIT, (struct sockaddr *)&addr, sizeof(addr));
}

/* Errors of a sender whose site is down or deleted, or errors of an earlier message. */
static bool may_report(int err)
{
	return err == EAGAIN || err == EINTR || err == ETIMEDOUT || err == EHOSTUNREACH ||
	       err == ELOOP || err == ECONNREFUSED || err == ETIME || err == ENETDOWN;
}

/* Return: true if the socket accepted the message. */
static bool send_one(struct sender *s)
{
	enum kind kind = prng_below(&prng, 2) ? KIND_QUORUM : KIND_FIRST;
	struct message m = { .len = choose_len(s), .final = final };
	ssize_t n;

	if (s->count == s->room) {
		s->room = 2 * s->room + 64;
		s->msg = realloc(s->msg, s->room * sizeof(*s->msg));
		if (!s->msg)
			die("no memory");
	}
	if (final && m.len > 2000)
		m.len = 2000;
	msg_fill(outbox, m.len, oracle_key(s - senders, s->count), 0);
	if (s->bcast)
		choose_bcast(&m, s, kind);
	else
		choose_list(&m);
	n = s->bcast ? send_bcast(s, &m, kind) : send_list(s, &m);
	if (n == (ssize_t)m.len) {
		m.sent_ms = now_ms();
		s->msg[s->count++] = m;
		seen.due += m.ntargets;
		return true;
	}
	free(m.target);
	s->again_ms = now_ms() + 1;
	if (n >= 0 || !may_report(errno))
		wrong("site %u port %u: message of %u bytes to %u targets: %s", s->site, s->port,
		      m.len, m.ntargets, n < 0 ? strerror(errno) : "not all of it");
	return false;
}

/*
 * Reports.
 */

static void note_failed(const struct target *t)
{
	seen.failed++;
	seen.unknown += t->unknown;
	seen.reported[t->err == ETIMEDOUT ? FAILED_TIMEDOUT :
		  t->err == EHOSTUNREACH || t->err == ELOOP ? FAILED_UNREACHABLE :
		  t->err == ETIME ? FAILED_SLOW : FAILED_DOWN]++;
}

static void note_result(const struct sender *s, uint32_t id, struct message *m,
			const struct flitcast_result *result)
{
	struct target *t = NULL;
	uint32_t i;

	for (i = 0; i < m->ntargets && !t; i++) {
		const struct receiver *r = &receivers[m->target[i].receiver];

		if (r->site == result->site && RECEIVER_BASE + r->kind == result->port)
			t = &m->target[i];
	}
	if (!t || t->reported) {
		wrong("site %u port %u: message %u: told of site %u port %u, %s", s->site, s->port,
		      id, result->site, result->port, t ? "again" : "no target of it");
		return;
	}
	t->reported = true;
	t->err = result->error;
	t->unknown = result->flags & FLITCAST_RESULT_UNKNOWN;
	if (result->flags & ~FLITCAST_RESULT_UNKNOWN || (t->unknown && !t->err))
		wrong("site %u port %u: message %u: told of site %u port %u: %s, flags %#x",
		      s->site, s->port, id, result->site, result->port, strerror(t->err),
		      result->flags);
	if (m->final && t->err)
		wrong("site %u port %u: message %u to site %u port %u, without a fault: %s",
		      s->site, s->port, id, result->site, result->port, strerror(t->err));
	switch (t->err) {
	case 0:
		seen.delivered++;
		break;
	case ECONNREFUSED:
		seen.refused++;
		break;
	case ECANCELED:
		seen.canceled++;
		break;
	case ETIMEDOUT:
	case EHOSTUNREACH:
	case ELOOP:
	case ETIME:
	case ENETDOWN:
		note_failed(t);
		break;
	default:
		wrong("site %u port %u: message %u: told of site %u port %u: %s", s->site, s->port,
		      id, result->site, result->port, strerror(t->err));
	}
}

/* Return: true if a report was read. */
static bool read_report(struct sender *s)
{
	static struct flitcast_result results[FLITCAST_TARGETS_MAX];
	struct flitcast_report report;
	int n = msg_report(s->fd, &report, results, FLITCAST_TARGETS_MAX, NULL), i;
	uint32_t unknown = 0;
	struct message *m;

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			wrong("site %u port %u: report: %s", s->site, s->port, strerror(errno));
		return false;
	}
	if (report.id >= s->count || s->msg[report.id].completed || report.lost) {
		wrong("site %u port %u: report of message %u of %u, %u lost", s->site, s->port,
		      report.id, s->count, report.lost);
		return true;
	}
	m = &s->msg[report.id];
	m->completed = true;
	s->reported++;
	if (now_ms() - m->sent_ms > seen.longest_ms)
		seen.longest_ms = now_ms() - m->sent_ms;
	if (n != (int)m->ntargets || report.targets != m->ntargets ||
	    report.delivered + report.failed + report.left_out != m->ntargets)
		wrong("site %u port %u: message %u to %u targets: %d results of %u: %u delivered, %u failed, %u left out",
		      s->site, s->port, report.id, m->ntargets, n, report.targets,
		      report.delivered, report.failed, report.left_out);
	for (i = 0; i < n; i++) {
		note_result(s, report.id, m, &results[i]);
		unknown += results[i].flags & FLITCAST_RESULT_UNKNOWN &&
			   results[i].error != ECANCELED &&
			   !(s->bcast && results[i].error == ECONNREFUSED);
	}
	if (report.unknown != unknown)
		wrong("site %u port %u: message %u: %u targets told unknown, the report says %u",
		      s->site, s->port, report.id, unknown, report.unknown);
	return true;
}

/* The sender's site was deleted: it gets no more reports, and another sender replaces it. */
static void retire(struct sender *s)
{
	uint32_t k;

	close(s->fd);
	s->fd = -1;
	s->retired = true;
	for (k = 0; k < s->count; k++)
		s->msg[k].completed = true;
	/* add() may move @s. */
	add(s->site, s->bcast, s->high, s->detaches);
}

bool oracle_send_step(bool more)
{
	bool moved = false;
	uint64_t now = now_ms();
	uint32_t i;

	for (i = 0; i < nsenders; i++) {
		struct sender *s = &senders[i];

		if (s->retired)
			continue;
		if (s->fd < 0) {
			if (now < s->again_ms)
				continue;
			s->again_ms = now + AGAIN_MS;
			if (open_one(s))
				continue;
		}
		while (read_report(s))
			moved = true;
		if (oracle_gone(s->fd)) {
			retire(s);
			continue;
		}
		/* A report has already returned the pending error. */
		msg_error(s->fd);
		/* Set the policy again, so that detached targets get messages again. */
		if (s->detaches && !prng_below(&prng, 500))
			set_slow(s->fd, FLITCAST_SLOW_DETACH, DETACH_MS);
		if (more && s->count - s->reported < AHEAD && now >= s->again_ms)
			moved |= send_one(s);
	}
	return moved;
}

void oracle_send_final(void)
{
	uint32_t i, n = nsenders;

	final = true;
	for (i = 0; i < n; i++) {
		uint64_t until = now_ms() + FINAL_MS;
		struct sender *s;

		while (senders[i].fd < 0 && !senders[i].retired && now_ms() < until)
			oracle_send_step(false);
		s = &senders[i];
		if (s->retired)
			continue;
		if (s->fd >= 0 && s->detaches)
			set_slow(s->fd, FLITCAST_SLOW_WAIT, 0);
		while (s->fd >= 0 && !send_one(s) && now_ms() < until) {
			oracle_recv_step(true);
			read_report(s);
		}
	}
}

/*
 * Verdict.
 */

bool oracle_send_over(void)
{
	uint32_t i, k;

	for (i = 0; i < nsenders; i++)
		for (k = senders[i].completed; k < senders[i].count; k++, senders[i].completed++)
			if (!senders[i].msg[k].completed)
				return false;
	return true;
}

static void blame(const struct sender *s, uint32_t id)
{
	const struct message *m = &s->msg[id];
	char missing[256] = "";
	size_t len = 0;
	uint32_t i;

	for (i = 0; i < m->ntargets && len < sizeof(missing) - 24; i++) {
		const struct receiver *r = &receivers[m->target[i].receiver];

		if (!m->target[i].came)
			len += sprintf(missing + len, " %u:%u", r->site, RECEIVER_BASE + r->kind);
	}
	wrong("site %u port %u: message %u of %u bytes to %u targets: no report after %" PRIu64
	      " ms; has not come to%s", s->site, s->port, id, m->len, m->ntargets,
	      now_ms() - m->sent_ms, missing);
}

void oracle_send_blame(void)
{
	uint32_t i, k, reported = 0;

	for (i = 0; i < nsenders; i++)
		for (k = 0; k < senders[i].count; k++)
			if (!senders[i].msg[k].completed && reported++ < BLAME_MAX)
				blame(&senders[i], k);
}

static void judge(const struct sender *s, uint32_t id, const struct message *m,
		  const struct target *t)
{
	const struct receiver *r = &receivers[t->receiver];
	bool came = t->came;

#define AT "site %u port %u: message %u to site %u port %u: "
#define WHERE s->site, s->port, id, r->site, RECEIVER_BASE + r->kind
	if (!t->reported) {
		/* A retired sender gets no reports. */
		if (!s->retired && m->completed)
			wrong(AT "not in its report", WHERE);
		return;
	}
	switch (t->err) {
	case 0:
		if (came)
			break;
		if (t->life == r->life)
			wrong(AT "told that it was delivered, did not come", WHERE);
		seen.excused++;
		break;
	case ECONNREFUSED:
		/* The receiver had a socket when a copy arrived, before or after. */
		if (came && t->open && t->life == r->life)
			wrong(AT "came, told: %s", WHERE, strerror(t->err));
		seen.excused += came;
		seen.refused_came += came && t->unknown;
		break;
	case ECANCELED:
		if (came)
			wrong(AT "came, told: %s", WHERE, strerror(t->err));
		break;
	default:
		if (came && !t->unknown)
			wrong(AT "came, told that it did not: %s", WHERE, strerror(t->err));
		seen.unknown_came += came;
	}
#undef AT
#undef WHERE
}

void oracle_send_judge(void)
{
	uint32_t i, k, n;

	for (i = 0; i < nsenders; i++) {
		for (k = 0; k < senders[i].count; k++) {
			const struct message *m = &senders[i].msg[k];

			for (n = 0; n < m->ntargets; n++)
				judge(&senders[i], k, m, &m->target[n]);
		}
	}
}
