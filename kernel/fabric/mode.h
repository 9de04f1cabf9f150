/* SPDX-License-Identifier: GPL-2.0 */
/* Switching modes of a site: one table of functions per mode, in the file of the mode. */
#ifndef FLITCAST_FABRIC_MODE_H
#define FLITCAST_FABRIC_MODE_H

#include <linux/types.h>

struct fc_aim;
struct fc_delay;
struct fc_event;
struct flitcast_site;
struct flitcast_site_config;

/**
 * struct flitcast_mode - a switching mode
 * @reserves: packets reserve their path (struct fc_mode_ops); flitcast_site_now() reads the clock
 *	at each step
 * @joins: acks of a multicast packet wait for those of targets beyond the site
 * @whole: @room is about a whole packet, not about each flit
 * @at_once: a message of one flit may bypass the feed (flitcast_tx_at_once())
 * @past_injqs: and may overtake packets in the injection queues
 * @active: maximum number of active messages of a source, per class
 * @active_user: the same for all sources of a user
 * @check: returns why a configuration is invalid, as a constant string; NULL: it is valid
 * @window: default window of links, by flit size; 0: FLITCAST_WINDOW_DEFAULT
 * @window_min: smallest window, by flit size
 * @alloc: allocates the mode's memory; returns 0 or -ENOMEM. After an error, @free frees what was
 *	allocated
 * @free: frees the mode's memory, if any
 * @purge: frees the frames that the switches hold
 * @count: sets the counters of a port, for all channels but the relay's
 * @delay: adds what the peer of a port delays, but for the relay's channel
 * @carried: returns a bit mask of the classes of packets that leave by a port
 * @receive: a flit or a status has arrived by a channel
 * @link: a link came up or went down; for all channels but the relay's
 * @time: timer event
 * @next_at: returns when the next event of the switches is due
 * @rerouted: routes or preferences have changed: route waiting packets again
 * @room: returns true if a packet, or flit, of a set may be fed
 * @stuck: returns true if no packet of a set can be fed
 * @entered: returns an identifier of the packet whose last flit is fed next
 * @taken: returns the number of flits that have left a channel of the local net-input
 * @feed: feeds a flit of a set to the local net-input, which has space for it
 * @aim: finds the link that a datagram of this site with one target takes first; returns false if
 *	other packets wait for that channel (fc_vnet_aim())
 * @aim_list: the same for one with several targets (fc_vnet_aim_list())
 *
 * All functions but @check, @window and @window_min are called under the site's lock, or for a site
 * that is not published yet.
 */
struct flitcast_mode {
	bool reserves;
	bool joins;
	bool whole;
	bool at_once;
	bool past_injqs;
	u16 active;
	u16 active_user;
	const char *(*check)(const struct flitcast_site_config *cfg);
	u32 (*window)(u32 flit);
	u32 (*window_min)(u32 flit);
	int (*alloc)(struct flitcast_site *site);
	void (*free)(struct flitcast_site *site);
	void (*purge)(struct flitcast_site *site);
	void (*count)(struct flitcast_site *site, u8 port, u64 *stat);
	void (*delay)(const struct flitcast_site *site, u8 port, u64 now, struct fc_delay *d);
	u64 (*carried)(const struct flitcast_site *site, u8 port);
	void (*receive)(struct flitcast_site *site, u8 vc, struct fc_event *ev);
	void (*link)(struct flitcast_site *site, struct fc_event *ev);
	void (*time)(struct flitcast_site *site, u64 now);
	u64 (*next_at)(const struct flitcast_site *site);
	void (*rerouted)(struct flitcast_site *site);
	bool (*room)(struct flitcast_site *site, u8 set);
	bool (*stuck)(struct flitcast_site *site, u8 set);
	u64 (*entered)(struct flitcast_site *site, u8 set);
	u32 (*taken)(struct flitcast_site *site, u8 vc);
	void (*feed)(struct flitcast_site *site, u8 set, struct fc_event *ev);
	bool (*aim)(struct flitcast_site *site, u8 set, const u8 *head, u32 flits, u8 *port);
	void (*aim_list)(struct flitcast_site *site, u8 set, struct fc_aim *aim);
};

extern const struct flitcast_mode flitcast_mode_care;
extern const struct flitcast_mode flitcast_mode_vnet;
extern const struct flitcast_mode flitcast_mode_postman;
extern const struct flitcast_mode flitcast_mode_csr;

/* Return: the table of a mode (enum fc_mode). */
const struct flitcast_mode *flitcast_mode(u8 mode);

#endif /* FLITCAST_FABRIC_MODE_H */
