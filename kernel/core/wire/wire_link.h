/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inline encoding and decoding of the link headers of flits and statuses, for code that runs for
 * each frame.
 */
#ifndef FC_CORE_WIRE_WIRE_LINK_H
#define FC_CORE_WIRE_WIRE_LINK_H

#include "core/wire/wire_check.h"

/* Offsets within the link header; FC_LINK_SUM is the last one. */
enum {
	FC_LINK_VERSION, FC_LINK_TYPE, FC_LINK_VC, FC_LINK_FLAGS, FC_LINK_LEN = 4,
	FC_LINK_EPOCH = 6, FC_LINK_SEQ = 8, FC_LINK_ACK = 12
};

/* Flag of every type of frame: it carries a checksum. */
#define FC_LINK_SUMMED	0x80

/* Does the channel have sequence numbers and credit? */
static inline bool fc_link_vc_valid(u8 vc)
{
	return vc >= FC_VC_BCAST && vc < FC_VC_COUNT;
}

static inline bool fc_link_flit_flags(const struct fc_link_hdr *h)
{
	if (!fc_link_vc_valid(h->vc))
		return false;
	if (!h->flags)
		return h->len >= FC_DATA_MIN;
	if (h->flags & ~(FC_PART_HEAD | FC_PART_TERM | FC_PART_ABORT | FC_PART_EAGER))
		return false;
	/* Only fronts in a class are forwarded speculatively. */
	if (h->flags & FC_PART_EAGER && (!(h->flags & FC_PART_HEAD) || h->vc < FC_VC_CLASS))
		return false;
	/* A flit with an abort-packet terminator has nothing else. */
	if (h->flags & FC_PART_ABORT)
		return h->flags == (FC_PART_TERM | FC_PART_ABORT) && !h->len;
	return true;
}

static inline bool fc_link_status_flags(const struct fc_link_hdr *h)
{
	return fc_link_vc_valid(h->vc) && h->len == FC_STATUS_SIZE &&
	       !(h->flags & ~(FC_STATUS_POLL | FC_STATUS_ACK_REQUEST | FC_STATUS_NACK));
}

/*
 * Are channel, flags and length valid for the type?  Moves FC_FRAME_AUTH of a HELLO to @auth.
 */
bool fc_wire_link_flags(struct fc_link_hdr *h);

/* As fc_wire_link_decode(). */
static inline bool fc_link_decode(struct fc_link_hdr *h, const u8 *p, u32 linear, u32 total)
{
	if (linear < FC_LINK_SIZE || total < FC_LINK_SIZE || p[FC_LINK_VERSION] != FC_VERSION)
		return false;
	h->type = p[FC_LINK_TYPE];
	h->auth = false;
	h->vc = p[FC_LINK_VC];
	h->flags = p[FC_LINK_FLAGS] & ~FC_LINK_SUMMED;
	h->summed = p[FC_LINK_FLAGS] & FC_LINK_SUMMED;
	h->len = fc_get16(p + FC_LINK_LEN);
	h->epoch = fc_get16(p + FC_LINK_EPOCH);
	h->seq = fc_get32(p + FC_LINK_SEQ);
	h->ack = fc_get32(p + FC_LINK_ACK);
	h->sum = fc_get32(p + FC_LINK_SUM);
	if (h->len > total - FC_LINK_SIZE)
		return false;
	if (h->type != FC_FRAME_FLIT)
		return fc_wire_link_flags(h);
	if (!h->summed) {
		if (h->sum != fc_link_check(p))
			return false;
		h->sum = 0;
	}
	return fc_link_flit_flags(h);
}

/* As fc_wire_link_encode(). */
static inline void fc_link_encode(u8 p[FC_LINK_SIZE], const struct fc_link_hdr *h)
{
	p[FC_LINK_VERSION] = FC_VERSION;
	p[FC_LINK_TYPE] = h->type | (h->auth ? FC_FRAME_AUTH : 0);
	p[FC_LINK_VC] = h->vc;
	p[FC_LINK_FLAGS] = h->flags | (h->summed ? FC_LINK_SUMMED : 0);
	fc_put16(p + FC_LINK_LEN, h->len);
	fc_put16(p + FC_LINK_EPOCH, h->epoch);
	fc_put32(p + FC_LINK_SEQ, h->seq);
	fc_put32(p + FC_LINK_ACK, h->ack);
	fc_put32(p + FC_LINK_SUM, h->type == FC_FRAME_FLIT && !h->summed ? fc_link_check(p) :
									  h->sum);
}

#endif /* FC_CORE_WIRE_WIRE_LINK_H */
