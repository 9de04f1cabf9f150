/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_CLI_CHECK_H
#define FLITCAST_CLI_CHECK_H

struct option_given;

/* flitcast topology check */
int topology_check(const struct option_given *given);

#endif /* FLITCAST_CLI_CHECK_H */
