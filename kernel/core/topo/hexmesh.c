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
 * and these are all sites, each once.  Counted from the site, row b takes up where row -(N-b) ends,
 * and the two have 3N-2 sites together, so that a division yields the row.  No site is in the
 * hexagon twice, so the shortest path is unique up to the order of its steps.
 */
#include "core/topo/hexmesh.h"
#include "core/topo/rules.h"
#include "core/topo/text.h"

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

static void hexmesh_steps(const struct fc_topo *topo, u32 from, u32 to, u8 step[2][FC_STEPS_AXES])
{
	s32 tag[FC_HEXMESH_AXES];
	unsigned int i;

	memset(step, 0, 2 * FC_STEPS_AXES);
	fc_hexmesh_tag(topo, from, to, tag);
	for (i = 0; i < FC_HEXMESH_AXES; i++) {
		if (tag[i] < 0)
			step[1][i] = fc_topo_steps((u32)-tag[i]);
		else
			step[0][i] = fc_topo_steps((u32)tag[i]);
	}
}

static void hexmesh_dir_name(const struct fc_topo *topo, u8 dir, char buf[8])
{
	buf[0] = 'h';
	buf[1] = '\0';
	fc_topo_text_put(buf, 8, dir);
}

/*
 * Virtual networks of a hexmesh with n sites on an edge, six classes.  A shortest path has
 * steps in two neighbouring directions at most, so it is in one of three half planes:
 *
 *	half plane g = 0, 1, 2		directions h(2g), h(2g+1), h(2g+2)
 *
 * Modulo the N = 3n(n-1)+1 sites r = 3n-1 is a sixth root of unity, and the directions
 * lead to s + r^0, s + r^1 ... s + r^5.  So with the label L = s r^(-2g) mod N the
 * three of a half plane add 1, 3n-1 and 3n-2 to L, and a path adds (n-1)(3n-1) = N-n at
 * most: it wraps once at most, and then is at level 1.  A packet that takes a direction which its
 * half plane does not have goes on in the next half plane that has it, from level 0.
 *
 *	class	2g + level
 *
 * Rank: half plane, level, then L.  Half planes without the level have cycles.
 */

static const char *hexmesh_vclass_init(struct fc_vclass *v)
{
	v->levels = 2;
	v->count = FC_HEXMESH_AXES * v->levels;
	return NULL;
}

static u32 half_plane(u32 g)
{
	static const u8 directions[FC_HEXMESH_AXES] = { 0x07, 0x1c, 0x31 };

	return directions[g];
}

/* The first half plane from @g on that has the direction; FC_HEXMESH_AXES: none. */
static u32 climb(u32 g, u8 dir)
{
	while (g < FC_HEXMESH_AXES && !(half_plane(g) & fc_bit(dir)))
		g++;
	return g;
}

/* One direction is minimal, or two side by side: the class is the first, counterclockwise. */
static u8 hexmesh_vclass_first(const struct fc_vclass *v, u32 src, u32 dst)
{
	u32 minimal = fc_topo_minimal(v->topo, src, dst);
	u32 after = (minimal << 1 | minimal >> (FC_HEXMESH_DIRS - 1)) & 0x3f;

	return (u8)(fc_low(minimal & ~after) & ~1u);
}

static u32 hexmesh_vclass_productive(const struct fc_vclass *v, u32 site, u32 dst, u8 class)
{
	u32 minimal = fc_topo_minimal(v->topo, site, dst), productive = 0, left;
	u32 top = FC_HEXMESH_AXES - 1;

	/* The last half plane that has them all. */
	while (minimal & ~half_plane(top))
		top--;
	for (left = minimal; left; left &= left - 1)
		if (climb(class / 2, (u8)fc_low(left)) <= top)
			productive |= left & -left;
	return productive;
}

/* r^-2 = r^4 = -(3n-1), and r^-4 = r^2 = 3n-2. */
static u32 label(const struct fc_topo *topo, u32 site, u32 g)
{
	u32 r = 3 * topo->size[0] - 1;

	/* Below 1773 * 1046071: fits. */
	switch (g) {
	case 0:
		return site;
	case 1:
		return site ? topo->nsites - r * site % topo->nsites : 0;
	}
	return (r - 1) * site % topo->nsites;
}

static u32 hexmesh_vclass_allowed(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	u32 r = 3 * v->topo->size[0] - 1;
	const u32 add[FC_HEXMESH_AXES] = { 1, r, r - 1 };
	u32 allowed = 0, left;

	for (left = mask; left; left &= left - 1) {
		u8 d = (u8)fc_low(left);
		u32 g = climb(class / 2, d), level = g == class / 2 ? class & 1 : 0;
		/* From h(2g) on, counterclockwise. */
		unsigned int turn = (d + FC_HEXMESH_DIRS - 2 * g) % FC_HEXMESH_DIRS;

		if (g == FC_HEXMESH_AXES)
			continue;
		if (add[turn] >= v->topo->nsites - label(v->topo, site, g))
			level++;
		if (level == v->levels)
			continue;
		next[d] = (u8)(2 * g + level);
		allowed |= fc_bit(d);
	}
	return allowed;
}

static const struct fc_vclass_rules hexmesh_vclass = {
	.init = hexmesh_vclass_init,
	.first = hexmesh_vclass_first,
	.productive = hexmesh_vclass_productive,
	.allowed = hexmesh_vclass_allowed,
};

/*
 * Broadcasts on a C-wrapped hexagonal mesh with n sites on an edge (HARTS, section 4).  The source
 * sends a run of n-1 sites in each of the six directions; at its sites, and at those of the runs
 * that begin there, the packet turns according to the table.  D is the number of sites that
 * remain of the run; "left" and "right" are a turn by 60 degrees.
 *
 *	step 1, last of its run (D = 0)
 *		k=6	left n-1 tagged A, right n-1 tagged B, straight on n-1
 *		k=5	left n-1, right n-1 tagged B
 *		k=4	left n-1
 *		k=3	left n-1, right n-1
 *		k=2	right n-1
 *	step 1, first of its run (D = n-2), k >= 4
 *		twice left 1, twice right 1
 *	step 1, not the last
 *		left	D (k <= 2), n-1 (k >= 3); tagged C where first and k >= 4
 *		right	D (k = 2, 3), n-1 (k >= 4); tagged D where first and k >= 4
 *	step 2, not the last
 *		A: right D; B: left D; C: left 1; D: right 1
 *
 * The scan of the paper has lost lines of its procedures.  What is above is the only
 * completion that gives k disjoint paths for all n (of the family that the text
 * allows), with the sends of "first" made at n = 2, too, where the first is the last.
 * Only this orientation works: in the mirror image of the mesh, paths of k = 2 to 5 cross.
 */

static u8 turned(u8 dir, int by)
{
	return (u8)((dir + FC_HEXMESH_DIRS + by) % FC_HEXMESH_DIRS);
}

static unsigned int hexmesh_bcast_most(const struct fc_topo *topo)
{
	return FC_HEXMESH_DIRS;
}

static u32 hexmesh_bcast_relative(const struct fc_topo *topo, u32 source, u32 site)
{
	return site >= source ? site - source : site + topo->nsites - source;
}

static void hexmesh_bcast_start(const struct fc_bcast *b, struct fc_bcast_sends *sends)
{
	u8 d;

	for (d = 0; d < FC_HEXMESH_DIRS; d++)
		fc_bcast_send(sends, d, b->topo->size[0] - 1, 1, 0);
}

static void at_last(unsigned int k, const struct fc_bcast_packet *p, u32 edge,
		    struct fc_bcast_sends *sends)
{
	if (k >= 3)
		fc_bcast_send(sends, turned(p->dir, 1), edge, 2, k == 6 ? FC_BCAST_TAG_A : 0);
	if (k == 2 || k == 3)
		fc_bcast_send(sends, turned(p->dir, -1), edge, 2, 0);
	if (k >= 5)
		fc_bcast_send(sends, turned(p->dir, -1), edge, 2, FC_BCAST_TAG_B);
	if (k == 6)
		fc_bcast_send(sends, p->dir, edge, 2, 0);
}

static void at_others(unsigned int k, const struct fc_bcast_packet *p, u32 edge, bool tagged,
		      struct fc_bcast_sends *sends)
{
	fc_bcast_send(sends, turned(p->dir, 1), k >= 3 ? edge : p->left, 2,
		      tagged ? FC_BCAST_TAG_C : 0);
	if (k >= 2)
		fc_bcast_send(sends, turned(p->dir, -1), k >= 4 ? edge : p->left, 2,
			      tagged ? FC_BCAST_TAG_D : 0);
}

static void hexmesh_bcast_forward(const struct fc_bcast *b, const struct fc_bcast_packet *p,
				  struct fc_bcast_sends *sends)
{
	u32 edge = b->topo->size[0] - 1;
	unsigned int k = b->copies;
	bool last = p->left == 0;

	if (p->step == 1) {
		bool first = p->left + 1 == edge && k >= 4;

		if (last)
			at_last(k, p, edge, sends);
		else
			at_others(k, p, edge, first, sends);
		if (first) {
			fc_bcast_send(sends, turned(p->dir, 2), 1, 2, 0);
			fc_bcast_send(sends, turned(p->dir, -2), 1, 2, 0);
		}
		return;
	}
	if (p->step != 2 || last)
		return;
	if (p->tags & FC_BCAST_TAG_A)
		fc_bcast_send(sends, turned(p->dir, -1), p->left, 3, 0);
	if (p->tags & FC_BCAST_TAG_B)
		fc_bcast_send(sends, turned(p->dir, 1), p->left, 3, 0);
	if (p->tags & FC_BCAST_TAG_C)
		fc_bcast_send(sends, turned(p->dir, 1), 1, 3, 0);
	if (p->tags & FC_BCAST_TAG_D)
		fc_bcast_send(sends, turned(p->dir, -1), 1, 3, 0);
}

static const struct fc_bcast_rules hexmesh_bcast = {
	.most = hexmesh_bcast_most,
	.relative = hexmesh_bcast_relative,
	.start = hexmesh_bcast_start,
	.forward = hexmesh_bcast_forward,
};

static unsigned int hamilton_most(const struct fc_topo *topo)
{
	return 2;
}

static void hamilton_start(const struct fc_bcast *b, struct fc_bcast_sends *sends)
{
	fc_bcast_send(sends, 0, b->topo->nsites - 1, 1, 0);
	if (b->copies == 2)
		fc_bcast_send(sends, FC_HEXMESH_AXES, b->topo->nsites - 1, 1, 0);
}

static void hamilton_forward(const struct fc_bcast *b, const struct fc_bcast_packet *p,
			     struct fc_bcast_sends *sends)
{
}

const struct fc_bcast_rules fc_bcast_hamilton = {
	.most = hamilton_most,
	.relative = hexmesh_bcast_relative,
	.start = hamilton_start,
	.forward = hamilton_forward,
};

const struct fc_topo_ops fc_topo_hexmesh = {
	.name = "hexmesh",
	.usage = "hexmesh:N",
	.parse = hexmesh_parse,
	.print = hexmesh_print,
	.neighbour = hexmesh_neighbour,
	.arrival = hexmesh_arrival,
	.minimal = hexmesh_minimal,
	.distance = hexmesh_distance,
	.steps = hexmesh_steps,
	.dir_name = hexmesh_dir_name,
	.vclass = &hexmesh_vclass,
	.bcast = &hexmesh_bcast,
};
