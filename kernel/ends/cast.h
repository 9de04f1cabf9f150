/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcasts that are for here.
 */
#ifndef FLITCAST_ENDS_CAST_H
#define FLITCAST_ENDS_CAST_H

#include <linux/types.h>

struct flitcast_site;
struct flitcast_port;

/* Copies that were waited for too long are forgotten. */
void flitcast_cast_time(struct flitcast_site *site, u64 now);
void flitcast_cast_detach(struct flitcast_site *site, struct flitcast_port *port);
void flitcast_cast_purge(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_CAST_H */
