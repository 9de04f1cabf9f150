// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "care.h"
#include "graph.h"
#include "option.h"
#include "output.h"
#include "script.h"
#include "speed.h"
#include "traffic.h"
#include "util.h"

/* Findings of the oracle after which a run is given up: it may breed them for ever. */
#define WRONG_MAX	1000

/*
 * The paper names none of the times.  Trees of packets in each other's way are
 * dissolved by seeks and time-outs alone, so above saturation these set the pace:
 * on torus:4x4 with 8 targets and 3 flits a packet, 4 seeks every 4 cycles carry
 * nine times what 32 every 8 do, and 2 every 2 cycles twice that again.  A
 * time-out has to be longer than what a flit takes through a loaded network.
 */
static const struct config defaults = {
	.fidelity = &fidelity_word,
	.spec = "torus:4x4",
	.load = OPTION_UNIT / 10,
	.seed = 1,
	.cycles = 10000,
	.targets = { 1, 15 },
	.bytes = { 0, 4096 },
	.flit = 1500,
	.window = 8,
	.latency = 1,
	.active = 4,
	.transit = 16,
	.fifo = 64,
	.seek = 4,
	.seek_max = 4,
	.timeout = 64,
	.retry = 16,
	.probe = 1024,
	.repeat = 16384,
	.patience = 4000000,
	.fault_at = 1,
};

static const struct fidelity *const fidelities[] = { &fidelity_word, &fidelity_edge };

static const char *const faults[FAULT_COUNT] = {
	[FAULT_LOSE] = "lose", [FAULT_TWICE] = "twice", [FAULT_STRAY] = "stray",
	[FAULT_SHORT] = "short",
};

/* Options that are one number. */
static const struct option_entry numbers[] = {
#define NUMBER(name, member, least, most, help) \
	{ name, help, least, most, offsetof(struct config, member) }
	NUMBER("seed", seed, 0, 0xffffffff, "same seed, same output"),
	NUMBER("cycles", cycles, 1, (u64)1 << 40, "how long traffic is generated; then it drains"),
	NUMBER("messages", messages, 0, 100000000, "at most so many messages; 0: no limit"),
	NUMBER("every", every, 0, (u64)1 << 40, "cycles between messages; 0: at random by --load"),
	NUMBER("backlog", backlog, 0, 1000000000, "messages waiting in a source; 0: no limit"),
	NUMBER("flit", flit, 256, 65535, "bytes of a flit"),
	NUMBER("window", window, 1, 64, "flits under way per link"),
	NUMBER("look", look, 0, 1000000, "vnet: cycles a site takes to look where a packet goes"),
	NUMBER("latency", latency, 1, 1000000, "cycles from one end of a link to the other"),
	NUMBER("active", active, 1, FC_FLOW_WINDOW, "messages a site sends at a time"),
	NUMBER("transit", transit, 0, 1000000, "packets a site stores for others"),
	NUMBER("fifo", fifo, 1, 65535, "places of the fifo-buffer"),
	NUMBER("seek", seek, 1, 1000000, "cycles between two seeks"),
	NUMBER("seek-max", seek_max, 0, 65534, "seeks before a packet is stored on its way"),
	NUMBER("timeout", timeout, 1, 1000000000, "cycles before a blocked multicast is aborted"),
	NUMBER("retry", retry, 1, 1000000000, "cycles before a link tells, or asks again"),
	NUMBER("probe", probe, 1, 1000000000, "cycles before a silent link is asked"),
	NUMBER("repeat", repeat, 1, 1000000000, "cycles without news to a message's repetition"),
	NUMBER("patience", patience, 1, (u64)1 << 40, "cycles without any news that mean it hangs"),
#undef NUMBER
};

static void usage(FILE *file)
{
	struct config config = defaults;

	fprintf(file,
		"usage: flitcast-sim { care | vnet } [OPTION]...\n"
		"Run the CARE protocol, or virtual networks, on simulated links under random multicast traffic.\n"
		"\n"
		"  --topology SPEC   network (%s):\n", config.spec);
	for (unsigned int i = 0; i < fc_topo_registry_size; i++)
		fprintf(file, "                      %s\n", fc_topo_registry[i]->usage);
	fprintf(file,
		"  --load L          flits that a site sends per cycle (0.1)\n"
		"  --targets A-B     targets of a message (%u-%u)\n"
		"  --unicast P       share of the messages that has one target instead (0)\n"
		"  --bytes A-B       bytes of a message (%u-%u)\n"
		"  --pattern P       whom messages are for; further targets are random:\n"
		"                      uniform: anybody (the default)\n"
		"                      transpose: the site with the coordinates reversed\n"
		"                      hot: one in four messages is for the site in the middle\n"
		"  --loss P          probability that a link loses a frame (0)\n",
		config.targets[0], config.targets[1], config.bytes[0], config.bytes[1]);
	fprintf(file, "  --fidelity F      how packets are represented (%s):\n",
		config.fidelity->name);
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(fidelities); i++)
		fprintf(file, "                      %s: %s\n", fidelities[i]->name,
			fidelities[i]->help);
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(numbers); i++)
		option_help(file, &numbers[i], &config);
	fprintf(file,
		"  --script FILE     traffic: lines CYCLE SOURCE BYTES TARGET[,TARGET]...\n"
		"  --list FILE       write a line for each delivery\n"
		"  --fault KIND[@N]  break the Nth delivery, to see that it is noticed:\n"
		"                      lose, twice, stray, short\n"
		"  --postman         vnet: packets for one target go straight on before a site looks\n"
		"                      where they go (mode postman)\n"
		"  --speed           report how fast the simulation was, too, and what memory it took\n"
		"  --json            output as JSON\n"
		"\n"
		"Exit status: 0 if every target got every message once and whole, 1 if not,\n"
		"2 if the arguments make no sense.\n");
}

/*
 * Options.
 */

static bool range(const char *text, u64 least, u64 most, u32 value[2])
{
	u64 a, b;

	if (!option_number(text, most, &a, &text))
		return false;
	b = a;
	if (*text == '-' && !option_number(text + 1, most, &b, &text))
		return false;
	value[0] = (u32)a;
	value[1] = (u32)b;
	return !*text && a >= least && b >= a;
}

enum {
	OPT_TOPOLOGY = 1, OPT_LOAD, OPT_TARGETS, OPT_UNICAST, OPT_BYTES, OPT_LOSS, OPT_FIDELITY,
	OPT_PATTERN, OPT_SCRIPT, OPT_LIST, OPT_FAULT, OPT_JSON, OPT_POSTMAN, OPT_SPEED
};

static int parse_fidelity(struct config *config, const char *value)
{
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(fidelities); i++) {
		if (!strcmp(value, fidelities[i]->name)) {
			config->fidelity = fidelities[i];
			return 0;
		}
	}
	return option_refuse("fidelity", value, "word or edge");
}

static const char *const patterns[] = {
	[PATTERN_UNIFORM] = "uniform", [PATTERN_TRANSPOSE] = "transpose", [PATTERN_HOT] = "hot",
};

static int parse_pattern(struct config *config, const char *value)
{
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(patterns); i++) {
		if (!strcmp(value, patterns[i])) {
			config->pattern = (enum pattern)i;
			return 0;
		}
	}
	return option_refuse("pattern", value, "uniform, transpose or hot");
}

static int parse_fault(struct config *config, const char *value)
{
	size_t len = strcspn(value, "@");
	const char *end = "";
	u64 at = 1;

	for (u8 kind = FAULT_LOSE; kind < FAULT_COUNT; kind++) {
		if (strlen(faults[kind]) != len || strncmp(value, faults[kind], len))
			continue;
		if (value[len] && !option_number(value + len + 1, (u64)1 << 40, &at, &end))
			break;
		if (*end || !at)
			break;
		config->fault = kind;
		config->fault_at = at;
		return 0;
	}
	return option_refuse("fault", value, "lose, twice, stray or short, and @N with N above 0");
}

static int parse_value(void *settings, int option, const char *value)
{
	struct config *config = settings;
	char error[GRAPH_ERROR_SIZE];
	struct fc_topo topo;

	switch (option) {
	case OPT_TOPOLOGY:
		if (!graph_topology(&topo, value, error))
			return option_refuse("topology", value, error);
		graph_free(&config->topo);
		config->topo = topo;
		return 0;
	case OPT_LOAD:
		/* From one flit a site in a million cycles to one each cycle, tenfold. */
		if (!option_fraction(value, 10 * OPTION_UNIT, &config->load) || !config->load)
			return option_refuse("load", value, "a number above 0, at most 10");
		return 0;
	case OPT_TARGETS:
		if (!range(value, 1, FC_TARGETS_MAX, config->targets))
			return option_refuse("targets", value, "A-B with 1 <= A <= B <= 64");
		return 0;
	case OPT_UNICAST:
		if (!option_fraction(value, OPTION_UNIT, &config->unicast))
			return option_refuse("unicast", value, "a number from 0 to 1");
		return 0;
	case OPT_BYTES:
		if (!range(value, 0, FC_MESSAGE_MAX, config->bytes))
			return option_refuse("bytes", value, "A-B with 0 <= A <= B <= 16777216");
		return 0;
	case OPT_LOSS:
		if (!option_fraction(value, OPTION_UNIT / 2, &config->loss))
			return option_refuse("loss", value, "a number from 0 to 0.5");
		return 0;
	case OPT_FIDELITY:
		return parse_fidelity(config, value);
	case OPT_PATTERN:
		return parse_pattern(config, value);
	case OPT_SCRIPT:
		config->script_path = value;
		return 0;
	case OPT_LIST:
		config->list_path = value;
		return 0;
	case OPT_FAULT:
		return parse_fault(config, value);
	case OPT_JSON:
		config->json = true;
		return 0;
	case OPT_POSTMAN:
		if (config->mode == FC_MODE_VNET)
			config->mode = FC_MODE_POSTMAN;
		return 0;
	case OPT_SPEED:
		config->speed = true;
		return 0;
	}
	return 0;
}

static int check_given(const struct config *config, const struct option_given *given)
{
	static const char *const scripted[] = {
		"load", "targets", "unicast", "bytes", "pattern", "cycles", "messages", "every",
		NULL
	};
	/*
	 * Nothing is lost there, storage has no bounds, links have no windows, and flits do not go
	 * one by one.
	 */
	static const char *const word_only[] = {
		"loss", "window", "transit", "fifo", "retry", "probe", "repeat", "speed", NULL
	};
	static const char *const random_only[] = { "load", NULL };
	/* Nobody seeks there, and nothing is aborted. */
	static const char *const care_only[] = {
		"fidelity", "fifo", "seek", "seek-max", "timeout", NULL
	};
	/* Only where packets go in classes is what a look costs a matter of its own. */
	static const char *const classes_only[] = { "look", "postman", NULL };
	int status = 0;

	if (config->script_path)
		status = option_meaningless(given, scripted, "with --script");
	if (!status && config->fidelity == &fidelity_edge)
		status = option_meaningless(given, word_only, "with --fidelity edge");
	if (!status && fc_mode_classes(config->mode))
		status = option_meaningless(given, care_only, "with virtual networks");
	if (!status && !fc_mode_classes(config->mode))
		status = option_meaningless(given, classes_only, "without virtual networks");
	if (!status && config->every)
		status = option_meaningless(given, random_only, "with --every");
	return status;
}

static const struct option words[] = {
	{ "topology", required_argument, NULL, OPT_TOPOLOGY },
	{ "load", required_argument, NULL, OPT_LOAD },
	{ "targets", required_argument, NULL, OPT_TARGETS },
	{ "unicast", required_argument, NULL, OPT_UNICAST },
	{ "bytes", required_argument, NULL, OPT_BYTES },
	{ "loss", required_argument, NULL, OPT_LOSS },
	{ "fidelity", required_argument, NULL, OPT_FIDELITY },
	{ "pattern", required_argument, NULL, OPT_PATTERN },
	{ "script", required_argument, NULL, OPT_SCRIPT },
	{ "list", required_argument, NULL, OPT_LIST },
	{ "fault", required_argument, NULL, OPT_FAULT },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "postman", no_argument, NULL, OPT_POSTMAN },
	{ "speed", no_argument, NULL, OPT_SPEED },
};

static int check(void *settings, const struct option_given *given)
{
	struct config *config = settings;
	int status;

	fc_topo_print(&config->topo, config->spec);
	status = check_given(config, given);
	if (status)
		return status;
	if (config->script_path) {
		config->script = script_read(config->script_path, config);
		if (!config->script)
			return 2;
	} else if (config->topo.nsites <= config->targets[1]) {
		fprintf(stderr, "flitcast-sim: %s has %u sites: too few for %u targets\n",
			config->spec, config->topo.nsites, config->targets[1]);
		return 2;
	}
	if (!config->script && FC_LINK_SIZE + fc_head_size(config->targets[1]) > config->flit) {
		fprintf(stderr, "flitcast-sim: a list of %u targets needs flits of %u bytes\n",
			config->targets[1], FC_LINK_SIZE + fc_head_size(config->targets[1]));
		return 2;
	}
	config->timing = (struct fc_timing){
		.seek = config->seek, .timeout = config->timeout, .retry = config->retry,
		.tell = config->retry, .probe = config->probe,
		.seek_max = (u16)config->seek_max, .fifo_room = (u16)config->fifo,
	};
	return 0;
}

static const struct option_command options = {
	.words = words, .nwords = FC_ARRAY_SIZE(words),
	.numbers = numbers, .nnumbers = FC_ARRAY_SIZE(numbers),
	.usage = usage, .set = parse_value, .check = check,
};

/* Return: exit status, or -1 to go on. */
static int parse(struct config *config, enum fc_mode mode, int argc, char **argv)
{
	*config = defaults;
	config->mode = mode;
	if (fc_mode_classes(mode))
		config->window = 0;
	fc_topo_parse(&config->topo, config->spec);
	return option_parse(&options, config, argc, argv);
}

/*
 * The run.
 */

/* On a terminal, and nowhere else. */
static void progress(const struct sim *sim, bool last)
{
	static struct timespec shown;
	struct timespec now;

	if (!isatty(STDERR_FILENO))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!last && (now.tv_sec - shown.tv_sec) * 1000 +
		     (now.tv_nsec - shown.tv_nsec) / 1000000 < 200)
		return;
	shown = now;
	if (last)
		fprintf(stderr, "\r\033[K");
	else
		fprintf(stderr, "\r\033[Kcycle %llu: %u messages, %llu of %llu deliveries",
			(unsigned long long)sim->now, traffic.n,
			(unsigned long long)traffic.delivered,
			(unsigned long long)traffic.deliveries);
	fflush(stderr);
}

/*
 * Until nothing is left to happen.  Return: false if the network hangs: something
 * still waits, but nothing has come of it for too long; or too much is wrong.
 */
static bool run(struct sim *sim, u64 *end)
{
	const struct event *event;

	while ((event = queue_take(&sim->queue))) {
		sim->now = event->time;
		if (event->kind == EVENT_BORN)
			traffic_born(sim);
		else
			sim->config.fidelity->event(sim, event);
		if (!(++sim->events & 0xffff))
			progress(sim, false);
		if (!traffic_all_over())
			*end = sim->now;
		if (sim->now - sim->news_at > sim->config.patience || sim->wrong > WRONG_MAX)
			break;
	}
	progress(sim, true);
	return traffic_all_over() && sim->config.fidelity->idle(sim);
}

static void report_config(const struct config *config)
{
	struct config copy = *config;
	char text[32];

	output_group("config");
	output_text("topology", config->spec);
	output_text("fidelity", config->fidelity->name);
	if (config->script) {
		output_text("script", config->script_path);
	} else {
		if (!config->every)
			output_fixed("load", config->load, OPTION_UNIT);
		snprintf(text, sizeof(text), "%u-%u", config->targets[0], config->targets[1]);
		output_text("targets", text);
		output_fixed("unicast", config->unicast, OPTION_UNIT);
		snprintf(text, sizeof(text), "%u-%u", config->bytes[0], config->bytes[1]);
		output_text("bytes", text);
		output_text("pattern", patterns[config->pattern]);
	}
	if (config->fault != FAULT_NONE) {
		snprintf(text, sizeof(text), "%s@%llu", faults[config->fault],
			 (unsigned long long)config->fault_at);
		output_text("fault", text);
	}
	output_fixed("loss", config->loss, OPTION_UNIT);
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(numbers); i++)
		output_number(numbers[i].name, *option_place(&numbers[i], &copy));
	output_group_end();
}

static void report_latency(void)
{
	u64 sum = 0;
	u64 n;
	u64 *latency = traffic_latencies(&n);

	for (u64 i = 0; i < n; i++)
		sum += latency[i];
	output_group("latency");
	if (n) {
		output_number("min", latency[0]);
		output_number("median", latency[(n - 1) / 2]);
		output_number("p99", latency[(n - 1) * 99 / 100]);
		output_number("max", latency[n - 1]);
		output_fixed("mean", (sum * 1000 + n / 2) / n, 1000);
	}
	output_group_end();
	free(latency);
}

/* Those that are not 0. */
static void report_counters(const struct sim *sim)
{
	output_group("counters");
	for (unsigned int i = 0; i < FC_STAT_COUNT; i++)
		if (sim->stat[i])
			output_number(fc_stat_name((enum fc_stat)i), sim->stat[i]);
	output_group_end();
	output_group("link_counters");
	for (unsigned int i = 0; i < FC_LSTAT_COUNT; i++)
		if (sim->link_stat[i])
			output_number(fc_link_stat_name((enum fc_link_stat)i), sim->link_stat[i]);
	output_group_end();
}

/* What each target got, against what was sent to it. */
static void report_oracle(const struct sim *sim)
{
	output_group("oracle");
	output_number("expected", traffic.deliveries);
	output_number("arrived", traffic.arrived);
	output_number("missing", traffic.missing);
	output_number("duplicated", traffic.duplicated);
	output_number("stray", traffic.stray);
	output_number("incomplete", traffic.incomplete);
	output_number("disordered", traffic.disordered);
	output_number("left_over", sim->frames);
	output_group_end();
}

static void report(struct sim *sim, const struct speed *speed, bool done, u64 end)
{
	const struct config *config = &sim->config;
	u64 flits = 0;

	for (u32 i = 0; i < traffic.n; i++)
		flits += traffic_flits(config, traffic.message[i]->bytes,
				       traffic.message[i]->ntargets);
	output_begin(config->json);
	report_config(config);
	output_number("sites", config->topo.nsites);
	output_number("messages", traffic.n);
	output_number("refused", traffic.refused);
	output_number("deliveries", traffic.deliveries);
	output_number("delivered", traffic.delivered);
	output_number("delivered_bytes", traffic.delivered_bytes);
	output_number("cycles", end);
	output_number("events", sim->events);
	/* Offered while traffic was generated, and sent until the last was confirmed. */
	output_fixed("offered_flits_per_site_cycle",
		     traffic.until ? traffic.offered_flits * OPTION_UNIT /
				     (config->topo.nsites * traffic.until) : 0, OPTION_UNIT);
	/* What the network carries in a steady state: of the second half of the cycles. */
	if (!config->script && !config->messages)
		output_fixed("carried_flits_per_site_cycle",
			     traffic.carried_flits * OPTION_UNIT /
			     (config->topo.nsites * ((config->cycles + 1) / 2)), OPTION_UNIT);
	output_fixed("sent_flits_per_site_cycle",
		     end ? flits * OPTION_UNIT / (config->topo.nsites * end) : 0, OPTION_UNIT);
	output_fixed("deliveries_per_site_cycle",
		     end ? traffic.delivered * OPTION_UNIT / (config->topo.nsites * end) : 0,
		     OPTION_UNIT);
	report_latency();
	report_counters(sim);
	report_oracle(sim);
	if (config->speed)
		speed_report(speed, sim);
	output_bool("hangs", !done);
	output_number("wrong", sim->wrong);
	output_bool("exactly_once", done && !sim->wrong);
	output_end();
}

static int simulate(struct sim *sim)
{
	bool done, bad_list = false;
	struct speed speed;
	FILE *list = NULL;
	u64 end = 0;

	if (sim->config.list_path) {
		list = fopen(sim->config.list_path, "w");
		if (!list) {
			fprintf(stderr, "flitcast-sim: %s: %s\n", sim->config.list_path,
				strerror(errno));
			script_free(sim->config.script);
			return 2;
		}
	}
	speed_begin(&speed);
	sim->net_rng.state = sim->config.seed;
	sim->traffic_rng.state = ~sim->config.seed;
	sim->config.fidelity->init(sim);
	traffic_init(sim);
	speed_made(&speed);
	done = run(sim, &end);
	speed_end(&speed);
	if (!done) {
		fprintf(stderr, "flitcast-sim: cycle %llu: it hangs:\n",
			(unsigned long long)sim->now);
		sim->config.fidelity->tell_stuck(sim);
	}
	traffic_check(sim);
	if (list) {
		traffic_list(sim, list);
		bad_list = ferror(list) | fclose(list);
		if (bad_list)
			fprintf(stderr, "flitcast-sim: %s: cannot be written\n",
				sim->config.list_path);
	}
	report(sim, &speed, done, end);
	sim->config.fidelity->free(sim);
	if (sim->frames)
		sim_wrong(sim, "%llu frames were lost track of",
			  (unsigned long long)sim->frames);
	traffic_free();
	script_free(sim->config.script);
	return done && !sim->wrong && !bad_list ? 0 : 1;
}

/* Flits of the largest packet. */
static u32 max_flits(const struct config *config)
{
	u32 bytes = config->bytes[1] < FC_PACKET_MAX ? config->bytes[1] : FC_PACKET_MAX;

	if (config->script)
		bytes = FC_PACKET_MAX;
	return traffic_flits(config, bytes, config->targets[1]);
}

/* Settings that the mode makes a difference to.  Return: exit status, or -1 to go on. */
static int settle_mode(struct sim *sim)
{
	struct config *config = &sim->config;
	const char *error;

	if (!fc_mode_classes(config->mode))
		return -1;
	error = fc_vclass_init(&sim->classes, &config->topo);
	if (error) {
		fprintf(stderr, "flitcast-sim: %s: %s\n", config->spec, error);
		return 2;
	}
	if (fc_vclass_room(&sim->classes, FC_SITE_NONE)) {
		sim->ways = xcalloc(1, fc_vclass_room(&sim->classes, FC_SITE_NONE));
		fc_vclass_fill(&sim->classes, FC_SITE_NONE, sim->ways);
	}
	if (!config->window)
		config->window = fc_vnet_window((u32)config->flit - FC_LINK_SIZE);
	/* A packet has to fit. */
	if (config->window < max_flits(config)) {
		fprintf(stderr, "flitcast-sim: packets of %u flits need a window of as many\n",
			max_flits(config));
		return 2;
	}
	return -1;
}

static int main_of(enum fc_mode mode, int argc, char **argv)
{
	struct sim sim = { 0 };
	int status = parse(&sim.config, mode, argc, argv);

	if (status < 0)
		status = settle_mode(&sim);
	if (status < 0)
		status = simulate(&sim);
	free(sim.ways);
	graph_free(&sim.config.topo);
	return status;
}

int care_main(int argc, char **argv)
{
	return main_of(FC_MODE_CARE, argc, argv);
}

int vnet_main(int argc, char **argv)
{
	return main_of(FC_MODE_VNET, argc, argv);
}
