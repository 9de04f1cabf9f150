/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects of the command line, one file each, and what they share.
 */
#ifndef FLITCAST_CLI_CLI_H
#define FLITCAST_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include "topo.h"
#include "request.h"
#include "util.h"

#define VERSION			"0.1.0"

/* Where send sends to and recv listens unless told otherwise. */
#define DEFAULT_PORT		4100
/* Copies of a broadcast, at most: a header has room for no more. */
#define COPIES_MAX	16
/* Names of directions, with their NUL. */
#define DIRECTION_SIZE		8

/* -s */
extern bool show_stats;

int do_site(struct args *args);
int do_link(struct args *args);
int do_route(struct args *args);
int do_topology(struct args *args);
int do_stats(struct args *args);
int do_socket(struct args *args);
int do_monitor(struct args *args);
int do_send(struct args *args);
int do_recv(struct args *args);
int do_ping(struct args *args);
int do_trace(struct args *args);
int do_lab(struct args *args);
int do_version(struct args *args);

/* A socket of a site (FLITCAST_SITE_ANY: the only one); does not return where there is none. */
int open_socket(const char *about, uint32_t site, uint16_t port);

/* An option that stands before the object may stand in the command as well. */
bool take_output_option(struct args *args);

/* The name of a state of a link, enum flitcast_link_state. */
const char *link_state_name(uint32_t state);

/*
 * Print what is the same in show and monitor: a line, without its end, or members
 * of an object that is open; from attributes up to FLITCAST_A_SITE_MAX, _LINK_MAX.
 */
void print_site_line(struct nlattr **attrs);
void print_link_line(struct nlattr **attrs);

/* drain.c */
int site_drain(struct args *args);

/* restore.c */
int site_save(struct args *args);
int site_restore(struct args *args);
int route_save(struct args *args);
int route_restore(struct args *args);

/* Print the counters of a nest of enum flitcast_stats_attr as an object. */
void print_counters(const char *key, const char *indent, struct nlattr *nest);
/* A counter of such a nest by its name; 0 where there is none. */
uint64_t find_counter(struct nlattr *nest, const char *name);

#endif /* FLITCAST_CLI_CLI_H */
