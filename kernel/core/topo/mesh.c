// SPDX-License-Identifier: GPL-2.0
/*
 * Meshes of n dimensions, and lines, which are meshes of one.
 *
 * Every direction that brings one coordinate nearer to the target's is
 * minimal: the distance is the sum over the dimensions of |to - from|.
 */
#include "core/topo/axes.h"
#include "core/topo/axes_bcast.h"
#include "core/topo/rules.h"

static const char *mesh_parse(struct fc_topo *topo, const char *args)
{
	const char *wrong = fc_topo_axes_parse(topo, args);

	if (wrong)
		return wrong;
	if (topo->ndims < 2)
		return "a mesh has two dimensions or more; line:N has one";
	return NULL;
}

static const char *line_parse(struct fc_topo *topo, const char *args)
{
	const char *wrong = fc_topo_axes_parse(topo, args);

	if (wrong)
		return wrong;
	if (topo->ndims > 1)
		return "a line has one dimension; mesh:RxC has more";
	return NULL;
}

static u32 mesh_neighbour(const struct fc_topo *topo, u32 site, u8 dir)
{
	unsigned int dim = fc_topo_axes_dim(dir);
	u32 stride = 1;
	unsigned int i;
	u32 at;

	if (dir >= topo->ndirs || site >= topo->nsites)
		return FC_SITE_NONE;
	for (i = 0; i < dim; i++)
		stride *= topo->size[i];
	at = site / stride % topo->size[dim];
	if (fc_topo_axes_minus(dir))
		return at == 0 ? FC_SITE_NONE : site - stride;
	return at == topo->size[dim] - 1 ? FC_SITE_NONE : site + stride;
}

static u32 mesh_minimal(const struct fc_topo *topo, u32 from, u32 to)
{
	unsigned int i;
	u32 mask = 0;

	for (i = 0; i < topo->ndims; i++) {
		u32 size = topo->size[i];

		if (from % size < to % size)
			mask |= fc_topo_axes_plus_bit(i);
		else if (from % size > to % size)
			mask |= fc_topo_axes_minus_bit(i);
		from /= size;
		to /= size;
	}
	return mask;
}

static u32 mesh_distance(const struct fc_topo *topo, u32 from, u32 to)
{
	u32 links = 0;
	unsigned int i;

	for (i = 0; i < topo->ndims; i++) {
		u32 size = topo->size[i];
		u32 a = from % size;
		u32 b = to % size;

		links += a < b ? b - a : a - b;
		from /= size;
		to /= size;
	}
	return links;
}

static void mesh_steps(const struct fc_topo *topo, u32 from, u32 to, u8 step[2][FC_STEPS_AXES])
{
	unsigned int i;

	memset(step, 0, 2 * FC_STEPS_AXES);
	for (i = 0; i < topo->ndims && i < FC_STEPS_AXES; i++) {
		u32 size = topo->size[i], a = from % size, b = to % size;

		step[a > b][i] = fc_topo_steps(a > b ? a - b : b - a);
		from /= size;
		to /= size;
	}
}

/*
 * Virtual networks: 2^n orthants, each a virtual network of its own, in which packets go in
 * one direction along each axis, and along the axes in any order.  A packet that takes a direction
 * which its orthant does not have goes on in the next orthant that has it: so one whose targets
 * are in several orthants may begin in the lowest of them.
 *
 * Rank: orthant, then the sum of the coordinates, each counted up in the direction of the orthant.
 */

static const char *mesh_vclass_init(struct fc_vclass *v)
{
	static_assert(FC_VCLASSES_MAX == 64, "named in the text");
	v->count = (u8)fc_topo_axes_orthants(v);
	return v->count ? NULL : "a mesh of more than 6 dimensions needs more than 64 classes";
}

static u32 mesh_vclass_allowed(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	u32 allowed = 0, left;

	for (left = mask; left; left &= left - 1) {
		u8 d = (u8)fc_low(left);
		u32 orthant = fc_topo_axes_climb(v, class, d);

		if (orthant >= v->count)
			continue;
		next[d] = (u8)orthant;
		allowed |= fc_bit(d);
	}
	return allowed;
}

static const struct fc_vclass_rules mesh_vclass = {
	.init = mesh_vclass_init,
	.first = fc_topo_axes_vclass_first,
	.productive = fc_topo_axes_vclass_productive,
	.allowed = mesh_vclass_allowed,
};

const struct fc_topo_ops fc_topo_mesh = {
	.name = "mesh",
	.usage = "mesh:RxC, mesh:AxBxC... or mesh:K^N",
	.parse = mesh_parse,
	.print = fc_topo_axes_print,
	.neighbour = mesh_neighbour,
	.arrival = fc_topo_axes_arrival,
	.minimal = mesh_minimal,
	.distance = mesh_distance,
	.steps = mesh_steps,
	.dir_name = fc_topo_axes_dir_name,
	.vclass = &mesh_vclass,
	.bcast = &fc_topo_line_bcast,
};

const struct fc_topo_ops fc_topo_line = {
	.name = "line",
	.usage = "line:N",
	.parse = line_parse,
	.print = fc_topo_axes_print,
	.neighbour = mesh_neighbour,
	.arrival = fc_topo_axes_arrival,
	.minimal = mesh_minimal,
	.distance = mesh_distance,
	.steps = mesh_steps,
	.dir_name = fc_topo_axes_dir_name,
	.vclass = &mesh_vclass,
	.bcast = &fc_topo_line_bcast,
};
