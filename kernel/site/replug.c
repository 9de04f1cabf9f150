// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that appear: a link that was configured with such a device gets it (again).
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include "fabric/end.h"
#include "fabric/fabric.h"
#include "site/site.h"

/* Bind a device to the link of its namespace that waits for it, if there is one. */
static void device_appears(struct net_device *dev)
{
	struct net *net = dev_net(dev);
	struct flitcast_site *site;
	u32 id = 0;
	bool done;

	for (site = flitcast_site_next(net, id); site; site = flitcast_site_next(net, id + 1)) {
		id = flitcast_site_id(site);
		done = flitcast_link_return(site, dev);
		flitcast_site_put(site);
		if (done)
			return;
	}
}

/*
 * A device that is set up is tried again, in case it was refused when it appeared.  RTNL is held:
 * no site or link is deleted meanwhile.
 */
static int device_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	switch (event) {
	case NETDEV_REGISTER:
	case NETDEV_CHANGENAME:
	case NETDEV_UP:
		device_appears(netdev_notifier_info_to_dev(ptr));
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
