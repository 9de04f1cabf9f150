/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory and data of messages that are being sent.
 */
#ifndef FLITCAST_SITE_MSG_H
#define FLITCAST_SITE_MSG_H

#include "site/tx.h"

/* Let go of a message; the last one frees it. */
void flitcast_msg_put(struct flitcast_msg *msg);
/* A message to one target, with @len bytes of data, FLITCAST_MSG_SMALL at most; NULL: no memory. */
struct flitcast_msg *flitcast_msg_short(struct flitcast_site *site, const void *data, u32 len);
/* As flitcast_msg_put(); what is freed may be kept for the next one. */
void flitcast_msg_over(struct flitcast_site *site, struct flitcast_msg *msg);
/*
 * Data in pages from byte @from on, up to @len of it, as far as it is together: returns how
 * much, and says in which lot of pages and where there.
 */
u32 flitcast_msg_run(const struct flitcast_msg *msg, u32 from, u32 len, struct page **lot,
		     u32 *off);
/* Free the data of a message that is over. */
void flitcast_msg_drop_data(struct flitcast_msg *msg);
/*
 * Free the data of a message that is over, under the site's lock: where that takes long, or many
 * messages are over at a time, a work (@free of the site) does it.  The message is in no list.
 */
void flitcast_msg_spent(struct flitcast_site *site, struct flitcast_msg *msg);
/* The work: free the data of the next such message.  Return: false if there is none. */
bool flitcast_msg_free_spent(struct flitcast_site *site);

#endif /* FLITCAST_SITE_MSG_H */
