// SPDX-License-Identifier: GPL-2.0
#include "core/vnet/split.h"

/* The top bit of each byte. */
#define TOPS	0x8080808080808080ULL

/* Steps along axes, in both directions: bytes of two words, none above FC_STEPS_CAP. */
union steps {
	u8 byte[2][FC_STEPS_AXES];
	u64 dir[2];
};

/**
 * struct point - some targets of a list, taken for one
 * @mask: the targets
 * @dirs: directions that all of them have
 * @steps: to where they stay together
 * @depth: links that it can share with @partner, the best of the points behind it; 0: none
 * @partner: number of that point
 */
struct point {
	u64 mask;
	union steps steps;
	u32 dirs;
	u32 depth;
	u32 partner;
};

/* The lesser of each two bytes, which are below 128. */
static inline u64 lesser(u64 a, u64 b)
{
	u64 above = ((a | TOPS) - b) & TOPS, mask = above | (above - (above >> 7));

	return (b & mask) | (a & ~mask);
}

static inline u32 sum(u64 bytes)
{
	u64 pairs = (bytes & 0x00ff00ff00ff00ffULL) + (bytes >> 8 & 0x00ff00ff00ff00ffULL);

	return (u32)(pairs * 0x0001000100010001ULL >> 48);
}

/* Links that shortest paths to two points can share. */
static inline u32 shared(const struct point *a, const struct point *b)
{
	u64 one, other;
	u32 links;

	/* Nothing is shared without a direction that both have. */
	if (!(a->dirs & b->dirs))
		return 0;
	one = lesser(a->steps.dir[0], b->steps.dir[0]);
	other = lesser(a->steps.dir[1], b->steps.dir[1]);
	/* A packet takes one direction along an axis, so only the longer of the two counts. */
	links = sum(one && other ? one + other - lesser(one, other) : one | other);
	/* The two share a link in a direction whose steps are not counted. */
	return links ? links : 1;
}

/* Bits that are set. */
static inline unsigned int count(u64 mask)
{
	mask -= mask >> 1 & 0x5555555555555555ULL;
	mask = (mask & 0x3333333333333333ULL) + (mask >> 2 & 0x3333333333333333ULL);
	mask = (mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return (unsigned int)(mask * 0x0101010101010101ULL >> 56);
}

/* Part a list by the next link alone: by the direction that most targets have, again and again. */
static u32 split_greedy(struct fc_split *s, u64 targets)
{
	u32 open = 0, result = 0, rest;
	u64 left;

	for (left = targets; left; left &= left - 1) {
		for (rest = s->dirs[fc_low64(left)]; rest; rest &= rest - 1) {
			u8 d = (u8)fc_low(rest);

			if (!(open & fc_bit(d)))
				s->mask[d] = 0;
			open |= fc_bit(d);
			s->mask[d] |= left & -left;
		}
	}
	while (targets) {
		unsigned int most = 0;
		u32 best = 0;
		u8 d;

		for (rest = open; rest; rest &= rest - 1) {
			unsigned int n = count(s->mask[fc_low(rest)] & targets);

			if (n < most)
				continue;
			best = n > most ? rest & -rest : best | (rest & -rest);
			most = n;
		}
		d = fc_least_load(s->load, s->on, best);
		s->mask[d] &= targets;
		targets &= ~s->mask[d];
		open &= ~fc_bit(d);
		result |= fc_bit(d);
	}
	return result;
}

/* The best partner of a point among those behind it. */
static void find_partner(struct point *point, u32 i, u32 n)
{
	u32 j;

	point[i].depth = 0;
	point[i].partner = i;
	for (j = i + 1; j < n; j++) {
		u32 depth = shared(&point[i], &point[j]);

		if (depth <= point[i].depth)
			continue;
		point[i].depth = depth;
		point[i].partner = j;
	}
}

/*
 * Merge a point with its partner; the last point takes the partner's place.  Return: points left.
 *
 * The new point shares no more with any other than either of the two did, so partners stay the best
 * ones that they were, but for those two.
 */
static u32 merge(struct point *point, u32 at, u32 n)
{
	u32 gone = point[at].partner, last = n - 1, i;
	struct point *a = &point[at], *b = &point[gone];

	for (i = 0; i < FC_ARRAY_SIZE(a->steps.dir); i++)
		a->steps.dir[i] = lesser(a->steps.dir[i], b->steps.dir[i]);
	a->mask |= b->mask;
	a->dirs &= b->dirs;
	if (gone != last)
		*b = point[last];
	for (i = 0; i < last; i++) {
		u32 partner = point[i].partner;

		if (i == at || i == gone || partner == at || partner == gone ||
		    (partner == last && gone < i))
			find_partner(point, i, last);
		else if (partner == last)
			point[i].partner = gone;
	}
	return last;
}

static u32 points_of(const struct fc_split *s, u64 targets, struct point *point)
{
	u32 n = 0;

	for (; targets; targets &= targets - 1) {
		unsigned int i = fc_low64(targets);

		point[n].mask = targets & -targets;
		point[n].dirs = s->dirs[i];
		s->topo->ops->steps(s->topo, s->site, s->dst[i], point[n].steps.byte);
		n++;
	}
	return n;
}

/* Part a list by merging points. */
static u32 split_merged(struct fc_split *s, u64 targets)
{
	struct point point[FC_SPLIT_MERGED];
	u32 n = points_of(s, targets, point), result = 0, i;

	for (i = 0; i < n; i++)
		find_partner(point, i, n);
	while (1) {
		u32 best = 0;

		for (i = 1; i < n; i++)
			if (point[i].depth > point[best].depth)
				best = i;
		if (!point[best].depth)
			break;
		n = merge(point, best, n);
	}
	/* No two that are left have a direction in common. */
	for (i = 0; i < n; i++) {
		u8 d = fc_least_load(s->load, s->on, point[i].dirs);

		s->mask[d] = point[i].mask;
		result |= fc_bit(d);
	}
	return result;
}

u32 fc_split(struct fc_split *s, u64 targets, u32 common)
{
	unsigned int n;
	u8 d;

	if (common) {
		d = fc_least_load(s->load, s->on, common);
		s->mask[d] = targets;
		return fc_bit(d);
	}
	n = count(targets);
	if (s->apart || !s->topo->ops->steps || n > FC_SPLIT_MERGED || 2 * n >= s->topo->nsites)
		return split_greedy(s, targets);
	return split_merged(s, targets);
}
