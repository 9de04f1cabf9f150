// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>

#include "finding.h"

static u32 differing;
static u32 failed;

void finding_print(bool known, bool holds, const char *what, const char *measured, ...)
{
	va_list args;

	differing += !holds;
	failed += known && !holds;
	printf("%-8s %s\n         ", holds ? "holds" : "differs", what);
	va_start(args, measured);
	vprintf(measured, args);
	va_end(args);
	printf("\n");
}

u32 findings_differing(void)
{
	return differing;
}

u32 findings_failed(void)
{
	return failed;
}
