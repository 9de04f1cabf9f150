// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "csr_theory.h"

/* Halvings of an interval: down to the last bit. */
#define HALVINGS	50
/* Points at which Figure 4 is evaluated. */
#define POINTS		1000

/* The smaller root of p^2/4 - ap + b; negative if there is none. */
static double root(double a, double b)
{
	double discriminant = a * a - b;

	return discriminant < 0 ? -1 : 2 * (a - sqrt(discriminant));
}

/* Equation (7), from p(d) down, and (8). */
static double csr(u32 d, double last)
{
	double p[CSR_DIMENSION_MAX + 1], sum = 0;

	p[d] = last;
	for (u32 i = d; i >= 2; i--) {
		if (i < d)
			sum += last * p[i] / p[i + 1];
		p[i - 1] = root((2 - sum) / 2, p[i]);
		if (p[i - 1] < 0)
			return INFINITY;
	}
	return (d - 1) * last < 1 ? p[1] / (1 - (d - 1) * last) : INFINITY;
}

/* Entry rate, from q(1) (@first) and T (@going). */
static double entering(double first, double going)
{
	return going < 2 ? first / ((1 - going / 2) * (1 - going / 2)) : INFINITY;
}

static double priority(u32 d, double last)
{
	double q = last, going = 0;

	for (u32 i = d - 1; i >= 1; i--) {
		q = root(1 - going / 2, q);
		if (q < 0)
			return INFINITY;
		going += q;
	}
	return entering(q, going);
}

/* Return: q(d) at a given T (@going); @first: q(1). */
static double simple_last(u32 d, double going, double *first)
{
	double keep = 1 - going / 4, sum = 0, q = 1;

	for (u32 i = 1; i < d; i++) {
		sum += q;
		q *= keep;
	}
	*first = going / sum;
	return *first * q;
}

/*
 * T at the maximum of the throughput: beyond it, more packets enter and fewer arrive.  simple()
 * searches below it.
 */
static double simple_most(u32 d)
{
	double least = 0, most = 2;

	for (u32 i = 0; i < HALVINGS; i++) {
		double a = least + (most - least) / 3, b = most - (most - least) / 3, first;

		if (simple_last(d, a, &first) < simple_last(d, b, &first))
			least = a;
		else
			most = b;
	}
	return least;
}

static double simple(u32 d, double last)
{
	double least = 0, most = simple_most(d), first;

	if (simple_last(d, most, &first) < last)
		return INFINITY;
	for (u32 i = 0; i < HALVINGS; i++) {
		double middle = (least + most) / 2;

		if (simple_last(d, middle, &first) < last)
			least = middle;
		else
			most = middle;
	}
	simple_last(d, most, &first);
	return entering(first, most);
}

double csr_theory_attempts(enum csr_scheme_id id, u32 dimension, double throughput)
{
	double last = throughput / (2 * dimension);

	switch (id) {
	case CSR_CSR:
		return csr(dimension, last);
	case CSR_UNBUFFERED_PRIORITY:
		return priority(dimension, last);
	case CSR_UNBUFFERED_SIMPLE:
		return simple(dimension, last);
	case CSR_DEFLECT_PRIORITY:
	case CSR_DEFLECT_SIMPLE:
	case CSR_SCHEMES:
		break;
	}
	return INFINITY;
}

/* The largest throughput that needs at most @attempts. */
static double throughput_of(enum csr_scheme_id id, u32 dimension, double attempts)
{
	double least = 0, most = 2;

	for (u32 i = 0; i < HALVINGS; i++) {
		double middle = (least + most) / 2;

		if (csr_theory_attempts(id, dimension, middle) <= attempts)
			least = middle;
		else
			most = middle;
	}
	return least;
}

double csr_theory_throughput(u32 dimension, double attempts)
{
	return throughput_of(CSR_CSR, dimension, attempts);
}

double csr_theory_most(enum csr_scheme_id id, u32 dimension)
{
	return throughput_of(id, dimension, 1);
}

/* Throughput minus arrivals at a given backlogged share. */
static double surplus(u32 d, double arrive, double retry, double backlogged)
{
	double attempts = (1 - backlogged) * arrive + backlogged * retry;

	return csr_theory_throughput(d, attempts) - 2 * d * arrive * (1 - backlogged);
}

struct csr_theory_stable csr_theory_stable(u32 dimension, double arrive, double retry)
{
	struct csr_theory_stable stable = { 0 };
	double before = surplus(dimension, arrive, retry, 0);

	for (u32 i = 1; i <= POINTS; i++) {
		double least = (double)(i - 1) / POINTS, most = (double)i / POINTS;
		double here = surplus(dimension, arrive, retry, most);
		bool rises = before < 0 && here >= 0, falls = before >= 0 && here < 0;

		stable.points += rises || falls;
		before = here;
		if (!rises || stable.throughput)
			continue;
		for (u32 j = 0; j < HALVINGS; j++) {
			double middle = (least + most) / 2;

			if (surplus(dimension, arrive, retry, middle) < 0)
				least = middle;
			else
				most = middle;
		}
		stable.backlogged = most;
		stable.attempts = (1 - most) * arrive + most * retry;
		stable.throughput = csr_theory_throughput(dimension, stable.attempts);
	}
	return stable;
}
