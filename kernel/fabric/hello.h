/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handshakes of a site's links.
 */
#ifndef FLITCAST_FABRIC_HELLO_H
#define FLITCAST_FABRIC_HELLO_H

#include "core/wire.h"

struct flitcast_site;
struct flitcast_link;
struct sk_buff;

/* When something of the handshakes is due. */
u64 flitcast_hello_due(struct flitcast_site *site);
/* Links whose ends contradict each other begin anew. */
void flitcast_hello_resets(struct flitcast_site *site);
/* A HELLO came, its link header pulled. */
void flitcast_hello_in(struct flitcast_site *site, struct flitcast_link *link,
		       struct sk_buff *skb, const struct fc_link_hdr *hdr);
/* Do what a step of the handshake asks; @n: port. */
void flitcast_hello_perform(struct flitcast_site *site, u8 n, u8 todo);

#endif /* FLITCAST_FABRIC_HELLO_H */
