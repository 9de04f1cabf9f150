/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the paper leaves to others: link buffers for packets that wait, crossbars, and other
 * topologies than hypercubes.
 */
#ifndef FLITCAST_SIM_CSR_BUFFERS_H
#define FLITCAST_SIM_CSR_BUFFERS_H

#include "csr_graph.h"
#include "csr_saturation.h"

/* K = 0 to 8. */
#define CSR_BUFFERS		9

enum csr_network {
	CSR_HYPERCUBE,
	CSR_TORUS,
	CSR_RANDOM,
	CSR_NETWORKS
};

/* Dimensions of the hypercubes with crossbars, and their link buffers: K = 0 to 2. */
#define CSR_CROSSBAR_FIRST	2
#define CSR_CROSSBAR_LAST	8
#define CSR_CROSSBARS		(CSR_CROSSBAR_LAST - CSR_CROSSBAR_FIRST + 1)
#define CSR_CROSSBAR_BUFFERS	3

/* Shares of the probes and answers that a link loses. */
#define CSR_LOSSES		3
extern const u32 csr_loss[CSR_LOSSES];

/**
 * struct csr_buffers - what was measured, all entry buffers always full
 * @at: by network and K
 * @unordered: the same where nothing keeps the order of packets
 * @lossy: of the random graph, by K = 0 to 2 and loss
 * @crossbar: useful share of the links of hypercubes, by K and dimension
 * @wrong: findings of the oracle, without those of @unordered
 */
struct csr_buffers {
	struct csr_graph_result at[CSR_NETWORKS][CSR_BUFFERS];
	struct csr_graph_result unordered[CSR_NETWORKS][CSR_BUFFERS];
	struct csr_graph_result lossy[CSR_CROSSBAR_BUFFERS][CSR_LOSSES];
	double crossbar[CSR_CROSSBAR_BUFFERS][CSR_CROSSBARS];
	u64 wrong;
};

void csr_buffers_measure(struct csr_buffers *buffers, u64 slots, u64 seed, u8 fault);
void csr_buffers_print(const struct csr_buffers *buffers);

/*
 * As DIR/csr-buffers.svg and DIR/csr-crossbar.svg.  Return: false, with a line on standard
 * error, if they cannot be written.
 */
bool csr_buffers_draw(const struct csr_buffers *buffers, const struct csr_saturations *all,
		      const char *dir);

#endif /* FLITCAST_SIM_CSR_BUFFERS_H */
