/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A site's end of a link.
 */
#ifndef FLITCAST_FABRIC_END_H
#define FLITCAST_FABRIC_END_H

#include "core/hello.h"
#include "fabric/replay.h"
#include "link/link.h"

struct flitcast_site;
struct flitcast_site_config;
struct netlink_ext_ack;

/**
 * struct flitcast_end - one port of a site with its link
 * @link: link; NULL: none
 * @hello: handshake
 * @notified_state: state of @hello last reported to the listener
 * @notified_reason: reason last reported to the listener
 * @futile: FC_LSTAT_TX_FUTILE of @link when it was last reported to @hello
 * @ctrl_at: when the peer may send a full burst of control entries again (core/bucket.h)
 * @ctrl: control frame that waits for more entries, or NULL
 * @bcast: replay buffer of broadcasts
 * @class: replay buffers by set and class
 * @last_rx: when a frame last arrived by the fast path (pass.c), in jiffies; 0: none since this was
 *	reported to @hello
 * @classes: bit mask of the classes that the peer may send in; no route uses the others, and they
 *	have no queue here; never changes
 */
struct flitcast_end {
	struct flitcast_link *link;
	struct fc_hello hello;
	u8 notified_state;
	u8 notified_reason;
	u64 futile;
	u64 ctrl_at;
	struct sk_buff *ctrl;
	struct flitcast_replay bcast;
	struct flitcast_replay *class[FC_SET_COUNT];
	unsigned long last_rx;
	u64 classes;
};

/* Check that a window is large enough for the mode.  Return: 0 or -EINVAL. */
int flitcast_window_check(const struct flitcast_site_config *cfg, u32 window,
			  struct netlink_ext_ack *extack);
/* Remove a link from its site and destroy it.  Context: RTNL held. */
void flitcast_site_link_gone(struct flitcast_site *site, u8 port);

#endif /* FLITCAST_FABRIC_END_H */
