// SPDX-License-Identifier: GPL-2.0
/* Functions of the program that cli/request.c calls, for use in a test. */
#include <stdio.h>
#include <stdlib.h>
#include "lab.h"

void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *fmt, ...);
void __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...);
void *xalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t size);
const char *module_missing(void);

void fail(const char *fmt, ...)
{
	die("%s", fmt);
}

void complain(const char *fmt, ...)
{
	printf("# %s\n", fmt);
}

void *xalloc(size_t count, size_t size)
{
	void *p = calloc(count, size);

	if (!p)
		die("no memory");
	return p;
}

void *xrealloc(void *p, size_t size)
{
	p = realloc(p, size);
	if (!p)
		die("no memory");
	return p;
}

const char *module_missing(void)
{
	return "the module is not loaded";
}
