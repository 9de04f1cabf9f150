// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim replay: a trace of the explorer, step by step.
 */
#include <stdio.h>
#include <stdlib.h>

#include "replay.h"

static const char *line_prefix;

static void say(const char *text)
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
		world_tell_event(event[i], text, sizeof(text));
		printf("%s%3u  %s\n", prefix, i + 1, text);
		broken = world_apply(event[i]);
	}
	world_tell(say);
	if (broken)
		printf("%s%s\n", prefix, broken);
	return broken;
}

static void tell_possible(void)
{
	u16 events[WORLD_EVENTS];
	unsigned int n = world_events(events);

	if (!n)
		printf("nothing can happen%s\n", world_done() ? ", and all is delivered" : "");
	for (unsigned int i = 0; i < n; i++) {
		char text[128];

		world_tell_event(events[i], text, sizeof(text));
		printf("next %5u  %s\n", events[i], text);
	}
}

static int refuse(const char *what, const char *why)
{
	fprintf(stderr, "flitcast-sim: replay \"%s\": %s; flitcast-sim replay --help explains it\n",
		what, why);
	return 2;
}

static void usage(FILE *file)
{
	fprintf(file,
		"usage: flitcast-sim replay SCENARIO [EVENT[,EVENT]...]\n\n"
		"Lets the events happen one after the other and tells each, then what every\n"
		"machine is doing and which events are possible next.\n\n"
		"  SCENARIO  \"TOPOLOGY [WORD]... FROM>TO[,TO]...[*FLITS]...\", where WORD is\n"
		"            mode= and care or vnet; window=, room=, pool=, seek=, loss=, double=,\n"
		"            overtake=, flaps=, early=, restarts=, full= and a number; slow= and a site;\n"
		"            dead= and two neighbours, as in 0-1; unaware, no-timeout or paper\n"
		"  EVENT     a number that the explorer, or this, has told\n");
}

int replay_main(int argc, char **argv)
{
	static struct world_config config;
	static u16 events[20000];
	const char *wrong, *p;
	unsigned int n = 0;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		usage(stdout);
		return 0;
	}
	if (argc < 2 || argc > 3) {
		usage(stderr);
		return 2;
	}
	wrong = world_parse(&config, argv[1]);
	if (wrong)
		return refuse(argv[1], wrong);
	for (p = argc == 3 ? argv[2] : ""; *p;) {
		char *end;
		unsigned long event = strtoul(p, &end, 10);

		if (end == p || event > 0xffff || (*end && *end != ','))
			return refuse(p, "not a list of events: numbers from 0 to 65535, with commas");
		if (n == FC_ARRAY_SIZE(events))
			return refuse(p, "more than 20000 events");
		events[n++] = (u16)event;
		p = *end ? end + 1 : end;
	}
	if (replay_events(&config, events, n, ""))
		return 1;
	tell_possible();
	return 0;
}
