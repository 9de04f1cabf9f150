/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_FINDING_H
#define FLITCAST_SIM_FINDING_H

#include "base.h"

/**
 * finding() - prints a statement of a paper, with whether it holds here and what was measured
 * @holds: it does
 * @what: the statement
 * @measured: format of what was measured
 *
 * Return: @holds.
 */
bool __printf(3, 4) finding(bool holds, const char *what, const char *measured, ...);

/* How many did not hold: the program makes one report. */
u32 findings_differing(void);

/* By how many per cent is @a more than @b. */
static inline double percent_more(double a, double b)
{
	return 100 * (a / b - 1);
}

#endif /* FLITCAST_SIM_FINDING_H */
