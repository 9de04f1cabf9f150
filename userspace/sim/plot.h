/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_PLOT_H
#define FLITCAST_SIM_PLOT_H

#include "base.h"

/* Curves of a plot: as many as there are colours. */
#define PLOT_CURVES_MAX		6

/**
 * struct plot_curve - values at the points of the x axis
 * @label: text beside it
 * @y: the values
 * @half: how far the bars reach above and below them
 */
struct plot_curve {
	const char *label;
	const double *y;
	const double *half;
};

/**
 * struct plot - curves over a common x axis; the texts need no quoting
 * @title: above it
 * @x_label: below the x axis
 * @y_label: above the y axis
 * @x: the points, ascending from 0 or more
 * @points: how many
 * @ncurves: how many, 1 to PLOT_CURVES_MAX
 * @curve: the curves
 */
struct plot {
	const char *title;
	const char *x_label;
	const char *y_label;
	const double *x;
	u32 points;
	u32 ncurves;
	struct plot_curve curve[PLOT_CURVES_MAX];
};

/**
 * plot_draw() - the plot as a file of its own
 * @plot: the plot
 * @dir: directory
 * @name: of the file in it
 *
 * Return: false, with a line on standard error, if it cannot be written.
 */
bool plot_draw(const struct plot *plot, const char *dir, const char *name);

#endif /* FLITCAST_SIM_PLOT_H */
