/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The test charged compares kernel memory that a user takes with its charge: the bounds of
 * Documentation/limits.rst, and functions that use them up.
 */
#ifndef SELFTESTS_SOCK_CHARGED_H
#define SELFTESTS_SOCK_CHARGED_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct charged_result - what a function has filled
 * @failed: the reason why it could not, or ""
 * @did: what it has filled
 * @sites: sites of the module, among them those that programs emulate
 */
struct charged_result {
	char failed[512];
	char did[128];
	unsigned int sites;
};

/**
 * struct charged_row - a function that fills a resource
 * @name: name of the row
 * @quick: the row is run in every check
 * @least_mib: memory that the resource takes at least when it is full: less shows that it is not
 * @fill: fill the resource, in namespaces of an unprivileged user
 * @keep: (optional) called every few milliseconds afterwards
 */
struct charged_row {
	const char *name;
	bool quick;
	unsigned int least_mib;
	void (*fill)(struct charged_result *result);
	void (*keep)(void);
};

/**
 * struct charged_bound - a bound of limits.rst
 * @name: the constant or setting
 * @row: the row that fills it, or NULL
 * @why: if there is no @row: why it holds no memory, or is not filled
 */
struct charged_bound {
	const char *name;
	const char *row;
	const char *why;
};

/* Both end with an entry without name. */
extern const struct charged_row charged_rows[];
extern const struct charged_bound charged_bounds[];

/* charged_link.c: links whose other ends are emulated. */
void charged_links(struct charged_result *r);
void charged_gaps(struct charged_result *r);
void charged_gaps_16(struct charged_result *r);
void charged_transit(struct charged_result *r);
void charged_holds(struct charged_result *r);
void charged_flows(struct charged_result *r);
void charged_idle(struct charged_result *r);
/* Answer the frames of all emulated ends. */
void charged_answer(void);

/* charged_sock.c: sockets and sites. */
void charged_unread(struct charged_result *r);
void charged_unsent(struct charged_result *r);
void charged_pieces(struct charged_result *r);
void charged_orphans(struct charged_result *r);
void charged_reports(struct charged_result *r);
void charged_sites(struct charged_result *r);
void charged_large(struct charged_result *r);
void charged_graphs(struct charged_result *r);
void charged_devices(struct charged_result *r);

/* Note why a function could not fill its resource. */
void charged_fail(struct charged_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* SELFTESTS_SOCK_CHARGED_H */
