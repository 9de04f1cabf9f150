// SPDX-License-Identifier: GPL-2.0
/* Graphs, shared by all sites of this kernel whose networks have the same links. */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include "fabric/shared_graph.h"

/**
 * struct flitcast_graph - a graph
 * @node: entry in the list of all graphs
 * @users: reference count
 * @core: the graph; constant once in the list
 * @room: memory of the tables of @core
 * @link: links of the graph
 */
struct flitcast_graph {
	struct list_head node;
	unsigned int users;
	struct fc_graph core;
	void *room;
	struct fc_graph_link link[];
};

static LIST_HEAD(graphs);
/* Protects the list and the reference counts. */
static DEFINE_MUTEX(lock);

static void graph_free(struct flitcast_graph *g)
{
	kvfree(g->room);
	kvfree(g);
}

static struct flitcast_graph *graph_make(const struct fc_graph_link *link, u32 nlinks,
					 const char **wrong)
{
	struct flitcast_graph *g;
	struct fc_graph core;

	/* Validate before allocating memory. */
	*wrong = fc_graph_begin(&core, link, nlinks);
	if (*wrong)
		return ERR_PTR(-EINVAL);
	g = kvzalloc(struct_size(g, link, nlinks), GFP_KERNEL_ACCOUNT);
	if (!g)
		return ERR_PTR(-ENOMEM);
	memcpy(g->link, link, nlinks * sizeof(*link));
	g->core = core;
	g->core.link = g->link;
	g->room = kvmalloc(fc_graph_room(&core), GFP_KERNEL_ACCOUNT);
	if (!g->room) {
		graph_free(g);
		return ERR_PTR(-ENOMEM);
	}
	*wrong = fc_graph_fill(&g->core, g->room);
	if (!*wrong)
		return g;
	graph_free(g);
	return ERR_PTR(-EINVAL);
}

const struct fc_graph *flitcast_graph_get(const struct fc_graph_link *link, u32 nlinks,
					  const char **wrong)
{
	const struct fc_graph *found;
	struct flitcast_graph *g;

	mutex_lock(&lock);
	/* Compare the links, because digests may collide. */
	list_for_each_entry(g, &graphs, node)
		if (g->core.nlinks == nlinks && !memcmp(g->link, link, nlinks * sizeof(*link)))
			goto found;
	g = graph_make(link, nlinks, wrong);
	if (IS_ERR(g)) {
		found = ERR_CAST(g);
		goto out;
	}
	list_add(&g->node, &graphs);
found:
	g->users++;
	found = &g->core;
out:
	mutex_unlock(&lock);
	return found;
}

void flitcast_graph_hold(const struct fc_graph *graph)
{
	mutex_lock(&lock);
	container_of(graph, struct flitcast_graph, core)->users++;
	mutex_unlock(&lock);
}

void flitcast_graph_put(const struct fc_graph *graph)
{
	struct flitcast_graph *g = container_of(graph, struct flitcast_graph, core);

	mutex_lock(&lock);
	if (!--g->users) {
		list_del(&g->node);
		graph_free(g);
	}
	mutex_unlock(&lock);
}
