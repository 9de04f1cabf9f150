/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SELFTESTS_BENCH_NUMBERS_H
#define SELFTESTS_BENCH_NUMBERS_H

/**
 * numbers_parse() - parse an option that is a list of numbers: 1,2,4
 * @text: the list
 * @numbers: returns the numbers
 * @room: maximum count of numbers
 * @most: largest number
 *
 * Return: count of numbers; 0: the list is invalid, or too long.
 */
unsigned int numbers_parse(const char *text, unsigned int *numbers, unsigned int room,
			   unsigned int most);

#endif /* SELFTESTS_BENCH_NUMBERS_H */
