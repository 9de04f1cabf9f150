// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of broadcasts (core/topo/bcast.h), shared by all sites of this kernel whose networks have
 * the same topology.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "core/topo/rules.h"
#include "core/topo/tree.h"
#include "fabric/table.h"

/**
 * struct flitcast_table - tables of a topology
 * @node: entry in the list of all tables
 * @users: reference count
 * @topo: topology
 * @spec: canonical specification of @topo
 * @max: maximum number of copies of a broadcast
 * @bcast: table for k copies at index k - 1; without rules if there are none
 *
 * Constant once in the list, except for @users.
 */
struct flitcast_table {
	struct list_head node;
	unsigned int users;
	struct fc_topo topo;
	char spec[FC_SPEC_MAX];
	u8 max;
	struct fc_bcast bcast[FC_COPIES_MAX];
};

static LIST_HEAD(tables);
/* Protects the list and the reference counts. */
static DEFINE_MUTEX(lock);

static void table_free(struct flitcast_table *t)
{
	unsigned int i;

	for (i = 0; i < FC_COPIES_MAX; i++)
		kvfree(t->bcast[i].entry);
	kfree(t);
}

/* Fill and check a table; where each source has another one, those of some. */
static const char *fill_checked(struct fc_bcast *b, struct fc_bcast_work *work)
{
	const u32 sources[] = { 0, b->topo->nsites / 2, b->topo->nsites - 1 };
	unsigned int i, n = b->rules->relative ? 1 : ARRAY_SIZE(sources);
	const char *wrong = NULL;

	for (i = 0; i < n && !wrong; i++) {
		b->source = sources[i];
		wrong = fc_bcast_fill(b, work);
		if (!wrong)
			wrong = fc_bcast_check(b, work);
		cond_resched();
	}
	return wrong;
}

/* Return: 0; -ENOENT: no broadcast with so many copies; -ENOMEM; -EINVAL: the table is wrong. */
static int fill(struct flitcast_table *t, unsigned int copies, struct fc_bcast_work *work)
{
	struct fc_bcast *b = &t->bcast[copies - 1];
	bool wrong;

	if (fc_bcast_init(b, &t->topo, copies))
		return -ENOENT;
	b->entry = kvcalloc(fc_bcast_slots(&t->topo), sizeof(*b->entry), GFP_KERNEL_ACCOUNT);
	if (!b->entry)
		return -ENOMEM;
	wrong = WARN_ON_ONCE(fill_checked(b, work));
	if (wrong || !b->rules->relative) {
		/* Where the network is not symmetric the next hops are computed. */
		kvfree(b->entry);
		b->entry = NULL;
	}
	if (wrong)
		*b = (struct fc_bcast){ 0 };
	return wrong ? -EINVAL : 0;
}

static struct flitcast_table *table_make(const struct fc_topo *topo)
{
	struct flitcast_table *t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	struct fc_bcast_work *work;
	unsigned int k;
	int err = 0;

	if (!t)
		return NULL;
	t->topo = *topo;
	t->max = 1;
	fc_topo_print(topo, t->spec);
	work = kvcalloc(fc_bcast_slots(topo), sizeof(*work), GFP_KERNEL_ACCOUNT);
	if (!work)
		err = -ENOMEM;
	for (k = 1; k <= min_t(u32, topo->ndirs, FC_COPIES_MAX) && err != -ENOMEM; k++) {
		err = fill(t, k, work);
		if (!err)
			t->max = k;
	}
	kvfree(work);
	if (err != -ENOMEM)
		return t;
	table_free(t);
	return NULL;
}

struct flitcast_table *flitcast_table_get(const struct fc_topo *topo)
{
	struct flitcast_table *t;
	char spec[FC_SPEC_MAX];

	fc_topo_print(topo, spec);
	mutex_lock(&lock);
	list_for_each_entry(t, &tables, node)
		/* Comparing pointers is safe: a site holds its graph for longer than its tables. */
		if (t->topo.graph == topo->graph && !strcmp(t->spec, spec))
			goto found;
	t = table_make(topo);
	if (!t)
		goto out;
	list_add(&t->node, &tables);
found:
	t->users++;
out:
	mutex_unlock(&lock);
	return t;
}

void flitcast_table_put(struct flitcast_table *t)
{
	mutex_lock(&lock);
	if (!--t->users) {
		list_del(&t->node);
		table_free(t);
	}
	mutex_unlock(&lock);
}

u8 flitcast_table_copies(const struct flitcast_table *t)
{
	return t->max;
}

u32 flitcast_table_next(const struct flitcast_table *t, u32 src, u32 site, u8 copies, u8 in)
{
	const struct fc_bcast *b = &t->bcast[copies - 1];
	u8 from = in == FC_PORT_LOCAL ? FC_BCAST_SOURCE : in - 1;
	u32 entry, next;

	if (copies < 1 || copies > t->max)
		return FC_RELAY_NEVER;
	if (!b->rules) {
		if (copies > 1 || !fc_tree_next(&t->topo, src, site, from, &next))
			return FC_RELAY_NEVER;
		return next << 1 | (in == FC_PORT_LOCAL ? 0 : fc_bit(FC_PORT_LOCAL));
	}
	entry = fc_bcast_next(b, src, site, from);
	if (!entry)
		return FC_RELAY_NEVER;
	return (entry & ~FC_BCAST_DELIVER) << 1 |
	       (entry & FC_BCAST_DELIVER ? fc_bit(FC_PORT_LOCAL) : 0);
}
