// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "network.h"

void network_parse(struct fc_topo *topo, const char *spec, const char *about)
{
	char error[GRAPH_ERROR_SIZE];

	if (!graph_topology(topo, spec, error))
		fail("%s %s: %s", about, spec, error);
}

bool network_is_graph(const char *spec)
{
	return !strncmp(spec, GRAPH_PREFIX, strlen(GRAPH_PREFIX));
}

/**
 * struct links - links received in a dump
 * @link: the links
 * @n: number of links
 */
struct links {
	struct fc_graph_link *link;
	size_t n;
};

static void read_links(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_GRAPH_MAX + 1], *part;
	struct links *links = arg;
	size_t n;

	get_attrs(message, a, FLITCAST_A_GRAPH_MAX);
	part = a[FLITCAST_A_GRAPH_LINKS];
	if (!part)
		return;
	n = nla_len(part) / sizeof(*links->link);
	links->link = xrealloc(links->link, (links->n + n + 1) * sizeof(*links->link));
	memcpy(links->link + links->n, nla_data(part), n * sizeof(*links->link));
	links->n += n;
}

bool network_read(struct fc_topo *topo, const char *spec, uint32_t site, const char *about)
{
	struct request req = { 0 };
	struct links links = { 0 };
	const char *wrong;

	if (network_is_graph(spec)) {
		request_flitcast(&req, FLITCAST_CMD_GRAPH_GET, NLM_F_DUMP);
		put_u32(&req, FLITCAST_A_GRAPH_SITE, site);
		if (request_ask(&req, read_links, &links, about))
			return false;
		wrong = graph_links(topo, links.link, links.n);
		free(links.link);
	} else {
		wrong = fc_topo_parse(topo, spec);
	}
	if (wrong)
		complain("%s: topology %s: %s", about, spec, wrong);
	return !wrong;
}

static void read_own(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_SITE_MAX + 1];
	struct network_own *own = arg;

	get_attrs(message, a, FLITCAST_A_SITE_MAX);
	own->site = get_u32(a[FLITCAST_A_SITE_ID]);
	own->mode = fc_mode_parse(get_string(a[FLITCAST_A_SITE_MODE]));
	own->flit = get_u32(a[FLITCAST_A_SITE_FLIT]);
	snprintf(own->spec, sizeof(own->spec), "%s", get_string(a[FLITCAST_A_SITE_TOPOLOGY]));
}

bool network_own(struct network_own *own, uint32_t site, const char *about)
{
	struct request req = { 0 };

	request_flitcast(&req, FLITCAST_CMD_SITE_GET, 0);
	if (site != FLITCAST_SITE_ANY)
		put_u32(&req, FLITCAST_A_SITE_ID, site);
	if (request_ask(&req, read_own, own, about) ||
	    !network_read(&own->topo, own->spec, own->site, about))
		return false;
	if (own->site >= own->topo.nsites)
		fail("%s: topology %s: there is no site %u", about, own->spec, own->site);
	return true;
}

void network_put(struct request *req, const struct fc_topo *topo)
{
	char spec[FC_SPEC_MAX];

	fc_topo_print(topo, spec);
	put_string(req, FLITCAST_A_SITE_TOPOLOGY, spec);
	if (topo->graph)
		put_bytes(req, FLITCAST_A_SITE_GRAPH, topo->graph->link,
			  topo->graph->nlinks * sizeof(*topo->graph->link));
}
