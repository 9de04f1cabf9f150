/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_UTIL_H
#define FLITCAST_SIM_UTIL_H

#include <stdnoreturn.h>

#include "base.h"

/* The message on standard error, then exit 1: for what no caller could mend. */
noreturn void __printf(1, 2) die(const char *fmt, ...);

/* Writes all of standard output, or dies. */
void flush_output(void);

/* Never NULL. */
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
/* Aligned to so many bytes, which @size is a multiple of; with any content. */
void *xaligned(size_t to, size_t size);

#endif /* FLITCAST_SIM_UTIL_H */
