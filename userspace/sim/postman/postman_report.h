/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of the report on the mad postman.
 */
#ifndef FLITCAST_SIM_POSTMAN_REPORT_H
#define FLITCAST_SIM_POSTMAN_REPORT_H

#include "postman_model.h"
#include "base/reproduce.h"

/* The paper's array. */
#define POSTMAN_SIZE		32
/* Data flits of its packets: an 8 bit integer. */
#define POSTMAN_DATA		1

#define POSTMAN_DRAWS_MAX	1000

/**
 * struct postman_settings - settings of the report
 * @common: settings of all reproductions
 * @model: only its @fault is used
 * @draws: random sets of each sparse transposition
 */
struct postman_settings {
	struct reproduce_settings common;
	struct postman_model model;
	u64 draws;
};

/* The strategies compared: with and without eager forwarding. */
enum postman_strategy {
	POSTMAN_MAD,
	POSTMAN_CUT,
	POSTMAN_STRATEGIES
};

extern const char *const postman_strategies[POSTMAN_STRATEGIES];

struct postman_model postman_strategy_model(enum postman_strategy strategy,
					    enum postman_fault fault);

extern const struct report_part postman_law_part;
extern const struct report_part postman_table_part;

void postman_law_findings(void);
void postman_table_findings(void);

#endif /* FLITCAST_SIM_POSTMAN_REPORT_H */
