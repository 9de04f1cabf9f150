// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>

#include "finding.h"

static u32 differing;
static u32 failed;

static void print(bool holds, const char *what, const char *measured, va_list args)
{
	differing += !holds;
	printf("%-8s %s\n         ", holds ? "holds" : "differs", what);
	vprintf(measured, args);
	printf("\n");
}

void finding(bool holds, const char *what, const char *measured, ...)
{
	va_list args;

	va_start(args, measured);
	print(holds, what, measured, args);
	va_end(args);
}

void reproduced(bool holds, const char *what, const char *measured, ...)
{
	va_list args;

	failed += !holds;
	va_start(args, measured);
	print(holds, what, measured, args);
	va_end(args);
}

u32 findings_differing(void)
{
	return differing;
}

u32 findings_failed(void)
{
	return failed;
}
