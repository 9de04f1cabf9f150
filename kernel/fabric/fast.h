/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fast paths: shortcuts past the ordinary path.
 *
 * The parameter fast of the module turns all of them off, to find out whether one of them causes a
 * bug: flitcast_pass(), fc_vnet_event(), flitcast_tx_at_once() and pass() of fabric/ctrl.c.  The
 * table "Fast paths" in Documentation/design.rst shows the gain of each.
 */
#ifndef FLITCAST_FABRIC_FAST_H
#define FLITCAST_FABRIC_FAST_H

#include <linux/jump_label.h>

DECLARE_STATIC_KEY_TRUE(flitcast_fast_key);

/* Return: true if fast paths are enabled, which may change at any time. */
static inline bool flitcast_fast(void)
{
	return static_branch_likely(&flitcast_fast_key);
}

#endif /* FLITCAST_FABRIC_FAST_H */
