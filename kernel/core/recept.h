/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reception: which of the copies of a broadcast is believed, and when (HARTS, section
 * 2: any one of them where sites only fail, a vote where they may lie).
 *
 * A copy is known by the link it came in by, which no header can forge; copies that are
 * equal byte by byte are one value.
 */
#ifndef FC_CORE_RECEPT_H
#define FC_CORE_RECEPT_H

#include "base.h"

enum fc_reception {
	FC_RECEPT_FIRST,	/* any copy */
	FC_RECEPT_ALL,		/* as many equal copies as there are ways */
	FC_RECEPT_MAJORITY,	/* more than half of those */
	FC_RECEPT_QUORUM,	/* so many as the receiver says */
	FC_RECEPT_COUNT
};

/**
 * struct fc_recept - copies of one broadcast
 * @votes: for each value, the ports that brought it
 * @got: ports that brought a copy
 * @outstanding: for each value, the most older broadcasts that a copy of it says are to come yet
 */
struct fc_recept {
	u32 votes[FC_PORTS_MAX];
	u32 got;
	u8 outstanding[FC_PORTS_MAX];
};

/**
 * fc_recept_need() - equal copies that a value needs to be believed
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
 * @value: number of the value it is equal to, or of one that nobody votes for
 * @outstanding: how many older broadcasts are to come yet, as it says (struct fc_bcast_hdr)
 *
 * Return: equal copies there are of that value; 0 if it is ignored.
 */
u8 fc_recept_copy(struct fc_recept *r, u8 port, u8 value, u8 outstanding);

/**
 * fc_recept_outstanding() - how many older broadcasts are to come yet
 * @r: copies
 * @value: number of the value that is believed
 *
 * It is no part of a value: those that were sent at different times say different things, and
 * all may be true.  So the most that any of them says is taken.  One that lies can make a
 * receiver wait for what is over at its source, which tells it so; it cannot make it go on
 * without what is to come.
 *
 * Return: what the copies of that value say.
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
 * @value: number of the value that is believed
 *
 * Return: the ports that brought another one.
 */
u32 fc_recept_dissent(const struct fc_recept *r, u8 value);

/* Return: the value that came by a port, or -1. */
int fc_recept_value(const struct fc_recept *r, u8 port);

#endif /* FC_CORE_RECEPT_H */
