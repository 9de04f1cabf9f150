// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family and what its objects share.
 */
#include <linux/module.h>
#include <uapi/linux/flitcast.h>
#include "netlink/netlink.h"

struct flitcast_site *flitcast_netlink_site(struct net *net, const struct nlattr *attr,
					    struct netlink_ext_ack *extack)
{
	struct flitcast_site *site;

	if (attr) {
		u32 id = nla_get_u32(attr);

		/* FLITCAST_SITE_ANY is no identity: it would find the only site. */
		site = id == FLITCAST_SITE_ANY ? NULL : flitcast_site_get(net, id);
		if (site)
			return site;
		NL_SET_ERR_MSG_ATTR(extack, attr, KBUILD_MODNAME ": no such site here");
		return ERR_PTR(-ENOENT);
	}

	site = flitcast_site_get(net, FLITCAST_SITE_ANY);
	if (site)
		return site;
	site = flitcast_site_next(net, 0);
	if (!site) {
		NL_SET_ERR_MSG_MOD(extack, "no site here");
		return ERR_PTR(-ENOENT);
	}
	flitcast_site_put(site);
	NL_SET_ERR_MSG_MOD(extack, "several sites here: say which");
	return ERR_PTR(-EINVAL);
}

int flitcast_netlink_put_counters(struct sk_buff *skb, const char *(*name)(unsigned int i),
				  const u64 *values, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct nlattr *nest;

		if (!name(i))
			continue;
		nest = nla_nest_start(skb, FLITCAST_A_STATS_COUNTER);
		if (!nest)
			return -EMSGSIZE;
		if (nla_put_string(skb, FLITCAST_A_STAT_NAME, name(i)) ||
		    nla_put_u64_64bit(skb, FLITCAST_A_STAT_VALUE, values[i],
				      FLITCAST_A_STAT_PAD)) {
			nla_nest_cancel(skb, nest);
			return -EMSGSIZE;
		}
		nla_nest_end(skb, nest);
	}
	return 0;
}

#define POLICY(name)	.policy = flitcast_netlink_##name##_policy,		\
			.maxattr = ARRAY_SIZE(flitcast_netlink_##name##_policy) - 1

static const struct genl_ops ops[] = {
	{
		.cmd = FLITCAST_CMD_SITE_GET,
		.doit = flitcast_netlink_site_get,
		.dumpit = flitcast_netlink_site_dump,
		POLICY(site_id),
	},
	{
		.cmd = FLITCAST_CMD_SITE_NEW,
		.doit = flitcast_netlink_site_new,
		.flags = GENL_UNS_ADMIN_PERM,
		POLICY(site_new),
	},
	{
		.cmd = FLITCAST_CMD_SITE_SET,
		.doit = flitcast_netlink_site_set,
		.flags = GENL_UNS_ADMIN_PERM,
		POLICY(site_set),
	},
	{
		.cmd = FLITCAST_CMD_SITE_DEL,
		.doit = flitcast_netlink_site_del,
		.flags = GENL_UNS_ADMIN_PERM,
		POLICY(site_id),
	},
	{
		.cmd = FLITCAST_CMD_LINK_GET,
		.doit = flitcast_netlink_link_get,
		.dumpit = flitcast_netlink_link_dump,
		POLICY(link_get),
	},
	{
		.cmd = FLITCAST_CMD_LINK_NEW,
		.doit = flitcast_netlink_link_new,
		.flags = GENL_UNS_ADMIN_PERM,
		POLICY(link_new),
	},
	{
		.cmd = FLITCAST_CMD_LINK_SET,
		.doit = flitcast_netlink_link_set,
		.flags = GENL_UNS_ADMIN_PERM,
		POLICY(link_set),
	},
	{
		.cmd = FLITCAST_CMD_LINK_DEL,
		.doit = flitcast_netlink_link_del,
		.flags = GENL_UNS_ADMIN_PERM,
		POLICY(link_get),
	},
	{
		.cmd = FLITCAST_CMD_ROUTE_GET,
		.doit = flitcast_netlink_route_get,
		.dumpit = flitcast_netlink_route_dump,
		POLICY(route_get),
	},
	{
		.cmd = FLITCAST_CMD_ROUTE_SET,
		.doit = flitcast_netlink_route_set,
		.flags = GENL_UNS_ADMIN_PERM,
		POLICY(route_set),
	},
	{
		.cmd = FLITCAST_CMD_ROUTE_DEL,
		.doit = flitcast_netlink_route_del,
		.flags = GENL_UNS_ADMIN_PERM,
		POLICY(route_get),
	},
	{
		.cmd = FLITCAST_CMD_ROUTE_REPLACE,
		.doit = flitcast_netlink_route_replace,
		.flags = GENL_UNS_ADMIN_PERM,
		POLICY(route_replace),
	},
	{
		.cmd = FLITCAST_CMD_SOCKET_GET,
		.doit = flitcast_netlink_socket_get,
		.dumpit = flitcast_netlink_socket_dump,
		POLICY(socket),
	},
	{
		.cmd = FLITCAST_CMD_FAULT_GET,
		.dumpit = flitcast_netlink_fault_dump,
		POLICY(fault),
	},
	{
		.cmd = FLITCAST_CMD_GRAPH_GET,
		.dumpit = flitcast_netlink_graph_dump,
		POLICY(graph),
	},
	{
		.cmd = FLITCAST_CMD_PATH_GET,
		.dumpit = flitcast_netlink_path_dump,
		POLICY(path_get),
	},
	{
		.cmd = FLITCAST_CMD_PATH_SET,
		.doit = flitcast_netlink_path_set,
		.flags = GENL_UNS_ADMIN_PERM,
		POLICY(path_set),
	},
	{
		.cmd = FLITCAST_CMD_PATH_DEL,
		.doit = flitcast_netlink_path_del,
		.flags = GENL_UNS_ADMIN_PERM,
		POLICY(path_del),
	},
	{
		.cmd = FLITCAST_CMD_STATS_GET,
		.doit = flitcast_netlink_stats_get,
		.dumpit = flitcast_netlink_stats_dump,
		POLICY(stats),
	},
	{
		.cmd = FLITCAST_CMD_STATS_RESET,
		.doit = flitcast_netlink_stats_reset,
		.flags = GENL_UNS_ADMIN_PERM,
		POLICY(stats),
	},
};

static const struct genl_multicast_group groups[] = {
	[FLITCAST_NETLINK_GROUP_SITE] = { .name = FLITCAST_MCGRP_SITE, },
	[FLITCAST_NETLINK_GROUP_LINK] = { .name = FLITCAST_MCGRP_LINK, },
};

/* resv_start_op stays zero: reserved bits of the header are checked from the first command on. */
struct genl_family flitcast_netlink_family __ro_after_init = {
	.name = FLITCAST_FAMILY_NAME,
	.version = FLITCAST_FAMILY_VERSION,
	.netnsok = true,
	.module = THIS_MODULE,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
};

static const struct flitcast_event_ops event_ops = {
	.site = flitcast_netlink_site_event,
	.link = flitcast_netlink_link_event,
};

int __init flitcast_netlink_init(void)
{
	int err;

	/* Before the first site, which may come as soon as the family is there. */
	flitcast_event_register(&event_ops);
	err = genl_register_family(&flitcast_netlink_family);
	if (err)
		flitcast_event_unregister();
	return err;
}

void flitcast_netlink_exit(void)
{
	genl_unregister_family(&flitcast_netlink_family);
	flitcast_event_unregister();
}
