// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "graph_paths.h"
#include "network.h"
#include "out.h"
#include "paths.h"
#include "core/topo/bcast.h"

static struct flitcast_paths *paths_of(const struct paths *paths, unsigned int copies,
				       uint32_t source)
{
	return &paths->of[(size_t)(copies - FC_PATH_COPIES_MIN) * paths->topo->nsites + source];
}

/*
 * Find the paths of all sources for one number of copies.  Return: false if there are none for
 * *@source, with the reason in *@wrong.
 */
static bool find_all(struct paths *paths, unsigned int copies, uint32_t *source,
		     const char **wrong)
{
	struct fc_path_entry entry[FC_PATH_ENTRIES_MAX];
	uint32_t site, n;

	for (*source = 0; *source < paths->topo->nsites; ++*source) {
		struct flitcast_paths *p = paths_of(paths, copies, *source);

		*wrong = graph_paths(p, paths->topo->graph, *source, copies);
		for (site = 0; site < paths->topo->nsites && !*wrong; site++)
			*wrong = graph_path_entries(paths->topo, p, site, entry, &n);
		if (*wrong)
			return false;
		progress("paths: sources", *source + 1, paths->topo->nsites, "");
	}
	return true;
}

/* Other topologies than graphs know their paths; fails if there are none for so many copies. */
static void check_known(const struct fc_topo *topo, unsigned int copies, const char *about)
{
	char spec[FC_SPEC_MAX];
	unsigned int most = 1;
	struct fc_bcast b;

	while (!fc_bcast_init(&b, topo, most + 1))
		most++;
	fc_topo_print(topo, spec);
	if (copies > most)
		fail("%s: %s has disjoint paths for %u copies at most", about, spec, most);
}

void paths_find(struct paths *paths, const struct fc_topo *topo, unsigned int copies,
		const char *about)
{
	unsigned int most = copies ? copies : PATHS_COPIES, k;
	const char *wrong;
	uint32_t source;

	*paths = (struct paths){ .topo = topo, .copies = 1 };
	if (!copies && topo->nsites > PATHS_SITES)
		return;
	if (!topo->graph) {
		check_known(topo, copies, about);
		return;
	}
	paths->n = (size_t)(most - 1) * topo->nsites;
	paths->of = xalloc(paths->n + 1, sizeof(*paths->of));
	for (k = FC_PATH_COPIES_MIN; k <= most; k++) {
		if (find_all(paths, k, &source, &wrong)) {
			paths->copies = k;
			continue;
		}
		progress_end();
		if (copies)
			fail("%s: %u copies from site %u: %s", about, k, source, wrong);
		break;
	}
	progress_end();
}

void paths_free(struct paths *paths)
{
	size_t i;

	for (i = 0; i < paths->n; i++)
		flitcast_paths_free(&paths->of[i]);
	free(paths->of);
}

static void put_id(struct request *req, uint8_t cmd, uint32_t site, uint32_t source,
		   unsigned int copies)
{
	request_flitcast(req, cmd, 0);
	put_u32(req, FLITCAST_A_PATH_SITE, site);
	put_u32(req, FLITCAST_A_PATH_SOURCE, source);
	put_u32(req, FLITCAST_A_PATH_COPIES, copies);
}

void paths_put(const struct paths *paths, uint32_t site, uint32_t source,
	       struct request *req)
{
	struct fc_path_entry entry[FC_PATH_ENTRIES_MAX];
	unsigned int k;
	uint32_t n;

	for (k = FC_PATH_COPIES_MIN; k <= paths->copies; k++) {
		/* This cannot fail: find_all() has checked it. */
		graph_path_entries(paths->topo, paths_of(paths, k, source), site, entry, &n);
		put_id(req, FLITCAST_CMD_PATH_SET, site, source, k);
		put_bytes(req, FLITCAST_A_PATH_ENTRIES, entry, n * sizeof(*entry));
	}
}

void paths_put_del(const struct paths_known *known, unsigned int copies, uint32_t site,
		   uint32_t source, struct request *req)
{
	unsigned int k;

	for (k = copies + 1; k <= FC_PATH_COPIES_MAX; k++) {
		if (!(known->copies[source] >> k & 1))
			continue;
		put_id(req, FLITCAST_CMD_PATH_DEL, site, source, k);
	}
}

struct reading {
	struct paths_known *known;
	uint32_t nsites;
};

static void read_known(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_PATH_MAX + 1];
	struct reading *reading = arg;
	uint32_t source, copies;

	get_attrs(message, a, FLITCAST_A_PATH_MAX);
	source = get_u32(a[FLITCAST_A_PATH_SOURCE]);
	copies = get_u32(a[FLITCAST_A_PATH_COPIES]);
	if (source < reading->nsites && copies <= FC_PATH_COPIES_MAX)
		reading->known->copies[source] |= 1U << copies;
}

int paths_read(struct paths_known *known, const struct fc_topo *topo, uint32_t site,
	       const char *about)
{
	struct reading reading = { known, topo->nsites };
	struct request req = { 0 };

	known->copies = xalloc(topo->nsites, sizeof(*known->copies));
	request_flitcast(&req, FLITCAST_CMD_PATH_GET, NLM_F_DUMP);
	put_u32(&req, FLITCAST_A_PATH_SITE, site);
	return request_ask(&req, read_known, &reading, about);
}

unsigned int paths_own(const struct paths_known *known, uint32_t site)
{
	unsigned int k = 1;

	while (known->copies[site] >> (k + 1) & 1)
		k++;
	return k;
}

int paths_set(const struct paths *paths, struct nl_sock *genl, uint32_t site,
	      struct request_error *error)
{
	struct request req = { 0 };
	uint32_t source;
	int err = 0;

	/* Send each request on its own: all together may exceed the socket's buffer. */
	for (source = 0; source < paths->topo->nsites && !err; source++) {
		paths_put(paths, site, source, &req);
		err = request_send(genl, &req, NULL, NULL, error);
	}
	return err;
}

/*
 * flitcast topology paths
 */

static void print_end(const char *key, uint8_t port, uint8_t label)
{
	out_open_object(key);
	out_uint("port", " port %llu", port);
	out_uint("label", label ? "/%llu" : NULL, label);
	out_close_object();
}

static void print_entries(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_PATH_MAX + 1], *list;
	const struct fc_path_entry *entry;
	size_t i, n;

	get_attrs(message, a, FLITCAST_A_PATH_MAX);
	list = a[FLITCAST_A_PATH_ENTRIES];
	out_open_object(NULL);
	out_uint("site", "site %llu", get_u32(a[FLITCAST_A_PATH_SITE]));
	out_uint("source", " source %llu", get_u32(a[FLITCAST_A_PATH_SOURCE]));
	out_uint("copies", " copies %llu\n", get_u32(a[FLITCAST_A_PATH_COPIES]));
	out_open_array("entries");
	entry = list ? nla_data(list) : NULL;
	n = list ? nla_len(list) / sizeof(*entry) : 0;
	for (i = 0; i < n; i++) {
		out_open_object(NULL);
		out_text("   ");
		if (entry[i].in)
			print_end("in", entry[i].in, entry[i].in_label);
		else
			out_null("in");
		out_text(entry[i].out ? " to" : " a copy");
		if (entry[i].out)
			print_end("out", entry[i].out, entry[i].out_label);
		else
			out_null("out");
		out_text("\n");
		out_close_object();
	}
	out_close_array();
	out_close_object();
}

static int show(uint32_t site)
{
	struct request req = { 0 };
	int err;

	request_flitcast(&req, FLITCAST_CMD_PATH_GET, NLM_F_DUMP);
	put_u32(&req, FLITCAST_A_PATH_SITE, site);
	out_open_array(NULL);
	err = request_ask(&req, print_entries, NULL, "topology paths");
	out_close_array();
	out_end();
	return err ? EXIT_FAILED : 0;
}

static int replace(const struct network_own *own, unsigned int copies)
{
	struct request req = { 0 };
	struct paths_known known;
	struct request_error error;
	const struct fc_topo *topo = &own->topo;
	struct paths paths;
	uint32_t source;
	struct nl_sock *genl;
	int err;

	if (paths_read(&known, topo, own->site, "topology paths"))
		return EXIT_FAILED;
	paths_find(&paths, topo, copies, "topology paths");
	genl = request_open(NETLINK_GENERIC);
	if (!genl)
		fail("topology paths: netlink: %s", strerror(errno));
	err = paths_set(&paths, genl, own->site, &error);
	for (source = 0; source < topo->nsites && !err; source++) {
		paths_put_del(&known, copies, own->site, source, &req);
		err = request_send(genl, &req, NULL, NULL, &error);
	}
	nl_socket_free(genl);
	paths_free(&paths);
	free(known.copies);
	if (err)
		complain("topology paths: site %u: %s", own->site, error.text);
	return err ? EXIT_FAILED : 0;
}

int topology_paths(const struct option_given *given)
{
	unsigned int copies = option_get(given, "copies", 0);
	struct network_own own;

	if (!network_own(&own, option_get(given, "site", FC_SITE_NONE), "topology paths"))
		return EXIT_FAILED;
	return copies ? replace(&own, copies) : show(own.site);
}
