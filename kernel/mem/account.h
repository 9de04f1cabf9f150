/* SPDX-License-Identifier: GPL-2.0 */
/* Accounts: the memory of a site, which its maker pays for (account.c). */
#ifndef FLITCAST_MEM_ACCOUNT_H
#define FLITCAST_MEM_ACCOUNT_H

#include <linux/types.h>

struct flitcast_account;
struct flitcast_share;
struct mem_cgroup;
struct net;
struct sock;

/**
 * flitcast_account_open() - make an account
 * @net: namespace of the site, which outlives the account
 *
 * The calling task's user and memory cgroup pay.  The user's share (share.h) limits what the
 * account may hold, unless the namespace is of the initial user namespace: there only the
 * administrator of the host adds sites.
 *
 * Context: process.
 *
 * Return: the account, or NULL: no memory.
 */
struct flitcast_account *flitcast_account_open(struct net *net);
/* Free an account that has no charges left.  @account: may be NULL. */
void flitcast_account_close(struct flitcast_account *account);

/**
 * flitcast_account_reserve() - charge pages that may be used later
 * @account: account
 * @pages: number of pages
 *
 * Context: process, may sleep; the caller's lock keeps other calls for the account out.
 *
 * Return: 0; -ENOBUFS: the user's share does not allow it; -ENOMEM: the memory cgroup does not.
 */
int flitcast_account_reserve(struct flitcast_account *account, long pages);
/* Release pages that flitcast_account_reserve() charged.  Context: as there. */
void flitcast_account_unreserve(struct flitcast_account *account, long pages);
/* Return: the pages that the account holds. */
long flitcast_account_pages(const struct flitcast_account *account);
/* Return: the pages that all sites and sockets of the account's user hold. */
long flitcast_account_share_pages(const struct flitcast_account *account);
/* Return: the most pages for which the share would allow flitcast_account_reserve() now. */
long flitcast_account_free(const struct flitcast_account *account);

/**
 * flitcast_account_take() - charge bytes that are used at once
 * @account: account for which flitcast_account_reserve() is never called
 * @bytes: number of bytes
 *
 * Context: BH disabled; the caller's lock keeps other calls for the account out.
 *
 * Return: false if the user's share or the memory cgroup does not allow it.
 */
bool flitcast_account_take(struct flitcast_account *account, u32 bytes);
/* As flitcast_account_take(), even beyond the limits. */
void flitcast_account_add(struct flitcast_account *account, u32 bytes);
/* Release bytes that these functions charged.  Context: as there. */
void flitcast_account_give(struct flitcast_account *account, u32 bytes);

/* Return: the memory cgroup that pays, for set_active_memcg(); NULL: none. */
struct mem_cgroup *flitcast_account_cgroup(const struct flitcast_account *account);

/* Return: the memory cgroup that an account of the sk_mem functions charges; NULL: none. */
struct mem_cgroup *flitcast_account_memcg(const struct sock *sk);
/**
 * flitcast_account_memcg_full() - would a charge exceed the limit of a memory cgroup?
 * @sk: account of the sk_mem functions
 * @all: pages that its user holds
 * @pages: pages to charge
 *
 * In a softirq the kernel charges pages beyond the limit, because received packets cannot wait;
 * Flitcast messages can.  While @all is small compared with the limit, other memory fills the
 * cgroup, such as reclaimable page cache: then the answer is no.
 */
bool flitcast_account_memcg_full(const struct sock *sk, unsigned long all, unsigned long pages);

int flitcast_account_module_init(void);
void flitcast_account_module_exit(void);

#endif /* FLITCAST_MEM_ACCOUNT_H */
