/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_HARTS_TABLE_H
#define FLITCAST_SIM_HARTS_TABLE_H

#include "harts_sweep.h"

/* Sizes of the comparison with Algorithm A: the paper's Table II is the first. */
#define HARTS_A_SIZES		4
/* Utilisations of Table II. */
#define HARTS_RHOS		5

/**
 * struct harts_table_a - what was measured for Table II
 * @sbcast: at the utilisations of the table, in the first size; the idle network has one seed
 * @a: the same of Algorithm A
 * @sbcast_by_size: in all sizes at the lowest utilisation that is not 0
 * @a_by_size: the same of Algorithm A
 */
struct harts_table_a {
	struct harts_point sbcast[HARTS_RHOS];
	struct harts_point a[HARTS_RHOS];
	struct harts_point sbcast_by_size[HARTS_A_SIZES];
	struct harts_point a_by_size[HARTS_A_SIZES];
};

extern const u32 harts_a_size[HARTS_A_SIZES];
extern const u64 harts_rho[HARTS_RHOS];

/**
 * harts_table_1() - best-case latencies: the paper's, and measured in an idle network
 * @settings: times and defect
 *
 * Return: how many are wrong, beyond what is said of the paper's.
 */
u32 harts_table_1(const struct harts_settings *settings);

/* SBCAST against Algorithm A under load: the paper's model, and measured. */
void harts_table_2(const struct harts_settings *settings, struct harts_table_a *table);

#endif /* FLITCAST_SIM_HARTS_TABLE_H */
