/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel functions that files of kernel/ends with lists and counters need in a program.
 *
 * Lists, hash tables and trees are the kernel's own, from its tools directory.  The Makefile
 * generates a header for each other <linux/...> that these files include, and each such header
 * includes this one.  Types of which only the name or the size matters are empty or opaque here.
 */
#ifndef SELFTESTS_SITE_SHIM_H
#define SELFTESTS_SITE_SHIM_H

#include <asm/types.h>
#include <errno.h>
#include <stdlib.h>
#include "core/base.h"

/* Types. */

typedef u32 __be32;
typedef int16_t s16;
typedef unsigned int gfp_t;

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

typedef struct {
	unsigned int val;
} kuid_t;

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	int refs;
} refcount_t;

typedef struct {
	int locked;
} spinlock_t;

struct rcu_head {
	void *next;
};

struct sk_buff {
	char cb[64];
};

struct sk_buff_head {
	struct sk_buff *next, *prev;
};

struct xarray {
	void *head;
};

struct work_struct {
	void *data;
};

struct tasklet_struct {
	void *data;
};

struct hrtimer {
	void *data;
};

enum hrtimer_restart { HRTIMER_NORESTART };

struct net;
struct netlink_ext_ack;
struct page;
struct ubuf_info;
struct mem_cgroup;
struct crypto_shash;

#define PAGE_SIZE		4096UL
#define NSEC_PER_USEC		1000ULL
#define NSEC_PER_MSEC		1000000ULL
#define NSEC_PER_SEC		1000000000ULL

/* Annotations. */

#define __acquires(x)
#define __releases(x)
#define lockdep_assert_held(lock)	((void)(lock))

/* Headers of the kernel's tools; they need the types above. */

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/rbtree.h>

/* The macros of the tools cast only the first operand of an expression. */
#undef min_t
#undef max_t
#undef clamp_t
#define min_t(type, x, y)		({ type x_ = (x), y_ = (y); x_ < y_ ? x_ : y_; })
#define max_t(type, x, y)		({ type x_ = (x), y_ = (y); x_ > y_ ? x_ : y_; })
#define clamp_t(type, val, lo, hi)	min_t(type, max_t(type, val, lo), hi)
#ifndef min3
#define min3(x, y, z)			min(min(x, y), z)
#endif

static inline unsigned int __kuid_val(kuid_t uid)
{
	return uid.val;
}

static inline bool uid_eq(kuid_t a, kuid_t b)
{
	return a.val == b.val;
}

/*
 * Memory: the test makes allocations fail, and observes what is freed.
 */

#define GFP_KERNEL_ACCOUNT	0
#define GFP_NOWAIT		0
#define __GFP_NOWARN		0
#define __GFP_ACCOUNT		0

/* One allocation in this number fails, at random; 0: none. */
extern unsigned int shim_fails;
/* Number of failed allocations, and number of allocations that are not freed yet. */
extern unsigned long shim_failed, shim_live;
/* Called before memory is freed, unless NULL. */
extern void (*shim_freeing)(const void *p);

void *shim_zalloc(size_t size);
void shim_free(const void *p);

static inline void *kzalloc(size_t size, gfp_t gfp)
{
	return shim_zalloc(size);
}

static inline void kfree(const void *p)
{
	shim_free(p);
}

static inline struct mem_cgroup *set_active_memcg(struct mem_cgroup *memcg)
{
	return memcg;
}

/* The tests set the time of a site, so the site must not read the clock. */
static inline u64 ktime_get_ns(void)
{
	abort();
}

/* Static calls; these files make none. */

#define DECLARE_STATIC_CALL(name, func)	extern typeof(func) *name
#define static_call(name)		(*(name))

/* The headers of links and replay buffers need frames, which this test does not have. */

#define FLITCAST_LINK_H
#define FLITCAST_FABRIC_REPLAY_H
#include "core/wire/names.h"
#include "core/link/turn.h"
#include "core/wire/wire.h"

struct flitcast_link;
struct flitcast_link_ops;

struct flitcast_free_list {
	void *free;
};

struct flitcast_replay {
	void *kept;
};

#endif /* SELFTESTS_SITE_SHIM_H */
