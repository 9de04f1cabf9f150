// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "csr_stable.h"
#include "plot.h"

/* Slots until the backlog is what it will be, from either end. */
#define WARM		60

/* The figure's is the last. */
const u32 csr_stable_retry[CSR_STABLE_RETRIES] = {
	CSR_ONE / 10, CSR_ONE / 4, CSR_ONE / 2, CSR_ONE
};

static double backlogged_at(u32 point)
{
	return (double)point / (CSR_STABLE_POINTS - 1);
}

/* The paper's p0(m). */
static u32 attempts_at(u32 point)
{
	u32 most = CSR_STABLE_POINTS - 1;

	return (CSR_STABLE_ARRIVE * (most - point) + CSR_ONE * point) / most;
}

static void simulate(struct csr_stable *stable, struct csr_result *result,
		     const struct csr_run *run)
{
	csr_schemes[CSR_CSR].run(result, run);
	stable->wrong += csr_wrong(result);
}

static void measure_curves(struct csr_stable *stable, const struct csr_run *given)
{
	for (u32 i = 0; i < CSR_STABLE_POINTS; i++) {
		struct csr_run run = *given;
		struct csr_result result;

		run.arrive = attempts_at(i);
		run.retry = run.arrive;
		simulate(stable, &result, &run);
		stable->simulated[i] = csr_throughput(&result);
		stable->carried[i] = csr_theory_throughput(run.dimension,
							   (double)run.arrive / CSR_ONE);
		stable->arriving[i] = 2 * run.dimension * (1 - backlogged_at(i)) *
			CSR_STABLE_ARRIVE / CSR_ONE;
	}
}

static void measure_points(struct csr_stable *stable, const struct csr_run *given)
{
	struct csr_run run = *given;
	struct csr_result result;

	run.arrive = CSR_STABLE_ARRIVE;
	for (u32 i = 0; i < CSR_STABLE_RETRIES; i++) {
		run.retry = csr_stable_retry[i];
		stable->theory[i] = csr_theory_stable(run.dimension, (double)run.arrive / CSR_ONE,
						      (double)run.retry / CSR_ONE);
		simulate(stable, &result, &run);
		stable->retried[i] = csr_throughput(&result);
	}
	for (u32 i = 0; i < CSR_STARTS; i++) {
		run.backlogged = i == CSR_FROM_BACKLOGGED;
		simulate(stable, &result, &run);
		stable->backlogged[i] = csr_backlogged(&result);
		stable->throughput[i] = csr_throughput(&result);
	}
}

/* Other probabilities, where what is blocked is not retried less often than what is new. */
static void count_others(struct csr_stable *stable)
{
	static const double probability[] = { 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1 };

	for (u32 a = 0; a < FC_ARRAY_SIZE(probability); a++) {
		for (u32 r = a; r < FC_ARRAY_SIZE(probability); r++) {
			stable->others++;
			stable->single += csr_theory_stable(CSR_STABLE_DIMENSION, probability[a],
							    probability[r]).points == 1;
		}
	}
}

void csr_stable_measure(struct csr_stable *stable, u64 slots, u64 seed, u8 fault)
{
	const struct csr_run run = {
		.dimension = CSR_STABLE_DIMENSION, .warm = WARM, .slots = slots, .seed = seed,
		.fault = fault,
	};

	*stable = (struct csr_stable){ 0 };
	measure_curves(stable, &run);
	measure_points(stable, &run);
	count_others(stable);
}

void csr_stable_print(const struct csr_stable *stable)
{
	const struct csr_theory_stable *theory = &stable->theory[CSR_STABLE_RETRIES - 1];

	printf("Figure 4: d = %u, a new packet with probability %.2f, a retrial with 1; for each node\n"
	       "and slot, by the share m of the entry buffers that is backlogged\n\n"
	       "m     p0      carried   carried     arrives\n"
	       "              analysis  simulation\n", CSR_STABLE_DIMENSION,
	       (double)CSR_STABLE_ARRIVE / CSR_ONE);
	for (u32 i = 0; i < CSR_STABLE_POINTS; i++)
		printf("%.1f  %.3f  %8.4f  %10.4f  %10.4f\n", backlogged_at(i),
		       (double)attempts_at(i) / CSR_ONE, stable->carried[i], stable->simulated[i],
		       stable->arriving[i]);
	printf("\nstable point        m       throughput\n"
	       "analysis            %.4f  %.4f\n"
	       "begun empty         %.4f  %.4f\n"
	       "begun backlogged    %.4f  %.4f\n"
	       "\nretrial with        analysis  simulation\n",
	       theory->backlogged, theory->throughput, stable->backlogged[CSR_FROM_EMPTY],
	       stable->throughput[CSR_FROM_EMPTY], stable->backlogged[CSR_FROM_BACKLOGGED],
	       stable->throughput[CSR_FROM_BACKLOGGED]);
	for (u32 i = 0; i < CSR_STABLE_RETRIES; i++)
		printf("%-20.2f%.4f    %.4f\n", (double)csr_stable_retry[i] / CSR_ONE,
		       stable->theory[i].throughput, stable->retried[i]);
	printf("\n");
}

bool csr_stable_draw(const struct csr_stable *stable, const char *dir)
{
	struct plot plot = {
		.file = "csr-figure-4.svg", .title = "Figure 4: d = 11, arrivals 0.05, retrials 1",
		.x_label = "share of entry buffers that is backlogged", .y_label = "packets",
		.points = CSR_STABLE_POINTS,
	};
	struct estimate *analysis = plot_add(&plot, "analysis");
	struct estimate *simulation = plot_add(&plot, "simulation");
	struct estimate *arrives = plot_add(&plot, "arrives");

	for (u32 i = 0; i < CSR_STABLE_POINTS; i++) {
		plot.x[i] = backlogged_at(i);
		analysis[i].mean = stable->carried[i];
		simulation[i].mean = stable->simulated[i];
		arrives[i].mean = stable->arriving[i];
	}
	return plot_draw(&plot, dir);
}
