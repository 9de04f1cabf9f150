/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receiving ends: packets in, messages to ports.
 */
#ifndef FLITCAST_ENDS_RX_H
#define FLITCAST_ENDS_RX_H

#include "core/ends.h"

struct flitcast_site;

/**
 * struct flitcast_votes - how a broadcast came to be believed
 * @copies: copies received by then
 * @votes: of these, equal to it
 * @dissent: ports by which the others came
 */
struct flitcast_votes {
	u32 dissent;
	u8 copies;
	u8 votes;
};

/*
 * Confirmations that could wait until @until are sent, and the timer is set for the others.
 * Return: true if there are more of them than are sent in one go.
 */
bool flitcast_rx_time(struct flitcast_site *site, u64 until);
/* All before a level is over at its source. */
void flitcast_rx_forward(struct flitcast_site *site, const struct fc_ctrl *ctrl);
/* A source asks for a message that was put off. */
void flitcast_rx_ask(struct flitcast_site *site, const struct fc_ctrl *ask);
/* A source answers what is over (FC_CTRL_OVER), or needs a flow no more (FC_CTRL_CLOSED). */
void flitcast_rx_over(struct flitcast_site *site, const struct fc_ctrl *ctrl);

#endif /* FLITCAST_ENDS_RX_H */
