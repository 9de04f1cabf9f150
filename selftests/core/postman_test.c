// SPDX-License-Identifier: GPL-2.0
/*
 * The mad postman: the switch forwards fronts straight on, before it routes them.  A copy on a
 * wrong link is dead, and the next site that routes it drops it.
 */
#include "vnet_bench.h"

/* Set up a site in mode postman. */
static void setup_postman(const char *spec, u32 id, u32 window, u32 peers)
{
	setup(spec, id, window, peers);
	fc_postman_fill(&b.classes, id, b.v.nports, b.straight);
	b.v.straight = b.straight;
}

/*
 * A neighbour sends a packet for site @dst, which @run sites have forwarded eagerly; it arrives in
 * the class and on the port of a packet for @like.
 */
static void comes(u32 from, u32 like, u32 dst, u8 run, u32 flits, u32 without)
{
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE] = { 0 };
	u32 i;

	make_head(head, (flits - 1) * PAYLOAD, &dst, 1);
	for (i = 0; i < flits - without; i++)
		flit(class_from(from, like), port_to(from),
		     (i ? 0 : FC_PART_HEAD | run << FC_PART_EAGER_SHIFT) |
		     (i == flits - 1 ? FC_PART_TERM : 0), i ? PAYLOAD : 0, i ? NULL : head);
}

/* Return: the output to which the switch forwards such a packet. */
static struct line *on(u32 from, u32 like, u32 to)
{
	return &b.line[class_from(from, like)][port_to(to)];
}

TEST(postman_straight__is_the_other_side)
{
	/* 0 1 2 / 3 4 5 / 6 7 8 */
	static const u32 across[][2] = { { 3, 5 }, { 5, 3 }, { 1, 7 }, { 7, 1 } };
	u32 i;

	for (i = 0; i < FC_ARRAY_SIZE(across); i++) {
		u8 class, port;

		setup_postman("mesh:3x3", 4, 4, 4);
		port = port_to(across[i][0]);
		class = class_from(across[i][0], across[i][1]);
		CHECK(b.straight[class * b.v.nports + port].port == port_to(across[i][1]),
		      "from %u by port %u", across[i][0],
		      b.straight[class * b.v.nports + port].port);
		CHECK(b.straight[class * b.v.nports + port].class == class, "another class");
	}
	/* At an edge there is no port straight on. */
	setup_postman("mesh:3x3", 5, 4, 4);
	CHECK(b.straight[class_from(4, 5) * b.v.nports + port_to(4)].port == FC_PORT_LOCAL,
	      "out of the network");
	/* In a dimension of one link there is none either. */
	setup_postman("hypercube:4", 0, 4, 4);
	for (i = 0; i < (u32)b.v.nclasses * b.v.nports; i++)
		CHECK(b.straight[i].port == FC_PORT_LOCAL, "straight on in a hypercube");
}

TEST(postman_straight__in_the_class_of_the_step)
{
	u8 next[FC_DIRS_MAX], class, dir;

	/*
	 * On the link that closes a ring, packets change to the next level; those already in it
	 * have no next hop.
	 */
	setup_postman("ring:5", 4, 4, 4);
	for (class = 0; class < b.v.nclasses; class++) {
		u32 allowed = fc_vclass_allowed(&b.classes, 4, class, next);

		for (dir = 0; dir < 2; dir++) {
			const struct fc_straight *s = &b.straight[class * b.v.nports + 2 - dir];

			if (allowed & fc_bit(dir))
				CHECK(s->port == dir + 1 && s->class == next[dir],
				      "class %u: port %u, class %u", class, s->port, s->class);
			else
				CHECK(s->port == FC_PORT_LOCAL, "class %u: port %u", class,
				      s->port);
		}
	}
}

TEST(postman_eager__before_it_is_looked_at)
{
	setup_postman("mesh:3x3", 4, 4, 4);
	comes(3, 5, 5, 0, 3, 2);
	CHECK(on(3, 5, 5)->flits == 1 && on(3, 5, 5)->run == 1, "%u flits, run %u",
	      on(3, 5, 5)->flits, on(3, 5, 5)->run);
	CHECK(b.routings == 1 && b.stat[FC_STAT_PKT_EAGER] == 1, "%u looks", b.routings);
	/* The other flits wait until the front is routed there. */
	flit(class_from(3, 5), port_to(3), 0, PAYLOAD, NULL);
	CHECK(on(3, 5, 5)->flits == 1, "%u flits", on(3, 5, 5)->flits);
	routing();
	CHECK(on(3, 5, 5)->flits == 2 && b.stat[FC_STAT_PKT_UNICAST] == 1, "%u flits",
	      on(3, 5, 5)->flits);
	flit(class_from(3, 5), port_to(3), FC_PART_TERM, PAYLOAD, NULL);
	CHECK(on(3, 5, 5)->packets == 1 && !on(3, 5, 5)->aborted && !b.served, "%u packets",
	      on(3, 5, 5)->packets);
	at_rest();
}

TEST(postman_eager__all_of_it)
{
	setup_postman("mesh:3x3", 4, 4, 4);
	comes(3, 5, 5, 0, 1, 0);
	CHECK(on(3, 5, 5)->packets == 1 && b.routings == 1, "%u packets", on(3, 5, 5)->packets);
	CHECK(held() == 1, "%u handles", held());
	routing();
	CHECK(on(3, 5, 5)->packets == 1 && !b.served, "%u packets", on(3, 5, 5)->packets);
	at_rest();
}

/* The packet turns here: the switch ends the dead copy, and forwards the packet to its next hop. */
TEST(postman_eager__junction)
{
	u32 flits;

	for (flits = 1; flits <= 4; flits++) {
		struct line *dead, *turned;

		setup_postman("mesh:3x3", 4, 4, 4);
		dead = on(3, 5, 5);
		turned = on(3, 5, 7);
		comes(3, 5, 7, 0, flits, 0);
		CHECK(dead->flits == 1 && !turned->flits, "%u and %u flits", dead->flits,
		      turned->flits);
		routing();
		CHECK(dead->flits == (flits > 1 ? 2 : 1) && dead->aborted == (flits > 1),
		      "%u flits: %u of the dead one", flits, dead->flits);
		CHECK(turned->packets == 1 && turned->flits == flits && !turned->aborted &&
		      !turned->run, "%u flits: %u of it", flits, turned->flits);
		CHECK(!b.served && !b.stat[FC_STAT_PKT_DEAD], "served");
		at_rest();
	}
}

/* Several fronts wait for routing; the decision for the first one does not release the others. */
TEST(postman_eager__waits_for_its_own_routing)
{
	setup_postman("mesh:3x3", 4, 8, 8);
	comes(3, 7, 7, 0, 2, 0);
	comes(1, 7, 4, 0, 3, 0);
	CHECK(on(1, 7, 7)->flits == 1 && b.routings == 2, "%u flits, %u looks", on(1, 7, 7)->flits,
	      b.routings);
	routing();
	CHECK(b.served == 1 && b.served_flits == 3, "%u served", b.served);
	/* The dead copy is aborted, and the packet after it is forwarded. */
	CHECK(on(1, 7, 7)->aborted == 1 && on(3, 7, 7)->packets == 2, "%u aborted",
	      on(1, 7, 7)->aborted);
	at_rest();
}

TEST(postman_eager__ends_here)
{
	u32 flits;

	for (flits = 1; flits <= 4; flits++) {
		setup_postman("mesh:3x3", 4, 4, 4);
		comes(3, 5, 4, 0, flits, 0);
		CHECK(on(3, 5, 5)->flits == 1 && !b.served, "%u flits", on(3, 5, 5)->flits);
		routing();
		CHECK(b.served == 1 && b.served_mask == 1 && b.served_flits == flits,
		      "%u served", b.served);
		CHECK(on(3, 5, 5)->packets == 1, "the dead one does not end");
		at_rest();
	}
}

/* A dead packet is neither delivered nor forwarded as a valid one. */
TEST(postman_dead__is_dropped)
{
	u32 flits;
	u8 run;

	for (run = 1; run <= 2; run++) {
		for (flits = 1; flits <= 4; flits++) {
			struct line *dead;

			/* 0 1 2 3 4: packets from 0 that targets 1 and 2 forwarded. */
			setup_postman("line:5", 3, 4, 4);
			dead = on(2, 4, 4);
			comes(2, 4, 3 - run, run, flits, flits > 1);
			CHECK(dead->flits == 1 && dead->run == run + 1, "run %u", dead->run);
			routing();
			if (flits > 1)
				flit(class_from(2, 4), port_to(2), FC_PART_TERM | FC_PART_ABORT, 0,
				     NULL);
			CHECK(b.stat[FC_STAT_PKT_DEAD] == 1 && !b.served && !b.unreachable,
			      "%u served", b.served);
			CHECK(dead->packets == 1, "%u flits", dead->flits);
			at_rest();
		}
	}
}

TEST(postman_dead__in_rings_that_lead_back)
{
	/* 0 1 2 3 4 5 6 7: target 0 has forwarded the packet, which nears it from 4 on. */
	setup_postman("ring:8", 5, 4, 4);
	CHECK(fc_postman_right(&b.topo, 5, 0, 0), "not nearer");
	CHECK(fc_postman_dead(&b.topo, 5, port_to(4), 0, 5), "alive");
	CHECK(!fc_postman_dead(&b.topo, 5, port_to(4), 0, 1), "dead");
	CHECK(!fc_postman_dead(&b.topo, 5, port_to(4), 5, 1), "dead at its target");
	CHECK(!fc_postman_dead(&b.topo, 5, port_to(4), 1, 0), "dead, and nobody was eager");
}

/* The number of eager hops in a row is bounded. */
TEST(postman_dead__run_is_bounded)
{
	setup_postman("line:12", 9, 4, 4);
	comes(8, 10, 11, FC_EAGER_MAX - 1, 1, 0);
	CHECK(b.routings == 1 && on(8, 10, 10)->run == FC_EAGER_MAX, "run %u", on(8, 10, 10)->run);
	routing();
	comes(8, 10, 11, FC_EAGER_MAX, 1, 0);
	CHECK(!b.routings && on(8, 10, 10)->packets == 2, "%u looks", b.routings);
	CHECK(!on(8, 10, 10)->run && !b.stat[FC_STAT_PKT_DEAD], "run %u", on(8, 10, 10)->run);
	at_rest();
}

TEST(postman_waits__for_room_for_all_of_it)
{
	setup_postman("mesh:3x3", 4, 4, 4);
	comes(3, 5, 5, 0, 2, 0);
	routing();
	/* There is credit for two more flits. */
	comes(3, 5, 5, 0, 3, 0);
	CHECK(!b.routings && on(3, 5, 5)->flits == 2, "%u flits", on(3, 5, 5)->flits);
	CHECK(b.stat[FC_STAT_PKT_EAGER] == 1, "eager without room");
}

/* A list may split here; a dead link may be near. */
TEST(postman_waits__where_it_must_be_looked_at)
{
	static const u32 dst[] = { 5, 7 };

	setup_postman("mesh:3x3", 4, 4, 4);
	packet(class_from(3, 5), port_to(3), dst, 2, 1, 0);
	CHECK(!b.routings && on(3, 5, 5)->packets == 1 && on(3, 5, 7)->packets == 1, "%u looks",
	      b.routings);
	at_rest();
	setup_postman("mesh:3x3", 4, 4, 4);
	b.routes[7] = fc_bit(port_to(7) - 1);
	b.node.routes = b.routes;
	comes(3, 5, 7, 0, 1, 0);
	CHECK(!b.routings && !on(3, 5, 5)->flits && on(3, 5, 7)->packets == 1, "%u looks",
	      b.routings);
	at_rest();
	/* A packet of this site is routed before it is forwarded. */
	setup_postman("mesh:3x3", 4, 4, 4);
	own_to(5, 3);
	CHECK(!b.routings && line_to(5)->packets == 1 && !line_to(5)->run, "%u looks", b.routings);
	at_rest();
}

/* The port straight on is busy, and another next hop is free: the switch routes at once. */
TEST(postman_waits__or_adapts)
{
	setup_postman("mesh:3x3", 4, 4, 4);
	own_to(5, 4);
	comes(3, 5, 8, 0, 2, 0);
	CHECK(!b.routings && on(3, 5, 7)->packets == 1 && b.stat[FC_STAT_PKT_ADAPTED] == 1,
	      "%u packets", on(3, 5, 7)->packets);
	/* If both next hops are free, straight on is the first choice. */
	setup_postman("mesh:3x3", 4, 4, 4);
	b.routes[8] = ~(u32)0;
	b.node.routes = b.routes;
	comes(1, 7, 8, 0, 2, 0);
	CHECK(!b.routings && on(1, 7, 7)->packets == 1, "%u packets", on(1, 7, 7)->packets);
	ack(7, 2);
	comes(3, 5, 8, 0, 2, 0);
	CHECK(!b.routings && on(3, 5, 5)->packets == 1, "%u packets", on(3, 5, 5)->packets);
	CHECK(!b.stat[FC_STAT_PKT_ADAPTED], "adapted");
	at_rest();
}

TEST(postman_links__down_before_the_routing)
{
	/* The link of the eager copy goes down: the packet takes another route, or is stored. */
	setup_postman("mesh:3x3", 4, 4, 4);
	comes(3, 5, 8, 0, 3, 2);
	link_event(FC_EV_LINK_DOWN, port_to(5), 0);
	routing();
	flit(class_from(3, 5), port_to(3), 0, PAYLOAD, NULL);
	flit(class_from(3, 5), port_to(3), FC_PART_TERM, PAYLOAD, NULL);
	CHECK(on(3, 5, 7)->packets == 1 && on(3, 5, 7)->flits == 3, "%u flits",
	      on(3, 5, 7)->flits);
	at_rest();
	setup_postman("line:3", 1, 4, 4);
	comes(0, 2, 2, 0, 2, 0);
	link_event(FC_EV_LINK_DOWN, port_to(2), 0);
	routing();
	CHECK(b.served == 1 && b.served_mask == 1 && b.served_flits == 2, "%u served", b.served);
	at_rest();
	/* The link on which the packet arrives goes down. */
	setup_postman("line:3", 1, 4, 4);
	comes(0, 2, 2, 0, 3, 1);
	link_event(FC_EV_LINK_DOWN, port_to(0), 0);
	CHECK(on(0, 2, 2)->flits == 2 && on(0, 2, 2)->aborted == 1, "%u flits",
	      on(0, 2, 2)->flits);
	routing();
	at_rest();
}

TEST(postman_cut__before_the_routing)
{
	setup_postman("line:3", 1, 4, 4);
	comes(0, 2, 2, 0, 3, 2);
	flit(class_from(0, 2), port_to(0), FC_PART_TERM | FC_PART_ABORT, 0, NULL);
	CHECK(on(0, 2, 2)->flits == 2 && on(0, 2, 2)->aborted == 1, "%u flits",
	      on(0, 2, 2)->flits);
	/* A late routing decision does not apply to the next packet, already routed. */
	b.node.routes = b.routes;
	b.routes[2] = ~(u32)0;
	comes(0, 2, 2, 0, 2, 1);
	routing();
	flit(class_from(0, 2), port_to(0), FC_PART_TERM, PAYLOAD, NULL);
	CHECK(on(0, 2, 2)->packets == 2 && on(0, 2, 2)->flits == 4, "%u flits",
	      on(0, 2, 2)->flits);
	CHECK(b.stat[FC_STAT_PKT_UNICAST] == 1, "looked at twice");
	at_rest();
}

/* A peer's front has all of the data, but the packet has no terminator. */
TEST(postman_lies__front_without_an_end)
{
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE] = { 0 };
	u32 dst = 2;

	setup_postman("line:3", 1, 4, 4);
	make_head(head, 0, &dst, 1);
	flit(class_from(0, 2), port_to(0), FC_PART_HEAD, 0, head);
	CHECK(!b.routings && !on(0, 2, 2)->flits && b.link_stat[FC_LSTAT_RX_PROTOCOL],
	      "%u flits", on(0, 2, 2)->flits);
	comes(0, 2, 2, 0, 3, 0);
	routing();
	CHECK(on(0, 2, 2)->packets == 1 && on(0, 2, 2)->flits == 3, "%u flits",
	      on(0, 2, 2)->flits);
	at_rest();
}

/* The class of the eager hop has its own timer. */
TEST(postman_clock__of_the_class_straight_on)
{
	struct fc_event ev = { .type = FC_EV_TIME, .now = 1000 };

	/* Where the ring closes, packets change the level. */
	setup_postman("ring:5", 4, 4, 4);
	CHECK(b.straight[class_from(3, 0) * b.v.nports + port_to(3)].class != class_from(3, 0),
	      "the same class");
	event(0, &ev);
	comes(3, 0, 0, 0, 1, 0);
	CHECK(b.routings == 1 && b.v.next_at > 1000, "due at %llu",
	      (unsigned long long)b.v.next_at);
}

/* Runners in which routing takes time: no packet is forwarded before it is routed. */
TEST(postman_slow__everything_waits_for_the_routing)
{
	setup("line:3", 1, 4, 4);
	b.v.slow = true;
	comes(0, 2, 2, 0, 2, 0);
	CHECK(b.routings == 1 && !on(0, 2, 2)->flits, "%u looks", b.routings);
	routing();
	CHECK(on(0, 2, 2)->packets == 1, "%u packets", on(0, 2, 2)->packets);
	at_rest();
}
