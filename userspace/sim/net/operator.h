/* SPDX-License-Identifier: GPL-2.0 */
/* The operator of a site (operator.c). */
#ifndef FLITCAST_SIM_OPERATOR_H
#define FLITCAST_SIM_OPERATOR_H

#include "sim.h"

void operator_init(struct sim *sim, u32 node);
void operator_free(struct sim *sim, u32 node);
/*
 * The packet in the network-buffer is complete: deliver it to targets @here, store it for targets
 * @others; @aborted: the operator forwards these after a random wait.
 */
void operator_serve(struct sim *sim, u32 node, u64 here, u64 others, bool aborted);
/* Store a packet, to send it on.  Takes its flits.  Return: false if there is no room. */
bool operator_keep(struct sim *sim, u32 node, struct flits *flits);
void operator_discard(struct sim *sim, u32 node);
/* Schedule the EVENT_FEED of the next flit, if the local net-input has buffer space. */
void operator_push(struct sim *sim, u32 node);

/* Call operator_push() if the operator has flits to send. */
static inline void operator_kick(struct sim *sim, u32 at)
{
	const struct node *node = sim_node(sim, at);

	if (node->sending.n || node->eager || node->transit)
		operator_push(sim, at);
}

void operator_feed(struct sim *sim, u32 node);
void operator_unreachable(struct sim *sim, u32 node, const u8 *head, u64 mask);
void operator_control(struct sim *sim, u32 node, const struct fc_ctrl *ctrl);
/* Segment a packet of a message into flits, which the operator sends next. */
void operator_cut(struct sim *sim, struct node *node, const struct message *m,
		  const struct fc_packet *pk, const struct fc_target *targets);
/* Incarnation of a site. */
u32 operator_incarnation(u32 node);
/* A socket of the site, or its network device, sends a message. */
void operator_send(struct sim *sim, struct message *message);
void operator_repeat(struct sim *sim, struct message *message);

#endif /* FLITCAST_SIM_OPERATOR_H */
