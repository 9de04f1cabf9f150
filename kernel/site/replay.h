/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The replay buffer of a link: the flits that its peer has not taken yet.
 */
#ifndef FLITCAST_REPLAY_H
#define FLITCAST_REPLAY_H

#include <linux/skbuff.h>
#include <linux/types.h>

/**
 * struct flitcast_replay - a ring of @size places
 * @skb: flits in order, payload only; NULL while there is no link
 * @parts: their FC_PART_*
 * @seq: number of the first one
 * @size: the window of the site: the most that any peer's lets be sent
 * @first: its place
 * @n: how many
 *
 * The site's lock protects it.
 */
struct flitcast_replay {
	struct sk_buff **skb;
	u8 *parts;
	u32 seq;
	u16 size;
	u16 first;
	u16 n;
};

int flitcast_replay_init(struct flitcast_replay *r, u32 size);
void flitcast_replay_free(struct flitcast_replay *r);
/*
 * Flit @seq was sent; takes ownership.  There is room: no more than the window is
 * unacknowledged.
 */
void flitcast_replay_add(struct flitcast_replay *r, u32 seq, struct sk_buff *skb, u8 parts);
/* Return: flit @seq, still the buffer's, or NULL. */
struct sk_buff *flitcast_replay_get(const struct flitcast_replay *r, u32 seq, u8 *parts);
/* Flits before @seq are not needed any more. */
void flitcast_replay_release(struct flitcast_replay *r, u32 seq);
/*
 * Take the next packet whose flits are all there out of the buffer, in order; what
 * stands before it is dropped.  Return: false if there is none, and the buffer is empty.
 */
bool flitcast_replay_rescue(struct flitcast_replay *r, struct sk_buff_head *flits);

#endif /* FLITCAST_REPLAY_H */
