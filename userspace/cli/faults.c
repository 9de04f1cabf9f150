// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "faults.h"
#include "core/faults/routes.h"

struct reading {
	const struct fc_topo *topo;
	uint32_t *down;
	uint32_t *suspect;
};

static void read_fault(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_FAULT_MAX + 1];
	struct reading *reading = arg;
	uint32_t origin;

	get_attrs(message, a, FLITCAST_A_FAULT_MAX);
	origin = get_u32(a[FLITCAST_A_FAULT_ORIGIN]);
	if (origin >= reading->topo->nsites)
		return;
	reading->down[origin] |= get_u32(a[FLITCAST_A_FAULT_PORTS]);
	if (reading->suspect)
		reading->suspect[origin] |= get_u32(a[FLITCAST_A_FAULT_SUSPECT]);
}

bool faults_read(const struct fc_topo *topo, uint32_t site, uint32_t *down, uint32_t *suspect,
		 const char *about)
{
	struct reading reading = { topo, down, suspect };
	struct request req = { 0 };

	request_flitcast(&req, FLITCAST_CMD_FAULT_GET, NLM_F_DUMP);
	put_u32(&req, FLITCAST_A_FAULT_SITE, site);
	return !request_ask(&req, read_fault, &reading, about);
}

uint32_t *faults_routes(const struct fc_topo *topo, uint32_t from, const uint32_t *down,
			const uint32_t *suspect)
{
	uint32_t *routes, *work, site = 0;

	while (site < topo->nsites && !down[site] && !suspect[site])
		site++;
	if (site == topo->nsites)
		return NULL;
	routes = xalloc(topo->nsites, sizeof(*routes));
	work = xalloc(3 * (size_t)topo->nsites, sizeof(*work));
	fc_routes_compute(topo, from, down, suspect, routes, work);
	free(work);
	return routes;
}
