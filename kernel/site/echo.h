/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_ECHO_H
#define FLITCAST_ECHO_H

struct flitcast_echo;
struct flitcast_site;

/**
 * flitcast_echo_start() - answer messages to FLITCAST_PORT_ECHO
 * @site: site, not found by others yet
 *
 * Return: what flitcast_echo_stop() takes, or NULL without memory.
 */
struct flitcast_echo *flitcast_echo_start(struct flitcast_site *site);

/* The site has let go of its ports.  May sleep. */
void flitcast_echo_stop(struct flitcast_echo *echo);

#endif /* FLITCAST_ECHO_H */
