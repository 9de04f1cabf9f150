// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast trace: the route that a message would take
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "draw.h"
#include "faults.h"
#include "flitcast.h"
#include "core/mode.h"
#include "network.h"
#include "out.h"
#include "prefer.h"
#include "sites.h"
#include "steiner.h"
#include "tables.h"
#include "trace_bcast.h"
#include "walk.h"

/* Flit size of a hypothetical network: the default of "site add". */
#define FLIT_DEFAULT	1500

/* Deeper levels are indented like this one. */
#define INDENT_MAX	60

/* Connection types as CARE, section 4.5, names them; "sink" is an addition. */
static const char *const connections[] = {
	[FC_CONN_NONE]		= "seek",
	[FC_CONN_UNICAST]	= "unicast",
	[FC_CONN_PASSTHRU]	= "passthru",
	[FC_CONN_ALL_REMOTE]	= "all-remote",
	[FC_CONN_SOME_LOCAL]	= "some-local",
	[FC_CONN_SINK]		= "sink",
};

static const char *const outcomes[] = {
	[OUTCOME_NONE]		= "unknown",
	[OUTCOME_DELIVERED]	= "delivered",
	[OUTCOME_UNREACHABLE]	= "unreachable",
	[OUTCOME_STORED]	= "stored",
	[OUTCOME_WAITS]		= "waits",
	[OUTCOME_CIRCLE]	= "circle",
};

/**
 * struct trace - a trace
 * @topo: topology
 * @spec: its canonical form
 * @net: state of the network
 * @prefers: entries for targets of the local site
 * @tables: preference tables from files
 * @down: links given as dead
 * @ndown: number of @down
 * @busy: net-outputs given as busy
 * @force: sites where packets are stored
 * @from: source
 * @flit: flit size
 * @svg: draw the message instead of printing it
 * @dot: draw it for graphviz
 * @count: number of targets
 * @target: targets
 */
struct trace {
	struct fc_topo topo;
	char spec[FC_SPEC_MAX];
	struct network net;
	struct prefers prefers;
	struct tables tables;
	struct place *down;
	size_t ndown;
	struct place *busy;
	u32 *force;
	u32 from;
	u32 flit;
	bool svg;
	bool dot;
	size_t count;
	struct target_state *target;
};

/* Read the state of the local site. */

static void read_route(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_ROUTE_MAX + 1];
	struct trace *trace = arg;
	struct fc_pref *pref = &trace->net.own_pref;
	struct fc_prefer entry;
	struct nlattr *ports;
	int i;
	int dir;

	get_attrs(message, a, FLITCAST_A_ROUTE_MAX);
	if (prefer_get(&entry, a)) {
		prefers_add(&trace->prefers, &entry);
		return;
	}
	ports = a[FLITCAST_A_ROUTE_PORTS];
	dir = fc_topo_dir_parse(&trace->topo,
				get_string(a[FLITCAST_A_ROUTE_DIRECTION]));
	if (dir < 0)
		return;
	pref->count[dir] = 0;
	for (i = 0; ports && i < nla_len(ports) && i < FC_DIRS_MAX; i++)
		pref->port[dir][pref->count[dir]++] = ((const uint8_t *)nla_data(ports))[i];
}

static void set_topology(struct trace *trace)
{
	fc_topo_print(&trace->topo, trace->spec);
	trace->net.topo = &trace->topo;
	trace->net.down = xalloc(trace->topo.nsites, sizeof(*trace->net.down));
	trace->net.suspect = xalloc(trace->topo.nsites, sizeof(*trace->net.suspect));
}

/* Read topology, preference table and known dead links of a local site. */
static int read_own(struct trace *trace, uint32_t site)
{
	struct request req = { 0 };
	struct network_own own;

	if (!network_own(&own, site, "trace"))
		return EXIT_FAILED;
	trace->topo = own.topo;
	trace->net.own = own.site;
	trace->net.mode = own.mode;
	trace->flit = own.flit;
	set_topology(trace);
	if (!faults_read(&trace->topo, trace->net.own, trace->net.down,
			 trace->net.suspect, "trace"))
		return EXIT_FAILED;

	fc_pref_default(&trace->net.own_pref, &trace->topo);
	request_flitcast(&req, FLITCAST_CMD_ROUTE_GET, NLM_F_DUMP);
	put_u32(&req, FLITCAST_A_ROUTE_SITE, trace->net.own);
	if (request_ask(&req, read_route, trace, "trace"))
		return EXIT_FAILED;
	trace->net.own_prefers = prefers_table(&trace->prefers, trace->topo.nsites);
	return 0;
}

/*
 * Output.
 */

static void print_target(const struct target_state *t)
{
	out_open_object(NULL);
	out_uint("site", "%llu", t->site);
	if (t->port == DEFAULT_PORT)
		out_uint("port", NULL, t->port);
	else
		out_uint("port", ":%llu", t->port);
	out_close_object();
}

static void print_mask(const struct trace *trace, const struct visit *visit, const char *key,
		       u64 mask)
{
	const char *comma = "";

	out_open_array(key);
	for (; mask; mask &= mask - 1) {
		out_text("%s", comma);
		print_target(&trace->target[visit->target[fc_low64(mask)]]);
		comma = ",";
	}
	out_close_array();
}

static void indent(unsigned int depth)
{
	out_text("%*s", 2 * (depth < INDENT_MAX ? depth : INDENT_MAX), "");
}

/* Print the transitions of the state machines: with -s, or in JSON. */
static void print_rows(const struct visit *visit, unsigned int depth)
{
	unsigned int i, machine = FC_ARRAY_SIZE(fc_fsms);

	out_open_array("transitions");
	for (i = 0; i < visit->nrows; i++) {
		const struct fired_row *row = &visit->row[i];
		const struct fc_fsm *fsm = &fc_fsms[row->machine];
		const struct fc_row *cell = &fsm->rows[row->state * fsm->nconds + row->cond];

		if (show_stats && row->machine != machine) {
			out_text(machine < FC_ARRAY_SIZE(fc_fsms) ? "\n" : "");
			indent(depth);
			out_text("%s", fsm->name);
		}
		machine = row->machine;
		out_open_object(NULL);
		out_string("machine", NULL, fsm->name);
		out_string("state", show_stats ? " %s" : NULL, fsm->states[row->state]);
		out_string("condition", show_stats ? " -%s->" : NULL, fsm->conds[row->cond]);
		out_string("next", show_stats ? " %s" : NULL, fsm->states[cell->next]);
		out_string("action", NULL, fsm->actions[cell->action]);
		out_string("upstream", NULL, fc_signal_names[cell->up]);
		out_close_object();
		if (show_stats && i + 1 < visit->nrows && visit->row[i + 1].machine == machine)
			out_text(",");
	}
	if (show_stats && visit->nrows)
		out_text("\n");
	out_close_array();
}

/* Name of a terminator on a link (Table A). */
static const char *term_name(u8 parts)
{
	return fc_fsms[3].conds[parts & FC_PART_ABORT ? FC_OPC_AP : FC_OPC_EOP];
}

/* Print what the local net-output receives and the action of the operator. */
static void print_local(const struct trace *trace, const struct visit *visit, unsigned int depth)
{
	enum fc_oper_cond cond = FC_OPC_EOP;
	const char *action = "serve";

	if (!visit->stored) {
		out_null("local");
		return;
	}
	if (visit->served == FC_FX_SERVE_LOCAL) {
		cond = FC_OPC_LEOP;
		action = "serve local";
	} else if (visit->served == FC_FX_DISCARD) {
		cond = FC_OPC_AP;
		action = "discard";
	}
	out_open_object("local");
	indent(depth);
	out_string("terminator", "local %s:", fc_fsms[3].conds[cond]);
	out_string("operator", " %s", action);
	if (visit->delivered)
		out_text(", delivered to ");
	print_mask(trace, visit, "delivered", visit->delivered);
	if (visit->kept)
		out_text(", stored for ");
	print_mask(trace, visit, "stored", visit->kept);
	if (visit->kept && !visit->again)
		out_text(" until a net-output comes free");
	out_text("\n");
	out_close_object();
}

static void print_direction(const struct trace *trace, u8 dir)
{
	char name[DIRECTION_SIZE];

	trace->topo.ops->dir_name(&trace->topo, dir, name);
	out_string("direction", " %s", name);
}

/* In modes with classes: print the links by which the packet may proceed to each target. */
static void print_routes(const struct trace *trace, const struct visit *visit, unsigned int depth)
{
	unsigned int i;
	u32 rest;

	if (!visit->routes)
		return;
	out_open_array("routes");
	for (i = 0; i < visit->ntargets; i++) {
		const struct routes *routes = &visit->routes[i];

		if (trace->target[visit->target[i]].site == visit->site)
			continue;
		out_open_object(NULL);
		indent(depth);
		out_text("routes to ");
		out_uint("site", "%llu:", trace->target[visit->target[i]].site);
		out_open_array("ports");
		if (!routes->dirs)
			out_text(" none");
		for (rest = routes->dirs; rest; rest &= rest - 1) {
			u8 dir = (u8)fc_low(rest);

			out_open_object(NULL);
			out_text(rest == routes->dirs ? "" : ",");
			out_uint("port", " port %llu", dir + 1);
			print_direction(trace, dir);
			out_uint("class", " class %llu", routes->class[dir]);
			out_close_object();
		}
		out_close_array();
		out_text("\n");
		out_close_object();
	}
	out_close_array();
}

static void print_class(const struct trace *trace, u8 class, bool there)
{
	if (!fc_mode_ops(trace->net.mode)->classes)
		return;
	if (there)
		out_uint("class", " class %llu", class);
	else
		out_null("class");
}

static void print_visit(const struct trace *trace, const struct visit *visit, const char *key,
			unsigned int depth)
{
	bool vnet = fc_mode_ops(trace->net.mode)->classes;
	bool postman = fc_mode_ops(trace->net.mode)->eager;
	unsigned int i;

	out_open_object(key);
	out_uint("site", "site %llu", visit->site);
	out_uint("in_port", visit->in_port ? " port %llu" : NULL, visit->in_port);
	print_class(trace, visit->class, visit->in_port);
	out_uint("hops", NULL, visit->hops);
	if (!visit->circle && ((visit->forced && !vnet) || visit->type == FC_CONN_NONE))
		out_uint("seeks", ": %llu seeks,", visit->seeks);
	else
		out_uint("seeks", ":", visit->seeks);
	out_bool("forced", visit->forced);
	if (visit->forced)
		out_text(vnet ? " stored for want of a route in its class," :
				" forced to the local net-output,");
	if (postman)
		out_bool("dead", visit->dead);
	if (visit->dead) {
		out_string("connection", " dead", "dead");
	} else if (visit->circle) {
		out_string("connection", " back in a circle", "circle");
	} else if (visit->type == FC_CONN_NONE) {
		out_text(" waits while net-outputs are busy,");
		out_null("connection");
	} else {
		out_string("connection", " %s", connections[visit->type]);
	}
	out_text(" to ");
	print_mask(trace, visit, "targets", fc_mask_all(visit->ntargets));
	out_text("\n");
	if (visit->unreachable) {
		indent(depth + 1);
		out_text("unreachable: ");
	}
	print_mask(trace, visit, "unreachable", visit->unreachable);
	if (visit->unreachable)
		out_text("\n");
	print_routes(trace, visit, depth + 1);
	print_rows(visit, depth + 1);
	print_local(trace, visit, depth + 1);
	out_open_array("branches");
	for (i = 0; i < visit->nbranches; i++) {
		const struct branch *branch = &visit->branch[i];

		out_open_object(NULL);
		indent(depth + 1);
		out_uint("port", "port %llu", branch->port);
		print_direction(trace, branch->port - 1);
		print_class(trace, branch->class, true);
		if (postman) {
			out_text(branch->run ? " before the look" : "");
			out_bool("eager", branch->run);
		}
		out_string("terminator", NULL, term_name(branch->parts));
		out_text(" > ");
		print_visit(trace, branch->next, "next", depth + 1);
		out_close_object();
	}
	out_close_array();
	if (visit->again) {
		indent(depth + 1);
		out_text("sent on by the operator > ");
		print_visit(trace, visit->again, "again", depth + 1);
	} else {
		out_null("again");
	}
	out_close_object();
}

static void print_places(const char *key, const struct place *places, size_t n)
{
	size_t i;

	out_open_array(key);
	for (i = 0; i < n; i++) {
		out_open_object(NULL);
		out_uint("site", NULL, places[i].site);
		out_uint("port", NULL, places[i].port);
		out_close_object();
	}
	out_close_array();
}

static void print_outcomes(const struct trace *trace)
{
	size_t i;

	out_open_array("targets");
	for (i = 0; i < trace->count; i++) {
		const struct target_state *t = &trace->target[i];

		out_open_object(NULL);
		out_uint("site", NULL, t->site);
		out_uint("port", NULL, t->port);
		out_string("outcome", NULL, outcomes[t->outcome]);
		out_uint("at", NULL, t->at);
		out_uint("hops", NULL, t->hops);
		out_uint("times", NULL, t->times);
		out_close_object();
	}
	out_close_array();
}

static void print_network(const struct trace *trace)
{
	const struct network *net = &trace->net;
	size_t i;

	out_string("topology", "%s", trace->spec);
	out_uint("from", " from site %llu", trace->from);
	out_string("mode", " in mode %s", fc_mode_ops(net->mode)->name);
	if (net->own != FC_SITE_NONE)
		out_uint("links_of_site", ", links as site %llu believes them to be", net->own);
	else
		out_null("links_of_site");
	out_text("\n");
	print_places("down", trace->down, trace->ndown);
	print_places("busy", net->busy, net->nbusy);
	out_open_array("force");
	for (i = 0; i < net->nforce; i++)
		out_uint(NULL, NULL, net->force[i]);
	out_close_array();
}

/*
 * Walk the packets for @n targets: one, or, in mode csr, one for each target if the packet cannot
 * reserve its tree.  Return: number of packets.
 */
static size_t walk_list(struct trace *trace, size_t first, size_t n, struct totals *totals,
			struct visit **visit)
{
	struct totals before = *totals;
	size_t i;

	visit[0] = walk(&trace->net, trace->from, trace->target, first, n, totals);
	if (!fc_mode_ops(trace->net.mode)->reserves || walk_reserves(visit[0]))
		return 1;
	walk_free(visit[0]);
	*totals = before;
	for (i = 0; i < n; i++) {
		trace->target[first + i].times = 0;
		visit[i] = walk(&trace->net, trace->from, trace->target, first + i, 1, totals);
	}
	return n;
}

/* Find the shortest tree that joins the source and its targets, over working links. */
static struct steiner find_tree(const struct trace *trace)
{
	u32 *site = xalloc(trace->count, sizeof(*site));
	struct steiner tree;
	size_t i;

	for (i = 0; i < trace->count; i++)
		site[i] = trace->target[i].site;
	if (!steiner_tree(&tree, &trace->topo, trace->net.down, trace->from, site, trace->count))
		fail("trace: not enough memory");
	free(site);
	return tree;
}

/* Print the links of the shortest tree, and the ratio of the message's links to them. */
static void print_tree(const struct steiner *tree, u64 links)
{
	out_open_object("steiner");
	out_text(", shortest tree%s", tree->exact ? "" : " at least");
	out_uint("links", " %llu", tree->links);
	out_bool("exact", tree->exact);
	if (tree->links) {
		out_text(", ratio%s", tree->exact ? "" : " at most");
		out_float("ratio", " %.2f", (double)links / tree->links);
	} else {
		out_null("ratio");
	}
	out_close_object();
}

/* Assign the links of a packet to it, except links already assigned to earlier packets. */
static void take_links(const struct trace *trace, const struct visit *visit, u32 packet,
		       struct load *loads)
{
	unsigned int i;

	for (i = 0; i < visit->nbranches; i++) {
		const struct branch *branch = &visit->branch[i];
		struct load *load = &loads[(size_t)visit->site * trace->topo.ndirs +
					   branch->port - 1];

		if (!load->tree)
			*load = (struct load){ .known = true, .up = true, .tree = packet };
		if (load->tree == packet)
			load->targets += branch->next->ntargets;
		take_links(trace, branch->next, packet, loads);
	}
	if (visit->again)
		take_links(trace, visit->again, packet, loads);
}

static void draw(const struct trace *trace, struct visit **visit, size_t n, bool dot)
{
	const struct fc_topo *topo = &trace->topo;
	struct load *loads = xalloc((size_t)topo->nsites * topo->ndirs, sizeof(*loads));
	uint8_t *marks = xalloc(topo->nsites, 1);
	size_t i;

	if (topo->nsites > DRAW_SITES_MAX)
		fail("trace: drawings have at most %d sites", DRAW_SITES_MAX);
	for (i = 0; i < n; i++)
		take_links(trace, visit[i], i + 1, loads);
	for (i = 0; i < trace->count; i++)
		marks[trace->target[i].site] = DRAW_TARGET;
	marks[trace->from] = DRAW_OWN;
	if (dot)
		draw_dot(topo, loads, marks);
	else
		draw_svg(topo, loads, marks);
	free(marks);
	free(loads);
	out_flush();
}

static int complain_of_routes(const struct trace *trace)
{
	int status = 0;
	size_t i;

	for (i = 0; i < trace->count; i++) {
		const struct target_state *t = &trace->target[i];

		if (t->outcome == OUTCOME_UNREACHABLE)
			complain("trace: no route to site %u from site %u", t->site, t->at);
		else if (t->outcome == OUTCOME_CIRCLE)
			complain("trace: packets to site %u come back to site %u: topology check "
				 "names the lists", t->site, t->at);
		else
			continue;
		status = EXIT_FAILED;
	}
	return status;
}

/* Fill packets with targets in their order, as the operator does. */
static int run(struct trace *trace)
{
	size_t most = (trace->flit - FC_LINK_SIZE - FC_CODE_SIZE - FC_PACKET_SIZE) / FC_TARGET_SIZE;
	size_t first, i, unreachable = 0, delivered = 0, circle = 0;
	struct totals totals = { 0 };
	struct steiner tree = find_tree(trace);
	struct visit **visit;
	size_t n = 0, lists = 0;

	if (most > FC_TARGETS_MAX)
		most = FC_TARGETS_MAX;
	visit = xalloc(trace->count, sizeof(*visit));
	for (first = 0; first < trace->count; first += most) {
		size_t rest = trace->count - first;

		n += walk_list(trace, first, rest < most ? rest : most, &totals, visit + n);
		lists++;
	}
	if (trace->svg || trace->dot) {
		draw(trace, visit, n, trace->dot);
		for (i = 0; i < n; i++)
			walk_free(visit[i]);
		free(visit);
		return complain_of_routes(trace);
	}
	out_open_object(NULL);
	print_network(trace);
	if (fc_mode_ops(trace->net.mode)->reserves) {
		out_bool("apart", n > lists);
		out_text(n > lists ? "a list that can reserve no tree: to each target apart\n" : "");
	}
	out_open_array("packets");
	for (i = 0; i < n; i++) {
		print_visit(trace, visit[i], NULL, 0);
		walk_free(visit[i]);
	}
	out_close_array();
	free(visit);
	print_outcomes(trace);
	for (i = 0; i < trace->count; i++) {
		delivered += trace->target[i].outcome == OUTCOME_DELIVERED;
		unreachable += trace->target[i].outcome == OUTCOME_UNREACHABLE;
		circle += trace->target[i].outcome == OUTCOME_CIRCLE;
	}
	out_uint("delivered", "%llu", delivered);
	out_text(" of %zu delivered", trace->count);
	out_uint("unreachable", unreachable ? ", %llu unreachable" : NULL, unreachable);
	out_uint("circle", circle ? ", %llu in a circle" : NULL, circle);
	out_uint("links", ": links %llu", totals.links);
	out_uint("hops", ", hops %llu", totals.hops);
	out_uint("splits", ", splits %llu", totals.splits);
	out_uint("stores", ", stored %llu", totals.stores);
	if (fc_mode_ops(trace->net.mode)->eager)
		out_uint("dead", ", dead %llu", totals.dead);
	print_tree(&tree, totals.links);
	out_text("\n");
	out_close_object();
	out_end();
	return complain_of_routes(trace);
}

/*
 * Arguments.
 */

/* "SITE:PORT" */
static struct place parse_place(const char *text, const char *what)
{
	const char *colon = strchr(text, ':');
	struct place place;
	char *site;

	if (!colon)
		bad_usage("%s is SITE:PORT, not \"%s\"", what, text);
	site = xprintf("%.*s", (int)(colon - text), text);
	place.site = parse_number(site, 0, FLITCAST_SITE_ANY - 1, "site");
	place.port = parse_number(colon + 1, 0, FC_DIRS_MAX, "port");
	free(site);
	return place;
}

static void need_site(const struct trace *trace, uint32_t site)
{
	if (site >= trace->topo.nsites)
		fail("trace: %s has no site %u: there are 0 to %u", trace->spec, site,
		     trace->topo.nsites - 1);
}

/* The other end of an existing link. */
static struct place other_end(const struct trace *trace, struct place place)
{
	struct place other = { FC_SITE_NONE, 0 };

	need_site(trace, place.site);
	if (place.port && place.port <= trace->topo.ndirs) {
		other.site = fc_topo_neighbour(&trace->topo, place.site, place.port - 1);
		other.port = trace->topo.ops->arrival(&trace->topo, place.site, place.port - 1) + 1;
	}
	if (other.site == FC_SITE_NONE)
		fail("trace: %s: site %u has no link at port %u", trace->spec, place.site,
		     place.port);
	return other;
}

/* Check all arguments before printing anything. */
static void check(struct trace *trace)
{
	struct network *net = &trace->net;
	size_t i;

	if (fc_mode_ops(net->mode)->classes && (net->nbusy || net->nforce))
		fail("trace: busy and force are of mode care");
	need_site(trace, trace->from);
	for (i = 0; i < trace->count; i++)
		need_site(trace, trace->target[i].site);
	for (i = 0; i < net->nforce; i++)
		need_site(trace, trace->force[i]);
	for (i = 0; i < net->nbusy; i++) {
		need_site(trace, trace->busy[i].site);
		if (trace->busy[i].port)
			other_end(trace, trace->busy[i]);
	}
	for (i = 0; i < trace->ndown; i++) {
		other_end(trace, trace->down[i]);
		net->down[trace->down[i].site] |= fc_bit(trace->down[i].port);
	}
	net->busy = trace->busy;
	net->force = trace->force;
}

/* Read the preference tables that files have. */
static int read_tables(struct trace *trace, const struct option_given *given)
{
	const struct option_value *file;
	size_t i;

	for (i = 0; (file = option_nth(given, "routes", i)); i++) {
		if (!i)
			tables_init(&trace->tables, &trace->topo);
		trace->net.tables = &trace->tables;
		if (tables_read(&trace->tables, file->text))
			return -1;
	}
	return 0;
}

/* Return: the table of a graph's classes, to be freed, or NULL. */
static void *set_classes(struct trace *trace)
{
	struct fc_vclass *classes = &trace->net.classes;
	const char *wrong;
	void *table = NULL;

	if (!fc_mode_ops(trace->net.mode)->classes)
		return NULL;
	wrong = fc_vclass_init(classes, &trace->topo);
	if (wrong)
		fail("trace: %s: %s", trace->spec, wrong);
	if (fc_vclass_room(classes, FC_SITE_NONE)) {
		table = xalloc(1, fc_vclass_room(classes, FC_SITE_NONE));
		fc_vclass_fill(classes, FC_SITE_NONE, table);
	}
	return table;
}

static void take_targets(struct trace *trace, const char *list)
{
	char *text = sites_expand(list, trace->topo.nsites, trace->from);
	struct flitcast_target *targets;
	const char *wrong;
	size_t i;

	if (flitcast_parse_targets(text, DEFAULT_PORT, &targets, &trace->count, &wrong))
		bad_usage("to %s: %s", text, wrong);
	trace->target = xalloc(trace->count, sizeof(*trace->target));
	for (i = 0; i < trace->count; i++) {
		trace->target[i].site = targets[i].site;
		trace->target[i].port = targets[i].port;
	}
	free(targets);
	free(text);
}

static void add_places(const struct option_given *given, const char *name, struct place **list,
		       size_t *n)
{
	const struct option_value *value;

	for (*n = 0; (value = option_nth(given, name, *n)); ++*n) {
		*list = xrealloc(*list, (*n + 1) * sizeof(**list));
		(*list)[*n] = parse_place(value->text, name);
	}
}

static int run_trace(const struct option_given *given)
{
	struct trace trace = {
		.net = { .own = FC_SITE_NONE, .mode = FC_MODE_DEFAULT }, .flit = FLIT_DEFAULT,
		.svg = option_was_given(given, "--svg"), .dot = option_was_given(given, "--dot"),
	};
	const char *mode = option_text(given, "mode"), *spec = option_text(given, "topology");
	uint32_t from = option_get(given, "from", FLITCAST_SITE_ANY);
	const struct option_value *force;
	void *table;
	int status;

	add_places(given, "down", &trace.down, &trace.ndown);
	add_places(given, "busy", &trace.busy, &trace.net.nbusy);
	while ((force = option_nth(given, "force", trace.net.nforce))) {
		trace.force = xrealloc(trace.force,
				       (trace.net.nforce + 1) * sizeof(*trace.force));
		trace.force[trace.net.nforce++] = force->number;
	}
	if (spec && from == FLITCAST_SITE_ANY)
		bad_usage("source is missing: from SITE");
	if (mode && !spec)
		bad_usage("mode goes with topology: a site has its own");
	if (mode) {
		trace.net.mode = fc_mode_parse(mode);
		if (trace.net.mode < 0)
			bad_usage("mode is one of " FC_MODES ", not \"%s\"", mode);
	}
	if (spec) {
		network_parse(&trace.topo, spec, "topology");
		set_topology(&trace);
	} else if (read_own(&trace, option_get(given, "site", FLITCAST_SITE_ANY))) {
		return EXIT_FAILED;
	}
	if (read_tables(&trace, given))
		return EXIT_FAILED;
	trace.from = from == FLITCAST_SITE_ANY ? trace.net.own : from;
	take_targets(&trace, option_text(given, "to"));
	check(&trace);
	table = set_classes(&trace);
	status = run(&trace);
	free(table);
	tables_free(&trace.tables);
	free(trace.target);
	free(trace.down);
	free(trace.net.down);
	free(trace.net.suspect);
	free(trace.busy);
	free(trace.force);
	return status;
}

#define ROUTE_OPTIONS \
	OPTION("topology", "SPEC", "in this network, in place of that of the site here", TEXT, 0, \
	       .group = 2, .complete = complete_topologies), \
	OPTION("site", "ID", SITE_HELP, NUMBER, 0, OPTION_RANGE(0, FLITCAST_SITE_ANY - 1), \
	       .group = 2, .complete = complete_sites), \
	OPTION("down", "SITE:PORT", "take this link for dead", TEXT, 0, .how = OPTION_REPEAT), \
	OPTION_DRAWINGS

static const struct option_entry options[] = {
	OPTION("to", "SITE[:PORT][,...]", TARGETS_HELP, TEXT, 0,
	       .how = OPTION_BARE | OPTION_NEED | OPTION_LATE),
	OPTION("from", "SITE", "the source, if it is not the site here", NUMBER, 0,
	       OPTION_RANGE(0, FLITCAST_SITE_ANY - 1)),
	OPTION("mode", "MODE", "with topology: the switching mode, " FC_MODES, TEXT, 0,
	       .complete = complete_modes),
	ROUTE_OPTIONS,
	OPTION("busy", "SITE:PORT", "mode care: take this link for busy", TEXT, 0,
	       .how = OPTION_REPEAT),
	OPTION("force", "SITE", "mode care: let the packet be stored here", NUMBER, 0,
	       OPTION_RANGE(0, FLITCAST_SITE_ANY - 1), .how = OPTION_REPEAT),
	OPTION("routes", "FILE", "tables that route save printed; -: standard input",
	       FILE, 0, .how = OPTION_REPEAT | OPTION_DASH),
};

static const struct option_entry bcast_options[] = {
	OPTION("SOURCE", NULL, "the source, if it is not the site here", NUMBER, 0,
	       OPTION_RANGE(0, FLITCAST_SITE_ANY - 1), .how = OPTION_PLAIN),
	OPTION("--copies", "K", "number of copies", NUMBER, 0, OPTION_RANGE(1, COPIES_MAX)),
	ROUTE_OPTIONS,
};

static const struct option_command bcast_command = {
	.name = "--broadcast",
	.help = "Print the paths of the copies of a broadcast",
	OPTION_TABLE(bcast_options),
	.run = trace_bcast,
};

const struct option_command trace_command = {
	.name = "trace",
	.help = "Print the route of a message to its receivers, link by link",
	OPTION_TABLE(options),
	.run = run_trace,
	.variant = &bcast_command,
};
