/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside a world: for world.c, world_code.c and world_tell.c alone.
 */
#ifndef FLITCAST_SIM_WORLD_IMPL_H
#define FLITCAST_SIM_WORLD_IMPL_H

#include "world.h"

/* Bytes of data in every flit. */
#define BYTES	10
/* All that is armed is due later than now. */
#define NOW	1000
#define LATER	2000
/* No link. */
#define NO_PEER	0xff
#define WORLD_CONTENTS	(1 + WORLD_MESSAGES * ((1 << WORLD_TARGETS) + WORLD_FLITS))

/* What a handle stands for: a flit that its source made, or a branch's front. */
struct content {
	u8 message;
	u8 index;		/* flit of the packet */
	u8 mask;		/* front: targets of the message in its list */
	u8 head[FC_PACKET_SIZE + WORLD_TARGETS * FC_TARGET_SIZE];
};

/* A frame on a link: a flit or a status. */
struct wire_frame {
	bool status;
	u8 id;			/* content; 0: a terminator without a frame */
	u8 parts;		/* of a flit; FC_STATUS_* of a status */
	u32 seq;
	u32 ack;
	struct fc_status said;
};

/* What a replay buffer keeps of a flit. */
struct kept {
	u8 id;
	u8 parts;
};

struct wire {
	u8 n;
	struct wire_frame frame[WORLD_WIRE];
};

struct node {
	struct fc_site site;
	struct fc_in in[WORLD_PORTS];
	struct fc_out out[WORLD_PORTS];
	struct fc_rx rx[WORLD_PORTS];
	struct fc_tx tx[WORLD_PORTS];
	struct fc_flit queue[WORLD_PORTS][WORLD_WINDOW];
	u64 link_stat[WORLD_PORTS][FC_LSTAT_COUNT];
	u64 stat[FC_STAT_COUNT];
	struct wire wire[WORLD_PORTS];	/* what the port sent */
	struct kept replay[WORLD_PORTS][WORLD_WINDOW];	/* of this, not taken */
	u8 nreplay[WORLD_PORTS];
	u32 replay_seq[WORLD_PORTS];
	u8 held;		/* handles the site has */
	u8 words;		/* in the fifo-buffer */
	u8 nbuffer;
	u8 buffer[WORLD_FLITS + 1];	/* network-buffer */
	u8 nstored;
	u8 stored[WORLD_POOL + 1];	/* fronts of the packets stored for others */
	u8 sending;		/* front of the packet being sent, or 0 */
	u8 index;		/* its next flit */
};

/* One target of one message. */
struct end {
	struct fc_txtarget tx;
	bool delivered;
};

struct world {
	u8 loss;
	u8 doubles;
	u8 overtakes;
	u8 flaps;
	u8 early;
	bool repeated;		/* a link was reset, or a message repeated too early */
	struct node node[WORLD_SITES];
	struct fc_rxflow rx[WORLD_MESSAGES * WORLD_TARGETS];
	struct fc_txflow tx[WORLD_MESSAGES * WORLD_TARGETS];
	struct end end[WORLD_MESSAGES][WORLD_TARGETS];
};

/* The scenario, the state it is in, and what follows from the scenario alone. */
extern const struct world_config *world_cfg;
extern struct world world;
extern unsigned int world_nflows;
extern struct content world_contents[WORLD_CONTENTS];
/* For each site and port, the site and the port at the other end. */
extern u8 world_peers[WORLD_SITES][WORLD_PORTS];
extern u8 world_peer_ports[WORLD_PORTS];

/* Handles in a site, by looking. */
unsigned int world_count_held(const struct node *node);

static inline u8 id_of(const struct fc_flit *flit)
{
	return (u8)(uintptr_t)flit->h;
}

static inline const struct content *content_of(u8 id)
{
	return &world_contents[id];
}

/* The flit of a frame; what it carries besides its parts follows from its content. */
static inline struct fc_flit make_flit(u8 id, u8 parts)
{
	struct fc_flit flit = { .parts = parts };

	if (!id)
		return flit;
	flit.h = (void *)(uintptr_t)id;
	flit.data = BYTES;
	if (content_of(id)->mask)
		flit.head = content_of(id)->head;
	return flit;
}

static inline u8 peer_of(unsigned int at, u8 port)
{
	return world_peers[at][port];
}

static inline u8 peer_port(u8 port)
{
	return world_peer_ports[port];
}

static inline bool has_link(unsigned int at, u8 port)
{
	return world_peers[at][port] != NO_PEER;
}

static inline void place_split(unsigned int where, unsigned int *at, u8 *port)
{
	*at = where / (WORLD_PORTS - 1);
	*port = (u8)(where % (WORLD_PORTS - 1) + 1);
}

#endif /* FLITCAST_SIM_WORLD_IMPL_H */
