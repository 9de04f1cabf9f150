/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Preference tables of several sites, from files that "route save" printed.
 */
#ifndef FLITCAST_CLI_TABLES_H
#define FLITCAST_CLI_TABLES_H

#include "core/link/node.h"

/**
 * struct tables - the tables of the sites of a network
 * @topo: topology
 * @pref: by site, its lists of directions, or NULL: the default
 * @prefers: by site, its entries for targets, or NULL: it has none
 * @preset: the default
 */
struct tables {
	const struct fc_topo *topo;
	struct fc_pref **pref;
	struct fc_prefer_table **prefers;
	struct fc_pref preset;
};

/* All sites have the default. */
void tables_init(struct tables *tables, const struct fc_topo *topo);
void tables_free(struct tables *tables);

/* Add the tables of a file, "-": standard input.  Return: 0, or -1 after an error message. */
int tables_read(struct tables *tables, const char *path);

static inline const struct fc_pref *tables_of(const struct tables *tables, u32 site)
{
	return tables->pref[site] ? tables->pref[site] : &tables->preset;
}

/* Ports by which a site sends packets to another one while the ports of @allowed are free. */
u32 tables_ports(const struct tables *tables, u32 site, u32 target, u32 allowed);

#endif /* FLITCAST_CLI_TABLES_H */
