// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the time of Open MPI's MPI_Bcast until all ranks have a message; compare with cast.
 *
 *	mpirun -np RANKS ... mpi [-n COUNT] -b BYTES,... LAB TOPOLOGY MTU SITE...
 *
 * Rank k is at the k-th SITE of LAB, rank 0 sends.  Between messages all ranks meet at a barrier,
 * and then have 20 ms to begin to wait for the next one.  Prints a line of JSON for each length,
 * like cast, with times in nanoseconds (instructions, if the guest counts them).
 */
#include <mpi.h>
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../sock/lab.h"
#include "numbers.h"
#include "stats.h"

#define BYTES_MAX	(1 << 20)
#define LIST_MAX	8
#define WARM		3
#define REST_US		20000

static unsigned char message[BYTES_MAX];

/*
 * Enter the namespace of the site.  PMIx_Init() reaches the launcher by the loopback device of the
 * original namespace, so it runs before; MPI_Init() then finds it done.
 */
static void enter(int argc, char **argv)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	pmix_proc_t self;
	int netns, site;

	if (!rank || atoi(rank) >= argc)
		die("to be started by mpirun, with a site for each rank");
	site = atoi(argv[atoi(rank)]);
	if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS)
		die("no launcher");
	netns = lab_open(argv[-3], site);
	if (netns < 0 || lab_enter(netns))
		die("lab %s has no site %d", argv[-3], site);
	close(netns);
}

/* Return: time until all ranks have the message; the clocks of all ranks are the same. */
static uint64_t bcast(int rank, int ranks, size_t bytes, uint64_t *ends)
{
	uint64_t start, end, last = 0;
	int i;

	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		usleep(REST_US);
	start = stats_now();
	MPI_Bcast(message, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
	end = stats_now();
	MPI_Gather(&end, 1, MPI_UINT64_T, ends, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	for (i = 0; i < ranks && !rank; i++)
		last = ends[i] > last ? ends[i] : last;
	return last - start;
}

static void measure(int rank, int ranks, size_t bytes, unsigned int count, char **argv)
{
	uint64_t *ends = calloc(ranks, sizeof(*ends)), *lasts = calloc(count, sizeof(*lasts)), last;
	unsigned int i;
	int k;

	if (!ends || !lasts)
		die("no memory");
	for (i = 0; i < WARM + count; i++) {
		memset(message, rank ? 0 : i + 1, bytes);
		last = bcast(rank, ranks, bytes, ends);
		if (message[0] != (unsigned char)(i + 1) ||
		    memcmp(message, message + 1, bytes - 1))
			die("another message");
		if (i >= WARM)
			lasts[i - WARM] = last;
	}
	if (!rank) {
		printf("{\"way\": \"mpi\", \"what\": \"cast\", \"topology\": \"%s\", \"mtu\": %s, "
		       "\"bytes\": %zu, \"count\": %u, \"targets\": [", argv[-2], argv[-1],
		       bytes, count);
		for (k = 1; k < ranks; k++)
			printf("%s%s", k > 1 ? ", " : "", argv[k]);
		printf("], \"last\": {");
		stats_print(lasts, count);
		printf("}}\n");
		fflush(stdout);
	}
	free(ends);
	free(lasts);
}

int main(int argc, char **argv)
{
	unsigned int bytes[LIST_MAX], nbytes = 0, count = 9, i;
	int option, rank, ranks;

	while ((option = getopt(argc, argv, "n:b:")) != -1) {
		if (option == 'n')
			count = atoi(optarg);
		else if (option == 'b')
			nbytes = numbers_parse(optarg, bytes, LIST_MAX, BYTES_MAX);
		else
			return EXIT_USAGE;
	}
	if (!count || !nbytes || argc - optind < 5)
		return EXIT_USAGE;
	argv += optind + 3;
	enter(argc - optind - 3, argv);
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (ranks != argc - optind - 3)
		die("%d ranks, %d sites", ranks, argc - optind - 3);
	for (i = 0; i < nbytes; i++)
		measure(rank, ranks, bytes[i], count, argv);
	MPI_Finalize();
	PMIx_Finalize(NULL, 0);
	return 0;
}
