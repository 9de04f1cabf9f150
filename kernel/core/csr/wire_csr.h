/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames of mode csr: probes and their answers (FC_FRAME_CSR), between neighbours, on the
 * control channel, neither numbered nor repeated.
 */
#ifndef FC_CORE_CSR_WIRE_CSR_H
#define FC_CORE_CSR_WIRE_CSR_H

#include "core/csr/csr.h"
#include "core/wire/wire.h"

/**
 * struct fc_csr_frame - payload of FC_FRAME_CSR
 * @msg: message; its times are below 2^32 ns, and longer ones are sent as the longest
 * @class: probe: class in which the packet arrives (core/topo/vclass.h)
 * @n: probe: number of targets, 1 .. FC_TARGETS_MAX; else 0
 * @site: probe: sites of the targets, in the order of the packet's list
 */
struct fc_csr_frame {
	struct fc_csr_msg msg;
	u8 class;
	u8 n;
	u32 site[FC_TARGETS_MAX];
};

static inline u32 fc_csr_frame_size(u32 n)
{
	return FC_CSR_SIZE + 4 * n;
}

/**
 * fc_wire_csr_decode() - payload of FC_FRAME_CSR
 * @f: result
 * @p: payload
 * @len: length of the payload, by the link header
 *
 * Return: false if a field is out of range.  The caller checks whether the topology has such sites
 * and classes.
 */
bool fc_wire_csr_decode(struct fc_csr_frame *f, const u8 *p, u32 len);
/* Writes fc_csr_frame_size(f->n) bytes. */
void fc_wire_csr_encode(u8 *p, const struct fc_csr_frame *f);

#endif /* FC_CORE_CSR_WIRE_CSR_H */
