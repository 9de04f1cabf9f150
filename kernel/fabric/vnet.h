/* SPDX-License-Identifier: GPL-2.0 */
/* The switch of modes vnet, postman and csr (vnet.c): only for these modes. */
#ifndef FLITCAST_FABRIC_VNET_H
#define FLITCAST_FABRIC_VNET_H

#include "core/link/event.h"
#include "core/topo/vclass.h"

struct flitcast_site;
struct flitcast_site_config;
struct fc_vnet;
struct sk_buff;

int flitcast_vnet_alloc(struct flitcast_site *site);
/* Return: the switch of a set. */
struct fc_vnet *flitcast_vnet_core(struct flitcast_site *site, u8 set);
void flitcast_vnet_purge(struct flitcast_site *site);
void flitcast_vnet_free(struct flitcast_site *site);
/* Functions of struct flitcast_mode, shared by all modes with this switch. */
const char *flitcast_vnet_check(const struct flitcast_site_config *cfg);
u32 flitcast_vnet_window(u32 flit);
u32 flitcast_vnet_window_min(u32 flit);
u64 flitcast_vnet_carried(const struct flitcast_site *site, u8 port);
/* Timer event: something may be due. */
void flitcast_vnet_time(struct flitcast_site *site, u64 now);
u64 flitcast_vnet_next_at(const struct flitcast_site *site);
/* Set the counters of a port. */
void flitcast_vnet_count(struct flitcast_site *site, u8 port, u64 *stat);

/* Pass an event to the switch of a channel, until there is nothing more to do. */
void flitcast_vnet_event(struct flitcast_site *site, u8 vc, struct fc_event *ev);
/*
 * Pass a received flit or status to the switch of a channel.  A status may release a window of
 * flits: what one event leaves is noted, and done before the site is left by flitcast_vnet_more(),
 * in parts.
 */
void flitcast_vnet_receive(struct flitcast_site *site, u8 vc, struct fc_event *ev);
void flitcast_vnet_more(struct flitcast_site *site);
/* Pass an event to the switches of all sets. */
void flitcast_vnet_all(struct flitcast_site *site, struct fc_event *ev);
/* Add what the peer of a port delays. */
void flitcast_vnet_delay(const struct flitcast_site *site, u8 port, u64 now, struct fc_delay *d);
/* Return: the classes of the network. */
const struct fc_vclass *flitcast_vnet_classes(const struct flitcast_site *site);
/* Routes have changed: route waiting packets again. */
void flitcast_vnet_rerouted(struct flitcast_site *site);
/* Return: true if a packet of a set may be fed.  Chooses the injection queue for its flits. */
bool flitcast_vnet_room(struct flitcast_site *site, u8 set);
/* Return: true if no injection queue of a set has space for a packet. */
bool flitcast_vnet_stuck(struct flitcast_site *site, u8 set);
/*
 * As flitcast_oper_entered(): channel number << 32 | number of the next flit of the injection
 * queue.
 */
u64 flitcast_vnet_entered(struct flitcast_site *site, u8 set);
/* Return: number of flits that have left an injection queue, by its channel. */
u32 flitcast_vnet_taken(struct flitcast_site *site, u8 vc);
void flitcast_vnet_feed(struct flitcast_site *site, u8 set, struct fc_event *ev);
/*
 * Fast path: send a packet of this site, with one flit and one target, past the injection queues.
 * Return: false if it must be fed; nothing is changed then.
 */
bool flitcast_vnet_start(struct flitcast_site *site, u8 set, struct sk_buff *skb);
/* Call fc_vnet_aim() and fc_vnet_aim_list(). */
bool flitcast_vnet_aim(struct flitcast_site *site, u8 set, const u8 *head, u32 flits, u8 *port);
void flitcast_vnet_aim_list(struct flitcast_site *site, u8 set, struct fc_aim *aim);

/*
 * Limits of active messages per class, of a source and of all sources of a user: nothing is stored
 * in transit pools, and full channels hold back the source.
 */
#define FLITCAST_VNET_ACTIVE_MAX	32
#define FLITCAST_VNET_ACTIVE_USER_MAX	256

/* Members of struct flitcast_mode that all modes with this switch share. */
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
	.delay = flitcast_vnet_delay,			\
	.carried = flitcast_vnet_carried,		\
	.receive = flitcast_vnet_receive,		\
	.next_at = flitcast_vnet_next_at,		\
	.rerouted = flitcast_vnet_rerouted,		\
	.room = flitcast_vnet_room,			\
	.stuck = flitcast_vnet_stuck,			\
	.entered = flitcast_vnet_entered,		\
	.taken = flitcast_vnet_taken,			\
	.feed = flitcast_vnet_feed,			\
	.aim = flitcast_vnet_aim,			\
	.aim_list = flitcast_vnet_aim_list

#endif /* FLITCAST_FABRIC_VNET_H */
