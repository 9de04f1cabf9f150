// SPDX-License-Identifier: GPL-2.0
/*
 * Linked with a test program, changes one cell of the state machines' tables before the program
 * begins; the environment variable FC_MUTATE selects it:
 *
 *	list				print every mutant and exit
 *	fired				at the end, print the rows that fired
 *	MACHINE STATE COND next=STATE	the cell leads to another state
 *	MACHINE STATE COND action=NAME	does something else
 *	MACHINE STATE COND removed	is not there
 *	every state cond up=+N		every row sends another signal
 *
 * The program ends with its first failed check, or when an event fires rows without end.  See
 * selftests/core/mutate.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/care/fsm.h"
#include "core/care/care.h"

/* Bound on the rows that one event fires; a hundred times the usual number. */
#define LIVELOCK	100000
#define NAME_MAX	128

static bool fired[FC_ARRAY_SIZE(fc_fsms)][16][16];
static void (*inner)(const struct fc_site *site, unsigned int machine, unsigned int state,
		     unsigned int cond);
static u32 budget;
static const char *wanted;
static bool found;

static void end(const char *why)
{
	printf("# %s\n", why);
	fflush(NULL);
	_exit(1);
}

static void count(const struct fc_site *site, unsigned int machine, unsigned int state,
		  unsigned int cond)
{
	fired[machine][state][cond] = true;
	if (!budget--)
		end("an event never ends");
	if (inner)
		inner(site, machine, state, cond);
}

/* The linker substitutes these for the functions that they are named after. */
bool __real_fc_site_event(struct fc_site *site, const struct fc_event *ev,
			  struct fc_effects *fx);
bool __wrap_fc_site_event(struct fc_site *site, const struct fc_event *ev,
			  struct fc_effects *fx);
void __wrap_tap_complain(const char *file, int line, const char *fmt, ...);

bool __wrap_fc_site_event(struct fc_site *site, const struct fc_event *ev,
			  struct fc_effects *fx)
{
	if (site->fired != count) {
		inner = site->fired;
		site->fired = count;
	}
	budget = LIVELOCK;
	return __real_fc_site_event(site, ev, fx);
}

void __wrap_tap_complain(const char *file, int line, const char *fmt, ...)
{
	end(fmt);
}

/* Write to a table, which is in read-only memory. */
static void change(const struct fc_row *cell, struct fc_row to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)cell & ~(page - 1);

	if (mprotect((void *)begin, (uintptr_t)(cell + 1) - begin, PROT_READ | PROT_WRITE)) {
		perror("mprotect");
		exit(2);
	}
	*(struct fc_row *)(uintptr_t)cell = to;
}

static void put_name(char *name, size_t size, const char *text)
{
	size_t n = strlen(name);

	snprintf(name + n, size - n, "%s", *text ? text : "none");
	for (; name[n]; n++)
		if (name[n] == ' ')
			name[n] = '-';
}

static void one(const struct fc_fsm *fsm, unsigned int s, unsigned int c, const char *field,
		const char *value, struct fc_row to)
{
	char name[NAME_MAX] = "";

	put_name(name, sizeof(name), fsm->name);
	strcat(name, " ");
	put_name(name, sizeof(name), fsm->states[s]);
	strcat(name, " ");
	put_name(name, sizeof(name), fsm->conds[c]);
	strcat(name, " ");
	strcat(name, field);
	if (value)
		put_name(name, sizeof(name), value);
	if (!wanted) {
		puts(name);
	} else if (!strcmp(wanted, name)) {
		found = true;
		change(&fsm->rows[s * fsm->nconds + c], to);
	}
}

static void cell(const struct fc_fsm *fsm, unsigned int s, unsigned int c)
{
	const struct fc_row row = fsm->rows[s * fsm->nconds + c], none = { 0 };
	struct fc_row to;

	if (!row.next)
		return;
	for (u8 i = 1; i < fsm->nstates; i++) {
		to = row;
		to.next = i;
		if (i != row.next)
			one(fsm, s, c, "next=", fsm->states[i], to);
	}
	for (u8 i = 0; i < fsm->nactions; i++) {
		to = row;
		to.action = i;
		if (i != row.action)
			one(fsm, s, c, "action=", fsm->actions[i], to);
	}
	one(fsm, s, c, "removed", NULL, none);
}

static void signals(unsigned int by)
{
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(fc_fsms); i++) {
		for (unsigned int j = 0; j < fc_fsms[i].nstates * fc_fsms[i].nconds; j++) {
			struct fc_row to = fc_fsms[i].rows[j];

			if (!to.next)
				continue;
			to.up = (u8)((to.up + by) % FC_SIG_COUNT);
			change(&fc_fsms[i].rows[j], to);
		}
	}
}

static void all(void)
{
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(fc_fsms); i++)
		for (unsigned int s = 1; s < fc_fsms[i].nstates; s++)
			for (unsigned int c = 1; c < fc_fsms[i].nconds; c++)
				cell(&fc_fsms[i], s, c);
	for (unsigned int by = 1; by < FC_SIG_COUNT; by++) {
		char name[NAME_MAX];

		snprintf(name, sizeof(name), "every state cond up=+%u", by);
		if (!wanted) {
			puts(name);
		} else if (!strcmp(wanted, name)) {
			found = true;
			signals(by);
		}
	}
}

static void print_fired(void)
{
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(fc_fsms); i++)
		for (unsigned int s = 1; s < fc_fsms[i].nstates; s++)
			for (unsigned int c = 1; c < fc_fsms[i].nconds; c++)
				if (fired[i][s][c])
					printf("fired %s %s %s\n", fc_fsms[i].name,
					       fc_fsms[i].states[s], fc_fsms[i].conds[c]);
}

static void __attribute__((constructor)) mutate(void)
{
	wanted = getenv("FC_MUTATE");
	if (!wanted)
		return;
	if (!strcmp(wanted, "fired")) {
		atexit(print_fired);
		return;
	}
	if (!strcmp(wanted, "list")) {
		wanted = NULL;
		all();
		exit(0);
	}
	all();
	if (!found) {
		fprintf(stderr, "mutate: there is no mutant '%s'\n", wanted);
		exit(2);
	}
}
