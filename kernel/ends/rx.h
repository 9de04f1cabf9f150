/* SPDX-License-Identifier: GPL-2.0 */
/* Receiving end of a site: packets in, messages to ports.  All functions: under the site's lock. */
#ifndef FLITCAST_ENDS_RX_H
#define FLITCAST_ENDS_RX_H

#include "core/ends/ends.h"

struct flitcast_site;
struct sk_buff_head;

/**
 * struct flitcast_votes - how a broadcast was accepted; one copy may be enough (bcast.c)
 * @copies: number of copies received when it was accepted
 * @votes: number of those equal to the accepted one
 * @dissent: bit mask of the link ports of this site by which copies unlike the accepted one came
 */
struct flitcast_votes {
	u32 dissent;
	u8 copies;
	u8 votes;
};

/*
 * Receive a packet for one local target; takes ownership of the flits; @votes: of a broadcast, else
 * NULL.  Return: false: the packet was dropped, and its source must send it again; true: it was
 * stored, or need not come again (duplicate, FC_CTRL_REFUSED, FC_RX_BAD).
 */
bool flitcast_rx_packet(struct flitcast_site *site, struct sk_buff_head *flits,
			const struct fc_packet *pk, const struct fc_target *t,
			const struct flitcast_votes *votes);
/*
 * Send a limited number of delayed acks due by @until, and set the timer (clock.ends_at) for the
 * first of the others.  Return: true if acks due by @until are left for the timer or the next call.
 */
bool flitcast_rx_time(struct flitcast_site *site, u64 until);
/* FC_CTRL_FORWARD: the source has completed or aborted all messages before @ctrl->next. */
void flitcast_rx_forward(struct flitcast_site *site, const struct fc_ctrl *ctrl);
/* FC_CTRL_ASK: send the state of message @ask->seq.  @ask->next: as for FC_CTRL_FORWARD. */
void flitcast_rx_ask(struct flitcast_site *site, const struct fc_ctrl *ask);
/*
 * Answer to FC_CTRL_RESYNC_REQ: messages before @ctrl->next are completed or aborted
 * (FC_CTRL_RESYNC), or all are (FC_CTRL_CLOSED; also sent without a request when a source ends).
 */
void flitcast_rx_resynced(struct flitcast_site *site, const struct fc_ctrl *ctrl);

#endif /* FLITCAST_ENDS_RX_H */
