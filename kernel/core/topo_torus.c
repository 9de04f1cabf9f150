// SPDX-License-Identifier: GPL-2.0
/*
 * Tori of n dimensions (k-ary n-cubes), and rings, which are tori of one.
 *
 * With "ahead" the steps to the target going up along a dimension of k sites,
 * going down takes k - ahead.  The shorter way is minimal, and both are where
 * the target is exactly half way round.
 */
#include "topo_axes.h"

static const char *check_radix(const struct fc_topo *topo)
{
	unsigned int i;

	for (i = 0; i < topo->ndims; i++)
		if (topo->size[i] < 3)
			return "at least 3 sites each way: with 2, both ways lead to one neighbour";
	return NULL;
}

static const char *torus_parse(struct fc_topo *topo, const char *args)
{
	const char *wrong = fc_topo_axes_parse(topo, args);

	if (wrong)
		return wrong;
	if (topo->ndims < 2)
		return "a torus has two dimensions or more; ring:N has one";
	return check_radix(topo);
}

static const char *ring_parse(struct fc_topo *topo, const char *args)
{
	const char *wrong = fc_topo_axes_parse(topo, args);

	if (wrong)
		return wrong;
	if (topo->ndims > 1)
		return "a ring has one dimension; torus:RxC has more";
	return check_radix(topo);
}

static u32 torus_neighbour(const struct fc_topo *topo, u32 site, u8 dir)
{
	unsigned int dim = fc_topo_axes_dim(dir);
	u32 stride = 1;
	unsigned int i;
	u32 around;
	u32 at;

	if (dir >= topo->ndirs || site >= topo->nsites)
		return FC_SITE_NONE;
	for (i = 0; i < dim; i++)
		stride *= topo->size[i];
	around = stride * (topo->size[dim] - 1);
	at = site / stride % topo->size[dim];
	if (fc_topo_axes_minus(dir))
		return at == 0 ? site + around : site - stride;
	return at == topo->size[dim] - 1 ? site - around : site + stride;
}

static u32 steps_ahead(u32 size, u32 from, u32 to)
{
	return (to % size + size - from % size) % size;
}

static u32 torus_minimal(const struct fc_topo *topo, u32 from, u32 to)
{
	unsigned int i;
	u32 mask = 0;

	for (i = 0; i < topo->ndims; i++) {
		u32 size = topo->size[i];
		u32 ahead = steps_ahead(size, from, to);

		if (ahead && ahead <= size - ahead)
			mask |= fc_topo_axes_plus_bit(i);
		if (ahead && ahead >= size - ahead)
			mask |= fc_topo_axes_minus_bit(i);
		from /= size;
		to /= size;
	}
	return mask;
}

static u32 torus_distance(const struct fc_topo *topo, u32 from, u32 to)
{
	u32 links = 0;
	unsigned int i;

	for (i = 0; i < topo->ndims; i++) {
		u32 size = topo->size[i];
		u32 ahead = steps_ahead(size, from, to);

		links += ahead < size - ahead ? ahead : size - ahead;
		from /= size;
		to /= size;
	}
	return links;
}

const struct fc_topo_ops fc_topo_torus = {
	.name = "torus",
	.usage = "torus:RxC, torus:AxBxC... or torus:K^N",
	.parse = torus_parse,
	.print = fc_topo_axes_print,
	.neighbour = torus_neighbour,
	.arrival = fc_topo_axes_arrival,
	.minimal = torus_minimal,
	.distance = torus_distance,
	.dir_name = fc_topo_axes_dir_name,
};

const struct fc_topo_ops fc_topo_ring = {
	.name = "ring",
	.usage = "ring:N",
	.parse = ring_parse,
	.print = fc_topo_axes_print,
	.neighbour = torus_neighbour,
	.arrival = fc_topo_axes_arrival,
	.minimal = torus_minimal,
	.distance = torus_distance,
	.dir_name = fc_topo_axes_dir_name,
};
