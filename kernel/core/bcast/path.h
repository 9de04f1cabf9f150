/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcast in several copies on topologies without rules: for each source and number of copies,
 * user space configures which packets a site accepts, and their outputs.
 *
 * A link may carry several packets of a broadcast; a label distinguishes them.  A packet is
 * identified by its source, input link and label; a site trusts no other field.  So a faulty site
 * can forge only packets of paths that lead through it, with any label.
 */
#ifndef FC_CORE_BCAST_PATH_H
#define FC_CORE_BCAST_PATH_H

#include "core/topo/topo.h"
#include "core/wire/wire.h"

/* Number of copies; one copy uses a tree (core/topo/tree.h). */
#define FC_PATH_COPIES_MIN	2
#define FC_PATH_COPIES_MAX	6
/* Maximum number of entries for a source and a number of copies at a site; typically below 20. */
#define FC_PATH_ENTRIES_MAX		256

/**
 * struct fc_path_entry - a next hop of a packet; also the format of netlink
 * @in: input port; the local port: this site is the source
 * @in_label: label on the input link; 0 at the source
 * @out: output port; the local port: the packet is a copy for this site
 * @out_label: label on the output link; 0 for the local port
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
 * fc_path_check() - validate the next hops of the packets of a source at a site
 * @topo: topology of the network
 * @site: site
 * @source: source of the broadcasts
 * @copies: number of copies
 * @entry: next hops
 * @n: number of next hops, at least 1
 *
 * Checks all that does not depend on other sites: the entries are in ascending order, without
 * duplicates; each port leads to a neighbour, and no output to the source or back; no two packets
 * leave by the same port with the same label.  At the source, packets leave by @copies ports; at
 * any other site @copies packets are copies for it, each by another port.
 *
 * Return: NULL, or a constant text with the error.
 */
const char *fc_path_check(const struct fc_topo *topo, u32 site, u32 source, u32 copies,
			  const struct fc_path_entry *entry, u32 n);

/**
 * fc_path_next() - next hops of a packet
 * @entry: next hops for its source and number of copies
 * @n: number of next hops
 * @in: input port, or the local port
 * @label: label on the input link
 *
 * Return: a mask of ports, with the local one if the packet is a copy for this site; 0: no path of
 * the source leads there.
 */
u32 fc_path_next(const struct fc_path_entry *entry, u32 n, u8 in, u8 label);

/* Return: the label on the link of one of these ports; 0 if the port is none of them. */
u8 fc_path_label(const struct fc_path_entry *entry, u32 n, u8 in, u8 label, u8 out);

#endif /* FC_CORE_BCAST_PATH_H */
