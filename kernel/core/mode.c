// SPDX-License-Identifier: GPL-2.0
#include "core/mode.h"

static const struct fc_mode_ops modes[] = {
	[FC_MODE_CARE] = { .name = "care", .version = 5 },
	[FC_MODE_VNET] = { .name = "vnet", .version = 4, .classes = true },
	[FC_MODE_CSR] = { .name = "csr", .version = 5, .classes = true, .reserves = true },
	[FC_MODE_POSTMAN] = { .name = "postman", .version = 4, .classes = true, .eager = true },
};

static_assert(FC_ARRAY_SIZE(modes) == FC_MODE_COUNT);

const struct fc_mode_ops *fc_mode_ops(u8 mode)
{
	return mode < FC_MODE_COUNT ? &modes[mode] : NULL;
}

int fc_mode_parse(const char *name)
{
	int mode;

	for (mode = 0; mode < FC_MODE_COUNT; mode++) {
		const char *a = name, *b = modes[mode].name;

		while (*a && *a == *b) {
			a++;
			b++;
		}
		if (*a == *b)
			return mode;
	}
	return -1;
}
