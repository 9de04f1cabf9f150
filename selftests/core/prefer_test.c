// SPDX-License-Identifier: GPL-2.0
/*
 * Preferences among next hops: entries compared with what their words mean, shares with weights,
 * and the check of the last way with walks of packets over all routes.
 */
#include <string.h>

#include "core/link/node.h"
#include "tap.h"

#define SITES	20
#define ENTRIES	3

static u32 state;

static u32 random_u32(void)
{
	state = state * 1664525 + 1013904223;
	return state ^ state >> 16;
}

/* An entry for @ndirs directions, as netlink permits it. */
static void random_entry(struct fc_prefer *p, u8 ndirs)
{
	u32 all = fc_mask_all(ndirs), kind = random_u32(), i;

	memset(p, 0, sizeof(*p));
	if (kind & 1)
		p->never = random_u32() & random_u32() & all;
	if (kind & 2)
		p->strict = p->never;
	if (kind & 4) {
		p->weighted = random_u32() & all;
		for (i = 0; i < ndirs; i++)
			p->weight[i] = 1 + random_u32() % FC_WEIGHT_MAX;
	} else if (kind & 8) {
		u32 left = random_u32() & all;

		while (left) {
			u8 d = (u8)(random_u32() % ndirs);

			if (left & fc_bit(d))
				p->order[p->count++] = d;
			left &= ~fc_bit(d);
		}
	}
}

/* As fc_prefer_narrow(), one direction after the other. */
static u32 narrowed(const struct fc_prefer *p, u32 dirs, u8 ndirs)
{
	u32 sure = 0, with = 0;
	u8 d, i;

	for (d = 0; d < ndirs; d++)
		if (dirs >> d & 1 && !(p->never >> d & 1))
			sure |= fc_bit(d);
	if (!sure)
		sure = dirs;
	for (i = 0; i < p->count; i++)
		if (sure >> p->order[i] & 1)
			return fc_bit(p->order[i]);
	for (d = 0; d < ndirs; d++)
		if (sure >> d & 1 && p->weighted >> d & 1)
			with |= fc_bit(d);
	return with ? with : sure;
}

TEST(prefer_choose__only_leaves_out)
{
	u32 round, some = 0;

	for (round = 0; round < TAP_ROUNDS(20000); round++) {
		u8 ndirs = 1 + random_u32() % FC_DIRS_MAX;
		u32 dirs = random_u32() & fc_mask_all(ndirs), left, one;
		struct fc_prefer p;

		random_entry(&p, ndirs);
		left = fc_prefer_narrow(&p, dirs);
		CHECK(left == narrowed(&p, dirs, ndirs), "of %x %x", dirs, left);
		CHECK(!(left & ~dirs) && !left == !dirs, "of %x %x", dirs, left);
		one = fc_prefer_choose(&p, dirs, random_u32(), round);
		CHECK(!(one & ~left) && !one == !left, "of %x %x", left, one);
		CHECK(!(left & p.weighted) || !(one & (one - 1)), "weights, and %x", one);
		some += left != dirs;
	}
	CHECK(some > TAP_ROUNDS(20000) / 4, "%u entries had an effect", some);
}

/* Weights as shares of the packets of one sender, and of the flows of several. */
TEST(prefer_share__follows_weights)
{
	u8 FC_UNSET head[FC_PACKET_SIZE + FC_TARGET_SIZE];
	struct fc_prefer p = { .weighted = 0x15 };
	u32 flows, i, d, count[5];

	p.weight[0] = 2;
	p.weight[2] = 1;
	p.weight[4] = 5;
	memset(head, 0, sizeof(head));
	for (flows = 0; flows < 2; flows++) {
		memset(count, 0, sizeof(count));
		for (i = 0; i < 16000; i++) {
			fc_put32(head + (flows ? FC_AT_SOCK : FC_AT_ID), i);
			count[fc_low(fc_prefer_share(&p, 0x15, fc_prefer_key(head), 7))]++;
		}
		for (d = 0; d < 5; d += 2) {
			u32 due = 2000U * p.weight[d];

			CHECK(count[d] > due - due / 20 && count[d] < due + due / 20,
			      "%s: direction %u: %u instead of %u", flows ? "flows" : "packets", d,
			      count[d], due);
		}
	}
}

TEST(prefer_key__is_that_of_the_flow)
{
	u8 FC_UNSET head[FC_PACKET_SIZE + FC_TARGET_SIZE];
	struct fc_packet pk = { .ntargets = 1, .sock = 3, .id = 1 };
	u32 first;

	fc_wire_packet_encode(head, &pk);
	first = fc_prefer_key(head);
	pk.id = 2;
	fc_wire_packet_encode(head, &pk);
	CHECK(fc_prefer_key(head) != first, "each packet of a message has the same");
	pk.kind = FC_KIND_DATAGRAM;
	fc_wire_packet_encode(head, &pk);
	first = fc_prefer_key(head);
	pk.id = 3;
	fc_wire_packet_encode(head, &pk);
	CHECK(fc_prefer_key(head) == first, "datagrams of a flow differ");
}

TEST(prefer_index__names_the_site_of_two_entries)
{
	static u8 of[SITES];
	static union {
		struct fc_prefer_table table;
		u8 room[sizeof(struct fc_prefer_table) + ENTRIES * sizeof(struct fc_prefer)];
	} u;
	struct fc_prefer *entry = u.table.entry;

	u.table.of = of;
	u.table.count = ENTRIES;
	entry[1].nranges = 2;
	entry[1].range[0] = (struct fc_range){ 1, 3 };
	entry[1].range[1] = (struct fc_range){ 9, 9 };
	entry[2].nranges = 1;
	entry[2].range[0] = (struct fc_range){ 4, 8 };
	CHECK(fc_prefer_index(&u.table, SITES) == FC_SITE_NONE, "no site has two");
	CHECK(fc_prefer_of(&u.table, 0) == &entry[0] && fc_prefer_of(&u.table, 3) == &entry[1] &&
	      fc_prefer_of(&u.table, 8) == &entry[2] && fc_prefer_of(&u.table, 9) == &entry[1] &&
	      fc_prefer_of(&u.table, 10) == &entry[0], "entries");
	entry[2].range[0].last = 9;
	CHECK(fc_prefer_index(&u.table, SITES) == 9, "site 9 has two");
}

/* By site: classes in which packets to @dst are there, from all sites over all routes. */
static void walk(const struct fc_vclass *v, u32 dst, u64 at[SITES])
{
	u32 n = v->topo->nsites, site, other, rest;
	u8 next[FC_DIRS_MAX];
	bool more = true;
	u64 classes;

	for (site = 0; site < n; site++) {
		u8 first = fc_vclass_first(v, site, dst);

		at[site] = 0;
		/* A list begins in the lowest class of its targets. */
		for (other = 0; other < n && site != dst; other++) {
			u8 class = fc_vclass_first(v, site, other);

			if (other != site && class <= first)
				at[site] |= fc_bit64(class);
		}
	}
	while (more) {
		more = false;
		for (site = 0; site < n; site++) {
			for (classes = at[site]; classes; classes &= classes - 1) {
				rest = fc_vclass_next_hops(v, site, dst, (u8)fc_low64(classes),
							   next);
				for (; rest; rest &= rest - 1) {
					u8 d = (u8)fc_low(rest);
					u32 peer = fc_topo_neighbour(v->topo, site, d);

					if (at[peer] & fc_bit64(next[d]))
						continue;
					at[peer] |= fc_bit64(next[d]);
					more = true;
				}
			}
		}
	}
}

/*
 * Excluded ports are refused if a packet would have no way left.  Some are refused in vain, because
 * in that class no packet to the target comes to the site.
 */
TEST(prefer_blocks__finds_targets_without_next_hop)
{
	static const char *const specs[] = {
		"line:5", "ring:6", "mesh:3x4", "torus:4x4", "torus:3x3", "hypercube:4",
		"hexmesh:3",
	};
	u32 i, site, dst, round, lost = 0, extra = 0, kept = 0;

	for (i = 0; i < FC_ARRAY_SIZE(specs); i++) {
		struct fc_vclass v;
		struct fc_topo topo;
		u64 at[SITES];

		REQUIRE(!fc_topo_parse(&topo, specs[i]) && !fc_vclass_init(&v, &topo) &&
			topo.nsites <= SITES, "%s", specs[i]);
		for (dst = 0; dst < topo.nsites; dst++) {
			walk(&v, dst, at);
			for (site = 0; site < topo.nsites; site++) {
				u64 classes = fc_prefer_classes(&v, site);

				for (round = 0; round < TAP_ROUNDS(20) && site != dst; round++) {
					u32 never = random_u32() & fc_mask_all(topo.ndirs);
					bool found = fc_prefer_blocks(&v, site, at[site], dst,
								      never);
					bool refused = fc_prefer_blocks(&v, site, classes, dst,
									never);

					CHECK(refused || !found,
					      "%s: site %u to %u without %x", specs[i], site, dst,
					      never);
					lost += found;
					extra += refused && !found;
					kept += !refused;
				}
			}
		}
	}
	CHECK(lost && kept && extra < lost / 4, "%u lost, %u refused in vain, %u accepted", lost,
	      extra, kept);
}
