/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bits of the states of a world, only for world*.c.
 */
#ifndef FLITCAST_SIM_WORLD_CODEC_H
#define FLITCAST_SIM_WORLD_CODEC_H

#include "core/channel.h"

/*
 * Writer or reader of a state as bits: each step does either, so that they cannot differ.
 */
struct codec {
	u8 *p;
	u64 bits;
	unsigned int n;		/* number of @bits not yet written, or not used */
	bool load;
};

void __attribute__((__noreturn__)) codec_overflow(u32 value, unsigned int bits);

/* Write or read at most 32 bits.  Reading may access up to three bytes beyond the state. */
static inline u32 codec_step(struct codec *c, u32 value, unsigned int bits)
{
	u32 word;

	if (c->load) {
		if (c->n < bits) {
			memcpy(&word, c->p, sizeof(word));
			c->p += sizeof(word);
			c->bits |= (u64)word << c->n;
			c->n += 32;
		}
		value = (u32)(c->bits & (fc_bit64(bits) - 1));
		c->bits >>= bits;
		c->n -= bits;
		return value;
	}
	if (value >> bits)
		codec_overflow(value, bits);
	c->bits |= (u64)value << c->n;
	c->n += bits;
	if (c->n >= 32) {
		word = (u32)c->bits;
		memcpy(c->p, &word, sizeof(word));
		c->p += sizeof(word);
		c->bits >>= 32;
		c->n -= 32;
	}
	return value;
}

/* Write or read a member of a struct. */
#define CODE(c, field, bits)	\
	((field) = (__typeof__(field))codec_step(c, (u32)(field), bits))
/* Not a handle: messages and flits are few. */
#define ID_BITS	7
#define PORT_BITS	3

void codec_timer(struct codec *c, u64 *timer);
void codec_flit(struct codec *c, struct fc_flit *flit);

#endif /* FLITCAST_SIM_WORLD_CODEC_H */
