// SPDX-License-Identifier: GPL-2.0
/*
 * The authentication codes of frames, HMAC-SHA-256 (RFC 2104, FIPS 180-4) and SipHash-2-4, without
 * a library.
 */
#include <stdio.h>
#include <string.h>
#include "adversary.h"

#define BLOCK	64
#define WORDS	8

static const u32 rounds[BLOCK] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/**
 * struct sha - a hash being computed
 * @state: intermediate hash
 * @block: bytes that do not fill a block
 * @len: bytes so far
 */
struct sha {
	u32 state[WORDS];
	u8 block[BLOCK];
	u64 len;
};

static u32 rotate(u32 x, int n)
{
	return x >> n | x << (32 - n);
}

static void compress(struct sha *s)
{
	u32 w[BLOCK], v[WORDS], a, b;
	unsigned int i;

	for (i = 0; i < 16; i++)
		w[i] = (u32)s->block[4 * i] << 24 | (u32)s->block[4 * i + 1] << 16 |
		       (u32)s->block[4 * i + 2] << 8 | s->block[4 * i + 3];
	for (; i < BLOCK; i++) {
		a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
		b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
		w[i] = w[i - 16] + a + w[i - 7] + b;
	}
	memcpy(v, s->state, sizeof(v));
	for (i = 0; i < BLOCK; i++) {
		a = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
		    ((v[4] & v[5]) ^ (~v[4] & v[6])) + rounds[i] + w[i];
		b = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
		    ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, sizeof(v) - sizeof(*v));
		v[4] += a;
		v[0] = a + b;
	}
	for (i = 0; i < WORDS; i++)
		s->state[i] += v[i];
}

static void sha_start(struct sha *s)
{
	static const u32 start[WORDS] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};

	memcpy(s->state, start, sizeof(start));
	s->len = 0;
}

static void sha_add(struct sha *s, const u8 *p, u32 len)
{
	while (len--) {
		s->block[s->len++ % BLOCK] = *p++;
		if (!(s->len % BLOCK))
			compress(s);
	}
}

static void sha_end(struct sha *s, u8 digest[4 * WORDS])
{
	u64 bits = 8 * s->len;
	u8 byte = 0x80;
	unsigned int i;

	do {
		sha_add(s, &byte, 1);
		byte = 0;
	} while (s->len % BLOCK != BLOCK - 8);
	for (i = 0; i < 8; i++) {
		byte = (u8)(bits >> (56 - 8 * i));
		sha_add(s, &byte, 1);
	}
	for (i = 0; i < 4 * WORDS; i++)
		digest[i] = (u8)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* Hash the key, with a constant added to each byte, as the first block of a hash. */
static void add_key(struct sha *s, const u8 key[32], u8 constant)
{
	u8 pad[BLOCK];
	unsigned int i;

	for (i = 0; i < BLOCK; i++)
		pad[i] = (i < 32 ? key[i] : 0) ^ constant;
	sha_start(s);
	sha_add(s, pad, BLOCK);
}

void adv_hash(const u8 key[32], const u8 prefix[FC_AUTH_PREFIX], const u8 *p, u32 len,
	      u8 digest[ADV_HASH_SIZE])
{
	struct sha s;

	add_key(&s, key, 0x36);
	sha_add(&s, prefix, FC_AUTH_PREFIX);
	sha_add(&s, p, len);
	sha_end(&s, digest);
	add_key(&s, key, 0x5c);
	sha_add(&s, digest, ADV_HASH_SIZE);
	sha_end(&s, digest);
}

static u64 get_le64(const u8 *p)
{
	u64 value = 0;
	unsigned int i;

	for (i = 8; i--;)
		value = value << 8 | p[i];
	return value;
}

static void put_le64(u8 *p, u64 value)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		p[i] = (u8)(value >> 8 * i);
}

static u64 rotate64(u64 x, int n)
{
	return x << n | x >> (64 - n);
}

static void sip_rounds(u64 v[4], unsigned int n)
{
	while (n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate64(v[1], 13) ^ v[0];
		v[3] = rotate64(v[3], 16) ^ v[2];
		v[0] = rotate64(v[0], 32) + v[3];
		v[2] += v[1];
		v[3] = rotate64(v[3], 21) ^ v[0];
		v[1] = rotate64(v[1], 17) ^ v[2];
		v[2] = rotate64(v[2], 32);
	}
}

static u64 siphash(const u8 key[16], const u8 *p, u32 len)
{
	u64 k0 = get_le64(key), k1 = get_le64(key + 8), word;
	u64 v[4] = {
		k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d,
		k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573,
	};
	u8 last[8] = { 0 };
	u32 left;

	for (left = len; left >= 8; left -= 8, p += 8) {
		word = get_le64(p);
		v[3] ^= word;
		sip_rounds(v, 2);
		v[0] ^= word;
	}
	if (left)
		memcpy(last, p, left);
	last[7] = (u8)len;
	word = get_le64(last);
	v[3] ^= word;
	sip_rounds(v, 2);
	v[0] ^= word;
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void adv_frame_code(const u8 keys[ADV_HASH_SIZE], const u8 *header, u64 number, const u8 *payload,
		    u32 len, u8 code[8])
{
	bool flit = (header[1] & ~FC_FRAME_AUTH) == FC_FRAME_FLIT;
	u8 input[FC_LINK_SUM + 16];

	memcpy(input, header, FC_LINK_SUM);
	put_le64(input + FC_LINK_SUM, number);
	put_le64(input + FC_LINK_SUM + 8, flit ? 0 : siphash(keys + 16, payload, len));
	put_le64(code, siphash(keys, input, FC_LINK_SUM + (flit ? 8 : 16)));
}

bool adv_read_key(const char *path, u8 key[32])
{
	FILE *file = fopen(path, "re");
	unsigned int i, byte;

	if (!file)
		return false;
	for (i = 0; i < 32 && fscanf(file, "%2x", &byte) == 1; i++)
		key[i] = (u8)byte;
	fclose(file);
	return i == 32;
}
