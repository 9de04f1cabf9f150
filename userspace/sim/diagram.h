/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State diagrams in the manner of CARE, Figure 6, from the tables that the
 * kernel runs.
 */
#ifndef FLITCAST_SIM_DIAGRAM_H
#define FLITCAST_SIM_DIAGRAM_H

#include <stdio.h>

#include "fsm.h"

/* A transition as text: "condition / action ^signal". */
#define DIAGRAM_LABEL_MAX	80

/**
 * diagram_label() - what is written beside a transition
 * @fsm: machine
 * @state: where it begins
 * @cond: condition
 * @label: result
 *
 * Return: false if the table has no such transition.
 */
bool diagram_label(const struct fc_fsm *fsm, unsigned int state, unsigned int cond,
		   char label[DIAGRAM_LABEL_MAX]);

/**
 * diagram_svg() - a drawing that needs no other tool
 * @fsm: machine
 * @file: where to
 */
void diagram_svg(const struct fc_fsm *fsm, FILE *file);

#endif /* FLITCAST_SIM_DIAGRAM_H */
