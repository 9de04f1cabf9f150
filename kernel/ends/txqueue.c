// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduler: which message a site sends next.  Users take turns, and within a user its sockets,
 * both by deficit round robin (round.h).
 *
 *	site			a round for each set of channels, one for broadcasts
 *	  struct flitcast_owner	a user
 *	    struct flitcast_queue	the messages of a source and class, in order
 *
 * The number of active messages (sent, not acked) of a class is limited per source and per user.  A
 * source gets a share of what it could have if it were alone.  A source without any active message
 * may always start one, as long as its user is below its limit; otherwise its queue is blocked
 * until an active message of the user ends.
 */
#include <linux/slab.h>
#include "ends/check.h"
#include "ends/tx.h"
#include "ends/txqueue.h"
#include "fabric/enter.h"

/* The limit of a source that is alone; with others it gets a share, but at least one message. */
unsigned int flitcast_txqueue_active_max(const struct flitcast_site *site)
{
	return site->mode->active;
}

/* The limit of all sources of a user: above it, even the first message of a source waits. */
static unsigned int user_max(const struct flitcast_site *site)
{
	return site->mode->active_user;
}

static struct flitcast_owner *owner_find(struct flitcast_site *site, kuid_t uid)
{
	struct flitcast_owner *owner;

	hash_for_each_possible(site->ends->queue.owners, owner, node, __kuid_val(uid))
		if (uid_eq(owner->uid, uid))
			return owner;
	return NULL;
}

struct flitcast_owner *flitcast_txqueue_owner(kuid_t uid)
{
	struct flitcast_owner *owner = kzalloc(sizeof(*owner), GFP_KERNEL_ACCOUNT);
	unsigned int i;

	if (!owner)
		return NULL;
	owner->uid = uid;
	for (i = 0; i < FLITCAST_TX_DOORS; i++)
		flitcast_turn_init(&owner->turn[i]);
	for (i = 0; i < FLITCAST_TX_CLASSES; i++) {
		flitcast_round_init(&owner->class[i].round);
		INIT_LIST_HEAD(&owner->class[i].blocked);
	}
	return owner;
}

static void owner_put(struct flitcast_owner *owner)
{
	unsigned int i;

	if (--owner->nsources)
		return;
	for (i = 0; i < FLITCAST_TX_DOORS; i++)
		flitcast_turn_leave(&owner->turn[i]);
	hash_del(&owner->node);
	kfree(owner);
}

struct flitcast_owner *flitcast_txqueue_attach(struct flitcast_site *site,
					       struct flitcast_source *src,
					       struct flitcast_owner *owner)
{
	struct flitcast_owner *found = owner_find(site, owner->uid);
	unsigned int i;

	if (!found)
		hash_add(site->ends->queue.owners, &owner->node, __kuid_val(owner->uid));
	src->owner = found ? found : owner;
	src->owner->nsources++;
	for (i = 0; i < ARRAY_SIZE(src->queue); i++) {
		struct flitcast_queue *queue = &src->queue[i];

		flitcast_turn_init(&queue->turn);
		INIT_LIST_HEAD(&queue->ready);
		INIT_LIST_HEAD(&queue->fresh);
	}
	return found ? owner : NULL;
}

/* Add a queue to the round of its user, and the user to that of the site. */
static void join(struct flitcast_site *site, struct flitcast_source *src, u8 class)
{
	struct flitcast_queue *queue = flitcast_txqueue_of(src, class);
	enum flitcast_tx_door door = flitcast_txqueue_door(class);

	if (queue->blocked) {
		queue->blocked = false;
		flitcast_turn_leave(&queue->turn);
	}
	flitcast_turn_join(&src->owner->class[class].round, &queue->turn);
	flitcast_turn_join(&site->ends->queue.round[door], &src->owner->turn[door]);
	site->oper.doors |= fc_bit(door);
}

/*
 * If the user is below its limit, unblock the queue that has waited longest.  Called when a message
 * of the user ends, and when an unblocked queue has nothing to send.
 */
static void unblock(struct flitcast_site *site, struct flitcast_owner *owner, u8 class)
{
	struct flitcast_owned *owned = &owner->class[class];
	struct flitcast_queue *queue;

	queue = list_first_entry_or_null(&owned->blocked, struct flitcast_queue, turn.node);
	if (!queue || owned->nactive >= user_max(site))
		return;
	queue->unblocked = true;
	join(site, flitcast_txqueue_source(queue, class), class);
}

void flitcast_txqueue_detach(struct flitcast_site *site, struct flitcast_source *src)
{
	struct flitcast_owner *owner = src->owner;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(src->queue); i++)
		flitcast_turn_leave(&src->queue[i].turn);
	for (i = 0; i < FLITCAST_TX_CLASSES; i++)
		unblock(site, owner, i);
	owner_put(owner);
}

void flitcast_tx_ready(struct flitcast_site *site, struct flitcast_msg *msg)
{
	struct flitcast_queue *queue = flitcast_txqueue_of(msg->source, msg->how.class);

	if (!list_empty(&msg->ready))
		return;
	/* The message is queued: stop the patience timer of the source meanwhile. */
	if (msg->state.waits_for)
		flitcast_tx_hold(msg, false, flitcast_site_now(site));
	/* Retransmitted broadcasts bypass the rounds: there are few of them. */
	if (msg->state.begun && msg->how.class == FLITCAST_TX_BCAST) {
		list_add_tail(&msg->ready, &site->ends->txbcast.again);
		site->oper.doors |= fc_bit(FLITCAST_TX_BY_RELAY);
		return;
	}
	list_add_tail(&msg->ready, msg->state.begun ? &queue->ready : &queue->fresh);
	/* A blocked queue still sends the messages it has begun. */
	if (msg->state.begun || !queue->blocked)
		join(site, msg->source, msg->how.class);
}

void flitcast_txqueue_active(struct flitcast_site *site, struct flitcast_msg *msg)
{
	struct flitcast_queue *queue = flitcast_txqueue_of(msg->source, msg->how.class);
	struct flitcast_owned *owned = &msg->source->owner->class[msg->how.class];

	msg->state.active = true;
	queue->unblocked = false;
	site->ends->queue.nactive[msg->how.class]++;
	owned->nactive++;
	if (!queue->nactive++ && !owned->nbusy++)
		site->ends->queue.nbusy[msg->how.class]++;
}

void flitcast_txqueue_inactive(struct flitcast_site *site, struct flitcast_msg *msg)
{
	struct flitcast_queue *queue = flitcast_txqueue_of(msg->source, msg->how.class);
	struct flitcast_owned *owned = &msg->source->owner->class[msg->how.class];

	msg->state.active = false;
	site->ends->queue.nactive[msg->how.class]--;
	owned->nactive--;
	if (!--queue->nactive && !--owned->nbusy)
		site->ends->queue.nbusy[msg->how.class]--;
	/*
	 * The source may start another message, or else the blocked queue that has waited longest.
	 */
	if (!list_empty(&queue->fresh) && !queue->blocked)
		join(site, msg->source, msg->how.class);
	unblock(site, msg->source->owner, msg->how.class);
}

bool flitcast_txqueue_share(const struct flitcast_site *site, struct flitcast_source *src, u8 class,
			    unsigned int part)
{
	const struct flitcast_queue *queue = flitcast_txqueue_of(src, class);
	const struct flitcast_owned *owned = &src->owner->class[class];
	unsigned int users = site->ends->queue.nbusy[class] + !owned->nbusy;
	unsigned int sources = owned->nbusy + !queue->nactive;

	return part * (queue->nactive + 1) * users * sources <=
	       flitcast_txqueue_active_max(site);
}

bool flitcast_txqueue_room(const struct flitcast_site *site, struct flitcast_source *src, u8 class)
{
	if (flitcast_txqueue_of(src, class)->nactive)
		return flitcast_txqueue_share(site, src, class, 1);
	return src->owner->class[class].nactive < user_max(site);
}

/*
 * Return: true if a new message of the queue may start.  If not, the queue is blocked, or is
 * scheduled again when one of its active messages ends.
 */
static bool may_begin(struct flitcast_site *site, struct flitcast_source *src, u8 class)
{
	struct flitcast_queue *queue = flitcast_txqueue_of(src, class);
	struct flitcast_owned *owned = &src->owner->class[class];

	/* choose() in txbcast.c limits broadcasts. */
	if (class == FLITCAST_TX_BCAST || flitcast_txqueue_room(site, src, class))
		return true;
	/* flitcast_txqueue_inactive() schedules the queue again. */
	if (queue->nactive)
		return false;
	flitcast_turn_leave(&queue->turn);
	/* An unblocked queue that another one got ahead of is first in line again. */
	if (queue->unblocked)
		list_add(&queue->turn.node, &owned->blocked);
	else
		list_add_tail(&queue->turn.node, &owned->blocked);
	queue->blocked = true;
	queue->unblocked = false;
	return false;
}

static struct flitcast_msg *queue_next(struct flitcast_site *site, struct flitcast_source *src,
				       u8 class)
{
	struct flitcast_queue *queue = flitcast_txqueue_of(src, class);
	struct flitcast_msg *msg;

	msg = list_first_entry_or_null(&queue->ready, struct flitcast_msg, ready);
	if (msg)
		return msg;
	msg = list_first_entry_or_null(&queue->fresh, struct flitcast_msg, ready);
	return msg && may_begin(site, src, class) ? msg : NULL;
}

static struct flitcast_msg *class_next(struct flitcast_site *site, struct flitcast_owner *owner,
				       u8 class)
{
	struct flitcast_round *round = &owner->class[class].round;
	struct flitcast_turn *turn;

	while ((turn = flitcast_round_turn(round))) {
		struct flitcast_queue *queue = container_of(turn, struct flitcast_queue, turn);
		struct flitcast_msg *msg;

		msg = queue_next(site, flitcast_txqueue_source(queue, class), class);
		if (msg)
			return msg;
		site->oper.budget -= FLITCAST_FEED_QUEUE;
		if (!queue->blocked) {
			queue->unblocked = false;
			flitcast_turn_idle(round, turn);
			unblock(site, owner, class);
		}
		/* Out of budget: flitcast_txqueue_next() sets the timer. */
		if (site->oper.budget <= 0)
			return NULL;
	}
	return NULL;
}

/* The class of the messages that enter the network at each door. */
static const u8 door_class[FLITCAST_TX_DOORS] = {
	[FLITCAST_TX_BY_INPUT] = FLITCAST_TX_LOW,
	[FLITCAST_TX_BY_SHORT] = FLITCAST_TX_SHORT,
	[FLITCAST_TX_BY_HIGH] = FLITCAST_TX_HIGH,
	[FLITCAST_TX_BY_RELAY] = FLITCAST_TX_BCAST,
};

struct flitcast_msg *flitcast_txqueue_next(struct flitcast_site *site, enum flitcast_tx_door door)
{
	struct flitcast_round *round = &site->ends->queue.round[door];
	struct flitcast_turn *turn;

	while ((turn = flitcast_round_turn(round))) {
		struct flitcast_msg *msg;

		msg = class_next(site, container_of(turn, struct flitcast_owner, turn[door]),
				 door_class[door]);
		if (msg)
			return msg;
		/* Out of budget: the timer handles the rest. */
		if (site->oper.budget <= 0) {
			site->clock.ends_at = 0;
			return NULL;
		}
		flitcast_turn_idle(round, turn);
		site->oper.budget -= FLITCAST_FEED_QUEUE;
	}
	site->oper.doors &= ~fc_bit(door);
	return NULL;
}

void flitcast_txqueue_sent(struct flitcast_site *site, struct flitcast_msg *msg, u32 bytes)
{
	struct flitcast_queue *queue = flitcast_txqueue_of(msg->source, msg->how.class);
	struct flitcast_owner *owner = msg->source->owner;
	enum flitcast_tx_door door = flitcast_txqueue_door(msg->how.class);

	flitcast_turn_sent(&owner->class[msg->how.class].round, &queue->turn, bytes);
	flitcast_turn_sent(&site->ends->queue.round[door], &owner->turn[door], bytes);
}

#ifdef CONFIG_DEBUG_NET
/* Check the queues of a user and class that are in a round, or blocked.  Return: their number. */
static unsigned int owned_check(const struct flitcast_site *site,
				const struct flitcast_owner *owner, u8 class)
{
	const struct flitcast_owned *owned = &owner->class[class];
	enum flitcast_tx_door door = flitcast_txqueue_door(class);
	const struct list_head *const list[] = { &owned->round.first, &owned->round.next };
	struct flitcast_queue *queue;
	unsigned int n = 0, i;

	for (i = 0; i < ARRAY_SIZE(list); i++) {
		list_for_each_entry(queue, list[i], turn.node) {
			WARN_ONCE(queue->blocked || queue->turn.first != !i,
				  "class %u: a queue in the wrong list\n", class);
			n++;
		}
	}
	WARN_ONCE(n && (list_empty(&owner->turn[door].node) || !(site->oper.doors & fc_bit(door))),
		  "class %u: %u queues have a turn, their user has none\n", class, n);
	i = n;
	list_for_each_entry(queue, &owned->blocked, turn.node) {
		WARN_ONCE(!queue->blocked ||
			  flitcast_txqueue_source(queue, class)->owner != owner,
			  "class %u: a queue waits for a place, and does not know\n", class);
		i++;
	}
	/* A queue must not stay blocked if no message of the user is active. */
	WARN_ONCE(i != n && !n && !owned->nactive,
		  "class %u: %u queues wait for a place, and nothing is in flight\n", class, i);
	return i;
}

unsigned int flitcast_txqueue_check(struct flitcast_site *site)
{
	unsigned int nactive[FLITCAST_TX_CLASSES] = { 0 }, queued[FLITCAST_TX_CLASSES] = { 0 };
	unsigned int nbusy[FLITCAST_TX_CLASSES] = { 0 }, nsources = 0, found = 0, n = 0, i;
	struct flitcast_source *src;
	struct flitcast_owner *owner;
	unsigned long number;
	u8 class;

	hash_for_each(site->ends->queue.owners, i, owner, node) {
		nsources += owner->nsources;
		for (class = 0; class < FLITCAST_TX_CLASSES; class++) {
			nactive[class] += owner->class[class].nactive;
			nbusy[class] += !!owner->class[class].nbusy;
			n += owned_check(site, owner, class);
		}
	}
	for (i = 0; i < ARRAY_SIZE(site->ends->sources.table); i++) {
		xa_for_each(&site->ends->sources.table[i], number, src) {
			found++;
			if (i) {
				queued[FLITCAST_TX_BCAST] += src->queue[0].nactive;
				continue;
			}
			for (class = 0; class < FLITCAST_TX_CLASSES; class++)
				if (class != FLITCAST_TX_BCAST)
					queued[class] += flitcast_txqueue_of(src, class)->nactive;
		}
	}
	WARN_ONCE(found != nsources, "%u sources, counted %u\n", found, nsources);
	for (class = 0; class < FLITCAST_TX_CLASSES; class++)
		WARN_ONCE(site->ends->queue.nactive[class] != nactive[class] ||
			  site->ends->queue.nactive[class] != queued[class] ||
			  site->ends->queue.nbusy[class] != nbusy[class],
			  "class %u: %u in flight, %u of users, %u of sources; %u users, not %u\n",
			  class, site->ends->queue.nactive[class], nactive[class], queued[class],
			  nbusy[class], site->ends->queue.nbusy[class]);
	return n + nsources;
}
#endif
