// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "harts_figure.h"
#include "plot.h"

static const struct {
	const char *title;
	const char *unit;
} figures[HARTS_FIGURES] = {
	[HARTS_FIGURE_10] = { "Latency of SBCAST", "cycles" },
	[HARTS_FIGURE_11] = { "Latency of k copies over that of SBCAST, n = 7", "per cent" },
	[HARTS_FIGURE_12] = { "Latency of SBCAST and SFBCAST, n = 5", "cycles" },
	[HARTS_FIGURE_13] = { "Latency of SFBCAST over that of SBCAST", "per cent" },
	[HARTS_FIGURE_14] = { "Mean time of a delivery, SFBCAST over SBCAST", "per cent" },
};

static struct harts_curve *add(struct harts_figure *figure)
{
	return &figure->curve[figure->ncurves++];
}

static void latency_curve(struct harts_curve *curve, const struct harts_point *point)
{
	for (u32 i = 0; i < HARTS_LOADS; i++)
		curve->at[i] = harts_estimate(point[i].latency, point[i].seeds);
}

static void latency_percent(struct harts_curve *curve, const struct harts_point *point,
			    const struct harts_point *base)
{
	for (u32 i = 0; i < HARTS_LOADS; i++)
		curve->at[i] = harts_percent(point[i].latency, base[i].latency, point[i].seeds);
}

static void delivery_percent(struct harts_curve *curve, const struct harts_point *point,
			     const struct harts_point *base)
{
	for (u32 i = 0; i < HARTS_LOADS; i++)
		curve->at[i] = harts_percent(point[i].delivery, base[i].delivery, point[i].seeds);
}

void harts_figures_make(struct harts_figure figure[HARTS_FIGURES], const struct harts_sweep *sweep)
{
	const struct harts_point (*s)[HARTS_LOADS] = sweep->point[HARTS_SBCAST];
	const struct harts_point (*sf)[HARTS_LOADS] = sweep->point[HARTS_SFBCAST];
	struct harts_curve *curve;

	for (u32 i = 0; i < HARTS_FIGURES; i++)
		figure[i] = (struct harts_figure){
			.number = 10 + i, .title = figures[i].title, .unit = figures[i].unit
		};
	for (u32 size = 0; size < HARTS_SIZES; size++) {
		char label[sizeof(curve->label)];

		snprintf(label, sizeof(label), "n = %u", harts_size[size]);
		curve = add(&figure[HARTS_FIGURE_10]);
		strcpy(curve->label, label);
		latency_curve(curve, s[size]);
		curve = add(&figure[HARTS_FIGURE_13]);
		strcpy(curve->label, label);
		latency_percent(curve, sf[size], s[size]);
		curve = add(&figure[HARTS_FIGURE_14]);
		strcpy(curve->label, label);
		delivery_percent(curve, sf[size], s[size]);
	}
	for (u32 id = HARTS_2BCAST; id <= HARTS_6BCAST; id++) {
		curve = add(&figure[HARTS_FIGURE_11]);
		strcpy(curve->label, harts_algorithms[id].choice.name);
		latency_percent(curve, sweep->point[id][HARTS_SIZE_COPIES],
				s[HARTS_SIZE_COPIES]);
	}
	curve = add(&figure[HARTS_FIGURE_12]);
	strcpy(curve->label, harts_algorithms[HARTS_SBCAST].choice.name);
	latency_curve(curve, s[0]);
	curve = add(&figure[HARTS_FIGURE_12]);
	strcpy(curve->label, harts_algorithms[HARTS_SFBCAST].choice.name);
	latency_curve(curve, sf[0]);
}

void harts_figure_print(const struct harts_figure *figure)
{
	printf("Figure %u: %s, %s\n\nload", figure->number, figure->title, figure->unit);
	for (u32 c = 0; c < figure->ncurves; c++)
		printf("  %-17s", figure->curve[c].label);
	printf("\n");
	for (u32 i = 0; i < HARTS_LOADS; i++) {
		printf("%.2f", (double)harts_loads[i] / HARTS_LOAD_UNIT);
		for (u32 c = 0; c < figure->ncurves; c++)
			printf("  %7.1f +- %-6.1f", figure->curve[c].at[i].mean,
			       figure->curve[c].at[i].half);
		printf("\n");
	}
	printf("\n");
}

bool harts_figure_draw(const struct harts_figure *figure, const char *dir)
{
	double y[HARTS_CURVES_MAX][HARTS_LOADS], half[HARTS_CURVES_MAX][HARTS_LOADS];
	double x[HARTS_LOADS];
	char name[32], title[80];
	struct plot plot = {
		.title = title, .x_label = "link load", .y_label = figure->unit,
		.x = x, .points = HARTS_LOADS, .ncurves = figure->ncurves,
	};

	static_assert(HARTS_CURVES_MAX <= PLOT_CURVES_MAX, "a colour for each");
	for (u32 i = 0; i < HARTS_LOADS; i++)
		x[i] = (double)harts_loads[i] / HARTS_LOAD_UNIT;
	for (u32 c = 0; c < figure->ncurves; c++) {
		for (u32 i = 0; i < HARTS_LOADS; i++) {
			y[c][i] = figure->curve[c].at[i].mean;
			half[c][i] = figure->curve[c].at[i].half;
		}
		plot.curve[c] = (struct plot_curve){ figure->curve[c].label, y[c], half[c] };
	}
	snprintf(title, sizeof(title), "Figure %u: %s", figure->number, figure->title);
	snprintf(name, sizeof(name), "harts-figure-%u.svg", figure->number);
	return plot_draw(&plot, dir, name);
}
