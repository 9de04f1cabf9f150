// SPDX-License-Identifier: GPL-2.0
/*
 * Accounts of sites.  A site makes two: one for memory that it reserves when links are added, and
 * one for broadcasts that it holds.  The share of the user who added the site counts the pages, and
 * the kernel's sk_mem functions charge them to the memory cgroup of the task that did.
 * /proc/net/protocols shows the sum of all sites in the row FLITCAST-SITE.
 *
 * Reserved pages are charged, and not allocated: a flit that the peer may send (it has credit) is
 * never refused, so its memory is charged before.
 */
#include <linux/cred.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/page_counter.h>
#include <linux/percpu.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <net/sock.h>
#include "compat.h"
#include "mem/account.h"
#include "mem/share.h"

/*
 * Part of the limit of a cgroup (or an eighth, if that is less) that Flitcast must leave free: data
 * of other senders must not get a program killed that needs a page for itself.
 */
#define CGROUP_REST	SZ_4M

/* An account keeps less than this for the next flitcast_account_take(). */
#define AHEAD		(128 * 1024)

/*
 * Pages that one call of the kernel charges.  A call for more than the 8 pages of the largest cheap
 * allocation fails at the limit of the cgroup, where one for less kills a task of the cgroup.
 */
#define CHUNK		(SZ_64M >> PAGE_SHIFT)

/**
 * struct flitcast_account - memory that the maker of a site pays for
 * @share: share of the user, with a reference
 * @sk: charges the memory cgroup; no program can reach it
 * @limited: the limit of the share counts
 * @pages: pages charged
 * @used: bytes of them that flitcast_account_take() has charged
 */
struct flitcast_account {
	struct flitcast_share *share;
	struct sock *sk;
	bool limited;
	long pages;
	u64 used;
};

static DEFINE_PER_CPU(int, mem_ahead);
static atomic_long_t mem_allocated;
static int mem_least[3];
/* No limit here: the shares are limited. */
static long mem_unlimited[3] = { LONG_MAX, LONG_MAX, LONG_MAX };

static struct proto mem_proto = {
	.name = "FLITCAST-SITE",
	/* No owner: sites do not keep the module, whose exit deletes them. */
	.obj_size = sizeof(struct sock),
	.memory_allocated = &mem_allocated,
	.per_cpu_fw_alloc = &mem_ahead,
	.sysctl_mem = mem_unlimited,
	.sysctl_rmem = mem_least,
	.sysctl_wmem = mem_least,
};

struct mem_cgroup *flitcast_account_memcg(const struct sock *sk)
{
#ifdef CONFIG_MEMCG
	if (mem_cgroup_sockets_enabled)
		return mem_cgroup_from_sk(sk);
#endif
	return NULL;
}

bool flitcast_account_memcg_full(const struct sock *sk, unsigned long all, unsigned long pages)
{
#ifdef CONFIG_MEMCG
	struct mem_cgroup *memcg;

	for (memcg = flitcast_account_memcg(sk); memcg; memcg = parent_mem_cgroup(memcg)) {
		unsigned long max = READ_ONCE(memcg->memory.max);
		unsigned long rest = min_t(unsigned long, max / 8, CGROUP_REST / PAGE_SIZE);

		if (all + pages > max / 4 &&
		    page_counter_read(&memcg->memory) + pages > max - rest)
			return true;
	}
#endif
	return false;
}

struct mem_cgroup *flitcast_account_cgroup(const struct flitcast_account *account)
{
	return flitcast_account_memcg(account->sk);
}

struct flitcast_account *flitcast_account_open(struct net *net)
{
	struct flitcast_account *account = kzalloc(sizeof(*account), GFP_KERNEL_ACCOUNT);

	if (!account)
		return NULL;
	account->limited = net->user_ns != &init_user_ns;
	account->share = flitcast_share_find(net, current_fsuid());
	if (!account->share)
		goto free;
	/* not charged here: the slab cache of the protocol charges */
	account->sk = sk_alloc(net, PF_UNSPEC, GFP_KERNEL, &mem_proto, 1);
	if (!account->sk)
		goto put;
	return account;
put:
	flitcast_share_put(account->share);
free:
	kfree(account);
	return NULL;
}

/* Charge the memory cgroup.  Return: the pages charged: fewer than @pages at its limit. */
static long charge(struct sock *sk, long pages)
{
	long done = 0;

	while (done < pages) {
		int bytes = min_t(long, pages - done, CHUNK) << PAGE_SHIFT;

		if (!__sk_mem_schedule(sk, bytes, SK_MEM_RECV))
			break;
		sk_forward_alloc_add(sk, -bytes);
		done += bytes >> PAGE_SHIFT;
	}
	return done;
}

static void uncharge(struct sock *sk, long pages)
{
	while (pages > 0) {
		int bytes = min_t(long, pages, CHUNK) << PAGE_SHIFT;

		sk_forward_alloc_add(sk, bytes);
		sk_mem_reclaim(sk);
		pages -= bytes >> PAGE_SHIFT;
	}
}

int flitcast_account_reserve(struct flitcast_account *account, long pages)
{
	long done;

	if (!flitcast_share_site_take(account->share, pages, account->limited))
		return -ENOBUFS;
	done = charge(account->sk, pages);
	if (done < pages) {
		uncharge(account->sk, done);
		flitcast_share_site_give(account->share, pages, account->limited);
		return -ENOMEM;
	}
	WRITE_ONCE(account->pages, account->pages + pages);
	return 0;
}

void flitcast_account_unreserve(struct flitcast_account *account, long pages)
{
	WRITE_ONCE(account->pages, account->pages - pages);
	uncharge(account->sk, pages);
	flitcast_share_site_give(account->share, pages, account->limited);
}

long flitcast_account_pages(const struct flitcast_account *account)
{
	return READ_ONCE(account->pages);
}

long flitcast_account_share_pages(const struct flitcast_account *account)
{
	return flitcast_share_pages(account->share) + flitcast_share_site_pages(account->share);
}

long flitcast_account_free(const struct flitcast_account *account)
{
	return account->limited ? flitcast_share_site_free(account->share) : LONG_MAX;
}

/* Update the share for pages that @sk gained or lost. */
static void count(struct flitcast_account *account)
{
	long pages = (account->used + account->sk->sk_forward_alloc) >> PAGE_SHIFT;

	if (pages < account->pages) {
		flitcast_share_site_give(account->share, account->pages - pages,
					 account->limited);
		flitcast_share_held_add(account->share, pages - account->pages);
	}
	WRITE_ONCE(account->pages, pages);
}

/* Charge the memory cgroup for bytes of which @pages are counted in the share. */
static bool take(struct flitcast_account *account, u32 bytes, int more, int pages)
{
	if (more > 0 && !__sk_mem_schedule(account->sk, more, SK_MEM_RECV)) {
		flitcast_share_site_give(account->share, pages, account->limited);
		return false;
	}
	WRITE_ONCE(account->pages, account->pages + pages);
	flitcast_share_held_add(account->share, pages);
	sk_forward_alloc_add(account->sk, -(int)bytes);
	account->used += bytes;
	return true;
}

bool flitcast_account_take(struct flitcast_account *account, u32 bytes)
{
	int more = bytes - account->sk->sk_forward_alloc, pages = more > 0 ? sk_mem_pages(more) : 0;
	struct flitcast_share *share = account->share;

	/* Not all pages of the share: those of windows are seldom used, and would count as large. */
	if (pages && (flitcast_account_memcg_full(account->sk, flitcast_share_held(share), pages) ||
		      !flitcast_share_site_take(share, pages, account->limited)))
		return false;
	return take(account, bytes, more, pages);
}

void flitcast_account_add(struct flitcast_account *account, u32 bytes)
{
	int more = bytes - account->sk->sk_forward_alloc, pages = more > 0 ? sk_mem_pages(more) : 0;

	flitcast_share_site_add(account->share, pages, account->limited);
	if (take(account, bytes, more, pages))
		return;
	/* sk_forward_alloc becomes negative, and the next success makes up for it. */
	sk_forward_alloc_add(account->sk, -(int)bytes);
	account->used += bytes;
}

void flitcast_account_give(struct flitcast_account *account, u32 bytes)
{
	account->used -= bytes;
	sk_forward_alloc_add(account->sk, bytes);
	if (account->sk->sk_forward_alloc < AHEAD)
		return;
	sk_mem_reclaim(account->sk);
	count(account);
}

void flitcast_account_close(struct flitcast_account *account)
{
	if (!account)
		return;
	WARN_ON_ONCE(account->used);
	sk_mem_reclaim(account->sk);
	count(account);
	WARN_ON_ONCE(account->pages);
	sk_free(account->sk);
	flitcast_share_put(account->share);
	kfree(account);
}

int flitcast_account_module_init(void)
{
	return proto_register(&mem_proto, 1);
}

void flitcast_account_module_exit(void)
{
	long rest = atomic_long_read(&mem_allocated);
	int cpu;

	proto_unregister(&mem_proto);
	for_each_possible_cpu(cpu)
		rest += per_cpu(mem_ahead, cpu);
	WARN_ON_ONCE(rest);
}
