// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "cli.h"
#include "config.h"
#include "tables.h"
#include "util.h"

void tables_init(struct tables *tables, const struct fc_topo *topo)
{
	tables->topo = topo;
	tables->pref = xalloc(topo->nsites, sizeof(*tables->pref));
	tables->prefers = xalloc(topo->nsites, sizeof(*tables->prefers));
	fc_pref_default(&tables->preset, topo);
}

void tables_free(struct tables *tables)
{
	u32 site;

	for (site = 0; tables->pref && site < tables->topo->nsites; site++) {
		free(tables->pref[site]);
		free(tables->prefers[site]);
	}
	free(tables->pref);
	free(tables->prefers);
}

static int read_table(struct tables *tables, const char *where, json_t *object)
{
	static const char *const keys[] = { "site", "generation", "routes", NULL };
	struct prefers prefers = { 0 };
	u32 site;

	if (config_unknown(where, object, keys) ||
	    config_number(where, object, "site", 0, tables->topo->nsites - 1, &site))
		return -1;
	if (tables->pref[site]) {
		complain("%s: a second table of site %u", where, site);
		return -1;
	}
	tables->pref[site] = xalloc(1, sizeof(*tables->pref[site]));
	if (config_read_routes(where, object, tables->topo, tables->pref[site], &prefers))
		return -1;
	tables->prefers[site] = prefers_table(&prefers, tables->topo->nsites);
	free(prefers.entry);
	return 0;
}

int tables_read(struct tables *tables, const char *path)
{
	static const char *const keys[] = { "flitcast", "tables", NULL };
	json_t *json, *array, *table;
	const char *name;
	int err = 0;
	size_t i;

	json = config_open(path, &name);
	if (!json || config_unknown(name, json, keys))
		return -1;
	array = json_object_get(json, "tables");
	if (!json_is_array(array)) {
		complain("%s: \"tables\" is an array, and has to be there", name);
		err = -1;
	}
	for (i = 0; !err && i < json_array_size(array); i++) {
		char *where = xprintf("%s: tables[%zu]", name, i);

		table = json_array_get(array, i);
		err = read_table(tables, where, table);
		free(where);
	}
	json_decref(json);
	return err;
}

u32 tables_ports(const struct tables *tables, u32 site, u32 target, u32 allowed)
{
	const struct fc_topo *topo = tables->topo;
	struct fc_node node = {
		.topo = topo, .pref = tables_of(tables, site), .prefers = tables->prefers[site],
		.id = site, .nports = topo->ndirs + 1,
	};
	u32 up = 0;
	u8 d;

	for (d = 0; d < topo->ndirs; d++)
		if (fc_topo_neighbour(topo, site, d) != FC_SITE_NONE)
			up |= fc_bit(d + 1);
	return fc_node_narrow_ports(&node, target, up, allowed);
}
