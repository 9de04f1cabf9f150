// SPDX-License-Identifier: GPL-2.0
/*
 * The sockets of send, recv and ping.
 */
#include <errno.h>
#include <string.h>
#include "cli.h"
#include "flitcast.h"

int open_socket(const char *about, uint32_t site, uint16_t port)
{
	int fd = flitcast_socket(site, port);

	if (fd >= 0)
		return fd;
	if (errno == ENETDOWN)
		fail("%s: no site here", about);
	if (errno == EADDRNOTAVAIL && site == FLITCAST_SITE_ANY)
		fail("%s: several sites here: say which with --site", about);
	if (errno == EADDRNOTAVAIL)
		fail("%s: no site %u here", about, site);
	if (port == FLITCAST_PORT_ANY)
		fail("%s: %s", about, strerror(errno));
	fail("%s: port %u: %s", about, port, strerror(errno));
}
