/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The effects of the events of a run, which another run repeats: they are the same, in any order.
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
 * Effects of a flit that came by channel @vc of @port.  Nothing is compared from the first flit on
 * that goes back by the same channel: such a flit acknowledges itself on the shortcut alone.
 */
void record_flit(const struct fc_effects *fx, u8 port, u8 vc);

/* An event is over, whose effects have this sum. */
void record_event(u64 sum);

/* The second run is over; @same: it counted as the first one. */
void record_end(bool same);

#endif /* SELFTESTS_CORE_RECORD_H */
