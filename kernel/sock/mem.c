// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: memory of receive queues, counted as the kernel counts that of all sockets: for the
 * family, with a limit and pressure (/proc/net/protocols), and for the memory cgroup of the one
 * who made the socket.
 *
 * Messages are charged and uncharged under the site's lock, which protects what the socket's lock
 * protects in other families (sk_forward_alloc).  What has no room is not admitted, so its sender
 * keeps it: nothing is lost.
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

atomic_long_t flitcast_mem_allocated;
unsigned long flitcast_mem_pressure;
struct percpu_counter flitcast_mem_sockets;
DEFINE_PER_CPU(int, flitcast_mem_ahead);
int flitcast_mem_least[3] = { LEAST, LEAST, LEAST };

long flitcast_mem_limits[3];
module_param_array_named(mem, flitcast_mem_limits, long, NULL, 0644);
MODULE_PARM_DESC(mem, "Pages of all receive queues: no pressure below, pressure above, most (default: by the memory there is)");

void flitcast_mem_enter_pressure(struct sock *sk)
{
	WRITE_ONCE(flitcast_mem_pressure, 1);
}

/*
 * Would so many pages be beyond the limit of the socket's memory cgroup, or of one above it?  In
 * a softirq the kernel charges them all the same, for what others send could not wait; here it can.
 * As long as all receive queues together are small beside the limit, what the cgroup is full of is
 * something else, such as copies of files that give way when they must.
 */
static bool cgroup_full(const struct sock *sk, unsigned long pages)
{
#ifdef CONFIG_MEMCG
	unsigned long all = max(atomic_long_read(&flitcast_mem_allocated), 0L);
	struct mem_cgroup *memcg;

	if (!mem_cgroup_sockets_enabled)
		return false;
	for (memcg = mem_cgroup_from_sk(sk); memcg; memcg = parent_mem_cgroup(memcg)) {
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
		return mem_cgroup_from_sk(&fs->sk);
#endif
	return NULL;
}

/* Memory for @more bytes of @size that are not there yet.  Under the site's lock, and so atomic. */
static bool reserve(struct sock *sk, u32 more, u32 size)
{
	u32 held = atomic_read(&sk->sk_rmem_alloc);

	if (cgroup_full(sk, sk_mem_pages(more)) && (held || size > LEAST_IN_CGROUP))
		return false;
	return __sk_mem_schedule(sk, more, SK_MEM_RECV) || held + size <= LEAST;
}

bool flitcast_mem_charge(struct flitcast_sock *fs, u32 size)
{
	struct sock *sk = &fs->sk;
	int more = size - sk->sk_forward_alloc;

	if (more > 0 && !reserve(sk, more, size))
		return false;
	sk_mem_charge(sk, size);
	atomic_add(size, &sk->sk_rmem_alloc);
	return true;
}

void flitcast_mem_grow(struct flitcast_sock *fs, u32 size)
{
	struct sock *sk = &fs->sk;
	int more = size - sk->sk_forward_alloc;

	/* What cannot be had is owed, and taken with the next that is. */
	if (more > 0)
		__sk_mem_schedule(sk, more, SK_MEM_RECV);
	sk_mem_charge(sk, size);
	atomic_add(size, &sk->sk_rmem_alloc);
}

void flitcast_mem_uncharge(struct flitcast_sock *fs, u32 size)
{
	struct sock *sk = &fs->sk;

	atomic_sub(size, &sk->sk_rmem_alloc);
	sk_forward_alloc_add(sk, size);
	if (sk->sk_forward_alloc >= (int)AHEAD || sk_under_memory_pressure(sk))
		sk_mem_reclaim(sk);
}

void flitcast_mem_end(struct flitcast_sock *fs)
{
	flitcast_mem_uncharge(fs, atomic_read(&fs->sk.sk_rmem_alloc));
	/* What SO_RESERVE_MEM set aside, too. */
	sk_mem_reclaim_final(&fs->sk);
}

int flitcast_mem_module_init(void)
{
	/* As SCTP and UDP have it: an eighth of the memory is pressure. */
	unsigned long limit = max(nr_free_buffer_pages() / 8, 128UL);

	if (!flitcast_mem_limits[2]) {
		flitcast_mem_limits[0] = limit / 4 * 3;
		flitcast_mem_limits[1] = limit;
		flitcast_mem_limits[2] = flitcast_mem_limits[0] * 2;
	}
	/* not charged: one for the family */
	return percpu_counter_init(&flitcast_mem_sockets, 0, GFP_KERNEL);
}

void flitcast_mem_module_exit(void)
{
	long pages = atomic_long_read(&flitcast_mem_allocated);
	int cpu;

	/* Each processor has counted some for itself. */
	for_each_possible_cpu(cpu)
		pages += per_cpu(flitcast_mem_ahead, cpu);
	WARN_ON_ONCE(pages);
	percpu_counter_destroy(&flitcast_mem_sockets);
}
