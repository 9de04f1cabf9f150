// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"
#include "plot.h"
#include "progress.h"
#include "sweep.h"
#include "util.h"

#define POINTS_MAX	PLOT_POINTS_MAX
#define SEEDS_MAX	1000
#define VALUE_MAX	32
#define SEED_MAX	0xffffffff

/* Exit status of a run whose results could not be written. */
#define LOST		3

/* Prefix of a key in any group: the metric is the sum over all groups. */
#define ANY	"*."

/**
 * struct metric - a result of a run that a sweep reports
 * @path: its groups and its key in the format of output_record(); or ANY and its key
 * @column: its name, with the unit
 * @half: path of the half width of its interval, if the result of a run is itself an estimate
 * @unit: unit of the y axis, for metrics that are drawn
 * @curve: its name in the plot
 */
struct metric {
	const char *path;
	const char *column;
	const char *half;
	const char *unit;
	const char *curve;
};

#define METRICS_MAX	10

static const struct metric traffic[METRICS_MAX] = {
	{ .path = "offered_flits_per_site_cycle", .column = "offered_flits_per_site_cycle" },
	{ .path = "carried_flits_per_site_cycle", .column = "carried_flits_per_site_cycle" },
	{ .path = "latency.mean", .column = "latency_mean_cycles",
	  .unit = "latency, cycles", .curve = "mean" },
	{ .path = "latency.median", .column = "latency_median_cycles" },
	{ .path = "latency.p99", .column = "latency_p99_cycles",
	  .unit = "latency, cycles", .curve = "99 of 100" },
	{ .path = "delivered", .column = "delivered_messages" },
	{ .path = "wrong", .column = "wrong" },
};

/* With --datagrams: messages are the rest of the traffic. */
static const struct metric datagrams[METRICS_MAX] = {
	{ .path = "offered_flits_per_site_cycle", .column = "offered_flits_per_site_cycle" },
	{ .path = "carried_flits_per_site_cycle", .column = "carried_flits_per_site_cycle" },
	{ .path = "datagrams.carried_flits_per_site_cycle",
	  .column = "datagram_carried_flits_per_site_cycle" },
	{ .path = "latency.mean", .column = "latency_mean_cycles",
	  .unit = "latency, cycles", .curve = "messages" },
	{ .path = "datagram_latency.mean", .column = "datagram_latency_mean_cycles",
	  .unit = "latency, cycles", .curve = "datagrams" },
	{ .path = "datagrams.delivered", .column = "delivered_datagrams" },
	{ .path = "datagrams.lost", .column = "lost_datagrams" },
	{ .path = "datagrams.doubled", .column = "doubled_datagrams" },
	{ .path = "datagrams.overtaken", .column = "overtaken_datagrams" },
	{ .path = "wrong", .column = "wrong" },
};

static const struct metric broadcast[METRICS_MAX] = {
	{ .path = ANY "broadcasts", .column = "broadcasts" },
	{ .path = ANY "copies_received", .column = "copies_received",
	  .unit = "copies", .curve = "received" },
	{ .path = ANY "unreached", .column = "unreached_sites" },
	{ .path = ANY "fooled", .column = "fooled_sites" },
};

static const struct metric harts[METRICS_MAX] = {
	{ .path = "latency.mean", .column = "latency_mean_cycles",
	  .half = "latency.half_interval", .unit = "cycles", .curve = "latency" },
	{ .path = "mean_delivery.mean", .column = "delivery_mean_cycles",
	  .half = "mean_delivery.half_interval", .unit = "cycles", .curve = "delivery" },
	{ .path = "regular_latency.mean", .column = "regular_latency_mean_cycles",
	  .half = "regular_latency.half_interval" },
	{ .path = "busy.mean", .column = "busy_share", .half = "busy.half_interval" },
	{ .path = "backlog_per_link.mean", .column = "backlog_packets_per_link",
	  .half = "backlog_per_link.half_interval" },
	{ .path = "astray", .column = "astray_packets" },
	{ .path = "unserved", .column = "unserved_sites" },
};

static const struct metric postman[METRICS_MAX] = {
	{ .path = "time", .column = "time_cycles" },
	{ .path = "packets_sent", .column = "packets_sent" },
	{ .path = "latency.mean", .column = "latency_mean_cycles",
	  .unit = "latency, cycles", .curve = "mean" },
	{ .path = "latency.most", .column = "latency_most_cycles",
	  .unit = "latency, cycles", .curve = "most" },
	{ .path = "heads.stored", .column = "heads_stored" },
	{ .path = "wrong.lost", .column = "lost_packets" },
};

static const struct metric csr[METRICS_MAX] = {
	{ .path = "throughput", .column = "throughput_packets_per_node_slot",
	  .unit = "per node and slot; share", .curve = "throughput" },
	{ .path = "useful", .column = "useful_share_of_links",
	  .unit = "per node and slot; share", .curve = "useful links" },
	{ .path = "packets.attempts", .column = "attempted_packets" },
	{ .path = "packets.entered", .column = "entered_packets" },
	{ .path = "packets.delivered", .column = "delivered_packets" },
};

/* A command that supports sweeps, and its metrics. */
static const struct kind {
	const char *name;
	const struct metric *metric;
} kinds[] = {
	{ .name = "care", .metric = traffic },
	{ .name = "vnet", .metric = traffic },
	{ .name = "broadcast", .metric = broadcast },
	{ .name = "harts", .metric = harts },
	{ .name = "postman", .metric = postman },
	{ .name = "csr", .metric = csr },
};

/**
 * struct sweep - settings of a sweep
 * @command: command
 * @metric: metrics reported
 * @argc: number of arguments of each run
 * @argv: arguments: the name of the command, @seed_arg, @value, and the user's arguments
 * @own: index of the user's first argument
 * @named: the option that an argument names, or NULL
 * @option: the swept option, or NULL
 * @range: the values as the user gave them
 * @value: "--OPTION=VALUE" of the next run
 * @seed_arg: "--seed=N" of the next run
 * @from: first value, in millionths
 * @step: distance of two values, in millionths
 * @points: number of values
 * @seeds: runs of each value
 * @seed: first seed
 * @csv: output as CSV
 * @path: file of the plot, or NULL
 */
struct sweep {
	const struct option_command *command;
	const struct metric *metric;
	int argc;
	char **argv;
	int own;
	const struct option_entry **named;
	const struct option_entry *option;
	const char *range;
	char value[64 + VALUE_MAX];
	char seed_arg[VALUE_MAX];
	u64 from;
	u64 step;
	u32 points;
	u64 seeds;
	u64 seed;
	bool csv;
	const char *path;
};

static bool running;

bool sweep_running(void)
{
	return running;
}

int sweep_take(void *settings, const struct option_entry *entry, const char *value)
{
	return 0;
}

/*
 * The arguments.
 */

/* Parse a decimal fraction of at most six digits, in millionths. */
static bool take_decimal(const char **text, u64 *value)
{
	u64 whole, unit = OPTION_UNIT;

	if (!option_number(*text, (u64)1 << 40, &whole, text))
		return false;
	*value = whole * OPTION_UNIT;
	if (**text != '.')
		return true;
	for ((*text)++; **text >= '0' && **text <= '9' && unit > 1; (*text)++) {
		unit /= 10;
		*value += unit * (u64)(**text - '0');
	}
	return unit < OPTION_UNIT;
}

/* Convert a value in millionths to text. */
static void put_value(u64 value, char text[VALUE_MAX])
{
	size_t n = (size_t)snprintf(text, VALUE_MAX, "%llu.%06llu",
				    (unsigned long long)(value / OPTION_UNIT),
				    (unsigned long long)(value % OPTION_UNIT));

	while (text[n - 1] == '0')
		text[--n] = '\0';
	if (text[n - 1] == '.')
		text[--n] = '\0';
}

/* A value that begins with a digit and has two colons is meant as a sweep. */
static bool is_range(const char *value)
{
	const char *colon = strchr(value, ':');

	return *value >= '0' && *value <= '9' && colon && strchr(colon + 1, ':');
}

static int take_range(struct sweep *sweep, const struct option_entry *entry, const char *value)
{
	const char *at = value;
	u64 to, points;

	if (!strcmp(entry->name, "seed"))
		return option_refuse(entry->name, value, "is no sweep; give --seeds N");
	if (sweep->option) {
		fprintf(stderr,
			"flitcast-sim: --%s %s: --%s has a sweep, too; give FROM:TO:STEP to one option\n",
			entry->name, value, sweep->option->name);
		return 2;
	}
	if (!take_decimal(&at, &sweep->from) || *at++ != ':' || !take_decimal(&at, &to) ||
	    *at++ != ':' || !take_decimal(&at, &sweep->step) || *at ||
	    sweep->from > to || !sweep->step)
		return option_refuse(entry->name, value,
				     "must be FROM:TO:STEP with FROM <= TO and STEP above 0, such as 1:5:2");
	points = (to - sweep->from) / sweep->step + 1;
	if (points > POINTS_MAX)
		return option_refuse(entry->name, value, "must be at most 1000 values; raise STEP");
	sweep->points = (u32)points;
	sweep->option = entry;
	sweep->range = value;
	return 0;
}

static int take_number(const char *name, const char *value, u64 least, u64 most, u64 *number)
{
	const char *end;
	char why[64];

	if (option_number(value, most, number, &end) && !*end && *number >= least)
		return 0;
	snprintf(why, sizeof(why), "must be a whole number from %llu to %llu",
		 (unsigned long long)least, (unsigned long long)most);
	return option_refuse(name, value, why);
}

/* Apply an option of the sweep itself.  Return: 0, or 2, the exit status. */
static int take_own(struct sweep *sweep, const struct option_entry *entry, const char *value)
{
	if (!strcmp(entry->name, "csv")) {
		sweep->csv = true;
		return value ? option_usage("--csv takes no value") : 0;
	}
	if (!value || !*value)
		return option_usage("--%s: its value %s is missing", entry->name, entry->value);
	if (!strcmp(entry->name, "seeds"))
		return take_number(entry->name, value, 1, SEEDS_MAX, &sweep->seeds);
	sweep->path = value;
	return 0;
}

/* Parse the first seed.  Return: false if @value is no seed; a run then reports the error. */
static bool take_seed(struct sweep *sweep, const char *value)
{
	u64 seed;

	if (!option_number(value, SEED_MAX, &seed, &value) || *value)
		return false;
	sweep->seed = seed;
	return true;
}

static void add(struct sweep *sweep, const struct option_entry *entry, char *arg)
{
	sweep->named[sweep->argc] = entry;
	sweep->argv[sweep->argc++] = arg;
}

/*
 * Resolve names as a run does; the run reports unknown ones.
 * Return: 0, or 2, the exit status; @asked: the arguments request a sweep; @help: for help.
 */
static int parse(struct sweep *sweep, int argc, char **argv, bool *asked, bool *help)
{
	bool ended = false;
	int status = 0;

	sweep->own = 3;
	sweep->argc = sweep->own;
	for (int i = 1; i < argc && !status; i++) {
		const struct option_entry *entry = NULL;
		char *arg = argv[i], *value = strchr(arg, '=');
		int first = i;

		ended |= !strcmp(arg, "--");
		if (!ended && arg[0] == '-' && arg[1])
			entry = option_find(sweep->command, arg);
		*help |= !ended && (!strcmp(arg, "--help") || !strcmp(arg, "-h"));
		if (value)
			value++;
		else if (entry && (entry->value || entry->type == OPTION_CHOICE) && i + 1 < argc)
			value = argv[++i];
		if (entry && entry->take == sweep_take) {
			*asked = true;
			status = take_own(sweep, entry, value);
		} else if (entry && value && entry->most && is_range(value)) {
			*asked = true;
			status = take_range(sweep, entry, value);
		} else if (!entry || !value || strcmp(entry->name, "seed") ||
			   !take_seed(sweep, value)) {
			add(sweep, entry, arg);
			if (i > first)
				add(sweep, NULL, value);
		}
	}
	return status;
}

/* Does the option accept all values?  Return: 0, or 2, the exit status. */
static int check_range(const struct sweep *sweep)
{
	const struct option_entry *entry = sweep->option;
	u64 unit = entry->type == OPTION_FRACTION ? 1 : OPTION_UNIT;
	u64 last = sweep->from + (sweep->points - 1) * sweep->step;
	char why[64 + 2 * VALUE_MAX], least[VALUE_MAX], most[VALUE_MAX];

	if (sweep->from % unit || (sweep->points > 1 && sweep->step % unit))
		return option_refuse(entry->name, sweep->range, "must be whole numbers");
	if (sweep->from >= entry->least * unit && last <= entry->most * unit)
		return 0;
	put_value(entry->least * unit, least);
	put_value(entry->most * unit, most);
	snprintf(why, sizeof(why), "must be values from %s to %s", least, most);
	return option_refuse(entry->name, sweep->range, why);
}

/*
 * Refuse a second value of the swept option, and options whose output a sweep cannot report, or the
 * next run would overwrite.
 */
static int check_arguments(const struct sweep *sweep)
{
	static const char *const bad[] = { "json", "links", "list", "reproduce", "speed", "svg" };

	for (int i = sweep->own; i < sweep->argc; i++) {
		const struct option_entry *entry = sweep->named[i];

		if (!entry)
			continue;
		if (entry == sweep->option)
			return option_refuse(entry->name, sweep->range,
					     "has another value, too; give one");
		for (u32 j = 0; j < FC_ARRAY_SIZE(bad); j++) {
			if (strcmp(entry->name, bad[j]))
				continue;
			fprintf(stderr,
				"flitcast-sim: --%s means nothing with a sweep, --seeds, --csv or --plot; leave it out\n",
				bad[j]);
			return 2;
		}
	}
	if (sweep->path && !sweep->option)
		return option_refuse("plot", sweep->path,
				     "needs a sweep; give FROM:TO:STEP to an option, such as --load 0.01:0.05:0.01");
	if (sweep->seed + sweep->seeds - 1 > SEED_MAX) {
		fprintf(stderr,
			"flitcast-sim: --seeds %llu: from --seed %llu on, seeds go beyond %llu; lower one of both\n",
			(unsigned long long)sweep->seeds, (unsigned long long)sweep->seed,
			(unsigned long long)SEED_MAX);
		return 2;
	}
	return sweep->option ? check_range(sweep) : 0;
}

/*
 * The runs.
 */

static void pass_on(FILE *errors)
{
	char part[4096];
	size_t n;

	rewind(errors);
	while ((n = fread(part, 1, sizeof(part), errors)))
		fwrite(part, 1, n, stderr);
}

static u64 value_of(const struct sweep *sweep, u32 point)
{
	return sweep->from + point * sweep->step;
}

/* Do one run in a process of its own; a file takes its results.  Return: the exit status. */
static int run_once(const struct sweep *sweep, FILE *results, FILE *errors)
{
	pid_t parent = getpid();
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("a run cannot begin: %s", strerror(errno));
	if (!pid) {
		/* A run does not outlive the sweep. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		if (dup2(fileno(results), STDOUT_FILENO) < 0 ||
		    dup2(fileno(errors), STDERR_FILENO) < 0)
			_exit(1);
		running = true;
		output_record();
		status = option_run(sweep->command, sweep->argc, sweep->argv);
		_exit(fflush(stdout) || ferror(stdout) ? LOST : status);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("a run is lost: %s", strerror(errno));
	if (!WIFEXITED(status))
		die("a run ended with signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status) == LOST)
		die("the results of a run cannot be written to a temporary file");
	return WEXITSTATUS(status);
}

static bool is_at(const char *line, const char *path)
{
	const char *end = line + strcspn(line, "\n "), *key = line;
	size_t length;

	if (!strncmp(path, ANY, strlen(ANY))) {
		path += strlen(ANY);
		for (const char *at = line; at < end; at++)
			if (*at == '.')
				key = at + 1;
	}
	length = strlen(path);
	return (size_t)(end - key) == length && !strncmp(key, path, length);
}

/* Return: the value of a path in the results, the sum if it is in several groups, or NAN. */
static double result(FILE *results, const char *path)
{
	double sum = NAN;
	char line[512];

	rewind(results);
	while (fgets(line, sizeof(line), results))
		if (is_at(line, path))
			sum = (isnan(sum) ? 0 : sum) + strtod(line + strcspn(line, " "), NULL);
	return sum;
}

/*
 * Do all runs of a point; print their warnings once for each point, their errors always.
 * Return: the exit status.
 */
static int measure(struct sweep *sweep, u32 point, struct estimate *estimate)
{
	const struct metric *metric = sweep->metric;
	double value[METRICS_MAX][SEEDS_MAX];
	char text[VALUE_MAX];
	int worst = 0;

	put_value(value_of(sweep, point), text);
	if (sweep->option)
		snprintf(sweep->value, sizeof(sweep->value), "--%s=%s", sweep->option->name, text);
	for (u32 i = 0; i < sweep->seeds && worst < 2; i++) {
		FILE *results = tmpfile(), *errors = tmpfile();
		u64 seconds = progress_seconds();
		int status;

		if (!results || !errors)
			die("no temporary file can be made: %s", strerror(errno));
		snprintf(sweep->seed_arg, sizeof(sweep->seed_arg), "--seed=%llu",
			 (unsigned long long)(sweep->seed + i));
		progress_show("point %u of %u, run %u of %u, %llu:%02llu", point + 1,
			      sweep->points, i + 1, (u32)sweep->seeds,
			      (unsigned long long)seconds / 60, (unsigned long long)seconds % 60);
		status = run_once(sweep, results, errors);
		progress_wipe();
		if (status || !i)
			pass_on(errors);
		worst = status > worst ? status : worst;
		for (u32 m = 0; m < METRICS_MAX && metric[m].path; m++) {
			value[m][i] = result(results, metric[m].path);
			estimate[m].half = metric[m].half ? result(results, metric[m].half) : 0;
		}
		fclose(results);
		fclose(errors);
	}
	for (u32 m = 0; m < METRICS_MAX && metric[m].path && worst < 2; m++) {
		double half = estimate[m].half;

		estimate[m] = estimate_of(value[m], (u32)sweep->seeds);
		if (metric[m].half)
			estimate[m].half = half;
	}
	return worst;
}

/*
 * The output.
 */

/* Does the metric have a confidence interval? */
static bool has_half(const struct sweep *sweep, const struct metric *metric)
{
	return sweep->seeds > 1 || metric->half;
}

/* Print a cell: CSV has commas between cells, a table columns as wide as their names. */
static void put_cell(const struct sweep *sweep, bool first, const char *name, const char *suffix,
		     const char *text)
{
	if (sweep->csv)
		printf("%s%s%s", first ? "" : ",", text ? text : name, text ? "" : suffix);
	else
		printf("%s%*s%s", first ? "" : "  ",
		       text ? (int)(strlen(name) + strlen(suffix)) : 0, text ? text : name,
		       text ? "" : suffix);
}

static void put_number(const struct sweep *sweep, const char *name, const char *suffix,
		       double value)
{
	char text[VALUE_MAX];

	snprintf(text, sizeof(text), sweep->csv ? "%.9g" : "%.6g", value);
	put_cell(sweep, false, name, suffix, isnan(value) ? sweep->csv ? "" : "-" : text);
}

/* Print the line of a point; the header if @estimate is NULL. */
static void put_line(const struct sweep *sweep, u32 point, const struct estimate *estimate)
{
	const struct metric *metric = sweep->metric;
	char text[VALUE_MAX];

	put_value(value_of(sweep, point), text);
	if (sweep->option)
		put_cell(sweep, true, sweep->option->name, sweep->csv ? "" : "    ",
			 estimate ? text : NULL);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)sweep->seeds);
	put_cell(sweep, !sweep->option, "runs", "", estimate ? text : NULL);
	for (u32 m = 0; m < METRICS_MAX && metric[m].path; m++) {
		if (estimate)
			put_number(sweep, metric[m].column, "", estimate[m].mean);
		else
			put_cell(sweep, false, metric[m].column, "", NULL);
		if (!has_half(sweep, &metric[m]))
			continue;
		if (estimate)
			put_number(sweep, sweep->csv ? "" : "+-        ", "", estimate[m].half);
		else
			put_cell(sweep, false, sweep->csv ? metric[m].column : "+-        ",
				 sweep->csv ? "_ci95" : "", NULL);
	}
	printf("\n");
	flush_output();
}

static bool draw(const struct sweep *sweep, struct plot *plot,
		 struct estimate (*estimates)[METRICS_MAX])
{
	const struct metric *metric = sweep->metric;

	plot->points = sweep->points;
	plot->x_label = sweep->option->name;
	for (u32 m = 0; m < METRICS_MAX && metric[m].path; m++) {
		struct estimate *at;

		if (!metric[m].curve)
			continue;
		plot->y_label = metric[m].unit;
		at = plot_add(plot, metric[m].curve);
		for (u32 p = 0; p < sweep->points; p++) {
			plot->x[p] = (double)value_of(sweep, p) / OPTION_UNIT;
			at[p] = estimates[p][m];
		}
	}
	return plot_draw_to(plot, sweep->path);
}

static int run_all(struct sweep *sweep)
{
	struct estimate (*estimates)[METRICS_MAX] = xcalloc(sweep->points, sizeof(*estimates));
	struct plot *plot = xcalloc(1, sizeof(*plot));
	char title[256];
	int worst = 0;

	snprintf(title, sizeof(title), "flitcast-sim %s", sweep->command->name);
	for (int i = sweep->own; i < sweep->argc; i++)
		snprintf(title + strlen(title), sizeof(title) - strlen(title), " %s",
			 sweep->argv[i]);
	plot->title = title;
	for (u32 p = 0; p < sweep->points && worst < 2; p++) {
		int status = measure(sweep, p, estimates[p]);

		worst = status > worst ? status : worst;
		if (!p && status < 2)
			put_line(sweep, p, NULL);
		if (status < 2)
			put_line(sweep, p, estimates[p]);
	}
	if (worst < 2 && sweep->path && !draw(sweep, plot, estimates))
		worst = 1;
	free(plot);
	free(estimates);
	return worst;
}

/* Is an option among the arguments of the runs? */
static bool names(const struct sweep *sweep, const char *name)
{
	if (sweep->option && !strcmp(sweep->option->name, name))
		return true;
	for (int i = sweep->own; i < sweep->argc; i++)
		if (sweep->named[i] && !strcmp(sweep->named[i]->name, name))
			return true;
	return false;
}

int sweep_main(const struct option_command *command, int argc, char **argv)
{
	struct sweep sweep = { .command = command, .points = 1, .seeds = 1, .seed = 1 };
	bool asked = false, help = false;
	int status;

	for (u32 i = 0; i < FC_ARRAY_SIZE(kinds); i++)
		if (!strcmp(command->name, kinds[i].name))
			sweep.metric = kinds[i].metric;
	if (!sweep.metric)
		return option_run(command, argc, argv);
	sweep.argv = xcalloc((size_t)argc + 3, sizeof(*sweep.argv));
	sweep.named = xcalloc((size_t)argc + 3, sizeof(*sweep.named));
	status = parse(&sweep, argc, argv, &asked, &help);
	if (!asked || help) {
		status = option_run(command, argc, argv);
	} else {
		sweep.argv[0] = argv[0];
		sweep.argv[1] = sweep.seed_arg;
		/* Without a swept option a run gets the seed argument twice. */
		sweep.argv[2] = sweep.option ? sweep.value : sweep.seed_arg;
		if (sweep.metric == traffic && names(&sweep, "datagrams"))
			sweep.metric = datagrams;
		if (!status)
			status = check_arguments(&sweep);
		if (!status && sweep.path && !plot_possible(sweep.path))
			status = 1;
		if (!status)
			status = run_all(&sweep);
	}
	free(sweep.named);
	free(sweep.argv);
	return status;
}
