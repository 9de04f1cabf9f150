/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_ESTIMATE_H
#define FLITCAST_SIM_ESTIMATE_H

#include "core/base.h"

/**
 * struct estimate - a value and its uncertainty
 * @mean: the value
 * @half: half width of the confidence interval
 */
struct estimate {
	double mean;
	double half;
};

/* The mean of values, and half of its 95 per cent confidence interval (Student's t). */
struct estimate estimate_of(const double *value, u32 n);

#endif /* FLITCAST_SIM_ESTIMATE_H */
