/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checksums of the frames of a link: always, by the handshake; or for a while, because a packet
 * that crossed the link has FC_PACKET_LOCATE.  The peer tests them in either case.
 */
#ifndef FLITCAST_LINK_SUM_H
#define FLITCAST_LINK_SUM_H

#include <linux/atomic.h>
#include <linux/jiffies.h>

/* Seconds for which damage is located after a packet has come damaged. */
#define FLITCAST_LOCATE_SECONDS	10

/**
 * struct flitcast_link_sum - checksums of the frames of a link, besides those of HELLOs
 * @always: one of the ends asks for them
 * @until: while now is before this, in jiffies of 64 bits: damage is being located
 * @damaged: damaged frames that have come from the peer since the owner last looked
 *
 * The owner's lock protects all but @damaged.
 */
struct flitcast_link_sum {
	bool always;
	u64 until;
	atomic_t damaged;
};

static inline void flitcast_link_sum_locate(struct flitcast_link_sum *sum)
{
	sum->until = get_jiffies_64() + FLITCAST_LOCATE_SECONDS * HZ;
}

/* Return: true if the next frame carries a checksum. */
static inline bool flitcast_link_summed(const struct flitcast_link_sum *sum)
{
	return sum->always ||
	       (unlikely(sum->until) && time_before64(get_jiffies_64(), sum->until));
}

#endif /* FLITCAST_LINK_SUM_H */
