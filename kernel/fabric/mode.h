/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switching modes at a site: a table of each, in the file of the mode.
 */
#ifndef FLITCAST_FABRIC_MODE_H
#define FLITCAST_FABRIC_MODE_H

#include <linux/types.h>

struct fc_event;
struct flitcast_site;
struct flitcast_site_config;

/**
 * struct flitcast_mode - a switching mode
 * @reserves: as struct fc_mode_ops says; the time is read at each step
 * @joins: confirmations of a list wait for those of targets further on
 * @whole: room in the local net-input is for a whole packet, not for each flit
 * @at_once: a message of one flit may enter without waiting for the feed
 * @past_lanes: and past packets that wait for a lane
 * @active: messages of a class that a source may have under way
 * @active_user: and all sources of a user
 * @check: why a site cannot have a configuration, as a constant text; NULL: it can
 * @window: window of links where none is named, by the size of flits; 0: FLITCAST_WINDOW_DEFAULT
 * @window_min: the smallest window, by the size of flits
 * @alloc: what the mode needs of memory; 0 or -ENOMEM.  @free frees what an error leaves
 * @free: frees the mode's memory; also where nothing was allocated
 * @purge: frees the frames that the switches hold
 * @count: counters of a port, for all channels but the relay's
 * @carried: classes of packets that leave by a port, by bit
 * @receive: a flit or a status came in by a channel
 * @link: a link came up or went down: an event for all channels but the relay's
 * @time: something may be due
 * @next_at: nothing of the switches is due before
 * @rerouted: routes changed: packets that wait for a way look again
 * @preferred: preference lists changed; NULL: the mode has none
 * @room: may a packet, or a flit, of a set be fed?
 * @stuck: can no packet of a set be fed?
 * @entered: names the packet whose last flit enters the local net-input of a set next
 * @taken: flits that have left a channel of the local net-input
 * @feed: a flit of a set into the local net-input, for which there is room
 *
 * All functions but @check, @window and @window_min are called under the site's lock, or for a site
 * that nobody knows yet.
 */
struct flitcast_mode {
	bool reserves;
	bool joins;
	bool whole;
	bool at_once;
	bool past_lanes;
	u16 active;
	u16 active_user;
	const char *(*check)(const struct flitcast_site_config *cfg);
	u32 (*window)(u32 flit);
	u32 (*window_min)(u32 flit);
	int (*alloc)(struct flitcast_site *site);
	void (*free)(struct flitcast_site *site);
	void (*purge)(struct flitcast_site *site);
	void (*count)(struct flitcast_site *site, u8 port, u64 *stat);
	u64 (*carried)(const struct flitcast_site *site, u8 port);
	void (*receive)(struct flitcast_site *site, u8 vc, struct fc_event *ev);
	void (*link)(struct flitcast_site *site, struct fc_event *ev);
	void (*time)(struct flitcast_site *site, u64 now);
	u64 (*next_at)(const struct flitcast_site *site);
	void (*rerouted)(struct flitcast_site *site);
	void (*preferred)(struct flitcast_site *site);
	bool (*room)(struct flitcast_site *site, u8 set);
	bool (*stuck)(struct flitcast_site *site, u8 set);
	u64 (*entered)(struct flitcast_site *site, u8 set);
	u32 (*taken)(struct flitcast_site *site, u8 vc);
	void (*feed)(struct flitcast_site *site, u8 set, struct fc_event *ev);
};

extern const struct flitcast_mode flitcast_mode_care;
extern const struct flitcast_mode flitcast_mode_vnet;
extern const struct flitcast_mode flitcast_mode_postman;
extern const struct flitcast_mode flitcast_mode_csr;

/* The table of an enum fc_mode. */
const struct flitcast_mode *flitcast_mode(u8 mode);

#endif /* FLITCAST_FABRIC_MODE_H */
