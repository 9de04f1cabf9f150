// SPDX-License-Identifier: GPL-2.0
/*
 * Extensions beyond the paper: link buffers for waiting packets, crossbars, and topologies other
 * than hypercubes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "csr_graph.h"
#include "csr_report.h"
#include "base/finding.h"
#include "graph.h"
#include "base/plot.h"
#include "base/random_graph.h"
#include "base/util.h"

/* A run has 1/SHARE of the slots of a row of Table 1. */
#define SHARE		8
/* Warm-up: slots until packets with the longest paths arrive at the rate at which they enter. */
#define WARM		100
/* Hypercubes with crossbars have this share of the slots; all dimensions simulate equal work. */
#define CROSSBAR_SHARE	16
/* Minimum number of slots of a large network. */
#define SLOTS_MIN	40

/* The random graph: sites, each with four links. */
#define RANDOM_SITES	24

/* K = 0 to 8. */
#define BUFFERS	9

enum network {
	HYPERCUBE,
	TORUS,
	RANDOM,
	NETWORKS
};

/* Dimensions of the hypercubes with crossbars, and their link buffers: K = 0 to 2. */
#define CROSSBAR_FIRST	2
#define CROSSBAR_LAST	8
#define CROSSBARS		(CROSSBAR_LAST - CROSSBAR_FIRST + 1)
#define CROSSBAR_BUFFERS	3

/* Shares of the probes and answers that a link loses. */
#define LOSSES	3
static const u32 loss[LOSSES] = { 0, CSR_ONE / 100, CSR_ONE / 10 };

static const char *const names[NETWORKS] = {
	[HYPERCUBE] = "hypercube:5", [TORUS] = "torus:5x5", [RANDOM] = "random graph",
};

/*
 * Results, with all entry buffers always full
 * @at: results by network and K
 * @unordered: results by network and K if the order of packets is not preserved
 * @lossy: results of the random graph, by K = 0 to 2 and loss
 * @crossbar: useful share of the links of hypercubes, by K and dimension
 * @wrong: findings of the oracle, except those of @unordered
 */
static struct {
	struct csr_graph_result at[NETWORKS][BUFFERS];
	struct csr_graph_result unordered[NETWORKS][BUFFERS];
	struct csr_graph_result lossy[CROSSBAR_BUFFERS][LOSSES];
	double crossbar[CROSSBAR_BUFFERS][CROSSBARS];
	u64 wrong;
} buffers;

/*
 * Networks.
 */

static void network(struct fc_topo *topo, enum network id, u64 seed)
{
	const char *error = NULL;

	*topo = (struct fc_topo){ 0 };
	if (id == RANDOM)
		random_graph(topo, RANDOM_SITES, seed);
	else
		error = fc_topo_parse(topo, names[id]);
	if (error)
		die("%s: %s", names[id], error);
}

/*
 * Measurements.
 */

static void point(struct csr_graph_result *result, const struct csr_graph_run *run)
{
	reproduce_point();
	csr_graph_run(result, run);
}

static void measure_network(enum network id, const struct csr_graph_run *given)
{
	struct csr_graph_run run = *given;
	struct fc_topo topo;

	network(&topo, id, given->run.seed);
	run.topo = &topo;
	for (run.buffers = 0; run.buffers < BUFFERS; run.buffers++) {
		struct csr_graph_result *at = &buffers.at[id][run.buffers];

		run.run.fault = given->run.fault;
		point(at, &run);
		buffers.wrong += csr_graph_wrong(at);
		run.run.fault = CSR_OVERTAKE;
		point(&buffers.unordered[id][run.buffers], &run);
	}
	run.run.fault = given->run.fault;
	for (u32 i = 0; id == RANDOM && i < LOSSES; i++) {
		run.loss = loss[i];
		for (run.buffers = 0; run.buffers < CROSSBAR_BUFFERS; run.buffers++) {
			point(&buffers.lossy[run.buffers][i], &run);
			buffers.wrong += csr_graph_wrong(&buffers.lossy[run.buffers][i]);
		}
	}
	graph_free(&topo);
}

static void measure_crossbar(u32 dimension, const struct csr_graph_run *given)
{
	u64 places = given->run.slots * CROSSBAR_LAST << CROSSBAR_LAST;
	u64 slots = places / CROSSBAR_SHARE / ((u64)dimension << dimension);
	struct csr_graph_run run = *given;
	struct csr_graph_result result;
	struct fc_topo topo;
	char spec[32];

	snprintf(spec, sizeof(spec), "hypercube:%u", dimension);
	if (fc_topo_parse(&topo, spec))
		die("%s: no topology", spec);
	run.topo = &topo;
	run.run.slots = slots > SLOTS_MIN ? slots : SLOTS_MIN;
	for (run.buffers = 0; run.buffers < CROSSBAR_BUFFERS; run.buffers++) {
		point(&result, &run);
		buffers.wrong += csr_graph_wrong(&result);
		buffers.crossbar[run.buffers][dimension - CROSSBAR_FIRST] =
			csr_graph_useful(&result);
	}
}

static void measure(const void *settings)
{
	const struct csr_run *given = &((const struct csr_settings *)settings)->run;
	u64 slots = given->slots / SHARE;
	const struct csr_graph_run run = {
		.run = {
			.arrive = CSR_ONE, .retry = CSR_ONE, .warm = WARM, .seed = given->seed,
			.slots = slots > SLOTS_MIN ? slots : SLOTS_MIN,
			.fault = given->fault,
		},
	};

	for (u32 i = 0; i < NETWORKS; i++)
		measure_network((enum network)i, &run);
	for (u32 d = CROSSBAR_FIRST; d <= CROSSBAR_LAST; d++)
		measure_crossbar(d, &run);
}

/*
 * Tables.
 */

static double per(u64 sum, u64 n)
{
	return n ? (double)sum / (double)n : 0;
}

static void print_networks(void)
{
	printf("Crossbars and link buffers for K waiting packets, with the kernel's reservations; all\n"
	       "entry buffers always full.  Packets for each site and slot, useful share of the links,\n"
	       "slots until a packet enters and from there to its target\n\n"
	       "K  %-31s   %-31s   %-31s\n   ", names[0], names[1], names[2]);
	for (u32 id = 0; id < NETWORKS; id++)
		printf("packets  useful  enters  arrives  ");
	printf("\n");
	for (u32 k = 0; k < BUFFERS; k++) {
		printf("%u", k);
		for (u32 id = 0; id < NETWORKS; id++) {
			const struct csr_graph_result *r = &buffers.at[id][k];

			printf("  %7.4f  %.4f  %6.2f  %7.2f", csr_graph_throughput(r),
			       csr_graph_useful(r), per(r->count.admission, r->count.entered),
			       per(r->count.transit, r->count.delivered));
		}
		printf("\n");
	}
	printf("\nPackets that overtake another one of their entry buffer on the same way, of\n"
	       "all that are delivered, where nothing keeps their order\n\n"
	       "K");
	for (u32 id = 0; id < NETWORKS; id++)
		printf("  %-18s", names[id]);
	printf("\n");
	for (u32 k = 0; k < BUFFERS; k++) {
		printf("%u", k);
		for (u32 id = 0; id < NETWORKS; id++) {
			const struct csr_graph_result *r = &buffers.unordered[id][k];

			printf("  %6llu of %-8llu", (unsigned long long)r->overtaken,
			       (unsigned long long)r->count.delivered);
		}
		printf("\n");
	}
	printf("\n");
}

static void print_lossy(void)
{
	printf("%s, links that lose probes and answers: packets for each site and slot\n\nloss",
	       names[RANDOM]);
	for (u32 k = 0; k < CROSSBAR_BUFFERS; k++)
		printf("  K = %u ", k);
	printf("\n");
	for (u32 i = 0; i < LOSSES; i++) {
		printf("%.2f", (double)loss[i] / CSR_ONE);
		for (u32 k = 0; k < CROSSBAR_BUFFERS; k++)
			printf("  %.4f", csr_graph_throughput(&buffers.lossy[k][i]));
		printf("\n");
	}
	printf("\n");
}

static void print_crossbars(void)
{
	printf("Hypercubes with crossbars: useful share of the links\n\n d");
	for (u32 k = 0; k < CROSSBAR_BUFFERS; k++)
		printf("  K = %u ", k);
	printf("\n");
	for (u32 i = 0; i < CROSSBARS; i++) {
		printf("%2u", CROSSBAR_FIRST + i);
		for (u32 k = 0; k < CROSSBAR_BUFFERS; k++)
			printf("  %.4f", buffers.crossbar[k][i]);
		printf("\n");
	}
	printf("\n");
}

static void print(void)
{
	print_networks();
	print_lossy();
	print_crossbars();
}

/*
 * Drawings.
 */

static bool draw_networks(const char *dir)
{
	struct plot plot = {
		.file = "csr-buffers.svg", .title = "Link buffers, crossbars",
		.x_label = "packets that may wait for a link (K)", .y_label = "share",
		.points = BUFFERS,
	};

	for (u32 id = 0; id < NETWORKS; id++) {
		struct estimate *at = plot_add(&plot, names[id]);

		for (u32 k = 0; k < BUFFERS; k++) {
			plot.x[k] = k;
			at[k].mean = csr_graph_useful(&buffers.at[id][k]);
		}
	}
	return plot_draw(&plot, dir);
}

static bool draw_crossbars(const char *dir)
{
	static const char *const labels[CROSSBAR_BUFFERS] = {
		"crossbar, K = 0", "crossbar, K = 1", "crossbar, K = 2"
	};
	struct plot plot = {
		.file = "csr-crossbar.svg", .title = "CSR with crossbars", .x_label = "dimension",
		.y_label = "share", .points = CROSSBARS,
	};

	for (u32 k = 0; k < CROSSBAR_BUFFERS; k++) {
		struct estimate *at = plot_add(&plot, labels[k]);

		for (u32 i = 0; i < CROSSBARS; i++)
			at[i].mean = buffers.crossbar[k][i];
	}
	for (u32 id = CSR_CSR; id <= CSR_DEFLECT_SIMPLE; id++) {
		struct estimate *at = plot_add(&plot, csr_schemes[id].title);

		for (u32 i = 0; i < CROSSBARS; i++) {
			plot.x[i] = CROSSBAR_FIRST + i;
			at[i].mean = csr_saturation_of((enum csr_scheme_id)id,
						       CROSSBAR_FIRST + i);
		}
	}
	return plot_draw(&plot, dir);
}

static bool draw(const char *dir)
{
	return draw_networks(dir) && draw_crossbars(dir);
}

/* Expectations of the paper, not measurements. */
void csr_buffers_findings(void)
{
	u64 overtaken = 0, unbuffered = 0, delivered = 0;
	u32 above[CROSSBAR_BUFFERS] = { 0 };

	for (u32 id = 0; id < NETWORKS; id++) {
		unbuffered += buffers.unordered[id][0].overtaken;
		for (u32 k = 1; k < BUFFERS; k++) {
			overtaken += buffers.unordered[id][k].overtaken;
			delivered += buffers.unordered[id][k].count.delivered;
		}
	}
	for (u32 i = 0; i < CROSSBARS; i++) {
		double other = csr_saturation_of(CSR_DEFLECT_PRIORITY, CROSSBAR_FIRST + i);

		for (u32 k = 0; k < CROSSBAR_BUFFERS; k++)
			above[k] += buffers.crossbar[k][i] > other;
	}
	finding(!overtaken && !unbuffered,
		"packets of an entry buffer keep their order if a blocked one always retries",
		"with K = 0 %llu are overtaken, with K = 1 to 8 %llu of %llu",
		(unsigned long long)unbuffered, (unsigned long long)overtaken,
		(unsigned long long)delivered);
	reproduced(!buffers.wrong,
		   "they do where the last link has to be later than that of the packet before",
		   "%llu wrong", (unsigned long long)buffers.wrong);
	finding(above[0] == CROSSBARS, "with crossbars CSR probably outperforms deflection",
		"for %u of %u dimensions with K = 0, for %u with K = 1, for %u with K = 2",
		above[0], CROSSBARS, above[1], above[2]);
}

const struct report_part csr_buffers_part = {
	.name = "link buffers",
	.points = 2 * NETWORKS * BUFFERS + LOSSES * CROSSBAR_BUFFERS +
		  (CROSSBAR_LAST - CROSSBAR_FIRST + 1) * CROSSBAR_BUFFERS,
	.measure = measure, .print = print, .draw = draw, .wrong = &buffers.wrong,
};
