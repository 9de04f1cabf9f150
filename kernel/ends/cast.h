/* SPDX-License-Identifier: GPL-2.0 */
/* Reception of broadcasts (cast.c). */
#ifndef FLITCAST_ENDS_CAST_H
#define FLITCAST_ENDS_CAST_H

#include <linux/types.h>

struct flitcast_site;
struct flitcast_port;

/* Drop broadcasts whose missing copies are overdue. */
void flitcast_cast_time(struct flitcast_site *site, u64 now);
void flitcast_cast_detach(struct flitcast_site *site, struct flitcast_port *port);
void flitcast_cast_purge(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_CAST_H */
