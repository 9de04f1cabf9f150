/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_FINDING_H
#define FLITCAST_SIM_FINDING_H

#include "base.h"

/**
 * finding() - prints a statement of a paper, with whether it holds here and what was measured
 * @holds: it does
 * @what: the statement
 * @measured: format of what was measured
 */
void __printf(3, 4) finding(bool holds, const char *what, const char *measured, ...);

/* The same for a statement that is known to hold here: if it does not, the report fails. */
void __printf(3, 4) reproduced(bool holds, const char *what, const char *measured, ...);

/* How many did not hold, of all, and of those known to: the program makes one report. */
u32 findings_differing(void);
u32 findings_failed(void);

/* By how many per cent is @a more than @b. */
static inline double percent_more(double a, double b)
{
	return 100 * (a / b - 1);
}

#endif /* FLITCAST_SIM_FINDING_H */
