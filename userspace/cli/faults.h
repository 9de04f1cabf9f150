/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dead and suspected links known to a site.
 */
#ifndef FLITCAST_CLI_FAULTS_H
#define FLITCAST_CLI_FAULTS_H

#include <stdbool.h>
#include <stdint.h>
#include "core/topo/topo.h"

/**
 * faults_read() - query the dead and suspected links known to a site
 * @topo: topology of the site
 * @site: site, in this network namespace
 * @down: by site of the topology, mask of its dead ports; reported ports are added
 * @suspect: likewise of suspected links; NULL: not wanted
 * @about: prefix of the error message
 *
 * Return: true; or false after an error message.
 */
bool faults_read(const struct fc_topo *topo, uint32_t site, uint32_t *down, uint32_t *suspect,
		 const char *about);

/**
 * faults_routes() - compute routes around dead and suspected links, as the sites do
 * @topo: topology
 * @from: first site of the routes
 * @down: result of faults_read()
 * @suspect: likewise
 *
 * Return: by site, directions (core/faults/routes.h), to be freed; NULL if no link is dead or
 * suspected.
 */
uint32_t *faults_routes(const struct fc_topo *topo, uint32_t from, const uint32_t *down,
			const uint32_t *suspect);

#endif /* FLITCAST_CLI_FAULTS_H */
