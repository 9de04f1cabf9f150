/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sources: the sending sides of the ports of a site.
 */
#ifndef FLITCAST_ENDS_SOURCE_H
#define FLITCAST_ENDS_SOURCE_H

#include <linux/xarray.h>
#include "core/txlist.h"
#include "ends/queue.h"

struct flitcast_site;
struct flitcast_msg;
struct flitcast_share;
struct tx_flow;

/* Flows found without a look into the table: those of a short list. */
#define TX_FLOWS_LAST	8

/**
 * struct flitcast_source - the sending side of a port; outlives it until its
 * messages are over
 * @number: of the socket, unique in the site's life
 * @port: NULL once closed
 * @src_port: its port number
 * @flows: by target; see flow_index()
 * @flow_last: the ones that were found last, each by its target site modulo their number, or NULL
 * @first_port: port of the target of the first one
 * @hand: place of the one that is looked at next when some are to give way
 * @nflows: how many
 * @nforward: of these, in the site's tree of those to be told
 * @patience: to wait for targets, of all its messages
 * @era: of targets that are left out for their slowness: those of older ones are not any more
 * @next: number a new flow begins with: above all that an evicted one used
 * @next_id: id of the next message
 * @next_cast: of broadcasts, number of the next message in all its flows
 * @msgs: messages that are not over
 * @nmsgs: how many
 * @charge: bytes of send room that they take
 * @share: what they are counted in once the port is closed, with a reference; NULL: nothing
 * @pages: counted there
 * @owner: whose it is
 * @queue: of messages or broadcasts, of messages of the higher class, and of short ones that have
 *	channels of their own
 * @timeout: how long a target may stay silent, ns
 * @until: once closed, when all that is not over is given up
 * @closing: in the site's tree meanwhile
 * @gone: in the site's list once all is over
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
	u32 next_cast;
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

/* Of a packet or an answer; NULL: it is over. */
struct flitcast_source *flitcast_source_find(struct flitcast_site *site, u32 sock);
/* A message of a closed socket is over; @src->charge does not have its @charge any more. */
void flitcast_source_orphan_over(struct flitcast_site *site, struct flitcast_source *src,
				 u32 charge);
/*
 * Broadcasts of a port have a source of their own, with flows of their own, from the first one on.
 * Enters the site.  Return: 0, or why it has none.
 */
int flitcast_source_casts(struct flitcast_site *site, struct flitcast_port *port);
/* A message has reserved a way, or is over: who sent it does not wait for that any more. */
void flitcast_source_admitted(struct flitcast_site *site, struct flitcast_msg *msg);

/* A closed source goes with its last message; its user has no more to do with it. */
void flitcast_source_reap(struct flitcast_site *site, struct flitcast_source *src);

/* The table of sources of a site. */
void flitcast_tx_init(struct flitcast_site *site);
/* The sending side of a port that is not attached yet.  Context: may sleep; not under the lock. */
int flitcast_tx_prepare(struct flitcast_site *site, struct flitcast_port *port);
/* It is not attached after all.  Context: as flitcast_tx_prepare(). */
void flitcast_tx_cancel(struct flitcast_site *site, struct flitcast_port *port);
void flitcast_tx_attach(struct flitcast_site *site, struct flitcast_port *port);
void flitcast_tx_detach(struct flitcast_site *site, struct flitcast_port *port);
/*
 * The ports of a dead site have gone: the sources that are left go, so many at a time.  Return:
 * true if there are more.
 */
bool flitcast_tx_purge_sources(struct flitcast_site *site);
/* Wait until all that is to be freed is freed.  May sleep; there are no sources any more. */
void flitcast_tx_stop(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_SOURCE_H */
