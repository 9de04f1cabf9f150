// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim replay: the command.
 */
#include <stdio.h>

#include "replay.h"
#include "replay_main.h"

static void print_possible(void)
{
	u16 events[WORLD_EVENTS];
	unsigned int n = world_events(events);

	if (!n)
		printf("nothing can happen%s\n", world_done() ? ", and all is delivered" : "");
	for (unsigned int i = 0; i < n; i++) {
		char text[128];

		world_print_event(events[i], text, sizeof(text));
		printf("next %5u  %s\n", events[i], text);
	}
}

static int refuse(const char *what, const char *why)
{
	fprintf(stderr, "flitcast-sim: replay \"%s\": %s; flitcast-sim replay --help explains it\n",
		what, why);
	return 2;
}

static int run(const struct option_given *given)
{
	static struct world_config config;
	static u16 events[20000];
	const char *scenario = option_text(given, "SCENARIO");
	const char *list = option_text(given, "EVENT"), *wrong, *end;
	unsigned int n = 0;

	wrong = world_parse(&config, scenario);
	if (wrong)
		return refuse(scenario, wrong);
	for (const char *p = list && *list ? list : NULL; p; p = *end ? end + 1 : NULL) {
		u64 event;

		if (!option_number(p, 0xffff, &event, &end) || (*end && *end != ','))
			return refuse(p, "not a list of events: numbers from 0 to 65535, with commas");
		if (n == FC_ARRAY_SIZE(events))
			return refuse(p, "more than 20000 events");
		events[n++] = (u16)event;
	}
	if (replay_events(&config, events, n, ""))
		return 1;
	print_possible();
	return 0;
}

static const struct option_entry entries[] = {
	OPTION("SCENARIO", NULL,
	       "\"TOPOLOGY [WORD]... FROM>TO[,TO]...[*FLITS]...\", where WORD is\n"
	       "mode= and care or vnet; window=, room=, pool=, seek=, loss=,\n"
	       "double=, overtake=, flaps=, early=, restarts=, full=, suspect= and\n"
	       "a number; slow= and a site; dead= and two neighbours, as in 0-1;\n"
	       "unaware, no-trust, datagrams, no-timeout or paper", TEXT, 0,
	       .how = OPTION_PLAIN | OPTION_NEED),
	OPTION("EVENT", "[,EVENT]...", "numbers that the explorer, or this, has told", TEXT, 0,
	       .how = OPTION_PLAIN),
};

const struct option_command replay_command = {
	.name = "replay",
	.help = "Let chosen events happen in a small network, and tell each, and what may follow",
	OPTION_TABLE(entries),
	.run = run,
};
