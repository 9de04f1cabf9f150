/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets and flits that a fuzzer passes to the code under test, and their fate.
 */
#ifndef SELFTESTS_CORE_LEDGER_H
#define SELFTESTS_CORE_LEDGER_H

#include "fuzz.h"
#include "site.h"

#define PACKETS_MAX	2048

/**
 * struct packet - what has become of a packet that was given
 * @all: its targets
 * @local: of these, at the site
 * @going: targets of branches that have begun and not ended
 * @done: targets of branches that ended whole, or that the operator has
 * @unreachable: targets its source was told of
 * @port: net-input
 * @class: virtual channel that it came in, if there are several
 * @ended: it was sent whole
 * @run: sites that have sent its front on before they looked at it (core/postman.h)
 * @dead: it has no business here, and is to go nowhere
 * @excused: a peer misbehaved or a link was reset: it may be lost
 */
struct packet {
	u64 all;
	u64 local;
	u64 going;
	u64 done;
	u64 unreachable;
	u8 port;
	u8 class;
	u8 run;
	bool dead;
	bool ended;
	bool excused;
};

/* Memory of a flit, which the runner owns. */
struct handle {
	bool ours;		/* the switch has released it */
	u32 head_size;
	u8 head[];
};

/**
 * struct ledger - all packets
 * @packet: packets
 * @packets: number of packets
 * @held: handles that the switch has and has not released
 */
struct ledger {
	struct packet packet[PACKETS_MAX];
	u32 packets;
	u32 held;
};

/**
 * struct train - flits on their way out: to a link, or to the operator
 * @packet: of which they are; NULL between packets
 * @mask: targets of this branch
 * @left: bytes still to come
 */
struct train {
	struct packet *packet;
	u64 mask;
	u32 left;
};

/* Nothing will happen to it any more. */
static inline bool packet_over(const struct packet *pk)
{
	return (pk->done | pk->unreachable) == pk->all;
}

/* These targets were served. */
void packet_done(struct packet *pk, u64 mask, const char *where);
struct packet *packet_of(struct ledger *l, const u8 *head);
/* Every target was forwarded once, was reported unreachable, or is excused. */
void packets_check(const struct ledger *l);

/* Excuse packets that are under way in a channel: they may be lost. */
void packets_excuse(struct ledger *l, u8 class, u8 port);

/* A frame, in memory of exactly its size. */
struct fc_flit flit_new(struct ledger *l, u8 parts, u32 data, const u8 *head, u32 head_size);

/**
 * front_new() - a front of a packet as the input says
 * @l: ledger
 * @f: input
 * @topo: topology
 * @site: site that gets it
 * @port: port there
 * @parts: FC_PART_*
 * @data: bytes in this flit
 * @bytes: bytes of the packet
 * @record: result: its record
 *
 * Return: the flit; its handle is NULL if nobody would believe the head.
 */
struct fc_flit front_new(struct ledger *l, struct fuzz *f, const struct fc_topo *topo, u32 site,
			 u8 port, u8 parts, u32 data, u32 bytes, struct packet **record);

void handle_release(struct ledger *l, struct handle *h);
/* Free the released handles after the whole list, so that a later use in it is detected. */
void handles_free(struct fc_effects *fx);

/* The next flit of a train; @mask: targets if it is a front. */
void train_flit(struct ledger *l, struct train *t, const struct fc_effect *e, u64 mask);

#endif /* SELFTESTS_CORE_LEDGER_H */
