// SPDX-License-Identifier: GPL-2.0
/*
 * Both ends of a link that loses nothing, whose hosts stall, run late, have other intervals, or are
 * removed.  A frame takes a millisecond; times are those of the kernel.
 */
#include <string.h>

#include "core/link/hello.h"
#include "tap.h"

#define NEVER	(~(u64)0)
#define MS	1000000ULL
#define WIRE	1024

static struct {
	struct fc_hello end[2];
	struct {
		u64 at;
		struct fc_hello_msg msg;
		bool full;
	} wire[2][WIRE];	/* by receiver, as rings */
	u32 first[2], last[2];
	u32 sent[2];
	u32 downs[2];
	u64 asleep_until[2];	/* the host of this end is stalled */
	u64 now;
} b;

static void send(unsigned int from, bool full, bool pair)
{
	unsigned int to = !from;
	u32 slot = b.last[to]++ % WIRE;

	REQUIRE(b.last[to] - b.first[to] <= WIRE, "end %u is sent more than it reads", to);
	b.wire[to][slot].at = b.now + MS;
	b.wire[to][slot].msg = fc_hello_next(&b.end[from], pair);
	b.wire[to][slot].full = full;
	b.sent[from]++;
}

static void perform(unsigned int i, u8 todo)
{
	b.downs[i] += !!(todo & FC_HELLO_GO_DOWN);
	if (todo & FC_HELLO_CHECK)
		send(i, true, true);
	if (todo & FC_HELLO_SEND)
		send(i, fc_hello_full(&b.end[i]), todo & FC_HELLO_CHECK);
}

/* @early: runs of the timer for another reason, in ms between them; 0: none. */
static void run(u64 ms, u32 early)
{
	for (u64 end = b.now + ms * MS; b.now < end; b.now += MS) {
		for (unsigned int i = 0; i < 2; i++) {
			struct fc_hello *h = &b.end[i];

			if (b.now < b.asleep_until[i])
				continue;
			if (h->send_at <= b.now || h->dead_at <= b.now ||
			    (early && !(b.now / MS % early)))
				perform(i, fc_hello_time(h, b.now, true));
			while (b.first[i] != b.last[i] &&
			       b.wire[i][b.first[i] % WIRE].at <= b.now) {
				u32 slot = b.first[i]++ % WIRE;

				perform(i, fc_hello_received(h, &b.wire[i][slot].msg,
							     b.wire[i][slot].full, b.now));
			}
		}
	}
}

/* A link that is up, with the intervals of both ends. */
static void bring_up(u16 interval, u16 other, bool keyed)
{
	memset(&b, 0, sizeof(b));
	b.now = 1000 * MS;
	for (unsigned int i = 0; i < 2; i++) {
		u16 ms = i ? other : interval;

		b.end[i] = (struct fc_hello){
			.own = {
				.ver_min = 1, .ver_max = 1, .mode = 1, .site = i,
				.port = (u16)(i + 1), .window = 8, .flit = 1500, .epoch = 100 + i,
				.topology = 0x1234, .nsites = 16, .reason = FC_REASON_CARRIER,
				.interval = ms,
			},
			.want_site = !i, .want_port = (u16)(!i + 1), .keyed = keyed, .ms = MS,
			.interval = ms * MS, .dead = FC_HELLO_DEAD, .send_at = NEVER,
			.dead_at = NEVER, .state = FC_LINK_DOWN,
		};
	}
	perform(0, fc_hello_carrier(&b.end[0], true, b.now));
	perform(1, fc_hello_carrier(&b.end[1], true, b.now));
	run(3000, 0);
	REQUIRE(b.end[0].state == FC_LINK_UP && b.end[1].state == FC_LINK_UP, "not up");
	memset(b.sent, 0, sizeof(b.sent));
	memset(b.downs, 0, sizeof(b.downs));
}

/* Each end sends as many HELLOs as its interval says, and does not ask, whatever the other's is. */
TEST(hello_ends__intervals_differ)
{
	static const u16 interval[] = { 50, 500, 1000, 1100, 2000, 10000 };

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(interval); i++) {
		for (unsigned int j = 0; j < FC_ARRAY_SIZE(interval); j++) {
			bring_up(interval[i], interval[j], false);
			run(60000, 0);
			for (unsigned int k = 0; k < 2; k++) {
				u32 ms = interval[k ? j : i];

				CHECK(b.sent[k] <= 2 * 60000 / ms + 1 && b.sent[k] >= 60000 / ms,
				      "%u ms and %u ms: end %u sent %u", interval[i], interval[j],
				      k, b.sent[k]);
			}
			CHECK(!b.downs[0] && !b.downs[1], "it was reset");
		}
	}
}

/*
 * The peer's host is stalled, and the link is suspected shortly before it goes on.  It answers what
 * this end asked meanwhile: such answers do not mean that long frames are lost.
 */
TEST(hello_ends__a_stalled_peer_is_not_grey)
{
	static const u16 interval[][2] = { { 500, 500 }, { 2000, 500 }, { 500, 2000 } };

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(interval); i++) {
		for (u32 at = 200; at <= 2400; at += 50) {
			bring_up(interval[i][0], interval[i][1], false);
			b.asleep_until[1] = b.now + (at + 100) * MS;
			run(at, 0);
			perform(0, fc_hello_suspect(&b.end[0], FC_SUSPICION_SILENT, b.now));
			run(2000, 0);
			CHECK(!b.downs[0] && !b.downs[1], "%u ms, stalled for %u: %s",
			      interval[i][0], at + 100, fc_reason_text(b.end[0].own.reason));
		}
	}
}

/* Where the timer runs often for another reason, an end asks no more often. */
TEST(hello_ends__early_runs_do_not_ask_more)
{
	bring_up(500, 500, false);
	b.asleep_until[1] = NEVER;
	run(1700, 0);
	memset(b.sent, 0, sizeof(b.sent));
	run(1000, 3);
	CHECK(b.sent[0] && b.sent[0] <= 1000 / FC_HELLO_PROBE_MS + 1, "%u times", b.sent[0]);
}

/* Answers are limited, whatever the peer sends. */
TEST(hello_ends__answers_are_limited)
{
	static const u8 flags[] = { FC_HELLO_PAIR, FC_HELLO_ASK, FC_HELLO_ASK | FC_HELLO_PAIR };

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(flags); i++) {
		struct fc_hello_msg m;
		u32 answers = 0;

		bring_up(500, 500, false);
		m = b.end[0].peer;
		m.flags = flags[i];
		for (unsigned int k = 0; k < 10000; k++) {
			answers += !!(fc_hello_received(&b.end[0], &m, false, b.now) &
				      FC_HELLO_SEND);
			b.now += MS / 10;
		}
		/* Two for each probe of a peer, and a burst. */
		CHECK(answers <= 2 * 1000 / FC_HELLO_PROBE_MS + FC_HELLO_BURST + 1, "%u answers",
		      answers);
		CHECK(answers >= 1000 / FC_HELLO_PROBE_MS, "%u answers", answers);
	}
}

/* A link to a silent peer dies, however late its checks are. */
TEST(hello_ends__late_checks_end)
{
	for (u32 late = 0; late <= 400; late++) {
		u64 began, at;

		bring_up(500, 500, false);
		began = b.now;
		while (b.end[0].state == FC_LINK_UP && b.now < began + 60000 * MS) {
			at = b.end[0].send_at < b.end[0].dead_at ? b.end[0].send_at :
								  b.end[0].dead_at;
			b.now = (at > b.now ? at : b.now) + late * MS;
			fc_hello_time(&b.end[0], b.now, true);
		}
		CHECK(b.end[0].state != FC_LINK_UP, "%u ms late: it never dies", late);
		/* Each late check waits for one more interval. */
		CHECK(b.now - began <= (FC_HELLO_DEAD + FC_HELLO_LATE_CHECKS + 2ULL) *
		      (FC_HELLO_MS + late) * MS, "%u ms late: dies after %llu ms", late,
		      (unsigned long long)((b.now - began) / MS));
	}
}

/* A removed end stays removed: no HELLO of the peer makes it send, or brings the link up again. */
TEST(hello_ends__removed_for_good)
{
	for (unsigned int keyed = 0; keyed < 2; keyed++) {
		bring_up(500, 500, keyed);
		perform(0, fc_hello_leave(&b.end[0]));
		run(100, 0);
		CHECK(b.downs[1] == 1, "the peer is not informed");
		memset(b.sent, 0, sizeof(b.sent));
		perform(0, fc_hello_set(&b.end[0], 16, 0, b.now));
		perform(0, fc_hello_pace(&b.end[0], 100, 6, b.now));
		run(20000, 7);
		CHECK(!b.sent[0], "%u HELLOs after the last one", b.sent[0]);
		CHECK(b.sent[1] && b.end[1].state == FC_LINK_INIT, "the peer came up");
	}
}
