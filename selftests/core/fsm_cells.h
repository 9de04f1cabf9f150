/* SPDX-License-Identifier: GPL-2.0 */
/* Comparison of machines as tables with a transcription of their diagrams, cell by cell. */
#ifndef SELFTESTS_CORE_FSM_CELLS_H
#define SELFTESTS_CORE_FSM_CELLS_H

#include <string.h>

#include "core/care/fsm.h"
#include "tap.h"

/* A transition, in the words of the paper. */
struct fsm_cell {
	const char *machine;
	const char *state;
	const char *cond;
	const char *next;
	const char *action;
	const char *up;
};

static inline const struct fsm_cell *fsm_find(const struct fsm_cell *cells, size_t ncells,
					      const char *machine, const char *state,
					      const char *cond)
{
	for (size_t i = 0; i < ncells; i++)
		if (!strcmp(cells[i].machine, machine) && !strcmp(cells[i].state, state) &&
		    !strcmp(cells[i].cond, cond))
			return &cells[i];
	return NULL;
}

/* Return: true if the transcription has the cell. */
static inline bool fsm_check_cell(const struct fc_fsm *fsm, unsigned int state, unsigned int cond,
				  const struct fsm_cell *cell)
{
	const struct fc_row *row = &fsm->rows[state * fsm->nconds + cond];

	if (!cell) {
		CHECK(!row->next && !row->action && !row->up, "%s %s -%s->: a row too many",
		      fsm->name, fsm->states[state], fsm->conds[cond]);
		return false;
	}
	if (!CHECK(row->next && row->next < fsm->nstates && row->action < fsm->nactions &&
		   row->up < FC_SIG_COUNT, "%s %s -%s->", fsm->name, cell->state, cell->cond))
		return true;
	CHECK(!strcmp(fsm->states[row->next], cell->next), "%s %s -%s-> %s, not %s", fsm->name,
	      cell->state, cell->cond, fsm->states[row->next], cell->next);
	CHECK(!strcmp(fsm->actions[row->action], cell->action), "%s %s -%s->: %s, not %s",
	      fsm->name, cell->state, cell->cond, fsm->actions[row->action], cell->action);
	CHECK(!strcmp(fc_signal_names[row->up], cell->up), "%s %s -%s->: says %s, not %s",
	      fsm->name, cell->state, cell->cond, fc_signal_names[row->up], cell->up);
	return true;
}

/* The machines have the transitions of the transcription, and no others. */
static inline void fsm_compare(const struct fc_fsm *fsms, size_t nfsms,
			       const struct fsm_cell *cells, size_t ncells)
{
	size_t matched = 0;

	for (const struct fc_fsm *fsm = fsms; fsm < fsms + nfsms; fsm++)
		for (unsigned int state = 1; state < fsm->nstates; state++)
			for (unsigned int cond = 1; cond < fsm->nconds; cond++)
				matched += fsm_check_cell(fsm, state, cond,
							  fsm_find(cells, ncells, fsm->name,
								   fsm->states[state],
								   fsm->conds[cond]));
	CHECK(matched == ncells, "%zu of %zu", matched, ncells);
}

#endif /* SELFTESTS_CORE_FSM_CELLS_H */
