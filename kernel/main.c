// SPDX-License-Identifier: GPL-2.0
/*
 * Flitcast: multicast, cut-through transport over direct links.
 */
#include <linux/module.h>
#include <linux/net.h>
#include <net/genetlink.h>
#include <uapi/linux/flitcast.h>
#include "core/version.h"
#include "link/link.h"
#include "netlink/netlink.h"
#include "site/site.h"
#include "sock/sock.h"

/* In order of dependency, the doors of the users last; the exit is its mirror. */
static int __init flitcast_init(void)
{
	int err;

	err = flitcast_netdev_init();
	if (err)
		return err;
	err = flitcast_site_init();
	if (err)
		goto netdev;
	err = flitcast_replug_init();
	if (err)
		goto site;
	err = flitcast_shutdown_init();
	if (err)
		goto replug;
	err = flitcast_netlink_init();
	if (err)
		goto shutdown;
	err = flitcast_sock_init();
	if (err)
		goto netlink;
	return 0;
netlink:
	flitcast_netlink_exit();
shutdown:
	flitcast_shutdown_exit();
replug:
	flitcast_replug_exit();
site:
	flitcast_site_exit();
netdev:
	flitcast_netdev_exit();
	return err;
}

static void __exit flitcast_exit(void)
{
	flitcast_sock_exit();
	flitcast_netlink_exit();
	flitcast_shutdown_exit();
	flitcast_replug_exit();
	flitcast_site_exit();
	flitcast_netdev_exit();
}

module_init(flitcast_init);
module_exit(flitcast_exit);

MODULE_LICENSE("GPL");
MODULE_VERSION(FLITCAST_VERSION);
MODULE_AUTHOR("The Flitcast developers");
MODULE_DESCRIPTION("Flitcast: multicast, cut-through transport over direct links");
MODULE_ALIAS_NETPROTO(FLITCAST_FAMILY_DEFAULT);
MODULE_ALIAS_GENL_FAMILY("flitcast");
