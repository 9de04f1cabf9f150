// SPDX-License-Identifier: GPL-2.0
/* Due times (csr_due.h): a hash table of sets; a new entry replaces the earliest of its set. */
#include "core/csr/csr_due.h"

/* Numbers of one site differ in their low bits mostly. */
static u32 set_of(u32 site, u32 number)
{
	u32 hash = (site ^ number * 0x9e3779b1U) * 0x85ebca6bU;

	return (hash >> 16) % FC_CSR_DUE_SETS;
}

void fc_csr_due_note(struct fc_csr_dues *d, const struct fc_csr_id *id, u64 at)
{
	struct fc_csr_due *set = d->due[set_of(id->site, id->number)], *to = set;
	u8 i;

	for (i = 0; i < FC_CSR_DUE_EACH; i++) {
		struct fc_csr_due *e = &set[i];

		if (e->at && e->id.site == id->site && e->id.number == id->number) {
			if (fc_before(id->attempt, e->id.attempt))
				return;
			to = e;
			break;
		}
		if (e->at < to->at)
			to = e;
	}
	to->id = *id;
	to->at = at;
}

u64 fc_csr_due_at(const struct fc_csr_dues *d, u32 site, u32 number)
{
	const struct fc_csr_due *set = d->due[set_of(site, number)];
	u8 i;

	for (i = 0; i < FC_CSR_DUE_EACH; i++)
		if (set[i].at && set[i].id.site == site && set[i].id.number == number)
			return set[i].at;
	return 0;
}
