// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of the four machines against a second transcription, cell by cell: the tables must
 * contain nothing beyond the list below.
 */
#include <string.h>

#include "fsm_cells.h"

/* Figures 7, 8 and 9 of CARE, in its words, as interpreted in Documentation. */
static const struct fsm_cell cells[] = {
	{ "net-input", "free",	"DA",	"first",	"hold front",	"wait" },
	{ "net-input", "first",	"S",	"first",	"seek",		"" },
	{ "net-input", "first",	"C",	"open",		"send front",	"open" },
	{ "net-input", "open",	"W",	"wait",		"",		"wait" },
	{ "net-input", "open",	"TR",	"done",		"hold terminator", "" },
	{ "net-input", "open",	"WTR",	"last",		"hold terminator", "wait" },
	{ "net-input", "wait",	"O",	"open",		"",		"open" },
	{ "net-input", "wait",	"TR",	"last",		"hold terminator", "" },
	{ "net-input", "done",	"W",	"last",		"",		"wait" },
	{ "net-input", "done",	"O",	"free",		"send terminators", "free" },
	{ "net-input", "last",	"O",	"done",		"",		"" },
	{ "net-input", "open",	"ARM",	"abort",	"abort remote",	"open" },
	{ "net-input", "wait",	"ARM",	"abort",	"abort remote",	"open" },
	{ "net-input", "done",	"ARM",	"fin-abort",	"abort remote",	"" },
	{ "net-input", "last",	"ARM",	"fin-abort",	"abort remote",	"" },
	{ "net-input", "abort",	"TR",	"fin-abort",	"hold terminator", "wait" },
	{ "net-input", "fin-abort", "O", "free",	"terminator to local", "free" },
	/* Additions: words between front and terminator; events of links that can fail. */
	{ "net-input", "open",	"data",	"open",		"pass",		"" },
	{ "net-input", "abort",	"data",	"abort",	"pass",		"" },
	{ "net-input", "free",	"junk",	"free",		"drop",		"" },
	{ "net-input", "first",	"cut",	"free",		"drop front",	"free" },

	{ "net-output", "free",	"DA",	"first",	"",		"wait" },
	{ "net-output", "first", "F",	"wait",		"send front",	"wait" },
	{ "net-output", "wait",	"FW",	"wait",		"",		"" },
	{ "net-output", "wait",	"O",	"open",		"",		"open" },
	{ "net-output", "wait",	"TR",	"last",		"hold terminator", "" },
	{ "net-output", "open",	"W",	"wait",		"",		"wait" },
	{ "net-output", "open",	"TR",	"done",		"hold terminator", "" },
	{ "net-output", "open",	"WTR",	"last",		"hold terminator", "wait" },
	{ "net-output", "done",	"W",	"last",		"",		"wait" },
	{ "net-output", "done",	"NW",	"free",		"send terminator", "free" },
	{ "net-output", "last",	"NW",	"done",		"",		"" },
	{ "net-output", "first", "AP",	"free",		"",		"free" },
	{ "net-output", "first", "AR",	"first",	"relay abort-request", "" },
	{ "net-output", "wait",	"AR",	"wait",		"relay abort-request", "" },
	{ "net-output", "open",	"AR",	"open",		"relay abort-request", "" },
	{ "net-output", "done",	"AR",	"done",		"",		"" },
	{ "net-output", "last",	"AR",	"last",		"",		"" },

	{ "fifo-buffer", "free", "DNF",	"open",		"",		"open" },
	{ "fifo-buffer", "free", "DF",	"wait",		"",		"wait" },
	{ "fifo-buffer", "open", "F",	"wait",		"",		"wait" },
	{ "fifo-buffer", "open", "TNF",	"done",		"",		"free" },
	{ "fifo-buffer", "open", "TF",	"done-wait",	"",		"wait" },
	{ "fifo-buffer", "wait", "NF",	"open",		"",		"open" },
	{ "fifo-buffer", "wait", "TNF",	"done",		"",		"free" },
	{ "fifo-buffer", "wait", "TF",	"done-wait",	"",		"wait" },
	{ "fifo-buffer", "done-wait", "NF", "done",	"",		"free" },
	{ "fifo-buffer", "done", "TQ",	"free",		"",		"" },

	{ "operator", "old",	"DA",	"filling",	"store",	"open" },
	{ "operator", "filling", "DA",	"filling",	"store",	"" },
	{ "operator", "filling", ":end-of-packet", "old", "serve",	"free" },
	{ "operator", "filling", ":local-end-of-packet", "old", "serve local", "free" },
	{ "operator", "filling", ":abort-packet", "old", "discard",	"free" },
};

TEST(fsm_tables__equal_the_transcription)
{
	fsm_compare(fc_fsms, FC_ARRAY_SIZE(fc_fsms), cells, FC_ARRAY_SIZE(cells));
}

/* Index 0 of states and conditions is unused: the enums begin at 1. */
TEST(fsm_tables__have_no_row_zero)
{
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(fc_fsms); i++) {
		const struct fc_fsm *fsm = &fc_fsms[i];

		for (unsigned int cond = 0; cond < fsm->nconds; cond++)
			CHECK(!fsm->rows[cond].next, "%s", fsm->name);
		for (unsigned int state = 0; state < fsm->nstates; state++)
			CHECK(!fsm->rows[state * fsm->nconds].next, "%s", fsm->name);
	}
}

/* Every state can be reached and left. */
TEST(fsm_tables__are_connected)
{
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(fc_fsms); i++) {
		const struct fc_fsm *fsm = &fc_fsms[i];
		u32 reached = fc_bit(1);
		u32 before;

		do {
			before = reached;
			for (unsigned int s = 1; s < fsm->nstates; s++) {
				for (unsigned int c = 1; c < fsm->nconds; c++) {
					u8 next = fsm->rows[s * fsm->nconds + c].next;

					if (reached & fc_bit(s) && next)
						reached |= fc_bit(next);
				}
			}
		} while (reached != before);
		CHECK(reached == fc_bit(fsm->nstates) - 2, "%s: %x", fsm->name, reached);
		for (unsigned int s = 1; s < fsm->nstates; s++) {
			bool left = false;

			for (unsigned int c = 1; c < fsm->nconds; c++) {
				u8 next = fsm->rows[s * fsm->nconds + c].next;

				left |= next && next != s;
			}
			CHECK(left, "%s never leaves %s", fsm->name, fsm->states[s]);
		}
	}
}

TEST(fsm_names__are_there_and_differ)
{
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(fc_fsms); i++) {
		const struct fc_fsm *fsm = &fc_fsms[i];

		for (unsigned int s = 1; s < fsm->nstates; s++) {
			CHECK(fsm->states[s] && *fsm->states[s], "%s %u", fsm->name, s);
			for (unsigned int j = 1; j < s; j++)
				CHECK(strcmp(fsm->states[s], fsm->states[j]), "%s", fsm->states[s]);
		}
		for (unsigned int c = 1; c < fsm->nconds; c++) {
			CHECK(fsm->conds[c] && *fsm->conds[c], "%s %u", fsm->name, c);
			for (unsigned int j = 1; j < c; j++)
				CHECK(strcmp(fsm->conds[c], fsm->conds[j]), "%s", fsm->conds[c]);
		}
	}
	for (unsigned int s = 1; s < FC_SIG_COUNT; s++)
		CHECK(fc_signal_names[s] && *fc_signal_names[s], "%u", s);
}
