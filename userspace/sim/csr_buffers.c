// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "csr_buffers.h"
#include "graph.h"
#include "plot.h"
#include "util.h"

/* Slots until packets of the longest ways arrive as often as they enter. */
#define WARM		100
/* Hypercubes with crossbars have this share of the slots, in all dimensions as many links. */
#define CROSSBAR_SHARE	16
/* Slots of a large network, at least. */
#define SLOTS_MIN	40

/* The random graph: sites, each with four links. */
#define RANDOM_SITES	24

const u32 csr_loss[CSR_LOSSES] = { 0, CSR_ONE / 100, CSR_ONE / 10 };

static const char *const names[CSR_NETWORKS] = {
	[CSR_HYPERCUBE] = "hypercube:5", [CSR_TORUS] = "torus:5x5", [CSR_RANDOM] = "random graph",
};

/*
 * Networks.
 */

static int compare(const void *a, const void *b)
{
	const struct fc_graph_link *x = a, *y = b;

	if (x->site[0] != y->site[0])
		return x->site[0] < y->site[0] ? -1 : 1;
	return x->site[1] < y->site[1] ? -1 : x->site[1] > y->site[1];
}

static void circle(struct fc_graph_link *link, struct rng *rng)
{
	u32 site[RANDOM_SITES];

	for (u32 i = 0; i < RANDOM_SITES; i++) {
		u32 other = rng_below(rng, i + 1);

		site[i] = site[other];
		site[other] = i;
	}
	for (u32 i = 0; i < RANDOM_SITES; i++) {
		u32 a = site[i], b = site[(i + 1) % RANDOM_SITES];

		link[i] = (struct fc_graph_link){ { a < b ? a : b, a < b ? b : a } };
	}
}

/* Two random circles through all sites, without a link in common. */
static void random_graph(struct fc_topo *topo, u64 seed)
{
	struct fc_graph_link link[2 * RANDOM_SITES];
	struct rng rng = { seed };
	const char *error;
	bool twice;

	do {
		circle(link, &rng);
		circle(link + RANDOM_SITES, &rng);
		qsort(link, FC_ARRAY_SIZE(link), sizeof(*link), compare);
		twice = false;
		for (u32 i = 1; i < FC_ARRAY_SIZE(link); i++)
			twice = twice || !compare(&link[i - 1], &link[i]);
	} while (twice);
	error = graph_links(topo, link, FC_ARRAY_SIZE(link));
	if (error)
		die("a random graph: %s", error);
}

static void network(struct fc_topo *topo, enum csr_network id, u64 seed)
{
	const char *error = NULL;

	*topo = (struct fc_topo){ 0 };
	if (id == CSR_RANDOM)
		random_graph(topo, seed);
	else
		error = fc_topo_parse(topo, names[id]);
	if (error)
		die("%s: %s", names[id], error);
}

/*
 * Measurements.
 */

static void measure_network(struct csr_buffers *buffers, enum csr_network id,
			    const struct csr_graph_run *given)
{
	struct csr_graph_run run = *given;
	struct fc_topo topo;

	network(&topo, id, given->run.seed);
	run.topo = &topo;
	for (run.buffers = 0; run.buffers < CSR_BUFFERS; run.buffers++) {
		struct csr_graph_result *at = &buffers->at[id][run.buffers];

		run.run.fault = given->run.fault;
		csr_graph_run(at, &run);
		buffers->wrong += csr_graph_wrong(at);
		run.run.fault = CSR_OVERTAKE;
		csr_graph_run(&buffers->unordered[id][run.buffers], &run);
	}
	run.run.fault = given->run.fault;
	for (u32 i = 0; id == CSR_RANDOM && i < CSR_LOSSES; i++) {
		run.loss = csr_loss[i];
		for (run.buffers = 0; run.buffers < CSR_CROSSBAR_BUFFERS; run.buffers++) {
			csr_graph_run(&buffers->lossy[run.buffers][i], &run);
			buffers->wrong += csr_graph_wrong(&buffers->lossy[run.buffers][i]);
		}
	}
	graph_free(&topo);
}

static void measure_crossbar(struct csr_buffers *buffers, u32 dimension,
			     const struct csr_graph_run *given)
{
	u64 places = given->run.slots * CSR_CROSSBAR_LAST << CSR_CROSSBAR_LAST;
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
	for (run.buffers = 0; run.buffers < CSR_CROSSBAR_BUFFERS; run.buffers++) {
		csr_graph_run(&result, &run);
		buffers->wrong += csr_graph_wrong(&result);
		buffers->crossbar[run.buffers][dimension - CSR_CROSSBAR_FIRST] =
			csr_graph_useful(&result);
	}
}

void csr_buffers_measure(struct csr_buffers *buffers, u64 slots, u64 seed, u8 fault)
{
	const struct csr_graph_run run = {
		.run = {
			.arrive = CSR_ONE, .retry = CSR_ONE, .warm = WARM, .seed = seed,
			.slots = slots > SLOTS_MIN ? slots : SLOTS_MIN, .fault = fault,
		},
	};

	*buffers = (struct csr_buffers){ 0 };
	for (u32 i = 0; i < CSR_NETWORKS; i++)
		measure_network(buffers, (enum csr_network)i, &run);
	for (u32 d = CSR_CROSSBAR_FIRST; d <= CSR_CROSSBAR_LAST; d++)
		measure_crossbar(buffers, d, &run);
}

/*
 * Tables.
 */

static double per(u64 sum, u64 n)
{
	return n ? (double)sum / (double)n : 0;
}

static void print_networks(const struct csr_buffers *buffers)
{
	printf("Crossbars and link buffers for K waiting packets, with the kernel's reservations; all\n"
	       "entry buffers always full.  Packets for each site and slot, useful share of the links,\n"
	       "slots until a packet enters and from there to its target\n\n"
	       "K  %-31s   %-31s   %-31s\n   ", names[0], names[1], names[2]);
	for (u32 id = 0; id < CSR_NETWORKS; id++)
		printf("packets  useful  enters  arrives  ");
	printf("\n");
	for (u32 k = 0; k < CSR_BUFFERS; k++) {
		printf("%u", k);
		for (u32 id = 0; id < CSR_NETWORKS; id++) {
			const struct csr_graph_result *r = &buffers->at[id][k];

			printf("  %7.4f  %.4f  %6.2f  %7.2f", csr_graph_throughput(r),
			       csr_graph_useful(r), per(r->count.admission, r->count.entered),
			       per(r->count.transit, r->count.delivered));
		}
		printf("\n");
	}
	printf("\nPackets that overtake another one of their entry buffer on the same way, of\n"
	       "all that are delivered, where nothing keeps their order\n\n"
	       "K");
	for (u32 id = 0; id < CSR_NETWORKS; id++)
		printf("  %-18s", names[id]);
	printf("\n");
	for (u32 k = 0; k < CSR_BUFFERS; k++) {
		printf("%u", k);
		for (u32 id = 0; id < CSR_NETWORKS; id++) {
			const struct csr_graph_result *r = &buffers->unordered[id][k];

			printf("  %6llu of %-8llu", (unsigned long long)r->overtaken,
			       (unsigned long long)r->count.delivered);
		}
		printf("\n");
	}
	printf("\n");
}

static void print_lossy(const struct csr_buffers *buffers)
{
	printf("%s, links that lose probes and answers: packets for each site and slot\n\nloss",
	       names[CSR_RANDOM]);
	for (u32 k = 0; k < CSR_CROSSBAR_BUFFERS; k++)
		printf("  K = %u ", k);
	printf("\n");
	for (u32 i = 0; i < CSR_LOSSES; i++) {
		printf("%.2f", (double)csr_loss[i] / CSR_ONE);
		for (u32 k = 0; k < CSR_CROSSBAR_BUFFERS; k++)
			printf("  %.4f", csr_graph_throughput(&buffers->lossy[k][i]));
		printf("\n");
	}
	printf("\n");
}

static void print_crossbars(const struct csr_buffers *buffers)
{
	printf("Hypercubes with crossbars: useful share of the links\n\n d");
	for (u32 k = 0; k < CSR_CROSSBAR_BUFFERS; k++)
		printf("  K = %u ", k);
	printf("\n");
	for (u32 i = 0; i < CSR_CROSSBARS; i++) {
		printf("%2u", CSR_CROSSBAR_FIRST + i);
		for (u32 k = 0; k < CSR_CROSSBAR_BUFFERS; k++)
			printf("  %.4f", buffers->crossbar[k][i]);
		printf("\n");
	}
	printf("\n");
}

void csr_buffers_print(const struct csr_buffers *buffers)
{
	print_networks(buffers);
	print_lossy(buffers);
	print_crossbars(buffers);
}

/*
 * Drawings.
 */

static bool draw_networks(const struct csr_buffers *buffers, const char *dir)
{
	struct plot plot = {
		.file = "csr-buffers.svg", .title = "Link buffers, crossbars",
		.x_label = "packets that may wait for a link (K)", .y_label = "share",
		.points = CSR_BUFFERS,
	};

	for (u32 id = 0; id < CSR_NETWORKS; id++) {
		struct estimate *at = plot_add(&plot, names[id]);

		for (u32 k = 0; k < CSR_BUFFERS; k++) {
			plot.x[k] = k;
			at[k].mean = csr_graph_useful(&buffers->at[id][k]);
		}
	}
	return plot_draw(&plot, dir);
}

static bool draw_crossbars(const struct csr_buffers *buffers, const struct csr_saturations *all,
			   const char *dir)
{
	static const char *const labels[CSR_CROSSBAR_BUFFERS] = {
		"crossbar, K = 0", "crossbar, K = 1", "crossbar, K = 2"
	};
	struct plot plot = {
		.file = "csr-crossbar.svg", .title = "CSR with crossbars", .x_label = "dimension",
		.y_label = "share", .points = CSR_CROSSBARS,
	};

	for (u32 k = 0; k < CSR_CROSSBAR_BUFFERS; k++) {
		struct estimate *at = plot_add(&plot, labels[k]);

		for (u32 i = 0; i < CSR_CROSSBARS; i++)
			at[i].mean = buffers->crossbar[k][i];
	}
	for (u32 id = CSR_CSR; id <= CSR_DEFLECT_SIMPLE; id++) {
		struct estimate *at = plot_add(&plot, csr_schemes[id].title);

		for (u32 i = 0; i < CSR_CROSSBARS; i++) {
			plot.x[i] = CSR_CROSSBAR_FIRST + i;
			at[i].mean = csr_saturation_of(all, (enum csr_scheme_id)id,
						       CSR_CROSSBAR_FIRST + i);
		}
	}
	return plot_draw(&plot, dir);
}

bool csr_buffers_draw(const struct csr_buffers *buffers, const struct csr_saturations *all,
		      const char *dir)
{
	return draw_networks(buffers, dir) && draw_crossbars(buffers, all, dir);
}
