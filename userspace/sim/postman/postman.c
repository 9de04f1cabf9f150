// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim postman: the mad postman of the paper, bit by bit.
 */
#include <stdio.h>
#include <string.h>

#include "base/finding.h"
#include "base/output.h"
#include "postman_report.h"
#include "postman_traffic.h"
#include "base/sweep.h"

struct command {
	struct postman_settings settings;
	struct postman_traffic traffic;
	u64 size;
	u64 flit;
	u64 data;
	u64 each;
};

static const struct command defaults = {
	.settings = { .common = { .seed = 1 }, .model = POSTMAN_MODEL, .draws = 40 },
	.traffic = { .pattern = POSTMAN_ONE, .share = POSTMAN_UNIT },
	.size = POSTMAN_SIZE, .flit = POSTMAN_FLIT, .data = POSTMAN_DATA, .each = 1,
};

static const struct option_choice patterns[POSTMAN_PATTERNS] = {
	[POSTMAN_ONE] = { "one", "one packet, --from to --to" },
	[POSTMAN_TRANSPOSE] = { "transpose", "each node to its mirror image on the diagonal" },
	[POSTMAN_UNIFORM] = { "uniform", "each to random other nodes" },
	[POSTMAN_HOTSPOT] = { "hotspot", "all to the node in the middle" },
};

static const struct option_choice starts[POSTMAN_STARTS] = {
	[POSTMAN_START_CHESS] = { .name = "chess" },
	[POSTMAN_START_X] = { .name = "x" },
	[POSTMAN_START_Y] = { .name = "y" },
};

static const struct option_choice faults[POSTMAN_FAULTS] = {
	[POSTMAN_KEEP] = { "keep", "blocked dead flits are stored, like packets" },
	[POSTMAN_TURN] = { "turn", "a turn takes a cycle more" },
	[POSTMAN_OVERRUN] = { "overrun", "nobody heeds a busyback" },
};

#define AT(member)	offsetof(struct command, member)

/* Mechanisms of nodes that can be disabled: bools of the model. */
static const struct {
	struct option_choice choice;
	size_t at;
} mechanisms[] = {
	{ { "eager", "heads go on only when they are known: virtual cut-through" },
	  AT(settings.model.eager) },
	{ { "adapt", "a blocked packet does not swap its addresses" }, AT(settings.model.adapt) },
	{ { "sourcing", "nor does a stored one" }, AT(settings.model.sourcing) },
	{ { "busyback", "buffers have room for all, nobody is held back" },
	  AT(settings.model.busyback) },
};

static int take_node(void *settings, const struct option_entry *entry, const char *value)
{
	u32 *node = (u32 *)((char *)settings + entry->at);
	const char *end;
	u64 column, row;

	if (!option_number(value, POSTMAN_SIZE_MAX, &column, &end) || *end != ',' ||
	    !option_number(end + 1, POSTMAN_SIZE_MAX, &row, &end) || *end || !column || !row)
		return option_refuse(entry->name, value, "must be column,row, each from 1");
	node[POSTMAN_X] = (u32)column - 1;
	node[POSTMAN_Y] = (u32)row - 1;
	return 0;
}

static int take_without(void *settings, const struct option_entry *entry, const char *value)
{
	const char *word = value;

	while (true) {
		size_t length = strcspn(word, ",");
		unsigned int i = 0;

		while (i < FC_ARRAY_SIZE(mechanisms) &&
		       (strlen(mechanisms[i].choice.name) != length ||
			strncmp(word, mechanisms[i].choice.name, length)))
			i++;
		if (i == FC_ARRAY_SIZE(mechanisms))
			return option_refuse(entry->name, value,
					     "must be some of eager,adapt,sourcing,busyback");
		*((bool *)settings + mechanisms[i].at) = false;
		if (!word[length])
			return 0;
		word += length + 1;
	}
}

static const struct option_entry entries[] = {
	REPRODUCE_OPTIONS("the paper's single packets, laws of latency and transpositions,\n"
			  "each with whether it is so here",
			  "draw the latencies into it, as postman-latency.svg"),
	{ .help = "\nWithout --reproduce, one run:" },
	OPTION("traffic", "T", NULL, CHOICE, AT(traffic.pattern), .form = OPTION_RUN,
	       OPTION_CHOICES(patterns)),
	OPTION("from", "C,R", "column and row, from 1, of the one packet's source (1,1)", OTHER,
	       AT(traffic.from), .form = OPTION_RUN, .take = take_node),
	OPTION("to", "C,R", "and of its target (the last of both)", OTHER, AT(traffic.to),
	       .form = OPTION_RUN, .take = take_node),
	OPTION("share", "F", "share of the nodes that send, a random set (1)", FRACTION,
	       AT(traffic.share), OPTION_RANGE(0, POSTMAN_UNIT), .form = OPTION_RUN),
	OPTION("without", "M,...", "take away", OTHER, 0, .form = OPTION_RUN,
	       OPTION_CHOICES(mechanisms), .take = take_without),
	OPTION("start", "S",
	       "machine in which packets begin: x, y, or as the squares of a\n"
	       "chess board (chess)", CHOICE, AT(settings.model.start), .form = OPTION_RUN,
	       OPTION_CHOICES(starts)),
	REPRODUCE_JSON,
	SWEEP_OPTIONS,
	SWEEP_SEEDS,
	{ .help = "" },
	REPRODUCE_SEED,
	OPTION("draws", "N", "random sets of each sparse transposition", NUMBER, AT(settings.draws),
	       OPTION_RANGE(1, POSTMAN_DRAWS_MAX), .form = OPTION_REPORT),
	OPTION("size", "N", "columns and rows", NUMBER, AT(size), OPTION_RANGE(2, POSTMAN_SIZE_MAX),
	       .form = OPTION_RUN),
	OPTION("flit", "N", "bits of a flit, with its two flags", NUMBER, AT(flit),
	       OPTION_RANGE(4, POSTMAN_FLIT_MAX), .form = OPTION_RUN),
	OPTION("data", "N", "flits of data in a packet", NUMBER, AT(data), OPTION_RANGE(1, 256),
	       .form = OPTION_RUN),
	OPTION("packets", "N", "packets of each node that sends; transpose: 1", NUMBER, AT(each),
	       OPTION_RANGE(1, 256), .form = OPTION_RUN),
	OPTION("fault", "KIND", "break it, to see that it is noticed:", CHOICE,
	       AT(settings.model.fault), OPTION_CHOICES(faults)),
};

static int refuse(const char *why)
{
	fprintf(stderr, "flitcast-sim: %s\n", why);
	return 2;
}

static int check_node(const char *option, const u32 *node, u64 size)
{
	if (node[POSTMAN_X] < size && node[POSTMAN_Y] < size)
		return 0;
	fprintf(stderr,
		"flitcast-sim: --%s %u,%u: there are %llu columns and rows; lower it or raise --size\n",
		option, node[POSTMAN_X] + 1, node[POSTMAN_Y] + 1, (unsigned long long)size);
	return 2;
}

static int check(void *settings, const struct option_given *given)
{
	struct command *command = settings;
	struct postman_traffic *traffic = &command->traffic;
	bool has_to = option_was_given(given, "to");
	u32 last = (u32)command->size - 1;

	if (command->flit - POSTMAN_FLIT_FLAGS < 8 &&
	    command->size > fc_bit((unsigned int)command->flit - POSTMAN_FLIT_FLAGS))
		return refuse("--size is more than the addresses of a flit of --flit bits");
	if (traffic->pattern != POSTMAN_ONE && (has_to || option_was_given(given, "from")))
		return refuse("--from and --to mean nothing but for --traffic one");
	if (traffic->pattern == POSTMAN_ONE &&
	    (traffic->share != POSTMAN_UNIT || command->each > 1))
		return refuse("--share and --packets mean nothing for --traffic one");
	if (traffic->pattern == POSTMAN_TRANSPOSE && command->each > 1)
		return refuse("--packets means nothing for --traffic transpose");
	if (!has_to) {
		traffic->to[POSTMAN_X] = last;
		traffic->to[POSTMAN_Y] = last;
	}
	if (check_node("from", traffic->from, command->size) ||
	    check_node("to", traffic->to, command->size))
		return 2;
	if (!memcmp(traffic->from, traffic->to, sizeof(traffic->to)))
		return refuse("--from and --to are the same node");
	command->settings.model.flit = (u32)command->flit;
	command->settings.model.turn = postman_model(command->settings.model.eager).turn;
	traffic->flits = (u32)command->data;
	traffic->each = (u32)command->each;
	traffic->seed = command->settings.common.seed;
	return 0;
}

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

static void output_settings(const struct command *command)
{
	output_text("traffic", patterns[command->traffic.pattern].name);
	output_text("start", starts[command->settings.model.start].name);
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(mechanisms); i++)
		output_bool(mechanisms[i].choice.name, *((bool *)command + mechanisms[i].at));
	output_options(&postman_reproduction.options, command);
}

static int run(const void *settings)
{
	const struct command *command = settings;
	struct postman_net *net = postman_net_new(&command->settings.model, (u32)command->size);
	struct postman_result r;
	u64 arrived;

	postman_traffic_add(net, (u32)command->size, &command->traffic);
	postman_net_run(net, &r);
	postman_net_free(net);
	arrived = r.packets > r.lost ? r.packets - r.lost : 1;
	output_begin(command->settings.common.json);
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

static void begin(const void *settings)
{
	const struct postman_settings *s = settings;

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
	       (unsigned int)s->draws, (unsigned long long)s->common.seed);
}

static const struct report_part *const parts[] = {
	&postman_law_part, &postman_table_part, NULL
};

static const report_findings_fn findings[] = { postman_law_findings, postman_table_findings, NULL };

static bool end(void)
{
	printf("statements of the paper that differ: %u; figures not reproduced: %u; runs with errors: %llu of the transposition, %s alone\n",
	       findings_differing(), findings_failed(),
	       (unsigned long long)*postman_table_part.wrong,
	       *postman_law_part.wrong ? "some" : "none");
	return false;
}

static int postman_main(int argc, char **argv)
{
	return reproduce_main(&postman_reproduction, argc, argv);
}

const struct reproduction postman_reproduction = {
	.options = {
		.name = "postman",
		.help = "Simulate the mad postman on a square array, bit by bit",
		.main = postman_main,
		.tail =
			"\n"
			"A channel carries a bit a cycle.\n"
			"Exit status: 0 if every packet was delivered once and at its target, and every dead\n"
			"flit dropped, and, with --reproduce, the paper's figures are what they are told to be\n"
			"in simulator.rst; 1 if not, or a file cannot be written; 2 if the arguments make no\n"
			"sense.\n",
		.entries = entries, .nentries = FC_ARRAY_SIZE(entries), .defaults = &defaults,
		.check = check,
	},
	.size = sizeof(struct command), .run = run, .begin = begin, .parts = parts,
	.findings = findings, .title = "Figures and findings of the paper", .end = end,
};
