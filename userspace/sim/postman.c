// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim postman: the mad postman of the paper, bit by bit.
 */
#include <stdio.h>
#include <string.h>

#include "option.h"
#include "output.h"
#include "postman.h"
#include "postman_finding.h"
#include "postman_traffic.h"

struct command {
	struct postman_model model;
	struct postman_traffic traffic;
	u64 size;
	u64 flit;
	u64 data;
	u64 each;
	u64 seed;
	u64 draws;
	const char *svg;
	bool has_from;
	bool has_to;
	bool reproduce;
	bool json;
};

static struct command defaults(void)
{
	return (struct command){
		.model = postman_model(true),
		.traffic = { .pattern = POSTMAN_ONE, .share = POSTMAN_UNIT },
		.size = POSTMAN_SIZE, .flit = POSTMAN_FLIT, .data = POSTMAN_DATA, .each = 1,
		.seed = 1, .draws = 40,
	};
}

static const char *const faults[POSTMAN_FAULTS] = {
	[POSTMAN_KEEP] = "keep", [POSTMAN_TURN] = "turn", [POSTMAN_OVERRUN] = "overrun",
};

static const char *const starts[POSTMAN_STARTS] = {
	[POSTMAN_START_CHESS] = "chess", [POSTMAN_START_X] = "x", [POSTMAN_START_Y] = "y",
};

static const struct {
	const char *name;
	const char *help;
} patterns[POSTMAN_PATTERNS] = {
	[POSTMAN_ONE] = { "one", "one packet, --from to --to" },
	[POSTMAN_TRANSPOSE] = { "transpose", "each node to its mirror image on the diagonal" },
	[POSTMAN_UNIFORM] = { "uniform", "each to random other nodes" },
	[POSTMAN_HOTSPOT] = { "hotspot", "all to the node in the middle" },
};

/* What may be taken away from the nodes. */
static const struct {
	const char *name;
	const char *help;
	size_t at;
} mechanisms[] = {
#define MECHANISM(name, member, help) \
	{ name, help, offsetof(struct command, model.member) }
	MECHANISM("eager", eager, "heads go on only when they are known: virtual cut-through"),
	MECHANISM("adapt", adapt, "a blocked packet does not swap its addresses"),
	MECHANISM("sourcing", sourcing, "nor does a stored one"),
	MECHANISM("busyback", busyback, "buffers have room for all, nobody is held back"),
#undef MECHANISM
};

/* Options that are one number. */
static const struct option_entry numbers[] = {
#define NUMBER(name, member, least, most, help) \
	{ name, help, least, most, offsetof(struct command, member) }
	NUMBER("seed", seed, 0, 0xffffffff, "same seed, same output"),
	NUMBER("draws", draws, 1, POSTMAN_DRAWS_MAX, "random sets of each sparse transposition"),
	NUMBER("size", size, 2, POSTMAN_SIZE_MAX, "columns and rows"),
	NUMBER("flit", flit, 4, POSTMAN_FLIT_MAX, "bits of a flit, with its two flags"),
	NUMBER("data", data, 1, 256, "flits of data in a packet"),
	NUMBER("packets", each, 1, 256, "packets of each node that sends; transpose: 1"),
#undef NUMBER
};

/* The second of these is for --reproduce only. */
#define NUMBER_DRAWS	1

static bool *mechanism_of(struct command *command, unsigned int i)
{
	return (bool *)((char *)command + mechanisms[i].at);
}

static void usage(FILE *file)
{
	struct command command = defaults();

	fprintf(file,
		"usage: flitcast-sim postman --reproduce [OPTION]...\n"
		"       flitcast-sim postman [OPTION]...\n"
		"Simulate the mad postman on a square array, bit by bit, as \"High Performance\n"
		"Communications in Processor Networks\" describes its nodes.\n"
		"\n"
		"  --reproduce       the paper's single packets, laws of latency and transpositions,\n"
		"                    each with whether it is so here\n"
		"  --svg DIR         draw the latencies into it, as postman-latency.svg\n"
		"\n"
		"Without --reproduce, one run:\n"
		"  --traffic T       (one)\n");
	for (unsigned int i = 0; i < POSTMAN_PATTERNS; i++)
		fprintf(file, "                      %s: %s\n", patterns[i].name, patterns[i].help);
	fprintf(file,
		"  --from C,R        column and row, from 1, of the one packet's source (1,1)\n"
		"  --to C,R          and of its target (the last of both)\n"
		"  --share F         share of the nodes that send, a random set (1)\n"
		"  --without M,...   take away\n");
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(mechanisms); i++)
		fprintf(file, "                      %s: %s\n", mechanisms[i].name,
			mechanisms[i].help);
	fprintf(file,
		"  --start S         machine in which packets begin: x, y, or as the squares of a\n"
		"                    chess board (chess)\n"
		"  --json            output as JSON\n"
		"\n");
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(numbers); i++)
		option_help(file, &numbers[i], &command);
	fprintf(file,
		"  --fault KIND      break it, to see that it is noticed:\n"
		"                      keep: blocked dead flits are stored, like packets\n"
		"                      turn: a turn takes a cycle more\n"
		"                      overrun: nobody heeds a busyback\n"
		"\n"
		"A channel carries a bit a cycle.\n"
		"Exit status: 0 if every packet was delivered once and at its target, and every dead\n"
		"flit dropped, and, with --reproduce, the paper's figures are what they are told to be\n"
		"in simulator.rst; 1 if not, or a file cannot be written; 2 if the arguments make no\n"
		"sense.\n");
}

enum {
	OPT_REPRODUCE = 1, OPT_SVG, OPT_TRAFFIC, OPT_FROM, OPT_TO, OPT_SHARE, OPT_WITHOUT,
	OPT_START, OPT_FAULT, OPT_JSON
};

static int parse_pattern(struct command *command, const char *value)
{
	for (unsigned int i = 0; i < POSTMAN_PATTERNS; i++) {
		if (!strcmp(value, patterns[i].name)) {
			command->traffic.pattern = (enum postman_pattern)i;
			return 0;
		}
	}
	return option_refuse("traffic", value, "one, transpose, uniform or hotspot");
}

static int parse_node(const char *option, const char *value, u32 *node)
{
	const char *end;
	u64 column, row;

	if (!option_number(value, POSTMAN_SIZE_MAX, &column, &end) || *end != ',' ||
	    !option_number(end + 1, POSTMAN_SIZE_MAX, &row, &end) || *end || !column || !row)
		return option_refuse(option, value, "column,row, each from 1");
	node[POSTMAN_X] = (u32)column - 1;
	node[POSTMAN_Y] = (u32)row - 1;
	return 0;
}

static int parse_without(struct command *command, const char *value)
{
	const char *word = value;

	while (true) {
		size_t length = strcspn(word, ",");
		unsigned int i = 0;

		while (i < FC_ARRAY_SIZE(mechanisms) &&
		       (strlen(mechanisms[i].name) != length ||
			strncmp(word, mechanisms[i].name, length)))
			i++;
		if (i == FC_ARRAY_SIZE(mechanisms))
			return option_refuse("without", value, "eager, adapt, sourcing, busyback");
		*mechanism_of(command, i) = false;
		if (!word[length])
			return 0;
		word += length + 1;
	}
}

static int parse_start(struct command *command, const char *value)
{
	for (u8 i = 0; i < POSTMAN_STARTS; i++) {
		if (!strcmp(value, starts[i])) {
			command->model.start = i;
			return 0;
		}
	}
	return option_refuse("start", value, "chess, x or y");
}

static int parse_fault(struct command *command, const char *value)
{
	for (u8 i = POSTMAN_SOUND + 1; i < POSTMAN_FAULTS; i++) {
		if (!strcmp(value, faults[i])) {
			command->model.fault = i;
			return 0;
		}
	}
	return option_refuse("fault", value, "keep, turn or overrun");
}

static int parse_value(void *settings, int option, const char *value)
{
	struct command *command = settings;

	switch (option) {
	case OPT_REPRODUCE:
		command->reproduce = true;
		return 0;
	case OPT_JSON:
		command->json = true;
		return 0;
	case OPT_SVG:
		return option_directory("svg", value, &command->svg);
	case OPT_TRAFFIC:
		return parse_pattern(command, value);
	case OPT_FROM:
		command->has_from = true;
		return parse_node("from", value, command->traffic.from);
	case OPT_TO:
		command->has_to = true;
		return parse_node("to", value, command->traffic.to);
	case OPT_SHARE:
		if (!option_fraction(value, POSTMAN_UNIT, &command->traffic.share))
			return option_refuse("share", value, "a number from 0 to 1");
		return 0;
	case OPT_WITHOUT:
		return parse_without(command, value);
	case OPT_START:
		return parse_start(command, value);
	case OPT_FAULT:
		return parse_fault(command, value);
	}
	return 0;
}

static int refuse(const char *why)
{
	fprintf(stderr, "flitcast-sim: %s\n", why);
	return 2;
}

static int check_node(const char *option, const u32 *node, u64 size)
{
	if (node[POSTMAN_X] < size && node[POSTMAN_Y] < size)
		return 0;
	fprintf(stderr, "flitcast-sim: --%s: there are %llu columns and rows\n", option,
		(unsigned long long)size);
	return 2;
}

/* What one run is about.  Return: 0, or the exit status. */
static int check_run(struct command *command)
{
	struct postman_traffic *traffic = &command->traffic;
	u32 last = (u32)command->size - 1;

	if (command->flit - POSTMAN_FLIT_FLAGS < 8 &&
	    command->size > fc_bit((unsigned int)command->flit - POSTMAN_FLIT_FLAGS))
		return refuse("--size is more than the addresses of a flit of --flit bits");
	if (traffic->pattern != POSTMAN_ONE && (command->has_from || command->has_to))
		return refuse("--from and --to mean nothing but for --traffic one");
	if (traffic->pattern == POSTMAN_ONE &&
	    (traffic->share != POSTMAN_UNIT || command->each > 1))
		return refuse("--share and --packets mean nothing for --traffic one");
	if (traffic->pattern == POSTMAN_TRANSPOSE && command->each > 1)
		return refuse("--packets means nothing for --traffic transpose");
	if (!command->has_to) {
		traffic->to[POSTMAN_X] = last;
		traffic->to[POSTMAN_Y] = last;
	}
	if (check_node("from", traffic->from, command->size) ||
	    check_node("to", traffic->to, command->size))
		return 2;
	if (!memcmp(traffic->from, traffic->to, sizeof(traffic->to)))
		return refuse("--from and --to are the same node");
	command->model.flit = (u32)command->flit;
	command->model.turn = postman_model(command->model.eager).turn;
	traffic->flits = (u32)command->data;
	traffic->each = (u32)command->each;
	traffic->seed = command->seed;
	return 0;
}

static int check_given(void *settings, const struct option_given *given)
{
	static const char *const both[] = { "seed", "fault", NULL };
	static const char *const report[] = { "svg", "draws", NULL };
	struct command *command = settings;
	int status = option_forms(given, command->reproduce, both, report);

	return status ? status : check_run(command);
}

static const struct option words[] = {
	{ "reproduce", no_argument, NULL, OPT_REPRODUCE },
	{ "svg", required_argument, NULL, OPT_SVG },
	{ "traffic", required_argument, NULL, OPT_TRAFFIC },
	{ "from", required_argument, NULL, OPT_FROM },
	{ "to", required_argument, NULL, OPT_TO },
	{ "share", required_argument, NULL, OPT_SHARE },
	{ "without", required_argument, NULL, OPT_WITHOUT },
	{ "start", required_argument, NULL, OPT_START },
	{ "fault", required_argument, NULL, OPT_FAULT },
	{ "json", no_argument, NULL, OPT_JSON },
};

static const struct option_command options = {
	.words = words, .nwords = FC_ARRAY_SIZE(words),
	.numbers = numbers, .nnumbers = FC_ARRAY_SIZE(numbers),
	.usage = usage, .set = parse_value, .check = check_given,
};

/*
 * One run.
 */

static void output_counts(const struct postman_result *r)
{
	output_group("heads");
	output_number("eager", r->count.eager);
	output_number("refused", r->count.refused);
	output_number("turned", r->count.turned);
	output_number("adapted", r->count.adapted);
	output_number("adapted_from_buffer", r->count.resourced);
	output_number("stored", r->count.stored);
	output_group_end();
	output_group("dead_flits");
	output_number("made", r->count.dead_made);
	output_number("dropped_at_edge", r->count.dead_edge);
	output_number("dropped_where_blocked", r->count.dead_blocked);
	output_number("stored", r->count.dead_stored);
	output_number("unaccounted", r->unaccounted);
	output_group_end();
	output_number("buffer_most", r->count.fullest);
	output_group("wrong");
	output_number("lost", r->lost);
	output_number("elsewhere_or_again", r->wrong);
	output_number("too_early", r->early);
	output_number("stuck_planes", r->stuck);
	output_number("overfull_planes", r->overfull);
	output_number("strayed", r->count.strayed);
	output_group_end();
}

static void output_settings(struct command *command)
{
	output_text("traffic", patterns[command->traffic.pattern].name);
	output_text("start", starts[command->model.start]);
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(mechanisms); i++)
		output_bool(mechanisms[i].name, *mechanism_of(command, i));
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(numbers); i++)
		if (i != NUMBER_DRAWS)
			output_number(numbers[i].name, *option_place(&numbers[i], command));
}

static int single(struct command *command)
{
	struct postman_net *net = postman_net_new(&command->model, (u32)command->size);
	struct postman_result r;
	u64 arrived;

	postman_traffic_add(net, (u32)command->size, &command->traffic);
	postman_net_run(net, &r);
	postman_net_free(net);
	arrived = r.packets > r.lost ? r.packets - r.lost : 1;
	output_begin(command->json);
	output_settings(command);
	output_number("time", r.time);
	output_number("packets_sent", r.packets);
	output_number("channels", r.hops);
	output_group("latency");
	output_fixed("mean", 1000 * r.latency / arrived, 1000);
	output_number("most", r.latency_most);
	output_group_end();
	output_counts(&r);
	output_end();
	return !postman_result_right(&r);
}

/*
 * The report.
 */

static void tell_settings(const struct command *command)
{
	printf("The mad postman: a 32x32 array, four planes with hardware of their own; flits of 9 bits,\n"
	       "27 bits a packet; a channel carries a bit a cycle, usable in the next; cycles from the\n"
	       "first bit sent to the last one written.\n"
	       "\n"
	       "The paper says:       a head goes on at its first bit; one transit buffer a machine, with\n"
	       "                      chaining; adaptive routing (swap, 9 cycles) and sourcing\n"
	       "It leaves open, here: a busyback is a stored packet that has not begun to leave, seen a\n"
	       "                      cycle later\n"
	       "                      a head that could not go on at its first bit may when its first\n"
	       "                      flit has come in, else the packet adapts, else it is stored\n"
	       "                      an output serves what is stored first, then what has been looked\n"
	       "                      at, then heads; of its two machines, its own first\n"
	       "                      packets begin in X where row + column is even, else in Y\n"
	       "                      %u draws of sparse elements, first seed %llu\n"
	       "Chosen for 570:       virtual cut-through takes 2 cycles for a turn, the mad postman 1\n\n",
	       (unsigned int)command->draws, (unsigned long long)command->seed);
}

static int reproduce(const struct command *command)
{
	static struct postman_law law;
	static struct postman_table table;
	u32 differ, bad;
	bool drawn;

	tell_settings(command);
	postman_law_measure(&law, command->model.fault);
	postman_law_print(&law);
	postman_table_measure(&table, (u32)command->draws, command->seed, command->model.fault);
	postman_table_print(&table);
	differ = postman_findings(&law, &table, &bad);
	drawn = !command->svg || postman_law_draw(&law, command->svg);
	printf("\nstatements of the paper that differ: %u; figures not reproduced: %u; runs with errors: %u of the transposition, %s alone\n",
	       differ, bad, table.wrong, law.right ? "none" : "some");
	return bad || table.wrong || !law.right || !drawn;
}

int postman_main(int argc, char **argv)
{
	struct command command = defaults();
	int status = option_parse(&options, &command, argc, argv);

	if (status >= 0)
		return status;
	return command.reproduce ? reproduce(&command) : single(&command);
}
