/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_CLI_LAB_H
#define FLITCAST_CLI_LAB_H

#include "draw.h"

/* Directory of the state files: one file for each lab, with its name. */
#define LAB_STATE_DIR	"/run/flitcast/lab"

/**
 * lab_loads_of() - read the loads of the lab's links, if it has this topology
 * @topo: topology
 *
 * Leaves the thread in another network namespace.
 *
 * Return: by site * topo->ndirs + direction, or NULL: there is no such lab.
 */
struct load *lab_loads_of(const struct fc_topo *topo);

#endif /* FLITCAST_CLI_LAB_H */
