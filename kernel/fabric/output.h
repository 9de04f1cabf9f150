/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames of a site on their way out.
 */
#ifndef FLITCAST_FABRIC_OUTPUT_H
#define FLITCAST_FABRIC_OUTPUT_H

#include "core/wire.h"
#include "fabric/end.h"
#include "fabric/replay.h"

struct flitcast_site;
struct fc_effect;
struct fc_faults_msg;

/**
 * struct flitcast_out - frames of a site on their way out
 * @kept: memory for the replay buffers
 * @headroom: what a frame needs before its payload, on any of the links so far
 * @dirty: links with frames to transmit
 * @frames: how many were queued for links so far
 */
struct flitcast_out {
	struct flitcast_pool kept;
	unsigned int headroom;
	u32 dirty;
	u32 frames;
};

/* A frame to a link; takes ownership of the skb. */
void flitcast_output_frame(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			   struct fc_link_hdr *hdr);
/*
 * The peer acknowledged flits for the first time.  With a key that proves that it is alive: the
 * frame was not recorded before they were sent.
 */
void flitcast_output_acked(struct flitcast_site *site, u8 port);
/* A flit that came in on another link, or from here, goes out. */
void flitcast_output_send(struct flitcast_site *site, const struct fc_effect *e);

/* Bytes that a frame needs before its payload. */
unsigned int flitcast_output_headroom(const struct flitcast_link *link);
/*
 * A flit goes out, for the first time: all of its header but the length and the epoch is filled in.
 * Takes ownership of the skb, which has a head of its own, and headroom.
 */
void flitcast_output_flit(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			  struct fc_link_hdr *hdr);
/* A flit goes out again, from the link's replay buffer. */
void flitcast_output_again(struct flitcast_site *site, const struct fc_effect *e);
void flitcast_output_status(struct flitcast_site *site, u8 vc, const struct fc_effect *e);

/* A frame that tells a neighbour of faults. */
void flitcast_output_faults(struct flitcast_site *site, u8 port, const struct fc_faults_msg *msg);

/* The replay buffer of a channel. */
static inline struct flitcast_replay *flitcast_replay_of(struct flitcast_end *end, u8 vc)
{
	return vc == FC_VC_CAST ? &end->cast : &end->class[fc_vc_set(vc)][fc_vc_class(vc)];
}

#endif /* FLITCAST_FABRIC_OUTPUT_H */
