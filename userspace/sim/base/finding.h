/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_FINDING_H
#define FLITCAST_SIM_FINDING_H

#include "core/base.h"

/**
 * finding_print() - print a statement of a paper, whether it holds, and the measurement
 * @known: the statement is known to hold: if it does not, the report fails
 * @holds: the statement holds
 * @what: the statement
 * @measured: format of the measurement
 */
void __printf(4, 5) finding_print(bool known, bool holds, const char *what, const char *measured,
				  ...);
#define finding(...)	finding_print(false, __VA_ARGS__)
#define reproduced(...)	finding_print(true, __VA_ARGS__)

/* Number of statements, and of known statements, that did not hold in this program run. */
u32 findings_differing(void);
u32 findings_failed(void);

/* Excess of @a over @b, per cent. */
static inline double percent_more(double a, double b)
{
	return 100 * (a / b - 1);
}

#endif /* FLITCAST_SIM_FINDING_H */
