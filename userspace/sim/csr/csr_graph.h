/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conflict sense routing on any topology, slot by slot, with the kernel's reservations
 * (core/csr/csr.h): a slot is a window of length one, and all sites share one clock.
 *
 * A site has an entry buffer and K link buffers for each of its links, and a crossbar.
 */
#ifndef FLITCAST_SIM_CSR_GRAPH_H
#define FLITCAST_SIM_CSR_GRAPH_H

#include "csr_run.h"
#include "core/topo/topo.h"

#define CSR_BUFFERS_MAX		16
#define CSR_GRAPH_SITES_MAX	1024

/**
 * struct csr_graph_run - settings of a run
 * @topo: topology
 * @buffers: K: packets that may wait for a link, beside the one that is sent
 * @loss: probability that a link loses a probe or an answer
 * @run: other settings; @dimension and @backlogged are not used
 */
struct csr_graph_run {
	const struct fc_topo *topo;
	u32 buffers;
	u32 loss;
	struct csr_run run;
};

/**
 * struct csr_graph_result - results of a run
 * @count: counters from the end of the warm-up on; @useful: links crossed by delivered packets
 * @sites: number of sites
 * @links: number of directed links
 * @slots: slots counted
 * @orphans: slots of a link that were reserved and not used
 * @overtaken: packets delivered before an earlier one of the same entry buffer for the same
 *	target
 * @lost: packets that entered and have disappeared
 * @late: packets that were not delivered in the reserved slot, or had no reservation
 * @clashes: times that two packets used one link in one slot
 * @crowded: links with more packets than K and the one being sent
 * @leaked: reservations that were not confirmed and survived the control interval
 * @unbalanced: reservations that are not accounted for
 */
struct csr_graph_result {
	struct csr_count count;
	u32 sites;
	u32 links;
	u64 slots;
	u64 orphans;
	u64 overtaken;
	u64 lost;
	u64 late;
	u64 clashes;
	u64 crowded;
	u64 leaked;
	u64 unbalanced;
};

void csr_graph_run(struct csr_graph_result *result, const struct csr_graph_run *run);

/* Packets delivered for each site and slot, and the share of the links that they used. */
double csr_graph_throughput(const struct csr_graph_result *result);
double csr_graph_useful(const struct csr_graph_result *result);
/* Findings of the oracle. */
u64 csr_graph_wrong(const struct csr_graph_result *result);

#endif /* FLITCAST_SIM_CSR_GRAPH_H */
