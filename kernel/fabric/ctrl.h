/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control entries of a site: confirmations, questions and the like.
 */
#ifndef FLITCAST_FABRIC_CTRL_H
#define FLITCAST_FABRIC_CTRL_H

#include <linux/interrupt.h>
#include "core/wire.h"

struct flitcast_site;
struct flitcast_link;
struct sk_buff;

/* Control entries for a site itself in one go; one too many is said again later. */
#define FLITCAST_LOOP_MAX	64
/* Confirmations that wait for others. */
#define FLITCAST_HELD_MAX	4
/* Sites whose lists' ways are remembered. */
#define FLITCAST_BACKS		8

/**
 * struct flitcast_held - a confirmation that waits for those of targets further on
 * @ctrl: as it goes out
 * @until: not for longer than that
 * @port: by which all of them go
 * @left: of how many it waits
 */
struct flitcast_held {
	struct fc_ctrl ctrl;
	u64 until;
	u8 port;
	u8 left;
};

/**
 * struct flitcast_back - where the lists of a site come from
 * @src: site
 * @port: by which the last one came; 0: none has
 */
struct flitcast_back {
	u32 src;
	u8 port;
};

/**
 * struct flitcast_ctrl - control entries of a site
 * @loop: for this site: from the links, and from itself
 * @nloop: how many
 * @ports: links with a control frame that waits
 * @old: of these, with one that waits for @soon
 * @beyond: while a packet of a list is delivered whose source waits for confirmations: how many
 *	targets are further on
 * @nheld: how many there are in @held
 * @held_alone: so many times more none is held
 * @held: confirmations of lists, which wait for those of targets further on
 * @back: where the lists of sites come from: confirmations go back that way
 * @soon: sends those of @ports
 * @joined: to wait was of use since @soon ran
 * @alone: so many times more they go at once
 */
struct flitcast_ctrl {
	struct fc_ctrl loop[FLITCAST_LOOP_MAX];
	unsigned int nloop;
	u32 ports;
	u32 old;
	u8 beyond;
	u8 nheld;
	u8 held_alone;
	struct flitcast_held held[FLITCAST_HELD_MAX];
	struct flitcast_back back[FLITCAST_BACKS];
	struct tasklet_struct soon;
	bool joined;
	u8 alone;
};

void flitcast_ctrl_init(struct flitcast_site *site);
/* Nothing more is sent by and by.  Context: may sleep; the site is dead. */
void flitcast_ctrl_stop(struct flitcast_site *site);
/*
 * An entry for the source or target that it names, which may be of this site.  It goes
 * with others that leave by the same port.
 */
void flitcast_ctrl_send(struct flitcast_site *site, struct fc_ctrl *ctrl);
/*
 * The same of a confirmation that others will follow soon, by the same way and from @left targets
 * further on: it goes with the first of these that has room for it, or with the last; or
 * when it has waited for a while.
 */
void flitcast_ctrl_hold(struct flitcast_site *site, struct fc_ctrl *ctrl, u8 left);
/* What has waited for long enough; what has to wait is left in ends_at. */
void flitcast_ctrl_time(struct flitcast_site *site, u64 until);
/* A list came from a site by a port. */
void flitcast_ctrl_back(struct flitcast_site *site, u32 src, u8 port);
/* A frame, its link header pulled; takes ownership. */
void flitcast_ctrl_in(struct flitcast_site *site, struct flitcast_link *link,
		      struct sk_buff *skb);
/* The site is left: what waits, if there is anything, goes now, or soon. */
void flitcast_ctrl_leave(struct flitcast_site *site);
/* The link goes away, and what waits for it. */
void flitcast_ctrl_drop(struct flitcast_site *site, u8 port);

#endif /* FLITCAST_FABRIC_CTRL_H */
