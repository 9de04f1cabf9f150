/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcasts in several copies on a graph: paths of all sources, and configuration of sites with
 * them.
 */
#ifndef FLITCAST_CLI_PATHS_H
#define FLITCAST_CLI_PATHS_H

#include <stdbool.h>
#include <stdint.h>
#include "request.h"
#include "core/bcast/path.h"

struct flitcast_paths;
struct args;

/* Default of the copies for which paths are found. */
#define PATHS_COPIES	4
/* Largest network for which paths are found by default: in larger ones it takes seconds. */
#define PATHS_SITES	256

/**
 * struct paths - paths of all sources
 * @topo: topology, a graph
 * @copies: paths exist for 2 to @copies copies; 1: none
 * @of: paths for each number of copies from 2, by source
 * @n: capacity of @of
 */
struct paths {
	const struct fc_topo *topo;
	unsigned int copies;
	struct flitcast_paths *of;
	size_t n;
};

/**
 * struct paths_known - paths configured at a site
 * @copies: by source, a mask of numbers of copies, bit 2 for two
 */
struct paths_known {
	uint8_t *copies;
};

/**
 * paths_find() - find paths
 * @paths: result
 * @topo: topology, which must outlive @paths
 * @copies: maximum number of copies, up to FC_PATH_COPIES_MAX; 0: as many as possible, up to
 *	PATHS_COPIES, and none in large networks or topologies other than graphs
 * @about: prefix of the error message if there are fewer paths
 *
 * Shows its progress on a terminal.
 */
void paths_find(struct paths *paths, const struct fc_topo *topo, unsigned int copies,
		const char *about);
void paths_free(struct paths *paths);

/* Put the requests that set the paths of a source at a site. */
void paths_put(const struct paths *paths, uint32_t site, uint32_t source,
	       struct request *req);
/* Put the requests that delete the paths of a source at a site for more than @copies copies. */
void paths_put_del(const struct paths_known *known, unsigned int copies, uint32_t site,
		   uint32_t source, struct request *req);

/* Read the paths of a site.  Return: 0, or -errno after an error message. */
int paths_read(struct paths_known *known, const struct fc_topo *topo, uint32_t site,
	       const char *about);
/* Largest k such that a site has paths of its own broadcasts for every number of copies up to k. */
unsigned int paths_own(const struct paths_known *known, uint32_t site);

/**
 * paths_set() - set all paths at a site
 * @paths: paths
 * @genl: socket
 * @site: site
 * @error: set unless 0 is returned
 *
 * Return: 0, or -errno.
 */
int paths_set(const struct paths *paths, struct nl_sock *genl, uint32_t site,
	      struct request_error *error);

/* flitcast topology paths */
int topology_paths(const struct option_given *given);

#endif /* FLITCAST_CLI_PATHS_H */
