// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "care.h"
#include "fail.h"
#include "graph.h"
#include "option.h"
#include "base/output.h"
#include "base/progress.h"
#include "base/reproduce.h"
#include "routes.h"
#include "saturation.h"
#include "script.h"
#include "speed.h"
#include "base/sweep.h"
#include "traffic.h"
#include "withhold.h"
#include "base/util.h"

/* Findings of the oracle after which a run is aborted: their number may grow without bound. */
#define WRONG_MAX	1000

/*
 * The paper names none of the times.  Only seeks and time-outs dissolve trees of
 * packets that block each other, so above saturation these determine the throughput:
 * on torus:4x4 with 8 targets and 3 flits a packet, 4 seeks every 4 cycles carry
 * nine times as much as 32 every 8, and 2 every 2 cycles twice that again.  A
 * time-out has to exceed the latency of a flit in a loaded network.
 */
static const struct config defaults = {
	.spec = "torus:4x4",
	.load = OPTION_UNIT / 20,
	.seed = 1,
	.cycles = 10000,
	.warmup = FC_NEVER,
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
	.poll = 1024,
	.repeat = 16384,
	.patience = 4000000,
	.memory = 900,
	.fault_at = 1,
};

static const struct {
	struct option_choice choice;
	const struct fidelity *fidelity;
} fidelities[] = {
	{ { "word", "every word of a packet, by the core" }, &fidelity_word },
	{ { "edge", "its front and its terminator, as CARE, section 5" }, &fidelity_edge },
};

static const char *const faults[FAULT_COUNT] = {
	[FAULT_LOSE] = "lose", [FAULT_TWICE] = "twice", [FAULT_STRAY] = "stray",
	[FAULT_SHORT] = "short",
};

static const struct option_choice patterns[] = {
	[PATTERN_UNIFORM] = { "uniform", "anybody (the default)" },
	[PATTERN_TRANSPOSE] = { "transpose", "the site with the coordinates reversed" },
	[PATTERN_HOT] = { "hot", "one in four messages is for the site in the middle" },
};

/*
 * Options.
 */

static int take_topology(void *settings, const struct option_entry *entry, const char *value)
{
	struct config *config = settings;
	char error[GRAPH_ERROR_SIZE];
	struct fc_topo topo;

	if (!graph_topology(&topo, value, error))
		return option_refuse(entry->name, value, error);
	graph_free(&config->topo);
	config->topo = topo;
	return 0;
}

/* Parse A-B, or one number for both. */
static int take_range(void *settings, const struct option_entry *entry, const char *value)
{
	u32 *range = (u32 *)((char *)settings + entry->at);
	const char *end;
	char why[64];
	u64 a, b;

	if (option_number(value, entry->most, &a, &end)) {
		b = a;
		if (*end == '-' && !option_number(end + 1, entry->most, &b, &end))
			b = 0;
		if (!*end && a >= entry->least && b >= a) {
			range[0] = (u32)a;
			range[1] = (u32)b;
			return 0;
		}
	}
	snprintf(why, sizeof(why), "must be A-B with %llu <= A <= B <= %llu",
		 (unsigned long long)entry->least, (unsigned long long)entry->most);
	return option_refuse(entry->name, value, why);
}

static int take_fault(void *settings, const struct option_entry *entry, const char *value)
{
	struct config *config = settings;
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
	return option_refuse(entry->name, value,
			     "must be lose, twice, stray or short, and perhaps @N with N above 0");
}

/* This is no OPTION_NUMBER, which a report prints: it changes no result. */
static int take_memory(void *settings, const struct option_entry *entry, const char *value)
{
	const char *end;

	if (option_number(value, entry->most, (u64 *)((char *)settings + entry->at), &end) && !*end)
		return 0;
	return option_refuse(entry->name, value, "must be a number of MiB, or 0 for no limit");
}

/* This is no OPTION_NUMBER: a report prints it only if it is given. */
static int take_warmup(void *settings, const struct option_entry *entry, const char *value)
{
	const char *end;

	if (option_number(value, entry->most, (u64 *)((char *)settings + entry->at), &end) && !*end)
		return 0;
	return option_refuse(entry->name, value, "must be a number of cycles, below --cycles");
}

static int take_postman(void *settings, const struct option_entry *entry, const char *value)
{
	struct config *config = settings;

	if (config->mode == FC_MODE_VNET)
		config->mode = FC_MODE_POSTMAN;
	return 0;
}

static int take_csr(void *settings, const struct option_entry *entry, const char *value)
{
	struct config *config = settings;

	if (config->mode == FC_MODE_VNET)
		config->mode = FC_MODE_CSR;
	return 0;
}

static int take_fail(void *settings, const struct option_entry *entry, const char *value)
{
	const char *why = fail_add(value);

	return why ? option_refuse(entry->name, value, why) : 0;
}

static int take_withhold(void *settings, const struct option_entry *entry, const char *value)
{
	const char *why = withhold_set(value);

	return why ? option_refuse(entry->name, value, why) : 0;
}

static void more_topologies(FILE *file)
{
	for (unsigned int i = 0; i < fc_topo_registry_size; i++)
		fprintf(file, "                      %s\n", fc_topo_registry[i]->usage);
}

#define AT(member)	offsetof(struct config, member)

static const struct option_entry entries[] = {
	OPTION("topology", "SPEC", "network (torus:4x4):", OTHER, 0, .more = more_topologies,
	       .take = take_topology),
	/* The range is one flit per site in a million cycles to ten flits per cycle. */
	OPTION("load", "L", "flits that a site sends per cycle (0.05)", FRACTION, AT(load),
	       OPTION_RANGE(1, 10 * OPTION_UNIT)),
	OPTION("targets", "A-B", "targets of a message (1-15, or as many as there are)", OTHER,
	       AT(targets), OPTION_RANGE(1, FC_TARGETS_MAX), .take = take_range),
	OPTION("unicast", "P", "share of the messages that has one target instead (0)", FRACTION,
	       AT(unicast), OPTION_RANGE(0, OPTION_UNIT)),
	OPTION("datagrams", "P",
	       "share of the messages that are datagrams: one packet, which no\n"
	       "end confirms or repeats (0)", FRACTION, AT(datagrams),
	       OPTION_RANGE(0, OPTION_UNIT)),
	OPTION("bytes", "A-B", "bytes of a message (0-4096)", OTHER, AT(bytes),
	       OPTION_RANGE(0, FC_MESSAGE_MAX), .take = take_range),
	OPTION("pattern", "P", "whom messages are for; further targets are random:", CHOICE,
	       AT(pattern), OPTION_CHOICES(patterns)),
	OPTION("loss", "P", "probability that a link loses a frame (0)", FRACTION, AT(loss),
	       OPTION_RANGE(0, OPTION_UNIT / 2)),
	OPTION("fail", "A-B@SILENT[,DOWN[,UP]]",
	       "the link of two neighbours carries nothing from cycle SILENT on;\n"
	       "its ends know it from DOWN on (SILENT), it works from UP on (never);\n"
	       "DOWN = UP: it is never taken down", OTHER, 0, .how = OPTION_REPEAT,
	       .take = take_fail),
	OPTION("withhold", "SITE:WHAT[,WHAT]...@CYCLE",
	       "from CYCLE on the site withholds for ever:\n"
	       "  acks      its frames repeat the acks of before\n"
	       "  rest      flits of a packet behind the first one\n"
	       "  flits, statuses\n"
	       "  answers   of mode csr, to requests\n"
	       "  all       all frames", OTHER, 0, .take = take_withhold),
	OPTION("fidelity", "F", "how packets are represented (word):", CHOICE, AT(representation),
	       OPTION_CHOICES(fidelities)),
	OPTION("seed", "N", "same seed, same output", NUMBER, AT(seed),
	       OPTION_RANGE(0, 0xffffffff)),
	OPTION("cycles", "N", "how long traffic is generated; then it drains", NUMBER, AT(cycles),
	       OPTION_RANGE(1, (u64)1 << 40)),
	OPTION("warmup", "N",
	       "cycles whose messages count in no latency, nor what is over in them\n"
	       "as carried (in a sweep a fifth of --cycles; else all latencies\n"
	       "count, and as carried the second half of --cycles)", OTHER, AT(warmup),
	       .most = (u64)1 << 40, .take = take_warmup),
	OPTION("messages", "N", "at most so many messages; 0: no limit", NUMBER, AT(messages),
	       OPTION_RANGE(0, 100000000)),
	OPTION("every", "N", "cycles between messages; 0: at random by --load", NUMBER, AT(every),
	       OPTION_RANGE(0, (u64)1 << 40)),
	OPTION("backlog", "N", "messages waiting in a source; 0: no limit", NUMBER, AT(backlog),
	       OPTION_RANGE(0, 1000000000)),
	OPTION("memory", "N",
	       "MiB that the run may take beside its network; 0: no limit (900)", OTHER,
	       AT(memory), .most = (u64)1 << 40, .take = take_memory),
	OPTION("flit", "N", "bytes of a flit", NUMBER, AT(flit), OPTION_RANGE(256, 65535)),
	OPTION("window", "N", "flits in flight per link", NUMBER, AT(window), OPTION_RANGE(1, 64)),
	OPTION("routing", "N", "vnet: cycles that a routing decision takes", NUMBER,
	       AT(routing), OPTION_RANGE(0, 1000000)),
	OPTION("latency", "N", "cycles from one end of a link to the other", NUMBER, AT(latency),
	       OPTION_RANGE(1, 1000000)),
	OPTION("active", "N", "messages a site sends at a time", NUMBER, AT(active),
	       OPTION_RANGE(1, FC_FLOW_WINDOW)),
	OPTION("transit", "N", "packets a site stores for others", NUMBER, AT(transit),
	       OPTION_RANGE(0, 1000000)),
	OPTION("fifo", "N", "places of the fifo-buffer", NUMBER, AT(fifo), OPTION_RANGE(1, 65535)),
	OPTION("seek", "N", "cycles between two seeks", NUMBER, AT(seek), OPTION_RANGE(1, 1000000)),
	OPTION("seek-max", "N", "seeks before a packet is stored on its way", NUMBER, AT(seek_max),
	       OPTION_RANGE(0, 65534)),
	OPTION("timeout", "N", "cycles before a blocked multicast is aborted", NUMBER, AT(timeout),
	       OPTION_RANGE(1, 1000000000)),
	OPTION("retry", "N", "cycles before a link tells, or asks again", NUMBER, AT(retry),
	       OPTION_RANGE(1, 1000000000)),
	OPTION("poll", "N", "cycles before a silent link is asked", NUMBER, AT(poll),
	       OPTION_RANGE(1, 1000000000)),
	OPTION("repeat", "N", "cycles without news to a message's repetition", NUMBER, AT(repeat),
	       OPTION_RANGE(1, 1000000000)),
	OPTION("patience", "N", "cycles without any news that mean it hangs", NUMBER, AT(patience),
	       OPTION_RANGE(1, (u64)1 << 40)),
	OPTION("script", "FILE", "traffic: lines CYCLE SOURCE BYTES TARGET[,TARGET]...", TEXT,
	       AT(script_path)),
	OPTION("routes", "FILE", "preference tables: lines as flitcast route show prints them",
	       TEXT, AT(routes_path)),
	OPTION("list", "FILE", "write a line for each delivery", TEXT, AT(list_path)),
	OPTION("links", "FILE", "write a line for each end of a link, with the flits it sent", TEXT,
	       AT(links_path)),
	OPTION("fault", "KIND[@N]",
	       "break the Nth delivery, to see that it is noticed:\n"
	       "  lose, twice, stray, short", OTHER, 0, .take = take_fault),
	OPTION("postman", NULL,
	       "vnet: packets for one target go straight on before a site looks\n"
	       "  where they go (mode postman)", OTHER, 0, .group = 1, .take = take_postman),
	OPTION("csr", NULL,
	       "vnet: packets reserve their path, in time (mode csr); a cycle is\n"
	       "  a nanosecond", OTHER, 0, .group = 1, .take = take_csr),
	OPTION("speed", NULL, "report how fast the simulation was, too, and what memory it took",
	       FLAG, AT(speed)),
	OPTION("json", NULL, "output as JSON", FLAG, AT(json)),
	SWEEP_OPTIONS,
	SWEEP_SEEDS,
};

static int check_given(const struct config *config, const struct option_given *given)
{
	static const char *const scripted[] = {
		"load", "targets", "unicast", "bytes", "pattern", "cycles", "messages", "every",
		"warmup", NULL
	};
	/*
	 * Fidelity edge has no losses, no bounds of storage, no windows of links, no single flits,
	 * and routes of its own.
	 */
	static const char *const word_only[] = {
		"loss", "window", "transit", "fifo", "retry", "poll", "repeat", "speed",
		"datagrams", "fail", "withhold", "routes", "links", NULL
	};
	static const char *const random_only[] = { "load", NULL };
	/* Modes with classes have neither seeks nor aborts. */
	static const char *const care_only[] = {
		"fidelity", "fifo", "seek", "seek-max", "timeout", NULL
	};
	/* The cost of a routing decision is separate only in modes with classes. */
	static const char *const classes_only[] = { "routing", "postman", "csr", NULL };
	int status = 0;

	if (config->script_path)
		status = option_meaningless(given, scripted, "with --script");
	if (!status && config->fidelity == &fidelity_edge)
		status = option_meaningless(given, word_only, "with --fidelity edge");
	if (!status && fc_mode_ops(config->mode)->classes)
		status = option_meaningless(given, care_only, "with virtual networks");
	if (!status && !fc_mode_ops(config->mode)->classes)
		status = option_meaningless(given, classes_only, "without virtual networks");
	if (!status && config->every)
		status = option_meaningless(given, random_only, "with --every");
	return status;
}

/* Determine the first cycle that counts in results.  Return: 0, or 2, the exit status. */
static int set_warmup(struct config *config)
{
	if (config->warmup == FC_NEVER && sweep_running() && !config->script_path)
		config->warmup = config->cycles / 5;
	if (config->warmup == FC_NEVER) {
		config->steady = config->cycles / 2;
		return 0;
	}
	config->counted = config->warmup;
	config->steady = config->warmup;
	if (config->warmup < config->cycles)
		return 0;
	fprintf(stderr,
		"flitcast-sim: --warmup %llu: must be below --cycles %llu; lower it or raise --cycles\n",
		(unsigned long long)config->warmup, (unsigned long long)config->cycles);
	return 2;
}

static void set_timing(struct config *config)
{
	config->timing = (struct fc_timing){
		.seek = config->seek, .timeout = config->timeout, .retry = config->retry,
		.ack_delay = config->retry, .poll = config->poll,
		.seek_max = (u16)config->seek_max, .fifo_room = (u16)config->fifo,
	};
}

static int check(void *settings, const struct option_given *given)
{
	struct config *config = settings;
	const char *wrong;
	int status;

	config->fidelity = fidelities[config->representation].fidelity;
	fc_topo_print(&config->topo, config->spec);
	status = check_given(config, given);
	wrong = status ? NULL : withhold_check(&config->topo);
	if (wrong) {
		fprintf(stderr, "flitcast-sim: --withhold: %s: %s\n", wrong, config->spec);
		status = 2;
	}
	if (!status && fail_check(&config->topo)) {
		fprintf(stderr, "flitcast-sim: --fail: %s: %s\n", fail_check(&config->topo),
			config->spec);
		status = 2;
	}
	if (!status)
		status = set_warmup(config);
	if (status)
		return status;
	if (config->script_path) {
		config->script = script_read(config->script_path, config);
		if (!config->script)
			return 2;
	} else if (config->topo.nsites < 2) {
		fprintf(stderr, "flitcast-sim: --topology %s: a network has two sites or more\n",
			config->spec);
		return 2;
	} else if (!option_was_given(given, "targets") &&
		   config->topo.nsites <= config->targets[1]) {
		config->targets[1] = config->topo.nsites - 1;
	} else if (config->topo.nsites <= config->targets[1]) {
		fprintf(stderr,
			"flitcast-sim: --targets %u-%u: %s has %u sites, so a message has %u targets at most; give --targets 1-%u\n",
			config->targets[0], config->targets[1], config->spec, config->topo.nsites,
			config->topo.nsites - 1, config->topo.nsites - 1);
		return 2;
	}
	if (!config->script && FC_LINK_SIZE + fc_head_size(config->targets[1]) > config->flit) {
		fprintf(stderr,
			"flitcast-sim: --flit %llu: a list of %u targets needs flits of %u bytes; raise --flit or lower --targets\n",
			(unsigned long long)config->flit, config->targets[1],
			FC_LINK_SIZE + fc_head_size(config->targets[1]));
		return 2;
	}
	if (!config->script && config->datagrams && config->bytes[1] > FC_PACKET_MAX) {
		fprintf(stderr,
			"flitcast-sim: --bytes %u-%u: a datagram has %u bytes at most; lower --bytes or leave out --datagrams\n",
			config->bytes[0], config->bytes[1], FC_PACKET_MAX);
		return 2;
	}
	set_timing(config);
	return 0;
}

/* Parse the options.  Return: exit status, or -1 to continue. */
static int parse(struct config *config, enum fc_mode mode, int argc, char **argv)
{
	*config = defaults;
	config->mode = mode;
	if (fc_mode_ops(mode)->classes)
		config->window = 0;
	fc_topo_parse(&config->topo, config->spec);
	return option_parse(mode == FC_MODE_VNET ? &vnet_command : &care_command, config, argc,
			    argv);
}

/*
 * The run.
 */

/* Results of a run. */
enum end {
	END_REST,	/* no event is left, and all messages are complete */
	END_HANGS,
	END_MEMORY,	/* the memory limit is exceeded */
};

/* Resident memory in MiB; 0 if it is not known. */
static u64 resident(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long long all, pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%llu %llu", &all, &pages) != 2)
		pages = 0;
	fclose(file);
	return pages * (u64)sysconf(_SC_PAGESIZE) >> 20;
}

/* Messages that wait in their sources for others to be sent. */
static u64 waiting(const struct sim *sim)
{
	u64 n = 0;

	for (u32 i = 0; i < sim->config.topo.nsites; i++)
		n += sim->config.fidelity->backlog(sim, i);
	return n;
}

/* The run is a part of a report, which has a progress line of its own. */
static bool quiet;

static void progress(const struct sim *sim)
{
	char of[64] = "";

	if (quiet || !progress_due())
		return;
	if (!sim->config.script)
		snprintf(of, sizeof(of), traffic.all_born ? " (messages until %llu)" : " of %llu",
			 (unsigned long long)sim->config.cycles);
	progress_show("cycle %llu%s: %u messages, %llu of %llu deliveries, %llu messages wait",
		      (unsigned long long)sim->now, of, traffic.n,
		      (unsigned long long)traffic.delivered,
		      (unsigned long long)traffic.deliveries, (unsigned long long)waiting(sim));
}

/*
 * Run until no event is left.  The network hangs if messages still wait, but there is no progress
 * for too long, or if there are too many errors.
 */
static enum end run(struct sim *sim, u64 *end, bool warned)
{
	const struct config *config = &sim->config;
	u64 network = resident();
	const struct event *event;

	while ((event = queue_take(&sim->queue))) {
		sim->now = event->time;
		if (event->kind != EVENT_BORN) {
			config->fidelity->event(sim, event);
		} else {
			traffic_born(sim);
			if (traffic.all_born && !warned) {
				progress_wipe();
				saturation_measured(sim);
			}
		}
		if (!(++sim->events & 0xffff)) {
			progress(sim);
			if (config->memory && resident() > network + config->memory) {
				progress_wipe();
				return END_MEMORY;
			}
		}
		if (!traffic_messages_over())
			*end = sim->now;
		else if (!traffic_all_over())
			*end = sim->news_at;
		if (sim->now - sim->news_at > config->patience || sim->wrong > WRONG_MAX)
			break;
	}
	progress_wipe();
	return traffic_messages_over() && config->fidelity->idle(sim) ? END_REST : END_HANGS;
}

static void report_config(const struct config *config)
{
	char text[32];

	output_group("config");
	output_text("topology", config->spec);
	output_text("fidelity", fidelities[config->representation].choice.name);
	if (config->script) {
		output_text("script", config->script_path);
	} else {
		if (!config->every)
			output_fixed("load", config->load, OPTION_UNIT);
		snprintf(text, sizeof(text), "%u-%u", config->targets[0], config->targets[1]);
		output_text("targets", text);
		output_fixed("unicast", config->unicast, OPTION_UNIT);
		if (config->datagrams)
			output_fixed("datagrams", config->datagrams, OPTION_UNIT);
		snprintf(text, sizeof(text), "%u-%u", config->bytes[0], config->bytes[1]);
		output_text("bytes", text);
		output_text("pattern", patterns[config->pattern].name);
		if (config->warmup != FC_NEVER)
			output_number("warmup", config->warmup);
	}
	if (config->routes)
		output_text("routes", config->routes_path);
	if (config->fault != FAULT_NONE) {
		snprintf(text, sizeof(text), "%s@%llu", faults[config->fault],
			 (unsigned long long)config->fault_at);
		output_text("fault", text);
	}
	output_fixed("loss", config->loss, OPTION_UNIT);
	fail_report();
	withhold_report();
	output_options(&care_command, config);
	output_group_end();
}

/* Report the latencies of messages, or of datagrams. */
static void report_latency(const struct config *config, bool datagrams)
{
	u64 sum = 0;
	u64 n;
	u64 *latency = traffic_latencies(config, datagrams, &n);

	for (u64 i = 0; i < n; i++)
		sum += latency[i];
	output_group(datagrams ? "datagram_latency" : "latency");
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

/* Report what became of the datagrams: pairs of a datagram and a target, except @sent. */
static void report_datagrams(const struct config *config)
{
	const struct dgram_counts *n = &traffic.dgram;

	output_group("datagrams");
	output_number("sent", n->sent);
	output_number("expected", n->expected);
	output_number("delivered", n->delivered);
	output_number("lost", n->lost);
	output_number("doubled", n->doubled);
	output_number("overtaken", n->overtaken);
	output_number("delivered_bytes", n->bytes);
	output_fixed("carried_flits_per_site_cycle",
		     n->carried_flits * OPTION_UNIT /
		     (config->topo.nsites * (config->cycles - config->steady)), OPTION_UNIT);
	output_group_end();
	report_latency(config, true);
}

/* Report the counters that are not 0. */
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

/* Report the comparison of messages sent and messages delivered. */
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
	/* Flits offered while traffic was generated, and sent until the last confirmation. */
	output_fixed("offered_flits_per_site_cycle",
		     traffic.until ? traffic.offered_flits * OPTION_UNIT /
				     (config->topo.nsites * traffic.until) : 0, OPTION_UNIT);
	/* The network carries this share in a steady state. */
	if (!config->script && !config->messages)
		output_fixed("carried_flits_per_site_cycle",
			     traffic.carried_flits * OPTION_UNIT /
			     (config->topo.nsites * (config->cycles - config->steady)),
			     OPTION_UNIT);
	output_fixed("sent_flits_per_site_cycle",
		     end ? flits * OPTION_UNIT / (config->topo.nsites * end) : 0, OPTION_UNIT);
	output_fixed("deliveries_per_site_cycle",
		     end ? traffic.delivered * OPTION_UNIT / (config->topo.nsites * end) : 0,
		     OPTION_UNIT);
	report_latency(config, false);
	if (config->datagrams)
		report_datagrams(config);
	report_counters(sim);
	if (withhold_any())
		output_number("withheld", withhold_count());
	report_oracle(sim);
	if (config->speed)
		speed_report(speed, sim);
	output_bool("hangs", !done);
	output_number("wrong", sim->wrong);
	output_bool("exactly_once", done && !sim->wrong && !traffic.dgram.lost);
	output_end();
}

/**
 * struct listing - a file that a run writes at its end
 * @option: its option
 * @path: its path, or NULL: none is wanted
 * @print: writes it
 * @file: the file, or NULL
 */
struct listing {
	const char *option;
	const char *path;
	void (*print)(const struct sim *sim, FILE *file);
	FILE *file;
};

#define LISTINGS	2

/* Close the files, and delete them. */
static void drop_listings(struct listing *listing)
{
	for (unsigned int i = 0; i < LISTINGS; i++) {
		if (!listing[i].file)
			continue;
		fclose(listing[i].file);
		unlink(listing[i].path);
	}
}

/* Open the files before the run.  Return: false after a line on standard error. */
static bool open_listings(struct listing *listing)
{
	for (unsigned int i = 0; i < LISTINGS; i++) {
		if (!listing[i].path)
			continue;
		listing[i].file = fopen(listing[i].path, "w");
		if (listing[i].file)
			continue;
		fprintf(stderr, "flitcast-sim: --%s %s: %s\n", listing[i].option, listing[i].path,
			strerror(errno));
		drop_listings(listing);
		return false;
	}
	return true;
}

/* Return: false if a file cannot be written. */
static bool write_listings(const struct sim *sim, struct listing *listing)
{
	bool good = true;

	for (unsigned int i = 0; i < LISTINGS; i++) {
		if (!listing[i].file)
			continue;
		listing[i].print(sim, listing[i].file);
		if (!(ferror(listing[i].file) | fclose(listing[i].file)))
			continue;
		fprintf(stderr, "flitcast-sim: --%s %s: the file cannot be written\n",
			listing[i].option, listing[i].path);
		good = false;
	}
	return good;
}

/* Report a completed run.  Return: false if writing failed. */
static bool print_results(struct sim *sim, const struct speed *speed, bool done, u64 end,
			  struct listing *listing)
{
	bool written;

	if (!done) {
		fprintf(stderr, "flitcast-sim: cycle %llu: the network hangs:\n",
			(unsigned long long)sim->now);
		sim->config.fidelity->print_stuck(sim);
	}
	fail_sum(sim);
	traffic_check(sim);
	written = write_listings(sim, listing);
	report(sim, speed, done, end);
	return written;
}

static void print_memory(const struct sim *sim)
{
	const struct config *config = &sim->config;

	fprintf(stderr,
		"flitcast-sim: cycle %llu of %llu: the run is given up: it takes more than %llu MiB of memory (--memory), and %llu of %u messages wait; lower --load, limit the queues with --backlog, or raise --memory\n",
		(unsigned long long)sim->now, (unsigned long long)config->cycles,
		(unsigned long long)config->memory, (unsigned long long)waiting(sim), traffic.n);
}

/* Set up the network and its traffic. */
static void begin(struct sim *sim)
{
	sim->net_rng.state = sim->config.seed;
	sim->traffic_rng.state = ~sim->config.seed;
	sim->config.fidelity->init(sim);
	traffic_init(sim);
}

static int simulate(struct sim *sim)
{
	struct listing listing[LISTINGS] = {
		{ .option = "list", .path = sim->config.list_path, .print = traffic_list },
		{ .option = "links", .path = sim->config.links_path, .print = net_list_links },
	};
	bool warned, printed = false;
	struct speed speed;
	enum end end;
	u64 over = 0;

	if (!open_listings(listing))
		return 2;
	warned = saturation_expected(&sim->config);
	speed_begin(&speed);
	begin(sim);
	speed_made(&speed);
	end = run(sim, &over, warned);
	speed_end(&speed);
	if (end == END_MEMORY) {
		print_memory(sim);
		drop_listings(listing);
	} else {
		printed = print_results(sim, &speed, end == END_REST, over, listing);
	}
	sim->config.fidelity->free(sim);
	if (sim->frames)
		sim_wrong(sim, "%llu frames were lost track of",
			  (unsigned long long)sim->frames);
	traffic_free();
	return end == END_REST && !sim->wrong && printed ? 0 : 1;
}

void care_settings(struct config *config, const char *spec)
{
	*config = defaults;
	config->mode = FC_MODE_CARE;
	config->fidelity = &fidelity_word;
	config->memory = 0;
	fc_topo_parse(&config->topo, spec);
	fc_topo_print(&config->topo, config->spec);
	set_timing(config);
}

u64 care_simulate(const struct config *config, u64 *delivered)
{
	struct sim sim = { .config = *config };
	u64 over, wrong;

	quiet = true;
	begin(&sim);
	wrong = run(&sim, &over, true) != END_REST;
	traffic_check(&sim);
	for (u32 i = 0; i < traffic.n; i++) {
		const struct target *target = traffic.message[i]->target;

		delivered[i] = target->times ? target->delivered_at : FC_NEVER;
	}
	config->fidelity->free(&sim);
	traffic_free();
	return wrong + sim.wrong + sim.frames;
}

/* Flits of the largest packet. */
static u32 max_flits(const struct config *config)
{
	u32 bytes = config->bytes[1] < FC_PACKET_MAX ? config->bytes[1] : FC_PACKET_MAX;

	if (config->script)
		bytes = FC_PACKET_MAX;
	return traffic_flits(config, bytes, config->targets[1]);
}

/* Adjust settings to the mode.  Return: exit status, or -1 to continue. */
static int set_mode(struct sim *sim)
{
	struct config *config = &sim->config;
	const char *error;

	if (!fc_mode_ops(config->mode)->classes)
		return -1;
	error = fc_vclass_init(&sim->classes, &config->topo);
	if (error) {
		fprintf(stderr, "flitcast-sim: %s: %s\n", config->spec, error);
		return 2;
	}
	if (fc_vclass_room(&sim->classes, FC_SITE_NONE)) {
		sim->next_hops = xcalloc(1, fc_vclass_room(&sim->classes, FC_SITE_NONE));
		fc_vclass_fill(&sim->classes, FC_SITE_NONE, sim->next_hops);
	}
	if (!config->window)
		config->window = fc_vnet_window((u32)config->flit - FC_LINK_SIZE);
	/* A packet has to fit into the window. */
	if (config->window < max_flits(config)) {
		fprintf(stderr,
			"flitcast-sim: --window %llu: packets of %u flits need a window of as many; raise --window or --flit, or lower --bytes\n",
			(unsigned long long)config->window, max_flits(config));
		return 2;
	}
	return -1;
}

/* Read the preference tables.  Return: exit status, or -1 to continue. */
static int set_routes(struct sim *sim)
{
	struct config *config = &sim->config;

	if (!config->routes_path)
		return -1;
	config->routes = routes_read(config->routes_path, config, &sim->classes);
	return config->routes ? -1 : 2;
}

static int main_of(enum fc_mode mode, int argc, char **argv)
{
	struct sim sim = { 0 };
	int status = parse(&sim.config, mode, argc, argv);

	if (status < 0)
		status = set_mode(&sim);
	if (status < 0)
		status = set_routes(&sim);
	if (status < 0)
		status = simulate(&sim);
	script_free(sim.config.script);
	routes_free(sim.config.routes);
	free(sim.next_hops);
	graph_free(&sim.config.topo);
	return status;
}

static int care_main(int argc, char **argv)
{
	return main_of(FC_MODE_CARE, argc, argv);
}

static int vnet_main(int argc, char **argv)
{
	return main_of(FC_MODE_VNET, argc, argv);
}

static const char tail[] =
	"\n"
	"Exit status: 0 if every target got every message once and whole, 1 if not, or if\n"
	"the run took more than --memory, 2 if the arguments make no sense.\n";

const struct option_command care_command = {
	.name = "care",
	.help = "Simulate the CARE protocol under random multicast traffic",
	.main = care_main,
	.variant = &care_reproduction.options,
	.tail = tail,
	.entries = entries, .nentries = FC_ARRAY_SIZE(entries), .defaults = &defaults,
	.check = check,
};

const struct option_command vnet_command = {
	.name = "vnet",
	.help = "Simulate virtual networks under random multicast traffic",
	.main = vnet_main,
	.tail = tail,
	.entries = entries, .nentries = FC_ARRAY_SIZE(entries), .defaults = &defaults,
	.check = check,
};
