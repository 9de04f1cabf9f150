// SPDX-License-Identifier: GPL-2.0
/* Snapshots of the sockets of a site, and what their oldest message waits for. */
#include <linux/net.h>
#include <uapi/linux/flitcast_netlink.h>
#include "ends/state.h"
#include "ends/msg.h"
#include "ends/socket.h"
#include "ends/txflow.h"
#include "fabric/enter.h"

static_assert((int)FLITCAST_WAIT_NOTHING == 0);
static_assert((int)FLITCAST_WAIT_TURN == (int)FLITCAST_SOCKET_WAIT_TURN);
static_assert((int)FLITCAST_WAIT_ANSWER == (int)FLITCAST_SOCKET_WAIT_ANSWER);
static_assert((int)FLITCAST_WAIT_BUFFER == (int)FLITCAST_SOCKET_WAIT_BUFFER);
static_assert((int)FLITCAST_WAIT_ROUTE == (int)FLITCAST_SOCKET_WAIT_ROUTE);
static_assert((int)FLITCAST_PEER_LISTEN == (int)FLITCAST_SOCKET_PEER_LISTEN);
static_assert((int)FLITCAST_PEER_REQUESTED == (int)FLITCAST_SOCKET_PEER_REQUESTED);
static_assert((int)FLITCAST_PEER_CONNECTED == (int)FLITCAST_SOCKET_PEER_CONNECTED);
static_assert((int)FLITCAST_PEER_CLOSED == (int)FLITCAST_SOCKET_PEER_CLOSED);
static_assert((int)SOCK_RDM == (int)FLITCAST_SOCKET_TYPE_RDM);
static_assert((int)SOCK_SEQPACKET == (int)FLITCAST_SOCKET_TYPE_SEQPACKET);

/* Return: what a pending target is waiting for; @since: since when. */
static enum flitcast_wait target_wait(const struct tx_target *t, u64 *since)
{
	*since = t->since;
	if (t->core.state == FC_TX_NO_SPACE)
		return FLITCAST_WAIT_BUFFER;
	if (t->flow->unreachable)
		return FLITCAST_WAIT_ROUTE;
	if (!t->asked)
		return FLITCAST_WAIT_TURN;
	*since = t->asked;
	return FLITCAST_WAIT_ANSWER;
}

/*
 * Add the pending messages of a source to @info.  Return: the older one of @than and the oldest
 * message of the source; either may be NULL.
 */
static const struct flitcast_msg *oldest(struct flitcast_source *src,
					 const struct flitcast_msg *than,
					 struct flitcast_socket_info *info)
{
	const struct flitcast_msg *msg;

	if (!src)
		return than;
	info->pending += src->nmsgs;
	msg = list_first_entry_or_null(&src->msgs, struct flitcast_msg, source_node);
	return !than || (msg && msg->at.accepted < than->at.accepted) ? msg : than;
}

/* Fill in what the oldest message waits for: of its targets, the one that has waited longest. */
static void fill_wait(struct flitcast_site *site, const struct flitcast_msg *msg,
		      struct flitcast_socket_info *info)
{
	const struct tx_target *found = NULL;
	u64 first = FC_NEVER;
	u8 link;
	u32 i;

	for (i = 0; i < msg->ntargets; i++) {
		const struct tx_target *t = &msg->target[i];
		enum flitcast_wait wait;
		u64 since;

		if (fc_txtarget_completed(&t->core))
			continue;
		wait = target_wait(t, &since);
		if (found && since >= first)
			continue;
		found = t;
		first = since;
		info->wait = wait;
	}
	/*
	 * Cannot happen under the lock: all targets are completed, but the message is in the list.
	 */
	if (WARN_ON_ONCE(!found))
		return;
	info->wait_site = found->site;
	info->wait_port = found->port;
	info->wait_ns = max_t(s64, flitcast_now() - first, 0);
	info->wait_id = msg->out.id;
	link = fc_node_next_port(&site->node, found->site);
	if (link != FC_PORT_NONE)
		info->wait_link = link;
}

int flitcast_socket_next(struct flitcast_site *site, u32 from,
			 struct flitcast_socket_info *info)
{
	const struct flitcast_port *found;
	const struct flitcast_msg *msg;
	unsigned long number;

	memset(info, 0, sizeof(*info));
	spin_lock_bh(&site->lock);
	/* Skip the site's own port, which is no socket. */
	xa_for_each_start(&site->ends->ports.table, number, found, from)
		if (found->ops->info)
			break;
	if (found) {
		info->site = site->cfg.id;
		info->port = found->number;
		found->ops->info(found, info);
		msg = oldest(found->bcasts, oldest(found->source, NULL, info), info);
		if (msg)
			fill_wait(site, msg, info);
	}
	spin_unlock_bh(&site->lock);
	return found ? 0 : -ENOENT;
}
