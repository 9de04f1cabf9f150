/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames that the links of a lab carry, by the counters of their devices.
 */
#ifndef SELFTESTS_BENCH_FRAMES_H
#define SELFTESTS_BENCH_FRAMES_H

#include <stdint.h>

/**
 * struct frames - what all links of a lab carried, in both directions
 * @count: frames
 * @bytes: their lengths, with Ethernet headers
 */
struct frames {
	uint64_t count;
	uint64_t bytes;
};

/**
 * frames_open() - have a look at the devices of each site
 * @lab: name of the lab
 * @sites: its sites
 *
 * Puts the thread into one of the lab's namespaces.
 */
void frames_open(const char *lab, unsigned int sites);

/* Frames that the links have sent so far, without those that a device dropped. */
struct frames frames_now(void);

#endif /* SELFTESTS_BENCH_FRAMES_H */
