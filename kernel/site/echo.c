// SPDX-License-Identifier: GPL-2.0
/*
 * The site's own port: answers every message with the same message, for ping.
 */
#include <linux/atomic.h>
#include <linux/highmem.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <uapi/linux/flitcast.h>
#include "drop.h"
#include "ends/message.h"
#include "fabric/site.h"
#include "mem/account.h"
#include "site/echo.h"

/* Limit in bytes of messages to be answered, and, separately, of pending answers. */
#define ECHO_ROOM	SZ_1M

/**
 * struct flitcast_echo - state of the port
 * @port: port
 * @queue: messages to be answered
 * @work: answers them, in process context
 * @account: of the maker of the site, who pays for what it echoes
 * @rx: bytes charged, under the site's lock
 * @tx: bytes of pending answers, under the site's lock
 */
struct flitcast_echo {
	struct flitcast_port port;
	struct sk_buff_head queue;
	struct work_struct work;
	struct flitcast_account *account;
	u32 rx;
	u32 tx;
};

static struct flitcast_echo *to_echo(struct flitcast_port *port)
{
	return container_of(port, struct flitcast_echo, port);
}

static bool echo_charge(struct flitcast_port *port, u32 charge, bool early)
{
	struct flitcast_echo *echo = to_echo(port);

	if (echo->rx + charge > (early ? ECHO_ROOM / 2 : ECHO_ROOM) && echo->rx)
		return false;
	if (!flitcast_account_take(to_echo(port)->account, charge))
		return false;
	echo->rx += charge;
	return true;
}

static void echo_grow(struct flitcast_port *port, u32 more, bool early)
{
	to_echo(port)->rx += more;
	flitcast_account_add(to_echo(port)->account, more);
}

static void echo_promote(struct flitcast_port *port, u32 charge)
{
}

static void echo_uncharge(struct flitcast_port *port, u32 charge, bool early)
{
	to_echo(port)->rx -= charge;
	flitcast_account_give(to_echo(port)->account, charge);
}

static unsigned int echo_deliver(struct flitcast_port *port, struct sk_buff *skb, bool hold)
{
	struct flitcast_echo *echo = to_echo(port);

	skb_queue_tail(&echo->queue, skb);
	schedule_work(&echo->work);
	return FLITCAST_DELIVERED;
}

static bool echo_sent(struct flitcast_port *port, struct flitcast_sent *out)
{
	to_echo(port)->tx -= out->charge;
	flitcast_account_give(to_echo(port)->account, out->charge);
	return false;
}

static void echo_detach(struct flitcast_port *port)
{
}

/* echo_deliver() has scheduled the work: no wake-up is needed. */
static bool echo_hold(struct flitcast_port *port)
{
	return false;
}

static void echo_wake(struct flitcast_port *port, unsigned int mask)
{
}

static const struct flitcast_port_ops echo_ops = {
	.charge = echo_charge,
	.grow = echo_grow,
	.promote = echo_promote,
	.uncharge = echo_uncharge,
	.deliver = echo_deliver,
	.sent = echo_sent,
	.detach = echo_detach,
	.hold = echo_hold,
	.wake = echo_wake,
};

static enum flitcast_drop answer(struct flitcast_echo *echo, struct sk_buff *skb)
{
	const struct flitcast_delivery *d = FLITCAST_DELIVERY(skb);
	struct flitcast_msg_dest dest = { .site = d->site, .port = d->port };
	struct flitcast_site *site = echo->port.site;
	struct flitcast_msg *msg;
	struct flitcast_send how = { .charge = d->len + PAGE_SIZE };
	u32 id;
	bool room;

	spin_lock_bh(&site->lock);
	room = (!echo->tx || echo->tx + how.charge <= ECHO_ROOM) &&
	       flitcast_account_take(echo->account, how.charge);
	if (room)
		echo->tx += how.charge;
	how.delay_ack = echo->tx <= ECHO_ROOM / 2;
	spin_unlock_bh(&site->lock);
	/* The peer does not consume the answers: drop the message. */
	if (!room)
		return FLITCAST_DROP_FULL;
	/* not charged: done above */
	msg = flitcast_msg_alloc(d->len, 1, GFP_KERNEL);
	if (!msg)
		goto uncharge;
	if (flitcast_msg_from_skb(msg, skb, d->skip, flitcast_site_verifies(site)) &&
	    !flitcast_msg_send(&echo->port, msg, &dest, &how, &id))
		return FLITCAST_USED;
	flitcast_msg_free(msg);
uncharge:
	spin_lock_bh(&site->lock);
	echo->tx -= how.charge;
	flitcast_account_give(echo->account, how.charge);
	spin_unlock_bh(&site->lock);
	return FLITCAST_DROP_NO_MEMORY;
}

static void echo_work(struct work_struct *work)
{
	struct flitcast_echo *echo = container_of(work, struct flitcast_echo, work);
	struct sk_buff *skb;

	while ((skb = skb_dequeue(&echo->queue))) {
		u32 charge = FLITCAST_DELIVERY(skb)->charge;

		flitcast_drop(skb, answer(echo, skb));
		flitcast_port_release(&echo->port, charge);
		cond_resched();
	}
}

struct flitcast_echo *flitcast_echo_start(struct flitcast_site *site)
{
	struct flitcast_echo *echo = kzalloc(sizeof(*echo), GFP_KERNEL_ACCOUNT);

	if (!echo)
		return NULL;
	echo->port.ops = &echo_ops;
	echo->account = site->buffers.held;
	echo->port.timeout = 10ULL * NSEC_PER_SEC;
	skb_queue_head_init(&echo->queue);
	INIT_WORK(&echo->work, echo_work);
	if (flitcast_port_attach(&echo->port, site, FLITCAST_PORT_ECHO)) {
		kfree(echo);
		return NULL;
	}
	return echo;
}

void flitcast_echo_stop(struct flitcast_echo *echo)
{
	cancel_work_sync(&echo->work);
	flitcast_drop_shared(&echo->queue, FLITCAST_DROP_DOWN);
	flitcast_port_detach(&echo->port);
	/* The rest was neither read nor answered. */
	local_bh_disable();
	flitcast_account_give(echo->account, echo->rx + echo->tx);
	local_bh_enable();
	kfree(echo);
}
