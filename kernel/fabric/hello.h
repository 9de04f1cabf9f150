/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handshakes of a site's links.
 */
#ifndef FLITCAST_FABRIC_HELLO_H
#define FLITCAST_FABRIC_HELLO_H

#include "core/wire/wire.h"

struct flitcast_site;
struct flitcast_link;
struct sk_buff;

/* Return: when the next event of a handshake is due. */
u64 flitcast_hello_due(struct flitcast_site *site);
/* Reset the links in site->todo.resets. */
void flitcast_hello_resets(struct flitcast_site *site);
/* Suspect the links in site->todo.suspects. */
void flitcast_hello_suspects(struct flitcast_site *site);
/* Process a HELLO; the link header has been pulled. */
void flitcast_hello_in(struct flitcast_site *site, struct flitcast_link *link,
		       struct sk_buff *skb, const struct fc_link_hdr *hdr);
/* Perform the actions (@todo: FC_HELLO_*) that the handshake of port @n asks for. */
void flitcast_hello_perform(struct flitcast_site *site, u8 n, u8 todo);

#endif /* FLITCAST_FABRIC_HELLO_H */
