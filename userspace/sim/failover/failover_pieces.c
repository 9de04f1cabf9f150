// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast-sim failover, table pieces: up to four directions of links fall silent one after the
 * other, in all orders and at times of a grid.
 */
#include <stdio.h>
#include <stdlib.h>

#include "failover_net.h"
#include "failover_pieces.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/random_graph.h"
#include "base/util.h"

#define MS	FAILOVER_MS

/* Milliseconds between two failures. */
static const u32 gaps[] = { 0, 20, 60, 100, 140, 200, 400, 1000, 2000 };
#define GAPS	FC_ARRAY_SIZE(gaps)
/* Orders of four failures. */
#define ORDERS	24

/**
 * struct pieces_row - failures of a row of the table
 * @name: its name
 * @spec: the network; NULL: random ones
 * @host: not FC_SITE_NONE: both directions of its first two links fail, and its neighbours there
 *	send each other probes; else any four directions, and any two sites between which a way
 *	remains
 */
static const struct pieces_row {
	const char *name;
	const char *spec;
	u32 host;
} rows[] = {
	{ "ring:4, a host", "ring:4", 1 },
	{ "torus:3x3, any links", "torus:3x3", FC_SITE_NONE },
	{ "hypercube:3, any links", "hypercube:3", FC_SITE_NONE },
	{ "mesh:3x3, any links", "mesh:3x3", FC_SITE_NONE },
	{ "random graphs, any links", NULL, FC_SITE_NONE },
};

/* Random graphs of a row, and sites of each. */
#define GRAPHS		16
#define GRAPH_SITES	10

static struct fc_topo topo;

/* Set the order of four failures, and the times between them. */
static void arrange(struct failover_pieces *p, u64 number)
{
	struct failover_pieces from = *p;
	u32 left[FAILOVER_PIECES] = { 0, 1, 2, 3 };
	u32 order = (u32)(number % ORDERS);

	number /= ORDERS;
	for (u32 i = 0; i < FAILOVER_PIECES; i++) {
		u32 n = FAILOVER_PIECES - i, at = order % n;

		order /= n;
		p->piece[i] = from.piece[left[at]];
		left[at] = left[n - 1];
		p->piece[i].gap = 0;
		if (!i)
			continue;
		p->piece[i].gap = gaps[number % GAPS] * MS;
		number /= GAPS;
	}
}

static void piece(struct failover_pieces *p, u32 site, u8 port)
{
	p->piece[p->n].site = site;
	p->piece[p->n++].port = port;
}

/* Both directions of the links of a host to its first two neighbours. */
static void host_fails(struct failover_pieces *p, u32 host)
{
	p->n = 0;
	for (u8 port = 1; p->n < FAILOVER_PIECES; port++) {
		u32 peer = failover_net_neighbour(host, port);

		if (peer == FC_SITE_NONE)
			continue;
		p->between[p->n / 2] = peer;
		piece(p, host, port);
		piece(p, peer, failover_net_arrival(host, port));
	}
}

static bool silent(const struct failover_pieces *p, u32 site, u8 port)
{
	for (u32 i = 0; i < p->n; i++)
		if (p->piece[i].site == site && p->piece[i].port == port)
			return true;
	return false;
}

/* Does a way remain whose links work in both directions? */
static bool connected(const struct failover_pieces *p)
{
	u32 reached = fc_bit(p->between[0]), before = 0;

	while (reached != before) {
		before = reached;
		for (u32 site = 0; site < failover_net_sites(); site++)
			for (u8 port = 1; reached & fc_bit(site) && port < 9; port++) {
				u32 peer = failover_net_neighbour(site, port);

				if (peer != FC_SITE_NONE && !silent(p, site, port) &&
				    !silent(p, peer, failover_net_arrival(site, port)))
					reached |= fc_bit(peer);
			}
	}
	return reached & fc_bit(p->between[1]);
}

/* Any four directions of links near the first of two sites, for half of the runs. */
static void any_fail(struct failover_pieces *p, u64 seed)
{
	struct rng rng = { .state = seed };
	u32 sites = failover_net_sites();

	do {
		p->n = 0;
		p->between[0] = rng_below(&rng, sites);
		p->between[1] = (p->between[0] + 1 + rng_below(&rng, sites - 1)) % sites;
		while (p->n < FAILOVER_PIECES) {
			u32 site = rng_below(&rng, sites);
			u8 port = (u8)rng_between(&rng, 1, 8);

			if (failover_net_neighbour(site, port) != FC_SITE_NONE &&
			    !silent(p, site, port))
				piece(p, site, port);
		}
	} while (!connected(p));
}

/**
 * struct pieces_sum - results of a row
 * @longest: by run, the longest wait in which nothing failed
 * @n: number of runs
 * @late: runs with one above 250 ms
 * @lost: probes that did not come
 * @doubled: packets that came again
 */
struct pieces_sum {
	u64 *longest;
	u32 n;
	u32 late;
	u64 lost;
	u64 doubled;
};

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static u64 in_ms(const struct pieces_sum *sum, u32 thousandths)
{
	u32 i = (u32)(((u64)sum->n * thousandths + 999) / 1000);

	return (sum->longest[i ? i - 1 : 0] + MS - 1) / MS;
}

static void add(struct pieces_sum *sum, const struct failover_pieces *p, u64 seed)
{
	struct failover_outage o = failover_net_fail(p, seed);

	sum->longest[sum->n++] = o.longest;
	sum->late += o.longest > 250 * MS;
	sum->lost += o.lost;
	sum->doubled += o.doubled;
}

static void make_network(const char *spec, u64 seed)
{
	graph_free(&topo);
	if (!spec)
		random_graph(&topo, GRAPH_SITES, seed);
	else if (fc_topo_parse(&topo, spec))
		die("failover: %s", spec);
	failover_net_make(&topo);
}

static void put_row(const struct pieces_row *row, bool old, u64 runs, u64 seed)
{
	u64 all = ORDERS * GAPS * GAPS * GAPS * 2, step = all / runs ? all / runs : 1;
	struct pieces_sum sum = { .longest = xcalloc(runs, sizeof(u64)) };
	char name[64];

	/* An even step would keep to some orders. */
	step += runs < all && !(step & 1);
	for (u64 i = 0; i < runs; i++) {
		struct failover_pieces p = { .old = old };
		u64 number = i * step % all;

		if (!row->spec && i % ((runs + GRAPHS - 1) / GRAPHS) == 0)
			make_network(NULL, seed + i);
		p.apart = number & 1;
		if (row->host != FC_SITE_NONE)
			host_fails(&p, row->host);
		else
			any_fail(&p, seed + i);
		arrange(&p, number / 2);
		add(&sum, &p, seed + i);
		if (progress_due())
			progress_show("%s: run %llu", row->name, (unsigned long long)i);
	}
	qsort(sum.longest, sum.n, sizeof(u64), compare);
	progress_wipe();
	snprintf(name, sizeof(name), "%s%s", row->name, old ? ", not asked anew" : "");
	printf("%-44s  %7u  %7llu  %7llu  %7llu  %7u  %7llu  %7llu\n", name, sum.n,
	       (unsigned long long)in_ms(&sum, 500), (unsigned long long)in_ms(&sum, 990),
	       (unsigned long long)in_ms(&sum, 1000), sum.late, (unsigned long long)sum.lost,
	       (unsigned long long)sum.doubled);
	free(sum.longest);
}

void failover_pieces_table(u64 runs, u64 seed)
{
	printf("Four directions of links fall silent one after the other: longest time without a\n"
	       "failure in which a probe waits, ms; late: of more than 250 ms; again: packets that\n"
	       "came twice, which targets drop\n\n%-44s  %7s  %7s  %7s  %7s  %7s  %7s  %7s\n",
	       "what fails", "runs", "p50", "p99", "max", "late", "lost", "again");
	for (u32 i = 0; i < FC_ARRAY_SIZE(rows); i++) {
		if (rows[i].spec)
			make_network(rows[i].spec, seed);
		put_row(&rows[i], true, runs, seed);
		put_row(&rows[i], false, runs, seed);
	}
	printf("\n");
}
