// SPDX-License-Identifier: GPL-2.0
/*
 * A machine of a mad postman: the part of a node for one dimension, with its output
 * channel and its transit buffer.
 *
 * Bit k of a train that began in cycle s is on the channel in cycle s + k, and the
 * next node may use it in cycle s + k + 1.  A train that has begun never stalls; its
 * sender may only end it behind the first flit, which then is dead.
 */
#include <stdlib.h>

#include "postman_plane.h"
#include "base/util.h"

/**
 * struct channel - the current or last train of a channel
 * @packet: index of its packet
 * @addresses: address flits; the first is for the dimension of the channel
 * @first: cycle of the first bit
 * @last: cycle of the last bit
 */
struct channel {
	u32 packet;
	u8 addresses;
	u64 first;
	u64 last;
};

/* State of an incoming train. */
enum input {
	INPUT_IDLE,		/* no train, or its fate is decided */
	INPUT_HEAD,		/* until the first flit has arrived */
	INPUT_JUNCTION,		/* the train turns, if the other channel is free */
	INPUT_ADAPT		/* as INPUT_JUNCTION, with swapped addresses */
};

/**
 * struct machine - one machine
 * @out: its output channel, also used by the other machine of the node
 * @first: first cycle of the last incoming train
 * @packet: packet of this train
 * @addresses: address flits of this train
 * @head: first stored packet that has not begun to leave, or POSTMAN_NONE
 * @tail: last stored packet
 * @stored: number of stored packets
 * @leaving: cycle of the last bit of the packet that leaves the buffer
 * @waiting: first packet of the node that waits to be written into this buffer
 * @last_waiting: last packet of the node that waits
 * @claims: cycles for which a waiting packet has claimed the buffer
 * @own: the packet stored last is the node's own
 * @busy: busybacks of the last cycles, the latest in bit 0
 * @input: enum input
 * @eager: the incoming train is forwarded in the dimension
 */
struct machine {
	struct channel out;
	u64 first;
	u32 packet;
	u32 head;
	u32 tail;
	u32 stored;
	u64 leaving;
	u32 waiting;
	u32 last_waiting;
	u32 claims;
	u32 busy;
	u8 addresses;
	u8 input;
	bool own;
	bool eager;
};

struct postman_plane {
	const struct postman_model *model;
	u32 size[POSTMAN_DIMENSIONS];
	struct machine (*machine)[POSTMAN_DIMENSIONS];	/* by node */
	struct postman_packet *packet;
	u32 npackets;
	u32 room;
	u32 missing;		/* packets not delivered yet */
	u32 *active;		/* nodes in which something may happen */
	u32 nactive;
	bool *is_active;	/* by node */
	u64 cycle;
	u64 begun;		/* last cycle in which a train began */
	u64 longest;		/* cycles of the longest train */
	struct postman_count count;
};

struct postman_plane *postman_plane_new(const struct postman_model *model, u32 columns, u32 rows)
{
	struct postman_plane *plane = xcalloc(1, sizeof(*plane));
	size_t nodes = (size_t)columns * rows;

	plane->model = model;
	plane->size[POSTMAN_X] = columns;
	plane->size[POSTMAN_Y] = rows;
	plane->machine = xcalloc(nodes, sizeof(*plane->machine));
	plane->active = xcalloc(nodes, sizeof(*plane->active));
	plane->is_active = xcalloc(nodes, sizeof(*plane->is_active));
	postman_plane_clear(plane);
	return plane;
}

void postman_plane_free(struct postman_plane *plane)
{
	free(plane->machine);
	free(plane->active);
	free(plane->is_active);
	free(plane->packet);
	free(plane);
}

void postman_plane_clear(struct postman_plane *plane)
{
	u32 nodes = plane->size[POSTMAN_X] * plane->size[POSTMAN_Y];

	memset(plane->machine, 0, nodes * sizeof(*plane->machine));
	memset(plane->is_active, 0, nodes * sizeof(*plane->is_active));
	for (u32 node = 0; node < nodes; node++) {
		for (u32 d = 0; d < POSTMAN_DIMENSIONS; d++) {
			struct machine *m = &plane->machine[node][d];

			m->out.packet = POSTMAN_NONE;
			m->head = POSTMAN_NONE;
			m->tail = POSTMAN_NONE;
			m->waiting = POSTMAN_NONE;
		}
	}
	plane->npackets = 0;
	plane->missing = 0;
	plane->nactive = 0;
	plane->cycle = 0;
	plane->begun = 0;
	plane->longest = 0;
	plane->count = (struct postman_count){ 0 };
}

/*
 * Places.
 */

static u32 position(const struct postman_plane *plane, u32 node, u32 dimension)
{
	u32 columns = plane->size[POSTMAN_X];

	return dimension == POSTMAN_X ? node % columns : node / columns;
}

static u32 stride(const struct postman_plane *plane, u32 dimension)
{
	return dimension == POSTMAN_X ? 1 : plane->size[POSTMAN_X];
}

static bool at_edge(const struct postman_plane *plane, u32 node, u32 dimension)
{
	return position(plane, node, dimension) + 1 == plane->size[dimension];
}

static void activate(struct postman_plane *plane, u32 node)
{
	if (plane->is_active[node])
		return;
	plane->is_active[node] = true;
	plane->active[plane->nactive++] = node;
}

static u64 train_bits(const struct postman_plane *plane, const struct postman_packet *packet,
		      u32 addresses)
{
	return (u64)plane->model->flit * (packet->ghost ? 1 : addresses + packet->flits);
}

/*
 * Channels.
 */

/* May a train begin on the channel of a dimension in this cycle? */
static bool channel_free(const struct postman_plane *plane, u32 node, u32 dimension)
{
	const struct postman_model *model = plane->model;

	if (at_edge(plane, node, dimension) ||
	    plane->machine[node][dimension].out.last >= plane->cycle)
		return false;
	return model->fault == POSTMAN_OVERRUN ||
	       !(plane->machine[node + stride(plane, dimension)][dimension].busy >>
		 (model->delay - 1) & 1);
}

static void begin(struct postman_plane *plane, u32 node, u32 dimension, u32 index, u32 addresses,
		  bool dead)
{
	struct postman_packet *packet = &plane->packet[index];
	struct channel *out = &plane->machine[node][dimension].out;
	u64 bits = dead ? plane->model->flit : train_bits(plane, packet, addresses);

	*out = (struct channel){
		.packet = index, .addresses = (u8)addresses,
		.first = plane->cycle, .last = plane->cycle + bits - 1,
	};
	if (!packet->begun)
		packet->begun = plane->cycle;
	plane->begun = plane->cycle;
	activate(plane, node + stride(plane, dimension));
}

/* Cut off the train on an output channel: the flit on it becomes a dead flit. */
static void cut_off(struct postman_plane *plane, u32 node, u32 dimension)
{
	plane->machine[node][dimension].out.last = plane->cycle;
}

/*
 * Buffers.
 */

static void store(struct postman_plane *plane, struct machine *m, u32 index)
{
	plane->packet[index].next = POSTMAN_NONE;
	if (m->head == POSTMAN_NONE)
		m->head = index;
	else
		plane->packet[m->tail].next = index;
	m->tail = index;
	m->stored++;
	if (m->stored > plane->count.fullest)
		plane->count.fullest = m->stored;
}

/* Store the incoming train, which is blocked. */
static void store_input(struct postman_plane *plane, u32 node, u32 dimension, bool turn)
{
	struct machine *m = &plane->machine[node][dimension];
	struct postman_packet *packet = &plane->packet[m->packet];
	u64 two = m->first + 2ull * plane->model->flit;

	m->input = INPUT_IDLE;
	m->own = false;
	packet->dimension = (u8)(turn ? !dimension : dimension);
	packet->addresses = (u8)(m->addresses - turn);
	packet->ready = turn && two > plane->cycle ? two : plane->cycle + 1;
	packet->both = two > plane->cycle ? two : plane->cycle + 1;
	store(plane, m, m->packet);
	plane->count.stored++;
}

/* Store a dead flit, with POSTMAN_KEEP. */
static void store_dead(struct postman_plane *plane, u32 node, u32 dimension)
{
	struct machine *m = &plane->machine[node][dimension];
	u32 index = plane->npackets;

	if (index == plane->room) {
		plane->room = 2 * plane->room + 64;
		plane->packet = xrealloc(plane->packet, plane->room * sizeof(*plane->packet));
	}
	plane->npackets++;
	plane->packet[index] = plane->packet[m->packet];
	plane->packet[index].ghost = true;
	plane->packet[index].addresses = 1;
	plane->packet[index].dimension = (u8)dimension;
	plane->packet[index].ready = plane->cycle + 1;
	store(plane, m, index);
	plane->count.dead_stored++;
}

/* Write the next packet of the node itself into an empty buffer. */
static void write_own(struct postman_plane *plane, struct machine *m)
{
	u32 index = m->waiting;

	m->waiting = plane->packet[index].next;
	m->claims = 0;
	m->own = true;
	plane->packet[index].ready = plane->cycle + 1;
	plane->packet[index].both = plane->cycle + 1;
	store(plane, m, index);
}

/*
 * A cycle of a node.
 */

/* The first flit of a train has arrived: decode it. */
static void process(struct postman_plane *plane, u32 node, u32 dimension, bool *again)
{
	struct machine *m = &plane->machine[node][dimension];
	struct postman_packet *packet = &plane->packet[m->packet];
	u32 here = position(plane, node, dimension);
	struct postman_count *count = &plane->count;
	bool two;

	m->input = INPUT_IDLE;
	if (packet->to[dimension] < here) {
		if (m->eager)
			cut_off(plane, node, dimension);
		else if (at_edge(plane, node, dimension))
			count->dead_edge++;
		else if (plane->model->fault == POSTMAN_KEEP)
			store_dead(plane, node, dimension);
		else
			count->dead_blocked++;
		return;
	}
	/* A packet has a second address while it has distance to cover in that dimension. */
	two = packet->to[!dimension] > position(plane, node, !dimension);
	if (m->addresses != 1 + two)
		count->strayed++;
	if (packet->to[dimension] > here) {
		*again = !m->eager;
		return;
	}
	if (m->eager) {
		cut_off(plane, node, dimension);
		count->dead_made++;
	}
	if (m->addresses == 2) {
		m->input = INPUT_JUNCTION;
		return;
	}
	packet->done = m->first + train_bits(plane, packet, 1);
	packet->delivered++;
	packet->at[POSTMAN_X] = position(plane, node, POSTMAN_X);
	packet->at[POSTMAN_Y] = position(plane, node, POSTMAN_Y);
	plane->missing--;
}

static void leave(struct postman_plane *plane, u32 node, u32 machine, u32 dimension)
{
	struct machine *m = &plane->machine[node][machine];
	u32 index = m->head;
	struct postman_packet *packet = &plane->packet[index];

	m->head = packet->next;
	m->stored--;
	m->leaving = plane->cycle + train_bits(plane, packet, packet->addresses) - 1;
	begin(plane, node, dimension, index, packet->addresses, packet->ghost);
}

static bool may_leave(const struct postman_plane *plane, const struct machine *m)
{
	return m->head != POSTMAN_NONE && m->leaving < plane->cycle &&
	       plane->packet[m->head].ready <= plane->cycle;
}

/* Outputs serve stored packets first, ... */
static void from_buffers(struct postman_plane *plane, u32 node)
{
	for (u32 i = 0; i < POSTMAN_DIMENSIONS; i++) {
		for (u32 d = 0; d < POSTMAN_DIMENSIONS; d++) {
			u32 machine = (i ^ plane->model->cross) ? !d : d;
			struct machine *m = &plane->machine[node][machine];

			if (may_leave(plane, m) && plane->packet[m->head].dimension == d &&
			    channel_free(plane, node, d))
				leave(plane, node, machine, d);
		}
	}
	for (u32 d = 0; d < POSTMAN_DIMENSIONS && plane->model->sourcing; d++) {
		struct machine *m = &plane->machine[node][d];

		if (may_leave(plane, m) && plane->packet[m->head].dimension == d &&
		    plane->packet[m->head].addresses == 2 &&
		    plane->packet[m->head].both <= plane->cycle &&
		    channel_free(plane, node, !d)) {
			plane->count.resourced++;
			leave(plane, node, d, !d);
		}
	}
}

/* ... then trains whose first flit is decoded, ... */
static void from_inputs(struct postman_plane *plane, u32 node, const bool *again)
{
	const struct postman_model *model = plane->model;
	u32 turn = model->turn + (model->fault == POSTMAN_TURN);

	for (u32 d = 0; d < POSTMAN_DIMENSIONS; d++) {
		struct machine *m = &plane->machine[node][d];

		if (again[d]) {
			if ((model->again || !model->eager) && channel_free(plane, node, d))
				begin(plane, node, d, m->packet, m->addresses, false);
			else if (model->adapt && m->addresses == 2)
				m->input = INPUT_ADAPT;
			else
				store_input(plane, node, d, false);
			continue;
		}
		if (m->input < INPUT_JUNCTION || plane->cycle < m->first + model->flit + turn)
			continue;
		if (!channel_free(plane, node, !d)) {
			store_input(plane, node, d, m->input == INPUT_JUNCTION);
		} else if (m->input == INPUT_JUNCTION) {
			plane->count.turned++;
			begin(plane, node, !d, m->packet, 1, false);
		} else {
			plane->count.adapted++;
			begin(plane, node, !d, m->packet, 2, false);
		}
		m->input = INPUT_IDLE;
	}
}

/* ... then heads that have only begun to arrive. */
static void eagerly(struct postman_plane *plane, u32 node, u32 d)
{
	struct machine *m = &plane->machine[node][d];

	m->eager = false;
	if (!plane->model->eager || at_edge(plane, node, d))
		return;
	if (plane->model->foresee && plane->packet[m->packet].to[d] <= position(plane, node, d))
		return;
	if (!channel_free(plane, node, d)) {
		plane->count.refused++;
		return;
	}
	m->eager = true;
	plane->count.eager++;
	/* A head that becomes a dead flit begins as any other: cut_off() ends it. */
	begin(plane, node, d, m->packet, m->addresses, false);
}

/*
 * Has the first bit of a train arrived?  Other state of the channel may belong to this cycle
 * already, so the machine keeps a copy of what it needs.
 */
static bool comes_in(struct postman_plane *plane, u32 node, u32 d)
{
	struct machine *m = &plane->machine[node][d];
	const struct channel *in;

	if (!position(plane, node, d))
		return false;
	in = &plane->machine[node - stride(plane, d)][d].out;
	if (in->packet == POSTMAN_NONE || in->first + 1 != plane->cycle)
		return false;
	m->first = in->first;
	m->packet = in->packet;
	m->addresses = in->addresses;
	m->input = INPUT_HEAD;
	return true;
}

static void step(struct postman_plane *plane, u32 node)
{
	bool again[POSTMAN_DIMENSIONS] = { false };
	bool head[POSTMAN_DIMENSIONS] = { false };

	for (u32 d = 0; d < POSTMAN_DIMENSIONS; d++) {
		struct machine *m = &plane->machine[node][d];

		head[d] = comes_in(plane, node, d);
		if (m->input == INPUT_HEAD && plane->cycle == m->first + plane->model->flit)
			process(plane, node, d, &again[d]);
		if (m->waiting != POSTMAN_NONE && m->input == INPUT_IDLE && !m->stored &&
		    !again[d] && m->claims > plane->model->delay)
			write_own(plane, m);
	}
	from_buffers(plane, node);
	from_inputs(plane, node, again);
	for (u32 d = 0; d < POSTMAN_DIMENSIONS; d++)
		if (head[d])
			eagerly(plane, node, d);
}

/* Return: true if the node may act in the next cycle without a new train. */
static bool finish(struct postman_plane *plane, u32 node)
{
	bool active = false;

	for (u32 d = 0; d < POSTMAN_DIMENSIONS; d++) {
		struct machine *m = &plane->machine[node][d];

		if (m->waiting != POSTMAN_NONE && !m->stored &&
		    (m->claims || !m->own || m->leaving < plane->cycle))
			m->claims++;
		m->busy = m->busy << 1 | (plane->model->busyback && (m->stored || m->claims));
		active |= m->busy || m->stored || m->waiting != POSTMAN_NONE ||
			  m->input != INPUT_IDLE;
	}
	return active;
}

/*
 * A run.
 */

void postman_plane_add(struct postman_plane *plane, const u32 *from, const u32 *to, u32 flits,
		       u32 dimension)
{
	u32 node = from[POSTMAN_Y] * plane->size[POSTMAN_X] + from[POSTMAN_X];
	struct machine *m = &plane->machine[node][dimension];
	u32 index = plane->npackets;
	struct postman_packet *packet;
	u64 bits;

	if (index == plane->room) {
		plane->room = 2 * plane->room + 64;
		plane->packet = xrealloc(plane->packet, plane->room * sizeof(*plane->packet));
	}
	packet = &plane->packet[plane->npackets++];
	*packet = (struct postman_packet){
		.from = { from[0], from[1] }, .to = { to[0], to[1] }, .flits = flits,
		.addresses = from[0] != to[0] && from[1] != to[1] ? 2 : 1,
		.dimension = (u8)dimension, .ready = 1, .both = 1, .next = POSTMAN_NONE,
	};
	plane->missing++;
	bits = train_bits(plane, packet, packet->addresses);
	if (bits > plane->longest)
		plane->longest = bits;
	activate(plane, node);
	if (m->head == POSTMAN_NONE) {
		m->own = true;
		m->busy = plane->model->busyback ? ~0U : 0;
		store(plane, m, index);
	} else if (m->waiting == POSTMAN_NONE) {
		m->waiting = index;
		m->last_waiting = index;
	} else {
		plane->packet[m->last_waiting].next = index;
		m->last_waiting = index;
	}
}

/* Does a train that begins in this cycle arrive at a node? */
static bool arrives(const struct postman_plane *plane, u32 node)
{
	for (u32 d = 0; d < POSTMAN_DIMENSIONS; d++)
		if (position(plane, node, d) &&
		    plane->machine[node - stride(plane, d)][d].out.first == plane->cycle)
			return true;
	return false;
}

bool postman_plane_run(struct postman_plane *plane)
{
	while (plane->nactive) {
		u32 n = plane->nactive, kept = 0;

		plane->cycle++;
		/*
		 * Nodes that step() activates are appended beyond @n, and first run in the next
		 * cycle.
		 */
		for (u32 i = 0; i < n; i++)
			step(plane, plane->active[i]);
		for (u32 i = 0; i < plane->nactive; i++) {
			u32 node = plane->active[i];

			plane->is_active[node] = i >= n || finish(plane, node);
			/* A train that began in this cycle may have activated the node again. */
			if (!plane->is_active[node] && arrives(plane, node))
				plane->is_active[node] = true;
			if (plane->is_active[node])
				plane->active[kept++] = node;
		}
		plane->nactive = kept;
		/*
		 * Deadlock detection: two starts of trains are at most the length of a train
		 * and the time of the decisions apart.
		 */
		if (plane->cycle > plane->begun + 2 * plane->longest + 64)
			return false;
	}
	return !plane->missing;
}

const struct postman_count *postman_plane_count(const struct postman_plane *plane)
{
	return &plane->count;
}

const struct postman_packet *postman_plane_packets(const struct postman_plane *plane, u32 *n)
{
	*n = plane->npackets;
	return plane->packet;
}
