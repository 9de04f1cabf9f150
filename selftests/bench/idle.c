// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../sock/lab.h"
#include "idle.h"

/* Idle time without and with an I/O that a task waits for. */
static const char *const keys[] = { ".idle_sleeptime", ".iowait_sleeptime" };

uint64_t idle_ns(void)
{
	FILE *file = fopen("/proc/timer_list", "re");
	unsigned int found = 0, i;
	uint64_t sum = 0;
	char line[256];

	if (!file)
		die("/proc/timer_list: %s", strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		const char *p = line + strspn(line, " ");

		for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			size_t length = strlen(keys[i]);

			if (strncmp(p, keys[i], length))
				continue;
			sum += strtoull(p + length + strspn(p + length, " :"), NULL, 10);
			found++;
		}
	}
	fclose(file);
	if (!found)
		die("/proc/timer_list does not tell how long a processor was idle");
	return sum;
}
