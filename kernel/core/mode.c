// SPDX-License-Identifier: GPL-2.0
#include "mode.h"

static const char *const names[] = {
	[FC_MODE_CARE] = "care", [FC_MODE_VNET] = "vnet",
	[FC_MODE_CSR] = "csr",
	[FC_MODE_POSTMAN] = "postman",
};

const char *fc_mode_name(u8 mode)
{
	return mode < FC_MODE_COUNT ? names[mode] : NULL;
}

int fc_mode_parse(const char *name)
{
	int mode;

	for (mode = 0; mode < FC_MODE_COUNT; mode++) {
		const char *a = name, *b = names[mode];

		while (*a && *a == *b) {
			a++;
			b++;
		}
		if (*a == *b)
			return mode;
	}
	return -1;
}
