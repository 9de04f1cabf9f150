// SPDX-License-Identifier: GPL-2.0
#include <linux/etherdevice.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/random.h>
#include "core/wire/wire_bytes.h"
#include "ether/learn.h"

/* How long an address is known after its last frame: as long as bridges know one by default. */
#define AGE	(300 * HZ)

void flitcast_ether_address(u8 address[ETH_ALEN], u32 site)
{
	address[0] = 0x02;
	address[1] = 0xfc;
	fc_put32(address + 2, site);
}

u32 flitcast_ether_site_of(const u8 *address, u32 nsites)
{
	u32 id = fc_get32(address + 2);
	u8 own[ETH_ALEN];

	flitcast_ether_address(own, id);
	return id < nsites && ether_addr_equal(own, address) ? id : FC_SITE_NONE;
}

int flitcast_learn_init(struct flitcast_learn *l)
{
	spin_lock_init(&l->lock);
	l->seed = get_random_u32();
	l->entry = kvcalloc(FLITCAST_LEARN_MAX, sizeof(*l->entry), GFP_KERNEL_ACCOUNT);
	return l->entry ? 0 : -ENOMEM;
}

void flitcast_learn_free(struct flitcast_learn *l)
{
	kvfree(l->entry);
}

/* Return: the FLITCAST_LEARN_SET entries that an address may have. */
static struct flitcast_learned *entries(const struct flitcast_learn *l, const u8 *address)
{
	u32 n = jhash(address, ETH_ALEN, l->seed) % (FLITCAST_LEARN_MAX / FLITCAST_LEARN_SET);

	return l->entry + n * FLITCAST_LEARN_SET;
}

/* Return: the entry of an address, or NULL. */
static struct flitcast_learned *find(const struct flitcast_learn *l, const u8 *address)
{
	struct flitcast_learned *e = entries(l, address);
	unsigned int i;

	/* Free entries have that address. */
	if (is_zero_ether_addr(address))
		return NULL;
	for (i = 0; i < FLITCAST_LEARN_SET; i++)
		if (ether_addr_equal(e[i].address, address))
			return e + i;
	return NULL;
}

/* Return: the entry for a new address: a free one, or the one not seen for the longest time. */
static struct flitcast_learned *replaced(const struct flitcast_learn *l, const u8 *address)
{
	struct flitcast_learned *e = entries(l, address), *oldest = e;
	unsigned int i;

	for (i = 0; i < FLITCAST_LEARN_SET; i++) {
		if (is_zero_ether_addr(e[i].address))
			return e + i;
		if (time_before(e[i].seen, oldest->seen))
			oldest = e + i;
	}
	return oldest;
}

void flitcast_learn_add(struct flitcast_learn *l, const u8 *address, u32 site)
{
	struct flitcast_learned *e;

	spin_lock_bh(&l->lock);
	e = find(l, address);
	if (!e) {
		e = replaced(l, address);
		ether_addr_copy(e->address, address);
	}
	e->site = site;
	e->seen = jiffies;
	spin_unlock_bh(&l->lock);
}

void flitcast_learn_forget(struct flitcast_learn *l, const u8 *address)
{
	struct flitcast_learned *e;

	spin_lock_bh(&l->lock);
	e = find(l, address);
	if (e)
		eth_zero_addr(e->address);
	spin_unlock_bh(&l->lock);
}

u32 flitcast_learn_site(struct flitcast_learn *l, const u8 *address)
{
	const struct flitcast_learned *e;
	u32 site = FC_SITE_NONE;

	spin_lock_bh(&l->lock);
	e = find(l, address);
	if (e && time_before(jiffies, e->seen + AGE))
		site = e->site;
	spin_unlock_bh(&l->lock);
	return site;
}
