/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcast in several copies where no rules are known: for each source and number of
 * copies a site is told what may come to it and where that goes on.
 *
 * Several packets of a broadcast may go over a link, so each has a label there.  A packet
 * that comes is known by its source, the link and the label; nothing else of it is believed.
 * What a site that lies may begin, by any label, is what leads through it in any case.
 */
#ifndef FC_CORE_PATH_H
#define FC_CORE_PATH_H

#include "topo.h"
#include "wire.h"

/* Copies: one is by a tree (tree.h). */
#define FC_PATH_COPIES_MIN	2
#define FC_PATH_COPIES_MAX	6
/* Of a source and a number of copies at a site; seldom more than twenty. */
#define FC_PATH_ENTRIES_MAX		256

/**
 * struct fc_path_entry - where a packet goes on; as netlink has it
 * @in: port by which it comes, or the local port: this site begins
 * @in_label: label with which it comes; 0 where this site begins
 * @out: port by which it goes on, or the local port: it is a copy for this site
 * @out_label: label with which it goes on; 0 where it does not
 *
 * A packet may go on in several ways.
 */
struct fc_path_entry {
	u8 in;
	u8 in_label;
	u8 out;
	u8 out_label;
};

/**
 * fc_path_check() - may these be the ways of a source at a site
 * @topo: topology of the network
 * @site: the site
 * @source: where the broadcasts begin
 * @copies: how many
 * @entry: ways
 * @n: how many, at least 1
 *
 * As far as one site can tell: ways are in ascending order, each of them once; their
 * ports lead to neighbours, and none to the source or back; no two packets leave by one
 * port with one label.  At the source they begin on as many ports as there are copies; at
 * any other site so many packets are copies, and each comes by another port.
 *
 * Return: NULL, or a constant text that says what is wrong.
 */
const char *fc_path_check(const struct fc_topo *topo, u32 site, u32 source, u32 copies,
			  const struct fc_path_entry *entry, u32 n);

/**
 * fc_path_next() - where a packet goes on
 * @entry: ways of its source and number of copies
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

#endif /* FC_CORE_PATH_H */
