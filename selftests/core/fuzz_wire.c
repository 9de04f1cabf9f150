// SPDX-License-Identifier: GPL-2.0
/*
 * Feeds random bytes to every decoder of the wire format, and decoded frames to the
 * handshake.  Decoders accept exactly the ranges that wire.h gives: the test compares each with a
 * second implementation of the ranges, on memory that ends where the frame ends.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "core/link/hello.h"
#include "core/csr/wire_csr.h"
#include "core/wire/wire_faults.h"
#include "core/wire/wire_sum.h"

static u32 be16(const u8 *p)
{
	return (u32)p[0] << 8 | p[1];
}

static u32 be32(const u8 *p)
{
	return be16(p) << 16 | be16(p + 2);
}

/*
 * Link header.
 */

static u64 le64(const u8 *p)
{
	u64 v = 0;

	for (u32 i = 0; i < 8; i++)
		v |= (u64)p[i] << 8 * i;
	return v;
}

/* The check of a flit without a checksum. */
static u32 check_of(const u8 *p)
{
	u64 first = le64(p) * 0xbf58476d1ce4e5b9, second;

	first ^= first >> 32;
	second = (first + le64(p + 8)) * 0xbf58476d1ce4e5b9;
	return (u32)((second ^ second >> 32) * 0xbf58476d1ce4e5b9 >> 32);
}

static bool link_valid(const u8 *p, size_t size)
{
	u32 type, vc, flags, len;

	if (size < FC_LINK_SIZE)
		return false;
	type = p[1];
	vc = p[2];
	flags = p[3] & 0x7f;
	len = be16(p + 4);
	if (type == FC_FRAME_FLIT && !(p[3] & 0x80) && be32(p + 16) != check_of(p))
		return false;
	if (p[0] != FC_VERSION || len > size - FC_LINK_SIZE)
		return false;
	switch (type) {
	case FC_FRAME_HELLO:
		return vc == FC_VC_CTRL && flags == 0 && len >= FC_HELLO_SIZE;
	case FC_FRAME_CTRL:
		return vc == FC_VC_CTRL && flags == 0 && len >= 44 && len <= 5 * 44 &&
		       len % 44 == 0;
	case FC_FRAME_FAULTS:
		return vc == FC_VC_CTRL && flags == 0 && len >= 4 && len <= 4 + 12 * 16 &&
		       (len - 4) % 16 == 0;
	case FC_FRAME_CSR:
		return vc == FC_VC_CTRL && flags == 0 && len >= 36 && len <= 36 + 64 * 4 &&
		       len % 4 == 0;
	case FC_FRAME_STATUS:
		return vc >= 2 && vc < 3 + 3 * 64 && len == FC_STATUS_SIZE &&
		       flags <= (FC_STATUS_POLL | FC_STATUS_ACK_REQUEST | FC_STATUS_NACK);
	case FC_FRAME_FLIT:
		if (vc < 2 || vc >= 3 + 3 * 64)
			return false;
		/* Bits 4 to 6 of the front of a packet in a class count its speculative hops. */
		if (vc >= 3 && flags & FC_PART_HEAD)
			flags &= 0x8f;
		switch (flags) {
		case 0:
			return len >= FC_DATA_MIN;
		case FC_PART_HEAD:
		case FC_PART_TERM:
		case FC_PART_HEAD | FC_PART_TERM:
			return true;
		case FC_PART_TERM | FC_PART_ABORT:
			return len == 0;
		}
	}
	return false;
}

/* @data: its check is right, or wrong. */
static bool check_link_as(struct fc_link_hdr *h, const u8 *data, size_t size)
{
	u32 linear = size < FC_LINK_SIZE ? (u32)size : FC_LINK_SIZE;
	u8 *p = fuzz_copy(data, linear);
	bool ok = fc_wire_link_decode(h, p, linear, (u32)size);
	u8 again[FC_LINK_SIZE];

	CHECK(ok == link_valid(data, size), "link header: %d", ok);
	if (ok) {
		fc_wire_link_encode(again, h);
		CHECK(!memcmp(again, p, FC_LINK_SIZE), "link header encodes otherwise");
		/* A header without its last byte is no frame. */
		CHECK(!fc_wire_link_decode(h, p, FC_LINK_SIZE - 1, (u32)size), "short header");
		CHECK(!fc_wire_link_decode(h, p, linear, FC_LINK_SIZE - 1 + h->len),
		      "payload beyond the frame");
		CHECK(fc_wire_link_decode(h, p, linear, FC_LINK_SIZE + h->len), "exact frame");
		CHECK(fc_wire_link_decode(h, p, linear, FC_LINK_SIZE + h->len + 46), "padding");
	}
	free(p);
	return ok;
}

/* A header with a wrong check is refused; so is one with the right one if it is invalid. */
static bool check_link(struct fc_link_hdr *h, const u8 *data, size_t size)
{
	u8 *p;
	u32 sum;
	bool ok;

	if (size < FC_LINK_SIZE || data[1] != FC_FRAME_FLIT || data[3] & 0x80)
		return check_link_as(h, data, size);
	p = fuzz_copy(data, (u32)size);
	check_link_as(h, p, size);
	sum = check_of(p);
	for (u32 i = 0; i < 4; i++)
		p[16 + i] = (u8)(sum >> (24 - 8 * i));
	ok = check_link_as(h, p, size);
	free(p);
	return ok;
}

/*
 * Control frames.
 */

static bool check_ctrl(const u8 *data)
{
	u8 *p = fuzz_copy(data, FC_CTRL_SIZE);
	struct fc_ctrl c;
	bool ok = fc_wire_ctrl_decode(&c, p);
	u8 again[FC_CTRL_SIZE];

	CHECK(ok == (p[0] >= 1 && p[0] <= FC_CTRL_DAMAGED && !p[1] &&
		     be32(p + 4) != FC_SITE_NONE && be32(p + 16) != FC_SITE_NONE && be16(p + 20)),
	      "control frame: %d", ok);
	if (ok) {
		fc_wire_ctrl_encode(again, &c);
		CHECK(!memcmp(again, p, FC_CTRL_SIZE), "control frame encodes otherwise");
	}
	free(p);
	return ok;
}

/* A frame is valid if all its entries are. */
static void check_ctrls(const u8 *data, u32 len)
{
	u8 *p = fuzz_copy(data, len);
	struct fc_ctrl c[FC_CTRLS_MAX];
	u32 i, n = len / FC_CTRL_SIZE, got = fc_wire_ctrls_decode(c, p, len);
	bool valid = n && n <= FC_CTRLS_MAX && n * FC_CTRL_SIZE == len;
	u8 again[FC_CTRL_SIZE];

	for (i = 0; valid && i < n; i++)
		valid = check_ctrl(p + i * FC_CTRL_SIZE);
	CHECK(got == (valid ? n : 0), "%u control entries of %u", got, n);
	CHECK(fc_wire_ctrls_check(p, len, FC_SITE_NONE) == got, "%u entries", got);
	for (i = 0; i < got; i++) {
		fc_wire_ctrl_encode(again, &c[i]);
		CHECK(!memcmp(again, p + i * FC_CTRL_SIZE, FC_CTRL_SIZE), "entry %u", i);
	}
	free(p);
}

static void check_faults(const u8 *data, u32 len)
{
	u8 *p = fuzz_copy(data, len);
	bool valid = len >= 4 && len <= 4 + 12 * 16 && (len - 4) % 16 == 0;
	struct fc_faults_msg m;
	bool ok = fc_wire_faults_decode(&m, p, len);
	u8 again[4 + 12 * 16];

	for (u32 at = 4; valid && at < len; at += 16)
		if (be32(p + at) == FC_SITE_NONE || !be32(p + at + 8) || p[at + 15] & 1)
			valid = false;
	CHECK(ok == valid, "faults: %d", ok);
	if (ok) {
		CHECK(fc_faults_size(m.n) == len, "%u entries in %u bytes", m.n, len);
		fc_wire_faults_encode(again, &m);
		CHECK(!memcmp(again, p, len), "faults encode otherwise");
	}
	free(p);
}

static void check_csr(const u8 *data, u32 len)
{
	u8 *p = fuzz_copy(data, len);
	bool probe = len && p[0] == 1;
	bool valid = len >= 36 && p[0] >= 1 && p[0] <= 4 && be16(p + 2) <= 64 &&
		     len == 36 + 4U * be16(p + 2) && probe == !!be16(p + 2) && (probe || !p[1]);
	struct fc_csr_frame f;
	bool ok = fc_wire_csr_decode(&f, p, len);
	u8 again[36 + 4 * 64];

	CHECK(ok == valid, "reservation: %d", ok);
	if (ok) {
		CHECK(fc_csr_frame_size(f.n) == len, "%u targets in %u bytes", f.n, len);
		fc_wire_csr_encode(again, &f);
		CHECK(!memcmp(again, p, len), "reservations encode otherwise");
	}
	free(p);
}

static void check_status(const u8 *data)
{
	u8 *p = fuzz_copy(data, FC_STATUS_SIZE);
	u8 again[FC_STATUS_SIZE];
	struct fc_status s;

	fc_wire_status_decode(&s, p);
	fc_wire_status_encode(again, &s);
	CHECK(!memcmp(again, p, FC_STATUS_SIZE), "status encodes otherwise");
	free(p);
}

static bool check_hello(struct fc_hello_msg *m, const u8 *data)
{
	u8 *p = fuzz_copy(data, FC_HELLO_SIZE);
	bool ok = fc_wire_hello_decode(m, p);
	u8 again[FC_HELLO_SIZE];

	CHECK(ok == (p[0] <= p[1] && be32(p + 4) != FC_SITE_NONE && be16(p + 8) &&
		     be16(p + 8) < FC_PORTS_MAX && be16(p + 10) && be32(p + 16) &&
		     !p[33]), "HELLO: %d", ok);
	if (ok) {
		fc_wire_hello_encode(again, m);
		CHECK(!memcmp(again, p, FC_HELLO_SIZE), "HELLO encodes otherwise");
	}
	free(p);
	return ok;
}

/*
 * Heads.
 */

static bool target_valid(const u8 *p, u32 msg_len, u32 nsites, bool last)
{
	u64 off = be32(p + 8), len = be32(p + 12);

	return be32(p) < nsites && be16(p + 4) && p[6] == last && p[7] < FC_FLOW_WINDOW &&
	       off + len <= msg_len;
}

/* Return: bytes of header and list, with entries or a shorter bitmap; 0 if invalid. */
static u32 head_size(const u8 *p)
{
	u32 n = p[15], entries = 36 + 20 * n;

	if (n < 1 || n > FC_TARGETS_MAX)
		return 0;
	if (!p[14])
		return entries;
	return 56 + p[14] < entries ? 56 + p[14] : 0;
}

/* Bit i is the entry's site + i: as many bits as targets, first and last byte used. */
static bool bitmap_valid(const u8 *p, u32 nsites)
{
	u32 found = 0, last = 0;

	for (u32 i = 0; i < p[14] * 8U; i++) {
		if (p[56 + i / 8] >> i % 8 & 1) {
			found++;
			last = i;
		}
	}
	return found == p[15] && p[56] & 1 && p[55 + p[14]] &&
	       (u64)be32(p + 36) + last < nsites;
}

static bool head_valid(const u8 *p, u8 flags, u32 len, u32 nsites)
{
	u32 n = p[15], msg_len = be32(p + 20), offset = be32(p + 24), size = head_size(p);
	u32 data, want;
	u8 about = p[34] & ~(4 | FC_PACKET_LOCATE);

	if (!size || len < size)
		return false;
	data = len - size;
	if (be32(p) >= nsites || msg_len > FC_MESSAGE_MAX ||
	    (about > 1 && (about != 3 || n != 1)) || p[8] & 0x80)
		return false;
	/* Connections: one target, not by list, and data only in kind 4. */
	if (p[35] && p[35] != 6 &&
	    (p[35] > 5 || n > 1 || about || (p[35] != 4 && msg_len)))
		return false;
	/* A datagram is one packet, and has no other flags. */
	if (p[35] == 6 && (p[34] & ~FC_PACKET_LOCATE || msg_len > FC_PACKET_MAX))
		return false;
	/* Only one-packet messages or data allow a delayed confirmation. */
	if (p[34] & 4 && ((p[35] && p[35] != 4) || msg_len > FC_PACKET_MAX))
		return false;
	/* Packets of a message leave no gap, and only an empty message has an empty packet. */
	if (offset % FC_PACKET_MAX || offset > msg_len || (offset == msg_len && msg_len))
		return false;
	want = msg_len - offset < FC_PACKET_MAX ? msg_len - offset : FC_PACKET_MAX;
	if (data > want || (flags & FC_PART_TERM && data != want))
		return false;
	if (p[14])
		return target_valid(p + 36, msg_len, nsites, true) && bitmap_valid(p, nsites);
	for (u32 i = 0; i < n; i++)
		if (!target_valid(p + 36 + 20 * i, msg_len, nsites, i == n - 1))
			return false;
	return true;
}

/* A broadcast has one packet and one entry, which has copies and no site. */
static bool bcast_valid(const u8 *p, u8 flags, u32 len, u32 nsites)
{
	u32 data_len = be32(p + 20);

	if (be16(p + 14) != 1 || len < 56 || be32(p) >= nsites || !(p[8] & 0x80) ||
	    be32(p + 24) || data_len > FC_PACKET_MAX || p[34] & ~FC_PACKET_LOCATE || p[35])
		return false;
	if (!be16(p + 40) || p[42] != 1 || p[43] >= FC_FLOW_WINDOW || be32(p + 48) >= 8)
		return false;
	if (be32(p + 44) < 1 || be32(p + 44) > FC_COPIES_MAX)
		return false;
	return flags & FC_PART_TERM ? len - 56 == data_len : len - 56 <= data_len;
}

static void check_bcast(const u8 *data, size_t left, u8 flags, u32 len, u32 nsites)
{
	u8 *p, *again;
	struct fc_packet pk;
	struct fc_bcast_hdr c;
	bool ok;

	if (left < fc_head_size(1))
		return;
	p = fuzz_copy(data, fc_head_size(1));
	again = fuzz_copy(data, fc_head_size(1));
	ok = fc_wire_bcast_check(p, flags, len, nsites);
	CHECK(ok == bcast_valid(p, flags, len, nsites), "broadcast: %d", ok);
	CHECK(!ok || !fc_wire_head_check(p, flags, len, nsites), "a broadcast and a packet");
	if (ok) {
		memset(again, 0xa5, fc_head_size(1));
		fc_wire_packet_decode(&pk, p);
		fc_wire_packet_encode(again, &pk);
		fc_wire_bcast_decode(&c, p);
		fc_wire_bcast_encode(again, &c);
		CHECK(!memcmp(again, p, fc_head_size(1)), "broadcast encodes otherwise");
		fc_wire_bcast_hop(again, 7 - c.label);
		c.label = 7 - c.label;
		fc_wire_bcast_encode(p, &c);
		CHECK(!memcmp(again + FC_PACKET_SIZE, p + FC_PACKET_SIZE, FC_TARGET_SIZE), "label");
		CHECK(fc_wire_hops(again) == ((pk.hops + 1) & 0xffff), "hops");
	}
	free(p);
	free(again);
}

static void check_subset(const u8 *head, u32 size, u8 flags, u32 len, u32 nsites, u64 mask,
			 u16 hops)
{
	u32 n = head[15], kept = (u32)__builtin_popcountll(mask);
	u32 small = fc_wire_subset_size(head, mask, kept);
	u8 *apart = fuzz_copy(head, small), *same = fuzz_copy(head, size);
	u8 *above = fuzz_copy(head, size);
	u32 k = 0;

	CHECK(small <= size, "the branch is longer: %u, not %u", small, size);
	memset(apart, 0xa5, small);
	CHECK(fc_wire_head_subset(apart, head, mask, hops) == small, "size of %u", kept);
	CHECK(fc_wire_head_subset(same, same, mask, hops) == small, "size of %u", kept);
	CHECK(fc_wire_head_subset(above + size - small, above, mask, hops) == small,
	      "size of %u", kept);
	CHECK(!memcmp(apart, same, small), "in place it is another one");
	CHECK(!memcmp(apart, above + size - small, small), "moved up it is another one");

	CHECK(!memcmp(apart, head, 14) && !memcmp(apart + 16, head + 16, 16) &&
	      apart[15] == kept && apart[34] == head[34] &&
	      be16(apart + 32) == ((be16(head + 32) + hops) & 0xffff), "packet header changed");
	/* Sums leave out what the other branches have. */
	CHECK(fc_wire_summed_subset(same, head, mask, hops) == small, "size of %u", kept);
	CHECK((be32(head + 28) ^ fc_wire_sum(head, 0)) == (be32(same + 28) ^ fc_wire_sum(same, 0)),
	      "sum of a part");
	CHECK(!apart[14] || head[14], "a bitmap comes from entries");
	for (u32 i = 0; i < n; i++) {
		struct fc_target from, to;

		if (!(mask >> i & 1))
			continue;
		fc_wire_target_decode(&from, head, i);
		fc_wire_target_decode(&to, apart, k++);
		CHECK(from.site == to.site && from.port == to.port &&
		      from.outstanding == to.outstanding &&
		      from.off == to.off && from.len == to.len && from.seq == to.seq &&
		      to.flags == (k == kept), "entry %u changed", i);
	}
	CHECK(fc_wire_head_check(apart, flags, len - size + small, nsites), "the branch is invalid");
	free(apart);
	free(same);
	free(above);
}

/* Targets differ in their site alone; encoding them in another order gives the same bytes. */
static void check_bitmap(const u8 *head, u8 *again, u32 size)
{
	u32 sites[FC_TARGETS_MAX], back[FC_TARGETS_MAX], n = fc_wire_target_sites(sites, head);
	struct fc_target first, t;

	fc_wire_target_decode(&first, head, 0);
	for (u32 i = 0; i < n; i++) {
		CHECK(!i || sites[i] > sites[i - 1], "not in order: %u", i);
		back[n - 1 - i] = sites[i];
		fc_wire_target_decode(&t, head, i);
		CHECK(t.port == first.port && t.outstanding == first.outstanding &&
		      t.off == first.off &&
		      t.len == first.len && t.seq == first.seq &&
		      t.flags == (i == n - 1 ? FC_TARGET_LAST : 0), "entry %u", i);
	}
	CHECK(fc_wire_sites_size(back, n) == size, "not the shorter form");
	CHECK(fc_wire_sites_encode(again, &first, back, n) == size, "not the shorter form");
}

/* @mask and @hops: of a branch. */
static void check_head(const u8 *data, size_t left, u8 flags, u32 len, u32 nsites, u64 mask,
		       u16 hops)
{
	u32 size = fc_wire_head_size(data, left < FC_PACKET_SIZE ? (u32)left : FC_PACKET_SIZE);
	struct fc_packet pk;
	u8 *p, *again;
	u64 all;
	bool ok;

	if (left >= FC_PACKET_SIZE) {
		CHECK(size == head_size(data), "size %u of %u", size, data[15]);
		CHECK(!fc_wire_head_size(data, FC_PACKET_SIZE - 1), "size of half a header");
	} else {
		CHECK(!size, "size %u of half a header", size);
	}
	/* Callers make header and list readable first. */
	if (!size || size > left)
		return;
	p = fuzz_copy(data, size);
	again = fuzz_copy(data, size);
	ok = fc_wire_head_check(p, flags, len, nsites);
	CHECK(ok == head_valid(p, flags, len, nsites), "head: %d", ok);
	if (!ok)
		goto out;
	CHECK(!fc_wire_head_check(p, flags, size - 1, nsites), "list beyond the flit");
	CHECK(!fc_wire_head_check(p, FC_PART_HEAD | FC_PART_TERM, size + fc_wire_data_len(p) + 1,
				  nsites), "more data than the packet has");
	memset(again, 0xa5, size);
	fc_wire_packet_decode(&pk, p);
	fc_wire_packet_encode(again, &pk);
	CHECK(fc_wire_head_len(p) == size, "length");
	CHECK(fc_wire_ntargets(p) == pk.ntargets && fc_wire_data_len(p) == fc_packet_data(&pk) &&
	      fc_wire_hops(p) == pk.hops, "single fields");
	for (u32 i = 0; i < pk.ntargets; i++) {
		struct fc_target t;

		fc_wire_target_decode(&t, p, i);
		if (!pk.bitmap)
			fc_wire_target_encode(again, i, &t);
		CHECK(fc_wire_target_site(p, i) == t.site, "single field");
		CHECK(t.site < nsites && t.port && t.outstanding < FC_FLOW_WINDOW &&
		      t.off <= pk.msg_len && t.len <= pk.msg_len - t.off, "target %u", i);
	}
	if (pk.bitmap)
		check_bitmap(p, again, size);
	CHECK(!memcmp(again, p, size), "head encodes otherwise");
	all = pk.ntargets == 64 ? ~(u64)0 : fc_bit64(pk.ntargets) - 1;
	if (mask & all)
		check_subset(p, size, flags, len, nsites, mask & all, hops);
	/* The split leaves these targets to the other branch. */
	if (~mask & all)
		check_subset(p, size, flags, len, nsites, ~mask & all, hops);
out:
	free(p);
	free(again);
}

/* Decode a whole frame, as received from a link. */
static void fuzz_frame(struct fuzz *f)
{
	u32 nsites = 1 + fuzz_u16(f);
	u64 mask = fuzz_u64(f);
	const u8 *frame = f->at, *payload = frame + FC_LINK_SIZE;
	size_t size = fuzz_left(f);
	struct fc_link_hdr h;
	struct fc_hello_msg m;

	if (!check_link(&h, frame, size))
		return;
	switch ((enum fc_frame)h.type) {
	case FC_FRAME_HELLO:
		check_hello(&m, payload);
		break;
	case FC_FRAME_CTRL:
		check_ctrls(payload, h.len);
		break;
	case FC_FRAME_FAULTS:
		check_faults(payload, h.len);
		break;
	case FC_FRAME_CSR:
		check_csr(payload, h.len);
		break;
	case FC_FRAME_FLIT:
		if (h.flags & FC_PART_HEAD && h.vc == FC_VC_BCAST)
			check_bcast(payload, h.len, h.flags, h.len, nsites);
		else if (h.flags & FC_PART_HEAD)
			check_head(payload, h.len, h.flags, h.len, nsites, mask, (u16)mask);
		break;
	case FC_FRAME_STATUS:
		check_status(payload);
		break;
	}
}

/* Decode a payload alone; the length of the flit may fit. */
static void fuzz_head(struct fuzz *f)
{
	u32 nsites = 1 + fuzz_u16(f), len = fuzz_u16(f);
	u8 flags = FC_PART_HEAD | fuzz_below(f, 2) * FC_PART_TERM;
	u8 fit = fuzz_u8(f);
	u64 mask = fuzz_u64(f);
	const u8 *p = f->at;
	size_t left = fuzz_left(f);

	if (left >= FC_PACKET_SIZE && fit & 1)
		len = head_size(p) + (fit & 2 ? be32(p + 28) : 0);
	check_head(p, left, flags, len, nsites, mask, (u16)mask);
	check_bcast(p, left, flags, len, nsites);
}

/*
 * The handshake.
 */

#define NEVER	(~(u64)0)

struct end {
	struct fc_hello h;
	bool up;		/* state that the end reported to its runner */
	bool suspect;		/* whether the end reported that it suspects the link */
	u32 epoch;
	u32 full_epoch;		/* epoch of the last HELLO as long as a flit */
	bool narrow;		/* no long frame reaches this end */
};

static void end_init(struct end *e, u32 site, u16 port, u32 epoch)
{
	memset(e, 0, sizeof(*e));
	e->h.own = (struct fc_hello_msg){
		.ver_min = FC_VERSION, .ver_max = FC_VERSION, .mode = 1, .site = site,
		.port = port, .window = 8, .flit = 1500, .epoch = epoch, .topology = 77,
		.nsites = 16, .reason = FC_REASON_CARRIER, .interval = 800,
	};
	e->h.ms = 1;
	e->h.interval = 800;
	e->h.dead = FC_HELLO_DEAD;
	e->h.send_at = NEVER;
	e->h.dead_at = NEVER;
	e->h.state = FC_LINK_DOWN;
	e->epoch = epoch;
}

/* Invariants after each step, whatever the peer sent. */
static void check_end(struct end *e, u8 todo, u64 now)
{
	const struct fc_hello *h = &e->h;
	bool was = e->up;

	CHECK(!(todo & ~(FC_HELLO_GO_DOWN | FC_HELLO_GO_UP | FC_HELLO_SEND | FC_HELLO_CHECK |
			 FC_HELLO_SUSPECT | FC_HELLO_TRUST)), "todo %x", todo);
	if (todo & FC_HELLO_SUSPECT) {
		CHECK(!e->suspect, "suspected again");
		e->suspect = true;
	}
	if (todo & FC_HELLO_TRUST) {
		CHECK(e->suspect, "trusted again");
		e->suspect = false;
	}
	if (todo & FC_HELLO_GO_DOWN)
		e->suspect = false;
	CHECK(e->suspect == !!h->suspicion, "suspicion %u", h->suspicion);
	if (todo & FC_HELLO_GO_DOWN) {
		CHECK(e->up, "goes down again");
		e->up = false;
	}
	if (todo & FC_HELLO_GO_UP) {
		CHECK(!e->up, "goes up again");
		CHECK(!((h->own.flags | h->peer.flags) & FC_HELLO_LONG) ||
		      e->full_epoch == h->peer.epoch, "up, but no flit may come");
		e->up = true;
	}
	CHECK(e->up == (h->state == FC_LINK_UP), "state %u, but up is %d", h->state, e->up);
	/* A link incarnation ends if its epoch changes, and only then. */
	CHECK((h->own.epoch != e->epoch) == (was && todo & FC_HELLO_GO_DOWN), "epoch %u after %u",
	      h->own.epoch, e->epoch);
	CHECK(h->own.epoch, "epoch 0");
	e->epoch = h->own.epoch;
	CHECK(h->own.reason < FC_REASON_COUNT && fc_reason_text(h->own.reason), "reason %u",
	      h->own.reason);
	switch ((enum fc_link_state)h->state) {
	case FC_LINK_DOWN:
		CHECK(h->send_at == NEVER && h->dead_at == NEVER, "due while down");
		CHECK(h->own.reason == FC_REASON_CARRIER && !h->own.peer_epoch, "down: %s",
		      fc_reason_text(h->own.reason));
		break;
	case FC_LINK_INIT:
		CHECK(h->dead_at == NEVER, "dead before it is up");
		CHECK(h->send_at <= now + h->interval, "silent until %llu",
		      (unsigned long long)h->send_at);
		CHECK(h->own.reason != FC_REASON_NONE && h->own.reason != FC_REASON_CARRIER,
		      "not up for no reason");
		break;
	case FC_LINK_UP:
		CHECK(h->send_at <= now + h->interval, "silent");
		CHECK(h->dead_at > now &&
		      h->dead_at <= now + (h->dead + 1) * (h->peer.interval > h->interval ?
							   h->peer.interval : h->interval),
		      "dead at the wrong time");
		CHECK(h->own.reason == FC_REASON_NONE, "up, but %s",
		      fc_reason_text(h->own.reason));
		CHECK(h->peer.peer_epoch == h->own.epoch && h->own.peer_epoch == h->peer.epoch,
		      "up without having been heard");
		CHECK(h->peer.site == h->want_site && h->peer.port == h->want_port &&
		      h->peer.topology == h->own.topology && h->peer.nsites == h->own.nsites &&
		      h->peer.mode == h->own.mode && h->peer.flit == h->own.flit &&
		      h->peer.ver_min <= h->own.ver_max && h->peer.ver_max >= h->own.ver_min,
		      "up against a contradiction");
		break;
	}
}

static u8 receive(struct end *e, const struct fc_hello_msg *m, bool full, u64 now)
{
	u8 todo;

	if (full)
		e->full_epoch = m->epoch;
	todo = fc_hello_received(&e->h, m, full, now);
	check_end(e, todo, now);
	return todo;
}

/* Send one HELLO. Return: the actions of the other end. */
static u8 print_one(struct end *from, struct end *to, bool full, bool pair, u64 now)
{
	struct fc_hello_msg m = fc_hello_next(&from->h, pair);
	u8 bytes[FC_HELLO_SIZE];

	fc_wire_hello_encode(bytes, &m);
	CHECK(fc_wire_hello_decode(&m, bytes), "a HELLO of our own does not decode");
	return to->narrow && full ? 0 : receive(to, &m, full, now);
}

/* Send the HELLOs of a step that ended in @todo, and their answers. */
static void report(struct end *from, struct end *to, u8 todo, u64 now)
{
	bool full = fc_hello_full(&from->h);

	if (todo & FC_HELLO_CHECK)
		print_one(from, to, true, true, now);
	todo = print_one(from, to, full, todo & FC_HELLO_CHECK, now);
	if (todo & FC_HELLO_SEND && to->h.state != FC_LINK_DOWN)
		print_one(to, from, fc_hello_full(&to->h), false, now);
}

static void timer(struct end *e, struct end *other, u64 now)
{
	u8 todo = fc_hello_time(&e->h, now, false);

	check_end(e, todo, now);
	if (todo & FC_HELLO_SEND)
		report(e, other, todo, now);
}

/* Forge a HELLO similar to one of the peer. */
static void forged(struct fuzz *f, struct end *e, const struct fc_hello_msg *peer, u64 now)
{
	struct fc_hello_msg m = *peer;
	u8 bytes[FC_HELLO_SIZE];

	m.peer_epoch = e->h.own.epoch;
	fc_wire_hello_encode(bytes, &m);
	for (u8 changes = fuzz_u8(f) % 4; changes; changes--) {
		u8 at = fuzz_u8(f) % FC_HELLO_SIZE;

		bytes[at] = fuzz_u8(f);
	}
	if (check_hello(&m, bytes))
		receive(e, &m, m.epoch & 1, now);
}

/* The end was removed, and is added again. */
static void again(struct end *e, const struct end *other)
{
	struct fc_hello_msg own = e->h.own;
	bool narrow = e->narrow;

	end_init(e, own.site, own.port, own.epoch | 1);
	e->h.own.flags = own.flags;
	e->h.want_site = other->h.own.site;
	e->h.want_port = other->h.own.port;
	e->narrow = narrow;
}

static void fuzz_hello(struct fuzz *f)
{
	struct fc_hello_msg m;
	struct end a, b;
	u8 first = fuzz_u8(f), second = fuzz_u8(f);
	u64 now = 1;

	end_init(&a, 3, 1, 1 + first);
	end_init(&b, 4, 2, second & 1 ? 0xffffffff : 7);
	/* Flits above the MTU of one or both devices, and a wire that does not carry such flits. */
	a.h.own.flags = first & 2 ? FC_HELLO_LONG : 0;
	b.h.own.flags = second & 2 ? FC_HELLO_LONG : 0;
	a.narrow = second & 4;
	b.narrow = second & 8;
	a.h.want_site = b.h.own.site;
	a.h.want_port = b.h.own.port;
	b.h.want_site = a.h.own.site;
	b.h.want_port = a.h.own.port;
	while (fuzz_left(f)) {
		struct end *e = fuzz_u8(f) & 1 ? &b : &a, *o = e == &a ? &b : &a;
		u8 todo = 0;

		switch (fuzz_below(f, 11)) {
		case 0:
			todo = fc_hello_carrier(&e->h, false, now);
			check_end(e, todo, now);
			break;
		case 1:
			todo = fc_hello_carrier(&e->h, true, now);
			check_end(e, todo, now);
			break;
		case 2:
			now += fuzz_u16(f);
			todo = fc_hello_time(&e->h, now, now & 1);
			CHECK(e->h.send_at > now && e->h.dead_at > now, "still due");
			check_end(e, todo, now);
			/* The other end has a timer, too. */
			check_end(o, fc_hello_time(&o->h, now, false), now);
			break;
		case 3:
			todo = fc_hello_reset(&e->h, now);
			check_end(e, todo, now);
			break;
		case 4:
			fc_hello_alive(&e->h, now);
			check_end(e, 0, now);
			break;
		case 5:
			if (o->h.state != FC_LINK_DOWN)
				report(o, e, 0, now);
			break;
		case 6:
			forged(f, e, &o->h.own, now);
			break;
		case 7:
			if (fuzz_left(f) < FC_HELLO_SIZE)
				break;
			if (check_hello(&m, f->at))
				receive(e, &m, true, now);
			f->at += FC_HELLO_SIZE;
			break;
		case 8:
			todo = fc_hello_suspect(&e->h, 1 + (u8)(now & 1), now);
			check_end(e, todo, now);
			if (todo & FC_HELLO_CHECK)
				report(e, o, todo, now);
			break;
		case 9:
			todo = fc_hello_pace(&e->h, FC_HELLO_MS_MIN + fuzz_u8(f),
					     FC_HELLO_DEAD_MIN + fuzz_u8(f) % 8, now);
			check_end(e, todo, now);
			if (todo & FC_HELLO_SEND)
				report(e, o, todo, now);
			break;
		case 10:
			todo = fc_hello_leave(&e->h);
			CHECK(e->h.state == FC_LINK_DOWN ? !todo : todo & FC_HELLO_SEND, "%x",
			      todo);
			CHECK(!(todo & FC_HELLO_GO_DOWN) == !e->up, "down %x", todo);
			if (todo & FC_HELLO_SEND) {
				report(e, o, todo, now);
				CHECK(!o->up, "the peer is up");
			}
			again(e, o);
			break;
		}
	}
	/* Two working ends bring the link up, whatever the fuzzer sent before. */
	a.narrow = false;
	b.narrow = false;
	check_end(&a, fc_hello_carrier(&a.h, true, now), now);
	check_end(&b, fc_hello_carrier(&b.h, true, now), now);
	for (unsigned int i = 0; i < 1000 && !(a.up && b.up && i > 20); i++) {
		now += a.h.interval >> FC_HELLO_INIT_SHIFT;
		timer(&a, &b, now);
		timer(&b, &a, now);
	}
	CHECK(a.up && b.up, "the link stays down: %s, %s", fc_reason_text(a.h.own.reason),
	      fc_reason_text(b.h.own.reason));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz f = { data, data + size };
	struct fc_hello_msg m;

	switch (fuzz_below(&f, 5)) {
	case 0:
		fuzz_frame(&f);
		break;
	case 1:
		fuzz_head(&f);
		break;
	case 2:
		if (fuzz_left(&f) >= FC_CTRL_SIZE)
			check_ctrls(f.at, fuzz_left(&f) > 300 ? 300 : (u32)fuzz_left(&f));
		break;
	case 3:
		if (fuzz_left(&f) >= FC_HELLO_SIZE)
			check_hello(&m, f.at);
		break;
	case 4:
		fuzz_hello(&f);
		break;
	}
	return 0;
}
