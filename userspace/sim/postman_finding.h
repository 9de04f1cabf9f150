/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_POSTMAN_FINDING_H
#define FLITCAST_SIM_POSTMAN_FINDING_H

#include "postman_table.h"

/**
 * postman_findings() - what the paper says, and whether it is so here
 * @law: measured
 * @table: measured
 * @bad: result: how many of the paper's figures that are reproduced are not any more
 *
 * Return: how many of the paper's statements do not hold here.
 */
u32 postman_findings(const struct postman_law *law, const struct postman_table *table, u32 *bad);

#endif /* FLITCAST_SIM_POSTMAN_FINDING_H */
