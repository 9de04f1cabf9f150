/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The topology of a network, from the user's name of it or from a site; a graph also needs its
 * links, which its name does not contain.
 */
#ifndef FLITCAST_CLI_NETWORK_H
#define FLITCAST_CLI_NETWORK_H

#include <stdbool.h>
#include "graph.h"
#include "request.h"

/* Parse the user's specification; exits with an error message if it is invalid. */
void network_parse(struct fc_topo *topo, const char *spec, const char *about);

/**
 * struct network_own - the network of a site of this namespace
 * @site: the site
 * @topo: topology
 * @spec: its name
 * @mode: switching mode
 * @flit: size of flits
 */
struct network_own {
	uint32_t site;
	struct fc_topo topo;
	char spec[FC_SPEC_MAX];
	int mode;
	uint32_t flit;
};

/**
 * network_own() - query a site of this namespace for its network
 * @own: result
 * @site: site, or FLITCAST_SITE_ANY: the only one
 * @about: command, for the error message
 *
 * Return: false after an error message.
 */
bool network_own(struct network_own *own, uint32_t site, const char *about);

/**
 * network_read() - read the topology of a site of this namespace
 * @topo: result
 * @spec: specification reported by the site
 * @site: site
 * @about: object, for the error message
 *
 * Return: false after an error message.
 */
bool network_read(struct fc_topo *topo, const char *spec, uint32_t site, const char *about);

/* Is @spec the name of a graph, which does not contain its links? */
bool network_is_graph(const char *spec);

/* Put a topology into a request of the object "site". */
void network_put(struct request *req, const struct fc_topo *topo);

#endif /* FLITCAST_CLI_NETWORK_H */
