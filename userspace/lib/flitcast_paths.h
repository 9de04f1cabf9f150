/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * libflitcast: broadcasts in k copies on any network, over node-disjoint paths.
 *
 * A broadcast is a tree of hops: each is one packet over one link.  Paths with a common beginning
 * share their first hops.  On an irregular network a link may have to carry several packets of a
 * broadcast; a label distinguishes them.  So a site identifies the hop of a packet by the source,
 * the incoming link and the label, and forwards the packet over the following hops; it rejects a
 * packet without a hop.
 */
#ifndef FLITCAST_PATHS_H
#define FLITCAST_PATHS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No hop: predecessor of the hops that the source itself sends. */
#define FLITCAST_HOP_NONE	UINT32_MAX

/**
 * struct flitcast_graph_link - a link
 * @site: its ends, two different ones
 */
struct flitcast_graph_link {
	uint32_t site[2];
};

/**
 * struct flitcast_graph - a network
 * @sites: sites are 0 .. sites - 1; at most 65536
 * @links: number of links
 * @link: the links; at most one between two sites; at most 2097152.  Owned by the caller.
 */
struct flitcast_graph {
	uint32_t sites;
	uint32_t links;
	const struct flitcast_graph_link *link;
};

/**
 * struct flitcast_hop - one packet over one link
 * @before: preceding hop, or FLITCAST_HOP_NONE: the source sends it
 * @link: index of the link
 * @site: site at the end of the hop
 * @links: length of the path to @site
 * @label: distinguishes hops over one link in one direction, from 0
 * @copy: number of the copy delivered to @site, from 1 (the shortest path) to k; 0: not delivered,
 *	only forwarded
 */
struct flitcast_hop {
	uint32_t before;
	uint32_t link;
	uint32_t site;
	uint32_t links;
	uint32_t label;
	uint32_t copy;
};

/**
 * struct flitcast_paths - a broadcast from one source
 * @source: the source
 * @copies: k
 * @hops: number of hops
 * @hop: the hops; each follows its predecessor in the array
 */
struct flitcast_paths {
	uint32_t source;
	uint32_t copies;
	uint32_t hops;
	struct flitcast_hop *hop;
};

/**
 * flitcast_paths_find() - k node-disjoint paths to every site
 * @paths: result, to be given to flitcast_paths_free(); untouched unless 0 is returned
 * @graph: the network
 * @source: source of the broadcast
 * @copies: k, 1 to 255
 * @error: if not NULL, gets a constant error message
 *
 * Finds k paths of the least total length for each site.  Takes time in proportion to sites * k *
 * (sites + links), and several times that if paths conflict.
 *
 * Return: 0, or -1 with errno EINVAL (malformed arguments), EHOSTUNREACH (there are not k such
 * paths to some site) or ENOMEM.
 */
int flitcast_paths_find(struct flitcast_paths *paths, const struct flitcast_graph *graph,
			uint32_t source, unsigned int copies, const char **error);

/**
 * flitcast_paths_check() - verify paths
 * @paths: paths of any origin, also untrusted
 * @graph: the network
 * @error: if not NULL, gets a constant error message
 *
 * Checks that each hop begins where its predecessor ends, and has a unique label; that each site
 * but the source has copies 1 to k, over paths that share no site but their ends; and that every
 * hop leads to a copy.
 *
 * Return: 0, or -1 with errno EINVAL or ENOMEM.
 */
int flitcast_paths_check(const struct flitcast_paths *paths, const struct flitcast_graph *graph,
			 const char **error);

/**
 * flitcast_paths_free() - free the result of flitcast_paths_find()
 * @paths: empty afterwards
 */
void flitcast_paths_free(struct flitcast_paths *paths);

#ifdef __cplusplus
}
#endif

#endif /* FLITCAST_PATHS_H */
