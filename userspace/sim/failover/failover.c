// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim failover: how soon a link that passes nothing is suspected, and how often one that
 * works is.
 */
#include <stdio.h>
#include <stdlib.h>

#include "failover.h"
#include "failover_pieces.h"
#include "core/link/hello.h"
#include "base/progress.h"
#include "base/util.h"

#define SAMPLES_MAX	100000
/* 20 flits a second in each direction. */
#define BUSY		(50 * FAILOVER_MS)

enum table {
	TABLE_ALL,
	TABLE_FALSE,
	TABLE_TIME,
	TABLE_DEATH,
	TABLE_TURN,
	TABLE_PIECES,
};

static const struct option_choice tables[] = {
	[TABLE_ALL] = { "all", "all of them (the default)" },
	[TABLE_FALSE] = { "false", "suspicions of a busy link that works" },
	[TABLE_TIME] = { "time", "time from a failure to the suspicion" },
	[TABLE_DEATH] = { "death", "idle links that are taken down, by interval of HELLO" },
	[TABLE_TURN] = { "turn", "suspicions of a link that is cut and whole in turn" },
	[TABLE_PIECES] = { "pieces", "outages where links fail one after the other" },
};

/**
 * struct settings - settings of the command
 * @table: enum table
 * @runs: runs of a row
 * @minutes: length of a run
 * @failures: failures of a row
 * @seed: first seed of the random numbers
 */
struct settings {
	enum table table;
	u64 runs;
	u64 minutes;
	u64 failures;
	u64 seed;
};

static const struct settings defaults = {
	.runs = 40, .minutes = 30, .failures = 1000, .seed = 1,
};

#define AT(member)	offsetof(struct settings, member)

static const struct option_entry entries[] = {
	OPTION("table", "T", "what is measured:", CHOICE, AT(table), OPTION_CHOICES(tables)),
	OPTION("runs", "N", "runs of each row", NUMBER, AT(runs), OPTION_RANGE(1, 10000)),
	OPTION("minutes", "N", "length of a run", NUMBER, AT(minutes), OPTION_RANGE(1, 1440)),
	OPTION("failures", "N", "failures of each row of the times", NUMBER, AT(failures),
	       OPTION_RANGE(1, SAMPLES_MAX)),
	OPTION("seed", "N", "same seed, same output", NUMBER, AT(seed),
	       OPTION_RANGE(0, 0xffffffff)),
};

/**
 * struct hosts - hosts and loss of a row
 * @name: its name in the table
 * @model: members that differ from the default
 */
struct hosts {
	const char *name;
	struct failover_model model;
};

#define SECOND		.each = FAILOVER_S, .stall = 100 * FAILOVER_MS
#define OFTEN		.each = 300 * FAILOVER_MS, .stall = 100 * FAILOVER_MS
#define LONG		SECOND, .stall_most = 500 * FAILOVER_MS

static const struct hosts busy[] = {
	{ "no stalls, no loss", { .loss = 0 } },
	{ "100 ms each second, 5 %", { .loss = 5, SECOND } },
	{ "100 ms each 300 ms, 5 %", { .loss = 5, OFTEN } },
	{ "both at once, 100 ms each second, 5 %", { .loss = 5, SECOND, .together = true } },
	{ "mean 100, at most 500 ms, each second, 5 %", { .loss = 5, LONG } },
	{ "no stalls, 20 %", { .loss = 20 } },
	{ "no stalls, 60 %", { .loss = 60 } },
};

static const struct hosts idle[] = {
	{ "100 ms each second, 5 %", { .loss = 5, SECOND } },
	{ "100 ms each 300 ms, 5 %", { .loss = 5, OFTEN } },
	{ "mean 100, at most 500 ms, each second, 5 %", { .loss = 5, LONG } },
	{ "no stalls, 20 %", { .loss = 20 } },
};

/* Interval of HELLO, ms, and how many without a frame mean death. */
static const struct pace {
	u16 hello;
	u8 dead;
} paces[] = {
	{ 50, 5 }, { 100, 3 }, { 500, 4 }, { FC_HELLO_MS, FC_HELLO_DEAD }, { 1000, 5 },
};

static u32 done;

static void show_progress(const char *table)
{
	done++;
	if (progress_due())
		progress_show("%s: run %u", table, done);
}

static struct failover_model model_of(const struct hosts *hosts, u64 flits)
{
	struct failover_model model = hosts->model;

	model.busy = flits;
	model.hello = FC_HELLO_MS;
	model.dead = FC_HELLO_DEAD;
	return model;
}

/* Sum of the results of all runs of a row. */
static struct failover_result sum(const struct settings *s, const struct failover_model *model)
{
	struct failover_result all = { 0 };

	for (u64 i = 0; i < s->runs; i++) {
		struct failover_result r = failover_run(model, s->minutes * 60 * FAILOVER_S,
							s->seed + i);

		all.silences += r.silences;
		all.suspicions += r.suspicions;
		all.trusts += r.trusts;
		all.deaths += r.deaths;
		all.resets += r.resets;
		all.avoided += r.avoided;
		show_progress(tables[s->table].name);
	}
	return all;
}

/* Print a mean, with two decimals. */
static void put_mean(u64 all, u64 of)
{
	u64 hundredths = (all * 100 + of / 2) / of;
	char text[32];

	snprintf(text, sizeof(text), "%llu.%02llu", (unsigned long long)hundredths / 100,
		 (unsigned long long)hundredths % 100);
	printf("  %10s", text);
}

/* Print the share of a time, in per cent. */
static void put_share(const struct settings *s, u64 time)
{
	put_mean(time / (s->minutes * 60 * (FAILOVER_S / 10000)), s->runs * 100);
}

static void false_suspicions(const struct settings *s)
{
	printf("Busy link that works (20 flits/s each way), in %llu min, means of %llu runs\n"
	       "silences: polls have no answer, both ends; late: as if late timers counted;\n"
	       "suspicions: where no flits are sent meanwhile; avoided: time, per cent\n\n"
	       "%-44s  %10s  %10s  %10s  %10s  %10s\n", (unsigned long long)s->minutes,
	       (unsigned long long)s->runs, "stalls, loss", "late", "silences", "suspicions",
	       "avoided", "deaths");
	for (u32 i = 0; i < FC_ARRAY_SIZE(busy); i++) {
		struct failover_model model = model_of(&busy[i], BUSY);
		struct failover_result stays, late, leaves;

		stays = sum(s, &model);
		model.late = true;
		late = sum(s, &model);
		model.late = false;
		model.leaves = true;
		leaves = sum(s, &model);
		progress_wipe();
		printf("%-44s", busy[i].name);
		put_mean(late.silences, s->runs);
		put_mean(stays.silences, s->runs);
		put_mean(leaves.suspicions, s->runs);
		put_share(s, leaves.avoided);
		put_mean(stays.deaths + leaves.deaths, 2 * s->runs);
		printf("\n");
	}
	printf("\n");
}

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Print the least time that so many of a thousand samples do not exceed. */
static void put_quantile(const u64 *time, u64 n, u64 thousandths)
{
	u64 i = (n * thousandths + 999) / 1000;

	printf("  %6llu", (unsigned long long)((time[i - 1] + FAILOVER_MS - 1) / FAILOVER_MS));
}

static void put_times(const struct settings *s, const char *name,
		      const struct failover_model *model, enum failover_fault fault)
{
	u64 *first = xcalloc(s->failures, sizeof(*first));
	u64 *last = xcalloc(s->failures, sizeof(*last));
	u64 n = 0;

	for (u64 i = 0; n < s->failures; i++) {
		n += failover_fail(model, fault, &first[n], &last[n], s->seed + i);
		show_progress(tables[s->table].name);
	}
	qsort(first, n, sizeof(*first), compare);
	qsort(last, n, sizeof(*last), compare);
	progress_wipe();
	printf("%-44s", name);
	put_quantile(first, n, 500);
	put_quantile(first, n, 990);
	put_quantile(first, n, 1000);
	printf("  ");
	put_quantile(last, n, 500);
	put_quantile(last, n, 990);
	put_quantile(last, n, 1000);
	printf("\n");
	free(first);
	free(last);
}

static void times(const struct settings *s)
{
	static const char *const names[FAILOVER_FAULTS] = {
		[FAILOVER_SILENT] = "silent link",
		[FAILOVER_SIMPLEX] = "silent in one direction",
		[FAILOVER_DEAD] = "dead host",
	};
	static const struct hosts hosts[] = {
		{ "no loss", { .loss = 0 } },
		{ "5 % loss", { .loss = 5 } },
		{ "stalls, 5 %", { .loss = 5, SECOND } },
		{ "flits wait", { .loss = 0, .held = true } },
	};

	printf("Time from a failure until an end of a busy link suspects it, ms, %llu failures\n"
	       "stalls: of 100 ms each second, of each host; flits wait: the hosts have no room for\n"
	       "what they receive; first and last: of the ends that run\n\n"
	       "%-44s  %-22s    %s\n%-44s", (unsigned long long)s->failures, "",
	       "first:", "last:", "failure, hosts");
	for (u32 i = 0; i < 2; i++)
		printf("%s  %6s  %6s  %6s", i ? "  " : "", "p50", "p99", "max");
	printf("\n");
	for (u32 h = 0; h < FC_ARRAY_SIZE(hosts); h++) {
		for (u32 f = 0; f < FAILOVER_FAULTS; f++) {
			struct failover_model model = model_of(&hosts[h], BUSY);
			char name[64];

			snprintf(name, sizeof(name), "%s, %s", names[f], hosts[h].name);
			put_times(s, name, &model, (enum failover_fault)f);
		}
	}
	printf("\n");
}

static void deaths(const struct settings *s)
{
	printf("Runs of %llu in which an idle link that works is taken down, in %llu min\n\n%-44s",
	       (unsigned long long)s->runs, (unsigned long long)s->minutes,
	       "stalls, loss; HELLO/dead, ms");
	for (u32 p = 0; p < FC_ARRAY_SIZE(paces); p++) {
		char name[16];

		snprintf(name, sizeof(name), "%u/%u", paces[p].hello,
			 paces[p].hello * paces[p].dead);
		printf("  %9s", name);
	}
	printf("\n");
	for (u32 i = 0; i < FC_ARRAY_SIZE(idle); i++) {
		printf("%-44s", idle[i].name);
		for (u32 p = 0; p < FC_ARRAY_SIZE(paces); p++) {
			struct failover_model model = model_of(&idle[i], 0);
			u32 bad = 0;

			model.hello = paces[p].hello;
			model.dead = paces[p].dead;
			for (u64 run = 0; run < s->runs; run++) {
				bad += !!failover_run(&model, s->minutes * 60 * FAILOVER_S,
						      s->seed + run).deaths;
				show_progress(tables[s->table].name);
			}
			progress_wipe();
			printf("  %9u", bad);
		}
		printf("\n");
	}
	printf("\n");
}

static void turns(const struct settings *s)
{
	static const struct hosts hosts[] = {
		{ "cut and whole in turn, 400 ms each", { .turn = 400 * FAILOVER_MS } },
		{ "20 % loss", { .loss = 20 } },
		{ "60 % loss", { .loss = 60 } },
	};

	printf("Busy link that other routes can replace, in %llu min, means of %llu runs\n"
	       "changes: suspicions that begin or end, both ends; avoided: time, per cent\n\n"
	       "%-44s  %10s  %10s  %10s  %10s\n", (unsigned long long)s->minutes,
	       (unsigned long long)s->runs, "link", "changes", "avoided", "deaths", "resets");
	for (u32 i = 0; i < FC_ARRAY_SIZE(hosts); i++) {
		struct failover_model model = model_of(&hosts[i], BUSY);
		struct failover_result r;

		model.leaves = true;
		r = sum(s, &model);
		progress_wipe();
		printf("%-44s", hosts[i].name);
		put_mean(r.suspicions + r.trusts, s->runs);
		put_share(s, r.avoided);
		put_mean(r.deaths, s->runs);
		put_mean(r.resets, s->runs);
		printf("\n");
	}
	printf("\n");
}

static void pieces(const struct settings *s)
{
	failover_pieces_table(s->failures, s->seed);
}

static int failover_main(int argc, char **argv)
{
	static void (*const make[])(const struct settings *) = {
		[TABLE_FALSE] = false_suspicions, [TABLE_TIME] = times, [TABLE_DEATH] = deaths,
		[TABLE_TURN] = turns, [TABLE_PIECES] = pieces,
	};
	struct settings settings = defaults, one;
	int status = option_parse(&failover_command, &settings, argc, argv);

	if (status >= 0)
		return status;
	for (u32 t = TABLE_FALSE; t <= TABLE_PIECES; t++) {
		if (settings.table != TABLE_ALL && settings.table != t)
			continue;
		one = settings;
		one.table = (enum table)t;
		done = 0;
		make[t](&one);
		flush_output();
	}
	return 0;
}

const struct option_command failover_command = {
	.name = "failover",
	.help = "Simulate a link that fails, loses frames, or has hosts that stall",
	.main = failover_main,
	OPTION_TABLE(entries), .defaults = &defaults,
};
