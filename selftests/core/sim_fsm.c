// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of the simulator's machines against a second transcription, cell by cell.
 */
#include "edge/edge_fsm.h"
#include "fsm_cells.h"

/*
 * Figures 11 and 10 of CARE, as interpreted in Documentation.  Figure 10 has no signals; the
 * actions of Figure 11 are those that the simulator performs.
 */
static const struct fsm_cell edge_cells[] = {
	{ "edge-net-input", "free",	"DA",	"first",	"",		"wait" },
	{ "edge-net-input", "first",	"S",	"first",	"seek",		"" },
	{ "edge-net-input", "first",	"C",	"open",		"stop seeking",	"open" },
	{ "edge-net-input", "open",	"W",	"wait",		"",		"wait" },
	{ "edge-net-input", "open",	"TR",	"done",		"schedule final", "" },
	{ "edge-net-input", "open",	"WTR",	"last",		"",		"wait" },
	{ "edge-net-input", "wait",	"O",	"open",		"",		"open" },
	{ "edge-net-input", "wait",	"TR",	"last",		"",		"" },
	{ "edge-net-input", "done",	"W",	"last",		"cancel final",	"wait" },
	{ "edge-net-input", "done",	"O",	"final",	"",		"" },
	{ "edge-net-input", "final",	"NW",	"free",		"send terminators", "free" },
	{ "edge-net-input", "final",	"W",	"last",		"",		"wait" },
	{ "edge-net-input", "last",	"O",	"done",		"schedule final", "" },
	{ "edge-net-input", "open",	"ARM",	"abort",	"abort remote",	"open" },
	{ "edge-net-input", "wait",	"ARM",	"abort",	"abort remote",	"open" },
	{ "edge-net-input", "done",	"ARM",	"fin-abort",	"abort remote and schedule", "" },
	{ "edge-net-input", "last",	"ARM",	"fin-abort",	"abort remote and schedule", "" },
	{ "edge-net-input", "abort",	"TR",	"fin-abort",	"schedule final", "wait" },
	{ "edge-net-input", "fin-abort", "O",	"free",		"terminator to local", "free" },

	{ "edge-fifo-buffer", "free",	"F",	"busy",		"send",		"" },
	{ "edge-fifo-buffer", "busy",	"W",	"busy",		"lwnow",	"" },
	{ "edge-fifo-buffer", "busy",	"O",	"busy",		"delay",	"" },
	{ "edge-fifo-buffer", "busy",	"DONE",	"done",		"",		"" },
	{ "edge-fifo-buffer", "done",	"WD",	"busy",		"busy",		"" },
	{ "edge-fifo-buffer", "done",	"OND",	"free",		"term",		"" },
};

TEST(sim_fsm__edge_equals_the_transcription)
{
	fsm_compare(edge_fsms, FC_ARRAY_SIZE(edge_fsms), edge_cells, FC_ARRAY_SIZE(edge_cells));
}
