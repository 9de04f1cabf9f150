// SPDX-License-Identifier: GPL-2.0
/* Requests of rtnetlink for the network device of a site: ip link add NAME type flitcast. */
#include <linux/module.h>
#include <net/rtnetlink.h>
#include <uapi/linux/flitcast_netlink.h>
#include "compat.h"
#include "ether/ether.h"
#include "fabric/fabric.h"
#include "netlink/netlink.h"
#include "site/site.h"

static const struct nla_policy policy[IFLA_FLITCAST_MAX + 1] = {
	[IFLA_FLITCAST_SITE] = { .type = NLA_U32 },
};

/* The site is of the namespace of the request; the device may go to another one. */
static int newlink(struct net_device *dev, struct rtnl_newlink_params *params,
		   struct netlink_ext_ack *extack)
{
	struct nlattr **data = params->data;
	struct flitcast_site *site;
	int err;

	site = flitcast_netlink_site(rtnl_newlink_link_net(params),
				     data ? data[IFLA_FLITCAST_SITE] : NULL, extack);
	if (IS_ERR(site))
		return PTR_ERR(site);
	err = flitcast_ether_add(site, dev, extack);
	flitcast_site_put(site);
	return err;
}

FLITCAST_NEWLINK(newlink)

static size_t get_size(const struct net_device *dev)
{
	return nla_total_size(sizeof(u32));
}

static int fill_info(struct sk_buff *skb, const struct net_device *dev)
{
	return nla_put_u32(skb, IFLA_FLITCAST_SITE, flitcast_ether_site(dev));
}

static struct rtnl_link_ops ops __read_mostly = {
	.kind = "flitcast",
	.maxtype = IFLA_FLITCAST_MAX,
	.policy = policy,
	.priv_size = sizeof(struct flitcast_ether),
	.setup = flitcast_ether_setup,
	.get_num_tx_queues = flitcast_ether_queues,
	.newlink = FLITCAST_NEWLINK_OP(newlink),
	.get_size = get_size,
	.fill_info = fill_info,
};

int flitcast_netlink_ether_init(void)
{
	return rtnl_link_register(&ops);
}

void flitcast_netlink_ether_exit(void)
{
	rtnl_link_unregister(&ops);
}

MODULE_ALIAS_RTNL_LINK("flitcast");
