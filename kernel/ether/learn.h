/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hardware addresses: of the sites' network devices, and behind those of other sites.  A device
 * learns the latter as a bridge does: a frame from an address shows at which site it is.
 */
#ifndef FLITCAST_ETHER_LEARN_H
#define FLITCAST_ETHER_LEARN_H

#include <linux/if_ether.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* Addresses that a device knows at most; a new one replaces the oldest of FLITCAST_LEARN_SET. */
#define FLITCAST_LEARN_MAX	1024
#define FLITCAST_LEARN_SET	4

/**
 * struct flitcast_learned - a hardware address that is not of a site's device
 * @address: address; all zero: the entry is free
 * @site: site whose frames come from it
 * @seen: when the last one came, in jiffies
 */
struct flitcast_learned {
	u8 address[ETH_ALEN];
	u32 site;
	unsigned long seen;
};

/**
 * struct flitcast_learn - addresses that a device knows
 * @lock: protects @entry
 * @seed: of the hash, so that no peer can choose addresses that displace others
 * @entry: FLITCAST_LEARN_MAX entries
 */
struct flitcast_learn {
	spinlock_t lock; /* innermost */
	u32 seed;
	struct flitcast_learned *entry;
};

/* The hardware address of the device of a site: 02:fc, then the number of the site. */
void flitcast_ether_address(u8 address[ETH_ALEN], u32 site);
/*
 * Return: the site whose device has an address, FC_SITE_NONE: none of those of a network of @nsites
 * sites.
 */
u32 flitcast_ether_site_of(const u8 *address, u32 nsites);

/* Return: 0 or -ENOMEM. */
int flitcast_learn_init(struct flitcast_learn *l);
void flitcast_learn_free(struct flitcast_learn *l);
/* A frame from an address, which is valid and of no site's device, came from a site. */
void flitcast_learn_add(struct flitcast_learn *l, const u8 *address, u32 site);
/* The address is at this site now. */
void flitcast_learn_forget(struct flitcast_learn *l, const u8 *address);
/* Return: the site of an address, FC_SITE_NONE: unknown, or not seen for five minutes. */
u32 flitcast_learn_site(struct flitcast_learn *l, const u8 *address);

#endif /* FLITCAST_ETHER_LEARN_H */
