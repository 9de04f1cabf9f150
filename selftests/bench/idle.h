/* SPDX-License-Identifier: GPL-2.0 */
/* Idle time of the processors. */
#ifndef SELFTESTS_BENCH_IDLE_H
#define SELFTESTS_BENCH_IDLE_H

#include <stdint.h>

/**
 * idle_ns() - idle time of the processors since boot
 *
 * From /proc/timer_list, which needs root; interrupts of an idle processor
 * are not counted.  Exact to the nanosecond if there is only the caller's processor.
 * A call costs some 10^5 instructions.
 *
 * Return: nanoseconds.
 */
uint64_t idle_ns(void);

#endif /* SELFTESTS_BENCH_IDLE_H */
