/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A site that lies: in place of the kernel's, on the links of a lab's site.
 *
 * It is a program and no part of the kernel module, so nobody who uses that can be
 * made to lie.  It runs the core's relay, as the kernel does, over packet sockets, and
 * lies in what it passes on (liar_lies.c).
 */
#ifndef SELFTESTS_LIAR_H
#define SELFTESTS_LIAR_H

#include <stdbool.h>
#include <stdint.h>
#include "lab_impl.h"

/* Lies about broadcasts. */
#define LIE_ALTER	0x01	/* alters forwarded broadcasts */
#define LIE_DROP	0x02	/* forwards no broadcasts */
#define LIE_FORGE	0x04	/* starts broadcasts in the name of other sites */
#define LIE_REPLAY	0x08	/* repeats old broadcasts */
#define LIE_ALL		0x0f

/* Format as "alter,drop", into a buffer that has room for all lies. */
#define LIES_SIZE	32
const char *lies_name(uint32_t lies, char buf[LIES_SIZE]);
/* Parse the same format; does not return for an unknown lie. */
uint32_t lies_parse(const char *text);

/**
 * liar_run() - be the site, in its namespace, until told to end, or it is no longer lent
 * @lab: its lab
 * @site: it
 * @lies: LIE_*
 * @seed: of its random numbers
 * @ready: where to write an empty line when all links are up, or why they are not
 */
void liar_run(const struct lab *lab, uint32_t site, uint32_t lies, uint64_t seed, int ready)
	__attribute__((noreturn));

/**
 * liar_ask() - talk to the one in this namespace
 * @lies: what it is to do from now on; 0: end
 * @seed: likewise
 *
 * Return: false if there is none.
 */
bool liar_ask(uint32_t lies, uint64_t seed);

/* Lies of the liar in this namespace; 0: there is no liar. */
uint32_t liar_lies(void);

#endif /* SELFTESTS_LIAR_H */
