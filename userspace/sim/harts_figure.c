// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "harts_figure.h"

static const struct {
	const char *file;
	const char *title;
	const char *unit;
} figures[HARTS_FIGURES] = {
	[HARTS_FIGURE_10] = { "harts-figure-10.svg", "Figure 10: Latency of SBCAST", "cycles" },
	[HARTS_FIGURE_11] = {
		"harts-figure-11.svg", "Figure 11: Latency of k copies over that of SBCAST, n = 7",
		"per cent"
	},
	[HARTS_FIGURE_12] = {
		"harts-figure-12.svg", "Figure 12: Latency of SBCAST and SFBCAST, n = 5", "cycles"
	},
	[HARTS_FIGURE_13] = {
		"harts-figure-13.svg", "Figure 13: Latency of SFBCAST over that of SBCAST",
		"per cent"
	},
	[HARTS_FIGURE_14] = {
		"harts-figure-14.svg", "Figure 14: Mean time of a delivery, SFBCAST over SBCAST",
		"per cent"
	},
};

static const char *const sizes[HARTS_SIZES] = { "n = 5", "n = 7", "n = 9" };

/* The points' latencies, or by how many per cent they are above those of @base. */
static void latency(struct plot *figure, const char *label, const struct harts_point *point,
		    const struct harts_point *base)
{
	struct estimate *at = plot_add(figure, label);

	for (u32 i = 0; i < HARTS_LOADS; i++)
		at[i] = base ?
			harts_percent(point[i].latency, base[i].latency, point[i].seeds) :
			harts_estimate(point[i].latency, point[i].seeds);
}

static void delivery(struct plot *figure, const char *label, const struct harts_point *point,
		     const struct harts_point *base)
{
	struct estimate *at = plot_add(figure, label);

	for (u32 i = 0; i < HARTS_LOADS; i++)
		at[i] = harts_percent(point[i].delivery, base[i].delivery, point[i].seeds);
}

void harts_figures_make(struct plot figure[HARTS_FIGURES], const struct harts_sweep *sweep)
{
	const struct harts_point (*s)[HARTS_LOADS] = sweep->point[HARTS_SBCAST];
	const struct harts_point (*sf)[HARTS_LOADS] = sweep->point[HARTS_SFBCAST];

	for (u32 i = 0; i < HARTS_FIGURES; i++) {
		figure[i] = (struct plot){
			.file = figures[i].file, .title = figures[i].title,
			.x_label = "link load", .y_label = figures[i].unit, .points = HARTS_LOADS,
		};
		for (u32 load = 0; load < HARTS_LOADS; load++)
			figure[i].x[load] = (double)harts_loads[load] / HARTS_LOAD_UNIT;
	}
	for (u32 i = 0; i < HARTS_SIZES; i++) {
		latency(&figure[HARTS_FIGURE_10], sizes[i], s[i], NULL);
		latency(&figure[HARTS_FIGURE_13], sizes[i], sf[i], s[i]);
		delivery(&figure[HARTS_FIGURE_14], sizes[i], sf[i], s[i]);
	}
	for (u32 id = HARTS_2BCAST; id <= HARTS_6BCAST; id++)
		latency(&figure[HARTS_FIGURE_11], harts_algorithms[id].choice.name,
			sweep->point[id][HARTS_SIZE_COPIES], s[HARTS_SIZE_COPIES]);
	latency(&figure[HARTS_FIGURE_12], harts_algorithms[HARTS_SBCAST].choice.name, s[0], NULL);
	latency(&figure[HARTS_FIGURE_12], harts_algorithms[HARTS_SFBCAST].choice.name, sf[0],
		NULL);
}

void harts_figure_print(const struct plot *figure)
{
	printf("%s, %s\n\nload", figure->title, figure->y_label);
	for (u32 c = 0; c < figure->ncurves; c++)
		printf("  %-17s", figure->curve[c].label);
	printf("\n");
	for (u32 i = 0; i < figure->points; i++) {
		printf("%.2f", figure->x[i]);
		for (u32 c = 0; c < figure->ncurves; c++)
			printf("  %7.1f +- %-6.1f", figure->curve[c].at[i].mean,
			       figure->curve[c].at[i].half);
		printf("\n");
	}
	printf("\n");
}
