// SPDX-License-Identifier: GPL-2.0
/* Proofs of the checks of packet headers and their lists (core/wire). */
#include "proof.h"
#include "check.h"
#include "core/wire/wire.c"

/* Targets of a list, and bytes of a bitmap, that the proofs try. */
#define LIST	4
#define MAP	1

/*
 * Any head as kernel/fabric/input.c passes it on: as long as its header says, in memory that ends
 * there.
 */
static u8 *any_head(u32 most)
{
	u8 *big = any_bytes(fc_head_size(LIST + 1) + MAP), *p;
	u32 size;

	size = fc_wire_head_size(big, fc_head_size(LIST + 1) + MAP);
	ASSUME(size && size <= most);
	p = any_bytes(size);
	ASSUME(fc_wire_head_size(p, size) == size && p[P_BITMAP] <= MAP);
	return p;
}

PROOF(head_size, 2)
{
	u32 linear = any_of(0, FC_PACKET_SIZE + 4), size;
	u8 *p = any_bytes(linear);

	size = fc_wire_head_size(p, linear);
	PROVE(!size || linear >= FC_PACKET_SIZE);
	PROVE(!size || (size >= fc_head_size(1) && size <= fc_head_size(FC_TARGETS_MAX)));
	PROVE(!size || size == fc_wire_head_len(p));
	POSSIBLE(size == fc_head_size(FC_TARGETS_MAX));
	POSSIBLE(size == fc_head_size(1) + FC_BITMAP_MAX);
	POSSIBLE(!size && linear >= FC_PACKET_SIZE);
}

/* The check reads the list and no more, and what it lets through is consistent. */
PROOF(head_check_list, 7)
{
	u32 len = any_u32(), nsites = any_u32(), size, i = any_u32();
	u8 *p = any_head(fc_head_size(LIST)), flags = any_u8();
	struct fc_packet pk;
	struct fc_target t;

	ASSUME(!fc_wire_mapped(p));
	ASSUME(fc_wire_head_check(p, flags, len, nsites));
	size = fc_wire_head_len(p);
	fc_wire_packet_decode(&pk, p);
	PROVE(size <= len && pk.ntargets >= 1 && pk.ntargets <= LIST);
	PROVE(pk.src < nsites && pk.kind < FC_KIND_COUNT && !(pk.sock & FC_SOCK_BCAST));
	PROVE(pk.msg_len <= FC_MESSAGE_MAX && pk.offset <= pk.msg_len);
	PROVE(len - size <= fc_packet_data(&pk) && fc_packet_data(&pk) <= FC_PACKET_MAX);
	PROVE(pk.kind != FC_KIND_DATA || pk.ntargets == 1);
	ASSUME(i < pk.ntargets);
	fc_wire_target_decode(&t, p, i);
	PROVE(t.site < nsites && t.port && t.site == fc_wire_target_site(p, i));
	PROVE(t.off <= pk.msg_len && t.len <= pk.msg_len - t.off);
	PROVE(t.outstanding < FC_FLOW_WINDOW);
	PROVE(t.flags == (i == pk.ntargets - 1U ? FC_TARGET_LAST : 0));
	POSSIBLE(pk.ntargets == LIST && t.len);
	POSSIBLE(pk.kind == FC_KIND_DATAGRAM && pk.ntargets > 1);
	POSSIBLE(pk.offset);
}

PROOF(head_check_bitmap, 10)
{
	u32 len = any_u32(), nsites = any_u32(), size, i = any_u32();
	u8 *p = any_bytes(fc_head_size(1) + MAP), flags = any_u8();
	u32 site[FC_TARGETS_MAX], n;
	struct fc_target t;

	p[P_BITMAP] = MAP;
	ASSUME(fc_wire_head_check(p, flags, len, nsites));
	size = fc_wire_head_len(p);
	n = fc_wire_ntargets(p);
	PROVE(size <= len && n >= 2 && n <= FC_TARGETS_MAX);
	/* A list is in the shorter form. */
	PROVE(size < fc_head_size(n));
	PROVE(fc_wire_target_sites(site, p) == n);
	ASSUME(i < n);
	PROVE(site[i] < nsites);
	PROVE(!i || site[i - 1] < site[i]);
	fc_wire_target_decode(&t, p, i);
	PROVE(t.site == site[i]);
	PROVE(t.flags == (i == n - 1 ? FC_TARGET_LAST : 0));
	POSSIBLE(i == 6);
}

/* The check of any head, of any content: what is no list is not read as one. */
PROOF(head_check_bounds, 10)
{
	u8 *p = any_head(fc_head_size(LIST) + MAP);
	bool valid = fc_wire_head_check(p, any_u8(), any_u32(), any_u32());

	POSSIBLE(valid);
	POSSIBLE(!valid && fc_wire_mapped(p));
}

PROOF(bcast_check, 2)
{
	u32 len = any_u32(), nsites = any_u32();
	u8 *p = any_bytes(fc_head_size(1)), flags = any_u8();
	struct fc_bcast_hdr c;
	struct fc_packet pk;

	ASSUME(fc_wire_bcast_check(p, flags, len, nsites));
	fc_wire_bcast_decode(&c, p);
	fc_wire_packet_decode(&pk, p);
	PROVE(c.port && c.copies >= 1 && c.copies <= FC_COPIES_MAX);
	PROVE(c.label < FC_LABELS_MAX && c.outstanding <= FC_BCAST_OUTSTANDING_MAX);
	PROVE(pk.src < nsites && pk.sock & FC_SOCK_BCAST && pk.ntargets == 1 && !pk.bitmap);
	PROVE(len >= fc_head_size(1) && len - fc_head_size(1) <= FC_PACKET_MAX);
	/* No head is both. */
	PROVE(!fc_wire_head_check(p, flags, len, nsites));
	POSSIBLE(c.copies == FC_COPIES_MAX && flags & FC_PART_TERM);
}

PROOF(bcast_round_trip, 2)
{
	u8 *p = any_bytes(fc_head_size(1)), *q = any_bytes(fc_head_size(1));
	struct fc_bcast_hdr c;
	struct fc_packet pk;

	ASSUME(fc_wire_bcast_check(p, any_u8(), any_u32(), any_u32()));
	fc_wire_packet_decode(&pk, p);
	fc_wire_bcast_decode(&c, p);
	fc_wire_packet_encode(q, &pk);
	fc_wire_bcast_encode(q, &c);
	PROVE(same_bytes(p, q, fc_head_size(1)));
	POSSIBLE(c.label && c.seq);
}

/* A site that sends a broadcast on changes the label, the links crossed, and nothing else. */
PROOF(bcast_hop, 2)
{
	u8 *p = any_bytes(fc_head_size(1)), was[FC_PACKET_SIZE + FC_TARGET_SIZE], label = any_u8();
	u32 i = any_of(0, FC_PACKET_SIZE + FC_TARGET_SIZE - 1);
	u32 crc = any_u32();
	struct fc_bcast_hdr c;

	ASSUME(label < FC_LABELS_MAX && (p[P_SOCK] & (FC_SOCK_BCAST >> 24)) && fc_head_single(p));
	fc_wire_set_sum(p, crc);
	memcpy(was, p, sizeof(was));
	fc_wire_bcast_hop(p, label);
	fc_wire_bcast_decode(&c, p);
	PROVE(c.label == label);
	PROVE(p[i] == was[i] || i / 2 == P_HOPS / 2 || (i - FC_PACKET_SIZE) / 4 == C_LABEL / 4);
	PROVE(fc_get16(p + P_HOPS) == (u16)(fc_get16(was + P_HOPS) + 1));
	PROVE(fc_wire_intact(p, crc));
	POSSIBLE(p[i] != was[i] && i > FC_PACKET_SIZE);
}

PROOF(packet_round_trip, 2)
{
	u8 *p = any_bytes(FC_PACKET_SIZE), *q = any_bytes(FC_PACKET_SIZE);
	struct fc_packet pk;

	fc_wire_packet_decode(&pk, p);
	PROVE(pk.hops < FC_HOPS_COPY && pk.copied < 4);
	fc_wire_packet_encode(q, &pk);
	PROVE(same_bytes(p, q, FC_PACKET_SIZE));
	POSSIBLE(pk.copied == 3 && pk.hops);
}

PROOF(target_round_trip, 2)
{
	u32 i = any_of(0, LIST - 1);
	u8 *p = any_bytes(fc_head_size(i + 1)), *q = any_bytes(fc_head_size(i + 1));
	u32 at = any_of(fc_head_size(i), fc_head_size(i + 1) - 1);
	struct fc_target t;

	ASSUME(!fc_wire_mapped(p));
	fc_wire_target_decode(&t, p, i);
	fc_wire_target_encode(q, i, &t);
	PROVE(p[at] == q[at]);
	POSSIBLE(i == LIST - 1 && t.seq);
}

/* The data of a packet: never more than a packet may have, nor than its message has. */
PROOF(data_len, 2)
{
	u32 len = any_of(0, FC_MESSAGE_MAX), offset = any_u32(), n;

	ASSUME(offset % FC_PACKET_MAX == 0 && (!offset || offset < len));
	n = fc_data_len(len, offset);
	PROVE(n <= FC_PACKET_MAX && n <= len - offset);
	PROVE(n == FC_PACKET_MAX || offset + n == len);
	POSSIBLE(n == FC_PACKET_MAX);
	POSSIBLE(n == 1);
}
