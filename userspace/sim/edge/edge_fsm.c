// SPDX-License-Identifier: GPL-2.0
#include "edge_fsm.h"

/*
 * Each row:	condition	next		action		upstream
 */
#define ROW(m, cond, next, action, up) \
	[EDGE_##m##C_##cond] = { EDGE_##m##_##next, EDGE_##m##A_##action, FC_SIG_##up }

/* CARE, section 5.3, Figure 11. */
#define IN(state)			[EDGE_IN_##state]
#define ON(cond, next, action, up)	ROW(IN, cond, next, action, up)
const struct fc_row edge_in_table[EDGE_IN_COUNT][EDGE_INC_COUNT] = {
	IN(FREE) = {
		ON(DA,		FIRST,		NONE,		WAIT),
	},
	IN(FIRST) = {
		ON(S,		FIRST,		SEEK,		NONE),
		ON(C,		OPEN,		STOP_SEEKING,	OPEN),
	},
	IN(OPEN) = {
		ON(W,		WAIT,		NONE,		WAIT),
		ON(TR,		DONE,		SCHEDULE,	NONE),
		/* Never occurs here: a wait takes no time, so it comes before a terminator. */
		ON(WTR,		LAST,		NONE,		WAIT),
		ON(ARM,		ABORT,		ABORT_REMOTE,	OPEN),
	},
	IN(WAIT) = {
		ON(O,		OPEN,		NONE,		OPEN),
		ON(TR,		LAST,		NONE,		NONE),
		ON(ARM,		ABORT,		ABORT_REMOTE,	OPEN),
	},
	IN(DONE) = {
		ON(W,		LAST,		CANCEL,		WAIT),
		/* At the scheduled time. */
		ON(O,		FINAL,		NONE,		NONE),
		ON(ARM,		FIN_ABORT,	ABORT_FINAL,	NONE),
	},
	IN(FINAL) = {
		/* The net-outputs are examined again: state done has processed every wait. */
		ON(W,		LAST,		NONE,		WAIT),
		ON(NW,		FREE,		SEND_TERMS,	FREE),
	},
	IN(LAST) = {
		ON(O,		DONE,		SCHEDULE,	NONE),
		ON(ARM,		FIN_ABORT,	ABORT_FINAL,	NONE),
	},
	IN(ABORT) = {
		ON(TR,		FIN_ABORT,	SCHEDULE,	WAIT),
	},
	IN(FIN_ABORT) = {
		ON(O,		FREE,		TERM_LOCAL,	FREE),
	},
};

#undef ON
#undef IN

/* CARE, section 5.2, Figure 10. */
#define IN(state)			[EDGE_FIFO_##state]
#define ON(cond, next, action)		ROW(FIFO, cond, next, action, NONE)
const struct fc_row edge_fifo_table[EDGE_FIFO_COUNT][EDGE_FIFOC_COUNT] = {
	IN(FREE) = {
		ON(F,		BUSY,		SEND),
	},
	IN(BUSY) = {
		ON(W,		BUSY,		LWNOW),
		ON(O,		BUSY,		DELAY),
		ON(DONE,	DONE,		NONE),
	},
	IN(DONE) = {
		ON(WD,		BUSY,		BUSY),
		ON(OND,		FREE,		TERM),
	},
};

#undef ON
#undef IN

#define X(id, name)	name,
static const char *const in_states[] = { "", EDGE_IN_STATES(X) };
static const char *const in_conds[] = { "", EDGE_IN_CONDS(X) };
static const char *const in_actions[] = { EDGE_IN_ACTIONS(X) };
static const char *const fifo_states[] = { "", EDGE_FIFO_STATES(X) };
static const char *const fifo_conds[] = { "", EDGE_FIFO_CONDS(X) };
static const char *const fifo_actions[] = { EDGE_FIFO_ACTIONS(X) };
#undef X

const struct fc_fsm edge_fsms[2] = {
	{
		.name = "edge-net-input",
		.nstates = EDGE_IN_COUNT, .nconds = EDGE_INC_COUNT, .nactions = EDGE_INA_COUNT,
		.rows = &edge_in_table[0][0],
		.states = in_states, .conds = in_conds, .actions = in_actions,
	},
	{
		.name = "edge-fifo-buffer",
		.nstates = EDGE_FIFO_COUNT, .nconds = EDGE_FIFOC_COUNT,
		.nactions = EDGE_FIFOA_COUNT, .rows = &edge_fifo_table[0][0],
		.states = fifo_states, .conds = fifo_conds, .actions = fifo_actions,
	},
};
