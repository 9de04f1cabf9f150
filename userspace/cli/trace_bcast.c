// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast trace --broadcast: the trees of a broadcast, from the tables that sites use
 *
 * A tree consists of the packets that leave the source by one port.  The paths to a site share no
 * other site, so each of its copies arrives by another tree; if the source has more ports than
 * there are copies, the trees that serve a site differ from site to site.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "core/topo/bcast.h"
#include "cli.h"
#include "draw.h"
#include "faults.h"
#include "graph_paths.h"
#include "network.h"
#include "out.h"
#include "trace_bcast.h"
#include "core/topo/tree.h"

/* Deeper levels are indented like this one. */
#define INDENT_MAX	60

/**
 * struct site_entries - path entries of the broadcast at a site of a graph
 * @entry: path entries
 * @n: number of path entries
 */
struct site_entries {
	struct fc_path_entry entry[FC_PATH_ENTRIES_MAX];
	u32 n;
};

/**
 * struct bcast_trace - a trace
 * @topo: topology
 * @spec: its canonical form
 * @own: local site, or FC_SITE_NONE
 * @table: for @copies; without entries a tree of shortest paths
 * @entries: on a graph with more than one copy, path entries by site; else NULL
 * @nlabels: packets that a link may carry
 * @down: by site, ports whose link is dead
 * @load: by site, direction and label, the outgoing packet: its tree, and the number of the copy
 *	at the next site
 * @hops: by site, direction and label, links from the source
 * @got: by site, copies received
 * @source: source of the broadcast
 * @copies: k
 * @links: packets on links
 * @longest: links of the longest path
 */
struct bcast_trace {
	struct fc_topo topo;
	char spec[FC_SPEC_MAX];
	u32 own;
	struct fc_bcast table;
	struct site_entries *entries;
	u32 nlabels;
	u32 *down;
	struct load *load;
	u32 *hops;
	u32 *got;
	u32 source;
	u32 copies;
	u32 links;
	u32 longest;
};

static void set_topology(struct bcast_trace *trace)
{
	fc_topo_print(&trace->topo, trace->spec);
	trace->down = xalloc(trace->topo.nsites, sizeof(*trace->down));
}

/* Read topology and known dead links of a local site. */
static int read_own(struct bcast_trace *trace, uint32_t site)
{
	struct network_own own;

	if (!network_own(&own, site, "trace"))
		return EXIT_FAILED;
	trace->topo = own.topo;
	trace->own = own.site;
	set_topology(trace);
	if (!faults_read(&trace->topo, trace->own, trace->down, NULL, "trace"))
		return EXIT_FAILED;
	return 0;
}

/* Compute the paths of a graph as they would be configured at the sites. */
static void make_entries(struct bcast_trace *trace)
{
	struct flitcast_paths paths;
	const char *wrong;
	u32 site;

	wrong = graph_paths(&paths, trace->topo.graph, trace->source, trace->copies);
	if (wrong)
		fail("trace: broadcast on %s in %u copies: %s", trace->spec, trace->copies, wrong);
	trace->nlabels = FC_LABELS_MAX;
	trace->entries = xalloc(trace->topo.nsites, sizeof(*trace->entries));
	for (site = 0; site < trace->topo.nsites && !wrong; site++)
		wrong = graph_path_entries(&trace->topo, &paths, site, trace->entries[site].entry,
					   &trace->entries[site].n);
	if (wrong)
		fail("trace: broadcast on %s in %u copies: %s", trace->spec, trace->copies, wrong);
	flitcast_paths_free(&paths);
}

/* Compute the table as a site does, on topologies with rules. */
static void make_table(struct bcast_trace *trace)
{
	const struct fc_topo *topo = &trace->topo;
	struct fc_bcast_work *work;
	const char *wrong;

	trace->nlabels = 1;
	if (topo->graph && trace->copies > 1) {
		make_entries(trace);
		return;
	}
	wrong = fc_bcast_init(&trace->table, topo, trace->copies);
	if (wrong && trace->copies == 1)
		return;
	if (wrong)
		fail("trace: broadcast on %s in %u copies: %s", trace->spec, trace->copies, wrong);
	trace->table.entry = xalloc(fc_bcast_slots(topo), sizeof(*trace->table.entry));
	work = xalloc(fc_bcast_slots(topo), sizeof(*work));
	wrong = fc_bcast_fill(&trace->table, work);
	if (!wrong)
		wrong = fc_bcast_check(&trace->table, work);
	if (wrong)
		fail("trace: broadcast on %s in %u copies: %s", trace->spec, trace->copies, wrong);
	free(work);
}

/* Incoming port, as path entries encode it. */
static u8 in_port(u8 from)
{
	return from == FC_TREE_SOURCE ? FC_PORT_LOCAL : from + 1;
}

/*
 * Directions in which a site forwards a packet, and FC_BCAST_DELIVER if it is a copy for the site.
 */
static u32 next_of(const struct bcast_trace *trace, u32 site, u8 from, u8 label)
{
	u32 next = 0;

	if (trace->entries) {
		const struct site_entries *w = &trace->entries[site];

		next = fc_path_next(w->entry, w->n, in_port(from), label);
		return next >> 1 | (next & fc_bit(FC_PORT_LOCAL) ? FC_BCAST_DELIVER : 0);
	}
	if (!trace->table.entry)
		fc_tree_next(&trace->topo, trace->source, site, from, &next);
	else
		return fc_bcast_next(&trace->table, trace->source, site, from);
	return from == FC_TREE_SOURCE ? next : next | FC_BCAST_DELIVER;
}

/* Label with which a site forwards the packet in a direction. */
static u8 label_of(const struct bcast_trace *trace, u32 site, u8 from, u8 label, u8 dir)
{
	const struct site_entries *w = trace->entries ? &trace->entries[site] : NULL;

	return w ? fc_path_label(w->entry, w->n, in_port(from), label, dir + 1) : 0;
}

/* Does one of its ends report the link dead? */
static bool is_dead(const struct bcast_trace *trace, u32 site, u8 dir, u32 peer)
{
	return (trace->down[site] >> (dir + 1) | trace->down[peer] >>
		(trace->topo.ops->arrival(&trace->topo, site, dir) + 1)) & 1;
}

static struct load *load_of(const struct bcast_trace *trace, u32 site, u8 dir, u8 label)
{
	return &trace->load[((size_t)site * trace->topo.ndirs + dir) * trace->nlabels + label];
}

/* Follow a packet over a link, and over the links after it. */
static void follow(struct bcast_trace *trace, u32 site, u8 dir, u8 label, u32 tree, u32 hops)
{
	const struct fc_topo *topo = &trace->topo;
	u32 peer = fc_topo_neighbour(topo, site, dir), next;
	struct load *load = load_of(trace, site, dir, label);
	u8 back = topo->ops->arrival(topo, site, dir), d;

	load->known = true;
	load->up = !is_dead(trace, site, dir, peer);
	load->tree = tree;
	trace->hops[load - trace->load] = hops;
	if (!load->up)
		return;
	next = next_of(trace, peer, back, label);
	trace->links++;
	trace->got[peer] += !!(next & FC_BCAST_DELIVER);
	trace->longest = hops > trace->longest ? hops : trace->longest;
	for (d = 0; d < topo->ndirs; d++)
		if (next & fc_bit(d))
			follow(trace, peer, d, label_of(trace, peer, back, label, d), tree,
			       hops + 1);
}

/* Return: the link by which a site receives the copy with @label at a port; or NULL: none. */
static struct load *coming(const struct bcast_trace *trace, u32 site, u8 dir, u8 label)
{
	u32 peer = fc_topo_neighbour(&trace->topo, site, dir);
	struct load *load;

	if (peer == FC_SITE_NONE)
		return NULL;
	load = load_of(trace, peer, trace->topo.ops->arrival(&trace->topo, site, dir), label);
	return load->up && next_of(trace, site, dir, label) & FC_BCAST_DELIVER ? load : NULL;
}

/* Number the copies of a site by length of path, then by port. */
static void number_copies(struct bcast_trace *trace, u32 site)
{
	u32 copy, at;

	for (copy = 1; copy <= trace->got[site]; copy++) {
		struct load *next = NULL;

		for (at = 0; at < trace->topo.ndirs * trace->nlabels; at++) {
			struct load *load = coming(trace, site, at / trace->nlabels,
						   at % trace->nlabels);

			if (load && !load->copy && (!next || trace->hops[load - trace->load] <
						    trace->hops[next - trace->load]))
				next = load;
		}
		next->copy = copy;
	}
}

/* Follow a tree for each port of the source by which packets leave. */
static void follow_all(struct bcast_trace *trace)
{
	u32 start = next_of(trace, trace->source, FC_TREE_SOURCE, 0), tree = 0, site;
	u8 d;

	for (d = 0; d < trace->topo.ndirs; d++)
		if (start & fc_bit(d))
			follow(trace, trace->source, d,
			       label_of(trace, trace->source, FC_TREE_SOURCE, 0, d), ++tree, 1);
	for (site = 0; site < trace->topo.nsites; site++)
		number_copies(trace, site);
}

static void print_hop(const struct bcast_trace *trace, u32 site, u8 dir, u8 label, u32 hops)
{
	const struct fc_topo *topo = &trace->topo;
	const struct load *load = load_of(trace, site, dir, label);
	u32 peer = fc_topo_neighbour(topo, site, dir), next = 0;
	u8 from = topo->ops->arrival(topo, site, dir), d;
	char name[DIRECTION_SIZE];

	if (load->up)
		next = next_of(trace, peer, from, label);
	topo->ops->dir_name(topo, dir, name);
	out_open_object(NULL);
	if (hops == 1)
		out_uint("tree", "tree %llu: ", load->tree);
	else
		out_text("%*s", (int)(2 * (hops < INDENT_MAX ? hops : INDENT_MAX)), "");
	out_uint("port", "port %llu", dir + 1);
	out_string("direction", " %s", name);
	out_uint("site", " > site %llu", peer);
	out_uint("in_port", " port %llu", from + 1);
	out_uint("label", label ? " label %llu" : NULL, label);
	out_uint("hops", NULL, hops);
	if (load->copy)
		out_uint("copy", ": copy %llu", load->copy);
	else
		out_null("copy");
	out_bool("lost", !load->up);
	out_text(load->up ? "\n" : ": lost, the link is dead\n");
	out_open_array("branches");
	for (d = 0; d < topo->ndirs; d++)
		if (next & fc_bit(d))
			print_hop(trace, peer, d, label_of(trace, peer, from, label, d), hops + 1);
	out_close_array();
	out_close_object();
}

static void print_trees(const struct bcast_trace *trace)
{
	u32 start = next_of(trace, trace->source, FC_TREE_SOURCE, 0);
	u8 d;

	out_open_array("trees");
	for (d = 0; d < trace->topo.ndirs; d++)
		if (start & fc_bit(d))
			print_hop(trace, trace->source, d,
				  label_of(trace, trace->source, FC_TREE_SOURCE, 0, d), 1);
	out_close_array();
}

/* Return: number of sites that no copy reaches. */
static u32 print_sites(const struct bcast_trace *trace)
{
	u32 site, none = 0, least = trace->copies;

	out_open_array("sites");
	for (site = 0; site < trace->topo.nsites; site++) {
		if (site == trace->source)
			continue;
		out_open_object(NULL);
		out_uint("site", NULL, site);
		out_uint("copies", NULL, trace->got[site]);
		out_close_object();
		none += !trace->got[site];
		if (trace->got[site] && trace->got[site] < least)
			least = trace->got[site];
	}
	out_close_array();
	out_uint("least", least < trace->copies ? "at least %llu copies" : "%llu copies", least);
	out_uint("reached", " at each of %llu sites", trace->topo.nsites - 1 - none);
	out_uint("missed", none ? ", none at %llu" : NULL, none);
	out_uint("links", ": links %llu", trace->links);
	out_uint("longest", ", hops up to %llu\n", trace->longest);
	return none;
}

static int print(const struct bcast_trace *trace)
{
	u32 none, site;

	out_open_object(NULL);
	out_string("topology", "%s", trace->spec);
	out_uint("source", " broadcast of site %llu", trace->source);
	out_uint("copies", " in %llu copies", trace->copies);
	if (trace->own != FC_SITE_NONE)
		out_uint("links_of_site", ", links as site %llu believes them to be", trace->own);
	else
		out_null("links_of_site");
	out_text("\n");
	print_trees(trace);
	none = print_sites(trace);
	out_close_object();
	out_end();
	for (site = 0; none && site < trace->topo.nsites; site++)
		if (site != trace->source && !trace->got[site])
			complain("trace: no copy comes to site %u", site);
	return none ? EXIT_FAILED : 0;
}

/* Choose the packet to draw on each link: of several, preferably a copy. */
static struct load *one_each(const struct bcast_trace *trace)
{
	size_t i, n = (size_t)trace->topo.nsites * trace->topo.ndirs;
	struct load *drawn = xalloc(n, sizeof(*drawn));
	u32 label;

	for (i = 0; i < n; i++) {
		for (label = 0; label < trace->nlabels; label++) {
			const struct load *load = &trace->load[i * trace->nlabels + label];

			if (load->known && (!drawn[i].known || (load->copy && !drawn[i].copy)))
				drawn[i] = *load;
		}
	}
	return drawn;
}

static int draw(const struct bcast_trace *trace, bool dot)
{
	uint8_t *marks = xalloc(trace->topo.nsites, 1);
	struct load *drawn = one_each(trace);

	if (trace->topo.nsites > DRAW_SITES_MAX)
		fail("trace: drawings have at most %d sites", DRAW_SITES_MAX);
	marks[trace->source] = DRAW_OWN;
	if (dot)
		draw_dot(&trace->topo, drawn, marks);
	else
		draw_svg(&trace->topo, drawn, marks);
	free(marks);
	free(drawn);
	out_flush();
	return 0;
}

/* "SITE:PORT": the link there is dead, in both directions. */
struct dead {
	u32 site;
	u32 port;
};

static struct dead parse_dead(const char *text)
{
	const char *colon = strchr(text, ':');
	struct dead dead;
	char *site;

	if (!colon)
		bad_usage("down is SITE:PORT, not \"%s\"", text);
	site = xprintf("%.*s", (int)(colon - text), text);
	dead.site = parse_number(site, 0, FLITCAST_SITE_ANY - 1, "site");
	dead.port = parse_number(colon + 1, 0, FC_DIRS_MAX, "port");
	free(site);
	return dead;
}

static void need_site(const struct bcast_trace *trace, uint32_t site)
{
	if (site >= trace->topo.nsites)
		fail("trace: %s has no site %u: there are 0 to %u", trace->spec, site,
		     trace->topo.nsites - 1);
}

static void apply_dead(struct bcast_trace *trace, const struct dead *dead, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		need_site(trace, dead[i].site);
		if (!dead[i].port || dead[i].port > trace->topo.ndirs ||
		    fc_topo_neighbour(&trace->topo, dead[i].site, dead[i].port - 1) ==
		    FC_SITE_NONE)
			fail("trace: %s: site %u has no link at port %u", trace->spec,
			     dead[i].site, dead[i].port);
		trace->down[dead[i].site] |= fc_bit(dead[i].port);
	}
}

int trace_bcast(const struct option_given *given)
{
	struct bcast_trace trace = {
		.own = FC_SITE_NONE,
		.source = option_get(given, "SOURCE", FC_SITE_NONE),
		.copies = option_get(given, "--copies", 1),
	};
	const char *spec = option_text(given, "topology");
	const struct option_value *value;
	struct dead *dead = NULL;
	size_t ndead, packets;
	int status;

	for (ndead = 0; (value = option_nth(given, "down", ndead)); ndead++) {
		dead = xrealloc(dead, (ndead + 1) * sizeof(*dead));
		dead[ndead] = parse_dead(value->text);
	}
	if (spec && trace.source == FC_SITE_NONE)
		bad_usage("SOURCE is missing");
	if (spec) {
		network_parse(&trace.topo, spec, "topology");
		set_topology(&trace);
	} else if (read_own(&trace, option_get(given, "site", FLITCAST_SITE_ANY))) {
		return EXIT_FAILED;
	}
	if (trace.source == FC_SITE_NONE)
		trace.source = trace.own;
	need_site(&trace, trace.source);
	apply_dead(&trace, dead, ndead);
	make_table(&trace);
	packets = (size_t)trace.topo.nsites * trace.topo.ndirs * trace.nlabels;
	trace.load = xalloc(packets, sizeof(*trace.load));
	trace.hops = xalloc(packets, sizeof(*trace.hops));
	trace.got = xalloc(trace.topo.nsites, sizeof(*trace.got));
	follow_all(&trace);
	status = option_was_given(given, "--svg") || option_was_given(given, "--dot") ?
		draw(&trace, option_was_given(given, "--dot")) : print(&trace);
	free(trace.entries);
	free(trace.load);
	free(trace.hops);
	free(trace.got);
	free(trace.down);
	free(trace.table.entry);
	free(dead);
	return status;
}
