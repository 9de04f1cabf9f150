/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A faulty site that replaces the kernel's site on the links of a lab's site.
 *
 * The faulty site is a program and no part of the kernel module, so users of the module cannot be
 * made to lie.  It runs the core's relay over packet sockets, as the kernel does, and alters
 * forwarded packets (liar_lies.c).
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

/* Format as "alter,drop"; the buffer must hold all lies. */
#define LIES_SIZE	32
const char *lies_name(uint32_t lies, char buf[LIES_SIZE]);
/* Parse the same format; exits if a lie is unknown. */
uint32_t lies_parse(const char *text);

/**
 * liar_run() - act as the site, in its namespace, until ordered to end or no longer lent
 * @lab: lab of the site
 * @site: number of the site
 * @lies: LIE_*
 * @seed: seed of its random numbers
 * @ready: descriptor for an empty line when all links are up, or for the reason why not
 */
void liar_run(const struct lab *lab, uint32_t site, uint32_t lies, uint64_t seed, int ready)
	__attribute__((noreturn));

/**
 * liar_ask() - send an order to the faulty site in this namespace
 * @lies: new lies; 0: end
 * @seed: new seed
 *
 * Return: false if there is no faulty site.
 */
bool liar_ask(uint32_t lies, uint64_t seed);

/* Return: lies of the faulty site in this namespace; 0: there is none. */
uint32_t liar_lies(void);

#endif /* SELFTESTS_LIAR_H */
