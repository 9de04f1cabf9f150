/* SPDX-License-Identifier: GPL-2.0 */
/* Copies of a flit that leaves by several ports (branch.c). */
#ifndef FLITCAST_FABRIC_BRANCH_H
#define FLITCAST_FABRIC_BRANCH_H

#include <linux/skbuff.h>

/**
 * flitcast_branch_copy() - a frame for one of several ports by which a flit leaves
 * @skb: the flit, without its link header; still owned by the caller
 * @headroom: bytes to keep free for headers
 * @mask: targets of this branch, if the flit is a front; else 0
 *
 * The frame has a linear part of its own. If the data is in plain pages, these are shared, and the
 * head has only the targets of @mask; else the head has all targets.
 *
 * Context: BH disabled.  Return: the frame, or NULL.
 */
struct sk_buff *flitcast_branch_copy(struct sk_buff *skb, unsigned int headroom, u64 mask,
				     bool sum);

/**
 * flitcast_branch_cut() - drop targets from a front
 * @skb: the front, without its link header; its linear part is private
 * @mask: targets to keep
 * @n: number of targets to keep
 */
void flitcast_branch_cut(struct sk_buff *skb, u64 mask, unsigned int n, bool sum);

#endif /* FLITCAST_FABRIC_BRANCH_H */
