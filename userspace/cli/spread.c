// SPDX-License-Identifier: GPL-2.0
/*
 * Starting from a circle, sites repel each other and links attract (Fruchterman and Reingold,
 * "Graph drawing by force-directed placement"), with decreasing steps.
 */
#include <math.h>
#include <stdlib.h>
#include "spread.h"
#include "util.h"

#define STEPS	300

/* Compute the forces on all sites. */
static void forces(const struct fc_topo *topo, const struct point *at, struct point *force,
		   double length)
{
	uint32_t a, b;
	uint8_t d;

	for (a = 0; a < topo->nsites; a++) {
		force[a] = (struct point){ 0 };
		for (b = 0; b < topo->nsites; b++) {
			double x = at[a].x - at[b].x, y = at[a].y - at[b].y;
			double square = x * x + y * y;

			if (a == b)
				continue;
			/* Separate two sites in one place in an arbitrary direction. */
			if (square < 1) {
				x = a < b ? 1 : -1;
				square = 1;
			}
			force[a].x += x * length * length / square;
			force[a].y += y * length * length / square;
		}
		for (d = 0; d < topo->ndirs; d++) {
			double x, y, far;

			b = fc_topo_neighbour(topo, a, d);
			if (b == FC_SITE_NONE)
				continue;
			x = at[b].x - at[a].x;
			y = at[b].y - at[a].y;
			far = hypot(x, y);
			force[a].x += x * far / length;
			force[a].y += y * far / length;
		}
	}
}

static double nearest(const struct point *at, uint32_t n)
{
	double least = INFINITY;
	uint32_t a, b;

	for (a = 0; a < n; a++)
		for (b = 0; b < a; b++)
			least = fmin(least, hypot(at[a].x - at[b].x, at[a].y - at[b].y));
	return least;
}

struct point *spread(const struct fc_topo *topo, double length, double apart)
{
	struct point *force = xalloc(topo->nsites, sizeof(*force));
	struct point *at = xalloc(topo->nsites, sizeof(*at));
	double radius = length * sqrt(topo->nsites) / 2, near;
	uint32_t site;
	int step;

	for (site = 0; site < topo->nsites; site++) {
		double angle = 2 * M_PI * site / topo->nsites - M_PI / 2;

		at[site] = (struct point){ radius * cos(angle), radius * sin(angle) };
	}
	for (step = 0; step < STEPS; step++) {
		double most = radius * (STEPS - step) / STEPS / 4;

		forces(topo, at, force, length);
		for (site = 0; site < topo->nsites; site++) {
			double size = hypot(force[site].x, force[site].y);
			double part = size > most ? most / size : 1;

			at[site].x += force[site].x * part;
			at[site].y += force[site].y * part;
		}
	}
	near = nearest(at, topo->nsites);
	for (site = 0; site < topo->nsites && near < apart; site++) {
		at[site].x *= apart / fmax(near, 1);
		at[site].y *= apart / fmax(near, 1);
	}
	free(force);
	return at;
}
