/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_POSTMAN_FINDING_H
#define FLITCAST_SIM_POSTMAN_FINDING_H

#include "postman_table.h"

/* What the paper says, and whether it is so in what was measured. */
void postman_findings(const struct postman_law *law, const struct postman_table *table);

#endif /* FLITCAST_SIM_POSTMAN_FINDING_H */
