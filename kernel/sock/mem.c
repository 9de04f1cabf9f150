// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: memory of receive queues, counted as the kernel counts that of all sockets: for the
 * family, with a limit and pressure (/proc/net/protocols), and for the memory cgroup of the one
 * who made the socket.
 *
 * Messages are charged and uncharged under the site's lock, but the kernel's functions for that
 * change sk_forward_alloc of a struct sock, which setsockopt(SO_RESERVE_MEM) changes under the
 * socket's lock.  So each socket has a second struct sock, its account, which is all that these
 * functions see and which no program can reach.  The socket itself has a struct proto that
 * accounts no memory, and SO_RESERVE_MEM is refused with EOPNOTSUPP.
 *
 * A message that has no room is not admitted, so its sender keeps it: nothing is lost.
 */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/page_counter.h>
#include <linux/percpu_counter.h>
#include <linux/sizes.h>
#include <net/sock.h>
#include "compat.h"
#include "sock/impl.h"

/* A socket that holds no more than this may have it, whatever the limits. */
#define LEAST		PAGE_SIZE
/*
 * And where only its cgroup is full, one that holds nothing may have a message so large: whoever
 * reads one socket after the other goes on, whatever the others hold.
 */
#define LEAST_IN_CGROUP	SZ_128K
/*
 * Of the limit of a cgroup this much, or an eighth if that is less, is not for receive queues: what
 * others send must not kill a program that wants a page for itself.
 */
#define CGROUP_REST	SZ_4M

/*
 * A socket that gives memory back keeps less than this for the next message, so that those who read
 * one short message after the other do not have the counters of all sockets go up and down for
 * each.  Under pressure it keeps less than a page, which is the least that is counted.
 */
#define AHEAD		(2 * PAGE_SIZE)

static atomic_long_t mem_allocated;
static unsigned long mem_pressure;
static struct percpu_counter mem_sockets;
static DEFINE_PER_CPU(int, mem_ahead);
static int mem_least[3] = { LEAST, LEAST, LEAST };

static long mem_limits[3];
module_param_array_named(mem, mem_limits, long, NULL, 0644);
MODULE_PARM_DESC(mem, "Pages of all receive queues: no pressure below, pressure above, most (default: by the memory there is)");

static void mem_enter_pressure(struct sock *sk)
{
	WRITE_ONCE(mem_pressure, 1);
}

/* The protocol of accounts: /proc/net/protocols shows their memory as that of the family. */
static struct proto mem_proto = {
	.name = "FLITCAST",
	.owner = THIS_MODULE,
	.obj_size = sizeof(struct sock),
	.memory_allocated = &mem_allocated,
	.per_cpu_fw_alloc = &mem_ahead,
	.memory_pressure = &mem_pressure,
	.enter_memory_pressure = mem_enter_pressure,
	.sockets_allocated = &mem_sockets,
	.sysctl_mem = mem_limits,
	.sysctl_rmem = mem_least,
	.sysctl_wmem = mem_least,
};

struct sock *flitcast_mem_account(struct net *net)
{
	struct sock *account;

	/* not charged here: the cache of the protocol charges */
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

/*
 * Would so many pages be beyond the limit of the socket's memory cgroup, or of one above it?  In
 * a softirq the kernel charges them all the same, for what others send could not wait; here it can.
 * As long as all receive queues together are small beside the limit, what the cgroup is full of is
 * something else, such as copies of files that give way when they must.
 */
static bool cgroup_full(const struct sock *account, unsigned long pages)
{
#ifdef CONFIG_MEMCG
	unsigned long all = max(atomic_long_read(&mem_allocated), 0L);
	struct mem_cgroup *memcg;

	if (!mem_cgroup_sockets_enabled)
		return false;
	for (memcg = mem_cgroup_from_sk(account); memcg; memcg = parent_mem_cgroup(memcg)) {
		unsigned long max = READ_ONCE(memcg->memory.max);
		unsigned long rest = min_t(unsigned long, max / 8, CGROUP_REST / PAGE_SIZE);

		if (all + pages > max / 4 &&
		    page_counter_read(&memcg->memory) + pages > max - rest)
			return true;
	}
#endif
	return false;
}

struct mem_cgroup *flitcast_mem_cgroup(const struct flitcast_sock *fs)
{
#ifdef CONFIG_MEMCG
	if (mem_cgroup_sockets_enabled)
		return mem_cgroup_from_sk(fs->account);
#endif
	return NULL;
}

/* Memory for @more bytes of @size that are not there yet.  Under the site's lock, and so atomic. */
static bool reserve(struct sock *account, u32 more, u32 size)
{
	u32 held = atomic_read(&account->sk_rmem_alloc);

	if (cgroup_full(account, sk_mem_pages(more)) && (held || size > LEAST_IN_CGROUP))
		return false;
	return __sk_mem_schedule(account, more, SK_MEM_RECV) || held + size <= LEAST;
}

/* Use @size bytes of what the account has ahead.  The socket's own counter is for SO_MEMINFO. */
static void charge(struct flitcast_sock *fs, u32 size)
{
	sk_mem_charge(fs->account, size);
	atomic_add(size, &fs->account->sk_rmem_alloc);
	atomic_add(size, &fs->sk.sk_rmem_alloc);
}

bool flitcast_mem_charge(struct flitcast_sock *fs, u32 size)
{
	int more = size - fs->account->sk_forward_alloc;

	if (more > 0 && !reserve(fs->account, more, size))
		return false;
	charge(fs, size);
	return true;
}

void flitcast_mem_grow(struct flitcast_sock *fs, u32 size)
{
	int more = size - fs->account->sk_forward_alloc;

	/* Memory that cannot be had is owed, and taken with the next that can. */
	if (more > 0)
		__sk_mem_schedule(fs->account, more, SK_MEM_RECV);
	charge(fs, size);
}

void flitcast_mem_uncharge(struct flitcast_sock *fs, u32 size)
{
	struct sock *account = fs->account;

	atomic_sub(size, &fs->sk.sk_rmem_alloc);
	atomic_sub(size, &account->sk_rmem_alloc);
	sk_forward_alloc_add(account, size);
	if (account->sk_forward_alloc >= (int)AHEAD || sk_under_memory_pressure(account))
		sk_mem_reclaim(account);
}

void flitcast_mem_end(struct flitcast_sock *fs)
{
	flitcast_mem_uncharge(fs, atomic_read(&fs->account->sk_rmem_alloc));
	sk_mem_reclaim(fs->account);
}

int flitcast_mem_module_init(void)
{
	/* As SCTP and UDP have it: an eighth of the memory is pressure. */
	unsigned long limit = max(nr_free_buffer_pages() / 8, 128UL);
	int err;

	if (!mem_limits[2]) {
		mem_limits[0] = limit / 4 * 3;
		mem_limits[1] = limit;
		mem_limits[2] = mem_limits[0] * 2;
	}
	/* not charged: one for the family */
	err = percpu_counter_init(&mem_sockets, 0, GFP_KERNEL);
	if (err)
		return err;
	err = proto_register(&mem_proto, 1);
	if (err)
		percpu_counter_destroy(&mem_sockets);
	return err;
}

void flitcast_mem_module_exit(void)
{
	long pages = atomic_long_read(&mem_allocated);
	int cpu;

	proto_unregister(&mem_proto);
	/* Each processor has counted some for itself. */
	for_each_possible_cpu(cpu)
		pages += per_cpu(mem_ahead, cpu);
	WARN_ON_ONCE(pages);
	percpu_counter_destroy(&mem_sockets);
}
