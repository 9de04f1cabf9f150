// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet beside a neighbour that sends the front of a packet and not the rest, or
 * takes nothing.
 */
#include "vnet_bench.h"
#include "core/link/stuck.h"
#include "core/vnet/vnet_delay.h"

#define WINDOW		64

static u64 now;

static void at(u64 time)
{
	struct fc_event ev = { .type = FC_EV_TIME, .now = time };

	now = time;
	event(0, &ev);
}

/* Time passes, and the timers of the switch run when they are due. */
static void pass(u64 time)
{
	u64 end = now + time;

	while (b.v.next_at <= end)
		at(b.v.next_at > now ? b.v.next_at : now + 1);
	at(end);
}

static u64 interval(void)
{
	return fc_stall_interval(b.timing.poll);
}

static void site_1_of_line_4(void)
{
	setup("line:4", 1, WINDOW, WINDOW);
	now = 0;
}

/* Begin a packet from site 0 to site 3, without its last @without flits. */
static u8 begin(u32 flits, u32 without)
{
	u32 dst = 3;
	u8 class = class_from(0, 3);

	packet(class, port_to(0), &dst, 1, flits, without);
	return class;
}

/* Report of what a neighbour delays. */
static struct fc_delay delay(u32 site)
{
	struct fc_delay d;

	fc_delay_init(&d);
	fc_vnet_delay(&b.v, port_to(site), now, &d);
	return d;
}

static struct line *out(void)
{
	return &b.line[class_from(0, 3)][port_to(2)];
}

TEST(vnet_stall__a_packet_without_a_rest_is_cut)
{
	u8 class;

	site_1_of_line_4();
	class = begin(20, 19);
	CHECK(out()->flits == 1, "%u flits", out()->flits);
	/* No packet waits for the output. */
	pass(20 * interval());
	CHECK(!out()->aborted, "cut while nobody waits");
	own_to(3, 1);
	pass(4 * interval());
	CHECK(!out()->aborted, "cut too early");
	pass(2 * interval());
	CHECK(out()->aborted == 1 && out()->packets == 2, "%u aborted", out()->aborted);
	CHECK(b.link_stat[FC_LSTAT_RX_UNFINISHED] == 1, "not counted");
	/* The rest comes after all, and is no error. */
	for (u32 i = 1; i < 20; i++)
		flit(class, port_to(0), i == 19 ? FC_PART_TERM : 0, PAYLOAD, NULL);
	CHECK(!b.link_stat[FC_LSTAT_RX_PROTOCOL] && out()->flits == 3 && !held(), "%u flits",
	      out()->flits);
	/* For a time packets of the link leave when they are whole; and hold nothing before. */
	begin(20, 1);
	CHECK(out()->flits == 3, "%u flits", out()->flits);
	own_to(3, 2);
	CHECK(out()->flits == 5, "an own packet waits");
	pass(20 * interval());
	flit(class, port_to(0), FC_PART_TERM, PAYLOAD, NULL);
	CHECK(out()->flits == 25, "%u flits", out()->flits);
	pass(b.v.stall[port_to(0)].until - now);
	begin(2, 1);
	CHECK(out()->flits == 26, "the packet waits for its end");
}

TEST(vnet_stall__a_slow_packet_is_not_cut)
{
	u8 class;

	site_1_of_line_4();
	class = begin(50, 49);
	own_to(3, 1);
	for (u32 i = 0; i < 12; i++) {
		pass(interval());
		for (u32 k = 0; k < 4; k++)
			flit(class, port_to(0), 0, PAYLOAD, NULL);
	}
	for (u32 i = 49; i < 50; i++)
		flit(class, port_to(0), i == 49 ? FC_PART_TERM : 0, PAYLOAD, NULL);
	CHECK(!out()->aborted && out()->packets == 2, "%u aborted", out()->aborted);
	/* But the next one is stored. */
	begin(20, 1);
	CHECK(out()->flits == 51, "%u flits", out()->flits);
}

/* A site that is farther from the fault waits longer, so that it learns from the abort. */
TEST(vnet_stall__waits_by_distance)
{
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE] = { 0 };
	u32 dst = 3;

	site_1_of_line_4();
	make_head(head, 10 * PAYLOAD, &dst, 1);
	for (u32 i = 0; i < 3; i++)
		fc_node_head_hop(head);
	flit(class_from(0, 3), port_to(0), FC_PART_HEAD, 0, head);
	own_to(3, 1);
	pass(8 * interval());
	CHECK(!out()->aborted, "cut too early");
	pass(interval());
	CHECK(out()->aborted == 1, "not cut");
}

TEST(vnet_stall__is_reported)
{
	struct fc_delay d;
	u8 class;

	site_1_of_line_4();
	pass(interval());
	begin(20, 19);
	pass(interval() - 1);
	d = delay(0);
	CHECK(!d.in_age && d.in_source == FC_SITE_NONE && !d.in_stores, "an honest packet");
	pass(1);
	d = delay(0);
	CHECK(d.in_age == interval() && d.in_source == 0 && d.in_flits == 1 && d.in_total == 20,
	      "source %u flits %u of %u", d.in_source, d.in_flits, d.in_total);
	d = delay(2);
	CHECK(!d.in_age && d.in_source == FC_SITE_NONE && !d.out_age, "the other link");
	own_to(3, 1);
	/* The packet is cut; packets are stored, and these are reported as well. */
	pass(6 * interval());
	d = delay(0);
	CHECK(!d.in_age && d.in_stores == b.v.stall[port_to(0)].until - now && d.in_stores,
	      "%llu", (unsigned long long)d.in_stores);
	CHECK(!delay(2).in_stores, "the other link");
	class = begin(20, 18);
	pass(10 * interval());
	d = delay(0);
	CHECK(d.in_age == 10 * interval() && d.in_flits == 2, "flits %u", d.in_flits);
	for (u32 i = 2; i < 20; i++)
		flit(class, port_to(0), i == 19 ? FC_PART_TERM : 0, PAYLOAD, NULL);
	pass(b.v.stall[port_to(0)].until - now);
	d = delay(0);
	CHECK(!d.in_age && !d.in_stores && d.in_source == FC_SITE_NONE, "it has ended");
}

/* Site 2 answers the last poll: it has the flits of @have, and has taken none. */
static void answer_upto(u64 have, u8 flags, u32 upto)
{
	u8 class = class_to(2), port = port_to(2);
	struct fc_event ev = {
		.type = FC_EV_STATUS, .port = port, .now = now, .ack = out()->acked,
		.seq = b.next[class][port], .flags = flags,
		.status = { .have = have, .echo = b.tx[class][port].polls,
			    .upto = upto },
	};

	event(class, &ev);
}

static void answer(u64 have, u8 flags)
{
	answer_upto(have, flags,
		    flags & FC_STATUS_NACK ? b.tx[class_to(2)][port_to(2)].sent : 0);
}

/* Each poll is answered at once, for a time. */
static void answers(u64 time, u64 have, u8 flags)
{
	u64 end = now + time;

	while (now < end) {
		u16 polls = b.tx[class_to(2)][port_to(2)].polls;

		at(b.v.next_at > now && b.v.next_at < end ? b.v.next_at : now + 1);
		if (b.tx[class_to(2)][port_to(2)].polls != polls)
			answer(have, flags);
	}
}

static void send_to_3(const u8 *head)
{
	flit((u8)fc_vnet_injq(&b.v), FC_PORT_LOCAL, FC_PART_HEAD | FC_PART_TERM, 0, head);
}

/* Packets of this site to site 3 fill the window of site 2; another one waits, if @more. */
static void fill_and(bool datagram, bool more)
{
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE] = { 0 };
	u32 dst = 3;

	make_head(head, 0, &dst, 1);
	if (datagram)
		make_datagram(head, 1);
	while (out()->flits - out()->acked < WINDOW)
		send_to_3(head);
	if (more)
		send_to_3(head);
}

static void fill(bool datagram)
{
	fill_and(datagram, true);
}

static u64 abandoned(void)
{
	return b.link_stat[FC_LSTAT_TX_ABANDONED];
}

TEST(vnet_stuck__packets_are_abandoned)
{
	static const struct {
		bool datagram;
		u64 have;
		u8 flags;
		u32 least, most;	/* polls */
	} cases[] = {
		{ true, ~(u64)0, 0, 8 * FC_LLR_STUCK, 12 * FC_LLR_STUCK },
		{ false, ~(u64)0, 0, 8 * FC_LLR_STUCK_MESSAGES, 9 * FC_LLR_STUCK_MESSAGES },
		/* The peer reports nothing as received, and nothing as missing. */
		{ true, 0, 0, FC_LLR_STUCK, 3 * FC_LLR_STUCK },
		{ false, 0, 0, FC_LLR_STUCK_MESSAGES, 2 * FC_LLR_STUCK_MESSAGES },
		/* The peer requests everything, again and again. */
		{ true, 0, FC_STATUS_NACK, 8 * FC_LLR_STUCK, 20 * FC_LLR_STUCK },
	};

	for (u32 i = 0; i < FC_ARRAY_SIZE(cases); i++) {
		u64 began;

		site_1_of_line_4();
		fill(cases[i].datagram);
		began = now;
		answers(cases[i].least * b.timing.poll, cases[i].have, cases[i].flags);
		CHECK(!abandoned(), "case %u: too early", i);
		while (!abandoned() && now < 1000 * b.timing.poll)
			answers(b.timing.poll, cases[i].have, cases[i].flags);
		CHECK(now - began <= cases[i].most * b.timing.poll, "case %u: after %llu polls", i,
		      (unsigned long long)((now - began) / b.timing.poll));
		CHECK(!held(), "case %u: it is kept", i);
		/* The next one does not wait. */
		fill(cases[i].datagram);
		CHECK(abandoned() == 2, "case %u: the next one waits", i);
		/* The peer takes what it has: it is as good as any. */
		ack(2, WINDOW);
		fill(cases[i].datagram);
		CHECK(abandoned() == 2 && out()->flits == 2 * WINDOW, "case %u: %u flits", i,
		      out()->flits);
	}
}

/* Packets of another channel of the link were abandoned: those of this one wait less. */
TEST(vnet_stuck__known_by_another_channel)
{
	u64 began;

	site_1_of_line_4();
	fill(false);
	began = now;
	while (held() && now < 1000 * b.timing.poll) {
		b.link_stat[FC_LSTAT_TX_ABANDONED]++;
		answers(b.timing.poll, ~(u64)0, 0);
	}
	CHECK(now - began <= 4 * FC_LLR_STUCK_MESSAGES * b.timing.poll, "after %llu polls",
	      (unsigned long long)((now - began) / b.timing.poll));
}

/* The peer has taken nothing for long when the first packet has no credit. */
TEST(vnet_stuck__known_before_a_packet_waits)
{
	site_1_of_line_4();
	fill_and(true, false);
	answers(16 * FC_LLR_STUCK_DRY * b.timing.poll, ~(u64)0, 0);
	CHECK(!abandoned(), "nothing waits");
	fill(true);
	CHECK(abandoned() == 1 && !held(), "it waits");
}

/*
 * For a message a queue that stands for so long proves too little, unless packets of another
 * channel of the link were abandoned meanwhile.
 */
TEST(vnet_stuck__known_by_another_channel_before_a_message_waits)
{
	for (u32 others = 0; others < 2; others++) {
		site_1_of_line_4();
		fill_and(false, false);
		answers(8 * FC_LLR_STUCK_DRY * b.timing.poll, ~(u64)0, 0);
		b.link_stat[FC_LSTAT_TX_ABANDONED] += others;
		answers(8 * FC_LLR_STUCK_DRY * b.timing.poll, ~(u64)0, 0);
		fill(false);
		CHECK(abandoned() == 2 * others && held() == 1 - others, "case %u: %llu abandoned",
		      others, (unsigned long long)abandoned());
		/* The peer takes a flit: what was abandoned before is forgotten. */
		ack(2, 1);
		answers(8 * FC_LLR_STUCK_DRY * b.timing.poll, ~(u64)0, 0);
		CHECK(!fc_llr_abandons(&b.v.ch[class_to(2)], port_to(2)), "case %u", others);
	}
}

TEST(vnet_stuck__is_reported)
{
	struct fc_delay d;
	u64 age;

	site_1_of_line_4();
	fill(false);
	d = delay(2);
	CHECK(!d.out_age && d.out_source == FC_SITE_NONE, "source %u", d.out_source);
	answers(2 * FC_LLR_STUCK * b.timing.poll, 0, 0);
	d = delay(2);
	CHECK(d.out_age == b.tx[class_to(2)][port_to(2)].held &&
	      d.out_age >= FC_LLR_STUCK * b.timing.poll, "%llu", (unsigned long long)d.out_age);
	CHECK(d.out_source == 0 && d.out_target == 3 && d.out_flits == 1,
	      "source %u target %u flits %u", d.out_source, d.out_target, d.out_flits);
	d = delay(0);
	CHECK(!d.out_age && d.out_source == FC_SITE_NONE, "the other link");
	/* The packet is abandoned, and the link remembers. */
	answers(2 * FC_LLR_STUCK_MESSAGES * b.timing.poll, 0, 0);
	d = delay(2);
	CHECK(abandoned() == 1 && d.out_age >= FC_LLR_STUCK_MESSAGES * b.timing.poll &&
	      d.out_source == FC_SITE_NONE, "source %u", d.out_source);
	/* The link forgets half with each ack of all flits. */
	age = d.out_age;
	ack(2, WINDOW);
	d = delay(2);
	CHECK(d.out_age <= age / 2, "%llu", (unsigned long long)d.out_age);
}

/* A peer that takes 100 flits a second, and is slow for long, is not stuck. */
TEST(vnet_stuck__slow_is_not_stuck)
{
	site_1_of_line_4();
	fill(true);
	for (u32 i = 0; i < 500; i++) {
		answers(b.timing.poll, ~(u64)0, 0);
		ack(2, 2);
		fill(true);
	}
	CHECK(!abandoned(), "%llu abandoned", (unsigned long long)abandoned());
}

/* A peer that does not answer is another fault, for as long as it is silent. */
TEST(vnet_stuck__a_pause_is_not_stuck)
{
	site_1_of_line_4();
	fill(false);
	pass(1000 * b.timing.poll);
	CHECK(!abandoned(), "abandoned");
	answer(~(u64)0, 0);
	CHECK(!abandoned(), "abandoned at the first answer");
}

/* A request of flits that the peer has, or of none, is as good as no request. */
TEST(vnet_stuck__empty_requests)
{
	for (u32 i = 0; i < 2; i++) {
		u64 have = i ? ~(u64)0 : 0;

		site_1_of_line_4();
		fill(true);
		while (!abandoned() && now < 1000 * b.timing.poll) {
			u16 polls = b.tx[class_to(2)][port_to(2)].polls;

			at(b.v.next_at > now ? b.v.next_at : now + 1);
			if (b.tx[class_to(2)][port_to(2)].polls == polls)
				continue;
			answer_upto(have, FC_STATUS_NACK,
				    i ? b.tx[class_to(2)][port_to(2)].sent : out()->acked);
		}
		CHECK(now < 60 * b.timing.poll, "case %u: after %llu polls", i,
		      (unsigned long long)(now / b.timing.poll));
	}
}

/* The wait ends with the last packet that waits: what follows is as young as it is. */
TEST(vnet_stuck__ends_with_the_last_packet)
{
	u8 class = class_to(2), port = port_to(2);

	site_1_of_line_4();
	fill(true);
	CHECK(b.tx[class][port].waits, "it does not wait");
	ack(2, WINDOW);
	CHECK(!b.tx[class][port].waits && !b.tx[class][port].held, "it waits");
}
