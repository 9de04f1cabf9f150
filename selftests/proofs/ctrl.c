// SPDX-License-Identifier: GPL-2.0
/* Proofs of control entries (core/wire). */
#include "proof.h"
#include "check.h"
#include "core/wire/wire.c"

PROOF(ctrl_decode, 2)
{
	u8 *p = any_bytes(FC_CTRL_SIZE);
	struct fc_ctrl c;
	bool valid = fc_wire_ctrl_decode(&c, p);

	PROVE(!valid || (c.kind >= FC_CTRL_CONFIRM && c.kind < FC_CTRL_COUNT && c.port));
	PROVE(!valid || (c.dst != FC_SITE_NONE && c.site != FC_SITE_NONE));
	POSSIBLE(valid);
	POSSIBLE(!valid);
}

PROOF(ctrl_round_trip, 2)
{
	u8 *p = any_bytes(FC_CTRL_SIZE), *q = any_bytes(FC_CTRL_SIZE);
	struct fc_ctrl c;

	ASSUME(fc_wire_ctrl_decode(&c, p));
	fc_wire_ctrl_encode(q, &c);
	PROVE(same_bytes(p, q, FC_CTRL_SIZE));
	POSSIBLE(c.kind == FC_CTRL_DAMAGED);
}

/* Entries that pass the check are decoded, and name sites of the topology. */
PROOF(ctrls_check, 5)
{
	u32 len = any_of(0, 3 * FC_CTRL_SIZE + 1), nsites = any_u32(), n, i = any_u32();
	u8 *p = any_bytes(len);
	struct fc_ctrl c;

	n = fc_wire_ctrls_check(p, len, nsites);
	PROVE(!n || n * FC_CTRL_SIZE == len);
	POSSIBLE(n == 3);
	if (i >= n)
		return;
	/* A network has fewer sites than FC_SITE_NONE. */
	PROVE(fc_wire_ctrl_decode(&c, p + fc_ctrls_size(i)));
	PROVE(c.dst < nsites && c.site < nsites);
	POSSIBLE(i == 2 && c.have);
}

/* No frame of any length makes the decoder write more entries than there is space for. */
PROOF(ctrls_decode, 18)
{
	u32 len = any_of(0, FC_CTRLS_MAX * FC_CTRL_SIZE + 4), n;
	u8 *p = any_bytes(len);
	struct fc_ctrl *c = malloc(FC_CTRLS_MAX * sizeof(*c));

	ASSUME(c);
	n = fc_wire_ctrls_decode(c, p, len);
	PROVE(n <= FC_CTRLS_MAX);
	POSSIBLE(n == FC_CTRLS_MAX);
	POSSIBLE(!n && len == FC_CTRL_SIZE);
}

/* As many entries as a flit holds, and at least one. */
PROOF(ctrls_most, 2)
{
	u32 flit = any_of(256, 65535), n = fc_ctrls_most(flit);

	PROVE(n && n <= FC_CTRLS_MAX && FC_LINK_SIZE + fc_ctrls_size(n) <= flit);
	PROVE(n == FC_CTRLS_MAX || FC_LINK_SIZE + fc_ctrls_size(n + 1) > flit);
	POSSIBLE(n < FC_CTRLS_MAX);
}

static struct fc_ctrl any_ctrl(void)
{
	struct fc_ctrl c;

	c.kind = any_u8();
	c.hops = any_u16();
	c.dst = any_u32();
	c.incarnation = any_u32();
	c.sock = any_u32();
	c.site = any_u32();
	c.port = any_u16();
	c.seq = any_u32();
	c.next = any_u32();
	c.base = any_u16();
	c.have = any_u64();
	c.sum = any_u32();
	return c;
}

/* A new entry only replaces one that tells nothing more, of the same flow. */
PROOF(ctrl_covers, 2)
{
	struct fc_ctrl c = any_ctrl(), old = any_ctrl();
	bool covers = fc_ctrl_covers(&c, &old);

	POSSIBLE(covers && c.next == old.next);
	POSSIBLE(covers && c.next != old.next);
	POSSIBLE(!covers);
	if (!covers)
		return;
	PROVE(c.kind == FC_CTRL_CONFIRM && old.kind == FC_CTRL_CONFIRM);
	PROVE(c.dst == old.dst && c.incarnation == old.incarnation && c.sock == old.sock &&
	      c.site == old.site && c.port == old.port);
	PROVE(!fc_before(c.next, old.next));
	/* The packets of a message that is not confirmed as a whole. */
	PROVE(fc_before(old.seq, c.next) ||
	      (c.seq == old.seq && (c.base > old.base ||
				    (c.base == old.base && !(old.have & ~c.have)))));
}

/* An entry that covers itself is a confirmation; numbers of one flow are within half of all. */
PROOF(ctrl_covers_order, 2)
{
	struct fc_ctrl a = any_ctrl(), b = any_ctrl(), c = any_ctrl();
	u32 base = any_u32(), most = 1U << 29;

	ASSUME(a.next - base < most && b.next - base < most && c.next - base < most);
	ASSUME(a.seq - base < most && b.seq - base < most && c.seq - base < most);
	PROVE(fc_ctrl_covers(&a, &a) == (a.kind == FC_CTRL_CONFIRM));
	ASSUME(fc_ctrl_covers(&a, &b) && fc_ctrl_covers(&b, &c));
	/* The entries of one flow report a message that is not complete before they confirm it. */
	ASSUME(!fc_before(b.seq, b.next) && !fc_before(c.seq, c.next));
	PROVE(fc_ctrl_covers(&a, &c));
	POSSIBLE(a.next != c.next);
	POSSIBLE(a.base != c.base);
}

/* Sites on the path count links, and the entry stays as its end made it. */
PROOF(ctrl_sum_hops, 2)
{
	u8 *p = any_bytes(FC_CTRL_SIZE), was[FC_CTRL_SIZE];
	u32 i = any_of(0, FC_CTRL_SIZE - 1);

	fc_wire_ctrl_set_sum(p);
	PROVE(fc_wire_ctrl_intact(p));
	memcpy(was, p, FC_CTRL_SIZE);
	fc_wire_ctrl_hop(p);
	PROVE(fc_wire_ctrl_intact(p));
	PROVE(fc_wire_ctrl_hops(p) == (u16)(fc_wire_ctrl_hops(was) + 1));
	PROVE(p[i] == was[i] || i / 2 == FC_AT_CTRL_HOPS / 2);
	POSSIBLE(p[i] != was[i]);
}
