/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measurements of the report of flitcast-sim care --reproduce: the packets are the same for all
 * schemes.
 */
#ifndef FLITCAST_SIM_CARE_POINT_H
#define FLITCAST_SIM_CARE_POINT_H

#include "base/estimate.h"
#include "base/reproduce.h"
#include "care_schemes.h"

#define CARE_SEEDS_MAX	20

/* Defects, to see that the report notices them. */
enum care_fault {
	CARE_FAULT_NONE,
	CARE_FAULT_STORE,	/* CARE's packets are stored in each site */
	CARE_FAULT_STATIC,	/* dynamic routing has the tables of static routing */
	CARE_FAULTS
};

/**
 * struct care_report_settings - settings of the report
 * @common: common settings
 * @seeds: runs of each measurement
 * @cycles: cycles in which packets are born
 * @fault: a defect
 */
struct care_report_settings {
	struct reproduce_settings common;
	u64 seeds;
	u64 cycles;
	enum care_fault fault;
};

/**
 * struct care_load - traffic: Poisson arrivals of packets of one length
 * @spec: topology
 * @flits: flits of a packet
 * @load: flits that a site sends, in a million cycles
 * @pattern: targets, enum pattern
 */
struct care_load {
	const char *spec;
	u32 flits;
	u64 load;
	u32 pattern;
};

/**
 * struct care_point - results by seed
 * @latency: mean cycles from birth to delivery, of packets born after the first fifth of the cycles
 * @carried: flits of a site and cycle that arrive in the second half of the cycles
 * @offered: flits of a site and cycle that are born in the second half
 * @seeds: number of seeds
 * @wrong: findings of the oracle
 */
struct care_point {
	double latency[CARE_SEEDS_MAX];
	double carried[CARE_SEEDS_MAX];
	double offered[CARE_SEEDS_MAX];
	u32 seeds;
	u64 wrong;
};

extern const char *const care_scheme_names[CARE_SCHEMES];

/* Send packets by any scheme.  Return: as care_schemes_run(). */
u64 care_send(const struct care_packets *packets, const char *spec, enum care_scheme scheme,
	      enum care_fault fault);

/* Measure a scheme under a load; begins with a reproduce_point(). */
void care_point_run(struct care_point *point, const struct care_report_settings *settings,
		    const struct care_load *load, enum care_scheme scheme);

static inline double care_mean(const struct care_point *point, const double *value)
{
	return estimate_of(value, point->seeds).mean;
}

/* Carries the network less than 90 % of the load? */
static inline bool care_saturated(const struct care_point *point)
{
	return care_mean(point, point->carried) < 0.9 * care_mean(point, point->offered);
}

/* Print a latency, or that there is none, in a column. */
void care_put_latency(const struct care_point *point);

/* Parts of the report, and their statements. */
extern const struct report_part care_idle_part;
extern const struct report_part care_load_part;
extern const struct report_part care_static_part;
void care_idle_findings(void);
void care_load_findings(void);
void care_static_findings(void);

#endif /* FLITCAST_SIM_CARE_POINT_H */
