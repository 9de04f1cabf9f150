// SPDX-License-Identifier: GPL-2.0
/*
 * A line has one tree of paths from a source, a ring has two: one begins in each direction.  In a
 * product of lines or rings each tree of each axis gives a tree, and all of them are independent:
 * the paths to a site in different trees have no site in common but their ends, and use different
 * links.  The construction is that of K. Obokata, Y. Iwasaki, F. Bao and Y. Igarashi, "Independent
 * spanning trees of product graphs and their construction" (IEICE Transactions on Fundamentals,
 * E79-A, 1996), applied to one axis after the other.
 *
 * Let G be the product of the first axes, and H the next axis.  A site is (x, y), the source (g,
 * h).  T1, T2 ... are the trees of G, S1 and S2 those of H; a ring as H has S2, a line has not.
 * ci is the child of g in Ti from which a path goes on to x, or any child if x = g; d1 and d2
 * are those of h in S1 and S2.  "x = c2" is: x is a child of g in a tree other than T1.  The
 * parent of (x, y) is, by the first rule that applies,
 *
 *	in the tree of Ti, i > 1
 *		(ci, y)			if x = g
 *		(ci, h)			if x = ci and y = d2
 *		(ci, S1's parent of y)	if x = ci and y is not h
 *		(Ti's parent of x, y)
 *	in that of S2
 *		(x, d2)			if y = h
 *		(x, S2's parent of y)	if y is not d2
 *		(g, h)			if x = g
 *		(g, d2)			if x = c2
 *		(T1's parent of x, d2)
 *	in that of T1
 *		(c1, y)			if x = g
 *		(T1's parent of x, y)	if x = c2, or y = h
 *		(x, h)			if y = d2
 *		(x, S1's parent of y)
 *	in that of S1
 *		(x, d1)			if y = h
 *		(x, S1's parent of y)	if y = d2, or x = g
 *		(g, y)			if x = c2
 *		(T1's parent of x, y)
 *
 * A tree has the number of the direction in which it begins, + on a line.  Axes of one site have no
 * trees.
 */
#include "core/topo/axes_bcast.h"
#include "core/topo/axes.h"

/* No direction. */
#define NONE	0xff

/**
 * struct place - a site as seen from a source
 * @topo: topology
 * @ring: its axes are rings, not lines
 * @first: tree of the first axis with more than one site
 * @source: by axis, the coordinate of the source
 * @at: by axis, that of the site
 * @differ: mask of the axes in which they differ
 */
struct place {
	const struct fc_topo *topo;
	bool ring;
	u8 first;
	u32 source[FC_DIMS_MAX];
	u32 at[FC_DIMS_MAX];
	u32 differ;
};

static void place_axis(struct place *p, unsigned int axis, u32 at)
{
	p->at[axis] = at;
	p->differ &= ~fc_bit(axis);
	if (at != p->source[axis])
		p->differ |= fc_bit(axis);
}

static void place_init(struct place *p, const struct fc_topo *topo, bool ring, u32 source, u32 site)
{
	unsigned int i;

	p->topo = topo;
	p->ring = ring;
	p->differ = 0;
	p->first = 0;
	while (topo->size[p->first / 2] == 1)
		p->first += 2;
	for (i = 0; i < topo->ndims; i++) {
		p->source[i] = source % topo->size[i];
		place_axis(p, i, site % topo->size[i]);
		source /= topo->size[i];
		site /= topo->size[i];
	}
}

/* Go a link from @at along its axis.  Return: the coordinate, or FC_SITE_NONE. */
static u32 after(const struct place *p, u32 at, u8 dir)
{
	u32 size = p->topo->size[fc_topo_axes_dim(dir)];

	if (fc_topo_axes_minus(dir)) {
		if (at)
			return at - 1;
		return p->ring ? size - 1 : FC_SITE_NONE;
	}
	if (at < size - 1)
		return at + 1;
	return p->ring ? 0 : FC_SITE_NONE;
}

/* The direction of the axis in which the source and the site are neighbours, or NONE. */
static u8 beside(const struct place *p, unsigned int axis)
{
	u8 plus = (u8)(2 * axis);

	if (after(p, p->source[axis], plus) == p->at[axis])
		return plus;
	return after(p, p->source[axis], plus + 1) == p->at[axis] ? plus + 1 : NONE;
}

/* The tree in which a neighbour of the source, in this direction, is its child. */
static u8 tree_of(const struct place *p, u8 dir)
{
	return p->ring ? dir : dir & ~1;
}

/* The direction of the first child that the source has in a tree. */
static u8 child(const struct place *p, u8 tree)
{
	u32 at = p->source[fc_topo_axes_dim(tree)];

	return after(p, at, tree) == FC_SITE_NONE ? tree ^ 1 : tree;
}

/* The direction of the parent along the axis of a tree. */
static u8 along(const struct place *p, u8 tree)
{
	unsigned int axis = fc_topo_axes_dim(tree);

	if (p->ring)
		return tree ^ 1;
	return (u8)(2 * axis + (p->at[axis] > p->source[axis]));
}

/* The direction of the parent in a tree.  The site is not the source. */
static u8 parent(const struct place *p, u8 tree)
{
	unsigned int axis;

	for (axis = p->topo->ndims - 1; 2 * axis > p->first; axis--) {
		u32 below = p->differ & (fc_bit(axis) - 1);
		bool is_h = !(p->differ & fc_bit(axis)), is_d2, is_c2;
		u8 c = NONE, d = is_h ? NONE : beside(p, axis);

		if (below && !(below & (below - 1)))
			c = beside(p, fc_low(below));
		is_c2 = c != NONE && tree_of(p, c) != p->first;
		is_d2 = d != NONE && tree_of(p, d) == 2 * axis + 1;
		if (tree == 2 * axis) {
			if (is_h)
				return child(p, tree);
			if (is_d2 || !below)
				return along(p, tree);
			if (is_c2)
				return c ^ 1;
			tree = p->first;
		} else if (tree == 2 * axis + 1) {
			if (is_h)
				return tree;
			if (!is_d2)
				return along(p, tree);
			if (!below)
				return d ^ 1;
			if (is_c2)
				return c ^ 1;
			tree = p->first;
		} else if (!below) {
			return child(p, tree);
		} else if (!is_h && (tree == p->first ? !is_c2 :
				     c != NONE && tree_of(p, c) == tree)) {
			return is_d2 ? d ^ 1 : along(p, (u8)(2 * axis));
		}
	}
	return along(p, tree);
}

/* Directions of the children in a tree. */
static u32 children(struct place *p, u8 tree)
{
	u32 mask = 0;
	u8 d;

	for (d = 0; d < p->topo->ndirs; d++) {
		unsigned int axis = fc_topo_axes_dim(d);
		u32 at = p->at[axis], to = after(p, at, d);

		if (to == FC_SITE_NONE)
			continue;
		place_axis(p, axis, to);
		if (p->differ && parent(p, tree) == (d ^ 1))
			mask |= fc_bit(d);
		place_axis(p, axis, at);
	}
	return mask;
}

/* Directions in which the source sends in a tree. */
static u32 begin(const struct place *p, u8 tree)
{
	u32 at = p->source[fc_topo_axes_dim(tree)], mask = fc_bit(child(p, tree));

	if (!p->ring && after(p, at, tree ^ 1) != FC_SITE_NONE)
		mask |= fc_bit(tree ^ 1);
	return mask;
}

static u32 next(const struct fc_bcast *b, bool ring, u32 source, u32 site, u8 from)
{
	u8 tree, left = b->copies;
	struct place p;
	u32 mask = 0;

	place_init(&p, b->topo, ring, source, site);
	for (tree = p.first; left; tree += ring ? 1 : 2) {
		if (b->topo->size[fc_topo_axes_dim(tree)] == 1)
			continue;
		left--;
		if (site == source)
			mask |= begin(&p, tree);
		else if (parent(&p, tree) == from)
			return children(&p, tree) | FC_BCAST_DELIVER;
	}
	return mask;
}

static u32 line_next(const struct fc_bcast *b, u32 source, u32 site, u8 from)
{
	return next(b, false, source, site, from);
}

static u32 ring_next(const struct fc_bcast *b, u32 source, u32 site, u8 from)
{
	return next(b, true, source, site, from);
}

static unsigned int line_most(const struct fc_topo *topo)
{
	unsigned int i, n = 0;

	for (i = 0; i < topo->ndims; i++)
		n += topo->size[i] > 1;
	return n ? n : 1;
}

static unsigned int ring_most(const struct fc_topo *topo)
{
	return topo->ndirs;
}

u32 fc_topo_ring_relative(const struct fc_topo *topo, u32 source, u32 site)
{
	u32 relative = 0, stride = 1;
	unsigned int i;

	for (i = 0; i < topo->ndims; i++) {
		u32 size = topo->size[i];

		relative += (site % size + size - source % size) % size * stride;
		stride *= size;
		source /= size;
		site /= size;
	}
	return relative;
}

const struct fc_bcast_rules fc_topo_line_bcast = {
	.most = line_most,
	.next = line_next,
};

const struct fc_bcast_rules fc_topo_ring_bcast = {
	.most = ring_most,
	.relative = fc_topo_ring_relative,
	.next = ring_next,
};
