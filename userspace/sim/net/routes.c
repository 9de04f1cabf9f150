// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mode.h"
#include "option.h"
#include "prefer_text.h"
#include "routes.h"
#include "sim.h"
#include "base/util.h"

/**
 * struct reader - a file being read
 * @routes: the tables so far
 * @topo: topology of the network
 * @classes: its classes, or NULL: the mode has none
 * @preset: default lists of directions
 * @site: site of the line
 * @rest: words of the line that are left
 * @error: text of an error
 */
struct reader {
	struct routes *routes;
	const struct fc_topo *topo;
	const struct fc_vclass *classes;
	struct fc_pref preset;
	u32 site;
	char *rest;
	char error[PREFER_ERROR_SIZE];
};

/* Return: the next word of the line, or NULL. */
static const char *next_word(struct reader *r)
{
	const char *word;

	do
		word = strsep(&r->rest, " \t\r\n");
	while (word && !*word);
	return word;
}

/* Read "generation N", if it is there, and the end of the line. */
static const char *read_end(struct reader *r, const char *word)
{
	if (word && !strcmp(word, "generation") && next_word(r))
		word = next_word(r);
	return word ? "something follows the entry" : NULL;
}

/* Does each target of the site keep a next hop, as kernel/site/route.c asks for? */
static const char *check_blocked(struct reader *r)
{
	const struct fc_prefer_table *prefers = r->routes->prefers[r->site];
	const struct fc_pref *pref = r->routes->pref[r->site];
	u32 dst, e, never = 0;
	u64 classes = 0;
	bool blocks;

	if (!pref)
		pref = &r->preset;
	for (e = 0; prefers && e < prefers->count; e++)
		never |= prefers->entry[e].never;
	if (!never)
		return NULL;
	if (r->classes)
		classes = fc_prefer_classes(r->classes, r->site);
	for (dst = 0; dst < r->topo->nsites; dst++) {
		const struct fc_prefer *entry = fc_prefer_of(prefers, dst);

		if (!entry->never || dst == r->site)
			continue;
		/* Lists of directions are for control frames alone in modes with classes. */
		blocks = fc_pref_blocks(pref, r->topo, r->site, dst,
					r->classes ? entry->strict : entry->never);
		if (r->classes)
			blocks |= fc_prefer_blocks(r->classes, r->site, classes, dst, entry->never);
		if (!blocks)
			continue;
		snprintf(r->error, sizeof(r->error), "site %u would have no way left", dst);
		return r->error;
	}
	return NULL;
}

/* Read the list of a direction. */
static const char *read_list(struct reader *r, const char *direction)
{
	int dir = direction ? fc_topo_dir_parse(r->topo, direction) : -1;
	const char *word = next_word(r), *ports = next_word(r), *wrong;
	struct fc_prefer list = { 0 };
	struct fc_pref *pref;
	u8 i;

	if (dir < 0)
		return "a site has \"to\" and targets, or a direction of the topology";
	if (!word || strcmp(word, "ports") || !ports)
		return "a direction has \"ports\"";
	wrong = prefer_text_order(&list, ports, r->error);
	if (!wrong)
		wrong = read_end(r, next_word(r));
	if (wrong)
		return wrong;
	for (i = 0; i < list.count; i++)
		if (list.order[i] >= r->topo->ndirs)
			return "the topology has no such port";
	if (r->routes->listed[r->site] & fc_bit(dir))
		return "the site has another list of the direction";
	r->routes->listed[r->site] |= fc_bit(dir);
	if (list.count == 1 && list.order[0] == dir)
		return NULL;
	if (r->classes)
		return "only mode care has lists of directions: name targets";
	pref = r->routes->pref[r->site];
	if (!pref) {
		pref = xcalloc(1, sizeof(*pref));
		*pref = r->preset;
		r->routes->pref[r->site] = pref;
	}
	for (i = 0; i < list.count; i++)
		pref->port[dir][i] = list.order[i] + 1;
	pref->count[dir] = list.count;
	return check_blocked(r);
}

/* Add an entry to the table of the site; entry 0 is for all targets without another one. */
static const char *add_entry(struct reader *r, const struct fc_prefer *entry)
{
	struct fc_prefer_table *old = r->routes->prefers[r->site], *table;
	u32 count = old ? old->count : 1, site;
	size_t size;

	if (entry->nranges && count++ == FC_PREFER_MAX)
		return "too many entries";
	if (!entry->nranges && old && fc_prefer_is_set(old->entry))
		return "there are two entries for all other targets";
	size = sizeof(*table) + count * sizeof(*entry);
	table = xcalloc(1, size + r->topo->nsites);
	if (old)
		memcpy(table, old, sizeof(*old) + old->count * sizeof(*entry));
	free(old);
	table->of = (u8 *)table + size;
	table->count = count;
	table->entry[entry->nranges ? count - 1 : 0] = *entry;
	r->routes->prefers[r->site] = table;
	site = fc_prefer_index(table, r->topo->nsites);
	if (site == FC_SITE_NONE)
		return check_blocked(r);
	snprintf(r->error, sizeof(r->error), "site %u has another entry", site);
	return r->error;
}

/* Read a word of an entry and its value.  Return: false if the word is none of an entry. */
static bool read_word(struct reader *r, struct fc_prefer *entry, const char *word,
		      const char **wrong)
{
	const char *(*read)(struct fc_prefer *entry, const char *text, char *error);
	bool given;

	if (!strcmp(word, "strict")) {
		*wrong = entry->never ? NULL : "\"strict\" belongs to \"never\"";
		entry->strict = entry->never;
		return true;
	}
	if (!strcmp(word, "prefer")) {
		given = entry->count;
		read = prefer_text_order;
	} else if (!strcmp(word, "never")) {
		given = entry->never;
		read = prefer_text_never;
	} else if (!strcmp(word, "weights")) {
		given = entry->weighted;
		read = prefer_text_weights;
	} else {
		return false;
	}
	word = next_word(r);
	if (given)
		*wrong = "a word comes twice";
	else
		*wrong = word ? read(entry, word, r->error) : "the ports are missing";
	return true;
}

/* Read an entry for targets. */
static const char *read_entry(struct reader *r)
{
	const char *word = next_word(r), *wrong;
	struct fc_prefer entry = { 0 };
	u32 used;
	u8 i;

	wrong = word ? prefer_text_targets(&entry, word) : "the targets are missing";
	do
		word = next_word(r);
	while (!wrong && word && read_word(r, &entry, word, &wrong));
	if (!wrong)
		wrong = read_end(r, word);
	if (!wrong)
		wrong = prefer_text_check(&entry);
	if (wrong)
		return wrong;
	if (entry.nranges && entry.range[entry.nranges - 1].last >= r->topo->nsites)
		return "a target is no site of the topology";
	used = entry.never | entry.weighted;
	for (i = 0; i < entry.count; i++)
		used |= fc_bit(entry.order[i]);
	if (used & ~fc_mask_all(r->topo->ndirs))
		return "the topology has no such port";
	return add_entry(r, &entry);
}

/* Read a line.  Return: NULL, or an error message. */
static const char *read_line(struct reader *r, char *text)
{
	const char *word, *end;
	u64 site;

	text[strcspn(text, "#")] = 0;
	r->rest = text;
	word = next_word(r);
	if (!word)
		return NULL;
	if (strcmp(word, "site"))
		return "a line begins with \"site\"";
	word = next_word(r);
	if (!word || !option_number(word, r->topo->nsites - 1, &site, &end) || *end)
		return "the site is none of the topology";
	r->site = (u32)site;
	word = next_word(r);
	if (word && !strcmp(word, "to"))
		return read_entry(r);
	return read_list(r, word);
}

static struct routes *routes_new(u32 nsites)
{
	struct routes *routes = xcalloc(1, sizeof(*routes));

	routes->nsites = nsites;
	routes->listed = xcalloc(nsites, sizeof(*routes->listed));
	routes->pref = xcalloc(nsites, sizeof(*routes->pref));
	routes->prefers = xcalloc(nsites, sizeof(*routes->prefers));
	return routes;
}

struct routes *routes_static(const struct fc_topo *topo)
{
	struct routes *routes = routes_new(topo->nsites);
	u32 count = topo->ndirs + 1u;
	size_t size = sizeof(struct fc_prefer_table) + count * sizeof(struct fc_prefer);

	for (u32 site = 0; site < topo->nsites; site++) {
		struct fc_prefer_table *table = xcalloc(1, size + topo->nsites);

		table->of = (u8 *)table + size;
		table->count = count;
		for (u8 dir = 0; dir < topo->ndirs; dir++) {
			table->entry[dir + 1].never = fc_mask_all(topo->ndirs) & ~fc_bit(dir);
			table->entry[dir + 1].strict = table->entry[dir + 1].never;
		}
		for (u32 dst = 0; dst < topo->nsites; dst++)
			if (dst != site)
				table->of[dst] = fc_low(fc_topo_minimal(topo, site, dst)) + 1;
		routes->prefers[site] = table;
	}
	return routes;
}

struct routes *routes_read(const char *path, const struct config *config,
			   const struct fc_vclass *classes)
{
	struct reader r = { .topo = &config->topo };
	FILE *file = fopen(path, "r");
	const char *wrong = NULL;
	unsigned long n = 0;
	char *text = NULL;
	size_t room = 0;

	if (!file) {
		fprintf(stderr, "flitcast-sim: --routes %s: %s\n", path, strerror(errno));
		return NULL;
	}
	if (fc_mode_ops(config->mode)->classes)
		r.classes = classes;
	fc_pref_default(&r.preset, r.topo);
	r.routes = routes_new(r.topo->nsites);
	while (!wrong && getline(&text, &room, file) >= 0) {
		n++;
		wrong = read_line(&r, text);
	}
	if (!wrong && ferror(file))
		wrong = "the file cannot be read";
	fclose(file);
	free(text);
	if (!wrong)
		return r.routes;
	fprintf(stderr, "flitcast-sim: %s:%lu: %s\n", path, n, wrong);
	routes_free(r.routes);
	return NULL;
}

void routes_free(struct routes *routes)
{
	u32 site;

	if (!routes)
		return;
	for (site = 0; site < routes->nsites; site++) {
		free(routes->pref[site]);
		free(routes->prefers[site]);
	}
	free(routes->listed);
	free(routes->pref);
	free(routes->prefers);
	free(routes);
}
