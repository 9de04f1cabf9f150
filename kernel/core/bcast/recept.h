/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reception: decides which copy of a broadcast a receiver accepts, and when (HARTS, section 2: any
 * copy if sites only fail, a vote if they may lie).
 *
 * A copy is identified by its input link, which no header can forge; copies that are equal byte by
 * byte have the same value.
 */
#ifndef FC_CORE_BCAST_RECEPT_H
#define FC_CORE_BCAST_RECEPT_H

#include "core/base.h"

enum fc_reception {
	FC_RECEPT_FIRST,	/* any copy */
	FC_RECEPT_ALL,		/* as many equal copies as there are paths */
	FC_RECEPT_MAJORITY,	/* equal copies by more than half of the paths */
	FC_RECEPT_QUORUM,	/* a number of equal copies that the receiver sets */
	FC_RECEPT_COUNT
};

/**
 * struct fc_recept - copies of one broadcast
 * @votes: for each value, mask of the input ports of its copies
 * @got: mask of the input ports of all copies
 * @outstanding: for each value, largest @outstanding of its copies (fc_recept_copy())
 */
struct fc_recept {
	u32 votes[FC_PORTS_MAX];
	u32 got;
	u8 outstanding[FC_PORTS_MAX];
};

/**
 * fc_recept_need() - number of equal copies that a value needs to be accepted
 * @policy: enum fc_reception
 * @copies: number of copies that the receiver expects of each broadcast; ignored for
 *	FC_RECEPT_FIRST
 * @quorum: number for FC_RECEPT_QUORUM
 *
 * Return: at least 1.
 */
u8 fc_recept_need(u8 policy, u8 copies, u8 quorum);

/**
 * fc_recept_copy() - count a copy
 * @r: copies; zeroed for the first one
 * @port: input port; a second copy by the same port is ignored
 * @value: number of the copy's value, or of a value without votes
 * @outstanding: number of older broadcasts still to come, from its header (struct fc_bcast_hdr)
 *
 * Return: number of copies of that value; 0 if the copy is ignored.
 */
u8 fc_recept_copy(struct fc_recept *r, u8 port, u8 value, u8 outstanding);

/**
 * fc_recept_outstanding() - number of older broadcasts still to come
 * @r: copies
 * @value: number of the accepted value
 *
 * The number is not part of a value: copies sent at different times may have different correct
 * numbers.  So the result is the largest.  A forged copy can make a receiver wait for broadcasts
 * that the source then reports as completed, but not skip any.
 *
 * Return: the largest number in the copies of that value.
 */
static inline u8 fc_recept_outstanding(const struct fc_recept *r, u8 value)
{
	return r->outstanding[value];
}

/**
 * fc_recept_forget() - remove a copy
 * @r: copies
 * @port: its input port
 *
 * Return: number of its value if no copy of that value is left; else -1.
 */
int fc_recept_forget(struct fc_recept *r, u8 port);

/**
 * fc_recept_dissent() - ports that disagree with the accepted value
 * @r: copies
 * @value: number of the accepted value
 *
 * Return: mask of the input ports of copies with another value.
 */
u32 fc_recept_dissent(const struct fc_recept *r, u8 value);

/* Return: number of the value of the copy by a port, or -1. */
int fc_recept_value(const struct fc_recept *r, u8 port);

#endif /* FC_CORE_BCAST_RECEPT_H */
