// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "numbers.h"

unsigned int numbers_parse(const char *text, unsigned int *numbers, unsigned int room,
			   unsigned int most)
{
	unsigned int n = 0;
	char *end;

	do {
		unsigned long value = strtoul(text, &end, 10);

		if (end == text || !value || value > most || n == room)
			return 0;
		numbers[n++] = value;
		text = end + 1;
	} while (*end == ',');
	return *end ? 0 : n;
}
