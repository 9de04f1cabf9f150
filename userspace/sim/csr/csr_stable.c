// SPDX-License-Identifier: GPL-2.0
/*
 * The paper's Figure 4: throughput and arrivals, by the share of backlogged entry buffers,
 * and the stable points, at which both are equal.
 */
#include <math.h>
#include <stdio.h>

#include "csr_report.h"
#include "csr_theory.h"
#include "base/finding.h"
#include "base/plot.h"

/* A run has 1/SHARE of the slots of a row of Table 1. */
#define SHARE		100
/* Warm-up: slots until the backlog is stable, from either start. */
#define WARM		60

/* Tolerance between the stable points of analysis and simulation, per cent of the throughput. */
#define STABLE		2.0

#define DIMENSION	11
/* Probability of an arrival in the figure; that of a retrial is 1. */
#define ARRIVE		(CSR_ONE / 20)
/* Backlogged shares of 0, 0.1, .. 1. */
#define POINTS		11
#define RETRIES		4

/* State from which the network converged to its stable point. */
enum start {
	FROM_EMPTY,
	FROM_BACKLOGGED,
	STARTS
};

/* Probabilities of a retrial; the last one is the figure's. */
static const u32 retry[RETRIES] = {
	CSR_ONE / 10, CSR_ONE / 4, CSR_ONE / 2, CSR_ONE
};

/*
 * Results
 * @carried: by share: throughput for each node and slot, by analysis
 * @simulated: by share: throughput for each node and slot, measured
 * @arriving: new packets for each node and slot that do not find their entry buffer backlogged
 * @theory: stable points, by probability of a retrial, the last of which is 1
 * @backlogged: backlogged share measured at the stable point, by start
 * @throughput: throughput for each node and slot measured there, by start
 * @retried: throughput measured, by probability of a retrial
 * @others: number of pairs of probabilities tried (analysis)
 * @single: number of these with a single stable point
 * @wrong: findings of the oracle
 */
static struct {
	double carried[POINTS];
	double simulated[POINTS];
	double arriving[POINTS];
	struct csr_theory_stable theory[RETRIES];
	double backlogged[STARTS];
	double throughput[STARTS];
	double retried[RETRIES];
	u32 others;
	u32 single;
	u64 wrong;
} stable;

static double backlogged_at(u32 point)
{
	return (double)point / (POINTS - 1);
}

/* The paper's p0(m). */
static u32 attempts_at(u32 point)
{
	u32 most = POINTS - 1;

	return (ARRIVE * (most - point) + CSR_ONE * point) / most;
}

static void simulate(struct csr_result *result,
		     const struct csr_run *run)
{
	reproduce_point();
	csr_schemes[CSR_CSR].run(result, run);
	stable.wrong += csr_wrong(result);
}

static void measure_curves(const struct csr_run *given)
{
	for (u32 i = 0; i < POINTS; i++) {
		struct csr_run run = *given;
		struct csr_result result;

		run.arrive = attempts_at(i);
		run.retry = run.arrive;
		simulate(&result, &run);
		stable.simulated[i] = csr_throughput(&result);
		stable.carried[i] = csr_theory_throughput(run.dimension,
							  (double)run.arrive / CSR_ONE);
		stable.arriving[i] = 2 * run.dimension * (1 - backlogged_at(i)) *
			ARRIVE / CSR_ONE;
	}
}

static void measure_points(const struct csr_run *given)
{
	struct csr_run run = *given;
	struct csr_result result;

	run.arrive = ARRIVE;
	for (u32 i = 0; i < RETRIES; i++) {
		run.retry = retry[i];
		stable.theory[i] = csr_theory_stable(run.dimension, (double)run.arrive / CSR_ONE,
						     (double)run.retry / CSR_ONE);
		simulate(&result, &run);
		stable.retried[i] = csr_throughput(&result);
	}
	for (u32 i = 0; i < STARTS; i++) {
		run.backlogged = i == FROM_BACKLOGGED;
		simulate(&result, &run);
		stable.backlogged[i] = csr_backlogged(&result);
		stable.throughput[i] = csr_throughput(&result);
	}
}

/* Analyse other probabilities, with retrials at least as frequent as new packets. */
static void count_others(void)
{
	static const double probability[] = { 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1 };

	for (u32 a = 0; a < FC_ARRAY_SIZE(probability); a++) {
		for (u32 r = a; r < FC_ARRAY_SIZE(probability); r++) {
			stable.others++;
			stable.single += csr_theory_stable(DIMENSION, probability[a],
							    probability[r]).points == 1;
		}
	}
}

static void measure(const void *settings)
{
	const struct csr_run *given = &((const struct csr_settings *)settings)->run;
	const struct csr_run run = {
		.dimension = DIMENSION, .warm = WARM, .slots = given->slots / SHARE,
		.seed = given->seed, .fault = given->fault,
	};

	measure_curves(&run);
	measure_points(&run);
	count_others();
}

static void print(void)
{
	const struct csr_theory_stable *theory = &stable.theory[RETRIES - 1];

	printf("Figure 4: d = %u, a new packet with probability %.2f, a retrial with 1; for each node\n"
	       "and slot, by the share m of the entry buffers that is backlogged\n\n"
	       "m     p0      carried   carried     arrives\n"
	       "              analysis  simulation\n", DIMENSION,
	       (double)ARRIVE / CSR_ONE);
	for (u32 i = 0; i < POINTS; i++)
		printf("%.1f  %.3f  %8.4f  %10.4f  %10.4f\n", backlogged_at(i),
		       (double)attempts_at(i) / CSR_ONE, stable.carried[i], stable.simulated[i],
		       stable.arriving[i]);
	printf("\nstable point        m       throughput\n"
	       "analysis            %.4f  %.4f\n"
	       "begun empty         %.4f  %.4f\n"
	       "begun backlogged    %.4f  %.4f\n"
	       "\nretrial with        analysis  simulation\n",
	       theory->backlogged, theory->throughput, stable.backlogged[FROM_EMPTY],
	       stable.throughput[FROM_EMPTY], stable.backlogged[FROM_BACKLOGGED],
	       stable.throughput[FROM_BACKLOGGED]);
	for (u32 i = 0; i < RETRIES; i++)
		printf("%-20.2f%.4f    %.4f\n", (double)retry[i] / CSR_ONE,
		       stable.theory[i].throughput, stable.retried[i]);
	printf("\n");
}

static bool draw(const char *dir)
{
	struct plot plot = {
		.file = "csr-figure-4.svg", .title = "Figure 4: d = 11, arrivals 0.05, retrials 1",
		.x_label = "share of entry buffers that is backlogged", .y_label = "packets",
		.points = POINTS,
	};
	struct estimate *analysis = plot_add(&plot, "analysis");
	struct estimate *simulation = plot_add(&plot, "simulation");
	struct estimate *arrives = plot_add(&plot, "arrives");

	for (u32 i = 0; i < POINTS; i++) {
		plot.x[i] = backlogged_at(i);
		analysis[i].mean = stable.carried[i];
		simulation[i].mean = stable.simulated[i];
		arrives[i].mean = stable.arriving[i];
	}
	return plot_draw(&plot, dir);
}

void csr_stable_findings(void)
{
	const struct csr_theory_stable *theory = &stable.theory[RETRIES - 1];
	double off[STARTS];
	bool near = true, most = true;

	for (u32 i = 0; i < STARTS; i++) {
		off[i] = percent_more(stable.throughput[i], theory->throughput);
		near = near && fabs(off[i]) <= STABLE;
	}
	for (u32 i = 1; i < RETRIES; i++)
		most = most && stable.theory[i].throughput > stable.theory[i - 1].throughput &&
		       stable.retried[i] > stable.retried[i - 1];
	reproduced(theory->points == 1 && stable.single == stable.others && near,
		   "Figure 4: there is a single stable point",
		   "m = %.3f, throughput %.3f; simulations from either end %+.1f and %+.1f %%; with %u of %u other probabilities",
		   theory->backlogged, theory->throughput, off[FROM_EMPTY],
		   off[FROM_BACKLOGGED], stable.single, stable.others);
	reproduced(most, "Figure 4: throughput is largest where a blocked packet always retries",
		   "%.3f, and %.3f with probability %.2f",
		   stable.retried[RETRIES - 1], stable.retried[0],
		   (double)retry[0] / CSR_ONE);
}

const struct report_part csr_stable_part = {
	.name = "Figure 4", .points = POINTS + RETRIES + STARTS,
	.measure = measure, .print = print, .draw = draw, .wrong = &stable.wrong,
};
