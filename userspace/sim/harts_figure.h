/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures 10 to 14 of HARTS, from the points of a sweep.
 */
#ifndef FLITCAST_SIM_HARTS_FIGURE_H
#define FLITCAST_SIM_HARTS_FIGURE_H

#include "harts_sweep.h"

#define HARTS_CURVES_MAX	5

/* The paper's numbers of the figures, from 0. */
enum {
	HARTS_FIGURE_10,	/* latency of SBCAST, by size */
	HARTS_FIGURE_11,	/* of 2- to 6-BCAST over SBCAST */
	HARTS_FIGURE_12,	/* latency of SBCAST and SFBCAST */
	HARTS_FIGURE_13,	/* latency of SFBCAST over SBCAST, by size */
	HARTS_FIGURE_14,	/* mean time of a delivery of SFBCAST over SBCAST, by size */
	HARTS_FIGURES
};

/**
 * struct harts_curve - one of a figure
 * @label: what it is of
 * @at: by load
 */
struct harts_curve {
	char label[24];
	struct harts_estimate at[HARTS_LOADS];
};

/**
 * struct harts_figure - one figure
 * @number: the paper's
 * @title: what it shows
 * @unit: of its values
 * @ncurves: how many
 * @curve: the curves
 */
struct harts_figure {
	u32 number;
	const char *title;
	const char *unit;
	u32 ncurves;
	struct harts_curve curve[HARTS_CURVES_MAX];
};

/* All figures, from a sweep that was run. */
void harts_figures_make(struct harts_figure figure[HARTS_FIGURES],
			const struct harts_sweep *sweep);

/* Prints it: a row for each load. */
void harts_figure_print(const struct harts_figure *figure);

/**
 * harts_figure_draw() - the figure as DIR/harts-figure-NUMBER.svg
 * @figure: the figure
 * @dir: directory
 *
 * Return: false, with a line on standard error, if it cannot be written.
 */
bool harts_figure_draw(const struct harts_figure *figure, const char *dir);

#endif /* FLITCAST_SIM_HARTS_FIGURE_H */
