/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conflict sense routing: the packets that have reserved a path to this site, and when each is due,
 * so that the site can check afterwards whether it was on time.
 *
 * No decision depends on it.  The memory is fixed, and new entries replace the oldest: the due time
 * of a replaced entry is not reported, and that of a forged packet is reported wrongly.
 */
#ifndef FC_CORE_CSR_CSR_DUE_H
#define FC_CORE_CSR_CSR_DUE_H

#include "core/csr/csr_list.h"

#define FC_CSR_DUE_SETS	64
#define FC_CSR_DUE_EACH	4

/**
 * struct fc_csr_due - a packet that is to come
 * @id: of the last attempt that is known
 * @at: when it will have come, by this site's clock; 0: there is none
 */
struct fc_csr_due {
	struct fc_csr_id id;
	u64 at;
};

/**
 * struct fc_csr_dues - those of a site
 * @due: sets, by a hash of site and number
 */
struct fc_csr_dues {
	struct fc_csr_due due[FC_CSR_DUE_SETS][FC_CSR_DUE_EACH];
};

/* A probe has come to its end: an older attempt changes nothing.  @at is not 0. */
void fc_csr_due_note(struct fc_csr_dues *d, const struct fc_csr_id *id, u64 at);

/* Return: when the packet is due, or was; 0: that is not known. */
u64 fc_csr_due_at(const struct fc_csr_dues *d, u32 site, u32 number);

#endif /* FC_CORE_CSR_CSR_DUE_H */
