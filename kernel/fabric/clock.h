/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_FABRIC_CLOCK_H
#define FLITCAST_FABRIC_CLOCK_H

struct flitcast_site;

/* Set the timer for the next event.  Context: the site's lock. */
void flitcast_set_timer(struct flitcast_site *site);

#endif /* FLITCAST_FABRIC_CLOCK_H */
