/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Effects of the events of a run.  A second run repeats the events: its effects must be the same,
 * in any order.
 */
#ifndef SELFTESTS_CORE_RECORD_H
#define SELFTESTS_CORE_RECORD_H

#include "fuzz.h"
#include "vnet.h"

/* FNV-1a, from @sum on. */
u64 record_hash(u64 sum, const void *data, size_t size);

/* The first run begins, or the one that repeats it. */
void record_first(void);
void record_again(void);

/* Sum of the hashes of effects: of all that a peer or the operator sees. */
u64 record_sum(const struct fc_effects *fx);

/*
 * Effects of a flit that came by channel @vc of @port.  The comparison ends with the first flit
 * that goes back by the same channel: only on the shortcut such a flit carries its own ack.
 */
void record_flit(const struct fc_effects *fx, u8 port, u8 vc);

/* An event has ended; the sum of its effects is @sum. */
void record_event(u64 sum);

/* The second run has ended; @same: its counters equal those of the first one. */
void record_end(bool same);

#endif /* SELFTESTS_CORE_RECORD_H */
