/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prefetch the data that the next events of a switch will use, each piece once the pointer to it is
 * in the cache.  For net.c only.
 */
#ifndef FLITCAST_SIM_FETCH_H
#define FLITCAST_SIM_FETCH_H

#include "sim.h"
#include "core/wire/wire_link.h"

/* Distance in events from the prefetch of the site to the event; between two prefetches. */
#define FETCH_AHEAD	12
#define FETCH_STEP	4

static_assert(FETCH_AHEAD < SIM_COMING);

#define FETCH_LINE	64

/* Prefetch an object no larger than a cache line that may straddle two lines. */
#define FETCH_BOTH(p)	({ const char *p_ = (const void *)(p); __builtin_prefetch(p_); \
			   __builtin_prefetch(p_ + sizeof(*(p)) - 1); })

/*
 * Always inline: the compiler regards a call of a function that only prefetches as useless, and
 * drops it.
 */
#define FETCHES	static inline __attribute__((always_inline))

/* Prefetch the site, and everything at fixed offsets from it. */
FETCHES void fetch_site(const struct sim *sim, const struct event *event,
			struct coming *coming)
{
	const struct layout *layout = &sim->layout;
	const char *site = (const char *)sim_node(sim, event->node);
	u32 at;

	coming->site = site;
	coming->feeds = event->kind == EVENT_FEED;
	__builtin_prefetch(site);
	__builtin_prefetch(site + layout->vnet);
	__builtin_prefetch(site + layout->vnet + FETCH_LINE);
	if (event->vc < FC_VC_CLASS)
		return;
	at = (event->vc - FC_VC_CLASS) * (sim->config.topo.ndirs + 1u) + event->port;
	coming->rx = (const struct fc_rx *)(site + layout->rx) + at;
	__builtin_prefetch(site + layout->channel +
			   (event->vc - FC_VC_CLASS) * sizeof(struct fc_channel));
	__builtin_prefetch(coming->rx);
	if (event->frame) {
		coming->node = event->node;
		coming->class = event->vc - FC_VC_CLASS;
		coming->port = event->port;
		coming->ends = event->header[FC_LINK_FLAGS];
		coming->in = (const struct fc_vin *)(site + layout->in) + at;
		FETCH_BOTH(coming->in);
	} else {
		FETCH_BOTH((const struct fc_tx *)(site + layout->tx) + at);
	}
}

/* Prefetch the packet of a flit, or the next packet that the operator sends. */
FETCHES void fetch_packet(struct sim *sim, const struct coming *coming)
{
	const struct fc_vin *in = coming->in;
	const struct fc_rx *rx = coming->rx;

	if (coming->feeds) {
		const struct flits *sending = &((const struct node *)coming->site)->sending;

		__builtin_prefetch(sending->flit + sending->first);
	}
	if (!in)
		return;
	if (!rx->queue)
		vnet_lease_new(sim, coming->node, coming->class, coming->port);
	__builtin_prefetch(in->branch);
	/* A forwarded packet does not use the queue. */
	if (!in->busy || in->oper || coming->ends)
		__builtin_prefetch(rx->queue + rx->first + rx->queued);
}

/* Prefetch the output of the packet. */
FETCHES void fetch_out(const struct sim *sim, const struct coming *coming)
{
	const struct layout *layout = &sim->layout;
	const struct fc_vin *in = coming->in;
	const struct fc_vbranch *branch;
	const char *site = coming->site;
	u32 to;

	if (!in || !in->busy || !in->nbranches)
		return;
	branch = in->branch;
	to = branch->class * (sim->config.topo.ndirs + 1u) + branch->port;
	__builtin_prefetch(site + layout->channel + branch->class * sizeof(struct fc_channel));
	FETCH_BOTH((const struct fc_tx *)(site + layout->tx) + to);
	__builtin_prefetch((const struct fc_vout *)(site + layout->out) + to);
	__builtin_prefetch((const struct port *)(site + layout->port) + branch->port);
}

/* Prefetch for the next events; called once per event. */
FETCHES void fetch(struct sim *sim)
{
	const struct event *event = queue_ahead(&sim->queue, FETCH_AHEAD);
	u32 at = ++sim->coming_at;
	struct coming *coming = &sim->coming[at % SIM_COMING];

	coming->in = NULL;
	coming->feeds = false;
	if (event)
		fetch_site(sim, event, coming);
	fetch_packet(sim, &sim->coming[(at - FETCH_STEP) % SIM_COMING]);
	fetch_out(sim, &sim->coming[(at - 2 * FETCH_STEP) % SIM_COMING]);
}

#endif /* FLITCAST_SIM_FETCH_H */
