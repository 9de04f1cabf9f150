// SPDX-License-Identifier: GPL-2.0
/*
 * Conflict sense routing on the descending-dimensions switch (the paper's section 3).
 *
 * A slot is a control interval and a transmission interval.  In step i of the control interval a
 * flit requests the buffer that its packet would use in the i-th transmission interval from
 * now.  Two flits that request one buffer for one interval have made equally many steps
 * from the same dimension, so the flits of each dimension are processed separately.
 */
#include <stdlib.h>

#include "csr_switch.h"
#include "base/util.h"

#define NO_PACKET		0xffffffff

/**
 * struct flit - a packet that requests entry
 * @entry: its entry buffer, numbered as the buffer it requests first
 * @to: target
 */
struct flit {
	u32 entry;
	u16 to;
};

/**
 * struct cube - all nodes
 * @run: settings
 * @sw: buffers, and the packets that have entered
 * @reserved: by buffer, bit i: reserved for the transmission interval after the next i
 * @backlogged: by entry buffer: it has a blocked packet
 * @target: by entry buffer, target of the blocked packet
 * @dimension: dimension of the entry buffers whose flits are being processed
 * @flit: these flits
 * @nflits: number of @flit
 * @holder: by buffer of one dimension: the flit that has reserved it in this step
 * @clashes: packets that needed a buffer in use
 * @unreserved: buffers used without a reservation, or the reverse
 */
struct cube {
	const struct csr_run *run;
	struct csr_switch sw;
	u16 *reserved;
	bool *backlogged;
	u16 *target;
	u32 dimension;
	struct flit *flit;
	u32 nflits;
	u32 *holder;
	u64 clashes;
	u64 unreserved;
};

/* Start the attempts of the entry buffers of a dimension. */
static void attempt(struct cube *cube, u32 dimension)
{
	u32 first = csr_buffer(&cube->sw, dimension, 0, 0);

	cube->dimension = dimension;
	cube->nflits = 0;
	for (u32 entry = first; entry < first + 2 * cube->sw.nodes; entry++) {
		bool again = cube->backlogged[entry];

		cube->sw.count.backlogged += again;
		if (!csr_chance(&cube->sw.rng, again ? cube->run->retry : cube->run->arrive))
			continue;
		if (!again || cube->run->fault != CSR_KEEP)
			cube->target[entry] = (u16)csr_random_target(&cube->sw, entry);
		cube->backlogged[entry] = true;
		cube->flit[cube->nflits++] = (struct flit){ entry, cube->target[entry] };
	}
	cube->sw.count.attempts += cube->nflits;
}

/* Bits of the dimensions that a flit has passed before a step. */
static u32 passed(const struct csr_switch *sw, u32 dimension, u32 step)
{
	u32 twice = ((1u << step) - 1) << (dimension + 1 + sw->dimension - step);

	return (twice | twice >> sw->dimension) & (sw->nodes - 1);
}

/* The buffer that a flit requests in a step; all flits of a call have the same dimension. */
static inline u32 asked(const struct cube *cube, const struct flit *flit, u32 step)
{
	const struct csr_switch *sw = &cube->sw;
	u32 from = csr_buffer_node(sw, flit->entry);
	u32 node = from ^ ((from ^ flit->to) & passed(sw, cube->dimension, step));
	u32 at = cube->dimension + (cube->dimension >= step ? 0 : sw->dimension) - step;

	return csr_buffer_to(sw, at, node, flit->to);
}

static bool is_reserved(const struct cube *cube, u32 buffer, u32 step)
{
	return cube->reserved[buffer] >> step & 1;
}

/*
 * One step of all flits that are not blocked yet.  Reservations of a blocked flit remain until the
 * backward phase: no flit requests these buffers again in this control interval.
 */
static void forward(struct cube *cube, u32 step)
{
	u32 mask = 2 * cube->sw.nodes - 1, n = 0;

	for (u32 i = 0; i < cube->nflits; i++) {
		u32 buffer = asked(cube, &cube->flit[i], step);
		u32 *holder = &cube->holder[buffer & mask];

		if (is_reserved(cube, buffer, step))
			continue;
		if (*holder == NO_PACKET || rng_below(&cube->sw.rng, 2))
			*holder = i;
	}
	for (u32 i = 0; i < cube->nflits; i++) {
		u32 buffer = asked(cube, &cube->flit[i], step);
		u32 *holder = &cube->holder[buffer & mask];

		if (*holder != i)
			continue;
		*holder = NO_PACKET;
		cube->flit[n++] = cube->flit[i];
	}
	cube->nflits = n;
}

/*
 * Fault CSR_GHOSTS: process flits one after the other, each with its whole path, and free the
 * reservations of blocked ones at once.
 */
static void one_by_one(struct cube *cube)
{
	u32 n = 0;

	for (u32 i = 0; i < cube->nflits; i++) {
		u32 other = i + rng_below(&cube->sw.rng, cube->nflits - i);
		struct flit flit = cube->flit[other];
		u32 step = 0;

		cube->flit[other] = cube->flit[i];
		while (step < cube->sw.dimension &&
		       !is_reserved(cube, asked(cube, &flit, step), step))
			step++;
		if (step < cube->sw.dimension)
			continue;
		while (step--)
			cube->reserved[asked(cube, &flit, step)] |= (u16)(1u << step);
		cube->flit[n++] = flit;
	}
	cube->nflits = n;
}

/* Acknowledge the flits that reached their targets, and let their packets enter. */
static void backward(struct cube *cube)
{
	u32 steps = cube->sw.dimension - (cube->run->fault == CSR_FORGET);

	for (u32 i = 0; i < cube->nflits; i++) {
		const struct flit *flit = &cube->flit[i];

		for (u32 step = 0; step < steps; step++)
			cube->reserved[asked(cube, flit, step)] |= (u16)(1u << step);
		cube->clashes += cube->sw.now[flit->entry].hops != 0;
		csr_switch_enter(&cube->sw, flit->entry, flit->to);
		cube->backlogged[flit->entry] = false;
	}
}

static void control(struct cube *cube)
{
	for (u32 dimension = 0; dimension < cube->sw.dimension; dimension++) {
		attempt(cube, dimension);
		if (cube->run->fault == CSR_GHOSTS) {
			one_by_one(cube);
		} else {
			for (u32 step = 0; step < cube->sw.dimension; step++)
				forward(cube, step);
		}
		backward(cube);
	}
}

/* Reservations exclude two packets for one buffer. */
static bool first_wins(struct csr_switch *sw, const struct csr_packet *a,
		       const struct csr_packet *b)
{
	return true;
}

static void transmit(struct cube *cube)
{
	for (u32 buffer = 0; buffer < cube->sw.buffers; buffer++) {
		bool used = cube->sw.now[buffer].hops;

		cube->unreserved += used != is_reserved(cube, buffer, 0);
		cube->reserved[buffer] >>= 1;
	}
	csr_switch_step(&cube->sw, first_wins);
}

static void cube_init(struct cube *cube, const struct csr_run *run)
{
	*cube = (struct cube){ .run = run };
	csr_switch_init(&cube->sw, run);
	cube->reserved = xcalloc(cube->sw.buffers, sizeof(*cube->reserved));
	cube->backlogged = xcalloc(cube->sw.buffers, sizeof(*cube->backlogged));
	cube->target = xcalloc(cube->sw.buffers, sizeof(*cube->target));
	cube->flit = xcalloc((size_t)2 * cube->sw.nodes, sizeof(*cube->flit));
	cube->holder = xcalloc((size_t)2 * cube->sw.nodes, sizeof(*cube->holder));
	for (u32 i = 0; i < 2 * cube->sw.nodes; i++)
		cube->holder[i] = NO_PACKET;
	for (u32 entry = 0; run->backlogged && entry < cube->sw.buffers; entry++) {
		cube->backlogged[entry] = true;
		cube->target[entry] = (u16)csr_random_target(&cube->sw, entry);
	}
}

static void cube_free(struct cube *cube)
{
	free(cube->reserved);
	free(cube->backlogged);
	free(cube->target);
	free(cube->flit);
	free(cube->holder);
	csr_switch_free(&cube->sw);
}

static void slot(void *cube)
{
	control(cube);
	transmit(cube);
}

void csr_cube_run(struct csr_result *result, const struct csr_run *run)
{
	struct cube cube;

	cube_init(&cube, run);
	*result = (struct csr_result){ .run = *run };
	result->count = csr_slots(run, slot, &cube, &cube.sw.count);
	result->lost = csr_switch_lost(&cube.sw);
	result->stray = cube.sw.stray;
	result->clashes = cube.clashes + cube.sw.count.dropped;
	result->unreserved = cube.unreserved;
	cube_free(&cube);
}
