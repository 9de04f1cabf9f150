// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast site save and restore, flitcast route save and restore
 *
 * restore checks the whole file, by itself and against the present configuration, before it changes
 * anything.  Then it performs the steps from one to the other; if the kernel nevertheless refuses a
 * step (because of a change meanwhile), it undoes the previous steps.  A link whose network device
 * is absent is configured and waits for it; one whose RDMA port is absent is left out.  restore
 * reports both.
 */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "config.h"
#include "core/link/hello.h"
#include "key.h"
#include "network.h"
#include "out.h"
#include "rtnl.h"

/**
 * struct step - one change
 * @about: prefix of error messages
 * @todo: the request
 * @undo: request that reverts @todo
 * @dev: instead of requests: the network device whose MTU changes; NULL: none
 * @mtu: its new MTU
 * @old_mtu: its present MTU
 */
struct step {
	char *about;
	struct request todo;
	struct request undo;
	const char *dev;
	uint32_t mtu;
	uint32_t old_mtu;
};

/**
 * struct plan - steps to perform
 * @step: steps in order
 * @count: number of steps
 */
struct plan {
	struct step *step;
	size_t count;
};

static struct step *add_step(struct plan *plan, char *about)
{
	struct step *step;

	plan->step = xrealloc(plan->step, (plan->count + 1) * sizeof(*plan->step));
	step = &plan->step[plan->count++];
	memset(step, 0, sizeof(*step));
	step->about = about;
	return step;
}

static int set_mtu(const char *dev, uint32_t mtu, const char *about)
{
	int err = rtnl_set_mtu(dev, mtu);

	if (err)
		complain("%s: %s", about, strerror(-err));
	return err;
}

static int take_step(struct step *step)
{
	return step->dev ? set_mtu(step->dev, step->mtu, step->about) :
			   request_ask(&step->todo, NULL, NULL, step->about);
}

static void take_back(struct step *step)
{
	const char *about = xprintf("taking back: %s", step->about);

	if (step->dev)
		set_mtu(step->dev, step->old_mtu, about);
	else
		request_ask(&step->undo, NULL, NULL, about);
}

static int take_plan(struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->count; i++)
		if (take_step(&plan->step[i]))
			break;
	if (i == plan->count)
		return 0;
	if (i)
		complain("restore: failed, and every change is taken back");
	while (i--)
		take_back(&plan->step[i]);
	return EXIT_FAILED;
}

/*
 * The requests.
 */

static void put_site(struct request *req, const struct config_site *site, bool new)
{
	unsigned int i;

	request_flitcast(req, new ? FLITCAST_CMD_SITE_NEW : FLITCAST_CMD_SITE_SET, 0);
	put_u32(req, FLITCAST_A_SITE_ID, site->id);
	if (new) {
		network_put(req, &site->topo);
		put_string(req, FLITCAST_A_SITE_MODE, site->mode);
		put_string(req, FLITCAST_A_SITE_INTEGRITY, site->integrity);
		/* check() has read the file before. */
		if (site->keyed && !key_put(req, site->key, "site restore"))
			exit(EXIT_FAILED);
	}
	for (i = 0; i < CONFIG_SETTINGS; i++)
		if (new || !config_settings[i].fixed)
			put_u32(req, config_settings[i].attr, site->setting[i]);
}

static void put_site_del(struct request *req, uint32_t id)
{
	request_flitcast(req, FLITCAST_CMD_SITE_DEL, 0);
	put_u32(req, FLITCAST_A_SITE_ID, id);
}

static void put_link(struct request *req, const struct config_site *site, uint32_t port)
{
	const struct config_link *link = &site->link[port];

	request_flitcast(req, FLITCAST_CMD_LINK_NEW, 0);
	put_u32(req, FLITCAST_A_LINK_SITE, site->id);
	if (*link->rdma) {
		put_string(req, FLITCAST_A_LINK_RDMA, link->rdma);
		put_bytes(req, FLITCAST_A_LINK_PEER_GID, link->peer_gid, sizeof(link->peer_gid));
	} else {
		if (config_has_address(link))
			put_bytes(req, FLITCAST_A_LINK_ADDRESS, link->address, ETH_ALEN);
		else
			put_string(req, FLITCAST_A_LINK_IFNAME, link->dev);
		put_u32(req, FLITCAST_A_LINK_WAIT, 1);
	}
	put_u32(req, FLITCAST_A_LINK_PORT, port);
	put_u32(req, FLITCAST_A_LINK_WINDOW, link->window);
	put_u32(req, FLITCAST_A_LINK_CRC, link->crc);
	put_u32(req, FLITCAST_A_LINK_HELLO, link->hello);
	put_u32(req, FLITCAST_A_LINK_DEAD, link->dead);
}

static void put_link_del(struct request *req, uint32_t id, uint32_t port)
{
	request_flitcast(req, FLITCAST_CMD_LINK_DEL, 0);
	put_u32(req, FLITCAST_A_LINK_SITE, id);
	put_u32(req, FLITCAST_A_LINK_PORT, port);
}

static void put_table(struct request *req, uint32_t id, const struct fc_topo *topo,
		      const struct fc_pref *pref, const struct prefers *prefers,
		      const uint32_t *generation)
{
	unsigned int dir, i;
	char name[8];
	struct nlattr *nest;

	request_flitcast(req, FLITCAST_CMD_ROUTE_REPLACE, 0);
	put_u32(req, FLITCAST_A_ROUTE_SITE, id);
	if (generation)
		put_u32(req, FLITCAST_A_ROUTE_GENERATION, *generation);
	for (dir = 0; dir < topo->ndirs; dir++) {
		topo->ops->dir_name(topo, dir, name);
		nest = put_nest(req, FLITCAST_A_ROUTE_ENTRY);
		put_string(req, FLITCAST_A_ROUTE_DIRECTION, name);
		put_bytes(req, FLITCAST_A_ROUTE_PORTS, pref->port[dir], pref->count[dir]);
		put_nest_end(req, nest);
	}
	for (i = 0; i < prefers->count; i++) {
		nest = put_long_nest(req, FLITCAST_A_ROUTE_ENTRY, PREFER_SIZE);
		prefer_put(req, &prefers->entry[i]);
		put_nest_end(req, nest);
	}
}

/* The plan: compare the file with the present configuration, and list the steps needed. */

static bool same_table(const struct fc_topo *topo, const struct fc_pref *a,
		       const struct fc_pref *b)
{
	unsigned int dir;

	for (dir = 0; dir < topo->ndirs; dir++)
		if (a->count[dir] != b->count[dir] ||
		    memcmp(a->port[dir], b->port[dir], a->count[dir]))
			return false;
	return true;
}

static bool same_link(const struct config_link *a, const struct config_link *b)
{
	bool address = config_has_address(a) || config_has_address(b);

	return (address ? !memcmp(a->address, b->address, ETH_ALEN) : !strcmp(a->dev, b->dev)) &&
	       !strcmp(a->rdma, b->rdma) &&
	       !memcmp(a->peer_gid, b->peer_gid, sizeof(a->peer_gid)) &&
	       a->window == b->window && a->crc == b->crc && a->hello == b->hello &&
	       a->dead == b->dead;
}

static int check_fixed(const struct config_site *want, const struct config_site *is)
{
	const char *what = NULL;
	unsigned int i;

	if (strcmp(want->spec, is->spec))
		what = "topology";
	else if (strcmp(want->mode, is->mode))
		what = "mode";
	else if (strcmp(want->integrity, is->integrity))
		what = "integrity";
	else if (want->keyed != is->keyed)
		what = "key";
	for (i = 0; i < CONFIG_SETTINGS; i++)
		if (!what && config_settings[i].fixed && want->setting[i] != is->setting[i])
			what = config_settings[i].key;
	if (!what)
		return 0;
	complain("%s: site %u exists with another %s: delete it first", want->where, want->id,
		 what);
	return -1;
}

/* The kernel does not return keys: the user must add the file of the key. */
static int check_key(const struct config_site *site)
{
	if (!*site->key) {
		complain("%s: site %u has a key: \"key\" is to name the file with it",
			 site->where, site->id);
		return -1;
	}
	return key_check(site->key, site->where) ? 0 : -1;
}

/*
 * Check that a device of the file, if it exists, is Ethernet, and is no link of a site not in the
 * file.
 */
static int check_dev(const struct config *config, const struct config *now,
		     const struct config_site *site, const struct config_link *link)
{
	const struct config_site *other;
	unsigned int port;
	uint32_t mtu;
	int err;

	/* The link waits for a device that is absent. */
	err = rtnl_get_mtu(link->dev, &mtu);
	if (err && err != -ENODEV) {
		complain("%s: %s: %s", link->where, link->dev, strerror(-err));
		return -1;
	}
	if (!err && !rtnl_is_ethernet(link->dev)) {
		complain("%s: %s is not Ethernet", link->where, link->dev);
		return -1;
	}
	other = config_find_dev(now, link->dev, &port);
	if (!other || config_find(config, other->id))
		return 0;
	complain("%s: %s is a link of site %u, of which the file says nothing", link->where,
		 link->dev, other->id);
	return -1;
}

/* Unlike a network device, an RDMA port that is absent cannot have a link that waits for it. */
static void check_rdma(struct config_link *link)
{
	link->omit = !rdma_exists(link->rdma);
	if (link->omit)
		complain("%s: there is no RDMA port %s here: the link is left out", link->where,
			 link->rdma);
}

static int check(struct config *config, const struct config *now)
{
	size_t i, port;

	for (i = 0; i < config->count; i++) {
		struct config_site *site = &config->site[i];
		const struct config_site *is = config_find(now, site->id);

		if (is && check_fixed(site, is))
			return -1;
		if (!is && site->keyed && check_key(site))
			return -1;
		for (port = 1; port < FC_PORTS_MAX; port++) {
			struct config_link *link = &site->link[port];

			if (*link->dev && check_dev(config, now, site, link))
				return -1;
			if (*link->rdma)
				check_rdma(link);
		}
	}
	return 0;
}

/* Name of a link for error messages: several links may share an RDMA port. */
static char *link_name(const struct config_site *site, uint32_t port)
{
	const struct config_link *link = &site->link[port];

	char address[ADDRESS_TEXT];

	if (*link->rdma)
		return xprintf("rdma %s port %u", link->rdma, port);
	return xprintf("%s", *link->dev ? link->dev : address_print(link->address, address));
}

static void plan_link_del(struct plan *plan, const struct config_site *is, uint32_t port)
{
	struct step *step;

	step = add_step(plan, xprintf("link del %s", link_name(is, port)));
	put_link_del(&step->todo, is->id, port);
	put_link(&step->undo, is, port);
}

static void plan_site(struct plan *plan, const struct config_site *site,
		      const struct config_site *is)
{
	struct step *step;

	if (!is) {
		step = add_step(plan, xprintf("site add %u", site->id));
		put_site(&step->todo, site, true);
		put_site_del(&step->undo, site->id);
	} else if (memcmp(site->setting, is->setting, sizeof(site->setting))) {
		step = add_step(plan, xprintf("site set %u", site->id));
		put_site(&step->todo, site, false);
		put_site(&step->undo, is, false);
	}
}

/* Give a device that is there the MTU that the file has for it. */
static void plan_mtu(struct plan *plan, const struct config_link *link)
{
	struct step *step;
	uint32_t mtu;

	if (!*link->dev || !link->mtu || rtnl_get_mtu(link->dev, &mtu) || mtu == link->mtu)
		return;
	step = add_step(plan, xprintf("mtu %u of %s", link->mtu, link->dev));
	step->dev = link->dev;
	step->mtu = link->mtu;
	step->old_mtu = mtu;
}

static void plan_link_add(struct plan *plan, const struct config_site *site, uint32_t port)
{
	struct step *step;

	step = add_step(plan, xprintf("link add %s", link_name(site, port)));
	put_link(&step->todo, site, port);
	put_link_del(&step->undo, site->id, port);
}

static void plan_table(struct plan *plan, const struct config_site *site,
		       const struct config_site *is)
{
	static const struct prefers none;
	const struct prefers *old = is ? &is->prefers : &none;
	struct fc_pref preset;
	struct step *step;

	fc_pref_default(&preset, &site->topo);
	if (same_table(&site->topo, &site->pref, is ? &is->pref : &preset) &&
	    prefers_same(&site->prefers, old))
		return;
	step = add_step(plan, xprintf("routes of site %u", site->id));
	put_table(&step->todo, site->id, &site->topo, &site->pref, &site->prefers,
		  is ? &is->generation : NULL);
	put_table(&step->undo, site->id, &site->topo, is ? &is->pref : &preset, old, NULL);
}

/* Plan the changes of paths; deleting a site deletes its paths. */
static void plan_paths(struct plan *plan, const struct config_site *site,
		       const struct config_site *is)
{
	struct paths want = { 0 }, was = { 0 };
	struct paths_known all;
	struct step *step;
	uint32_t source;

	if (!site->topo.graph || site->copies == (is ? is->copies : 1))
		return;
	all.copies = xalloc(site->topo.nsites, sizeof(*all.copies));
	memset(all.copies, (2U << site->copies) - 1, site->topo.nsites);
	paths_find(&want, &site->topo, site->copies, "site restore");
	if (is)
		paths_find(&was, &site->topo, is->copies, "site restore");
	for (source = 0; source < site->topo.nsites; source++) {
		step = add_step(plan, xprintf("paths of site %u", site->id));
		paths_put(&want, site->id, source, &step->todo);
		if (!is)
			continue;
		paths_put_del(&is->known, site->copies, site->id, source, &step->todo);
		paths_put(&was, site->id, source, &step->undo);
		paths_put_del(&all, is->copies, site->id, source, &step->undo);
	}
	free(all.copies);
}

/* Delete links first, so that a device may move from one port to another. */
static void make_plan(struct plan *plan, const struct config *config, const struct config *now)
{
	static const struct config_link none;
	size_t i, port;

	for (i = 0; i < config->count; i++) {
		const struct config_site *site = &config->site[i];
		const struct config_site *is = config_find(now, site->id);

		for (port = 1; is && port < FC_PORTS_MAX; port++)
			if (config_has_link(&is->link[port]) &&
			    !same_link(&is->link[port], &site->link[port]))
				plan_link_del(plan, is, port);
	}
	for (i = 0; i < config->count; i++) {
		const struct config_site *site = &config->site[i];
		const struct config_site *is = config_find(now, site->id);

		plan_site(plan, site, is);
		plan_table(plan, site, is);
		plan_paths(plan, site, is);
		for (port = 1; port < FC_PORTS_MAX; port++)
			plan_mtu(plan, &site->link[port]);
		for (port = 1; port < FC_PORTS_MAX; port++)
			if (config_has_link(&site->link[port]) && !site->link[port].omit &&
			    !same_link(is ? &is->link[port] : &none, &site->link[port]))
				plan_link_add(plan, site, port);
	}
}

/* Does a link wait for its network device to appear, or to get a larger MTU? */
static bool waits(struct nlattr **a)
{
	if (!a[FLITCAST_A_LINK_IFINDEX])
		return !a[FLITCAST_A_LINK_RDMA];
	return a[FLITCAST_A_LINK_REASON] &&
	       !strcmp(get_string(a[FLITCAST_A_LINK_REASON]), fc_reason_text(FC_REASON_MTU));
}

/* Report a link of @arg, a configuration, that waits. */
static void report_link(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_LINK_MAX + 1];
	const struct config_site *site;
	uint32_t port;

	get_attrs(message, a, FLITCAST_A_LINK_MAX);
	site = config_find(arg, get_u32(a[FLITCAST_A_LINK_SITE]));
	port = get_u32(a[FLITCAST_A_LINK_PORT]);
	if (!site || port >= FC_PORTS_MAX || !config_has_link(&site->link[port]) || !waits(a))
		return;
	complain("site restore: site %u port %u waits for %s: %s", site->id, port,
		 link_name(site, port), get_string(a[FLITCAST_A_LINK_REASON]));
}

static int report_waiting(struct config *config)
{
	struct request req = { 0 };

	request_flitcast(&req, FLITCAST_CMD_LINK_GET, NLM_F_DUMP);
	return request_ask(&req, report_link, config, "site restore") ? EXIT_FAILED : 0;
}

/* Was a link of the file left out? */
static bool omits(const struct config *config)
{
	size_t i, port;

	for (i = 0; i < config->count; i++)
		for (port = 1; port < FC_PORTS_MAX; port++)
			if (config->site[i].link[port].omit)
				return true;
	return false;
}

int site_restore(const struct option_given *given)
{
	const char *path = option_text(given, "FILE");
	struct config config = { 0 }, now = { 0 };
	struct plan plan = { 0 };

	if (config_read(&config, path) || config_load(&now, FC_SITE_NONE, "site restore") ||
	    check(&config, &now))
		return EXIT_FAILED;
	make_plan(&plan, &config, &now);
	if (option_was_given(given, "check"))
		return 0;
	if (take_plan(&plan) || report_waiting(&config))
		return EXIT_FAILED;
	return omits(&config) ? EXIT_PARTLY : 0;
}

int site_remove(const struct option_given *given)
{
	struct config config = { 0 }, now = { 0 };
	struct plan plan = { 0 };
	struct step *step;
	int status = 0;
	size_t i;

	if (config_read(&config, option_text(given, "FILE")) ||
	    config_load(&now, FC_SITE_NONE, "site remove"))
		return EXIT_FAILED;
	for (i = 0; i < config.count; i++) {
		if (!config_find(&now, config.site[i].id))
			continue;
		step = add_step(&plan, xprintf("site del %u", config.site[i].id));
		put_site_del(&step->todo, config.site[i].id);
	}
	for (i = 0; i < plan.count; i++)
		if (request_ask(&plan.step[i].todo, NULL, NULL, plan.step[i].about))
			status = EXIT_FAILED;
	return status;
}

/* A saved file is indented JSON, regardless of options. */
static void print_for_file(void)
{
	out_pretty = out_pretty || !out_json;
	out_json = true;
}

int site_save(const struct option_given *given)
{
	struct config config = { 0 };

	if (config_load(&config, option_get(given, "site", FC_SITE_NONE), "site save"))
		return EXIT_FAILED;
	print_for_file();
	config_print(&config);
	return 0;
}

/*
 * Only preference tables.
 */

int route_save(const struct option_given *given)
{
	struct config config = { 0 };
	size_t i;

	if (config_load(&config, option_get(given, "site", FC_SITE_NONE), "route save"))
		return EXIT_FAILED;
	print_for_file();
	out_open_object(NULL);
	out_uint("flitcast", NULL, CONFIG_VERSION);
	out_open_array("tables");
	for (i = 0; i < config.count; i++) {
		out_open_object(NULL);
		out_uint("site", NULL, config.site[i].id);
		out_uint("generation", NULL, config.site[i].generation);
		config_print_routes(&config.site[i].topo, &config.site[i].pref,
				    &config.site[i].prefers);
		out_close_object();
	}
	out_close_array();
	out_close_object();
	out_end();
	return 0;
}

/* Read one table of a file; add a step if it differs from the current one. */
static int read_table(const char *where, json_t *object, const struct config *now,
		      bool strict, struct plan *plan)
{
	static const char *const keys[] = { "site", "generation", "routes", NULL };
	const struct config_site *is;
	uint32_t id, generation;
	struct prefers prefers = { 0 };
	struct fc_pref pref;
	struct step *step;
	bool given;

	if (config_unknown(where, object, keys) ||
	    config_number(where, object, "site", 0, FLITCAST_SITE_ANY - 1, &id))
		return -1;
	given = json_object_get(object, "generation");
	if ((given || strict) &&
	    config_number(where, object, "generation", 0, UINT32_MAX, &generation))
		return -1;
	is = config_find(now, id);
	if (!is || !is->topo.ops) {
		complain("%s: no site %u here", where, id);
		return -1;
	}
	if (config_read_routes(where, object, &is->topo, &pref, &prefers))
		return -1;
	if (strict && generation != is->generation) {
		complain("%s: the table of site %u is of generation %u by now, not %u", where,
			 id, is->generation, generation);
		return -1;
	}
	if (same_table(&is->topo, &pref, &is->pref) && prefers_same(&prefers, &is->prefers))
		return 0;
	step = add_step(plan, xprintf("routes of site %u", id));
	put_table(&step->todo, id, &is->topo, &pref, &prefers, &is->generation);
	put_table(&step->undo, id, &is->topo, &is->pref, &is->prefers, NULL);
	return 0;
}

int route_restore(const struct option_given *given)
{
	static const char *const keys[] = { "flitcast", "tables", NULL };
	bool strict = option_was_given(given, "same-generation");
	json_t *json, *tables, *table;
	const char *name;
	struct config now = { 0 };
	struct plan plan = { 0 };
	size_t i;

	json = config_open(option_text(given, "FILE"), &name);
	if (!json || config_unknown(name, json, keys))
		return EXIT_FAILED;
	tables = json_object_get(json, "tables");
	if (!json_is_array(tables)) {
		complain("%s: \"tables\" is an array, and has to be there", name);
		return EXIT_FAILED;
	}
	if (config_load(&now, FC_SITE_NONE, "route restore"))
		return EXIT_FAILED;
	json_array_foreach(tables, i, table)
		if (read_table(xprintf("%s: tables[%zu]", name, i), table, &now, strict, &plan))
			return EXIT_FAILED;
	return take_plan(&plan);
}
