// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>

#include "finding.h"
#include "harts_finding.h"

/*
 * What the words of the paper are taken to mean; it gives no numbers.
 */

/* "Close to linear": n = 7 is so close to the mean of n = 5 and 9, per cent. */
#define LINEAR		10.0
/* "Quite close": the dearest of 4, 5 and 6 copies is at most so much above the cheapest. */
#define CLOSE		10.0
/* "Substantially higher", per cent. */
#define SUBSTANTIAL	25.0
/* Saturation "for link loads greater than 0.7": from here to there. */
#define SATURATED_LOW	0.65
#define SATURATED_HIGH	0.80
/* A model is right up to so many per cent. */
#define MODEL		10.0

/* Index of load 0.5 in harts_loads. */
#define LOAD_HALF	5

/* Is @b surely above @a, or, where the intervals meet, not surely below. */
static bool rises(struct estimate a, struct estimate b)
{
	return b.mean + b.half > a.mean - a.half;
}

/* With the load along all curves, from the first point to the last beyond doubt. */
static bool along_curves(const struct plot *figure, bool up)
{
	for (u32 c = 0; c < figure->ncurves; c++) {
		const struct estimate *at = figure->curve[c].at;
		const struct estimate *low = up ? at : at + HARTS_LOADS - 1;
		const struct estimate *high = up ? at + HARTS_LOADS - 1 : at;

		for (u32 i = 1; i < HARTS_LOADS; i++)
			if (up ? !rises(at[i - 1], at[i]) : !rises(at[i], at[i - 1]))
				return false;
		if (high->mean - high->half <= low->mean + low->half)
			return false;
	}
	return true;
}

/* From curve to curve at all loads, and at the first beyond doubt. */
static bool across_curves(const struct plot *figure)
{
	for (u32 c = 1; c < figure->ncurves; c++) {
		const struct estimate *a = figure->curve[c - 1].at;
		const struct estimate *b = figure->curve[c].at;

		for (u32 i = 0; i < HARTS_LOADS; i++)
			if (!rises(a[i], b[i]))
				return false;
		if (b->mean <= a->mean)
			return false;
	}
	return true;
}

static void by_size(const struct plot *f)
{
	const struct estimate *first = f->curve[0].at, *last = f->curve[2].at;
	double worst = 0;

	finding(along_curves(f, true) && across_curves(f),
		"Figure 10: latency increases with mesh size and with link load",
		"n = 5 to 9: +%.0f %% at load %.2f, +%.0f %% at %.2f; n = 5 and 9 over these loads: x %.1f, x %.1f",
		percent_more(last[0].mean, first[0].mean), (double)harts_loads[0] / HARTS_LOAD_UNIT,
		percent_more(last[HARTS_LOADS - 1].mean, first[HARTS_LOADS - 1].mean),
		(double)harts_loads[HARTS_LOADS - 1] / HARTS_LOAD_UNIT,
		first[HARTS_LOADS - 1].mean / first[0].mean,
		last[HARTS_LOADS - 1].mean / last[0].mean);
	for (u32 i = 0; i < HARTS_LOADS; i++) {
		double middle = (first[i].mean + last[i].mean) / 2;
		double off = percent_more(f->curve[1].at[i].mean, middle);

		if (fabs(off) > fabs(worst))
			worst = off;
	}
	finding(fabs(worst) <= LINEAR,
		"Figure 10: for a particular link load the increase with mesh size is close to linear",
		"n = 7 is at most %.1f %% from the mean of n = 5 and n = 9 (close: %.0f)", worst,
		LINEAR);
}

/* A curve that rises faster than any exponential: the factor of a step itself rises. */
static void saturation(const struct plot *f, const struct harts_sweep *sweep)
{
	const struct harts_point *p = &sweep->point[HARTS_SBCAST][HARTS_SIZE_COPIES][LOAD_HALF];
	double full = (double)harts_loads[LOAD_HALF] / HARTS_LOAD_UNIT /
		      harts_estimate(p->busy, p->seeds).mean;
	double factor[HARTS_SIZES][3];
	bool holds = true;

	for (u32 c = 0; c < HARTS_SIZES; c++) {
		for (u32 i = 0; i < 3; i++)
			factor[c][i] = f->curve[c].at[LOAD_HALF + i].mean /
				       f->curve[c].at[LOAD_HALF + i - 1].mean;
		holds = holds && factor[c][2] > factor[c][0];
	}
	finding(holds, "Figure 10: latency increases super-exponentially for link loads beyond 0.5",
		"factor from 0.4 to 0.5, to 0.6, to 0.7: n = 5: %.2f %.2f %.2f; n = 7: %.2f %.2f %.2f; n = 9: %.2f %.2f %.2f",
		factor[0][0], factor[0][1], factor[0][2], factor[1][0], factor[1][1], factor[1][2],
		factor[2][0], factor[2][1], factor[2][2]);
	finding(full >= SATURATED_LOW && full <= SATURATED_HIGH,
		"Figure 10: saturation sets in for link loads greater than 0.7",
		"links are busy all the time at load %.2f (n = 7, SBCAST, idle gap %llu bytes)",
		full, (unsigned long long)sweep->settings->times.gap);
}

static void copies(const struct plot *f, const struct harts_sweep *sweep)
{
	const struct estimate *two = f->curve[0].at, *six = f->curve[4].at;
	double least = INFINITY, most = 0;

	finding(along_curves(f, true),
		"Figure 11: the percentage increases with the link load, for each number of copies",
		"2 copies: +%.0f %% to +%.0f %%, 6 copies: +%.0f %% to +%.0f %%", two[0].mean,
		two[HARTS_LOADS - 1].mean, six[0].mean, six[HARTS_LOADS - 1].mean);
	for (u32 i = 0; i < HARTS_LOADS; i++) {
		double low = INFINITY, high = 0;

		for (u32 id = HARTS_4BCAST; id <= HARTS_6BCAST; id++) {
			const struct harts_point *p = &sweep->point[id][HARTS_SIZE_COPIES][i];
			double latency = harts_estimate(p->latency, p->seeds).mean;

			low = fmin(low, latency);
			high = fmax(high, latency);
		}
		least = fmin(least, percent_more(high, low));
		most = fmax(most, percent_more(high, low));
	}
	finding(most <= CLOSE, "Figure 11: the cost of 4, 5 and 6 copies is quite close",
		"the dearest of them takes %.0f %% to %.0f %% longer than the cheapest (close: %.0f)",
		least, most, CLOSE);
}

static void store_and_forward(const struct plot *figure)
{
	const struct plot *f = &figure[HARTS_FIGURE_12];
	const struct plot *latency = &figure[HARTS_FIGURE_13];
	const struct plot *delivery = &figure[HARTS_FIGURE_14];
	const struct estimate *s = f->curve[0].at, *sf = f->curve[1].at;
	double s_rise = s[HARTS_LOADS - 1].mean / s[0].mean;
	double sf_rise = sf[HARTS_LOADS - 1].mean / sf[0].mean;
	double least = INFINITY, most = 0;

	finding(latency->curve[0].at[0].mean >= SUBSTANTIAL,
		"Figure 12: SFBCAST takes substantially longer than SBCAST at low loads",
		"%.0f against %.0f cycles: %.0f %% more (substantial: %.0f)", sf[0].mean, s[0].mean,
		latency->curve[0].at[0].mean, SUBSTANTIAL);
	finding(sf_rise < s_rise, "Figure 12: and its latency increases more gradually with the load",
		"x %.2f against x %.2f", sf_rise, s_rise);
	finding(along_curves(latency, false),
		"Figure 13: the difference in latency reduces as the link load increases",
		"n = 5: %.0f %% to %.0f %%, n = 9: %.0f %% to %.0f %%",
		latency->curve[0].at[0].mean, latency->curve[0].at[HARTS_LOADS - 1].mean,
		latency->curve[2].at[0].mean, latency->curve[2].at[HARTS_LOADS - 1].mean);
	finding(across_curves(latency),
		"Figure 13: for a fixed link load it increases with mesh size",
		"n = 5, 7, 9 at load %.2f: %.0f, %.0f, %.0f %%; at 0.50: %.0f, %.0f, %.0f %%",
		(double)harts_loads[0] / HARTS_LOAD_UNIT, latency->curve[0].at[0].mean,
		latency->curve[1].at[0].mean, latency->curve[2].at[0].mean,
		latency->curve[0].at[LOAD_HALF].mean, latency->curve[1].at[LOAD_HALF].mean,
		latency->curve[2].at[LOAD_HALF].mean);
	finding(along_curves(delivery, false) && across_curves(delivery),
		"Figure 14: both are so for the mean time of a delivery, too",
		"n = 5: %.0f %% to %.0f %%, n = 9: %.0f %% to %.0f %%",
		delivery->curve[0].at[0].mean, delivery->curve[0].at[HARTS_LOADS - 1].mean,
		delivery->curve[2].at[0].mean, delivery->curve[2].at[HARTS_LOADS - 1].mean);
	for (u32 c = 0; c < HARTS_SIZES; c++) {
		for (u32 i = 0; i < HARTS_LOADS; i++) {
			double more = delivery->curve[c].at[i].mean - latency->curve[c].at[i].mean;

			least = fmin(least, more);
			most = fmax(most, more);
		}
	}
	finding(least > 0, "Figure 14: and the difference is higher than that of latency",
		"by %.0f to %.0f per cent of SBCAST's", least, most);
}

static void algorithm_a(const struct harts_table_a *t)
{
	double ratio[HARTS_A_SIZES], off[HARTS_A_SIZES];
	bool rising = true, right = true;

	finding(t->a[0].latency[0] < t->sbcast[0].latency[0] &&
		harts_percent(t->a[HARTS_RHOS - 1].latency, t->sbcast[HARTS_RHOS - 1].latency,
			      t->a[HARTS_RHOS - 1].seeds).mean > 0,
		"Table II: A may be faster in an idle network, SBCAST is as the utilisation grows",
		"n = 3: A takes %.0f %% of SBCAST's time when idle, %.0f %% at 0.05, %.0f %% at 0.20",
		100 * t->a[0].latency[0] / t->sbcast[0].latency[0],
		100 + harts_percent(t->a[1].latency, t->sbcast[1].latency, t->a[1].seeds).mean,
		100 + harts_percent(t->a[HARTS_RHOS - 1].latency, t->sbcast[HARTS_RHOS - 1].latency,
				    t->a[HARTS_RHOS - 1].seeds).mean);
	for (u32 i = 0; i < HARTS_A_SIZES; i++) {
		const struct harts_point *a = &t->a_by_size[i];
		double n = harts_a_size[i];
		double model = (3 * n * (n - 1) - 1) * (double)harts_rho[1] / HARTS_LOAD_UNIT;

		ratio[i] = 100 + harts_percent(a->latency, t->sbcast_by_size[i].latency,
					       a->seeds).mean;
		off[i] = percent_more(harts_estimate(a->stored, a->seeds).mean - 1, model);
		rising = rising && (!i || ratio[i] > ratio[i - 1]);
		right = right && fabs(off[i]) <= MODEL;
	}
	finding(rising && ratio[HARTS_A_SIZES - 1] > 100,
		"Table II: as n increases SBCAST is the better even for very small utilisations",
		"at 0.05 A takes %.0f, %.0f, %.0f, %.0f %% of SBCAST's time for n = 3, 5, 7, 9",
		ratio[0], ratio[1], ratio[2], ratio[3]);
	finding(right, "Table II: A's packet is stored (3n(n-1)-1) rho times on its way",
		"at 0.05 %.0f, %.0f, %.0f, %.0f %% off for n = 3, 5, 7, 9 (right: %.0f)", off[0],
		off[1], off[2], off[3], MODEL);
}

void harts_findings(const struct plot figure[HARTS_FIGURES], const struct harts_sweep *sweep,
		    const struct harts_table_a *table)
{
	printf("Findings of the paper\n\n");
	by_size(&figure[HARTS_FIGURE_10]);
	saturation(&figure[HARTS_FIGURE_10], sweep);
	copies(&figure[HARTS_FIGURE_11], sweep);
	store_and_forward(figure);
	algorithm_a(table);
}
