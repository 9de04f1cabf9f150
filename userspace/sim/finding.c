// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>

#include "finding.h"

static u32 differing;

bool finding(bool holds, const char *what, const char *measured, ...)
{
	va_list args;

	differing += !holds;
	printf("%-8s %s\n         ", holds ? "holds" : "differs", what);
	va_start(args, measured);
	vprintf(measured, args);
	va_end(args);
	printf("\n");
	return holds;
}

u32 findings_differing(void)
{
	return differing;
}
