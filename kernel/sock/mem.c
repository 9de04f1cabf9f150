// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: memory of sockets.  Each socket takes it from the share of its user (mem/share.c),
 * by pages, and all shares together have a limit.  /proc/net/protocols shows the sum.
 *
 * The kernel's sk_mem functions account receive queues, and also charge them to the memory cgroup
 * of the task that created the socket.  Messages are charged and uncharged under the site's lock,
 * but these functions change sk_forward_alloc of a struct sock, which setsockopt(SO_RESERVE_MEM)
 * changes under the socket's lock.  So each socket has a second struct sock, its account, which
 * only these functions use and no program can reach.  The socket itself has a struct proto that
 * accounts no memory, and SO_RESERVE_MEM is refused with EOPNOTSUPP.
 *
 * A message that finds no memory is not admitted, so its sender keeps it: nothing is lost.
 *
 * Calls of the sending task allocate send queues, and charge its memory cgroup by __GFP_ACCOUNT.
 * This file counts their pages for the share and the family only.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu_counter.h>
#include <linux/sizes.h>
#include <net/sock.h>
#include "compat.h"
#include "mem/account.h"
#include "mem/share.h"
#include "sock/addr.h"
#include "sock/impl.h"
#include "sock/mem.h"

/* A socket may hold this much even if its memory cgroup is at its limit. */
#define LEAST		PAGE_SIZE
/*
 * If receive queues fill the cgroup, a socket that holds nothing may get a message of up to this
 * size, so that a program that reads its sockets in turn makes progress.
 */
#define LEAST_IN_CGROUP	SZ_128K
/*
 * A socket that returns memory keeps less than this for the next message, so that reading a series
 * of short messages does not update the counters shared by all sockets for each.  If its share is
 * nearly used up, it keeps less than a page.
 */
#define AHEAD		(2 * PAGE_SIZE)

static struct percpu_counter mem_sockets;
static DEFINE_PER_CPU(int, mem_ahead);
static int mem_least[3] = { LEAST, LEAST, LEAST };
/* No limit here: the shares are limited. */
static long mem_unlimited[3] = { LONG_MAX, LONG_MAX, LONG_MAX };

/* The protocol of accounts: /proc/net/protocols shows their memory as that of the family. */
static struct proto mem_proto = {
	.name = "FLITCAST",
	.owner = THIS_MODULE,
	.obj_size = sizeof(struct sock),
	.memory_allocated = &flitcast_mem_allocated,
	.per_cpu_fw_alloc = &mem_ahead,
	.sockets_allocated = &mem_sockets,
	.sysctl_mem = mem_unlimited,
	.sysctl_rmem = mem_least,
	.sysctl_wmem = mem_least,
};

struct sock *flitcast_mem_account(struct net *net)
{
	struct sock *account;

	/* not charged here: the slab cache of the protocol charges */
	account = sk_alloc(net, flitcast_sock_family, GFP_KERNEL, &mem_proto, 1);
	if (account)
		sk_sockets_allocated_inc(account);
	return account;
}

void flitcast_mem_account_free(struct sock *account)
{
	sk_sockets_allocated_dec(account);
	sk_free(account);
}

/* Would @pages exceed the limit of the socket's memory cgroup, or of an ancestor? */
static bool cgroup_full(const struct flitcast_sock *fs, unsigned long pages)
{
	return flitcast_account_memcg_full(fs->account, flitcast_share_pages(fs->port.share),
					   pages);
}

struct mem_cgroup *flitcast_mem_cgroup(const struct flitcast_sock *fs)
{
	return flitcast_account_memcg(fs->account);
}

/* Update the share for pages that the account gained or lost. */
static void count(struct flitcast_sock *fs)
{
	const struct sock *account = fs->account;
	long pages = ((long)atomic_read(&account->sk_rmem_alloc) + account->sk_forward_alloc) >>
		     PAGE_SHIFT;
	long more = pages - fs->rx_pages;

	if (more > 0)
		flitcast_share_add(fs->port.share, more);
	else if (more < 0)
		flitcast_share_give(fs->port.share, -more);
	fs->rx_pages = pages;
}

/*
 * Reserve memory for @more bytes, the part of @size that the account lacks.  Under the site's lock,
 * so this must not sleep.
 */
static bool reserve(struct flitcast_sock *fs, u32 more, u32 size)
{
	struct sock *account = fs->account;
	u32 held = atomic_read(&account->sk_rmem_alloc);
	int pages = sk_mem_pages(more);
	bool got;

	if (cgroup_full(fs, pages) && (held || size > LEAST_IN_CGROUP))
		return false;
	if (!flitcast_share_take(fs->port.share, pages, FLITCAST_SHARE_RECEIVE))
		return false;
	fs->rx_pages += pages;
	got = __sk_mem_schedule(account, more, SK_MEM_RECV);
	count(fs);
	return got || held + size <= LEAST;
}

/* Charge @size bytes that the account has reserved.  The socket's own counter is for SO_MEMINFO. */
static void charge(struct flitcast_sock *fs, u32 size)
{
	sk_mem_charge(fs->account, size);
	atomic_add(size, &fs->account->sk_rmem_alloc);
	atomic_add(size, &fs->sk.sk_rmem_alloc);
}

bool flitcast_mem_charge(struct flitcast_sock *fs, u32 size)
{
	int more = size - fs->account->sk_forward_alloc;

	if (more > 0 && !reserve(fs, more, size))
		return false;
	charge(fs, size);
	return true;
}

void flitcast_mem_grow(struct flitcast_sock *fs, u32 size)
{
	int more = size - fs->account->sk_forward_alloc;

	/*
	 * If this fails, sk_forward_alloc becomes negative, and the next success makes up for it.
	 */
	if (more > 0) {
		__sk_mem_schedule(fs->account, more, SK_MEM_RECV);
		count(fs);
	}
	charge(fs, size);
}

static void reclaim(struct flitcast_sock *fs)
{
	sk_mem_reclaim(fs->account);
	count(fs);
}

void flitcast_mem_uncharge(struct flitcast_sock *fs, u32 size)
{
	struct sock *account = fs->account;

	atomic_sub(size, &fs->sk.sk_rmem_alloc);
	atomic_sub(size, &account->sk_rmem_alloc);
	sk_forward_alloc_add(account, size);
	if (account->sk_forward_alloc >= (int)AHEAD ||
	    (account->sk_forward_alloc >= (int)PAGE_SIZE &&
	     !flitcast_share_ample(fs->port.share)))
		reclaim(fs);
}

/*
 * A send queue has a number of bytes in use and a number of pages, which its share counts.  One
 * word holds both, so that they change atomically without a lock.
 */
static u32 tx_bytes(s64 tx_mem)
{
	return lower_32_bits(tx_mem);
}

static u32 tx_pages(s64 tx_mem)
{
	return upper_32_bits(tx_mem);
}

static s64 tx_word(u32 bytes, u32 pages)
{
	return (s64)((u64)pages << 32 | bytes);
}

static long pages_for(u32 bytes)
{
	return DIV_ROUND_UP((long)bytes, PAGE_SIZE);
}

static void tx_give(struct flitcast_sock *fs, u32 pages)
{
	atomic_long_sub(pages, &flitcast_mem_allocated);
	flitcast_share_give(fs->port.share, pages);
}

static bool tx_get(struct flitcast_sock *fs, u32 pages, bool must)
{
	if (must)
		flitcast_share_add(fs->port.share, pages);
	else if (!flitcast_share_take(fs->port.share, pages, FLITCAST_SHARE_SEND))
		return false;
	atomic_long_add(pages, &flitcast_mem_allocated);
	return true;
}

/* Charge @bytes to the send queue; if @must, even beyond the share. */
static bool tx_take(struct flitcast_sock *fs, u32 bytes, bool must)
{
	s64 old = atomic64_read(&fs->tx_mem);
	u32 got = 0, want, have;

	do {
		want = pages_for(tx_bytes(old) + bytes);
		have = tx_pages(old) + got;
		if (want <= have)
			continue;
		if (!tx_get(fs, want - have, must)) {
			if (got)
				tx_give(fs, got);
			return false;
		}
		got += want - have;
	} while (!atomic64_try_cmpxchg(&fs->tx_mem, &old,
				       tx_word(tx_bytes(old) + bytes, tx_pages(old) + got)));
	return true;
}

/* Pages that the socket lacks to send @bytes more. */
static long tx_more(const struct flitcast_sock *fs, u32 bytes)
{
	s64 now = atomic64_read(&fs->tx_mem);

	return pages_for(tx_bytes(now) + bytes) - tx_pages(now);
}

void flitcast_mem_wait(struct flitcast_sock *fs, u32 bytes)
{
	flitcast_share_wait(fs->port.share, &fs->port.waiter, tx_more(fs, bytes));
}

bool flitcast_mem_send(struct flitcast_sock *fs, u32 bytes)
{
	if (tx_take(fs, bytes, false))
		return true;
	/* Either the second attempt succeeds, or the socket is woken when there is space. */
	flitcast_mem_wait(fs, bytes);
	return tx_take(fs, bytes, false);
}

void flitcast_mem_send_always(struct flitcast_sock *fs, u32 bytes)
{
	tx_take(fs, bytes, true);
}

void flitcast_mem_sent(struct flitcast_sock *fs, u32 bytes)
{
	u32 ahead = flitcast_share_ample(fs->port.share) ? AHEAD / PAGE_SIZE : 0;
	s64 old = atomic64_read(&fs->tx_mem);
	u32 left, keep;

	do {
		left = tx_bytes(old) - bytes;
		keep = pages_for(left) + ahead;
		if (keep + ahead > tx_pages(old))
			keep = tx_pages(old);
	} while (!atomic64_try_cmpxchg(&fs->tx_mem, &old, tx_word(left, keep)));
	if (keep < tx_pages(old))
		tx_give(fs, tx_pages(old) - keep);
}

bool flitcast_mem_sendable(const struct flitcast_sock *fs, u32 bytes)
{
	long more = tx_more(fs, bytes);

	/* sendmsg() refuses a message that can never be sent. */
	return more <= 0 || flitcast_share_never(pages_for(bytes)) ||
	       flitcast_share_sendable(fs->port.share, more);
}

bool flitcast_mem_never(u32 bytes)
{
	return flitcast_share_never(pages_for(bytes));
}

void flitcast_mem_end(struct flitcast_sock *fs)
{
	flitcast_mem_uncharge(fs, atomic_read(&fs->account->sk_rmem_alloc));
	reclaim(fs);
	flitcast_share_forget(&fs->port.waiter);
	/* The site accounts for the messages that it goes on sending. */
	tx_give(fs, tx_pages(atomic64_xchg(&fs->tx_mem, 0)));
}

int flitcast_mem_module_init(void)
{
	/* not charged: one for the family */
	int err = percpu_counter_init(&mem_sockets, 0, GFP_KERNEL);

	if (err)
		return err;
	err = proto_register(&mem_proto, 1);
	if (err)
		percpu_counter_destroy(&mem_sockets);
	return err;
}

void flitcast_mem_module_exit(void)
{
	int cpu;

	proto_unregister(&mem_proto);
	/* Add the per-CPU counts; flitcast_share_exit() checks the sum. */
	for_each_possible_cpu(cpu)
		atomic_long_add(per_cpu(mem_ahead, cpu), &flitcast_mem_allocated);
	percpu_counter_destroy(&mem_sockets);
}
