// SPDX-License-Identifier: GPL-2.0
/*
 * Figures 10 to 14 of HARTS: all algorithms, sizes and link loads.
 */
#include <math.h>
#include <stdio.h>

#include "base/finding.h"
#include "harts_point.h"

/*
 * Numeric interpretation of statements of the paper, which gives no numbers.
 */

/* "Close to linear": tolerance of n = 7 against the mean of n = 5 and 9, per cent. */
#define LINEAR		10.0
/* "Quite close": largest excess of the worst of 4, 5 and 6 copies over the best, per cent. */
#define CLOSE		10.0
/* "Substantially higher", per cent. */
#define SUBSTANTIAL	25.0
/* Saturation "for link loads greater than 0.7": accepted interval. */
#define SATURATED_LOW	0.65
#define SATURATED_HIGH	0.80

/* Index of load 0.5 in harts_loads. */
#define LOAD_HALF	5

/* The paper's numbers of the figures, from 0. */
enum {
	FIGURE_10,	/* latency of SBCAST, by size */
	FIGURE_11,	/* latency of 2- to 6-BCAST over SBCAST */
	FIGURE_12,	/* latency of SBCAST and SFBCAST */
	FIGURE_13,	/* latency of SFBCAST over SBCAST, by size */
	FIGURE_14,	/* mean time of a delivery of SFBCAST over SBCAST, by size */
	FIGURES
};

/* All points; only SBCAST and SFBCAST have all sizes, Algorithm A has none. */
static struct harts_point points[HARTS_ALGORITHMS][HARTS_SIZES][HARTS_LOADS];
static u64 gap;
/* Packets astray and sites unserved in the figures measured so far. */
static u64 wrong;

#define FIGURE(number, title_, unit) { \
	.file = "harts-figure-" #number ".svg", .title = "Figure " #number ": " title_, \
	.x_label = "link load", .y_label = unit, .points = HARTS_LOADS, \
}

static struct plot figures[FIGURES] = {
	[FIGURE_10] = FIGURE(10, "Latency of SBCAST", "cycles"),
	[FIGURE_11] = FIGURE(11, "Latency of k copies over that of SBCAST, n = 7", "per cent"),
	[FIGURE_12] = FIGURE(12, "Latency of SBCAST and SFBCAST, n = 5", "cycles"),
	[FIGURE_13] = FIGURE(13, "Latency of SFBCAST over that of SBCAST", "per cent"),
	[FIGURE_14] = FIGURE(14, "Mean time of a delivery, SFBCAST over SBCAST", "per cent"),
};

static const char *const sizes[HARTS_SIZES] = { "n = 5", "n = 7", "n = 9" };

static void sweep(const struct harts_settings *settings, enum harts_algorithm_id id, u32 size)
{
	for (u32 load = 0; load < HARTS_LOADS; load++) {
		struct harts_point *point = &points[id][size][load];
		struct harts_run run = {
			.algorithm = id, .size = harts_size[size], .load = harts_loads[load],
		};

		reproduce_point();
		harts_point_run(point, settings, &run);
		wrong += point->astray + point->unserved;
	}
}

/* Add the points' latencies, or their excess over those of @base, per cent. */
static void latency(struct plot *to, const char *label, const struct harts_point *point,
		    const struct harts_point *base)
{
	struct estimate *at = plot_add(to, label);

	for (u32 i = 0; i < HARTS_LOADS; i++)
		at[i] = base ?
			harts_percent(point[i].latency, base[i].latency, point[i].seeds) :
			estimate_of(point[i].latency, point[i].seeds);
}

static void delivery(struct plot *to, const char *label, const struct harts_point *point,
		     const struct harts_point *base)
{
	struct estimate *at = plot_add(to, label);

	for (u32 i = 0; i < HARTS_LOADS; i++)
		at[i] = harts_percent(point[i].delivery, base[i].delivery, point[i].seeds);
}

static void begin_figure(struct plot *figure)
{
	for (u32 load = 0; load < HARTS_LOADS; load++)
		figure->x[load] = (double)harts_loads[load] / HARTS_LOAD_UNIT;
}

static void measure_10(const void *settings)
{
	gap = ((const struct harts_settings *)settings)->times.gap;
	begin_figure(&figures[FIGURE_10]);
	for (u32 i = 0; i < HARTS_SIZES; i++) {
		sweep(settings, HARTS_SBCAST, i);
		latency(&figures[FIGURE_10], sizes[i], points[HARTS_SBCAST][i], NULL);
	}
}

static void measure_11(const void *settings)
{
	begin_figure(&figures[FIGURE_11]);
	for (u32 id = HARTS_2BCAST; id <= HARTS_6BCAST; id++) {
		sweep(settings, (enum harts_algorithm_id)id, HARTS_SIZE_COPIES);
		latency(&figures[FIGURE_11], harts_algorithms[id].choice.name,
			points[id][HARTS_SIZE_COPIES], points[HARTS_SBCAST][HARTS_SIZE_COPIES]);
	}
}

static void measure_12_to_14(const void *settings)
{
	const struct harts_point (*s)[HARTS_LOADS] = points[HARTS_SBCAST];
	const struct harts_point (*sf)[HARTS_LOADS] = points[HARTS_SFBCAST];

	for (u32 i = FIGURE_12; i < FIGURES; i++)
		begin_figure(&figures[i]);
	for (u32 i = 0; i < HARTS_SIZES; i++) {
		sweep(settings, HARTS_SFBCAST, i);
		latency(&figures[FIGURE_13], sizes[i], sf[i], s[i]);
		delivery(&figures[FIGURE_14], sizes[i], sf[i], s[i]);
	}
	latency(&figures[FIGURE_12], harts_algorithms[HARTS_SBCAST].choice.name, s[0], NULL);
	latency(&figures[FIGURE_12], harts_algorithms[HARTS_SFBCAST].choice.name, sf[0],
		NULL);
}

/* Print a figure as a table with a row for each load. */
static void print_figure(const struct plot *f)
{
	printf("%s, %s\n\nload", f->title, f->y_label);
	for (u32 c = 0; c < f->ncurves; c++)
		printf("  %-17s", f->curve[c].label);
	printf("\n");
	for (u32 i = 0; i < f->points; i++) {
		printf("%.2f", f->x[i]);
		for (u32 c = 0; c < f->ncurves; c++)
			printf("  %7.1f +- %-6.1f", f->curve[c].at[i].mean,
			       f->curve[c].at[i].half);
		printf("\n");
	}
	printf("\n");
}

static void print_10(void)
{
	print_figure(&figures[FIGURE_10]);
}

static void print_11(void)
{
	print_figure(&figures[FIGURE_11]);
}

static void print_12_to_14(void)
{
	for (u32 i = FIGURE_12; i < FIGURES; i++)
		print_figure(&figures[i]);
}

static bool draw_10(const char *dir)
{
	return plot_draw(&figures[FIGURE_10], dir);
}

static bool draw_11(const char *dir)
{
	return plot_draw(&figures[FIGURE_11], dir);
}

static bool draw_12_to_14(const char *dir)
{
	bool drawn = true;

	for (u32 i = FIGURE_12; i < FIGURES; i++)
		drawn = drawn && plot_draw(&figures[i], dir);
	return drawn;
}

/*
 * Findings.
 */

/* Is @b above @a, or do the intervals overlap? */
static bool rises(struct estimate a, struct estimate b)
{
	return b.mean + b.half > a.mean - a.half;
}

/* Do all curves rise with the load, from the first point to the last beyond the intervals? */
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

/* Does each curve exceed the previous one at all loads, at the first beyond the intervals? */
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

/* Saturation: the curve rises faster than exponentially, so the factor of a step itself rises. */
static void saturation(const struct plot *f)
{
	const struct harts_point *p = &points[HARTS_SBCAST][HARTS_SIZE_COPIES][LOAD_HALF];
	double full = (double)harts_loads[LOAD_HALF] / HARTS_LOAD_UNIT /
		      estimate_of(p->busy, p->seeds).mean;
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
		full, (unsigned long long)gap);
}

static void copies(const struct plot *f)
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
			const struct harts_point *p = &points[id][HARTS_SIZE_COPIES][i];
			double latency = estimate_of(p->latency, p->seeds).mean;

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

static void store_and_forward(void)
{
	const struct plot *f = &figures[FIGURE_12];
	const struct plot *latency = &figures[FIGURE_13];
	const struct plot *delivery = &figures[FIGURE_14];
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

void harts_figure_findings(void)
{
	by_size(&figures[FIGURE_10]);
	saturation(&figures[FIGURE_10]);
	copies(&figures[FIGURE_11]);
	store_and_forward();
}

/* Parts in the order of measurement; Figures 11 to 14 compare with the points of Figure 10. */
const struct report_part harts_figure_10_part = {
	.name = "Figure 10", .points = HARTS_SIZES * HARTS_LOADS,
	.measure = measure_10, .print = print_10, .draw = draw_10, .wrong = &wrong,
};

const struct report_part harts_figure_11_part = {
	.name = "Figure 11", .points = (HARTS_6BCAST - HARTS_2BCAST + 1) * HARTS_LOADS,
	.measure = measure_11, .print = print_11, .draw = draw_11, .wrong = &wrong,
};

const struct report_part harts_figure_12_part = {
	.name = "Figures 12 to 14", .points = HARTS_SIZES * HARTS_LOADS,
	.measure = measure_12_to_14, .print = print_12_to_14, .draw = draw_12_to_14,
	.wrong = &wrong,
};
