// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that appear: a link that was configured with such a device gets it (again).
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include "site/end.h"
#include "fabric/fabric.h"
#include "site/site.h"

/* A device is bound to the first link of its namespace that waits for it. */
static void device_appears(struct net_device *dev)
{
	struct net *net = dev_net(dev);
	struct flitcast_site *site;
	bool bound;
	u32 id;

	for (site = flitcast_site_next(net, 0); site; site = flitcast_site_next(net, id + 1)) {
		id = flitcast_site_id(site);
		bound = flitcast_link_return(site, dev);
		flitcast_site_put(site);
		if (bound)
			return;
	}
}

static void device_disappears(struct net_device *dev)
{
	struct net *net = dev_net(dev);
	struct flitcast_site *site;
	u32 id;

	for (site = flitcast_site_next(net, 0); site; site = flitcast_site_next(net, id + 1)) {
		id = flitcast_site_id(site);
		flitcast_link_forget(site, dev);
		flitcast_site_put(site);
	}
}

/*
 * A device that is set up is tried again, in case it was refused when it appeared.  RTNL is held:
 * no site or link is deleted meanwhile.
 */
static int device_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);

	switch (event) {
	case NETDEV_CHANGENAME:
		device_disappears(dev);
		device_appears(dev);
		break;
	case NETDEV_REGISTER:
	case NETDEV_UP:
		device_appears(dev);
		break;
	case NETDEV_UNREGISTER:
		device_disappears(dev);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block device_notifier = {
	.notifier_call = device_event,
};

int flitcast_replug_init(void)
{
	return register_netdevice_notifier(&device_notifier);
}

void flitcast_replug_exit(void)
{
	unregister_netdevice_notifier(&device_notifier);
}
