/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Duplicate detection: a record of the frames that have come, in any order and from any source.
 *
 * A frame is a double if one with its digest has come.  A record of numbers alone, as the
 * anti-replay window of IPsec (RFC 4303, section 3.4.3), is for authenticated numbers: here any
 * site may forge them, and a forged number must neither hide the true frame of this number nor move
 * a window away from the others.  So there is no window: the number of a frame only selects the set
 * that remembers it, in which it replaces the oldest one.
 */
#ifndef FC_CORE_FAULTS_SEEN_H
#define FC_CORE_FAULTS_SEEN_H

#include "core/base.h"

/* Frames that a set remembers: one cache line. */
#define FC_SEEN_SET	8

/**
 * struct fc_seen_set - the last frames of some numbers
 * @digest: of the frames, the newest first; 0: none
 */
struct fc_seen_set {
	u64 digest[FC_SEEN_SET];
};

/**
 * struct fc_seen - record of frames
 * @set: sets; initially zero
 * @nsets: how many; a power of two
 */
struct fc_seen {
	struct fc_seen_set *set;
	u32 nsets;
};

/**
 * fc_seen_first() - record a received frame
 * @s: record
 * @src: source of the frame, by what it says
 * @n: its number among the frames of the source; consecutive ones are in different sets
 * @digest: of the frame with its source and number, the same for each copy; by a key that no
 *	sender knows, so that none can make another frame with the same digest
 *
 * A frame is remembered until FC_SEEN_SET others of its set have come: of one source, the last
 * FC_SEEN_SET * @nsets numbers are.
 *
 * Return: false if the frame is a double.
 */
bool fc_seen_first(struct fc_seen *s, u32 src, u32 n, u64 digest);

#endif /* FC_CORE_FAULTS_SEEN_H */
