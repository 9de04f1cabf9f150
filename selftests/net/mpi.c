// SPDX-License-Identifier: GPL-2.0
/*
 * For net/programs.sh: ranks of Open MPI exchange data that each can check.
 *
 *	mpirun -np RANKS ... mpi [ROUNDS]
 *
 * Each rank prints its network namespace, and rank 0 the bytes that it has received.  Exits
 * unsuccessfully at the first byte that differs.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES_MAX	(1 << 20)
#define WORDS		(1 << 14)

static unsigned char out[BYTES_MAX], in[BYTES_MAX];
static uint64_t words[WORDS], sums[WORDS];

static unsigned char byte(int rank, int round, size_t i)
{
	return rank * 31 + round * 17 + i + (i >> 8) * 3 + (i >> 16) * 5;
}

static void differs(const char *what, int rank, int round, size_t i)
{
	fprintf(stderr, "mpi: rank %d, round %d: %s differs at %zu\n", rank, round, what, i);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Return: bytes received.  Each rank sends to the next one. */
static size_t ring(int rank, int ranks, int round)
{
	static const size_t sizes[] = { 0, 1, 1400, 4097, 65536, BYTES_MAX };
	int left = (rank + ranks - 1) % ranks;
	size_t k, i, total = 0;

	for (k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
		for (i = 0; i < sizes[k]; i++)
			out[i] = byte(rank, round, i);
		memset(in, 0xee, sizes[k]);
		MPI_Sendrecv(out, sizes[k], MPI_BYTE, (rank + 1) % ranks, k,
			     in, sizes[k], MPI_BYTE, left, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (i = 0; i < sizes[k]; i++)
			if (in[i] != byte(left, round, i))
				differs("ring", rank, round, i);
		total += sizes[k];
	}
	return total;
}

static void allreduce(int rank, int ranks, int round)
{
	uint64_t i, sum = (uint64_t)ranks * (ranks + 1) / 2;

	for (i = 0; i < WORDS; i++)
		words[i] = (rank + 1) * (i + round + 1) << 20;
	MPI_Allreduce(words, sums, WORDS, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	for (i = 0; i < WORDS; i++)
		if (sums[i] != sum * (i + round + 1) << 20)
			differs("sum", rank, round, i);
}

static void alltoall(int rank, int ranks, int round)
{
	size_t part = WORDS / ranks, i;

	for (i = 0; i < part * ranks; i++)
		words[i] = (uint64_t)rank << 32 | (i + round);
	MPI_Alltoall(words, part, MPI_UINT64_T, sums, part, MPI_UINT64_T, MPI_COMM_WORLD);
	for (i = 0; i < part * ranks; i++)
		if (sums[i] != ((uint64_t)(i / part) << 32 | (rank * part + i % part + round)))
			differs("exchange", rank, round, i);
}

int main(int argc, char **argv)
{
	int rank, ranks, round, rounds = argc > 1 ? atoi(argv[1]) : 3;
	char ns[64] = "";
	size_t bytes = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (readlink("/proc/self/ns/net", ns, sizeof(ns) - 1) < 0)
		perror("mpi: /proc/self/ns/net");
	printf("rank %d of %d in %s\n", rank, ranks, ns);
	for (round = 0; round < rounds; round++) {
		bytes += ring(rank, ranks, round);
		allreduce(rank, ranks, round);
		alltoall(rank, ranks, round);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		printf("all data is right: %d rounds, %zu bytes by the ring\n", rounds, bytes);
	fflush(stdout);
	MPI_Finalize();
	return 0;
}
