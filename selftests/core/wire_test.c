// SPDX-License-Identifier: GPL-2.0
/*
 * The wire: golden bytes, round trips, and checks that a truncated or corrupted frame is neither
 * read out of bounds (every buffer is a heap block of the exact size, so that the address sanitizer
 * detects it) nor decoded as another frame.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "core/csr/wire_csr.h"
#include "core/wire/wire_faults.h"
#include "core/wire/wire_plain.h"

#define NSITES	64

static u8 *block(const void *bytes, size_t n)
{
	u8 *p = malloc(n ? n : 1);

	if (n)
		memcpy(p, bytes, n);
	return p;
}

static u32 random32(void)
{
	return tap_random(0x10000) << 16 | tap_random(0x10000);
}

static struct fc_link_hdr random_link(void)
{
	static const u8 flit_flags[] = {
		0, FC_PART_HEAD, FC_PART_TERM, FC_PART_HEAD | FC_PART_TERM,
		FC_PART_TERM | FC_PART_ABORT, FC_PART_HEAD | FC_PART_EAGER,
		FC_PART_HEAD | FC_PART_TERM | 1 << FC_PART_EAGER_SHIFT,
	};
	struct fc_link_hdr h = {
		.type = (u8)(FC_FRAME_HELLO + tap_random(6)),
		.epoch = (u16)random32(), .seq = random32(), .ack = random32(),
	};

	switch ((enum fc_frame)h.type) {
	case FC_FRAME_FLIT:
		h.vc = FC_VC_CLASS;
		h.flags = flit_flags[tap_random(FC_ARRAY_SIZE(flit_flags))];
		h.len = h.flags & FC_PART_ABORT ? 0 : (u16)tap_random(2000);
		if (!h.flags)
			h.len += FC_DATA_MIN;
		break;
	case FC_FRAME_STATUS:
		h.vc = FC_VC_CLASS;
		h.flags = (u8)tap_random(8);
		h.len = FC_STATUS_SIZE;
		break;
	case FC_FRAME_HELLO:
		h.len = FC_HELLO_SIZE;
		break;
	case FC_FRAME_CTRL:
		h.len = (u16)fc_ctrls_size(1 + tap_random(FC_CTRLS_MAX));
		break;
	case FC_FRAME_FAULTS:
		h.len = (u16)fc_faults_size(tap_random(FC_FAULTS_MAX + 1));
		break;
	case FC_FRAME_CSR:
		h.len = (u16)fc_csr_frame_size(tap_random(FC_TARGETS_MAX + 1));
		break;
	}
	if (h.type == FC_FRAME_HELLO && tap_random(2)) {
		h.auth = true;
		h.len += FC_AUTH_SIZE;
	}
	h.summed = tap_random(2);
	if (h.summed)
		h.sum = random32();
	return h;
}

static bool link_equal(const struct fc_link_hdr *a, const struct fc_link_hdr *b)
{
	return a->type == b->type && a->vc == b->vc && a->flags == b->flags && a->len == b->len &&
	       a->epoch == b->epoch && a->seq == b->seq && a->ack == b->ack &&
	       a->summed == b->summed && a->sum == b->sum && a->auth == b->auth;
}

TEST(wire_auth__length_is_that_of_the_hello_and_the_code)
{
	struct fc_link_hdr got, h = { .type = FC_FRAME_HELLO, .len = FC_HELLO_SIZE, .auth = true };
	u8 p[FC_LINK_SIZE];

	fc_wire_link_encode(p, &h);
	CHECK(!fc_wire_link_decode(&got, p, sizeof(p), 2000), "no room for it");
	h.len += FC_AUTH_SIZE;
	fc_wire_link_encode(p, &h);
	CHECK(fc_wire_link_decode(&got, p, sizeof(p), 2000) && link_equal(&got, &h), "taken");
}

/* The link layer has removed the codes of all other frames. */
TEST(wire_auth__only_a_hello_keeps_its_code)
{
	static const struct fc_link_hdr frames[] = {
		{ .type = FC_FRAME_FLIT, .vc = FC_VC_CLASS, .flags = FC_PART_TERM, .len = 500 },
		{ .type = FC_FRAME_STATUS, .vc = FC_VC_CLASS, .len = FC_STATUS_SIZE },
		{ .type = FC_FRAME_CTRL, .len = FC_CTRL_SIZE },
		{ .type = FC_FRAME_FAULTS, .len = FC_FAULTS_SIZE },
		{ .type = FC_FRAME_CSR, .len = FC_CSR_SIZE },
	};
	struct fc_link_hdr got;
	u8 p[FC_LINK_SIZE];

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(frames); i++) {
		struct fc_link_hdr h = frames[i];

		fc_wire_link_encode(p, &h);
		CHECK(fc_wire_link_decode(&got, p, sizeof(p), 2000), "type %u", h.type);
		h.auth = true;
		fc_wire_link_encode(p, &h);
		CHECK(!fc_wire_link_decode(&got, p, sizeof(p), 2000), "type %u, coded", h.type);
		h.len += FC_AUTH_SIZE;
		fc_wire_link_encode(p, &h);
		CHECK(!fc_wire_link_decode(&got, p, sizeof(p), 2000), "type %u, longer", h.type);
	}
}

/* The authenticated prefix covers every field that is not a checksum. */
TEST(wire_auth__prefix_covers_all)
{
	const struct fc_link_hdr h = {
		.type = FC_FRAME_STATUS, .vc = FC_VC_CLASS, .flags = 1, .len = 32, .epoch = 5,
		.seq = 6, .ack = 7, .auth = true,
	};
	u8 base[FC_AUTH_PREFIX], p[FC_AUTH_PREFIX];
	struct fc_link_hdr other;

	fc_wire_auth_prefix(base, &h, 1, 2, 3, 4);
#define DIFFERS(field)								\
	do {									\
		other = h;							\
		other.field++;							\
		fc_wire_auth_prefix(p, &other, 1, 2, 3, 4);			\
		CHECK(memcmp(p, base, sizeof(p)), #field);			\
	} while (0)
	DIFFERS(type);
	DIFFERS(vc);
	DIFFERS(flags);
	DIFFERS(len);
	DIFFERS(epoch);
	DIFFERS(seq);
	DIFFERS(ack);
#undef DIFFERS
	for (unsigned int i = 0; i < 4; i++) {
		fc_wire_auth_prefix(p, &h, i == 0 ? 9 : 1, i == 1 ? 9 : 2, i == 2 ? 9 : 3,
				    i == 3 ? 9 : 4);
		CHECK(memcmp(p, base, sizeof(p)), "argument %u", i);
	}
	other = h;
	other.summed = true;
	other.sum = 0x12345678;
	fc_wire_auth_prefix(p, &other, 1, 2, 3, 4);
	CHECK(!memcmp(p, base, sizeof(p)), "the checksum is of the link alone");
}

TEST(wire_link__golden_bytes)
{
	static const u8 golden[FC_LINK_SIZE] = {
		1, 2, 3, 0x83, 0x05, 0xdc, 0xab, 0xcd, 0x01, 0x02, 0x03, 0x04,
		0x0a, 0x0b, 0x0c, 0x0d, 0x21, 0x22, 0x23, 0x24,
	};
	const struct fc_link_hdr h = {
		.type = FC_FRAME_FLIT, .vc = FC_VC_CLASS, .flags = FC_PART_HEAD | FC_PART_TERM,
		.len = 1500, .epoch = 0xabcd, .seq = 0x01020304, .ack = 0x0a0b0c0d,
		.summed = true, .sum = 0x21222324,
	};
	u8 p[FC_LINK_SIZE];

	fc_wire_link_encode(p, &h);
	CHECK(!memcmp(p, golden, sizeof(p)), "layout");
	CHECK(fc_wire_link_summed(p), "the checksum is not seen");
	fc_wire_link_set_sum(p, 0x21222325);
	CHECK(p[FC_LINK_SIZE - 1] == 0x25 && !memcmp(p, golden, FC_LINK_SIZE - 1), "checksum");
}

TEST(wire_link__data_flits_are_not_tiny)
{
	struct fc_link_hdr h = { .type = FC_FRAME_FLIT, .vc = FC_VC_CLASS, .len = FC_DATA_MIN };
	struct fc_link_hdr got;
	u8 p[FC_LINK_SIZE];

	fc_wire_link_encode(p, &h);
	CHECK(fc_wire_link_decode(&got, p, sizeof(p), 2000), "the least");
	h.len--;
	fc_wire_link_encode(p, &h);
	CHECK(!fc_wire_link_decode(&got, p, sizeof(p), 2000), "less");
	/* The last flit of a packet may be shorter. */
	h.flags = FC_PART_TERM;
	fc_wire_link_encode(p, &h);
	CHECK(fc_wire_link_decode(&got, p, sizeof(p), 2000), "the last");
}

TEST(wire_link__round_trip)
{
	for (unsigned int i = 0; i < 20000; i++) {
		const struct fc_link_hdr h = random_link();
		struct fc_link_hdr got;
		u8 p[FC_LINK_SIZE];

		fc_wire_link_encode(p, &h);
		CHECK(fc_wire_link_decode(&got, p, sizeof(p), FC_LINK_SIZE + h.len), "type %u",
		      h.type);
		CHECK(link_equal(&h, &got), "type %u", h.type);
		/* The device may pad a frame; the payload need not be readable. */
		CHECK(fc_wire_link_decode(&got, p, sizeof(p), FC_LINK_SIZE + h.len + 46),
		      "type %u", h.type);
		if (h.len)
			CHECK(!fc_wire_link_decode(&got, p, sizeof(p), FC_LINK_SIZE + h.len - 1),
			      "type %u", h.type);
	}
}

TEST(wire_link__every_truncation)
{
	for (unsigned int i = 0; i < 200; i++) {
		const struct fc_link_hdr h = random_link();
		struct fc_link_hdr got;
		u8 full[FC_LINK_SIZE];

		fc_wire_link_encode(full, &h);
		for (u32 n = 0; n < FC_LINK_SIZE; n++) {
			u8 *p = block(full, n);

			CHECK(!fc_wire_link_decode(&got, p, n, n), "%u bytes", n);
			CHECK(!fc_wire_link_decode(&got, p, n, 1500), "%u bytes", n);
			free(p);
		}
	}
}

/* An accepted header encodes to the same bytes: the decoder ignores none. */
static void check_link_canonical(const u8 *bytes)
{
	u8 *p = block(bytes, FC_LINK_SIZE);
	struct fc_link_hdr h;
	u8 again[FC_LINK_SIZE];

	if (fc_wire_link_decode(&h, p, FC_LINK_SIZE, 1500)) {
		CHECK(h.len <= 1500 - FC_LINK_SIZE, "%u", h.len);
		fc_wire_link_encode(again, &h);
		CHECK(!memcmp(again, p, sizeof(again)), "type %u", h.type);
	}
	free(p);
}

TEST(wire_link__every_byte_corrupted)
{
	for (unsigned int i = 0; i < 20; i++) {
		const struct fc_link_hdr h = random_link();
		u8 p[FC_LINK_SIZE];

		fc_wire_link_encode(p, &h);
		for (unsigned int at = 0; at < FC_LINK_SIZE; at++) {
			const u8 was = p[at];

			for (unsigned int v = 0; v < 256; v++) {
				p[at] = (u8)v;
				check_link_canonical(p);
			}
			p[at] = was;
		}
	}
}

TEST(wire_link__refuses)
{
	static const struct {
		const char *why;
		struct fc_link_hdr h;
	} bad[] = {
		{ "no type", { .type = 0 } },
		{ "unknown type", { .type = FC_FRAME_CSR + 1 } },
		{ "flit on control", { .type = FC_FRAME_FLIT, .vc = FC_VC_CTRL } },
		{ "broadcast on no channel", { .type = FC_FRAME_STATUS, .vc = FC_VC_COUNT,
					       .len = FC_STATUS_SIZE } },
		{ "status on no channel",
		  { .type = FC_FRAME_STATUS, .vc = FC_VC_CTRL + 1, .len = FC_STATUS_SIZE } },
		{ "flit on no channel", { .type = FC_FRAME_FLIT, .vc = FC_VC_COUNT } },
		{ "flit with unknown part",
		  { .type = FC_FRAME_FLIT, .vc = FC_VC_CLASS, .flags = 0x08 } },
		{ "abort without terminator",
		  { .type = FC_FRAME_FLIT, .vc = FC_VC_CLASS, .flags = FC_PART_ABORT } },
		{ "abort in a head", { .type = FC_FRAME_FLIT, .vc = FC_VC_CLASS, .flags = 7 } },
		{ "a run without a front", { .type = FC_FRAME_FLIT, .vc = FC_VC_CLASS, .len = 500,
					     .flags = FC_PART_TERM | FC_PART_EAGER } },
		{ "a run without a class", { .type = FC_FRAME_FLIT, .vc = FC_VC_BCAST,
					     .flags = FC_PART_HEAD | FC_PART_EAGER } },
		{ "abort with data",
		  { .type = FC_FRAME_FLIT, .vc = FC_VC_CLASS, .flags = 6, .len = 1 } },
		{ "status on control", { .type = FC_FRAME_STATUS, .vc = FC_VC_CTRL } },
		{ "status of another size",
		  { .type = FC_FRAME_STATUS, .vc = FC_VC_CLASS, .len = FC_STATUS_SIZE - 1 } },
		{ "status with unknown flag",
		  { .type = FC_FRAME_STATUS, .vc = FC_VC_CLASS, .len = FC_STATUS_SIZE,
		    .flags = 8 } },
		{ "hello of another size", { .type = FC_FRAME_HELLO, .len = FC_HELLO_SIZE - 1 } },
		{ "hello with flags",
		  { .type = FC_FRAME_HELLO, .len = FC_HELLO_SIZE, .flags = 1 } },
		{ "hello on data",
		  { .type = FC_FRAME_HELLO, .len = FC_HELLO_SIZE, .vc = FC_VC_CLASS } },
		{ "control of another size", { .type = FC_FRAME_CTRL, .len = FC_CTRL_SIZE + 1 } },
		{ "control without an entry", { .type = FC_FRAME_CTRL } },
		{ "too many control entries",
		  { .type = FC_FRAME_CTRL, .len = (FC_CTRLS_MAX + 1) * FC_CTRL_SIZE } },
		{ "control with flags",
		  { .type = FC_FRAME_CTRL, .len = FC_CTRL_SIZE, .flags = 2 } },
		{ "faults without a digest", { .type = FC_FRAME_FAULTS } },
		{ "faults and half an entry",
		  { .type = FC_FRAME_FAULTS, .len = FC_FAULTS_SIZE + FC_FAULT_SIZE / 2 } },
		{ "too many faults",
		  { .type = FC_FRAME_FAULTS,
		    .len = FC_FAULTS_SIZE + (FC_FAULTS_MAX + 1) * FC_FAULT_SIZE } },
		{ "faults with flags",
		  { .type = FC_FRAME_FAULTS, .len = FC_FAULTS_SIZE, .flags = 1 } },
		{ "faults on data",
		  { .type = FC_FRAME_FAULTS, .len = FC_FAULTS_SIZE, .vc = FC_VC_CLASS } },
		{ "reservation without all of it",
		  { .type = FC_FRAME_CSR, .len = FC_CSR_SIZE - 4 } },
		{ "reservation and half a target",
		  { .type = FC_FRAME_CSR, .len = FC_CSR_SIZE + 2 } },
		{ "reservation for too many",
		  { .type = FC_FRAME_CSR, .len = FC_CSR_SIZE + 4 * (FC_TARGETS_MAX + 1) } },
		{ "reservation with flags",
		  { .type = FC_FRAME_CSR, .len = FC_CSR_SIZE, .flags = 1 } },
		{ "reservation on data",
		  { .type = FC_FRAME_CSR, .len = FC_CSR_SIZE, .vc = FC_VC_CLASS } },
		{ "control on data",
		  { .type = FC_FRAME_CTRL, .len = FC_CTRL_SIZE, .vc = FC_VC_CLASS } },
	};
	struct fc_link_hdr h;
	u8 p[FC_LINK_SIZE];

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(bad); i++) {
		fc_wire_link_encode(p, &bad[i].h);
		CHECK(!fc_wire_link_decode(&h, p, sizeof(p), 1500), "%s", bad[i].why);
	}
	h = random_link();
	fc_wire_link_encode(p, &h);
	p[0] = FC_VERSION + 1;
	CHECK(!fc_wire_link_decode(&h, p, sizeof(p), 1500), "another version");
}

static const struct fc_hello_msg hello = {
	.ver_min = 1, .ver_max = 2, .mode = 3, .reason = 4, .site = 0x01020304, .port = 5,
	.window = 0x0607, .flit = 0x08090a0b, .epoch = 0x0c0d0e0f, .peer_epoch = 0x10111213,
	.topology = 0x14151617, .nsites = 0x18191a1b, .flags = FC_HELLO_SUM, .interval = 0x1c1d,
};

static const u8 hello_golden[FC_HELLO_SIZE] = {
	1, 2, 3, 4, 1, 2, 3, 4, 0, 5, 6, 7, 8, 9, 10, 11,
	12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 1, 0, 28, 29,
};

TEST(wire_status__golden_bytes)
{
	static const u8 golden[FC_STATUS_SIZE] = {
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	};
	const struct fc_status s = {
		.have = 0x0102030405060708ULL, .upto = 0x090a0b0c, .poll = 0x0d0e,
		.echo = 0x0f10,
	};
	struct fc_status got;
	u8 p[FC_STATUS_SIZE];

	fc_wire_status_encode(p, &s);
	CHECK(!memcmp(p, golden, sizeof(p)), "layout");
	fc_wire_status_decode(&got, p);
	CHECK(got.have == s.have && got.upto == s.upto && got.poll == s.poll &&
	      got.echo == s.echo, "another one");
}

TEST(wire_hello__golden_bytes)
{
	u8 p[FC_HELLO_SIZE];

	fc_wire_hello_encode(p, &hello);
	CHECK(!memcmp(p, hello_golden, sizeof(p)), "layout");
}

static bool check_hello_canonical(const u8 *bytes)
{
	u8 *p = block(bytes, FC_HELLO_SIZE);
	struct fc_hello_msg m;
	u8 again[FC_HELLO_SIZE];
	bool taken = fc_wire_hello_decode(&m, p);

	if (taken) {
		CHECK(m.epoch && m.window && m.site != FC_SITE_NONE && m.port &&
		      m.port < FC_PORTS_MAX && m.ver_min <= m.ver_max, "taken");
		fc_wire_hello_encode(again, &m);
		CHECK(!memcmp(again, p, sizeof(again)), "says something else");
	}
	free(p);
	return taken;
}

TEST(wire_hello__every_byte_corrupted)
{
	u8 p[FC_HELLO_SIZE];

	memcpy(p, hello_golden, sizeof(p));
	CHECK(check_hello_canonical(p), "refused");
	for (unsigned int at = 0; at < sizeof(p); at++) {
		const u8 was = p[at];

		for (unsigned int v = 0; v < 256; v++) {
			p[at] = (u8)v;
			check_hello_canonical(p);
		}
		p[at] = was;
	}
}

static bool hello_taken(const struct fc_hello_msg *m)
{
	struct fc_hello_msg got;
	u8 p[FC_HELLO_SIZE];

	fc_wire_hello_encode(p, m);
	return fc_wire_hello_decode(&got, p);
}

TEST(wire_hello__refuses)
{
	struct fc_hello_msg m;

	CHECK(hello_taken(&hello), "good one");
#define REFUSED(change)	do { m = hello; m.change; CHECK(!hello_taken(&m), #change); } while (0)
	REFUSED(ver_min = 3);
	REFUSED(epoch = 0);
	REFUSED(window = 0);
	REFUSED(site = FC_SITE_NONE);
	REFUSED(port = 0);
	REFUSED(port = FC_PORTS_MAX);
	REFUSED(port = 0x0105);
#undef REFUSED
}

static const struct fc_ctrl ctrl = {
	.kind = FC_CTRL_CONFIRM, .hops = 0x0203, .dst = 0x04050607, .incarnation = 0x08090a0b,
	.sock = 0x0c0d0e0f, .site = 0x10111213, .port = 0x1415, .base = 0x1617,
	.seq = 0x18191a1b, .next = 0x1c1d1e1f, .have = 0x2021222324252627ULL, .sum = 0x28292a2b,
};

static const u8 ctrl_golden[FC_CTRL_SIZE] = {
	1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
	24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
};

TEST(wire_ctrl__golden_bytes)
{
	u8 p[FC_CTRL_SIZE];

	fc_wire_ctrl_encode(p, &ctrl);
	CHECK(!memcmp(p, ctrl_golden, sizeof(p)), "layout");
}

static bool check_ctrl_canonical(const u8 *bytes)
{
	u8 *p = block(bytes, FC_CTRL_SIZE);
	struct fc_ctrl c;
	u8 again[FC_CTRL_SIZE];
	bool taken = fc_wire_ctrl_decode(&c, p);

	if (taken) {
		CHECK(c.kind >= FC_CTRL_CONFIRM && c.kind < FC_CTRL_COUNT && c.port &&
		      c.dst != FC_SITE_NONE && c.site != FC_SITE_NONE, "taken");
		fc_wire_ctrl_encode(again, &c);
		CHECK(!memcmp(again, p, sizeof(again)), "says something else");
	}
	free(p);
	return taken;
}

TEST(wire_ctrl__every_byte_corrupted)
{
	u8 p[FC_CTRL_SIZE];

	memcpy(p, ctrl_golden, sizeof(p));
	CHECK(check_ctrl_canonical(p), "refused");
	for (unsigned int at = 0; at < sizeof(p); at++) {
		const u8 was = p[at];

		for (unsigned int v = 0; v < 256; v++) {
			p[at] = (u8)v;
			check_ctrl_canonical(p);
		}
		p[at] = was;
	}
}

static bool ctrl_taken(const struct fc_ctrl *c)
{
	struct fc_ctrl got;
	u8 p[FC_CTRL_SIZE];

	fc_wire_ctrl_encode(p, c);
	return fc_wire_ctrl_decode(&got, p);
}

TEST(wire_ctrl__refuses)
{
	struct fc_ctrl c;

	CHECK(ctrl_taken(&ctrl), "good one");
#define REFUSED(change)	do { c = ctrl; c.change; CHECK(!ctrl_taken(&c), #change); } while (0)
	REFUSED(kind = 0);
	REFUSED(kind = FC_CTRL_COUNT);
	REFUSED(dst = FC_SITE_NONE);
	REFUSED(site = FC_SITE_NONE);
	REFUSED(port = 0);
#undef REFUSED
}

TEST(wire_ctrls__decode)
{
	u8 bytes[(FC_CTRLS_MAX + 1) * FC_CTRL_SIZE], *p;
	struct fc_ctrl got[FC_CTRLS_MAX], c = ctrl;
	u32 n, bad, most, i;

	for (i = 0; i <= FC_CTRLS_MAX; i++) {
		c.seq = i;
		fc_wire_ctrl_encode(bytes + fc_ctrls_size(i), &c);
	}
	for (n = 0; n <= FC_CTRLS_MAX + 1; n++) {
		p = block(bytes, fc_ctrls_size(n));
		CHECK(fc_wire_ctrls_decode(got, p, fc_ctrls_size(n)) ==
		      (n <= FC_CTRLS_MAX ? n : 0), "%u entries", n);
		for (i = 0; i < n && n <= FC_CTRLS_MAX; i++)
			CHECK(got[i].seq == i && got[i].have == ctrl.have, "entry %u of %u", i, n);
		/* One invalid entry makes the frame invalid. */
		for (bad = 0; bad < n; bad++) {
			p[fc_ctrls_size(bad)] = FC_CTRL_COUNT;
			CHECK(!fc_wire_ctrls_decode(got, p, fc_ctrls_size(n)), "%u of %u", bad, n);
			p[fc_ctrls_size(bad)] = ctrl.kind;
		}
		if (n)
			CHECK(!fc_wire_ctrls_decode(got, p, fc_ctrls_size(n) - 1), "%u", n);
		/* A check against fewer sites than the entries name fails. */
		most = ctrl.dst > ctrl.site ? ctrl.dst : ctrl.site;
		CHECK(fc_wire_ctrls_check(p, fc_ctrls_size(n), most + 1) ==
		      (n <= FC_CTRLS_MAX ? n : 0), "%u entries", n);
		CHECK(!fc_wire_ctrls_check(p, fc_ctrls_size(n), most), "%u entries", n);
		free(p);
	}
}

TEST(wire_ctrls__later_ones_cover_earlier_ones)
{
	const struct fc_ctrl old = {
		.kind = FC_CTRL_CONFIRM, .dst = 1, .incarnation = 2, .sock = 3, .site = 4,
		.port = 5, .seq = 10, .next = 8, .base = 2, .have = 4,
	};
	struct fc_ctrl c;

#define COVERS(expected, changes) do {						\
	c = old;								\
	changes;								\
	CHECK(fc_ctrl_covers(&c, &old) == (expected), #changes);		\
} while (0)
	COVERS(true, c.hops = 7);
	COVERS(true, c.next = 9);
	COVERS(true, c.base = 3; c.have = 0);
	COVERS(true, c.have = 5);
	/* An entry that acks the whole message covers, whichever message it names. */
	COVERS(true, c.seq = 11; c.next = 11; c.base = 0; c.have = 0);
	COVERS(true, c.seq = 9; c.next = 11);
	COVERS(false, c.seq = 11; c.next = 10);
	COVERS(false, c.seq = 9; c.next = 8);
	COVERS(false, c.next = 7);
	COVERS(false, c.base = 1; c.have = ~0ULL);
	COVERS(false, c.have = 3);
	COVERS(false, c.kind = FC_CTRL_GRANT);
	COVERS(false, c.dst = 9);
	COVERS(false, c.incarnation = 9);
	COVERS(false, c.sock = 9);
	COVERS(false, c.site = 9);
	COVERS(false, c.port = 9);
#undef COVERS
	c = old;
	c.kind = FC_CTRL_NO_SPACE;
	CHECK(!fc_ctrl_covers(&old, &c), "only what is a confirmation");
}

/* Build a valid head of @n targets.  Return: its size. */
static u32 random_head(u8 *head, unsigned int n, struct fc_packet *pk, struct fc_target *targets)
{
	*pk = (struct fc_packet){
		.src = tap_random(NSITES), .incarnation = random32(), .sock = random32() >> 1,
		.src_port = (u16)random32(), .ntargets = (u8)n, .id = random32(),
		.msg_len = tap_random(3) ? tap_random(3000) : tap_random(FC_MESSAGE_MAX + 1),
		.hops = (u16)tap_random(FC_HOPS_MAX), .copied = (u8)tap_random(4),
		.flags = tap_random(2) ? FC_PACKET_LIST | (n == 1 ? FC_PACKET_APART : 0) : 0,
	};
	if (n == 1 && !pk->flags) {
		pk->kind = (u8)tap_random(FC_KIND_COUNT);
		if (pk->kind != FC_KIND_MESSAGE && pk->kind != FC_KIND_DATA)
			pk->msg_len = pk->kind == FC_KIND_DATAGRAM ? tap_random(3000) : 0;
	}
	if (pk->msg_len <= FC_PACKET_MAX && tap_random(2) &&
	    (pk->kind == FC_KIND_MESSAGE || pk->kind == FC_KIND_DATA))
		pk->flags |= FC_PACKET_DELAY_ACK;
	pk->flags |= tap_random(4) ? 0 : FC_PACKET_LOCATE;
	if (pk->msg_len)
		pk->offset = tap_random((pk->msg_len - 1) / FC_PACKET_MAX + 1) * FC_PACKET_MAX;
	pk->sum = tap_random(~0U);
	fc_wire_packet_encode(head, pk);
	for (unsigned int i = 0; i < n; i++) {
		struct fc_target *t = &targets[i];

		*t = (struct fc_target){
			.site = tap_random(NSITES), .port = (u16)(1 + tap_random(0xffff)),
			.flags = i == n - 1 ? FC_TARGET_LAST : 0,
			.outstanding = (u8)tap_random(FC_FLOW_WINDOW),
			.off = tap_random(pk->msg_len + 1), .seq = random32(),
		};
		t->len = tap_random(pk->msg_len - t->off + 1);
		fc_wire_target_encode(head, i, t);
	}
	return fc_head_size(n);
}

static bool packet_equal(const struct fc_packet *a, const struct fc_packet *b)
{
	return a->src == b->src && a->incarnation == b->incarnation && a->sock == b->sock &&
	       a->src_port == b->src_port && a->ntargets == b->ntargets && a->id == b->id &&
	       a->msg_len == b->msg_len && a->offset == b->offset &&
	       a->hops == b->hops && a->flags == b->flags &&
	       a->copied == b->copied && a->kind == b->kind;
}

static bool target_equal(const struct fc_target *a, const struct fc_target *b)
{
	return !memcmp(a, b, sizeof(*a));	/* no padding */
}

TEST(wire_head__golden_bytes)
{
	static const u8 golden[FC_PACKET_SIZE + FC_TARGET_SIZE] = {
		0, 0, 0, 63, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 11, 12, 13, 14,
		0, 2, 0, 0, 0, 1, 0, 0, 41, 42, 43, 44, 0, 17, 0, 4,
		0, 0, 0, 42, 0x12, 0x34, 1, 15, 0, 0, 1, 0, 0, 0, 0, 2, 21, 22, 23, 24,
	};
	const struct fc_packet pk = {
		.src = 63, .incarnation = 0x01020304, .sock = 0x05060708, .src_port = 0x090a,
		.ntargets = 1, .id = 0x0b0c0d0e, .msg_len = 2 * FC_PACKET_MAX,
		.offset = FC_PACKET_MAX, .sum = 0x292a2b2c, .hops = 17,
		.kind = FC_KIND_DATA,
	};
	const struct fc_target t = {
		.site = 42, .port = 0x1234, .flags = FC_TARGET_LAST, .outstanding = 15, .off = 256,
		.len = 2, .seq = 0x15161718,
	};
	u8 p[sizeof(golden)];

	fc_wire_packet_encode(p, &pk);
	fc_wire_target_encode(p, 0, &t);
	CHECK(!memcmp(p, golden, sizeof(p)), "layout");
	CHECK(fc_wire_head_check(p, FC_PART_HEAD, sizeof(p) + 100, NSITES), "refused");
}

TEST(wire_plain__is_what_most_frames_are)
{
	const struct fc_packet pk = { .src = 3, .ntargets = 1, .msg_len = 64,
				      .flags = FC_PACKET_DELAY_ACK };
	const struct fc_target t = { .site = 5, .port = 9, .flags = FC_TARGET_LAST };
	const struct fc_link_hdr is = {
		.type = FC_FRAME_FLIT, .vc = FC_VC_CLASS + 2, .len = 120, .epoch = 0x0102,
		.flags = FC_PART_HEAD | FC_PART_TERM, .seq = 0x03040506, .ack = 0x0708090a,
	};
	u8 p[FC_PLAIN_MIN + 64] = { 0 }, *head = p + FC_LINK_SIZE;
	u32 i, total = sizeof(p), len = total - FC_LINK_SIZE;
	struct fc_link_hdr h;

	fc_wire_link_encode(p, &is);
	fc_wire_packet_encode(head, &pk);
	fc_wire_target_encode(head, 0, &t);
	CHECK(fc_link_plain(p, total) && fc_head_plain(head, len, NSITES), "refused");
	CHECK(!fc_link_plain(p, total + 1), "the device has padded it");
	CHECK(!fc_head_plain(head, len + 1, NSITES), "another length");
	CHECK(!fc_head_plain(head, len, 5), "no such site");
	/* Whichever byte is changed, the fast checks accept no frame that the decoders refuse. */
	for (i = 0; i < FC_PLAIN_MIN * 256; i++) {
		u8 was = p[i / 256];
		bool link, packet;

		p[i / 256] = (u8)i;
		link = fc_wire_link_decode(&h, p, total, total);
		packet = fc_wire_head_size(head, len) &&
			 fc_wire_head_size(head, len) <= len &&
			 fc_wire_head_check(head, FC_PART_HEAD, len, NSITES);
		CHECK(link || !fc_link_plain(p, total), "byte %u is %u", i / 256, i % 256);
		CHECK(!fc_link_plain(p, total) ||
		      (h.type == FC_FRAME_FLIT && h.flags == (FC_PART_HEAD | FC_PART_TERM) &&
		       !h.summed && h.vc >= FC_VC_CLASS && h.len == len &&
		       fc_wire_ntargets(head) == 1),
		      "byte %u is %u: another frame", i / 256, i % 256);
		CHECK(packet || !fc_head_plain(head, len, NSITES), "byte %u is %u", i / 256,
		      i % 256);
		p[i / 256] = was;
	}
	fc_link_readdress(p, FC_VC_CLASS, 0x1112, 0x13141516, 0x1718191a);
	CHECK(fc_wire_link_decode(&h, p, total, total) && h.vc == FC_VC_CLASS &&
	      h.epoch == 0x1112 && h.seq == 0x13141516 && h.ack == 0x1718191a && h.len == len &&
	      h.flags == is.flags, "another link");
}

TEST(wire_head__round_trip)
{
	struct fc_target targets[FC_TARGETS_MAX], t;
	struct fc_packet pk, got;

	for (unsigned int i = 0; i < 3000; i++) {
		unsigned int n = 1 + tap_random(FC_TARGETS_MAX);
		u8 *head = malloc(fc_head_size(n));
		u32 size = random_head(head, n, &pk, targets), data = fc_packet_data(&pk);

		CHECK(fc_wire_head_size(head, size) == size, "%u", n);
		CHECK(fc_wire_head_check(head, FC_PART_HEAD | FC_PART_TERM, size + data,
					 NSITES), "whole packet");
		CHECK(fc_wire_head_check(head, FC_PART_HEAD, size, NSITES), "head alone");
		CHECK(fc_wire_head_check(head, FC_PART_HEAD, size + data, NSITES), "no end");
		if (data) {
			CHECK(fc_wire_head_check(head, FC_PART_HEAD, size + data - 1,
						 NSITES), "part of the data");
			CHECK(!fc_wire_head_check(head, FC_PART_HEAD | FC_PART_TERM,
						  size + data - 1, NSITES), "too short");
		}
		CHECK(!fc_wire_head_check(head, FC_PART_HEAD, size + data + 1, NSITES),
		      "too long");
		CHECK(!fc_wire_head_check(head, FC_PART_HEAD | FC_PART_TERM,
					  size + data + 1, NSITES), "too long");
		CHECK(!fc_wire_head_check(head, FC_PART_HEAD, size - 1, NSITES), "list cut");
		fc_wire_packet_decode(&got, head);
		CHECK(packet_equal(&pk, &got) && pk.sum == got.sum, "packet header");
		CHECK(fc_wire_ntargets(head) == n && fc_wire_data_len(head) == data &&
		      fc_wire_hops(head) == pk.hops, "single fields");
		for (unsigned int j = 0; j < n; j++) {
			fc_wire_target_decode(&t, head, j);
			CHECK(target_equal(&t, &targets[j]), "target %u of %u", j, n);
			CHECK(fc_wire_target_site(head, j) == t.site, "target %u of %u", j, n);
		}
		free(head);
	}
}

TEST(wire_head__every_truncation)
{
	u8 full[FC_PACKET_SIZE + 3 * FC_TARGET_SIZE];
	struct fc_target targets[3];
	struct fc_packet pk;
	u32 size = random_head(full, 3, &pk, targets);

	for (u32 n = 0; n <= size; n++) {
		u8 *p = block(full, n);
		u32 claimed = fc_wire_head_size(p, n);

		CHECK(claimed == (n < FC_PACKET_SIZE ? 0 : size), "%u bytes: %u", n, claimed);
		/* Like a runner: read on only if the whole list is readable. */
		if (claimed && claimed <= n)
			CHECK(fc_wire_head_check(p, FC_PART_HEAD, n, NSITES), "%u bytes", n);
		free(p);
	}
}

/* Make every access of a runner to a head that it accepts. */
static bool use_head(const u8 *bytes, u32 n, u8 flags, u32 len)
{
	u32 size = fc_wire_head_size(bytes, n);
	struct fc_packet pk;
	struct fc_target t;
	u8 *again, *branch;

	if (!size || size > n || !fc_wire_head_check(bytes, flags, len, NSITES))
		return false;
	fc_wire_packet_decode(&pk, bytes);
	CHECK(pk.src < NSITES && pk.ntargets && pk.ntargets <= FC_TARGETS_MAX &&
	      pk.msg_len <= FC_MESSAGE_MAX && pk.offset <= pk.msg_len &&
	      fc_packet_data(&pk) <= FC_PACKET_MAX &&
	      fc_packet_data(&pk) <= pk.msg_len - pk.offset, "packet");
	again = malloc(fc_head_size(pk.ntargets));
	fc_wire_packet_encode(again, &pk);
	for (unsigned int i = 0; i < pk.ntargets; i++) {
		fc_wire_target_decode(&t, bytes, i);
		CHECK(t.site < NSITES && t.port && t.outstanding < FC_FLOW_WINDOW &&
		      t.off <= pk.msg_len && t.len <= pk.msg_len - t.off, "target %u", i);
		fc_wire_target_encode(again, i, &t);
	}
	CHECK(pk.bitmap || !memcmp(again, bytes, size), "says something else");
	free(again);
	branch = malloc(FC_PACKET_SIZE + FC_TARGET_SIZE);
	CHECK(fc_wire_head_subset(branch, bytes, fc_bit64(pk.ntargets - 1), 1) ==
	      FC_PACKET_SIZE + FC_TARGET_SIZE, "branch");
	free(branch);
	return true;
}

TEST(wire_head__every_byte_corrupted)
{
	struct fc_target targets[3];
	struct fc_packet pk;

	for (unsigned int i = 0; i < TAP_ROUNDS(10); i++) {
		unsigned int n = 1 + i % 3;
		u8 *head = malloc(fc_head_size(n));
		u32 size = random_head(head, n, &pk, targets);

		for (unsigned int term = 0; term < 2; term++) {
			u8 flags = (u8)(FC_PART_HEAD | (term ? FC_PART_TERM : 0));
			u32 len = size + (term ? fc_packet_data(&pk) : 0);

			CHECK(use_head(head, size, flags, len), "good one");
			for (u32 at = 0; at < size; at++) {
				const u8 was = head[at];

				for (unsigned int v = 0; v < 256; v++) {
					head[at] = (u8)v;
					use_head(head, size, flags, len);
				}
				head[at] = was;
			}
		}
		free(head);
	}
}

TEST(wire_bcast__golden_bytes)
{
	static const u8 golden[FC_PACKET_SIZE + FC_TARGET_SIZE] = {
		0, 0, 0, 63, 1, 2, 3, 4, 0x80, 6, 7, 8, 9, 10, 0, 1, 11, 12, 13, 14,
		0, 0, 0, 100, 0, 0, 0, 0, 41, 42, 43, 44, 0, 3, 0, 0,
		31, 32, 33, 34, 0x12, 0x34, 1, 15, 0, 0, 0, 6, 0, 0, 0, 5, 21, 22, 23, 24,
	};
	const struct fc_packet pk = {
		.src = 63, .incarnation = 0x01020304, .sock = 0x80060708, .src_port = 0x090a,
		.ntargets = 1, .id = 0x0b0c0d0e, .msg_len = 100, .sum = 0x292a2b2c, .hops = 3,
	};
	const struct fc_bcast_hdr c = {
		.number = 0x1f202122, .port = 0x1234, .copies = 6, .outstanding = 15, .label = 5,
		.seq = 0x15161718,
	};
	u8 p[sizeof(golden)];

	fc_wire_packet_encode(p, &pk);
	fc_wire_bcast_encode(p, &c);
	CHECK(!memcmp(p, golden, sizeof(p)), "layout");
	CHECK(fc_wire_bcast_check(p, FC_PART_HEAD | FC_PART_TERM, sizeof(p) + 100, NSITES), "all");
	CHECK(fc_wire_bcast_check(p, FC_PART_HEAD, sizeof(p) + 99, NSITES), "part");
	fc_wire_bcast_hop(p, 2);
	CHECK(p[33] == 4 && p[FC_PACKET_SIZE + 15] == 2, "a hop");
	p[33] = 3;
	p[FC_PACKET_SIZE + 15] = 5;
	CHECK(!memcmp(p, golden, sizeof(p)), "a hop changes nothing else");
}

TEST(wire_bcast__refuses)
{
	const struct fc_packet good_pk = {
		.src = 3, .sock = FC_SOCK_BCAST, .ntargets = 1, .msg_len = 100,
	};
	const struct fc_bcast_hdr good = { .port = 5, .copies = 1 };
	u8 p[FC_PACKET_SIZE + FC_TARGET_SIZE];

#define REFUSED(change)	do {								\
	struct fc_packet pk = good_pk;							\
	struct fc_bcast_hdr c = good;							\
											\
	change;										\
	fc_wire_packet_encode(p, &pk);							\
	fc_wire_bcast_encode(p, &c);							\
	CHECK(!fc_wire_bcast_check(p, FC_PART_HEAD, sizeof(p) + 50, NSITES), "%s", #change); \
} while (0)
	REFUSED(pk.src = NSITES);
	REFUSED(pk.sock = 1);
	REFUSED(pk.ntargets = 2);
	REFUSED(pk.msg_len = FC_PACKET_MAX + 1);
	REFUSED(pk.msg_len = 49);
	REFUSED(pk.offset = FC_PACKET_MAX);
	REFUSED(pk.flags = FC_PACKET_LIST);
	REFUSED(pk.flags = FC_PACKET_DELAY_ACK);
	REFUSED(pk.kind = FC_KIND_DATA);
	REFUSED(c.port = 0);
	REFUSED(c.copies = 0);
	REFUSED(c.copies = FC_COPIES_MAX + 1);
	REFUSED(c.outstanding = FC_FLOW_WINDOW);
	REFUSED(c.label = FC_LABELS_MAX);
#undef REFUSED
	fc_wire_packet_encode(p, &good_pk);
	fc_wire_bcast_encode(p, &good);
	CHECK(fc_wire_bcast_check(p, FC_PART_HEAD, sizeof(p) + 50, NSITES), "the good one");
	CHECK(!fc_wire_bcast_check(p, FC_PART_HEAD | FC_PART_TERM, sizeof(p) + 50, NSITES), "cut");
	CHECK(!fc_wire_bcast_check(p, FC_PART_HEAD, sizeof(p) + 101, NSITES), "long");
	CHECK(!fc_wire_bcast_check(p, FC_PART_HEAD, sizeof(p) - 1, NSITES), "cut");
	CHECK(!fc_wire_head_check(p, FC_PART_HEAD, sizeof(p) + 50, NSITES), "as a packet");
}

TEST(wire_head__random_bytes)
{
	for (unsigned int i = 0; i < TAP_ROUNDS(100000); i++) {
		u32 n = tap_random(200);
		u8 *p = malloc(n ? n : 1);

		for (u32 j = 0; j < n; j++)
			p[j] = tap_random(2) ? 0 : (u8)tap_random(256);
		use_head(p, n, (u8)(FC_PART_HEAD | (tap_random(2) ? FC_PART_TERM : 0)),
			 tap_random(1500));
		free(p);
	}
}

TEST(wire_head__refuses)
{
	struct fc_target targets[2];
	struct fc_packet pk, bad;
	u8 head[FC_PACKET_SIZE + 2 * FC_TARGET_SIZE];
	struct fc_target t;
	u32 size;

	do {
		size = random_head(head, 2, &pk, targets);
	} while (pk.msg_len < 2 * FC_PACKET_MAX || pk.offset + FC_PACKET_MAX >= pk.msg_len);
	REQUIRE(fc_wire_head_check(head, FC_PART_HEAD, size, NSITES), "good one");

#define REFUSED(change) do {								\
	bad = pk;									\
	bad.change;									\
	fc_wire_packet_encode(head, &bad);						\
	CHECK(!fc_wire_head_check(head, FC_PART_HEAD, size, NSITES), #change);		\
	fc_wire_packet_encode(head, &pk);						\
} while (0)
	REFUSED(src = NSITES);
	REFUSED(src = FC_SITE_NONE);
	REFUSED(ntargets = 0);
	REFUSED(ntargets = 1);
	REFUSED(ntargets = 3);
	REFUSED(bitmap = 1);
	REFUSED(bitmap = FC_BITMAP_MAX);
	REFUSED(ntargets = FC_TARGETS_MAX + 1);
	REFUSED(msg_len = FC_MESSAGE_MAX + 1);
	REFUSED(msg_len = pk.offset);
	REFUSED(offset = pk.offset + 1);
	REFUSED(offset = 0x7fff0000);
	REFUSED(flags = 2);
	REFUSED(flags = 0x80);
	/* A message of several packets. */
	REFUSED(flags = FC_PACKET_DELAY_ACK);
	REFUSED(kind = FC_KIND_DATA);
	REFUSED(kind = FC_KIND_COUNT);
	REFUSED(kind = 0xff);
#undef REFUSED
#define REFUSED(i, change) do {								\
	t = targets[i];									\
	t.change;									\
	fc_wire_target_encode(head, i, &t);						\
	CHECK(!fc_wire_head_check(head, FC_PART_HEAD, size, NSITES), #change);		\
	fc_wire_target_encode(head, i, &targets[i]);					\
} while (0)
	REFUSED(0, site = NSITES);
	REFUSED(1, site = FC_SITE_NONE);
	REFUSED(0, port = 0);
	REFUSED(0, flags = FC_TARGET_LAST);
	REFUSED(1, flags = 0);
	REFUSED(1, flags = FC_TARGET_LAST | 2);
	REFUSED(0, outstanding = FC_FLOW_WINDOW);
	REFUSED(0, off = pk.msg_len + 1);
	REFUSED(0, len = pk.msg_len - t.off + 1);
	REFUSED(1, len = 0xffffffff);
#undef REFUSED
}

/* Every kind, with one target and more, with and without a list, and with and without data. */
TEST(wire_head__kinds)
{
	u8 head[FC_PACKET_SIZE + 2 * FC_TARGET_SIZE];
	struct fc_packet pk;

	for (unsigned int i = 0; i < 256 * 8; i++) {
		const unsigned int kind = i / 8, n = 1 + (i & 1);
		bool list = i & 2, data = i & 4, valid = kind == FC_KIND_MESSAGE;

		pk = (struct fc_packet){
			.ntargets = (u8)n, .flags = list ? FC_PACKET_LIST : 0,
			.msg_len = data ? 100 : 0, .kind = (u8)kind,
		};
		fc_wire_packet_encode(head, &pk);
		for (unsigned int j = 0; j < n; j++) {
			struct fc_target t = {
				.port = 1, .flags = j == n - 1 ? FC_TARGET_LAST : 0,
			};

			fc_wire_target_encode(head, j, &t);
		}
		if (kind == FC_KIND_DATA || kind == FC_KIND_DATAGRAM)
			valid = (n == 1 || kind == FC_KIND_DATAGRAM) && !list;
		else if (kind > FC_KIND_MESSAGE && kind < FC_KIND_COUNT)
			valid = n == 1 && !list && !data;
		CHECK(fc_wire_head_check(head, FC_PART_HEAD, fc_head_size(n), NSITES) == valid,
		      "kind %u, %u targets, list %d, data %d", kind, n, list, data);
	}
}

/* Check every subset of a short list, in every position that the interface allows. */
static void check_subset(const u8 *head, unsigned int n, const struct fc_packet *pk,
			 const struct fc_target *targets, u64 mask, u32 shift, bool apart)
{
	u32 size = fc_head_size(n);
	unsigned int k = (unsigned int)__builtin_popcountll(mask);
	u8 *src = malloc(size);
	u8 *dst = apart ? malloc(fc_head_size(k)) : src + shift;
	struct fc_packet got;
	struct fc_target t;
	unsigned int j = 0;

	memcpy(src, head, size);
	CHECK(fc_wire_head_subset(dst, src, mask, 3) == fc_head_size(k), "%u of %u", k, n);
	fc_wire_packet_decode(&got, dst);
	CHECK(got.ntargets == k && got.hops == pk->hops + 3, "mask %llx shift %u",
	      (unsigned long long)mask, shift);
	got.ntargets = pk->ntargets;
	got.hops = pk->hops;
	CHECK(packet_equal(&got, pk), "mask %llx shift %u", (unsigned long long)mask, shift);
	for (unsigned int i = 0; i < n; i++) {
		if (!(mask >> i & 1))
			continue;
		fc_wire_target_decode(&t, dst, j++);
		CHECK(t.flags == (j == k ? FC_TARGET_LAST : 0), "mask %llx shift %u",
		      (unsigned long long)mask, shift);
		t.flags = targets[i].flags;
		CHECK(target_equal(&t, &targets[i]), "mask %llx shift %u: target %u",
		      (unsigned long long)mask, shift, i);
	}
	CHECK(fc_wire_head_check(dst, FC_PART_HEAD, fc_head_size(k), NSITES), "mask %llx shift %u",
	      (unsigned long long)mask, shift);
	if (apart) {
		CHECK(!memcmp(src, head, size), "wrote to the original");
		free(dst);
	}
	free(src);
}

TEST(wire_head_subset__all_of_short_lists)
{
	struct fc_target targets[7];
	struct fc_packet pk;

	for (unsigned int n = 1; n <= 7; n++) {
		u8 *head = malloc(fc_head_size(n));

		random_head(head, n, &pk, targets);
		for (u64 mask = 1; mask < fc_bit64(n); mask++) {
			u32 drop = n - (unsigned int)__builtin_popcountll(mask);

			check_subset(head, n, &pk, targets, mask, 0, true);
			check_subset(head, n, &pk, targets, mask, 0, false);
			check_subset(head, n, &pk, targets, mask, drop * FC_TARGET_SIZE, false);
		}
		free(head);
	}
}

TEST(wire_head_subset__random_of_long_lists)
{
	struct fc_target targets[FC_TARGETS_MAX];
	struct fc_packet pk;

	for (unsigned int i = 0; i < 1000; i++) {
		unsigned int n = FC_TARGETS_MAX - tap_random(3);
		u8 *head = malloc(fc_head_size(n));
		u64 mask;
		u32 drop;

		random_head(head, n, &pk, targets);
		do {
			mask = (u64)random32() << 32 | random32();
			mask &= n == 64 ? ~0ULL : fc_bit64(n) - 1;
		} while (!mask);
		drop = n - (unsigned int)__builtin_popcountll(mask);
		check_subset(head, n, &pk, targets, mask, 0, true);
		check_subset(head, n, &pk, targets, mask, 0, false);
		check_subset(head, n, &pk, targets, mask, drop * FC_TARGET_SIZE, false);
		free(head);
	}
}

/*
 * Lists with a bitmap of the target sites.
 */

#define MANY_SITES	4096

/* A list of @n targets that differ only in their site, in order.  Return: size with entries. */
static u32 alike_head(u8 *head, unsigned int n, u32 span, struct fc_packet *pk,
		      struct fc_target *targets)
{
	u32 size = random_head(head, n, pk, targets), base = tap_random(MANY_SITES - span + 1);
	bool taken[MANY_SITES] = { false };
	unsigned int i = 0;

	while (i < n) {
		u32 site = tap_random(span);

		i += !taken[site];
		taken[site] = true;
	}
	for (u32 site = 0, at = 0; at < n; site++) {
		if (!taken[site])
			continue;
		targets[at] = targets[0];
		targets[at].site = base + site;
		targets[at].flags = at == n - 1 ? FC_TARGET_LAST : 0;
		fc_wire_target_encode(head, at, &targets[at]);
		at++;
	}
	return size;
}

/* Encode the same targets in the shorter form, from sites in random order. */
static u32 shorter_head(u8 *head, const u8 *entries, u32 n, const struct fc_target *targets)
{
	u32 site[FC_TARGETS_MAX], size;

	for (u32 i = 0; i < n; i++)
		site[i] = targets[i].site;
	for (u32 i = n; i-- > 1;) {
		u32 at = tap_random(i + 1), was = site[i];

		site[i] = site[at];
		site[at] = was;
	}
	memcpy(head, entries, FC_PACKET_SIZE);
	size = fc_wire_sites_encode(head, &targets[tap_random(n)], site, n);
	CHECK(fc_wire_sites_size(site, n) == size, "%u targets", n);
	return size;
}

static void check_alike_subset(const u8 *head, u32 size, const u8 *entries, u64 mask)
{
	unsigned int k = (unsigned int)__builtin_popcountll(mask);
	u8 *plain = malloc(fc_head_size(k)), *apart, *same = malloc(size), *above = malloc(size);
	u32 less = fc_wire_subset_size(head, mask, k), sites[FC_TARGETS_MAX];
	struct fc_target a, b;

	CHECK(less <= size, "%u bytes, not %u", less, size);
	apart = malloc(less);
	memcpy(same, head, size);
	memcpy(above, head, size);
	fc_wire_head_subset(plain, entries, mask, 3);
	CHECK(fc_wire_head_subset(apart, head, mask, 3) == less, "size");
	CHECK(fc_wire_head_subset(same, same, mask, 3) == less, "size");
	CHECK(fc_wire_head_subset(above + size - less, above, mask, 3) == less, "size");
	CHECK(!memcmp(apart, same, less) && !memcmp(apart, above + size - less, less), "overlaps");
	CHECK(fc_wire_head_len(apart) == less && fc_wire_ntargets(apart) == k, "%u targets", k);
	CHECK(fc_wire_head_check(apart, FC_PART_HEAD, less, MANY_SITES), "%u targets", k);
	CHECK(k > 1 || (!fc_wire_mapped(apart) && !memcmp(apart, plain, less)), "one target");
	CHECK(!memcmp(apart, plain, FC_AT_BITMAP) &&
	      !memcmp(apart + FC_AT_NTARGETS, plain + FC_AT_NTARGETS,
		      FC_PACKET_SIZE - FC_AT_NTARGETS), "packet header");
	CHECK(fc_wire_target_sites(sites, apart) == k, "%u targets", k);
	for (unsigned int i = 0; i < k; i++) {
		fc_wire_target_decode(&a, apart, i);
		fc_wire_target_decode(&b, plain, i);
		CHECK(target_equal(&a, &b) && sites[i] == b.site &&
		      fc_wire_target_site(apart, i) == b.site, "target %u of %u", i, k);
	}
	CHECK(less == fc_wire_sites_size(sites, k), "not the shorter form");
	free(plain);
	free(apart);
	free(same);
	free(above);
}

TEST(wire_bitmap__golden_bytes)
{
	static const u8 golden[] = {
		0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 4, 0, 0, 0, 0,
		0, 0, 0, 100, 0, 0, 0, 0, 41, 42, 43, 44, 0, 0, 0, 0,
		0, 0, 0, 10, 0x12, 0x34, 1, 2, 0, 0, 0, 7, 0, 0, 0, 8, 21, 22, 23, 24,
		0x83, 0x40,
	};
	static const u32 site[] = { 24, 10, 17, 11 };
	const struct fc_packet pk = { .src = 1, .msg_len = 100, .sum = 0x292a2b2c };
	const struct fc_target t = {
		.port = 0x1234, .outstanding = 2, .off = 7, .len = 8, .seq = 0x15161718,
	};
	u8 p[sizeof(golden)];

	fc_wire_packet_encode(p, &pk);
	CHECK(fc_wire_sites_encode(p, &t, site, 4) == sizeof(golden), "size");
	CHECK(!memcmp(p, golden, sizeof(p)), "other bytes");
	CHECK(fc_wire_head_check(p, FC_PART_HEAD, sizeof(p), 25), "refused");
	CHECK(!fc_wire_head_check(p, FC_PART_HEAD, sizeof(p), 24), "beyond the topology");
}

TEST(wire_bitmap__round_trip)
{
	u8 entries[FC_PACKET_SIZE + FC_TARGETS_MAX * FC_TARGET_SIZE];
	struct fc_target targets[FC_TARGETS_MAX], t;
	struct fc_packet pk, got;
	u32 sites[FC_TARGETS_MAX];
	unsigned int mapped = 0;

	for (unsigned int i = 0; i < 3000; i++) {
		u32 n = 2 + tap_random(FC_TARGETS_MAX - 1);
		u32 span = n + tap_random(tap_random(2) ? 64 : 3000);
		u32 plain = alike_head(entries, n, span, &pk, targets);
		u32 bytes = (targets[n - 1].site - targets[0].site) / 8 + 1;
		u32 want = fc_head_size(1) + bytes, data = fc_packet_data(&pk);
		u8 *head;
		u32 size;

		if (bytes > FC_BITMAP_MAX || want >= plain)
			want = plain;
		head = malloc(want);
		size = shorter_head(head, entries, n, targets);
		CHECK(size == want, "%u bytes, not %u", size, want);
		if (!fc_wire_mapped(head)) {
			free(head);
			continue;
		}
		mapped++;
		CHECK(fc_wire_head_size(head, FC_PACKET_SIZE) == size, "size");
		CHECK(fc_wire_head_len(head) == size, "size");
		CHECK(fc_wire_head_check(head, FC_PART_HEAD | FC_PART_TERM, size + data,
					 MANY_SITES), "whole packet");
		CHECK(fc_wire_head_check(head, FC_PART_HEAD, size, MANY_SITES), "head alone");
		CHECK(!fc_wire_head_check(head, FC_PART_HEAD, size - 1, MANY_SITES), "cut");
		CHECK(!fc_wire_head_check(head, FC_PART_HEAD, size + data + 1, MANY_SITES),
		      "too long");
		CHECK(fc_wire_head_check(head, FC_PART_HEAD, size, targets[n - 1].site + 1) ||
		      pk.src > targets[n - 1].site, "the last site");
		CHECK(!fc_wire_head_check(head, FC_PART_HEAD, size, targets[n - 1].site),
		      "a site that is none");
		fc_wire_packet_decode(&got, head);
		CHECK(got.bitmap == bytes, "%u bytes", bytes);
		CHECK(packet_equal(&pk, &got), "packet header");
		CHECK(fc_wire_target_sites(sites, head) == n, "%u targets", n);
		for (u32 j = 0; j < n; j++) {
			fc_wire_target_decode(&t, head, j);
			CHECK(target_equal(&t, &targets[j]), "target %u of %u", j, n);
			CHECK(fc_wire_target_site(head, j) == t.site && sites[j] == t.site,
			      "target %u of %u", j, n);
		}
		free(head);
	}
	CHECK(mapped > 1000, "%u bitmaps", mapped);
}

TEST(wire_bitmap__subsets)
{
	u8 entries[FC_PACKET_SIZE + FC_TARGETS_MAX * FC_TARGET_SIZE];
	struct fc_target targets[FC_TARGETS_MAX];
	u8 head[sizeof(entries)];
	struct fc_packet pk;

	for (unsigned int i = 0; i < TAP_ROUNDS(2000); i++) {
		u32 n = i % 2 ? 2 + tap_random(7) : FC_TARGETS_MAX - tap_random(3);
		u32 span = n + tap_random(i % 4 < 2 ? 16 : 1000);
		u64 all = n == 64 ? ~(u64)0 : fc_bit64(n) - 1, mask;
		u32 size;

		alike_head(entries, n, span, &pk, targets);
		size = shorter_head(head, entries, n, targets);
		if (!fc_wire_mapped(head))
			continue;
		for (unsigned int k = 0; k < 20; k++) {
			mask = ((u64)random32() << 32 | random32()) & all;
			if (k % 2)
				mask &= (u64)random32() << 32 | random32();
			if (k % 4 == 3)
				mask &= (u64)random32() << 32 | random32();
			if (mask)
				check_alike_subset(head, size, entries, mask);
		}
		check_alike_subset(head, size, entries, all);
		for (u64 rest = all; rest; rest &= rest - 1)
			check_alike_subset(head, size, entries, rest & -rest);
	}
}

TEST(wire_bitmap__refuses)
{
	/* Four targets of sites 10 to 24: one entry, and 2 bytes. */
	static const u32 site[] = { 10, 11, 17, 24 };
	const struct fc_packet pk = { .src = 1, .msg_len = 100 };
	struct fc_target t = { .port = 1, .flags = FC_TARGET_LAST, .site = 10 };
	u8 good[FC_PACKET_SIZE + FC_TARGETS_MAX * FC_TARGET_SIZE] = { 0 }, head[sizeof(good)];
	struct fc_target bad;

	fc_wire_packet_encode(good, &pk);
	fc_wire_sites_encode(good, &t, site, 4);

#define IS(valid, change) do {								\
	memcpy(head, good, sizeof(head));						\
	change;										\
	CHECK((fc_wire_head_size(head, FC_PACKET_SIZE) &&				\
	       fc_wire_head_check(head, FC_PART_HEAD, fc_wire_head_len(head), NSITES)) == (valid), \
	      #change);									\
} while (0)
	IS(true, (void)0);
	IS(true, head[56] = 0xc1);
	/* Fewer bits than targets, and more bits than targets. */
	IS(false, head[56] = 0x81);
	IS(false, head[56] = 0x87);
	IS(false, head[FC_AT_NTARGETS] = 3);
	IS(false, head[FC_AT_NTARGETS] = 5);
	IS(false, head[FC_AT_NTARGETS] = 1);
	IS(false, head[FC_AT_NTARGETS] = 0);
	IS(false, head[FC_AT_NTARGETS] = FC_TARGETS_MAX + 1);
	/* The first bit is not set; the last byte is 0. */
	IS(false, head[56] = 0x86);
	IS(false, (head[56] = 0xc3, head[57] = 0));
	IS(false, head[FC_AT_BITMAP] = 3);
	/* The bitmap must be shorter than entries. */
	IS(true, (head[FC_AT_BITMAP] = 3, head[57] = 0, head[58] = 1));
	IS(true, (head[FC_AT_BITMAP] = 6, head[57] = 0, head[61] = 1));
	IS(false, (head[FC_AT_BITMAP] = 60, head[57] = 0, head[115] = 1));
	IS(true, (head[FC_AT_NTARGETS] = 2, head[56] = 1));
	IS(true, (head[FC_AT_NTARGETS] = 2, head[56] = 3, head[FC_AT_BITMAP] = 1));
	IS(false, (head[FC_AT_NTARGETS] = 1, head[56] = 1, head[FC_AT_BITMAP] = 1));
	/* Site 64 of a network of 64 sites. */
	IS(true, (head[FC_AT_BITMAP] = 7, head[57] = 0, head[62] = 0x20));
	IS(false, (head[FC_AT_BITMAP] = 7, head[57] = 0, head[62] = 0x40));
	IS(false, (bad = t, bad.site = NSITES, fc_wire_target_encode(head, 0, &bad)));
	IS(false, (bad = t, bad.site = FC_SITE_NONE, fc_wire_target_encode(head, 0, &bad)));
	IS(false, (bad = t, bad.port = 0, fc_wire_target_encode(head, 0, &bad)));
	IS(false, (bad = t, bad.flags = 0, fc_wire_target_encode(head, 0, &bad)));
	IS(false, (bad = t, bad.outstanding = FC_FLOW_WINDOW,
		   fc_wire_target_encode(head, 0, &bad)));
	IS(false, (bad = t, bad.off = 101, fc_wire_target_encode(head, 0, &bad)));
	IS(false, (bad = t, bad.len = 101, fc_wire_target_encode(head, 0, &bad)));
	/* Flags that need a single target. */
	IS(false, head[P_KIND] = FC_KIND_DATA);
	IS(false, head[FC_AT_FLAGS] = FC_PACKET_LIST | FC_PACKET_APART);
	IS(true, head[FC_AT_FLAGS] = FC_PACKET_LIST);
#undef IS
	CHECK(!fc_wire_head_check(good, FC_PART_HEAD, 57, NSITES), "cut");
	CHECK(!fc_wire_head_check(good, FC_PART_HEAD | FC_PART_TERM, 157, NSITES), "cut");
	CHECK(!fc_wire_bcast_check(good, FC_PART_HEAD, 58, NSITES), "as a broadcast");
}

static struct fc_csr_frame csr_random(void)
{
	struct fc_csr_frame f = {
		.msg = {
			.type = (u8)(1 + tap_random(FC_CSR_TYPES - 1)),
			.id = { random32(), random32(), random32() },
			.epoch = random32(), .units = random32(), .lead = random32(),
			.span = random32(), .floor = random32(),
		},
	};

	if (f.msg.type == FC_CSR_PROBE) {
		f.class = (u8)tap_random(64);
		f.n = (u8)(1 + tap_random(FC_TARGETS_MAX));
	}
	for (u32 i = 0; i < f.n; i++)
		f.site[i] = random32();
	return f;
}

TEST(wire_csr__round_trip)
{
	u8 p[FC_CSR_SIZE + 4 * FC_TARGETS_MAX];

	for (u32 i = 0; i < TAP_ROUNDS(10000); i++) {
		struct fc_csr_frame f = csr_random(), g;
		u32 size = fc_csr_frame_size(f.n);

		fc_wire_csr_encode(p, &f);
		REQUIRE(fc_wire_csr_decode(&g, p, size), "refused");
		CHECK(f.msg.type == g.msg.type && f.msg.id.site == g.msg.id.site &&
		      f.msg.id.number == g.msg.id.number && f.msg.id.attempt == g.msg.id.attempt &&
		      f.msg.epoch == g.msg.epoch && f.msg.units == g.msg.units, "another one");
		CHECK(f.msg.lead == g.msg.lead && f.msg.span == g.msg.span &&
		      f.msg.floor == g.msg.floor && f.class == g.class && f.n == g.n,
		      "another one");
		CHECK(!memcmp(f.site, g.site, 4 * f.n), "other targets");
		CHECK(!fc_wire_csr_decode(&g, p, size - 4), "cut short");
		CHECK(!fc_wire_csr_decode(&g, p, size + 4), "with more behind it");
	}
}

TEST(wire_csr__refuses)
{
	u8 p[FC_CSR_SIZE + 4] = { 0 };
	struct fc_csr_frame f = { .msg = { .type = FC_CSR_ACK, .lead = ~(u64)0 } };

	fc_wire_csr_encode(p, &f);
	REQUIRE(fc_wire_csr_decode(&f, p, FC_CSR_SIZE), "refused");
	CHECK(f.msg.lead == ~(u32)0, "no longest time");
	p[0] = 0;
	CHECK(!fc_wire_csr_decode(&f, p, FC_CSR_SIZE), "of no type");
	p[0] = FC_CSR_TYPES;
	CHECK(!fc_wire_csr_decode(&f, p, FC_CSR_SIZE), "of an unknown type");
	p[0] = FC_CSR_PROBE;
	CHECK(!fc_wire_csr_decode(&f, p, FC_CSR_SIZE), "a probe without targets");
	p[0] = FC_CSR_NACK;
	p[1] = 1;
	CHECK(!fc_wire_csr_decode(&f, p, FC_CSR_SIZE), "an answer with a class");
	p[1] = 0;
	p[3] = 1;
	CHECK(!fc_wire_csr_decode(&f, p, FC_CSR_SIZE + 4), "an answer with targets");
}
