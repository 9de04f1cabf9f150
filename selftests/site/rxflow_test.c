// SPDX-License-Identifier: GPL-2.0
/*
 * The receiving flows of a site against random peers: they open, ack and close flows, answer
 * questions or do not, restart and send wrong sequence numbers, all near every limit.
 *
 * A model knows each key that ever had a flow, and whether it has one now.  After each step the
 * test makes the cheap checks.  From time to time it checks that each list matches its counter, the
 * more often the fewer entries there are.
 */
#include "ends/rxflow.c"
#include "tap.h"

/* Seeds, and steps of each; SEED=n in the environment runs only that seed. */
#define SEEDS		3
#define STEPS		1000000
/* Lives of the receiving side: each begins empty, and has at most LIFE_STEPS steps. */
#define LIFE_STEPS	100000
#define SOURCES		4096
#define BUCKETS		(1 << 16)
/* Cumulative acks that a source sends, whether or not the flow has reached them. */
#define LEVELS		3

enum place { OPEN, ASKED, CLOSED, COMPLETED, PLACES };

/**
 * struct known - a key that has a flow or had one
 * @next: next key in its bucket
 * @older: the key created before this one
 * @key: the key
 * @flow: its flow, or NULL
 * @at: index in the array of keys with a flow
 * @place: list of its flow
 * @asked_at: time of the last question to its source
 * @used: time of its last use
 */
struct known {
	struct known *next;
	struct known *older;
	struct rx_key key;
	struct rx_flow *flow;
	unsigned int at;
	enum place place;
	u64 asked_at;
	u64 used;
};

/**
 * struct peer - a source site as the model knows it
 * @incarnation: current incarnation
 * @sock: number of its next socket
 * @nflows: number of its flows
 * @forgotten: number of evicted flows
 * @lives: flows of more than one incarnation were created
 */
struct peer {
	u32 incarnation;
	u32 sock;
	unsigned int nflows;
	unsigned int forgotten;
	bool lives;
};

static struct {
	struct flitcast_site *site;
	struct flitcast_port port;
	struct known *bucket[BUCKETS];
	struct known *newest;
	struct known *live[FLITCAST_FLOWS_MAX + 1];
	unsigned int nlive;
	unsigned int nknown;
	unsigned int in[PLACES];
	struct peer peer[SOURCES];
	unsigned int nforgetful;
	/* Keys whose source was asked, and which may be answered; the source may have ended. */
	struct rx_key asked[64];
	unsigned int nasked;
	/* The flow that the current step evicts. */
	struct known *victim;
	unsigned int nvictims;
	u64 seed;
	unsigned int step;
	bool bad;
	/* Totals of the run: flows created, flows evicted by list, and other events. */
	u64 made, forgotten[PLACES], no_space, failed, checks, lives, oblivious;
	unsigned int most;
} m;

#define HOLDS(cond, fmt, ...)						\
({									\
	bool good_ = CHECK(cond, "seed %llu, step %u: " fmt,		\
			   (unsigned long long)m.seed, m.step, ##__VA_ARGS__);	\
									\
	m.bad |= !good_;						\
	good_;								\
})

/*
 * The model.
 */

static struct known **bucket_of(const struct rx_key *key)
{
	u64 h = key->src * 0x9e3779b97f4a7c15ULL ^ key->sock * 0xbf58476d1ce4e5b9ULL ^
		key->port * 0x94d049bb133111ebULL ^ key->incarnation * 0xd6e8feb86659fd93ULL;

	return &m.bucket[(h >> 32) % BUCKETS];
}

static struct known *known_find(const struct rx_key *key)
{
	struct known *k;

	for (k = *bucket_of(key); k; k = k->next)
		if (rx_key_equal(&k->key, key))
			return k;
	return NULL;
}

static struct known *known_get(const struct rx_key *key)
{
	struct known *k = known_find(key), **bucket = bucket_of(key);

	if (k)
		return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		abort();
	k->key = *key;
	k->next = *bucket;
	*bucket = k;
	k->older = m.newest;
	m.newest = k;
	m.nknown++;
	return k;
}

static void known_move(struct known *k, enum place place)
{
	m.in[k->place]--;
	k->place = place;
	m.in[place]++;
}

static void known_made(const struct rx_key *key, struct rx_flow *flow)
{
	struct known *k = known_get(key);

	HOLDS(!k->flow, "a flow was made twice");
	k->flow = flow;
	k->place = OPEN;
	k->used = m.site->now;
	m.in[OPEN]++;
	k->at = m.nlive;
	m.live[m.nlive++] = k;
	m.most = max(m.most, ++m.peer[key->src].nflows);
	m.made++;
	HOLDS(m.peer[key->src].nflows <= FLOWS_OF_ONE, "a source has %u flows",
	      m.peer[key->src].nflows);
}

/* Called before memory is freed: if it is that of a flow, the flow was evicted. */
static void freeing(const void *p)
{
	struct known *k = m.victim;

	if (!k || k->flow != p)
		return;
	m.nvictims++;
	m.forgotten[k->place]++;
	k->flow = NULL;
	m.in[k->place]--;
	m.live[k->at] = m.live[--m.nlive];
	m.live[k->at]->at = k->at;
	m.peer[k->key.src].nflows--;
	if (!m.peer[k->key.src].forgotten++)
		m.nforgetful++;
	m.victim = NULL;
}

/*
 * Other files of the site, as rxflow.c calls them.
 */

/* Like rx.c, without messages and buffer space. */
unsigned int flitcast_rxflow_empty(struct flitcast_site *site, struct rx_flow *flow,
				   enum flitcast_drop why)
{
	memset(&flow->core.msg, 0, sizeof(flow->core.msg));
	memset(flow->need, 0, sizeof(flow->need));
	flow->granted = 0;
	list_del_init(&flow->waiting);
	list_del_init(&flow->held);
	return 0;
}

void flitcast_rx_resync(struct flitcast_site *site, const struct rx_key *key, u32 seq, u32 oldest)
{
	struct known *k = known_find(key);

	if (k && k->flow && k->place == OPEN) {
		HOLDS(site->now >= k->used + ASK_IDLE_NS, "asked about a flow that is in use");
		known_move(k, ASKED);
		k->asked_at = site->now;
	}
	m.asked[m.nasked++ % FC_ARRAY_SIZE(m.asked)] = *key;
}

/*
 * Checks.
 */

static unsigned int check_list(const struct list_head *list, enum place place,
			       const struct rx_source *source)
{
	struct rx_flow *flow;
	unsigned int n = 0;

	list_for_each_entry(flow, list, lru) {
		const struct known *k = known_find(&flow->key);

		if (!HOLDS(k && k->flow == flow, "a list has a flow that is none") ||
		    !HOLDS(k->place == place, "a flow is in list %u, not %u", place, k->place) ||
		    !HOLDS(!source || flow->source == source, "a flow of another source") ||
		    !HOLDS(++n <= m.nlive, "a list without an end"))
			break;
	}
	return n;
}

static unsigned int check_tree(const struct rx_source *source)
{
	const struct rx_flow *last = NULL;
	unsigned int n = 0;
	struct rb_node *node;

	for (node = rb_first(&source->flows); node; node = rb_next(node)) {
		const struct rx_flow *flow = rb_entry(node, struct rx_flow, node);

		HOLDS(flow->source == source && flow->key.src == source->src,
		      "a flow in the tree of another source");
		HOLDS(!last || key_cmp(&last->key, node) < 0, "a tree out of order");
		last = flow;
		n++;
	}
	return n;
}

/* Return: completed flows of a source. */
static unsigned int check_over(const struct rx_source *source)
{
	const struct rx_flow *flow;
	unsigned int n = 0;

	list_for_each_entry(flow, &source->completed, completed) {
		const struct known *k = known_find(&flow->key);

		if (!HOLDS(flow->source == source && k && k->flow == flow &&
			   (k->place == CLOSED || k->place == COMPLETED),
			   "a flow that is not over") ||
		    !HOLDS(++n <= source->nflows, "more flows are over than there are"))
			break;
	}
	return n;
}

/* Check all lists against all counters. */
static void check_all(void)
{
	struct flitcast_rx *rx = m.site->ends->rx.flows;
	unsigned int in[PLACES] = { 0 }, nflows = 0, nbusy = 0, nidle = 0, n, sized = 0,
		     completed = 0;
	struct rx_source *source;
	int i;

	m.checks++;
	hash_for_each(rx->sources, i, source, node) {
		const struct peer *peer = &m.peer[source->src];

		n = check_tree(source);
		HOLDS(source->nflows == n && peer->nflows == n,
		      "source %u counts %u flows, has %u, of %u", source->src, source->nflows, n,
		      peer->nflows);
		HOLDS(source_find(rx, source->src) == source, "source %u twice", source->src);
		HOLDS(source->any || source->forgot == !!peer->forgotten,
		      "source %u: %u flows forgotten", source->src, peer->forgotten);
		nflows += n;
		*(n ? &nbusy : &nidle) += 1;
		in[OPEN] += check_list(&source->open, OPEN, source);
		in[ASKED] += check_list(&source->asked, ASKED, source);
		completed += check_over(source);
	}
	in[CLOSED] = check_list(&rx->closed, CLOSED, NULL);
	in[COMPLETED] = check_list(&rx->completed, COMPLETED, NULL);
	HOLDS(completed == in[CLOSED] + in[COMPLETED], "%u flows are over, %u by source",
	      in[CLOSED] + in[COMPLETED], completed);
	for (i = 0; i < PLACES; i++)
		HOLDS(in[i] == m.in[i], "list %d has %u flows, not %u", i, in[i], m.in[i]);
	HOLDS(nflows == m.nlive && rx->nflows == nflows, "%u flows, counted %u, not %u", nflows,
	      rx->nflows, m.nlive);
	for (i = 0; i < SIZES; i++)
		list_for_each_entry(source, &rx->size[i], by_size) {
			HOLDS(source->nflows && ilog2(source->nflows) == i,
			      "a source of %u flows in size %d", source->nflows, i);
			if (!HOLDS(++sized <= nbusy, "more sources by size than there are"))
				return;
		}
	HOLDS(sized == nbusy, "%u sources by size, not %u", sized, nbusy);
	n = 0;
	list_for_each_entry(source, &rx->idle, by_size) {
		HOLDS(!source->nflows, "an idle source has %u flows", source->nflows);
		if (!HOLDS(++n <= nidle, "more idle sources than there are"))
			return;
	}
	HOLDS(n == nidle && rx->nidle == n, "%u idle sources, in the list %u, counted %u", nidle, n,
	      rx->nidle);
}

/* Check what a step may have changed.  @key: the flow of the step. */
static void check_step(const struct rx_key *key)
{
	const struct rx_flow *last = m.site->ends->rx.last;
	const struct flitcast_rx *rx = m.site->ends->rx.flows;
	const struct known *k;

	HOLDS(rx->nflows == m.nlive && m.nlive <= FLITCAST_FLOWS_MAX, "%u flows, counted %u",
	      m.nlive, rx->nflows);
	HOLDS(rx->nidle <= IDLE_MAX, "%u idle sources", rx->nidle);
	HOLDS(!rx->forgot || m.nforgetful > IDLE_MAX, "forgot some of %u sources", m.nforgetful);
	k = last ? known_find(&last->key) : NULL;
	HOLDS(!last || (k && k->flow == last), "flow_last is none");
	k = known_find(key);
	if (k && !k->flow)
		HOLDS(flitcast_rxflow_old(m.site, key), "a flow that was forgotten is new");
}

/*
 * Peers.
 */

/* Return: the flow to evict for @key, if any, by the rules at the head of rxflow.c. */
static struct known *expect_victim(const struct rx_key *key)
{
	struct flitcast_rx *rx = m.site->ends->rx.flows;
	struct rx_source *source = source_find(rx, key->src);
	struct rx_flow *flow = NULL;
	int i;

	if (m.nlive < FLITCAST_FLOWS_MAX && (!source || source->nflows < FLOWS_OF_ONE))
		return NULL;
	if (source && source->nflows >= FLOWS_OF_ONE) {
		flow = list_first_entry_or_null(&source->completed, struct rx_flow, completed);
		if (!flow)
			flow = list_first_entry_or_null(&source->asked, struct rx_flow, lru);
	} else if (m.in[CLOSED]) {
		flow = list_first_entry_or_null(&rx->closed, struct rx_flow, lru);
	} else if (m.in[COMPLETED]) {
		flow = list_first_entry_or_null(&rx->completed, struct rx_flow, lru);
	} else {
		for (i = SIZES - 1, source = NULL; i >= 0 && !source; i--)
			source = list_first_entry_or_null(&rx->size[i], struct rx_source, by_size);
		if (source)
			flow = list_first_entry_or_null(&source->asked, struct rx_flow, lru);
	}
	return flow ? known_find(&flow->key) : NULL;
}

/* Create a flow, if there is space.  A full table may evict only the expected flow. */
static struct rx_flow *make(const struct rx_key *key)
{
	bool full = m.nlive >= FLITCAST_FLOWS_MAX || m.peer[key->src].nflows >= FLOWS_OF_ONE;
	unsigned long failed = shim_failed;
	u64 *stat = m.site->stat, forgotten = stat[FC_STAT_FLOW_FORGOTTEN];
	u64 no_memory = stat[FC_STAT_NO_MEMORY], no_space = stat[FC_STAT_FLOW_NO_SPACE];
	enum place place = OPEN;
	u64 asked_at = 0;
	struct rx_flow *flow;

	m.victim = expect_victim(key);
	m.nvictims = 0;
	if (m.victim) {
		place = m.victim->place;
		asked_at = m.victim->asked_at;
	}
	flow = flitcast_rxflow_make(m.site, &m.port, key);
	m.victim = NULL;
	HOLDS(stat[FC_STAT_FLOW_FORGOTTEN] == forgotten + m.nvictims,
	      "another flow gave way than the one whose turn it was");
	if (m.nvictims) {
		HOLDS(full, "a flow gave way to nobody");
		HOLDS(place == CLOSED || place == COMPLETED ||
		      (place == ASKED && m.site->now >= asked_at + SILENT_NS),
		      "a flow gave way from list %u", place);
	}
	if (flow) {
		HOLDS(!full || m.nvictims == 1, "a flow in no room");
		known_made(key, flow);
		return flow;
	}
	if (shim_failed != failed)
		HOLDS(stat[FC_STAT_NO_MEMORY] == no_memory + 1, "no memory was not counted");
	else
		HOLDS(full && !m.nvictims && stat[FC_STAT_FLOW_NO_SPACE] == no_space + 1,
		      "no flow, though there is room");
	m.failed += shim_failed != failed;
	m.no_space += stat[FC_STAT_FLOW_NO_SPACE] - no_space;
	return NULL;
}

static void used(struct known *k)
{
	flitcast_rxflow_used(m.site, k->flow);
	known_move(k, OPEN);
	k->used = m.site->now;
}

/* Like flitcast_rx_packet(); the flow may hold messages afterwards. */
static void packet(const struct rx_key *key)
{
	struct rx_flow *flow = flitcast_rxflow_find(m.site, key);
	struct known *k = known_find(key);
	struct peer *peer = &m.peer[key->src];
	bool old;

	HOLDS(flow == (k ? k->flow : NULL), "found another flow");
	if (m.bad)
		return;
	if (flow) {
		used(k);
	} else {
		old = flitcast_rxflow_old(m.site, key);
		HOLDS(old || !k, "a flow that was forgotten is new");
		HOLDS(!old || m.site->ends->rx.flows->forgot || peer->forgotten, "nothing was forgotten");
		if (old) {
			flitcast_rx_resync(m.site, key, 0, 0);
			return;
		}
		flow = make(key);
		if (!flow)
			return;
	}
	flow->core.begun = true;
	switch (tap_random(8)) {
	case 0:
		flow->core.msg[tap_random(FC_FLOW_WINDOW)].state = FC_RX_EMPTY + 1;
		rx_holds(flow, &m.port);
		break;
	case 1:
		flow->need[tap_random(FC_FLOW_WINDOW)] = 1;
		rx_holds(flow, &m.port);
		if (list_empty(&flow->waiting))
			list_add_tail(&flow->waiting, &m.port.waiting);
		break;
	case 2:
		flow->core.next++;
		if (list_empty(&flow->ack_pending))
			list_add_tail(&flow->ack_pending, &m.site->ends->rx.ack_pending);
		break;
	default:
		break;
	}
}

/* Like flitcast_rx_resynced(); @oldest is the cumulative ack of the source, true or false. */
static void completed(const struct rx_key *key, u32 oldest, bool closed)
{
	struct rx_flow *flow = flitcast_rxflow_find(m.site, key);
	struct known *k = known_find(key);
	bool is_calm, held;

	HOLDS(flow == (k ? k->flow : NULL), "found another flow");
	if (m.bad)
		return;
	if (!flow) {
		if (closed)
			return;
		flow = make(key);
		if (flow)
			flow->core.next = oldest;
		return;
	}
	if (closed)
		flitcast_rxflow_empty(m.site, flow, FLITCAST_DROP_FORGOTTEN);
	if (closed || fc_before(flow->core.next, oldest))
		oldest = flow->core.next;
	held = holds(flow);
	is_calm = flitcast_rxflow_update(m.site, flow, oldest, closed);
	HOLDS(is_calm == (oldest == flow->core.next && !held), "settled: %u", is_calm);
	HOLDS(!closed || is_calm, "a closed flow is needed");
	if (!is_calm)
		return;
	HOLDS(list_empty(&flow->ack_pending), "a settled flow owes");
	known_move(k, closed ? CLOSED : COMPLETED);
}

/* Return: a key of @src, mostly of the next socket, sometimes of any. */
static struct rx_key any_key(u32 src)
{
	struct peer *peer = &m.peer[src];
	struct rx_key key = {
		.src = src, .incarnation = peer->incarnation, .port = 1 + tap_random(4),
	};

	switch (tap_random(64)) {
	case 0:
		/* A key as a faulty site may send it. */
		key.incarnation = tap_random(4);
		key.sock = tap_random(8);
		break;
	case 1:
		key.sock = 0xffffffffU - tap_random(4);
		break;
	case 2:
		key.sock = FC_SOCK_BCAST >> tap_random(2);
		key.sock += tap_random(4);
		break;
	case 3:
	case 4:
	case 5:
	case 6:
		key.sock = peer->sock - tap_random(min(peer->sock, 100U) + 1);
		break;
	default:
		key.sock = peer->sock++;
		if (!tap_random(16))
			key.sock |= FC_SOCK_BCAST;
		break;
	}
	return key;
}

/* Return: a key that has a flow; if there is none, any key. */
static struct rx_key live_key(u32 src)
{
	return m.nlive ? m.live[tap_random(m.nlive)]->key : any_key(src);
}

/**
 * struct phase - behaviour of the peers for a while
 * @sources: number of sources that take part
 * @first: the first of these sources
 * @open: percentage of steps that open a flow
 * @close: percentage of steps that close a flow
 * @calm: percentage of steps that send a cumulative ack
 * @ask: percentage of steps that answer a question
 * @sequel: a source opens a flow, and closes it before it opens the next one
 * @tick: maximum duration of a step
 * @fails: one allocation in this number fails; 0: none
 */
struct phase {
	u32 sources;
	u32 first;
	unsigned int open;
	unsigned int close;
	unsigned int calm;
	unsigned int ask;
	bool sequel;
	u64 tick;
	unsigned int fails;
};

static struct phase any_phase(void)
{
	static const u64 ticks[] = {
		NSEC_PER_USEC, NSEC_PER_MSEC, 10 * NSEC_PER_MSEC, 200 * NSEC_PER_MSEC,
	};
	struct phase p = { .tick = ticks[tap_random(FC_ARRAY_SIZE(ticks))] };

	switch (tap_random(6)) {
	case 0:
		/* A few sources fill the table. */
		p.sources = 1 + tap_random(3);
		p.open = 97;
		break;
	case 1:
		/* Many sources open about one flow each, and close it. */
		p.sources = SOURCES;
		p.open = 60;
		p.close = 30;
		p.calm = 5;
		break;
	case 2:
		/* Each source closes its flow before it opens the next one. */
		p.sources = 1 + tap_random(8);
		p.open = 100;
		p.sequel = true;
		break;
	case 3:
		/* Sources answer questions. */
		p.sources = 1 + tap_random(50);
		p.open = 40;
		p.calm = 20;
		p.ask = 35;
		break;
	case 4:
		/* Sources close their flows. */
		p.sources = 1 + tap_random(50);
		p.open = 10;
		p.close = 70;
		p.calm = 10;
		break;
	default:
		p.sources = 1 + tap_random(SOURCES);
		p.open = tap_random(50);
		p.close = tap_random(25);
		p.calm = tap_random(25);
		p.ask = tap_random(25);
		break;
	}
	p.first = tap_random(SOURCES - p.sources + 1);
	p.fails = tap_random(3) ? 0 : 2 + tap_random(200);
	return p;
}

/* Each source has one flow at a time, of consecutive sockets. */
static struct rx_key sequel(u32 src)
{
	struct peer *peer = &m.peer[src];
	struct rx_key key = {
		.src = src, .incarnation = peer->incarnation, .port = 1, .sock = peer->sock,
	};
	struct known *k = known_find(&key);

	if (k && k->flow)
		completed(&key, 0, true);
	key.sock = ++peer->sock;
	if (!m.bad)
		packet(&key);
	return key;
}

static struct rx_key step(const struct phase *p)
{
	u32 src = p->first + tap_random(p->sources);
	unsigned int what = tap_random(100);
	struct rx_key key;

	m.site->now += tap_random((u32)p->tick);
	if (p->sequel)
		return sequel(src);
	if (what < p->open) {
		key = any_key(src);
		packet(&key);
		return key;
	}
	what -= p->open;
	if (what < p->close) {
		key = tap_random(20) ? live_key(src) : any_key(src);
		completed(&key, 0, true);
		return key;
	}
	what -= p->close;
	if (what < p->calm) {
		key = tap_random(20) ? live_key(src) : any_key(src);
		completed(&key, tap_random(8) ? tap_random(LEVELS) : tap_random(~0U), false);
		return key;
	}
	what -= p->calm;
	if (what < p->ask && m.nasked) {
		key = m.asked[tap_random(min_t(u32, m.nasked, FC_ARRAY_SIZE(m.asked)))];
		completed(&key, tap_random(LEVELS), false);
		return key;
	}
	/* The source restarts, or continues one of its flows. */
	if (!tap_random(50)) {
		m.peer[src].incarnation++;
		if (tap_random(2))
			m.peer[src].sock = 1;
	}
	key = live_key(src);
	packet(&key);
	return key;
}

/* The reader reads the messages of the first flow in the list, which then holds none. */
static void read_some(void)
{
	struct rx_flow *flow = list_first_entry_or_null(&m.port.flows, struct rx_flow, held);

	if (flow)
		flitcast_rxflow_empty(m.site, flow, FLITCAST_DROP_FORGOTTEN);
	flow = list_first_entry_or_null(&m.site->ends->rx.ack_pending, struct rx_flow, ack_pending);
	if (flow)
		list_del_init(&flow->ack_pending);
}

static void begin(void)
{
	unsigned int i;

	INIT_LIST_HEAD(&m.port.waiting);
	INIT_LIST_HEAD(&m.port.flows);
	INIT_LIST_HEAD(&m.site->ends->rx.ack_pending);
	m.site->now = NSEC_PER_SEC;
	for (i = 0; i < SOURCES; i++)
		m.peer[i] = (struct peer) { .sock = 1, .incarnation = 1 };
	shim_fails = 0;
	shim_freeing = freeing;
	HOLDS(!flitcast_rxflow_alloc(m.site), "no memory");
}

static void end(void)
{
	struct known *k;

	shim_freeing = NULL;
	m.lives++;
	m.oblivious += m.site->ends->rx.flows->forgot;
	flitcast_rxflow_free(m.site);
	if (!m.bad)
		HOLDS(!shim_live, "%lu pieces of memory are left", shim_live);
	while ((k = m.newest)) {
		m.newest = k->older;
		free(k);
	}
	memset(m.bucket, 0, sizeof(m.bucket));
	memset(m.in, 0, sizeof(m.in));
	m.nlive = 0;
	m.nknown = 0;
	m.nasked = 0;
	m.nforgetful = 0;
}

/* Return: number of steps. */
static unsigned int life(unsigned int steps)
{
	unsigned int left = 0, unchecked = 0, i;
	struct phase p = { };

	begin();
	for (i = 0; i < steps && !m.bad; i++, m.step++) {
		struct rx_key key;

		if (!left--) {
			p = any_phase();
			left = 1 + tap_random(tap_random(4) ? 12000 : 1000);
			shim_fails = p.fails;
		}
		key = step(&p);
		if (!tap_random(16))
			read_some();
		if (m.bad)
			break;
		check_step(&key);
		unchecked += 16;
		if (unchecked > m.nlive + m.nforgetful) {
			check_all();
			unchecked = 0;
		}
	}
	if (!m.bad)
		check_all();
	end();
	return i;
}

static void setup(void)
{
	static const struct flitcast_port_ops ops;
	static const struct flitcast_mode mode;

	m.site = calloc(1, sizeof(*m.site));
	if (!m.site)
		abort();
	m.site->mode = &mode;
	m.site->ends = calloc(1, sizeof(*m.site->ends));
	if (!m.site->ends)
		abort();
	m.port.ops = &ops;
	m.made = 0;
	memset(m.forgotten, 0, sizeof(m.forgotten));
	m.no_space = 0;
	m.failed = 0;
	m.checks = 0;
	m.lives = 0;
	m.oblivious = 0;
	m.most = 0;
}

static void run(u64 seed, unsigned int steps)
{
	setup();
	m.seed = seed;
	m.step = 0;
	m.bad = false;
	tap_random_seed(seed);
	while (m.step < steps && !m.bad)
		life(min(steps - m.step, 1 + tap_random(LIFE_STEPS)));
	free(m.site->ends);
	free(m.site);
	printf("# seed %llu: %u steps, %llu lives, in %llu a source was forgotten\n"
	       "# %llu flows made, up to %u of a source; forgotten: %llu silent, %llu closed, %llu settled\n"
	       "# %llu times no room, %llu times no memory, %llu checks of all\n",
	       (unsigned long long)seed, m.step, (unsigned long long)m.lives,
	       (unsigned long long)m.oblivious, (unsigned long long)m.made, m.most,
	       (unsigned long long)m.forgotten[ASKED], (unsigned long long)m.forgotten[CLOSED],
	       (unsigned long long)m.forgotten[COMPLETED], (unsigned long long)m.no_space,
	       (unsigned long long)m.failed, (unsigned long long)m.checks);
}

/* The table is full but for one flow of a source that closes each flow before it opens the next. */
TEST(rxflow__a_source_evicts_its_own)
{
	struct rx_key key = { .incarnation = 1, .port = 1 };
	unsigned int i;

	m.seed = 0;
	m.step = 0;
	m.bad = false;
	setup();
	begin();
	for (i = 0; i < FLITCAST_FLOWS_MAX - 1 && !m.bad; i++) {
		key.src = i % 2;
		key.sock = i;
		make(&key);
	}
	for (; m.step < 2 * IDLE_MAX && !m.bad; m.step++) {
		key = sequel(2);
		check_step(&key);
		if (m.step % 64 == 0)
			check_all();
	}
	end();
	free(m.site->ends);
	free(m.site);
}

TEST(rxflow__random_peers)
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
