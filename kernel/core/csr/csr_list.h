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
 * window of length one here, at the time that is its number.  Link bit and buffers follow from the
 * reservations, so releasing a reservation frees exactly its own window and buffers.
 */
#ifndef FC_CORE_CSR_CSR_LIST_H
#define FC_CORE_CSR_CSR_LIST_H

#include "core/base.h"

#define FC_CSR_NONE	0xffff
/* Value of @k: any number of packets may wait. */
#define FC_CSR_K_ANY	0xffff
/* Maximum number of reservations of a site. */
#define FC_CSR_MAX	4096

/**
 * struct fc_csr_id - identity of a reservation: an attempt to send a packet
 * @site: source site of the packet
 * @number: number of the packet at its source; wraps
 * @attempt: number of the attempt; wraps
 */
struct fc_csr_id {
	u32 site;
	u32 number;
	u32 attempt;
};

enum fc_csr_state {
	FC_CSR_FREE,
	FC_CSR_TENT,	/* made by a probe; released unless it is confirmed in time */
	FC_CSR_CONF,	/* confirmed: the packet is expected */
	FC_CSR_USED,	/* transmission has begun; the window stays occupied to its end */
};

/**
 * struct fc_csr_res - a reservation
 * @came: time at which the packet arrives at this site
 * @from: start of the wait in the link's buffers; @at if the packet waits elsewhere
 * @at: start of the window
 * @latest: latest time at which the transmission may begin
 * @end: end of the window: the packet has arrived at the next site
 * @lapse: time at which the reservation is released unless it is confirmed or used before
 * @span: time from the planned departure of the packet from its source to its arrival at the last
 *	of its targets beyond the link, as far as it is known
 * @tag: tag of the leg (struct fc_csr_leg)
 * @id: identity
 * @next: index of the next reservation of the link, or of the free list
 * @same: index of the next reservation with the same hash
 * @bucket: index of the first reservation whose hash is the index of this struct
 * @state: enum fc_csr_state
 * @in: port by which the probe arrived
 * @out: port of the link
 * @leg: index of the branch among those of the packet at this site
 * @legs: number of branches of the packet at this site
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
 * struct fc_csr_link - list of the reservations of a link, in the order of their windows
 * @first: index of the first reservation, or FC_CSR_NONE
 * @k: maximum number of packets that wait for the link, besides the one that is being sent
 * @unit: transmission time of a unit of a packet, below 2^31
 * @guard: time added to each window: the transmission may begin so much after the window
 */
struct fc_csr_link {
	u16 first;
	u16 k;
	u64 unit;
	u64 guard;
};

/**
 * struct fc_csr_pool - memory of the reservations of a site
 * @res: array of @size reservations
 * @size: number of reservations, up to FC_CSR_MAX
 * @free: index of the first reservation of the free list, or FC_CSR_NONE
 * @used: number of reservations in use
 */
struct fc_csr_pool {
	struct fc_csr_res *res;
	u16 size;
	u16 free;
	u16 used;
};

/**
 * fc_csr_pool_init() - put all reservations on the free list
 * @p: pool; @res and @size are set
 */
void fc_csr_pool_init(struct fc_csr_pool *p);

/**
 * fc_csr_pool_first() - find a reservation of a packet, of any attempt
 * @p: pool
 * @site: source site of the packet
 * @number: number of the packet at its source
 *
 * Return: its index, or FC_CSR_NONE.  fc_csr_pool_next() returns the others.
 */
u16 fc_csr_pool_first(const struct fc_csr_pool *p, u32 site, u32 number);
u16 fc_csr_pool_next(const struct fc_csr_pool *p, u16 i);

/**
 * fc_csr_list_fit() - find the earliest free window
 * @p: pool
 * @l: link
 * @from: time at which the packet arrives and begins to wait
 * @min: earliest start of the window, not before @from
 * @len: length of the window
 * @at: result: start of the window
 *
 * Return: false if the packet would have to wait while the link's buffers are full.
 */
bool fc_csr_list_fit(const struct fc_csr_pool *p, const struct fc_csr_link *l, u64 from,
		     u64 min, u64 len, u64 *at);

/**
 * fc_csr_list_add() - add a reservation to the list of a link
 * @p: pool
 * @l: link
 * @r: content; @at is the result of fc_csr_list_fit(); @next, @same and @bucket are set here
 *
 * Return: its index; FC_CSR_NONE if none is free.
 */
u16 fc_csr_list_add(struct fc_csr_pool *p, struct fc_csr_link *l, const struct fc_csr_res *r);

/* Releases a reservation, which is in the list of the link. */
void fc_csr_list_del(struct fc_csr_pool *p, struct fc_csr_link *l, u16 i);

#endif /* FC_CORE_CSR_CSR_LIST_H */
