// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim fsm: the state machines of a site, as the input of dot or as a drawing, in the
 * manner of CARE, Figure 6, from the tables that the kernel runs.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "fsm.h"
#include "fsm_main.h"
#include "option.h"
#include "pipe.h"
#include "util.h"

static void list_machines(FILE *file)
{
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(fc_fsms); i++)
		fprintf(file, "%s%s", i ? ", " : "", fc_fsms[i].name);
	fprintf(file, "\n");
}

static void usage(FILE *file)
{
	fprintf(file,
		"usage: flitcast-sim fsm MACHINE { --dot | --svg }\n"
		"Print the diagram of a state machine, from the table that the kernel runs.\n"
		"\n"
		"  --dot   for graphviz: an edge for each transition\n"
		"  --svg   as a drawing, made by dot of graphviz\n"
		"\n"
		"A transition is labelled CONDITION / ACTION ^SIGNAL: the signal goes upstream.\n"
		"The first state has a double line.\n"
		"Machines: ");
	list_machines(file);
}

/*
 * The names are ours: letters, blanks, '-' and ':', nothing to be quoted.  A label has its action
 * in a line of its own, so that loops have room beside other edges.
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

static const struct fc_fsm *find(const char *name)
{
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(fc_fsms); i++)
		if (!strcmp(name, fc_fsms[i].name))
			return &fc_fsms[i];
	return NULL;
}

int fsm_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "dot", no_argument, NULL, 'd' },
		{ "svg", no_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	static const char *const dot[] = { "dot", "-Tsvg", NULL };
	const struct fc_fsm *fsm;
	int option, form = 0;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return option_wrong(argc, argv, option);
		if (option == 'h') {
			usage(stdout);
			return 0;
		}
		if (form && form != option)
			return option_usage(argv[0], "two forms: give --dot or --svg", NULL);
		form = option;
	}
	if (optind == argc) {
		fprintf(stderr, "flitcast-sim: fsm: no machine is given; there are: ");
		list_machines(stderr);
		return 2;
	}
	fsm = find(argv[optind]);
	if (!fsm) {
		fprintf(stderr, "flitcast-sim: fsm: no machine \"%s\"; there are: ", argv[optind]);
		list_machines(stderr);
		return 2;
	}
	if (optind + 1 < argc)
		return option_usage(argv[0], "unexpected argument", argv[optind + 1]);
	if (!form)
		return option_usage(argv[0], "no form: give --dot or --svg", NULL);
	if (form == 's')
		return !pipe_run(dot, "graphviz", put_dot, fsm, NULL);
	put_dot(fsm, stdout);
	if (fflush(stdout) || ferror(stdout))
		die("cannot write: %s", strerror(errno));
	return 0;
}
