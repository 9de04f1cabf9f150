// SPDX-License-Identifier: GPL-2.0
/*
 * The floods of an adversary: HELLOs, control entries and fault reports.  Each frame is valid, and
 * is sent by the links of the adversary alone.
 */
#include <stdlib.h>
#include <string.h>
#include "adversary.h"

#define SECOND_NS	1000000000ULL
/* Time between two steps of a flood. */
#define STEP_NS		2000000ULL
/* A flood does not send later what was due before this time. */
#define MOST_NS		20000000ULL
/* Time from the request of all reports to the first frame of a flood. */
#define LEARN_NS	500000000ULL
/* Lead of a false report over the last one of the site that it names. */
#define AHEAD		1000

static u32 any(void)
{
	return (u32)random() << 16 ^ (u32)random();
}

/* Return: any site but the adversary. */
static u32 other_site(const struct adversary *a)
{
	return (a->site + 1 + any() % (a->topo.nsites - 1)) % a->topo.nsites;
}

/* Return: the number of HELLOs, entries or reports that are due on a link. */
static u32 due(const struct adversary *a, struct adv_port *p, u64 now)
{
	u64 each = SECOND_NS / a->orders.rate;
	u32 n;

	if (p->flood_at + MOST_NS < now)
		p->flood_at = now - MOST_NS;
	n = (u32)((now - p->flood_at) / each);
	p->flood_at += n * each;
	return n;
}

/* HELLOs that ask for an answer, by which the link comes up or stays up. */
static void flood_fitting(struct adversary *a, u8 port, u32 n)
{
	struct fc_hello *hello = &a->port[port].hello;

	for (; n; n--) {
		struct fc_hello_msg msg = fc_hello_next(hello, false);

		msg.flags |= FC_HELLO_ASK;
		adv_send_hello(a, port, &msg, fc_hello_full(hello));
	}
}

/* HELLOs of a new epoch each, of another site, of another network, or of a site that is removed. */
static void flood_unfitting(struct adversary *a, u8 port, u32 n)
{
	struct fc_hello *hello = &a->port[port].hello;

	for (; n; n--) {
		struct fc_hello_msg own = hello->own, msg;

		switch (a->port[port].flood_turn++ % 5) {
		case 0:
			hello->own.epoch = any() | 1;
			break;
		case 1:
			hello->own.site = other_site(a);
			break;
		case 2:
			hello->own.topology ^= any() | 1;
			break;
		case 3:
			hello->own.peer_epoch = any();
			break;
		case 4:
			hello->own.flags |= FC_HELLO_LEAVES;
			break;
		}
		msg = fc_hello_next(hello, false);
		adv_send_hello(a, port, &msg, false);
		own.number = hello->own.number;
		hello->own = own;
	}
}

/* The link comes up in every other half of a period, and goes down in the next one. */
static void flood_hello(struct adversary *a, u8 port, u32 n, u64 now)
{
	struct adv_port *p = &a->port[port];

	if (now >= p->half_at) {
		p->half_at = now + a->orders.every;
		p->fits = !p->fits;
		if (p->fits)
			adv_new_epoch(a, port, now);
	}
	if (p->fits)
		flood_fitting(a, port, n);
	else
		flood_unfitting(a, port, n);
}

/*
 * An entry about a message between two other sites.  It has either the incarnation of the source,
 * which the site reports, and any socket, or any incarnation and the number of a likely socket: an
 * entry with both right could harm the message.
 */
static struct fc_ctrl forge_entry(const struct adversary *a)
{
	struct fc_ctrl c = {
		.kind = FC_CTRL_CONFIRM + any() % (FC_CTRL_COUNT - FC_CTRL_CONFIRM), .hops = 1,
		.dst = other_site(a), .site = other_site(a), .port = ADV_FLOOD_PORT + any() % 3,
		.seq = any() % 256, .next = any() % 256, .base = any() % 32, .have = any(),
	};
	bool asks = c.kind >= FC_CTRL_ASK && c.kind != FC_CTRL_RESYNC_REQ;

	if (any() % 2) {
		c.incarnation = a->known[asks ? c.site : c.dst].incarnation;
		c.sock = any() & ~FC_SOCK_BCAST;
	} else {
		c.incarnation = any();
		c.sock = any() % 64;
	}
	return c;
}

static void flood_control(struct adversary *a, u8 port, u32 n)
{
	u32 most = fc_ctrls_most(a->flit), i;
	u8 p[FC_CTRLS_MAX * FC_CTRL_SIZE];

	for (; n; n -= i) {
		struct fc_link_hdr h = { .type = FC_FRAME_CTRL };

		for (i = 0; i < n && i < most; i++) {
			struct fc_ctrl c = forge_entry(a);

			fc_wire_ctrl_encode(p + fc_ctrls_size(i), &c);
		}
		h.len = (u16)fc_ctrls_size(i);
		adv_send(a, port, &h, p, h.len);
	}
}

static u32 links_of(const struct adversary *a, u32 site)
{
	u32 ports = 0;
	u8 dir;

	for (dir = 0; dir < a->topo.ndirs; dir++)
		if (fc_topo_neighbour(&a->topo, site, dir) != FC_SITE_NONE)
			ports |= fc_bit(dir + 1);
	return ports;
}

/* Reports of this site: its links work, work not, or are suspected, in turn. */
static void flood_faults(struct adversary *a, u8 port, u32 n)
{
	u32 links = links_of(a, a->site);

	while (n) {
		struct fc_faults_msg msg = { .digest = any() };

		for (; n && msg.n < FC_FAULTS_MAX; n--) {
			u32 turn = ++a->word.version % 3;

			a->word.ports = turn == 1 ? links : 0;
			a->word.suspect = turn == 2 ? links : 0;
			msg.fault[msg.n++] = a->word;
		}
		adv_send_faults(a, port, &msg);
	}
}

/* Reports in the names of all other sites that none of their links works. */
static void blame_all(struct adversary *a, u8 port)
{
	struct fc_faults_msg msg = { 0 };
	u32 site;

	for (site = 0; site < a->topo.nsites; site++) {
		if (site == a->site)
			continue;
		msg.fault[msg.n++] = (struct fc_fault){
			.site = site, .incarnation = a->known[site].incarnation,
			.version = a->known[site].version + AHEAD, .ports = links_of(a, site),
		};
		if (msg.n == FC_FAULTS_MAX) {
			adv_send_faults(a, port, &msg);
			msg.n = 0;
		}
	}
	if (msg.n)
		adv_send_faults(a, port, &msg);
}

u64 adv_flood(struct adversary *a, u8 port, u64 now)
{
	struct adv_port *p = &a->port[port];
	struct fc_faults_msg ask = { 0 };

	if (!a->begun || a->orders.lie < ADV_HELLO || a->orders.lie > ADV_BLAME)
		return FC_NEVER;
	if (!p->flood_at) {
		/* The digest differs from the peer's: the peer sends all reports that it has. */
		p->flood_at = now + LEARN_NS;
		adv_send_faults(a, port, &ask);
	}
	if (p->flood_at > now)
		return p->flood_at;
	if (a->orders.lie == ADV_HELLO) {
		flood_hello(a, port, due(a, p, now), now);
	} else if (p->hello.state != FC_LINK_UP) {
		p->flood_at = now;
	} else if (a->orders.lie == ADV_BLAME) {
		blame_all(a, port);
		p->flood_at = a->orders.again ? now + a->orders.again : FC_NEVER;
		return p->flood_at;
	} else if (a->orders.lie == ADV_CONTROL) {
		flood_control(a, port, due(a, p, now));
	} else {
		flood_faults(a, port, due(a, p, now));
	}
	return now + STEP_NS;
}
