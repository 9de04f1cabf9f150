/* SPDX-License-Identifier: GPL-2.0 */
/* Performs effects of the core (effects.c). */
#ifndef FLITCAST_FABRIC_EFFECTS_H
#define FLITCAST_FABRIC_EFFECTS_H

#include "core/link/event.h"
#include "fabric/site.h"

/* Perform one effect of the core on packets of a set. */
void flitcast_effects_perform(struct flitcast_site *site, u8 set, const struct fc_effect *e);
/* Perform FC_FX_DROP, of any switch. */
void flitcast_effects_drop(const struct fc_effect *e);
/* Perform FC_FX_SUSPECT, of any switch. */
void flitcast_effects_suspect(struct flitcast_site *site, const struct fc_effect *e);
/*
 * Copy packets on the links of site->todo.copies, as far as the transit pool has room now.
 * Return: true if any was stored.
 */
bool flitcast_effects_copies(struct flitcast_site *site);

/* Set the time at which a machine of the core has something to do to @at at the latest. */
static inline void flitcast_machine_due(struct flitcast_site *site, u64 at)
{
	if (at < site->clock.machines_at)
		site->clock.machines_at = at;
}

#endif /* FLITCAST_FABRIC_EFFECTS_H */
