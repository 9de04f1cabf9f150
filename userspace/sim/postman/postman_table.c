// SPDX-License-Identifier: GPL-2.0
/*
 * The transposition of a 32x32 matrix: the paper's table, and variants of the model.
 */
#include <math.h>
#include <stdio.h>

#include "base/finding.h"
#include "postman_report.h"
#include "postman_traffic.h"

/* Draws of a variant, a quarter of those of a cell. */
#define VARIANT_DRAWS(draws)	(((draws) + 3) / 4)

/* All elements: tolerance against the published time, per cent. */
#define DENSE		5.0
/* "Little or no effect" of dead flits: largest difference of the time, per cent. */
#define LITTLE		5.0
/* A quarter of the elements: "reduction" means less than this share of the full time, per cent; */
#define REDUCED		50.0
/* more than this share means no notable reduction. */
#define KEPT		75.0

/* Shares of the elements sent: 100, 50, 33 and 25 per cent. */
#define SPARSITIES	4

/**
 * struct cell - results of one strategy at one sparsity
 * @least: least time of the draws, cycles; a set of all elements has one draw
 * @most: largest time, cycles
 * @mean: mean time, cycles
 * @not_above: draws that took no longer than the paper's number
 * @nth: time if every 2nd, 3rd or 4th element is sent, row by row
 * @dead: mean number of dead flits for each packet
 */
struct cell {
	u64 least;
	u64 most;
	double mean;
	u32 not_above;
	u64 nth;
	double dead;
};

/* Variants of the model: disabled mechanisms, and choices that the paper leaves open. */
enum variant {
	V_ALL,
	V_ADAPT,
	V_SOURCING,
	V_NEITHER,
	V_BUSYBACK,
	V_FORESEE,
	V_DELAY,
	V_AGAIN,
	V_CROSS,
	V_X,
	V_Y,
	VARIANTS
};

/*
 * Results
 * @cell: the paper's table
 * @variant: the table in all variants, with fewer draws
 * @draws: draws of each sparse cell
 * @wrong: runs that were not postman_result_right()
 */
static struct {
	struct cell cell[POSTMAN_STRATEGIES][SPARSITIES];
	struct cell variant[VARIANTS][POSTMAN_STRATEGIES][SPARSITIES];
	u32 draws;
	u64 wrong;
} table;

/* Times of the paper's table. */
static const u64 published_time[POSTMAN_STRATEGIES][SPARSITIES] = {
	[POSTMAN_MAD] = { 464, 272, 191, 154 },
	[POSTMAN_CUT] = { 664, 570, 570, 570 },
};

/* One in this many elements is sent; the share in per cent. */
static const u32 one_in[SPARSITIES] = { 1, 2, 3, 4 };
static const u32 percent[SPARSITIES] = { 100, 50, 33, 25 };

#define AT(member)	offsetof(struct postman_model, member)

/*
 * Differences of the nodes from the model
 * @name: description of the difference
 * @open: the paper leaves this choice open
 * @flip: bools of the model to invert; 0: none
 * @delay: delay of the model; 0: unchanged
 * @start: start of the model; 0: unchanged
 */
static const struct {
	const char *name;
	bool open;
	size_t flip[2];
	u32 delay;
	enum postman_start start;
} variants[VARIANTS] = {
	[V_ALL] = { .name = "as the table" },
	[V_ADAPT] = { .name = "without adaptive routing", .flip = { AT(adapt) } },
	[V_SOURCING] = { .name = "without adaptive sourcing", .flip = { AT(sourcing) } },
	[V_NEITHER] = { .name = "without either", .flip = { AT(adapt), AT(sourcing) } },
	[V_BUSYBACK] = { .name = "without busyback, ample buffers", .flip = { AT(busyback) } },
	[V_FORESEE] = { .name = "without dead flits", .flip = { AT(foresee) } },
	[V_DELAY] = { .name = "a busyback is seen after 2 cycles", .open = true, .delay = 2 },
	[V_AGAIN] = {
		.name = "no second chance straight ahead", .open = true, .flip = { AT(again) }
	},
	[V_CROSS] = {
		.name = "the other machine goes first", .open = true, .flip = { AT(cross) }
	},
	[V_X] = { .name = "all packets begin in X", .open = true, .start = POSTMAN_START_X },
	[V_Y] = { .name = "all packets begin in Y", .open = true, .start = POSTMAN_START_Y },
};

static void vary(struct postman_model *model, enum variant variant)
{
	for (u32 i = 0; i < FC_ARRAY_SIZE(variants->flip); i++) {
		bool *flag = (bool *)model + variants[variant].flip[i];

		if (variants[variant].flip[i])
			*flag = !*flag;
	}
	if (variants[variant].delay)
		model->delay = variants[variant].delay;
	if (variants[variant].start)
		model->start = variants[variant].start;
}

static u64 transpose(struct postman_net *net,
		     const struct postman_traffic *traffic, struct cell *cell)
{
	struct postman_result r;

	postman_net_clear(net);
	postman_traffic_add(net, POSTMAN_SIZE, traffic);
	postman_net_run(net, &r);
	table.wrong += !postman_result_right(&r);
	cell->dead += (double)r.count.dead_made / (double)r.packets;
	return r.time;
}

static void measure_cell(const struct postman_model *model,
			 u32 sparsity, u32 draws, u64 seed, u64 published,
			 struct cell *cell)
{
	struct postman_net *net = postman_net_new(model, POSTMAN_SIZE);
	struct postman_traffic traffic = {
		.pattern = POSTMAN_TRANSPOSE, .flits = POSTMAN_DATA, .each = 1,
		.share = POSTMAN_UNIT / one_in[sparsity],
	};

	reproduce_point();
	if (one_in[sparsity] == 1)
		draws = 1;
	*cell = (struct cell){ .least = UINT64_MAX };
	for (u32 i = 0; i < draws; i++) {
		u64 time;

		traffic.seed = seed + i;
		time = transpose(net, &traffic, cell);
		if (time < cell->least)
			cell->least = time;
		if (time > cell->most)
			cell->most = time;
		cell->not_above += time <= published;
		cell->mean += (double)time;
	}
	cell->mean /= draws;
	cell->dead /= draws;
	traffic.nth = one_in[sparsity];
	cell->nth = transpose(net, &traffic, &(struct cell){ 0 });
	postman_net_free(net);
}

static void measure(const void *settings)
{
	const struct postman_settings *given = settings;
	enum postman_fault fault = given->model.fault;
	u32 draws = (u32)given->draws;
	u64 seed = given->common.seed;

	table.draws = draws;
	for (u32 s = 0; s < POSTMAN_STRATEGIES; s++) {
		for (u32 i = 0; i < SPARSITIES; i++) {
			struct postman_model model =
				postman_strategy_model((enum postman_strategy)s, fault);
			u64 published = published_time[s][i];

			measure_cell(&model, i, draws, seed, published, &table.cell[s][i]);
			for (u32 v = 0; v < VARIANTS; v++) {
				model = postman_strategy_model((enum postman_strategy)s, fault);
				vary(&model, (enum variant)v);
				measure_cell(&model, i, VARIANT_DRAWS(draws), seed,
					     published, &table.variant[v][s][i]);
			}
		}
	}
}

static void put_row(enum postman_strategy s)
{
	for (u32 i = 0; i < SPARSITIES; i++) {
		const struct cell *cell = &table.cell[s][i];
		u64 published = published_time[s][i];

		printf("%-20s %3u %%  %9llu  %5llu %7.1f %5llu  ", postman_strategies[s],
		       percent[i], (unsigned long long)published,
		       (unsigned long long)cell->least, cell->mean,
		       (unsigned long long)cell->most);
		if (i)
			printf("%2u of %-2u", cell->not_above, table.draws);
		else
			printf("%+.1f %% ", 100 * (cell->mean / (double)published - 1));
		printf("  %5llu  %.2f\n", (unsigned long long)cell->nth, cell->dead);
	}
}

static void put_variants(bool open)
{
	printf("%-34s  mad postman               virtual cut-through\n"
	       "%-34s  100 %%   50 %%   33 %%   25 %%  100 %%   50 %%   33 %%   25 %%\n",
	       open ? "Choices that the paper leaves open" : "Mechanisms", "");
	for (u32 v = 0; v < VARIANTS; v++) {
		if (variants[v].open != open && v != V_ALL)
			continue;
		printf("%-34s", variants[v].name);
		for (u32 s = 0; s < POSTMAN_STRATEGIES; s++)
			for (u32 i = 0; i < SPARSITIES; i++)
				printf("  %5.0f", table.variant[v][s][i].mean);
		printf("\n");
	}
	printf("\n");
}

static void print(void)
{
	printf("Transposition of a 32x32 matrix, cycles\n"
	       "draws: %u random sets of so many elements; not above: draws that took no longer than\n"
	       "published, at 100 %% how far off; n-th: every 1st to 4th element, row by row;\n"
	       "dead: dead flits a packet\n\n"
	       "                            published  least    mean  most  not above  n-th  dead\n",
	       table.draws);
	for (u32 s = 0; s < POSTMAN_STRATEGIES; s++)
		put_row((enum postman_strategy)s);
	printf("\nThe same with other nodes, means of %u draws\n\n", VARIANT_DRAWS(table.draws));
	put_variants(false);
	put_variants(true);
}

/*
 * Findings.
 */

static void transposition(void)
{
	for (u32 s = 0; s < POSTMAN_STRATEGIES; s++) {
		for (u32 i = 0; i < SPARSITIES; i++) {
			const struct cell *cell = &table.cell[s][i];
			double published = (double)published_time[s][i];
			double off = percent_more(cell->mean, published);
			char what[80];

			snprintf(what, sizeof(what), "transposition, %s, %u %%: %.0f cycles",
				 postman_strategies[s], percent[i], published);
			if (!i)
				reproduced(fabs(off) <= DENSE, what, "%.0f, %+.1f %% (within %.0f)",
					   cell->mean, off, DENSE);
			else
				reproduced((double)cell->least <= published &&
					   published <= (double)cell->most, what,
					   "within %llu to %llu, the range of %u draws; mean %.1f, %+.1f %%",
					   (unsigned long long)cell->least,
					   (unsigned long long)cell->most, table.draws,
					   cell->mean, off);
		}
	}
}

static void density(void)
{
	const struct cell *mad = table.cell[POSTMAN_MAD];
	const struct cell *cut = table.cell[POSTMAN_CUT];
	u32 last = SPARSITIES - 1;
	double mad_part = 100 * mad[last].mean / mad[0].mean;
	double cut_part = 100 * cut[last].mean / cut[0].mean;
	bool nearer = true, fewer = true;

	for (u32 i = 1; i < SPARSITIES; i++) {
		nearer = nearer && mad[i].mean / cut[i].mean < mad[i - 1].mean / cut[i - 1].mean;
		fewer = fewer && mad[i].dead > mad[i - 1].dead;
	}
	finding(nearer, "with the traffic the mad postman's time approaches virtual cut-through's",
		"%.0f %% of it at 25 %%, %.0f, %.0f, %.0f %% at 33, 50, 100 %%",
		100 * mad[3].mean / cut[3].mean, 100 * mad[2].mean / cut[2].mean,
		100 * mad[1].mean / cut[1].mean, 100 * mad[0].mean / cut[0].mean);
	finding(mad_part < REDUCED && cut_part > KEPT,
		"less to send takes less time, unlike with virtual cut-through",
		"25 %% of the elements take %.0f %% of the time of all, and %.0f %% with virtual cut-through (in the paper 33 and 86)",
		mad_part, cut_part);
	finding(fewer, "with the traffic dead flits become fewer for each packet",
		"%.2f at 25 %%, %.2f, %.2f, %.2f at 33, 50, 100 %%", mad[3].dead, mad[2].dead,
		mad[1].dead, mad[0].dead);
}

static void mechanisms(void)
{
	const struct cell *all = table.variant[V_ALL][POSTMAN_MAD];
	const struct cell *neither = table.variant[V_NEITHER][POSTMAN_MAD];
	const struct cell *foresee = table.variant[V_FORESEE][POSTMAN_MAD];
	double off[SPARSITIES], slower[SPARSITIES];
	bool little = true;

	for (u32 i = 0; i < SPARSITIES; i++) {
		off[i] = percent_more(all[i].mean, foresee[i].mean);
		slower[i] = percent_more(neither[i].mean, all[i].mean);
		little = little && fabs(off[i]) <= LITTLE;
	}
	finding(little, "dead flits have little or no effect on the performance",
		"with them %+.1f, %+.1f, %+.1f, %+.1f %% at 100, 50, 33, 25 %% (little: %.0f)",
		off[0], off[1], off[2], off[3], LITTLE);
	finding(slower[0] > 0 && slower[1] > 0 && slower[2] > 0 && slower[3] > 0,
		"adaptive routing and sourcing are not essential, and enhance the performance",
		"without both %+.1f, %+.1f, %+.1f, %+.1f %% at 100, 50, 33, 25 %%", slower[0],
		slower[1], slower[2], slower[3]);
}

void postman_table_findings(void)
{
	transposition();
	density();
	mechanisms();
}

const struct report_part postman_table_part = {
	.name = "transpositions", .points = POSTMAN_STRATEGIES * SPARSITIES * (1 + VARIANTS),
	.measure = measure, .print = print, .wrong = &table.wrong,
};
