// SPDX-License-Identifier: GPL-2.0
/*
 * Shutdown of the host: inform the neighbours of all sites, so that they route around them at once.
 */
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/rwsem.h>
#include <net/net_namespace.h>
#include "site/end.h"
#include "fabric/fabric.h"
#include "site/site.h"

void flitcast_shutdown(struct net *net)
{
	struct flitcast_site *site;
	u32 id;

	for (site = flitcast_site_next(net, 0); site; site = flitcast_site_next(net, id + 1)) {
		id = flitcast_site_id(site);
		flitcast_links_leave(site);
		flitcast_site_put(site);
	}
}

static int notify(struct notifier_block *block, unsigned long event, void *arg)
{
	struct net *net;

	/* RTNL is not taken: a task that holds it may never return. */
	down_read(&net_rwsem);
	for_each_net(net)
		flitcast_shutdown(net);
	up_read(&net_rwsem);
	return NOTIFY_DONE;
}

static struct notifier_block block = { .notifier_call = notify };

int flitcast_shutdown_init(void)
{
	return register_reboot_notifier(&block);
}

void flitcast_shutdown_exit(void)
{
	unregister_reboot_notifier(&block);
}
