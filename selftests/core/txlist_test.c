// SPDX-License-Identifier: GPL-2.0
/*
 * The choice of the next packet of a message to several targets: targets confirm different packets
 * at different times, do not answer, lack buffer space, or have no socket.
 */
#include <string.h>

#include "tap.h"
#include "core/ends/txlist.h"

#define TARGETS_MAX	12
#define PACKETS_MAX	40
/* Ticks of 1 ms: the delay of an answer, and the retransmission time-out. */
#define MS		1000000ULL
#define CLOCK		1000U
#define LATE_MAX	50U
#define REPEAT		200U
#define LATE_BUSY	100U
/* Delays of answers that differ by less are taken for equal. */
#define LATE_EQUAL	4U
#define NEVER		0xffffffffU

/**
 * struct end - a target and its sending end
 * @tx: state at the sender
 * @flow: flow to it
 * @got: packets of the part received
 * @times: number of times that each packet of the message was sent to it
 * @room: first tick at which it has buffer space
 * @deaf: first tick at which it receives packets
 * @late: delay of its answers, in ticks
 * @answer: tick of its next answer
 * @ctrl: that answer
 * @patience: budget of the time that others wait for it
 * @most: packets sent to it at least once
 * @sent: tick of the last packet sent to it
 * @admitted: it has reserved buffer space
 * @refuses: it has no socket
 * @silent: it did not answer in time
 */
struct end {
	struct fc_txtarget tx;
	struct fc_txflow flow;
	u64 got;
	u8 times[PACKETS_MAX];
	u32 room;
	u32 deaf;
	u32 late;
	u32 answer;
	struct fc_ctrl ctrl;
	struct fc_patience patience;
	u16 most;
	u32 sent;
	bool admitted;
	bool refuses;
	bool silent;
};

static struct {
	struct end end[TARGETS_MAX];
	u16 chosen[TARGETS_MAX];
	struct fc_patience patience;
	struct fc_txlist list;
	u32 now;
	u32 held;
	u32 earned;
	u64 regained;
	unsigned int packets;
	bool impatient;
	bool waits;
} m;

static bool member(void *arg, u32 i, struct fc_txmember *member)
{
	struct end *end = &m.end[i];

	if (fc_txtarget_completed(&end->tx))
		return false;
	*member = (struct fc_txmember) {
		.t = &end->tx, .flow = &end->flow, .patience = &end->patience,
		.slow = end->silent || m.impatient,
	};
	return true;
}

static void begin(u32 ntargets, u16 npackets)
{
	memset(&m, 0, sizeof(m));
	m.now = CLOCK;
	m.list.ntargets = ntargets;
	m.list.most = TARGETS_MAX;
	m.list.member = member;
	m.list.chosen = m.chosen;
	for (u32 i = 0; i < ntargets; i++) {
		m.end[i].tx.part.count = npackets;
		m.end[i].flow.next = 1;
		m.end[i].answer = NEVER;
	}
}

/* Count the time for which the source waits. */
static void hold(bool wait)
{
	if (m.waits == wait)
		return;
	m.waits = wait;
	if (wait)
		fc_patience_wait(&m.patience, FC_PATIENCE_SOURCE, m.now * MS);
	else
		fc_patience_end(&m.patience, FC_PATIENCE_SOURCE, m.now * MS);
}

/* Choose a packet and send it, as the site does. */
static int pick(void)
{
	int packet;

	m.list.now = m.now * MS;
	hold(false);
	m.impatient = !fc_patience_left(&m.patience, FC_PATIENCE_SOURCE, m.list.now);
	packet = fc_txlist_pick(&m.list);
	fc_patience_regain(&m.patience, m.list.regained);
	m.regained += m.list.regained;
	hold(m.list.held);
	m.held += m.list.held;
	if (packet < 0)
		return packet;
	m.packets++;
	CHECK(m.list.n, "packet %d to nobody", packet);
	for (u32 i = 0; i < m.list.n; i++) {
		struct end *end = &m.end[m.chosen[i]];

		CHECK(fc_txtarget_next(&end->tx, &end->flow) == packet, "target %u: packet %d",
		      m.chosen[i], packet);
		fc_txtarget_sent(&end->tx, packet);
		if (end->tx.sent > end->most)
			end->most = end->tx.sent;
		end->times[packet]++;
		end->sent = m.now;
	}
	return packet;
}

/* A packet arrives.  The answer reflects the state at the time when it is sent. */
static void receive(struct end *end, int packet)
{
	if (m.now < end->deaf)
		return;
	memset(&end->ctrl, 0, sizeof(end->ctrl));
	if (end->refuses) {
		end->ctrl.kind = FC_CTRL_REFUSED;
	} else if (!end->admitted && m.now < end->room) {
		end->ctrl.kind = FC_CTRL_NO_SPACE;
	} else {
		end->admitted = true;
		end->got |= (u64)1 << (packet - end->tx.part.first);
		end->ctrl.kind = FC_CTRL_CONFIRM;
		while (end->got >> end->ctrl.base & 1)
			end->ctrl.base++;
		end->ctrl.have = end->got >> end->ctrl.base;
		end->ctrl.next = end->ctrl.base == end->tx.part.count;
	}
	if (end->answer == NEVER)
		end->answer = m.now + end->late;
}

static void answer(struct end *end, const struct fc_ctrl *ctrl)
{
	bool blocked = end->tx.blocks;
	u16 come;

	end->silent = false;
	fc_txlist_unblock(&end->tx, &end->patience, m.now * MS);
	fc_txtarget_answer(&end->tx, ctrl);
	/* Count the acked packets, as the site does. */
	come = end->tx.base < end->most ? end->tx.base : end->most;
	if (come > end->tx.earned) {
		if (blocked) {
			fc_patience_earn(&end->patience, come - end->tx.earned);
			fc_patience_earn(&m.patience, come - end->tx.earned);
			m.earned += come - end->tx.earned;
		}
		end->tx.earned = come;
	}
}

/* Process the events of a target that are due now. */
static void tick(struct end *end)
{
	struct fc_ctrl room = { .kind = FC_CTRL_GRANT };

	if (fc_txtarget_completed(&end->tx))
		return;
	if (end->answer <= m.now) {
		end->answer = NEVER;
		answer(end, &end->ctrl);
	} else if (end->tx.state == FC_TX_NO_SPACE && m.now >= end->room) {
		answer(end, &room);
	} else if (m.now - end->sent >= REPEAT && !fc_txtarget_unsent(&end->tx)) {
		end->silent = true;
		end->sent = m.now;
		fc_txtarget_repeat(&end->tx);
	}
}

/* Advance by a tick.  Return: false if all targets are completed. */
static bool step(void)
{
	bool more = false;
	int packet;

	m.now++;
	for (u32 i = 0; i < m.list.ntargets; i++) {
		tick(&m.end[i]);
		more |= !fc_txtarget_completed(&m.end[i].tx);
	}
	packet = pick();
	for (u32 i = 0; packet >= 0 && i < m.list.n; i++)
		receive(&m.end[m.chosen[i]], packet);
	return more;
}

/* No target waits longer than the source allows, whatever other targets answer. */
static void check_hold(void)
{
	u64 most = FC_PATIENCE_MOST + (m.now - CLOCK + 1) * MS / FC_PATIENCE_SOURCE +
		   (u64)m.earned * FC_PATIENCE_PACKET + m.regained;

	CHECK(m.held * MS <= most + MS, "tick %u: held for %u", m.now, m.held);
}

/* All targets except those without a socket have all packets of their parts. */
static void check_got(void)
{
	for (u32 i = 0; i < m.list.ntargets; i++) {
		const struct end *end = &m.end[i];

		CHECK(end->tx.state == (end->refuses ? FC_TX_REFUSED : FC_TX_DONE),
		      "target %u: state %u, base %u of %u", i, end->tx.state, end->tx.base,
		      end->tx.part.count);
		CHECK(end->refuses || end->got == ((u64)1 << end->tx.part.count) - 1,
		      "target %u: %llx", i, (unsigned long long)end->got);
	}
}

static void run(void)
{
	unsigned int ticks = 0;

	while (step() && ticks++ < 100000)
		check_hold();
	check_got();
}

/* Targets that differ only in the delay of their acks share all packets. */
TEST(txlist__equal_targets_once)
{
	for (unsigned int i = 0; i < TAP_ROUNDS(5000); i++) {
		u16 npackets = (u16)(1 + tap_random(PACKETS_MAX));

		begin(1 + tap_random(TARGETS_MAX), npackets);
		for (u32 t = 0; t < m.list.ntargets; t++)
			m.end[t].late = tap_random(LATE_EQUAL);
		run();
		CHECK(m.packets == npackets, "%u of %u packets", m.packets, npackets);
		for (u32 t = 0; t < m.list.ntargets; t++)
			for (u16 p = 0; p < npackets; p++)
				CHECK(m.end[t].times[p] == 1, "target %u: packet %u %u times", t, p,
				      m.end[t].times[p]);
	}
}

/* Targets that first lack buffer space, and all get it within a short time, share packets. */
TEST(txlist__equal_targets_wait_for_room)
{
	for (unsigned int i = 0; i < TAP_ROUNDS(5000); i++) {
		u16 npackets = (u16)(2 + tap_random(PACKETS_MAX - 1));

		begin(2 + tap_random(TARGETS_MAX - 1), npackets);
		for (u32 t = 0; t < m.list.ntargets; t++)
			m.end[t].room = CLOCK + 100 + tap_random(40);
		run();
		CHECK(m.packets == npackets + 1U, "%u packets, not %u", m.packets, npackets + 1);
	}
}

/*
 * Targets on busy hosts, each of which answers late now and then: none is prompt, so that all share
 * nearly all packets, however long the message takes.
 */
TEST(txlist__busy_targets)
{
	unsigned int packets = 0, sent = 0, ticks = 0;
	struct fc_patience flow[3] = { { .left = 0 } }, source = { .left = 0 };

	for (unsigned int i = 0; i < 300; i++) {
		u32 now = i ? m.now : CLOCK;

		begin(3, PACKETS_MAX);
		m.now = now;
		m.patience = source;
		for (u32 t = 0; t < 3; t++)
			m.end[t].patience = flow[t];
		do {
			for (u32 t = 0; t < 3; t++)
				m.end[t].late = 1 + tap_random(tap_random(8) ? 10 : LATE_BUSY);
		} while (step());
		ticks += m.now - now;
		check_got();
		hold(false);
		for (u32 t = 0; t < 3; t++) {
			fc_txlist_unblock(&m.end[t].tx, &m.end[t].patience, m.now * MS);
			flow[t] = m.end[t].patience;
		}
		source = m.patience;
		packets += PACKETS_MAX;
		sent += m.packets;
	}
	CHECK(sent <= packets + packets / 20, "%u sent, for %u packets, in %u ticks", sent, packets,
	      ticks);
}

/* Random targets: the sender loses none, and lets none wait for long. */
TEST(txlist__any_targets)
{
	for (unsigned int i = 0; i < TAP_ROUNDS(10000); i++) {
		u16 npackets = (u16)(1 + tap_random(PACKETS_MAX));

		begin(1 + tap_random(TARGETS_MAX), npackets);
		m.list.most = 1 + tap_random(TARGETS_MAX);
		for (u32 t = 0; t < m.list.ntargets; t++) {
			struct end *end = &m.end[t];

			end->late = tap_random(tap_random(4) ? LATE_EQUAL : LATE_MAX);
			end->room = tap_random(3) ? 0 : CLOCK + tap_random(500);
			end->refuses = !tap_random(8);
			if (!tap_random(3)) {
				end->tx.part.first = (u16)tap_random(npackets);
				end->tx.part.count = (u16)(1 + tap_random(npackets -
									  end->tx.part.first));
			}
		}
		for (unsigned int ticks = 0; step() && ticks < 100000; ticks++) {
			struct end *end = &m.end[tap_random(m.list.ntargets)];

			check_hold();
			if (ticks < 3000 && !tap_random(100))
				end->deaf = m.now + tap_random(300);
		}
		check_got();
	}
}

static void confirm(u32 i, u16 base)
{
	const struct fc_ctrl ctrl = { .kind = FC_CTRL_CONFIRM, .base = base };

	answer(&m.end[i], &ctrl);
}

/* The next packet is @packet, for @n targets, of which @first is the first. */
static void check_pick(int packet, u32 n, u32 first)
{
	int got = pick();

	CHECK(got == packet && (packet < 0 || (m.list.n == n && m.chosen[0] == first)),
	      "packet %d to %u targets, first %u; not %d to %u, first %u", got, m.list.n,
	      m.chosen[0], packet, n, first);
}

/* The source waits for a target, sends on without it, and sends to all again later. */
TEST(txlist__behind_and_back)
{
	begin(3, 20);
	check_pick(0, 3, 0);
	check_pick(-1, 0, 0);
	for (u32 i = 0; i < 3; i++)
		confirm(i, 1);
	for (int packet = 1; packet < 5; packet++)
		check_pick(packet, 3, 0);
	check_pick(-1, 0, 0);
	confirm(1, 5);
	confirm(2, 5);
	check_pick(-1, 0, 0);
	CHECK(m.list.held && m.list.again == m.now * MS + FC_PATIENCE_MOST,
	      "target 0 is not waited for");
	m.now += 80;
	check_pick(-1, 0, 0);
	CHECK(m.list.held && m.list.again == m.now * MS + 20 * MS, "not for the rest");
	m.now += 23;
	check_pick(5, 2, 1);
	check_pick(6, 2, 1);
	CHECK(m.end[0].tx.behind && !m.end[1].tx.behind, "wrong target behind");
	confirm(0, 2);
	check_pick(5, 1, 0);
	CHECK(m.end[0].tx.behind, "not behind");
	check_pick(7, 2, 1);
	confirm(0, 5);
	check_pick(6, 1, 0);
	check_pick(7, 1, 0);
	confirm(1, 8);
	check_pick(8, 3, 0);
	CHECK(!m.end[0].tx.behind, "still behind");
	check_pick(-1, 0, 0);
	CHECK(m.list.held, "targets 0 and 2 are not waited for");
	confirm(0, 9);
	confirm(2, 8);
	check_pick(9, 3, 0);
}

/* Targets with different parts do not wait for each other. */
TEST(txlist__parts)
{
	begin(4, 10);
	m.end[2].tx.part.first = 10;
	m.end[3].tx.part.first = 10;
	check_pick(0, 2, 0);
	check_pick(10, 2, 2);
	check_pick(-1, 0, 0);
	confirm(0, 1);
	confirm(2, 1);
	confirm(3, 1);
	check_pick(1, 1, 0);
	check_pick(2, 1, 0);
	confirm(1, 1);
	check_pick(1, 1, 1);
	check_pick(2, 1, 1);
	check_pick(3, 2, 0);
	check_pick(4, 2, 0);
	check_pick(11, 2, 2);
}

/* A faulty target, which has a part of the message, or none, sends an answer. */
static void lie(struct end *end)
{
	static const u8 kinds[] = {
		FC_CTRL_NO_SPACE, FC_CTRL_GRANT, FC_CTRL_RESYNC_REQ, FC_CTRL_CONFIRM,
		FC_CTRL_REFUSED,
	};
	struct fc_ctrl ctrl = {
		.kind = kinds[tap_random(tap_random(50) ? 4 : 5)],
		.base = (u16)tap_random(17),
	};

	if (!fc_txtarget_completed(&end->tx))
		answer(end, &ctrl);
}

/*
 * Faulty targets, each with its own faults, delay a correct target at most by the source's budget,
 * over many messages.
 */
static void beside_liars(u32 liars, u32 rarely)
{
	struct fc_patience source = { .left = 0 }, flow[TARGETS_MAX] = { { .left = 0 } };
	u32 now = CLOCK, alone = 0, earned = 0;
	u64 regained = 0;

	for (unsigned int message = 0; message < 100; message++) {
		u32 start = now;

		begin(1 + liars, 16);
		m.now = now;
		m.patience = source;
		for (u32 i = 0; i <= liars; i++)
			m.end[i].patience = flow[i];
		while (m.end[0].tx.base < 16 && m.now < start + 10000) {
			for (u32 i = 1; i <= liars; i++)
				if (!tap_random(rarely))
					lie(&m.end[i]);
			while (pick() >= 0)
				;
			m.now++;
			if (m.end[0].tx.sent > m.end[0].tx.base)
				confirm(0, m.end[0].tx.sent);
		}
		CHECK(m.end[0].tx.base == 16, "message %u: packet %u", message, m.end[0].tx.base);
		/* One packet requests buffer space, and then four are sent at a time. */
		alone += 5;
		earned += m.earned;
		hold(false);
		for (u32 i = 0; i <= liars; i++) {
			fc_txlist_unblock(&m.end[i].tx, &m.end[i].patience, m.now * MS);
			flow[i] = m.end[i].patience;
			CHECK(!flow[i].waits, "target %u is waited for", i);
		}
		source = m.patience;
		regained += m.regained;
		now = m.now;
	}
	now -= CLOCK;
	CHECK(now - alone <= 110 + now / FC_PATIENCE_SOURCE + 4 * earned + regained / MS,
	      "%u liars: %u ms, %u alone, %u earned", liars, now, alone, earned);
	/* The others wait for the correct target only while it takes its own time. */
	CHECK(regained <= alone * MS, "%u liars: %llu ns regained", liars,
	      (unsigned long long)regained);
	CHECK(earned <= 100 * 16 * liars, "%u liars: %u packets earned", liars, earned);
}

TEST(txlist__liars)
{
	for (u32 liars = 1; liars < TARGETS_MAX; liars++)
		for (u32 rarely = 1; rarely <= 81; rarely *= 3)
			beside_liars(liars, rarely);
}
