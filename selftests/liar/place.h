/* SPDX-License-Identifier: GPL-2.0 */
/* A program in the place of a site of a lab: its start and its end. */
#ifndef SELFTESTS_LIAR_PLACE_H
#define SELFTESTS_LIAR_PLACE_H

#include "lab_impl.h"

/**
 * place_start() - start a program in the namespace of a site; does not wait for its end
 * @lab: lab of the site
 * @site: number of the site, whose links the program takes over
 * @run: the program; never returns.  @ready: descriptor for an empty line when all links are up, or
 *	for the reason why not
 * @arg: for @run
 */
void place_start(const struct lab *lab, uint32_t site, void (*run)(void *arg, int ready),
		 void *arg);

/* Return the links of a site, whose program has ended, to the kernel's site. */
void place_give_back(struct lab *lab, uint32_t site, struct nl_sock *genl);

/* Is the site still lent, neither killed nor deleted with its lab? */
bool place_is_lent(const char *name, uint32_t site);

#endif /* SELFTESTS_LIAR_PLACE_H */
