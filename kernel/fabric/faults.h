/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dead links, and routes around them.
 */
#ifndef FLITCAST_FABRIC_FAULTS_H
#define FLITCAST_FABRIC_FAULTS_H

#include <linux/ktime.h>
#include "core/wire.h"

struct flitcast_site;
struct sk_buff;

#define FLITCAST_HELLO_NS	NSEC_PER_SEC
/* Between two things a site says of its own links. */
#define FLITCAST_FAULTS_NS	(50 * NSEC_PER_MSEC)

int flitcast_faults_alloc(struct flitcast_site *site);
/* The site is there: routes are computed from here on. */
void flitcast_faults_begin(struct flitcast_site *site);
/* No routes are computed any more.  Context: may sleep; the site is dead. */
void flitcast_faults_stop(struct flitcast_site *site);
void flitcast_faults_free(struct flitcast_site *site);
/* A link came up, after its FC_EV_LINK_UP, or goes down, before its FC_EV_LINK_DOWN. */
void flitcast_faults_link(struct flitcast_site *site, u8 port, bool up);
/* A neighbour's frame, its link header pulled; false if it is malformed. */
bool flitcast_faults_in(struct flitcast_site *site, u8 port, struct sk_buff *skb);
/* Is there something to say now? */
bool flitcast_faults_due(const struct flitcast_site *site, u64 now);
/* @early: what is to be said soon is said now. */
void flitcast_faults_time(struct flitcast_site *site, u64 now, bool early);
/* Send what is to be sent now: there are faults_news. */
void flitcast_faults_send(struct flitcast_site *site);
u64 flitcast_faults_next_at(const struct flitcast_site *site);
/* Since when is there no way to a site: FC_NEVER if there is one. */
u64 flitcast_faults_lost(const struct flitcast_site *site, u32 dst, u64 now);
bool flitcast_faults_any_lost(const struct flitcast_site *site);

#endif /* FLITCAST_FABRIC_FAULTS_H */
