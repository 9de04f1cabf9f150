/* SPDX-License-Identifier: GPL-2.0 */
/* Rows that cannot fire while events are handled one at a time, and the reasons. */
#ifndef SELFTESTS_CORE_UNREACHABLE_H
#define SELFTESTS_CORE_UNREACHABLE_H

#include "core/care/fsm.h"

static const struct {
	unsigned int machine, state, cond;
	const char *why;
} unreachable_rows[] = {
	{ 0, FC_NI_DONE, FC_NIC_W, "done is entered with downstream ready, and left at once" },
	{ 0, FC_NI_DONE, FC_NIC_ARM, "the same: no abort-request comes in between" },
	{ 1, FC_NO_FIRST, FC_NOC_AR, "the front follows its connection in the same event" },
	{ 1, FC_NO_FIRST, FC_NOC_AP, "the same: no terminator comes in between" },
	{ 1, FC_NO_WAIT, FC_NOC_FW, "a lingering signal: levels do not linger" },
	{ 1, FC_NO_WAIT, FC_NOC_AR, "only the fifo-buffer asks, and never while it is full" },
	{ 1, FC_NO_OPEN, FC_NOC_WTR, "no credit means wait before a terminator comes" },
	{ 1, FC_NO_DONE, FC_NOC_W, "done is entered with credit, and left at once" },
	{ 1, FC_NO_DONE, FC_NOC_AR, "the same: no abort-request comes in between" },
	{ 1, FC_NO_LAST, FC_NOC_AR, "the local terminator waits in the net-input, not here" },
	{ 2, FC_FF_FREE, FC_FFC_DF, "no packet is connected to a full fifo-buffer" },
	{ 2, FC_FF_WAIT, FC_FFC_TNF, "the local terminator waits for open" },
	{ 2, FC_FF_WAIT, FC_FFC_TF, "the same" },
};

/* Links lose no front: only a peer that violates the protocol makes this row fire. */
static inline bool forged_row(unsigned int machine, unsigned int state, unsigned int cond)
{
	return machine == 0 && state == FC_NI_FREE && cond == FC_NIC_JUNK;
}

/* Return: the reason why the row cannot fire, or NULL. */
static inline const char *unreachable_row(unsigned int machine, unsigned int state,
					  unsigned int cond)
{
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(unreachable_rows); i++)
		if (unreachable_rows[i].machine == machine &&
		    unreachable_rows[i].state == state && unreachable_rows[i].cond == cond)
			return unreachable_rows[i].why;
	return NULL;
}

#endif /* SELFTESTS_CORE_UNREACHABLE_H */
