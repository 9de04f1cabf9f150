/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Network namespaces, named as by "ip netns".
 */
#ifndef FLITCAST_CLI_NETNS_H
#define FLITCAST_CLI_NETNS_H

#include <stdbool.h>

/* Enter the namespace with this name or path; exit if there is none. */
void netns_enter(const char *name);

bool netns_exists(const char *name);

/**
 * netns_create() - create a named namespace, and enter it
 * @name: name
 *
 * Return: a descriptor that refers to it, or -errno; then the namespace does not
 * exist, but the thread may be in another one than before.
 */
int netns_create(const char *name);

/* Delete the name; the namespace ends with its last process.  Return: 0 or -errno. */
int netns_delete(const char *name);

/* Enter a namespace, mount its /sys, and run a program.  Return: errno, only on failure. */
int netns_exec(const char *name, char **argv);

#endif /* FLITCAST_CLI_NETNS_H */
