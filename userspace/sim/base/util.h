/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_UTIL_H
#define FLITCAST_SIM_UTIL_H

#include <stdnoreturn.h>

#include "core/base.h"

/* Print the message on standard error and exit with status 1: for unrecoverable errors. */
noreturn void __printf(1, 2) die(const char *fmt, ...);

/* Write all of standard output, or die. */
void flush_output(void);

/* Return: memory, never NULL. */
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
/* Return: memory aligned to @to bytes, uninitialised; @size is a multiple of @to. */
void *xaligned(size_t to, size_t size);

#endif /* FLITCAST_SIM_UTIL_H */
