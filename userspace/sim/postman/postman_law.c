// SPDX-License-Identifier: GPL-2.0
/*
 * The paper's laws of latency, and the latency of one packet in an empty network;
 * W: bits of a flit, L: flits, D: channels, T: a cycle.
 *
 *	mad postman		kTD + LWT, k = 1
 *	virtual cut-through	WTD + LWT
 */
#include <math.h>
#include <stdio.h>

#include "base/finding.h"
#include "base/plot.h"
#include "postman_net.h"
#include "postman_report.h"

/* Flits of the packets of the law: 27 bits. */
#define LAW_FLITS	3

/* Channels from corner to corner. */
#define HOPS		(2 * (POSTMAN_SIZE - 1))

/*
 * Latencies from (1,1) to each other node of the paper's array
 * @corner: latency to (32,32): 89 and 570 in the paper
 * @straight: by channels: latency of a packet of 27 bits with one address, 0 if there is none
 * @turned: by channels: latency of a packet of 27 bits that turns
 * @same: by strategy, number of nodes with the latency of the law
 * @below: by strategy, number of nodes W - 1 (straight) or 2W - 3 cycles (turned) below the law
 * @nodes: number of nodes
 * @lengths: number of other lengths and flits tried
 * @lengths_right: by strategy, number of these with the law's latency for the mad postman, and
 *	with the difference of @below for virtual cut-through
 * @wrong: packets that were not delivered once and at their target
 */
static struct {
	u64 corner[POSTMAN_STRATEGIES];
	u64 straight[POSTMAN_STRATEGIES][HOPS + 1];
	u64 turned[POSTMAN_STRATEGIES][HOPS + 1];
	u32 same[POSTMAN_STRATEGIES];
	u32 below[POSTMAN_STRATEGIES];
	u32 nodes;
	u32 lengths;
	u32 lengths_right[POSTMAN_STRATEGIES];
	u64 wrong;
} law;

const char *const postman_strategies[POSTMAN_STRATEGIES] = {
	[POSTMAN_MAD] = "mad postman", [POSTMAN_CUT] = "virtual cut-through",
};

struct postman_model postman_strategy_model(enum postman_strategy strategy,
					    enum postman_fault fault)
{
	struct postman_model model = postman_model(strategy == POSTMAN_MAD);

	model.fault = fault;
	return model;
}

/* Latency by the law, in cycles. */
static u64 law_cycles(enum postman_strategy strategy, u32 flit, u32 flits, u32 hops)
{
	return (u64)(strategy == POSTMAN_MAD ? 1 : flit) * hops + (u64)flits * flit;
}

/*
 * Virtual cut-through is faster than the paper's law: no packet waits for a whole flit at the
 * target, nor for the first flit at a turn.
 */
static u64 below(enum postman_strategy strategy, u32 flit, bool turned)
{
	if (strategy == POSTMAN_MAD)
		return 0;
	return turned ? 2 * flit - 3 : flit - 1;
}

/* Latency of a packet of @flits flits, addresses included; @net has the paper's size. */
static u64 latency(struct postman_net *net, u32 x, u32 y, u32 flits)
{
	u32 from[POSTMAN_DIMENSIONS] = { 0 }, to[POSTMAN_DIMENSIONS] = { x, y };
	struct postman_result r;

	postman_net_clear(net);
	postman_net_add(net, from, to, flits - (x > 0) - (y > 0));
	postman_net_run(net, &r);
	law.wrong += !postman_result_right(&r);
	return r.time;
}

static void measure_nodes(enum postman_strategy strategy, enum postman_fault fault)
{
	struct postman_model model = postman_strategy_model(strategy, fault);
	struct postman_net *net = postman_net_new(&model, POSTMAN_SIZE);

	law.nodes = POSTMAN_SIZE * POSTMAN_SIZE - 1;
	for (u32 node = 1; node <= law.nodes; node++) {
		u32 x = node % POSTMAN_SIZE, y = node / POSTMAN_SIZE;
		u64 expected = law_cycles(strategy, model.flit, LAW_FLITS, x + y);
		u64 cycles = latency(net, x, y, LAW_FLITS);

		law.same[strategy] += cycles == expected;
		law.below[strategy] += cycles + below(strategy, model.flit, x && y) == expected;
		if (x && y)
			law.turned[strategy][x + y] = cycles;
		else
			law.straight[strategy][x + y] = cycles;
	}
	law.corner[strategy] = law.turned[strategy][HOPS];
	postman_net_free(net);
}

static void measure_lengths(enum postman_strategy strategy, enum postman_fault fault)
{
	static const u32 flit[] = { 7, 9, 16, 32 }, data[] = { 1, 2, 8, 64 };
	u32 end = POSTMAN_SIZE - 1;

	law.lengths = 0;
	for (u32 i = 0; i < FC_ARRAY_SIZE(flit); i++) {
		struct postman_model model = postman_strategy_model(strategy, fault);
		struct postman_net *net;

		model.flit = flit[i];
		net = postman_net_new(&model, POSTMAN_SIZE);
		for (u32 j = 0; j < FC_ARRAY_SIZE(data); j++) {
			for (u32 turn = 0; turn < 2; turn++) {
				u32 flits = data[j] + 1 + turn;
				u64 expected = law_cycles(strategy, flit[i], flits,
								  end + turn * end);
				u64 cycles = latency(net, end, turn * end, flits);

				law.lengths++;
				law.lengths_right[strategy] +=
					cycles + below(strategy, flit[i], turn) == expected;
			}
		}
		postman_net_free(net);
	}
}

static void measure(const void *settings)
{
	enum postman_fault fault = ((const struct postman_settings *)settings)->model.fault;

	for (u32 s = 0; s < POSTMAN_STRATEGIES; s++) {
		reproduce_point();
		measure_nodes((enum postman_strategy)s, fault);
		reproduce_point();
		measure_lengths((enum postman_strategy)s, fault);
	}
}

static void put_cycles(u64 cycles)
{
	if (cycles)
		printf("  %8llu", (unsigned long long)cycles);
	else
		printf("  %8s", "-");
}

static void print(void)
{
	printf("Latency in an empty network, cycles, packets of 27 bits from (1,1)\n"
	       "law: as published; straight: measured, along a row or a column (one address);\n"
	       "turned: measured, along both (two addresses)\n\n"
	       "      mad postman                   virtual cut-through\n"
	       " D    D + 27  straight    turned   9D + 27  straight    turned\n");
	for (u32 hops = 1; hops <= HOPS; hops++) {
		printf("%2u", hops);
		for (u32 s = 0; s < POSTMAN_STRATEGIES; s++) {
			put_cycles(law_cycles((enum postman_strategy)s, POSTMAN_FLIT,
					      LAW_FLITS, hops));
			put_cycles(law.straight[s][hops]);
			put_cycles(law.turned[s][hops]);
		}
		printf("\n");
	}
	printf("\n");
}

static bool draw(const char *dir)
{
	static const char *const labels[POSTMAN_STRATEGIES][2] = {
		[POSTMAN_MAD] = { "kTD + LWT", "mad postman" },
		[POSTMAN_CUT] = { "WTD + LWT", "cut-through" },
	};
	struct plot plot = {
		.file = "postman-latency.svg",
		.title = "Latency of 27 bits: laws, and measured to all nodes",
		.x_label = "channels (D)", .y_label = "cycles", .points = HOPS,
	};

	for (u32 s = 0; s < POSTMAN_STRATEGIES; s++) {
		struct estimate *published = plot_add(&plot, labels[s][0]);
		struct estimate *measured = plot_add(&plot, labels[s][1]);

		for (u32 i = 0; i < HOPS; i++) {
			u64 straight = law.straight[s][i + 1], turned = law.turned[s][i + 1];
			double a = (double)(straight ? straight : turned);
			double b = (double)(turned ? turned : straight);

			plot.x[i] = i + 1;
			published[i].mean = (double)law_cycles((enum postman_strategy)s,
							       POSTMAN_FLIT, LAW_FLITS, i + 1);
			measured[i] = (struct estimate){ (a + b) / 2, fabs(a - b) / 2 };
		}
	}
	return plot_draw(&plot, dir);
}

/* The paper's two packets. */
static const u64 corner[POSTMAN_STRATEGIES] = { [POSTMAN_MAD] = 89, [POSTMAN_CUT] = 570 };

static void single_packets(void)
{
	reproduced(law.corner[POSTMAN_MAD] == corner[POSTMAN_MAD],
		   "(1,1) to (32,32), 27 bits, mad postman: 89 cycles", "%llu",
		   (unsigned long long)law.corner[POSTMAN_MAD]);
	reproduced(law.corner[POSTMAN_CUT] == corner[POSTMAN_CUT],
		   "(1,1) to (32,32), 27 bits, virtual cut-through: 570 cycles", "%llu",
		   (unsigned long long)law.corner[POSTMAN_CUT]);
}

void postman_law_findings(void)
{
	single_packets();
	reproduced(law.same[POSTMAN_MAD] == law.nodes &&
		   law.lengths_right[POSTMAN_MAD] == law.lengths,
		   "mad postman: latency kTD + LWT with k = 1, D = 1 to 62",
		   "exactly so to %u of %u nodes, and with %u of %u other W and L",
		   law.same[POSTMAN_MAD], law.nodes, law.lengths_right[POSTMAN_MAD],
		   law.lengths);
	finding(law.same[POSTMAN_CUT] == law.nodes,
		"virtual cut-through: latency WTD + LWT, D = 1 to 62",
		"so to %u of %u nodes: %llu to (32,32), where the paper's simulation has %llu, too",
		law.same[POSTMAN_CUT], law.nodes,
		(unsigned long long)law.corner[POSTMAN_CUT],
		(unsigned long long)corner[POSTMAN_CUT]);
	reproduced(law.below[POSTMAN_CUT] == law.nodes &&
		   law.lengths_right[POSTMAN_CUT] == law.lengths,
		   "virtual cut-through: W cycles a channel",
		   "to %u of %u nodes WTD + LWT less W-1 (straight) or 2W-3 (turned), and with %u of %u other W and L",
		   law.below[POSTMAN_CUT], law.nodes, law.lengths_right[POSTMAN_CUT],
		   law.lengths);
}

const struct report_part postman_law_part = {
	.name = "laws of latency", .points = 2 * POSTMAN_STRATEGIES,
	.measure = measure, .print = print, .draw = draw, .wrong = &law.wrong,
};
