/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switching modes: how sites pass packets on.  All sites of a network have the same.
 */
#ifndef FC_CORE_MODE_H
#define FC_CORE_MODE_H

#include "core/base.h"

/* As HELLO carries it. */
enum fc_mode {
	FC_MODE_CARE,	/* one class; multicasts that block each other are aborted (CARE) */
	FC_MODE_VNET,	/* a channel for each virtual network; nothing is */
	FC_MODE_CSR,	/* as vnet, and each packet reserves its path before it enters */
	FC_MODE_POSTMAN, /* as vnet, and fronts are forwarded speculatively */
	FC_MODE_COUNT
};

/**
 * struct fc_mode_ops - properties of a switching mode, for kernel, simulator and tool
 * @name: of the mode, which users give
 * @version: that HELLO names: sites of different ones have no link.  In version 1 of modes care and
 *	csr all packets have channels in common, from version 2 on each set has its own.  Fault
 *	frames report suspected links from version 3 of these modes, and 2 of the others, on.
 * @classes: packets go in classes (core/topo/vclass.h), by the switch of core/vnet/vnet.h
 * @reserves: packets reserve their path before they enter (core/vnet/csr_plan.h)
 * @eager: fronts are forwarded speculatively, straight on (core/vnet/postman.h)
 */
struct fc_mode_ops {
	const char *name;
	u8 version;
	bool classes;
	bool reserves;
	bool eager;
};

/* Return: the table's entry, or NULL where there is no such mode. */
const struct fc_mode_ops *fc_mode_ops(u8 mode);

/* Return: the mode of that name, or -1. */
int fc_mode_parse(const char *name);

/* The mode of a network for which the user names none. */
#define FC_MODE_DEFAULT	FC_MODE_VNET

/* For messages: all names. */
#define FC_MODES	"care, vnet, csr, postman"

#endif /* FC_CORE_MODE_H */
