// SPDX-License-Identifier: GPL-2.0
/*
 * C-wrapped hexagonal meshes (HARTS, section 2).  "hexmesh:N" is a hexagon with
 * N sites on an edge, 3N(N-1)+1 in all; the neighbours of site s are
 *
 *	s + 1, s + 3N-1, s + 3N-2	in the directions h0, h1, h2
 *	s - 1, s - 3N+1, s - 3N+2	in the opposite ones, h3, h4, h5
 *
 * modulo the number of sites: every site has six, none is at an edge.
 *
 * h1 is h0 and h2 at once, so a path is some steps along h0 and some along h2.
 * Around any site the hexagon has rows, N-1 to each side of the site's own:
 *
 *	row b >= 0	b steps along h2, then b-N+1 ... N-1 along h0
 *	row -c < 0	c steps against h2, then 1-N ... N-1-c along h0
 *
 * and these are all sites, each once.  Counted from the site, row b takes up
 * where row -(N-b) ends, and the two have 3N-2 sites together, so that a division
 * tells the row.  No site is in the hexagon twice, so the shortest path is unique up
 * to the order of its steps.
 */
#include "topo_hexmesh.h"
#include "topo_text.h"

static const char *hexmesh_parse(struct fc_topo *topo, const char *args)
{
	const char *wrong;
	u32 n;

	wrong = fc_topo_text_number(&args, &n);
	if (wrong)
		return wrong;
	if (*args)
		return "unexpected text behind the number of sites on an edge";
	if (n < 2)
		return "at least 2 sites on an edge";
	static_assert(3 * 591 * 590 + 1 <= FC_SITES_MAX && 3 * 592 * 591 + 1 > FC_SITES_MAX,
		      "the limit below");
	if (n > 591)
		return "too many sites on an edge: at most 591";
	topo->ndims = 1;
	topo->size[0] = n;
	topo->nsites = 3 * n * (n - 1) + 1;
	topo->ndirs = FC_HEXMESH_DIRS;
	return NULL;
}

static void hexmesh_print(const struct fc_topo *topo, char *buf, size_t size)
{
	buf[0] = '\0';
	fc_topo_text_put(buf, size, topo->size[0]);
}

static u32 hexmesh_neighbour(const struct fc_topo *topo, u32 site, u8 dir)
{
	u32 n = topo->size[0];
	const u32 ahead[FC_HEXMESH_AXES] = { 1, 3 * n - 1, 3 * n - 2 };

	if (dir >= FC_HEXMESH_DIRS || site >= topo->nsites)
		return FC_SITE_NONE;
	if (dir < FC_HEXMESH_AXES)
		site += ahead[dir];
	else
		site += topo->nsites - ahead[dir - FC_HEXMESH_AXES];
	return site < topo->nsites ? site : site - topo->nsites;
}

static u8 hexmesh_arrival(const struct fc_topo *topo, u32 site, u8 dir)
{
	return dir < FC_HEXMESH_AXES ? dir + FC_HEXMESH_AXES : dir - FC_HEXMESH_AXES;
}

static s32 smaller(s32 a, s32 b)
{
	return a < b ? a : b;
}

void fc_hexmesh_tag(const struct fc_topo *topo, u32 from, u32 to, s32 tag[FC_HEXMESH_AXES])
{
	s32 n = (s32)topo->size[0];
	u32 pair = topo->size[0] * 3 - 2;
	u32 at = (to >= from ? to - from : to + topo->nsites - from) + 2 * topo->size[0] - 2;
	s32 along_h2 = (s32)(at / pair);
	s32 along_h0 = (s32)(at % pair);
	s32 both = 0;

	if (along_h0 >= n - 1 + along_h2) {
		along_h0 -= 2 * n - 2;
	} else {
		along_h2 -= n;
		along_h0 -= n - 1;
	}
	if (along_h0 > 0 && along_h2 > 0)
		both = smaller(along_h0, along_h2);
	else if (along_h0 < 0 && along_h2 < 0)
		both = -smaller(-along_h0, -along_h2);
	tag[0] = along_h0 - both;
	tag[1] = both;
	tag[2] = along_h2 - both;
}

static u32 hexmesh_minimal(const struct fc_topo *topo, u32 from, u32 to)
{
	s32 tag[FC_HEXMESH_AXES];
	unsigned int i;
	u32 mask = 0;

	fc_hexmesh_tag(topo, from, to, tag);
	for (i = 0; i < FC_HEXMESH_AXES; i++) {
		if (tag[i] > 0)
			mask |= fc_bit(i);
		else if (tag[i] < 0)
			mask |= fc_bit(i + FC_HEXMESH_AXES);
	}
	return mask;
}

static u32 hexmesh_distance(const struct fc_topo *topo, u32 from, u32 to)
{
	s32 tag[FC_HEXMESH_AXES];
	unsigned int i;
	u32 links = 0;

	fc_hexmesh_tag(topo, from, to, tag);
	for (i = 0; i < FC_HEXMESH_AXES; i++)
		links += (u32)(tag[i] < 0 ? -tag[i] : tag[i]);
	return links;
}

static void hexmesh_dir_name(const struct fc_topo *topo, u8 dir, char buf[8])
{
	buf[0] = 'h';
	buf[1] = '\0';
	fc_topo_text_put(buf, 8, dir);
}

const struct fc_topo_ops fc_topo_hexmesh = {
	.name = "hexmesh",
	.usage = "hexmesh:N",
	.parse = hexmesh_parse,
	.print = hexmesh_print,
	.neighbour = hexmesh_neighbour,
	.arrival = hexmesh_arrival,
	.minimal = hexmesh_minimal,
	.distance = hexmesh_distance,
	.dir_name = hexmesh_dir_name,
};
