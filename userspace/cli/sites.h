/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of sites in arguments: "3", "1-5,9", "all".
 */
#ifndef FLITCAST_CLI_SITES_H
#define FLITCAST_CLI_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * sites_parse() - read a list of sites
 * @text: "1-5,9" or "all"
 * @nsites: number of sites of the network
 * @network: its name, for error messages
 * @sites: result, in the order of the text, with space for @nsites sites
 * @n: number of sites already in @sites; result
 *
 * Exits if the list is malformed, names a site twice, or a site that is not in the network.
 */
void sites_parse(const char *text, uint32_t nsites, const char *network, uint32_t *sites,
		 size_t *n);

/**
 * sites_expand() - expand "all" or "all:PORT" to targets
 * @text: a list of targets
 * @nsites: number of sites of the network
 * @own: the site to exclude
 *
 * Return: a list with ranges in place of "all", or a copy of any other list; to be freed.
 */
char *sites_expand(const char *text, uint32_t nsites, uint32_t own);

/* Is the text such an "all"? */
bool sites_are_all(const char *text);

#endif /* FLITCAST_CLI_SITES_H */
