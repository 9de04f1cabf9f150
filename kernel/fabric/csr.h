/* SPDX-License-Identifier: GPL-2.0 */
/* Reservations of mode csr (csr.c).  All functions may be called in every mode. */
#ifndef FLITCAST_FABRIC_CSR_H
#define FLITCAST_FABRIC_CSR_H

#include "core/wire/wire.h"

struct flitcast_site;
struct sk_buff;

u64 flitcast_csr_next_at(const struct flitcast_site *site);
/* Process a CSR frame; the link header has been pulled.  Return: false if it is malformed. */
bool flitcast_csr_in(struct flitcast_site *site, u8 port, struct sk_buff *skb);
/* Return: by when a packet that has arrived was due (flitcast_now()); 0: not known. */
u64 flitcast_csr_due(const struct flitcast_site *site, const u8 *head);

#endif /* FLITCAST_FABRIC_CSR_H */
