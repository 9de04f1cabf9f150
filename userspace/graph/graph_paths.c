// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "graph_paths.h"

const char *graph_paths(struct flitcast_paths *paths, const struct fc_graph *graph,
			uint32_t source, unsigned int copies)
{
	struct flitcast_graph network = { .sites = graph->nsites, .links = graph->nlinks };
	struct flitcast_graph_link *link;
	struct flitcast_paths found;
	const char *wrong = NULL;
	uint32_t i;

	link = calloc(graph->nlinks, sizeof(*link));
	if (!link)
		return "not enough memory";
	for (i = 0; i < graph->nlinks; i++) {
		link[i].site[0] = graph->link[i].site[0];
		link[i].site[1] = graph->link[i].site[1];
	}
	network.link = link;
	if (flitcast_paths_find(&found, &network, source, copies, &wrong)) {
		free(link);
		return wrong;
	}
	if (flitcast_paths_check(&found, &network, &wrong))
		flitcast_paths_free(&found);
	else
		*paths = found;
	free(link);
	return wrong;
}

/* Port of a site for its link to @peer. */
static uint8_t port_to(const struct fc_topo *topo, uint32_t site, uint32_t peer)
{
	uint8_t d = 0;

	while (fc_topo_neighbour(topo, site, d) != peer)
		d++;
	return d + 1;
}

static uint32_t before(const struct flitcast_paths *paths, uint32_t hop)
{
	uint32_t last = paths->hop[hop].before;

	return last == FLITCAST_HOP_NONE ? paths->source : paths->hop[last].site;
}

static int order(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct fc_path_entry));
}

const char *graph_path_entries(const struct fc_topo *topo, const struct flitcast_paths *paths,
			       uint32_t site, struct fc_path_entry entry[FC_PATH_ENTRIES_MAX],
			       uint32_t *n)
{
	uint32_t i;

	*n = 0;
	for (i = 0; i < paths->hops; i++) {
		const struct flitcast_hop *hop = &paths->hop[i], *last = NULL;
		struct fc_path_entry w = { 0 };

		if (hop->label >= FC_LABELS_MAX)
			return "more than 8 packets of a broadcast over one link: use fewer copies";
		if (hop->before != FLITCAST_HOP_NONE)
			last = &paths->hop[hop->before];
		if (hop->site == site && hop->copy) {
			w.in = port_to(topo, site, before(paths, i));
			w.in_label = hop->label;
		} else if (before(paths, i) == site) {
			if (last) {
				w.in = port_to(topo, site, before(paths, hop->before));
				w.in_label = last->label;
			}
			w.out = port_to(topo, site, hop->site);
			w.out_label = hop->label;
		} else {
			continue;
		}
		if (*n == FC_PATH_ENTRIES_MAX)
			return "too many paths of a broadcast at one site: use fewer copies";
		entry[(*n)++] = w;
	}
	qsort(entry, *n, sizeof(*entry), order);
	return fc_path_check(topo, site, paths->source, paths->copies, entry, *n);
}
