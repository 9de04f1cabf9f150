/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_CLI_TRACE_BCAST_H
#define FLITCAST_CLI_TRACE_BCAST_H

#include "util.h"

/* flitcast trace --broadcast; @given: the options after that word. */
int trace_bcast(const struct option_given *given);

#endif /* FLITCAST_CLI_TRACE_BCAST_H */
