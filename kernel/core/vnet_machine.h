/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the parts of the switch of mode vnet: for vnet.c and vnet_route.c alone.
 */
#ifndef FC_CORE_VNET_MACHINE_H
#define FC_CORE_VNET_MACHINE_H

#include "machine.h"
#include "vnet.h"

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

/* A branch by its number, and the input it is of. */
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

/* The channel of a class is about to be used. */
static inline void fc_vtouch(struct fc_vnet *v, u8 class)
{
	v->ch[class].now = v->now;
	v->touched |= fc_bit64(class);
}

/* vnet_route.c */

/* Flits of the packet whose front this is; all but the first and the last are full. */
u32 fc_vflits_of(const struct fc_vnet *v, const struct fc_flit *front);
/* One more branch of a packet, behind those that wait for its channel already. */
bool fc_vnet_branch(struct fc_vnet *v, struct fc_vin *in, u8 port, u8 class, u64 mask);
/* Which way each target goes.  Return: false if there is none yet. */
bool fc_vnet_route(struct fc_vnet *v, u8 class, u8 port, struct fc_vin *in,
		   const struct fc_flit *front, struct fc_effects *fx);

#endif /* FC_CORE_VNET_MACHINE_H */
