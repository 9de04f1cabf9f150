/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traffic from a file: lines
 *
 *	CYCLE SOURCE BYTES TARGET[,TARGET]...
 *
 * in the order of their cycles; # begins a comment.
 */
#ifndef FLITCAST_SIM_SCRIPT_H
#define FLITCAST_SIM_SCRIPT_H

#include "sim.h"

/**
 * struct script_line - one message
 * @at: cycle in which it is sent
 * @from: source
 * @bytes: length
 * @ntargets: number of targets
 * @first: index of the first one in the script's @target
 */
struct script_line {
	u64 at;
	u32 from;
	u32 bytes;
	u32 ntargets;
	size_t first;
};

/**
 * struct script - contents of a file
 * @line: messages
 * @target: targets of all of them
 * @nlines: number of messages
 * @ntargets: number of targets
 * @next: index of the next message to send
 */
struct script {
	struct script_line *line;
	u32 *target;
	size_t nlines;
	size_t ntargets;
	size_t next;
};

/* Return: the script for this topology, or NULL after an error message on standard error. */
struct script *script_read(const char *path, const struct config *config);
void script_free(struct script *script);

#endif /* FLITCAST_SIM_SCRIPT_H */
