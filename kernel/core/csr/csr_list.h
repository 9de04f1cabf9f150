/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conflict sense routing (Varvarigos and Bertsekas, 1992): the reservation lists of a site.
 *
 * A reservation is a window of time on a link, and before it a wait in the link's buffers:
 *
 *	from          at             end
 *	 |--- wait ---|--- window ---|
 *
 * Windows of a link never overlap, and at no time more than @k waits do.  In the paper time is cut
 * into slots, and a list has a link bit and a number of buffers for each of them; a slot is a
 * window of length one here, at the time that is its number.  Both are read off the waits and
 * windows, so releasing a reservation frees all of its window and buffers, and nothing of
 * another's.
 */
#ifndef FC_CORE_CSR_CSR_LIST_H
#define FC_CORE_CSR_CSR_LIST_H

#include "core/base.h"

#define FC_CSR_NONE	0xffff
/* Any number of packets may wait. */
#define FC_CSR_K_ANY	0xffff
/* Reservations of a site, at most. */
#define FC_CSR_MAX	4096

/**
 * struct fc_csr_id - whose reservation: one attempt to send one packet
 * @site: that sends it
 * @number: of the packet among those of the site; wraps
 * @attempt: wraps
 */
struct fc_csr_id {
	u32 site;
	u32 number;
	u32 attempt;
};

enum fc_csr_state {
	FC_CSR_FREE,
	FC_CSR_TENT,	/* made by a probe; released unless it is confirmed in time */
	FC_CSR_CONF,	/* confirmed: the packet may come */
	FC_CSR_USED,	/* the packet is being sent, or was: it occupies the rest of its window */
};

/**
 * struct fc_csr_res - a reservation
 * @came: when the packet comes
 * @from: since when it waits in the link's buffers: @at, if it waits elsewhere
 * @at: when its window begins
 * @latest: when the packet may begin at the latest
 * @end: when the window ends, which is when the packet has come to the next site
 * @lapse: when it is released, unless it is confirmed or used before
 * @tag: the leg's
 * @span: from when the packet was to leave its source to its arrival at the last
 *	of its targets beyond the link, as far as it is known
 * @id: whose
 * @next: in the link's list, or in that of the free ones
 * @same: next one with the same hash
 * @bucket: first one whose hash is the index of this struct
 * @state: enum fc_csr_state
 * @in: port by which it was asked for
 * @out: link
 * @leg: which of its packet's branches here
 * @legs: how many branches that has
 */
struct fc_csr_res {
	u64 came;
	u64 from;
	u64 at;
	u64 latest;
	u64 end;
	u64 lapse;
	u64 span;
	u64 tag;
	struct fc_csr_id id;
	u16 next;
	u16 same;
	u16 bucket;
	u8 state;
	u8 in;
	u8 out;
	u8 leg;
	u8 legs;
};

/**
 * struct fc_csr_link - a link as reservations see it
 * @first: first window, or FC_CSR_NONE; they are in order
 * @k: packets that may wait for it, beside the one that is sent
 * @unit: time that a unit of a packet takes, below 2^31
 * @guard: time added to each window: a packet may begin so much after it has begun
 */
struct fc_csr_link {
	u16 first;
	u16 k;
	u64 unit;
	u64 guard;
};

/**
 * struct fc_csr_pool - the memory of reservations
 * @res: @size of them
 * @size: up to FC_CSR_MAX
 * @free: first free one, or FC_CSR_NONE
 * @used: how many are not free
 */
struct fc_csr_pool {
	struct fc_csr_res *res;
	u16 size;
	u16 free;
	u16 used;
};

/**
 * fc_csr_pool_init() - all free
 * @p: @res and @size are set
 */
void fc_csr_pool_init(struct fc_csr_pool *p);

/**
 * fc_csr_pool_first() - a reservation of a packet, whatever its attempt
 * @p: pool
 * @site: of its identity
 * @number: of its identity
 *
 * Return: its index, or FC_CSR_NONE.  fc_csr_pool_next() has the others.
 */
u16 fc_csr_pool_first(const struct fc_csr_pool *p, u32 site, u32 number);
u16 fc_csr_pool_next(const struct fc_csr_pool *p, u16 i);

/**
 * fc_csr_list_fit() - the first time that a window fits
 * @p: pool
 * @l: link
 * @from: when the packet comes, and waits
 * @min: when the window may begin, not before @from
 * @len: of the window
 * @at: result
 *
 * Return: false: the link's buffers are full before there is one.
 */
bool fc_csr_list_fit(const struct fc_csr_pool *p, const struct fc_csr_link *l, u64 from,
		     u64 min, u64 len, u64 *at);

/**
 * fc_csr_list_add() - reserve
 * @p: pool
 * @l: link
 * @r: content; @at is the result of fc_csr_list_fit(); links are set here
 *
 * Return: its index, or FC_CSR_NONE: the pool is empty.
 */
u16 fc_csr_list_add(struct fc_csr_pool *p, struct fc_csr_link *l, const struct fc_csr_res *r);

/* Release a reservation, which is in the list of this link. */
void fc_csr_list_del(struct fc_csr_pool *p, struct fc_csr_link *l, u16 i);

#endif /* FC_CORE_CSR_CSR_LIST_H */
