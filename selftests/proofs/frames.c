// SPDX-License-Identifier: GPL-2.0
/* Proofs of frames of faults (core/wire) and of mode csr (core/csr). */
#include "proof.h"
#include "check.h"
#include "core/wire/wire.c"
#include "core/csr/wire_csr.c"

PROOF(faults_decode, 12)
{
	u32 len = any_of(0, FC_FAULTS_SIZE + FC_FAULTS_MAX * FC_FAULT_SIZE + 1), i = any_u32();
	u8 *p = any_bytes(len);
	struct fc_faults_msg m;
	bool valid = fc_wire_faults_decode(&m, p, len);

	POSSIBLE(valid && m.n == FC_FAULTS_MAX);
	POSSIBLE(!valid && len == FC_FAULTS_SIZE + FC_FAULT_SIZE);
	if (!valid)
		return;
	PROVE(m.n <= FC_FAULTS_MAX && fc_faults_size(m.n) == len);
	if (i >= m.n)
		return;
	PROVE(!(m.fault[i].ports & m.fault[i].suspect) && m.fault[i].version);
	PROVE(!((m.fault[i].ports | m.fault[i].suspect) & fc_bit(FC_PORT_LOCAL)));
	PROVE(m.fault[i].site != FC_SITE_NONE);
}

PROOF(faults_round_trip, 12)
{
	const u32 len = fc_faults_size(FC_FAULTS_MAX);
	u8 *p = any_bytes(len), *q = any_bytes(len);
	struct fc_faults_msg m;

	ASSUME(fc_wire_faults_decode(&m, p, len));
	fc_wire_faults_encode(q, &m);
	PROVE(same_bytes(p, q, len));
	POSSIBLE(m.n == FC_FAULTS_MAX && m.fault[9].suspect);
}

PROOF(csr_decode, 66)
{
	u32 len = any_of(0, FC_CSR_SIZE + 4 * FC_TARGETS_MAX + 4);
	u8 *p = any_bytes(len);
	struct fc_csr_frame f;
	bool valid = fc_wire_csr_decode(&f, p, len);

	POSSIBLE(valid && f.n == FC_TARGETS_MAX);
	POSSIBLE(valid && !f.n);
	if (!valid)
		return;
	PROVE(f.n <= FC_TARGETS_MAX && fc_csr_frame_size(f.n) == len);
	PROVE((f.msg.type == FC_CSR_PROBE) == !!f.n);
	PROVE(f.msg.type >= FC_CSR_PROBE && f.msg.type < FC_CSR_TYPES);
	PROVE(f.msg.lead >> 32 == 0 && f.msg.span >> 32 == 0 && f.msg.floor >> 32 == 0);
	/* The link header allows the length. */
	PROVE(csr_size_valid(len));
}

PROOF(csr_round_trip, 10)
{
	const u32 len = fc_csr_frame_size(8);
	u8 *p = any_bytes(len), *q = any_bytes(len);
	struct fc_csr_frame f;

	ASSUME(fc_wire_csr_decode(&f, p, len));
	fc_wire_csr_encode(q, &f);
	PROVE(same_bytes(p, q, len));
	POSSIBLE(f.n == 8 && f.class);
}

/* Longer times are sent as the longest one, and no time as a shorter one. */
PROOF(csr_times, 2)
{
	u8 *p = any_bytes(FC_CSR_SIZE);
	struct fc_csr_frame f, back;

	f.msg.type = FC_CSR_ACK;
	f.msg.lead = any_u64();
	f.msg.span = any_u64();
	f.msg.floor = any_u64();
	f.class = 0;
	f.n = 0;
	fc_wire_csr_encode(p, &f);
	PROVE(fc_wire_csr_decode(&back, p, FC_CSR_SIZE));
	PROVE(back.msg.lead == (f.msg.lead >> 32 ? ~(u32)0 : f.msg.lead));
	PROVE(back.msg.span == (f.msg.span >> 32 ? ~(u32)0 : f.msg.span));
	PROVE(back.msg.floor == (f.msg.floor >> 32 ? ~(u32)0 : f.msg.floor));
	POSSIBLE(f.msg.lead >> 32);
}
