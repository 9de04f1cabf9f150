/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Effects of the core, carried out.
 */
#ifndef FLITCAST_FABRIC_EFFECTS_H
#define FLITCAST_FABRIC_EFFECTS_H

#include "core/event.h"
#include "fabric/site.h"

int flitcast_effects_init(void);
void flitcast_effects_exit(void);
/* One effect of the core on packets of a set. */
void flitcast_effects_perform(struct flitcast_site *site, u8 set, const struct fc_effect *e);
/* The list that effects are decided into: one at a time, as an event is. */
struct fc_effects *flitcast_effects(void);

/* A machine of the core has something to do at that time. */
static inline void flitcast_machine_due(struct flitcast_site *site, u64 at)
{
	if (at < site->clock.machines_at)
		site->clock.machines_at = at;
}

#endif /* FLITCAST_FABRIC_EFFECTS_H */
