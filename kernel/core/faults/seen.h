/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Duplicate detection: record of the sequence numbers received from a source, in any order.  It is
 * a sliding window like the anti-replay window of IPsec (RFC 4303, section 3.4.3), but a number
 * before the window restarts it: packets may be late, and a forged number must not hide the next
 * ones.
 */
#ifndef FC_CORE_FAULTS_SEEN_H
#define FC_CORE_FAULTS_SEEN_H

#include "core/base.h"

/* Size of the window; a power of two. */
#define FC_SEEN_BITS	4096

/**
 * struct fc_seen - window of numbers
 * @end: highest number received, plus one
 * @begun: a number was received
 * @bits: bit n % FC_SEEN_BITS: number n was received, for the FC_SEEN_BITS numbers before @end
 *
 * Initially zero.  Numbers wrap.
 */
struct fc_seen {
	u32 end;
	bool begun;
	u64 bits[FC_SEEN_BITS / 64];
};

/**
 * fc_seen_first() - record a received number
 * @s: window
 * @n: number
 *
 * Return: false if the number is a duplicate.
 */
bool fc_seen_first(struct fc_seen *s, u32 n);

#endif /* FC_CORE_FAULTS_SEEN_H */
