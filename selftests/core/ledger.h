/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets and flits that a fuzzer passes to the code under test, and their fate.
 */
#ifndef SELFTESTS_CORE_LEDGER_H
#define SELFTESTS_CORE_LEDGER_H

#include "fuzz.h"
#include "core/care/care.h"

#define PACKETS_MAX	2048

/**
 * struct packet - fate of a packet that was passed to the switch
 * @all: all targets
 * @local: targets at this site
 * @going: targets of branches that have begun and not ended
 * @done: targets of complete branches, or targets that the operator serves
 * @unreachable: targets reported to the source as unreachable
 * @port: net-input on which it arrived
 * @class: virtual channel on which it arrived, if there are several
 * @ended: all of it was sent
 * @run: sites that forwarded its front eagerly (core/vnet/postman.h)
 * @dead: it is dead: this site must not forward it
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
	bool ours;		/* the switch has released the handle */
	u32 head_size;
	u8 head[];
};

/**
 * struct ledger - all packets
 * @packet: all packets
 * @packets: number of packets
 * @held: handles that the switch holds
 */
struct ledger {
	struct packet packet[PACKETS_MAX];
	u32 packets;
	u32 held;
};

/**
 * struct train - flits that are being sent to a link or to the operator
 * @packet: packet of the flits; NULL between packets
 * @mask: targets of this branch
 * @left: remaining bytes of the packet
 */
struct train {
	struct packet *packet;
	u64 mask;
	u32 left;
};

/* Is the packet completed? */
static inline bool packet_over(const struct packet *pk)
{
	return (pk->done | pk->unreachable) == pk->all;
}

/* Record that these targets were served. */
void packet_done(struct packet *pk, u64 mask, const char *where);
struct packet *packet_of(struct ledger *l, const u8 *head);
/* Check that every target was forwarded once, was reported unreachable, or is excused. */
void packets_check(const struct ledger *l);

/* Excuse the packets in flight in a channel: they may be lost. */
void packets_excuse(struct ledger *l, u8 class, u8 port);

/* Allocate a flit with memory of exactly its size. */
struct fc_flit flit_new(struct ledger *l, u8 parts, u32 data, const u8 *head, u32 head_size);

/**
 * front_new() - make a front of a packet from the fuzzer's input
 * @l: ledger
 * @f: input
 * @topo: topology
 * @site: site at which it arrives
 * @port: port on which it arrives
 * @parts: FC_PART_*
 * @data: bytes in this flit
 * @bytes: length of the packet
 * @record: returns the record of the packet
 *
 * Return: the flit; its handle is NULL if the head is invalid.
 */
struct fc_flit front_new(struct ledger *l, struct fuzz *f, const struct fc_topo *topo, u32 site,
			 u8 port, u8 parts, u32 data, u32 bytes, struct packet **record);

void handle_release(struct ledger *l, struct handle *h);
/* Free the released handles after the whole list, so that a later use in it is detected. */
void handles_free(struct fc_effects *fx);

/* Check the next flit of a train; @mask: targets if the flit is a front. */
void train_flit(struct ledger *l, struct train *t, const struct fc_effect *e, u64 mask);

#endif /* SELFTESTS_CORE_LEDGER_H */
