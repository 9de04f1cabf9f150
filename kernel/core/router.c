// SPDX-License-Identifier: GPL-2.0
/*
 * Router (CARE, section 4.6): which net-outputs a packet goes to.
 *
 * It decides on the whole list before it connects anything, so that a partial
 * find (footnote 10) has nothing to take back.
 */
#include "machine.h"

void fc_pref_default(struct fc_pref *pref, const struct fc_topo *topo)
{
	u8 d;

	memset(pref, 0, sizeof(*pref));
	for (d = 0; d < topo->ndirs; d++) {
		pref->count[d] = 1;
		pref->port[d][0] = d + 1;
	}
}

/* Directions that lead nearer to a site, around what is dead. */
static u32 directions(const struct fc_site *site, u32 dst)
{
	return site->routes ? site->routes[dst] : fc_topo_minimal(site->topo, site->id, dst);
}

/* Ports that lead nearer to a site: the first of @allowed in each list, best rank first. */
static u32 candidates(const struct fc_site *site, u32 dst, u32 allowed)
{
	u32 dirs = directions(site, dst), rest, ports = 0;
	const struct fc_pref *pref = site->pref;
	unsigned int rank;
	bool more = true;

	for (rank = 0; more && !ports; rank++) {
		more = false;
		for (rest = dirs; rest; rest &= rest - 1) {
			unsigned int d = fc_low(rest);

			if (rank >= pref->count[d])
				continue;
			more = true;
			ports |= fc_bit(pref->port[d][rank]);
		}
		ports &= allowed;
	}
	return ports;
}

u8 fc_site_next_port(struct fc_site *site, u32 dst)
{
	u32 ports = candidates(site, dst, site->data.up & ~fc_bit(FC_PORT_LOCAL));

	return ports ? fc_low(ports) : FC_PORT_NONE;
}

u64 fc_site_local_mask(const struct fc_site *site, const u8 *head)
{
	u32 FC_UNSET dst[FC_TARGETS_MAX];
	unsigned int i, n = fc_wire_target_sites(dst, head);
	u64 mask = 0;

	for (i = 0; i < n; i++)
		if (dst[i] == site->id)
			mask |= fc_bit64(i);
	return mask;
}

/* Net-outputs available to this net-input, the local one apart. */
static u32 available(const struct fc_site *site, u8 in, bool multi)
{
	u32 mask = 0;
	u8 p;

	for (p = 1; p < site->nports; p++)
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

	for (p = 0; p < site->nports; p++)
		if (site->out[p].claim == in)
			site->out[p].claim = FC_PORT_NONE;
}

/*
 * No way now.  A packet of several flits asks one net-output that is free but has
 * flits under way to be kept for it, and its peer to say when it has taken them.
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
			fc_llr_say(&site->data, p, FC_STATUS_WANT);
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

	site->stat[stats[type]]++;
	site->in[in].type = type;
	site->in[in].conn = ports;
	fc_router_release_claims(site, in);
	return FC_ROUTE_CONNECTED;
}

/* Are the targets of the masks, @local ones here, all at one site? */
static bool at_one_site(const u32 *dst, u64 local, u64 remote)
{
	u32 first;
	u64 rest;

	if (local || !remote)
		return !remote;
	first = dst[fc_low64(remote)];
	for (rest = remote; rest; rest &= rest - 1)
		if (dst[fc_low64(rest)] != first)
			return false;
	return true;
}

enum fc_route fc_router_connect(struct fc_site *site, u8 in, bool force, struct fc_effects *fx)
{
	struct fc_in *ni = &site->in[in];
	const u8 *head = ni->held.head;
	u32 dst[FC_TARGETS_MAX];
	unsigned int i, n = fc_wire_target_sites(dst, head);
	u64 all = fc_mask_all(n), local = 0, unreachable = 0, remote;
	u32 up = site->data.up & ~fc_bit(FC_PORT_LOCAL);
	u32 free = available(site, in, ni->multi);
	bool here = fc_netout_available(site, FC_PORT_LOCAL, in, ni->multi);
	u32 common = free, wanted = 0, ports = 0;
	u32 cand[FC_TARGETS_MAX];
	bool one_site, found = true;
	u8 p;

	for (i = 0; i < n; i++) {
		if (dst[i] == site->id) {
			local |= fc_bit64(i);
			cand[i] = 0;
			continue;
		}
		if (i && dst[i] == dst[i - 1])
			cand[i] = cand[i - 1];
		else
			cand[i] = candidates(site, dst[i], free);
		if (!cand[i]) {
			u32 busy = candidates(site, dst[i], up);

			if (!busy && !site->rerouting) {
				unreachable |= fc_bit64(i);
				continue;
			}
			wanted |= busy;
			found = false;
		}
		common &= cand[i];
	}
	if (fc_wire_hops(head) >= FC_HOPS_MAX) {
		site->stat[FC_STAT_PKT_HOPS]++;
		unreachable = all & ~local;
	}
	if (unreachable && !ni->told_unreachable) {
		ni->told_unreachable = true;
		fc_effect_add(fx, FC_FX_UNREACHABLE, in, &ni->held)->mask = unreachable;
	}
	remote = all & ~local & ~unreachable;
	one_site = at_one_site(dst, local, remote);

	if (!(local | remote))
		return connected(site, in, FC_CONN_SINK, 0);

	if (force || !remote) {
		/* Delivered here, or stored here for the operator to send on. */
		if (!here)
			return seek(site, in, 0);
		if (force && remote)
			site->stat[FC_STAT_PKT_FORCED]++;
		fc_netout_connect(site, FC_PORT_LOCAL, in, all & ~unreachable);
		return connected(site, in, FC_CONN_UNICAST, fc_bit(FC_PORT_LOCAL));
	}

	/* All by one net-output: no split, no stored copy (3.4). */
	if (!local && common) {
		p = pick(site, common);
		fc_netout_connect(site, p, in, remote);
		return connected(site, in, one_site ? FC_CONN_UNICAST : FC_CONN_PASSTHRU,
				 fc_bit(p));
	}
	if (one_site)
		return seek(site, in, wanted);

	if (!here) {
		/* A split must be able to store a copy; else follow the first target (4.1). */
		i = fc_low64(all & ~unreachable);
		if ((local >> i & 1) || !cand[i])
			return seek(site, in, wanted);
		p = pick(site, cand[i]);
		fc_netout_connect(site, p, in, all & ~unreachable);
		return connected(site, in, FC_CONN_PASSTHRU, fc_bit(p));
	}

	if (!found)
		return seek(site, in, wanted);

	/* Split over as few net-outputs as a greedy cover finds: nothing is sent twice. */
	fc_netout_connect(site, FC_PORT_LOCAL, in, all & ~unreachable);
	ports = fc_bit(FC_PORT_LOCAL);
	while (remote) {
		u64 best = 0;
		u8 best_port = 0;
		unsigned int most = 0;
		u32 rest;

		for (rest = free; rest; rest &= rest - 1) {
			unsigned int count = 0;
			u64 mask = 0, left;

			p = fc_low(rest);
			for (left = remote; left; left &= left - 1) {
				i = fc_low64(left);
				if (cand[i] & fc_bit(p)) {
					mask |= fc_bit64(i);
					count++;
				}
			}
			if (count > most) {
				most = count;
				best = mask;
				best_port = p;
			}
		}
		if (FC_BUG_ON_US(!most))
			break;
		fc_netout_connect(site, best_port, in, best);
		ports |= fc_bit(best_port);
		remote &= ~best;
	}
	return connected(site, in, local ? FC_CONN_SOME_LOCAL : FC_CONN_ALL_REMOTE, ports);
}
