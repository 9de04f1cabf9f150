// SPDX-License-Identifier: GPL-2.0
/*
 * Hypercubes: two sites are neighbours where their identities differ in one
 * bit, and bit i is direction i.  So the minimal directions are the bits that
 * differ.
 */
#include "topo.h"
#include "topo_text.h"

static const char *cube_parse(struct fc_topo *topo, const char *args)
{
	const char *wrong;
	unsigned int i;
	u32 dims;

	wrong = fc_topo_text_number(&args, &dims);
	if (wrong)
		return wrong;
	if (*args)
		return "unexpected text behind the number of dimensions";
	if (dims > FC_DIMS_MAX)
		return "too many dimensions: at most 20";
	static_assert(FC_DIMS_MAX == 20, "named in the text");
	static_assert(1U << FC_DIMS_MAX == FC_SITES_MAX);
	topo->ndims = (u8)dims;
	topo->ndirs = (u8)dims;
	topo->nsites = fc_bit(dims);
	for (i = 0; i < dims; i++)
		topo->size[i] = 2;
	return NULL;
}

static void cube_print(const struct fc_topo *topo, char *buf, size_t size)
{
	buf[0] = '\0';
	fc_topo_text_put(buf, size, topo->ndims);
}

static u32 cube_neighbour(const struct fc_topo *topo, u32 site, u8 dir)
{
	if (dir >= topo->ndirs || site >= topo->nsites)
		return FC_SITE_NONE;
	return site ^ fc_bit(dir);
}

static u8 cube_arrival(const struct fc_topo *topo, u32 site, u8 dir)
{
	return dir;
}

static u32 cube_minimal(const struct fc_topo *topo, u32 from, u32 to)
{
	return (from ^ to) & (topo->nsites - 1);
}

static u32 cube_distance(const struct fc_topo *topo, u32 from, u32 to)
{
	u32 mask = cube_minimal(topo, from, to);
	u32 links = 0;

	/* __builtin_popcount() would call into libgcc. */
	for (; mask; mask &= mask - 1)
		links++;
	return links;
}

static void cube_dir_name(const struct fc_topo *topo, u8 dir, char buf[8])
{
	buf[0] = 'd';
	buf[1] = '\0';
	fc_topo_text_put(buf, 8, dir);
}

const struct fc_topo_ops fc_topo_hypercube = {
	.name = "hypercube",
	.usage = "hypercube:D",
	.parse = cube_parse,
	.print = cube_print,
	.neighbour = cube_neighbour,
	.arrival = cube_arrival,
	.minimal = cube_minimal,
	.distance = cube_distance,
	.dir_name = cube_dir_name,
};
