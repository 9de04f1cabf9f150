/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state machines of a site as tables, in the form of the diagrams of CARE, Figures 7, 8 and 9
 * (Documentation/design.rst, "Readings of the paper").
 *
 * A cell has the next state, the action and the signal sent upstream.  An empty cell (next 0)
 * stands for a transition that the paper does not have.
 */
#ifndef FC_CORE_CARE_FSM_H
#define FC_CORE_CARE_FSM_H

#include "core/base.h"

/* Flow-control signals (Table B). */
#define FC_SIGNALS(X)				\
	X(FREE,		"free")			\
	X(OPEN,		"open")			\
	X(WAIT,		"wait")			\
	X(ABORT_REQ,	"abort-request")

enum fc_signal {
	FC_SIG_NONE,
#define X(id, name) FC_SIG_##id,
	FC_SIGNALS(X)
#undef X
	FC_SIG_COUNT
};

/* Net-input (Table F, Figure 8). */
#define FC_NETIN_STATES(X)			\
	X(FREE,		"free")			\
	X(FIRST,	"first")		\
	X(OPEN,		"open")			\
	X(WAIT,		"wait")			\
	X(DONE,		"done")			\
	X(LAST,		"last")			\
	X(ABORT,	"abort")		\
	X(FIN_ABORT,	"fin-abort")

/* The paper lacks the last three: a word to pass on, one of no packet, a packet cut by a reset. */
#define FC_NETIN_CONDS(X)			\
	X(DA,		"DA")			\
	X(S,		"S")			\
	X(C,		"C")			\
	X(W,		"W")			\
	X(O,		"O")			\
	X(ARM,		"ARM")			\
	X(TR,		"TR")			\
	X(WTR,		"WTR")			\
	X(DATA,		"data")			\
	X(JUNK,		"junk")			\
	X(CUT,		"cut")

#define FC_NETIN_ACTIONS(X)			\
	X(NONE,		"")			\
	X(HOLD_FRONT,	"hold front")		\
	X(SEEK,		"seek")			\
	X(SEND_FRONT,	"send front")		\
	X(PASS,		"pass")			\
	X(HOLD_TERM,	"hold terminator")	\
	X(SEND_TERMS,	"send terminators")	\
	X(ABORT_REMOTE,	"abort remote")		\
	X(TERM_LOCAL,	"terminator to local")	\
	X(DROP,		"drop")			\
	X(DROP_FRONT,	"drop front")

/* Net-output (Table H, Figure 9). */
#define FC_NETOUT_STATES(X)			\
	X(FREE,		"free")			\
	X(FIRST,	"first")		\
	X(OPEN,		"open")			\
	X(WAIT,		"wait")			\
	X(DONE,		"done")			\
	X(LAST,		"last")

#define FC_NETOUT_CONDS(X)			\
	X(DA,		"DA")			\
	X(F,		"F")			\
	X(FW,		"FW")			\
	X(W,		"W")			\
	X(O,		"O")			\
	X(AR,		"AR")			\
	X(TR,		"TR")			\
	X(WTR,		"WTR")			\
	X(AP,		"AP")			\
	X(NW,		"NW")

#define FC_NETOUT_ACTIONS(X)			\
	X(NONE,		"")			\
	X(SEND_FRONT,	"send front")		\
	X(HOLD_TERM,	"hold terminator")	\
	X(SEND_TERM,	"send terminator")	\
	X(RELAY_AR,	"relay abort-request")

/* Fifo-buffer, input side (Table E, Figure 7). */
#define FC_FIFO_STATES(X)			\
	X(FREE,		"free")			\
	X(OPEN,		"open")			\
	X(WAIT,		"wait")			\
	X(DONE,		"done")			\
	X(DONE_WAIT,	"done-wait")

#define FC_FIFO_CONDS(X)			\
	X(DNF,		"DNF")			\
	X(DF,		"DF")			\
	X(F,		"F")			\
	X(NF,		"NF")			\
	X(TNF,		"TNF")			\
	X(TF,		"TF")			\
	X(TQ,		"TQ")

#define FC_FIFO_ACTIONS(X)			\
	X(NONE,		"")

/* Operator, receiving side (section 4.3.2). */
#define FC_OPER_STATES(X)			\
	X(OLD,		"old")			\
	X(FILLING,	"filling")

#define FC_OPER_CONDS(X)			\
	X(DA,		"DA")			\
	X(EOP,		":end-of-packet")	\
	X(LEOP,		":local-end-of-packet")	\
	X(AP,		":abort-packet")

#define FC_OPER_ACTIONS(X)			\
	X(NONE,		"")			\
	X(STORE,	"store")		\
	X(SERVE,	"serve")		\
	X(SERVE_LOCAL,	"serve local")		\
	X(DISCARD,	"discard")

enum fc_netin_state {
	FC_NI_0,
#define X(id, name) FC_NI_##id,
	FC_NETIN_STATES(X)
#undef X
	FC_NI_COUNT
};

enum fc_netin_cond {
	FC_NIC_NONE,
#define X(id, name) FC_NIC_##id,
	FC_NETIN_CONDS(X)
#undef X
	FC_NIC_COUNT
};

enum fc_netin_action {
#define X(id, name) FC_NIA_##id,
	FC_NETIN_ACTIONS(X)
#undef X
	FC_NIA_COUNT
};

enum fc_netout_state {
	FC_NO_0,
#define X(id, name) FC_NO_##id,
	FC_NETOUT_STATES(X)
#undef X
	FC_NO_COUNT
};

enum fc_netout_cond {
	FC_NOC_NONE,
#define X(id, name) FC_NOC_##id,
	FC_NETOUT_CONDS(X)
#undef X
	FC_NOC_COUNT
};

enum fc_netout_action {
#define X(id, name) FC_NOA_##id,
	FC_NETOUT_ACTIONS(X)
#undef X
	FC_NOA_COUNT
};

enum fc_fifo_state {
	FC_FF_0,
#define X(id, name) FC_FF_##id,
	FC_FIFO_STATES(X)
#undef X
	FC_FF_COUNT
};

enum fc_fifo_cond {
	FC_FFC_NONE,
#define X(id, name) FC_FFC_##id,
	FC_FIFO_CONDS(X)
#undef X
	FC_FFC_COUNT
};

enum fc_fifo_action {
#define X(id, name) FC_FFA_##id,
	FC_FIFO_ACTIONS(X)
#undef X
	FC_FFA_COUNT
};

enum fc_oper_state {
	FC_OP_0,
#define X(id, name) FC_OP_##id,
	FC_OPER_STATES(X)
#undef X
	FC_OP_COUNT
};

enum fc_oper_cond {
	FC_OPC_NONE,
#define X(id, name) FC_OPC_##id,
	FC_OPER_CONDS(X)
#undef X
	FC_OPC_COUNT
};

enum fc_oper_action {
#define X(id, name) FC_OPA_##id,
	FC_OPER_ACTIONS(X)
#undef X
	FC_OPA_COUNT
};

/**
 * struct fc_row - one cell of a table
 * @next: next state; 0: no such transition
 * @action: action, by enum fc_netin_action and the like
 * @up: signal sent upstream, enum fc_signal
 */
struct fc_row {
	u8 next;
	u8 action;
	u8 up;
};

/**
 * struct fc_fsm - a machine as data, for printing and for tests
 * @name: name of the machine
 * @nstates: states are 1 .. nstates - 1
 * @nconds: conditions are 1 .. nconds - 1
 * @nactions: actions are 0 .. nactions - 1
 * @rows: nstates times nconds cells
 * @states: names of the states
 * @conds: names of the conditions
 * @actions: names of the actions
 */
struct fc_fsm {
	const char *name;
	u8 nstates;
	u8 nconds;
	u8 nactions;
	const struct fc_row *rows;
	const char *const *states;
	const char *const *conds;
	const char *const *actions;
};

extern const struct fc_row fc_netin_table[FC_NI_COUNT][FC_NIC_COUNT];
extern const struct fc_row fc_netout_table[FC_NO_COUNT][FC_NOC_COUNT];
extern const struct fc_row fc_fifo_table[FC_FF_COUNT][FC_FFC_COUNT];
extern const struct fc_row fc_oper_table[FC_OP_COUNT][FC_OPC_COUNT];

/* The four machines. */
extern const struct fc_fsm fc_fsms[4];
/* Names of the signals, by enum fc_signal. */
extern const char *const fc_signal_names[FC_SIG_COUNT];

#endif /* FC_CORE_CARE_FSM_H */
