// SPDX-License-Identifier: GPL-2.0
/*
 * Suspicion of a link, farewell, pace and late checks of the handshake, with one end only: the test
 * is its peer.  Times are those of the kernel.
 */
#include "core/link/hello.h"
#include "core/link/node.h"
#include "tap.h"

#define NEVER	(~(u64)0)
#define MS	1000000ULL

static struct fc_hello new_end(void)
{
	return (struct fc_hello){
		.own = {
			.ver_min = 1, .ver_max = 1, .mode = 1, .port = 1, .window = 8,
			.flit = 1500, .epoch = 100, .topology = 0x1234, .nsites = 16,
			.reason = FC_REASON_CARRIER, .interval = FC_HELLO_MS,
		},
		.want_site = 1, .want_port = 2, .ms = MS, .interval = FC_HELLO_MS * MS,
		.dead = FC_HELLO_DEAD, .send_at = NEVER, .dead_at = NEVER, .state = FC_LINK_DOWN,
	};
}

/* Time without a frame after which the link is dead. */
static u64 death(u64 intervals, u64 interval)
{
	return intervals * interval * MS + (interval * MS >> FC_HELLO_GRACE_SHIFT);
}

/* A HELLO of the peer, which has received those of the end. */
static struct fc_hello_msg of_peer(const struct fc_hello *h, u8 flags)
{
	return (struct fc_hello_msg){
		.ver_min = 1, .ver_max = 1, .mode = 1, .site = 1, .port = 2, .window = 8,
		.flit = 1500, .epoch = 7, .peer_epoch = h->own.epoch, .topology = 0x1234,
		.nsites = 16, .flags = flags, .interval = FC_HELLO_MS,
	};
}

static u8 receive(struct fc_hello *h, u8 flags, bool full, u64 now)
{
	struct fc_hello_msg m = of_peer(h, flags);

	return fc_hello_received(h, &m, full, now);
}

static struct fc_hello end_that_is_up(u64 now)
{
	struct fc_hello h = new_end();

	fc_hello_carrier(&h, true, now);
	CHECK(receive(&h, 0, false, now) & FC_HELLO_GO_UP, "state %u", h.state);
	return h;
}

#define BEGINS	(FC_HELLO_SEND | FC_HELLO_CHECK | FC_HELLO_SUSPECT)

TEST(hello_suspect__probes_until_trusted)
{
	u64 now = 1000 * MS, begun = now;
	struct fc_hello h = end_that_is_up(now);

	CHECK(fc_hello_suspect(&h, FC_SUSPICION_SILENT, now) == BEGINS, "no suspicion");
	CHECK(h.state == FC_LINK_UP && h.suspicion == FC_SUSPICION_SILENT, "%u", h.suspicion);
	CHECK(fc_hello_next(&h, true).flags & FC_HELLO_PAIR, "no pair");
	CHECK(!fc_hello_suspect(&h, FC_SUSPICION_GREY, now), "suspected twice");
	CHECK(h.suspicion == FC_SUSPICION_SILENT, "%u", h.suspicion);
	/* Pairs go each 60 ms, also where the runner is awake for another link. */
	for (unsigned int i = 0; i < 8; i++) {
		CHECK(!fc_hello_time(&h, now + ((u64)FC_HELLO_PROBE_MS * MS) - 1, true), "too early");
		now += ((u64)FC_HELLO_PROBE_MS * MS);
		CHECK(fc_hello_time(&h, now, false) == (FC_HELLO_SEND | FC_HELLO_CHECK),
		      "no pair");
	}
	for (unsigned int i = 0; i < FC_HELLO_ANSWERS + 2; i++)
		CHECK(!receive(&h, FC_HELLO_SEEN, false, now), "trusted before the hold ends");
	CHECK(!receive(&h, FC_HELLO_SEEN, false, begun + ((u64)FC_HELLO_HOLD_MS * MS) - 1), "too early");
	now = begun + ((u64)FC_HELLO_HOLD_MS * MS);
	CHECK(!receive(&h, 0, false, now), "trusted without an answer");
	CHECK(receive(&h, FC_HELLO_SEEN, false, now) == FC_HELLO_TRUST, "not trusted");
	CHECK(!h.suspicion && h.state == FC_LINK_UP, "%u", h.suspicion);
	CHECK(h.send_at == now + FC_HELLO_MS * MS, "HELLOs go at another rate");
	CHECK(!receive(&h, FC_HELLO_SEEN, false, now), "trusted twice");
}

/* Pairs stop when enough were answered, single HELLOs follow, and a pair when the hold ends. */
TEST(hello_suspect__single_hellos_between_pairs)
{
	u64 now = 1000 * MS, begun = now;
	struct fc_hello h = end_that_is_up(now);
	unsigned int single = 0;

	fc_hello_suspect(&h, FC_SUSPICION_SILENT, now);
	for (unsigned int i = 0; i < FC_HELLO_ANSWERS; i++)
		receive(&h, FC_HELLO_SEEN, false, now);
	for (now = h.send_at; now < begun + FC_HELLO_HOLD_MS * MS; now = h.send_at) {
		CHECK(fc_hello_time(&h, now, false) == FC_HELLO_SEND, "a pair");
		CHECK(h.send_at <= now + (h.interval >> FC_HELLO_ALIVE_SHIFT), "silent too long");
		single++;
	}
	CHECK(single >= 2, "%u single HELLOs", single);
	CHECK(now == begun + FC_HELLO_HOLD_MS * MS, "the pair goes at another time");
	CHECK(fc_hello_time(&h, now, false) == (FC_HELLO_SEND | FC_HELLO_CHECK), "no pair");
	CHECK(h.send_at == now + FC_HELLO_PROBE_MS * MS, "the next pair goes at another time");
	/* Silence after the answers: pairs go again. */
	h = end_that_is_up(begun);
	fc_hello_suspect(&h, FC_SUSPICION_SILENT, begun);
	for (unsigned int i = 0; i < FC_HELLO_ANSWERS; i++)
		receive(&h, FC_HELLO_SEEN, false, begun);
	fc_hello_suspect(&h, FC_SUSPICION_SILENT, begun);
	CHECK(fc_hello_time(&h, h.send_at, false) == (FC_HELLO_SEND | FC_HELLO_CHECK), "no pair");
}

TEST(hello_suspect__short_interval)
{
	u64 now = 1000 * MS;
	struct fc_hello h = end_that_is_up(now);

	fc_hello_pace(&h, FC_HELLO_MS_MIN, FC_HELLO_DEAD, now);
	fc_hello_suspect(&h, FC_SUSPICION_SILENT, now);
	CHECK(h.send_at == now + FC_HELLO_MS_MIN * MS, "pairs are further apart than HELLOs");
}

/* Ends whose HELLOs wait in a queue do not answer each of them. */
TEST(hello_answers__are_limited)
{
	for (unsigned int keyed = 0; keyed < 2; keyed++) {
		u64 now = 1000 * MS;
		struct fc_hello h = end_that_is_up(now);
		struct fc_hello_msg m;
		unsigned int answers = 0;

		h.keyed = keyed;
		m = of_peer(&h, 0);
		m.peer_epoch = h.own.epoch + 7;
		for (unsigned int i = 0; i < 100; i++)
			answers += !!(fc_hello_received(&h, &m, false, now) & FC_HELLO_SEND);
		CHECK(answers == FC_HELLO_BURST, "%u answers", answers);
		CHECK(h.send_at != NEVER, "no HELLO follows");
		now += h.interval >> FC_HELLO_INIT_SHIFT;
		CHECK(fc_hello_received(&h, &m, false, now) & FC_HELLO_SEND, "no answer");
		CHECK(!(fc_hello_received(&h, &m, false, now) & FC_HELLO_SEND), "one too many");
	}
}

TEST(hello_suspect__needs_answers_since_the_last_silence)
{
	u64 now = 1000 * MS;
	struct fc_hello h = end_that_is_up(now);

	fc_hello_suspect(&h, FC_SUSPICION_SILENT, now);
	now += 2 * ((u64)FC_HELLO_HOLD_MS * MS);
	for (unsigned int i = 1; i < FC_HELLO_ANSWERS; i++)
		CHECK(!receive(&h, FC_HELLO_SEEN, false, now), "trusted after %u answers", i);
	CHECK(!fc_hello_suspect(&h, FC_SUSPICION_SILENT, now), "suspected twice");
	for (unsigned int i = 1; i < FC_HELLO_ANSWERS; i++)
		CHECK(!receive(&h, FC_HELLO_SEEN, false, now), "trusted after %u answers", i);
	/* Half a pair is no answer. */
	CHECK(!receive(&h, FC_HELLO_MISSED, false, now), "trusted by half a pair");
	CHECK(receive(&h, FC_HELLO_SEEN, false, now) == FC_HELLO_TRUST, "not trusted");
}

TEST(hello_suspect__answers_pairs)
{
	u64 now = 1000 * MS;
	struct fc_hello h = end_that_is_up(now);

	CHECK(!receive(&h, FC_HELLO_PAIR, true, now), "an answer to half a pair");
	CHECK(receive(&h, FC_HELLO_PAIR, false, now) == FC_HELLO_SEND, "no answer");
	CHECK(fc_hello_next(&h, false).flags == FC_HELLO_SEEN, "%x", h.answer);
	CHECK(receive(&h, FC_HELLO_PAIR, false, now) == FC_HELLO_SEND, "no answer");
	CHECK(fc_hello_next(&h, false).flags == FC_HELLO_MISSED, "%x", h.answer);
	CHECK(!fc_hello_time(&h, now, false), "a HELLO is due");
	CHECK(!fc_hello_next(&h, false).flags, "the answer goes again");
}

TEST(hello_suspect__full_frames_are_lost)
{
	u64 now = 1000 * MS;
	struct fc_hello h = end_that_is_up(now);

	fc_hello_suspect(&h, FC_SUSPICION_GREY, now);
	for (unsigned int i = 1; i < FC_HELLO_CHECKS; i++)
		CHECK(!receive(&h, FC_HELLO_MISSED, false, now), "down after %u", i);
	CHECK(!receive(&h, FC_HELLO_SEEN, false, now), "trusted");
	for (unsigned int i = 1; i < FC_HELLO_CHECKS; i++)
		CHECK(!receive(&h, FC_HELLO_MISSED, false, now), "down after %u", i);
	CHECK(receive(&h, FC_HELLO_MISSED, false, now) & FC_HELLO_GO_DOWN, "up");
	CHECK(h.own.reason == FC_REASON_GREY && !h.suspicion, "%s; suspicion %u",
	      fc_reason_text(h.own.reason), h.suspicion);
}

/* Suspect the link, and trust it after the hold.  Return: the hold. */
static u64 hold_of(struct fc_hello *h, u64 *now)
{
	u64 begun = *now;

	CHECK(fc_hello_suspect(h, FC_SUSPICION_SILENT, begun) == BEGINS, "no suspicion");
	for (unsigned int i = 0; i < FC_HELLO_ANSWERS; i++)
		receive(h, FC_HELLO_SEEN, false, begun);
	while (!(receive(h, FC_HELLO_SEEN, false, *now) & FC_HELLO_TRUST)) {
		*now += MS;
		if (!CHECK(*now - begun <= 2 * ((u64)FC_HELLO_HOLD_MAX_MS * MS), "never trusted"))
			break;
	}
	return *now - begun;
}

TEST(hello_suspect__avoids_longer_each_time)
{
	u64 now = 1000 * MS, hold = ((u64)FC_HELLO_HOLD_MS * MS), got;
	struct fc_hello h = end_that_is_up(now);

	for (unsigned int i = 0; i < 6; i++) {
		got = hold_of(&h, &now);
		CHECK(got == hold, "time %u: %llu ms", i, (unsigned long long)(got / MS));
		if (hold < ((u64)FC_HELLO_HOLD_MAX_MS * MS))
			hold *= 2;
		/* Not calm enough. */
		now += got << FC_HELLO_CALM_SHIFT;
	}
	now += 1;
	got = hold_of(&h, &now);
	CHECK(got == FC_HELLO_HOLD_MS * MS, "after calm: %llu ms",
	      (unsigned long long)(got / MS));
	got = hold_of(&h, &now);
	CHECK(got == 2 * FC_HELLO_HOLD_MS * MS, "then: %llu ms",
	      (unsigned long long)(got / MS));
}

TEST(hello_suspect__ends_with_the_link)
{
	for (unsigned int i = 0; i < 5; i++) {
		u64 now = 1000 * MS;
		struct fc_hello h = end_that_is_up(now);
		struct fc_hello_msg m;
		u8 todo = 0;

		fc_hello_suspect(&h, FC_SUSPICION_SILENT, now);
		m = of_peer(&h, 0);
		switch (i) {
		case 0:
			todo = fc_hello_reset(&h, now);
			break;
		case 1:
			todo = fc_hello_carrier(&h, false, now);
			break;
		case 2:
			todo = fc_hello_time(&h, h.dead_at, false);
			break;
		case 3:
			m.epoch++;
			todo = fc_hello_received(&h, &m, false, now);
			break;
		case 4:
			m.flags |= FC_HELLO_LEAVES;
			todo = fc_hello_received(&h, &m, false, now);
			break;
		}
		CHECK(todo & FC_HELLO_GO_DOWN, "case %u: %x", i, todo);
		CHECK(!(todo & (FC_HELLO_TRUST | FC_HELLO_CHECK)), "case %u: %x", i, todo);
		CHECK(!h.suspicion, "case %u: suspected", i);
		if (h.state != FC_LINK_UP)
			CHECK(!fc_hello_suspect(&h, FC_SUSPICION_SILENT, now),
			      "case %u: a link that is not up is suspected", i);
	}
}

TEST(hello_leave__peer_is_informed)
{
	for (unsigned int keyed = 0; keyed < 2; keyed++) {
		u64 now = 1000 * MS;
		struct fc_hello h = end_that_is_up(now), peer = end_that_is_up(now);
		struct fc_hello_msg m;

		h.keyed = keyed;
		peer.keyed = keyed;
		CHECK(fc_hello_leave(&h) == (FC_HELLO_GO_DOWN | FC_HELLO_SEND), "stays up");
		CHECK(fc_hello_next(&h, false).flags & FC_HELLO_LEAVES, "it does not report it");
		CHECK(h.send_at == NEVER && h.dead_at == NEVER, "it goes on");
		CHECK(!fc_hello_time(&h, now + 3600 * 1000 * MS, false), "it goes on");
		m = of_peer(&peer, 0);
		m.number = 1;
		m.flags |= FC_HELLO_LEAVES;
		/* An end that leaves has a new epoch. */
		m.epoch++;
		CHECK(fc_hello_received(&peer, &m, false, now) == FC_HELLO_GO_DOWN, "stays up");
		CHECK(peer.own.reason == FC_REASON_LEFT && peer.state == FC_LINK_INIT, "%s",
		      fc_reason_text(peer.own.reason));
		CHECK(!peer.peer.epoch, "it knows the epoch of a peer that left");
		/* With a key a HELLO has to name the epoch of the peer. */
		CHECK(!peer.own.peer_epoch == !keyed, "%u", peer.own.peer_epoch);
		CHECK(peer.send_at != NEVER, "it does not begin anew");
		/* Its own HELLOs are no last ones, and recorded ones have no effect. */
		CHECK(!(fc_hello_next(&peer, false).flags & FC_HELLO_LEAVES), "it leaves, too");
		now = peer.send_at - 1;
		CHECK(!fc_hello_received(&peer, &m, false, now) && peer.send_at == now + 1,
		      "a recorded one has an effect");
	}
}

TEST(hello_leave__without_carrier)
{
	struct fc_hello h = new_end();

	CHECK(!fc_hello_leave(&h), "a HELLO without carrier");
}

TEST(hello_pace__sets_both_times)
{
	u64 now = 1000 * MS;
	struct fc_hello h = end_that_is_up(now), down = new_end();

	CHECK(h.dead_at == now + death(FC_HELLO_DEAD, FC_HELLO_MS), "death at another time");
	now += 100 * MS;
	CHECK(fc_hello_pace(&h, 50, 5, now) == FC_HELLO_SEND, "the peer does not learn it");
	CHECK(fc_hello_next(&h, false).interval == 50, "%u", h.own.interval);
	CHECK(h.send_at == now + 50 * MS, "the next HELLO is not due then");
	fc_hello_pace(&h, 5000, 5, now);
	CHECK(h.send_at == now + 50 * MS, "one HELLO alone has the longer interval");
	fc_hello_pace(&h, 50, 5, now);
	/* The interval of the peer is still its own. */
	CHECK(h.dead_at == now + death(5, FC_HELLO_MS), "death at another time");
	CHECK(!fc_hello_pace(&down, 50, 5, now), "a HELLO without carrier");
	CHECK(down.send_at == NEVER && down.interval == 50 * MS, "%llu",
	      (unsigned long long)down.interval);
	/* An interval that no end can have stands for that of this end. */
	h.peer.interval = 0;
	fc_hello_pace(&h, 50, 2, now);
	CHECK(h.dead_at == now + death(2, FC_HELLO_MS_MIN), "death at another time");
	h.peer.interval = FC_HELLO_MS_MAX + 1;
	fc_hello_pace(&h, 50, 2, now);
	CHECK(h.dead_at == now + death(2, FC_HELLO_MS_MIN), "death at another time");
	h.peer.interval = FC_HELLO_MS_MAX;
	fc_hello_pace(&h, 50, 2, now);
	CHECK(h.dead_at == now + death(2, FC_HELLO_MS_MAX), "death at another time");
}

TEST(hello_dead__not_by_a_late_check)
{
	u64 now = 1000 * MS, late;
	struct fc_hello h = end_that_is_up(now);

	late = h.dead_at + ((u64)FC_HELLO_LATE_MS * MS);
	CHECK(!(fc_hello_time(&h, late + 1, false) & FC_HELLO_GO_DOWN), "killed");
	CHECK(h.dead_at == late + 1 + h.interval, "the next check is at another time");
	CHECK(!(fc_hello_time(&h, h.dead_at - 1, false) & FC_HELLO_GO_DOWN), "killed");
	CHECK(fc_hello_time(&h, h.dead_at + ((u64)FC_HELLO_LATE_MS * MS), false) & FC_HELLO_GO_DOWN,
	      "a check in time does not kill");
	CHECK(h.own.reason == FC_REASON_DEAD, "%s", fc_reason_text(h.own.reason));
	/* A frame that was read meanwhile counts. */
	h = end_that_is_up(now);
	fc_hello_time(&h, late + 1, false);
	fc_hello_alive(&h, late + 1);
	CHECK(h.dead_at == late + 1 + death(FC_HELLO_DEAD, FC_HELLO_MS), "not alive");
}

/* HELLOs ask for an answer when half of the silence has passed that means death. */
TEST(hello_silent__asks_for_an_answer)
{
	u64 now = 1000 * MS, died;
	unsigned int n = 0;
	struct fc_hello h = end_that_is_up(now);

	for (died = h.dead_at; h.send_at < died - FC_HELLO_DEAD * h.interval / 2;) {
		CHECK(fc_hello_time(&h, h.send_at, false) == FC_HELLO_SEND, "no HELLO");
		CHECK(!(fc_hello_next(&h, false).flags & FC_HELLO_ASK), "asks early");
	}
	for (; h.send_at < died; n++) {
		now = h.send_at;
		CHECK(fc_hello_time(&h, now, false) == FC_HELLO_SEND, "no HELLO");
		CHECK(fc_hello_next(&h, false).flags & FC_HELLO_ASK, "does not ask");
		CHECK(h.send_at == now + FC_HELLO_PROBE_MS * MS, "asks at another time");
	}
	/* The first one goes up to an interval after that half. */
	CHECK(n >= (FC_HELLO_DEAD / 2 - 1) * FC_HELLO_MS / FC_HELLO_PROBE_MS, "%u times", n);
	CHECK(!receive(&h, 0, false, now), "the answer is answered");
	CHECK(h.dead_at == now + death(FC_HELLO_DEAD, FC_HELLO_MS), "death at another time");
	fc_hello_time(&h, h.send_at, false);
	CHECK(!(fc_hello_next(&h, false).flags & FC_HELLO_ASK), "still asks");
	/* A suspected link is probed by pairs, also when the peer has answered some. */
	fc_hello_suspect(&h, FC_SUSPICION_SILENT, now);
	h.answered = FC_HELLO_ANSWERS;
	h.trust_at = NEVER;
	CHECK(fc_hello_time(&h, h.send_at, false) == FC_HELLO_SEND, "a pair");
	h.dead_at = h.send_at + FC_HELLO_DEAD * h.interval / 2;
	CHECK(fc_hello_time(&h, h.send_at, false) == (FC_HELLO_SEND | FC_HELLO_CHECK), "no pair");
}

/* An end that is asked answers at once, and sends its own next HELLO soon. */
TEST(hello_silent__the_peer_sends_more)
{
	u64 now = 1000 * MS, soon = now + FC_HELLO_PROBE_MS * MS;
	struct fc_hello h = end_that_is_up(now);

	CHECK(h.send_at > soon, "soon anyway");
	for (; now < soon; now += 20 * MS) {
		CHECK(receive(&h, FC_HELLO_ASK, false, now) == FC_HELLO_SEND, "no answer");
		CHECK(!fc_hello_next(&h, false).flags, "the answer is no plain HELLO");
		CHECK(h.send_at == soon, "answers postpone the next HELLO");
	}
	CHECK(fc_hello_time(&h, soon, false) == FC_HELLO_SEND, "no HELLO");
	CHECK(h.send_at == soon + h.interval, "again soon, but nobody asks");
}

TEST(node_copy__twice_and_links_still_count)
{
	u8 head[FC_PACKET_SIZE + FC_TARGET_SIZE];
	unsigned int n;
	u16 hops;

	for (hops = 0; hops <= FC_HOPS_MAX; hops++) {
		memset(head, 0, sizeof(head));
		fc_put16(head + FC_AT_HOPS, hops);
		for (n = 0; fc_node_may_copy(head); n++)
			fc_node_head_copy(head);
		CHECK(n == 2 && fc_wire_hops(head) == hops, "%u copies after %u links", n, hops);
		fc_node_head_hop(head);
		CHECK(fc_wire_hops(head) == hops + 1 && !fc_node_may_copy(head),
		      "a copy does not count links");
	}
}
