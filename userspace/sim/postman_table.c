// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "postman_table.h"
#include "postman_traffic.h"

/* Of the draws of a cell, those of a variant. */
#define VARIANT_DRAWS(draws)	(((draws) + 3) / 4)

const u64 postman_published[POSTMAN_STRATEGIES][POSTMAN_SPARSITIES] = {
	[POSTMAN_MAD] = { 464, 272, 191, 154 },
	[POSTMAN_CUT] = { 664, 570, 570, 570 },
};

/* One element of so many is sent. */
static const u32 one_in[POSTMAN_SPARSITIES] = { 1, 2, 3, 4 };

static const struct {
	const char *name;
	bool open;	/* the paper leaves it open */
} variants[POSTMAN_VARIANTS] = {
	[POSTMAN_V_ALL] = { "as the table", false },
	[POSTMAN_V_ADAPT] = { "without adaptive routing", false },
	[POSTMAN_V_SOURCING] = { "without adaptive sourcing", false },
	[POSTMAN_V_NEITHER] = { "without either", false },
	[POSTMAN_V_BUSYBACK] = { "without busyback, ample buffers", false },
	[POSTMAN_V_FORESEE] = { "without dead flits", false },
	[POSTMAN_V_DELAY] = { "a busyback is seen after 2 cycles", true },
	[POSTMAN_V_AGAIN] = { "no second chance straight ahead", true },
	[POSTMAN_V_CROSS] = { "the other machine goes first", true },
	[POSTMAN_V_X] = { "all packets begin in X", true },
	[POSTMAN_V_Y] = { "all packets begin in Y", true },
};

static void vary(struct postman_model *model, enum postman_variant variant)
{
	switch (variant) {
	case POSTMAN_V_ADAPT:
		model->adapt = false;
		break;
	case POSTMAN_V_SOURCING:
		model->sourcing = false;
		break;
	case POSTMAN_V_NEITHER:
		model->adapt = false;
		model->sourcing = false;
		break;
	case POSTMAN_V_BUSYBACK:
		model->busyback = false;
		break;
	case POSTMAN_V_FORESEE:
		model->foresee = true;
		break;
	case POSTMAN_V_DELAY:
		model->delay = 2;
		break;
	case POSTMAN_V_AGAIN:
		model->again = false;
		break;
	case POSTMAN_V_CROSS:
		model->cross = true;
		break;
	case POSTMAN_V_X:
		model->start = POSTMAN_START_X;
		break;
	case POSTMAN_V_Y:
		model->start = POSTMAN_START_Y;
		break;
	case POSTMAN_V_ALL:
	case POSTMAN_VARIANTS:
		break;
	}
}

static u64 transpose(struct postman_table *table, struct postman_net *net,
		     const struct postman_traffic *traffic, struct postman_cell *cell)
{
	struct postman_result r;

	postman_net_clear(net);
	postman_traffic_add(net, POSTMAN_SIZE, traffic);
	postman_net_run(net, &r);
	table->wrong += !postman_result_right(&r);
	cell->dead += (double)r.count.dead_made / (double)r.packets;
	return r.time;
}

static void measure_cell(struct postman_table *table, const struct postman_model *model,
			 u32 sparsity, u32 draws, u64 seed, u64 published,
			 struct postman_cell *cell)
{
	struct postman_net *net = postman_net_new(model, POSTMAN_SIZE);
	struct postman_traffic traffic = {
		.pattern = POSTMAN_TRANSPOSE, .flits = POSTMAN_DATA, .each = 1,
		.share = POSTMAN_UNIT / one_in[sparsity],
	};

	if (one_in[sparsity] == 1)
		draws = 1;
	*cell = (struct postman_cell){ .least = UINT64_MAX };
	for (u32 i = 0; i < draws; i++) {
		u64 time;

		traffic.seed = seed + i;
		time = transpose(table, net, &traffic, cell);
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
	cell->nth = transpose(table, net, &traffic, &(struct postman_cell){ 0 });
	postman_net_free(net);
}

void postman_table_measure(struct postman_table *table, u32 draws, u64 seed, u8 fault)
{
	*table = (struct postman_table){ .draws = draws };
	for (u32 s = 0; s < POSTMAN_STRATEGIES; s++) {
		for (u32 i = 0; i < POSTMAN_SPARSITIES; i++) {
			struct postman_model model =
				postman_strategy_model((enum postman_strategy)s, fault);
			u64 published = postman_published[s][i];

			measure_cell(table, &model, i, draws, seed, published, &table->cell[s][i]);
			for (u32 v = 0; v < POSTMAN_VARIANTS; v++) {
				model = postman_strategy_model((enum postman_strategy)s, fault);
				vary(&model, (enum postman_variant)v);
				measure_cell(table, &model, i, VARIANT_DRAWS(draws), seed,
					     published, &table->variant[v][s][i]);
			}
		}
	}
}

static void put_row(const struct postman_table *table, enum postman_strategy s)
{
	static const char *const sparsities[POSTMAN_SPARSITIES] = {
		"100 %", " 50 %", " 33 %", " 25 %"
	};

	for (u32 i = 0; i < POSTMAN_SPARSITIES; i++) {
		const struct postman_cell *cell = &table->cell[s][i];
		u64 published = postman_published[s][i];

		printf("%-20s %s  %9llu  %5llu %7.1f %5llu  ", postman_strategies[s],
		       sparsities[i], (unsigned long long)published,
		       (unsigned long long)cell->least, cell->mean,
		       (unsigned long long)cell->most);
		if (i)
			printf("%2u of %-2u", cell->not_above, table->draws);
		else
			printf("%+.1f %% ", 100 * (cell->mean / (double)published - 1));
		printf("  %5llu  %.2f\n", (unsigned long long)cell->nth, cell->dead);
	}
}

static void put_variants(const struct postman_table *table, bool open)
{
	printf("%-34s  mad postman               virtual cut-through\n"
	       "%-34s  100 %%   50 %%   33 %%   25 %%  100 %%   50 %%   33 %%   25 %%\n",
	       open ? "Choices that the paper leaves open" : "Mechanisms", "");
	for (u32 v = 0; v < POSTMAN_VARIANTS; v++) {
		if (variants[v].open != open && v != POSTMAN_V_ALL)
			continue;
		printf("%-34s", variants[v].name);
		for (u32 s = 0; s < POSTMAN_STRATEGIES; s++)
			for (u32 i = 0; i < POSTMAN_SPARSITIES; i++)
				printf("  %5.0f", table->variant[v][s][i].mean);
		printf("\n");
	}
	printf("\n");
}

void postman_table_print(const struct postman_table *table)
{
	printf("Transposition of a 32x32 matrix, cycles\n"
	       "draws: %u random sets of so many elements; not above: draws that took no longer than\n"
	       "published, at 100 %% how far off; n-th: every 1st to 4th element, row by row;\n"
	       "dead: dead flits a packet\n\n"
	       "                            published  least    mean  most  not above  n-th  dead\n",
	       table->draws);
	for (u32 s = 0; s < POSTMAN_STRATEGIES; s++)
		put_row(table, (enum postman_strategy)s);
	printf("\nThe same with other nodes, means of %u draws\n\n", VARIANT_DRAWS(table->draws));
	put_variants(table, false);
	put_variants(table, true);
}
