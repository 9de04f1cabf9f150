/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A site that misbehaves: from a time on, some kinds of the frames that it sends vanish on its
 * links for ever.  Its code is that of all sites, and its other frames are sent.  It answers
 * HELLOs, so that its neighbours may suspect their links (fail.c), and trust them again.
 */
#ifndef FLITCAST_SIM_WITHHOLD_H
#define FLITCAST_SIM_WITHHOLD_H

#include "sim.h"

/**
 * withhold_set() - let a site withhold frames
 * @text: SITE:WHAT[,WHAT]...@CYCLE
 *
 * Return: NULL, or what is wrong with @text.
 */
const char *withhold_set(const char *text);
/* Watch the links of the site.  Return: NULL, or what is wrong with the site. */
const char *withhold_check(const struct fc_topo *topo);
/* Does a site withhold frames? */
bool withhold_any(void);
/* Mark the links of the site. */
void withhold_init(struct sim *sim);
/* A site of a marked link sends a frame: change its acks.  Return: false if the frame vanishes. */
bool withhold_passes(const struct sim *sim, const struct port *link, struct fc_link_hdr *header,
		     const struct frame *frame);
/* Report the option. */
void withhold_report(void);
/* Return: number of frames that vanished or had their acks changed. */
u64 withhold_count(void);

#endif /* FLITCAST_SIM_WITHHOLD_H */
