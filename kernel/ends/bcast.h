/* SPDX-License-Identifier: GPL-2.0 */
/* Reception of broadcasts (bcast.c). */
#ifndef FLITCAST_ENDS_BCAST_H
#define FLITCAST_ENDS_BCAST_H

#include <linux/types.h>

struct flitcast_site;
struct flitcast_port;
struct sk_buff_head;

/* Receive a complete copy of a broadcast that came in by a port; takes the flits. */
void flitcast_bcast_copy(struct flitcast_site *site, u8 port, struct sk_buff_head *flits);
/* Drop broadcasts whose missing copies are overdue. */
void flitcast_bcast_time(struct flitcast_site *site, u64 now);
void flitcast_bcast_detach(struct flitcast_site *site, struct flitcast_port *port);
void flitcast_bcast_purge(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_BCAST_H */
