/* SPDX-License-Identifier: GPL-2.0 */
/* Frames on the links of a lab, from the counters of their devices. */
#ifndef SELFTESTS_BENCH_FRAMES_H
#define SELFTESTS_BENCH_FRAMES_H

#include <stdint.h>

/**
 * struct frames - frames on all links of a lab, in both directions
 * @count: number of frames
 * @bytes: sum of their lengths, with Ethernet headers
 */
struct frames {
	uint64_t count;
	uint64_t bytes;
};

/**
 * frames_open() - find the devices of each site
 * @lab: name of the lab
 * @sites: number of sites
 *
 * Moves the thread into one of the lab's namespaces.
 */
void frames_open(const char *lab, unsigned int sites);

/* Return: frames that the links have sent so far, without those that a device dropped. */
struct frames frames_now(void);

#endif /* SELFTESTS_BENCH_FRAMES_H */
