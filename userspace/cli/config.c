// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "config.h"
#include "bounds.h"
#include "mode.h"
#include "network.h"
#include "out.h"

const struct config_field config_settings[CONFIG_SETTINGS] = {
	[CONFIG_FLIT] = { "flit", FLITCAST_A_SITE_FLIT, true, FLITCAST_FLIT_MIN,
			  FLITCAST_FLIT_MAX, FLITCAST_FLIT_DEFAULT },
	[CONFIG_WINDOW] = { "window", FLITCAST_A_SITE_WINDOW, true, 1, FLITCAST_WINDOW_MAX,
			    FLITCAST_WINDOW_DEFAULT },
	[CONFIG_SEEK] = { "seek_us", FLITCAST_A_SITE_SEEK, false, FLITCAST_SEEK_MIN,
			  FLITCAST_SEEK_LONGEST, FLITCAST_SEEK_DEFAULT },
	[CONFIG_SEEK_MAX] = { "seek_max", FLITCAST_A_SITE_SEEK_MAX, false, 0,
			      FLITCAST_SEEKS_LIMIT, FLITCAST_SEEKS_DEFAULT },
	[CONFIG_TIMEOUT] = { "timeout_us", FLITCAST_A_SITE_TIMEOUT, false,
			     FLITCAST_TIMEOUT_MIN, FLITCAST_TIMEOUT_LONGEST,
			     FLITCAST_TIMEOUT_DEFAULT },
	[CONFIG_RETRY] = { "retry_us", FLITCAST_A_SITE_RETRY, false, FLITCAST_RETRY_MIN,
			   FLITCAST_RETRY_LONGEST, FLITCAST_RETRY_DEFAULT },
	[CONFIG_PROBE] = { "probe_us", FLITCAST_A_SITE_PROBE, false, FLITCAST_PROBE_MIN,
			   FLITCAST_PROBE_LONGEST, FLITCAST_PROBE_DEFAULT },
	[CONFIG_TRANSIT] = { "transit", FLITCAST_A_SITE_TRANSIT, false, 0,
			     FLITCAST_TRANSIT_LIMIT, FLITCAST_TRANSIT_DEFAULT },
	[CONFIG_GRACE] = { "grace_us", FLITCAST_A_SITE_GRACE, false, 0,
			   FLITCAST_GRACE_LONGEST, FLITCAST_GRACE_DEFAULT },
};

struct config_site *config_find(const struct config *config, uint32_t id)
{
	size_t i;

	for (i = 0; i < config->count; i++)
		if (config->site[i].id == id)
			return &config->site[i];
	return NULL;
}

struct config_site *config_find_dev(const struct config *config, const char *dev,
				    unsigned int *port)
{
	size_t i;

	for (i = 0; i < config->count; i++)
		for (*port = 1; *port < FC_PORTS_MAX; ++*port)
			if (!strcmp(config->site[i].link[*port].dev, dev))
				return &config->site[i];
	return NULL;
}

static struct config_site *add_site(struct config *config)
{
	struct config_site *site;

	config->site = xrealloc(config->site, (config->count + 1) * sizeof(*config->site));
	site = &config->site[config->count++];
	memset(site, 0, sizeof(*site));
	return site;
}

/*
 * From the kernel.
 */

/* Topologies that this program does not know leave the site without directions. */
static void load_site(const void *data, size_t length, void *arg)
{
	const struct nlattr *a[FLITCAST_A_SITE_MAX + 1];
	struct config_site *site = add_site(arg);
	unsigned int i;

	nl_parse_genl(data, length, a, FLITCAST_A_SITE_MAX);
	site->id = nl_u32(a[FLITCAST_A_SITE_ID]);
	snprintf(site->spec, sizeof(site->spec), "%s", nl_string(a[FLITCAST_A_SITE_TOPOLOGY]));
	/* That of a graph needs another request. */
	if (!network_is_graph(site->spec))
		fc_topo_parse(&site->topo, site->spec);
	snprintf(site->mode, sizeof(site->mode), "%s", nl_string(a[FLITCAST_A_SITE_MODE]));
	site->keyed = nl_u32(a[FLITCAST_A_SITE_KEYED]);
	for (i = 0; i < CONFIG_SETTINGS; i++)
		site->setting[i] = nl_u32(a[config_settings[i].attr]);
}

static void load_link(const void *data, size_t length, void *arg)
{
	const struct nlattr *a[FLITCAST_A_LINK_MAX + 1];
	struct config_site *site;
	uint32_t port;

	nl_parse_genl(data, length, a, FLITCAST_A_LINK_MAX);
	site = config_find(arg, nl_u32(a[FLITCAST_A_LINK_SITE]));
	port = nl_u32(a[FLITCAST_A_LINK_PORT]);
	if (!site || !port || port >= FC_PORTS_MAX)
		return;
	snprintf(site->link[port].dev, sizeof(site->link[port].dev), "%s",
		 nl_string(a[FLITCAST_A_LINK_IFNAME]));
	snprintf(site->link[port].rdma, sizeof(site->link[port].rdma), "%s",
		 nl_string(a[FLITCAST_A_LINK_RDMA]));
	gid_read(a[FLITCAST_A_LINK_PEER_GID], site->link[port].peer_gid);
	site->link[port].window = nl_u32(a[FLITCAST_A_LINK_WINDOW]);
	site->link[port].crc = nl_u32(a[FLITCAST_A_LINK_CRC]);
}

static void load_route(const void *data, size_t length, void *arg)
{
	const struct nlattr *a[FLITCAST_A_ROUTE_MAX + 1];
	const struct nlattr *ports;
	struct config_site *site;
	int dir;

	nl_parse_genl(data, length, a, FLITCAST_A_ROUTE_MAX);
	ports = a[FLITCAST_A_ROUTE_PORTS];
	site = config_find(arg, nl_u32(a[FLITCAST_A_ROUTE_SITE]));
	if (!site || !site->topo.ops || !ports || nl_length(ports) > FC_DIRS_MAX)
		return;
	dir = fc_topo_dir_parse(&site->topo, nl_string(a[FLITCAST_A_ROUTE_DIRECTION]));
	if (dir < 0)
		return;
	site->pref.count[dir] = nl_length(ports);
	memcpy(site->pref.port[dir], nl_data(ports), nl_length(ports));
	site->generation = nl_u32(a[FLITCAST_A_ROUTE_GENERATION]);
}

int config_load(struct config *config, uint32_t id, const char *about)
{
	bool one = id != FC_SITE_NONE;
	struct nl_request req = { 0 };
	size_t i;

	nl_begin_flitcast(&req, FLITCAST_CMD_SITE_GET, one ? 0 : NLM_F_DUMP);
	if (one)
		nl_put_u32(&req, FLITCAST_A_SITE_ID, id);
	nl_end(&req);
	if (nl_ask(&req, load_site, config, about))
		return -1;
	for (i = 0; i < config->count; i++) {
		struct config_site *site = &config->site[i];

		site->copies = 1;
		if (!network_is_graph(site->spec))
			continue;
		if (!network_read(&site->topo, site->spec, site->id, about) ||
		    site->id >= site->topo.nsites ||
		    paths_read(&site->told, &site->topo, site->id, about))
			return -1;
		site->copies = paths_own(&site->told, site->id);
	}
	nl_begin_flitcast(&req, FLITCAST_CMD_LINK_GET, NLM_F_DUMP);
	if (one)
		nl_put_u32(&req, FLITCAST_A_LINK_SITE, id);
	nl_end(&req);
	if (nl_ask(&req, load_link, config, about))
		return -1;
	nl_begin_flitcast(&req, FLITCAST_CMD_ROUTE_GET, NLM_F_DUMP);
	if (one)
		nl_put_u32(&req, FLITCAST_A_ROUTE_SITE, id);
	nl_end(&req);
	return nl_ask(&req, load_route, config, about) ? -1 : 0;
}

/*
 * To a file.
 */

void config_print_routes(const struct fc_topo *topo, const struct fc_pref *pref)
{
	unsigned int dir, i;
	char name[8];

	out_open_array("routes");
	for (dir = 0; dir < topo->ndirs; dir++) {
		topo->ops->dir_name(topo, dir, name);
		out_open_object(NULL);
		out_string("direction", NULL, name);
		out_open_array("ports");
		for (i = 0; i < pref->count[dir]; i++)
			out_uint(NULL, NULL, pref->port[dir][i]);
		out_close_array();
		out_close_object();
	}
	out_close_array();
}

static void print_link(unsigned int port, const struct config_link *link)
{
	char gid[INET6_ADDRSTRLEN];

	out_open_object(NULL);
	if (*link->rdma) {
		out_string("rdma", NULL, link->rdma);
		out_string("peer_gid", NULL, gid_print(link->peer_gid, gid));
	} else {
		out_string("dev", NULL, link->dev);
	}
	out_uint("port", NULL, port);
	out_uint("window", NULL, link->window);
	out_bool("crc", link->crc);
	out_close_object();
}

static void print_graph(const struct fc_graph *graph)
{
	uint32_t i;

	out_open_array("graph");
	for (i = 0; i < graph->nlinks; i++) {
		out_open_array(NULL);
		out_uint(NULL, NULL, graph->link[i].site[0]);
		out_uint(NULL, NULL, graph->link[i].site[1]);
		out_close_array();
	}
	out_close_array();
}

void config_print(const struct config *config)
{
	size_t i, n;

	out_open_object(NULL);
	out_uint("flitcast", NULL, CONFIG_VERSION);
	out_open_array("sites");
	for (i = 0; i < config->count; i++) {
		const struct config_site *site = &config->site[i];

		out_open_object(NULL);
		out_uint("site", NULL, site->id);
		out_string("topology", NULL, site->spec);
		if (site->topo.graph)
			print_graph(site->topo.graph);
		if (site->topo.graph)
			out_uint("copies", NULL, site->copies);
		out_string("mode", NULL, site->mode);
		out_bool("key", site->keyed);
		for (n = 0; n < CONFIG_SETTINGS; n++)
			out_uint(config_settings[n].key, NULL, site->setting[n]);
		out_open_array("links");
		for (n = 1; n < FC_PORTS_MAX; n++)
			if (config_has_link(&site->link[n]))
				print_link(n, &site->link[n]);
		out_close_array();
		config_print_routes(&site->topo, &site->pref);
		out_close_object();
	}
	out_close_array();
	out_close_object();
	out_end();
}

/*
 * From a file.
 */

const struct json *config_member(const struct json *object, const char *key)
{
	const struct json *member;

	for (member = object->child; member; member = member->next)
		if (!strcmp(member->key, key))
			return member;
	return NULL;
}

bool config_unknown(const char *name, const struct json *object, const char *const *keys)
{
	const struct json *member;
	size_t i;

	if (object->type != JSON_OBJECT) {
		complain("%s:%u: not an object", name, object->line);
		return true;
	}
	for (member = object->child; member; member = member->next) {
		for (i = 0; keys[i] && strcmp(keys[i], member->key); i++)
			continue;
		if (keys[i])
			continue;
		complain("%s:%u: do not know \"%s\"", name, member->line, member->key);
		return true;
	}
	return false;
}

static const struct json *need(const char *name, const struct json *object, const char *key)
{
	const struct json *member = config_member(object, key);

	if (!member)
		complain("%s:%u: \"%s\" is missing", name, object->line, key);
	return member;
}

int config_number(const char *name, const struct json *object, const char *key, uint32_t min,
		  uint32_t max, uint32_t *value)
{
	const struct json *member = need(name, object, key);

	if (!member)
		return -1;
	if (member->type != JSON_NUMBER || !member->whole || member->number < min ||
	    member->number > max) {
		complain("%s:%u: \"%s\" is a number from %u to %u", name, member->line, key, min,
			 max);
		return -1;
	}
	*value = member->number;
	return 0;
}

int config_string(const char *name, const struct json *object, const char *key, char *buf,
		  size_t size)
{
	const struct json *member = need(name, object, key);

	if (!member)
		return -1;
	if (member->type != JSON_STRING || !*member->string || strlen(member->string) >= size) {
		complain("%s:%u: \"%s\" is a string of 1 to %zu characters", name, member->line,
			 key, size - 1);
		return -1;
	}
	strcpy(buf, member->string);
	return 0;
}

/* An array, empty where it is missing; -1 after a complaint. */
static int list_of(const char *name, const struct json *object, const char *key,
		   const struct json **first)
{
	const struct json *member = config_member(object, key);

	*first = NULL;
	if (member && member->type != JSON_ARRAY) {
		complain("%s:%u: \"%s\" is an array", name, member->line, key);
		return -1;
	}
	if (member)
		*first = member->child;
	return 0;
}

static int read_route(const char *name, const struct json *entry, const struct fc_topo *topo,
		      struct fc_pref *pref, uint32_t *seen)
{
	static const char *const keys[] = { "direction", "ports", NULL };
	char direction[DIRECTION_SIZE];
	const struct json *port;
	uint32_t used = 0;
	int dir;

	if (config_unknown(name, entry, keys) ||
	    config_string(name, entry, "direction", direction, sizeof(direction)) ||
	    !need(name, entry, "ports") || list_of(name, entry, "ports", &port))
		return -1;
	dir = fc_topo_dir_parse(topo, direction);
	if (dir < 0 || *seen & fc_bit(dir)) {
		complain("%s:%u: %s \"%s\"", name, entry->line, dir < 0 ?
			 "the topology has no direction" : "a second list for direction",
			 direction);
		return -1;
	}
	*seen |= fc_bit(dir);
	pref->count[dir] = 0;
	for (; port; port = port->next) {
		if (port->type != JSON_NUMBER || !port->whole || !port->number ||
		    port->number > topo->ndirs || used & fc_bit(port->number)) {
			complain("%s:%u: a port is a number from 1 to %u, and none comes twice",
				 name, port->line, topo->ndirs);
			return -1;
		}
		used |= fc_bit(port->number);
		pref->port[dir][pref->count[dir]++] = port->number;
	}
	if (used)
		return 0;
	complain("%s:%u: a route needs at least one port", name, entry->line);
	return -1;
}

int config_read_routes(const char *name, const struct json *object, const struct fc_topo *topo,
		       struct fc_pref *pref)
{
	const struct json *entry;
	uint32_t seen = 0;

	fc_pref_default(pref, topo);
	if (list_of(name, object, "routes", &entry))
		return -1;
	for (; entry; entry = entry->next)
		if (read_route(name, entry, topo, pref, &seen))
			return -1;
	return 0;
}

/* A link has a network device, or an RDMA port and the GID of its peer. */
static int read_device(const char *name, const struct json *entry, struct config_link *link)
{
	bool rdma = config_member(entry, "rdma") || config_member(entry, "peer_gid");
	char text[RDMA_SIZE];
	const char *wrong;

	if (!rdma)
		return config_string(name, entry, "dev", link->dev, sizeof(link->dev));
	if (config_member(entry, "dev")) {
		complain("%s:%u: a link has \"dev\", or \"rdma\" and \"peer_gid\"", name,
			 entry->line);
		return -1;
	}
	if (config_string(name, entry, "rdma", text, sizeof(text)))
		return -1;
	wrong = rdma_parse(text, link->rdma);
	if (wrong) {
		complain("%s:%u: \"%s\" is no RDMA port: %s", name, entry->line, text, wrong);
		return -1;
	}
	if (config_string(name, entry, "peer_gid", text, sizeof(text)))
		return -1;
	if (!gid_parse(text, link->peer_gid)) {
		complain("%s:%u: \"peer_gid\" is written as an IPv6 or IPv4 address, not \"%s\"",
			 name, entry->line, text);
		return -1;
	}
	return 0;
}

static int read_link(const char *name, const struct json *entry, const struct config *config,
		     struct config_site *site)
{
	static const char *const keys[] = {
		"dev", "rdma", "peer_gid", "port", "window", "crc", NULL
	};
	struct config_link link = {
		.line = entry->line, .window = site->setting[CONFIG_WINDOW],
	};
	const struct json *crc;
	unsigned int other;
	uint32_t port;

	if (config_unknown(name, entry, keys) ||
	    read_device(name, entry, &link) ||
	    config_number(name, entry, "port", 1, site->topo.ndirs, &port))
		return -1;
	if (config_member(entry, "window") &&
	    config_number(name, entry, "window", 1, site->setting[CONFIG_WINDOW], &link.window))
		return -1;
	crc = config_member(entry, "crc");
	if (crc && crc->type != JSON_BOOL) {
		complain("%s:%u: \"crc\" is true or false", name, crc->line);
		return -1;
	}
	link.crc = crc && crc->number;
	if (config_has_link(&site->link[port])) {
		complain("%s:%u: a second link for port %u", name, entry->line, port);
		return -1;
	}
	if (fc_topo_neighbour(&site->topo, site->id, port - 1) == FC_SITE_NONE) {
		complain("%s:%u: site %u has no neighbour on port %u: it is at the edge", name,
			 entry->line, site->id, port);
		return -1;
	}
	if (*link.dev && config_find_dev(config, link.dev, &other)) {
		complain("%s:%u: %s carries another link", name, entry->line, link.dev);
		return -1;
	}
	site->link[port] = link;
	return 0;
}

static int read_settings(const char *name, const struct json *object, struct config_site *site)
{
	unsigned int i;

	for (i = 0; i < CONFIG_SETTINGS; i++) {
		const struct config_field *field = &config_settings[i];

		site->setting[i] = field->preset;
		if (config_member(object, field->key) &&
		    config_number(name, object, field->key, field->min, field->max,
				  &site->setting[i]))
			return -1;
	}
	return 0;
}

/* The links of a graph.  NULL, or a text that says what is wrong. */
static const char *read_graph(const struct json *list, struct fc_topo *topo)
{
	struct fc_graph_link *link = NULL;
	const struct json *entry;
	const char *wrong;
	size_t n = 0;

	if (!list || list->type != JSON_ARRAY)
		return "its links are missing: \"graph\" is an array of them";
	for (entry = list->child; entry; entry = entry->next) {
		const struct json *a = entry->type == JSON_ARRAY ? entry->child : NULL;
		const struct json *b = a ? a->next : NULL;

		if (!b || b->next || a->type != JSON_NUMBER || b->type != JSON_NUMBER ||
		    !a->whole || !b->whole || a->number > UINT32_MAX || b->number > UINT32_MAX)
			return "a link of a graph is an array of two numbers of sites";
		link = xrealloc(link, (n + 1) * sizeof(*link));
		link[n++] = (struct fc_graph_link){ { a->number, b->number } };
	}
	wrong = graph_links(topo, link, n);
	free(link);
	return wrong;
}

static int read_topology(const char *name, const struct json *object, struct config_site *site)
{
	char spec[256];
	const char *wrong;

	if (config_string(name, object, "topology", spec, sizeof(spec)))
		return -1;
	if (network_is_graph(spec))
		wrong = read_graph(config_member(object, "graph"), &site->topo);
	else if (config_member(object, "graph"))
		wrong = "it is no graph, but has links";
	else
		wrong = fc_topo_parse(&site->topo, spec);
	if (!wrong) {
		fc_topo_print(&site->topo, site->spec);
		if (site->topo.graph && strcmp(site->spec, spec))
			wrong = "the links are those of another graph";
	}
	if (!wrong && site->id >= site->topo.nsites)
		wrong = "the topology has no site of that number";
	site->copies = 1;
	if (!wrong && config_member(object, "copies") &&
	    config_number(name, object, "copies", 1, site->topo.graph ? FC_WAYS_COPIES_MAX : 1,
			  &site->copies))
		return -1;
	if (wrong) {
		complain("%s:%u: topology %s: %s", name,
			 config_member(object, "topology")->line, spec, wrong);
		return -1;
	}
	return 0;
}

/* Has the network a key, or in which file is it? */
static int read_key(const char *name, const struct json *object, struct config_site *site)
{
	const struct json *key = config_member(object, "key");

	if (!key || key->type == JSON_BOOL) {
		site->keyed = key && key->number;
		return 0;
	}
	site->keyed = true;
	return config_string(name, object, "key", site->key, sizeof(site->key));
}

static int read_site(const char *name, const struct json *object, struct config *config)
{
	/* And the settings, and NULL. */
	const char *keys[8 + CONFIG_SETTINGS + 1] = {
		"site", "topology", "graph", "copies", "mode", "key", "links", "routes",
	};
	const struct json *link;
	struct config_site *site;
	uint32_t id, i;

	for (i = 0; i < CONFIG_SETTINGS; i++)
		keys[8 + i] = config_settings[i].key;
	if (config_unknown(name, object, keys) ||
	    config_number(name, object, "site", 0, FLITCAST_SITE_ANY - 1, &id))
		return -1;
	if (config_find(config, id)) {
		complain("%s:%u: site %u is there twice", name, object->line, id);
		return -1;
	}
	site = add_site(config);
	site->line = object->line;
	site->id = id;
	strcpy(site->mode, fc_mode_name(FC_MODE_DEFAULT));
	if (config_member(object, "mode") &&
	    config_string(name, object, "mode", site->mode, sizeof(site->mode)))
		return -1;
	if (fc_mode_parse(site->mode) < 0) {
		complain("%s:%u: unknown mode \"%s\": the modes are: " FC_MODES, name, object->line,
			 site->mode);
		return -1;
	}
	if (read_topology(name, object, site) || read_settings(name, object, site) ||
	    read_key(name, object, site) || list_of(name, object, "links", &link))
		return -1;
	for (; link; link = link->next)
		if (read_link(name, link, config, site))
			return -1;
	return config_read_routes(name, object, &site->topo, &site->pref);
}

const struct json *config_open(const char *name, const struct json *json)
{
	uint32_t version;

	if (json->type != JSON_OBJECT || !config_member(json, "flitcast")) {
		complain("%s: not a configuration: an object with \"flitcast\" is expected", name);
		return NULL;
	}
	if (config_number(name, json, "flitcast", CONFIG_VERSION, CONFIG_VERSION, &version))
		return NULL;
	return json;
}

int config_read(struct config *config, const char *path)
{
	static const char *const keys[] = { "flitcast", "sites", NULL };
	const char *name = strcmp(path, "-") ? path : "standard input";
	const struct json *json = json_read(path), *site;

	if (!json || !config_open(name, json) || config_unknown(name, json, keys) ||
	    !need(name, json, "sites") || list_of(name, json, "sites", &site))
		return -1;
	for (; site; site = site->next)
		if (read_site(name, site, config))
			return -1;
	return 0;
}
