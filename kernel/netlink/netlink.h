/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generic netlink family "flitcast": declarations that its files share.  Each object has a file of
 * its own: policy, requests, replies, dump.
 *
 * Handlers run under genl's lock, which serialises changes of sites; handlers that change links
 * also take RTNL.
 */
#ifndef FLITCAST_NETLINK_H
#define FLITCAST_NETLINK_H

#include <net/genetlink.h>
#include <uapi/linux/flitcast_netlink.h>
#include "site/event.h"

/* Longest topology specification accepted; canonical ones are far shorter. */
#define FLITCAST_NETLINK_SPEC_MAX	255

/* family.c */

/* The family; flitcast_netlink_init() sets its operations. */
extern struct genl_family flitcast_netlink_family;

/* Multicast groups, by their place in the family's table. */
enum {
	FLITCAST_NETLINK_GROUP_SITE,
	FLITCAST_NETLINK_GROUP_LINK,
};

/**
 * flitcast_netlink_site() - find the site that a request names
 * @net: namespace
 * @attr: u32 identity, or NULL: the only site of the namespace
 * @extack: gets the reason of a refusal
 *
 * Return: the site with a reference, or ERR_PTR.
 */
struct flitcast_site *flitcast_netlink_site(struct net *net, const struct nlattr *attr,
					    struct netlink_ext_ack *extack);

/**
 * flitcast_netlink_put_counters() - put counters as a list of name and value
 * @skb: message
 * @name: name of counter number i, or NULL
 * @values: the counters
 * @count: how many
 *
 * Return: 0 or -EMSGSIZE.
 */
int flitcast_netlink_put_counters(struct sk_buff *skb, const char *(*name)(unsigned int i),
				  const u64 *values, unsigned int count);

/* site.c */
extern const struct nla_policy flitcast_netlink_site_id_policy[FLITCAST_A_SITE_ID + 1];
extern const struct nla_policy flitcast_netlink_site_new_policy[FLITCAST_A_SITE_INTEGRITY + 1];
extern const struct nla_policy flitcast_netlink_site_set_policy[FLITCAST_A_SITE_INTEGRITY + 1];
int flitcast_netlink_site_get(struct sk_buff *skb, struct genl_info *info);
int flitcast_netlink_site_dump(struct sk_buff *skb, struct netlink_callback *cb);
int flitcast_netlink_site_new(struct sk_buff *skb, struct genl_info *info);
int flitcast_netlink_site_set(struct sk_buff *skb, struct genl_info *info);
int flitcast_netlink_site_del(struct sk_buff *skb, struct genl_info *info);
void flitcast_netlink_site_event(struct net *net, const struct flitcast_site_info *info,
				 enum flitcast_site_event event);

/* link.c */
extern const struct nla_policy flitcast_netlink_link_get_policy[FLITCAST_A_LINK_ADDRESS + 1];
extern const struct nla_policy flitcast_netlink_link_new_policy[FLITCAST_A_LINK_DEAD + 1];
extern const struct nla_policy flitcast_netlink_link_set_policy[FLITCAST_A_LINK_DEAD + 1];
int flitcast_netlink_link_get(struct sk_buff *skb, struct genl_info *info);
int flitcast_netlink_link_dump(struct sk_buff *skb, struct netlink_callback *cb);
int flitcast_netlink_link_new(struct sk_buff *skb, struct genl_info *info);
int flitcast_netlink_link_set(struct sk_buff *skb, struct genl_info *info);
int flitcast_netlink_link_del(struct sk_buff *skb, struct genl_info *info);
void flitcast_netlink_link_event(struct net *net, u32 site,
				 const struct flitcast_link_info *info, bool added);

/* route.c */
extern const struct nla_policy flitcast_netlink_route_get_policy[FLITCAST_A_ROUTE_TARGETS + 1];
extern const struct nla_policy flitcast_netlink_route_set_policy[FLITCAST_A_ROUTE_WEIGHTS + 1];
extern const struct nla_policy flitcast_netlink_route_replace_policy[FLITCAST_A_ROUTE_ENTRY + 1];
int flitcast_netlink_route_get(struct sk_buff *skb, struct genl_info *info);
int flitcast_netlink_route_dump(struct sk_buff *skb, struct netlink_callback *cb);
int flitcast_netlink_route_set(struct sk_buff *skb, struct genl_info *info);
int flitcast_netlink_route_del(struct sk_buff *skb, struct genl_info *info);
int flitcast_netlink_route_replace(struct sk_buff *skb, struct genl_info *info);

/* socket.c */
extern const struct nla_policy flitcast_netlink_socket_policy[FLITCAST_A_SOCKET_PORT + 1];
int flitcast_netlink_socket_get(struct sk_buff *skb, struct genl_info *info);
int flitcast_netlink_socket_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* fault.c */
extern const struct nla_policy flitcast_netlink_fault_policy[FLITCAST_A_FAULT_SITE + 1];
int flitcast_netlink_fault_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* graph.c */
extern const struct nla_policy flitcast_netlink_graph_policy[FLITCAST_A_GRAPH_SITE + 1];
int flitcast_netlink_graph_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* path.c */
extern const struct nla_policy flitcast_netlink_path_get_policy[FLITCAST_A_PATH_SITE + 1];
extern const struct nla_policy flitcast_netlink_path_set_policy[FLITCAST_A_PATH_ENTRIES + 1];
extern const struct nla_policy flitcast_netlink_path_del_policy[FLITCAST_A_PATH_COPIES + 1];
int flitcast_netlink_path_dump(struct sk_buff *skb, struct netlink_callback *cb);
int flitcast_netlink_path_set(struct sk_buff *skb, struct genl_info *info);
int flitcast_netlink_path_del(struct sk_buff *skb, struct genl_info *info);

/* stats.c */
extern const struct nla_policy flitcast_netlink_stats_policy[FLITCAST_A_STATS_SITE + 1];
int flitcast_netlink_stats_get(struct sk_buff *skb, struct genl_info *info);
int flitcast_netlink_stats_dump(struct sk_buff *skb, struct netlink_callback *cb);
int flitcast_netlink_stats_reset(struct sk_buff *skb, struct genl_info *info);

/* netlink.c */

/**
 * flitcast_netlink_init() - register the family; requests may arrive before it returns
 *
 * Return: 0 or a negative error.
 */
int flitcast_netlink_init(void);

/* Unregister the family; no handler runs after this returns. */
void flitcast_netlink_exit(void);

/* ether.c */

int flitcast_netlink_ether_init(void);
void flitcast_netlink_ether_exit(void);

#endif /* FLITCAST_NETLINK_H */
