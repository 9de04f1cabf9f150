/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_ECHO_H
#define FLITCAST_ECHO_H

struct flitcast_echo;
struct flitcast_site;

/**
 * flitcast_echo_start() - answer messages to FLITCAST_PORT_ECHO
 * @site: site, not found by others yet
 *
 * Return: the echo port, for flitcast_echo_stop(), or NULL: no memory.
 */
struct flitcast_echo *flitcast_echo_start(struct flitcast_site *site);

/* Stop and free the echo port; the site has detached its ports.  May sleep. */
void flitcast_echo_stop(struct flitcast_echo *echo);

#endif /* FLITCAST_ECHO_H */
