/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * libflitcast: broadcasts in k copies on any network, over node-disjoint paths.
 *
 * A broadcast is a tree of hops: each is one packet over one link.  Paths that begin
 * alike share their first hops.  On an irregular network a link may have to carry several
 * packets of a broadcast; each has a label.  So a site goes by the source, the link
 * on which a packet came, and its label: a packet that has a hop here goes on over the
 * hops that follow it; any other is not of this broadcast.
 */
#ifndef FLITCAST_PATHS_H
#define FLITCAST_PATHS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The source has this hop before its own; and what is not found. */
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
 * @links: how many
 * @link: the links; at most one between two sites; at most 2097152.  The caller's.
 */
struct flitcast_graph {
	uint32_t sites;
	uint32_t links;
	const struct flitcast_graph_link *link;
};

/**
 * struct flitcast_hop - one packet over one link
 * @before: hop after which it comes, or FLITCAST_HOP_NONE: the source sends it
 * @link: index of the link
 * @site: the end to which it leads
 * @links: length of the path to there
 * @label: tells it from the others over this link to this end, which are 0 and up
 * @copy: number of the copy that it is for @site, from 1, the shortest path, to k; 0: it
 *	is none and only goes on
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
 * @hops: how many
 * @hop: them; each comes after the one before it
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
 * @source: where the broadcast begins
 * @copies: k, 1 to 255
 * @error: if not NULL, gets a constant text that says what is wrong
 *
 * For each site k paths of the least total length.  Takes time in proportion to
 * sites * k * (sites + links), and several times that where paths are in each other's
 * way.
 *
 * Return: 0, or -1 with errno EINVAL (what was given is malformed), EHOSTUNREACH (there
 * are not k such paths to some site) or ENOMEM.
 */
int flitcast_paths_find(struct flitcast_paths *paths, const struct flitcast_graph *graph,
			uint32_t source, unsigned int copies, const char **error);

/**
 * flitcast_paths_check() - are these paths what they are said to be
 * @paths: from wherever
 * @graph: the network
 * @error: if not NULL, gets a constant text that says what is wrong
 *
 * Each hop begins where the one before it ends, and has its label for itself; each
 * site but the source has copies 1 to k, over paths that meet at no site but
 * their ends; every hop leads to a copy.
 *
 * Return: 0, or -1 with errno EINVAL or ENOMEM.
 */
int flitcast_paths_check(const struct flitcast_paths *paths, const struct flitcast_graph *graph,
			 const char **error);

/**
 * flitcast_paths_free() - give back what flitcast_paths_find() allocated
 * @paths: empty afterwards
 */
void flitcast_paths_free(struct flitcast_paths *paths);

#ifdef __cplusplus
}
#endif

#endif /* FLITCAST_PATHS_H */
