/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames that report dead and suspected links (core/faults/faults.h).
 */
#ifndef FC_CORE_WIRE_WIRE_FAULTS_H
#define FC_CORE_WIRE_WIRE_FAULTS_H

#include "core/wire/wire.h"

#define FC_FAULTS_SIZE		4	/* payload of FC_FRAME_FAULTS without its entries */
#define FC_FAULT_SIZE		20	/* entry */
#define FC_FAULTS_MAX		10	/* entries of a frame: they fit the smallest flit */

/**
 * struct fc_fault - announcement of a site about its own links
 * @site: the announcing site
 * @incarnation: incarnation of that site
 * @version: number of the announcement, not 0; wraps
 * @ports: ports of the site whose link does not work; bit 0 is never set
 * @suspect: ports of the site whose link is up and suspected
 */
struct fc_fault {
	u32 site;
	u32 incarnation;
	u32 version;
	u32 ports;
	u32 suspect;
};

/**
 * struct fc_faults_msg - payload of FC_FRAME_FAULTS, between neighbours
 * @digest: digest of the sender's database
 * @n: number of entries, up to FC_FAULTS_MAX
 * @fault: entries
 */
struct fc_faults_msg {
	u32 digest;
	u8 n;
	struct fc_fault fault[FC_FAULTS_MAX];
};

static inline u32 fc_faults_size(u32 n)
{
	return FC_FAULTS_SIZE + n * FC_FAULT_SIZE;
}

/**
 * fc_wire_faults_decode() - payload of FC_FRAME_FAULTS
 * @m: result
 * @p: payload
 * @len: length of the payload, by the link header
 *
 * Return: false if a field is out of range.  The caller checks whether the topology has such sites
 * and links.
 */
bool fc_wire_faults_decode(struct fc_faults_msg *m, const u8 *p, u32 len);
/* Writes fc_faults_size(m->n) bytes. */
void fc_wire_faults_encode(u8 *p, const struct fc_faults_msg *m);

#endif /* FC_CORE_WIRE_WIRE_FAULTS_H */
