// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "reproduce.h"
#include "util.h"

/* Return: the exit status. */
static int report(const struct reproduction *reproduction,
		  const struct reproduce_settings *settings)
{
	const report_findings_fn *findings;
	const struct report_part *const *part;
	bool bad = false;

	reproduction->begin(settings);
	for (part = reproduction->parts; *part; part++) {
		(*part)->measure(settings);
		(*part)->print();
	}
	printf("%s\n\n", reproduction->title);
	for (findings = reproduction->findings; *findings; findings++)
		(*findings)();
	for (part = reproduction->parts; *part; part++) {
		bad |= (*part)->wrong && *(*part)->wrong;
		if (settings->svg && (*part)->draw)
			bad |= !(*part)->draw(settings->svg);
	}
	printf("\n");
	bad |= reproduction->end();
	return bad || findings_failed();
}

int reproduce_main(const struct reproduction *reproduction, int argc, char **argv)
{
	struct reproduce_settings *settings = xcalloc(1, reproduction->size);
	int status;

	memcpy(settings, reproduction->options.defaults, reproduction->size);
	status = option_parse(&reproduction->options, settings, argc, argv);
	if (status < 0 && settings->reproduce)
		status = report(reproduction, settings);
	else if (status < 0)
		status = reproduction->run(settings);
	free(settings);
	return status;
}
