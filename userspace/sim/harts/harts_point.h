/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measurements of HARTS, section 5: an algorithm in a size at a link load, repeated with different
 * seeds of traffic; and parts of its report.
 */
#ifndef FLITCAST_SIM_HARTS_POINT_H
#define FLITCAST_SIM_HARTS_POINT_H

#include "harts_net.h"
#include "base/plot.h"
#include "base/reproduce.h"

#define HARTS_SEEDS_MAX		10

/* The paper's sizes, and the index of the one of its Figure 11. */
#define HARTS_SIZES		3
#define HARTS_SIZE_COPIES	1
extern const u32 harts_size[HARTS_SIZES];

#define HARTS_LOADS		8
extern const u64 harts_loads[HARTS_LOADS];

/**
 * struct harts_settings - settings common to all runs of a report
 * @common: settings of all reproductions, with the first seed
 * @times: S, d and the idle gap
 * @seeds: number of seeds, 2 to HARTS_SEEDS_MAX
 * @broadcasts: broadcasts measured in each run
 * @fault: defect
 */
struct harts_settings {
	struct reproduce_settings common;
	struct harts_times times;
	u64 seeds;
	u64 broadcasts;
	enum harts_fault fault;
};

/**
 * struct harts_point - one algorithm at one load, by seed
 * @latency: mean of the broadcasts' latencies, cycles
 * @delivery: mean time of a delivery, cycles
 * @regular: mean latency of regular packets, cycles
 * @busy: share of the time in which a link is busy
 * @stored: mean number of times that the packet delivered last was sent from storage
 * @passed: mean number of times that it cut through
 * @backlog: packets that wait for a link at the end, per link
 * @seeds: elements of the arrays
 * @astray: packets off the kernel's table, of all seeds
 * @unserved: sites without all their copies, of all seeds
 */
struct harts_point {
	double latency[HARTS_SEEDS_MAX];
	double delivery[HARTS_SEEDS_MAX];
	double regular[HARTS_SEEDS_MAX];
	double busy[HARTS_SEEDS_MAX];
	double stored[HARTS_SEEDS_MAX];
	double passed[HARTS_SEEDS_MAX];
	double backlog[HARTS_SEEDS_MAX];
	u32 seeds;
	u64 astray;
	u64 unserved;
};

/* Measure one point; members of @run that @settings has too are taken from @settings. */
void harts_point_run(struct harts_point *point, const struct harts_settings *settings,
		     const struct harts_run *run);

/*
 * Measure one broadcast of each length in an idle network: nothing is random, so one seed is
 * enough.
 */
void harts_point_idle(struct harts_point *point, const struct harts_settings *settings,
		      const struct harts_run *run);

/* Excess of @value over @base, per cent, estimated from all seeds. */
struct estimate harts_percent(const double *value, const double *base, u32 seeds);

extern const struct report_part harts_table_1_part;
extern const struct report_part harts_table_2_part;
extern const struct report_part harts_figure_10_part;
extern const struct report_part harts_figure_11_part;
extern const struct report_part harts_figure_12_part;

void harts_table_2_findings(void);
void harts_figure_findings(void);

#endif /* FLITCAST_SIM_HARTS_POINT_H */
