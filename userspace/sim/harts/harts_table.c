// SPDX-License-Identifier: GPL-2.0
/*
 * Tables I and II of HARTS.
 */
#include <math.h>
#include <stdio.h>

#include "base/finding.h"
#include "harts_point.h"

/* Sizes of the comparison with Algorithm A; the first one is that of the paper's Table II. */
#define A_SIZES		4
/* Utilisations of Table II. */
#define RHOS		5
/* Tolerance of a model, per cent. */
#define MODEL		10.0

static const u32 a_size[A_SIZES] = { 3, 5, 7, 9 };
static const u64 rhos[RHOS] = { 0, 50000, 100000, 150000, 200000 };

/*
 * Table I.
 */

/* Contribution of a path to a latency: @sends times (S + rM), and @cuts times d. */
struct terms {
	u32 sends;
	u32 cuts;
};

/* HARTS, Table I, and the text of section 5 for Algorithm A and SFBCAST: by powers of n. */
static const struct {
	int sends[2];
	int cuts[3];
} table_of_paper[HARTS_ALGORITHMS] = {
	[HARTS_SBCAST] = { { 2 }, { -3, 1 } },
	[HARTS_2BCAST] = { { 2 }, { -4, 2 } },
	[HARTS_3BCAST] = { { 2 }, { -4, 2 } },
	[HARTS_4BCAST] = { { 3 }, { -3, 1 } },
	[HARTS_5BCAST] = { { 3 }, { -5, 2 } },
	[HARTS_6BCAST] = { { 3 }, { -5, 2 } },
	[HARTS_SFBCAST] = { { -1, 1 }, { 0 } },
	[HARTS_A] = { { 1 }, { -1, -3, 3 } },
};

static struct terms published(enum harts_algorithm_id id, u32 size)
{
	const int *sends = table_of_paper[id].sends, *cuts = table_of_paper[id].cuts;
	int n = (int)size;

	return (struct terms){
		(u32)(sends[0] + sends[1] * n), (u32)(cuts[0] + cuts[1] * n + cuts[2] * n * n)
	};
}

/*
 * The longest path if a cut-through takes as long as a packet may take:
 * 4-BCAST has paths with one send less and n - 1 cuts more than that of the table.
 */
static struct terms longest(enum harts_algorithm_id id, u32 n)
{
	if (id == HARTS_4BCAST)
		return (struct terms){ 2, 2 * n - 4 };
	return published(id, n);
}

static bool same(struct terms a, struct terms b)
{
	return a.sends == b.sends && a.cuts == b.cuts;
}

static u64 cycles(struct terms t, const struct harts_times *times, u32 bytes)
{
	return t.sends * (times->setup + bytes) + t.cuts * times->delta;
}

/* Results of one algorithm in one size. */
struct row {
	struct terms paper;
	struct terms sends;	/* measured with a long S */
	struct terms cuts;	/* measured with a long d */
	u64 expected[HARTS_LENGTHS];
	u64 latency[HARTS_LENGTHS];
	u64 astray;		/* packets off the kernel's table */
	u64 unserved;		/* sites without all their copies */
	bool right;
};

/* Measure the latency in an idle network; also sets @astray and @unserved of @row. */
static u64 idle_latency(struct row *row, const struct harts_run *run, u32 bytes)
{
	struct harts_result r;

	harts_net_idle(run, bytes, &r);
	row->astray = r.astray;
	row->unserved = r.unserved;
	return r.latency;
}

/* One term is set to a million, so that the low digits of the latency show the other. */
#define MUCH	1000000

static struct terms measured_sends(struct row *row, struct harts_run run)
{
	u64 latency;

	run.times.setup = MUCH - 64;
	run.times.delta = 1;
	latency = idle_latency(row, &run, 64);
	return (struct terms){ (u32)(latency / MUCH), (u32)(latency % MUCH) };
}

static struct terms measured_cuts(struct row *row, struct harts_run run)
{
	u64 latency;

	run.times.setup = 0;
	run.times.delta = MUCH;
	/* The header is in the packet, so d is below rM. */
	latency = idle_latency(row, &run, MUCH + 1);
	return (struct terms){
		(u32)(latency % MUCH), (u32)(latency / MUCH - latency % MUCH)
	};
}

static void measure(struct row *row, const struct harts_settings *settings,
		    enum harts_algorithm_id id, u32 n)
{
	struct harts_run run = {
		.algorithm = id, .size = n, .times = settings->times,
		.fault = settings->fault,
	};

	row->paper = published(id, n);
	row->sends = measured_sends(row, run);
	row->cuts = measured_cuts(row, run);
	row->right = same(row->sends, row->paper) && same(row->cuts, longest(id, n));
	for (u32 i = 0; i < HARTS_LENGTHS; i++) {
		u64 other = cycles(longest(id, n), &run.times, harts_length[i]);

		row->expected[i] = cycles(row->paper, &run.times, harts_length[i]);
		row->latency[i] = idle_latency(row, &run, harts_length[i]);
		if (row->latency[i] != (other > row->expected[i] ? other : row->expected[i]))
			row->right = false;
	}
	if (row->astray || row->unserved)
		row->right = false;
}

static void put_terms(struct terms t)
{
	printf("  %u(S+rM) + %3ud", t.sends, t.cuts);
}

static void put_row(const struct row *row, enum harts_algorithm_id id, u32 n)
{
	printf("%-8s  %2u", harts_algorithms[id].choice.name, n);
	put_terms(row->paper);
	put_terms(row->sends);
	put_terms(row->cuts);
	for (u32 i = 0; i < HARTS_LENGTHS; i++)
		printf("  %5llu", (unsigned long long)row->latency[i]);
	if (!row->right)
		printf("  WRONG: %llu packets off the table, %llu sites without their copies\n",
		       (unsigned long long)row->astray, (unsigned long long)row->unserved);
	else if (same(row->sends, row->cuts))
		printf("  agrees\n");
	else
		printf("  agrees where S+rM >= %ud\n", (row->cuts.cuts - row->sends.cuts) /
		       (row->sends.sends - row->cuts.sends));
}

static struct {
	struct row row[HARTS_ALGORITHMS][HARTS_SIZES];
	const struct harts_times *times;
	u32 others;		/* sizes from 3 to HARTS_SIZE_MAX with wrong results */
	u64 wrong;
} table_1;

static void measure_table_1(const void *settings)
{
	const struct harts_settings *given = settings;
	struct row row;

	table_1.times = &given->times;
	for (u32 id = 0; id < HARTS_ALGORITHMS; id++) {
		for (u32 i = 0; i < HARTS_SIZES; i++) {
			reproduce_point();
			measure(&table_1.row[id][i], given, (enum harts_algorithm_id)id,
				harts_size[i]);
			table_1.wrong += !table_1.row[id][i].right;
		}
		for (u32 n = 3; n <= HARTS_SIZE_MAX; n++) {
			reproduce_point();
			measure(&row, given, (enum harts_algorithm_id)id, n);
			table_1.others += !row.right;
		}
	}
	table_1.wrong += table_1.others;
}

static void print_table_1(void)
{
	printf("Table I: latency in an idle network\n"
	       "paper: as published; with long S, with long d: what the latency is made of, measured;\n"
	       "cycles: measured, S = %llu, d = %llu, 64, 128 and 512 bytes\n\n"
	       "algorithm  n  %-17s%-17s%-17s  cycles\n",
	       (unsigned long long)table_1.times->setup, (unsigned long long)table_1.times->delta,
	       "paper", "with long S", "with long d");
	for (u32 id = 0; id < HARTS_ALGORITHMS; id++)
		for (u32 i = 0; i < HARTS_SIZES; i++)
			put_row(&table_1.row[id][i], (enum harts_algorithm_id)id, harts_size[i]);
	printf("\nn = 3 to %u: %u of %u like this\n"
	       "4-BCAST: the table's path is not the longest where d is long: another has\n"
	       "2(S+rM) + (2n-4)d\n\n", HARTS_SIZE_MAX,
	       HARTS_ALGORITHMS * (HARTS_SIZE_MAX - 2) - table_1.others,
	       HARTS_ALGORITHMS * (HARTS_SIZE_MAX - 2));
}

const struct report_part harts_table_1_part = {
	.name = "Table I", .points = HARTS_ALGORITHMS * (HARTS_SIZES + HARTS_SIZE_MAX - 2),
	.measure = measure_table_1, .print = print_table_1, .wrong = &table_1.wrong,
};

/*
 * Table II.
 */

/*
 * Results for Table II
 * @sbcast: SBCAST at the utilisations of the table, in the first size; one seed in an idle network
 * @a: Algorithm A at these utilisations
 * @sbcast_by_size: SBCAST in all sizes at the lowest utilisation above 0
 * @a_by_size: Algorithm A in these sizes
 */
static struct {
	struct harts_point sbcast[RHOS];
	struct harts_point a[RHOS];
	struct harts_point sbcast_by_size[A_SIZES];
	struct harts_point a_by_size[A_SIZES];
} table_2;

static void at_rho(struct harts_point *point, const struct harts_settings *settings,
		   enum harts_algorithm_id id, u32 n, u64 rho)
{
	struct harts_run run = { .algorithm = id, .size = n, .times = settings->times };

	reproduce_point();
	run.load = harts_net_load(&run, rho);
	if (rho)
		harts_point_run(point, settings, &run);
	else
		harts_point_idle(point, settings, &run);
}

static double mean(const double *value, const struct harts_point *point)
{
	return point->seeds > 1 ? estimate_of(value, point->seeds).mean : value[0];
}

static double half(const double *value, const struct harts_point *point)
{
	return point->seeds > 1 ? estimate_of(value, point->seeds).half : 0;
}

static void put_measured(const struct harts_point *point)
{
	printf("   %5.2f(S+rM) + %6.2fd  %7.1f +- %-5.1f", mean(point->stored, point),
	       mean(point->passed, point), mean(point->latency, point),
	       half(point->latency, point));
}

static void put_compared(u32 n, u64 rho, const struct harts_point *sbcast,
			 const struct harts_point *a)
{
	double cuts = 3.0 * n * (n - 1) - 1;
	double stored = cuts * (double)rho / HARTS_LOAD_UNIT;

	printf("%2u  %.2f  %u(S+rM)  %5.2f(S+rM) + %6.2fd  %.3f", n,
	       (double)rho / HARTS_LOAD_UNIT, n - 1, stored + 1, cuts - stored,
	       mean(a->busy, a));
	put_measured(sbcast);
	put_measured(a);
	printf("\n");
}

static void measure_table_2(const void *settings)
{
	for (u32 i = 0; i < RHOS; i++) {
		at_rho(&table_2.sbcast[i], settings, HARTS_SBCAST, a_size[0], rhos[i]);
		at_rho(&table_2.a[i], settings, HARTS_A, a_size[0], rhos[i]);
	}
	for (u32 i = 0; i < A_SIZES; i++) {
		at_rho(&table_2.sbcast_by_size[i], settings, HARTS_SBCAST, a_size[i], rhos[1]);
		at_rho(&table_2.a_by_size[i], settings, HARTS_A, a_size[i], rhos[1]);
	}
}

static void print_table_2(void)
{
	printf("Table II: SBCAST and Algorithm A under load\n"
	       "model: the paper's; measured: the packet that was delivered last, and cycles to it\n\n"
	       " n   rho  %-8s %-24s %-5s   %-40s   %s\n", "model", "", "rho", "measured", "");
	printf("          %-8s %-24s %-5s   %-40s   %s\n", "SBCAST", "Algorithm A", "of A",
	       "SBCAST", "Algorithm A");
	for (u32 i = 0; i < RHOS; i++)
		put_compared(a_size[0], rhos[i], &table_2.sbcast[i], &table_2.a[i]);
	printf("larger ones:\n");
	for (u32 i = 0; i < A_SIZES; i++)
		put_compared(a_size[i], rhos[1], &table_2.sbcast_by_size[i],
			     &table_2.a_by_size[i]);
	printf("\n");
}

void harts_table_2_findings(void)
{
	double ratio[A_SIZES], off[A_SIZES];
	bool rising = true, right = true;

	finding(table_2.a[0].latency[0] < table_2.sbcast[0].latency[0] &&
		harts_percent(table_2.a[RHOS - 1].latency, table_2.sbcast[RHOS - 1].latency,
			      table_2.a[RHOS - 1].seeds).mean > 0,
		"Table II: A may be faster in an idle network, SBCAST is as the utilisation grows",
		"n = 3: A takes %.0f %% of SBCAST's time when idle, %.0f %% at 0.05, %.0f %% at 0.20",
		100 * table_2.a[0].latency[0] / table_2.sbcast[0].latency[0],
		100 + harts_percent(table_2.a[1].latency, table_2.sbcast[1].latency,
				    table_2.a[1].seeds).mean,
		100 + harts_percent(table_2.a[RHOS - 1].latency, table_2.sbcast[RHOS - 1].latency,
				    table_2.a[RHOS - 1].seeds).mean);
	for (u32 i = 0; i < A_SIZES; i++) {
		const struct harts_point *a = &table_2.a_by_size[i];
		double n = a_size[i];
		double model = (3 * n * (n - 1) - 1) * (double)rhos[1] / HARTS_LOAD_UNIT;

		ratio[i] = 100 + harts_percent(a->latency, table_2.sbcast_by_size[i].latency,
					       a->seeds).mean;
		off[i] = percent_more(estimate_of(a->stored, a->seeds).mean - 1, model);
		rising = rising && (!i || ratio[i] > ratio[i - 1]);
		right = right && fabs(off[i]) <= MODEL;
	}
	finding(rising && ratio[A_SIZES - 1] > 100,
		"Table II: as n increases SBCAST is the better even for very small utilisations",
		"at 0.05 A takes %.0f, %.0f, %.0f, %.0f %% of SBCAST's time for n = 3, 5, 7, 9",
		ratio[0], ratio[1], ratio[2], ratio[3]);
	finding(right, "Table II: A's packet is stored (3n(n-1)-1) rho times on its way",
		"at 0.05 %.0f, %.0f, %.0f, %.0f %% off for n = 3, 5, 7, 9 (right: %.0f)", off[0],
		off[1], off[2], off[3], MODEL);
}

const struct report_part harts_table_2_part = {
	.name = "Table II", .points = 2 * (RHOS + A_SIZES),
	.measure = measure_table_2, .print = print_table_2,
};
