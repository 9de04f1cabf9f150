// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "estimate.h"

/* The 0.975 quantile of the normal distribution. */
#define NORMAL	1.959964

/*
 * Student's t, 0.975, by degrees of freedom: beyond the table Abramowitz and Stegun, 26.7.5,
 * with an error below 0.0003.
 */
static double student(u32 freedom)
{
	static const double t[] = {
		0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262
	};
	double n = freedom, z = NORMAL, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;

	if (freedom < FC_ARRAY_SIZE(t))
		return t[freedom];
	return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

struct estimate estimate_of(const double *value, u32 n)
{
	double sum = 0, squares = 0, mean;

	for (u32 i = 0; i < n; i++)
		sum += value[i];
	mean = sum / n;
	for (u32 i = 0; i < n; i++)
		squares += (value[i] - mean) * (value[i] - mean);
	return (struct estimate){
		.mean = mean, .half = n > 1 ? student(n - 1) * sqrt(squares / (n - 1) / n) : 0,
	};
}
