/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures 10 to 14 of HARTS, from the points of a sweep.
 */
#ifndef FLITCAST_SIM_HARTS_FIGURE_H
#define FLITCAST_SIM_HARTS_FIGURE_H

#include "harts_sweep.h"

/* The paper's numbers of the figures, from 0. */
enum {
	HARTS_FIGURE_10,	/* latency of SBCAST, by size */
	HARTS_FIGURE_11,	/* of 2- to 6-BCAST over SBCAST */
	HARTS_FIGURE_12,	/* latency of SBCAST and SFBCAST */
	HARTS_FIGURE_13,	/* latency of SFBCAST over SBCAST, by size */
	HARTS_FIGURE_14,	/* mean time of a delivery of SFBCAST over SBCAST, by size */
	HARTS_FIGURES
};

/* All figures by link load, from a sweep that was run. */
void harts_figures_make(struct plot figure[HARTS_FIGURES], const struct harts_sweep *sweep);

/* Prints a figure: a row for each load. */
void harts_figure_print(const struct plot *figure);

#endif /* FLITCAST_SIM_HARTS_FIGURE_H */
