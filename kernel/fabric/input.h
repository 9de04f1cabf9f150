/* SPDX-License-Identifier: GPL-2.0 */
/* Input of a site: functions of struct flitcast_link_ops (input.c). */
#ifndef FLITCAST_FABRIC_INPUT_H
#define FLITCAST_FABRIC_INPUT_H

#include "link/link.h"

void flitcast_input_receive(struct flitcast_link *link, struct sk_buff *skb,
			    const struct fc_link_hdr *hdr);
void flitcast_input_carrier(struct flitcast_link *link, bool up);

/* Fast path for a plain frame (pass.c).  Return: false if it was not handled. */
bool flitcast_pass(struct flitcast_link *link, struct sk_buff *skb);

#endif /* FLITCAST_FABRIC_INPUT_H */
