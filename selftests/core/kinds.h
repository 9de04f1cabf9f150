/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small topologies of a kind in the registry, also of one that no test names: those of KIND:A and
 * KIND:AxB that the kind accepts.  A graph is given by its links, and has tests of its own.
 */
#ifndef SELFTESTS_CORE_KINDS_H
#define SELFTESTS_CORE_KINDS_H

#include <stdio.h>

#include "tap.h"
#include "core/topo/topo.h"

/* Largest number, up to 5 in programs. */
#define KINDS_MAX	(3 + TAP_ROUNDS(2))

/* Get the next topology; *@at begins with 0.  Return: false if there is none. */
static inline bool kinds_next(struct fc_topo *topo, const struct fc_topo_ops *ops, unsigned int *at)
{
	char spec[FC_SPEC_MAX];

	while (*at < KINDS_MAX * (KINDS_MAX + 1)) {
		unsigned int a = *at % KINDS_MAX + 1, b = *at / KINDS_MAX;

		++*at;
		if (b)
			snprintf(spec, sizeof(spec), "%s:%ux%u", ops->name, b, a);
		else
			snprintf(spec, sizeof(spec), "%s:%u", ops->name, a);
		if (!fc_topo_parse(topo, spec))
			return true;
	}
	return false;
}

#endif /* SELFTESTS_CORE_KINDS_H */
