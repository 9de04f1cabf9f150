// SPDX-License-Identifier: GPL-2.0
/*
 * A faulty site: the program, and the protocol to control it.
 *
 * The program listens on a socket with a name in the site's network namespace.  A message is a
 * struct order; the answer is the current order.  After an order to end, the program closes the
 * connection when its links are free.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "lab.h"
#include "liar_impl.h"
#include "place.h"

/* Time-out for the links, which the peers reset first. */
#define READY_NS	30000000000ULL

enum order_kind {
	ORDER_LIE,
	ORDER_REPORT,
	ORDER_END,
};

struct order {
	uint32_t kind;
	uint32_t lies;
	uint64_t seed;
};

static const char *const names[] = { "alter", "drop", "forge", "replay" };

const char *lies_name(uint32_t lies, char buf[LIES_SIZE])
{
	unsigned int i;

	buf[0] = '\0';
	for (i = 0; i < 4; i++) {
		if (!(lies & 1u << i))
			continue;
		if (*buf)
			strcat(buf, ",");
		strcat(buf, names[i]);
	}
	return buf;
}

uint32_t lies_parse(const char *text)
{
	char *words = xprintf("%s", text), *save = NULL, *word;
	uint32_t lies = 0;
	unsigned int i;

	for (word = strtok_r(words, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		for (i = 0; i < 4 && strcmp(word, names[i]); i++)
			;
		if (i == 4)
			bad_usage("lies are alter, drop, forge and replay, not \"%s\"", word);
		lies |= 1u << i;
	}
	free(words);
	if (!lies)
		bad_usage("lies are alter, drop, forge and replay, not \"%s\"", text);
	return lies;
}

static socklen_t address(struct sockaddr_un *addr)
{
	static const char name[] = "flitcast-liar";

	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	memcpy(addr->sun_path + 1, name, sizeof(name) - 1);
	return offsetof(struct sockaddr_un, sun_path) + sizeof(name);
}

/* Send an order, and receive the answer.  Return: false if no program answers. */
static bool ask(struct order *order)
{
	struct sockaddr_un addr;
	socklen_t size = address(&addr);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	char end;

	if (fd < 0 || connect(fd, (void *)&addr, size) ||
	    send(fd, order, sizeof(*order), MSG_NOSIGNAL) != sizeof(*order) ||
	    recv(fd, order, sizeof(*order), 0) != sizeof(*order)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (order->kind == ORDER_END)
		while (recv(fd, &end, 1, 0) > 0)
			continue;
	close(fd);
	return true;
}

bool liar_ask(uint32_t lies, uint64_t seed)
{
	struct order order = { lies ? ORDER_LIE : ORDER_END, lies, seed };

	return ask(&order);
}

uint32_t liar_lies(void)
{
	struct order order = { .kind = ORDER_REPORT };

	return ask(&order) ? order.lies : 0;
}

static void lie(struct liar *l, uint32_t lies, uint64_t seed)
{
	l->lies = lies;
	/* The state must not be 0, and must differ for similar seeds. */
	l->rng = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
}

/* Execute an order.  After an order to end, exit() closes the connection. */
static void obey(struct liar *l, int listener)
{
	struct timeval patience = { .tv_sec = 5 };
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct order order;
	uint8_t p;

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (recv(fd, &order, sizeof(order), 0) != sizeof(order)) {
		close(fd);
		return;
	}
	if (order.kind == ORDER_LIE)
		lie(l, order.lies, order.seed);
	order.lies = l->lies;
	if (order.kind == ORDER_END) {
		close(listener);
		for (p = 1; p <= l->topo.ndirs; p++)
			if (l->port[p].fd >= 0)
				close(l->port[p].fd);
	}
	if (send(fd, &order, sizeof(order), MSG_NOSIGNAL) < 0)
		complain("corrupt: %s", strerror(errno));
	if (order.kind == ORDER_END)
		exit(0);
	close(fd);
}

/* Return: the first port whose link should be up and is not; 0: none. */
static uint8_t waits_for(const struct liar *l)
{
	uint8_t p;

	for (p = 1; p <= l->topo.ndirs; p++)
		if (l->port[p].fd >= 0 && l->port[p].carrier &&
		    l->port[p].hello.state != FC_LINK_UP)
			return p;
	return 0;
}

static void report(int ready, const char *text)
{
	dprintf(ready, "%s\n", text);
	close(ready);
}

/* Return: true if a lab may have changed. */
static bool wait_until(const struct liar *l, int listener, int labs, u64 next)
{
	struct pollfd fds[FC_PORTS_MAX + 1];
	char changes[4096];
	struct timespec left = { 0 };
	u64 now = now_ns();
	unsigned int p;

	if (next > now) {
		left.tv_sec = (next - now) / 1000000000;
		left.tv_nsec = (next - now) % 1000000000;
	}
	fds[0].fd = listener;
	fds[0].events = POLLIN;
	for (p = 1; p <= l->topo.ndirs; p++) {
		fds[p].fd = l->port[p].fd;
		fds[p].events = POLLIN;
	}
	fds[p].fd = labs;
	fds[p].events = POLLIN;
	fds[p].revents = 0;
	ppoll(fds, p + 1, &left, NULL);
	return fds[p].revents && read(labs, changes, sizeof(changes)) > 0;
}

static int listen_for_orders(void)
{
	struct sockaddr_un addr;
	socklen_t size = address(&addr);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind(fd, (void *)&addr, size) || listen(fd, 8))
		return -1;
	return fd;
}

void liar_run(const struct lab *lab, uint32_t site, uint32_t lies, uint64_t seed, int ready)
{
	struct liar *l = xalloc(1, sizeof(*l));
	u64 until = now_ns() + READY_NS, next;
	int labs = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	int listener = listen_for_orders();
	char *wrong = NULL;
	uint8_t p;

	signal(SIGPIPE, SIG_IGN);
	lie(l, lies, seed);
	if (listener < 0)
		wrong = xprintf("its socket: %s", strerror(errno));
	if (inotify_add_watch(labs, LAB_STATE_DIR, IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE) < 0)
		wrong = xprintf(LAB_STATE_DIR ": %s", strerror(errno));
	if (wrong || !liar_open(l, lab, site, &wrong)) {
		report(ready, wrong);
		exit(EXIT_FAILED);
	}
	for (;;) {
		next = liar_time(l, now_ns());
		if (ready >= 0 && (!waits_for(l) || now_ns() > until)) {
			p = waits_for(l);
			wrong = p ? xprintf("port %u does not come up: %s", p,
					    fc_reason_text(l->port[p].hello.own.reason)) :
				xprintf("%s", "");
			report(ready, wrong);
			if (p)
				exit(EXIT_FAILED);
			ready = -1;
		}
		if (wait_until(l, listener, labs, next) && !place_is_lent(lab->name, site))
			exit(0);
		obey(l, listener);
		for (p = 1; p <= l->topo.ndirs; p++)
			if (l->port[p].fd >= 0)
				liar_receive(l, p);
	}
}
