/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_PLOT_H
#define FLITCAST_SIM_PLOT_H

#include "estimate.h"

/* Maximum number of curves of a plot, one per colour. */
#define PLOT_CURVES_MAX		6
#define PLOT_POINTS_MAX		1000

/**
 * struct plot_curve - values at the points of the x axis
 * @label: text of the legend
 * @at: values; bars show their uncertainty
 */
struct plot_curve {
	const char *label;
	struct estimate at[PLOT_POINTS_MAX];
};

/**
 * struct plot - curves over a common x axis
 * @file: name of its file in a directory, or NULL
 * @title: text above the plot
 * @x_label: text below the x axis
 * @y_label: text above the y axis
 * @points: number of points of the x axis
 * @x: points, ascending from 0 or more
 * @ncurves: number of curves, 1 to PLOT_CURVES_MAX
 * @curve: curves
 */
struct plot {
	const char *file;
	const char *title;
	const char *x_label;
	const char *y_label;
	u32 points;
	double x[PLOT_POINTS_MAX];
	u32 ncurves;
	struct plot_curve curve[PLOT_CURVES_MAX];
};

/* Add a curve.  Return: its values, to be filled in. */
struct estimate *plot_add(struct plot *plot, const char *label);

/**
 * plot_draw() - draw the plot to its file with gnuplot
 * @plot: the plot
 * @dir: directory
 *
 * Prints the path on standard error.  Return: false if the plot cannot be drawn or written.
 */
bool plot_draw(const struct plot *plot, const char *dir);

/* Draw the plot to the file @path. */
bool plot_draw_to(const struct plot *plot, const char *path);

/* Is gnuplot installed, and can the file be written?  Return: false if not, with an error line. */
bool plot_possible(const char *path);

#endif /* FLITCAST_SIM_PLOT_H */
