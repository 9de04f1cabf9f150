// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet alone: credit for whole packets, independent branches, local targets,
 * dead links, routes, and peers that send malformed packets.
 */
#include "vnet_bench.h"
#include "core/vnet/vnet_pass.h"

/*
 * Credit.
 */

TEST(vnet_credit__is_for_a_whole_packet)
{
	setup("line:3", 1, 4, 4);
	own_to(2, 3);
	CHECK(line_to(2)->flits == 3, "%u flits", line_to(2)->flits);
	/* There is credit for one more flit, but not for the whole packet. */
	own_to(2, 3);
	CHECK(line_to(2)->flits == 3, "%u flits", line_to(2)->flits);
	CHECK(line_to(2)->flags & FC_STATUS_ACK_REQUEST, "the peer is not asked to tell");
	ack(2, 1);
	CHECK(line_to(2)->flits == 3, "%u flits", line_to(2)->flits);
	ack(2, 1);
	CHECK(line_to(2)->flits == 6 && line_to(2)->packets == 2, "%u flits", line_to(2)->flits);
	at_rest();
}

TEST(vnet_credit__begins_before_the_end_has_come)
{
	u32 dst = 2;

	setup("line:3", 1, 4, 4);
	packet(class_from(0, 2), port_to(0), &dst, 1, 3, 2);
	CHECK(line_to(2)->flits == 1, "%u flits", line_to(2)->flits);
}

TEST(vnet_credit__no_route_over_a_small_window)
{
	setup("line:3", 1, 4, 2);
	own_to(2, 2);
	CHECK(line_to(2)->packets == 1 && !b.unreachable, "%u packets", line_to(2)->packets);
	/* If the operator stored and resent this packet, it would come back for ever. */
	own_to(2, 3);
	CHECK(b.unreachable_mask == 1 && !b.served, "%u served", b.served);
	at_rest();
}

TEST(vnet_credit__windows)
{
	u32 payload, window;

	for (payload = 1; payload < 65536; payload++) {
		window = fc_vnet_window(payload);
		CHECK(window == (fc_vnet_flits(payload) > 64 ? 0 : 64), "%u bytes: %u flits",
		      payload, window);
	}
}

TEST(vnet_credit__packets_of_a_window)
{
	u32 dst = 2, class;

	setup("line:3", 1, 64, 64);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 64, 0);
	CHECK(line_to(2)->flits == 64 && line_to(2)->packets == 1, "%u flits", line_to(2)->flits);
	packet(class, port_to(0), &dst, 1, 64, 0);
	CHECK(line_to(2)->flits == 64 && held() == 64, "%u flits", line_to(2)->flits);
	/* The operator stores the packet in one piece. */
	link_event(FC_EV_LINK_DOWN, port_to(2), 0);
	CHECK(b.served == 1 && b.served_flits == 64 && b.served_mask == 1, "%u flits of mask %llx",
	      b.served_flits, (unsigned long long)b.served_mask);
	CHECK(b.stored_data == 63 * PAYLOAD, "%u bytes", b.stored_data);
	at_rest();
}

/* A packet that need not wait bypasses the queue. */

/* Set up a site without queues. */
static void setup_bare(const char *spec, u32 id)
{
	u8 c, p;

	setup(spec, id, 4, 4);
	for (c = 0; c < b.v.nclasses; c++)
		for (p = 0; p < b.v.nports; p++)
			b.rx[c][p].queue = NULL;
}

TEST(vnet_pass__a_packet_of_one_flit)
{
	static const u32 here = 1, beyond = 2, both[] = { 1, 2 };
	u8 class;

	setup_bare("line:3", 1);
	class = class_from(0, 2);
	packet(class, port_to(0), &beyond, 1, 1, 0);
	CHECK(line_to(2)->packets == 1 && line_to(2)->mask == 1 && !b.served, "%u packets",
	      line_to(2)->packets);
	packet(class, port_to(0), &here, 1, 1, 0);
	CHECK(line_to(2)->packets == 1 && b.served == 1 && b.served_mask == 1, "%u served",
	      b.served);
	packet(class, port_to(0), both, 2, 1, 0);
	CHECK(line_to(2)->packets == 2 && line_to(2)->mask == 2, "mask %llx",
	      (unsigned long long)line_to(2)->mask);
	CHECK(b.served == 2 && b.served_mask == 1, "%u served", b.served);
	CHECK(own_to(2, 1) && line_to(2)->packets == 3, "%u packets", line_to(2)->packets);
	CHECK(b.stat[FC_STAT_PKT_UNICAST] == 3 && b.stat[FC_STAT_PKT_SOME_LOCAL] == 1,
	      "%llu and %llu counted", (unsigned long long)b.stat[FC_STAT_PKT_UNICAST],
	      (unsigned long long)b.stat[FC_STAT_PKT_SOME_LOCAL]);
	CHECK(b.rx[class][port_to(0)].consumed == 3, "%u taken", b.rx[class][port_to(0)].consumed);
	at_rest();
}

TEST(vnet_pass__a_list_with_one_next_hop)
{
	static const u32 dst[] = { 3, 2 };

	setup_bare("line:4", 1);
	packet(class_from(0, 2), port_to(0), dst, 2, 1, 0);
	CHECK(line_to(2)->packets == 1 && line_to(2)->mask == 3, "mask %llx",
	      (unsigned long long)line_to(2)->mask);
	CHECK(b.stat[FC_STAT_PKT_PASSTHRU] == 1, "not counted");
	at_rest();
}

TEST(vnet_pass__a_list_that_parts)
{
	static const u32 dst[] = { 5, 4, 7, 1 };

	setup_bare("mesh:3x3", 4);
	packet(class_from(3, 8), port_to(3), dst, 3, 1, 0);
	CHECK(b.line[class_from(3, 8)][port_to(5)].mask == 1 &&
	      b.line[class_from(3, 8)][port_to(7)].mask == 4, "masks %llx and %llx",
	      (unsigned long long)b.line[class_from(3, 8)][port_to(5)].mask,
	      (unsigned long long)b.line[class_from(3, 8)][port_to(7)].mask);
	CHECK(b.served == 1 && b.served_mask == 2, "mask %llx served",
	      (unsigned long long)b.served_mask);
	CHECK(b.stat[FC_STAT_PKT_SOME_LOCAL] == 1, "not counted");
	at_rest();
	CHECK(own(dst, 1, 1) && own(dst + 2, 2, 1), "no lane");
	CHECK(line_to(7)->mask == 1 && line_to(1)->mask == 2, "masks %llx and %llx",
	      (unsigned long long)line_to(7)->mask, (unsigned long long)line_to(1)->mask);
	CHECK(b.stat[FC_STAT_PKT_ALL_REMOTE] == 1, "not counted");
	at_rest();
}

TEST(vnet_pass__the_link_of_most_and_of_least_load)
{
	static const u32 most[] = { 8, 5, 6 }, two[] = { 8 };

	setup_bare("mesh:3x3", 0);
	/* Both next hops lead to site 8, and to 5 and 6; but 6 is straight below. */
	CHECK(own(most, 3, 1), "no lane");
	CHECK(line_to(3)->mask == 7 && !line_to(1)->packets, "mask %llx",
	      (unsigned long long)line_to(3)->mask);
	CHECK(own(two, 1, 1) && line_to(1)->packets == 1, "%u packets", line_to(1)->packets);
	at_rest();
}

TEST(vnet_pass__not_a_list_of_which_a_branch_has_to_wait)
{
	static const u32 dst[] = { 5, 7 };

	setup("mesh:3x3", 4, 4, 4);
	own_to(5, 4);
	CHECK(own(dst, 2, 1), "no lane");
	CHECK(line_to(7)->packets == 1 && line_to(7)->mask == 2, "%u packets",
	      line_to(7)->packets);
	CHECK(line_to(5)->packets == 1 && held() == 1, "%u packets", line_to(5)->packets);
	ack(5, 4);
	CHECK(line_to(5)->packets == 2 && line_to(5)->mask == 1, "%u packets",
	      line_to(5)->packets);
	at_rest();
	/* The packet is not forwarded over a dead link. */
	link_event(FC_EV_LINK_DOWN, port_to(7), 0);
	packet(class_from(3, 5), port_to(3), dst, 2, 1, 0);
	CHECK(b.served == 1 && b.served_mask == 2 && line_to(5)->packets == 3, "%u served",
	      b.served);
	at_rest();
}

/* A packet behind one that leaves a suspected link goes, if there is credit for it. */
TEST(vnet_suspect__next_packet_goes)
{
	struct fc_event ev = { .type = FC_EV_SUSPECT };

	setup("torus:4x4", 0, 4, 4);
	/* One packet for site 5 waits for the link to site 1, as two load the one to site 4. */
	own_to(1, 3);
	own_to(4, 3);
	own_to(4, 3);
	own_to(5, 3);
	own_to(1, 1);
	CHECK(line_to(1)->flits == 3, "%u flits", line_to(1)->flits);
	ev.port = port_to(1);
	event(0, &ev);
	CHECK(line_to(1)->flits == 4 && b.served == 1, "%u flits, %u served", line_to(1)->flits,
	      b.served);
}

/* Datagrams leave by the links that they were aimed at, each to the targets that it was. */
static void check_aim(const struct line before[CLASSES_MAX][NPORTS_MAX],
		      const u64 aimed[FC_PORTS_MAX], u32 round)
{
	u32 class, port;

	for (port = 1; port < NPORTS_MAX; port++) {
		u64 mask = 0;

		for (class = 0; class < CLASSES_MAX; class++)
			if (b.line[class][port].packets != before[class][port].packets)
				mask |= b.line[class][port].mask;
		CHECK(mask == aimed[port], "round %u, port %u: %llx, aimed at %llx", round, port,
		      (unsigned long long)mask, (unsigned long long)aimed[port]);
	}
}

/* Lists of all kinds get the same routes, with a queue or without: messages and datagrams. */
TEST(vnet_pass__as_step_by_step)
{
	static const char *const specs[] = { "line:5", "mesh:3x3", "torus:4x4", "hypercube:4" };
	struct line line[2][CLASSES_MAX][NPORTS_MAX], before[CLASSES_MAX][NPORTS_MAX];
	u32 i, k, n, round, dst[NTARGETS], parted = 0, random = 1;
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE] = { 0 };
	struct fc_aim aim = { .head = head, .dst = dst, .flits = 1 };
	u64 served[2], seen;

	for (round = 0; round < 4000; round++) {
		const char *spec = specs[round % FC_ARRAY_SIZE(specs)];

		for (k = 0, n = 0, seen = 0; k < NTARGETS; k++) {
			random = random * 1103515245 + 12345;
			dst[n] = (random >> 16) % (round % 4 ? 9 : 5);
			n += !(seen & fc_bit64(dst[n]));
			seen |= fc_bit64(dst[n - 1]);
		}
		for (i = 0; i < 2; i++) {
			setup(spec, 4, 4, 4);
			/* Unacked earlier packets load the next hops differently. */
			for (k = 0; k < (random >> 8) % 4; k++)
				own_to((random >> (10 + k)) % 4, 1);
			memset(b.stat, 0, sizeof(b.stat));
			b.served = 0;
			b.served_mask = 0;
			/* The switch also has other pending work. */
			b.v.touched |= i;
			make_head(head, 0, dst, (u8)n);
			memcpy(before, b.line, sizeof(before));
			if (round & 4) {
				make_datagram(head, random);
				aim.n = n;
				fc_vnet_aim_list(&b.v, &aim);
			}
			flit((u8)fc_vnet_injq(&b.v), FC_PORT_LOCAL, FC_PART_HEAD | FC_PART_TERM, 0,
			     head);
			at_rest();
			if (round & 4)
				check_aim(before, aim.mask, round);
			memcpy(line[i], b.line, sizeof(b.line));
			served[i] = b.served_mask;
			parted += b.stat[FC_STAT_PKT_ALL_REMOTE] + b.stat[FC_STAT_PKT_SOME_LOCAL];
		}
		CHECK(served[0] == served[1], "%s, round %u: %llx and %llx served", spec, round,
		      (unsigned long long)served[0], (unsigned long long)served[1]);
		CHECK(!memcmp(line[0], line[1], sizeof(line[0])), "%s, round %u: another way", spec,
		      round);
	}
	CHECK(parted > 4000, "%u parted", parted);
}

TEST(vnet_pass__what_comes_after_a_front)
{
	u32 dst = 2;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 3, 2);
	b.rx[class][port_to(0)].queue = NULL;
	flit(class, port_to(0), 0, PAYLOAD, NULL);
	flit(class, port_to(0), FC_PART_TERM, PAYLOAD, NULL);
	CHECK(line_to(2)->flits == 3 && line_to(2)->packets == 1, "%u flits", line_to(2)->flits);
	at_rest();
	/* Its link is free again. */
	packet(class, port_to(0), &dst, 1, 1, 0);
	CHECK(line_to(2)->packets == 2, "%u packets", line_to(2)->packets);
	at_rest();
}

TEST(vnet_pass__not_what_has_to_wait)
{
	u32 dst = 2;
	u8 class;

	/* Packets wait for the end of another one, for credit, and behind one without credit. */
	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 3, 1);
	CHECK(own_to(2, 1), "no lane");
	CHECK(line_to(2)->flits == 2, "%u flits", line_to(2)->flits);
	flit(class, port_to(0), FC_PART_TERM, PAYLOAD, NULL);
	CHECK(line_to(2)->flits == 4 && line_to(2)->packets == 2, "%u flits", line_to(2)->flits);
	packet(class, port_to(0), &dst, 1, 1, 0);
	CHECK(line_to(2)->flits == 4 && held() == 1, "%u flits", line_to(2)->flits);
	ack(2, 4);
	CHECK(line_to(2)->flits == 5 && !held(), "%u flits", line_to(2)->flits);
	CHECK(own_to(2, 4) && own_to(2, 1), "no lane");
	CHECK(line_to(2)->flits == 5 && held() == 5, "%u flits", line_to(2)->flits);
	ack(2, 1);
	CHECK(line_to(2)->flits == 9 && held() == 1, "%u flits", line_to(2)->flits);
	ack(2, 1);
	CHECK(line_to(2)->flits == 10, "%u flits", line_to(2)->flits);
	at_rest();
}

TEST(vnet_pass__not_a_flit_out_of_order)
{
	u32 dst = 2;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	b.next[class][port_to(0)] = 1;
	packet(class, port_to(0), &dst, 1, 1, 0);
	CHECK(!line_to(2)->flits && held() == 1, "%u flits", line_to(2)->flits);
	b.next[class][port_to(0)] = 0;
	packet(class, port_to(0), &dst, 1, 1, 0);
	CHECK(line_to(2)->packets == 2, "%u packets", line_to(2)->packets);
	/* The second packet causes no further change. */
	packet(class, port_to(0), &dst, 1, 1, 0);
	CHECK(line_to(2)->packets == 2, "%u packets", line_to(2)->packets);
	at_rest();
}

TEST(vnet_pass__not_into_a_dead_link)
{
	u32 dst = 2;

	setup("line:3", 1, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(2), 0);
	packet(class_from(0, 2), port_to(0), &dst, 1, 1, 0);
	CHECK(!line_to(2)->flits && b.served == 1 && b.served_mask == 1, "%u served", b.served);
	at_rest();
}

/* The route cache. */

TEST(vnet_cache__equals_the_rules)
{
	static const char *const specs[] = {
		"line:9", "ring:8", "mesh:3x3", "torus:4x4", "hypercube:3",
	};
	u32 i, dst, found = 0, known = 0;
	u8 round, class, port, d;

	for (i = 0; i < FC_ARRAY_SIZE(specs); i++) {
		u32 id = i % 5;

		setup(specs[i], id, 4, 4);
		b.v.cache = malloc(fc_vroute_cache_size(b.v.nclasses));
		fc_vnet_init(&b.v);
		for (port = 1; port < b.v.nports; port++)
			link_event(FC_EV_LINK_UP, port, 4);
		/* More destinations than the route cache holds, each twice in a row. */
		for (port = 0; port < b.v.nports; port++)
			for (class = 0; class < b.v.nclasses; class++)
				for (dst = 0; dst < 2 * b.topo.nsites; dst++) {
					u8 next[FC_DIRS_MAX], same[FC_DIRS_MAX];
					u32 dirs, to = dst / 2;

					round = dst & 1;
					if (to == id)
						continue;
					dirs = fc_vnet_next_hops(&b.v, class, port, to, 1, next);
					CHECK(dirs == fc_vclass_next_hops(&b.classes, id, to, class,
									  same),
					      "%s: class %u, port %u, to %u: %x", specs[i], class,
					      port, to, dirs);
					for (d = 0; d < b.topo.ndirs; d++)
						CHECK(!(dirs & fc_bit(d)) || next[d] == same[d],
						      "%s: class %u beyond %u", specs[i],
						      next[d], d);
					CHECK(fc_vnet_begin(&b.v, &to, 1) ==
					      fc_vclass_first(&b.classes, id, to),
					      "%s: to %u", specs[i], to);
					found += !!dirs;
					known += round;
				}
		free(b.v.cache);
	}
	CHECK(found > 500 && known > 500, "%u ways, %u of them again", found, known);
}

TEST(vnet_cache__holds_each_route_once_computed)
{
	u32 dirs;
	u8 next[FC_DIRS_MAX];

	setup("mesh:3x3", 4, 4, 4);
	b.v.cache = malloc(fc_vroute_cache_size(b.v.nclasses));
	fc_vnet_init(&b.v);
	link_event(FC_EV_LINK_UP, port_to(5), 4);
	dirs = fc_vnet_next_hops(&b.v, 0, port_to(3), 5, 1, next);
	CHECK(dirs == fc_bit(port_to(5) - 1), "directions %x", dirs);
	/* Clear the routing rules: only the route cache can answer. */
	b.classes.count = 0;
	CHECK(fc_vnet_next_hops(&b.v, 0, port_to(3), 5, 1, next) == dirs, "it has forgotten");
	/* The route cache keeps its entry, but the switch does not use a dead link. */
	b.v.up &= ~fc_bit(port_to(5));
	CHECK(!fc_vnet_next_hops(&b.v, 0, port_to(3), 5, 1, next), "over a dead link");
	free(b.v.cache);
}

/*
 * Branches.
 */

TEST(vnet_branches__go_on_each_for_itself)
{
	static const u32 dst[] = { 3, 5, 7 };
	u8 injq;

	setup("mesh:3x3", 4, 4, 4);
	own_to(5, 4);
	injq = (u8)fc_vnet_injq(&b.v);
	CHECK(own(dst, 3, 4), "no lane");
	CHECK(line_to(3)->packets == 1 && line_to(7)->packets == 1, "%u and %u packets",
	      line_to(3)->packets, line_to(7)->packets);
	CHECK(line_to(3)->mask == 1 && line_to(7)->mask == 4, "masks %llx and %llx",
	      (unsigned long long)line_to(3)->mask, (unsigned long long)line_to(7)->mask);
	/* The packet stays in the injection queue for the branch that waits. */
	CHECK(line_to(5)->packets == 1 && held() == 4, "%u handles", held());
	CHECK(b.rx[injq][FC_PORT_LOCAL].queued == 4, "%u flits queued",
	      b.rx[injq][FC_PORT_LOCAL].queued);
	ack(5, 4);
	CHECK(line_to(5)->packets == 2 && line_to(5)->mask == 2, "%u packets", line_to(5)->packets);
	at_rest();
}

TEST(vnet_branches__local_is_served_at_once)
{
	static const u32 dst[] = { 1, 2 };
	u8 class;

	setup("line:3", 1, 4, 4);
	own_to(2, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), dst, 2, 3, 0);
	CHECK(b.served == 1 && b.served_mask == 1 && b.served_flits == 3, "%u served, mask %llx",
	      b.served, (unsigned long long)b.served_mask);
	CHECK(line_to(2)->packets == 1 && held() == 3, "%u packets", line_to(2)->packets);
	ack(2, 4);
	CHECK(line_to(2)->packets == 2 && line_to(2)->mask == 2 && b.served == 1, "%u packets",
	      line_to(2)->packets);
	at_rest();
}

TEST(vnet_branches__local_of_what_passes)
{
	static const u32 dst[] = { 1, 2 };
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), dst, 2, 3, 1);
	CHECK(line_to(2)->flits == 2 && !b.served, "%u flits", line_to(2)->flits);
	flit(class, port_to(0), FC_PART_TERM, PAYLOAD, NULL);
	CHECK(b.served == 1 && b.served_mask == 1 && b.served_flits == 3, "%u served, mask %llx",
	      b.served, (unsigned long long)b.served_mask);
	CHECK(line_to(2)->packets == 1 && line_to(2)->mask == 2, "%u packets",
	      line_to(2)->packets);
	at_rest();
}

TEST(vnet_branches__by_credit_and_load)
{
	u32 first;

	setup("mesh:2x2", 0, 4, 4);
	own_to(3, 3);
	own_to(3, 3);
	CHECK(line_to(1)->packets == 1 && line_to(2)->packets == 1, "%u and %u packets",
	      line_to(1)->packets, line_to(2)->packets);
	/* One port has fewer flits in flight, then one waiting packet fewer. */
	ack(2, 1);
	own_to(3, 3);
	CHECK(line_to(1)->packets == 1 && line_to(2)->packets == 1, "%u and %u packets",
	      line_to(1)->packets, line_to(2)->packets);
	ack(1, 3);
	CHECK(line_to(1)->packets == 1, "%u packets", line_to(1)->packets);
	own_to(3, 3);
	CHECK(line_to(1)->packets == 2, "%u packets", line_to(1)->packets);
	ack(1, 3);
	ack(2, 2);
	ack(2, 3);
	at_rest();
	/* The switch keeps no state of a forwarded packet: the next one has the same choice. */
	setup("mesh:2x2", 0, 4, 4);
	own_to(3, 3);
	first = line_to(1)->packets ? 1 : 2;
	ack(first, 3);
	own_to(3, 3);
	CHECK(line_to(first)->packets == 2, "%u packets", line_to(first)->packets);
	at_rest();
}

/* Targets of several orthants share a link; the packet begins in the lowest of their classes. */
TEST(vnet_branches__one_for_all_classes)
{
	static const u32 dst[] = { 1, 7 };
	u32 packets = 0;
	u8 c, port;

	/* Both next hops are site 4, and from there up and down. */
	setup("mesh:3x3", 3, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(0), 0);
	link_event(FC_EV_LINK_DOWN, port_to(6), 0);
	CHECK(fc_vnet_begin(&b.v, dst, 2) == fc_vclass_first(&b.classes, 3, 7) &&
	      fc_vclass_first(&b.classes, 3, 1) != fc_vclass_first(&b.classes, 3, 7), "class");
	own(dst, 2, 3);
	port = port_to(4);
	for (c = 0; c < b.v.nclasses; c++)
		packets += b.line[c][port].packets;
	CHECK(packets == 1 && line_to(4)->mask == 3, "%u packets", packets);
	at_rest();
}

TEST(vnet_branches__cut_with_their_packet)
{
	static const u32 dst[] = { 2 };
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), dst, 1, 4, 1);
	flit(class, port_to(0), FC_PART_TERM | FC_PART_ABORT, 0, NULL);
	CHECK(line_to(2)->flits == 4 && line_to(2)->aborted == 1, "%u flits", line_to(2)->flits);
	ack(2, 4);
	/* A branch that has not begun sends nothing. */
	own_to(2, 4);
	packet(class, port_to(0), dst, 1, 4, 1);
	flit(class, port_to(0), FC_PART_TERM | FC_PART_ABORT, 0, NULL);
	ack(2, 4);
	CHECK(line_to(2)->flits == 8 && line_to(2)->aborted == 1, "%u flits", line_to(2)->flits);
	at_rest();
}

/*
 * Links.
 */

TEST(vnet_links__down_with_a_branch_that_waits)
{
	static const u32 dst[] = { 3, 5 };

	setup("mesh:3x3", 4, 4, 4);
	own_to(5, 4);
	own(dst, 2, 3);
	CHECK(held() == 3 && !b.served, "%u handles", held());
	link_event(FC_EV_LINK_DOWN, port_to(5), 0);
	CHECK(b.served == 1 && b.served_mask == 2 && b.served_flits == 3, "%u served, mask %llx",
	      b.served, (unsigned long long)b.served_mask);
	at_rest();
}

TEST(vnet_links__down_within_a_packet)
{
	u32 dst = 2;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 4, 2);
	link_event(FC_EV_LINK_DOWN, port_to(0), 0);
	CHECK(line_to(2)->flits == 3 && line_to(2)->aborted == 1, "%u flits", line_to(2)->flits);
	at_rest();
	/* The other end: a begun packet is lost, and the switch drops the rest of it. */
	setup("line:3", 1, 4, 4);
	packet(class, port_to(0), &dst, 1, 4, 2);
	link_event(FC_EV_LINK_DOWN, port_to(2), 0);
	flit(class, port_to(0), 0, PAYLOAD, NULL);
	flit(class, port_to(0), FC_PART_TERM, PAYLOAD, NULL);
	CHECK(!b.served, "served");
	at_rest();
}

TEST(vnet_links__no_route_in_its_class)
{
	u32 dst = 2;

	setup("line:3", 1, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(2), 0);
	packet(class_from(0, 2), port_to(0), &dst, 1, 3, 0);
	CHECK(b.served == 1 && b.served_mask == 1 && !b.unreachable, "%u served", b.served);
	at_rest();
	/* A packet whose next hop is the link on which it arrived: correct peers do not send it. */
	setup("line:3", 1, 4, 4);
	packet(class_from(2, 0), port_to(2), &dst, 1, 3, 0);
	CHECK(b.served == 1 && b.served_mask == 1, "%u served", b.served);
	at_rest();
}

/*
 * Routes.
 */

TEST(vnet_routes__around_what_is_dead)
{
	u32 site;

	/* 0 1 / 2 3: packets from 0 to 1 are forwarded to 2. */
	setup("mesh:2x2", 0, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(1), 0);
	for (site = 1; site < 4; site++)
		b.routes[site] = fc_bit(port_to(2) - 1);
	b.node.routes = b.routes;
	own_to(1, 3);
	CHECK(line_to(2)->packets == 1 && !b.unreachable, "%u packets", line_to(2)->packets);
	at_rest();
}

TEST(vnet_routes__in_the_class_of_the_first_link)
{
	u32 site;

	setup("mesh:3x3", 4, 4, 4);
	CHECK(class_to(3) != class_to(5), "the same class");
	link_event(FC_EV_LINK_DOWN, port_to(3), 0);
	for (site = 0; site < 9; site++)
		b.routes[site] = fc_bit(port_to(5) - 1);
	b.node.routes = b.routes;
	own_to(3, 3);
	CHECK(line_to(5)->packets == 1, "%u packets", line_to(5)->packets);
	at_rest();
}

TEST(vnet_routes__prefer_one_of_two_next_hops)
{
	setup("mesh:2x2", 0, 4, 4);
	b.routes[3] = fc_bit(port_to(2) - 1);
	b.node.routes = b.routes;
	own_to(3, 3);
	own_to(3, 3);
	CHECK(line_to(2)->packets == 1 && !line_to(1)->flits, "%u packets", line_to(2)->packets);
	ack(2, 3);
	at_rest();
}

TEST(vnet_routes__unreachable_reported_once)
{
	static const u32 dst[] = { 1, 2 };

	setup("mesh:2x2", 0, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(1), 0);
	own(dst, 2, 4);
	CHECK(b.unreachable == 1 && b.unreachable_mask == 1, "told %u times, of %llx",
	      b.unreachable, (unsigned long long)b.unreachable_mask);
	CHECK(line_to(2)->packets == 1 && line_to(2)->mask == 2 && !b.served, "%u packets",
	      line_to(2)->packets);
	at_rest();
}

TEST(vnet_routes__an_injq_waits_for_new_ones)
{
	setup("mesh:2x2", 0, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(1), 0);
	b.node.rerouting = true;
	b.node.routes = b.routes;
	b.routes[2] = fc_bit(port_to(2) - 1);
	own_to(1, 3);
	CHECK(!b.unreachable && !b.served && held() == 3, "told %u times", b.unreachable);
	/* The other injection queues continue. */
	own_to(2, 3);
	CHECK(line_to(2)->packets == 1, "%u packets", line_to(2)->packets);
	ack(2, 3);
	rerouted();
	CHECK(held() == 3, "%u handles", held());
	b.routes[1] = b.routes[2];
	b.node.rerouting = false;
	rerouted();
	CHECK(line_to(2)->packets == 2 && !b.unreachable, "%u packets", line_to(2)->packets);
	at_rest();
	/* There is no route yet. */
	b.node.rerouting = true;
	b.routes[1] = 0;
	own_to(1, 3);
	CHECK(!b.unreachable, "told");
	b.node.rerouting = false;
	rerouted();
	CHECK(b.unreachable == 1 && b.unreachable_mask == 1, "told %u times", b.unreachable);
	at_rest();
}

TEST(vnet_routes__an_injq_waits_for_a_link)
{
	setup("mesh:2x2", 0, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(1), 0);
	b.node.rerouting = true;
	b.node.routes = b.routes;
	b.routes[1] = fc_bit(port_to(1) - 1);
	own_to(1, 3);
	CHECK(!b.unreachable && held() == 3, "%u handles", held());
	link_event(FC_EV_LINK_UP, port_to(1), 4);
	CHECK(line_to(1)->packets == 1, "%u packets", line_to(1)->packets);
	at_rest();
}

TEST(vnet_injqs__do_not_stand_behind_each_other)
{
	u32 i;

	setup("mesh:3x3", 4, 4, 4);
	own_to(5, 4);
	for (i = 0; i + 1 < b.v.injqs; i++)
		CHECK(own_to(5, 4), "no lane for packet %u", i);
	CHECK(own_to(3, 4) && line_to(3)->packets == 1, "%u packets", line_to(3)->packets);
	CHECK(own_to(5, 4) && fc_vnet_injq(&b.v) < 0, "a lane too many");
	for (i = 0; i < b.v.injqs; i++)
		ack(5, 4);
	CHECK(line_to(5)->packets == b.v.injqs + 1U, "%u packets", line_to(5)->packets);
	at_rest();
}

TEST(vnet_injqs__take_no_packet_within_another)
{
	u32 dst = 5;
	int injq;

	setup("mesh:3x3", 4, 4, 4);
	injq = fc_vnet_injq(&b.v);
	packet((u8)injq, FC_PORT_LOCAL, &dst, 1, 3, 1);
	CHECK(line_to(5)->flits == 2 && fc_vnet_injq(&b.v) != injq, "lane %d again", injq);
}

/* Peers that send malformed packets. */

/* The switch drops the peer's packet, and forwards the next one. */
static void check_goes_on(u8 class)
{
	u32 dst = 2, packets = line_to(2)->packets;

	CHECK(b.link_stat[FC_LSTAT_RX_PROTOCOL], "not counted");
	ack(2, line_to(2)->flits - line_to(2)->acked);
	packet(class, port_to(0), &dst, 1, 3, 0);
	CHECK(line_to(2)->packets == packets + 1, "%u packets", line_to(2)->packets);
	CHECK(!b.served, "served");
	at_rest();
}

TEST(vnet_lies__longer_than_a_window)
{
	u32 dst = 2, i;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 5, 4);
	for (i = 0; i < 3; i++)
		flit(class, port_to(0), 0, PAYLOAD, NULL);
	flit(class, port_to(0), FC_PART_TERM, PAYLOAD, NULL);
	CHECK(!line_to(2)->flits, "%u flits", line_to(2)->flits);
	check_goes_on(class);
}

TEST(vnet_lies__ends_early)
{
	u32 dst = 2;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 4, 2);
	/* The rest of the packet is in one flit. */
	flit(class, port_to(0), FC_PART_TERM, 2 * PAYLOAD, NULL);
	CHECK(line_to(2)->aborted == 1, "%u aborted", line_to(2)->aborted);
	check_goes_on(class);
	/* A packet for this site. */
	setup("line:3", 1, 4, 4);
	dst = 1;
	packet(class, port_to(0), &dst, 1, 4, 2);
	flit(class, port_to(0), FC_PART_TERM, 2 * PAYLOAD, NULL);
	check_goes_on(class);
}

TEST(vnet_lies__does_not_end)
{
	u32 dst = 2;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 4, 1);
	flit(class, port_to(0), 0, PAYLOAD, NULL);
	flit(class, port_to(0), 0, PAYLOAD, NULL);
	/* The terminator fits the credit of the packet. */
	CHECK(line_to(2)->flits == 4 && line_to(2)->aborted == 1, "%u flits", line_to(2)->flits);
	check_goes_on(class);
}

TEST(vnet_lies__flits_that_are_not_full)
{
	u32 dst = 2;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 4, 3);
	flit(class, port_to(0), 0, PAYLOAD - 1, NULL);
	CHECK(line_to(2)->flits == 2 && line_to(2)->aborted == 1, "%u flits", line_to(2)->flits);
	check_goes_on(class);
}

TEST(vnet_lies__a_front_within_a_packet)
{
	u32 dst = 2;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 4, 3);
	packet(class, port_to(0), &dst, 1, 2, 0);
	CHECK(line_to(2)->aborted == 1, "%u aborted", line_to(2)->aborted);
	ack(2, line_to(2)->flits);
	CHECK(line_to(2)->packets == 2, "%u packets", line_to(2)->packets);
	check_goes_on(class);
}
