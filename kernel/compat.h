/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interfaces of the newest kernel that the code uses and older kernels lack; a line for each states
 * the difference.
 */
#ifndef FLITCAST_COMPAT_H
#define FLITCAST_COMPAT_H

#include <linux/version.h>
#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/netlink.h>
#include <linux/socket.h>
#include <net/net_namespace.h>
#include <net/sock.h>

/*
 * NL_SET_ERR_MSG_FMT_MOD() came in 6.2, for texts of 80 characters at most with the module's name.
 * Before it, the message is @plain.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define FLITCAST_ERR_MSG_FMT(extack, plain, fmt, ...)	NL_SET_ERR_MSG_MOD(extack, plain)
#else
#define FLITCAST_ERR_MSG_FMT(extack, plain, fmt, ...)				\
	NL_SET_ERR_MSG_FMT_MOD(extack, fmt, ##__VA_ARGS__)
#endif

/*
 * local_lock_nested_bh() came in 6.11.  Before it, disabled BH keep other tasks from the CPU, on
 * PREEMPT_RT, too.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define local_lock_nested_bh(lock)	do { } while (0)
#define local_unlock_nested_bh(lock)	do { } while (0)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
/* hrtimer_setup() came in 6.13. */
static inline void flitcast_hrtimer_setup(struct hrtimer *timer,
					  enum hrtimer_restart (*fn)(struct hrtimer *),
					  clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}

#define hrtimer_setup flitcast_hrtimer_setup
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
/* Since 6.10 sk_under_memory_pressure() is declared in <net/proto_memory.h>. */
#include <net/proto_memory.h>
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
/* Since 6.10 skb_frag_ref() has a header of its own. */
#include <linux/skbuff_ref.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
/* struct sockaddr_unsized came in 6.19. */
#define sockaddr_unsized sockaddr
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#include <linux/net.h>

/* Since 6.10 proto_ops.accept() takes a struct proto_accept_arg. */
struct proto_accept_arg {
	int flags;
	int err;
	int is_empty;
	bool kern;
};

#define FLITCAST_ACCEPT(fn)							\
static int fn##_by_flags(struct socket *sock, struct socket *newsock,		\
			 int flags, bool kern)					\
{										\
	struct proto_accept_arg arg = { .flags = flags, .kern = kern };		\
										\
	return fn(sock, newsock, &arg);						\
}

#define FLITCAST_ACCEPT_OP(fn) fn##_by_flags
#else
#define FLITCAST_ACCEPT(fn)
#define FLITCAST_ACCEPT_OP(fn) fn
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
/* genl_info_dump() came in 6.6; callers only use attrs of its result. */
#define genl_info_dump(cb) genl_dumpit_info(cb)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
/* register_net_sysctl_sz() came in 6.6; before, an empty entry ends the table. */
#define register_net_sysctl_sz(net, path, table, size) \
	register_net_sysctl(net, path, table)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
/* crc32c() has had no header of its own since 6.16, and is in crc32.h since 6.14. */
#include <linux/crc32c.h>
#else
#include <linux/crc32.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
/* Before 6.12 a feature flag marked devices that transmit without a lock. */
#define flitcast_dev_lockless(dev) (!!((dev)->features & NETIF_F_LLTX))
#define flitcast_dev_set_lockless(dev) ((dev)->features |= NETIF_F_LLTX)
#else
#define flitcast_dev_lockless(dev) ((dev)->lltx)
#define flitcast_dev_set_lockless(dev) ((dev)->lltx = true)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
struct netlink_ext_ack;
struct nlattr;

/* Since 6.15 rtnl_link_ops.newlink() takes a struct rtnl_newlink_params. */
struct rtnl_newlink_params {
	struct net *src_net;
	struct nlattr **data;
};

#define rtnl_newlink_link_net(params) ((params)->src_net)

#define FLITCAST_NEWLINK(fn)							\
static int fn##_by_args(struct net *src_net, struct net_device *dev,		\
			struct nlattr *tb[], struct nlattr *data[],		\
			struct netlink_ext_ack *extack)				\
{										\
	struct rtnl_newlink_params params = { .src_net = src_net, .data = data };	\
										\
	return fn(dev, &params, extack);					\
}

#define FLITCAST_NEWLINK_OP(fn) fn##_by_args
#else
#define FLITCAST_NEWLINK(fn)
#define FLITCAST_NEWLINK_OP(fn) fn
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
/* The fourth parameter (device memory) came in 6.16. */
#define flitcast_zerocopy_alloc(sk, size) msg_zerocopy_realloc(sk, size, NULL)
#else
#define flitcast_zerocopy_alloc(sk, size) msg_zerocopy_realloc(sk, size, NULL, false)
#endif

/*
 * MSG_MORE of splice() and sendfile(): until 6.5 they set MSG_SENDPAGE_NOTLAST instead; since then
 * they pass pages with MSG_SPLICE_PAGES, which a protocol may copy.
 */
#ifdef MSG_SENDPAGE_NOTLAST
#define FLITCAST_MSG_MORE (MSG_MORE | MSG_SENDPAGE_NOTLAST)
#else
#define FLITCAST_MSG_MORE MSG_MORE
#endif

#ifdef MSG_SPLICE_PAGES
#define FLITCAST_MSG_PAGES MSG_SPLICE_PAGES
#else
#define FLITCAST_MSG_PAGES 0
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
/* proto_ops.splice_eof() came in 6.5: before, the protocol is not notified of end of file. */
#define FLITCAST_SPLICE_EOF(fn)
#else
#define FLITCAST_SPLICE_EOF(fn) .splice_eof = fn,
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0) && defined(CONFIG_MEMCG)
/* mem_cgroup_from_sk() came in 6.18: since then sk_memcg also holds flags. */
static inline struct mem_cgroup *mem_cgroup_from_sk(const struct sock *sk)
{
	return sk->sk_memcg;
}
#endif

/* Does a device have an egress filter or hook?  Kernels keep them in different members. */
static inline bool flitcast_dev_egress(const struct net_device *dev)
{
#ifdef CONFIG_NETFILTER_EGRESS
	if (rcu_access_pointer(dev->nf_hooks_egress))
		return true;
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#ifdef CONFIG_NET_CLS_ACT
	if (rcu_access_pointer(dev->miniq_egress))
		return true;
#endif
#elif defined(CONFIG_NET_XGRESS)
	if (rcu_access_pointer(dev->tcx_egress))
		return true;
#endif
	return false;
}

#include <linux/shrinker.h>
#include <linux/slab.h>

/* Since 6.7 the kernel allocates and names shrinkers.  Return: NULL: no memory. */
static inline struct shrinker *
flitcast_shrinker_make(const char *name,
		       unsigned long (*count)(struct shrinker *, struct shrink_control *),
		       unsigned long (*scan)(struct shrinker *, struct shrink_control *))
{
	struct shrinker *shrinker;

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
	shrinker = kzalloc(sizeof(*shrinker), GFP_KERNEL_ACCOUNT);
#else
	shrinker = shrinker_alloc(0, "%s", name);
#endif
	if (!shrinker)
		return NULL;
	shrinker->count_objects = count;
	shrinker->scan_objects = scan;
	shrinker->seeks = DEFAULT_SEEKS;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
	if (register_shrinker(shrinker, "%s", name)) {
		kfree(shrinker);
		return NULL;
	}
#else
	shrinker_register(shrinker);
#endif
	return shrinker;
}

static inline void flitcast_shrinker_free(struct shrinker *shrinker)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
	unregister_shrinker(shrinker);
	kfree(shrinker);
#else
	shrinker_free(shrinker);
#endif
}

#endif /* FLITCAST_COMPAT_H */
