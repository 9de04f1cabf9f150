/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_HARTS_FINDING_H
#define FLITCAST_SIM_HARTS_FINDING_H

#include "harts_figure.h"
#include "harts_table.h"

/**
 * harts_findings() - what the paper says of its results, each held against these
 * @figure: all figures
 * @sweep: their points
 * @table: what was measured for Table II
 *
 * Prints for each whether it holds here, and the numbers that say so.
 *
 * Return: how many do not.
 */
u32 harts_findings(const struct plot figure[HARTS_FIGURES],
		   const struct harts_sweep *sweep, const struct harts_table_a *table);

#endif /* FLITCAST_SIM_HARTS_FINDING_H */
