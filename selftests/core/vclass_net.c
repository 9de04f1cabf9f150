// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "vclass_net.h"

#define TARGETS		64
#define NONE		0xffffffffU
#define NO_CLASS	0xff

/* Heads of packets that choose among weights at a site, and their length. */
#define KEYS		4
#define HEAD		64

void vclass_net_open(struct vclass_net *t)
{
	t->nchannels = t->topo.nsites * t->topo.ndirs * t->v.count;
	t->named = calloc(t->topo.nsites, sizeof(*t->named));
	t->next = malloc(t->nchannels);
	t->out = calloc(t->nchannels, sizeof(*t->out));
	t->rank = calloc(t->nchannels, sizeof(*t->rank));
	t->mark = malloc(t->nchannels * sizeof(*t->mark));
	t->queue = malloc(t->nchannels * sizeof(*t->queue));
	memset(t->mark, 0xff, t->nchannels * sizeof(*t->mark));
	t->top = 0;
}

void vclass_net_close(struct vclass_net *t)
{
	free(t->named);
	free(t->next);
	free(t->out);
	free(t->rank);
	free(t->mark);
	free(t->queue);
	free(t->graph_room);
	free(t->next_hop_mem);
	free(t->far);
}

static u32 channel(const struct vclass_net *t, u32 site, u8 dir, u8 class)
{
	return (site * t->topo.ndirs + dir) * t->v.count + class;
}

/* Return: the site at the end of a channel; *@class: the class of the channel. */
static u32 leads_to(const struct vclass_net *t, u32 chan, u8 *class)
{
	u32 link = chan / t->v.count;

	*class = (u8)(chan % t->v.count);
	return fc_topo_neighbour(&t->topo, link / t->topo.ndirs, (u8)(link % t->topo.ndirs));
}

static const u8 *next_of(const struct vclass_net *t, u32 site, u8 class)
{
	return &t->next[(site * t->v.count + class) * t->topo.ndirs];
}

static u32 bits(u32 mask)
{
	u32 n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

/* Return: remaining links to a destination, in a class. */
static u32 links_left(const struct vclass_net *t, u32 site, u32 dst, u8 class)
{
	if (t->far)
		return t->far[((size_t)class * t->topo.nsites + site) * t->topo.nsites + dst];
	return t->topo.ops->distance(&t->topo, site, dst);
}

/* Cache the next hops of fc_vclass_allowed(), to compare routes with. */
static const char *fill_next(struct vclass_net *t)
{
	u8 next[FC_DIRS_MAX];

	for (u32 site = 0; site < t->topo.nsites; site++) {
		for (u8 class = 0; class < t->v.count; class++) {
			u8 *row = &t->next[(site * t->v.count + class) * t->topo.ndirs];
			u32 mask = fc_vclass_allowed(&t->v, site, class, next);

			memset(row, NO_CLASS, t->topo.ndirs);
			for (; mask; mask &= mask - 1) {
				u8 d = (u8)fc_low(mask);

				if (fc_topo_neighbour(&t->topo, site, d) == FC_SITE_NONE)
					return "onward over no link";
				if (next[d] >= t->v.count)
					return "onward in no class";
				row[d] = next[d];
			}
		}
	}
	return NULL;
}

/* Next hops of a packet at a site.  Each must be one link nearer to the destination. */
static const char *next_hops_of(const struct vclass_net *t, u32 site, u32 dst, u8 class, u32 *mask)
{
	const u8 *row = next_of(t, site, class);
	u8 next[FC_DIRS_MAX];
	u32 left;

	memset(next, 0x5a, sizeof(next));
	*mask = fc_vclass_next_hops(&t->v, site, dst, class, next);
	for (left = *mask; left; left &= left - 1) {
		u8 d = (u8)fc_low(left);
		u32 peer = fc_topo_neighbour(&t->topo, site, d);

		if (d >= t->topo.ndirs || row[d] == NO_CLASS || row[d] != next[d])
			return "a way that onward does not have, or in another class";
		if (links_left(t, peer, dst, next[d]) + 1 != links_left(t, site, dst, class))
			return "a way that is no shortest one";
	}
	return NULL;
}

/* In a graph, the next hops must include every shortest legal path. */
static bool adaptive_graph(const struct vclass_net *t, u32 site, u32 dst, u8 class, u32 mask)
{
	const u8 *row = next_of(t, site, class);
	u32 left = links_left(t, site, dst, class), all = 0;

	for (u8 d = 0; d < t->topo.ndirs; d++) {
		u32 peer = fc_topo_neighbour(&t->topo, site, d);

		if (row[d] != NO_CLASS && links_left(t, peer, dst, row[d]) + 1 == left)
			all |= fc_bit(d);
	}
	return mask == all;
}

/*
 * In other networks they must include every minimal direction; of two around the same ring, one is
 * enough; and in a hypercube, all of them only while classes are left for every order of the steps.
 */
static bool adaptive(const struct vclass_net *t, u32 site, u32 dst, u8 class, u32 mask)
{
	u32 minimal = fc_topo_minimal(&t->topo, site, dst);
	u32 twice = minimal & ((minimal & 0x55555555) << 1 | (minimal & 0xaaaaaaaa) >> 1);

	if (t->far)
		return adaptive_graph(t, site, dst, class, mask);
	if (t->topo.ops == &fc_topo_hypercube)
		return class + 2 >= t->v.count || mask == minimal;
	if (t->topo.ops != &fc_topo_torus && t->topo.ops != &fc_topo_ring)
		return mask == minimal;
	return !(mask & ~minimal) && (mask & ~twice) == (minimal & ~twice) &&
	       2 * bits(mask & twice) >= bits(twice);
}

/* Keep the next hops of which the preferences of a site leave any packet one. */
static const char *prefer(const struct vclass_net *t, u32 site, u32 dst, u32 *mask)
{
	u32 permitted = fc_node_permitted(&t->node[site], dst, *mask), left = 0, dirs;
	u8 head[HEAD] = { 0 };

	if (permitted & ~*mask)
		return "strict exclusion adds a next hop";
	for (u32 i = 0; permitted && i < KEYS; i++) {
		for (u32 at = 0; at < HEAD; at++)
			head[at] = (u8)tap_random(256);
		dirs = fc_node_preferred(&t->node[site], dst, permitted, head);
		if (!dirs)
			return "preferences leave no next hop";
		left |= dirs;
	}
	if (left & ~permitted)
		return "preferences add a next hop";
	*mask = left;
	return NULL;
}

static const char *go_on(struct vclass_net *t, u32 site, u32 dst, u8 class, u32 *tail, u32 *mask)
{
	const u8 *row = next_of(t, site, class);
	const char *wrong = next_hops_of(t, site, dst, class, mask);
	u32 left;

	if (wrong)
		return wrong;
	if (!*mask)
		return "a packet has no way";
	if (!adaptive(t, site, dst, class, *mask))
		return "a minimal way is missing";
	wrong = t->node ? prefer(t, site, dst, mask) : NULL;
	if (wrong)
		return wrong;
	for (left = *mask; left; left &= left - 1) {
		u8 d = (u8)fc_low(left);
		u32 chan = channel(t, site, d, row[d]);

		if (row[d] > t->top)
			t->top = row[d];
		if (t->mark[chan] == dst)
			continue;
		t->mark[chan] = dst;
		t->queue[(*tail)++] = chan;
	}
	return NULL;
}

/* Check the class of the destination, and the classes in which lists with others begin. */
static const char *begin(struct vclass_net *t, u32 src, u32 dst, u32 *tail)
{
	u8 first = fc_vclass_first(&t->v, src, dst), class;
	u32 mask;

	for (class = 0; class <= first; class++) {
		const char *wrong;

		if (!(t->named[src] & fc_bit64(class)) || (t->no_lists && class != first))
			continue;
		wrong = go_on(t, src, dst, class, tail, &mask);
		if (wrong)
			return wrong;
	}
	return NULL;
}

/* Send packets from all sites to one, over every route. */
static const char *send_all(struct vclass_net *t, u32 dst)
{
	u32 head = 0, tail = 0, mask;
	const char *wrong = NULL;

	for (u32 src = 0; src < t->topo.nsites && !wrong; src++)
		if (src != dst)
			wrong = begin(t, src, dst, &tail);
	while (head < tail && !wrong) {
		u32 chan = t->queue[head++];
		u8 class;
		u32 site = leads_to(t, chan, &class);

		if (site == dst)
			continue;
		wrong = go_on(t, site, dst, class, &tail, &mask);
		t->out[chan] |= mask;
	}
	return wrong;
}

/* Number the channels so that each waits for higher ones.  Return: false if they have a cycle. */
static bool number(struct vclass_net *t)
{
	u32 head = 0, tail = 0, left;
	u32 *waiting = t->mark;
	u8 class;

	memset(waiting, 0, t->nchannels * sizeof(*waiting));
	for (u32 chan = 0; chan < t->nchannels; chan++) {
		u32 site = leads_to(t, chan, &class);

		for (left = t->out[chan]; left; left &= left - 1) {
			u8 d = (u8)fc_low(left);

			waiting[channel(t, site, d, next_of(t, site, class)[d])]++;
		}
	}
	for (u32 chan = 0; chan < t->nchannels; chan++)
		if (!waiting[chan])
			t->queue[tail++] = chan;
	while (head < tail) {
		u32 chan = t->queue[head];
		u32 site = leads_to(t, chan, &class);

		t->rank[chan] = head++;
		for (left = t->out[chan]; left; left &= left - 1) {
			u8 d = (u8)fc_low(left);
			u32 to = channel(t, site, d, next_of(t, site, class)[d]);

			if (!--waiting[to])
				t->queue[tail++] = to;
		}
	}
	return tail == t->nchannels;
}

const char *vclass_net_channels(struct vclass_net *t)
{
	const char *wrong = fill_next(t);

	for (u32 i = 0; i < t->topo.nsites; i++)
		for (u32 dst = 0; dst < t->topo.nsites; dst++)
			if (dst != i)
				t->named[i] |= fc_bit64(fc_vclass_first(&t->v, i, dst));
	for (u32 dst = 0; dst < t->topo.nsites && !wrong; dst++)
		wrong = send_all(t, dst);
	if (!wrong && !number(t))
		wrong = "channels have a cycle";
	return wrong;
}

const char *vclass_net_buffers(const struct fc_vclass *v)
{
	u32 nsites = v->topo->nsites, nbuffers = nsites * v->count, head = 0, tail = 0, mask;
	u8 *waiting = calloc(nbuffers, 1), next[FC_DIRS_MAX];
	u32 *queue = malloc(nbuffers * sizeof(*queue));

	static_assert((u64)FC_SITES_MAX * FC_VCLASSES_MAX <= NONE, "buffers are numbered in u32");
	for (u32 i = 0; i < nbuffers; i++) {
		mask = fc_vclass_allowed(v, i % nsites, (u8)(i / nsites), next);
		for (; mask; mask &= mask - 1) {
			u8 d = (u8)fc_low(mask);

			waiting[next[d] * nsites + fc_topo_neighbour(v->topo, i % nsites, d)]++;
		}
	}
	for (u32 i = 0; i < nbuffers; i++)
		if (!waiting[i])
			queue[tail++] = i;
	while (head < tail) {
		u32 i = queue[head++];

		mask = fc_vclass_allowed(v, i % nsites, (u8)(i / nsites), next);
		for (; mask; mask &= mask - 1) {
			u8 d = (u8)fc_low(mask);
			u32 to = next[d] * nsites + fc_topo_neighbour(v->topo, i % nsites, d);

			if (!--waiting[to])
				queue[tail++] = to;
		}
	}
	free(waiting);
	free(queue);
	return tail == nbuffers ? NULL : "buffers have a cycle";
}

const char *vclass_net_lies(const struct vclass_net *t)
{
	u32 nsites = t->topo.nsites, mask;
	u8 next[FC_DIRS_MAX];

	for (u32 site = 0; site < nsites; site++) {
		for (u32 dst = 0; dst < nsites; dst++) {
			for (u8 class = 0; class < t->v.count; class++) {
				const char *wrong = next_hops_of(t, site, dst, class, &mask);

				if (wrong)
					return wrong;
				if (site == dst && mask)
					return "a way to where it is";
			}
			if (fc_vclass_next_hops(&t->v, site, dst, t->v.count, next) ||
			    fc_vclass_next_hops(&t->v, site, dst, 255, next))
				return "a way in no class";
		}
		if (fc_vclass_next_hops(&t->v, site, nsites, 0, next) ||
		    fc_vclass_next_hops(&t->v, site, FC_SITE_NONE, 0, next) ||
		    fc_vclass_next_hops(&t->v, nsites, site, 0, next) ||
		    fc_vclass_allowed(&t->v, site, t->v.count, next) ||
		    fc_vclass_allowed(&t->v, nsites, 0, next))
			return "a way of a site that is none";
		if (fc_vclass_first(&t->v, site, nsites) || fc_vclass_first(&t->v, nsites, site) ||
		    fc_vclass_first(&t->v, site, site))
			return "a class to a site that is none";
	}
	return NULL;
}

const char *vclass_net_links(const struct vclass_net *t)
{
	u8 next[FC_DIRS_MAX];

	for (u32 site = 0; site < t->topo.nsites; site++) {
		for (u8 d = 0; d < t->topo.ndirs; d++) {
			u32 peer = fc_topo_neighbour(&t->topo, site, d);
			u64 carried = fc_vclass_carried(&t->v, site, d), seen = 0;

			for (u8 class = 0; class < t->v.count; class++)
				if (next_of(t, site, class)[d] != NO_CLASS)
					seen |= fc_bit64(next_of(t, site, class)[d]);
			if (carried != seen)
				return "a link carries other classes than it is said to";
			if (peer != FC_SITE_NONE &&
			    !(fc_vclass_next_hops(&t->v, site, peer,
					     fc_vclass_first(&t->v, site, peer), next) & fc_bit(d)))
				return "the direct way to a neighbour is missing";
		}
		if (fc_vclass_carried(&t->v, site, t->topo.ndirs))
			return "a direction that is none carries a class";
	}
	return NULL;
}

/* A branch of a packet, with its remaining destinations. */
struct branch {
	u32 chan;	/* NONE: the branch is at the source */
	u32 site;
	u32 hops;
	u64 targets;
	u8 class;
};

/* Split a packet; each destination gets a random one of its next hops. */
static const char *split(struct vclass_net *t, const struct branch *b, const u32 *target,
			 struct branch *branch, u32 *n)
{
	u64 to[FC_DIRS_MAX] = { 0 };

	for (u32 i = 0; i < TARGETS; i++) {
		const char *wrong;
		u32 mask, skip;

		if (!(b->targets & fc_bit64(i)) || target[i] == b->site)
			continue;
		wrong = next_hops_of(t, b->site, target[i], b->class, &mask);
		if (wrong || !mask)
			return wrong ? wrong : "a destination of several has no way";
		for (skip = tap_random(bits(mask)); skip; skip--)
			mask &= mask - 1;
		to[fc_low(mask)] |= fc_bit64(i);
	}
	for (u8 d = 0; d < t->topo.ndirs; d++) {
		u8 class = next_of(t, b->site, b->class)[d];
		u32 chan = channel(t, b->site, d, class);

		if (!to[d])
			continue;
		if (b->chan != NONE && t->rank[chan] <= t->rank[b->chan])
			return "a branch goes down in rank";
		branch[(*n)++] = (struct branch){
			.chan = chan, .class = class, .targets = to[d], .hops = b->hops + 1,
			.site = fc_topo_neighbour(&t->topo, b->site, d),
		};
	}
	return NULL;
}

/* Send a packet from one source to a list. */
static const char *multicast(struct vclass_net *t, u32 src, const u32 *target)
{
	static struct branch branch[TARGETS + 1];
	u64 got = 0;
	u32 n = 1;

	branch[0] = (struct branch){
		.chan = NONE, .site = src, .class = NO_CLASS, .targets = ~(u64)0,
	};
	for (u32 i = 0; i < TARGETS; i++) {
		u8 first = fc_vclass_first(&t->v, src, target[i]);

		if (first < branch[0].class)
			branch[0].class = first;
	}
	/* Each destination is in one branch at most. */
	while (n) {
		struct branch b = branch[--n];
		const char *wrong = split(t, &b, target, branch, &n);

		if (wrong)
			return wrong;
		for (u32 i = 0; i < TARGETS; i++) {
			if (!(b.targets & fc_bit64(i)) || target[i] != b.site)
				continue;
			if (b.hops != links_left(t, src, b.site, 0))
				return "a destination of several is gone to by a detour";
			got |= fc_bit64(i);
		}
	}
	return got == ~(u64)0 ? NULL : "a destination is missing";
}

const char *vclass_net_multicast(struct vclass_net *t)
{
	u32 target[TARGETS];

	for (unsigned int round = 0; round < TAP_ROUNDS(20); round++) {
		u32 src = tap_random(t->topo.nsites);
		const char *wrong;

		for (u32 i = 0; i < TARGETS; i++)
			do
				target[i] = tap_random(t->topo.nsites);
			while (target[i] == src);
		wrong = multicast(t, src, target);
		if (wrong)
			return wrong;
	}
	return NULL;
}

const char *vclass_net_walk(const struct fc_vclass *v, unsigned int packets)
{
	const struct fc_topo *topo = v->topo;
	u8 next[FC_DIRS_MAX];

	while (packets--) {
		u32 at = tap_random(topo->nsites), dst = tap_random(topo->nsites);
		u32 left = topo->ops->distance(topo, at, dst);
		u8 class = fc_vclass_first(v, at, dst);

		while (at != dst) {
			u32 mask = fc_vclass_next_hops(v, at, dst, class, next), skip;

			if (!mask)
				return "a packet has no way";
			for (skip = tap_random(bits(mask)); skip; skip--)
				mask &= mask - 1;
			class = next[fc_low(mask)];
			at = fc_topo_neighbour(topo, at, (u8)fc_low(mask));
			if (topo->ops->distance(topo, at, dst) != --left)
				return "a way that is no shortest one";
		}
	}
	return NULL;
}
