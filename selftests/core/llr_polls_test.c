// SPDX-License-Identifier: GPL-2.0
/* Polls for frames that no ack covers: the link of a channel without flits is tested. */
#include <string.h>

#include "core/link/llr.h"
#include "tap.h"

static struct fc_effects effects;

/**
 * struct tested - one channel of a link, and the only one with flits or tests; the other link of
 *	the site, by port 2, is down at first
 * @polls: polls that it sent
 * @suspected: when it found the peer silent; 0: it did not
 * @other_polls: polls by port 2
 * @other_suspected: as @suspected, of the peer there
 */
struct tested {
	struct fc_timing timing;
	struct fc_flit queue[2][8];
	struct fc_rx rx[3];
	struct fc_tx tx[3];
	u64 stat[FC_LSTAT_COUNT];
	u64 other_stat[FC_LSTAT_COUNT];
	struct fc_channel ch;
	u32 polls;
	u64 suspected;
	u32 other_polls;
	u64 other_suspected;
};

static void tested_init(struct tested *t)
{
	memset(t, 0, sizeof(*t));
	t->timing = (struct fc_timing){ .retry = 20, .ack_delay = 100, .poll = 200 };
	t->ch = (struct fc_channel){
		.timing = &t->timing, .nports = 3, .window = 8, .rx = t->rx, .tx = t->tx,
	};
	t->rx[1].queue = t->queue[0];
	t->rx[2].queue = t->queue[1];
	t->rx[0].stat = t->stat;
	t->rx[1].stat = t->stat;
	t->rx[2].stat = t->other_stat;
	fc_channel_init(&t->ch);
	t->ch.up |= fc_bit(1);
}

/* Run the timers for so long; with @answer the peer answers each poll at once. */
static void tested_run(struct tested *t, u64 time, bool answer)
{
	for (u64 end = t->ch.now + time; t->ch.now < end; t->ch.now++) {
		struct fc_event ev = { .type = FC_EV_STATUS, .port = 1 };
		u32 n = effects.n = 0;

		fc_llr_time(&t->ch);
		fc_llr_send_status(&t->ch, &effects);
		n = effects.n;
		for (u32 i = 0; i < n; i++) {
			const struct fc_effect *e = &effects.fx[i];

			if (e->type == FC_FX_SUSPECT && e->mask & fc_bit(1) && !t->suspected)
				t->suspected = t->ch.now;
			if (e->type == FC_FX_SUSPECT && e->mask & fc_bit(2) && !t->other_suspected)
				t->other_suspected = t->ch.now;
			t->other_polls += e->type == FC_FX_STATUS && e->port == 2;
			if (e->type != FC_FX_STATUS || e->port != 1)
				continue;
			t->polls++;
			ev.status.echo = e->status.poll;
			if (answer)
				fc_llr_status(&t->ch, &ev, &effects);
		}
	}
}

/* A link that carries only frames without acks is suspected as fast as one with flits. */
TEST(llr_test__silence_is_suspected)
{
	struct tested t;

	tested_init(&t);
	fc_llr_test(&t.ch, 1, 0);
	tested_run(&t, 8 * t.timing.poll, false);
	CHECK(t.suspected == 7 * t.timing.poll, "suspected at %llu",
	      (unsigned long long)t.suspected);
}

/*
 * Both links of a site are silent, and one of them carries a flit: the other one is found silent
 * 60 ms after it, not when packets have taken it.  It is not tested where it answered lately, nor
 * where one answer of the first link is late.
 */
TEST(llr_test__a_silence_tests_the_other_links)
{
	for (u32 answers = 0; answers < 2; answers++) {
		struct tested t;

		tested_init(&t);
		t.ch.up |= fc_bit(2);
		effects.n = 0;
		fc_llr_sent(&t.ch, 1, fc_effect_add(&effects, FC_FX_SEND, 1, NULL));
		tested_run(&t, 2 * t.timing.poll, false);
		CHECK(t.polls == 1 && t.tx[2].poll_at == FC_NEVER, "%u polls", t.polls);
		tested_run(&t, t.timing.poll + 1, false);
		CHECK(t.polls == 2 && t.tx[2].poll_at != FC_NEVER, "%u polls", t.polls);
		t.other_stat[FC_LSTAT_RX_ANSWERS] += answers;
		tested_run(&t, 8 * t.timing.poll, false);
		CHECK(t.suspected == 7 * t.timing.poll, "suspected at %llu",
		      (unsigned long long)t.suspected);
		CHECK(answers ? !t.other_polls : t.other_suspected == 10 * t.timing.poll,
		      "%u polls, suspected at %llu", t.other_polls,
		      (unsigned long long)t.other_suspected);
	}
}

TEST(llr_test__ends_with_an_answer)
{
	struct tested t;
	u32 most = 1000 / FC_LLR_TEST + 2, n;

	tested_init(&t);
	fc_llr_test(&t.ch, 1, 0);
	tested_run(&t, 1000 * t.timing.poll, true);
	CHECK(t.polls == 1 && !t.suspected, "%u polls", t.polls);
	/* Without an end of the frames. */
	for (n = 0; n < 1000 * t.timing.poll; n++) {
		fc_llr_test(&t.ch, 1, t.ch.now);
		tested_run(&t, 1, true);
	}
	CHECK(t.polls > 100 && t.polls <= most, "%u polls, not %u", t.polls, most);
	CHECK(!t.suspected, "suspected");
	/* A silence begins after an answer. */
	n = (u32)t.ch.now;
	fc_llr_test(&t.ch, 1, t.ch.now);
	tested_run(&t, (8 + FC_LLR_TEST) * t.timing.poll, false);
	CHECK(t.suspected && t.suspected - n <= (7 + FC_LLR_TEST) * t.timing.poll, "%llu later",
	      (unsigned long long)t.suspected - n);
}

/* Answers on any channel of the link show that it is not silent. */
TEST(llr_test__other_answers_count)
{
	struct tested t;

	tested_init(&t);
	for (u32 i = 0; i < 100; i++) {
		fc_llr_test(&t.ch, 1, t.ch.now);
		t.stat[FC_LSTAT_RX_ANSWERS]++;
		tested_run(&t, t.timing.poll + 1, false);
	}
	CHECK(!t.polls, "%u polls", t.polls);
}

/* The timer of a test does not postpone the poll for a flit. */
TEST(llr_test__a_flit_is_polled_for_in_time)
{
	struct tested t;

	tested_init(&t);
	fc_llr_test(&t.ch, 1, 0);
	tested_run(&t, t.timing.poll + 1, true);
	CHECK(t.polls == 1, "%u polls", t.polls);
	fc_llr_test(&t.ch, 1, t.ch.now);
	effects.n = 0;
	fc_llr_sent(&t.ch, 1, fc_effect_add(&effects, FC_FX_SEND, 1, NULL));
	tested_run(&t, t.timing.poll + 1, false);
	CHECK(t.polls == 2, "%u polls", t.polls);
}

/* Polls of an earlier silence, which another channel ended, do not lengthen waits of the next. */
TEST(llr_test__an_earlier_silence_does_not_count)
{
	struct tested t;
	u64 began;

	tested_init(&t);
	fc_llr_test(&t.ch, 1, 0);
	tested_run(&t, 200 * t.timing.poll, false);
	CHECK(t.suspected && t.polls > FC_LLR_UNECHOED, "%u polls", t.polls);
	/* The link works again: another channel gets an answer, and this one stops polling. */
	t.stat[FC_LSTAT_RX_ANSWERS]++;
	tested_run(&t, 20 * t.timing.poll, false);
	CHECK(t.tx[1].poll_at == FC_NEVER, "polls on");
	t.suspected = 0;
	began = t.ch.now;
	fc_llr_test(&t.ch, 1, began);
	tested_run(&t, 40 * t.timing.poll, false);
	CHECK(t.suspected && t.suspected - began <= 7 * t.timing.poll + 1, "suspected after %llu",
	      (unsigned long long)(t.suspected - began));
}

/* An echo of a poll that was sent before the link was trusted again shows no slow peer. */
TEST(llr_test__an_echo_after_trust_is_not_late)
{
	struct fc_event ev = { .type = FC_EV_STATUS, .port = 1, .status = { .echo = 1 } };
	struct tested t;

	tested_init(&t);
	fc_llr_test(&t.ch, 1, 0);
	tested_run(&t, 40 * t.timing.poll, false);
	CHECK(t.suspected, "not suspected");
	fc_llr_hasten(&t.ch, 1);
	effects.n = 0;
	fc_llr_status(&t.ch, &ev, &effects);
	CHECK(!t.stat[FC_LSTAT_RX_LATE_ANSWERS], "late");
	/* The poll that followed is answered. */
	tested_run(&t, 1, true);
	CHECK(t.tx[1].poll_at == FC_NEVER, "polls on");
}

/*
 * The peer has received poll 1; its answer and all later polls were lost: when the link works
 * again, a status that echoes poll 1 shows no slow peer.  One that answers poll 2, too, is slow.
 */
TEST(llr_test__only_a_slow_peer_answers_later_polls_too)
{
	struct fc_event ev = { .type = FC_EV_STATUS, .port = 1, .status = { .echo = 1 } };

	for (u16 slow = 0; slow < 2; slow++) {
		struct tested t;

		tested_init(&t);
		fc_llr_test(&t.ch, 1, 0);
		tested_run(&t, 40 * t.timing.poll, false);
		CHECK(t.suspected, "not suspected");
		effects.n = 0;
		ev.status.echo = 1;
		fc_llr_status(&t.ch, &ev, &effects);
		fc_llr_test(&t.ch, 1, t.ch.now);
		tested_run(&t, (2 + FC_LLR_TEST) * t.timing.poll, false);
		ev.status.echo = slow ? 2 : t.tx[1].polls;
		fc_llr_status(&t.ch, &ev, &effects);
		CHECK(t.stat[FC_LSTAT_RX_LATE_ANSWERS] == slow, "%llu late answers, not %u",
		      (unsigned long long)t.stat[FC_LSTAT_RX_LATE_ANSWERS], slow);
	}
}
