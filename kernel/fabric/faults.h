/* SPDX-License-Identifier: GPL-2.0 */
/* Dead links, and routes around them (faults.c). */
#ifndef FLITCAST_FABRIC_FAULTS_H
#define FLITCAST_FABRIC_FAULTS_H

#include <linux/ktime.h>
#include "core/wire/wire.h"

struct flitcast_site;
struct sk_buff;

/* Longest interval of the digests to each neighbour. */
#define FLITCAST_DIGEST_NS	(8ULL * NSEC_PER_SEC)
/* Minimum interval between announcements of a site about its own links. */
#define FLITCAST_FAULTS_NS	(50 * NSEC_PER_MSEC)

int flitcast_faults_alloc(struct flitcast_site *site);
/* Start to compute routes: the site is complete. */
void flitcast_faults_begin(struct flitcast_site *site);
/* Stop to compute routes.  Context: may sleep; the site is dead. */
void flitcast_faults_stop(struct flitcast_site *site);
void flitcast_faults_free(struct flitcast_site *site);
/* A link came up, after its FC_EV_LINK_UP, or goes down, before its FC_EV_LINK_DOWN. */
void flitcast_faults_link(struct flitcast_site *site, u8 port, bool up);
/* A link that is up is suspected, or trusted again. */
void flitcast_faults_suspect(struct flitcast_site *site, u8 port, bool suspect);
/* Process a fault frame; the link header has been pulled.  Return: false if it is malformed. */
bool flitcast_faults_in(struct flitcast_site *site, u8 port, struct sk_buff *skb);
/* Return: true if an announcement is due. */
bool flitcast_faults_due(const struct flitcast_site *site, u64 now);
/* Timer event.  @early: send announcements that are due soon, too. */
void flitcast_faults_time(struct flitcast_site *site, u64 now, bool early);
/* Send the announcements that are due (site->clock.faults_news is set). */
void flitcast_faults_send(struct flitcast_site *site);
u64 flitcast_faults_next_at(const struct flitcast_site *site);
/* Return: since when a site is unreachable; FC_NEVER: it is reachable. */
u64 flitcast_faults_lost(const struct flitcast_site *site, u32 dst, u64 now);
bool flitcast_faults_any_lost(const struct flitcast_site *site);

#endif /* FLITCAST_FABRIC_FAULTS_H */
