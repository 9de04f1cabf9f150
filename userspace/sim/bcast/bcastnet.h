/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A network of relays (core/bcast/relay.h): broadcasts of its sites, on links that lose, double and
 * reorder frames; with sites that crash, and Byzantine sites.
 *
 * Time has no unit; a frame takes at least 1.  The network records the text of the first error, and
 * continues.
 */
#ifndef FLITCAST_SIM_CASTNET_H
#define FLITCAST_SIM_CASTNET_H

#include "core/topo/bcast.h"
#include "core/link/node.h"
#include "base/random.h"
#include "core/bcast/recept.h"
#include "core/bcast/relay.h"

#define BCASTNET_SITES	128
#define BCASTNET_FLITS	6	/* maximum flits of a broadcast */
#define BCASTNET_WINDOW	4

/* Values of a broadcast: the true one, and the one that all faulty sites forge alike. */
enum bcastnet_value {
	BCASTNET_TRUE,
	BCASTNET_LIE,
	BCASTNET_VALUES
};

/* Misbehaviour of a faulty site. */
enum bcastnet_lie {
	BCASTNET_ALTER	= 1 << 0,	/* forwards altered flits */
	BCASTNET_DROP	= 1 << 1,	/* forwards nothing */
	BCASTNET_FORGE	= 1 << 2,	/* begins broadcasts in the name of other sites */
	BCASTNET_REPLAY	= 1 << 3,	/* repeats broadcasts */
	BCASTNET_ALL_LIES = (1 << 4) - 1,
};

struct bcastnet_flit;
struct bcastnet_node;

/**
 * struct bcastnet_broadcast - a broadcast
 * @src: its source
 * @number: number among the source's broadcasts
 * @flits: number of flits; 0: forged, its source never sent it
 * @recept: by site, the copies received
 * @believed: by site, bits of enum bcastnet_value for the values of which @need copies of
 *	struct bcastnet arrived
 */
struct bcastnet_broadcast {
	u32 src;
	u32 number;
	u32 flits;
	struct fc_recept recept[BCASTNET_SITES];
	u8 believed[BCASTNET_SITES];
};

/**
 * struct bcastnet - the network
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
 * @bcast: broadcasts begun
 * @full: packets that found no free hold
 * @wrong: text of the first error; empty: none
 *
 * The user sets @need to @rng after bcastnet_init(); the other members belong to the
 * network.
 */
struct bcastnet {
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
	u32 bcasts_max;
	struct bcastnet_broadcast *bcast;
	u32 full;
	char wrong[160];
	/* private members */
	struct fc_timing timing;
	const struct fc_bcast *table;
	struct bcastnet_node *node;
	u32 handles;
};

/**
 * bcastnet_table() - fill the table of a broadcast
 * @table: result, to be given to bcastnet_table_free()
 * @spec: topology
 * @copies: k
 *
 * Return: NULL, or an error message.
 */
const char *bcastnet_table(struct fc_bcast *table, struct fc_topo *topo, const char *spec,
			   unsigned int copies);
void bcastnet_table_free(struct fc_bcast *table);

/**
 * bcastnet_init() - set up a network at rest, all links up
 * @net: result, to be given to bcastnet_free()
 * @table: shared, and not changed; at most BCASTNET_SITES sites
 * @bcasts_max: maximum number of broadcasts
 */
void bcastnet_init(struct bcastnet *net, const struct fc_bcast *table, u32 bcasts_max);

/* Free a network and the frames in flight; record a leak of flits as an error. */
void bcastnet_free(struct bcastnet *net);

/**
 * bcastnet_send() - begin a broadcast at a site
 * @net: network
 * @at: site
 * @number: number of the broadcast; bcastnet_next_number() is one the site has not used
 * @flits: 1 to BCASTNET_FLITS
 */
void bcastnet_send(struct bcastnet *net, u32 at, u32 number, u32 flits);
u32 bcastnet_next_number(struct bcastnet *net, u32 at);
/* Has the site buffer space for a broadcast, and, in a strict network, is none of its en route? */
bool bcastnet_may_send(const struct bcastnet *net, u32 at);

/* Crash a site with all its state; its neighbours' links go down. */
void bcastnet_die(struct bcastnet *net, u32 at);

/**
 * bcastnet_lie() - make a site Byzantine from now on
 * @net: network
 * @at: site
 * @how: bits of enum bcastnet_lie
 */
void bcastnet_lie(struct bcastnet *net, u32 at, u8 how);

/**
 * bcastnet_forge() - begin a broadcast in another site's name, on all links of a liar
 * @net: network
 * @at: liar
 * @src: the other site
 * @number: number of a broadcast of @src, or a new number
 * @flits: number of flits
 */
void bcastnet_forge(struct bcastnet *net, u32 at, u32 src, u32 number, u32 flits);

/* Process everything due now.  Return: when the next event is due, or FC_NEVER. */
u64 bcastnet_arrive(struct bcastnet *net);

/**
 * bcastnet_run() - send broadcasts from random sites, and run until all complete
 * @net: network
 * @bcasts: number of broadcasts; 0: only complete those en route
 */
void bcastnet_run(struct bcastnet *net, u32 bcasts);

bool bcastnet_dead(const struct bcastnet *net, u32 at);
bool bcastnet_lies(const struct bcastnet *net, u32 at);
u64 bcastnet_stat(const struct bcastnet *net, u32 at, enum fc_stat stat);

/* For tests: erase a site's record of broadcasts of a source. */
void bcastnet_forget(struct bcastnet *net, u32 at, u32 src, u8 port);

/* Copies of the broadcast that have reached a site. */
static inline u32 bcastnet_got(const struct bcastnet_broadcast *bcast, u32 at)
{
	return (u32)__builtin_popcount(bcast->recept[at].got);
}

#endif /* FLITCAST_SIM_CASTNET_H */
