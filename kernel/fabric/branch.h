/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames for several ways that a flit leaves by.
 */
#ifndef FLITCAST_FABRIC_BRANCH_H
#define FLITCAST_FABRIC_BRANCH_H

#include <linux/skbuff.h>

/**
 * flitcast_branch_copy() - a frame for one of several ways that a flit leaves by
 * @skb: the flit, without its link header; stays its owner's
 * @headroom: bytes to keep free for headers
 * @mask: of a front, the targets of this branch; else 0
 *
 * Its head is its own, and has these targets alone where the data is in plain pages, which both
 * have then; else all targets.
 *
 * Context: BH disabled.  Return: the frame, or NULL.
 */
struct sk_buff *flitcast_branch_copy(struct sk_buff *skb, unsigned int headroom, u64 mask);

/**
 * flitcast_branch_cut() - drop targets from a front
 * @skb: the front, without its link header; its head is its own
 * @mask: targets to keep
 * @kept: how many
 */
void flitcast_branch_cut(struct sk_buff *skb, u64 mask, unsigned int kept);

#endif /* FLITCAST_FABRIC_BRANCH_H */
