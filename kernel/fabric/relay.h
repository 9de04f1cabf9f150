/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcasts that pass through.
 */
#ifndef FLITCAST_FABRIC_RELAY_H
#define FLITCAST_FABRIC_RELAY_H

#include "core/event.h"

struct flitcast_site;

int flitcast_relay_alloc(struct flitcast_site *site);
void flitcast_relay_purge(struct flitcast_site *site);
void flitcast_relay_free(struct flitcast_site *site);
/* The same of the relay. */
void flitcast_relay_event(struct flitcast_site *site, struct fc_event *ev);
/* May a broadcast of this site begin? */
bool flitcast_relay_room(const struct flitcast_site *site);
u64 flitcast_relay_next_at(const struct flitcast_site *site);
/* Counters of a port. */
void flitcast_relay_count(struct flitcast_site *site, u8 port, u64 *stat);

#endif /* FLITCAST_FABRIC_RELAY_H */
