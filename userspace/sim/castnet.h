/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A network of relays (core/relay.h): broadcasts of its sites, on links that lose, double and
 * reorder frames; with sites that crash, and Byzantine sites.
 *
 * Time has no unit; a frame takes at least 1.  The network records the text of the first error, and
 * continues.
 */
#ifndef FLITCAST_SIM_CASTNET_H
#define FLITCAST_SIM_CASTNET_H

#include "bcast.h"
#include "node.h"
#include "random.h"
#include "recept.h"
#include "relay.h"

#define CASTNET_SITES	128
#define CASTNET_FLITS	6	/* maximum flits of a broadcast */
#define CASTNET_WINDOW	4

/* Values of a broadcast: the true one, and the one that all faulty sites forge alike. */
enum castnet_value {
	CASTNET_TRUE,
	CASTNET_LIE,
	CASTNET_VALUES
};

/* Misbehaviour of a faulty site. */
enum castnet_lie {
	CASTNET_ALTER	= 1 << 0,	/* forwards altered flits */
	CASTNET_DROP	= 1 << 1,	/* forwards nothing */
	CASTNET_FORGE	= 1 << 2,	/* begins broadcasts in the name of other sites */
	CASTNET_REPLAY	= 1 << 3,	/* repeats broadcasts */
	CASTNET_ALL_LIES = (1 << 4) - 1,
};

struct castnet_flit;
struct castnet_node;

/**
 * struct castnet_cast - a broadcast
 * @src: its source
 * @number: number among the source's broadcasts
 * @flits: number of flits; 0: forged, its source never sent it
 * @recept: by site, the copies received
 * @believed: by site, bits of enum castnet_value for the values of which @need copies of
 *	struct castnet arrived
 */
struct castnet_cast {
	u32 src;
	u32 number;
	u32 flits;
	struct fc_recept recept[CASTNET_SITES];
	u8 believed[CASTNET_SITES];
};

/**
 * struct castnet - the network
 * @topo: topology
 * @copies: k
 * @need: equal copies that a site needs to believe them
 * @loss: per cent of frames lost
 * @doubled: per cent of frames duplicated
 * @delay: longest transit time of a frame
 * @strict: a source begins a broadcast only after its previous one has reached every site, or
 *	no frame of it is left
 * @rng: source of all random decisions
 * @now: time
 * @ncasts: number of broadcasts begun
 * @cast: broadcasts begun
 * @full: packets that found no free hold
 * @wrong: text of the first error; empty: none
 *
 * The user sets @need to @rng after castnet_init(); the other members belong to the
 * network.
 */
struct castnet {
	struct fc_topo topo;
	u8 copies;
	u8 need;
	u32 loss;
	u32 doubled;
	u32 delay;
	bool strict;
	struct rng rng;
	u64 now;
	u32 ncasts;
	u32 casts_max;
	struct castnet_cast *cast;
	u32 full;
	char wrong[160];
	/* private members */
	struct fc_timing timing;
	const struct fc_bcast *table;
	struct castnet_node *node;
	u32 handles;
};

/**
 * castnet_table() - fill the table of a broadcast
 * @table: result, to be given to castnet_table_free()
 * @spec: topology
 * @copies: k
 *
 * Return: NULL, or an error message.
 */
const char *castnet_table(struct fc_bcast *table, struct fc_topo *topo, const char *spec,
			  unsigned int copies);
void castnet_table_free(struct fc_bcast *table);

/**
 * castnet_init() - set up a network at rest, all links up
 * @net: result, to be given to castnet_free()
 * @table: shared, and not changed; at most CASTNET_SITES sites
 * @casts_max: maximum number of broadcasts
 */
void castnet_init(struct castnet *net, const struct fc_bcast *table, u32 casts_max);

/* Free a network and the frames in flight; record a leak of flits as an error. */
void castnet_free(struct castnet *net);

/**
 * castnet_send() - begin a broadcast at a site
 * @net: network
 * @at: site
 * @number: number of the broadcast; castnet_next_number() is one the site has not used
 * @flits: 1 to CASTNET_FLITS
 */
void castnet_send(struct castnet *net, u32 at, u32 number, u32 flits);
u32 castnet_next_number(struct castnet *net, u32 at);
/* Has the site buffer space for a broadcast, and, in a strict network, is none of its en route? */
bool castnet_may_send(const struct castnet *net, u32 at);

/* Crash a site with all its state; its neighbours' links go down. */
void castnet_die(struct castnet *net, u32 at);

/**
 * castnet_lie() - make a site Byzantine from now on
 * @net: network
 * @at: site
 * @how: bits of enum castnet_lie
 */
void castnet_lie(struct castnet *net, u32 at, u8 how);

/**
 * castnet_forge() - begin a broadcast in another site's name, on all links of a liar
 * @net: network
 * @at: liar
 * @src: the other site
 * @number: number of a broadcast of @src, or a new number
 * @flits: number of flits
 */
void castnet_forge(struct castnet *net, u32 at, u32 src, u32 number, u32 flits);

/* Process everything due now.  Return: when the next event is due, or FC_NEVER. */
u64 castnet_arrive(struct castnet *net);

/**
 * castnet_run() - send broadcasts from random sites, and run until all complete
 * @net: network
 * @casts: number of broadcasts; 0: only complete those en route
 */
void castnet_run(struct castnet *net, u32 casts);

bool castnet_dead(const struct castnet *net, u32 at);
bool castnet_lies(const struct castnet *net, u32 at);
u64 castnet_stat(const struct castnet *net, u32 at, enum fc_stat stat);

/* For tests: erase a site's record of broadcasts of a source. */
void castnet_forget(struct castnet *net, u32 at, u32 src, u8 port);

/* Copies of the broadcast that have reached a site. */
static inline u32 castnet_got(const struct castnet_cast *cast, u32 at)
{
	return (u32)__builtin_popcount(cast->recept[at].got);
}

#endif /* FLITCAST_SIM_CASTNET_H */
