// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/etherdevice.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "core/base.h"
#include "ether/members.h"

/**
 * struct flitcast_group - a multicast address to which devices of other sites listen
 * @node: in a list of struct flitcast_members
 * @address: address
 * @sites: set of these sites, not empty
 */
struct flitcast_group {
	struct hlist_node node;
	u8 address[ETH_ALEN];
	unsigned long sites[];
};

static void free_group(struct flitcast_members *m, struct flitcast_group *g)
{
	hlist_del(&g->node);
	kfree(g);
	m->ngroups--;
}

static void free_groups(struct flitcast_members *m)
{
	struct flitcast_group *g;
	struct hlist_node *next;
	unsigned int i;

	for (i = 0; i < FLITCAST_GROUP_LISTS; i++)
		hlist_for_each_entry_safe(g, next, &m->group[i], node)
			free_group(m, g);
}

void flitcast_members_free(struct flitcast_members *m)
{
	free_groups(m);
	kfree(m->up);
	kvfree(m->member);
}

void flitcast_members_forget_all(struct flitcast_members *m)
{
	u32 site;

	spin_lock_bh(&m->lock);
	free_groups(m);
	for (site = 0; site < m->nsites; site++)
		m->member[site].known = false;
	bitmap_fill(m->up, m->nsites);
	bitmap_fill(m->multicast, m->nsites);
	bitmap_fill(m->unknown, m->nsites);
	__clear_bit(m->own, m->up);
	spin_unlock_bh(&m->lock);
}

int flitcast_members_init(struct flitcast_members *m, u32 nsites, u32 own)
{
	unsigned int i;

	spin_lock_init(&m->lock);
	m->nsites = nsites;
	m->own = own;
	m->seed = get_random_u32();
	m->ngroups = 0;
	for (i = 0; i < FLITCAST_GROUP_LISTS; i++)
		INIT_HLIST_HEAD(&m->group[i]);
	m->member = kvcalloc(nsites, sizeof(*m->member), GFP_KERNEL_ACCOUNT);
	m->up = kcalloc(3 * BITS_TO_LONGS(nsites), sizeof(long), GFP_KERNEL_ACCOUNT);
	if (!m->member || !m->up) {
		flitcast_members_free(m);
		return -ENOMEM;
	}
	m->multicast = m->up + BITS_TO_LONGS(nsites);
	m->unknown = m->multicast + BITS_TO_LONGS(nsites);
	flitcast_members_forget_all(m);
	return 0;
}

/* A site leaves all groups. */
static void leave(struct flitcast_members *m, u32 site)
{
	struct flitcast_group *g;
	struct hlist_node *next;
	unsigned int i;

	for (i = 0; i < FLITCAST_GROUP_LISTS; i++)
		hlist_for_each_entry_safe(g, next, &m->group[i], node) {
			__clear_bit(site, g->sites);
			if (bitmap_empty(g->sites, m->nsites))
				free_group(m, g);
		}
}

static struct hlist_head *bucket(struct flitcast_members *m, const u8 *address)
{
	return &m->group[jhash(address, ETH_ALEN, m->seed) % FLITCAST_GROUP_LISTS];
}

static struct flitcast_group *find(struct flitcast_members *m, const u8 *address)
{
	struct flitcast_group *g;

	hlist_for_each_entry(g, bucket(m, address), node)
		if (ether_addr_equal(g->address, address))
			return g;
	return NULL;
}

/* A site joins a group.  Return: false: too many groups, or no memory. */
static bool join(struct flitcast_members *m, u32 site, const u8 *address)
{
	struct flitcast_group *g = find(m, address);

	if (!g) {
		if (m->ngroups == FLITCAST_GROUPS_MAX)
			return false;
		g = kzalloc(struct_size(g, sites, BITS_TO_LONGS(m->nsites)), GFP_ATOMIC);
		if (!g)
			return false;
		ether_addr_copy(g->address, address);
		hlist_add_head(&g->node, bucket(m, address));
		m->ngroups++;
	}
	__set_bit(site, g->sites);
	return true;
}

/* Apply a report, or none, of another site: then it wants all. */
static void apply(struct flitcast_members *m, u32 site, u8 wants, const u8 *address, unsigned int n)
{
	unsigned int i;

	leave(m, site);
	for (i = 0; i < n; i++)
		if (is_multicast_ether_addr(address + i * ETH_ALEN) &&
		    !join(m, site, address + i * ETH_ALEN))
			wants |= FLITCAST_WANTS_MULTICAST;
	if (wants & FLITCAST_WANTS_ALL)
		wants |= FLITCAST_WANTS_MULTICAST;
	__assign_bit(site, m->up, !(wants & FLITCAST_WANTS_NONE));
	__assign_bit(site, m->multicast, wants & FLITCAST_WANTS_MULTICAST);
	__assign_bit(site, m->unknown, wants & FLITCAST_WANTS_ALL);
}

void flitcast_members_forget(struct flitcast_members *m, u32 site)
{
	spin_lock_bh(&m->lock);
	if (site != m->own && m->member[site].known) {
		m->member[site].known = false;
		apply(m, site, FLITCAST_WANTS_ALL, NULL, 0);
	}
	spin_unlock_bh(&m->lock);
}

void flitcast_members_set(struct flitcast_members *m, u32 site,
			  const struct flitcast_member *report, u8 wants, const u8 *address,
			  unsigned int n)
{
	struct flitcast_member *last = &m->member[site];

	spin_lock_bh(&m->lock);
	if (site != m->own && (!last->known || last->incarnation != report->incarnation ||
			       fc_before(last->number, report->number))) {
		*last = *report;
		last->known = true;
		apply(m, site, wants, address, n);
	}
	spin_unlock_bh(&m->lock);
}

unsigned int flitcast_members_list(struct flitcast_members *m, const u8 *dest, u16 *list)
{
	const struct flitcast_group *g = NULL;
	unsigned int n = 0;
	u32 site;

	spin_lock_bh(&m->lock);
	if (is_multicast_ether_addr(dest) && !is_broadcast_ether_addr(dest))
		g = find(m, dest);
	for_each_set_bit(site, m->up, m->nsites)
		if (is_broadcast_ether_addr(dest) ||
		    (g && test_bit(site, g->sites)) ||
		    test_bit(site, is_multicast_ether_addr(dest) ? m->multicast : m->unknown))
			list[n++] = site;
	spin_unlock_bh(&m->lock);
	return n;
}
