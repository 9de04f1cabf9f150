// SPDX-License-Identifier: GPL-2.0
/*
 * The operations of the generic netlink family, and its registration.
 */
#include "netlink/netlink.h"

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

static const struct flitcast_event_ops event_ops = {
	.site = flitcast_netlink_site_event,
	.link = flitcast_netlink_link_event,
};

int __init flitcast_netlink_init(void)
{
	int err;

	flitcast_netlink_family.ops = ops;
	flitcast_netlink_family.n_ops = ARRAY_SIZE(ops);
	/* User space may add a site as soon as the family is registered. */
	flitcast_event_register(&event_ops);
	err = genl_register_family(&flitcast_netlink_family);
	if (err)
		goto event;
	err = flitcast_netlink_ether_init();
	if (err)
		goto family;
	return 0;
family:
	genl_unregister_family(&flitcast_netlink_family);
event:
	flitcast_event_unregister();
	return err;
}

void flitcast_netlink_exit(void)
{
	flitcast_netlink_ether_exit();
	genl_unregister_family(&flitcast_netlink_family);
	flitcast_event_unregister();
}
