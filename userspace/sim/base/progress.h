/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A progress line on standard error, only if it is a terminal.
 */
#ifndef FLITCAST_SIM_PROGRESS_H
#define FLITCAST_SIM_PROGRESS_H

#include "core/base.h"

/* Has a second passed since the first call, and a fifth of a second since the last line? */
bool progress_due(void);

/* Replace the last line. */
void __printf(1, 2) progress_show(const char *fmt, ...);

/* Wipe the line, before the program prints anything else. */
void progress_wipe(void);

/* Seconds since the first call of progress_due() or progress_seconds(). */
u64 progress_seconds(void);

#endif /* FLITCAST_SIM_PROGRESS_H */
