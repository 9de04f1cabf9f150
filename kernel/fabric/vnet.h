/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The switch of mode vnet; but for the first, all may be called in every mode.
 */
#ifndef FLITCAST_FABRIC_VNET_H
#define FLITCAST_FABRIC_VNET_H

#include "core/site.h"
#include "core/vclass.h"

struct flitcast_site;
struct fc_vnet;
struct sk_buff;

int flitcast_vnet_alloc(struct flitcast_site *site);
/* The switch of a set. */
struct fc_vnet *flitcast_vnet_core(struct flitcast_site *site, u8 set);
void flitcast_vnet_purge(struct flitcast_site *site);
void flitcast_vnet_free(struct flitcast_site *site);
/* Of a site that has a switch. */
const struct fc_vclass *flitcast_vnet_vclass(const struct flitcast_site *site);
u64 flitcast_vnet_next_at(const struct flitcast_site *site);
/* Counters of a port. */
void flitcast_vnet_count(struct flitcast_site *site, u8 port, u64 *stat);

/* In mode vnet: the same of the switch that has the channel. */
void flitcast_vnet_event(struct flitcast_site *site, u8 vc, struct fc_event *ev);
/*
 * The same of what a frame brings.  A status may let a window of flits go: what one event does not
 * do is noted, and done before the site is left, by flitcast_vnet_more(), a part at a time.
 */
void flitcast_vnet_receive(struct flitcast_site *site, u8 vc, struct fc_event *ev);
void flitcast_vnet_more(struct flitcast_site *site);
/* What concerns all channels. */
void flitcast_vnet_all(struct flitcast_site *site, struct fc_event *ev);
/* Routes changed. */
void flitcast_vnet_rerouted(struct flitcast_site *site);
/* May a packet of a set be fed?  Its flits go to the lane that has been found here. */
bool flitcast_vnet_room(struct flitcast_site *site, u8 set);
/* Is there no lane of a set that takes a packet? */
bool flitcast_vnet_stuck(const struct flitcast_site *site, u8 set);
/* As flitcast_oper_entered(): the channel above the number of the next flit in the lane fed. */
u64 flitcast_vnet_entered(const struct flitcast_site *site, u8 set);
/* Flits that have left a lane, by its channel. */
u32 flitcast_vnet_taken(const struct flitcast_site *site, u8 vc);
void flitcast_vnet_feed(struct flitcast_site *site, u8 set, struct fc_event *ev);
/*
 * What goes at once, past the lanes: a packet of this site in one flit, with one target.  Return:
 * false if it has to be fed; nothing has been done then.
 */
bool flitcast_vnet_start(struct flitcast_site *site, u8 set, struct sk_buff *skb);

#endif /* FLITCAST_FABRIC_VNET_H */
