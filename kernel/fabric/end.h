/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A site's end of a link.
 */
#ifndef FLITCAST_FABRIC_END_H
#define FLITCAST_FABRIC_END_H

#include "core/link/hello.h"
#include "fabric/config.h"
#include "fabric/replay.h"
#include "link/device.h"
#include "link/link.h"

/**
 * struct flitcast_binding - the network device that a link is configured with
 * @configured: the port has a link of a network device
 * @name: its name, or the last one that it had; "" if only the address is known
 * @address: its permanent address; zeros: the link is configured by name
 * @settings: settings of the link while the device is absent
 * @refusal: why the device that appeared was not bound; NULL: none appeared
 * @refused: index of that device
 *
 * A link of a network device stays configured when the device is deleted, and is bound again when
 * one of that address, or else of that name, appears.  A link of another backend ends with its
 * device.
 */
struct flitcast_binding {
	bool configured;
	char name[FLITCAST_IFNAME_SIZE];
	u8 address[FLITCAST_ADDRESS_SIZE];
	struct flitcast_link_settings settings;
	const char *refusal;
	int refused;
};

/**
 * struct flitcast_end - one port of a site with its link
 * @link: link; NULL: none, or its device is absent
 * @binding: device of the link; changes under RTNL and the site's lock
 * @hello: handshake
 * @notified_state: state of @hello last reported to the listener
 * @notified_reason: reason last reported to the listener
 * @ctrl_at: when the peer may send a full burst of control entries again (core/bucket.h)
 * @ctrl: control frame that waits for more entries, or NULL
 * @bcast: replay buffer of broadcasts
 * @class: replay buffers by set and class
 * @last_rx: when a frame last arrived by the fast path (pass.c), in jiffies; 0: none since this was
 *	reported to @hello
 * @damaged_source: source of the last damaged packet that came in by the link
 * @damage_at: token bucket (core/bucket.h) of damaged frames
 * @classes: bit mask of the classes that the peer may send in; no route uses the others, and they
 *	have no queue here; never changes
 */
struct flitcast_end {
	struct flitcast_link *link;
	struct flitcast_binding binding;
	struct fc_hello hello;
	u8 notified_state;
	u8 notified_reason;
	u64 ctrl_at;
	struct sk_buff *ctrl;
	struct flitcast_replay bcast;
	struct flitcast_replay *class[FC_SET_COUNT];
	unsigned long last_rx;
	u32 damaged_source;
	u64 damage_at;
	u64 classes;
};

/* Has the port a link, with or without its device?  Context: RTNL or the site's lock held. */
static inline bool flitcast_end_used(const struct flitcast_end *end)
{
	return end->link || end->binding.configured;
}

#endif /* FLITCAST_FABRIC_END_H */
