// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/etherdevice.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "core/base.h"
#include "ether/members.h"

/* After so long no report travels that is older than the last one. */
#define ORDER	(10 * HZ)

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

static size_t group_size(u32 nsites)
{
	struct flitcast_group *g;

	return struct_size(g, sites, BITS_TO_LONGS(nsites));
}

static void free_group(struct flitcast_members *m, struct flitcast_group *g)
{
	hlist_del(&g->node);
	hlist_add_head(&g->node, &m->free);
}

int flitcast_members_init(struct flitcast_members *m, u32 nsites, u32 own)
{
	unsigned int i;

	spin_lock_init(&m->lock);
	m->nsites = nsites;
	m->own = own;
	m->seed = get_random_u32();
	for (i = 0; i < FLITCAST_GROUP_LISTS; i++)
		INIT_HLIST_HEAD(&m->group[i]);
	m->member = kvcalloc(nsites, sizeof(*m->member), GFP_KERNEL_ACCOUNT);
	m->multicast = kcalloc(2 * BITS_TO_LONGS(nsites), sizeof(long), GFP_KERNEL_ACCOUNT);
	m->memory = kvcalloc(FLITCAST_GROUPS_MAX, group_size(nsites), GFP_KERNEL_ACCOUNT);
	if (!m->member || !m->multicast || !m->memory) {
		flitcast_members_free(m);
		return -ENOMEM;
	}
	m->unknown = m->multicast + BITS_TO_LONGS(nsites);
	INIT_HLIST_HEAD(&m->free);
	for (i = 0; i < FLITCAST_GROUPS_MAX; i++) {
		struct flitcast_group *g = m->memory + i * group_size(nsites);

		hlist_add_head(&g->node, &m->free);
	}
	flitcast_members_forget(m);
	return 0;
}

void flitcast_members_free(struct flitcast_members *m)
{
	kvfree(m->memory);
	kfree(m->multicast);
	kvfree(m->member);
}

/* A site leaves all groups. */
static void leave(struct flitcast_members *m, u32 site)
{
	struct flitcast_group *g;
	struct hlist_node *next;
	unsigned int i;

	for (i = 0; i < FLITCAST_GROUP_LISTS; i++)
		hlist_for_each_entry_safe(g, next, &m->group[i], node)
			if (__test_and_clear_bit(site, g->sites) &&
			    bitmap_empty(g->sites, m->nsites))
				free_group(m, g);
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

/* A site joins a group.  Return: false: too many groups. */
static bool join(struct flitcast_members *m, u32 site, const u8 *address)
{
	struct flitcast_group *g = find(m, address);

	if (!g) {
		g = hlist_entry_safe(m->free.first, struct flitcast_group, node);
		if (!g)
			return false;
		hlist_del(&g->node);
		ether_addr_copy(g->address, address);
		hlist_add_head(&g->node, bucket(m, address));
	}
	__set_bit(site, g->sites);
	return true;
}

/* The groups of the site remain until it wants less: they add nothing. */
static void want_all(struct flitcast_members *m, u32 site)
{
	__set_bit(site, m->multicast);
	__set_bit(site, m->unknown);
}

/* Apply what a report says. */
static void apply(struct flitcast_members *m, u32 site, u8 wants, const u8 *address, unsigned int n)
{
	u8 group[ETH_ALEN] __aligned(2);
	unsigned int i;

	if (wants & FLITCAST_WANTS_ALL) {
		want_all(m, site);
		return;
	}
	leave(m, site);
	for (i = 0; i < n; i++) {
		memcpy(group, address + i * ETH_ALEN, ETH_ALEN);
		if (is_multicast_ether_addr(group) && !join(m, site, group))
			wants |= FLITCAST_WANTS_MULTICAST;
	}
	__assign_bit(site, m->multicast, wants & FLITCAST_WANTS_MULTICAST);
	__clear_bit(site, m->unknown);
}

void flitcast_members_restart(struct flitcast_members *m, u32 site, u32 incarnation)
{
	spin_lock_bh(&m->lock);
	m->member[site].incarnation = incarnation;
	m->member[site].known = false;
	want_all(m, site);
	spin_unlock_bh(&m->lock);
}

void flitcast_members_forget(struct flitcast_members *m)
{
	u32 site;

	spin_lock_bh(&m->lock);
	for (site = 0; site < m->nsites; site++) {
		m->member[site].known = false;
		want_all(m, site);
	}
	spin_unlock_bh(&m->lock);
}

/* Is a report older than the last one? */
static bool outdated(const struct flitcast_member *last, const struct flitcast_member *report)
{
	if (last->incarnation != report->incarnation)
		return true;
	return last->known && !fc_before(last->number, report->number) &&
	       time_before(jiffies, last->at + ORDER);
}

/* Return: false: a report is outdated. */
static bool take(struct flitcast_members *m, u32 site, const struct flitcast_member *report,
		 bool lost)
{
	struct flitcast_member *last = &m->member[site];

	lockdep_assert_held(&m->lock);
	if (outdated(last, report))
		return false;
	*last = *report;
	last->known = true;
	last->lost = lost;
	last->at = jiffies;
	return true;
}

void flitcast_members_set(struct flitcast_members *m, u32 site,
			  const struct flitcast_member *report, u8 wants, const u8 *address,
			  unsigned int n)
{
	spin_lock_bh(&m->lock);
	if (take(m, site, report, false))
		apply(m, site, wants, address, n);
	spin_unlock_bh(&m->lock);
}

bool flitcast_members_lost(struct flitcast_members *m, u32 site,
			   const struct flitcast_member *report)
{
	bool taken;

	spin_lock_bh(&m->lock);
	taken = take(m, site, report, true);
	if (taken)
		want_all(m, site);
	spin_unlock_bh(&m->lock);
	return taken;
}

void flitcast_members_missing(struct flitcast_members *m, unsigned long *sites)
{
	u32 site;

	spin_lock_bh(&m->lock);
	for (site = 0; site < m->nsites; site++)
		__assign_bit(site, sites, site != m->own &&
			     (!m->member[site].known || m->member[site].lost));
	spin_unlock_bh(&m->lock);
}

/* Does a site want a frame?  @group: that of its address, if it has one and there is one. */
static bool wants(const struct flitcast_members *m, u32 site, const u8 *dest,
		  const struct flitcast_group *group)
{
	if (site == m->own)
		return false;
	if (!is_multicast_ether_addr(dest))
		return test_bit(site, m->unknown);
	return is_broadcast_ether_addr(dest) || test_bit(site, m->multicast) ||
	       (group && test_bit(site, group->sites));
}

unsigned int flitcast_members_list(struct flitcast_members *m, const u8 *dest, u16 *list)
{
	const struct flitcast_group *group;
	unsigned int n = 0;
	u32 site;

	spin_lock_bh(&m->lock);
	group = find(m, dest);
	for (site = 0; site < m->nsites; site++)
		if (wants(m, site, dest, group))
			list[n++] = site;
	spin_unlock_bh(&m->lock);
	return n;
}
