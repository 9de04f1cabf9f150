// SPDX-License-Identifier: GPL-2.0
/*
 * The preference table of a site: lists of directions (CARE, Table G), and entries for targets.
 */
#include <linux/slab.h>
#include "compat.h"
#include "core/mode.h"
#include "fabric/enter.h"
#include "fabric/vnet.h"
#include "site/route.h"

/* Check the preference list of a direction. */
static int check_list(const struct flitcast_site *site, u8 dir, const u8 *ports, u8 nports,
		      struct netlink_ext_ack *extack)
{
	u32 seen = 0;
	u8 i;

	if (dir >= site->cfg.topo.ndirs) {
		NL_SET_ERR_MSG_MOD(extack, "the topology has no such direction");
		return -EINVAL;
	}
	if (nports > site->cfg.topo.ndirs) {
		NL_SET_ERR_MSG_MOD(extack, "more ports than the topology has");
		return -EINVAL;
	}
	for (i = 0; i < nports; i++) {
		if (!ports[i] || ports[i] >= site->node.nports) {
			NL_SET_ERR_MSG_MOD(extack, "the topology has no such port");
			return -EINVAL;
		}
		if (seen & fc_bit(ports[i])) {
			NL_SET_ERR_MSG_MOD(extack, "a port is named twice");
			return -EINVAL;
		}
		seen |= fc_bit(ports[i]);
	}
	return 0;
}

/* Modes with virtual networks leave by legal directions alone, each of which is one port. */
static int check_mode(const struct flitcast_site *site, struct netlink_ext_ack *extack)
{
	if (!fc_mode_ops(site->cfg.mode)->classes)
		return 0;
	NL_SET_ERR_MSG_MOD(extack, "only mode care has lists of directions: name targets");
	return -EOPNOTSUPP;
}

/**
 * struct next_hops - next hops of a site with all links working
 * @pref: lists of directions
 * @v: classes of the network; NULL: the mode has none
 * @classes: fc_prefer_classes()
 */
struct next_hops {
	const struct fc_pref *pref;
	const struct fc_vclass *v;
	u64 classes;
};

/* Would an entry leave a target without a next hop? */
static bool blocks(const struct flitcast_site *site, const struct next_hops *hops, u32 dst,
		   const struct fc_prefer *entry)
{
	const struct fc_topo *topo = &site->cfg.topo;
	u32 id = site->cfg.id;

	if (!hops->v)
		return fc_pref_blocks(hops->pref, topo, id, dst, entry->never);
	/* Lists of directions are for control frames alone, which other ports may carry. */
	return fc_prefer_blocks(hops->v, id, hops->classes, dst, entry->never) ||
	       fc_pref_blocks(hops->pref, topo, id, dst, entry->strict);
}

/* Does each target keep a next hop?  Return: 0 or -EINVAL. */
static int check_blocked(const struct flitcast_site *site, const struct fc_pref *pref,
			 const struct fc_prefer_table *prefers, struct netlink_ext_ack *extack)
{
	struct next_hops hops = { .pref = pref };
	u32 dst, e, never = 0;

	for (e = 0; prefers && e < prefers->count; e++)
		never |= prefers->entry[e].never;
	if (!never)
		return 0;
	if (fc_mode_ops(site->cfg.mode)->classes) {
		hops.v = flitcast_vnet_classes(site);
		hops.classes = fc_prefer_classes(hops.v, site->cfg.id);
	}
	for (dst = 0; dst < site->cfg.topo.nsites; dst++) {
		const struct fc_prefer *entry = fc_prefer_of(prefers, dst);

		if (!(dst % 1024))
			cond_resched();
		if (!entry->never || dst == site->cfg.id || !blocks(site, &hops, dst, entry))
			continue;
		FLITCAST_ERR_MSG_FMT(extack, "a site would have no way left",
				     "site %u would have no way left", dst);
		return -EINVAL;
	}
	return 0;
}

static int check_entry(const struct flitcast_site *site, const struct fc_prefer *entry,
		       struct netlink_ext_ack *extack)
{
	u32 r;

	for (r = 0; r < entry->nranges; r++) {
		const struct fc_range *range = &entry->range[r];

		if (range->first > range->last || (r && range->first <= range[-1].last)) {
			NL_SET_ERR_MSG_MOD(extack, "the targets are not in increasing order");
			return -EINVAL;
		}
		if (range->last >= site->cfg.topo.nsites) {
			FLITCAST_ERR_MSG_FMT(extack, "a target is no site of the network",
					     "there is no site %u", range->last);
			return -EINVAL;
		}
	}
	return 0;
}

/* Entries with the one for all other targets first.  Return: a table, NULL without entries. */
static struct fc_prefer_table *table_make(const struct flitcast_site *site,
					  const struct fc_prefer *entry, u32 count,
					  struct netlink_ext_ack *extack)
{
	u32 nsites = site->cfg.topo.nsites, rest = 0, i, twice;
	struct fc_prefer_table *table;
	size_t size;
	int err;

	if (!count)
		return NULL;
	for (i = 0; i < count; i++) {
		err = check_entry(site, &entry[i], extack);
		if (err)
			return ERR_PTR(err);
		rest += !entry[i].nranges;
	}
	if (rest > 1) {
		NL_SET_ERR_MSG_MOD(extack, "there are two entries for all other targets");
		return ERR_PTR(-EINVAL);
	}
	if (count - rest >= FC_PREFER_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "too many entries");
		return ERR_PTR(-ENOSPC);
	}
	size = struct_size(table, entry, count + 1);
	table = kvzalloc(size + nsites, GFP_KERNEL_ACCOUNT);
	if (!table)
		return ERR_PTR(-ENOMEM);
	table->count = 1;
	for (i = 0; i < count; i++)
		table->entry[entry[i].nranges ? table->count++ : 0] = entry[i];
	if (table->count == 1)
		return table;
	table->of = (u8 *)table + size;
	twice = fc_prefer_index(table, nsites);
	if (twice == FC_SITE_NONE)
		return table;
	FLITCAST_ERR_MSG_FMT(extack, "a site has another entry", "site %u has another entry",
			     twice);
	kvfree(table);
	return ERR_PTR(-EINVAL);
}

/* Replace the table of a site, and route waiting packets again.  Return: 0 or -ESTALE. */
static int publish(struct flitcast_site *site, const struct fc_pref *pref,
		   struct fc_prefer_table *prefers, const u32 *generation,
		   struct netlink_ext_ack *extack)
{
	const struct fc_prefer_table *old = prefers;
	int err = 0;

	flitcast_enter(site);
	if (generation && *generation != site->generation) {
		NL_SET_ERR_MSG_MOD(extack, "the table has changed: read it again");
		err = -ESTALE;
	} else {
		old = site->node.prefers;
		site->pref = *pref;
		site->node.prefers = prefers;
		site->generation++;
		site->mode->rerouted(site);
		site->todo.up.pending |= FLITCAST_UP_REROUTED;
	}
	flitcast_leave(site);
	kvfree(old);
	return err;
}

/* As publish(), if no target loses its last way.  The table is used or freed. */
static int apply(struct flitcast_site *site, const struct fc_pref *pref,
		 struct fc_prefer_table *prefers, const u32 *generation,
		 struct netlink_ext_ack *extack)
{
	int err;

	if (IS_ERR(prefers))
		return PTR_ERR(prefers);
	err = check_blocked(site, pref, prefers, extack);
	if (!err)
		return publish(site, pref, prefers, generation, extack);
	kvfree(prefers);
	return err;
}

/* The entries of a site, with space for one more.  Return: an array, or NULL. */
static struct fc_prefer *entries_of(const struct flitcast_site *site, u32 *count)
{
	const struct fc_prefer_table *table = site->node.prefers;
	u32 n = table ? table->count : 0;
	struct fc_prefer *entry;

	entry = kvcalloc(n + 1, sizeof(*entry), GFP_KERNEL_ACCOUNT);
	if (entry && n)
		memcpy(entry, table->entry, n * sizeof(*entry));
	*count = n;
	return entry;
}

int flitcast_route_set(struct flitcast_site *site, u8 dir, const u8 *ports, u8 nports,
		       struct netlink_ext_ack *extack)
{
	int err = check_mode(site, extack);
	struct fc_prefer_table *prefers;
	struct fc_prefer *entry;
	struct fc_pref *pref;
	u32 count;

	if (!err)
		err = check_list(site, dir, ports, nports, extack);
	if (err)
		return err;
	entry = entries_of(site, &count);
	pref = kmemdup(&site->pref, sizeof(*pref), GFP_KERNEL_ACCOUNT);
	err = -ENOMEM;
	if (entry && pref) {
		pref->port[dir][0] = dir + 1;
		pref->count[dir] = 1;
		if (nports) {
			memcpy(pref->port[dir], ports, nports);
			pref->count[dir] = nports;
		}
		prefers = table_make(site, entry, count, extack);
		err = apply(site, pref, prefers, NULL, extack);
	}
	if (!err)
		flitcast_route_warn(&site->cfg.topo, site->cfg.id, dir, ports, nports, extack);
	kfree(pref);
	kvfree(entry);
	return err;
}

static struct fc_prefer *find(struct fc_prefer *entry, u32 count, const struct fc_prefer *which)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (fc_prefer_same_targets(&entry[i], which))
			return &entry[i];
	return NULL;
}

/* Add or replace the entry for its targets, or remove it. */
static int change_entry(struct flitcast_site *site, const struct fc_prefer *entry, bool remove,
			struct netlink_ext_ack *extack)
{
	struct fc_prefer *entries, *old;
	int err = -ENOMEM;
	u32 count;

	entries = entries_of(site, &count);
	if (!entries)
		return err;
	old = find(entries, count, entry);
	if (remove && (!old || !fc_prefer_is_set(old))) {
		NL_SET_ERR_MSG_MOD(extack, "there is no entry for just these targets");
		err = -ENOENT;
		goto free;
	}
	if (remove) {
		*old = entries[--count];
		/* Without any other entry, no table is left. */
		if (count == 1 && !fc_prefer_is_set(entries))
			count = 0;
	} else {
		if (!old)
			old = &entries[count++];
		*old = *entry;
	}
	err = apply(site, &site->pref, table_make(site, entries, count, extack), NULL, extack);
free:
	kvfree(entries);
	return err;
}

int flitcast_prefer_set(struct flitcast_site *site, const struct fc_prefer *entry,
			struct netlink_ext_ack *extack)
{
	return change_entry(site, entry, false, extack);
}

int flitcast_prefer_del(struct flitcast_site *site, const struct fc_prefer *entry,
			struct netlink_ext_ack *extack)
{
	return change_entry(site, entry, true, extack);
}

int flitcast_route_replace(struct flitcast_site *site, const struct fc_pref *pref,
			   const struct fc_prefer *entry, u32 count, const u32 *generation,
			   struct netlink_ext_ack *extack)
{
	int err;
	u8 dir;

	for (dir = 0; dir < site->cfg.topo.ndirs; dir++) {
		if (!pref->count[dir]) {
			NL_SET_ERR_MSG_MOD(extack, "a route needs at least one port");
			return -EINVAL;
		}
		err = check_list(site, dir, pref->port[dir], pref->count[dir], extack);
		if (!err && (pref->count[dir] > 1 || pref->port[dir][0] != dir + 1))
			err = check_mode(site, extack);
		if (err)
			return err;
	}
	return apply(site, pref, table_make(site, entry, count, extack), generation, extack);
}

bool flitcast_prefer_get(struct flitcast_site *site, u32 index, struct fc_prefer *entry,
			 u32 *generation)
{
	const struct fc_prefer_table *table;
	u32 i, n = 0;
	bool found = false;

	spin_lock_bh(&site->lock);
	table = site->node.prefers;
	for (i = 0; table && !found && i < table->count; i++) {
		if (!fc_prefer_is_set(&table->entry[i]) || n++ < index)
			continue;
		*entry = table->entry[i];
		found = true;
	}
	*generation = site->generation;
	spin_unlock_bh(&site->lock);
	return found;
}

u8 flitcast_route_get(struct flitcast_site *site, u8 dir, u8 *ports, u32 *generation)
{
	u8 n;

	if (dir >= site->cfg.topo.ndirs)
		return 0;
	spin_lock_bh(&site->lock);
	n = site->pref.count[dir];
	memcpy(ports, site->pref.port[dir], n);
	*generation = site->generation;
	spin_unlock_bh(&site->lock);
	return n;
}
