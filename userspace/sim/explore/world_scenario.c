// SPDX-License-Identifier: GPL-2.0
/*
 * Scenarios of a world, from text.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/mode.h"
#include "world.h"

static const char *bad(const char *fmt, ...)
{
	static char text[160];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return text;
}

static bool number(const char **p, unsigned int max, u8 *value)
{
	char *end;
	unsigned long n = strtoul(*p, &end, 10);

	if (end == *p || **p < '0' || **p > '9' || n > max)
		return false;
	*value = (u8)n;
	*p = end;
	return true;
}

/* Find the flow of a pair of sites, and the message's number in it. */
static void find_flow(const struct world_config *config, struct world_message *m, unsigned int t,
		      unsigned int *flows)
{
	m->flow[t] = (u8)*flows;
	m->seq[t] = 0;
	for (unsigned int i = 0; i < config->nmessages; i++) {
		const struct world_message *o = &config->message[i];

		for (unsigned int j = 0; j < o->ntargets; j++) {
			if (o->from != m->from || o->to[j] != m->to[t])
				continue;
			m->flow[t] = o->flow[j];
			m->seq[t] = o->seq[j] + 1;
		}
	}
	if (m->flow[t] == *flows)
		(*flows)++;
}

static const char *parse_message(struct world_config *config, const char *word,
				 unsigned int *flows)
{
	struct world_message m = { .flits = 1 };
	unsigned int last = config->topo.nsites - 1;
	const char *p = word;

	if (config->nmessages == WORLD_MESSAGES)
		return bad("more than %u messages", WORLD_MESSAGES);
	if (!number(&p, last, &m.from) || *p++ != '>')
		return bad("\"%s\" is no message: FROM>TO[,TO]...[*FLITS]", word);
	do {
		if (m.ntargets == WORLD_TARGETS)
			return bad("\"%s\": more than %u targets", word, WORLD_TARGETS);
		if (!number(&p, last, &m.to[m.ntargets]))
			return bad("\"%s\": targets are 0 .. %u", word, last);
		for (unsigned int i = 0; i < m.ntargets; i++)
			if (m.to[i] == m.to[m.ntargets])
				return bad("\"%s\" names a target twice", word);
		m.ntargets++;
	} while (*p == ',' && p++);
	if (*p == '*' && (p++, !number(&p, WORLD_FLITS, &m.flits) || !m.flits))
		return bad("\"%s\": a packet has 1 .. %u flits", word, WORLD_FLITS);
	if (*p)
		return bad("\"%s\": what is \"%s\"?", word, p);
	for (unsigned int t = 0; t < m.ntargets; t++)
		find_flow(config, &m, t, flows);
	config->message[config->nmessages++] = m;
	return NULL;
}

/* Parse dead=A-B: the link between two sites is down; both know it. */
static const char *parse_dead(struct world_config *config, const char *word)
{
	const struct fc_topo *topo = &config->topo;
	const char *p = word + strlen("dead=");
	u8 a, b;

	if (!number(&p, topo->nsites - 1, &a) || *p++ != '-' ||
	    !number(&p, topo->nsites - 1, &b) || *p)
		return bad("\"%s\": dead= takes two sites, as in 0-1", word);
	for (u8 d = 0; d < topo->ndirs; d++) {
		if (fc_topo_neighbour(topo, a, d) != b)
			continue;
		config->down[a] |= fc_bit(d + 1);
		config->down[b] |= fc_bit(topo->ops->arrival(topo, a, d) + 1);
		config->faults = true;
		return NULL;
	}
	return bad("\"%s\": they are no neighbours", word);
}

static const char *parse_mode(struct world_config *config, const char *name)
{
	int mode = fc_mode_parse(name);

	if (mode < 0 || fc_mode_ops((u8)mode)->reserves)
		return bad("mode=%s: care, vnet or postman", name);
	config->mode = (u8)mode;
	return NULL;
}

static const char *parse_slow(struct world_config *config, const char *word)
{
	const char *p = word + strlen("slow=");
	u8 site;

	if (!number(&p, config->topo.nsites - 1, &site) || *p)
		return bad("\"%s\": slow= takes a site", word);
	config->slow |= fc_bit(site);
	return NULL;
}

static const char *parse_word(struct world_config *config, const char *word, unsigned int *flows)
{
	u8 room = 0, seek = 0;
	const struct {
		const char *name;
		u8 *value;
		unsigned int min, max;
	} numbers[] = {
		{ "window=", &config->window, 1, WORLD_WINDOW },
		{ "room=", &room, 1, WORLD_FLITS },
		{ "pool=", &config->pool, 0, WORLD_POOL },
		{ "seek=", &seek, 0, 3 },
		{ "loss=", &config->loss, 0, 9 },
		{ "double=", &config->doubles, 0, 9 },
		{ "overtake=", &config->overtakes, 0, 9 },
		{ "flaps=", &config->flaps, 0, 9 },
		{ "early=", &config->early, 0, 9 },
		{ "restarts=", &config->restarts, 0, 9 },
		{ "full=", &config->full, 0, 9 },
		{ "suspect=", &config->suspects, 0, 9 },
	};

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(numbers); i++) {
		size_t n = strlen(numbers[i].name);
		const char *p = word + n;

		if (strncmp(word, numbers[i].name, n))
			continue;
		if (!number(&p, numbers[i].max, numbers[i].value) || *p ||
		    *numbers[i].value < numbers[i].min)
			return bad("\"%s\": %s takes %u .. %u", word, numbers[i].name,
				   numbers[i].min, numbers[i].max);
		if (numbers[i].value == &room)
			config->timing.fifo_room = room;
		if (numbers[i].value == &seek)
			config->timing.seek_max = seek;
		return NULL;
	}
	if (!strncmp(word, "dead=", strlen("dead=")))
		return parse_dead(config, word);
	if (!strncmp(word, "mode=", strlen("mode=")))
		return parse_mode(config, word + strlen("mode="));
	if (!strncmp(word, "slow=", strlen("slow=")))
		return parse_slow(config, word);
	if (!strcmp(word, "unaware"))
		config->unaware = true;
	else if (!strcmp(word, "no-trust"))
		config->no_trust = true;
	else if (!strcmp(word, "datagrams"))
		config->datagrams = true;
	else if (!strcmp(word, "no-timeout"))
		config->timeout = false;
	else if (!strcmp(word, "paper"))
		config->drop = false;
	else
		return parse_message(config, word, flows);
	return NULL;
}

static const char *check_care(struct world_config *config)
{
	if (!config->window)
		config->window = 1;
	/* Otherwise a packet would be in the network-buffer before the operator consumes it. */
	if (config->full && !config->drop)
		return "full= drops packets, paper does not";
	if (config->suspects && !config->drop)
		return "suspect= copies packets, paper has no place for them";
	for (unsigned int m = 0; m < config->nmessages && !config->drop; m++)
		if (!config->timing.fifo_room ||
		    config->message[m].flits <= config->timing.fifo_room)
			return "paper takes room= and packets of more flits";
	return NULL;
}

static const char *check_vnet(struct world_config *config)
{
	const char *wrong = fc_vclass_init(&config->classes, &config->topo);
	u8 longest = 0;

	if (wrong)
		return wrong;
	if (config->classes.count > WORLD_CHANNELS)
		return bad("more than %u classes", WORLD_CHANNELS);
	if (config->timing.fifo_room || config->timing.seek_max || !config->timeout ||
	    !config->drop)
		return "room=, seek=, no-timeout and paper are words of mode care";
	for (unsigned int m = 0; m < config->nmessages; m++)
		if (config->message[m].flits > longest)
			longest = config->message[m].flits;
	if (!config->window)
		config->window = longest;
	if (config->window < longest)
		return bad("a window of %u has no room for a packet of %u flits", config->window,
			   longest);
	return NULL;
}

const char *world_parse(struct world_config *config, const char *text)
{
	char words[256], *word, *rest = words;
	const char *wrong;
	unsigned int flows = 0;

	memset(config, 0, sizeof(*config));
	config->timing = (struct fc_timing){
		.seek = 1, .timeout = 1, .retry = 1, .ack_delay = 1, .poll = 1,
	};
	config->pool = 1;
	config->timeout = true;
	config->drop = true;
	if (strlen(text) >= sizeof(words))
		return "too long";
	strcpy(words, text);
	word = strtok_r(rest, " \t\n", &rest);
	if (!word)
		return "a scenario begins with a topology";
	wrong = fc_topo_parse(&config->topo, word);
	if (wrong)
		return wrong;
	if (config->topo.nsites > WORLD_SITES || config->topo.ndirs >= WORLD_PORTS)
		return bad("\"%s\": more than %u sites or %u directions", word, WORLD_SITES,
			   WORLD_PORTS - 1);
	while ((word = strtok_r(rest, " \t\n", &rest))) {
		wrong = parse_word(config, word, &flows);
		if (wrong)
			return wrong;
	}
	if (!config->nmessages)
		return "no message";
	if (config->no_trust && !config->suspects)
		return "no-trust needs suspect=";
	if (config->datagrams && (config->early || config->slow || !config->drop))
		return "datagrams: sources do not repeat them, and readers do not hold them";
	fc_pref_default(&config->pref, &config->topo);
	return fc_mode_ops(config->mode)->classes ? check_vnet(config) : check_care(config);
}
