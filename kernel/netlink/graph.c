// SPDX-License-Identifier: GPL-2.0
/*
 * Object "graph": the links of the network of a site whose topology is a graph.
 */
#include "compat.h"
#include "core/topo/graph.h"
#include "netlink/reply.h"

/* Links in one message. */
#define GRAPH_PART	256

const struct nla_policy flitcast_netlink_graph_policy[FLITCAST_A_GRAPH_SITE + 1] = {
	[FLITCAST_A_GRAPH_SITE] = { .type = NLA_U32 },
};

struct object {
	u32 site;
	u32 nlinks;
	const struct fc_graph_link *link;
};

static int graph_fill(struct sk_buff *skb, const void *arg)
{
	const struct object *object = arg;

	if (nla_put_u32(skb, FLITCAST_A_GRAPH_SITE, object->site) ||
	    nla_put(skb, FLITCAST_A_GRAPH_LINKS, object->nlinks * sizeof(*object->link),
		    object->link))
		return -EMSGSIZE;
	return 0;
}

/* Dump the links of a graph; @from is the index of the first link of a part. */
static int site_links(struct sk_buff *skb, struct netlink_callback *cb,
		      struct flitcast_site *site, u32 *from)
{
	struct flitcast_site_info info;
	const struct fc_graph *graph;
	struct object object;

	flitcast_site_info(site, &info);
	graph = info.cfg.topo.graph;
	if (!graph)
		return 0;
	object.site = info.cfg.id;
	for (; *from < graph->nlinks; *from += object.nlinks) {
		object.link = graph->link + *from;
		object.nlinks = min_t(u32, graph->nlinks - *from, GRAPH_PART);
		if (flitcast_netlink_part(skb, cb, FLITCAST_CMD_GRAPH_GET, graph_fill, &object))
			return -EMSGSIZE;
	}
	return 0;
}

int flitcast_netlink_graph_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return flitcast_netlink_dump(skb, cb, genl_info_dump(cb)->attrs[FLITCAST_A_GRAPH_SITE],
				     site_links);
}
