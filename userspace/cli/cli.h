/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared declarations; each object of the command line has a file of its own.
 */
#ifndef FLITCAST_CLI_CLI_H
#define FLITCAST_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include "core/topo/topo.h"
#include "core/mode.h"
#include "option.h"
#include "request.h"
#include "util.h"

/* Default port of send and recv. */
#define DEFAULT_PORT		4100
/* Maximum number of copies of a broadcast, limited by the header. */
#define COPIES_MAX	16
/* Names of directions, with their NUL. */
#define DIRECTION_SIZE		8

/* -s */
extern bool show_stats;

/* The commands, one file each. */
extern const struct option_command site_command, link_command, netdev_command, route_command,
	topology_command, stats_command, socket_command, monitor_command, send_command,
	recv_command, ping_command, trace_command, lab_command;

/* Option that selects one of several sites of the namespace. */
#define SITE_HELP	"which site, where the namespace has several"
#define OPTION_SITE(name_, attr_) \
	OPTION(name_, "ID", SITE_HELP, NUMBER, 0, OPTION_RANGE(0, FLITCAST_SITE_ANY - 1), \
	       .attr = attr_, .complete = complete_sites)
/* A site as the subject of a command. */
#define OPTION_SITE_BARE(help_, attr_, how_) \
	OPTION("site", "ID", help_, NUMBER, 0, OPTION_RANGE(0, FLITCAST_SITE_ANY - 1), \
	       .attr = attr_, .how = OPTION_BARE | (how_), .complete = complete_sites)
#define TARGETS_HELP	"the receivers: 3, 1-5,9:4100, or all"
#define OPTION_DRAWINGS \
	OPTION("--svg", NULL, "print a drawing", FLAG, 0, .group = 1), \
	OPTION("--dot", NULL, "print a graph for Graphviz", FLAG, 0, .group = 1)

/* Put the options that have an attribute into a request: their numbers, or their texts. */
void put_given(struct request *req, const struct option_given *given);

/* Print values for the completion of shells. */
void complete_sites(void);
void complete_devices(void);
void complete_modes(void);
void complete_integrity(void);
void complete_topologies(void);
void complete_labs(void);

/* Open a socket of a site (FLITCAST_SITE_ANY: the only one); exits if there is none. */
int open_socket(const char *about, uint32_t site, uint16_t port);

/* Name of a link state, enum flitcast_link_state. */
const char *link_state_name(uint32_t state);

/*
 * Print the common part of show and monitor: a line without its end, or members of an open object;
 * from attributes up to FLITCAST_A_SITE_MAX, _LINK_MAX.
 */
void print_site_line(struct nlattr **attrs);
void print_link_line(struct nlattr **attrs);

/* drain.c */
int site_drain(const struct option_given *given);

/* restore.c */
int site_save(const struct option_given *given);
int site_restore(const struct option_given *given);
int site_remove(const struct option_given *given);
int route_save(const struct option_given *given);
int route_restore(const struct option_given *given);

/* Print the counters of a nest of enum flitcast_stats_attr as an object. */
void print_counters(const char *key, const char *indent, struct nlattr *nest);
/* A counter of such a nest by its name; 0 if it is missing. */
uint64_t find_counter(struct nlattr *nest, const char *name);

#endif /* FLITCAST_CLI_CLI_H */
