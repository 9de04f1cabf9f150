// SPDX-License-Identifier: GPL-2.0
/*
 * Why the kernel has not loaded the module by itself, and the remedy.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include "cli.h"

/* Return: a line of the file contains the text. */
static bool file_contains(const char *path, const char *text)
{
	FILE *file = fopen(path, "r");
	char line[4096];
	bool found = false;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, text);
	fclose(file);
	return found;
}

/* Secure Boot, or a parameter of the kernel, has the kernel refuse modules without a signature. */
static bool needs_signature(void)
{
	static const char lockdown[] = "/sys/kernel/security/lockdown";

	return file_contains("/sys/module/module/parameters/sig_enforce", "Y") ||
	       file_contains(lockdown, "[integrity]") ||
	       file_contains(lockdown, "[confidentiality]");
}

const char *module_missing(void)
{
	struct utsname kernel;
	char path[sizeof(kernel.release) + 64];

	if (uname(&kernel))
		return MODULE_MISSING;
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", kernel.release);
	if (!file_contains(path, "flitcast.ko"))
		return xprintf(MODULE_MISSING " once it is installed for kernel %s",
			       kernel.release);
	if (needs_signature())
		return "the module flitcast is not loaded: the kernel refuses modules without a "
		       "known signature (Secure Boot): enrol the key, for dkms with mokutil "
		       "--import /var/lib/dkms/mok.pub, and reboot";
	return MODULE_MISSING;
}
