/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports of the multicast addresses to which a device listens, between the devices of the sites:
 * datagrams to port FLITCAST_DGRAM_REPORT.
 *
 *	0	u8	set of enum flitcast_wants
 *	1	u8	0
 *	2	be16	number of addresses
 *	4		addresses, ETH_ALEN bytes each
 *
 * A device sends its report to all others when its addresses change, and when it comes up or goes
 * down, and repeats it once, because it may be lost; to each that asks for it; to a site that was
 * unreachable; and to all others if routes change soon after a change of its own: a site that died
 * may have had the report in its buffers.  To a site from which no report has come, its report is
 * also the question for one, which it repeats.
 */
#ifndef FLITCAST_ETHER_REPORT_H
#define FLITCAST_ETHER_REPORT_H

#include <linux/if_ether.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct flitcast_ether;
struct sk_buff;

/* Bytes of a report: before its addresses, and with as many as it can have. */
#define FLITCAST_REPORT_HEAD	4
#define FLITCAST_REPORT_SIZE	(FLITCAST_REPORT_HEAD + FLITCAST_REPORT_MAX * ETH_ALEN)

/**
 * struct flitcast_reports - reports that a device has yet to send
 * @work: sends one, at @at if @soon
 * @lock: protects all but @missed, @to and @ask
 * @due: set of the sites that shall get one
 * @missed: set of the sites that were unreachable when the last one was sent; changed by @work
 *	under the site's lock
 * @to: set of the sites that get the one that is being sent; @work
 * @ask: set of the sites that are asked for theirs; @work
 * @sent: when the last one was sent, in jiffies
 * @changed: when the addresses changed, in jiffies
 * @at: when @work runs, in jiffies, if @soon
 * @tries: times that sites were asked again
 * @open: the device is up
 * @soon: a report is due; otherwise @work runs to refresh
 * @repeat: the next one is repeated
 */
struct flitcast_reports {
	struct delayed_work work;
	spinlock_t lock; /* innermost */
	unsigned long *due;
	unsigned long *missed;
	unsigned long *to;
	unsigned long *ask;
	unsigned long sent;
	unsigned long changed;
	unsigned long at;
	unsigned int tries;
	bool open;
	bool soon;
	bool repeat;
};

/* Return: 0 or -ENOMEM. */
int flitcast_report_init(struct flitcast_ether *ether);
void flitcast_report_free(struct flitcast_ether *ether);

/* The device is up: report to all others, and ask for their reports. */
void flitcast_report_open(struct flitcast_ether *ether);
/* The device goes down: report that, and nothing more.  Context: process; no lock held. */
void flitcast_report_stop(struct flitcast_ether *ether);
/* The addresses have changed. */
void flitcast_report_changed(struct flitcast_ether *ether);
/* No report of a site is there: ask for it, unless it comes soon. */
void flitcast_report_missing(struct flitcast_ether *ether, u32 site);
/* Routes have changed.  Context: the site's lock. */
void flitcast_report_rerouted(struct flitcast_ether *ether);

/**
 * flitcast_report_receive() - a report came
 * @ether: device
 * @skb: its data; takes ownership
 * @site: site that it is from
 * @incarnation: of that site
 * @number: of the datagram
 */
void flitcast_report_receive(struct flitcast_ether *ether, struct sk_buff *skb, u32 site,
			     u32 incarnation, u32 number);

#endif /* FLITCAST_ETHER_REPORT_H */
