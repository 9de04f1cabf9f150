/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcast in several copies on topologies without rules: for each source and number of copies,
 * user space configures which packets a site accepts, and their outputs.
 *
 * A link may carry several packets of a broadcast, so each has a label there.  The source, the
 * input link and the label identify a packet; a site trusts nothing else in it.  So a faulty site
 * can only forge packets of paths that lead through it in any case, whatever label it uses.
 */
#ifndef FC_CORE_BCAST_PATH_H
#define FC_CORE_BCAST_PATH_H

#include "core/topo/topo.h"
#include "core/wire/wire.h"

/* Copies: one is by a tree (tree.h). */
#define FC_PATH_COPIES_MIN	2
#define FC_PATH_COPIES_MAX	6
/* Maximum entries for one source and number of copies at a site; seldom more than twenty. */
#define FC_PATH_ENTRIES_MAX		256

/**
 * struct fc_path_entry - a next hop of a packet; in the form of netlink
 * @in: port by which it comes, or the local port: this site begins
 * @in_label: label with which it comes; 0 where this site begins
 * @out: port by which it leaves, or the local port: it is a copy for this site
 * @out_label: label with which it leaves; 0 where it does not
 *
 * A packet may have several next hops.
 */
struct fc_path_entry {
	u8 in;
	u8 in_label;
	u8 out;
	u8 out_label;
};

/**
 * fc_path_check() - are these valid next hops for a source at a site
 * @topo: topology of the network
 * @site: the site
 * @source: where the broadcasts begin
 * @copies: how many
 * @entry: next hops
 * @n: how many, at least 1
 *
 * Checks what one site can check: the entries are in ascending order, each of them once; their
 * ports lead to neighbours, and none to the source or back; no two packets leave by one port with
 * one label.  At the source they begin on as many ports as there are copies; at any other site that
 * number of packets are copies, and each arrives by another port.
 *
 * Return: NULL, or a constant text with the error.
 */
const char *fc_path_check(const struct fc_topo *topo, u32 site, u32 source, u32 copies,
			  const struct fc_path_entry *entry, u32 n);

/**
 * fc_path_next() - next hops of a packet
 * @entry: next hops for its source and number of copies
 * @n: how many
 * @in: port by which it has come, or the local port
 * @label: label with which it has come
 *
 * Return: a mask of ports, with the local one if it is a copy for this site; 0: it may not
 * come there.
 */
u32 fc_path_next(const struct fc_path_entry *entry, u32 n, u8 in, u8 label);

/* The label with which it goes on by a port that is among those; 0 where none is. */
u8 fc_path_label(const struct fc_path_entry *entry, u32 n, u8 in, u8 label, u8 out);

#endif /* FC_CORE_BCAST_PATH_H */
