// SPDX-License-Identifier: GPL-2.0
#include "core/wire/wire_bytes.h"
#include "core/csr/wire_csr.h"

enum {
	TYPE, CLASS, N, SITE = 4, NUMBER = 8, ATTEMPT = 12, EPOCH = 16, UNITS = 20, LEAD = 24,
	SPAN = 28, FLOOR = 32, TARGETS = 36
};

static_assert(TARGETS == FC_CSR_SIZE);

static u32 least(u64 v)
{
	return v > ~(u32)0 ? ~(u32)0 : (u32)v;
}

bool fc_wire_csr_decode(struct fc_csr_frame *f, const u8 *p, u32 len)
{
	bool probe;
	u16 n;
	u8 i;

	if (len < FC_CSR_SIZE)
		return false;
	n = fc_get16(p + N);
	probe = p[TYPE] == FC_CSR_PROBE;
	if (n > FC_TARGETS_MAX || len != fc_csr_frame_size(n) || !p[TYPE] ||
	    p[TYPE] >= FC_CSR_TYPES || probe != !!n)
		return false;
	f->msg = (struct fc_csr_msg){
		.type = p[TYPE],
		.id = { fc_get32(p + SITE), fc_get32(p + NUMBER), fc_get32(p + ATTEMPT) },
		.epoch = fc_get32(p + EPOCH), .units = fc_get32(p + UNITS),
		.lead = fc_get32(p + LEAD), .span = fc_get32(p + SPAN),
		.floor = fc_get32(p + FLOOR),
	};
	f->class = p[CLASS];
	f->n = (u8)n;
	for (i = 0; i < n; i++)
		f->site[i] = fc_get32(p + TARGETS + 4 * i);
	return n || !f->class;
}

void fc_wire_csr_encode(u8 *p, const struct fc_csr_frame *f)
{
	u8 i;

	p[TYPE] = f->msg.type;
	p[CLASS] = f->class;
	fc_put16(p + N, f->n);
	fc_put32(p + SITE, f->msg.id.site);
	fc_put32(p + NUMBER, f->msg.id.number);
	fc_put32(p + ATTEMPT, f->msg.id.attempt);
	fc_put32(p + EPOCH, f->msg.epoch);
	fc_put32(p + UNITS, f->msg.units);
	fc_put32(p + LEAD, least(f->msg.lead));
	fc_put32(p + SPAN, least(f->msg.span));
	fc_put32(p + FLOOR, least(f->msg.floor));
	for (i = 0; i < f->n; i++)
		fc_put32(p + TARGETS + 4 * i, f->site[i]);
}
