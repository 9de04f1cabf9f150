/* SPDX-License-Identifier: GPL-2.0 */
/* A network in which links fall silent one after the other, in one direction each. */
#ifndef FLITCAST_SIM_FAILOVER_NET_H
#define FLITCAST_SIM_FAILOVER_NET_H

#include "core/topo/topo.h"
#include "failover.h"

#define FAILOVER_PIECES	4

/**
 * struct failover_pieces - failures, and the hosts that send each other probes
 * @between: these hosts
 * @n: number of failures
 * @piece: failures: after a time since the one before, nothing comes to a site by a port any more
 * @apart: of several ways, probes take the last one, and control frames the first one
 * @old: sources do not ask anew when routes change (a control)
 */
struct failover_pieces {
	u32 between[2];
	u32 n;
	struct {
		u64 gap;
		u32 site;
		u8 port;
	} piece[FAILOVER_PIECES];
	bool apart;
	bool old;
};

/**
 * struct failover_outage - result of a run
 * @longest: longest time without a failure in which a probe waited to be delivered in its order
 * @last: the same since the last failure
 * @lost: probes that did not come
 * @doubled: packets that came to their target again; targets drop them
 */
struct failover_outage {
	u64 longest;
	u64 last;
	u32 lost;
	u32 doubled;
};

/* Make a network whose links are up.  @topo is kept as long as the network is used. */
void failover_net_make(const struct fc_topo *topo);
u32 failover_net_sites(void);
/* Return: FC_SITE_NONE if there is none. */
u32 failover_net_neighbour(u32 site, u8 port);
u8 failover_net_arrival(u32 site, u8 port);
/* Let links fail.  The same seed gives the same result. */
struct failover_outage failover_net_fail(const struct failover_pieces *pieces, u64 seed);

#endif /* FLITCAST_SIM_FAILOVER_NET_H */
