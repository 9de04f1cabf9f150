// SPDX-License-Identifier: GPL-2.0
/* Targets of the messages of the stress test. */
#include <stdlib.h>
#include <string.h>
#include "lab.h"
#include "msg.h"
#include "stress.h"

static const char *const patterns[] = {
	[PATTERN_UNIFORM] = "uniform", [PATTERN_TRANSPOSE] = "transpose", [PATTERN_HOT] = "hot",
};

int stress_pattern(const char *name)
{
	for (unsigned int i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (!strcmp(name, patterns[i]))
			return (int)i;
	return -1;
}

/* Side length of a square of @sites sites; 0: @sites is no square number. */
static uint32_t side_of(uint32_t sites)
{
	uint32_t side = 1;

	while (side * side < sites)
		side++;
	return side * side == sites ? side : 0;
}

void stress_check_pattern(void)
{
	if (opt.pattern == PATTERN_TRANSPOSE && !side_of(lab_sites(opt.lab)))
		die("a transposition needs as many rows as columns");
	if (opt.pattern != PATTERN_UNIFORM && opt.in_order)
		die("--figure4 has a pattern of its own");
}

/* The site that the pattern requires among the targets, or NO_SITE. */
static uint32_t wanted(struct prng *prng, uint32_t from)
{
	static uint32_t side;
	uint32_t to;

	switch (opt.pattern) {
	case PATTERN_TRANSPOSE:
		if (!side)
			side = side_of(lab_sites(opt.lab));
		to = from % side * side + from / side;
		/*
		 * A site that is mapped to itself sends to a random one: a message must cross a
		 * link.
		 */
		return to == from ? NO_SITE : to;
	case PATTERN_HOT:
		return prng_below(prng, 4) ? NO_SITE : opt.to[opt.nto / 2];
	default:
		return NO_SITE;
	}
}

/* Choose @n of the receivers, in random order. */
static void draw(struct prng *prng, unsigned int *to, unsigned int n)
{
	static unsigned int *deck;
	unsigned int i;

	if (!deck) {
		deck = calloc(nreceivers, sizeof(*deck));
		if (!deck)
			die("no memory");
		for (i = 0; i < nreceivers; i++)
			deck[i] = i;
	}
	for (i = 0; i < n; i++) {
		unsigned int k = i + prng_below(prng, nreceivers - i), other = deck[i];

		deck[i] = deck[k];
		deck[k] = other;
		to[i] = deck[i];
	}
}

void stress_choose(struct prng *prng, const struct sender *s, unsigned int *to, unsigned int n)
{
	bool reversed = (s - senders) & 1;
	unsigned int i, k;
	uint32_t site;

	if (opt.in_order) {
		for (i = 0; i < n; i++)
			to[i] = reversed ? n - 1 - i : i;
		return;
	}
	draw(prng, to, n);
	site = wanted(prng, s->site);
	for (i = 0; i < nreceivers && receivers[i].site != site; i++)
		;
	if (i == nreceivers)
		return;
	/* If it is already among the targets, swap it with the first one. */
	for (k = 0; k < n && to[k] != i; k++)
		;
	if (k < n)
		to[k] = to[0];
	to[0] = i;
}
