/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of the report on conflict sense routing.
 */
#ifndef FLITCAST_SIM_CSR_REPORT_H
#define FLITCAST_SIM_CSR_REPORT_H

#include "csr_run.h"
#include "base/reproduce.h"

/* The hypercube of the paper's Table 1. */
#define CSR_TABLE_DIMENSION	7

/**
 * struct csr_settings - settings of the report
 * @common: settings of all reproductions
 * @run: @slots, for a row of Table 1, @seed and @fault
 */
struct csr_settings {
	struct reproduce_settings common;
	struct csr_run run;
};

extern const struct report_part csr_table_part;
extern const struct report_part csr_stable_part;
extern const struct report_part csr_saturation_part;
extern const struct report_part csr_buffers_part;

void csr_table_findings(void);
void csr_stable_findings(void);
/* Findings on CSR itself, and on CSR compared with the other schemes. */
void csr_saturation_findings(void);
void csr_saturation_compare(void);
void csr_buffers_findings(void);

/* Numbers of Table 1 that are not reproduced. */
u32 csr_table_off(void);

/* The saturation point as Figure 5 gives it; for CSR by analysis. */
double csr_saturation_of(enum csr_scheme_id id, u32 dimension);

#endif /* FLITCAST_SIM_CSR_REPORT_H */
