// SPDX-License-Identifier: GPL-2.0
/*
 * CARE, section 1: M hops and N words take M x N by store-and-forward, M + N by cut-through.
 */
#include <stdio.h>

#include "base/finding.h"
#include "base/util.h"
#include "care_point.h"

#define HOPS	5
#define LENGTHS	4

/* A line of more sites than the longest path has links. */
#define LINE	"line:17"

/* Cycles between two packets: each is alone, with all acks before it. */
#define APART	3000

static const u32 hops[HOPS] = { 1, 2, 4, 8, 16 };
static const u32 lengths[LENGTHS] = { 1, 4, 16, 64 };

/* Schemes of the table; static routing is that of a line anyway. */
#define COLUMNS	CARE_STATIC

static struct {
	u64 latency[COLUMNS][LENGTHS][HOPS];
	u64 wrong;
} idle;

static void measure(const void *settings)
{
	const struct care_report_settings *given = settings;
	struct care_packet packet[HOPS];
	struct fc_topo topo;

	fc_topo_parse(&topo, LINE);
	for (u32 scheme = 0; scheme < COLUMNS; scheme++) {
		for (u32 n = 0; n < LENGTHS; n++) {
			const struct care_packets packets = {
				.topo = &topo, .packet = packet, .count = HOPS,
				.flits = lengths[n],
			};

			reproduce_point();
			for (u32 m = 0; m < HOPS; m++)
				packet[m] = (struct care_packet){
					.born = m * APART, .done = FC_NEVER, .to = hops[m],
				};
			idle.wrong += care_send(&packets, LINE, (enum care_scheme)scheme,
						given->fault);
			for (u32 m = 0; m < HOPS; m++)
				idle.latency[scheme][n][m] = packet[m].done - packet[m].born;
		}
	}
}

/* Is a latency that of its model?  The one of CARE is that of cut-through. */
static bool right(enum care_scheme scheme, u32 n, u32 m)
{
	return idle.latency[scheme][n][m] == care_schemes_idle(scheme, hops[m], lengths[n]);
}

/* Is a latency the paper's M x N, or M + N less the cycle in which the first flit already moves? */
static bool agrees(enum care_scheme scheme, u32 n, u32 m)
{
	u64 latency = idle.latency[scheme][n][m];

	if (scheme == CARE_STORE)
		return latency == (u64)hops[m] * lengths[n];
	return latency + 1 == hops[m] + lengths[n];
}

static void print(void)
{
	printf("A packet alone on a line, cycles: M hops, N flits\n"
	       "paper: the terms to which times are proportional (section 1); the others are measured\n\n"
	       "            paper                 paper\n  M   N     M x N  %10s     M + N",
	       care_scheme_names[CARE_STORE]);
	for (u32 scheme = CARE_VIRTUAL; scheme < COLUMNS; scheme++)
		printf("  %10s", care_scheme_names[scheme]);
	printf("\n");
	for (u32 m = 0; m < HOPS; m++) {
		for (u32 n = 0; n < LENGTHS; n++) {
			bool good = true;

			printf("%3u %3u  %8u", hops[m], lengths[n], hops[m] * lengths[n]);
			for (u32 scheme = 0; scheme < COLUMNS; scheme++) {
				if (scheme == CARE_VIRTUAL)
					printf("  %8u", hops[m] + lengths[n]);
				printf("  %10llu",
				       (unsigned long long)idle.latency[scheme][n][m]);
				good = good && right((enum care_scheme)scheme, n, m);
			}
			printf("%s\n", good ? "" : "  WRONG");
			idle.wrong += !good;
		}
	}
	printf("\n");
}

void care_idle_findings(void)
{
	u32 stored = 0, cut = 0, worms = 0, m = HOPS - 1, n = LENGTHS - 1;

	for (u32 i = 0; i < HOPS * LENGTHS; i++) {
		u32 a = i / LENGTHS, b = i % LENGTHS;

		stored += agrees(CARE_STORE, b, a);
		cut += agrees(CARE_EDGE, b, a) && agrees(CARE_WORD, b, a);
		worms += idle.latency[CARE_WORMHOLE][b][a] == idle.latency[CARE_VIRTUAL][b][a];
	}
	reproduced(stored == HOPS * LENGTHS,
		   "section 1: store-and-forward takes a time proportional to M x N",
		   "%u of %u latencies are M x N", stored, HOPS * LENGTHS);
	reproduced(cut == HOPS * LENGTHS,
		   "section 1: cut-through takes a time proportional to M + N",
		   "CARE: %u of %u latencies are M + N - 1", cut, HOPS * LENGTHS);
	reproduced(idle.latency[CARE_STORE][n][m] > 10 * idle.latency[CARE_WORD][n][m],
		   "section 1: the difference is significant for large M or N",
		   "%u flits over %u hops: %llu and %llu cycles", lengths[n], hops[m],
		   (unsigned long long)idle.latency[CARE_STORE][n][m],
		   (unsigned long long)idle.latency[CARE_WORD][n][m]);
	reproduced(worms == HOPS * LENGTHS,
		   "section 2: cut-through needs storage for one word of a packet only",
		   "wormhole: %u of %u latencies are those of virtual cut-through", worms,
		   HOPS * LENGTHS);
}

const struct report_part care_idle_part = {
	.name = "packets alone", .points = COLUMNS * LENGTHS, .measure = measure, .print = print,
	.wrong = &idle.wrong,
};
