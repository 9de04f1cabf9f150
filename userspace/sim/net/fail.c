// SPDX-License-Identifier: GPL-2.0
/*
 * Links that fail: what their ends and other sites know, and the packets they may have lost.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fail.h"
#include "operator.h"
#include "option.h"
#include "base/output.h"
#include "core/faults/routes.h"
#include "base/util.h"

/* Copies are stored while less than one in COPIES_SHARE places is used, as in fabric/store.c. */
#define COPIES_SHARE	8

/*
 * For how long an end at least suspects a link that is watched, in polls, and how often that
 * doubles, where the next suspicion follows within so many doublings of the last one: as
 * core/link/hello.h, where a poll is 20 ms.
 */
#define HOLD		25
#define HOLD_SHIFT	3
#define CALM_SHIFT	3

/* Changes of a link. */
enum fail_phase {
	FAIL_SILENT,
	FAIL_DOWN,
	FAIL_UP,
	FAIL_TRUST,		/* the end of @node may trust it again */
	FAIL_RESET,		/* in its life @vc */
};

/* Announcement of an end of a link: its state from a time on. */
struct fail_news {
	u64 at;
	bool down;
	bool suspect;
};

/**
 * struct fail_end - an end of a link that fails
 * @news: its announcements, in the order of their times
 * @stat: its counters, by enum fc_link_stat
 * @n: length of @news
 * @room: capacity of @news
 * @site: its site
 * @port: its port
 * @suspects: it suspects the link
 * @hold: for how long at least, the last time; 0: never yet
 * @trust_at: earliest end of the suspicion
 */
struct fail_end {
	struct fail_news *news;
	u64 stat[FC_LSTAT_COUNT];
	u32 n;
	u32 room;
	u32 site;
	u8 port;
	bool suspects;
	u64 hold;
	u64 trust_at;
};

/**
 * struct fail_link - a link that fails
 * @from: cycles in which its phases begin, by enum fail_phase; FC_NEVER: it is watched
 * @end: its ends
 */
struct fail_link {
	u64 from[FAIL_UP + 1];
	struct fail_end end[2];
};

/**
 * struct fail_site - what a site knows of the links that fail
 * @routes: its routes around them
 * @suspects: its ports whose link its routes avoid
 * @copies: of these, those with packets whose copies had no room
 */
struct fail_site {
	u32 *routes;
	u32 suspects;
	u32 copies;
};

static struct fail_link links[FAIL_MAX];
static u32 nlinks;
static struct fail_site *sites;
/* For the computation of routes: by site, ports; and the memory that it needs. */
static u32 *down;
static u32 *suspect;
static u32 *work;

const char *fail_add(const char *text)
{
	static const char wrong[] =
		"must be A-B@SILENT[,DOWN[,UP]], neighbours and ascending cycles";
	struct fail_link *link = &links[nlinks];
	const char *end = text;
	u64 site;

	if (nlinks == FAIL_MAX)
		return "too many links fail";
	for (u32 i = 0; i < 2; i++) {
		if (!option_number(end, FC_SITE_NONE - 1, &site, &end) || *end++ != "-@"[i])
			return wrong;
		link->end[i].site = (u32)site;
	}
	if (!option_number(end, (u64)1 << 40, &link->from[FAIL_SILENT], &end))
		return wrong;
	link->from[FAIL_DOWN] = link->from[FAIL_SILENT];
	link->from[FAIL_UP] = FC_NEVER;
	for (u32 phase = FAIL_DOWN; *end && phase <= FAIL_UP; phase++)
		if (*end++ != ',' || !option_number(end, (u64)1 << 40, &link->from[phase], &end) ||
		    link->from[phase] < link->from[phase - 1])
			return wrong;
	if (*end)
		return wrong;
	nlinks++;
	return NULL;
}

static bool watched(const struct fail_link *link)
{
	return link->from[FAIL_SILENT] == FC_NEVER;
}

bool fail_watch(const struct fc_topo *topo, u32 site)
{
	for (u8 d = 0; d < topo->ndirs; d++) {
		u32 peer = fc_topo_neighbour(topo, site, d);

		if (peer == FC_SITE_NONE)
			continue;
		if (nlinks == FAIL_MAX)
			return false;
		links[nlinks++] = (struct fail_link){
			.from = { FC_NEVER, FC_NEVER, FC_NEVER },
			.end = { { .site = site }, { .site = peer } },
		};
	}
	return true;
}

const char *fail_check(const struct fc_topo *topo)
{
	for (struct fail_link *link = links; link < links + nlinks; link++) {
		struct fail_end *a = &link->end[0], *b = &link->end[1];
		u8 d = 0;

		if (a->site >= topo->nsites || b->site >= topo->nsites)
			return "the network has no such site";
		while (d < topo->ndirs && fc_topo_neighbour(topo, a->site, d) != b->site)
			d++;
		if (d == topo->ndirs)
			return "the sites are no neighbours";
		a->port = d + 1;
		b->port = topo->ops->arrival(topo, a->site, d) + 1;
		for (const struct fail_link *other = links; other < link; other++)
			for (u32 i = 0; i < 2; i++)
				if (other->end[i].site == a->site && other->end[i].port == a->port)
					return "a link is given twice";
	}
	return NULL;
}

bool fail_any(void)
{
	return nlinks;
}

void fail_init(struct sim *sim)
{
	u32 nsites = sim->config.topo.nsites;

	if (!nlinks)
		return;
	sites = xcalloc(nsites, sizeof(*sites));
	for (u32 i = 0; i < nsites; i++)
		sites[i].routes = xcalloc(nsites, sizeof(u32));
	down = xcalloc(nsites, sizeof(*down));
	suspect = xcalloc(nsites, sizeof(*suspect));
	work = xcalloc(nsites, 3 * sizeof(*work));
	for (u32 i = 0; i < nlinks; i++) {
		struct event event = {
			.kind = EVENT_LINK, .node = links[i].end[0].site, .bytes = i,
		};

		for (event.port = FAIL_SILENT; event.port <= FAIL_UP; event.port++) {
			event.time = links[i].from[event.port];
			if (event.time == FC_NEVER || (event.port == FAIL_DOWN &&
						       event.time == links[i].from[FAIL_UP]))
				continue;
			queue_add(&sim->queue, &event);
		}
	}
}

void fail_free(u32 nsites)
{
	for (u32 i = 0; i < nlinks; i++)
		for (u32 j = 0; j < 2; j++)
			free(links[i].end[j].news);
	for (u32 i = 0; sites && i < nsites; i++)
		free(sites[i].routes);
	free(sites);
	free(down);
	free(suspect);
	free(work);
}

u64 *fail_stat(struct sim *sim, u32 at, u8 port)
{
	for (u32 i = 0; i < 2 * nlinks; i++)
		if (links[i / 2].end[i % 2].site == at && links[i / 2].end[i % 2].port == port)
			return links[i / 2].end[i % 2].stat;
	return sim->link_stat;
}

void fail_sum(struct sim *sim)
{
	for (u32 i = 0; i < 2 * nlinks; i++)
		for (u32 j = 0; j < FC_LSTAT_COUNT; j++)
			sim->link_stat[j] += links[i / 2].end[i % 2].stat[j];
}

void fail_report(void)
{
	for (u32 i = 0; i < nlinks; i++) {
		const struct fail_link *link = &links[i];
		char text[128];
		int n;

		if (watched(link))
			continue;
		n = snprintf(text, sizeof(text), "%u-%u@%llu,%llu", link->end[0].site,
			     link->end[1].site, (unsigned long long)link->from[FAIL_SILENT],
			     (unsigned long long)link->from[FAIL_DOWN]);
		if (link->from[FAIL_UP] != FC_NEVER)
			snprintf(text + n, sizeof(text) - n, ",%llu",
				 (unsigned long long)link->from[FAIL_UP]);
		output_text("fail", text);
	}
}

/*
 * News.
 */

/* Cycles until a site knows what another one announces. */
static u64 delay(const struct sim *sim, u32 from, u32 to)
{
	const struct fc_topo *topo = &sim->config.topo;

	return from == to ? 0 : topo->ops->distance(topo, from, to) * sim->config.latency;
}

/* An end announces the state of its link. */
static void announce(struct sim *sim, struct fail_end *end, bool is_down)
{
	struct event event = { .kind = EVENT_NEWS };

	if (end->n == end->room) {
		end->room = end->room ? 2 * end->room : 8;
		end->news = xrealloc(end->news, end->room * sizeof(*end->news));
	}
	end->news[end->n++] = (struct fail_news){
		.at = sim->now, .down = is_down, .suspect = end->suspects,
	};
	for (event.node = 0; event.node < sim->config.topo.nsites; event.node++) {
		event.time = sim->now + delay(sim, end->site, event.node);
		queue_add(&sim->queue, &event);
	}
}

/* Collect what a site knows.  Return: false if no link is dead or suspected. */
static bool know(const struct sim *sim, u32 at)
{
	u32 nsites = sim->config.topo.nsites;
	bool any = false;

	memset(down, 0, nsites * sizeof(*down));
	memset(suspect, 0, nsites * sizeof(*suspect));
	for (u32 i = 0; i < 2 * nlinks; i++) {
		const struct fail_end *end = &links[i / 2].end[i % 2];
		u32 n = end->n;

		while (n && end->news[n - 1].at + delay(sim, end->site, at) > sim->now)
			n--;
		if (!n)
			continue;
		if (end->news[n - 1].down)
			down[end->site] |= fc_bit(end->port);
		if (end->news[n - 1].suspect)
			suspect[end->site] |= fc_bit(end->port);
		any |= end->news[n - 1].down || end->news[n - 1].suspect;
	}
	return any;
}

/* Ports of a site whose link is up, and suspected by either end. */
static u32 suspects(const struct node *node)
{
	const struct fc_topo *topo = node->shared.topo;
	u32 ports = 0;

	for (u8 p = 1; p < node->shared.nports; p++)
		if (node->port[p].peer != FC_SITE_NONE && node->shared.up & fc_bit(p) &&
		    !fc_routes_link_works(topo, suspect, node->shared.id, p - 1))
			ports |= fc_bit(p);
	return ports;
}

static void send_events(struct sim *sim, u32 at, enum fc_event_type type, u32 ports)
{
	for (; ports; ports &= ports - 1) {
		struct fc_event ev = {
			.type = (u8)type, .port = (u8)fc_low(ports),
			.count = (u32)sim->config.window,
		};

		net_event(sim, at, FC_VC_CLASS, &ev);
	}
}

void fail_news(struct sim *sim, u32 at)
{
	struct node *node = sim_node(sim, at);
	struct fail_site *site = &sites[at];
	u32 before = site->suspects;
	bool any = know(sim, at);

	if (any)
		fc_routes_compute(node->shared.topo, at, down, suspect, site->routes, work);
	node->shared.routes = any ? site->routes : NULL;
	node->shared.rerouting = false;
	site->suspects = suspects(node);
	site->copies &= site->suspects;
	send_events(sim, at, FC_EV_SUSPECT, site->suspects & ~before);
	send_events(sim, at, FC_EV_TRUST, before & ~site->suspects & node->shared.up);
	if (node->vnet)
		fc_vnet_rerouted(node->vnet);
	else
		fc_site_rerouted(node->care);
	send_events(sim, at, FC_EV_TIME, fc_bit(FC_PORT_LOCAL));
}

/*
 * Links.
 */

static void link_phase(struct sim *sim, struct fail_end *end, enum fail_phase phase)
{
	struct node *node = sim_node(sim, end->site);
	struct port *port = &node->port[end->port];
	u32 bit = fc_bit(end->port);

	port->dark = phase != FAIL_UP;
	if (phase == FAIL_SILENT)
		return;
	end->suspects = false;
	if (phase == FAIL_DOWN) {
		node->shared.up &= ~bit;
		node->shared.rerouting = true;
		send_events(sim, end->site, FC_EV_LINK_DOWN, bit);
	} else if (!(node->shared.up & bit)) {
		port->epoch++;
		node->shared.up |= bit;
		send_events(sim, end->site, FC_EV_LINK_UP, bit);
	}
	announce(sim, end, phase == FAIL_DOWN);
}

/* The hold of a suspicion may have ended. */
static void trust(struct sim *sim, struct fail_end *end, struct event event)
{
	if (!end->suspects)
		return;
	if (sim->now < end->trust_at) {
		event.time = end->trust_at;
		queue_add(&sim->queue, &event);
		return;
	}
	end->suspects = false;
	announce(sim, end, false);
}

void fail_event(struct sim *sim, const struct event *event)
{
	struct fail_link *link = &links[event->bytes];
	struct fail_end *a = &link->end[0], *b = &link->end[1];
	enum fail_phase phase = (enum fail_phase)event->port;

	if (phase == FAIL_TRUST) {
		trust(sim, a->site == event->node ? a : b, *event);
	} else if (phase != FAIL_RESET) {
		link_phase(sim, a, phase);
		link_phase(sim, b, phase);
	} else if (sim_node(sim, a->site)->port[a->port].epoch == event->vc) {
		/* Both ends may have asked for the reset, and more than once. */
		link_phase(sim, a, FAIL_DOWN);
		link_phase(sim, b, FAIL_DOWN);
		link_phase(sim, a, FAIL_UP);
		link_phase(sim, b, FAIL_UP);
	}
}

bool fail_reset(struct sim *sim, u32 at, u8 port)
{
	struct event event = {
		.kind = EVENT_LINK, .node = at, .port = FAIL_RESET, .time = sim->now + 1,
		.vc = sim_node(sim, at)->port[port].epoch,
	};

	for (u32 i = 0; i < 2 * nlinks; i++) {
		const struct fail_end *end = &links[i / 2].end[i % 2];

		if (end->site != at || end->port != port || !watched(&links[i / 2]))
			continue;
		event.bytes = i / 2;
		queue_add(&sim->queue, &event);
		return true;
	}
	return false;
}

/* An end suspects a link that is watched: its peer answers HELLOs, and is trusted after a hold. */
static void suspect_watched(struct sim *sim, u32 link, struct fail_end *end, u8 why)
{
	u64 least = HOLD * sim->config.poll;
	struct event event = {
		.kind = EVENT_LINK, .node = end->site, .port = FAIL_TRUST, .bytes = link,
	};

	if (end->suspects) {
		if (why == FC_SUSPICION_STUCK && end->trust_at < sim->now + end->hold)
			end->trust_at = sim->now + end->hold;
		return;
	}
	if (!end->hold ||
	    (sim->now > end->trust_at && sim->now - end->trust_at > end->hold << CALM_SHIFT))
		end->hold = least;
	else if (end->hold < least << HOLD_SHIFT)
		end->hold *= 2;
	end->suspects = true;
	end->trust_at = sim->now + end->hold;
	event.time = end->trust_at;
	queue_add(&sim->queue, &event);
	announce(sim, end, false);
}

void fail_suspect(struct sim *sim, u32 at, u64 ports, u8 why)
{
	const struct node *node = sim_node(sim, at);

	for (u32 i = 0; i < 2 * nlinks; i++) {
		struct fail_end *end = &links[i / 2].end[i % 2];

		if (end->site == at && ports & fc_bit(end->port) && watched(&links[i / 2]) &&
		    node->shared.up & fc_bit(end->port))
			suspect_watched(sim, i / 2, end, why);
		/* The peer of a link that is not silent answers HELLOs, and is trusted. */
		if (end->site != at || !(ports & fc_bit(end->port)) || end->suspects ||
		    !node->port[end->port].dark || !(node->shared.up & fc_bit(end->port)))
			continue;
		end->suspects = true;
		announce(sim, end, false);
	}
}

/*
 * Packets that a link may have lost.
 */

static struct fc_flit *kept(const struct flits *replay, u32 i)
{
	return &replay->flit[(replay->first + i) % replay->room];
}

/*
 * Find the next whole packet that has no copy, from flit @i on.  Return: how many flits it has, or
 * 0; @i: behind its end.
 */
static u32 whole_packet(const struct flits *replay, u32 *i)
{
	u32 n = 0;

	while (*i < replay->n) {
		u8 parts = kept(replay, (*i)++)->parts;

		/* A packet whose front was acked, or that was copied or aborted. */
		if (parts & FC_PART_HEAD)
			n = 0;
		else if (!n)
			continue;
		n = parts & (FAIL_COPIED | FC_PART_ABORT) ? 0 : n + 1;
		if (n && parts & FC_PART_TERM)
			return n;
	}
	return 0;
}

/* Return: the front of a copy of a packet. */
static struct frame *copied_front(struct sim *sim, const struct frame *front)
{
	struct frame *frame = frame_new(sim, front->size, front);

	memcpy(frame->payload, front->payload, front->size);
	fc_node_head_copy(frame->payload);
	return frame;
}

/* Store a copy of the packet of @n flits that ends before flit @end. */
static bool keep_copy(struct sim *sim, u32 at, const struct flits *replay, u32 end, u32 n)
{
	struct flits flits = { 0 };

	for (u32 i = end - n; i < end; i++) {
		struct fc_flit flit = *kept(replay, i);
		struct frame *frame = flit.h;

		flit.parts &= FC_PART_HEAD | FC_PART_TERM;
		if (flit.parts & FC_PART_HEAD)
			frame = copied_front(sim, frame);
		else
			frame_get(frame);
		flit.h = frame;
		flit.head = flit.parts & FC_PART_HEAD ? frame->payload : NULL;
		flits_add(&flits, &flit);
	}
	return operator_keep(sim, at, &flits);
}

/* Is the packet that a flit begins to be copied, because it can leave by another link? */
static bool copies(const struct node *node, const struct fc_flit *front, u8 port)
{
	const u8 *head = ((const struct frame *)front->h)->payload;

	return fc_node_may_copy(head) &&
	       fc_node_avoids(&node->shared, head, fc_mask_all(fc_wire_ntargets(head)), port);
}

void fail_copy(struct sim *sim, u32 at, u8 vc, u8 port)
{
	struct flits *replay = net_replay(sim, at, vc, port);
	const struct node *node = sim_node(sim, at);
	u32 i = 0, n;

	while ((n = whole_packet(replay, &i))) {
		if (!copies(node, kept(replay, i - n), port))
			continue;
		if (node->transit_packets >= sim->config.transit / COPIES_SHARE) {
			sites[at].copies |= fc_bit(port);
			return;
		}
		sim->stat[FC_STAT_PKT_COPIED]++;
		if (keep_copy(sim, at, replay, i, n))
			while (n)
				kept(replay, i - n--)->parts |= FAIL_COPIED;
	}
}

void fail_ended(struct sim *sim, u32 at, u8 vc, u8 port)
{
	if (sites[at].suspects & fc_bit(port))
		fail_copy(sim, at, vc, port);
}

void fail_room(struct sim *sim, u32 at)
{
	u32 ports = sites[at].copies;

	sites[at].copies = 0;
	for (; ports; ports &= ports - 1)
		for (u8 c = 0; c < (sim->nclasses ? sim->nclasses : 1); c++)
			fail_copy(sim, at, FC_VC_CLASS + c, (u8)fc_low(ports));
}

void fail_rescue(struct sim *sim, u32 at, u8 vc, u8 port)
{
	struct flits *replay = net_replay(sim, at, vc, port);
	u32 i = 0, n;

	while ((n = whole_packet(replay, &i))) {
		sim->stat[FC_STAT_PKT_RESCUED]++;
		keep_copy(sim, at, replay, i, n);
	}
	while (replay->n)
		frame_put(sim, flits_take(replay).h);
}
