// SPDX-License-Identifier: GPL-2.0
/*
 * Proof that the check of plain heads lets nothing through that the check of any head refuses:
 * that one is compiled without its own fast path here.
 */
#include "proof.h"
#include "check.h"
#include "core/wire/wire_plain.h"

static bool plain(const u8 *p, u32 len, u32 nsites)
{
	return fc_head_plain(p, len, nsites);
}

#define fc_head_plain(p, len, nsites)	false
#include "core/wire/wire.c"

PROOF(head_plain_is_valid, 3)
{
	u32 len = any_u32(), nsites = any_u32();
	u8 *p = any_bytes(fc_head_size(1));

	ASSUME(len >= fc_head_size(1));
	ASSUME(plain(p, len, nsites));
	PROVE(fc_wire_head_size(p, fc_head_size(1)) == fc_head_size(1));
	PROVE(fc_wire_head_check(p, FC_PART_HEAD | FC_PART_TERM, len, nsites));
	POSSIBLE(p[P_KIND] == FC_KIND_DATA);
	POSSIBLE(p[P_KIND] == FC_KIND_DATAGRAM);
	POSSIBLE(p[P_FLAGS] & FC_PACKET_LIST);
}
