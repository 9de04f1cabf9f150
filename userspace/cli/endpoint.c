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
	if (errno == EAFNOSUPPORT)
		fail("%s: %s", about, module_missing());
	if (errno == ENETDOWN)
		fail("%s: no site here: flitcast site add makes one", about);
	if (errno == EADDRNOTAVAIL && site == FLITCAST_SITE_ANY)
		fail("%s: several sites here: choose one with --site", about);
	if (errno == EADDRNOTAVAIL)
		fail("%s: no site %u here: flitcast site show lists the sites", about, site);
	if (errno == EADDRINUSE)
		fail("%s: port %u: another socket has it: flitcast socket show lists the sockets",
		     about, port);
	if (errno == EACCES)
		fail("%s: port %u: ports below 1024 need CAP_NET_BIND_SERVICE", about, port);
	if (port == FLITCAST_PORT_ANY)
		fail("%s: %s", about, strerror(errno));
	fail("%s: port %u: %s", about, port, strerror(errno));
}
