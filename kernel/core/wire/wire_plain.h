/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plain frames, the most frequent ones: a flit that is a whole message for one target.  The
 * functions here check the same as fc_wire_link_decode() and fc_wire_head_check(), in fewer
 * instructions; a frame that they refuse may be valid, and is passed to those two.
 */
#ifndef FC_CORE_WIRE_WIRE_PLAIN_H
#define FC_CORE_WIRE_WIRE_PLAIN_H

#include "core/wire/wire_link.h"

/* Offsets in the packet header. */
enum {
	P_SRC = FC_AT_SRC, P_INCARNATION = 4, P_SOCK = FC_AT_SOCK, P_PORT = 12,
	P_BITMAP = FC_AT_BITMAP,
	P_NTARGETS = FC_AT_NTARGETS, P_ID = FC_AT_ID, P_MSG_LEN = FC_AT_MSG_LEN,
	P_OFFSET = FC_AT_OFFSET, P_SUM = FC_AT_SUM, P_HOPS = FC_AT_HOPS, P_FLAGS = FC_AT_FLAGS,
	P_KIND = FC_AT_KIND
};

/* Returns true if the head has one target, and so no bitmap; one comparison checks both. */
static inline bool fc_head_single(const u8 *p)
{
	return fc_get16(p + P_BITMAP) == 1;
}

static_assert(P_NTARGETS == P_BITMAP + 1);

/* Offsets in a target entry. */
enum { T_SITE = FC_AT_SITE, T_PORT = 4, T_FLAGS = 6, T_OUTSTANDING = 7, T_OFF = 8, T_LEN = 12,
T_SEQ = 16 };

/* Minimum length of a plain frame. */
#define FC_PLAIN_MIN	(FC_LINK_SIZE + FC_PACKET_SIZE + FC_TARGET_SIZE)

/*
 * Is the frame a flit with exactly @parts (FC_PART_*), in a class, without checksum and padding,
 * and is its link header undamaged?
 * @p: FC_LINK_SIZE readable bytes; @total: bytes of the frame from there on.
 */
static inline bool fc_link_flit(const u8 *p, u32 total, u8 parts)
{
	return (fc_get32(p) & 0xffff00ff) == (FC_VERSION << 24 | FC_FRAME_FLIT << 16 | parts) &&
	       p[FC_LINK_VC] >= FC_VC_CLASS && p[FC_LINK_VC] < FC_VC_COUNT &&
	       fc_get16(p + FC_LINK_LEN) == total - FC_LINK_SIZE &&
	       fc_get32(p + FC_LINK_SUM) == fc_link_check(p);
}

/* As fc_link_flit(), of a whole packet for one target; @p: FC_PLAIN_MIN readable bytes. */
static inline bool fc_link_plain(const u8 *p, u32 total)
{
	return fc_link_flit(p, total, FC_PART_HEAD | FC_PART_TERM) &&
	       fc_head_single(p + FC_LINK_SIZE);
}

/*
 * May the frame take a fast path, as a plain frame, or as a flit between the first and the last one
 * of its packet?  @linear: readable bytes at @p.
 */
static inline bool fc_link_fast(const u8 *p, u32 linear, u32 total)
{
	return (linear >= FC_PLAIN_MIN && fc_link_plain(p, total)) ||
	       (linear >= FC_LINK_SIZE && fc_link_flit(p, total, 0));
}

/* Rewrites the link header of a flit for another link; its length is unchanged. */
static inline void fc_link_readdress(u8 *p, u8 vc, u16 epoch, u32 seq, u32 ack)
{
	p[FC_LINK_VC] = vc;
	fc_put16(p + FC_LINK_EPOCH, epoch);
	fc_put32(p + FC_LINK_SEQ, seq);
	fc_put32(p + FC_LINK_ACK, ack);
	fc_put32(p + FC_LINK_SUM, fc_link_check(p));
}

/*
 * As fc_wire_head_check() for a flit that is a whole packet; @len: its bytes, at least those of a
 * head with one target.
 */
static inline bool fc_head_plain(const u8 *p, u32 len, u32 nsites)
{
	const u8 *t = p + FC_PACKET_SIZE;
	u32 msg_len = len - fc_head_size(1), off = fc_get32(t + T_OFF);
	u8 flags = p[P_FLAGS] & (u8)~FC_PACKET_DELAY_ACK;

	return fc_head_single(p) && fc_get32(p + P_MSG_LEN) == msg_len &&
	       !fc_get32(p + P_OFFSET) && msg_len <= FC_PACKET_MAX &&
	       !(fc_get32(p + P_SOCK) & FC_SOCK_BCAST) &&
	       (p[P_KIND] == FC_KIND_MESSAGE ? !(flags & ~FC_PACKET_LIST) :
		p[P_KIND] == FC_KIND_DATA ? !flags :
		p[P_KIND] == FC_KIND_DATAGRAM && !p[P_FLAGS]) &&
	       fc_get32(p + P_SRC) < nsites && fc_get32(t + T_SITE) < nsites &&
	       /* Port, flags and @outstanding. */
	       fc_get16(t + T_PORT) && t[T_FLAGS] == FC_TARGET_LAST &&
	       t[T_OUTSTANDING] < FC_FLOW_WINDOW &&
	       off <= msg_len && fc_get32(t + T_LEN) <= msg_len - off;
}

#endif /* FC_CORE_WIRE_WIRE_PLAIN_H */
