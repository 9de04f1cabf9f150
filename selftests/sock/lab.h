/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Environment of the socket tests: labs, namespaces, counters, time.
 */
#ifndef SELFTESTS_SOCK_LAB_H
#define SELFTESTS_SOCK_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses besides 0 and 1. */
#define EXIT_USAGE	2
#define EXIT_SKIP	4

/* The unprivileged user of lab_become_user(). */
#define LAB_USER	1000

/**
 * cli() - run the flitcast tool of this build, or $FLITCAST
 * @fmt: its arguments, separated by blanks
 *
 * The tool runs in the namespace of the caller; cli_output() returns its output.
 *
 * Return: exit status of the tool, or -1 if it could not be run.
 */
int cli(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Output of the last cli(), standard error after standard output. */
const char *cli_output(void);

/* The sum of all numbers with "@key" in @json. */
uint64_t json_sum(const char *json, const char *key);

/**
 * lab_open() - open the namespace of a site of a lab
 * @lab: name of the lab
 * @site: number of the site
 *
 * Return: a descriptor that exec() closes, or -1 with errno set.
 */
int lab_open(const char *lab, unsigned int site);

/* Number of sites of the lab, from 0 on without a gap. */
unsigned int lab_sites(const char *lab);

/* Put this thread into a namespace.  Return: 0, or -1 with errno set. */
int lab_enter(int netns);

/*
 * Set net.flitcast.@name of a site of a lab.  Moves the thread into the namespace of the site.
 * Return: 0, or -1 with errno set.
 */
int lab_sysctl(const char *lab, unsigned int site, const char *name, unsigned int value);

/**
 * lab_up() - set up a new lab
 * @lab: name
 * @spec: topology
 *
 * Removes an existing lab of this name first.
 *
 * Return: 0, or -1; then cli_output() has the reason.
 */
int lab_up(const char *lab, const char *spec);

/**
 * lab_healthy() - does every site answer every other?
 * @lab: name
 * @timeout_ms: time for all sites together
 *
 * Sends messages to FLITCAST_PORT_ECHO of the sites.  Moves the thread into one
 * of the lab's namespaces.
 *
 * Return: NULL, or an error text, valid until the next call.
 */
const char *lab_healthy(const char *lab, unsigned int timeout_ms);

/* Monotonic time in milliseconds and in seconds. */
uint64_t now_ms(void);
double now_s(void);
void sleep_ms(unsigned int ms);

/* Value of a line of /proc/meminfo, such as "MemFree", in KiB; 0 if there is none. */
uint64_t meminfo(const char *name);

/*
 * Memory that is free or can be reclaimed from caches, in KiB, including the freed pages that
 * processors cache, some ten MiB, which MemFree does not count.
 */
uint64_t free_kib(void);

/* Pages of all sockets of the family, from /proc/net/protocols; -1: not listed. */
long protocol_pages(void);

/* Write to an existing file, such as one in /proc or /sys. */
bool write_to(const char *path, const char *text);

/* Create a cgroup with a limit of @mib MiB. Return: false if the kernel has no cgroups. */
bool lab_memory_group(const char *path, unsigned int mib);

/* Become an unprivileged user, in a user and a network namespace of its own. */
bool lab_become_user(void);

/* Allow this process @count descriptors.  Return: 0, or -1 with errno set. */
int allow_descriptors(unsigned int count);

/* Exit with EXIT_SKIP, and a message (TAP if @tap), if the kernel lacks the socket family. */
void skip_without_family(bool tap);

/* Print "PROGRAM: ..." to standard error, and exit with status 1. */
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif /* SELFTESTS_SOCK_LAB_H */
