// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/highmem.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>
#include <uapi/linux/flitcast.h>
#include <uapi/linux/flitcast_netlink.h>
#include "ends/message.h"
#include "link/link.h"
#include "selftests/kunit/double.h"

int double_begin(struct kunit_suite *suite)
{
	int err = flitcast_netdev_init();

	if (err)
		return err;
	err = flitcast_site_init();
	if (err)
		flitcast_netdev_exit();
	return err;
}

void double_end(struct kunit_suite *suite)
{
	flitcast_site_exit();
	flitcast_netdev_exit();
}

/*
 * Devices.
 */

struct sk_buff *(*double_reshape)(struct sk_buff *skb);

static netdev_tx_t cable_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct net_device *peer = *(struct net_device **)netdev_priv(dev);
	struct sk_buff *(*reshape)(struct sk_buff *skb) = READ_ONCE(double_reshape);

	if (reshape)
		skb = reshape(skb);
	if (skb)
		dev_forward_skb(peer, skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops cable_ops = {
	.ndo_start_xmit = cable_xmit,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static void cable_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &cable_ops;
	dev->features |= NETIF_F_LLTX;
	eth_hw_addr_random(dev);
}

int double_devices_add(struct net_device *dev[2])
{
	int i, err = -ENOMEM;

	for (i = 0; i < 2; i++)
		dev[i] = alloc_netdev(sizeof(struct net_device *), "kunit%d", NET_NAME_UNKNOWN,
				      cable_setup);
	if (!dev[0] || !dev[1])
		goto free;
	for (i = 0; i < 2; i++)
		*(struct net_device **)netdev_priv(dev[i]) = dev[!i];
	for (i = 0; i < 2; i++) {
		err = register_netdev(dev[i]);
		if (err)
			goto unregister;
	}
	rtnl_lock();
	for (i = 0; i < 2 && !err; i++)
		err = dev_open(dev[i], NULL);
	rtnl_unlock();
	if (!err)
		return 0;
unregister:
	while (i--)
		unregister_netdev(dev[i]);
free:
	for (i = 0; i < 2; i++) {
		if (dev[i])
			free_netdev(dev[i]);
		dev[i] = NULL;
	}
	return err;
}

void double_devices_del(struct net_device *dev[2])
{
	int i;

	if (!dev[0])
		return;
	/* Close both first: each transmits to the other. */
	rtnl_lock();
	dev_close(dev[0]);
	dev_close(dev[1]);
	rtnl_unlock();
	for (i = 0; i < 2; i++)
		unregister_netdev(dev[i]);
	for (i = 0; i < 2; i++)
		free_netdev(dev[i]);
	dev[0] = NULL;
}

/*
 * Sites.
 */

struct flitcast_site_config double_config(const char *spec, u32 id)
{
	struct flitcast_site_config cfg = {
		.id = id,
		.flit = FLITCAST_FLIT_DEFAULT,
		.window = FLITCAST_WINDOW_DEFAULT,
		.integrity = true,
		.tuning = {
			.seek = FLITCAST_SEEK_DEFAULT,
			.seek_max = FLITCAST_SEEKS_DEFAULT,
			.timeout = FLITCAST_TIMEOUT_DEFAULT,
			.poll = FLITCAST_POLL_DEFAULT,
			.transit = FLITCAST_TRANSIT_DEFAULT,
		},
	};

	WARN_ON(fc_topo_parse(&cfg.topo, spec));
	return cfg;
}

bool double_link_up(u32 id, u32 port, unsigned long timeout)
{
	struct flitcast_site *site = flitcast_site_get(&init_net, id);
	unsigned long until = jiffies + timeout;
	struct flitcast_link_info info = { };

	if (!site)
		return false;
	for (;;) {
		if (flitcast_link_info(site, port, &info) ||
		    info.state == FLITCAST_LINK_STATE_UP || time_after(jiffies, until))
			break;
		msleep(20);
	}
	flitcast_site_put(site);
	return info.state == FLITCAST_LINK_STATE_UP;
}

int double_link_add(struct flitcast_site *site, struct net_device *dev, u32 port, u32 window)
{
	struct flitcast_link_spec spec = { .kind = &flitcast_netdev_kind, .dev = dev };
	struct flitcast_link_settings settings = { .window = window, .crc = -1 };

	return flitcast_link_add(site, &spec, port, &settings, NULL);
}

void double_line(struct kunit *test, struct net_device *dev[2])
{
	int i, err;

	KUNIT_ASSERT_EQ(test, 0, double_devices_add(dev));
	for (i = 0; i < 2; i++) {
		struct flitcast_site_config cfg = double_config("line:2", i);
		struct flitcast_site *site;

		KUNIT_ASSERT_EQ(test, 0, flitcast_site_add(&init_net, &cfg, NULL));
		site = flitcast_site_get(&init_net, i);
		KUNIT_ASSERT_NOT_NULL(test, site);
		rtnl_lock();
		err = double_link_add(site, dev[i], i ? 2 : 1, 0);
		rtnl_unlock();
		flitcast_site_put(site);
		KUNIT_ASSERT_EQ(test, 0, err);
	}
	KUNIT_ASSERT_TRUE(test, double_link_up(0, 1, DOUBLE_SOON));
	KUNIT_ASSERT_TRUE(test, double_link_up(1, 2, DOUBLE_SOON));
}

void double_line_end(struct net_device *dev[2])
{
	flitcast_site_del(&init_net, 0, NULL);
	flitcast_site_del(&init_net, 1, NULL);
	double_devices_del(dev);
}

/* Ports.  Their callbacks run under the site's lock, and need no other lock. */

static struct double_port *to_double(struct flitcast_port *port)
{
	return container_of(port, struct double_port, port);
}

static bool double_charge(struct flitcast_port *port, u32 charge, bool early)
{
	struct double_port *d = to_double(port);

	if (d->charged + charge > (early ? DOUBLE_ROOM / 2 : DOUBLE_ROOM))
		return false;
	d->charged += charge;
	return true;
}

static void double_promote(struct flitcast_port *port, u32 charge)
{
}

static void double_uncharge(struct flitcast_port *port, u32 charge, bool early)
{
	to_double(port)->charged -= charge;
}

static unsigned int double_deliver(struct flitcast_port *port, struct sk_buff *skb, bool hold)
{
	struct double_port *d = to_double(port);

	skb_queue_tail(&d->received, skb);
	complete(&d->arrived);
	return FLITCAST_DELIVERED;
}

static bool double_sent(struct flitcast_port *port, struct flitcast_sent *sent)
{
	struct double_port *d = to_double(port);

	d->sent++;
	d->err = sent->err;
	complete(&d->over);
	return false;
}

static void double_detach(struct flitcast_port *port)
{
	to_double(port)->detached = true;
}

static bool double_hold(struct flitcast_port *port)
{
	return false;
}

static void double_wake(struct flitcast_port *port, unsigned int mask)
{
}

static const struct flitcast_port_ops double_ops = {
	.charge = double_charge,
	.promote = double_promote,
	.uncharge = double_uncharge,
	.deliver = double_deliver,
	.sent = double_sent,
	.detach = double_detach,
	.hold = double_hold,
	.wake = double_wake,
};

void double_port_init(struct double_port *port)
{
	memset(port, 0, sizeof(*port));
	port->port.ops = &double_ops;
	port->port.timeout = 30ULL * NSEC_PER_SEC;
	skb_queue_head_init(&port->received);
	init_completion(&port->arrived);
	init_completion(&port->over);
}

void double_port_end(struct double_port *port)
{
	flitcast_port_detach(&port->port);
	skb_queue_purge(&port->received);
}

int double_send(struct double_port *port, u32 site, u16 number, u32 len, u8 seed)
{
	struct flitcast_msg_dest dest = { .site = site, .port = number };
	struct flitcast_send how = { .charge = len };
	struct sk_buff *data = alloc_skb(len, GFP_KERNEL);
	struct flitcast_msg *msg;
	u32 i, id;
	int err;

	msg = data ? flitcast_msg_alloc(len, 1, GFP_KERNEL) : NULL;
	if (!msg) {
		kfree_skb(data);
		return -ENOMEM;
	}
	for (i = 0; i < len; i++)
		*(u8 *)skb_put(data, 1) = seed + i;
	err = flitcast_msg_from_skb(msg, data, 0, true) ? 0 : -EFAULT;
	kfree_skb(data);
	if (!err)
		err = flitcast_msg_send(&port->port, msg, &dest, &how, &id);
	if (err)
		flitcast_msg_free(msg);
	return err;
}

bool double_received(struct double_port *port, u32 len, u8 seed)
{
	struct sk_buff *skb;
	u8 bytes[256];
	bool right;
	u32 i;

	if (!wait_for_completion_timeout(&port->arrived, DOUBLE_SOON))
		return false;
	skb = skb_dequeue(&port->received);
	right = FLITCAST_DELIVERY(skb)->len == len;
	for (i = 0; i < len && right; i++) {
		if (!(i % sizeof(bytes)))
			skb_copy_bits(skb, FLITCAST_DELIVERY(skb)->skip + i, bytes,
				      min_t(u32, sizeof(bytes), len - i));
		right = bytes[i % sizeof(bytes)] == (u8)(seed + i);
	}
	flitcast_port_release(&port->port, FLITCAST_DELIVERY(skb)->charge);
	kfree_skb(skb);
	return right;
}
