// SPDX-License-Identifier: GPL-2.0
/* The checks of frames without a checksum: which damage they notice. */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "core/csr/wire_csr.h"
#include "core/wire/wire_check.h"
#include "core/wire/wire_faults.h"

/* The longest frame of the test. */
#define SIZE	(FC_LINK_SIZE + 600)

static u32 random32(void)
{
	return tap_random(0x10000) << 16 | tap_random(0x10000);
}

static struct fc_link_hdr random_frame(void)
{
	static const struct fc_link_hdr frames[] = {
		{ .type = FC_FRAME_FLIT, .vc = FC_VC_CLASS, .flags = FC_PART_HEAD, .len = 500 },
		{ .type = FC_FRAME_FLIT, .vc = FC_VC_BCAST, .flags = FC_PART_TERM | FC_PART_ABORT },
		{ .type = FC_FRAME_STATUS, .vc = FC_VC_CLASS, .len = FC_STATUS_SIZE },
		{ .type = FC_FRAME_CTRL, .len = 2 * FC_CTRL_SIZE },
		{ .type = FC_FRAME_FAULTS, .len = FC_FAULTS_SIZE + 3 * FC_FAULT_SIZE },
		{ .type = FC_FRAME_CSR, .len = FC_CSR_SIZE + 4 },
		{ .type = FC_FRAME_HELLO, .len = FC_HELLO_SIZE },
	};
	struct fc_link_hdr h = frames[tap_random(FC_ARRAY_SIZE(frames))];

	h.epoch = (u16)random32();
	h.seq = random32();
	h.ack = random32();
	return h;
}

/* Flip @n bits, the first and the last one and some between, from @bit on. */
static void flip(u8 *p, u32 bit, u32 n)
{
	u64 flips = n == 1 ? 1 : 1 | (u64)random32() << 1 | 1ULL << (n - 1);

	for (u32 k = 0; k < n; k++)
		if (flips >> k & 1)
			p[(bit + k) / 8] ^= (u8)(1 << (bit + k) % 8);
}

/* Is the frame taken for one that its sender made? */
static bool taken(const u8 *p, u32 len)
{
	struct fc_link_hdr got;

	return fc_wire_link_decode(&got, p, FC_LINK_SIZE, FC_LINK_SIZE + len) && !got.summed &&
	       (got.type == FC_FRAME_FLIT || got.sum == fc_wire_check(p, got.len));
}

/*
 * The check of a frame without a checksum notices single bits, and bursts of up to 32: of a flit in
 * its header, of another frame everywhere.
 */
TEST(wire_check__damage_is_noticed)
{
	u8 *p = malloc(SIZE), *was = malloc(SIZE);

	for (unsigned int i = 0; i < 200; i++) {
		struct fc_link_hdr h = random_frame();
		u32 covered, size = FC_LINK_SIZE + h.len;

		for (u32 k = 0; k < h.len; k++)
			p[FC_LINK_SIZE + k] = (u8)random32();
		fc_wire_frame_encode(p, &h);
		CHECK(taken(p, h.len), "type %u", h.type);
		covered = h.type == FC_FRAME_FLIT ? FC_LINK_SIZE : size;
		memcpy(was, p, size);
		for (u32 bit = 0; bit < 8 * covered; bit++) {
			for (u32 n = 1; n <= 32 && bit + n <= 8 * covered; n++) {
				flip(p, bit, n);
				CHECK(!taken(p, h.len), "type %u: %u bits from bit %u", h.type, n,
				      bit);
				memcpy(p, was, size);
			}
		}
	}
	free(was);
	free(p);
}

TEST(wire_check__golden_bytes)
{
	static const u8 flit[] = { 0x97, 0xde, 0x32, 0x74 };
	static const u8 status[] = { 0x87, 0xfb, 0x23, 0x78 };
	struct fc_link_hdr h = {
		.type = FC_FRAME_FLIT, .vc = FC_VC_CLASS, .len = 1500, .epoch = 0xabcd,
		.seq = 0x01020304, .ack = 0x0a0b0c0d,
	};
	u8 p[FC_LINK_SIZE + FC_STATUS_SIZE];

	for (u32 i = 0; i < FC_STATUS_SIZE; i++)
		p[FC_LINK_SIZE + i] = (u8)i;
	fc_wire_frame_encode(p, &h);
	CHECK(!memcmp(p + FC_LINK_SUM, flit, sizeof(flit)), "of a flit");
	h.type = FC_FRAME_STATUS;
	h.len = FC_STATUS_SIZE;
	fc_wire_frame_encode(p, &h);
	CHECK(!memcmp(p + FC_LINK_SUM, status, sizeof(status)), "of a status");
	/* The last bytes are no whole word. */
	CHECK(fc_wire_check(p, 13) != fc_wire_check(p, 14), "13 and 14 bytes");
}
