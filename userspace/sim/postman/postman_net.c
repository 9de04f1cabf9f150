// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "postman_net.h"
#include "base/util.h"

struct postman_net {
	struct postman_model model;
	u32 size;
	struct postman_plane *plane[POSTMAN_PLANES];
};

struct postman_net *postman_net_new(const struct postman_model *model, u32 size)
{
	struct postman_net *net = xcalloc(1, sizeof(*net));

	net->model = *model;
	net->size = size;
	for (u32 q = 0; q < POSTMAN_PLANES; q++)
		net->plane[q] = postman_plane_new(&net->model, size, size);
	return net;
}

void postman_net_free(struct postman_net *net)
{
	for (u32 q = 0; q < POSTMAN_PLANES; q++)
		postman_plane_free(net->plane[q]);
	free(net);
}

void postman_net_clear(struct postman_net *net)
{
	for (u32 q = 0; q < POSTMAN_PLANES; q++)
		postman_plane_clear(net->plane[q]);
}

static u32 first_dimension(const struct postman_net *net, const u32 *from, const u32 *to)
{
	if (from[POSTMAN_X] == to[POSTMAN_X])
		return POSTMAN_Y;
	if (from[POSTMAN_Y] == to[POSTMAN_Y] || net->model.start == POSTMAN_START_X)
		return POSTMAN_X;
	if (net->model.start == POSTMAN_START_Y)
		return POSTMAN_Y;
	return (from[POSTMAN_X] + from[POSTMAN_Y]) & 1 ? POSTMAN_Y : POSTMAN_X;
}

void postman_net_add(struct postman_net *net, const u32 *from, const u32 *to, u32 flits)
{
	u32 a[POSTMAN_DIMENSIONS], b[POSTMAN_DIMENSIONS], q = 0;

	for (u32 d = 0; d < POSTMAN_DIMENSIONS; d++) {
		bool back = to[d] < from[d];

		a[d] = back ? net->size - 1 - from[d] : from[d];
		b[d] = back ? net->size - 1 - to[d] : to[d];
		q |= (u32)back << d;
	}
	postman_plane_add(net->plane[q], a, b, flits, first_dimension(net, from, to));
}

u64 postman_bits(const struct postman_model *model, const u32 *from, const u32 *to, u32 flits)
{
	return (u64)model->flit * ((from[POSTMAN_X] != to[POSTMAN_X]) +
				   (from[POSTMAN_Y] != to[POSTMAN_Y]) + flits);
}

static void count_packet(struct postman_result *r, const struct postman_model *model,
			 const struct postman_packet *p)
{
	u32 hops = p->to[POSTMAN_X] - p->from[POSTMAN_X] + p->to[POSTMAN_Y] - p->from[POSTMAN_Y];
	u64 latency;

	r->packets++;
	r->hops += hops;
	if (!p->delivered) {
		r->lost++;
		return;
	}
	if (p->delivered > 1 || memcmp(p->at, p->to, sizeof(p->at)))
		r->wrong++;
	latency = p->done - p->begun + 1;
	if (latency < hops + postman_bits(model, p->from, p->to, p->flits))
		r->early++;
	r->latency += latency;
	if (latency > r->latency_most)
		r->latency_most = latency;
	if (p->done > r->time)
		r->time = p->done;
}

static void count_plane(struct postman_result *r, const struct postman_model *model,
			const struct postman_count *c)
{
	r->count.eager += c->eager;
	r->count.turned += c->turned;
	r->count.adapted += c->adapted;
	r->count.resourced += c->resourced;
	r->count.stored += c->stored;
	r->count.refused += c->refused;
	r->count.dead_made += c->dead_made;
	r->count.dead_edge += c->dead_edge;
	r->count.dead_blocked += c->dead_blocked;
	r->count.dead_stored += c->dead_stored;
	r->count.strayed += c->strayed;
	if (c->fullest > r->count.fullest)
		r->count.fullest = c->fullest;
	r->overfull += model->busyback && c->fullest > 1;
	if (c->dead_made > c->dead_edge + c->dead_blocked)
		r->unaccounted += c->dead_made - c->dead_edge - c->dead_blocked;
}

void postman_net_run(struct postman_net *net, struct postman_result *result)
{
	*result = (struct postman_result){ 0 };
	for (u32 q = 0; q < POSTMAN_PLANES; q++) {
		const struct postman_packet *packet;
		u32 n;

		result->stuck += !postman_plane_run(net->plane[q]);
		packet = postman_plane_packets(net->plane[q], &n);
		for (u32 i = 0; i < n; i++)
			if (!packet[i].ghost)
				count_packet(result, &net->model, &packet[i]);
		count_plane(result, &net->model, postman_plane_count(net->plane[q]));
	}
}

bool postman_result_right(const struct postman_result *r)
{
	return !r->lost && !r->wrong && !r->early && !r->stuck && !r->unaccounted &&
	       !r->overfull && !r->count.dead_stored && !r->count.strayed;
}
