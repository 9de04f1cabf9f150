/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Multicast addresses to which the devices of other sites listen, as their reports (report.c) say:
 * a frame to a group goes to the sites that want it.  A site whose report has not come wants all.
 */
#ifndef FLITCAST_ETHER_MEMBERS_H
#define FLITCAST_ETHER_MEMBERS_H

#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* Addresses of one report; a device that listens to more asks for all frames. */
#define FLITCAST_REPORT_MAX	256
/* Groups that a device knows; a site that reports one more gets all frames. */
#define FLITCAST_GROUPS_MAX	1024
#define FLITCAST_GROUP_LISTS	256

/**
 * enum flitcast_wants - frames that a device wants, beside those to the addresses of its report
 * @FLITCAST_WANTS_MULTICAST: all multicast frames
 * @FLITCAST_WANTS_ALL: these, and frames to addresses that the sender does not know
 * @FLITCAST_WANTS_REPORTS: the reports of the others
 */
enum flitcast_wants {
	FLITCAST_WANTS_MULTICAST = 0x01,
	FLITCAST_WANTS_ALL = 0x02,
	FLITCAST_WANTS_REPORTS = 0x04,
};

/**
 * struct flitcast_member - the last report of a site
 * @known: one came
 * @lost: it was dropped
 * @incarnation: of the site
 * @number: of the datagram that it was
 * @at: when it came, in jiffies
 */
struct flitcast_member {
	bool known;
	bool lost;
	u32 incarnation;
	u32 number;
	unsigned long at;
};

struct flitcast_group;

/**
 * struct flitcast_members - what the devices of other sites listen to
 * @lock: protects all
 * @nsites: number of sites
 * @own: this site, which is in none of the sets
 * @member: by site
 * @multicast: set of the sites that want all multicast frames
 * @unknown: set of the sites that want frames to unknown addresses
 * @seed: of the hash, so that no peer can choose groups of one list
 * @memory: FLITCAST_GROUPS_MAX groups
 * @free: those of them that are not used
 * @group: groups, by hash of their address
 */
struct flitcast_members {
	spinlock_t lock; /* innermost */
	u32 nsites;
	u32 own;
	struct flitcast_member *member;
	unsigned long *multicast;
	unsigned long *unknown;
	u32 seed;
	void *memory;
	struct hlist_head free;
	struct hlist_head group[FLITCAST_GROUP_LISTS];
};

/* Return: 0 or -ENOMEM. */
int flitcast_members_init(struct flitcast_members *m, u32 nsites, u32 own);
void flitcast_members_free(struct flitcast_members *m);

/* A site has started anew: until a report with this incarnation comes, it wants all frames. */
void flitcast_members_restart(struct flitcast_members *m, u32 site, u32 incarnation);
/* The device was down: all sites want all frames until their reports come. */
void flitcast_members_forget(struct flitcast_members *m);

/**
 * flitcast_members_set() - a report came
 * @m: members
 * @site: site that it is from
 * @report: incarnation of the site and number of the datagram; the rest is not used
 * @wants: set of enum flitcast_wants
 * @address: addresses, each ETH_ALEN bytes, of which those that are not multicast are ignored
 * @n: number of addresses, at most FLITCAST_REPORT_MAX
 *
 * Reports may arrive in another order than they were sent: an older one is ignored for ten seconds
 * after the last one.  Later it counts, so that a forged number does not hide those that follow.
 */
void flitcast_members_set(struct flitcast_members *m, u32 site,
			  const struct flitcast_member *report, u8 wants, const u8 *address,
			  unsigned int n);

/*
 * A report came, and was dropped: the site wants all frames until the next one.
 * Return: false: it is outdated.
 */
bool flitcast_members_lost(struct flitcast_members *m, u32 site,
			   const struct flitcast_member *report);

/* The set of the sites whose last report is not there, since they or the device have started. */
void flitcast_members_missing(struct flitcast_members *m, unsigned long *sites);

/**
 * flitcast_members_list() - the sites that want a frame which is not to one site
 * @m: members
 * @dest: its destination address
 * @list: memory for @m->nsites numbers of sites
 *
 * Return: number of sites.
 */
unsigned int flitcast_members_list(struct flitcast_members *m, const u8 *dest, u16 *list);

#endif /* FLITCAST_ETHER_MEMBERS_H */
