// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"
#include "util.h"

int reproduce_main(const struct reproduction *reproduction, int argc, char **argv)
{
	struct reproduce_settings *settings = xcalloc(1, reproduction->size);
	int status;

	memcpy(settings, reproduction->options.defaults, reproduction->size);
	status = option_parse(&reproduction->options, settings, argc, argv);
	if (status < 0 && settings->reproduce)
		status = reproduction->report(settings);
	else if (status < 0)
		status = reproduction->run(settings);
	free(settings);
	return status;
}
