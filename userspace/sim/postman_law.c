// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>

#include "plot.h"
#include "postman_law.h"

/* Flits of the packets of the law: 27 bits. */
#define LAW_FLITS	3

const char *const postman_strategies[POSTMAN_STRATEGIES] = {
	[POSTMAN_MAD] = "mad postman", [POSTMAN_CUT] = "virtual cut-through",
};

struct postman_model postman_strategy_model(enum postman_strategy strategy, u8 fault)
{
	struct postman_model model = postman_model(strategy == POSTMAN_MAD);

	model.fault = fault;
	return model;
}

u64 postman_law_cycles(enum postman_strategy strategy, u32 flit, u32 flits, u32 hops)
{
	return (u64)(strategy == POSTMAN_MAD ? 1 : flit) * hops + (u64)flits * flit;
}

/*
 * Virtual cut-through is faster than the law says: nothing waits at the target for a
 * whole flit, nor, where a packet turns, for the first.
 */
static u64 below(enum postman_strategy strategy, u32 flit, bool turned)
{
	if (strategy == POSTMAN_MAD)
		return 0;
	return turned ? 2 * flit - 3 : flit - 1;
}

/* Of a packet of @flits flits, addresses included; @net is of the paper's size. */
static u64 latency(struct postman_net *net, u32 x, u32 y, u32 flits, bool *right)
{
	u32 from[POSTMAN_DIMENSIONS] = { 0 }, to[POSTMAN_DIMENSIONS] = { x, y };
	struct postman_result r;

	postman_net_clear(net);
	postman_net_add(net, from, to, flits - (x > 0) - (y > 0));
	postman_net_run(net, &r);
	*right = *right && postman_result_right(&r);
	return r.time;
}

static void measure_nodes(struct postman_law *law, enum postman_strategy strategy, u8 fault)
{
	struct postman_model model = postman_strategy_model(strategy, fault);
	struct postman_net *net = postman_net_new(&model, POSTMAN_SIZE);

	law->nodes = POSTMAN_SIZE * POSTMAN_SIZE - 1;
	for (u32 node = 1; node <= law->nodes; node++) {
		u32 x = node % POSTMAN_SIZE, y = node / POSTMAN_SIZE;
		u64 expected = postman_law_cycles(strategy, model.flit, LAW_FLITS, x + y);
		u64 cycles = latency(net, x, y, LAW_FLITS, &law->right);

		law->same[strategy] += cycles == expected;
		law->below[strategy] += cycles + below(strategy, model.flit, x && y) == expected;
		if (x && y)
			law->turned[strategy][x + y] = cycles;
		else
			law->straight[strategy][x + y] = cycles;
	}
	law->corner[strategy] = law->turned[strategy][POSTMAN_HOPS];
	postman_net_free(net);
}

static void measure_lengths(struct postman_law *law, enum postman_strategy strategy, u8 fault)
{
	static const u32 flit[] = { 7, 9, 16, 32 }, data[] = { 1, 2, 8, 64 };
	u32 end = POSTMAN_SIZE - 1;

	law->lengths = 0;
	for (u32 i = 0; i < FC_ARRAY_SIZE(flit); i++) {
		struct postman_model model = postman_strategy_model(strategy, fault);
		struct postman_net *net;

		model.flit = flit[i];
		net = postman_net_new(&model, POSTMAN_SIZE);
		for (u32 j = 0; j < FC_ARRAY_SIZE(data); j++) {
			for (u32 turn = 0; turn < 2; turn++) {
				u32 flits = data[j] + 1 + turn;
				u64 expected = postman_law_cycles(strategy, flit[i], flits,
								  end + turn * end);
				u64 cycles = latency(net, end, turn * end, flits, &law->right);

				law->lengths++;
				law->lengths_right[strategy] +=
					cycles + below(strategy, flit[i], turn) == expected;
			}
		}
		postman_net_free(net);
	}
}

void postman_law_measure(struct postman_law *law, u8 fault)
{
	*law = (struct postman_law){ .right = true };
	for (u32 s = 0; s < POSTMAN_STRATEGIES; s++) {
		measure_nodes(law, (enum postman_strategy)s, fault);
		measure_lengths(law, (enum postman_strategy)s, fault);
	}
}

static void put_cycles(u64 cycles)
{
	if (cycles)
		printf("  %8llu", (unsigned long long)cycles);
	else
		printf("  %8s", "-");
}

void postman_law_print(const struct postman_law *law)
{
	printf("Latency in an empty network, cycles, packets of 27 bits from (1,1)\n"
	       "law: as published; straight: measured, along a row or a column (one address);\n"
	       "turned: measured, along both (two addresses)\n\n"
	       "      mad postman                   virtual cut-through\n"
	       " D    D + 27  straight    turned   9D + 27  straight    turned\n");
	for (u32 hops = 1; hops <= POSTMAN_HOPS; hops++) {
		printf("%2u", hops);
		for (u32 s = 0; s < POSTMAN_STRATEGIES; s++) {
			put_cycles(postman_law_cycles((enum postman_strategy)s, POSTMAN_FLIT,
						      LAW_FLITS, hops));
			put_cycles(law->straight[s][hops]);
			put_cycles(law->turned[s][hops]);
		}
		printf("\n");
	}
	printf("\n");
}

bool postman_law_draw(const struct postman_law *law, const char *dir)
{
	static const char *const labels[POSTMAN_STRATEGIES][2] = {
		[POSTMAN_MAD] = { "kTD + LWT", "mad postman" },
		[POSTMAN_CUT] = { "WTD + LWT", "cut-through" },
	};
	struct plot plot = {
		.file = "postman-latency.svg",
		.title = "Latency of 27 bits: laws, and measured to all nodes",
		.x_label = "channels (D)", .y_label = "cycles", .points = POSTMAN_HOPS,
	};

	for (u32 s = 0; s < POSTMAN_STRATEGIES; s++) {
		struct estimate *published = plot_add(&plot, labels[s][0]);
		struct estimate *measured = plot_add(&plot, labels[s][1]);

		for (u32 i = 0; i < POSTMAN_HOPS; i++) {
			u64 straight = law->straight[s][i + 1], turned = law->turned[s][i + 1];
			double a = (double)(straight ? straight : turned);
			double b = (double)(turned ? turned : straight);

			plot.x[i] = i + 1;
			published[i].mean = (double)postman_law_cycles((enum postman_strategy)s,
								       POSTMAN_FLIT, LAW_FLITS,
								       i + 1);
			measured[i] = (struct estimate){ (a + b) / 2, fabs(a - b) / 2 };
		}
	}
	return plot_draw(&plot, dir);
}
