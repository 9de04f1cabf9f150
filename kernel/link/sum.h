/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the frames of a link carry a checksum: always, by the handshake; or for a while, because
 * a packet that crossed the link has FC_PACKET_LOCATE.  The peer tests it in either case.
 */
#ifndef FLITCAST_LINK_SUM_H
#define FLITCAST_LINK_SUM_H

#include <linux/jiffies.h>

/* Seconds for which damage is located after a packet has come damaged. */
#define FLITCAST_LOCATE_SECONDS	10

/**
 * struct flitcast_link_sum - checksums of the frames of a link
 * @on: frames carry a checksum; a HELLO always does
 * @until: end of @on, in jiffies of 64 bits; 0: none
 */
struct flitcast_link_sum {
	bool on;
	u64 until;
};

/* The handshake is done; @on: one of the ends asks for checksums. */
static inline void flitcast_link_sum_set(struct flitcast_link_sum *sum, bool on)
{
	sum->on = on;
	sum->until = 0;
}

static inline void flitcast_link_sum_locate(struct flitcast_link_sum *sum)
{
	if (sum->on && !sum->until)
		return;
	sum->on = true;
	sum->until = get_jiffies_64() + FLITCAST_LOCATE_SECONDS * HZ;
}

/* Return: true if the next frame carries a checksum. */
static inline bool flitcast_link_sum_next(struct flitcast_link_sum *sum)
{
	if (unlikely(sum->until) && get_jiffies_64() >= sum->until)
		flitcast_link_sum_set(sum, false);
	return sum->on;
}

#endif /* FLITCAST_LINK_SUM_H */
