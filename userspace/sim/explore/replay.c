// SPDX-License-Identifier: GPL-2.0
/*
 * Execution of a trace of the explorer, step by step.
 */
#include <stdio.h>

#include "replay.h"

static const char *line_prefix;

static void print_line(const char *text)
{
	printf("%s  %s\n", line_prefix, text);
}

static bool possible(u16 event)
{
	u16 events[WORLD_EVENTS];
	unsigned int n = world_events(events);

	while (n && events[n - 1] != event)
		n--;
	return n;
}

const char *replay_events(const struct world_config *config, const u16 *event, unsigned int n,
			  const char *prefix)
{
	const char *broken = NULL;

	line_prefix = prefix;
	world_init(config);
	for (unsigned int i = 0; i < n && !broken; i++) {
		char text[128];

		if (!possible(event[i])) {
			printf("%s%3u  event %u is not possible here\n", prefix, i + 1, event[i]);
			return "the trace does not fit";
		}
		world_print_event(event[i], text, sizeof(text));
		printf("%s%3u  %s\n", prefix, i + 1, text);
		broken = world_apply(event[i]);
	}
	world_print(print_line);
	if (broken)
		printf("%s%s\n", prefix, broken);
	return broken;
}
