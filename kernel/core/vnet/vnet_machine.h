/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal interface of the switch of mode vnet: vnet.c, vnet_cache.c, vnet_pass.c, vnet_route.c,
 * vnet_stall.c and csr_plan.c.
 */
#ifndef FC_CORE_VNET_VNET_MACHINE_H
#define FC_CORE_VNET_VNET_MACHINE_H

#include "core/link/llr.h"
#include "core/vnet/vnet.h"
#include "core/wire/wire_flow.h"

static inline struct fc_vin *fc_vin_of(const struct fc_vnet *v, u8 class, u8 port)
{
	return &v->in[class * v->nports + port];
}

static inline struct fc_vout *fc_vout_of(const struct fc_vnet *v, u8 class, u8 port)
{
	return &v->out[class * v->nports + port];
}

static inline u8 fc_vslots_of(const struct fc_vnet *v)
{
	return fc_vnet_branches(v->nports - 1);
}

/* Return: a branch by its number. */
static inline struct fc_vbranch *fc_vbranch_of(const struct fc_vnet *v, u32 number)
{
	return &v->in[number / fc_vslots_of(v)].branch[number % fc_vslots_of(v)];
}

static inline void fc_vmay_come(struct fc_vnet *v, u8 class, u8 port)
{
	v->come[class] |= fc_bit(port);
	v->work |= fc_bit64(class);
}

static inline void fc_vmay_go(struct fc_vnet *v, u8 class, u8 port)
{
	v->go[class] |= fc_bit(port);
	v->work |= fc_bit64(class);
}

/* Credit may have arrived: process the output if it has a branch. */
static inline void fc_vcredit(struct fc_vnet *v, u8 class, u8 port)
{
	if (fc_vout_of(v, class, port)->first != FC_VBRANCH_NONE)
		fc_vmay_go(v, class, port);
}

/* Prepares the channel of a class for use. */
static inline void fc_vtouch(struct fc_vnet *v, u8 class)
{
	v->ch[class].now = v->now;
	v->touched |= fc_bit64(class);
}

/* Is the flit the expected next one of its packet?  If not, the packet is invalid. */
static inline bool fc_vfits(const struct fc_vnet *v, const struct fc_vin *in,
			    const struct fc_flit *f)
{
	bool last = f->parts & FC_PART_TERM;

	/* Credit and space are reserved for the number of flits that its front gives. */
	if (last != (in->come + 1 == in->n) || f->data > in->left || (last && f->data != in->left))
		return false;
	return !in->come || last || f->data == v->payload;
}

/* Makes the switch due no later than a channel. */
static inline void fc_vdue(struct fc_vnet *v, const struct fc_channel *ch)
{
	if (ch->next_at < v->next_at)
		v->next_at = ch->next_at;
}

/* Sends the statuses of a channel that are due, and includes its timers in the switch's. */
static inline void fc_vupdate(struct fc_vnet *v, struct fc_channel *ch, struct fc_effects *fx)
{
	if (ch->status)
		fc_llr_send_status(ch, fx);
	fc_vdue(v, ch);
}

/* Serves the class after this one first next time. */
static inline void fc_vrotate(struct fc_vnet *v, u8 class)
{
	v->rotate = class + 1 < v->nclasses ? class + 1 : 0;
}

/* vnet.c: processes an event by the queues; the caller has processed the ack of a flit. */
bool fc_vnet_work(struct fc_vnet *v, u8 class, const struct fc_event *ev, struct fc_effects *fx);

/* vnet_stall.c */

/* The terminator will not arrive: all branches of the packet abort. */
void fc_vnet_cut(struct fc_vnet *v, struct fc_vin *in);
/* A packet of several flits has begun to arrive: it is checked. */
void fc_vnet_watch(struct fc_vnet *v);
/* Checks the packets that arrive, if it is time: cuts those that are stalled. */
void fc_vnet_check(struct fc_vnet *v);

/* vnet_cache.c */

/* Empties the cache. */
void fc_vroute_cache_clear(struct fc_vnet *v);
/* Out-of-line part of fc_vroutes(): the route is not in the cache. */
const u8 *fc_vroute_find(const struct fc_vnet *v, u8 class, u8 port, u32 dst, u32 *dirs,
			 u8 next[FC_DIRS_MAX]);

/* Routes depend on the class in which the packet arrived; those of this site share a key. */
static inline u8 fc_vroute_from(u8 class, u8 port)
{
	return port == FC_PORT_LOCAL ? FC_VCLASSES_MAX : class;
}

static inline struct fc_vroute *fc_vroute_at(struct fc_vroute_cache *cache, u8 from, u32 dst)
{
	return &cache->route[(dst + 5 * from) % FC_VROUTES];
}

/* Return: the entry of the cache for a packet, or NULL. */
static inline const struct fc_vroute *fc_vroute_cached(const struct fc_vnet *v, u8 class, u8 port,
						       u32 dst)
{
	u8 from = fc_vroute_from(class, port);
	const struct fc_vroute *route;

	if (!v->cache)
		return NULL;
	route = fc_vroute_at(v->cache, from, dst);
	return route->dst == dst && route->from == from ? route : NULL;
}

/*
 * Directions in which a packet may proceed to a site: over all links, as if all were up.
 * Return: for each, the class on that link: in the cache, or in @next.
 */
static inline const u8 *fc_vroutes(const struct fc_vnet *v, u8 class, u8 port, u32 dst, u32 *dirs,
				   u8 next[FC_DIRS_MAX])
{
	const struct fc_vroute *route = fc_vroute_cached(v, class, port, dst);

	if (route) {
		*dirs = route->dirs;
		return v->cache->next[route->class];
	}
	return fc_vroute_find(v, class, port, dst, dirs, next);
}

/* By direction, the class on that link of a packet of a class: in the cache, or in @next. */
const u8 *fc_vroute_classes(const struct fc_vnet *v, u8 class, u8 next[FC_DIRS_MAX]);

/* Has the output no credit for a branch that has not begun? */
static inline bool fc_vlacks_credit(const struct fc_vnet *v, const struct fc_vbranch *b,
				    const struct fc_vin *in)
{
	const struct fc_tx *tx = &v->ch[b->class].tx[b->port];

	return !b->begun && tx->window - (tx->sent - tx->acked) < in->n;
}

/* Is the output idle, with credit for a packet of so many flits? */
static inline bool fc_vidle(const struct fc_vnet *v, u8 class, u8 port, u32 flits)
{
	const struct fc_tx *tx = &v->ch[class].tx[port];

	return fc_vout_of(v, class, port)->first == FC_VBRANCH_NONE &&
	       tx->window - (tx->sent - tx->acked) >= flits;
}

/*
 * Cost of a channel for a new packet: the flits before it, and for a datagram, whose flow keeps one
 * path, the rank of the direction.
 */
static inline u32 fc_vload(const struct fc_vnet *v, const u8 *head, u8 class, u8 port)
{
	const struct fc_tx *tx = &v->ch[class].tx[port];

	if (fc_wire_datagram(head))
		return fc_wire_flow_weight(head, v->node->id, port - 1);
	return fc_vout_of(v, class, port)->load + tx->sent - tx->acked;
}

/* vnet_route.c */

/* Return: number of flits of a packet, by its front; all but the first and the last are full. */
u32 fc_vflits_of(const struct fc_vnet *v, const struct fc_flit *front);
/* Adds a branch of a packet at the end of the queue of its channel. */
void fc_vnet_branch(struct fc_vnet *v, struct fc_vin *in, u8 port, u8 class, u64 mask);
/* May a datagram of this site enter, to leave by a channel?  See fc_vnet_aim(). */
bool fc_vnet_takes(const struct fc_vnet *v, u8 class, u8 port, u32 flits);
/* Determines the next hop of each target.  Return: false if there is none yet. */
bool fc_vnet_route(struct fc_vnet *v, u8 class, u8 port, struct fc_vin *in,
		   const struct fc_flit *front, struct fc_effects *fx);

#endif /* FC_CORE_VNET_VNET_MACHINE_H */
