// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "option.h"
#include "sites.h"
#include "util.h"

#define ALL	"all"

static void add_range(uint32_t first, uint32_t last, uint32_t *sites, size_t *n)
{
	size_t i;

	for (; first <= last; first++) {
		for (i = 0; i < *n; i++)
			if (sites[i] == first)
				bad_usage("site %u is named twice", first);
		sites[(*n)++] = first;
	}
}

void sites_parse(const char *text, uint32_t nsites, const char *network, uint32_t *sites,
		 size_t *n)
{
	const char *p = text;
	u64 first, last;

	if (!strcmp(text, ALL)) {
		add_range(0, nsites - 1, sites, n);
		return;
	}
	for (;;) {
		if (!option_number(p, UINT32_MAX, &first, &p))
			bad_usage("sites are such as 3, 1-5,9 or all, not \"%s\"", text);
		last = first;
		if (*p == '-' && !option_number(p + 1, UINT32_MAX, &last, &p))
			bad_usage("sites are such as 3, 1-5,9 or all, not \"%s\"", text);
		if (last < first)
			bad_usage("a range of sites begins with the smaller one, not \"%s\"", text);
		if (last >= nsites)
			fail("%s: there is no site %llu: sites are 0 to %u", network,
			     (unsigned long long)last, nsites - 1);
		if (*p && *p != ',')
			bad_usage("sites are such as 3, 1-5,9 or all, not \"%s\"", text);
		add_range(first, last, sites, n);
		if (!*p++)
			return;
	}
}

bool sites_are_all(const char *text)
{
	return !strncmp(text, ALL, strlen(ALL)) &&
	       (!text[strlen(ALL)] || text[strlen(ALL)] == ':');
}

char *sites_expand(const char *text, uint32_t nsites, uint32_t own)
{
	const char *port = text + strlen(ALL);

	if (!sites_are_all(text) || nsites < 2)
		return xprintf("%s", text);
	if (!own || own >= nsites)
		return xprintf("%u-%u%s", own ? 0 : 1, nsites - 1, port);
	if (own == nsites - 1)
		return xprintf("0-%u%s", own - 1, port);
	return xprintf("0-%u%s,%u-%u%s", own - 1, port, own + 1, nsites - 1, port);
}
