/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_CSR_FINDING_H
#define FLITCAST_SIM_CSR_FINDING_H

#include "csr_buffers.h"
#include "csr_saturation.h"
#include "csr_stable.h"
#include "csr_table.h"

/* What the paper says, and whether it is so in what was measured. */
void csr_findings(const struct csr_table *table, const struct csr_stable *stable,
		  const struct csr_saturations *all, const struct csr_buffers *buffers);

#endif /* FLITCAST_SIM_CSR_FINDING_H */
