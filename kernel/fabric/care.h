/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machines of mode care, of which each set has its own; may be called in every mode.
 */
#ifndef FLITCAST_FABRIC_CARE_H
#define FLITCAST_FABRIC_CARE_H

#include "core/site.h"

struct flitcast_site;

/* What machines need, flits coming from these ports only; what an error leaves is freed, too. */
int flitcast_care_machines(struct flitcast_site *site, struct fc_site *core, u32 ports);
void flitcast_care_purge(struct flitcast_site *site);
void flitcast_care_free(struct flitcast_site *site);
/* Counters of a port. */
void flitcast_care_count(struct flitcast_site *site, u8 port, u64 *stat);
/* What concerns all sets. */
void flitcast_care_all(struct flitcast_site *site, struct fc_event *ev);
/* What is due in any of them. */
void flitcast_care_time(struct flitcast_site *site, u64 now);
u64 flitcast_care_next_at(const struct flitcast_site *site);
/* Routes or preference lists have changed: said at the next event. */
void flitcast_care_rerouted(struct flitcast_site *site);

#endif /* FLITCAST_FABRIC_CARE_H */
