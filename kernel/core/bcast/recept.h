/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reception: which of the copies of a broadcast is accepted, and when (HARTS, section 2: any one of
 * them where sites only fail, a vote where they may lie).
 *
 * The input link identifies a copy, which no header can forge; copies that are equal byte by byte
 * are one value.
 */
#ifndef FC_CORE_BCAST_RECEPT_H
#define FC_CORE_BCAST_RECEPT_H

#include "core/base.h"

enum fc_reception {
	FC_RECEPT_FIRST,	/* any copy */
	FC_RECEPT_ALL,		/* as many equal copies as there are paths */
	FC_RECEPT_MAJORITY,	/* more than half of those */
	FC_RECEPT_QUORUM,	/* the number that the receiver sets */
	FC_RECEPT_COUNT
};

/**
 * struct fc_recept - copies of one broadcast
 * @votes: for each value, the ports that brought it
 * @got: ports that brought a copy
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
 * @copies: that the receiver expects of each broadcast; for FC_RECEPT_FIRST it does
 *	not matter
 * @quorum: for FC_RECEPT_QUORUM
 *
 * Return: at least 1.
 */
u8 fc_recept_need(u8 policy, u8 copies, u8 quorum);

/**
 * fc_recept_copy() - a copy has come
 * @r: zeroed for the first one
 * @port: port it came in by; again by the same port it is ignored
 * @value: number of the value it is equal to, or of one without votes
 * @outstanding: number of older broadcasts still to come, from its header (struct fc_bcast_hdr)
 *
 * Return: equal copies there are of that value; 0 if it is ignored.
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
 * fc_recept_forget() - a copy is not kept any more
 * @r: copies
 * @port: port it came in by
 *
 * Return: number of its value if no copy of that is left; else -1.
 */
int fc_recept_forget(struct fc_recept *r, u8 port);

/**
 * fc_recept_dissent() - who disagreed
 * @r: copies
 * @value: number of the accepted value
 *
 * Return: the ports that brought another one.
 */
u32 fc_recept_dissent(const struct fc_recept *r, u8 value);

/* Return: the value that came by a port, or -1. */
int fc_recept_value(const struct fc_recept *r, u8 port);

#endif /* FC_CORE_BCAST_RECEPT_H */
