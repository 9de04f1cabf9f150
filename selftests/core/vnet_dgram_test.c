// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet: datagrams of this site, and the links that they take first.
 */
#include "vnet_bench.h"
#include "core/vnet/vnet_pass.h"

/*
 * Packets of a flow of datagrams leave by one link, whatever waits there, alone and in lists;
 * flows share the links.
 */
TEST(vnet_datagram__a_flow_has_one_path)
{
	static const u32 one[] = { 5 }, list[] = { 5, 6, 10 };
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE] = { 0 };
	u32 flow, k, n, port, was, all, by[NPORTS_MAX] = { 0 };
	u8 aim = 0;

	for (flow = 0; flow < 400; flow++) {
		u32 first = 0;

		n = flow & 1 ? FC_ARRAY_SIZE(list) : 1;
		for (k = 0; k < 4; k++) {
			setup("torus:4x4", 0, 4, 4);
			/* Packets wait for the one link, the other, or both. */
			if (k & 1)
				own_to(1, 3);
			if (k & 2)
				own_to(4, 3);
			was = line_to(1)->packets;
			all = was + line_to(4)->packets;
			make_head(head, 0, n > 1 ? list : one, (u8)n);
			make_datagram(head, flow * 0x61c88647);
			b.v.touched |= flow >> 1 & 1;
			if (n == 1)
				fc_vnet_aim(&b.v, head, 1, &aim);
			flit((u8)fc_vnet_injq(&b.v), FC_PORT_LOCAL, FC_PART_HEAD | FC_PART_TERM, 0,
			     head);
			at_rest();
			port = line_to(1)->packets > was ? 1 : 2;
			CHECK(line_to(1)->packets + line_to(4)->packets == all + 1,
			      "flow %u leaves by %u and %u", flow, line_to(1)->packets,
			      line_to(4)->packets);
			if (!k)
				first = port;
			CHECK(port == first, "flow %u, load %u: another link", flow, k);
			CHECK(n > 1 || aim == port_to(port == 1 ? 1 : 4), "flow %u: aimed at %u",
			      flow, aim);
		}
		by[first]++;
	}
	CHECK(by[1] > 120 && by[2] > 120, "%u and %u flows", by[1], by[2]);
}

/*
 * A datagram is not to enter while another one waits for its link, nor is one for another link
 * held.  Messages that wait do not hold it.
 */
TEST(vnet_datagram__aims_at_a_free_channel)
{
	static const u32 to[] = { 0, 1, 4 };
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE] = { 0 }, port;
	u32 i;

	setup("torus:4x4", 0, 4, 4);
	for (i = 0; i < 2; i++) {
		bool full = i;

		/* The first has all credit but one flit. */
		if (full) {
			own_to(1, 3);
			own_to(1, 3);
		}
		make_head(head, 0, &to[1], 1);
		make_datagram(head, 7);
		if (full) {
			CHECK(fc_vnet_aim(&b.v, head, 1, &port), "behind messages");
			flit((u8)fc_vnet_injq(&b.v), FC_PORT_LOCAL, FC_PART_HEAD | FC_PART_TERM, 0,
			     head);
		}
		CHECK(fc_vnet_aim(&b.v, head, 1, &port) == !full && port == port_to(1), "full %u, 1",
		      full);
		make_head(head, 0, &to[2], 1);
		make_datagram(head, 7);
		CHECK(fc_vnet_aim(&b.v, head, 1, &port) && port == port_to(4), "full %u, 4", full);
		make_head(head, 0, &to[0], 1);
		make_datagram(head, 7);
		CHECK(fc_vnet_aim(&b.v, head, 1, &port) && port == FC_PORT_LOCAL, "full %u, 0",
		      full);
	}
}

/* Links without credit hold all injection queues but one, though no packet waits for them yet. */
TEST(vnet_datagram__leaves_an_injection_queue)
{
	static const u32 to[] = { 1, 3, 4, 12 };
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE] = { 0 }, port;
	u32 i;

	setup("torus:4x4", 0, 4, 4);
	CHECK(b.v.injqs <= FC_ARRAY_SIZE(to), "%u injection queues", b.v.injqs);
	/* The last one has credit for one flit. */
	for (i = 0; i < b.v.injqs; i++)
		own_to(to[i], i + 1 < b.v.injqs ? 4 : 3);
	for (i = 0; i < b.v.injqs; i++) {
		bool enters = i + 1 < b.v.injqs;

		make_head(head, 0, &to[i], 1);
		make_datagram(head, 7);
		CHECK(fc_vnet_aim(&b.v, head, 2, &port) == enters && port == port_to(to[i]), "to %u",
		      to[i]);
		CHECK(fc_vnet_aim(&b.v, head, 1, &port), "one flit to %u", to[i]);
		if (enters)
			flit((u8)fc_vnet_injq(&b.v), FC_PORT_LOCAL, FC_PART_HEAD | FC_PART_TERM, 0,
			     head);
	}
}

/* A list that has parted may wait for some of its links, if an injection queue is left. */
TEST(vnet_datagram__a_list_waits_for_some_links)
{
	static const u32 to[] = { 1, 4, 3 };
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE] = { 0 };
	struct fc_aim aim = { .head = head, .dst = to, .n = 3, .flits = 1 };
	u32 i;

	setup("torus:4x4", 0, 4, 4);
	for (i = 0; i < 3; i++)
		own_to(to[i], 4);
	make_head(head, 0, to, 3);
	make_datagram(head, 7);
	for (i = 0; i < 3; i++) {
		bool last = i == 2;

		fc_vnet_aim_list(&b.v, &aim);
		CHECK(aim.mask[port_to(1)] == 1 && aim.mask[port_to(4)] == 2 &&
		      aim.mask[port_to(3)] == 4 && !aim.mask[FC_PORT_LOCAL], "masks");
		CHECK(aim.takes, "%u wait", i);
		if (last)
			break;
		make_head(head, 0, &to[i], 1);
		make_datagram(head, 7);
		flit((u8)fc_vnet_injq(&b.v), FC_PORT_LOCAL, FC_PART_HEAD | FC_PART_TERM, 0, head);
		make_head(head, 0, to, 3);
		make_datagram(head, 7);
	}
	make_head(head, 0, &to[2], 1);
	make_datagram(head, 7);
	flit((u8)fc_vnet_injq(&b.v), FC_PORT_LOCAL, FC_PART_HEAD | FC_PART_TERM, 0, head);
	make_head(head, 0, to, 3);
	make_datagram(head, 7);
	fc_vnet_aim_list(&b.v, &aim);
	CHECK(!aim.takes, "one waits for each link");
	/* The packets that hold the first link leave, and what waits for it. */
	ack(1, 4);
	fc_vnet_aim_list(&b.v, &aim);
	CHECK(aim.takes == (b.v.injqs > 3), "%u injection queues", b.v.injqs);
}

/* Datagrams aim at the first link of a detour.  None enters while a target may get a route. */
TEST(vnet_datagram__aims_at_a_detour)
{
	static const u32 to[] = { 1, 2 };
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE] = { 0 }, port;
	struct fc_aim aim = { .head = head, .dst = to, .n = 2, .flits = 1 };

	/* 0 1 / 2 3: packets from 0 to 1 are forwarded to 2. */
	setup("mesh:2x2", 0, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(1), 0);
	b.node.routes = b.routes;
	b.routes[1] = fc_bit(port_to(2) - 1);
	b.routes[2] = b.routes[1];
	make_head(head, 0, to, 1);
	make_datagram(head, 7);
	CHECK(fc_vnet_aim(&b.v, head, 1, &port) && port == port_to(2), "port %u", port);
	fc_vnet_aim_list(&b.v, &aim);
	CHECK(aim.takes && aim.mask[port_to(2)] == 3, "mask %llx",
	      (unsigned long long)aim.mask[port_to(2)]);
	b.routes[1] = 0;
	fc_vnet_aim_list(&b.v, &aim);
	CHECK(aim.takes && aim.mask[FC_PORT_LOCAL] == 1 && aim.mask[port_to(2)] == 2, "unreachable");
	b.node.rerouting = true;
	fc_vnet_aim_list(&b.v, &aim);
	CHECK(!aim.takes && aim.mask[port_to(2)] == 2, "a target may get a route");
}

/* One datagram waits with packets of other sites: else a link that these fill would serve none. */
TEST(vnet_datagram__waits_in_its_turn)
{
	u32 dst = 2, i;
	u8 head[FC_PACKET_SIZE + 4 * FC_TARGET_SIZE] = { 0 }, port;

	setup("line:3", 1, 4, 4);
	for (i = 0; i < 2; i++)
		packet(class_from(0, 2), port_to(0), &dst, 1, 3, 0);
	CHECK(line_to(2)->packets == 1, "%u packets", line_to(2)->packets);
	make_head(head, 1, &dst, 1);
	make_datagram(head, 7);
	CHECK(fc_vnet_aim(&b.v, head, 1, &port), "it may not wait for the channel");
	flit((u8)fc_vnet_injq(&b.v), FC_PORT_LOCAL, FC_PART_HEAD | FC_PART_TERM, 0, head);
	CHECK(!fc_vnet_aim(&b.v, head, 1, &port), "two wait for the channel");
}
