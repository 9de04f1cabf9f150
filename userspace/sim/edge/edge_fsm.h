/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two machines of CARE's own simulation as tables: the output of the fifo-buffer (Figure 10) and
 * the net-input (Figure 11; Documentation/design.rst, "Readings of the paper").  The fidelity edge
 * runs on them.
 */
#ifndef FLITCAST_SIM_EDGE_FSM_H
#define FLITCAST_SIM_EDGE_FSM_H

#include "core/care/fsm.h"

/* Figure 11: the states of Table F, and final. */
#define EDGE_IN_STATES(X)			\
	X(FREE,		"free")			\
	X(FIRST,	"first")		\
	X(OPEN,		"open")			\
	X(WAIT,		"wait")			\
	X(DONE,		"done")			\
	X(FINAL,	"final")		\
	X(LAST,		"last")			\
	X(ABORT,	"abort")		\
	X(FIN_ABORT,	"fin-abort")

#define EDGE_IN_CONDS(X)			\
	X(DA,		"DA")			\
	X(S,		"S")			\
	X(C,		"C")			\
	X(W,		"W")			\
	X(O,		"O")			\
	X(ARM,		"ARM")			\
	X(TR,		"TR")			\
	X(WTR,		"WTR")			\
	X(NW,		"NW")

#define EDGE_IN_ACTIONS(X)			\
	X(NONE,		"")			\
	X(SEEK,		"seek")			\
	X(STOP_SEEKING,	"stop seeking")		\
	X(SCHEDULE,	"schedule final")	\
	X(CANCEL,	"cancel final")		\
	X(SEND_TERMS,	"send terminators")	\
	X(ABORT_REMOTE,	"abort remote")		\
	X(ABORT_FINAL,	"abort remote and schedule")	\
	X(TERM_LOCAL,	"terminator to local")

/* Figure 10. */
#define EDGE_FIFO_STATES(X)			\
	X(FREE,		"free")			\
	X(BUSY,		"busy")			\
	X(DONE,		"done")

#define EDGE_FIFO_CONDS(X)			\
	X(F,		"F")			\
	X(W,		"W")			\
	X(O,		"O")			\
	X(DONE,		"DONE")			\
	X(WD,		"WD")			\
	X(OND,		"OND")

#define EDGE_FIFO_ACTIONS(X)			\
	X(NONE,		"")			\
	X(SEND,		"send")			\
	X(LWNOW,	"lwnow")		\
	X(DELAY,	"delay")		\
	X(BUSY,		"busy")			\
	X(TERM,		"term")

enum edge_in_state {
	EDGE_IN_0,
#define X(id, name) EDGE_IN_##id,
	EDGE_IN_STATES(X)
#undef X
	EDGE_IN_COUNT
};

enum edge_in_cond {
	EDGE_INC_NONE,
#define X(id, name) EDGE_INC_##id,
	EDGE_IN_CONDS(X)
#undef X
	EDGE_INC_COUNT
};

enum edge_in_action {
#define X(id, name) EDGE_INA_##id,
	EDGE_IN_ACTIONS(X)
#undef X
	EDGE_INA_COUNT
};

enum edge_fifo_state {
	EDGE_FIFO_0,
#define X(id, name) EDGE_FIFO_##id,
	EDGE_FIFO_STATES(X)
#undef X
	EDGE_FIFO_COUNT
};

enum edge_fifo_cond {
	EDGE_FIFOC_NONE,
#define X(id, name) EDGE_FIFOC_##id,
	EDGE_FIFO_CONDS(X)
#undef X
	EDGE_FIFOC_COUNT
};

enum edge_fifo_action {
#define X(id, name) EDGE_FIFOA_##id,
	EDGE_FIFO_ACTIONS(X)
#undef X
	EDGE_FIFOA_COUNT
};

extern const struct fc_row edge_in_table[EDGE_IN_COUNT][EDGE_INC_COUNT];
extern const struct fc_row edge_fifo_table[EDGE_FIFO_COUNT][EDGE_FIFOC_COUNT];

/* Both machines. */
extern const struct fc_fsm edge_fsms[2];

#endif /* FLITCAST_SIM_EDGE_FSM_H */
