// SPDX-License-Identifier: GPL-2.0
/* Runs a fuzzer's function over files, for builds without libFuzzer. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

int main(int argc, char **argv)
{
	static u8 bytes[1 << 16];

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		size_t size;
		u8 *input;

		if (!file) {
			perror(argv[i]);
			return 2;
		}
		size = fread(bytes, 1, sizeof(bytes), file);
		fclose(file);
		input = fuzz_copy(bytes, size);
		LLVMFuzzerTestOneInput(input, size);
		free(input);
	}
	return 0;
}
