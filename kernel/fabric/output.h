/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output of a site (output.c).
 */
#ifndef FLITCAST_FABRIC_OUTPUT_H
#define FLITCAST_FABRIC_OUTPUT_H

#include "core/wire/wire.h"
#include "fabric/end.h"
#include "fabric/replay.h"

struct flitcast_site;
struct fc_effect;
struct fc_faults_msg;

/**
 * struct flitcast_out - output of frames of a site
 * @free: free list of replay entries
 * @headroom: largest headroom that any link so far needs before the payload
 * @dirty: links with frames to transmit
 * @frames: number of frames queued so far
 */
struct flitcast_out {
	struct flitcast_free_list free;
	unsigned int headroom;
	u32 dirty;
	u32 frames;
};

/* Queue a frame on a link; takes ownership of the skb. */
void flitcast_output_frame(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			   struct fc_link_hdr *hdr);
/* Send a flit, received on another link or made here, to a link. */
void flitcast_output_send(struct flitcast_site *site, const struct fc_effect *e);

/* Return: the headroom that a frame needs before its payload. */
unsigned int flitcast_output_headroom(const struct flitcast_link *link);
/*
 * Send a flit for the first time.  The caller has filled in @hdr but for the length and the epoch.
 * Takes ownership of the skb, which has a linear part of its own, and headroom.
 */
void flitcast_output_flit(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			  struct fc_link_hdr *hdr);
/* Retransmit a flit from the replay buffer of the link. */
void flitcast_output_again(struct flitcast_site *site, const struct fc_effect *e);
void flitcast_output_status(struct flitcast_site *site, u8 vc, const struct fc_effect *e);

/* Send a fault frame to a neighbour. */
void flitcast_output_faults(struct flitcast_site *site, u8 port, const struct fc_faults_msg *msg);

/* Return: the replay buffer of a channel. */
static inline struct flitcast_replay *flitcast_replay_of(struct flitcast_end *end, u8 vc)
{
	return vc == FC_VC_BCAST ? &end->bcast : &end->class[fc_vc_set(vc)][fc_vc_class(vc)];
}

#endif /* FLITCAST_FABRIC_OUTPUT_H */
