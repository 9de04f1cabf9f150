/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The configuration of a site.
 */
#ifndef FLITCAST_FABRIC_CONFIG_H
#define FLITCAST_FABRIC_CONFIG_H

#include <linux/types.h>
#include "core/topo.h"

/**
 * struct flitcast_site_tuning - what the paper leaves to the implementation; any
 *	site may differ from its neighbours, and change at any time
 * @seek: interval at which a net-input in first counts a seek, microseconds
 * @seek_max: seeks after which a packet is stored on its way
 * @timeout: how long a fifo-buffer waits for a word before abort-request, to begin
 *	with, microseconds
 * @retry: how long a peer waits to hear what was taken, and a flit that others have
 *	overtaken may still come by itself, microseconds
 * @probe: how long a flit may stay unacknowledged before the peer is asked,
 *	microseconds
 * @transit: packets stored for others; 0: none, what would have to be stored is
 *	sent again by its source
 * @grace: for how long there must be no way to a target, as far as the site knows,
 *	before its messages fail with EHOSTUNREACH, microseconds
 */
struct flitcast_site_tuning {
	u32 seek;
	u32 seek_max;
	u32 timeout;
	u32 retry;
	u32 probe;
	u32 transit;
	u32 grace;
};

/**
 * struct flitcast_site_config - what a site is made of
 * @id: identity; below topo.nsites
 * @topo: topology of the network; of a graph the site has a reference of its own
 * @mode: enum fc_mode
 * @flit: flit size in bytes: the largest frame without its Ethernet header
 * @window: flits under way per link and virtual channel
 * @tuning: what may be changed later
 * @key: FLITCAST_KEY_SIZE bytes, or NULL where the network has no key; read by
 *	flitcast_site_add(), and NULL in what a site keeps and tells
 */
struct flitcast_site_config {
	u32 id;
	struct fc_topo topo;
	u8 mode;
	u32 flit;
	u32 window;
	struct flitcast_site_tuning tuning;
	const u8 *key;
};

#endif /* FLITCAST_FABRIC_CONFIG_H */
