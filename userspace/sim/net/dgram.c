// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams: queues of their sources, and numbers and order at their targets.
 */
#include <stdlib.h>

#include "fail.h"
#include "operator.h"
#include "core/faults/seen.h"
#include "traffic.h"
#include "base/util.h"
#include "core/vnet/vnet_pass.h"

/* Port of Ethernet frames. */
#define PORT	1
#define CHAINS	4096
/* Sets of a record of datagrams: as many as the module has, or few in a network of many sites. */
#define SETS		2048
#define SETS_FEW	256
#define SITES_MANY	64

/**
 * struct dgram_queue - datagrams that wait for a link
 * @first: the oldest one
 * @end: tail of @first
 */
struct dgram_queue {
	struct message *first;
	struct message **end;
};

/**
 * struct dgram_site - datagrams of a site
 * @queue: by port
 * @waiting: datagrams in all queues
 * @number: number of the next one that enters
 * @next: queue that is served next
 * @turn: datagrams come before other packets
 * @seen: datagrams that have come; without sets: none has
 */
struct dgram_site {
	struct dgram_queue queue[FC_PORTS_MAX];
	u32 waiting;
	u32 number;
	u8 next;
	bool turn;
	struct fc_seen seen;
};

static struct dgram_site *sites;
static u32 nsites;
static struct dgram_flow **flows;

void dgram_init(const struct config *config)
{
	if (!config->datagrams)
		return;
	nsites = config->topo.nsites;
	sites = xcalloc(nsites, sizeof(*sites));
	flows = xcalloc(CHAINS, sizeof(struct dgram_flow *));
	for (u32 i = 0; i < config->topo.nsites; i++) {
		/* Start near the maximum, so that the numbers wrap in every run. */
		sites[i].number = 0xfffffffe;
		for (u8 q = 0; q < FC_PORTS_MAX; q++)
			sites[i].queue[q].end = &sites[i].queue[q].first;
	}
}

void dgram_free(void)
{
	for (u32 i = 0; sites && i < nsites; i++)
		free(sites[i].seen.set);
	for (u32 i = 0; flows && i < CHAINS; i++) {
		while (flows[i]) {
			struct dgram_flow *flow = flows[i];

			flows[i] = flow->next;
			free(flow);
		}
	}
	free(flows);
	free(sites);
}

/*
 * Flows.
 */

static u32 hash_of(const struct message *m)
{
	u64 z = m->from + 1;

	for (u32 i = 0; i < m->ntargets; i++) {
		z = (z ^ m->target[i].flow->to) * 0x9e3779b97f4a7c15ULL;
		z ^= z >> 29;
	}
	return (u32)(z >> 16) & ~FC_SOCK_BCAST;
}

static bool same(const struct message *a, const struct message *b)
{
	if (a->ntargets != b->ntargets)
		return false;
	for (u32 i = 0; i < a->ntargets; i++)
		if (a->target[i].flow != b->target[i].flow)
			return false;
	return true;
}

void dgram_begin(struct message *m)
{
	u32 hash = hash_of(m);
	struct dgram_flow **chain = &flows[hash % CHAINS], *flow = *chain;

	while (flow && (flow->hash != hash || !same(flow->first, m)))
		flow = flow->next;
	if (!flow) {
		flow = xcalloc(1, sizeof(*flow) + m->ntargets * sizeof(flow->last[0]));
		flow->first = m;
		flow->hash = hash;
		flow->next = *chain;
		*chain = flow;
	}
	m->flow = flow;
	traffic.dgram.sent++;
	traffic.dgram.expected += m->ntargets;
}

void dgram_order(struct message *m, u32 i)
{
	u32 *last = &m->flow->last[i];

	traffic.dgram.delivered++;
	traffic.dgram.bytes += m->bytes;
	if (m->id < *last)
		traffic.dgram.overtaken++;
	else
		*last = m->id + 1;
}

bool dgram_lost(const struct sim *sim)
{
	if (!fail_any() && !sim->stat[FC_STAT_TRANSIT_FULL])
		return false;
	traffic.dgram.lost++;
	return true;
}

/*
 * Sending.
 */

static struct fc_packet packet_of(const struct message *m)
{
	return (struct fc_packet){
		.src = m->from, .incarnation = operator_incarnation(m->from),
		.sock = m->flow->hash, .src_port = PORT, .ntargets = (u8)m->ntargets, .id = m->id,
		.msg_len = m->bytes, .kind = FC_KIND_DATAGRAM,
	};
}

/* The link that a datagram takes first to target @i.  Return: false if it would wait there. */
static bool aim(const struct node *node, const struct message *m, u32 i, u8 *port)
{
	const struct fc_packet pk = packet_of(m);
	const struct fc_target t = {
		.site = m->target[i].flow->to, .port = PORT, .flags = FC_TARGET_LAST,
	};
	u8 head[FC_PACKET_SIZE + FC_TARGET_SIZE];
	u32 flits;

	/* In mode care packets enter by one net-input, whatever links they leave by. */
	*port = FC_PORT_LOCAL;
	if (!node->vnet)
		return true;
	flits = (fc_head_size(m->ntargets) + m->bytes + node->vnet->payload - 1) /
		node->vnet->payload;
	fc_wire_packet_encode(head, &pk);
	fc_wire_target_encode(head, 0, &t);
	return fc_vnet_aim(node->vnet, head, flits, port);
}

static bool may_enter(const struct node *node, const struct message *m)
{
	u8 port;

	for (u32 i = 0; i < m->ntargets; i++)
		if (!aim(node, m, i, &port))
			return false;
	return true;
}

void dgram_send(struct sim *sim, struct message *m)
{
	struct node *node = sim_node(sim, m->from);
	struct dgram_queue *queue;
	u8 port;

	aim(node, m, 0, &port);
	queue = &sites[m->from].queue[port];
	*queue->end = m;
	queue->end = &m->next;
	sites[m->from].waiting++;
	node->nbacklog++;
	dgram_ready(sim, m->from);
	operator_kick(sim, m->from);
}

void dgram_ready(struct sim *sim, u32 at)
{
	if (sites[at].waiting)
		sim_node(sim, at)->eager = true;
}

bool dgram_turn(u32 at)
{
	sites[at].turn = !sites[at].turn;
	return sites[at].turn;
}

/* Put the flits of a datagram into the operator. */
static void enter(struct sim *sim, struct node *node, struct message *m)
{
	const struct fc_packet pk = packet_of(m);
	struct fc_target targets[FC_TARGETS_MAX];

	m->number = sites[m->from].number++;
	for (u32 i = 0; i < m->ntargets; i++)
		targets[i] = (struct fc_target){
			.site = m->target[i].flow->to, .port = PORT, .len = m->bytes,
			.seq = m->number, .flags = i + 1 == m->ntargets ? FC_TARGET_LAST : 0,
		};
	sim->stat[FC_STAT_PKT_SENT]++;
	operator_cut(sim, node, m, &pk, targets);
}

bool dgram_next(struct sim *sim, u32 at)
{
	struct node *node = sim_node(sim, at);
	struct dgram_site *site = &sites[at];

	for (u8 i = 0; site->waiting && i < node->shared.nports; i++) {
		u8 q = (site->next + i) % node->shared.nports;
		struct dgram_queue *queue = &site->queue[q];
		struct message *m = queue->first;

		if (!m || !may_enter(node, m))
			continue;
		queue->first = m->next;
		if (!queue->first)
			queue->end = &queue->first;
		site->next = q + 1;
		site->waiting--;
		node->nbacklog--;
		enter(sim, node, m);
		return true;
	}
	return false;
}

/*
 * Receiving.
 */

/* No site forges datagrams here: source and number distinguish them. */
static u64 digest(const struct fc_packet *pk, const struct fc_target *t)
{
	return (u64)(pk->src + 1) << 32 | t->seq;
}

void dgram_take(struct sim *sim, u32 at, const struct fc_packet *pk, const struct fc_target *t)
{
	struct message *m = traffic_message(pk->id);
	struct flow *flow = traffic_flow(pk->src, at);
	struct fc_seen *seen = &sites[at].seen;
	u32 i = 0;

	while (m && i < m->ntargets && m->target[i].flow != flow)
		i++;
	if (!m || !m->flow || i == m->ntargets || m->bytes != pk->msg_len ||
	    m->number != t->seq || m->flow->hash != pk->sock) {
		sim_wrong(sim, "site %u: a datagram that nobody sent: %u from %u", at, pk->id,
			  pk->src);
		return;
	}
	if (!seen->set) {
		seen->nsets = nsites < SITES_MANY ? SETS : SETS_FEW;
		seen->set = xcalloc(seen->nsets, sizeof(*seen->set));
	}
	if (fc_seen_first(seen, pk->src, t->seq, digest(pk, t))) {
		m->target[i].got = pk->msg_len;
		traffic_arrived(sim, flow, m);
		return;
	}
	traffic.dgram.doubled++;
	if (!m->target[i].times)
		sim_wrong(sim, "site %u drops datagram %u as a double, but never got it", at,
			  m->id);
}
