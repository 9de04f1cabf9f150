/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_CSR_FINDING_H
#define FLITCAST_SIM_CSR_FINDING_H

#include "csr_buffers.h"
#include "csr_saturation.h"
#include "csr_stable.h"
#include "csr_table.h"

/**
 * csr_findings() - what the paper says, and whether it is so here
 * @table: measured
 * @stable: measured
 * @all: measured
 * @buffers: measured
 *
 * Return: how many of its statements that are reproduced are not any more.
 */
u32 csr_findings(const struct csr_table *table, const struct csr_stable *stable,
		 const struct csr_saturations *all, const struct csr_buffers *buffers);

#endif /* FLITCAST_SIM_CSR_FINDING_H */
