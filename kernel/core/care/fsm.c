// SPDX-License-Identifier: GPL-2.0
#include "core/care/fsm.h"

/*
 * Each row:	condition	next		action		upstream
 */
#define ROW(m, cond, next, action, up) \
	[FC_##m##C_##cond] = { FC_##m##_##next, FC_##m##A_##action, FC_SIG_##up }

/* CARE, section 4.5, Table F, Figure 8. */
#define IN(state)			[FC_NI_##state]
#define ON(cond, next, action, up)	ROW(NI, cond, next, action, up)
const struct fc_row fc_netin_table[FC_NI_COUNT][FC_NIC_COUNT] = {
	IN(FREE) = {
		ON(DA,		FIRST,		HOLD_FRONT,	WAIT),
		/* Flits that follow an aborted packet, or have no front. */
		ON(JUNK,	FREE,		DROP,		NONE),
	},
	IN(FIRST) = {
		ON(S,		FIRST,		SEEK,		NONE),
		ON(C,		OPEN,		SEND_FRONT,	OPEN),
		/* The link was reset before anything was sent on. */
		ON(CUT,		FREE,		DROP_FRONT,	FREE),
	},
	IN(OPEN) = {
		ON(DATA,	OPEN,		PASS,		NONE),
		ON(W,		WAIT,		NONE,		WAIT),
		ON(TR,		DONE,		HOLD_TERM,	NONE),
		ON(WTR,		LAST,		HOLD_TERM,	WAIT),
		ON(ARM,		ABORT,		ABORT_REMOTE,	OPEN),
	},
	IN(WAIT) = {
		ON(O,		OPEN,		NONE,		OPEN),
		ON(TR,		LAST,		HOLD_TERM,	NONE),
		ON(ARM,		ABORT,		ABORT_REMOTE,	OPEN),
	},
	IN(DONE) = {
		ON(W,		LAST,		NONE,		WAIT),
		ON(O,		FREE,		SEND_TERMS,	FREE),
		ON(ARM,		FIN_ABORT,	ABORT_REMOTE,	NONE),
	},
	IN(LAST) = {
		ON(O,		DONE,		NONE,		NONE),
		ON(ARM,		FIN_ABORT,	ABORT_REMOTE,	NONE),
	},
	IN(ABORT) = {
		/* Only the local net-output is still connected. */
		ON(DATA,	ABORT,		PASS,		NONE),
		ON(TR,		FIN_ABORT,	HOLD_TERM,	WAIT),
	},
	IN(FIN_ABORT) = {
		ON(O,		FREE,		TERM_LOCAL,	FREE),
	},
};

#undef ON
#undef IN

/* CARE, section 4.7, Table H, Figure 9. */
#define IN(state)			[FC_NO_##state]
#define ON(cond, next, action, up)	ROW(NO, cond, next, action, up)
const struct fc_row fc_netout_table[FC_NO_COUNT][FC_NOC_COUNT] = {
	IN(FREE) = {
		ON(DA,		FIRST,		NONE,		WAIT),
	},
	IN(FIRST) = {
		ON(F,		WAIT,		SEND_FRONT,	WAIT),
		ON(AR,		FIRST,		RELAY_AR,	NONE),
		/* Nothing was sent, so nothing is to be taken back. */
		ON(AP,		FREE,		NONE,		FREE),
	},
	IN(WAIT) = {
		ON(FW,		WAIT,		NONE,		NONE),
		ON(O,		OPEN,		NONE,		OPEN),
		ON(TR,		LAST,		HOLD_TERM,	NONE),
		ON(AR,		WAIT,		RELAY_AR,	NONE),
	},
	IN(OPEN) = {
		ON(W,		WAIT,		NONE,		WAIT),
		ON(TR,		DONE,		HOLD_TERM,	NONE),
		ON(WTR,		LAST,		HOLD_TERM,	WAIT),
		ON(AR,		OPEN,		RELAY_AR,	NONE),
	},
	IN(DONE) = {
		ON(W,		LAST,		NONE,		WAIT),
		ON(NW,		FREE,		SEND_TERM,	FREE),
		/* Premature: the terminator is here. */
		ON(AR,		DONE,		NONE,		NONE),
	},
	IN(LAST) = {
		ON(NW,		DONE,		NONE,		NONE),
		ON(AR,		LAST,		NONE,		NONE),
	},
};

#undef ON
#undef IN

/* CARE, section 4.4, Table E, Figure 7. */
#define IN(state)			[FC_FF_##state]
#define ON(cond, next, action, up)	ROW(FF, cond, next, action, up)
const struct fc_row fc_fifo_table[FC_FF_COUNT][FC_FFC_COUNT] = {
	IN(FREE) = {
		ON(DNF,		OPEN,		NONE,		OPEN),
		ON(DF,		WAIT,		NONE,		WAIT),
	},
	IN(OPEN) = {
		ON(F,		WAIT,		NONE,		WAIT),
		ON(TNF,		DONE,		NONE,		FREE),
		ON(TF,		DONE_WAIT,	NONE,		WAIT),
	},
	IN(WAIT) = {
		ON(NF,		OPEN,		NONE,		OPEN),
		ON(TNF,		DONE,		NONE,		FREE),
		ON(TF,		DONE_WAIT,	NONE,		WAIT),
	},
	IN(DONE) = {
		/* 'free was sent on the transition to this state. */
		ON(TQ,		FREE,		NONE,		NONE),
	},
	IN(DONE_WAIT) = {
		ON(NF,		DONE,		NONE,		FREE),
	},
};

#undef ON
#undef IN

/* CARE, section 4.3.2. */
#define IN(state)			[FC_OP_##state]
#define ON(cond, next, action, up)	ROW(OP, cond, next, action, up)
const struct fc_row fc_oper_table[FC_OP_COUNT][FC_OPC_COUNT] = {
	IN(OLD) = {
		ON(DA,		FILLING,	STORE,		OPEN),
	},
	IN(FILLING) = {
		ON(DA,		FILLING,	STORE,		NONE),
		ON(EOP,		OLD,		SERVE,		FREE),
		ON(LEOP,	OLD,		SERVE_LOCAL,	FREE),
		ON(AP,		OLD,		DISCARD,	FREE),
	},
};

#undef ON
#undef IN

#define X(id, name)	name,
static const char *const netin_states[] = { "", FC_NETIN_STATES(X) };
static const char *const netin_conds[] = { "", FC_NETIN_CONDS(X) };
static const char *const netin_actions[] = { FC_NETIN_ACTIONS(X) };
static const char *const netout_states[] = { "", FC_NETOUT_STATES(X) };
static const char *const netout_conds[] = { "", FC_NETOUT_CONDS(X) };
static const char *const netout_actions[] = { FC_NETOUT_ACTIONS(X) };
static const char *const fifo_states[] = { "", FC_FIFO_STATES(X) };
static const char *const fifo_conds[] = { "", FC_FIFO_CONDS(X) };
static const char *const fifo_actions[] = { FC_FIFO_ACTIONS(X) };
static const char *const oper_states[] = { "", FC_OPER_STATES(X) };
static const char *const oper_conds[] = { "", FC_OPER_CONDS(X) };
static const char *const oper_actions[] = { FC_OPER_ACTIONS(X) };
const char *const fc_signal_names[FC_SIG_COUNT] = { "", FC_SIGNALS(X) };
#undef X

#define FSM(text, m, low) {							\
	.name = text, .nstates = FC_##m##_COUNT, .nconds = FC_##m##C_COUNT,	\
	.nactions = FC_##m##A_COUNT, .rows = &fc_##low##_table[0][0],		\
	.states = low##_states, .conds = low##_conds, .actions = low##_actions,	\
}

const struct fc_fsm fc_fsms[4] = {
	FSM("net-input", NI, netin),
	FSM("net-output", NO, netout),
	FSM("fifo-buffer", FF, fifo),
	FSM("operator", OP, oper),
};
