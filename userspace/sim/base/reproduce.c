// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "progress.h"
#include "reproduce.h"
#include "util.h"

/* Current report, its current part, and the points of this part measured so far. */
static const struct reproduction *made;
static const struct report_part *const *making;
static u32 points;

void reproduce_point(void)
{
	const struct report_part *const *last = making;
	u64 seconds = progress_seconds();

	while (last[1])
		last++;
	points++;
	progress_show("part %u of %u, %s: point %u of %u, %llu:%02llu",
		      (u32)(making - made->parts) + 1, (u32)(last - made->parts) + 1,
		      (*making)->name, points, (*making)->points,
		      (unsigned long long)seconds / 60, (unsigned long long)seconds % 60);
}

/* Measure and print a part.  Return: false if a drawing could not be written. */
static bool make_part(const struct reproduce_settings *settings)
{
	const struct report_part *part = *making;
	bool drawn = true;

	points = 0;
	part->measure(settings);
	progress_wipe();
	if (points != part->points)
		die("%s: %u points instead of %u", part->name, points, part->points);
	part->print();
	fflush(stdout);
	if (settings->svg && part->draw)
		drawn = part->draw(settings->svg);
	return drawn;
}

/* Make the report.  Return: the exit status. */
static int report(const struct reproduction *reproduction,
		  const struct reproduce_settings *settings)
{
	const report_findings_fn *findings;
	const struct report_part *const *part;
	bool bad = false;

	made = reproduction;
	reproduction->begin(settings);
	fflush(stdout);
	for (making = reproduction->parts; *making; making++)
		bad |= !make_part(settings);
	printf("%s\n\n", reproduction->title);
	for (findings = reproduction->findings; *findings; findings++)
		(*findings)();
	for (part = reproduction->parts; *part; part++)
		bad |= (*part)->wrong && *(*part)->wrong;
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
