// SPDX-License-Identifier: GPL-2.0
/*
 * Reservations of one site: probes and their answers, branches, expiry, forged frames.  Whole
 * networks are in csr_slots_test.c and csr_time_test.c.
 */
#include <string.h>

#include "core/csr/csr.h"
#include "tap.h"

#define SIZE	64
#define NPORTS	5
#define LEASE	100
#define UNIT	10

static struct {
	struct fc_csr c;
	struct fc_csr_link link[NPORTS];
	struct fc_csr_res res[SIZE];
	struct fc_csr_leg legs[FC_CSR_LEGS];
	struct fc_csr_answer answer;
} b;

static void setup(u16 k)
{
	u8 p;

	memset(&b, 0, sizeof(b));
	b.c.pool.res = b.res;
	b.c.pool.size = SIZE;
	b.c.link = b.link;
	b.c.nports = NPORTS;
	b.c.quota = SIZE / 2;
	b.c.epoch = 7;
	b.c.lease = LEASE;
	b.c.horizon = 1000;
	for (p = 0; p < NPORTS; p++) {
		b.link[p].k = k;
		b.link[p].unit = UNIT;
	}
	fc_csr_init(&b.c);
}

static struct fc_csr_msg probe_of(u32 number, u32 attempt, u64 lead)
{
	return (struct fc_csr_msg){
		.type = FC_CSR_PROBE, .id = { 3, number, attempt }, .epoch = 7, .units = 1,
		.lead = lead, .span = lead,
	};
}

static enum fc_csr_verdict probe(u8 in, struct fc_csr_msg msg, u32 ports, u64 now)
{
	b.legs[0] = (struct fc_csr_leg){ .ports = ports };
	return fc_csr_probe(&b.c, in, &msg, b.legs, !!ports, !ports, now, &b.answer);
}

static enum fc_csr_verdict answer(u8 type, u8 port, struct fc_csr_msg msg, u64 now)
{
	msg.type = type;
	return fc_csr_answered(&b.c, port, &msg, now, &b.answer);
}

static void check_balance(void)
{
	u64 out = b.c.stat[FC_CSR_SENT] + b.c.stat[FC_CSR_RELEASED] + b.c.stat[FC_CSR_LAPSED] +
		  b.c.stat[FC_CSR_ORPHANED];

	CHECK(b.c.stat[FC_CSR_RESERVED] == out + fc_csr_count(&b.c, FC_CSR_TENT) +
	      fc_csr_count(&b.c, FC_CSR_CONF), "reservations do not balance");
}

TEST(csr_probe__carries_on_what_it_reserved)
{
	struct fc_csr_msg msg = probe_of(1, 1, 50);

	setup(1);
	msg.span = 70;
	CHECK(probe(1, msg, 1 << 2, 1000) == FC_CSR_PASS, "blocked");
	/* The packet arrives at 1050 and has the link until 1060; the probe was sent at 1000. */
	CHECK(b.legs[0].port == 2 && b.legs[0].msg.lead == 60 && b.legs[0].msg.span == 80,
	      "port %u, lead %u, span %u", b.legs[0].port, (u32)b.legs[0].msg.lead,
	      (u32)b.legs[0].msg.span);
	/* The next packet waits after it if there is a buffer. */
	CHECK(probe(1, probe_of(2, 1, 55), 1 << 2, 1000) == FC_CSR_PASS, "blocked");
	CHECK(b.legs[0].msg.lead == 70 && b.legs[0].msg.span == 70, "lead %u, span %u",
	      (u32)b.legs[0].msg.lead, (u32)b.legs[0].msg.span);
	CHECK(probe(1, probe_of(3, 1, 55), 1 << 2, 1000) == FC_CSR_BLOCK, "no buffer, and passed");
	CHECK(b.answer.msg.type == FC_CSR_NACK && b.answer.port == 1 && b.answer.msg.id.number == 3,
	      "no NACK");
	/* The site chooses the link that is free first. */
	CHECK(probe(1, probe_of(4, 1, 55), 1 << 2 | 1 << 3, 1000) == FC_CSR_PASS &&
	      b.legs[0].port == 3, "port %u", b.legs[0].port);
	check_balance();
}

TEST(csr_probe__ends_where_its_target_is)
{
	struct fc_csr_msg msg = probe_of(1, 1, 50);

	setup(0);
	msg.span = 123;
	CHECK(probe(2, msg, 0, 0) == FC_CSR_HERE, "goes on");
	CHECK(b.answer.msg.type == FC_CSR_ACK && b.answer.port == 2 && b.answer.msg.span == 123,
	      "no ACK");
	CHECK(!fc_csr_count(&b.c, FC_CSR_TENT), "something is reserved");
}

/* Invariant I9: a duplicate probe reserves once. */
TEST(csr_probe__that_comes_twice_reserves_once)
{
	setup(1);
	CHECK(probe(1, probe_of(1, 1, 50), 1 << 2, 0) == FC_CSR_PASS, "blocked");
	CHECK(probe(1, probe_of(1, 1, 49), 1 << 2, 1) == FC_CSR_PASS, "blocked");
	CHECK(b.legs[0].msg.lead == 59, "lead %u", (u32)b.legs[0].msg.lead);
	CHECK(fc_csr_count(&b.c, FC_CSR_TENT) == 1, "reserved twice");
	/* A probe from another port, or for another next hop, is dropped. */
	CHECK(probe(3, probe_of(1, 1, 50), 1 << 2, 0) == FC_CSR_DROP, "by another port");
	CHECK(probe(1, probe_of(1, 1, 50), 1 << 3, 0) == FC_CSR_DROP, "to another port");
	CHECK(fc_csr_count(&b.c, FC_CSR_TENT) == 1, "reserved twice");
}

TEST(csr_probe__of_a_newer_attempt_ends_the_older)
{
	setup(1);
	CHECK(probe(1, probe_of(1, 5, 50), 1 << 2, 0) == FC_CSR_PASS, "blocked");
	CHECK(probe(1, probe_of(1, 6, 20), 1 << 3, 0) == FC_CSR_PASS, "blocked");
	CHECK(b.answer.release == 1 << 2 && b.answer.msg.id.attempt == 5, "not released");
	CHECK(fc_csr_count(&b.c, FC_CSR_TENT) == 1, "the older one is there");
	CHECK(probe(1, probe_of(1, 5, 50), 1 << 2, 0) == FC_CSR_DROP, "an old one came late");
	CHECK(answer(FC_CSR_ACK, 2, probe_of(1, 5, 0), 0) == FC_CSR_DROP, "confirmed");
	CHECK(answer(FC_CSR_ACK, 3, probe_of(1, 5, 0), 0) == FC_CSR_DROP, "confirmed");
	CHECK(!fc_csr_count(&b.c, FC_CSR_CONF), "confirmed");
	check_balance();
}

/* Invariant I8: an answer to another attempt has no effect. */
TEST(csr_answered__of_another_attempt_does_nothing)
{
	static const u8 types[] = { FC_CSR_ACK, FC_CSR_NACK, FC_CSR_RELEASE };
	u32 i;

	for (i = 0; i < FC_ARRAY_SIZE(types); i++) {
		u8 port = types[i] == FC_CSR_RELEASE ? 1 : 2;
		struct fc_csr_msg other;

		setup(1);
		CHECK(probe(1, probe_of(1, 5, 50), 1 << 2, 0) == FC_CSR_PASS, "blocked");
		CHECK(answer(types[i], port, probe_of(1, 4, 0), 0) == FC_CSR_DROP, "an old one");
		CHECK(answer(types[i], port, probe_of(1, 6, 0), 0) == FC_CSR_DROP, "a new one");
		CHECK(answer(types[i], port, probe_of(2, 5, 0), 0) == FC_CSR_DROP, "of another");
		CHECK(answer(types[i], 3, probe_of(1, 5, 0), 0) == FC_CSR_DROP, "by another port");
		other = probe_of(1, 5, 0);
		other.epoch = 8;
		CHECK(answer(types[i], port, other, 0) == FC_CSR_DROP, "of another epoch");
		CHECK(fc_csr_count(&b.c, FC_CSR_TENT) == 1 && !b.answer.release, "changed");
		CHECK(answer(types[i], port, probe_of(1, 5, 0), 0) ==
		      (types[i] == FC_CSR_RELEASE ? FC_CSR_DROP : FC_CSR_PASS), "its own");
		CHECK(!fc_csr_count(&b.c, FC_CSR_TENT), "nothing changed");
		check_balance();
	}
}

TEST(csr_answered__a_confirmed_one_stays)
{
	setup(0);
	CHECK(probe(1, probe_of(1, 1, 200), 1 << 2, 0) == FC_CSR_PASS, "blocked");
	CHECK(answer(FC_CSR_ACK, 2, probe_of(1, 1, 0), 10) == FC_CSR_PASS, "no way back");
	CHECK(b.answer.port == 1 && b.answer.msg.type == FC_CSR_ACK, "no ACK");
	/* A duplicate ACK: the first one was lost en route to the source. */
	CHECK(answer(FC_CSR_ACK, 2, probe_of(1, 1, 0), 10) == FC_CSR_PASS, "not again");
	CHECK(answer(FC_CSR_NACK, 2, probe_of(1, 1, 0), 10) == FC_CSR_DROP, "a NACK after that");
	fc_csr_time(&b.c, 200 + UNIT - 1);
	CHECK(fc_csr_count(&b.c, FC_CSR_CONF) == 1, "it has lapsed");
	fc_csr_time(&b.c, 200 + UNIT);
	CHECK(!fc_csr_count(&b.c, FC_CSR_CONF) && b.c.stat[FC_CSR_ORPHANED] == 1, "it is there");
	check_balance();
}

TEST(csr_time__what_is_not_confirmed_lapses)
{
	setup(0);
	CHECK(probe(1, probe_of(1, 1, 200), 1 << 2, 0) == FC_CSR_PASS, "blocked");
	CHECK(b.c.next_at == LEASE, "at %u", (u32)b.c.next_at);
	fc_csr_time(&b.c, LEASE - 1);
	CHECK(fc_csr_count(&b.c, FC_CSR_TENT) == 1, "it has lapsed");
	/* The reservation also expires without a timer event. */
	CHECK(answer(FC_CSR_ACK, 2, probe_of(1, 1, 0), LEASE) == FC_CSR_DROP, "it is there");
	CHECK(b.c.stat[FC_CSR_LAPSED] == 1 && b.c.next_at == FC_CSR_NEVER, "not counted");
	check_balance();
}

TEST(csr_control_end__leaves_what_is_confirmed)
{
	setup(1);
	CHECK(probe(1, probe_of(1, 1, 20), 1 << 2, 0) == FC_CSR_PASS, "blocked");
	CHECK(probe(1, probe_of(2, 1, 20), 1 << 2, 0) == FC_CSR_PASS, "blocked");
	answer(FC_CSR_ACK, 2, probe_of(1, 1, 0), 0);
	fc_csr_control_end(&b.c);
	CHECK(fc_csr_count(&b.c, FC_CSR_CONF) == 1 && !fc_csr_count(&b.c, FC_CSR_TENT),
	      "%u confirmed", fc_csr_count(&b.c, FC_CSR_CONF));
	check_balance();
}

TEST(csr_turn__is_in_its_window)
{
	u64 at = 0;

	setup(1);
	b.link[2].guard = 5;
	CHECK(probe(1, probe_of(1, 1, 50), 1 << 2, 0) == FC_CSR_PASS, "blocked");
	CHECK(b.legs[0].msg.lead == 65, "lead %u", (u32)b.legs[0].msg.lead);
	CHECK(fc_csr_turn(&b.c, 3, 1, 2, 50, &at) == FC_CSR_TOO_LATE, "it is not confirmed");
	/* The reservation keeps the guard that it was made with. */
	b.link[2].guard = 500;
	answer(FC_CSR_ACK, 2, probe_of(1, 1, 0), 0);
	CHECK(fc_csr_next_hops(&b.c, 3, 1) == 1 << 2, "ways %x", fc_csr_next_hops(&b.c, 3, 1));
	CHECK(fc_csr_turn(&b.c, 3, 1, 2, 49, &at) == FC_CSR_WAIT && at == 50, "at %u", (u32)at);
	CHECK(fc_csr_turn(&b.c, 3, 1, 3, 50, &at) == FC_CSR_TOO_LATE, "on another link");
	CHECK(fc_csr_turn(&b.c, 3, 2, 2, 50, &at) == FC_CSR_TOO_LATE, "another packet");
	CHECK(fc_csr_turn(&b.c, 3, 1, 2, 50, &at) == FC_CSR_GO, "at 50");
	CHECK(fc_csr_turn(&b.c, 3, 1, 2, 55, &at) == FC_CSR_GO, "at 55");
	CHECK(fc_csr_turn(&b.c, 3, 1, 2, 56, &at) == FC_CSR_TOO_LATE, "at 56");
	b.link[2].guard = 5;
	fc_csr_sent(&b.c, 3, 1, 2, 52);
	CHECK(fc_csr_turn(&b.c, 3, 1, 2, 53, &at) == FC_CSR_TOO_LATE, "twice");
	/* No other packet gets the rest of its window. */
	CHECK(probe(1, probe_of(2, 1, 0), 1 << 2, 53) == FC_CSR_PASS, "blocked");
	CHECK(b.legs[0].msg.lead == 65 - 53 + 15, "lead %u", (u32)b.legs[0].msg.lead);
	fc_csr_time(&b.c, 65);
	CHECK(!fc_csr_count(&b.c, FC_CSR_USED) && !b.c.stat[FC_CSR_DOUBLE], "it is there");
	check_balance();
}

/* A packet with two legs: one target at the end of link 2, others behind link 3, and this site. */
static enum fc_csr_verdict tree(struct fc_csr_msg msg, u64 now)
{
	b.legs[0] = (struct fc_csr_leg){ .ports = 1 << 2 | 1 << 3, .last = true };
	b.legs[1] = (struct fc_csr_leg){ .ports = 1 << 2 | 1 << 3 | 1 << 4 };
	return fc_csr_probe(&b.c, 1, &msg, b.legs, 2, true, now, &b.answer);
}

TEST(csr_tree__is_confirmed_when_all_branches_are)
{
	struct fc_csr_msg ack = probe_of(1, 1, 0);

	setup(0);
	CHECK(tree(probe_of(1, 1, 50), 0) == FC_CSR_PASS, "blocked");
	CHECK(b.legs[0].port == 2 && b.legs[1].port == 3, "ports %u, %u", b.legs[0].port,
	      b.legs[1].port);
	CHECK(tree(probe_of(1, 1, 50), 0) == FC_CSR_PASS && b.legs[1].port == 3, "not again");
	ack.span = 300;
	CHECK(answer(FC_CSR_ACK, 3, ack, 0) == FC_CSR_DROP, "one of two");
	CHECK(answer(FC_CSR_ACK, 3, ack, 0) == FC_CSR_DROP, "the same again");
	ack.span = 200;
	CHECK(answer(FC_CSR_ACK, 2, ack, 0) == FC_CSR_PASS, "two of two");
	CHECK(b.answer.msg.span == 300 && b.answer.port == 1, "span %u", (u32)b.answer.msg.span);
	check_balance();
}

TEST(csr_tree__one_that_fails_gives_back_all)
{
	setup(0);
	CHECK(tree(probe_of(1, 1, 50), 0) == FC_CSR_PASS, "blocked");
	CHECK(answer(FC_CSR_ACK, 3, probe_of(1, 1, 0), 0) == FC_CSR_DROP, "one of two");
	CHECK(answer(FC_CSR_NACK, 2, probe_of(1, 1, 0), 0) == FC_CSR_PASS, "no NACK");
	CHECK(b.answer.release == 1 << 3 && b.answer.port == 1, "release %x", b.answer.release);
	CHECK(b.answer.msg.type == FC_CSR_NACK, "type %u", b.answer.msg.type);
	CHECK(!b.c.pool.used, "something is left");
	/* If one link has no buffer, the site reserves nothing on the others. */
	CHECK(probe(2, probe_of(2, 1, 50), 1 << 3, 0) == FC_CSR_PASS, "blocked");
	CHECK(probe(2, probe_of(3, 1, 50), 1 << 4, 0) == FC_CSR_PASS, "blocked");
	CHECK(tree(probe_of(1, 2, 50), 0) == FC_CSR_BLOCK, "passed");
	CHECK(b.c.pool.used == 2, "something is left");
	check_balance();
}

TEST(csr_tree__a_lapsed_branch_is_never_confirmed)
{
	setup(0);
	CHECK(tree(probe_of(1, 1, 500), 0) == FC_CSR_PASS, "blocked");
	CHECK(answer(FC_CSR_ACK, 3, probe_of(1, 1, 0), 0) == FC_CSR_DROP, "one of two");
	fc_csr_time(&b.c, LEASE);
	CHECK(fc_csr_count(&b.c, FC_CSR_CONF) == 1, "the confirmed one has lapsed");
	CHECK(answer(FC_CSR_ACK, 3, probe_of(1, 1, 0), LEASE) == FC_CSR_DROP, "confirmed by one");
	CHECK(answer(FC_CSR_RELEASE, 1, probe_of(1, 1, 0), LEASE) == FC_CSR_DROP &&
	      b.answer.release == 1 << 3, "release %x", b.answer.release);
	check_balance();
}

/* The last link keeps order: it does not use free time before the floor. */
TEST(csr_floor__holds_on_the_last_link)
{
	struct fc_csr_msg msg = probe_of(1, 1, 50);

	setup(8);
	msg.span = 20;
	msg.floor = 100;
	CHECK(probe(1, msg, 1 << 2, 0) == FC_CSR_PASS && b.legs[0].msg.span == 30,
	      "not last: span %u", (u32)b.legs[0].msg.span);
	b.legs[0] = (struct fc_csr_leg){ .ports = 1 << 3, .last = true };
	msg.id.number = 2;
	CHECK(fc_csr_probe(&b.c, 1, &msg, b.legs, 1, false, 0, &b.answer) == FC_CSR_PASS &&
	      b.legs[0].msg.span == 101, "last: span %u", (u32)b.legs[0].msg.span);
	CHECK(b.legs[0].msg.lead == 50 + 81, "lead %u", (u32)b.legs[0].msg.lead);
}

TEST(csr_entry__is_accepted_by_its_own_attempt)
{
	struct fc_csr_entry e;
	struct fc_csr_msg ack;

	setup(0);
	fc_csr_entry_fill(&e, 3, 9, 0);
	b.legs[0] = (struct fc_csr_leg){ .ports = 1 << 2 };
	CHECK(fc_csr_entry_try(&e, &b.c, 1, 30, b.legs, 1, false, 10, &b.answer) == FC_CSR_PASS,
	      "blocked");
	ack = b.legs[0].msg;
	CHECK(ack.lead == 30 && ack.span == 10, "lead %u", (u32)ack.lead);
	CHECK(fc_csr_entry_try(&e, &b.c, 1, 60, b.legs, 1, false, 20, &b.answer) == FC_CSR_PASS,
	      "blocked");
	CHECK(answer(FC_CSR_ACK, 2, ack, 20) == FC_CSR_DROP, "by the first attempt");
	CHECK(!fc_csr_entry_receive(&e, &ack), "by the first attempt");
	ack = b.legs[0].msg;
	ack.span = 90;
	CHECK(answer(FC_CSR_ACK, 2, ack, 20) == FC_CSR_HERE, "by the second one");
	CHECK(b.answer.port == FC_PORT_LOCAL && fc_csr_entry_receive(&e, &b.answer.msg),
	      "not heard");
	CHECK(e.state == FC_CSR_ACCEPTED && e.arrival == 150, "at %u", (u32)e.arrival);
}

TEST(csr_entry__no_window_is_a_failure_at_once)
{
	struct fc_csr_entry e;

	setup(0);
	fc_csr_entry_fill(&e, 3, 9, 0);
	CHECK(probe(1, probe_of(1, 1, 20), 1 << 2, 10) == FC_CSR_PASS, "blocked");
	b.legs[0] = (struct fc_csr_leg){ .ports = 1 << 2 };
	CHECK(fc_csr_entry_try(&e, &b.c, 1, 30, b.legs, 1, false, 10, &b.answer) == FC_CSR_BLOCK,
	      "passed");
	CHECK(e.failed == 1 && !e.asked && e.state == FC_CSR_PENDING, "%u failed", e.failed);
}

TEST(csr_link_down__takes_what_used_the_link)
{
	setup(1);
	probe(1, probe_of(1, 1, 20), 1 << 2, 0);
	probe(2, probe_of(2, 1, 20), 1 << 3, 0);
	probe(3, probe_of(3, 1, 20), 1 << 1, 0);
	answer(FC_CSR_ACK, 2, probe_of(1, 1, 0), 0);
	fc_csr_link_down(&b.c, 2);
	CHECK(b.c.pool.used == 1 && b.link[1].first != FC_CSR_NONE, "%u left", b.c.pool.used);
	fc_csr_epoch(&b.c, 8);
	CHECK(!b.c.pool.used, "%u left", b.c.pool.used);
	CHECK(probe(1, probe_of(4, 1, 20), 1 << 2, 0) == FC_CSR_DROP, "of the old epoch");
	check_balance();
}

/* A peer can reserve its share and no more; nothing is reserved beyond the horizon. */
TEST(csr_probe__a_peer_cannot_take_all)
{
	struct fc_csr_msg msg;
	u32 i;

	setup(0);
	for (i = 0; i < SIZE; i++)
		CHECK(probe(1, probe_of(i, 1, UNIT * i), 1 << 2, 0) ==
		      (i < SIZE / 2 ? FC_CSR_PASS : FC_CSR_BLOCK), "%u", i);
	CHECK(probe(3, probe_of(i, 1, 0), 1 << 4, 0) == FC_CSR_PASS, "another peer");
	CHECK(probe(3, probe_of(++i, 1, 1001), 1 << 4, 0) == FC_CSR_BLOCK, "too far");
	CHECK(probe(3, probe_of(++i, 1, 995), 1 << 4, 0) == FC_CSR_BLOCK, "it ends too late");
	CHECK(probe(3, probe_of(++i, 1, ~(u64)0), 1 << 4, 5) == FC_CSR_DROP, "overflow");
	msg = probe_of(++i, 1, 0);
	msg.units = ~0U;
	CHECK(probe(3, msg, 1 << 4, 0) == FC_CSR_BLOCK, "too long");
	msg.units = 0;
	CHECK(probe(3, msg, 1 << 4, 0) == FC_CSR_DROP, "of no length");
	CHECK(probe(3, probe_of(++i, 1, 0), 1U << 31 | 1 | 1 << 3, 0) == FC_CSR_BLOCK,
	      "no such links");
	check_balance();
}

/* Random frames: the state stays bounded, ordered and balanced, and is empty at the end. */
TEST(csr_answered__anything_may_come)
{
	u32 round, n;
	u64 now = 0;

	setup(2);
	for (n = 0; n < NPORTS; n++)
		b.link[n].guard = 2 * UNIT;
	for (round = 0; round < TAP_ROUNDS(400000); round++) {
		struct fc_csr_msg msg = {
			.type = (u8)tap_random(6), .epoch = 7 + !tap_random(50),
			.id = { 3, tap_random(40), tap_random(2) },
			.units = tap_random(4), .lead = tap_random(80), .span = tap_random(300),
			.floor = tap_random(2) * tap_random(400),
		};
		u8 in = (u8)tap_random(NPORTS);

		if (!tap_random(100))
			msg.lead = ~(u64)0 >> tap_random(64);
		if (!tap_random(100))
			msg.floor = ~(u64)0 >> tap_random(64);
		for (n = 0; n < 3; n++)
			b.legs[n] = (struct fc_csr_leg){ .ports = tap_random(64),
							 .last = tap_random(2) };
		n = tap_random(4);
		if (!tap_random(3)) {
			fc_csr_answered(&b.c, in, &msg, now, &b.answer);
		} else if (fc_csr_probe(&b.c, in, &msg, b.legs, (u8)n, tap_random(2), now,
					&b.answer) == FC_CSR_PASS && tap_random(2)) {
			u8 port = b.legs[0].port;

			msg.type = FC_CSR_ACK;
			fc_csr_answered(&b.c, port, &msg, now, &b.answer);
			msg.id.number = tap_random(40);
			fc_csr_answered(&b.c, port, &msg, now, &b.answer);
		}
		if (tap_random(2)) {
			u32 number = tap_random(40);
			u8 port = (u8)(1 + tap_random(NPORTS - 1));
			u64 at;

			if (fc_csr_turn(&b.c, 3, number, port, now, &at) == FC_CSR_GO)
				fc_csr_sent(&b.c, 3, number, port, now);
		}
		if (!tap_random(1000))
			fc_csr_link_down(&b.c, (u8)tap_random(NPORTS));
		now += tap_random(3);
		if (!(round % 64))
			check_balance();
	}
	CHECK(b.c.stat[FC_CSR_SENT] > TAP_ROUNDS(200), "%u sent", (u32)b.c.stat[FC_CSR_SENT]);
	CHECK(b.c.stat[FC_CSR_ORPHANED] > TAP_ROUNDS(200), "%u orphaned",
	      (u32)b.c.stat[FC_CSR_ORPHANED]);
	CHECK(!b.c.stat[FC_CSR_DOUBLE], "two at once");
	/* Invariant I10. */
	fc_csr_time(&b.c, now + b.c.horizon);
	CHECK(!b.c.pool.used && b.c.next_at == FC_CSR_NEVER, "%u left", b.c.pool.used);
	for (n = 0; n < NPORTS; n++)
		CHECK(!b.c.held[n] && b.link[n].first == FC_CSR_NONE, "port %u", n);
	check_balance();
}
