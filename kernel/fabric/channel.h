/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of channels.
 */
#ifndef FLITCAST_FABRIC_CHANNEL_H
#define FLITCAST_FABRIC_CHANNEL_H

#include "core/channel.h"

struct flitcast_site;

/*
 * Allocate a channel; @ports: bit mask of the ports by which flits arrive.  After an error,
 * flitcast_channel_free() frees what was allocated.
 */
int flitcast_channel_alloc(struct flitcast_site *site, struct fc_channel *ch, u32 ports);
void flitcast_channel_free(struct flitcast_site *site, struct fc_channel *ch);

#endif /* FLITCAST_FABRIC_CHANNEL_H */
