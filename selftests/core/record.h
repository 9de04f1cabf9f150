/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Effects of the events of a run.  A second run repeats the events: its effects must be the same,
 * in any order.
 */
#ifndef SELFTESTS_CORE_RECORD_H
#define SELFTESTS_CORE_RECORD_H

#include "fuzz.h"
#include "core/vnet/vnet.h"

/* FNV-1a hash, continued from @sum. */
u64 record_hash(u64 sum, const void *data, size_t size);

/* Begin the first run, or the run that repeats it. */
void record_first(void);
void record_again(void);

/* Sum of the hashes of all effects that a peer or the operator sees. */
u64 record_sum(const struct fc_effects *fx);

/*
 * Record effects of a flit that arrived on channel @vc of @port.  The comparison ends with the
 * first flit sent back on that channel: it carries its own ack only on the fast path.
 */
void record_flit(const struct fc_effects *fx, u8 port, u8 vc);

/* An event has ended; @sum is the sum of its effects. */
void record_event(u64 sum);

/* The second run has ended; @same: its counters equal those of the first run. */
void record_end(bool same);

#endif /* SELFTESTS_CORE_RECORD_H */
