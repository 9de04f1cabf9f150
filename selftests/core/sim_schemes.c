// SPDX-License-Identifier: GPL-2.0
/*
 * The simulator's models of switching schemes, on packets whose times are computed by hand.
 */
#include "care/care_schemes.h"
#include "tap.h"

#define PACKETS_MAX	3

static const char *const names[CARE_MODELS] = {
	[CARE_STORE] = "store-and-forward", [CARE_VIRTUAL] = "virtual cut-through",
	[CARE_WORMHOLE] = "wormhole", [CARE_CIRCUIT] = "circuit switching",
};

/* Packets of four flits on a line of four sites, and the cycles of their arrivals. */
struct meeting {
	u32 count;
	struct {
		u32 from;
		u32 to;
		u64 born;
	} packet[PACKETS_MAX];
	u64 done[CARE_MODELS][PACKETS_MAX];
};

static void check_meeting(const struct meeting *meeting)
{
	struct care_packet packet[PACKETS_MAX];
	struct care_packets packets = { .packet = packet, .count = meeting->count, .flits = 4 };
	struct fc_topo topo;
	u64 wrong;

	fc_topo_parse(&topo, "line:4");
	packets.topo = &topo;
	for (u32 scheme = 0; scheme < CARE_MODELS; scheme++) {
		for (u32 i = 0; i < meeting->count; i++)
			packet[i] = (struct care_packet){
				.born = meeting->packet[i].born, .done = FC_NEVER,
				.from = meeting->packet[i].from, .to = meeting->packet[i].to,
			};
		wrong = care_schemes_run(&packets, (enum care_scheme)scheme);
		CHECK(!wrong, "%s: %llu wrong", names[scheme], (unsigned long long)wrong);
		for (u32 i = 0; i < meeting->count; i++)
			CHECK(packet[i].done == meeting->done[scheme][i], "%s: packet %u at %llu",
			      names[scheme], i, (unsigned long long)packet[i].done);
	}
}

/* The second packet takes the link from 1 to 2 before the first one has come to site 1. */
TEST(schemes__two_packets_for_a_link)
{
	static const struct meeting meeting = {
		.count = 2, .packet = { { 0, 3, 0 }, { 1, 3, 0 } },
		.done = {
			/* Links of the second: cycles 0 to 3, 4 to 7; of the first: 0, 4, 8. */
			[CARE_STORE] = { 12, 8 },
			/* Of the second: 0, 1; of the first: 0, 4, 5. */
			[CARE_VIRTUAL] = { 9, 5 },
			/* The second leaves site 2 in 4; the first advances in 5. */
			[CARE_WORMHOLE] = { 10, 5 },
			/* The second sends from 4 on, and frees the link in 8. */
			[CARE_CIRCUIT] = { 19, 9 },
		},
	};

	check_meeting(&meeting);
}

/* A source sends a packet at a time, but where it stores all: there only the link is taken. */
TEST(schemes__two_packets_of_a_source)
{
	static const struct meeting meeting = {
		.count = 2, .packet = { { 0, 1, 0 }, { 0, 2, 0 } },
		.done = {
			[CARE_STORE] = { 4, 12 },
			[CARE_VIRTUAL] = { 4, 9 },
			[CARE_WORMHOLE] = { 4, 9 },
			[CARE_CIRCUIT] = { 6, 15 },
		},
	};

	check_meeting(&meeting);
}

/*
 * The first packet waits at site 1 for the link that the second one uses.  In wormhole and circuit
 * switching it keeps the link from 0 to 1 meanwhile; a stored one has left it in cycle 4.
 */
TEST(schemes__a_blocked_packet_keeps_its_links)
{
	static const struct meeting meeting = {
		.count = 3, .packet = { { 0, 2, 0 }, { 1, 3, 0 }, { 0, 1, 1 } },
		.done = {
			/* The third: link free in 4. */
			[CARE_STORE] = { 8, 8, 8 },
			[CARE_VIRTUAL] = { 8, 5, 8 },
			/* The first has moved by 1 in cycle 0, and by 2 to 6 in 5 to 9. */
			[CARE_WORMHOLE] = { 9, 5, 12 },
			/* The first sends from 11 on, the third takes the link in 15. */
			[CARE_CIRCUIT] = { 16, 9, 21 },
		},
	};

	check_meeting(&meeting);
}

/* The second packet waits for the middle one of the links of the first. */
TEST(schemes__links_are_free_in_turn)
{
	static const struct meeting meeting = {
		.count = 2, .packet = { { 0, 3, 0 }, { 1, 2, 1 } },
		.done = {
			[CARE_STORE] = { 13, 5 },
			[CARE_VIRTUAL] = { 6, 9 },
			[CARE_WORMHOLE] = { 6, 9 },
			/* The first sends from 6 on, over that link until 10. */
			[CARE_CIRCUIT] = { 12, 17 },
		},
	};

	check_meeting(&meeting);
}

/* A packet alone over all links. */
TEST(schemes__idle)
{
	static const struct meeting meeting = {
		.count = 1, .packet = { { 3, 0, 7 } },
		.done = {
			[CARE_STORE] = { 7 + 3 * 4 }, [CARE_VIRTUAL] = { 7 + 3 + 4 - 1 },
			[CARE_WORMHOLE] = { 7 + 3 + 4 - 1 }, [CARE_CIRCUIT] = { 7 + 3 * 3 + 4 - 1 },
		},
	};

	check_meeting(&meeting);
}
