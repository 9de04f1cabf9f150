/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The configuration of a site.
 */
#ifndef FLITCAST_FABRIC_CONFIG_H
#define FLITCAST_FABRIC_CONFIG_H

#include <linux/types.h>
#include "core/topo/topo.h"
#include "core/wire/wire.h"

/**
 * struct flitcast_site_tuning - parameters that the paper leaves to the implementation; they may
 *	differ between neighbours, and change at any time
 * @seek: interval at which a net-input in first counts a seek, microseconds
 * @seek_max: seeks after which a packet is stored at this site
 * @timeout: initial time that a fifo-buffer waits for a word before abort-request, microseconds
 * @retry: how long a site waits for status from its peer, and for a flit that others have
 *	overtaken, microseconds
 * @poll: how long a flit may be unacked before the peer is polled, microseconds
 * @transit: capacity for stored packets of other sites; 0: none, their sources retransmit them
 * @grace: how long a target must be unreachable, as far as the site knows, before messages to it
 *	fail with EHOSTUNREACH, microseconds
 */
struct flitcast_site_tuning {
	u32 seek;
	u32 seek_max;
	u32 timeout;
	u32 retry;
	u32 poll;
	u32 transit;
	u32 grace;
};

/**
 * struct flitcast_site_config - configuration of a site
 * @id: identity; below topo.nsites
 * @topo: topology of the network; the site holds a reference to its graph, if any
 * @mode: enum fc_mode
 * @flit: flit size: largest frame without its Ethernet header, bytes; in the copy that a site with
 *	a key keeps, without the code of the frame (flitcast_site_frame())
 * @window: maximum number of unacked flits per link and virtual channel
 * @integrity: packets have a sum from end to end
 * @tuning: parameters that may be changed later
 * @key: FLITCAST_KEY_SIZE bytes, or NULL where the network has no key; read by flitcast_site_add();
 *	NULL in the copy that a site keeps and reports
 */
struct flitcast_site_config {
	u32 id;
	struct fc_topo topo;
	u8 mode;
	u32 flit;
	u32 window;
	bool integrity;
	struct flitcast_site_tuning tuning;
	const u8 *key;
};

/* Return: the flit size of a site without the code that frames carry in a network with a key. */
static inline u32 flitcast_site_frame(const struct flitcast_site_config *cfg)
{
	return cfg->flit - (cfg->key ? FC_CODE_SIZE : 0);
}

/**
 * struct flitcast_link_settings - settings of a link
 * @window: maximum number of flits that the peer may have in flight
 * @hello: interval of HELLO, ms
 * @dead: number of intervals of the peer without a frame after which the link is dead
 * @crc: 1: frames carry a checksum, 0: if the peer asks for it
 *
 * In requests 0, and -1 of @crc, stand for the default, or for no change.
 */
struct flitcast_link_settings {
	u32 window;
	u32 hello;
	u32 dead;
	int crc;
};

#endif /* FLITCAST_FABRIC_CONFIG_H */
