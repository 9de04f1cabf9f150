// SPDX-License-Identifier: GPL-2.0
/*
 * Mode csr at a site (csr_plan.h): lets packets of the injection queues reserve their path.
 *
 *	fc_csr_plan_admit()   attempt(): the probe of one attempt, to the legs of branches()
 *	fc_csr_plan_in()      probe_in() and receive_answer(): frames of neighbours
 *	fc_csr_plan_go()      the switch asks if a branch may leave now; a late packet in an input
 *	                      channel makes a reservation from here (reserve_anew())
 *	fc_csr_plan_gone()    the front has left: the window is used
 *	fc_csr_plan_time()    retries, after a random wait that grows with the attempts
 *
 * The time before the first window, by target, and the guard of a link, the tolerance of its
 * windows, follow the measured answers (answered(), missed(), learn()).  A site that answers late,
 * or not at all, delays packets to itself, and no others: the injection queues are for all targets
 * (PATIENCE).
 */
#include "core/vnet/csr_plan.h"
#include "core/vnet/split.h"
#include "core/vnet/vnet_machine.h"

#define US		((u64)1000)
#define MS		(1000 * US)
/* Windows end, and reservations of lost packets lapse, long before that. */
#define HORIZON		(1500 * MS)
#define LEASE		(300 * MS)
/* A guard that is not known, and bounds of one that is. */
#define GUARD_FIRST	(500 * US)
#define GUARD_MIN	(20 * US)
#define GUARD_MAX	(10 * MS)
/* First value and bounds of the time until a probe is answered. */
#define SETUP_FIRST	(2 * MS)
#define SETUP_MIN	(100 * US)
#define SETUP_MAX	(250 * MS)
/* The guard suffices for all but one of so many packets, the set-up time of probes. */
#define LATE_ONE_IN	64
#define SLOW_ONE_IN	32
/*
 * An answer that took less than half of the time, so long after the one before, is of another load
 * than that: it counts as many.
 */
#define STALE		(5 * MS)
#define STALE_ONE_IN	1
/* A link is taken for one of 1 Gb/s, and each flit for some work. */
#define BYTE_NS		8
#define FLIT_NS		(10 * US)
/* A list whose tree fails so often goes to its targets one by one. */
#define TREE_TRIES	8
/* After so many unanswered attempts the wait for an answer grows no more. */
#define BACKOFF_STEPS	5
/*
 * A packet waits so long to be accepted; a quarter of that, up to so often, after each one before
 * it to the same target that waited in vain.  Of packets to such a target, one in so long a time
 * waits at all.
 */
#define PATIENCE	(500 * MS)
#define FUTILE_STEPS	2
#define VAIN_ONCE	(250 * MS)
/* When a late packet for whose window there is no memory asks again. */
#define ANEW_NS		MS
/* Attempts of one site, in the low bits; sites farther on come later than those before. */
#define TRIES_BITS	20

static_assert(FC_CSR_INJQS == FC_VNET_INJQS);

/*
 * Measurements.
 */

static_assert(GUARD_MAX <= 0xffffffff && SETUP_MAX <= 0xffffffff, "32-bit kernels divide no u64");
static_assert(SETUP_MAX << BACKOFF_STEPS <= FC_CSR_TIME_MAX);

/*
 * The value converges to where one delay in about @many exceeds it: it grows by a quarter if it was
 * too short, and else shrinks by 1/@many of that.  So it follows the measured delays, and assumes
 * nothing of their distribution.
 */
static u64 learn(u64 value, bool too_short, u32 many, u64 least, u64 most)
{
	if (too_short)
		value += value / 4;
	else
		value -= (u32)value / 4 / many;
	return value < least ? least : value > most ? most : value;
}

/* The counter has the largest guard of all links. */
static void show_guard(struct fc_csr_plan *p)
{
	u64 most = 0;
	u8 port;

	for (port = 1; port < p->c.nports; port++)
		if (p->link[port].guard > most)
			most = p->link[port].guard;
	p->vnet->node->stat[FC_STAT_CSR_GUARD] = most;
}

/* A packet left in its window, or was late. */
static void missed(struct fc_csr_plan *p, u8 port, bool late)
{
	p->link[port].guard = learn(p->link[port].guard, late, LATE_ONE_IN, GUARD_MIN, GUARD_MAX);
	show_guard(p);
}

static u64 setup_of(const struct fc_csr_path *path)
{
	return path->setup ? path->setup : SETUP_FIRST;
}

/*
 * An ACK came after a time of @delay.  The first one of a path says more than what is assumed
 * before it, from which the value would approach it for hundreds of packets.
 */
static void answered(struct fc_csr_plan *p, struct fc_csr_path *path, u64 delay)
{
	u64 setup = setup_of(path);
	bool stale = delay < setup / 2 && p->now > p->answered_at + STALE;

	if (!path->setup && 2 * delay < setup)
		setup = 2 * delay;
	path->setup = (u32)learn(setup, delay > setup, stale ? STALE_ONE_IN : SLOW_ONE_IN,
				 SETUP_MIN, SETUP_MAX);
	p->answered_at = p->now;
}

/* Adds the counts of reservations since the last call to the counters of the site. */
static void count(struct fc_csr_plan *p)
{
	static const u8 as[FC_CSR_STATS] = {
		[FC_CSR_RESERVED] = FC_STAT_CSR_RESERVED, [FC_CSR_SENT] = FC_STAT_CSR_USED,
		[FC_CSR_RELEASED] = FC_STAT_CSR_RELEASED, [FC_CSR_LAPSED] = FC_STAT_CSR_UNUSED,
		[FC_CSR_ORPHANED] = FC_STAT_CSR_UNUSED, [FC_CSR_BLOCKED] = FC_STAT_CSR_BLOCKED,
		[FC_CSR_LATE] = FC_STAT_CSR_LATE, [FC_CSR_DOUBLE] = FC_STAT_CSR_DOUBLE,
	};
	u8 i;

	for (i = 0; i < FC_CSR_STATS; i++) {
		p->vnet->node->stat[as[i]] += p->c.stat[i] - p->counted[i];
		p->counted[i] = p->c.stat[i];
	}
}

void fc_csr_plan_init(struct fc_csr_plan *p)
{
	const struct fc_vnet *v = p->vnet;
	u8 port;

	p->c.link = p->link;
	p->c.nports = v->nports;
	p->c.quota = p->c.pool.size / v->nports;
	p->c.lease = LEASE;
	p->c.horizon = HORIZON;
	for (port = 0; port < v->nports; port++)
		/* Packets come and go in order by a channel: none waits for another link. */
		p->link[port] = (struct fc_csr_link){
			.k = 0, .guard = GUARD_FIRST,
			.unit = FLIT_NS + (u64)BYTE_NS * (v->payload + FC_LINK_SIZE),
		};
	fc_csr_init(&p->c);
	show_guard(p);
	p->wake_at = FC_CSR_NEVER;
}

/*
 * Paths.
 */

/* Unique among the packets of a socket, and nearly so among those of a site. */
static void name(const u8 *head, struct fc_csr_id *id)
{
	struct fc_packet pk;

	fc_wire_packet_decode(&pk, head);
	id->site = pk.src;
	id->number = (pk.id << 8 | pk.offset / FC_PACKET_MAX) + pk.sock * 0x9e3779b1U;
	if (pk.flags & FC_PACKET_APART) {
		struct fc_target t;

		fc_wire_target_decode(&t, head, 0);
		id->number += ((t.site << 16 | t.port) + 1) * 0x85ebca6bU;
	}
}

static u32 dirs_to(const struct fc_csr_plan *p, u8 class, u32 dst, u8 next[FC_DIRS_MAX])
{
	const struct fc_vnet *v = p->vnet;
	u32 dirs;

	dirs = fc_vclass_next_hops(v->classes, v->node->id, dst, class, next);
	dirs &= fc_node_permitted(v->node, dst, (v->up & ~v->node->avoid) >> 1);
	return v->node->routes ? dirs & v->node->routes[dst] : dirs;
}

static bool leads_to(const struct fc_csr_plan *p, u32 dirs, u32 dst)
{
	for (; dirs; dirs &= dirs - 1)
		if (fc_topo_neighbour(p->vnet->classes->topo, p->vnet->node->id,
				      (u8)fc_low(dirs)) == dst)
			return true;
	return false;
}

/* A branch for each direction.  Return: how many; more than FC_CSR_LEGS: it cannot go so. */
static u8 branch(const struct fc_csr_plan *p, bool local, struct fc_split *s, u64 remote,
		 u32 common, struct fc_csr_leg *legs)
{
	u32 dirs = fc_split(s, remote, common);
	u8 n = 0;

	for (; dirs; dirs &= dirs - 1) {
		u8 d = (u8)fc_low(dirs);
		u64 rest;

		if (n == FC_CSR_LEGS)
			return FC_CSR_LEGS + 1;
		legs[n] = (struct fc_csr_leg){
			.ports = fc_bit(d + 1), .tag = s->mask[d], .wait = local,
		};
		for (rest = s->mask[d]; rest; rest &= rest - 1)
			legs[n].last |= leads_to(p, fc_bit(d), s->dst[fc_low64(rest)]);
		n++;
	}
	return n;
}

/*
 * At a transit site, targets without a route in the packet's class end: the operator sends the
 * packet to them anew.  @number: of the packet.  Return: number of branches, or more than
 * FC_CSR_LEGS if it has to be split.
 */
static u8 branches(const struct fc_csr_plan *p, bool local, u32 number, u8 class, const u32 *site,
		   u8 n, struct fc_csr_leg *legs, bool *here)
{
	const struct fc_node *node = p->vnet->node;
	/* A site knows a reservation by its packet, so it has one of each. */
	struct fc_split s = {
		.topo = p->vnet->classes->topo, .site = node->id, .apart = true,
	};
	u8 next[FC_DIRS_MAX], i;
	u32 common = ~(u32)0;
	u64 remote = 0;

	*here = false;
	for (i = 0; i < n; i++) {
		s.dst[i] = site[i];
		s.dirs[i] = site[i] == s.site ? 0 : dirs_to(p, class, site[i], next);
		if (s.dirs[i]) {
			remote |= fc_bit64(i);
			common &= s.dirs[i];
		} else if (site[i] == s.site || !local) {
			*here = true;
		} else {
			return FC_CSR_LEGS + 1;
		}
	}
	if (!remote)
		return 0;
	if (remote & (remote - 1))
		return branch(p, local, &s, remote, common, legs);
	/* Branches of lists are not parted by preferences: they might meet again. */
	i = (u8)fc_low64(remote);
	if (node->prefers)
		s.dirs[i] = fc_prefer_choose(fc_prefer_of(node->prefers, site[i]), s.dirs[i],
					     number, s.site);
	legs[0] = (struct fc_csr_leg){
		.ports = s.dirs[i] << 1, .wait = local, .tag = remote,
		.last = leads_to(p, s.dirs[i], site[i]),
	};
	return 1;
}

/*
 * Frames.
 */

static void send(struct fc_csr_plan *p, u8 port, const struct fc_csr_frame *frame,
		 struct fc_effects *fx)
{
	u8 *payload = p->frame[p->next];
	struct fc_effect *e = fc_effect_add(fx, FC_FX_RESERVE, port, NULL);

	p->next = p->next + 1 < FC_CSR_FRAMES ? p->next + 1 : 0;
	fc_wire_csr_encode(payload, frame);
	e->flit.head = payload;
	e->flit.data = fc_csr_frame_size(frame->n);
}

static void send_release(struct fc_csr_plan *p, const struct fc_csr_answer *answer,
			 struct fc_effects *fx)
{
	struct fc_csr_frame frame = { .msg = {
		.type = FC_CSR_RELEASE, .id = answer->msg.id, .epoch = p->c.epoch,
	} };
	u32 rest;

	for (rest = answer->release; rest; rest &= rest - 1)
		send(p, (u8)fc_low(rest), &frame, fx);
}

static void send_back(struct fc_csr_plan *p, const struct fc_csr_answer *answer,
		      struct fc_effects *fx)
{
	struct fc_csr_frame frame = { .msg = answer->msg };

	send(p, answer->port, &frame, fx);
}

/* The probe of a branch, with its targets, in the class that it has on its link. */
static void send_on(struct fc_csr_plan *p, u8 class, const u32 *site, const struct fc_csr_leg *leg,
		    struct fc_effects *fx)
{
	struct fc_csr_frame frame = { .msg = leg->msg, .class = class };
	u64 rest;

	for (rest = leg->tag; rest; rest &= rest - 1)
		frame.site[frame.n++] = site[fc_low64(rest)];
	send(p, leg->port, &frame, fx);
}

static void send_all(struct fc_csr_plan *p, u8 class, const u32 *site,
		     const struct fc_csr_leg *legs, u8 nlegs, struct fc_effects *fx)
{
	u8 next[FC_DIRS_MAX], i;

	for (i = 0; i < nlegs; i++) {
		dirs_to(p, class, site[fc_low64(legs[i].tag)], next);
		send_on(p, next[legs[i].port - 1], site, &legs[i], fx);
	}
}

/*
 * Packets that wait to be accepted.
 */

static bool waits(const struct fc_csr_stay *s)
{
	return s->entry.state == FC_CSR_PENDING;
}

static void wake_at(struct fc_csr_plan *p, u64 at)
{
	if (at < p->wake_at)
		p->wake_at = at;
}

/* The path that takes the longest to reserve of those to the targets of a packet. */
static struct fc_csr_path *slowest(const struct fc_csr_plan *p, const u32 *site, u8 n)
{
	struct fc_csr_path *path = NULL;
	u8 i;

	for (i = 0; i < n; i++)
		if (!path || setup_of(&p->path[site[i]]) > setup_of(path))
			path = &p->path[site[i]];
	return path;
}

/* The most futile path of those to the targets of a packet. */
static struct fc_csr_path *most_futile(const struct fc_csr_plan *p, const u32 *site, u8 n)
{
	struct fc_csr_path *path = NULL;
	u8 i;

	for (i = 0; i < n; i++)
		if (!path || p->path[site[i]].futile > path->futile)
			path = &p->path[site[i]];
	return path;
}

/* After a failure: a random wait, which grows. */
static void schedule_retry(struct fc_csr_plan *p, struct fc_csr_stay *s)
{
	u32 most = s->tries < 6 ? s->tries : 6;

	p->rng = p->rng * 6364136223846793005ULL + 1442695040888963407ULL;
	s->retry_at = p->now + ((u64)(u32)(p->rng >> 40) << most) / 64 + GUARD_MIN;
	wake_at(p, s->retry_at);
}

/* After all of this packet here, and at sites before this one. */
static u32 next_attempt(struct fc_csr_plan *p, const u8 *head)
{
	p->tries = (p->tries + 1) & ((1U << TRIES_BITS) - 1);
	return ((u32)fc_wire_hops(head) << TRIES_BITS) + p->tries + 1;
}

/* One attempt.  Return: the probes are to be sent. */
static bool attempt(struct fc_csr_plan *p, struct fc_csr_stay *s, u64 setup,
		    struct fc_csr_leg *legs, u8 nlegs, bool here, const struct fc_vin *in,
		    const u8 *head, struct fc_effects *fx)
{
	struct fc_csr_answer answer;
	enum fc_csr_verdict verdict;

	/* No answer has come: this packet waits for a longer one. */
	if (s->entry.asked && s->unanswered < BACKOFF_STEPS)
		s->unanswered++;
	setup <<= s->unanswered;
	if (setup > SETUP_MAX)
		setup = SETUP_MAX;
	s->tries++;
	/* One is added to it. */
	s->entry.id.attempt = next_attempt(p, head) - 1;
	s->asked_at = p->now;
	verdict = fc_csr_entry_try(&s->entry, &p->c, in->n, p->now + setup, legs, nlegs, here,
				   p->now, &answer);
	send_release(p, &answer, fx);
	count(p);
	if (verdict != FC_CSR_PASS) {
		schedule_retry(p, s);
		return false;
	}
	s->retry_at = p->now + 4 * setup;
	wake_at(p, s->retry_at);
	return true;
}

static u8 all_targets(const u8 *head, u32 *site)
{
	return (u8)fc_wire_target_sites(site, head);
}

static bool common(const u32 *a, u8 na, const u32 *b, u8 nb)
{
	u8 i, j;

	for (i = 0; i < na; i++)
		for (j = 0; j < nb; j++)
			if (a[i] == b[j])
				return true;
	return false;
}

/* Does an older packet for one of these targets wait in another injection queue? */
static bool behind(const struct fc_csr_plan *p, u8 injq, const u32 *site, u8 n)
{
	const struct fc_vnet *v = p->vnet;
	u32 other[FC_TARGETS_MAX];
	u8 l;

	for (l = 0; l < v->injqs; l++) {
		const struct fc_csr_stay *s = &p->stay[l];
		const struct fc_rx *rx = &v->ch[l].rx[FC_PORT_LOCAL];
		const struct fc_flit *front = fc_rx_slot(&v->ch[l], rx, rx->consumed);

		if (l == injq || !waits(s) || !fc_before(s->order, p->stay[injq].order) ||
		    !(front->parts & FC_FLIT_VALID) || !(front->parts & FC_PART_HEAD))
			continue;
		if (common(site, n, other, all_targets(front->head, other)))
			return true;
	}
	return false;
}

/* Makes the switch look at all injection queues again. */
static void wake_injqs(struct fc_csr_plan *p)
{
	u8 l;

	for (l = 0; l < p->vnet->injqs; l++)
		fc_vmay_come(p->vnet, l, FC_PORT_LOCAL);
}

static void wake_links(struct fc_csr_plan *p)
{
	struct fc_vnet *v = p->vnet;
	u8 c, port;

	for (c = 0; c < v->nclasses; c++)
		for (port = 1; port < v->nports; port++)
			if (fc_vout_of(v, c, port)->first != FC_VBRANCH_NONE)
				fc_vmay_go(v, c, port);
}

static u64 floor_of(const struct fc_csr_plan *p, const u32 *site, u8 n)
{
	u64 floor = 0;
	u8 i;

	for (i = 0; i < n; i++)
		if (p->path[site[i]].floor > floor)
			floor = p->path[site[i]].floor;
	return floor;
}

static void admitted(const u8 *head, u64 arrival, struct fc_effects *fx)
{
	struct fc_effect *e = fc_effect_add(fx, FC_FX_ADMITTED, FC_PORT_LOCAL, NULL);

	e->flit.head = head;
	e->mask = arrival;
}

/* @late: result: the packet has waited in vain.  Return: true: it makes no attempt now. */
static bool stays(struct fc_csr_plan *p, u8 injq, const u32 *site, u8 n, bool *late)
{
	struct fc_csr_stay *s = &p->stay[injq];
	struct fc_csr_path *path = most_futile(p, site, n);
	u8 vain = path->futile;
	u64 until;

	*late = vain;
	/* When the other packet has left, the switch looks at this injection queue, too. */
	if (behind(p, injq, site, n))
		return !vain;
	if (vain && !s->tries) {
		if (p->now < path->vain_at + VAIN_ONCE)
			return false;
		path->vain_at = p->now;
		s->since = p->now;
	}
	until = s->since + (PATIENCE >> 2 * vain);
	*late = p->now >= until;
	if (*late)
		return false;
	wake_at(p, until);
	if (p->now >= s->retry_at)
		return false;
	wake_at(p, s->retry_at);
	return true;
}

/* Ends the last attempt of a packet. */
static void end_attempt(struct fc_csr_plan *p, struct fc_csr_stay *s, struct fc_effects *fx)
{
	struct fc_csr_msg msg = {
		.type = FC_CSR_RELEASE, .id = s->entry.id, .epoch = p->c.epoch,
	};
	struct fc_csr_answer answer;

	fc_csr_answered(&p->c, FC_PORT_LOCAL, &msg, p->now, &answer);
	send_release(p, &answer, fx);
	count(p);
	s->entry.state = FC_CSR_EMPTY;
}

/* A packet has waited in vain: it is sent without a reservation. */
static void unreserved(struct fc_csr_plan *p, struct fc_csr_path *path)
{
	p->vnet->node->stat[FC_STAT_CSR_UNRESERVED]++;
	path->futile += path->futile < FUTILE_STEPS;
}

enum fc_csr_admission fc_csr_plan_admit(struct fc_csr_plan *p, u8 injq, const struct fc_vin *in,
					const u8 *head, struct fc_effects *fx)
{
	struct fc_csr_stay *s = &p->stay[injq];
	struct fc_csr_leg legs[FC_CSR_LEGS];
	u32 site[FC_TARGETS_MAX];
	u8 n, nlegs, class;
	bool here, late;

	p->now = p->vnet->now;
	if (s->entry.state == FC_CSR_ACCEPTED) {
		s->entry.state = FC_CSR_EMPTY;
		p->admitted_at = p->now;
		p->vnet->node->stat[FC_STAT_CSR_ADMITTED]++;
		admitted(head, s->entry.arrival, fx);
		return FC_CSR_ADMITTED;
	}
	n = all_targets(head, site);
	if (s->entry.state == FC_CSR_EMPTY) {
		struct fc_csr_id id;

		name(head, &id);
		fc_csr_entry_fill(&s->entry, id.site, id.number, 0);
		s->tries = 0;
		s->unanswered = 0;
		s->retry_at = 0;
		s->since = p->now;
		s->order = ++p->order;
	}
	if (stays(p, injq, site, n, &late))
		return FC_CSR_STAYS;
	class = fc_vnet_begin(p->vnet, site, n);
	nlegs = branches(p, true, s->entry.id.number, class, site, n, legs, &here);
	if (!nlegs || nlegs > FC_CSR_LEGS || late || (n > 1 && s->tries >= TREE_TRIES)) {
		/* All targets are here, one has no route, or attempts have failed. */
		end_attempt(p, s, fx);
		if (late && n == 1)
			unreserved(p, &p->path[site[0]]);
		wake_injqs(p);
		admitted(head, 0, fx);
		if (n == 1 || !nlegs)
			return FC_CSR_ADMITTED;
		p->vnet->node->stat[FC_STAT_CSR_APART]++;
		return FC_CSR_APART;
	}
	s->entry.floor = floor_of(p, site, n);
	if (attempt(p, s, setup_of(slowest(p, site, n)), legs, nlegs, here, in, head, fx))
		send_all(p, class, site, legs, nlegs, fx);
	return FC_CSR_STAYS;
}

static void receive_answer(struct fc_csr_plan *p, const struct fc_csr_msg *msg)
{
	struct fc_vnet *v = p->vnet;
	const struct fc_flit *front;
	const struct fc_rx *rx;
	u32 site[FC_TARGETS_MAX];
	struct fc_csr_stay *s;
	u64 arrival;
	u8 l, i, n;

	for (l = 0; l < FC_CSR_INJQS; l++) {
		s = &p->stay[l];
		if (waits(s) && fc_csr_entry_receive(&s->entry, msg))
			break;
	}
	if (l == FC_CSR_INJQS)
		return;
	if (s->entry.state != FC_CSR_ACCEPTED) {
		schedule_retry(p, s);
		return;
	}
	fc_csr_due_note(&p->confirmed, &s->entry.id, p->now);
	/* A time that no honest site promises delays no later packet. */
	arrival = p->now + 2 * HORIZON;
	if (s->entry.arrival < arrival)
		arrival = s->entry.arrival;
	rx = &v->ch[l].rx[FC_PORT_LOCAL];
	front = fc_rx_slot(&v->ch[l], rx, rx->consumed);
	if (front->parts & FC_FLIT_VALID && front->parts & FC_PART_HEAD) {
		n = all_targets(front->head, site);
		answered(p, slowest(p, site, n), p->now - s->asked_at);
		for (i = 0; i < n; i++) {
			p->path[site[i]].floor = arrival;
			p->path[site[i]].futile -= p->path[site[i]].futile > 0;
		}
	}
	wake_injqs(p);
}

static void probe_in(struct fc_csr_plan *p, u8 port, const struct fc_csr_frame *frame,
		     struct fc_effects *fx)
{
	struct fc_csr_leg legs[FC_CSR_LEGS];
	struct fc_csr_answer answer;
	enum fc_csr_verdict verdict;
	bool here = false;
	u8 i, nlegs;

	for (i = 0; i < frame->n; i++)
		if (frame->site[i] >= p->vnet->classes->topo->nsites)
			return;
	nlegs = branches(p, false, frame->msg.id.number, frame->class, frame->site, frame->n,
			 legs, &here);
	/* As if nothing were free. */
	if (nlegs > FC_CSR_LEGS) {
		nlegs = 1;
		legs[0] = (struct fc_csr_leg){ .ports = 0 };
	}
	verdict = fc_csr_probe(&p->c, port, &frame->msg, legs, nlegs, here, p->now, &answer);
	if (here && (verdict == FC_CSR_HERE || verdict == FC_CSR_PASS))
		fc_csr_due_note(&p->dues, &frame->msg.id, p->now + frame->msg.lead);
	send_release(p, &answer, fx);
	if (verdict == FC_CSR_PASS)
		send_all(p, frame->class, frame->site, legs, nlegs, fx);
	else if (verdict != FC_CSR_DROP)
		send_back(p, &answer, fx);
}

void fc_csr_plan_in(struct fc_csr_plan *p, u8 port, const struct fc_csr_frame *frame, u64 now,
		    struct fc_effects *fx)
{
	struct fc_csr_answer answer;
	enum fc_csr_verdict verdict;

	fx->n = 0;
	p->now = now;
	if (frame->msg.type == FC_CSR_PROBE) {
		probe_in(p, port, frame, fx);
		count(p);
		return;
	}
	verdict = fc_csr_answered(&p->c, port, &frame->msg, now, &answer);
	send_release(p, &answer, fx);
	if (verdict == FC_CSR_PASS && frame->msg.type == FC_CSR_ACK)
		fc_csr_due_note(&p->confirmed, &frame->msg.id, now);
	if (verdict == FC_CSR_PASS)
		send_back(p, &answer, fx);
	else if (verdict == FC_CSR_HERE)
		receive_answer(p, &answer.msg);
	count(p);
}

/*
 * Packets in the switch.
 */

u32 fc_csr_plan_dirs(const struct fc_csr_plan *p, const u8 *head, unsigned int target)
{
	struct fc_csr_id id;
	u32 rest;

	name(head, &id);
	for (rest = fc_csr_next_hops(&p->c, id.site, id.number); rest; rest &= rest - 1)
		if (fc_csr_tag(&p->c, id.site, id.number, (u8)fc_low(rest)) & fc_bit64(target))
			return (rest & -rest) >> 1;
	return 0;
}

/* Was the reservation of a packet confirmed here? */
static bool known(const struct fc_csr_plan *p, const struct fc_csr_id *id)
{
	return fc_csr_due_at(&p->confirmed, id->site, id->number);
}

/*
 * A packet that missed its window gets another one, of this link alone, in the first gap between
 * those of others.  It does so at each site until it catches up.  A probe for the rest of its path
 * would take longer, and delay the packets behind it in the same channel.
 */
static bool reserve_anew(struct fc_csr_plan *p, const struct fc_vin *in, const u8 *head,
			 const struct fc_vbranch *b, const struct fc_csr_id *id)
{
	struct fc_csr_leg leg = { .ports = fc_bit(b->port), .tag = b->mask, .wait = true };
	struct fc_csr_msg msg = {
		.type = FC_CSR_PROBE, .epoch = p->c.epoch, .units = in->n,
		.id = { id->site, id->number, next_attempt(p, head) },
	};
	struct fc_csr_answer answer;

	if (fc_csr_probe(&p->c, FC_PORT_LOCAL, &msg, &leg, 1, false, p->now, &answer) !=
	    FC_CSR_PASS) {
		/* No memory for it now. */
		wake_at(p, p->now + ANEW_NS);
		return false;
	}
	msg.type = FC_CSR_ACK;
	fc_csr_answered(&p->c, b->port, &msg, p->now, &answer);
	fc_csr_late(&p->c);
	/*
	 * A packet that has never reserved this link, or had no credit, has missed no window.  If
	 * one is late when it leaves its injection queue, its ACK was late.
	 */
	if (!b->asked && known(p, id) && (fc_wire_hops(head) || p->now != p->admitted_at))
		missed(p, b->port, true);
	count(p);
	return true;
}

bool fc_csr_plan_go(struct fc_csr_plan *p, const struct fc_vin *in, const u8 *head,
		    const struct fc_vbranch *b)
{
	struct fc_csr_id id;
	enum fc_csr_turn turn;
	u64 at = 0;

	p->now = p->vnet->now;
	name(head, &id);
	turn = fc_csr_turn(&p->c, id.site, id.number, b->port, p->now, &at);
	/* Credit brings the switch here again. */
	if (turn == FC_CSR_TOO_LATE && fc_vlacks_credit(p->vnet, b, in))
		return false;
	if (turn == FC_CSR_TOO_LATE && reserve_anew(p, in, head, b, &id))
		turn = fc_csr_turn(&p->c, id.site, id.number, b->port, p->now, &at);
	if (turn == FC_CSR_WAIT)
		wake_at(p, at);
	return turn == FC_CSR_GO;
}

void fc_csr_plan_gone(struct fc_csr_plan *p, u8 port, const u8 *head)
{
	struct fc_csr_id id;

	name(head, &id);
	if (known(p, &id))
		missed(p, port, false);
	fc_csr_sent(&p->c, id.site, id.number, port, p->now);
	count(p);
}

/*
 * Time.
 */

void fc_csr_plan_time(struct fc_csr_plan *p, u64 now)
{
	p->now = now;
	fc_csr_time(&p->c, now);
	count(p);
	if (now < p->wake_at)
		return;
	p->wake_at = FC_CSR_NEVER;
	wake_injqs(p);
	wake_links(p);
}

u64 fc_csr_plan_next_at(const struct fc_csr_plan *p)
{
	return p->c.next_at < p->wake_at ? p->c.next_at : p->wake_at;
}

void fc_csr_plan_link_down(struct fc_csr_plan *p, u8 port)
{
	fc_csr_link_down(&p->c, port);
	count(p);
	/* Packets that have reserved the link reserve again. */
	wake_at(p, 0);
}

u64 fc_csr_plan_due(const struct fc_csr_plan *p, const u8 *head)
{
	struct fc_csr_id id;

	name(head, &id);
	return fc_csr_due_at(&p->dues, id.site, id.number);
}
