/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_HARTS_FINDING_H
#define FLITCAST_SIM_HARTS_FINDING_H

#include "harts_figure.h"
#include "harts_table.h"

/* What the paper says of its results, each held against the figures, their points and Table II. */
void harts_findings(const struct plot figure[HARTS_FIGURES], const struct harts_sweep *sweep,
		    const struct harts_table_a *table);

#endif /* FLITCAST_SIM_HARTS_FINDING_H */
