/* SPDX-License-Identifier: GPL-2.0 */
/* Forwarding of broadcasts (relay.c). */
#ifndef FLITCAST_FABRIC_RELAY_H
#define FLITCAST_FABRIC_RELAY_H

#include "core/link/event.h"

struct fc_delay;
struct flitcast_site;

int flitcast_relay_alloc(struct flitcast_site *site);
void flitcast_relay_purge(struct flitcast_site *site);
void flitcast_relay_free(struct flitcast_site *site);
/* Pass an event to the relay. */
void flitcast_relay_event(struct flitcast_site *site, struct fc_event *ev);
/*
 * Check that the links of @tests of struct flitcast_ctrl carry frames to their peers.  The channel
 * of broadcasts does so, because each mode has it.
 */
void flitcast_relay_tests(struct flitcast_site *site);
/* Return: true if a broadcast of this site may begin. */
bool flitcast_relay_room(const struct flitcast_site *site);
u64 flitcast_relay_next_at(const struct flitcast_site *site);
/* Set the counters of a port. */
void flitcast_relay_count(struct flitcast_site *site, u8 port, u64 *stat);
/* Add what the peer of a port delays. */
void flitcast_relay_delay(const struct flitcast_site *site, u8 port, u64 now, struct fc_delay *d);

#endif /* FLITCAST_FABRIC_RELAY_H */
