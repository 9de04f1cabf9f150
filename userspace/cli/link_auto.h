/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_CLI_LINK_AUTO_H
#define FLITCAST_CLI_LINK_AUTO_H

#include <stdint.h>

/**
 * link_auto_port() - find the port at which the topology has the peer of a device
 * @dev: network device, which is no link yet
 * @site: site that is to have the link, or FLITCAST_SITE_ANY: the only one
 *
 * Waits up to five seconds for a HELLO of the peer.  Return: the port; 0 after an error message.
 */
uint32_t link_auto_port(const char *dev, uint32_t site);

#endif /* FLITCAST_CLI_LINK_AUTO_H */
