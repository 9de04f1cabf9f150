// SPDX-License-Identifier: GPL-2.0
/*
 * The explorer: every state that a small network of the shipping core can reach, breadth first,
 * whatever is delayed, lost or timed out.  world.h defines the events.
 *
 *	explore [OPTION]... [SCENARIO]...
 *
 * A scenario passes if no event violates an invariant (world_apply()), if every state before full
 * delivery has a possible event, and if from every state a state is reachable in which all packets
 * are delivered and none is in flight.  The explorer prints the first bad state and the shortest
 * trace to it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "explore/replay.h"
#include "unreachable.h"
#include "base/util.h"

#define NONE	0xffffffffu

/* A state: its predecessor, and the location of its bytes. */
struct state {
	u64 code;
	u32 parent;
	u16 event;
	u16 size;
};

/* All states found; number 0 is the initial state. */
static struct {
	struct state *state;
	u32 n, room;
	u8 *code;
	u64 used, code_room;
	u32 *slot;		/* hash table */
	u32 slots;
	u32 *edge;		/* successors, grouped by state */
	u64 nedges, edge_room;
	u64 *first;		/* index of the first successor of each state */
	u8 *done;
	u32 ndone;
} g;

static u64 limit = ~(u64)0;
static u64 rows[FC_ARRAY_SIZE(fc_fsms)][16][16];
static unsigned int tests, failures;

static void fired(unsigned int machine, unsigned int state, unsigned int cond)
{
	rows[machine][state][cond]++;
}

static u64 hash(const u8 *p, unsigned int n)
{
	u64 h = 0xcbf29ce484222325ull;

	while (n >= 8) {
		u64 word;

		memcpy(&word, p, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
		p += 8;
		n -= 8;
	}
	while (n--)
		h = (h ^ *p++) * 0x100000001b3ull;
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

static void grow(void)
{
	u32 slots = g.slots ? 2 * g.slots : 1 << 16;

	free(g.slot);
	g.slot = xcalloc(slots, sizeof(*g.slot));
	memset(g.slot, 0xff, slots * sizeof(*g.slot));
	g.slots = slots;
	for (u32 i = 0; i < g.n; i++) {
		u64 at = hash(g.code + g.state[i].code, g.state[i].size) & (slots - 1);

		while (g.slot[at] != NONE)
			at = (at + 1) & (slots - 1);
		g.slot[at] = i;
	}
}

/* Return: the number of the current state; a new state gets a new number. */
static u32 intern(u32 parent, u16 event)
{
	u8 code[WORLD_CODE];
	unsigned int size = world_save(code);
	u64 at;

	if (4 * (u64)(g.n + 1) > 3 * (u64)g.slots)
		grow();
	for (at = hash(code, size) & (g.slots - 1); g.slot[at] != NONE;
	     at = (at + 1) & (g.slots - 1)) {
		const struct state *s = &g.state[g.slot[at]];

		if (s->size == size && !memcmp(g.code + s->code, code, size))
			return g.slot[at];
	}
	if (g.n == g.room) {
		g.room = g.room ? g.room + g.room / 2 : 1 << 16;
		g.state = xrealloc(g.state, g.room * sizeof(*g.state));
		g.first = xrealloc(g.first, (g.room + 1ull) * sizeof(*g.first));
		g.done = xrealloc(g.done, g.room);
	}
	/* world_load() may read beyond the last state. */
	if (g.used + WORLD_CODE > g.code_room) {
		g.code_room = g.code_room ? g.code_room + g.code_room / 2 : 1 << 22;
		g.code = xrealloc(g.code, g.code_room);
	}
	memcpy(g.code + g.used, code, size);
	g.state[g.n] = (struct state){
		.code = g.used, .parent = parent, .event = event, .size = (u16)size,
	};
	g.used += size;
	g.done[g.n] = world_done();
	g.ndone += g.done[g.n];
	g.slot[at] = g.n;
	return g.n++;
}

static void edge(u32 to)
{
	if (g.nedges == g.edge_room) {
		g.edge_room = g.edge_room ? g.edge_room + g.edge_room / 2 : 1 << 18;
		g.edge = xrealloc(g.edge, g.edge_room * sizeof(*g.edge));
	}
	g.edge[g.nedges++] = to;
}

static void forget(void)
{
	free(g.state);
	free(g.code);
	free(g.slot);
	free(g.edge);
	free(g.first);
	free(g.done);
	memset(&g, 0, sizeof(g));
}

/*
 * Traces.
 */

static void print_line(const char *text)
{
	printf("#     %s\n", text);
}

static void print_trace(const struct world_config *config, const char *scenario, u32 state,
			u16 last)
{
	unsigned int n = last ? 1 : 0, i;
	u16 *events;

	for (u32 s = state; s; s = g.state[s].parent)
		n++;
	events = xcalloc(n, sizeof(*events));
	i = n;
	if (last)
		events[--i] = last;
	for (u32 s = state; s; s = g.state[s].parent)
		events[--i] = g.state[s].event;
	replay_events(config, events, n, "# ");
	printf("# again: flitcast-sim replay '%s' ", scenario);
	for (i = 0; i < n; i++)
		printf("%s%u", i ? "," : "", events[i]);
	printf("\n");
	free(events);
}

/*
 * Exploring.
 */

/* Mark the states from which a done one is reachable.  Return: an unmarked one, or NONE. */
static u32 cannot_be_done(void)
{
	u64 *first = xcalloc(g.n + 1ull, sizeof(*first));
	u32 *from = xcalloc(g.nedges, sizeof(*from));
	u32 *todo = xcalloc(g.n, sizeof(*todo));
	u32 ntodo = 0, lost = NONE;

	for (u64 e = 0; e < g.nedges; e++)
		first[g.edge[e]]++;
	for (u32 s = 0, sum = 0; s <= g.n; s++) {
		u64 count = s < g.n ? first[s] : 0;

		first[s] = s ? first[s - 1] + sum : 0;
		sum = (u32)count;
	}
	for (u32 s = 0; s < g.n; s++)
		for (u64 e = g.first[s]; e < g.first[s + 1]; e++)
			from[first[g.edge[e]]++] = s;
	/* first[s] is now the end of s's predecessors, and first[s - 1] their beginning. */
	for (u32 s = 0; s < g.n; s++)
		if (g.done[s])
			todo[ntodo++] = s;
	while (ntodo) {
		u32 s = todo[--ntodo];

		for (u64 e = s ? first[s - 1] : 0; e < first[s]; e++) {
			if (g.done[from[e]])
				continue;
			g.done[from[e]] = 1;
			todo[ntodo++] = from[e];
		}
	}
	for (u32 s = 0; s < g.n && lost == NONE; s++)
		if (!g.done[s])
			lost = s;
	free(first);
	free(from);
	free(todo);
	return lost;
}

/* Return: NULL, or the error, which has been printed with its trace. */
static const char *explore(const struct world_config *config, const char *scenario, bool *cut)
{
	u16 event[WORLD_EVENTS];
	const char *broken;
	u32 lost;

	world_init(config);
	intern(0, 0);
	*cut = false;
	for (u32 s = 0; s < g.n; s++) {
		unsigned int n;

		world_load(g.code + g.state[s].code);
		n = world_events(event);
		g.first[s] = g.nedges;
		if (!n && !g.done[s]) {
			printf("# %s: nothing can happen any more\n", scenario);
			print_trace(config, scenario, s, 0);
			return "deadlock";
		}
		for (unsigned int i = 0; i < n; i++) {
			if (i)
				world_load(g.code + g.state[s].code);
			broken = world_apply(event[i]);
			if (broken) {
				printf("# %s: %s\n", scenario, broken);
				print_trace(config, scenario, s, event[i]);
				return broken;
			}
			edge(intern(s, event[i]));
		}
		if (g.n > limit) {
			*cut = true;
			return NULL;
		}
	}
	g.first[g.n] = g.nedges;
	lost = cannot_be_done();
	if (lost == NONE)
		return NULL;
	printf("# %s: no end can be reached from here\n", scenario);
	print_trace(config, scenario, lost, 0);
	return "no end can be reached";
}

static bool is_timer(u16 event)
{
	enum world_kind kind = world_kind_of(event);

	return kind >= WORLD_SEEK && kind < WORLD_READ;
}

/* Choose an event at random; timers are less likely, or few packets would arrive. */
static u16 pick(u16 *event, unsigned int n, u64 *rng)
{
	unsigned int quick = 0;

	for (unsigned int i = 0; i < n; i++) {
		u16 e = event[i];

		if (is_timer(e))
			continue;
		event[i] = event[quick];
		event[quick++] = e;
	}
	if (quick && fc_random(rng) % 8)
		n = quick;
	return event[fc_random(rng) % n];
}

/* Random traces, in networks that are too large to explore completely. */
static const char *walk(const struct world_config *config, const char *scenario, unsigned int n)
{
	static u16 path[20000];
	u64 rng = 1;

	for (unsigned int i = 0; i < n; i++) {
		unsigned int steps = 0;
		const char *broken = NULL;

		world_init(config);
		while (!world_done() && !broken) {
			u16 event[WORLD_EVENTS];
			unsigned int nevents = world_events(event);

			if (!nevents)
				broken = "nothing can happen any more";
			else if (steps == FC_ARRAY_SIZE(path))
				broken = "a walk of 20000 steps did not come to an end";
			if (broken)
				break;
			path[steps] = pick(event, nevents, &rng);
			broken = world_apply(path[steps++]);
		}
		g.nedges += steps;
		if (!broken)
			continue;
		printf("# %s: %s\n", scenario, broken);
		world_print(print_line);
		return broken;
	}
	return NULL;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Run one scenario.  @fails: part of the expected error, or NULL. */
static void test(const char *scenario, const char *fails, unsigned int walks)
{
	struct world_config config;
	const char *broken = world_parse(&config, scenario);
	double begun = seconds();
	bool cut = false, ok;

	if (broken) {
		fprintf(stderr, "explore: %s: %s\n", scenario, broken);
		exit(1);
	}
	broken = walks ? walk(&config, scenario, walks) : explore(&config, scenario, &cut);
	ok = fails ? broken && strstr(broken, fails) : !broken && !cut;
	failures += !ok;
	printf("%sok %u - %s%s%s\n", ok ? "" : "not ", ++tests, scenario,
	       fails ? " fails: " : "", fails ? fails : "");
	if (cut)
		printf("# more than %llu states\n", (unsigned long long)limit);
	if (walks)
		printf("# %u walks, %llu events, %.1f s\n", walks, (unsigned long long)g.nedges,
		       seconds() - begun);
	else
		printf("# %u states, %llu transitions, %u ends, %llu bytes a state, %.1f s\n",
		       g.n, (unsigned long long)g.nedges, g.ndone,
		       (unsigned long long)(g.n ? g.used / g.n : 0), seconds() - begun);
	fflush(stdout);
	forget();
}

static void trim(char *line)
{
	size_t n;

	line[strcspn(line, "#\n")] = 0;
	for (n = strlen(line); n && (line[n - 1] == ' ' || line[n - 1] == '\t'); n--)
		line[n - 1] = 0;
}

/*
 * Read a file with a scenario per line; # begins a comment.  "fails TEXT: " before a scenario means
 * that it must fail with TEXT; "walk N: " requests random traces.
 */
static void read_file(const char *name)
{
	FILE *file = fopen(name, "r");
	char line[512];

	if (!file) {
		fprintf(stderr, "explore: %s: %s\n", name, strerror(errno));
		exit(1);
	}
	while (fgets(line, sizeof(line), file)) {
		char *p = line, *colon, *fails = NULL;
		unsigned int walks = 0;

		trim(line);
		while ((colon = strstr(p, ": "))) {
			*colon = 0;
			if (!strncmp(p, "fails ", 6)) {
				fails = p + 6;
			} else if (!strncmp(p, "walk ", 5) && atoi(p + 5) > 0) {
				walks = (unsigned int)atoi(p + 5);
			} else {
				fprintf(stderr, "explore: %s: what is \"%s\"?\n", name, p);
				exit(1);
			}
			p = colon + 2;
		}
		if (*p)
			test(p, fails, walks);
	}
	fclose(file);
}

/* Check that every row fired, except those that cannot. */
static void check_rows(void)
{
	bool ok = true;

	for (unsigned int m = 0; m < FC_ARRAY_SIZE(fc_fsms); m++) {
		const struct fc_fsm *fsm = &fc_fsms[m];

		for (unsigned int s = 1; s < fsm->nstates; s++) {
			for (unsigned int c = 1; c < fsm->nconds; c++) {
				const char *why = forged_row(m, s, c) ? "forged" :
						  unreachable_row(m, s, c);

				if (!fsm->rows[s * fsm->nconds + c].next || !why == !!rows[m][s][c])
					continue;
				ok = false;
				printf("# %s %s -%s-> %s\n", fsm->name, fsm->states[s],
				       fsm->conds[c], why ? "fired" : "never fired");
			}
		}
	}
	failures += !ok;
	printf("%sok %u - every row fires but the unreachable ones\n", ok ? "" : "not ", ++tests);
}

static void usage(FILE *file)
{
	fprintf(file,
		"usage: explore [OPTION]... [SCENARIO]...\n\n"
		"  --file FILE   scenarios, one a line\n"
		"  --limit N     give up beyond so many states of a scenario\n"
		"  --walk N      N random walks instead of all states\n"
		"  --rows        at the end: did every row of the tables fire?\n");
}

int main(int argc, char **argv)
{
	bool check = false;
	unsigned int walks = 0;

	world_fired = fired;
	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(arg, "--help")) {
			usage(stdout);
			return 0;
		} else if (!strcmp(arg, "--rows")) {
			check = true;
		} else if (arg[0] != '-') {
			test(arg, NULL, walks);
		} else if (!value) {
			usage(stderr);
			return 2;
		} else if (!strcmp(arg, "--file")) {
			read_file(value);
			i++;
		} else if (!strcmp(arg, "--limit")) {
			limit = strtoull(value, NULL, 10);
			i++;
		} else if (!strcmp(arg, "--walk")) {
			walks = (unsigned int)strtoul(value, NULL, 10);
			i++;
		} else {
			usage(stderr);
			return 2;
		}
	}
	if (check)
		check_rows();
	if (!tests) {
		usage(stderr);
		return 2;
	}
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
