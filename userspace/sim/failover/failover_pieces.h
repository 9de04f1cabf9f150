/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_FAILOVER_PIECES_H
#define FLITCAST_SIM_FAILOVER_PIECES_H

#include "core/base.h"

/* Print the table; each row of so many runs, which are spread over all orders and times. */
void failover_pieces_table(u64 runs, u64 seed);

#endif /* FLITCAST_SIM_FAILOVER_PIECES_H */
