/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SELFTESTS_LIAR_IMPL_H
#define SELFTESTS_LIAR_IMPL_H

#include <net/ethernet.h>
#include "core/topo/bcast.h"
#include "core/link/hello.h"
#include "liar.h"
#include "core/mode.h"
#include "core/link/node.h"
#include "core/bcast/relay.h"
#include "core/bcast/path.h"
#include "core/wire/wire_faults.h"

/* Maximum flits in flight, the same as for a site. */
#define WINDOW_MAX	64
#define HEAD_SIZE	(FC_PACKET_SIZE + FC_TARGET_SIZE)
/* Packets that are kept for replays. */
#define MEMORY		32

/**
 * struct flit - a flit
 * @refs: reference count
 * @len: length in bytes, with its head
 * @forged: it is altered or forged, with the head in @claim
 * @claim: head that is sent
 * @data: payload of its frame
 */
struct flit {
	unsigned int refs;
	u32 len;
	bool forged;
	u8 claim[HEAD_SIZE];
	u8 data[];
};

/* Flits of a hold, or of a packet. */
struct flits {
	struct flit **flit;
	u32 n;
	u32 altered;		/* ports on which altered flits are sent */
};

/* Replay entry: a sent flit, until the peer acks it. */
struct kept {
	struct flit *flit;	/* NULL: a terminator without data */
	u32 seq;
	u8 parts;
	bool there;
};

/**
 * struct voice - a virtual channel of all links
 * @relay: the core's relay; for packets other than broadcasts it only accepts and drops them
 * @held: flits of its holds
 * @kept: replay entries, by port and sequence number
 */
struct voice {
	struct fc_relay relay;
	struct fc_rx rx[FC_PORTS_MAX];
	struct fc_tx tx[FC_PORTS_MAX];
	u64 stat[FC_STAT_COUNT];
	u64 link_stat[FC_PORTS_MAX][FC_LSTAT_COUNT];
	struct flits *held;
	struct kept kept[FC_PORTS_MAX][WINDOW_MAX];
};

/* One end of a link; @fd is -1 if there is no link. */
struct port {
	int fd;
	bool carrier;
	u8 mac[ETH_ALEN];
	u8 peer[ETH_ALEN];
	struct fc_hello hello;
};

/* The last broadcast of a source. */
struct known {
	bool there;
	struct fc_packet pk;
	struct fc_bcast_hdr bcast;
};

/**
 * struct liar_paths - path entries of one source, for one number of copies
 * @entry: entries
 * @n: number of entries
 */
struct liar_paths {
	struct fc_path_entry entry[FC_PATH_ENTRIES_MAX];
	u32 n;
};

/**
 * struct liar - a faulty site
 * @topo: topology
 * @site: number of the site
 * @flit: flit size
 * @mode: enum fc_mode
 * @bcast: channel of broadcasts
 * @other: channels of other packets, which it acks and drops
 * @nother: number of these channels
 * @window: window of each link
 * @ethertype: ethertype of frames
 * @table: table for k copies at index k - 1; empty if the topology has no rules
 * @paths: path entries of a graph, for each number of copies from FC_PATH_COPIES_MIN, by source
 * @word: its fault update, which keeps all packets but broadcasts away
 * @send_at: time of the next such update
 * @lies: LIE_*
 * @rng: state of the random number generator
 * @todo: pending lies
 * @lie_at: time of the next spontaneous lie
 * @flood: ports on which it sends its own broadcasts
 * @number: number of the next such broadcast
 * @known: last broadcast of each source
 * @memory: received packets, the newest at @next - 1
 */
struct liar {
	struct fc_topo topo;
	u32 site;
	u32 flit;
	u32 window;
	u16 ethertype;
	struct fc_timing timing;
	struct fc_bcast table[FC_COPIES_MAX];
	struct liar_paths *paths;
	struct voice bcast;
	struct voice *other;
	u8 nother;
	u8 mode;
	struct port port[FC_PORTS_MAX];
	struct fc_fault word;
	u64 send_at;
	u32 lies;
	u64 rng;
	u32 todo;
	u64 lie_at;
	u32 flood;
	u32 number;
	struct known *known;
	struct flits memory[MEMORY];
	u32 next;
};

/* Return: the paths on a graph, as the replaced site would get them; NULL: there are none. */
const struct liar_paths *liar_paths(const struct liar *l, u32 src, u8 copies);

u32 liar_random(struct liar *l, u32 below);

struct flit *flit_new(const void *data, u32 len);
void flit_put(struct flit *f);

/* liar_site.c.  Open the site.  Return: false without memory or devices; @wrong: the reason. */
bool liar_open(struct liar *l, const struct lab *lab, u32 site, char **wrong);
/* Receive all pending frames of a port. */
void liar_receive(struct liar *l, u8 port);
/* Run all timers that are due.  Return: time of the next timer. */
u64 liar_time(struct liar *l, u64 now);
/* Send a broadcast of this site, with these flits, on all links. */
void liar_begin(struct liar *l, struct flit **flit, u32 n);

/* liar_lies.c.  Return: the ports to which the liar forwards a broadcast. */
u32 liar_next_hop(struct liar *l, u32 paths);
/* Return: the flit of a broadcast that the liar sends on a port; the caller owns a reference. */
struct flit *liar_sends(struct liar *l, struct flits *held, u32 index, u8 port, bool head);
/* Note a broadcast that has arrived. */
void liar_capture(struct liar *l, const struct flits *held);
/* Make up broadcasts now and then. */
void liar_time_to_lie(struct liar *l, u64 now);

#endif /* SELFTESTS_LIAR_IMPL_H */
