// SPDX-License-Identifier: GPL-2.0
/*
 * Memory limits, divided into shares by user: no user can take the memory that the others need.
 * One limit is for all sockets, send and receive, the other for all sites.
 *
 *	limit (parameter mem)
 *	|------------ held by shares ------------|---- free ----| 1/8 receive only | 1/64 small |
 *	a share may grow as long as its pages <= free (dynamic threshold: Choudhury and Hahne 1998)
 *
 *	limit (parameter site_mem)
 *	|------------ held by shares ------------|---- free ----|
 *
 * A share only counts pages.  Sockets (sock/mem.c), the sources that closed sockets leave behind
 * (ends/source.c), and sites (account.c) count what they hold.  Senders without memory wait in
 * their share by need, smallest first; shares are served in turn.
 */
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/swap.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include "mem/share.h"

/**
 * struct flitcast_share - memory that one user holds of that of all sockets and sites
 * @refs: references of sockets, of sources of closed sockets, and of accounts of sites
 * @node: in @shares
 * @place: network or user namespace; only compared, never dereferenced
 * @ns: if @place is a user namespace, that namespace, with a reference
 * @uid: user in that namespace
 * @pages: pages of sockets held within the limit
 * @beyond: pages that flitcast_share_add() charged beyond the limit
 * @site_pages: pages of sites
 * @held_pages: pages of these that are in use, and not only reserved
 * @waiting: waiters for memory, by need
 * @starved: entry in starved_shares, while @waiting is not empty
 *
 * @node is under shares_lock, @waiting and @starved are under wait_lock.
 */
struct flitcast_share {
	refcount_t refs;
	struct rb_node node;
	const void *place;
	struct user_namespace *ns;
	kuid_t uid;
	atomic_long_t pages;
	atomic_long_t beyond;
	atomic_long_t site_pages;
	atomic_long_t held_pages;
	struct rb_root_cached waiting;
	struct list_head starved;
};

/* The key of a share. */
struct payer {
	const void *place;
	kuid_t uid;
	struct user_namespace *ns;
};

/* Minimum limit, in pages. */
#define MEM_LEAST	64
/* A SMALL_PART-th of the limit is reserved for requests of SMALL pages or fewer. */
#define SMALL_PART	64
#define SMALL		2
/* A RECEIVE_PART-th of the limit is reserved for receive queues. */
#define RECEIVE_PART	8
/* @need of a waiter after flitcast_share_forget(). */
#define NEED_NONE	LONG_MIN

atomic_long_t flitcast_mem_allocated;

static long mem_limit;
static atomic_long_t held;
static long site_limit;
static atomic_long_t site_held;
static DEFINE_SPINLOCK(shares_lock);
static struct rb_root shares = RB_ROOT;
static DEFINE_SPINLOCK(wait_lock);
static LIST_HEAD(starved_shares);
static unsigned int nstarved;

/* See flitcast_share_find(). */
static struct payer payer_of(const struct net *net, kuid_t uid)
{
	struct user_namespace *ns = net->user_ns;

	/* A user with many subordinate uids counts as one user. */
	if (ns == &init_user_ns)
		ns = current_user_ns();
	if (ns == &init_user_ns)
		return (struct payer) { net, uid, NULL };
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	if (uid_eq(ns->owner, GLOBAL_ROOT_UID))
		return (struct payer) { ns, GLOBAL_ROOT_UID, ns };
	return (struct payer) { &init_net, ns->owner, NULL };
}

static int compare(const struct payer *payer, const struct flitcast_share *share)
{
	if (payer->place != share->place)
		return payer->place < share->place ? -1 : 1;
	if (uid_eq(payer->uid, share->uid))
		return 0;
	return uid_lt(payer->uid, share->uid) ? -1 : 1;
}

static int compare_key(const void *key, const struct rb_node *node)
{
	return compare(key, rb_entry(node, struct flitcast_share, node));
}

static int compare_new(struct rb_node *new, const struct rb_node *node)
{
	const struct flitcast_share *share = rb_entry(new, struct flitcast_share, node);

	return compare_key(&(struct payer) { share->place, share->uid, share->ns }, node);
}

struct flitcast_share *flitcast_share_find(struct net *net, kuid_t uid)
{
	const struct payer payer = payer_of(net, uid);
	struct flitcast_share *share, *new;
	struct rb_node *node;

	spin_lock_bh(&shares_lock);
	node = rb_find(&payer, &shares, compare_key);
	share = node ? flitcast_share_get(rb_entry(node, struct flitcast_share, node)) : NULL;
	spin_unlock_bh(&shares_lock);
	if (share)
		return share;
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return NULL;
	refcount_set(&new->refs, 1);
	new->place = payer.place;
	new->uid = payer.uid;
	new->waiting = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&new->starved);
	spin_lock_bh(&shares_lock);
	node = rb_find_add(&new->node, &shares, compare_new);
	share = node ? flitcast_share_get(rb_entry(node, struct flitcast_share, node)) : new;
	spin_unlock_bh(&shares_lock);
	if (share != new)
		kfree(new);
	else if (payer.ns)
		new->ns = get_user_ns(payer.ns);
	return share;
}

struct flitcast_share *flitcast_share_get(struct flitcast_share *share)
{
	refcount_inc(&share->refs);
	return share;
}

void flitcast_share_put(struct flitcast_share *share)
{
	/* The last reference is dropped under the lock: a share found in the tree has one. */
	local_bh_disable();
	if (refcount_dec_and_lock(&share->refs, &shares_lock)) {
		__acquire(&shares_lock);
		rb_erase(&share->node, &shares);
		spin_unlock(&shares_lock);
		WARN_ON_ONCE(atomic_long_read(&share->pages) ||
			     atomic_long_read(&share->beyond) ||
			     atomic_long_read(&share->site_pages) ||
			     atomic_long_read(&share->held_pages));
		if (share->ns)
			put_user_ns(share->ns);
		kfree(share);
	}
	local_bh_enable();
}

/* Return: the sum of all shares above which a request of @pages is refused. */
static long most(long pages, enum flitcast_share_use use)
{
	long limit = READ_ONCE(mem_limit), rest = 0;

	if (pages > SMALL)
		rest += limit / SMALL_PART;
	if (use == FLITCAST_SHARE_SEND)
		rest += limit / RECEIVE_PART;
	return limit - rest;
}

long flitcast_share_pages(const struct flitcast_share *share)
{
	return atomic_long_read(&share->pages) + atomic_long_read(&share->beyond);
}

/* Would flitcast_share_take() succeed now? */
static bool has_room(const struct flitcast_share *share, long pages, enum flitcast_share_use use)
{
	return flitcast_share_pages(share) + pages <=
	       most(pages, use) - atomic_long_read(&held) - pages;
}

bool flitcast_share_sendable(const struct flitcast_share *share, long pages)
{
	return has_room(share, pages, FLITCAST_SHARE_SEND);
}

bool flitcast_share_ample(const struct flitcast_share *share)
{
	return flitcast_share_pages(share) <= (READ_ONCE(mem_limit) - atomic_long_read(&held)) / 8;
}

bool flitcast_share_never(long pages)
{
	return pages > most(pages, FLITCAST_SHARE_SEND) / 2;
}

static void wake_starved(void);

static void give(struct flitcast_share *share, long pages)
{
	atomic_long_sub(pages, &share->pages);
	atomic_long_sub(pages, &held);
	wake_starved();
}

bool flitcast_share_take(struct flitcast_share *share, long pages, enum flitcast_share_use use)
{
	long all, mine;

	/* Check first: a failing attempt must not make others fail. */
	if (!has_room(share, pages, use))
		return false;
	all = atomic_long_add_return(pages, &held);
	mine = atomic_long_add_return(pages, &share->pages) + atomic_long_read(&share->beyond);
	if (mine <= most(pages, use) - all)
		return true;
	/* Another request took the pages meanwhile, and may have failed because of this attempt. */
	give(share, pages);
	return false;
}

void flitcast_share_add(struct flitcast_share *share, long pages)
{
	if (!flitcast_share_take(share, pages, FLITCAST_SHARE_SEND))
		atomic_long_add(pages, &share->beyond);
}

void flitcast_share_give(struct flitcast_share *share, long pages)
{
	long beyond = atomic_long_read(&share->beyond), first;

	do {
		first = min(beyond, pages);
	} while (first && !atomic_long_try_cmpxchg(&share->beyond, &beyond, beyond - first));
	give(share, pages - first);
}

void flitcast_share_held_add(struct flitcast_share *share, long pages)
{
	atomic_long_add(pages, &share->held_pages);
}

long flitcast_share_held(const struct flitcast_share *share)
{
	return atomic_long_read(&share->held_pages);
}

long flitcast_share_site_pages(const struct flitcast_share *share)
{
	return atomic_long_read(&share->site_pages);
}

long flitcast_share_site_free(const struct flitcast_share *share)
{
	long rest = READ_ONCE(site_limit) - atomic_long_read(&site_held);

	return max((rest - flitcast_share_site_pages(share)) / 2, 0L);
}

void flitcast_share_site_add(struct flitcast_share *share, long pages, bool limited)
{
	atomic_long_add(pages, &share->site_pages);
	if (limited)
		atomic_long_add(pages, &site_held);
}

bool flitcast_share_site_take(struct flitcast_share *share, long pages, bool limited)
{
	long all, mine;

	if (!limited) {
		flitcast_share_site_add(share, pages, false);
		return true;
	}
	/* Check first: a failing attempt must not make others fail. */
	if (pages > flitcast_share_site_free(share))
		return false;
	all = atomic_long_add_return(pages, &site_held);
	mine = atomic_long_add_return(pages, &share->site_pages);
	if (mine <= READ_ONCE(site_limit) - all)
		return true;
	flitcast_share_site_give(share, pages, limited);
	return false;
}

void flitcast_share_site_give(struct flitcast_share *share, long pages, bool limited)
{
	atomic_long_sub(pages, &share->site_pages);
	if (limited)
		atomic_long_sub(pages, &site_held);
}

static bool need_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct flitcast_waiter, node)->need <
	       rb_entry(b, struct flitcast_waiter, node)->need;
}

static void enlist(struct flitcast_share *share, struct flitcast_waiter *waiter, long pages)
{
	if (RB_EMPTY_ROOT(&share->waiting.rb_root)) {
		list_add_tail(&share->starved, &starved_shares);
		WRITE_ONCE(nstarved, nstarved + 1);
	}
	waiter->share = share;
	waiter->need = pages;
	rb_add_cached(&waiter->node, &share->waiting, need_less);
}

static void unlist(struct flitcast_waiter *waiter)
{
	struct flitcast_share *share = waiter->share;

	rb_erase_cached(&waiter->node, &share->waiting);
	RB_CLEAR_NODE(&waiter->node);
	if (!RB_EMPTY_ROOT(&share->waiting.rb_root))
		return;
	list_del_init(&share->starved);
	WRITE_ONCE(nstarved, nstarved - 1);
}

/*
 * Return: from the next share with waiters, the one that needs least, if there is memory for it.
 * One that needs more may be gone, or never be satisfied, so no other waits for it.
 */
static struct flitcast_waiter *next_waiter(void)
{
	struct flitcast_waiter *waiter;
	struct flitcast_share *share;

	share = list_first_entry(&starved_shares, struct flitcast_share, starved);
	list_move_tail(&share->starved, &starved_shares);
	waiter = rb_entry(rb_first_cached(&share->waiting), struct flitcast_waiter, node);
	if (!flitcast_share_sendable(share, waiter->need))
		return NULL;
	unlist(waiter);
	return waiter;
}

/* Wake waiters as long as there is memory for one. */
static void wake_work(struct work_struct *work)
{
	struct flitcast_waiter *waiter;
	unsigned int failed = 0;
	bool held;

	for (;;) {
		spin_lock_bh(&wait_lock);
		if (failed >= nstarved)
			break;
		waiter = next_waiter();
		rcu_read_lock();
		held = waiter && waiter->ops->hold(waiter);
		rcu_read_unlock();
		failed = waiter ? 0 : failed + 1;
		spin_unlock_bh(&wait_lock);
		if (held)
			waiter->ops->wake(waiter);
		cond_resched();
	}
	spin_unlock_bh(&wait_lock);
}

static DECLARE_DELAYED_WORK(wake, wake_work);

/* Schedule the wake-up of waiters: memory was released, or the limit changed. */
static void wake_starved(void)
{
	/*
	 * Either this call sees the waiter, or the waiter sees the released pages: pairs with the
	 * barrier of flitcast_share_wait().
	 */
	smp_mb();
	if (READ_ONCE(nstarved))
		queue_delayed_work(system_unbound_wq, &wake, 1);
}

void flitcast_waiter_init(struct flitcast_waiter *waiter, const struct flitcast_waiter_ops *ops)
{
	waiter->ops = ops;
	waiter->need = 0;
	RB_CLEAR_NODE(&waiter->node);
}

void flitcast_share_wait(struct flitcast_share *share, struct flitcast_waiter *waiter, long pages)
{
	spin_lock_bh(&wait_lock);
	if (waiter->need == NEED_NONE)
		goto unlock;
	/*
	 * Another thread may wait for less: wake at the lower need; a thread woken too early waits
	 * again.
	 */
	if (!RB_EMPTY_NODE(&waiter->node)) {
		pages = min(pages, waiter->need);
		unlist(waiter);
	}
	enlist(share, waiter, pages);
unlock:
	spin_unlock_bh(&wait_lock);
	smp_mb(); /* pairs with the barrier of wake_starved() */
}

void flitcast_share_forget(struct flitcast_waiter *waiter)
{
	spin_lock_bh(&wait_lock);
	if (!RB_EMPTY_NODE(&waiter->node))
		unlist(waiter);
	waiter->need = NEED_NONE;
	spin_unlock_bh(&wait_lock);
}

static int limit_set(const char *text, const struct kernel_param *param)
{
	long pages;
	int err;

	err = kstrtol(text, 0, &pages);
	if (err)
		return err;
	if (pages < MEM_LEAST)
		return -EINVAL;
	WRITE_ONCE(*(long *)param->arg, pages);
	wake_starved();
	return 0;
}

static const struct kernel_param_ops limit_ops = {
	.set = limit_set,
	.get = param_get_long,
};

module_param_cb(mem, &limit_ops, &mem_limit, 0644);
MODULE_PARM_DESC(mem, "Pages that the queues of all sockets may have (default: 3/16 of the memory)");
module_param_cb(site_mem, &limit_ops, &site_limit, 0644);
MODULE_PARM_DESC(site_mem, "Pages of all sites that users of user namespaces add (default: half the memory)");

void flitcast_share_init(void)
{
	/* As much as for TCP and UDP. */
	if (!mem_limit)
		mem_limit = max(nr_free_buffer_pages() / 16 * 3, 256UL);
	if (!site_limit)
		site_limit = max(nr_free_buffer_pages() / 2, 256UL);
}

void flitcast_share_exit(void)
{
	cancel_delayed_work_sync(&wake);
	WARN_ON_ONCE(atomic_long_read(&held));
	WARN_ON_ONCE(atomic_long_read(&site_held));
	WARN_ON_ONCE(atomic_long_read(&flitcast_mem_allocated));
}
