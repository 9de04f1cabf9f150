// SPDX-License-Identifier: GPL-2.0
/*
 * The paper's Figure 5: the saturation point of the schemes, which is the useful share of
 * the links at the attempt rate where it is largest, by dimension of the hypercube; and the
 * cost of control intervals to CSR, whose slots are 1 + beta long.
 */
#include <math.h>
#include <stdio.h>

#include "csr_report.h"
#include "csr_theory.h"
#include "base/finding.h"
#include "base/plot.h"

/*
 * A hypercube of 7 dimensions has 1/SHARE of the slots of a row of Table 1; others get slots for
 * equal run time.
 */
#define SHARE		10
/* Minimum number of slots of a large network; warm-up in multiples of d slots. */
#define SLOTS_MIN	20
#define WARM		4

/* Bias of taking the largest of several noisy measurements. */
#define NOISE		0.002

/* Beta of an additional curve in Figure 5. */
#define BETA_DRAWN	0.5

/* Numeric interpretation of statements of the paper. */

/* "The relative difference between simulation and analysis is less than 2%". */
#define ANALYSIS	2.0
/* "The difference is small (less than 5%)". */
#define SMALL		5.0
/* "The difference is of the order of 2-3%", per cent. */
#define ORDER		3.0

/* Dimensions of the figure. */
#define FIRST		2
#define LAST		13
#define DIMENSIONS	(LAST - FIRST + 1)

/* Lengths of the control interval shown, in packets: 0, 0.1, .. 1. */
#define BETAS		11
/* Dimension for which the drawing shows them. */
#define BETA_DIMENSION	7

/**
 * struct saturation - saturation of one scheme and dimension
 * @most: largest useful share of the links
 * @attempts: attempt rate of @most
 * @full: useful share at an attempt rate of 1
 * @rises: the useful share never falls from one tried attempt rate to a higher one
 * @analysis: largest useful share by analysis; 0: no analysis of the scheme
 */
struct saturation {
	double most;
	double attempts;
	double full;
	bool rises;
	double analysis;
};

/*
 * Results
 * @at: saturation by scheme and dimension, from FIRST
 * @wrong: findings of the oracle
 */
static struct {
	struct saturation at[CSR_SCHEMES][DIMENSIONS];
	u64 wrong;
} all;

/* Attempt rates tried, relative to the best one by analysis. */
static const double tried[] = { 0.5, 1, 2 };

static struct csr_run run_of(u32 dimension, double attempts, const struct csr_run *given)
{
	u64 places = given->slots / SHARE * BETA_DIMENSION << BETA_DIMENSION;
	u64 share = places / ((u64)dimension << dimension);

	return (struct csr_run){
		.dimension = dimension, .arrive = (u32)lrint(attempts * CSR_ONE),
		.retry = (u32)lrint(attempts * CSR_ONE), .warm = WARM * dimension,
		.slots = share > SLOTS_MIN ? share : SLOTS_MIN, .seed = given->seed,
	};
}

static double useful(enum csr_scheme_id id, const struct csr_run *run)
{
	struct csr_result result;

	csr_schemes[id].run(&result, run);
	all.wrong += csr_wrong(&result);
	return csr_useful(&result);
}

static double best_attempts(enum csr_scheme_id id, u32 dimension)
{
	double most = csr_theory_most(id, dimension);

	return most > 0 ? fmin(csr_theory_attempts(id, dimension, most), 1) : 1;
}

static void measure_scheme(enum csr_scheme_id id, u32 dimension, const struct csr_run *given)
{
	struct saturation *at = &all.at[id][dimension - FIRST];
	double best = best_attempts(id, dimension), before = 0;
	bool done = false;

	*at = (struct saturation){
		.rises = true, .analysis = csr_theory_most(id, dimension) / 2,
	};
	for (u32 i = 0; i <= FC_ARRAY_SIZE(tried) && !done; i++) {
		double attempts = i < FC_ARRAY_SIZE(tried) ? fmin(tried[i] * best, 1) : 1;
		struct csr_run run = run_of(dimension, attempts, given);
		double here;

		if (id == CSR_CSR)
			run.fault = given->fault;
		here = useful(id, &run);
		if (here > at->most) {
			at->most = here;
			at->attempts = attempts;
		}
		at->rises = at->rises && here > before - NOISE;
		at->full = here;
		before = here;
		done = run.arrive == CSR_ONE;
	}
}

static void measure(const void *settings)
{
	const struct csr_run *given = &((const struct csr_settings *)settings)->run;

	for (u32 id = 0; id < CSR_SCHEMES; id++) {
		for (u32 d = FIRST; d <= LAST; d++) {
			reproduce_point();
			measure_scheme((enum csr_scheme_id)id, d, given);
		}
	}
}

double csr_saturation_of(enum csr_scheme_id id, u32 dimension)
{
	const struct saturation *at = &all.at[id][dimension - FIRST];

	return id == CSR_CSR ? at->analysis : at->most;
}

/*
 * The beta at which the throughput of CSR drops to that of another scheme; negative: it is below at
 * beta 0.
 */
static double beta_of(enum csr_scheme_id id, u32 dimension)
{
	double other = csr_saturation_of(id, dimension);

	return csr_saturation_of(CSR_CSR, dimension) / other - 1;
}

static void print_points(void)
{
	printf("Figure 5: saturation point, useful share of the links, by dimension\n"
	       "CSR as in the figure by analysis, beta = 0; the largest of several attempt rates p0\n\n"
	       " d  CSR     CSR         priority    simple      unbuffered  analysis  unbuffered  analysis  p0\n"
	       "    anal.   simulation  deflection  deflection  priority              simple\n");
	for (u32 d = FIRST; d <= LAST; d++) {
		u32 i = d - FIRST;

		printf("%2u  %.4f  %.4f      %.4f      %.4f      %.4f      %.4f    %.4f      %.4f    %.2f\n",
		       d, all.at[CSR_CSR][i].analysis, all.at[CSR_CSR][i].most,
		       all.at[CSR_DEFLECT_PRIORITY][i].most, all.at[CSR_DEFLECT_SIMPLE][i].most,
		       all.at[CSR_UNBUFFERED_PRIORITY][i].most,
		       all.at[CSR_UNBUFFERED_PRIORITY][i].analysis,
		       all.at[CSR_UNBUFFERED_SIMPLE][i].most,
		       all.at[CSR_UNBUFFERED_SIMPLE][i].analysis,
		       all.at[CSR_UNBUFFERED_SIMPLE][i].attempts);
	}
	printf("\n");
}

static void print_beta(double beta)
{
	if (beta < 0)
		printf("  %-10s", "-");
	else
		printf("  %-10.3f", beta);
}

static void print_betas(void)
{
	printf("The effect of beta, the length of the control interval in packets\n"
	       "to the right: the beta at which CSR is no better than the others; -: it never is\n\n"
	       " d  beta: 0  0.1     0.5     1       priority    simple      unbuffered  unbuffered\n"
	       "                                     deflection  deflection  priority    simple\n");
	for (u32 d = FIRST; d <= LAST; d++) {
		double csr = csr_saturation_of(CSR_CSR, d);

		printf("%2u  %.4f   %.4f  %.4f  %.4f", d, csr, csr / 1.1, csr / 1.5, csr / 2);
		for (u32 id = CSR_DEFLECT_PRIORITY; id < CSR_SCHEMES; id++)
			print_beta(beta_of((enum csr_scheme_id)id, d));
		printf("\n");
	}
	printf("\n");
}

static void print(void)
{
	print_points();
	print_betas();
}

static bool draw_figure(const char *dir)
{
	struct plot plot = {
		.file = "csr-figure-5.svg", .title = "Figure 5: saturation point",
		.x_label = "dimension", .y_label = "share", .points = DIMENSIONS,
	};
	struct estimate *at;

	for (u32 id = 0; id < CSR_SCHEMES; id++) {
		at = plot_add(&plot, csr_schemes[id].title);
		for (u32 i = 0; i < DIMENSIONS; i++) {
			plot.x[i] = FIRST + i;
			at[i].mean = csr_saturation_of((enum csr_scheme_id)id,
						       FIRST + i);
		}
	}
	at = plot_add(&plot, "CSR, beta = 0.5");
	for (u32 i = 0; i < DIMENSIONS; i++)
		at[i].mean = plot.curve[CSR_CSR].at[i].mean / (1 + BETA_DRAWN);
	return plot_draw(&plot, dir);
}

static bool draw_betas(const char *dir)
{
	struct plot plot = {
		.file = "csr-beta.svg", .title = "The effect of beta, d = 7", .x_label = "beta",
		.y_label = "share", .points = BETAS,
	};

	for (u32 id = 0; id < CSR_SCHEMES; id++) {
		struct estimate *at = plot_add(&plot, csr_schemes[id].title);

		for (u32 i = 0; i < BETAS; i++) {
			plot.x[i] = (double)i / (BETAS - 1);
			at[i].mean = csr_saturation_of((enum csr_scheme_id)id,
						       BETA_DIMENSION) /
				     (id == CSR_CSR ? 1 + plot.x[i] : 1);
		}
	}
	return plot_draw(&plot, dir);
}

static bool draw(const char *dir)
{
	return draw_figure(dir) && draw_betas(dir);
}

/*
 * Findings.
 */

struct worst {
	double off;
	u32 dimension;
};

static const struct saturation *at(enum csr_scheme_id id, u32 d)
{
	return &all.at[id][d - FIRST];
}

/* Greatest difference of simulation and analysis over all dimensions. */
static struct worst off_analysis(enum csr_scheme_id id)
{
	struct worst worst = { 0, FIRST };

	for (u32 d = FIRST; d <= LAST; d++) {
		const struct saturation *here = at(id, d);
		double off = percent_more(here->most, here->analysis);

		if (fabs(off) > fabs(worst.off))
			worst = (struct worst){ off, d };
	}
	return worst;
}

/* Greatest deficit at attempt rate 1 against the maximum, over all dimensions, per cent. */
static struct worst off_most(enum csr_scheme_id id)
{
	struct worst worst = { 0, FIRST };

	for (u32 d = FIRST; d <= LAST; d++) {
		double off = -percent_more(at(id, d)->full, at(id, d)->most);

		if (off > worst.off)
			worst = (struct worst){ off, d };
	}
	return worst;
}

static bool always_rises(enum csr_scheme_id id)
{
	for (u32 d = FIRST; d <= LAST; d++)
		if (!at(id, d)->rises)
			return false;
	return true;
}

/* Lowest dimension from which on @better is better than @other. */
static u32 better_from(enum csr_scheme_id better, enum csr_scheme_id other)
{
	u32 from = LAST + 1;

	for (u32 d = LAST; d >= FIRST; d--) {
		if (csr_saturation_of(better, d) <= csr_saturation_of(other, d))
			break;
		from = d;
	}
	return from;
}

void csr_saturation_findings(void)
{
	u64 wrong = *csr_table_part.wrong + all.wrong;
	struct worst off = off_analysis(CSR_CSR);

	reproduced(fabs(off.off) <= ANALYSIS,
		   "Figure 5: CSR's analysis is within 2 % of simulations",
		   "up to %+.2f %%, at d = %u", off.off, off.dimension);
	reproduced(always_rises(CSR_CSR) && off_most(CSR_CSR).off < 0.1,
		   "CSR's throughput increases monotonically with the offered load",
		   "d = %u to %u: most where all attempt", FIRST,
		   LAST);
	reproduced(!wrong,
		   "no packet that has entered is dropped, and each arrives after exactly d slots",
		   "%llu were not, or met another, or had no reservation",
		   (unsigned long long)wrong);
}

static void unbuffered(void)
{
	struct worst simple = off_analysis(CSR_UNBUFFERED_SIMPLE);
	struct worst priority = off_analysis(CSR_UNBUFFERED_PRIORITY);
	struct worst drop = off_most(CSR_UNBUFFERED_PRIORITY);
	const struct saturation *last = at(CSR_UNBUFFERED_SIMPLE, LAST);
	u32 from = LAST + 1;

	for (u32 d = LAST; d >= FIRST; d--)
		if (!at(CSR_UNBUFFERED_SIMPLE, d)->rises)
			from = d;
	reproduced(fabs(simple.off) <= ANALYSIS && fabs(priority.off) <= ANALYSIS,
		   "unbuffered schemes: the analysis is in very good agreement with simulations",
		   "simple up to %+.2f %% (d = %u), priority %+.2f %% (d = %u)", simple.off,
		   simple.dimension, priority.off, priority.dimension);
	finding(from == FIRST,
		"unbuffered simple: after some point more load decreases the throughput",
		"from d = %u on; at d = %u the most is %.3f, and %.3f where all attempt", from,
		LAST, last->most, last->full);
	finding(drop.off < SMALL, "unbuffered priority: less of a problem (below 5 %)",
		"up to %.2f %% less", drop.off);
}

static void deflection(void)
{
	struct worst simple = off_most(CSR_DEFLECT_SIMPLE);
	struct worst priority = off_most(CSR_DEFLECT_PRIORITY);

	reproduced(simple.off <= ORDER && priority.off <= ORDER,
		   "deflection: p0 = 1 costs no more than 2-3 %",
		   "simple %.2f %%, priority %.2f %%", simple.off, priority.off);
	reproduced(always_rises(CSR_DEFLECT_PRIORITY),
		   "priority deflection: throughput increases monotonically with the load",
		   "d = %u to %u", FIRST, LAST);
}

static void order(void)
{
	u32 first = FIRST;
	u32 over_csr = better_from(CSR_DEFLECT_PRIORITY, CSR_CSR);
	u32 simple_over_csr = better_from(CSR_DEFLECT_SIMPLE, CSR_CSR);
	u32 csr_over = better_from(CSR_CSR, CSR_UNBUFFERED_PRIORITY);
	u32 simple_over = better_from(CSR_DEFLECT_SIMPLE, CSR_UNBUFFERED_PRIORITY);

	finding(csr_over <= first + 1 && simple_over <= first,
		"the two deflection schemes and CSR are the most interesting",
		"CSR is above the unbuffered schemes from d = %u on, simple deflection from d = %u on",
		csr_over, simple_over);
	finding(over_csr <= first, "especially priority deflection",
		"above CSR from d = %u on, simple deflection from d = %u on", over_csr,
		simple_over_csr);
	finding(better_from(CSR_DEFLECT_PRIORITY, CSR_DEFLECT_SIMPLE) <= first &&
		better_from(CSR_UNBUFFERED_PRIORITY, CSR_UNBUFFERED_SIMPLE) <= first + 1,
		"priority is better than random order, with deflection and without buffers",
		"at d = %u: %.3f and %.3f, %.3f and %.3f", LAST,
		csr_saturation_of(CSR_DEFLECT_PRIORITY, LAST),
		csr_saturation_of(CSR_DEFLECT_SIMPLE, LAST),
		csr_saturation_of(CSR_UNBUFFERED_PRIORITY, LAST),
		csr_saturation_of(CSR_UNBUFFERED_SIMPLE, LAST));
}

void csr_saturation_compare(void)
{
	unbuffered();
	deflection();
	order();
}

const struct report_part csr_saturation_part = {
	.name = "Figure 5 and beta", .points = CSR_SCHEMES * (LAST - FIRST + 1),
	.measure = measure, .print = print, .draw = draw, .wrong = &all.wrong,
};
