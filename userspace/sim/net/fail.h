/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links that fail during a run.  A link that is silent carries nothing, and its ends do not know
 * it: the core's link-level retry suspects it.  When it is down both ends know it.  News of an end
 * reach each site over the links of a shortest path, and it computes its routes at once.
 *
 * Other links may be watched: they work, and their ends may suspect them and reset them.
 */
#ifndef FLITCAST_SIM_FAIL_H
#define FLITCAST_SIM_FAIL_H

#include "sim.h"

/* Links that may fail. */
#define FAIL_MAX	64
/* Flag of a flit in a replay buffer, besides FC_PART_*: a copy of its packet is stored. */
#define FAIL_COPIED	0x80

/**
 * fail_add() - add a link that fails
 * @text: A-B@SILENT[,DOWN[,UP]]: neighbours, and cycles
 *
 * The link is down from SILENT on unless DOWN is given, and for ever unless UP is.  If DOWN is UP
 * it is never down.
 *
 * Return: NULL, or what is wrong with @text.
 */
const char *fail_add(const char *text);
/* Watch the links of a site.  Return: false if they are too many. */
bool fail_watch(const struct fc_topo *topo, u32 site);
/* Find the ports of the links added.  Return: NULL, or what is wrong with one of them. */
const char *fail_check(const struct fc_topo *topo);
/* Does any link fail, or is any watched? */
bool fail_any(void);
void fail_init(struct sim *sim);
void fail_free(u32 nsites);
/*
 * Counters that the core reads of a port: those of all links, but an end of a link that fails has
 * its own, which show that its peer is silent.
 */
u64 *fail_stat(struct sim *sim, u32 at, u8 port);
/* Add the counters of the links that fail to those of all links. */
void fail_sum(struct sim *sim);
/* Report the links that fail. */
void fail_report(void);
/* EVENT_LINK: a link becomes silent, goes down, or works again. */
void fail_event(struct sim *sim, const struct event *event);
/* EVENT_NEWS: news of links may reach a site. */
void fail_news(struct sim *sim, u32 at);
/* The core suspects links of a site (FC_FX_SUSPECT); @why: enum fc_suspicion */
void fail_suspect(struct sim *sim, u32 at, u64 ports, u8 why);
/* The core resets a link (FC_FX_RESET).  Return: false if it is none of those watched. */
bool fail_reset(struct sim *sim, u32 at, u8 port);
/* Store copies of the packets that a suspected link may have lost (FC_FX_COPY). */
void fail_copy(struct sim *sim, u32 at, u8 vc, u8 port);
/* A packet ends on a link: copy it if it began before the link was suspected. */
void fail_ended(struct sim *sim, u32 at, u8 vc, u8 port);
/* A place for stored packets is free: store copies that had no room. */
void fail_room(struct sim *sim, u32 at);
/* Store the packets that a dead link may have lost, but for those copied (FC_FX_RESCUE). */
void fail_rescue(struct sim *sim, u32 at, u8 vc, u8 port);

#endif /* FLITCAST_SIM_FAIL_H */
