/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conflict sense routing: due times of the packets that have reserved a path to this site, so that
 * the site can check whether each packet arrives on time.
 *
 * The memory is fixed, and new entries replace the oldest: the due time of a replaced entry is not
 * reported, and that of a forged packet is reported wrongly.  No packet waits for it.  A second
 * record has the packets whose reservations were confirmed here: they teach the guard (csr_plan.h).
 */
#ifndef FC_CORE_CSR_CSR_DUE_H
#define FC_CORE_CSR_CSR_DUE_H

#include "core/csr/csr_list.h"

#define FC_CSR_DUE_SETS	64
#define FC_CSR_DUE_EACH	4

/**
 * struct fc_csr_due - due time of a packet
 * @id: identity of the latest known attempt
 * @at: time of arrival, by this site's clock; 0: the entry is empty
 */
struct fc_csr_due {
	struct fc_csr_id id;
	u64 at;
};

/**
 * struct fc_csr_dues - due times of all packets of a site
 * @due: sets of entries, by a hash of site and number
 */
struct fc_csr_dues {
	struct fc_csr_due due[FC_CSR_DUE_SETS][FC_CSR_DUE_EACH];
};

/* Record the due time of a probe that ends here, unless a later attempt has one; @at is not 0. */
void fc_csr_due_note(struct fc_csr_dues *d, const struct fc_csr_id *id, u64 at);

/* Return: the due time of a packet; 0: it is not known. */
u64 fc_csr_due_at(const struct fc_csr_dues *d, u32 site, u32 number);

#endif /* FC_CORE_CSR_CSR_DUE_H */
