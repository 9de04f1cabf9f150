/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sources: the sending sides of the ports of a site.
 */
#ifndef FLITCAST_ENDS_SOURCE_H
#define FLITCAST_ENDS_SOURCE_H

#include <linux/xarray.h>
#include "core/ends/txlist.h"
#include "ends/queue.h"

struct flitcast_site;
struct flitcast_msg;
struct flitcast_share;
struct tx_flow;

/* Size of the cache of flows found last: enough for a short target list. */
#define TX_FLOWS_LAST	8

/**
 * struct flitcast_source - the sending side of a port; outlives the port until its messages are
 *	completed
 * @number: number of the source, unique in an incarnation of the site; with FC_SOCK_BCAST for
 *	broadcasts
 * @port: NULL once closed
 * @src_port: number of the port
 * @flows: by target; see flow_index()
 * @flow_last: cache of flows found last, by target site modulo TX_FLOWS_LAST; NULL: none
 * @first_port: target port of the first flow; see flow_index()
 * @hand: index at which the next eviction starts
 * @nflows: number of flows
 * @nforward: number of flows for which FC_CTRL_FORWARD is to be sent
 * @patience: how long targets of all its messages may still wait for others (txlist.h)
 * @era: flows with @detached equal to this are excluded from new messages; incremented to re-admit
 *	all
 * @next: first sequence number of a new flow: above all that evicted flows used
 * @next_id: id of the next message
 * @next_bcast: of a source of broadcasts, next sequence number in all its flows
 * @msgs: messages that are not completed
 * @nmsgs: number of @msgs
 * @charge: bytes of send buffer that they use
 * @share: memory share charged for them once the port is closed, with a reference; NULL: none
 * @pages: pages charged to @share
 * @owner: the user
 * @queue: queues of low-class messages (or broadcasts), of high-class messages, and of short
 *	low-class messages
 * @timeout: how long a target may be unresponsive, ns
 * @until: once closed, when pending messages are aborted
 * @closing: entry in flitcast_sources.closing, while closed with pending messages
 * @gone: entry in flitcast_sources.gone, once all messages are completed
 */
struct flitcast_source {
	u32 number;
	struct flitcast_port *port;
	u16 src_port;
	struct xarray flows;
	struct tx_flow *flow_last[TX_FLOWS_LAST];
	unsigned long hand;
	u16 first_port;
	unsigned int nflows;
	unsigned int nforward;
	struct fc_patience patience;
	u32 era;
	u32 next;
	u32 next_id;
	u32 next_bcast;
	struct list_head msgs;
	u32 nmsgs;
	u64 charge;
	struct flitcast_share *share;
	u32 pages;
	struct flitcast_owner *owner;
	struct flitcast_queue queue[3];
	u64 timeout;
	u64 until;
	struct rb_node closing;
	struct list_head gone;
};

/* Look up a source by the number in a packet or ack; NULL: it does not exist any more. */
struct flitcast_source *flitcast_source_find(struct flitcast_site *site, u32 sock);
/*
 * A message of a closed socket is completed, and @charge was subtracted from @src->charge: uncharge
 * the share.
 */
void flitcast_source_orphan_completed(struct flitcast_site *site, struct flitcast_source *src,
				      u32 charge);
/* Create the source of broadcasts of a port.  Enters the site.  Return: 0 or a negative errno. */
int flitcast_source_bcasts(struct flitcast_site *site, struct flitcast_port *port);
/* A message has reserved its path, or is completed: its sender no longer waits for admission. */
void flitcast_source_admitted(struct flitcast_site *site, struct flitcast_msg *msg);

/*
 * Free a closed source once its last message is completed, unless FC_CTRL_FORWARD is to be sent.
 */
void flitcast_source_reap(struct flitcast_site *site, struct flitcast_source *src);

/* Initialise the tables of sources of a site. */
void flitcast_tx_init(struct flitcast_site *site);
/* Allocate the source of a port that is not attached yet.  Context: may sleep; without the lock. */
int flitcast_tx_prepare(struct flitcast_site *site, struct flitcast_port *port);
/*
 * Undo flitcast_tx_prepare(): the port could not be attached.  Context: may sleep; without the
 * lock.
 */
void flitcast_tx_cancel(struct flitcast_site *site, struct flitcast_port *port);
void flitcast_tx_attach(struct flitcast_site *site, struct flitcast_port *port);
void flitcast_tx_detach(struct flitcast_site *site, struct flitcast_port *port);
/*
 * Free the remaining sources of a dead site, whose ports are detached, within a budget.  Return:
 * true if more are left.
 */
bool flitcast_tx_purge_sources(struct flitcast_site *site);
/*
 * Wait for the work item that frees sources.  Context: may sleep; there are no sources in the
 * tables.
 */
void flitcast_tx_stop(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_SOURCE_H */
