// SPDX-License-Identifier: GPL-2.0
/*
 * Router (CARE, section 4.6): which net-outputs a packet goes to.
 *
 * It decides on the whole list before it connects anything, so that a partial
 * find (footnote 10) has nothing to take back.
 */
#include "core/care/machine.h"
#include "core/wire/wire_flow.h"

/* Net-outputs available to this net-input, the local one apart. */
static u32 available(const struct fc_site *site, u8 in, bool multi)
{
	u32 mask = 0;
	u8 p;

	for (p = 1; p < site->node->nports; p++)
		if (fc_netout_available(site, p, in, multi))
			mask |= fc_bit(p);
	return mask;
}

/* A port of the mask, from the rotating place on: spreads equal choices. */
static u8 pick(const struct fc_site *site, u32 mask)
{
	u32 high = mask & ~(fc_bit(site->rotate) - 1);

	return fc_low(high ? high : mask);
}

void fc_router_release_claims(struct fc_site *site, u8 in)
{
	u8 p;

	for (p = 0; p < site->node->nports; p++)
		if (site->out[p].claim == in)
			site->out[p].claim = FC_PORT_NONE;
}

/*
 * No net-output is available now.  A packet of several flits claims one that is free but has flits
 * in flight, and asks its peer for an ack of them.
 */
static enum fc_route seek(struct fc_site *site, u8 in, u32 wanted)
{
	u32 rest;

	if (!site->in[in].multi)
		return FC_ROUTE_SEEK;
	for (rest = wanted & ~fc_bit(FC_PORT_LOCAL); rest; rest &= rest - 1) {
		u8 p = fc_low(rest);
		struct fc_out *out = &site->out[p];

		if (out->state != FC_NO_FREE || !(site->data.up & fc_bit(p)))
			continue;
		if (out->claim != FC_PORT_NONE)
			continue;
		out->claim = in;
		if (!fc_tx_empty(&site->data.tx[p]))
			fc_llr_add_flags(&site->data, p, FC_STATUS_ACK_REQUEST);
		break;
	}
	return FC_ROUTE_SEEK;
}

static enum fc_route connected(struct fc_site *site, u8 in, enum fc_conn type, u32 ports)
{
	static const u8 stats[] = {
		[FC_CONN_UNICAST]	= FC_STAT_PKT_UNICAST,
		[FC_CONN_PASSTHRU]	= FC_STAT_PKT_PASSTHRU,
		[FC_CONN_ALL_REMOTE]	= FC_STAT_PKT_ALL_REMOTE,
		[FC_CONN_SOME_LOCAL]	= FC_STAT_PKT_SOME_LOCAL,
		[FC_CONN_SINK]		= FC_STAT_PKT_UNROUTABLE,
	};

	site->node->stat[stats[type]]++;
	site->in[in].type = type;
	site->in[in].conn = ports;
	fc_router_release_claims(site, in);
	return FC_ROUTE_CONNECTED;
}

/**
 * struct targets - the net-outputs that the targets of a packet may take
 * @dst: by target: its site
 * @cand: by target: free net-outputs that lead nearer to it
 * @free: net-outputs available to the net-input, the local one apart
 * @common: of @free: lead nearer to all targets that have a route
 * @wanted: lead nearer to targets without a free one
 * @stuck: ports whose peers take nothing: not used
 * @all: targets of the packet
 * @local: of @all: at this site
 * @unreachable: of @all: without a route
 * @found: no target waits for a net-output
 */
struct targets {
	u32 dst[FC_TARGETS_MAX];
	u32 cand[FC_TARGETS_MAX];
	u32 free;
	u32 common;
	u32 wanted;
	u32 stuck;
	u64 all;
	u64 local;
	u64 unreachable;
	bool found;
};

/* The port of @ports that all packets of a datagram's flow take. */
static u32 port_of_flow(const struct fc_site *site, const u8 *head, u32 ports)
{
	u32 chosen = 0, least = 0;

	for (; ports; ports &= ports - 1) {
		u8 p = fc_low(ports);
		u32 weight = fc_wire_flow_weight(head, site->node->id, p - 1);

		if (!chosen || weight < least) {
			chosen = fc_bit(p);
			least = weight;
		}
	}
	return chosen;
}

/*
 * Net-outputs of @mask that lead nearer to a site, and that the packet may take.  A datagram waits
 * for the one of its flow, though the peer there takes nothing.
 */
static u32 outputs_to(const struct fc_site *site, const u8 *head, u32 dst, u32 mask)
{
	u32 up = site->data.up & ~fc_bit(FC_PORT_LOCAL), key = 0, ports;

	if (site->node->prefers)
		key = fc_prefer_key(head);
	if (!fc_wire_datagram(head))
		return fc_node_choose_ports(site->node, dst, up & ~site->data.stuck_long, mask,
					    key);
	ports = fc_node_choose_ports(site->node, dst, up, up, key);
	return port_of_flow(site, head, ports) & mask;
}

static void find_outputs(const struct fc_site *site, const struct fc_in *ni, u32 free,
			 struct targets *t)
{
	unsigned int i, n = fc_wire_target_sites(t->dst, ni->held.head);
	u32 stuck = fc_wire_datagram(ni->held.head) ? site->data.stuck : site->data.stuck_long;
	u32 up = site->data.up & ~(fc_bit(FC_PORT_LOCAL) | stuck);

	t->stuck = stuck;
	t->free = free;
	t->common = free;
	t->wanted = 0;
	t->all = fc_mask_all(n);
	t->local = 0;
	t->unreachable = 0;
	t->found = true;
	for (i = 0; i < n; i++) {
		u32 dst = t->dst[i];

		if (dst == site->node->id) {
			t->local |= fc_bit64(i);
			t->cand[i] = 0;
			continue;
		}
		if (i && dst == t->dst[i - 1])
			t->cand[i] = t->cand[i - 1];
		else
			t->cand[i] = outputs_to(site, ni->held.head, dst, free);
		if (!t->cand[i]) {
			u32 busy = outputs_to(site, ni->held.head, dst, up);

			if (!busy && (stuck || !site->node->rerouting)) {
				t->unreachable |= fc_bit64(i);
				continue;
			}
			t->wanted |= busy;
			t->found = false;
		}
		t->common &= t->cand[i];
	}
}

/* Are the targets of @remote all at one site, with none here? */
static bool at_one_site(const struct targets *t, u64 remote)
{
	u32 first;
	u64 rest;

	if (t->local || !remote)
		return !remote;
	first = t->dst[fc_low64(remote)];
	for (rest = remote; rest; rest &= rest - 1)
		if (t->dst[fc_low64(rest)] != first)
			return false;
	return true;
}

/* The free net-output that leads nearer to the most targets.  Return: those targets. */
static u64 best_of(const struct targets *t, u64 remote, u8 *port)
{
	unsigned int most = 0;
	u64 best = 0;
	u32 rest;

	for (rest = t->free; rest; rest &= rest - 1) {
		unsigned int count = 0;
		u64 mask = 0, left;
		u8 p = fc_low(rest);

		for (left = remote; left; left &= left - 1) {
			unsigned int i = fc_low64(left);

			if (t->cand[i] & fc_bit(p)) {
				mask |= fc_bit64(i);
				count++;
			}
		}
		if (count > most) {
			most = count;
			best = mask;
			*port = p;
		}
	}
	return best;
}

/* Split over as few net-outputs as a greedy cover finds: nothing is sent twice. */
static enum fc_route split(struct fc_site *site, u8 in, const struct targets *t, u64 remote)
{
	u32 ports = fc_bit(FC_PORT_LOCAL);

	fc_netout_connect(site, FC_PORT_LOCAL, in, t->all & ~t->unreachable);
	while (remote) {
		u8 port = 0;
		u64 mask = best_of(t, remote, &port);

		if (FC_BUG_ON_US(!mask))
			break;
		fc_netout_connect(site, port, in, mask);
		ports |= fc_bit(port);
		remote &= ~mask;
	}
	return connected(site, in, t->local ? FC_CONN_SOME_LOCAL : FC_CONN_ALL_REMOTE, ports);
}

enum fc_route fc_router_connect(struct fc_site *site, u8 in, bool force, struct fc_effects *fx)
{
	struct fc_in *ni = &site->in[in];
	bool here = fc_netout_available(site, FC_PORT_LOCAL, in, ni->multi);
	struct targets FC_UNSET t;
	unsigned int i;
	bool one_site;
	u64 remote;
	u8 p;

	find_outputs(site, ni, available(site, in, ni->multi), &t);
	if (fc_wire_hops(ni->held.head) >= FC_HOPS_MAX) {
		site->node->stat[FC_STAT_PKT_HOPS]++;
		t.unreachable = t.all & ~t.local;
	}
	if (t.unreachable && !ni->reported_unreachable) {
		ni->reported_unreachable = true;
		if (t.stuck)
			site->data.rx[fc_low(t.stuck)].stat[FC_LSTAT_TX_ABANDONED]++;
		fc_effect_add(fx, FC_FX_UNREACHABLE, in, &ni->held)->mask = t.unreachable;
	}
	remote = t.all & ~t.local & ~t.unreachable;
	one_site = at_one_site(&t, remote);

	if (!(t.local | remote))
		return connected(site, in, FC_CONN_SINK, 0);

	if (force || !remote) {
		/* Delivered here, or stored here for the operator to send on. */
		if (!here)
			return seek(site, in, 0);
		if (force && remote)
			site->node->stat[FC_STAT_PKT_FORCED]++;
		fc_netout_connect(site, FC_PORT_LOCAL, in, t.all & ~t.unreachable);
		return connected(site, in, FC_CONN_UNICAST, fc_bit(FC_PORT_LOCAL));
	}

	/* All by one net-output: no split, no stored copy (3.4). */
	if (!t.local && t.common) {
		p = pick(site, t.common);
		fc_netout_connect(site, p, in, remote);
		return connected(site, in, one_site ? FC_CONN_UNICAST : FC_CONN_PASSTHRU,
				 fc_bit(p));
	}
	if (one_site)
		return seek(site, in, t.wanted);

	if (!here) {
		/*
		 * A split must be able to store a copy; else follow the first target (4.1), but not
		 * with a datagram: the next one of its flow may split, and overtake it.
		 */
		i = fc_low64(t.all & ~t.unreachable);
		if ((t.local >> i & 1) || !t.cand[i] || fc_wire_datagram(ni->held.head))
			return seek(site, in, t.wanted);
		p = pick(site, t.cand[i]);
		fc_netout_connect(site, p, in, t.all & ~t.unreachable);
		return connected(site, in, FC_CONN_PASSTHRU, fc_bit(p));
	}
	return t.found ? split(site, in, &t, remote) : seek(site, in, t.wanted);
}
