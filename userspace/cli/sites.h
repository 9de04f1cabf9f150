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
 * @network: its name, for complaints
 * @sites: result, in the order of the text, with room for @nsites sites
 * @n: number of sites that are there already; result
 *
 * Does not return where the list is wrong, names a site twice, or one that is not in the network.
 */
void sites_parse(const char *text, uint32_t nsites, const char *network, uint32_t *sites,
		 size_t *n);

/**
 * sites_expand() - targets that "all" or "all:PORT" stands for
 * @text: a list of targets
 * @nsites: number of sites of the network
 * @own: the site that is none of them
 *
 * Return: a list with ranges in place of "all", any other list as it is; to be freed.
 */
char *sites_expand(const char *text, uint32_t nsites, uint32_t own);

/* Is that so? */
bool sites_are_all(const char *text);

#endif /* FLITCAST_CLI_SITES_H */
