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
 * down; to each that asks for it; to a site that was unreachable; and to all others again if routes
 * change soon afterwards, because a site that died may have had the report in its buffers.
 */
#ifndef FLITCAST_ETHER_REPORT_H
#define FLITCAST_ETHER_REPORT_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct flitcast_ether;
struct sk_buff;

/**
 * struct flitcast_reports - reports that a device has yet to send
 * @work: sends them
 * @lock: protects the rest
 * @due: set of the sites that shall get one
 * @missed: set of the sites that were unreachable when the last one was sent; the site's lock
 * @sent: when the last one was sent, in jiffies; the site's lock
 * @asks: the next one asks for the reports of the others
 * @open: the device is up
 * @soon: @work runs at @at, in jiffies, because a report is due; else it runs to refresh
 */
struct flitcast_reports {
	struct delayed_work work;
	spinlock_t lock; /* innermost */
	unsigned long *due;
	unsigned long *missed;
	unsigned long sent;
	bool asks;
	bool open;
	bool soon;
	unsigned long at;
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
