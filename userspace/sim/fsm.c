// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim fsm: the state machines of a site, as the input of dot or as a drawing, in the
 * manner of CARE, Figure 6, from the tables that the kernel and the simulator run.
 */
#include <stdio.h>
#include <string.h>

#include "core/care/fsm.h"
#include "edge/edge_fsm.h"
#include "fsm_main.h"
#include "option.h"
#include "base/pipe.h"

/*
 * State and action names contain only letters, blanks, '-' and ':', so they need no quoting.  A
 * label has its action in a line of its own, so that loops fit beside other edges.
 */
static void put_transition(const struct fc_fsm *fsm, unsigned int state, unsigned int cond,
			   FILE *file)
{
	const struct fc_row *row = &fsm->rows[state * fsm->nconds + cond];
	const char *action = fsm->actions[row->action];
	const char *up = fc_signal_names[row->up];

	if (!row->next)
		return;
	fprintf(file, "\t\"%s\" -> \"%s\" [label=\" %s%s%s%s%s \"];\n", fsm->states[state],
		fsm->states[row->next], fsm->conds[cond], *action ? " /\\n " : "", action,
		*up ? " ^" : "", up);
}

static void put_dot(const void *subject, FILE *file)
{
	const struct fc_fsm *fsm = subject;

	fprintf(file,
		"digraph \"%s\" {\n"
		"\tgraph [rankdir=LR, ranksep=0.3, nodesep=0.35, fontname=\"sans-serif\",\n"
		"\t\tlabelloc=t, label=\"%s\"];\n"
		"\tnode [shape=circle, width=0.9, margin=0.02, style=filled, color=\"#223344\",\n"
		"\t\tfillcolor=\"#eef3fa\", fontname=\"sans-serif\", fontsize=12];\n"
		"\tedge [color=\"#556666\", fontname=\"sans-serif\", fontsize=11];\n",
		fsm->name, fsm->name);
	for (unsigned int s = 1; s < fsm->nstates; s++)
		fprintf(file, "\t\"%s\"%s;\n", fsm->states[s], s == 1 ? " [peripheries=2]" : "");
	for (unsigned int s = 1; s < fsm->nstates; s++)
		for (unsigned int c = 1; c < fsm->nconds; c++)
			put_transition(fsm, s, c, file);
	fprintf(file, "}\n");
}

static const struct {
	const struct fc_fsm *fsms;
	size_t n;
} sets[] = {
	{ fc_fsms, FC_ARRAY_SIZE(fc_fsms) },
	{ edge_fsms, FC_ARRAY_SIZE(edge_fsms) },
};

/* Return: a machine by its number, or NULL beyond the last. */
static const struct fc_fsm *machine(size_t i)
{
	for (size_t s = 0; s < FC_ARRAY_SIZE(sets); i -= sets[s++].n)
		if (i < sets[s].n)
			return &sets[s].fsms[i];
	return NULL;
}

static const struct fc_fsm *find(const char *name)
{
	const struct fc_fsm *fsm;

	for (size_t i = 0; (fsm = machine(i)); i++)
		if (!strcmp(name, fsm->name))
			break;
	return fsm;
}

/* Write the names of the machines, as a list in a sentence. */
static void put_names(char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; machine(i) && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 !i ? "" : machine(i + 1) ? ", " : " and ",
					 machine(i)->name);
}

static int run(const struct option_given *given)
{
	static const char *const dot[] = { "dot", "-Tsvg", NULL };
	const struct fc_fsm *fsm = find(option_text(given, "MACHINE"));
	char names[256];

	if (!fsm) {
		put_names(names, sizeof(names));
		return option_usage("no machine \"%s\"; there are %s",
				    option_text(given, "MACHINE"), names);
	}
	if (option_was_given(given, "svg"))
		return !pipe_run(dot, "graphviz", put_dot, fsm, NULL);
	put_dot(fsm, stdout);
	return 0;
}

static void complete(void)
{
	for (size_t i = 0; machine(i); i++)
		puts(machine(i)->name);
}

static void list_machines(FILE *file)
{
	for (size_t i = 0; machine(i); i++)
		fprintf(file, "%22s%s\n", "", machine(i)->name);
}

static const struct option_entry entries[] = {
	OPTION("MACHINE", NULL, "one of", TEXT, 0, .how = OPTION_PLAIN | OPTION_NEED,
	       .more = list_machines, .complete = complete),
	OPTION("dot", NULL, "for graphviz: an edge for each transition", FLAG, 0, .group = 1,
	       .how = OPTION_NEED),
	OPTION("svg", NULL, "as a drawing, which needs dot", FLAG, 0, .group = 1),
};

const struct option_command fsm_command = {
	.name = "fsm",
	.help = "Print the diagram of a state machine, from the table that the code runs",
	.tail =
		"\n"
		"A transition is labelled CONDITION / ACTION ^SIGNAL: the signal goes upstream.\n"
		"The first state has a double line.\n",
	OPTION_TABLE(entries),
	.run = run,
};
