/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The switch of modes vnet, postman and csr: for these modes alone.
 */
#ifndef FLITCAST_FABRIC_VNET_H
#define FLITCAST_FABRIC_VNET_H

#include "core/event.h"
#include "core/vclass.h"

struct flitcast_site;
struct flitcast_site_config;
struct fc_vnet;
struct sk_buff;

int flitcast_vnet_alloc(struct flitcast_site *site);
/* The switch of a set. */
struct fc_vnet *flitcast_vnet_core(struct flitcast_site *site, u8 set);
void flitcast_vnet_purge(struct flitcast_site *site);
void flitcast_vnet_free(struct flitcast_site *site);
/* Functions of struct flitcast_mode, of all modes with this switch. */
const char *flitcast_vnet_check(const struct flitcast_site_config *cfg);
u32 flitcast_vnet_window(u32 flit);
u32 flitcast_vnet_window_min(u32 flit);
u64 flitcast_vnet_carried(const struct flitcast_site *site, u8 port);
/* Time goes on: something may be due. */
void flitcast_vnet_time(struct flitcast_site *site, u64 now);
u64 flitcast_vnet_next_at(const struct flitcast_site *site);
/* Counters of a port. */
void flitcast_vnet_count(struct flitcast_site *site, u8 port, u64 *stat);

/* An event into the switch that has the channel. */
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
bool flitcast_vnet_stuck(struct flitcast_site *site, u8 set);
/* As flitcast_oper_entered(): the channel above the number of the next flit in the lane fed. */
u64 flitcast_vnet_entered(struct flitcast_site *site, u8 set);
/* Flits that have left a lane, by its channel. */
u32 flitcast_vnet_taken(struct flitcast_site *site, u8 vc);
void flitcast_vnet_feed(struct flitcast_site *site, u8 set, struct fc_event *ev);
/*
 * What goes at once, past the lanes: a packet of this site in one flit, with one target.  Return:
 * false if it has to be fed; nothing has been done then.
 */
bool flitcast_vnet_start(struct flitcast_site *site, u8 set, struct sk_buff *skb);

/*
 * Messages of a class that a source, and all sources of a user, may have under way: nothing waits
 * in transit pools, and channels make a source wait.
 */
#define FLITCAST_VNET_ACTIVE_MAX	32
#define FLITCAST_VNET_ACTIVE_USER_MAX	256

/* The part of a struct flitcast_mode that all modes with this switch have in common. */
#define FLITCAST_VNET_MODE				\
	.joins = true,					\
	.whole = true,					\
	.active = FLITCAST_VNET_ACTIVE_MAX,		\
	.active_user = FLITCAST_VNET_ACTIVE_USER_MAX,	\
	.check = flitcast_vnet_check,			\
	.window = flitcast_vnet_window,			\
	.window_min = flitcast_vnet_window_min,		\
	.purge = flitcast_vnet_purge,			\
	.count = flitcast_vnet_count,			\
	.carried = flitcast_vnet_carried,		\
	.receive = flitcast_vnet_receive,		\
	.next_at = flitcast_vnet_next_at,		\
	.rerouted = flitcast_vnet_rerouted,		\
	.room = flitcast_vnet_room,			\
	.stuck = flitcast_vnet_stuck,			\
	.entered = flitcast_vnet_entered,		\
	.taken = flitcast_vnet_taken,			\
	.feed = flitcast_vnet_feed

#endif /* FLITCAST_FABRIC_VNET_H */
