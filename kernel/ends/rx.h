/* SPDX-License-Identifier: GPL-2.0 */
/* Receiving end of a site: packets in, messages to ports.  All functions: under the site's lock. */
#ifndef FLITCAST_ENDS_RX_H
#define FLITCAST_ENDS_RX_H

#include "core/ends.h"

struct flitcast_site;

/**
 * struct flitcast_votes - how a copy of a broadcast was accepted
 * @copies: copies received until then
 * @votes: of these, equal to the accepted one
 * @dissent: bit mask of the ports by which different copies came
 */
struct flitcast_votes {
	u32 dissent;
	u8 copies;
	u8 votes;
};

/*
 * Send the delayed acks due by @until, and set the timer for the others.  Return: true if more are
 * due than one call sends.
 */
bool flitcast_rx_time(struct flitcast_site *site, u64 until);
/* The source has completed or aborted all messages before @ctrl->next (FC_CTRL_FORWARD). */
void flitcast_rx_forward(struct flitcast_site *site, const struct fc_ctrl *ctrl);
/* A source asks whether a message has arrived, or whether there is space for it (FC_CTRL_ASK). */
void flitcast_rx_ask(struct flitcast_site *site, const struct fc_ctrl *ask);
/*
 * A source answers FC_CTRL_RESYNC_REQ: which messages are completed (FC_CTRL_RESYNC), or that the
 * flow is closed (FC_CTRL_CLOSED).
 */
void flitcast_rx_resynced(struct flitcast_site *site, const struct fc_ctrl *ctrl);

#endif /* FLITCAST_ENDS_RX_H */
