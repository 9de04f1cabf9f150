// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>

#include "csr_saturation.h"
#include "csr_theory.h"
#include "plot.h"

/* Least slots of a large network, and how many times d pass before they are counted. */
#define SLOTS_MIN	20
#define WARM		4

/* Of several attempt rates the largest is taken: each is so much more than noise. */
#define NOISE		0.002

/* Of a curve of its own in Figure 5. */
#define BETA_DRAWN	0.5

/* Attempt rates that are tried, as shares of the one that is best by analysis. */
static const double tried[] = { 0.5, 1, 2 };

static struct csr_run run_of(u32 dimension, double attempts, u64 slots, u64 seed, u8 fault)
{
	u64 places = slots * CSR_BETA_DIMENSION << CSR_BETA_DIMENSION;
	u64 share = places / ((u64)dimension << dimension);

	return (struct csr_run){
		.dimension = dimension, .arrive = (u32)lrint(attempts * CSR_ONE),
		.retry = (u32)lrint(attempts * CSR_ONE), .warm = WARM * dimension,
		.slots = share > SLOTS_MIN ? share : SLOTS_MIN, .seed = seed, .fault = fault,
	};
}

static double useful(struct csr_saturations *all, enum csr_scheme_id id,
		     const struct csr_run *run)
{
	struct csr_result result;

	csr_schemes[id].run(&result, run);
	all->wrong += csr_wrong(&result);
	return csr_useful(&result);
}

static double best_attempts(enum csr_scheme_id id, u32 dimension)
{
	double most = csr_theory_most(id, dimension);

	return most > 0 ? fmin(csr_theory_attempts(id, dimension, most), 1) : 1;
}

static void measure(struct csr_saturations *all, enum csr_scheme_id id, u32 dimension, u64 slots,
		    u64 seed, u8 fault)
{
	struct csr_saturation *at = &all->at[id][dimension - CSR_SATURATION_FIRST];
	double best = best_attempts(id, dimension), before = 0;
	bool done = false;

	*at = (struct csr_saturation){
		.rises = true, .analysis = csr_theory_most(id, dimension) / 2,
	};
	for (u32 i = 0; i <= FC_ARRAY_SIZE(tried) && !done; i++) {
		double attempts = i < FC_ARRAY_SIZE(tried) ? fmin(tried[i] * best, 1) : 1;
		struct csr_run run = run_of(dimension, attempts, slots, seed,
					    id == CSR_CSR ? fault : CSR_SOUND);
		double here = useful(all, id, &run);

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

void csr_saturations_measure(struct csr_saturations *all, u64 slots, u64 seed, u8 fault)
{
	*all = (struct csr_saturations){ 0 };
	for (u32 id = 0; id < CSR_SCHEMES; id++)
		for (u32 d = CSR_SATURATION_FIRST; d <= CSR_SATURATION_LAST; d++)
			measure(all, (enum csr_scheme_id)id, d, slots, seed, fault);
}

double csr_saturation_of(const struct csr_saturations *all, enum csr_scheme_id id, u32 dimension)
{
	const struct csr_saturation *at = &all->at[id][dimension - CSR_SATURATION_FIRST];

	return id == CSR_CSR ? at->analysis : at->most;
}

double csr_saturation_beta(const struct csr_saturations *all, enum csr_scheme_id id, u32 dimension)
{
	double other = csr_saturation_of(all, id, dimension);

	return csr_saturation_of(all, CSR_CSR, dimension) / other - 1;
}

static void print_points(const struct csr_saturations *all)
{
	printf("Figure 5: saturation point, useful share of the links, by dimension\n"
	       "CSR as in the figure by analysis, beta = 0; the largest of several attempt rates p0\n\n"
	       " d  CSR     CSR         priority    simple      unbuffered  analysis  unbuffered  analysis  p0\n"
	       "    anal.   simulation  deflection  deflection  priority              simple\n");
	for (u32 d = CSR_SATURATION_FIRST; d <= CSR_SATURATION_LAST; d++) {
		u32 i = d - CSR_SATURATION_FIRST;

		printf("%2u  %.4f  %.4f      %.4f      %.4f      %.4f      %.4f    %.4f      %.4f    %.2f\n",
		       d, all->at[CSR_CSR][i].analysis, all->at[CSR_CSR][i].most,
		       all->at[CSR_DEFLECT_PRIORITY][i].most, all->at[CSR_DEFLECT_SIMPLE][i].most,
		       all->at[CSR_UNBUFFERED_PRIORITY][i].most,
		       all->at[CSR_UNBUFFERED_PRIORITY][i].analysis,
		       all->at[CSR_UNBUFFERED_SIMPLE][i].most,
		       all->at[CSR_UNBUFFERED_SIMPLE][i].analysis,
		       all->at[CSR_UNBUFFERED_SIMPLE][i].attempts);
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

static void print_betas(const struct csr_saturations *all)
{
	printf("The effect of beta, the length of the control interval in packets\n"
	       "to the right: the beta at which CSR is no better than the others; -: it never is\n\n"
	       " d  beta: 0  0.1     0.5     1       priority    simple      unbuffered  unbuffered\n"
	       "                                     deflection  deflection  priority    simple\n");
	for (u32 d = CSR_SATURATION_FIRST; d <= CSR_SATURATION_LAST; d++) {
		double csr = csr_saturation_of(all, CSR_CSR, d);

		printf("%2u  %.4f   %.4f  %.4f  %.4f", d, csr, csr / 1.1, csr / 1.5, csr / 2);
		for (u32 id = CSR_DEFLECT_PRIORITY; id < CSR_SCHEMES; id++)
			print_beta(csr_saturation_beta(all, (enum csr_scheme_id)id, d));
		printf("\n");
	}
	printf("\n");
}

void csr_saturations_print(const struct csr_saturations *all)
{
	print_points(all);
	print_betas(all);
}

static bool draw_figure(const struct csr_saturations *all, const char *dir)
{
	struct plot plot = {
		.file = "csr-figure-5.svg", .title = "Figure 5: saturation point",
		.x_label = "dimension", .y_label = "share", .points = CSR_SATURATIONS,
	};
	struct estimate *at;

	for (u32 id = 0; id < CSR_SCHEMES; id++) {
		at = plot_add(&plot, csr_schemes[id].title);
		for (u32 i = 0; i < CSR_SATURATIONS; i++) {
			plot.x[i] = CSR_SATURATION_FIRST + i;
			at[i].mean = csr_saturation_of(all, (enum csr_scheme_id)id,
						       CSR_SATURATION_FIRST + i);
		}
	}
	at = plot_add(&plot, "CSR, beta = 0.5");
	for (u32 i = 0; i < CSR_SATURATIONS; i++)
		at[i].mean = plot.curve[CSR_CSR].at[i].mean / (1 + BETA_DRAWN);
	return plot_draw(&plot, dir);
}

static bool draw_betas(const struct csr_saturations *all, const char *dir)
{
	struct plot plot = {
		.file = "csr-beta.svg", .title = "The effect of beta, d = 7", .x_label = "beta",
		.y_label = "share", .points = CSR_BETAS,
	};

	for (u32 id = 0; id < CSR_SCHEMES; id++) {
		struct estimate *at = plot_add(&plot, csr_schemes[id].title);

		for (u32 i = 0; i < CSR_BETAS; i++) {
			plot.x[i] = (double)i / (CSR_BETAS - 1);
			at[i].mean = csr_saturation_of(all, (enum csr_scheme_id)id,
						       CSR_BETA_DIMENSION) /
				     (id == CSR_CSR ? 1 + plot.x[i] : 1);
		}
	}
	return plot_draw(&plot, dir);
}

bool csr_saturations_draw(const struct csr_saturations *all, const char *dir)
{
	return draw_figure(all, dir) && draw_betas(all, dir);
}
