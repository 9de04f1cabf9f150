// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "config.h"
#include "core/bounds.h"
#include "core/link/hello.h"
#include "core/mode.h"
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
	[CONFIG_POLL] = { "poll_us", FLITCAST_A_SITE_POLL, false, FLITCAST_POLL_MIN,
			   FLITCAST_POLL_LONGEST, FLITCAST_POLL_DEFAULT },
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

/* A topology unknown to this tool leaves the site without directions. */
static void load_site(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_SITE_MAX + 1];
	struct config_site *site = add_site(arg);
	unsigned int i;

	get_attrs(message, a, FLITCAST_A_SITE_MAX);
	site->id = get_u32(a[FLITCAST_A_SITE_ID]);
	snprintf(site->spec, sizeof(site->spec), "%s", get_string(a[FLITCAST_A_SITE_TOPOLOGY]));
	/* The topology of a graph needs another request. */
	if (!network_is_graph(site->spec))
		fc_topo_parse(&site->topo, site->spec);
	snprintf(site->mode, sizeof(site->mode), "%s", get_string(a[FLITCAST_A_SITE_MODE]));
	snprintf(site->integrity, sizeof(site->integrity), "%s",
		 get_string(a[FLITCAST_A_SITE_INTEGRITY]));
	site->keyed = get_u32(a[FLITCAST_A_SITE_KEYED]);
	for (i = 0; i < CONFIG_SETTINGS; i++)
		site->setting[i] = get_u32(a[config_settings[i].attr]);
}

static void load_link(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_LINK_MAX + 1];
	struct config_site *site;
	uint32_t port;

	get_attrs(message, a, FLITCAST_A_LINK_MAX);
	site = config_find(arg, get_u32(a[FLITCAST_A_LINK_SITE]));
	port = get_u32(a[FLITCAST_A_LINK_PORT]);
	if (!site || !port || port >= FC_PORTS_MAX)
		return;
	snprintf(site->link[port].dev, sizeof(site->link[port].dev), "%s",
		 get_string(a[FLITCAST_A_LINK_IFNAME]));
	snprintf(site->link[port].rdma, sizeof(site->link[port].rdma), "%s",
		 get_string(a[FLITCAST_A_LINK_RDMA]));
	address_read(a[FLITCAST_A_LINK_ADDRESS], site->link[port].address);
	if (a[FLITCAST_A_LINK_IFINDEX] &&
	    rtnl_get_mtu(site->link[port].dev, &site->link[port].mtu))
		site->link[port].mtu = 0;
	gid_read(a[FLITCAST_A_LINK_PEER_GID], site->link[port].peer_gid);
	site->link[port].window = get_u32(a[FLITCAST_A_LINK_WINDOW]);
	site->link[port].crc = get_u32(a[FLITCAST_A_LINK_CRC]);
	site->link[port].hello = get_u32(a[FLITCAST_A_LINK_HELLO]);
	site->link[port].dead = get_u32(a[FLITCAST_A_LINK_DEAD]);
}

static void load_route(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_ROUTE_MAX + 1];
	struct nlattr *ports;
	struct config_site *site;
	struct fc_prefer entry;
	int dir;

	get_attrs(message, a, FLITCAST_A_ROUTE_MAX);
	ports = a[FLITCAST_A_ROUTE_PORTS];
	site = config_find(arg, get_u32(a[FLITCAST_A_ROUTE_SITE]));
	if (site && prefer_get(&entry, a)) {
		prefers_add(&site->prefers, &entry);
		return;
	}
	if (!site || !site->topo.ops || !ports || nla_len(ports) > FC_DIRS_MAX)
		return;
	dir = fc_topo_dir_parse(&site->topo, get_string(a[FLITCAST_A_ROUTE_DIRECTION]));
	if (dir < 0)
		return;
	site->pref.count[dir] = nla_len(ports);
	memcpy(site->pref.port[dir], nla_data(ports), nla_len(ports));
	site->generation = get_u32(a[FLITCAST_A_ROUTE_GENERATION]);
}

int config_load(struct config *config, uint32_t id, const char *about)
{
	bool one = id != FC_SITE_NONE;
	struct request req = { 0 };
	size_t i;

	request_flitcast(&req, FLITCAST_CMD_SITE_GET, one ? 0 : NLM_F_DUMP);
	if (one)
		put_u32(&req, FLITCAST_A_SITE_ID, id);
	if (request_ask(&req, load_site, config, about))
		return -1;
	for (i = 0; i < config->count; i++) {
		struct config_site *site = &config->site[i];

		site->copies = 1;
		if (!network_is_graph(site->spec))
			continue;
		if (!network_read(&site->topo, site->spec, site->id, about) ||
		    site->id >= site->topo.nsites ||
		    paths_read(&site->known, &site->topo, site->id, about))
			return -1;
		site->copies = paths_own(&site->known, site->id);
	}
	request_flitcast(&req, FLITCAST_CMD_LINK_GET, NLM_F_DUMP);
	if (one)
		put_u32(&req, FLITCAST_A_LINK_SITE, id);
	if (request_ask(&req, load_link, config, about))
		return -1;
	request_flitcast(&req, FLITCAST_CMD_ROUTE_GET, NLM_F_DUMP);
	if (one)
		put_u32(&req, FLITCAST_A_ROUTE_SITE, id);
	return request_ask(&req, load_route, config, about) ? -1 : 0;
}

/*
 * To a file.
 */

void config_print_routes(const struct fc_topo *topo, const struct fc_pref *pref,
			 const struct prefers *prefers)
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
	for (i = 0; i < prefers->count; i++) {
		out_open_object(NULL);
		prefer_print(&prefers->entry[i]);
		out_close_object();
	}
	out_close_array();
}

static void print_link(unsigned int port, const struct config_link *link)
{
	char gid[INET6_ADDRSTRLEN], address[ADDRESS_TEXT];

	out_open_object(NULL);
	if (*link->rdma) {
		out_string("rdma", NULL, link->rdma);
		out_string("peer_gid", NULL, gid_print(link->peer_gid, gid));
	} else if (config_has_address(link)) {
		out_string("address", NULL, address_print(link->address, address));
	} else {
		out_string("dev", NULL, link->dev);
	}
	if (link->mtu && link->mtu != ETH_DATA_LEN)
		out_uint("mtu", NULL, link->mtu);
	out_uint("port", NULL, port);
	out_uint("window", NULL, link->window);
	out_bool("crc", link->crc);
	out_uint("hello", NULL, link->hello);
	out_uint("dead", NULL, link->dead);
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
		out_string("integrity", NULL, site->integrity);
		out_bool("key", site->keyed);
		for (n = 0; n < CONFIG_SETTINGS; n++)
			out_uint(config_settings[n].key, NULL, site->setting[n]);
		out_open_array("links");
		for (n = 1; n < FC_PORTS_MAX; n++)
			if (config_has_link(&site->link[n]))
				print_link(n, &site->link[n]);
		out_close_array();
		config_print_routes(&site->topo, &site->pref, &site->prefers);
		out_close_object();
	}
	out_close_array();
	out_close_object();
	out_end();
}

/*
 * From a file.
 */

bool config_unknown(const char *where, json_t *object, const char *const *keys)
{
	const char *key;
	json_t *member;
	size_t i;

	if (!json_is_object(object)) {
		complain("%s: not an object", where);
		return true;
	}
	json_object_foreach(object, key, member) {
		for (i = 0; keys[i] && strcmp(keys[i], key); i++)
			continue;
		if (keys[i])
			continue;
		complain("%s: do not know \"%s\"", where, key);
		return true;
	}
	return false;
}

static json_t *need(const char *where, json_t *object, const char *key)
{
	json_t *member = json_object_get(object, key);

	if (!member)
		complain("%s: \"%s\" is missing", where, key);
	return member;
}

int config_number(const char *where, json_t *object, const char *key, uint32_t min,
		  uint32_t max, uint32_t *value)
{
	json_t *member = need(where, object, key);

	if (!member)
		return -1;
	if (!json_is_integer(member) || json_integer_value(member) < min ||
	    json_integer_value(member) > max) {
		complain("%s: \"%s\" is a number from %u to %u", where, key, min, max);
		return -1;
	}
	*value = json_integer_value(member);
	return 0;
}

int config_string(const char *where, json_t *object, const char *key, char *buf,
		  size_t size)
{
	json_t *member = need(where, object, key);
	const char *text = json_string_value(member);

	if (!member)
		return -1;
	if (!text || !*text || strlen(text) >= size) {
		complain("%s: \"%s\" is a string of 1 to %zu characters", where, key, size - 1);
		return -1;
	}
	strcpy(buf, text);
	return 0;
}

/*
 * Get an array; NULL if it is missing, which jansson treats as empty.  Return: 0, or -1 after an
 * error message.
 */
static int list_of(const char *where, json_t *object, const char *key, json_t **list)
{
	*list = json_object_get(object, key);
	if (!*list || json_is_array(*list))
		return 0;
	complain("%s: \"%s\" is an array", where, key);
	return -1;
}

static int read_route(const char *where, json_t *entry, const struct fc_topo *topo,
		      struct fc_pref *pref, uint32_t *seen)
{
	static const char *const keys[] = { "direction", "ports", NULL };
	char direction[DIRECTION_SIZE];
	json_t *ports, *entry_port;
	uint32_t used = 0;
	size_t i;
	int dir;

	if (config_unknown(where, entry, keys) ||
	    config_string(where, entry, "direction", direction, sizeof(direction)) ||
	    !need(where, entry, "ports") || list_of(where, entry, "ports", &ports))
		return -1;
	dir = fc_topo_dir_parse(topo, direction);
	if (dir < 0 || *seen & fc_bit(dir)) {
		complain("%s: %s \"%s\"", where, dir < 0 ?
			 "the topology has no direction" : "a second list for direction",
			 direction);
		return -1;
	}
	*seen |= fc_bit(dir);
	pref->count[dir] = 0;
	json_array_foreach(ports, i, entry_port) {
		json_int_t port = json_integer_value(entry_port);

		if (port < 1 || port > topo->ndirs || used & fc_bit(port)) {
			complain("%s: a port is a number from 1 to %u, and none comes twice",
				 where, topo->ndirs);
			return -1;
		}
		used |= fc_bit(port);
		pref->port[dir][pref->count[dir]++] = port;
	}
	if (used)
		return 0;
	complain("%s: a route needs at least one port", where);
	return -1;
}

int config_read_routes(const char *where, json_t *object, const struct fc_topo *topo,
		       struct fc_pref *pref, struct prefers *prefers)
{
	json_t *routes, *entry;
	struct fc_prefer prefer;
	const char *wrong;
	uint32_t seen = 0;
	size_t i;

	fc_pref_default(pref, topo);
	if (list_of(where, object, "routes", &routes))
		return -1;
	json_array_foreach(routes, i, entry) {
		const char *at = xprintf("%s.routes[%zu]", where, i);

		if (!json_object_get(entry, "to")) {
			if (read_route(at, entry, topo, pref, &seen))
				return -1;
			continue;
		}
		if (prefer_read(at, entry, &prefer, topo->nsites, topo->ndirs))
			return -1;
		wrong = prefers_conflict(prefers, &prefer);
		if (wrong) {
			complain("%s: %s", at, wrong);
			return -1;
		}
		prefers_add(prefers, &prefer);
	}
	return 0;
}

static int read_address(const char *where, json_t *entry, struct config_link *link)
{
	char text[ADDRESS_TEXT];

	if (config_string(where, entry, "address", text, sizeof(text)))
		return -1;
	if (address_parse(text, link->address))
		return 0;
	complain("%s: \"%s\" is no address of a device", where, text);
	return -1;
}

/* A link has a network device, by name or address, or an RDMA port and the GID of its peer. */
static int read_device(const char *where, json_t *entry, struct config_link *link)
{
	bool rdma = json_object_get(entry, "rdma") || json_object_get(entry, "peer_gid");
	char text[RDMA_SIZE];
	const char *wrong;

	if (!!json_object_get(entry, "dev") + !!json_object_get(entry, "address") + rdma > 1) {
		complain("%s: a link has \"dev\", or \"address\", or \"rdma\" and \"peer_gid\"",
			 where);
		return -1;
	}
	if (json_object_get(entry, "address"))
		return read_address(where, entry, link);
	if (!rdma)
		return config_string(where, entry, "dev", link->dev, sizeof(link->dev));
	if (config_string(where, entry, "rdma", text, sizeof(text)))
		return -1;
	wrong = rdma_parse(text, link->rdma);
	if (wrong) {
		complain("%s: \"%s\" is no RDMA port: %s", where, text, wrong);
		return -1;
	}
	if (config_string(where, entry, "peer_gid", text, sizeof(text)))
		return -1;
	if (!gid_parse(text, link->peer_gid)) {
		complain("%s: \"peer_gid\" is written as an IPv6 or IPv4 address, not \"%s\"",
			 where, text);
		return -1;
	}
	return 0;
}

static int read_link(const char *where, json_t *entry, const struct config *config,
		     struct config_site *site)
{
	static const char *const keys[] = {
		"dev", "address", "mtu", "rdma", "peer_gid", "port", "window", "crc",
		"hello", "dead", NULL
	};
	struct config_link link = {
		.where = where, .window = site->setting[CONFIG_WINDOW],
		.hello = FC_HELLO_MS, .dead = FC_HELLO_DEAD,
	};
	json_t *crc;
	unsigned int other;
	uint32_t port;

	if (config_unknown(where, entry, keys) ||
	    read_device(where, entry, &link) ||
	    config_number(where, entry, "port", 1, site->topo.ndirs, &port))
		return -1;
	if (json_object_get(entry, "window") &&
	    config_number(where, entry, "window", 1, site->setting[CONFIG_WINDOW], &link.window))
		return -1;
	if (json_object_get(entry, "mtu") &&
	    config_number(where, entry, "mtu", ETH_MIN_MTU, ETH_MAX_MTU, &link.mtu))
		return -1;
	if (json_object_get(entry, "hello") &&
	    config_number(where, entry, "hello", FC_HELLO_MS_MIN, FC_HELLO_MS_MAX, &link.hello))
		return -1;
	if (json_object_get(entry, "dead") &&
	    config_number(where, entry, "dead", FC_HELLO_DEAD_MIN, FC_HELLO_DEAD_MAX, &link.dead))
		return -1;
	crc = json_object_get(entry, "crc");
	if (crc && !json_is_boolean(crc)) {
		complain("%s: \"crc\" is true or false", where);
		return -1;
	}
	link.crc = json_is_true(crc);
	if (config_has_link(&site->link[port])) {
		complain("%s: a second link for port %u", where, port);
		return -1;
	}
	if (fc_topo_neighbour(&site->topo, site->id, port - 1) == FC_SITE_NONE) {
		complain("%s: site %u has no neighbour on port %u: it is at the edge", where,
			 site->id, port);
		return -1;
	}
	if (*link.dev && config_find_dev(config, link.dev, &other)) {
		complain("%s: %s carries another link", where, link.dev);
		return -1;
	}
	site->link[port] = link;
	return 0;
}

static int read_settings(const char *where, json_t *object, struct config_site *site)
{
	unsigned int i;

	for (i = 0; i < CONFIG_SETTINGS; i++) {
		const struct config_field *field = &config_settings[i];

		site->setting[i] = field->preset;
		if (json_object_get(object, field->key) &&
		    config_number(where, object, field->key, field->min, field->max,
				  &site->setting[i]))
			return -1;
	}
	return 0;
}

static bool is_site(json_t *value)
{
	return json_is_integer(value) && json_integer_value(value) >= 0 &&
	       json_integer_value(value) <= UINT32_MAX;
}

/* Read the links of a graph.  Return: NULL, or an error message. */
static const char *read_graph(json_t *list, struct fc_topo *topo)
{
	struct fc_graph_link *link;
	const char *wrong;
	json_t *entry;
	size_t i;

	if (!json_is_array(list))
		return "its links are missing: \"graph\" is an array of them";
	link = xalloc(json_array_size(list), sizeof(*link));
	json_array_foreach(list, i, entry) {
		json_t *a = json_array_get(entry, 0), *b = json_array_get(entry, 1);

		if (json_array_size(entry) != 2 || !is_site(a) || !is_site(b))
			return "a link of a graph is an array of two numbers of sites";
		link[i] = (struct fc_graph_link){
			{ json_integer_value(a), json_integer_value(b) }
		};
	}
	wrong = graph_links(topo, link, i);
	free(link);
	return wrong;
}

static int read_topology(const char *where, json_t *object, struct config_site *site)
{
	char spec[256];
	const char *wrong;

	if (config_string(where, object, "topology", spec, sizeof(spec)))
		return -1;
	if (network_is_graph(spec))
		wrong = read_graph(json_object_get(object, "graph"), &site->topo);
	else if (json_object_get(object, "graph"))
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
	if (!wrong && json_object_get(object, "copies") &&
	    config_number(where, object, "copies", 1, site->topo.graph ? FC_PATH_COPIES_MAX : 1,
			  &site->copies))
		return -1;
	if (wrong) {
		complain("%s: topology %s: %s", where, spec, wrong);
		return -1;
	}
	return 0;
}

/* Read the member "key": the network has a key, or the file with it. */
static int read_key(const char *where, json_t *object, struct config_site *site)
{
	json_t *key = json_object_get(object, "key");

	if (!key || json_is_boolean(key)) {
		site->keyed = json_is_true(key);
		return 0;
	}
	site->keyed = true;
	return config_string(where, object, "key", site->key, sizeof(site->key));
}

static int read_site(const char *where, json_t *object, struct config *config)
{
	/* The settings and NULL follow. */
	const char *keys[9 + CONFIG_SETTINGS + 1] = {
		"site", "topology", "graph", "copies", "mode", "integrity", "key", "links",
		"routes",
	};
	struct config_site *site;
	json_t *links, *link;
	uint32_t id, i;
	size_t n;

	for (i = 0; i < CONFIG_SETTINGS; i++)
		keys[9 + i] = config_settings[i].key;
	if (config_unknown(where, object, keys) ||
	    config_number(where, object, "site", 0, FLITCAST_SITE_ANY - 1, &id))
		return -1;
	if (config_find(config, id)) {
		complain("%s: site %u is there twice", where, id);
		return -1;
	}
	site = add_site(config);
	site->where = where;
	site->id = id;
	strcpy(site->mode, fc_mode_ops(FC_MODE_DEFAULT)->name);
	if (json_object_get(object, "mode") &&
	    config_string(where, object, "mode", site->mode, sizeof(site->mode)))
		return -1;
	if (fc_mode_parse(site->mode) < 0) {
		complain("%s: unknown mode \"%s\": the modes are: " FC_MODES, where, site->mode);
		return -1;
	}
	strcpy(site->integrity, "end");
	if (json_object_get(object, "integrity") &&
	    config_string(where, object, "integrity", site->integrity, sizeof(site->integrity)))
		return -1;
	if (strcmp(site->integrity, "end") && strcmp(site->integrity, "off")) {
		complain("%s: \"integrity\" is \"end\" or \"off\"", where);
		return -1;
	}
	if (read_topology(where, object, site) || read_settings(where, object, site) ||
	    read_key(where, object, site) || list_of(where, object, "links", &links))
		return -1;
	json_array_foreach(links, n, link)
		if (read_link(xprintf("%s.links[%zu]", where, n), link, config, site))
			return -1;
	return config_read_routes(where, object, &site->topo, &site->pref, &site->prefers);
}

json_t *config_open(const char *path, const char **name)
{
	size_t flags = JSON_REJECT_DUPLICATES;
	json_error_t error;
	uint32_t version;
	json_t *json;

	*name = strcmp(path, "-") ? path : "standard input";
	json = strcmp(path, "-") ? json_load_file(path, flags, &error) :
				   json_loadf(stdin, flags, &error);
	if (!json && error.line > 0)
		complain("%s:%d: %s", *name, error.line, error.text);
	else if (!json)
		complain("%s: %s", *name, error.text);
	else if (!json_object_get(json, "flitcast"))
		complain("%s: not a configuration: an object with \"flitcast\" is expected", *name);
	else if (!config_number(*name, json, "flitcast", CONFIG_VERSION, CONFIG_VERSION, &version))
		return json;
	return NULL;
}

int config_read(struct config *config, const char *path)
{
	static const char *const keys[] = { "flitcast", "sites", NULL };
	json_t *json, *sites, *site;
	const char *name;
	size_t i;

	json = config_open(path, &name);
	if (!json || config_unknown(name, json, keys) || !need(name, json, "sites") ||
	    list_of(name, json, "sites", &sites))
		return -1;
	json_array_foreach(sites, i, site)
		if (read_site(xprintf("%s: sites[%zu]", name, i), site, config))
			return -1;
	return 0;
}
