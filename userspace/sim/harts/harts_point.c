// SPDX-License-Identifier: GPL-2.0
#include "harts_point.h"

const u32 harts_size[HARTS_SIZES] = { 5, 7, 9 };

const u64 harts_loads[HARTS_LOADS] = {
	50000, 100000, 200000, 300000, 400000, 500000, 600000, 700000
};

void harts_point_run(struct harts_point *point, const struct harts_settings *settings,
		     const struct harts_run *run)
{
	struct harts_run one = *run;

	one.fault = settings->fault;
	one.times = settings->times;
	one.broadcasts = (u32)settings->broadcasts;
	*point = (struct harts_point){ .seeds = (u32)settings->seeds };
	for (u32 i = 0; i < point->seeds; i++) {
		struct harts_result r;

		one.seed = settings->common.seed + i;
		harts_net_run(&one, &r);
		point->latency[i] = (double)r.latency / (double)r.broadcasts;
		point->delivery[i] = (double)r.delivery / (double)r.deliveries;
		point->regular[i] = r.regular ? (double)r.regular_latency / (double)r.regular : 0;
		point->busy[i] = (double)r.busy / (double)r.link_cycles;
		point->stored[i] = (double)r.stored / (double)r.broadcasts;
		point->passed[i] = (double)r.passed / (double)r.broadcasts;
		point->backlog[i] = (double)r.backlog / (double)r.links;
		point->astray += r.astray;
		point->unserved += r.unserved;
	}
}

void harts_point_idle(struct harts_point *point, const struct harts_settings *settings,
		      const struct harts_run *run)
{
	struct harts_run one = *run;

	one.fault = settings->fault;
	one.times = settings->times;
	*point = (struct harts_point){ .seeds = 1 };
	for (u32 i = 0; i < HARTS_LENGTHS; i++) {
		double part = (double)harts_length_part[i] / HARTS_LENGTH_PARTS;
		struct harts_result r;

		harts_net_idle(&one, harts_length[i], &r);
		point->latency[0] += part * (double)r.latency;
		point->stored[0] += part * (double)r.stored;
		point->passed[0] += part * (double)r.passed;
		point->delivery[0] += part * (double)r.delivery / (double)r.deliveries;
		point->astray += r.astray;
		point->unserved += r.unserved;
	}
}

struct estimate harts_percent(const double *value, const double *base, u32 seeds)
{
	double percent[HARTS_SEEDS_MAX];

	for (u32 i = 0; i < seeds; i++)
		percent[i] = 100 * (value[i] / base[i] - 1);
	return estimate_of(percent, seeds);
}
