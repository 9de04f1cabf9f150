/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switching modes: how sites forward packets.  All sites of a network use the same mode.
 */
#ifndef FC_CORE_MODE_H
#define FC_CORE_MODE_H

#include "core/base.h"

/* Values of @mode of HELLO. */
enum fc_mode {
	FC_MODE_CARE,	/* one class; multicasts that block each other are aborted (CARE) */
	FC_MODE_VNET,	/* a channel for each virtual network; deadlock-free */
	FC_MODE_CSR,	/* as vnet; each packet reserves its path before it enters */
	FC_MODE_POSTMAN, /* as vnet; fronts are forwarded speculatively */
	FC_MODE_COUNT
};

/**
 * struct fc_mode_ops - properties of a switching mode, for kernel, simulator and tool
 * @name: name of the mode, for users
 * @version: protocol version of the mode, in HELLO; sites with different versions have no link.
 *	Version 1 of modes care and csr has common channels for all packets, version 2 channels for
 *	each set.  Fault frames report suspected links since version 3 of these modes, and version
 *	2 of the others.  Flits of a network with a key carry codes since version 5 of these modes,
 *	and version 4 of the others.
 * @classes: packets have classes (core/topo/vclass.h), and the switch is that of core/vnet/vnet.h
 * @reserves: packets reserve their path before they enter (core/vnet/csr_plan.h)
 * @eager: fronts are forwarded speculatively in their dimension (core/vnet/postman.h)
 */
struct fc_mode_ops {
	const char *name;
	u8 version;
	bool classes;
	bool reserves;
	bool eager;
};

/* Return: the properties of a mode; NULL if there is no such mode. */
const struct fc_mode_ops *fc_mode_ops(u8 mode);

/* Return: the mode of that name, or -1. */
int fc_mode_parse(const char *name);

/* The mode of a network for which the user names none. */
#define FC_MODE_DEFAULT	FC_MODE_VNET

/* For messages: all names. */
#define FC_MODES	"care, vnet, csr, postman"

#endif /* FC_CORE_MODE_H */
