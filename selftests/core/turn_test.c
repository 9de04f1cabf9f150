// SPDX-License-Identifier: GPL-2.0
/*
 * core/link/turn.h: the queue that sends next on a link, and the number of flits that its device
 * holds.
 */
#include "tap.h"
#include "core/link/turn.h"

#define ALL	(fc_bit(FC_BAND_CTRL) | fc_bit(FC_BAND_HIGH) | fc_bit(FC_BAND_SHORT) | \
		 fc_bit(FC_BAND_BULK))

/* Count the turns of each queue in @n turns, while the queues of @waiting never become empty. */
static void turns(u32 waiting, unsigned int n, unsigned int count[FC_BAND_COUNT])
{
	struct fc_turn turn = { 0 };
	unsigned int i;

	for (i = 0; i < FC_BAND_COUNT; i++)
		count[i] = 0;
	for (i = 0; i < n; i++) {
		enum fc_band band = fc_turn_next(&turn, waiting);

		CHECK(waiting & fc_bit(band), "a queue that has nothing");
		count[band]++;
	}
}

TEST(band__by_type_and_channel)
{
	CHECK(fc_band(FC_FRAME_HELLO, FC_VC_CTRL, 0) == FC_BAND_CTRL, "handshake");
	CHECK(fc_band(FC_FRAME_STATUS, fc_set_vc(FC_SET_BULK), 0) == FC_BAND_CTRL, "status");
	CHECK(fc_band(FC_FRAME_STATUS, fc_set_vc(FC_SET_SHORT), FC_STATUS_NACK) == FC_BAND_CTRL,
	      "a status that says what is missing");
	CHECK(fc_band(FC_FRAME_STATUS, fc_set_vc(FC_SET_SHORT), FC_STATUS_ACK_REQUEST) ==
	      FC_BAND_SHORT &&
	      fc_band(FC_FRAME_STATUS, fc_set_vc(FC_SET_HIGH), FC_STATUS_POLL) == FC_BAND_HIGH,
	      "a status that asks");
	CHECK(fc_band(FC_FRAME_STATUS | FC_FRAME_AUTH, fc_set_vc(FC_SET_SHORT),
		      FC_STATUS_ACK_REQUEST) == FC_BAND_SHORT, "the same with an authentication code");
	CHECK(fc_band(FC_FRAME_FLIT, FC_VC_CLASS, 0) == FC_BAND_BULK, "mode care");
	CHECK(fc_band(FC_FRAME_FLIT, FC_VC_BCAST, 0) == FC_BAND_BULK, "broadcast");
	CHECK(fc_band(FC_FRAME_FLIT, fc_set_vc(FC_SET_BULK) + 63, 0) == FC_BAND_BULK, "bulk");
	CHECK(fc_band(FC_FRAME_FLIT, fc_set_vc(FC_SET_SHORT), 0) == FC_BAND_SHORT, "short");
	CHECK(fc_band(FC_FRAME_FLIT, fc_set_vc(FC_SET_HIGH), 0) == FC_BAND_HIGH, "high");
	CHECK(fc_band(FC_FRAME_FLIT, FC_VC_COUNT - 1, 0) == FC_BAND_HIGH, "the last channel");
}

TEST(turn__one_alone_has_all)
{
	unsigned int count[FC_BAND_COUNT], b;

	for (b = 0; b < FC_BAND_COUNT; b++) {
		turns(fc_bit(b), 100, count);
		CHECK(count[b] == 100, "queue %u has %u of 100", b, count[b]);
	}
}

TEST(turn__control_goes_first)
{
	unsigned int count[FC_BAND_COUNT];

	turns(ALL, 100, count);
	CHECK(count[FC_BAND_CTRL] == 100, "%u of 100", count[FC_BAND_CTRL]);
}

/* The high class gets most turns, and each of the others gets some. */
TEST(turn__no_class_starves)
{
	unsigned int count[FC_BAND_COUNT];

	turns(ALL & ~fc_bit(FC_BAND_CTRL), 100, count);
	CHECK(count[FC_BAND_HIGH] == 80 && count[FC_BAND_SHORT] == 10 && count[FC_BAND_BULK] == 10,
	      "high %u, short %u, bulk %u", count[FC_BAND_HIGH], count[FC_BAND_SHORT],
	      count[FC_BAND_BULK]);
	turns(fc_bit(FC_BAND_SHORT) | fc_bit(FC_BAND_BULK), 100, count);
	CHECK(count[FC_BAND_SHORT] == 50 && count[FC_BAND_BULK] == 50, "short %u, bulk %u",
	      count[FC_BAND_SHORT], count[FC_BAND_BULK]);
}

/* A flit of the high class is sent next, before waiting flits of the low class. */
TEST(turn__high_is_next)
{
	struct fc_turn turn = { 0 };
	unsigned int i;

	for (i = 0; i < 10; i++) {
		fc_turn_next(&turn, fc_bit(FC_BAND_BULK) | fc_bit(FC_BAND_SHORT));
		CHECK(fc_turn_next(&turn, ALL & ~fc_bit(FC_BAND_CTRL)) == FC_BAND_HIGH,
		      "after %u others", i);
	}
}

/*
 * A device sends a flit in each step, and gets new flits only every @every steps.  Result: the
 * number of steps in which it was idle; @most: its longest queue in the last quarter.
 */
static unsigned int serve(struct fc_depth *d, unsigned int every, unsigned int steps,
			  unsigned int *most)
{
	unsigned int i, idle = 0;
	u32 has = 0;

	*most = 0;
	for (i = 0; i < steps; i++) {
		if (i % every == 0) {
			if (i)
				fc_depth_seen(d, has);
			while (fc_depth_room(d, has)) {
				fc_depth_put(d, 1500);
				has += 1500;
			}
			if (i > steps - steps / 4 && has / 1500 > *most)
				*most = has / 1500;
		}
		if (has)
			has -= 1500;
		else
			idle++;
	}
	return idle;
}

TEST(depth__two_flits_where_it_is_served_at_once)
{
	struct fc_depth d = { 0 };
	unsigned int most, idle = serve(&d, 1, 4000, &most);

	CHECK(!idle && most == 2, "idle %u times, %u flits", idle, most);
}

/* The depth is sufficient, and at most two flits larger than necessary. */
TEST(depth__grows_until_it_is_busy)
{
	struct fc_depth d = { 0 };
	unsigned int most, idle = serve(&d, 10, 40000, &most);

	CHECK(idle < 400, "idle %u times of 40000", idle);
	CHECK(most >= 10 && most <= 12, "%u flits", most);
}

TEST(depth__shrinks_where_it_is_too_much)
{
	struct fc_depth d = { 0 };
	unsigned int most, idle;

	serve(&d, 20, 40000, &most);
	CHECK(most >= 20, "%u flits", most);
	idle = serve(&d, 1, 40000, &most);
	CHECK(!idle && most <= 3, "idle %u times, %u flits", idle, most);
}

TEST(depth__has_a_bound)
{
	struct fc_depth d = { 0 };
	unsigned int most;

	serve(&d, 1000, 400000, &most);
	CHECK(most <= FC_DEPTH_MAX + 2, "%u flits", most);
}
