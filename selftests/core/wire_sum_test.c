// SPDX-License-Identifier: GPL-2.0
/* The sum of a packet: it stays right however a list is parted, and notices damage in transit. */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "core/wire/wire_sum.h"

#define NSITES	200
#define SIZE	(FC_PACKET_SIZE + FC_TARGETS_MAX * FC_TARGET_SIZE)

static u32 random32(void)
{
	return tap_random(0x10000) << 16 | tap_random(0x10000);
}

static u64 random64(void)
{
	return (u64)random32() << 32 | random32();
}

/* Choose @n sites of the topology, all different. */
static void random_sites(u32 *site, u32 n)
{
	u32 left = n, at;

	for (at = 0; left; at++)
		if (tap_random(NSITES - at) < left)
			site[n - left--] = at;
}

/* Write a head with @n targets, alike (a bitmap may be shorter) or not.  Return: its size. */
static u32 random_head(u8 *p, u32 n, bool alike)
{
	const struct fc_packet pk = {
		.src = tap_random(NSITES), .incarnation = random32(), .sock = random32() >> 1,
		.src_port = (u16)random32(), .ntargets = (u8)n, .id = random32(),
		.msg_len = 3 * FC_PACKET_MAX, .offset = FC_PACKET_MAX * tap_random(3),
		.flags = tap_random(2) ? FC_PACKET_LIST : 0, .hops = 3, .copied = 1,
	};
	struct fc_target t = { .port = 1, .seq = random32() };
	u32 site[FC_TARGETS_MAX];

	random_sites(site, n);
	fc_wire_packet_encode(p, &pk);
	if (alike)
		return fc_wire_sites_encode(p, &t, site, n);
	for (u32 i = 0; i < n; i++) {
		t = (struct fc_target){
			.site = site[i], .port = (u16)(1 + tap_random(0xffff)),
			.outstanding = (u8)tap_random(FC_FLOW_WINDOW), .off = tap_random(1000),
			.len = tap_random(1000), .seq = random32(),
			.flags = i == n - 1 ? FC_TARGET_LAST : 0,
		};
		fc_wire_target_encode(p, i, &t);
	}
	return fc_head_size(n);
}

/* A mask of some of @n targets, at least one. */
static u64 random_mask(u32 n)
{
	u64 all = n < 64 ? (1ULL << n) - 1 : ~0ULL, mask;

	do
		mask = random64() & all;
	while (!mask);
	return mask;
}

/* The packet stays as its source made it at each site that parts its list. */
TEST(wire_sum__any_part_of_a_list)
{
	unsigned int mapped = 0;

	for (unsigned int i = 0; i < TAP_ROUNDS(3000); i++) {
		u32 n = 1 + tap_random(FC_TARGETS_MAX), crc = random32();
		u8 head[SIZE], part[SIZE];

		random_head(head, n, i % 2);
		fc_wire_set_sum(head, crc);
		CHECK(fc_wire_intact(head, crc), "%u targets", n);
		CHECK(!fc_wire_intact(head, crc + 1), "other data");
		while (n > 1) {
			mapped += fc_wire_mapped(head);
			fc_wire_summed_subset(part, head, random_mask(n), 1);
			n = fc_wire_ntargets(part);
			CHECK(fc_wire_intact(part, crc), "%u targets", n);
			memcpy(head, part, sizeof(head));
			if (n == 1)
				fc_wire_head_apart(head);
		}
		CHECK(fc_wire_intact(head, crc), "one target, apart");
	}
	CHECK(mapped > TAP_ROUNDS(1000), "bitmaps: %u", mapped);
}

/* Is the byte one that sites on the path change? */
static bool changes(u32 at, u8 flip)
{
	return at == P_HOPS || at == P_HOPS + 1 || (at == P_FLAGS && flip == FC_PACKET_APART);
}

/* Is the damage such that the site which gets the head refuses it, or ignores the byte? */
static bool refused(const u8 *head, u32 size)
{
	return fc_wire_head_size(head, SIZE) != size ||
	       !fc_wire_head_check(head, FC_PART_HEAD, size, NSITES);
}

/*
 * Single bits and bytes of a head are damaged in a site before it parts the list, and after that: a
 * target that gets the head either notices it, or the byte is none that the source made.
 */
TEST(wire_sum__damage_of_a_head_is_noticed)
{
	for (unsigned int i = 0; i < TAP_ROUNDS(60); i++) {
		u32 n = i % 3 ? 2 + tap_random(30) : 1, crc = random32(), size;
		u8 head[SIZE], bad[SIZE], part[SIZE];

		size = random_head(head, n, i % 2);
		fc_wire_set_sum(head, crc);
		for (u32 at = 0; at < size; at++) {
			for (u32 k = 0; k < 9; k++) {
				u8 flip = (u8)(k < 8 ? 1U << k : 1 + tap_random(255));
				u64 mask = random_mask(n);

				if (changes(at, flip))
					continue;
				memcpy(bad, head, sizeof(bad));
				bad[at] ^= flip;
				if (refused(bad, size))
					continue;
				CHECK(!fc_wire_intact(bad, crc), "byte %u of %u", at, size);
				fc_wire_summed_subset(part, bad, mask, 1);
				CHECK(!fc_wire_intact(part, crc), "byte %u, parted", at);
			}
		}
	}
}

/* A broadcast's label and links are of its path; all other fields are of its source. */
TEST(wire_sum__broadcast)
{
	const struct fc_packet pk = {
		.src = 3, .sock = FC_SOCK_BCAST | 5, .ntargets = 1, .id = 7, .msg_len = 100,
	};
	const struct fc_bcast_hdr c = {
		.number = 77, .port = 9, .copies = 3, .outstanding = 2, .label = 1, .seq = 1234,
	};
	u32 size = fc_head_size(1), crc = random32();
	u8 p[FC_PACKET_SIZE + FC_TARGET_SIZE];

	fc_wire_packet_encode(p, &pk);
	fc_wire_bcast_encode(p, &c);
	fc_wire_set_sum(p, crc);
	fc_wire_bcast_hop(p, 6);
	CHECK(fc_wire_intact(p, crc), "after a link");
	for (u32 at = 0; at < size; at++) {
		for (u32 k = 0; k < 8; k++) {
			p[at] ^= (u8)(1 << k);
			if (!changes(at, (u8)(1 << k)) &&
			    fc_wire_bcast_check(p, FC_PART_HEAD, size, NSITES) &&
			    (at < FC_PACKET_SIZE + T_LEN || at >= FC_PACKET_SIZE + T_SEQ))
				CHECK(!fc_wire_intact(p, crc), "bit %u of byte %u", k, at);
			p[at] ^= (u8)(1 << k);
		}
	}
}

/* Each bit of a control entry counts, but those of the links crossed. */
TEST(wire_sum__control_entry)
{
	struct fc_ctrl c = {
		.kind = FC_CTRL_CONFIRM, .hops = 3, .dst = 4, .incarnation = random32(), .sock = 6,
		.site = 7, .port = 8, .seq = random32(), .next = 10, .base = 11, .have = random64(),
	};
	u8 p[FC_CTRL_SIZE];

	fc_wire_ctrl_encode(p, &c);
	fc_wire_ctrl_set_sum(p);
	fc_wire_ctrl_hop(p);
	CHECK(fc_wire_ctrl_decode(&c, p) && fc_wire_ctrl_intact(p), "after a link");
	fc_wire_ctrl_encode(p, &c);
	CHECK(fc_wire_ctrl_intact(p), "as a site in transit writes it");
	for (u32 bit = 0; bit < 8 * FC_CTRL_SIZE; bit++) {
		p[bit / 8] ^= (u8)(1 << bit % 8);
		CHECK(fc_wire_ctrl_intact(p) == (bit / 16 == FC_AT_CTRL_HOPS / 2), "bit %u", bit);
		p[bit / 8] ^= (u8)(1 << bit % 8);
	}
}

TEST(wire_sum__golden_bytes)
{
	const struct fc_packet pk = {
		.src = 1, .incarnation = 0x01020304, .sock = 5, .src_port = 6, .ntargets = 2,
		.id = 7, .msg_len = 100,
	};
	const struct fc_target t = {
		.port = 0x1234, .outstanding = 2, .off = 7, .len = 8, .seq = 9,
	};
	static const u32 site[] = { 24, 10 };
	static const u8 golden[] = { 0xb3, 0xae, 0x53, 0x42 };
	u8 p[FC_PACKET_SIZE + 2 * FC_TARGET_SIZE];

	fc_wire_packet_encode(p, &pk);
	fc_wire_sites_encode(p, &t, site, 2);
	fc_wire_set_sum(p, 0x0a0b0c0d);
	CHECK(!memcmp(p + P_SUM, golden, sizeof(golden)), "%02x %02x %02x %02x", p[P_SUM],
	      p[P_SUM + 1], p[P_SUM + 2], p[P_SUM + 3]);
}
