// SPDX-License-Identifier: GPL-2.0
/* Proofs of the link header, and of the payloads of HELLO and status (core/wire). */
#include "proof.h"
#include "check.h"
#include "core/wire/wire.c"

static bool same_link(const struct fc_link_hdr *a, const struct fc_link_hdr *b)
{
	return a->type == b->type && a->vc == b->vc && a->flags == b->flags &&
	       a->summed == b->summed && a->auth == b->auth && a->len == b->len &&
	       a->epoch == b->epoch && a->seq == b->seq && a->ack == b->ack && a->sum == b->sum;
}

/* Any header that a frame may have. */
static struct fc_link_hdr any_link(void)
{
	struct fc_link_hdr h, flags;

	h.type = any_u8();
	h.vc = any_u8();
	h.flags = any_u8();
	h.summed = any_bool();
	h.auth = any_bool();
	h.len = any_u16();
	h.epoch = any_u16();
	h.seq = any_u32();
	h.ack = any_u32();
	h.sum = any_u32();
	ASSUME(!(h.flags & FC_LINK_SUMMED));
	ASSUME(!(h.type & FC_FRAME_AUTH) && (!h.auth || h.type == FC_FRAME_HELLO));
	ASSUME(h.summed || h.type != FC_FRAME_FLIT || !h.sum);
	flags = h;
	flags.type |= h.auth ? FC_FRAME_AUTH : 0;
	ASSUME(fc_wire_link_flags(&flags));
	return h;
}

/* Any frame of any length: no byte behind it is read, and its payload is within it. */
PROOF(link_decode, 2)
{
	u32 linear = any_of(0, 40), total = any_u32();
	u8 *p = any_bytes(linear);
	struct fc_link_hdr h;
	bool valid = fc_wire_link_decode(&h, p, linear, total);

	POSSIBLE(valid && linear == FC_LINK_SIZE);
	POSSIBLE(!valid && linear >= FC_LINK_SIZE);
	if (!valid)
		return;
	PROVE(linear >= FC_LINK_SIZE && total - FC_LINK_SIZE >= h.len && total >= FC_LINK_SIZE);
	PROVE(h.type >= FC_FRAME_HELLO && h.type <= FC_FRAME_CSR);
	PROVE(h.vc < FC_VC_COUNT);
	PROVE(!h.auth || h.type == FC_FRAME_HELLO);
}

PROOF(link_round_trip, 2)
{
	struct fc_link_hdr h = any_link(), back;
	u8 *p = any_bytes(FC_LINK_SIZE);
	u32 total = any_u32();

	ASSUME(total >= FC_LINK_SIZE && total - FC_LINK_SIZE >= h.len);
	fc_wire_link_encode(p, &h);
	PROVE(fc_wire_link_decode(&back, p, FC_LINK_SIZE, total));
	PROVE(same_link(&h, &back));
	PROVE(fc_wire_link_summed(p) == h.summed);
	POSSIBLE(h.auth);
	POSSIBLE(h.type == FC_FRAME_FLIT && !h.summed);
	POSSIBLE(h.type == FC_FRAME_CSR);
}

/* Nothing of a valid header is lost: the bytes determine the header, and the header the bytes. */
PROOF(link_bytes_round_trip, 2)
{
	u8 *p = any_bytes(FC_LINK_SIZE), *q = any_bytes(FC_LINK_SIZE);
	struct fc_link_hdr h;

	ASSUME(fc_wire_link_decode(&h, p, FC_LINK_SIZE, any_u32()));
	fc_wire_link_encode(q, &h);
	PROVE(same_bytes(p, q, FC_LINK_SIZE));
	POSSIBLE(h.type == FC_FRAME_FLIT && !h.summed);
}

/* The payload of a frame with a valid header is as long as its decoder reads. */
PROOF(link_payload_sizes, 2)
{
	struct fc_link_hdr h = any_link();
	u32 code = h.auth ? FC_AUTH_SIZE : 0;

	switch ((enum fc_frame)h.type) {
	case FC_FRAME_HELLO:
		PROVE(h.len >= FC_HELLO_SIZE + code);
		break;
	case FC_FRAME_STATUS:
		PROVE(h.len == FC_STATUS_SIZE);
		break;
	case FC_FRAME_CTRL:
		PROVE(h.len && h.len % FC_CTRL_SIZE == 0 && h.len / FC_CTRL_SIZE <= FC_CTRLS_MAX);
		break;
	case FC_FRAME_FAULTS:
		PROVE(h.len >= FC_FAULTS_SIZE && h.len <= fc_faults_size(FC_FAULTS_MAX));
		break;
	case FC_FRAME_CSR:
		PROVE(h.len >= FC_CSR_SIZE && h.len <= FC_CSR_SIZE + 4 * FC_TARGETS_MAX);
		break;
	case FC_FRAME_FLIT:
		PROVE(!(h.flags & FC_PART_ABORT) || !h.len);
		PROVE(h.flags || h.len >= FC_DATA_MIN);
		break;
	}
	POSSIBLE(h.type == FC_FRAME_CTRL && h.len == fc_ctrls_size(FC_CTRLS_MAX));
	POSSIBLE(h.type == FC_FRAME_FAULTS);
}

/* The checks for any frame take what the fast path takes. */
PROOF(link_fast_is_valid, 2)
{
	u32 linear = any_of(0, FC_PLAIN_MIN + 4), total = any_u32();
	u8 *p = any_bytes(linear);
	struct fc_link_hdr h;

	ASSUME(total >= linear);
	ASSUME(fc_link_fast(p, linear, total));
	PROVE(fc_wire_link_decode(&h, p, linear, total) || total - FC_LINK_SIZE < FC_DATA_MIN);
	PROVE(h.type == FC_FRAME_FLIT && !h.summed && h.vc >= FC_VC_CLASS);
	PROVE(h.len == total - FC_LINK_SIZE);
	POSSIBLE(h.flags == 0);
	POSSIBLE(h.flags == (FC_PART_HEAD | FC_PART_TERM));
}

/* A flit that is sent on stays valid, with the same length and parts. */
PROOF(link_readdress, 2)
{
	u8 *p = any_bytes(FC_LINK_SIZE), vc = any_u8();
	struct fc_link_hdr h, to;
	u32 total = any_u32(), seq = any_u32(), ack = any_u32();
	u16 epoch = any_u16();

	ASSUME(fc_wire_link_decode(&h, p, FC_LINK_SIZE, total));
	ASSUME(h.type == FC_FRAME_FLIT && !h.summed);
	ASSUME(vc >= FC_VC_CLASS && vc < FC_VC_COUNT);
	fc_link_readdress(p, vc, epoch, seq, ack);
	PROVE(fc_wire_link_decode(&to, p, FC_LINK_SIZE, total));
	PROVE(to.vc == vc && to.epoch == epoch && to.seq == seq && to.ack == ack);
	PROVE(to.flags == h.flags && to.len == h.len && to.type == h.type && !to.summed);
	POSSIBLE(h.flags & FC_PART_EAGER);
}

PROOF(link_set_sum, 2)
{
	u8 *p = any_bytes(FC_LINK_SIZE), was[FC_LINK_SIZE];
	u32 sum = any_u32(), i = any_of(0, FC_LINK_SUM - 1);

	memcpy(was, p, FC_LINK_SIZE);
	fc_wire_link_set_sum(p, sum);
	PROVE(p[i] == was[i]);
	PROVE(fc_get32(p + FC_LINK_SUM) == sum);
	POSSIBLE(sum);
}

/* The prefix has its size, no checksum, and all that it is told. */
PROOF(link_auth_prefix, 37)
{
	struct fc_link_hdr h = any_link(), other = h;
	u8 *p = any_bytes(FC_AUTH_PREFIX), *q = any_bytes(FC_AUTH_PREFIX);
	u32 site = any_u32(), epoch = any_u32(), peer = any_u32();
	u16 port = any_u16();

	ASSUME(h.type == FC_FRAME_HELLO && h.auth);
	other.summed = !h.summed;
	other.sum = any_u32();
	fc_wire_auth_prefix(p, &h, site, port, epoch, peer);
	PROVE(!fc_get32(p + FC_LINK_SUM) && !fc_wire_link_summed(p));
	PROVE(fc_get32(p + 20) == site && fc_get32(p + 24) == port);
	PROVE(fc_get32(p + 28) == epoch && fc_get32(p + 32) == peer);
	/* The checksum is made after the code. */
	fc_wire_auth_prefix(q, &other, site, port, epoch, peer);
	PROVE(same_bytes(p, q, FC_AUTH_PREFIX));
	fc_wire_auth_prefix(q, NULL, site, port, epoch, peer);
	PROVE(!q[any_of(0, FC_LINK_SIZE - 1)]);
	POSSIBLE(h.summed);
}

PROOF(hello_decode, 2)
{
	u8 *p = any_bytes(FC_HELLO_SIZE);
	struct fc_hello_msg m;
	bool valid = fc_wire_hello_decode(&m, p);

	PROVE(m.epoch == fc_wire_hello_epoch(p));
	PROVE(!valid || (m.port && m.port < FC_PORTS_MAX && m.site != FC_SITE_NONE));
	PROVE(!valid || (m.epoch && m.window && m.ver_min <= m.ver_max));
	POSSIBLE(valid);
	POSSIBLE(!valid);
}

PROOF(hello_round_trip, 2)
{
	u8 *p = any_bytes(FC_HELLO_SIZE), *q = any_bytes(FC_HELLO_SIZE);
	struct fc_hello_msg m;

	ASSUME(fc_wire_hello_decode(&m, p));
	fc_wire_hello_encode(q, &m);
	PROVE(same_bytes(p, q, FC_HELLO_SIZE));
	POSSIBLE(m.flags == FC_HELLO_INTEGRITY);
}

PROOF(status_round_trip, 2)
{
	u8 *p = any_bytes(FC_STATUS_SIZE), *q = any_bytes(FC_STATUS_SIZE);
	struct fc_status s;

	fc_wire_status_decode(&s, p);
	fc_wire_status_encode(q, &s);
	PROVE(same_bytes(p, q, FC_STATUS_SIZE));
	POSSIBLE(s.have >> 63);
}

/* The check of a frame reads the header and the payload alone, whatever its length. */
PROOF(frame_check_bounds, 10)
{
	u32 len = any_of(0, 23);
	u8 *p = any_bytes(FC_LINK_SIZE + len);
	u32 check = fc_wire_check(p, len);

	/* Nothing else changes it. */
	fc_put32(p + FC_LINK_SUM, any_u32());
	PROVE(fc_wire_check(p, len) == check);
	POSSIBLE(len == 23);
	POSSIBLE(!len);
}

/* A frame that is encoded passes the checks of its receiver. */
PROOF(frame_round_trip, 10)
{
	struct fc_link_hdr h = any_link(), back;
	u8 *p = any_bytes(FC_LINK_SIZE + 48);

	ASSUME(h.len <= 48);
	fc_wire_frame_encode(p, &h);
	PROVE(fc_wire_link_decode(&back, p, FC_LINK_SIZE + 48, FC_LINK_SIZE + 48));
	PROVE(h.summed ? back.sum == h.sum :
	      back.sum == (h.type == FC_FRAME_FLIT ? 0 : fc_wire_check(p, h.len)));
	POSSIBLE(h.type == FC_FRAME_CTRL && !h.summed);
	POSSIBLE(h.type == FC_FRAME_HELLO && !h.summed && h.len == 37);
}
