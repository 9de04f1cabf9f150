/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers that came from one source, in any order: the second packet with a number is a double.  A
 * sliding window, as against replay in IPsec (RFC 4303, section 3.4.3), but a number before the
 * window begins a new one: packets may be late, and a forged number must not hide the next ones.
 */
#ifndef FC_CORE_FAULTS_SEEN_H
#define FC_CORE_FAULTS_SEEN_H

#include "core/base.h"

/* Numbers before the highest one that the window knows; a power of two. */
#define FC_SEEN_BITS	4096

/**
 * struct fc_seen - window of numbers
 * @end: number behind the highest one that came
 * @begun: one came
 * @bits: bit n % FC_SEEN_BITS: number n came, for the FC_SEEN_BITS numbers before @end
 *
 * All zero: no number came.  Numbers wrap.
 */
struct fc_seen {
	u32 end;
	bool begun;
	u64 bits[FC_SEEN_BITS / 64];
};

/**
 * fc_seen_first() - note a number
 * @s: window
 * @n: number that came
 *
 * Return: false if the window has it already.
 */
bool fc_seen_first(struct fc_seen *s, u32 n);

#endif /* FC_CORE_FAULTS_SEEN_H */
