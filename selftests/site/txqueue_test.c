// SPDX-License-Identifier: GPL-2.0
/*
 * The choice of the next message to send, with random users: sockets open and close; messages
 * become ready, are sent, resent, aborted and completed, near every limit.
 *
 * A model counts the messages in flight.  From time to time the test checks all lists against all
 * counters, and that every queue that may send has its turn; in the end it sends all messages.
 */
#include "ends/txqueue.h"
#include "tap.h"

/* Seeds, and steps of each; SEED=n in the environment runs only that seed. */
#define SEEDS		3
#define STEPS		1000000
/* Lives of a site: each begins empty, and has at most LIFE_STEPS steps. */
#define LIFE_STEPS	50000
#define USERS		5
#define SOURCES		400
#define MESSAGES	1500
/* Limit of broadcasts in flight, the same as in txbcast.c. */
#define BCASTS_MAX	8

/**
 * struct sender - a source
 * @src: the source
 * @user: its owner
 * @bcasts: it sends broadcasts only
 * @nmsgs: number of uncompleted messages
 * @nactive: number of messages in flight, by class
 */
struct sender {
	struct flitcast_source src;
	unsigned int user;
	bool bcasts;
	unsigned int nmsgs;
	unsigned int nactive[FLITCAST_TX_CLASSES];
};

/**
 * struct item - a message
 * @msg: the message
 * @at: index in the array of messages
 * @packets: packets to send now
 */
struct item {
	struct flitcast_msg msg;
	unsigned int at;
	unsigned int packets;
};

/* Values of fabric/vnet.c and fabric/care.c. */
static const struct flitcast_mode vnet_mode = {
	.at_once = true, .active = 32, .active_user = 256,
};

static const struct flitcast_mode care_mode = { .active = 8, .active_user = 16 };

static struct {
	struct flitcast_site *site;
	struct sender *sender[SOURCES];
	unsigned int nsenders;
	struct item *item[MESSAGES];
	unsigned int nitems;
	/* Messages in flight, by user and class; and senders with messages in flight. */
	unsigned int nactive[USERS][FLITCAST_TX_CLASSES];
	unsigned int nbusy[USERS][FLITCAST_TX_CLASSES];
	u64 seed;
	unsigned int step;
	bool bad;
	/* Totals of the run. */
	u64 sent, most_user, blocked, waits, checks, lives, failed;
} m;

#define HOLDS(cond, fmt, ...)						\
({									\
	bool good_ = CHECK(cond, "seed %llu, step %u: " fmt,		\
			   (unsigned long long)m.seed, m.step, ##__VA_ARGS__);	\
									\
	m.bad |= !good_;						\
	good_;								\
})

static struct item *item_of(struct flitcast_msg *msg)
{
	return container_of(msg, struct item, msg);
}

static struct sender *sender_of(const struct item *it)
{
	return container_of(it->msg.source, struct sender, src);
}

static unsigned int user_max(void)
{
	return m.site->mode->active_user;
}

/*
 * Checks.
 */

static unsigned int check_turns(const struct list_head *list, bool first)
{
	const struct flitcast_turn *turn;
	unsigned int n = 0;

	list_for_each_entry(turn, list, node) {
		HOLDS(turn->first == first, "a place of a round in the wrong list");
		HOLDS(turn->credit > 0 && turn->credit <= (s32)FLITCAST_TURN_BYTES,
		      "a turn of %d bytes", turn->credit);
		if (!HOLDS(++n <= SOURCES, "a list without an end"))
			break;
	}
	return n;
}

static unsigned int check_round(const struct flitcast_round *round)
{
	return check_turns(&round->first, true) + check_turns(&round->next, false);
}

/* Is a turn in a round, rather than in no list or in the list of waiting ones? */
static bool in_list(const struct list_head *list, const struct flitcast_turn *turn)
{
	const struct flitcast_turn *t;

	list_for_each_entry(t, list, node)
		if (t == turn)
			return true;
	return false;
}

static bool in_round(const struct flitcast_round *round, const struct flitcast_turn *turn)
{
	return in_list(turn->first ? &round->first : &round->next, turn);
}

/* Does a queue with messages have its turn if it may send them? */
static void check_queue(struct sender *s, u8 class)
{
	struct flitcast_queue *queue = flitcast_txqueue_of(&s->src, class);
	enum flitcast_tx_door door = flitcast_txqueue_door(class);
	struct flitcast_owner *owner = s->src.owner;
	bool waits = !list_empty(&queue->turn.node) && !queue->blocked;

	HOLDS(queue->nactive == s->nactive[class], "a queue counts %u under way, not %u",
	      queue->nactive, s->nactive[class]);
	HOLDS(!queue->blocked || !list_empty(&queue->turn.node), "a blocked queue waits nowhere");
	HOLDS(waits || list_empty(&queue->ready), "a queue with messages has no turn");
	/* A message in flight wakes the queue when it is completed. */
	HOLDS(waits || queue->blocked || list_empty(&queue->fresh) || queue->nactive,
	      "a queue with new messages has no turn");
	if (waits && !(list_empty(&queue->ready) && list_empty(&queue->fresh))) {
		HOLDS(!list_empty(&owner->turn[door].node), "a user with messages has no turn");
		HOLDS(m.site->oper.doors & fc_bit(door), "door %u is not known to be in use", door);
	}
}

/* Check the queues of a user and class, and the lists of that user. */
static void check_owned(struct flitcast_owner *owner, u8 class)
{
	struct flitcast_owned *owned = &owner->class[class];
	unsigned int user = __kuid_val(owner->uid), turns = 0, blocked = 0, wanting = 0, ready = 0;
	struct flitcast_queue *queue;
	bool bcast = class == FLITCAST_TX_BCAST;
	unsigned int i, n = 0;

	HOLDS(owned->nactive == m.nactive[user][class] && owned->nbusy == m.nbusy[user][class],
	      "user %u, class %u: %u under way of %u, not %u of %u", user, class, owned->nactive,
	      owned->nbusy, m.nactive[user][class], m.nbusy[user][class]);
	for (i = 0; i < m.nsenders; i++) {
		struct sender *s = m.sender[i];

		if (s->src.owner != owner || s->bcasts != bcast)
			continue;
		queue = flitcast_txqueue_of(&s->src, class);
		check_queue(s, class);
		turns += !queue->blocked && !list_empty(&queue->turn.node);
		blocked += queue->blocked;
		wanting += queue->blocked && !list_empty(&queue->fresh);
		ready += !queue->blocked && !list_empty(&queue->turn.node) &&
			 !(list_empty(&queue->ready) && list_empty(&queue->fresh));
	}
	HOLDS(check_round(&owned->round) == turns, "%u queues in a round, not %u",
	      check_round(&owned->round), turns);
	list_for_each_entry(queue, &owned->blocked, turn.node) {
		HOLDS(queue->blocked, "a queue waits for a place, and does not know");
		if (!HOLDS(++n <= blocked, "more queues wait for a place than there are"))
			break;
	}
	HOLDS(n == blocked, "%u queues wait for a place, not %u", n, blocked);
	m.blocked += blocked;
	if (bcast || !wanting)
		return;
	/* There are free places without a candidate, while queues wait for one. */
	if (owned->nactive + ready < user_max())
		m.waits++;
	/* Without a message in flight no event would wake the queues. */
	HOLDS(owned->nactive || turns, "%u queues wait for a place: nobody wakes them", wanting);
}

static void check_all(void)
{
	unsigned int nactive[FLITCAST_TX_CLASSES] = { 0 }, nbusy[FLITCAST_TX_CLASSES] = { 0 };
	unsigned int nsources = 0, turns[FLITCAST_TX_DOORS] = { 0 }, i;
	struct flitcast_site *site = m.site;
	struct flitcast_turns *turn = &site->ends->queue;
	struct flitcast_owner *owner;
	int bucket;

	m.checks++;
	hash_for_each(turn->owners, bucket, owner, node) {
		unsigned int n = 0;

		for (i = 0; i < m.nsenders; i++) {
			if (m.sender[i]->src.owner != owner)
				continue;
			n++;
			HOLDS(m.sender[i]->user == __kuid_val(owner->uid), "a source of another");
		}
		HOLDS(n && owner->nsources == n, "a user counts %u sources, not %u",
		      owner->nsources, n);
		nsources += n;
		for (i = 0; i < FLITCAST_TX_CLASSES; i++) {
			check_owned(owner, i);
			nactive[i] += owner->class[i].nactive;
			nbusy[i] += !!owner->class[i].nbusy;
		}
		for (i = 0; i < FLITCAST_TX_DOORS; i++)
			turns[i] += !list_empty(&owner->turn[i].node);
	}
	HOLDS(nsources == m.nsenders, "%u sources of users, not %u", nsources, m.nsenders);
	for (i = 0; i < FLITCAST_TX_CLASSES; i++)
		HOLDS(turn->nactive[i] == nactive[i] && turn->nbusy[i] == nbusy[i],
		      "class %u: %u under way of %u users, not %u of %u", i, turn->nactive[i],
		      turn->nbusy[i], nactive[i], nbusy[i]);
	for (i = 0; i < FLITCAST_TX_DOORS; i++)
		HOLDS(check_round(&turn->round[i]) == turns[i], "%u users in a round, not %u",
		      check_round(&turn->round[i]), turns[i]);
	HOLDS(list_empty(&site->ends->txbcast.again) ||
	      site->oper.doors & fc_bit(FLITCAST_TX_BY_RELAY),
	      "broadcasts to be sent again, and no door");
}

/* The queue of the current step must be in the right list, if in any. */
static void check_lists(struct sender *s, u8 class)
{
	struct flitcast_queue *queue = flitcast_txqueue_of(&s->src, class);
	struct flitcast_owned *owned = &s->src.owner->class[class];

	check_queue(s, class);
	if (queue->blocked)
		HOLDS(in_list(&owned->blocked, &queue->turn), "blocked, and not in that list");
	else if (!list_empty(&queue->turn.node))
		HOLDS(in_round(&owned->round, &queue->turn), "not in the round of its user");
}

/*
 * Operations of other files of the site on messages.
 */

static void active(struct item *it)
{
	struct sender *s = sender_of(it);
	u8 class = it->msg.how.class;

	flitcast_txqueue_active(m.site, &it->msg);
	if (!s->nactive[class]++)
		m.nbusy[s->user][class]++;
	m.nactive[s->user][class]++;
	m.most_user = max_t(u64, m.most_user, m.nactive[s->user][class]);
}

static void inactive(struct item *it)
{
	struct sender *s = sender_of(it);
	u8 class = it->msg.how.class;

	if (!--s->nactive[class])
		m.nbusy[s->user][class]--;
	m.nactive[s->user][class]--;
	flitcast_txqueue_inactive(m.site, &it->msg);
}

/* A message is completed or aborted; like msg_completed() in tx.c. */
static void over(struct item *it)
{
	struct sender *s = sender_of(it);
	u8 class = it->msg.how.class;

	if (it->msg.state.active)
		inactive(it);
	if (!list_empty(&it->msg.ready))
		list_del_init(&it->msg.ready);
	s->nmsgs--;
	m.item[it->at] = m.item[--m.nitems];
	m.item[it->at]->at = it->at;
	free(it);
	check_lists(s, class);
}

/* Return: a random class of the sender; like msg_class() in source.c. */
static u8 any_class(const struct sender *s)
{
	if (s->bcasts)
		return FLITCAST_TX_BCAST;
	switch (tap_random(3)) {
	case 0:
		return FLITCAST_TX_HIGH;
	case 1:
		return FLITCAST_TX_SHORT;
	}
	return FLITCAST_TX_LOW;
}

static void send(struct sender *s, u8 class)
{
	struct flitcast_queue *queue = flitcast_txqueue_of(&s->src, class);
	struct item *it;

	if (m.nitems == MESSAGES)
		return;
	it = calloc(1, sizeof(*it));
	if (!it)
		abort();
	it->msg.source = &s->src;
	it->msg.how.class = class;
	INIT_LIST_HEAD(&it->msg.ready);
	it->packets = tap_random(8) ? 1 + tap_random(tap_random(3) ? 1 : 6) : 0;
	it->at = m.nitems;
	m.item[m.nitems++] = it;
	s->nmsgs++;
	/* Like flitcast_tx_at_once(). */
	if (m.site->mode->at_once && !s->bcasts && it->packets == 1 && tap_random(2) &&
	    list_empty(&queue->ready) && list_empty(&queue->fresh) &&
	    flitcast_txqueue_room(m.site, &s->src, class)) {
		it->msg.state.begun = true;
		it->packets = 0;
		active(it);
	} else {
		flitcast_tx_ready(m.site, &it->msg);
	}
	check_lists(s, class);
}

/* Check that there was a place for a message that begins. */
static void check_place(const struct item *it)
{
	const struct sender *s = sender_of(it);
	u8 class = it->msg.how.class;
	unsigned int own = s->nactive[class], users = 0, sources, i;

	HOLDS(it->msg.state.begun || !s->src.queue[flitcast_txqueue_index(class)].blocked,
	      "a message begins in a queue that waits");
	if (it->msg.state.begun || class == FLITCAST_TX_BCAST)
		return;
	for (i = 0; i < USERS; i++)
		users += m.nbusy[i][class] || i == s->user;
	sources = m.nbusy[s->user][class] + !own;
	if (own)
		HOLDS((own + 1) * users * sources <= ((unsigned int)m.site->mode->active),
		      "a source of %u, of %u users, has %u under way and one more", sources, users,
		      own);
	else
		HOLDS(m.nactive[s->user][class] < user_max(), "a user has %u under way, and more",
		      m.nactive[s->user][class]);
}

/* Call the scheduler as often as the timer does, sometimes with a small budget. */
static struct flitcast_msg *next(enum flitcast_tx_door door)
{
	struct flitcast_msg *msg;

	do {
		m.site->clock.ends_at = FC_NEVER;
		m.site->oper.budget = tap_random(4) ? FLITCAST_FEED_BUDGET : 1 + tap_random(20);
		msg = flitcast_txqueue_next(m.site, door);
	} while (!msg && !m.site->clock.ends_at);
	HOLDS(msg || !(m.site->oper.doors & fc_bit(door)), "door %u is in use, and nothing goes by it",
	      door);
	return msg;
}

/* Like flitcast_tx_pick().  Return: true if a packet was sent. */
static bool pick(enum flitcast_tx_door door, bool lazy)
{
	struct flitcast_msg *msg;

	if (!(m.site->oper.doors & fc_bit(door)))
		return false;
	while ((msg = next(door))) {
		struct item *it = item_of(msg);
		struct sender *s = sender_of(it);

		HOLDS(flitcast_txqueue_door(msg->how.class) == door, "by the wrong door");
		if (m.bad)
			return false;
		/* The caller has routed too many targets. */
		if (lazy && !tap_random(50))
			return false;
		if (!it->packets) {
			list_del_init(&msg->ready);
			continue;
		}
		check_place(it);
		msg->state.begun = true;
		list_move_tail(&msg->ready, &flitcast_txqueue_of(&s->src, msg->how.class)->ready);
		flitcast_txqueue_sent(m.site, msg, tap_random(FC_PACKET_MAX + 1));
		m.sent++;
		/* The flit could not be allocated. */
		if (lazy && !tap_random(50))
			return true;
		if (!--it->packets && tap_random(2))
			list_del_init(&msg->ready);
		if (!msg->state.active)
			active(it);
		check_lists(s, msg->how.class);
		return true;
	}
	return false;
}

/* Like choose() in txbcast.c. */
static bool pick_bcast(void)
{
	struct flitcast_site *site = m.site;
	struct flitcast_msg *msg;

	msg = list_first_entry_or_null(&site->ends->txbcast.again, struct flitcast_msg, ready);
	if (!msg && site->ends->queue.nactive[FLITCAST_TX_BCAST] < BCASTS_MAX)
		msg = next(FLITCAST_TX_BY_RELAY);
	if (!msg)
		return false;
	HOLDS(msg->how.class == FLITCAST_TX_BCAST, "no broadcast");
	if (!item_of(msg)->packets) {
		list_del_init(&msg->ready);
		return true;
	}
	if (!msg->state.begun)
		flitcast_txqueue_sent(site, msg, tap_random(FC_PACKET_MAX + 1));
	msg->state.begun = true;
	list_del_init(&msg->ready);
	item_of(msg)->packets = 0;
	if (!msg->state.active)
		active(item_of(msg));
	m.sent++;
	check_lists(sender_of(item_of(msg)), msg->how.class);
	return true;
}

/*
 * A message has more to send: a target had no buffer space, did not answer, or joined the window.
 */
static void again(struct item *it)
{
	it->packets += tap_random(3);
	flitcast_tx_ready(m.site, &it->msg);
	check_lists(sender_of(it), it->msg.how.class);
}

/* Some targets of a message answer. */
static void calm(struct item *it)
{
	if (it->msg.state.active)
		inactive(it);
	else if (it->msg.state.begun)
		active(it);
	check_lists(sender_of(it), it->msg.how.class);
}

static struct sender *join(unsigned int user, bool bcasts)
{
	struct flitcast_owner *owner, *found;
	struct sender *s;
	unsigned int i;

	if (m.nsenders == SOURCES)
		return NULL;
	owner = flitcast_txqueue_owner((kuid_t) { user });
	if (!owner) {
		m.failed++;
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		abort();
	s->user = user;
	s->bcasts = bcasts;
	found = NULL;
	for (i = 0; i < m.nsenders && !found; i++)
		if (m.sender[i]->user == user)
			found = m.sender[i]->src.owner;
	HOLDS(flitcast_txqueue_attach(m.site, &s->src, owner) == (found ? owner : NULL) &&
	      s->src.owner == (found ? found : owner), "a user twice");
	if (found)
		kfree(owner);
	m.sender[m.nsenders++] = s;
	return s;
}

static void drop(struct sender *s)
{
	unsigned int i;

	for (i = m.nitems; i-- && s->nmsgs;)
		if (sender_of(m.item[i]) == s)
			over(m.item[i]);
}

static void leave(unsigned int at)
{
	struct sender *s = m.sender[at];

	drop(s);
	flitcast_txqueue_detach(m.site, &s->src);
	m.sender[at] = m.sender[--m.nsenders];
	free(s);
}

/**
 * struct phase - behaviour of the users for a while
 * @weight: relative frequency of each action, see step()
 * @users: number of users
 */
struct phase {
	unsigned int weight[8];
	unsigned int users;
};

static struct phase any_phase(void)
{
	static const struct phase some[] = {
		/* weights of: join, leave, send, pick, settle, again, over, drop */
		{ .weight = { 20, 0, 50, 10, 5, 5, 5 } },	/* queues grow */
		{ .weight = { 2, 1, 30, 40, 10, 5, 20 } },	/* normal operation */
		{ .weight = { 10, 0, 30, 60, 0, 1, 0 } },	/* no message completes */
		{ .weight = { 1, 2, 20, 20, 10, 5, 40, 1 } },	/* many messages are aborted */
		{ .weight = { 1, 4, 20, 20, 10, 10, 20, 1 } },	/* sockets close */
		{ .weight = { 5, 1, 10, 20, 40, 20, 5 } },	/* some targets do not answer */
		{ .weight = { 0, 0, 20, 40, 0, 0, 20 } },	/* no socket opens or closes */
	};
	struct phase p = some[tap_random(FC_ARRAY_SIZE(some))];

	p.users = tap_random(3) ? 1 + tap_random(USERS) : 1;
	shim_fails = tap_random(3) ? 0 : 2 + tap_random(20);
	return p;
}

static void step(const struct phase *p)
{
	unsigned int total = 0, what, i;

	for (i = 0; i < FC_ARRAY_SIZE(p->weight); i++)
		total += p->weight[i];
	what = tap_random(total);
	for (i = 0; what >= p->weight[i]; i++)
		what -= p->weight[i];
	if (i == 0 || !m.nsenders) {
		what = tap_random(p->users);
		join(what, !tap_random(6));
		return;
	}
	what = tap_random(m.nsenders);
	if (i == 1) {
		leave(what);
	} else if (i == 2) {
		send(m.sender[what], any_class(m.sender[what]));
	} else if (i == 3) {
		enum flitcast_tx_door door = tap_random(FLITCAST_TX_DOORS);

		if (door == FLITCAST_TX_BY_RELAY)
			pick_bcast();
		else
			pick(door, true);
	} else if (i == 7) {
		drop(m.sender[what]);
	} else if (m.nitems) {
		struct item *it = m.item[tap_random(m.nitems)];

		if (i == 4)
			calm(it);
		else if (i == 5)
			again(it);
		else
			over(it);
	}
}

/* Send and confirm all messages. */
static void drain(void)
{
	unsigned int i;
	bool more;

	shim_fails = 0;
	for (i = 0; i < m.nitems; i++)
		if (!m.item[i]->packets)
			again(m.item[i]);
	do {
		more = false;
		for (i = 0; i < FLITCAST_TX_BY_RELAY; i++)
			while (pick(i, false) && !m.bad)
				more = true;
		while (pick_bcast() && !m.bad)
			more = true;
		for (i = m.nitems; i-- && !m.bad;) {
			struct item *it = m.item[i];

			if (it->packets || !list_empty(&it->msg.ready))
				continue;
			over(it);
			more = true;
		}
	} while (more && !m.bad);
	if (m.bad)
		return;
	check_all();
	HOLDS(!m.nitems, "%u messages have no turn", m.nitems);
}

static void begin(bool vnet)
{
	struct flitcast_site *site;
	unsigned int i;

	site = calloc(1, sizeof(*site));
	if (!site)
		abort();
	site->ends = calloc(1, sizeof(*site->ends));
	if (!site->ends)
		abort();
	m.site = site;
	site->mode = vnet ? &vnet_mode : &care_mode;
	INIT_LIST_HEAD(&site->ends->txbcast.again);
	for (i = 0; i < FLITCAST_TX_DOORS; i++)
		flitcast_round_init(&site->ends->queue.round[i]);
	shim_fails = 0;
	m.lives++;
}

static void end(void)
{
	while (m.nsenders)
		leave(m.nsenders - 1);
	if (!m.bad)
		HOLDS(!shim_live && !m.nitems, "%lu pieces of memory are left", shim_live);
	memset(m.nactive, 0, sizeof(m.nactive));
	memset(m.nbusy, 0, sizeof(m.nbusy));
	free(m.site->ends);
	free(m.site);
}

static void life(unsigned int steps)
{
	unsigned int left = 0, unchecked = 0, i;
	struct phase p = { };

	begin(tap_random(2));
	for (i = 0; i < steps && !m.bad; i++, m.step++) {
		if (!left--) {
			p = any_phase();
			left = tap_random(4000);
		}
		step(&p);
		unchecked += 8;
		if (unchecked > m.nsenders * USERS + m.nsenders * FLITCAST_TX_CLASSES && !m.bad) {
			check_all();
			unchecked = 0;
		}
	}
	if (!m.bad)
		drain();
	if (!m.bad)
		check_all();
	end();
}

static void setup(u64 seed)
{
	memset(&m, 0, sizeof(m));
	m.seed = seed;
	tap_random_seed(seed);
}

static void run(u64 seed, unsigned int steps)
{
	setup(seed);
	while (m.step < steps && !m.bad)
		life(min(steps - m.step, 1 + tap_random(LIFE_STEPS)));
	printf("# seed %llu: %u steps, %llu lives, %llu packets, up to %llu messages of a user under way\n"
	       "# %llu checks of all, %llu queues waited for a place in them\n"
	       "# in %llu there was one\n"
	       "# %llu times no memory\n",
	       (unsigned long long)seed, m.step, (unsigned long long)m.lives,
	       (unsigned long long)m.sent, (unsigned long long)m.most_user,
	       (unsigned long long)m.checks, (unsigned long long)m.blocked,
	       (unsigned long long)m.waits, (unsigned long long)m.failed);
}

/*
 * Sources wait for a place, and their messages are aborted.  A free place still wakes each source,
 * which passes it on, and only the last source has a message then.
 */
TEST(txqueue__places_without_a_taker)
{
	unsigned int most, i;

	setup(0);
	begin(false);
	most = user_max();
	for (i = 0; i < 2 * most + 1; i++) {
		send(join(0, false), FLITCAST_TX_LOW);
		m.item[i]->packets = 1;
	}
	while (pick(FLITCAST_TX_BY_INPUT, false))
		;
	CHECK(m.nactive[0][FLITCAST_TX_LOW] == most, "%u under way",
	      m.nactive[0][FLITCAST_TX_LOW]);
	for (i = 2 * most + 1; i-- > most;)
		drop(m.sender[i]);
	while (m.nitems)
		over(m.item[0]);
	while (pick(FLITCAST_TX_BY_INPUT, false))
		;
	send(m.sender[2 * most], FLITCAST_TX_LOW);
	m.item[0]->packets = 1;
	check_all();
	CHECK(pick(FLITCAST_TX_BY_INPUT, false), "a source waits, with nothing under way");
	end();
}

TEST(txqueue__random_users)
{
	const char *seed = getenv("SEED");
	u64 i;

	if (seed) {
		run(strtoull(seed, NULL, 0), STEPS);
		return;
	}
	for (i = 1; i <= SEEDS; i++)
		run(i, STEPS);
}
