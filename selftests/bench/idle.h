/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time in which a processor had nothing to do.
 */
#ifndef SELFTESTS_BENCH_IDLE_H
#define SELFTESTS_BENCH_IDLE_H

#include <stdint.h>

/**
 * idle_ns() - how long the processors have been idle since boot
 *
 * From /proc/timer_list, which needs root; interrupts that come to an idle processor
 * are not counted.  Right to the nanosecond where the only processor is the caller's.
 * To ask costs some 10^5 instructions.
 *
 * Return: nanoseconds.
 */
uint64_t idle_ns(void);

#endif /* SELFTESTS_BENCH_IDLE_H */
