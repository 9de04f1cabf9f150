// SPDX-License-Identifier: GPL-2.0
/*
 * The list of links of RDMA ports, and the connection of each link.
 */
#include <linux/slab.h>
#include "rdma/rdma.h"

struct workqueue_struct *rdma_wq;

/* All started links. */
static LIST_HEAD(links);
static DEFINE_SPINLOCK(links_lock);

/* Wait queue of rdma_links_wait(). */
static DECLARE_WAIT_QUEUE_HEAD(ended);

void rdma_link_kick(struct rdma_link *l, unsigned long delay)
{
	unsigned long flags;

	spin_lock_irqsave(&l->lock, flags);
	/* queue_delayed_work() does not postpone a run that is due earlier. */
	if (!l->dead && delay)
		queue_delayed_work(rdma_wq, &l->work, delay);
	else if (!l->dead)
		mod_delayed_work(rdma_wq, &l->work, 0);
	spin_unlock_irqrestore(&l->lock, flags);
}

void rdma_link_reason(struct rdma_link *l, const char *reason)
{
	WRITE_ONCE(l->reason, reason);
}

void rdma_link_broken(struct rdma_conn *c, const char *reason)
{
	/* The first reason is the cause of the others. */
	if (xchg(&c->state, RDMA_BROKEN) == RDMA_BROKEN)
		return;
	rdma_link_reason(c->l, reason);
	rdma_link_kick(c->l, 0);
}

bool rdma_link_set_conn(struct rdma_link *l, struct rdma_conn *c)
{
	unsigned long flags;
	bool set;

	spin_lock_irqsave(&l->lock, flags);
	set = !l->dead && !rcu_access_pointer(l->conn);
	if (set)
		rcu_assign_pointer(l->conn, c);
	spin_unlock_irqrestore(&l->lock, flags);
	return set;
}

struct rdma_conn *rdma_link_take_conn(struct rdma_link *l, bool always)
{
	unsigned long flags;
	struct rdma_conn *c;

	spin_lock_irqsave(&l->lock, flags);
	c = rcu_dereference_protected(l->conn, lockdep_is_held(&l->lock));
	if (c && (always || READ_ONCE(c->state) == RDMA_BROKEN))
		RCU_INIT_POINTER(l->conn, NULL);
	else
		c = NULL;
	spin_unlock_irqrestore(&l->lock, flags);
	if (c)
		synchronize_net();
	return c;
}

void rdma_link_add(struct rdma_link *l)
{
	spin_lock(&links_lock);
	list_add_tail(&l->node, &links);
	spin_unlock(&links_lock);
}

void rdma_link_del(struct rdma_link *l)
{
	spin_lock(&links_lock);
	list_del_init(&l->node);
	spin_unlock(&links_lock);
}

struct rdma_link *rdma_link_find(bool (*match)(const struct rdma_link *l, const void *arg),
				 const void *arg)
{
	struct rdma_link *l, *found = NULL;

	spin_lock(&links_lock);
	list_for_each_entry(l, &links, node) {
		if (match(l, arg)) {
			kref_get(&l->ref);
			found = l;
			break;
		}
	}
	spin_unlock(&links_lock);
	return found;
}

void rdma_links_kick(const struct rdma_dev *d, u32 port)
{
	struct rdma_link *l;

	spin_lock(&links_lock);
	list_for_each_entry(l, &links, node)
		if (l->on == d && l->port == port)
			rdma_link_kick(l, 0);
	spin_unlock(&links_lock);
}

static void link_free(struct kref *ref)
{
	struct rdma_link *l = container_of(ref, struct rdma_link, ref);
	struct rdma_dev *d = l->on;

	kfree(l);
	/* rdma_links_wait() may return, and its caller free @d, as soon as the count is zero. */
	if (atomic_dec_and_test(&d->links))
		wake_up_all(&ended);
}

void rdma_link_put(struct rdma_link *l)
{
	kref_put(&l->ref, link_free);
}

void rdma_links_wait(struct rdma_dev *d)
{
	wait_event(ended, !atomic_read(&d->links));
}
